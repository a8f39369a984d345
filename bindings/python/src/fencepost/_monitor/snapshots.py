"""Base classes of a monitor, a table and a fleet, for copying through snapshots and for closing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from typing_extensions import Buffer


def snapshot_bytes(snapshot: Any, what: str = "snapshot") -> Any:
    """Returns the contiguous bytes of an object with the buffer protocol."""
    try:
        view = memoryview(snapshot)
    except (TypeError, ValueError, BufferError):
        raise TypeError(f"{what} must be bytes, not {type(snapshot).__name__}") from None
    return view if view.c_contiguous else view.tobytes()


class Snapshots:
    """Base class of objects that are pickled and copied by means of their snapshots."""

    __slots__ = ()

    if TYPE_CHECKING:

        def snapshot(self) -> bytes: ...
        @classmethod
        def restore(cls, snapshot: Buffer) -> Self: ...

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).restore, (self.snapshot(),), getattr(self, "__dict__", None) or None


class Closable(Snapshots):
    """Base class of context managers that close the object at the end."""

    __slots__ = ()
    _handle: Any

    if TYPE_CHECKING:

        def close(self) -> None: ...

    @property
    def closed(self) -> bool:
        """True after :meth:`close` was called."""
        found: bool = self._handle.closed()
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
