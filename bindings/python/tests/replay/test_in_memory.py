"""Tests that a replay of tracks in memory, which uses one fleet, gives the same results in every field as one monitor
for each track."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from conftest import SECOND, UUID

from fencepost import Beacon, BeaconSighting, Circle, Corridor, Fix, Monitor, Polygon, compare, replay as replay_log
from fencepost._files.sightings import Report
from fencepost._files.tracks import FixRow, Track
from fencepost._fleet.conditions import Zones
from fencepost._replay.in_memory import replay_tracks
from fencepost._replay.replay import Replay
from fencepost.errors import InvalidArgumentError
from fencepost.types import TrackReplay


def conditions_into(holder: Zones | Monitor, seed: int) -> None:
    """Adds circles, a polygon, a corridor and a beacon; the initial state of some of them is unknown."""
    draw = random.Random(seed)
    for number in range(25):
        place = Circle(draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01), draw.uniform(50, 500))
        holder.add(
            place,
            f"circle {number}",
            assuming=draw.choice(["unknown", "unsatisfied", "satisfied"]),
            policy=draw.choice(["exact", "standard", "core_location"]),
            tag=number,
        )
    square = [(0, 0), (0, 0.004), (0.004, 0.004), (0.004, 0)]
    holder.add(
        Polygon(square, order="latlon", edges="geodesic"),
        "square",
        assuming="unknown",
        policy="exact",
    )
    road = Corridor([(-0.01, 0), (0.01, 0.002)], 80, order="latlon", edges="geodesic")
    holder.add(road, "road", assuming="unknown", policy="standard")
    holder.add(Beacon(UUID), "desk", assuming="unknown")


def tracks_of(seed: int, count: int = 12) -> list[Track]:
    """Returns walks of several lengths; some fixes are late, some are inaccurate, and some have no position or an
    invalid position."""
    draw = random.Random(seed)
    tracks = []
    for key in range(count):
        place = [draw.uniform(-0.01, 0.01), draw.uniform(-0.01, 0.01)]
        fixes: list[FixRow] = []
        time = draw.randrange(1000) * SECOND
        for _ in range(draw.choice([1, 2, 80, 300])):
            time += draw.choice([0, 1, 5, 40]) * SECOND
            place = [each + draw.uniform(-0.001, 0.001) for each in place]
            latitude = draw.choice([91.0, math.nan, math.inf]) if draw.random() < 0.02 else place[0]
            accuracy = draw.choice([0.0, 5.0, 20.0, 300.0, -1.0, math.nan]) if draw.random() < 0.3 else 5.0
            late = 200 * SECOND if draw.random() < 0.03 else 0
            fixes.append((latitude, place[1], accuracy, time - late))
        tracks.append(Track("walks", fixes, [], key))
    return tracks


def reports_of(seed: int) -> list[Report]:
    """Returns reports of beacon sightings and reports that scanning started or stopped; one of the reports is late."""
    draw = random.Random(seed)
    reports, time = [], 0
    for number in range(40):
        time += draw.randrange(1, 100) * SECOND
        at = time - (300 * SECOND if number == 20 else 0)
        if draw.random() < 0.2:
            reports.append(Report("", at, None, draw.random() < 0.5))
        else:
            reports.append(Report("", at, [BeaconSighting(UUID, 1, 2)] * draw.randrange(2)))
    return reports


def alone(track: Track, template: Monitor, reports: Sequence[Report] = (), until_us: int | None = None) -> TrackReplay:
    """Returns the result of replaying each track with a separate monitor, as replays did before fleets existed."""
    run = Replay(template.fork(), track.fixes, reports)
    return run.result(track, run.events(until_us))


def usable(tracks: list[Track]) -> list[Track]:
    """Returns the same tracks without the fixes that a frame cannot represent."""
    return [
        replace(track, fixes=[fix for fix in track.fixes if fix[2] >= 0 and -90 <= fix[0] <= 90]) for track in tracks
    ]


def frame_of(tracks: list[Track]) -> Any:
    pandas = pytest.importorskip("pandas")
    rows = [(track.key, *fix) for track in tracks for fix in track.fixes]
    frame = pandas.DataFrame(rows, columns=["vehicle", "lat", "lon", "accuracy", "t"])
    frame["t"] = pandas.to_datetime(frame["t"], unit="us", utc=True)
    return frame


@pytest.mark.parametrize("with_reports", [False, True])
@pytest.mark.parametrize("until_us", [None, 1 << 40])
@pytest.mark.parametrize("seed", range(3))
def test_one_fleet_gives_what_a_monitor_for_each_track_does(
    seed: int, until_us: int | None, with_reports: bool
) -> None:
    tracks, reports = tracks_of(seed), reports_of(seed) if with_reports else []
    zones, template = Zones(), Monitor()
    conditions_into(zones, seed)
    conditions_into(template, seed)
    found = replay_tracks(tracks, zones, reports, until_us)
    forked = replay_tracks(tracks, template, reports, until_us)
    expected = [alone(track, template, reports, until_us) for track in tracks]
    assert found == expected == forked
    texts = [event.to_json() for one in found for event in one.events]
    assert texts == [event.to_json() for one in expected for event in one.events]
    count = len(texts)
    assert count > 300 and sum(one.counts.late_fixes for one in found) > 10
    assert sum(one.counts.invalid_fixes for one in found) > 10
    assert sum(one.counts.late_reports for one in found) >= len(tracks) * with_reports


@pytest.mark.parametrize(
    "options",
    [
        {"delivery": "latest"},
        {"delivery": "first"},
        {"condition_limit": 2},
        {"path": "geodesic", "max_gap": 600},
        {"path": "geodesic", "max_gap": 600, "max_speed": 20},
    ],
)
def test_options_that_change_the_events(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """With each option, a replay of many tracks gives the events of one monitor for each track."""
    if "path" in options:
        monkeypatch.setattr("fencepost._replay.shard.Monitors", None)  # one fleet follows all tracks
    tracks = usable(tracks_of(7, 4))
    frame = frame_of(tracks)
    places = {f"p{n}": Circle(0.001 * n - 0.003, 0, 300) for n in range(6)}
    log = replay_log(frame, places, by="vehicle", sort=False, **options)
    template = Monitor(**options)
    for name, place in places.items():
        template.add(place, name, assuming="unsatisfied")
    for track in tracks:
        assert tuple(log.of(track.key)) == alone(track, template).events


def test_until_before_an_input_is_refused() -> None:
    place = {"start": Circle(0, 0, 100)}
    fixes = [Fix(0, 0, time=SECOND), Fix(0, 0, time=9 * SECOND), Fix(0, 0, time=2 * SECOND)]
    with pytest.raises(InvalidArgumentError, match="until"):
        replay_log(fixes, place, until=8 * SECOND)
    assert replay_log(fixes, place, until=9 * SECOND).counts.late_fixes == 1


def test_policies_are_compared_on_one_fleet() -> None:
    tracks = usable(tracks_of(3, 5))
    frame = frame_of(tracks)
    places = {f"p{n}": Circle(0.001 * n - 0.003, 0, 300) for n in range(6)}
    compared = compare(frame, places, policies=["exact", "standard"], by="vehicle", sort=False)
    for outcome in compared:
        log = replay_log(frame, places, by="vehicle", policy=outcome.name, sort=False)
        assert list(outcome.log.tracked()) == list(log.tracked())
    assert compared["exact"].missed_visits == 0 and compared["exact"].events > 20
