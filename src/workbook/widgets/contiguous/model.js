// The picture without a document: who has which slot on either side, and what each step says.
import WORDS from "./words.json" with { type: "json" };
import { isolated, shownNames, visible } from "../common/names.js";
import { Player } from "../common/replay.js";
import { simulate } from "./simulate.js";
import { readTrace } from "../common/trace.js";
import { say } from "../common/wording.js";

export const SIDES = ["contiguous", "paged"];

/** Both sides of the same requests. */
export class ContiguousModel {
  constructor(data) {
    this.options = {
      names: data.paged.seqs,
      lengths: data.lengths.split(" ").map(Number),
      slots: data.contiguous.num_blocks,
      most: data.most,
      blockSize: data.paged.block_size,
    };
    this.take({ contiguous: readTrace(data.contiguous), paged: readTrace(data.paged) });
  }

  take(traces) {
    this.traces = traces;
    this.players = Object.fromEntries(SIDES.map((side) => [side, new Player(traces[side])]));
    this.names = shownNames(traces.paged.seqs);
    const steps = Array.from({ length: this.last + 1 }, (_, step) => step);
    const slots = SIDES.flatMap((side) => steps.flatMap((step) => this.slots(side, step)));
    this.looks = new Set(slots.map(({ state }) => state));
  }

  get last() {
    return this.players.paged.last;
  }

  /** Change one request's length: both sides are worked out again. Returns the length taken. */
  change(seq, length) {
    const { lengths, most } = this.options;
    lengths[seq] = Math.max(1, Math.min(most, Math.round(length) || 1));
    this.take(simulate(this.options));
    return lengths[seq];
  }

  state(side, step) {
    return this.players[side].at(step);
  }

  /** What every slot of a side holds: {seq, state}. */
  slots(side, step) {
    const size = side === "paged" ? this.options.blockSize : 1;
    const state = this.state(side, step);
    const slots = Array.from({ length: this.options.slots }, () => ({ seq: -1, state: "free" }));
    const fill = (first, length, written, seq) => {
      for (let at = 0; at < length; at++) {
        slots[first + at] = { seq, state: at < written ? "held" : "reserved" };
      }
    };
    for (const [seq, blocks] of state.tables) {
      const filled = state.filled.get(seq);
      blocks.forEach((block, i) => fill(block * size, size, filled[i], seq));
    }
    for (const [seq, [start, length]] of state.runs) {
      fill(start, length, state.filled.get(seq)[0], seq);
    }
    return slots;
  }

  /** Written, empty and free slots, and all of them. */
  counts(slots) {
    const count = (look) => slots.filter(({ state }) => state === look).length;
    const [written, empty, free] = ["held", "reserved", "free"].map(count);
    return { written, empty, free, total: slots.length };
  }

  waiting(side, step) {
    return this.state(side, step).waiting.map((seq) => isolated(this.names[seq]));
  }

  sentence(step) {
    const trace = this.traces.paged;
    if (trace.calls[step] === "start") return say(WORDS.start, this.options);
    const [seq] = trace.args[step];
    const { lengths, most } = this.options;
    const facts = { name: isolated(this.names[seq]), tokens: lengths[seq], most };
    return SIDES.map((side) => this.sideSentence(side, step, facts)).join(" ");
  }

  sideSentence(side, step, facts) {
    const trace = this.traces[side];
    const words = WORDS.says[side];
    const found = (op) => trace.events[step].filter((event) => event.op === op);
    const name = ({ seq }) => isolated(this.names[seq]);
    if (trace.calls[step] === "end") {
      const [back, entered] = [found("release").length, found("admit").map(name)];
      return say(words.ended, { ...facts, back, entered });
    }
    const [refused] = found("refuse");
    if (refused) {
      const { waiting } = this.state(side, step);
      const before = waiting.slice(0, waiting.indexOf(refused.seq)).map((seq) => name({ seq }));
      return say(words.refused, { ...facts, wanted: refused.n, room: refused.i, before });
    }
    const [{ n: wanted, i: room }] = found("admit");
    const first = found("allocate")[0].block;
    return say(words.admitted, { ...facts, wanted, room, first, last: first + wanted - 1 });
  }

  slotLabel(side, slot, { seq, state }) {
    const size = this.options.blockSize;
    const name = seq < 0 ? "" : this.names[seq];
    const facts = { slot, name, block: Math.floor(slot / size), offset: slot % size };
    return `${say(WORDS.slot[side], facts)} ${say(WORDS.looks[state], facts)}`;
  }

  /** The rows of the table: request, side, reserved, written, empty, waits. */
  rows(step) {
    return SIDES.flatMap((side) => {
      const slots = this.slots(side, step);
      const { waiting } = this.state(side, step);
      return this.options.names.map((name, seq) => {
        const mine = slots.filter((slot) => slot.seq === seq);
        const { written, empty, total } = this.counts(mine);
        const waits = waiting.includes(seq) ? WORDS.yes : "–";
        return [visible(name), WORDS.sides[side], total, written, empty, waits];
      });
    });
  }
}
