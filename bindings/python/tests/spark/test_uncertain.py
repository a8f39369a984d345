"""Tests a shard of a stream whose fixes have error ellipses, without Spark. For any division into micro-batches, the
events equal those of one fleet to which all fixes were fed."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from conftest import number_of_cases

from fencepost import Fix, Fleet, TransitionPolicy, Zones
from fencepost.errors import InvalidArgumentError

pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

from fencepost._spark.packed import ROW_SCHEMA, UNCERTAIN_ROW_SCHEMA  # noqa: E402
from fencepost._spark.shard import Rules, follow  # noqa: E402
from fencepost._spark.states import (  # noqa: E402
    NARROW,
    UNCERTAIN,
    WIDE,
    empty,
    pack_state,
    unpack_state,
)

SECOND = 1_000_000
CERTAIN = TransitionPolicy(entry_probability=0.9, exit_probability=0.1, accuracy_factor=0)
Row = tuple[str, float, float, float, int, "tuple[float, float, float] | None"]


def zones() -> Zones:
    found = Zones()
    random_ = random.Random(4)
    for number in range(30):
        place = random_.uniform(-0.01, 0.01), random_.uniform(-0.01, 0.01), random_.uniform(60, 400)
        found.add_many([f"z{number}"], *([value] for value in place), policy=CERTAIN)
    return found


def walks(seed: int, devices: int = 5, steps: int = 60) -> list[Row]:
    random_ = random.Random(seed)
    places = {f"v{number}": [0.0, 0.0] for number in range(devices)}
    found: list[Row] = []
    for step in range(steps):
        for device, place in places.items():
            for axis in (0, 1):
                place[axis] += random_.gauss(0, 0.001)
            major = random_.choice([3.0, 40.0, 200.0])
            ellipse = (major, major * random_.choice([0.01, 0.7]), random_.uniform(0, 180))
            odd = random_.random()
            if odd < 0.03:
                ellipse = ellipse[1], ellipse[0], ellipse[2]  # invalid
            given = None if odd > 0.7 else ellipse
            found.append((device, place[0], place[1], random_.choice([0.0, 5.0, 40.0]), step * 10 * SECOND, given))
    return found


def batch(rows: list[Row], first: int) -> Any:
    listed = [(*row[:5], first + place, None, None, *(row[5] or (math.nan,) * 3)) for place, row in enumerate(rows)]
    columns = zip(*listed) if listed else [[]] * len(UNCERTAIN_ROW_SCHEMA)
    arrays = [pyarrow.array(column, field.type) for column, field in zip(columns, UNCERTAIN_ROW_SCHEMA)]
    return pyarrow.record_batch(arrays, schema=UNCERTAIN_ROW_SCHEMA)


def expected(rows: list[Row]) -> tuple[list[Any], int]:
    fleet, invalid = Fleet(zones()), 0
    for device, latitude, longitude, accuracy, time, ellipse in rows:
        try:
            fleet.feed(device, Fix(latitude, longitude, accuracy, time=time, error_ellipse=ellipse))
        except InvalidArgumentError:
            invalid += 1
    columns = fleet.events_columns()
    return sorted(zip(columns["device"], columns["identifier"], columns["date"], columns["probability"])), invalid


def followed(rows: list[Row], size: int, *, ordered: bool) -> tuple[list[Any], int]:
    conditions, shard, found, invalid = zones(), empty(UNCERTAIN), [], 0
    for begin in [*range(0, len(rows), size), None]:
        part = [] if begin is None else rows[begin : begin + size]
        watermark = rows[-1][4] if begin is None else max(part[0][4] - 1, 0)
        outcome = follow(lambda _: conditions, shard, [batch(part, 0)], watermark, Rules(ordered, None))
        shard = unpack_state(*pack_state(outcome.shard, UNCERTAIN), UNCERTAIN)
        invalid += outcome.fed.invalid
        for each in outcome.events:
            columns = (each[name].to_pylist() for name in ("device", "identifier", "date", "probability"))
            found += zip(*columns)
    return sorted(found), invalid


@pytest.mark.full
@pytest.mark.parametrize("seed", range(number_of_cases(2, 3, 6)))
def test_events_with_ellipses_are_those_of_a_fleet(seed: int) -> None:
    rows = walks(seed)
    want, invalid = expected(rows)
    plain, _ = expected([(*row[:5], None) for row in rows])
    assert len(want) > 20 and want != plain and invalid > 0
    for size, ordered in ((len(rows), True), (5, True), (35, True), (20, False), (300, False)):
        found, refused = followed(rows, size, ordered=ordered)
        assert [(device, name, probability) for device, name, _, probability in found] == [
            (device, name, probability) for device, name, _, probability in want
        ], (size, ordered)
        assert refused == invalid


def test_a_stream_may_begin_to_have_ellipses() -> None:
    """Rows that an earlier checkpoint holds back have no ellipse; a stream cannot stop having them."""
    rows = walks(1, devices=2, steps=6)
    narrow = [(*row[:5], place) for place, row in enumerate(rows[:6])]
    arrays = [pyarrow.array(column, field.type) for column, field in zip(zip(*narrow), ROW_SCHEMA)]
    held = pyarrow.record_batch(arrays, schema=ROW_SCHEMA)
    conditions = zones()
    shard = follow(lambda _: conditions, empty(NARROW), [held], -1, Rules(False, None)).shard
    assert shard.held.num_rows == 6
    later = unpack_state(*pack_state(shard, NARROW), UNCERTAIN)
    assert later.held.schema == UNCERTAIN_ROW_SCHEMA
    outcome = follow(lambda _: conditions, later, [batch(rows[6:], 6)], 10**15, Rules(False, None))
    want, invalid = expected([*((*row[:5], None) for row in rows[:6]), *rows[6:]])
    found = [row for each in outcome.events for row in zip(each["device"].to_pylist(), each["probability"].to_pylist())]
    assert sorted(found) == sorted((device, probability) for device, _, _, probability in want)
    assert outcome.fed.accepted == 12 - invalid
    for form, match in ((WIDE, "error ellipses"), (NARROW, "error ellipses")):
        with pytest.raises(InvalidArgumentError, match=match):
            unpack_state(*pack_state(outcome.shard, UNCERTAIN), form)
    with pytest.raises(InvalidArgumentError, match="format 5"):
        unpack_state(5, b"", b"", UNCERTAIN)
