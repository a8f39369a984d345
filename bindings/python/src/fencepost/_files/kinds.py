"""Detects a file's kind from its name and its first bytes; decompresses files."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

from .._errors import InputError
from .text import read_bytes
from .tracks import VECTOR_FORMATS

MOST_BYTES = 1 << 31
"""The maximum decompressed size in bytes, which is limited because the contents are held in memory."""
_USUAL_BYTES, MOST_RATIO = 1 << 26, 100
"""`_USUAL_BYTES` is a size in bytes: every file may grow to this size when it is decompressed. A larger decompressed
size is allowed only up to `MOST_RATIO` times the compressed size. Text files with positions compress to between a fifth
and a thirtieth of their size; a malicious file that is meant to exhaust the memory can compress to a thousandth of its
size."""
_PIECE = 1 << 24

_OTHERS = (
    (0, b"\x1f\x8b", "gzip", "unpack it, or rename it to end in .gz"),
    (0, b"PK\x03\x04", "a zip archive", "unpack it first"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook", "save the sheet as CSV"),
    (8, b".FIT", "a FIT file of a sports watch", "convert it to GPX, for example with GPSBabel"),
    (0, b"SQLite format 3\0", "an SQLite database", "rename it to end in .gpkg or .sqlite"),
    (0, b"PAR1", "Parquet", "rename it to end in .parquet"),
    (0, b"fgb\x03", "FlatGeobuf", "rename it to end in .fgb"),
    (0, b"BZh", "bzip2", "unpack it first"),
    (0, b"\xfd7zXZ\0", "xz", "unpack it first"),
    (0, b"(\xb5/\xfd", "Zstandard", "unpack it first"),
    (0, b"%PDF-", "a PDF", ""),
    (0, b"ARROW1", "an Arrow file", "write it as Parquet"),
)
_NAMED = {
    ".xlsx": ("an Excel workbook", "save the sheet as CSV"),
    ".xlsm": ("an Excel workbook", "save the sheet as CSV"),
    ".xls": ("an Excel workbook", "save the sheet as CSV"),
    ".ods": ("a spreadsheet", "save the sheet as CSV"),
    ".fit": ("a FIT file of a sports watch", "convert it to GPX, for example with GPSBabel"),
    ".tcx": ("a TCX file", "convert it to GPX, for example with GPSBabel"),
    ".feather": ("an Arrow file", "write it as Parquet"),
    ".arrow": ("an Arrow file", "write it as Parquet"),
}


def ending(path: str | Path) -> str:
    """The ending of a file's name in lower case, without the ending ``.gz`` of a compressed file: ``.csv`` for
    ``t.csv.gz``."""
    name = Path(path)
    suffix = name.suffix.lower()
    return Path(name.stem).suffix.lower() if suffix == ".gz" else suffix


def is_packed(path: str | Path) -> bool:
    """True if a file's name has the ending of a compressed file."""
    return Path(path).suffix.lower() == ".gz"


def is_pipe(path: str | Path) -> bool:
    """True if a path is a pipe, a terminal or a socket, whose contents can be read only once."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def first_bytes(path: str | Path) -> bytes:
    """The first bytes of a file, decompressed if its name ends in ``.gz``.

    Raises:
        InputError: The file cannot be read or decompressed, or is of a known kind that is not supported.
    """
    check_name(path)
    try:
        with gzip.open(path) if is_packed(path) else open(path, "rb") as file:
            data = file.read(4096)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(path, "", f"cannot be read as gzip: {error}") from None
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error)) from None
    check_kind(data, path)
    return data


def read_unpacked(path: str | Path) -> bytes:
    """The bytes of a file, decompressed if its name ends in ``.gz``.

    Raises:
        InputError: The file cannot be read or decompressed, or is of a known kind that is not supported.
    """
    check_name(path)
    data = unpacked(path) if is_packed(path) else read_bytes(path)
    check_kind(data, path)
    return data


def most_unpacked(packed: int) -> int:
    """The largest decompressed size, in bytes, that is allowed for a compressed file of the given size."""
    return min(MOST_BYTES, max(_USUAL_BYTES, MOST_RATIO * packed))


def too_large(path: str | Path, place: str = "") -> InputError:
    """The error for a compressed file that exceeds the allowed size."""
    reason = (
        f"unpacks to more than {MOST_RATIO} times its size, or to more than {MOST_BYTES >> 30} GiB: unpack it first"
    )
    return InputError(path, place, reason)


def check_name(path: str | Path) -> None:
    """Refuses files by their names: files of unsupported kinds, and compressed files of the kinds that GDAL reads.

    Raises:
        InputError: The file is refused; the error message says which kind of file it is and what to do.
    """
    kind = ending(path)
    if not os.path.exists(path):
        return
    if kind in _NAMED:
        raise _refused(path, *_NAMED[kind])
    if is_packed(path) and kind in VECTOR_FORMATS:
        raise _refused(path, f"a compressed {kind[1:].upper()} file", "unpack it first")


def unpacked(path: str | Path) -> bytes:
    """The contents of a gzip file.

    Raises:
        InputError: The file is not gzip, is damaged, or decompresses to more than :func:`most_unpacked`.
    """
    parts: list[bytes] = []
    size = 0
    try:
        most = most_unpacked(os.path.getsize(path))
        with gzip.open(path) as file:
            while part := file.read(_PIECE):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise too_large(path)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(path, "", f"cannot be read as gzip: {error}") from None
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error)) from None
    return b"".join(parts)


def check_kind(data: bytes, path: str | Path) -> None:
    """Refuses files of known binary kinds.

    Raises:
        InputError: The file is refused; the error message says which kind of file it is and what to do.
    """
    for at, magic, what, advice in _OTHERS:
        if data[at : at + len(magic)] == magic:
            if what == "a zip archive" and b"xl/" in data[:4096] + data[-65_536:]:
                raise _refused(path, *_NAMED[".xlsx"])
            raise _refused(path, what, advice)


def _refused(path: str | Path, what: str, advice: str) -> InputError:
    return InputError(path, "", f"is {what}, which is not read" + (f": {advice}" if advice else ""))
