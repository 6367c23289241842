// The book's parts and chapters: at the side of every page, and with claims on the front page.

import { attributes, html, join } from "./html.mjs";
import { textOf } from "./tree.mjs";

/** Entries without the front page, as groups `{part, entries}` in order. */
export function partsOf(entries) {
  const groups = [];
  for (const entry of entries.filter((each) => !each.isIndex)) {
    const last = groups.at(-1);
    if (last && last.part === entry.part) last.entries.push(entry);
    else groups.push({ part: entry.part, entries: [entry] });
  }
  return groups;
}

/** Number and name of a page; the number has a column of its own. */
export function entryName(entry) {
  const number = entry.number && html`<span class="number">${entry.number}</span> `;
  return html`${number}<span class="name">${entry.name}</span>`;
}

/** The list beside each page. `sections` are the headings of the page that is open. */
export function sideContents(site, open, sections) {
  const groups = partsOf(site.entries).map(
    ({ part, entries }) => html`${part && html`<p class="part">${part}</p>`}
<ul>${entries.map((entry) => sideEntry(site, entry, open, sections))}</ul>`,
  );
  const current = open.isIndex ? "page" : null;
  return html`<ul><li><a${attributes({ href: site.href("/"), "aria-current": current })}>Front page</a></li></ul>${groups}`;
}

function sideEntry(site, entry, open, sections) {
  const here = entry === open;
  const values = { href: site.href(entry.url), "aria-current": here ? "page" : null };
  const below = here && sections.length > 0 && html`<ul class="sections">${sections
    .filter((section) => section.depth === 2)
    .map((section) => html`<li><a href="#${section.id}">${section.text}</a></li>`)}</ul>`;
  return html`<li><a${attributes(values)}>${entryName(entry)}</a>${below}</li>`;
}

/** The front page's table of contents: chapters with their claims and minutes. */
export function contentsList(site) {
  const groups = partsOf(site.entries).map(({ part, entries }) => {
    const items = entries.map((entry) => fullEntry(site, entry));
    return html`<div class="contents-part">${part && html`<h3>${part}</h3>`}<ol>${items}</ol></div>`;
  });
  return html`<div class="contents-list">${join(groups)}</div>`;
}

function fullEntry(site, entry) {
  const line = entry.claim ? textOf(entry.claim) : entry.description;
  const minutes = entry.minutes &&
    html` <span class="minutes">${entry.minutes.total} minutes</span>`;
  return html`<li><a href="${site.href(entry.url)}">${entryName(entry)}</a>${minutes}
${line && html`<p>${line}</p>`}</li>`;
}
