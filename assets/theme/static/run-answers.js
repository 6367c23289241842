// The cells that are the reader's: kept while they are written, put back on the next visit.

import { h } from "./run-nodes.js";
import { answersOf, asProgram, editionOf, forgetAnswers, keepAnswer } from "./run-store.js";

export class Answers {
  constructor(cells, panel) {
    this.panel = panel;
    this.cells = cells.filter((cell) => cell.kept);
    this.editions = new Map(this.cells.map((cell) => [cell, this.#edition(cell, cells)]));
    const main = document.querySelector("main");
    this.chapter = main.dataset.chapter;
    this.name = main.querySelector("h1").textContent.replace(/\s+/g, " ").trim();
    this.warned = false;
  }

  /** An answer belongs to an exercise as it is, its stub, check and solution; the rest of the chapter may change. */
  #edition(cell, cells) {
    const exercise = cell.exercise ? cells.filter((each) => each.exercise === cell.exercise) : [cell];
    return editionOf(exercise.map(({ source }) => source));
  }

  get changed() {
    return this.cells.filter((cell) => cell.isChanged);
  }

  keep(cell) {
    if (!cell.kept) return;
    const answer = cell.isChanged ? { edition: this.editions.get(cell), text: cell.text } : null;
    const stays = keepAnswer(this.chapter, cell.kept.key, answer);
    if (!stays && !this.warned) this.panel.say("This browser keeps nothing for this site: download your answers before you leave the page.");
    this.warned ||= !stays;
    this.panel.answers(this.changed.length);
  }

  /** Put answers into their cells; one to another edition is only offered. Returns how many. */
  restore() {
    let count = 0;
    for (const [key, { edition, text }] of answersOf(this.chapter)) {
      const cell = this.cells.find((each) => each.kept.key === key);
      if (!cell || text === cell.shown) continue;
      if (edition === this.editions.get(cell)) {
        cell.editor.restore(text);
        count += 1;
      } else this.#offer(cell, text);
    }
    this.panel.answers(this.changed.length);
    return count;
  }

  #offer(cell, text) {
    cell.tell("You answered an earlier edition of this exercise.", "Put it here", () => {
      cell.editor.replace(text);
      cell.editor.focus();
    });
  }

  download() {
    const program = asProgram(this.name, this.changed.map((cell) => [cell.kept.title, cell.text]));
    const address = URL.createObjectURL(new Blob([program], { type: "text/x-python" }));
    h("a", { href: address, download: `${this.chapter}-answers.py` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  clear() {
    forgetAnswers(this.chapter);
    for (const cell of this.changed) cell.editor.replace(cell.shown);
    this.panel.answers(0);
    this.panel.say("Your answers to this chapter are gone from this browser.");
  }
}
