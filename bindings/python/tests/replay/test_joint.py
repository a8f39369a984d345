"""Tests that a comparison, which tries all policies in one pass, gives for each policy the same log as a replay with
that policy alone."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Fix, Gate, InputWarning, Rule, TransitionPolicy, compare, replay
from fencepost._files.table_rows import TableRows

DATA = Path(__file__).parents[4] / "examples" / "data"
POLICIES = {
    "exact": TransitionPolicy.exact(),
    "standard": TransitionPolicy.standard(),
    "slow": TransitionPolicy(entry_dwell=45, exit_dwell=90, exit_margin=30),
}


def rows(seed: int, devices: int = 4, count: int = 300) -> Any:
    """Returns rows of devices that move across the zones; some rows are late, some are inaccurate, and some have no
    position."""
    pandas = pytest.importorskip("pandas")
    chance = random.Random(seed)
    found = []
    for step in range(count):
        for device in range(devices):
            bad = chance.random()
            found.append({
                "device": f"d{device}",
                "latitude": float("nan") if bad < 0.02 else 0.002 * chance.random(),
                "longitude": 0.004 * chance.random(),
                "accuracy": float("nan") if bad > 0.9 else chance.choice([3.0, 20.0, 80.0]),
                "time": 1_700_000_000_000_000 + 10_000_000 * step + (chance.randrange(30_000_000) if bad > 0.95 else 0),
            })  # fmt: skip
    return pandas.DataFrame(found)


ZONES = {f"zone {number}": Circle(0.0005 * number, 0.001 * number, 60 + 40 * number) for number in range(5)}
GATE = Gate("LINESTRING (0.002 -0.001, 0.002 0.003)")


def states(log: Any) -> list[tuple[Any, str]]:
    return [(row.track, row.event.to_json()) for row in log.tracked()]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"assuming": "satisfied"},
        {"delivery": "latest"},
        {"delivery": "first"},
        {"path": "geodesic", "max_gap": 60},
        {"condition_limit": 2},
        {"until": 1_700_100_000_000_000},
        {"sort": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.filterwarnings("ignore::fencepost.InputWarning")
def test_each_log_is_that_of_a_replay_with_the_policy_alone(seed: int, options: dict[str, Any]) -> None:
    table = rows(seed)
    zones: dict[str, Any] = {**ZONES, "gate": GATE} if "path" in options else dict(ZONES)
    found = compare(table, zones, policies=POLICIES, device="device", **options)
    for outcome in found:
        alone = replay(table, zones, policy=POLICIES[outcome.name], device="device", **options)
        assert states(outcome.log) == states(alone), (seed, outcome.name)
        assert outcome.log.counts == alone.counts
        assert outcome.log.visits().columns() == alone.visits().columns()
        assert [list(one.fixes) for one in outcome.log.replays] == [list(one.fixes) for one in alone.replays]
    exact = replay(table, zones, policy="exact", device="device", **options)
    assert states(found.baseline) == states(exact)
    assert len(exact) > 20


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.filterwarnings("ignore::fencepost.InputWarning")
def test_rules_have_the_parts_of_their_policy(seed: int) -> None:
    """Each policy has copies of the conditions, and the copies of a rule must name copies. The names of the parts that
    are missing look like those of copies."""
    table = rows(seed, devices=2, count=150)
    zones: dict[str, Any] = {
        "both": Rule.any("zone 1", "zone 3"),
        "odd": Rule.any("zone 2", "0:1", "-:2"),
        **ZONES,
        "away": Rule.none("both", "zone 4"),
        "two": Rule.at_least(2, "zone 0", "zone 2", "1:0", "away"),
        "never": Rule.all("0:0", "2:2"),
    }
    decided: set[str] = set()
    found = compare(table, zones, policies=POLICIES, device="device")
    for outcome in found:
        alone = replay(table, zones, policy=POLICIES[outcome.name], device="device")
        assert states(outcome.log) == states(alone), (seed, outcome.name)
        decided |= {row.event.identifier for row in alone.tracked() if row.event.decided_by is not None}
    assert decided == {"both", "odd", "away", "two"}


def test_a_track_of_fixes_and_a_file_are_compared_in_one_pass_too() -> None:
    zones = {f"zone {number}": Circle(47.55, 7.58 + 0.005 * number, 300) for number in range(8)}
    track = DATA / "tracks" / "gpx" / "bike-basel.gpx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        for outcome in compare(track, zones, policies=POLICIES):
            alone = states(replay(track, zones, policy=POLICIES[outcome.name]))
            assert states(outcome.log) == alone and len(alone) > 8


def test_the_rows_of_a_table_are_never_grouped_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """In comparisons and tuning, as in replays, rows go into the native loop as columns, and each warning is issued
    once."""
    from fencepost import tune

    def refuse(_: TableRows) -> Any:
        raise AssertionError("the rows were grouped")

    monkeypatch.setattr(TableRows, "tracks", refuse)
    table = rows(3)
    labels = [{"identifier": "zone 1", "device": "d0", "start": "2023-11-14T22:13:20Z", "end": None}]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", InputWarning)
        compare(table, ZONES, policies=POLICIES, device="device")
    said = [str(warning.message) for warning in caught]
    assert len(said) == len(set(said)) and any("sorted" in text for text in said)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        assert len(tune(table, ZONES, labels, policies=POLICIES, device="device")) == 3


def test_identifiers_may_look_like_those_of_the_pass() -> None:
    zones = {"1:0": Circle(0, 0, 100), "0:1": Circle(0, 0.01, 100)}
    fixes = [Fix(0, 0.001 * step, time=step * 60_000_000) for step in range(20)]
    found = compare(fixes, zones)
    for outcome in found:
        assert states(outcome.log) == states(replay(fixes, zones, policy=outcome.policy))
    assert {event.identifier for event in found["exact"].log} == set(zones)
