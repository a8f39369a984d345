"""Reads the layer of tracks."""

from array import array
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from qgis.core import QgsProcessingException
from qgis.PyQt.QtCore import QDate, QDateTime, Qt, QTime, QVariant

from .fencepost import FIX_RECORD
from .fencepost._files.doubts import ellipse_fault, jumps
from .fencepost._replay.needed_heights import NeededHeights
from .fencepost._tables.names import (
    BESIDE,
    ERROR_ELLIPSE,
    HEIGHTS,
    TRACK,
    acceleration_text,
    is_acceleration,
    like_devices,
    time_unit,
)
from .fencepost._tables.text_times import TimeStyle, number_time, parse_time, time_zone
from .fencepost._tables.times import to_us
from .layers import Layer, Unusable, is_null, number
from .parameters import BY_TIME, TIME_UNITS
from .problems import reasons
from .zoned_times import EPOCH, UnreadableError, ZonedTimes

EARLIEST_US, LATEST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
"""The accepted times: year 1 to year 9999."""
KNOWN = {what: TRACK[what] for what in ("time", "accuracy", *BESIDE)} | {"track": ()}
FIELDS = {
    "time": "TIME_FIELD", "accuracy": "ACCURACY_FIELD", "track": "TRACK_FIELD", "error_major": "MAJOR_FIELD",
    "error_minor": "MINOR_FIELD", "error_orientation": "ORIENTATION_FIELD", "altitude": "ALTITUDE_FIELD",
    "vertical_accuracy": "VERTICAL_ACCURACY_FIELD", "geoid_height": "GEOID_FIELD", "ground_height": "GROUND_FIELD",
}  # fmt: skip
"""The parameters that name the fields."""


@dataclass
class Track:
    """The fixes of one device.

    Attributes:
        key: The value that distinguishes this track from others; None if there is only one track.
        fixes: Rows in the layout of ``FIX_RECORD``.
        beside: For each fix, its error ellipse (or None) and the four heights of ``HEIGHTS``; empty if the layer has
            neither error ellipses nor altitudes.
        times: The times of the fixes, microseconds.
        begin_us: The earliest time of all features, including features without a position.
    """

    key: Any
    fixes: bytearray = field(default_factory=bytearray)
    beside: list = field(default_factory=list)
    times: array = field(default_factory=lambda: array("q"))
    begin_us: int = LATEST_US

    def sort(self):
        """Sorts the fixes by time; fixes with equal times keep the layer's order."""
        times = self.times
        if all(times[index] <= times[index + 1] for index in range(len(times) - 1)):
            return
        size, fixes = FIX_RECORD.size, bytes(self.fixes)
        order = sorted(range(len(times)), key=times.__getitem__)
        self.fixes = bytearray(b"".join([fixes[size * index : size * (index + 1)] for index in order]))
        self.times = array("q", [times[index] for index in order])
        if self.beside:
            self.beside = [self.beside[index] for index in order]


def read_tracks(algorithm, parameters, context, feedback, problems, share):
    """Reads the tracks of the layer, in the order of their first features.

    Args:
        share: The part of the progress bar, in percent, that is filled while the layer is read.

    Returns:
        The layer, its tracks, and the field that distinguishes tracks (or None).

    Raises:
        QgsProcessingException: The layer has no usable fix.
    """
    reader = _Reader(algorithm, parameters, context)
    layer, tracks, done = reader.layer, {}, 0.0
    for count, (feature, step) in enumerate(layer.features(reader.indices)):
        if count % 1024 == 0:
            feedback.setProgress(share * min(done, 1))
            if feedback.isCanceled():
                break
        done += step
        try:
            reader.read(feature, tracks)
        except Unusable as error:
            problems.add(layer.title, feature.id(), str(error), error.kind)
    found = [track for track in tracks.values() if track.times]
    if not found and not feedback.isCanceled():
        raise problems.nothing_in(layer.title, "fix")
    layer.warn_of_units(feedback, found)
    reader.report(feedback)
    by_time = algorithm.parameterAsEnum(parameters, "ORDER", context) == BY_TIME
    for track in found:
        if by_time:
            track.sort()
        if doubt := jumps(FIX_RECORD.iter_unpack(track.fixes)):
            reader.several_devices(feedback, track.key, doubt)
            break
    return layer, found, reader.key_field


def warn_of_heights(feedback, layer, tracks, rows):
    """Warns if no fix has a height that the limits of a place need.

    Args:
        rows: The conditions.
    """
    needed = NeededHeights(rows)
    no_ellipse = (float("nan"),) * len(ERROR_ELLIPSE)
    for track in tracks:
        needed.see(((0.0, 0.0, 0.0, 0, *no_ellipse, *heights) for _, *heights in track.beside))
    for reason in reasons(needed.warn, layer.title, layer.source.fields().names()):
        feedback.pushWarning(f"{layer.title}: {reason}; choose the fields of heights under Advanced Parameters")


class _Reader:
    def __init__(self, algorithm, parameters, context):
        self.layer = Layer(algorithm, parameters, "TRACKS", context)
        given = {what: algorithm.parameterAsString(parameters, name, context) for what, name in FIELDS.items()}
        fields = self.layer.fields(KNOWN, given)
        if "time" not in fields:
            names = ", ".join(self.layer.source.fields().names()) or "none"
            raise QgsProcessingException(f"{self.layer.title}: choose the time field; its fields are {names}")
        self._acceleration = None
        if "accuracy" in fields:
            name = self.layer.source.fields().at(fields["accuracy"]).name()
            least = self.layer.source.minimumValue(fields["accuracy"])
            chosen = {"accuracy": name} if given["accuracy"] else {}
            if isinstance(least, (int, float)) and is_acceleration(name, chosen, least):
                self._acceleration = name
                del fields["accuracy"]
        self.indices = list(fields.values())
        self._time, self._accuracy, self._key = fields["time"], fields.get("accuracy"), fields.get("track")
        self._ellipse = [fields[what] for what in ERROR_ELLIPSE if what in fields]
        self._heights = [fields.get(what) for what in HEIGHTS]
        self._has_beside = any(what in fields for what in BESIDE)
        unit = TIME_UNITS[algorithm.parameterAsEnum(parameters, "TIME_UNIT", context)]
        field = self.layer.source.fields().at(self._time)
        self._unit = unit or time_unit(field.name())
        self._days = field.type() == QVariant.Date
        zone = algorithm.parameterAsString(parameters, "TIME_ZONE", context).strip()
        try:
            self._style = _Counting(time_zone(zone or "UTC"))
        except ValueError as error:
            raise QgsProcessingException(str(error)) from None
        self._zone_is_given = bool(zone)
        zoned = ZonedTimes(self.layer.vector, field.name())
        self._zoned = zoned if zoned.is_possible and field.type() == QVariant.DateTime else None

    @property
    def key_field(self):
        """The field that distinguishes tracks, or None."""
        return None if self._key is None else self.layer.source.fields().at(self._key)

    def read(self, feature, tracks):
        """Adds the feature's fix to its track.

        Raises:
            Unusable: The feature is not a fix.
        """
        values = feature.attributes()
        time = self._time_us(feature.id(), values[self._time])
        key = None
        if self._key is not None:
            key = values[self._key]
            if is_null(key):
                raise Unusable("has no value in the track field")
            if isinstance(key, (QDate, QDateTime, QTime)):
                key = key.toString(Qt.ISODate)
        track = tracks.get(key)
        if track is None:
            track = tracks[key] = Track(key)
        track.begin_us = min(track.begin_us, time)
        latitude, longitude = self.layer.position(feature)
        accuracy = 0.0
        if self._accuracy is not None and not is_null(values[self._accuracy]):
            accuracy = number(values[self._accuracy], "accuracy")
        if not accuracy >= 0:
            raise Unusable(
                f"has no position: its accuracy is {accuracy:g}, but must be at least 0", "there is no position"
            )
        if self._has_beside:
            track.beside.append((self._axes(values) if self._ellipse else None, *self._heights_of(values)))
        track.fixes += FIX_RECORD.pack(latitude, longitude, accuracy, time)
        track.times.append(time)

    def _axes(self, values):
        """The error ellipse of a fix, or None.

        Raises:
            Unusable: The ellipse is not possible.
        """
        found = []
        for what, index in zip(ERROR_ELLIPSE, self._ellipse):
            unit = " of degrees" if what == ERROR_ELLIPSE[2] else " of metres"
            found.append(float("nan") if is_null(values[index]) else number(values[index], what, unit))
        if fault := ellipse_fault(*found):
            raise Unusable(f"has an error ellipse {fault}", "the error ellipse is not possible")
        return None if found[0] != found[0] else tuple(found)

    def _heights_of(self, values):
        """The heights of a fix. A missing height is NaN, and a missing vertical accuracy is 0, which means that it was
        not reported.

        Raises:
            Unusable: A height is not a number.
        """
        for what, index in zip(HEIGHTS, self._heights):
            if index is None or is_null(values[index]):
                yield 0.0 if what == "vertical_accuracy" else float("nan")
            else:
                yield number(values[index], what)

    def several_devices(self, feedback, key, doubt):
        """Warns that a track seems to mix several devices. Refuses the track if the layer has a field that clearly
        names the device.

        Raises:
            QgsProcessingException: The layer has a field that clearly names the device, and no track field was chosen.
        """
        sure, may = like_devices(self.layer.source.fields().names())
        if self._key is None and sure:
            raise QgsProcessingException(f"{self.layer.title}: {doubt}; choose the track field '{sure[0]}'")
        title = self.layer.title if self._key is None else f"{self.layer.title}, track {key}"
        names = f" ({', '.join(may)}?)" if self._key is None and may else ""
        feedback.pushWarning(f"{title}: {doubt}; choose the track field, which holds the device{names}")

    def report(self, feedback):
        """Tells the user which assumptions were made about the fields, such as the time zone."""
        title = self.layer.title
        if self._acceleration is not None:
            feedback.pushWarning(
                f"{title}: {acceleration_text(self._acceleration)}; if it is the accuracy, set it as the accuracy field"
            )
        if self._days:
            feedback.pushWarning(f"{title}: the time field holds dates without a time of day: every fix is at midnight")
        if self._style.unzoned and not self._zone_is_given:
            feedback.pushInfo(
                f"{title}: {self._style.unzoned} times have no time zone and are read as UTC; if that "
                "is wrong, choose the time zone under Advanced Parameters"
            )
        if self._style.doubt:
            feedback.pushWarning(f"{title}: {self._style.doubt}")

    def _time_us(self, feature_id, value):
        """Converts an attribute to microseconds: a date and time, a date, ISO 8601 text, or a number.

        Raises:
            Unusable: There is no time, or its format is unknown.
            QgsProcessingException: QGIS does not pass on the zone, and the zone cannot be read from the file.
        """
        if is_null(value):
            raise Unusable("has no time")
        if isinstance(value, QDate):
            time = self._utc(_wall_us(value, QTime(0, 0)))
        elif isinstance(value, QDateTime):
            time = self._moment_us(feature_id, value)
        else:
            try:
                if isinstance(value, str):
                    time = parse_time(value, self._unit, self._style)
                elif isinstance(value, (int, float)) and not isinstance(value, bool):
                    time = number_time(value, self._unit)
                else:
                    raise ValueError(f"{value!r} is not a time")
            except ValueError as error:
                raise Unusable(f"time {error}", "the time is not understood") from None
        if not EARLIEST_US <= time <= LATEST_US:
            raise Unusable(
                f"time {value} is outside year 1 to year 9999: is its unit right?", "the time is out of range"
            )
        return time

    def _moment_us(self, feature_id, value):
        if value.timeSpec() != Qt.LocalTime:
            if not value.isValid():
                raise Unusable("has no time")
            return value.toMSecsSinceEpoch() * 1000
        # QGIS calls a time without a zone a local time. A time that the local clocks skip when summer time begins is
        # invalid in QGIS, but its date and its time of day can still be read.
        parts = value.date(), value.time()
        wall = _wall_us(*parts) if all(part.isValid() for part in parts) else None
        if self._zoned is not None:
            try:
                found = self._zoned.get(feature_id)
            except UnreadableError as error:
                if not self._zone_is_given:
                    raise QgsProcessingException(
                        f"{self.layer.title}: this QGIS drops the time zones of field "
                        f"'{self._zoned.field}', and they cannot be read from the file either ({error}): "
                        "choose the time "
                        "zone of these times under Advanced Parameters (UTC if they are in UTC)"
                    ) from None
                self._zoned = found = None
            # Unsaved edits in the layer are not in the file: use the file's time only if it agrees with the layer's
            # time.
            if found is not None and (wall is None or abs(found.wall_us - wall) < 2000):
                return found.wall_us - found.offset_us if found.is_zoned else self._utc(found.wall_us)
        if wall is None:
            raise Unusable("has no time")
        return self._utc(wall)

    def _utc(self, wall_us):
        try:
            return to_us(self._style.placed(EPOCH + timedelta(microseconds=wall_us)))
        except OverflowError:
            return LATEST_US + 1


class _Counting(TimeStyle):
    """Counts the times without a zone."""

    __slots__ = ("unzoned",)

    def __init__(self, zone):
        super().__init__(zone)
        self.unzoned = 0

    def placed(self, when):
        self.unzoned += when.utcoffset() is None
        return super().placed(when)


def _wall_us(day, time):
    """Microseconds from the beginning of 1970 to a date and a wall-clock time."""
    return QDateTime(day, time, Qt.UTC).toMSecsSinceEpoch() * 1000
