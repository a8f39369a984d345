"""Plays way points without times, as simulators do: at a constant speed along the geodesics between them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from .._errors import InputError
from .._files.advice import NOT_PLAYED, PLAY
from .._files.tracks import FixRow, Track
from .._native import InvalidArgumentError, direct, inverse
from .._tables.times import Time, to_us

MOST_FIXES = 10_000_000
_SECOND = 1_000_000


def play(way_points: Sequence[tuple[float, float]], speed: float, start_us: int, loops: int | None) -> list[FixRow]:
    """Returns one fix each second from `start_us` on, and one fix at the end.

    Args:
        way_points: Latitude and longitude of each way point, in degrees.
        speed: Metres per second, finite, above 0.
        start_us: Time at the first way point.
        loops: The number of times that the device travels along the way points forwards and then backwards. If `loops`
            is None, the device travels along the way points once, forwards.

    Raises:
        InvalidArgumentError: A coordinate or the speed is out of range, or more than 10 million fixes would result.
    """
    stops = list(way_points)
    if loops is not None:
        stops += (stops[-2::-1] + stops[1:]) * (loops - 1) + stops[-2::-1]
    legs = [(*a, *inverse(*a, *b)[:2]) for a, b in itertools.pairwise(stops)]
    seconds = sum(leg[2] for leg in legs) / speed
    if not seconds < MOST_FIXES:
        raise InvalidArgumentError(f"the route takes {seconds:.3g} s at {speed} m/s; must take at most {MOST_FIXES} s")
    fixes: list[FixRow] = []
    tick, behind = 0, 0.0
    for latitude, longitude, length, azimuth in legs:
        while (along := tick * speed - behind) < length:
            place = direct(latitude, longitude, azimuth, along)
            fixes.append((place[0], place[1], 0.0, start_us + tick * _SECOND))
            tick += 1
        behind += length
    end = start_us + round(behind / speed * _SECOND)
    fixes.append((*stops[-1], 0.0, end))
    return fixes


def timed(track: Track, speed: float | None, start: Time | None, loop: int | None) -> Track:
    """Returns a track with times: either the track itself, or a track of fixes that are played from its way points.

    Raises:
        InputError: The track has no times and no play options were passed, or the track has times and play options were
            passed.
        InvalidArgumentError: Only one of `speed` and `start` was passed.
    """
    playing = speed is not None or start is not None or loop is not None
    if track.fixes:
        if playing:
            raise InputError(track.path, "", "its points already have times", advice=NOT_PLAYED)
        return track
    if not playing:
        raise InputError(track.path, "point 1", "has no time", advice=PLAY)
    if speed is None or start is None:
        raise InvalidArgumentError("speed and start are needed together to play way points")
    try:
        return Track(track.path, play(track.way_points, speed, to_us(start, "start"), loop), [], track.key)
    except InvalidArgumentError as error:
        raise InputError(track.path, "", str(error)) from None
