"""Tests that bad input gives a clear error that names the cause, and changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from conftest import HOME, SECOND, UUID

from fencepost import Beacon, BeaconSighting, Circle, Fix, Monitor, TransitionPolicy, geodesic
from fencepost.errors import InvalidArgumentError, LateInputError, NotFoundError, QueueFullError
from fencepost.types import FeedResult


def snapshot(monitor: Monitor) -> tuple[object, ...]:
    return monitor.clock_us, monitor.records(), monitor.statistics().pending_events


@pytest.fixture
def monitor() -> Monitor:
    monitor = Monitor()
    monitor.add(HOME, "home", policy=TransitionPolicy.exact())
    monitor.feed(Fix(52.5, 13.4, time=SECOND))
    return monitor


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: m.add(Circle(91, 0, 10), "x"), "latitude"),
        (lambda m: m.add(Circle(math.nan, 0, 10), "x"), "latitude"),
        (lambda m: m.add(Circle(0, 180.5, 10), "x"), "longitude"),
        (lambda m: m.add(Circle(0, -math.inf, 10), "x"), "longitude"),
        (lambda m: m.add(Circle(0, 0, 0), "x"), "radius"),
        (lambda m: m.add(Circle(0, 0, -5), "x"), "radius"),
        (lambda m: m.add(Circle(0, 0, math.nan), "x"), "radius"),
        (lambda m: m.add(Circle(0, 0, math.inf), "x"), "radius"),
        (lambda m: m.add(HOME, ""), "identifier"),
        (lambda m: m.add(HOME, "x" * 257), "identifier"),
        (lambda m: m.add(HOME, "ü" * 129), "identifier"),
        (lambda m: m.add(HOME, "a\0b"), "identifier"),
        (lambda m: m.add(HOME, "\ud800"), "identifier"),
        (lambda m: m.remove(""), "identifier"),
        (lambda m: m.record("x" * 257), "identifier"),
        (lambda m: m.add(HOME, "x", assuming="unmonitored"), "assuming"),
        (lambda m: m.add(HOME, "x", assuming="inside"), "assuming"),
        (lambda m: m.add(HOME, "x", tag=-1), "tag"),
        (lambda m: m.add(HOME, "x", tag=1 << 64), "tag"),
        (lambda m: m.add(HOME, "x", policy=TransitionPolicy(entry_dwell=-1)), "entry.dwell"),
        (lambda m: m.add(HOME, "x", policy=TransitionPolicy(exit_dwell=math.nan)), "exit.dwell"),
        (lambda m: m.add(HOME, "x", policy=TransitionPolicy(exit_dwell=1e300)), "exit.dwell"),
        (lambda m: m.add(HOME, "x", policy=TransitionPolicy(entry_margin=math.inf)), "entry.margin"),
        (lambda m: m.add(HOME, "x", policy=TransitionPolicy(exit_margin=-1)), "exit.margin"),
        (lambda m: m.add(HOME, "x", policy=TransitionPolicy(accuracy_factor=math.nan)), "accuracy.factor"),
        (lambda m: m.add(Beacon("not a uuid"), "x"), "uuid|UUID"),
        (lambda m: m.add(Beacon(UUID.replace("-", "")), "x"), "uuid|UUID"),
        (lambda m: m.add(Beacon(UUID, 70000), "x"), "major"),
        (lambda m: m.add(Beacon(UUID, -1), "x"), "major"),
        (lambda m: m.add(Beacon(UUID, 1, 65536), "x"), "minor"),
        (lambda m: m.add(Beacon(UUID, None, 1), "x"), "major"),
        (lambda m: m.feed_sightings(BeaconSighting(UUID, 70000, 1), time=SECOND), "major"),
        (lambda m: m.feed_sightings(BeaconSighting(UUID, 1, 1, 1 << 40), time=SECOND), "rssi"),
        (lambda m: m.feed_sightings(time=1 << 62), "time"),
        (lambda m: Monitor(delivery="sometimes"), "delivery"),
        (lambda m: Monitor(condition_limit=0), "condition_limit"),
        (lambda m: Monitor(max_pending_events=0), "max.pending.events"),
        (lambda m: Monitor(max_pending_events=10**10), "max.pending.events"),
        (lambda m: Monitor(initial_fix_max_age=-1), "initial.fix.max.age"),
        (lambda m: Monitor(beacon_exit_timeout=0), "beacon.exit.timeout"),
        (lambda m: TransitionPolicy.named("strict"), "strict"),
        (lambda m: TransitionPolicy.from_dict({"enter_dwell": 5}), "enter_dwell"),
        (lambda m: TransitionPolicy.from_dict({"entry_dwell": "5"}), "entry.dwell"),
        (lambda m: TransitionPolicy.from_dict({"notify": "entry"}), "notify"),
        (lambda m: geodesic.inverse(0, 0, 91, 0), "latitude"),
        (lambda m: geodesic.direct(0, 0, math.nan, 1), "azimuth"),
        (lambda m: geodesic.direct(0, 0, 0, 1e10), "distance"),
        (lambda m: geodesic.inverse([0, 1], 0, [0, 1, 2], 0), "lengths"),
    ],
)
def test_values_out_of_range(monitor: Monitor, call: Callable[[Monitor], object], words: str) -> None:
    before = snapshot(monitor)
    with pytest.raises(InvalidArgumentError, match=words) as caught:
        call(monitor)
    assert "\n" not in str(caught.value)
    assert snapshot(monitor) == before


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.add("a circle", "x"),
        lambda m: m.add(Circle("52", 13, 100), "x"),
        lambda m: m.add(HOME, b"x"),
        lambda m: m.add(HOME, None),
        lambda m: m.add(HOME, "x", tag=1.5),
        lambda m: m.add(HOME, "x", tag=True),
        lambda m: m.add(Beacon(7), "x"),
        lambda m: m.add(Beacon(UUID, True), "x"),
        lambda m: m.add(Beacon(UUID, 1.5), "x"),
        lambda m: m.add(HOME, "x", policy=TransitionPolicy(entry_dwell="5")),
        lambda m: m.feed(Fix("52", 13, time=SECOND)),
        lambda m: m.feed(Fix(None, 13, time=SECOND)),
        lambda m: m.feed_sightings(["beacon"], time=SECOND),
        lambda m: m.explain(7),
        lambda m: Monitor(condition_limit=True),
        lambda m: geodesic.inverse("0", 0, 0, 0),
        lambda m: geodesic.inverse(None, 0, 0, 0),
    ],
)
def test_wrong_types(monitor: Monitor, call: Callable[[Monitor], object]) -> None:
    before = snapshot(monitor)
    with pytest.raises((TypeError, AttributeError)):
        call(monitor)
    assert snapshot(monitor) == before


@pytest.mark.parametrize(
    "place", [(math.nan, 0), (math.inf, 0), (91, 0), (-90.0001, 0), (0, 180.0001), (0, -math.inf), (0, math.nan)]
)
def test_coordinates_are_refused_and_counted(monitor: Monitor, place: tuple[float, float]) -> None:
    before = snapshot(monitor)
    # An invalid fix is refused whatever its time is.
    for time in (0, 2 * SECOND):
        with pytest.raises(InvalidArgumentError):
            monitor.feed(Fix(*place, time=time))
    assert monitor.feed_many([Fix(*place, time=2 * SECOND)]) == FeedResult(0, 1, 0)
    assert snapshot(monitor) == before
    counters = monitor.statistics()
    assert (counters.invalid_fixes, counters.late_inputs, counters.accepted_fixes) == (3, 0, 1)


@pytest.mark.parametrize("accuracy", [-1.0, math.nan, -math.inf])
def test_no_position_is_ignored_and_counted(monitor: Monitor, accuracy: float) -> None:
    before = snapshot(monitor)
    monitor.feed(Fix(0, 0, accuracy, time=2 * SECOND))
    assert snapshot(monitor) == before and monitor.statistics().invalid_fixes == 1


def test_late_inputs_of_all_kinds(monitor: Monitor) -> None:
    before = snapshot(monitor)
    for call in (
        lambda: monitor.feed(Fix(0, 0, time=SECOND - 1)),
        lambda: monitor.feed_sightings(time=SECOND - 1),
        lambda: monitor.set_scanning(False, time=SECOND - 1),
        lambda: monitor.set_host(time=SECOND - 1),
        lambda: monitor.advance(SECOND - 1),
    ):
        with pytest.raises(LateInputError):
            call()
    assert monitor.feed_many([Fix(0, 0, time=0)]) == FeedResult(0, 0, 1)
    assert snapshot(monitor) == before and monitor.statistics().late_inputs == 6


def test_unknown_identifiers(monitor: Monitor) -> None:
    assert monitor.remove("nobody") is False and monitor.record("nobody") is None and "nobody" not in monitor
    with pytest.raises(NotFoundError, match="nobody"):
        monitor.explain("nobody")


def test_a_full_queue_refuses_and_a_batch_stops_there() -> None:
    monitor = Monitor(max_pending_events=3)
    monitor.add(HOME, "home", policy=TransitionPolicy.exact())
    fixes = [Fix(52.5 + (second % 2), 13.4, time=second * SECOND) for second in range(10)]
    fixes.insert(1, Fix(91, 0, time=0))
    with pytest.raises(QueueFullError) as caught:
        monitor.feed_many(fixes)
    assert caught.value.position == 4 and caught.value.result == FeedResult(3, 1, 0)
    before = snapshot(monitor)
    for call in (
        lambda: monitor.feed(fixes[4]),
        lambda: monitor.advance(9 * SECOND),
        lambda: monitor.feed_sightings(time=9 * SECOND),
    ):
        with pytest.raises(QueueFullError):
            call()
    assert snapshot(monitor) == before
    log, rest = [], fixes[caught.value.position :]
    while rest:
        log += [event.sequence for event in monitor.events()]
        try:
            monitor.feed_many(rest)
            rest = []
        except QueueFullError as error:
            rest = rest[error.position :]
    log += [event.sequence for event in monitor.events()]
    assert log == list(range(1, 11))
