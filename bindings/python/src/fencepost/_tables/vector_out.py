"""Writes tables as vector files (GeoPackage, FlatGeobuf, Parquet), and lists the formats that are written without
GDAL."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from .._errors import require
from .._native import InvalidArgumentError

DRIVERS = {".gpkg": "GPKG", ".fgb": "FlatGeobuf"}
TEXTS = (".geojson", ".csv")
"""The formats that are written without GDAL, always in degrees of WGS84."""
ENDINGS = (*DRIVERS, ".parquet", *TEXTS)


def check_target(path: str | os.PathLike[str], layer: str | None = None) -> str:
    """Checks that a file can be written, and returns the ending of its name.

    Raises:
        InvalidArgumentError: The ending is not supported, or `layer` was passed for a format without layers.
        MissingExtraError: The library that writes the file is not installed.
    """
    kind = Path(path).suffix.lower()
    if kind not in ENDINGS:
        raise InvalidArgumentError(f"{os.fspath(path)}: the file name must end in one of {', '.join(ENDINGS)}")
    if layer is not None and kind != ".gpkg":
        raise InvalidArgumentError(f"{os.fspath(path)}: only a GeoPackage has layers")
    if kind in TEXTS:
        return kind
    require("geopandas", "geo")
    if kind == ".parquet":
        require("pyarrow.parquet", "parquet")
    return kind


def is_text(path: str | os.PathLike[str], crs: Any = None) -> bool:
    """True if the format is one of :data:`TEXTS`.

    Raises:
        InvalidArgumentError: The format is one of :data:`TEXTS`, but `crs` requests another reference system.
    """
    kind = Path(path).suffix.lower()
    if kind in TEXTS and crs is not None:
        raise InvalidArgumentError(f"{os.fspath(path)}: {kind} is written in EPSG:4326, not in {crs}")
    return kind in TEXTS


def write_frame(frame: Any, path: str | os.PathLike[str], layer: str, crs: Any = None, geometry: str = "Point") -> None:
    """Writes a DataFrame or a GeoDataFrame, transformed to `crs` unless it is None.

    An existing GeoPackage keeps its other layers; files of other formats are replaced.

    Args:
        layer: Layer of a GeoPackage; in other formats the layer has the file's name.
        geometry: The geometry type, ``Point`` or ``MultiPolygon``.

    Raises:
        InvalidArgumentError: The file cannot be written, or `crs` is unknown.
    """
    kind = check_target(path)
    target = os.fspath(path)
    geographic = hasattr(frame, "crs")
    if crs is not None:
        if not geographic:
            raise InvalidArgumentError("crs: the rows have no geometries")
        try:
            frame = frame.to_crs(crs)
        except Exception as error:  # pyproj raises its own errors
            raise InvalidArgumentError(f"crs {crs!r}: {' '.join(str(error).split())}") from None
    for name in frame.columns:
        if frame[name].dtype.kind == "m":
            frame = frame.assign(**{name: frame[name].dt.total_seconds()})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # hides the warning that an empty table has no geometry type
            if kind == ".parquet":
                frame.to_parquet(target, index=False)
            else:
                pyogrio = require("pyogrio", "geo")
                options: dict[str, Any] = {"geometry_type": geometry} if geographic else {}
                if kind == ".gpkg":
                    options["layer"] = layer
                else:
                    if not geographic or bool(frame.geometry.isna().any()):
                        options["SPATIAL_INDEX"] = "NO"  # the format's index does not support rows without geometry
                    if os.path.exists(target):
                        os.remove(target)
                pyogrio.write_dataframe(frame, target, driver=DRIVERS[kind], **options)
    except Exception as error:  # GDAL, pyogrio and pyarrow raise many kinds of errors
        if isinstance(error, OSError) and error.filename:
            raise
        raise InvalidArgumentError(f"{target}: cannot be written: {' '.join(str(error).split())}") from None
