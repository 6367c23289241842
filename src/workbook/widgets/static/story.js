// Say in a sentence what each step of a trace did: the same sentences as trace/story.py.
import texts from "../../trace/texts.json" with { type: "json" };
import { isolated, shownNames } from "./names.js";
import { NONE, STEPS } from "./trace.js";
import { number, say } from "./wording.js";

const known = new WeakMap();

/** The names of the sequences, in their order, as sentences use them. */
export function sentenceNames(trace) {
  const before = known.get(trace);
  if (before?.length === trace.seqs.length) return before;
  known.set(trace, shownNames(trace.seqs).map(isolated));
  return known.get(trace);
}

/** The call of a step as it was written: reserve(A, 22). */
export function callText(trace, step) {
  const name = trace.calls[step];
  if (name === "start") return name;
  const kinds = texts.calls[name];
  const names = sentenceNames(trace);
  const words = trace.args[step].map((arg, at) =>
    kinds[at % kinds.length] === "s" ? names[arg] : number(arg),
  );
  return `${name}(${words.join(", ")})`;
}

/** What the step did that led to `state`. */
export function sentence(trace, state) {
  const events = trace.events[state.step];
  const call = trace.calls[state.step];
  const free = { free: state.numFree, total: trace.numBlocks };
  const refused = events.find((event) => event.op === "refuse");
  if (refused) return say(STEPS.refused, { wanted: refused.n, room: refused.i });
  if (call === "start") return say(STEPS.start, free);
  const parts = [];
  for (const facts of stepFacts(trace, state, events)) {
    parts.push(say(STEPS[call === "adopt" ? "attach" : call], { ...facts, ...free }));
    if (call === "free" || call === "truncate") parts.push(say(STEPS.released, facts));
  }
  if (["reserve", "free", "truncate", "evict"].includes(call)) parts.push(say(STEPS.left, free));
  return parts.filter(Boolean).join(" ");
}

/** The facts of a step, once for each sequence that its call names in pairs. */
function stepFacts(trace, state, events) {
  const call = trace.calls[state.step];
  const args = trace.args[state.step];
  const names = sentenceNames(trace);
  const gone = events.filter((event) => event.op === "evict").map((event) => event.block);
  const pairs = call === "reserve" || call === "write";
  const seqs = pairs ? args.filter((_, at) => at % 2 === 0) : args.slice(0, 1);
  return seqs.map((seq, at) => {
    const mine = events.filter((event) => event.seq === seq);
    const facts = { seq: call === "evict" ? "" : names[seq], gone: at === 0 ? gone : [] };
    if (call === "fork") {
      facts.child = names[args[1]];
      facts.shared = blocksOf(events, "share", args[1]);
    } else if (call === "attach" || call === "adopt") {
      Object.assign(facts, attachFacts(trace, args[1], mine));
    } else if (call === "remember") {
      facts.published = blocksOf(events, "publish", NONE);
    } else if (call === "write") {
      Object.assign(facts, writeFacts(trace, args[2 * at + 1], mine));
    } else if (call === "reserve") {
      Object.assign(facts, reserveFacts(state, events, mine));
    } else if (call === "free" || call === "truncate") {
      Object.assign(facts, releaseFacts(state, mine), { length: args.at(-1) });
    }
    return facts;
  });
}

const blocksOf = (events, op, seq) =>
  events.filter((event) => event.op === op && event.seq === seq).map((event) => event.block);

function attachFacts(trace, asked, mine) {
  const hits = mine.filter((event) => event.op === "hit").length;
  const reused = hits * trace.blockSize;
  return { hits, reused, run: Math.max(0, asked - reused) };
}

function writeFacts(trace, written, mine) {
  const last = mine.at(-1);
  return { written, last: last.block, filled: last.n, size: trace.blockSize };
}

function reserveFacts(state, events, mine) {
  const taken = mine.filter((event) => event.op === "allocate").map((event) => event.block);
  const facts = { taken, nothing: !taken.length, copied: 0 };
  for (const event of mine) {
    if (event.op !== "copy") continue;
    const later = events.slice(events.indexOf(event));
    const left = later.filter((other) => other.op === "release" && other.block === event.src);
    Object.assign(facts, {
      source: event.src,
      holders: state.refs[event.src] + left.length,
      copied: event.n,
      copy: event.block,
      taken: taken.filter((block) => block !== event.block),
    });
  }
  return facts;
}

function releaseFacts(state, mine) {
  const released = mine.filter((event) => event.op === "release").map((event) => event.block);
  return {
    nothing: !released.length,
    freed: released.filter((block) => !state.refs[block]),
    cached: released.filter((block) => state.cached.has(block)),
    kept: released.filter((block) => state.refs[block] && !state.cached.has(block)),
  };
}
