"""A walk that can't be built says why; the notebook goes on."""

from pathlib import Path

import pytest

from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels.cpu import find_compiler
from workbook.walk import program


@pytest.mark.skipif(find_compiler() is None, reason="no C++ compiler")
def test_a_cache_that_can_not_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path / "file"))
    with pytest.raises(KernelNotBuilt, match=r"walks.*PAGED_ATTENTION_CACHE"):
        program.build("", program.FAST, 8, 3, ".so")
