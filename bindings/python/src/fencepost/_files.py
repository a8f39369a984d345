"""Reading files, and the errors that all readers raise."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from ._native import FencepostError, InvalidArgumentError


class InputError(InvalidArgumentError):
    """A file or a table cannot be used: which one, where in it, and why. Its text is one line.

    Attributes:
        source: The file's path, or the name of the argument.
        place: Where in it, for example ``line 3`` or ``row 2``; empty: all of it.
        reason: Why.
        row: Of a table the row, counted from 0; None: it is not about one row of a table.
        result: Of a stream that :meth:`Monitor.feed_many` was feeding: the :class:`FeedResult` of the batches before,
            which took effect; None: nothing was fed.

    Example:
        >>> from fencepost import replay
        >>> try:
        ...     replay("missing.csv", {})
        ... except InputError as error:
        ...     print(error)
        missing.csv: No such file or directory
    """

    __module__ = "fencepost"  # as tracebacks name it

    result: Any = None

    def __init__(self, source: str | Path, place: str, reason: str, row: int | None = None) -> None:
        super().__init__(": ".join(part for part in (str(source), place, " ".join(reason.split())) if part))
        self.source, self.place, self.reason, self.row = str(source), place, reason, row
        self.position = row or 0

    @classmethod
    def of_row(cls, source: str, row: int, reason: str) -> InputError:
        """About one row of a table.

        Example:
            >>> str(InputError.of_row("fixes", 3, "has no time"))
            'fixes: row 3: has no time'
        """
        return cls(source, f"row {row}", reason, row)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.place, self.reason, self.row)


class MissingExtraError(FencepostError, ImportError):  # type: ignore[misc]
    """Something needs a library that an extra of the package installs. The text is the command to run.

    Attributes:
        extra: Name of the extra.

    Example:
        >>> print(MissingExtraError("bokeh", "report"))
        bokeh is not installed: pip install 'fencepost[report]'
    """

    __module__ = "fencepost"  # as tracebacks name it

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed: pip install 'fencepost[{extra}]'")
        self.library, self.extra = library, extra

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.library, self.extra)


def require(library: str, extra: str) -> Any:
    """Imports an optional library.

    Raises:
        MissingExtraError: It is not installed.
    """
    from importlib import import_module

    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or not library.startswith(error.name):
            raise
        raise MissingExtraError(library.partition(".")[0], extra) from None


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
