"""Lines to rows: whatever a file is written like, and whatever is broken in it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pdors.errors import DocumentError
from pdors.traces.report import BrokenRow, Tally
from pdors.traces.row import Row, RowError, Skip
from pdors.traces.table import Table

CONTENT = "a,b\n1,x\n2,y\n"


def read(path: Path, tally: Tally | None = None, delimiter: str = ",") -> list[tuple[int, str]]:
    table = Table(path, {"a": 0, "b": 1}, 2, has_header=True, delimiter=delimiter)
    return list(table.read(lambda row: (row.integer("a", least=0), row.text("b")), tally or Tally()))


@pytest.mark.parametrize(
    "content",
    [
        CONTENT.encode(),
        CONTENT.encode("utf-8-sig"),
        CONTENT.replace("\n", "\r\n").encode(),
        CONTENT.replace("\n", "\n\n  \n").encode(),
        CONTENT.rstrip("\n").encode(),
        b'a,b\n"1","x"\n2, y \n',
        b"a,b\n1.0,x\n2e0,y\n",
        gzip.compress(CONTENT.encode()),
        gzip.compress(CONTENT[:6].encode()) + gzip.compress(CONTENT[6:].encode()),
    ],
    ids=["plain", "byte order mark", "CRLF", "blank lines", "no end", "quotes", "other numbers", "gzip", "two gzips"],
)
def test_however_it_is_written(tmp_path: Path, content: bytes) -> None:
    """The name of the file says nothing about how it is written."""
    path = tmp_path / "table.txt"
    path.write_bytes(content)
    assert read(path) == [(1, "x"), (2, "y")]


def test_quotes_keep_a_delimiter_and_end_with_their_line(tmp_path: Path) -> None:
    path, tally = tmp_path / "table", Tally()
    path.write_text('a,b\n1,"x, or ""y"""\n2,"open\n3,z\n')
    assert read(path, tally) == [(1, 'x, or "y"'), (3, "z")]
    assert tally.broken == [BrokenRow(str(path), 3, "quotes: got some that do not fit (unexpected end of data)")]


def test_every_broken_row_is_noted_with_its_line(tmp_path: Path) -> None:
    path, tally = tmp_path / "table", Tally()
    path.write_bytes(b"a,b\n1,x\n\n2\n-3,x\nfour,x\n5_0,x\ninf,x\n1e300,x\n6,\xff\n7,\n8,x,y\n9,z\n")
    assert read(path, tally) == [(1, "x"), (9, "z")]
    expected = "expected a whole number from 0 to 2147483647"
    assert [(row.line, row.why) for row in tally.broken] == [
        (4, "columns: got 1, expected 2"),
        (5, f'a: got "-3", {expected}'),
        (6, f'a: got "four", {expected}'),
        (7, f'a: got "5_0", {expected}'),
        (8, f'a: got "inf", {expected}'),
        (9, f'a: got "1e300", {expected}'),
        (10, "text: got bytes that are no UTF-8"),
        (11, "b: got nothing"),
        (12, "columns: got 3, expected 2"),
    ]
    assert (tally.rows_read, tally.rows_used) == (11, 2)


def test_rows_that_are_passed_over_are_counted_by_why(tmp_path: Path) -> None:
    path, tally = tmp_path / "table", Tally()
    path.write_text(CONTENT)
    table = Table(path, {"a": 0}, 2, has_header=True)
    assert list(table.read(lambda row: Skip("odd") if row.text("a") == "1" else row.text("a"), tally)) == ["2"]
    assert (tally.rows_read, tally.rows_used, dict(tally.passed_over)) == (2, 1, {"odd": 1})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"a,b\n", "rows: got none, expected at least one"),
        (
            b"a,b\n1\n2\n",
            "rows: got 2, none of which can be used (line 2: columns: got 1, expected 2), expected ",
        ),
        (gzip.compress(CONTENT.encode())[:-4], "line 4: got broken gzip (Compressed file ended before "),
        (gzip.compress(CONTENT.encode())[:-8] + b"\0" * 8, "line 4: got broken gzip (CRC check failed"),
        (gzip.compress(CONTENT.encode())[:10] + b"\xff" * 20, "line 1: got broken gzip (Error -3"),
    ],
    ids=["no rows", "no row of use", "cut off", "another sum", "no deflate"],
)
def test_files_of_no_use(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(DocumentError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: {complaint}")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for path, got in (
        (tmp_path / "none", "nothing at this path"),
        (tmp_path, "Is a directory"),
        (tmp_path / "no\0", "a path with a null character"),
    ):
        with pytest.raises(DocumentError, match=f"got {got}, expected"):
            read(path)


def test_numbers_out_of_their_range() -> None:
    row = Row(
        ["-1", "nan", "0", "2e18", " 7 ", "1_0"],
        {"negative": 0, "nan": 1, "zero": 2, "huge": 3, "seven": 4, "python": 5},
    )
    for column, bounds, expected in (
        ("negative", {"least": 0}, 'got "-1", expected a number of at least 0'),
        ("nan", {}, 'got "nan", expected a number'),
        ("zero", {"above": 0}, 'got "0", expected a number above 0'),
        ("huge", {}, 'got "2e18", expected a number'),
        ("python", {}, 'got "1_0", expected a number'),
        ("seven", {"least": 0, "most": 5}, 'got "7", expected a number of at least 0 and of at most 5'),
    ):
        with pytest.raises(RowError) as caught:
            row.number(column, **bounds)
        assert str(caught.value) == f"{column}: {expected}"
    assert row.number("seven") == 7


def test_long_and_unprintable_values_are_told_in_short() -> None:
    with pytest.raises(RowError) as caught:
        Row(["\x1b" + "x" * 100], {"a": 0}).number("a")
    assert str(caught.value) == 'a: got "\\u001b' + "x" * 36 + '...", expected a number'
