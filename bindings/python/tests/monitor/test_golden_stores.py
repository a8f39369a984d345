"""Stores and exported devices that contain doubted fixes and policies with probabilities: files in Tests/Golden, which
every later version must open. FENCEPOST_WRITE_GOLDEN=1 writes the files of a new version."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Fix, Fleet, Monitor, Polygon, Schedule, Timing, TransitionPolicy, Zones, geodesic
from fencepost.types import Reason

GOLDEN = Path(__file__).resolve().parents[4] / "Tests" / "Golden"
WRITES = os.environ.get("FENCEPOST_WRITE_GOLDEN") == "1"
OPTIONS: dict[str, Any] = {
    "accuracy_confidence": 0.95, "path": "geodesic", "max_gap": 300, "plausible_speed": 60,
    "corroboration_count": 4, "corroboration_time": 30,
}  # fmt: skip
CERTAIN = TransitionPolicy(
    entry_probability=0.99, exit_probability=0.01, accuracy_factor=0, entry_margin=5, exit_margin=0,
    entry_dwell=20, exit_dwell=20,
)  # fmt: skip
SQUARE = Polygon([(13.399, 52.499), (13.401, 52.499), (13.401, 52.501), (13.399, 52.501)], order="lonlat")


def fix(metres: float, accuracy: float, second: int) -> Fix:
    place = geodesic.direct(52.5, 13.4, 90, metres)
    return Fix(place.latitude, place.longitude, accuracy=accuracy, time=second * 1_000_000)


# The last fix opens a candidate of "home"; then two fixes 20 km away are doubted.
FIXES = [fix(500, 10, 0), fix(400, 10, 60), fix(30, 20, 70), fix(20_000, 5, 71), fix(20_010, 5, 81)]


def add(holder: Monitor | Zones) -> None:
    holder.add(Circle(52.5, 13.4, radius=100), "home", policy=CERTAIN, tag=7)
    holder.add(SQUARE, "square", policy=CERTAIN, assuming="unsatisfied")
    holder.add(Circle(52.5, 13.4, radius=5), "small", policy=CERTAIN)
    holder.add(Circle(52.5, 13.4, radius=100), "plain", assuming="unsatisfied")


def told(holder: Monitor | Fleet) -> list[tuple[Any, ...]]:
    return [(event.identifier, str(event.state), event.date_us, event.probability) for event in holder.events()]


def check(found: list[tuple[Any, ...]], doubted: int) -> None:
    """Checks the events after the doubted fixes: the candidates are confirmed, and the probabilities are known."""
    assert doubted == 2
    assert [each[:3] for each in found if each[0] in ("home", "square")] == [
        ("home", "satisfied", 90_000_000),
        ("square", "satisfied", 90_000_000),
    ]
    assert all(0.99 < each[3] <= 1 for each in found if each[0] != "plain")


def test_the_store_of_a_monitor(tmp_path: Path) -> None:
    file = GOLDEN / "store-3-probability.fencepost"
    if WRITES:
        (tmp_path / "new").mkdir()
        with Monitor(name="golden", store=tmp_path / "new", **OPTIONS) as monitor:
            add(monitor)
            for each in FIXES:
                monitor.feed(each)
            list(monitor.events())
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", file)
    shutil.copyfile(file, tmp_path / "golden.fencepost")
    with Monitor(name="golden", store=tmp_path, **OPTIONS) as monitor:
        doubt = monitor.explain("home").doubt
        assert doubt is not None and (doubt.corroborations, doubt.corroborations_needed) == (2, 4)
        assert monitor.explain("small").reason is Reason.OUTSIDE
        assert monitor.explain("home").probability == pytest.approx(0.99999, abs=1e-4)
        assert monitor.record("square").policy == CERTAIN and monitor.record("home").tag == 7
        monitor.advance(100_000_000)
        check(told(monitor), monitor.statistics().doubted_fixes)


@pytest.mark.parametrize("source", ["store", "device", "portable"])
def test_the_store_and_the_devices_of_a_fleet(source: str, tmp_path: Path) -> None:
    files = {
        "store": GOLDEN / "fleet-4-probability.fencepost",
        "device": GOLDEN / "device-4-probability.bin",
        "portable": GOLDEN / "device-5-probability.bin",
    }
    if WRITES and source == "store":
        (tmp_path / "new").mkdir()
        zones = Zones()
        add(zones)
        with Fleet(zones, name="golden", store=tmp_path / "new", **OPTIONS) as fleet:
            for each in FIXES:
                fleet.feed("a", each)
            list(fleet.events())
            files["device"].write_bytes(fleet.export(["a"])[0])
            files["portable"].write_bytes(fleet.export(["a"], portable=True)[0])
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", files["store"])
    if source == "store":
        shutil.copyfile(files["store"], tmp_path / "golden.fencepost")
        opened = Fleet(Zones(), name="golden", store=tmp_path, **OPTIONS)
    else:
        zones = Zones()
        add(zones)
        opened = Fleet(zones, **OPTIONS)
        opened.load({"a": files[source].read_bytes()})
    with opened as fleet:
        doubt = fleet["a"].explain("home").doubt
        assert doubt is not None and (doubt.corroborations, doubt.corroborations_needed) == (2, 4)
        fleet.advance(100_000_000)
        check(told(fleet), fleet["a"].statistics().doubted_fixes)


@pytest.mark.parametrize("kind", [Monitor, Fleet])
def test_snapshots_with_the_order_exits_first(kind: type[Monitor] | type[Fleet]) -> None:
    """The dwells of an entry and an exit end together after the snapshot was taken."""
    file = GOLDEN / f"order-{kind.__name__.lower()}.bin"
    if WRITES:
        new: Any = kind(order="exits_first")
        holder: Monitor | Zones = new if isinstance(new, Monitor) else new.conditions
        holder.add(Circle(52.5, 13.5, radius=100), "entered", assuming="unsatisfied")
        holder.add(Circle(52.5, 13.4, radius=100), "left", assuming="satisfied")
        for place in (Fix(52.5, 13.4, time=0), Fix(52.5, 13.5, time=60_000_000)):
            new.feed(*([] if kind is Monitor else ["a"]), place)
        list(new.events())
        file.write_bytes(new.snapshot())
    restored: Any = kind.restore(file.read_bytes())
    restored.advance(100_000_000)
    found = [(event.identifier, str(event.state), event.date_us) for event in restored.events()]
    assert found == [("left", "unsatisfied", 80_000_000), ("entered", "satisfied", 80_000_000)]


HOURS = Timing(
    active=Schedule([(10_000_000, 50_000_000), (80_000_000, 900_000_000)], until=950_000_000), repeat_every=30,
    repeat_limit=5, max_events=6,
)  # fmt: skip


@pytest.mark.parametrize("source", ["store", "snapshot"])
def test_a_monitor_with_timings(source: str, tmp_path: Path) -> None:
    files = {"store": GOLDEN / "store-3-timing.fencepost", "snapshot": GOLDEN / "snapshot-3-timing.bin"}
    if WRITES and source == "store":
        (tmp_path / "new").mkdir()
        with Monitor(name="golden", store=tmp_path / "new") as monitor:
            monitor.add(Circle(52.5, 13.4, radius=100), "home", policy="exact", timing=HOURS, tag=7)
            monitor.add(Circle(52.5, 13.5, radius=100), "late", policy="exact", timing=Timing(absent_after=60))
            for second in (0, 20, 45):
                monitor.feed(fix(10, 200 if second == 0 else 5, second))
            list(monitor.events())
            files["snapshot"].write_bytes(monitor.snapshot())
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", files["store"])
    if source == "store":
        shutil.copyfile(files["store"], tmp_path / "golden.fencepost")
        opened = Monitor(name="golden", store=tmp_path)
    else:
        opened = Monitor.restore(files["snapshot"].read_bytes())
    with opened as monitor:
        assert monitor.record("home").tag == 7 and monitor.next_deadline_us == 50_000_000
        monitor.advance(60_000_000)
        assert monitor.explain("home").reason is Reason.INACTIVE and monitor.explain("home").seconds_to_decide == 20
        monitor.feed(fix(10, 5, 100))
        monitor.advance(900_000_000)
        found = [(event.identifier, str(event.cause), event.date_us // 1_000_000) for event in monitor.events()]
        # The events at 10 s and 30 s were handled before; the sixth event exhausts the condition.
        assert found == [
            ("home", "determination", 80),
            ("home", "repeat", 105),
            ("home", "repeat", 135),
            ("home", "repeat", 165),
        ]
        assert monitor.explain("home").seconds_to_decide is None
