"""Circles that users create on their phones. Each circle applies only to the devices of its owner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable

from .._fleet.conditions import Zones
from .._native import FencepostError
from .._values.conditions import Circle
from .._values.definitions import Definition
from .._values.policy import TransitionPolicy
from .messages import Waypoint, WaypointRefused, owner_of
from .owntracks import MOST_WAYPOINTS

MOST_CIRCLES = 100_000
"""Maximum number of circles of all owners together; 100,000 circles need about 30 MB."""


class OwnersCircles:
    """The circles of owners, stored in a table of conditions. The identifier of a circle is ``OWNER/NAME``, and its tag
    is the time at which it was created. Conditions from the conditions file have no tag.

    Args:
        conditions: The table.
        policy: The transition policy of the circles.
        most_owners: How many owners may have circles.
    """

    def __init__(self, conditions: Zones, policy: TransitionPolicy, most_owners: int) -> None:
        self._conditions, self._policy, self._most_owners = conditions, policy, most_owners
        self._owned: dict[str, int] = {}
        self._names: dict[tuple[str, int], str] = {}
        self._counts: Counter[str] = Counter()
        for identifier in conditions.identifiers:
            definition = conditions.get(identifier)
            if definition is not None and definition.tag:
                self._note(identifier, definition.tag)

    def definitions(self, but: Container[str] = ()) -> list[Definition]:
        """The definitions of all circles in the table, except the circles whose identifiers are in `but`."""
        found = (self._conditions.get(identifier) for identifier in list(self._owned) if identifier not in but)
        return [definition for definition in found if definition is not None]

    def give_way(self, identifiers: Iterable[str]) -> list[str]:
        """Stops treating conditions as circles of owners if the conditions file now uses their identifiers; returns
        these identifiers."""
        taken = [identifier for identifier in identifiers if identifier in self._owned]
        for identifier in taken:
            self._forget(owner_of(identifier), identifier)
        return taken

    def time_of(self, identifier: str) -> int:
        """When a circle was created, in seconds since 1970; 0 if the condition is not a circle of an owner."""
        return self._owned.get(identifier, 0)

    def is_others(self, identifier: str, device: str) -> bool:
        """Whether a condition is a circle whose owner is not the owner of the device."""
        return identifier in self._owned and owner_of(identifier) != owner_of(device)

    def take(self, device: str, waypoint: Waypoint) -> bool:
        """Adds, changes or removes a circle as reported by a device of the circle's owner; returns True if something
        changed.

        Raises:
            WaypointRefused: The circle cannot be used.
        """
        owner = owner_of(device)
        identifier, tag = f"{owner}/{waypoint.name}", waypoint.time
        before = self._names.get((owner, tag))
        if waypoint.radius == 0:
            return self._drop(owner, before if before is not None else identifier)
        if identifier in self._conditions and identifier not in self._owned:
            raise WaypointRefused(f"is waypoint {identifier!r}, whose identifier is also in the conditions file")
        if identifier not in self._owned:
            if self._counts[owner] >= MOST_WAYPOINTS:
                raise WaypointRefused(f"exceeds the {MOST_WAYPOINTS} waypoints that {owner!r} may have")
            if len(self._owned) >= MOST_CIRCLES:
                raise WaypointRefused(f"exceeds the {MOST_CIRCLES} waypoints that all owners together may have")
            if not self._counts[owner] and len(self._counts) > self._most_owners:
                raise WaypointRefused(
                    f"is a waypoint of a new owner, but at most {self._most_owners} owners may have waypoints"
                )
        try:
            circle = Circle(waypoint.latitude, waypoint.longitude, waypoint.radius)
            changed = self._conditions.ensure(circle, identifier, policy=self._policy, tag=tag)
        except (FencepostError, ValueError) as error:
            raise WaypointRefused(f"is a waypoint that cannot be used: {error}") from None
        if before is not None and before != identifier:
            self._drop(owner, before)  # the circle got a new name
        self._forget(owner, identifier)
        self._note(identifier, tag)
        return changed

    def _note(self, identifier: str, tag: int) -> None:
        owner = owner_of(identifier)
        self._owned[identifier] = tag
        self._names[owner, tag] = identifier
        self._counts[owner] += 1

    def _forget(self, owner: str, identifier: str) -> bool:
        tag = self._owned.pop(identifier, None)
        if tag is None:
            return False
        self._names.pop((owner, tag), None)
        self._counts[owner] -= 1
        if not self._counts[owner]:
            del self._counts[owner]
        return True

    def _drop(self, owner: str, identifier: str) -> bool:
        if not self._forget(owner, identifier):
            return False
        self._conditions.remove(identifier)
        return True
