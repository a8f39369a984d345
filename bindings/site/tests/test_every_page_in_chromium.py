"""Tests each page of the site in headless Chromium, at the widths of a desk and a phone, light and dark: nothing is
wider than the window, text is legible, images have a text alternative, and there are no errors. Also tests that code
can be copied with the mouse and with the keyboard."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from conftest import DOCS
from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from test_links import guides
from test_pages_in_chromium import WIDTHS, show

LOOKS = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8")
SCHEMES = ("light", "dark")
PARTS = ("", "concepts", "guides", "notebooks", "playground", "project", "reference/c", "reference/python")


def pages_of(part: str) -> list[str]:
    """Returns the pages of one folder of the site; the empty name means the pages at the top of the site."""
    paths = [path.relative_to(DOCS) for path in guides(DOCS)]
    return [str(path) for path in paths if (str(path.parent).startswith(part) if part else path.parent == Path())]


def test_each_page_is_in_a_part(site: Path) -> None:
    listed = [page for part in PARTS for page in pages_of(part)]
    others = {str(path.relative_to(site)) for path in guides(site)} - set(listed)
    assert others == {"reference/swift.html"} and len(listed) == len(set(listed)) > 130


def wait_for_pictures(browser: webdriver.Chrome) -> None:
    """Waits until the pictures for a new width and colour scheme are loaded; the faults name those that are not."""
    loaded = "return [...document.images].every((image) => image.complete && image.naturalWidth > 0)"
    with contextlib.suppress(TimeoutException):
        WebDriverWait(browser, 10).until(lambda it: it.execute_script(loaded))


@pytest.mark.parametrize("part", [*PARTS, "reference/swift.html"])
def test_each_page_is_legible(browser: webdriver.Chrome, address: str, part: str) -> None:
    pages, faults = [part] if part.endswith(".html") else pages_of(part), []
    assert pages
    for page in pages:
        show(browser, f"{address}/{page}", *WIDTHS["desk"])
        for name, (width, height) in WIDTHS.items():
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            for scheme in SCHEMES:
                media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
                browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
                wait_for_pictures(browser)
                faults += [f"{page}, {name}, {scheme}: {fault}" for fault in browser.execute_script(LOOKS)]
        faults += [f"{page}: {entry['message']}" for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert faults == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<p style='color: #999'>grey</p>", "contrast"),
        ("<p style='background: #000'><b style='color: #333'>dark</b></p>", "contrast"),
        ("<div style='width: 2000px'>wide</div>", "pixels wide"),
        ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "no alternative text"),
        ("<div style='overflow: auto'><div style='width: 2000px'>wide</div></div><h1 style='color: #888'>big</h1>", ""),
    ],
)  # fmt: skip
def test_faults_are_found(browser: webdriver.Chrome, tmp_path: Path, body: str, fault: str) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><meta charset='utf-8'><body style='background: #fff'><main>{body}</main>", "utf-8")
    show(browser, page.as_uri(), *WIDTHS["desk"])
    found = browser.execute_script(LOOKS)
    assert any(fault in each for each in found) if fault else found == []


def test_tables_have_one_line_below_each_row(browser: webdriver.Chrome, address: str) -> None:
    """Tables have no second border, neither in the frames of notebooks nor in the columns of pages."""
    borders = """return [...document.querySelectorAll('article :is(td, th)')].map((cell) => {
      const style = getComputedStyle(cell), table = getComputedStyle(cell.closest('table'));
      const widths = ['Left', 'Right', 'Top'].map((side) => parseFloat(style[`border${side}Width`]));
      return widths.join() + table.borderTopWidth + table.borderCollapse;
    })"""
    for page in ("notebooks/tour", "notebooks/fleet", "guides/choose"):
        show(browser, f"{address}/{page}.html", *WIDTHS["phone"])
        assert set(browser.execute_script(borders)) == {"0,0,00pxcollapse"}, page


def test_wide_tables_of_prose_fit_a_phone(browser: webdriver.Chrome, address: str) -> None:
    """On a phone, each row of a wide table of prose is shown as a block, and each cell begins with the heading of its
    column. Tables that contain numbers are still shown in columns."""
    cells = """return [...document.querySelectorAll('table.blocks')].map((table) => [
      table.scrollWidth - table.clientWidth, [...table.querySelectorAll('tbody tr:first-child td')].map(
        (cell) => [getComputedStyle(cell, '::before').content, cell.getBoundingClientRect().width > 300])])"""
    show(browser, f"{address}/guides/compared.html", *WIDTHS["phone"])
    tables = browser.execute_script(cells)
    assert [beyond for beyond, _ in tables] == [0, 0] and all(wide for _, row in tables for _, wide in row)
    assert [before for before, _ in tables[0][1]] == ["none", '"It is better at: "', '"Fencepost is better at: "']
    show(browser, f"{address}/guides/compared.html", *WIDTHS["desk"])
    assert (
        browser.execute_script("return getComputedStyle(document.querySelector('.blocks tr')).display") == "table-row"
    )
    show(browser, f"{address}/concepts/semantics.html", *WIDTHS["phone"])
    assert browser.execute_script("return document.querySelectorAll('table.docutils:not(.blocks)').length") > 0


def test_pictures_follow_the_scheme(browser: webdriver.Chrome, address: str) -> None:
    shown = "return [...document.images].filter((image) => image.checkVisibility()).map((image) => image.currentSrc)"
    for scheme, name in (("light", "report"), ("dark", "report-dark")):
        for width, ending in (("desk", ".png"), ("phone", "-phone.png")):
            show(browser, f"{address}/index.html", *WIDTHS[width], scheme=scheme)
            assert [path.rpartition("/")[2] for path in browser.execute_script(shown)] == [name + ending]


def test_pictures_of_reports(browser: webdriver.Chrome, address: str, site: Path) -> None:
    """Each guide about an option that the report draws shows a picture of the report of its own program, which fits the
    page and is not empty."""
    seen = """return [...document.images].filter((image) => image.checkVisibility()).map((image) => [
      image.currentSrc, image.naturalWidth, image.getBoundingClientRect().width, innerWidth])"""
    wanted = {
        "rules": "rules-rules",
        "schedules": "schedules-hours",
        "heights": "heights-bands",
        "plausibility": "plausibility-jumps",
        "probability": "probability-ellipses",
    }
    for page, name in wanted.items():
        for scheme, ending in (("light", ""), ("dark", "-dark")):
            for width, size in (("desk", ""), ("phone", "-phone")):
                show(browser, f"{address}/guides/{page}.html", *WIDTHS[width], scheme=scheme)
                wait_for_pictures(browser)
                pictures = {path.rpartition("/")[2]: size for path, *size in browser.execute_script(seen)}
                pixels, shown, window = pictures[f"{name}{ending}{size}.png"]
                assert pixels >= 700 and 300 < shown <= window, (page, scheme, width)
        light, dark = (Image.open(site / "pictures" / f"{name}{ending}.png").convert("RGB") for ending in ("", "-dark"))
        assert len(light.getcolors(1 << 20) or ()) > 20, page
        middles = [picture.resize((1, 1)).getpixel((0, 0)) for picture in (light, dark)]
        assert min(middles[0]) > 200 and max(middles[1]) < 90, (page, middles)


COPIED = "return navigator.clipboard.readText()"
FIRST = "return document.querySelector('article .highlight:has(.copy) pre').innerText.trimEnd()"


def test_code_is_copied_by_keyboard(browser: webdriver.Chrome, address: str) -> None:
    browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"], "origin": address})
    show(browser, f"{address}/guides/choose.html", *WIDTHS["desk"])
    shown = "return getComputedStyle(document.querySelector('article .copy')).opacity"
    assert browser.execute_script(shown) == "0"
    browser.execute_script("[...document.querySelectorAll('article a')].find((a) => a.compareDocumentPosition("
                           "document.querySelector('article .copy')) & 4).focus()")  # fmt: skip
    for _ in range(200):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        if browser.execute_script("return document.activeElement.className") == "copy":
            break
    assert browser.execute_script("return document.activeElement.innerText") == "copy"
    assert browser.execute_script(shown) == "1"
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    WebDriverWait(browser, 30).until(
        lambda it: it.execute_script("return document.activeElement.innerText") == "copied"
    )
    assert browser.execute_script(COPIED) == browser.execute_script(FIRST)


def test_code_is_copied_without_the_clipboard_of_secure_pages(browser: webdriver.Chrome, address: str) -> None:
    show(browser, f"{address}/guides/choose.html", *WIDTHS["phone"])
    browser.execute_script(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        "document.addEventListener('copy', () => { window.selected = getSelection().toString().trimEnd(); });"
    )
    button = browser.find_element(By.CSS_SELECTOR, "article .copy")
    browser.execute_script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", button)
    button.click()
    found = WebDriverWait(browser, 30).until(lambda it: it.execute_script("return window.selected"))
    assert found == browser.execute_script(FIRST)


def test_code_of_outputs_has_no_button(browser: webdriver.Chrome, address: str) -> None:
    show(browser, f"{address}/notebooks/tour.html", *WIDTHS["desk"])
    count = "return document.querySelectorAll(arguments[0]).length"
    assert browser.execute_script(count, ".cell_input .copy") > 5
    assert browser.execute_script(count, ".cell_output .copy, .highlight-text .copy") == 0
