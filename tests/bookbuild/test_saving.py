"""Saved notebooks keep pictures' still forms and lose only views that nothing stands behind."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import nbformat
import pytest

from bookbuild.book import ROOT
from bookbuild.lab import SAVING
from bookbuild.outputs import WIDGET_VIEW
from bookbuild.saving import PICTURE, keep_still_pictures
from workbook.widgets import MIME


def notebook(*outputs: dict[str, Any]) -> dict[str, Any]:
    cells = [{"cell_type": "markdown", "source": ""}, {"cell_type": "code", "outputs": [*outputs]}]
    return {"type": "notebook", "content": {"cells": cells}}


def test_a_pictures_view_is_dropped_and_another_widgets_stays() -> None:
    other = {"data": {WIDGET_VIEW: {}, "text/plain": "a slider"}}
    model = notebook({"data": {WIDGET_VIEW: {}, PICTURE: {}, "text/html": "<img>"}}, other)
    keep_still_pictures(model, path="x.ipynb")
    assert model == notebook({"data": {PICTURE: {}, "text/html": "<img>"}}, other)


def test_streams_and_files_are_left_alone() -> None:
    model = notebook({"output_type": "stream", "text": "hello"})
    keep_still_pictures(model)
    assert model == notebook({"output_type": "stream", "text": "hello"})
    file = {"type": "file", "content": "text"}
    keep_still_pictures(file)
    assert file == {"type": "file", "content": "text"}


def test_it_knows_the_pictures_own_type() -> None:
    assert PICTURE == MIME


TOKEN = "saving"  # of servers that live for one test
PLAIN = {"jupyter lab": "jupyterlab", "jupyter server": "jupyter_server"}


@contextlib.contextmanager
def plain_server(module: str, folder: Path) -> Iterator[str]:
    """A server started without a word of the book, where the book's package is installed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"JUPYTER_DATA_DIR": "data", "JUPYTER_CONFIG_DIR": "config", "IPYTHONDIR": "ipython"}
    environment = os.environ | {name: str(folder / path) for name, path in own.items()}
    environment["JUPYTER_CONFIG_PATH"] = str(SAVING.parents[1])  # stands for etc/jupyter
    command = [sys.executable, "-m", module, "--no-browser", "--allow-root"]
    command += [f"--port={port}", f"--IdentityProvider.token={TOKEN}"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=environment)
    try:
        address = f"http://127.0.0.1:{port}/api/contents"
        for _ in range(480):
            with contextlib.suppress(URLError, ConnectionError):
                urlopen(f"{address}?token={TOKEN}").close()
                break
            time.sleep(0.25)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=120)


# JupyterLab is such a server and more; the other one is for `make soak`.
@pytest.mark.parametrize(
    "started", ["jupyter lab", pytest.param("jupyter server", marks=pytest.mark.slow)]
)
def test_a_server_that_was_started_in_any_way_keeps_pictures(started: str, tmp_path: Path) -> None:
    data = {WIDGET_VIEW: {"model_id": "gone"}, PICTURE: {}, "text/html": "<img>"}
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("show()")])
    book.cells[0].outputs = [nbformat.v4.new_output("display_data", data)]
    (tmp_path / "n.ipynb").write_text(nbformat.writes(book))
    with plain_server(PLAIN[started], tmp_path) as contents:
        body = json.dumps({"type": "notebook", "content": book}).encode()
        address = f"{contents}/n.ipynb?token={TOKEN}"
        urlopen(Request(address, body, {"Content-Type": "application/json"}, method="PUT")).close()
    saved = nbformat.read(tmp_path / "n.ipynb", 4)
    assert set(saved.cells[0].outputs[0].data) == {PICTURE, "text/html"}


def test_the_package_installs_what_a_server_reads() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    shared = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    (source,) = (name for name, place in shared.items() if place == "etc/jupyter")
    assert SAVING.relative_to(ROOT / source).as_posix() == (
        "jupyter_server_config.d/paged_attention_book.json"
    )
    named = json.loads(SAVING.read_text())["ServerApp"]["jpserver_extensions"]
    assert list(named) == [keep_still_pictures.__module__]
