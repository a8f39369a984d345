"""Fencepost: condition monitoring (geofencing) by explicit event time.

Put fixes, beacon sightings and the passing of time into a :class:`Monitor`; take out an :class:`Event` each time
one of its conditions becomes satisfied or unsatisfied. No clock is read: the same inputs give the same events.

Example:
    >>> from fencepost import Circle, Fix, Monitor, TransitionPolicy
    >>> monitor = Monitor()
    >>> office = Circle(37.3349, -122.0090, radius=200)
    >>> monitor.add(office, "office", policy=TransitionPolicy.exact())
    >>> monitor.feed(Fix(37.3349, -122.0091, accuracy=5, time=1_700_000_000_000_000))
    >>> for event in monitor.events():
    ...     print(event.identifier, event.state, event.date)
    office satisfied 2023-11-14 22:13:20+00:00
"""

from __future__ import annotations

TYPE_CHECKING = False  # a name that type checkers know: typing itself takes long to load
if TYPE_CHECKING:
    from typing import Any

    from . import geodesic, spark
    from ._errors import InputError, InputWarning, MissingExtraError
    from ._fleet.conditions import TableVersion, Zones
    from ._fleet.device import Device
    from ._fleet.device_events import DeviceEvent, DeviceEventList, DeviceEvents, DeviceUpdates
    from ._fleet.fleet import Fleet
    from ._fleet.presences import Presence, Presences
    from ._log.event_log import EventLog
    from ._log.log import ReplayCounts, TrackedEvent, TrackReplay
    from ._log.visits import Known, Visit, Visits
    from ._monitor.loops import Events
    from ._monitor.monitor import Monitor
    from ._monitor.planning import ArmedCondition, RotationPlan, RotationPlanner
    from ._monitor.selection import SignificantChangeFilter, best_fix
    from ._monitor.updates import Updates
    from ._native import (
        VERSION as __version__,  # noqa: N811
        AheadOfClockError,
        BufferTooSmallError,
        ConsumerAlreadyActiveError,
        FencepostError,
        InternalError,
        InvalidArgumentError,
        InvalidNameError,
        LateInputError,
        MonitorClosedError,
        MonitorInUseError,
        NoSuchDeviceError,
        NotFoundError,
        NullArgumentError,
        QueueFullError,
        SnapshotInvalidError,
        StoreCorruptError,
        StoreTooNewError,
        StoreUnavailableError,
        TableMismatchError,
        UnsupportedError,
    )
    from ._replay.compare import Comparison, Outcome, compare
    from ._replay.replay import replay
    from ._tables.arrow_out import ArrowExport
    from ._tables.buffers import ColumnTypeError
    from ._values.any_condition import Condition
    from ._values.conditions import Beacon, Circle
    from ._values.definitions import Definition
    from ._values.enums import (
        Cause,
        CrossingDirection,
        Delivery,
        DevicePath,
        Diagnostics,
        Durability,
        DwellPolicy,
        EventKind,
        EvidenceSource,
        Notify,
        Reason,
        State,
        StoreStatus,
    )
    from ._values.events import Event, EventList
    from ._values.explanation import Explanation
    from ._values.fixes import FIX_RECORD, BeaconSighting, Fix
    from ._values.fleet_statistics import DeviceStatistics, FleetStatistics
    from ._values.lines import Gate
    from ._values.matches import Matches
    from ._values.policy import TransitionPolicy
    from ._values.records import Record, RecordList
    from ._values.results import FeedResult, ShapeReading, SyncResult
    from ._values.shapes import Corridor, Polygon
    from ._values.statistics import Statistics

# Importing the package costs next to nothing: a module loads when one of its names is first used. The same lists as
# above; a test compares them with __all__.
_MODULES = {
    "_errors": "InputError InputWarning MissingExtraError",
    "_fleet.conditions": "TableVersion Zones",
    "_fleet.device": "Device",
    "_fleet.device_events": "DeviceEvent DeviceEventList DeviceEvents DeviceUpdates",
    "_fleet.fleet": "Fleet",
    "_fleet.presences": "Presence Presences",
    "_log.event_log": "EventLog",
    "_log.log": "ReplayCounts TrackReplay TrackedEvent",
    "_log.visits": "Known Visit Visits",
    "_monitor.loops": "Events",
    "_monitor.monitor": "Monitor",
    "_monitor.planning": "ArmedCondition RotationPlan RotationPlanner",
    "_monitor.selection": "SignificantChangeFilter best_fix",
    "_monitor.updates": "Updates",
    "_native": "AheadOfClockError BufferTooSmallError ConsumerAlreadyActiveError FencepostError InternalError "
    "InvalidArgumentError InvalidNameError LateInputError MonitorClosedError MonitorInUseError "
    "NoSuchDeviceError NotFoundError NullArgumentError QueueFullError SnapshotInvalidError StoreCorruptError "
    "StoreTooNewError StoreUnavailableError TableMismatchError UnsupportedError",
    "_replay.compare": "Comparison Outcome compare",
    "_replay.replay": "replay",
    "_tables.arrow_out": "ArrowExport",
    "_tables.buffers": "ColumnTypeError",
    "_values.any_condition": "Condition",
    "_values.conditions": "Beacon Circle",
    "_values.definitions": "Definition",
    "_values.enums": "Cause CrossingDirection Delivery DevicePath Diagnostics Durability DwellPolicy EvidenceSource "
    "EventKind Notify Reason State StoreStatus",
    "_values.events": "Event EventList",
    "_values.explanation": "Explanation",
    "_values.fixes": "BeaconSighting FIX_RECORD Fix",
    "_values.fleet_statistics": "DeviceStatistics FleetStatistics",
    "_values.lines": "Gate",
    "_values.matches": "Matches",
    "_values.policy": "TransitionPolicy",
    "_values.records": "Record RecordList",
    "_values.results": "FeedResult ShapeReading SyncResult",
    "_values.shapes": "Corridor Polygon",
    "_values.statistics": "Statistics",
}
# Further names: Core Location's, and Conditions.
_ALIASES = {
    "BeaconIdentityCondition": "_values.conditions",
    "CircularGeographicCondition": "_values.conditions",
    "Conditions": "_fleet.conditions",
    "CorridorGeographicCondition": "_values.shapes",
    "LineGeographicCondition": "_values.lines",
    "PolygonalGeographicCondition": "_values.shapes",
}
_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in ("geodesic", "spark"):
        return import_module(f".{name}", __name__)
    if name == "__version__":
        value: Any = import_module("._native", __name__).VERSION
    elif name in _LATER or name in _ALIASES:
        value = getattr(import_module(f".{_LATER.get(name) or _ALIASES[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "FIX_RECORD",
    "AheadOfClockError",
    "ArmedCondition",
    "ArrowExport",
    "Beacon",
    "BeaconSighting",
    "BufferTooSmallError",
    "Cause",
    "Circle",
    "ColumnTypeError",
    "Comparison",
    "Condition",
    "ConsumerAlreadyActiveError",
    "Corridor",
    "CrossingDirection",
    "Definition",
    "Delivery",
    "Device",
    "DeviceEvent",
    "DeviceEventList",
    "DeviceEvents",
    "DevicePath",
    "DeviceStatistics",
    "DeviceUpdates",
    "Diagnostics",
    "Durability",
    "DwellPolicy",
    "Event",
    "EventKind",
    "EventList",
    "EventLog",
    "Events",
    "EvidenceSource",
    "Explanation",
    "FeedResult",
    "FencepostError",
    "Fix",
    "Fleet",
    "FleetStatistics",
    "Gate",
    "InputError",
    "InputWarning",
    "InternalError",
    "InvalidArgumentError",
    "InvalidNameError",
    "Known",
    "LateInputError",
    "Matches",
    "MissingExtraError",
    "Monitor",
    "MonitorClosedError",
    "MonitorInUseError",
    "NoSuchDeviceError",
    "NotFoundError",
    "Notify",
    "NullArgumentError",
    "Outcome",
    "Polygon",
    "Presence",
    "Presences",
    "QueueFullError",
    "Reason",
    "Record",
    "RecordList",
    "ReplayCounts",
    "RotationPlan",
    "RotationPlanner",
    "ShapeReading",
    "SignificantChangeFilter",
    "SnapshotInvalidError",
    "State",
    "Statistics",
    "StoreCorruptError",
    "StoreStatus",
    "StoreTooNewError",
    "StoreUnavailableError",
    "SyncResult",
    "TableMismatchError",
    "TableVersion",
    "TrackReplay",
    "TrackedEvent",
    "TransitionPolicy",
    "UnsupportedError",
    "Updates",
    "Visit",
    "Visits",
    "Zones",
    "__version__",
    "best_fix",
    "compare",
    "geodesic",
    "replay",
    "spark",
]
