// The parts of the pages' scripts that need no page.

import assert from "node:assert/strict";
import { test } from "node:test";

import MiniSearch from "minisearch";

import { switched } from "../static/appearance.js";
import { excerpt, marked } from "../static/excerpt.js";
import { currentSection } from "../static/reading.js";
import { countText, find, makeIndex } from "../static/search.js";

test("a choice that the system would make anyway isn't kept", () => {
  assert.deepEqual(switched("light", "light"), { wanted: "dark", stored: "dark" });
  assert.deepEqual(switched("dark", "light"), { wanted: "light", stored: null });
  assert.deepEqual(switched("dark", "dark"), { wanted: "light", stored: "light" });
});

test("hits are marked, the longest at a place, and no letter is lost", () => {
  assert.deepEqual(marked("A block table.", ["block", "block table"]), [
    { text: "A ", hit: false },
    { text: "block table", hit: true },
    { text: ".", hit: false },
  ]);
  assert.deepEqual(marked("someone, on", ["on"]).filter((piece) => piece.hit), [{ text: "on", hit: true }]);
  for (const [text, terms] of [["", ["a"]], ["abc", []], ["aaa", ["a"]], ["<b>x</b>", ["b"]]]) {
    assert.equal(marked(text, terms).map((piece) => piece.text).join(""), text);
  }
});

test("an excerpt shows the hit", () => {
  const text = `${"word ".repeat(100)}needle ${"word ".repeat(100)}`;
  const pieces = excerpt(text, ["needle"], 100);
  const shown = pieces.map((piece) => piece.text).join("");
  assert.ok(pieces.some((piece) => piece.hit && piece.text === "needle"));
  assert.ok(shown.startsWith("… ") && shown.endsWith(" …") && shown.length < 120, shown);
  assert.equal(excerpt("short", ["nothing"]).map((piece) => piece.text).join(""), "short");
});

test("the index finds by title first, by beginnings, with a slip, and by code", () => {
  const record = (title, text, code = "") => ({ url: "/a/", anchor: title, page: "P", title, text, code });
  const index = makeIndex(MiniSearch, [
    record("Something else", "An allocator is mentioned here."),
    record("The allocator", "Words."),
    record("Reserve", "Room.", "pool.allocate_many(3)"),
  ]);
  assert.deepEqual(find(index, "allocator").map((hit) => hit.title), ["The allocator", "Something else"]);
  assert.equal(find(index, "alocator")[0].title, "The allocator");
  assert.equal(find(index, "allocate_many")[0].title, "Reserve");
  assert.equal(find(index, "room nowhere")[0].title, "Reserve");
  assert.equal(find(index, "zzz").length, 0);
});

test("the count is a sentence", () => {
  assert.equal(countText(" ", []), "");
  assert.equal(countText("x ", []), "Nothing found for “x”.");
  assert.equal(countText("x", [1]), "1 section");
  assert.equal(countText("x", [1, 2]), "2 sections");
});

test("the current section is the last one passed", () => {
  assert.equal(currentSection([300, 500]), -1);
  assert.equal(currentSection([-400, 100, 500]), 1);
});
