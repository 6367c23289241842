// Small helps for reading: copy code, reach what scrolls by keyboard, see where one is.

const SCROLLERS = "main pre, main .table, main .math, main .output-html, main .picture";

function copyButton(code) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.querySelector("code").textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

export function setUpCopying() {
  if (!navigator.clipboard) return; // only pages from https or this machine may copy
  document.querySelectorAll("main .code").forEach((code) => code.append(copyButton(code)));
}

const measure = (part) => ({
  part,
  wide: part.scrollWidth > part.clientWidth + 1,
  atEnd: part.scrollLeft + part.clientWidth > part.scrollWidth - 8,
});

function mark({ part, wide, atEnd }) {
  part.toggleAttribute("data-wide", wide);
  part.toggleAttribute("data-end", wide && atEnd);
  if (wide === part.hasAttribute("tabindex")) return;
  if (wide) {
    part.tabIndex = 0;
    part.setAttribute("role", "group");
    part.setAttribute("aria-label", "Wider than the page; scrolls sideways");
  } else {
    ["tabindex", "role", "aria-label"].forEach((name) => part.removeAttribute(name));
  }
}

let observer = null;

/** What is wider than its place can be scrolled by keyboard, and fades at the edge; what isn't is no stop. */
export function watchScroller(element) {
  // All are measured before one is marked, or the page would be laid out once for each.
  observer ??= new ResizeObserver((entries) => entries.map(({ target }) => measure(target)).forEach(mark));
  observer.observe(element);
  element.addEventListener("scroll", () => mark(measure(element)), { passive: true });
}

/** A part that has become something else, which isn't to be marked any more. */
export function forgetScroller(element) {
  observer?.unobserve(element);
  mark({ part: element, wide: false, atEnd: false });
}

export function setUpScrollers() {
  document.querySelectorAll(SCROLLERS).forEach(watchScroller);
}

/** The section whose heading was passed last: `tops` are distances from the window's top. */
export function currentSection(tops, line = 120) {
  let current = -1;
  tops.forEach((top, at) => { if (top <= line) current = at; });
  return current;
}

/** Scrolls the list of contents alone: scrollIntoView would move the page, too. */
function keepInView(link) {
  const list = link.closest(".contents");
  const [there, here] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
  if (there.top < here.top + 40 || there.bottom > here.bottom - 40) {
    list.scrollTop += there.top - here.top - here.height / 2;
  }
}

export function setUpOutline() {
  const links = [...document.querySelectorAll(".contents .sections a")];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  if (!links.length) return;
  let waiting = false;
  const update = () => {
    waiting = false;
    // At the end of a page its last section is current, however short it is.
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
    const current = atEnd ? links.length - 1 : currentSection(targets.map((target) => target.getBoundingClientRect().top));
    links.forEach((link, at) => {
      if (at === current) {
        if (!link.hasAttribute("aria-current")) keepInView(link);
        link.setAttribute("aria-current", "true");
      }
      else link.removeAttribute("aria-current");
    });
  };
  addEventListener("scroll", () => {
    if (!waiting) requestAnimationFrame(update);
    waiting = true;
  }, { passive: true });
  update();
}

/** On a small screen the contents lie over the page; a link in them puts them away. */
export function setUpContents(contents) {
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a") && contents.matches(":popover-open")) contents.hidePopover();
  });
}
