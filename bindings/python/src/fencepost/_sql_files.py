"""The SQL extensions that are included in the wheel."""

from __future__ import annotations

import os
from pathlib import Path


def extension_file(name: str) -> Path:
    """Finds an extension's file, which is inside the package or in the folder that FENCEPOST_SQL names.

    Raises:
        FileNotFoundError: This build of the package has no SQL extensions.
    """
    given = os.environ.get("FENCEPOST_SQL")
    file = Path(given or Path(__file__).parent / "_sql") / name
    if file.is_file():
        return file
    raise FileNotFoundError(
        f"{file} is missing: this build of fencepost has no SQL extensions; `make wheel` builds one that has, "
        "`make sql` builds only the extensions, and FENCEPOST_SQL names their folder"
    )
