"""Takes pictures of the reports that the programs of the guides write. The build of the site calls this module, so no
picture is stored in the repository.

A comment in a guide names a report that the program before it writes, the part of the report to show, and the text
alternative:

    <!-- picture of rules.html #rules-card: A tree of four rules. -->

Each picture is taken with Chromium for light and dark pages, at the widths of a desk and a phone.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blocks import ROOT, TIME_LIMIT_S, blocks_of

COMMENT = re.compile(
    r"^<!-- picture of (?P<report>[\w-]+)\.html (?P<part>\S+): (?P<words>[^>]*?) -->$", re.MULTILINE | re.DOTALL
)
SCHEMES = {"light": "", "dark": "-dark"}
"""The endings of the names of pictures for light and dark pages."""
SIZES = {"": (1000, 1000, 1), "-phone": (390, 640, 2)}
"""For each size of a picture: the ending of its name, the window's width for a map, that for time lines, which are
wider than a phone, and the pixels per CSS pixel."""
HEIGHTS = 1200, 3000
"""The window's heights for a map, whose height depends on it, and for time lines, which are below the map."""
READY = "return document.documentElement.dataset.ready !== undefined"
DRAWN = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"


def name_and_words(page: str, comment: re.Match[str]) -> tuple[str, str]:
    """The name of a picture's file, without endings, and its text alternative in one line."""
    return f"{page.rpartition('/')[2]}-{comment['report']}", " ".join(comment["words"].split())


def program_before(text: str, comment: re.Match[str]) -> str:
    """The program of a guide that writes the report of a comment."""
    program = ""
    for block in blocks_of(text):
        if block.language == "python" and block.end <= comment.start():
            program = f"{program}\n{block.code}" if block.says == "continues" else block.code
    if f'report("{comment["report"]}.html")' not in program:
        raise ValueError(f"the program before {comment[0]!r} does not write {comment['report']}.html")
    return program


def write(pages: Mapping[str, Path], folder: Path) -> None:
    """Writes the pictures of all pages."""
    texts = {page: path.read_text(encoding="utf-8") for page, path in pages.items() if path.suffix == ".md"}
    wanted = [(page, text, comment) for page, text in texts.items() for comment in COMMENT.finditer(text)]
    if not wanted:
        return
    from pictures import chromium

    folder.mkdir(exist_ok=True)
    with chromium() as browser:
        for page, text, comment in wanted:
            take(browser, program_before(text, comment), comment, folder / name_and_words(page, comment)[0])


def take(browser: Any, program: str, comment: re.Match[str], path: Path) -> None:
    """Runs a program, and takes the picture of its report in each size, for light and dark pages."""
    from pictures import save
    from selenium.webdriver.support.ui import WebDriverWait

    is_map = "#map" in comment["part"]
    with tempfile.TemporaryDirectory(prefix="fencepost-pictures-") as name:
        folder = Path(name)
        for part in ("examples", "Tests"):
            (folder / part).symlink_to(ROOT / part)
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-W", "error", "-c", program]
        subprocess.run(
            command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=TIME_LIMIT_S
        )
        for size, (of_map, of_lines, density) in SIZES.items():
            width, height = (of_map, HEIGHTS[0]) if is_map else (of_lines, HEIGHTS[1])
            screen = {"width": width, "height": height, "deviceScaleFactor": density, "mobile": width < 600}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            for scheme, ending in SCHEMES.items():
                media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
                browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
                browser.get((folder / f"{comment['report']}.html").as_uri())
                WebDriverWait(browser, TIME_LIMIT_S).until(lambda driver: driver.execute_script(READY))
                browser.execute_async_script(DRAWN)
                taken = folder / "taken.png"
                browser.find_element("css selector", comment["part"]).screenshot(str(taken))
                save(taken, path.with_name(f"{path.name}{ending}{size}.png"), width * density)
