// Who runs, who waits, who gives back? The queue and its line, budget, pool and host memory.
import WORDS from "./words.json" with { type: "json" };
import { field, h, put, table, write } from "../common/dom.js";
import { Frame } from "../common/frame.js";
import { Rover } from "../common/rove.js";
import { say } from "../common/wording.js";
import { LineModel } from "./model.js";

const STATES = ["held", "copied", "free"];

/** A bar of parts, each as wide as its number. */
function bar(parts) {
  const cells = parts.map(({ state, n, mark }) => {
    const cell = h("span", { class: "pa-cell pa-part", "data-state": state, "aria-hidden": "true" });
    cell.style.flexGrow = String(n);
    cell.append(h("span", { class: "pa-part-mark", "data-text": mark }));
    return cell;
  });
  return h("span", { class: "pa-parts", "aria-hidden": "true" }, ...cells);
}

export class LinePicture {
  constructor(el, data, live) {
    this.model = new LineModel(data);
    this.bars = h("div", { class: "pa-line-bars", "aria-hidden": "true" });
    this.grid = h("div", { role: "grid", class: "pa-queue-grid", "aria-label": WORDS.name });
    this.law = h("p", { class: "pa-law" });
    this.live = live;
    this.frame = new Frame({
      name: WORDS.name,
      question: WORDS.question,
      note: this.model.note,
      last: this.model.last,
      start: data.start,
      stage: this.grid,
      controls: live ? [this.actions()] : undefined,
      legend: () => this.legend(),
      live,
      hint: WORDS.hint,
      draw: (step) => this.draw(step),
      say: (step) => this.model.say(step),
      table: (step) =>
        table(
          say(WORDS.caption, { step, last: this.model.last }),
          WORDS.head,
          this.model.rows(step),
        ),
      refocus: () => this.rover.at?.focus(),
      key: (event) => this.rover.key(event),
    });
    this.rover = new Rover(
      this.grid,
      () => this.parts(),
      () => {},
    );
    this.frame.box.prepend(this.bars);
    this.frame.box.append(this.law);
    el.append(this.frame.root);
    this.frame.go(this.frame.step, { quiet: true });
  }

  /** New data from the kernel: show its last step. */
  update(data) {
    this.model.read(data);
    Object.assign(this.frame, { note: this.model.note, last: this.model.last });
    this.frame.stop();
    this.frame.go(this.model.last);
    this.refresh();
  }

  actions() {
    const words = WORDS.actions;
    const count = (value) =>
      h("input", { type: "number", min: 1, max: 99, value, class: "pa-length" });
    [this.tokens, this.most, this.seq] = [count(8), count(6), h("select", {})];
    const button = (call) =>
      h(
        "button",
        {
          type: "button",
          class: "pa-button",
          "data-call": call,
          title: words.titles[call],
          onclick: () => this.send(call),
        },
        words.calls[call],
      );
    this.refresh();
    return h(
      "div",
      { class: "pa-choices", role: "group", "aria-label": words.name },
      button("step"),
      field(words.tokens, this.tokens),
      field(words.most, this.most),
      button("submit"),
      field(words.seq, this.seq),
      button("abort"),
    );
  }

  send(call) {
    const [tokens, most] = [this.tokens, this.most].map((input) => Number(input.value));
    const counts = (n) => Number.isInteger(n) && n >= 1 && n <= 99;
    if (call === "submit" && !(counts(tokens) && counts(most))) {
      return this.frame.tell(WORDS.actions.range);
    }
    if (call === "abort" && !this.seq.value) return this.frame.tell(WORDS.actions.none);
    return this.frame.send({ call, tokens, most, seq: Number(this.seq.value) });
  }

  /** The requests that are alive after the last step. */
  refresh() {
    const { stands } = this.model.steps[this.model.last];
    const option = ({ name }) => h("option", { value: name }, this.model.names[name]);
    this.seq.replaceChildren(...stands.map(option));
    put(this.seq, "disabled", stands.length ? null : "");
  }

  legend() {
    const swatch = (state) =>
      h("span", { class: "pa-cell pa-swatch", "data-state": state, "aria-hidden": "true" });
    const entry = (state) => h("li", {}, swatch(state), WORDS.legend[state]);
    return h("ul", { class: "pa-legend", "aria-label": "Legend" }, ...STATES.map(entry));
  }

  draw(step) {
    const { stands } = this.model.steps[step];
    const most = Math.max(1, ...stands.map(({ known }) => known));
    const rows = [];
    for (const stand of stands) {
      if (!stand.runs && (!rows.length || rows.at(-1).runs)) rows.push(this.line());
      rows.push(this.row(stand, most));
    }
    this.cells = rows.flatMap((row) => row.cell ?? []);
    if (!rows.length) rows.push(this.nobody());
    this.grid.replaceChildren(...rows.map(({ element }) => element));
    this.bars.replaceChildren(...this.model.bars(step).map((one) => this.bar(one)));
    write(this.law, this.model.law(step));
    this.rover?.settle();
  }

  row(stand, most) {
    const parts = this.model.parts(stand).map(([state, n]) => ({ state, n, mark: String(n) }));
    const name = this.model.names[stand.name];
    const tokens = bar(parts);
    tokens.style.width = `${(100 * stand.known) / most}%`;
    const cell = h(
      "div",
      {
        role: "gridcell",
        class: "pa-request",
        "data-part": "",
        "data-key": String(stand.name),
        "aria-label": this.model.label(stand),
      },
      h("span", { class: "pa-request-name", "data-text": name }),
      h("span", { class: "pa-request-bar" }, tokens),
      h("span", { class: "pa-note", "data-text": say(["{n#block}"], { n: stand.blocks }) }),
    );
    return { runs: stand.runs, cell, element: h("div", { role: "row" }, cell) };
  }

  line() {
    const words = h("span", {}, WORDS.line);
    return { element: h("div", { class: "pa-line-mark", role: "presentation" }, words) };
  }

  nobody() {
    const cell = h(
      "div",
      { role: "gridcell", class: "pa-nobody", "data-part": "", "data-key": "nobody" },
      WORDS.empty,
    );
    this.cells = [cell];
    return { element: h("div", { role: "row" }, cell) };
  }

  bar({ label, parts, said }) {
    return h(
      "div",
      { class: "pa-line-bar" },
      h("span", { class: "pa-label" }, label),
      bar(parts),
      said ? h("span", { class: "pa-note" }, said) : null,
    );
  }

  parts() {
    return (this.cells ?? []).map((cell) => [cell]);
  }

  remove() {
    this.frame.remove();
  }
}
