"""Fencepost: geofencing (condition monitoring) that takes the time from the data.

Put fixes, beacon sightings and the passing of time into a :class:`Monitor`; it returns an :class:`Event` each time one
of its conditions becomes satisfied or unsatisfied. The engine reads no clock, so the same inputs always give the same
events.

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

TYPE_CHECKING = False  # type checkers know this name without an import; importing typing would take long
if TYPE_CHECKING:
    from . import errors, geodesic, live, spark, types, uas
    from ._errors import InputError, InputWarning

    # These are aliases, with the names of Core Location or of version 0.2.
    from ._fleet.conditions import Conditions as Conditions, Zones
    from ._fleet.device import Device
    from ._fleet.device_events import DeviceEvent
    from ._fleet.fleet import Fleet
    from ._log.event_log import EventLog
    from ._log.visits import Visit, Visits
    from ._monitor.monitor import Monitor
    from ._monitor.planning import RotationPlanner
    from ._monitor.reorderer import Reorderer
    from ._monitor.selection import SignificantChangeFilter, best_fix
    from ._native import (
        VERSION as __version__,  # noqa: N811
        FencepostError,
    )
    from ._replay.compare import Comparison, compare
    from ._replay.replay import replay
    from ._replay.tune import Tuning, tune
    from ._values.any_condition import Condition
    from ._values.bands import AltitudeBand
    from ._values.conditions import (
        Beacon,
        BeaconIdentityCondition as BeaconIdentityCondition,
        Circle,
        CircularGeographicCondition as CircularGeographicCondition,
    )
    from ._values.enums import (
        Cause,
        CrossingDirection,
        Delivery,
        DevicePath,
        Diagnostics,
        Durability,
        DwellPolicy,
        EventKind,
        EventOrder,
        EvidenceSource,
        Notify,
        State,
    )
    from ._values.events import Event
    from ._values.fixes import FIX_RECORD, BeaconSighting, Fix
    from ._values.lines import Gate, LineGeographicCondition as LineGeographicCondition
    from ._values.policy import TransitionPolicy
    from ._values.records import Record
    from ._values.rules import Rule
    from ._values.schedule import Schedule, Timing
    from ._values.shapes import (
        Corridor,
        CorridorGeographicCondition as CorridorGeographicCondition,
        Polygon,
        PolygonalGeographicCondition as PolygonalGeographicCondition,
    )

# Importing the package takes little time, because a module loads only when one of its names is first used. These lists
# repeat the imports above; a test compares them with __all__.
_MODULES = {
    "_errors": "InputError InputWarning",
    "_fleet.conditions": "Zones",
    "_fleet.device": "Device",
    "_fleet.device_events": "DeviceEvent",
    "_fleet.fleet": "Fleet",
    "_log.event_log": "EventLog",
    "_log.visits": "Visit Visits",
    "_monitor.monitor": "Monitor",
    "_monitor.planning": "RotationPlanner",
    "_monitor.reorderer": "Reorderer",
    "_monitor.selection": "SignificantChangeFilter best_fix",
    "_native": "FencepostError",
    "_replay.compare": "Comparison compare",
    "_replay.replay": "replay",
    "_replay.tune": "Tuning tune",
    "_values.any_condition": "Condition",
    "_values.bands": "AltitudeBand",
    "_values.conditions": "Beacon Circle",
    "_values.enums": "Cause CrossingDirection Delivery DevicePath Diagnostics Durability DwellPolicy EventKind "
    "EventOrder EvidenceSource Notify State",
    "_values.events": "Event",
    "_values.fixes": "BeaconSighting FIX_RECORD Fix",
    "_values.lines": "Gate",
    "_values.policy": "TransitionPolicy",
    "_values.schedule": "Schedule Timing",
    "_values.records": "Record",
    "_values.rules": "Rule",
    "_values.shapes": "Corridor Polygon",
}
_ALIASES = {
    "_fleet.conditions": "Conditions",
    "_values.conditions": "BeaconIdentityCondition CircularGeographicCondition",
    "_values.lines": "LineGeographicCondition",
    "_values.shapes": "CorridorGeographicCondition PolygonalGeographicCondition",
}
_LATER = {name: module for lists in (_MODULES, _ALIASES) for module, names in lists.items() for name in names.split()}
_PARTS = ("errors", "geodesic", "live", "spark", "types", "uas")

if not TYPE_CHECKING:  # this function is not visible to type checkers, so they refuse a name that does not exist

    def __getattr__(name):
        if name in _PARTS:
            return _module(name)
        if name == "__version__":
            value = _module("_native").VERSION
        elif name in _LATER:
            value = getattr(_module(_LATER[name]), name)
        else:
            return _moved(name)
        globals()[name] = value
        return value

    def _module(name):
        # With a name in `fromlist`, the function returns the module itself. Importing `importlib` would take longer.
        return __import__(f"{__name__}.{name}", fromlist=["__name__"])

    def _moved(name):
        # In version 0.2, these names were in this module; they are in `errors` and `types` now.
        for part in ("errors", "types"):
            module = None if name.startswith("_") else _module(part)
            if name in getattr(module, "__all__", ()):
                import warnings

                new = f"fencepost.{part}.{name}"
                warnings.warn(f"fencepost.{name} is now {new}", DeprecationWarning, stacklevel=3)
                return getattr(module, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "FIX_RECORD",
    "AltitudeBand",
    "Beacon",
    "BeaconSighting",
    "Cause",
    "Circle",
    "Comparison",
    "Condition",
    "Corridor",
    "CrossingDirection",
    "Delivery",
    "Device",
    "DeviceEvent",
    "DevicePath",
    "Diagnostics",
    "Durability",
    "DwellPolicy",
    "Event",
    "EventKind",
    "EventLog",
    "EventOrder",
    "EvidenceSource",
    "FencepostError",
    "Fix",
    "Fleet",
    "Gate",
    "InputError",
    "InputWarning",
    "Monitor",
    "Notify",
    "Polygon",
    "Record",
    "Reorderer",
    "RotationPlanner",
    "Rule",
    "Schedule",
    "SignificantChangeFilter",
    "State",
    "Timing",
    "TransitionPolicy",
    "Tuning",
    "Visit",
    "Visits",
    "Zones",
    "__version__",
    "best_fix",
    "compare",
    "errors",
    "geodesic",
    "live",
    "replay",
    "spark",
    "tune",
    "types",
    "uas",
]
