"""Tests the report in headless Chromium: it uses no network, causes no errors, and draws everything. ``make
test-all`` runs this test."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from fencepost import (
    AltitudeBand,
    Circle,
    EventLog,
    Fix,
    Monitor,
    Notify,
    Rule,
    Schedule,
    Timing,
    TransitionPolicy,
    geodesic,
    replay,
)

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


def timed(folder: Path) -> EventLog:
    """A device that stays in a place with hours, repeats and an end of its schedule, and is absent from another."""
    start = 1_772_433_000
    times = [Schedule([((start + a) * 10**6, (start + b) * 10**6)]).texts()[0] for a, b in ((60, 900), (1800, 3000))]
    until = Schedule([(0, (start + 3300) * 10**6)]).texts()[0].split("/")[1]

    def place(name: str, **timing: Any) -> dict[str, Any]:
        point = {"type": "Point", "coordinates": [8.5, 47.4 if name == "depot" else 47.41]}
        return {"type": "Feature", "id": name, "geometry": point, "properties": {"radius": 200, **timing}}

    places = [
        place("depot", active=times, active_until=until, repeat_every=300),
        place("shift", active=times, absent_after=120),
        place("<b>once</b>", max_events=1),
    ]
    path = folder / "zones.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": places}))
    fixes = [Fix(47.4, 8.5, 5, time=(start + second) * 10**6) for second in range(0, 3601, 100)]
    return replay(fixes, path, policy="exact")


def test_hours_repeats_and_ends_of_schedules_are_drawn(browser: Any, tmp_path: Path) -> None:
    log = timed(tmp_path)
    page = tmp_path / "hours.html"
    log.report(page)
    offline(browser, True)
    opened(browser, page)
    for scheme, width in LOOKS:
        look(browser, scheme, width)
        screenshot(browser, f"hours-{scheme}-{width}")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    look(browser, "light", 1280)
    for key in ("open-key", "closed-key", "repeat-key", "absent-key", "ended-key", "exhausted-key"):
        assert browser.execute_script("return !document.getElementById(arguments[0]).hidden", key), key
    assert text(browser, "#event-count") == str(len(log))
    (names,) = [[row.identifier for row in log]]
    assert browser.execute_script("return events.map((event) => names[event.place])") == names
    # A pixel of the strip is hatched or empty where the place is inactive, and has no line.
    strips = "[...document.querySelectorAll('#states tbody canvas')]"
    labels = browser.execute_script(f"return {strips}.map((strip) => strip.getAttribute('aria-label'))")
    # Of 3,600 s, the depot is inactive for 60, 900 and 600 s.
    assert any("inactive for 26 min" in label and "2 visits" in label for label in labels), labels
    assert any("no more events after 2026-03-02 06:30:00" in label for label in labels), labels
    kinds = browser.execute_script(
        f"return {strips}.map((strip) => [names[strip.row.index], strip.runs.map((run) => run.kind)])"
    )
    depot = next(runs for name, runs in kinds if name == "depot")
    assert [kind for kind in depot if kind != "mixed"] == ["shut", "open", "shut", "open", "shut"], kinds
    browser.execute_script("[...document.querySelectorAll('#events tbody button')].at(-1).click()")
    painted(browser)
    assert "depot" in text(browser, "#chosen") or "shift" in text(browser, "#chosen")
    assert complaints(browser) == [] and requests(browser) == []


def ruled() -> EventLog:
    """Two silent places, a rule of both, a rule of this rule, and a rule with 300 parts that are not in the table."""
    monitor, silent = Monitor(), TransitionPolicy(notify=Notify(0))
    for step, name in enumerate(("yard", HOSTILE[0])):
        monitor.add(Circle(47.4 + 0.01 * step, 8.5, 300), name, policy=silent)
    monitor.add(Rule.any("yard", HOSTILE[0]), "near", policy="exact")
    monitor.add(Rule.none("near", HOSTILE[2]), "away", policy="exact")
    monitor.add(Rule.all("near", *(f"gone {number}" for number in range(300))), "many", policy="exact")
    fixes = [Fix(47.4 + 0.0005 * step, 8.5, 5, time=(1_772_434_800 + 30 * step) * 10**6) for step in range(40)]
    return replay(fixes, monitor)


TREE = "[...document.querySelectorAll('#rules tbody tr:not(.gap)')]"


def tree(browser: webdriver.Chrome) -> list[tuple[int, str, str]]:
    """The rows of the tree: the level, the name, and whether the row is unfolded."""
    rows: Any = browser.execute_script(
        f"return {TREE}.map((row) => [Number(row.ariaLevel), row.querySelector('button').textContent, "
        "row.querySelector('button').ariaExpanded ?? ''])"
    )
    return [(level, name, unfolded) for level, name, unfolded in rows]


def test_rules_are_a_tree(browser: Any, tmp_path: Path) -> None:
    log = ruled()
    page = tmp_path / "rules.html"
    log.report(page)
    offline(browser, True)
    opened(browser, page)
    for scheme, width in LOOKS:
        look(browser, scheme, width)
        screenshot(browser, f"rules-{scheme}-{width}")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    look(browser, "light", 1280)
    # The short rule is unfolded at first, and the long one is not. A rule that is a part of another has no row at the
    # first level.
    assert tree(browser) == [
        (1, "▾ away", "true"), (2, "▾ near", "true"), (3, "yard", ""), (3, HOSTILE[0], ""), (2, HOSTILE[2], ""),
        (1, "▸ many", "false"),
    ]  # fmt: skip
    cells = browser.execute_script(
        f"return {TREE}.map((row) => [...row.cells].slice(1, 3).map((cell) => cell.textContent))"
    )
    assert cells[0] == ["none of 2", "unknown"]
    assert cells[4] == ["not in the table", "unknown"]
    assert cells[1][0] == "any of 2, part of 2 rules"
    # The bars are those of the events of `near`.
    events = [
        (str(event.state), event.date_us // 1000) for event in log if event.identifier == "near" and event.date_us
    ]
    drawn = browser.execute_script("return stepsOf(names.indexOf('near'))")
    assert [(("unsatisfied", "satisfied")[state], start) for start, _, state in drawn] == events and len(events) == 4
    # A satisfied bar is 17 pixels tall, an unsatisfied line 1, an unknown bar 5: the colours are not needed.
    tall = browser.execute_script(
        """const place = names.indexOf('near'), all = [...document.querySelectorAll('#rules canvas')];
        const row = all.find((each) => each.row?.place === place), {width, height} = row, ratio = height / 30;
        const pixels = row.getContext('2d').getImageData(0, 0, width, height).data;
        const at = (time) => Math.round((time - period[0]) / (period[1] - period[0]) * width);
        return stepsOf(place).map(([start, end]) => { const x = at((start + end) / 2); let count = 0;
          for (let y = 0; y < height; y += 1) if (pixels[4 * (y * width + x) + 3]) count += 1;
          return count / ratio; });"""
    )
    assert tall == [17, 1, 17, 1]
    label = browser.execute_script(f"return {TREE}[1].querySelector('canvas').getAttribute('aria-label')")
    assert "unsatisfied for" in label and "satisfied for" in label and "4 events" in label, label
    # Unfold the long rule: only the visible rows are in the page, and each fits.
    browser.execute_script(f"{TREE}.at(-1).querySelector('button').click()")
    painted(browser)
    assert browser.execute_script("return tree.rows.length") == 6 + 301
    assert len(tree(browser)) < 60
    assert set(browser.execute_script(f"return {TREE}.map((row) => row.offsetHeight)")) == {32}
    # Fold it again, and search for a part: the rules that contain it are shown.
    browser.execute_script(f"{TREE}.find((row) => row.textContent.includes('many')).querySelector('button').click()")
    browser.execute_script("byId('search').value = 'gone 7'; byId('search').dispatchEvent(new Event('input'))")
    painted(browser)
    assert [name for _, name, _ in tree(browser)] == ["▸ many"]
    browser.execute_script("byId('search').value = ''; byId('search').dispatchEvent(new Event('input'))")
    # The events say which part decided; a rule that is chosen is described as one.
    whys = browser.execute_script(
        "return events.filter((event) => names[event.place] === 'near').map((event) => event.text)"
    )
    assert all("decided by" in why for why in whys) and len(whys) == 4
    browser.execute_script("choose({place: names.indexOf('near')})")
    assert "a rule, any of 2, which has no position): satisfied 2 times" in text(browser, "#chosen")
    browser.execute_script("choose({event: events.find((event) => names[event.place] === 'near')})")
    assert text(browser, "#chosen").startswith("The rule \u2068near\u2069 was satisfied")
    browser.execute_script("choose({visit: visits.find((visit) => names[visit.place] === 'near')})")
    assert "The rule \u2068near\u2069 was satisfied from" in text(browser, "#chosen")
    assert browser.execute_script("return document.images.length") == 0
    look(browser, "dark", 1280, "print")
    browser.execute_script("choose(null); window.dispatchEvent(new Event('beforeprint'))")
    assert len(tree(browser)) == 6
    screenshot(browser, "rules-paper")
    browser.execute_script("window.dispatchEvent(new Event('afterprint'))")
    look(browser, "light", 1280)
    assert complaints(browser) == [] and requests(browser) == []


def test_rules_of_several_devices(browser: Any, tmp_path: Path) -> None:
    import pandas

    rows = [
        {"latitude": latitude, "longitude": 8.5, "time": pandas.Timestamp(second, unit="s", tz="UTC"), "device": device}
        for device, latitude in (("first", 47.4), ("second", 47.5))
        for second in range(0, 100, 10)
    ]
    page = tmp_path / "devices.html"
    places = {"yard": Circle(47.4, 8.5, 100), "rule": Rule.all("yard"), "never": Rule.any("gone")}
    replay(pandas.DataFrame(rows), places, by="device", policy="exact").report(page)
    opened(browser, page)
    ends = f"return {TREE}.map((row) => row.cells[2].textContent)"
    found = [browser.execute_script(ends)]
    browser.execute_script("byId('rule-device').value = '1'; byId('rule-device').dispatchEvent(new Event('change'))")
    found.append(browser.execute_script(ends))
    browser.execute_script("choose({track: 0})")
    found.append(browser.execute_script(ends))
    assert [[each.partition(",")[0] for each in row] for row in found] == [
        ["satisfied", "satisfied", "unknown", "unknown"],
        ["unsatisfied", "unsatisfied", "unknown", "unknown"],
        ["satisfied", "satisfied", "unknown", "unknown"],
    ]
    assert browser.execute_script("return byId('rule-device').value") == "0"
    page = tmp_path / "none.html"
    demo().report(page)
    opened(browser, page)
    assert browser.execute_script("return document.getElementById('rules-card').checkVisibility()") is False
    assert complaints(browser) == [] and requests(browser) == []


def test_bands_of_heights_have_colours_dashes_and_texts(browser: Any, tmp_path: Path) -> None:
    zones = Monitor()
    names = "lowest", "<i>middle</i>", "highest"
    for step, name in enumerate(names):
        band = AltitudeBand(100 * step, 100 * step + 50, reference="ground")
        zones.add(Circle(47.4, 8.5 + 0.01 * step, 200), name, policy="exact", band=band)
    zones.add(Circle(47.4, 8.54, 200), "flat", policy="exact")
    fixes = [
        Fix(47.4, 8.5 + step / 1000, 5, time=(1_772_434_800 + 10 * step) * 10**6, altitude=420, ground_height=400)
        for step in range(40)
    ]
    page = tmp_path / "bands.html"
    replay(fixes, zones).report(page)
    opened(browser, page)
    for scheme, width in LOOKS:
        look(browser, scheme, width)
        screenshot(browser, f"bands-{scheme}-{width}")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    look(browser, "light", 1280)
    keys = [each.text for each in browser.find_elements("css selector", "#band-key > span")]
    assert [key.partition(" ")[2] for key in keys] == [
        f"{100 * step} m to {100 * step + 50} m above the ground" for step in range(3)
    ]
    assert len({key[0] for key in keys}) == 3  # the keys differ without their colours
    used = browser.execute_script(
        """const used = [], {context} = map;
        const dash = context.setLineDash.bind(context), stroke = context.stroke.bind(context);
        let last = [];
        context.setLineDash = (dashes) => { last = dashes; dash(dashes); };
        context.stroke = (...given) => { used.push(`${context.strokeStyle} ${last}`); stroke(...given); };
        map.draw();
        return [used, [0, 1, 2].map((step) => map.colour(`band-${step}`)), map.labels.map((each) => each.name)];"""
    )
    strokes, colours, labels = used
    dashes = {colour: {each.partition(" ")[2] for each in strokes if each.startswith(colour)} for colour in colours}
    assert dashes == {colours[0]: {""}, colours[1]: {"9,4"}, colours[2]: {"2,4"}}
    assert any(label == "100 m to 150 m, <i>middle</i>" for label in labels)
    assert "flat" in labels
    browser.execute_script("choose({place: names.indexOf('lowest')})")
    assert "0 m to 50 m above the ground" in text(browser, "#chosen")
    zones = Monitor()
    zones.add(Circle(47.4, 8.5, 200), "flat")
    replay(fixes, zones).report(page)
    opened(browser, page)
    assert browser.execute_script("return document.getElementById('band-key').checkVisibility()") is False
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


JUMPS = {30: 47.404, 80: 47.396}
"""The steps at which the position of a van is wrong, each with the wrong latitude."""
MORNING = 1_772_434_800


def van(step: int, latitude: float = 47.4) -> Fix:
    place = latitude, 8.5 + step / 4_000
    heights = {"altitude": 420 + 2 * step, "ground_height": 400}
    return Fix(*place, accuracy=45, time=(MORNING + 5 * step) * 10**6, error_ellipse=(30, 8, 60), **heights)


def everything() -> EventLog:
    """A van that is followed with all options that a report draws: a rule of a rule, bands of heights, error ellipses,
    hours and doubted fixes."""
    certain = TransitionPolicy(
        entry_probability=0.95, exit_probability=0.05, accuracy_factor=0, entry_margin=0, exit_margin=0,
        entry_dwell=0, exit_dwell=0,
    )  # fmt: skip
    hours = Schedule([((MORNING + a) * 10**6, (MORNING + b) * 10**6) for a, b in ((0, 200), (300, 500))])
    monitor = Monitor()
    monitor.add(Circle(47.4, 8.505, 200), "yard", policy=certain)
    for number, (longitude, low) in enumerate(((8.511, 0), (8.517, 100), (8.523, 200))):
        band = AltitudeBand(low, low + 80, reference="ground")
        monitor.add(Circle(47.4, longitude, 150), f"band {number}", policy="exact", band=band)
    monitor.add(Circle(47.39, 8.515, 300), "shift", policy="exact", timing=Timing(active=hours))
    monitor.add(Rule.any("yard", "band 1"), "busy", policy="exact")
    monitor.add(Rule.none("busy", "shift"), "idle", policy="exact")

    fixes = [van(step, JUMPS.get(step, 47.4)) for step in range(120)]
    return replay(fixes, monitor, plausible_speed=30)


# Returns the share of points of the map that have a colour: a pixel beside the point is nearer to this colour than to
# that of the land. For a list of colours, returns the shares.
PAINTED = """
const rgb = (colour) => {
  map.context.save(); map.context.fillStyle = colour; const text = map.context.fillStyle; map.context.restore();
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
};
const ratio = devicePixelRatio, land = rgb(map.colour("land"));
const away = (pixel, colour) => Math.hypot(...colour.map((part, at) => part - pixel[at]));
const painted = (points, name) => points.filter(([x, y]) => {
  const size = 3, {data} = map.context.getImageData(Math.round(x * ratio) - 1, Math.round(y * ratio) - 1, size, size);
  const pixels = Array.from({length: size * size}, (_, at) => data.slice(4 * at, 4 * at + 3));
  return pixels.some((pixel) => away(pixel, rgb(map.colour(name))) < away(pixel, land));
}).length / points.length;
const place = ([latitude, longitude]) => map.toScreen(plane(latitude, longitude));
"""


Places: TypeAlias = "list[tuple[float, float]]"


def shares_of(browser: webdriver.Chrome, lines: list[tuple[Places, str]]) -> list[float]:
    """The share of the points of each line that are painted with a colour."""
    found: list[float] = browser.execute_script(
        PAINTED + "return arguments[0].map(([points, name]) => painted(points.map(place), name))", lines
    )
    return found


def around(circle: Any) -> Places:
    """Points on the outline of a circle."""
    return [geodesic.direct(circle.latitude, circle.longitude, azimuth, circle.radius)[:2] for azimuth in range(360)]


def ellipse(event: Any, major: float, minor: float, orientation: float) -> Places:
    """Points on an ellipse around the fix of an event."""
    axes = [(major * math.cos(turn), minor * math.sin(turn)) for turn in (math.radians(step) for step in range(360))]
    return [
        geodesic.direct(
            event.latitude, event.longitude, orientation + math.degrees(math.atan2(b, a)), math.hypot(a, b)
        )[:2]
        for a, b in axes
    ]


def beside(event: Any, metres: float) -> Places:
    """Points at a distance from the fix of an event, on both sides of the long axis of its error ellipse."""
    azimuths = (*range(130, 171), *range(310, 351))
    return [geodesic.direct(event.latitude, event.longitude, azimuth, metres)[:2] for azimuth in azimuths]


def between(start: Fix, end: tuple[float, float]) -> Places:
    parts = [step / 300 for step in range(15, 285)]
    pairs = list(zip((start.latitude, start.longitude), end))
    return [tuple(a + part * (b - a) for a, b in pairs) for part in parts]  # type: ignore[misc]


def test_everything_at_once_is_painted(browser: Any, tmp_path: Path) -> None:
    """Tests the pixels of one report with rules, bands, error ellipses, hours and doubted fixes."""
    log = everything()
    entered, left = (event for event in log if event.identifier == "yard" and str(event.cause) == "crossing")
    doubts = [((latitude, 8.5 + step / 4_000), van(step - 1)) for step, latitude in JUMPS.items()]
    assert log.counts.doubted_fixes == len(doubts) == 2
    scale = math.sqrt(-2 * math.log(1 - 0.68))
    page = tmp_path / "everything.html"
    log.report(page)
    offline(browser, True)
    opened(browser, page)
    for scheme, width in LOOKS:
        look(browser, scheme, width)
        browser.execute_script("map.all()")  # a map whose size changes keeps its scale
        painted(browser)
        screenshot(browser, f"everything-{scheme}-{width}")
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        keys = browser.find_elements(
            "css selector", "#band-key > span, #doubt-key, #error-key, #open-key, #closed-key"
        )  # fmt: skip
        assert len(keys) == 7 and all(key.is_displayed() and key.size["width"] > 0 for key in keys)
        # The outline of each band has its colour: the lowest band is solid, the others have dashes and dots.
        solid, dashed, dotted = shares_of(browser, [
            (around(log.conditions[f"band {number}"]), f"band-{number}") for number in range(3)
        ])  # fmt: skip
        assert solid > 0.95 and min(dashed, dotted) > 0.3, (scheme, width, solid, dashed, dotted)
        if width > 600:  # on a phone, the gaps are about as wide as the pixels that are compared
            assert 0.95 > dashed > dotted + 0.05, (scheme, solid, dashed, dotted)
        # The error ellipses contain 68 % of the true positions. No circle with the accuracy as its radius is drawn.
        found = shares_of(browser, [
            line for event, colour in ((entered, "enter"), (left, "leave"))
            for line in ((ellipse(event, 30 * scale, 8 * scale, 60), colour), (beside(event, 45), colour))
        ])  # fmt: skip
        assert min(found[0], found[2]) > 0.9, (scheme, width, found)
        if width > 600:  # on a phone, the mark of the event covers the circle
            assert max(found[1], found[3]) < 0.1, (scheme, found)
        # A doubted fix is a cross, to which a line with gaps leads from the fix before it.
        found = shares_of(browser, [
            (points, "outside") for doubted, before in doubts for points in ([doubted], between(before, doubted))
        ])  # fmt: skip
        assert found[0] == found[2] == 1 and min(found) > 0.4, (scheme, width, found)
        assert width < 600 or max(found[1], found[3]) < 0.9, (scheme, found)
        # The hours are a filled band, and the time outside them is hatched: columns of pixels are full, or partly so.
        full, hatched = browser.execute_script(
            """const strips = [...document.querySelectorAll("#states tbody canvas")];
            const strip = strips.find((each) => nameOf(each.row.by, each.row.index) === "shift");
            const at = (time) => Math.round((time - period[0]) / (period[1] - period[0]) * strip.width);
            return arguments[0].map(([start, end]) => {
              const wide = at(end) - at(start), tall = Math.floor(strip.height / 3);
              const {data} = strip.getContext("2d").getImageData(at(start), tall, wide, tall);
              return data.filter((value, index) => index % 4 === 3 && value > 0).length / (wide * tall); });""",
            [[1000 * (log.start.timestamp() + second) for second in pair] for pair in ((50, 150), (220, 280))],
        )
        assert full == 1 and 0.1 < hatched < 0.8, (scheme, width, full, hatched)
        # The rule of a rule is a tree with four rows below it, each with a strip.
        assert [(level, name.split()[-1]) for level, name, _ in tree(browser)] == [
            (1, "idle"), (2, "busy"), (3, "yard"), (3, "1"), (2, "shift"),
        ]  # fmt: skip
        assert browser.execute_script(
            f"""return {TREE}.map((row) => {{ const strip = row.querySelector("canvas"), {{width, height}} = strip;
              const pixels = strip.getContext("2d").getImageData(0, 0, width, height).data;
              return row.checkVisibility() && row.offsetHeight > 0 && pixels.some(Boolean); }})"""
        ) == [True] * 5  # fmt: skip
    # Chromium advises pages that read their canvas, as this test does.
    assert [said for said in complaints(browser) if "willReadFrequently" not in said] == [] == requests(browser)


def test_a_report_without_them_has_no_key_for_them(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "drive.html"
    demo().report(page)
    look(browser, "light", 1280)
    opened(browser, page)
    assert browser.execute_script("return [byId('doubt-key').hidden, byId('error-key').hidden]") == [True, True]
    assert "Probability" not in text(browser, "#visits thead")
