"""The command ``fencepost watch``. Running for good: fixes as they come, a command for each event."""

from __future__ import annotations

import argparse
import selectors
import time
from collections.abc import Callable

from .._errors import InputError
from .._files.condition_files import ConditionRow, read_conditions
from .._monitor.monitor import Monitor
from .._native import FencepostError
from .._replay.filling import sync_conditions
from .._values.policy import TransitionPolicy
from .event_handlers import EventCommand, print_event
from .gpsd import Gpsd
from .live_formats import FORMATS, Found
from .live_lines import LineError
from .live_sources import Source, open_file
from .notices import Notices
from .options import add_defaults, to_policy, to_seconds
from .outcomes import DONE, UsageError
from .signals import Signals
from .watched_monitor import Watch

DESCRIPTION = (
    "Feeds fixes as they come, lets time pass between them, and runs a command once for each event, "
    "with the event as JSON on its standard input; again, in order, until it exits with 0. Ends with the source, "
    "or on SIGTERM or SIGINT; SIGHUP has the conditions read again. With --store it goes on where it was, also "
    "after being killed: what was not handled is handled then, and a source that starts over is passed over up to "
    "where it was."
)
FIXES_A_TURN = 1_000


def watch(
    source: Source,
    watcher: Watch,
    signals: Signals,
    notices: Notices,
    on_hang_up: Callable[[], None] = lambda: None,
) -> None:
    """Feeds what comes, lets time pass, and has events handled, until the source ends and all is handled, or a signal
    asks to stop.

    Args:
        source: Of the fixes.
        watcher: With the monitor.
        signals: Entered.
        notices: Where it is said what is wrong with the source.
        on_hang_up: Called after SIGHUP.

    Raises:
        OSError: A gpsd was lost and did not come back, or a file cannot be read on.
        InputError: A GPX document cannot be used.
    """
    # epoll refuses regular files; select does not.
    with selectors.SelectSelector() as selector:
        selector.register(signals, selectors.EVENT_READ)
        # Fixes that were read and not fed.
        found: list[Found] = []
        registered: int | None = None
        at_end = False
        watcher.handle_events(signals.is_stopped)  # what an earlier life has left
        while not at_end or found or not watcher.is_done:
            wanted = None if at_end or found or watcher.is_behind else source.descriptor
            if wanted != registered:
                if registered is not None:
                    selector.unregister(registered)
                if wanted is not None:
                    selector.register(wanted, selectors.EVENT_READ)
                registered = wanted
            pause = 0.0 if signals.hang_ups or signals.stops else _pause(source, watcher, notices, found)
            ready = {key.fileobj for key, _ in selector.select(pause)}
            signals.clear()
            if signals.is_stopped():
                return
            if signals.hang_ups:
                signals.hang_ups = 0
                on_hang_up()
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
            _feed(watcher, source.name, notices, found)
            # While fixes wait that were there before, the time since the last one is not that of the next.
            if not found and not has_more and not watcher.is_behind:
                watcher.pass_time()
            watcher.handle_events(signals.is_stopped)
            notices.pass_time()


def _pause(source: Source, watcher: Watch, notices: Notices, found: list[Found]) -> float | None:
    """Seconds until something is to be done though nothing comes; None: nothing is."""
    if found and not watcher.is_behind:
        return 0.0
    retry = None if source.retry_at is None else max(0.0, source.retry_at - time.monotonic())
    return min((pause for pause in (watcher.pause(), notices.pause(), retry) if pause is not None), default=None)


def _feed(watcher: Watch, name: str, notices: Notices, found: list[Found]) -> None:
    """Feeds some of the fixes, the last of the list first, and takes them from it."""
    for _ in range(min(len(found), FIXES_A_TURN)):
        place, row = found[-1]
        if isinstance(row, LineError):
            watcher.counts["bad_lines"] += 1
            notices.seldom("line", f"{name}: {place}: {row}")
        elif watcher.is_behind or not watcher.feed(row, f"{name}: {place}"):
            return
        found.pop()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``fencepost watch`` takes."""
    add = parser.add_argument
    add("--source", metavar="FILE|-|gpsd://HOST:PORT", required=True, help="fixes of a file or pipe, or a gpsd")
    add("--format", choices=FORMATS, default="auto", help="of a file or pipe; GPX is read to its end first")
    add("--device", metavar="PATH", help="of a gpsd with several; without it the first that has a fix is followed")
    add("--conditions", metavar="FILE", required=True, help="as for replay; read again on SIGHUP")
    add("--exec", metavar="CMD", help="a shell command; without it events are printed")
    add(
        "--exec-timeout",
        type=to_seconds,
        default=0.0,
        metavar="S",
        help="end a command that takes longer, and run it again; 0: it may take any time (default: %(default)s)",
    )
    add("--store", metavar="DIR", help="keep the monitor in that directory, which must exist")
    add("--name", default="watch", help="the monitor's name in the store (default: %(default)s)")
    add("--policy", type=to_policy, default=TransitionPolicy.standard(), metavar="NAME", help="as for replay")
    add_defaults(parser)
    add("--lag", type=to_seconds, default=5.0, metavar="S", help="how late a live fix may come (default: %(default)s)")
    add(
        "--ahead",
        type=to_seconds,
        default=60.0,
        metavar="S",
        help="refuse fixes that are more ahead of this computer's clock (default: %(default)s)",
    )
    add("--any-time", action="store_true", help="take fixes of any time; nothing is compared with the clock")
    add(
        "--reconnect",
        type=to_seconds,
        default=300.0,
        metavar="S",
        help="how long a gpsd that was lost is tried again; 0: end with it (default: %(default)s)",
    )


def _conditions(options: argparse.Namespace) -> list[ConditionRow]:
    return read_conditions(options.conditions, options.policy, radius=options.radius, assuming=options.assuming)


def run(options: argparse.Namespace) -> int:
    """Watches as the command line says; returns the exit code."""
    if options.device is not None and not options.source.startswith("gpsd://"):
        raise UsageError("argument --device: is for a gpsd")
    conditions = _conditions(options)
    notices = Notices()
    source = _open(options, notices)
    try:
        with Monitor(None if options.store is None else options.name, store=options.store) as monitor:
            sync_conditions(monitor, conditions, options.conditions)
            with Signals() as signals:
                handle = print_event(signals)
                if options.exec is not None:
                    handle = EventCommand(options.exec, signals, notices, options.exec_timeout or None)
                ahead = None if options.any_time else options.ahead
                watcher = Watch(monitor, handle, notices, lag=options.lag, ahead=ahead)
                try:
                    watch(source, watcher, signals, notices, lambda: _read_again(options, watcher, notices))
                finally:
                    notices.close()
                    watcher.report(source.name)
    finally:
        source.close()
    return DONE


def _open(options: argparse.Namespace, notices: Notices) -> Source:
    if options.source.startswith("gpsd://"):
        return Gpsd(options.source, options.reconnect, notices, options.device)
    return open_file(options.source, options.format)


def _read_again(options: argparse.Namespace, watcher: Watch, notices: Notices) -> None:
    """Makes the conditions of the file those of the monitor; a file that cannot be used changes nothing."""
    try:
        result = sync_conditions(watcher.monitor, _conditions(options), options.conditions)
    except (InputError, FencepostError, OSError) as error:
        notices.say(f"{error}; the conditions stay as they were")
    else:
        watcher.look_again()
        counts = f"{result.added} added, {result.replaced} replaced, {result.removed} removed, {result.kept} as before"
        notices.say(f"{options.conditions}: read again: {counts}")
