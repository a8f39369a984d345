"""Reads dates and times together with their zones, which QGIS does not pass on.

QGIS 3.22 reads dates and times of GeoPackage, FlatGeobuf, GeoJSON and all other OGR formats without the offset that the
file states. OGR itself knows the offset, so this module reads such times with OGR, by feature id.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from qgis.core import QgsProviderRegistry

EPOCH = datetime(1970, 1, 1)
UNKNOWN, GREENWICH, QUARTER_US = (0, 1), 100, 900_000_000
"""OGR's flags for the zone of a time: 0 means that the zone is unknown, 1 means the local time of an unknown place, and
a larger flag is 100 plus the number of quarter hours ahead of Greenwich."""


class UnreadableError(Exception):
    """The times cannot be read with OGR; the text of the error states the reason."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A date and time from a file, with the offset from UTC if the file states the offset.

    Attributes:
        wall_us: Microseconds from the beginning of 1970 to the stated date and wall-clock time.
        offset_us: How far the wall clock is ahead of Greenwich; 0 if unknown.
        is_zoned: True if the offset is known.
    """

    wall_us: int
    offset_us: int
    is_zoned: bool


class ZonedTimes:
    """The times in one field of an OGR layer, by feature id.

    The first request for a time reads the times of all features.

    Args:
        layer: The layer in QGIS, or None.
        field: The name of the time field.

    Attributes:
        field: The name of the field.
    """

    def __init__(self, layer, field):
        self._layer = layer
        self.field = field
        self._times = None

    @property
    def is_possible(self):
        """True if times can be read, that is, if QGIS reads the layer with OGR."""
        return self._layer is not None and self._layer.providerType() == "ogr"

    def get(self, feature_id):
        """Returns a feature's time, or None if the file has no such feature or no time for it.

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
            raise UnreadableError("the layer's filter is a query, which changes the feature ids")
        path = source.partition("|")[0]
        try:
            options = list(parts.get("openOptions") or ())
            file = gdal.OpenEx(path, gdal.OF_VECTOR | gdal.OF_READONLY, open_options=options)
            if file is None:
                raise UnreadableError(f"OGR does not open {path}")
            named, number = parts.get("layerName"), parts.get("layerId")
            layer = file.GetLayerByName(named) if named else file.GetLayer(int(number or 0))
            return self._times_of(layer, ogr)
        except RuntimeError as error:  # OGR raises its own exceptions if another plugin has enabled them
            raise UnreadableError(str(error)) from None

    def _times_of(self, layer, ogr):
        fields = None if layer is None else layer.GetLayerDefn()
        index = -1 if fields is None else fields.GetFieldIndex(self.field)
        if index < 0 or fields.GetFieldDefn(index).GetType() != ogr.OFTDateTime:
            raise UnreadableError(f"OGR finds no field '{self.field}' with times in the file")
        if layer.TestCapability(ogr.OLCIgnoreFields):
            names = [fields.GetFieldDefn(other).GetName() for other in range(fields.GetFieldCount()) if other != index]
            layer.SetIgnoredFields([*names, "OGR_GEOMETRY", "OGR_STYLE"])
        times = {}
        for feature in layer:
            if feature.IsFieldSetAndNotNull(index):
                *minute, second, flag = feature.GetFieldAsDateTime(index)
                with suppress(ValueError):  # a feature whose date does not exist gets no time
                    times[feature.GetFID()] = _moment(datetime(*minute), second, flag)
        return times


def _moment(minute, second, flag):
    # OGR stores seconds with 24 significant bits but reads no more than milliseconds, so round to milliseconds.
    wall_us = (minute - EPOCH) // timedelta(microseconds=1) + round(second * 1000) * 1000
    return Moment(wall_us, 0 if flag in UNKNOWN else (flag - GREENWICH) * QUARTER_US, flag not in UNKNOWN)
