"""Writes the page that lists the symbols of the Swift module; each symbol links to its DocC page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PAGE = "reference/swift"


def _abstract(swift: Path, path: str) -> str:
    file = swift / "data" / f"{path.removeprefix('/')}.json"
    if not file.is_file():
        return ""
    return _words(json.loads(file.read_text(encoding="utf-8")).get("abstract", [])).replace("\n", " ")


def _words(parts: list[dict[str, Any]]) -> str:
    """Returns the text of inline elements of DocC as reStructuredText. A link to a symbol shows only the last part of
    the symbol's path, which is the symbol's name. In reStructuredText, a literal must end with a backslash and a space
    if a letter follows; neither is displayed."""
    found = ""
    for part in parts:
        if part["type"] == "reference":
            found += f"``{part['identifier'].rpartition('/')[2]}``\\ "
        elif part["type"] == "codeVoice":
            found += f"``{part['code']}``\\ "
        else:
            found += part.get("text", "") + _words(part.get("inlineContent", []))
    return found


def _link(title: str, path: str) -> str:
    shown = title.replace("`", "").replace("<", "\\<")
    return f"`{shown} <../swift{path}/>`__"


def _symbols(children: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (child for child in children if "path" in child and child.get("type") not in ("article", "groupMarker"))


def pages(swift: Path, mentions: Mapping[str, list[str]]) -> dict[str, str]:
    """Returns the page, in reStructuredText, made from DocC's output folder."""
    index = json.loads((swift / "index" / "index.json").read_text(encoding="utf-8"))
    (module,) = index["interfaceLanguages"]["swift"]
    title = "Swift reference"
    text = (
        f"{title}\n{'=' * len(title)}\n\nThe module ``Fencepost``. Each name leads to its page, for which the\n"
        "site must come from a server: ``python3 -m http.server --directory .build/docs``.\n"
        "The guide is :doc:`/guides/swift`.\n\n"
    )
    for symbol in sorted(_symbols(module.get("children", [])), key=lambda found: str(found["title"])):
        members = [_link(each["title"], each["path"]) for each in _symbols(symbol.get("children", []))]
        text += f"{_link(symbol['title'], symbol['path'])}\n   {_abstract(swift, symbol['path']).replace('*', '')}\n\n"
        text += f"   {', '.join(members)}\n\n" if members else ""
    return {PAGE: text}
