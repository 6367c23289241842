"""``python -m workbook.widgets FOLDER``: write the pictures' module for a page."""

import sys
from pathlib import Path

from workbook.widgets.bundle import write_to


def main(arguments: list[str]) -> int:
    """Write the module and its style sheets into the folder named."""
    if len(arguments) != 1:
        print("usage: python -m workbook.widgets FOLDER", file=sys.stderr)
        return 2
    write_to(Path(arguments[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
