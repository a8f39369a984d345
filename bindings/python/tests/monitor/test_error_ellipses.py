"""Fixes with error ellipses: policies with probabilities use the ellipse instead of the accuracy."""

from __future__ import annotations

import math
import os
import pickle
import shutil
from array import array
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Fix, Fleet, Monitor, TransitionPolicy, Zones, geodesic
from fencepost.errors import ColumnTypeError, InputError, InvalidArgumentError, LateInputError
from fencepost.types import FeedResult, Reason

GOLDEN = Path(__file__).resolve().parents[4] / "Tests" / "Golden"
WRITES = os.environ.get("FENCEPOST_WRITE_GOLDEN") == "1"
ACROSS, ALONG = (100.0, 10.0, 90.0), (100.0, 10.0, 0.0)
NAN = math.nan
CERTAIN = TransitionPolicy(
    entry_probability=0.99, exit_probability=0.01, accuracy_factor=0, entry_margin=0, exit_margin=0, entry_dwell=0,
    exit_dwell=20,
)  # fmt: skip


def place(metres: float) -> tuple[float, float]:
    end = geodesic.direct(52.5, 13.4, 90, metres)
    return end.latitude, end.longitude


def fix(metres: float, second: int, ellipse: tuple[float, float, float] | None = None, accuracy: float = 400) -> Fix:
    return Fix(*place(metres), accuracy=accuracy, time=second * 1_000_000, error_ellipse=ellipse)


FIXES = [
    fix(1500, 0, (20, 20, 0)),
    fix(950, 1, ACROSS, 5),
    fix(950, 2, ALONG),
    fix(1050, 3, ACROSS, 5),
    fix(1050, 4, ALONG),
    fix(1060, 5, ALONG),
]
SIDES = [("wide", "unsatisfied", 0), ("wide", "satisfied", 2_000_000), ("wide", "unsatisfied", 24_000_000)]


def columns() -> dict[str, Any]:
    ellipses = [each.error_ellipse or (NAN,) * 3 for each in FIXES]
    return {
        "latitude": [each.latitude for each in FIXES],
        "longitude": [each.longitude for each in FIXES],
        "accuracy": [each.accuracy for each in FIXES],
        "time": [each.time_us for each in FIXES],
        "error_ellipse": tuple(array("d", column) for column in zip(*ellipses)),
    }


def new_monitor(**options: Any) -> Monitor:
    monitor = Monitor(**options)
    monitor.add(Circle(52.5, 13.4, radius=1000), "wide", policy=CERTAIN)
    return monitor


def new_fleet(**options: Any) -> Fleet:
    zones = Zones()
    zones.add(Circle(52.5, 13.4, radius=1000), "wide", policy=CERTAIN, assuming="unknown")
    return Fleet(zones, **options)


def told(holder: Monitor | Fleet) -> list[tuple[Any, ...]]:
    return [(event.identifier, str(event.state), event.date_us, event.probability) for event in holder.events()]


def sides(holder: Monitor | Fleet) -> list[tuple[Any, ...]]:
    holder.advance(60_000_000)
    found = told(holder)
    assert all(each[3] is not None and (each[3] > 0.99 or each[3] < 0.01) for each in found)
    return [each[:3] for each in found]


def test_a_fix_has_an_ellipse() -> None:
    one = Fix(1, 2, time=3, error_ellipse=(5, 4, 30))
    assert one.error_ellipse == (5.0, 4.0, 30.0)
    assert one != Fix(1, 2, time=3) and Fix(1, 2, time=3).error_ellipse is None
    assert pickle.loads(pickle.dumps(one)) == one and hash(one) != hash(Fix(1, 2, time=3))
    assert one.to_dict()["error_ellipse"] == [5.0, 4.0, 30.0]
    for wrong in (5, (1, 2), "abc", (1, 2, "x")):
        with pytest.raises((TypeError, InvalidArgumentError)):
            Fix(1, 2, time=3, error_ellipse=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("way", ["one", "fixes", "columns", "arrow", "frame"])
def test_every_way_to_feed_ellipses_gives_the_same_events(way: str, threads: int) -> None:
    monitor, fleet = new_monitor(), new_fleet(threads=threads)
    given = columns()
    if way == "one":
        for each in FIXES:
            monitor.feed(each)
            fleet.feed("a", each)
    elif way == "fixes":
        assert monitor.feed_many(FIXES) == FeedResult(6, 0, 0)
        fleet.feed_many(iter(FIXES), device="a")
    elif way == "columns":
        monitor.feed_many(**given)
        fleet.feed_many(device=["a"] * 6, **given)
    else:
        flat = {name: values for name, values in given.items() if name != "error_ellipse"}
        flat["time_us"] = flat.pop("time")
        flat |= dict(zip(("smaj", "smin", "azi"), given["error_ellipse"]))
        named = {"error_major": "smaj", "error_minor": "smin", "error_orientation": "azi"}
        if way == "arrow":
            table = pytest.importorskip("pyarrow").table(flat | {"device": ["a"] * 6})
        else:
            table = pytest.importorskip("pandas").DataFrame(flat | {"device": ["a"] * 6})
        # Without names, the columns are not read: the accuracies decide.
        plain = new_monitor()
        plain.feed_many(table)
        assert sides(plain) != SIDES
        with pytest.raises(InputError, match="error_minor"):
            new_monitor().feed_many(table, columns={"error_major": "smaj"})
        monitor.feed_many(table, columns=named)
        fleet.feed_many(table, columns=named)
    assert sides(monitor) == SIDES
    assert sides(fleet) == SIDES


def test_one_ellipse_for_all_rows_and_rows_without_one() -> None:
    given = columns()
    monitor = new_monitor()
    monitor.feed_many(**{**given, "error_ellipse": (100, 10, 0.0)})
    assert sides(monitor)[1] == ("wide", "satisfied", 1_000_000)
    monitor = new_monitor()
    monitor.feed_many(**{**given, "error_ellipse": ([None] * 6, [None] * 6, [None] * 6)})
    plain = new_monitor()
    plain.feed_many(**{**given, "error_ellipse": None})
    assert told(monitor) == told(plain)
    with pytest.raises(TypeError, match="error_ellipse"):
        new_monitor().feed_many(**{**given, "error_ellipse": (1, 2)})
    with pytest.raises(InvalidArgumentError, match="minor"):
        new_monitor().feed_many(**{**given, "error_ellipse": (10, [1.0], 0)})
    with pytest.raises(ColumnTypeError, match="major"):
        new_monitor().feed_many(**{**given, "error_ellipse": (["x"] * 6, 1, 0)})


@pytest.mark.parametrize(
    "ellipse", [(5, 6, 0), (5, -1, 0), (math.inf, 5, 0), (NAN, 5, 0), (5, 5, NAN), (5, 5, math.inf)]
)
def test_a_defect_makes_the_fix_invalid(ellipse: tuple[float, float, float]) -> None:
    monitor, fleet = new_monitor(), new_fleet()
    wrong = fix(0, 10, ellipse)
    with pytest.raises(InvalidArgumentError, match="error ellipse"):
        monitor.feed(wrong)
    with pytest.raises(InvalidArgumentError, match="error ellipse"):
        fleet.feed("a", wrong)
    assert monitor.statistics().invalid_fixes == 1
    assert monitor.feed_many([fix(0, 0, ACROSS), wrong, fix(0, 1, ALONG)]) == FeedResult(2, 1, 0)
    assert fleet.feed_many([fix(0, 0, ACROSS), wrong, fix(0, 1, ALONG)], device="a") == FeedResult(2, 1, 0)
    with pytest.raises(InvalidArgumentError, match="row 1: the .*error ellipse") as refused:
        monitor.feed_many([fix(0, 20, ALONG), wrong], on_invalid="raise")
    assert refused.value.position == 1 and monitor.clock_us == 1_000_000
    with pytest.raises(LateInputError, match="clock"):
        monitor.feed(fix(0, 0, ALONG))


@pytest.mark.parametrize("kind", ["monitor", "fleet"])
def test_the_explanation_states_the_ellipse(kind: str) -> None:
    holder: Any = new_monitor() if kind == "monitor" else new_fleet()
    holder.feed(*([] if kind == "monitor" else ["a"]), fix(950, 0, ACROSS, 5))
    for _ in range(2):
        found = (holder if kind == "monitor" else holder["a"]).explain("wide")
        assert found.reason is Reason.UNCERTAIN and found.error_ellipse == ACROSS
        assert found.accuracy_needed is None and found.probability == pytest.approx(0.69, abs=0.01)
        assert "error ellipse 100.0 m by 10.0 m at 90 degrees" in str(found)
        holder = type(holder).restore(holder.snapshot())


def check_golden(holder: Monitor | Fleet) -> None:
    """Checks a monitor or fleet that was saved after ``FIXES[:5]``: events that wait and the candidate keep their
    probabilities, and the last fix its ellipse."""
    subject: Any = holder if isinstance(holder, Monitor) else holder["a"]
    assert subject.explain("wide").error_ellipse == ALONG
    found = told(holder)
    assert [each[:3] for each in found] == SIDES[:2] and found[1][3] > 0.99
    holder.advance(60_000_000)
    found = told(holder)
    assert [each[:3] for each in found] == SIDES[2:] and found[0][3] < 0.01


def golden_inputs(holder: Monitor | Fleet) -> None:
    for each in FIXES[:5]:
        if isinstance(holder, Monitor):
            holder.feed(each)
        else:
            holder.feed("a", each)


@pytest.mark.parametrize("kind", [Monitor, Fleet])
def test_golden_snapshots(kind: type[Monitor] | type[Fleet]) -> None:
    file = GOLDEN / f"ellipse-{kind.__name__.lower()}.bin"
    if WRITES:
        new = new_monitor() if kind is Monitor else new_fleet()
        golden_inputs(new)
        file.write_bytes(new.snapshot())
    check_golden(kind.restore(file.read_bytes()))


@pytest.mark.parametrize("kind", [Monitor, Fleet])
def test_golden_stores(kind: type[Monitor] | type[Fleet], tmp_path: Path) -> None:
    file = GOLDEN / f"ellipse-{kind.__name__.lower()}.fencepost"
    make: Any = new_monitor if kind is Monitor else new_fleet
    if WRITES:
        (tmp_path / "new").mkdir()
        with make(name="golden", store=tmp_path / "new") as new:
            golden_inputs(new)
        shutil.copyfile(tmp_path / "new" / "golden.fencepost", file)
    shutil.copyfile(file, tmp_path / "golden.fencepost")
    with kind(*([] if kind is Monitor else [Zones()]), name="golden", store=tmp_path) as opened:  # type: ignore[arg-type]
        check_golden(opened)


@pytest.mark.parametrize("portable", [False, True])
def test_golden_devices(portable: bool) -> None:
    file = GOLDEN / f"ellipse-device{'-portable' if portable else ''}.bin"
    if WRITES:
        new = new_fleet()
        golden_inputs(new)
        list(new.events())
        file.write_bytes(new.export(["a"], portable=portable)[0])
    fleet = new_fleet()
    fleet.load({"a": file.read_bytes()})
    assert fleet["a"].explain("wide").error_ellipse == ALONG
    fleet.advance(60_000_000)
    found = told(fleet)
    assert [each[:3] for each in found] == SIDES[2:] and found[0][3] < 0.01
    assert fleet.export(["a"], portable=portable)[0]


def test_a_fix_without_an_ellipse_ends_the_saved_one() -> None:
    """Files without ellipses are byte-identical to those of fixes that never had one, except the feature."""
    with_path = {"path": "geodesic", "max_gap": 60}
    for options in ({}, with_path):
        fleet = new_fleet(**options)
        for second in range(40):
            fleet.feed("a", fix(100 + second, second, (5, 5, 0) if second % 3 else None))
            found = fleet["a"].explain("wide")
            if options:
                assert found.error_ellipse == ((5, 5, 0) if second % 3 else None), second
        restored = Fleet.restore(fleet.snapshot())
        assert restored["a"].explain("wide").error_ellipse == fleet["a"].explain("wide").error_ellipse
