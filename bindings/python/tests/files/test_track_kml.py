"""Tests KML tracks: ``gx:Track`` from a real recording, and errors in other files."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import SHARED, mentions

from fencepost import InputError, replay
from fencepost._files.track_files import read_track, read_tracks

REAL = SHARED / "data" / "fences" / "kml" / "togeojson-gxmultitrack.kml"
HEAD = '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>'


def kml(path: Path, body: str) -> Path:
    path.write_text(f"{HEAD}{body}</Document></kml>")
    return path


def placemark(name: str, *points: tuple[str, str], more: str = "") -> str:
    whens = "".join(f"<when>{when}</when>" for when, _ in points)
    coords = "".join(f"<gx:coord>{coord}</gx:coord>" for _, coord in points)
    return f"<Placemark><name>{name}</name><gx:Track>{whens}{coords}{more}</gx:Track></Placemark>"


TWO = (
    placemark("a", ("2024-05-01T12:00:00Z", "13.4 52.5 30"), ("2024-05-01T12:00:10Z", "13.5 52.6 31"))
    + placemark("b", ("2024-05-01T12:00:05Z", "14.4 53.5"))
)  # fmt: skip


@pytest.mark.skipif(not REAL.is_file(), reason=f"{REAL} is not there")
def test_a_real_recording() -> None:
    """Compares the fixes with every `when` and `coord` of the file, which this test reads with two regular
    expressions."""
    import re

    text = "".join(re.findall("(?s)<gx:Track>.*?</gx:Track>", REAL.read_text(encoding="utf-8")))
    coords = [tuple(map(float, coord.split())) for coord in re.findall("<gx:coord>(.*?)</gx:coord>", text)]
    whens = [datetime.fromisoformat(when) for when in re.findall("<when>(.*?)</when>", text)]
    track = read_track(REAL)
    assert [(fix[1], fix[0]) for fix in track.fixes] == [coord[:2] for coord in coords]
    assert [datetime.fromtimestamp(fix[3] / 1e6, UTC) for fix in track.fixes] == whens and len(whens) > 10
    log = replay(REAL, {}, sort=False)
    assert log.counts.fixes == len(coords) and log.counts.invalid_fixes == 0


def test_tracks_in_the_order_of_the_file(tmp_path: Path) -> None:
    track = read_track(kml(tmp_path / "t.kml", TWO))
    assert [(fix[0], fix[1]) for fix in track.fixes] == [(52.5, 13.4), (52.6, 13.5), (53.5, 14.4)]
    one, two = read_tracks(tmp_path / "t.kml", by="name")
    assert (one.key, len(one.fixes), two.key, len(two.fixes)) == ("a", 2, "b", 1)
    with pytest.raises(InputError, match="'colour'.*KML"):
        read_tracks(tmp_path / "t.kml", by="colour")


def test_an_archive(tmp_path: Path) -> None:
    kml(tmp_path / "t.kml", TWO)
    with zipfile.ZipFile(tmp_path / "t.kmz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "t.kml", "doc.kml")
    assert read_track(tmp_path / "t.kmz").fixes == read_track(tmp_path / "t.kml").fixes
    (tmp_path / "t.kmz").write_bytes((tmp_path / "t.kmz").read_bytes()[:300])
    with pytest.raises(InputError, match="t.kmz"):
        read_track(tmp_path / "t.kmz")


def test_positions_that_are_missing_and_accuracies(tmp_path: Path) -> None:
    arrays = (
        '<ExtendedData><SchemaData><gx:SimpleArrayData name="hAcc"><gx:value>5</gx:value><gx:value/>'
        "<gx:value>7.5</gx:value></gx:SimpleArrayData></SchemaData></ExtendedData>"
    )
    body = placemark("a", ("2024-05-01", "1 2"), ("2024-05-02", ""), ("2024-05-03", "3 4"), more=arrays)
    fixes = read_track(kml(tmp_path / "t.kml", body)).fixes
    assert [fix[2] for fix in fixes if fix[2] == fix[2]] == [5.0, 7.5] and fixes[1][0] != fixes[1][0]


def test_the_names_of_version_2_3_and_tracks_in_tracks(tmp_path: Path) -> None:
    track = "<Track><when>2024-05-01T12:00:00Z</when><coord>1 2 3</coord></Track>"
    body = f"<Placemark><MultiTrack>{track}</MultiTrack></Placemark>"
    assert read_track(kml(tmp_path / "t.kml", body)).fixes == [(2.0, 1.0, 0.0, 1_714_564_800_000_000)]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (placemark("a", ("2024-05-01T12:00:00Z", "1 2")).replace("</when>", "</when><when>2024</when>"),
         "point 1: … 1 … 2"),
        (placemark("a", ("noon", "1 2")), "point 1: time: 'noon'"),
        (placemark("a", ("2024-05-01", "1 2"), ("2024-05-01", "x 2")), "point 2: … longitude … latitude: 'x 2'"),
        (placemark("a", ("2024-05-01", "1")), "point 1: … longitude … latitude: '1'"),
        ("<Placemark><gx:Track></gx:Trac></Placemark><coord>", "XML"),
        ("<Placemark><gx:Track></gx:Track></Placemark><coord/>", "points"),
    ],
)  # fmt: skip
def test_errors_name_the_place(tmp_path: Path, body: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read_track(kml(tmp_path / "t.kml", body))
    assert mentions(caught.value, words) and "\n" not in str(caught.value)


def test_entities_that_grow_without_end_are_refused(tmp_path: Path) -> None:
    entities = '<!ENTITY a0 "Track coord">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    (tmp_path / "t.kml").write_text(
        f'<?xml version="1.0"?><!DOCTYPE kml [{entities}]>{HEAD}<name>&a11;</name></Document></kml>'
    )
    with pytest.raises(InputError, match="XML"):
        read_track(tmp_path / "t.kml")
