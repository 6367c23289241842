// Search in the page: the index is fetched from this host when the search is opened, and made here.

import { excerpt } from "./excerpt.js";
import { inOwnWords, stem } from "./words.js";

const MOST = 12;
/** The glossary says what a word means; an exercise only uses it. */
const WEIGHTS = { term: 2, page: 1.2, section: 1, exercise: 0.6 };

export function makeIndex(MiniSearch, records) {
  const index = new MiniSearch({
    fields: ["title", "page", "text", "hidden", "code"],
    storeFields: ["url", "anchor", "page", "title", "text", "kind"],
    processTerm: (term) => [...new Set([term.toLowerCase(), stem(term.toLowerCase())])],
  });
  index.addAll(records.map((record, id) => ({ id, ...record })));
  return index;
}

/** The best sections for a query: those with all its words, or else with some. */
export function find(index, query) {
  const own = inOwnWords(query);
  const asked = own ? { combineWith: "OR", queries: [query, own].map(allWords) } : allWords(query);
  const options = {
    boost: { title: 4, page: 2, hidden: 0.6, code: 0.4 },
    boostDocument: (id, term, stored) => WEIGHTS[stored.kind] ?? 1,
    processTerm: (term) => term.toLowerCase(),
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 4 ? 0.15 : false),
  };
  const all = index.search(asked, options);
  const hits = all.length ? all : index.search(own ?? query, { ...options, combineWith: "OR" });
  return hits.slice(0, MOST);
}

/** Each word as it stands or by its stem. */
function allWords(query) {
  const words = query.trim().toLowerCase().split(/\s+/);
  const either = (word) => ({ combineWith: "OR", queries: [word, stem(word)] });
  return { combineWith: "AND", queries: words.map(either) };
}

export function countText(query, hits) {
  if (!query.trim()) return "";
  if (!hits.length) return `Nothing found for “${query.trim()}”.`;
  return hits.length === 1 ? "1 section" : `${hits.length === MOST ? "The best " : ""}${hits.length} sections`;
}

function hitItem(hit, base) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `${base}${hit.url}${hit.anchor ? `#${hit.anchor}` : ""}`;
  const title = document.createElement("strong");
  title.textContent = hit.title;
  link.append(title);
  if (hit.page !== hit.title) {
    const page = document.createElement("span");
    page.className = "page";
    page.textContent = hit.page;
    link.append(" ", page);
  }
  const words = document.createElement("span");
  words.className = "words";
  for (const piece of excerpt(hit.text, hit.terms)) {
    const node = document.createElement(piece.hit ? "mark" : "span");
    node.textContent = piece.text;
    words.append(node);
  }
  link.append(words);
  item.append(link);
  return item;
}

/** Up and down walk through the field and the hits. */
function walk(event, stops) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const at = stops.indexOf(document.activeElement);
  if (!step || at < 0 || !stops[at + step]) return;
  event.preventDefault();
  stops[at + step].focus();
}

export function setUpSearch(button, dialog) {
  const input = dialog.querySelector("input");
  const list = dialog.querySelector(".hits");
  const count = dialog.querySelector(".count");
  const { base, engine, index: address } = dialog.dataset;
  let loading = null;

  const load = async () => {
    const [{ default: MiniSearch }, response] = await Promise.all([import(engine), fetch(address)]);
    return makeIndex(MiniSearch, await response.json());
  };
  const show = async () => {
    const query = input.value;
    try {
      loading ??= load();
      const index = await loading;
      if (query !== input.value) return; // more was typed meanwhile
      const hits = query.trim() ? find(index, query) : [];
      list.replaceChildren(...hits.map((hit) => hitItem(hit, base)));
      count.textContent = countText(query, hits);
    } catch {
      loading = null;
      count.textContent = "The search could not be loaded.";
    }
  };
  const open = () => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    show();
  };

  button.addEventListener("click", open);
  input.addEventListener("input", show);
  dialog.addEventListener("keydown", (event) => {
    walk(event, [input, ...list.querySelectorAll("a")]);
    if (event.key === "Escape") {
      event.preventDefault(); // a search field would only empty itself
      dialog.close();
    }
    if (event.key === "Enter" && event.target === input) {
      event.preventDefault();
      list.querySelector("a")?.click();
    }
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest(".hits a")) dialog.close();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select");
    if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) {
      event.preventDefault();
      open();
    }
  });
}
