"""The monitor."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime, timedelta

from .._native import InvalidArgumentError, Monitor as Handle
from .._tables.html import SHOWN, table
from .._tables.numbers import integer, real, shown
from .._tables.times import from_us, seconds_to_us, utc_text
from .._values.arguments import assumed, has_options, member, path_row, plausibility_row, share
from .._values.enums import (
    DELIVERIES,
    DURABILITIES,
    ORDERS,
    STATES,
    STORE_STATUSES,
    Delivery,
    DevicePath,
    Durability,
    EventOrder,
    State,
)
from .conditions import ConditionChanges
from .events import MonitorEvents
from .inputs import MonitorInputs
from .questions import MonitorQuestions
from .store import MonitorStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, TypedDict, Unpack

    from .._files.sources import ConditionsSource
    from .._values.explanation import Explanation
    from .._values.policy import TransitionPolicy
    from .._values.records import Record, RecordList
    from .._values.statistics import Statistics


if TYPE_CHECKING:

    class MonitorOptions(TypedDict, total=False):
        """The options of a monitor, except for its name and conditions."""

        delivery: Delivery | str
        condition_limit: int | None
        max_pending_events: int
        initial_fix_max_age: float | timedelta | None
        beacon_exit_timeout: float | timedelta
        beacon_initial_timeout: float | timedelta
        store: str | os.PathLike[str] | None
        durability: Durability | str
        checkpoint_interval: float | timedelta
        max_time_step: float | timedelta | None
        path: DevicePath | str
        max_gap: float | timedelta | None
        max_speed: float | None
        plausible_speed: float | None
        corroboration_count: int
        corroboration_time: float | timedelta
        accuracy_confidence: float
        order: EventOrder | str


def _age(value: float | timedelta) -> int:
    """Converts the age of a fix to microseconds. Refuses negative ages, because the library would read -1 as "never";
    Python programs pass None for "never"."""
    age = seconds_to_us(value, "initial_fix_max_age")
    if age < 0:
        raise InvalidArgumentError(f"initial_fix_max_age is {value}; must be from 0 to 1e9 seconds, or None for never")
    return age


def directory(store: str | os.PathLike[str], name: str | None) -> bytes:
    """Encodes the path of a store's directory in the form that the operating system uses for paths. Refuses a store
    without the name of its file."""
    try:
        found = os.fsencode(store)
    except TypeError:
        raise TypeError(f"store must be a path, not {type(store).__name__}") from None
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"store {store!r} is not a valid path: it has a lone surrogate") from None
    if name is None:
        raise InvalidArgumentError(
            f"store is {shown(os.fspath(store))} but name is None: pass the name of the file in the store, such as "
            "name='fleet' (1 to 64 letters, digits and underscores)"
        )
    return found


def time_step(value: float | timedelta) -> int:
    """Converts a time step to microseconds. Refuses 0, which the library would read as "no limit"."""
    step = seconds_to_us(value, "max_time_step")
    if step == 0:
        raise InvalidArgumentError("max_time_step is 0 s; must be from 1e-6 to 1e9 s, or None for no limit")
    return step


class Monitor(ConditionChanges["Record"], MonitorInputs, MonitorQuestions, MonitorEvents, MonitorStore):
    """Named conditions, their records, and the pending events.

    A monitor is in memory, or persistent if it has a `store`. A monitor does not read the system's clock: its own clock
    is the largest time of its inputs, and an earlier input is refused. Several threads may use a monitor, but the order
    of the events is useful only if there is one consumer at a time. A ``with`` statement closes the monitor at its end.
    A monitor is also a mapping of identifiers to records: ``len``, ``in``, iteration, ``monitor["home"]``, ``del``,
    :meth:`get`, :meth:`keys`, :meth:`values`, :meth:`items`. Conditions are added by :meth:`add` and similar methods.

    Args:
        conditions: A path (GeoJSON, CSV, or a vector file), a mapping of identifiers to conditions, GeoJSON features as
            a dict or as an object with ``__geo_interface__``, a DataFrame, a GeoDataFrame, an Arrow stream, or another
            monitor or table. If `conditions` is None, the monitor has the conditions that are in the store, if any.
            Conditions that are passed replace the conditions in the store; a condition that is equal in both keeps its
            state. If `conditions` is a text without a dot or slash, it is the `name` of a monitor, not a path.
        name: The monitor's name, 1 to 64 letters, digits or underscores. None makes a private monitor without a name.
        policy: The policy for conditions that do not have their own, or the name of a preset. None means ``standard``.
        assuming: The initial state for conditions that do not state one. None means unknown.
        radius: The radius, in metres, for circles that do not state one.
        columns: Names of the columns or properties for identifier, latitude, longitude, radius, assuming and policy, if
            the library does not recognise these names.
        layer: Layer of a vector file. None means the first layer.
        max_vertices: The largest number of vertices that each shape from a source may have, at most 1,000,000; None
            means 500,000. The vertices of all parts and holes count, and so do the vertices at which planar edges are
            cut. The vertex limit applies only to conditions that are read from a source.
        transform: True to transform a source in another CRS to WGS84. If `transform` is False, a source in another CRS
            is refused.
        delivery: Which changes are delivered if a condition has several pending changes.
        condition_limit: The largest number of conditions of all kinds that are monitored at a time; None means no
            limit.
        max_pending_events: The capacity of the event queue, 1 to 1e9. Inputs are refused while `max_pending_events`
            events are pending.
        initial_fix_max_age: The greatest age, in seconds, at which the last fix may still decide the state of a new
            condition; 0 to 1e9. When a condition is added, the last fix decides the condition's state if the fix is not
            older than `initial_fix_max_age`. If `initial_fix_max_age` is None, the last fix is never used.
        beacon_exit_timeout: Time without a sighting after which a beacon counts as absent, in seconds, above 0.
        beacon_initial_timeout: Time without a sighting after which a beacon condition that starts undetermined becomes
            unsatisfied, in seconds, above 0.
        store: An existing directory, in which the store is the file ``<name>.fencepost``. If the file exists, the
            monitor continues from it; otherwise a new store is created. `delivery` and `condition_limit` must equal the
            options of an existing store. If `store` is None, the monitor is in memory.
        durability: When changes become durable. The durability has no effect without a store.
        checkpoint_interval: Time between two saves with :attr:`Durability.RELAXED`, in seconds of event time, above 0.
        max_time_step: How far an input may be ahead of the clock, in seconds, above 0; None means no limit. An input
            that is ahead of the clock by more than `max_time_step` is refused and counted; otherwise, one input with a
            wrong time would make every later input late. The first input is not checked, because the monitor has no
            clock before it. `max_time_step` does not limit :meth:`advance`; use :meth:`rewind` to set back a clock that
            is ahead.
        path: How the device is assumed to move between its fixes. With ``geodesic``, a device that drives through a
            circle between two fixes gives events for entering and leaving the circle, with times to the microsecond.
        max_gap: The longest time between two fixes that a path may connect, in seconds, above 0. If the time between
            two fixes is longer than `max_gap`, the path between them counts as unknown, and the next event has
            :attr:`Event.follows_gap`.
        max_speed: Maximum speed of a path, in metres per second, above 0; None means no limit. If a device would have
            to move faster than `max_speed` between two fixes, this also counts as a gap.
        plausible_speed: The greatest plausible speed of the device, in metres per second, above 0; None means any
            speed. A fix is doubted if it is farther from the last accepted fix than this speed and the two accuracies
            (each at most 5 km) allow. A doubted fix is counted and changes nothing, not even the clock.
        corroboration_count: The number of doubted fixes in a row, from 2 to 1,000, that are trusted if each is
            plausible after the one before. The last of them is applied.
        corroboration_time: The least time between the first and the last of these fixes, in seconds, from 0 to 1e9.
        accuracy_confidence: The share of the true positions within the accuracy of a fix, 0.01 to 0.9999. Android
            reports the accuracy of 0.68, which is the default; gpsd reports 0.95. Only policies with an
            ``entry_probability`` depend on it.
        order: The order of the events of one instant. With ``exits_first``, a device leaves its old zone before it
            enters a new one, even if one fix decides both.

    Raises:
        InputError: `conditions` cannot be used as a source of conditions. In this case, the monitor's store was not
            opened.
        InvalidNameError: The name has characters that are not allowed, or is too long or empty.
        InvalidArgumentError: An option is out of its range, an option differs from that of the existing store, or
            `store` was passed without a name.
        MonitorInUseError: The store is open, in this or another process.
        StoreUnavailableError: The store cannot be opened: the directory does not exist, access is denied, or the disk
            is full.
        StoreCorruptError: The store's file is damaged. The damaged file was left unchanged.
        StoreTooNewError: The store's file was written by a newer version of the library.

    After a ``fork`` of the process, only the parent process continues to use the store. The monitor in the child
    process continues in memory, as if its store could not be written.

    Example:
        >>> from fencepost import Circle, Fix
        >>> monitor = Monitor(delivery="latest")
        >>> monitor.add(Circle(37.3349, -122.0090, radius=200), "office")
        >>> monitor.feed(Fix(37.3349, -122.0091, accuracy=5, time=1_700_000_000_000_000))
        >>> [str(event.state) for event in monitor.events()]
        ['satisfied']
        >>> "office" in monitor, len(monitor), monitor["office"].state
        (True, 1, <State.SATISFIED: 'satisfied'>)
    """

    __slots__ = ("__weakref__", "_doubts", "_handle", "_max_gap_us")
    _handle: Handle
    _max_gap_us: int | None
    _doubts: bool
    _assumed = State.UNKNOWN

    def __init__(
        self,
        conditions: ConditionsSource | None = None,
        *,
        name: str | None = None,
        policy: TransitionPolicy | str | None = None,
        assuming: State | str | None = None,
        radius: float | None = None,
        columns: Mapping[str, str] | None = None,
        layer: str | None = None,
        max_vertices: int | None = None,
        transform: bool = False,
        delivery: Delivery | str = Delivery.EVERY,
        condition_limit: int | None = None,
        max_pending_events: int = 1_000_000,
        initial_fix_max_age: float | timedelta | None = 60.0,
        beacon_exit_timeout: float | timedelta = 30.0,
        beacon_initial_timeout: float | timedelta = 30.0,
        store: str | os.PathLike[str] | None = None,
        durability: Durability | str = Durability.CHANGES,
        checkpoint_interval: float | timedelta = 60.0,
        max_time_step: float | timedelta | None = None,
        path: DevicePath | str = DevicePath.FIXES,
        max_gap: float | timedelta | None = None,
        max_speed: float | None = None,
        plausible_speed: float | None = None,
        corroboration_count: int = 3,
        corroboration_time: float | timedelta = 60.0,
        accuracy_confidence: float = 0.68,
        order: EventOrder | str = EventOrder.ADD,
    ) -> None:
        if isinstance(conditions, str) and name is None and not any(mark in conditions for mark in "./\\"):
            conditions, name = None, conditions
        source, options = None, (policy, assuming, radius, columns, layer, max_vertices, transform)
        if conditions is not None or has_options(options):
            from .filling import Source

            source = Source(conditions, self._assumed, *options)
        path_options = path_row(path, max_gap, max_speed)
        self._max_gap_us = path_options[1] or None
        self._doubts = plausible_speed is not None
        self._has_inputs = False
        self._handle = Handle(
            name,
            DELIVERIES.index(member(Delivery, delivery, "delivery")),
            0 if condition_limit is None else integer(condition_limit, "condition_limit", 1),
            integer(max_pending_events, "max_pending_events", 1, 1_000_000_000),
            -1 if initial_fix_max_age is None else _age(initial_fix_max_age),
            seconds_to_us(beacon_exit_timeout, "beacon_exit_timeout"),
            seconds_to_us(beacon_initial_timeout, "beacon_initial_timeout"),
            None if store is None else directory(store, name),
            DURABILITIES.index(member(Durability, durability, "durability")),
            seconds_to_us(checkpoint_interval, "checkpoint_interval"),
            0 if max_time_step is None else time_step(max_time_step),
            *path_options,
            *plausibility_row(plausible_speed, corroboration_count, corroboration_time),
            share(accuracy_confidence),
            ORDERS.index(member(EventOrder, order, "order")),
        )
        if source is not None:
            try:
                source.put_into(self)
            except BaseException:
                self._handle.close()
                raise

    @classmethod
    def _of(cls, handle: Handle, max_gap_us: int | None = None, doubts: bool = True) -> Self:
        """A monitor for an existing handle; `max_gap_us` is that of the path, or None if it is unknown; `doubts` is
        false if the monitor certainly never doubts a fix."""
        monitor = cls.__new__(cls)
        monitor._handle, monitor._max_gap_us, monitor._doubts = handle, max_gap_us, doubts
        monitor._has_inputs = False
        return monitor

    @classmethod
    def core_location(cls, name: str | None = None, **options: Unpack[MonitorOptions]) -> Self:
        """A monitor with Core Location's options: delivery ``first`` and a limit of 20 conditions.

        Args:
            name: The monitor's name, or None.
            options: Options of :class:`Monitor` that override Core Location's options.

        Example:
            >>> Monitor.core_location("my_monitor").name
            'my_monitor'
        """
        own: MonitorOptions = {"delivery": Delivery.FIRST, "condition_limit": 20, **options}
        return cls(name=name, **own)

    # ------------------------------------------------------------------------------------ conditions

    def record(self, identifier: str) -> Record | None:
        """The condition with the identifier, together with the condition's last acknowledged event; None if there is no
        such condition.

        Example:
            >>> from fencepost import Circle
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home", assuming="unsatisfied")
            >>> monitor.record("home").last_event.state.value
            'unsatisfied'
        """
        row = self._handle.record(identifier)
        if row is None or row[2] is None:  # another thread removed the shape in the meantime
            return None
        from .._values.records import Record

        return Record._from_row(row)

    _entry = record

    def records(self) -> RecordList:
        """All records, in the order in which the conditions were added.

        Example:
            >>> from fencepost import Circle
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> [record.last_event.identifier for record in monitor.records()]
            ['home']
        """
        from .._values.records import Record, RecordList

        return RecordList([Record._from_row(row) for row in self._handle.records() if row[2] is not None])

    def explain(self, identifier: str) -> Explanation:
        """Explains why a condition is in its state, and gives the smallest change that would decide the state.

        Raises:
            NotFoundError: No condition has that identifier.

        Example:
            >>> from fencepost import Circle
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.explain("home").reason
            <Reason.NO_FIX_YET: 'no_fix_yet'>
        """
        reason, observed, diagnostics, *numbers, doubt, ellipse, height, parts = self._handle.explain(identifier)
        from .._values.explanation import explanation

        return explanation(identifier, reason, observed, diagnostics, numbers, doubt, ellipse, height, parts)

    def state(self, identifier: str) -> State:
        """The observed state of a condition, including changes whose events are still pending. The state is unknown
        while the condition is undetermined, suspended or unmonitored.

        Raises:
            NotFoundError: No condition has that identifier.

        Example:
            >>> from fencepost import Circle, Fix
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> monitor.state("home"), monitor.record("home").last_event.state
            (<State.SATISFIED: 'satisfied'>, <State.UNKNOWN: 'unknown'>)
        """
        return STATES[self._handle.state(identifier)]

    def identifiers_in_state(self, state: State | str) -> list[str]:
        """The identifiers of the conditions that are now in a state, in the order in which they were added. The result
        includes changes whose events are still pending: see :meth:`Monitor.state`.

        Args:
            state: The state to search for: satisfied, unsatisfied, or unknown (undetermined, suspended or unmonitored).

        Raises:
            InvalidArgumentError: `state` is not satisfied, unsatisfied or unknown.

        Example:
            >>> from fencepost import Fix
            >>> monitor = Monitor()
            >>> monitor.add_many(["a", "b"], [0, 0], [0, 1], [100, 100])
            >>> monitor.feed(Fix(0, 0, time=0))
            >>> monitor.identifiers_in_state("satisfied")
            ['a']
        """
        return self._handle.identifiers_in_state(assumed(state, "state"))

    def _plan(self, *plan: Any) -> tuple[Any, ...]:
        return self._handle.plan(*plan)

    def safe_distance(self, latitude: float, longitude: float) -> float:
        """The distance in metres that a device may move from a position before it can cross the boundary of any circle.

        The result is the distance to the nearest boundary minus a micrometre: 0 on a boundary, infinite if there is no
        boundary. Even if a device moves less than this distance, the state of a condition can change: any fix can
        decide the state of an undetermined circle (:attr:`RotationPlan.follow`), and dwells end when time passes
        (:attr:`next_deadline`).

        Conditions that are inactive at the monitor's clock do not count, so the result holds until
        :attr:`RotationPlan.next_start`; once the monitor has a clock, :attr:`next_deadline` is not later. Feed the
        latest fix before that time, then the next fix, and ask again.

        Raises:
            InvalidArgumentError: The coordinate is out of range.

        Example:
            >>> from fencepost import Circle
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> round(monitor.safe_distance(52.5, 13.4), 3)
            100.0
        """
        return self._handle.safe_distance(real(latitude, "latitude"), real(longitude, "longitude"))

    @property
    def next_deadline_us(self) -> int | None:
        """The next time at which a state can change without an input, because a dwell ends or a beacon counts as
        absent. The time is in microseconds since 1970-01-01T00:00:00Z; it is None if nothing is due."""
        return self._handle.next_deadline()

    @property
    def next_deadline(self) -> datetime | None:
        """The next time at which a state can change without an input, as an aware datetime in UTC, or None if nothing
        is due."""
        return from_us(self.next_deadline_us)

    def __len__(self) -> int:
        return self.statistics().condition_count

    # --------------------------------------------------------------------------------------- itself

    @property
    def name(self) -> str | None:
        """The monitor's name, or None for a private monitor."""
        return self._handle.name()

    @property
    def clock_us(self) -> int | None:
        """The largest time of an input or an advance, in microseconds since 1970-01-01T00:00:00Z, or None before the
        first one."""
        return self._handle.statistics()[0]

    @property
    def clock(self) -> datetime | None:
        """The largest time of an input or an advance, as an aware datetime in UTC, or None before the first one."""
        return from_us(self.clock_us)

    def statistics(self) -> Statistics:
        """The counters, the clock and the state of the store.

        Example:
            >>> monitor = Monitor()
            >>> monitor.advance(1)
            >>> monitor.statistics().input_count
            1
        """
        from .._values.statistics import Statistics

        values = self._handle.statistics()
        fields: tuple[Any, ...] = (*values[:-3], STORE_STATUSES[values[-3]], *values[-2:])
        return Statistics(*fields)

    def __repr__(self) -> str:
        counters = self.statistics()
        name = "" if self.name is None else f"{self.name!r}, "
        return (
            f"<fencepost.Monitor {name}{counters.condition_count} conditions, "
            f"{counters.pending_events} pending events, clock {utc_text(counters.clock)}>"
        )

    def _repr_html_(self) -> str:
        first = (self.record(identifier) for identifier in self.identifiers[:SHOWN])
        from .._values.records import RECORD_HEADS, record_row

        rows = [record_row(record) for record in first if record is not None]
        return table(repr(self).strip("<>"), RECORD_HEADS, rows, len(self))


Mapping.register(Monitor)
