// What running text mentions and a page can lead to: chapters, figures, works, reports of bugs.
// In JupyterLab each chapter stands alone, so authors write these as plain words.

import { figureId } from "./figures.mjs";
import { element, html } from "./html.mjs";

const MENTION = new RegExp([
  String.raw`\b[Cc]hapter (?<chapter>\d+)\b`,
  String.raw`\b[Ff]igure (?<figure>\d+\.\d+)\b`,
  String.raw`\barXiv[: ](?<paper>\d{4}\.\d{4,5})\b`,
  String.raw`(?<![\w/])(?<report>[\w.-]+/[\w.-]+#\d+)\b`,
  String.raw`(?<work>\b\p{Lu}\p{L}+ et al\.(?:,? \d{4})?)`,
].join("|"), "gu");

/** Address, class and title of what was mentioned, or null when the book has nothing there. */
function targetOf({ chapter, figure, paper, report, work }, page) {
  if (chapter) return toChapter(page.site.chapter(chapter), page);
  if (figure) return toFigure(figure, page);
  if (work) return toWork(work, page);
  if (paper) return { href: `https://arxiv.org/abs/${paper}`, class: "outside", rel: "noopener" };
  const [repository, number] = report.split("#");
  return { href: `https://github.com/${repository}/issues/${number}`, class: "outside", rel: "noopener" };
}

function toChapter(chapter, page) {
  if (!chapter || chapter === page.entry) return null;
  return { class: "chapter", href: page.href(chapter.url), title: chapter.name };
}

function toFigure(number, page) {
  const there = page.site.figures.get(number);
  if (!there) return null;
  const path = there === page.entry ? "" : page.href(there.url);
  return { class: "reference", href: `${path}#${figureId(number)}` };
}

/** "Kwon et al., 2023" is the entry kwon2023; without a year, the only one of that name. */
function toWork(words, page) {
  const { works } = page.site;
  if (!works.url) return null;
  const [, name, year = ""] = /^(\p{L}+) et al\.(?:,? (\d{4}))?$/u.exec(words);
  const wanted = `${name.toLowerCase()}${year}`;
  const found = works.labels.filter((label) => (year ? label === wanted : label.replace(/\d+\w?$/, "") === wanted));
  return found.length === 1 ? { class: "cite", href: `${page.href(works.url)}#cite-${found[0]}` } : null;
}

/** "chapter" and its number, "figure" and its, aren't parted by the end of a line. */
const inOneLine = ({ 0: words, groups }) =>
  groups.chapter || groups.figure ? words.replace(" ", "\u00a0") : words;

/** Text with what it mentions as links. */
export function linked(text, page) {
  const pieces = [];
  let at = 0;
  for (const match of text.matchAll(MENTION)) {
    const target = targetOf(match.groups, page);
    if (!target) continue;
    pieces.push(text.slice(at, match.index), element("a", target, html`${inOneLine(match)}`));
    at = match.index + match[0].length;
  }
  return html`${[...pieces, text.slice(at)]}`;
}
