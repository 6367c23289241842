"""How do scattered blocks give the same answer? A query walks the block table."""
