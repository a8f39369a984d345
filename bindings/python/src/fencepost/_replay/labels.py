"""Reads labels: recorded visits that really took place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, Any, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .._dataclass import dataclass
from .._errors import InputError, require
from .._files.sources import collected
from .._log.visits import Visit, Visits
from .._native import InvalidArgumentError
from .._tables.arrow_reader import is_arrow
from .._tables.frames import is_frame
from .._tables.names import several_text
from .._tables.text_times import parse_time
from .._tables.times import to_us

if TYPE_CHECKING:
    from .._files.sources import Tabular

    LabelSource: TypeAlias = (
        Visits | Iterable[Visit] | Iterable[Mapping[str, object]] | Mapping[str, Iterable[object]] | Tabular
    )
else:
    LabelSource = object
"""The types of the `labels` argument: visits, a DataFrame, an Arrow table, a dict of columns, or rows that are
dicts."""
Place: TypeAlias = tuple[Any, str]
"""A track's key and a zone's identifier."""
Span: TypeAlias = tuple[int, int, bool]
"""The start and end of a label in microseconds since 1970, and whether the label is open. An open label ends with its
track."""
NAME = "labels"


@dataclass(frozen=True, slots=True)
class _Label:
    """The interval of one label, and the label's row."""

    row: int
    start: int
    end: int | None


def read_labels(
    labels: LabelSource,
    identifiers: Collection[str],
    ends: Mapping[Any, int],
    column: str | None,
    time_zone: str | tzinfo | None,
) -> dict[Place, list[Span]]:
    """The labels of each track and zone, in order of time.

    Args:
        labels: The `labels` argument as the caller passed it.
        identifiers: The identifiers of the zones.
        ends: The time at which each track ends, by the track's key. A label without an end lasts until the end of its
            track.
        column: The column that identifies the track. If `column` is None, there is only one track.
        time_zone: The time zone for times that do not state one. If `time_zone` is None, times without a time zone are
            refused.

    Raises:
        InputError: A label cannot be used. The message names the row of the label, counted from 0.
    """
    columns = _columns(labels)
    names = ["identifier", "start", "end"]
    if column is not None:
        own = next((name for name in (column, "device", "track") if name in columns), None)
        if own is None and len(ends) > 1:
            raise InputError(NAME, "", f"has no column {column!r}, which must hold the device of each visit")
    else:
        own = None
    for name in names:
        if name not in columns:
            raise InputError(NAME, "", f"has no column {name!r}; it has {', '.join(map(repr, columns)) or 'none'}")
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        rows = " and ".join(map(str, sorted(lengths)))
        raise InputError(NAME, "", f"has columns of different lengths ({rows} rows); must be equal")
    zone = _zone(time_zone)
    only = next(iter(ends)) if len(ends) == 1 else None
    found: defaultdict[Place, list[_Label]] = defaultdict(list)
    known = {str(key): key for key in ends}
    for row in range(lengths.pop() if lengths else 0):

        def wrong(reason: str, row: int = row) -> InputError:
            return InputError(NAME, f"row {row}", reason, row)

        identifier = columns["identifier"][row]
        if identifier not in identifiers:
            raise wrong(f"has the unknown zone {identifier!r}; the zones are {_some(identifiers)}")
        track = only
        if own is not None:
            track = known.get(str(columns[own][row]), _some)
            if track is _some:
                raise wrong(
                    f"names the {own} {columns[own][row]!r}, which has no fixes; the devices with fixes are "
                    f"{_some(known)}"
                )
        start = _time(columns["start"][row], "start", zone, wrong)
        end = _time(columns["end"][row], "end", zone, wrong)
        if start is None:
            raise wrong("start is missing (NaT or None); only the end may be missing")
        if end is not None and end < start:
            raise wrong(f"ends before it starts: {columns['end'][row]} is before {columns['start'][row]}")
        found[track, identifier].append(_Label(row, start, end))
    return {place: _checked(place, own, ends[place[0]]) for place, own in found.items()}


def _checked(place: Place, labels: list[_Label], end_us: int) -> list[Span]:
    """The labels for a place, in order of time.

    Raises:
        InputError: Two labels overlap.
    """
    labels.sort(key=lambda label: (label.start, label.row))
    spans: list[Span] = []
    for before, label in zip([None, *labels], labels):
        if before is not None and (before.end is None or label.start < before.end):
            rows = sorted((before.row, label.row))
            reason = f"overlaps row {rows[0]}: both are visits of zone {place[1]!r}; merge them"
            raise InputError(NAME, f"row {rows[1]}", reason, rows[1])
        is_open = label.end is None
        spans.append((label.start, max(label.start, end_us) if label.end is None else label.end, is_open))
    return spans


def _some(names: Iterable[Any]) -> str:
    listed = sorted(map(repr, names))
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")


def _zone(time_zone: str | tzinfo | None) -> tzinfo | None:
    if not isinstance(time_zone, str):
        return time_zone
    try:
        return ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidArgumentError(f"time_zone {time_zone!r} is not a time zone such as Europe/Berlin") from None


def _time(value: Any, name: str, zone: tzinfo | None, wrong: Callable[[str], InputError]) -> int | None:
    """Converts a time to microseconds. Returns None for a missing time."""
    if value is None or value != value or str(value) in ("NaT", "<NA>", ""):
        return None
    try:
        if isinstance(value, str):
            try:
                value = datetime.fromisoformat(value)
            except ValueError:
                return parse_time(value)
        if getattr(getattr(value, "dtype", None), "kind", "") == "M":  # a datetime64 of NumPy
            value = value.astype("datetime64[us]").item()
        if isinstance(value, datetime) and value.tzinfo is None:
            if zone is None:
                raise wrong(f'{name} {value} has no time zone; give time_zone="Europe/Berlin" or another')
            value = value.replace(tzinfo=zone)
        return to_us(value, name)
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong(f"{name} cannot be used: {error}") from None


def _columns(labels: Any) -> dict[str, Sequence[Any]]:
    """Converts the `labels` argument to columns."""
    if isinstance(labels, Mapping):
        return {str(name): list(values) for name, values in labels.items()}
    labels = collected(labels)
    if is_frame(labels):
        levels = [name for name in labels.index.names if isinstance(name, str) and name not in labels.columns]
        labels = labels.reset_index(level=levels) if levels else labels
        names = list(labels.columns)
        if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
            raise InputError(NAME, "", several_text(names, twice[0]))
        return {str(name): list(labels[name]) for name in names}
    if callable(found := getattr(labels, "to_pydict", None)):  # an Arrow table
        return dict(found())
    if is_arrow(labels) and not isinstance(labels, Visits):  # Polars, DuckDB
        return dict(require("pyarrow", "geo").table(labels).to_pydict())
    if callable(found := getattr(labels, "columns", None)):  # Visits
        return dict(found())
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        kinds = "Visits, a DataFrame, an Arrow table, a dict of columns or a list of dicts"
        raise TypeError(f"labels must be {kinds}, not {type(labels).__name__}")
    columns: dict[str, list[Any]] = {}
    count = 0
    for count, given in enumerate(labels, 1):
        row: Any = given
        if isinstance(given, Visit):
            row = {name: getattr(given, name) for name in ("identifier", "start", "end", "track")}
        if not isinstance(row, Mapping):
            raise TypeError(f"labels: element {count - 1} must be a dict or a Visit, not {type(given).__name__}")
        for name, value in row.items():
            columns.setdefault(str(name), [None] * (count - 1)).append(value)
        for values in columns.values():
            values.extend([None] * (count - len(values)))
    return dict(columns) if count else {name: [] for name in ("identifier", "start", "end")}


def matched(theirs: Sequence[Span], ours: Sequence[Span]) -> list[tuple[int, int]]:
    """Finds the largest possible number of pairs of an overlapping label and visit, and returns the indices of each
    pair. Each label and each visit is in at most one pair.

    Choosing the earliest possible pair each time gives the largest number of pairs, because both lists are sorted and
    the spans within a list do not overlap.
    """
    pairs, at, mine = [], 0, 0
    while at < len(theirs) and mine < len(ours):
        (start, end, _), (begin, stop, _) = theirs[at], ours[mine]
        if start <= stop and begin <= end:
            pairs.append((at, mine))
            at, mine = at + 1, mine + 1
        elif end < begin:
            at += 1
        else:
            mine += 1
    return pairs
