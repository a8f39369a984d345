"""The conditions of a table, in the form in which they were added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._dataclass import dataclass
from .._tables.table import Plain
from .bands import AltitudeBand
from .policy import TransitionPolicy
from .records import Geometry, condition_from, described
from .schedule import Timing

if TYPE_CHECKING:
    from typing import TypeAlias

    from .any_condition import Condition
    from .bands import BandRow
    from .policy import PolicyRow
    from .schedule import TimingRow

    DefinitionRow: TypeAlias = tuple[str, int, Geometry, int, int, PolicyRow, BandRow | None, TimingRow | None]


@dataclass(frozen=True, slots=True, repr=False)
class Definition(Plain):
    """One condition of a table, in the form in which it was added.

    Attributes:
        identifier: The condition's identifier.
        condition: The condition, as it was added.
        policy: The policy with which the condition was added.
        tag: The number passed when the condition was added.
        generation: The number of additions and replacements in the table, up to and including the one that added this
            condition.
        band: The limits of the condition's height, or None.
        timing: The timing with which the condition was added or ensured, or None without one.

    Example:
        >>> from fencepost import Circle, Zones
        >>> zones = Zones()
        >>> zones.add(Circle(52.5, 13.4, 100), "home", tag=7)
        >>> zones["home"]
        <Definition 'home', circle of 100 m around 52.5, 13.4>
        >>> zones["home"].tag
        7
    """

    identifier: str
    condition: Condition
    policy: TransitionPolicy
    tag: int
    generation: int
    band: AltitudeBand | None = None
    timing: Timing | None = None

    @property
    def described(self) -> str:
        """A description of the condition in words."""
        return described(self.condition)

    def __repr__(self) -> str:
        return f"<Definition {self.identifier!r}, {self.described}>"

    @classmethod
    def _from_row(cls, row: DefinitionRow) -> Definition:
        identifier, kind, geometry, generation, tag, policy, band, times = row
        condition, rules = condition_from(kind, geometry), TransitionPolicy._from_row(policy)
        limits, timing = AltitudeBand._from_row(band), Timing._from_row(times)
        return cls(identifier, condition, rules, tag, generation, limits, timing)
