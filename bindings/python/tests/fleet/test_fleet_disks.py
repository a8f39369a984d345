"""Tests how a fleet continues while its store cannot be written."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from full_disk import FullDisk

from fencepost import Circle, Durability, Fix, Fleet, Zones
from fencepost.errors import StoreUnavailableError
from fencepost.types import StoreStatus


def zones() -> Zones:
    table = Zones()
    table.add(Circle(0, 0, 100), "depot", policy="exact")
    return table


def feed(fleet: Fleet, device: str, second: int, latitude: float = 0.0) -> None:
    fleet.feed(device, Fix(latitude, 0, time=second * 1_000_000))


def counts(fleet: Fleet) -> dict[str, int]:
    return {device: fleet[device].statistics().input_count for device in fleet}


@pytest.mark.parametrize("durability", list(Durability))
def test_a_fleet_continues_while_the_disk_is_full(tmp_path: Path, durability: Durability) -> None:
    with Fleet(zones(), store=tmp_path, name="trucks", durability=durability) as fleet:
        feed(fleet, "a", 1)
        fleet.checkpoint()
        with FullDisk():
            for second in range(2, 40):
                feed(fleet, f"d{second}", second)
                if second % 10 == 0:
                    with pytest.raises(StoreUnavailableError):
                        fleet.checkpoint()
                    assert not fleet.statistics().all_kept
            # While the store fails, change the table, remove a device and deliver events.
            fleet.conditions.add(Circle(0, 0, 500), "town", policy="exact")
            feed(fleet, "a", 50)
            assert sum(1 for _ in fleet.events()) == 40
            del fleet["d2"]
            assert fleet.statistics().store is StoreStatus.FAILING and not fleet.statistics().all_kept
        # No call requests a save in the following loop: event time alone triggers the next attempt.
        for minute in range(2, 66):
            feed(fleet, "a", minute * 60)
        assert fleet.statistics().store is StoreStatus.KEPT
        fleet.checkpoint()
        assert fleet.statistics().all_kept
        expected = counts(fleet)
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        for path in tmp_path.glob("trucks.fencepost*"):
            (crashed / path.name).write_bytes(path.read_bytes())
        with Fleet(Zones(), store=crashed, name="trucks") as again:
            assert counts(again) == expected and "d2" not in again and len(again.conditions) == 2


def test_nothing_is_kept_of_a_store_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailableError), Fleet(zones(), store=tmp_path, name="trucks") as fleet:
        feed(fleet, "a", 1)
        fleet.checkpoint()
        assert fleet.statistics().all_kept
        for path in tmp_path.iterdir():
            path.unlink()
        feed(fleet, "a", 2)
        with pytest.raises(StoreUnavailableError, match="moved, deleted"):
            fleet.checkpoint()
        assert fleet.statistics().store is StoreStatus.GONE and not fleet.statistics().all_kept
        # Create another fleet that uses the name of the lost file.
        Fleet(Zones(), store=tmp_path, name="trucks").close()
        other = (tmp_path / "trucks.fencepost").read_bytes()
        feed(fleet, "a", 3, 1.0)
        with pytest.raises(StoreUnavailableError):
            fleet.checkpoint()
        assert not fleet.statistics().all_kept and (tmp_path / "trucks.fencepost").read_bytes() == other
    assert (tmp_path / "trucks.fencepost").read_bytes() == other


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser writes everywhere")
def test_a_directory_that_can_only_be_read(tmp_path: Path) -> None:
    with Fleet(zones(), store=tmp_path, name="trucks") as fleet:
        feed(fleet, "a", 1)
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        fleet = Fleet(Zones(), store=tmp_path, name="trucks")
        assert fleet.statistics().store is StoreStatus.FAILING and not fleet.statistics().all_kept
        feed(fleet, "a", 2)
        with pytest.raises(StoreUnavailableError):
            fleet.checkpoint()
    finally:
        tmp_path.chmod(stat.S_IRWXU)
    fleet.checkpoint()
    assert fleet.statistics().all_kept and counts(fleet) == {"a": 2}
    fleet.close()


def test_an_export_counts_the_events_that_wait(tmp_path: Path) -> None:
    fleet = Fleet(zones())
    for second in range(4):
        feed(fleet, "a", second, 0.0 if second % 2 == 0 else 1.0)
    [first] = fleet.poll(1)  # this event is in flight: it already has a sequence number
    moved = Fleet(zones())
    moved.load({"a": fleet.export(["a"])[0]})
    feed(moved, "a", 9)
    here = [first.sequence] + [event.sequence for event in fleet.events()]
    there = [event.sequence for event in moved.events()]
    assert here == [1, 2, 3, 4] and there == [5]
