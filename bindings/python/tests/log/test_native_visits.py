"""Tests the visits that the extension module finds in random logs: a simple implementation of the rules must find the
same visits. Also tests that invalid rows are refused."""

from __future__ import annotations

import random
from array import array
from typing import Any

import pytest

from fencepost import _native
from fencepost._log.visits import KNOWN, Visits, visit_columns
from fencepost.errors import InvalidArgumentError

UNKNOWN, SATISFIED, UNSATISFIED, UNMONITORED = range(4)
NONE, DETERMINATION, CROSSING, TIMEOUT, DIAGNOSTIC = range(5)
KNOWN_BY = {NONE: "assumed", DETERMINATION: "determination", CROSSING: "crossing", TIMEOUT: "timeout"} | {
    DIAGNOSTIC: "diagnostic"
}


def plainly(events: Any, assumed: dict[str, int], begin: int | None, end: int | None) -> list[tuple[Any, ...]]:
    """Returns the visits according to the rules in the guide: identifier, start, end (None for an open visit), how the
    start and the end are known, and the confirmation times."""
    found = []
    for identifier in dict.fromkeys([*(row[1] for row in events), *assumed]):
        own = [row for row in events if row[1] == identifier]
        generation = own[0][8] if own else 0
        state, since, cause, evidence = assumed.get(identifier, UNKNOWN), begin, NONE, None
        for row in [*own, None]:
            if row is not None and (row[2], row[8]) == (state, generation):
                continue
            if state == SATISFIED and since is not None and (row is None or row[4] is not None):
                start = since if evidence is None else min(evidence, since)
                if row is None:
                    last = start if end is None else max(start, end)
                    found.append((start, identifier, None, last, KNOWN_BY[cause], "open", since, None))
                else:
                    replaced = row[8] != generation
                    left = row[4] if replaced or row[5] is None else row[5]
                    left = max(start, min(left, row[4]))
                    known = "replaced" if replaced else KNOWN_BY[row[3]]
                    found.append((start, identifier, left, left, KNOWN_BY[cause], known, since, row[4]))
            if row is not None:
                state, since, cause, evidence, generation = row[2], row[4], row[3], row[5], row[8]
    return sorted(found, key=lambda row: row[:2])


@pytest.mark.parametrize("seed", range(60))
def test_random_logs(seed: int) -> None:
    chance = random.Random(seed)
    names = ["a", "b", "Ω zone", "z" * 256, "\U0001f3e0"][: chance.randint(1, 5)]
    time, events = 0, []
    for sequence in range(chance.randrange(60)):
        time += chance.choice([0, 1, 5])
        date = None if chance.random() < 0.05 else time
        evidence = None if chance.random() < 0.3 else time - chance.randrange(-2, 8)
        events.append((
            sequence, chance.choice(names), chance.randrange(4), chance.randrange(5), date, evidence, None, 0,
            1 if chance.random() < 0.8 else 2,
        ))  # fmt: skip
    assumed = {name: chance.randrange(3) for name in names if chance.random() < 0.7}
    begin, end = (None if chance.random() < 0.2 else value for value in (-3, time + chance.randrange(5)))
    columns = visit_columns_of(tuple(events), assumed, begin, end)
    expected = plainly(events, assumed, begin, end)
    rows = [tuple(map(plain, row[:8])) for row in columns.rows()]
    assert sorted(rows, key=repr) == sorted(expected, key=repr), seed
    assert [row[:2] for row in rows] == [row[:2] for row in expected], seed


def plain(value: Any) -> Any:
    return str(value) if value in KNOWN else value


def visit_columns_of(events: Any, assumed: dict[str, int], begin: int | None, end: int | None) -> Any:
    from fencepost._log.visits import VisitColumns

    return VisitColumns(None, *_native.visits(events, assumed, begin, end))


@pytest.mark.parametrize(
    "events",
    [
        ((),),
        ("text",),
        (None,),
        ((1, 2, 1, 1, 0, 0, None, 0, 1),),
        ((1, "a", "1", 1, 0, 0, None, 0, 1),),
        ((1, "a", 1, 1, 0.5, 0, None, 0, 1),),
        ((1, "a", 1, 1, 1 << 63, 0, None, 0, 1),),
        ((1, "a", 1, 1, 0, 0, None, 0, -1),),
        ((1, "a", 1, 1, 0, 0, None, 0),),
    ],
)
def test_rows_that_are_no_events_are_refused(events: Any) -> None:
    with pytest.raises((TypeError, OverflowError)):
        _native.visits(events, {}, 0, 0)


def test_other_arguments_are_refused() -> None:
    row = (1, "a", 1, 1, 0, 0, None, 0, 1)
    for arguments in (([row], {}, 0, 0), ((row,), [], 0, 0), ((row,), {}, "0", 0), ((row,), {"a": "x"}, 0, 0)):
        with pytest.raises(TypeError):
            _native.visits(*arguments)


def test_no_visits_make_an_empty_table() -> None:
    pandas = pytest.importorskip("pandas")
    empty = Visits([visit_columns((), 0, 0), visit_columns((), 0, 0)])
    assert len(empty) == 0 and list(empty) == []
    frame = empty.to_pandas()
    assert len(frame) == 0 and list(frame.columns) == list(empty.columns())
    assert isinstance(frame, pandas.DataFrame)


def test_columns_of_integers() -> None:
    assert _native.extremes(array("q", [3, -(1 << 63), 7, (1 << 63) - 1])) == (-(1 << 63), (1 << 63) - 1)
    assert _native.extremes(array("i", [5])) == (5, 5)
    assert _native.distinct(array("i", [2, 0, 2, 1, 0]), 4) == [2, 0, 1]
    assert _native.distinct(array("q"), 0) == []
    assert array("q", _native.taken(array("q", [10, -20, 30]), array("i", [2, 2, 0, 1]))).tolist() == [30, 30, 10, -20]
    for wrong in ([4], [-1], [1 << 40]):
        with pytest.raises(InvalidArgumentError, match="codes, row 0"):
            _native.distinct(array("q", wrong), 4)
        with pytest.raises(InvalidArgumentError, match="codes, row 0"):
            _native.taken(array("q", [1, 2, 3, 4]), array("q", wrong))
    for column in (array("d", [1.0]), array("Q", [1]), b"\0" * 8, memoryview(array("q", [1, 2, 3]))[::2]):
        with pytest.raises((InvalidArgumentError, BufferError)):
            _native.extremes(column)
    with pytest.raises(InvalidArgumentError, match="empty"):
        _native.extremes(array("q"))
