"""Fixes and sightings, the inputs of a monitor."""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable
from math import nan
from struct import Struct

from .._dataclass import dataclass, field
from .._native import InvalidArgumentError, parse_advertisement
from .._tables.numbers import real, shown
from .._tables.table import Plain
from .._tables.times import Time, to_us
from .conditions import to_uint16, to_uuid, uuid_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from uuid import UUID

    from typing_extensions import Buffer


FIX_RECORD = Struct("=dddq")
"""Layout of one row of a buffer of fixes: 32 bytes without padding, in the machine's byte order.

Bytes 0 to 7 are the latitude in degrees, bytes 8 to 15 the longitude in degrees, and bytes 16 to 23 the accuracy in
metres; all three are doubles. Bytes 24 to 31 are the time, a signed 64-bit number of microseconds since
1970-01-01T00:00:00Z.

The layout is the same as that of the NumPy dtype ``[("latitude", "f8"), ("longitude", "f8"), ("accuracy", "f8"),
("time_us", "i8")]``.
"""

SIGHTING_RECORD = Struct("=16sHHi")
RSSI_UNKNOWN = -(1 << 31)


@dataclass(frozen=True, slots=True)
class Fix(Plain):
    """One position sample.

    The ranges of coordinates are checked only when the fix is fed, so that a monitor can count bad fixes.

    Args:
        latitude: Latitude in WGS84 degrees, -90 to 90.
        longitude: Longitude in WGS84 degrees, -180 to 180.
        accuracy: Radius of uncertainty in metres. 0 or None means that the accuracy was not reported; negative or NaN
            means that the fix has no position.
        error_ellipse: The one-sigma error ellipse, if it is known: the semi-axes in metres (major, minor), and the
            direction of the major axis in degrees clockwise from north. Policies with probabilities then use the
            ellipse instead of the accuracy; everything else uses the accuracy.
        time: When the position was determined: an aware datetime, a ``pandas.Timestamp`` or ``numpy.datetime64``
            (values of these two types without a zone count as UTC), or int microseconds since 1970-01-01T00:00:00Z.
        altitude: Height above the WGS84 ellipsoid in metres, for zones with a band of heights. A height above mean sea
            level, as in NMEA sentences and GPX files, is another one: add `geoid_height` to it. None or NaN: no height.
        vertical_accuracy: Uncertainty of the altitude in metres. 0 or None means that it was not reported; negative or
            NaN means that the fix has no height.
        geoid_height: Height of mean sea level (the geoid) above the ellipsoid at the position, in metres, for limits
            above mean sea level; None or NaN: unknown.
        ground_height: Height of the ground above the ellipsoid at the position, in metres, for limits above the ground;
            None or NaN: unknown.

    Raises:
        InvalidArgumentError: `time` is a naive datetime or missing, or a number does not fit into a double.
        TypeError: A value is not a number, or `time` is not a time; the message names the value.

    Example:
        >>> Fix(37.3349, -122.0090, accuracy=5, time=1_700_000_000_000_000).time_us
        1700000000000000
    """

    latitude: float
    longitude: float
    accuracy: float = 0.0
    time: Time = field(kw_only=True, compare=False)
    time_us: int = field(init=False, repr=False)
    error_ellipse: tuple[float, float, float] | None = field(default=None, kw_only=True)
    altitude: float | None = field(default=None, kw_only=True)
    vertical_accuracy: float = field(default=0.0, kw_only=True)
    geoid_height: float | None = field(default=None, kw_only=True)
    ground_height: float | None = field(default=None, kw_only=True)

    def __init__(
        self,
        latitude: float,
        longitude: float,
        accuracy: float | None = 0.0,
        *,
        time: Time,
        error_ellipse: tuple[float, float, float] | None = None,
        altitude: float | None = None,
        vertical_accuracy: float | None = 0.0,
        geoid_height: float | None = None,
        ground_height: float | None = None,
    ) -> None:
        object.__setattr__(self, "latitude", real(latitude, "latitude"))
        object.__setattr__(self, "longitude", real(longitude, "longitude"))
        object.__setattr__(self, "accuracy", 0.0 if accuracy is None else real(accuracy, "accuracy"))
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "time_us", to_us(time))
        object.__setattr__(self, "error_ellipse", None if error_ellipse is None else ellipse_of_fix(error_ellipse))
        accuracy = 0.0 if vertical_accuracy is None else float(real(vertical_accuracy, "vertical_accuracy"))
        object.__setattr__(self, "vertical_accuracy", accuracy)
        heights = ("altitude", altitude), ("geoid_height", geoid_height), ("ground_height", ground_height)
        for name, height in heights:
            object.__setattr__(self, name, None if height is None else _height(height, name))

    def _beside(self) -> tuple[float, ...]:
        """The values behind the four numbers of a fix in the native module: nothing, the error ellipse, or the error
        ellipse and the heights."""
        altitude, geoid, ground = self.altitude, self.geoid_height, self.ground_height
        if altitude is None and geoid is None and ground is None:
            return self.error_ellipse or ()
        return (
            *(self.error_ellipse or _NO_ELLIPSE),
            nan if altitude is None else altitude,
            self.vertical_accuracy,
            nan if geoid is None else geoid,
            nan if ground is None else ground,
        )


def _height(value: Any, what: str) -> float | None:
    """A height in metres, or None for NaN."""
    number = float(real(value, what))
    return None if number != number else number


def ellipse_of_fix(value: Any) -> tuple[float, float, float]:
    """The numbers of an error ellipse.

    Raises:
        TypeError: The value is not three numbers.
    """
    try:
        major, minor, orientation = value
    except (TypeError, ValueError):
        raise TypeError("error_ellipse must be three values: major, minor, orientation") from None
    return (
        float(real(major, "error_ellipse, major")),
        float(real(minor, "error_ellipse, minor")),
        float(real(orientation, "error_ellipse, orientation")),
    )


def fix_of(value: object, what: str = "fix") -> Fix:
    """Returns a fix unchanged, or makes a fix from any object with the same attributes.

    Raises:
        TypeError: An attribute is missing.
    """
    if isinstance(value, Fix):
        return value
    given: Any = value
    try:
        return Fix(
            given.latitude,
            given.longitude,
            given.accuracy,
            time=given.time_us,
            error_ellipse=getattr(given, "error_ellipse", None),
            altitude=getattr(given, "altitude", None),
            vertical_accuracy=getattr(given, "vertical_accuracy", None),
            geoid_height=getattr(given, "geoid_height", None),
            ground_height=getattr(given, "ground_height", None),
        )
    except AttributeError:
        raise TypeError(f"{what} must be a Fix, not {type(value).__name__}") from None


_NO_ELLIPSE = (nan, nan, nan)
_NOTHING = (*_NO_ELLIPSE, nan, 0.0, nan, nan)


def packed(fixes: Iterable[Fix], what: str) -> tuple[bytes, tuple[Any, ...] | None]:
    """Packs fixes into a buffer of :data:`FIX_RECORD`. Returns also the columns of the error ellipses and, if a fix has
    one, of the heights; or None if no fix has either."""
    pack = FIX_RECORD.pack
    beside: dict[int, tuple[float, ...]] = {}
    try:
        rows = iter(fixes)
    except TypeError:
        raise TypeError(f"{what} must be an iterable of Fix, not {type(fixes).__name__}") from None
    records = []
    for row, each in enumerate(rows):
        fix = each if type(each) is Fix else fix_of(each, f"{what}, row {row}")
        records.append(pack(fix.latitude, fix.longitude, fix.accuracy, fix.time_us))
        if more := fix._beside():
            beside[row] = more
    if not beside:
        return b"".join(records), None
    count = max(map(len, beside.values()))
    rest = [(*given, *_NOTHING[len(given) : count]) for given in (beside.get(row, ()) for row in range(len(records)))]
    return b"".join(records), tuple(array("d", column) for column in zip(*rest))


BEACON_KINDS = {1: "ibeacon", 2: "altbeacon"}


@dataclass(frozen=True, slots=True)
class BeaconSighting:
    """One beacon observed in a scan.

    Args:
        uuid: A UUID, or its text in the 8-4-4-4-12 form.
        major: 0 to 65535.
        minor: 0 to 65535.
        rssi: Signal strength in dBm. None means that the strength is unknown, which counts as the weakest signal.

    Attributes:
        measured_power: For a parsed advertisement: the signal strength in dBm that the advertisement states for a
            distance of 1 m; otherwise None.
        kind: ``"ibeacon"`` or ``"altbeacon"`` for a parsed advertisement; otherwise None.
        time: Time of reception, if it was passed to :meth:`parse`; otherwise None.
            :meth:`Monitor.feed_sightings` uses this time.

    Raises:
        InvalidArgumentError: `uuid` is not a UUID, or a number is out of range.

    Example:
        >>> BeaconSighting("e2c56db5-dffb-48d2-b060-d0f5a71096e0", 1, 2, rssi=-60).rssi
        -60
    """

    uuid: UUID
    major: int
    minor: int
    rssi: int | None
    measured_power: int | None = field(default=None, compare=False, repr=False)
    kind: str | None = field(default=None, compare=False, repr=False)
    time: Time | None = field(default=None, compare=False, repr=False)

    def __init__(self, uuid: str | UUID, major: int, minor: int, rssi: int | None = None) -> None:
        if rssi is not None:
            if isinstance(rssi, bool):
                raise TypeError("rssi must be int, not bool")
            try:
                rssi = operator.index(rssi)
            except TypeError:
                raise TypeError(f"rssi must be int, not {type(rssi).__name__}") from None
            if not RSSI_UNKNOWN < rssi < 1 << 31:
                raise InvalidArgumentError(f"rssi {shown(rssi)} is outside -2**31 + 1 to 2**31 - 1")
        object.__setattr__(self, "uuid", to_uuid(uuid))
        object.__setattr__(self, "major", to_uint16(major, "major"))
        object.__setattr__(self, "minor", to_uint16(minor, "minor"))
        object.__setattr__(self, "rssi", rssi)
        for name in ("measured_power", "kind", "time"):
            object.__setattr__(self, name, None)

    @classmethod
    def parse(
        cls,
        payload: Buffer,
        *,
        rssi: int | None = None,
        time: Time | None = None,
        company: int | None = None,
    ) -> BeaconSighting:
        """Reads an iBeacon or AltBeacon advertisement in the form in which a scanner returns it. Only the first beacon
        in the advertisement is read.

        Args:
            payload: AD structures (an advertising record or a scan record, in which zero padding is allowed), or
                manufacturer data that begins with its company identifier.
            rssi: Signal strength in dBm with which the advertisement was received; the payload does not contain it.
                None means unknown.
            time: The time of reception: an aware datetime, or int microseconds since 1970-01-01T00:00:00Z.
            company: The company identifier, 0 to 65535, for scanners that return it separately (Bleak's
                ``manufacturer_data``). If `company` is passed, the payload is the data after the company identifier.

        Raises:
            InvalidArgumentError: The payload contains no iBeacon or AltBeacon, or contains one of the wrong length
                (`position` is the index of the byte where the error is), or `time` is a naive datetime.

        Example:
            >>> payload = bytes.fromhex("0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010002c5")
            >>> sighting = BeaconSighting.parse(payload, rssi=-71, time=1_700_000_000_000_000)
            >>> sighting.major, sighting.minor, sighting.rssi, sighting.measured_power, sighting.kind
            (1, 2, -71, -59, 'ibeacon')
        """
        number = -1 if company is None else to_uint16(company, "company")
        try:
            view = memoryview(payload)
        except (TypeError, ValueError, BufferError):
            raise TypeError(f"payload must be bytes, not {type(payload).__name__}") from None
        if time is not None:
            to_us(time)
        uuid, major, minor, measured_power, kind, _ = parse_advertisement(
            view if view.c_contiguous else view.tobytes(), number
        )
        sighting = cls(uuid_of(uuid), major, minor, rssi)
        object.__setattr__(sighting, "measured_power", measured_power)
        object.__setattr__(sighting, "kind", BEACON_KINDS[kind])
        object.__setattr__(sighting, "time", time)
        return sighting

    def _record(self) -> bytes:
        rssi = RSSI_UNKNOWN if self.rssi is None else self.rssi
        return SIGHTING_RECORD.pack(self.uuid.bytes, self.major, self.minor, rssi)


def common_time(report: Iterable[BeaconSighting]) -> int:
    """The time that all sightings of a report share, in microseconds.

    Raises:
        InvalidArgumentError: A sighting has no time, the times differ, or there is no sighting.
    """
    times = {None if sighting.time is None else to_us(sighting.time) for sighting in report}
    time = times.pop() if len(times) == 1 else None
    if time is None:
        raise InvalidArgumentError("time is missing: the sightings do not all have the same time")
    return time
