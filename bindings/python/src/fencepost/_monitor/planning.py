"""Planning for hosts that can watch only a few circles (slots)."""

from __future__ import annotations

from datetime import datetime
from math import inf
from typing import Any, Protocol

from .._dataclass import dataclass
from .._native import InvalidArgumentError
from .._tables.numbers import real, shown
from .._tables.table import Table
from .._tables.times import Time, from_us, to_us
from .._values.conditions import Circle


class _Planned(Protocol):
    """A monitor, or a device of a fleet."""

    def _plan(self, *plan: Any) -> tuple[Any, ...]: ...


@dataclass(frozen=True, slots=True)
class ArmedCondition:
    """A circle that occupies a slot of the back end.

    Attributes:
        identifier: The condition's identifier.
        generation: Distinguishes the condition from conditions that had the same identifier before and were replaced.
        tag: The number passed when the condition was added.
        latitude: Latitude of the centre, in degrees.
        longitude: Longitude of the centre, in degrees.
        radius: Metres.
        slack: Distance from the position to the circle's boundary, in metres.
        is_inside: True if the position was inside the circle. A back end that reports only changes must take
            `is_inside` as the initial state of the circle.

    Example:
        >>> from fencepost import Circle, Monitor, RotationPlanner
        >>> monitor = Monitor()
        >>> monitor.add(Circle(0, 0, 100), "home")
        >>> RotationPlanner(20).plan(monitor, 0, 0).armed[0].is_inside
        True
    """

    identifier: str
    generation: int
    tag: int
    latitude: float
    longitude: float
    radius: float
    slack: float
    is_inside: bool

    @property
    def condition(self) -> Circle:
        """The circle."""
        return Circle(self.latitude, self.longitude, self.radius)


@dataclass(frozen=True, slots=True)
class RotationPlan(Table):
    """The circles that a back end with few slots has to watch, and the wake-up circle; a new plan is needed when the
    device leaves the wake-up circle.

    Attributes:
        armed: All circles to be armed; the circle with the nearest boundary comes first.
        removals: Circles that were armed before and must be disarmed first.
        additions: The circles in `armed` that are not armed yet; arm them after the removals. The circles in `armed`
            that are not in `additions` are already armed.
        wake_up: A circle for the last slot. When the device leaves this circle, a new plan is needed. If the radius of
            the wake-up circle is 0, every fix must be fed. `wake_up` is None if every circle is armed.
        follow: True if every fix must be fed until a later plan says False, because a circle is undetermined or a
            crossing is not yet confirmed.
        next_start: The next start of a schedule (:class:`Schedule`), as an aware datetime in UTC, or None if no start
            follows. The plan leaves inactive conditions out, so it holds until this time.

    Example:
        >>> from fencepost import Monitor, RotationPlanner
        >>> RotationPlanner(20).plan(Monitor(), 0, 0)
        RotationPlan(armed=(), removals=(), additions=(), wake_up=None, follow=False, next_start=None)
    """

    armed: tuple[ArmedCondition, ...]
    removals: tuple[ArmedCondition, ...]
    additions: tuple[ArmedCondition, ...]
    wake_up: tuple[float, float, float] | None
    follow: bool
    next_start: datetime | None = None

    def columns(self) -> dict[str, list[Any]]:
        """The circles to arm, as columns of equal length; each column has the name of an attribute of
        :class:`ArmedCondition`.

        Example:
            >>> from fencepost import Monitor
            >>> monitor = Monitor()
            >>> monitor.add_many(["a", "b"], [0, 0], [0, 0.1], [100, 100])
            >>> RotationPlanner(20).plan(monitor, 0, 0).columns()["identifier"]
            ['a', 'b']
        """
        return {name: [getattr(row, name) for row in self.armed] for name in ArmedCondition.__match_args__}

    def _kinds(self) -> dict[str, str]:
        return dict.fromkeys(("generation", "tag"), "uint") | dict.fromkeys(
            ("latitude", "longitude", "radius", "slack"), "float"
        )

    def _points(self) -> list[tuple[float, float] | None]:
        return [(row.longitude, row.latitude) for row in self.armed]

    def wakes(self, latitude: float, longitude: float, time: Time | None = None) -> bool:
        """True if the host must feed a fix at the given position and then make a new plan.

        Args:
            latitude: Degrees.
            longitude: Degrees.
            time: The time of the fix, as an aware datetime, or an int in microseconds since 1970. From
                :attr:`next_start` on, the host must feed the previous fix, if it was left out, and then this fix. None
                is enough for conditions without schedules.

        Example:
            >>> from fencepost import Circle, Fix, Monitor, RotationPlanner
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> plan = RotationPlanner(20).plan(monitor, 52.5, 13.4)
            >>> plan.wakes(52.5, 13.4001), plan.wakes(52.5, 13.5)
            (False, True)
        """
        if self.follow:
            return True
        if time is not None and self.next_start is not None and to_us(time) >= to_us(self.next_start):
            return True
        if any(armed.condition.contains(latitude, longitude) != armed.is_inside for armed in self.armed):
            return True
        if self.wake_up is None:
            return False
        radius = self.wake_up[2]
        return not (radius > 0 and Circle(*self.wake_up).contains(latitude, longitude))


class RotationPlanner:
    """Plans which circles to arm, and stores the last plan.

    Whenever :meth:`RotationPlan.wakes` is true for a fix, feed that fix and plan again from its position. If the fix is
    not earlier than :attr:`RotationPlan.next_start`, first feed the previous fix, if it was left out. The events are
    the same as if every fix were fed, provided that you also feed a fix whenever you add conditions or change their
    hours. Beacon conditions are not part of a plan, and neither are conditions that are inactive at the clock of the
    monitor.

    Args:
        slots: The number of slots, 1 to 1 000 000. If there are more circles than slots, the last slot is for the
            wake-up circle.
        margin: Metres by which the radius of the wake-up circle is reduced; finite, at least 0.
        maximum_radius: Radius of the largest wake-up circle that the back end supports, in metres.

    Raises:
        InvalidArgumentError: A value is out of its range.

    Example:
        >>> from fencepost import Circle, Monitor
        >>> monitor = Monitor()
        >>> monitor.add_many(["a", "b", "c"], [0, 0, 0], [0, 0.1, 0.2], [100, 100, 100])
        >>> planner = RotationPlanner(2)
        >>> [armed.identifier for armed in planner.plan(monitor, 0, 0).additions]
        ['a']
        >>> plan = planner.plan(monitor, 0, 0.2)
        >>> [armed.identifier for armed in plan.removals], [armed.identifier for armed in plan.additions]
        (['a'], ['c'])
    """

    def __init__(self, slots: int, *, margin: float = 0.0, maximum_radius: float = 100_000.0) -> None:
        if isinstance(slots, bool) or not isinstance(slots, int):
            raise TypeError(f"slots must be int, not {type(slots).__name__}")
        if not 1 <= slots <= 1_000_000:
            raise InvalidArgumentError(f"slots is {shown(slots)}; must be from 1 to 1000000")
        self.slots = slots
        self.margin, self.maximum_radius = real(margin, "margin"), real(maximum_radius, "maximum_radius")
        if not 0 <= self.margin < inf:
            raise InvalidArgumentError(f"margin {self.margin} must be finite and at least 0")
        if not 0 < self.maximum_radius < inf:
            raise InvalidArgumentError(f"maximum_radius {self.maximum_radius} is not finite and above 0")
        self._armed: tuple[ArmedCondition, ...] = ()

    def __repr__(self) -> str:
        options = f"margin={self.margin:g}, maximum_radius={self.maximum_radius:g}"
        return f"<fencepost.RotationPlanner {self.slots} slots, {options}, {len(self._armed)} armed>"

    @property
    def armed(self) -> tuple[ArmedCondition, ...]:
        """The circles that the last plan armed."""
        return self._armed

    def plan(self, monitor: _Planned, latitude: float, longitude: float, accuracy: float = 0.0) -> RotationPlan:
        """Makes a plan for the position of the fix that was fed most recently. After this call, the circles of the plan
        count as armed.

        Args:
            monitor: The monitor, or a device of a fleet; it is not changed.
            latitude: Degrees.
            longitude: Degrees.
            accuracy: Accuracy of the position in metres, finite, at least 0. The radius of the wake-up circle is
                reduced by `accuracy`.

        Raises:
            InvalidArgumentError: A value is out of its range. After this error, the previous plan stays valid.

        Example:
            >>> from fencepost import Circle, Fix, Monitor, RotationPlanner
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> [armed.identifier for armed in RotationPlanner(20).plan(monitor, 52.5, 13.4).armed]
            ['home']
        """
        before = self._armed
        make = getattr(monitor, "_plan", None)
        if make is None or isinstance(monitor, type):
            raise TypeError(f"monitor must be a Monitor or a Device, not {type(monitor).__name__}")
        rows, kept, wake_up, follow, next_start_us = make(
            real(latitude, "latitude"),
            real(longitude, "longitude"),
            real(accuracy, "accuracy"),
            self.slots,
            self.margin,
            self.maximum_radius,
            [armed.generation for armed in before],
        )
        armed = tuple(ArmedCondition(*row[:-1]) for row in rows)
        self._armed = armed
        return RotationPlan(
            armed,
            tuple(old for old, stays in zip(before, kept, strict=True) if not stays),
            tuple(new for new, row in zip(armed, rows, strict=True) if row[-1]),
            wake_up,
            follow,
            from_us(next_start_us),
        )
