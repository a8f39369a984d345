"""The report in headless Chromium: no network, no complaint, every mark drawn. Run by ``make test-all``."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from fencepost import Circle, EventLog, Fix, replay

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "examples" / "data"
SCREENSHOTS = ROOT / ".build" / "screenshots"
LIMIT = 180
"""Seconds for anything that is waited for."""

# How many marks each glyph really has on the page, and where: in the units of the screen.
MARKS = """
const marks = {};
for (const name of ["tracks", "places", "events", "states", "timeline events"]) {
  const model = Bokeh.documents[0].get_model_by_name(name);
  const view = Bokeh.index.find_one_by_id(model.id);
  const sx = view.glyph.sx;
  marks[name] = {rows: model.data_source.get_length(), drawn: sx ? Array.from(sx).filter(isFinite).length : null};
}
return marks;
"""
# A map without its base map never counts as idle for Bokeh. The page's own script looks every 50 ms whether Bokeh is
# there; what it does last but wiring up controls is to fill the list of visits, all in one piece.
READY = """
if (typeof Bokeh === "undefined" || Bokeh.documents.length !== 1) return false;
if (document.getElementById("visits").childNodes.length === 0) return false;
return ["events", "timeline events"].every((name) => {
  const model = Bokeh.documents[0].get_model_by_name(name);
  const view = model === null ? null : Bokeh.index.find_one_by_id(model.id);
  return view !== null && view.glyph.sx !== undefined && view.glyph.sx.length === model.data_source.get_length();
});
"""


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
    # What the page before still asks for is not said of this one.
    browser.get("about:blank")
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(page.as_uri())
    WebDriverWait(browser, LIMIT).until(lambda driver: driver.execute_script(READY))
    # The plots are painted by then; two frames later the browser has shown them.
    browser.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")


def complaints(browser: webdriver.Chrome) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] not in ("INFO", "DEBUG")]


def requests(browser: webdriver.Chrome) -> list[str]:
    """What was fetched beside the page itself."""
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
    """A way across the antimeridian, circles around one pole and both, and one whose name would like to be a script."""
    fixes = [Fix(60 * math.sin(i / 30), (170 + i) % 360 - 180, time=i * 60_000_000) for i in range(300)]
    circles = {
        "north": Circle(80, 10, 2_500_000),
        "</script><script>throw 1</script><b>$$x^2$$": Circle(0, 179, 3_000_000),
        "most of it": Circle(0, 0, 19_000_000),
    }
    return replay(fixes, circles, policy="exact")


@pytest.mark.parametrize(("name", "make"), [("drive", demo), ("pole", around_the_pole)])
@pytest.mark.parametrize("unplugged", [True, False], ids=["offline", "online"])
def test_opens_without_a_network(browser: Any, tmp_path: Path, name: str, make: Any, unplugged: bool) -> None:
    log = make()
    page = tmp_path / f"{name}.html"
    log.report(page)
    offline(browser, unplugged)
    opened(browser, page)
    marks = browser.execute_script(MARKS)
    assert marks["events"] == {"rows": len(log), "drawn": sum(event.latitude is not None for event in log)}
    assert marks["timeline events"] == {"rows": len(log), "drawn": len(log)}
    assert marks["places"]["rows"] == sum(hasattr(condition, "contains") for condition in log.conditions.values())
    assert marks["tracks"]["rows"] == 1
    assert complaints(browser) == [] and requests(browser) == []
    seen = colours(screenshot(browser, f"{name}-{'offline' if unplugged else 'online'}"))
    # Blue and vermilion marks, the dark line of the track: they are not only known to the page, they are painted.
    assert seen.get((0x00, 0x72, 0xB2), 0) > 500 and seen.get((0xD5, 0x5E, 0x00), 0) > 100
    assert len(browser.find_elements("css selector", "section tbody tr")) == len(log.visits())
    assert browser.find_element("id", "visit-count").text == str(len(log.visits()))


def test_evidence_shows_on_hover(browser: Any, tmp_path: Path) -> None:
    log = demo()
    page = tmp_path / "drive.html"
    log.report(page)
    opened(browser, page)
    event = next(event for event in log if event.identifier == "85 at fremont" and event.cause == "crossing")
    index = list(log).index(event)
    where = """
    const view = Bokeh.index.find_one_by_id(Bokeh.documents[0].get_model_by_name("events").id);
    const box = view.parent.canvas_view.el.getBoundingClientRect();
    return [box.left + view.glyph.sx[arguments[0]], box.top + view.glyph.sy[arguments[0]]];
    """

    def hover() -> None:
        x, y = browser.execute_script(where, index)
        for step in (4, 0):
            browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x + step, "y": y + step})

    text = """
    function all(root) {
      let text = "";
      for (const node of root.querySelectorAll("*")) {
        if (node.shadowRoot) text += all(node.shadowRoot);
      }
      return text + (root.textContent || "");
    }
    return all(document.body);
    """
    distance = f"{abs(event.boundary_distance or 0):,.1f} m inside the line"

    def is_shown(driver: Any) -> bool:
        hover()
        return distance in driver.execute_script(text)

    WebDriverWait(browser, LIMIT).until(is_shown)
    screenshot(browser, "hover")


def test_the_base_map_is_asked_for(browser: Any, tmp_path: Path) -> None:
    """Tiles are fetched after the switch alone, and never without a network."""
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
    """Walks through a town of circles, which many of them enter for a moment only."""
    import numpy
    import pandas

    chance = numpy.random.default_rng(20261122)
    steps = chance.normal(0, step, (tracks, fixes, 2))
    ways = numpy.cumsum(steps, axis=1) + [52.5, 13.4] + 0.1 * chance.normal(size=(tracks, 1, 2))
    frame = pandas.DataFrame(
        {
            "latitude": ways[..., 0].ravel(),
            "longitude": ways[..., 1].ravel(),
            "time": pandas.to_datetime(numpy.tile(1_700_000_000 + numpy.arange(fixes), tracks), unit="s", utc=True),
            "car": numpy.repeat([f"car {number:02}" for number in range(tracks)], fixes),
        }
    )
    where = 0.15 * chance.normal(size=(places, 2)) + [52.5, 13.4]
    radii = chance.uniform(50, 600, places)
    circles = {f"place {number:04}": Circle(*where[number], radii[number]) for number in range(places)}
    return replay(frame, circles, by="car", policy="exact")


CENTRE = """
const view = Bokeh.index.find_one_by_id(Bokeh.documents[0].get_model_by_name(arguments[0]).id);
const box = view.parent.canvas_view.el.getBoundingClientRect();
const index = arguments[1];
return [box.left + view.glyph.sx[index], box.top + view.glyph.sy[index]];
"""
SELECTED = "return Array.from(Bokeh.documents[0].get_model_by_name('event source').selected.indices)"
SPAN = """
const range = Bokeh.documents[0].get_model_by_name(arguments[0])[arguments[1]];
return [range.start, range.end].sort((a, b) => a - b);
"""


def tap(browser: Any, x: float, y: float) -> None:
    for kind in ("mousePressed", "mouseReleased"):
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)


@pytest.mark.parametrize("tapped", ["timeline events", "events"])
def test_a_tap_marks_the_event_in_both(browser: Any, tmp_path: Path, tapped: str) -> None:
    log = demo()
    page = tmp_path / "drive.html"
    log.report(page)
    opened(browser, page)
    index = next(n for n, event in enumerate(log) if event.identifier == "85 at fremont" and event.cause == "crossing")
    # The other plot is moved away, and must come back to the event.
    other, axis, column = ("map", "x_range", "x") if tapped == "timeline events" else ("timeline", "x_range", "time")
    browser.execute_script(
        "const range = Bokeh.documents[0].get_model_by_name(arguments[0])[arguments[1]];"
        "const span = range.end - range.start; range.start -= 3 * span; range.end -= 3 * span;",
        other,
        axis,
    )
    mark = browser.execute_script(CENTRE, tapped, index)
    browser.execute_script("window.scrollTo(0, arguments[0] - 300)", mark[1])
    tap(browser, *browser.execute_script(CENTRE, tapped, index))
    WebDriverWait(browser, LIMIT).until(lambda driver: index in driver.execute_script(SELECTED))
    value = browser.execute_script(
        "return Bokeh.documents[0].get_model_by_name('event source').data[arguments[0]][arguments[1]]", column, index
    )

    def is_in_view(driver: Any) -> bool:
        low, high = driver.execute_script(SPAN, other, axis)
        return bool(low <= value <= high)

    WebDriverWait(browser, LIMIT).until(is_in_view)
    assert complaints(browser) == []


def test_search_legend_and_list_of_many_tracks(browser: Any, tmp_path: Path) -> None:
    log = many(tracks=4, fixes=3_000, places=300, step=1.5e-3)
    visits = log.visits()
    assert len(visits) > 60
    page = tmp_path / "town.html"
    log.report(page)
    opened(browser, page)
    # The list has all visits, and rows for those in view alone.
    rows = "return [...document.querySelectorAll('tr[data-visit]')].map((row) => Number(row.dataset.visit))"
    assert 0 < len(browser.execute_script(rows)) < 60 and browser.execute_script(rows)[0] == 0
    browser.execute_script("const box = document.getElementById('visits'); box.scrollTop = box.scrollHeight")
    WebDriverWait(browser, LIMIT).until(lambda driver: driver.execute_script(rows)[-1] == len(visits) - 1)
    # The legend switches a track off: neither its line nor its events are seen.
    browser.execute_script("document.querySelector('#tracks input').click()")
    shown = browser.execute_script("return Bokeh.documents[0].get_model_by_name('shown events').booleans")
    assert shown == [row.track != "car 00" for row in log.tracked()]
    lines = "return Array.from(Bokeh.documents[0].get_model_by_name('tracks').data_source.data.alpha)"
    assert browser.execute_script(lines)[0] == 0 and all(browser.execute_script(lines)[1:])
    # The search box finds a place, shows it, and leaves its visits alone in the list.
    wanted = visits[0].identifier
    box = browser.find_element("id", "search")
    box.send_keys(wanted)
    assert [item.text for item in browser.find_elements("css selector", "#found button")] == [wanted]
    screenshot(browser, "town-search")
    own = [n for n, visit in enumerate(visits) if visit.identifier == wanted]
    assert browser.execute_script(rows) == own[: len(browser.execute_script(rows))]
    assert browser.find_element("id", "visit-count").text == f"{len(own)} of {len(visits)}"
    box.send_keys("\ue007")  # Enter
    low, high = browser.execute_script(SPAN, "map", "x_range")
    middle = browser.execute_script(
        "const data = Bokeh.documents[0].get_model_by_name('places').data_source.data;"
        "return data.label_x[data.name.indexOf(arguments[0])]",
        wanted,
    )
    assert low < middle < high and middle - low == pytest.approx(high - middle, rel=0.01)
    # A row of the list shows when it was.
    browser.execute_script("document.querySelector('tr[data-visit]').click()")
    low, high = browser.execute_script(SPAN, "timeline", "x_range")
    assert low < visits[own[0]].start.timestamp() * 1000 < high < log.end.timestamp() * 1000 + 60_000
    assert complaints(browser) == [] and requests(browser) == []
    screenshot(browser, "town")


def test_five_thousand_places_and_a_million_fixes(browser: Any, tmp_path: Path, capsys: Any) -> None:
    """Opens, is drawn, and lists every visit; how long that took is said, not judged."""
    log = many(tracks=20, fixes=50_000, places=5_000, step=2e-4)
    page = tmp_path / "large.html"
    log.report(page)
    opened(browser, page)
    shown = browser.execute_script("return performance.now()") / 1000
    with capsys.disabled():
        print(
            f"\nreport of 5,000 places, 1,000,000 fixes, {len(log):,} events: {page.stat().st_size / 1e6:.1f} MB, "
            f"drawn {shown:.1f} s after it was opened"
        )
    marks = browser.execute_script(MARKS)
    assert marks["places"]["rows"] == 5_000 and marks["tracks"]["rows"] == 20
    assert marks["events"]["rows"] == marks["events"]["drawn"] > 1_000
    assert browser.find_element("id", "visit-count").text == str(len(log.visits()))
    assert page.stat().st_size < 32_000_000 and complaints(browser) == []
    screenshot(browser, "large")
