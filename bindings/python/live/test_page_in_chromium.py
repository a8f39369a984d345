"""Tests the page of a watch in headless Chromium: live changes, no network, keyboard control, dark and light colours, a
phone's screen, and 500 devices among 5,000 places."""

from __future__ import annotations

import http.server
import io
import json
import math
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from brokers import START, conditions, until
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

SCREENSHOTS = Path(__file__).resolve().parents[3] / ".build" / "screenshots"
MISSING = [name for name in ("starlette", "uvicorn", "prometheus_client") if find_spec(name) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING) or not shutil.which("chromium"), reason=f"make test-all installs Chromium and {MISSING}"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--window-size=1280,900",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})  # type: ignore[no-untyped-call]
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or "chromedriver"))
    driver.set_page_load_timeout(180)
    yield driver
    driver.quit()


class Served:
    """A watch with a page. The watch reads lines that the test writes."""

    def __init__(
        self,
        folder: Path,
        stack: ExitStack,
        *arguments: str | Path,
        host: str = "127.0.0.1",
        by: str | None = "device",
    ) -> None:
        places = folder / "conditions.geojson"
        if not places.exists():
            conditions(folder, office=0.0)
        self.said_file = folder / "said"
        command = [sys.executable, "-m", "fencepost", "watch", "--source", "-", "--any-time"]
        command += [] if by is None else ["--by", by]
        command += [
            "--conditions",
            str(places),
            "--page",
            f"{host}:0",
            "--append",
            "events.jsonl",
            *map(str, arguments),
        ]
        with self.said_file.open("w") as said:
            self.process = stack.enter_context(
                subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stderr=said, text=True)
            )
        stack.callback(self.process.kill)
        found = until(lambda: re.search(r"http://[^/]*:(\d+)/", self.said_file.read_text()), "the page")
        self.url = f"http://127.0.0.1:{found[1]}/"

    def feed(self, *fixes: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(json.dumps(fix) + "\n" for fix in fixes))
        self.process.stdin.flush()

    def state(self) -> str:
        """Describes the watch's state, for the message of a wait that failed."""
        return f"{self.process.poll()}, {self.said_file.read_text()[-500:]}, {self.get('metrics')[1][-3000:]}"

    def get(self, path: str = "", **headers: str) -> tuple[int, str, Any]:
        try:
            with urllib.request.urlopen(
                urllib.request.Request(self.url + path, headers=headers), timeout=120
            ) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers


def fix(device: str, second: float, longitude: float = 0.0, latitude: float = 0.0) -> dict[str, Any]:
    return {"device": device, "lat": latitude, "lon": longitude, "accuracy": 9, "time": START + second}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def text(browser: webdriver.Chrome, selector: str) -> str:
    found: str = browser.execute_script(  # type: ignore[no-untyped-call]
        "return document.querySelector(arguments[0]).innerText", selector
    )
    return found


class Row(NamedTuple):
    text: str
    button: WebElement


def rows(browser: webdriver.Chrome) -> list[Row]:
    """Returns the visible rows of devices; a single script reads them, because the page may redraw the rows between two
    calls."""
    found = browser.execute_script(  # type: ignore[no-untyped-call]
        "return [...document.querySelectorAll('#devices tbody tr:not(.gap)')]"
        ".map(row => [row.innerText, row.querySelector('button')])"
    )
    return [Row(*each) for each in found]


def opened(browser: webdriver.Chrome, url: str) -> None:
    browser.get("about:blank")
    # Ignore the log entries of earlier pages.
    browser.get_log("browser"), browser.get_log("performance")  # type: ignore[no-untyped-call]
    browser.get(url)
    until(lambda: text(browser, "#status") == "live", "the stream")


def complaints(browser: webdriver.Chrome) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser") if "favicon" not in entry["message"]]  # type: ignore[no-untyped-call]


LOOKS = (("light", (1280, 900)), ("dark", (1280, 900)), ("dark", (390, 844)), ("light", (390, 844)))


def look(browser: webdriver.Chrome, scheme: str, size: tuple[int, int]) -> None:
    """Shows the page in dark or light colours on a screen of this size; a narrow screen counts as a phone's."""
    browser.execute_cdp_cmd(  # type: ignore[no-untyped-call]
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    browser.execute_cdp_cmd(  # type: ignore[no-untyped-call]
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500},
    )


def test_a_page_shows_what_happens(stack: ExitStack, tmp_path: Path, browser: webdriver.Chrome) -> None:
    served = Served(tmp_path, stack)
    opened(browser, served.url)
    served.feed(fix("<b>boat</b>", 0), fix("van", 0, 0.02))
    until(lambda: "(2)" in text(browser, "#devices-head"), "the devices", served.state)
    served.feed(fix("van", 10))
    until(lambda: "van\u2069 entered \u2068office" in text(browser, "#events"), "the event")
    # The page shows the diagnosis only on demand.
    assert "crossing" not in text(browser, "#events")
    browser.find_element(By.CSS_SELECTOR, "#events summary").click()
    assert "crossing" in text(browser, "#events") and "accuracy 9 m" in text(browser, "#events")
    until(
        lambda: "entered" in text(browser, "#last") and "van" in text(browser, "#last"), "the text for screen readers"
    )
    boat = next(row.text for row in rows(browser) if "boat" in row.text)
    assert boat.startswith("<b>boat</b>") and "office" in boat, "a name is not read as markup"
    assert "2 inside, 0 outside" in text(browser, "#summary")
    assert not browser.find_element(By.ID, "counters").is_displayed(), "counters are folded away"
    browser.find_element(By.CSS_SELECTOR, "#counters-part summary").click()
    assert "2" in text(browser, "#counters")
    # Use only the keyboard: move the map, narrow the search, choose a device.
    before = browser.execute_script("return JSON.stringify([map.centre, map.scale])")  # type: ignore[no-untyped-call]
    browser.find_element(By.ID, "map").send_keys("+", Keys.ARROW_LEFT)
    assert browser.execute_script("return JSON.stringify([map.centre, map.scale])") != before  # type: ignore[no-untyped-call]
    browser.find_element(By.ID, "map").send_keys("0")
    browser.find_element(By.ID, "find").send_keys("VAN")
    until(lambda: len(rows(browser)) == 1, "the search")
    assert "(1 of 2)" in text(browser, "#devices-head"), "the number follows the filter"
    browser.execute_script("arguments[0].focus()", rows(browser)[0].button)  # type: ignore[no-untyped-call]
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.execute_script("return chosen") == "van"  # type: ignore[no-untyped-call]
    card = text(browser, "#card")
    assert card.startswith("van\n") and "Inside \u2068office\u2069 for " in card and "Last fix " in card
    assert "Entered \u2068office\u2069, " in card and " ago" in card and "accuracy 9 m" in card
    assert browser.execute_script("return document.getAnimations().length") == 0  # type: ignore[no-untyped-call]
    # These device names are long, contain text from right to left, or contain emoji. Each name must take one line, and
    # must not change the direction of the text after it.
    for number, name in enumerate(("n" * 240, "\u202eevil", "דרך الطريق", "🚐" * 60)):
        served.feed(fix(name, 11, 0.01 * number))
    browser.find_element(By.ID, "find").clear()
    browser.find_element(By.ID, "find").send_keys(" ")
    until(lambda: len(rows(browser)) == 6, "the devices with odd names", served.state)
    heights = "return [...document.querySelectorAll('#devices tbody tr')].map((row) => row.offsetHeight)"
    assert set(browser.execute_script(heights)) == {32}  # type: ignore[no-untyped-call]
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    backs = []
    for scheme, size in LOOKS:
        look(browser, scheme, size)
        backs.append(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))  # type: ignore[no-untyped-call]
        width = browser.execute_script("return document.documentElement.scrollWidth")  # type: ignore[no-untyped-call]
        assert width <= size[0], "nothing to scroll sideways"
        browser.save_screenshot(str(SCREENSHOTS / f"page-{scheme}-{size[0]}.png"))
    assert backs == ["rgb(246, 248, 250)", "rgb(22, 27, 34)", "rgb(22, 27, 34)", "rgb(246, 248, 250)"]
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})  # type: ignore[no-untyped-call]
    assert complaints(browser) == []
    hosts = set()
    for entry in browser.get_log("performance"):  # type: ignore[no-untyped-call]
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            hosts.add(urlsplit(message["params"]["request"]["url"]).netloc)
    assert hosts - {""} == {served.url.split("/")[2]}, "no network"
    # The page must show that the watch has ended.
    assert served.process.stdin is not None
    served.process.stdin.close()
    assert served.process.wait(30) == 0
    until(lambda: "not connected" in text(browser, "#status"), "the end")


OVERLAPS = """
const lies = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
const others = (at) => [...map.furniture(), ...map.placed.slice(at + 1)];
return map.placed.filter((a, at) => a[1] < 0 || others(at).some((b) => lies(a, b))).length;
"""
PRESSED = """
    const done = arguments[0], started = performance.now();
    map.canvas.dispatchEvent(new KeyboardEvent("keydown", {key: "+"}));
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - started)));
"""


def test_long_names_of_places_leave_the_devices_and_times_visible(
    stack: ExitStack, tmp_path: Path, browser: webdriver.Chrome
) -> None:
    conditions(tmp_path, **{"customer at the end of a very long street name 1957": 0.0})
    served = Served(tmp_path, stack)
    served.feed(fix("delivery 07", 0), fix("delivery 07", 60))
    opened(browser, served.url)
    until(lambda: "(1)" in text(browser, "#devices-head"), "the device", served.state)
    hidden = """
        const box = document.getElementById("devices"), edge = box.getBoundingClientRect().right;
        const cells = [...box.querySelectorAll("tbody tr:not(.gap) > *")].filter((cell) => cell.checkVisibility());
        const beyond = cells.filter((cell) => cell.getBoundingClientRect().right > edge);
        return [box.scrollWidth - box.clientWidth, beyond.length, cells.length];
    """
    shortened = """
        const name = document.querySelector("#devices tbody th button");
        return name.scrollWidth > name.clientWidth;
    """
    for scheme, size in LOOKS:
        look(browser, scheme, size)
        shown = 4 if size[0] > 600 else 3
        assert browser.execute_script(hidden) == [0, 0, shown], (scheme, size)  # type: ignore[no-untyped-call]
        assert not browser.execute_script(shortened), (scheme, size)  # type: ignore[no-untyped-call]
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})  # type: ignore[no-untyped-call]


def test_many_devices_among_many_places(stack: ExitStack, tmp_path: Path, browser: webdriver.Chrome) -> None:
    conditions(tmp_path, **{f"place {each}": (each % 100) * 0.01 for each in range(5_000)})
    path = tmp_path / "conditions.geojson"
    collection = json.loads(path.read_text())
    for number, feature in enumerate(collection["features"]):
        feature["geometry"]["coordinates"][1] = (number // 100) * 0.01
    path.write_text(json.dumps(collection))
    served = Served(tmp_path, stack)
    for second in range(8):
        served.feed(
            *(fix(f"device {each}", second, each % 25 * 0.04 + second * 1e-3, each // 25 * 0.02) for each in range(500))
        )
    until(lambda: 'result="accepted"} 4000.0' in served.get("metrics")[1], "the fixes")
    # A newly opened page gets all data at once; measure how soon it can be used.
    for scheme, size in LOOKS:
        look(browser, scheme, size)
        opened(browser, served.url)
        until(lambda: "(500)" in text(browser, "#devices-head"), "the devices")
        until(lambda: browser.execute_script("return map.canvas.dataset.usable") is not None, "a frame")  # type: ignore[no-untyped-call]
        usable = float(browser.execute_script("return map.canvas.dataset.usable"))  # type: ignore[no-untyped-call]
        # Devices that would overlap are drawn as one mark with the number of these devices, and labels do not overlap.
        assert int(browser.execute_script("return map.canvas.dataset.clusters")) > 5  # type: ignore[no-untyped-call]
        assert browser.execute_script(OVERLAPS) == 0  # type: ignore[no-untyped-call]
        assert browser.execute_script("return document.querySelectorAll('*').length") < 2_500  # type: ignore[no-untyped-call]
        places = browser.execute_script("return Number(map.canvas.dataset.places)")  # type: ignore[no-untyped-call]
        assert places == 5_000
        milliseconds = browser.execute_async_script(PRESSED)  # type: ignore[no-untyped-call]
        print(f"{scheme}, {size[0]} wide: usable after {usable:.0f} ms, a key's picture after {milliseconds:.0f} ms")
        width = browser.execute_script("return document.documentElement.scrollWidth")  # type: ignore[no-untyped-call]
        assert width <= size[0], "nothing to scroll sideways"
        browser.save_screenshot(str(SCREENSHOTS / f"page-many-{scheme}-{size[0]}.png"))
    # Use only the keyboard: move the focus past the map, then find and choose one device among 500.
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("id") == "find"  # type: ignore[no-untyped-call]
    browser.switch_to.active_element.send_keys("device 499")
    # Pressing Tab five times moves the focus past the scrolling region and three column headings (a phone hides the
    # last-fix column) to the row.
    browser.switch_to.active_element.send_keys(Keys.TAB * 5)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.execute_script("return chosen") == "device 499"  # type: ignore[no-untyped-call]
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})  # type: ignore[no-untyped-call]
    measured = """
        const started = performance.now();
        for (let turn = 0; turn < 20; turn += 1) { map.zoom(turn % 2 ? 1.1 : 1 / 1.1); map.draw(); }
        return (performance.now() - started) / 20;
    """
    milliseconds = browser.execute_script(measured)  # type: ignore[no-untyped-call]
    print(f"a frame of 5 000 places and 500 devices takes {milliseconds:.0f} ms")
    served.feed(fix("late", 100))
    until(lambda: "late\u2069 entered \u2068place 0" in text(browser, "#events"), "the event")
    assert complaints(browser) == []


class TileServer:
    """Serves the same picture for each tile from a separate origin, and records the requests."""

    def __init__(self, stack: ExitStack) -> None:
        self.asked: list[tuple[str, str | None]] = []
        data = io.BytesIO()
        Image.new("RGB", (256, 256), (200, 220, 190)).save(data, "png")
        asked = self.asked

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append((self.path, self.headers.get("Referer")))
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.end_headers()
                self.wfile.write(data.getvalue())

            def log_message(self, *words: Any) -> None:
                pass

        server = stack.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        stack.callback(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{server.server_port}"


LOADS = """
    const [address, done] = arguments, picture = new Image();
    picture.onload = () => done("loaded");
    picture.onerror = () => done("refused");
    picture.src = address;
"""


def test_tiles_are_of_the_server_that_is_named(stack: ExitStack, tmp_path: Path, browser: webdriver.Chrome) -> None:
    tiles, other = TileServer(stack), TileServer(stack)
    plain = Served(tmp_path, stack)
    opened(browser, plain.url)
    assert browser.execute_async_script(LOADS, f"{tiles.origin}/0/0/0.png") == "refused"  # type: ignore[no-untyped-call]
    assert tiles.asked == [] and not browser.find_element(By.CLASS_NAME, "credit").is_displayed()
    folder = tmp_path / "tiles"
    folder.mkdir()
    served = Served(
        folder,
        stack,
        *("--page-tiles", f"{tiles.origin}/map/{{z}}/{{x}}/{{y}}.png"),
        *("--page-attribution", "© <i>somebody</i> https://example.org/rights"),
    )
    opened(browser, served.url)
    served.feed(fix("van", 0))
    drawn = "return Number(document.getElementById('map').dataset.drawnTiles || 0)"
    until(lambda: browser.execute_script(drawn) > 3, "the tiles")  # type: ignore[no-untyped-call]
    link = browser.find_element(By.CSS_SELECTOR, ".credit a")
    assert link.text == "© <i>somebody</i>" and link.get_attribute("href") == "https://example.org/rights"  # type: ignore[no-untyped-call]
    assert link.is_displayed()
    asked = tiles.asked[:]
    assert all(re.fullmatch(r"/map/\d+/\d+/\d+\.png", path) for path, _ in asked)
    assert {referrer for _, referrer in asked} == {served.url}, "the site, and nothing of what was asked of it"
    assert len({path for path, _ in asked}) == len(asked), "each once"
    # Zoom in, then far out: the map ends at the top and bottom, and repeats to the left and right.
    browser.find_element(By.ID, "map").send_keys("+", "+")
    until(lambda: len(tiles.asked) > len(asked), "deeper tiles")
    browser.execute_script("map.scale = 150; map.centre = [0.01, 0.5]; map.draw()")  # type: ignore[no-untyped-call]
    until(lambda: ("/map/0/0/0.png", served.url) in tiles.asked, "the whole world")
    assert not [path for path, _ in tiles.asked if path.startswith("/map/0/") and path != "/map/0/0/0.png"]
    browser.find_element(By.ID, "map").send_keys("0")
    refused = browser.execute_async_script(LOADS, f"{other.origin}/0/0/0.png")  # type: ignore[no-untyped-call]
    assert (refused, other.asked) == ("refused", []), "no other origin"
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for scheme, size in LOOKS:
        look(browser, scheme, size)
        until(lambda: browser.execute_script(drawn) > 0, "the tiles")  # type: ignore[no-untyped-call]
        browser.save_screenshot(str(SCREENSHOTS / f"page-tiles-{scheme}-{size[0]}.png"))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})  # type: ignore[no-untyped-call]
    said = complaints(browser)
    assert len(said) == 1 and other.origin in said[0], said


def test_who_may_see_it(stack: ExitStack, tmp_path: Path, browser: webdriver.Chrome) -> None:
    served = Served(tmp_path, stack)
    assert served.get()[0] == 200
    assert served.get(Host="evil.example")[0] == 403, "another name that leads here"
    assert served.get("events", Host="evil.example:1")[0] == 403
    assert served.get("nothing")[0] == 404 and served.get("../../etc/passwd")[0] in (400, 404)
    status, _, headers = served.get("page.js")
    policy = headers["Content-Security-Policy"]
    assert status == 200 and "default-src 'none'" in policy and "unsafe" not in policy
    assert headers["Access-Control-Allow-Origin"] is None
    request = urllib.request.Request(served.url, data=b"x", method="POST")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=120)
    caught.value.close()
    assert caught.value.code == 405, "read-only"
    served.feed(fix("a", 0))
    until(lambda: 'fencepost_fixes_total{result="accepted"} 1.0' in served.get("metrics")[1], "the counter")
    # Serve the page with a token, on all addresses.
    folder = tmp_path / "token"
    folder.mkdir()
    token = "abcdefgh12345678"
    (folder / "token").write_text(f"{token}\n")
    guarded = Served(folder, stack, "--page-token", folder / "token", host="0.0.0.0")
    for path in ("", "events", "metrics", "page.js", "?token=abcdefgh12345679", "?token=%C3%A9"):
        assert guarded.get(path)[0] == 403, path
    assert guarded.get("metrics", Authorization=f"Bearer {token}")[0] == 200
    assert guarded.get("metrics", Authorization="Bearer \xe9")[0] == 403
    browser.get(f"{guarded.url}?token={token}")
    until(lambda: text(browser, "#status") == "live", "the stream")
    assert token not in browser.current_url
    cookie = browser.get_cookie(f"fencepost-{guarded.url.split(':')[2].strip('/')}")
    assert cookie is not None and cookie["httpOnly"] and cookie["sameSite"] == "Lax"
    assert token not in guarded.said_file.read_text()


def test_readers_are_bounded(stack: ExitStack, tmp_path: Path) -> None:
    served = Served(tmp_path, stack)
    readers = [stack.enter_context(urllib.request.urlopen(f"{served.url}events", timeout=120)) for _ in range(32)]
    assert all(reader.readline().startswith(b"data: ") for reader in readers)
    assert served.get("events")[0] == 503
    for reader in readers:
        reader.close()
    until(lambda: math.isclose(served.get("metrics")[0], 200), "the page continues")


def test_places_outside_their_hours_and_repeats(browser: Any, tmp_path: Path, stack: ExitStack) -> None:
    """A place outside its hours has a dashed outline and a label that says so; a repeat is not an entry."""
    now = time.time()

    def interval(start: float, end: float) -> str:
        begin, last = (datetime.fromtimestamp(at, UTC).isoformat() for at in (start, end))
        return f"{begin}/{last}"

    def place(name: str, longitude: float, **properties: Any) -> dict[str, Any]:
        point = {"type": "Point", "coordinates": [longitude, 0]}
        return {"type": "Feature", "id": name, "geometry": point, "properties": {"radius": 200, **properties}}

    features = [
        place("shut", 0.01, active=[interval(now - 7200, now - 3600), interval(now + 3600, now + 7200)]),
        place("open", 0.0, active=[interval(now - 3600, now + 3600)], repeat_every=60, assuming="unknown"),
        place("always", 0.02),
    ]
    (tmp_path / "conditions.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    served = Served(tmp_path, stack, "--policy", "exact")
    served.feed(*({**fix("car", 0), "time": now - 180 + step} for step in (0, 130)))
    opened(browser, served.url)
    until(lambda: "still in" in text(browser, "#events"), "the repeat", served.state)
    words = text(browser, "#events")
    assert "is still in \u2068open\u2069" in words and words.count("entered") == 1, words
    assert "1 of them outside their hours" in text(browser, "#summary")
    assert browser.execute_script("return !byId('shut-key').hidden")
    dashes = browser.execute_script(
        """const found = [], {context} = map, dash = context.setLineDash.bind(context), label = map.label.bind(map);
        context.setLineDash = (each) => { if (each.length) found.push(each.join()); dash(each); };
        map.draw();
        return [found, map.labels.map((each) => each.name)];"""
    )
    assert dashes[0] == ["4,4"] and "outside its hours, shut" in dashes[1], dashes
    assert complaints(browser) == []


def test_rules_with_hostile_names(browser: Any, tmp_path: Path, stack: ExitStack) -> None:
    """The page of one device lists each rule with its state, its parts and the part that decided; no name is read as
    markup."""
    image, override = "<img src=x onerror=document.title=1>", "\u202e</script>"

    def feature(name: str, longitude: float | None, **properties: Any) -> dict[str, Any]:
        geometry = None if longitude is None else {"type": "Point", "coordinates": [longitude, 0]}
        own = {"policy": "exact"} | ({} if longitude is None else {"radius": 200}) | properties
        return {"type": "Feature", "id": name, "geometry": geometry, "properties": own}

    features = [
        feature(image, 0.0),
        feature("__proto__", 0.001),
        feature(override, None, rule={"all": [image, "__proto__"]}),
        feature("outer", None, rule={"any": [override, "not there"]}),
    ]
    (tmp_path / "conditions.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    served = Served(tmp_path, stack, by=None)
    served.feed(*({**fix("", second, longitude), "device": None} for second, longitude in ((0, -0.001), (10, 0.0))))
    opened(browser, served.url)
    until(lambda: "decided by" in text(browser, "#events"), "the event", served.state)
    assert f"device\u2069 satisfies \u2068{override}\u2069, decided by \u2068__proto__\u2069" in text(
        browser, "#events"
    )
    assert f"decided by \u2068{override}\u2069" in text(browser, "#last"), "the outer rule comes last"
    row = "[...row.cells].map((cell) => cell.textContent)"
    cells = f"return [...document.querySelectorAll('#rules tbody tr')].map((row) => {row})"
    until(lambda: "satisfied" in str(browser.execute_script(cells)), "the states", served.state)
    assert browser.execute_script(cells) == [
        ["▾ outer", f"● satisfied, by \u2068{override}\u2069", "any of 2"],
        [f"▾ {override}", "● satisfied, by \u2068__proto__\u2069", "all of 2"],
        [image, "● satisfied", "circle"],
        ["__proto__", "● satisfied", "circle"],
        ["not there", "● unknown", "not in the conditions"],
    ]
    assert "(1)" not in text(browser, "#rules-head") and "(2)" in text(browser, "#rules-part")
    assert "outer" not in text(browser, "#devices"), "a device is not inside a rule"
    served.feed({**fix("", 20, 0.5), "device": None})
    until(lambda: "unsatisfied" in str(browser.execute_script(cells)), "the other states", served.state)
    found = browser.execute_script(cells)
    assert found[0][1] == "● unknown", "without the missing part, the outer rule is unknown, and no event says so"
    assert found[1][1].startswith("● unsatisfied, by ") and found[2][1] == "● unsatisfied"
    # Only the keyboard: fold the inner rule, then the outer one.
    for expected, number in ((3, 1), (1, 0)):
        button = browser.find_elements(By.CSS_SELECTOR, "#rules tr.rule button")[number]
        browser.execute_script("arguments[0].focus()", button)
        browser.switch_to.active_element.send_keys(Keys.ENTER)
        assert len(browser.execute_script(cells)) == expected
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    assert len(browser.execute_script(cells)) == 3, "the inner rule is still folded"
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    for scheme, size in LOOKS:
        look(browser, scheme, size)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]
        beyond = "const box = byId('rules'); return box.scrollWidth - box.clientWidth"
        assert browser.execute_script(beyond) == 0, (scheme, size)
        browser.save_screenshot(str(SCREENSHOTS / f"page-rules-{scheme}-{size[0]}.png"))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert browser.title == "Fencepost" and not browser.find_elements(By.CSS_SELECTOR, "main img")
    assert complaints(browser) == []
