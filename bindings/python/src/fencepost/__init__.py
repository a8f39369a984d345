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

from typing import TYPE_CHECKING, Any

from . import geodesic
from ._conditions import BeaconIdentityCondition, CircularGeographicCondition, Condition
from ._enums import Cause, Delivery, Diagnostics, Durability, DwellPolicy, Notify, Reason, State
from ._inputs import FIX_RECORD, BeaconSighting, Fix
from ._monitor import Monitor
from ._native import (
    VERSION as __version__,
    BufferTooSmallError,
    ConsumerAlreadyActiveError,
    FencepostError,
    InternalError,
    InvalidArgumentError,
    InvalidNameError,
    LateInputError,
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
from ._selection import SignificantChangeFilter, best_fix

if TYPE_CHECKING:
    from ._compare import Comparison, Outcome, compare
    from ._event_log import EventLog, ReplayCounts
    from ._files import InputError, MissingExtraError
    from ._replay import replay
    from ._visits import Known, Visit, Visits

# A program that feeds a monitor does not pay for reading files: these load when they are first used.
_LATER = {
    "Comparison": "_compare",
    "EventLog": "_event_log",
    "InputError": "_files",
    "Known": "_visits",
    "MissingExtraError": "_files",
    "Outcome": "_compare",
    "ReplayCounts": "_event_log",
    "Visit": "_visits",
    "Visits": "_visits",
    "compare": "_compare",
    "replay": "_replay",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "FIX_RECORD",
    "ArmedCondition",
    "BeaconIdentityCondition",
    "BeaconSighting",
    "BufferTooSmallError",
    "Cause",
    "CircularGeographicCondition",
    "Comparison",
    "Condition",
    "ConsumerAlreadyActiveError",
    "Delivery",
    "Diagnostics",
    "Durability",
    "DwellPolicy",
    "Event",
    "EventLog",
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
    "MonitorInUseError",
    "NotFoundError",
    "Notify",
    "NullArgumentError",
    "Outcome",
    "QueueFullError",
    "Reason",
    "Record",
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
    "TransitionPolicy",
    "UnsupportedError",
    "Visit",
    "Visits",
    "__version__",
    "best_fix",
    "compare",
    "geodesic",
    "replay",
]
