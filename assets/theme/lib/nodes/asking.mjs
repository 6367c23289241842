// What the page asks: predictions and multiple choice. Without scripts both stand answered.

import { html } from "../html.mjs";
import { childrenOf } from "../tree.mjs";

/** What kind of thing the answer is, in the empty field. */
function placeholder(answer) {
  if (/^(-?[\d,]+|-?inf|nan)$/.test(answer)) return "a number";
  if (/^-?[\d.,]+( ?%)?$/.test(answer)) return "about …";
  return /^[[(]/.test(answer) ? "a list" : "a word";
}

function field({ id, answer }) {
  return html`<label class="unseen" for="${id}-said">Your guess</label>
<input id="${id}-said" autocomplete="off" spellcheck="false" placeholder="${placeholder(answer)}">
<button class="go">Guess</button>`;
}

const choice = (value) =>
  html`<button type="button" class="choice" value="${value}">${value}</button>`;

/** A comment's words, with its `code` as code. */
const withCode = (words) =>
  html`${words.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))}`;

/** Asks before the machine says. */
function prediction(node) {
  const { id, answer, choices, likely, asks } = node;
  const against = likely.length > 0 && html` data-likely="${JSON.stringify(likely)}"`;
  return html`<section class="predict" id="${id}" tabindex="-1" role="group" aria-label="Prediction" data-point="${id}" data-answer="${answer}"${against}>
<p class="role">predict, then read on</p>
<p class="asks">${withCode(asks)}</p>
<form class="needs-script">${choices.length ? choices.map(choice) : field(node)}
<button type="button" class="plain">show me</button></form>
<p class="says" role="status"></p>
<p class="plainly">It is <strong>${answer}</strong>.</p></section>`;
}

const LEVEL = /^(Core|Mid|Senior)(?: ·|:) (.*)$/s;

/** A question that may begin with its level, "Core · Why …?": the level becomes a label. */
export function leveled(nodes, page) {
  const [first, ...rest] = nodes;
  const [, level, words] = LEVEL.exec(first?.value ?? "") ?? [];
  if (!level) return page.within({ children: nodes });
  const asks = { ...first, value: words.charAt(0).toUpperCase() + words.slice(1) };
  return html`<span class="level">${level.toLowerCase()}</span> ${page.within({ children: [asks, ...rest] })}`;
}

function option(item, letter, page) {
  const words = page.within({ children: withoutLetter(item) });
  return html`<li><button type="button" value="${letter}" aria-pressed="false"><span class="letter">${letter}</span>
<span>${words}</span><span class="sign"></span></button></li>`;
}

/** The words of an item without its "(a) ". */
function withoutLetter(item) {
  const [only] = childrenOf(item);
  const nodes = only?.type === "paragraph" ? childrenOf(only) : childrenOf(item);
  const [first, ...rest] = nodes;
  return [{ ...first, value: first.value.replace(/^\([a-z]\) ?/, "") }, ...rest];
}

/** Multiple choice: a click answers, and the reasons follow. */
function quiz(node, page) {
  const options = childrenOf(node.list).map((item, at) => option(item, node.letters[at], page));
  return html`<section class="quiz" id="${node.id}" role="group" aria-label="Multiple choice" data-point="${node.id}" data-right="${node.right}">
<p class="asks">${leveled(childrenOf(node.question), page)}</p>
<ul>${options}</ul><p class="says unseen" role="status"></p>${page.node(node.answer)}</section>`;
}

export const asking = { prediction, quiz };
