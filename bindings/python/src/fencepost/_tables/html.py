"""HTML tables for notebooks. All values are escaped, since identifiers may come from untrusted sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from .times import time_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


SHOWN = 50
"""The largest number of rows that are shown."""


def text(value: Any, name: str = "") -> str:
    """Formats a column value as text that people can read."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, timedelta):
        return duration(value)
    return number(value, name) if isinstance(value, float) else str(value)


def duration(value: timedelta) -> str:
    """Formats a duration as hours, minutes and seconds, such as ``0:09:14``."""
    seconds = round(value.total_seconds())
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def number(value: float, name: str) -> str:
    """Formats a number: coordinates to 1e-7 degrees (about a centimetre), distances to a decimetre."""
    if name not in ("latitude", "longitude"):
        return f"{value:.1f}"
    digits = f"{value:.7f}".rstrip("0")
    return f"{digits}0" if digits.endswith(".") else digits


# Text is aligned left, numbers right; there is one line below each row; times and numbers do not wrap. In a notebook,
# the theme colours the text.
_STYLE = (
    "<style>table.fencepost{border-collapse:collapse;border:0}"
    "table.fencepost caption{text-align:left;white-space:normal;max-width:90vw}"
    "table.fencepost tr>*{text-align:left;border:0;border-bottom:1px solid rgba(128,128,128,.35)}"
    "table.fencepost tr>.number{text-align:right}"
    "table.fencepost tr>:is(.number,.time){white-space:nowrap;font-variant-numeric:tabular-nums}</style>"
)


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Any]], count: int) -> str:
    """Returns a table with a caption; the table shows at most :data:`SHOWN` rows. Columns of numbers are aligned on the
    right."""
    from html import escape

    found = [tuple(row) for row in rows]
    kinds = [""] * len(heads)
    for at in range(len(heads)):
        values = [row[at] for row in found if row[at] is not None]
        if values and all(isinstance(value, int | float | timedelta) for value in values):
            kinds[at] = ' class="number"'
        elif values and all(isinstance(value, datetime) for value in values):
            kinds[at] = ' class="time"'
    head = "".join(f"<th{kind}>{escape(name)}</th>" for name, kind in zip(heads, kinds, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{escape(text(value, name))}</td>" for name, kind, value in zip(heads, kinds, row, strict=True)
        )
        + "</tr>"
        for row in found
    )
    more = f"<p>… and {count - SHOWN} more</p>" if count > SHOWN else ""
    return (
        f'{_STYLE}<table class="fencepost"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    )
