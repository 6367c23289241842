"""The module that notebooks and pages load."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.node import node

from workbook.widgets import bundle


def test_it_is_one_module_without_imports() -> None:
    text = bundle.module()
    assert "\nimport " not in f"\n{text}"
    assert [line for line in text.splitlines() if line.startswith("export")] == [
        "export function makeModel(state) {",
        "export function mount(host, data, model = makeModel({ data })) {",
        "export function mountAll(root, { eager = false } = {}) {",
        "export default { render };",
    ]
    assert "innerHTML" not in text
    assert "eval(" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_it_is_light() -> None:
    """Kilobytes that travel are a third of these; a notebook sends these to the page."""
    assert len(bundle.module().encode()) < 172_000
    assert len(bundle.style().encode()) < 22_000


def test_every_source_is_in_it() -> None:
    text = bundle.module()
    for path in bundle.ROOT.glob("*/*.js"):
        home = f"const ${path.parent.name}_{path.stem} = (() => {{"
        assert text.count(home) == 1, path


def test_the_style_sheet_touches_nothing_outside_a_picture() -> None:
    found = re.findall(r"([^{};]+)\{", bundle.style())
    selectors = [one.strip() for rule in found if "@" not in rule for one in rule.split(",\n")]
    assert len(selectors) > 100
    assert [s for s in selectors if not s.startswith((".pa", "[data-jp-theme-light="))] == []


def test_the_command_writes_all_files_alike_each_time(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        command = [sys.executable, "-m", "workbook.widgets", str(tmp_path / folder)]
        subprocess.run(command, check=True)
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [
        "looks.css",
        "pictures.css",
        "pictures.js",
    ]
    for name in ("looks.css", "pictures.js", "pictures.css"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    no_folder = subprocess.run(command[:-1], capture_output=True, text=True, check=False)
    assert no_folder.returncode == 2
    assert "FOLDER" in no_folder.stderr


def test_node_can_load_it(tmp_path: Path) -> None:
    bundle.write_to(tmp_path)
    address = (tmp_path / "pictures.js").as_uri()
    code = f"import('{address}').then((m) => console.log(Object.keys(m).join()))"
    told = subprocess.run(
        [node(), "--input-type=module", "-e", code], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == "default,makeModel,mount,mountAll"


def test_a_form_that_cannot_be_joined_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.js").write_text('import { a } from "./a.js";\nexport default { a };\n')
    (tmp_path / "a.js").write_text("const a = 1;\nexport { a };\n")
    monkeypatch.setattr(bundle, "ENTRY", tmp_path / "index.js")
    bundle.module.cache_clear()
    with pytest.raises(ValueError, match=r"a\.js has an export"):
        bundle.module()
    bundle.module.cache_clear()
