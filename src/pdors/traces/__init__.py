"""Readers of traces of real clusters: each gives an instance, and a report of what was read, left out and filled in."""
