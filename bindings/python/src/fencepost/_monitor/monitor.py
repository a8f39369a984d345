"""The monitor."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from .._native import InvalidArgumentError, Monitor as Handle
from .._tables.html import SHOWN, table
from .._tables.numbers import integer, real
from .._tables.times import from_us, seconds_to_us, utc_text
from .._values.arguments import assumed, has_options, member, path_row
from .._values.enums import (
    DELIVERIES,
    DURABILITIES,
    STATES,
    STORE_STATUSES,
    Delivery,
    DevicePath,
    Diagnostics,
    Durability,
    Reason,
    State,
)
from .conditions import ConditionChanges
from .events import MonitorEvents
from .inputs import MonitorInputs
from .questions import MonitorQuestions
from .store import MonitorStore

if TYPE_CHECKING:
    from typing import Self, TypedDict, Unpack

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


def _age(value: float | timedelta) -> int:
    """The age of a fix in microseconds; -1 is refused, since the library takes it for "never" (here: None)."""
    age = seconds_to_us(value, "initial_fix_max_age")
    if age < 0:
        raise InvalidArgumentError(f"initial_fix_max_age is {value}; must be from 0 to 1e9 seconds, or None for never")
    return age


def directory(store: str | os.PathLike[str]) -> bytes:
    """The directory of a store as the operating system's bytes."""
    try:
        return os.fsencode(store)
    except TypeError:
        raise TypeError(f"store must be a path, not {type(store).__name__}") from None
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"store {store!r} is not a valid path: it has a lone surrogate") from None


def time_step(value: float | timedelta) -> int:
    """A time step in microseconds; 0 is refused, since the library takes it for "any"."""
    step = seconds_to_us(value, "max_time_step")
    if step == 0:
        raise InvalidArgumentError("max_time_step is 0 s; must be from 1e-6 to 1e9 s, or None for any distance")
    return step


class Monitor(ConditionChanges["Record"], MonitorInputs, MonitorQuestions, MonitorEvents, MonitorStore):
    """Named conditions, their records, and the pending events.

    A monitor is in memory, or with `store` persistent. It reads no clock: its clock is the largest time of its inputs,
    and an earlier input is refused. Several threads may use it, but only one consumer at a time gets the events in a
    sensible order. It is a context manager that closes it at the end. It is also a mapping of identifiers to records:
    ``len``, ``in``, iteration, ``monitor["home"]``, ``del``, :meth:`get`, :meth:`keys`, :meth:`values`, :meth:`items`.
    Conditions are added by :meth:`add` and similar methods.

    Args:
        conditions: A path (GeoJSON, CSV, or a vector file), a mapping of identifiers to conditions, GeoJSON as a dict
            or anything with a ``__geo_interface__`` of features, a DataFrame, a GeoDataFrame, an Arrow stream, or
            another monitor or table; None: those of the store, at first none. If a store has other conditions, they are
            replaced by these; equal ones keep their state. A text without a dot or slash is the `name`, not a path.
        name: 1 to 64 letters, digits or underscores; None: a private monitor without a name.
        policy: Policy of conditions without a policy, or the name of a preset; None: ``standard``.
        assuming: Initial state of conditions without an assumed state; None: unknown.
        radius: Radius in metres of circles without a radius.
        columns: Names of the columns or properties for identifier, latitude, longitude, radius, assuming and policy, if
            they are not recognised.
        layer: Layer of a vector file; None: the first.
        transform: True to transform a source in another CRS to WGS84; otherwise it is refused.
        delivery: Which of several pending changes of a condition are delivered.
        condition_limit: How many conditions are monitored at a time, all kinds together; None: all of them.
        max_pending_events: 1 to 1e9; inputs are refused while this many events are pending.
        initial_fix_max_age: Seconds, 0 to 1e9. When a condition is added, the last fix decides it if the fix is not
            older than this; None: the last fix is never used.
        beacon_exit_timeout: Seconds, above 0: a beacon is gone after this time without a sighting.
        beacon_initial_timeout: Seconds, above 0: a condition that starts undetermined becomes unsatisfied after this
            time without a sighting.
        store: A directory, which must exist. If it has a store with the monitor's name, the monitor continues from it;
            otherwise a new one is created. The file is ``<name>.fencepost``. Delivery and limit must equal those of an
            existing store. None: in memory.
        durability: When changes become durable; no effect without a store.
        checkpoint_interval: Seconds of event time, above 0, for :attr:`Durability.RELAXED`.
        max_time_step: Seconds, above 0: an input that is ahead of the clock by more than this is refused and counted,
            so that one wrong date does not make every later input late; None: no limit. The first input is not checked,
            since there is no clock yet. The limit does not apply to :meth:`advance`; :meth:`rewind` sets back a clock
            that ran ahead.
        path: How the device is assumed to move between its fixes. With ``geodesic``, a device that drives through a
            circle between two fixes enters and leaves it, with times to the microsecond.
        max_gap: For a path: seconds, above 0. If two fixes are farther apart in time, the path between them is unknown,
            as with ``fixes``, and the next event has :attr:`Event.follows_gap`.
        max_speed: For a path: metres a second, above 0; a movement that would be faster also counts as a gap; None: no
            limit.

    Raises:
        InputError: `conditions` cannot be used; nothing was opened.
        InvalidNameError: The name has characters that are not allowed, or is too long or empty.
        InvalidArgumentError: An option is out of its range or differs from the stored one, or a store has no name.
        MonitorInUseError: The store is open, in this or another process.
        StoreUnavailableError: No such directory, no permission, disk full ...
        StoreCorruptError: The file is damaged; it was not changed.
        StoreTooNewError: The file comes from a newer version.

    After a ``fork`` of the process, the child's copy continues in memory, as if the store could not be written: the
    store belongs to the parent.

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

    __slots__ = ("__weakref__", "_handle")
    _handle: Handle
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
    ) -> None:
        if isinstance(conditions, str) and name is None and not any(mark in conditions for mark in "./\\"):
            conditions, name = None, conditions
        source, options = None, (policy, assuming, radius, columns, layer, transform)
        if conditions is not None or has_options(options):
            from .filling import Source

            source = Source(conditions, self._assumed, *options)
        self._handle = Handle(
            name,
            DELIVERIES.index(member(Delivery, delivery, "delivery")),
            0 if condition_limit is None else integer(condition_limit, "condition_limit", 1),
            integer(max_pending_events, "max_pending_events", 1, 1_000_000_000),
            -1 if initial_fix_max_age is None else _age(initial_fix_max_age),
            seconds_to_us(beacon_exit_timeout, "beacon_exit_timeout"),
            seconds_to_us(beacon_initial_timeout, "beacon_initial_timeout"),
            None if store is None else directory(store),
            DURABILITIES.index(member(Durability, durability, "durability")),
            seconds_to_us(checkpoint_interval, "checkpoint_interval"),
            0 if max_time_step is None else time_step(max_time_step),
            *path_row(path, max_gap, max_speed),
        )
        if source is not None:
            try:
                source.put_into(self)
            except BaseException:
                self._handle.close()
                raise

    @classmethod
    def _of(cls, handle: Handle) -> Self:
        """A monitor for an existing handle."""
        monitor = cls.__new__(cls)
        monitor._handle = handle
        return monitor

    @classmethod
    def core_location(cls, name: str | None = None, **options: Unpack[MonitorOptions]) -> Self:
        """A monitor with the options of Core Location: delivery ``first``, 20 conditions.

        Args:
            name: As for the class.
            options: Overrides, as for the class.

        Example:
            >>> Monitor.core_location("my_monitor").name
            'my_monitor'
        """
        own: MonitorOptions = {"delivery": Delivery.FIRST, "condition_limit": 20, **options}
        return cls(name=name, **own)

    # ------------------------------------------------------------------------------------ conditions

    def record(self, identifier: str) -> Record | None:
        """The condition with that identifier and its last acknowledged event; None: no such condition.

        Example:
            >>> from fencepost import Circle
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home", assuming="unsatisfied")
            >>> monitor.record("home").last_event.state.value
            'unsatisfied'
        """
        row = self._handle.record(identifier)
        if row is None or row[2] is None:  # another thread removed its shape in the meantime
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
        """Why a condition is in its state, and the smallest change that would decide it.

        Raises:
            NotFoundError: No condition has that identifier.

        Example:
            >>> from fencepost import Circle
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home")
            >>> monitor.explain("home").reason
            <Reason.NO_FIX_YET: 'no_fix_yet'>
        """
        reason, observed, diagnostics, *numbers = self._handle.explain(identifier)
        from .._values.explanation import Explanation

        return Explanation(identifier, Reason(reason), STATES[observed], Diagnostics(diagnostics), *numbers)

    def state(self, identifier: str) -> State:
        """The observed state of a condition, including changes whose events are still pending: unknown while it is
        undetermined, suspended or unmonitored.

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
        """The identifiers of the conditions that are now in a state, in the order in which they were added. Pending
        events count too: see :meth:`Monitor.state`.

        Args:
            state: satisfied, unsatisfied, or unknown (undetermined, suspended or unmonitored).

        Raises:
            InvalidArgumentError: Another state.

        Example:
            >>> from fencepost import Fix
            >>> monitor = Monitor()
            >>> monitor.add_many(["a", "b"], [0, 0], [0, 1], [100, 100])
            >>> monitor.feed(Fix(0, 0, time=0))
            >>> monitor.identifiers_in_state("satisfied")
            ['a']
        """
        return self._handle.identifiers_in_state(assumed(state, "state"))

    def safe_distance(self, latitude: float, longitude: float) -> float:
        """How far a device may move from a position before it can cross the boundary of any circle, in metres.

        It is the distance to the nearest boundary minus a micrometre: 0 on a boundary, infinite without a boundary. A
        circle that is undetermined can be decided by any fix (:attr:`RotationPlan.follow`), and dwells end by time
        (:attr:`next_deadline`).

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
        """The next time at which the state can change without an input, microseconds since 1970-01-01T00:00:00Z: when a
        dwell has passed, or a beacon counts as absent. None: nothing is due."""
        return self._handle.next_deadline()

    @property
    def next_deadline(self) -> datetime | None:
        """The next time at which the state can change without an input, as an aware datetime in UTC; None: nothing is
        due."""
        return from_us(self.next_deadline_us)

    def __len__(self) -> int:
        return self.statistics().condition_count

    # --------------------------------------------------------------------------------------- itself

    @property
    def name(self) -> str | None:
        """The name, or None for a private monitor."""
        return self._handle.name()

    @property
    def clock_us(self) -> int | None:
        """The largest time of an input or an advance, microseconds since 1970-01-01T00:00:00Z; None: none yet."""
        return self._handle.statistics()[0]

    @property
    def clock(self) -> datetime | None:
        """The largest time of an input or an advance, as an aware datetime in UTC; None: none yet."""
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
        fields: tuple[Any, ...] = (*values[:-2], STORE_STATUSES[values[-2]], values[-1])
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
