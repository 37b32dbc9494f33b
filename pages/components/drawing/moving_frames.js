// A slider over frames that were computed ahead: what it moves is drawn here, and the server hears only where it stopped.
// Before it in one module stand sketch.js, chart.js and haste.js.

const REST = 250; // ms without a move, after which plotly draws: slower, but with all that it can do
const PACE = 450; // ms for each frame of a play
const mounted = new WeakMap();

export default function ({ parentElement, data, setStateValue }) {
  if (!mounted.has(parentElement)) mounted.set(parentElement, new Frames(parentElement.querySelector(".cvar-frames")));
  const here = mounted.get(parentElement);
  here.report = (frame) => setStateValue("at", { frame, time: Date.now() });
  here.click = (point) => setStateValue("click", { ...point, at: Date.now() });
  here.take(new TextDecoder().decode(data));
  return () => {
    mounted.delete(parentElement);
    here.remove();
  };
}

// A chart of many frames: the first is whole, and the others say what differs from it.
class MovingChart extends Chart {
  take({ figure, frames, ...about }) {
    Object.assign(this, { whole: figure, frames, about, figures: [] });
    const moves = ({ uid }) => frames.some(({ data }) => data[uid]);
    this.hastes = figure.data.every((trace) => KNOWN.includes(trace.type) || !moves(trace));
  }

  at(k) {
    const { data, layout } = this.frames[k] ?? { data: {}, layout: {} };
    return (this.figures[k] ??= {
      data: this.whole.data.map((trace) => (data[trace.uid] ? { ...trace, ...data[trace.uid] } : trace)),
      layout: { ...this.whole.layout, ...layout },
    });
  }

  go(k) {
    if (this.unseen) return; // until it is, or the slider rests
    if (this.drawings && this.hastes && this.frames.length) {
      this.noteHidden();
      drawInHaste(this.node, this.at(k), this.done);
    } else if (this.frames.length || !this.newest) this.rest(k);
  }

  // Plotly's own drawing of the frame, if it is not there already.
  async rest(k) {
    const figure = this.at(k);
    if (this.rested !== figure) await this.show({ ...this.about, label: this.about.labels[k] ?? this.about.labels[0], figure });
    this.rested = figure;
  }

  draw(sent) {
    const drawing = super.draw(sent);
    return drawing?.then(() => {
      this.node._fullLayout._cvarMarks = { shapes: sent.figure.layout.shapes, annotations: sent.figure.layout.annotations };
      if (sent === this.newest) endHaste(this.node);
    });
  }

  // With the frame that is shown, though plotly may not have drawn it yet.
  async download(format, scale, asSeen) {
    await this.rest(this.owner.at);
    return super.download(format, scale, asSeen);
  }
}

class Frames {
  constructor(mount) {
    this.mount = mount;
    this.charts = new Map();
    this.bar = element("div", "cvar-frames-bar");
    this.play = element("button", "cvar-frames-play", { type: "button" });
    this.back = element("button", "cvar-frames-step", { type: "button", "aria-label": "One back", textContent: "‹" });
    this.on = element("button", "cvar-frames-step", { type: "button", "aria-label": "One on", textContent: "›" });
    this.slider = element("input", "", { type: "range", min: 0, step: 1 });
    this.says = element("output", "cvar-frames-label");
    this.hears = element("div", "cvar-frames-heard", { role: "status" }); // for who cannot see the pictures
    this.bar.append(this.play, this.back, this.slider, this.on, this.says);
    this.panels = element("div", "cvar-panels");
    mount.append(this.bar, this.panels, this.hears);
    this.watch = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) target.chart.unseen = !isIntersecting;
    });
    this.slider.addEventListener("input", () => this.move(Number(this.slider.value)));
    this.slider.addEventListener("change", () => this.tell());
    this.back.addEventListener("click", () => this.move(this.at - 1, true));
    this.on.addEventListener("click", () => this.move(this.at + 1, true));
    this.play.addEventListener("click", () => (this.playing ? this.pause() : this.start()));
  }

  take(text) {
    if (text === this.text) return;
    this.text = text;
    this.sent = JSON.parse(text);
    const { name, labels, plays, least, begin, panels } = this.sent;
    this.pause(false);
    this.slider.max = labels.length - 1;
    this.slider.setAttribute("aria-label", name);
    this.play.hidden = !plays;
    this.panels.style.setProperty("--least", `${least}px`);
    this.panels.style.setProperty("--columns", Math.max(panels.filter(({ wide }) => !wide).length, 1));
    this.words = [];
    const kept = new Set();
    const places = panels.map((panel) => this.panel(panel, kept));
    for (const [key, chart] of this.charts) if (!kept.has(key)) this.charts.delete(key) && chart.remove();
    this.panels.replaceChildren(...places);
    this.want = this.told = Math.min(begin, labels.length - 1);
    this.show(this.told, false);
    this.rest();
  }

  panel({ above, below, pictures, wide }, kept) {
    const place = element("section", wide ? "cvar-panel cvar-panel-wide" : "cvar-panel");
    const words = (texts, name) => {
      if (texts.length) this.words.push([place.appendChild(element("div", `cvar-panel-${name}`)), texts]);
    };
    words(above, "above");
    for (const picture of pictures) {
      if (!this.charts.has(picture.key)) {
        const made = new MovingChart(place);
        made.place.chart = made;
        this.watch.observe(made.place);
        this.charts.set(picture.key, made);
      }
      const chart = this.charts.get(picture.key);
      place.append(chart.place);
      chart.owner = this;
      chart.tell = { click: (point) => this.click(point) };
      chart.take(picture);
      kept.add(picture.key);
    }
    words(below, "below");
    place.style.setProperty("--parts", place.childElementCount);
    return place;
  }

  // At most once for each picture of the screen.
  move(k, tell = false) {
    this.want = Math.max(0, Math.min(k, this.sent.labels.length - 1));
    this.next ??= requestAnimationFrame(() => {
      this.next = undefined;
      if (!this.removed) this.show(this.want);
    });
    clearTimeout(this.resting);
    if (!this.playing) this.resting = setTimeout(() => this.rest(), REST);
    if (tell) this.tell();
  }

  show(k, draw = true) {
    const { labels } = this.sent;
    this.at = k;
    this.slider.value = k;
    this.slider.style.setProperty("--done", `${(100 * k) / Math.max(labels.length - 1, 1)}%`);
    this.slider.setAttribute("aria-valuetext", labels[k]);
    this.says.textContent = labels[k];
    this.back.disabled = k === 0;
    this.on.disabled = k === labels.length - 1;
    this.play.textContent = this.playing ? "Pause" : "Play";
    for (const [place, texts] of this.words) {
      const text = texts[k] ?? texts[0];
      if (place.said !== text) place.innerHTML = place.said = text;
    }
    if (draw) for (const chart of this.charts.values()) chart.go(k);
    this.mount.dataset.at = k; // drawn
  }

  // One chart after another, and none if there is a move in between.
  async rest() {
    const k = this.at;
    for (const chart of [...this.charts.values()]) {
      if (this.removed || this.playing || this.next || this.at !== k) return;
      await chart.rest(k);
      await new Promise((goOn) => setTimeout(goOn));
    }
    this.hears.textContent = this.words.filter(([place]) => place.matches(".cvar-panel-above")).map(([place]) => place.textContent).join(". ");
  }

  start() {
    if (this.at === this.sent.labels.length - 1) this.show(0);
    this.playing = setInterval(() => {
      if (this.at >= this.sent.labels.length - 1) this.pause();
      else this.move(this.at + 1);
    }, PACE);
    this.play.textContent = "Pause";
  }

  pause(tell = true) {
    if (!this.playing) return;
    clearInterval(this.playing);
    this.playing = undefined;
    this.play.textContent = "Play";
    this.rest();
    if (tell) this.tell();
  }

  // Arrow keys change the slider many times a second.
  tell() {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      if (!this.removed && this.told !== this.want) this.report((this.told = this.want));
    }, REST);
  }

  remove() {
    this.removed = true;
    clearInterval(this.playing);
    this.watch.disconnect();
    for (const chart of this.charts.values()) chart.remove();
  }
}

function element(kind, name, attributes = {}) {
  const node = document.createElement(kind);
  if (name) node.className = name;
  for (const [key, value] of Object.entries(attributes)) key in node ? (node[key] = value) : node.setAttribute(key, value);
  return node;
}
