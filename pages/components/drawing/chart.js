// Draws a figure, and then each next one into the same node, so that what the reader did to the chart stays.
// Before it in one module stand sketch.js and what a chart has beside its curves, and after it what mounts charts:
// mount.js for those of a script, sending/live.js for the stream's.

const FIRST = 200; // ms in which all that the page has at first is sketched: a browser that reads plotly.js does nothing else

function loadPlotly(address) {
  window.cvarPlotly ??= new Promise((succeed, fail) => {
    const script = document.createElement("script");
    script.src = new URL(address, document.baseURI).href;
    // A server without the file may answer with a page that is no script.
    script.onload = () => (window.Plotly ? succeed() : fail(new Error("no plotly.js in it")));
    script.onerror = () => fail(new Error("it is not there"));
    setTimeout(() => document.head.append(script), FIRST);
  });
  return window.cvarPlotly; // one for the whole page
}

// Makes as many charts as there are figures, and has each show its own; done when all are drawn. `tell` has whom to call
// for a point that is clicked and, where there is one to move, for the line of your λ.
function showAll(charts, figures, mount, tell) {
  while (charts.length > figures.length) charts.pop().remove();
  while (charts.length < figures.length) charts.push(new Chart(mount));
  return Promise.all(
    charts.map((chart, place) => {
      chart.tell = tell; // the newest knows which fragment to run
      return chart.show(figures[place]);
    }),
  );
}

// What the reader did to charts that have just left the page, by their keys: Streamlit may take a chart away and build
// it anew when the number of elements above it changes.
const left = new Map();
const REMEMBERED = 3000; // ms
const NARROW = 430; // px, as on a phone

class Chart {
  constructor(mount) {
    const part = (name) => Object.assign(document.createElement("div"), { className: `cvar-${name}` });
    this.place = part("place");
    this.node = part("chart");
    this.words = { title: part("title"), caption: part("caption") };
    this.numbers = new Numbers();
    this.stage = part("stage");
    this.stage.append(this.node);
    const [heading, readout] = [part("heading"), part("readout")];
    heading.append(this.words.title, readout);
    this.place.append(heading, this.stage, this.words.caption, this.numbers.node);
    mount.append(this.place);
    this.drawings = 0;
    this.said = readout;
    this.hide = ({ detail }) => this.sent?.key.startsWith(`${detail}-`) && this.draw(this.sent);
    window.addEventListener("cvar-hide", this.hide);
    // A finger's swipe scrolls the page: plotly would take it for a zoom. What a tap means comes as a click, too.
    this.stage.addEventListener("touchstart", (event) => event.target.closest(".cvar-grip") || event.stopPropagation(), true);
  }

  async show(sent) {
    if (sent === this.newest) return;
    this.newest = sent;
    this.place.className = `cvar-place st-key-${sent.key}`; // as Streamlit names an element of its own
    this.node.style.height = `var(--cvar-height, ${sent.height}px)`; // a place may have another, by the window's
    for (const [name, place] of Object.entries(this.words)) if (place.textContent !== sent[name]) place.textContent = sent[name];
    this.numbers.of(sent);
    // A picture's insides are hidden from those who listen, and would hide the buttons with them.
    this.node.setAttribute("role", sent.plain ? "img" : "figure");
    this.node.setAttribute("aria-label", sent.label);
    const { figure, lam } = withoutMark(sent);
    if (sent.grid) this.mark ??= new Mark(this.stage, this.node, (lam, last) => this.tell.move?.(lam, last));
    this.mark?.show(lam, sent.grid);
    const text = sent.readout && JSON.stringify(figure);
    if (text && text === this.text && this.sent) {
      this.sent = sent; // all that is new are words and your λ
      return;
    }
    this.text = text;
    if (window.Plotly) {
      await this.draw(sent);
      return;
    }
    sketch(this.node, sent.figure); // and ready for the next one
    const fails = "The chart cannot be shown: plotly.js did not load. Reload the page to try again.";
    loadPlotly(sent.plotly).then(
      () => sent === this.newest && this.draw(sent),
      () => (this.node.textContent = fails),
    );
  }

  get plotly() {
    return window.Plotly;
  }

  draw(sent) {
    clearTimeout(this.waiting);
    if (this.removed) return undefined;
    if (this.node._dragging) {
      // A new figure would end the reader's drag.
      this.waiting = setTimeout(() => this.draw(sent), 100);
      return undefined;
    }
    this.sent = sent;
    this.done ??= left.get(sent.key) ?? { ranges: {}, hidden: new Set() };
    const { data, layout } = structuredClone(withoutMark(sent).figure); // plotly writes into what it gets
    for (const trace of data) if (trace.uid) trace.uid = selectable(trace.uid);
    this.readOut(data, sent);
    this.keepZoom(layout);
    this.keepHidden(data);
    this.fit(layout);
    this.node.querySelector(".cvar-sketch")?.remove();
    const drawing = this.finish(this.plotly.react(this.node, data, layout, (this.config ??= this.configure())));
    if (!this.drawings++) this.listen();
    for (const drawn of this.node.querySelectorAll(".main-svg")) drawn.setAttribute("aria-hidden", "true"); // the label and the numbers say it
    return drawing;
  }

  // Plotly draws in several turns, and fails in a later one if the chart has left the page meanwhile.
  finish(drawing) {
    return drawing.catch((why) => {
      if (!this.removed) throw why;
    });
  }

  // Plotly's own uirevision forgets a zoom as soon as a figure comes with another range, so it is told that each
  // figure's axes are new, and gets the range to show.
  keepZoom(layout) {
    layout.uirevision ??= "kept"; // zoom or pan, as chosen last
    for (const axis of Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key))) {
      layout[axis].uirevision = this.drawings;
      if (this.done.ranges[axis]) Object.assign(layout[axis], { range: [...this.done.ranges[axis]], autorange: false });
    }
  }

  // By group and not by curve, because a hidden method may get its first triangle later.
  keepHidden(data) {
    this.noteHidden();
    const hidden = hidingOf(this.sent.key) ?? this.done.hidden;
    for (const trace of data) if (hidden.has(group(trace))) trace.visible = "legendonly";
  }

  // What is said above the chart needs no box over it; its points can be clicked all the same.
  readOut(data, { readout }) {
    if (!readout) return;
    this.readout ??= new Readout(this.stage, this.node, this.said);
    this.readout.says = readout;
    for (const trace of data) {
      if (trace.hoverinfo === "skip") continue;
      trace.hoverinfo = "none";
      delete trace.hovertemplate;
      delete trace.text;
    }
  }

  noteHidden() {
    const drawn = this.node._fullData;
    if (drawn) this.done.hidden = new Set(drawn.filter((trace) => trace.visible === "legendonly").map(group));
  }

  fit(layout) {
    this.larger = larger();
    if (this.larger > 1) enlarge(layout, this.larger);
    delete layout.width;
    delete layout.height;
    layout.autosize = true;
    if (this.node.offsetWidth < NARROW && layout.xaxis?.nticks > 5) layout.xaxis.nticks = 5; // or they run together
    this.thinTicks(layout);
    this.shortenTitle(layout);
    const quiet = layout.xaxis?.tickfont?.color ?? layout.font?.color;
    layout.modebar = { bgcolor: "rgba(0, 0, 0, 0)", color: quiet, activecolor: layout.font?.color, ...layout.modebar };
  }

  // No more numbers beside a low axis than there is room for.
  thinTicks({ yaxis, margin, font }) {
    if (!yaxis?.nticks || !margin) return;
    const [low, high] = yaxis.domain ?? [0, 1];
    const room = (this.node.offsetHeight - margin.t - margin.b) * (high - low);
    yaxis.nticks = Math.max(2, Math.min(yaxis.nticks, Math.floor(room / (1.5 * (yaxis.tickfont?.size ?? font?.size ?? 15)))));
  }

  // Beside a low axis stands as much of its name as there is room for: the formula alone says it, too.
  shortenTitle({ yaxis, margin, font }) {
    const { text, font: own } = yaxis?.title ?? {};
    if (!text || !margin) return;
    const [low, high] = yaxis.domain ?? [0, 1];
    const height = this.node.offsetHeight;
    const middle = margin.b + ((height - margin.t - margin.b) * (low + high)) / 2;
    const letters = (2 * Math.min(middle, height - middle)) / (0.55 * (own?.size ?? font?.size ?? 15));
    const names = [text, text.replace(/^final /, ""), text.replace(/^[a-z ]+ (?=[A-Z])/, "")];
    yaxis.title.text = names.find((name) => name.length <= letters) ?? names.at(-1);
  }

  reset() {
    this.press = undefined; // a double click is none on the point that comes to lie under it
    this.done.ranges = {};
    this.draw(this.sent);
  }

  listen() {
    this.node.on("plotly_relayout", (changes) => {
      for (const change of Object.keys(changes)) {
        const axis = change.match(/^([xy]axis\d*)\.range/);
        if (axis) this.done.ranges[axis[1]] = [...this.node._fullLayout[axis[1]].range];
      }
    });
    this.node.on("plotly_doubleclick", () => this.reset());
    for (const event of ["plotly_afterplot", "plotly_relayouting"]) this.node.on(event, () => this.mark?.put());
    this.mark?.put();
    this.listenToLegend();
    this.listenToClicks();
    this.resizing = new ResizeObserver(() => {
      const { offsetWidth: width, offsetHeight: height, _fullLayout: drawn } = this.node;
      const asHigh = height === Math.round(drawn.height); // what the window leaves is no whole number
      if (!width || (width === Math.round(drawn.width) && asHigh)) return;
      if (this.larger === larger() && asHigh) this.finish(this.plotly.Plots.resize(this.node));
      else this.draw(this.sent); // what stands beside the axes depends on it
    });
    this.resizing.observe(this.node);
  }

  // Where a page has cards, a legend hides what they hide.
  listenToLegend() {
    const page = () => this.sent.key.split("-")[0];
    const ours = (trace) => hidingOf(this.sent.key) && trace.meta;
    this.node.on("plotly_legendclick", ({ curveNumber, fullData }) => {
      if (!ours(fullData[curveNumber])) return true;
      toggleOnPage(page(), group(fullData[curveNumber]));
      return false;
    });
    this.node.on("plotly_legenddoubleclick", ({ curveNumber, fullData }) => {
      if (!ours(fullData[curveNumber])) return true;
      const others = fullData.filter(ours).map(group).filter((each) => each !== group(fullData[curveNumber]));
      hideOnPage(page(), others.every((each) => hidingOf(this.sent.key).has(each)) ? [] : others);
      return false;
    });
  }

  // Plotly forgets the point under the pointer, and with it the click, when the button goes down right after a drawing:
  // so the point is noted first, and the first to report the click, plotly or the browser, is believed.
  listenToClicks() {
    const send = (point) => {
      const method = point?.data.meta;
      if (this.press && method) this.tell.click({ chart: this.sent.key, method, x: point.x, y: point.y });
      this.press = undefined;
    };
    const browsers = ({ target }) => target.matches(".nsewdrag") && this.press?.point && send(this.press.point);
    this.node.addEventListener("pointerdown", () => (this.press = { point: this.node._hoverdata?.[0] }), true);
    this.node.addEventListener("click", browsers, true);
    this.node.on("plotly_click", ({ points }) => send(this.press?.point ?? points[0]));
  }

  // One object for the chart's life: plotly builds a chart anew when its configuration changes.
  configure() {
    if (this.sent.plain) return { staticPlot: true };
    const { Icons } = this.plotly;
    const reset = { name: "reset", title: "Reset the axes", icon: Icons.home, click: () => this.reset() };
    const download = (format, scale) => ({
      name: format,
      title: `Download as ${format.toUpperCase()}, with Shift as it is seen here`,
      icon: lettered(format.toUpperCase()),
      click: (_, { shiftKey }) => this.download(format, scale, shiftKey),
    });
    return {
      displaylogo: false,
      doubleClick: false, // ours resets to the newest figure, plotly's to the first
      modeBarButtons: [["zoom2d", "pan2d", reset], [download("svg", 1), download("png", 2)]],
    };
  }

  download(format, scale, asSeen) {
    this.noteHidden();
    const { picture, width, height } = chartFile(this, asSeen);
    return this.plotly.downloadImage(picture, { format, scale, width, height, filename: this.sent.name });
  }

  remove() {
    this.removed = true;
    clearTimeout(this.waiting);
    window.removeEventListener("cvar-hide", this.hide);
    this.readout?.remove();
    if (this.drawings) {
      this.resizing.disconnect();
      this.noteHidden();
      left.set(this.sent.key, this.done);
      setTimeout(() => left.delete(this.sent.key), REMEMBERED);
      this.plotly.purge(this.node);
    }
    this.place.remove();
  }
}

// Plotly looks for what belongs to a curve that is no longer there by its name, as a selector: not every name is one.
function selectable(uid) {
  try {
    document.createDocumentFragment().querySelector(`.cb${uid}`);
    return uid;
  } catch {
    return uid.replace(/[^\w-]/g, "-");
  }
}

// How much larger than usual text is: a style sheet says it (see present.css).
const larger = () => Number(getComputedStyle(document.documentElement).getPropertyValue("--cvar-larger")) || 1;

// Makes all fonts of a layout larger, and its margins with them.
function enlarge(part, factor) {
  for (const [name, value] of Object.entries(part)) {
    if (!value || typeof value !== "object") continue;
    if (/font$/.test(name) && value.size) value.size *= factor;
    if (name === "margin") for (const side of "lrtb") if (value[side]) value[side] *= factor;
    enlarge(value, factor);
  }
}

// Where your λ can be moved, its line is not plotly's.
function withoutMark({ figure, grid }) {
  if (!grid) return { figure };
  const { shapes = [], annotations = [] } = figure.layout;
  const [others, words] = [shapes, annotations].map((each) => each.filter(({ name }) => name !== "mark"));
  const layout = { ...figure.layout, shapes: others, annotations: words };
  return { figure: { ...figure, layout }, lam: shapes.find(({ name }) => name === "mark")?.x0 };
}

const group = (trace) => trace.legendgroup || trace.uid;

// Plotly has one camera for all formats.
function lettered(text) {
  const letters = `<text x="21" y="18" text-anchor="middle" font-family="sans-serif" font-size="17">${text}</text>`;
  return { svg: `<svg xmlns="http://www.w3.org/2000/svg" class="icon" viewBox="0 0 42 24">${letters}</svg>` };
}
