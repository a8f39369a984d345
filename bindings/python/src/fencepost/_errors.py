"""The errors and warnings of readers, and the import of optional libraries (installed by extras of the package)."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ._native import FencepostError, InvalidArgumentError

if TYPE_CHECKING:
    from pathlib import Path

_Kind = TypeVar("_Kind")


def reason_of(error: FencepostError) -> str:
    """The message of an error, without the row that the library puts before it."""
    return str(error) if error._reason is None else error._reason


def at_row(error: InvalidArgumentError, row: int) -> InvalidArgumentError:
    """The same error about another row. A call that takes the rows in parts, or each value once, knows the rows of its
    caller."""
    moved = type(error)(f"row {row}: {reason_of(error)}")
    moved.position, moved._reason, moved._argument = row, reason_of(error), error._argument
    return moved


class Advice(NamedTuple):
    """The advice in a message, worded for each interface, for example ``sort=False keeps it`` in Python and
    ``--no-sort keeps it`` in a shell."""

    python: str
    command: str


def published(kind: type[_Kind]) -> type[_Kind]:
    """For a class, sets the module that tracebacks and warnings show to the public module.

    If `__module__` were set in the class body, Python 3.13 would look for the class's source in the package's
    `__init__`.
    """
    kind.__module__ = __name__.rpartition(".")[0] + ".errors"
    return kind


def said(source: str | Path, place: str, reason: str, advice: str = "") -> str:
    """Returns the text of an error or a warning. The text is always one line, even if a file's name contains line
    breaks."""
    text = "; ".join(filter(None, (" ".join(reason.split()), advice)))
    name = "".join(_escaped(character) for character in str(source))
    return ": ".join(part for part in (name, place, text) if part)


def _escaped(character: str) -> str:
    """Returns one character of a name in printable form. Control characters, line separators and lone surrogates are
    escaped."""
    odd = (
        character < " "
        or "\x7f" <= character < "\xa0"
        or "\ud800" <= character <= "\udfff"
        or character in "\u2028\u2029"
    )
    return character.encode("unicode_escape").decode() if odd else character


@published
class InputError(InvalidArgumentError):
    """A file or a table cannot be used. The message is one line that names the source, the place in it, and the reason.

    Attributes:
        source: The file's path, or the name of the argument.
        place: The place in the source, for example ``line 3`` or ``row 2``. The place is empty if the error is about
            the whole source.
        reason: Why the source cannot be used.
        row: The row of a table, counted from 0. The row is None if the error is not about one row of a table.
        result: If the error occurred while :meth:`Monitor.feed_many` was feeding a stream, the :class:`FeedResult` of
            the earlier batches, which were applied. The result is None if nothing was fed.

    Example:
        >>> from fencepost import replay
        >>> try:
        ...     replay("missing.csv", {})
        ... except InputError as error:
        ...     print(error)
        missing.csv: No such file or directory
    """

    result: Any = None

    def __init__(
        self, source: str | Path, place: str, reason: str, row: int | None = None, advice: Advice | None = None
    ) -> None:
        super().__init__(said(source, place, reason, advice.python if advice else ""))
        self.source, self.place, self.reason, self.row, self._advice = str(source), place, reason, row, advice
        self.position = row or 0

    @property
    def _for_command(self) -> str:
        """The message, with advice that names command-line options."""
        return said(self.source, self.place, self.reason, self._advice.command if self._advice else "")

    @classmethod
    def of_row(cls, source: str, row: int, reason: str, advice: Advice | None = None) -> InputError:
        """An error about one row of a table.

        Example:
            >>> str(InputError.of_row("fixes", 3, "has no time"))
            'fixes: row 3: has no time'
        """
        return cls(source, f"row {row}", reason, row, advice)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.place, self.reason, self.row, self._advice)


@published
class InputWarning(UserWarning):
    """A file or a table is used, but probably not in the way that was intended.

    The message is one line that names the source, the place in it, and the reason. The command prints the message on
    standard error; a Python program gets a warning.

    Attributes:
        source: The file's path, or the name of the argument.
        place: The place in the source, for example ``line 3``. The place is empty if the warning is about the whole
            source.
        reason: Why the warning is given.

    Example:
        >>> print(InputWarning("track.csv", "", "3 of 20 fixes are earlier than a previous one: sorted by time"))
        track.csv: 3 of 20 fixes are earlier than a previous one: sorted by time
    """

    def __init__(self, source: str | Path, place: str, reason: str, advice: Advice | None = None) -> None:
        super().__init__(said(source, place, reason, advice.python if advice else ""))
        self.source, self.place, self.reason, self._advice = str(source), place, " ".join(reason.split()), advice

    @property
    def _for_command(self) -> str:
        """The message, with advice that names command-line options."""
        return said(self.source, self.place, self.reason, self._advice.command if self._advice else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.place, self.reason, self._advice)


def warn(source: str | Path, place: str, reason: str, advice: Advice | None = None) -> None:
    """Issues an :class:`InputWarning`. The warning points to the line of the user's code that called into the
    package."""
    package = __name__.rpartition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(InputWarning(source, place, reason, advice), stacklevel=level)


@published
class MissingExtraError(FencepostError, ImportError):  # type: ignore[misc]
    """A function needs a library that is not installed. The message contains the command that installs the library
    through an extra of this package.

    Attributes:
        extra: Name of the extra.

    Example:
        >>> print(MissingExtraError("bokeh", "report"))
        bokeh is not installed: pip install 'fencepost[report]'
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed: pip install 'fencepost[{extra}]'")
        self.library, self.extra = library, extra

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.library, self.extra)


def require(library: str, extra: str) -> Any:
    """Imports an optional library.

    Raises:
        MissingExtraError: The library is not installed.
    """
    from importlib import import_module

    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or not library.startswith(error.name):
            raise
        raise MissingExtraError(library.partition(".")[0], extra) from None
