// The engine's bookkeeping once more, for pages without a kernel: what happens if a reader changes
// a length or types a prompt. It writes the trace that the engine would have written; a test
// compares the two after every one of thousands of random calls.
import { NONE, Recorder } from "./trace.js";

/** Which blocks are free, and how many holders each of the others has (see allocator.py). */
class Allocator {
  constructor(numBlocks, freeOrder) {
    this.refs = new Int32Array(numBlocks);
    this.free = [...freeOrder].reverse();
    this.indexed = new Set();
    this.cached = new Set(); // least recently used first
  }

  get room() {
    return this.free.length + this.cached.size;
  }
}

/** Block tables over one pool, and a prefix index if prompts are remembered. */
export class Engine {
  constructor(numBlocks, blockSize, freeOrder = Array.from({ length: numBlocks }, (_, b) => b)) {
    this.blockSize = blockSize;
    this.pool = new Allocator(numBlocks, freeOrder);
    this.tables = new Map();
    this.lengths = new Map();
    this.index = new Map(); // path -> blocks; a path is every token up to the block's end
    this.paths = new Map(); // block -> path
    this.recorder = new Recorder("paged", numBlocks, blockSize, [...freeOrder]);
  }

  get trace() {
    return this.recorder.trace;
  }

  blocksNeeded(tokens) {
    return Math.ceil(tokens / this.blockSize);
  }

  create(name) {
    const seq = this.recorder.seq(name);
    this.recorder.step("create", seq);
    this.begin(seq);
  }

  begin(seq, src = NONE) {
    this.tables.set(seq, []);
    this.lengths.set(seq, 0);
    this.recorder.add("create", { seq, src });
  }

  /** Room for `tokens` more; false, and nothing changed, when the pool has too little. */
  reserve(name, tokens) {
    const seq = this.recorder.seq(name);
    this.recorder.step("reserve", seq, tokens);
    return this.grow(seq, tokens);
  }

  grow(seq, tokens) {
    const { pool, recorder } = this;
    const [table, length] = [this.tables.get(seq), this.lengths.get(seq)];
    const missing = Math.max(0, this.blocksNeeded(length + tokens) - table.length);
    const last = table[Math.floor(length / this.blockSize)];
    const shared = tokens > 0 && length % this.blockSize > 0 && pool.refs[last] > 1;
    const wanted = missing + (shared ? 1 : 0);
    if (wanted > pool.room) {
      recorder.add("refuse", { seq, n: wanted, i: pool.room });
      return false;
    }
    const i = Math.floor(length / this.blockSize);
    const copy = shared ? this.take(seq, i) : NONE;
    for (let at = 0; at < missing; at++) table.push(this.take(seq, table.length));
    if (shared) {
      table[i] = copy;
      recorder.add("copy", { seq, src: last, block: copy, i, n: length % this.blockSize });
      this.release(seq, [last], [i]);
    }
    return true;
  }

  /** One block for entry `i` of a table: a free one, or the oldest that only the index holds. */
  take(seq, i) {
    const { pool } = this;
    let block = pool.free.pop();
    if (block === undefined) {
      [block] = pool.cached;
      this.forget(block);
      this.recorder.add("release", { block });
      pool.refs[block] = 0;
    }
    pool.refs[block] = 1;
    this.recorder.add("allocate", { seq, block, i });
    return block;
  }

  write(name, tokens) {
    const seq = this.recorder.seq(name);
    this.recorder.step("write", seq, tokens);
    this.fill(seq, tokens);
  }

  fill(seq, tokens) {
    const [table, length] = [this.tables.get(seq), this.lengths.get(seq)];
    const size = this.blockSize;
    const end = length + tokens;
    for (let i = Math.floor(length / size); i < this.blocksNeeded(end); i++) {
      this.recorder.add("write", { seq, block: table[i], n: Math.min(size, end - i * size) });
    }
    this.lengths.set(seq, end);
  }

  fork(parent, child) {
    const [src, seq] = [this.recorder.seq(parent), this.recorder.seq(child)];
    this.recorder.step("fork", src, seq);
    this.begin(seq, src);
    const shared = this.tables.get(src).slice(0, this.blocksNeeded(this.lengths.get(src)));
    shared.forEach((block, i) => {
      this.hold(block);
      this.recorder.add("share", { seq, block, i, src });
    });
    this.tables.set(seq, shared);
    this.lengths.set(seq, this.lengths.get(src));
  }

  free(name) {
    const seq = this.recorder.seq(name);
    this.recorder.step("free", seq);
    this.drop(seq);
  }

  drop(seq) {
    const table = this.tables.get(seq);
    this.release(seq, table, [...table.keys()]);
    this.tables.delete(seq);
    this.lengths.delete(seq);
  }

  hold(block) {
    this.pool.refs[block]++;
    this.pool.cached.delete(block);
  }

  /** Give up one hold on each; what is left to the index comes last, the tail of it first. */
  release(seq, blocks, entries) {
    const { pool } = this;
    const left = [];
    blocks.forEach((block, at) => {
      pool.refs[block]--;
      if (pool.refs[block] === 1 && pool.indexed.has(block)) left.push(at);
      else this.recorder.add("release", { seq, block, i: entries[at] });
      if (!pool.refs[block]) pool.free.push(block);
    });
    for (const at of left.reverse()) {
      this.recorder.add("release", { seq, block: blocks[at], i: entries[at] });
      pool.cached.add(blocks[at]);
    }
  }

  /** The blocks of the longest known beginning of `tokens`, at least one token left over. */
  match(tokens, root = "") {
    const blocks = [];
    for (let end = this.blockSize; end < tokens.length; end += this.blockSize) {
      const known = this.index.get(pathOf(root, tokens, end));
      if (!known) break;
      blocks.push(known[0]);
    }
    return blocks;
  }

  attach(name, tokens, root = "") {
    const seq = this.recorder.seq(name);
    this.recorder.step("attach", seq, tokens.length);
    this.begin(seq);
    const blocks = this.match(tokens, root);
    blocks.forEach((block, i) => {
      this.hold(block);
      this.recorder.add("hit", { seq, block, i });
      this.recorder.add("share", { seq, block, i });
    });
    this.tables.set(seq, blocks);
    this.lengths.set(seq, blocks.length * this.blockSize);
    return this.lengths.get(seq);
  }

  /** Publish the full blocks of a sequence that holds `tokens`; `root` is its salt, in words. */
  remember(name, tokens, root = "") {
    const seq = this.recorder.seq(name);
    this.recorder.step("remember", seq, tokens.length);
    const table = this.tables.get(seq);
    const size = this.blockSize;
    const full = Math.floor(Math.min(tokens.length, this.lengths.get(seq)) / size);
    for (let i = 0; i < full; i++) {
      const block = table[i];
      if (this.pool.indexed.has(block)) continue;
      const path = pathOf(root, tokens, (i + 1) * size);
      const top = () => (root ? NONE - 1 - this.recorder.key(root) : NONE);
      const above = i ? this.index.get(pathOf(root, tokens, i * size))[0] : top();
      const key = this.recorder.key(tokens.slice(i * size, (i + 1) * size).join(" "));
      if (!this.index.has(path)) this.index.set(path, []);
      this.index.get(path).push(block);
      this.paths.set(block, path);
      this.pool.indexed.add(block);
      this.pool.refs[block]++;
      this.recorder.add("publish", { block, n: key, src: above });
      this.recorder.add("share", { block });
    }
  }

  evict(n) {
    this.recorder.step("evict", n);
    const gone = [...this.pool.cached].slice(0, n);
    for (const block of gone) this.forget(block);
    for (const block of gone.reverse()) {
      this.recorder.add("release", { block });
      this.pool.refs[block] = 0;
      this.pool.free.push(block);
    }
    return gone.length;
  }

  forget(block) {
    const path = this.paths.get(block);
    const left = this.index.get(path).filter((other) => other !== block);
    if (left.length) this.index.set(path, left);
    else this.index.delete(path);
    this.paths.delete(block);
    this.pool.indexed.delete(block);
    this.pool.cached.delete(block);
    this.recorder.add("evict", { block });
  }
}

const pathOf = (root, tokens, end) => JSON.stringify([root, tokens.slice(0, end)]);
