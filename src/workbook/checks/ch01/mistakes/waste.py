"""Mistakes with kv_bytes, account, as readers make them."""

from typing import Any

from paged_attention.model.config import ModelConfig
from workbook.checks.ch01.waste import account, kv_bytes

Row = tuple[int, int, int]
Four = tuple[int, int, int, int]


def right_bytes(sizes: Any, size: int) -> int:
    """The engine's own sum, with the stub's signature."""
    return ModelConfig.kv_bytes_per_token(sizes, size)


def from_a_tuple(sizes: Any, size: int) -> int:
    layers, _, kv_heads, head_dim = sizes
    return int(layers * 2 * kv_heads * head_dim * size)


kv_bytes.finished = right_bytes
kv_bytes.also_right += [from_a_tuple]


@kv_bytes.mistake("That is half: a token leaves a key and a value.")
def one_tensor(sizes: Any, size: int) -> int:
    return int(sizes.layers * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("The 2 is there twice: a key and a value are two tensors, not four.")
def four_tensors(sizes: Any, size: int) -> int:
    return 4 * one_tensor(sizes, size)


@kv_bytes.mistake("`heads` only read. Keys and values belong to `kv_heads`.")
def query_heads(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.heads * sizes.head_dim * size)


@kv_bytes.mistake("All heads were added up. The query heads have no keys and values.")
def both_heads(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * (sizes.heads + sizes.kv_heads) * sizes.head_dim * size)


@kv_bytes.mistake("`heads` and `kv_heads` were both multiplied in; the query heads only read.")
def both_heads_multiplied(sizes: Any, size: int) -> int:
    return int(right_bytes(sizes, size) * sizes.heads)


@kv_bytes.mistake(
    "That is how many query heads share one KV head, not how many KV heads there are."
)
def heads_a_group(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * (sizes.heads // sizes.kv_heads) * sizes.head_dim * size)


@kv_bytes.mistake("That is one layer's. A token leaves keys and values in every layer.")
def one_layer(sizes: Any, size: int) -> int:
    return int(2 * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("That is one KV head's; every KV head keeps its own.")
def one_head(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.head_dim * size)


@kv_bytes.mistake("`head_dim` is missing: a key is a vector of that many numbers.")
def one_number_a_head(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.kv_heads * size)


@kv_bytes.mistake("`head_dim` was multiplied in twice. A key is a vector, not a square.")
def squared(sizes: Any, size: int) -> int:
    return int(right_bytes(sizes, size) * sizes.head_dim)


@kv_bytes.mistake("That counts numbers; each of them has `bytes_per_number` bytes.")
def numbers(sizes: Any, size: int) -> int:
    return 2 * one_tensor(sizes, 1)


@kv_bytes.mistake("`bytes_per_number` was divided by; more bytes a number are more bytes.")
def divided(sizes: Any, size: int) -> int:
    return 2 * one_tensor(sizes, 1) // size


@kv_bytes.mistake("That is KiB; bytes were asked for.")
def kibibytes(sizes: Any, size: int) -> float:
    return right_bytes(sizes, size) / 1024


@kv_bytes.mistake("That is whole KiB; bytes were asked for.")
def whole_kibibytes(sizes: Any, size: int) -> int:
    return right_bytes(sizes, size) // 1024


@kv_bytes.mistake("That is bits, 8 for each byte.")
def bits(sizes: Any, size: int) -> int:
    return right_bytes(sizes, size) * 8


@kv_bytes.mistake("A count is an int, this is a float: divide with `//`, or multiply only.")
def a_float(sizes: Any, size: int) -> float:
    return one_tensor(sizes, size) / 0.5


@kv_bytes.mistake("4 bytes a number was written into the code; it is the second argument.")
def always_float32(sizes: Any, size: int) -> int:
    return right_bytes(sizes, 4)


@kv_bytes.mistake("2 bytes a number was written into the code; it is the second argument.")
def always_bfloat16(sizes: Any, size: int) -> int:
    return right_bytes(sizes, 2)


@kv_bytes.mistake("SmolLM2's 30 layers were written into the code: read them from `sizes`.")
def always_30_layers(sizes: Any, size: int) -> int:
    return int(2 * 30 * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("SmolLM2's 3 KV heads were written into the code: read them from `sizes`.")
def always_3_heads(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * 3 * sizes.head_dim * size)


@kv_bytes.mistake("SmolLM2's head_dim of 64 was written into the code: read it from `sizes`.")
def always_64(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.kv_heads * 64 * size)


@kv_bytes.mistake(
    "That is SmolLM2's token, whatever was asked: the cell's `smollm2` isn't `sizes`."
)
def always_smollm2(sizes: Any, size: int) -> int:
    return 2 * 30 * 3 * 64 * size


@kv_bytes.mistake("The sizes were added. Every layer has every KV head, so they multiply.")
def added(sizes: Any, size: int) -> int:
    return int(2 * (sizes.layers + sizes.kv_heads + sizes.head_dim) * size)


@kv_bytes.mistake("Keys and values are counted for the first layer alone, one tensor for the rest.")
def half_of_it_doubled(sizes: Any, size: int) -> int:
    return int((sizes.layers + 1) * sizes.kv_heads * sizes.head_dim * size)


def right(rows: list[Row], total: int) -> Four:
    """The account of chapter 01; the finished engine has none of this shape."""
    held = sum(row[0] for row in rows)
    now = sum(row[1] for row in rows)
    final = sum(row[2] for row in rows)
    return now, final - now, held - final, total - held


def by_counting(rows: list[Row], total: int) -> Four:
    states = [
        "used" if slot < now else "reserved" if slot < final else "internal"
        for held, now, final in rows
        for slot in range(held)
    ]
    used, reserved, internal = map(states.count, ("used", "reserved", "internal"))
    return used, reserved, internal, total - len(states)


account.finished = right
account.also_right += [by_counting]


@account.mistake("The `return` stands inside the loop: only the first row was counted.")
def first_row_only(rows: list[Row], total: int) -> Four:
    for row in rows:
        return right([row], total)
    return 0, 0, 0, total


@account.mistake(
    "The `return` stands inside the loop: only the first row was counted, and with no rows "
    "nothing comes back."
)
def first_row_or_none(rows: list[Row], total: int) -> Four | None:
    return right(rows[:1], total) if rows else None


@account.mistake("Only the last row was counted: the sums begin anew in every round (`+=`).")
def last_row_only(rows: list[Row], total: int) -> Four:
    return right(rows[-1:], total)


@account.mistake(
    "The sums of used, reserved and internal begin anew in every round; free was added up well."
)
def last_row_but_free(rows: list[Row], total: int) -> Four:
    return (*right(rows[-1:], total)[:3], right(rows, total)[3])


@account.mistake("Reserved holds all empty slots. Those that are never written are internal.")
def reserved_is_all_empty(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved + internal, internal, free


@account.mistake(
    "Reserved holds all empty slots and internal none. Reserved ones will be written: "
    "`final - now`."
)
def no_internal(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved + internal, 0, free


@account.mistake(
    "Reserved is `held`, the whole reservation. As a state of a slot it is what will be written "
    "and isn't yet."
)
def reserved_is_held(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, used + reserved + internal, internal, free


@account.mistake(
    "Reserved counts up to `final` from the beginning; the tokens written by now are used already."
)
def reserved_is_final(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, used + reserved, internal, free


@account.mistake(
    "Internal counts all empty slots (`held - now`). Those up to `final` will be written."
)
def internal_is_all_empty(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, reserved + internal, free


@account.mistake("Reserved and internal are swapped: reserved is what will still be written.")
def swapped(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, internal, reserved, free


@account.mistake("`final` was taken for used, and none is reserved: used is written by now.")
def final_as_used(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used + reserved, 0, internal, free


@account.mistake("`final` was taken for used: those slots are written at the end, not now.")
def final_as_used_too(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used + reserved, reserved, internal, free


@account.mistake("4 items are wanted, here are 3.")
def no_free(rows: list[Row], total: int) -> tuple[int, ...]:
    return right(rows, total)[:3]


@account.mistake("Free counts every slot that isn't written. What is promised isn't free.")
def empty_is_free(rows: list[Row], total: int) -> Four:
    used, reserved, internal, _ = right(rows, total)
    return used, reserved, internal, total - used


@account.mistake("Free counts internal slots, too. They are held, so nobody else can have them.")
def internal_is_free(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, internal, free + internal


@account.mistake("Free is `total`: what the requests hold was never taken away from it.")
def all_is_free(rows: list[Row], total: int) -> Four:
    return (*right(rows, total)[:3], total)


@account.mistake("The last number is what is held; free is the rest of the pool.")
def held_for_free(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved, internal, total - free


@account.mistake("20 was written into the code. What a request holds is the first item of its row.")
def always_twenty(rows: list[Row], total: int) -> Four:
    return right([(20, now, final) for _, now, final in rows], total)


@account.mistake("64 was written into the code. The size of the pool is `total`.")
def always_64_slots(rows: list[Row], total: int) -> Four:
    return right(rows, 64)


@account.mistake("The order of a row is (held, now, final); `now` and `final` were swapped.")
def row_misread(rows: list[Row], total: int) -> Four:
    return right([(held, now, final) for held, final, now in rows], total)


@account.mistake("The order of a row is (held, now, final); here `now` was taken for the first.")
def held_misread(rows: list[Row], total: int) -> Four:
    return right([(held, now, final) for now, final, held in rows], total)


@account.mistake("The four counts come in another order: used, reserved, internal, free.")
def free_first(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return free, used, reserved, internal


@account.mistake("With no request there is no row to take apart. All slots are free then.")
def nobody_crashes(rows: list[Row], total: int) -> Four:
    held, now, final = (sum(column) for column in zip(*rows, strict=True))
    return now, final - now, held - final, total - held


@account.mistake("A request that is full was counted as if one more token came.")
def one_more_to_come(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    full = sum(1 for _, now, final in rows if now == final)
    return used, reserved + full, internal - full, free


@account.mistake("A list is as good to read, but a tuple was asked for: use ( ), not [ ].")
def a_list(rows: list[Row], total: int) -> list[int]:
    return list(right(rows, total))


@account.mistake("One slot too many is reserved in each request: `final - now`, without a + 1.")
def one_too_many(rows: list[Row], total: int) -> Four:
    used, reserved, internal, free = right(rows, total)
    return used, reserved + len(rows), internal - len(rows), free
