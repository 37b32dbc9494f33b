// Your λ in a chart: a line that is dragged by its handle, by itself where no point lies under the pointer, or by keys.

const NEAR = 6; // px from the line at which it is taken, and from a λ of the grid at which it snaps to that
const STEP = 0.05; // decades that an arrow key moves it
const HELD = 3000; // ms that it stays where it was let go, until the server says the same
const SETTLES = 600; // ms after the last key

class Mark {
  // `move` is told each λ, and with the last of them that it is the last.
  constructor(stage, node, move) {
    Object.assign(this, { node, move });
    this.line = Object.assign(document.createElement("div"), { className: "cvar-mark", hidden: true });
    this.grip = Object.assign(document.createElement("div"), { className: "cvar-grip", tabIndex: 0 });
    this.grip.setAttribute("role", "slider");
    this.grip.setAttribute("aria-label", "Your step size λ");
    this.grip.title = "Your step size λ: drag it, or use the arrow keys";
    this.line.append(this.grip);
    stage.append(this.line);
    this.grip.addEventListener("pointerdown", (event) => this.take(event));
    this.grip.addEventListener("keydown", (event) => this.press(event));
    stage.addEventListener("pointerdown", (event) => this.near(event) && this.take(event), true);
    stage.addEventListener("pointermove", (event) => stage.classList.toggle("cvar-near", this.near(event)));
  }

  get axis() {
    return this.node._fullLayout?.xaxis;
  }

  // Where a figure has the line, and between which λ it can be moved; no longer where there is none.
  show(lam, grid) {
    this.grid = grid;
    const held = this.dragged !== undefined || Date.now() < this.until;
    if (!held || lam === this.lam) this.lam = lam;
    this.put();
  }

  put() {
    const { axis, node } = this;
    const shown = axis && this.grid && this.lam > 0;
    const place = shown ? axis.d2p(this.lam) : NaN;
    this.line.hidden = !(place >= -1 && place <= axis?._length + 1);
    if (this.line.hidden) return;
    const { t, b } = node._fullLayout._size;
    Object.assign(this.line.style, { left: `${axis._offset + place}px`, top: `${t}px`, bottom: `${b}px` });
    // A handle that would leave the chart leans inwards.
    const lean = Math.min(Math.max(this.grip.offsetWidth / 2, axis._offset + place), node.offsetWidth - this.grip.offsetWidth / 2);
    this.grip.style.marginLeft = `${lean - axis._offset - place}px`;
    const text = `λ = ${threeDigits(this.lam)}`;
    if (this.grip.textContent !== text) this.grip.textContent = text;
    const say = { valuemin: this.grid[0], valuemax: this.grid.at(-1), valuenow: this.lam, valuetext: text };
    for (const [name, value] of Object.entries(say)) this.grip.setAttribute(`aria-${name}`, value);
  }

  near({ target, clientX, pointerType }) {
    const { axis, node } = this;
    if (!axis || this.line.hidden || pointerType === "touch" || !target.matches?.(".nsewdrag")) return false;
    const across = clientX - node.getBoundingClientRect().x - axis._offset;
    return Math.abs(across - axis.d2p(this.lam)) <= NEAR && !node._hoverdata?.length;
  }

  take(event) {
    if (event.button) return;
    event.preventDefault(); // or plotly would begin a zoom
    event.stopImmediatePropagation();
    this.grip.focus({ preventScroll: true });
    this.dragged = this.lam;
    this.grip.setPointerCapture(event.pointerId);
    const follow = ({ clientX }) => this.to(this.under(clientX), false);
    const end = (last) => {
      for (const [name, listener] of Object.entries(listeners)) this.grip.removeEventListener(name, listener);
      if (last.type === "pointercancel") this.lam = this.dragged;
      const moved = this.lam !== this.dragged;
      this.dragged = undefined;
      if (moved || last.type === "pointercancel") this.to(this.lam, true);
    };
    const listeners = { pointermove: follow, pointerup: end, pointercancel: end };
    for (const [name, listener] of Object.entries(listeners)) this.grip.addEventListener(name, listener);
  }

  // The λ under the pointer: one of the grid if it is near, else with three digits.
  under(clientX) {
    const { axis, node } = this;
    const across = clientX - node.getBoundingClientRect().x - axis._offset;
    const [nearest, off] = closest(this.grid, across, axis);
    return off <= NEAR ? nearest : axis.p2d(Math.min(Math.max(across, 0), axis._length));
  }

  to(lam, last) {
    const inside = (value) => Math.min(Math.max(value, this.grid[0]), this.grid.at(-1));
    this.lam = this.grid.includes(lam) ? lam : inside(Number(inside(lam).toPrecision(3)));
    if (last) this.until = Date.now() + HELD;
    this.put();
    this.move(this.lam, last);
  }

  press(event) {
    const steps = { ArrowLeft: -STEP, ArrowDown: -STEP, ArrowRight: STEP, ArrowUp: STEP };
    const next = { PageDown: this.grid.findLast((each) => each < this.lam), PageUp: this.grid.find((each) => each > this.lam) };
    const ends = { Home: this.grid[0], End: this.grid.at(-1) };
    const lam = event.key in steps ? this.lam * 10 ** steps[event.key] : (next[event.key] ?? ends[event.key]);
    if (lam === undefined) return;
    event.preventDefault();
    this.until = Date.now() + HELD;
    this.to(lam, false);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.to(this.lam, true), SETTLES);
  }
}

// The value that lies nearest to a place on an axis, and how many px off it is.
function closest(values, place, axis) {
  const offs = values.map((value) => Math.abs(axis.d2p(value) - place));
  const least = offs.indexOf(Math.min(...offs));
  return [values[least], offs[least]];
}

const threeDigits = (value) => inDigits(Number(value.toPrecision(3)));
