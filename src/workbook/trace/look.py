"""What state is a block in? The one answer that every picture gives."""


def look_of(refs: int, *, indexed: bool = False, copied: bool = False, written: bool = True) -> str:
    """The state of a block with ``refs`` holders, as ``stills/looks.json`` names it.

    ``indexed``: the prefix index is one of the holders; ``copied``: it was copied into just now;
    ``written``: at least one token is in it.
    """
    if not refs:
        return "free"
    if copied:
        return "copied"
    if indexed and refs == 1:
        return "cached"
    if refs - indexed > 1:
        return "shared"
    return "held" if written else "reserved"
