"""The events of a track, created from the engine's rows when they are first accessed. A table of visits is made from
the rows alone, so it does not create the events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from .._values.events import Event, EventRow


class LazyEvents(Sequence[Event]):
    """Events in the order of their delivery. The sequence compares equal to a tuple of the same events.

    Attributes:
        rows: The rows from which the events are created.
    """

    __slots__ = ("_made", "rows")

    def __init__(self, rows: Iterable[EventRow]) -> None:
        self.rows = tuple(rows)
        self._made: tuple[Event, ...] | None = None

    @property
    def _events(self) -> tuple[Event, ...]:
        if self._made is None:
            self._made = tuple(map(Event._from_row, self.rows))
        return self._made

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | Sequence[Event]:
        return self._events[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LazyEvents | tuple) and self._events == tuple(other)

    def __hash__(self) -> int:
        return hash(self._events)

    def __repr__(self) -> str:
        return repr(self._events)
