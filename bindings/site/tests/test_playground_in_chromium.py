"""Tests the playground in headless Chromium, in wide and narrow windows, from a server and from a file: files, drawing,
links and the keyboard.

The screenshots are saved in .build/screenshots.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from selenium import webdriver
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait
from test_pages_in_chromium import LIMIT, SCREENSHOTS, WIDTHS, requested, show

EVENTS = """
return [...document.querySelectorAll("#events tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
"""
# Counts the pairs of a label and a mark whose boxes overlap (boxes that only touch at their edges do not count).
COVERED = """
const boxes = (kind) => [...document.querySelectorAll(`#map ${kind}`)].map((part) => part.getBBox());
const within = (a, size, b) => a + 2 < b + size;
const meets = (a, b) => within(a.x, b.width, b.x) && within(b.x, a.width, a.x)
  && within(a.y, b.height, b.y) && within(b.y, a.height, a.y);
return boxes("text").flatMap((label) => boxes(".event").filter((mark) => meets(label, mark))).length;
"""
READY = "return document.documentElement.dataset.ready === 'yes'"
PLACES = "return state.places.map(({ identifier, condition, options }) => ({ identifier, condition, options }))"


@pytest.fixture
def page(browser: webdriver.Chrome, site: Path) -> Callable[..., webdriver.Chrome]:
    """Opens the playground from its file."""

    def opened(fragment: str = "", width: str = "desk", scheme: str = "light", address: str = "") -> webdriver.Chrome:
        browser.get("about:blank")
        place = address or (site / "playground" / "index.html").as_uri()
        show(browser, f"{place}{fragment}", *WIDTHS[width], scheme=scheme)
        WebDriverWait(browser, LIMIT).until(lambda it: it.execute_script(READY))
        return browser

    return opened


def message(browser: webdriver.Chrome) -> str:
    return browser.find_element(By.ID, "message").text


def drop(browser: webdriver.Chrome, *files: Path) -> None:
    browser.find_element(By.ID, "file").send_keys("\n".join(map(str, files)))
    WebDriverWait(browser, LIMIT).until(lambda it: message(it) != "")


def guide() -> list[list[str]]:
    """The events of the first example in the Start guide."""
    text = (ROOT / "bindings/site/start.md").read_text(encoding="utf-8")
    block = next(part for part in re.findall(r"```text\n(.*?)```", text, re.DOTALL) if part.startswith("date (UTC)"))
    rows = [re.split(r"\s{2,}", line) for line in block.splitlines()[2:] if line]
    words = {("unsatisfied", "determination"): "is outside at first", ("satisfied", "crossing"): "enters",
             ("unsatisfied", "crossing"): "leaves"}  # fmt: skip
    return [[row[0][11:], row[1], words[row[2], row[3]], row[4], row[5]] for row in rows]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_example_of_the_guide(page: Callable[..., webdriver.Chrome], address: str, width: str, scheme: str) -> None:
    browser = page(width=width, scheme=scheme, address=f"{address}/playground/index.html")
    browser.find_element(By.ID, "example").click()
    assert browser.execute_script(EVENTS) == guide()
    assert len(guide()) == 9
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    browser.save_screenshot(str(SCREENSHOTS / f"playground-{width}-{scheme}.png"))
    assert browser.execute_script(COVERED) == 0, "no label covers a mark"
    assert browser.execute_script("return document.documentElement.scrollWidth") <= WIDTHS[width][0]
    assert {url for url in requested(browser) if not url.startswith("blob:")} == {f"{address}/playground/index.html"}
    assert [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    # Text has enough contrast with its background, as WCAG 2.2 (1.4.3) requires.
    assert browser.execute_script(CONTRAST) >= 4.5


CONTRAST = """
const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const luminance = (colour) => {
  probe.fillStyle = colour;
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3).map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const background = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!/, 0\\)$|transparent/.test(colour)) return colour;
  }
  return "white";
};
let least = 21;
for (const element of document.querySelectorAll("h1, h2, p, label, button, select, th, td, a, span, output, summary")) {
  if (!element.textContent.trim() || element.closest("[hidden]")) continue;
  const [text, page] = [luminance(getComputedStyle(element).color), luminance(background(element))];
  least = Math.min(least, (Math.max(text, page) + 0.05) / (Math.min(text, page) + 0.05));
}
return least;
"""


def test_an_empty_map_invites(page: Callable[..., webdriver.Chrome]) -> None:
    """On a telephone, the map is at the top of the page. An empty map offers the example, except while a drawing tool
    is active."""
    browser = page(width="phone")
    invitation = browser.find_element(By.ID, "empty")
    assert invitation.is_displayed() and invitation.rect["y"] < WIDTHS["phone"][1] / 2
    browser.execute_script("choose('circle')")
    assert not invitation.is_displayed()
    browser.execute_script("choose('move')")
    invitation.find_element(By.TAG_NAME, "button").click()
    assert not invitation.is_displayed() and len(browser.execute_script(PLACES)) == 3
    browser.find_element(By.ID, "clear").click()
    assert invitation.is_displayed()


def test_policy_and_path_change_the_events(page: Callable[..., webdriver.Chrome]) -> None:
    browser = page()
    browser.find_element(By.ID, "example").click()
    Select(browser.find_element(By.ID, "policy")).select_by_value("exact")
    crossings = [row[0] for row in browser.execute_script(EVENTS) if row[2] in ("enters", "leaves")]
    # The guide shows the same times.
    assert crossings == ["15:40:44", "15:41:44", "15:42:58", "15:43:41", "15:45:35", "15:46:41"]
    Select(browser.find_element(By.ID, "path")).select_by_value("geodesic")
    assert len(browser.execute_script(EVENTS)) >= 9
    assert [row[0] for row in browser.execute_script(EVENTS) if row[2] in ("enters", "leaves")] != crossings


def test_explanations_follow_the_time(page: Callable[..., webdriver.Chrome]) -> None:
    browser = page()
    browser.find_element(By.ID, "example").click()
    entered = next(row for row in browser.find_elements(By.CSS_SELECTOR, "#events tbody tr") if "enters" in row.text)
    button = entered.find_element(By.TAG_NAME, "button")
    browser.execute_script("arguments[0].focus()", button)
    button.send_keys(Keys.ENTER)
    rows = [row.text for row in browser.find_elements(By.CSS_SELECTOR, "#explain tbody tr")]
    assert rows[0].startswith("Aeschenplatz inside the last fix is ") and rows[1].split()[2] == "outside"
    slider = browser.find_element(By.ID, "time")
    slider.send_keys(Keys.HOME)
    WebDriverWait(browser, LIMIT).until(lambda it: it.find_element(By.ID, "now").text == "2018-06-19 15:36:37")
    assert "607.4 m outside" in browser.find_element(By.CSS_SELECTOR, "#explain tbody tr").text


@pytest.mark.parametrize("name", ["drive.csv", "drive.gpx", "tracks/gpx/bike-basel.gpx"])
def test_tracks_of_files(page: Callable[..., webdriver.Chrome], name: str) -> None:
    browser = page()
    drop(browser, ROOT / "examples/data" / name, ROOT / "examples/data/places.geojson")
    assert " fixes" in message(browser) and "11 places" in message(browser)
    assert len(browser.execute_script(PLACES)) == 11
    assert len(browser.execute_script(EVENTS)) >= 7
    assert "invalid" not in browser.find_element(By.ID, "counts").text


def test_geojson_tracks_and_semicolons(page: Callable[..., webdriver.Chrome], tmp_path: Path) -> None:
    line = {"type": "LineString", "coordinates": [[7.59, 47.55], [7.6, 47.55]]}
    times = ["2024-05-01T08:00:00Z", "2024-05-01T08:01:00Z"]
    track = tmp_path / "track.geojson"
    track.write_text(json.dumps({"type": "Feature", "geometry": line, "properties": {"coordTimes": times}}))
    places = tmp_path / "places.csv"
    places.write_bytes('\ufeffidentifier;latitude;longitude;radius\r\n"a; ""b""";47.55;7.59;100\r\n'.encode())
    browser = page()
    drop(browser, track, places)
    assert [place["identifier"] for place in browser.execute_script(PLACES)] == ['a; "b"']
    assert [row[2] for row in browser.execute_script(EVENTS)] == ["is inside at first"]


DROP = """
const carried = new DataTransfer();
carried.items.add(new File([arguments[0]], "places.csv", { type: "text/csv" }));
for (const kind of ["dragenter", "dragover", "drop"]) {
  document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: carried }));
  if (kind === "dragenter") document.title = String(document.getElementById("dropping").hidden);
}
"""


def test_a_file_that_is_dropped(page: Callable[..., webdriver.Chrome]) -> None:
    browser = page()
    browser.execute_script(DROP, "identifier,latitude,longitude,radius\na,47.55,7.59,100\n")
    WebDriverWait(browser, LIMIT).until(lambda it: "1 place" in message(it))
    assert browser.title == "false"  # while a file is dragged over the page, the page says where to drop it
    assert not browser.find_element(By.ID, "dropping").is_displayed()
    assert [place["condition"]["radius"] for place in browser.execute_script(PLACES)] == [100]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.gpx", "<gpx><trk></gpx>", "well-formed"),
        ("b.gpx", "<gpx><trk><trkseg><trkpt lat='1' lon='2'/></trkseg></trk></gpx>", "no times"),
        ("c.geojson", '{"type": "FeatureCollection"', "JSON"),
        ("d.csv", "a,b\n1,2\n", "latitude"),
        ("e.csv", "", "latitude"),
        ("f.geojson", '{"type": "Polygon", "coordinates": [[[0,0],[1,1],[0,1],[1,0]]]}', "crossing"),
        ("g.csv", "identifier,latitude,longitude,radius\nx,95,7,100\n", "latitude"),
    ],
)  # fmt: skip
def test_files_that_are_refused(
    page: Callable[..., webdriver.Chrome], tmp_path: Path, name: str, content: str, words: str
) -> None:
    browser = page()
    file = tmp_path / name
    file.write_text(content)
    drop(browser, file)
    assert words in message(browser) and name in message(browser)
    assert browser.find_element(By.ID, "message").get_attribute("class") == "error"
    assert browser.execute_script(PLACES) == []
    # The page still works after it has refused the file.
    browser.find_element(By.ID, "example").click()
    assert len(browser.execute_script(EVENTS)) == 9


def test_places_are_drawn(page: Callable[..., webdriver.Chrome]) -> None:
    browser = page()
    browser.find_element(By.ID, "example").click()
    board = browser.find_element(By.ID, "map")
    browser.find_element(By.CSS_SELECTOR, "[data-tool=circle]").click()
    ActionChains(browser).move_to_element_with_offset(board, 0, 0).click_and_hold().move_by_offset(
        60, 0
    ).release().perform()
    *_, circle = browser.execute_script(PLACES)
    assert circle["identifier"] == "circle 1" and 50 < circle["condition"]["radius"] < 2000
    browser.find_element(By.CSS_SELECTOR, "[data-tool=polygon]").click()
    for x, y in ((-150, 100), (-50, 100), (-50, 200)):
        ActionChains(browser).move_to_element_with_offset(board, x, y).click().perform()
    browser.find_element(By.ID, "map").send_keys(Keys.ENTER)
    *_, polygon = browser.execute_script(PLACES)
    assert polygon["condition"]["type"] == "Polygon" and len(polygon["condition"]["coordinates"][0]) == 3
    browser.find_element(By.CSS_SELECTOR, "[aria-label='remove circle 1']").click()
    assert "circle 1" not in [place["identifier"] for place in browser.execute_script(PLACES)]


def test_keyboard_alone(page: Callable[..., webdriver.Chrome]) -> None:
    """Everything that works with the mouse also works with Tab, Enter, Space and the arrow keys."""
    browser = page()
    reached = []
    for _ in range(60):
        # (For a file input, WebDriver's "send keys" means the file names.)
        ActionChains(browser).send_keys(Keys.TAB).perform()
        focused = browser.switch_to.active_element
        reached.append(focused.get_attribute("id") or focused.get_attribute("data-tool") or focused.tag_name)
        if reached[-1] == "example":
            focused.send_keys(Keys.ENTER)
        if reached[-1] == "summary":
            focused.send_keys(Keys.ENTER)
        if focused.get_attribute("name") == "latitude":
            focused.send_keys("47.5544")
        if focused.get_attribute("name") == "longitude":
            focused.send_keys("7,5946", Keys.ENTER)
        if reached[-1] == "map":
            break
    for name in ("file", "example", "circle", "polygon", "policy", "path", "share", "map"):
        assert name in reached
    assert [place["condition"] for place in browser.execute_script(PLACES)][-1] == {
        "latitude": 47.5544, "longitude": 7.5946, "radius": 150,
    }  # fmt: skip
    before = browser.execute_script("return { ...state.view }")
    browser.switch_to.active_element.send_keys(Keys.ARROW_LEFT, "+")
    after = browser.execute_script("return { ...state.view }")
    assert after["x"] != before["x"] and after["scale"] > before["scale"]


def test_a_link_holds_the_places(page: Callable[..., webdriver.Chrome]) -> None:
    browser = page()
    drop(browser, ROOT / "examples/data/places.geojson")
    Select(browser.find_element(By.ID, "policy")).select_by_value("core_location")
    expected = browser.execute_script(PLACES)
    browser.find_element(By.ID, "share").click()
    WebDriverWait(browser, LIMIT).until(lambda it: "link" in message(it))
    fragment = browser.execute_script("return location.hash")
    browser = page(fragment)
    assert browser.execute_script(PLACES) == expected
    assert Select(browser.find_element(By.ID, "policy")).first_selected_option.get_attribute("value") == "core_location"
    assert "11 places" in message(browser)


def fragment(value: Any) -> str:
    return "#p=" + base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


HOSTILE = "<img src=x onerror='document.title = 1'>"


@pytest.mark.parametrize(
    "broken",
    ["#p=", "#p=AAAA", "#p=%%%", "#other", fragment(7),
     fragment({"places": {"type": "FeatureCollection", "features": [None]}}),
     fragment({"places": {"type": "FeatureCollection"}})],
)  # fmt: skip
def test_links_that_are_refused(page: Callable[..., webdriver.Chrome], broken: str) -> None:
    browser = page(broken)
    assert browser.execute_script(PLACES) == []
    assert "holds no places" in message(browser)
    assert browser.find_element(By.ID, "message").get_attribute("class") == "error"


def test_a_link_runs_nothing(page: Callable[..., webdriver.Chrome]) -> None:
    feature = {"type": "Feature", "geometry": {"type": "Point", "coordinates": [7.59, 47.55]},
               "properties": {"identifier": HOSTILE, "radius": 100}}  # fmt: skip
    browser = page(fragment({"places": {"type": "FeatureCollection", "features": [feature]}, "policy": HOSTILE}))
    assert browser.title == "Fencepost playground"
    assert browser.find_elements(By.TAG_NAME, "img") == []
    assert HOSTILE in browser.find_element(By.ID, "places").text
