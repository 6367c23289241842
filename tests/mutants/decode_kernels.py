"""Wrong kernels: the right one with a line or two changed. (exercise, name, object, fragment.)"""

import linecache
from typing import Any

from paged_attention.kernels.naive import decode_naive
from workbook.triton_or_stub import tl, triton

RIGHT = """
@triton.jit
def decode_kernel(q, k_pool, v_pool, block_tables, lengths, out, scale,
                  HEADS: tl.constexpr, KV_HEADS: tl.constexpr, HEAD_DIM: tl.constexpr,
                  BLOCK_SIZE: tl.constexpr, MAX_BLOCKS: tl.constexpr):
    row, head = tl.program_id(0), tl.program_id(1)
    kv_head = head // (HEADS // KV_HEADS)
    d, slot = tl.arange(0, HEAD_DIM), tl.arange(0, BLOCK_SIZE)
    query = tl.load(q + (row * HEADS + head) * HEAD_DIM + d) * scale
    length = tl.load(lengths + row)
    m, l, acc = float("-inf"), 0.0, tl.zeros([HEAD_DIM], tl.float32)
    for index in range(tl.cdiv(length, BLOCK_SIZE)):
        block = tl.load(block_tables + row * MAX_BLOCKS + index).to(tl.int64)
        token = (block * KV_HEADS + kv_head) * BLOCK_SIZE + slot
        place = token[:, None] * HEAD_DIM + d[None, :]
        written = index * BLOCK_SIZE + slot < length
        k = tl.load(k_pool + place, mask=written[:, None], other=0.0)
        score = tl.sum(k * query[None, :], 1)
        score = tl.where(written, score, float("-inf"))
        higher = tl.maximum(m, tl.max(score, 0))
        p, shrink = tl.exp2(score - higher), tl.exp2(m - higher)
        v = tl.load(v_pool + place, mask=written[:, None], other=0.0)
        acc = acc * shrink + tl.sum(p[:, None] * v, 0)
        l = l * shrink + tl.sum(p, 0)
        m = higher
    tl.store(out + (row * HEADS + head) * HEAD_DIM + d, acc / l)
"""


def changed(source: str, *changes: tuple[str, str]) -> Any:
    """The kernel of ``source`` after replacing texts; Triton can read its source like a file's."""
    for old, new in changes:
        assert old in source, f"no {old!r} in the kernel"
        source = source.replace(old, new)
    filename = f"<kernel {hash(source)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    names: dict[str, Any] = {"triton": triton, "tl": tl, "__name__": __name__}
    exec(compile(source, filename, "exec"), names)
    return next(x for x in reversed(names.values()) if hasattr(x, "fn"))


def kernel(*changes: tuple[str, str]) -> Any:
    return changed(RIGHT, *changes)


RIGHT_EDGES = (
    RIGHT.replace("decode_kernel", "decode_edges")
    .replace("MAX_BLOCKS: tl.constexpr", "MAX_BLOCKS: tl.constexpr, LANES: tl.constexpr")
    .replace("tl.arange(0, HEAD_DIM)", "tl.arange(0, LANES)")
    .replace("tl.zeros([HEAD_DIM]", "tl.zeros([LANES]")
    .replace("HEAD_DIM + d) * scale", "HEAD_DIM + d, mask=d < HEAD_DIM, other=0.0) * scale")
    .replace("mask=written[:, None]", "mask=written[:, None] & (d < HEAD_DIM)[None, :]")
    .replace("+ d, acc / l)", "+ d, acc / tl.where(l > 0, l, 1.0), mask=d < HEAD_DIM)")
)


def edges(*changes: tuple[str, str]) -> Any:
    return changed(RIGHT_EDGES, *changes)


K_ALONE, V_ALONE = (f"{pool} + place, mask=written[:, None]" for pool in ("k_pool", "v_pool"))
V_LOAD = "tl.load(v_pool + place, mask=written[:, None], other=0.0)"
MUTANTS = [
    ("decode_kernel", "no scale", kernel((") * scale", ")")), "`scale` was left out"),
    ("decode_kernel", "powers of e", kernel(("exp2", "exp")), "That is what `tl.exp` gives"),
    (
        "decode_kernel",
        "nothing stored",
        kernel(("    tl.store(out", "    if False:\n        tl.store(out")),
        "Either nothing was stored",
    ),
    (
        "decode_kernel",
        "logical id",
        kernel(("(block * KV_HEADS", "(index * KV_HEADS")),
        "Those are blocks 0, 1, 2, 3",
    ),
    (
        "decode_kernel",
        "acc unscaled",
        kernel(("acc = acc * shrink", "acc = acc")),
        "`acc` was never multiplied",
    ),
    (
        "decode_kernel",
        "both unscaled",
        kernel(("acc = acc * shrink", "acc = acc"), ("l = l * shrink", "l = l")),
        "Neither `l` nor `acc`",
    ),
    (
        "decode_kernel",
        "running values inside",
        kernel(
            ("        m = higher\n", ""),
            (
                "        block =",
                '        m, l, acc = float("-inf"), 0.0, tl.zeros([HEAD_DIM], tl.float32)\n'
                "        block =",
            ),
        ),
        "must live outside the loop",
    ),
    (
        "decode_kernel",
        "no row offset",
        kernel(("block_tables + row * MAX_BLOCKS", "block_tables")),
        "Row 1 read row 0's table",
    ),
    (
        "decode_kernel",
        "one entry apart",
        kernel(("block_tables + row * MAX_BLOCKS", "block_tables + row")),
        "read one entry apart",
    ),
    (
        "decode_kernel",
        "h % 3",
        kernel(("head // (HEADS // KV_HEADS)", "head % KV_HEADS")),
        "that was h % 3, not h // 3",
    ),
    ("decode_kernel", "no head", kernel(("+ kv_head)", ")")), "The address needs the head"),
    (
        "decode_kernel",
        "head not grouped",
        kernel(("head // (HEADS // KV_HEADS)", "head")),
        "Query head h reads KV head",
    ),
    (
        "decode_kernel",
        "floor",
        kernel(("tl.cdiv(length, BLOCK_SIZE)", "length // BLOCK_SIZE")),
        "rounds down; 5 tokens would lose one",
    ),
    (
        "decode_kernel",
        "scores not masked",
        kernel(('        score = tl.where(written, score, float("-inf"))\n', "")),
        "The empty slots of the last block were counted",
    ),
    (
        "decode_kernel",
        "a block more",
        kernel(("tl.cdiv(length, BLOCK_SIZE)", "length // BLOCK_SIZE + 1")),
        "The table of this row has no such entry",
    ),
    (
        "decode_kernel",
        "V not masked",
        kernel((V_LOAD, "tl.load(v_pool + place)")),
        "the load of V needs its mask",
    ),
    (
        "decode_kernel",
        "no maximum",
        kernel(("tl.maximum(m, tl.max(score, 0))", "0.0"), ("tl.exp2(m - higher)", "1.0")),
        "2 ** 128 is infinite",
    ),
    (
        "decode_kernel",
        "V without other",
        kernel((V_LOAD, V_LOAD.replace(", other=0.0", ""))),
        "leaves anything in the masked lanes",
    ),
    (
        "decode_kernel",
        "starts at -1,000",
        kernel(('float("-inf"), 0.0, tl.zeros', "-1000.0, 0.0, tl.zeros")),
        "The first maximum is -inf",
    ),
    (
        "decode_edges",
        "query not masked",
        edges((", mask=d < HEAD_DIM, other=0.0) * scale", ") * scale")),
        "seen from q,",
    ),
    (
        "decode_edges",
        "lanes of K not masked",
        edges(("k_pool + place, mask=written[:, None] & (d < HEAD_DIM)[None, :]", K_ALONE)),
        "A query of 0 there doesn't help",
    ),
    (
        "decode_edges",
        "lanes of V not masked",
        edges(("v_pool + place, mask=written[:, None] & (d < HEAD_DIM)[None, :]", V_ALONE)),
        "seen from v_pool,",
    ),
    (
        "decode_edges",
        "counts in lanes",
        edges(("token[:, None] * HEAD_DIM", "token[:, None] * LANES")),
        "got row 0, head 0: 0.4",
    ),
    (
        "decode_edges",
        "store not masked",
        edges(("1.0), mask=d < HEAD_DIM)", "1.0))")),
        "writes 16 places outside",
    ),
    (
        "decode_edges",
        "always 64 lanes",
        edges(("(0, LANES)", "(0, 64)"), ("[LANES]", "[64]")),
        "16 of 80 numbers are NaN",
    ),
    (
        "decode_edges",
        "0 / 0",
        edges(("acc / tl.where(l > 0, l, 1.0)", "acc / l")),
        "0 / 0 is NaN",
    ),
    (
        "decode_edges",
        "early return",
        edges(
            ("acc / tl.where(l > 0, l, 1.0)", "acc / l"),
            ("    m, l, acc", "    if length == 0:\n        return\n    m, l, acc"),
        ),
        "the row keeps what the memory held",
    ),
]
FINISHED: dict[str, Any] = {"decode_kernel": decode_naive, "decode_edges": decode_naive}
