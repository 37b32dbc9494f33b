// A chart as a file: with its finding and the problem, a legend, and light, whatever the page is, unless it is asked for
// as it is seen. The reader's zoom and hidden curves stay. LIGHT, each dark colour's light one, stands before this file.

const LEAST = { width: 860, height: 520 }; // px

function chartFile({ node, sent, done }, asSeen) {
  const page = getComputedStyle(node).getPropertyValue("--st-background-color");
  const seen = asSeen || node.data.some(({ type }) => type === "contour" || type === "heatmap"); // of too many colours
  const figure = seen ? structuredClone(sent.figure) : JSON.parse(inLight(JSON.stringify(sent.figure)));
  const { data, layout } = figure;
  for (const [axis, range] of Object.entries(done.ranges)) Object.assign(layout[axis], { range, autorange: false });
  const hidden = hidingOf(sent.key) ?? done.hidden;
  const drawn = data.filter((trace) => !hidden.has(group(trace)));
  let { width, height } = node._fullLayout;
  if (sent.file) {
    height += sent.file.top - layout.margin.t;
    [width, height] = [Math.max(width, LEAST.width), Math.max(height, LEAST.height)];
    Object.assign(layout, { title: sent.file.title, showlegend: true, margin: { ...layout.margin, t: sent.file.top } });
    if (!seen) layout.title = JSON.parse(inLight(JSON.stringify(layout.title)));
  }
  layout.paper_bgcolor = seen ? page : "#ffffff";
  return { picture: { data: drawn, layout }, width, height };
}

function inLight(text) {
  return Object.entries(LIGHT).reduce((written, [dark, light]) => written.replaceAll(dark, light), text);
}
