"""A fork starts in the state that the monitor would have after a crash, and is then independent of the monitor."""

from __future__ import annotations

import gc
import threading

from conftest import HOME, SECOND, UUID

from fencepost import Beacon, BeaconSighting, Circle, Fix, Monitor, State


def entered(name: str | None = None, count: int = 3) -> Monitor:
    """Returns a monitor whose conditions a, b, c ... have just become satisfied."""
    monitor = Monitor(name)
    for index in range(count):
        monitor.add(HOME, "abcdefgh"[index])
    monitor.feed(Fix(52.5, 13.4, 5, time=0))
    return monitor


def test_hands_out_again_what_was_not_committed() -> None:
    monitor = entered()
    committed, pending = monitor.next_event(), monitor.next_event()
    fork = monitor.fork()
    assert fork.record("a").last_event == committed
    assert fork.record("b").last_event.sequence == 0
    again = fork.poll()
    assert again[0] == pending
    assert [event.sequence for event in again] == [2, 3]
    # The original monitor's event is still in flight; reading the original monitor's next event commits it.
    assert monitor.next_event().sequence == 3
    assert monitor.record("b").last_event == pending


def test_a_batch_in_flight_is_handed_out_again_whole_and_in_order() -> None:
    monitor = entered(count=5)
    batch = monitor.poll(3)
    fork = monitor.fork()
    assert fork.poll(2) == batch[:2]
    assert [event.sequence for event in fork.poll(2)] == [3, 4]
    assert [event.sequence for event in fork.events()] == [5]


def test_what_was_removed_does_not_come_again() -> None:
    monitor = entered()
    monitor.poll(2)
    fork = monitor.fork()
    fork.remove("a")
    assert [event.identifier for event in fork.events()] == ["b", "c"]
    assert monitor.identifiers == ["a", "b", "c"]


def test_continues_independently() -> None:
    monitor = entered()
    fork = monitor.fork()
    monitor.remove("a")
    monitor.add(HOME, "d")
    fork.add(Beacon(UUID), "beacon")
    fork.feed_sightings([BeaconSighting(UUID, 1, 7)], time=5 * SECOND)
    assert monitor.identifiers == ["b", "c", "d"]
    assert fork.identifiers == ["a", "b", "c", "beacon"]
    assert (monitor.clock_us, fork.clock_us) == (0, 5 * SECOND)
    assert monitor.statistics().accepted_sightings == 0
    assert [event.identifier for event in monitor.poll()] == ["b", "c", "d"]
    assert [event.identifier for event in fork.poll()] == ["a", "b", "c", "beacon"]


def test_candidates_and_absence_go_on_in_both() -> None:
    monitor = entered(count=1)
    monitor.add(Beacon(UUID), "beacon", assuming=State.SATISFIED)
    monitor.poll()
    monitor.feed(Fix(52.502, 13.4, 5, time=10 * SECOND))
    forks = [monitor.fork(), monitor.fork().fork()]
    forks[0].feed(Fix(52.5, 13.4, 5, time=20 * SECOND))  # this fix cancels the candidate of this fork only
    logs = []
    for each in (monitor, *forks):
        each.advance(60 * SECOND)
        logs.append([(event.identifier, event.date_us) for event in each.poll() if event.date_us > 0])
    absent, left = ("beacon", 30 * SECOND), ("a", 30 * SECOND)
    assert logs == [[left, absent], [absent], [left, absent]]


def test_keeps_name_and_options() -> None:
    monitor = Monitor("commute", condition_limit=1, delivery="latest")
    fork = monitor.fork()
    assert fork.name == "commute"
    for name in ("a", "b"):
        fork.add(HOME, name)
    assert [event.state for event in fork.events()] == [State.UNMONITORED]
    assert len(monitor) == 0


def test_outlives_its_origin() -> None:
    monitor = entered()
    fork = monitor.fork()
    del monitor
    gc.collect()
    assert [event.identifier for event in fork.events()] == ["a", "b", "c"]


def test_origin_and_fork_are_used_from_two_threads() -> None:
    monitor = Monitor()
    for index in range(2_000):
        monitor.add(Circle(52.5, 13.4 + index * 0.01, 100), str(index))
    forks = [monitor.fork() for _ in range(3)]
    fixes = [Fix(52.5, 13.4 + index * 0.01, 5, time=index * SECOND) for index in range(2_000)]
    counts: dict[int, int] = {}

    def drive(number: int, each: Monitor) -> None:
        each.feed_many(fixes)
        each.remove("0")
        counts[number] = sum(len(batch) for batch in iter(each.poll, []))

    threads = [threading.Thread(target=drive, args=pair) for pair in enumerate((monitor, *forks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(set(counts.values())) == 1
    assert len(counts) == 4
