"""The command ``fencepost watch``: follows live fixes and runs a command for each event."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .._errors import InputError
from .._files.condition_files import read_conditions
from .._files.vector import Reading
from .._live.event_handlers import EventCommand, print_event
from .._live.follower import Follower
from .._live.home_assistant import HomeAssistantEvents
from .._live.messages import NameRefused, device_name
from .._live.mqtt_sink import PublishedEvents
from .._live.notices import Notices, notices_on_stderr
from .._live.service import Service
from .._live.signals import Signals
from .._live.sinks import AppendedFile, Sink
from .._monitor.monitor import Monitor
from .._native import FencepostError
from .._values.enums import State
from .options import path_options, same_file
from .outcomes import DONE, UsageError
from .watch_brokers import check_client_id, open_publisher
from .watch_options import add_arguments
from .watch_page import check_page, open_page
from .watch_sources import check_sources, open_sources

__all__ = ["DESCRIPTION", "add_arguments", "run"]

DESCRIPTION = (
    "Feeds live fixes, advances the clock between them, and runs a command for each event, with the event as JSON on "
    "standard input. A command that does not exit with 0 is run again, before later events. The watch ends with the "
    "source, or on SIGTERM or SIGINT; SIGHUP reads the conditions again. With --store a restarted watch "
    "continues where "
    "it stopped, even after a kill: it handles the remaining events, and skips the fixes that "
    "it was fed "
    "before."
)


def run(options: argparse.Namespace) -> int:
    """Runs the watch; returns the exit code."""
    for name in ("source", "conditions"):
        if getattr(options, name) is None:
            raise UsageError(f"the following arguments are required: --{name}")
    is_one = check_sources(options)
    if options.publish is not None and is_one:
        raise UsageError(
            "argument --publish: needs the name of the device; add --as or --by, or use a source that names its devices"
        )
    check_page(options)
    check_client_id(options)
    for source, what in [(options.conditions, "the conditions"), *((each, "the source") for each in options.source)]:
        if same_file(options.append, source):
            raise UsageError(f"argument --append: would write events into {what} {source}: choose another file")
    if options.publish_retain and options.publish is None:
        raise UsageError("argument --publish-retain: needs --publish")
    if options.publish_retain and options.publish_format == "homeassistant":
        raise UsageError("argument --publish-retain: remove it; --publish-format homeassistant retains each message")
    path_options(options)  # refuses options that do not fit together, before anything is opened
    with ExitStack() as stack:
        notices = stack.enter_context(notices_on_stderr(options.log_format == "json"))
        return _watch(options, is_one, notices, stack)


def _watch(options: argparse.Namespace, is_one: bool, notices: Notices, stack: ExitStack) -> int:
    """Sets up the follower, sources, sinks and page, and runs until the end."""
    if options.named is not None:
        try:
            device_name(options.named)
        except NameRefused as error:
            raise UsageError(f"argument --as: {error}") from None
    shared: dict[str, Any] = {
        "lag": options.lag,
        "reorder": options.reorder,
        "ahead": None if options.any_time else options.ahead,
        "unknown_accuracy": options.unknown_accuracy,
        "policy": options.policy,
        "radius": options.radius,
        "max_vertices": options.max_vertices,
        "assuming": options.assuming,
        "notices": notices,
    }
    if is_one:
        rows = read_conditions(
            options.conditions,
            options.policy,
            how=Reading(max_vertices=options.max_vertices),
            radius=options.radius,
            assuming=options.assuming or State.UNKNOWN,
        )
        sources = open_sources(options, notices, stack)
        name = None if options.store is None else options.name or "watch"
        monitor = stack.enter_context(Monitor(name=name, store=options.store, **path_options(options)))
        follower = stack.enter_context(Follower(monitor, **shared))
        follower.sync_rows(options.conditions, rows)
    else:
        # Open the store before the sources: a second watch of the same store is refused here, before it could take over
        # the first one's session at a broker.
        follower = Follower(
            options.conditions,
            store=options.store,
            name=options.name or "fleet",
            device=options.by or "device",
            named=options.named or "",
            max_devices=options.max_devices,
            numbered_by=options.numbered_by,
            expire=None if options.expire is None else options.expire * 86_400,
            **path_options(options),
            **shared,
        )
        stack.enter_context(follower)
        sources = open_sources(options, notices, stack)
    signals = stack.enter_context(Signals())
    service = Service()
    sinks = _Sinks(options, follower, signals, notices, stack, service)
    beat: Callable[[], float | None] = service.beat
    if options.page is not None:
        page, view = open_page(
            options, follower, lambda: sum(each.reconnects for each in sources) + sinks.reconnects, notices
        )
        stack.callback(page.close)
        follower.observe(view)

        def both() -> float | None:
            return min((left for left in (service.beat(), view.beat()) if left is not None), default=None)

        beat = both

    def read_again() -> None:
        service.reloading()
        sinks.reopen()
        _read_again(options, notices, follower)
        service.say("READY=1")

    signals.on_hang_up = read_again
    service.say("READY=1")
    try:
        follower.run(*sources, stop=signals, each_turn=beat)
    finally:
        service.say("STOPPING=1")
        notices.close()
        follower.report(sources[0].name if len(sources) == 1 else "all sources")
    return DONE


class _Sinks:
    """The sinks that the command line names."""

    def __init__(
        self,
        options: argparse.Namespace,
        follower: Follower,
        signals: Signals,
        notices: Notices,
        stack: ExitStack,
        service: Service,
    ) -> None:
        self._file: AppendedFile | None = None
        self.published: PublishedEvents | HomeAssistantEvents | None = None
        sinks: list[Sink] = []
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
        for sink in sinks or [print_event(signals)]:
            follower.add_sink(sink)

    @property
    def reconnects(self) -> int:
        """The number of times the publisher has reconnected to its broker."""
        return 0 if self.published is None else self.published.reconnects

    def reopen(self) -> None:
        """Reopens the file that ``--append`` names; called after SIGHUP."""
        if self._file is not None:
            self._file.reopen()


def _read_again(options: argparse.Namespace, notices: Notices, follower: Follower) -> None:
    """Replaces the watched conditions with the conditions in the file. If the file cannot be used, nothing changes."""
    path = Path(options.conditions)
    if path.exists() and not path.is_file():
        # A pipe is not opened again: if no program writes to it any more, the watch would wait for a writer and could
        # handle neither fixes nor signals.
        notices.say(f"{path}: cannot be read again, because it is not a regular file; the conditions are unchanged")
        return
    try:
        result = follower.sync(options.conditions)
    except (InputError, FencepostError, OSError) as error:
        notices.say(f"{error}; the conditions are unchanged")
    else:
        counts = f"{result.added} added, {result.replaced} replaced, {result.removed} removed, {result.kept} unchanged"
        notices.say(f"{options.conditions}: reloaded: {counts}")
