"""The sources of ``fencepost watch``."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import Any

from .._live.device_lines import DeviceLines
from .._live.gpsd import Gpsd
from .._live.http_source import HttpSource
from .._live.mqtt_address import is_address, read_login
from .._live.notices import Notices
from .._live.page_access import is_loopback
from .._live.sources import Source, open_file
from .outcomes import UsageError
from .watch_brokers import check_brokers, open_broker, place_of


class AddSource(argparse.Action):
    """The option ``--source``, which can be given several times. The sources in the ``--config`` file are stored as a
    tuple; sources on the command line replace them."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *rest: Any) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*(before if isinstance(before, list) else ()), values])


def _is_gpsd(source: str) -> bool:
    return source.startswith("gpsd://")


def _is_http(source: str) -> bool:
    return source.startswith("http://")


def check_sources(options: argparse.Namespace) -> bool:
    """Checks the sources. Returns True if the sources report only one device; a single device is followed by a monitor
    instead of a fleet.

    Raises:
        UsageError: The options do not match the sources.
    """
    sources, by, named = options.source, options.by, options.named
    places = [place_of(source) if is_address(source) else source for source in sources]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise UsageError(f"argument --source: {sources[number]} is repeated")
    gpsds = [source for source in sources if _is_gpsd(source)]
    brokers = [source for source in sources if is_address(source)]
    ports = [source for source in sources if _is_http(source)]
    files = [source for source in sources if source not in (*gpsds, *brokers, *ports)]
    if options.http_login is not None and not ports:
        raise UsageError("argument --http-login: needs a source http://HOST:PORT")
    if options.reorder and ports:
        raise UsageError(
            f"argument --reorder: the fixes of {ports[0]} cannot be held, because its senders wait for the answer to "
            "each message; use a broker"
        )
    if options.device is not None and not gpsds:
        raise UsageError("argument --device: needs a source gpsd://HOST:PORT")
    if options.device is not None and len(gpsds) > 1:
        raise UsageError("argument --device: can be used with one gpsd only")
    check_brokers(options, brokers)
    if by is None and named is None and not brokers and not ports:
        if len(sources) > 1:
            raise UsageError(
                "argument --source: several sources need the names of their devices; add --by or --as, or use brokers"
            )
        return True
    if by is not None and gpsds and named is None:
        raise UsageError(
            "argument --by: works for messages that name their device; name the device of a gpsd with --as"
        )
    # Lists the sources whose fixes do not name a device.
    nameless = [*gpsds, *(files if by is None else ())]
    if named is None and nameless:
        raise UsageError(f"argument --source: {nameless[0]} needs the name of its device; add --as or --by")
    if named is not None and not nameless:
        if by is not None:
            raise UsageError("argument --as: not allowed with argument --by")
        sender = "from a broker" if brokers else "posted over HTTP"
        raise UsageError(f"argument --as: messages {sender} already name their device; remove --as")
    if len(nameless) > 1:
        raise UsageError(f"argument --as: {nameless[0]} and {nameless[1]} would be the same device")
    return False


def open_sources(options: argparse.Namespace, notices: Notices, stack: ExitStack) -> list[Source]:
    """Opens the sources given on the command line; `stack` closes the sources."""
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
    if _is_http(source):
        return _open_port(options, source)
    if options.by is not None:
        if options.format not in ("auto", "jsonl"):
            raise UsageError(f"argument --by: works for JSON Lines, not for {options.format}")
        return open_file(source, decoder=DeviceLines(options.by))
    return open_file(source, options.format)


def _open_port(options: argparse.Namespace, source: str) -> HttpSource:
    """Opens an HTTP source."""
    host, _, port = source.removeprefix("http://").rstrip("/").rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"argument --source: {source} is not http://HOST:PORT")
    try:
        login = read_login(options.http_login, None)
    except ValueError as error:
        raise UsageError(f"argument --http-login: {error}") from None
    if login is None and not is_loopback(host):
        raise UsageError(f"argument --source: {host} can be reached from other computers, which requires --http-login")
    return HttpSource(host, int(port), login, options.by or "device")
