// A page that runs: its cells, the Python behind them, and what the reader wrote.

import { record } from "./progress.js";
import { Answers } from "./run-answers.js";
import { Cell } from "./run-cell.js";
import { loadColours } from "./run-colours.js";
import { Ledger } from "./run-ledger.js";
import { styled } from "./run-nodes.js";
import { Panel } from "./run-panel.js";
import { Pictures } from "./run-pictures.js";
import { Queue } from "./run-queue.js";
import * as words from "./run-words.js";

const HINTS = "run-keys"; // the id of the sentence about keys
const ALL_PASSED = /^(\d+) of \1 passed\b/;

export async function openPage(place) {
  const page = new RunningPage(place);
  await page.load();
}

class RunningPage {
  #ledger = new Ledger();
  #batch = []; // cells that were asked for since nothing ran, for one sentence about all of them
  #verdict = ""; // what the last one said, if it is a check
  #isOpen = false;

  constructor(place) {
    this.address = new URL(document.querySelector("main").dataset.run, location.href);
    this.panel = new Panel(place, {
      start: () => this.load(),
      runAll: () => this.run(this.cells),
      stop: () => this.queue.stop(),
      download: () => this.answers.download(),
      clear: () => this.answers.clear(),
    });
    this.queue = new Queue({
      makeWorker: () => new Worker(new URL("./run-worker.js", import.meta.url), { type: "module" }),
      base: new URL(".", this.address).href,
      hear: (event) => this.#hear(event),
    });
    this.pictures = new Pictures((model, content) => this.queue.send(model, content));
  }

  /** Fetch the cells and Python. Until both are there, the page is as it was. */
  async load() {
    this.panel.loading();
    this.panel.say("");
    try {
      this.chapter ??= await this.#fetched();
      this.queue.start();
    } catch (error) {
      console.error(error);
      this.panel.failed(words.NOT_LOADED);
    }
  }

  async #fetched() {
    const [answer] = await Promise.all([fetch(this.address), loadColours(), styled("run.css")]);
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return answer.json();
  }

  #open() {
    this.#isOpen = true;
    let guess = null;
    this.cells = this.chapter.cells.map((data, place) => {
      guess = document.getElementById(`guess-${data.id}`) ?? guess;
      return new Cell(data, place, guess, {
        run: (cell) => this.run([cell]),
        runAndGoOn: (cell) => this.#runAndGoOn(cell),
        runAbove: (cell) => this.run(this.#above(cell)),
        reset: (cell) => this.#reset(cell),
        stop: () => this.queue.stop(),
        changed: (cell) => this.#changed(cell),
        left: () => this.panel.say("Tab leaves the cell now."),
      });
    });
    const helps = {
      cellOf: (id) => this.cells.find((cell) => cell.id === id),
      mount: (...picture) => this.pictures.mount(...picture),
    };
    let number = 0;
    for (const cell of this.cells) if (cell.code) cell.open((number += 1), HINTS, helps);
    this.answers = new Answers(this.cells, this.panel);
    this.#marks();
  }

  #above(cell) {
    return this.cells.slice(0, cell.place);
  }

  /**
   * Run cells, and before each one what belongs to it and is out of sight. What runs or waits
   * already isn't asked again, unless it was changed since.
   */
  run(cells) {
    const all = new Set(cells.flatMap((cell) => [...this.#unseenBefore(cell), cell]));
    const jobs = [...all].filter((cell) => cell.runsHere && !this.queue.has(cell.id, cell.text)).sort((a, b) => a.place - b.place);
    if (!jobs.length) return;
    this.#batch.push(...jobs.filter((cell) => cell.code && cells.includes(cell)));
    for (const cell of jobs) if (this.queue.job?.id !== cell.id) cell.show("waiting");
    this.queue.run(jobs.map((cell) => {
      const { id, number, text } = cell;
      return { id, number, text, ...cell.toRun(), mayFail: cell.is("raises-exception") };
    }));
    this.panel.busy(this.queue.busy);
  }

  /** The cells right before it that a reader doesn't see: guesses, and folds that haven't run. */
  #unseenBefore(cell) {
    const found = [];
    for (let at = cell.place - 1; at >= 0 && !this.cells[at].inSight; at -= 1) {
      const mark = this.#ledger.mark(at, this.cells[at].text);
      if (this.cells[at].asks || mark === "fresh" || mark === "changed") found.unshift(this.cells[at]);
    }
    return found;
  }

  #runAndGoOn(cell) {
    this.run([cell]);
    const next = this.cells.slice(cell.place + 1).find((each) => each.editor && each.inSight);
    next?.editor.focus();
    next?.code.scrollIntoView({ block: "nearest" });
  }

  #changed(cell) {
    this.answers.keep(cell);
    this.#marks();
  }

  #reset(cell) {
    cell.editor.replace(cell.shown);
    cell.editor.focus();
    this.panel.say(`Cell ${cell.number} has the book's text again.`);
  }

  /** Say of every cell what it is now. */
  #marks() {
    let fresh = false;
    this.cells.forEach((cell, at) => {
      if (!cell.runsHere) return;
      const mark = this.#ledger.mark(at, cell.text);
      const state = this.queue.job?.id === cell.id ? "running" : this.queue.isWaiting(cell.id) ? "waiting" : mark;
      cell.show(state, fresh);
      fresh ||= mark === "fresh";
    });
  }

  #hear(event) {
    const cell = event.id ? this.cells?.find(({ id }) => id === event.id) : null;
    this[`on_${event.kind}`]?.(event, cell);
    if (this.#isOpen) this.panel.busy(this.queue.busy);
  }

  on_loading({ done, total }) {
    this.panel.loading(done, total);
  }

  on_ready({ python }) {
    this.panel.ready();
    if (this.#isOpen) return;
    this.#open();
    const elsewhere = this.cells.filter((cell) => !cell.runsHere).length;
    this.panel.say(words.ready(python, this.answers.restore(), elsewhere));
    this.#marks();
  }

  on_begun(_, cell) {
    cell.begin();
    cell.show("running");
    this.panel.running(this.#batch.indexOf(cell), this.#batch.length);
  }

  on_told({ message }) {
    if (message.kind === "widget") this.pictures.hear(message);
    const { output } = this.cells.find(({ id }) => id === message.id) ?? {};
    if (output && ["stream", "data", "error"].includes(message.kind)) {
      if (message.kind === "stream") output.stream(message.name, message.text);
      else output[message.kind](message);
    }
  }

  on_ended({ ok, text, dropped }, cell) {
    this.#ledger.note(cell.place, text, ok);
    cell.end();
    const { lastLine = "" } = cell.output ?? {};
    if (ALL_PASSED.test(lastLine)) this.#solve(cell.solved);
    this.#marks();
    this.#offerAbove(cell);
    if (!ok && !cell.is("raises-exception")) {
      this.#batch = [];
      this.panel.say(words.failed(cell.number, lastLine, dropped.length));
    } else this.#verdict = cell.is("check") ? lastLine : "";
  }

  on_idle() {
    const last = this.#batch.at(-1);
    if (last) this.panel.say(words.ran(this.#batch.length, last.number, this.#verdict));
    this.#batch = [];
  }

  on_stopped({ dropped }, cell) {
    this.#lost();
    this.panel.ready();
    this.panel.say(words.stopped(cell?.number, dropped.length));
    const above = cell?.place ? () => this.run(this.#above(cell)) : null;
    cell?.tell(`Stopped. ${words.LOST}`, "Run all above", above);
  }

  on_failed({ text }) {
    if (this.#isOpen) this.#lost();
    this.panel.failed(words.gone(text, this.#isOpen));
  }

  /** The exercise's box, which readers in JupyterLab tick themselves. */
  #solve(box) {
    if (!box || box.checked) return;
    box.checked = true;
    record(box.dataset.point, "solved");
  }

  /** Python ended: nothing has run any more. */
  #lost() {
    this.#ledger.forget();
    this.#batch = [];
    for (const cell of this.cells) cell.output?.end({ compared: false });
    this.pictures.lose();
    this.#marks();
  }

  /** A name is missing, and cells that may make it haven't run: say so where the error is. */
  #offerAbove(cell) {
    if (cell.output?.failed !== "NameError" || !cell.freshAbove) return;
    const both = () => this.run([...this.#above(cell), cell]);
    cell.tell("Cells above haven't run; one of them may make that name.", "Run all above, then this cell", both);
  }
}
