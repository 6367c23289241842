"""Settings for every test: property tests try the same examples on every machine."""

from hypothesis import settings

settings.register_profile("book", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("book")
