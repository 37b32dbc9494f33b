// Has the whole script run for live elements that stand in a fragment: a server after a restart does not know those.
export default function ({ setStateValue }) {
  const ask = () => setStateValue("asked", Date.now());
  window.cvarAsk = ask;
  return () => {
    if (window.cvarAsk === ask) delete window.cvarAsk;
  };
}
