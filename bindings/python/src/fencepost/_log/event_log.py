"""The log of a replay and what it turns into: frames, files, texts, the report."""

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
    """The events of a replay in the order in which they were handed out: a sequence of :class:`Event`, and a table.

    With ``by`` the tracks come one after another, in the order of their first rows; each has its own sequence numbers.

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
        """A ``geopandas.GeoDataFrame`` in EPSG:4326: as :meth:`to_pandas`, with the deciding fix as a point.

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
        """Writes the events as points: ``.gpkg`` (a GeoPackage that exists keeps its other layers), ``.fgb``,
        ``.parquet`` (GeoParquet), ``.geojson`` (:meth:`to_geojson`) or ``.csv`` (:meth:`to_csv`).

        GDAL keeps milliseconds of times in a GeoPackage and a FlatGeobuf, Parquet microseconds.

        Args:
            path: The file.
            layer: Of a GeoPackage; None: ``events``.
            crs: To what the points are transformed, as GeoPandas takes it; None: EPSG:4326.

        Raises:
            InvalidArgumentError: Another ending, a layer where there are none, an unknown `crs`, or the file cannot be
                written.
            MissingExtraError: What writes it is not installed.
        """
        from .._tables.vector_out import check_target, is_text, write_frame

        kind = check_target(path, layer)
        if is_text(path, crs):
            self.to_geojson(path) if kind == ".geojson" else self.to_csv(path)
            return
        write_frame(self.to_geopandas(), path, layer or "events", crs)

    def to_jsonl(self, target: Target = None) -> str | None:
        """JSON Lines, one an event, as the library itself writes them; `by` comes first, where there is one.

        Args:
            target: Path or open text file; None: the text is returned.

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
        """CSV with a header: the keys of the JSON Lines; a missing value is empty.

        Args:
            target: Path or open text file; None: the text is returned.

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
        """A GeoJSON FeatureCollection: each event a Point at the deciding fix, without one its geometry is null.

        Args:
            target: Path or open text file; None: the text is returned.

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
        """Returns a page with summary, map, states and visits: one HTML file that opens without a network.

        Args:
            target: Path of the file to write; None: only the page's text is returned.
            title: Of the page; None: the name of the file or variable that held the track.
            base_map: Whether map tiles (of OpenStreetMap, or of a template such as
                ``"https://example.org/{Z}/{X}/{Y}.png"``) show at once when the reader is online. Otherwise a switch
                on the page shows them: the server learns where the track was.

        Returns:
            The page.

        Raises:
            MissingExtraError: Shapely is not installed, which corridors need (extra ``report``).
        """
        from .report import report

        page = report(self, title=title, base_map=base_map)
        if target is not None:
            write_to(target, lambda stream: stream.write(page))
        return page
