"""Feeds Arrow streams into a monitor: fixes, circles and shapes, batch by batch. Suitable columns are read in place,
without a copy."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._errors import InputError, reason_of
from .._files.condition_features import BAND, TIMING, warn_of_limits, with_intervals
from .._files.condition_files import band_of, timing_of
from .._native import InvalidArgumentError, Monitor as Handle, MonitorClosedError, QueueFullError
from .._tables.arrow_reader import BatchReader, Plan, Ticks, without_nulls
from .._tables.arrow_shapes import NestedShapes
from .._tables.buffers import contiguous, identifiers, tags
from .._tables.frames import exported
from .._tables.geometries import AREAS, wkb_type
from .._tables.names import CONDITIONS, DEVICES, METRES, MOST_DEGREES, POSITION, TRACK, warn_of_units
from .._values.arguments import (
    PROBABILITIES,
    as_policy,
    assumed,
    assumed_state,
    identifier_text,
    is_gate,
    policy_of,
    policy_row,
)
from .._values.conditions import CIRCULAR_GEOGRAPHIC, LINE_GEOGRAPHIC
from .._values.enums import State
from .._values.policy import DefinitionRow, PolicyRow, TransitionPolicy
from .._values.results import FeedResult, SyncResult
from .._values.shapes import EDGES, Corridor, Polygon
from .edges import AS_PLANAR, warn_of_edges
from .gates import shape_columns

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from .._tables.buffers import SupportsArray
    from .edges import Found

    Tags: TypeAlias = SupportsArray | Buffer | Iterable[int] | int

_Decided: TypeAlias = tuple[int, PolicyRow | None, tuple[Any, ...]]
"""An assumed state, a policy, and the rows of a timing and a band (empty without both), in the engine's form."""
_Reading: TypeAlias = tuple[int, bool, float, int, bool, bool]
"""How to read a shape: its `edges`, `oriented`, `buffer` and vertex limit; whether it leaves its kind of edges
unstated; and whether it is a gate.
"""
_RULES = ("assuming", "policy", *PROBABILITIES)
FIXES, CIRCLES = "fixes", "table"
"""The names that messages use for the two arguments."""
POLYGONAL_GEOGRAPHIC, CORRIDOR_GEOGRAPHIC = Polygon._KIND, Corridor._KIND


def _kind(is_area: bool, reading: _Reading) -> int:
    return POLYGONAL_GEOGRAPHIC if is_area else LINE_GEOGRAPHIC if reading[5] else CORRIDOR_GEOGRAPHIC


class _Fixes(NamedTuple):
    """The fixes of a batch."""

    first: int
    latitudes: Any
    longitudes: Any
    accuracies: Any
    """The accuracies; with error ellipses or heights, a tuple of the accuracies and of :data:`BESIDE`."""
    times: Ticks
    devices: tuple[Any, tuple[str, ...]] | None
    """The index of each row's device, and the devices; None if a monitor is fed."""

    def feed(self, handle: Any, refuses: bool) -> FeedResult:
        times: Any = self.times.values
        fraction = self.times.multiplier, self.times.divisor
        columns = self.latitudes, self.longitudes, self.accuracies, times, *fraction, refuses
        if self.devices is None:
            return FeedResult(*handle.feed_columns(*columns))
        return FeedResult(*handle.feed_columns(*columns, *self.devices, self.first))


def feed_stream(
    handle: Any,
    table: Any,
    columns: Mapping[str, str],
    refuses: bool,
    devices: bool = False,
    look: Callable[[Sequence[Any], Any, Sequence[str]], None] | None = None,
) -> FeedResult:
    """Feeds the rows of a stream; see :meth:`fencepost.Monitor.feed_many`.

    Args:
        handle: The native handle of a monitor or a fleet.
        table: An object that exports the stream.
        columns: Maps roles, such as ``latitude``, to the names of columns that the library does not recognise.
        refuses: True if the first invalid row causes the whole stream to be refused.
        devices: True if a column names each row's device.
        look: A function that is called before the first batch with devices is fed. The arguments of the function are
            the batch's columns, the index of each row's device, and the devices.
    """
    known, required = (DEVICES, ("time", "device")) if devices else (TRACK, ("time",))
    reader = BatchReader(exported(table, FIXES, known, columns, required), FIXES)
    plan = reader.find(known, columns, required)
    warn_of_units(FIXES, columns)
    batches = _fixes(reader, plan)
    if refuses:
        held, empty = list(batches), _empty()
        for batch in held:
            try:
                batch._replace(devices=None).feed(empty, True)
            except InvalidArgumentError as error:
                raise _of_row(error, FIXES, batch.first, reader, plan) from None
        batches = iter(held)
    total = FeedResult(0, 0, 0)
    while True:
        try:
            found = next(batches, None)
        except InputError as error:  # the earlier batches have taken effect
            error.result = total
            raise
        if found is None:
            return total
        try:
            if look is not None and found.devices is not None and found.first == 0:
                look((found.latitudes, found.longitudes, found.accuracies, *found.times), *found.devices)
            total = total._plus(found.feed(handle, False))
        except InvalidArgumentError as error:  # a device identifier is invalid
            about_row = _of_row(error, FIXES, found.first, reader, plan)
            about_row.result = total
            raise about_row from None
        except BaseException as error:
            if isinstance(error, QueueFullError):
                error.position += found.first
            total._carry(error)
            raise


def _fixes(reader: BatchReader, plan: Plan) -> Iterator[_Fixes]:
    for first, chunk in reader.batches():
        latitudes, longitudes = reader.positions(chunk, plan, first)
        _check_metres(reader, plan, latitudes, longitudes, first)
        accuracies: Any = reader.accuracies(chunk, plan, first, missing=0.0)
        beside = reader.beside(chunk, plan, first)
        if beside is not None:
            accuracies = (accuracies, *beside)
        ticks = reader.ticks(chunk, plan.indices["time"], first)
        column = plan.indices.get("device")
        devices = None if column is None else _devices(reader, chunk, column, first)
        yield _Fixes(first, latitudes, longitudes, accuracies, ticks, devices)


def _check_metres(
    reader: BatchReader, plan: Plan, latitudes: Sequence[float], longitudes: Sequence[float], first: int
) -> None:
    """Refuses points without a stated coordinate system if the first coordinates can only be metres. A replay refuses
    such points too."""
    if plan.geometry is None or not len(latitudes):
        return
    latitude, longitude = latitudes[0], longitudes[0]
    if MOST_DEGREES < max(abs(latitude), abs(longitude)) < math.inf:
        column = reader.names[plan.geometry]
        reason = f"lies at latitude {latitude:.10g}, longitude {longitude:.10g} (column {column!r}): {METRES}"
        raise InputError.of_row(FIXES, first, reason)


def _devices(reader: BatchReader, chunk: Any, column: int, first: int) -> tuple[Any, tuple[str, ...]]:
    codes, values = reader.coded(chunk, column, first)
    if isinstance(values, tuple):  # this is the same dictionary as in the previous batch
        return codes, values
    name, texts = reader.names[column], []
    for value in values:
        text = None if value is None else identifier_text(value)
        if not isinstance(text, str):
            row = next((row for row, code in enumerate(codes) if values[code] is value), None)
            if row is not None:
                said = "has no device" if value is None else f"device {value!r} is a {type(value).__name__}, not a text"
                raise InputError.of_row(FIXES, first + row, f"{said} (column {name!r})")
            text = ""  # this value is never used, because no row refers to it
        texts.append(text)
    return codes, reader.keep_coded(column, tuple(texts))


def _empty() -> Handle:
    """A monitor without conditions, to which conditions are added only to test them."""
    return Handle()


def _of_row(error: InvalidArgumentError, source: str, first: int, reader: BatchReader, plan: Plan) -> InputError:
    """Converts the library's error about a row of a batch to an error that names the row's index in the stream and its
    column."""
    reason, about = reason_of(error), error._argument or ""
    if about in ("coordinate", *POSITION) and plan.geometry is not None:
        indices = [plan.geometry]
    else:
        # The identifier that the library refuses is that of a condition or of a device.
        wanted = {"coordinate": POSITION, "identifier": ("identifier", "device")}.get(about, (about,))
        indices = [plan.indices[what] for what in wanted if what in plan.indices]
    names = " and ".join(repr(reader.names[index]) for index in indices)
    return InputError.of_row(source, first + error.position, f"{reason} (column {names})" if names else reason)


class _Circles(NamedTuple):
    """Consecutive circles with the same options."""

    first: int
    identifiers: tuple[str, ...]
    latitudes: memoryview[Any]
    longitudes: memoryview[Any]
    radii: memoryview[Any]
    assuming: int
    policy: Any

    def put(self, handle: Handle, tags: memoryview[Any], ensure: bool) -> SyncResult:
        """Adds or ensures all circles of this object; if one circle is refused, none is added."""
        return SyncResult(*handle.add_circles(*self[1:], tags[self.first : self.first + len(self.identifiers)], ensure))

    def definitions(self, tags: memoryview[Any]) -> Iterator[DefinitionRow]:
        """The rows, in the form that the methods accept for every kind of condition."""
        rows = zip(self.identifiers, self.latitudes, self.longitudes, self.radii, tags[self.first :])
        for identifier, *circle, tag in rows:
            yield identifier, CIRCULAR_GEOGRAPHIC, tuple(circle), self.assuming, self.policy, tag

    @classmethod
    def joined(cls, parts: Sequence[_Circles]) -> _Circles:
        """Joins consecutive parts with the same options. The values are copied unless there is only one part."""
        first = parts[0]
        if len(parts) == 1:
            return first
        columns = [array("d"), array("d"), array("d")]
        for part in parts:
            for column, values in zip(columns, (part.latitudes, part.longitudes, part.radii)):
                column.frombytes(values.cast("B"))
        texts = tuple(text for part in parts for text in part.identifiers)
        latitudes, longitudes, radii = (memoryview(column) for column in columns)
        return cls(first.first, texts, latitudes, longitudes, radii, first.assuming, first.policy)


class _Shapes(NamedTuple):
    """Consecutive polygons and corridors with the same options."""

    first: int
    identifiers: tuple[str, ...]
    wkb: tuple[bytes, ...]
    radii: memoryview[Any]
    assuming: int
    policy: Any
    reading: _Reading

    def put(self, handle: Handle, tags: memoryview[Any], ensure: bool) -> SyncResult:
        """Adds or ensures all shapes of this object; if one shape is refused, none is added."""
        own = tags[self.first : self.first + len(self.identifiers)]
        if self.reading[5]:
            columns = shape_columns(self.wkb)
            gates = self.identifiers, LINE_GEOGRAPHIC, columns, self.radii, *self.reading[:4]
            return SyncResult(*handle.add_shape_columns(*gates, self.assuming, self.policy, own, ensure))
        row = self.identifiers, self.wkb, self.radii, *self.reading[:4], self.assuming, self.policy
        return SyncResult(*handle.add_shapes(*row, own, ensure))

    def definitions(self, tags: memoryview[Any]) -> Iterator[DefinitionRow]:
        """The rows, in the form that the methods accept for every kind of condition."""
        for identifier, wkb, radius, tag in zip(self.identifiers, self.wkb, self.radii, tags[self.first :]):
            kind = _kind(wkb_type(wkb) in AREAS, self.reading)
            yield identifier, kind, (wkb, radius, *self.reading[:4]), self.assuming, self.policy, tag


class _Columns(NamedTuple):
    """Consecutive polygons (or consecutive corridors) with the same options, read from the table's own columns."""

    first: int
    identifiers: tuple[str, ...]
    shapes: NestedShapes
    begin: int
    radii: memoryview[Any]
    assuming: int
    policy: Any
    reading: _Reading

    def put(self, handle: Handle, tags: memoryview[Any], ensure: bool) -> SyncResult:
        """Adds or ensures all shapes of this object; if one shape is refused, none is added."""
        count = len(self.identifiers)
        columns = self.shapes.columns(self.begin, self.begin + count)
        kind = _kind(self.shapes.is_area, self.reading)
        row = self.identifiers, kind, columns, self.radii, *self.reading[:4], self.assuming, self.policy
        return SyncResult(*handle.add_shape_columns(*row, tags[self.first : self.first + count], ensure))

    def definitions(self, tags: memoryview[Any]) -> Iterator[DefinitionRow]:
        """The rows, in the form that the methods accept for every kind of condition."""
        kind = _kind(self.shapes.is_area, self.reading)
        for row, (identifier, radius, tag) in enumerate(zip(self.identifiers, self.radii, tags[self.first :])):
            wkb = self.shapes.wkb(self.begin + row)
            yield identifier, kind, (wkb, radius, *self.reading[:4]), self.assuming, self.policy, tag


_Part: TypeAlias = "_Circles | _Shapes | _Columns"


class Options(NamedTuple):
    """The defaults for rows without a value."""

    assuming: State | str
    policy: TransitionPolicy | str | None
    tag: Tags
    max_vertices: int


def put_stream(handle: Handle, table: Any, columns: Mapping[str, str], options: Options, ensure: bool) -> SyncResult:
    """Adds or ensures the conditions of a stream, all of them or none; see :meth:`fencepost.Monitor.add_many`."""
    reader = BatchReader(table, CIRCLES, shapes=True)
    plan, parts, numbers = _parts(reader, columns, options)
    try:
        if len(parts) == 1:
            result = parts[0].put(handle, numbers, ensure)
        else:
            result = SyncResult(*handle.put(_definitions(parts, numbers), ensure))
    except InvalidArgumentError as error:
        raise _of_row(error, CIRCLES, parts[0].first if len(parts) == 1 else 0, reader, plan) from None
    if not ensure or result.added or result.replaced:
        warn_of_edges(handle, _left_open(parts), AS_PLANAR)
    return result


def _definitions(parts: Iterable[_Part], tags: memoryview[Any]) -> tuple[DefinitionRow, ...]:
    return tuple(row for part in parts for row in part.definitions(tags))


def sync_stream(handle: Handle, table: Any, columns: Mapping[str, str], options: Options) -> SyncResult:
    """Makes the conditions of a stream the only conditions; see :meth:`fencepost.Monitor.sync`."""
    reader = BatchReader(table, CIRCLES, shapes=True)
    plan, parts, numbers = _parts(reader, columns, options)
    try:
        result = SyncResult(*handle.sync(_definitions(parts, numbers)))
    except MonitorClosedError:
        raise
    except InvalidArgumentError as error:
        raise _of_row(error, CIRCLES, 0, reader, plan) from None
    if result.added or result.replaced:
        warn_of_edges(handle, _left_open(parts), AS_PLANAR)
    return result


def _left_open(parts: Iterable[_Part]) -> Iterator[Found]:
    """The identifier and place of each shape that does not state its kind of edges."""
    for part in parts:
        if not isinstance(part, _Circles) and part.reading[4]:
            for row, identifier in enumerate(part.identifiers, part.first):
                yield identifier, CIRCLES, f"row {row}"


def _parts(
    reader: BatchReader, columns: Mapping[str, str], options: Options
) -> tuple[Plan, list[_Part], memoryview[Any]]:
    """The circles and shapes of a stream, grouped by equal options, and their tags."""
    plan = reader.find(CONDITIONS, columns, ("identifier",))
    if reader.holds_points_alone(plan):
        plan = reader.find(CONDITIONS, columns, ("identifier", "radius"))
    warn_of_limits(CIRCLES, reader.names, columns)
    default = assumed(options.assuming), policy_row(options.policy), ()
    parts: list[_Part] = []
    found = _circles(reader, plan, columns, default, as_policy(options.policy), options.max_vertices)
    for (kind, *_), same in groupby(found, lambda part: (type(part), part.assuming, part.policy)):
        alike: list[Any] = list(same)
        parts += [_Circles.joined(alike)] if kind is _Circles else alike
    return plan, parts, tags(options.tag, sum(len(part.identifiers) for part in parts))


def _circles(
    reader: BatchReader, plan: Plan, columns: Mapping[str, str], default: _Decided, base: TransitionPolicy, most: int
) -> Iterator[_Part]:
    edges = reader.edges(plan)
    for first, chunk in reader.batches():
        texts = _texts(reader, chunk, plan, first)
        nested, shapes = reader.nested_shapes(chunk, plan, first), None
        numbers = dict.fromkeys((*POSITION, "radius"), array("d", [math.nan]) * chunk.length)
        if nested is None:
            numbers["latitude"], numbers["longitude"], shapes = reader.geometries(chunk, plan, first)
        if nested is None and shapes is None and "radius" not in plan.indices:
            reader.find(CONDITIONS, columns, ("identifier", "radius"))  # raises an error that names the missing columns
        if "radius" in plan.indices:
            numbers["radius"] = reader.numbers(chunk, plan.indices["radius"], "radius", first)
        held = [contiguous(numbers[what], what, chunk.length) for what in (*POSITION, "radius")]
        if "gate" in plan.indices:
            _check_gates(reader, chunk, plan, first, nested, shapes)
        readings = None
        if nested is not None or shapes is not None:
            readings = _readings(reader, chunk, plan, first, edges, most)
        start = 0
        for (state, policy, beside), length in _runs(reader, chunk, plan, first, default, base):
            for begin, end, reading in _alike(shapes, readings, start, start + length):
                rows = slice(begin, end)
                # A gate has neither a radius nor a policy, so the defaults for them do not apply to it.
                is_exempt = reading is not None and reading[5] and (state, policy) == default[:2]
                own = (0, None) if is_exempt else (state, policy)
                decided = (own[0], (own[1], *beside) if beside else own[1])
                ys, xs, radii = (part[rows] for part in held)
                if reading is None:
                    yield _Circles(first + begin, texts[rows], ys, xs, radii, *decided)
                elif nested is not None:
                    yield _Columns(first + begin, texts[rows], nested, begin, radii, *decided, reading)
                elif shapes is not None:
                    wkb = tuple(shape or b"" for shape in shapes[rows])
                    yield _Shapes(first + begin, texts[rows], wkb, radii, *decided, reading)
            start += length


def _alike(
    shapes: Sequence[bytes | None] | None, readings: Sequence[_Reading] | None, start: int, stop: int
) -> Iterator[tuple[int, int, _Reading | None]]:
    """Groups consecutive rows that are circles, and consecutive rows that are shapes read in the same way. If
    `readings` is None, all rows are circles; otherwise, if `shapes` is None, all rows are shapes."""
    if readings is None:
        yield start, stop, None
        return
    held, begin = readings, start
    for reading, rows in groupby(
        range(start, stop), lambda row: None if shapes is not None and shapes[row] is None else held[row]
    ):
        end = begin + sum(1 for _ in rows)
        yield begin, end, reading
        begin = end


def _readings(reader: BatchReader, chunk: Any, plan: Plan, first: int, edges: str | None, most: int) -> list[_Reading]:
    """Returns how each shape of a batch is read; edges are planar unless stated otherwise."""
    default = EDGES.index(edges or "planar")
    own = [what for what in ("edges", "oriented", "buffer", "gate") if what in plan.indices]
    if not own:
        return [(default, False, 0.0, most, edges is None, False)] * chunk.length
    held = [reader.values(chunk, plan.indices[what], first) for what in own]
    found: list[_Reading] = []
    for row in range(chunk.length):
        said = {what: column[row] for what, column in zip(own, held)}
        joined, oriented, buffer = said.get("edges"), said.get("oriented"), said.get("buffer")
        if joined is not None and joined not in EDGES:
            raise InputError.of_row(CIRCLES, first + row, f"edges {joined!r} is not one of {', '.join(EDGES)}")
        if oriented is not None and not isinstance(oriented, bool):
            raise InputError.of_row(CIRCLES, first + row, f"oriented {oriented!r} is not true or false")
        if buffer is not None and (isinstance(buffer, bool) or not isinstance(buffer, int | float)):
            raise InputError.of_row(CIRCLES, first + row, f"buffer {buffer!r} is not a number")
        metres = 0.0 if buffer is None or buffer != buffer else float(buffer)
        is_open = joined is None and edges is None
        gate = is_gate(said.get("gate"))
        kind = default if joined is None else EDGES.index(joined)
        found.append((kind, bool(oriented), metres, most, is_open, gate))
    return found


def _check_gates(
    reader: BatchReader,
    chunk: Any,
    plan: Plan,
    first: int,
    nested: NestedShapes | None,
    shapes: Sequence[bytes | None] | None,
) -> None:
    """Raises an error if a gate is not a line."""
    for row, value in enumerate(reader.values(chunk, plan.indices["gate"], first)):
        try:
            gate = is_gate(value)
        except InvalidArgumentError as error:
            raise InputError.of_row(CIRCLES, first + row, str(error)) from None
        wkb = None if shapes is None else shapes[row]
        is_line = not nested.is_area if nested is not None else wkb is not None and wkb_type(wkb) not in AREAS
        if gate and not is_line:
            raise InputError.of_row(CIRCLES, first + row, "gate: only a line can be a gate")


def _texts(reader: BatchReader, chunk: Any, plan: Plan, first: int) -> tuple[str, ...]:
    """The identifiers of a batch; numbers are converted to strings."""
    name = reader.names[plan.indices["identifier"]]
    found = []
    for row, value in enumerate(reader.values(chunk, plan.indices["identifier"], first)):
        missing = value is None or value != value
        text = None if missing else identifier_text(value)
        if not isinstance(text, str):
            said = "is missing" if missing else f"{value!r} is a {type(value).__name__}"
            raise InputError.of_row(CIRCLES, first + row, f"identifier {said} (column {name!r}): a text is needed")
        found.append(text)
    try:
        return identifiers(found)
    except InvalidArgumentError as error:
        reason = f"identifier {reason_of(error)} (column {name!r})"
        raise InputError.of_row(CIRCLES, first + error.position, reason) from None


def _runs(
    reader: BatchReader, chunk: Any, plan: Plan, first: int, default: _Decided, base: TransitionPolicy
) -> Iterator[tuple[_Decided, int]]:
    """Pairs of an assumed state and a policy, each with the number of consecutive rows to which it applies."""
    own = [what for what in (*_RULES, *TIMING, *BAND) if what in plan.indices]
    if not own:
        yield default, chunk.length
        return
    start = 0
    held = [reader.values(chunk, plan.indices[what], first) for what in own]
    known: dict[str, _Decided] = {}
    for given, rows in groupby(zip(*held)):
        decided = known.get(repr(given))
        if decided is None:
            try:
                decided = known[repr(given)] = _decide(dict(zip(own, given)), default, base)
            except (ValueError, OverflowError) as error:
                about = _to_blame(dict(zip(own, given)), str(error), default, base)
                names = " and ".join(repr(reader.names[plan.indices[what]]) for what in about)
                reason = f"{error} (column {names})" if names else str(error)
                raise InputError.of_row(CIRCLES, first + start, reason) from None
        length = sum(1 for _ in rows)
        yield decided, length
        start += length


def _to_blame(own: Mapping[str, Any], reason: str, default: _Decided, base: TransitionPolicy) -> list[str]:
    """The names of the values of a row that cause an error: with these values alone, the row causes the same error, and
    without one of them it does not."""

    def causes(values: Mapping[str, Any]) -> bool:
        try:
            _decide(values, default, base)
        except (ValueError, OverflowError) as error:
            return str(error) == reason
        return False

    left = dict(own)
    while unneeded := next(
        (what for what in left if causes({name: left[name] for name in left if name != what})), None
    ):
        del left[unneeded]
    return list(left)


def _decide(own: Mapping[str, Any], default: _Decided, base: TransitionPolicy) -> _Decided:
    """The values of a row; a missing value is replaced with the default."""
    assuming, policy = own.get("assuming"), without_nulls(own.get("policy"))
    # A NaN is a missing number, as in frames.
    probabilities = [None if (value := own.get(what)) != value else value for what in PROBABILITIES]
    is_default = policy is None and probabilities == [None, None]
    given = {what: value for what in (*TIMING, *BAND) if (value := own.get(what)) is not None and value == value}
    beside: tuple[Any, ...] = ()
    if given:
        timing, band = timing_of(with_intervals(given)), band_of(given)
        if timing is not None or band is not None:
            beside = None if timing is None else timing._row(), None if band is None else band._row()
    return (
        default[0] if assuming is None else assumed(assumed_state(assuming)),
        default[1] if is_default else policy_row(policy_of(policy, base, *probabilities)),
        beside,
    )
