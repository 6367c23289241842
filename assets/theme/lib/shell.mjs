// What stands around every page: head, top bar, contents, what is on this page, the way on.

import { attributes, html, trusted } from "./html.mjs";
import { entryName, sideContents } from "./contents.mjs";
import { takeCover } from "./cover.mjs";
import { citation, frontSections, hero } from "./front.mjs";
import { icon } from "./icons.mjs";
import { launchLinks } from "./launch.mjs";
import { footnotes, referenceList } from "./nodes/references.mjs";
import { runPlace, runningOf } from "./running.mjs";
import { sharingTags } from "./sharing.mjs";
import { textOf } from "./tree.mjs";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

function head(site, entry, { title, description, theme, hasMath, hasPictures }) {
  const full = title === site.title ? title : `${title} – ${site.title}`;
  return html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${full}</title>
<meta name="description" content="${description}">
${sharingTags(site, entry, { title, description, theme })}
<link rel="preload" href="${theme}/fonts/literata.woff2" as="font" type="font/woff2" crossorigin="anonymous">
<link rel="icon" href="${theme}/icon.svg" type="image/svg+xml">
${hasMath && html`<link rel="stylesheet" href="${theme}/katex/katex.css">
<link rel="stylesheet" href="${theme}/katex/styles.css">`}
${hasPictures && html`<link rel="stylesheet" href="${theme}/pictures.css">`}
<link rel="stylesheet" href="${theme}/book.css">
<script src="${theme}/early.js"></script>
<script type="module" src="${theme}/book.js"></script>
</head>`;
}

function topBar(site) {
  return html`<header class="top">
<button class="icon-button menu" type="button" popovertarget="book-contents" aria-label="Contents">${icon("menu")}</button>
<a class="brand" href="${site.href("/")}">${icon("mark")}${site.title}</a>
<button class="search-button needs-script" type="button" aria-haspopup="dialog" aria-label="Search">${icon("search")}<span>Search</span> <kbd>/</kbd></button>
<button class="icon-button dark-switch needs-script" type="button" aria-pressed="false" aria-label="Dark mode">${icon("moon")}</button>
</header>`;
}

function searchDialog(site, theme) {
  return html`<dialog class="search" aria-label="Search the book" data-index="${site.base}/search.json" data-base="${site.base}" data-engine="${theme}/minisearch.js">
<form method="dialog"><input type="search" aria-label="Search for" placeholder="Search the book" autocomplete="off" spellcheck="false">
<button type="submit">Close</button></form>
<p class="count" role="status"></p><ul class="hits"></ul></dialog>`;
}

/** Minutes, exercises and what comes before, for a chapter. */
function facts(site, entry) {
  if (!entry.minutes) return null;
  const { total, reading, exercises, needs } = entry.minutes;
  const before = needs.map((number) => {
    const chapter = site.chapter(number);
    return chapter
      ? html`<a href="${site.href(chapter.url)}" title="${chapter.name}">chapter ${number}</a>`
      : html`chapter ${number}`;
  });
  const listed = before.map((item, at) => html`${at > 0 && (at === before.length - 1 ? " and " : ", ")}${item}`);
  return html`<dl class="facts">
<div><dt>time</dt><dd>about ${total} minutes: ${reading} to read and run, ${exercises} for the exercises</dd></div>
<div><dt>exercises</dt><dd>${entry.exercises.all}${entry.exercises.optional > 0 && `, ${entry.exercises.optional} of them optional`}</dd></div>
<div><dt>needs</dt><dd>${before.length ? listed : entry.minutes.words || "nothing before it"}</dd></div>
<div><dt>runs</dt><dd>${runningOf(site, entry) ? "on this page and " : ""}in JupyterLab: <code>make lab</code></dd></div>
</dl>`;
}

function actions(site, entry) {
  const links = launchLinks(site.options, entry.location).map(
    ({ label, url }) => html`<a class="button outside" href="${url}" rel="noopener">${label}</a>`,
  );
  const notebook = entry.notebook && html`<a class="button" href="${site.asset(entry.notebook.url)}" download="${entry.notebook.filename}">${icon("download")}Download the notebook</a>`;
  return (notebook || links.length > 0) && html`<p class="actions">${notebook}${links}</p>`;
}

function pageHeader(site, page) {
  const { entry } = page;
  const number = entry.number && html`<span class="number">${entry.number}</span> `;
  const claim = entry.claim && html`<div class="claim">${page.children(entry.claim)}</div>`;
  return html`<header class="page-header">
${entry.part && html`<p class="part">${entry.part}</p>`}
<h1>${number}${entry.name}</h1>
${entry.subtitle && html`<p class="subtitle">${entry.subtitle}</p>`}
${claim}<div class="header-side">${facts(site, entry)}${actions(site, entry)}</div>
${runPlace(runningOf(site, entry))}</header>`;
}

function wayOn(site, entry) {
  const { previous, next } = site.around(entry);
  const step = (there, rel, label) => there && html`<a${attributes({ rel, href: site.href(there.url), class: rel })}>
<span class="label">${label}</span> <span>${there.isIndex ? "Front page" : entryName(there)}</span></a>`;
  return html`<nav class="way-on" aria-label="Previous and next page">
${step(previous, "prev", "Previous")}${step(next, "next", "Next")}</nav>`;
}

function footer(site) {
  const { content, code } = site.licence;
  return html`<footer class="page-footer"><p>${content && html`Text and pictures: <a href="${content.url}" rel="license noopener">${content.id}</a>. `}${code && html`Code: <a href="${code.url}" rel="noopener">${code.id}</a>. `}This page asks no other host for anything.</p></footer>`;
}

const mainOf = ({ chapter, running }) => ({
  id: "book-main",
  tabindex: "-1",
  "data-chapter": chapter,
  "data-run": running?.cells,
  "data-run-bytes": running?.bytes,
});

function document(site, parts) {
  return html`${trusted("<!doctype html>")}
<html lang="en-GB">
${parts.head}
<body>
<a class="skip" href="#book-main">Skip to the text</a>
${topBar(site)}
<div class="layout${parts.open && " open"}">
<nav class="contents" id="book-contents" aria-label="Contents of the book" popover>${parts.contents}</nav>
<main${attributes(mainOf(parts))}>${parts.main}</main>
</div>
${footer(site)}
${searchDialog(site, parts.theme)}
</body>
</html>
`;
}

/** Draws what is the page's own. Every page is drawn before the first document is written. */
export function drawPage(site, page) {
  const { entry } = page;
  const cover = entry.isIndex && takeCover(entry.root);
  if (cover) {
    const sections = html`${frontSections(page, cover.root)}${citation(site)}`;
    return html`${hero(site, page, cover)}<div class="text front">${sections}</div>`;
  }
  const header = pageHeader(site, page);
  const body = page.render();
  const cited = Object.entries(entry.cited).map(([label, cite]) => ({ ...cite, label }));
  const references = cited.length > 0 && !page.listsReferences &&
    html`<section class="cited"><h2 id="book-references">References</h2>${referenceList(cited, page)}</section>`;
  return html`${header}<div class="text">${body}${footnotes(page)}${references}</div>${wayOn(site, entry)}`;
}

/** A drawn page as a whole document; `theme` is the address of the theme's files. */
export function fullPage(site, page, drawn, theme) {
  const { entry } = page;
  const description = entry.description || (entry.claim ? textOf(entry.claim) : site.description);
  return document(site, {
    head: head(site, entry, {
      title: entry.title,
      description,
      theme,
      hasMath: page.hasMath,
      hasPictures: page.hasPictures,
    }),
    contents: sideContents(site, entry, page.outline),
    main: drawn,
    open: entry.isIndex,
    chapter: entry.points > 0 && entry.slug,
    running: runningOf(site, entry),
    theme,
  });
}

/** What a host shows for an address that isn't there. */
export function missingPage(site, theme) {
  const entry = { title: "No such page", isIndex: false, url: "/404.html" };
  return document(site, {
    head: head(site, entry, { title: entry.title, description: site.description, theme }),
    contents: sideContents(site, entry, []),
    main: html`<header class="page-header"><h1>No such page</h1></header>
<div class="text"><p>There is nothing at this address. Start from the <a href="${site.href("/")}">front page</a>, or search.</p></div>`,
    theme,
  });
}
