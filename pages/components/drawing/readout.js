// What a chart shows under the pointer, in words above it: nothing lies over the data.

class Readout {
  constructor(stage, node, place) {
    Object.assign(this, { node, place });
    this.guide = Object.assign(document.createElement("div"), { className: "cvar-guide", hidden: true });
    stage.append(this.guide);
    stage.addEventListener("pointermove", (event) => this.follow(event));
    stage.addEventListener("pointerdown", (event) => this.follow(event));
    stage.addEventListener("pointerleave", ({ pointerType }) => pointerType !== "touch" && this.clear());
    this.elsewhere = ({ target }) => stage.contains(target) || this.clear();
    document.addEventListener("pointerdown", this.elsewhere);
  }

  follow({ clientX, clientY, target }) {
    const { node, says } = this;
    const axis = node._fullLayout?.xaxis;
    if (!axis || !says || target.closest(".cvar-grip, .modebar")) return this.clear();
    const box = node.getBoundingClientRect();
    const { t, b } = node._fullLayout._size;
    const [across, down] = [clientX - box.x - axis._offset, clientY - box.y];
    if (across < -8 || across > axis._length + 8 || down < t || down > box.height - b) return this.clear();
    const curves = node._fullData.filter(({ customdata, visible }) => customdata && visible === true);
    const [low, high] = [axis.p2d(0), axis.p2d(axis._length)];
    const all = [...new Set(curves.flatMap(({ x }) => [...x]))].filter((each) => each >= low && each <= high);
    if (!all.length) return this.clear();
    const [at] = closest(all, across, axis);
    this.say(at, curves, says);
    Object.assign(this.guide.style, { left: `${axis._offset + axis.d2p(at)}px`, top: `${t}px`, bottom: `${b}px` });
    this.guide.hidden = false;
    return undefined;
  }

  say(at, curves, { before, after, names, inks }) {
    const value = after ? at.toLocaleString("en") : threeDigits(at);
    const parts = [said("b", `${before}${value}${after}`)];
    for (const { meta, x, customdata } of curves) {
      const k = x.indexOf(at);
      if (k < 0) continue;
      const part = said("span", ` ${customdata[k]}`);
      part.prepend(Object.assign(said("b", names[meta]), { style: `color: ${inks[meta]}` }));
      parts.push(part);
    }
    this.place.replaceChildren(...parts);
    this.place.parentElement.classList.add("cvar-reading");
  }

  clear() {
    this.guide.hidden = true;
    this.place.parentElement.classList.remove("cvar-reading");
  }

  remove() {
    document.removeEventListener("pointerdown", this.elsewhere);
  }
}

const said = (kind, text) => Object.assign(document.createElement(kind), { textContent: text });
