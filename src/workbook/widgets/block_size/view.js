// What do small and large blocks cost? Waste, table entries and tokens run, on one axis.
import WORDS from "./words.json" with { type: "json" };
import { chart, nearest } from "./chart.js";
import { choice, field, h, put, scaleOf, svg, table, write } from "../common/dom.js";
import { NARROW } from "../common/layout.js";
import { Stepped } from "../common/stepped.js";
import { BlockSizeModel } from "./model.js";
import { say } from "../common/wording.js";

const GAP = 12;
const SMALL = 150; // px, the height of a chart among many
const JUMP = 3; // sizes that a page key moves on

export class BlockSizePicture extends Stepped {
  constructor(el, data) {
    super();
    this.model = new BlockSizeModel(data);
    const { sizes } = this.model;
    this.charts = h("div", { class: "pa-charts", "aria-hidden": "true" });
    this.stage = h(
      "div",
      {
        class: "pa-sizes",
        role: "slider",
        tabindex: 0,
        "aria-label": WORDS.slider,
        "aria-valuemin": sizes[0],
        "aria-valuemax": sizes.at(-1),
      },
      this.charts,
    );
    this.beside = h("p", { class: "pa-law" });
    this.frameIn(WORDS, {
      note: this.model.note(),
      last: this.model.last,
      start: sizes.indexOf(data.size),
      stage: this.stage,
      controls: [this.choices()],
      legend: () => this.legend(),
      say: (step) => ["", this.model.sentence(step)],
      table: () =>
        table(say(WORDS.caption, { name: this.model.set.name }), this.model.head, this.model.rows()),
    });
    put(this.frame.range, "aria-label", WORDS.slider);
    this.frame.box.append(this.beside);
    this.stage.addEventListener("pointerdown", (event) => this.pick(event));
    this.showIn(el);
  }

  choices() {
    const options = this.model.sets.map(({ name }, at) => [at, name]);
    const sets = choice(WORDS.set, options, 0, (at) => {
      this.model.choose(Number(at));
      this.frame.note = this.model.note();
      this.frame.go(this.frame.step);
    });
    const max = this.model.set.most.length - 1;
    this.most = h("input", { type: "range", class: "pa-range pa-most", min: 0, max, value: 0 });
    this.most.addEventListener("input", () => {
      this.model.limit = Number(this.most.value);
      this.frame.show();
      this.frame.tell(this.model.beside());
    });
    this.longest = h("span", { class: "pa-note" });
    const fields = [sets, field(WORDS.most, this.most), this.longest];
    return h("div", { class: "pa-choices" }, ...fields);
  }

  legend() {
    const point = (look) => svg("circle", { cx: 7, cy: 7, r: 4, class: look });
    const entry = (look, text) =>
      h("li", {}, svg("svg", { width: 14, height: 14, "aria-hidden": "true" }, point(look)), text);
    return h(
      "ul",
      { class: "pa-legend", "aria-label": "Legend" },
      entry("pa-point", WORDS.measured),
      entry("pa-point pa-hollow", WORDS.resampled),
    );
  }

  draw(step) {
    const { sizes } = this.model;
    const wide = this.frame.width >= NARROW;
    const room = this.charts.clientWidth || this.frame.width;
    const width = wide ? Math.floor((room - 2 * GAP) / 3) : room;
    this.width = width;
    put(this.charts, "data-wide", wide ? "" : null);
    const tall = this.model.timed ? SMALL : undefined; // five charts, where else there are three
    const charts = this.model.curves().map((curve) => chart(curve, sizes, step, width, tall));
    this.charts.replaceChildren(...charts);
    put(this.stage, "aria-valuenow", sizes[step]);
    put(this.stage, "aria-valuetext", this.model.sentence(step));
    put(this.most, "aria-valuetext", this.model.longest());
    write(this.longest, this.model.longest());
    write(this.beside, this.model.beside());
  }

  /** The charts are one slider: its stage is its only part. */
  parts() {
    return [];
  }

  pick(event) {
    const box = event.target.closest("svg")?.getBoundingClientRect();
    const x = box && (event.clientX - box.x) / scaleOf(this.charts);
    if (box) this.frame.go(nearest(x, this.model.sizes.length, this.width));
  }

  key({ key }) {
    const { step, last } = this.frame;
    const steps = {
      ArrowRight: step + 1,
      ArrowUp: step + 1,
      ArrowLeft: step - 1,
      ArrowDown: step - 1,
      PageUp: step + JUMP,
      PageDown: step - JUMP,
      Home: 0,
      End: last,
    };
    if (!(key in steps)) return false;
    this.frame.go(steps[key]);
    return true;
  }
}
