"""Tests plausibility with a real flight whose receiver was spoofed. The data are in the wheel `traffic`, which
.ci/data.sh downloads; without it, the tests are skipped."""

from __future__ import annotations

import gzip
import itertools
import json
import math
import sys
import zipfile
from typing import Any

import pytest
from conftest import ROOT

from fencepost import AltitudeBand, Fix, Fleet, Monitor, Polygon, Zones, geodesic, replay
from fencepost.errors import FencepostError

sys.path.append(str(ROOT / "bindings" / "python" / "tests" / "reference"))
from reference_plausibility import Plausibility
from reference_values import Fix as ReferenceFix

WHEEL = ROOT / ".build" / "data" / "traffic-2.13-py3-none-any.whl"
FLIGHT = "traffic/data/samples/noisy/noisy_spoofing.json.gz"
REGIONS = "traffic/data/eurocontrol/eurofirs.json"
SPEED = 350.0  # an airliner
METRES = {"FT": 0.3048, "FL": 30.48, "M": 1.0}
pytestmark = pytest.mark.skipif(
    not WHEEL.is_file(),
    reason=f"{WHEEL.relative_to(ROOT)} is missing: run .ci/data.sh PYTHON traffic 2.13, or make setup-test-all",
)


@pytest.fixture(scope="module")
def flight() -> list[Fix]:
    with zipfile.ZipFile(WHEEL) as wheel:
        columns = json.loads(gzip.decompress(wheel.read(FLIGHT)))
    found = []
    for key in sorted(columns["timestamp"], key=int):
        latitude, longitude, altitude = (columns[name][key] for name in ("latitude", "longitude", "altitude"))
        # Altitudes and flight levels are those of the standard atmosphere, so no height of the geoid is needed.
        height = {} if altitude is None else {"altitude": altitude * METRES["FT"], "geoid_height": 0.0}
        if latitude is not None:
            found.append(Fix(latitude, longitude, time=columns["timestamp"][key] * 1000, **height))
    return found


@pytest.fixture(scope="module")
def regions() -> dict[str, tuple[Polygon, AltitudeBand]]:
    found: dict[str, tuple[Polygon, AltitudeBand]] = {}
    with zipfile.ZipFile(WHEEL) as wheel:
        content = json.loads(wheel.read(REGIONS))
    for feature in content["features"]:
        given = feature["properties"]
        low, high = (float(given[f"{end}LIMIT"]) * METRES[given[f"{end}UNIT"]] for end in ("LOWER", "UPPER"))
        band = AltitudeBand(
            low if low > 0 else -math.inf, high, min_reference="mean_sea_level", max_reference="mean_sea_level"
        )
        try:
            found.setdefault(given["IDENT"], (Polygon(feature["geometry"], edges="planar"), band))
        except FencepostError:
            continue  # some regions cross themselves
    return found


def doubts(flight: list[Fix], seconds: float) -> tuple[int, int]:
    """Returns how many fixes the reference doubts, and how many jumps it trusts."""
    rule, known, doubted, trusted = Plausibility(SPEED, 3, seconds), None, 0, 0
    for fix in flight:
        given = ReferenceFix(fix.time_us, fix.latitude, fix.longitude, 0.0)
        verdict = rule.judge(known, given)
        doubted += verdict == "doubted"
        trusted += verdict == "corroborated"
        if verdict != "doubted":
            known = given
    return doubted, trusted


def test_the_flight_is_that_of_the_guide(flight: list[Fix]) -> None:
    assert len(flight) == 8670
    steps = [
        geodesic.inverse(a.latitude, a.longitude, b.latitude, b.longitude).distance
        for a, b in itertools.pairwise(flight)
    ]
    times = [max((b.time_us - a.time_us) / 1e6, 1) for a, b in itertools.pairwise(flight)]
    assert sum(step / time > 500 for step, time in zip(steps, times)) == 222
    assert round(max(steps) / 1000) == 564


@pytest.mark.parametrize(("seconds", "trusted", "doubted"), [(0, 100, 805), (60, 4, 2575)])
def test_a_corroboration_time_keeps_the_spoofer_from_being_trusted(
    flight: list[Fix], seconds: float, trusted: int, doubted: int
) -> None:
    assert doubts(flight, seconds) == (doubted, trusted)
    options: dict[str, Any] = {"plausible_speed": SPEED, "corroboration_time": seconds}
    monitor, fleet = Monitor(**options), Fleet(Zones(), **options)
    assert monitor.feed_many(flight) == (len(flight) - doubted, 0, 0, doubted)
    for fix in flight:
        fleet.feed("a", fix)
    assert fleet["a"].statistics().doubted_fixes == monitor.statistics().doubted_fixes == doubted


def test_events_over_the_regions(flight: list[Fix], regions: dict[str, tuple[Polygon, AltitudeBand]]) -> None:
    assert len(regions) == 58
    found = {}
    for name, options in OPTIONS.items():
        shapes = {name: shape for name, (shape, _) in regions.items()}
        log = replay(flight, shapes, policy="exact", assuming="unsatisfied", **options)
        entered = [event.identifier for event in log if str(event.state) == "satisfied"]
        found[name] = (len(log), log.counts.doubted_fixes, entered)
    assert found == EXPECTED


OPTIONS: dict[str, Any] = {
    "off": {},
    "0 s": {"plausible_speed": SPEED, "corroboration_time": 0},
    "60 s": {"plausible_speed": SPEED},
}
EXPECTED = {
    "off": (11, 0, ["LTBB", "LBSR", "LRBB", "UKLV", "EPWW", "ESAA"]),
    "0 s": (11, 805, ["LTBB", "LBSR", "LRBB", "UKLV", "EPWW", "ESAA"]),
    "60 s": (9, 2575, ["LTBB", "LBSR", "LRBB", "UKLV", "ESAA"]),
}


def test_events_over_the_regions_with_their_limits(
    flight: list[Fix], regions: dict[str, tuple[Polygon, AltitudeBand]]
) -> None:
    monitor, plane = Monitor(), Monitor()
    for name, (shape, band) in regions.items():
        monitor.add(shape, name, policy="exact", assuming="unsatisfied", band=band)
        plane.add(shape, name)
    monitor.feed_many(flight)
    found = [(event.identifier, str(event.state), event.date_us) for event in monitor.events()]
    # Without dwell and margins, the state follows from each fix, and stays if a fix within the shape has no altitude.
    expected, inside = [], set()
    for fix, over in zip(
        flight, plane.containing([fix.latitude for fix in flight], [fix.longitude for fix in flight]), strict=True
    ):
        for name, (_, band) in regions.items():
            if name in over and fix.altitude is None:
                continue
            is_inside = name in over and band.min <= (fix.altitude or 0.0) <= band.max
            if is_inside != (name in inside):
                inside ^= {name}
                expected.append((name, "satisfied" if is_inside else "unsatisfied", fix.time_us))
    assert sorted(found) == sorted(expected)
    entered = [name for name, state, _ in found if state == "satisfied"]
    # The flight passes above Lviv's region, which ends at flight level 275.
    assert entered == [name for name in EXPECTED["off"][2] if name != "UKLV"]
