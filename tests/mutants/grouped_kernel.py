"""Wrong grouped kernels: the right one with a line or two changed."""

import linecache
from typing import Any

from paged_attention.kernels.grouped import decode_grouped
from workbook.triton_or_stub import tl, triton

RIGHT = """
@triton.jit
def grouped_kernel(q, k_pool, v_pool, block_tables, lengths, out, scale,
                   HEADS: tl.constexpr, KV_HEADS: tl.constexpr, GROUP: tl.constexpr,
                   QUERIES: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_SIZE: tl.constexpr,
                   MAX_BLOCKS: tl.constexpr, TILE: tl.constexpr):
    row, kv_head = tl.program_id(0), tl.program_id(1)
    g, d = tl.arange(0, QUERIES), tl.arange(0, HEAD_DIM)
    head = kv_head * GROUP + g
    mine = (row * HEADS + head)[:, None] * HEAD_DIM + d[None, :]
    real = (g < GROUP)[:, None]
    group = tl.load(q + mine, mask=real, other=0.0)
    length = tl.load(lengths + row)
    table = block_tables + row * MAX_BLOCKS
    m = tl.full([QUERIES], float("-inf"), tl.float32)
    l = tl.zeros([QUERIES], tl.float32)
    acc = tl.zeros([QUERIES, HEAD_DIM], tl.float32)
    for start in range(0, length, TILE):
        position = start + tl.arange(0, TILE)
        written = position < length
        block = tl.load(table + position // BLOCK_SIZE, mask=written, other=0).to(tl.int64)
        token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + position % BLOCK_SIZE
        place = token[:, None] * HEAD_DIM + d[None, :]
        k = tl.load(k_pool + place, mask=written[:, None], other=0.0)
        score = tl.dot(group, tl.trans(k), input_precision="ieee") * scale
        score = tl.where(written[None, :], score, float("-inf"))
        higher = tl.maximum(m, tl.max(score, 1))
        p, shrink = tl.exp2(score - higher[:, None]), tl.exp2(m - higher)
        v = tl.load(v_pool + place, mask=written[:, None], other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        l = l * shrink + tl.sum(p, 1)
        m = higher
    answer = acc / tl.where(l > 0, l, 1.0)[:, None]
    tl.store(out + mine, answer, mask=real)
"""
NAME = "grouped_kernel"


def kernel(*changes: tuple[str, str]) -> Any:
    """The right kernel after replacing texts; Triton can read its source like a file's."""
    source = RIGHT
    for old, new in changes:
        assert old in source, f"no {old!r} in the kernel"
        source = source.replace(old, new)
    filename = f"<grouped kernel {hash(source)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    names: dict[str, Any] = {"triton": triton, "tl": tl, "__name__": __name__}
    exec(compile(source, filename, "exec"), names)
    return names[NAME]


ENTRIES = "tl.load(table + position // BLOCK_SIZE, mask=written, other=0)"
TAIL = '        score = tl.where(written[None, :], score, float("-inf"))\n'
V_LOAD = "tl.load(v_pool + place, mask=written[:, None], other=0.0)"
MUTANTS = [
    (NAME, "no scale", kernel((" * scale\n", "\n")), "scores were not multiplied by `scale`"),
    (NAME, "powers of e", kernel(("exp2", "exp")), "That is what `tl.exp` gives"),
    (
        NAME,
        "acc unscaled",
        kernel(("acc * shrink[:, None]", "acc")),
        "live on from tile to tile",
    ),
    (
        NAME,
        "heads permuted",
        kernel(("kv_head * GROUP + g", "g * KV_HEADS + kv_head")),
        "The heads came out permuted",
    ),
    (NAME, "no row offset", kernel((" + row * MAX_BLOCKS", "")), "Row 1 read row 0's table"),
    (NAME, "no head", kernel(("KV_HEADS + kv_head)", "KV_HEADS)")), "Every group read KV head 0"),
    (
        NAME,
        "entry per tile",
        kernel((ENTRIES, "tl.load(table + start // BLOCK_SIZE)")),
        "Each tile asked the table once",
    ),
    (
        NAME,
        "entry and slots per tile",
        kernel(
            (ENTRIES, "tl.load(table + start // BLOCK_SIZE)"),
            ("position % BLOCK_SIZE", "start % BLOCK_SIZE + tl.arange(0, TILE)"),
        ),
        "Each tile ran on behind",
    ),
    (NAME, "no tail mask", kernel((TAIL, "")), "100 tokens became 128"),
    (NAME, "entries not masked", kernel((ENTRIES, ENTRIES.replace(", mask=written, other=0", ""))),
     "the load of the entries needs"),
    (NAME, "V not masked", kernel((V_LOAD, "tl.load(v_pool + place)")), "in a `tl.dot`, too"),
    (
        NAME,
        "pad rows stored",
        kernel(("tl.store(out + mine, answer, mask=real)", "tl.store(out + mine, answer)")),
        "whoever stores last wins",
    ),
    (
        NAME,
        "pad rows loaded",
        kernel(("tl.load(q + mine, mask=real, other=0.0)", "tl.load(q + mine)")),
        "Load them as 0, with a mask",
    ),
    (
        NAME,
        "V without other",
        kernel((V_LOAD, V_LOAD.replace(", other=0.0", ""))),
        "leaves anything in the masked lanes",
    ),
    (
        NAME,
        "starts at -1,000",
        kernel(('tl.full([QUERIES], float("-inf")', "tl.full([QUERIES], -1000.0")),
        "The first `m` is -inf",
    ),
    (NAME, "p stays float32", kernel(("p.to(v.dtype)", "p")), "wants both of one type"),
    (NAME, "0 / 0", kernel(("tl.where(l > 0, l, 1.0)", "l")), "Its loop never ran"),
]  # fmt: skip
FINISHED: dict[str, Any] = {NAME: decode_grouped}
