"""Tests seven pages in headless Chromium, in wide and narrow windows: they use no network, cause no errors, and contain
nothing that is wider than the window.

The screenshots are saved in .build/screenshots.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import ROOT
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

SCREENSHOTS = ROOT / ".build" / "screenshots"
PAGES = (
    "index",
    "start",
    "guides/python",
    "guides/choose",
    "concepts/policies",
    "notebooks/tour",
    "reference/python/Monitor",
)
BACKS = {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}
LIMIT = 180
"""Timeout of every wait, in seconds."""
WIDTHS = {"desk": (1280, 1000), "phone": (390, 844)}


def show(browser: webdriver.Chrome, address: str, width: int, height: int, scheme: str = "light") -> None:
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
    })  # fmt: skip
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get_log("performance")
    browser.get_log("browser")
    browser.get(address)
    WebDriverWait(browser, LIMIT).until(
        lambda it: it.execute_script(
            "return document.readyState === 'complete' && [...document.images].every((image) => image.complete)"
        )
    )


def requested(browser: webdriver.Chrome) -> set[str]:
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = {each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"}
    return {url for url in urls if not url.startswith("data:")}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_page(browser: webdriver.Chrome, address: str, name: str, width: str) -> None:
    show(browser, f"{address}/{name}.html", *WIDTHS[width])
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    browser.save_screenshot(str(SCREENSHOTS / f"site-{Path(name).name}-{width}.png"))
    asked = requested(browser)
    assert asked and {url for url in asked if not url.startswith(address)} == set()
    assert [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert browser.execute_script("return [...document.images].every((image) => image.naturalWidth > 0)")
    # The page itself does not scroll sideways; wide tables and outputs scroll on their own.
    assert browser.execute_script("return document.documentElement.scrollWidth") <= WIDTHS[width][0]
    assert len(browser.execute_script("return document.querySelector('article').innerText")) > 300


def test_dark(browser: webdriver.Chrome, address: str) -> None:
    """The pages use dark colours if the system does."""
    lightness = {}
    for scheme in ("light", "dark"):
        show(browser, f"{address}/start.html", *WIDTHS["desk"], scheme=scheme)
        colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert colour == BACKS[scheme], "the background of the report, the live page and the playground"
        lightness[scheme] = sum(int(part) for part in colour.partition("(")[2].rstrip(")").split(",")[:3])
    browser.save_screenshot(str(SCREENSHOTS / "site-start-dark.png"))
    assert lightness["light"] > 700 and lightness["dark"] < 200


def wait_for_link(browser: webdriver.Chrome, selector: str, ending: str) -> None:
    """Waits until the selector finds a link whose address ends with the given text. Search results and similar lists
    appear one entry at a time, so a test must not judge a list by its first entries."""
    links = "return [...document.querySelectorAll(arguments[0])].map((a) => a.href)"
    WebDriverWait(browser, LIMIT).until(
        lambda it: any(link.partition("?")[0].endswith(ending) for link in it.execute_script(links, selector)),
        f"no link to {ending}",
    )


def test_a_list_that_fills_slowly_is_waited_for(browser: webdriver.Chrome) -> None:
    script = (
        "let n = 0; const timer = setInterval(() => { const a = document.createElement('a');"
        "a.href = `http://localhost/${++n}.html`; document.body.append(a); if (n === 5) clearInterval(timer) }, 100)"
    )
    browser.get(f"data:text/html,<body><script>{script}</script></body>")
    wait_for_link(browser, "a", "/5.html")


# Maps words that a newcomer may search for to the page that must be the first result.
SEARCHES = {
    "geofence": "concepts/words.html",
    "Enter": "concepts/states.html",
    "exit": "concepts/states.html",
    "polygon": "concepts/shapes.html",
    "loiter": "concepts/policies.html",
    "lat lon swapped": "guides/no-event.html",
    "no event": "guides/no-event.html",
    "point in polygon": "concepts/questions.html",
    "route deviation": "concepts/words.html",
    "fastapi": "guides/own-service.html",
    "Monitor": "reference/python/Monitor.html",
    "fencepost_monitor_feed_fix": "reference/c/inputs-of-monitors.html",
}


@pytest.mark.parametrize("words", SEARCHES)
def test_search(browser: webdriver.Chrome, address: str, words: str) -> None:
    show(browser, f"{address}/search.html?q={words.replace(' ', '+')}", *WIDTHS["desk"])
    first = "return document.querySelector('#search-results li a')?.href.split('#')[0].split('?')[0]"
    found = WebDriverWait(browser, LIMIT).until(lambda it: it.execute_script(first))
    assert found.endswith(SEARCHES[words])


def test_the_swift_reference_opens(browser: webdriver.Chrome, address: str) -> None:
    """DocC's pages are built by a script, from data that the script requests from the server."""
    show(browser, f"{address}/swift/documentation/fencepost/", *WIDTHS["desk"])
    text = WebDriverWait(browser, LIMIT).until(
        lambda it: "RotationPlanner" in (words := it.execute_script("return document.body.innerText")) and words
    )
    assert "Monitor" in text and {url for url in requested(browser) if not url.startswith(address)} == set()
