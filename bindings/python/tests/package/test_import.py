"""Importing the package only loads code; it has no other effect on the process."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import fencepost

PACKAGE = Path(fencepost.__file__).resolve().parent
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
# The Swift runtime reads these files when it starts, to find code addresses and the number of processors. Files in
# /proc and /sys are not real files.
KERNEL = ("/proc/self/maps", "/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/online")
TRACED = "open,openat,creat,clone,clone3,fork,vfork,socket,connect"


def python(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env=ENVIRONMENT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_starts_no_thread_and_leaves_no_file_open() -> None:
    """Reads the kernel's lists of threads and open files, because Python and its audit hooks do not see the actions of
    native code."""
    python(
        "import os\n"
        "def host():\n"
        "    threads = os.listdir('/proc/self/task')\n"
        "    files = {each: os.readlink(f'/proc/self/fd/{each}') for each in os.listdir('/proc/self/fd')\n"
        "             if os.path.lexists(f'/proc/self/fd/{each}')}\n"
        "    return threads, files\n"
        "before = host()\n"
        "import fencepost\n"
        "monitor = fencepost.Monitor()\n"
        "monitor.advance(0)\n"
        "assert len(before[0]) == 1\n"
        "assert host() == before, (before, host())\n"
    )


def test_import_opens_only_modules_and_only_to_read() -> None:
    """Checks with Python's audit hooks that importing the package opens only files of the package and the interpreter,
    opens them only for reading, and starts no process, thread or connection."""
    seen = python(
        "import sys\n"
        "watched = ('open', 'os.', 'shutil.', 'socket.', 'subprocess.', 'sqlite3.', 'tempfile.', '_thread.')\n"
        "watched += ('signal.',)\n"
        "seen = []\n"
        "sys.addaudithook(lambda name, details: seen.append((name, details)) if name.startswith(watched) else None)\n"
        "import fencepost; fencepost.Monitor\n"
        "for name, details in seen:\n"
        "    print(name, details[1] if name == 'open' else '-', details[0] if details else '', sep='\\t')\n"
    )
    lines = [line.split("\t") for line in seen.splitlines()]
    assert any(Path(place).name == "__init__.py" or place.endswith(".pyc") for _, _, place in lines)
    library = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
    for name, mode, place in lines:
        # The import system lists folders to find modules.
        assert name in ("open", "os.listdir"), (name, mode, place)
        path = Path(place).resolve()
        on_path = any(path == Path(entry or ".").resolve() for entry in sys.path)
        assert on_path or path.is_relative_to(PACKAGE) or any(path.is_relative_to(each) for each in library), place
        assert mode in ("r", "rb", "-", "None"), (mode, place)


@pytest.mark.parametrize(
    ("code", "most"),
    [
        ("import fencepost", 2),
        ("from fencepost import Fix, Monitor, Event", 28),
        ("from fencepost import replay, compare", 82),
        ("import sys; from fencepost._command.cli import main; sys.argv = ['', '--version']; main()", 7),
        ("import sys; from fencepost._command.cli import main; sys.argv = ['', 'replay', '--help']; main()", 88),
    ],
)
def test_only_what_is_needed_is_loaded(code: str, most: int) -> None:
    """Each loaded module of the package costs some tenths of a millisecond at startup."""
    listed = python(
        "import atexit, sys\n"
        "names = lambda: [name for name in sys.modules if name.partition('.')[0] == 'fencepost']\n"
        "atexit.register(lambda: print('loaded', *sorted(names())))\n" + code + "\n"
    )
    found = listed.splitlines()[-1].split()[1:]
    assert "fencepost" in found and len(found) <= most, (len(found), found)


HEAVY_MODULES = (
    "argparse", "ast", "asyncio", "concurrent", "contextlib", "copy", "csv", "dataclasses", "decimal", "dis", "html",
    "http", "importlib", "inspect", "io", "json", "logging", "pathlib", "pickle", "random", "re", "select", "socket",
    "sqlite3", "string", "subprocess", "tempfile", "threading", "tokenize", "traceback", "typing", "urllib", "uuid",
    "warnings", "weakref", "xml", "zipfile",
)  # fmt: skip


def test_no_heavy_module_is_loaded_by_the_parts_that_most_programs_use() -> None:
    """`dataclasses` with `inspect` would make the import two thirds longer, and `typing` with `re` a third."""
    code = (
        "import sys\n"
        "before = {*sys.modules}\n"
        "from fencepost import Circle, Event, Fix, Monitor, State, TransitionPolicy\n"
        "monitor = Monitor()\n"
        "monitor.add(Circle(0, 0, 100), 'home', policy=TransitionPolicy(entry_dwell=5))\n"
        "monitor.feed(Fix(0, 0, time=1_700_000_000_000_000))\n"
        "(event,) = monitor.events()\n"
        "assert isinstance(event, Event) and event.state is State.SATISFIED and repr(event) and event.to_json()\n"
        "print(*({*sys.modules} - before))\n"
    )
    # Without site packages (-S), no other package loads a module at startup.
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True, text=True, timeout=120, check=False,
        env={**ENVIRONMENT, "PYTHONPATH": str(PACKAGE.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "fencepost._monitor.monitor" in loaded
    assert sorted({name.partition(".")[0] for name in loaded} & {*HEAVY_MODULES}) == []


def test_heavy_libraries_are_loaded_when_they_are_used() -> None:
    loaded = python(
        "import sys, fencepost; fencepost.Monitor, fencepost.replay, fencepost.spark; print(*sys.modules)"
    ).split()
    for name in (
        "numpy",
        "pandas",
        "geopandas",
        "shapely",
        "pyarrow",
        "nanoarrow",
        "gpxpy",
        "rich",
        "bokeh",
        "pyspark",
    ):
        assert name not in loaded, name


def trace(code: str, log: Path) -> list[tuple[str, str]]:
    """Returns the system calls in the trace that succeeded: the name and arguments of each call."""
    subprocess.run(
        ["strace", "-f", "-qq", "-s", "4096", "-e", f"trace={TRACED}", "-o", str(log), sys.executable, "-c", code],
        check=True, capture_output=True, timeout=120, env=ENVIRONMENT,
    )  # fmt: skip
    calls = re.findall(r"^\d+ +(\w+)\((.*)\) += (-?\d+)", log.read_text(), flags=re.MULTILINE)
    return [(name, arguments) for name, arguments, result in calls if int(result) >= 0]


def test_import_makes_no_other_system_calls(tmp_path: Path) -> None:
    """Checks with a trace of system calls that the import opens only the standard library, the package, and shared
    libraries."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not there")
    if subprocess.run(["strace", "-qq", "-o", "/dev/null", sys.executable, "-c", ""], capture_output=True).returncode:
        pytest.skip("strace may not trace here")
    others = python(
        "import sys, fencepost; fencepost.Monitor\n"
        "print(', '.join(n for n in sys.modules if n.split('.')[0] != 'fencepost' and n != '__main__'))\n"
    ).strip()
    before = set(trace(f"import {others}", tmp_path / "before"))
    added = [call for call in trace("import fencepost; fencepost.Monitor", tmp_path / "after") if call not in before]
    assert any("_native.abi3.so" in arguments for _, arguments in added)
    for name, arguments in added:
        assert name in ("open", "openat") and "O_RDONLY" in arguments, (name, arguments)
        found = re.search(r'"(.*?)"', arguments)
        assert found
        if found[1] in KERNEL:
            continue
        path = Path(found[1]).resolve()
        ours = path.is_relative_to(PACKAGE) or path.is_relative_to(PACKAGE.parent / "fencepost.libs")
        assert ours or path == PACKAGE.parent or re.search(r"\.so(\.[\d.]+)?$", path.name), arguments
