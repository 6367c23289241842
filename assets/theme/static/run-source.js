// What is sent to Python for a cell. A page shows less of a cell than a notebook has: a prediction's
// `guess = None` is a form there, and what speaks against wrong guesses is left out.

const GUESS = /^guess = None(?=  # )/m;
const NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const LIST = /^-?[\d.]+(,-?[\d.]+)*$/;

export const asksForGuess = (source) => GUESS.test(source);

/** A number as Python writes it, or null: "46,080", "−3" and "8.4 %" are numbers, too. */
function numberOf(said) {
  const bare = said.replace("−", "-").replace(/ ?%$/, "").replace(/[,_ ]/g, "");
  return NUMBER.test(bare) ? bare.replace(/^(-?)0+(?=\d)/, "$1") : null;
}

/** What a reader guessed, as Python that `compare` can put beside the answer; `None` for nothing. */
export function literalOf(said, answer) {
  if (!said) return "None";
  const bare = said.replace(/[\s[\]()]/g, "");
  if (/^[[(]/.test(answer)) return LIST.test(bare) ? `[${bare}]` : JSON.stringify(said);
  if (/^(true|false)$/i.test(said) && /^(True|False)$/.test(answer)) return /^t/i.test(said) ? "True" : "False";
  if (numberOf(answer) !== null) return numberOf(said) ?? JSON.stringify(said);
  return JSON.stringify(said.replace(/^(["'])(.*)\1$/, "$2"));
}

/**
 * `{source, line}` to run: `line` is the number that the first line of it has on the page. `cell` has
 * the notebook's `source`, the `shown` text of the page, and the `text` that stands there now.
 */
export function sourceToRun({ source, shown, text }, guess = "None") {
  const asked = `guess = ${guess}`;
  if (text === shown) return { source: source.replace(GUESS, () => asked), line: 1 };
  return asksForGuess(source) ? { source: `${asked}\n${text}`, line: 0 } : { source: text, line: 1 };
}
