"""Reads files as bytes, text or JSON."""

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

MOST_LINE = 1 << 24
"""The largest number of characters in a line of text. A line longer than this cannot be a row of a table."""

_ENCODINGS = re.compile(
    r"ascii|utf-(8|16|32).*|iso8859-.*|iso2022.*|cp[0-9]+|koi8-.*|kz1048|ptcp154|tis-620|mac-.*|hp-roman8|mbcs"
    r"|gb2312|gbk|gb18030|hz|big5.*|shift_jis.*|euc_.*|johab"
)
"""The names of text file encodings, as Python's codecs call them. Python's other codecs (``punycode``, ``undefined``,
``unicode_escape``) are not file encodings, and some need quadratic time."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class LongLineError(ValueError):
    """A line is longer than :data:`MOST_LINE`. `lines` is the number of lines before the long line."""

    def __init__(self, lines: int) -> None:
        super().__init__(f"is longer than {MOST_LINE >> 20} MiB")
        self.lines = lines


def path_text(path: str | os.PathLike[str]) -> str:
    """Converts a path to text.

    Raises:
        InputError: The path contains NUL or a lone surrogate, which no file name can contain.
    """
    text = os.fsdecode(path)
    try:
        os.fsencode(text)
        if "\0" not in text:
            return text
    except UnicodeEncodeError:
        pass
    raise InputError(text, "", "is not a valid file path")


def read_bytes(path: str | Path) -> bytes:
    """The whole file."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error)) from None


def decode(data: bytes, path: str | Path, encoding: str = "utf-8") -> str:
    """Decodes the bytes of a file; a byte order mark determines the encoding and is dropped."""
    marked = marked_encoding(data)
    try:
        name = codecs.lookup(marked or encoding).name
    except (LookupError, ValueError):
        name = ""
    if not _ENCODINGS.fullmatch(name):
        raise InputError(path, "line 1", f"unknown encoding {encoding!r}; save the file as UTF-8")
    try:
        return data.decode("utf-8-sig" if name == "utf-8" else name)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        reason = f"byte {error.start} is not {error.encoding.upper()} text; save the file as UTF-8"
        raise InputError(path, f"line {line}", reason) from None


def marked_encoding(data: bytes) -> str:
    """The encoding that the byte order mark names; empty if there is no mark, or if the mark names UTF-8."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")


def text_pieces(file: BufferedIOBase, size: int) -> Iterator[str]:
    """Yields the text of a file that may be larger than the memory, in pieces of about `size` characters; each piece
    consists of whole lines.

    A byte order mark determines the encoding and is dropped, as in :func:`decode`.

    Raises:
        UnicodeDecodeError: The next line is not UTF-8 text.
        LongLineError: A line is longer than :data:`MOST_LINE`, so it is not held in memory.
    """
    data = file.read(size)
    decoder = codecs.getincrementaldecoder(marked_encoding(data) or "utf-8-sig")()
    held: list[str] = []  # the beginning of an incomplete line
    length = 0
    while True:
        refused = None
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            refused, text = error, error.object[: error.start].decode(error.encoding)
        # A carriage return at the end of the text may be the first half of a line ending.
        end = len(text) - (bool(data) and text.endswith("\r"))
        cut = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1 if data else len(text)
        if (cut or not data) and (piece := "".join([*held, text[:cut]])):
            held.clear()
            length = 0
            yield piece
        if refused is not None:
            raise refused
        if not data:
            return
        held.append(text[cut:])
        length += len(text) - cut
        if length > MOST_LINE:
            raise LongLineError(0)
        data = file.read(size)


def check_lines(text: str) -> None:
    """Refuses a line that is longer than :data:`MOST_LINE`.

    Raises:
        LongLineError: A line is longer than :data:`MOST_LINE`.
    """
    half = MOST_LINE // 2
    for begin in range(0, len(text) - half, half):  # any line that is too long contains at least one of the ranges
        if text.find("\n", begin, begin + half) < 0 and text.find("\r", begin, begin + half) < 0:
            start = max(text.rfind("\n", 0, begin), text.rfind("\r", 0, begin)) + 1
            if (
                not any(text.find(end, start, start + MOST_LINE) >= 0 for end in "\n\r")
                and len(text) - start > MOST_LINE
            ):
                raise LongLineError(line_count(text[:start]))


def line_count(text: str) -> int:
    """The number of lines of a text; the last line may lack its line ending."""
    ends = text.count("\n")
    if "\r" in text:
        ends += text.count("\r") - text.count("\r\n")
    return ends + (not text.endswith(("\n", "\r")) if text else 0)


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file."""
    return decode(read_bytes(path), path)


def _constant_place(text: str) -> str:
    """The line and the column of the first NaN or Infinity outside a string."""
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', text, re.DOTALL):
        if not token[0].startswith('"'):
            line = text.count("\n", 0, token.start()) + 1
            column = token.start() - text.rfind("\n", 0, token.start())
            return f"line {line} column {column}"
    return ""


def parse_json(text: str, path: str | Path, place: str = "") -> Any:
    """Parses JSON; NaN and Infinity, which Python accepts beyond JSON, are refused."""

    def refuse(constant: str) -> NoReturn:
        raise InputError(path, place or _constant_place(text), f"{constant} is not valid JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        where = place or f"line {error.lineno} column {error.colno}"
        raise InputError(path, where, f"not valid JSON: {error.msg}") from None
    except InputError:
        raise
    except ValueError as error:  # the number has thousands of digits
        raise InputError(path, place, f"cannot be read: {error}") from None
    except RecursionError:
        raise InputError(path, place, "cannot be read: nested too deeply") from None
