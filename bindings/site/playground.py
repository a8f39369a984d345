"""Builds the playground: one HTML file that contains the engine, the JavaScript package and the example ride.

Browsers do not load JavaScript modules into a page that was opened from a file. The modules of the package are
therefore joined into one script, so that the page works from a folder as well as from a server.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(__file__).resolve().parent
PACKAGE = ROOT / ".build" / "js"
# The report, the live page, the playground and the site share these colours and this typography; the first three also
# share their HTML head.
LOOK = ROOT / "bindings" / "python" / "src" / "fencepost" / "_look"
TOKENS = LOOK / "tokens.css"
RIDE = ROOT / "examples" / "data" / "tracks" / "gpx" / "bike-basel.gpx"
# The places that the Start guide uses.
PLACES = (
    ("Aeschenplatz", 47.5513, 7.5957, 150),
    ("Wettstein bridge", 47.5575, 7.5973, 150),
    ("exhibition square", 47.5636, 7.6010, 250),
)
IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
AGAIN = re.compile(r'^export \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function\*?|class|const) (\w+)", re.MULTILINE)


def _names(text: str) -> list[tuple[str, str]]:
    """The names between the braces of an import, each with its local name."""
    pairs = (each.split(" as ") for each in text.replace("\n", " ").split(",") if each.strip())
    return [(pair[0].strip(), pair[-1].strip()) for pair in pairs]


def script(entry: Path) -> str:
    """Joins the package's modules into one script that sets `fencepost`."""
    done: dict[Path, str] = {}
    parts: list[str] = []

    def bundle(path: Path) -> str:
        if path in done:
            return done[path]
        name = done[path] = f"module_{path.stem}"
        text = path.read_text(encoding="utf-8")
        exported = [found[2] for found in EXPORT.finditer(text)]
        again: list[str] = []

        def imported(found: re.Match[str]) -> str:
            other = bundle((path.parent / found[2]).resolve())
            members = ", ".join(name if name == here else f"{name}: {here}" for name, here in _names(found[1]))
            return f"const {{ {members} }} = {other};\n"

        def passed_on(found: re.Match[str]) -> str:
            other = bundle((path.parent / found[2]).resolve())
            again.extend(f"{here}: {other}.{name}" for name, here in _names(found[1]))
            return ""

        text = EXPORT.sub(r"\1 \2", AGAIN.sub(passed_on, IMPORT.sub(imported, text)))
        # The page passes in the engine's bytes, so the script does not look for a file beside it.
        text = text.replace("import.meta.url", "document.baseURI")
        if re.search(r"^(import|export) ", text, re.MULTILINE):
            raise ValueError(f"{path}: a form of import or export that playground.py does not know")
        parts.append(f"const {name} = (() => {{\n{text}\nreturn {{ {', '.join([*exported, *again])} }};\n}})();\n")
        return name

    name = bundle(entry)
    return "".join(parts) + f"const fencepost = {name};\n"


def ride() -> str:
    """The example's fixes and places, as JSON for the page."""
    space = {"gpx": "http://www.topografix.com/GPX/1/1"}
    points = ElementTree.parse(RIDE).iterfind(".//gpx:trkpt", space)
    fixes = [
        (int(datetime.fromisoformat(point.findtext("gpx:time", "", space)).timestamp()), float(point.attrib["lat"]),
         float(point.attrib["lon"]))
        for point in points
    ]  # fmt: skip
    return json.dumps({"name": RIDE.name, "fixes": fixes, "places": PLACES}, separators=(",", ":"))


def page() -> str:
    """The whole page."""
    folder = SITE / "playground"
    module = base64.b64encode(gzip.compress((PACKAGE / "fencepost.wasm").read_bytes(), 9, mtime=0)).decode()
    code = script(PACKAGE / "fencepost.js") + (folder / "page.js").read_text(encoding="utf-8")
    if "</script" in code:
        raise ValueError("a script of the playground holds the end of a script")
    head = (LOOK / "head.html").read_text(encoding="utf-8").rstrip()
    text = (folder / "page.html").read_text(encoding="utf-8").replace("<!-- HEAD -->", head)
    inserted = {
        "STYLE": TOKENS.read_text(encoding="utf-8") + (folder / "style.css").read_text(encoding="utf-8"),
        "RIDE": ride(),
        "MODULE": module,
        "SCRIPT": code,
    }
    for name, content in inserted.items():
        text = text.replace(f"/* {name} */", content)
    return text
