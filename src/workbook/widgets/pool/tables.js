// The block tables beside a pool: a row a sequence, in a scroller when there are many.
import { dress, newCell } from "../common/cells.js";
import { arrange, h, put, write } from "../common/dom.js";
import { visible } from "../common/names.js";
import { number } from "../common/wording.js";

const ROWS = 12; // tables shown at once before they scroll
const MOST = 40; // tables drawn at all; a filter finds the others
const ENTRIES = 24; // entries of one table that are shown: its tail

export class Tables {
  constructor(model) {
    this.model = model;
    this.element = h("div", { role: "rowgroup", class: "pa-tables" });
    this.known = new Map(); // seq -> its row, kept so that the focus stays where it is
    this.rows = [];
  }

  /** Draw the tables of a state whose names have `filter` in them; true if there are many.
   * Of more than a reader can look through, only the first and those of the step's call. */
  draw(state, filter) {
    const wanted = visible(filter).toLowerCase();
    const named = (seq) => !wanted || this.model.names[seq].toLowerCase().includes(wanted);
    const many = state.tables.size > ROWS;
    put(this.element, "data-many", many ? "" : null);
    const found = [...state.tables.keys()].filter(named);
    const first = found.slice(0, MOST);
    const called = this.model.called.filter((seq) => found.includes(seq) && !first.includes(seq));
    this.rows = [...first, ...called].map((seq) => this.draw1(seq, state));
    arrange(
      this.element,
      this.rows.map(({ element }) => element),
    );
    this.left = found.length - this.rows.length;
    return many;
  }

  draw1(seq, state) {
    const row = this.known.get(seq) ?? this.newRow(seq);
    const blocks = state.tables.get(seq);
    const before = Math.max(0, blocks.length - ENTRIES);
    const count = blocks.length - before;
    const { label, tail } = this.model.table(seq);
    write(row.head.firstChild, this.model.names[seq]);
    put(row.head, "aria-label", label);
    while (row.cells.length < count) row.cells.push(newCell());
    const cells = row.cells.slice(0, count);
    cells.forEach((cell, at) => {
      const entry = before + at;
      Object.assign(cell, { block: blocks[entry], seq, entry });
      dress(cell, this.model.entry(seq, entry));
    });
    const note = (kind, text) => h("span", { class: kind, role: "gridcell" }, text);
    arrange(row.element, [
      row.head,
      ...(before ? [note("pa-skipped", `… ${number(before)}`)] : []),
      ...cells,
      ...(tail ? [note("pa-tail", tail)] : []),
    ]);
    return { element: row.element, parts: [row.head, ...cells] };
  }

  newRow(seq) {
    const head = h("div", { role: "rowheader", class: "pa-name", "data-part": "" }, h("bdi"));
    head.seq = seq;
    const row = { head, cells: [], element: h("div", { role: "row", class: "pa-row" }) };
    this.known.set(seq, row);
    return row;
  }

  /** What can have the focus, row by row. */
  parts() {
    return this.rows.map(({ parts }) => parts);
  }

  get entries() {
    return this.rows.flatMap(({ parts }) => parts.slice(1));
  }
}
