"""Fill the sentences of a ``words.json``. The pictures' module does the same in the browser.

A text is a list of clauses. ``name? …`` is said only if the fact is there (not 0, not empty),
``name! …`` only if it isn't. ``{name}`` is the fact: an integer with its thousands, a float with
four decimals, a list as *7, 2 and 11*; ``{@name}`` is an id or a list of ids, whose thousands have
no comma. ``{name#block}`` counts: *no block*, *1 block*, *6 blocks*.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MINUS, INFINITY = "\u2212", "∞"
LONGEST_LIST = 8
_GUARD = re.compile(r"(\w+)([?!]) ")
_PLACE = re.compile(r"\{(@?)(\w+)(?:#([\w -]+))?\}")


def words_beside(module: str, name: str = "words.json") -> dict[str, Any]:
    """The sentences in a file beside the module with this ``__file__``."""
    found: dict[str, Any] = json.loads(Path(module).with_name(name).read_text(encoding="utf-8"))
    return found


def say(clauses: Sequence[str], facts: Mapping[str, Any]) -> str:
    """The clauses that apply, filled in, as one line."""
    said = []
    for clause in clauses:
        guard = _GUARD.match(clause)
        if guard:
            if bool(facts.get(guard[1])) == (guard[2] == "!"):
                continue
            clause = clause[guard.end() :]
        text = _PLACE.sub(lambda place: _fill(place[1], facts[place[2]], place[3]), clause)
        counts = clause.startswith("{") and "#" in clause.partition("}")[0]
        said.append(text[0].upper() + text[1:] if counts else text)
    return " ".join(said)


def number(value: float) -> str:
    """22,844; 0.1353; −∞: a real minus sign, thousands, four decimals for floats."""
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            return INFINITY if value > 0 else MINUS + INFINITY
        text = f"{value:,.4f}"
    else:
        text = f"{value:,}"
    return text.replace("-", MINUS)


def listed(items: Sequence[Any]) -> str:
    """7, 2 and 11; a long list keeps its beginning and says how many there are."""
    texts = [item if isinstance(item, str) else number(item) for item in items]
    if len(texts) > LONGEST_LIST:
        return f"{', '.join(texts[: LONGEST_LIST - 2])} … ({number(len(texts))} in all)"
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))


def counted(n: int, noun: str) -> str:
    """No block, 1 block, 6 blocks."""
    return f"{number(n) if n else 'no'} {noun}{'' if n in (0, 1) else 's'}"


def _fill(sign: str, fact: Any, noun: str | None) -> str:
    if noun:
        return counted(fact, noun)
    if sign:
        return listed(list(map(str, fact))) if isinstance(fact, (list, tuple)) else str(fact)
    if isinstance(fact, str):
        return fact
    return listed(fact) if isinstance(fact, (list, tuple)) else number(fact)
