"""Saved notebooks keep pictures' still forms and lose only views that nothing stands behind."""

from typing import Any

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
