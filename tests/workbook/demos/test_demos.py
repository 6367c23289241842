"""The demos print the book's numbers, from the finished classes and from a reader's own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from paged_attention import generate as loop
from paged_attention.__main__ import main
from paged_attention.model.decoder import Decoder
from workbook.demos import NAMES, load_demo

WASTE = {
    "demo": "waste",
    "requests": 32,
    "tokens_stored": 9924,
    "static_slots_reserved": 32768,
    "paged_slots_reserved": 10144,
    "static_utilization": 0.303,
    "paged_utilization": 0.978,
    "max_tokens": 1024,
    "block_size": 16,
}
ALLOCATOR = """
class MyAllocator:
    def __init__(self, num_blocks):
        self.num_blocks, self.refs = num_blocks, [0] * num_blocks
        self.stack = list(range(num_blocks))

    @property
    def num_free(self):
        return len(self.stack)

    def allocate(self):
        block = self.stack.pop()
        self.refs[block] = 1
        return block

    def release(self, block):
        self.refs[block] -= 1
        self.stack.append(block)
"""


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)  # tiny tensors: more threads only wait for each other


def result(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    """What a demo prints with ``--json``: one line and nothing else."""
    assert main(["demo", *args, "--json"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out)
    return found


def failure(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """What a demo that can't run says on stderr, in one line and without a traceback."""
    assert main(["demo", *args]) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(f"demo {args[0]} stopped: ")
    return err


def write(folder: Path, code: str) -> str:
    (folder / "mine.py").write_text(code)
    return str(folder / "mine.py")


def test_the_waste_demo_from_a_shell_is_chapter_1_to_the_digit() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "paged_attention", "demo", "waste", "--json"],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert json.loads(done.stdout) == WASTE
    assert done.stderr == ""


def test_the_waste_demo_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "waste"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "32 requests hold 9,924 tokens.",
        "  runs of 1,024 slots   32,768 reserved, 30.3% used",
        "  blocks of 16          10,144 reserved, 97.8% used",
    ]


@pytest.mark.parametrize(
    ("block_size", "utilisation"),
    [(1, 1.0), (64, 0.918), (256, 0.775), (512, 0.606), (1024, 0.303)],
)
def test_the_waste_demo_in_blocks_of_other_sizes(
    capsys: pytest.CaptureFixture[str], block_size: int, utilisation: float
) -> None:
    found = result(capsys, "waste", "--block-size", str(block_size))
    assert found["paged_utilization"] == utilisation


def test_the_generate_demo_streams_text_and_sums_up(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["generate", "Hi", "--tiny", "--max-new-tokens", "7", "--block-size", "4"]
    found = result(capsys, *args)
    assert main(["demo", *args]) == 0
    text, blank, speed, blocks = capsys.readouterr().out.splitlines()
    assert text == "Hi" + found["requests"][0]["text"]
    assert blank == ""
    assert speed.startswith("tiny random model: 2 prompt tokens in ")
    assert blocks == "8 tokens in 2 of 2 blocks of 4: 100.0% used"
    assert (found["cached_tokens"], found["peak_blocks"], found["utilisation"]) == (8, 2, 1.0)
    assert len(found["requests"][0]["ids"]) == 7


def test_the_generate_demo_runs_several_prompts_as_a_batch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    args = ["generate", "Hi", "Hello there", "--tiny", "--max-new-tokens", "5"]
    both = result(capsys, *args)["requests"]
    alone = result(capsys, "generate", "Hello there", "--tiny", "--max-new-tokens", "5")
    assert both[1] == alone["requests"][0]
    assert main(["demo", *args]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("[0] Hi")
    assert lines[1].startswith("[1] Hello there")


def test_the_generate_demo_draws_by_seed(capsys: pytest.CaptureFixture[str]) -> None:
    def ids(seed: str) -> list[int]:
        hot = ["--temperature", "3", "--top-k", "90", "--top-p", "0.99", "--seed", seed]
        found = result(capsys, "generate", "Hi", "--tiny", *hot)["requests"][0]["ids"]
        return list(found)

    assert ids("1") == ids("1")
    assert ids("1") != ids("2")


def test_the_generate_demo_renders_a_chat(capsys: pytest.CaptureFixture[str]) -> None:
    found = result(capsys, "generate", "Hi", "--tiny", "--chat", "--max-new-tokens", "1")
    assert found["requests"][0]["prompt_tokens"] > 20
    assert found["decode_tokens_per_second"] is None


def test_json_stays_alone_on_its_line_when_the_tiny_model_stands_in(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path))
    assert result(capsys, "generate", "Hi", "--max-new-tokens", "2")["model"] == "tiny random model"


@pytest.mark.parametrize(
    ("args", "fragment"),
    [
        (["generate", "Hi", "--tiny", "--top-k", "0"], "top_k must be an integer"),
        (["generate", "", "--tiny"], "request 0 has an empty prompt"),
        (["generate", "Hi", "--model", "nowhere"], "nowhere is not a folder"),
        (["waste", "--max-tokens", "400"], "the longest request has 499 tokens"),
        (["waste", "--impl", "nowhere.py"], "there is no Python file"),
    ],
)
def test_what_can_not_run_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], args: list[str], fragment: str
) -> None:
    assert fragment in failure(capsys, *args)


def test_a_pool_too_small_stops_after_the_text_so_far(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "generate", "Hi", "--tiny", "--num-blocks", "1"]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("Hi")
    assert printed.out.endswith("\n")
    assert "free another sequence" in printed.err


def test_an_interrupt_ends_the_line_and_the_program(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Decoder, "next_logits", interrupted)
    assert main(["demo", "generate", "Hi", "--tiny"]) == 130
    assert capsys.readouterr().err == "\nstopped\n"


@pytest.mark.parametrize("args", [[], ["demo"], ["demo", "waste", "--block-size", "0"], ["sing"]])
def test_a_wrong_command_line_is_explained(
    capsys: pytest.CaptureFixture[str], args: list[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(args)
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_every_demo_says_what_it_is_about(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["demo", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert all(load_demo(name).about in shown for name in NAMES)


def test_a_reader_s_allocator_serves_both_demos(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = write(tmp_path, ALLOCATOR)
    assert result(capsys, "waste", "--impl", mine) == WASTE
    args = ["generate", "Hi", "Hello there", "--tiny", "--block-size", "2"]
    right = result(capsys, *args)["requests"]
    seen: list[Any] = []
    honest = loop.stream

    def watched(decoder: Any, cache: Any, *rest: Any, **more: Any) -> Any:
        seen.append(cache)
        return honest(decoder, cache, *rest, **more)

    monkeypatch.setattr(loop, "stream", watched)
    assert result(capsys, *args, "--impl", mine)["requests"] == right
    assert seen[0].allocator.num_free == seen[0].allocator.num_blocks  # through theirs
    assert type(seen[0].allocator).__name__ == "Completed"


def test_a_reader_s_cache_without_attend_serves_both_demos(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    mine = write(
        tmp_path,
        "from paged_attention.cache import PagedKVCache as Finished\n"
        "class MyPagedKVCache:\n"
        "    def __init__(self, *args):\n"
        "        self.inner = Finished(*args)\n"
        "        self.tables, self.lengths = self.inner.tables, self.inner.lengths\n"
        "        for name in ('create', 'reserve', 'set_batch', 'update', 'free'):\n"
        "            setattr(self, name, getattr(self.inner, name))\n",
    )
    assert result(capsys, "waste", "--impl", mine) == WASTE
    args = ["generate", "Hi", "--tiny"]
    assert result(capsys, *args, "--impl", mine)["requests"] == result(capsys, *args)["requests"]


def test_of_a_chain_of_classes_the_last_is_taken(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    chain = ALLOCATOR + "class MySharingAllocator(MyAllocator):\n    def allocate(self): 1 / 0\n"
    mine = write(tmp_path, chain)
    message = failure(capsys, "waste", "--impl", mine)
    assert "mine.py, line 20, in allocate: ZeroDivisionError: division by zero" in message


@pytest.mark.parametrize(
    ("code", "fragment"),
    [
        ("x = 1\n", "defines none of BlockAllocator, MyAllocator"),
        ("from paged_attention import BlockAllocator\n", "defines none of"),
        ("1 / 0\n", "mine.py, line 1, in <module>: ZeroDivisionError"),
        ("def (\n", "invalid syntax"),
        ("class MyAllocator: ...\nclass BlockAllocator: ...\n", "keep the one that is meant"),
        ("class MyAllocator: ...\n", "MyAllocator() takes no arguments"),
        (
            "class MyAllocator:\n"
            "    def __init__(self, num_blocks):\n"
            "        raise NotImplementedError\n",
            "mine.py, line 3, in __init__: not implemented yet",
        ),
        (ALLOCATOR.replace("self.stack.pop()", "self.stack[-1]"), "634 blocks were handed out: 1"),
        (ALLOCATOR.replace("return len(self.stack)", "return 7"), "num_free says 7"),
    ],
)
def test_a_reader_s_file_that_fails_is_told_where(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, code: str, fragment: str
) -> None:
    assert fragment in failure(capsys, "waste", "--impl", write(tmp_path, code))


def test_a_demo_opens_no_connection(tmp_path: Path) -> None:
    """With every socket refused, both demos run, the real model's loader included."""
    code = (
        "import socket, sys\n"
        "def refuse(*args, **kwargs): raise AssertionError('a socket was opened')\n"
        "socket.socket.connect = socket.create_connection = refuse\n"
        "from paged_attention.__main__ import main\n"
        "sys.exit(main(['demo', 'waste']) or main(['demo', 'generate', 'Hi', "
        "'--max-new-tokens', '2']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr


# Other people's scripts read these keys: more may follow, none may change.
PROMISED: dict[str, dict[str, float]] = {
    "waste": {
        "requests": 32,
        "tokens_stored": 9924,
        "static_slots_reserved": 32768,
        "paged_slots_reserved": 10144,
        "static_utilization": 0.303,
        "paged_utilization": 0.978,
    },
    "forks": {
        "parent_blocks": 3,
        "new_blocks_after_4_forks": 0,
        "new_blocks_after_each_sample_writes_a_token": 4,
    },
    "prefix": {
        "prompt_tokens": 832,
        "tokens_prefilled": 160,
        "blocks_in_use": 14,
        "blocks_without_sharing": 56,
    },
}


@pytest.mark.parametrize("name", PROMISED)
def test_the_keys_that_other_people_s_scripts_read(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert PROMISED[name].items() <= result(capsys, name).items()
