"""Running for good: fixes as they come, a command for each event."""

from __future__ import annotations

import argparse
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ._live import LineError, LineSource, parse_line
from ._monitor import Monitor
from ._native import InvalidArgumentError, LateInputError
from ._outputs import Event
from ._tracks import FixRow

HOUR = 3_600_000_000
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
MANY_EVENTS = 100_000
"""While that many events wait for the command, nothing is read."""


class Watch:
    """A monitor that is fed as fixes come, and lets time pass between them.

    Between fixes the monitor's clock is the last fix's time plus the time since it came, less `lag`: a live fix that comes
    a little later than its time is then not late.

    Args:
        monitor: With its conditions.
        handle: Called with one event after the other, in order; True when it is handled. Else it is called again with
            the same event, after pauses that grow from 1 s to 60 s.
        lag: Seconds.
        any_time: Whether a fix more than an hour ahead of the wall clock is taken.
        monotonic: Seconds of a clock that never goes back.
        wall: Seconds since 1970.

    Attributes:
        counts: How many ``fixes``, ``late_fixes``, ``invalid_fixes`` and ``future_fixes`` there were.
    """

    def __init__(
        self,
        monitor: Monitor,
        handle: Callable[[Event], bool],
        *,
        lag: float = 5.0,
        any_time: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.monitor, self._handle, self._any_time = monitor, handle, any_time
        self._lag_us, self._monotonic, self._wall = round(lag * 1e6), monotonic, wall
        self._last: tuple[int, float] | None = None
        self._waiting: Event | None = None
        self._retry_at, self._pause = 0.0, FIRST_PAUSE
        self.counts: Counter[str] = Counter()

    def feed(self, row: FixRow) -> None:
        """Takes a fix."""
        self.counts["fixes"] += 1
        if not self._any_time and row[3] > self._wall() * 1e6 + HOUR:
            self.counts["future_fixes"] += 1
            return
        try:
            self.monitor._handle.feed_fix(*row)
        except LateInputError:
            self.counts["late_fixes"] += 1
        except InvalidArgumentError:
            self.counts["invalid_fixes"] += 1
        else:
            if row[2] >= 0:
                self._last = (row[3], self._monotonic())
            else:
                self.counts["invalid_fixes"] += 1

    def pass_time(self) -> None:
        """Lets the time pass that has passed since the last fix."""
        now = self._now_us()
        if now is not None and now > (self.monitor.clock_us or 0):
            self.monitor.advance(now)

    def _now_us(self) -> int | None:
        if self._last is None:
            return None
        then, at = self._last
        return then + int((self._monotonic() - at) * 1e6) - self._lag_us

    def handle_events(self) -> None:
        """Has the events handled that wait, until one is not."""
        while self._waiting is not None or self._take():
            assert self._waiting is not None
            if self._monotonic() < self._retry_at:
                return
            if not self._handle(self._waiting):
                self._retry_at = self._monotonic() + self._pause
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
                return
            self._pause = FIRST_PAUSE
            self.monitor.acknowledge()
            self._waiting = None

    def _take(self) -> bool:
        self._waiting = self.monitor.next_event()
        return self._waiting is not None

    @property
    def is_done(self) -> bool:
        """Whether every event was handled."""
        return self._waiting is None

    @property
    def is_behind(self) -> bool:
        """Whether so many events wait that nothing should be read."""
        return self._waiting is not None and self.monitor.statistics().pending_events >= MANY_EVENTS

    def pause(self) -> float | None:
        """Seconds until something is to be done though no fix comes; None: nothing is."""
        pauses = []
        if self._waiting is not None:
            pauses.append(self._retry_at - self._monotonic())
        deadline, now = self.monitor.next_deadline_us, self._now_us()
        if deadline is not None and now is not None:
            pauses.append((deadline - now) / 1e6)
        return max(0.0, min(pauses)) if pauses else None


def run_command(command: str) -> Callable[[Event], bool]:
    """Runs a shell command with the event as one line of JSON on its standard input; True when it exits with 0."""

    def run(event: Event) -> bool:
        ended = subprocess.run(command, shell=True, input=event.to_json() + "\n", text=True, check=False)  # noqa: S602
        if ended.returncode != 0:
            print(f"fencepost: the command ended with {ended.returncode} for event {event.sequence}; it is run again",
                  file=sys.stderr)
        return ended.returncode == 0

    return run


def print_event(event: Event) -> bool:
    """Writes an event as one line of JSON."""
    print(event.to_json(), flush=True)
    return True


@contextmanager
def stop_signals() -> Iterator[socket.socket]:
    """A socket that becomes readable on SIGTERM or SIGINT; the handlers before are put back."""
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)

    def stop(number: int, frame: FrameType | None) -> None:
        try:
            writer.send(b"x")
        except OSError:
            pass

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield reader
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        reader.close()
        writer.close()


def watch(source: LineSource, watcher: Watch) -> None:
    """Feeds what comes, lets time pass, and has events handled, until the source ends and all is handled, or a signal
    asks to stop."""
    # epoll refuses regular files; select does not.
    with stop_signals() as stop, selectors.SelectSelector() as selector:
        selector.register(stop, selectors.EVENT_READ)
        at_end = is_reading = False
        while not at_end or not watcher.is_done:
            wants = not at_end and not watcher.is_behind
            if wants != is_reading:
                if wants:
                    selector.register(source.descriptor, selectors.EVENT_READ)
                else:
                    selector.unregister(source.descriptor)
                is_reading = wants
            ready = {key.fileobj for key, _ in selector.select(watcher.pause())}
            if stop in ready:
                return
            if source.descriptor in ready:
                lines = source.read()
                at_end = lines is None
                for line in lines or ():
                    _feed(watcher, source, line)
            watcher.pass_time()
            watcher.handle_events()


def _feed(watcher: Watch, source: LineSource, line: bytes) -> None:
    source.lines += 1
    try:
        row = parse_line(line)
    except LineError as error:
        print(f"fencepost: {source.name}: line {source.lines}: {error}", file=sys.stderr)
        return
    if row is None:
        return
    future = watcher.counts["future_fixes"]
    watcher.feed(row)
    if watcher.counts["future_fixes"] > future == 0:
        print(f"fencepost: {source.name}: line {source.lines}: more than an hour ahead of the clock; such fixes are "
              "refused without --any-time", file=sys.stderr)


def report(watcher: Watch, name: str) -> None:
    """Says what was refused."""
    counts = watcher.counts
    for key, what in (("late_fixes", "came late"), ("invalid_fixes", "had no usable position or time"),
                      ("future_fixes", "were more than an hour ahead of the clock")):
        if counts[key]:
            print(f"fencepost: {name}: {counts[key]} of {counts['fixes']} fixes {what} and were skipped", file=sys.stderr)


def seconds(text: str) -> float:
    """For argparse: a number of seconds from 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds from 0 to 86400")
    return value
