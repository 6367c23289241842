// Play a trace forth and back, and find what it has in it.
import { State } from "./state.js";

const EVERY = 256; // events between two remembered states
const LOOKS = ["free", "copied", "cached", "shared", "held", "reserved"];
const SEARCHED = 1e6; // steps times blocks: some milliseconds

/** Holds the state after any step; going back starts from a state remembered on the way. */
export class Player {
  constructor(trace) {
    this.trace = trace;
    this.state = new State(trace);
    this.state.apply();
    this.frames = [this.state.clone()];
    this.since = 0;
  }

  get last() {
    return this.trace.calls.length - 1;
  }

  /** The state after `step`; the same object moves on, so don't keep it. */
  at(step) {
    const target = Math.max(0, Math.min(this.last, step));
    if (target < this.state.step) {
      const frame = this.frames.findLast((state) => state.step <= target);
      this.state = frame.clone();
      this.since = 0;
    }
    while (this.state.step < target) {
      this.state.apply();
      this.since += this.trace.events[this.state.step].length;
      if (this.since >= EVERY && this.state.step > this.frames.at(-1).step) {
        this.frames.push(this.state.clone());
        this.since = 0;
      }
    }
    return this.state;
  }
}

/** The looks that occur in a trace at all: a block's can change only where an event names it.
 * A very large trace isn't searched: it is taken to have them all. */
export function looksOf(trace) {
  if (trace.events.length * trace.numBlocks > SEARCHED) return new Set(LOOKS);
  const state = new State(trace);
  const found = new Set();
  let before = [];
  for (const events of trace.events) {
    state.apply();
    const named = events.flatMap(({ block, src }) => [block, src]);
    const all = state.step ? [...named, ...before] : state.refs.keys();
    for (const block of all) if (block in state.refs) found.add(state.look(block));
    before = [...state.copied];
  }
  return found;
}
