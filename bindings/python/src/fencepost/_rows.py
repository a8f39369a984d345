"""Results that are rows: a sequence that turns into a table."""

from __future__ import annotations

import io
import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from html import escape
from typing import IO, Any, Generic, TypeAlias, TypeVar, overload

T = TypeVar("T")
Target: TypeAlias = str | os.PathLike[str] | IO[str] | None
"""A path, an open text file, or None for the text itself."""
_SHOWN = 60


class Rows(Sequence[T], Generic[T]):
    """A sequence whose elements are also the rows of a table."""

    _rows: tuple[T, ...]

    def __init__(self, rows: Iterable[T]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[T]:
        return iter(self._rows)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._rows[index]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._rows == other._rows

    __hash__ = None  # type: ignore[assignment]

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns of equal length; times are aware, UTC."""

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``: times are ``datetime64[us, UTC]``, durations ``timedelta64``.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        from ._files import require

        pandas = require("pandas", "geo")
        frame = {}
        for name, values in self.columns().items():
            kinds = {type(value) for value in values if value is not None}
            if name in self._times():
                plain = [None if value is None else value.replace(tzinfo=None) for value in values]
                series = pandas.Series(pandas.array(plain, dtype="datetime64[us]")).dt.tz_localize("UTC")
            elif name in self._durations():
                series = pandas.Series(pandas.array(values, dtype="timedelta64[us]"))
            elif kinds <= {float, int} and kinds and (float in kinds or None in values):
                series = pandas.Series(values, dtype=float)
            else:
                series = pandas.Series(values, dtype=None if kinds - {str} else object)
            frame[name] = series
        return pandas.DataFrame(frame)

    def to_csv(self, target: Target = None) -> str | None:
        """The table as CSV with a header: ISO 8601 times, durations in seconds, nothing where there is nothing.

        Args:
            target: Path or open text file; None: the text is returned.
        """

        def write(stream: IO[str]) -> None:
            import csv

            writer = csv.writer(stream, lineterminator="\n")
            columns = self.columns()
            writer.writerow(columns)
            writer.writerows([_cell(value) for value in row] for row in zip(*columns.values()))

        return write_to(target, write)

    def _times(self) -> Sequence[str]:
        """Columns that are times even where all are missing."""
        return ()

    def _durations(self) -> Sequence[str]:
        """Columns that are durations."""
        return ()

    def _summary(self) -> str:
        return f"{len(self)} rows"

    def __repr__(self) -> str:
        return f"<fencepost.{type(self).__name__}: {self._summary()}>"

    def _repr_html_(self) -> str:
        columns = self.columns()
        heads = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(shown(value))}</td>" for value in row) + "</tr>"
            for row, _ in zip(zip(*columns.values()), range(_SHOWN))
        )
        more = f"<p>… and {len(self) - _SHOWN} more</p>" if len(self) > _SHOWN else ""
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
        return f"<p>{escape(type(self).__name__)}: {escape(self._summary())}</p>{table}{more}"


def _cell(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return value.total_seconds()
    return "" if value is None else value


def shown(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def write_to(target: Target, write: Any) -> str | None:
    """Calls `write` with a text stream on the target; returns the text when there is none."""
    if target is None:
        stream = io.StringIO()
        write(stream)
        return stream.getvalue()
    if isinstance(target, str | os.PathLike):
        with open(target, "w", encoding="utf-8", newline="") as file:
            write(file)
    else:
        write(target)
    return None
