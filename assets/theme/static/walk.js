// The cover, walked through: each step writes one block and its entry in the table.

const PAUSE = 1100; // milliseconds between steps
const BLOCK_SIZE = 4;
const SVG = "http://www.w3.org/2000/svg";

/** What a step says: `at` is an entry, null when all are written, -1 when none is. */
export function sentence(at, table, tokens) {
  if (at === null) return "Six numbers, and nothing else, say where everything is.";
  if (at < 0) return "Twelve free blocks, and nothing written yet.";
  const first = at * BLOCK_SIZE;
  const last = Math.min(first + BLOCK_SIZE, tokens) - 1;
  return `Entry ${at} of the table says ${table[at]}: tokens ${first} to ${last} lie in block ${table[at]}.`;
}

class Walk {
  #timer = null;
  #pointed = null; // the entry that a reader points at

  constructor(root) {
    this.root = root;
    this.table = root.dataset.table.split(",").map(Number);
    this.entries = [...root.querySelectorAll(".walk-sequence li")];
    this.blocks = [...root.querySelectorAll(".walk-pool li")];
    this.says = root.querySelector("[role=status]");
    this.play = root.querySelector(".play");
    this.step = this.table.length;
    this.lines = this.table.map(() => this.#line());
    this.#listen();
    new ResizeObserver(() => this.#place()).observe(root);
    document.fonts?.ready.then(() => this.#place());
    root.dataset.ready = "";
    this.draw();
  }

  #line() {
    const group = document.createElementNS(SVG, "g");
    group.append(document.createElementNS(SVG, "path"), document.createElementNS(SVG, "path"));
    this.root.querySelector(".walk-lines").append(group);
    return group;
  }

  /** Draws each line from its entry to its block, wherever those are now. */
  #place() {
    const box = this.root.getBoundingClientRect();
    this.lines.forEach((line, at) => {
      const from = this.entries[at].querySelector(".entry").getBoundingClientRect();
      const to = this.blocks[this.table[at]].getBoundingClientRect();
      const [x1, y1] = [from.x + from.width / 2 - box.x, from.bottom - box.y];
      const [x2, y2] = [to.x + to.width / 2 - box.x, to.y - box.y - 3];
      const bend = Math.max(24, (y2 - y1) * 0.55);
      line.children[0].setAttribute("d", `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`);
      line.children[1].setAttribute("d", `M${x2 - 5} ${y2 - 6}L${x2} ${y2}L${x2 + 5} ${y2 - 6}`);
    });
  }

  draw() {
    const { table, step } = this;
    const now = this.#pointed ?? (step < table.length || this.#timer ? step - 1 : null);
    const mark = (node, at) => {
      node.toggleAttribute("data-written", at >= 0 && at < step);
      node.toggleAttribute("data-now", at >= 0 && at === now);
    };
    this.entries.forEach(mark);
    this.lines.forEach(mark);
    this.blocks.forEach((block, id) => mark(block, table.indexOf(id)));
    this.root.toggleAttribute("data-pointing", now !== null);
    this.says.textContent = sentence(now, table, Number(this.root.dataset.tokens));
  }

  go(step) {
    this.step = Math.max(0, Math.min(this.table.length, step));
    this.draw();
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.play.textContent = "Walk the table";
    this.draw();
  }

  start() {
    const slow = matchMedia("(prefers-reduced-motion: reduce)").matches ? 2 : 1;
    this.#timer = setInterval(
      () => (this.step === this.table.length ? this.stop() : this.go(this.step + 1)),
      slow * PAUSE,
    );
    this.play.textContent = "Stop";
    this.go(this.step === this.table.length ? 1 : this.step + 1);
  }

  #listen() {
    const { table } = this;
    const click = (name, act) => this.root.querySelector(name).addEventListener("click", act);
    const toStep = (wanted) => () => {
      this.stop();
      this.go(wanted());
    };
    click(".back", toStep(() => this.step - 1));
    click(".on", toStep(() => (this.step === table.length ? 0 : this.step + 1)));
    click(".play", () => (this.#timer ? this.stop() : this.start()));
    this.entries.forEach((entry, at) => this.#pointing(entry, at));
    this.blocks.forEach((block, id) => this.#pointing(block, table.indexOf(id)));
  }

  /** An entry or a block that is pointed at lights both, and their line. */
  #pointing(node, at) {
    if (at < 0) return;
    const point = (shown) => {
      if (this.#timer || (shown !== null && shown >= this.step)) return;
      this.#pointed = shown;
      this.draw();
    };
    for (const name of ["pointerenter", "focusin"]) node.addEventListener(name, () => point(at));
    for (const name of ["pointerleave", "focusout"]) node.addEventListener(name, () => point(null));
  }
}

export const setUpWalk = (root) => new Walk(root);
