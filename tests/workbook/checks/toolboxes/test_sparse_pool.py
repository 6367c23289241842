"""A pool of 2 ** 31 numbers takes next to no memory, and tells an int32 product from an int64."""

import resource
import sys
from typing import Any

import pytest

from workbook.checks.ch07.mistakes.decode_kernel import decode_kernel
from workbook.checks.framework import CheckFailed, Skipped
from workbook.checks.framework.mistake import changed
from workbook.checks.toolboxes import sparse_pool as toolbox
from workbook.checks.toolboxes.decode_steps import expect_right
from workbook.triton_or_stub import HAS_TRITON


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="addresses are lent by Linux only")
def test_it_takes_no_memory_until_it_is_written() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pool = toolbox.sparse_pool((2**29, 4, 8))
    pool[-1] = 7.0
    assert pool[-1, 0, 0] == 7.0
    assert not pool[2**28].any()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


def test_a_machine_that_lends_no_addresses_skips(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise OSError("Cannot allocate memory")

    monkeypatch.setattr(toolbox.mmap, "mmap", refuse)
    monkeypatch.setattr(toolbox.sys, "platform", "linux")
    with pytest.raises(Skipped, match="doesn't lend the addresses"):
        toolbox.far_step()
    monkeypatch.setattr(toolbox.sys, "platform", "darwin")
    with pytest.raises(Skipped, match="Linux only"):
        toolbox.far_step()


@pytest.mark.skipif(not HAS_TRITON, reason="needs Triton's interpreter")
def test_a_missing_or_late_int64_leaves_the_pool() -> None:
    expect_right(decode_kernel, toolbox.far_step())
    late = (
        (".to(tl.int64)", ""),
        ("token[:, None] * HEAD_DIM", "token[:, None].to(tl.int64) * HEAD_DIM"),
    )
    for changes in ([(".to(tl.int64)", "")], late):
        with pytest.raises(CheckFailed, match="OutsideMemory"):
            expect_right(changed(decode_kernel, changes), toolbox.far_step())
