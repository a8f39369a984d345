"""Reads vector files with GeoPandas, and transforms them to WGS84, the only supported coordinate reference system."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from .._dataclass import dataclass
from .._errors import InputError, require, warn
from .._tables.numbers import listed
from .._tables.text_times import PLAIN_TIMES, TimeStyle
from .._values.arguments import MAX_VERTICES

_DRIVERS = {
    ".gpkg": ("GPKG",),
    ".shp": ("ESRI Shapefile",),
    ".kml": ("LIBKML", "KML"),
    ".kmz": ("LIBKML",),
    ".fgb": ("FlatGeobuf",),
    ".gml": ("GML",),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """The options for reading files and tables.

    Attributes:
        layer: The layer of a vector file; None means the first layer.
        transform: True to transform coordinates in another CRS to WGS84.
        times: The rules for reading times without a zone.
        max_vertices: The largest number of vertices of a condition.
    """

    layer: str | None = None
    transform: bool = False
    times: TimeStyle = PLAIN_TIMES
    max_vertices: int = MAX_VERTICES


PLAIN = Reading()


def read_vector(path: str | Path, how: Reading = PLAIN) -> Any:
    """Reads a GeoPackage, Shapefile, KML or another vector file that GDAL can read; returns a GeoDataFrame.

    Raises:
        InputError: The file does not exist, or its contents do not match the ending of its name.
        MissingExtraError: GeoPandas is not installed.
    """
    geopandas = require("geopandas", "geo")
    pyogrio = require("pyogrio", "geo")
    if not os.path.exists(path):
        raise InputError(path, "", "No such file or directory")
    kind = Path(path).suffix.lower()
    _check_begin(path, kind)
    driver = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # ignore GDAL's warnings about the file
            if kind == ".parquet":
                if how.layer is not None:
                    raise ValueError("it has no layers")
                frame = _read_parquet(geopandas, path)
                if not hasattr(frame, "crs"):
                    return frame  # a Parquet file without GeoParquet metadata is an ordinary table
            else:
                layers = pyogrio.list_layers(path)
                names = [str(name) for name, _ in layers]
                if how.layer is not None and how.layer not in names:
                    raise ValueError(f"there is no layer {how.layer!r}, only {listed(names)}")
                layer = how.layer or (names[0] if names else None)
                driver = pyogrio.read_info(path, layer=layer).get("driver", "")
                frame = geopandas.read_file(path, layer=layer, engine="pyogrio")
    except Exception as error:  # GDAL, pyogrio and pyarrow raise many kinds of errors
        text = str(error).removeprefix(f"'{path}' ").removeprefix(f"{path}: ")
        raise InputError(path, "", f"cannot be read as {kind[1:]}: {text}") from None
    # GDAL determines the format by the file's contents, not by its name.
    if driver and driver not in _DRIVERS.get(kind, driver):
        raise InputError(path, "", f"cannot be read as {kind[1:]}: the file is {driver}")
    if not hasattr(frame, "crs"):
        raise InputError(path, "", "has no geometry")
    return transformed(frame, path, how)


def _check_begin(path: str | Path, kind: str) -> None:
    """Checks a file before GDAL reads it. Warns about a truncated Shapefile, because GDAL would read only its first
    part. Refuses a virtual file, which may refer to any other file or address.

    Raises:
        InputError: The file cannot be read, or is a virtual file.
    """
    if os.path.isdir(path):
        return
    try:
        with open(path, "rb") as file:
            begin = file.read(4096)
        if b"<OGRVRT" in begin or b"<VRTDataset" in begin:
            raise InputError(path, "", f"cannot be read as {kind[1:]}: the file is OGR_VRT")
        if kind == ".shp" and len(begin) >= 100:
            _check_size(path, 2 * int.from_bytes(begin[24:28], "big"))
            table = Path(path).with_suffix(".dbf")
            if table.exists():
                with open(table, "rb") as file:
                    begin = file.read(12)
                rows, head, row = (int.from_bytes(begin[at:end], "little") for at, end in ((4, 8), (8, 10), (10, 12)))
                _check_size(table, head + rows * row)
    except OSError as error:
        raise InputError(path, "", error.strerror or str(error)) from None


def _check_size(path: str | Path, stated: int) -> None:
    size = os.path.getsize(path)
    if size < stated:
        warn(path, "", f"is cut off: it has {size} of the {stated} bytes that its header states")


def _read_parquet(geopandas: Any, path: str | Path) -> Any:
    """Reads a GeoParquet file as a GeoDataFrame, and any other Parquet file as a DataFrame."""
    schema = require("pyarrow.parquet", "parquet").read_schema(path)
    if b"geo" in (schema.metadata or {}):
        return geopandas.read_parquet(path)
    return require("pandas", "geo").read_parquet(path)


def transformed(frame: Any, source: str | Path, how: Reading) -> Any:
    """Returns the frame transformed to WGS84 if `how` requests it and the frame states its CRS, and otherwise the frame
    itself."""
    if not how.transform or getattr(frame, "crs", None) is None:
        return frame
    try:
        return frame.to_crs(epsg=4326)
    except Exception as error:  # pyproj raises exceptions of its own classes
        raise InputError(source, "", f"its CRS cannot be transformed: {error}") from None
