"""The second replay of a track, in which each condition tells its state; see :mod:`fencepost._replay.second_replay`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from .._files.tracks import FixRow
from .._values.events import Event


class SecondReplay(NamedTuple):
    """The result of the second replay of one track."""

    events: Sequence[Event]
    """The events of all conditions."""
    twins: Mapping[str, str]
    """For each condition with a limited number of events, the identifier of the condition that tells its state."""


ReplayAgain: TypeAlias = Callable[[Sequence[FixRow]], SecondReplay]
"""Replays the fixes of a track again."""
