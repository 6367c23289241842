"""Check built pages without a browser: links, ids, names of pictures, and what pages may load."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src"}
ADDRESSES = ("href", "src", "data-src", "data-index", "data-engine", "data-run")
STYLE_URL = re.compile(r"url\(\s*['\"]?([^'\")]+)")


@dataclass
class Document:
    """What was read of one page."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    headings: int = 0
    title: str = ""
    policy: bool = False


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found = Document()
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        found = self.found
        where = f"<{tag}{' id=' + values['id'] if 'id' in values else ''}>"
        if "id" in values:
            if values["id"] in found.ids:
                found.problems.append(f"a second element with the id {values['id']!r}")
            found.ids.add(values["id"])
        found.problems += _forbidden(tag, values, where)
        found.links += [values[name] for name in ADDRESSES if name in values]
        found.headings += tag == "h1"
        found.policy |= values.get("http-equiv") == "Content-Security-Policy"
        self._in_title = tag == "title"

    def handle_endtag(self, tag: str) -> None:
        self._in_title &= tag != "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.found.title += data


def _forbidden(tag: str, values: dict[str, str], where: str) -> list[str]:
    """What the security policy and readers with other senses rule out in one element."""
    problems = [
        f"{where} has the attribute {name}"
        for name in values
        if name.startswith("on") or name == "style"
    ]
    if tag == "script" and "src" not in values and values.get("type") != "application/json":
        problems.append("a script in the page itself")
    if tag in ("style", "iframe", "object", "embed"):
        problems.append(f"{where} isn't allowed in a page")
    if tag == "img" and not values.get("alt", "").strip():
        problems.append(f"the picture {values.get('src')} has no alt text")
    # A page's own address, for search engines: nothing is loaded from it.
    loaded = "" if values.get("rel") == "canonical" else values.get(LOADING.get(tag, ""), "")
    if urlsplit(loaded).scheme or urlsplit(loaded).netloc:
        problems.append(f"{where} loads {loaded}")
    return problems


def read_page(path: Path) -> Document:
    """Parse one page."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    found = reader.found
    if found.headings != 1:
        found.problems.append(f"{found.headings} headings of the first level, not one")
    if not found.title.strip():
        found.problems.append("no title")
    if not found.policy:
        found.problems.append("no Content-Security-Policy")
    return found


def check_site(folder: Path, base: str) -> list[str]:
    """Every problem of the pages in ``folder``, each with its page; empty when all is well."""
    pages = {path: read_page(path) for path in sorted(folder.rglob("*.html"))}
    problems = []
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        problems += [f"{name}: {problem}" for problem in page.problems]
        for link in page.links:
            if wrong := _broken(link, path, folder, base, pages):
                problems.append(f"{name}: {wrong}")
    return list(dict.fromkeys(problems + _broken_in_styles(folder)))


def _broken(
    link: str, page: Path, folder: Path, base: str, pages: dict[Path, Document]
) -> str | None:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = page
    if parts.path:
        path = unquote(parts.path)
        if not path.startswith(f"{base}/"):
            return f"the link {link} leaves the base path {base!r}"
        target = folder / path[len(base) + 1 :]
        if target.is_dir():
            target = target / "index.html"
        if not target.is_file():
            return f"the link {link} leads to nothing"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
        return f"the link {link} leads to a page without that place"
    return None


def _broken_in_styles(folder: Path) -> list[str]:
    problems = []
    for path in folder.rglob("*.css"):
        for url in STYLE_URL.findall(path.read_text(encoding="utf-8")):
            if url.startswith("data:"):
                continue
            if urlsplit(url).scheme or url.startswith("/") or not (path.parent / url).is_file():
                problems.append(f"{path.relative_to(folder).as_posix()}: url({url}) isn't there")
    return problems
