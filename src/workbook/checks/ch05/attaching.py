"""Chapter 05: attach and remember."""

from typing import Any

from workbook.checks.framework import exercise, expect, shown
from workbook.checks.toolboxes.known_tokens import write
from workbook.checks.toolboxes.prefix_world import probe, serve, told, world

prefix_cache = exercise(
    "prefix_cache",
    label="ex-05-1",
    title="Attach and remember",
    stub="MyPrefixCache",
    takes="class",
    hints=(
        "Where do the logits after the prompt come from? Some token has to be run for them, so the "
        "walk ends at the last block that leaves one over. And who holds a block when the sequence "
        "that computed it has gone?",
        "`for start in range(0, len(prompt) - size, size)`: find, stop at the first `None`, share, "
        "append, and go on from the node that was found. In `remember`, "
        "`lengths[seq] // size` blocks are full; follow the node that `publish` returns.",
    ),
)

PROMPT = [1, 2, 3, 4, 5, 6, 7, 8, 0]


@prefix_cache.case(
    "an equal prompt gets the same blocks",
    tried="a runs 1234·5678·0 and is remembered; attach(b) with the same prompt",
    right="8 tokens reused, and b's table begins with a's two full blocks",
    why="Both prompts say the same up to there, so their keys and values are the same.",
)
def _equal(cls: Any) -> None:
    cache, prefix, index = world(cls)
    first = serve(cache, prefix, "a", PROMPT)
    expect(
        first == 0,
        tried="attach(a) in an empty index",
        got=f"{shown(first)} returned",
        right="0",
        why="Nobody has run anything yet, so there is nothing to reuse; the return is a number.",
    )
    published = told(index)
    expect(
        not published or published == ["1234", "1234·5678"],
        tried="a runs 1234·5678·0; remember(a)",
        got=f"published: {', '.join(published)}",
        right="published: 1234, 1234·5678",
        why="Both blocks are full and written, and the second one comes after the first.",
    )
    index.asked.clear()
    reused = prefix.attach("b", PROMPT.copy())
    table, length = cache.tables["b"], cache.lengths["b"]
    asked = f"; find was asked for {', '.join(index.asked)}" if index.asked else ""
    expect(
        reused == 8,
        got=f"{shown(reused)} tokens reused, table {shown(table)}{asked}",
        why="attach answers in tokens: the caller runs what is left of the prompt."
        if reused == 2
        else None,
    )
    expect(
        list(table[:2]) == cache.tables["a"][:2],
        got=f"the table of b is {shown(table)}, that of a {shown(cache.tables['a'])}",
    )
    expect(
        length == 8,
        got=f"lengths['b'] is {shown(length)}",
        right="lengths['b'] is 8",
        why="The eight keys are there, and the next token goes to position 8. The cache writes "
        "where the length says.",
    )


@prefix_cache.case(
    "at least one token is left to run",
    tried="a prompt of n tokens twice, n = 4, 7, 8, 9, 12, 13",
    right="the second time 4, 3, 4, 1, 4, 1 tokens are left to run",
    why="The first answer token is drawn from the logits after the prompt's last token, and those "
    "are in no cache. (A full hit left nothing to run: GeeeekExplorer/nano-vllm#144)",
)
def _one_left(cls: Any) -> None:
    for length, right in ((4, 4), (7, 3), (8, 4), (9, 1), (12, 4), (13, 1)):
        cache, prefix, _ = world(cls)
        prompt = list(range(100, 100 + length))
        serve(cache, prefix, "a", prompt)
        left = length - prefix.attach("b", prompt)
        why = None
        if left and cache.lengths["b"] % 4:
            why = (
                f"The new length is {cache.lengths['b']}, in the middle of a block that a and the "
                "index hold: the next write would need a copy of it. Whole blocks only."
            )
        expect(
            left == right,
            tried=f"a prompt of {length} tokens, twice",
            got=f"{shown(left)} left to run",
            right=f"{right} left to run",
            why=why,
        )


@prefix_cache.case(
    "nothing is known before it is computed",
    tried="attach(a) and reserve, but nothing is run; then attach(b), the same prompt",
    right="0 tokens reused",
    why="b would read slots that nobody has written. (Prompts run in chunks meet this: "
    "ROCm/ATOM#902)",
)
def _published_late(cls: Any) -> None:
    cache, prefix, _ = world(cls)
    prefix.attach("a", PROMPT.copy())
    reused = probe(cache, prefix, PROMPT)
    expect(
        reused == 0,
        got=f"{shown(reused)} tokens reused",
        why="The blocks were published when they were taken, and b would read slots that nobody "
        "has written. (Prompts run in chunks meet this: ROCm/ATOM#902)",
    )
    cache.reserve("a", len(PROMPT))
    prefix.remember("a", PROMPT.copy())
    reused = probe(cache, prefix, PROMPT)
    expect(
        reused == 0,
        tried="reserve(a), remember(a), nothing run; attach(b)",
        got=f"{shown(reused)} tokens reused",
        why="Reserved is not written. lengths[seq] counts the tokens whose keys and values exist; "
        "the prompt may be longer.",
    )
    write(cache, {"a": PROMPT[:6]})
    prefix.remember("a", PROMPT.copy())
    reused = probe(cache, prefix, PROMPT)
    expect(
        reused == 4,
        tried="6 of a's 9 tokens are run; remember(a); attach(b)",
        got=f"{shown(reused)} tokens reused",
        right="4: the one block that is full",
        why="Publish what is written, block by block, as far as it goes.",
    )
    answer = [3, 3, 3]
    for new in PROMPT[6:], answer:
        write(cache, {"a": new})
        prefix.remember("a", [*PROMPT, *answer][: cache.lengths["a"]])
    reused = probe(cache, prefix, [*PROMPT, *answer, 0])
    expect(
        reused == 12,
        tried="a's prompt of 9 tokens is run and remembered, then 3 tokens of its answer; "
        "attach(b) with all 12 and one more",
        got=f"{shown(reused)} tokens reused",
        right="12",
        why="An answer fills blocks, too, and the next turn of a conversation sends it back: "
        "remember is called again as a grows.",
    )


@prefix_cache.case(
    "a block is named by all that comes before it",
    tried="a runs 1234·5678·0 and n runs 9999·0; attach(b) with 9999·5678·0",
    right="4 tokens reused, in n's block",
    why="5678 after 9999 has other keys and values than 5678 after 1234.",
)
def _history(cls: Any) -> None:
    cache, prefix, _ = world(cls)
    serve(cache, prefix, "a", PROMPT)
    serve(cache, prefix, "n", [9, 9, 9, 9, 0])
    reused = prefix.attach("b", [9, 9, 9, 9, 5, 6, 7, 8, 0])
    expect(
        reused == 4 and cache.tables["b"] == cache.tables["n"][:1],
        got=f"{shown(reused)} tokens reused, table {shown(cache.tables['b'])}",
    )
    reused = prefix.attach("c", [7, 7, 7, 7, 1, 2, 3, 4, 0])
    expect(
        reused == 0 and not cache.tables["c"],
        tried="a runs 1234·5678·0; attach(c) with 7777·1234·0",
        got=f"{shown(reused)} tokens reused, table {shown(cache.tables['c'])}",
        right="0 tokens reused",
        why="1234 was computed at positions 0 to 3, and here it stands at 4 to 7. Nothing behind "
        "the first miss can be a hit: stop there.",
    )
    first = serve(cache, prefix, "d", [9, 9, 9, 9, 5, 6, 7, 8, 0])
    again = probe(cache, prefix, [9, 9, 9, 9, 5, 6, 7, 8, 0])
    expect(
        (first, again) == (4, 8),
        tried="9999·5678·0 runs, and comes again",
        got=f"{shown(first)}, then {shown(again)} tokens reused",
        right="4, then 8",
        why="In remember, too, each block stands after the node of the block before it.",
    )


@prefix_cache.case(
    "whoever holds a block is counted",
    tried="a runs 1234·5678·0 and is remembered; b attaches; both are freed",
    right="counts of a's three blocks: [2, 2, 1], then [3, 3, 1], then [1, 1, 0]",
    why="A sequence that attached owes one release for each block, like any other holder.",
)
def _holders(cls: Any) -> None:
    cache, prefix, _ = world(cls)
    serve(cache, prefix, "a", PROMPT)
    blocks = list(cache.tables["a"])

    def counts() -> list[int]:
        return [cache.allocator.refs[block] for block in blocks]

    expect(
        counts() == [2, 2, 1],
        tried="a runs 1234·5678·0 and is remembered",
        got=f"the counts of its three blocks are {counts()}",
        right="[2, 2, 1]: a, and the index for the two full ones",
        why="The index is a holder. When a leaves, these blocks would be free, given to anyone, "
        "and still found.",
    )
    prefix.attach("b", PROMPT.copy())
    expect(
        counts() == [3, 3, 1],
        tried="then attach(b)",
        got=f"the counts are {counts()}",
        right="[3, 3, 1]",
        why="b uses these blocks and isn't counted. When the others leave, they are given away "
        "while b reads them.",
    )
    cache.free("a")
    cache.free("b")
    expect(
        counts() == [1, 1, 0] and cache.allocator.num_free == 14,
        got=f"at the end the counts are {counts()}, {shown(cache.allocator.num_free)} of 16 free",
        right="[1, 1, 0], 14 of 16 free",
    )
    found = probe(cache, prefix, PROMPT)
    expect(
        found == 8,
        tried="a and b have left; the prompt comes again",
        got=f"{shown(found)} tokens reused",
        right="8",
        why="The next user of this prompt may come in a minute.",
    )


@prefix_cache.case(
    "remembered twice, held once",
    tried="a runs 1234·5678·0; remember(a) three times; a is freed",
    right="two blocks with one holder",
    why="The index is one holder, however often it is told. publish says whether a block is new.",
)
def _twice(cls: Any) -> None:
    cache, prefix, _ = world(cls)
    serve(cache, prefix, "a", PROMPT)
    for _ in range(2):
        prefix.remember("a", PROMPT.copy())
    cache.free("a")
    counts = sorted(cache.allocator.refs, reverse=True)[:3]
    expect(counts == [1, 1, 0], got=f"the three highest counts are {counts}", right="1, 1 and 0")
    for seq in ("b", "c"):  # admitted together: neither finds the other
        prefix.attach(seq, [7] * 9)
    for seq in ("b", "c"):
        write(cache, {seq: [7] * 9})
        for _ in range(2):
            prefix.remember(seq, [7] * 9)
    reused = probe(cache, prefix, [7] * 9)
    expect(
        reused == 8 and not set(cache.tables["b"]) & set(cache.tables["c"]),
        tried="b and c with one prompt in one step",
        got=f"tables {shown(cache.tables['b'])} and {shown(cache.tables['c'])}; a third reuses "
        f"{shown(reused)}",
        right="tables with no block in common; a third reuses 8",
        why="Both have computed it. A living table never changes its blocks.",
    )
