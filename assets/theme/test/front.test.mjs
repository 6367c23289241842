import assert from "node:assert/strict";
import { test } from "node:test";

import { tokensOf } from "../lib/cover.mjs";
import { Page } from "../lib/page.mjs";
import { siteAddress, sitemap } from "../lib/sharing.mjs";
import { drawPage, fullPage } from "../lib/shell.mjs";
import { block, content, opening, paragraph, siteOf, text } from "./helpers.mjs";

const CAPTION = "A sequence of 22 tokens. Its tokens are in order, its blocks lie anywhere, and a list of six numbers is all that connects them.";
const cover = (caption = CAPTION) => ({
  type: "container",
  kind: "figure",
  children: [{ type: "image", url: "/a.svg", alt: "A table and a pool." }, { type: "caption", children: [paragraph(caption)] }],
});
const heading = (value, html_id) => ({ type: "heading", depth: 2, html_id, children: [text(value)] });
const front = (...more) => content("front", "Paged, Cell by Cell", [
  block([cover(...more), paragraph("Opening words."), heading("How to run it", "how-to-run-it"), paragraph("make"), heading("Contents", "contents")]),
  block([], { data: { part: "toc:project" } }),
], { frontmatter: { subtitle: "Build it." } });
const chapters = [content("a", "0 · A", [block(opening)]), content("b", "3 · B", [])];

function page(contents, options = {}, at = 0) {
  const site = siteOf(contents, { options });
  const one = new Page(site, site.entries[at]);
  return { html: String(fullPage(site, one, drawPage(site, one), "/book/_theme-x")), site };
}

test("the cover is its caption's last sentence, in blocks of four", () => {
  assert.equal(tokensOf(CAPTION).length, 22);
  const { html, site } = page([front(), ...chapters]);
  assert.equal(String(site.problems), "");
  assert.match(html, /data-table="7,2,11,5,9,0" data-tokens="22"/);
  assert.match(html, /<span class="words">order, its blocks<\/span>/);
  assert.match(html, /<li class="held"><span class="id">0<\/span><span class="tiles"><span>connects<\/span><span>them<\/span><span class="empty"><\/span><span class="empty"><\/span>/);
  assert.match(html, /<p class="unseen">A table and a pool\.<\/p>/);
});

test("a caption that doesn't fill the cover's blocks is a problem", () => {
  for (const caption of ["Too short.", `${"word ".repeat(24)}.`]) {
    assert.match(String(page([front(caption), ...chapters]).site.problems), /the cover needs 21 to 23/);
  }
});

test("the front page says where to start, and its contents come before the rest", () => {
  const { html } = page([front(), ...chapters]);
  assert.match(html, /class="button first start-reading" rel="next" href="\/book\/a\/">Start reading/);
  assert.match(html, /href="#how-to-run-it">Start building/);
  assert.ok(html.indexOf('id="contents"') < html.indexOf('id="how-to-run-it"'));
  assert.match(html, /<strong>1<\/strong> hours|<strong>1<\/strong> chapters/);
});

test("planned chapters stand where they will come, until they are there", () => {
  const planned = "1 · One; 2 · Two; 4 · Four; 3 · B";
  const { html } = page([front(), ...chapters], { planned });
  const path = [...html.matchAll(/class="cell-number"[^>]*>(\d)</g)].map(([, number]) => number).join("");
  assert.equal(path, "0" + "3" + "4"); // 1 and 2 belong between two chapters of one part
  const parts = [content("b", "3 · B", [])];
  assert.match(page([front(), ...parts], { planned: "4 · Four" }).html, /class="planned">.*4<\/span>[^]*Four<span class="minutes">to be written/);
});

test("how to cite names what is known", () => {
  const { html } = page([front(), ...chapters], { site_url: "https://example.org/book" });
  assert.match(html, /id="how-to-cite"/);
  assert.match(html, /author = \{\{The authors of A book\}\}/);
  assert.match(html, /url {4}= \{https:\/\/example\.org\/book\}/);
});

test("with an address of its own a page says what others show of it", () => {
  const { html, site } = page([front(), ...chapters], { site_url: "https://example.org/book/" }, 1);
  assert.match(html, /<link rel="canonical" href="https:\/\/example\.org\/book\/a\/">/);
  assert.match(html, /property="og:image" content="https:\/\/example\.org\/book\/_theme-x\/card\.png"/);
  assert.match(html, /property="og:description" content="One claim\."/);
  assert.deepEqual([...sitemap(site).matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url), [
    "https://example.org/book/", "https://example.org/book/a/", "https://example.org/book/b/",
  ]);
});

test("without an address nothing is said, and a wrong one stops the build", () => {
  assert.ok(!/og:|canonical/.test(page([front(), ...chapters]).html));
  for (const url of ["http://example.org", "example.org", "https://example.org/?x", "https://e.org/a b"]) {
    assert.throws(() => siteAddress(url, ""), /https/);
  }
  assert.throws(() => siteAddress("https://example.org/other", "/book"), /BASE_URL/);
  assert.equal(siteAddress("https://example.org/book/", "/book"), "https://example.org/book");
  assert.equal(siteAddress(undefined, "/book"), null);
});
