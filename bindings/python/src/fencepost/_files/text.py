"""Reading files as bytes, texts and JSON."""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NoReturn

from .._errors import InputError


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text.

    Raises:
        InputError: No file can be called so: it holds a NUL, or half of a surrogate pair.
    """
    text = os.fsdecode(path)
    try:
        os.fsencode(text)
        if "\0" not in text:
            return text
    except UnicodeEncodeError:
        pass
    raise InputError(text, "", "is not a path that a file can have")


def read_bytes(path: str | Path) -> bytes:
    """The whole file."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error)) from None


def decode(data: bytes, path: str | Path, encoding: str = "utf-8") -> str:
    """Text of a file; a byte order mark is honoured and dropped."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif encoding == "utf-8":
        encoding = "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"byte {error.start} is not {error.encoding.upper()} text; save the file as UTF-8"
        raise InputError(path, f"line {line}", reason) from None
    except LookupError:
        raise InputError(path, "line 1", f"the encoding {encoding!r} is not known") from None


def text_pieces(file: BufferedIOBase, size: int) -> Iterator[str]:
    """The text of a file that need not fit into memory, in pieces of whole lines, each of about `size` characters.

    As for :func:`decode`, a byte order mark is honoured and dropped.

    Raises:
        UnicodeDecodeError: The line after those that were given is no text.
    """
    data = file.read(size)
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    decoder = codecs.getincrementaldecoder("utf-16" if wide else "utf-8-sig")()
    held: list[str] = []  # the begin of a line
    while True:
        refused = None
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            refused, text = error, error.object[: error.start].decode(error.encoding)
        # A carriage return at the end may be the first half of an end of a line.
        end = len(text) - (bool(data) and text.endswith("\r"))
        cut = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1 if data else len(text)
        if (cut or not data) and (piece := "".join([*held, text[:cut]])):
            held.clear()
            yield piece
        if refused is not None:
            raise refused
        if not data:
            return
        held.append(text[cut:])
        data = file.read(size)


def line_count(text: str) -> int:
    """How many lines a text has; the last one need not end."""
    ends = text.count("\n")
    if "\r" in text:
        ends += text.count("\r") - text.count("\r\n")
    return ends + (not text.endswith(("\n", "\r")) if text else 0)


def read_text(path: str | Path) -> str:
    """Text of a UTF-8 file."""
    return decode(read_bytes(path), path)


def _constant_place(text: str) -> str:
    """Where the first NaN or Infinity stands outside a string."""
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', text, re.DOTALL):
        if not token[0].startswith('"'):
            line = text.count("\n", 0, token.start()) + 1
            column = token.start() - text.rfind("\n", 0, token.start())
            return f"line {line} column {column}"
    return ""


def parse_json(text: str, path: str | Path, place: str = "") -> Any:
    """A JSON value; what Python reads beyond JSON (NaN, Infinity) is refused."""

    def refuse(constant: str) -> NoReturn:
        raise InputError(path, place or _constant_place(text), f"{constant} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        where = place or f"line {error.lineno} column {error.colno}"
        raise InputError(path, where, f"not JSON: {error.msg}") from None
    except InputError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise InputError(path, place, f"not usable: {error}") from None
    except RecursionError:
        raise InputError(path, place, "not usable: nested too deeply") from None
