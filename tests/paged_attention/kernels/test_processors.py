"""The C++ kernels as other processors would have them: registers of 8 and of 4 numbers.

Built without AVX-512 and without any AVX, each gives the reference's answer, over NaN. Where the
compiler doesn't know a flag, there is nothing to build. The libraries are kept like all others.
"""

import pytest
import torch
from helpers.decode import decode_step
from helpers.prefill import check, prefill_step

from paged_attention.errors import KernelNotBuilt
from paged_attention.kernels import cpu, prefill_cpu, reference

pytestmark = pytest.mark.skipif(cpu.find_compiler() is None, reason="no C++ compiler")
BUILDS = {
    "without AVX-512": ("-march=native", "-mno-avx512f", "-fopenmp"),
    "without AVX": ("-march=x86-64", "-fopenmp"),
}


@pytest.fixture(params=BUILDS)
def built(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are built with these flags, and none is remembered from before or for afterwards."""
    monkeypatch.setattr(cpu, "EXTRA_FLAGS", (BUILDS[request.param],))
    for module in (cpu, prefill_cpu):
        monkeypatch.setattr(module, "library", module.library.__wrapped__)
    try:
        cpu.build(64, 3, torch.float32)
    except KernelNotBuilt as error:
        pytest.skip(str(error))


SHAPES = [(9, 3, 64, torch.float32), (4, 2, 40, torch.bfloat16)]


@pytest.mark.parametrize(("heads", "kv_heads", "head_dim", "dtype"), SHAPES)
def test_answers_are_the_reference_s(
    built: None, heads: int, kv_heads: int, head_dim: int, dtype: torch.dtype
) -> None:
    shape = {"heads": heads, "kv_heads": kv_heads, "head_dim": head_dim, "dtype": dtype}
    rows = [(5, 5), (70, 19), (33, 1), (9, 0), (141, 130)]
    check(prefill_cpu.prefill, prefill_step(rows, **shape))
    step = decode_step([0, 1, 70, 33, 600], **shape)
    near = 3e-2 if dtype != torch.float32 else 2e-5
    out = cpu.decode(step).double()
    torch.testing.assert_close(out, reference.decode(step), atol=near, rtol=near)


def test_chunks_of_any_size_agree_to_the_last_digit(built: None) -> None:
    whole = prefill_step([(150, 150)], heads=9, kv_heads=3, head_dim=64)
    right = prefill_cpu.prefill(whole)
    for begin, end in ((0, 1), (1, 70), (70, 150)):
        part = whole._replace(
            q=whole.q[begin:end],
            lengths=torch.tensor([end]),
            query_starts=torch.tensor([0, end - begin]),
        )
        assert torch.equal(prefill_cpu.prefill(part), right[begin:end])
