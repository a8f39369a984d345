"""Messages that are missing, where senders number theirs."""

from __future__ import annotations

import json
from collections import Counter

from .notices import Notices

_LATE = 100
"""A number that is smaller by up to this came late or twice; one that is smaller by more began anew."""


class Gaps:
    """Counts the messages of devices that are missing, as ``missing_messages``, and says so.

    A number that exceeds the last one of its device by more than one is a gap, even if the missing messages come later.
    Messages lost before the first one, or while the watch did not run, are not detected.

    Args:
        member: Of a message: by what its device numbers its messages, 1 more each; ``a.b`` is the member b of a. None:
            nothing is looked at.
        counts: Where it is counted.
        notices: Where it is said.
    """

    def __init__(self, member: str | None, counts: Counter[str], notices: Notices) -> None:
        self._names = () if member is None else tuple(member.split("."))
        self._counts, self._notices = counts, notices
        self._last: dict[str, int] = {}

    def look(self, device: str, message: bytes | None, place: str) -> None:
        """Looks at a message of a device, if it was kept: it is a JSON object."""
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
        """Removes the state of a device."""
        self._last.pop(device, None)
