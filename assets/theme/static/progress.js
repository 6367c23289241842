// What a reader guessed, chose and solved, kept by this browser alone:
// {"chapter": {"point": "said"}}, the chapter that was worked in last at the end.

const KEY = "book-progress";
let unstored = null; // where storage is forbidden, progress holds for this page

export function allProgress() {
  if (unstored) return unstored;
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    return found && typeof found === "object" ? found : {};
  } catch {
    return {}; // storage may be forbidden, or hold something else
  }
}

const chapterHere = () => document.querySelector("main").dataset.chapter;

/** What was said at a point of this page, or undefined. */
export function recall(point) {
  return allProgress()[chapterHere()]?.[point];
}

/** `all` with what was said at a point, or without it when `said` is null. Changes nothing. */
export function withPoint(all, chapter, point, said) {
  const { [chapter]: before = {}, ...others } = all;
  const { [point]: _, ...rest } = before;
  return { ...others, [chapter]: said === null ? rest : { ...rest, [point]: said } };
}

/** Stores what was said at a point of this page, or forgets it when `said` is null. */
export function record(point, said) {
  const all = withPoint(allProgress(), chapterHere(), point, said);
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    unstored = all;
  }
  setUpProgress();
}

/** How many of a chapter's points are done. On its own page, points that it no longer has don't count. */
function countDone(all, { chapter, total }) {
  const said = Object.keys(all[chapter] ?? {});
  const here = new Set([...document.querySelectorAll("main [data-point]")].map((node) => node.dataset.point));
  const known = chapter === chapterHere() ? said.filter((point) => here.has(point)) : said;
  return Math.min(Number(total), known.length);
}

/** Draws how many points of each chapter are done, and says where to go on. */
export function setUpProgress() {
  const all = allProgress();
  const begun = new Map();
  for (const points of document.querySelectorAll(".points")) {
    const total = Number(points.dataset.total);
    const done = countDone(all, points.dataset);
    points.style.setProperty("--total", total);
    points.style.setProperty("--done", done);
    points.toggleAttribute("data-begun", done > 0);
    const stop = points.closest(".path li");
    stop?.toggleAttribute("data-begun", done > 0);
    stop?.toggleAttribute("data-done", done === total);
    points.querySelector(".count-of").textContent = done === total ? `all ${total}` : `${done} of ${total}`;
    if (done > 0 && done < total) begun.set(points.dataset.chapter, points);
  }
  goOn(begun.get(Object.keys(all).findLast((chapter) => begun.has(chapter))));
}

/** "You were in …", for the chapter that was worked in last and isn't done. */
function goOn(points) {
  const place = document.querySelector(".going-on");
  const link = points?.closest("li").querySelector("a");
  if (!place) return;
  place.hidden = !link;
  if (!link) return;
  const again = document.createElement("a");
  again.href = link.href;
  again.textContent = link.textContent;
  place.replaceChildren("You were in ", again, ".");
}
