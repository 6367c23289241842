"""Mistakes with kv_bytes, as readers make them."""

from typing import Any

from paged_attention.model.config import ModelConfig
from workbook.checks.ch01.waste import kv_bytes


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


@kv_bytes.mistake(
    "Numbers and bytes were added: only the values were multiplied by the bytes of a number, the "
    "keys were not. `(a + b) * c`, or `2 * a * c`."
)
def half_multiplied(sizes: Any, size: int) -> int:
    return one_tensor(sizes, 1) + one_tensor(sizes, size)


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


@kv_bytes.mistake("Queries were counted, too. They are asked once and not kept.")
def queries_too(sizes: Any, size: int) -> int:
    return int(sizes.layers * (sizes.heads + 2 * sizes.kv_heads) * sizes.head_dim * size)


@kv_bytes.mistake("Two slips: `heads` for `kv_heads`, and a key without its value.")
def query_heads_and_half(sizes: Any, size: int) -> int:
    return int(sizes.layers * sizes.heads * sizes.head_dim * size)


@kv_bytes.mistake("2 was added. There are two tensors of everything, so it multiplies.")
def two_added(sizes: Any, size: int) -> int:
    return 2 + one_tensor(sizes, size)


@kv_bytes.mistake("The product was squared: two tensors are twice the numbers.")
def product_squared(sizes: Any, size: int) -> int:
    return one_tensor(sizes, 1) ** 2 * size


@kv_bytes.mistake("`head_dim` was divided by `heads`. It is the length of one head's key already.")
def head_dim_shared(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.kv_heads * (sizes.head_dim // sizes.heads) * size)


@kv_bytes.mistake("That is MiB; bytes were asked for.")
def mebibytes(sizes: Any, size: int) -> float:
    return right_bytes(sizes, size) / 2**20


@kv_bytes.mistake("That is kB, thousands of bytes; bytes were asked for.")
def kilobytes(sizes: Any, size: int) -> float:
    return right_bytes(sizes, size) / 1000


@kv_bytes.mistake("The bytes were added to the count; each number has that many, so they multiply.")
def bytes_added(sizes: Any, size: int) -> int:
    return right_bytes(sizes, 1) + size


@kv_bytes.mistake(
    "All the sizes were multiplied, and no 2. `heads` only read; keys and values are two."
)
def all_sizes(sizes: Any, size: int) -> int:
    return one_tensor(sizes, size) * int(sizes.heads)


@kv_bytes.mistake("`kv_heads` was multiplied in twice.")
def kv_heads_twice(sizes: Any, size: int) -> int:
    return right_bytes(sizes, size) * int(sizes.kv_heads)


@kv_bytes.mistake("One layer too many was counted.")
def one_more_layer(sizes: Any, size: int) -> int:
    return int(2 * (sizes.layers + 1) * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("One layer too few was counted.")
def one_layer_less(sizes: Any, size: int) -> int:
    return int(2 * (sizes.layers - 1) * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("A + stands between layers and heads. Every layer has all of it: multiply.")
def layers_added(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers + sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("Those are the numbers of the keys alone: values, too, and bytes, not numbers.")
def numbers_of_keys(sizes: Any, size: int) -> int:
    return one_tensor(sizes, 1)


@kv_bytes.mistake("8 bytes a number were written into the code; it is the second argument.")
def always_float64(sizes: Any, size: int) -> int:
    return right_bytes(sizes, 8)


@kv_bytes.mistake("The values were counted with the query heads. They belong to `kv_heads`, too.")
def values_by_heads(sizes: Any, size: int) -> int:
    return int(sizes.layers * (sizes.kv_heads + sizes.heads) * sizes.head_dim * size)


@kv_bytes.mistake(
    "It was divided by `heads`. All KV heads together are wanted, not one head's share."
)
def a_head_s_share(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.head_dim * size // sizes.heads)


@kv_bytes.mistake("That is right, divided by `heads`. All heads together are wanted.")
def right_by_heads(sizes: Any, size: int) -> int:
    return right_bytes(sizes, size) // int(sizes.heads)


@kv_bytes.mistake("That is 1,024 tokens' worth. One token is asked for.")
def of_1024(sizes: Any, size: int) -> int:
    return 1_024 * right_bytes(sizes, size)


@kv_bytes.mistake("Three tensors were counted. The queries aren't kept: keys and values are two.")
def three_tensors(sizes: Any, size: int) -> int:
    return 3 * one_tensor(sizes, size)


@kv_bytes.mistake("2 to the power of something: `**` where a `*` is meant.")
def two_to_the_power(sizes: Any, size: int) -> int:
    return int(2**sizes.layers * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("Two things are missing: `head_dim`, and the values beside the keys.")
def no_head_dim_one_tensor(sizes: Any, size: int) -> int:
    return int(sizes.layers * sizes.kv_heads * size)


@kv_bytes.mistake("Two things are missing: the layers, and the values beside the keys.")
def one_layer_one_tensor(sizes: Any, size: int) -> int:
    return int(sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("Two things are missing: the KV heads, and the values beside the keys.")
def one_head_one_tensor(sizes: Any, size: int) -> int:
    return int(sizes.layers * sizes.head_dim * size)


@kv_bytes.mistake("SmolLM2's 3 and 64 were written into the code: read them from `sizes`.")
def always_3_by_64(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * 3 * 64 * size)


@kv_bytes.mistake("`heads` stands where `layers` belongs.")
def heads_for_layers(sizes: Any, size: int) -> int:
    return int(2 * sizes.heads * sizes.kv_heads * sizes.head_dim * size)


@kv_bytes.mistake("`heads` only read, and each number has `bytes_per_number` bytes.")
def numbers_by_heads(sizes: Any, size: int) -> int:
    return int(2 * sizes.layers * sizes.heads * sizes.head_dim)


@kv_bytes.mistake("The sizes were added. Every layer has every KV head, so they multiply.")
def added(sizes: Any, size: int) -> int:
    return int(2 * (sizes.layers + sizes.kv_heads + sizes.head_dim) * size)


@kv_bytes.mistake("Keys and values are counted for the first layer alone, one tensor for the rest.")
def half_of_it_doubled(sizes: Any, size: int) -> int:
    return int((sizes.layers + 1) * sizes.kv_heads * sizes.head_dim * size)
