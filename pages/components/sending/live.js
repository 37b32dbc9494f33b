// A part of the page that the server keeps up to date: it listens to a stream, draws what comes, says when it has, and
// finds its way back when the connection, the server or the laptop was away.

const SILENCE = 2.4; // heartbeats of the server after which nobody is believed to be there
const AGAIN = [300, 5000]; // ms until a lost connection is tried again: at first, and at the most
const LOST = 1500; // ms without a connection before it is said
const HEALED = [10000, 60000]; // ms until a script that should have run is asked again: at first, and at the most

const SPEAK = 5000; // ms between two sentences that are read aloud

const BUILDING = 5000; // ms that a page may take to show its controls

const PATIENT = 1000; // ms that a λ under the pointer waits for the answer to the one before

const UNKNOWN = 4001; // the code with which a server refuses a ticket

const elements = new WeakMap();

// Streamlit calls this for each new state, and what it returned last when the element leaves the page.
export default function ({ parentElement, data, setStateValue, setTriggerValue }) {
  if (!elements.has(parentElement)) elements.set(parentElement, new Live(parentElement.querySelector(".cvar-live")));
  const element = elements.get(parentElement);
  element.follow(data, setStateValue, setTriggerValue);
  return () => {
    elements.delete(parentElement);
    element.leave();
  };
}

// How the visitor looks at the runs of a page: the sidebar's fields say it (see look.js), and a clicked point.
const looks = (window.cvarLooks ??= new Map());

class Live {
  constructor(node) {
    this.node = node;
    const part = (name) => node.querySelector(`.cvar-${name}`);
    this.lost = part("lost");
    this.at = part("at");
    this.above = part("above");
    this.words = part("words");
    this.spoken = part("spoken");
    this.mount = part("charts");
    this.below = part("below");
    this.charts = [];
    this.number = 0; // of what was asked for last
    this.wait = AGAIN[0];
    this.heal = HEALED[0];
    this.heard = Date.now();
    this.cleanups = [
      on(window, "cvar-look", ({ detail }) => detail === this.data.page && this.say()),
      on(window, "cvar-hide", ({ detail }) => detail === this.data.page && this.hide(detail)),
      on(window, "online", () => this.wake()),
      on(document, "visibilitychange", () => this.wake()),
      on(document, "resume", () => this.wake()),
    ];
    this.at.addEventListener("change", () => this.choose(this.at.value === "" ? null : Number(this.at.value)));
    this.above.addEventListener("click", ({ target }) => {
      const use = target.closest(".cvar-use"); // a λ that the verdict recommends
      if (use) this.setTriggerValue("use", Number(use.value));
      const card = target.closest("[data-method]");
      if (card) toggleOnPage(this.data.page, card.dataset.method);
      const level = target.closest(".cvar-level"); // a β at which there is something to decide
      if (level) this.setTriggerValue("level", Number(level.value));
      const measure = target.closest(".cvar-measure"); // by which there is a verdict
      if (measure) this.setTriggerValue("measure", measure.value);
    });
    this.watch = setInterval(() => this.look(), 1000);
  }

  // Takes what the script says: which ticket, which part, and what the script believes of it.
  follow(data, setStateValue, setTriggerValue) {
    const before = this.data;
    this.data = data;
    this.setStateValue = setStateValue;
    this.setTriggerValue = setTriggerValue;
    if (before?.ticket !== data.ticket) {
      this.told = undefined; // it was about another run
      this.node.classList.toggle("cvar-of-another", before !== undefined); // and so is what is drawn
    }
    this.node.dataset.part = data.part;
    if (data.lambdas) this.offer(data.lambdas);
    if (data.at !== undefined && data.at !== before?.at) this.take(data.at); // the script's word, where it is new
    if (!this.socket) this.connect();
    else this.say();
    this.agree();
  }

  connect() {
    clearTimeout(this.timer);
    if (this.left) return;
    this.socket?.close();
    const address = new URL("live", document.baseURI).href.replace(/^http/, "ws");
    const here = (this.socket = new WebSocket(address));
    this.said = undefined;
    here.onopen = () => here === this.socket && this.say();
    here.onmessage = ({ data }) => here === this.socket && this.hear(JSON.parse(data));
    here.onclose = ({ code }) => {
      if (here !== this.socket || this.left) return;
      if (code === UNKNOWN) this.ask(); // a ticket of another server: the script gets one of this
      this.missed ??= Date.now();
      this.timer = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, AGAIN[1]);
    };
  }

  // Says what is wanted, if that is not what was said last.
  say() {
    const look = this.data.look ?? looks.get(this.data.page);
    const known = this.data.look || look?.theme; // else the sidebar's fields have not said it yet
    if (!known || this.socket?.readyState !== WebSocket.OPEN) return;
    const wanted = { ticket: this.data.ticket, part: this.data.part, look };
    const text = JSON.stringify(wanted);
    if (text === this.said) return;
    this.said = text;
    this.socket.send(JSON.stringify({ number: ++this.number, ...wanted }));
  }

  async hear({ answers, boot, settled, words, spread, picture }) {
    const socket = this.socket;
    this.heard = Date.now();
    this.wait = AGAIN[0];
    this.missed = undefined;
    this.lost.hidden = true;
    if (words !== null) put(this.words, words); // else the server has not looked yet
    try {
      if (picture) await this.show(picture);
    } finally {
      if (socket.readyState === WebSocket.OPEN) socket.send('{"drawn": true}');
    }
    this.speak();
    if (answers !== this.number) return; // it was about what was asked for before
    this.waiting = false;
    if (this.next !== undefined) this.lookAt(this.next);
    this.node.classList.remove("cvar-of-another");
    this.told = { boot, settled, spread };
    this.agree();
  }

  // How far down the page it begins: what the window has below that is for the verdict and its charts (see style.css).
  place() {
    const page = this.node.closest('[data-testid="stMain"]');
    const top = this.node.getBoundingClientRect().top + (page?.scrollTop ?? 0);
    if (top !== this.top) this.node.style.setProperty("--cvar-top", `${(this.top = top)}px`);
  }

  async show({ above, below, charts }) {
    this.place();
    put(this.above, above);
    put(this.below, below);
    const { page } = this.data;
    if (page && this.above.querySelector("[data-method]") && !hiddenOn.has(page)) hiddenOn.set(page, new Set());
    dimCards(this.above, page);
    const tell = { click: (point) => this.click(point), move: (lam, last) => this.move(lam, last) };
    await showAll(this.charts, charts, this.mount, tell);
    this.node.classList.add("cvar-drawn");
  }

  // Says the finding to those who listen, when it is another, and not more often than they can hear; the percentage of
  // a run under way they can ask for.
  speak() {
    clearTimeout(this.speaking);
    const text = (place) => place?.textContent ?? "";
    const state = text(this.words.querySelector(":scope > p")).split(" · ")[0]; // the numbers after it are read on demand
    const words = `${text(this.above.querySelector("h1, h2"))} ${state}`.trim();
    if (!words || words === this.spoken.textContent) return;
    const wait = (this.spoke ?? -SPEAK) + SPEAK - performance.now();
    if (wait > 0) {
      this.speaking = setTimeout(() => this.speak(), wait);
      return;
    }
    this.spoke = performance.now();
    this.spoken.textContent = words;
  }

  // Has the script run when it does not know what the server says: a run has ended or goes on again, or the server is
  // another one. What Streamlit has lost on the way is asked for once more.
  agree() {
    const { told, data } = this;
    if (!told || data.settled === null) return; // another element sees to it
    const agrees = told.boot === data.boot && told.settled === data.settled;
    this.node.dataset.settled = agrees ? told.settled : ""; // what script and server say alike
    if (agrees) {
      this.heal = HEALED[0];
      this.disagreed = this.unlike = undefined;
      return;
    }
    this.unlike ??= Date.now();
    const building = document.querySelector('[data-testid="stSkeleton"]') && Date.now() - this.unlike < BUILDING;
    if (!connected() || building) return; // Streamlit would lose it, or the values of controls that are still to come
    const what = `${told.boot} ${told.settled}`;
    if (what === this.disagreed && Date.now() - this.asked < this.heal) return;
    if (what === this.disagreed) this.heal = Math.min(2 * this.heal, HEALED[1]);
    this.disagreed = what;
    this.asked = Date.now();
    setTimeout(() => this.ask(), Math.random() * told.spread);
  }

  ask() {
    if (this.left) return;
    if (window.cvarAsk) window.cvarAsk(); // see news.js
    else this.setStateValue("asked", Date.now());
  }

  // Once a second: is anybody there?
  look() {
    const silent = Date.now() - this.heard > SILENCE * this.data.heartbeat && this.socket?.readyState !== WebSocket.CONNECTING;
    if (silent) {
      this.missed ??= this.heard;
      this.heard = Date.now();
      this.connect();
    }
    this.lost.hidden = !(this.missed && Date.now() - this.missed > LOST);
    this.agree();
  }

  // The laptop, the tab or the network is back.
  wake() {
    if (document.hidden || this.left) return;
    const there = this.socket?.readyState === WebSocket.OPEN && Date.now() - this.heard < 1.2 * this.data.heartbeat;
    if (!there) {
      this.wait = AGAIN[0];
      this.connect();
    }
  }

  // Your λ under the pointer: the verdict follows, one question at a time; the last goes into the field and the link.
  move(lam, last) {
    this.lookAt(lam);
    if (last) this.setTriggerValue("use", lam);
  }

  lookAt(lam) {
    const { page } = this.data;
    this.next = lam;
    if (this.waiting && Date.now() - this.askedAt < PATIENT) return; // for the answer before, which takes this up
    this.next = undefined;
    if (looks.get(page)?.lam === lam) return;
    this.askedAt = Date.now();
    this.waiting = true;
    looks.set(page, { ...looks.get(page), lam });
    window.dispatchEvent(new CustomEvent("cvar-look", { detail: page }));
  }

  // Methods have been hidden or are seen again: the titles are about those that are seen.
  hide(page) {
    dimCards(this.above, page);
    looks.set(page, { ...looks.get(page), hidden: [...hiddenOn.get(page)] });
    this.say();
  }

  // Which λ the curves are at: a point that is clicked, or what is picked from the list.
  click({ chart, x }) {
    if (!this.data.lambdas || !chart.endsWith("-sensitivity")) return;
    const nearest = (best, [each]) => (Math.abs(each - x) < Math.abs(best - x) ? each : best);
    this.choose(this.data.lambdas.slice(1).reduce(nearest, Infinity));
  }

  choose(at) {
    this.take(at);
    this.setStateValue("at", at); // for the link
  }

  take(at) {
    const { page } = this.data;
    this.at.value = at ?? "";
    looks.set(page, { ...looks.get(page), at });
    window.dispatchEvent(new CustomEvent("cvar-look", { detail: page }));
  }

  offer(lambdas) {
    const text = JSON.stringify(lambdas);
    if (text === this.offered) return;
    this.offered = text;
    this.at.replaceChildren(...lambdas.map(([lam, words]) => new Option(words, lam ?? "")));
    this.at.value = looks.get(this.data.page)?.at ?? "";
  }

  leave() {
    this.left = true;
    clearTimeout(this.timer);
    clearTimeout(this.speaking);
    clearInterval(this.watch);
    this.socket?.close();
    for (const cleanup of this.cleanups) cleanup();
    for (const chart of this.charts) chart.remove();
  }
}

const connected = () => document.querySelector('[data-testid="stApp"]')?.dataset.testConnectionState === "CONNECTED";

function on(target, event, listener) {
  target.addEventListener(event, listener);
  return () => target.removeEventListener(event, listener);
}

// Only what is new: a reader may have marked some of it.
const written = new WeakMap();
function put(place, html) {
  if (written.get(place) === html) return;
  written.set(place, html);
  const unfolded = new Set(Array.from(place.querySelectorAll("details[open]"), (each) => each.dataset.fold));
  const focused = place.contains(document.activeElement) && document.activeElement.closest("[data-method]");
  place.innerHTML = html;
  for (const each of place.querySelectorAll("details")) each.open = unfolded.has(each.dataset.fold);
  if (focused) place.querySelector(`[data-method="${CSS.escape(focused.dataset.method)}"] .cvar-toggle`)?.focus();
}
