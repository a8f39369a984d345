"""Playing way points that have no times, as simulators do: at a constant speed along the geodesics between them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from .._files.tracks import FixRow
from .._native import InvalidArgumentError, direct, inverse

MOST_FIXES = 10_000_000
_SECOND = 1_000_000


def play(way_points: Sequence[tuple[float, float]], speed: float, start_us: int, loops: int | None) -> list[FixRow]:
    """One fix each second from `start_us` on, and one at the end.

    Args:
        way_points: Latitude and longitude, in degrees.
        speed: Metres per second, finite, above 0.
        start_us: Time at the first way point.
        loops: How often the way is gone there and back; None: there, once.

    Raises:
        InvalidArgumentError: A coordinate or the speed is out of range, or more than 10 million fixes would result.
    """
    stops = list(way_points)
    if loops is not None:
        stops += (stops[-2::-1] + stops[1:]) * (loops - 1) + stops[-2::-1]
    legs = [(*a, *inverse(*a, *b)[:2]) for a, b in itertools.pairwise(stops)]
    seconds = sum(leg[2] for leg in legs) / speed
    if not seconds < MOST_FIXES:
        raise InvalidArgumentError(f"the way takes {seconds:.3g} s at {speed} m/s, more than {MOST_FIXES} fixes")
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
