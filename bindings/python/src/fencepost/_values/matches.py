"""The results of queries with many points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._native import InvalidArgumentError
from .._tables.labels import told_apart
from .._tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy import float64, int64
    from numpy.typing import NDArray
    from pandas import DataFrame


class Matches(Table):
    """Pairs of a point and a condition: either the condition contains the point, or the condition's boundary is among
    the nearest boundaries.

    The pairs are stored as compressed rows, which ``scipy.sparse`` accepts unchanged: the pairs of point ``i`` are at
    ``offsets[i]`` to ``offsets[i + 1]``. :meth:`to_pandas` and the Arrow stream give a table with one row for each
    pair.

    Example:
        >>> from fencepost import Circle, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(Circle(0, 0, radius=1000), "a")
        >>> monitor.add(Circle(0, 0.005, radius=1000), "b")
        >>> found = monitor.containing([0, 50, 0], [0, 0, 0.01])
        >>> found
        <Matches: 3 of 3 points with 2 conditions>
        >>> found.offsets.tolist(), [found.identifiers[index] for index in found.indices]
        ([0, 2, 2, 3], ['a', 'b', 'b'])
        >>> found[0], found[1]
        (['a', 'b'], [])
    """

    __slots__ = ("_distances", "_identifiers", "_index", "_indices", "_offsets")

    _offsets: NDArray[int64]
    _indices: NDArray[int64]
    _distances: NDArray[float64] | None
    _index: Any

    def __init__(self, offsets: Any, indices: Any, identifiers: Sequence[str], distances: Any | None) -> None:
        self._offsets, self._indices, self._distances = offsets, indices, distances
        self._identifiers, self._index = tuple(identifiers), None

    def _labelled(self, index: Any) -> Matches:
        """Sets the index that the points have in pandas, and returns this object."""
        self._index = index
        return self

    @property
    def offsets(self) -> NDArray[int64]:
        """For each point, the index in :attr:`indices` at which the point's conditions begin; the last element is the
        total number of pairs. The array of ``int64`` has one more element than there are points."""
        return self._offsets

    @property
    def indices(self) -> NDArray[int64]:
        """The conditions, as indices into :attr:`identifiers`: an array of ``int64``."""
        return self._indices

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The identifiers of the conditions that occur in these pairs, in the order in which the conditions were
        added."""
        return self._identifiers

    @property
    def distances(self) -> NDArray[float64] | None:
        """The signed distances in metres from the points to the boundaries, as an array of ``float64``; a distance is
        negative if the point is inside. The value is None if distances were not requested."""
        return self._distances

    @property
    def rows(self) -> NDArray[int64]:
        """For each pair, the index of its point: an array of ``int64``."""
        import numpy

        return numpy.repeat(numpy.arange(len(self._offsets) - 1), numpy.diff(self._offsets))

    def __len__(self) -> int:
        """The number of pairs."""
        return len(self._indices)

    def __getitem__(self, point: int) -> list[str]:
        """The identifiers of the conditions that are paired with one point.

        Raises:
            IndexError: There is no such point.
        """
        points = len(self._offsets) - 1
        at = point + points if point < 0 else point
        if not 0 <= at < points:
            raise IndexError(f"point {point} of {points}")
        return [self._identifiers[index] for index in self._indices[self._offsets[at] : self._offsets[at + 1]]]

    def columns(self) -> dict[str, list[Any]]:
        """The pairs as columns: ``point``, ``identifier`` and, if requested, ``distance``."""
        found: dict[str, list[Any]] = {
            "point": self.rows.tolist(),
            "identifier": [self._identifiers[index] for index in self._indices.tolist()],
        }
        if self._distances is not None:
            found["distance"] = self._distances.tolist()
        return found

    def _kinds(self) -> dict[str, str]:
        return {"point": "int", "identifier": "text", "distance": "float"}

    def to_pandas(self, index: Collection[object] | None = None) -> DataFrame:
        """The pairs as a ``pandas.DataFrame`` of ``identifier`` and ``distance``, with the points as index.

        Args:
            index: Labels of the points, as a pandas index. None means the index of the pandas columns that contained
                the points, or the numbers of the points if these columns have no index.
                ``frame.join(matches.to_pandas())`` gives the frame with one row for each pair.

        Raises:
            InvalidArgumentError: The number of labels differs from the number of points, or a label occurs twice.
            MissingExtraError: pandas is not installed.
        """
        from .._errors import require

        pandas, numpy = require("pandas", "geo"), require("numpy", "geo")
        names = numpy.array([*self._identifiers, None], dtype=object)[:-1]
        data = {"identifier": pandas.Series(names[self._indices], dtype=object)}
        if self._distances is not None:
            data["distance"] = pandas.Series(self._distances)
        frame: DataFrame = pandas.DataFrame(data)
        index = self._index if index is None else index
        if index is None:
            frame.index = pandas.Index(self.rows, name="point")
            return frame
        points = len(self._offsets) - 1
        if len(index) != points:
            raise InvalidArgumentError(f"the index has {len(index)} labels, but there are {points} points")
        frame.index = told_apart(index).take(self.rows)
        return frame

    def __repr__(self) -> str:
        return f"<Matches: {len(self)} of {len(self._offsets) - 1} points with {len(self._identifiers)} conditions>"
