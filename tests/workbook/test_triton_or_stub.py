"""Chapter 7's kernels can be defined and launched where Triton isn't installed."""

import subprocess
import sys

CELL = """
import sys
sys.modules["triton"] = None  # importing it raises ImportError
from workbook.checks import check
from workbook.triton_or_stub import HAS_TRITON, tl, triton

@triton.jit
def kernel(x, N: tl.constexpr):
    tl.store(x, N)

kernel[(2, 2)](None, N=4)
print(HAS_TRITON, kernel.__name__)
print(check.decode_kernel(kernel))
"""


def test_without_triton_a_launch_says_so_in_one_line() -> None:
    done = subprocess.run([sys.executable, "-c", CELL], capture_output=True, text=True, check=True)
    line = "Triton isn't installed here (it has wheels for Linux only): the kernel didn't run."
    assert done.stdout.splitlines() == [
        line,
        "False kernel",
        "check.decode_kernel(kernel)",
        f"  {line}",
    ]
