"""Pictures of the engine at work. Each is the value of one line at a cell's end.

They replay what the engine did (``workbook.trace``) or, in a notebook, call it. The same module
draws them in JupyterLab and on a page without a kernel. A folder holds all of one picture.
"""

from typing import TYPE_CHECKING

from paged_attention.lazy import lazy_names

if TYPE_CHECKING:
    from workbook.widgets.block_size.picture import block_size_picture as block_size_picture
    from workbook.widgets.common.picture import MIME as MIME
    from workbook.widgets.common.picture import Picture as Picture
    from workbook.widgets.contiguous.picture import contiguous_vs_paged as contiguous_vs_paged
    from workbook.widgets.engine.picture import engine_picture as engine_picture
    from workbook.widgets.fork.picture import fork_and_copy as fork_and_copy
    from workbook.widgets.line.picture import line_picture as line_picture
    from workbook.widgets.pages.picture import pages_picture as pages_picture
    from workbook.widgets.pool.picture import pool_picture as pool_picture
    from workbook.widgets.prefix.picture import prefix_picture as prefix_picture
    from workbook.widgets.reading.picture import reading_through_table as reading_through_table
    from workbook.widgets.tiles.picture import tiles_picture as tiles_picture

_HOME = {
    "MIME": "common.picture",
    "Picture": "common.picture",
    "block_size_picture": "block_size.picture",
    "contiguous_vs_paged": "contiguous.picture",
    "engine_picture": "engine.picture",
    "fork_and_copy": "fork.picture",
    "line_picture": "line.picture",
    "pages_picture": "pages.picture",
    "pool_picture": "pool.picture",
    "prefix_picture": "prefix.picture",
    "reading_through_table": "reading.picture",
    "tiles_picture": "tiles.picture",
}
__all__ = [*_HOME]  # names, all of them strings


__getattr__, __dir__ = lazy_names(__name__, _HOME)
