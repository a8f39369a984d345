"""The command ``fencepost watch``. Running for good: fixes as they come, a command for each event."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack

from .._errors import InputError
from .._files.condition_files import ConditionRow, read_conditions
from .._fleet.conditions import Conditions
from .._fleet.fleet import Fleet
from .._live.device_lines import DeviceLines
from .._live.event_handlers import EventCommand, print_event
from .._live.formats import FORMATS
from .._live.gpsd import Gpsd
from .._live.handling import Handle
from .._live.loop import Watcher, watch
from .._live.messages import NameRefused, device_name
from .._live.notices import JsonNotices, Notices
from .._live.signals import Signals
from .._live.sinks import AppendedFile, Sinks
from .._live.sources import Source, open_file
from .._live.watched_fleet import MAX_DEVICES, FleetWatch
from .._live.watched_monitor import Watch
from .._live.waypoints import OwnersCircles
from .._monitor.monitor import Monitor
from .._native import FencepostError
from .._replay.filling import sync_conditions
from .._values.enums import DevicePath, State
from .._values.policy import TransitionPolicy
from .._values.results import SyncResult
from .options import add_defaults, add_path, path_options, to_count, to_days, to_policy, to_seconds
from .outcomes import DONE, UsageError

DESCRIPTION = (
    "Feeds fixes as they come, lets time pass between them, and runs a command once for each event, "
    "with the event as JSON on its standard input; again, in order, until it exits with 0. Ends with the source, "
    "or on SIGTERM or SIGINT; SIGHUP has the conditions read again. With --store it goes on where it was, also "
    "after being killed: what was not handled is handled then, and a source that starts over is passed over up to "
    "where it was."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What ``fencepost watch`` takes."""
    add = parser.add_argument
    add("--source", metavar="FILE|-|gpsd://HOST:PORT", required=True, help="fixes of a file or pipe, or a gpsd")
    add("--format", choices=FORMATS, default="auto", help="of a file or pipe; GPX is read to its end first")
    add("--by", metavar="KEY", help="follow many devices: the member of a JSON object that names its device")
    add("--as", dest="named", metavar="NAME", help="follow one device as one of many: events say its name")
    add(
        "--max-devices",
        type=to_count,
        default=MAX_DEVICES,
        metavar="N",
        help="refuse fixes of more devices (default: %(default)s)",
    )
    add("--expire", type=to_days, metavar="DAYS", help="forget devices that were silent for so long")
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
    add("--append", metavar="FILE", help="append events to a file, a line each, on the disk before they are handled")
    add("--store", metavar="DIR", help="keep what is followed in that directory, which must exist")
    add("--name", help="its name in the store (default: watch; of many devices: fleet)")
    add("--policy", type=to_policy, default=TransitionPolicy.standard(), metavar="NAME", help="as for replay")
    add_defaults(parser)
    parser.set_defaults(assuming=None)
    add_path(parser)
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
    add("--log-format", choices=("text", "json"), default="text", help="of what is said on standard error")


def _conditions(options: argparse.Namespace, assuming: State) -> list[ConditionRow]:
    assuming = assuming if options.assuming is None else options.assuming
    return read_conditions(options.conditions, options.policy, radius=options.radius, assuming=assuming)


def run(options: argparse.Namespace) -> int:
    """Watches as the command line says; returns the exit code."""
    if options.device is not None and not options.source.startswith("gpsd://"):
        raise UsageError("argument --device: is for a gpsd")
    if options.by is not None and options.source.startswith("gpsd://"):
        raise UsageError("argument --by: is for messages that name their device; --as names that of a gpsd")
    if options.by is not None and options.named is not None:
        raise UsageError("argument --as: not allowed with argument --by")
    if path_options(options)["path"] != DevicePath.FIXES and (options.by, options.named) != (None, None):
        raise UsageError("argument --path: is for one device, not for --by or --as")
    notices = JsonNotices() if options.log_format == "json" else Notices()
    with ExitStack() as stack:
        if options.by is None and options.named is None:
            return _watch_one(options, notices, stack)
        return _watch_many(options, notices, stack)


def _watch_one(options: argparse.Namespace, notices: Notices, stack: ExitStack) -> int:
    """Follows one device with a monitor."""
    conditions = _conditions(options, State.UNKNOWN)
    source = _open(options, notices, stack)
    name = options.name or "watch"
    monitor = Monitor(None if options.store is None else name, store=options.store, **path_options(options))
    stack.enter_context(monitor)
    sync_conditions(monitor, conditions, options.conditions)
    signals = stack.enter_context(Signals())
    ahead = None if options.any_time else options.ahead
    sinks = _Sinks(options, signals, notices, stack)
    watcher = Watch(monitor, sinks.handle, notices, lag=options.lag, ahead=ahead, max_gap=options.max_gap)

    def read_again() -> None:
        sinks.reopen()
        _read_again(
            options,
            notices,
            watcher,
            lambda: sync_conditions(monitor, _conditions(options, State.UNKNOWN), options.conditions),
        )

    return _run(source, watcher, signals, notices, read_again)


def _watch_many(options: argparse.Namespace, notices: Notices, stack: ExitStack) -> int:
    """Follows many devices with a fleet."""
    if options.named is not None:
        try:
            device_name(options.named)
        except NameRefused as error:
            raise UsageError(f"argument --as: {error}") from None
    conditions = _conditions(options, State.UNSATISFIED)
    table = Conditions()
    source = _open(options, notices, stack)
    name = None if options.store is None else options.name or "fleet"
    fleet = stack.enter_context(Fleet(table, store=options.store, name=name))
    circles = OwnersCircles(table, options.policy, options.max_devices)
    sync_conditions(table, conditions, options.conditions, circles.definitions())
    signals = stack.enter_context(Signals())
    sinks = _Sinks(options, signals, notices, stack)
    watcher = FleetWatch(
        fleet,
        sinks.handle,
        notices,
        circles,
        by=options.by or "device",
        named=options.named or "",
        lag=options.lag,
        ahead=None if options.any_time else options.ahead,
        max_devices=options.max_devices,
        expire=None if options.expire is None else options.expire * 86_400,
    )

    def read_again() -> None:
        sinks.reopen()
        _read_again(
            options,
            notices,
            watcher,
            lambda: sync_conditions(
                table, _conditions(options, State.UNSATISFIED), options.conditions, circles.definitions()
            ),
        )

    return _run(source, watcher, signals, notices, read_again)


class _Sinks:
    """Who gets the events, as the command line says."""

    def __init__(self, options: argparse.Namespace, signals: Signals, notices: Notices, stack: ExitStack) -> None:
        self._file: AppendedFile | None = None
        sinks: list[Handle] = []
        if options.append is not None:
            self._file = AppendedFile(options.append, notices)
            stack.callback(self._file.close)
            sinks.append(self._file)
        if options.exec is not None:
            sinks.append(EventCommand(options.exec, signals, notices, options.exec_timeout or None))
        self.handle = Sinks(sinks) if sinks else print_event(signals)

    def reopen(self) -> None:
        """After SIGHUP."""
        if self._file is not None:
            self._file.reopen()


def _run(source: Source, watcher: Watcher, signals: Signals, notices: Notices, on_hang_up: Callable[[], None]) -> int:
    try:
        watch(source, watcher, signals, notices, on_hang_up)
    finally:
        notices.close()
        watcher.report(source.name)
    return DONE


def _open(options: argparse.Namespace, notices: Notices, stack: ExitStack) -> Source:
    source: Source
    if options.source.startswith("gpsd://"):
        source = Gpsd(options.source, options.reconnect, notices, options.device)
    elif options.by is not None:
        if options.format not in ("auto", "jsonl"):
            raise UsageError(f"argument --by: is for JSON Lines, not {options.format}")
        source = open_file(options.source, decoder=DeviceLines(options.by))
    else:
        source = open_file(options.source, options.format)
    stack.callback(source.close)
    return source


def _read_again(
    options: argparse.Namespace, notices: Notices, watcher: Watcher, sync: Callable[[], SyncResult]
) -> None:
    """Makes the conditions of the file those that are watched; a file that cannot be used changes nothing."""
    try:
        result = sync()
    except (InputError, FencepostError, OSError) as error:
        notices.say(f"{error}; the conditions stay as they were")
    else:
        watcher.look_again()
        counts = f"{result.added} added, {result.replaced} replaced, {result.removed} removed, {result.kept} as before"
        notices.say(f"{options.conditions}: read again: {counts}")
