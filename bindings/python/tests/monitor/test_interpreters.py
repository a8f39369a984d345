"""Tests the package in isolated interpreters, each with its own lock (PEP 684)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fencepost

# This program runs another program in several isolated interpreters, either one after the other or all at the same
# time, each in a thread of its own.
HOST = """
import sys, threading
try:
    import _interpreters as interpreters
    create = lambda: interpreters.create("isolated")
except ImportError:
    import _xxsubinterpreters as interpreters
    create = interpreters.create
failed = []
def run(each):
    try:
        failed.append(interpreters.run_string(each, "import sys; sys.path.append(%r)\\n%s" % tuple(sys.argv[1:3])))
    except Exception as error:  # 3.12 raises, 3.13 returns
        failed.append(error)
if sys.argv[3] == "in turn":
    for _ in range(4):
        each = create()
        run(each)
        interpreters.destroy(each)
else:
    all_of_them = [create() for _ in range(4)]
    threads = [threading.Thread(target=run, args=(each,)) for each in all_of_them]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in all_of_them:
        interpreters.destroy(each)
print(failed)
"""
# Import only the extension, because it is the module that an isolated interpreter may refuse. In any isolated
# interpreter, Python 3.12 crashes with a double free in its own module `datetime`, which the package uses. Python
# 3.13.0 also crashes if several interpreters have loaded `datetime`.
EXTENSION = """
import fencepost._native as native
monitor = native.Monitor(None, 0, 0, 1000000, 60000000, 30000000, 30000000, None, 0, 60000000, 0)
monitor.add_circle("a", 0.0, 0.0, 100.0, 0, native.POLICY_EXACT, 0, False)
for second in range(2000):
    monitor.feed_fix(0.0, float(second % 2), 0.0, second)
    assert monitor.poll_event()[2] == 1 + second % 2
    try:
        monitor.feed_fix(0.0, 0.0, 0.0, 0)
    except native.LateInputError as error:
        assert second > 0 and error.name == "late_input"
try:
    native.Monitor("no name", 0, 0, 1000000, 60000000, 30000000, 30000000, None, 0, 60000000, 0)
except native.InvalidNameError:
    pass
"""
PACKAGE = """
from fencepost import Circle, Fix, Monitor
monitor = Monitor()
monitor.add(Circle(0, 0, 100), "home", policy="exact")
monitor.feed(Fix(0, 0, time=0))
assert [str(event.state) for event in monitor.events()] == ["satisfied"]
"""


def pythons(oldest: int) -> list[str]:
    """Returns the Python interpreters with this minor version or a later one: the interpreter that runs the tests, and
    those that pyenv has installed. Every interpreter in the list can load the extension."""
    found = [sys.executable] if sys.version_info >= (3, oldest) else []
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return found + [
        str(path) for minor in range(oldest, 20) for path in sorted(root.glob(f"3.{minor}.*/bin/python3"))[:1]
    ]


@pytest.mark.parametrize(
    ("program", "oldest", "way"), [(EXTENSION, 12, "at once"), (PACKAGE, 13, "in turn")], ids=["extension", "package"]
)
def test_import_in_isolated_interpreters(program: str, oldest: int, way: str) -> None:
    if not pythons(oldest):
        pytest.skip(f"no Python from 3.{oldest} on is here")
    place = str(Path(fencepost.__file__).parents[1])
    for python in pythons(oldest):
        done = subprocess.run(
            [python, "-I", "-S", "-c", HOST, place, program, way],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stdout == f"{[None] * 4}\n", (python, done.stdout, done.stderr)
