// The scripts that ask, as far as they need no page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { judge, verdictOn } from "../static/judge.js";
import { placeOf } from "../static/previews.js";
import { withPoint } from "../static/progress.js";
import { sentence } from "../static/walk.js";

test("a guess is judged as compare does it", () => {
  for (const [said, answer, kind] of [
    ["46080", "46,080", "right"], ["46 080", "46,080", "right"], ["46081", "46,080", "wrong"],
    ["0.30", "0.303", "close"], [".303", "0.303", "right"], ["0.4", "0.303", "wrong"], ["8.4 %", "8.4", "right"],
    ["−3", "-3", "right"], ["paris", "Paris", "right"], ['"Paris"', "Paris", "right"], ["Rome", "Paris", "wrong"],
    ["1,5,17", "[1, 5, 17]", "right"], ["[1, 5]", "[1, 5, 17]", "wrong"], ["(66, 22)", "(66, 22)", "right"],
    ["two", "2", "wrong"], ["inf", "inf", "right"], ["<b>", "3", "wrong"],
  ]) assert.equal(judge(said, answer), kind, `${said} for ${answer}`);
});

test("a wrong guess is told and explained, a skipped one isn't called wrong", () => {
  assert.deepEqual(verdictOn("4", "3"), { kind: "wrong", sign: "✗", before: "You said 4. It is ", after: ". Read on for why." });
  assert.equal(verdictOn("", "3").kind, "skipped");
  const likely = [["4", "The last one isn't run."], ["(66, 22)", "Twice."]];
  assert.equal(verdictOn("4.0", "3", likely).after, ". The last one isn't run.");
  assert.equal(verdictOn("66, 22", "3", likely).after, ". Twice.");
  assert.equal(verdictOn("5", "3", likely).after, ". Read on for why.");
  assert.equal(verdictOn("3", "3", [["3", "never"]]).after, ".");
});

test("progress moves the chapter in hand to the end, and changes nothing it was given", () => {
  const all = { one: { a: "1" }, two: { b: "2" } };
  const next = withPoint(all, "one", "c", "");
  assert.deepEqual(next, { two: { b: "2" }, one: { a: "1", c: "" } });
  assert.deepEqual(Object.keys(next), ["two", "one"]);
  assert.deepEqual(withPoint(next, "one", "a", null).one, { c: "" });
  assert.deepEqual(all, { one: { a: "1" }, two: { b: "2" } });
});

test("the cover's walk says which tokens lie where", () => {
  const table = [7, 2, 11, 5, 9, 0];
  assert.match(sentence(0, table, 22), /Entry 0 of the table says 7: tokens 0 to 3 lie in block 7\./);
  assert.match(sentence(5, table, 22), /tokens 20 to 21 lie in block 0/);
  assert.match(sentence(-1, table, 22), /nothing written yet/);
});

test("a preview stays inside the window, below its link where there is room", () => {
  const [size, screen] = [{ width: 400, height: 200 }, { width: 1000, height: 800 }];
  assert.deepEqual(placeOf({ left: 50, top: 80, bottom: 100 }, size, screen), { left: 50, top: 108 });
  assert.deepEqual(placeOf({ left: 900, top: 700, bottom: 720 }, size, screen), { left: 592, top: 492 });
  assert.deepEqual(placeOf({ left: -5, top: 100, bottom: 790 }, size, screen), { left: 8, top: 8 });
});
