"""Six pictures of the engine at work. Each is the value of one line at a cell's end.

They replay what the engine did (``workbook.trace``) or, in a notebook, call it. The same
module draws them in JupyterLab and on a page without a kernel.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from workbook.widgets.block_size import block_size_picture as block_size_picture
    from workbook.widgets.contiguous import contiguous_vs_paged as contiguous_vs_paged
    from workbook.widgets.fork import fork_and_copy as fork_and_copy
    from workbook.widgets.picture import MIME as MIME
    from workbook.widgets.picture import Picture as Picture
    from workbook.widgets.pool import pool_picture as pool_picture
    from workbook.widgets.prefix import prefix_picture as prefix_picture
    from workbook.widgets.reading import reading_through_table as reading_through_table

_HOME = {
    "MIME": "picture",
    "Picture": "picture",
    "block_size_picture": "block_size",
    "contiguous_vs_paged": "contiguous",
    "fork_and_copy": "fork",
    "pool_picture": "pool",
    "prefix_picture": "prefix",
    "reading_through_table": "reading",
}
__all__ = [
    "MIME",
    "Picture",
    "block_size_picture",
    "contiguous_vs_paged",
    "fork_and_copy",
    "pool_picture",
    "prefix_picture",
    "reading_through_table",
]


__getattr__, __dir__ = lazy_names(__name__, _HOME)
