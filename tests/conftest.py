"""Settings of every test."""

from hypothesis import HealthCheck, settings

# The first call of compiled code compiles it, so a single example may take seconds.
settings.register_profile("pdors", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pdors")
