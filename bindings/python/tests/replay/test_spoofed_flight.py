"""Tests plausibility with a real flight whose receiver was spoofed. The data are in the wheel `traffic`, which
.ci/data.sh downloads; without it, the tests are skipped."""

from __future__ import annotations

import gzip
import itertools
import json
import sys
import zipfile
from typing import Any

import pytest
from conftest import ROOT

from fencepost import Fix, Fleet, Monitor, Polygon, Zones, geodesic, replay
from fencepost.errors import FencepostError

sys.path.append(str(ROOT / "bindings" / "python" / "tests" / "reference"))
from reference_plausibility import Plausibility
from reference_values import Fix as ReferenceFix

WHEEL = ROOT / ".build" / "data" / "traffic-2.13-py3-none-any.whl"
FLIGHT = "traffic/data/samples/noisy/noisy_spoofing.json.gz"
REGIONS = "traffic/data/eurocontrol/eurofirs.json"
SPEED = 350.0  # an airliner
pytestmark = pytest.mark.skipif(
    not WHEEL.is_file(),
    reason=f"{WHEEL.relative_to(ROOT)} is missing: run .ci/data.sh PYTHON traffic 2.13, or make setup-test-all",
)


@pytest.fixture(scope="module")
def flight() -> list[Fix]:
    with zipfile.ZipFile(WHEEL) as wheel:
        columns = json.loads(gzip.decompress(wheel.read(FLIGHT)))
    rows = [
        (columns["latitude"][key], columns["longitude"][key], columns["timestamp"][key] * 1000)
        for key in sorted(columns["timestamp"], key=int)
    ]
    return [Fix(latitude, longitude, time=time) for latitude, longitude, time in rows if latitude is not None]


@pytest.fixture(scope="module")
def regions() -> dict[str, Polygon]:
    found: dict[str, Polygon] = {}
    with zipfile.ZipFile(WHEEL) as wheel:
        content = json.loads(wheel.read(REGIONS))
    for feature in content["features"]:
        name = feature["properties"]["IDENT"]
        try:
            found.setdefault(name, Polygon(feature["geometry"], edges="planar"))
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


def test_events_over_the_regions(flight: list[Fix], regions: dict[str, Polygon]) -> None:
    assert len(regions) == 58
    found = {}
    for name, options in OPTIONS.items():
        log = replay(flight, regions, policy="exact", assuming="unsatisfied", **options)
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
