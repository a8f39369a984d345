"""Handlers for the events of a watch: run a command for each event, or write to standard output."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack

from .._system import open_process
from .handling import HandedEvent, name_of
from .notices import MINUTE, Notices
from .waker import Stop

GRACE = 5.0
"""When the watch must stop, it gives a running command this many seconds to exit before it sends SIGTERM, and as many
again before it sends SIGKILL."""
BETWEEN_LOOKS = 0.05
"""The interval, in seconds, between two checks whether a command has ended; used on systems without process
descriptors."""


class EventCommand:
    """Runs a shell command with the event as one line of JSON on its standard input.

    The command runs in its own session, so Ctrl-C reaches only the watch, and the watch ends the command together with
    its child processes. The watch still handles signals while the command runs. When the watch must stop, it waits for
    the command for 5 s or until the next signal, then sends SIGTERM, and 5 s later SIGKILL.

    Args:
        command: The shell command.
        signals: The object that requests a stop; None means that the watch never stops early.
        notices: Receives reports of failures.
        timeout: Seconds after which the command is ended. If `timeout` is None, there is no limit, and a notice is
            logged every minute.
        beat: A function that is called while the command runs; it returns the number of seconds until its next call, or
            None.
    """

    def __init__(
        self,
        command: str,
        signals: Stop | None,
        notices: Notices,
        timeout: float | None = None,
        beat: Callable[[], float | None] = lambda: None,
    ) -> None:
        self._command, self._signals, self._notices, self._timeout = command, signals, notices, timeout
        self._beat = beat

    def __call__(self, event: HandedEvent) -> bool:
        """Runs the command; returns True if it exits with 0."""
        try:
            process = subprocess.Popen(
                self._command, shell=True, stdin=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError as error:
            reason = error.strerror or str(error)
            self._notices.say(f"the command for {name_of(event)} does not start ({reason}); trying again")
            return False
        assert process.stdin is not None
        with process.stdin as pipe:
            try:
                # An event is shorter than a pipe's buffer, so this write does not block, even if the command does not
                # read.
                pipe.write(event.to_json().encode() + b"\n")
            except BrokenPipeError:
                pass  # the command does not read its standard input
        refusal = self._wait(process, name_of(event))
        if refusal is not None:
            _end(process)
            self._notices.say(refusal)
            return False
        if process.returncode != 0:
            self._notices.say(f"the command ended with {process.returncode} for {name_of(event)}; running it again")
        return process.returncode == 0

    def close(self) -> None:
        """Does nothing, because the handler keeps nothing open between two events."""

    def _wait(self, process: subprocess.Popen[bytes], name: str) -> str | None:
        """Waits until the command ends. Returns None if the command has ended, or the reason why it must be killed."""
        started = time.monotonic()
        end = None if self._timeout is None else started + self._timeout
        signals, said, stop_at = self._signals, started, None
        stops = 0 if signals is None else signals.stops
        with ExitStack() as stack:
            selector = stack.enter_context(selectors.SelectSelector())
            if signals is not None:
                selector.register(signals, selectors.EVENT_READ)
            look = _register(process.pid, selector, stack)
            while process.poll() is None:
                now = time.monotonic()
                if signals is not None and signals.is_stopped():
                    if stop_at is None:
                        stop_at, stops = now + GRACE, signals.stops
                    if now >= stop_at or signals.stops > stops:
                        return (
                            f"the command for {name} was ended because the watch stops; the watch runs it again when "
                            "it continues from its store"
                        )
                if end is not None and now >= end:
                    return (
                        f"the command for {name} took longer than {self._timeout:g} s and was ended; running it again"
                    )
                if now >= said + MINUTE:
                    said = now
                    self._notices.say(f"the command for {name} has been running for {now - started:.0f} s")
                left = self._beat()
                longest = look if left is None else min(look, left)
                times = [said + MINUTE, *(limit for limit in (end, stop_at) if limit is not None)]
                selector.select(max(0.0, min(min(times) - now, longest)))
                if signals is not None:
                    signals.clear()
        return None


def _register(pid: int, selector: selectors.BaseSelector, stack: ExitStack) -> float:
    """Makes the selector wake up when a process ends; returns the maximum time that the selector may sleep."""
    descriptor = open_process(pid)
    if descriptor is None:
        return BETWEEN_LOOKS
    stack.callback(os.close, descriptor)
    selector.register(descriptor, selectors.EVENT_READ)
    return MINUTE


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a command and its child processes."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except OSError:
            pass
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            continue
        if number == signal.SIGTERM:
            # The command's children may have ignored SIGTERM.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:
                pass
        return


def print_event(signals: Stop) -> Callable[[HandedEvent], bool]:
    """Returns a handler that writes events as JSON lines to standard output. If nobody reads the output, the handler
    waits until somebody reads it or until the watch must stop."""

    def write(event: HandedEvent) -> bool:
        sys.stdout.flush()
        while not _is_writable(signals):
            if signals.is_stopped():
                return False
        print(event.to_json(), flush=True)
        return True

    # A closed pipe cannot be reopened, so the watch ends when nobody reads the pipe any more.
    write.is_last = True  # type: ignore[attr-defined]
    return write


def _is_writable(signals: Stop) -> bool:
    """Waits until standard output is writable or a signal arrives; returns whether it is writable."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return True  # the stream is not a file but, for example, a StringIO
    with selectors.SelectSelector() as selector:
        selector.register(signals, selectors.EVENT_READ)
        selector.register(descriptor, selectors.EVENT_WRITE)
        ready = {key.fileobj for key, _ in selector.select()}
    signals.clear()
    return descriptor in ready
