"""What a watch says on standard error: enough to notice an outage, too little to fill a disk."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

MINUTE = 60.0


LONGEST = 1000
"""Characters of a line."""


def to_stderr(text: str) -> None:
    """Writes a line. What a device or a file brought with it stays within the line and moves no cursor."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} …"
    if not text.isprintable():
        text = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
    write_line(f"fencepost: {text}")


def write_line(text: str) -> None:
    """Writes a line as it is."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        pass  # nobody listens: no reason to end


@dataclass
class _Kind:
    """Of one kind of notice: when it may be said again, and what came meanwhile."""

    next_at: float
    count: int = 0
    last: str = ""


class Notices:
    """Lines for people. Those of one kind are said at most once a minute, with how many there were meanwhile.

    Args:
        write: Takes a line.
        monotonic: Seconds of a clock that never goes back.
    """

    def __init__(
        self, write: Callable[[str], None] = to_stderr, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._write, self._monotonic = write, monotonic
        self._kinds: dict[str, _Kind] = {}

    def say(self, text: str) -> None:
        """Says it now."""
        self._tell(text)

    def seldom(self, kind: str, text: str) -> None:
        """Says it now if nothing of this kind was said within the last minute, else counts it."""
        known = self._kinds.get(kind)
        if known is None:
            self._kinds[kind] = _Kind(self._monotonic() + MINUTE)
            self._tell(text, kind)
            return
        known.count += 1
        known.last = text
        self.pass_time()

    def forget(self, kind: str) -> None:
        """Drops what was counted of a kind: something else tells of it."""
        if kind in self._kinds:
            self._kinds[kind].count = 0

    def pass_time(self) -> None:
        """Says what was counted, of each kind that had its minute."""
        now = self._monotonic()
        for kind, known in list(self._kinds.items()):
            if now < known.next_at:
                continue
            if known.count:
                self._tell_counted(kind, known)
                known.next_at = now + MINUTE
            else:
                del self._kinds[kind]

    def pause(self) -> float | None:
        """Seconds until there is something to say; None: there is nothing."""
        times = [known.next_at for known in self._kinds.values() if known.count]
        return max(0.0, min(times) - self._monotonic()) if times else None

    def close(self) -> None:
        """Says what was counted."""
        for kind, known in self._kinds.items():
            if known.count:
                self._tell_counted(kind, known)
        self._kinds.clear()

    def _tell_counted(self, kind: str, known: _Kind) -> None:
        self._tell(known.last, kind, known.count)
        known.count = 0

    def _tell(self, text: str, kind: str = "", count: int = 1) -> None:
        more = f" (the last of {count} within a minute)" if count > 1 else ""
        self._write(text + more)


class JsonNotices(Notices):
    """The same as JSON Lines: ``time``, ``kind`` and ``count`` of what is said once a minute, ``message``."""

    def __init__(
        self,
        write: Callable[[str], None] = write_line,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(write, monotonic)
        self._wall = wall

    def _tell(self, text: str, kind: str = "", count: int = 1) -> None:
        members: dict[str, object] = {
            "time": datetime.fromtimestamp(self._wall(), UTC).isoformat(timespec="milliseconds")
        }
        if kind:
            members |= {"kind": kind, "count": count}
        self._write(json.dumps(members | {"message": text[:LONGEST]}))
