"""Settings for every test: property tests try the same examples on every machine, slow or not."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "book",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("book")
