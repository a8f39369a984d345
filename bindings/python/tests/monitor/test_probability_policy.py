"""Policies with probabilities on the faces of the package: files, stores, snapshots, replays, fleets, many zones, and
the ends of every range. tests/reference/test_probability_policies.py compares random worlds with the reference."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from fencepost import (
    Circle,
    Fix,
    Fleet,
    Monitor,
    State,
    TransitionPolicy,
    Zones,
    compare,
    geodesic,
    replay,
)
from fencepost.errors import InvalidArgumentError
from fencepost.types import Reason

GOLDEN = Path(__file__).resolve().parents[4] / "Tests" / "Golden"
WRITES = os.environ.get("FENCEPOST_WRITE_GOLDEN") == "1"
FIELDS: dict[str, Any] = {
    "entry_probability": 0.99, "exit_probability": 0.01, "accuracy_factor": 0, "entry_margin": 0, "exit_margin": 0,
    "entry_dwell": 0, "exit_dwell": 0,
}  # fmt: skip
CERTAIN = TransitionPolicy(**FIELDS)
HOME = Circle(52.5, 13.4, radius=100)


def fix(metres: float, accuracy: float, second: float) -> Fix:
    place = geodesic.direct(52.5, 13.4, 90, metres)
    return Fix(place.latitude, place.longitude, accuracy=accuracy, time=round(second * 1e6))


def told(monitor: Monitor | Fleet) -> list[tuple[str, str, int | None, float | None]]:
    return [(event.identifier, str(event.state), event.date_us, event.probability) for event in monitor.events()]


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"exit_probability": 0}, "exit_probability"),
        ({"entry_probability": 0}, "entry_probability"),
        ({"entry_probability": 0.5}, "entry_probability"),
        ({"entry_probability": 1}, "entry_probability"),
        ({"entry_probability": math.nan}, "entry_probability"),
        ({"exit_probability": 0.5}, "exit_probability"),
        ({"exit_probability": math.nan}, "exit_probability"),
        ({"exit_probability": -0.01}, "exit_probability"),
        ({"accuracy_factor": 1}, "accuracy_factor"),
    ],
)
def test_probabilities_that_contradict_are_refused(fields: dict[str, Any], part: str) -> None:
    with pytest.raises(InvalidArgumentError, match=part):
        TransitionPolicy(**{**FIELDS, **fields})


@pytest.mark.parametrize("share", [0.0099, 1, 0, math.nan, math.inf, -1])
def test_a_confidence_out_of_range_is_refused(share: float) -> None:
    for make in (Monitor, Fleet):
        with pytest.raises(InvalidArgumentError, match="accuracy_confidence"):
            make(accuracy_confidence=share)
    with pytest.raises(TypeError):
        Monitor(accuracy_confidence="0.68")  # type: ignore[arg-type]


def test_files_replays_and_comparisons_have_probabilities(tmp_path: Path) -> None:
    zones = {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"identifier": "home", "radius": 100, "policy": FIELDS},
                "geometry": {"type": "Point", "coordinates": [13.4, 52.5]},
            }
        ],
    }
    path = tmp_path / "zones.geojson"
    path.write_text(json.dumps(zones))
    fixes = [fix(500, 10, 0), fix(60, 40, 10), fix(60, 20, 20), fix(130, 40, 30), fix(130, 15, 40)]
    log = replay(fixes, path)
    assert [(event.date_us, str(event.state)) for event in log] == [
        (0, "unsatisfied"), (20_000_000, "satisfied"), (40_000_000, "unsatisfied"),
    ]  # fmt: skip
    assert all(event.probability is not None for event in log)
    assert [event["probability"] for event in map(json.loads, log.to_jsonl().splitlines())] == [
        event.probability for event in log
    ]
    # With 95 % within the accuracy, the third fix is enough.
    assert [event.date_us for event in replay(fixes, path, accuracy_confidence=0.95)][1] == 10_000_000
    found = compare(fixes, {"home": HOME}, policies={"certain": CERTAIN, "exact": "exact"}, accuracy_confidence=0.95)
    assert [len(outcome.log) for outcome in found] == [3, 3]
    path.write_text(json.dumps(zones).replace('"accuracy_factor": 0', '"accuracy_factor": 1'))
    with pytest.raises(InvalidArgumentError, match="accuracy_factor"):
        replay(fixes, path)


def test_stores_and_snapshots_keep_policies_options_and_waiting_events(tmp_path: Path) -> None:
    options: dict[str, Any] = {"accuracy_confidence": 0.95}
    with Monitor(name="m", store=tmp_path, **options) as monitor:
        monitor.add(HOME, "home", policy=TransitionPolicy(**{**FIELDS, "entry_dwell": 20}))
        monitor.feed(fix(500, 10, 0))
        monitor.feed(fix(60, 25, 10))
        bytes_ = monitor.snapshot()
    expected = [("home", "unsatisfied", 0, 0.0), ("home", "satisfied", 30_000_000, pytest.approx(0.9999, abs=1e-3))]
    with Monitor(name="m", store=tmp_path, **options) as again:
        again.advance(60_000_000)
        found = told(again)
        assert found == expected
    restored = Monitor.restore(bytes_)
    restored.advance(60_000_000)
    assert told(restored) == found
    assert restored.record("home").policy.entry_probability == 0.99
    assert restored.record("home").last_event.probability == found[-1][3]
    fork = restored.fork()
    fork.feed(fix(130, 25, 70))
    assert [state for _, state, *_ in told(fork)] == ["unsatisfied"], "95 % as in the original"


def test_a_fleet_keeps_them_in_a_store_and_an_export(tmp_path: Path) -> None:
    zones = Zones({"home": HOME}, policy=CERTAIN)
    with Fleet(zones, name="f", store=tmp_path, accuracy_confidence=0.95) as fleet:
        fleet.feed("a", fix(90, 50, 0))  # undetermined
        fleet.feed("b", fix(60, 25, 0))
        assert [(event.device, str(event.state)) for event in fleet.events()] == [("b", "satisfied")]
        fleet.feed("b", fix(130, 50, 10))
        [bytes_] = fleet.export(["b"], portable=True)
        snapshot = fleet.snapshot()
    with Fleet(Zones(), name="f", store=tmp_path, accuracy_confidence=0.95) as fleet:
        fleet.feed("b", fix(130, 25, 20))
        assert [str(event.state) for event in fleet.events()] == ["unsatisfied"]
    for restored in (Fleet.restore(snapshot), Fleet(Zones({"home": HOME}, policy=CERTAIN), accuracy_confidence=0.95)):
        if not restored.devices:
            restored.load({"b": bytes_})
        restored.feed("b", fix(130, 25, 20))
        assert [str(event.state) for event in restored.events()] == ["unsatisfied"]
    # Another probability is another condition: the device does not know it.
    other = Fleet(Zones({"home": HOME}, policy=TransitionPolicy(**{**FIELDS, "exit_probability": 0.02})))
    assert other.conditions.version.digest != zones.version.digest


@pytest.mark.parametrize("number", [3, 200])
def test_many_zones_are_undetermined_within_the_reach_of_the_error(number: int) -> None:
    """More than 64 zones take another way: those that are far are settled at once."""
    monitor = Monitor()
    fleet = Fleet(Zones())
    for target in (monitor, fleet.conditions):
        for k in range(number):
            target.add(Circle(10, k / 10, radius=50), f"far-{k}", policy=CERTAIN, assuming="unsatisfied")
        target.add(HOME, "home", policy=CERTAIN, assuming="unsatisfied")
    # 60 m outside with 50 m: the boundary is farther away than the accuracy, but the probability is above 0.01.
    monitor.feed(fix(160, 50, 0))
    fleet.feed("a", fix(160, 50, 0))
    assert monitor.explain("home").reason is fleet["a"].explain("home").reason is Reason.UNCERTAIN
    assert monitor.identifiers_in_state("unknown") == ["home"]
    monitor.feed(fix(60, 20, 10))
    fleet.feed("a", fix(60, 20, 10))
    found = told(monitor)
    assert found == told(fleet) and [state for _, state, *_ in found] == ["satisfied"]
    assert all(event.cause == "determination" for event in [monitor.record("home").last_event])


def test_a_device_that_stands_still_crosses_by_a_better_accuracy_alone() -> None:
    """Nothing that is remembered of a place may skip a fix with a better accuracy at the same place."""
    monitor, fleet = Monitor(), Fleet({"home": HOME}, policy=CERTAIN)
    monitor.add(HOME, "home", policy=CERTAIN, assuming="unsatisfied")
    fixes = [fix(500, 5, 0)] + [fix(60, 60, second) for second in range(1, 50)] + [fix(60, 10, 50)]
    fixes += [fix(140, 60, second) for second in range(51, 100)] + [fix(140, 10, 100)]
    for each in fixes:
        monitor.feed(each)
        fleet.feed("a", each)
    many = Monitor()
    many.add(HOME, "home", policy=CERTAIN, assuming="unsatisfied")
    many.feed_many(fixes)
    dates = [(state, date) for _, state, date, _ in told(monitor)]
    assert dates == [("satisfied", 50_000_000), ("unsatisfied", 100_000_000)]
    assert [(state, date) for _, state, date, _ in told(many)] == dates
    assert [(state, date) for _, state, date, _ in told(fleet)] == dates


def test_thresholds_decide_on_both_sides_of_themselves() -> None:
    """In the centre, the probability is 1 - 0.32 ** (radius / accuracy) ** 2."""
    for probability in (0.51, 0.9, 0.99, 0.99999):
        policy = TransitionPolicy(**{**FIELDS, "entry_probability": probability})
        accuracy = 100 / math.sqrt(math.log(1 - probability) / math.log(0.32))
        for factor, state in ((1 + 1e-4, State.UNKNOWN), (1 - 1e-4, State.SATISFIED)):
            monitor = Monitor()
            monitor.add(HOME, "home", policy=policy)
            monitor.feed(fix(0, accuracy * factor, 0))
            assert monitor.state("home") is state, (probability, factor)
            if state is State.UNKNOWN:
                assert monitor.explain("home").accuracy_needed == pytest.approx(accuracy, rel=1e-4)


def test_extreme_accuracies_decide_nothing_or_the_side() -> None:
    for accuracy in (5e-324, 1e-9, 0.0):
        monitor = Monitor()
        monitor.add(HOME, "home", policy=CERTAIN)
        monitor.feed(fix(99.9, accuracy, 0))
        assert monitor.state("home") is State.SATISFIED
    for accuracy in (1e8, 1e300, 1.7e308, math.inf):
        monitor = Monitor(accuracy_confidence=0.01)
        monitor.add(HOME, "home", policy=CERTAIN)
        monitor.feed(fix(0, accuracy, 0))
        monitor.feed(Fix(-52.5, -166.6, accuracy=accuracy, time=1))
        assert monitor.state("home") is State.UNKNOWN
        answer = monitor.explain("home")
        assert answer.reason is Reason.UNCERTAIN and answer.probability is None and answer.accuracy_needed


@pytest.mark.parametrize("name", ["monitor", "fleet"])
def test_the_bytes_are_those_of_today(name: str, tmp_path: Path) -> None:
    """Snapshots and stores that contain probabilities can be opened for ever, and do not change unnoticed."""
    path = GOLDEN / f"probability-{name}.bin"
    holder: Monitor | Fleet
    if name == "monitor":
        holder = Monitor(name="golden", accuracy_confidence=0.95, path="geodesic", max_gap=60)
        holder.add(HOME, "home", policy=TransitionPolicy(**{**FIELDS, "entry_dwell": 20}), tag=7)
        holder.add(HOME, "plain", assuming="unsatisfied")
        for each in (fix(500, 10, 0), fix(60, 25, 10)):
            holder.feed(each)
    else:
        holder = Fleet({"home": HOME}, policy=CERTAIN, accuracy_confidence=0.95)
        for each in (fix(500, 10, 0), fix(60, 25, 10), fix(130, 60, 20)):
            holder.feed("a", each)
    if WRITES:
        path.write_bytes(holder.snapshot())
    assert holder.snapshot() == path.read_bytes()
    opened = (Monitor if name == "monitor" else Fleet).restore(path.read_bytes())
    opened.advance(100_000_000)
    holder.advance(100_000_000)
    found = told(opened)
    assert found == told(holder) and found[-1][1] == "satisfied" and found[-1][3] is not None


@pytest.mark.parametrize("radius", [150.0, 1_000.0, 50_000.0])
@pytest.mark.parametrize("limit", [0.6, 0.9, 0.99])
def test_fixes_just_beyond_a_limit_decide(radius: float, limit: float) -> None:
    """The bounds that save the integral for circles never exclude a fix that is certain enough."""
    policy = TransitionPolicy(
        entry_probability=limit, exit_probability=1 - limit, accuracy_factor=0, entry_margin=0, exit_margin=0,
        entry_dwell=0, exit_dwell=0,
    )  # fmt: skip
    circle, accuracy = Circle(52.5, 13.4, radius=radius), 30.0

    def at(depth: float, second: int = 0) -> Fix:
        place = geodesic.direct(52.5, 13.4, 90, radius - depth)
        return Fix(place.latitude, place.longitude, accuracy=accuracy, time=second * 1_000_000)

    for wanted, state in ((limit + 5e-5, "satisfied"), (1 - limit - 5e-5, "unsatisfied")):
        low, high = -140.0, 140.0
        for _ in range(40):
            middle = (low + high) / 2
            fix = at(middle)
            if circle.probability(fix.latitude, fix.longitude, accuracy) < wanted:
                low = middle
            else:
                high = middle
        monitor = Monitor()
        assumed: Any = "unsatisfied" if state == "satisfied" else "satisfied"
        monitor.add(circle, "a", policy=policy, assuming=assumed)
        monitor.feed(at(-200 if state == "satisfied" else 100))
        monitor.feed(at(low, 1))
        assert str(monitor.state("a")) == state, (wanted, low)


def test_a_fix_of_a_device_without_an_ellipse_follows_one_with_an_ellipse() -> None:
    """A fleet with a path keeps the last fix of each device, also of a device that stays far from all boundaries."""
    fleet = Fleet(path="geodesic", max_gap=600)
    policy = TransitionPolicy(
        entry_margin=0, exit_margin=0, accuracy_factor=0, entry_probability=0.99, exit_probability=0.01
    )
    fleet.conditions.add(Circle(52.5, 13.4, 100), "c", policy=policy)
    for time in range(10):
        fleet.feed("d", Fix(52.5, 13.4133 + time * 1e-6, accuracy=800, time=time))
    without = fleet["d"].explain("c").probability
    for time in (20, 22, 24):
        fleet.feed("d", Fix(52.5, 13.4133 + time * 1e-6, accuracy=800, time=time, error_ellipse=(3, 3, 0)))
        assert fleet["d"].explain("c").probability == 0
        fleet.feed("d", Fix(52.5, 13.4133 + time * 1e-6, accuracy=800, time=time + 1))
        assert fleet["d"].explain("c").probability == pytest.approx(without, rel=0.05)
