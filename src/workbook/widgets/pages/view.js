// Where is one token for the manager, and where for the kernel? Each step is a position.
import WORDS from "./words.json" with { type: "json" };
import { dress, legend, newCell } from "../common/cells.js";
import { field, h, put, table, write } from "../common/dom.js";
import { Frame } from "../common/frame.js";
import { chunks } from "../common/layout.js";
import { Rover } from "../common/rove.js";
import { PagesModel } from "./model.js";

const LINE = 16; // slots of a page that stand side by side

export class PagesPicture {
  constructor(el, data) {
    this.model = new PagesModel(data);
    this.grid = h("div", { role: "grid", class: "pa-pages", "aria-label": WORDS.grid });
    this.label = h("p", { class: "pa-label" });
    this.slots = h("div", { class: "pa-page-slots" });
    this.build();
    this.frame = new Frame({
      name: WORDS.name,
      question: WORDS.question,
      note: this.model.note(),
      last: this.model.last,
      start: data.start,
      stage: this.grid,
      controls: [this.choice()],
      legend: () => legend(this.model.looks, { words: WORDS.legend }),
      hint: WORDS.hint,
      draw: (step) => this.draw(step),
      say: (step) => ["", this.model.sentence(step)],
      table: () => table(this.model.caption(), WORDS.head, this.model.rows()),
      refocus: () => this.rover.at?.focus(),
      key: (event) => this.rover.key(event),
    });
    this.rover = new Rover(
      this.grid,
      () => [this.blocks, this.pages],
      (part) => this.point(part),
    );
    this.frame.box.append(h("div", { "aria-hidden": "true" }, this.label, this.slots));
    el.append(this.frame.root);
    this.frame.go(this.frame.step, { quiet: true });
  }

  choice() {
    const { sizes, page } = this.model;
    const option = (size) => h("option", { value: size, selected: size === page }, String(size));
    const select = h("select", {}, ...sizes.map(option));
    select.addEventListener("change", () => {
      this.model.choose(Number(select.value));
      this.frame.note = this.model.note();
      this.build();
      this.frame.go(this.frame.step);
    });
    return h("div", { class: "pa-choices" }, field(WORDS.page, select));
  }

  /** A wide cell for each block, its pages below it, and lines of slots. */
  build() {
    const { table: blocks, pages, each, page, block } = this.model;
    const entry = (kind) => (_, entry) =>
      Object.assign(newCell(), { kind, entry, block: Math.floor(kind === "block" ? entry : entry / each) });
    this.blocks = blocks.map(entry("block"));
    this.pages = pages.map(entry("page"));
    for (const cell of [...this.blocks, ...this.pages]) {
      put(cell, "data-key", `${cell.kind} ${cell.entry}`);
    }
    const row = (name, cells) => h("div", { role: "row", class: `pa-row ${name}` }, ...cells);
    const groups = chunks(this.pages, each).map((mine, at) =>
      h(
        "div",
        { role: "rowgroup", class: "pa-block" },
        row("pa-block-row", [this.blocks[at]]),
        row("pa-page-row", mine),
      ),
    );
    const label = h("p", { class: "pa-label", role: "presentation" }, WORDS.grid);
    this.grid.replaceChildren(label, ...groups);
    this.cells = Array.from({ length: block }, () => newCell("presentation"));
    this.heads = Array.from({ length: each }, () => h("span", { class: "pa-page-name" }));
    const lines = chunks(this.cells, page).map((slots, at) =>
      h(
        "div",
        { class: "pa-page-line" },
        this.heads[at],
        h("div", {}, ...chunks(slots, LINE).map((part) => h("div", { class: "pa-row" }, ...part))),
      ),
    );
    this.slots.replaceChildren(...lines);
  }

  draw(step) {
    const { each, pages } = this.model;
    const now = this.model.place(step);
    const show = (cell, mark, label, ring) =>
      dress(cell, { state: ring ? "held" : "other", mark: String(mark), label, ring });
    this.blocks.forEach((cell, i) => {
      show(cell, this.model.table[i], this.model.blockLabel(i, step), i === now.entry);
    });
    this.pages.forEach((cell, i) => {
      show(cell, pages[i], this.model.pageLabel(i, step), i === now.pageEntry);
    });
    write(this.label, this.model.slotsLabel(step));
    this.heads.forEach((head, i) => {
      const entry = now.entry * each + i;
      write(head, String(pages[entry]));
      put(head, "data-now", entry === now.pageEntry ? "" : null);
    });
    const first = now.slot - now.pageSlot;
    this.cells.forEach((cell, slot) => {
      const inside = slot >= first && slot < first + this.model.page;
      const state = slot === now.slot ? "copied" : inside ? "held" : "other";
      dress(cell, { state, mark: state === "other" ? "·" : "" });
    });
    this.rover?.settle();
  }

  /** A block and its pages belong together. */
  point(part) {
    for (const cell of [...this.blocks, ...this.pages]) {
      const linked = part && cell.kind !== part.kind && cell.block === part.block;
      put(cell, "data-linked", linked ? "" : null);
    }
  }

  remove() {
    this.frame.remove();
  }
}
