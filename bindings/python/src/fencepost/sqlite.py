"""The SQLite extension: queries, events, visits and fleets in SQL.

The guide "In your database" describes the functions. The extension contains its own copy of the engine, but no second
copy of SQLite.
"""

from __future__ import annotations

from typing import Protocol

from ._sql_files import extension_file

__all__ = ["load", "path"]


class _Connection(Protocol):
    def enable_load_extension(self, enabled: bool, /) -> object: ...
    def load_extension(self, name: str, /) -> object: ...


def path() -> str:
    """The path of the extension's file, for the ``.load`` command of the ``sqlite3`` shell and for other programs.

    Raises:
        FileNotFoundError: This build of the package has no SQL extensions.
    """
    return str(extension_file("fencepost.so"))


def load(connection: _Connection) -> None:
    """Loads the extension into a connection of ``sqlite3`` or ``apsw``. Extension loading is allowed only during this
    call.

    Raises:
        FileNotFoundError: This build of the package has no SQL extensions.
        RuntimeError: This Python's ``sqlite3`` was built without loadable extensions (``apsw`` from PyPI supports
            them).
    """
    file = path()
    if not hasattr(connection, "enable_load_extension"):
        raise RuntimeError(
            "this Python's sqlite3 was built without loadable extensions; use apsw (pip install apsw) or a Python "
            "that was built with --enable-loadable-sqlite-extensions, as Debian's is"
        )
    connection.enable_load_extension(True)
    try:
        connection.load_extension(file)
    finally:
        connection.enable_load_extension(False)
