"""Detects doubtful values in the first rows of a file with many tracks."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import islice, repeat

from .doubts import is_usable, jumps

_ROWS = 10_000
"""The number of rows that are kept from the beginning of a file. Examining these rows takes about 10 ms, once per
file."""
_TRACKS = 4
"""The number of tracks that are examined for jumps; the tracks with the most rows are examined."""
_POINTS = 100


class FirstRows:
    """The first rows of a file; the result does not depend on how the file was divided into batches."""

    def __init__(self) -> None:
        self._tracks, self._times = array("q"), array("q")
        self._latitudes, self._longitudes, self._accuracies = array("d"), array("d"), array("d")

    def add(
        self,
        tracks: array[int],
        latitudes: array[float],
        longitudes: array[float],
        accuracies: array[float] | None,
        times: array[int],
    ) -> None:
        """Keeps the rows of a batch that are among the first 10 000."""
        count = _ROWS - len(self._tracks)
        self._tracks.extend(tracks[:count])
        self._latitudes.extend(latitudes[:count])
        self._longitudes.extend(longitudes[:count])
        self._times.extend(times[:count])
        reported = repeat(0.0, len(tracks[:count])) if accuracies is None else accuracies[:count]
        self._accuracies.extend(0.0 if math.isnan(accuracy) else accuracy for accuracy in reported)

    def points(self) -> list[tuple[float, float]]:
        """Latitudes and longitudes of at most 100 usable fixes, evenly spread."""
        step = max(1, math.ceil(len(self._tracks) / _POINTS))
        return [(fix[0], fix[1]) for fix in islice(self._fixes(), 0, None, step) if is_usable(*fix[:3])]

    def jumping(self) -> tuple[int, str] | None:
        """Returns the number of a track whose fixes come from several devices, together with the warning about that
        track; returns None if there is no such track."""
        for track, _ in Counter(self._tracks).most_common(_TRACKS):
            if doubt := jumps(fix for fix, number in zip(self._fixes(), self._tracks) if number == track):
                return track, doubt
        return None

    def _fixes(self) -> Iterator[tuple[float, float, float, int]]:
        return zip(self._latitudes, self._longitudes, self._accuracies, self._times)
