"""Tests the monitor: conditions, inputs, and queries of its state."""

from __future__ import annotations

import gc
import weakref
from array import array
from datetime import timedelta
from uuid import UUID as Uuid

import numpy
import pytest
from conftest import EXACT, HOME, SECOND, UUID

from fencepost import (
    FIX_RECORD,
    Beacon,
    BeaconSighting,
    Cause,
    Circle,
    Delivery,
    Diagnostics,
    DwellPolicy,
    Event,
    Fix,
    Monitor,
    Notify,
    State,
    TransitionPolicy,
    geodesic,
)
from fencepost.errors import InvalidArgumentError, InvalidNameError
from fencepost.types import FeedResult, Reason


def away(metres: float, time_us: int, accuracy: float = 0) -> Fix:
    """Returns a fix that lies the given number of metres east of home."""
    place = geodesic.direct(52.5, 13.4, 90, metres)
    return Fix(place.latitude, place.longitude, accuracy, time=time_us)


def test_names() -> None:
    assert Monitor().name is None
    assert Monitor("my_monitor_7").name == "my_monitor_7"
    for name in ("", "with space", "ü", "x" * 65, "a-b"):
        with pytest.raises(InvalidNameError):
            Monitor(name=name)
    with pytest.raises(TypeError):
        Monitor(7)  # type: ignore[arg-type]


def test_a_circle_from_outside_to_inside_and_back() -> None:
    monitor = Monitor()
    monitor.add(HOME, "home", policy=EXACT, tag=2**64 - 1)
    seen: list[Event] = []
    for second, metres in enumerate((500, 50, 500)):
        monitor.feed(away(metres, second * SECOND))
        seen += monitor.events()
    assert [(event.sequence, event.state, event.cause, event.date_us) for event in seen] == [
        (1, State.UNSATISFIED, Cause.DETERMINATION, 0),
        (2, State.SATISFIED, Cause.CROSSING, SECOND),
        (3, State.UNSATISFIED, Cause.CROSSING, 2 * SECOND),
    ]
    assert [event.boundary_distance for event in seen] == pytest.approx([400, -50, 400], abs=1e-6)
    assert {event.tag for event in seen} == {2**64 - 1}
    assert {event.generation for event in seen} == {1}
    assert all(event.evidence_date == event.date for event in seen)


def test_the_standard_policy_waits_for_the_dwell() -> None:
    monitor = Monitor()
    monitor.add(HOME, "home", assuming=State.UNSATISFIED)
    monitor.feed(away(500, 0))
    monitor.feed(away(30, SECOND))
    assert monitor.explain("home").reason is Reason.DWELLING
    assert monitor.poll() == []
    monitor.advance(21 * SECOND)
    (event,) = monitor.poll()
    assert (event.state, event.date_us, event.evidence_date_us) == ("satisfied", 21 * SECOND, SECOND)


def test_records_follow_commits() -> None:
    monitor = Monitor()
    monitor.add(HOME, "home", assuming="satisfied", policy=EXACT, tag=7)
    record = monitor.record("home")
    assert record is not None
    assert (record.identifier, record.condition, record.policy, record.tag) == ("home", HOME, EXACT, 7)
    first = record.last_event
    assert (first.sequence, first.state, first.cause, first.date) == (0, State.SATISFIED, Cause.NONE, None)
    monitor.feed(away(500, 0))
    event = monitor.next_event()
    assert event is not None and event.state is State.UNSATISFIED
    assert monitor.record("home").last_event == first
    monitor.acknowledge()
    assert monitor.record("home").last_event == event
    assert monitor.record("nobody") is None


def test_identifiers_and_containers() -> None:
    monitor = Monitor()
    for name in ("b", "a", "ü", "日本"):
        monitor.add(HOME, name)
    monitor.add(HOME, "b")
    assert monitor.identifiers == ["a", "ü", "日本", "b"] == list(monitor)
    assert len(monitor) == 4 and "ü" in monitor
    assert "c" not in monitor and "" not in monitor and 7 not in monitor and "x" * 300 not in monitor
    assert [record.identifier for record in monitor.records()] == monitor.identifiers
    assert monitor.remove("a") is True and monitor.remove("a") is False
    assert monitor.identifiers == ["ü", "日本", "b"]
    assert bool(Monitor())


def test_ensure_leaves_an_equal_condition_alone() -> None:
    monitor = Monitor()
    assert monitor.ensure(HOME, "home") is True
    assert monitor.ensure(Circle(52.5 + 5e-8, 13.4, 100.4), "home", assuming="satisfied") is False
    assert monitor.ensure(HOME, "home", tag=1) is True
    assert monitor.ensure(Circle(52.5, 13.4, 101), "home", tag=1) is True
    assert monitor.ensure(Beacon(UUID), "home", tag=1) is True
    assert monitor.ensure(Beacon(UUID), "home", tag=1) is False
    assert monitor.record("home").generation == 4


def test_columns_of_circles() -> None:
    monitor = Monitor()
    monitor.add_many(
        (f"c{index}" for index in range(3)),
        numpy.array([52.5, 52.6, 52.7]),
        array("d", [13.4, 13.5, 13.6]),
        [100, 200, 300],
        policy=EXACT,
        tag=numpy.array([1, 2, 3], dtype="u8"),
    )
    assert [(r.condition.radius, r.tag, r.policy == EXACT) for r in monitor.records()] == [
        (100, 1, True),
        (200, 2, True),
        (300, 3, True),
    ]


def test_columns_are_all_or_nothing() -> None:
    monitor = Monitor()
    with pytest.raises(InvalidArgumentError) as caught:
        monitor.add_many(["a", "b", "c"], [0, 0, 91], [0, 0, 0], [1, 1, 1])
    assert caught.value.position == 2 and len(monitor) == 0
    for columns in (([0], [0, 0], [1, 1]), ([0, 0], [0, 0], [1, 1, 1])):
        with pytest.raises(InvalidArgumentError, match="rows.*2"):
            monitor.add_many(["a", "b"], *columns)
    with pytest.raises(TypeError, match="radius.*row 0"):
        monitor.add_many(["a"], [0], [0], ["wide"])
    with pytest.raises(TypeError, match="identifier"):
        monitor.add_many("ab", [0, 0], [0, 0], [1, 1])
    with pytest.raises(TypeError):
        monitor.add_many(["a", 7], [0, 0], [0, 0], [1, 1])  # type: ignore[list-item]
    monitor.add_many([], [], [], [])
    assert len(monitor) == 0


def test_strided_and_narrow_columns_are_converted() -> None:
    monitor = Monitor()
    table = numpy.array([[52.5, 13.5, 100.0], [52.75, 13.75, 200.0]])
    monitor.add_many(["a", "b"], table[:, 0], table[:, 1], table[:, 2].astype("f4"))
    assert [r.condition for r in monitor.records()] == [Circle(*row) for row in table.tolist()]


def test_policies_come_back_as_they_went_in() -> None:
    policy = TransitionPolicy(
        entry_dwell=0.000001,
        exit_dwell=1e9,
        entry_margin=1.5,
        exit_margin=2.5,
        exit_margin_limit=3.5,
        accuracy_factor=0.25,
        dwell_policy=DwellPolicy.EVIDENCE,
        notify=Notify.ENTRY,
    )
    certain = TransitionPolicy(accuracy_factor=0, entry_probability=0.99999, exit_probability=0.00001)
    monitor = Monitor()
    monitor.add(HOME, "home", policy=certain)
    assert (
        monitor.record("home").policy
        == certain
        == TransitionPolicy.from_dict({"accuracy_factor": 0, "entry_probability": 0.99999, "exit_probability": 0.00001})
    )
    monitor.add(HOME, "home", policy=policy)
    assert monitor.record("home").policy == policy
    monitor.add(HOME, "home", policy=TransitionPolicy(entry_dwell=timedelta(seconds=2)))  # type: ignore[arg-type]
    assert monitor.record("home").policy.entry_dwell == 2


def test_presets_are_those_of_the_semantics_page() -> None:
    standard = TransitionPolicy.standard()
    assert standard == TransitionPolicy() == TransitionPolicy.named("standard")
    assert (standard.entry_dwell, standard.exit_margin, standard.accuracy_factor) == (20, 20, 1)
    assert EXACT.entry_dwell == EXACT.exit_margin == EXACT.accuracy_factor == 0
    core = TransitionPolicy.core_location()
    assert (core.exit_margin, core.exit_margin_limit, core.entry_margin) == (60, 200, 20)


def test_beacons_refinement_and_absence() -> None:
    monitor = Monitor()
    monitor.add(Beacon(UUID, major=1), "desk")
    monitor.feed_sightings([BeaconSighting(UUID, 1, 9, rssi=-80), BeaconSighting(Uuid(UUID), 1, 7, rssi=-60)], time=0)
    (event,) = monitor.events()
    assert event.state is State.SATISFIED and event.refinement == Beacon(UUID, 1, 7)
    assert event.latitude is None and event.boundary_distance is None
    monitor.feed_sightings(time=29 * SECOND)
    assert monitor.poll() == []
    monitor.advance(30 * SECOND)
    (event,) = monitor.events()
    assert (event.state, event.cause, event.date_us) == (State.UNSATISFIED, Cause.TIMEOUT, 30 * SECOND)
    monitor.feed_sightings(BeaconSighting(UUID, 2, 1), time=31 * SECOND)
    assert monitor.poll() == []


def test_scanning_off_makes_beacons_undetermined() -> None:
    monitor = Monitor()
    monitor.add(Beacon(UUID), "desk")
    monitor.set_scanning(False, time=0)
    monitor.advance(100 * SECOND)
    assert monitor.poll() == [] and monitor.explain("desk").reason is Reason.SCANNER_OFF
    monitor.set_scanning(True, time=100 * SECOND)
    monitor.advance(130 * SECOND)
    assert [event.cause for event in monitor.events()] == [Cause.TIMEOUT]


def test_host_capabilities() -> None:
    monitor = Monitor()
    monitor.add(HOME, "home", policy=EXACT)
    flags = Diagnostics.ACCURACY_LIMITED | Diagnostics.AUTHORIZATION_DENIED
    monitor.set_host(flags, time=0)
    (event,) = monitor.events()
    assert (event.cause, event.diagnostics) == (Cause.DIAGNOSTIC, flags)
    assert monitor.explain("home").reason is Reason.SUSPENDED
    assert "authorization_denied|accuracy_limited" in str(monitor.explain("home"))
    monitor.set_host(unsupported=[Circle], time=SECOND)
    (event,) = monitor.events()
    assert (event.state, event.diagnostics) == (State.UNMONITORED, Diagnostics.CONDITION_UNSUPPORTED)
    with pytest.raises(InvalidArgumentError):
        monitor.set_host(Diagnostics.CONDITION_UNSUPPORTED, time=SECOND)
    with pytest.raises(TypeError):
        monitor.set_host(unsupported=[int], time=SECOND)  # type: ignore[list-item]


def test_the_core_location_preset() -> None:
    monitor = Monitor.core_location()
    for index in range(21):
        monitor.add(HOME, f"c{index}", policy=EXACT)
    (event,) = monitor.events()
    assert (event.identifier, event.state) == ("c20", State.UNMONITORED)
    for time, metres in enumerate((50, 500, 50, 500)):
        monitor.feed(away(metres, time * SECOND))
    assert [event.state for event in monitor.events() if event.identifier == "c0"] == ["satisfied", "unsatisfied"]
    assert Monitor.core_location(condition_limit=None).core_location().name is None


@pytest.mark.parametrize(
    ("delivery", "states"),
    [
        ("every", ["unsatisfied", "satisfied", "unsatisfied", "satisfied"]),
        (Delivery.FIRST, ["unsatisfied", "satisfied"]),
        (Delivery.LATEST, ["satisfied"]),
    ],
)
def test_delivery_modes(delivery: Delivery, states: list[str]) -> None:
    monitor = Monitor(delivery=delivery)
    monitor.add(HOME, "home", policy=EXACT)
    for time, metres in enumerate((500, 50, 500, 50)):
        monitor.feed(away(metres, time * SECOND))
    assert [event.state for event in monitor.events()] == states


def test_buffers_of_records() -> None:
    fixes = [away(500, 0), away(50, SECOND), Fix(0, 200, time=SECOND), away(50, 0), Fix(0, 0, -1, time=2 * SECOND)]
    rows = b"".join(FIX_RECORD.pack(fix.latitude, fix.longitude, fix.accuracy, fix.time_us) for fix in fixes)
    dtype = [("latitude", "f8"), ("longitude", "f8"), ("accuracy", "f8"), ("time_us", "i8")]
    logs = []
    for source in (
        iter(fixes),
        rows,
        bytearray(rows),
        memoryview(b"x" + rows)[1:],
        numpy.frombuffer(rows, dtype),
        numpy.frombuffer(rows, "u1"),
    ):
        monitor = Monitor()
        monitor.add(HOME, "home", policy=EXACT)
        assert monitor.feed_many(source) == FeedResult(accepted=2, invalid=2, late=1)
        logs.append([event.to_json() for event in monitor.events()])
    assert len(logs[0]) == 2 and all(log == logs[0] for log in logs)


def test_buffers_of_another_layout_are_refused() -> None:
    monitor = Monitor()
    for wrong in (b"x" * 33, numpy.zeros((4, 4)), numpy.zeros((4, 8))[:, ::2]):
        with pytest.raises((InvalidArgumentError, BufferError, ValueError)):
            monitor.feed_many(wrong)
    with pytest.raises(TypeError):
        monitor.feed_many(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="fixes.*row 0"):
        monitor.feed_many([(1, 2, 3, 4)])  # type: ignore[list-item]
    assert monitor.feed_many([]) == monitor.feed_many(b"") == FeedResult(0, 0, 0)
    assert monitor.clock is None


def test_the_latest_fix_decides_what_is_added() -> None:
    monitor = Monitor(initial_fix_max_age=10)
    monitor.feed(away(50, 0))
    monitor.advance(10 * SECOND)
    monitor.add(HOME, "in time")
    monitor.advance(10 * SECOND + 1)
    monitor.add(HOME, "too late")
    assert [event.identifier for event in monitor.events()] == ["in time"]


def test_statistics_and_repr() -> None:
    monitor = Monitor("m")
    monitor.add(HOME, "home")
    monitor.feed_many([away(0, SECOND), away(0, 0), Fix(91, 0, time=SECOND)])
    monitor.feed_sightings(time=SECOND)
    counters = monitor.statistics()
    assert (counters.accepted_fixes, counters.late_inputs, counters.invalid_fixes) == (1, 1, 1)
    assert (counters.accepted_sightings, counters.pending_events, counters.condition_count) == (1, 1, 1)
    assert counters.clock == monitor.clock and counters.clock_us == SECOND
    assert repr(monitor) == "<fencepost.Monitor 'm', 1 conditions, 1 pending events, clock 1970-01-01 00:00:01 UTC>"
    assert repr(Monitor()) == "<fencepost.Monitor 0 conditions, 0 pending events, clock unset>"


def test_explanations_carry_numbers() -> None:
    monitor = Monitor()
    monitor.add(HOME, "home")
    monitor.feed(away(50, 0, accuracy=5))
    found = monitor.explain("home")
    assert (found.identifier, found.reason, found.observed) == ("home", Reason.INSIDE, State.SATISFIED)
    assert found.boundary_distance == pytest.approx(-50, abs=1e-6) and found.accuracy == 5
    assert (found.entry_margin, found.exit_margin) == (20, 20)
    assert found.metres_to_decide == pytest.approx(70, abs=1e-6)
    assert found.deadline is None and found.candidate_start is None and found.last_sighting is None
    assert str(found).startswith("home: inside, observed satisfied, last fix 50.0 m inside the boundary")


def test_a_monitor_is_released() -> None:
    monitor = Monitor()
    events = monitor.events()
    watch = weakref.ref(monitor)
    del monitor
    gc.collect()
    assert watch() is not None  # the iterator keeps the monitor alive
    del events
    gc.collect()
    assert watch() is None


def test_a_mapping_of_identifiers_to_records() -> None:
    from collections.abc import Mapping

    monitor = Monitor()
    monitor.add_many(["a", "b", "c"], [0, 0, 0], [0, 1, 2], [100, 200, 300])
    assert isinstance(monitor, Mapping)
    assert list(monitor) == list(monitor.keys()) == ["a", "b", "c"]
    assert [record.condition.radius for record in monitor.values()] == [100, 200, 300]
    assert dict(monitor) == dict(monitor.items()) == {record.identifier: record for record in monitor.records()}
    assert ("a", monitor["a"]) in monitor.items()
    assert {**monitor}.keys() == monitor.keys()
    assert monitor.get("b") == monitor["b"]
    assert monitor.get("nothing") is None
    assert monitor.get("nothing", 5) == 5
    del monitor["b"]
    assert "b" not in monitor
    assert len(monitor) == len(monitor.items()) == 2
    with pytest.raises(KeyError, match="nothing"):
        del monitor["nothing"]
    # A monitor equals only itself, and is always truthy, even without conditions.
    assert monitor != monitor.fork()
    assert len({monitor, monitor.fork()}) == 2
    assert Monitor()


def test_what_a_state_can_be_assumed_to_be_is_named() -> None:
    with pytest.raises(InvalidArgumentError, match="'unmonitored'"):
        Monitor().add(Circle(0, 0, 100), "home", assuming="unmonitored")


def test_the_range_of_what_may_wait_is_named() -> None:
    for most in (0, -1, 10**9 + 1):
        with pytest.raises(InvalidArgumentError, match="max_pending_events.*1.*1000000000"):
            Monitor(max_pending_events=most)
