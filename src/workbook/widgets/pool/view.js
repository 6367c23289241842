// Where is each sequence's memory? The pool, the block tables, the free queue.
import WORDS from "./words.json" with { type: "json" };
import { Actions } from "./actions.js";
import { dress, legend, newCell, rowsOf } from "../common/cells.js";
import { field, h, put, table, write } from "../common/dom.js";
import { chunks, poolLayout, windowAt } from "../common/layout.js";
import { Links } from "../common/links.js";
import { Stepped } from "../common/stepped.js";
import { PoolMap, codeOf, isDark } from "./map.js";
import { PoolModel } from "./model.js";
import { Tables } from "./tables.js";
import { number, say } from "../common/wording.js";

const QUEUE = 12; // free blocks that are shown

export class PoolPicture extends Stepped {
  constructor(el, data, live) {
    super();
    this.model = new PoolModel(data);
    this.pool = h("div", { role: "rowgroup", class: "pa-pool" });
    this.tables = new Tables(this.model);
    this.queue = h("p", { class: "pa-queue" });
    this.law = h("p", { class: "pa-law" });
    this.filter = h("input", { type: "search", oninput: () => this.frame.show() });
    this.filterNote = h("span", { class: "pa-note" });
    this.filterField = h(
      "div",
      { class: "pa-choices", hidden: true },
      field(WORDS.filter, this.filter),
      this.filterNote,
    );
    this.grid = h(
      "div",
      { role: "grid", class: "pa-pool-grid", "aria-label": WORDS.name },
      this.pool,
      this.tables.element,
    );
    this.actions = live ? new Actions(live, this) : null;
    this.frameIn(WORDS, {
      note: this.model.note,
      last: this.model.last,
      start: data.start,
      stage: this.grid,
      controls: this.actions ? [this.actions.bar] : undefined,
      legend: () => legend(this.model.looks, { published: this.model.published }),
      live,
      say: (step) => this.model.say(step),
      table: (step) => this.table(step),
    });
    this.frame.box.prepend(this.filterField);
    this.frame.box.append(this.queue, this.law);
    this.links = new Links(this.frame.box);
    this.showIn(el);
  }

  update(data) {
    super.update(data);
    this.actions?.refresh();
  }

  get blocks() {
    return this.model.trace.numBlocks;
  }

  /** Make cells, and a map of a large pool, for the room there is. */
  fit(width) {
    const layout = poolLayout(this.blocks, width);
    this.map?.resize(width);
    if (JSON.stringify(layout) === JSON.stringify(this.layout)) return;
    this.layout = layout;
    this.first = windowAt(this.first ?? 0, layout.shown, this.blocks);
    this.cells = Array.from({ length: layout.shown }, () => newCell());
    this.pool.replaceChildren(...rowsOf(this.cells, layout.columns));
    this.mapBox?.remove();
    if (layout.kind === "map") this.addMap(width);
    put(this.grid, "data-beside", layout.beside ? "" : null);
    this.grid.style.setProperty("--cell", `${layout.cell}px`);
  }

  addMap(width) {
    this.map ??= new PoolMap(this.blocks, (block) => this.look(block));
    this.map.resize(width);
    this.windowNote = h("p", { class: "pa-window" });
    this.mapBox = h("div", { class: "pa-map-box" }, this.map.canvas, this.windowNote);
    this.frame.box.prepend(this.mapBox);
  }

  /** Move the window of a large pool to the part with this block. */
  look(block) {
    const first = windowAt(block, this.layout.shown, this.blocks);
    if (first === this.first || block < 0 || block >= this.blocks) return false;
    this.first = first;
    this.frame.show();
    return true;
  }

  draw(step) {
    this.fit(this.frame.width);
    const state = this.model.at(step, this.first, this.layout.shown);
    if (this.layout.kind === "map") this.drawMap();
    this.cells.forEach((cell, at) => {
      const block = this.first + at;
      const inside = block < this.blocks;
      put(cell, "hidden", inside ? null : "");
      if (!inside) return;
      cell.block = block;
      dress(cell, this.model.block(block));
    });
    const many = this.tables.draw(state, this.filter.value);
    this.filterField.hidden = !many && !this.filter.value;
    const { left } = this.tables;
    write(this.filterNote, left ? say(WORDS.left, { left }) : "");
    this.drawQueue(state);
    write(this.law, this.model.law());
    this.rover?.settle();
  }

  drawMap() {
    const codes = (this.codes ??= new Uint8Array(this.blocks));
    const counts = new Map();
    for (let block = 0; block < codes.length; block++) {
      const look = this.model.state.look(block);
      codes[block] = codeOf(look);
      counts.set(look, (counts.get(look) ?? 0) + 1);
    }
    this.map.paint(codes, this.first, this.layout.shown, isDark(this.frame.root));
    const said = [...counts].map(([look, n]) => `${number(n)} ${look}`);
    put(this.map.canvas, "aria-label", say(WORDS.map, { counts: said }));
    const last = Math.min(this.blocks, this.first + this.layout.shown) - 1;
    write(this.windowNote, say(WORDS.window, { first: this.first, last }));
  }

  drawQueue(state) {
    put(this.queue, "hidden", state.free ? null : "");
    if (!state.free) return;
    const next = state.free.slice(-QUEUE).reverse();
    const cell = (block) =>
      h("span", { class: "pa-cell pa-small", "data-state": "free" }, String(block));
    const more = state.free.length - next.length;
    this.queue.replaceChildren(
      h("span", { class: "pa-label" }, next.length ? WORDS.queue : WORDS.noqueue),
      ...next.map(cell),
      more ? ` … ${number(more)}` : "",
    );
  }

  /** The parts that can have the focus, row by row. */
  parts() {
    const shown = this.cells.filter((cell) => !cell.hidden);
    return [...chunks(shown, this.layout.columns), ...this.tables.parts()];
  }

  /** Show what belongs to this part: the entries of a block, the blocks of a table. */
  point(part) {
    if (!this.cells) return;
    const { entries } = this.tables;
    const cellOf = (block) => this.cells[block - this.first];
    const whole = part?.seq !== undefined && part.entry === undefined;
    const pairs = this.pairs(part, whole)
      .map(([entry, block]) => [entry, cellOf(block)])
      .filter(([, cell]) => cell && !cell.hidden);
    const linked = new Set(pairs.flat());
    for (const cell of [...this.cells, ...entries]) {
      put(cell, "data-linked", linked.has(cell) ? "" : null);
      put(cell, "data-order", null);
    }
    if (whole) for (const [entry, cell] of pairs) put(cell, "data-order", entry.entry);
    const lines = whole ? [] : pairs.map(([from, to]) => ({ from, to, kind: "link" }));
    this.links?.draw([...lines, ...this.arrows(cellOf)]);
  }

  /** Table entries with their blocks: one, all of a table, or all that name a block. */
  pairs(part, whole) {
    if (!part) return [];
    if (part.entry !== undefined) return [[part, part.block]];
    const { entries } = this.tables;
    const wanted = whole ? ({ seq }) => seq === part.seq : ({ block }) => block === part.block;
    return entries.filter(wanted).map((entry) => [entry, entry.block]);
  }

  arrows(cellOf) {
    return (this.model.events ? this.model.copies : [])
      .map(({ src, block, n }) => ({
        from: cellOf(src),
        to: cellOf(block),
        kind: "copy",
        label: say(WORDS.copied, { n }),
      }))
      .filter(({ from, to }) => from && to);
  }

  key(event) {
    const page = { PageDown: 1, PageUp: -1 }[event.key];
    if (page && this.layout.kind === "map") {
      return this.look(this.first + page * this.layout.shown);
    }
    return super.key(event);
  }

  table(step) {
    const end = Math.min(this.blocks, this.first + this.layout.shown);
    this.model.at(step, this.first, this.layout.shown);
    const facts = { step, last: this.model.last, first: this.first, end: end - 1 };
    return table(say(WORDS.caption, facts), WORDS.head, this.model.rows(this.first, end));
  }
}
