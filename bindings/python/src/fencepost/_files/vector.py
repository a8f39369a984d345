"""Vector files, read with GeoPandas, and the one coordinate reference system that is understood."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._errors import InputError, require, warn
from .._tables.text_times import PLAIN_TIMES, TimeStyle

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
    """How files and tables are read.

    Attributes:
        layer: Of a vector file; None: the first.
        transform: Whether coordinates in another CRS become WGS84.
        times: How times are read that do not say their zone.
    """

    layer: str | None = None
    transform: bool = False
    times: TimeStyle = PLAIN_TIMES


PLAIN = Reading()


def read_vector(path: str | Path, how: Reading = PLAIN) -> Any:
    """A GeoDataFrame of a GeoPackage, Shapefile, KML or whatever else GDAL reads.

    Raises:
        InputError: There is no such file, or it is not what its ending says.
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
            warnings.simplefilter("ignore", RuntimeWarning)  # what GDAL mutters about a file
            if kind == ".parquet":
                if how.layer is not None:
                    raise ValueError("it has no layers")
                frame = _read_parquet(geopandas, path)
                if not hasattr(frame, "crs"):
                    return frame  # without the metadata of GeoParquet: a table like others
            else:
                layers = pyogrio.list_layers(path)
                names = [str(name) for name, _ in layers]
                if how.layer is not None and how.layer not in names:
                    raise ValueError(f"there is no layer {how.layer!r}, only {', '.join(names)}")
                layer = how.layer or (names[0] if names else None)
                driver = pyogrio.read_info(path, layer=layer).get("driver", "")
                frame = geopandas.read_file(path, layer=layer, engine="pyogrio")
    except Exception as error:  # GDAL, pyogrio and pyarrow raise many kinds
        text = str(error).removeprefix(f"'{path}' ").removeprefix(f"{path}: ")
        raise InputError(path, "", f"not usable as {kind[1:]}: {text}") from None
    # GDAL determines the format by the contents, not by the name.
    if driver and driver not in _DRIVERS.get(kind, driver):
        raise InputError(path, "", f"not usable as {kind[1:]}: it holds {driver}")
    if not hasattr(frame, "crs"):
        raise InputError(path, "", "has no geometry")
    return transformed(frame, path, how)


def _check_begin(path: str | Path, kind: str) -> None:
    """Checks a file before GDAL reads it: warns of a truncated Shapefile, whose first part GDAL reads, and refuses a
    virtual file, which may name any other file or address.

    Raises:
        InputError: It cannot be read, or is a virtual file.
    """
    if os.path.isdir(path):
        return
    try:
        with open(path, "rb") as file:
            begin = file.read(4096)
        if b"<OGRVRT" in begin or b"<VRTDataset" in begin:
            raise InputError(path, "", f"not usable as {kind[1:]}: it holds OGR_VRT")
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
    """A GeoDataFrame of a GeoParquet file, a DataFrame of another Parquet file."""
    schema = require("pyarrow.parquet", "parquet").read_schema(path)
    if b"geo" in (schema.metadata or {}):
        return geopandas.read_parquet(path)
    return require("pandas", "geo").read_parquet(path)


def transformed(frame: Any, source: str | Path, how: Reading) -> Any:
    """A GeoDataFrame in WGS84, where that is asked for and it says in what it is."""
    if not how.transform or getattr(frame, "crs", None) is None:
        return frame
    try:
        return frame.to_crs(epsg=4326)
    except Exception as error:  # pyproj's own
        raise InputError(source, "", f"its CRS cannot be transformed: {error}") from None
