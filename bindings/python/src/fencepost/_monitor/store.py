"""Stores and copies of a monitor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._native import Monitor as Handle
from .snapshots import Closable, snapshot_bytes

if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Buffer


class MonitorStore(Closable):
    """The store of a monitor, its snapshots and forks."""

    __slots__ = ()
    _handle: Handle
    if TYPE_CHECKING:

        @classmethod
        def _of(cls, handle: Handle) -> Self: ...

    def checkpoint(self) -> None:
        """Saves everything that is not saved yet; without a store it does nothing.

        Raises:
            StoreUnavailableError: Monitoring goes on in memory; a later call tries again.

        Example:
            >>> from fencepost import Monitor
            >>> Monitor().checkpoint()  # in memory: nothing to save
        """
        self._handle.checkpoint()

    def close(self) -> None:
        """Saves everything and closes the store: its name is free. Ends :meth:`updates`. Again it does nothing.

        With a store it takes no inputs any more, as a closed file: they raise :class:`MonitorClosedError`. Its states
        can still be read. Uncommitted events are delivered again when it is opened. A monitor in memory has nothing to
        close and goes on. A ``with`` statement closes at its end.

        Raises:
            StoreUnavailableError: Something could not be saved; the store is closed all the same.

        Example:
            >>> import tempfile
            >>> from fencepost import Circle, Monitor
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     with Monitor("commute", store=folder) as monitor:
            ...         monitor.add(Circle(52.5, 13.4, 100), "home")
            ...     with Monitor("commute", store=folder) as monitor:
            ...         print(monitor.identifiers)
            ['home']
        """
        self._handle.end_updates()
        self._handle.close()

    def snapshot(self) -> bytes:
        """The whole monitor as bytes, the same on every platform; also of one with a store. For :meth:`restore`.

        Pickling and copying go through it, so a monitor with a store becomes one in memory.

        Example:
            >>> from fencepost import Monitor
            >>> monitor = Monitor("commute")
            >>> Monitor.restore(monitor.snapshot()).name
            'commute'
        """
        return self._handle.snapshot()

    @classmethod
    def restore(cls, snapshot: Buffer) -> Self:
        """Restores a monitor in memory from a snapshot; uncommitted events are delivered again.

        Args:
            snapshot: Any bytes may be passed.

        Raises:
            SnapshotInvalidError: It is not a snapshot, is damaged, or was written by a newer version of the library.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> Monitor.restore(monitor.snapshot()).identifiers
            ['home']
        """
        return cls._of(Handle.restore(snapshot_bytes(snapshot)))

    def fork(self) -> Self:
        """An independent copy: the same conditions, records, waiting events, counters and clock.

        The copy is in the state after a crash: uncommitted events are delivered again by the fork, with the same
        sequence. The origin does not notice.

        The two share their conditions, and the fork their states until something happens to them: for many devices
        among the same conditions fork one monitor that holds these, about 11 KB a device.

        Example:
            >>> from fencepost import Circle, Fix, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> first = monitor.next_event()
            >>> fork = monitor.fork()
            >>> fork.next_event() == first, monitor.next_event()
            (True, None)
        """
        return self._of(self._handle.fork())
