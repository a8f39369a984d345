"""The command ``fencepost watch``. Running for good: fixes as they come, a command for each event."""

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

from .._files.condition_files import read_conditions
from .._files.tracks import FixRow
from .._monitor.monitor import Monitor
from .._native import InvalidArgumentError, LateInputError, QueueFullError
from .._replay.filling import ensure_conditions
from .._values.events import Event
from .._values.policy import TransitionPolicy
from .live_formats import FORMATS, Found
from .live_lines import LineError
from .live_sources import Source, open_source
from .options import DONE, to_policy, to_seconds

DESCRIPTION = (
    "Feeds fixes as they come, lets time pass between them, and runs a command once for each event, "
    "with the event as JSON on its standard input; again, in order, until it exits with 0. Ends with the source, "
    "or on SIGTERM. With --store it goes on where it was, also after being killed: what was not handled is handled "
    "then, and a source that starts over is passed over up to where it was."
)
HOUR = 3_600_000_000
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
MANY_EVENTS = 100_000
"""While that many events wait for the command, nothing is read."""
FIXES_A_TURN = 1_000


class Watch:
    """A monitor that is fed as fixes come, and lets time pass between them.

    Between fixes the monitor's clock is the last fix's time plus the time since it came, less `lag`: a live fix that
    comes a little later than its time is then not late.

    A fix counts only when it is later than the monitor's clock. So a source may be given again from its beginning to a
    monitor that was stored: what it has seen is passed over, fix by fix, and nothing is taken twice. Of several fixes
    of one time the first counts.

    Args:
        monitor: With its conditions.
        handle: Called with one event after the other, in order; True when it is handled. Else it is called again with
            the same event, after pauses that grow from 1 s to 60 s.
        lag: Seconds.
        any_time: Whether a fix more than an hour ahead of the wall clock is taken.
        monotonic: Seconds of a clock that never goes back.
        wall: Seconds since 1970.

    Attributes:
        counts: How many ``fixes``, ``late_fixes``, ``double_fixes`` (of a time that was there already),
            ``invalid_fixes`` and ``future_fixes`` there were.
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

    def feed(self, row: FixRow) -> bool:
        """Takes a fix; False: events must be handled before."""
        if not self._any_time and row[3] > self._wall() * 1e6 + HOUR:
            self.counts.update(("fixes", "future_fixes"))
            return True
        clock = self.monitor.clock_us
        if clock is not None and row[3] <= clock:
            self.counts.update(("fixes", "late_fixes" if row[3] < clock else "double_fixes"))
            return True
        try:
            self.monitor._handle.feed_fix(*row)
        except QueueFullError:
            return False
        except LateInputError:
            self.counts["late_fixes"] += 1
        except InvalidArgumentError:
            self.counts["invalid_fixes"] += 1
        else:
            if row[2] >= 0:
                self._last = (row[3], self._monotonic())
            else:
                self.counts["invalid_fixes"] += 1
        self.counts["fixes"] += 1
        return True

    def pass_time(self) -> None:
        """Lets the time pass that has passed since the last fix."""
        now = self._now_us()
        if now is not None and now > (self.monitor.clock_us or 0):
            try:
                self.monitor.advance(now)
            except QueueFullError:
                pass  # once events have been handled

    def _now_us(self) -> int | None:
        if self._last is None:
            return None
        then, at = self._last
        return then + int((self._monotonic() - at) * 1e6) - self._lag_us

    def handle_events(self, is_stopped: Callable[[], bool] = lambda: False) -> None:
        """Has the events handled that wait, until one is not, or nothing more is to be done."""
        while self._waiting is not None or self._take():
            assert self._waiting is not None
            if is_stopped() or self._monotonic() < self._retry_at:
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
        ended = subprocess.run(command, shell=True, input=event.to_json() + "\n", text=True, check=False)
        if ended.returncode != 0:
            print(
                f"fencepost: the command ended with {ended.returncode} for event {event.sequence}; it is run again",
                file=sys.stderr,
            )
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


def watch(source: Source, watcher: Watch) -> None:
    """Feeds what comes, lets time pass, and has events handled, until the source ends and all is handled, or a signal
    asks to stop.

    Raises:
        OSError: A gpsd was lost and did not come back.
        InputError: A GPX document cannot be used.
    """
    # epoll refuses regular files; select does not.
    with stop_signals() as stop, selectors.SelectSelector() as selector:
        selector.register(stop, selectors.EVENT_READ)

        def is_stopped() -> bool:
            return any(key.fileobj is stop for key, _ in selector.select(0))

        # Fixes that were read and not fed.
        found: list[Found] = []
        registered: int | None = None
        at_end = False
        watcher.handle_events(is_stopped)  # what an earlier life has left
        while not at_end or found or not watcher.is_done:
            wanted = None if at_end or found or watcher.is_behind else source.descriptor
            if wanted != registered:
                if registered is not None:
                    selector.unregister(registered)
                if wanted is not None:
                    selector.register(wanted, selectors.EVENT_READ)
                registered = wanted
            ready = {key.fileobj for key, _ in selector.select(_pause(source, watcher, found))}
            if stop in ready:
                return
            has_more = False
            if registered is not None and registered in ready:
                pieces = source.read()
                at_end, has_more = pieces is None, source.has_more
                found = list(source.rest() if pieces is None else pieces)[::-1]
                if source.descriptor is None:
                    selector.unregister(registered)
                    registered = None
            elif source.retry_at is not None and time.monotonic() >= source.retry_at:
                source.reconnect()
            _feed(watcher, source.name, found)
            # While fixes wait that were there before, the time since the last one is not that of the next.
            if not found and not has_more and not watcher.is_behind:
                watcher.pass_time()
            watcher.handle_events(is_stopped)


def _pause(source: Source, watcher: Watch, found: list[Found]) -> float | None:
    pause = watcher.pause()
    if found and not watcher.is_behind:
        return 0.0
    if source.retry_at is not None:
        retry = max(0.0, source.retry_at - time.monotonic())
        pause = retry if pause is None else min(pause, retry)
    return pause


def _feed(watcher: Watch, name: str, found: list[Found]) -> None:
    """Feeds some of the fixes, the last of the list first, and takes them from it."""
    for _ in range(min(len(found), FIXES_A_TURN)):
        place, row = found[-1]
        if isinstance(row, LineError):
            print(f"fencepost: {name}: {place}: {row}", file=sys.stderr)
        else:
            future = watcher.counts["future_fixes"]
            if watcher.is_behind or not watcher.feed(row):
                return
            if watcher.counts["future_fixes"] > future == 0:
                print(
                    f"fencepost: {name}: {place}: more than an hour ahead of the clock; such fixes are refused "
                    "without --any-time",
                    file=sys.stderr,
                )
        found.pop()


def report(watcher: Watch, name: str) -> None:
    """Says what was refused."""
    counts = watcher.counts
    for key, what in (
        ("late_fixes", "came late"),
        ("double_fixes", "had the time of one before"),
        ("invalid_fixes", "had no usable position or time"),
        ("future_fixes", "were more than an hour ahead of the clock"),
    ):
        if counts[key]:
            print(
                f"fencepost: {name}: {counts[key]} of {counts['fixes']} fixes {what} and were skipped", file=sys.stderr
            )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``fencepost watch`` takes."""
    add = parser.add_argument
    add("--source", metavar="FILE|-|gpsd://HOST:PORT", required=True, help="fixes of a file or pipe, or a gpsd")
    add("--format", choices=FORMATS, default="auto", help="of a file or pipe; GPX is read to its end first")
    add("--conditions", metavar="FILE", required=True, help="as for replay")
    add("--exec", metavar="CMD", help="a shell command; without it events are printed")
    add("--store", metavar="DIR", help="keep the monitor in that directory, which must exist")
    add("--name", default="watch", help="the monitor's name in the store (default: %(default)s)")
    add("--policy", type=to_policy, default=TransitionPolicy.standard(), metavar="NAME", help="as for replay")
    add("--lag", type=to_seconds, default=5.0, metavar="S", help="how late a live fix may come (default: %(default)s)")
    add("--any-time", action="store_true", help="take fixes more than an hour ahead of the clock")
    add(
        "--reconnect",
        type=to_seconds,
        default=300.0,
        metavar="S",
        help="how long a gpsd that was lost is tried again; 0: end with it (default: %(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Watches as the command line says; returns the exit code."""
    conditions = read_conditions(options.conditions, options.policy)
    source = open_source(options.source, options.format, options.reconnect)
    try:
        with Monitor(None if options.store is None else options.name, store=options.store) as monitor:
            ensure_conditions(monitor, conditions, options.conditions)
            handle = print_event if options.exec is None else run_command(options.exec)
            watcher = Watch(monitor, handle, lag=options.lag, any_time=options.any_time)
            try:
                watch(source, watcher)
            finally:
                report(watcher, source.name)
    finally:
        source.close()
    return DONE
