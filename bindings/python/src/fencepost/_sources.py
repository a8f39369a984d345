"""What a caller may hand over as a track and as conditions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ._conditions import BeaconIdentityCondition, CircularGeographicCondition, Condition
from ._conditions_file import ConditionRow, condition_rows, read_conditions
from ._enums import State
from ._files import InputError
from ._inputs import Fix
from ._policy import TransitionPolicy
from ._tables import is_table, table_tracks
from ._tracks import Track, read_tracks

TrackSource: TypeAlias = str | os.PathLike[str] | Iterable[Fix] | Any
"""A path, a DataFrame, a GeoDataFrame of points, or fixes."""
ConditionsSource: TypeAlias = str | os.PathLike[str] | Mapping[str, Condition] | Any
"""A path, conditions by identifier, a DataFrame, or a GeoDataFrame of points."""


def as_tracks(
    track: TrackSource, columns: Mapping[str, str], by: str | None, hdop_scale: float | None, name: str = "track"
) -> list[Track]:
    """The tracks of what a caller gave as the argument `name`."""
    if isinstance(track, str | os.PathLike):
        return read_tracks(os.fspath(track), hdop_scale=hdop_scale, columns=columns, by=by)
    if is_table(track):
        return table_tracks(track, name, columns, by)
    if by is not None:
        raise InputError(name, "", f"has no column {by!r}: only tables have columns")
    if isinstance(track, Mapping | bytes) or not isinstance(track, Iterable):
        kinds = "a path, a DataFrame, a GeoDataFrame or an iterable of Fix"
        raise TypeError(f"{name} must be {kinds}, not {type(track).__name__}")
    fixes = []
    for row, fix in enumerate(track):
        if not isinstance(fix, Fix):
            raise TypeError(f"{name}: element {row} must be a Fix, not {type(fix).__name__}")
        fixes.append((fix.latitude, fix.longitude, fix.accuracy, fix.time_us))
    if not fixes:
        raise InputError(name, "", "holds no fixes")
    return [Track(name, fixes)]


def as_conditions(
    conditions: ConditionsSource, default: TransitionPolicy, name: str = "conditions"
) -> tuple[str, list[ConditionRow]]:
    """The conditions of what a caller gave as the argument `name`, and what to call them in messages."""
    if isinstance(conditions, str | os.PathLike):
        path = os.fspath(conditions)
        return path, read_conditions(path, default)
    if isinstance(conditions, Mapping):
        return name, [_given(condition, key, default, name) for key, condition in conditions.items()]
    if is_table(conditions):
        from ._conditions_table import frame_features

        return name, condition_rows(frame_features(conditions, name), name, default)
    kinds = "a path, a mapping of identifiers to conditions, a DataFrame or a GeoDataFrame"
    raise TypeError(f"{name} must be {kinds}, not {type(conditions).__name__}")


def as_policy(policy: TransitionPolicy | str | None) -> TransitionPolicy:
    """A policy, the preset of that name, or the standard one."""
    if policy is None:
        return TransitionPolicy.standard()
    if isinstance(policy, str):
        return TransitionPolicy.named(policy)
    if not isinstance(policy, TransitionPolicy):
        raise TypeError(f"policy must be a TransitionPolicy or the name of a preset, not {type(policy).__name__}")
    return policy


def _given(condition: Any, key: Any, default: TransitionPolicy, name: str) -> ConditionRow:
    if not isinstance(key, str):
        raise TypeError(f"{name}: the identifier {key!r} must be str, not {type(key).__name__}")
    if not isinstance(condition, CircularGeographicCondition | BeaconIdentityCondition):
        kind = type(condition).__name__
        raise TypeError(f"{name}[{key!r}] must be one of fencepost's conditions, not {kind}")
    return ConditionRow(repr(key), key, condition, State.UNKNOWN, default)
