"""Tests persistent fleets: copies, stores, and snapshots."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SECOND
from fleets import alone, columns, names, walks, zones_of

from fencepost import Circle, DeviceEvent, Fix, Fleet, Monitor, Zones
from fencepost.errors import (
    InvalidArgumentError,
    MonitorClosedError,
    MonitorInUseError,
    SnapshotInvalidError,
    TableMismatchError,
)
from fencepost.types import StoreStatus


def test_a_pickled_fleet_continues() -> None:
    zones, rows = zones_of(), walks()
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    fleet, found = Fleet(zones, beacon_exit_timeout=5), []
    for start in range(0, len(rows), 150):
        part = rows[start : start + 150]
        fleet.feed_many(device=names(part), **columns(part))
        fleet = pickle.loads(pickle.dumps(fleet)) if start % 300 else copy.deepcopy(fleet)  # including waiting events
        found += [(event.device, super(DeviceEvent, event).to_json()) for event in fleet.events()]
    assert found == expected and len(fleet) == 7
    fleet.advance(10_000 * SECOND)
    fleet.poll(100)
    assert pickle.loads(pickle.dumps(fleet)).clock == fleet.clock
    assert fleet.conditions.version == zones.version


def test_a_fleet_that_lasts(memory_path: Path) -> None:
    zones, rows = zones_of(), walks()
    expected = [(device, text) for device, _, text in alone(zones, rows)]
    found: list[tuple[str, str]] = []
    for start in range(0, len(rows), 100):
        with Fleet(zones if start == 0 else Zones(), store=memory_path, name="trucks") as fleet:
            assert fleet.statistics().store is StoreStatus.KEPT and len(fleet.conditions) == len(zones)
            part = rows[start : start + 100]
            fleet.feed_many(device=names(part), **columns(part))
            if start % 200:
                fleet.checkpoint()
            found += [(event.device, super(DeviceEvent, event).to_json()) for event in fleet.events()]
    assert found == expected and sum(fleet[device].statistics().input_count for device in fleet) > 500
    assert fleet.closed
    calls: list[Callable[[], Any]] = [
        lambda: fleet.feed("a", Fix(0, 0, time=0)),
        lambda: fleet.feed_many(device="a", latitude=[0], longitude=[0], time=[0]),
        lambda: fleet.feed_sightings("a", time=0),
        lambda: fleet.set_scanning("a", True, time=0),
        lambda: fleet.advance(1 << 50),
    ]
    for call in calls:
        with pytest.raises(MonitorClosedError):
            call()
    with Fleet(Zones(), store=memory_path, name="trucks"), pytest.raises(MonitorInUseError):
        Fleet(Zones(), store=memory_path, name="trucks")
    with pytest.raises(InvalidArgumentError, match="name"):
        Fleet(Zones(), store=memory_path)
    with pytest.raises(InvalidArgumentError, match="store"):
        Fleet(Zones(), name="trucks")
    other = Zones()
    other.add(Circle(1, 1, 100), "another beginning")
    with pytest.raises(TableMismatchError):
        Fleet(other, store=memory_path, name="trucks")


def test_all_is_kept_after_a_checkpoint(tmp_path: Path) -> None:
    zones = zones_of(3)
    with Fleet(zones, store=tmp_path, name="trucks") as fleet:
        fleet.feed("a", Fix(0, 0, time=0))
        fleet.feed("a", Fix(0, 1e-5, time=1))  # the device moves, but this causes no event
        assert fleet.statistics().store is StoreStatus.KEPT and fleet.statistics().all_kept is False
        fleet.checkpoint()
        assert fleet.statistics().all_kept is True
    for in_memory in (Fleet(zones), Fleet(zones, threads=2)):
        in_memory.checkpoint()
        assert in_memory.statistics().store is StoreStatus.NONE and in_memory.statistics().all_kept is False


def test_any_bytes_may_be_restored() -> None:
    fleet = Fleet(zones_of(3))
    fleet.feed("a", Fix(0, 0, time=0))
    whole = fleet.snapshot()
    assert Fleet.restore(whole).snapshot() == whole and Fleet.restore(bytearray(whole)).devices == ["a"]
    for damaged in (b"", whole[:-1], whole + b"x", Zones().snapshot(), Monitor().snapshot()):
        with pytest.raises(SnapshotInvalidError):
            Fleet.restore(damaged)
    for kind in (Zones, Monitor):
        with pytest.raises(SnapshotInvalidError):
            kind.restore(whole)  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        Fleet.restore("text")  # type: ignore[arg-type]
