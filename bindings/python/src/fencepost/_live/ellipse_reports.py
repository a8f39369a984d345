"""Joins the TPV reports of gpsd, which have positions, with its GST reports, which have error ellipses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .._dataclass import replace
from .._files.tracks import NO_ELLIPSE, FixRow
from .lines import ellipse_number, report_time
from .messages import DeviceFix

MOST_RECEIVERS = 1_000
"""The maximum number of receivers whose GST reports are used."""


class _Receiver:
    """The reports of one receiver that may still be joined. `held` contains fixes with the same time."""

    __slots__ = ("ellipse", "held")

    def __init__(self) -> None:
        self.ellipse: tuple[int, tuple[float, ...]] | None = None
        self.held: tuple[Any, ...] = ()


class EllipseReports:
    """Adds error ellipses to fixes: a fix gets the ellipse of the GST report with its time and receiver.

    Some receivers send their GST report after the position. If the last GST report of a receiver came after its
    position, the next fix is held until its own GST report or the next TPV report arrives. Other fixes are never held.
    """

    def __init__(self) -> None:
        self._receivers: dict[str, _Receiver] = {}

    def fix(self, value: dict[str, Any], message: Any) -> Sequence[Any]:
        """Takes a TPV report. Returns the fixes that are complete.

        Args:
            value: The report.
            message: The fix of the report, or None if the report has no position or time.
        """
        receiver = self._receivers.get(_name(value))
        if receiver is None:
            return () if message is None else (message,)
        held, receiver.held = receiver.held, ()
        if message is None:
            return held
        if held and _row(held[0])[3] == _row(message)[3]:
            receiver.held = (*held, message)
            return ()
        ellipse, receiver.ellipse = receiver.ellipse, None
        if ellipse is None:
            return (*held, message)
        if ellipse[0] == _row(message)[3]:
            return (*held, _with_ellipse(message, ellipse[1]))
        receiver.held = (message,)
        return held

    def report(self, value: dict[str, Any]) -> Sequence[Any]:
        """Takes a GST report. Returns the fixes that are complete.

        Raises:
            LineError: The report has invalid values.
        """
        time = report_time(value)
        if time is None:
            return ()
        name = _name(value)
        receiver = self._receivers.get(name)
        if receiver is None:
            if len(self._receivers) >= MOST_RECEIVERS:
                return ()
            receiver = self._receivers[name] = _Receiver()
        ellipse = ellipse_number(value, "major", "minor", "orient")
        # An ellipse of size 0 means that the receiver does not know its error.
        receiver.ellipse = time, ellipse if ellipse and ellipse[0] else ()
        if not receiver.held or _row(receiver.held[0])[3] != time:
            return ()
        held, receiver.held = receiver.held, ()
        return [_with_ellipse(message, receiver.ellipse[1]) for message in held]

    def end(self) -> Iterator[Any]:
        """Yields the fixes that are still held."""
        for receiver in self._receivers.values():
            yield from receiver.held
            receiver.held = ()


def _name(value: dict[str, Any]) -> str:
    name = value.get("device")
    return name if isinstance(name, str) else ""


def _row(message: Any) -> FixRow:
    return message.row if isinstance(message, DeviceFix) else message


def _with_ellipse(message: Any, ellipse: tuple[float, ...]) -> Any:
    latitude, longitude, accuracy, time, *beside = _row(message)
    heights = beside[3:]
    both = (*(ellipse or NO_ELLIPSE), *heights) if heights else ellipse
    row: FixRow = (latitude, longitude, accuracy, time, *both)
    return replace(message, row=row) if isinstance(message, DeviceFix) else row
