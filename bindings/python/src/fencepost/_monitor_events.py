"""What comes out of a monitor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import _native
from ._arguments import integer
from ._lists import EventList
from ._outputs import Event
from ._updates import Updates

if TYPE_CHECKING:
    from pandas import DataFrame


class MonitorEvents:
    """The events of a monitor."""

    __slots__ = ()
    _handle: _native.Monitor

    def next_event(self) -> Event | None:
        """Hands out the next event, or None, and commits what was handed out before."""
        row = self._handle.poll_event()
        return None if row is None else Event._from_row(row)

    def events(self) -> Iterator[Event]:
        """Drains what waits. Asking for the next event commits the one before."""
        while (event := self.next_event()) is not None:
            yield event

    def poll(self, max: int = 1024) -> EventList:
        """Hands out up to `max` events (at most 65 536 at a time) and commits what was handed out before."""
        return EventList([Event._from_row(row) for row in self._handle.poll_events(integer(max, "max", 0))])

    def updates(self) -> Updates:
        """Events as they become available, for ``async for``: what waits, and then whatever comes.

        They may be fed by the same task, by others, or from other threads. Asking for the next event commits the one
        before. There is one consumer at a time: until the iterator ends, is cancelled or dropped, :meth:`events`,
        :meth:`next_event` and :meth:`poll` are refused as well. Of a consumer that stops, nothing is lost: an event
        that it was given and that was not committed (with :meth:`acknowledge`, or by asking for the next) is handed
        out again, with the same sequence. :meth:`close` ends the iteration. Linux.

        Raises:
            ConsumerAlreadyActiveError: When iterating, while there is another consumer.

        Example:
            >>> import asyncio
            >>> from fencepost import CircularGeographicCondition, Fix, Monitor
            >>> async def watch(monitor: Monitor) -> None:
            ...     async for event in monitor.updates():
            ...         print(event.identifier, event.state)
            ...         monitor.close()
            >>> async def main() -> None:
            ...     monitor = Monitor()
            ...     monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            ...     watching = asyncio.create_task(watch(monitor))
            ...     await asyncio.to_thread(monitor.feed, Fix(52.5, 13.4, time=0))
            ...     await watching
            >>> asyncio.run(main())
            home satisfied
        """
        return Updates(self._handle)

    def events_columns(self) -> dict[str, list[Any]]:
        """Drains what waits, as a loop over :meth:`events` does, into columns: see :meth:`EventList.columns`.

        All of it is committed on return. To handle events first and commit them then, use :meth:`poll`.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add_many(["a", "b"], [0, 1], [0, 0], [100, 100])
            >>> monitor.feed(Fix(0, 0, time=0))
            >>> columns = monitor.events_columns()
            >>> columns["identifier"], columns["state"]
            (['a', 'b'], ['satisfied', 'unsatisfied'])
        """
        return self._drain().columns()

    def events_frame(self) -> DataFrame:
        """Drains what waits, as :meth:`events_columns` does, into a ``pandas.DataFrame``: see
        :meth:`EventList.to_pandas`.

        Where pandas is not installed it gives the dict of columns instead; both are indexed by the same names.

        Example:
            >>> from fencepost import CircularGeographicCondition, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> list(monitor.events_frame()["state"])
            ['satisfied']
        """
        try:
            import pandas  # noqa: F401  before anything is drained
        except ImportError:
            return self.events_columns()  # type: ignore[return-value]
        return self._drain().to_pandas()

    def _drain(self) -> EventList:
        events = EventList()
        while rows := self._handle.poll_events(65_536):
            events += [Event._from_row(row) for row in rows]
        return events

    def acknowledge(self) -> None:
        """Commits what was handed out, without asking for more."""
        self._handle.acknowledge()
