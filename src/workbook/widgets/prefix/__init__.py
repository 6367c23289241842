"""What can this prompt reuse, and what goes first? The tree of known prefixes."""
