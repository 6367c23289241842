// Where is one token for the manager, and where for the kernel? Each step is a position.
import WORDS from "./words.json" with { type: "json" };
import { dress, legend, newCell } from "../common/cells.js";
import { choice, h, put, table, write } from "../common/dom.js";
import { chunks } from "../common/layout.js";
import { Stepped } from "../common/stepped.js";
import { PagesModel } from "./model.js";

const LINE = 16; // slots of a page that stand side by side

export class PagesPicture extends Stepped {
  constructor(el, data) {
    super();
    this.model = new PagesModel(data);
    this.grid = h("div", { role: "grid", class: "pa-pages", "aria-label": WORDS.grid });
    this.label = h("p", { class: "pa-label" });
    this.slots = h("div", { class: "pa-page-slots" });
    this.build();
    this.frameIn(WORDS, {
      note: this.model.note(),
      last: this.model.last,
      start: data.start,
      stage: this.grid,
      controls: [this.choice()],
      legend: () => legend(this.model.looks, { words: WORDS.legend }),
      say: (step) => ["", this.model.sentence(step)],
      table: () => table(this.model.caption(), WORDS.head, this.model.rows()),
    });
    this.frame.box.append(h("div", { "aria-hidden": "true" }, this.label, this.slots));
    this.showIn(el);
  }

  choice() {
    const { sizes, page } = this.model;
    const chosen = (size) => {
      this.model.choose(Number(size));
      this.frame.note = this.model.note();
      this.build();
      this.frame.go(this.frame.step);
    };
    const options = sizes.map((size) => [size, String(size)]);
    return h("div", { class: "pa-choices" }, choice(WORDS.page, options, page, chosen));
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

  parts() {
    return [this.blocks, this.pages];
  }

  /** A block and its pages belong together. */
  point(part) {
    for (const cell of [...this.blocks, ...this.pages]) {
      const linked = part && cell.kind !== part.kind && cell.block === part.block;
      put(cell, "data-linked", linked ? "" : null);
    }
  }
}
