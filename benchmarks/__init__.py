"""Measurements and long runs, from the root of the repository: `python -m benchmarks.NAME`."""
