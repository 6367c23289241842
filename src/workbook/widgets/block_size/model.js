// The picture without a document: the numbers of each block size, and what they say.
import WORDS from "./words.json" with { type: "json" };
import { number, say } from "../common/wording.js";

const list = (text) => (text ? text.split(" ").map(Number) : []);

const ENTRY = 4; // bytes of a table entry
const times = (ratio) => `${ratio.toFixed(2)} ×`;

/** A share in % as the book writes it: 30.3 %, 0.54 %. */
export const percent = (value) => `${value} %`;

export class BlockSizeModel {
  constructor(data) {
    this.sizes = list(data.sizes);
    this.run = list(data.run);
    this.sets = data.sets.map((set) => {
      const columns = ["waste", "measured", "entries", "most", "used", "refused", "counted"];
      const read = Object.fromEntries(columns.map((name) => [name, list(set[name])]));
      return { name: set.name, mean: set.mean, ...read };
    });
    this.decode = list(data.decode);
    this.prefill = list(data.prefill);
    this.where = data.where;
    this.choose(0);
    this.limit = 0;
  }

  choose(at) {
    this.set = this.sets[at];
  }

  get last() {
    return this.sizes.length - 1;
  }

  note() {
    return say(WORDS.note, { name: this.set.name, mean: this.set.mean });
  }

  sentence(step) {
    const entries = this.set.entries[step];
    const facts = {
      size: this.sizes[step],
      waste: percent(this.set.waste[step]),
      entries,
      run: this.run[step],
    };
    if (!this.timed) return say(WORDS.step, facts);
    const [decode, prefill] = [this.decode, this.prefill].map((ratios) => times(ratios[step]));
    return say(WORDS.timed, { ...facts, bytes: ENTRY * entries, decode, prefill });
  }

  /** Whether the kernels' times are there, too. */
  get timed() {
    return Boolean(this.where);
  }

  /** The longest request allowed, in words. */
  longest() {
    return this.limit ? number(this.set.most[this.limit]) : WORDS.longest;
  }

  /** What contiguous reservations would use, for the longest request allowed. */
  beside() {
    const { most, used, refused, counted } = this.set;
    const at = this.limit;
    const said = say(WORDS.beside, {
      used: percent(used[at]),
      most: at ? say(WORDS.mostOf, { most: most[at] }) : WORDS.mostLongest,
      refused: refused[at] ? percent(refused[at]) : "",
      guessed: !counted[at],
    });
    return this.timed ? `${said} ${say(WORDS.where, { where: this.where })}` : said;
  }

  /** The curves: title, values, scale, and which points are guesses. */
  curves() {
    const { waste, entries, measured } = this.set;
    const { charts } = WORDS;
    const guess = (at) => !measured[at];
    const each = this.timed ? ENTRY : 1;
    const curves = [
      {
        title: charts.waste,
        values: waste,
        top: 15,
        ticks: [0, 5, 10, 15],
        shape: "circle",
        rising: true,
        guess,
        unit: " %",
      },
      {
        title: this.timed ? charts.bytes : charts.entries,
        values: entries.map((count) => each * count),
        top: 2200 * each,
        ticks: [1, 10, 100, 1000],
        log: true,
        shape: "square",
      },
      {
        title: charts.run,
        values: this.run,
        top: 900,
        ticks: [0, 300, 600, 900],
        shape: "triangle",
        rising: true,
      },
    ];
    return this.timed ? [...curves, ...this.timeCurves()] : curves;
  }

  /** The kernels' times, on one scale. */
  timeCurves() {
    const { decode, prefill } = WORDS.charts;
    const scale = { top: 1.5, ticks: [0, 0.5, 1, 1.5], unit: " ×" };
    return [
      { title: decode, values: this.decode, shape: "circle", ...scale },
      { title: prefill, values: this.prefill, shape: "square", ...scale },
    ];
  }

  get head() {
    return this.timed ? WORDS.timedHead : WORDS.head;
  }

  /** The rows of the table: size, waste, kind of number, entries or bytes, tokens run, times. */
  rows() {
    const { waste, measured, entries } = this.set;
    return this.sizes.map((size, at) => [
      size,
      percent(waste[at]),
      measured[at] ? WORDS.measured : WORDS.resampled,
      number((this.timed ? ENTRY : 1) * entries[at]),
      number(this.run[at]),
      ...(this.timed ? [times(this.decode[at]), times(this.prefill[at])] : []),
    ]);
  }
}
