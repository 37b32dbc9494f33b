// Has the whole script run: for live elements that stand in a fragment, which a server after a restart does not know, and
// when the page turns dark or light, because the server draws the charts in the colours of either.
let watching;

export default function ({ setStateValue }) {
  const ask = () => setStateValue("asked", Date.now());
  window.cvarAsk = ask;
  watching?.disconnect();
  const app = document.querySelector(".stApp");
  const scheme = () => getComputedStyle(app).colorScheme;
  const before = scheme();
  watching = new MutationObserver(() => scheme() !== before && ask());
  watching.observe(app, { attributeFilter: ["class"] });
  return () => {
    if (window.cvarAsk === ask) delete window.cvarAsk;
    watching.disconnect();
  };
}
