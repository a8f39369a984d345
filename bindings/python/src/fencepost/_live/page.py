"""A live, read-only page that shows a running watch. Without a background map, the page loads nothing from other
servers."""

from __future__ import annotations

import asyncio
import html
import socket
import threading
import time
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any

from .._errors import require
from .._look import pages
from .._system import limit_unanswered
from .metrics import Metrics
from .page_access import Access
from .page_stream import GZIP_HEADER, STILL_HERE, TURN, Message, Messages
from .tiles import Tiles
from .view import View

HEARTBEAT = 15.0
MOST_READERS = 32
PATIENCE = 30.0
"""Seconds after which a reader that accepts no data is disconnected."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src {pictures}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
FILES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}


def headers_of(tiles: Tiles | None) -> dict[str, str]:
    """The security headers of each response. The page may load data only from its own server; it may load images from
    the tile server as well."""
    if tiles is None:
        return {
            "Content-Security-Policy": POLICY.format(pictures="'self'"),
            "Referrer-Policy": "no-referrer",
            **HEADERS,
        }
    policy = POLICY.format(pictures=f"'self' {tiles.origin}")
    # Tile servers require that a request states its origin. This referrer policy sends the origin, but never the path.
    return {"Content-Security-Policy": policy, "Referrer-Policy": "strict-origin-when-cross-origin", **HEADERS}


class Page:
    """Serves the page, its events and the metrics in a separate thread.

    Args:
        host: The address to listen on.
        port: The port; 0 means any free port.
        view: The data to show.
        metrics: The metrics for ``/metrics``.
        access: Decides who may see the page.
        tiles: A background map, or None; without a map, the page requests nothing from other servers.

    Raises:
        MissingExtraError: Starlette or uvicorn is not installed.
        OSError: The server cannot listen on the address.
    """

    def __init__(
        self, host: str, port: int, view: View, metrics: Metrics, access: Access, tiles: Tiles | None = None
    ) -> None:
        uvicorn = require("uvicorn", "live")
        applications = require("starlette.applications", "live")
        self._responses = require("starlette.responses", "live")
        routing = require("starlette.routing", "live")
        self._messages, self._metrics, self._access, self._readers = Messages(view), metrics, access, 0
        self._texts = {path: _built(name) for path, (name, _) in FILES.items()}
        self._headers = headers_of(tiles)
        if tiles is not None:
            self._texts["/"] = _with_tiles(self._texts["/"], tiles)
        try:
            self._socket = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"{host}:{port}") from None
        limit_unanswered(self._socket, PATIENCE)
        self.port: int = self._socket.getsockname()[1]
        access.at(self.port)
        paths = {**dict.fromkeys(FILES, self._file), "/events": self._events, "/metrics": self._measured}
        routes = [routing.Route(path, answer, methods=["GET"]) for path, answer in paths.items()]
        config = uvicorn.Config(
            applications.Starlette(routes=routes),
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
            limit_concurrency=200,
            h11_max_incomplete_event_size=16_384,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="page", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])

    async def _file(self, request: Any) -> Any:
        given = request.query_params.get("token")
        if given is not None and request.url.path == "/":
            if not self._access.is_token(given):
                return self._refusal()
            # Redirect the browser, so that the token does not stay in the address bar.
            answer = self._responses.RedirectResponse("/", 303, self._headers)
            answer.set_cookie(self._access.cookie, given, httponly=True, samesite="lax", max_age=31_536_000)
            return answer
        if not self._access.allows(request.headers, request.cookies):
            return self._refusal()
        path = request.url.path
        return self._responses.Response(self._texts[path], headers=self._headers, media_type=FILES[path][1])

    async def _measured(self, request: Any) -> Any:
        if not self._access.allows(request.headers, request.cookies):
            return self._refusal()
        return self._responses.Response(
            self._metrics.text(), headers=self._headers, media_type="text/plain; version=0.0.4; charset=utf-8"
        )

    async def _events(self, request: Any) -> Any:
        if not self._access.allows(request.headers, request.cookies):
            return self._refusal()
        if self._readers >= MOST_READERS:
            return self._responses.PlainTextResponse("too many readers\n", 503, self._headers)
        is_packed = "gzip" in request.headers.get("accept-encoding", "")
        headers = {**self._headers, "Vary": "Accept-Encoding"}
        if is_packed:
            headers["Content-Encoding"] = "gzip"
        return self._responses.StreamingResponse(
            self._stream(request, is_packed), headers=headers, media_type="text/event-stream"
        )

    async def _stream(self, request: Any, is_packed: bool) -> AsyncIterator[bytes]:
        """Yields the full state, then the changes."""

        def sent(message: Message) -> bytes:
            return message.packed if is_packed else message.plain

        self._readers += 1
        try:
            if is_packed:
                yield GZIP_HEADER
            message, number = self._messages.everything()
            yield sent(message)
            spoken = time.monotonic()
            while not self._server.should_exit and not await request.is_disconnected():
                await asyncio.sleep(TURN)
                found = self._messages.after(number)
                if found is None:
                    message, number = self._messages.everything()
                    found = [message], number
                messages, number = found
                if not messages and time.monotonic() >= spoken + HEARTBEAT:
                    messages = [STILL_HERE]
                for message in messages:
                    yield sent(message)
                    spoken = time.monotonic()
        finally:
            self._readers -= 1

    def _refusal(self) -> Any:
        text = (
            "this page needs its token: /?token=…\n"
            if self._access.token
            else "this page can be opened only on this computer\n"
        )
        return self._responses.PlainTextResponse(text, 403, self._headers)

    def close(self) -> None:
        """Stops the server."""
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()


def _built(name: str) -> bytes:
    """A file of the live page, combined with the parts that the live page shares with the report."""
    own = (files(__package__) / "page_files" / name).read_text(encoding="utf-8")
    parts = {"page.html": pages.page, "page.css": pages.style, "page.js": pages.script}
    return parts[name](own).encode()


def _with_tiles(text: bytes, tiles: Tiles) -> bytes:
    """The page, with the URL of its map tiles inserted."""
    found = f'data-tiles="{html.escape(tiles.template)}" data-attribution="{html.escape(tiles.attribution)}"'
    return text.replace(b'<canvas id="map"', f'<canvas id="map" {found}'.encode())
