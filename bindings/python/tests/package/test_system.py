"""Tests the code for systems without eventfd, pidfd and certain TCP options; FENCEPOST_PORTABLE forces this code on
Linux."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BINDING

import fencepost
from fencepost import _system


@pytest.mark.parametrize("portable", [False, True])
def test_a_bell_rings_and_is_silent(portable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_system, "HAS_EVENTFD", hasattr(os, "eventfd") and not portable)
    reader, writer = _system.open_bell()
    try:
        assert (reader == writer) == _system.HAS_EVENTFD
        assert not os.get_inheritable(reader) and not os.get_inheritable(writer)
        assert not _system.silence(reader)
        for _ in range(3):
            _system.ring(writer)
        assert _system.silence(reader) and not _system.silence(reader)
        if portable:  # ringing must never block, so ring more often than the pipe can hold
            for _ in range(10_000):
                _system.ring(writer)
            assert _system.silence(reader) and not _system.silence(reader)
    finally:
        _system.close_bell(reader, writer)
    for descriptor in {reader, writer}:
        with pytest.raises(OSError):
            os.fstat(descriptor)


@pytest.mark.parametrize("portable", [False, True])
def test_connections_are_kept_alive(portable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_system, "PORTABLE", portable)
    with socket.socket() as connection:
        _system.keep_alive(connection, 61, 11, 7)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        if hasattr(socket, "TCP_KEEPIDLE"):
            assert (connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 61) is not portable
        _system.limit_unanswered(connection, 30)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere these are the ways that are tested")
def test_what_waits_works_with_the_portable_ways() -> None:
    """Runs the tests for awaiting events, for fleet events, and for commands, in a process without the Linux features
    that `_system` normally uses (such as eventfd)."""
    files = ["monitor/test_updates.py", "fleet/test_fleet_events.py", "live/test_watch_commands.py"]
    code = "from fencepost import _system as s; assert s.PORTABLE and not s.HAS_EVENTFD and s.open_process(1) is None"
    environment = {**os.environ, "FENCEPOST_PORTABLE": "1"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=60)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{name}" for name in files)],
        cwd=BINDING, env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_one_module_uses_what_only_linux_has() -> None:
    names = "eventfd|pidfd|epoll|inotify|memfd|TCP_KEEP|TCP_USER|SOCK_CLOEXEC|SOCK_NONBLOCK|accept4|pipe2|/proc/|prctl"
    uses = re.compile(rf"os\.({names})|socket\.({names})|select\.({names})|[\"'](/proc/)|\b(prctl)\(")
    folder = BINDING / "src" / "fencepost"
    assert uses.search((folder / "_system.py").read_text(encoding="utf-8"))
    others = {path.name for path in folder.rglob("*.py") if uses.search(path.read_text(encoding="utf-8"))}
    assert others == {"_system.py"}


@pytest.mark.skipif(shutil.which("readelf") is None, reason="the way of Linux asks readelf")
def test_the_build_finds_the_same_name_without_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("systems", BINDING / "systems.py")
    assert spec is not None and spec.loader is not None
    systems = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(systems)
    (library,) = Path(fencepost.__file__).parent.glob(systems.LIBRARIES)
    names = []
    for portable in (False, True):
        monkeypatch.setattr(systems, "PORTABLE", portable)
        names.append(systems.install_name(library))
    assert names == [library.name, library.name]


def test_only_this_module_asks_for_what_one_system_has() -> None:
    words = (
        "eventfd",
        "pidfd",
        "TCP_KEEP",
        "TCP_USER_TIMEOUT",
        "SOCK_CLOEXEC",
        "SOCK_NONBLOCK",
        "sys.platform",
        "/proc/",
    )
    for path in (BINDING / "src" / "fencepost").rglob("*.py"):
        if path.name != "_system.py":
            found = [word for word in words if word in path.read_text(encoding="utf-8")]
            assert not found, f"{path}: {found} belongs into _system.py"
