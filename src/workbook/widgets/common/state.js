// What a trace's events have made so far: tables, counts, free stack and index after any step.
// Mirrors trace/state.py and trace/replay.py, which check more; a test holds them together.
import { NONE } from "./trace.js";

export class State {
  constructor(trace) {
    this.trace = trace;
    this.step = -1;
    this.refs = new Int32Array(trace.numBlocks);
    this.free = trace.freeOrder && [...trace.freeOrder].reverse(); // the next one last
    this.tables = new Map(); // seq -> blocks
    this.filled = new Map(); // seq -> tokens in each of them; contiguous: one number
    this.runs = new Map(); // contiguous: seq -> [first slot, slots]
    this.cached = new Set(); // held by the index alone; the next to go first
    this.index = new Map(); // path -> blocks; a path is root/key/key, in order of publishing
    this.path = new Map(); // block -> path
    this.used = new Map(); // block -> the step when the index last had use of it
    this.waiting = [];
    this.copied = new Set(); // what the last step copied into
    this.facts = null; // of each block, found when first asked for in a step
  }

  clone() {
    const other = new State(this.trace);
    const lists = (map) => new Map([...map].map(([key, list]) => [key, [...list]]));
    other.step = this.step;
    other.refs = this.refs.slice();
    other.free = this.free && [...this.free];
    for (const name of ["tables", "filled", "runs", "index"]) other[name] = lists(this[name]);
    for (const name of ["path", "used"]) other[name] = new Map(this[name]);
    other.cached = new Set(this.cached);
    other.waiting = [...this.waiting];
    other.copied = new Set(this.copied);
    return other;
  }

  /** By block: a sequence that holds it (NONE: no table names it), and the tokens in it. */
  get held() {
    if (this.facts) return this.facts;
    const count = this.trace.numBlocks;
    const [seqs, filled] = [new Int32Array(count).fill(NONE), new Int32Array(count)];
    for (const [seq, table] of this.tables) {
      table.forEach((block, i) => {
        if (seqs[block] === NONE) seqs[block] = seq;
        filled[block] = Math.max(filled[block], this.filled.get(seq)[i]);
      });
    }
    this.facts = { seqs, filled };
    return this.facts;
  }

  /** The state of a block: free, copied, cached, shared, held or reserved (see trace/look.py). */
  look(block) {
    const [refs, indexed] = [this.refs[block], this.path.has(block)];
    if (!refs) return "free";
    if (this.copied.has(block)) return "copied";
    if (indexed && refs === 1) return "cached";
    if (refs - (indexed ? 1 : 0) > 1) return "shared";
    const { seqs, filled } = this.held;
    return seqs[block] === NONE || filled[block] ? "held" : "reserved";
  }

  get numFree() {
    let free = 0;
    for (const count of this.refs) free += count === 0;
    return free;
  }

  length(seq) {
    return this.filled.get(seq).reduce((sum, n) => sum + n, 0);
  }

  /** Make the next step. */
  apply() {
    this.step++;
    this.facts = null;
    this.copied = copiedBy(this.trace.events[this.step]);
    for (const event of this.trace.events[this.step]) this[`on_${event.op}`](event);
    const call = this.trace.calls[this.step];
    if (call === "free" || call === "end") {
      this.end(this.trace.args[this.step][0]);
    }
  }

  end(seq) {
    this.tables.delete(seq);
    this.filled.delete(seq);
  }

  fail(event, reason) {
    throw new Error(`step ${this.step}: ${event.op} of block ${event.block}: ${reason}`);
  }

  on_create({ seq }) {
    this.filled.set(seq, this.trace.layout === "contiguous" ? [0] : []);
    if (this.trace.layout === "paged") this.tables.set(seq, []);
  }

  on_allocate(event) {
    const { seq, block, n } = event;
    if (this.trace.layout === "contiguous") {
      if (this.refs.subarray(block, block + n).some(Boolean)) this.fail(event, "not all free");
      this.refs.fill(1, block, block + n);
      this.runs.set(seq, [block, n]);
      return;
    }
    if (this.refs[block] !== 0) this.fail(event, "it is held, or there is no such block");
    if (this.free && this.step) {
      if (this.free.at(-1) !== block) this.fail(event, "another is next");
      this.free.pop();
    }
    this.refs[block] = 1;
    if (seq === NONE) this.cached.add(block);
    else this.put(event, 0);
  }

  on_share(event) {
    const { seq, block, i, src } = event;
    if (!this.refs[block]) this.fail(event, "nobody holds it");
    this.refs[block]++;
    this.cached.delete(block);
    if (seq === NONE) return;
    const known = this.tables.get(src)?.[i] === block;
    this.put(event, known ? this.filled.get(src)[i] : this.trace.blockSize);
  }

  put({ seq, block, i }, filled) {
    this.tables.get(seq)[i] = block;
    this.filled.get(seq)[i] = filled;
  }

  on_write({ seq, block, n }) {
    const at = this.trace.layout === "contiguous" ? 0 : this.tables.get(seq).indexOf(block);
    this.filled.get(seq)[at] = n;
  }

  on_copy({ seq, i, n }) {
    this.filled.get(seq)[i] = n;
  }

  on_release(event) {
    const { seq, block, i } = event;
    if (this.trace.layout === "contiguous") {
      const [start, length] = this.runs.get(seq);
      this.refs.fill(0, start, start + length);
      this.runs.delete(seq);
      return;
    }
    if (this.refs[block] < 1) this.fail(event, "nobody holds it");
    this.refs[block]--;
    if (seq !== NONE) this.take(seq, block, i);
    if (!this.refs[block]) this.free?.push(block);
    else if (this.refs[block] === 1 && this.path.has(block)) {
      this.cached.add(block);
      this.used.set(block, this.step);
    }
  }

  take(seq, block, i) {
    const table = this.tables.get(seq);
    const filled = this.filled.get(seq);
    if (table[i] !== block) return; // another stands there by now
    table[i] = NONE;
    while (table.length && table.at(-1) === NONE) {
      table.pop();
      filled.pop();
    }
  }

  on_hit({ block }) {
    this.used.set(block, this.step);
  }

  on_publish({ block, src, n }) {
    const path = `${src < 0 ? src : this.path.get(src)}/${n}`;
    if (!this.index.has(path)) this.index.set(path, []);
    this.index.get(path).push(block);
    this.path.set(block, path);
    this.used.set(block, this.step);
  }

  on_evict({ block }) {
    const path = this.path.get(block);
    const left = this.index.get(path).filter((other) => other !== block);
    if (left.length) this.index.set(path, left);
    else this.index.delete(path);
    this.path.delete(block);
    this.used.delete(block);
    this.cached.delete(block);
  }

  on_admit({ seq }) {
    this.waiting = this.waiting.filter((other) => other !== seq);
  }

  on_refuse({ seq }) {
    if (this.trace.calls[this.step] === "arrive" && !this.waiting.includes(seq)) {
      this.waiting.push(seq);
    }
  }

  on_preempt({ seq }) {
    this.end(seq);
    this.waiting = [seq, ...this.waiting];
  }

  on_submit({ seq }) {
    this.waiting = [...this.waiting, seq];
  }

  on_finish(event) {
    this.end(event.seq);
    this.on_admit(event);
  }

  on_row() {}

  on_promise() {}

  on_say() {}

  on_swap() {}

  on_read() {}
}

/** The blocks that these events copied into. */
export const copiedBy = (events) =>
  new Set(events.filter(({ op }) => op === "copy").map(({ block }) => block));
