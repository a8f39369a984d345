"""Tests a monitor with a path: the events between two fixes, and the evidence that these events state."""

from __future__ import annotations

import json
import pickle
import random
import threading
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import EXACT, SECOND, UUID, mentions

from fencepost import (
    Beacon,
    Circle,
    Corridor,
    DevicePath,
    Event,
    EvidenceSource,
    Fix,
    Monitor,
    Polygon,
    State,
    TransitionPolicy,
    Zones,
    geodesic,
)
from fencepost.errors import InvalidArgumentError, LateInputError, QueueFullError, SnapshotInvalidError
from fencepost.types import EventList, Reason

# One metre along the equator, in degrees: the radius of the ellipsoid is 6,378,137 m.
METRE = 180 / 3.141592653589793 / 6_378_137
Brief = list[tuple[str, str, float]]


def monitor(max_gap: float | timedelta = 600, **options: Any) -> Monitor:
    return Monitor(path="geodesic", max_gap=max_gap, **options)


def circle(radius: float, east: float = 0, north: float = 0) -> Circle:
    return Circle(north * METRE, east * METRE, radius)


def at(seconds: float, east: float, accuracy: float = 0, latitude: float = 0) -> Fix:
    """Returns a fix on the equator, at a distance in metres east of the origin."""
    return Fix(latitude, east * METRE, accuracy, time=round(seconds * SECOND))


def briefly(events: list[Event]) -> Brief:
    return [(event.identifier, str(event.state), (event.date_us or 0) / SECOND) for event in events]


def test_driving_through_between_two_fixes() -> None:
    both = monitor(), Monitor()
    for each in both:
        each.add(circle(100), "c", policy=EXACT)
        each.feed(at(0, -500, 4))
        each.feed(at(50, 500, 5))
    events, plain = both[0].poll(), both[1].poll()
    assert briefly(plain) == [("c", "unsatisfied", 0)]
    assert briefly(events)[0] == briefly(plain)[0]
    entry, leave = events[1:]
    assert (entry.state, leave.state) == (State.SATISFIED, State.UNSATISFIED)
    assert entry.date_us == pytest.approx(20 * SECOND, abs=1) and leave.date_us == pytest.approx(30 * SECOND, abs=1)
    for event, longitude in ((entry, -100 * METRE), (leave, 100 * METRE)):
        assert event.evidence is EvidenceSource.PATH and event.is_on_path and not event.follows_gap
        assert event.evidence_date_us == event.date_us and event.accuracy == 5
        assert event.point == pytest.approx((0, longitude), abs=1e-9)
        assert abs(event.boundary_distance or 1) < 1e-4
    assert events[0].evidence is EvidenceSource.FIX and events[0].point == (0, -500 * METRE)
    counters = both[0].statistics()
    assert (counters.accepted_fixes, counters.input_count) == (2, 2), "interpolated fixes are not counted as inputs"
    both[0].acknowledge()
    assert both[0]["c"].last_event == leave, "and its record says where it is from"


def test_a_dwell_counts_from_the_crossing() -> None:
    one = monitor()
    one.add(circle(300), "c", policy="standard")
    one.feed(at(0, -1000, 5))
    one.feed(at(200, 1000, 5))
    # The device is 20 m (the margin) inside the boundary at 72 s, and 20 m outside at 132 s; each dwell ends 20 s
    # later.
    assert [(state, round(date, 5)) for _, state, date in briefly(one.poll())] == [
        ("unsatisfied", 0), ("satisfied", 92), ("unsatisfied", 152),
    ]  # fmt: skip


def test_a_dwell_that_is_too_short_and_a_graze_are_nothing() -> None:
    one = monitor()
    one.add(circle(300), "short", assuming="unsatisfied")
    one.add(circle(100, north=90), "graze", assuming="unsatisfied")
    one.feed(at(0, -1000, 5))
    one.feed(at(20, 1000, 5))
    assert one.poll() == []


def test_what_is_known_of_an_open_dwell() -> None:
    one = monitor()
    one.add(circle(300), "c", assuming="unsatisfied")
    one.feed(at(0, -1000, 5))
    one.feed(at(80, -200, 5))
    found = one.explain("c")
    assert found.reason is Reason.DWELLING and found.candidate_start_us == pytest.approx(72 * SECOND, abs=2)
    one.advance(92 * SECOND + 1)
    (event,) = one.poll()
    assert event.is_on_path and event.evidence_date_us == found.candidate_start_us, "the point that opened it"


@pytest.mark.parametrize("options", [{"max_gap": 49.999999}, {"max_gap": 600, "max_speed": 19.99}])
def test_gaps_are_as_fixes_and_the_next_event_says_so(options: dict[str, Any]) -> None:
    one = monitor(**options)
    one.add(circle(100), "c", policy=EXACT)
    one.feed(at(0, -500))
    one.feed(at(50, 500))
    assert briefly(one.poll()) == [("c", "unsatisfied", 0)]
    one.feed(at(90, 0))
    one.feed(at(130, 500))
    entry, leave = one.poll()
    assert (entry.follows_gap, leave.follows_gap) == (True, False)
    assert entry.is_on_path and mentions(repr(entry), "path … gap")
    assert json.loads(entry.to_json())["gap"] is True and "gap" not in json.loads(leave.to_json())
    assert json.loads(leave.to_json())["evidence"] == "path"


def test_just_within_the_limits() -> None:
    one = monitor(max_gap=50, max_speed=20.0001)
    one.add(circle(100), "c", assuming="unsatisfied", policy=EXACT)
    one.feed(at(0, -500))
    one.feed(at(50, 500))
    assert [event.follows_gap for event in one.poll()] == [False, False]


def test_polygons_and_corridors() -> None:
    """The path leaves one arm of a U-shaped polygon, crosses a corridor, and enters the other arm. Both ends of the
    path are outside the corridor."""
    ring = [(-0.01, -0.01), (0.01, -0.01), (0.01, -0.002), (-0.005, -0.002), (-0.005, 0.002), (0.01, 0.002),
            (0.01, 0.01), (-0.01, 0.01)]  # fmt: skip
    one = monitor()
    one.add(Polygon(ring, order="latlon", edges="geodesic"), "u", policy=EXACT)
    road = Corridor([(-0.01, 0), (0.01, 0)], order="latlon", radius=50, edges="geodesic")
    one.add(road, "road", assuming="unsatisfied", policy=EXACT)
    one.feed(Fix(0, -0.004, time=0))
    one.feed(Fix(0, 0.004, time=80 * SECOND))
    half = 50 * METRE / 0.008 * 80
    expected = [("u", "satisfied", 0), ("u", "unsatisfied", 20), ("road", "satisfied", 40 - half),
                ("road", "unsatisfied", 40 + half), ("u", "satisfied", 60)]  # fmt: skip
    found = briefly(one.poll())
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in expected], abs=1e-4)


def test_across_the_antimeridian_and_a_pole() -> None:
    one = monitor(max_gap=timedelta(hours=20))
    one.add(Circle(0, 180, 1000), "line", assuming="unsatisfied", policy=EXACT)
    one.add(Circle(90, 0, 1000), "pole", assuming="unsatisfied", policy=EXACT)
    one.feed(Fix(0, 179.9, time=0))
    one.feed(Fix(0, -179.9, time=200 * SECOND))
    entry, leave = one.poll()
    assert (entry.date_us or 0) + (leave.date_us or 0) == pytest.approx(200 * SECOND, abs=2)
    assert (entry.longitude or 0) == pytest.approx(180 - 1000 * METRE, abs=1e-7)
    assert (leave.longitude or 0) == pytest.approx(-180 + 1000 * METRE, abs=1e-7)
    one.feed(Fix(89.9, 20, time=1000 * SECOND))
    one.feed(Fix(89.9, -160, time=1200 * SECOND))
    assert [(event.identifier, str(event.state)) for event in one.poll()] == [
        ("pole", "satisfied"), ("pole", "unsatisfied"),
    ]  # fmt: skip


def test_events_are_those_of_fixes_laid_on_the_way() -> None:
    """Tests the rule for paths in random worlds: a path must give the same events as fixes that are fed every 0.2 s
    along the path. Each of these fixes has the larger of the accuracy radii at the two ends of the path."""
    chance = random.Random(20)
    reported = 0
    for _ in range(8):
        both = monitor(max_gap=120, max_speed=60), Monitor(initial_fix_max_age=None)
        for number in range(6):
            policy = chance.choice(["exact", "standard", TransitionPolicy(entry_dwell=3, exit_dwell=0, entry_margin=0)])
            place = circle(chance.uniform(30, 400), chance.uniform(-800, 800), chance.uniform(-800, 800))
            for each in both:
                each.add(place, f"c{number}", policy=policy)
        track, time = [], 0.0
        for _ in range(12):
            east, north = (chance.uniform(-900, 900) * METRE for _ in range(2))
            track.append(Fix(north, east, chance.choice([0, 5.0, 30.0]), time=round(time * SECOND)))
            time += chance.choice([0, 25, 60, 60, 130])
        last: Fix | None = None
        for fix in track:
            both[0].feed(fix)
            for laid in [] if last is None else laid_between(last, fix):
                both[1].feed(laid)
            both[1].feed(fix)
            last = fix
        found, expected = briefly(both[0].poll()), briefly(both[1].poll())
        assert [row[:2] for row in found] == [row[:2] for row in expected]
        assert [row[2] for row in found] == pytest.approx([row[2] for row in expected], abs=0.201)
        reported += len(found)
    assert reported > 100


def laid_between(start: Fix, end: Fix) -> list[Fix]:
    """Returns fixes along the path from one fix to the next; the list is empty if the path between the two is a gap."""
    way = geodesic.inverse(start.latitude, start.longitude, end.latitude, end.longitude)
    duration = end.time_us - start.time_us
    if not 0 < duration <= 120 * SECOND or way.distance > 60 * duration / SECOND:
        return []
    accuracy, step, laid = max(start.accuracy, end.accuracy), SECOND // 5, []
    for time in range(step, duration + 1, step):
        place = geodesic.direct(start.latitude, start.longitude, way.azimuth1, way.distance * time / duration)
        laid.append(Fix(place.latitude, place.longitude, accuracy, time=start.time_us + time))
    return laid


def test_columns_are_as_single_fixes() -> None:
    chance = random.Random(7)
    rows = [(chance.uniform(-900, 900) * METRE, chance.uniform(-900, 900) * METRE, 30 * second * SECOND)
            for second in range(200)]  # fmt: skip
    both = monitor(), monitor()
    for each in both:
        longitudes = [n * 80 * METRE - 0.007 for n in range(20)]
        each.add_many([f"c{n}" for n in range(20)], [0.0] * 20, longitudes, [60.0] * 20, policy=EXACT)
    for latitude, longitude, time in rows:
        both[0].feed(Fix(latitude, longitude, time=time))
    latitudes, longitudes, times = map(list, zip(*rows))
    both[1].feed_many(latitude=latitudes, longitude=longitudes, time=times)
    events = both[0].poll()
    assert events == both[1].poll() and sum(event.is_on_path for event in events) > 100
    assert both[0].fork().statistics() == both[0].statistics()


# ---------------------------------------------------------------------------------------------- tables


@pytest.fixture
def events() -> EventList:
    one = monitor(max_gap=60)
    one.add(circle(100), "c", policy=EXACT)
    for fix in (at(0, -500), at(50, 500), at(150, -500), at(200, 500)):
        one.feed(fix)
    found = one.poll()
    assert len(found) == 5
    return found


def test_tables_say_where_an_event_is_from(events: EventList) -> None:
    columns = events.columns()
    assert columns["evidence"] == ["fix", "path", "path", "path", "path"]
    assert columns["gap"] == [False, False, False, True, False]
    assert columns["direction"] == [None] * 5, "no gates"
    pandas = pytest.importorskip("pandas")
    frame = events.to_pandas()
    assert frame["gap"].dtype == bool and frame["evidence"].tolist() == columns["evidence"]
    assert str(frame["evidence_date"].dtype) == "datetime64[us, UTC]"
    assert [pandas.Timestamp(time).value // 1000 for time in frame["evidence_date"]] == [
        event.evidence_date_us for event in events
    ]


def test_arrow_says_it_too(events: EventList) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(events.to_arrow())
    assert table.schema.field("gap").type == pyarrow.bool_()
    assert table.column("evidence").to_pylist() == events.columns()["evidence"]
    assert table.column("gap").to_pylist() == events.columns()["gap"]


def test_events_travel(events: EventList) -> None:
    assert pickle.loads(pickle.dumps(events)) == events and pickle.loads(pickle.dumps(events[3])) == events[3]
    for event in events:
        values = json.loads(event.to_json())
        assert values.get("evidence", "fix") == event.evidence and values.get("gap", False) is event.follows_gap
    assert events[1] != events[1].__class__(
        **{name: getattr(events[1], name) for name in FIELDS} | {"is_on_path": False}
    )


FIELDS = Event.__dataclass_fields__


def test_snapshots_pickles_and_stores_go_on(tmp_path: Path) -> None:
    with Monitor("m", store=tmp_path, path=DevicePath.GEODESIC, max_gap=60) as one:
        one.add(circle(100), "c", assuming="unsatisfied", policy=EXACT)
        one.feed(at(0, -500))
        one.feed(at(100, -490))
        copies = [Monitor.restore(one.snapshot()), one.fork(), pickle.loads(pickle.dumps(one))]
    copies.append(Monitor("m", store=tmp_path, path="geodesic", max_gap=60))
    texts = set()
    for copy in copies:
        copy.feed(at(150, 500))
        events = copy.poll()
        assert [(event.is_on_path, event.follows_gap) for event in events] == [(True, True), (True, False)]
        texts.add("".join(event.to_json() for event in events))
        copy.close()
    assert len(texts) == 1


# ---------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"path": "geodesic"}, "max_gap"),
        ({"path": "geodesic", "max_gap": None}, "max_gap"),
        ({"path": "geodesic", "max_gap": 0}, "max_gap … 0"),
        ({"path": "geodesic", "max_gap": 4e-7}, "max_gap … 4e-07 … 1e-6"),
        ({"path": "geodesic", "max_gap": -1}, "max_gap … -1 … 1e-6"),
        ({"path": "geodesic", "max_gap": 1e9 + 1}, "1e-6 … 1e9"),
        ({"path": "geodesic", "max_gap": float("nan")}, "max_gap nan"),
        ({"path": "geodesic", "max_gap": float("inf")}, "max_gap inf"),
        ({"path": "geodesic", "max_gap": 1, "max_speed": 0}, "max_speed … 0"),
        ({"path": "geodesic", "max_gap": 1, "max_speed": -0.0}, "max_speed is -0.0"),
        ({"path": "geodesic", "max_gap": 1, "max_speed": float("inf")}, "max_speed … inf"),
        ({"path": "geodesic", "max_gap": 1, "max_speed": float("nan")}, "max_speed … nan"),
        ({"max_gap": 1}, "max_gap … 1, … path … 'fixes'"),
        ({"path": "fixes", "max_speed": 1}, "max_speed … 1, … path … 'fixes'"),
        ({"path": "rhumb", "max_gap": 1}, "path 'rhumb' … fixes"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        Monitor(**options)
    assert mentions(caught.value, reason)


@pytest.mark.parametrize(
    "options", [{"path": None}, {"path": 1}, {"max_gap": "60"}, {"max_gap": True}, {"max_speed": "9"}]
)
def test_options_of_another_kind(options: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        Monitor(**{"path": "geodesic", "max_gap": 60} | options)


def test_options_as_others_are_given() -> None:
    for gap, speed in ((timedelta(minutes=1), 20.0001), (Decimal(60), Decimal("20.0001")), (60, 21)):
        one = monitor(gap, max_speed=speed)
        one.add(circle(100), "c", assuming="unsatisfied", policy=EXACT)
        one.feed(at(0, -500))
        one.feed(at(50, 500))
        assert len(one.poll()) == 2
    assert Monitor(path="geodesic", max_gap=1e9, max_speed=5e-324).poll() == []


def test_strange_inputs_break_nothing() -> None:
    """The inputs are: a fix without a position between other fixes, two fixes with the same time, late fixes, and a
    step halfway round the world in a microsecond."""
    one = monitor(max_gap=1e9)
    one.add(circle(100), "c", assuming="unsatisfied", policy=EXACT)
    one.add(Circle(-90, 0, 1e6), "south", assuming="unsatisfied", policy=EXACT)
    one.feed(at(0, -500))
    one.feed(Fix(0, 0, accuracy=-1, time=10 * SECOND))
    one.feed(at(50, 500))
    assert [event.date_us for event in one.poll()] == [pytest.approx(s * SECOND, abs=1) for s in (20, 30)]
    one.feed(at(50, -500))
    one.feed(at(50, 500))
    assert one.poll() == [], "no time passes between them"
    one.feed(Fix(-89.999, 90, time=50 * SECOND + 1))
    assert [event.identifier for event in one.poll()] == ["south"]
    one.feed(Fix(89.999, -90, time=50 * SECOND + 2))
    assert one.statistics().late_inputs == 0
    one.rewind(0)
    one.feed(Fix(0, 179.5, time=SECOND))
    one.feed(Fix(-0.4, -0.3, time=2 * SECOND))
    assert {str(event.state) for event in one.poll()} <= {"satisfied", "unsatisfied"}


# ---------------------------------------------------------------------------------------------- attacks


def test_a_full_queue_loses_nothing_of_a_way() -> None:
    """One path may produce more events than the limit of pending events. All these events are stored, and the next fix
    is refused."""
    one = monitor(max_pending_events=3)
    for number in range(50):
        one.add(circle(100, east=1000 * number), f"c{number}", assuming="unsatisfied", policy=EXACT)
    one.feed(at(0, -1000))
    one.feed(at(520, 51_000))
    with pytest.raises(QueueFullError):
        one.feed(at(521, 51_000))
    events = list(one.events())
    assert [event.identifier for event in events] == [f"c{number}" for number in range(50) for _ in range(2)]
    assert [event.date_us for event in events] == sorted(event.date_us or 0 for event in events)
    one.feed(at(521, 51_000))


@pytest.mark.parametrize(("delivery", "states"), [("first", ["satisfied", "unsatisfied"]), ("latest", [])])
def test_deliveries(delivery: str, states: list[str]) -> None:
    one = monitor(delivery=delivery)
    one.add(circle(100), "c", assuming="unsatisfied", policy=EXACT)
    one.feed(at(0, -500))
    one.feed(at(50, 500))
    assert [str(event.state) for event in one.events()] == states


def test_a_store_takes_the_path_that_it_is_opened_with(tmp_path: Path) -> None:
    """The next event reports a gap that no event has reported yet, even if the monitor no longer has a path: events may
    have been missed in the gap."""

    def opened(**options: Any) -> Monitor:
        return Monitor("m", store=tmp_path, **options)

    with opened(path="geodesic", max_gap=60) as one:
        one.add(circle(100), "c", assuming="unsatisfied", policy=EXACT)
        one.feed(at(0, -500))
    with opened() as one:
        one.feed(at(50, 500))
        assert one.poll() == []
    with opened(path="geodesic", max_gap=10) as one:
        one.feed(at(60, -500))
        assert [event.is_on_path for event in one.poll()] == [True, True]
        one.acknowledge()
        one.feed(at(71, -600))
    with opened() as one:
        one.feed(at(80, 0))
        (event,) = one.poll()
        assert (event.evidence, event.follows_gap) == (EvidenceSource.FIX, True)


def test_a_loop_that_fails_on_the_way_gets_the_same_again() -> None:
    one = monitor()
    one.add(circle(100), "c", assuming="unsatisfied", policy=EXACT)
    one.feed(at(0, -500))
    one.feed(at(50, 500))
    seen: list[Event] = []
    for event in one.events():
        seen.append(event)
        break
    again = list(one.events())
    assert again[0] == seen[0] and len(again) == 2 and one["c"].last_event == again[1]


def test_events_made_by_hand_say_what_they_can(events: EventList) -> None:
    """In JSON, members that should be bools but are not count as their truth value. The JSON of a beacon event says
    nothing about a path."""
    made = replace(events[0], is_on_path=2**80, follows_gap=[])
    assert json.loads(made.to_json())["evidence"] == "path" and "gap" not in json.loads(made.to_json())
    beacon = replace(events[1], refinement=Beacon(UUID, 1, 2), follows_gap=True)
    values = json.loads(beacon.to_json())
    assert values["refinement"]["minor"] == 2 and not {"evidence", "gap"} & set(values)
    without = replace(events[1], latitude=None)
    assert without.evidence is None and without.point is None


def test_a_table_of_fleets_is_not_made_of_a_monitor_with_a_path() -> None:
    """A table cannot store the path that a monitor's snapshot contains, so restoring the snapshot as a table would
    silently lose the path."""
    with pytest.raises(SnapshotInvalidError):
        Zones.restore(monitor().snapshot())


def test_threads_feed_and_take() -> None:
    one = monitor()
    one.add(circle(400), "c", assuming="unsatisfied", policy=EXACT)

    def feed(number: int) -> None:
        chance = random.Random(number)
        for _ in range(300):
            try:
                one.feed(Fix(0, chance.uniform(-0.01, 0.01), time=(one.clock_us or 0) + 1000))
            except LateInputError:
                pass  # another thread has fed a fix with a later time

    threads = [threading.Thread(target=feed, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    events: list[Event] = []
    while any(thread.is_alive() for thread in threads):
        events += one.events()
    events += one.events()
    assert [event.sequence for event in events] == list(range(1, len(events) + 1)) and len(events) > 100
    states = [str(event.state) for event in events]
    assert all(first != second for first, second in pairwise(states)), "one side after the other"
    assert [event.date_us for event in events] == sorted(event.date_us or 0 for event in events)


def test_a_sliver_is_entered_and_left_in_both_directions() -> None:
    """A leg at a small angle through a thin triangle, 3 km long and 20 cm wide, reports the same entry and exit in both
    directions, at each speed."""

    def moved(place: tuple[float, float], azimuth: float, distance: float) -> tuple[float, float]:
        end = geodesic.direct(*place, azimuth, distance)
        return end.latitude, end.longitude

    for latitude, azimuth in [(48.0, 70.0), (-12.0, 200.0), (89.9, 10.0), (0.0, 90.0)]:
        middle = (latitude, 179.99)
        ends = [moved(middle, azimuth + turn, 1500) for turn in (0, 180)]
        ring = [ends[0], moved(middle, azimuth + 90, 0.2), ends[1]]
        polygon = Polygon(ring, order="latlon", edges="geodesic")
        for angle in (1e-3, 1e-2, 0.1):
            target = moved(middle, azimuth + 90, 0.1)
            leg = [moved(target, azimuth + angle + turn, 2_500) for turn in (0, 180)]
            for seconds in (20, 1_000):
                lasts = []
                for start, end in (leg, leg[::-1]):
                    with Monitor(path="geodesic", max_gap=1e6) as monitor:
                        monitor.add(polygon, "c", policy="exact", assuming="unsatisfied")
                        monitor.feed(Fix(*start, time=0))
                        monitor.feed(Fix(*end, time=seconds * SECOND))
                        events = list(monitor.events())
                    assert [event.state for event in events] == [State.SATISFIED, State.UNSATISFIED], (latitude, angle)
                    first, last = (event.date for event in events)
                    assert first is not None and last is not None
                    lasts.append((last - first).total_seconds())
                assert lasts[0] == pytest.approx(lasts[1], abs=1e-3)
