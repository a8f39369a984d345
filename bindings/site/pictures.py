#!/usr/bin/env python3
"""Makes the documentation's pictures from real runs.

    .venv/bin/python bindings/site/pictures.py

The report comes from README's Python program and is drawn by Chromium. The map is drawn by QGIS with the plugin that
bindings/qgis/tests/run.sh has unpacked. Needs the programs that `make setup-test-all` installs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image, ImageChops
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "bindings" / "site" / "pictures"
# For each picture of the report: the ending of its name, and the window's width, height, and pixels per CSS pixel.
SIZES = {"": (1200, 1165, 1), "-phone": (390, 1070, 2)}
PLUGIN = ROOT / ".build" / "qgis" / "inside"


def save(source: Path, path: Path, width: int) -> None:
    """Saves a picture with few colours, to keep the file of a popular page small."""
    picture = Image.open(source).convert("RGB")
    if picture.width > width:
        picture = picture.resize((width, picture.height * width // picture.width), Image.Resampling.LANCZOS)
    picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def keep(source: Path, name: str, width: int) -> None:
    """Saves a picture of the repository."""
    save(source, PICTURES / name, width)
    print(f"{PICTURES / name}: {(PICTURES / name).stat().st_size} bytes")


def trim(path: Path, margin: int = 16) -> None:
    """Cuts off the empty sides of a map, so that a phone shows the map and not its margin."""
    picture = Image.open(path).convert("RGB")
    back = Image.new("RGB", picture.size, picture.getpixel((0, 0)))
    left, _, right, _ = ImageChops.difference(picture, back).getbbox() or (0, 0, *picture.size)
    picture.crop((max(left - margin, 0), 0, min(right + margin, picture.width), picture.height)).save(path)


def chromium() -> webdriver.Chrome:
    """Starts the browser that takes the pictures."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or "chromedriver"))


def report() -> None:
    """Runs README's program, and takes pictures of the resulting page at the widths of a desk and a phone."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found
    with tempfile.TemporaryDirectory(prefix="fencepost-pictures-") as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        subprocess.run([sys.executable, "-c", found[1]], cwd=folder, check=True)
        with chromium() as browser:
            for size, (width, height, density) in SIZES.items():
                screen = {"width": width, "height": height, "deviceScaleFactor": density, "mobile": width < 600}
                browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
                for scheme in ("light", "dark"):
                    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
                    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
                    browser.get((folder / "ride.html").as_uri())
                    time.sleep(2)  # the map is drawn in the next frame
                    taken = folder / f"report{'-dark' * (scheme == 'dark')}{size}.png"
                    browser.save_screenshot(str(taken))
                    keep(taken, taken.name, width * density)


def qgis() -> None:
    """Draws a map of the tutorial's ride and places with QGIS."""
    tutorial = (ROOT / "bindings" / "site" / "start.md").read_text(encoding="utf-8")
    found = re.search(r"cat > places.csv <<'END'\n(.*?)END\n", tutorial, re.DOTALL)
    assert found
    with tempfile.TemporaryDirectory(prefix="fencepost-pictures-") as name:
        folder = Path(name)
        (folder / "places.csv").write_text(found[1], encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "HOME": name, "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
                       "XDG_RUNTIME_DIR": name, "PYTHONDONTWRITEBYTECODE": "1",
                       "QGIS_PLUGIN": str(PLUGIN / "plugins")}  # fmt: skip
        command = ["/usr/bin/python3", str(ROOT / "bindings" / "site" / "qgis_map.py"), str(folder / "places.csv"),
                   str(folder / "map.png")]  # fmt: skip
        subprocess.run(command, check=True, timeout=300, env=environment, capture_output=True)
        trim(folder / "map.png")
        keep(folder / "map.png", "qgis.png", 1200)


def main() -> None:
    if shutil.which("chromium") is None:
        sys.exit("pictures: chromium is not here; make setup-test-all installs it")
    PICTURES.mkdir(exist_ok=True)
    report()
    if PLUGIN.is_dir():
        qgis()
    else:
        print("pictures: no map: run bindings/qgis/tests/run.sh first")


if __name__ == "__main__":
    main()
