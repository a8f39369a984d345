"""Delivers each event to several sinks. An event counts as handled when all sinks have accepted it."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Iterable
from inspect import isawaitable
from typing import Any

from .handling import HandedEvent, key_of
from .notices import Notices

Sink = Callable[[Any], bool | Awaitable[bool | None] | None]
"""A function that receives events. If the function returns False, it is called again with the same event after a pause;
True or None means that the function has accepted the event."""


class Guarded:
    """Wraps a sink and logs its exceptions, at most once a minute. A sink that raises an exception has not accepted the
    event.

    Args:
        sink: The sink.
        notices: Receives reports of exceptions.
    """

    def __init__(self, sink: Sink, notices: Notices) -> None:
        self._sink, self._notices = sink, notices
        self.pending: Awaitable[bool | None] | None = None

    def __repr__(self) -> str:
        return repr(self._sink)

    def __call__(self, event: Any) -> bool | Awaitable[bool | None] | None:
        try:
            answer = self._sink(event)
        except Exception as error:
            if getattr(self._sink, "is_last", False):
                raise
            return self._failed(error)
        if not isawaitable(answer):
            return answer
        self.pending = answer
        return self._awaited(answer)

    async def _awaited(self, answer: Awaitable[bool | None]) -> bool | None:
        try:
            return await answer
        except Exception as error:
            return self._failed(error)

    def _failed(self, error: Exception) -> bool:
        text = f"a sink failed: {type(error).__name__}: {error}; the event is delivered to it again"
        self._notices.seldom(f"sink {id(self._sink)}", text, logging.ERROR)
        return False


class Sinks:
    """Delivers each event to one sink after another. If a sink fails, the sinks before it do not receive the event
    again while this watch runs, but they may receive it again after a restart. Each event is therefore delivered at
    least once; device and sequence identify duplicates.

    Args:
        sinks: The sinks; each is called with the event.
    """

    def __init__(self, sinks: Iterable[Sink]) -> None:
        self._sinks = list(sinks)
        self._done = 0
        self._key: tuple[Any, ...] | None = None

    def add(self, sink: Sink) -> None:
        """Adds a sink; it receives all further events."""
        self._sinks.append(sink)

    def __len__(self) -> int:
        return len(self._sinks)

    def __call__(self, event: HandedEvent) -> bool:
        """Delivers an event; returns True when all sinks have accepted it.

        Raises:
            TypeError: A sink is asynchronous.
        """
        self._begin(event)
        while self._done < len(self._sinks):
            answer = self._sinks[self._done](event)
            if isawaitable(answer):
                for each in (answer, getattr(self._sinks[self._done], "pending", None)):
                    getattr(each, "close", lambda: None)()  # closes a coroutine that nothing will await
                raise TypeError(f"{self._sinks[self._done]!r} is asynchronous: use Follower.serve, not run")
            if answer is False:
                return False
            self._done += 1
        return True

    async def deliver(self, event: HandedEvent) -> bool:
        """Delivers an event and awaits asynchronous sinks; returns True when all sinks have accepted it."""
        self._begin(event)
        while self._done < len(self._sinks):
            answer = self._sinks[self._done](event)
            if (await answer if isawaitable(answer) else answer) is False:
                return False
            self._done += 1
        return True

    def _begin(self, event: HandedEvent) -> None:
        """Prepares the delivery of an event. A redelivered event continues at the sink that has not accepted it; a new
        event begins at the first sink."""
        key = key_of(event)
        if key != self._key:
            self._key, self._done = key, 0


class AppendedFile:
    """Appends each event as a line to a file, and fsyncs the file before the event counts as handled. Removes an
    incomplete last line that a crash or a full disk has left. Creates the file again if it was deleted.

    Args:
        path: The path of the file, which is created if it does not exist.
        notices: Receives reports that the file cannot be written.

    Raises:
        OSError: The file cannot be opened.
    """

    def __init__(self, path: str, notices: Notices) -> None:
        self._path, self._notices = path, notices
        self._open()

    def _open(self) -> None:
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._is_regular = os.path.isfile(self._path)
        try:
            self._cut()
            if self._is_regular:
                _sync_folder(self._path)
        except BaseException:
            self.close()
            raise

    def reopen(self) -> None:
        """Opens the file again by its name, after log rotation has moved the old file away."""
        try:
            self._open_again()
        except OSError as error:
            self._notices.say(f"{self._path}: {error.strerror}; writing continues in the file that was open")

    def _open_again(self) -> None:
        old = self._descriptor
        try:
            self._open()
        except OSError:
            self._descriptor = old
            raise
        os.close(old)

    def _cut(self) -> None:
        """Removes everything after the file's last line end."""
        if not self._is_regular:
            return
        size = end = os.fstat(self._descriptor).st_size
        while end > 0:
            start = max(0, end - 65_536)
            at = os.pread(self._descriptor, end - start, start).rfind(b"\n")
            if at >= 0:
                end = start + at + 1
                break
            end = start
        if end < size:
            self._notices.say(f"{self._path}: ended with an incomplete line, which was removed")
            os.ftruncate(self._descriptor, end)

    def __call__(self, event: HandedEvent) -> bool:
        """Appends an event; returns True when the line is on the disk."""
        data = event.to_json().encode() + b"\n"
        try:
            if self._is_regular and not os.fstat(self._descriptor).st_nlink:
                self._open_again()
                self._notices.say(f"{self._path}: was deleted; it was created again")
            if (written := os.write(self._descriptor, data)) != len(data):
                raise OSError(0, f"only {written} of {len(data)} bytes were written")
            if self._is_regular:
                os.fsync(self._descriptor)
        except OSError as error:
            self._notices.seldom("append", f"{self._path}: {error.strerror}; writing the event again")
            try:
                self._cut()
            except OSError:
                pass  # ignored, because the next attempt reports the error
            return False
        return True

    def close(self) -> None:
        """Closes the file."""
        os.close(self._descriptor)


def _sync_folder(path: str) -> None:
    """Fsyncs the directory of a file, so that its directory entry is durable."""
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
