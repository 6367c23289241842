"""What a picture leaves in a notebook: data, a still form with words, text with a digest."""

import base64
import html
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable

import pytest
from benchmarks.block_size_page import shown
from benchmarks.decode_page import newest
from helpers.gallery import HOSTILE, hostile_trace
from helpers.traffic import random_trace

from workbook.stills.looks import COLOURS, STATES
from workbook.stills.sheet import Sheet, wrapped
from workbook.trace import RecordingPagedKVCache, Trace
from workbook.widgets import (
    MIME,
    Picture,
    block_size_picture,
    contiguous_vs_paged,
    engine_picture,
    fork_and_copy,
    line_picture,
    pages_picture,
    pool_picture,
    prefix_picture,
    reading_through_table,
    tiles_picture,
)
from workbook.widgets.block_size.times import MEASURED
from workbook.widgets.bundle import style

EACH: dict[str, Callable[[], Picture]] = {
    "pool": pool_picture,
    "contiguous": contiguous_vs_paged,
    "reading": reading_through_table,
    "fork": fork_and_copy,
    "prefix": prefix_picture,
    "block_size": block_size_picture,
    "line": line_picture,
    "engine": engine_picture,
    "tiles": tiles_picture,
    "pages": pages_picture,
}
SVG = "{http://www.w3.org/2000/svg}"


def still(picture: Picture) -> ET.Element:
    """The still form, as it is in the output."""
    found = re.search(r"base64,([^\"]+)", picture._repr_mimebundle_()["text/html"])
    assert found
    return ET.fromstring(base64.b64decode(found[1]))


@pytest.mark.parametrize("name", EACH)
def test_an_output_has_data_picture_and_text(name: str) -> None:
    picture = EACH[name]()
    bundle = picture._repr_mimebundle_()
    assert set(bundle) == {MIME, "text/html", "text/plain"}
    assert bundle[MIME]["picture"] == name
    assert json.loads(json.dumps(bundle[MIME])) == bundle[MIME]
    assert bundle["text/plain"] == str(picture)
    assert re.search(r"; sha256 [0-9a-f]{12}$", str(picture))
    alt = re.fullmatch(
        r'<img class="pa-still" src="data:image/svg\+xml;base64,\S+" alt="([^"]*)" .*>',
        bundle["text/html"],
    )
    assert alt
    assert len(alt[1]) > 60
    assert html.unescape(alt[1]) == picture.alt


@pytest.mark.parametrize("name", EACH)
def test_the_still_form_is_small_readable_and_made_of_shapes(name: str) -> None:
    picture = EACH[name]()
    assert 1 <= len(picture.stills) <= 4
    root = still(picture)
    assert int(root.get("width") or 0) <= 640
    sizes = [float(text.get("font-size") or 0) for text in root.iter(f"{SVG}text")]
    assert min(sizes) >= 11
    assert len(picture.svg) < 60_000
    kinds = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert kinds <= {
        *("svg", "style", "defs", "pattern"),
        *("rect", "path", "circle", "text", "polyline"),
    }


@pytest.mark.parametrize("name", EACH)
def test_data_is_a_few_kilobytes_a_line_an_item(name: str) -> None:
    """A notebook writes each item of a list on its own line, so long lists are strings."""
    text = json.dumps(EACH[name]().data, indent=1)
    assert len(text) < 9_000
    assert text.count("\n") < 180


def test_outputs_are_the_same_in_another_process() -> None:
    code = (
        "from workbook.widgets import *\n"
        "from workbook.widgets import pool_picture, prefix_picture\n"
        "for p in (pool_picture(), prefix_picture()):\n"
        "    b = p._repr_mimebundle_(); print(b['text/plain'], b['text/html'], p.data)\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert "sha256" in runs[0]


def test_the_pool_says_what_the_brief_says() -> None:
    assert str(pool_picture()).splitlines()[:-1] == [
        "pool 12x4 step 9/14 fork(B, C)",
        "A 22: 7 2 11 5 9 0[2/4]",
        "B 7: 3x2 8x2[3/4]",
        "C 7: 3x2 8x2[3/4]",
        "cached 4; free 1 6 10",
    ]
    assert str(pool_picture()).splitlines()[-1].startswith("3 free + 8 held + 1 cached = 12; ")


def test_a_picture_in_a_list_is_one_line() -> None:
    assert repr([pool_picture()]) == "[<Pool and tables: pool 12x4 step 9/14 fork(B, C)>]"


def test_an_empty_pool() -> None:
    cache = RecordingPagedKVCache(1, 12, 4, 1, 1)
    picture = pool_picture(cache.trace)
    assert picture.alt == "Pool and tables. start: 12 of 12 free."
    assert str(picture).splitlines()[1] == "cached -; free 0 1 2 3 4 5 6 7 8 9 10 11"
    assert len([r for r in still(picture).iter(f"{SVG}rect") if r.get("stroke-dasharray")]) == 12


def test_a_large_pool_is_drawn_in_part_and_counted_whole() -> None:
    picture = pool_picture(random_trace(2000, num_blocks=10_000, block_size=16))
    assert "… 9,940 more blocks" in "".join(still(picture).itertext())
    assert "= 10,000" in str(picture)


def test_names_are_text_in_the_still_form_too() -> None:
    picture = pool_picture(hostile_trace())
    root = still(picture)
    text = "".join(root.itertext())
    assert "<img src=x oner…" in text
    assert "\u202e" not in text
    assert not list(root.iter(f"{SVG}image"))
    assert not list(root.iter(f"{SVG}script"))
    assert "<script" not in picture._repr_mimebundle_()["text/html"]
    assert picture.data["trace"]["seqs"] == [*HOSTILE, "('same',)"]


def test_both_sides_come_to_the_books_numbers() -> None:
    text = str(contiguous_vs_paged())
    assert "contiguous 24 written + 36 empty + 4 free = 64" in text
    assert "paged 47 written + 9 empty + 8 free = 64" in text
    assert "contiguous D: reserved 0 written 0 empty 0 waits" in text
    all_long = str(contiguous_vs_paged((20,) * 5))
    assert "paged D: reserved 0 written 0 empty 0 waits" in all_long


@pytest.mark.parametrize("lengths", [(), (0,), (21,)])
def test_lengths_that_no_request_has_are_refused(lengths: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="from 1 to most=20"):
        contiguous_vs_paged(lengths)
    with pytest.raises(ValueError, match="whole blocks"):
        contiguous_vs_paged(slots=62)


def test_no_token_to_read_is_zeros() -> None:
    picture = reading_through_table((), (), ())
    assert str(picture).splitlines()[-1].startswith("ends , equal to plain softmax")
    assert picture.alt.endswith("No token to read: the answer is zeros.")


def test_a_table_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="don't fit"):
        reading_through_table((0, 1), (1.0,))


def test_forks_at_a_blocks_edge_copy_nothing_and_a_small_pool_refuses_whole() -> None:
    assert "copied" not in str(fork_and_copy(prompt=32))
    assert str(fork_and_copy(prompt=32)).splitlines()[-1].startswith("new 0, then 5;")
    small = fork_and_copy(num_blocks=4)
    assert (
        small.stills[-1].said
        == "P can't write: 1 block wanted, 0 free. Refused whole, nothing changed."
    )
    assert str(fork_and_copy(prompt=0, children=1)).splitlines()[2] == "2 fork no change"
    assert "c40" in fork_and_copy(children=40, num_blocks=64).data["trace"]["seqs"]


def test_the_last_block_of_an_exact_repeat_runs_again() -> None:
    picture = prefix_picture(["a b c d e f g h"] * 2)
    assert picture.stills[1].said == "B: 1 block hit, 4 tokens reused, 4 to run."


def test_prompts_can_have_ended_and_their_blocks_are_cached() -> None:
    prompts = ["a b c d e f g h 0", "a b c d i j k l 0", "m n o p 0"]
    picture = prefix_picture(prompts, ended=[1, 2])
    assert picture.data["start"] == 8
    assert picture.stills[-1].said.startswith("C ends.")
    assert "next out 9 15" in str(picture)
    with pytest.raises(IndexError):
        prefix_picture(prompts, ended=[3])


def test_block_sizes_without_data_are_refused() -> None:
    with pytest.raises(ValueError, match="size=3"):
        block_size_picture(size=3)
    with pytest.raises(ValueError, match="requests to count"):
        block_size_picture([])


def test_kernel_times_are_those_of_the_newest_benchmark() -> None:
    """Chapter 10 shows what the page beside the result says: ``block_size_page`` writes both."""
    result = newest("block-size")
    assert result is not None
    assert json.loads(MEASURED.read_text(encoding="utf-8")) == shown(result)
    timed = block_size_picture(times=True)
    assert timed.data["sizes"] == "1 2 4 8 16 32 64 128 256"
    assert len(timed.data["decode"].split()) == len(timed.data["prefill"].split()) == 9
    assert "decode takes 1.00 × the time of 16, prefill 1.00 ×." in timed.alt
    assert "decode" not in block_size_picture().data


def test_tiles_say_what_is_read_and_hidden() -> None:
    assert str(tiles_picture()).splitlines()[3:5] == [
        "program 3: A 0–1 at 6, 8 keys in blocks 5 1, 1 hidden",
        "program 4: B 2–3 at 2, 4 keys in blocks 3, 1 hidden",
    ]
    assert tiles_picture().stills[0].said == (
        "Program 3 of 5: tokens 0–1 of A, 6 rows, 3 heads each. It reads 8 keys in 2 blocks. The "
        "mask hides 1 of 16 cells. 1 block of A not read: 7."
    )
    with pytest.raises(ValueError, match="A has 9 tokens and 2 blocks of 4"):
        tiles_picture([(6, 3)], [(5, 1)])
    with pytest.raises(IndexError, match="steps 0 to 5"):
        tiles_picture(start=6)


def test_a_token_is_in_one_place_by_either_table() -> None:
    assert pages_picture((5, 2), block=16, page=4, start=25).stills[0].said == (
        "Position 25. The manager: entry 1, block 2, slot 9. The kernel: entry 6, page 10, slot 1. "
        "Both are slot 41 of the pool."
    )
    with pytest.raises(ValueError, match="pages of 16 don't fill blocks of 24"):
        pages_picture(block=24)
    with pytest.raises(IndexError, match="positions 0 to 127"):
        pages_picture(start=128)


def test_a_step_outside_the_trace_is_refused() -> None:
    with pytest.raises(IndexError, match="steps 0 to 14"):
        pool_picture(Trace.from_json(pool_picture().data["trace"]), start=15)


def test_engines_that_do_not_record_are_refused() -> None:
    with pytest.raises(TypeError, match="don't record"):
        pool_picture(object())


def test_both_forms_have_the_houses_colours() -> None:
    css, svg = style(), pool_picture().svg
    for name, (light, dark) in COLOURS.items():
        assert f"--{name}: light-dark({light}, {dark});" in css
        assert f"--{name}:{light}" in svg
        assert f"--{name}:{dark}" in svg
    for state, look in STATES.items():
        rule = css.split(f'[data-state="{state}"]')[1].split("}")[0]
        assert (look.fill or "background") in rule
        assert ("dashed" in rule) == (look.border == "dashed")
        assert ("inset 0 0 0 2px" in rule) == (look.border == "double")
        assert ("--hatch-" in rule) == (look.hatch is not None)


def test_text_is_escaped_and_wrapped() -> None:
    sheet = Sheet()
    sheet.text(0, 0, "<a & 'b'>")
    assert "&lt;a &amp; &#x27;b&#x27;&gt;" in sheet.svg()
    assert wrapped("one two three", 60) == ["one two", "three"]
    assert wrapped("word" * 30, 60) == ["word" * 30]


def test_the_line_says_who_gives_way() -> None:
    picture = line_picture()
    assert str(picture).splitlines()[:-1] == [
        "step 5/15 step()",
        "A runs: 9 of 10 in the cache, 1 run, 3 blocks",
        "B runs: 9 of 10 in the cache, 1 run, 3 blocks",
        "C waits: 0 of 9 in the cache, 0 run, 0 blocks",
    ]
    assert str(picture).splitlines()[-1].startswith("0 free + 6 held + 0 cached = 6; ")
    assert picture.stills[1].said == (
        "step(): A block is missing: C, the newest that runs, gives back 2 blocks. It keeps its 9 "
        "tokens, and waits. A and B say a token each."
    )
    kept = line_picture(host=6)
    assert "A copy waits in host memory." in kept.stills[1].said
    assert "host: 2 of 6 in use;" in str(kept)


def test_a_line_without_trouble_and_one_that_is_refused() -> None:
    roomy = line_picture({"X": 5}, num_blocks=20)
    assert roomy.data["said"].endswith("X says a token. X has said all and leaves.")
    assert str(roomy).splitlines()[0] == "step 7/7 step()"
    refused = line_picture({"X": 50})
    assert refused.data["said"].endswith("X is refused: it could never be finished with 6 blocks.")
    with pytest.raises(IndexError, match="steps 0 to 15"):
        line_picture(start=16)


def test_the_line_is_drawn_with_forty_in_it() -> None:
    picture = line_picture({f"r{n}": 3 for n in range(40)}, num_blocks=9, start=41)
    assert "… 32 more" in "".join(still(picture).itertext())


def test_the_whole_engine_tells_a_hit_a_split_and_a_return() -> None:
    picture = engine_picture()
    assert str(picture).splitlines()[:6] == [
        "engine 10x4 step 5/12 step()",
        "A runs: 14 of 15 in the cache, 1 run, 4 blocks",
        "B runs: 13 of 14 in the cache, 1 run, 4 blocks",
        "B.1 runs: 13 of 14 in the cache, 0 run, 4 blocks",
        "L runs: 12 of 15 in the cache, 12 run, 3 blocks",
        "A has 0 1 2 3",
    ]
    said = [still.said for still in picture.stills]
    assert "Found in the index: 12 tokens. Split off: B.1." in said[0]
    assert said[1].startswith("step(): Preempted: L.")
    assert said[2].startswith("step(): Admitted: L. Found in the index: 4 tokens.")
    assert picture.answer is None


def test_the_whole_engine_refuses_what_it_cannot_show() -> None:
    with pytest.raises(ValueError, match="60 blocks at most, and this one has 61"):
        engine_picture(RecordingPagedKVCache(1, 61, 4, 1, 1).trace)
    with pytest.raises(IndexError, match="steps 0 to 12"):
        engine_picture(start=13)
    empty = engine_picture(RecordingPagedKVCache(1, 4, 4, 1, 1))
    assert str(empty).splitlines()[0] == "engine 4x4 step 0/0 start"
