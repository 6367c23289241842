// A trace as the engine recorded it (see trace/schema.py): read it, write one.
import schema from "../../trace/schema.json" with { type: "json" };

export const NONE = -1;
export const OPS = schema.ops;
export const CALL_ARGS = schema.calls; // "s": a sequence, "n": a number; again and again
export const CALLS = Object.keys(schema.calls);
const COLUMNS = ["step", "op", "seq", "block", "i", "n", "src"];

const split = (text) => (text ? text.split(" ").map(Number) : []);

function unpacked(text) {
  const ids = [];
  for (const part of text ? text.split(" ") : []) {
    const [first, last = first] = part.split("-").map(Number);
    for (let id = first; id <= last; id++) ids.push(id);
  }
  return ids;
}

function packed(ids) {
  const parts = [];
  for (let at = 0; at < ids.length;) {
    let end = at;
    while (end + 1 < ids.length && ids[end + 1] === ids[end] + 1) end++;
    const run = end > at + 1;
    parts.push(run ? `${ids[at]}-${ids[end]}` : ids[at]);
    at = run ? end + 1 : at + 1;
  }
  return parts.join(" ");
}

/** JSON -> {layout, blockSize, numBlocks, freeOrder, seqs, keys, calls, args, events, floats}.
 * `events[step]` are that step's events, each {op, seq, block, i, n, src}. */
export function readTrace(data) {
  if (data?.v !== 1) throw new Error(`this is no trace of version 1: it says ${data?.v}`);
  const columns = COLUMNS.map((name) => split(data.ev[name]));
  const length = columns[0].length;
  if (columns.some((column) => column.length !== length || column.some(Number.isNaN))) {
    throw new Error("the columns of the trace don't fit together");
  }
  const calls = split(data.steps.call);
  const args = data.steps.args.split(";").map(split);
  const events = calls.map(() => []);
  let step = 0;
  for (let at = 0; at < length; at++) {
    step += columns[0][at];
    const op = OPS[columns[1][at]];
    if (!op || !events[step]) throw new Error(`event ${at} of the trace is unknown`);
    const [seq, block, i, n, src] = columns.slice(2).map((column) => column[at]);
    events[step].push({ op, seq, block, i, n, src });
  }
  const order = data.free_order;
  return {
    layout: data.layout,
    blockSize: data.block_size,
    numBlocks: data.num_blocks,
    freeOrder: order === null ? null : unpacked(order),
    seqs: [...data.seqs],
    keys: [...data.keys],
    calls: calls.map((call) => CALLS[call]),
    args,
    events,
    floats: (data.f ?? []).map((row) => row.split(" ").map(real)),
  };
}

const real = (text) => (text === "-inf" ? -Infinity : Number(text));

/** The JSON form of a trace; what `Trace.to_json` would write. */
export function writeTrace(trace) {
  const columns = Object.fromEntries(COLUMNS.map((name) => [name, []]));
  let before = 0;
  trace.events.forEach((events, step) => {
    for (const event of events) {
      columns.step.push(step - before);
      columns.op.push(OPS.indexOf(event.op));
      for (const name of COLUMNS.slice(2)) columns[name].push(event[name]);
      before = step;
    }
  });
  return {
    v: 1,
    layout: trace.layout,
    block_size: trace.blockSize,
    num_blocks: trace.numBlocks,
    free_order: trace.freeOrder === null ? null : packed(trace.freeOrder),
    seqs: trace.seqs,
    keys: trace.keys,
    steps: {
      call: trace.calls.map((call) => CALLS.indexOf(call)).join(" "),
      args: trace.args.map((args) => args.join(" ")).join(";"),
    },
    ev: Object.fromEntries(COLUMNS.map((name) => [name, columns[name].join(" ")])),
  };
}

/** Writes a trace: open a step for a call, add the events it caused. */
export class Recorder {
  constructor(layout, numBlocks, blockSize, freeOrder) {
    this.trace = {
      layout,
      blockSize,
      numBlocks,
      freeOrder,
      seqs: [],
      keys: [],
      calls: [],
      args: [],
      events: [],
      floats: [],
    };
    this.step("start");
  }

  seq(name) {
    return numbered(this.trace.seqs, name);
  }

  key(text) {
    return numbered(this.trace.keys, text);
  }

  step(call, ...args) {
    this.trace.calls.push(call);
    this.trace.args.push(args);
    this.trace.events.push([]);
  }

  add(op, { seq = NONE, block = NONE, i = NONE, n = NONE, src = NONE } = {}) {
    this.trace.events.at(-1).push({ op, seq, block, i, n, src });
  }
}

function numbered(list, text) {
  if (!list.includes(text)) list.push(text);
  return list.indexOf(text);
}
