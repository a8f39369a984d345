"""The errors that readers raise, and what asks for a library that an extra installs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
