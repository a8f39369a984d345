"""Tests the columns of bands and timings in tables that are added with `add_many`, `ensure_many` and `sync`."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from conftest import mentions

from fencepost import AltitudeBand, Circle, Fix, Gate, InputError, Monitor, Timing, Zones

pa = pytest.importorskip("pyarrow")

MORNING = "2026-03-02T08:00+01:00/2026-03-02T12:00+01:00"
EVENING = "2026-03-02T18:00+01:00/2026-03-02T20:00+01:00"
START = 1_772_434_800_000_000  # 2026-03-02T07:00:00Z
BANDS: list[AltitudeBand | None] = [
    None,
    AltitudeBand(0, 120, reference="ground"),
    AltitudeBand(max=500, reference="mean_sea_level"),
    AltitudeBand(-5.5),
    AltitudeBand(100, 60, min_reference="ground", max_reference="ellipsoid"),
]
TIMINGS: list[Timing | None] = [
    None,
    Timing(active=[MORNING]),
    Timing(active=[MORNING, EVENING], repeat_every=1800, repeat_limit=2),
    Timing(max_events=1),
]


def table(**columns: Any) -> Any:
    count = len(next(iter(columns.values())))
    circles = {"id": [f"z{row}" for row in range(count)], "lat": [47.35] * count, "lon": [8.55] * count}
    return pa.table({**circles, "radius": [500.0] * count, **columns})


def limits(bands: list[AltitudeBand | None]) -> dict[str, Any]:
    found: dict[str, list[Any]] = {}
    for band in bands:
        for which in ("min", "max"):
            limit = None if band is None else getattr(band, which)
            has = limit is not None and math.isfinite(limit)
            found.setdefault(f"altitude_{which}", []).append(limit if has else None)
            reference = str(getattr(band, f"{which}_reference")) if has else None
            found.setdefault(f"altitude_{which}_reference", []).append(reference)
    return found


def timings(given: list[Timing | None]) -> dict[str, Any]:
    hours = [None if each is None or each.active is None else ";".join(each.active.texts()) for each in given]
    found: dict[str, list[Any]] = {"active": hours}
    for name in ("repeat_every", "repeat_limit", "max_events"):
        found[name] = [None if each is None else getattr(each, name) for each in given]
    return found


def fed(monitor: Monitor) -> list[str]:
    for hour, altitude in ((-1, 510), (1, 510), (2, 90), (3, 700), (4, 510), (10, 510), (12, 90)):
        monitor.feed(
            Fix(
                47.35, 8.55, 5, time=START + hour * 3_600_000_000,
                altitude=altitude, geoid_height=47, ground_height=420,
            )
        )  # fmt: skip
    return [event.to_json() for event in monitor.events()]


@pytest.mark.parametrize("method", ["add_many", "ensure_many", "sync"])
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_single_calls(method: str, seed: int) -> None:
    """The columns may be of any type and the rows in any order: each row has the band and the timing of `add`."""
    generator = random.Random(seed)
    rows = [(band, timing) for band in BANDS for timing in TIMINGS]
    generator.shuffle(rows)
    bands, times = [band for band, _ in rows], [timing for _, timing in rows]
    expected = Monitor()
    for row, (band, timing) in enumerate(rows):
        expected.add(Circle(47.35, 8.55, 500), f"z{row}", policy="exact", band=band, timing=timing)
    given = table(**limits(bands), **timings(times))
    pieces = given if seed == 0 else pa.Table.from_batches(given.to_batches(max_chunksize=3))
    monitor = Monitor()
    getattr(monitor, method)(pieces, policy="exact")
    assert [record.band for record in monitor.records()] == bands
    assert fed(monitor) == fed(expected)
    if method != "add_many":
        assert getattr(monitor, method)(pieces, policy="exact").kept == len(rows)


def test_nan_is_a_missing_limit_as_in_frames() -> None:
    pandas = pytest.importorskip("pandas")
    columns = {"altitude_max": [math.nan, 120.0], "altitude_max_reference": [None, "ground"]}
    frame = pandas.DataFrame(table(**columns).to_pandas())
    for source in (table(**columns), pa.Table.from_pandas(frame)):
        monitor = Monitor()
        monitor.add_many(source)
        assert [record.band for record in monitor.records()] == [None, AltitudeBand(max=120, reference="ground")]


def test_shapes_have_bands_and_gates_have_timings() -> None:
    square = "POLYGON ((8 47, 9 47, 9 48, 8 48, 8 47))"
    line = "LINESTRING (8 47, 9 47)"
    shapes = {"id": ["a", "g"], "wkt": [square, line], "gate": [False, True], "edges": ["geodesic"] * 2}
    band = {"altitude_max": [120, None], "altitude_max_reference": ["ground", None]}
    wide = pa.table({**shapes, **band, "max_events": [None, 1]})
    monitor = Monitor(path="geodesic", max_gap=600)
    monitor.add_many(wide, policy="exact")
    assert monitor["a"].band == AltitudeBand(max=120, reference="ground")
    assert isinstance(monitor["g"].condition, Gate)
    for minute, latitude in enumerate((46.99, 47.01, 46.99, 47.01)):
        monitor.feed(Fix(latitude, 8.5, 1, time=START + minute * 60_000_000))
    assert [event.identifier for event in monitor.events()] == ["a", "g"]  # and none of the next two crossings
    with pytest.raises(InputError) as caught:
        monitor.ensure_many(pa.table({**shapes, "altitude_max": [120] * 2, "altitude_max_reference": ["ground"] * 2}))
    assert mentions(caught.value, "altitude_min")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"altitude_min": [1.0, 2.0], "altitude_min_reference": ["ground", None]}, "row 1 … altitude_min_reference"),
        ({"altitude_min": [1.0, 2.0]}, "row 0 … altitude_min_reference"),
        ({"altitude_min": [1.0, 2.0], "altitude_max_reference": ["ground"] * 2}, "row 0 … altitude_min_reference"),
        ({"altitude_max": [1.0, 2.0], "altitude_max_reference": ["ground", "AGL"]}, "row 1 … AGL"),
        ({"altitude_max": ["1", "2"], "altitude_max_reference": ["ground"] * 2}, "row 0 … altitude_max … '1'"),
        ({"altitude_max": [True, None], "altitude_max_reference": ["ground"] * 2}, "row 0 … altitude_max … True"),
        ({"altitude_max": [None, math.inf], "altitude_max_reference": ["ground"] * 2}, "row 1 … altitude"),
        ({"altitude_max": [None, 1e10], "altitude_max_reference": ["ground"] * 2}, "row 1 … altitude"),
        (limits([AltitudeBand(1, 2)]) | {"altitude_min": [2.0]}, "row 0 … altitude_min … altitude_max"),
        (limits([AltitudeBand(1, 2)]) | {"altitude_min": [3.0]}, "row 0 … altitude_min … altitude_max"),
        ({"active": [None, "always"]}, "row 1 … always"),
        ({"active": [None, "[1]"]}, "row 1 … active"),
        ({"active": [None, "["]}, "row 1 … active"),
        ({"active_until": [None, "2026-03-03T00:00Z"]}, "row 1 … active_until"),
        ({"max_events": [1, 0]}, "row 1 … max_events"),
        ({"max_events": [None, 1.5]}, "row 1 … max_events"),
    ],
)
def test_refused_rows_change_nothing(columns: dict[str, Any], words: str) -> None:
    monitor = Monitor({"old": Circle(1, 2, 100)})
    for method in ("add_many", "ensure_many", "sync"):
        with pytest.raises(InputError) as caught:
            getattr(monitor, method)(table(**columns))
        assert mentions(caught.value, words), caught.value
        assert monitor.identifiers == ["old"]


@pytest.mark.parametrize("method", ["add_many", "ensure_many", "sync"])
def test_tables_of_fleets_have_bands(method: str) -> None:
    zones, expected = Zones(), Zones()
    getattr(zones, method)(table(**limits(BANDS)), policy="exact", assuming="unsatisfied")
    for row, band in enumerate(BANDS):
        expected.add(Circle(47.35, 8.55, 500), f"z{row}", policy="exact", assuming="unsatisfied", band=band)
    assert zones.snapshot() == expected.snapshot()
    assert [held.band for held in zones.values()] == [held.band for held in expected.values()]


@pytest.mark.parametrize("method", ["add_many", "ensure_many", "sync"])
def test_tables_of_fleets_have_timings(method: str) -> None:
    zones, expected = Zones(), Zones()
    getattr(zones, method)(table(**timings(TIMINGS)), policy="exact", assuming="unsatisfied")
    for row, timing in enumerate(TIMINGS):
        expected.add(Circle(47.35, 8.55, 500), f"z{row}", policy="exact", assuming="unsatisfied", timing=timing)
    assert zones.snapshot() == expected.snapshot()
