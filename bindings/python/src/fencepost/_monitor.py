"""The monitor."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, SupportsIndex

from . import _native
from ._columns import column
from ._conditions import KINDS, BeaconIdentityCondition, CircularGeographicCondition, Condition
from ._enums import DELIVERIES, DURABILITIES, STATES, Delivery, Diagnostics, Durability, Reason, State
from ._inputs import FIX_RECORD, BeaconSighting, Fix, common_time
from ._native import InvalidArgumentError, QueueFullError
from ._outputs import Event, Explanation, FeedResult, Record, Statistics
from ._policy import TransitionPolicy
from ._times import Time, from_us, seconds_to_us, to_us

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Buffer, Self


class Monitor:
    """Named conditions, their records, and the events that wait to be handed out.

    A monitor in memory, or with `store` one that lasts. It reads no clock: its clock is the largest time that it was given, and an input earlier
    than that is refused. It may be used from several threads; one consumer at a time gets a sensible order of events.

    Args:
        name: 1 to 64 letters, digits or underscores; None: a private monitor without a name.
        delivery: What is handed out when several changes of a condition wait.
        condition_limit: How many conditions are monitored at a time, all kinds together; None: all of them.
        max_pending_events: 1 to 1e9; while that many events wait, inputs are refused.
        initial_fix_max_age: Seconds, 0 to 1e9: how old a fix may be to decide a condition when it is added.
        beacon_exit_timeout: Seconds, above 0: silence after which a beacon is gone.
        beacon_initial_timeout: Seconds, above 0: silence after which a beacon was never there.
        store: A directory, which must exist. The monitor of that name there continues where it was, or begins; its file
            is ``<name>.fencepost``. Delivery and limit of one that exists must be those it was made with. None: in memory.
        durability: When changes are made to last; without a store of no effect.
        checkpoint_interval: Seconds of event time, above 0, for :attr:`Durability.RELAXED`.

    Raises:
        InvalidNameError: The name has other characters or another length.
        InvalidArgumentError: An option is out of its range, or not the stored one; a store without a name.
        MonitorInUseError: It is open, in this or another process.
        StoreUnavailableError: No such directory, no permission, disk full ...
        StoreCorruptError: The file is damaged; it was left as it is.
        StoreTooNewError: The file comes from a newer version.

    After a ``fork`` of the process the child's copy is in memory, as with a store that cannot be written: the store
    stays the parent's.

    Example:
        >>> monitor = Monitor(delivery="latest")
        >>> monitor.add(CircularGeographicCondition(37.3349, -122.0090, radius=200), "office")
        >>> monitor.feed(Fix(37.3349, -122.0091, accuracy=5, time=1_700_000_000_000_000))
        >>> [str(event.state) for event in monitor.events()]
        ['satisfied']
        >>> "office" in monitor, len(monitor)
        (True, 1)
    """

    __slots__ = ("__weakref__", "_handle")

    def __init__(
        self,
        name: str | None = None,
        *,
        delivery: Delivery | str = Delivery.EVERY,
        condition_limit: int | None = None,
        max_pending_events: int = 1_000_000,
        initial_fix_max_age: float | timedelta = 60.0,
        beacon_exit_timeout: float | timedelta = 30.0,
        beacon_initial_timeout: float | timedelta = 30.0,
        store: str | os.PathLike[str] | None = None,
        durability: Durability | str = Durability.CHANGES,
        checkpoint_interval: float | timedelta = 60.0,
    ) -> None:
        self._handle = _native.Monitor(
            name,
            DELIVERIES.index(_member(Delivery, delivery, "delivery")),
            0 if condition_limit is None else _integer(condition_limit, "condition_limit", 1),
            _integer(max_pending_events, "max_pending_events", 1),
            seconds_to_us(initial_fix_max_age, "initial_fix_max_age"),
            seconds_to_us(beacon_exit_timeout, "beacon_exit_timeout"),
            seconds_to_us(beacon_initial_timeout, "beacon_initial_timeout"),
            None if store is None else os.fsencode(store),
            DURABILITIES.index(_member(Durability, durability, "durability")),
            seconds_to_us(checkpoint_interval, "checkpoint_interval"),
        )

    @classmethod
    def core_location(cls, name: str | None = None, **options: Any) -> Monitor:
        """A monitor with the options of Core Location: delivery ``first``, 20 conditions.

        Args:
            name: As for the class.
            options: Overrides, as for the class.

        Example:
            >>> Monitor.core_location("my_monitor").name
            'my_monitor'
        """
        return cls(name, **{"delivery": Delivery.FIRST, "condition_limit": 20, **options})

    # ------------------------------------------------------------------------------------ conditions

    def add(
        self,
        condition: Condition,
        identifier: str,
        *,
        assuming: State | str = State.UNKNOWN,
        policy: TransitionPolicy | None = None,
        tag: int = 0,
    ) -> None:
        """Adds a condition, or replaces the one of that identifier: new record, its waiting events are dropped.

        When a valid fix not older than `initial_fix_max_age` is known, it decides a circle at once.

        Args:
            condition: What to monitor.
            identifier: 1 to 256 bytes of UTF-8.
            assuming: The first record's state: unknown, satisfied or unsatisfied.
            policy: When a crossing counts; None: :meth:`TransitionPolicy.standard`.
            tag: 0 to 2**64 - 1, yours: every event brings it back.

        Raises:
            InvalidArgumentError: A value is out of its range; the message names it.
        """
        self._put(condition, identifier, assuming, policy, tag, False)

    def ensure(
        self,
        condition: Condition,
        identifier: str,
        *,
        assuming: State | str = State.UNKNOWN,
        policy: TransitionPolicy | None = None,
        tag: int = 0,
    ) -> bool:
        """Like :meth:`add`, but leaves an equal condition of that identifier alone.

        Equal: centre within 1e-7 degrees, radius within 0.5 m (beacons: exactly), same policy and tag; `assuming`
        is then ignored.

        Returns:
            Whether the condition was added or replaced.
        """
        return self._put(condition, identifier, assuming, policy, tag, True)

    def add_circles(
        self,
        identifiers: Iterable[str],
        latitudes: Sequence[float] | Buffer,
        longitudes: Sequence[float] | Buffer,
        radii: Sequence[float] | Buffer,
        *,
        assuming: State | str = State.UNKNOWN,
        policy: TransitionPolicy | None = None,
        tags: Sequence[int] | Buffer | None = None,
    ) -> None:
        """Adds many circles from columns of equal length, in order, as single calls would. All or nothing.

        Args:
            identifiers: Texts.
            latitudes: Degrees.
            longitudes: Degrees.
            radii: Metres.
            assuming: For all of them.
            policy: For all of them.
            tags: A tag for each; None: 0.

        Raises:
            InvalidArgumentError: Columns of different lengths, or a row is refused: none is added, ``position`` is
                the row.

        Example:
            >>> monitor = Monitor()
            >>> monitor.add_circles(["a", "b"], [52.5, 52.6], [13.4, 13.5], [100, 200])
            >>> monitor.identifiers
            ['a', 'b']
        """
        if isinstance(identifiers, str):
            raise TypeError("identifiers must be an iterable of str, not str")
        texts = tuple(identifiers)
        rows = len(texts)
        self._handle.add_circles(
            texts,
            column("d", latitudes, "latitudes", rows),
            column("d", longitudes, "longitudes", rows),
            column("d", radii, "radii", rows),
            _assumed(assuming),
            None if policy is None else policy._row(),
            None if tags is None else column("Q", tags, "tags", rows),
        )

    def remove(self, identifier: str) -> bool:
        """Removes a condition, its record and its events.

        Returns:
            Whether there was one.

        Raises:
            InvalidArgumentError: Not an identifier at all: empty, too long.
        """
        return self._handle.remove(identifier)

    @property
    def identifiers(self) -> list[str]:
        """The identifiers of all conditions, in the order in which they were added."""
        return self._handle.identifiers()

    def record(self, identifier: str) -> Record | None:
        """The condition of that identifier and the last event of it that was handled; None: there is none."""
        row = self._handle.record(identifier)
        return None if row is None else Record._from_row(row)

    def records(self) -> list[Record]:
        """All records, in the order in which the conditions were added."""
        return [Record._from_row(row) for row in self._handle.records()]

    def explain(self, identifier: str) -> Explanation:
        """Why a condition is in its state, and the smallest change that would decide it.

        Raises:
            NotFoundError: No condition has that identifier.

        Example:
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> monitor.explain("home").reason
            <Reason.NO_FIX_YET: 'no_fix_yet'>
        """
        reason, observed, diagnostics, *numbers = self._handle.explain(identifier)
        return Explanation(identifier, Reason(reason), STATES[observed], Diagnostics(diagnostics), *numbers)

    def state(self, identifier: str) -> State:
        """What the detector believes of a condition now, whatever events still wait: unknown while it is undetermined,
        suspended or unmonitored.

        Raises:
            NotFoundError: No condition has that identifier.

        Example:
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> monitor.state("home"), monitor.record("home").last_event.state
            (<State.SATISFIED: 'satisfied'>, <State.UNKNOWN: 'unknown'>)
        """
        return STATES[self._handle.state(identifier)]

    def safe_distance(self, latitude: float, longitude: float) -> float:
        """How far a device at a position may move before it can be on another side of any circle, in metres.

        The distance to the nearest line, less a micrometre; 0 on a line, infinite when there is none. A circle that is
        undetermined can be decided by any fix (:attr:`RotationPlan.follow`), and dwells end by time
        (:attr:`next_deadline`).

        Raises:
            InvalidArgumentError: The coordinate is out of range.

        Example:
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> round(monitor.safe_distance(52.5, 13.4), 3)
            100.0
        """
        return self._handle.safe_distance(latitude, longitude)

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

    def __bool__(self) -> bool:
        return True

    def __contains__(self, identifier: object) -> bool:
        if not isinstance(identifier, str):
            return False
        try:
            return self._handle.contains(identifier)
        except InvalidArgumentError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.identifiers)

    # ---------------------------------------------------------------------------------------- inputs

    def feed(self, fix: Fix) -> None:
        """Feeds one fix. A fix without a position (accuracy negative or NaN) is ignored and counted.

        Raises:
            InvalidArgumentError: A coordinate or the time is out of range; counted.
            LateInputError: Earlier than the clock; counted.
            QueueFullError: `max_pending_events` events wait.
        """
        self._handle.feed_fix(fix.latitude, fix.longitude, fix.accuracy, fix.time_us)

    def feed_many(self, fixes: Iterable[Fix] | Buffer) -> FeedResult:
        """Feeds many fixes in order, with the same result as single calls; invalid and late ones are counted.

        Other Python threads run meanwhile.

        Args:
            fixes: Fixes, or a C-contiguous buffer of rows in the layout of :data:`FIX_RECORD`, read in place.

        Returns:
            How many were accepted, invalid and late.

        Raises:
            QueueFullError: `max_pending_events` events wait; the rows before ``position`` took effect, ``result``
                is their :class:`FeedResult`. Take events, then feed the rest.

        Example:
            >>> Monitor().feed_many([Fix(0, 0, time=0), Fix(91, 0, time=1), Fix(0, 0, time=2), Fix(0, 0, time=1)])
            FeedResult(accepted=2, invalid=1, late=1)
        """
        try:
            rows = memoryview(fixes)  # type: ignore[arg-type]
        except TypeError:
            rows = memoryview(_pack(fixes))  # type: ignore[arg-type]
        try:
            return FeedResult(*self._handle.feed_fixes(rows))
        except QueueFullError as error:
            error.result = FeedResult(*error.result)
            raise

    def see(self, sightings: BeaconSighting | Iterable[BeaconSighting] = (), *, time: Time | None = None) -> None:
        """Feeds one scan report: the beacons observed at one instant. An empty report only moves the clock.

        Args:
            sightings: One or several.
            time: Of the report. May be left out when the sightings carry one and the same time.

        Raises:
            InvalidArgumentError: There is no time, or the sightings carry different ones.
            LateInputError: Earlier than the clock; counted.
            QueueFullError: `max_pending_events` events wait.
        """
        if isinstance(sightings, BeaconSighting):
            sightings = (sightings,)
        report = list(sightings)
        rows = b"".join([sighting._record() for sighting in report])
        self._handle.feed_sightings(rows, common_time(report) if time is None else to_us(time))

    def set_scanning(self, on: bool, *, time: Time) -> None:
        """Declares whether the host scans for beacons from now on; a monitor starts with scanning on.

        Off: beacon conditions become undetermined without an event, absence is not counted.
        """
        self._handle.set_scanning(on, to_us(time))

    def set_host(
        self,
        diagnostics: Diagnostics = Diagnostics(0),
        *,
        unsupported: Iterable[type[Condition]] = (),
        time: Time,
    ) -> None:
        """States what the host can do from now on.

        Args:
            diagnostics: The flags that hold; while there is one every condition is suspended. Not those three that
                the library sets.
            unsupported: Classes of conditions that the host cannot monitor.
            time: From when on.

        Raises:
            InvalidArgumentError: A flag that the library sets.
        """
        kinds = 0
        for kind in unsupported:
            if kind not in KINDS:
                raise TypeError(f"unsupported must hold classes of conditions, not {kind!r}")
            kinds |= 1 << KINDS[kind]
        self._handle.set_host(Diagnostics(diagnostics).value, kinds, to_us(time))

    def advance(self, time: Time) -> None:
        """Tells that time has passed: what is due up to and at `time` is confirmed.

        Raises:
            LateInputError: Earlier than the clock; counted.
            QueueFullError: `max_pending_events` events wait.
        """
        self._handle.advance(to_us(time))

    # ---------------------------------------------------------------------------------------- events

    def next_event(self) -> Event | None:
        """Hands out the next event, or None, and commits what was handed out before."""
        row = self._handle.poll_event()
        return None if row is None else Event._from_row(row)

    def events(self) -> Iterator[Event]:
        """Drains what waits. Asking for the next event commits the one before."""
        while (event := self.next_event()) is not None:
            yield event

    def poll(self, max: int = 1024) -> list[Event]:
        """Hands out up to `max` events (at most 65 536 at a time) and commits what was handed out before."""
        return [Event._from_row(row) for row in self._handle.poll_events(_integer(max, "max", 0))]

    def acknowledge(self) -> None:
        """Commits what was handed out, without asking for more."""
        self._handle.acknowledge()

    # ------------------------------------------------------------------------- stores and snapshots

    def checkpoint(self) -> None:
        """Saves everything that is not saved yet; without a store it does nothing.

        Raises:
            StoreUnavailableError: Monitoring goes on in memory; a later call tries again.
        """
        self._handle.checkpoint()

    def close(self) -> None:
        """Saves everything and closes the store: its name is free. Without a store, or again, it does nothing.

        The monitor goes on in memory; what becomes of it then is not kept. What was handed out and not committed is
        handed out again when it is opened. A ``with`` statement closes at its end.

        Raises:
            StoreUnavailableError: Something could not be saved; the store is closed all the same.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     with Monitor("commute", store=folder) as monitor:
            ...         monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            ...     with Monitor("commute", store=folder) as monitor:
            ...         print(monitor.identifiers)
            ['home']
        """
        self._handle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def snapshot(self) -> bytes:
        """The whole monitor as bytes, the same on every platform; also of one with a store. For :meth:`restore`.

        Pickling and copying go through it, so a monitor with a store becomes one in memory.
        """
        return self._handle.snapshot()

    @classmethod
    def restore(cls, snapshot: Buffer) -> Self:
        """A monitor in memory as it was when the snapshot was made; what was not committed is handed out again.

        Args:
            snapshot: Any bytes may be passed.

        Raises:
            SnapshotInvalidError: It is no snapshot, damaged, or from a newer version of the library.

        Example:
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> Monitor.restore(monitor.snapshot()).identifiers
            ['home']
        """
        restored = cls.__new__(cls)
        restored._handle = _native.Monitor.restore(snapshot)
        return restored

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).restore, (self.snapshot(),), getattr(self, "__dict__", None) or None

    # --------------------------------------------------------------------------------------- itself

    def fork(self) -> Self:
        """An independent copy: the same conditions, records, waiting events, counters and clock.

        It is as the monitor would be after a crash: what was handed out and not committed is handed out again by the
        fork, with the same sequence. The origin does not notice.

        Example:
            >>> monitor = Monitor()
            >>> monitor.add(CircularGeographicCondition(52.5, 13.4, 100), "home")
            >>> monitor.feed(Fix(52.5, 13.4, time=0))
            >>> first = monitor.next_event()
            >>> fork = monitor.fork()
            >>> fork.next_event() == first, monitor.next_event()
            (True, None)
        """
        fork = type(self).__new__(type(self))
        fork._handle = self._handle.fork()
        return fork

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
        """The counters and the clock."""
        return Statistics(*self._handle.statistics())

    def __repr__(self) -> str:
        counters = self.statistics()
        name = "" if self.name is None else f"{self.name!r}, "
        clock = "unset" if counters.clock is None else counters.clock.isoformat()
        return (
            f"<fencepost.Monitor {name}{counters.condition_count} conditions, "
            f"{counters.pending_events} events wait, clock {clock}>"
        )

    def _put(
        self,
        condition: Condition,
        identifier: str,
        assuming: State | str,
        policy: TransitionPolicy | None,
        tag: int,
        ensure: bool,
    ) -> bool:
        state, row = _assumed(assuming), None if policy is None else policy._row()
        number = _integer(tag, "tag", 0)
        if isinstance(condition, CircularGeographicCondition):
            geometry = (condition.latitude, condition.longitude, condition.radius)
            return self._handle.add_circle(identifier, *geometry, state, row, number, ensure)
        if isinstance(condition, BeaconIdentityCondition):
            major = -1 if condition.major is None else condition.major
            minor = -1 if condition.minor is None else condition.minor
            return self._handle.add_beacon(identifier, condition.uuid.bytes, major, minor, state, row, number, ensure)
        raise TypeError(f"condition must be one of fencepost's conditions, not {type(condition).__name__}")


def _pack(fixes: Iterable[Fix]) -> bytes:
    pack = FIX_RECORD.pack
    return b"".join([pack(fix.latitude, fix.longitude, fix.accuracy, fix.time_us) for fix in fixes])


def _member(kind: type[Any], value: Any, what: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        names = ", ".join(str(member) for member in kind)
        raise InvalidArgumentError(f"{what} {value!r} is not one of {names}") from None


def _assumed(value: State | str) -> int:
    return STATES.index(_member(State, value, "assuming"))


def _integer(value: SupportsIndex, what: str, least: int) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{what} must be int, not bool")
    number = operator.index(value)
    if not least <= number < 1 << 64:
        raise InvalidArgumentError(f"{what} {number} is outside {least} to 2**64 - 1")
    return number
