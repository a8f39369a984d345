"""The report: one HTML file with a summary, a map, states and visits. The page needs no network and no JavaScript
library."""

from __future__ import annotations

import json
import os
import re
from html import escape
from importlib.resources import files

from .._look import pages
from .._tables.html import text as shown
from .log import Log
from .report_data import ReportData, report_data

OPEN_STREET_MAP = "https://tile.openstreetmap.org/{Z}/{X}/{Y}.png"
_ATTRIBUTION = "© OpenStreetMap contributors"
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


def report(log: Log, *, title: str | None = None, base_map: bool | str = False) -> str:
    """Returns the page; see :meth:`EventLog.report`."""
    data = report_data(log)
    name = title or ", ".join(sorted({os.path.basename(replayed.source) for replayed in log.replays})) or "Fencepost"
    tiles = base_map if isinstance(base_map, str) else OPEN_STREET_MAP
    page = data.page | {"tiles": tiles, "credit": _ATTRIBUTION if tiles == OPEN_STREET_MAP else ""}
    parts = {
        "title": escape(name),
        "facts": _TIME.sub(r"<time>\g<0></time>", escape(_facts(log, data))),
        "style": pages.style(_file("report.css")),
        "notes": "".join(f"<li>{escape(note)}</li>" for note in data.notes),
        "no_notes": "" if data.notes else "hidden",
        "base_map": "checked" if base_map else "",
        "data": _json(page),
        "script": pages.script(_file("report.js")),
    }
    return pages.page(_file("report.html"), **parts)


def _file(name: str) -> str:
    return (files(__package__) / "report_files" / name).read_text(encoding="utf-8")


def _json(value: object) -> str:
    """Returns JSON that cannot close the HTML element that contains it."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def _facts(log: Log, data: ReportData) -> str:
    """Returns one sentence with the number of visits, devices, places, fixes and events, and the period."""
    tracks = len(log.tracks)
    devices = "1 device" if tracks == 1 else f"{tracks:,} devices"
    rules = {number for number, *_ in data.rules}
    visited = [row[1] for row in data.visits if row[1] not in rules]
    places = f"{len(set(visited)):,} of {_counted(len(log.conditions) - len(rules), 'place')}"
    satisfied = _counted(len(data.visits) - len(visited), "time")
    parts = [
        f"{_counted(len(visited), 'visit')} of {devices} to {places}",
        *([f"{_counted(len(rules), 'rule')}, satisfied {satisfied}"] if rules else []),
        f"{_counted(log.counts.fixes, 'fix', 'fixes')}{_doubted(log)}, {_counted(len(log), 'event')}",
    ]
    if log.start is not None:
        parts.insert(-1, f"{shown(log.start)[:19]} to {shown(log.end)[:19]} UTC")
    if log.by is not None:
        parts.append(f"devices by {log.by}")
    return "; ".join(parts) + "."


def _doubted(log: Log) -> str:
    """The number of doubted fixes in parentheses, or an empty text if no fix was doubted."""
    doubted = log.counts.doubted_fixes
    return f" ({doubted:,} doubted, above {log._options['plausible_speed']:g} m/s)" if doubted else ""


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
