"""Tests the forms of the event log, the visits, and the comparison of policies."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from conftest import DATA, ROOT, TRACKS, mentions, needs_shared

from fencepost import (
    Circle,
    Comparison,
    EventLog,
    Fix,
    InputError,
    Notify,
    State,
    TransitionPolicy,
    Visit,
    Visits,
    compare,
    geodesic,
    replay,
)
from fencepost.errors import InvalidArgumentError
from fencepost.types import Known

GOLDEN = (ROOT / "Tests" / "Golden" / "demo-events.jsonl").read_text(encoding="utf-8")
HOME = {"home": Circle(0, 0, 100)}
INSIDE, OUTSIDE = 0.0, 0.01


def demo() -> EventLog:
    return replay(DATA / "drive.csv", DATA / "conditions.geojson", sightings=DATA / "sightings.jsonl")


def track(*parts: tuple[float, float]) -> list[Fix]:
    """Returns fixes with one fix a second; each part of the track is a longitude and a number of seconds."""
    fixes: list[Fix] = []
    for longitude, seconds in parts:
        fixes += [Fix(0, longitude, accuracy=5, time=(len(fixes) + n) * 1_000_000) for n in range(int(seconds))]
    return fixes


# ------------------------------------------------------------------------------------------------- forms


def test_jsonl_is_the_cores(tmp_path: Path) -> None:
    log = demo()
    assert log.to_jsonl() == GOLDEN
    assert log.to_jsonl(tmp_path / "a.jsonl") is None
    assert (tmp_path / "a.jsonl").read_text(encoding="utf-8") == GOLDEN
    stream = io.StringIO()
    assert log.to_jsonl(stream) is None and stream.getvalue() == GOLDEN


def test_csv_and_geojson_say_the_same() -> None:
    events = [json.loads(line) for line in GOLDEN.splitlines()]
    rows = list(csv.DictReader(io.StringIO(demo().to_csv() or "")))
    assert [row["identifier"] for row in rows] == [event["identifier"] for event in events]
    assert [float(row["boundary_distance"] or "nan") for row in rows if row["latitude"]] == [
        event["boundary_distance"] for event in events if event["latitude"] is not None
    ]
    features = json.loads(demo().to_geojson() or "")["features"]
    assert [feature["geometry"] and feature["geometry"]["coordinates"] for feature in features] == [
        event["latitude"] and [event["longitude"], event["latitude"]] for event in events
    ]


def test_frames() -> None:
    pandas = pytest.importorskip("pandas")
    log = demo()
    frame = log.to_pandas()
    events = [json.loads(line) for line in GOLDEN.splitlines()]
    assert (
        list(frame.columns)
        == [*events[0], "evidence", "gap", "direction", "probability", "vertical_distance", "decided_by"]
        == list(log.columns())
    )
    assert str(frame["date"].dtype) == "datetime64[us, UTC]" == str(frame["evidence_date"].dtype)
    assert frame["date"].tolist() == [pandas.Timestamp(event["date"]) for event in events]
    assert frame["boundary_distance"].dtype == float
    assert frame["latitude"].isna().tolist() == [event["latitude"] is None for event in events]
    visits = log.visits().to_pandas()
    assert str(visits["duration"].dtype) == "timedelta64[us]" and visits["open"].dtype == bool
    assert (visits["end"] - visits["start"])[~visits["open"]].equals(visits["duration"][~visits["open"]])
    empty = replay(track((OUTSIDE, 5)), {"home": HOME["home"]}, policy=TransitionPolicy(notify=Notify(0)))
    assert len(empty) == 0 and list(empty.to_pandas().columns) == list(frame.columns)
    assert str(empty.to_pandas()["date"].dtype) == "datetime64[us, UTC]"
    assert empty.visits().to_pandas().empty


def test_geopandas() -> None:
    pytest.importorskip("geopandas")
    log = demo()
    frame = log.to_geopandas()
    assert frame.crs.to_epsg() == 4326 and len(frame) == len(log)
    for event, point in zip(log, frame.geometry):
        assert (point is None) == (event.latitude is None)
        assert point is None or (point.y, point.x) == (event.latitude, event.longitude)
    # Transforming the coordinates to metres and back, as users do, must not move the points.
    back = frame.to_crs(3857).to_crs(4326)
    assert back.geometry.dropna().geom_equals_exact(frame.geometry.dropna(), tolerance=1e-9).all()


def test_how_it_shows() -> None:
    log = demo()
    assert (
        repr(log) == "<fencepost.EventLog: 21 events of 9 conditions, policies standard, core_location, exact, others, "
        "2024-05-01 15:30:00 to 2024-05-01 16:08:39 UTC>"
    )
    assert "21 events" in log._repr_html_() and log._repr_html_().count("<tr>") == 22
    assert repr(log.visits()) == "<fencepost.Visits: 9 visits to 8 conditions, 1 still open>"
    named = replay([Fix(0, 0, time=0)], {"<script>": HOME["home"]})
    assert "<script>" not in named._repr_html_() and "&lt;script&gt;" in named._repr_html_()
    assert log[0] == next(iter(log)) and log[:2] == tuple(log)[:2] and log == demo()


# ------------------------------------------------------------------------------------------------ visits


def test_ends_that_are_known_in_different_ways() -> None:
    visits = {visit.identifier: visit for visit in demo().visits()}
    campus, park, apple = (visits[name] for name in ("google campus", "google car park", "apple"))
    assert (campus.start_known, campus.end_known) == (Known.DETERMINATION, Known.CROSSING)
    assert (park.start_known, park.start) == (Known.ASSUMED, park.confirmed_start)
    assert (apple.end_known, apple.open, apple.end) == (Known.OPEN, True, None)
    assert apple.start + apple.duration == demo().end
    lobby = visits["apple lobby"]
    assert (lobby.start_known, lobby.end_known) == (Known.CROSSING, Known.TIMEOUT)
    assert lobby.confirmed_end is not None and lobby.end == lobby.confirmed_end - timedelta(seconds=30)


def test_confirmation_and_evidence() -> None:
    log = replay(track((OUTSIDE, 60), (INSIDE, 120), (OUTSIDE, 60)), HOME)
    (visit,) = log.visits()
    begin = datetime(1970, 1, 1, tzinfo=UTC)
    assert (visit.start, visit.confirmed_start) == (begin + timedelta(seconds=60), begin + timedelta(seconds=80))
    assert (visit.end, visit.confirmed_end) == (begin + timedelta(seconds=180), begin + timedelta(seconds=200))
    assert visit.duration == timedelta(seconds=120)


def test_frames_of_visits_are_to_pandas() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    visits, texts = demo().visits(), dict.fromkeys(("identifier", "start_known", "end_known"), str)
    wanted, made, table = visits.to_pandas(), pandas.DataFrame(visits), polars.DataFrame(visits)
    assert list(made) == list(wanted) == table.columns
    pandas.testing.assert_frame_equal(made.astype(texts), wanted.astype(texts))
    # Polars drops the time zone of a dataclass's times; polars.DataFrame(visits.to_arrow()) keeps it.
    assert table["start"].to_list() == [visit.start.replace(tzinfo=None) for visit in visits]
    assert table["duration"].to_list() == [visit.duration for visit in visits]


def test_the_log_ends_on_request() -> None:
    (visit,) = replay(track((INSIDE, 10)), HOME, until=3_600_000_000).visits()
    assert visit.open and visit.duration == timedelta(hours=1)
    assert list(replay(track((OUTSIDE, 10)), HOME).visits()) == []
    # The accuracy is too poor to decide the state, and no state is assumed, so the state stays unknown.
    assert list(replay([Fix(0, 0, accuracy=5000, time=0)], HOME).visits()) == []


def test_visits_agree_with_the_time_inside() -> None:
    """With the exact policy, the visits are exactly the runs of consecutive fixes inside the place."""
    seed = 20261121
    chance = random.Random(seed)
    for _ in range(20):
        longitude, fixes = 0.0, []
        for second in range(300):
            longitude += chance.uniform(-0.0006, 0.0006)
            fixes.append(Fix(0, longitude, time=second * 1_000_000))
        inside = [geodesic.inverse(0, 0, 0, fix.longitude).distance <= 100 for fix in fixes]
        expected, begin = [], None
        for second, here in enumerate(inside):
            if here and begin is None:
                begin = second
            elif not here and begin is not None:
                expected.append((begin, second))
                begin = None
        if begin is not None:
            expected.append((begin, 299))
        found = [
            (round(visit.start.timestamp()), round((visit.start + visit.duration).timestamp()))
            for visit in replay(fixes, HOME, policy="exact").visits()
        ]
        assert found == expected, f"seed {seed}"


def test_limits_stop_a_visit_from_being_seen() -> None:
    circles = {"a": HOME["home"], "b": HOME["home"]}
    log = replay(track((INSIDE, 10)), circles, condition_limit=1)
    assert [(visit.identifier, visit.open) for visit in log.visits()] == [("a", True)]
    assert [(event.identifier, event.state) for event in log] == [("b", State.UNMONITORED), ("a", State.SATISFIED)]


# ----------------------------------------------------------------------------------------------- compare


def test_delays_and_missed_visits() -> None:
    """Returns a track with a long visit, a short visit, and a visit with an excursion."""
    fixes = track(
        (OUTSIDE, 60),
        (INSIDE, 120),
        (OUTSIDE, 60),
        (INSIDE, 10),
        (OUTSIDE, 60),
        (INSIDE, 60),
        (OUTSIDE, 5),
        (INSIDE, 60),
        (OUTSIDE, 60),
    )
    found = compare(fixes, HOME)
    assert [outcome.name for outcome in found] == ["exact", "standard", "core_location"]
    exact, standard = found["exact"], found["standard"]
    assert (exact.visits, exact.missed_visits, exact.false_visits, exact.mean_delay) == (4, 0, 0, 0.0)
    # The standard policy misses the short visit. It reports the last two visits of the baseline as one, because the
    # excursion between them does not end the visit.
    assert (standard.visits, standard.missed_visits, standard.false_visits) == (2, 1, 0)
    assert (standard.entry_delay, standard.exit_delay, standard.mean_delay) == (20.0, 20.0, 20.0)
    assert standard.events == len(standard.log) == 5
    # Crossings at 60, 180, 240, 250, 310, 370, 375 and 435 s: all but the first pair lie within 60 s.
    assert exact.flaps == 6 and standard.flaps == 0
    assert compare(fixes, HOME, flap_seconds=5)["exact"].flaps == 1
    assert compare(fixes, HOME, flap_seconds=timedelta(seconds=4))["exact"].flaps == 0


def test_a_better_baseline() -> None:
    truth = track((OUTSIDE, 100), (INSIDE, 200), (OUTSIDE, 100))
    chance = random.Random(7)
    noisy = [
        Fix(fix.latitude, fix.longitude + (OUTSIDE if chance.random() < 0.1 else 0), accuracy=5, time=fix.time_us)
        for fix in truth
    ]
    found = compare(
        noisy, HOME, baseline=truth, policies={"exact": "exact", "slow": TransitionPolicy(entry_dwell=5, exit_dwell=60)}
    )
    assert found["exact"].visits > 5 and found["exact"].flaps > 10
    assert (found["slow"].visits, found["slow"].flaps, found["slow"].missed_visits) == (1, 0, 0)
    assert mentions(found.baseline_name, "exact … baseline") and len(found.baseline) == 3
    same = compare(noisy, HOME, baseline=found.baseline, policies=["exact"])
    assert same[0].missed_visits == 0 and mentions(same.baseline_name, "log passed")
    # The device never enters, so every visit is false: only the noise causes it.
    nowhere = compare(noisy, HOME, baseline=track((OUTSIDE, 400)), policies=["exact"])
    assert nowhere[0].false_visits == nowhere[0].visits and nowhere[0].mean_delay is None


def test_policies_hold_for_all_conditions() -> None:
    """`compare` replaces the policies of the conditions; otherwise, all rows of the result would be equal."""
    found = compare(DATA / "drive.csv", DATA / "conditions.geojson")
    own = {outcome.name: [event.to_json() for event in outcome.log] for outcome in found}
    assert len({tuple(lines) for lines in own.values()}) == 3
    assert found["standard"].policy == TransitionPolicy.standard()


def test_comparison_is_a_table() -> None:
    pandas = pytest.importorskip("pandas")
    found = compare(track((OUTSIDE, 60), (INSIDE, 120), (OUTSIDE, 60)), HOME, policies=["standard"])
    assert isinstance(found, Comparison)
    assert list(found.columns()) == [
        "policy",
        "events",
        "visits",
        "flaps",
        "entry_delay",
        "exit_delay",
        "mean_delay",
        "missed_visits",
        "false_visits",
    ]
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["mean_delay"].tolist() == [20.0]
    assert mentions(repr(found), f"<fencepost.Comparison: 1 … {found.baseline_name}; … 60 s>")
    assert "standard" in found._repr_html_() and (found.to_csv() or "").startswith("policy,events")
    with pytest.raises(KeyError):
        found["exact"]


def test_bad_comparisons() -> None:
    fixes = track((INSIDE, 5))
    with pytest.raises(TypeError, match="policies"):
        compare(fixes, HOME, policies="exact")
    with pytest.raises(InvalidArgumentError, match="policies"):
        compare(fixes, HOME, policies=[])
    with pytest.raises(InvalidArgumentError, match="'lax'"):
        compare(fixes, HOME, policies=["lax"])
    for seconds in (-1, math.nan):
        with pytest.raises(InvalidArgumentError, match="flap_seconds"):
            compare(fixes, HOME, flap_seconds=seconds)
    with pytest.raises(TypeError, match="baseline"):
        compare(fixes, HOME, baseline=7)
    with pytest.raises(InputError, match="baseline"):
        compare(fixes, HOME, baseline=[])


@needs_shared()
def test_a_noisy_walk_among_tall_buildings() -> None:
    """Compares the presets on a real, noisy track: the standard policy removes nearly all flaps."""
    path = TRACKS / "gpx" / "walk-tokyo-urban-canyon.gpx"
    fixes = replay(path, HOME).replays[0].fixes
    circles = {f"stop {n}": Circle(*fixes[n * len(fixes) // 12][:2], radius=120) for n in range(12)}
    found = compare(path, circles)
    assert found["exact"].flaps > 50 and found["standard"].flaps <= found["exact"].flaps / 20
    assert found["core_location"].flaps <= found["standard"].flaps
    # The accuracy is unknown, so a crossing is reported after the dwell, or with the next fix after the dwell.
    assert (found["standard"].entry_delay or 0) >= 20


def test_visits_of_one_track_do_not_overlap() -> None:
    visits = sorted(demo().visits(), key=lambda visit: (visit.identifier, visit.start))
    for earlier, later in itertools.pairwise(visits):
        assert earlier.identifier != later.identifier or earlier.start + earlier.duration <= later.start
    assert all(isinstance(visit, Visit) and visit.duration >= timedelta(0) for visit in visits)


def test_the_table_of_visits_is_that_of_the_visits() -> None:
    """The table of visits is made from the engine's rows, without creating events or visits."""
    pandas = pytest.importorskip("pandas")
    table = pytest.importorskip("pyarrow")
    log = demo()
    for visits in (log.visits(), replay(DATA / "drive.csv", {}).visits()):
        made = Visits(list(visits), visits.by)
        assert len(made) == len(visits) and made == visits
        pandas.testing.assert_frame_equal(visits.to_pandas(), made.to_pandas())
        assert table.table(visits).equals(table.table(made))
    times = pandas.date_range("2024-05-01", periods=90, freq="min", tz="UTC")
    rows = pandas.DataFrame(
        {"car": ["a", "b", "c"] * 30, "time": times, "lat": 0.0, "lon": [0.0, 0, 0, 0.01, 0.01, 0] * 15}
    )
    tracks = replay(rows, {"here": Circle(0, 0, 150)}, by="car", policy="exact").visits()
    made = Visits(list(tracks), "car")
    assert len(tracks) > 30 and any(visit.open for visit in made)
    pandas.testing.assert_frame_equal(tracks.to_pandas(), made.to_pandas())
