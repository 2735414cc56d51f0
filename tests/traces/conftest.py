"""Folders of traces as they are published: the samples, and the real ones where this machine has them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.traces.samples import write_all


def _real() -> list[Path]:
    """`PDORS_TRACES`, or else a folder beside the checkout."""
    named = os.environ.get("PDORS_TRACES")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "traces"
    return [folder] if folder.is_dir() else []


@pytest.fixture(scope="session", params=[None, *_real()], ids=lambda folder: "real" if folder else "samples")
def published(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path | None = request.param
    return write_all(tmp_path_factory.mktemp("traces")) if folder is None else folder
