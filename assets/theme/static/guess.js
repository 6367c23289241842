// A guess first, the result after it: the web's counterpart of `guess = …` and `compare`.

import { verdictOn } from "./judge.js";
import { recall, record } from "./progress.js";

/** What stands where something waits. */
function veil() {
  const note = document.createElement("p");
  note.className = "veil";
  note.textContent = "Waits for your guess.";
  return note;
}

function part(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** One prediction: its form, its verdict, and the parts of the page that wait for it. */
class Prediction {
  constructor(section) {
    this.section = section;
    this.point = section.dataset.point;
    this.form = section.querySelector("form");
    this.input = section.querySelector("input");
    this.says = section.querySelector(".says");
    this.veiled = [...document.querySelectorAll(`[data-veil="${this.point}"]`)].filter((node) => node.childNodes.length);
    this.note = veil();
    this.veiled[0]?.before(this.note);
    this.#listen();
    const before = recall(this.point);
    if (before === undefined) this.hide();
    else this.tell(before);
  }

  #listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const said = this.input?.value.trim();
      if (said) this.answer(said);
      else this.input?.focus();
    });
    this.form.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button?.classList.contains("choice")) this.answer(button.value);
      if (button?.classList.contains("plain")) this.answer("");
    });
    // Whoever searches the page for something hidden has asked to see it.
    for (const node of this.veiled) node.addEventListener("beforematch", () => this.answer(""));
  }

  hide() {
    delete this.section.dataset.told;
    this.says.replaceChildren();
    for (const node of this.veiled) node.setAttribute("hidden", "until-found");
    this.note.hidden = false;
  }

  answer(said) {
    record(this.point, said);
    this.tell(said);
    this.section.focus({ preventScroll: true }); // the form, and what had the focus in it, is gone
  }

  tell(said) {
    const { answer, likely = "[]" } = this.section.dataset;
    const { kind, sign, before, after } = verdictOn(said, answer, JSON.parse(likely));
    const again = part("button", "again", "guess again");
    again.type = "button";
    again.addEventListener("click", () => {
      record(this.point, null);
      this.hide();
      (this.input ?? this.form.querySelector("button")).focus();
    });
    const mark = part("span", `sign is-${kind}`, `${sign} `);
    this.says.replaceChildren(mark, before, part("strong", "", answer), after, " ", again);
    this.section.dataset.told = kind;
    for (const node of this.veiled) node.removeAttribute("hidden");
    this.note.hidden = true;
  }
}

export function setUpPredictions() {
  for (const section of document.querySelectorAll(".predict")) new Prediction(section);
}

/** One multiple choice. A second click changes the answer; the reasons stay open. */
function setUpQuiz(quiz) {
  const { point, right } = quiz.dataset;
  const buttons = [...quiz.querySelectorAll("li button")];
  const show = (said) => {
    for (const button of buttons) {
      const chosen = button.value === said;
      const kind = button.value === right ? "right" : chosen ? "wrong" : "";
      button.setAttribute("aria-pressed", String(chosen));
      button.className = kind && `is-${kind}`;
      button.querySelector(".sign").textContent = { right: "✓", wrong: "✗" }[kind] ?? "";
    }
    quiz.querySelector("details").open = true;
    quiz.querySelector(".says").textContent = said === right ? "Right." : `Not ${said}: it is ${right}.`;
    quiz.dataset.told = "";
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      record(point, button.value);
      show(button.value);
    });
  }
  const before = recall(point);
  if (before) show(before);
}

export function setUpQuizzes() {
  document.querySelectorAll(".quiz").forEach(setUpQuiz);
}

/** Exercises are solved in a notebook; a box says so to this page. */
export function setUpSolved() {
  for (const box of document.querySelectorAll(".solved input")) {
    box.checked = recall(box.dataset.point) !== undefined;
    box.addEventListener("change", () => record(box.dataset.point, box.checked ? "solved" : null));
  }
}
