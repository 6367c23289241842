"""How names of sequences are shown: as text only, short, and never two alike.

Names come from readers, so they may hold anything: markup (shown as it is written), control
characters (shown, not obeyed), other writing directions (kept apart from the sentence around them).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

LONGEST = 16  # graphemes
_BIDI = "\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_HIDDEN = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029{_BIDI}]")
_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\U00010800-\U00010fff]")
_JOINER, _SELECTOR = "\u200d", "\ufe0f"


def visible(name: str) -> str:
    """``name`` with its control characters shown; a joiner inside an emoji stays."""
    return _HIDDEN.sub(_shown, name)


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    before, after = found.string[: found.start()], found.string[found.end() :]
    if found[0] == _JOINER and before and after and ord(after[0]) > 0x2000:
        return found[0]
    return f"⟨{code:04X}⟩"


def graphemes(text: str) -> list[str]:
    """``text`` in the pieces a reader takes for one character, by a simple rule."""
    pieces: list[str] = []
    for c in text:
        joined = bool(pieces) and (
            unicodedata.category(c).startswith("M")
            or c in (_JOINER, _SELECTOR)
            or "\U0001f3fb" <= c <= "\U0001f3ff"
            or pieces[-1].endswith(_JOINER)
            or (_is_flag(c) and len(pieces[-1]) == 1 and _is_flag(pieces[-1]))
        )
        if joined:
            pieces[-1] += c
        else:
            pieces.append(c)
    return pieces


def _is_flag(c: str) -> bool:
    return "\U0001f1e6" <= c <= "\U0001f1ff"


def short(text: str) -> str:
    """At most 16 graphemes of ``text``, the last an ellipsis if more were there."""
    pieces = graphemes(text)
    return text if len(pieces) <= LONGEST else "".join(pieces[: LONGEST - 1]) + "…"


def shown_names(names: Sequence[str]) -> list[str]:
    """How each of these is shown. An empty name gets its number, and so do two that look alike."""
    shown = [short(visible(name)) for name in names]
    alike = Counter(shown)
    return [
        f"{name}#{number}" if not name.strip() or alike[name] > 1 else name
        for number, name in enumerate(shown)
    ]


def isolated(name: str) -> str:
    """``name`` for use inside a sentence: kept apart if it is written from right to left."""
    return f"\u2068{name}\u2069" if _RTL.search(name) else name
