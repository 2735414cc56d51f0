"""Tables for analysis: CSV, or Parquet where the name of the file ends so."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from pdors.errors import PdorsError
from pdors.files.output import write_bytes

PARQUET_SUFFIXES = (".parquet", ".pq")


def write_table(columns: Mapping[str, Sequence[object]], path: str | Path) -> None:
    """One row per entry of the columns, which are equally long; a missing value is empty."""
    is_parquet = Path(path).suffix.lower() in PARQUET_SUFFIXES
    write_bytes((_parquet if is_parquet else _csv)(columns), path)


def _csv(columns: Mapping[str, Sequence[object]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def _parquet(columns: Mapping[str, Sequence[object]]) -> bytes:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise PdorsError("Parquet needs pyarrow: pip install 'pdors[parquet]'; CSV needs nothing") from None
    buffer = io.BytesIO()
    parquet.write_table(pa.table({name: list(values) for name, values in columns.items()}), buffer)
    return buffer.getvalue()
