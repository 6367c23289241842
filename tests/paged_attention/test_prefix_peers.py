"""The book's policy against vLLM's own ``BlockPool`` under random traffic: equal id by id.

Runs where vLLM's unmodified files are present, see ``benchmarks.peers``. Both use free blocks
without content first, the last freed first; evict the least recently used, tails before heads; and
keep every copy of a content. So not only hits and counts must agree, but every block id in every
table. (Their ids are one higher: block 0 is their null block.)
"""

import random

import pytest
from benchmarks import contestants

pytestmark = pytest.mark.skipif(
    contestants.Vllm not in contestants.present(),
    reason="set PAGED_ATTENTION_PEERS to a folder with vLLM's unpacked package to compare with it",
)


@pytest.mark.parametrize("seed", range(20))
def test_every_block_id_agrees(seed: int) -> None:
    source = random.Random(seed)
    blocks = source.randint(4, 40)
    ours, theirs = contestants.Ours(blocks), contestants.Vllm(blocks)
    pool = theirs.pool
    running = []
    for _ in range(400):
        if running and source.random() < 0.5:
            mine, other = running.pop(source.randrange(len(running)))
            ours.end(mine)
            theirs.end(other)
        else:
            # Long runs of few different tokens: many prompts share many beginnings.
            prompt = [source.randrange(2) for _ in range(source.randint(1, 6)) for _ in range(16)]
            prompt = prompt[: source.randint(1, len(prompt))]
            (mine, found), (other, hit) = ours.begin(prompt), theirs.begin(prompt)
            assert found == hit
            needed = -(-len(prompt) // 16) - found // 16
            if ours.cache.allocator.can_allocate(needed):
                ours.take(mine)
                theirs.take(other)
                if source.random() < 0.8:  # some are aborted before their KV exists
                    ours.publish(mine)
                    theirs.publish(other)
                running.append((mine, other))
            else:
                assert needed > pool.get_num_free_blocks()
                ours.end(mine)
                theirs.end(other)
        allocator = ours.cache.allocator
        assert allocator.num_free + allocator.num_cached == pool.get_num_free_blocks()
        for mine, other in running:
            assert ours.cache.tables[mine[0]] == [b.block_id - 1 for b in other.blocks]
        ours.prefix.check_invariants()
