"""Sorts fixes by time. Some exports begin with the newest fix, and FlatGeobuf files are in spatial order."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TypeVar

from .._dataclass import replace
from .._errors import Advice
from .tracks import Track

_Column = TypeVar("_Column", bound="array[float] | array[int]")

KEEP = Advice("pass sort=False to keep the order of the file", "pass --no-sort to keep the order of the file")


def ordered(track: Track) -> tuple[Track, int]:
    """A track with its fixes sorted by time, and the number of fixes that were earlier than a previous fix.

    Fixes with equal times keep their order.
    """
    late = late_rows(times_of(track))
    if not late:
        return track, 0
    return replace(track, fixes=sorted(track.fixes, key=itemgetter(3))), late


def times_of(track: Track) -> Sequence[int]:
    """The times of the fixes; reads them directly from columns if the fixes are stored in columns."""
    times: Iterable[int] | None = getattr(track.fixes, "times", None)
    return array("q", (fix[3] for fix in track.fixes) if times is None else times)


def late_rows(times: Iterable[int]) -> int:
    """The number of times that are earlier than a previous time."""
    late, newest = 0, -(1 << 63)
    for time in times:
        if time < newest:
            late += 1
        else:
            newest = time
    return late


def sorted_text(late: int, total: int, what: str = "fixes") -> str:
    """The warning that rows were sorted."""
    return f"{late} of {total} {what} are earlier than a previous one, so they were sorted by time"


class Clocks:
    """The newest time of each track, by the track's number."""

    def __init__(self) -> None:
        self._newest = array("q")

    def late_rows(self, tracks: Sequence[int], times: Sequence[int]) -> list[int]:
        """Returns the rows that are earlier than a previous row of the same track, and updates the newest time of each
        track."""
        newest = self._newest
        newest.extend([-(1 << 63)] * (max(tracks, default=-1) + 1 - len(newest)))
        late = []
        for row, (track, time) in enumerate(zip(tracks, times)):
            if time < newest[track]:
                late.append(row)
            else:
                newest[track] = time
        return late


def places_in_time(tracks: Sequence[int], times: Sequence[int]) -> array[int]:
    """Returns, for each position in the output, the number of the row to put there. In the output, the rows of each
    track are sorted by time, and each position belongs to the same track as in the input.

    The function sorts stably: rows with the same track and time keep their order, and a sorted input does not change.
    """
    places = sorted(range(len(tracks)), key=tracks.__getitem__)
    rows = sorted(range(len(times)), key=times.__getitem__)
    rows.sort(key=tracks.__getitem__)
    found = array("q", bytes(8 * len(places)))
    for place, row in zip(places, rows):
        found[place] = row
    return found


def taken(column: _Column, rows: Iterable[int]) -> _Column:
    """The values of a column in the given rows, in the order of `rows`."""
    return array(column.typecode, map(column.__getitem__, rows))  # type: ignore[return-value]
