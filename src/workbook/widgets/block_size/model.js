// The picture without a document: the numbers of each block size, and what they say.
import WORDS from "./words.json" with { type: "json" };
import { number, say } from "../common/wording.js";

const list = (text) => (text ? text.split(" ").map(Number) : []);

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
    return say(WORDS.step, {
      size: this.sizes[step],
      waste: percent(this.set.waste[step]),
      entries: this.set.entries[step],
      run: this.run[step],
    });
  }

  /** The longest request allowed, in words. */
  longest() {
    return this.limit ? number(this.set.most[this.limit]) : WORDS.longest;
  }

  /** What contiguous reservations would use, for the longest request allowed. */
  beside() {
    const { most, used, refused, counted } = this.set;
    const at = this.limit;
    return say(WORDS.beside, {
      used: percent(used[at]),
      most: at ? say(WORDS.mostOf, { most: most[at] }) : WORDS.mostLongest,
      refused: refused[at] ? percent(refused[at]) : "",
      guessed: !counted[at],
    });
  }

  /** The three curves: title, values, scale, and which points are guesses. */
  curves() {
    const { waste, entries, measured } = this.set;
    const { charts } = WORDS;
    const guess = (at) => !measured[at];
    return [
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
        title: charts.entries,
        values: entries,
        top: 2200,
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
  }

  /** The rows of the table: size, waste, kind of number, entries, tokens run. */
  rows() {
    const { waste, measured, entries } = this.set;
    return this.sizes.map((size, at) => [
      size,
      percent(waste[at]),
      measured[at] ? WORDS.measured : WORDS.resampled,
      number(entries[at]),
      number(this.run[at]),
    ]);
  }
}
