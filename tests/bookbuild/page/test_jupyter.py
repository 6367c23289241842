"""What the book's pictures know of Jupyter, in a page: display, live pictures, their buttons."""

import sys

import pytest

from bookbuild.page.jupyter import Jupyter
from workbook.stills import Sheet, show
from workbook.widgets.common.answer import Answer
from workbook.widgets.common.picture import MIME, WIDGET_VIEW, Picture

LIVE = "workbook.widgets.common.live"


@pytest.fixture
def jupyter(page, monkeypatch):
    made = Jupyter(page.kernel)
    for name, module in made.modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, LIVE, raising=False)
    yield made
    sys.modules.pop(LIVE, None)  # the one that was made of stand-ins


def a_picture(act=None):
    return Picture("Pool", {"picture": "pool"}, ["all free"], [], act and Answer(["take"], act))


def test_a_live_picture_tells_the_page_its_traits_before_it_is_shown(page, jupyter):
    page.kernel.space["picture"] = a_picture(lambda _: {})
    widget, shown = page.run("picture")[-2:]
    assert widget["content"] == {"data": {"picture": "pool"}, "live": ["take"], "fault": ""}
    assert shown["data"][WIDGET_VIEW]["model_id"] == widget["model"]
    assert shown["data"][MIME] == {"picture": "pool"}
    assert shown["data"]["text/plain"].startswith("all free; sha256 ")


def test_a_button_gets_new_data_from_the_engine(page, jupyter):
    heard = []
    page.kernel.space["picture"] = a_picture(lambda call: heard.append(call) or {"step": 2})
    model = page.run("picture")[-1]["data"][WIDGET_VIEW]["model_id"]
    page.messages.clear()
    jupyter.hear(model, {"call": "take"})
    assert heard == [{"call": "take"}]
    assert [message["content"] for message in page.messages] == [
        {"fault": ""},
        {"data": {"step": 2}},
    ]


def test_a_call_that_fails_is_told_and_changes_nothing(page, jupyter):
    def refuse(_):
        raise MemoryError("no block is free")

    page.kernel.space["picture"] = a_picture(refuse)
    model = page.run("picture")[-1]["data"][WIDGET_VIEW]["model_id"]
    page.messages.clear()
    jupyter.hear(model, {"call": "take"})
    assert page.messages[-1]["content"] == {"fault": "MemoryError: no block is free"}


def test_a_button_of_a_picture_that_nobody_knows_is_nobodys(page, jupyter):
    page.messages.clear()
    jupyter.hear("model-99", {"call": "take"})
    assert page.messages == []


def test_a_still_picture_comes_as_image_and_caption(page, jupyter):
    page.kernel.space |= {"show": show, "sheet": Sheet()}
    image, caption = page.run(
        "show(sheet, alt='A sheet with nothing on it.', caption='Figure', data=[1])"
    )
    assert image["data"]["text/plain"] == "A sheet with nothing on it."
    assert caption["data"]["text/plain"].startswith("Figure [data ")


def test_an_output_can_be_shown_anew(page, jupyter):
    first, second = page.run(
        "from IPython.display import display\n"
        "handle = display('a', display_id=True)\nhandle.update('b')"
    )
    assert second["update"] == first["metadata"]["display_id"]
    assert second["data"]["text/plain"] == "'b'"
