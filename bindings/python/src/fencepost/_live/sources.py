"""The base class of sources, and a source that reads a file or pipe."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from typing import Any

from .formats import Decoder, make_decoder

PIECE = 65_536
"""Bytes to read at a time."""


class Source:
    """The base class of sources, from which a follower reads device messages. Subclasses implement :meth:`read` and, if
    needed, :meth:`taken` and :meth:`close`.

    Attributes:
        name: The name of the source in the log.
        descriptor: A file descriptor that becomes readable when :meth:`read` should be called. The descriptor is None
            while the source has no descriptor to wait for (see :attr:`retry_at`).
        retry_at: The monotonic time at which to call :meth:`read` even if no descriptor is readable; None means never.
        has_more: Whether more messages are available right after the last :meth:`read`.
        at_end: Whether the last :meth:`read` returned the final messages.
        reconnects: How often the source has reconnected.
        redelivers: Whether the source delivers the messages again that :meth:`taken` did not count, when the program
            starts again.
        renewed: The number of the earliest untaken messages that the source delivers again after it has reconnected.
            :meth:`read` sets it. These messages count as fed, because their repetitions are acknowledged instead.
        most_untaken: The maximum number of messages that a sender sends before :meth:`taken` counts the first of them.
            None means no limit; 0 means that the sender waits for each message, so its fixes cannot be held and sorted.

    Example:
        >>> import os
        >>> from fencepost import Circle
        >>> from fencepost.live import DeviceFix, Follower, Source
        >>> class Once(Source):
        ...     def __init__(self):
        ...         self.descriptor, writer = os.pipe()
        ...         os.close(writer)
        ...     def read(self):
        ...         self.at_end = True
        ...         return [("fix 1", DeviceFix("van", (0.0, 0.0, 5.0, 1_700_000_000_000_000)))]
        ...     def close(self):
        ...         os.close(self.descriptor)
        >>> source = Once()
        >>> Follower({"depot": Circle(0, 0, 100)}, sinks=[lambda event: print(event.device)]).run(source)
        van
        >>> source.close()
    """

    name = "a source"
    descriptor: int | None = None
    retry_at: float | None = None
    has_more = False
    at_end = False
    reconnects = 0
    renewed = 0
    most_untaken: int | None = None

    @property
    def redelivers(self) -> bool:
        return False

    def read(self) -> Iterable[tuple[str, Any]] | None:
        """Returns the available messages, or None if the source has ended. Together with each message, `read` returns a
        text that says where the message is in the source, for the log. The call does not block if the descriptor is
        readable.

        Raises:
            OSError: The source can no longer be read.
        """
        raise NotImplementedError

    def taken(self, count: int) -> None:
        """Called when the next `count` messages, in the order of :meth:`read`, have been fed and saved; from then on,
        the sender may forget these messages. :meth:`taken` is not called while saving fails."""

    def close(self) -> None:
        """Closes the source."""


class FileSource(Source):
    """Reads fixes from a file or pipe.

    Args:
        descriptor: The descriptor to read; :meth:`close` closes it unless it is a standard stream.
        name: The name of the source in the log.
        decoder: Converts the bytes to fixes.
    """

    def __init__(self, descriptor: int, name: str, decoder: Decoder) -> None:
        self.descriptor, self.name, self._decoder = descriptor, name, decoder
        self._is_regular = stat.S_ISREG(os.fstat(descriptor).st_mode)

    @property
    def redelivers(self) -> bool:
        return self._is_regular

    def read(self) -> Iterable[tuple[str, Any]] | None:
        assert self.descriptor is not None
        try:
            data = os.read(self.descriptor, PIECE)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from None
        self.has_more = len(data) == PIECE
        if data:
            return self._decoder.take(data)
        self.at_end = True
        return self._decoder.end()  # the last line may lack a line end

    def close(self) -> None:
        if self.descriptor is not None and self.descriptor > 2:
            os.close(self.descriptor)
        self.descriptor = None


def open_file(source: str, format: str = "auto", decoder: Decoder | None = None) -> FileSource:
    """Opens a file or pipe; ``-`` means standard input.

    Args:
        source: The path, or ``-``.
        format: The name of the format: auto, jsonl, nmea or gpx.
        decoder: The decoder to use; None means the decoder for the format.

    Raises:
        OSError: The file cannot be opened.
    """
    if source == "-":
        return FileSource(0, "standard input", decoder or make_decoder(format, "standard input"))
    descriptor = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return FileSource(descriptor, source, decoder or make_decoder(format, source))
    except BaseException:
        os.close(descriptor)
        raise
