// The numbers behind a chart as a table, for those who cannot see it and those who want to read one off. It is made in
// the browser, from the figure, and only while it is open: it costs the server nothing.

const ROWS = 40; // at the most: of more, as many spread evenly
const ANEW = 3000; // ms between two tables of a chart that grows: who listens gets through a row

class Numbers {
  constructor() {
    this.node = made("details", { className: "cvar-numbers", hidden: true });
    this.summary = made("summary", { textContent: "Numbers" });
    // It may be wider than the page, and then it has to be scrolled by keys, too.
    this.place = made("div", { tabIndex: 0, role: "region" });
    this.node.append(this.summary, this.place);
    this.node.addEventListener("toggle", () => this.fill());
  }

  of(sent) {
    this.sent = sent;
    this.node.hidden = sent.plain || !listed(sent.figure).length;
    const about = sent.title || sent.label;
    this.summary.setAttribute("aria-label", `Numbers: ${about}`);
    this.place.setAttribute("aria-label", about || "Numbers");
    if (this.node.open) this.waiting ??= setTimeout(() => this.fill(), ANEW);
  }

  fill() {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    this.place.replaceChildren(...(this.node.open ? [table(this.sent.figure)] : []));
  }
}

// What a reader can point at and read: neither bands, nor rings, nor what lies beyond the chart.
function listed({ data }) {
  const curve = ({ type = "scatter", x, y, name, hoverinfo, fill, yaxis }) =>
    type === "scatter" && name && x?.length && y?.length && hoverinfo !== "skip" && !/toself|tonext/.test(fill ?? "") && yaxis !== "y2";
  return data.filter(curve);
}

function table(figure) {
  const curves = listed(figure);
  const beyond = figure.data.find(({ uid }) => uid === "triangles")?.name ?? "off the chart";
  const all = [...new Set(curves.flatMap(({ x }) => x.filter((value) => value !== null)))];
  if (all.every((value) => typeof value === "number")) all.sort((one, other) => one - other);
  const step = (all.length - 1) / (ROWS - 1);
  const rows = all.length > ROWS ? Array.from({ length: ROWS }, (_, k) => all[Math.round(k * step)]) : all;
  const heads = [words(figure.layout.xaxis?.title) || "x", ...curves.map(({ name }) => plain(name))];
  const head = row(heads.map((text) => made("th", { scope: "col", textContent: text })));
  const body = rows.map((value) => {
    const cells = curves.map(({ x, y, uid }) => {
      const height = y[x.indexOf(value)] ?? null;
      const raised = figure.data.find((each) => each.uid === uid?.replace(/-median$/, "-triangles") && each.uid !== uid);
      return made("td", { textContent: height !== null ? inDigits(height) : raised?.x.includes(value) ? beyond : "" });
    });
    return row([made("th", { scope: "row", textContent: inDigits(value) }), ...cells]);
  });
  const drawn = made("table", { className: "cvar-table" });
  const [top, rest] = [made("thead"), made("tbody")];
  top.append(head);
  rest.append(...body);
  drawn.append(made("caption", { textContent: words(figure.layout.yaxis?.title) }), top, rest);
  return drawn;
}

function row(cells) {
  const line = made("tr");
  line.append(...cells);
  return line;
}

const made = (tag, parts = {}) => Object.assign(document.createElement(tag), parts);
const words = (title) => plain(title?.text ?? title ?? "");
const plain = (text) => String(text).replace(/<[^>]*>/g, "");

// Three or four digits, and powers of ten as everywhere.
function inDigits(value) {
  if (typeof value !== "number") return plain(value);
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e6)) return value.toLocaleString("en", { maximumSignificantDigits: 4 });
  const [digits, power] = value.toExponential(2).split("e");
  const raised = String(Number(power)).replace(/./g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻");
  return Number(digits) === 1 ? `10${raised}` : `${Number(digits)}·10${raised}`;
}
