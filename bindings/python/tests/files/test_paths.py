"""Tests how two kinds of file names are handled: names that no file can have, and names that cannot be printed
unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import DATA, refusal

from fencepost import compare, replay

CONDITIONS = DATA / "conditions.geojson"
KINDS = ["csv", "gpx", "gpkg", "parquet", "kml", "geojson", "xlsx", "csv.gz", "nmea", ""]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["a\0b", "\ud800", "\udfff\ud800", "x" * 5000, "a\nb", "\x85", "\u2028", "\udcff", "."]
)
def test_names_that_no_file_has(tmp_path: Path, name: str, kind: str) -> None:
    """The error is one printable line for every option or call that takes a file name."""
    bad, good = str(tmp_path / f"{name}.{kind}"), DATA / "drive.csv"
    for call in (
        lambda: replay(bad, CONDITIONS),
        lambda: replay(bad, CONDITIONS, by="car"),
        lambda: replay(good, bad),
        lambda: replay(good, CONDITIONS, sightings=bad),
        lambda: compare(bad, CONDITIONS),
        lambda: compare(good, bad),
        lambda: compare(good, CONDITIONS, baseline=bad),
    ):
        error = refusal(call)
        assert error.source == bad and len(str(error).encode().splitlines()) == 1


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "\udcff", "\u2028", "café"])
def test_strange_names_are_read_and_printed_on_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.csv"
    path.write_text("car,time,lat,lon\na,0,52,13\n")
    assert replay(str(path), {}, by="car").replays[0].source == str(path)
    path.write_text("car,time,lat,lon\na,0,north,13\n")
    for options in ({}, {"by": "car"}):
        text = str(refusal(replay, str(path), {}, **options))
        assert text.isprintable() and ".csv: line 2: latitude 'north'" in text
