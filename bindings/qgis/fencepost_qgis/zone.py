"""The zone of times that do not name theirs."""

import re
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from qgis.core import QgsProcessingException

EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)
OFFSET = re.compile(r"([+-])(0\d|1[0-4]):?([0-5]\d)")
ZONED = re.compile(r"\d:\d\d.*(?:[Zz]|[+-]\d\d(?::?\d\d){0,2})\s*")
"""A text with a time of day that ends with a zone."""


class Zone:
    """A time zone, from what a person writes.

    Args:
        text: ``Europe/Berlin``, ``UTC``, ``+02:00``; blank: UTC.

    Attributes:
        is_given: Whether the text says one.
        unclear: How many times so far there are twice or not at all, because clocks were put back or forward.

    Raises:
        QgsProcessingException: There is no such zone.
    """

    def __init__(self, text):
        text = text.strip()
        self.is_given, self.unclear = bool(text), 0
        self._zone = _zone(text) if text else UTC

    def utc(self, local_us):
        """Microseconds since 1970 of a time that is in this zone; of two that it may be, the earlier."""
        if self._zone is UTC:
            return local_us
        local = EPOCH + timedelta(microseconds=local_us)
        offset, other = (local.replace(tzinfo=self._zone, fold=fold).utcoffset() for fold in (0, 1))
        self.unclear += offset != other
        return local_us - offset // MICROSECOND


def _zone(text):
    if text.upper() in ("UTC", "GMT", "Z"):
        return UTC
    offset = OFFSET.fullmatch(text)
    if offset:
        sign, hours, minutes = offset.groups()
        ahead = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-ahead if sign == "-" else ahead)
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise QgsProcessingException(
            f"time zone '{text}' is not known; accepted are names such as Europe/Berlin, and offsets such as +02:00"
        ) from None
