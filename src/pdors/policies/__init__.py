"""Scheduling policies: one module each, independent of each other; `policy` has what they are asked and answer."""
