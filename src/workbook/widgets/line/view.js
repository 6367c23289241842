// Who runs, who waits, who gives back? The queue and its line, budget, pool and host memory.
import WORDS from "./words.json" with { type: "json" };
import { field, h, put, table, write } from "../common/dom.js";
import { Stepped } from "../common/stepped.js";
import { say } from "../common/wording.js";
import { LineModel } from "./model.js";
import { QueueRows, bar, barLegend } from "./rows.js";

export class LinePicture extends Stepped {
  constructor(el, data, live) {
    super();
    this.model = new LineModel(data);
    this.bars = h("div", { class: "pa-line-bars", "aria-hidden": "true" });
    this.queue = new QueueRows(WORDS.name);
    this.law = h("p", { class: "pa-law" });
    this.live = live;
    this.frameIn(WORDS, {
      note: this.model.note,
      last: this.model.last,
      start: data.start,
      stage: this.queue.element,
      controls: live ? [this.actions()] : undefined,
      legend: barLegend,
      live,
      say: (step) => this.model.say(step),
      table: (step) =>
        table(
          say(WORDS.caption, { step, last: this.model.last }),
          WORDS.head,
          this.model.rows(step),
        ),
    });
    this.frame.box.prepend(this.bars);
    this.frame.box.append(this.law);
    this.showIn(el);
  }

  update(data) {
    super.update(data);
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
    const { places } = this.model.steps[this.model.last];
    const option = ({ name }) => h("option", { value: name }, this.model.names[name]);
    this.seq.replaceChildren(...places.map(option));
    put(this.seq, "disabled", places.length ? null : "");
  }

  draw(step) {
    this.queue.draw(this.model.steps[step].places, this.model.names);
    this.bars.replaceChildren(...this.model.bars(step).map((one) => this.bar(one)));
    write(this.law, this.model.law(step));
    this.rover?.settle();
  }

  parts() {
    return this.queue.parts();
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
}
