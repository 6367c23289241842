// Everything here is a help: without scripts the book reads the same.

import { setUpAppearance } from "./appearance.js";
import { setUpFolds } from "./folds.js";
import { setUpPredictions, setUpQuizzes, setUpSolved } from "./guess.js";
import { whenNear } from "./near.js";
import { setUpPreviews } from "./previews.js";
import { setUpProgress } from "./progress.js";
import { setUpContents, setUpCopying, setUpOutline, setUpScrollers } from "./reading.js";
import { setUpSearch } from "./search.js";

setUpAppearance(document.querySelector(".dark-switch"));
setUpSearch(document.querySelector(".search-button"), document.querySelector("dialog.search"));
setUpContents(document.getElementById("book-contents"));
setUpPredictions();
setUpQuizzes();
setUpSolved();
setUpProgress();
setUpFolds();
setUpCopying();
setUpScrollers();
setUpOutline();
setUpPreviews(document.querySelector("main"));

const walk = document.querySelector(".walk");
if (walk) import("./walk.js").then(({ setUpWalk }) => setUpWalk(walk));

const running = document.querySelector(".run-page");
if (running) import("./run.js").then(({ setUpRunning }) => setUpRunning(running));

// If the module fails, the static pictures stay.
whenNear(document.querySelectorAll(".pa-host"), () =>
  import("./pictures.js").then(({ mountAll }) => mountAll(document)));
