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
  const below = here && sections.length > 0 && html`<ul class="sections">${sections.map(section)}</ul>`;
  return html`<li><a${attributes(values)}>${entryName(entry)}</a>${points(entry)}${below}</li>`;
}

const section = ({ id, text, depth }) =>
  html`<li class="depth-${depth}"><a href="#${id}">${text}</a></li>`;

/** Cells for the guesses and exercises of a chapter; the browser fills those that are done. */
function points(entry) {
  if (!entry.points) return null;
  const values = { class: "points needs-script", "data-chapter": entry.slug, "data-total": entry.points };
  return html`<span${attributes(values)}><span class="track"></span><span class="count-of"></span></span>`;
}

/** The front page's table of contents: a path of chapters with claims, minutes and progress. */
export function contentsList(site) {
  const groups = partsOf(site.entries).map(({ part, entries }) => {
    const isPath = entries.some((entry) => entry.number);
    const items = isPath ? path(site, entries) : entries.map((entry) => fullEntry(site, entry));
    const title = part && html`<h3>${part}</h3>`;
    return html`<div class="contents-part ${isPath ? "path" : "shelf"}">${title}<ol>${items}</ol></div>`;
  });
  return html`<div class="contents-list">${join(groups)}</div>`;
}

/** Chapters of one part, and behind the last of them those that are still to be written. */
function path(site, entries) {
  const numbers = site.entries.filter((entry) => entry.number).map((entry) => Number(entry.number));
  const last = Math.max(...entries.map((entry) => Number(entry.number ?? -1)));
  const next = Math.min(...numbers.filter((number) => number > last));
  const missing = site.planned.filter(({ number }) => number > last && number < next);
  return [...entries.map((entry) => fullEntry(site, entry)), ...missing.map(plannedEntry)];
}

function plannedEntry({ number, name }) {
  return html`<li class="planned"><span class="cell-number">${number}</span>
<div class="stop"><p class="name">${name}<span class="minutes">to be written</span></p></div></li>`;
}

function fullEntry(site, entry) {
  const line = entry.claim ? textOf(entry.claim) : entry.description;
  const minutes = entry.minutes && html`<span class="minutes">${entry.minutes.total} minutes</span>`;
  const { number } = entry;
  const shown = number && html`<span class="cell-number" aria-hidden="true">${number}</span>`;
  const spoken = number && html`<span class="unseen">${number} · </span>`;
  return html`<li>${shown}<div class="stop">
<p class="name"><a href="${site.href(entry.url)}">${spoken}${entry.name}</a>${minutes}</p>
${line && html`<p class="line">${line}</p>`}${points(entry)}</div></li>`;
}
