"""Defines the types of the arguments `track` and `conditions`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from .._errors import InputError
from .._native import InvalidArgumentError
from .._tables.arrow_reader import is_arrow
from .._tables.frames import is_frame
from .._tables.numbers import radius_in_metres, shown
from .._tables.times import is_time
from .._values.any_condition import Condition
from .._values.arguments import assumed_state
from .._values.conditions import is_condition, is_line
from .._values.enums import State
from .._values.events import LOG_COLUMNS
from .._values.fixes import Fix
from .._values.policy import TransitionPolicy
from .checked import check_usable, checked
from .condition_files import ConditionRow, condition_rows, read_conditions
from .condition_rows import table_features
from .doubts import Flaw, is_usable, worse
from .moving import ANONYMOUS, id_column, is_moving, moving_tracks
from .table_rows import TableRows
from .text import path_text
from .track_files import read_tracks
from .tracks import FixRow, Track, known_beside
from .vector import PLAIN, Reading

if TYPE_CHECKING:
    from collections.abc import ItemsView
    from typing import Protocol

    from pandas import DataFrame

    from .._tables.buffers import ArrowStream
    from .._tables.geometries import HasGeometry
    from .._values.definitions import Definition
    from .._values.records import Record

    class Moving(Protocol):
        """A trajectory of MovingPandas."""

        @property
        def df(self) -> Any: ...

    class MovingTogether(Protocol):
        """A collection of trajectories."""

        @property
        def trajectories(self) -> Any: ...

    class Holder(Protocol):
        """An object that contains conditions: a table of conditions or a monitor."""

        def items(self) -> ItemsView[str, object]: ...

    class Lazy(Protocol):
        """A Polars lazy frame."""

        def collect(self) -> Any: ...

    Tabular: TypeAlias = DataFrame | ArrowStream | Lazy
    TrackSource: TypeAlias = str | os.PathLike[str] | Iterable[Fix] | Tabular | Moving | MovingTogether
    """A path, a DataFrame, a GeoDataFrame of points, trajectories of MovingPandas, an Arrow stream, or fixes."""
    Given: TypeAlias = Mapping[str, Condition] | Mapping[str, Definition] | Mapping[str, Record]
    ConditionsSource: TypeAlias = str | os.PathLike[str] | Given | Mapping[str, object] | Holder | Tabular | HasGeometry
    """A path, conditions by identifier, GeoJSON, a DataFrame, a GeoDataFrame, or an Arrow stream."""
else:
    TrackSource = ConditionsSource = object


def as_tracks(
    track: TrackSource,
    columns: Mapping[str, str],
    by: str | None,
    hdop_scale: float | None,
    name: str = "track",
    how: Reading = PLAIN,
    sort: bool = True,
) -> list[Track]:
    """The tracks in the argument `name`, ready for a replay.

    Args:
        track: The argument `name`, as the user passed it.
        columns: Which column has which meaning, for columns whose names the library does not recognise.
        by: Name of the column that identifies the track.
        hdop_scale: Metres of accuracy per unit of HDOP.
        name: Name of the argument, for messages.
        how: How files and tables are read.
        sort: True to sort files and tables by time if they are not in order. Fix objects are never sorted, since a
            program chose their order.
    """
    track = collected(track)
    if (
        not isinstance(track, str | bytes | os.PathLike | Mapping)
        and isinstance(track, Iterable)
        and not _is_table(track)
    ):
        return _given_fixes(track, by, name)
    return checked(_read(track, columns, by, hdop_scale, name, how), sort, how.times)


def collected(table: Any) -> Any:
    """Collects a Polars lazy frame into a table; other objects are returned unchanged."""
    if type(table).__name__ == "LazyFrame" and callable(getattr(table, "collect", None)):
        return table.collect()
    return table


def as_table(
    track: TrackSource, columns: Mapping[str, str], by: str | None, how: Reading, name: str = "track"
) -> TableRows | None:
    """Returns the rows of a frame or an Arrow stream that was passed as the argument `name`; returns None for other
    objects."""
    track = collected(track)
    if is_moving(track) or isinstance(track, str | os.PathLike) or not (is_frame(track) or is_arrow(track)):
        return None
    return TableRows(track, name, columns, by, how)


def _is_table(track: Any) -> bool:
    return is_moving(track) or is_frame(track) or is_arrow(track)


def _read(
    track: TrackSource, columns: Mapping[str, str], by: str | None, hdop_scale: float | None, name: str, how: Reading
) -> list[Track]:
    if isinstance(track, str | os.PathLike):
        return read_tracks(path_text(track), hdop_scale=hdop_scale, columns=columns, by=by, how=how)
    if is_moving(track):
        return moving_tracks(track, name, columns, how)
    kinds = "a path, a DataFrame, a GeoDataFrame, an Arrow table or an iterable of Fix"
    raise TypeError(f"{name} must be {kinds}, not {type(track).__name__}")


def _given_fixes(track: Iterable[Any], by: str | None, name: str) -> list[Track]:
    if by is not None:
        raise InputError(name, "", f"has no column {by!r}: only tables have columns")
    fixes: list[FixRow] = []
    flaw = None
    for row, fix in enumerate(track):
        if not isinstance(fix, Fix):
            raise TypeError(f"{name}: element {row} must be a Fix, not {type(fix).__name__}")
        if not is_time(fix.time_us):
            what = f"time {fix.time_us} is outside year 1 to year 9999; the time of a Fix is in microseconds"
            raise InputError(name, f"element {row}", what)
        beside = known_beside(*fix._beside())
        if not is_usable(fix.latitude, fix.longitude, fix.accuracy, *beside):
            flaw = worse(flaw, Flaw(f"element {row}", fix.latitude, fix.longitude, fix.accuracy, *beside[:3]))
        fixes.append((fix.latitude, fix.longitude, fix.accuracy, fix.time_us, *beside))
    if not fixes:
        raise InputError(name, "", "holds no fixes")
    tracks = [Track(name, fixes, flaw=flaw)]
    if flaw is not None and not flaw.is_missing:  # a program may pass fixes that all lack a position
        check_usable(tracks)
    return tracks


def track_column(track: TrackSource, by: str | None) -> str | None:
    """The column that identifies the track: `by` or, for trajectories, the column with the trajectory ids.

    Raises:
        InvalidArgumentError: A column of events has the same name as the track column.
    """
    if is_moving(track):
        if by is not None:
            raise InvalidArgumentError(f"by {by!r}: trajectories are tracks already")
        name = id_column(track)
        return ANONYMOUS if name in LOG_COLUMNS else name
    if by in LOG_COLUMNS:
        raise InvalidArgumentError(f"by {by!r} is also the name of a column of events; rename the table's column")
    return by


def assumed_by_default(by: str | None) -> State:
    """The state with which conditions start if no assumed state is given.

    With many tracks, the state is `unsatisfied`, as in tables of conditions: each track is near only a few conditions,
    and the other conditions should give no event at the start.
    """
    return State.UNKNOWN if by is None else State.UNSATISFIED


def as_conditions(
    conditions: ConditionsSource,
    default: TransitionPolicy,
    name: str = "conditions",
    how: Reading = PLAIN,
    columns: Mapping[str, str] | None = None,
    radius: float | None = None,
    assuming: State | str | None = None,
    by: str | None = None,
) -> tuple[str, list[ConditionRow]]:
    """The conditions in the argument `name`, and the name of these conditions for messages.

    Args:
        conditions: The argument `name`, as the user passed it.
        default: The policy of conditions that do not state one.
        name: Name of the argument, for messages.
        how: How files and tables are read.
        columns: Which column has which meaning, for columns whose names the library does not recognise.
        radius: The radius, in metres, for circles that do not state one.
        assuming: Initial state of conditions that have no assumed state of their own; None means the state of
            :func:`assumed_by_default`.
        by: The column that identifies the track; None means that there is one track.
    """
    state = assumed_by_default(by) if assuming is None else assumed_state(assuming)
    if radius is not None:
        radius = float(radius_in_metres(radius))
    conditions = collected(conditions)
    if isinstance(conditions, str | os.PathLike):
        path = path_text(conditions)
        return path, read_conditions(path, default, how=how, columns=columns, radius=radius, assuming=state)
    document = _geojson(conditions)
    if document is not None:
        from .condition_features import document_features

        features = document_features(document, name, columns or {})
        return name, condition_rows(features, name, default, radius, state, how.max_vertices)
    if isinstance(conditions, Mapping):
        return name, [_given(condition, key, default, name, state) for key, condition in conditions.items()]
    if is_frame(conditions) or is_arrow(conditions):
        features = table_features(conditions, name, columns or {}, radius, how)
        return name, condition_rows(features, name, default, radius, state, how.max_vertices)
    kinds = "a path, a mapping of identifiers to conditions, GeoJSON, a DataFrame, a GeoDataFrame or an Arrow table"
    raise TypeError(f"{name} must be {kinds}, not {type(conditions).__name__}")


def _geojson(conditions: Any) -> dict[str, Any] | None:
    """Returns a FeatureCollection or feature, which was passed as a dict or through ``__geo_interface__``; returns None
    for tables and other objects."""
    if not isinstance(conditions, Mapping) and not is_frame(conditions):
        conditions = getattr(conditions, "__geo_interface__", None)
    kind = conditions.get("type") if isinstance(conditions, Mapping) else None
    if kind is None and isinstance(conditions, Mapping) and isinstance(conditions.get("UASZoneList"), list):
        kind = "FeatureCollection"  # ED-269 has no type; the document is refused with a remedy
    return dict(conditions) if isinstance(kind, str) and kind in ("FeatureCollection", "Feature") else None


def _given(condition: Any, key: Any, default: TransitionPolicy, name: str, state: State) -> ConditionRow:
    if not isinstance(key, str):
        raise TypeError(f"{name}: the identifier {shown(key)} must be str, not {type(key).__name__}")
    # The definition comes from a table or a monitor.
    given: dict[str, Any] = {}
    if not is_condition(condition) and is_condition(getattr(condition, "condition", None)):
        given = {name: getattr(condition, name) for name in ("tag", "timing", "band") if hasattr(condition, name)}
        condition, default = condition.condition, condition.policy
    if not is_condition(condition):
        kind = type(condition).__name__
        raise TypeError(f"{name}[{key!r}] must be one of fencepost's conditions, not {kind}")
    if is_line(condition):
        return ConditionRow(repr(key), key, condition, State.UNKNOWN, None, **given)
    return ConditionRow(repr(key), key, condition, state, default, **given)
