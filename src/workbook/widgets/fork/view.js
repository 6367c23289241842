// What does a fork cost, and when? Holders of a shared prompt, and their first writes.
import CELLS from "../common/words.json" with { type: "json" };
import WORDS from "./words.json" with { type: "json" };
import { STATES, dress, legend, newCell, rowsOf } from "../common/cells.js";
import { arrange, choice, h, put, table, write } from "../common/dom.js";
import { ForkModel } from "./model.js";
import { chunks } from "../common/layout.js";
import { Links } from "../common/links.js";
import { Stepped } from "../common/stepped.js";
import { counted, say } from "../common/wording.js";

const ROWS = 12; // holders shown at once before they scroll
const BESIDE = 560; // px from which tables and pool stand side by side

export class ForkPicture extends Stepped {
  constructor(el, data) {
    super();
    this.model = new ForkModel(data);
    this.rowsOf = new Map();
    this.holders = h("div", { role: "rowgroup", class: "pa-tables" });
    this.pool = h("div", { role: "rowgroup", class: "pa-pool" });
    this.grid = h(
      "div",
      { role: "grid", class: "pa-pool-grid pa-fork", "aria-label": WORDS.name },
      this.holders,
      this.pool,
    );
    this.counter = h("p", { class: "pa-law" });
    this.frameIn(WORDS, {
      note: say(WORDS.note, { size: this.model.trace.blockSize }),
      last: this.model.last,
      start: data.start,
      stage: this.grid,
      controls: this.model.plan ? [this.order()] : undefined,
      legend: () => legend(this.model.looks),
      say: (step) => ["", this.model.sentence(step)],
      table: (step) => this.table(step),
    });
    this.frame.box.append(this.counter);
    this.links = new Links(this.frame.box);
    this.showIn(el);
  }

  order() {
    return choice(WORDS.order, Object.entries(WORDS.orders), null, (order) => {
      this.model.reorder(order);
      this.frame.last = this.model.last;
      this.frame.go(this.model.plan.children + 2); // the first write
    });
  }

  draw(step) {
    const state = this.model.state(step);
    this.copies = this.model.events(step).filter(({ op }) => op === "copy");
    this.drawPool(state);
    this.drawHolders(state);
    write(this.counter, say(WORDS.counter, this.model.taken(step)));
    put(this.grid, "data-beside", this.frame.width >= BESIDE ? "" : null);
    put(this.holders, "data-many", state.tables.size > ROWS ? "" : null);
    this.rover?.settle();
  }

  drawPool(state) {
    const { trace, used, names } = this.model;
    const shown = Math.min(trace.numBlocks, Math.max(6, used));
    const columns = this.frame.width < 258 ? 5 : 6;
    if (this.cells?.length !== shown || this.columns !== columns) {
      this.columns = columns;
      this.cells = Array.from({ length: shown }, () => newCell());
      this.pool.replaceChildren(...rowsOf(this.cells, columns));
    }
    this.cells.forEach((cell, block) => {
      const [look, refs] = [state.look(block), state.refs[block]];
      const [holder, filled] = [state.held.seqs[block], state.held.filled[block]];
      cell.block = block;
      dress(cell, {
        state: look,
        id: block,
        mark: refs > 1 ? `×${refs}` : holder < 0 ? "" : names[holder],
        part: refs ? filled / trace.blockSize : 1,
        label: say(CELLS.block, {
          block,
          look: STATES[look].word,
          refs,
          holders: "",
          published: false,
          filled: refs ? String(filled) : "",
          size: trace.blockSize,
        }),
      });
    });
  }

  drawHolders(state) {
    this.rows = [...state.tables].map(([seq, blocks]) => this.holderRow(seq, blocks, state));
    arrange(
      this.holders,
      this.rows.map(({ element }) => element),
    );
  }

  holderRow(seq, blocks, state) {
    const { names, trace } = this.model;
    const row = this.rowsOf.get(seq) ?? this.newRow(seq);
    const [name, size] = [names[seq], trace.blockSize];
    write(row.head.firstChild, name);
    const [tokens, held] = [state.length(seq), blocks.length];
    put(row.head, "aria-label", say(CELLS.table, { name, tokens, blocks: held }));
    while (row.cells.length < blocks.length) row.cells.push(newCell());
    const cells = row.cells.slice(0, blocks.length);
    cells.forEach((cell, i) => {
      const [block, filled] = [blocks[i], state.filled.get(seq)[i]];
      Object.assign(cell, { block, seq, entry: i });
      dress(cell, {
        state: state.look(block),
        mark: String(block),
        part: filled / size,
        label: say(CELLS.cell, { name, i, block, filled, size }),
      });
    });
    const length = counted(state.length(seq), "token");
    const tail = h("span", { class: "pa-tail", role: "gridcell" }, length);
    arrange(row.element, [row.head, ...cells, tail]);
    return { element: row.element, parts: [row.head, ...cells] };
  }

  newRow(seq) {
    const head = h("div", { role: "rowheader", class: "pa-name", "data-part": "" }, h("bdi"));
    head.seq = seq;
    const row = { cells: [], head, element: h("div", { role: "row", class: "pa-row" }) };
    this.rowsOf.set(seq, row);
    return row;
  }

  parts() {
    return [...this.rows.map(({ parts }) => parts), ...chunks(this.cells, this.columns)];
  }

  point(part) {
    const entries = this.rows?.flatMap(({ parts }) => parts.slice(1)) ?? [];
    const cells = [...entries, ...(this.cells ?? [])];
    const whole = part?.seq !== undefined && part.entry === undefined;
    const blocks = part && !whole ? [part.block] : [];
    if (whole) blocks.push(...entries.filter(({ seq }) => seq === part.seq).map((e) => e.block));
    for (const cell of cells) {
      const linked = cell !== part && blocks.includes(cell.block);
      put(cell, "data-linked", linked ? "" : null);
    }
    const arrow = ({ src, block, n }) => ({
      from: this.cells[src],
      to: this.cells[block],
      kind: "copy",
      label: say(WORDS.label, { n }),
    });
    this.links?.draw((this.copies ?? []).map(arrow));
  }

  table(step) {
    const facts = { step, last: this.model.last, ...this.model.taken(step) };
    return table(say(WORDS.caption, facts), WORDS.head, this.model.rows(step));
  }
}
