"""Tests sets of conditions, inputs that are ahead of the clock, and the query for the conditions that are satisfied
now."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import fencepost
from fencepost import Beacon, Circle, Fix, Monitor, State, TransitionPolicy
from fencepost.errors import AheadOfClockError
from fencepost.types import SyncResult

UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
HOME, WORK = Circle(52.5, 13.4, 100), Circle(52.52, 13.38, 250)
MINUTE = 60_000_000


def test_sync_keeps_what_is_equal_and_its_state() -> None:
    monitor = Monitor()
    assert monitor.sync({"home": HOME, "work": WORK}, policy="exact") == (2, 0, 0, 0)
    monitor.feed(Fix(52.5, 13.4, time=0))
    kept = monitor["home"]
    result = monitor.sync({"new": HOME, "home": HOME, "beacon": Beacon(UUID, 1)}, policy="exact")
    assert result == SyncResult(added=2, replaced=0, kept=1, removed=1)
    assert monitor["home"] == kept
    assert monitor.identifiers == ["home", "new", "beacon"]
    assert monitor["beacon"].condition == Beacon(UUID, 1)
    assert monitor.sync({"home": WORK}, tag=7) == (0, 1, 0, 2)
    assert monitor["home"].tag == 7
    assert monitor.sync({}) == (0, 0, 0, 1)


def test_sync_takes_records_with_what_is_theirs() -> None:
    origin = Monitor()
    origin.add(HOME, "home", policy=TransitionPolicy(entry_dwell=3), tag=5)
    origin.add(Beacon(UUID), "beacon", policy="exact")
    for given in (origin.records(), list(origin.records()), iter(origin.records()), dict(origin.items()), origin):
        copy = Monitor()
        copy.add(WORK, "work")
        assert copy.sync(given) == (2, 0, 0, 1)
        assert [(each.identifier, each.condition, each.policy, each.tag) for each in copy.records()] == [
            (each.identifier, each.condition, each.policy, each.tag) for each in origin.records()
        ]
        assert copy.sync(given if not hasattr(given, "__next__") else origin.records()).kept == 2


def table(rows: list[dict[str, Any]], library: str) -> Any:
    pytest.importorskip("nanoarrow")
    module = pytest.importorskip(library)
    if library == "pyarrow":
        return module.Table.from_pylist(rows)
    if library == "geopandas":
        points = module.points_from_xy([row.pop("longitude") for row in rows], [row.pop("latitude") for row in rows])
        return module.GeoDataFrame(rows, geometry=points, crs="EPSG:4326")
    return module.DataFrame(rows)


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "geopandas"])
def test_sync_of_a_table(library: str) -> None:
    pytest.importorskip("pyarrow")
    rows: list[dict[str, Any]] = [
        {"identifier": name, "latitude": place.latitude, "longitude": place.longitude, "radius": place.radius,
         "policy": policy, "assuming": "unsatisfied"}
        for name, place, policy in (("home", HOME, "exact"), ("work", WORK, None), ("too", WORK, "core_location"))
    ]  # fmt: skip
    frame = table(rows, library)
    if library == "geopandas":
        frame = frame.to_arrow()
    monitor = Monitor()
    monitor.add(HOME, "gone")
    assert monitor.sync(frame, tag=[4, 5, 6]) == (3, 0, 0, 1)
    assert monitor.records().columns()["tag"] == [4, 5, 6]
    assert [record.policy for record in monitor.records()] == [
        TransitionPolicy.exact(),
        TransitionPolicy.standard(),
        TransitionPolicy.core_location(),
    ]
    assert monitor.records().columns()["state"] == ["unsatisfied"] * 3
    assert monitor.ensure_many(frame, tag=[4, 5, 7]) == (0, 1, 2, 0)


def test_a_bad_row_of_a_table_is_named_and_changes_nothing() -> None:
    rows = [
        {"identifier": name, "lat": 0.0, "lon": 0.0, "radius": radius, "policy": policy}
        for name, radius, policy in (("a", 1.0, "exact"), ("b", 1.0, None), ("c", -1.0, None), ("d", 1.0, "exact"))
    ]
    monitor = Monitor()
    monitor.add(HOME, "home")
    before = monitor.snapshot()
    for call in (monitor.sync, monitor.ensure_many, monitor.add_many):
        with pytest.raises(fencepost.InputError, match="row 2.*radius") as error:
            call(table(rows, "pyarrow"))
        assert error.value.row == 2
        assert monitor.snapshot() == before


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (5, TypeError),
        (None, TypeError),
        ([HOME], TypeError),
        ([5], TypeError),
        ({"home": 5}, TypeError),
        ({"home": None}, TypeError),
        ({5: HOME}, TypeError),
        ({"": HOME}, fencepost.errors.InvalidArgumentError),
        ({"x" * 300: HOME}, fencepost.errors.InvalidArgumentError),
        ({"a\0": HOME}, fencepost.errors.InvalidArgumentError),
        ({"\ud800": HOME}, fencepost.errors.InvalidArgumentError),
        ("home", TypeError),
    ],
)
def test_sets_that_are_refused_change_nothing(given: Any, kind: type[Exception]) -> None:
    monitor = Monitor()
    monitor.add(HOME, "home")
    before = monitor.snapshot()
    with pytest.raises(kind):
        monitor.sync(given)
    assert monitor.snapshot() == before


def test_two_with_one_identifier() -> None:
    monitor, other = Monitor(), Monitor()
    other.add(HOME, "home")
    (record,) = other.records()
    with pytest.raises(fencepost.errors.InvalidArgumentError, match="home") as error:
        monitor.sync([record, record])
    assert error.value.position == 1
    assert len(monitor) == 0


def test_ensure_many_and_remove_many() -> None:
    monitor = Monitor()
    columns: dict[str, Any] = {"latitude": [0, 0], "longitude": [0, 1], "radius": [100, 100]}
    assert monitor.ensure_many(["a", "b"], **columns, tag=[1, 2]) == (2, 0, 0, 0)
    assert monitor.ensure_many(["a", "b"], **columns, tag=[1, 3]) == (0, 1, 1, 0)
    with pytest.raises(fencepost.errors.InvalidArgumentError) as error:
        monitor.ensure_many(["c", "d"], latitude=[0, 91], longitude=[0, 0], radius=[1, 1])
    assert error.value.position == 1
    assert monitor.identifiers == ["a", "b"]
    with pytest.raises(TypeError, match="ensure_many"):
        monitor.ensure_many(["c"], latitude=[0], longitude=[0])
    with pytest.raises(fencepost.errors.InvalidArgumentError) as error:
        monitor.remove_many(["a", ""])
    assert error.value.position == 1
    assert monitor.remove_many(name for name in ("b", "nothing", "a", "a")) == 2
    assert monitor.remove_many([]) == 0
    with pytest.raises(fencepost.errors.ColumnTypeError):
        monitor.remove_many("ab")


def syncs(folder: Path) -> int:
    """Returns the total size of the store's files; with each commit, the size grows by the pages in the log."""
    return sum(os.stat(path).st_size for path in folder.iterdir())


def test_a_set_is_one_transaction(tmp_path: Path) -> None:
    """Setting 500 conditions is one transaction: all changes are saved, or none. The log grows once, not once for each
    condition."""
    places = {f"place {number}": Circle(0, number * 0.01, 100) for number in range(500)}
    sizes = {}
    for way in ("sync", "single"):
        folder = tmp_path / way
        folder.mkdir()
        with Monitor("m", store=folder) as monitor:
            before = syncs(folder)
            if way == "sync":
                monitor.sync(places)
            else:
                for name, place in places.items():
                    monitor.ensure(place, name)
            sizes[way] = syncs(folder) - before
        with Monitor("m", store=folder) as monitor:
            assert monitor.identifiers == list(places)
    assert sizes["sync"] * 4 < sizes["single"]


def test_states_now_beside_the_records() -> None:
    monitor = Monitor()
    monitor.sync({"home": HOME, "work": WORK}, policy="exact", assuming="satisfied")
    assert monitor.identifiers_in_state("unknown") == ["home", "work"]
    monitor.feed(Fix(52.5, 13.4, time=0))
    assert monitor.identifiers_in_state(State.SATISFIED) == ["home"]
    assert monitor.identifiers_in_state("unsatisfied") == ["work"]
    work = monitor["work"]
    assert (work.state, work.present_state) == (State.SATISFIED, State.UNSATISFIED)  # the event is still pending
    assert monitor.records().columns()["present_state"] == ["satisfied", "unsatisfied"]
    list(monitor.events())
    assert monitor["work"].state == State.UNSATISFIED
    for state in ("unmonitored", "", 5, None):
        with pytest.raises((fencepost.errors.InvalidArgumentError, TypeError), match="state"):
            monitor.identifiers_in_state(state)  # type: ignore[arg-type]


def test_an_input_that_is_too_far_ahead() -> None:
    monitor = Monitor(max_time_step=60)
    monitor.feed(Fix(0, 0, time=0))
    with pytest.raises(AheadOfClockError) as error:
        monitor.feed(Fix(0, 0, time=MINUTE + 1))
    assert isinstance(error.value, ValueError)
    assert error.value.name == "ahead_of_clock"
    for call in (
        lambda: monitor.feed_sightings([], time=MINUTE + 1),
        lambda: monitor.set_scanning(False, time=MINUTE + 1),
        lambda: monitor.set_host(time=MINUTE + 1),
    ):
        with pytest.raises(AheadOfClockError):
            call()
    assert monitor.feed_many(latitude=[0, 0, 0], longitude=[0, 0, 0], time=[1, 10**15, 2]) == (2, 0, 1, 0)
    counters = monitor.statistics()
    assert (counters.ahead_inputs, counters.late_inputs, counters.clock_us) == (5, 0, 2)
    monitor.advance(10**15)
    assert monitor.clock_us == 10**15


@pytest.mark.parametrize("step", [0, -1, 1e10, float("nan"), float("inf")])
def test_time_steps_out_of_range(step: float) -> None:
    with pytest.raises(fencepost.errors.InvalidArgumentError, match="max_time_step"):
        Monitor(max_time_step=step)


def test_rewind(tmp_path: Path) -> None:
    with Monitor("m", store=tmp_path) as monitor:
        monitor.add(HOME, "home", policy="exact")
        monitor.feed(Fix(52.5, 13.4, time=3_453_148_800_000_000))
        with pytest.raises(fencepost.errors.LateInputError):
            monitor.feed(Fix(52.5, 13.4, time=1_714_550_400_000_000))
        with pytest.raises(fencepost.errors.InvalidArgumentError):
            monitor.rewind(3_453_148_800_000_001)
        monitor.rewind(1_714_550_400_000_000)
    with Monitor("m", store=tmp_path) as monitor:
        assert monitor.clock_us == 1_714_550_400_000_000
        assert monitor.state("home") == State.UNKNOWN
        monitor.feed(Fix(0, 0, time=1_714_550_401_000_000))
        assert [str(event.state) for event in monitor.events()] == ["satisfied", "unsatisfied"]
