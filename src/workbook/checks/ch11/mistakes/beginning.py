"""Mistakes with begin, as readers make them."""

from typing import Any

from workbook.checks.ch11.beginning import begin


def right(memory: Any, request: Any, keep: int, most: int) -> int | None:
    """The admission of chapter 11; the engine's is ``can_begin``, ``begin`` and ``reserve``."""
    tokens, kind = request.tokens, {"salt": request.salt, "adapter": request.adapter}
    hits = memory.prefix.match(tokens, **kind)
    idle = sum(memory.cache.allocator.refs[block] == 1 for block in hits)
    if memory.blocks(len(tokens)) - len(hits) + idle > memory.room() - keep:
        return None
    found = memory.prefix.attach(request.name, tokens, **kind)
    if not request.stats.preemptions:
        request.stats.cached_tokens = found
    if memory.host is not None and request.name in memory.host:
        memory.host.swap_in(memory.cache, request.name)
    n = min(len(tokens) - memory.cache.lengths[request.name], most)
    memory.cache.reserve(request.name, n)
    return int(n)


begin.finished = right


@begin.also_right.append
def by_the_engine(memory: Any, request: Any, keep: int, most: int) -> int | None:
    if not memory.can_begin(request, keep):
        return None
    found = memory.begin(request)
    if request.stats.preemptions == 0:
        request.stats.cached_tokens = found
    n: int = min(len(request.tokens) - found, most)
    memory.reserve(request.name, n)
    return n


@begin.also_right.append
def with_its_hits(memory: Any, request: Any, keep: int, most: int) -> int | None:
    cache, kind = memory.cache, {"salt": request.salt, "adapter": request.adapter}
    hits = memory.prefix.match(request.tokens, **kind)
    left = len(request.tokens) - len(hits) * cache.block_size
    wanted = cache.blocks_needed(left) + [cache.allocator.refs[b] for b in hits].count(1)
    if memory.room() < wanted + keep:
        return None
    memory.prefix.attach(request.name, request.tokens, blocks=hits, **kind)
    if not request.stats.preemptions:
        request.stats.cached_tokens = cache.lengths[request.name]
    if memory.host is not None and memory.host.kept.get(request.name):
        memory.host.swap_in(cache, request.name)
        left = len(request.tokens) - cache.lengths[request.name]
    cache.reserve(request.name, min(left, most))
    return int(min(left, most))


_DECIDE = """    if memory.blocks(len(tokens)) - len(hits) + idle > memory.room() - keep:
        return None
"""
_ATTACH = "    found = memory.prefix.attach(request.name, tokens, **kind)\n"
_COUNT = "    n = min(len(tokens) - memory.cache.lengths[request.name], most)\n"
_BACK = """    if memory.host is not None and request.name in memory.host:
        memory.host.swap_in(memory.cache, request.name)
"""

begin.mistake(
    "Tokens were counted before the hit was attached: all of them are reserved for, behind what "
    "was found. Attach first, then count what is left.",
    (_ATTACH, "    n = min(len(tokens), most)\n" + _ATTACH),
    (_COUNT, ""),
)
begin.mistake(
    "The answer counts what was found as still to run, though its blocks were reserved rightly.",
    ("return int(n)", "return min(len(tokens), most)"),
)
begin.mistake(
    "Found blocks that only the index holds were counted as room. They are room no more once this "
    "request holds them.",
    (" + idle >", " >"),
)
begin.mistake(
    "Nothing was saved by what was found. A block that somebody else holds as well needn't be "
    "taken, and is no room anyway.",
    (" + idle >", " + len(hits) >"),
)
begin.mistake(
    "It was attached before the decision, and then refused: it holds blocks that nobody will ever "
    "give back.",
    (_DECIDE + _ATTACH, _ATTACH + _DECIDE),
)
begin.mistake(
    "Attached before the decision, and freed when refused. The index has counted it, and its "
    "blocks count as just used. Ask `match`, which changes nothing.",
    (
        _DECIDE + _ATTACH,
        _ATTACH
        + _DECIDE.replace(
            "        return", "        memory.cache.free(request.name)\n        return"
        ),
    ),
)
begin.mistake(
    "Salt and adapter were forgotten: a stranger's blocks are found, and what they hold can be "
    "told from the time.",
    (", **kind", ""),
)
begin.mistake(
    "The salt was forgotten when it came back: it got a stranger's blocks.",
    (
        '"salt": request.salt',
        '"salt": None if request.stats.preemptions else request.salt',
    ),
)
begin.mistake(
    "The adapter was forgotten. Other weights compute other keys from the same tokens.",
    (', "adapter": request.adapter', ""),
)
begin.mistake(
    "The salt was forgotten, the adapter wasn't: it finds what others asked.",
    ('"salt": request.salt, ', ""),
)
begin.mistake(
    "Its last token was found, too, and nothing is left to say. At least one token runs, for its "
    "logits.",
    ("(tokens, **kind)", "([*tokens, 0], **kind)"),
    ("request.name, tokens, **kind)", "request.name, [*tokens, 0], **kind)"),
)
begin.mistake(
    "A return was counted as a hit: it finds its own blocks, which it has paid for already.",
    ("    if not request.stats.preemptions:\n        request", "    request"),
)
begin.mistake(
    "`cached_tokens` was added to, and a return counts its own blocks as hits.",
    (
        "    if not request.stats.preemptions:\n        request.stats.cached_tokens = found",
        "    request.stats.cached_tokens += found",
    ),
)
begin.mistake(
    "How much was found was never noted in `request.stats.cached_tokens`.",
    ("        request.stats.cached_tokens = found\n", "        pass\n"),
)
begin.mistake(
    "It was noted on a return only: the condition is the wrong way round.",
    ("if not request.stats.preemptions", "if request.stats.preemptions"),
)
begin.mistake(
    "Only the prompt was begun with. What it has said is known, too, and was lost from the cache "
    "like the rest.",
    ("tokens, kind = request.tokens", "tokens, kind = list(request.prompt)"),
)
begin.mistake(
    "The blocks of all its tokens were reserved at once. This step needs those of the tokens that "
    "it runs; the others are promised.",
    (
        "memory.cache.reserve(request.name, n)",
        "memory.cache.reserve(request.name, len(tokens) - memory.cache.lengths[request.name])",
    ),
)
begin.mistake(
    "`most` was forgotten: the step has no budget for more.",
    (
        "min(len(tokens) - memory.cache.lengths[request.name], most)",
        "len(tokens) - memory.cache.lengths[request.name]",
    ),
)
begin.mistake(
    "It was asked whether the first piece fits. Who begins must find room for all its tokens.",
    ("memory.blocks(len(tokens)) -", "memory.blocks(min(len(tokens), most)) -"),
)
begin.mistake(
    "The number of tokens found came back. How many it runs now is wanted.",
    ("return int(n)", "return found"),
)
begin.mistake(
    "`>=` for `>`: a request that takes the very last block fits.",
    ("idle > memory", "idle >= memory"),
)
begin.mistake(
    "`keep` was forgotten: those blocks belong to others.",
    ("memory.room() - keep", "memory.room()"),
)
begin.mistake(
    "`keep` was given out as room: what others are promised is taken off.",
    ("memory.room() - keep", "memory.room() + keep"),
)
begin.mistake(
    "Only free blocks were counted as room. Those that the index alone holds can be evicted.",
    ("memory.room()", "memory.cache.allocator.num_free"),
)
begin.mistake(
    "Tokens were compared with blocks. `memory.blocks(n)` says how many blocks n tokens need.",
    ("memory.blocks(len(tokens))", "len(tokens)"),
)
begin.mistake(
    "No blocks were reserved: the step has nowhere to write.",
    ("    memory.cache.reserve(request.name, n)\n", ""),
)
begin.mistake(
    "A refused request got 0 for None. 0 tokens is an answer of one that runs.",
    ("return None", "return 0"),
)
begin.mistake(
    "Nothing was ever looked up: it was created, and all its tokens run.",
    ("memory.prefix.match(tokens, **kind)", "[]"),
    (
        "memory.prefix.attach(request.name, tokens, **kind)",
        "memory.cache.create(request.name) or 0",
    ),
)
begin.mistake(
    "The tokens were entered in the cache as if they had been run. They have blocks by now and no "
    "keys; `reserve` is all.",
    (
        "    return int(n)",
        "    memory.cache.advance({request.name: found + n})\n    return int(n)",
    ),
)
begin.mistake(
    "The copy in host memory was forgotten: all of it is run again, and the copy stays there.",
    (_BACK, ""),
)
begin.mistake(
    "Tokens were counted without the copy, before it was back: what it brings is counted as still "
    "to run.",
    (_BACK + _COUNT, _COUNT + _BACK),
)
begin.mistake(
    "`memory.host` may be None, and `in` can't ask it: ask for that first.",
    ("memory.host is not None and request.name in", "request.name in"),
)
begin.mistake(
    "`memory.host` may be None, and `in` can't ask it: ask for that first.",
    ("memory.host is not None and request.name", "request.stats.preemptions and request.name"),
)
begin.mistake(
    "The blocks that were found were noted as cached; `attach` says how many tokens they are.",
    ("cached_tokens = found", "cached_tokens = len(hits)"),
)
begin.mistake(
    "The copy in host memory was dropped instead of brought back.",
    ("memory.host.swap_in(memory.cache, request.name)", "memory.host.drop(request.name)"),
)
begin.mistake(
    "The copy was brought back and counted as found by the index when it first came.",
    (
        _BACK,
        _BACK + "    request.stats.cached_tokens = memory.cache.lengths[request.name]\n",
    ),
)
