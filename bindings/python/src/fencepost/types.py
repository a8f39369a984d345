"""The types of returned values and of rarely used arguments, for annotations and ``isinstance``.

Example:
    >>> from fencepost import Monitor
    >>> from fencepost.types import Statistics
    >>> isinstance(Monitor().statistics(), Statistics)
    True
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers treat TYPE_CHECKING as true; the package's __init__ also uses this name
if TYPE_CHECKING:
    from ._fleet.conditions import TableVersion
    from ._fleet.device_events import DeviceEventList, DeviceEvents, DeviceUpdates
    from ._fleet.presences import Presence, Presences
    from ._log.log import ReplayCounts, TrackedEvent, TrackReplay
    from ._log.visits import Known
    from ._monitor.loops import Events
    from ._monitor.planning import ArmedCondition, RotationPlan
    from ._monitor.updates import Updates
    from ._replay.compare import Outcome
    from ._replay.tune import Fold, Trial
    from ._tables.arrow_out import ArrowExport
    from ._values.definitions import Definition
    from ._values.enums import Reason, StoreStatus
    from ._values.events import EventList
    from ._values.explanation import Doubt, Explanation
    from ._values.fleet_statistics import DeviceStatistics, FleetStatistics
    from ._values.matches import Matches
    from ._values.records import RecordList
    from ._values.results import FeedResult, ShapeReading, SyncResult
    from ._values.statistics import Statistics

# A module loads only when one of its names is first used. These lists repeat the imports above; a test compares them
# with __all__.
_MODULES = {
    "_fleet.conditions": "TableVersion",
    "_fleet.device_events": "DeviceEventList DeviceEvents DeviceUpdates",
    "_fleet.presences": "Presence Presences",
    "_log.log": "ReplayCounts TrackReplay TrackedEvent",
    "_log.visits": "Known",
    "_monitor.loops": "Events",
    "_monitor.planning": "ArmedCondition RotationPlan",
    "_monitor.updates": "Updates",
    "_replay.compare": "Outcome",
    "_replay.tune": "Fold Trial",
    "_tables.arrow_out": "ArrowExport",
    "_values.definitions": "Definition",
    "_values.enums": "Reason StoreStatus",
    "_values.events": "EventList",
    "_values.explanation": "Doubt Explanation",
    "_values.fleet_statistics": "DeviceStatistics FleetStatistics",
    "_values.matches": "Matches",
    "_values.records": "RecordList",
    "_values.results": "FeedResult ShapeReading SyncResult",
    "_values.statistics": "Statistics",
}
_LATER = {name: module for module, names in _MODULES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name):
        from importlib import import_module

        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_LATER[name]}", __package__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "ArmedCondition",
    "ArrowExport",
    "Definition",
    "DeviceEventList",
    "DeviceEvents",
    "DeviceStatistics",
    "DeviceUpdates",
    "Doubt",
    "EventList",
    "Events",
    "Explanation",
    "FeedResult",
    "FleetStatistics",
    "Fold",
    "Known",
    "Matches",
    "Outcome",
    "Presence",
    "Presences",
    "Reason",
    "RecordList",
    "ReplayCounts",
    "RotationPlan",
    "ShapeReading",
    "Statistics",
    "StoreStatus",
    "SyncResult",
    "TableVersion",
    "TrackReplay",
    "TrackedEvent",
    "Trial",
    "Updates",
]
