"""Works like a Home Assistant integration: the host owns the event loop and its timers; no threads are used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any

from fencepost import Fix
from fencepost.live import Fed, Follower, LiveEvent


class Presence:
    """Tells a host which of its devices are in which zones.

    Args:
        zones: Accepts the same values as the `zones` argument of a follower.
        changed: Called with each event, on the loop; if it raises an exception, it is called again after a pause.
        options: Options of the follower.
    """

    def __init__(self, zones: Any, changed: Callable[[LiveEvent], bool | None], **options: Any) -> None:
        self._follower = Follower(zones, sinks=[changed], **options)
        self._timer: asyncio.TimerHandle | None = None
        self._turn()  # handle changes that became due while the host was away

    def location(
        self,
        device: str,
        latitude: float,
        longitude: float,
        accuracy: float,
        at: datetime,
    ) -> Fed:
        """Feeds the position of a device."""
        fed = self._follower.feed(device, Fix(latitude, longitude, accuracy, time=at))
        self._turn()
        return fed

    def _turn(self) -> None:
        """Delivers events, and sets the timer for the next deadline."""
        if self._timer is not None:
            self._timer.cancel()
        for _ in self._follower.events():
            pass  # the sink has handled the event
        pause = self._follower.tick()
        self._timer = None if pause is None else asyncio.get_running_loop().call_later(pause, self._turn)

    def zones_of(self, device: str) -> list[str]:
        """The zones that a device is in."""
        return sorted(presence.identifier for presence in self._follower.fleet[device].inside())

    def unload(self) -> None:
        """Stops following; with a store, the next start continues from the same point."""
        if self._timer is not None:
            self._timer.cancel()
        self._follower.close()
