"""The tracks that a caller passed to a replay. A table or a streamed file is replayed by columns; any other source is
replayed track by track."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .._errors import InputError
from .._files.advice import NOT_PLAYED
from .._files.checked import flaw_of
from .._files.doubts import Flaw
from .._files.sources import TrackSource, as_table, as_tracks
from .._files.text import path_text
from .._files.track_files import is_streamed
from .._files.tracks import Track
from .._files.vector import Reading
from .._log.log import TrackReplay
from .._tables.times import Time
from .exchanged import has_presence, some_points, warn_of_exchanged
from .filling import TrackConditions
from .way_points import timed

if TYPE_CHECKING:
    from .._files.sightings import Report


class Played(NamedTuple):
    """How to compute times for way points that have none: by a speed, a start and a number of loops. If all options are
    None, way points without times are refused."""

    speed: float | None = None
    start: Time | None = None
    loop: int | None = None


class GivenTracks:
    """Tracks that can be replayed one or more times.

    Args:
        track: The argument that the caller passed.
        columns: Maps roles, such as ``latitude``, to the names of the track's columns that the library does not
            recognise.
        by: Name of the column that identifies the track.
        hdop_scale: Metres of accuracy per unit of hdop.
        how: The options for reading files and tables.
        sort: True to sort unsorted inputs by time.
        played: How to compute times for way points that have none.
        name: The argument's name, for error messages.

    Attributes:
        source: The path or argument that messages name.
        flaw: The first fix that cannot be used. For a table or a streamed file, each replay sets `flaw`.

    Raises:
        InputError: A file or a table cannot be used.
    """

    def __init__(
        self,
        track: TrackSource,
        columns: Mapping[str, str],
        by: str | None,
        hdop_scale: float | None,
        how: Reading,
        sort: bool = True,
        played: Played = Played(),  # noqa: B008 (it cannot change)
        name: str = "track",
    ) -> None:
        self._columns, self._by, self._how, self._sort = columns, by, how, sort
        self.flaw: Flaw | None = None
        self._tracks: list[Track] = []
        self._table = as_table(track, columns, by, how, name)
        plays = played != Played()
        if self._table is not None:
            self.source = self._table.source
            if plays:
                raise InputError(self.source, "", "its points have times", advice=NOT_PLAYED)
            return
        self.source = path_text(track) if isinstance(track, str | os.PathLike) else name
        self._is_streamed = self.source != name and by is not None and not plays and is_streamed(self.source)
        if not self._is_streamed:
            found = as_tracks(track, columns, by, hdop_scale, name, how, sort)
            self._tracks = [timed(one, *played) for one in found]
            self.source = self._tracks[0].path
            self.flaw = flaw_of(self._tracks)

    def replay(self, conditions: TrackConditions, reports: Sequence[Report], until_us: int | None) -> list[TrackReplay]:
        """Replays the tracks and returns the result of each track."""
        if self._tracks:
            from .in_memory import replay_tracks

            replays = replay_tracks(self._tracks, conditions.conditions, reports, until_us, conditions.fleet)
            for track in self._tracks:
                conditions.heights.see(track.fixes)
            conditions.heights.warn(self.source, self._tracks[0].columns, self._columns)
            if not any(has_presence(one.events) for one in replays):
                warn_of_exchanged(self.source, some_points(self._tracks[0].fixes), conditions.conditions)
            return replays
        from .stream import replay_rows

        many, events = replay_rows(
            self.source, self._by, self._columns, self._how, self._sort, conditions, reports, until_us, self._table
        )
        many.warn_of_doubts()
        self.flaw = many.flaw
        return many.results(events)
