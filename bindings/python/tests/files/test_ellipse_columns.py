"""Tests the error ellipses of fixes in files, frames and tables: every source gives the probabilities of an independent
integration over the ellipse, and every source refuses the same values."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, mentions

from fencepost import (
    Circle,
    EventLog,
    Fix,
    Fleet,
    InputError,
    InputWarning,
    Monitor,
    TransitionPolicy,
    Zones,
    compare,
    geodesic,
    replay,
    tune,
)  # fmt: skip
from fencepost.types import FeedResult

RADIUS = 1000.0
ZONE = {"zone": Circle(52.5, 13.4, RADIUS)}
POLICY = TransitionPolicy(
    entry_probability=0.6, exit_probability=0.4, accuracy_factor=0, entry_margin=0, exit_margin=0, entry_dwell=0,
    exit_dwell=0,
)  # fmt: skip
NAMES = ("error_major_m", "error_minor_m", "error_orientation_deg")
FOREIGN = ("smaj", "smin", "azi")
NAMED = dict(zip(("error_major", "error_minor", "error_orientation"), FOREIGN))
Row = tuple[float, float, float, int, float | None, float | None, float | None]
# Metres from the centre, metres of accuracy, and the error ellipse: major, minor, orientation.
STEPS: list[tuple[float, float, tuple[float, float, float] | None]] = [
    (1200, 400, (100, 20, 0)),
    (990, 5, (100, 10, 90)),  # 0.53: across the boundary, the position is uncertain
    (990, 400, (100, 10, 0)),
    (1005, 5, (80, 10, 85)),  # 0.47
    (1030, 400, (60, 20, 450)),
    (985, 400, (40, 30, -30)),
    (1100, 10, None),
]


def inside(metres: float, major: float, minor: float, orientation: float) -> float:
    """The probability that a circle contains the true position, for a measured position `metres` east of its centre.

    The probability is integrated in the plane, chord by chord, along the axes of the ellipse.
    """
    turn = math.radians(orientation)
    along, across = metres * math.sin(turn), metres * math.cos(turn)  # the centre of the circle is at the origin
    steps, total = 20_000, 0.0
    for step in range(steps):
        u = (step + 0.5) / steps * 16 - 8
        left = RADIUS**2 - (along + major * u) ** 2
        if left <= 0:
            continue
        chord = math.sqrt(left)
        ends = [math.erf((end - across) / (minor * math.sqrt(2))) / 2 for end in (-chord, chord)]
        total += math.exp(-u * u / 2) / math.sqrt(2 * math.pi) * (ends[1] - ends[0]) * 16 / steps
    return total


def rows(steps: Sequence[tuple[float, float, tuple[float, float, float] | None]] = STEPS) -> list[Row]:
    found = []
    for second, (metres, accuracy, ellipse) in enumerate(steps):
        end = geodesic.direct(52.5, 13.4, 90, metres)
        found.append((end.latitude, end.longitude, accuracy, second * 1_000_000, *(ellipse or (None,) * 3)))
    return found


def expected() -> list[tuple[str, int, float]]:
    """The changes of the state, their seconds and the probabilities, without the library."""
    found, state = [], ""
    for second, (metres, accuracy, ellipse) in enumerate(STEPS):
        sigma = accuracy / math.sqrt(-2 * math.log(1 - 0.68))
        share = inside(metres, *(ellipse or (sigma, sigma, 0)))
        side = "satisfied" if metres < RADIUS and share >= 0.6 else "unsatisfied"
        if (metres < RADIUS and 0.4 < share < 0.6) or (metres >= RADIUS and share > 0.4):
            continue
        if side != state:
            found.append((side, second, share))
            state = side
    return found


def changes(log: EventLog) -> list[tuple[str, int, float]]:
    found = [(str(event.state), event.date_us or 0, event.probability) for event in log]
    assert all(probability is not None for *_, probability in found)
    return [(state, time // 1_000_000, probability or 0.0) for state, time, probability in found]


def columns(given: Sequence[Row], names: Sequence[str] = NAMES) -> dict[str, list[Any]]:
    return dict(zip(("lat", "lon", "accuracy", "time_us", *names), map(list, zip(*given)))) | {
        "car": ["a"] * len(given)
    }


def as_csv(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Path:
    path = folder / "track.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        table = columns(given, names)
        writer.writerow(table)
        writer.writerows(["" if value is None else value for value in row] for row in zip(*table.values()))
    return path


def as_geojson(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Path:
    features = []
    for latitude, longitude, accuracy, time, *ellipse in given:
        properties = {"time_us": time, "accuracy": accuracy, "car": "a"} | dict(zip(names, ellipse))
        point = {"type": "Point", "coordinates": [longitude, latitude]}
        features.append({"type": "Feature", "geometry": point, "properties": properties})
    path = folder / "track.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def as_kml(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Path:
    if names != NAMES:
        pytest.skip("the arrays of KML have fixed names")
    arrays = "".join(
        f'<gx:SimpleArrayData name="{name}">'
        + "".join(f"<gx:value>{'' if row[at] is None else row[at]}</gx:value>" for row in given)
        + "</gx:SimpleArrayData>"
        for name, at in zip(("accuracy", *names), (2, 4, 5, 6))
    )
    whens = "".join(f"<when>1970-01-01T00:00:{row[3] // 1_000_000:02}Z</when>" for row in given)
    coords = "".join(f"<gx:coord>{row[1]} {row[0]} 0</gx:coord>" for row in given)
    path = folder / "track.kml"
    path.write_text(
        '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark>'
        f"<name>a</name><gx:Track>{whens}{coords}<ExtendedData><SchemaData>{arrays}</SchemaData></ExtendedData>"
        "</gx:Track></Placemark></kml>"
    )
    return path


def as_frame(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns(given, names))


def as_points(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Any:
    geopandas = pytest.importorskip("geopandas")
    table = columns(given, names)
    points = geopandas.points_from_xy(table.pop("lon"), table.pop("lat"), crs=4326)
    return geopandas.GeoDataFrame(table, geometry=points)


def as_arrow(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Any:
    return pytest.importorskip("pyarrow").table(columns(given, names))


def as_parquet(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Path:
    pytest.importorskip("pyarrow.parquet").write_table(as_arrow(folder, given, names), folder / "track.parquet")
    return folder / "track.parquet"


def as_geoparquet(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Path:
    as_points(folder, given, names).to_parquet(folder / "points.parquet")
    return folder / "points.parquet"


def as_geopackage(folder: Path, given: Sequence[Row], names: Sequence[str]) -> Path:
    pytest.importorskip("pyogrio")
    as_points(folder, given, names).to_file(folder / "track.gpkg")
    return folder / "track.gpkg"


SOURCES: list[Callable[[Path, Sequence[Row], Sequence[str]], Any]] = [
    as_csv, as_geojson, as_kml, as_frame, as_points, as_arrow, as_parquet, as_geoparquet, as_geopackage,
]  # fmt: skip


def played(track: Any, **options: Any) -> EventLog:
    return replay(track, ZONE, policy=POLICY, assuming="unknown", **options)


def test_the_expected_changes_need_the_ellipses() -> None:
    """The circles of the accuracies give other changes."""
    assert [state for state, *_ in expected()] == [
        "unsatisfied",
        "satisfied",
        "unsatisfied",
        "satisfied",
        "unsatisfied",
    ]
    plain = played([Fix(*row[:3], time=row[3]) for row in rows()])
    assert [change[:2] for change in changes(plain)] != [change[:2] for change in expected()]


@pytest.mark.parametrize("device", [None, "car"])
@pytest.mark.parametrize("names", [NAMES, FOREIGN], ids=["known names", "named columns"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_every_source(source: Any, names: Sequence[str], device: str | None, tmp_path: Path) -> None:
    track = source(tmp_path, rows(), names)
    options: dict[str, Any] = {} if names == NAMES else {"columns": NAMED}
    if device is not None:
        options["device"] = "name" if source is as_kml else device
    log = played(track, **options)
    found = changes(log)
    assert [change[:2] for change in found] == [change[:2] for change in expected()]
    for (*_, probability), (*_, share) in zip(found, expected()):
        assert probability == pytest.approx(share, abs=2e-5)
    # The log has the ellipses, also if it reads the file again.
    assert [fix[4:] for fix in log.replays[0].fixes] == [step[2] or () for step in STEPS]


def test_fixes_with_ellipses() -> None:
    fixes = [Fix(*row[:3], time=row[3], error_ellipse=step[2]) for row, step in zip(rows(), STEPS)]
    log = played(fixes)
    assert [change[:2] for change in changes(log)] == [change[:2] for change in expected()]


@pytest.mark.parametrize("source", [as_csv, as_parquet, as_arrow], ids=lambda source: source.__name__)
def test_unsorted_rows_keep_their_ellipses(source: Any, tmp_path: Path) -> None:
    track = source(tmp_path, rows()[::-1], NAMES)
    for device in (None, "car"):
        with pytest.warns(InputWarning, match="sorted"):
            log = played(track, device=device)
        assert [change[:2] for change in changes(log)] == [change[:2] for change in expected()]


def test_csv_that_pyarrow_reads(tmp_path: Path) -> None:
    """A file of many tracks is read in columns; a comment makes the reader go row by row. Both give the same events."""
    pytest.importorskip("pyarrow.csv")
    path = as_csv(tmp_path, rows(), NAMES)
    fast = changes(played(path, device="car"))
    path.write_text(path.read_text() + "#\n")
    assert changes(played(path, device="car")) == fast and len(fast) == 5


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("more", [(), ("--path", "geodesic", "--max-gap", "60")], ids=["fixes", "path"])
def test_the_command(more: tuple[str, ...], jobs: int, run: Run, tmp_path: Path) -> None:
    zones = tmp_path / "zones.geojson"
    properties = {"identifier": "zone", "radius": RADIUS, "assuming": "unknown", "policy": POLICY.to_dict()}
    feature = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [13.4, 52.5]}, "properties": properties}
    zones.write_text(json.dumps({"type": "FeatureCollection", "features": [feature]}))
    path = as_csv(tmp_path, rows(), FOREIGN)
    named = ",".join(f"{what}={name}" for what, name in NAMED.items())
    arguments = ["--columns", named, "--by", "car", "--jobs", str(jobs), "--format", "jsonl", *more]
    done = run("replay", path, "--conditions", zones, *arguments)
    assert done.returncode == 0, done.stderr
    states = [json.loads(line)["state"] for line in done.stdout.splitlines()]
    assert states == [state for state, *_ in expected()]
    unnamed = run("replay", path, "--conditions", zones, "--by", "car", "--format", "jsonl", *more)
    assert [json.loads(line)["state"] for line in unnamed.stdout.splitlines()] != states
    refused = run("replay", path, "--conditions", zones, "--columns", "error_major=smaj", "--by", "car")
    assert refused.returncode == 2 and mentions(refused.stderr, "error_minor … smaj … --columns error_minor=")


BAD = {
    "minor above major": (5.0, 6.0, 0.0),
    "a negative semi-axis": (5.0, -1.0, 0.0),
    "two negative semi-axes": (-5.0, -6.0, 0.0),
    "only the major semi-axis": (5.0, None, None),
    "no orientation": (5.0, 4.0, None),
    "no major semi-axis": (None, 4.0, 10.0),
}


@pytest.mark.parametrize("ellipse", BAD.values(), ids=BAD)
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.__name__)
def test_impossible_ellipses(
    source: Any, ellipse: tuple[float | None, float | None, float | None], tmp_path: Path
) -> None:
    """A fix with an impossible ellipse is invalid: it is skipped, counted and named."""
    given = rows()
    bad: list[Row] = [given[0], (*given[1][:4], *ellipse), *given[2:]]
    track = source(tmp_path, bad, NAMES)
    for device in (None, "name" if source is as_kml else "car"):
        with pytest.warns(InputWarning, match="error ellipse") as caught:
            log = played(track, device=device)
        text = str(caught[0].message)
        assert mentions(text, "1 of 7") and mentions(
            text, "nan" if None in ellipse else f"({ellipse[0]:g}, {ellipse[1]:g}"
        )
        assert log.counts.invalid_fixes == 1
        assert [change[:2] for change in changes(log)] == [change[:2] for change in expected()]
    with pytest.raises(InputError) as refused:
        played(source(tmp_path, [bad[1]] * 2, NAMES))
    assert mentions(refused.value, "error ellipse … none of 2")


@pytest.mark.parametrize("source", [as_frame, as_arrow, as_points], ids=lambda source: source.__name__)
def test_tables_that_are_fed(source: Any, tmp_path: Path) -> None:
    """`feed_many` finds the columns in the same way as a replay."""
    for names, chosen in ((NAMES, None), (FOREIGN, NAMED)):
        table = source(tmp_path, rows(), names)
        monitor = Monitor()
        monitor.add(ZONE["zone"], "zone", policy=POLICY)
        assert monitor.feed_many(table, columns=chosen) == FeedResult(7, 0, 0)
        assert [(str(event.state), event.date_us) for event in monitor.events()] == [
            (state, second * 1_000_000) for state, second, _ in expected()
        ]
        zones = Zones()
        zones.add(ZONE["zone"], "zone", policy=POLICY, assuming="unknown")
        fleet = Fleet(zones)
        fleet.feed_many(table, columns={"device": "car"} | (chosen or {}))
        assert [str(event.state) for event in fleet.events()] == [state for state, *_ in expected()]
    table = source(tmp_path, rows(), ("smaj", "error_minor_m", "azi"))
    for feeding in (lambda: Monitor().feed_many(table), lambda: played(table)):
        with pytest.raises(InputError) as caught:
            feeding()
        assert mentions(caught.value, "error_major")


@pytest.mark.parametrize("source", [as_csv, as_geojson, as_frame, as_arrow], ids=lambda source: source.__name__)
@pytest.mark.parametrize("role", NAMED)
def test_values_that_are_no_numbers(role: str, source: Any, tmp_path: Path) -> None:
    at = 4 + list(NAMED).index(role)
    row: Any = list(rows()[0])
    row[at] = "wide"
    with pytest.raises(InputError) as caught:
        played(source(tmp_path, [tuple(row)], NAMES))
    assert mentions(caught.value, f"{role} 'wide'")


@pytest.mark.parametrize("names", [("major", "minor", "orient"), ("error_major", "error_minor", "error_orientation")])
@pytest.mark.parametrize("source", [as_csv, as_geojson, as_frame, as_arrow], ids=lambda source: source.__name__)
def test_names_without_units_are_not_read(source: Any, names: Sequence[str], tmp_path: Path) -> None:
    """Such columns may have other units and confidences, so the caller must name them."""
    log = played(source(tmp_path, rows(), names))
    assert all(len(fix) == 4 for fix in log.replays[0].fixes)


def test_nan_and_infinity_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    head = "lat,lon,time_us,error_major_m,error_minor_m,error_orientation_deg\n"
    path.write_text(head + "52.5,13.4,0,nan,nan,nan\n52.5,13.4,1000000,,,\n52.5,13.4,2000000,null,NA,none\n")
    log = played(path)
    assert log.counts.invalid_fixes == 0 and all(len(fix) == 4 for fix in log.replays[0].fixes)
    for bad in ("inf,5,0", "5,5,inf", "1e999,1,0", "5,nan,0"):
        path.write_text(f"{head}52.5,13.4,0,,,\n52.5,13.4,1000000,{bad}\n")
        try:
            with pytest.warns(InputWarning, match="error ellipse"):
                assert played(path).counts.invalid_fixes == 1
        except InputError as error:
            assert mentions(error, "line 3")  # the text is not a number


def test_compare_and_tune_use_the_ellipses(tmp_path: Path) -> None:
    path = as_csv(tmp_path, rows(), FOREIGN)
    visits = [(2, 4), (5, 6)]
    assert [second for _, second, _ in expected()] == [0, *(second for visit in visits for second in visit)]
    (outcome,) = compare(path, ZONE, policies={"own": POLICY}, columns=NAMED)
    assert outcome.visits == len(visits)
    starts, ends = ([datetime.fromtimestamp(visit[side], UTC) for visit in visits] for side in (0, 1))
    labels: dict[str, list[object]] = {"identifier": ["zone"] * 2, "start": [*starts], "end": [*ends]}
    found = [tune(path, ZONE, labels, policies={"own": POLICY}, columns=named).best.f1 for named in (NAMED, None)]
    assert found[0] == 1 and found[1] < 1
