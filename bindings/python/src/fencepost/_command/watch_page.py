"""The web page of ``fencepost watch``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

from .._live.follower import Follower
from .._live.metrics import Metrics, counters_of
from .._live.notices import Notices
from .._live.page import Page
from .._live.page_access import Access, is_loopback, read_token
from .._live.shown import followed
from .._live.tiles import read_tiles
from .._live.view import View
from .outcomes import UsageError


def check_page(options: argparse.Namespace) -> None:
    """Checks the options that concern the web page.

    Raises:
        UsageError: A page option needs another option that is missing.
    """
    for name, wanted in (("page_token", "page"), ("page_tiles", "page"), ("page_attribution", "page_tiles")):
        if getattr(options, name) is not None and getattr(options, wanted) is None:
            given, needed = (f"--{each.replace('_', '-')}" for each in (name, wanted))
            raise UsageError(f"argument {given}: needs {needed}")


def open_page(
    options: argparse.Namespace, follower: Follower, reconnects: Callable[[], int], notices: Notices
) -> tuple[Page, View]:
    """Starts the page with the options given on the command line; returns the page and its view. The caller must
    register the view as an observer of the follower.

    Raises:
        MissingExtraError: A library of the web server is not installed.
        OSError: The web server cannot listen on the given address.
    """
    host, _, port = options.page.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"argument --page: {options.page} is not HOST:PORT")
    token = None
    if options.page_token is not None:
        try:
            token = read_token(options.page_token)
        except ValueError as error:
            raise UsageError(f"argument --page-token: {error}") from None
    elif not is_loopback(host):
        raise UsageError(f"argument --page: {host} can be reached from other computers, which requires --page-token")
    tiles = None
    if options.page_tiles is not None:
        try:
            tiles = read_tiles(options.page_tiles, options.page_attribution)
        except ValueError as error:
            raise UsageError(f"argument --page-tiles: {error}") from None
    started = time.monotonic()

    def counters() -> dict[str, float]:
        return counters_of(follower._watcher, reconnects, started)

    view = View(followed(follower._watcher), counters, lambda: follower._hours)
    page = Page(host, int(port), view, Metrics(counters), Access(token), tiles)
    shown = f"[{host}]" if ":" in host else host
    notices.say(f"the page is http://{shown}:{page.port}/{'?token=…' if token else ''}")
    return page, view
