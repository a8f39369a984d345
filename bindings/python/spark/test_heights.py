"""Tests fixes with heights and conditions with limits of altitude in a real Spark: a replay and a stream give the
events of ``fencepost replay``, and points are joined by their heights."""

from __future__ import annotations

import decimal
import random
from pathlib import Path
from typing import Any

import high
import pytest
import streams

from fencepost import AltitudeBand, Circle, Zones, spark as fencepost_spark
from fencepost.errors import InputWarning, InvalidArgumentError

NAMED = {"altitude": "h", "vertical_accuracy": "va", "geoid_height": "N", "ground_height": "G"}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[high.Row], list[Any]]:
    """The conditions, the rows, and the events of the command."""
    folder = tmp_path_factory.mktemp("high")
    conditions, rows = high.write_conditions(folder), high.rows()
    high.write(folder / "track.csv", rows[:-1])  # the last row is far from all places
    found = streams.replayed(folder / "track.csv", conditions, streams.until([row[:5] for row in rows]))
    assert sum("vertical_distance" in event for event in found) > 100
    assert sum("probability" in event for event in found) > 20
    return conditions, rows, found


World = tuple[Path, list[high.Row], list[Any]]


def test_a_replay_gives_the_events_of_the_command(spark: Any, world: World) -> None:
    conditions, rows, want = world
    arrived = list(rows)
    random.Random(2).shuffle(arrived)
    frame = spark.createDataFrame(arrived, high.SCHEMA)
    found = high.of(fencepost_spark.replay(frame, conditions, by="vehicle").collect())
    # The command advances each device's clock beyond its last row, so it may report more events than the replay.
    last = {event["vehicle"]: event["sequence"] for event in found}
    assert len(found) > 200 and len(want) - len(found) < 24
    assert found == [event for event in want if event["sequence"] <= last.get(event["vehicle"], 0)]
    renamed = frame.toDF(*high.FIELDS[:-4], *NAMED.values())
    assert high.of(fencepost_spark.replay(renamed, conditions, by="vehicle", **NAMED).collect()) == found
    # There is a warning for each kind of height, and pytest raises those that a `match` does not fit.
    with pytest.warns(InputWarning) as caught:
        other = fencepost_spark.replay(renamed, conditions, by="vehicle")
    texts = [str(each.message) for each in caught if each.category is InputWarning]
    assert all(text.startswith("frame: ") for text in texts) and any("altitude" in text for text in texts)
    assert high.of(other.collect()) != found
    with pytest.raises(InvalidArgumentError, match="altitude, which ground_height needs"):
        fencepost_spark.replay(renamed, conditions, by="vehicle", ground_height="G")
    text = frame.selectExpr("* except (ellipsoid_altitude_m)", "'7' as ellipsoid_altitude_m")
    with pytest.raises(InvalidArgumentError, match="'ellipsoid_altitude_m' is string"):
        fencepost_spark.replay(text, conditions, by="vehicle")


@pytest.mark.parametrize("ordered", [False, True])
def test_a_stream_gives_the_events_of_the_command(spark: Any, tmp_path: Path, world: World, ordered: bool) -> None:
    conditions, rows, want = world
    arrived = rows if ordered else streams.by_time_of_arrival(rows[:-1], 3, streams.DELAY) + rows[-1:]
    for number in range(4):
        high.write(tmp_path / "in" / f"part-{number}.csv", arrived[number * 400 : (number + 1) * 400], number)
    found, _ = high.run(spark, tmp_path, conditions, ordered=ordered)
    assert high.of(found) == want


def test_heights_may_be_other_numbers_or_missing(spark: Any) -> None:
    zones = Zones()
    zones.add(Circle(0, 0, 500), "low", policy="exact", band=AltitudeBand(0, 100, reference="ground"))
    rows = [
        (0, None, 400),
        (1, decimal.Decimal("450.5"), 400),
        (2, decimal.Decimal(420), None),
        (3, decimal.Decimal(510), 400),
    ]
    frame = spark.createDataFrame(rows, "time_us long, altHAE decimal(9,2), groundHeight int").selectExpr(
        "'a' as device", "0 as lat", "0 as lon", "*"
    )
    found = fencepost_spark.replay(frame, zones, by="device").collect()
    assert [(row.state, row.vertical_distance, row.decided_by) for row in found] == [
        ("satisfied", -49.5, None),
        ("unsatisfied", 10.0, None),
    ]


def test_points_are_joined_by_their_heights(spark: Any, world: World) -> None:
    path, rows, _ = world
    zones = Zones.read(path)
    odd = [float("nan"), float("inf"), None, 1e300]
    points = [(*row[:8], odd[place % 4] if place % 5 == 0 else row[8], *row[9:]) for place, row in enumerate(rows)]
    frame = spark.createDataFrame(points, high.SCHEMA)
    found = fencepost_spark.containing(frame, zones)
    assert found.columns == [*high.FIELDS, "identifier"]
    want = []
    for row in points:
        given = dict(zip(("altitude", "geoid_height", "ground_height"), (row[8], *row[10:])))
        inside = zones.containing(row[1], row[2], **{name: value for name, value in given.items() if value is not None})
        want += [(row[4], row[0], identifier) for identifier in inside]
    assert sorted((row.time_us, row.vehicle, row.identifier) for row in found.collect()) == sorted(want)
    plain = frame.drop(*high.HEIGHTS)
    assert 100 < len(want) < fencepost_spark.containing(plain, zones).count()
