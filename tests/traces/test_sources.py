"""Which file is which."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdors.errors import DocumentError
from pdors.traces.report import Tally
from pdors.traces.sources import Format, find, tables
from tests.traces.samples import write

NAMED = Format("people", ("name", "age|years"), optional=("town|city",))
BARE = Format("events", ("time", "what", "who"), has_header=False)
FORMATS = (NAMED, BARE)


def test_a_folder_stands_for_the_tables_in_it_and_below(tmp_path: Path) -> None:
    wanted = [write(tmp_path, name, "x") for name in ("a.csv", "b/c.csv.gz", "b/d.csv")]
    write(tmp_path, "README.md", "x")
    (tmp_path / "folder.csv").mkdir()
    assert [file.path for file in find([tmp_path])] == wanted
    assert [file.path for file in find([wanted[1], tmp_path, wanted[1]])] == [wanted[1], wanted[0], wanted[2]]
    assert [file.named for file in find([wanted[1], tmp_path])] == [True, False, False]


def test_tables_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    people = write(tmp_path, "1.csv", "city, years ,name\nRome,7,Ann\n")
    events = write(tmp_path, "2.csv", "broken\n12,came,Ann\n13,left,Ann\n")
    found = tables([tmp_path], FORMATS, Tally())
    [table] = found[NAMED]
    assert (table.path, table.columns["name"], table.columns["age"], table.columns["town"]) == (people, 2, 1, 0)
    assert [table.path for table in found[BARE]] == [events]
    tally = Tally()
    assert list(found[BARE][0].read(lambda row: row.text("what"), tally)) == ["came", "left"]
    assert [row.line for row in tally.broken] == [1]


def test_other_files_in_a_folder_are_told_with_why(tmp_path: Path) -> None:
    people = write(tmp_path, "1.csv", "name,age\nAnn,7\n")
    other, empty = write(tmp_path, "2.csv", "x,y\n1,2\n"), write(tmp_path, "3.csv", "")
    tally = Tally()
    assert [table.path for table in tables([tmp_path], FORMATS, tally)[NAMED]] == [people]
    expected = "people (a header with name, age or years) or events (3 columns, no header)"
    assert tally.files_not_read == {
        str(other): f'first row: got "x", "y", expected {expected}',
        str(empty): f"file: got nothing in it, expected {expected}",
    }
    for path in (other, empty):
        with pytest.raises(DocumentError) as caught:
            tables([people, path], FORMATS, Tally())
        assert str(caught.value) == f"{path}: {tally.files_not_read[str(path)]}"


def test_folders_with_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"folder: got no such file, expected files called \*.csv or \*.csv.gz"):
        find([tmp_path])
    write(tmp_path, "1.csv", "x,y\n1,2\n")
    write(tmp_path, "2.csv", "x,y\n1,2\n")
    with pytest.raises(DocumentError, match=r"folder: got 2 files of other kinds, expected people \(a header with"):
        tables([tmp_path], FORMATS, Tally())


def test_a_column_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "1.csv", "name,age,age\nAnn,7,8\n")
    with pytest.raises(DocumentError, match="header: got the column age more than once, expected each column once"):
        tables([path], FORMATS, Tally())
