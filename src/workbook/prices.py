"""Models and machines by the few numbers that decide whether a copy or a second run is cheaper."""

from typing import NamedTuple


class Shape(NamedTuple):
    """A model: how many parameters it has, and the sizes of its cache; ``bytes`` of a number."""

    parameters: float
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    bytes: int


class Machine(NamedTuple):
    """``flops`` a second, bytes a second over the ``bus`` to host memory, and the seconds that each
    ``piece`` costs beside its bytes.
    """

    flops: float
    bus: float
    piece: float


SMOLLM2 = Shape(135e6, 30, 9, 3, 64, 2)  # in bfloat16
EIGHT_B = Shape(8e9, 32, 32, 8, 128, 2)  # Llama's shape
GPU = Machine(400e12, 25e9, 1e-6)  # assumed: half of an H100's peak, PCIe 5 as it is reached
