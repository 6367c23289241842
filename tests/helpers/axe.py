"""axe-core's judgement of a page in four looks, each rule asked where its answer can differ."""

from typing import Any

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# A narrow window holds all that can go wrong in a wide one, but for the parts that look otherwise
# there. Of the dark only contrast is asked: in a wide window, and in those parts of a narrow one.
_RUN = """async ({tags, rules, only}) => {
    const asked = {
        resultTypes: ["violations"], reporter: "v2", preload: false,
        runOnly: rules ? {type: "rule", values: rules} : {type: "tag", values: tags},
    };
    const where = only ? [...document.querySelectorAll(only)] : [];
    const found = await axe.run(where.length ? {include: where} : document, asked);
    return found.violations;
}"""
# What a change of window or scheme draws anew is drawn after two frames.
DRAWN = "() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
CONTRAST = ["color-contrast"]


def violations(
    page: Any, source: str, changing: str = "", *, narrow: bool = True, only: str = ""
) -> dict[str, list[str]]:
    """What axe finds, by look; looks without a finding are left out.

    ``changing`` is a selector of the parts that look otherwise in a narrow window, if any are to be
    asked about in both; with ``narrow`` false no narrow window is asked. ``only`` is one of the
    parts to ask about, where the rest of the page is asked elsewhere. The page is shown wide and
    light last.
    """
    page.evaluate(source)
    found = {}
    if narrow:
        found["narrow, light"] = _look(page, "light", 320, only=only)
        if changing:
            found["narrow, dark"] = _look(page, "dark", 320, CONTRAST, changing)
    found["wide, dark"] = _look(page, "dark", 1280, CONTRAST, only)
    if changing or not narrow:
        found["wide, light"] = _look(page, "light", 1280, only=changing if narrow else only)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")
    return {look: said for look, said in found.items() if said}


def _look(
    page: Any, scheme: str, width: int, rules: list[str] | None = None, only: str = ""
) -> list[str]:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    page.evaluate(DRAWN)
    asked = {"tags": RULES, "rules": rules, "only": only}
    return [_said(violation) for violation in page.evaluate(_RUN, asked)]


def _said(violation: dict[str, Any]) -> str:
    nodes = violation["nodes"]
    first = f"{nodes[0]['html'][:150]} {nodes[0].get('failureSummary', '')}"
    return f"{violation['id']} ({len(nodes)}×): {first}"
