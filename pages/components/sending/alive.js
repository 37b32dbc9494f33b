// On a busy server Streamlit may lose what a run has sent, and with it the order to poll again: the page would stay as it
// is for ever. After a silence it asks for everything once more.

const watches = new WeakMap(); // how to stop those that are under way

// Streamlit calls this for each new state, and what it returned last when the element leaves the page.
export default function ({ parentElement, data, setStateValue }) {
  const stop = () => watches.get(parentElement)?.();
  stop();
  if (data.live) watches.set(parentElement, watch(data.patience, () => setStateValue("asked", Date.now())));
  return stop;
}

function watch(patience, ask) {
  let heard = Date.now();
  const observer = new MutationObserver(() => (heard = Date.now()));
  const everything = { subtree: true, childList: true, characterData: true, attributes: true };
  observer.observe(document.querySelector('[data-testid="stMain"]') ?? document.body, everything);
  const app = document.querySelector('[data-testid="stApp"]'); // it says when a run begins and ends, if nothing else does
  if (app) observer.observe(app, { attributes: true });
  const timer = setInterval(() => {
    if (Date.now() - heard < patience) return;
    heard = Date.now();
    ask();
  }, patience / 10);
  return () => {
    clearInterval(timer);
    observer.disconnect();
  };
}
