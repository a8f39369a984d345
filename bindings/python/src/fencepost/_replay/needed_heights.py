"""Detects that no fix of a replay has the heights that the bands of its conditions need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from .._errors import Advice, warn
from .._files.condition_files import ConditionRow
from .._files.tracks import FixRow
from .._tables.names import BESIDE, like_heights
from .._tables.numbers import listed

_NO_COLUMNS: Mapping[str, str] = MappingProxyType({})
_BEFORE_BESIDE = 4
"""The number of values of a fix before its error ellipse and its heights."""


class NeededHeights:
    """The kinds of heights that bands need and that no fix has had so far."""

    def __init__(self, conditions: Iterable[ConditionRow] = ()) -> None:
        self._missing: dict[str, str] = {}
        """The name of each kind, and the identifier of the first condition that needs it."""
        for row in conditions:
            if row.band is not None:
                for kind in row.band._needs():
                    self._missing.setdefault(kind, row.identifier)

    def see_columns(self, beside: Sequence[Sequence[float]]) -> None:
        """Takes a batch of fixes: the columns of their error ellipses and heights, or fewer columns."""
        if self._missing:
            for name, column in zip(BESIDE, beside):
                if name in self._missing and any(value == value for value in column):
                    del self._missing[name]

    def see(self, fixes: Iterable[FixRow]) -> None:
        """Takes the fixes of a track."""
        for fix in fixes:
            if not self._missing:
                return
            for name, value in zip(BESIDE, fix[_BEFORE_BESIDE:]):
                if name in self._missing and value == value:
                    del self._missing[name]

    def warn(self, source: str | Path, names: Iterable[str] = (), columns: Mapping[str, str] = _NO_COLUMNS) -> None:
        """Warns if a kind is still missing.

        Args:
            source: The path, or the name of the argument.
            names: The names of the columns of the source. The warning states those that look like heights of the kind.
            columns: The names of columns that the caller passed.
        """
        for kind, identifier in self._missing.items():
            reason = f"no fix has the {kind} that the band of condition {identifier!r} needs"
            reason += ", so fixes inside it on the map do not change its state"
            act = "name the column with"
            if like := like_heights(kind, names, columns):
                shown = listed([repr(name) for name in like])
                reason += f"; the names of these columns do not state a {kind} in metres above the ellipsoid: {shown}"
                act = f"if such a column has it, or after a conversion, {act}"
            column = Advice(f"{act} columns={{{kind!r}: NAME}}", f"{act} --columns {kind}=NAME")
            warn(source, "", reason, column)
            return
