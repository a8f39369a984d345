"""Fixtures shared by the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fencepost import Circle, InputError, TransitionPolicy

# The root of the repository, or of the part of it that a source distribution contains.
ROOT = next(
    folder
    for folder in (Path(__file__).resolve().parents[1] / "library", Path(__file__).resolve().parents[3])
    if (folder / "include" / "fencepost.h").is_file()
)
SHARED = Path(os.environ.get("FENCEPOST_SHARED", ROOT.parent / "shared"))
TRACKS = SHARED / "data" / "tracks"
DATA = ROOT / "examples" / "data"
OWN_TRACKS = DATA / "tracks"
"""Each track is cut to about a hundred points; see SOURCES.md beside the tracks."""
# The folder of the Python package's sources. In a source distribution, this folder is the top folder.
BINDING = Path(__file__).resolve().parents[1]
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
SECOND = 1_000_000
# Finds the scenario player, which the wheel does not contain.
CONFORMANCE = ROOT / "Tests" / "Conformance"
sys.path.append(str(CONFORMANCE))
HOME = Circle(52.5, 13.4, 100)
EXACT = TransitionPolicy.exact()

# `make test` runs a tenth to a quarter of the random cases and skips long ones. They run in the part `full`, each
# night, and in `make soak`, which also runs the cases that take minutes.
IS_SOAK = os.environ.get("FENCEPOST_SOAK") == "1"
IS_FULL = IS_SOAK or os.environ.get("FENCEPOST_FULL") == "1"

try:
    from hypothesis import settings
except ImportError:  # for most tests of a source distribution, pytest alone is enough
    pass
else:
    # Random inputs are the same in each run, so that a new failure comes from a change in the code; make soak draws new
    # inputs.
    settings.register_profile("fencepost", derandomize=not IS_SOAK, deadline=None)
    settings.load_profile("fencepost")

only_in_full = pytest.mark.skipif(not IS_FULL, reason="in the part full: Tests/run.sh full")


def number_of_cases(test: int, full: int, soak: int) -> int:
    """Returns a number of random cases: for `make test`, for the part `full`, or for `make soak`."""
    return soak if IS_SOAK else full if IS_FULL else test


def in_full(*values: Any) -> list[Any]:
    """Returns the values as test parameters. `make test` skips these parameters; `make soak` and the part `full` run
    them."""
    return [pytest.param(value, marks=[pytest.mark.full, only_in_full]) for value in values]


Run = Callable[..., "subprocess.CompletedProcess[str]"]


def recorded_tracks(*kinds: str) -> list[Path]:
    """The recorded tracks of the given file types: the tracks in the repository, and the shared tracks if they are
    present."""
    return sorted(
        path for kind in kinds for folder in (OWN_TRACKS, TRACKS) for path in (folder / kind).glob(f"*.{kind}")
    )


def needs_shared() -> pytest.MarkDecorator:
    return pytest.mark.skipif(not TRACKS.is_dir(), reason=f"{TRACKS} is not there")


def mentions(message: object, parts: str) -> bool:
    """True if a message contains these parts in this order; "…" stands for any words between two parts.

    A test looks for places, columns, identifiers and values in a message, not for its wording.
    Tests/Golden/messages.txt contains the wording of all messages.
    """
    return (
        re.search(".*".join(map(re.escape, (part.strip() for part in parts.split("…")))), str(message), re.DOTALL)
        is not None
    )


def refusal(call: Callable[..., Any], *arguments: Any, **options: Any) -> InputError:
    """Returns the error with which a call refuses an input; checks that the message is one line."""
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    return caught.value


def optional(name: str) -> Any:
    """Imports a library that only `make test-all` installs; without the library, the test is skipped."""
    return pytest.importorskip(name, reason=f"{name} is installed by make test-all")


@pytest.fixture
def memory_path(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk in memory, if the system has one; for tests that use many stores but do not test
    durability."""
    disk = Path("/dev/shm")
    if not os.access(disk, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="fencepost-", dir=disk) as folder:
        yield Path(folder)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the command line in its own process, with a time limit."""

    def start(
        *arguments: str | Path, module: str = "fencepost", cwd: Path = tmp_path, **options: object
    ) -> subprocess.CompletedProcess[str]:
        command: Sequence[str] = [sys.executable, "-m", module, *map(str, arguments)]
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", timeout=120, **options
        )

    return start


@pytest.fixture
def turns() -> Iterator[None]:
    """Makes threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
