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

export function setUpFolds() {
  let opened = [];
  addEventListener("hashchange", openTarget);
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("main details:not([open])")];
    opened.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => {
    opened.forEach((fold) => { fold.open = false; });
    opened = [];
  });
  openTarget();
}
