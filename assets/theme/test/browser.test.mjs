// The parts of the pages' scripts that need no page.

import assert from "node:assert/strict";
import { test } from "node:test";

import MiniSearch from "minisearch";

import { switched } from "../static/appearance.js";
import { excerpt, marked } from "../static/excerpt.js";
import { currentSection } from "../static/reading.js";
import { countText, find, makeIndex } from "../static/search.js";
import { inOwnWords, stem } from "../static/words.js";

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
  assert.deepEqual(find(index, "allocator").slice(0, 2).map((hit) => hit.title), ["The allocator", "Something else"]);
  assert.equal(find(index, "alocator")[0].title, "The allocator");
  assert.equal(find(index, "allocate_many")[0].title, "Reserve");
  assert.equal(find(index, "room nowhere")[0].title, "Reserve");
  assert.equal(find(index, "zzz").length, 0);
});

test("words of one family are found together, and other books' names lead to ours", () => {
  for (const family of [
    ["preempt", "preemption", "preempted", "preempts", "preempting"],
    ["allocate", "allocator", "allocation", "allocated", "allocating"],
    ["block", "blocks"], ["swap", "swapping", "swapped", "swaps"], ["evict", "eviction", "evicted"],
    ["reserve", "reservation", "reserved", "reserving"], ["utilise", "utilised"], ["copy", "copies", "copied"],
  ]) assert.equal(new Set(family.map(stem)).size, 1, family.map(stem).join(" "));
  for (const [one, other] of [["block", "blocking chain"], ["cache", "cat"], ["token", "took"], ["free", "fresh"]]) {
    assert.notEqual(stem(one), stem(other));
  }
  const record = (title, text) => ({ url: "/a/", anchor: title, page: "P", title, text, kind: "section" });
  const index = makeIndex(MiniSearch, [record("Counts", "Each block has a reference count."), record("Room", "A request is preempted.")]);
  assert.equal(find(index, "refcount")[0]?.title, "Counts");
  assert.equal(find(index, "preemption")[0]?.title, "Room");
  assert.equal(inOwnWords("a block"), null);
});

test("the glossary comes before exercises, and what is folded is found but not shown", () => {
  const record = (kind, title, text, hidden = "") => ({ url: "/a/", anchor: title, page: "P", title, text, hidden, kind });
  const index = makeIndex(MiniSearch, [
    record("exercise", "Exercise 1: KV bytes", "The KV cache, KV and KV."),
    record("term", "KV cache", "Keys and values."),
    record("exercise", "Exercise 2: Other", "Words.", "Use divmod."),
  ]);
  assert.equal(find(index, "KV")[0].title, "KV cache");
  const [hit] = find(index, "divmod");
  assert.equal(hit.title, "Exercise 2: Other");
  assert.ok(!JSON.stringify(hit).includes("Use divmod"));
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
