// Fill the sentences of a words.json: the same rules, word for word, as words/wording.py.

const MINUS = "\u2212";
const LONGEST_LIST = 8;
const GUARD = /^(\w+)([?!]) /;
const PLACE = /\{(@?)(\w+)(?:#([\w -]+))?\}/g;
const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** A number that is printed with four decimals, even when it is whole. */
export class Float {
  constructor(value) {
    this.value = value;
  }
}

const truthy = (fact) => {
  if (fact instanceof Float) return fact.value !== 0;
  return Array.isArray(fact) ? fact.length > 0 : Boolean(fact);
};

/** 22,844; 0.1353; −∞: a real minus sign, thousands, four decimals for a Float. */
export function number(value) {
  const real = value instanceof Float ? value.value : value;
  if (!Number.isFinite(real)) return real > 0 ? "∞" : `${MINUS}∞`;
  const [whole, rest] = (value instanceof Float ? real.toFixed(4) : String(real)).split(".");
  const sign = whole.startsWith("-") ? MINUS : "";
  return sign + whole.replace("-", "").replace(THOUSANDS, ",") + (rest ? `.${rest}` : "");
}

/** 7, 2 and 11; a long list keeps its beginning and says how many there are. */
export function listed(items) {
  const texts = items.map((item) => (typeof item === "string" ? item : number(item)));
  if (texts.length > LONGEST_LIST) {
    return `${texts.slice(0, LONGEST_LIST - 2).join(", ")} … (${number(texts.length)} in all)`;
  }
  return [texts.slice(0, -1).join(", "), ...texts.slice(-1)].filter(Boolean).join(" and ");
}

/** No block, 1 block, 6 blocks. */
export const counted = (n, noun) => `${n ? number(n) : "no"} ${noun}${n > 1 ? "s" : ""}`;

function fill(sign, fact, noun) {
  if (noun) return counted(fact, noun);
  if (sign) return Array.isArray(fact) ? listed(fact.map(String)) : String(fact);
  if (typeof fact === "string") return fact;
  return Array.isArray(fact) ? listed(fact) : number(fact);
}

/** The clauses that apply, filled in, as one line. */
export function say(clauses, facts) {
  const said = [];
  for (let clause of clauses) {
    const guard = clause.match(GUARD);
    if (guard) {
      if (truthy(facts[guard[1]]) === (guard[2] === "!")) continue;
      clause = clause.slice(guard[0].length);
    }
    const text = clause.replace(PLACE, (_, sign, name, noun) => {
      if (!(name in facts)) throw new Error(`no fact ${name} for "${clause}"`);
      return fill(sign, facts[name], noun);
    });
    const counts = clause.startsWith("{") && clause.split("}")[0].includes("#");
    said.push(counts ? text[0].toUpperCase() + text.slice(1) : text);
  }
  return said.join(" ");
}
