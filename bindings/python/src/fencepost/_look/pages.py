"""The look shared by the report, the live page, the playground and the site: colours, fonts, tables, map, and the
outline of the land."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


@cache
def text(name: str) -> str:
    """Returns the text of a file in the folder of this module."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def style(own: str) -> str:
    """The style sheet of a page: the tokens, the shared parts, and the page's own rules."""
    return text("tokens.css") + text("base.css") + own


def script(own: str) -> str:
    """The script of a page: the outline of the land, the code for tables and the map, and the page's own code."""
    land = text("land.txt").replace("\n", " ").strip()
    return f'"use strict";\nconst LAND = "{land}";\n' + text("table.js") + text("map.js") + own


def page(own: str, **parts: str) -> str:
    """Returns the HTML of a page. Each placeholder `{{ name }}` in the text `own` is replaced with the part called
    `name`; the parts `head` and `map` are read from `head.html` and `map.html`."""
    shared = {name: text(f"{name}.html").rstrip() for name in ("head", "map")}
    return re.sub(r"\{\{ (\w+) \}\}", lambda found: (shared | parts)[found[1]], own)
