"""Checks the first fixes of a fleet, to detect that several devices share one identifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._errors import Advice, warn
from .._files.doubts import jumps

_FEWEST = 12
"""A batch with fewer rows than this is not examined. The warning needs at least ten fast steps between fixes."""
_LOOKED_AT = 10_000


def warn_of_jumps(handle: Any, columns: Sequence[Any], codes: Any, names: Sequence[str], advice: Advice) -> None:
    """Warns if the fixes of the first row's device probably come from several devices.

    Examines only the first 10 000 rows of a fleet; a later call returns at once, because the fleet's clock is already
    set by then.

    Args:
        handle: The fleet's handle.
        columns: The arguments of ``feed_columns``: latitudes, longitudes, accuracies, times, multiplier, divisor.
        codes: The index of each row's device. None means that all rows belong to one device.
        names: The devices.
        advice: The wording of the warning's advice.
    """
    latitudes, longitudes, accuracies, times = columns[:4]
    if isinstance(accuracies, tuple):  # with error ellipses or heights
        accuracies = accuracies[0]
    if len(latitudes) < _FEWEST or not names:
        return
    others = (longitudes, times, codes, None if isinstance(accuracies, float) else accuracies)
    if any(other is not None and len(other) != len(latitudes) for other in others):
        return  # feed_many() will refuse these columns
    counters = handle.statistics()
    if counters[0] is not None or counters[8]:  # the fleet has had inputs, so it is not fresh (see Fleet._is_fresh)
        return
    try:
        first = None if codes is None else int(codes[0])
        if first is not None and not 0 <= first < len(names):
            return  # feed_many() will refuse this code
        doubt = jumps(_fixes(columns, codes, first))
    except NotImplementedError:  # a memoryview with another byte order cannot be read in Python
        return
    if doubt:
        warn("fixes", "", f"device {names[first or 0]!r}: {doubt}", advice)


def _fixes(columns: Sequence[Any], codes: Any, first: int | None) -> Iterator[tuple[float, float, float, int]]:
    latitudes, longitudes, accuracies, times, multiplier, divisor = columns[:6]
    if isinstance(accuracies, tuple):
        accuracies = accuracies[0]
    for row in range(min(len(latitudes), _LOOKED_AT)):
        if codes is not None and codes[row] != first:
            continue
        accuracy = accuracies if isinstance(accuracies, float) else 0.0 if accuracies is None else accuracies[row]
        yield latitudes[row], longitudes[row], accuracy, times[row] * multiplier // divisor
