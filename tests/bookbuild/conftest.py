"""A tiny book in a temporary folder."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bookbuild.book import Chapter, chapters

SAMPLE = """\
(ch-02)=
# 2 · A sample

> A claim in one sentence.

*About 12 minutes: 10 to read and run, 2 for the exercises. Needs chapter 0.*

```{code-cell} ipython3
import time
```

Some prose.

```{code-cell} ipython3
:tags: [measured]

print(f"⏱ {time.perf_counter():.3f} ms for", 6 * 7)
```

```{code-cell} ipython3
6 * 7
```
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root of a book without chapters."""
    (tmp_path / "chapters" / "source").mkdir(parents=True)
    return tmp_path


@pytest.fixture
def write(root: Path) -> Callable[..., Chapter]:
    """Writes a chapter's text and returns the chapter."""

    def write(text: str = SAMPLE, name: str = "02_sample") -> Chapter:
        (root / "chapters" / "source" / f"{name}.md").write_text(text, encoding="utf-8")
        return chapters(root, [name[:2]])[0]

    return write
