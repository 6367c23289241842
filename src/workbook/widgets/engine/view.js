// One trace, three views: who runs and waits, which block is whose, which prefixes are known.
import WORDS from "./words.json" with { type: "json" };
import { dress, legend, newCell, rowsOf } from "../common/cells.js";
import { h, put, table, write } from "../common/dom.js";
import { chunks, poolLayout } from "../common/layout.js";
import { Stepped } from "../common/stepped.js";
import { say } from "../common/wording.js";
import { QueueRows, barLegend } from "../line/rows.js";
import { Tree } from "../prefix/tree.js";
import { EngineModel } from "./model.js";

export class EnginePicture extends Stepped {
  constructor(el, data) {
    super();
    this.model = new EngineModel(data);
    this.queue = new QueueRows(WORDS.queue);
    this.pool = h("div", { role: "rowgroup", class: "pa-pool" });
    this.grid = h("div", { role: "grid", class: "pa-pool-grid", "aria-label": WORDS.pool }, this.pool);
    this.tree = new Tree();
    this.law = h("p", { class: "pa-law" });
    const part = (name, element) =>
      h("div", { class: "pa-engine-part" }, h("p", { class: "pa-engine-name" }, name), element);
    this.stage = h(
      "div",
      { class: "pa-engine", role: "group", "aria-label": WORDS.name },
      part(WORDS.queue, this.queue.element),
      part(WORDS.pool, this.grid),
      part(WORDS.index, this.tree.element),
    );
    this.frameIn(WORDS, {
      note: this.model.note,
      last: this.model.last,
      start: data.start,
      stage: this.stage,
      legend: () => this.legend(),
      say: (step) => this.model.say(step),
      table: (step) => this.table(step),
    });
    this.frame.box.append(this.law);
    this.showIn(el);
  }

  legend() {
    const named = (name, list) => h("div", {}, h("span", { class: "pa-label" }, name), list);
    const { looks, published } = this.model;
    return h(
      "div",
      { class: "pa-engine-key" },
      named(WORDS.tokens, barLegend()),
      named(WORDS.blocks, legend(looks, { published })),
    );
  }

  /** Make cells for the room there is. */
  fit(width) {
    const count = this.model.trace.numBlocks;
    const layout = poolLayout(count, width);
    this.grid.style.setProperty("--cell", `${layout.cell}px`);
    if (this.columns === layout.columns) return;
    this.columns = layout.columns;
    this.cells = Array.from({ length: count }, () => newCell());
    this.pool.replaceChildren(...rowsOf(this.cells, this.columns));
  }

  draw(step) {
    const { model } = this;
    this.fit(this.frame.width);
    const state = model.at(step, 0, model.trace.numBlocks);
    this.queue.draw(model.places(step), model.names);
    this.cells.forEach((cell, block) => {
      cell.block = block;
      dress(cell, { ...model.block(block), ring: model.hits.has(block) });
    });
    const roots = model.roots();
    this.tree.draw({ roots, gone: new Map(), keys: model.trace.keys, hits: model.hits, state });
    write(this.law, model.lawOf(step));
    this.rover?.settle();
  }

  /** What can have the focus, row by row: requests, blocks, known prefixes. */
  parts() {
    const items = this.tree.items.map(({ item }) => [item]);
    return [...this.queue.parts(), ...chunks(this.cells, this.columns), ...items];
  }

  /** Number the blocks of the request that is pointed at, in the order of its table. */
  point(part) {
    const request = this.queue.cells.includes(part) ? Number(part.dataset.key) : -1;
    const table = request < 0 ? [] : this.model.blocksOf(request);
    for (const cell of this.cells ?? []) {
      const entry = table.indexOf(cell.block);
      put(cell, "data-linked", entry < 0 ? null : "");
      put(cell, "data-order", entry < 0 ? null : entry);
    }
  }

  key(event) {
    const inTree = this.tree.element.contains(event.target);
    return inTree ? this.tree.key(event, this.rover) : super.key(event);
  }

  table(step) {
    const caption = say(WORDS.caption, { step, last: this.model.last });
    return table(caption, WORDS.head, this.model.rowsOf(step));
  }
}
