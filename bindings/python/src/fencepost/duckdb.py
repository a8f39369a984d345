"""The DuckDB extension: queries, events and visits in SQL.

The "In your database" guide describes the functions. The same extension file works with DuckDB 1.2 and every later
version.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, Protocol

from ._sql_files import extension_file

__all__ = ["load", "write"]

_API = "v1.2.0"


class _Connection(Protocol):
    def execute(self, query: str, /) -> Any: ...


def _footer(platform: str, version: str) -> bytes:
    """The footer that DuckDB requires at the end of an extension: a custom section as in WebAssembly.

    The footer has eight fields of 32 bytes, in reverse order (4, platform, API version, extension version, kind of
    ABI), and 256 bytes for a signature.
    """
    fields = ["", "", "", "C_STRUCT", version, _API, platform, "4"]
    head = b"\x00\x93\x04\x10duckdb_signature\x80\x04"
    return head + b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)


def write(folder: str | Path, platform: str) -> Path:
    """Writes ``fencepost.duckdb_extension`` into a folder, for ``LOAD`` in DuckDB's shell or from other languages.

    Args:
        folder: The folder, which must exist.
        platform: The output of ``PRAGMA platform`` in the DuckDB that will load the extension, for example
            ``linux_amd64``.

    Raises:
        FileNotFoundError: This build of the package has no SQL extensions.
    """
    from ._native import VERSION

    source, file = extension_file("fencepost.duckdb"), Path(folder) / "fencepost.duckdb_extension"
    file.write_bytes(source.read_bytes() + _footer(platform, f"v{VERSION}"))
    return file


def load(connection: _Connection) -> None:
    """Loads the extension into a connection of ``duckdb``.

    DuckDB loads only extensions signed by the DuckDB project, unless the database was opened with
    ``config={"allow_unsigned_extensions": "true"}``. Extensions are native code, and ``allow_unsigned_extensions`` lets
    any SQL statement in the process load any file as an extension. Use `allow_unsigned_extensions` only if you trust
    all SQL that runs in the process.

    Raises:
        FileNotFoundError: This build of the package has no SQL extensions.
        RuntimeError: The database was opened without ``allow_unsigned_extensions``.
    """
    allowed = connection.execute("SELECT current_setting('allow_unsigned_extensions')").fetchone()[0]
    if str(allowed).lower() != "true":
        raise RuntimeError(
            "DuckDB loads unsigned extensions only if the database was opened with "
            "config={'allow_unsigned_extensions': 'true'}"
        )
    platform = connection.execute("PRAGMA platform").fetchone()[0]
    folder = tempfile.mkdtemp(prefix="fencepost-")
    try:
        quoted = str(write(folder, platform)).replace("'", "''")
        connection.execute(f"LOAD '{quoted}'")
    finally:
        shutil.rmtree(folder)
