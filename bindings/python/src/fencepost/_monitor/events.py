"""The events of a monitor."""

from __future__ import annotations

from collections.abc import Callable

from .._tables.numbers import integer
from .._values.events import Event, EventList, EventRows
from .loops import Events
from .updates import Updates

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import Generic, TypeVar
else:
    from typing import Any, Generic, TypeVar

    from pandas import DataFrame

T = TypeVar("T")
E = TypeVar("E", bound=Event)
L = TypeVar("L", bound="EventRows[Any]")
EVENTS_PER_POLL = 65_536
"""The largest number of events that one call returns; the next call returns the events that follow. A larger limit
would only use more memory.
"""


class EventSource(Generic[E, L]):
    """A source of events: a monitor or a fleet."""

    __slots__ = ()
    _handle: Any
    _event_of: Callable[[Any], E]
    _list: type[L]

    def next_event(self) -> E | None:
        """Returns the next event, or None.

        The method acknowledges all events that were delivered before. If the handling of the delivered events failed,
        call :meth:`abandon` before this method.

        Raises:
            ConsumerAlreadyActiveError: The events of :meth:`updates` are being consumed.
        """
        row = self._handle.poll_event()
        return None if row is None else self._event_of(row)

    def poll(self, max: int = 1024) -> L:
        """Returns up to `max` pending events, at most 65 536 per call.

        The method acknowledges all events that were delivered before. The returned list can be used in a ``with``
        statement, which acknowledges the events of the list when the block ends. If the block raises an exception, all
        events of the list are delivered again.

        Raises:
            ConsumerAlreadyActiveError: The events of :meth:`updates` are being consumed.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> with monitor.poll() as events:
            ...     print(events.columns()["identifier"])
            ['home']
            >>> monitor["home"].last_event.sequence
            1
        """
        return self._poll(min(integer(max, "max", 0), EVENTS_PER_POLL))

    def _poll(self, limit: int) -> L:
        events = self._list([self._event_of(row) for row in self._handle.poll_events(limit)])
        events._taken = self._handle, self._handle.turn()
        return events

    def events_columns(self) -> dict[str, list[Any]]:
        """Returns the events that are pending at the time of the call, as columns: see :meth:`EventList.columns`.

        All events are acknowledged on return; if an error is raised, no event is acknowledged. To handle events before
        you acknowledge them, use :meth:`poll`.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add_many(["a", "b"], [0, 1], [0, 0], [100, 100])
            >>> monitor.feed(Fix(0, 0, time=0))
            >>> columns = monitor.events_columns()
            >>> columns["identifier"], columns["state"]
            (['a', 'b'], ['satisfied', 'unsatisfied'])
        """
        return self._drained(self._list.columns)

    def events_frame(self) -> DataFrame:
        """Like :meth:`events_columns`, returns all pending events, but as a ``pandas.DataFrame``: see
        :meth:`EventList.to_pandas`.

        If pandas is not installed, the method returns the dict of columns instead, with the same column names.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> list(monitor.events_frame()["state"])
            ['satisfied']
        """
        try:
            import pandas  # noqa: F401  before events are taken
        except ImportError:
            return self.events_columns()  # type: ignore[return-value]
        return self._drained(self._list.to_pandas)

    def _drained(self, converted: Callable[[L], T]) -> T:
        """Returns the pending events in converted form; the events are acknowledged after the conversion.

        The method ends even if other threads keep feeding: it stops after the third poll that returned fewer events
        than the limit. With `Delivery.FIRST`, acknowledging events can make further events pending, but this happens at
        most twice in succession.
        """
        events, result, rounds = self._list(), None, 3
        limit = max(self._handle.statistics()[6], EVENTS_PER_POLL)
        while rounds > 0 and (more := self._poll(limit)):
            with more:
                events.extend(more)
                result = converted(events)
            if len(more) < limit:
                rounds -= 1
            else:
                limit *= 2
        return converted(events) if result is None else result

    def acknowledge(self) -> None:
        """Acknowledges the delivered events and delivers no further event."""
        self._handle.acknowledge(None)

    def abandon(self) -> None:
        """Makes the delivered but unacknowledged events pending again, so that they are delivered again with the same
        sequence numbers.

        Call this method if a handler failed.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> event = monitor.next_event()
            >>> monitor.abandon()
            >>> monitor.next_event() == event
            True
        """
        self._handle.abandon(None)


class MonitorEvents(EventSource[Event, EventList]):
    """The events of a monitor."""

    __slots__ = ()
    _event_of = staticmethod(Event._from_row)
    _list = EventList

    def events(self) -> Events:
        """Returns the pending events for a loop. A request for the next event acknowledges the previous event.

        If a loop is left early, by an exception, ``break`` or ``return``, its last event is delivered again, as
        described for :class:`Events`.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> try:
            ...     for event in monitor.events():
            ...         raise ConnectionError("could not send it")
            ... except ConnectionError:
            ...     pass
            >>> [event.sequence for event in monitor.events()]
            [1]
        """
        return Events(self)

    def updates(self) -> Updates:
        """Returns the events as they become available, for ``async for``: first the pending events, then each new
        event.

        Inputs may be fed by the same task, by other tasks, or by other threads. A request for the next event
        acknowledges the previous event. Only one consumer is allowed at a time: until the iterator ends, is cancelled
        or is dropped, the methods :meth:`events`, :meth:`next_event` and :meth:`poll` raise an error. If a consumer
        stops, no event is lost. An event that the consumer did not acknowledge (with :meth:`acknowledge`, or by a
        request for the next event) is delivered again, with the same sequence. :meth:`close` ends the iteration.

        Raises:
            ConsumerAlreadyActiveError: Raised on iteration if there is another consumer.

        Example:
            >>> import asyncio
            >>> from fencepost import Circle, Fix, Monitor
            >>> async def watch(monitor: Monitor) -> None:
            ...     async for event in monitor.updates():
            ...         print(event.identifier, event.state)
            ...         monitor.close()
            >>> async def main() -> None:
            ...     monitor = Monitor()
            ...     monitor.add(Circle(52.5, 13.4, 100), "home")
            ...     watching = asyncio.create_task(watch(monitor))
            ...     await asyncio.to_thread(monitor.feed, Fix(52.5, 13.4, time=0))
            ...     await watching
            >>> asyncio.run(main())
            home satisfied
        """
        return Updates(self._handle)
