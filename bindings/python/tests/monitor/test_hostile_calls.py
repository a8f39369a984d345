"""Tests that monitors and values raise only documented exceptions when they get arguments that no signature allows."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import pytest
from conftest import UUID
from hostile import AWARE, CALLS, CIRCLE, FIX, SEED, Draw, undocumented

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    FencepostError,
    Fix,
    Monitor,
    Reorderer,
    RotationPlanner,
    SignificantChangeFilter,
    TransitionPolicy,
    best_fix,
    geodesic,
)

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

PAIR = np.array([1.0, 2.0])


class Caller(Draw):
    """Makes random calls one after another, with random values for the arguments."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.monitor = Monitor()

    def calls(self) -> dict[str, Callable[[], Any]]:
        one, few, or_good, monitor = self.any, self.few, self.or_good, self.monitor
        options = ("assuming", "policy", "tag")
        dwells = ("entry_dwell", "exit_dwell", "entry_margin", "exit_margin", "exit_margin_limit", "accuracy_factor",
                  "entry_probability", "exit_probability")  # fmt: skip
        timeouts = ("initial_fix_max_age", "beacon_exit_timeout", "beacon_initial_timeout", "checkpoint_interval")

        return {
            "Fix": lambda: Fix(one(), one(), one(), time=one(), **few("error_ellipse", often=0.2)),
            "feed": lambda: monitor.feed(one()),
            "feed of a Fix": lambda: monitor.feed(Fix(or_good(0.0), or_good(0.0), or_good(5.0), time=or_good(0))),
            "circle": lambda: Circle(or_good(0), or_good(0), or_good(9)),
            "contains": lambda: CIRCLE.contains(one(), one()),
            "beacon": lambda: Beacon(or_good(UUID), one(), one()),
            "sighting": lambda: BeaconSighting(or_good(UUID), one(), one(), one()),
            "parse": lambda: BeaconSighting.parse(one(), **few("rssi", "time", "company")),
            "policy": lambda: TransitionPolicy(**few(*dwells, "dwell_policy", "notify", often=0.2)),
            "named": lambda: TransitionPolicy.named(one()),
            "from_dict": lambda: TransitionPolicy.from_dict(or_good(few(*dwells, "notify")), **few("base", often=0.1)),
            "add": lambda: monitor.add(or_good(CIRCLE), or_good("a"), **few(*options)),
            "ensure": lambda: monitor.ensure(or_good(CIRCLE), or_good("a"), **few(*options)),
            "add_many": lambda: monitor.add_many(or_good(["a"]), or_good([0.0]), or_good([0.0]), or_good([1.0]),
                                                 **few(*options, "columns", often=0.2)),
            "ensure_many": lambda: monitor.ensure_many(one(), one(), one(), one(), **few(*options)),
            "sync": lambda: monitor.sync(one(), **few(*options, "columns", often=0.2)),
            "sync of a mapping": lambda: monitor.sync({"a": one(), "b": CIRCLE}, **few(*options)),
            "remove": lambda: monitor.remove(one()),
            "remove_many": lambda: monitor.remove_many(one()),
            "record": lambda: monitor.record(one()),
            "get": lambda: monitor.get(one()),
            "explain": lambda: monitor.explain(one()),
            "item": lambda: monitor[one()],
            "del": lambda: monitor.__delitem__(one()),
            "in": lambda: one() in monitor,
            "state": lambda: monitor.state(one()),
            "identifiers_in_state": lambda: monitor.identifiers_in_state(one()),
            "safe_distance": lambda: monitor.safe_distance(one(), one()),
            "feed_many": lambda: monitor.feed_many(one(), **few("on_invalid", "columns", often=0.1)),
            "columns": lambda: monitor.feed_many(latitude=or_good([0.0]), longitude=or_good([0.0]), time=or_good([0]),
                                                 **few("accuracy", "error_ellipse", "on_invalid", often=0.2)),
            "axes": lambda: monitor.feed_many(latitude=[0.0], longitude=[0.0], time=[0],
                                              error_ellipse=(or_good([2.0]), or_good([1.0]), or_good(0.0))),
            "feed_sightings": lambda: monitor.feed_sightings(self.random.choice([one(), [one()]]),
                                                             **few("time", often=0.9)),
            "scanning": lambda: monitor.set_scanning(one(), time=one()),
            "host": lambda: monitor.set_host(one(), **few("unsupported"), time=one()),
            "advance": lambda: monitor.advance(one()),
            "rewind": lambda: monitor.rewind(one()),
            "poll": lambda: monitor.poll(one()),
            "restore": lambda: Monitor.restore(one()),
            "monitor": lambda: Monitor(or_good("m"), **few(*timeouts, "delivery", "condition_limit", "durability",
                                                           "max_pending_events", "max_time_step", "store", often=0.1)),
            "planner": lambda: RotationPlanner(or_good(20), **few("margin", "maximum_radius")),
            "plan": lambda: RotationPlanner(20).plan(or_good(monitor), one(), one(), one()),
            "wakes": lambda: RotationPlanner(20).plan(monitor, 0, 0).wakes(one(), one()),
            "filter": lambda: SignificantChangeFilter(one(), one()),
            "accepts": lambda: SignificantChangeFilter().accepts(one()),
            "reorderer": lambda: Reorderer(one(), **few("limit")),
            "reorder": lambda: Reorderer(60).add(or_good(FIX), **few("time", "device")),
            "reorder_advance": lambda: Reorderer(60).advance(one()),
            "reorder_flush": lambda: Reorderer(60).flush(one()),
            "best_fix": lambda: best_fix(or_good([FIX]), one(), **few("speed", "maximum_age")),
            "inverse": lambda: geodesic.inverse(*(or_good(self.random.choice([1.0, PAIR])) for _ in range(4))),
            "direct": lambda: geodesic.direct(one(), one(), one(), one()),
        }  # fmt: skip


def test_only_documented_exceptions() -> None:
    caller = Caller(SEED)

    def calls(number: int) -> dict[str, Callable[[], Any]]:
        if number % 500 == 0:
            caller.monitor = Monitor()
            caller.monitor.add(CIRCLE, "home")
            caller.monitor.feed(FIX)
        return caller.calls()

    found = undocumented(caller, calls)
    assert not found, f"seed {SEED}: {len(found)} of {CALLS}, the first {found[0]}"


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: Monitor().feed((1, 2, 3)), TypeError, "fix.*Fix.*tuple"),
        (lambda: Monitor().feed_many([FIX, 5]), TypeError, "fixes, row 1.*Fix.*int"),
        (lambda: Monitor().feed_sightings([5], time=0), TypeError, "element 0.*BeaconSighting.*int"),
        (lambda: Monitor().add(CIRCLE, "a", policy=5), TypeError, ".*"),
        (lambda: Monitor().add(CIRCLE, "a", assuming=5), TypeError, "assuming .* .*"),
        (lambda: Monitor().add(CIRCLE, "a", tag="5"), TypeError, "tag"),
        (lambda: Monitor().advance(pd.NaT), FencepostError, "time is NaT"),
        (lambda: Fix(0, 0, time=np.datetime64("NaT", "us")), FencepostError, "time is NaT"),
        (lambda: Fix(10**400, 0, time=0), FencepostError, "latitude 1000.*double"),
        (lambda: Fix("1", 0, time=0), TypeError, "latitude"),
        (lambda: Fix(0, None, time=0), TypeError, "longitude .* NoneType"),
        (lambda: Fix(0, 0, np.ma.masked, time=0), TypeError, "accuracy .* MaskedConstant"),
        (lambda: Circle(91, 0, 5), FencepostError, "latitude .* 91"),
        (lambda: Circle(0, float("nan"), 5), FencepostError, "longitude .* nan"),
        (lambda: Circle(0, 0, radius=-1), FencepostError, "radius .* -1"),
        (lambda: TransitionPolicy(entry_dwell=-1), FencepostError, "entry_dwell .*-1 .*0 .*1e9 s"),
        (lambda: TransitionPolicy(exit_margin=60, exit_margin_limit=50), FencepostError, "exit_margin_limit 50 .* 60"),
        (lambda: TransitionPolicy(notify=7), TypeError, "notify.*Notify.*int"),  # type: ignore[arg-type]
        (lambda: RotationPlanner(5, margin=-1), FencepostError, "-1 .* 0"),
        (lambda: Monitor().set_host(1 << 20, time=0), FencepostError, "diagnostics 1048576"),
        (lambda: Monitor(max_time_step="1"), TypeError, "max_time_step"),
        (lambda: Monitor("m", store=5), TypeError, "store .* path"),
        (lambda: Monitor.restore(5), TypeError, "snapshot.*bytes.*int"),
    ],
)  # fmt: skip
def test_values_are_checked_where_they_are_made(call: Callable[[], Any], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        call()


def test_numbers_of_other_kinds() -> None:
    fix = Fix(np.float32(1.5), decimal.Decimal("2.5"), np.array(3.0), time=np.int64(7))
    assert (fix.latitude, fix.longitude, fix.accuracy, fix.time_us) == (1.5, 2.5, 3.0, 7)
    assert {type(value) for value in (fix.latitude, fix.longitude, fix.accuracy)} == {float}
    assert repr(Circle(0, 1.5, 100)) == ("Circle(latitude=0, longitude=1.5, radius=100)")


@pytest.mark.parametrize(
    ("time", "microseconds"),
    [
        (np.datetime64("1970-01-01T00:00:01"), 1_000_000),
        (np.datetime64("1970-01-02"), 86_400_000_000),
        (np.datetime64("1970-02"), 31 * 86_400_000_000),
        (np.datetime64("1971"), 365 * 86_400_000_000),
        (np.datetime64(1_999, "ns"), 1),
        (np.datetime64(-1, "ns"), -1),
        (np.datetime64(3, "25us"), 75),
        (np.datetime64(5, "us"), 5),
        (pd.Timestamp(1_999, unit="ns"), 1),
        (pd.Timestamp(-1, unit="ns"), -1),
        (pd.Timestamp("1970-01-01T01:00", tz="Europe/Berlin"), 0),
        (pd.Timestamp("1970-01-01T01:00"), 3_600_000_000),
        (pd.Series(pd.to_datetime(["1970-01-01T00:00:02"])).iloc[0], 2_000_000),
    ],
)
def test_times_of_numpy_and_pandas_as_columns_have_them(time: Any, microseconds: int) -> None:
    assert Fix(0, 0, time=time).time_us == microseconds
    for column in (np.array([time]), [time]):
        monitor = Monitor()
        assert monitor.feed_many(latitude=[0], longitude=[0], time=column).accepted == 1
        assert monitor.clock_us == microseconds


def test_masked_rows_are_skipped_and_counted() -> None:
    """A row with a masked element has no position: 3 of the 9 rows would be inside the circle if the mask were
    ignored."""
    mask = np.arange(9) % 3 == 0
    place = np.where(mask, 0.0, 1.0)
    columns = {"latitude": np.zeros(9), "longitude": place, "time": np.arange(9)}
    for name in columns:
        monitor = Monitor()
        monitor.add(CIRCLE, "home", policy="exact")
        hidden = np.ma.array(columns[name], mask=mask)
        assert monitor.feed_many(**{**columns, name: hidden}) == (6, 3, 0, 0)
        assert [str(event.state) for event in monitor.events()] == ["unsatisfied"]
        assert monitor.feed_many(**{**columns, name: np.ma.array(columns[name])}, on_invalid="count").late == 8
        with pytest.raises(FencepostError) as error:
            Monitor().feed_many(**{**columns, name: hidden}, on_invalid="raise")
        assert error.value.position == 0
    # A masked accuracy counts as not reported, like a null in Arrow.
    assert Monitor().feed_many(**columns, accuracy=np.ma.array(np.full(9, -1.0), mask=True)).accepted == 9
    times = np.ma.array(np.arange(9).astype("datetime64[s]"), mask=mask)
    assert Monitor().feed_many(**{**columns, "time": times}) == (6, 3, 0, 0)


def test_masked_records_and_circles() -> None:
    kind = [("latitude", "f8"), ("longitude", "f8"), ("accuracy", "f8"), ("time_us", "i8")]
    fixes = np.ma.zeros(4, dtype=kind)
    fixes["time_us"] = [0, 1, 2, 3]
    fixes["latitude"][1] = np.ma.masked
    fixes[2] = np.ma.masked
    assert Monitor().feed_many(fixes) == (2, 2, 0, 0)
    monitor = Monitor()
    with pytest.raises(FencepostError) as error:
        monitor.add_many(["a", "b"], np.ma.array([0.0, 1.0], mask=[0, 1]), [0, 0], [1, 1])
    assert error.value.position == 1
    with pytest.raises(FencepostError, match="tag.*row 1"):
        monitor.add_many(["a", "b"], [0, 1], [0, 0], [1, 1], tag=np.ma.array([1, 2], mask=[0, 1]))
    assert len(monitor) == 0


@pytest.mark.parametrize("way", ["feed", "fixes", "records", "columns", "array"])
def test_seconds_in_the_place_of_microseconds_are_doubted_once(way: str) -> None:
    def feed(monitor: Monitor, time: int) -> None:
        fix = Fix(0, 0, time=time)
        if way == "feed":
            monitor.feed(fix)
        elif way == "fixes":
            monitor.feed_many([fix])
        elif way == "records":
            monitor.feed_many(np.array([(0, 0, 0, time)], dtype="f8,f8,f8,i8"))
        elif way == "columns":
            monitor.feed_many(latitude=[0], longitude=[0], time=[time])
        else:
            monitor.feed_many(latitude=[0], longitude=[0], time=np.array([time]))

    monitor = Monitor()
    with pytest.warns(UserWarning, match=r"time 1714550400 .* 1714550400 \* 1_000_000") as seen:
        feed(monitor, 1_714_550_400)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    feed(monitor, 1_714_550_401)  # these tests turn warnings into errors
    for silent in (0, 999_999_999, 2_500_000_001, 1_714_550_400_000_000):
        feed(Monitor(), silent)
    Monitor().feed(Fix(0, 0, time=datetime.datetime(1970, 1, 1, 0, 30, tzinfo=AWARE)))


def test_the_layout_of_fix_records_is_what_is_stated() -> None:
    from fencepost import FIX_RECORD

    dtype = np.dtype([("latitude", "f8"), ("longitude", "f8"), ("accuracy", "f8"), ("time_us", "i8")])
    assert (dtype.itemsize, [dtype.fields[name][1] for name in dtype.names]) == (FIX_RECORD.size, [0, 8, 16, 24])
    assert np.frombuffer(FIX_RECORD.pack(1.5, 2.5, 3.5, -7), dtype=dtype).tolist() == [(1.5, 2.5, 3.5, -7)]


def test_a_class_is_not_planned_for() -> None:
    planner: Any = RotationPlanner(20)
    with pytest.raises(TypeError, match="not type"):
        planner.plan(Monitor, 0, 0)


def test_planner_and_filter_say_what_they_are() -> None:
    planner = RotationPlanner(20, margin=5)
    monitor = Monitor()
    monitor.add(CIRCLE, "home")
    plan = planner.plan(monitor, 0, 0)
    assert repr(planner) == "<fencepost.RotationPlanner 20 slots, margin=5, maximum_radius=100000, 1 armed>"
    assert (
        repr(SignificantChangeFilter(50, 2.5)) == "SignificantChangeFilter(minimum_distance=50, minimum_interval=2.5)"
    )
    assert plan.columns()["identifier"] == ["home"]
    assert list(plan.to_pandas()["radius"]) == [100.0]
