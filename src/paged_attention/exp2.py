"""Weights as powers of two: ``e ** x == 2 ** (x * LOG2_E)``, and processors compute the latter."""

import math

LOG2_E = math.log2(math.e)
