// The button "Run this page". Everything else is fetched when it is pressed.

/** How many answers this browser keeps for the chapter; `run-store.js` puts them there. */
function keptAnswers() {
  try {
    const { chapter } = document.querySelector("main").dataset;
    return Object.keys(JSON.parse(localStorage.getItem("book-answers"))?.[chapter] ?? {}).length;
  } catch {
    return 0;
  }
}

export function setUpRunning(place) {
  const start = place.querySelector(".run-start");
  const cost = place.querySelector(".run-cost");
  if (typeof Worker === "undefined" || typeof WebAssembly === "undefined") {
    start.remove();
    cost.textContent = "This browser can't run Python. The chapter runs in JupyterLab: make lab.";
    return;
  }
  if (keptAnswers()) cost.append(" Your answers from before are put in again.");
  const begin = async () => {
    start.removeEventListener("click", begin);
    try {
      const { openPage } = await import("./run-page.js");
      await openPage(place);
    } catch (error) {
      console.error(error);
      cost.textContent = "What runs this page could not be loaded: is there a network? The page is as it was.";
      start.addEventListener("click", begin);
    }
  };
  start.addEventListener("click", begin);
  start.disabled = false; // a click before this would have been lost
}
