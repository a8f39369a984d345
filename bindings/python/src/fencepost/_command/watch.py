"""The command ``fencepost watch``. Running for good: fixes as they come, a command for each event."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from .._errors import InputError
from .._files.condition_files import ConditionRow, read_conditions
from .._fleet.conditions import Zones
from .._fleet.fleet import Fleet
from .._live.event_handlers import EventCommand, print_event
from .._live.handling import Handle
from .._live.home_assistant import MOST_PLACES, HomeAssistantEvents
from .._live.loop import Watcher, watch
from .._live.messages import NameRefused, device_name
from .._live.mqtt_sink import PublishedEvents
from .._live.notices import JsonNotices, Notices
from .._live.observers import Observer, Observers
from .._live.service import Service
from .._live.signals import Signals
from .._live.sinks import AppendedFile, Sinks
from .._live.sources import Source
from .._live.watched_fleet import FleetWatch
from .._live.watched_monitor import Watch
from .._live.waypoints import OwnersCircles
from .._monitor.monitor import Monitor
from .._native import FencepostError
from .._replay.filling import sync_conditions
from .._values.enums import DevicePath, State
from .._values.results import SyncResult
from .options import path_options
from .outcomes import DONE, UsageError
from .watch_brokers import check_client_id, open_publisher
from .watch_options import add_arguments
from .watch_page import check_page, open_page
from .watch_sources import check_sources, open_sources

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = (
    "Feeds fixes as they come, lets time pass between them, and runs a command once for each event, "
    "with the event as JSON on its standard input; again, in order, until it exits with 0. Ends with the source, "
    "or on SIGTERM or SIGINT; SIGHUP has the conditions read again. With --store it goes on where it was, also "
    "after being killed: what was not handled is handled then, and a source that starts over is passed over up to "
    "where it was."
)


def _conditions(options: argparse.Namespace, assuming: State) -> list[ConditionRow]:
    assuming = assuming if options.assuming is None else options.assuming
    return read_conditions(options.conditions, options.policy, radius=options.radius, assuming=assuming)


def run(options: argparse.Namespace) -> int:
    """Watches as the command line says; returns the exit code."""
    for name in ("source", "conditions"):
        if getattr(options, name) is None:
            raise UsageError(f"the following arguments are required: --{name}")
    is_one = check_sources(options)
    if options.publish is not None and is_one:
        raise UsageError("argument --publish: needs the name of the device: --as, --by or a source that has names")
    check_page(options, is_one)
    check_client_id(options)
    if options.publish_retain and options.publish is None:
        raise UsageError("argument --publish-retain: needs --publish")
    if options.publish_retain and options.publish_format == "homeassistant":
        raise UsageError(
            "argument --publish-retain: --publish-format homeassistant retains every message; leave it out"
        )
    if path_options(options)["path"] != DevicePath.FIXES and not is_one:
        raise UsageError("argument --path: is for one device, not for --by or --as")
    notices = JsonNotices() if options.log_format == "json" else Notices()
    with ExitStack() as stack:
        if is_one:
            return _watch_one(options, notices, stack)
        return _watch_many(options, notices, stack)


def _watch_one(options: argparse.Namespace, notices: Notices, stack: ExitStack) -> int:
    """Follows one device with a monitor."""
    conditions = _conditions(options, State.UNKNOWN)
    sources = open_sources(options, notices, stack)
    name = options.name or "watch"
    monitor = Monitor(name=None if options.store is None else name, store=options.store, **path_options(options))
    stack.enter_context(monitor)
    sync_conditions(monitor, conditions, options.conditions)
    signals = stack.enter_context(Signals())
    ahead = None if options.any_time else options.ahead
    service = Service()
    sinks = _Sinks(options, signals, notices, stack, service)
    watcher = Watch(
        monitor,
        sinks.handle,
        notices,
        lag=options.lag,
        ahead=ahead,
        max_gap=options.max_gap,
        unknown_accuracy=options.unknown_accuracy,
    )

    def read_again() -> None:
        sinks.reopen()
        _read_again(
            options,
            notices,
            watcher,
            lambda: sync_conditions(monitor, _conditions(options, State.UNKNOWN), options.conditions),
        )

    return _run(sources, watcher, signals, notices, read_again, service)


def _watch_many(options: argparse.Namespace, notices: Notices, stack: ExitStack) -> int:
    """Follows many devices with a fleet."""
    if options.named is not None:
        try:
            device_name(options.named)
        except NameRefused as error:
            raise UsageError(f"argument --as: {error}") from None
    conditions = _conditions(options, State.UNSATISFIED)
    table = Zones()
    name = None if options.store is None else options.name or "fleet"
    # Before the sources: a second watch of one store is refused here, before it takes the session of the first one at a
    # broker.
    fleet = stack.enter_context(Fleet(table, store=options.store, name=name))
    sources = open_sources(options, notices, stack)
    circles = OwnersCircles(table, options.policy, options.max_devices)
    _sync_fleet(table, circles, conditions, options, notices)
    signals = stack.enter_context(Signals())
    service = Service()
    sinks = _Sinks(options, signals, notices, stack, service)
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
        unknown_accuracy=options.unknown_accuracy,
        numbered_by=options.numbered_by,
    )

    def read_again() -> None:
        sinks.reopen()
        _read_again(
            options,
            notices,
            watcher,
            lambda: _sync_fleet(table, circles, _conditions(options, State.UNSATISFIED), options, notices),
        )

    beat: Callable[[], float | None] = service.beat
    observers: list[Observer] = []
    if isinstance(sinks.published, HomeAssistantEvents):
        sinks.published.places_of = lambda device: _places_of(table, circles, device)
        sinks.published.inside = lambda device: [row[0] for row in fleet._handle.inside(device)]
        sinks.published.announce(fleet.devices)
        observers.append(sinks.published)
    if options.page is not None:
        page, view = open_page(
            options, watcher, lambda: sum(each.reconnects for each in sources) + sinks.reconnects, notices
        )
        stack.callback(page.close)
        observers.append(view)

        def both() -> float | None:
            return min((left for left in (service.beat(), view.beat()) if left is not None), default=None)

        beat = both
    if observers:
        watcher.observer = Observers(observers)
    return _run(sources, watcher, signals, notices, read_again, service, beat)


def _places_of(table: Zones, circles: OwnersCircles, device: str) -> list[str]:
    """The identifiers of a device's places; none of a table that is too large to announce each of them."""
    if len(table) > MOST_PLACES:
        return []
    return [identifier for identifier in table if not circles.is_others(identifier, device)]


class _Sinks:
    """Who gets the events, as the command line says."""

    def __init__(
        self, options: argparse.Namespace, signals: Signals, notices: Notices, stack: ExitStack, service: Service
    ) -> None:
        self._file: AppendedFile | None = None
        self.published: PublishedEvents | HomeAssistantEvents | None = None
        sinks: list[Handle] = []
        if options.append is not None:
            self._file = AppendedFile(options.append, notices)
            stack.callback(self._file.close)
            sinks.append(self._file)
        if options.exec is not None:
            sinks.append(EventCommand(options.exec, signals, notices, options.exec_timeout or None, service.beat))
        if options.publish is not None:
            published = open_publisher(options, signals, notices)
            stack.callback(published.close)
            sinks.append(published)
            self.published = published
        self.handle = Sinks(sinks) if sinks else print_event(signals)

    @property
    def reconnects(self) -> int:
        """How often a broker was connected to anew."""
        return 0 if self.published is None else self.published.reconnects

    def reopen(self) -> None:
        """After SIGHUP."""
        if self._file is not None:
            self._file.reopen()


def _run(
    sources: Sequence[Source],
    watcher: Watcher,
    signals: Signals,
    notices: Notices,
    on_hang_up: Callable[[], None],
    service: Service,
    beat: Callable[[], float | None] | None = None,
) -> int:
    def read_again() -> None:
        service.reloading()
        on_hang_up()
        service.say("READY=1")

    service.say("READY=1")
    try:
        watch(sources, watcher, signals, notices, read_again, beat or service.beat)
    finally:
        service.say("STOPPING=1")
        notices.close()
        watcher.report(sources[0].name if len(sources) == 1 else "all sources")
    return DONE


def _sync_fleet(
    table: Zones,
    circles: OwnersCircles,
    rows: Sequence[ConditionRow],
    options: argparse.Namespace,
    notices: Notices,
) -> SyncResult:
    """Makes the conditions of the file those of the table, beside the circles of phones; the file's count where both
    have one."""
    identifiers = {row.identifier for row in rows}
    result = sync_conditions(table, rows, options.conditions, circles.definitions(but=identifiers))
    for identifier in circles.give_way(identifiers):
        notices.say(f"{options.conditions}: {identifier!r} stands for the waypoint of that name from now on")
    return result


def _read_again(
    options: argparse.Namespace, notices: Notices, watcher: Watcher, sync: Callable[[], SyncResult]
) -> None:
    """Makes the conditions of the file those that are watched; a file that cannot be used changes nothing."""
    path = Path(options.conditions)
    if path.exists() and not path.is_file():
        # Nobody may write to a pipe again, and to wait for somebody would keep fixes and signals waiting too.
        notices.say(f"{path}: is no regular file, which alone can be read again; the conditions stay as they were")
        return
    try:
        result = sync()
    except (InputError, FencepostError, OSError) as error:
        notices.say(f"{error}; the conditions stay as they were")
    else:
        watcher.look_again()
        counts = f"{result.added} added, {result.replaced} replaced, {result.removed} removed, {result.kept} as before"
        notices.say(f"{options.conditions}: read again: {counts}")
