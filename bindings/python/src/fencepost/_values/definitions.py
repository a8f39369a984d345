"""The conditions of a table, in the form in which they were added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._dataclass import dataclass
from .._tables.table import Plain
from .policy import TransitionPolicy
from .records import Geometry, condition_from, described

if TYPE_CHECKING:
    from .any_condition import Condition
    from .policy import PolicyRow


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

    @property
    def described(self) -> str:
        """A description of the condition in words."""
        return described(self.condition)

    def __repr__(self) -> str:
        return f"<Definition {self.identifier!r}, {self.described}>"

    @classmethod
    def _from_row(cls, row: tuple[str, int, Geometry, int, int, PolicyRow]) -> Definition:
        identifier, kind, geometry, generation, tag, policy = row
        return cls(identifier, condition_from(kind, geometry), TransitionPolicy._from_row(policy), tag, generation)
