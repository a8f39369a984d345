"""Tests a watch while its store fails: the watch acknowledges and delivers nothing, and recovers without a restart."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import SECOND, mentions
from full_disk import FullDisk
from test_watch_fleet import EXACT, FleetWatched
from watching import START, notices_to

from fencepost import Circle, Fix, Fleet, Monitor, Zones
from fencepost._live import handling, loop
from fencepost._live.messages import DeviceFix
from fencepost._live.metrics import counters_of
from fencepost._live.signals import Signals
from fencepost._live.sources import Source
from fencepost._live.watched_monitor import Watch
from fencepost.errors import StoreUnavailableError
from fencepost.types import StoreStatus


def test_while_the_store_fails_nothing_is_confirmed_or_handed_on(tmp_path: Path) -> None:
    with Fleet(Zones(), store=tmp_path, name="fleet") as fleet:
        watched = FleetWatched(fleet, policy=EXACT)
        watched.feed("a", 0)
        watched.watch.keep()
        assert watched.watch.is_kept and len(watched.seen) == 1
        with FullDisk():
            watched.feed("a", 1, 0.01)
            watched.watch.keep()
            assert not watched.watch.is_kept, "no message is confirmed"
            assert len(watched.seen) == 1 and not watched.watch.is_done, "the event waits"
            assert any(mentions(line, "store … cannot") for line in watched.said), "said at once"
            assert counters_of(watched.watch, lambda: 0, 0.0)["store_failing"] == 1
            watched.pass_time(30)
            assert len(watched.seen) == 1
        pause = watched.watch.pause()
        assert pause is not None and pause <= 10, "it is tried again though nothing comes"
        watched.pass_time(10)
        assert watched.watch.is_kept and watched.reported[1:] == [("a", "unsatisfied", 2)]
        assert counters_of(watched.watch, lambda: 0, 0.0)["store_failing"] == 0
        assert sum(mentions(line, "store … again") for line in watched.said) == 1


class Batch(Source):
    """A stand-in for a source that delivers three fixes of a device at once; each fix produces an event."""

    def __init__(self) -> None:
        self.descriptor, writer = os.pipe()
        os.close(writer)
        self.name, self.retry_at, self.has_more = "batch", None, False
        self.is_read, self.confirmed = False, 0

    def read(self) -> Iterator[Any] | None:
        if self.is_read:
            return None
        self.is_read = True
        return iter(
            (f"message {second}", DeviceFix("a", (0.0, 0.01 * (second % 2), 5.0, (START + second) * SECOND)))
            for second in range(3)
        )

    def rest(self) -> Iterator[Any]:
        return iter(())

    def taken(self, count: int) -> None:
        self.confirmed += count


def test_a_batch_that_comes_while_the_store_fails_waits_and_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an earlier version, a bug made the loop run without a pause and without ever retrying the store."""
    monkeypatch.setattr(handling, "BETWEEN_SAVES", 0.2)
    source, turns = Batch(), 0
    with Fleet(Zones(), store=tmp_path, name="fleet") as fleet, Signals() as signals:
        watched = FleetWatched(fleet, policy=EXACT, ahead=None)
        watched.watch._monotonic = time.monotonic
        disk = FullDisk()
        disk.__enter__()

        def beat() -> float:
            nonlocal turns
            turns += 1
            if turns == 20:
                assert source.confirmed == 0 and watched.seen == []
                disk.__exit__()
            if turns == 2_000:  # the loop pauses often, so it needs minutes to reach this turn
                signals.stops = 1
            return 0.1

        try:
            loop.watch([source], watched.watch, signals, watched.notices, beat=beat)
        finally:
            disk.__exit__()
            source.close()
    assert source.confirmed == 3, (turns, watched.said, watched.reported)
    assert [state for _, state, _ in watched.reported] == ["satisfied", "unsatisfied", "satisfied"]


class Outside(Batch):
    """A stand-in for a source that delivers a fix outside all zones, which causes no event."""

    def __init__(self, fleet: Fleet) -> None:
        super().__init__()
        self.fleet, self.kept = fleet, list[bool]()

    def read(self) -> Iterator[Any] | None:
        if self.is_read:
            return None
        self.is_read = True
        return iter([("a message", DeviceFix("a", (10.0, 10.0, 5.0, START * SECOND)))])

    def taken(self, count: int) -> None:
        super().taken(count)
        self.kept.append(self.fleet.statistics().all_kept)


def test_a_message_without_an_event_is_confirmed_when_it_is_saved(tmp_path: Path) -> None:
    """Otherwise a crash would lose a message that the broker does not deliver again."""
    with Fleet(Zones(), store=tmp_path, name="fleet") as fleet, Signals() as signals:
        source, watched = Outside(fleet), FleetWatched(fleet, policy=EXACT, ahead=None)
        loop.watch([source], watched.watch, signals, watched.notices)
        source.close()
        assert source.confirmed == 1 and source.kept == [True]


def test_an_event_whose_handing_out_cannot_be_kept_is_not_handed_on(tmp_path: Path) -> None:
    """If an event were delivered before it was saved, a different event could get the same sequence number after a
    crash."""
    with Fleet(Zones(), store=tmp_path, name="fleet") as fleet:
        watched = FleetWatched(fleet, policy=EXACT)
        watched.answer = False
        watched.feed("a", 0)
        watched.answer = True
        fleet.acknowledge()
        watched.watch._waiting = None
        fleet.feed("a", Fix(0.0, 0.01, 5.0, time=(START + 1) * SECOND))
        with FullDisk():
            watched.pass_time(0)
            assert len(watched.seen) == 1 and fleet.statistics().store is StoreStatus.FAILING
        watched.pass_time(10)
        assert watched.reported[1:] == [("a", "unsatisfied", 2)]


def test_a_store_that_is_gone_ends_the_watch(tmp_path: Path) -> None:
    """The store's file can no longer be written, so nothing could ever be acknowledged or delivered again."""
    fleet = Fleet(Zones(), store=tmp_path, name="fleet")
    watched = FleetWatched(fleet, policy=EXACT)
    watched.feed("a", 0)
    for file in tmp_path.iterdir():
        file.unlink()
    with pytest.raises(StoreUnavailableError, match="deleted"):
        watched.feed("a", 1, 0.01)
    assert len(watched.seen) == 1
    with pytest.raises(StoreUnavailableError, match="deleted"):
        fleet.close()


def test_a_monitor_is_watched_by_the_same_rule(tmp_path: Path) -> None:
    seen: list[int] = []
    now = [0.0]

    def handle(event: object) -> bool:
        seen.append(1)
        return True

    with Monitor("m", store=tmp_path) as monitor:
        monitor.add(Circle(0, 0, 200), "office", policy=EXACT, assuming="unsatisfied")
        watch = Watch(
            monitor,
            handle,
            notices_to(lambda line: None, lambda: now[0]),
            monotonic=lambda: now[0],
            wall=lambda: START + now[0],
        )
        with FullDisk():
            assert watch.feed((0.0, 0.0, 5.0, START * 1_000_000))
            watch.keep()
            watch.handle_events()
            assert seen == [] and not watch.is_kept
        now[0] += 10
        watch.pass_time()
        watch.handle_events()
        assert watch.is_kept and seen


def test_a_device_whose_clock_is_far_behind_is_not_forgotten_while_it_reports() -> None:
    """Tests a tracker whose clock is 1,024 weeks behind."""
    behind = -1024 * 7 * 86_400
    watched = FleetWatched(policy=EXACT, expire=86_400.0)
    for hour in range(30):
        watched.feed("tracker", behind + hour * 3600, 0.0 if hour else 0.01)
        watched.pass_time(3600)
    assert "tracker" in watched.watch.devices
    assert [sequence for _, _, sequence in watched.reported] == [1]
    watched.pass_time(2 * 86_400)
    assert "tracker" not in watched.watch.devices


def test_a_clock_that_is_set_makes_no_device_look_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without a battery-backed clock starts in 1970 and gets the true time later."""
    watched = FleetWatched(policy=EXACT, expire=86_400.0, ahead=None)
    watched.feed("a", 0)
    monkeypatch.setattr(watched.watch, "_wall", lambda: watched.wall() + 50 * 365 * 86_400)
    watched.pass_time(3601)
    assert "a" in watched.watch.devices
    watched.pass_time(86_400)
    assert "a" not in watched.watch.devices


@pytest.mark.parametrize("metres", [0.0, 50.0])
def test_an_accuracy_of_zero_is_one_that_is_not_known(metres: float) -> None:
    watched = FleetWatched(unknown_accuracy=metres)
    fix = (0.0, 0.0, 0.0, START * 1_000_000)
    watched.watch.feed(DeviceFix("a", fix))
    watched.pass_time()
    assert watched.watch.counts["unknown_accuracies"] == 1
    assert watched.seen[0].event.accuracy == metres
