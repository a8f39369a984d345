"""The log of a replay, and its conversion to frames, files, text and the report."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Any

from .._tables.rows import Target, write_to
from .log import Log
from .texts import event_line

if TYPE_CHECKING:
    from pathlib import Path

    from geopandas import GeoDataFrame  # type: ignore[import-untyped]


class EventLog(Log):
    """The events of a replay in the order of their delivery: a sequence of :class:`Event` that is also a table.

    If the log has several tracks (``by``), each track's events follow those of the previous track; the tracks are in
    the order of their first rows. Each track has its own sequence numbers.

    Example:
        >>> from fencepost import Circle, Fix, replay
        >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
        >>> log = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact")
        >>> [(event.identifier, str(event.state)) for event in log]
        [('start', 'satisfied'), ('start', 'unsatisfied')]
        >>> log.visits()[0].duration
        datetime.timedelta(seconds=2)
    """

    def to_geopandas(self) -> GeoDataFrame:
        """Returns a ``geopandas.GeoDataFrame`` in EPSG:4326: the table of :meth:`to_pandas`, with each event's deciding
        fix as a point.

        Events without a fix (beacons, diagnostics) have no geometry.

        Raises:
            MissingExtraError: GeoPandas is not installed.
        """
        from .._errors import require

        geopandas = require("geopandas", "geo")
        shapely = require("shapely", "geo")
        frame = self.to_pandas().drop(columns=["latitude", "longitude"])
        points = [None if event.latitude is None else shapely.Point(event.longitude, event.latitude) for event in self]
        return geopandas.GeoDataFrame(frame, geometry=geopandas.GeoSeries(points, index=frame.index), crs="EPSG:4326")

    def to_file(self, path: str | os.PathLike[str], *, layer: str | None = None, crs: Any = None) -> None:
        """Writes the events as points, in the format that the file's ending selects: ``.gpkg`` (an existing GeoPackage
        keeps its other layers), ``.fgb``, ``.parquet`` (GeoParquet), ``.geojson`` (:meth:`to_geojson`) or ``.csv``
        (:meth:`to_csv`).

        In a GeoPackage or FlatGeobuf, GDAL stores times with millisecond resolution; Parquet stores microseconds.

        Args:
            path: The file.
            layer: The layer of a GeoPackage. None means ``events``.
            crs: The CRS to which the points are transformed, in any form that GeoPandas accepts. None means EPSG:4326.

        Raises:
            InvalidArgumentError: The ending is not supported, the format has no layers, `crs` is unknown, or the file
                cannot be written.
            MissingExtraError: A library that writes the format is not installed.
        """
        from .._tables.vector_out import check_target, is_text, write_frame

        kind = check_target(path, layer)
        if is_text(path, crs):
            self.to_geojson(path) if kind == ".geojson" else self.to_csv(path)
            return
        write_frame(self.to_geopandas(), path, layer or "events", crs)

    def to_jsonl(self, target: Target = None) -> str | None:
        """Writes JSON Lines, one line per event, in the library's own format. If there are several tracks, the key
        named by `by` comes first.

        Args:
            target: Path or open text file. If `target` is None, the method returns the text.

        Example:
            >>> from fencepost import Circle, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact")
            >>> (log.to_jsonl() or "")[:48]
            '{"sequence":1,"identifier":"start","state":"sati'
        """

        def write(stream: IO[str]) -> None:
            for row in self.tracked():
                stream.write(event_line(row.event, self.by, row.track) + "\n")

        return write_to(target, write)

    def to_csv(self, target: Target = None) -> str | None:
        """Writes CSV with a header. The columns have the names of the keys in the JSON Lines format. A missing value is
        an empty cell.

        Args:
            target: Path or open text file. If `target` is None, the method returns the text.

        Example:
            >>> from fencepost import Circle, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact")
            >>> (log.to_csv() or "").splitlines()[1][:41]
            '1,start,satisfied,determination,1970-01-0'
        """
        from .texts import CSVWriter

        def write(stream: IO[str]) -> None:
            writer = CSVWriter(stream, self.by)
            for row in self.tracked():
                writer.write(row.event, row.track)

        return write_to(target, write)

    def to_geojson(self, target: Target = None) -> str | None:
        """Writes a GeoJSON FeatureCollection. Each event becomes a Point at the fix that decided the event. If no fix
        decided the event, the geometry is null.

        Args:
            target: Path or open text file. If `target` is None, the method returns the text.

        Example:
            >>> from fencepost import Circle, Fix, replay
            >>> fixes = [Fix(0, 0.001 * step, time=step * 1_000_000) for step in range(5)]
            >>> log = replay(fixes, {"start": Circle(0, 0, radius=150)}, policy="exact")
            >>> (log.to_geojson() or "")[:40]
            '{"type": "FeatureCollection", "features"'
        """
        from .texts import geojson_parts

        def write(stream: IO[str]) -> None:
            stream.writelines(geojson_parts(((row.event, row.track) for row in self.tracked()), self.by))

        return write_to(target, write)

    def report(
        self, target: str | Path | None = None, *, title: str | None = None, base_map: bool | str = False
    ) -> str:
        """Returns a page with a summary, a map, states and visits, as one HTML file that needs no network.

        If the log has rules, the page has a tree of them with the states of their parts. For these states, the report
        replays the tracks again.

        Args:
            target: Path of the file to write. If `target` is None, the method only returns the page's text.
            title: The title of the page. If `title` is None, the title is the name of the track's file or argument.
            base_map: True to show OpenStreetMap tiles at once when the reader is online, or a URL template such as
                ``"https://example.org/{Z}/{X}/{Y}.png"`` to show the tiles of another server. If `base_map` is False,
                the page shows no tiles until the reader switches them on. From the requests for tiles, the tile server
                can infer where the track was.

        Returns:
            The page.

        Raises:
            MissingExtraError: The log has corridors, but Shapely, which they need, is not installed (extra ``report``).
        """
        from .report import report

        page = report(self, title=title, base_map=base_map)
        if target is not None:
            write_to(target, lambda stream: stream.write(page))
        return page
