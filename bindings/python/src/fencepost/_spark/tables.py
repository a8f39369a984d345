"""Distributes tables of conditions to the workers. The stream's own table is in a file whose name is the table's
digest. Spark copies the file to each machine once, and each Python worker reads it once. Tables of later versions are
stored in a folder that all machines can read."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from .._errors import require
from .._fleet.conditions import Zones
from .._native import FencepostError, InvalidArgumentError, UnsupportedError
from .following import Tables
from .runs import Version

ENDING = ".conditions"


def ship(frame: Any, conditions: Zones) -> str:
    """Sends the current table to the workers that process the frame. Returns the name with which a worker gets the
    table from :func:`shipped`."""
    try:
        context = frame.sparkSession.sparkContext
    except Exception:
        raise UnsupportedError("fencepost.spark does not support Spark Connect; use a classic Spark session") from None
    name = f"fencepost-{conditions.version.digest.hex()}{ENDING}"
    path = Path(_folder(context.applicationId), name)
    if not path.exists():
        path.write_bytes(conditions.snapshot())
        try:
            context.addFile(str(path))
        except BaseException:
            path.unlink()  # otherwise the next call would find this file and assume that it was distributed
            raise
    return name


@cache
def _folder(application: str) -> str:
    """A folder from which files are distributed while the application runs."""
    folder = tempfile.mkdtemp(prefix="fencepost-spark-")
    atexit.register(shutil.rmtree, folder, True)
    return folder


@lru_cache(maxsize=4)
def shipped(name: str) -> Zones:
    """On a worker, returns the table that has this name."""
    return _read(Path(require("pyspark", "spark").SparkFiles.get(name)), bytes.fromhex(name.split("-")[1][:32]))


def tables(name: str, folder: str | None) -> Tables:
    """Returns a function that finds a table by its version: None stands for the stream's own table, and any other
    version for a file in the folder."""

    def table(version: Version) -> Zones:
        return shipped(name) if version is None or folder is None else _version(folder, version)

    return table


@lru_cache(maxsize=8)
def _version(folder: str, digest: bytes) -> Zones:
    return _read(Path(folder, digest.hex() + ENDING), digest)


def _read(path: Path, digest: bytes) -> Zones:
    """Reads a table and checks that it has the digest in its file name."""
    try:
        found = Zones.restore(path.read_bytes())
    except OSError as error:
        raise InvalidArgumentError(f"the table {path} cannot be read: {error.strerror}") from None
    except FencepostError as error:
        raise InvalidArgumentError(f"{path} is not a table: {error}") from None
    if found.version.digest != digest:
        raise InvalidArgumentError(f"{path} has been changed: it holds the table {found.version.digest.hex()}")
    return found
