"""Trajectories of MovingPandas. MovingPandas is not imported; its objects are recognised by their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import InputError
from .table_rows import TableRows
from .tracks import Track
from .vector import PLAIN, Reading

ANONYMOUS = "trajectory"


def is_moving(value: Any) -> bool:
    """True for a Trajectory or a TrajectoryCollection."""
    return is_trajectory(value) or (hasattr(value, "trajectories") and hasattr(value, "get_trajectory"))


def is_trajectory(value: Any) -> bool:
    """True for a Trajectory."""
    return all(hasattr(value, name) for name in ("df", "id", "get_traj_id_col"))


def id_column(value: Any) -> str:
    """The name of the column with the trajectory ids."""
    name = value.get_traj_id_col() if is_trajectory(value) or value.trajectories else None
    return name if isinstance(name, str) else ANONYMOUS


def moving_tracks(value: Any, source: str, columns: Mapping[str, str], how: Reading = PLAIN) -> list[Track]:
    """One track for each trajectory, in the same order; the trajectory's id is its key.

    MovingPandas times have no zone and count as UTC.

    Raises:
        InputError: There is no trajectory, two trajectories have the same id, or a trajectory cannot be used.
    """
    parts = [value] if is_trajectory(value) else list(value.trajectories)
    if not parts:
        raise InputError(source, "", "holds no trajectories")
    tracks: dict[Any, Track] = {}
    for part in parts:
        place = f"{source}, trajectory {part.id!r}"
        if part.id in tracks:
            raise InputError(source, "", f"holds two trajectories with the id {part.id!r}")
        frame = part.df
        if frame.index.dtype.kind == "M" and frame.index.tz is None:
            frame = frame.set_axis(frame.index.tz_localize("UTC"))
        # The times are in the index, even if a column has the same name.
        index = frame.index.name if isinstance(frame.index.name, str) else "t"
        index = index if index not in frame.columns else "fencepost_time"
        frame = frame.reset_index(names=index)
        (track,) = TableRows(frame, place, {"time": index, **columns}, None, how).tracks()
        tracks[part.id] = Track(source, track.fixes, [], part.id, flaw=track.flaw)
    return list(tracks.values())
