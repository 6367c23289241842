// The picture without a document: where each request stands after each call, in words.
import WORDS from "./words.json" with { type: "json" };
import { shownNames, visible } from "../common/names.js";
import { standsOf } from "../common/queue.js";
import { readTrace } from "../common/trace.js";
import { say } from "../common/wording.js";

export class LineModel {
  constructor(data) {
    this.read(data);
  }

  read(data) {
    this.data = data;
    this.trace = readTrace(data.trace);
    this.names = shownNames(this.trace.seqs);
    [this.calls, this.said] = [data.calls, data.said].map((lines) => lines.split("\n"));
    this.steps = standsOf(this.trace);
    const { numBlocks: blocks, blockSize: size } = this.trace;
    const { budget, host } = data;
    this.note = say(WORDS.note, { blocks, size, budget, host });
  }

  get last() {
    return this.steps.length - 1;
  }

  say(step) {
    return [this.calls[step], this.said[step]];
  }

  /** The bars above the queue: a label, and parts of a whole. */
  bars(step) {
    const { free, held, cached, host: hostUsed, used, places } = this.steps[step];
    const { budget, host } = this.data;
    const ran = places.filter((place) => place.ran).map((p) => ["copied", p.ran, p.name]);
    const gone = used - ran.reduce((sum, [, n]) => sum + n, 0); // of requests that have left
    const spent = [...ran, ["copied", gone, -1], ["free", Math.max(0, budget - used), -1]];
    const pool = [
      ["held", held, -1],
      ["cached", cached, -1],
      ["free", free, -1],
    ];
    const bars = [
      { label: WORDS.budget, parts: spent, said: say(WORDS.spent, { used, budget }) },
      { label: WORDS.pool, parts: pool, said: "" },
    ];
    if (host) {
      const parts = [
        ["held", hostUsed, -1],
        ["free", host - hostUsed, -1],
      ];
      bars.push({ label: WORDS.hostbar, parts, said: "" });
    }
    return bars.map((bar) => ({
      ...bar,
      parts: bar.parts
        .filter(([, n]) => n > 0)
        .map(([state, n, name]) => ({ state, n, mark: name < 0 ? String(n) : this.names[name] })),
    }));
  }

  law(step) {
    const { free, held, cached, host: used } = this.steps[step];
    const [total, { host }] = [this.trace.numBlocks, this.data];
    return say(WORDS.law, { free, held, cached, total, host, used });
  }

  /** The rows of the table. */
  rows(step) {
    return this.steps[step].places.map((place) => [
      visible(this.trace.seqs[place.name]),
      place.runs ? WORDS.runs : WORDS.waits,
      place.known,
      place.cached,
      place.ran,
      place.blocks,
      place.promised,
      place.preempted,
    ]);
  }
}
