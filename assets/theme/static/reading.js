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

/** What is wider than its place can be scrolled by keyboard; what isn't is no stop. */
export function setUpScrollers() {
  const look = ({ target }) => {
    if (target.scrollWidth > target.clientWidth) {
      target.tabIndex = 0;
      target.setAttribute("role", "group");
      target.setAttribute("aria-label", "Wider than the page; scrolls sideways");
    } else {
      ["tabindex", "role", "aria-label"].forEach((name) => target.removeAttribute(name));
    }
  };
  const observer = new ResizeObserver((entries) => entries.forEach(look));
  document.querySelectorAll(SCROLLERS).forEach((element) => observer.observe(element));
}

/** The section whose heading was passed last: `tops` are distances from the window's top. */
export function currentSection(tops, line = 120) {
  let current = -1;
  tops.forEach((top, at) => { if (top <= line) current = at; });
  return current;
}

export function setUpOutline() {
  const links = [...document.querySelectorAll(".outline a")];
  const targets = links.map((link) => document.getElementById(link.hash.slice(1)));
  if (!links.length) return;
  let waiting = false;
  const update = () => {
    waiting = false;
    const current = currentSection(targets.map((target) => target.getBoundingClientRect().top));
    links.forEach((link, at) => {
      if (at === current) link.setAttribute("aria-current", "true");
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
