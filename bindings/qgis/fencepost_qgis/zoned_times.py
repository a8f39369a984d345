"""Dates with time whose zone QGIS does not pass on.

QGIS 3.22 reads a date and time of GeoPackage, FlatGeobuf, GeoJSON and all else that comes through OGR without the
offset that is written beside it. OGR itself knows it, so that such times are read from there, by the features' ids.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from qgis.core import QgsProviderRegistry

EPOCH = datetime(1970, 1, 1)
UNKNOWN, GREENWICH, QUARTER_US = (0, 1), 100, 900_000_000
"""OGR's flags of a time's zone: not known (or local, wherever that is), else quarters of an hour ahead of Greenwich."""


class UnreadableError(Exception):
    """The times cannot be read with OGR; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as a file has it.

    Attributes:
        wall_us: Microseconds from the beginning of 1970 to what calendar and clock show.
        offset_us: How far that is ahead of Greenwich; 0 when it is not known.
        is_zoned: Whether it is known.
    """

    wall_us: int
    offset_us: int
    is_zoned: bool


class ZonedTimes:
    """The times of one field of a layer that comes through OGR, by the features' ids.

    They are read, all of them, when the first is asked for.

    Args:
        layer: The layer in QGIS; None: there is none.
        field: The name of the field of times.

    Attributes:
        field: That name.
    """

    def __init__(self, layer, field):
        self._layer = layer
        self.field = field
        self._times = None

    @property
    def is_possible(self):
        """Whether the layer comes through OGR."""
        return self._layer is not None and self._layer.providerType() == "ogr"

    def get(self, feature_id):
        """A feature's time; None: the file has no such feature, or no time there.

        Raises:
            UnreadableError: The file cannot be read with OGR.
        """
        if self._times is None:
            self._times = self._read()
        return self._times.get(feature_id)

    def _read(self):
        try:
            from osgeo import gdal, ogr
        except ImportError as error:
            raise UnreadableError(f"the Python of this QGIS has no GDAL ({error})") from None
        source = self._layer.source()
        parts = QgsProviderRegistry.instance().decodeUri("ogr", source)
        if str(parts.get("subset") or "").lstrip().lower().startswith("select"):
            raise UnreadableError("its filter is a query with ids of its own")
        path = source.partition("|")[0]
        try:
            options = list(parts.get("openOptions") or ())
            file = gdal.OpenEx(path, gdal.OF_VECTOR | gdal.OF_READONLY, open_options=options)
            if file is None:
                raise UnreadableError(f"OGR does not open {path}")
            named, number = parts.get("layerName"), parts.get("layerId")
            layer = file.GetLayerByName(named) if named else file.GetLayer(int(number or 0))
            return self._times_of(layer, ogr)
        except RuntimeError as error:  # OGR's own, where somebody has switched its exceptions on
            raise UnreadableError(str(error)) from None

    def _times_of(self, layer, ogr):
        fields = None if layer is None else layer.GetLayerDefn()
        index = -1 if fields is None else fields.GetFieldIndex(self.field)
        if index < 0 or fields.GetFieldDefn(index).GetType() != ogr.OFTDateTime:
            raise UnreadableError(f"OGR finds no times in a field '{self.field}' there")
        if layer.TestCapability(ogr.OLCIgnoreFields):
            names = [fields.GetFieldDefn(other).GetName() for other in range(fields.GetFieldCount()) if other != index]
            layer.SetIgnoredFields([*names, "OGR_GEOMETRY", "OGR_STYLE"])
        times = {}
        for feature in layer:
            if feature.IsFieldSetAndNotNull(index):
                *minute, second, flag = feature.GetFieldAsDateTime(index)
                with suppress(ValueError):  # a day that there is not: QGIS has something of its own to say of it
                    times[feature.GetFID()] = _moment(datetime(*minute), second, flag)
        return times


def _moment(minute, second, flag):
    # OGR has the seconds as a float of 24 bits; what it reads are milliseconds.
    wall_us = (minute - EPOCH) // timedelta(microseconds=1) + round(second * 1000) * 1000
    return Moment(wall_us, 0 if flag in UNKNOWN else (flag - GREENWICH) * QUARTER_US, flag not in UNKNOWN)
