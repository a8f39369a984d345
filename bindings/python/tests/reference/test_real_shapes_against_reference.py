"""Tests that the engine and the reference agree on every event of recorded tracks over real polygons.

The polygons are Natural Earth's countries (from a wheel that `make setup-test` fetches) and polygons from ../shared;
missing files are skipped. FENCEPOST_SOAK=1 runs every recorded track, of all formats, over the countries near the
track.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from conftest import IS_FULL, OWN_TRACKS, TRACKS, recorded_tracks
from many_shapes import ManyShapes, RoughPolygon, near, number_of_edges, polygons_of, well_known_text
from reference_adapter import reference_policy, same_event
from reference_shapes import Defect, Polygon as ReferencePolygon
from reference_values import Refused
from test_tracks_against_reference import fixes_of

from fencepost import FencepostError, Fix, InputError, Monitor, Polygon, TransitionPolicy

MOST_FIXES = 1_000 if IS_FULL else 120
# The reference implementation needs a millisecond for each edge, and examines most edges again when a track jumps.
MOST_EDGES = 6_000
MOST_POLYGONS = 12 if IS_FULL else 3
FIFTY = "natural-earth/ne_50m_admin_0_countries.geojson"
FRANCISCO = "cities/san-francisco.geojson"
# Each case consists of the polygons, the number of degrees around the track in which polygons are searched for, and the
# track.
CASES = (
    ("countries", 1.0, "bird-oystercatcher-2018-dop-accuracy.csv"),
    ("countries", 1.0, "seal-bering-antimeridian-3x.csv"),
    ("countries", 1.0, "ship-ais-north-sea-205316000.csv"),
    ("countries", 1.0, "bike-basel.gpx"),
    ("countries", 1.0, "train-neuchatel.csv"),
    ("countries", 1.0, "seal-bering.csv"),
    ("countries", 1.0, "walk-cerknica-2010.gpx"),
    (FIFTY, 0.5, "bike-basel-border-etrex.gpx"),
    (FIFTY, 0.5, "trip-multiday-riviera.gpx"),
    (FIFTY, 0.5, "seal-bering-antimeridian-outliers.csv"),
    (FRANCISCO, 0.05, "run-sf-strava-teleport.gpx"),
    (FRANCISCO, 0.05, "car-i280-ublox.csv"),
)
IS_LONG = os.environ.get("FENCEPOST_SOAK") == "1"
NOT_READ = {".md", ".igc", ".json", ".jsonl", ".aivdm", ".chk"}
"""Suffixes of files that are not tracks or that the package cannot read; a .chk file contains the same log as another
file in its folder."""
POLICIES = {name: TransitionPolicy.named(name) for name in ("standard", "exact")}


def fixes_for(path: Path) -> list[Any]:
    """Returns a limited number of a track's fixes, evenly chosen. Leaves out fixes with an accuracy worse than 100 m,
    for which depths over 250 m would matter."""
    fixes = [fix for fix in fixes_of(path) if not fix[2] > 100]
    return fixes[:: max(1, -(-len(fixes) // MOST_FIXES))]


def chosen(name: str, path: Path, degrees: float) -> list[tuple[str, Any]]:
    """Returns the polygons with the fewest edges among those near a track."""
    polygons = near(polygons_of(name) or [], fixes_for(path), degrees)
    counted = [(number_of_edges(parts), identifier, parts) for identifier, parts in polygons]
    counted.sort(key=lambda row: row[:2])
    return [(identifier, parts) for edges, identifier, parts in counted[:MOST_POLYGONS] if edges <= MOST_EDGES]


@pytest.mark.full
@pytest.mark.parametrize(("name", "degrees", "track"), CASES)
def test_engine_and_reference_agree(name: str, degrees: float, track: str) -> None:
    path = next((path for path in recorded_tracks("gpx", "csv") if path.name == track), None)
    if path is None or polygons_of(name) is None:
        pytest.skip(f"{name} or {track} is not there")
    assert check(name, degrees, path) > 0


def every_track() -> list[Path]:
    found = [path for folder in (OWN_TRACKS, TRACKS) for path in folder.rglob("*.*") if path.is_file()]
    return sorted(path for path in found if path.suffix not in NOT_READ)


@pytest.mark.skipif(not IS_LONG, reason="in make soak")
@pytest.mark.parametrize("path", every_track() if IS_LONG else [], ids=lambda path: path.name)
def test_every_track_over_countries(path: Path) -> None:
    if polygons_of("countries") is None:
        pytest.skip("the countries are not there")
    try:
        fixes = fixes_for(path)
    except InputError:  # a log without dates or positions; the readers' tests check the error message for it
        pytest.skip("not a track of fixes")
    # This track is at sea, or far inland.
    if not fixes or not chosen("countries", path, 1.0):
        pytest.skip("no country's border is near")
    assert check("countries", 1.0, path) > 0


def check(name: str, degrees: float, path: Path) -> int:
    """Compares the engine with the reference on one track, and returns the number of conditions that were compared."""
    fixes = fixes_for(path)
    ours, theirs = Monitor(), ManyShapes()
    added = 0
    for identifier, parts in chosen(name, path, degrees):
        try:
            condition = Polygon(well_known_text(parts), edges="planar")
            for policy, fields in POLICIES.items():
                ours.add(condition, f"{identifier} {policy}", policy=fields)
        except FencepostError as refused:
            with pytest.raises(Defect) as defect:
                ReferencePolygon(parts, edges="planar")
            assert defect.value.reason in str(refused)
            continue
        shape = RoughPolygon(parts)
        for policy, fields in POLICIES.items():
            theirs.add_shape(f"{identifier} {policy}", shape, policy=reference_policy(fields))
            added += 1
    log = 0
    for latitude, longitude, accuracy, time in fixes:
        try:
            theirs.feed_fix(time, latitude, longitude, accuracy)
        except Refused:
            with pytest.raises(FencepostError):
                ours.feed(Fix(latitude, longitude, accuracy, time=time))
            continue
        ours.feed(Fix(latitude, longitude, accuracy, time=time))
        while (event := theirs.next_event()) is not None:
            found = ours.next_event()
            assert found is not None, event
            same_event(found, event)
            log += 1
        assert ours.next_event() is None
    assert log >= added
    return added
