const mounted = new WeakMap();

// Streamlit calls this for each new set of charts, one a line, and what it returned last when they leave the page.
export default function ({ parentElement, data, setStateValue }) {
  if (!mounted.has(parentElement)) mounted.set(parentElement, { charts: [], lines: [], figures: [] });
  const here = mounted.get(parentElement);
  const lines = new TextDecoder().decode(data).split("\n");
  here.figures = lines.map((line, k) => (line === here.lines[k] ? here.figures[k] : JSON.parse(line)));
  here.lines = lines;
  const tell = { click: (point) => setStateValue("click", { ...point, at: Date.now() }) };
  showAll(here.charts, here.figures, parentElement.querySelector(".cvar-charts"), tell);
  return () => {
    mounted.delete(parentElement);
    for (const chart of here.charts) chart.remove();
  };
}
