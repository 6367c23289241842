import assert from "node:assert/strict";
import { test } from "node:test";

import { partsOf, sideContents } from "../lib/contents.mjs";
import { launchLinks, checkOptions } from "../lib/launch.mjs";
import { Page } from "../lib/page.mjs";
import { readEntry } from "../lib/site.mjs";
import { searchRecords } from "../lib/search-records.mjs";
import { drawPage, fullPage, missingPage } from "../lib/shell.mjs";
import { block, codeCell, content, opening, paragraph, siteOf, text } from "./helpers.mjs";

const heading = (value, html_id) => ({ type: "heading", depth: 2, html_id, children: [text(value)] });
const chapters = [
  content("front", "Front", [block([], { data: { part: "toc:project" } })]),
  content("how", "0 · How", []),
  content("waste", "1 · Waste & holes", [
    block([...opening, paragraph("Words.")]),
    block([heading("A section", "a-section"), paragraph("In it.")]),
    codeCell("paged = 1"),
  ]),
];

function whole(at, options) {
  const site = siteOf(chapters, { options });
  const page = new Page(site, site.entries[at]);
  return String(fullPage(site, page, drawPage(site, page), "/book/_theme-x"));
}

test("a chapter's page says its minutes and leads to what it needs", () => {
  const page = whole(2);
  assert.match(page, /about 67 minutes: 42 to read and run, 25 for the exercises/);
  assert.match(page, /<a href="\/book\/how\/" title="How">chapter 0<\/a> and <a[^>]*>chapter 1<\/a>/);
  assert.match(page, /<title>1 · Waste &amp; holes – A book<\/title>/);
  assert.match(page, /rel="prev" href="\/book\/how\/"/);
  assert.ok(!/rel="next"/.test(page));
});

test("the policy allows this host alone, and the page keeps to it", () => {
  for (const page of [whole(0), String(missingPage(siteOf(chapters), "/book/_theme-x"))]) {
    assert.match(page, /default-src &#39;none&#39;; script-src &#39;self&#39;; style-src &#39;self&#39;/);
    assert.ok(!/unsafe/.test(page));
    assert.ok(!/<style|style="|\son\w+="/.test(page));
    assert.ok(!/(src|href)="(https?:)?\/\//.test(page.replace(/<a [^>]*>/g, "")));
  }
});

test("the front page lists chapters with claims and minutes", () => {
  const page = whole(0);
  assert.match(page, /<h3>Part I<\/h3>[^]*Waste &amp; holes[^]*67 minutes[^]*One claim\./);
});

test("a chapter that the text mentions is linked, but not in a link, a heading or itself", () => {
  const blocks = [
    block([heading("After chapter 0", "after"), paragraph("See chapter 0, chapters and Chapter 7, or chapter 1.")]),
    block([paragraph({ type: "link", url: "/how", children: [text("chapter 0")] })]),
  ];
  const site = siteOf([chapters[0], chapters[1], content("waste", "1 · Waste", blocks)]);
  const drawn = String(new Page(site, site.entries[2]).render());
  assert.equal(drawn.match(/class="chapter"/g).length, 1);
  assert.match(drawn, /See <a class="chapter" href="\/book\/how\/" title="How">chapter\u00a00<\/a>, chapters and Chapter 7, or chapter 1\./);
});

test("the contents mark the open page and show its sections", () => {
  const site = siteOf(chapters);
  const side = String(sideContents(site, site.entries[2], [{ id: "a-section", text: "A section", depth: 2 }]));
  assert.equal(side.match(/aria-current="page"/g).length, 1);
  assert.match(side, /href="\/book\/waste\/" aria-current="page"[^]*href="#a-section"/);
  assert.deepEqual(partsOf(site.entries).map((group) => group.entries.length), [2]);
});

test("addresses stand below the base path", () => {
  const site = siteOf(chapters, { base: "" });
  assert.equal(site.href("/"), "/");
  assert.equal(site.href("/waste#a"), "/waste/#a");
  assert.equal(siteOf(chapters).href("/"), "/book/");
  assert.equal(siteOf(chapters).href("#here"), "#here");
});

test("what can be found: sections, words apart from code", () => {
  const [start, section] = searchRecords(siteOf(chapters).entries[2]);
  assert.deepEqual(start, { url: "/waste/", anchor: "", page: "1 · Waste & holes", title: "1 · Waste & holes", kind: "page", text: "One claim. Words.", hidden: "", code: "" });
  assert.equal(section.anchor, "a-section");
  assert.equal(section.text, "In it.");
  assert.equal(section.code, "paged = 1");
});

test("hints, solutions, answers and what waits for a guess are found, but not for show", () => {
  const hint = { type: "admonition", kind: "hint", class: "dropdown", children: [paragraph("Use divmod.")] };
  const fold = { type: "details", children: [{ type: "summary", children: [text("Core · Why?")] }, paragraph("Because.")] };
  const guess = codeCell("guess = None  # how many?", { identifier: "g" });
  const compared = codeCell("compare(guess, 4)", { outputs: [{ output_type: "stream", text: "no guess; it is 4\n" }] });
  const entry = readEntry(content("x", "1 · X", [
    block([heading("S", "s"), paragraph("Seen."), hint, fold]), guess, compared, block([paragraph("It is four.")]),
    codeCell("answer = 1", { tags: ["solution"] }),
  ]), null, false);
  const found = searchRecords(entry).at(-1);
  assert.equal(found.text, "Seen. Core · Why? How many?");
  assert.equal(found.hidden, "Use divmod. Because. It is four.");
  assert.match(found.code, /answer = 1/);
});

test("each term of the glossary is found by itself", () => {
  const part = (type, words, html_id) => ({ type, html_id, children: [text(words)] });
  const list = { type: "definitionList", children: [part("definitionTerm", "block", "t-b"), part("definitionDescription", "Slots."), part("definitionTerm", "slot", "t-s"), part("definitionDescription", "A place.")] };
  const entry = readEntry(content("glossary", "Glossary", [block([{ type: "glossary", children: [list] }])]), null, false);
  const terms = searchRecords(entry).filter(({ kind }) => kind === "term");
  assert.deepEqual(terms.map(({ title, anchor, text: said }) => [title, anchor, said]), [["block", "t-b", "Slots."], ["slot", "t-s", "A place."]]);
});

test("launch buttons of a publisher", () => {
  const options = {
    repository_url: "https://github.com/o/n/",
    binder_url: "https://mybinder.org",
    jupyterhub_url: "https://hub.example.org/",
  };
  assert.deepEqual(launchLinks(options, "chapters/02_x.ipynb").map(({ url }) => url), [
    "https://mybinder.org/v2/gh/o/n/main?urlpath=lab%2Ftree%2Fchapters%2F02_x.ipynb",
    "https://hub.example.org/hub/user-redirect/git-pull?repo=https%3A%2F%2Fgithub.com%2Fo%2Fn&branch=main&urlpath=lab%2Ftree%2Fn%2Fchapters%2F02_x.ipynb",
    "https://github.com/o/n/blob/main/chapters/02_x.ipynb",
  ]);
  assert.equal(launchLinks(options, "chapters/pages/glossary.md").length, 1);
  assert.deepEqual(launchLinks({}, "chapters/02_x.ipynb"), []);
  assert.throws(() => checkOptions({ binder_url: "https://b" }), /needs site.options.repository_url/);
  assert.throws(() => checkOptions({ repository_url: "javascript:1" }), /https/);
  assert.throws(() => checkOptions({ repository_url: "https://git.example.org/a/b", binder_url: "https://b" }), /github/);
  assert.match(whole(2, options), /href="https:\/\/mybinder\.org[^"]*" rel="noopener">Open in Binder/);
});
