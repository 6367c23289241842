"""On a GPU: the prefill kernel against float64, its tiles in whatever order the GPU takes them."""

import pytest
import torch
from helpers.decode import TOLERANCE
from helpers.prefill import prefill_step, public
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.generate import generate
from paged_attention.kernels import reference
from paged_attention.kernels.prefill_inputs import Prefill
from paged_attention.model import tiny_model

pytest.importorskip("triton")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU here", allow_module_level=True)
MIXED = [(5, 5), (40, 8), (333, 333), (17, 1), (2070, 19), (9, 0)]


def on_gpu(step: Prefill) -> Prefill:
    return step._replace(**{
        name: value.cuda() for name, value in step._asdict().items() if isinstance(value, Tensor)
    })  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "head_dim", "block_size"),
    [(9, 3, 64, 16), (2, 2, 48, 1), (8, 1, 80, 24), (32, 8, 128, 48), (4, 1, 256, 256)],
)
def test_shapes(
    dtype: torch.dtype, heads: int, kv_heads: int, head_dim: int, block_size: int
) -> None:
    step = prefill_step(
        MIXED, heads=heads, kv_heads=kv_heads, head_dim=head_dim, block_size=block_size, dtype=dtype
    )
    tolerance = TOLERANCE[dtype]
    got = public(on_gpu(step)).double().cpu()
    torch.testing.assert_close(got, reference.prefill(step), atol=tolerance, rtol=tolerance)


def test_again_and_again_the_same() -> None:
    """A row that two programs store would differ from run to run."""
    step = on_gpu(prefill_step(MIXED, head_dim=64, block_size=16))
    first = public(step)
    assert all(torch.equal(public(step), first) for _ in range(20))


def test_the_engine_writes_the_same_text() -> None:
    model = tiny_model("cuda")
    prompts = [[1, 2, 3, 4, 5], list(range(40))]
    shape = (4, 64, 16, 2, 16)
    in_place = PagedKVCache(*shape, device="cuda")
    gathered = PagedKVCache(*shape, device="cuda", decode=None, prefill=None)
    right = generate(model.decoder, gathered, prompts, 8)
    assert generate(model.decoder, in_place, prompts, 8) == right
