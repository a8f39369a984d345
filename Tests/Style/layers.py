"""Checks that the folders of the engine are layers: no file refers to a type that a higher layer declares.

    .venv/bin/python Tests/Style/layers.py             lists references to higher layers: a part of make format-check
    .venv/bin/python Tests/Style/layers.py --arrows    lists which folder refers to which, with the number of types

`LAYERS` lists the folders from the lowest layer to the highest one. A reference is the name of a type in the code of a
file, so an extension of a type counts. A name that several folders declare is not checked.
"""

from __future__ import annotations

import collections
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
ENGINE = "FencepostCore"
# Folders in the same line may refer to each other. `FencepostCore` itself contains the engine of one monitor.
LAYERS = (
    ("FencepostKernel",),
    ("FencepostKernel/Geodesy",),
    ("FencepostKernel/Index",),
    ("FencepostKernel/Shapes",),
    ("FencepostKernel/WellKnownBinary",),
    ("FencepostKernel/Probability",),
    (f"{ENGINE}/Support",),
    (f"{ENGINE}/Model",),
    (f"{ENGINE}/Beacons",),
    (f"{ENGINE}/Shapes",),
    (f"{ENGINE}/Conditions",),
    (f"{ENGINE}/Detection", f"{ENGINE}/Path"),
    (f"{ENGINE}/Delivery",),
    (ENGINE,),
    (f"{ENGINE}/Explain",),
    (f"{ENGINE}/Snapshot",),
    (f"{ENGINE}/Fleet",),
    (f"{ENGINE}/Storage",),
    (f"{ENGINE}/Questions",),
    (f"{ENGINE}/Planning",),
)
DECLARATION = re.compile(r"\b(?:struct|class|enum|protocol|typealias|actor) ([A-Z]\w*)")
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"', re.DOTALL)
NAME = re.compile(r"\b[A-Z]\w*\b")

Files = dict[str, dict[str, str]]  # the text of each file, by folder and name


def files() -> Files:
    """Returns the texts of all files of the kernel and of the engine."""
    found: Files = collections.defaultdict(dict)
    for path in sorted(p for module in ("FencepostKernel", ENGINE) for p in (SOURCES / module).rglob("*.swift")):
        folder = "/".join(path.relative_to(SOURCES).parent.parts[:2])
        found[folder][path.name] = path.read_text(encoding="utf-8")
    return found


def homes(found: Files) -> dict[str, str]:
    """Returns the folder of each type that only one folder declares."""
    folders: dict[str, set[str]] = collections.defaultdict(set)
    for folder, code in found.items():
        for text in code.values():
            for declared in DECLARATION.finditer(text):
                folders[declared[1]].add(folder)
    return {name: next(iter(where)) for name, where in folders.items() if len(where) == 1}


def references(found: Files) -> Iterator[tuple[str, str, str, str]]:
    """Yields each reference to a type of another folder: folder, file, folder of the type, type.

    Ignores comments and strings.
    """
    found = {folder: {name: NOISE.sub('""', text) for name, text in texts.items()} for folder, texts in found.items()}
    home = homes(found)
    for folder, code in found.items():
        for name, text in code.items():
            for type_name in sorted(set(NAME.findall(text))):
                if home.get(type_name, folder) != folder:
                    yield folder, name, home[type_name], type_name


def check_references() -> None:
    """Checks that a use and an extension of a type are references, and that comments and own types are not."""
    example = {
        "low": {"Low.swift": "struct Low { // High\n}"},
        "high": {
            "High.swift": "struct High { var low: Low }\nextension High {}",
            "Low+High.swift": "extension Low {}",
        },
    }
    expected = [
        ("high", "High.swift", "low", "Low"),
        ("high", "Low+High.swift", "low", "Low"),
    ]
    if list(references(example)) != expected:
        raise SystemExit("layers: the example has other references than expected")


def main(arguments: list[str]) -> int:
    check_references()
    found = files()
    height = {folder: number for number, layer in enumerate(LAYERS) for folder in layer}
    if unlisted := sorted(found.keys() - height.keys()):
        print(f"layers: {', '.join(unlisted)}: not in LAYERS; add the folder at its height")
        return 1
    if gone := sorted(height.keys() - found.keys()):
        print(f"layers: {', '.join(gone)}: in LAYERS, but has no file; remove the folder")
        return 1
    arrows: dict[tuple[str, str], set[str]] = collections.defaultdict(set)
    status = 0
    for folder, name, other, type_name in references(found):
        arrows[folder, other].add(type_name)
        if height[other] > height[folder]:
            print(f"layers: {folder}/{name} refers to {type_name} of the higher layer {other}")
            status = 1
    if "--arrows" in arguments:
        for (folder, other), types in sorted(arrows.items()):
            print(f"{folder} -> {other} {len(types)}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
