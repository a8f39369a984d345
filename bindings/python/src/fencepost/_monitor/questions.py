"""Queries about points."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from math import nan

from .._native import InvalidArgumentError
from .._tables.numbers import integer, is_number, real
from .._values.arguments import column_names

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .._typing import overload
else:
    from concurrent.futures import ThreadPoolExecutor
    from typing import Any, TypeAlias, overload

    from numpy import float64
    from numpy.typing import NDArray
    from pandas import DataFrame

    from .._tables.buffers import ArrowStream, NumberColumn, TimeColumn
    from .._tables.times import Time
    from .._values.matches import Matches

    Times: TypeAlias = TimeColumn | Iterable[Time | None]
    Qualities: TypeAlias = tuple[()] | tuple[tuple[Any, ...]]

_PART = 1 << 18
"""The number of points that are passed to the library in one call. Ctrl-C is handled between two calls."""
_FEWEST = 1 << 12
"""Points are divided among several threads only if there are more points than this number."""


class MonitorQuestions:
    """Queries about the conditions of a monitor or a table. Queries change nothing."""

    __slots__ = ()
    _handle: Any

    if TYPE_CHECKING:

        def __len__(self) -> int: ...

    @overload
    def containing(
        self,
        latitude: float,
        longitude: float,
        /,
        *,
        altitude: float | None = None,
        geoid_height: float | None = None,
        ground_height: float | None = None,
        time: Time | None = None,
    ) -> list[str]: ...
    @overload
    def containing(
        self,
        latitude: NumberColumn,
        longitude: NumberColumn,
        /,
        *,
        distances: bool = False,
        threads: int = 1,
        altitude: NumberColumn | None = None,
        geoid_height: NumberColumn | None = None,
        ground_height: NumberColumn | None = None,
        time: Times | None = None,
    ) -> Matches: ...
    @overload
    def containing(
        self,
        points: DataFrame,
        /,
        *,
        columns: Mapping[str, str] | None = None,
        distances: bool = False,
        threads: int = 1,
        altitude: NumberColumn | None = None,
        geoid_height: NumberColumn | None = None,
        ground_height: NumberColumn | None = None,
        time: Times | None = None,
    ) -> DataFrame: ...
    @overload
    def containing(
        self,
        points: ArrowStream,
        /,
        *,
        columns: Mapping[str, str] | None = None,
        distances: bool = False,
        threads: int = 1,
        altitude: NumberColumn | None = None,
        geoid_height: NumberColumn | None = None,
        ground_height: NumberColumn | None = None,
        time: Times | None = None,
    ) -> Matches: ...
    def containing(
        self,
        points: Any,
        longitude: Any = None,
        /,
        *,
        columns: Mapping[str, str] | None = None,
        distances: bool = False,
        threads: int = 1,
        altitude: Any = None,
        geoid_height: Any = None,
        ground_height: Any = None,
        time: Any = None,
    ) -> Any:
        """For one point, or for each of many points, finds the conditions that contain the point. A point on the
        boundary is inside.

        The results depend only on the geometry, the bands and the schedules, and are exact on the ellipsoid. The
        results do not depend on the conditions' states or policies, or on the condition limit. Beacon conditions
        contain no points.

        Args:
            points: A latitude in degrees, a column of latitudes, or a table of points. A table of points is a
                GeoDataFrame or GeoSeries in any coordinate system, a DataFrame with columns of latitudes and
                longitudes, or an object that exports an Arrow stream.
            longitude: A longitude or a column of longitudes, in degrees, if `points` is a latitude or a column of
                latitudes. Columns of ``float64`` are read in place, even with strides or in reverse order; other
                columns are converted first.
            columns: The names of a table's columns for latitude, longitude or geometry, if the library does not
                recognise these names.
            distances: True to add a column with the signed distance to the boundary in metres, which is 0 or less
                because the point is inside.
            threads: The number of threads among which the points are divided; other Python threads can run during the
                call.
            altitude: The height of the point above the ellipsoid in metres, or a column of heights, for conditions with
                a band. A limit whose height is missing (None or NaN) is ignored.
            geoid_height: The height of mean sea level above the ellipsoid at the point, or a column.
            ground_height: The height of the ground above the ellipsoid at the point, or a column.
            time: The time of the point, as an aware datetime or in microseconds since 1970, or a column of times. A
                condition with a schedule contains the point only in the intervals of the schedule
                (:attr:`Timing.active`). Without a time (None or NaT), schedules are ignored. The other options of a
                timing do not matter.

        Returns:
            For one point, a list of the identifiers of the conditions that contain the point, in the order in which the
            conditions were added. For columns and Arrow tables, a :class:`Matches`; if the columns come from pandas,
            the result also has their index. For a frame, a DataFrame with one row for each pair of a point and a
            condition. The frame's index is the point's label in the input frame, and its columns are ``identifier``
            and, if requested, ``distance``. ``frame.join(found)`` gives the same result as a spatial join in GeoPandas.

        Raises:
            InvalidArgumentError: A point is out of range or missing (``position`` is the row number), the columns have
                different indexes, or a label occurs twice in the index of a frame.
            InputError: A table has no column with points.
            MissingExtraError: The call needs NumPy, pandas, GeoPandas or nanoarrow, which is not installed.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(37.3349, -122.0090, radius=200), "office")
            >>> monitor.containing(37.3349, -122.0091)
            ['office']
            >>> import pandas
            >>> frame = pandas.DataFrame({"lat": [37.3349, 0], "lon": [-122.0090, 0]}, index=["x", "y"])
            >>> print(monitor.containing(frame, distances=True))
              identifier  distance
            x     office    -200.0
        """
        if longitude is not None and columns is not None:
            raise TypeError("columns needs a table of points")
        heights = ("altitude", altitude), ("geoid_height", geoid_height), ("ground_height", ground_height)
        if is_number(points) and is_number(longitude):
            return list(self._located(points, longitude, _qualities(heights, time, is_single=True)))
        known = _qualities(heights, time, is_single=False)
        return self._asked(points, longitude, columns, lambda y, x: self._containing(y, x, distances, threads, known))

    @overload
    def nearest(self, latitude: float, longitude: float, /, k: int = 1) -> dict[str, float]: ...
    @overload
    def nearest(
        self, latitude: NumberColumn, longitude: NumberColumn, /, k: int = 1, *, threads: int = 1
    ) -> Matches: ...
    @overload
    def nearest(
        self, points: DataFrame, /, *, k: int = 1, columns: Mapping[str, str] | None = None, threads: int = 1
    ) -> DataFrame: ...
    @overload
    def nearest(
        self, points: ArrowStream, /, *, k: int = 1, columns: Mapping[str, str] | None = None, threads: int = 1
    ) -> Matches: ...
    def nearest(
        self,
        points: Any,
        longitude: Any = None,
        /,
        k: int = 1,
        *,
        columns: Mapping[str, str] | None = None,
        threads: int = 1,
    ) -> Any:
        """For one point, or for each of many points, finds the conditions whose boundaries are nearest to the point;
        the nearest condition comes first. Among conditions at equal distance, the condition that was added first comes
        first. A circle that contains the whole Earth has no boundary.

        Args:
            points: A latitude, a column of latitudes, or a table of points, as in :meth:`containing`.
            longitude: A longitude or a column of longitudes, with the same meaning as in :meth:`containing`.
            k: The largest number of conditions to find for each point.
            columns: The names of a table's columns, as in :meth:`containing`.
            threads: The number of threads among which the points are divided.

        Returns:
            For one point: a dict from identifiers to signed distances to the boundaries, in metres; a distance is
            negative if the point is inside. For a column or a table of points, a result of the same type as in
            :meth:`containing`; the result always includes the distances.

        Raises:
            InvalidArgumentError: A point is out of range or missing (``position`` is the row number), or `k` is
                negative.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(0, 0, radius=1000), "a")
            >>> monitor.add(Circle(0, 1, radius=1000), "b")
            >>> {name: round(distance) for name, distance in monitor.nearest(0, 0.75, 2).items()}
            {'b': 26830, 'a': 82490}
        """
        if longitude is not None and columns is not None:
            raise TypeError("columns needs a table of points")
        count = integer(k, "k", 0, (1 << 40))
        if is_number(points) and is_number(longitude):
            latitudes, longitudes = _single(points, longitude)
            room = min(count, len(self))
            generations, distances = array("Q", bytes(8 * room)), array("d", bytes(8 * room))
            found = self._handle.nearest(latitudes, longitudes, room, generations, distances)
            return self._named(generations[:found], distances[:found])
        return self._asked(points, longitude, columns, lambda y, x: self._nearest(y, x, count, threads))

    @overload
    def probability(
        self,
        identifier: str,
        latitude: float,
        longitude: float,
        accuracy: float = 0,
        *,
        ellipse: tuple[float, float, float] | None = None,
        covariance: tuple[float, float, float] | None = None,
        confidence: float = 0.68,
    ) -> float: ...
    @overload
    def probability(
        self,
        identifier: str,
        latitude: NumberColumn,
        longitude: NumberColumn,
        accuracy: NumberColumn | float = 0,
        *,
        ellipse: tuple[NumberColumn | float, NumberColumn | float, NumberColumn | float] | None = None,
        covariance: tuple[NumberColumn | float, NumberColumn | float, NumberColumn | float] | None = None,
        confidence: float = 0.68,
    ) -> NDArray[float64]: ...
    def probability(
        self,
        identifier: str,
        latitude: Any,
        longitude: Any,
        accuracy: Any = 0,
        *,
        ellipse: tuple[Any, Any, Any] | None = None,
        covariance: tuple[Any, Any, Any] | None = None,
        confidence: float = 0.68,
    ) -> Any:
        """The probability that the true position is inside the shape of a condition, for one measured position or for
        each of many.

        The true position is normally distributed around the measured position, in the azimuthal equidistant plane. Its
        error is an ellipse, a covariance or an accuracy. The probability is right to 1e-6 for circles, polygons with
        holes and parts, corridors and buffers, for axis ratios up to 1000.

        Args:
            identifier: The condition: a circle, a polygon or a corridor.
            latitude: The measured latitude in degrees, or a column of latitudes.
            longitude: The measured longitude in degrees, or a column of longitudes.
            accuracy: The radius in metres that holds the share `confidence` of the true positions; a number, or a
                column. 0 means that it is not reported.
            ellipse: The one-sigma error ellipse instead of the accuracy: the major and the minor semi-axis in metres
                (0 <= minor <= major), and the direction of the major axis in degrees clockwise from north. Each value
                is a number or a column. In a row with three NaN, the accuracy counts.
            covariance: The covariance matrix instead of the ellipse: the variance to the east, the covariance and the
                variance to the north, in square metres. Each value is a number or a column. The matrix must be positive
                definite.
            confidence: 0.01 to 0.9999: 0.68 for Android's accuracy, 0.95 for the ``eph`` of gpsd.

        Returns:
            For one position, a float; for columns, an array of ``float64``. The probability is 0 or 1, by the side of
            the measured position, if the boundary is farther away than 6.5 times the major semi-axis, or if no error is
            reported. It is NaN if the boundary is nearer and the major semi-axis is longer than 10 km. Semi-axes count
            as at least 1 cm.

        Raises:
            NotFoundError: No condition has that identifier.
            InvalidArgumentError: The condition is a beacon or a gate, or a value is out of its range (``position`` is
                the row number).
            MissingExtraError: The call has columns, and NumPy is not installed.

        Example:
            >>> from fencepost import Circle, Monitor
            >>> monitor = Monitor()
            >>> monitor.add(Circle(37.3349, -122.0090, radius=200), "office")
            >>> round(monitor.probability("office", 37.3349, -122.0090, accuracy=200), 6)
            0.68
            >>> monitor.probability("office", [37.3349, 37.3360], [-122.0090, -122.0110], accuracy=50).round(3).tolist()
            [1.0, 0.295]
        """
        from .._tables.ellipses import probability

        return probability(self._handle, identifier, latitude, longitude, accuracy, ellipse, covariance, confidence)

    def _located(self, latitude: Any, longitude: Any, known: Qualities = ()) -> dict[str, float]:
        latitudes, longitudes = _single(latitude, longitude)
        offsets, size = array("q", (0, 0)), 16
        while True:
            generations, distances = array("Q", bytes(8 * size)), array("d", bytes(8 * size))
            found = self._handle.containing(latitudes, longitudes, offsets, generations, distances, *known)
            if found <= size:
                return self._named(generations[:found], distances[:found])
            size = found

    def _named(self, generations: array[int], distances: array[float]) -> dict[str, float]:
        names = self._handle.identifiers_of(generations)
        return {name: distance for name, distance in zip(names, distances) if name is not None}

    def _asked(
        self, points: Any, longitude: Any, columns: Mapping[str, str] | None, ask: Callable[[Any, Any], Matches]
    ) -> Any:
        """Runs a query for the points of any supported object; the result has the labels of the points."""
        from .._tables.buffers import numbers
        from .._tables.labels import common_index, told_apart

        if longitude is not None:
            index = common_index(latitude=points, longitude=longitude)
            return ask(numbers(points, "latitude"), numbers(longitude, "longitude"))._labelled(index)
        if hasattr(points, "geometry") and hasattr(points, "crs"):
            index = told_apart(points.index)
            return ask(*_of_geometries(points, column_names(columns))).to_pandas(index)
        if hasattr(points, "iloc") and hasattr(points, "columns"):
            index = told_apart(points.index)
            return ask(*_of_frame(points, column_names(columns))).to_pandas(index)
        if hasattr(points, "__arrow_c_stream__"):
            return ask(*_of_stream(points, column_names(columns)))
        kind = type(points).__name__
        raise TypeError(f"the points must be a latitude and a longitude, columns or a table, not {kind}")

    def _containing(
        self, latitudes: Any, longitudes: Any, distances: bool, threads: int, known: Qualities = ()
    ) -> Matches:
        numpy = _numpy()
        handle, density = self._handle, 1.0
        for column in (each for every in known for each in every if each is not None):
            if len(column) != len(latitudes):
                kind = "time has" if column.format in "lq" else "heights have"
                raise InvalidArgumentError(f"{kind} {len(column)} rows, but latitude has {len(latitudes)}")

        def ask(first: int, last: int) -> tuple[Any, Any, Any]:
            nonlocal density
            rows = last - first
            offsets, room = numpy.empty(rows + 1, "i8"), int(rows * density * 1.1) + 64
            while True:
                generations, measured = numpy.empty(room, "u8"), numpy.empty(room) if distances else None
                given = (tuple(None if each is None else each[first:last] for each in columns) for columns in known)
                places = latitudes[first:last], longitudes[first:last]
                size = handle.containing(*places, offsets, generations, measured, *given)
                density = max(density, size / max(rows, 1))
                if size <= room:
                    return offsets, generations[:size], None if measured is None else measured[:size]
                room = size

        return self._matches(len(latitudes), len(longitudes), threads, ask)

    def _nearest(self, latitudes: Any, longitudes: Any, count: int, threads: int) -> Matches:
        numpy = _numpy()
        handle = self._handle
        room = min(count, len(self))

        def ask(first: int, last: int) -> tuple[Any, Any, Any]:
            rows = last - first
            generations, measured = numpy.empty(rows * room, "u8"), numpy.empty(rows * room)
            found = handle.nearest(latitudes[first:last], longitudes[first:last], room, generations, measured)
            generations, measured = (each.reshape(rows, room)[:, :found].ravel() for each in (generations, measured))
            return numpy.arange(rows + 1) * found, generations, measured

        return self._matches(len(latitudes), len(longitudes), threads, ask)

    def _matches(self, rows: int, others: int, threads: int, ask: Callable[[int, int], Any]) -> Matches:
        """Splits the points into parts, asks about the parts in several threads, and joins the results in order. Leaves
        out conditions that were removed while the query ran.

        Args:
            rows: The number of latitudes.
            others: The number of longitudes.
            threads: The number of threads.
            ask: Returns the results for the points in a range of rows: the offsets, the generations, and the distances
                or None.
        """
        from .._values.matches import Matches

        count = integer(threads, "threads", 1, 1024)
        if others != rows:
            raise InvalidArgumentError(f"longitude has {others} rows, but latitude has {rows}")
        numpy = _numpy()
        # Each thread gets several parts, so that all threads end at about the same time.
        parts = max(-(-rows // _PART), 1 if count == 1 else 4 * count)
        size = max(-(-rows // parts), _FEWEST)
        starts = range(0, max(rows, 1), size)

        def answer(first: int) -> tuple[Any, Any, Any, Any]:
            try:
                offsets, generations, distances = ask(first, min(first + size, rows))
            except InvalidArgumentError as error:
                if first:
                    from .._errors import at_row

                    raise at_row(error, error.position + first) from None
                raise
            return offsets, generations, distances, _distinct(numpy, generations)

        with _Workers(min(count, len(starts))) as workers:
            answers = list(workers.map(answer, starts))
            ends = [0, *accumulate(len(generations) for _, generations, _, _ in answers)]
            offsets, indices = numpy.empty(rows + 1, "i8"), numpy.empty(ends[-1], "i8")
            distances = None if answers[0][2] is None else numpy.empty(ends[-1])
            known = _distinct(numpy, numpy.concatenate([each[3] for each in answers]))
            places = _places(numpy, known)

            def join(part: int) -> None:
                own, generations, measured, _ = answers[part]
                first, begin, end = starts[part], ends[part], ends[part + 1]
                numpy.add(own[:-1], begin, out=offsets[first : first + len(own) - 1])
                indices[begin:end] = places(generations)
                if distances is not None:
                    distances[begin:end] = measured

            offsets[rows] = ends[-1]
            joining = workers.map(join, range(len(answers)))
            names = self._handle.identifiers_of(known)
            list(joining)
        if None in names:
            there = numpy.array([name is not None for name in names], bool)
            kept = there[indices]
            indices = (numpy.cumsum(there) - 1)[indices[kept]]
            offsets = numpy.concatenate([[0], numpy.cumsum(kept)]).astype("i8")[offsets]
            distances = None if distances is None else distances[kept]
            names = [name for name in names if name is not None]
        return Matches(offsets, indices, names, distances)


def _single(latitude: Any, longitude: Any) -> tuple[array[float], array[float]]:
    return array("d", (float(real(latitude, "latitude")),)), array("d", (float(real(longitude, "longitude")),))


def _qualities(heights: Iterable[tuple[str, Any]], time: Any, is_single: bool) -> Qualities:
    """The columns of heights and times as the only element of a tuple, or an empty tuple without heights and times."""
    given = list(heights)
    if time is None and all(height is None for _, height in given):
        return ()
    from .._tables.buffers import numbers

    found: list[Any] = []
    for name, height in given:
        if height is None:
            found.append(None)
        elif is_single:
            found.append(array("d", (float(real(height, name)),)))
        else:
            found.append(numbers(height, name, none=nan))
    found.append(None if time is None else _time_column([time] if is_single else time))
    return (tuple(found),)


def _time_column(given: Any) -> Any:
    """A column of times in microseconds; a missing time is :data:`NO_TIME`."""
    from .._tables.buffers import microseconds

    return microseconds(given, "time")


def _numpy() -> Any:
    from .._errors import require

    return require("numpy", "geo")


def _is_sparse(highest: int, count: int) -> bool:
    """True if a table of all generations would be much larger than a column of generations."""
    return highest > 4 * count + (1 << 22)


def _distinct(numpy: Any, generations: Any) -> Any:
    """Returns the distinct generations in ascending order."""
    if _is_sparse(int(generations.max()) if len(generations) else 0, len(generations)):
        return numpy.unique(generations)
    return numpy.flatnonzero(numpy.bincount(generations.view("i8"))).astype("u8")


def _places(numpy: Any, known: Any) -> Callable[[Any], Any]:
    """Returns a function that finds the index of each generation among the known ones, which are in ascending order."""
    highest = int(known[-1]) if len(known) else 0
    if _is_sparse(highest, len(known)):
        return lambda generations: numpy.searchsorted(known, generations)
    places = numpy.zeros(highest + 1, "i8")
    places[known] = numpy.arange(len(known))
    return lambda generations: places.take(generations.view("i8"))


class _Workers:
    """Runs work in several threads or, if `count` is 1, in the calling thread."""

    def __init__(self, count: int) -> None:
        self._pool: ThreadPoolExecutor | None = None
        if count > 1:
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(count)

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def map(self, work: Callable[[int], Any], places: Iterable[int]) -> Iterator[Any]:
        """Yields the results in order. With several threads, all work starts at once."""
        return map(work, places) if self._pool is None else self._pool.map(work, places)


def _of_geometries(points: Any, columns: Mapping[str, str]) -> tuple[Any, Any]:
    """The latitudes and longitudes of a GeoDataFrame or a GeoSeries."""
    from .._tables.buffers import numbers

    if columns.keys() - {"geometry"}:
        raise TypeError("columns: for a GeoDataFrame, only the column of the geometry can be named")
    shapes = points[columns["geometry"]] if "geometry" in columns else points.geometry
    if shapes.crs is not None and shapes.crs.to_epsg() != 4326:
        shapes = shapes.to_crs(4326)
    for row in (~(shapes.geom_type.isna() | (shapes.geom_type == "Point"))).to_numpy().nonzero()[0]:
        error = InvalidArgumentError(f"row {row}: the geometry is a {shapes.geom_type.iloc[row]}; must be a point")
        error.position = int(row)
        raise error
    return numbers(shapes.y.to_numpy(), "latitude"), numbers(shapes.x.to_numpy(), "longitude")


def _of_frame(points: Any, columns: Mapping[str, str]) -> tuple[Any, Any]:
    """The latitudes and longitudes of a pandas DataFrame."""
    from .._tables.buffers import numbers
    from .._tables.names import CONDITIONS, POSITION, find

    known = {name: CONDITIONS[name] for name in POSITION}
    found = find([str(name) for name in points.columns], known, columns, POSITION)
    latitude, longitude = (numbers(points.iloc[:, found[name]], name) for name in POSITION)
    return latitude, longitude


def _of_stream(points: Any, columns: Mapping[str, str]) -> tuple[Any, Any]:
    """The latitudes and longitudes of all batches of an Arrow stream."""
    from .._tables.arrow_reader import BatchReader
    from .._tables.names import CONDITIONS, POSITION

    reader = BatchReader(points, "points", transform=True)
    plan = reader.find({name: CONDITIONS[name] for name in POSITION}, columns, ())
    parts: Iterator[tuple[Any, Any]] = (reader.positions(chunk, plan, first) for first, chunk in reader.batches())
    numpy = _numpy()
    held = [(numpy.asarray(latitude, "f8"), numpy.asarray(longitude, "f8")) for latitude, longitude in parts]
    both = [numpy.concatenate([numpy.empty(0), *(part[axis] for part in held)]) for axis in (0, 1)]
    return memoryview(both[0]), memoryview(both[1])
