"""The sources of ``fencepost watch``."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import Any

from .._live.device_lines import DeviceLines
from .._live.gpsd import Gpsd
from .._live.mqtt_address import is_address
from .._live.notices import Notices
from .._live.sources import Source, open_file
from .outcomes import UsageError
from .watch_brokers import check_brokers, open_broker, place_of


class AddSource(argparse.Action):
    """``--source``, several times. Those of the command line stand in place of those of ``--config``, which are a
    tuple."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *rest: Any) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*(before if isinstance(before, list) else ()), values])


def _is_gpsd(source: str) -> bool:
    return source.startswith("gpsd://")


def check_sources(options: argparse.Namespace) -> bool:
    """Whether one device is followed, by a monitor.

    Raises:
        UsageError: The options do not fit the sources.
    """
    sources, by, named = options.source, options.by, options.named
    places = [place_of(source) if is_address(source) else source for source in sources]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise UsageError(f"argument --source: {sources[number]} is there twice")
    gpsds = [source for source in sources if _is_gpsd(source)]
    files = [source for source in sources if not _is_gpsd(source) and not is_address(source)]
    brokers = [source for source in sources if is_address(source)]
    if options.device is not None and not gpsds:
        raise UsageError("argument --device: is for a gpsd")
    if options.device is not None and len(gpsds) > 1:
        raise UsageError("argument --device: is for one gpsd, not for several")
    check_brokers(options, brokers)
    if by is None and named is None and not brokers:
        if len(sources) > 1:
            raise UsageError("argument --source: several need the names of their devices: --by, --as or brokers")
        return True
    if by is not None and gpsds and named is None:
        raise UsageError("argument --by: is for messages that name their device; --as names that of a gpsd")
    # Those whose fixes name no device.
    nameless = [*gpsds, *(files if by is None else ())]
    if named is None and nameless:
        raise UsageError(f"argument --source: {nameless[0]} needs the name of its device: --as, or --by")
    if named is not None and not nameless:
        if by is not None:
            raise UsageError("argument --as: not allowed with argument --by")
        raise UsageError("argument --as: messages of a broker name their device")
    if len(nameless) > 1:
        raise UsageError(f"argument --as: {nameless[0]} and {nameless[1]} would be one device")
    return False


def open_sources(options: argparse.Namespace, notices: Notices, stack: ExitStack) -> list[Source]:
    """Opens what the command line says; the stack closes it."""
    found = []
    for source in options.source:
        found.append(_opened(options, source, notices))
        stack.callback(found[-1].close)
    return found


def _opened(options: argparse.Namespace, source: str, notices: Notices) -> Source:
    if _is_gpsd(source):
        return Gpsd(source, options.reconnect, notices, options.device)
    if is_address(source):
        return open_broker(options, source, notices)
    if options.by is not None:
        if options.format not in ("auto", "jsonl"):
            raise UsageError(f"argument --by: is for JSON Lines, not {options.format}")
        return open_file(source, decoder=DeviceLines(options.by))
    return open_file(source, options.format)
