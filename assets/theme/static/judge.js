// How a guess is judged: as `compare` does it in a notebook.

const NUMBER = /^-?[\d,_ ]*\.?\d+(e[-+]?\d+)?$/i;
const NEAR = 0.02;

const plain = (text) => text.trim().toLowerCase().replace(/^["']|["']$/g, "").replace(/[\s[\]()]/g, "");

function numberOf(text) {
  const words = text.trim().replace("−", "-").replace(/ ?%$/, "");
  return NUMBER.test(words) ? Number(words.replace(/[,_ ]/g, "")) : NaN;
}

/** "right", "close" or "wrong": numbers by value, fractions within 2 % are close, words without case. */
export function judge(said, answer) {
  const [guess, truth] = [numberOf(said), numberOf(answer)];
  if (Number.isNaN(guess) || Number.isNaN(truth)) return plain(said) === plain(answer) ? "right" : "wrong";
  if (guess === truth) return "right";
  const allowed = NEAR * Math.max(Math.abs(guess), Math.abs(truth));
  return answer.includes(".") && Math.abs(guess - truth) <= allowed ? "close" : "wrong";
}

/**
 * What to say to a guess: a sign, then words around the answer. Nothing was said: skipped. `likely`
 * are pairs of a wrong guess and what speaks against it.
 */
export function verdictOn(said, answer, likely = []) {
  if (said === "") return { kind: "skipped", sign: "→", before: "It is ", after: "." };
  const kind = judge(said, answer);
  const against = likely.find(([wrong]) => judge(said, wrong) === "right")?.[1] ?? "Read on for why.";
  return {
    kind,
    ...{
      right: { sign: "✓", before: "Right: it is ", after: "." },
      close: { sign: "≈", before: `You said ${said}. Close: it is `, after: "." },
      wrong: { sign: "✗", before: `You said ${said}. It is `, after: `. ${against}` },
    }[kind],
  };
}
