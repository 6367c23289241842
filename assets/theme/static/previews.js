// What a link within the book leads to, shown beside it: a term's definition, a figure, a work.

const LINKS = "a.term, a.reference, a.cite";
const WAIT = 250; // milliseconds of rest before a preview opens
const GAP = 8; // pixels between the link and its preview

const pages = new Map(); // address -> promise of its document

function pageAt(address) {
  if (address === location.pathname) return Promise.resolve(document);
  if (!pages.has(address)) {
    const read = fetch(address)
      .then((response) => response.text())
      .then((text) => new DOMParser().parseFromString(text, "text/html"));
    read.catch(() => pages.delete(address));
    pages.set(address, read);
  }
  return pages.get(address);
}

/** Where the preview goes: below the link if there is room, else above; inside the window. */
export function placeOf(link, size, windowSize) {
  const fitsBelow = link.bottom + GAP + size.height <= windowSize.height;
  const top = fitsBelow ? link.bottom + GAP : Math.max(GAP, link.top - GAP - size.height);
  const left = Math.max(GAP, Math.min(link.left, windowSize.width - size.width - GAP));
  return { left, top };
}

/** A copy of what is worth showing of a link's target, without what could be acted on; or null. */
function copyOf(target) {
  const isTerm = target?.matches("dt");
  const shown = isTerm ? target.nextElementSibling : target?.closest("figure, li, .figure-caption");
  if (!shown) return null;
  const copy = document.createElement("div");
  if (isTerm) {
    const name = document.createElement("p");
    name.className = "preview-title";
    name.textContent = target.textContent;
    copy.append(name);
  }
  copy.append(...[...shown.cloneNode(true).childNodes]);
  copy.querySelectorAll("[id]").forEach((node) => node.removeAttribute("id"));
  copy.querySelectorAll("button, input, script, .pa-host").forEach((node) => node.remove());
  copy.querySelectorAll("a").forEach((link) => link.replaceWith(...link.childNodes));
  copy.querySelectorAll("[tabindex]").forEach((node) => node.removeAttribute("tabindex"));
  return copy;
}

class Preview {
  #box = null;
  #link = null;
  #timer = null;

  constructor(main) {
    main.addEventListener("pointerover", ({ target, pointerType }) => {
      const link = target.closest(LINKS);
      if (link && pointerType !== "touch") this.#soon(link); // a finger follows the link
    });
    main.addEventListener("pointerout", ({ relatedTarget }) => {
      if (!this.#box?.contains(relatedTarget)) this.#later();
    });
    main.addEventListener("focusin", ({ target }) => {
      if (target.matches(LINKS) && target.matches(":focus-visible")) this.#soon(target);
    });
    main.addEventListener("focusout", () => this.hide());
    addEventListener("keydown", ({ key }) => key === "Escape" && this.hide());
  }

  #soon(link) {
    clearTimeout(this.#timer);
    if (link === this.#link) return;
    this.#timer = setTimeout(() => this.#show(link), WAIT);
  }

  /** The pointer may be on its way into the preview. */
  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), WAIT);
  }

  hide() {
    clearTimeout(this.#timer);
    this.#link?.removeAttribute("aria-describedby");
    this.#box?.remove();
    this.#box = this.#link = null;
  }

  async #show(link) {
    this.hide();
    this.#link = link;
    const there = await pageAt(link.pathname).catch(() => null);
    const copy = copyOf(there?.getElementById(decodeURIComponent(link.hash.slice(1))));
    if (!copy || this.#link !== link) return; // the reader has gone on
    const box = document.createElement("div");
    box.className = "preview";
    box.id = "book-preview";
    box.setAttribute("role", "tooltip");
    box.append(...copy.childNodes);
    box.addEventListener("pointerenter", () => clearTimeout(this.#timer));
    box.addEventListener("pointerleave", () => this.#later());
    link.setAttribute("aria-describedby", box.id);
    document.querySelector("main").append(box);
    this.#box = box;
    const place = placeOf(link.getClientRects()[0], box.getBoundingClientRect(), { width: innerWidth, height: innerHeight });
    box.style.left = `${place.left}px`;
    box.style.top = `${place.top}px`;
  }
}

export const setUpPreviews = (main) => new Preview(main);
