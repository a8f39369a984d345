"""The differences between systems when the extension is built: names of libraries and the tools that read and strip
them.

``FENCEPOST_PORTABLE=1`` selects code that needs no tool for reading or stripping libraries, even on Linux, so that a
test can run this code on Linux.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PORTABLE = os.environ.get("FENCEPOST_PORTABLE") == "1"
IS_MACOS = sys.platform == "darwin"

LIBRARIES = "libfencepost.*.dylib" if IS_MACOS else "libfencepost.so.*"
"""The pattern for the names of the bundled library; it matches every version."""

RUN_PATH = "-Wl,-rpath,@loader_path" if IS_MACOS else "-Wl,-rpath,$ORIGIN"
"""The option of the linker that makes the extension look for the library in the extension's own folder."""


def install_name(library: Path) -> str:
    """Returns the file name under which the dynamic linker looks for a library."""
    if PORTABLE:
        return library.resolve().name  # build.sh uses the install name as the file's name
    command = ["otool", "-D", str(library)] if IS_MACOS else ["readelf", "--dynamic", "--wide", str(library)]
    read = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    if IS_MACOS:  # otool prints the file's name, a colon and the install name, such as @rpath/libfencepost.0.2.dylib
        return read.split()[-1].rpartition("/")[2]
    found = re.search(r"\(SONAME\).*\[(.+)\]", read)
    return found[1] if found else library.name


def strip(library: Path) -> None:
    """Removes the symbols that no program needs; if the library is for another machine, uses the tool that ``STRIP``
    names."""
    if not PORTABLE:
        subprocess.run(
            [os.environ.get("STRIP", "strip"), "-x" if IS_MACOS else "--strip-unneeded", str(library)], check=True
        )
