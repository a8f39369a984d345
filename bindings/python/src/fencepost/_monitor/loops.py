"""Loops over the events of a monitor or a fleet."""

from __future__ import annotations

from collections.abc import Iterator

from .._values.events import Event

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import Generic, TypeVar
else:
    from collections.abc import Callable
    from typing import Any, Generic, Protocol, TypeVar

    class Owner(Protocol):
        """The monitor or fleet whose events a loop reads. The loop holds a reference to its owner."""

        _handle: Any


E = TypeVar("E", bound=Event)


class EventLoop(Iterator[E], Generic[E]):
    """A loop over the pending events."""

    __slots__ = ("_is_over", "_monitor", "_turn")
    _of: Callable[[Any], E]

    def __init__(self, monitor: Owner) -> None:
        self._monitor = monitor
        self._turn = -1
        self._is_over = False

    def __iter__(self) -> Iterator[E]:
        """Yields events; if the loop is left early, the last event of the loop is delivered again."""
        try:
            while (event := next(self, None)) is not None:
                yield event
        finally:
            self._give_back()

    def __next__(self) -> E:
        """Acknowledges the previous event and returns the next one.

        Raises:
            StopIteration: No event is pending.
            ConsumerAlreadyActiveError: The events of :meth:`Monitor.updates` are being consumed.
        """
        row = None if self._is_over else self._monitor._handle.poll_event()
        if row is None:
            self._is_over = True
            raise StopIteration
        self._turn = self._monitor._handle.turn()
        return self._of(row)

    def close(self) -> None:
        """Ends the loop. The last event that a loop received is delivered again unless it was acknowledged."""
        self._is_over = True
        self._give_back()

    def _give_back(self) -> None:
        # Abandons only the event that this loop has read. If another consumer has read events in the meantime, that
        # read acknowledged our event, and the events in flight belong to the other consumer.
        if self._turn >= 0:
            self._monitor._handle.abandon(self._turn)


class Events(EventLoop[Event]):
    """The pending events of a monitor: the result of :meth:`Monitor.events`.

    When a loop asks for the next event, it acknowledges the previous event. If a loop ends early (by an exception,
    ``break``, ``return`` or :meth:`close`), its last event is not acknowledged and is delivered again to the next
    consumer. Events are delivered at least once and never lost. If the body of a loop has handled its event, it can
    call :meth:`Monitor.acknowledge` before it leaves the loop.

    Each loop over the same object starts anew, so a failed loop can be repeated. Without a loop, ``next()`` works like
    :meth:`Monitor.next_event`, but raises ``StopIteration`` after the last event and in all later calls.

    Example:
        >>> from fencepost import Circle, Fix, Monitor
        >>> monitor = Monitor()
        >>> monitor.add_many(["a", "b"], latitude=[0, 0], longitude=[0, 1], radius=[100, 100])
        >>> monitor.feed(Fix(0, 0, time=0))
        >>> for event in monitor.events():
        ...     if event.identifier == "b":
        ...         break  # not handled
        >>> [event.identifier for event in monitor.events()]
        ['b']
    """

    __slots__ = ()
    _of = staticmethod(Event._from_row)
