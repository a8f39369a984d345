"""Tests that all readers treat CSV headers alike: neither the delimiter nor the lines before the header change the
result."""

from __future__ import annotations

import random
from array import array
from pathlib import Path

import pytest
from conftest import mentions, refusal

from fencepost import TransitionPolicy
from fencepost._files.condition_files import ConditionRow, read_conditions
from fencepost._files.track_files import read_track
from fencepost._tables.text_times import number_time, unit_of, unit_of_all, unit_time

CIRCLES = """identifier,latitude,longitude,radius,assuming,policy
"home, sweet",52.5,13.4,100,,exact
"#5",-52.5,-13.4,1e3,satisfied,
"semi;colon and\ttab",0,0,5,unsatisfied,standard
"two
lines",1,1,5,,
"""
FIXES = "time,lat,lon,accuracy\n2024-05-01T08:00:00Z,52.5,13.4,5\n2024-05-01T08:00:01Z,52.6,13.5,\n"


def separated(text: str, delimiter: str) -> str:
    """Returns the same cells with a different delimiter."""
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(csv.reader(io.StringIO(text, newline="")))
    return out.getvalue()


def circles(path: Path) -> list[tuple[object, ...]]:
    def values(row: ConditionRow) -> tuple[object, ...]:
        return row.identifier, row.condition, row.assuming, row.policy

    return [values(row) for row in read_conditions(path, TransitionPolicy.standard())]


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("before", ["", "\n\n", "# made by hand\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_circles_and_tracks_between_any_delimiters(
    tmp_path: Path, delimiter: str, before: str, encoding: str, ending: str
) -> None:
    plain = tmp_path / "plain.csv"
    plain.write_text(CIRCLES, newline="")
    expected = circles(plain)
    assert [row[0] for row in expected] == ["home, sweet", "#5", "semi;colon and\ttab", "two\nlines"]
    path = tmp_path / f"other{ending}"
    path.write_text(before + separated(CIRCLES, delimiter), encoding, newline="")
    assert circles(path) == expected

    plain.write_text(FIXES)
    path.write_text(before + separated(FIXES, delimiter), encoding)
    assert list(read_track(path).fixes) == list(read_track(plain).fixes)
    assert len(read_track(path).fixes) == 2


@pytest.mark.filterwarnings("ignore::fencepost.InputWarning")  # about small radii
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_header_in_a_comment(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "circles.csv"
    path.write_text("# circles\n# " + separated("id,lat,lon,radius\na,1,2,3\n", delimiter))
    assert [row[0] for row in circles(path)] == ["a"]


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ("", "line 1", "rows"),
        ("# nothing else\n\n", "line 1", "rows"),
        ("id;lat;lon\na;1;2\n", "line 1", "radius"),
        ("\n\nid;lat;lon\n", "line 3", "radius"),
        ("id;lat;lon;radius\na;1;2\n", "line 2", "3 columns, … 4"),
        ("id\tlat\tlon\tradius\n\na\t1\tnorth\t3\n", "line 3", "longitude 'north'"),
        ("id;lat;lon;radius\na;52,5;13,4;100\n", "line 2", "latitude '52,5'"),
        ("id;lat;lon;radius\na\0;1;2;3\nb;1;2\n", "line 3", "has 3 columns"),
        ("id;" + "x" * 200_000 + "\n", "line 1", "CSV: field larger"),
        ("id;lat;lon;radius\n" + "x" * 200_000 + ";1;2;3\n", "line 2", "CSV: field larger"),
    ],
)
def test_circles_that_cannot_be_read(tmp_path: Path, text: str, place: str, reason: str) -> None:
    path = tmp_path / "circles.csv"
    path.write_text(text, newline="")
    error = refusal(read_conditions, path, TransitionPolicy.standard())
    assert error.place == place and mentions(error.reason, reason)


def test_a_file_of_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "circles.csv"
    path.write_bytes("id;lat;lon;radius\ncafé;1;2;3\n".encode("latin-1"))
    assert "is not UTF-8 text" in str(refusal(read_conditions, path, TransitionPolicy.standard()))


def test_one_rule_for_the_unit_of_a_time() -> None:
    """Every reader infers the time unit from the size of the numbers; the test compares the functions for a single
    number, for an integer in a column, and for all numbers in a column."""
    edges = [0, 10**11, 10**14, 10**15, 10**17, 10**9]
    world = random.Random(7)
    numbers = [sign * (edge + step) for edge in edges for step in (-1, 0, 1) for sign in (1, -1)]
    for number in numbers:
        if number < -62_135_596_800:  # as seconds since 1970, this number would mean a time before the year 1
            continue
        if unit_of(number) != "ns":  # a number in text is rounded, and an integer in a column is truncated
            assert number_time(number) == unit_time(number, None, 0, "")
        assert unit_time(number, None, 0, "") == unit_time(number, unit_of(number), 0, "")
    for _ in range(2000):
        column = world.sample(numbers, world.randint(1, 4))
        ends = range(min(column), max(column) + 1)
        assert unit_of_all(array("q", column)) == (
            unit_of(column[0])
            if len({unit_of(one) for one in (*column, *(number for number in numbers if number in ends))}) == 1
            else None
        )
    assert unit_of_all(array("q")) == "s"
    assert unit_of_all(array("q", [-(1 << 63)])) is None  # NaT
