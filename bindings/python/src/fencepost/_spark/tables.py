"""Tables of conditions get to the workers: a file named by its digest, which Spark fetches once for each machine and
each Python worker reads once."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from .._errors import require
from .._fleet.conditions import Conditions
from .._native import UnsupportedError


def ship(frame: Any, conditions: Conditions) -> str:
    """Hands a table as it is now to whoever runs the frame; the name under which :func:`shipped` finds it."""
    try:
        context = frame.sparkSession.sparkContext
    except Exception:
        raise UnsupportedError("fencepost.spark needs a session of its own, not one of Spark Connect") from None
    name = f"fencepost-{conditions.version.digest.hex()}.conditions"
    path = Path(_folder(context.applicationId), name)
    if not path.exists():
        path.write_bytes(conditions.snapshot())
        context.addFile(str(path))
    return name


@cache
def _folder(application: str) -> str:
    """Files are served from it while the application lives."""
    folder = tempfile.mkdtemp(prefix="fencepost-spark-")
    atexit.register(shutil.rmtree, folder, True)
    return folder


@lru_cache(maxsize=4)
def shipped(name: str) -> Conditions:
    """The table of that name, on a worker."""
    found: Any = require("pyspark", "spark").SparkFiles.get(name)
    return Conditions.restore(Path(found).read_bytes())
