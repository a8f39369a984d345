"""Tests that fixes which a device cannot have reached are doubted: options, counters, explanations, and all ways in
which the state of a monitor or a device is saved."""

from __future__ import annotations

import random
from contextlib import suppress
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SECOND

from fencepost import Circle, Fix, Fleet, Monitor, Zones
from fencepost.errors import InvalidArgumentError, LateInputError
from fencepost.types import Doubt, FeedResult

GOLDEN = ROOT / "Tests" / "Golden"
PLACE = Circle(0, 0, 1000)
FAR = 0.9  # degrees east, 100 km


def monitor(**options: Any) -> Monitor:
    return filled(Monitor(**{"plausible_speed": 60, **options}))


def filled(made: Monitor) -> Monitor:
    made.add(PLACE, "c", policy="exact", assuming="unsatisfied")
    return made


def fleet(**options: Any) -> Fleet:
    made = Fleet(Zones(), **{"plausible_speed": 60, **options})
    made.conditions.add(PLACE, "c", policy="exact")
    return made


def fix(second: float, longitude: float, accuracy: float = 0) -> Fix:
    return Fix(0, longitude, accuracy=accuracy, time=round(second * SECOND))


def states(events: Any) -> list[str]:
    return [f"{event.state} {(event.date_us or 0) // SECOND}" for event in events]


@pytest.mark.parametrize("make", [Monitor, lambda **options: Fleet(Zones(), **options)])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("plausible_speed", value) for value in (0, -1, nan, inf, -inf)),
        *(("corroboration_count", value) for value in (-1, 0, 1, 1001, 2**40)),
        *(("corroboration_time", value) for value in (-1, -1e-6, 1e9 + 1, inf, nan)),
    ],
)
def test_values_out_of_range_are_refused(make: Any, name: str, value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=name):
        make(**{"plausible_speed": 60, name: value})
    if name != "plausible_speed":
        with pytest.raises(InvalidArgumentError, match=name):
            make(**{name: value})  # also without a speed


@pytest.mark.parametrize("speed", [5e-324, 1e-6, 1e300, 1.7e308])
@pytest.mark.parametrize("accuracy", [0.0, 1e300, inf])
def test_extreme_speeds_and_accuracies(speed: float, accuracy: float) -> None:
    made = monitor(plausible_speed=speed)
    made.feed(fix(0, 0))
    made.feed(fix(1, FAR, accuracy))
    assert made.statistics().doubted_fixes == (speed < 1)  # an accuracy counts to 5 km
    made.feed(fix(1.5, 0 if speed < 1 else FAR))
    assert made.statistics().doubted_fixes == (speed < 1)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("speed", [1e-7, 60])
def test_a_batch_decides_each_fix_as_a_single_feed_does(seed: int, speed: float) -> None:
    """Steps around one second at the greatest speed, in a safe region of a kilometre and across its boundary."""
    draw = random.Random(seed)
    rows: list[tuple[float, float, float, int]] = []
    latitude, longitude, time = 0.0, 0.02, 0
    for _ in range(400):
        length = speed * draw.choice([0, 0.3, 0.9, 1 - 1e-7, 1, 1 + 1e-7, 1.01, 1.3]) / 111_319.49
        east = draw.choice([-1, 1]) * draw.choice([0, 0.6, 0.8, 1])
        latitude += draw.choice([-1, 1]) * length * (1 - east * east) ** 0.5
        longitude += length * east + (0.02 - longitude) * draw.choice([0, 0, 0.01])
        time += draw.choice([0, 100_000, SECOND, SECOND, SECOND, SECOND + 1, 3 * SECOND])
        accuracy = draw.choice([0, 0, 0, 0.1, 20])
        rows.append((latitude, longitude, accuracy, time))
        if draw.random() < 0.03:  # rows that are invalid, late, or without a position
            rows.append(
                draw.choice(
                    [
                        (nan, longitude, 0, time),
                        (latitude, 1e300, 0, time),
                        (latitude, longitude, -1, time),
                        (latitude, longitude, 0, time - SECOND),
                        (0, 0.06, 0, time),
                    ]
                )
            )
    fixes = [Fix(row[0], row[1], accuracy=row[2], time=row[3]) for row in rows]
    one = monitor(plausible_speed=speed)
    for row in fixes:
        with suppress(InvalidArgumentError, LateInputError):
            one.feed(row)
    latitudes, longitudes, accuracies, times = (list(column) for column in zip(*rows))
    columns = {"latitude": latitudes, "longitude": longitudes, "accuracy": accuracies, "time": times}
    for feed in (lambda made: made.feed_many(fixes), lambda made: made.feed_many(**columns)):
        made = monitor(plausible_speed=speed)
        found = feed(made)
        assert made.statistics() == one.statistics()
        assert made.explain("c") == one.explain("c")
        assert made.snapshot() == one.snapshot()
        assert found.accepted > 0
        assert found.doubted > 0


def test_a_batch_counts_doubted_fixes_and_goes_on() -> None:
    columns = {"latitude": [0.0] * 5, "longitude": [0, FAR, 0, 95.0, 0.0001], "time": [k * SECOND for k in range(5)]}
    found = monitor().feed_many(**columns)
    assert found == FeedResult(accepted=3, invalid=0, late=0, doubted=2)
    assert repr(found) == "FeedResult(accepted=3, invalid=0, late=0, doubted=2)"
    assert repr(FeedResult(1, 0, 0)) == "FeedResult(accepted=1, invalid=0, late=0)"
    for threads in (1, 2):
        made = fleet(threads=threads)
        assert made.feed_many(device=["a"] * 5, **columns).doubted == 2
        assert made.statistics().doubted_fixes == made["a"].statistics().doubted_fixes == 2
        assert made["a"].statistics().input_count == 5


def test_an_explanation_says_why_the_latest_fix_was_doubted() -> None:
    made = monitor()
    made.feed(fix(0, 0))
    made.feed(fix(1, 0.02785))  # 3.1 km
    assert made.explain("c").doubt == Doubt(pytest.approx(3100.25, abs=0.01), 1.0, 60.0, 1, 3)
    assert str(made.explain("c")).endswith("doubted: 3.1 km in 1 s (3 100 m/s, limit 60), 1 of 3 corroborations")
    assert "doubted" in made.explain("c")._repr_html_()
    made.feed(fix(31, 0.02785))
    assert str(made.explain("c").doubt) == "3.1 km in 31 s (100 m/s, limit 60), 2 of 3 corroborations"
    made.feed(fix(32, 0))
    assert made.explain("c").doubt is None
    devices = fleet()
    devices.feed("a", fix(0, 0))
    devices.feed("a", fix(1, 0.02785))
    assert str(devices["a"].explain("c").doubt) == "3.1 km in 1 s (3 100 m/s, limit 60), 1 of 3 corroborations"


def chained(made: Monitor) -> Monitor:
    """Feeds a known fix and two doubted ones."""
    for second, longitude in ((0, 0.0), (1, FAR), (31, FAR)):
        made.feed(fix(second, longitude))
    assert states(made.events()) == ["satisfied 0"]
    return made


def goes_on(made: Monitor) -> None:
    assert made.statistics().doubted_fixes == 2
    made.feed(fix(60, FAR))
    assert states(made.poll()) == []
    made.feed(fix(61, FAR))
    assert states(made.events()) == ["unsatisfied 61"]
    assert made.statistics().doubted_fixes == 3


def test_a_monitor_keeps_the_chain_in_forks_snapshots_and_stores(tmp_path: Path) -> None:
    options: dict[str, Any] = {"store": tmp_path, "name": "m", "durability": "every_input", "plausible_speed": 60}
    with Monitor(**options) as stored:
        chained(filled(stored))
        for copy in (stored.fork(), Monitor.restore(stored.snapshot())):
            assert copy.snapshot() == stored.snapshot()
            goes_on(copy)
    with Monitor(**options) as stored:
        goes_on(stored)


def test_a_store_is_opened_with_other_options(tmp_path: Path) -> None:
    options: dict[str, Any] = {"store": tmp_path, "name": "m", "durability": "every_input"}
    with Monitor(**options) as stored:  # a store of the format before the option
        filled(stored).feed(fix(0, 0))
    with Monitor(**options, plausible_speed=60) as stored:
        stored.feed(fix(1, FAR))
        assert stored.statistics().doubted_fixes == 1 and states(stored.events()) == ["satisfied 0"]
    with Monitor(**options, plausible_speed=60, corroboration_count=2, corroboration_time=0) as stored:
        stored.feed(fix(2, FAR))
        assert states(stored.events()) == ["unsatisfied 2"]
        stored.feed(fix(3, 0))
    with Monitor(**options) as stored:  # without the option the chain is forgotten, and the count stays
        assert stored.statistics().doubted_fixes == 2 and stored.explain("c").doubt is None
        stored.feed(fix(4, 0))
        assert states(stored.events()) == ["satisfied 4"]
    with Monitor(**options, plausible_speed=60) as stored:
        assert stored.statistics().doubted_fixes == 2
        stored.feed(fix(5, FAR))
        assert stored.statistics().doubted_fixes == 3


def fleet_goes_on(made: Fleet) -> None:
    assert made["a"].statistics().doubted_fixes == 2
    made.feed("a", fix(60, FAR))
    assert states(made.poll()) == []
    made.feed("a", fix(61, FAR))
    assert states(made.events()) == ["unsatisfied 61"]
    assert made["a"].statistics().doubted_fixes == 3


@pytest.mark.parametrize("path", [{}, {"path": "geodesic", "max_gap": 600}])
def test_a_fleet_keeps_the_chain_in_forks_snapshots_stores_and_exports(tmp_path: Path, path: dict[str, Any]) -> None:
    options = {"store": tmp_path, "name": "f", "durability": "every_input", **path}
    with fleet(**options) as stored:
        for second, longitude in ((0, 0.0), (1, FAR), (31, FAR)):
            stored.feed("a", fix(second, longitude))
        assert states(stored.events()) == ["satisfied 0"]
        for portable in (False, True):
            (state,) = stored.export(["a"], portable=portable)
            moved = Fleet(stored.conditions, plausible_speed=60, **path)
            moved.load({"a": state})
            assert moved.export(["a"], portable=portable) == [state]
            fleet_goes_on(moved)
            plain = Fleet(stored.conditions)  # a fleet without the option forgets the chain
            plain.load({"a": state})
            assert plain["a"].statistics().doubted_fixes == 2 and plain["a"].explain("c").doubt is None
            plain.feed("a", fix(32, FAR))
            assert states(plain.events()) == ["unsatisfied 32"]
            back = Fleet(stored.conditions, plausible_speed=60, **path)
            back.load({"a": plain.export(["a"], portable=portable)[0]})
            back.feed("a", fix(33, 0))  # the exported fix is the last one, because its time is that of the clock
            assert back["a"].statistics().doubted_fixes == 3
        for copy in (stored.fork(), Fleet.restore(stored.snapshot())):
            assert copy.snapshot() == stored.snapshot()
            fleet_goes_on(copy)
    with Fleet(Zones(), **options, plausible_speed=60) as stored:
        fleet_goes_on(stored)


def test_a_device_from_a_fleet_that_does_not_keep_each_fix_has_no_known_fix() -> None:
    plain = Fleet(Zones())
    plain.conditions.add(PLACE, "c", policy="exact")
    for second in range(10):
        plain.feed("a", fix(second, second * 1e-6))
    moved = Fleet(plain.conditions, plausible_speed=60)
    moved.load({"a": plain.export(["a"])[0]})
    moved.feed("a", fix(10, FAR))
    assert moved["a"].statistics().doubted_fixes == 0


def test_files_of_this_version_can_be_opened() -> None:
    """The files contain a chain of two doubted fixes. FENCEPOST_WRITE_GOLDEN=1 writes the files of a new version."""
    import os

    names = {"snapshot-3.bin": b"", "fleet-4.bin": b"", "device-4.bin": b"", "device-5.bin": b""}
    if os.environ.get("FENCEPOST_WRITE_GOLDEN") == "1":
        devices = fleet()
        for second, longitude in ((0, 0.0), (1, FAR), (31, FAR)):
            devices.feed("a", fix(second, longitude))
        list(devices.events())
        written = [chained(monitor()).snapshot(), devices.snapshot()]
        written += [devices.export(["a"], portable=portable)[0] for portable in (False, True)]
        for name, content in zip(names, written):
            (GOLDEN / name).write_bytes(content)
    for name in names:
        names[name] = (GOLDEN / name).read_bytes()
    goes_on(Monitor.restore(names["snapshot-3.bin"]))
    fleet_goes_on(Fleet.restore(names["fleet-4.bin"]))
    for name in ("device-4.bin", "device-5.bin"):
        devices = fleet()
        devices.load({"a": names[name]}, adapt=True)
        fleet_goes_on(devices)


def test_without_the_option_every_byte_stays_as_it_is() -> None:
    made, devices = filled(Monitor()), Fleet(Zones())
    devices.conditions.add(PLACE, "c", policy="exact")
    made.feed(fix(0, 0))
    devices.feed("a", fix(0, 0))
    # The first row of a snapshot begins with the format of the rows; bytes of a device begin with their format.
    assert [each.snapshot()[19:23] for each in (made, monitor())] == [b"\x02\0\0\0", b"\x03\0\0\0"]
    assert devices.export(["a"])[0][0] == 1 and devices.export(["a"], portable=True)[0][0] == 3


@pytest.mark.parametrize(
    "options", [{}, {"plausible_speed": 60}, {"plausible_speed": 1e-7}, {"path": "geodesic", "max_gap": 60.0}]
)
@pytest.mark.parametrize("place", [(0.0, 0.0), (0.0, 179.9999), (-89.9999, 5.0), (89.99, -180.0)])
def test_a_batch_counts_as_single_calls_do(options: dict[str, Any], place: tuple[float, float]) -> None:
    """A device moves in its safe region, which may reach over the limits of the coordinates. Some fixes are
    invalid, late or implausible."""
    draw = random.Random(repr((options, place)))
    fixes: list[tuple[float, float, float, int]] = []
    time = 0
    for _ in range(3000):
        time += draw.choice([0, SECOND // 2, SECOND, SECOND, 5 * SECOND])
        step = draw.choice([1e-6, 1e-5, 2e-4, 5e-3])
        latitude = place[0] + draw.uniform(-step, step)
        longitude = place[1] + draw.uniform(-step, step)
        if draw.random() < 0.02:
            latitude = draw.choice([nan, inf, -inf, 90.00001, -1e300])
        if draw.random() < 0.02:
            longitude = draw.choice([nan, inf, 180.00001, -180.00001])
        accuracy = (
            draw.choice([0.0, -0.0, 5.0, 5.0, 20.0, inf]) if draw.random() < 0.98 else draw.choice([-1.0, nan, -inf])
        )
        fixes.append((latitude, longitude, accuracy, time - draw.choice([0] * 30 + [SECOND])))
    results = []
    for size in (1, 7, 3000):
        made = Monitor(**options)
        made.add(Circle(*place, 30_000), "around", policy="exact", assuming="satisfied")
        made.add(Circle(place[0] * 0.99, place[1] * 0.99, 100), "far", policy="exact", assuming="unsatisfied")
        for start in range(0, len(fixes), size):
            rows = fixes[start : start + size]
            if size > 1:
                latitudes, longitudes, accuracies, times = zip(*rows, strict=True)
                made.feed_many(latitude=latitudes, longitude=longitudes, accuracy=accuracies, time=times)
                continue
            for latitude, longitude, accuracy, time in rows:
                with suppress(InvalidArgumentError, LateInputError):
                    made.feed(Fix(latitude, longitude, accuracy=accuracy, time=time))
        statistics = made.statistics()
        results.append((statistics, made.explain("far"), states(made.poll())))
        assert statistics.accepted_fixes > 500
        assert statistics.invalid_fixes > 50
    assert results[0] == results[1] == results[2]
