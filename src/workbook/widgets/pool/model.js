// The picture without a document: what every block and table looks like after each step, in words.
import CELLS from "../common/words.json" with { type: "json" };
import WORDS from "./words.json" with { type: "json" };
import { STATES } from "../common/cells.js";
import { shownNames, visible } from "../common/names.js";
import { Player, looksOf } from "../common/replay.js";
import { CALL_ARGS, readTrace } from "../common/trace.js";
import { listed, say } from "../common/wording.js";

/** One trace, and its state at the step that `at` was last asked for. */
export class PoolModel {
  constructor(data) {
    this.read(data);
  }

  read(data) {
    this.trace = readTrace(data.trace);
    this.player = new Player(this.trace);
    this.looks = looksOf(this.trace);
    this.published = this.trace.events.flat().some(({ op }) => op === "publish");
    this.names = shownNames(this.trace.seqs);
    [this.calls, this.said] = [data.calls, data.said].map((lines) => lines.split("\n"));
    const { numBlocks: blocks, blockSize: size } = this.trace;
    this.note = say(WORDS.note, { blocks, size });
  }

  get last() {
    return this.player.last;
  }

  /** Go to a step; blocks `first` to `first + shown - 1` are those looked at. */
  at(step, first, shown) {
    this.state = this.player.at(step);
    this.events = this.trace.events[step];
    this.holders = new Map();
    for (const [seq, blocks] of this.state.tables) {
      blocks.forEach((block, i) => {
        if (block < first || block >= first + shown) return;
        if (!this.holders.has(block)) this.holders.set(block, []);
        this.holders.get(block).push([seq, i]);
      });
    }
    return this.state;
  }

  say(step) {
    return [this.calls[step], this.said[step]];
  }

  /** The sequences that the step's call names. */
  get called() {
    const { calls, args } = this.trace;
    const kinds = CALL_ARGS[calls[this.state.step]];
    return args[this.state.step].filter((_, at) => kinds[at % kinds.length] === "s");
  }

  get copies() {
    return this.events.filter(({ op }) => op === "copy");
  }

  /** How a block's cell is dressed. */
  block(block) {
    const { state } = this;
    const { seqs, filled } = state.held;
    const [look, refs, seq] = [state.look(block), state.refs[block], seqs[block]];
    const published = state.path.has(block);
    const cached = look === "cached";
    const name = seq < 0 ? "" : this.names[seq];
    return {
      state: look,
      id: block,
      mark: STATES[look].mark || (refs > 1 ? `×${refs}` : name),
      tab: published && !cached ? "p" : "",
      part: refs && seq >= 0 ? filled[block] / this.trace.blockSize : 1,
      label: this.blockLabel(block, look, published),
    };
  }

  blockLabel(block, look, published) {
    const refs = this.state.refs[block];
    const held = this.holders.get(block) ?? [];
    return say(CELLS.block, {
      block,
      look: STATES[look].word,
      refs: refs > 1 ? refs : 0,
      holders: held.map(([seq, i]) => say(CELLS.entry, { name: this.names[seq], i })),
      published,
      filled: held.length ? String(this.state.held.filled[block]) : "",
      size: this.trace.blockSize,
    });
  }

  /** How the cell of a table's entry is dressed. */
  entry(seq, i) {
    const [block, filled] = [this.state.tables.get(seq)[i], this.state.filled.get(seq)[i]];
    const [name, size] = [this.names[seq], this.trace.blockSize];
    const label = say(CELLS.cell, { name, i, block, filled, size });
    return { state: this.state.look(block), mark: String(block), part: filled / size, label };
  }

  /** What a table's name says, and what stands behind its last entry. */
  table(seq) {
    const blocks = this.state.tables.get(seq).length;
    const tokens = this.state.length(seq);
    const last = this.state.filled.get(seq).at(-1);
    const partly = last !== undefined && last < this.trace.blockSize;
    return {
      label: say(CELLS.table, { name: this.names[seq], tokens, blocks }),
      tail: partly ? `${last}/${this.trace.blockSize}` : "",
    };
  }

  law() {
    const [free, cached] = [this.state.numFree, this.state.cached.size];
    const total = this.trace.numBlocks;
    return say(CELLS.law, { free, held: total - free - cached, cached, total });
  }

  /** The rows of the table: block, state, refs, holders, filled. */
  rows(first, end) {
    const { state } = this;
    const found = state.held;
    const size = this.trace.blockSize;
    return Array.from({ length: end - first }, (_, at) => {
      const block = first + at;
      const held = (this.holders.get(block) ?? []).map(([seq, i]) =>
        say(CELLS.entry, { name: visible(this.trace.seqs[seq]), i }),
      );
      const index = state.path.has(block) ? [WORDS.index] : [];
      const alone = found.seqs[block] < 0;
      const filled = !state.refs[block] ? 0 : alone ? size : found.filled[block];
      const holders = listed([...held, ...index]) || "–";
      const look = STATES[state.look(block)].word;
      return [block, look, state.refs[block], holders, `${filled}/${size}`];
    });
  }
}
