"""Points as well-known binary (OGC 06-103r4, 8.2), a column at a time."""

from __future__ import annotations

import sys
from array import array
from typing import Any

_HEAD = b"\1\1\0\0\0"
"""Little-endian, a point of two coordinates."""
_SIZE = len(_HEAD) + 16


def plain_points(view: Any) -> tuple[array[float], array[float]] | None:
    """X and y of an Arrow column of binaries without nulls; None: not all of them are little-endian points of two
    coordinates."""
    count = view.length
    ends = memoryview(view.buffer(1))[view.offset : view.offset + count + 1]
    if not count or ends.tolist() != list(range(ends[0], ends[0] + _SIZE * count + 1, _SIZE)):
        return None
    data = bytes(memoryview(view.buffer(2))[ends[0] : ends[count]])
    if any(data[place::_SIZE] != bytes([byte]) * count for place, byte in enumerate(_HEAD)):
        return None
    return _numbers(data, len(_HEAD), count), _numbers(data, len(_HEAD) + 8, count)


def _numbers(data: bytes, start: int, count: int) -> array[float]:
    """The doubles that begin there and in each point after."""
    packed = bytearray(8 * count)
    for byte in range(8):
        packed[byte::8] = data[start + byte :: _SIZE]
    numbers = array("d", bytes(packed))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
