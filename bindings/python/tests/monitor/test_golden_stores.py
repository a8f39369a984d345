"""Stores and exported devices that contain doubted fixes and policies with probabilities: files in Tests/Golden, which
every later version must open. FENCEPOST_WRITE_GOLDEN=1 writes the files of a new version."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from fencepost import (
    AltitudeBand,
    Circle,
    Fix,
    Fleet,
    Monitor,
    Notify,
    Polygon,
    Rule,
    Schedule,
    Timing,
    TransitionPolicy,
    Zones,
    geodesic,
)
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


def add_pairs(holder: Monitor | Zones) -> None:
    """Adds, for two dwells, a circle that the device enters before one that it leaves."""
    for name, dwell in (("soon", 20), ("later", 40)):
        policy = TransitionPolicy(entry_dwell=dwell, exit_dwell=dwell)
        holder.add(Circle(52.5, 13.5, radius=100), f"entered {name}", policy=policy, assuming="unsatisfied")
        holder.add(Circle(52.5, 13.4, radius=100), f"left {name}", policy=policy, assuming="satisfied")


LEAVES = [Fix(52.5, 13.4, time=0), Fix(52.5, 13.5, time=60_000_000), Fix(52.5, 13.5, time=80_000_000)]
"""The device leaves a circle and enters another. The changes of the shorter dwell are pending after the last fix."""


def check_order(opened: Monitor | Fleet, order: str, pending: bool = True) -> None:
    """Checks the order of two events that were pending when the file was written, and of two that come later."""
    opened.advance(100_000_000)
    found = [(event.identifier, event.date_us // 1_000_000) for event in opened.events()]
    later = [("left later", 100), ("entered later", 100)]
    if order == "add":
        later.reverse()
    assert found == [("left soon", 80), ("entered soon", 80)] * pending + later


@pytest.mark.parametrize("order", ["exits_first", "add"])
def test_the_store_of_a_monitor_with_the_order_exits_first(order: Any, tmp_path: Path) -> None:
    """The pending events keep their order. The order of later events is that of the option at opening."""
    file = GOLDEN / "store-3-order.fencepost"
    if WRITES and order == "exits_first":
        (tmp_path / "new").mkdir()
        with Monitor(name="golden", store=tmp_path / "new", order="exits_first") as monitor:
            add_pairs(monitor)
            for each in LEAVES:
                monitor.feed(each)
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", file)
    shutil.copyfile(file, tmp_path / "golden.fencepost")
    with Monitor(name="golden", store=tmp_path, order=order) as monitor:
        snapshot = monitor.snapshot()
        check_order(monitor, order)
    check_order(Monitor.restore(snapshot), order)


@pytest.mark.parametrize("order", ["exits_first", "add"])
@pytest.mark.parametrize("source", ["store", "device", "portable"])
def test_the_store_and_the_devices_of_a_fleet_with_the_order_exits_first(
    source: str, order: Any, tmp_path: Path
) -> None:
    names = {"store": "fleet-4-order.fencepost", "device": "device-4-order.bin", "portable": "device-5-order.bin"}
    files = {key: GOLDEN / name for key, name in names.items()}
    zones = Zones()
    add_pairs(zones)
    if WRITES and (source, order) == ("store", "exits_first"):
        (tmp_path / "new").mkdir()
        with Fleet(zones, name="golden", store=tmp_path / "new", order="exits_first") as fleet:
            for each in LEAVES:
                fleet.feed("van", each)
            files["device"].write_bytes(fleet.export(["van"])[0])
            files["portable"].write_bytes(fleet.export(["van"], portable=True)[0])
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", files["store"])
    if source == "store":
        shutil.copyfile(files["store"], tmp_path / "golden.fencepost")
        opened = Fleet(Zones(), name="golden", store=tmp_path, order=order)
    else:
        opened = Fleet(zones, order=order)
        opened.load({"van": files[source].read_bytes()}, adapt=source == "portable")
    with opened as fleet:  # an exported device has no pending events
        check_order(fleet, order, pending=source == "store")


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


AGL = AltitudeBand(0, 120, reference="ground")
"""The band of the golden files. The last fix, at 100 s, opens a candidate by its height."""


@pytest.mark.parametrize("source", ["store", "snapshot"])
def test_a_monitor_with_bands(source: str, tmp_path: Path) -> None:
    files = {"store": GOLDEN / "store-3-height.fencepost", "snapshot": GOLDEN / "snapshot-3-height.bin"}
    policy = TransitionPolicy(vertical_margin=15)
    if WRITES and source == "store":
        (tmp_path / "new").mkdir()
        with Monitor(name="golden", store=tmp_path / "new") as monitor:
            monitor.add(Circle(52.5, 13.4, radius=1000), "low", policy=policy, band=AGL, tag=7)
            for second, altitude in ((0, 60), (100, 175)):
                monitor.feed(
                    Fix(52.5, 13.4, time=second * 1_000_000, altitude=altitude, geoid_height=40, ground_height=35)
                )
            files["snapshot"].write_bytes(monitor.snapshot())
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", files["store"])
    if source == "store":
        shutil.copyfile(files["store"], tmp_path / "golden.fencepost")
        opened = Monitor(name="golden", store=tmp_path)
    else:
        opened = Monitor.restore(files["snapshot"].read_bytes())
    with opened as monitor:
        record = monitor.record("low")
        assert record is not None and record.band == AGL and record.policy == policy
        explained = monitor.explain("low")
        assert explained.reason is Reason.DWELLING and explained.vertical_distance == 20
        # A condition that comes later looks back at the height of the last fix.
        monitor.add(Circle(52.5, 13.4, radius=1000), "sea", band=AltitudeBand(max=140, reference="mean_sea_level"))
        monitor.advance(120_000_000)
        found = [(each.identifier, str(each.state), each.vertical_distance) for each in monitor.events()]
        assert found == [("low", "satisfied", -25), ("sea", "satisfied", -5), ("low", "unsatisfied", 20)]


@pytest.mark.parametrize("source", ["store", "snapshot", "device", "portable"])
def test_a_fleet_with_bands(source: str, tmp_path: Path) -> None:
    names = {"store": "fleet-4-height.fencepost", "snapshot": "fleet-4-height.bin"}
    names |= {"device": "device-4-height.bin", "portable": "device-5-height.bin"}
    files = {key: GOLDEN / name for key, name in names.items()}
    zones = Zones()
    zones.add(Circle(52.5, 13.4, radius=1000), "low", policy=TransitionPolicy(vertical_margin=15), band=AGL, tag=7)
    if WRITES and source == "store":
        (tmp_path / "new").mkdir()
        with Fleet(zones, name="golden", store=tmp_path / "new") as fleet:
            for second, altitude in ((0, 60), (100, 175)):
                at = second * 1_000_000
                fleet.feed("drone", Fix(52.5, 13.4, time=at, altitude=altitude, geoid_height=40, ground_height=35))
                list(fleet.events()) if second == 0 else None
            files["snapshot"].write_bytes(fleet.snapshot())
            files["device"].write_bytes(fleet.export(["drone"])[0])
            files["portable"].write_bytes(fleet.export(["drone"], portable=True)[0])
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", files["store"])
    if source == "store":
        shutil.copyfile(files["store"], tmp_path / "golden.fencepost")
        opened = Fleet(zones, name="golden", store=tmp_path)
    elif source == "snapshot":
        opened = Fleet.restore(files["snapshot"].read_bytes())
    else:
        opened = Fleet(zones)
        opened.load({"drone": files[source].read_bytes()}, adapt=source == "portable")
    with opened as fleet:
        held = fleet.conditions["low"]
        assert held.band == AGL and held.policy.vertical_margin == 15
        explained = fleet["drone"].explain("low")
        assert explained.reason is Reason.DWELLING and explained.vertical_distance == 20
        fleet.advance(120_000_000)
        found = [(each.identifier, str(each.state), each.vertical_distance) for each in fleet.events()]
        assert found == [("low", "unsatisfied", 20)]


@pytest.mark.parametrize("source", ["store", "snapshot"])
def test_a_monitor_with_rules(source: str, tmp_path: Path) -> None:
    files = {"store": GOLDEN / "store-3-rules.fencepost", "snapshot": GOLDEN / "snapshot-3-rules.bin"}
    plain = {"entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0}
    silent = TransitionPolicy(**plain, entry_dwell=0, exit_dwell=0, notify=Notify(0))
    waiting = TransitionPolicy(**plain, entry_dwell=20, exit_dwell=20)
    rules = {"both": Rule.all("home", "work"), "one": Rule.at_least(1, "home", "later"), "no": Rule.none("one")}
    if WRITES and source == "store":
        (tmp_path / "new").mkdir()
        with Monitor(name="golden", store=tmp_path / "new") as monitor:
            for name, radius in (("home", 100), ("work", 1000)):
                monitor.add(Circle(52.5, 13.4, radius=radius), name, policy=silent)
            for name, rule in rules.items():
                monitor.add(rule, name, policy=waiting, tag=7)
            # At 100 s the device leaves "home": the change of "both" waits until 120 s.
            monitor.feed(Fix(52.5, 13.4, time=0))
            monitor.feed(Fix(52.505, 13.4, time=100_000_000))
            monitor.add(Circle(52.5, 13.4, radius=50), "later", policy=silent)
            files["snapshot"].write_bytes(monitor.snapshot())
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", files["store"])
    if source == "store":
        shutil.copyfile(files["store"], tmp_path / "golden.fencepost")
        opened = Monitor(name="golden", store=tmp_path)
    else:
        opened = Monitor.restore(files["snapshot"].read_bytes())
    with opened as monitor:
        for name, rule in rules.items():
            record = monitor.record(name)
            assert record is not None and record.condition == rule and record.tag == 7
        explained = monitor.explain("both")
        assert explained.reason is Reason.DWELLING and explained.deadline_us == 120_000_000
        monitor.advance(200_000_000)
        found = [
            (each.identifier, str(each.state), each.date_us // 1_000_000, each.decided_by) for each in monitor.events()
        ]
        assert found == [
            ("both", "satisfied", 0, 2),
            ("one", "satisfied", 0, 1),
            ("no", "unsatisfied", 0, 4),
            ("one", "unsatisfied", 100, 6),
            ("no", "satisfied", 100, 4),
            ("both", "unsatisfied", 120, 1),
        ]


def hours_of_fleet() -> Zones:
    zones = Zones()
    zones.add(Circle(52.5, 13.4, radius=100), "home", policy="exact", timing=HOURS, tag=7)
    zones.add(
        Circle(52.5, 13.5, radius=100), "late", policy="exact", assuming="unknown", timing=Timing(absent_after=60)
    )
    return zones


@pytest.mark.parametrize("source", ["store", "snapshot", "device", "portable"])
def test_a_fleet_with_timings(source: str, tmp_path: Path) -> None:
    names = {"store": "fleet-4-timing.fencepost", "snapshot": "fleet-4-timing.bin"}
    names |= {"device": "device-4-timing.bin", "portable": "device-5-timing.bin"}
    files = {key: GOLDEN / name for key, name in names.items()}
    if WRITES and source == "store":
        (tmp_path / "new").mkdir()
        with Fleet(hours_of_fleet(), name="golden", store=tmp_path / "new") as fleet:
            for second in (0, 20, 45):
                fleet.feed("truck", fix(10, 200 if second == 0 else 5, second))
            list(fleet.events())
            files["snapshot"].write_bytes(fleet.snapshot())
            files["device"].write_bytes(fleet.export(["truck"])[0])
            files["portable"].write_bytes(fleet.export(["truck"], portable=True)[0])
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", files["store"])
    if source == "store":
        shutil.copyfile(files["store"], tmp_path / "golden.fencepost")
        opened = Fleet(hours_of_fleet(), name="golden", store=tmp_path)
    elif source == "snapshot":
        opened = Fleet.restore(files["snapshot"].read_bytes())
    else:
        opened = Fleet(hours_of_fleet())
        opened.load({"truck": files[source].read_bytes()}, adapt=source == "portable")
    with opened as fleet:
        assert fleet["truck"].next_deadline_us == 50_000_000
        fleet.advance(60_000_000, device="truck")
        assert fleet["truck"].explain("home").reason is Reason.INACTIVE
        fleet.feed("truck", fix(10, 5, 100))
        fleet.advance(900_000_000)
        found = [(event.identifier, str(event.cause), event.date_us // 1_000_000) for event in fleet.events()]
        # The event at 20 s was handled before; the sixth event exhausts the condition.
        assert found == [
            ("home", "determination", 100),
            ("home", "repeat", 130),
            ("home", "repeat", 160),
            ("home", "repeat", 190),
            ("home", "repeat", 220),
        ]
        assert str(fleet["truck"].state("late")) == "unsatisfied"


def add_rules(zones: Zones) -> None:
    """Adds rules in the states that a device keeps: one waits for its dwell, one is satisfied, and one was reported
    as unsatisfied, which is not the assumed state."""
    slow = TransitionPolicy(entry_dwell=20, exit_dwell=40, entry_margin=0, exit_margin=0, accuracy_factor=0)
    zones.add(Rule.any("home", "other"), "slow", policy=slow, assuming="unsatisfied", tag=9)
    zones.add(Rule.none("home", "other"), "away", policy="exact", assuming="unsatisfied")
    zones.add(Rule.all("home", "missing"), "told", policy="exact", assuming="unknown")
    zones.add(Circle(52.5, 13.4, radius=100), "home", policy="exact", assuming="unsatisfied")
    zones.add(Circle(52.5, 13.5, radius=100), "other", policy="exact", assuming="unsatisfied")


@pytest.mark.parametrize("source", ["store", "snapshot", "device", "portable"])
def test_a_fleet_with_rules(source: str, tmp_path: Path) -> None:
    names = {"store": "fleet-4-rule.fencepost", "snapshot": "fleet-4-rule.bin"}
    names |= {"device": "device-4-rule.bin", "portable": "device-5-rule.bin"}
    files = {key: GOLDEN / name for key, name in names.items()}
    zones = Zones()
    add_rules(zones)
    if WRITES and source == "store":
        (tmp_path / "new").mkdir()
        with Fleet(zones, name="golden", store=tmp_path / "new") as fleet:
            fleet.feed("van", fix(10, 5, 0))
            fleet.feed("van", fix(3000, 5, 30))
            list(fleet.events())
            files["snapshot"].write_bytes(fleet.snapshot())
            files["device"].write_bytes(fleet.export(["van"])[0])
            files["portable"].write_bytes(fleet.export(["van"], portable=True)[0])
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", files["store"])
    if source == "store":
        shutil.copyfile(files["store"], tmp_path / "golden.fencepost")
        opened = Fleet(Zones(), name="golden", store=tmp_path)
    elif source == "snapshot":
        opened = Fleet.restore(files["snapshot"].read_bytes())
    else:
        opened = Fleet(zones)
        opened.load({"van": files[source].read_bytes()})
    with opened as fleet:
        assert fleet.conditions["slow"].condition == Rule.any("home", "other") and fleet.conditions["slow"].tag == 9
        assert [presence.identifier for presence in fleet["van"].inside()] == ["slow", "away"]
        assert fleet["van"].explain("slow").reason is Reason.DWELLING
        fleet.advance(100_000_000)
        found = [(each.identifier, str(each.state), each.date_us, each.decided_by) for each in fleet.events()]
        assert found == [("slow", "unsatisfied", 70_000_000, 4)]
        fleet.feed("van", fix(10, 5, 101))
        found = [(each.identifier, str(each.state), each.date_us, each.decided_by) for each in fleet.events()]
        assert found == [("home", "satisfied", 101_000_000, None), ("away", "unsatisfied", 101_000_000, 4)]
