"""Taking events in a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .._values.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    class Owner(Protocol):
        """A monitor or a fleet whose events a loop reads; the loop keeps it alive."""

        _handle: Any


E = TypeVar("E", bound=Event)


class EventLoop(Iterator[E], Generic[E]):
    """A loop over the events that wait."""

    __slots__ = ("_is_over", "_monitor", "_turn")
    _of: Callable[[Any], E]

    def __init__(self, monitor: Owner) -> None:
        self._monitor = monitor
        self._turn = -1
        self._is_over = False

    def __iter__(self) -> Iterator[E]:
        """A loop: its last event is handed out again when it is left early."""
        try:
            while (event := next(self, None)) is not None:
                yield event
        finally:
            self._give_back()

    def __next__(self) -> E:
        """The next event; the one before is committed.

        Raises:
            StopIteration: There is none.
            ConsumerAlreadyActiveError: :meth:`Monitor.updates` are being consumed.
        """
        row = None if self._is_over else self._monitor._handle.poll_event()
        if row is None:
            self._is_over = True
            raise StopIteration
        self._turn = self._monitor._handle.turn()
        return self._of(row)

    def close(self) -> None:
        """Ends it. The last event, unless it was committed, is handed out again."""
        self._is_over = True
        self._give_back()

    def _give_back(self) -> None:
        # Only for this turn: if another consumer has read since, the event was committed and the events in flight are
        # theirs.
        if self._turn >= 0:
            self._monitor._handle.abandon(self._turn)


class Events(EventLoop[Event]):
    """The events of a monitor that wait: what :meth:`Monitor.events` gives.

    A loop over it says of each event that it was handled by asking for the next one. A loop that ends before the events
    do (an exception, ``break``, ``return``, :meth:`close`) has not said it of its last event, which is therefore handed
    out again, to whoever asks next: at least once, never lost. A body that is done with its event before it leaves says
    so with :meth:`Monitor.acknowledge`.

    Each loop over the same object is a loop of its own, so one that failed can be repeated. Without a loop, ``next()``
    is :meth:`Monitor.next_event`. When there were no more events it stays at its end.

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
