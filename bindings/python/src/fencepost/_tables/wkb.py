"""Reads points in well-known binary (OGC 06-103r4, 8.2), a column at a time."""

from __future__ import annotations

import sys
from array import array

_HEAD = b"\1\1\0\0\0"
"""The first bytes of a WKB point that is little-endian and has two coordinates."""
_SIZE = len(_HEAD) + 16


def same_points(starts: memoryview[int], data: memoryview[int]) -> tuple[array[float], array[float]] | None:
    """Returns the x and y coordinates of points that are adjacent in memory; returns None unless all the points are
    little-endian and have two coordinates."""
    count, first = len(starts) - 1, starts[0]
    if starts.tolist() != list(range(first, first + _SIZE * count + 1, _SIZE)):
        return None
    held = bytes(data[first : first + _SIZE * count])
    if any(held[place::_SIZE] != bytes([byte]) * count for place, byte in enumerate(_HEAD)):
        return None
    return _numbers(held, len(_HEAD), count), _numbers(held, len(_HEAD) + 8, count)


def _numbers(data: bytes, start: int, count: int) -> array[float]:
    """Returns the double at byte offset `start` of each point."""
    packed = bytearray(8 * count)
    for byte in range(8):
        packed[byte::8] = data[start + byte :: _SIZE]
    numbers = array("d", bytes(packed))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
