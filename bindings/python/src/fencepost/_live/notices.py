"""The log of a running watch or follower. The log reports every outage, but the rate of its records is limited, so that
the log cannot fill a disk."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

LOGGER = logging.getLogger("fencepost.live")
MINUTE = 60.0


LONGEST = 1000
"""Maximum length of a line in characters."""


def to_stderr(text: str) -> None:
    """Writes a line. Escapes control characters, which may come from a device or file, so that they cannot end the line
    or move the cursor."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} …"
    if not text.isprintable():
        text = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
    write_line(f"fencepost: {text}")


def write_line(text: str) -> None:
    """Writes a line unchanged."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        pass  # nobody reads the messages; continue anyway


@dataclass
class _Kind:
    """The state of one kind of record: the time at which the next record may pass, and the number of records that were
    held back since the last record that passed."""

    next_at: float
    count: int = 0
    last: logging.LogRecord | None = None


class RateLimit(logging.Filter):
    """Passes the first record of each kind, and then one record per kind and minute, which states how many records it
    represents.

    The kind of a record is its attribute ``kind`` (``extra={"kind": "late_fixes"}``); all records without a kind pass.
    If a record represents several records, the attribute ``count`` contains the number of these records, and the
    message ends with this number. This filter can be added to any logger or handler; the records of
    :mod:`fencepost.live` have already passed such a filter.

    Args:
        seconds: The minimum time between two records of a kind.
        monotonic: Returns the time of a monotonic clock, in seconds.

    Example:
        >>> import logging
        >>> from fencepost.live import RateLimit
        >>> limit = RateLimit(60.0)
        >>> records = [logging.makeLogRecord({"kind": "late_fixes"}) for _ in range(3)]
        >>> [limit.filter(record) for record in records]
        [True, False, False]
    """

    def __init__(self, seconds: float = MINUTE, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds, self._monotonic = seconds, monotonic
        self._kinds: dict[str, _Kind] = {}
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """True if the record may pass now."""
        kind = getattr(record, "kind", "")
        if not kind:
            return True
        with self._lock:
            now, known = self._monotonic(), self._kinds.get(kind)
            if known is None:
                self._kinds[kind] = _Kind(now + self._seconds)
                return True
            known.count, known.last = known.count + 1, record
            if now < known.next_at:
                return False
            _counted(known)
            known.next_at = now + self._seconds
            return True

    def due(self, at_once: bool = False) -> list[logging.LogRecord]:
        """The held-back records that are due now: for each kind whose waiting time is over, the last record.

        Args:
            at_once: True to return all held-back records, as is done at the end of a program.
        """
        found = []
        with self._lock:
            now = self._monotonic()
            for kind, known in list(self._kinds.items()):
                if not at_once and now < known.next_at:
                    continue
                if known.count:
                    found.append(_counted(known))
                    known.next_at = now + self._seconds
                elif not at_once:
                    del self._kinds[kind]
            if at_once:
                self._kinds.clear()
        return found

    def forget(self, kind: str) -> None:
        """Drops the held-back records of a kind."""
        with self._lock:
            if kind in self._kinds:
                self._kinds[kind].count = 0

    def pause(self) -> float | None:
        """Seconds until a held-back record is due, or None if no record is held back."""
        with self._lock:
            times = [known.next_at for known in self._kinds.values() if known.count]
        return max(0.0, min(times) - self._monotonic()) if times else None


def _counted(known: _Kind) -> logging.LogRecord:
    """The last record of a kind, which now represents all records that were held back."""
    record, count = known.last, known.count
    assert record is not None
    known.last, known.count = None, 0
    record.count = count
    if count > 1:
        record.msg, record.args = f"{record.getMessage()} (the last of {count} within a minute)", None
    return record


class Notices:
    """Writes to a logger. Logs at most one record of each kind per minute, with the number of records that were held
    back.

    Args:
        logger: Receives the records.
        monotonic: Returns the time of a monotonic clock, in seconds.
    """

    def __init__(self, logger: logging.Logger = LOGGER, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._logger, self._limit = logger, RateLimit(MINUTE, monotonic)

    def say(self, text: str, level: int = logging.WARNING) -> None:
        """Logs at once."""
        self._log("", text, level)

    def seldom(self, kind: str, text: str, level: int = logging.WARNING) -> None:
        """Logs at once if no record of this kind was logged within the last minute; otherwise holds the record back and
        counts it."""
        self._log(kind, text, level)
        self.pass_time()

    def _log(self, kind: str, text: str, level: int) -> None:
        if not self._logger.isEnabledFor(level):
            return
        extra = {"kind": kind, "count": 1, "text": text}
        record = self._logger.makeRecord(self._logger.name, level, __file__, 0, text, (), None, extra=extra)
        if self._limit.filter(record):
            self._logger.handle(record)

    def forget(self, kind: str) -> None:
        """Drops the held-back records of a kind, because another record contains the same information."""
        self._limit.forget(kind)

    def pass_time(self) -> None:
        """For each kind of notice whose minute is over, logs the last notice that was held back."""
        for record in self._limit.due():
            self._logger.handle(record)

    def pause(self) -> float | None:
        """Seconds until a held-back notice is due, or None if no notice is held back."""
        return self._limit.pause()

    def close(self) -> None:
        """Logs all held-back notices."""
        for record in self._limit.due(at_once=True):
            self._logger.handle(record)


SHARED = Notices()
"""The default notices of sources, sinks and followers."""


class _Stderr(logging.Handler):
    """Writes each message as a line of text to standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        to_stderr(record.getMessage())


class JsonLines(logging.Handler):
    """Writes each record as a line of JSON with ``time`` and ``message``. A record that has a kind also gets the
    members ``kind`` and ``count``.

    Args:
        write: Writes a line.
    """

    def __init__(self, write: Callable[[str], None] = write_line) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        members: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        }
        if kind := getattr(record, "kind", ""):
            members |= {"kind": kind, "count": getattr(record, "count", 1)}
        text: str = getattr(record, "text", None) or record.getMessage()
        self._write(json.dumps(members | {"message": text[:LONGEST]}))


@contextmanager
def notices_on_stderr(as_json: bool) -> Iterator[Notices]:
    """Sends the notices of a command only to standard error, until the end of the block."""
    handler = JsonLines() if as_json else _Stderr()
    before = LOGGER.propagate, LOGGER.level
    LOGGER.addHandler(handler)
    LOGGER.propagate = False
    LOGGER.setLevel(logging.INFO)
    try:
        yield Notices()
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.propagate = before[0]
        LOGGER.setLevel(before[1])
