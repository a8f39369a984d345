"""The report: its geometry, what stands in the page, what it refuses. `make test-all` opens it in a browser."""

from __future__ import annotations

import html
import itertools
import json
import math
import random
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, Run

from fencepost import Circle, EventLog, Fix, InputWarning, geodesic, replay
from fencepost._log.report_data import MOST_EVENTS, MOST_PLACES, MOST_POINTS, MOST_ROWS, report_data
from fencepost._log.web_mercator import circle, near, thinned, unwrapped, x_of, y_of

pytest.importorskip("bokeh")
HOME = {"home": Circle(0, 0, 100)}


def demo() -> EventLog:
    return replay(DATA / "drive.csv", DATA / "conditions.geojson", sightings=DATA / "sightings.jsonl")


def models(page: str) -> dict[str, dict[str, Any]]:
    """The models of the page's document, by name."""
    (text,) = re.findall(r'<script type="application/json" id="[^"]*">(.*?)</script>', page, flags=re.DOTALL)
    found: dict[str, dict[str, Any]] = {}

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            name = value.get("attributes", {}).get("name") if isinstance(value.get("attributes"), dict) else None
            if name is not None:
                found[name] = value
            for child in value.values():
                walk(child)
        elif isinstance(value, list):
            for child in value:
                walk(child)

    walk(json.loads(html.unescape(text) if "&lt;" in text or "&#" in text else text))
    return found


def visits_of_page(page: str) -> dict[str, Any]:
    """What the page's list of visits is made of."""
    (text,) = re.findall(
        r'<script type="application/x-visits\+json" id="visits-data">(.*?)</script>', page, flags=re.DOTALL
    )
    found: dict[str, Any] = json.loads(text)
    return found


# ---------------------------------------------------------------------------------------------- geometry


def test_web_mercator_is_epsg_3857() -> None:
    pyproj = pytest.importorskip("pyproj")
    project = pyproj.Transformer.from_crs(4326, 3857, always_xy=True).transform
    for latitude in (-85, -45.5, -1e-6, 0, 33, 84.99):
        for longitude in (-180, -77.7, 0, 13.4, 180):
            assert (x_of(longitude), y_of(latitude)) == pytest.approx(project(longitude, latitude), abs=1e-6)
    assert y_of(90) == y_of(85.0511287798066) == pytest.approx(x_of(180), abs=1e-3)


def test_lines_do_not_jump_at_the_antimeridian() -> None:
    assert unwrapped([179, -179, -178, 179, 10], 179) == [179, 181, 182, 179, 10]
    assert unwrapped([-179, 179], 181) == [181, 179]
    assert near(-179.5, 180) == 180.5 and near(13.4, 0) == 13.4


@pytest.mark.parametrize(
    ("latitude", "longitude", "radius"),
    [(52.5, 13.4, 100), (0, 179.999, 5_000), (-77.8, 166.7, 200_000), (80, 10, 1_000_000), (0, 0, 9_000_000)],
)
def test_circles_are_geodesic(latitude: float, longitude: float, radius: float) -> None:
    ((longitudes, latitudes),) = circle(latitude, longitude, radius)
    assert len(longitudes) == 180
    for east, north in zip(longitudes, latitudes):
        found = geodesic.inverse(latitude, longitude, north, near(east, 0)).distance
        assert found == pytest.approx(radius, abs=1e-6)
    steps = [abs(a - b) for a, b in zip(longitudes, longitudes[1:] + longitudes[:1])]
    assert max(steps) < 180 and all(abs(east - longitude) < 180 for east in longitudes)


def inside(rings: list[tuple[list[float], list[float]]], x: float, y: float) -> bool:
    """Whether a point lies in rings, by the even-odd rule, on the flat map."""
    odd = False
    for xs, ys in rings:
        east, north = [x_of(value) for value in xs], [y_of(value) for value in ys]
        for index in range(len(xs)):
            (x1, y1), (x2, y2) = (east[index - 1], north[index - 1]), (east[index], north[index])
            if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
                odd = not odd
    return odd


@pytest.mark.parametrize(
    ("latitude", "longitude", "radius"),
    [
        (10, 20, 2_000_000),
        (5, -175, 3_000_000),
        (80, 10, 2_500_000),  # the north pole is inside
        (-89.5, 100, 400_000),  # the south pole is
        (90, 0, 1_000_000),
        (0, 0, 12_000_000),  # both are
        (-40, 150, 19_000_000),
        (30, 30, 20_003_931),
        (1, 2, 30_000_000),  # all of it
    ],
)
def test_regions_hold_what_the_circle_holds(latitude: float, longitude: float, radius: float) -> None:
    """On the map a point is in the drawn region exactly when its geodesic distance is at most the radius."""
    seed = 20261121
    chance = random.Random(seed)
    rings = circle(latitude, longitude, radius, 720)
    west, east = min(rings[0][0]), max(rings[0][0])
    checked = 0
    for _ in range(2000):
        north, turn = chance.uniform(-84, 84), chance.uniform(-180, 180)
        distance = geodesic.inverse(latitude, longitude, north, turn).distance
        if abs(distance - radius) < 0.01 * radius + 20_000:
            continue  # the line between two corners is straight on the map, and the circle is not
        checked += 1
        places = [turn + 360 * shift for shift in (-1, 0, 1) if west <= turn + 360 * shift <= east]
        drawn = any(inside(rings, x_of(place), y_of(north)) for place in places)
        assert drawn == (distance <= radius), f"{north}, {turn} (seed {seed})"
    assert checked > 500


def test_long_lines_are_thinned() -> None:
    points = [(n * 0.001, math.sin(n / 1000)) for n in range(100_000)]
    kept = thinned(points, 5_000)
    assert kept[0] == 0 and kept[-1] == 99_999 and 500 < len(kept) <= 5_000 and kept == sorted(set(kept))
    assert thinned([(0.0, 0.0)] * 10, 5) == [0, 9]
    assert thinned(points[:10], 10) == list(range(10))


# -------------------------------------------------------------------------------------------------- page


class Page(HTMLParser):
    """What a browser would fetch for the page, and whether its elements are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        url = values.get("src") or (values.get("href") if tag == "link" else None)
        if url is not None and not url.startswith("data:"):
            self.fetched.append(url)
        if tag not in ("meta", "link", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_holds_everything(tmp_path: Path) -> None:
    log = demo()
    text = log.report(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == text and text.startswith("<!DOCTYPE html>")
    page = Page(text)
    assert page.fetched == [] and page.open == []
    listed = visits_of_page(text)
    assert [row[0] for row in listed["rows"]] == [visit.identifier for visit in log.visits()]
    assert listed["spans"] == [
        [visit.start.timestamp() * 1000, (visit.start + visit.duration).timestamp() * 1000] for visit in log.visits()
    ]
    assert listed["columns"][listed["identifier"]] == "identifier"
    assert listed["columns"] == ["identifier", "start", "end", "duration", "start known", "end known"]
    assert "<title>drive.csv</title>" in text and "cdn.bokeh.org" not in text
    found = models(text)
    assert {"map", "timeline", "tracks", "places", "events", "states", "timeline events", "base map"} <= set(found)
    assert found["base map"]["attributes"]["visible"] is False
    assert '<input type="checkbox" id="base-map" >' in text and "checked>" in log.report(base_map=True)


def test_what_is_drawn() -> None:
    log = demo()
    data = report_data(log)
    assert len(data.events["x"]) == len(log) and sum(x == x for x in data.events["x"]) == 16
    assert data.events["state"] == [str(event.state) for event in log]
    assert "inside the line" in data.events["distance"][0] and data.events["accuracy"][0].endswith(" m")
    assert (
        data.places["name"]
        == sorted(data.places["name"], key=lambda name: -len([v for v in log.visits() if v.identifier == name]))
        and len(data.places["name"]) == 8
    )
    assert [len(line) for line in data.lines["x"]] == [2297] and data.notes == []
    assert data.rows == list(log.conditions)
    # The states of a condition follow each other without gaps, from the beginning of the log to its end.
    for row in range(len(data.rows)):
        parts = [n for n, other in enumerate(data.states["row"]) if other == row]
        parts.sort(key=lambda n: data.states["left"][n])
        assert all(data.states["right"][a] == data.states["left"][b] for a, b in itertools.pairwise(parts))
        assert data.states["left"][parts[0]] * 1000 == (log.replays[0].begin_us)
        assert data.states["right"][parts[-1]] * 1000 == log.replays[0].end_us
    west, south, east, north = data.frame or (0, 0, 0, 0)
    assert all(west <= x <= east for x in data.lines["x"][0]) and all(south <= y <= north for y in data.lines["y"][0])


def test_polygons_and_corridors_are_drawn_beside_circles() -> None:
    log = replay(DATA / "drive.csv", DATA / "places.geojson")
    data = report_data(log)
    at = data.places["name"].index
    quarter, way, circle_of = at("cupertino"), at("motorway 85"), at("apple")
    assert len(data.places["name"]) == 10
    assert [len(ring) for ring in data.places["xs"][quarter][0]] == [5, 4]  # a hole
    assert len(data.places["xs"][way]) == 1 and len(data.places["xs"][way][0][0]) > 40
    assert data.places["what"][quarter].startswith("polygon of 1 part")
    assert data.places["what"][circle_of].startswith("radius 1,000 m around 37.32701")
    assert data.places["visits"][way] == "1 (14.1 min)"


def test_across_the_antimeridian() -> None:
    fixes = [Fix(0, near(179.9 + step * 0.001, 0), time=step * 1_000_000) for step in range(200)]
    data = report_data(replay(fixes, {"line": Circle(0, -180, 2000)}, policy="exact"))
    (xs,) = data.lines["x"]
    assert max(xs) - min(xs) == pytest.approx(x_of(0.199)) and all(b > a for a, b in itertools.pairwise(xs))
    assert all(min(xs) <= x <= max(xs) for x in data.events["x"])
    (circle_xs,) = data.places["xs"][0][0]
    assert min(xs) < min(circle_xs) < max(circle_xs) < max(xs)


def test_tracks_by_column_have_rows_of_their_own() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"lat": [0.0] * 4, "lon": [0.0, 1, 0, 1], "t": [0, 60, 0, 60], "car": list("aabb")})
    log = replay(frame, HOME, by="car", policy="exact")
    data = report_data(log)
    assert data.rows == ["a · home", "b · home"] and data.lines["track"] == ["a", "b"]
    assert len(data.events["row"]) == 4 and sorted(set(data.events["row"])) == [0, 1]
    assert len(set(data.lines["colour"])) == 2 and data.events["track"] == [0, 0, 1, 1]
    page = log.report()
    assert "tracks by car" in page and page.count('<input type="checkbox" checked value="') == 2
    assert Page(page).open == [] and [row[:2] for row in visits_of_page(page)["rows"]] == [["a", "home"], ["b", "home"]]
    assert "checked value" not in replay(frame[:2], HOME, policy="exact").report()


def test_the_timeline_has_room_for_what_happened() -> None:
    """Of many tracks and places the rows are those with visits, not those of the first track."""
    pandas = pytest.importorskip("pandas")
    cars = [f"car {number}" for number in range(MOST_ROWS)]
    frame = pandas.DataFrame({"lat": 0.0, "lon": [n / 10 for n in range(MOST_ROWS)], "time": 7, "car": cars})
    places = {f"c{n}": Circle(0, n / 10, 100) for n in range(MOST_ROWS)}
    data = report_data(replay(frame, places, by="car", policy="exact"))
    assert data.rows == [f"car {n} · c{n}" for n in range(MOST_ROWS)]
    assert data.states["state"].count("satisfied") == MOST_ROWS


def test_names_cannot_break_out() -> None:
    name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>$$x^2$$"
    text = replay([Fix(0, 0, time=0)], {name: HOME["home"]}).report(title=name)
    assert "<script>alert(1)" not in text and "<img src=x" not in text
    page = Page(text)
    assert page.fetched == [] and page.open == []
    (row,) = visits_of_page(text)["rows"]
    assert row[0] == name


def test_short_visits_have_an_edge_of_their_own() -> None:
    """A bar of a thousandth of a pixel is seen by its border, which lies above those of its neighbours."""
    fixes = [Fix(0, 1 if step != 5 else 0, time=step * 86_400_000_000) for step in range(10)]
    states = report_data(replay(fixes, HOME, policy="exact")).states
    assert states["state"][-1] == "satisfied" and states["state"].count("unsatisfied") == 2
    assert states["edge"][-1] == "#0072b2" and states["width"][-1] == 2
    assert all(edge != "#0072b2" and width < 1 for edge, width in zip(states["edge"][:-1], states["width"][:-1]))


def test_much_is_cut_and_said() -> None:
    many = {f"c{n}": Circle(n % 80, n % 170, 1000) for n in range(MOST_PLACES + 5)}
    data = report_data(replay([Fix(0, 0, time=0)], many))
    assert len(data.places["name"]) == MOST_PLACES and len(data.rows) == MOST_ROWS
    assert data.notes == [
        f"The timeline shows {MOST_ROWS} of {MOST_PLACES + 5:,} conditions: those that were satisfied most often.",
        f"{MOST_PLACES} of {MOST_PLACES + 5} places are drawn.",
    ]
    assert all(len(xs[0][0]) == 36 for xs in data.places["xs"])
    with pytest.warns(InputWarning, match="the first: element 2 lies at latitude 91"):
        late = replay([Fix(0, 0, time=5), Fix(0, 0, time=4), Fix(91, 0, time=6)], HOME)
    assert "1 late fixes and 1 without a usable position are not drawn." in late.report()


def test_of_too_many_events_the_changes_stay() -> None:
    """First to go is that a place was not satisfied at the start; the list of visits is always whole."""
    places = {f"c{n}": Circle(40, n / 200, 100) for n in range(MOST_EVENTS)} | HOME
    log = replay([Fix(0, 1, time=0), Fix(0, 0, time=1), Fix(0, 1, time=2)], places, policy="exact")
    data = report_data(log)
    assert len(log) == MOST_EVENTS + 3 and data.events["name"] == ["home"] * 2
    assert f"2 of {MOST_EVENTS + 3:,} events are drawn; the list of visits is whole." in data.notes
    often = [Fix(0, step % 2, time=step) for step in range(MOST_EVENTS + 10)]
    log = replay(often, HOME, policy="exact")
    data = report_data(log)
    assert MOST_EVENTS / 2 <= len(data.events["name"]) <= MOST_EVENTS < len(log)
    assert len(visits_of_page(log.report())["rows"]) == len(log.visits()) == len(often) // 2


def test_lines_share_their_points() -> None:
    """A long track does not take the points of a short one, and all together stay few."""
    turn = [(math.sin(step / 5_000), math.cos(step / 5_000)) for step in range(100_000)]
    rows = [(*turn[step], "long", step) for step in range(100_000)] + [
        (*turn[step], "short", step) for step in range(99)
    ]
    pandas = pytest.importorskip("pandas")
    data = report_data(replay(pandas.DataFrame(rows, columns=["lat", "lon", "car", "time"]), HOME, by="car"))
    long, short = (len(line) for line in data.lines["x"])
    assert 2_000 < long <= MOST_POINTS and 2 <= short <= 99
    assert f"Lines are drawn with {long + short:,} of 100,099 points." in data.notes


@pytest.mark.parametrize(
    "fixes",
    [[Fix(0, 0, time=0)], [Fix(0, 0, accuracy=-1, time=0)], [Fix(90, 0, time=0), Fix(-90, 0, time=1)]],
    ids=["one", "none", "poles"],
)
def test_odd_tracks_have_a_report(fixes: list[Fix]) -> None:
    assert Page(replay(fixes, HOME).report()).open == []
    assert Page(replay(fixes, {}).report()).open == []


def test_through_the_command(run: Run, tmp_path: Path) -> None:
    arguments = ("replay", DATA / "drive.csv", "--conditions", DATA / "conditions.geojson", "--format", "jsonl")
    plain = run(*arguments)
    done = run(*arguments, "--report", "out.html", "--summary")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert models((tmp_path / "out.html").read_text())["events"]
    assert "checked>" in (run(*arguments, "--report", "b.html", "--base-map"), (tmp_path / "b.html").read_text())[1]
    refused = run(*arguments, "--report", "no/such/folder/out.html")
    assert (
        refused.returncode == 2 and refused.stderr == "fencepost: no/such/folder/out.html: No such file or directory\n"
    )


# ------------------------------------------------------------------------------------------------ extras

WITHOUT = """
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
import fencepost
from fencepost import Circle, Fix, replay
log = replay([Fix(0, 0, time=0)], {"a": Circle(0, 0, 100)})
log.to_csv(), log.to_jsonl(), log.to_geojson(), log.visits().to_csv(), log.columns(), repr(log), log._repr_html_()
replay(sys.argv[2], {"a": Circle(0, 0, 100)})
try:
    exec(sys.argv[3])
except fencepost.errors.MissingExtraError as error:
    assert isinstance(error, ImportError) and isinstance(error, fencepost.FencepostError)
    print(error)
"""


@pytest.mark.parametrize(
    ("missing", "call", "line"),
    [
        ("bokeh", "log.report()", "bokeh is not installed: pip install 'fencepost[report]'"),
        ("pandas", "log.to_pandas()", "pandas is not installed: pip install 'fencepost[geo]'"),
        ("pandas", "log.visits().to_pandas()", "pandas is not installed: pip install 'fencepost[geo]'"),
        ("geopandas", "log.to_geopandas()", "geopandas is not installed: pip install 'fencepost[geo]'"),
        ("geopandas", "replay('a.gpkg', {})", "geopandas is not installed: pip install 'fencepost[geo]'"),
        ("pyogrio", "replay([], 'a.shp')", "pyogrio is not installed: pip install 'fencepost[geo]'"),
        ("pynmea2", "replay(sys.argv[4], {})", "pynmea2 is not installed: pip install 'fencepost[nmea]'"),
    ],
)
def test_a_missing_extra_is_one_line(missing: str, call: str, line: str, tmp_path: Path) -> None:
    log = tmp_path / "a.nmea"
    log.write_text("$GPRMC,120000,A,5230.0,N,01324.0,E,0.0,0.0,070220,,,A\n")
    command = [sys.executable, "-c", WITHOUT, missing, str(DATA / "drive.gpx"), call, str(log)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == (line + "\n", "")


def test_the_command_without_extras(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['bokeh'] = None\nfrom fencepost._command.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = [
        "replay",
        str(DATA / "drive.csv"),
        "--conditions",
        str(DATA / "conditions.geojson"),
        "--report",
        "a.html",
    ]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    line = "fencepost: bokeh is not installed: pip install 'fencepost[report]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", line)


def test_the_base_install_needs_no_extra(tmp_path: Path) -> None:
    """Nothing of the extras is loaded by a replay of the plain formats."""
    code = (
        "import sys, fencepost\n"
        "log = fencepost.replay(sys.argv[1], sys.argv[2])\n"
        "log.visits(), log.to_csv(), fencepost.compare(sys.argv[1], sys.argv[2])\n"
        "print(*[n for n in ('pandas', 'numpy', 'geopandas', 'bokeh', 'pynmea2', 'shapely') if n in sys.modules])\n"
    )
    command = [sys.executable, "-c", code, str(DATA / "drive.csv"), str(DATA / "conditions.geojson")]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout == "\n"


# ------------------------------------------------------------------------------------------------- paths


def test_points_of_the_path_lie_on_the_line() -> None:
    """Across the antimeridian and back, into a place between two fixes each way."""
    places = {"line": Circle(0, 180, 20_000)}
    longitudes = [179.0, 179.5, -179.5, -179.0, -179.5, 179.5]
    fixes = [Fix(0.05, longitude, 5, time=60_000_000 * number) for number, longitude in enumerate(longitudes)]
    log = replay(fixes, places, policy="exact", path="geodesic", max_gap=60)
    assert [event.is_on_path for event in log] == [False, True, True, True, True]
    data = report_data(log)
    line = list(zip(data.lines["x"][0], data.lines["y"][0]))
    assert len(line) == len(fixes) + 4
    for x, y, said in list(zip(data.events["x"], data.events["y"], data.events["evidence"]))[1:]:
        assert (round(x, 2), round(y, 2)) in line and said.endswith(", on the path")
        assert abs(x - x_of(180)) < 25_000, "on the side of the line"
    west_to_east = [x for x, _ in line]
    assert west_to_east[:6] == sorted(west_to_east[:6]) and west_to_east[5:] == sorted(west_to_east[5:], reverse=True)


def test_a_gap_is_told_in_the_report() -> None:
    fixes = [Fix(0, longitude, 5, time=60_000_000 * number) for number, longitude in enumerate([-0.02, -0.01, 0, 0.01])]
    fixes = [fixes[0], *(Fix(fix.latitude, fix.longitude, 5, time=fix.time_us + 300_000_000) for fix in fixes[1:])]
    data = report_data(replay(fixes, HOME, policy="exact", path="geodesic", max_gap=60))
    assert [said.partition(", ")[2] for said in data.events["evidence"]] == [
        "",
        "on the path, after a gap",
        "on the path",
    ]
