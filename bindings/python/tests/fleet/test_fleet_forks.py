"""Tests forks of fleets."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost import Circle, Fix, Fleet, Zones
from fencepost.errors import UnsupportedError

SECOND = 1_000_000


def test_a_fork_continues_by_itself() -> None:
    fleet = Fleet({"home": Circle(0, 0, 100)}, policy="exact", path="geodesic", max_gap=60)
    fleet.feed("a", Fix(0, 0, time=0))
    first = fleet.next_event()
    fork = fleet.fork()
    assert fork.conditions is fleet.conditions and fork.next_event() == first
    fork.feed("a", Fix(0, 1, time=SECOND))
    fork.feed("b", Fix(0, 0, time=SECOND))
    assert list(fleet) == ["a"] and fleet["a"].clock_us == 0 and fleet.next_event() is None
    assert [event.device for event in fork.events()] == ["a", "b"]
    fleet.feed("a", Fix(0, 1, time=2 * SECOND))
    assert [event.date_us for event in fleet.events()] != []
    fleet.conditions.add(Circle(0, 1, 100), "work", policy="exact")
    fork.feed("b", Fix(0, 1, time=90 * SECOND))
    assert "work" in [event.identifier for event in fork.events()]


def test_a_fork_of_a_stored_fleet_is_in_memory(tmp_path: Path) -> None:
    with Fleet({"home": Circle(0, 0, 100)}, policy="exact", store=tmp_path, name="cars") as fleet:
        fleet.feed("a", Fix(0, 0, time=0))
        fork = fleet.fork()
        fork.feed("only in the fork", Fix(0, 0, time=0))
    fork.feed("a", Fix(0, 1, time=SECOND))
    with Fleet(Zones(), store=tmp_path, name="cars") as again:
        assert list(again) == ["a"] and len(list(again.events())) == 1


def test_a_fleet_with_threads_has_no_forks() -> None:
    with pytest.raises(UnsupportedError):
        Fleet(Zones(), threads=2).fork()
