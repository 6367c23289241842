// Why do D and E wait? The same requests in one pool, reserved in runs and in blocks.
import WORDS from "./words.json" with { type: "json" };
import { dress, legend, newCell, rowsOf } from "../common/cells.js";
import { ContiguousModel, SIDES } from "./model.js";
import { field, h, put, table, write } from "../common/dom.js";
import { chunks, slotColumns } from "../common/layout.js";
import { Stepped } from "../common/stepped.js";
import { say } from "../common/wording.js";

export class ContiguousPicture extends Stepped {
  constructor(el, data) {
    super();
    this.model = new ContiguousModel(data);
    const { options } = this.model;
    this.sides = SIDES.map((name) => this.newSide(name));
    this.grid = h(
      "div",
      { role: "grid", class: "pa-sides", "aria-label": WORDS.name },
      ...this.sides.map(({ element }) => element),
    );
    this.frameIn(WORDS, {
      note: say(WORDS.note, { ...options, size: options.blockSize }),
      last: this.model.last,
      start: data.start,
      stage: this.grid,
      controls: [this.inputs()],
      legend: () => legend(this.model.looks, { words: WORDS.legend }),
      say: (step) => ["", this.model.sentence(step)],
      table: (step) =>
        table(
          say(WORDS.caption, { step, last: this.model.last }),
          WORDS.head,
          this.model.rows(step),
        ),
    });
    this.showIn(el);
  }

  inputs() {
    const { lengths, most } = this.model.options;
    const fields = lengths.map((length, seq) => {
      const input = h("input", { type: "number", min: 1, max: most, class: "pa-length" });
      input.value = String(length);
      input.addEventListener("change", () => {
        const tokens = this.model.change(seq, Number(input.value));
        const name = this.model.names[seq];
        const clamped = String(tokens) !== input.value;
        input.value = String(tokens);
        this.frame.go(this.frame.step);
        if (clamped) this.frame.tell(say(WORDS.clamped, { most, name, tokens }));
      });
      return field(this.model.names[seq], input);
    });
    return h(
      "div",
      { role: "group", class: "pa-choices", "aria-label": WORDS.lengths },
      h("span", { class: "pa-label" }, WORDS.lengths),
      ...fields,
    );
  }

  newSide(name) {
    const title = WORDS.sides[name];
    const rows = h("div", { role: "rowgroup", class: "pa-slots", "aria-label": title });
    const [waits, law] = [h("p", { class: "pa-waits" }), h("p", { class: "pa-law" })];
    const cells = Array.from({ length: this.model.options.slots }, () => newCell());
    const element = h(
      "div",
      { class: "pa-side", role: "presentation", "data-side": name },
      h("p", { class: "pa-side-name", role: "presentation" }, title),
      rows,
      waits,
      law,
    );
    return { name, rows, waits, law, cells, element };
  }

  draw(step) {
    const columns = slotColumns(this.frame.width);
    if (columns !== this.columns) {
      this.columns = columns;
      for (const { rows, cells } of this.sides) rows.replaceChildren(...rowsOf(cells, columns));
      put(this.grid, "data-wide", columns === 16 ? "" : null);
    }
    for (const side of this.sides) this.drawSide(side, step);
    this.rover?.settle();
  }

  drawSide({ name, cells, waits, law }, step) {
    const slots = this.model.slots(name, step);
    const size = this.model.options.blockSize;
    slots.forEach((slot, at) => {
      cells[at].seq = slot.seq;
      put(cells[at], "data-edge", name === "paged" && at % size === size - 1 ? "" : null);
      dress(cells[at], {
        state: slot.state,
        mark: slot.state === "held" ? this.model.names[slot.seq] : "",
        label: this.model.slotLabel(name, at, slot),
      });
    });
    write(waits, say(WORDS.waits, { names: this.model.waiting(name, step) }));
    write(law, say(WORDS.law, this.model.counts(slots)));
  }

  parts() {
    const rows = this.sides.map(({ cells }) => chunks(cells, this.columns));
    return this.columns === 16 ? rows[0].map((row, at) => [...row, ...rows[1][at]]) : rows.flat();
  }

  /** A slot with the focus shows all that its request has, on both sides. */
  point(part) {
    for (const { cells } of this.sides) {
      for (const cell of cells) {
        put(cell, "data-linked", part && part.seq >= 0 && cell.seq === part.seq ? "" : null);
      }
    }
  }
}
