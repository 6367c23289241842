"""Where is each sequence's memory? The pool, the block tables, the free queue."""
