"""Random numbers that depend on the seed and the job alone: neither the order of jobs nor other jobs change them."""

from __future__ import annotations

from hashlib import blake2s

import numpy as np


def stream_of(seed: int, job_id: str, *numbers: int) -> np.random.Generator:
    """One stream for each job, or for each of its questions that have numbers."""
    job = int.from_bytes(blake2s(job_id.encode(errors="surrogatepass"), digest_size=8).digest(), "big")
    return np.random.default_rng([seed, job, *numbers])
