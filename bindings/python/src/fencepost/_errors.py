"""The errors that readers raise and the warnings that they give, and what asks for a library that an extra installs."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ._native import FencepostError, InvalidArgumentError

if TYPE_CHECKING:
    from pathlib import Path

_Kind = TypeVar("_Kind")


class Advice(NamedTuple):
    """The remedy in the words of each interface: ``sort=False keeps it`` in Python, ``--no-sort keeps it`` in a
    shell."""

    python: str
    command: str


def published(kind: type[_Kind]) -> type[_Kind]:
    """Gives a class the module that tracebacks and warnings name: the public one.

    Set in the body of the class it would make Python 3.13 look for the source in the package's `__init__`.
    """
    kind.__module__ = __name__.rpartition(".")[0] + ".errors"
    return kind


def said(source: str | Path, place: str, reason: str, advice: str = "") -> str:
    """The one line of an error or a warning, whatever a file is called."""
    text = "; ".join(filter(None, (" ".join(reason.split()), advice)))
    name = "".join(_escaped(character) for character in str(source))
    return ": ".join(part for part in (name, place, text) if part)


def _escaped(character: str) -> str:
    """A character of a name as it can be printed on one line: no end of a line, no half of a surrogate pair."""
    odd = (
        character < " "
        or "\x7f" <= character < "\xa0"
        or "\ud800" <= character <= "\udfff"
        or character in "\u2028\u2029"
    )
    return character.encode("unicode_escape").decode() if odd else character


@published
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

    result: Any = None

    def __init__(
        self, source: str | Path, place: str, reason: str, row: int | None = None, advice: Advice | None = None
    ) -> None:
        super().__init__(said(source, place, reason, advice.python if advice else ""))
        self.source, self.place, self.reason, self.row, self._advice = str(source), place, reason, row, advice
        self.position = row or 0

    @property
    def _for_command(self) -> str:
        """The text with the options of the command line."""
        return said(self.source, self.place, self.reason, self._advice.command if self._advice else "")

    @classmethod
    def of_row(cls, source: str, row: int, reason: str, advice: Advice | None = None) -> InputError:
        """About one row of a table.

        Example:
            >>> str(InputError.of_row("fixes", 3, "has no time"))
            'fixes: row 3: has no time'
        """
        return cls(source, f"row {row}", reason, row, advice)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.place, self.reason, self.row, self._advice)


@published
class InputWarning(UserWarning):
    """A file or a table is used, but most likely not as it was meant: which one, where in it, and why.

    Its text is one line. The command prints it on standard error; in Python it is a warning.

    Attributes:
        source: The file's path, or the name of the argument.
        place: Where in it, for example ``line 3``; empty: all of it.
        reason: The cause.

    Example:
        >>> print(InputWarning("track.csv", "", "3 of 20 fixes are earlier than one before: sorted by time"))
        track.csv: 3 of 20 fixes are earlier than one before: sorted by time
    """

    def __init__(self, source: str | Path, place: str, reason: str, advice: Advice | None = None) -> None:
        super().__init__(said(source, place, reason, advice.python if advice else ""))
        self.source, self.place, self.reason, self._advice = str(source), place, " ".join(reason.split()), advice

    @property
    def _for_command(self) -> str:
        """The text with the options of the command line."""
        return said(self.source, self.place, self.reason, self._advice.command if self._advice else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.place, self.reason, self._advice)


def warn(source: str | Path, place: str, reason: str, advice: Advice | None = None) -> None:
    """Issues the warning at the line that called into the package."""
    package = __name__.rpartition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(InputWarning(source, place, reason, advice), stacklevel=level)


@published
class MissingExtraError(FencepostError, ImportError):  # type: ignore[misc]
    """Something needs a library that an extra of the package installs. The text is the command to run.

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
        MissingExtraError: It is not installed.
    """
    from importlib import import_module

    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or not library.startswith(error.name):
            raise
        raise MissingExtraError(library.partition(".")[0], extra) from None
