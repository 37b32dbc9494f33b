// A chart's frame and curves in plain SVG, where plotly will draw them: reading plotly.js takes a browser up to a second.

function sketch(node, { data, layout }) {
  const { xaxis, yaxis, margin } = layout;
  if (!xaxis?.range || !yaxis?.range || !margin) return; // plotly will find them
  const [width, height] = [node.offsetWidth, node.offsetHeight];
  const [bottom, top] = yaxis.domain ?? [0, 1];
  const inner = height - margin.t - margin.b;
  const at = (axis, from, to) => (value) => {
    const place = axis.type === "log" ? Math.log10(value) : value;
    return from + ((to - from) * (place - axis.range[0])) / (axis.range[1] - axis.range[0]);
  };
  const across = at(xaxis, margin.l, width - margin.r);
  const up = at(yaxis, height - margin.b - bottom * inner, height - margin.b - top * inner);

  const drawing = part("svg", { class: "cvar-sketch", width, height });
  const frame = `M${margin.l},${margin.t}V${height - margin.b}H${width - margin.r}`;
  drawing.append(part("path", { d: frame, fill: "none", stroke: xaxis.linecolor ?? "currentColor" }));
  const words = { fill: layout.font?.color ?? "currentColor", "font-size": xaxis.title?.font?.size ?? 14, "text-anchor": "middle" };
  const [middle, side] = [(margin.l + width - margin.r) / 2, margin.t + inner / 2];
  drawing.append(part("text", { ...words, x: middle, y: height - 10 }, xaxis.title?.text));
  drawing.append(part("text", { ...words, transform: `translate(16 ${side}) rotate(-90)` }, yaxis.title?.text));
  for (const trace of data) {
    if ((trace.type ?? "scatter") !== "scatter" || trace.yaxis || !/lines/.test(trace.mode ?? "lines")) continue;
    const d = outline(trace.x, trace.y, across, up);
    const filled = trace.fill === "toself";
    const colour = trace.line?.color ?? words.fill;
    const look = filled ? { fill: trace.fillcolor ?? "none" } : { fill: "none", stroke: colour, "stroke-width": trace.line?.width ?? 2 };
    if (d) drawing.append(part("path", { d, ...look, "data-uid": trace.uid }));
  }
  node.replaceChildren(drawing);
}

// A stretch of points for each part between those that are missing.
function outline(x, y, across, up) {
  let pen = "M";
  const steps = [];
  for (let k = 0; k < (x?.length ?? 0); k++) {
    const [right, down] = [across(x[k]), up(y[k])];
    const drawn = x[k] !== null && y[k] !== null && Number.isFinite(right) && Number.isFinite(down);
    if (drawn) steps.push(`${pen}${right.toFixed(1)},${down.toFixed(1)}`);
    pen = drawn ? "L" : "M";
  }
  return steps.join("");
}

function part(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text.replace(/<[^>]*>/g, "");
  return made;
}
