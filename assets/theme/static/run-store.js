// What a reader wrote on the pages, kept by this browser alone and sent nowhere:
// {"chapter": {"exercise": {edition, text}}}. The book's own text is never kept: a reader who comes
// back gets the page as it is now, with the answers put in.

const KEY = "book-answers";
let unkept = null; // where storage is forbidden or full, answers hold for this page

function all() {
  if (unkept) return unkept;
  try {
    const found = JSON.parse(localStorage.getItem(KEY));
    return found && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {}; // forbidden, or something else lies there
  }
}

const isAnswer = (answer) => typeof answer?.text === "string" && typeof answer?.edition === "string";

/** A short name of what an exercise says (FNV-1a, 32 bits): it changes with the exercise. */
export function editionOf(sources) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(sources.join("\0"))) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

/** Answers of a chapter as [exercise, {edition, text}]; what isn't an answer is passed over. */
export function answersOf(chapter) {
  const found = all()[chapter];
  return found && typeof found === "object" ? Object.entries(found).filter(([, answer]) => isAnswer(answer)) : [];
}

/** `all` with an answer, or without it when it is null. Changes nothing. */
export function withAnswer(answers, chapter, exercise, answer) {
  const { [exercise]: _, ...rest } = answers[chapter] ?? {};
  const kept = answer ? { ...rest, [exercise]: answer } : rest;
  const { [chapter]: __, ...others } = answers;
  return Object.keys(kept).length ? { ...others, [chapter]: kept } : others;
}

/** Keep an answer, or forget it when it is null. False: it holds only until the page is left. */
export function keepAnswer(chapter, exercise, answer) {
  return keep(withAnswer(all(), chapter, exercise, answer));
}

export function forgetAnswers(chapter) {
  const { [chapter]: _, ...others } = all();
  return keep(others);
}

function keep(answers) {
  try {
    if (Object.keys(answers).length) localStorage.setItem(KEY, JSON.stringify(answers));
    else localStorage.removeItem(KEY);
    unkept = null;
    return true;
  } catch {
    unkept = answers;
    return false;
  }
}

/** Answers as one Python file. `answers`: [title, text], in the page's order. */
export function asProgram(chapter, answers) {
  const parts = answers.map(([title, text]) => `# ${title}\n\n${text.trimEnd()}\n`);
  return [`# ${chapter}: my answers\n`, ...parts].join("\n\n");
}
