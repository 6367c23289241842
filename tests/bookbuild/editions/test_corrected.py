"""Names of corrections: legal everywhere, in order, and read back as they were written."""

from datetime import datetime

import pytest

from bookbuild.editions.corrected import Version, newest_first, renamed, version, word

NAME = "02_the_block_allocator.ipynb"


def test_the_first_days_corrections_carry_the_time_later_ones_the_date() -> None:
    now = datetime(2026, 12, 1, 14, 5)
    assert word(now, "2026-12-01") == "corrected 14.05"
    assert word(now, "2026-11-30") == "corrected 2026-12-01 14.05"


@pytest.mark.parametrize("correction", ["corrected 14.05", "corrected 2026-12-01 14.05"])
@pytest.mark.parametrize("name", [NAME, "solutions/ex-02-1.py"])
def test_a_name_is_read_back(name: str, correction: str) -> None:
    new = renamed(name, correction)
    assert not set(new) & set('<>:"\\|?*'), "Windows refuses such a name"
    assert version(new).of == name
    assert version(new).time == "14.05"
    assert version(name) == Version(name, "", "")


def test_a_solution_has_a_name_that_run_takes() -> None:
    assert renamed("solutions/ex-02-1.py", "corrected 14.05") == (
        "solutions/ex-02-1-corrected-14.05.py"
    )
    assert renamed(NAME, "corrected 14.05") == "02_the_block_allocator (corrected 14.05).ipynb"


def test_the_last_correction_comes_first() -> None:
    words = ["corrected 09.00", "corrected 16.00", "corrected 2026-12-02 08.00"]
    names = [NAME, *(renamed(NAME, one) for one in words)]
    assert newest_first(names) == names[::-1]
