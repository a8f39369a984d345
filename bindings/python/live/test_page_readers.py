"""Tests that browsers which connect to the page but never read its data use few resources, delay no other reader, and
are disconnected."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from brokers import until

from fencepost._live import page
from fencepost._live.page_access import Access

pytest.importorskip("uvicorn", reason="uvicorn is installed by make test-all")


class Talkative:
    """A view that returns a megabyte of new data at each request."""

    def __init__(self) -> None:
        self.asked = 0

    def since(self, version: int) -> dict[str, Any]:
        self.asked += 1
        return {"version": version + 1, "text": "x" * 1_000_000}

    def both(self, version: int) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.since(version), self.since(version)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux ends such connections")
def test_readers_that_take_nothing_do_not_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PATIENCE", 5.0)
    monkeypatch.setattr(page, "MOST_READERS", 3)
    view: Any = Talkative()
    metrics: Any = SimpleNamespace(text=lambda: b"none 0\n")
    served = page.Page("127.0.0.1", 0, view, metrics, Access(None))
    with ExitStack() as stack:
        stack.callback(served.close)
        for _ in range(3):
            reader = stack.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reader.connect(("127.0.0.1", served.port))
            reader.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        address = f"http://127.0.0.1:{served.port}"

        def status() -> int:
            try:
                with urllib.request.urlopen(f"{address}/events", timeout=120) as answer:
                    answer.read(10)
                    return int(answer.status)
            except urllib.error.HTTPError as error:
                error.close()
                return error.code

        until(lambda: served._readers == 3, "the readers")
        assert status() == 503
        with urllib.request.urlopen(f"{address}/metrics", timeout=120) as answer:
            assert answer.read() == b"none 0\n", "others are answered"
        until(lambda: status() == 200, "their end")
        # If a reader accepts no data, only the buffer of its connection fills up; no further messages are built for
        # this reader.
        assert view.asked < 60
