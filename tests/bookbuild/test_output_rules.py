"""Each rule on outputs is broken once."""

import pytest
from nbformat.v4 import new_code_cell, new_output

from bookbuild.outputs import masked
from bookbuild.rules import OUTPUT_RULES, Page

ALT = "A pool of eight blocks, three of them held."


def problems(*outputs: object, tags: tuple[str, ...] = ()) -> list[str]:
    cell = new_code_cell("x", outputs=list(outputs), metadata={"tags": list(tags)})
    page = Page("02_sample", "02", [cell])
    return [str(problem) for rule in OUTPUT_RULES for problem in rule(page)]


def stream(text: str) -> object:
    return new_output("stream", text=text)


def display(**data: str) -> object:
    return new_output("display_data", data={k.replace("_", "/"): v for k, v in data.items()})


GOOD = [
    display(image_png="aGk=", text_plain=ALT),
    display(text_html=f'<img alt="{ALT}" src="data:image/png;base64,/tmp/abcd">', text_plain="x"),
    stream("half of them: 1/2, blocks [5, 1, 7]\n"),
    stream("see src/paged_attention/allocator.py\n"),
]


@pytest.mark.parametrize("output", GOOD)
def test_good_outputs(output: object) -> None:
    assert problems(output) == []


BAD = {
    "figure size": (display(image_png="aGk=", text_plain="<Figure size 640x480>"), "without alt"),
    "no alt": (display(image_png="aGk="), "without alt text"),
    "short alt": (display(image_png="aGk=", text_plain="a pool"), "without alt text (it has"),
    "html": (display(text_html='<img src="a.png">'), "an <img> without alt text"),
    "short html": (display(text_html='<img alt="pool" src="a.png">'), "an <img> without alt"),
    "temporary file": (stream("/tmp/ipykernel_1/2.py:3: UserWarning"), "'/tmp/ipykernel_1'"),
    "home": (stream("saved to /home/ada/x.pt"), "'/home/ada', which belongs"),
    "windows": (stream(r"saved to C:\Users\ada"), "belongs to one machine"),
    "address": (stream("<object at 0x7f0011223344>"), "'0x7f0011223344'"),
    "untagged": (stream("⏱ 3.1 ms"), "without the tag `measured`"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_outputs(name: str) -> None:
    output, message = BAD[name]
    told = problems(output)
    assert len(told) == 1
    assert message in told[0]


def test_a_measured_cell_masks_its_times_and_nothing_else() -> None:
    assert problems(stream("⏱ 3.1 ms for 1,000"), tags=("measured",)) == []
    assert "prints no ⏱" in problems(stream("3.1 ms"), tags=("measured",))[0]
    assert "'⏱ fast' isn't masked" in problems(stream("⏱ fast\n⏱ 1 ms"), tags=("measured",))[0]


@pytest.mark.parametrize("text", ["⏱ 12.3 ms", "⏱   1,234 tok/s", "⏱ 0.5 µs", "⏱ 3.2 ×"])
def test_masks(text: str) -> None:
    assert masked(f"stack {text} per step, 7 blocks") == "stack ⏱ measured per step, 7 blocks"


def test_a_promised_error_comes() -> None:
    error = new_output("error", ename="BlockNotHeld", evalue="block 0", traceback=["line"])
    assert problems(error, tags=("raises-exception",)) == []
    assert "nothing was raised" in problems(tags=("raises-exception",))[0]


def test_a_traceback_with_a_machine_path_is_told() -> None:
    error = new_output("error", ename="E", evalue="", traceback=["File /root/x.py:1"])
    assert "'/root/x.py'" in problems(error, tags=("raises-exception",))[0]
