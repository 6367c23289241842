// Who runs, who waits and what each has left to run, after each step of a serving trace.
// Mirrors trace/queue.py; a test holds the two together.
import { State } from "./state.js";

/** Follows a trace's events; `apply` each step in turn, after the state has. */
class Queue {
  constructor() {
    this.known = new Map(); // by sequence, those alive, in their order
    this.preempted = new Map();
    this.host = new Map();
    this.samples = new Map(); // by the request that they forked from
  }

  apply(state, events) {
    const ran = new Map();
    for (const event of events) {
      this.enter(event);
      if (event.op === "row") ran.set(event.seq, (ran.get(event.seq) ?? 0) + event.n);
    }
    const sum = (numbers) => [...numbers].reduce((total, n) => total + n, 0);
    return {
      places: [...this.known.keys()].map((seq) => this.place(seq, state, ran.get(seq) ?? 0)),
      used: sum(ran.values()),
      host: sum(this.host.values()),
      free: state.numFree,
      cached: state.cached.size,
      held: state.refs.length - state.numFree - state.cached.size,
    };
  }

  enter({ op, seq, src, i, n }) {
    if (op === "submit") this.known.set(seq, n);
    else if (op === "create" && this.known.has(src)) this.insert(seq, src);
    else if (op === "say" && this.known.has(seq)) this.known.set(seq, this.known.get(seq) + 1);
    else if (op === "finish") {
      this.known.delete(seq);
      this.host.delete(seq);
    } else if (op === "preempt") this.preempted.set(seq, (this.preempted.get(seq) ?? 0) + 1);
    else if (op === "swap") this.host.set(seq, i ? 0 : n);
  }

  /** A sample stands behind its parent, and behind the parent's samples before it. */
  insert(seq, parent) {
    const order = [...this.known.keys()];
    const sisters = this.samples.get(parent) ?? new Set();
    let at = order.indexOf(parent) + 1;
    while (at < order.length && sisters.has(order[at])) at += 1;
    this.samples.set(parent, sisters.add(seq));
    this.known.set(seq, this.known.get(parent));
    order.splice(at, 0, seq);
    this.known = new Map(order.map((each) => [each, this.known.get(each)]));
  }

  place(seq, state, ran) {
    const [runs, known] = [state.tables.has(seq), this.known.get(seq)];
    const cached = runs ? state.length(seq) : 0;
    const blocks = runs ? state.tables.get(seq).length : 0;
    const need = runs ? Math.ceil(known / state.trace.blockSize) - blocks : 0;
    const promised = Math.max(0, need);
    const preempted = this.preempted.get(seq) ?? 0;
    return { name: seq, runs, known, cached, ran: Math.min(ran, cached), blocks, promised, preempted };
  }
}

/** The queue after each step: {places, used, host, free, held, cached}, places oldest first. */
export function standsOf(trace) {
  const [state, queue] = [new State(trace), new Queue()];
  return trace.events.map((events) => {
    state.apply();
    return queue.apply(state, events);
  });
}
