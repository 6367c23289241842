"""Time one layer's decode attention on a GPU, all contestants in one run. Says so where none is.

    in tests/:  python -m benchmarks.decode_gpu [--out FILE.json] [--quick] [--seconds N]

What decode waits for is memory, so each time is told as a share: bytes of the history's keys and
values, of q and of the answer, a second, over the bytes a second of a large copy measured in the
same run (reads and writes counted). bfloat16, 8 KV heads. Beside ours: PyTorch's attention over
contiguous memory, PyTorch's paged flex attention, and other engines' Triton kernels where
PAGED_ATTENTION_PEERS names their files (see peer_kernels). Every contestant must give our answer,
is captured in a CUDA graph, so that no launch is timed, and finds a cold cache, which
triton.testing.do_bench clears. --seconds begins no shape later; the three most telling shapes come
first, and the result says how many were left out. --rehearse runs one small shape on a CPU, in
Triton's interpreter, to see that the script itself works; its times mean nothing.
"""

import argparse
import json
import math
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from benchmarks.machine import described
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as sdpa

from paged_attention.kernels.inputs import Decode, checked
from paged_attention.tables import blocks_needed

KV_HEADS = 8
BATCHES, CONTEXTS = (1, 4, 16, 64, 256), (1024, 4096, 16_384, 65_536)
GROUPS, HEAD_DIMS, BLOCK_SIZES = (1, 4, 8), (64, 128), (16, 64)
QUICK = ((1, 1024, 4, 128, 16), (64, 4096, 4, 128, 16), (1, 65_536, 4, 128, 16))
Shape = tuple[int, int, int, int, int]  # batch, context, group, head size, block size
REHEARSED: Shape = (2, 100, 2, 64, 16)
Call = Callable[[], Tensor]


def shapes(quick: bool) -> Iterator[Shape]:
    """What fits into half of the GPU's memory, twice: paged, and contiguous beside it."""
    free, _ = torch.cuda.mem_get_info()
    everything = product(BATCHES, CONTEXTS, GROUPS, HEAD_DIMS, BLOCK_SIZES)
    others = [shape for shape in everything if shape not in QUICK]
    random.Random(0).shuffle(others)  # wherever the time ends, every size has had its turn
    for shape in QUICK if quick else (*QUICK, *others):
        batch, context, _, head_dim, _ = shape
        if 4 * batch * context * KV_HEADS * head_dim * 4 < free:
            yield shape


def make_step(shape: Shape, device: str, dtype: torch.dtype) -> Decode:
    """Blocks in random order, every row ``context`` tokens long."""
    batch, context, group, head_dim, block_size = shape
    width = blocks_needed(context, block_size)
    tables = torch.randperm(batch * width, device=device).view(batch, width)
    pools = [
        torch.randn(batch * width, KV_HEADS, block_size, head_dim, device=device, dtype=dtype)
        for _ in "kv"
    ]
    q = torch.randn(batch, KV_HEADS * group, head_dim, device=device, dtype=dtype)
    lengths = torch.full((batch,), context, device=device)
    return checked(q, *pools, tables, lengths, block_size)


def contiguous(step: Decode) -> Call:
    """PyTorch's attention over histories that lie contiguous already, all equally long."""
    length = int(step.lengths[0])
    keys, values = (
        pool[step.block_tables].transpose(1, 2).flatten(2, 3)[:, :, :length].contiguous()
        for pool in (step.k_pool, step.v_pool)
    )
    q, gqa = step.q[:, :, None], step.group > 1
    return lambda: sdpa(q, keys, values, scale=step.scale, enable_gqa=gqa)[:, :, 0]


def contestants(step: Decode, rehearsal: bool) -> dict[str, Callable[[], Call]]:
    """By name, what prepares each; ours is the first."""
    from benchmarks import flex_paged, peer_kernels

    from paged_attention.kernels import launch

    def ours(plan: Callable[[], launch.Plan]) -> Callable[[], Call]:
        if rehearsal:
            from paged_attention.kernels.interpreter import interpret

            return lambda: lambda: plan().run(interpret)
        return lambda: lambda: plan().run()

    processors = 4 if rehearsal else torch.cuda.get_device_properties(0).multi_processor_count
    return {
        "ours": ours(lambda: launch.best(step, processors)),
        "ours, never split": ours(lambda: launch.grouped(step)),
        "ours, a program for each query head": ours(lambda: launch.naive(step)),
        "contiguous SDPA": lambda: contiguous(step),
        "flex paged attention": lambda: flex_paged.prepare(step, compiled=not rehearsal),
    } | {name: lambda p=p: p(step) for name, p in peer_kernels.present().items()}  # type: ignore[misc]


def milliseconds(call: Call) -> float:
    """The median of one call, replayed from a CUDA graph."""
    from triton.testing import do_bench

    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):  # compile, choose, warm up
            call()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    found: float = do_bench(graph.replay, warmup=20, rep=200, return_mode="median")
    return found


def rehearsed(call: Call) -> float:
    begin = perf_counter()
    call()
    return (perf_counter() - begin) * 1e3


def copy_bandwidth() -> float:
    """Bytes a second, reads and writes counted, of a copy of 2 GiB."""
    from triton.testing import do_bench

    source = torch.ones(2**30, dtype=torch.bfloat16, device="cuda")
    target = torch.empty_like(source)
    spent: float = do_bench(lambda: target.copy_(source), warmup=50, rep=300, return_mode="median")
    return 2 * source.nbytes / (spent / 1e3)


def race(shape: Shape, step: Decode, copy: float, rehearsal: bool) -> dict[str, Any]:
    """Milliseconds, bytes a second and the share of the copy's, or why there are none."""
    history = 2 * int(step.lengths.sum()) * step.kv_heads * step.head_dim
    moved = (history + 2 * step.q.numel()) * step.q.element_size()
    figures: dict[str, Any] = {}
    right: Tensor | None = None
    for name, prepare in contestants(step, rehearsal).items():
        try:
            call = prepare()
            out = call().float()
            right = out if right is None else right
            torch.testing.assert_close(out, right, atol=2e-2, rtol=2e-2)
            spent = (rehearsed if rehearsal else milliseconds)(call)
        except Exception as error:  # a contestant that can't run here is no reason to stop
            figures[name] = f"{type(error).__name__}: {str(error).splitlines()[0][:120]}"
            continue
        rate = moved / (spent / 1e3)
        figures[name] = {
            "milliseconds": round(spent, 4),
            "GB/s": round(rate / 1e9, 1),
            "of copy": round(rate / copy, 3),
        }
    names = ("batch", "context", "group", "head_dim", "block_size")
    return dict(zip(names, shape, strict=True)) | {"bytes": moved, "results": figures}


def in_time(shapes: Sequence[Shape], seconds: float, clock: Callable[[], float]) -> Iterator[Shape]:
    """The shapes that may begin before ``seconds`` have passed; the first one always may."""
    end = clock() + seconds
    for index, shape in enumerate(shapes):
        if index and clock() >= end:
            return
        yield shape


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """One result for each shape that there was time for."""
    torch.manual_seed(0)
    if options.rehearse:
        os.environ["TRITON_INTERPRET"] = "1"  # for the other engines' kernels
        todo, copy, device, dtype = [REHEARSED], 1e9, "cpu", torch.float16
    else:
        todo, copy, device = list(shapes(options.quick)), copy_bandwidth(), "cuda"
        dtype = torch.bfloat16
    results = []
    for shape in in_time(todo, options.seconds, perf_counter):
        results.append(race(shape, make_step(shape, device, dtype), copy, options.rehearse))
        print(results[-1], file=sys.stderr, flush=True)
        torch.cuda.empty_cache()
    return described() | {
        "what": "one layer's decode attention on a GPU",
        "GPU": "none, rehearsed" if options.rehearse else torch.cuda.get_device_name(),
        "copy GB/s": round(copy / 1e9, 1),
        "shapes left out": len(todo) - len(results),
        "results": results,
    }


def main() -> None:
    """Run everything and print, or write, one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quick", action="store_true", help="three shapes only")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no shape later")
    parser.add_argument("--rehearse", action="store_true", help="on a CPU, in the interpreter")
    options = parser.parse_args()
    if not options.rehearse and not torch.cuda.is_available():
        print("decode_gpu: not run, there is no GPU here")
        return
    text = json.dumps(measure(options), indent=2)
    if options.out:
        options.out.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
