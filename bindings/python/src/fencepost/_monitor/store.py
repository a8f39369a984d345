"""The persistent store of a monitor, and copies of a monitor."""

from __future__ import annotations

from .._native import Monitor as Handle
from .snapshots import Closable, snapshot_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Buffer


class MonitorStore(Closable):
    """A monitor's methods for its store, for snapshots and for forks."""

    __slots__ = ()
    _handle: Handle
    _max_gap_us: int | None
    _doubts: bool
    if TYPE_CHECKING:

        @classmethod
        def _of(cls, handle: Handle, max_gap_us: int | None = None, doubts: bool = True) -> Self: ...

    def checkpoint(self) -> None:
        """Saves everything that is not saved yet; does nothing without a store.

        Raises:
            StoreUnavailableError: Saving failed. Monitoring continues in memory, and a later call tries to save again.

        Example:
            >>> from fencepost import Monitor
            >>> Monitor().checkpoint()  # in memory: nothing to save
        """
        self._handle.checkpoint()

    def close(self) -> None:
        """Saves everything and closes the store, so that the store can be opened again. Ends the iteration over
        :meth:`updates`. A second call does nothing.

        A closed monitor with a store refuses inputs with :class:`MonitorClosedError`. The states of the closed monitor
        can still be read. Unacknowledged events are delivered again when the store is opened again. A monitor in memory
        has nothing to close and continues to work. A ``with`` statement closes the monitor at its end.

        Raises:
            StoreUnavailableError: Some changes could not be saved. If saving fails, the store is closed nevertheless.

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
        """The whole monitor as bytes, for :meth:`restore`. The snapshot's bytes are the same on every platform, with or
        without a store.

        Pickling and copying use the snapshot, so the copy of a monitor with a store is in memory.

        Example:
            >>> from fencepost import Monitor
            >>> monitor = Monitor("commute")
            >>> Monitor.restore(monitor.snapshot()).name
            'commute'
        """
        return self._handle.snapshot()

    @classmethod
    def restore(cls, snapshot: Buffer) -> Self:
        """Creates a monitor in memory, without a store, from a snapshot. Unacknowledged events are delivered again.

        Args:
            snapshot: The bytes of a snapshot. Bytes from an untrusted source are safe.

        Raises:
            SnapshotInvalidError: The bytes are not a snapshot, are damaged, or come from a newer version of the
                library.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> Monitor.restore(monitor.snapshot()).identifiers
            ['home']
        """
        return cls._of(Handle.restore(snapshot_bytes(snapshot)))

    def fork(self) -> Self:
        """An independent copy with the same conditions, records, pending events, counters and clock.

        The copy is in the same state as after a crash: it delivers unacknowledged events again, with the same sequence
        numbers. A fork does not change the original monitor.

        The original and the copy share the memory of their conditions, and also share the memory of each state until
        that state changes. For many devices with the same conditions, fork one monitor that holds the conditions: a
        fork takes about 11 KB.

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
        return self._of(self._handle.fork(), self._max_gap_us, self._doubts)
