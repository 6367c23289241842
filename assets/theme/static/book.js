// Everything here is a help: without scripts the book reads the same.

import { setUpAppearance } from "./appearance.js";
import { setUpFolds } from "./folds.js";
import { setUpContents, setUpCopying, setUpOutline, setUpScrollers } from "./reading.js";
import { setUpSearch } from "./search.js";

setUpAppearance(document.querySelector(".dark-switch"));
setUpSearch(document.querySelector(".search-button"), document.querySelector("dialog.search"));
setUpContents(document.getElementById("book-contents"));
setUpFolds();
setUpCopying();
setUpScrollers();
setUpOutline();

if (document.querySelector(".pa-host")) {
  // If the module fails, the static pictures stay.
  import("./pictures.js").then(({ mountAll }) => mountAll(document));
}
