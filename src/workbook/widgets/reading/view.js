// How do scattered blocks give the same answer? A query walks the table, block by block.
import WORDS from "./words.json" with { type: "json" };
import { dress, legend, newCell } from "../common/cells.js";
import { h, put, table, write } from "../common/dom.js";
import { NARROW, chunks } from "../common/layout.js";
import { Stepped } from "../common/stepped.js";
import { ReadingModel } from "./model.js";
import { number, say } from "../common/wording.js";

const WINDOW = 12; // look-ups that are shown of a long table
const SMALL_WINDOW = 6;

export class ReadingPicture extends Stepped {
  constructor(el, data) {
    super();
    this.model = new ReadingModel(data);
    const { scores, blocks, last } = this.model;
    this.build();
    this.frameIn(WORDS, {
      note: say(WORDS.note, { tokens: scores.length, blocks: blocks.length }),
      last,
      start: data.start,
      stage: this.grid,
      legend: () => legend(this.model.looks, { words: WORDS.legend }),
      say: (step) => ["", this.model.said[step]],
      table: (step) => table(say(WORDS.caption, { step, last }), WORDS.head, this.model.rows()),
    });
    this.frame.box.append(this.body);
    this.showIn(el);
  }

  build() {
    const { trace } = this.model;
    this.more = h("span", { class: "pa-skipped", role: "gridcell" });
    this.head = h("span", { role: "rowheader", class: "pa-label" }, WORDS.table);
    this.row = h("div", { role: "row", class: "pa-row" });
    this.grid = h(
      "div",
      { role: "grid", class: "pa-entries", "aria-label": WORDS.table },
      this.row,
    );
    this.cells = Array.from({ length: trace.numBlocks }, () => newCell("presentation"));
    const rows = chunks(this.cells, 6).map((row) => h("div", { class: "pa-row" }, ...row));
    this.bars = h("div", { class: "pa-bars", "aria-hidden": "true" });
    this.numbers = h("p", { class: "pa-numbers" });
    this.body = h(
      "div",
      { class: "pa-reading" },
      h(
        "div",
        { class: "pa-pool pa-quiet", "aria-hidden": "true" },
        h("p", { class: "pa-label" }, WORDS.pool),
        ...rows,
      ),
      h(
        "div",
        { class: "pa-walk" },
        h("p", { class: "pa-label" }, WORDS.bars),
        this.bars,
        this.numbers,
      ),
    );
  }

  /** Make as many entries and bars as there is room for. */
  fit(width) {
    const count = Math.min(this.model.blocks.length, width < NARROW ? SMALL_WINDOW : WINDOW);
    if (this.entries?.length === count) return;
    this.entries = Array.from({ length: count }, () => newCell());
    this.columns = this.entries.map(() => this.newGroup());
    this.row.replaceChildren(this.head, ...this.entries, this.more);
    this.bars.replaceChildren(...this.columns.map(({ element }) => element));
  }

  /** The bars of one block. */
  newGroup() {
    const slots = Array.from({ length: this.model.trace.blockSize }, () => {
      const fill = h("span", { class: "pa-weight" });
      const digit = h("span", { class: "pa-score" });
      const room = h("span", { class: "pa-bar-room" }, fill);
      return { fill, digit, element: h("span", { class: "pa-bar-slot" }, room, digit) };
    });
    const head = h("span", { class: "pa-bar-head" });
    const row = h("span", { class: "pa-bar-row" }, ...slots.map(({ element }) => element));
    return { slots, head, element: h("span", { class: "pa-bar-group" }, head, row) };
  }

  /** The first entry of the window that shows look-up `step`. */
  windowFor(step) {
    const shown = this.entries.length;
    const last = Math.max(0, this.model.blocks.length - shown);
    return Math.max(0, Math.min(last, step - 1 - Math.floor(shown / 2)));
  }

  draw(step) {
    const { blocks } = this.model;
    this.fit(this.frame.width);
    const first = this.windowFor(step);
    this.drawEntries(step, first);
    const hidden = blocks.length - this.entries.length;
    const last = first + this.entries.length - 1;
    write(this.more, hidden ? say(WORDS.more, { first, last, all: blocks.length }) : "");
    this.drawPool(step);
    this.drawBars(step, first);
    const pairs = this.model.numbers(step);
    const pair = ([name, value]) =>
      h("span", {}, h("span", { class: "pa-note" }, `${name} `), h("strong", {}, value));
    this.numbers.replaceChildren(...pairs.map(pair));
    this.rover?.settle();
  }

  drawEntries(step, first) {
    this.entries.forEach((cell, at) => {
      const i = first + at;
      const block = this.model.blocks[i];
      Object.assign(cell, { entry: i, block });
      const label = this.model.entryLabel(i, step);
      dress(cell, { state: "held", mark: String(block), ring: i === step - 1, label });
    });
  }

  drawPool(step) {
    const { blocks, filled, trace } = this.model;
    this.cells.forEach((cell, block) => {
      const i = blocks.indexOf(block);
      dress(cell, {
        state: i < 0 ? "other" : "held",
        id: block,
        mark: i < 0 ? "·" : "",
        part: i < 0 ? 1 : filled[i] / trace.blockSize,
        ring: i >= 0 && i === step - 1,
      });
    });
  }

  /** A bar for each token: its weight against the highest score so far. */
  drawBars(step, first) {
    this.columns.forEach(({ slots, head, element }, at) => {
      const i = first + at;
      const scores = this.model.scoresOf(i);
      put(element, "data-now", i === step - 1 ? "" : null);
      put(element, "data-done", i < step ? "" : null);
      write(head, String(this.model.blocks[i]));
      slots.forEach((slot, offset) => {
        const score = scores[offset];
        put(slot.element, "data-masked", score === undefined ? "" : null);
        write(slot.digit, score === undefined ? "–" : number(score));
        const weight = this.model.weight(i, score, step);
        slot.fill.style.setProperty("--weight", `${(weight * 100).toFixed(2)}%`);
      });
    });
  }

  parts() {
    return [this.entries];
  }

  point(part) {
    this.cells.forEach((cell, block) => {
      put(cell, "data-linked", part && part.block === block ? "" : null);
    });
  }
}
