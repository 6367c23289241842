"""On a GPU: every Triton kernel against float64, nothing waited for, replayed from a CUDA graph."""

from collections.abc import Callable

import pytest
import torch
from helpers.decode import TOLERANCE, decode_step
from torch import Tensor

from paged_attention.cache import PagedKVCache
from paged_attention.generate import generate
from paged_attention.kernels import paged_decode_attention, reference
from paged_attention.kernels.inputs import FP8_TYPES, Decode
from paged_attention.model import tiny_model

pytest.importorskip("triton")
from paged_attention.kernels import launch

if not torch.cuda.is_available():
    pytest.skip("there is no GPU here", allow_module_level=True)
KERNELS: dict[str, Callable[[Decode], Tensor]] = {
    "naive": lambda step: launch.naive(step).run(),
    "grouped": lambda step: launch.grouped(step).run(),
    "split in 3": lambda step: launch.split(step, 3).run(),
    "split in 16": lambda step: launch.split(step, 16).run(),
    "the engine's choice": lambda step: public(step),
}


def public(step: Decode) -> Tensor:
    return paged_decode_attention(
        *(step.q, step.k_pool, step.v_pool, step.block_tables, step.lengths, step.block_size),
        k_scale=step.k_scale,
        v_scale=step.v_scale,
    )


def on_gpu(step: Decode) -> Decode:
    return step._replace(**{
        name: value.cuda() for name, value in step._asdict().items() if isinstance(value, Tensor)
    })  # fmt: skip


def check(kernel: Callable[[Decode], Tensor], step: Decode) -> None:
    tolerance = TOLERANCE[step.q.dtype]
    got = kernel(on_gpu(step)).double().cpu()
    torch.testing.assert_close(got, reference.decode(step), atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "head_dim", "block_size"),
    [
        (9, 3, 64, 16),
        (2, 2, 48, 1),
        (8, 2, 80, 24),
        (16, 1, 96, 32),
        (32, 8, 128, 64),
        (4, 1, 256, 256),
    ],
)
def test_shapes(
    name: str, dtype: torch.dtype, heads: int, kv_heads: int, head_dim: int, block_size: int
) -> None:
    lengths = [0, 1, block_size - 1, block_size, block_size + 1, 5000]
    sizes = {"heads": heads, "kv_heads": kv_heads, "head_dim": head_dim, "block_size": block_size}
    check(KERNELS[name], decode_step(lengths, dtype=dtype, **sizes))


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "naive"])
@pytest.mark.parametrize("dtype", FP8_TYPES)
def test_fp8_pools(name: str, dtype: torch.dtype) -> None:
    if dtype == torch.float8_e4m3fn and torch.cuda.get_device_capability() < (8, 9):
        pytest.skip("this GPU can't read float8_e4m3fn")
    check(KERNELS[name], decode_step([0, 3, 700], head_dim=64, block_size=16, dtype=dtype))


@pytest.mark.parametrize("name", KERNELS)
def test_pools_beyond_2_to_the_31_elements(name: str) -> None:
    shape = (2**31 // (16 * 64) + 3, 1, 16, 64)
    if torch.cuda.mem_get_info()[0] < 6 * 2**30:
        pytest.skip("needs 6 GiB of free memory")
    pool = torch.empty(shape, dtype=torch.float16, device="cuda")
    blocks = [shape[0] - 1, shape[0] - 2]
    pool[blocks] = torch.randn(2, 1, 16, 64, device="cuda").half()
    tables = torch.tensor([blocks], dtype=torch.int32, device="cuda")
    lengths = torch.tensor([20], device="cuda")
    step = Decode(torch.randn(1, 2, 64).half().cuda(), pool, pool, tables, lengths, 0.125)
    small = step._replace(
        k_pool=pool[blocks], v_pool=pool[blocks], block_tables=torch.tensor([[0, 1]]).cuda()
    )
    torch.testing.assert_close(
        KERNELS[name](step).double(), reference.decode(small), atol=4e-3, rtol=4e-3
    )


def test_nothing_waits_for_the_gpu() -> None:
    step = on_gpu(decode_step([5, 900], head_dim=64, block_size=16, dtype=torch.bfloat16))
    public(step)  # compiles
    torch.cuda.set_sync_debug_mode("error")
    try:
        public(step)
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_a_cuda_graph_replays_with_new_tables_and_lengths() -> None:
    shape = {"head_dim": 64, "block_size": 16, "dtype": torch.bfloat16}
    first = on_gpu(decode_step([900, 3, 0], **shape))  # type: ignore[arg-type]
    public(first)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = public(first)
    for lengths in ([900, 3, 0], [17, 16, 1], [0, 880, 896]):
        first.lengths.copy_(torch.tensor(lengths))
        # Every entry now names a block that was written, so that any length may be asked for.
        first.block_tables.copy_(first.block_tables[0].clamp(min=0).expand(3, -1))
        graph.replay()
        right = reference.decode(first)
        torch.testing.assert_close(out.double(), right, atol=3e-2, rtol=3e-2)


def test_the_engine_serves_a_model() -> None:
    model = tiny_model(device="cuda")
    config, prompts = model.config, [[1, 2, 3], [4] * 20]
    made = [
        generate(
            model.decoder,
            PagedKVCache(
                config.layers, 32, 4, config.kv_heads, config.head_dim, device="cuda", **how
            ),
            prompts,
            8,
        )
        for how in ({}, {"decode": None})
    ]
    assert made[0] == made[1]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("query", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("pool", [torch.float32, torch.float16, torch.bfloat16])
def test_any_two_types(name: str, query: torch.dtype, pool: torch.dtype) -> None:
    step = decode_step([0, 1, 5, 40])
    step = step._replace(
        q=step.q.to(query), k_pool=step.k_pool.to(pool), v_pool=step.v_pool.to(pool)
    )
    out, tolerance = KERNELS[name](on_gpu(step)).cpu(), TOLERANCE[query]
    torch.testing.assert_close(out.double(), reference.decode(step), atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("where", [range(100), range(8, 200), range(200)], ids=str)
def test_scores_of_minus_infinity(name: str, where: range) -> None:
    step = decode_step([200, 3], heads=2, kv_heads=1)
    step.q.abs_().add_(0.1)
    for position in where:
        step.k_pool[step.block_tables[0, position // 4], :, position % 4] = -torch.inf
    out = KERNELS[name](on_gpu(step)).cpu()
    torch.testing.assert_close(out.double(), reference.decode(step), atol=2e-5, rtol=2e-5)
