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
        """The options of a monitor but its name and conditions."""

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
    """The age of a fix in microseconds; -1, which the library takes for "never", is None here."""
    age = seconds_to_us(value, "initial_fix_max_age")
    if age < 0:
        raise InvalidArgumentError(f"initial_fix_max_age is {value}; accepted are 0 to 1e9 seconds, or None for never")
    return age


def directory(store: str | os.PathLike[str]) -> bytes:
    """The directory of a store as the system has it."""
    try:
        return os.fsencode(store)
    except TypeError:
        raise TypeError(f"store must be a path, not {type(store).__name__}") from None
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"store {store!r} is no path: it holds a lone surrogate") from None


def time_step(value: float | timedelta) -> int:
    """Microseconds; 0, which says "any" to the library, is refused."""
    step = seconds_to_us(value, "max_time_step")
    if step == 0:
        raise InvalidArgumentError("max_time_step is 0 s; accepted are 1e-6 to 1e9 s, or None for any distance")
    return step


class Monitor(ConditionChanges["Record"], MonitorInputs, MonitorQuestions, MonitorEvents, MonitorStore):
    """Named conditions, their records, and the events that wait to be handed out.

    A monitor in memory, or with `store` one that lasts. It reads no clock: its clock is the largest time that it was
    given, and an input earlier than that is refused. It may be used from several threads; one consumer at a time gets a
    sensible order of events. A context manager, closed at its end. A mapping of identifiers to records: ``len``,
    ``in``, iteration, ``monitor["home"]``, ``del``, :meth:`get`, :meth:`keys`, :meth:`values`, :meth:`items`;
    conditions come in by :meth:`add` and its like.

    Args:
        conditions: A path (GeoJSON, CSV, or a vector file), a mapping of identifiers to conditions, GeoJSON as a
            dict or anything with a ``__geo_interface__`` of features, a DataFrame, a GeoDataFrame, an Arrow stream, or
            another monitor or table; None: those of the store, at first none. With a store its conditions become
            these: equal ones go on. A text without a dot or slash is the `name`, not a path.
        name: 1 to 64 letters, digits or underscores; None: a private monitor without a name.
        policy: Of conditions that have none of their own; a preset's name will do; None: ``standard``.
        assuming: State with which conditions begin that say none; None: unknown.
        radius: Metres, of circles that have none.
        columns: Names of the conditions' columns or properties for identifier, latitude, longitude, radius, assuming,
            policy where they are not recognised.
        layer: Of a vector file; None: the first.
        transform: Whether a source in another CRS is transformed to WGS84; otherwise it is refused.
        delivery: Which of several pending changes of a condition are delivered.
        condition_limit: How many conditions are monitored at a time, all kinds together; None: all of them.
        max_pending_events: 1 to 1e9; while that many events wait, inputs are refused.
        initial_fix_max_age: Seconds, 0 to 1e9: how old a fix may be to decide a condition when it is added; None: a
            condition that is added never looks back at a fix.
        beacon_exit_timeout: Seconds, above 0: silence after which a beacon is gone.
        beacon_initial_timeout: Seconds, above 0: silence after which a beacon was never there.
        store: A directory, which must exist. The monitor of that name there continues where it was, or begins; its file
            is ``<name>.fencepost``. Delivery and limit of one that exists must be those it was made with. None: in
            memory.
        durability: When changes are made to last; without a store of no effect.
        checkpoint_interval: Seconds of event time, above 0, for :attr:`Durability.RELAXED`.
        max_time_step: Seconds, above 0: an input that is later than the clock by more is refused and counted, so that
            one wrong date does not make every later input late; None: none is. The first input has nothing to be
            measured by; :meth:`advance` is your word and passes; :meth:`rewind` sets a clock back that ran ahead.
        path: How the device is taken to have moved between its fixes. With ``geodesic``, who drives through a circle
            between two fixes enters and leaves it, at the microsecond.
        max_gap: Of a path: seconds, above 0; of fixes that are farther apart nothing is known between them, as with
            ``fixes``, and the next event says :attr:`Event.follows_gap`.
        max_speed: Of a path: metres a second, above 0; a way that is faster is a gap too; None: none is.

    Raises:
        InputError: `conditions` cannot be used; nothing was opened.
        InvalidNameError: The name has other characters or another length.
        InvalidArgumentError: An option is out of its range, or not the stored one; a store without a name.
        MonitorInUseError: It is open, in this or another process.
        StoreUnavailableError: No such directory, no permission, disk full ...
        StoreCorruptError: The file is damaged; it was left as it is.
        StoreTooNewError: The file comes from a newer version.

    After a ``fork`` of the process the child's copy is in memory, as with a store that cannot be written: the store
    stays the parent's.

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
        """A monitor over a handle that there is."""
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
        """The condition of that identifier and the last event of it that was handled; None: there is none.

        Example:
            >>> from fencepost import Circle
            >>> monitor = Monitor()
            >>> monitor.add(Circle(52.5, 13.4, 100), "home", assuming="unsatisfied")
            >>> monitor.record("home").last_event.state.value
            'unsatisfied'
        """
        row = self._handle.record(identifier)
        if row is None or row[2] is None:  # its shape was gone when it was asked for
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
        """The identifiers of the conditions that are in a state now, whatever events still wait, in the order in which
        they were added: see :meth:`Monitor.state`.

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
        """How far a device at a position may move before it can be on another side of any circle, in metres.

        The distance to the nearest line, less a micrometre; 0 on a line, infinite when there is none. A circle that is
        undetermined can be decided by any fix (:attr:`RotationPlan.follow`), and dwells end by time
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
        """When something happens though no input comes, microseconds since 1970-01-01T00:00:00Z: a dwell has passed,
        or the absence of a beacon is established. None: nothing waits."""
        return self._handle.next_deadline()

    @property
    def next_deadline(self) -> datetime | None:
        """When something happens though no input comes, aware, UTC; None: nothing waits."""
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
        """The largest time given, microseconds since 1970-01-01T00:00:00Z; None: none yet."""
        return self._handle.statistics()[0]

    @property
    def clock(self) -> datetime | None:
        """The largest time given, aware, UTC; None: none yet."""
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
            f"{counters.pending_events} events wait, clock {utc_text(counters.clock)}>"
        )

    def _repr_html_(self) -> str:
        first = (self.record(identifier) for identifier in self.identifiers[:SHOWN])
        from .._values.records import RECORD_HEADS, record_row

        rows = [record_row(record) for record in first if record is not None]
        return table(repr(self).strip("<>"), RECORD_HEADS, rows, len(self))


Mapping.register(Monitor)
