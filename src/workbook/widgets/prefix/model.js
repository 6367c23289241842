// The picture without a document: the tree of known prefixes after each step, and what each step says.
import WORDS from "./words.json" with { type: "json" };
import { Groups } from "../common/groups.js";
import { isolated, shownNames, visible } from "../common/names.js";
import { hitPath, nextName, runCalls, runPrompts, wordsOf } from "./prompts.js";
import { Player } from "../common/replay.js";
import { forest } from "../common/snapshot.js";
import { readTrace } from "../common/trace.js";
import { say } from "../common/wording.js";

const rootOf = (salt) => (salt.trim() ? `salt ${salt.trim()}` : "");

/** Prompts served over one prefix index. */
export class PrefixModel {
  constructor(data) {
    this.read(data);
  }

  read(data) {
    this.calls = data.calls;
    this.take(readTrace(data.trace), Groups.read(data.groups));
  }

  take(trace, groups) {
    Object.assign(this, { trace, groups, player: new Player(trace) });
    this.names = shownNames(trace.seqs);
    this.looks = new Set(); // of known blocks, and of those that were just evicted
    for (let step = 0; step <= this.last; step++) {
      if (this.gone(step).size) this.looks.add("free");
      const state = this.state(step);
      for (const block of state.path.keys()) this.looks.add(state.look(block));
    }
  }

  get last() {
    return this.groups.last;
  }

  state(step) {
    return this.player.at(this.groups.end(step));
  }

  events(step) {
    return this.groups.events(this.trace, step);
  }

  /** Serve a prompt; the one typed before ends first. Returns the step of the look-up. */
  run(prompt, salt) {
    const before = this.calls.length;
    const alive = this.player.at(this.player.last).tables;
    const ends = this.typed && alive.has(this.trace.seqs.indexOf(this.typed));
    const name = nextName(this.trace.seqs);
    const served = runCalls(name, wordsOf(prompt), rootOf(salt));
    this.calls = [...this.calls, ...(ends ? [[["free", this.typed]]] : []), ...served];
    this.typed = name;
    this.again();
    return before + 1 + (ends ? 1 : 0);
  }

  /** Evict one block; returns the step that did. */
  evict() {
    this.calls = [...this.calls, [["evict", 1]]];
    this.again();
    return this.last;
  }

  again() {
    const { trace, groups } = runPrompts(this.calls, this.trace);
    this.take(trace, groups);
  }

  /** The known blocks at the beginning of a prompt that is only typed so far. */
  preview(step, prompt, salt) {
    return hitPath(this.trace, forest(this.state(step)), wordsOf(prompt), rootOf(salt));
  }

  /** The blocks that the step's prompt hit. */
  hits(step) {
    return this.events(step)
      .filter(({ op }) => op === "hit")
      .map(({ block }) => block);
  }

  /** The words that the step looked up. */
  asked(step) {
    const call = this.calls[step - 1]?.find(([verb]) => verb === "attach");
    return call ? call[2].split(" ") : [];
  }

  /** Words cut into blocks: {text, hit}. */
  pieces(words, hits) {
    const size = this.trace.blockSize;
    const count = Math.ceil(words.length / size);
    return Array.from({ length: count }, (_, at) => {
      const text = visible(words.slice(at * size, (at + 1) * size).join(" "));
      return { text, hit: at < hits };
    });
  }

  /** The trees: {path, name, nodes}, a node being [key, blocks, children]; at least an empty root. */
  roots(step) {
    const roots = forest(this.state(step)).map(([key, nodes]) => ({
      path: String(key),
      name: this.rootName(key),
      nodes,
    }));
    return roots.length ? roots : [{ path: "-1", name: WORDS.root, nodes: [] }];
  }

  rootName(key) {
    return key < -1 ? visible(this.trace.keys[-2 - key]) : WORDS.root;
  }

  /** What the step evicted, by its parent's path: block, words, and its place among its sisters. */
  gone(step) {
    const gone = new Map();
    const evicted = this.events(step).filter(({ op }) => op === "evict");
    if (!evicted.length || !step) return gone;
    const before = this.state(step - 1);
    const parentOf = (path) => path.slice(0, path.lastIndexOf("/"));
    for (const { block } of evicted) {
      const path = before.path.get(block);
      if (!path) continue; // published and evicted within the step
      const parent = parentOf(path);
      const sisters = [...before.index.keys()].filter((other) => parentOf(other) === parent);
      const words = visible(this.trace.keys[Number(path.slice(path.lastIndexOf("/") + 1))]);
      const ghost = { block, words, at: sisters.indexOf(path) };
      gone.set(parent, [...(gone.get(parent) ?? []), ghost]);
    }
    return gone;
  }

  sentence(step) {
    const found = (op) => this.events(step).filter((event) => event.op === op);
    const blocks = (op) => found(op).map(({ block }) => block);
    const [call] = this.groups.calls(this.trace, step);
    const state = this.state(step);
    const next = [...state.cached].slice(0, 1);
    if (call === "start") return say(WORDS.start, {});
    if (call === "evict") return say(WORDS.evicted, { gone: blocks("evict"), next });
    const [seq, ran] = this.groups.args(this.trace, step);
    const facts = { name: isolated(this.names[seq]), gone: blocks("evict") };
    const said = this.outcome(step, facts, { found, blocks, call, state, ran });
    return [said, say(WORDS.next, { next })].filter(Boolean).join(" ");
  }

  outcome(step, facts, { found, blocks, call, state, ran }) {
    const [refused] = found("refuse");
    if (refused) return say(WORDS.refused, { ...facts, wanted: refused.n, room: refused.i });
    const attach = this.groups.groups[step].find((at) => this.trace.calls[at] === "attach");
    if (attach !== undefined) {
      const [, asked] = this.trace.args[attach];
      const hits = found("hit").length;
      const reused = hits * this.trace.blockSize;
      return say(WORDS.attached, { ...facts, hits, reused, run: asked - reused });
    }
    if (call === "free") {
      const cached = blocks("release").filter((block) => state.cached.has(block));
      return say(WORDS.ended, { ...facts, cached });
    }
    return say(WORDS.ran, { ...facts, ran, published: blocks("publish") });
  }

  /** The rows of the table: block, parent, tokens, refs, the step of its last use. */
  rows(step) {
    const state = this.state(step);
    const rows = [];
    const lastUse = (block) =>
      this.groups.groups.findIndex((group) => group.includes(state.used.get(block)));
    const walk = (nodes, parent) => {
      for (const [key, blocks, children] of nodes) {
        const words = visible(this.trace.keys[key]);
        for (const block of blocks) {
          rows.push([block, parent, words, state.refs[block], lastUse(block)]);
        }
        walk(children, blocks[0]);
      }
    };
    for (const { name, nodes } of this.roots(step)) walk(nodes, name);
    return rows;
  }
}
