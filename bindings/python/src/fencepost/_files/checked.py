"""Checks tracks before a replay: raises an error for unusable tracks, sorts unsorted tracks, and warns about doubtful
tracks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from .._errors import InputError, warn
from .._tables.names import like_devices
from .._tables.text_times import TimeStyle
from .advice import by_column
from .doubts import Flaw, SeenTimes, is_usable, jumps, worse
from .order import KEEP, ordered, sorted_text, times_of
from .tracks import Track


def checked(tracks: Sequence[Track], sort: bool, style: TimeStyle) -> list[Track]:
    """Returns the tracks of a file or a table, sorted by time if `sort` is true; warns about doubtful values.

    Args:
        tracks: All tracks of one source.
        sort: True to sort the fixes of a track if one is earlier than a previous fix.
        style: How the times were read.

    Raises:
        InputError: No fix has a usable position; the message names the first fix and a possible cause.
    """
    check_usable(tracks)
    found, late = [], 0
    for track in tracks:
        in_order, own = ordered(track) if sort else (track, 0)
        late += own
        found.append(in_order)
    source = tracks[0].path if tracks else ""
    if late:
        warn(source, "", sorted_text(late, sum(len(track.fixes) for track in tracks)), KEEP)
    if style.doubt:
        warn(source, "", style.doubt)
    for track in found:
        if doubt := jumps(track.fixes):
            _several_devices(track, doubt)
            break
    seen = SeenTimes()
    for track in found:
        seen.add(times_of(track))
    if seen.doubt:
        warn(source, "", seen.doubt)
    return found


def _several_devices(track: Track, doubt: str) -> None:
    """Warns about a track whose fixes come from several devices. Refuses the track if a column identifies the device.

    Raises:
        InputError: A column identifies the device, but this column was not used to separate the tracks.
    """
    if track.key is not None:
        warn_of_devices(track.path, track.key, doubt)
    else:
        several_devices(track.path, doubt, track.columns)


def several_devices(path: str | Path, doubt: str, columns: Sequence[str]) -> None:
    """Warns about a table with one track whose fixes come from several devices. Refuses the table if a column
    identifies the device.

    Raises:
        InputError: A column identifies the device, so the table cannot be one track.
    """
    sure, may = like_devices(columns)
    if sure:
        raise InputError(path, "", doubt, advice=by_column(sure[0]))
    if may:
        doubt += f"; {', '.join(map(repr, may))} may hold the device"
    warn(path, "", doubt, by_column(None))


def warn_of_devices(path: str | Path, key: Any, doubt: str) -> None:
    """Warns that a track contains the fixes of several devices, although a column separates the tracks."""
    warn(f"{path}: track {key!r}", "", doubt, by_column(None))


def check_usable(tracks: Sequence[Track]) -> None:
    """Raises an error if no fix of the tracks is usable."""
    flaw = flaw_of(tracks)
    total = sum(len(track.fixes) for track in tracks)
    if flaw is None or not total or any(is_usable(*fix[:3], *fix[4:]) for track in tracks for fix in track.fixes):
        return
    refuse(tracks[0].path, flaw, total)


def refuse(source: str | Path, flaw: Flaw, total: int) -> NoReturn:
    """Raises an error which says that no fix of a source can be used."""
    raise InputError(source, flaw.place, f"{flaw.reason}; none of {total} fixes has a usable position")


def flaw_of(tracks: Sequence[Track]) -> Flaw | None:
    """The flaw to report for all tracks of a source."""
    found = None
    for track in tracks:
        found = worse(found, track.flaw)
    return found
