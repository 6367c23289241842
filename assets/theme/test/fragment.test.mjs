import assert from "node:assert/strict";
import { test } from "node:test";

import { RefusedHtml, readFragment, unescape, writeFragment } from "../lib/fragment.mjs";

const pass = (source) => String(writeFragment(readFragment(source), (url) => `/kept?${url.length}`));
const refused = (source, why) => assert.throws(() => pass(source), (error) => error instanceof RefusedHtml && why.test(error.message));

test("a caption comes through as it was", () => {
  const caption = '<p class="figure-caption"><strong>Figure 2.1</strong> A pool: <code>×1</code> &lt; 2 &amp; more.</p>';
  assert.equal(pass(caption), caption);
});

test("a picture's source is said by the page, its alt stays", () => {
  assert.equal(pass('<img src="data:image/png;base64,AAAA" alt="a &quot;b&quot;" loading="lazy" decoding="async">'), '<img src="/kept?26" alt="a &quot;b&quot;" loading="lazy" decoding="async">');
  assert.equal(pass("<img src='x' alt=''>"), '<img src="/kept?1" loading="lazy" decoding="async" alt="">');
});

test("a picture that can be read on a phone may shrink to it", () => {
  const classes = (width) => /class="([^"]*)"/.exec(pass(`<img class="pa-still" src="x" alt="y" width="${width}">`))[1];
  assert.deepEqual(["527", "540", "541", "703"].map(classes), ["pa-still shrinks", "pa-still shrinks", "pa-still", "pa-still"]);
});

test("citations keep their links, without targets", () => {
  assert.equal(
    pass('<i>SOSP</i>. <a target="_blank" rel="noreferrer" href="https://example.org/a?b&amp;c">here</a>'),
    '<i>SOSP</i>. <a rel="noopener" href="https://example.org/a?b&amp;c">here</a>',
  );
});

test("scripts, handlers, styles, frames and odd links are refused", () => {
  refused("<script>alert(1)</script>", /<script>/);
  refused('<img src="x" alt="y" onerror="alert(1)">', /onerror/);
  refused('<p style="color:red">x</p>', /style/);
  refused("<style>p{}</style>", /<style>/);
  refused('<a href="javascript:alert(1)">x</a>', /javascript/);
  refused('<a href=" javascript:alert(1)">x</a>', /link/);
  refused("<svg onload=alert(1)>", /<svg>/);
  refused("a < b", /opens no element/);
  refused("<!-- x -->", /comment/);
  refused("<p>open", /never closed/);
  refused("x</p>", /closes nothing/);
  refused("<p><b>x</p></b>", /closes nothing/);
  refused('<p a"b>x</p>', /can't be read|attribute/);
});

test("character references", () => {
  assert.equal(unescape("&lt;&#65;&#x42;&amp;lt; &unknown;"), "<AB&lt; &unknown;");
  assert.equal(pass("&lt;script&gt;"), "&lt;script&gt;");
});
