// What does a prefill program read? Each step is a program of the tile map.
import WORDS from "./words.json" with { type: "json" };
import { dress, legend, newCell, rowsOf } from "../common/cells.js";
import { choice, h, put, table } from "../common/dom.js";
import { chunks } from "../common/layout.js";
import { Stepped } from "../common/stepped.js";
import { TilesModel } from "./model.js";
import { number } from "../common/wording.js";

const CHIP = 64; // px of a program in the list, with its gap

export class TilesPicture extends Stepped {
  constructor(el, data) {
    super();
    this.model = new TilesModel(data);
    this.build();
    this.frameIn(WORDS, {
      note: this.model.note(),
      last: this.model.last,
      start: data.start,
      stage: this.grid,
      controls: [this.choice()],
      legend: () => legend(this.model.looks, { words: WORDS.legend }),
      say: (step) => ["", this.model.sentence(step)],
      table: () => table(this.model.caption(), WORDS.head, this.model.table()),
    });
    this.showIn(el);
  }

  choice() {
    const { sizes, most } = this.model;
    const chosen = (size) => {
      this.model.choose(Number(size));
      this.frame.last = this.model.last;
      this.frame.go(this.frame.step);
    };
    const options = sizes.map((size) => [size, String(size)]);
    return h("div", { class: "pa-choices" }, choice(WORDS.tokens, options, most, chosen));
  }

  /** The list of programs, and for each sequence a line for each of its new tokens. */
  build() {
    this.list = h("div", { role: "rowgroup", class: "pa-programs", "aria-label": WORDS.list });
    const sequences = this.model.rows.map((row, at) => this.newSequence(row, at));
    this.tokens = sequences.flatMap(({ tokens }) => tokens);
    this.chips = [];
    this.grid = h(
      "div",
      { role: "grid", class: "pa-tiles", "aria-label": WORDS.grid },
      h("p", { class: "pa-label", role: "presentation" }, WORDS.list),
      this.list,
      h(
        "div",
        { class: "pa-batch", role: "presentation" },
        ...sequences.map(({ element }) => element),
      ),
    );
  }

  newSequence(row, at) {
    const label = this.model.sequenceLabel(row);
    const tokens = Array.from({ length: row.fresh }, (_, token) => {
      const cells = Array.from({ length: row.known + row.fresh }, (_, key) =>
        Object.assign(newCell(), { row: at, token, key }),
      );
      const head = h("span", { role: "rowheader", class: "pa-token" }, `${row.name} ${token}`);
      const parts = chunks(cells, this.model.size).flatMap((block, i) => {
        if (i) put(block[0], "data-edge", "");
        return block;
      });
      return { row: at, token, cells, line: h("div", { role: "row", class: "pa-row" }, head, ...parts) };
    });
    const lines = tokens.map(({ line }) => line);
    const group = h("div", { role: "rowgroup", "aria-label": label }, ...lines);
    const title = h("p", { class: "pa-label", role: "presentation" }, label);
    return {
      tokens,
      element: h("div", { class: "pa-sequence", role: "presentation" }, title, tokens.length ? group : null),
    };
  }

  draw(step) {
    this.drawList(step);
    for (const { row, token, cells, line } of this.tokens) {
      const now = this.model.program(row, token) === step;
      const keys = now ? this.model.tiles[step - 1].keys : 0;
      put(line, "data-now", now ? "" : null);
      cells.forEach((cell, key) => {
        put(cell, "data-read", key < keys ? "" : null);
        const state = this.model.look(row, token, key, step);
        const label = this.model.cellLabel(row, token, key, step);
        dress(cell, { state, label, mark: state === "other" ? "·" : "" });
      });
    }
    this.rover?.settle();
  }

  drawList(step) {
    const count = this.model.last;
    const columns = Math.max(1, Math.floor(this.frame.width / CHIP));
    if (this.chips.length !== count || this.columns !== columns) {
      this.columns = columns;
      this.chips = Array.from({ length: count }, (_, at) =>
        Object.assign(newCell(), { program: at + 1 }),
      );
      this.list.replaceChildren(...rowsOf(this.chips, columns));
    }
    this.chips.forEach((chip, at) => {
      put(chip, "data-key", `program ${at + 1}`);
      dress(chip, {
        state: at < step ? "held" : "free",
        id: this.model.span(at + 1),
        mark: number(this.model.tiles[at].keys),
        ring: at === step - 1,
        label: this.model.programLabel(at + 1, step),
      });
    });
  }

  parts() {
    return [...chunks(this.chips, this.columns), ...this.tokens.map(({ cells }) => cells)];
  }

  /** A program and the tokens that it answers belong together. */
  point(part) {
    const wanted = part && (part.program ?? this.model.program(part.row, part.token));
    this.chips.forEach((chip) => put(chip, "data-linked", chip.program === wanted ? "" : null));
    for (const { row, token, line } of this.tokens) {
      put(line, "data-linked", this.model.program(row, token) === wanted ? "" : null);
    }
  }
}
