// Folds open when something inside is the target of a link, and all of them on paper.

function openAround(element) {
  for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
    fold.open = true;
  }
}

function openTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id && document.getElementById(id);
  if (!target) return;
  openAround(target);
  target.scrollIntoView();
}

/** On paper solutions come after everything else, each below the name of its exercise. */
function solutionsAtTheEnd() {
  const solved = [...document.querySelectorAll("main .workshop")].filter((box) => box.querySelector(SOLUTION));
  if (!solved.length) return null;
  const section = document.createElement("section");
  section.className = "answers text";
  section.append(heading("h2", "Solutions"));
  for (const box of solved) {
    const copy = box.querySelector(SOLUTION).cloneNode(true);
    copy.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
    section.append(heading("h3", box.querySelector(".exercise h3").textContent.trim()), copy);
  }
  document.querySelector("main").append(section);
  return section;
}

const SOLUTION = "details.solution > .folded";

function heading(level, words) {
  const made = document.createElement(level);
  made.textContent = words;
  return made;
}

export function setUpFolds() {
  let opened = [];
  let answers = null;
  addEventListener("hashchange", openTarget);
  addEventListener("beforeprint", () => {
    answers = solutionsAtTheEnd();
    opened = [...document.querySelectorAll("main details:not([open])")];
    opened.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => {
    opened.forEach((fold) => { fold.open = false; });
    opened = [];
    answers?.remove();
    answers = null;
  });
  openTarget();
}
