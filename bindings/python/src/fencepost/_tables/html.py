"""HTML tables for notebooks. All values are escaped, since identifiers may come from untrusted sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from .times import time_text

SHOWN = 50
"""The largest number of rows that are shown."""


def text(value: Any, name: str = "") -> str:
    """A value of a column as text for people."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, timedelta):
        return duration(value)
    return number(value, name) if isinstance(value, float) else str(value)


def duration(value: timedelta) -> str:
    """Hours, minutes and seconds: ``0:09:14``."""
    seconds = round(value.total_seconds())
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def number(value: float, name: str) -> str:
    """Coordinates with 1e-7 degrees (about a centimetre), distances with decimetres."""
    if name not in ("latitude", "longitude"):
        return f"{value:.1f}"
    digits = f"{value:.7f}".rstrip("0")
    return f"{digits}0" if digits.endswith(".") else digits


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Any]], count: int) -> str:
    """A table with a caption that shows at most :data:`SHOWN` rows."""
    from html import escape

    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    cells = ((text(value, name) for name, value in zip(heads, row, strict=True)) for row in rows)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in cells)
    more = f"<p>… and {count - SHOWN} more</p>" if count > SHOWN else ""
    return (
        f'<table class="fencepost"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
    )
