"""Reading files as bytes, texts and JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from .._errors import InputError


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
