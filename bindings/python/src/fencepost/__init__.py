"""Fencepost: condition monitoring (geofencing) by explicit event time.

Put fixes, beacon sightings and the passing of time into a :class:`Monitor`; take out an :class:`Event` each time
one of its conditions becomes satisfied or unsatisfied. No clock is read: the same inputs give the same events.

Example:
    >>> from fencepost import CircularGeographicCondition, Fix, Monitor, TransitionPolicy
    >>> monitor = Monitor()
    >>> office = CircularGeographicCondition(37.3349, -122.0090, radius=200)
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

    from . import geodesic
    from ._arrow_out import ArrowExport
    from ._columns import ColumnTypeError
    from ._compare import Comparison, Outcome, compare
    from ._conditions import BeaconIdentityCondition, CircularGeographicCondition, Condition
    from ._enums import Cause, Delivery, Diagnostics, Durability, DwellPolicy, Notify, Reason, State
    from ._event_log import EventLog, ReplayCounts, TrackedEvent, TrackReplay
    from ._files import InputError, MissingExtraError
    from ._inputs import FIX_RECORD, BeaconSighting, Fix
    from ._lists import EventList, RecordList
    from ._loops import Events
    from ._monitor import Monitor
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
        NotFoundError,
        NullArgumentError,
        QueueFullError,
        SnapshotInvalidError,
        StoreCorruptError,
        StoreTooNewError,
        StoreUnavailableError,
        UnsupportedError,
    )
    from ._outputs import Event, Explanation, FeedResult, Record, Statistics
    from ._planning import ArmedCondition, RotationPlan, RotationPlanner
    from ._policy import TransitionPolicy
    from ._replay import replay
    from ._selection import SignificantChangeFilter, best_fix
    from ._updates import Updates
    from ._visits import Known, Visit, Visits

# Importing the package costs next to nothing: a module loads when one of its names is first used. The same lists as
# above; a test compares them with __all__.
_MODULES = {
    "_arrow_out": "ArrowExport",
    "_columns": "ColumnTypeError",
    "_compare": "Comparison Outcome compare",
    "_conditions": "BeaconIdentityCondition CircularGeographicCondition Condition",
    "_enums": "Cause Delivery Diagnostics Durability DwellPolicy Notify Reason State",
    "_event_log": "EventLog ReplayCounts TrackReplay TrackedEvent",
    "_files": "InputError MissingExtraError",
    "_inputs": "FIX_RECORD BeaconSighting Fix",
    "_lists": "EventList RecordList",
    "_loops": "Events",
    "_monitor": "Monitor",
    "_native": "AheadOfClockError BufferTooSmallError ConsumerAlreadyActiveError FencepostError InternalError "
    "InvalidArgumentError InvalidNameError LateInputError MonitorClosedError MonitorInUseError "
    "NotFoundError NullArgumentError QueueFullError SnapshotInvalidError StoreCorruptError "
    "StoreTooNewError StoreUnavailableError UnsupportedError",
    "_outputs": "Event Explanation FeedResult Record Statistics",
    "_planning": "ArmedCondition RotationPlan RotationPlanner",
    "_policy": "TransitionPolicy",
    "_replay": "replay",
    "_selection": "SignificantChangeFilter best_fix",
    "_updates": "Updates",
    "_visits": "Known Visit Visits",
}
_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "geodesic":
        return import_module(".geodesic", __name__)
    if name == "__version__":
        value: Any = import_module("._native", __name__).VERSION
    elif name in _LATER:
        value = getattr(import_module(f".{_LATER[name]}", __name__), name)
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
    "BeaconIdentityCondition",
    "BeaconSighting",
    "BufferTooSmallError",
    "Cause",
    "CircularGeographicCondition",
    "ColumnTypeError",
    "Comparison",
    "Condition",
    "ConsumerAlreadyActiveError",
    "Delivery",
    "Diagnostics",
    "Durability",
    "DwellPolicy",
    "Event",
    "EventList",
    "EventLog",
    "Events",
    "Explanation",
    "FeedResult",
    "FencepostError",
    "Fix",
    "InputError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidNameError",
    "Known",
    "LateInputError",
    "MissingExtraError",
    "Monitor",
    "MonitorClosedError",
    "MonitorInUseError",
    "NotFoundError",
    "Notify",
    "NullArgumentError",
    "Outcome",
    "QueueFullError",
    "Reason",
    "Record",
    "RecordList",
    "ReplayCounts",
    "RotationPlan",
    "RotationPlanner",
    "SignificantChangeFilter",
    "SnapshotInvalidError",
    "State",
    "Statistics",
    "StoreCorruptError",
    "StoreTooNewError",
    "StoreUnavailableError",
    "TrackReplay",
    "TrackedEvent",
    "TransitionPolicy",
    "UnsupportedError",
    "Updates",
    "Visit",
    "Visits",
    "__version__",
    "best_fix",
    "compare",
    "geodesic",
    "replay",
]
