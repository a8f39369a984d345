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
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "bindings" / "site" / "pictures"
PLUGIN = ROOT / ".build" / "qgis" / "inside"


def keep(source: Path, name: str, width: int) -> None:
    """Saves a picture with few colours, to keep the file of a popular page small."""
    picture = Image.open(source).convert("RGB")
    if picture.width > width:
        picture = picture.resize((width, picture.height * width // picture.width), Image.Resampling.LANCZOS)
    picture.quantize(128, dither=Image.Dither.NONE).save(PICTURES / name, optimize=True)
    print(f"{PICTURES / name}: {(PICTURES / name).stat().st_size} bytes")


def report() -> None:
    """Runs README's program, and takes a picture of the page that it writes."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found
    with tempfile.TemporaryDirectory(prefix="fencepost-pictures-") as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        subprocess.run([sys.executable, "-c", found[1]], cwd=folder, check=True)
        for picture, scheme in (("report.png", 1), ("report-dark.png", 0)):
            command = [
                "chromium",
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--window-size=1200,1165",
                "--virtual-time-budget=8000",
                f"--blink-settings=preferredColorScheme={scheme}",
                f"--user-data-dir={folder}/profile",
                f"--screenshot={folder}/{picture}",
                (folder / "ride.html").as_uri(),
            ]
            subprocess.run(command, check=True, timeout=60, capture_output=True)
            keep(folder / picture, picture, 1200)


def qgis() -> None:
    """Draws the ride of the tutorial and its places, in QGIS's own Python."""
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
