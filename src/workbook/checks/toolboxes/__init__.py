"""What the checks of several topics share, each module named after its subject."""
