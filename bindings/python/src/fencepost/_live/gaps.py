"""Detects missing messages from senders that number their messages."""

from __future__ import annotations

import json
from collections import Counter

from .notices import Notices

_LATE = 100
"""The largest difference by which the number of a late or repeated message can be smaller than the last number of the
message's device. If a number is smaller by more than this, or is smaller than 2, the sender has restarted its
numbering."""


class Gaps:
    """Counts missing messages from devices as ``missing_messages``, and logs them.

    If a number exceeds its device's last number by more than one, a gap is reported, even if the missing messages
    arrive later. Messages are not detected as missing if they were lost before the device's first message or while the
    watch was not running.

    Args:
        member: The member that contains the message number, which a device increases by 1 for each message; ``a.b``
            means the member ``b`` of ``a``. If `member` is None, message numbers are not checked.
        counts: The counters.
        notices: Receives the reports.
    """

    def __init__(self, member: str | None, counts: Counter[str], notices: Notices) -> None:
        self._names = () if member is None else tuple(member.split("."))
        self._counts, self._notices = counts, notices
        self._last: dict[str, int] = {}

    def look(self, device: str, message: bytes | None, place: str) -> None:
        """Checks the number of a device's message. `message` is a JSON object, or None if the message was not kept."""
        if not self._names or message is None:
            return
        value = json.loads(message)
        for name in self._names:
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, bool) or not isinstance(value, int):
            return
        last = self._last.get(device)
        if last is not None and value <= last and value > 1 and last - value <= _LATE:
            return
        self._last[device] = value
        if last is not None and (missing := value - last - 1) > 0:
            self._counts["missing_messages"] += missing
            what = f"message {last + 1} is" if missing == 1 else f"messages {last + 1} to {value - 1} are"
            self._notices.seldom("missing_messages", f"{place}: {device}: {what} missing")

    def forget(self, device: str) -> None:
        """Removes the numbering state of a device."""
        self._last.pop(device, None)
