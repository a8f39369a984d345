"""Tests that `compare` accepts every option of `replay`, and that `device` names the column of devices everywhere."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, Fix, InputError, compare, replay, spark

HOME = {"home": Circle(52.5, 13.4, radius=100)}
ZONES = "identifier,latitude,longitude\nhome,52.5,13.4\n"


def rows(*vans: str) -> str:
    """Each van is at home for 20 minutes, and then away. The times have no zone, and dates begin with the day."""
    lines = ["van,lat,lon,time"]
    for minute in range(40):
        for van in vans:
            latitude = 52.5 if minute < 20 else 52.6
            lines.append(f"{van},{latitude},13.4,05/04/2024 12:{minute:02}:00")
    return "\n".join(lines) + "\n"


def test_compare_takes_every_option_of_replay() -> None:
    own, others = (inspect.signature(function).parameters for function in (compare, replay))
    assert set(others) - set(own) == {"policy"}
    for name in set(own) & set(others):
        assert (own[name].default, own[name].kind, own[name].annotation) == (
            others[name].default, others[name].kind, others[name].annotation,
        )  # fmt: skip


def test_what_replays_can_be_compared(tmp_path: Path) -> None:
    """The options for reading apply to both the track and the baseline."""
    (tmp_path / "vans.csv").write_text(rows("a", "b"))
    (tmp_path / "zones.csv").write_text(ZONES)
    options: dict[str, Any] = {"device": "van", "time_zone": "Europe/Berlin", "date_order": "dmy", "radius": 150}
    options |= {"assuming": "unsatisfied", "until": datetime(2024, 4, 5, 12, tzinfo=UTC)}
    given = tmp_path / "vans.csv", tmp_path / "zones.csv"
    log = replay(*given, policy="standard", **options)
    assert log.start == datetime(2024, 4, 5, 10, tzinfo=UTC) and log.end == options["until"]
    for baseline in (None, tmp_path / "vans.csv"):
        found = compare(*given, baseline=baseline, policies=["standard", "exact"], **options)
        assert list(found["standard"].log.visits()) == list(log.visits())
        assert [outcome.visits for outcome in found] == [2, 2] and found.baseline.end == options["until"]
    with pytest.raises(InputError, match="radius"):
        compare(*given, **{**options, "radius": None})


def test_way_points_can_be_compared(tmp_path: Path) -> None:
    way = {"type": "LineString", "coordinates": [[13.39, 52.5], [13.41, 52.5]]}
    file = tmp_path / "way.geojson"
    file.write_text(str({"type": "Feature", "geometry": way, "properties": {}}).replace("'", '"'))
    options: dict[str, Any] = {"speed": 10, "start": 0, "loop": 2}
    found = compare(file, HOME, policies=["exact"], **options)
    assert found["exact"].visits == len(replay(file, HOME, policy="exact", **options).visits()) > 1
    with pytest.raises(InputError, match="point 1: .*time"):
        compare(file, HOME)


def test_sightings_can_be_compared(tmp_path: Path) -> None:
    file = tmp_path / "seen.jsonl"
    file.write_text('{"time": "1970-01-01T00:00:30Z", "scanning": true}\n')
    fixes = [Fix(52.5, 13.4, time=second * 1_000_000) for second in range(60)]
    found = compare(fixes, HOME, policies=["exact"], sightings=file)
    assert found["exact"].log.counts.reports == found.baseline.counts.reports == 1


def test_device_names_the_column_and_by_is_its_other_name(tmp_path: Path) -> None:
    file = tmp_path / "vans.csv"
    file.write_text(rows("a", "b"))
    one, other = (replay(file, HOME, date_order="dmy", **{name: "van"}) for name in ("device", "by"))
    assert one == other and one.tracks == ("a", "b")
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(file)
    frame["time"] = pandas.to_datetime(frame["time"], dayfirst=True, utc=True)
    assert replay(frame, HOME, device="van") == replay(frame, HOME, by="van") == one
    assert len(compare(frame, HOME, device="van").baseline.tracks) == 2


@pytest.mark.parametrize("function", [replay, compare])
def test_both_names_are_refused(function: Any) -> None:
    with pytest.raises(TypeError, match=r"\bdevice\b.*\bby\b"):
        function([], HOME, device="van", by="van")


def test_both_names_are_refused_in_spark() -> None:
    pytest.importorskip("pyspark")
    with pytest.raises(TypeError, match=r"\bdevice\b.*\bby\b"):
        spark.replay(None, "zones.csv", device="van", by="van")
    with pytest.raises(TypeError, match="device"):
        spark.replay(None, "zones.csv")
