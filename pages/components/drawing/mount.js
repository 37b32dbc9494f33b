const mounted = new WeakMap();

// Streamlit calls this for each new set of charts, one a line, and what it returned last when they leave the page.
export default function ({ parentElement, data, setStateValue }) {
  if (!mounted.has(parentElement)) mounted.set(parentElement, { charts: [], text: undefined });
  const here = mounted.get(parentElement);
  const text = new TextDecoder().decode(data);
  const click = (point) => setStateValue("click", { ...point, at: Date.now() });
  if (text !== here.text) {
    const figures = text.split("\n").map((line) => JSON.parse(line));
    showAll(here.charts, figures, parentElement.querySelector(".cvar-charts"), click);
    here.text = text;
  }
  for (const chart of here.charts) chart.send = click;
  return () => {
    mounted.delete(parentElement);
    for (const chart of here.charts) chart.remove();
  };
}
