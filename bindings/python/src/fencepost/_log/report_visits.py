"""The visits of a report as the page's script reads them."""

from __future__ import annotations

import json

from .._tables.html import text as shown
from .._tables.times import to_us
from .visits import Visit, Visits

_LEFT_OUT = ("open", "confirmed_start", "confirmed_end")


def visits_json(visits: Visits) -> str:
    """All visits as JSON that cannot end the element it stands in.

    Returns:
        An object of `columns` (names), `rows` (lists of texts), `spans` (start and end of each row, milliseconds since
        1970) and `identifier` (which column names the place).
    """
    columns = visits.columns()
    for name in _LEFT_OUT:
        del columns[name]
    names = list(columns)
    page = {
        "columns": [str(name).replace("_", " ") for name in names],
        "identifier": len(names) - 6,
        "rows": [[shown(value) for value in row] for row in zip(*columns.values())],
        "spans": [_span(visit) for visit in visits],
    }
    return json.dumps(page, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def _span(visit: Visit) -> list[float]:
    """Start and end in milliseconds since 1970; of an open visit the end of the log."""
    return [to_us(visit.start) / 1000, to_us(visit.start + visit.duration) / 1000]
