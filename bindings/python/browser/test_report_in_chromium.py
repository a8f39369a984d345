"""Tests the report in headless Chromium: it uses no network, causes no errors, and draws everything. ``make
test-all`` runs this test."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from fencepost import Circle, EventLog, Fix, TransitionPolicy, replay

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "examples" / "data"
SCREENSHOTS = ROOT / ".build" / "screenshots"
LIMIT = 180
"""Timeout of every wait, in seconds."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    profile = tmp_path_factory.mktemp("profile")
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--window-size=1280,1500",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or "chromedriver"))
    driver.set_page_load_timeout(LIMIT)
    yield driver
    driver.quit()


def offline(browser: webdriver.Chrome, yes: bool) -> None:
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {"offline": yes, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
    )


def opened(browser: webdriver.Chrome, page: Path) -> None:
    # Drop the log entries of the previous page.
    browser.get("about:blank")
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(page.as_uri())
    WebDriverWait(browser, LIMIT).until(
        lambda driver: driver.execute_script("return document.documentElement.dataset.ready !== undefined")
    )
    painted(browser)


def painted(browser: webdriver.Chrome) -> None:
    """Waits for two frames, after which the browser has shown the drawing."""
    browser.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")


def look(browser: webdriver.Chrome, scheme: str, width: int, media: str = "") -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 1500, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    painted(browser)


def text(browser: webdriver.Chrome, selector: str) -> str:
    found: str = browser.execute_script("return document.querySelector(arguments[0]).innerText", selector)
    return found


def complaints(browser: webdriver.Chrome) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] not in ("INFO", "DEBUG")]


def requests(browser: webdriver.Chrome) -> list[str]:
    """The URLs of the page's requests, except `data:`, `blob:` and `file:` URLs; the page itself is a file."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [
        message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"
    ]
    return [url for url in sent if not url.startswith(("data:", "blob:", "file:"))]


def screenshot(browser: webdriver.Chrome, name: str) -> Path:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    path = SCREENSHOTS / f"{name}.png"
    assert browser.save_screenshot(str(path))
    return path


def colours(path: Path) -> dict[tuple[int, ...], int]:
    from PIL import Image

    with Image.open(path) as image:
        counted = image.convert("RGB").getcolors(1 << 24)
    assert counted is not None
    return {colour: count for count, colour in counted}


def demo() -> EventLog:
    return replay(DATA / "drive.csv", DATA / "conditions.geojson", sightings=DATA / "sightings.jsonl")


def around_the_pole() -> EventLog:
    """A track that crosses the antimeridian, with a circle around one pole, a circle around both poles, and a circle
    whose name looks like a script."""
    fixes = [Fix(60 * math.sin(i / 30), (170 + i) % 360 - 180, time=i * 60_000_000) for i in range(300)]
    circles = {
        "north": Circle(80, 10, 2_500_000),
        "</script><script>throw 1</script><b>$$x^2$$": Circle(0, 179, 3_000_000),
        "most of it": Circle(0, 0, 19_000_000),
    }
    return replay(fixes, circles, policy="exact")


LOOKS = [(scheme, width) for width in (1280, 390) for scheme in ("light", "dark")]
INSIDE = {"light": (0x0F, 0x6B, 0xD8), "dark": (0x4A, 0x92, 0xFF)}
LEAVE = {"light": (0xC2, 0x3B, 0x00), "dark": (0xF3, 0x92, 0x4B)}
ROWS = "[...document.querySelectorAll('#visits tbody tr:not(.gap)')]"
# Counts labels on the map that overlap each other or are cut, and labels below buttons, the scale bar or the overview
# map.
OVERLAPS = """
const lies = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
const others = (at) => [...map.furniture(), ...map.placed.slice(at + 1)];
return map.placed.filter((a, at) => a[1] < 0 || others(at).some((b) => lies(a, b))).length
"""
# Counts the map's labelled places and marks whose centre is hidden under the overview map.
HIDDEN = """
const [left, top, width, height] = map.locator;
return map.targets.filter(([x, y]) => x > left && x < left + width && y > top && y < top + height).length
"""
# Finds the rows of the table of states whose strip has a bar, and returns the names in these rows. The pixel row that
# the test reads lies above the line and above the bars for unknown states.
BARS = """
const pixels = (strip) => strip.getContext("2d").getImageData(0, 9, strip.width, 1).data;
const strips = [...document.querySelectorAll("#states tbody canvas")].filter((strip) => pixels(strip).some(Boolean));
return strips.map(({row}) => nameOf(row.by, row.index));
"""
# Counts the summary's column heads that are not aligned with their column: a head must begin where the column's text
# begins, or end where its numbers end.
CROOKED = """
const side = (cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell.querySelector("button") ?? cell);
  return range.getBoundingClientRect()[cell.className === "number" ? "right" : "left"];
};
const [head, row] = ["thead", "tbody"].map((part) => [...document.querySelector(`#summary ${part} tr`).cells]);
return head.filter((cell, at) => Math.abs(side(cell) - side(row[at])) > 1).length
"""
# Returns the least distance between two labels of the map, in pixels.
LEAST = """
const away = (a, b) => Math.max(a[0] - b[2], b[0] - a[2], a[1] - b[3], b[1] - a[3]);
return Math.min(...map.placed.flatMap((a, at) => map.placed.slice(at + 1).map((b) => away(a, b))))
"""


@pytest.mark.parametrize(("name", "make", "unplugged"), [("drive", demo, True), ("pole", around_the_pole, False)])
def test_opens_without_a_network(browser: Any, tmp_path: Path, name: str, make: Any, unplugged: bool) -> None:
    log = make()
    page = tmp_path / f"{name}.html"
    log.report(page)
    offline(browser, unplugged)
    opened(browser, page)
    for scheme, width in LOOKS:
        look(browser, scheme, width)
        seen = colours(screenshot(browser, f"{name}-{scheme}-{width}"))
        # Check that the page not only defines the colours but paints with them.
        assert seen.get(INSIDE[scheme], 0) > 300 and seen.get(LEAVE[scheme], 0) > 20
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script(OVERLAPS) == 0 and browser.execute_script("return map.canvas.dataset.scale")
        assert name != "drive" or browser.execute_script(HIDDEN) == 0
        assert width > 600 or browser.execute_script(CROOKED) == 0
    assert browser.execute_script("return Number(map.canvas.dataset.places)") == len(
        [condition for condition in log.conditions.values() if hasattr(condition, "contains")]
    )
    assert len(browser.find_elements("css selector", "#visits tbody tr")) == len(log.visits())
    assert text(browser, "#visit-count") == str(len(log.visits()))
    assert browser.execute_script("return document.getAnimations().length") == 0, "nothing moves"
    assert complaints(browser) == [] and requests(browser) == []


def test_what_is_chosen_shows_its_evidence_everywhere(browser: Any, tmp_path: Path) -> None:
    log = demo()
    page = tmp_path / "drive.html"
    log.report(page)
    look(browser, "light", 1280)
    opened(browser, page)
    visit = next(visit for visit in log.visits() if visit.identifier == "85 at fremont")
    # In the table, use only the keyboard: sort by a heading, then choose a row.
    heading = browser.find_element("css selector", "#visits thead button")
    heading.send_keys("\ue007")
    assert browser.execute_script("return arguments[0].parentElement.ariaSort", heading) == "ascending"
    names = [row.text for row in browser.find_elements("css selector", "#visits tbody th")]
    assert names == sorted(names) and len(names) == 9
    browser.find_elements("css selector", "#visits tbody button")[names.index(visit.identifier)].send_keys("\ue007")
    said = text(browser, "#chosen")
    entered = next(event for event in log if event.identifier == visit.identifier and str(event.state) == "satisfied")
    assert f"{abs(entered.boundary_distance or 0):,.1f} m inside the boundary" in said and "was inside" in said
    low, high = browser.execute_script("return period")
    assert low < visit.start.timestamp() * 1000 < high < log.end.timestamp() * 1000
    painted(browser)
    assert browser.execute_script("return Number(map.canvas.dataset.visits)") == 1
    # The map finds the chosen visit at the first point of the visit's path.
    assert browser.execute_script(
        "const [x, y] = map.toScreen(chosen.visit.path[0]); return map.found([x, y]).visit.number"
    ) == list(log.visits()).index(visit)
    # The report's key does not list gates, because this report has none.
    assert "gate" not in text(browser, ".card:has(#map) .key")
    # The strips show only the selected period, so they have no bar for a visit outside this period.
    assert browser.execute_script(BARS) == [visit.identifier]
    screenshot(browser, "drive-visit")
    browser.find_element("id", "clear").click()
    assert "Choose a device" in text(browser, "#chosen") and complaints(browser) == []


def test_the_base_map_is_asked_for(browser: Any, tmp_path: Path) -> None:
    """Tiles are fetched only if the user switches the map on, and never without a network."""
    page = tmp_path / "drive.html"
    demo().report(page, base_map="http://127.0.0.1:9/{Z}/{X}/{Y}.png")
    offline(browser, True)
    opened(browser, page)
    assert requests(browser) == [] and complaints(browser) == []
    assert not browser.find_element("id", "base-map").is_enabled()
    offline(browser, False)
    opened(browser, page)
    asked: list[str] = []

    def tiles(driver: Any) -> bool:
        asked.extend(requests(driver))
        return bool(asked)

    WebDriverWait(browser, LIMIT).until(tiles)
    assert all(url.startswith("http://127.0.0.1:9/") for url in asked)


def many(tracks: int, fixes: int, places: int, step: float) -> EventLog:
    """Random walks through a town of circles, in which many visits are short."""
    import numpy
    import pandas

    chance = numpy.random.default_rng(20261122)
    steps = chance.normal(0, step, (tracks, fixes, 2))
    ways = numpy.cumsum(steps, axis=1) + [52.5, 13.4] + 0.1 * chance.normal(size=(tracks, 1, 2))
    times = pandas.to_datetime(numpy.tile(1_700_000_000 + 30 * numpy.arange(fixes), tracks), unit="s", utc=True)
    frame = pandas.DataFrame(
        {
            "latitude": ways[..., 0].ravel(),
            "longitude": ways[..., 1].ravel(),
            "time": times,
            "car": numpy.repeat([f"car {number:02}" for number in range(tracks)], fixes),
        }
    )
    where = 0.15 * chance.normal(size=(places, 2)) + [52.5, 13.4]
    radii = chance.uniform(50, 600, places)
    circles = {f"place {number:04}": Circle(*where[number], radii[number]) for number in range(places)}
    return replay(frame, circles, by="car", policy="exact")


def test_a_hundred_devices_among_a_thousand_places(browser: Any, tmp_path: Path, capsys: Any) -> None:
    """Tests that the page stays small even with many rows, and that the rows can be searched, unfolded and sorted. The
    test prints how fast the page is, but sets no limit."""
    log = many(tracks=100, fixes=1_000, places=1_000, step=8e-4)
    visits = log.visits()
    page = tmp_path / "fleet.html"
    log.report(page, title="fleet")
    opened(browser, page)
    ready = browser.execute_script("return Number(document.documentElement.dataset.ready)")
    frame = browser.execute_script(
        "const start = performance.now(); for (let n = 0; n < 5; n += 1) map.draw();"
        "return (performance.now() - start) / 5"
    )
    nodes = browser.execute_script("return document.querySelectorAll('*').length")
    with capsys.disabled():
        print(
            f"\nreport of 100 devices, 1,000 places, {len(visits):,} visits: {page.stat().st_size / 1e6:.1f} MB, "
            f"{nodes} elements, usable after {ready} ms, a picture of the map {frame:.0f} ms"
        )
    assert len(visits) > 2_000 and nodes < 1_500 and page.stat().st_size < 4_000_000
    for scheme, width in LOOKS:
        look(browser, scheme, width)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script(OVERLAPS) == 0
        assert browser.execute_script(LEAST) >= 28 and browser.execute_script("return map.placed.length") >= 4
        screenshot(browser, f"fleet-{scheme}-{width}")
    look(browser, "light", 1280)
    # The summary begins with the place where the device spent the most time, and counts visits as the log does.
    first = text(browser, "#summary tbody th")
    spent = {visit.identifier: 0.0 for visit in visits}
    for visit in visits:
        spent[visit.identifier] += visit.duration.total_seconds()
    assert first == max(spent, key=lambda name: spent[name])
    own = [visit for visit in visits if visit.identifier == first]
    assert text(browser, "#summary tbody td") == str(len(own))
    browser.find_element("css selector", "#summary-by button:last-child").click()
    assert browser.execute_script("return summary.rows.length") == 100
    # The list contains all visits, but the page creates table rows only for the visible visits.
    rows = f"return {ROWS}.map((row) => row.row.number)"
    last = browser.execute_script("return list.rows.at(-1).number")
    browser.execute_script("const box = byId('visits'); box.scrollTop = box.scrollHeight")
    WebDriverWait(browser, LIMIT).until(lambda driver: last in driver.execute_script(rows))
    assert len(browser.execute_script(rows)) < 80
    # After the search, only the visits of one device remain; below the device's row, the table of states lists the
    # places of this device.
    box = browser.find_element("id", "search")
    box.send_keys("CAR 07")
    of_car = [number for number, visit in enumerate(visits) if visit.track == "car 07"]
    assert text(browser, "#visit-count") == f"{len(of_car)} of {len(visits):,}"
    fold = browser.find_element("css selector", "#states tbody button")
    assert fold.get_attribute("aria-expanded") == "true", "a single group is unfolded"
    below = {visits[number].identifier for number in of_car}
    assert browser.execute_script("return states.rows.length") == 1 + len(below)
    browser.find_element("css selector", "#states tr.child button").click()
    assert text(browser, "#chosen").startswith("\u2068car 07\u2069 in ")
    screenshot(browser, "fleet-chosen")
    assert complaints(browser) == [] and requests(browser) == []


HOSTILE = ("</script><script>throw 1</script>", "<img src=x onerror=alert(1)>", "\u202eevil\u202d", "דרך الطريق",
           "🚐" * 40, "n" * 4_000, "", "\u200b", "a\nb")  # fmt: skip


def test_names_and_paper(browser: Any, tmp_path: Path) -> None:
    """Tests that names of all kinds cause no errors, and that a printout contains all rows on a white background."""
    import pandas

    times = pandas.date_range("2026-01-01", periods=6, freq="min", tz="UTC")
    parts = [
        pandas.DataFrame({"latitude": 0.0, "longitude": [0, 0, 1, 0, 0, 1], "time": times, "device": name or "-"})
        for name in HOSTILE
    ]
    # Identifiers have at most 256 bytes; column values and titles have no limit.
    places = {f"{name[:60]}!": Circle(0, 0, 100 + number) for number, name in enumerate(HOSTILE)}
    log = replay(pandas.concat(parts), places, by="device", policy="exact")
    page = tmp_path / "hostile.html"
    log.report(page, title=HOSTILE[1] + HOSTILE[5])
    opened(browser, page)
    for scheme, width in LOOKS:
        look(browser, scheme, width)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script("return document.querySelector('h1').offsetHeight") < 120
    browser.execute_script("choose({visit: visits[visits.length >> 1]})")
    assert browser.execute_script("return document.images.length") == 0
    rows = browser.execute_script(f"return {ROWS}.map((row) => row.offsetHeight)")
    assert set(rows) == {32}, "one height"
    screenshot(browser, "hostile")
    look(browser, "dark", 1280, "print")
    browser.execute_script("choose(null); window.dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(f"return {ROWS}.length") == len(log.visits())
    assert browser.execute_script("return getComputedStyle(byId('search')).display") == "none"
    seen = colours(screenshot(browser, "hostile-paper"))
    assert max(seen, key=lambda colour: seen[colour]) == (255, 255, 255)
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert complaints(browser) == []


def spoofed() -> EventLog:
    """A van that drives through a depot; two of its positions are jumps."""
    certain = TransitionPolicy(
        entry_probability=0.95, exit_probability=0.05, accuracy_factor=0, entry_margin=0, exit_margin=0,
        entry_dwell=10, exit_dwell=10,
    )  # fmt: skip
    fixes = [
        Fix(52.5, 13.39 + 0.0002 * step, accuracy=25, time=(1_700_000_000 + 5 * step) * 1_000_000)
        for step in range(110)
    ]
    fixes[40] = Fix(52.504, 13.392, accuracy=25, time=fixes[40].time_us)
    fixes[70] = Fix(52.504, 13.411, accuracy=25, time=fixes[70].time_us)
    return replay(fixes, {"depot": Circle(52.5, 13.4, radius=150)}, policy=certain, plausible_speed=30)


def test_doubted_fixes_and_error_circles(browser: Any, tmp_path: Path) -> None:
    log = spoofed()
    assert log.counts.doubted_fixes == 2 and len(log.visits()) == 1
    page = tmp_path / "spoofed.html"
    log.report(page)
    look(browser, "light", 1280)
    opened(browser, page)
    for scheme, width in LOOKS:
        look(browser, scheme, width)
        screenshot(browser, f"spoofed-{scheme}-{width}")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script("return [map.canvas.dataset.doubts, map.canvas.dataset.circles]") == ["2", "2"]
    look(browser, "light", 1280)
    assert "doubted" in text(browser, ".card:has(#map) .key") and "accuracy" in text(browser, ".card:has(#map) .key")
    cells = browser.execute_script(f"return [...{ROWS}[0].cells].map((cell) => cell.innerText)")
    enter, leave = (
        next(event.probability for event in log if str(event.state) == state and event.cause == "crossing")
        for state in ("satisfied", "unsatisfied")
    )
    assert cells[-2:] == [f"{enter:.4f}", f"{leave:.4f}"]
    # The error circle has the accuracy as its radius.
    radius = browser.execute_script(
        "const {at, accuracy} = visits[0].enter;"
        "return metres(latitudeOf(at[1]), accuracy) * map.scale * map.metresPerPixel"
    )
    assert math.isclose(radius, 25, rel_tol=1e-3)
    # The pointer over a doubted fix shows the reason, below the map and as the title of the canvas.
    browser.execute_script("map.all(); map.zoom(.5)")
    painted(browser)
    x, y = browser.execute_script("return map.toScreen(doubts[1].at)")
    canvas = browser.find_element("id", "map")
    middle = canvas.size["width"] / 2, canvas.size["height"] / 2
    ActionChains(browser).move_to_element_with_offset(canvas, round(x - middle[0]), round(y - middle[1])).perform()
    assert "limit 30" in text(browser, "#chosen") and "limit 30" in (canvas.get_attribute("title") or "")
    ActionChains(browser).click().perform()
    painted(browser)
    assert "limit 30" in text(browser, "#chosen") and not browser.find_element("id", "clear").get_attribute("hidden")
    ActionChains(browser).move_to_element(browser.find_element("id", "search")).perform()
    assert canvas.get_attribute("title") == "" and "limit 30" in text(browser, "#chosen"), "the chosen fix stays"
    browser.find_element("id", "clear").click()
    assert "Choose a device" in text(browser, "#chosen")
    assert complaints(browser) == [] and requests(browser) == []


def test_a_report_without_them_has_no_key_for_them(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "drive.html"
    demo().report(page)
    look(browser, "light", 1280)
    opened(browser, page)
    assert browser.execute_script("return [byId('doubt-key').hidden, byId('error-key').hidden]") == [True, True]
    assert "Probability" not in text(browser, "#visits thead")
