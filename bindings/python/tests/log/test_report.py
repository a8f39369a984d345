"""Tests the report: its geometry, the page's contents, and its errors. `make test-all` opens the report in a
browser."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import string
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, Run, mentions

from fencepost import Circle, EventLog, Fix, InputWarning, TransitionPolicy, geodesic, replay
from fencepost._log.report_data import (
    MOST_DOUBTS,
    MOST_EVENTS,
    MOST_PLACES,
    MOST_POINTS,
    ReportData,
    report_data,
    word,
)
from fencepost._log.web_mercator import circle, near, thinned, unwrapped, x_of, y_of

HOME = {"home": Circle(0, 0, 100)}


def demo() -> EventLog:
    return replay(DATA / "drive.csv", DATA / "conditions.geojson", sightings=DATA / "sightings.jsonl")


def data_of(page: str) -> dict[str, Any]:
    """Returns the data that the page's script reads."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


DIGITS = {
    digit: value for value, digit in enumerate(string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/")
}


def points(line: str, size: int = 2) -> list[tuple[int, ...]]:
    """Decodes one string of the page's data to rows, which are running sums of signed Base64 VLQ numbers."""
    steps, value, shift = [], 0, 0
    for digit in line:
        value |= (DIGITS[digit] & 31) << shift
        shift += 5
        if DIGITS[digit] < 32:
            steps.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    rows = [steps[at : at + size] for at in range(0, len(steps), size)]
    return list(itertools.accumulate(map(tuple, rows), lambda a, b: tuple(x + y for x, y in zip(a, b))))


def lines(data: ReportData) -> list[list[tuple[float, float]]]:
    """Returns the lines that the report draws for the tracks, with coordinates in metres."""
    return [[(x / 10, y / 10) for x, y, _ in points(line, 3)] for _, _, line in data.tracks]


def outline(data: ReportData, name: str) -> list[list[list[tuple[float, float]]]]:
    (found,) = (row[1] for row in data.outlines if data.places[row[0]] == name)
    return [[[(x / 10, y / 10) for x, y in points(ring)] for ring in rings] for rings in found]


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
    """True if a point lies inside the rings, by the even-odd rule, on the flat map."""
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
        (80, 10, 2_500_000),  # this circle contains the north pole
        (-89.5, 100, 400_000),  # this circle contains the south pole
        (90, 0, 1_000_000),
        (0, 0, 12_000_000),  # this circle contains both poles
        (-40, 150, 19_000_000),
        (30, 30, 20_003_931),
        (1, 2, 30_000_000),  # the whole Earth
    ],
)
def test_regions_hold_what_the_circle_holds(latitude: float, longitude: float, radius: float) -> None:
    """A point of the map is inside the drawn region if, and only if, its geodesic distance from the centre is at most
    the radius."""
    seed = 20261121
    chance = random.Random(seed)
    rings = circle(latitude, longitude, radius, 720)
    west, east = min(rings[0][0]), max(rings[0][0])
    checked = 0
    for _ in range(2000):
        north, turn = chance.uniform(-84, 84), chance.uniform(-180, 180)
        distance = geodesic.inverse(latitude, longitude, north, turn).distance
        if abs(distance - radius) < 0.01 * radius + 20_000:
            continue  # a drawn edge is a straight line on the map, but the circle's outline is curved
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
    """Collects the requests that a page makes, and checks that its elements are closed."""

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
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == text and text.startswith("<!doctype html>")
    assert demo().report() == text, "the same every time"
    page = Page(text)
    assert page.fetched == [] and page.open == [] and len(text) < 160_000
    found = data_of(text)
    assert [(found["places"][row[1]], *row[2:5]) for row in found["visits"]] == [
        (
            visit.identifier,
            visit.start.timestamp() * 1000,
            visit.end and visit.end.timestamp() * 1000,
            (visit.start + visit.duration).timestamp() * 1000,
        )
        for visit in log.visits()
    ]
    assert [found["known"][row[5]] for row in found["visits"]] == [visit.start_known for visit in log.visits()]
    assert "<title>drive.csv · visits</title>" in text and "<h1>drive.csv</h1>" in text
    assert "of 9 places; <time>2024-05-01 15:30:00</time> to <time>2024-05-01 16:08:39</time> UTC" in text
    assert '<input type="checkbox" id="base-map" >' in text and "checked>" in log.report(base_map=True)
    assert data_of(log.report(base_map="https://tiles.example/{Z}/{X}/{Y}"))["credit"] == ""


def test_words_are_read_as_they_were_written() -> None:
    chance = random.Random(20261126)
    rows = [tuple(chance.choice((0, 1, -1, chance.randint(-(10**12), 10**12))) for _ in range(3)) for _ in range(500)]
    assert points(word(rows), 3) == rows and word([]) == ""


def test_what_is_drawn() -> None:
    log = demo()
    data = report_data(log)
    # The report omits each event with the cause `determination` and the state `unsatisfied`.
    wanted = [event for event in log if (event.cause, event.state) != ("determination", "unsatisfied")]
    assert [(data.places[row[1]], row[2]) for row in data.events] == [(row.identifier, row.state) for row in wanted]
    assert 0 < sum(row[4] is not None for row in data.events) == sum(row.latitude is not None for row in wanted)
    assert re.match(r"determination, [\d.]+ m inside the boundary, accuracy [\d.]+ m", data.events[0][6])
    counted = {name: len([visit for visit in log.visits() if visit.identifier == name]) for name in data.places}
    drawn = [data.places[row[0]] for row in data.outlines]
    assert drawn == sorted(drawn, key=lambda name: -counted[name]) and len(drawn) == 8
    assert data.places == list(log.conditions) and data.notes == []
    (line,) = lines(data)
    assert len(line) == 2297
    west, south, east, north = data.frame or (0, 0, 0, 0)
    assert all(west - 0.1 <= x <= east + 0.1 and south - 0.1 <= y <= north + 0.1 for x, y in line)
    assert data.period is not None and data.period[0] * 1000 == log.replays[0].begin_us
    times = [row[2] for row in points(data.tracks[0][2], 3)]
    assert times == sorted(times) and times[-1] == data.tracks[0][1]


def test_evidence_of_visits_is_found_by_its_date() -> None:
    """The page joins visits and events by track, place and time of confirmation."""
    found = data_of(demo().report())
    events = {(*tuple(row[:2]), row[3]): row for row in found["events"]}
    joined = [(events.get((*row[:2], row[7])), events.get((*row[:2], row[8]))) for row in found["visits"]]
    assert sum(enter is not None for enter, _ in joined) >= 8
    assert all(enter[2] == "satisfied" for enter, _ in joined if enter)
    assert all((leave is None) == (row[3] is None) for (_, leave), row in zip(joined, found["visits"]))


def test_polygons_and_corridors_are_drawn_beside_circles() -> None:
    log = replay(DATA / "drive.csv", DATA / "places.geojson")
    data = report_data(log)
    assert len(data.outlines) == 10
    assert [len(ring) for ring in outline(data, "cupertino")[0]] == [5, 4]  # a hole
    way = outline(data, "motorway 85")
    assert len(way) == 1 and len(way[0][0]) > 40
    what = {data.places[row[0]]: row[2] for row in data.outlines}
    assert what["cupertino"].startswith("polygon of 1 part") and what["apple"].startswith("radius 1,000 m around 37.3")


def test_across_the_antimeridian() -> None:
    fixes = [Fix(0, near(179.9 + step * 0.001, 0), time=step * 1_000_000) for step in range(200)]
    data = report_data(replay(fixes, {"line": Circle(0, -180, 2000)}, policy="exact"))
    xs = [x for x, _ in lines(data)[0]]
    assert max(xs) - min(xs) == pytest.approx(x_of(0.199), abs=0.2) and all(b > a for a, b in itertools.pairwise(xs))
    assert all(min(xs) - 1 <= row[4] <= max(xs) + 1 for row in data.events)
    circle_xs = [x for x, _ in outline(data, "line")[0][0]]
    assert min(xs) < min(circle_xs) < max(circle_xs) < max(xs)


def test_tracks_by_column_are_devices() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"lat": [0.0] * 4, "lon": [0.0, 1, 0, 1], "t": [0, 60, 0, 60], "car": list("aabb")})
    log = replay(frame, HOME, by="car", policy="exact")
    data = report_data(log)
    assert [row[:2] for row in data.tracks] == [("a", 60_000), ("b", 60_000)]
    assert [row[:2] for row in data.visits] == [(0, 0), (1, 0)] == [row[:2] for row in data.events[::2]]
    page = log.report()
    assert "2 visits of 2 devices to 1 of 1 place; " in page and "devices by car." in page and Page(page).open == []


def test_unknown_times_are_those_of_what_is_shown() -> None:
    """The report lists intervals of unknown state only for the pairs of a device and a place that its table of states
    contains."""
    fixes = [Fix(0.01, 0, 9_000_000, time=0), *(Fix(0, 0, 5, time=step * 60_000_000) for step in range(1, 9))]
    data = report_data(replay(fixes, HOME | {f"far {n}": Circle(50, n, 10) for n in range(50)}))
    assert len(data.visits) == 1
    assert [(data.places[row[1]], row[2], row[3] > 0) for row in data.unknown] == [("home", 0, True)]


def test_names_cannot_break_out() -> None:
    name = "</script><script>alert(1)</script><img src=x onerror=alert(2)>$$x^2$$"
    text = replay([Fix(0, 0, time=0)], {name: HOME["home"]}).report(title=name)
    assert "<script>alert(1)" not in text and "<img src=x" not in text
    page = Page(text)
    assert page.fetched == [] and page.open == []
    assert data_of(text)["places"] == [name]
    # A name that looks like a placeholder of the page's template is shown unchanged.
    assert "<h1>{{ data }}</h1>" in replay([Fix(0, 0, time=0)], {"{{ script }}": HOME["home"]}).report(
        title="{{ data }}"
    )


def test_much_is_cut_and_said() -> None:
    many = {f"c{n}": Circle(n % 80, n % 170, 1000) for n in range(MOST_PLACES + 5)}
    data = report_data(replay([Fix(0, 0, time=0)], many))
    assert len(data.outlines) == MOST_PLACES and mentions(data.notes, f"{MOST_PLACES} of {MOST_PLACES + 5} places")
    assert all(len(points(rings[0][0])) == 36 for _, rings, _, _ in data.outlines)
    with pytest.warns(InputWarning, match="element 2.*91"):
        late = replay([Fix(0, 0, time=5), Fix(0, 0, time=4), Fix(91, 0, time=6)], HOME)
    assert re.search(r"\b1 late .* 1 without ", late.report())


def test_of_too_many_events_the_visits_stay() -> None:
    places = {f"c{n}": Circle(40, n / 200, 100) for n in range(500)} | HOME
    log = replay([Fix(0, 1, time=0), Fix(0, 0, time=1), Fix(0, 1, time=2)], places, policy="exact")
    data = report_data(log)
    assert len(log) == 503 and [data.places[row[1]] for row in data.events] == ["home"] * 2 and data.notes == []
    often = [Fix(0, step % 2, time=step) for step in range(MOST_EVENTS + 10)]
    log = replay(often, HOME, policy="exact")
    data = report_data(log)
    assert MOST_EVENTS / 2 <= len(data.events) <= MOST_EVENTS < len(log)
    assert mentions(data.notes[-1], f"{len(data.events):,} of {len(log):,} events")
    assert len(data.visits) == len(log.visits()) == len(often) // 2


def test_lines_share_their_points() -> None:
    """A long track does not reduce the number of points that are drawn for a short track, and the total stays small."""
    turn = [(math.sin(step / 5_000), math.cos(step / 5_000)) for step in range(100_000)]
    rows = [(*turn[step], "long", step) for step in range(100_000)] + [
        (*turn[step], "short", step) for step in range(99)
    ]
    pandas = pytest.importorskip("pandas")
    data = report_data(replay(pandas.DataFrame(rows, columns=["lat", "lon", "car", "time"]), HOME, by="car"))
    long, short = (len(line) for line in lines(data))
    assert 2_000 < long <= MOST_POINTS and 2 <= short <= 99
    assert any(f" {long + short:,} of 100,099 points" in note for note in data.notes)


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
    assert data_of((tmp_path / "out.html").read_text())["events"]
    assert "checked>" in (run(*arguments, "--report", "b.html", "--base-map"), (tmp_path / "b.html").read_text())[1]
    refused = run(*arguments, "--report", "no/such/folder/out.html")
    assert refused.returncode == 2 and mentions(refused.stderr, "fencepost: no/such/folder/out.html:")


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
    ("missing", "call", "extra"),
    [
        ("pandas", "log.to_pandas()", "geo"),
        ("pandas", "log.visits().to_pandas()", "geo"),
        ("geopandas", "log.to_geopandas()", "geo"),
        ("geopandas", "replay('a.gpkg', {})", "geo"),
        ("pyogrio", "replay([], 'a.shp')", "geo"),
        ("pynmea2", "replay(sys.argv[4], {})", "nmea"),
    ],
)
def test_a_missing_extra_is_one_line(missing: str, call: str, extra: str, tmp_path: Path) -> None:
    log = tmp_path / "a.nmea"
    log.write_text("$GPRMC,120000,A,5230.0,N,01324.0,E,0.0,0.0,070220,,,A\n")
    command = [sys.executable, "-c", WITHOUT, missing, str(DATA / "drive.gpx"), call, str(log)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout.count("\n") == 1 and done.stderr == ""
    assert mentions(done.stdout, f"{missing} … pip install 'fencepost[{extra}]'")


def test_the_base_install_needs_no_extra(tmp_path: Path) -> None:
    """A replay of plain formats does not import any package that an extra installs."""
    code = (
        "import sys, fencepost\n"
        "log = fencepost.replay(sys.argv[1], sys.argv[2])\n"
        "log.visits(), log.to_csv(), log.report(), fencepost.compare(sys.argv[1], sys.argv[2])\n"
        "print(*[n for n in ('pandas', 'numpy', 'geopandas', 'bokeh', 'pynmea2', 'shapely') if n in sys.modules])\n"
    )
    command = [sys.executable, "-c", code, str(DATA / "drive.csv"), str(DATA / "conditions.geojson")]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout == "\n"


# ------------------------------------------------------------------------------------------------- paths


def test_points_of_the_path_lie_on_the_line() -> None:
    """The path crosses the antimeridian in both directions, and each time enters a place between two fixes."""
    places = {"line": Circle(0, 180, 20_000)}
    longitudes = [179.0, 179.5, -179.5, -179.0, -179.5, 179.5]
    fixes = [Fix(0.05, longitude, 5, time=60_000_000 * number) for number, longitude in enumerate(longitudes)]
    log = replay(fixes, places, policy="exact", path="geodesic", max_gap=60)
    assert [event.is_on_path for event in log] == [False, True, True, True, True]
    data = report_data(log)
    (line,) = lines(data)
    assert len(line) == len(fixes) + 4
    assert len(data.events) == 4
    for _, _, _, _, x, y, said in data.events:
        assert (x, y) in line and "path" in said
        assert abs(x - x_of(180)) < 25_000, "on the side of the line"
    west_to_east = [x for x, _ in line]
    assert west_to_east[:6] == sorted(west_to_east[:6]) and west_to_east[5:] == sorted(west_to_east[5:], reverse=True)


def test_the_report_shows_a_gap() -> None:
    fixes = [Fix(0, longitude, 5, time=60_000_000 * number) for number, longitude in enumerate([-0.02, -0.01, 0, 0.01])]
    fixes = [fixes[0], *(Fix(fix.latitude, fix.longitude, 5, time=fix.time_us + 300_000_000) for fix in fixes[1:])]
    data = report_data(replay(fixes, HOME, policy="exact", path="geodesic", max_gap=60))
    assert ["path" in row[6] for row in data.events] == [True, True]
    assert ["gap" in row[6] for row in data.events] == [True, False]


# ------------------------------------------------------------------------------ doubted fixes and probabilities


def jumping(more: float = 0.0) -> list[Fix]:
    """A walk to the north in which one fix jumps 55 km to the east, and has a date that is `more` seconds too late."""
    fixes = [Fix(0.0001 * step, 0, accuracy=5, time=step * 10_000_000) for step in range(12)]
    fixes[6] = Fix(0.0006, 0.5, accuracy=5, time=round((60 + more) * 1e6))
    return fixes


@pytest.mark.parametrize("more", [0.0, 500.0], ids=["on time", "wrong date"])
def test_doubted_fixes_are_drawn_beside_the_line(more: float) -> None:
    log = replay(jumping(more), HOME, plausible_speed=60, policy="exact")
    data = report_data(log)
    (line,) = lines(data)
    assert len(line) >= 2 and max(x for x, _ in line) < 1, "the line does not go to the doubted fix"
    ((track, time, x, y, left, low, reason),) = data.doubts
    assert (track, time) == (0, (60 + more) * 1000)
    assert (x, y, left, low) == pytest.approx((x_of(0.5), y_of(0.0006), 0, y_of(0.0005)), abs=0.1)
    assert mentions(reason, "55.7 km … limit 60 … 1 of 3")
    assert data.tracks[0][1] == 110_000, "the last fix is not late after a wrong date"
    assert mentions(log.report(), "12 fixes (1 doubted, above 60 m/s)")
    assert report_data(log.of(None)).doubts == data.doubts


def test_without_the_option_nothing_is_doubted() -> None:
    data = report_data(replay(jumping(), HOME, policy="exact"))
    assert data.doubts == [] and max(x for x, _ in lines(data)[0]) > 50_000
    assert "doubted, above" not in replay(jumping(), HOME).report()


def test_doubted_fixes_in_a_row_and_the_trusted_last_one() -> None:
    fixes = jumping()[:6] + [Fix(1 + 0.00001 * step, 0, accuracy=5, time=(60 + 30 * step) * 10**6) for step in range(4)]
    data = report_data(replay(fixes, HOME, plausible_speed=60, policy="exact"))
    assert [row[1] for row in data.doubts] == [60_000, 90_000], "the third fix is trusted"
    assert data.doubts[1][4:6] == data.doubts[0][2:4], "the second line begins at the first doubted fix"
    assert max(y for _, y in lines(data)[0]) == pytest.approx(y_of(1.00003), abs=0.1)


def test_each_track_has_its_own_doubts_and_there_are_not_too_many() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [(0.0, 0.001 * (step % 2), 1_700_000_000 + step, "a") for step in range(3 * MOST_DOUBTS)]
    rows += [(0.0, 0.0, 1_700_000_000 + step, "b") for step in range(10)]
    frame = pandas.DataFrame(rows, columns=["lat", "lon", "time", "car"])
    log = replay(frame, HOME, by="car", plausible_speed=0.001, policy="exact", corroboration_time=1e9)
    data = report_data(log)
    assert log.counts.doubted_fixes > MOST_DOUBTS >= len(data.doubts) > MOST_DOUBTS / 3
    assert {row[0] for row in data.doubts} == {0}
    assert any(mentions(note, f"{len(data.doubts):,} of {log.counts.doubted_fixes:,} doubted") for note in data.notes)


def test_doubts_beyond_the_antimeridian_stay_near_their_track() -> None:
    fixes = [Fix(0, 179.9999, time=0), Fix(0, -179.5, time=1_000_000), Fix(0, -179.9999, time=2_000_000)]
    data = report_data(replay(fixes, {"date line": Circle(0, 180, 100)}, plausible_speed=60, policy="exact"))
    ((_, _, x, _, left, _, _),) = data.doubts
    assert x - left == pytest.approx(x_of(0.5001), abs=0.2)


def test_events_with_probabilities_have_an_accuracy_and_a_probability() -> None:
    certain = TransitionPolicy(
        entry_probability=0.9, exit_probability=0.1, accuracy_factor=0, entry_margin=0, exit_margin=0,
        entry_dwell=0, exit_dwell=0,
    )  # fmt: skip
    fixes = [Fix(0, 0, accuracy=40, time=0), Fix(0, 0.01, accuracy=0, time=10_000_000)]
    log = replay(fixes, HOME, policy=certain, accuracy_confidence=0.95)
    entered, left = report_data(log).events
    expected = Circle(0, 0, 100).probability(0, 0, 40, confidence=0.95)
    assert entered[7:] == (40.0, pytest.approx(expected, abs=1e-6))
    assert mentions(entered[6], "accuracy 40.0 m for 95 %, probability 1.0000")
    assert left[7:] == (0.0, 0.0) and mentions(left[6], "accuracy not reported, probability 0.0000")
    for row in report_data(replay(fixes, HOME, policy="exact")).events:
        assert len(row) == 7 and "probability" not in row[6] and "%" not in row[6]


@pytest.mark.parametrize("confidence", [0.68, 0.95])
def test_the_report_draws_error_ellipses(confidence: float) -> None:
    """The ellipse of the page contains the same share of the true positions as the accuracy of other fixes."""
    policy = TransitionPolicy(
        entry_probability=0.9, exit_probability=0.1, accuracy_factor=0, entry_margin=0, exit_margin=0, entry_dwell=0,
        exit_dwell=0,
    )  # fmt: skip
    fixes = [
        Fix(0, 1, accuracy=50, time=0),
        Fix(0, 0, accuracy=50, time=1, error_ellipse=(30, 4, 75)),
        Fix(0, 1, accuracy=50, time=2),
    ]
    log = replay(fixes, HOME, policy=policy, accuracy_confidence=confidence)
    enter, leave = report_data(log).events
    assert enter[7] == leave[7] == 50 and len(leave) == 9
    # Without the library: the share of a sample that lies inside the drawn ellipse, in standard deviations.
    chance = random.Random(1)
    major, minor = enter[9] / 30, enter[10] / 4
    assert enter[11] == 75 and major == pytest.approx(minor, rel=1e-3)
    sample = [(chance.gauss(0, 1) / major) ** 2 + (chance.gauss(0, 1) / minor) ** 2 < 1 for _ in range(20_000)]
    assert sum(sample) / len(sample) == pytest.approx(confidence, abs=0.01)
    assert mentions(enter[6], "30.0 m … 4.0 m … 75 degrees") and not mentions(leave[6], "ellipse")
    assert mentions(leave[6], f"50.0 m for {100 * confidence:g} %")
    # A policy without probabilities does not use the ellipse, so the report does not draw it.
    plain = report_data(replay(fixes, HOME, policy="exact"))
    assert all(len(row) == 7 and "ellipse" not in row[6] for row in plain.events)
