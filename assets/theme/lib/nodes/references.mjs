// Links, cross-references, citations, footnotes.

import { attributes, element, html, join, NOTHING } from "../html.mjs";

const isOutside = (url) => /^[a-z][a-z+.-]*:/i.test(url);

function link(node, page) {
  const content = page.within(node);
  if (node.static) {
    return element("a", { href: page.asset(node.url, node), download: true }, content);
  }
  if (isOutside(node.url)) {
    if (!/^(https?|mailto):/.test(node.url)) page.problem(node, `a link to ${node.url}`);
    return element("a", { href: node.url, rel: "noopener", class: "outside" }, content);
  }
  if (!node.url.startsWith("/") && !node.url.startsWith("#")) {
    page.problem(node, `the link to ${node.url} leads to no page of the book`);
  }
  return element("a", { href: page.href(node.url), class: node.class }, content);
}

function crossReference(node, page) {
  if (!node.resolved || !node.html_id) {
    page.problem(node, `the reference to “${node.label ?? node.identifier}” leads nowhere`);
  }
  const there = node.url ? page.href(node.url) : "";
  const kind = node.kind === "definitionTerm" ? "term" : "reference";
  return element("a", { class: kind, href: `${there}#${node.html_id}` }, page.within(node));
}

function cite(node, page) {
  if (!page.cited[node.label]) page.problem(node, `the bibliography has no entry “${node.label}”`);
  return element("a", { class: "cite", href: `#cite-${node.label}` }, page.within(node));
}

function citeGroup(node, page) {
  const all = (node.children ?? []).map((child) => page.node(child));
  return node.kind === "narrative" ? join(all, ", ") : html`(${join(all, "; ")})`;
}

function footnoteReference(node, page) {
  const { identifier, enumerator } = node;
  const first = !page.footnotesMet.has(identifier);
  page.footnotesMet.add(identifier);
  const label = `Footnote ${enumerator}`;
  const values = { id: first && `fnref-${identifier}`, href: `#fn-${identifier}`, "aria-label": label };
  return html`<sup>${element("a", values, enumerator)}</sup>`;
}

function footnoteDefinition(node, page) {
  page.footnotes.push(node);
  return NOTHING;
}

/** The footnotes that a page's text has, for its end. */
export function footnotes(page) {
  if (!page.footnotes.length) return NOTHING;
  const items = page.footnotes.map(
    (node) => html`<li id="fn-${node.identifier}">${page.children(node)}
<a href="#fnref-${node.identifier}" aria-label="Back to the text">↩</a></li>`,
  );
  return html`<section class="footnotes"><h2>Footnotes</h2><ol>${items}</ol></section>`;
}

/** Entries as a list; each is `{label, html}` with html from the citation style. */
export function referenceList(entries, page) {
  const items = entries.map(
    (entry) => html`<li${attributes({ id: `cite-${entry.label}` })}>${page.fragment(entry.html, entry)}</li>`,
  );
  return html`<ul class="references">${items}</ul>`;
}

/** The place for the list of all works that the book cites. */
function bibliography(node, page) {
  page.listsReferences = true;
  return referenceList(page.site.bibliography(), page);
}

export const references = {
  link,
  crossReference,
  cite,
  citeGroup,
  footnoteReference,
  footnoteDefinition,
  bibliography,
};
