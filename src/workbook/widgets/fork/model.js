// The picture without a document: who holds what after each fork and first write, and what that says.
import WORDS from "./words.json" with { type: "json" };
import { Engine } from "../common/engine.js";
import { Groups } from "../common/groups.js";
import { isolated, shownNames } from "../common/names.js";
import { Player } from "../common/replay.js";
import { copiedBy } from "../common/state.js";
import { readTrace } from "../common/trace.js";
import { say } from "../common/wording.js";

/** The calls of one parent with a prompt, its forks, and a first write by each in this order. */
export function forkPlan({ prompt, children }, order) {
  const names = Array.from({ length: children }, (_, at) => `c${at + 1}`);
  const orders = {
    children: [...names, "P"],
    parent: ["P", ...names],
    last: [...[...names].reverse(), "P"],
  };
  const grow = (name, tokens) => [
    ["reserve", name, tokens],
    ...(tokens ? [["write", name, tokens]] : []),
  ];
  return [
    [["create", "P"], ...grow("P", prompt)],
    ...names.map((name) => [["fork", "P", name]]),
    ...orders[order].map((name) => grow(name, 1)),
  ];
}

/** Run a plan on the page's own engine: the trace, and its calls in groups. */
export function runPlan(plan, numBlocks, blockSize) {
  const engine = new Engine(numBlocks, blockSize);
  const groups = [[0]];
  for (const calls of plan) {
    const group = [];
    for (const [verb, ...args] of calls) {
      group.push(engine.trace.calls.length);
      if (engine[verb](...args) === false) break; // refused: what was to follow is not tried
    }
    groups.push(group);
  }
  return { trace: engine.trace, groups: new Groups(groups) };
}

/** One parent, its forks, and what each first write costs. */
export class ForkModel {
  constructor(data) {
    this.plan = data.plan;
    this.take(readTrace(data.trace), Groups.read(data.groups));
  }

  take(trace, groups) {
    Object.assign(this, { trace, groups, player: new Player(trace) });
    this.names = shownNames(trace.seqs).map(isolated);
    this.looks = new Set();
    for (let step = 0; step <= this.last; step++) {
      const state = this.state(step);
      for (const block of state.refs.keys()) this.looks.add(state.look(block));
    }
    this.used = trace.events.flat().reduce((most, { block }) => Math.max(most, block + 1), 0);
  }

  get last() {
    return this.groups.last;
  }

  /** Let the holders write in another order. */
  reorder(order) {
    const { trace, groups } = runPlan(
      forkPlan(this.plan, order),
      this.trace.numBlocks,
      this.trace.blockSize,
    );
    this.take(trace, groups);
  }

  state(step) {
    const state = this.player.at(this.groups.end(step));
    state.copied = copiedBy(this.events(step)); // by any of the step's calls
    return state;
  }

  events(step) {
    return this.groups.events(this.trace, step);
  }

  /** New blocks so far, by forks and by what was written after them. */
  taken(step) {
    let [forks, writes, forked] = [0, 0, false];
    for (let at = 1; at <= step; at++) {
      const fork = this.groups.calls(this.trace, at)[0] === "fork";
      const blocks = this.events(at).filter(({ op }) => op === "allocate").length;
      forked ||= fork;
      if (fork) forks += blocks;
      else if (forked) writes += blocks;
    }
    return { forks, writes };
  }

  sentence(step) {
    const found = (op) => this.events(step).filter((event) => event.op === op);
    const [call] = this.groups.calls(this.trace, step);
    if (call === "start") return say(WORDS.start, {});
    const [seq, child] = this.groups.args(this.trace, step);
    const name = this.names[seq];
    if (call === "fork") {
      const shared = found("share").map(({ block }) => block);
      return say(WORDS.forked, { child: this.names[child], name, shared });
    }
    const [refused] = found("refuse");
    if (refused) return say(WORDS.refused, { name, wanted: refused.n, room: refused.i });
    const allocated = found("allocate").length;
    if (step === 1) {
      return say(WORDS.prompt, { name, tokens: this.state(step).length(seq), allocated });
    }
    const [copy] = found("copy");
    const writes = found("write");
    if (!copy) {
      return say(WORDS.inPlace, { name, block: writes.at(-1)?.block ?? -1, fresh: allocated });
    }
    const { src: source, block, n: copied } = copy;
    const holders = this.state(step).refs[source] + 1;
    const facts = { name, source, holders, copied, copy: block, written: writes.length };
    return say(WORDS.copied, facts);
  }

  /** The rows of the table: block, holders before, after, what was copied into it. */
  rows(step) {
    const before = step ? [...this.state(step - 1).refs] : [];
    const copies = new Map(
      this.events(step)
        .filter(({ op }) => op === "copy")
        .map(({ block, src, n }) => [block, say(WORDS.from, { n, src })]),
    );
    return [...this.state(step).refs]
      .map((refs, block) => [block, before[block] ?? 0, refs, copies.get(block) ?? "–"])
      .filter(([, was, is]) => was || is);
  }
}
