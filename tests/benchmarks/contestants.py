"""Prefix caches behind one set of verbs, so that one benchmark and one comparison drive them all.

Each contestant keeps its own bookkeeping and its native form of a prompt; no tensor holds keys or
values. Other engines take part when their files are present, see ``peers``.
"""

from array import array
from types import SimpleNamespace
from typing import Any, Protocol

from benchmarks import peers

from paged_attention.cache import PagedKVCache
from paged_attention.prefix import PrefixCache
from paged_attention.prefix_index import PrefixIndex
from paged_attention.prefix_tree import BlockTree
from paged_attention.runs import RunTree

BLOCK_SIZE = 16


class Contestant(Protocol):
    """One engine's prefix cache over a pool of ``num_blocks`` blocks of ``BLOCK_SIZE`` tokens."""

    name: str

    def prompt(self, tokens: list[int]) -> Any:
        """``tokens`` as this engine likes them; not timed."""
        ...

    def begin(self, prompt: Any) -> tuple[Any, int]:
        """Look the prompt up and hold what was found: a handle, and the tokens found."""
        ...

    def take(self, handle: Any) -> None:
        """Take the blocks that the rest of the prompt needs, evicting if need be."""
        ...

    def publish(self, handle: Any) -> None:
        """Make the prompt's full blocks findable."""
        ...

    def end(self, handle: Any) -> None:
        """Give up every block of this prompt; published ones stay findable until evicted."""
        ...


class Ours:
    """The book's ``PrefixCache``."""

    name = "book"
    index: type[PrefixIndex] = RunTree

    def __init__(self, num_blocks: int) -> None:
        self.cache = PagedKVCache(1, num_blocks, BLOCK_SIZE, 1, 1)
        self.prefix = PrefixCache(self.cache, index=self.index)
        self._born = 0

    def prompt(self, tokens: list[int]) -> list[int]:
        return tokens

    def begin(self, prompt: list[int]) -> tuple[Any, int]:
        self._born += 1
        return (self._born, prompt), self.prefix.attach(self._born, prompt)

    def take(self, handle: Any) -> None:
        seq, prompt = handle
        self.cache.reserve(seq, len(prompt) - self.cache.lengths[seq])
        self.cache.lengths[seq] = len(prompt)  # as if the model had run

    def publish(self, handle: Any) -> None:
        self.prefix.remember(*handle)

    def end(self, handle: Any) -> None:
        self.cache.free(handle[0])


class OursPacked(Ours):
    """The same, for prompts that are kept as arrays, as SGLang keeps them."""

    name = "book, arrays"

    def prompt(self, tokens: list[int]) -> Any:
        return array("i", tokens)


class Naive(OursPacked):
    """The same with the naive index, one dictionary entry a block."""

    name = "book, naive index, arrays"
    index = BlockTree


class Vllm:
    """vLLM's ``BlockPool`` with its request hasher, as its full-attention manager uses them."""

    name = "vllm"

    def __init__(self, num_blocks: int) -> None:
        pool_module = peers.load("vllm.v1.core.block_pool")
        utils = peers.load("vllm.v1.core.kv_cache_utils")
        hashing = peers.load("vllm.utils.hashing")
        assert pool_module is not None
        assert utils is not None
        assert hashing is not None
        utils.init_none_hash(hashing.sha256)
        self.hasher = utils.get_request_block_hasher(BLOCK_SIZE, hashing.sha256)
        # One block is theirs: the null block.
        self.pool = pool_module.BlockPool(num_blocks + 1, True, BLOCK_SIZE)

    def prompt(self, tokens: list[int]) -> list[int]:
        return tokens

    def begin(self, prompt: list[int]) -> tuple[Any, int]:
        request = SimpleNamespace(
            block_hashes=[],
            num_tokens=len(prompt),
            all_token_ids=prompt,
            mm_features=[],
            lora_request=None,
            cache_salt=None,
            prompt_embeds=None,
            prompt_embeds_per_block_hashes=None,
        )
        request.block_hashes = self.hasher(request)
        found = []
        for block_hash in request.block_hashes[: (len(prompt) - 1) // BLOCK_SIZE]:
            block = self.pool.get_cached_block(block_hash, [0])
            if not block:
                break
            found.append(block[0])
        self.pool.touch(found)
        request.blocks = found
        request.hits = len(found)
        return request, len(found) * BLOCK_SIZE

    def take(self, handle: Any) -> None:
        needed = -(-handle.num_tokens // BLOCK_SIZE) - len(handle.blocks)
        handle.blocks = handle.blocks + self.pool.get_new_blocks(needed)

    def publish(self, handle: Any) -> None:
        full = handle.num_tokens // BLOCK_SIZE
        self.pool.cache_full_blocks(handle, handle.blocks, handle.hits, full, BLOCK_SIZE, 0)

    def end(self, handle: Any) -> None:
        self.pool.free_blocks(reversed(handle.blocks))


class Sglang:
    """SGLang's ``RadixCache`` with pages of ``BLOCK_SIZE``; pages are counted, not placed."""

    name = "sglang"

    def __init__(self, num_blocks: int) -> None:
        import torch

        radix = peers.load("sglang.srt.mem_cache.radix_cache")
        base = peers.load("sglang.srt.mem_cache.base_prefix_cache")
        assert radix is not None
        assert base is not None
        self.radix, self.base, self.torch = radix, base, torch
        self.free_tokens = num_blocks * BLOCK_SIZE
        allocator = SimpleNamespace(device="cpu", free_segment=self._free_segment)
        self.tree = radix.RadixCache.create_simulated(
            mock_allocator=allocator, page_size=BLOCK_SIZE
        )

    def _free_segment(self, indices: Any, start_pos: int = 0) -> None:
        self.free_tokens += len(indices)

    def prompt(self, tokens: list[int]) -> Any:
        return array("q", tokens)

    def begin(self, prompt: Any) -> tuple[Any, int]:
        # As its scheduler does, all but the last token are looked up.
        key = self.radix.RadixKey(prompt, limit=len(prompt) - 1)
        match = self.tree.match_prefix(self.base.MatchPrefixParams(key=key))
        self.tree.inc_lock_ref(match.last_device_node)
        found = match.device_prefix_len
        return SimpleNamespace(prompt=prompt, node=match.last_device_node, found=found), found

    def take(self, handle: Any) -> None:
        pages = -(-len(handle.prompt) // BLOCK_SIZE) - handle.found // BLOCK_SIZE
        handle.taken = pages * BLOCK_SIZE
        if handle.taken > self.free_tokens:
            missing = handle.taken - self.free_tokens
            self.tree.evict(self.base.EvictParams(num_tokens=missing))
        if handle.taken > self.free_tokens:
            raise MemoryError("sglang: no room")
        self.free_tokens -= handle.taken

    def publish(self, handle: Any) -> None:
        full = len(handle.prompt) // BLOCK_SIZE * BLOCK_SIZE
        key = self.radix.RadixKey(handle.prompt[:full])
        value = self.torch.arange(full)
        result = self.tree.insert(self.base.InsertParams(key=key, value=value))
        # What others had published meanwhile is theirs, and our copies of it are freed.
        self.free_tokens += result.prefix_len - handle.found
        handle.kept = full
        match = self.tree.match_prefix(self.base.MatchPrefixParams(key=key))
        self.tree.inc_lock_ref(match.last_device_node)
        self.tree.dec_lock_ref(handle.node)
        handle.node = match.last_device_node

    def end(self, handle: Any) -> None:
        self.tree.dec_lock_ref(handle.node)
        self.free_tokens += -(-len(handle.prompt) // BLOCK_SIZE) * BLOCK_SIZE - handle.kept


class NanoVllm:
    """nano-vllm's ``BlockManager`` with blocks of ``BLOCK_SIZE``."""

    name = "nano-vllm"

    def __init__(self, num_blocks: int) -> None:
        manager = peers.load("nanovllm.engine.block_manager")
        sequence = peers.load("nanovllm.engine.sequence")
        assert manager is not None
        assert sequence is not None
        sequence.Sequence.block_size = BLOCK_SIZE
        self.sequence = sequence.Sequence
        self.manager = manager.BlockManager(num_blocks, BLOCK_SIZE)

    def prompt(self, tokens: list[int]) -> list[int]:
        return tokens

    def begin(self, prompt: list[int]) -> tuple[Any, int]:
        """It looks up and takes in one call, so nothing is left for ``take``."""
        seq = self.sequence(prompt)
        found = self.manager.can_allocate(seq)
        if found < 0:
            raise MemoryError("nano-vllm: no room")
        self.manager.allocate(seq, found)
        return seq, seq.num_cached_tokens

    def take(self, handle: Any) -> None:
        handle.num_scheduled_tokens = len(handle) - handle.num_cached_tokens

    def publish(self, handle: Any) -> None:
        self.manager.hash_blocks(handle)

    def end(self, handle: Any) -> None:
        self.manager.deallocate(handle)


def present() -> list[type[Any]]:
    """Ours in both forms, its naive twin, and every peer whose files are there."""
    files = {
        Vllm: "vllm.v1.core.block_pool",
        Sglang: "sglang.srt.mem_cache.radix_cache",
        NanoVllm: "nanovllm.engine.block_manager",
    }
    return [
        Ours,
        OursPacked,
        Naive,
        *(kind for kind, file in files.items() if peers.load(file) is not None),
    ]
