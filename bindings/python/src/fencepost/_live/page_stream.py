"""The data for readers of the page, encoded and compressed once for all readers."""

from __future__ import annotations

import json
import time
import zlib
from collections import deque
from typing import Any

from .view import View

TURN = 0.2
"""Seconds between two checks for changes."""
ALONE = 2.0
"""If nobody has checked for changes for this many seconds, the page has no readers."""
MOST_MESSAGES = 500
"""How many messages are kept; a reader that misses older messages receives the full state again."""
GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
"""The header of a compressed stream (RFC 1952); the messages follow as blocks of deflate."""


class Message:
    """An event of the stream, in plain and in compressed form.

    The compressed data ends with a full flush of the compressor. The compressed data does not refer to earlier data and
    ends on a byte boundary, so the same bytes can be used in every reader's stream (RFC 1951; Z_FULL_FLUSH of zlib).
    """

    def __init__(self, text: str) -> None:
        self.plain = text.encode()
        self._packed: bytes | None = None

    @property
    def packed(self) -> bytes:
        """The compressed form of the message, which is created when the first reader needs it."""
        if self._packed is None:
            packer = zlib.compressobj(1, zlib.DEFLATED, -15)
            self._packed = packer.compress(self.plain) + packer.flush(zlib.Z_FULL_FLUSH)
        return self._packed


STILL_HERE = Message(": still here\n\n")


class Messages:
    """The most recent messages, numbered in order. The next message is created when the first reader asks for changes.

    Args:
        view: The source of the data.

    Attributes:
        made: The number of times that the view's state was encoded.
    """

    def __init__(self, view: View) -> None:
        self._view, self._version, self._looked_at = view, 0, 0.0
        self._whole: Message | None = None
        # The number of the first message that follows the full message.
        self._next_of_whole = 0
        self._changed_bytes = 0
        self._recent: deque[Message] = deque()
        self._end = 0
        self.made = 0

    def everything(self) -> tuple[Message, int]:
        """The full state for a new reader, and the number of the next message. The returned state may be slightly old;
        later changes are in the messages from the returned number on."""
        now = time.monotonic()
        # While there are no readers, nobody checks for changes, and a change message would lack the trails of that
        # period.
        is_old = now >= self._looked_at + ALONE
        if (
            self._whole is None
            or is_old
            or self._changed_bytes > len(self._whole.plain)
            or self._is_gone(self._next_of_whole)
        ):
            self._looked_at = now
            changed, whole = self._view.both(self._version)
            if changed is not None and self._version > 0:
                self._append(self._message(changed))
            self._take_whole(self._message(whole), whole["version"])
        assert self._whole is not None
        return self._whole, self._next_of_whole

    def after(self, number: int) -> tuple[list[Message], int] | None:
        """The messages from `number` on, and the number of the next message. Returns None if message `number` is no
        longer kept, so that the reader needs the full state again."""
        now = time.monotonic()
        if now >= self._looked_at + TURN * 0.9:
            self._looked_at = now
            self._look()
        if self._is_gone(number):
            return None
        missing = self._end - number
        return list(self._recent)[-missing:] if missing else [], self._end

    def _look(self) -> None:
        found = self._view.since(self._version)
        if found is None:
            return
        message = self._message(found)
        self._append(message)
        self._version = found["version"]
        if "places" in found:
            self._take_whole(message, found["version"])

    def _take_whole(self, message: Message, version: int) -> None:
        self._whole, self._version = message, version
        self._next_of_whole, self._changed_bytes = self._end, 0

    def _append(self, message: Message) -> None:
        self._recent.append(message)
        self._end += 1
        self._changed_bytes += len(message.plain)
        if len(self._recent) > MOST_MESSAGES:
            self._recent.popleft()

    def _is_gone(self, number: int) -> bool:
        return number < self._end - len(self._recent)

    def _message(self, found: dict[str, Any]) -> Message:
        self.made += 1
        return Message(f"data: {json.dumps(found, allow_nan=False, separators=(',', ':'))}\n\n")
