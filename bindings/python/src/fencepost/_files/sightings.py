"""Sightings files: JSON Lines; each line has a `time` and either `beacons` or `scanning`."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path
from typing import Any

from .._dataclass import dataclass
from .._errors import InputError, warn
from .._native import InvalidArgumentError
from .._tables.text_times import PLAIN_TIMES, TimeStyle, advice_of, number_time, parse_time
from .._values.fixes import BeaconSighting
from .order import KEEP, late_rows, sorted_text
from .text import parse_json, read_text


@dataclass(frozen=True, slots=True)
class Report:
    """One line of the file. `beacons` contains the beacons of a scan; if it is None, `scanning` says whether the device
    scans from `time_us` on."""

    place: str
    time_us: int
    beacons: list[BeaconSighting] | None
    scanning: bool = True


def read_sightings(path: str | Path, times: TimeStyle = PLAIN_TIMES, sort: bool = True) -> list[Report]:
    """Reads a sightings file.

    Args:
        path: The file.
        times: How times without a zone are read.
        sort: True to sort the reports by time if one is earlier than a previous report.

    Raises:
        InputError: The file cannot be used; the message names the file, the line and the reason.
    """
    reports, times = [], times.of_source()
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        place = f"line {number}"
        value = parse_json(line, path, place)
        try:
            reports.append(_report(value, place, times))
        except ValueError as error:
            raise InputError(path, place, str(error), advice=advice_of(error)) from None
    if times.doubt:
        warn(path, "", times.doubt)
    late = late_rows(report.time_us for report in reports) if sort else 0
    if late:
        warn(path, "", sorted_text(late, len(reports), "reports"), KEEP)
        reports.sort(key=attrgetter("time_us"))
    return reports


def _report(value: Any, place: str, times: TimeStyle) -> Report:
    if not isinstance(value, dict):
        raise InvalidArgumentError("is not an object")
    unknown = set(value) - {"time", "beacons", "scanning"}
    if unknown:
        raise InvalidArgumentError(f"key {min(unknown)!r} is not one of time, beacons, scanning")
    time = _time(value.get("time"), times)
    if ("beacons" in value) == ("scanning" in value):
        raise InvalidArgumentError("a report needs either beacons or scanning, not both")
    if "scanning" in value:
        if not isinstance(value["scanning"], bool):
            raise InvalidArgumentError("scanning must be true or false")
        return Report(place, time, None, value["scanning"])
    if not isinstance(value["beacons"], list):
        raise InvalidArgumentError("beacons must be an array")
    return Report(place, time, [_beacon(beacon, index) for index, beacon in enumerate(value["beacons"])])


def _time(value: Any, times: TimeStyle) -> int:
    if isinstance(value, str):
        return parse_time(value, None, times)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidArgumentError("time: must be an ISO 8601 string or a number")
    return number_time(value)


def _beacon(value: Any, index: int) -> BeaconSighting:
    place = f"beacons[{index}]"
    if not isinstance(value, dict):
        raise InvalidArgumentError(f"{place} is not an object")
    if "payload" in value:
        return _advertisement(value, place)
    unknown = set(value) - {"uuid", "major", "minor", "rssi"}
    if unknown:
        raise InvalidArgumentError(f"{place}: key {min(unknown)!r} is not one of uuid, major, minor, rssi")
    uuid, major, minor, rssi = (value.get(name) for name in ("uuid", "major", "minor", "rssi"))
    if not isinstance(uuid, str):
        raise InvalidArgumentError(f"{place}: uuid must be a string")
    for name, number in (("major", major), ("minor", minor), ("rssi", rssi)):
        if isinstance(number, bool) or not (isinstance(number, int) or (number is None and name == "rssi")):
            raise InvalidArgumentError(f"{place}: {name} must be an integer, not {number!r}")
    try:
        return BeaconSighting(uuid, major, minor, rssi)  # type: ignore[arg-type]
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{place}: {error}") from None


def _advertisement(value: dict[str, Any], place: str) -> BeaconSighting:
    """Creates a beacon from the bytes of its advertisement."""
    unknown = set(value) - {"payload", "company", "rssi"}
    if unknown:
        raise InvalidArgumentError(f"{place}: key {min(unknown)!r} is not one of payload, company, rssi")
    for name in ("company", "rssi"):
        number = value.get(name)
        if isinstance(number, bool) or not (number is None or isinstance(number, int)):
            raise InvalidArgumentError(f"{place}: {name} must be an integer, not {number!r}")
    try:
        payload = bytes.fromhex(value["payload"])
    except (TypeError, ValueError):
        raise InvalidArgumentError(
            f"{place}: payload must be a string of hexadecimal digits, two for each byte"
        ) from None
    try:
        return BeaconSighting.parse(payload, rssi=value.get("rssi"), company=value.get("company"))
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"{place}: payload: {error}") from None
