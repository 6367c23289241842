import assert from "node:assert/strict";
import { test } from "node:test";

import { attributes, dataBlock, element, html, join } from "../lib/html.mjs";

test("what isn't markup is text", () => {
  const name = `<script>alert("1")</script> & 'so'`;
  assert.equal(
    String(html`<p title="${name}">${name}</p>`),
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;so&#39;">' +
      "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;so&#39;</p>",
  );
});

test("markup stays, lists join, nothing is nothing", () => {
  const items = ["a", "<b>"].map((each) => html`<li>${each}</li>`);
  assert.equal(String(html`<ul>${items}${null}${false}${undefined}</ul>`), "<ul><li>a</li><li>&lt;b&gt;</li></ul>");
  assert.equal(String(join(["a", html`<br>`], ", ")), "a, <br>");
  assert.equal(String(html`${0}`), "0");
});

test("attributes: absent ones are left out, true ones have no value", () => {
  assert.equal(String(attributes({ id: null, open: true, hidden: false, title: '"x"' })), ' open title="&quot;x&quot;"');
  assert.equal(String(element("a", { href: "#x" }, "y")), '<a href="#x">y</a>');
});

test("a data block can't be closed by its data", () => {
  const block = String(dataBlock({ names: ["</script><script>alert(1)</script>", "<!--"] }));
  assert.equal(block.match(/<\/script>/g).length, 1);
  assert.ok(!block.includes("<!--"));
  const data = JSON.parse(block.replace(/<\/?script[^>]*>/g, ""));
  assert.equal(data.names[0], "</script><script>alert(1)</script>");
});
