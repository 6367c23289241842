"""The C++ kernel: built once, found again, replaced by the gather where it can't be built."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.decode import decode_step
from hypothesis import given
from hypothesis import strategies as st

from paged_attention import kernels
from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels import cpu, reference
from paged_attention.kernels.inputs import Decode

needs_compiler = pytest.mark.skipif(cpu.find_compiler() is None, reason="no C++ compiler here")


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty cache folder, and nothing remembered in this process, before and after."""
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path))
    remembered = (cpu.library, cpu.find_compiler, kernels._builds)
    for function in remembered:
        function.cache_clear()
    yield tmp_path
    for function in remembered:
        function.cache_clear()


def public(step: Decode) -> torch.Tensor:
    return kernels.paged_decode_attention(
        step.q, step.k_pool, step.v_pool, step.block_tables, step.lengths, step.block_size
    )


@needs_compiler
def test_a_library_is_built_once_and_found_again(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cpu.build(16, 3, torch.float32)
    assert made.parent == fresh / "kernels"
    monkeypatch.setattr(cpu, "_compile", lambda *_: pytest.fail("built twice"))
    assert cpu.build(16, 3, torch.float32) == made
    assert [path.name for path in made.parent.iterdir()] == [made.name]


@needs_compiler
def test_a_library_beside_a_shared_model_is_read_and_another_one_built_at_home(
    fresh: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = cpu.build(16, 3, torch.float32)
    shared = tmp_path_factory.mktemp("srv") / "kernels"
    made.parent.rename(shared)
    monkeypatch.setenv("PAGED_ATTENTION_MODEL", str(shared.parent / "model"))
    monkeypatch.setattr(cpu, "_compile", lambda _, __, words: Path(words[-1]).touch())
    assert cpu.build(16, 3, torch.float32) == shared / made.name
    assert cpu.build(16, 1, torch.float32).parent == fresh / "kernels"
    assert [path.name for path in shared.iterdir()] == [made.name]


@needs_compiler
def test_other_constants_flags_or_machines_are_other_libraries(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = cpu.find_compiler()
    assert compiler is not None
    prints = [cpu._fingerprint(compiler, ["-DHEAD_DIM=16"])]
    prints.append(cpu._fingerprint(compiler, ["-DHEAD_DIM=32"]))
    monkeypatch.setattr(cpu, "FLAGS", ("-O2",))
    prints.append(cpu._fingerprint(compiler, ["-DHEAD_DIM=16"]))
    monkeypatch.setattr(cpu, "_processor", lambda: "another machine")
    prints.append(cpu._fingerprint(compiler, ["-DHEAD_DIM=16"]))
    assert len(set(prints)) == 4


def test_without_a_compiler_the_gather_answers(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    step = decode_step([0, 5, 40])
    torch.testing.assert_close(public(step).double(), reference.decode(step), atol=2e-5, rtol=2e-5)
    assert "no C++ compiler was found" in kernels.which_kernel(step)
    with pytest.raises(KernelNotBuilt, match=r"c\+\+, g\+\+ and clang\+\+"):
        cpu.decode(step)


@needs_compiler
def test_a_compiler_that_fails_is_quoted(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "FLAGS", (*cpu.FLAGS, "-fno-such-flag-anywhere"))
    step = decode_step([5])
    assert "no-such-flag" in kernels.which_kernel(step)
    assert not list((fresh / "kernels").iterdir()), "a half-built library was left"
    torch.testing.assert_close(public(step).double(), reference.decode(step), atol=2e-5, rtol=2e-5)


@needs_compiler
def test_without_openmp_it_builds_all_the_same(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "EXTRA_FLAGS", (("-fno-such-flag",), ()))
    step = decode_step([0, 5, 1400])
    torch.testing.assert_close(public(step).double(), reference.decode(step), atol=2e-5, rtol=2e-5)


@needs_compiler
def test_a_folder_that_can_t_be_written_is_named(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = fresh / "a file"
    blocked.touch()
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(blocked))
    assert "set PAGED_ATTENTION_CACHE" in kernels.which_kernel(decode_step([5]))


@needs_compiler
def test_a_spoilt_library_is_named(fresh: Path) -> None:
    cpu.build(16, 3, torch.float32).write_bytes(b"not a library")
    assert "delete it to build it anew" in kernels.which_kernel(decode_step([5]))


@needs_compiler
def test_which_kernel_counts_threads() -> None:
    step = decode_step([5])
    assert kernels.which_kernel(step) == (
        f"C++ through the block tables, {torch.get_num_threads()} threads"
    )


@needs_compiler
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("lengths", [[4000], [3000, 0], [700, 0, 1, 2000, 255, 256]])
def test_any_number_of_threads_and_parts(threads: int, lengths: list[int]) -> None:
    """Few long sequences are read in parts: up to four a thread, of 256 tokens or more."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        step = decode_step(lengths, heads=3, kv_heads=1)
        step.q.mul_(10)  # parts with weights that differ
        torch.testing.assert_close(
            cpu.decode(step).double(), reference.decode(step), atol=1e-4, rtol=1e-4
        )
    finally:
        torch.set_num_threads(before)


@needs_compiler
@given(
    lengths=st.lists(st.integers(0, 600), min_size=1, max_size=5),
    block_size=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_any_lengths_and_block_size(lengths: list[int], block_size: int, seed: int) -> None:
    step = decode_step(lengths, head_dim=8, block_size=block_size, seed=seed)
    torch.testing.assert_close(
        cpu.decode(step).double(), reference.decode(step), atol=2e-5, rtol=2e-5
    )


@needs_compiler
def test_calls_from_several_threads_don_t_meet() -> None:
    steps = [decode_step([40, 3, 600], seed=seed) for seed in range(4)]
    right = [reference.decode(step) for step in steps]
    differences = []

    def call(index: int) -> None:
        differences.extend(
            (cpu.decode(steps[index]) - right[index]).abs().max().item() for _ in range(20)
        )

    threads = [threading.Thread(target=call, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(differences) == 80
    assert max(differences) < 2e-5


@needs_compiler
def test_the_process_s_arithmetic_stays_as_it_was() -> None:
    """A library built with -ffast-math rounds tiny numbers to zero in the whole process."""
    cpu.decode(decode_step([5]))
    assert np.float32(1e-40) * np.float32(1.0) != 0
    assert (torch.tensor([1e-40]) * 1.0).item() != 0


@needs_compiler
@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="Linux shows what is loaded")
def test_it_shares_pytorch_s_threads() -> None:
    """Two OpenMP libraries would each keep threads spinning while the other works."""
    cpu.decode(decode_step([5]))
    loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()}
    assert len([name for name in loaded if "libgomp" in name or "libomp" in name]) <= 1
