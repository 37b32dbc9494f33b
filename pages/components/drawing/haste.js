// A figure's curves drawn over plotly's chart, in its axes, as plain SVG. Plotly takes 15 to 30 ms for a chart, and a page
// has many; this takes less than one. What plotly drew of the same stays hidden meanwhile, and draws it again at rest.

const DASHES = { dot: [1, 1], dash: [3, 3], longdash: [5, 5], dashdot: [3, 1, 1, 1], longdashdot: [5, 2, 1, 2] }; // plotly's

const KNOWN = ["scatter", "bar", undefined]; // types of traces that can be drawn so

function drawInHaste(node, { data, layout }, { ranges, hidden }) {
  const full = node._fullLayout;
  const axis = (id) => {
    const name = `${id[0]}axis${id.slice(1)}`;
    const { _offset: offset, _length: length, type, range: drawn } = full[name];
    const range = ranges[name] ?? layout[name]?.range ?? drawn;
    const share = (value) => ((type === "log" ? Math.log10(value) : value) - range[0]) / (range[1] - range[0]);
    const at = id[0] === "x" ? (value) => offset + length * share(value) : (value) => offset + length * (1 - share(value));
    const moved = range.some((end, k) => Math.abs(end - drawn[k]) > 1e-9 * Math.abs(range[1] - range[0]));
    return { ...layout[name], id, at, offset, length, type, range, moved };
  };
  const axes = {};
  for (const name of Object.keys(full)) if (/^[xy]axis\d*$/.test(name)) axes[name.replace("axis", "")] = axis(name.replace("axis", ""));
  const shown = data.filter((trace) => ![false, "legendonly"].includes(trace.visible) && !hidden.has(group(trace)) && KNOWN.includes(trace.type));
  const parts = [];
  const clips = new Map();
  const over = node.querySelector(":scope > .cvar-haste") ?? overlay(node);
  const inside = (x, y, drawn) => {
    const id = `${node.dataset.haste}-${x.id}${y.id}`;
    clips.set(id, `<clipPath id="${id}"><rect x="${x.offset}" y="${y.offset}" width="${x.length}" height="${y.length}"/></clipPath>`);
    parts.push(`<g clip-path="url(#${id})">${drawn}</g>`);
  };
  const marked = marksMoved(full, layout);
  const shapes = marked ? (layout.shapes ?? []) : [];
  parts.push(...shapes.filter(({ layer }) => layer === "below").map((shape) => shapeOf(shape, axes)));
  for (const each of Object.values(axes)) if (each.moved) parts.push(ticksOf(each, axes));
  const stacks = {};
  let last;
  for (const trace of shown) {
    const x = axes[trace.xaxis ?? "x"];
    const y = axes[trace.yaxis ?? "y"];
    inside(x, y, trace.type === "bar" ? bars(trace, x, y, layout, stacks) : curve(trace, x, y, last));
    last = trace;
  }
  parts.push(...shapes.filter(({ layer }) => layer !== "below").map((shape) => shapeOf(shape, axes)));
  if (marked) parts.push(...(layout.annotations ?? []).map((each) => noteOf(each, axes, layout)));
  over.style.fontFamily = layout.font?.family ?? "";
  over.innerHTML = `<defs>${[...clips.values()].join("")}</defs>${parts.join("")}`;
  const moved = Object.values(axes).filter((each) => each.moved).map((each) => `cvar-hasty-${each.id}`);
  setHasty(node, ["cvar-hasty", ...(marked ? ["cvar-hasty-marks"] : []), ...moved]);
}

function endHaste(node) {
  node.querySelector(":scope > .cvar-haste")?.replaceChildren();
  setHasty(node, []);
}

let hastes = 0;
function overlay(node) {
  node.dataset.haste = `cvar-haste-${hastes++}`;
  const made = part("svg", { class: "cvar-haste", "aria-hidden": "true" });
  node.append(made);
  return made;
}

function setHasty(node, classes) {
  for (const name of [...node.classList]) if (name.startsWith("cvar-hasty") && !classes.includes(name)) node.classList.remove(name);
  node.classList.add(...classes);
}

const same = (a, b) => JSON.stringify(a ?? []) === JSON.stringify(b ?? []);

function marksMoved(full, layout) {
  const drawn = full._cvarMarks;
  return !drawn || !same(drawn.shapes, layout.shapes) || !same(drawn.annotations, layout.annotations);
}

function curve(trace, x, y, before) {
  const { mode = "lines", line = {}, fill, opacity = 1 } = trace;
  const d = outline(...stepped(trace), x.at, y.at);
  const drawn = [];
  if (fill && fill !== "none" && d) {
    const closed = {
      toself: `${d}Z`,
      tozeroy: `${d}V${y.at(y.type === "log" ? 10 ** y.range[0] : 0).toFixed(1)}H${x.at(trace.x[0]).toFixed(1)}Z`,
      tonexty: before && `${d}${outline([...before.x].reverse(), [...before.y].reverse(), x.at, y.at).replace("M", "L")}Z`,
    }[fill];
    if (closed) drawn.push(`<path d="${closed}" fill="${trace.fillcolor ?? line.color}" stroke="none"/>`);
  }
  if (/lines/.test(mode) && line.width !== 0) drawn.push(`<path d="${d}" fill="none" ${stroke(line)}/>`);
  if (/markers/.test(mode)) drawn.push(markers(trace, x, y));
  if (/text/.test(mode)) drawn.push(texts(trace, x, y));
  return `<g opacity="${opacity}">${drawn.join("")}</g>`;
}

function stepped({ x = [], y = [], line = {} }) {
  if (line.shape !== "hv") return [x, y];
  return [x.flatMap((value, k) => (k ? [value, value] : [value])), y.flatMap((value, k) => (k ? [y[k - 1], value] : [value]))];
}

function stroke({ color = "currentColor", width = 2, dash }) {
  const unit = Math.max(width, 3);
  const dashes = DASHES[dash]?.map((length) => length * unit).join(" ") ?? "none";
  return `stroke="${color}" stroke-width="${width}" stroke-dasharray="${dashes}"`;
}

const each = (value, k, usual) => (Array.isArray(value) ? value[k] : value) ?? usual;

function markers({ x, y, marker = {} }, across, up) {
  const drawn = [];
  for (let k = 0; k < x.length; k++) {
    const size = each(marker.size, k, 6);
    const place = [across.at(x[k]), up.at(y[k])];
    if (!size || x[k] === null || y[k] === null || !place.every(Number.isFinite)) continue;
    const symbol = String(each(marker.symbol, k, "circle"));
    const colour = each(marker.color, k, "currentColor");
    const edge = marker.line ?? {};
    const open = symbol.includes("-open");
    const look = open
      ? `fill="none" stroke="${colour}" stroke-width="${each(edge.width, k, 1)}"`
      : `fill="${colour}" stroke="${each(edge.color, k, "none")}" stroke-width="${each(edge.width, k, 0)}"`;
    const turn = marker.angleref === "previous" && k ? heading(across.at(x[k - 1]), up.at(y[k - 1]), ...place) : 0;
    const at = `translate(${place.map((value) => value.toFixed(1)).join(" ")}) rotate(${turn.toFixed(1)})`;
    drawn.push(`<path d="${symbolOf(symbol.replace("-open", ""), size / 2)}" transform="${at}" opacity="${each(marker.opacity, k, 1)}" ${look}/>`);
  }
  return drawn.join("");
}

const heading = (x0, y0, x1, y1) => (Math.atan2(x1 - x0, y0 - y1) * 180) / Math.PI;

function symbolOf(name, r) {
  const polygon = (points) => `M${points.map(([a, b]) => `${(a * r).toFixed(2)},${(b * r).toFixed(2)}`).join("L")}Z`;
  const round = (corners, radius, turn = 0) =>
    polygon([...Array(corners).keys()].map((k) => {
      const angle = turn + (2 * Math.PI * k) / corners - Math.PI / 2;
      const out = Array.isArray(radius) ? radius[k % 2] : radius;
      return [out * Math.cos(angle), out * Math.sin(angle)];
    }));
  const plus = [[-1, -0.4], [-0.4, -0.4], [-0.4, -1], [0.4, -1], [0.4, -0.4], [1, -0.4], [1, 0.4], [0.4, 0.4], [0.4, 1], [-0.4, 1], [-0.4, 0.4], [-1, 0.4]];
  const turned = plus.map(([a, b]) => [(a - b) * 0.85, (a + b) * 0.85]);
  const known = {
    square: () => polygon([[-1, -1], [1, -1], [1, 1], [-1, 1]]),
    diamond: () => polygon([[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]]),
    "triangle-up": () => polygon([[0, -1.15], [1, 0.58], [-1, 0.58]]),
    "triangle-down": () => polygon([[0, 1.15], [1, -0.58], [-1, -0.58]]),
    cross: () => polygon(plus),
    x: () => polygon(turned),
    star: () => round(10, [1.4, 0.53]),
    hexagon: () => round(6, 1),
    pentagon: () => round(5, 1),
    arrow: () => polygon([[0, 0], [-0.62, 1.9], [0.62, 1.9]]),
    "line-ns": () => `M0,${r}V${-r}`,
    "line-ew": () => `M${r},0H${-r}`,
  };
  return (known[name] ?? (() => `M${r},0A${r},${r} 0 1,1 0,${-r}A${r},${r} 0 0,1 ${r},0Z`))();
}

function texts({ x, y, text, textposition = "middle center", textfont = {} }, across, up) {
  return x.map((value, k) => {
    const [down, side] = each(textposition, k).split(" ");
    const anchor = { left: "end", right: "start" }[side] ?? "middle";
    const dy = { top: -8, bottom: 18 }[down] ?? 5;
    const dx = { left: -6, right: 6 }[side] ?? 0;
    return word(each(text, k, ""), across.at(value) + dx, up.at(y[k]) + dy, anchor, { size: 15, ...textfont });
  }).join("");
}

function bars(trace, x, y, { barmode, bargap = 0.2 }, stacks) {
  const gap = trace.x.length > 1 ? Math.min(...trace.x.slice(1).map((value, k) => Math.abs(value - trace.x[k]))) * (1 - bargap) : 1;
  return trace.x.map((value, k) => {
    const [wide, high] = [each(trace.width, k, gap), trace.y[k] ?? 0];
    const low = barmode === "stack" ? (stacks[value] ?? 0) : each(trace.base, k, 0);
    stacks[value] = low + high;
    const [left, right, top, bottom] = [x.at(value - wide / 2), x.at(value + wide / 2), y.at(low + high), y.at(low)];
    const size = `width="${Math.max(right - left, 0).toFixed(2)}" height="${Math.max(bottom - top, 0).toFixed(2)}"`;
    return `<rect x="${left.toFixed(2)}" y="${top.toFixed(2)}" ${size} fill="${each(trace.marker?.color, k, "currentColor")}"/>`;
  }).join("");
}

// A number is in its axis, or a share of the whole plot.
function placed(ref, value, axes, id) {
  if (ref !== "paper") return axes[ref ?? id].at(value);
  const own = Object.values(axes).filter((one) => one.id[0] === id);
  const [start, end] = [Math.min(...own.map((one) => one.offset)), Math.max(...own.map((one) => one.offset + one.length))];
  return id === "x" ? start + value * (end - start) : end - value * (end - start);
}

function shapeOf({ type, x0, x1, y0, y1, xref, yref, line = {}, fillcolor = "none", opacity = 1 }, axes) {
  const [left, right] = [x0, x1].map((value) => placed(xref, value, axes, "x"));
  const [top, bottom] = [y0, y1].map((value) => placed(yref, value, axes, "y"));
  if (type === "line") return `<path d="M${left},${top}L${right},${bottom}" fill="none" opacity="${opacity}" ${stroke(line)}/>`;
  const corner = `x="${Math.min(left, right)}" y="${Math.min(top, bottom)}"`;
  return `<rect ${corner} width="${Math.abs(right - left)}" height="${Math.abs(bottom - top)}" fill="${fillcolor}" opacity="${opacity}" ${stroke({ ...line, width: line.width ?? 0 })}/>`;
}

function noteOf({ text, x, y, xref, yref, xanchor, yanchor, xshift = 0, yshift = 0, font }, axes, layout) {
  const inLog = (ref, id, value) => (axes[ref ?? id]?.type === "log" ? 10 ** value : value); // plotly's notes are in powers there
  const left = placed(xref, inLog(xref, "x", x), axes, "x") + xshift;
  const size = font?.size ?? layout.font?.size ?? 12;
  const drop = { top: 0.95 * size + 2, bottom: -0.3 * size - 2 }[yanchor] ?? 0.35 * size;
  const anchor = { left: "start", right: "end" }[xanchor] ?? "middle";
  return word(text, left, placed(yref, inLog(yref, "y", y), axes, "y") - yshift + drop, anchor, { color: layout.font?.color, ...font, size });
}

function word(text, x, y, anchor, { size, color = "currentColor" }) {
  const plain = String(text).replace(/<[^>]*>/g, "").replace(/&(?!\w+;)/g, "&amp;").replace(/</g, "&lt;");
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" font-size="${size}" fill="${color}">${plain}</text>`;
}

// The ticks that plotly will set at rest, or near to it.
function ticksOf(axis, axes) {
  const { id, at, range, offset, length, type, tickfont = {}, tickcolor = "currentColor", gridcolor, showgrid } = axis;
  const other = axes[id[0] === "x" ? id.replace("x", "y") : id.replace("y", "x")] ?? axes[id[0] === "x" ? "y" : "x"];
  const size = tickfont.size ?? 12;
  return valuesOf(axis).map(({ value, text }) => {
    const place = at(type === "log" ? 10 ** value : value);
    if (!(place >= offset - 0.5 && place <= offset + length + 0.5)) return "";
    const [foot, left] = [other.offset + other.length, other.offset];
    if (id[0] === "x") {
      const grid = showgrid === false ? "" : `<path d="M${place},${other.offset}V${foot}" stroke="${gridcolor}"/>`;
      return `${grid}<path d="M${place},${foot}v5" stroke="${tickcolor}"/>${word(text, place, foot + 8 + size, "middle", { size, ...tickfont })}`;
    }
    const grid = showgrid === false ? "" : `<path d="M${left},${place}H${left + other.length}" stroke="${gridcolor}"/>`;
    return `${grid}<path d="M${left},${place}h-5" stroke="${tickcolor}"/>${word(text, left - 8, place + 0.35 * size, "end", { size, ...tickfont })}`;
  }).join("");
}

function valuesOf({ range: [low, high], type, tickvals, ticktext, tickformat = "", nticks = 6 }) {
  if (tickvals) return tickvals.map((value, k) => ({ value, text: ticktext?.[k] ?? value }));
  const rough = (high - low) / nticks;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = power * [1, 2, 5, 10].find((factor) => factor * power >= 0.999999 * rough);
  if (type === "log") step = Math.max(1, Math.round(step));
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + 1e-9 * step; value += step) {
    const round = Math.abs(value) < 1e-9 * step ? 0 : value;
    found.push({ value, text: type === "log" ? `10${raised(Math.round(value))}` : written(round, tickformat) });
  }
  return found;
}

const raised = (power) => String(power).replace(/./g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻");

function written(value, format) {
  const percent = format.includes("%");
  const text = (percent ? 100 * value : value).toLocaleString("en", { maximumSignificantDigits: 6, useGrouping: format.includes(",") });
  return `${text.replace("-", "−")}${percent ? "%" : ""}`;
}
