// The picture without a document: what a query knows after each look-up, and what each step says.
import WORDS from "./words.json" with { type: "json" };
import { Player } from "../common/replay.js";
import { readTrace } from "../common/trace.js";
import { Float, number, say } from "../common/wording.js";

const NOTHING = { m: -Infinity, l: 0, alpha: 0, out: [] };

/** Softmax over all scores at once, then the weighted sum: what the walk must come to. */
export function plainSoftmax(scores, values) {
  const size = values[0]?.length ?? 0;
  if (!scores.length) return new Array(size).fill(0);
  const top = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - top));
  const sum = weights.reduce((a, b) => a + b, 0);
  const mean = (d) => weights.reduce((total, w, k) => total + w * values[k][d], 0) / sum;
  return Array.from({ length: size }, (_, d) => mean(d));
}

const floats = (list) => list.map((x) => new Float(x));
const whole = (x) => number(Number.isInteger(x) || !Number.isFinite(x) ? x : new Float(x));

/** One query over the tokens of a table. */
export class ReadingModel {
  constructor(data) {
    this.trace = readTrace(data.trace);
    this.scores = data.scores ? data.scores.split(" ").map(Number) : [];
    this.values = data.values ? data.values.split(";").map((v) => v.split(" ").map(Number)) : [];
    this.said = data.said.split("\n");
    const state = new Player(this.trace).at(0);
    const [[seq, blocks]] = state.tables;
    Object.assign(this, { blocks, filled: state.filled.get(seq), reads: this.lookUps() });
  }

  /** The looks that occur: blocks of the sequence and of others, slots without a token. */
  get looks() {
    const { numBlocks, blockSize } = this.trace;
    const masked = this.filled.some((n) => n < blockSize);
    const kinds = { held: this.last, other: numBlocks > this.last, reserved: masked };
    return new Set(Object.keys(kinds).filter((kind) => kinds[kind]));
  }

  get last() {
    return this.reads.length;
  }

  /** Entry, block and valid tokens of each read, and m, l, α and out after it. */
  lookUps() {
    const reads = this.trace.events.flat().filter(({ op }) => op === "read");
    return reads.map(({ block, i, n }, at) => {
      const [m, l, alpha, ...out] = this.trace.floats[at];
      return { block, i, n, m, l, alpha, out };
    });
  }

  /** What the query knows after look-up `step`. */
  after(step) {
    return this.reads[step - 1] ?? NOTHING;
  }

  scoresOf(i) {
    const size = this.trace.blockSize;
    return this.scores.slice(i * size, (i + 1) * size);
  }

  /** The weight of a token with this score against the highest so far; 0 before it is read. */
  weight(i, score, step) {
    return score === undefined || i >= step ? 0 : Math.exp(score - this.after(step).m);
  }

  /** The numbers below the bars: name and value. */
  numbers(step) {
    const { m, l, alpha, out } = this.after(step);
    const seen = this.reads.slice(0, step).reduce((sum, { n }) => sum + n, 0);
    const zeros = this.values[0]?.map(() => 0) ?? [0, 0];
    const plain = plainSoftmax(this.scores.slice(0, seen), this.values);
    const told = (list) =>
      floats(list.length ? list : zeros)
        .map(number)
        .join("  ");
    return [
      [WORDS.lookups, number(step)],
      ["m", whole(m)],
      ["α", step ? number(new Float(alpha)) : "–"],
      ["l", number(new Float(l))],
      [WORDS.out, told(out)],
      [say(WORDS.plain, { seen }), told(plain)],
    ];
  }

  entryLabel(i, step) {
    const facts = { i, block: this.blocks[i], valid: this.filled[i], read: i < step };
    return say(WORDS.entry, { ...facts, scores: this.scoresOf(i) });
  }

  /** The rows of the table: look-up, block, valid, m, α, l, out. */
  rows() {
    return this.reads.map(({ block, i, n, m, l, alpha, out }) => {
      const [a, sum, ...ends] = floats([alpha, l, ...out]).map(number);
      return [i + 1, block, n, whole(m), a, sum, ends.join(" ")];
    });
  }
}
