// The picture without a document: where each request stands after each call, in words.
import WORDS from "./words.json" with { type: "json" };
import { shownNames, visible } from "../common/names.js";
import { say } from "../common/wording.js";

const COUNTS = ["free", "held", "cached", "hostUsed", "used"];
const STAND = ["name", "runs", "known", "cached", "ran", "blocks", "promised", "preempted"];

const named = (keys, text) =>
  Object.fromEntries(text.split(" ").map((number, at) => [keys[at], Number(number)]));

export class LineModel {
  constructor(data) {
    this.read(data);
  }

  read(data) {
    this.data = data;
    this.names = shownNames(data.names);
    [this.calls, this.said] = [data.calls, data.said].map((lines) => lines.split("\n"));
    this.steps = data.steps.split("\n").map((line) => {
      const [counts, ...stands] = line.split(";");
      return { ...named(COUNTS, counts), stands: stands.map((text) => named(STAND, text)) };
    });
    const { blocks, size, budget, host } = data;
    this.note = say(WORDS.note, { blocks, size, budget, host });
  }

  get last() {
    return this.steps.length - 1;
  }

  say(step) {
    return [this.calls[step], this.said[step]];
  }

  /** The three parts of a request's bar, those that are empty left out. */
  parts({ known, cached, ran }) {
    return [
      ["held", cached - ran],
      ["copied", ran],
      ["free", known - cached],
    ].filter(([, n]) => n > 0);
  }

  /** The bars above the queue: a label, and parts of a whole. */
  bars(step) {
    const { free, held, cached, hostUsed, used, stands } = this.steps[step];
    const { blocks, budget, host } = this.data;
    const ran = stands.filter((stand) => stand.ran).map((s) => ["copied", s.ran, s.name]);
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
      whole: bar.label === WORDS.pool ? blocks : undefined,
    }));
  }

  label(stand) {
    const place = stand.runs ? WORDS.runs : WORDS.waits;
    return say(WORDS.row, { ...stand, name: this.names[stand.name], place });
  }

  law(step) {
    const { free, held, cached, hostUsed } = this.steps[step];
    const { blocks: total, host } = this.data;
    return say(WORDS.law, { free, held, cached, total, host, used: hostUsed });
  }

  /** The rows of the table. */
  rows(step) {
    return this.steps[step].stands.map((stand) => [
      visible(this.data.names[stand.name]),
      stand.runs ? WORDS.runs : WORDS.waits,
      stand.known,
      stand.cached,
      stand.ran,
      stand.blocks,
      stand.promised,
      stand.preempted,
    ]);
  }
}
