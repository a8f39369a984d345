from typing import Any, Final, Generic, TypeVar, final

from typing_extensions import Buffer

from ._values.bands import BandRow
from ._values.events import EventRow
from ._values.policy import DefinitionRow, PolicyRow
from ._values.records import Geometry, RecordRow
from ._values.rules import RuleRow
from ._values.schedule import TimingRow

_Row = TypeVar("_Row")

VERSION: Final[str]
POLICY_STANDARD: Final[PolicyRow]
POLICY_EXACT: Final[PolicyRow]
POLICY_CORE_LOCATION: Final[PolicyRow]

class FencepostError(Exception):
    code: int
    name: str
    position: int
    _reason: str | None
    """The message without the row, if the library raised the error."""
    _argument: str | None
    """The name of the argument that the library refuses."""

class NullArgumentError(FencepostError, ValueError): ...
class InvalidArgumentError(FencepostError, ValueError): ...
class BufferTooSmallError(FencepostError, ValueError): ...
class UnsupportedError(FencepostError, RuntimeError): ...
class InvalidNameError(FencepostError, ValueError): ...
class MonitorInUseError(FencepostError, RuntimeError): ...
class ConsumerAlreadyActiveError(FencepostError, RuntimeError): ...
class NotFoundError(FencepostError, KeyError): ...
class NoSuchDeviceError(FencepostError, KeyError): ...
class LateInputError(FencepostError, ValueError): ...
class AheadOfClockError(FencepostError, ValueError): ...

class QueueFullError(FencepostError, RuntimeError):
    result: Any

class StoreUnavailableError(FencepostError, OSError): ...
class StoreCorruptError(FencepostError, RuntimeError): ...
class StoreTooNewError(FencepostError, RuntimeError): ...
class SnapshotInvalidError(FencepostError, ValueError): ...
class TableMismatchError(FencepostError, ValueError): ...
class InternalError(FencepostError, RuntimeError): ...
class MonitorClosedError(InvalidArgumentError): ...

class _ConditionHandle:
    """The common methods of a monitor and a table; this class does not exist at run time."""

    def add_circle(
        self,
        identifier: str,
        latitude: float,
        longitude: float,
        radius: float,
        assuming: int,
        policy: PolicyRow | None,
        tag: int,
        ensure: bool,
        /,
    ) -> bool: ...
    def add_circles(
        self,
        identifiers: tuple[str, ...],
        latitudes: Buffer,
        longitudes: Buffer,
        radii: Buffer,
        assuming: int,
        policy: PolicyRow | None,
        tags: Buffer | None,
        ensure: bool = ...,
        /,
    ) -> tuple[int, int, int, int]: ...
    def add_shape(
        self,
        identifier: str,
        wkb: bytes,
        radius: float,
        edges: int,
        oriented: bool,
        buffer: float,
        max_vertices: int,
        assuming: int,
        policy: PolicyRow | None,
        tag: int,
        ensure: bool,
        /,
    ) -> bool: ...
    def add_shapes(
        self,
        identifiers: tuple[str, ...],
        shapes: tuple[bytes, ...],
        radii: Buffer | None,
        edges: int,
        oriented: bool,
        buffer: float,
        max_vertices: int,
        assuming: int,
        policy: PolicyRow | None,
        tags: Buffer | None,
        ensure: bool,
        /,
    ) -> tuple[int, int, int, int]: ...
    def add_shape_columns(
        self,
        identifiers: tuple[str, ...],
        kind: int,
        columns: tuple[Buffer, Buffer, Buffer, Buffer | None, Buffer | None],
        radii: Buffer,
        edges: int,
        oriented: bool,
        buffer: float,
        max_vertices: int,
        assuming: int,
        policy: PolicyRow | None,
        tags: Buffer | None,
        ensure: bool,
        /,
    ) -> tuple[int, int, int, int]: ...
    def add_line(
        self,
        identifier: str,
        coordinates: Buffer,
        lines: Buffer,
        edges: int,
        max_vertices: int,
        assuming: int,
        policy: PolicyRow | None,
        tag: int,
        ensure: bool,
        /,
    ) -> bool: ...
    def add_rule(
        self,
        identifier: str,
        rule: RuleRow,
        assuming: int,
        policy: PolicyRow | None,
        tag: int,
        ensure: bool,
        /,
    ) -> bool: ...
    def add_beacon(
        self,
        identifier: str,
        uuid: bytes,
        major: int,
        minor: int,
        assuming: int,
        policy: PolicyRow | None,
        tag: int,
        ensure: bool,
        /,
    ) -> bool: ...
    def sync(self, definitions: tuple[DefinitionRow, ...], /) -> tuple[int, int, int, int]: ...
    def put(self, definitions: tuple[DefinitionRow, ...], ensure: bool, /) -> tuple[int, int, int, int]: ...
    def remove(self, identifier: str, /) -> bool: ...
    def remove_many(self, identifiers: tuple[str, ...], /) -> int: ...
    def shape(self, identifier: str, /) -> tuple[float | None, int, float | None, int, int, int, int]: ...
    def nearest_boundary_point(
        self, identifier: str, latitude: float, longitude: float, /
    ) -> tuple[float, float] | None: ...
    def containing(
        self,
        latitudes: Any,
        longitudes: Any,
        offsets: Any,
        generations: Any,
        distances: Any,
        heights: tuple[Any, Any, Any] | None = ...,
        /,
    ) -> int: ...
    def nearest(self, latitudes: Any, longitudes: Any, nearest: int, generations: Any, distances: Any, /) -> int: ...
    def identifiers_of(self, generations: Any, /) -> list[str | None]: ...
    def probability(
        self,
        identifier: str,
        latitudes: Any,
        longitudes: Any,
        accuracies: Any,
        majors: Any,
        minors: Any,
        orientations: Any,
        confidence: float,
        probabilities: Any,
        /,
    ) -> None: ...
    def contains(self, identifier: str, /) -> bool: ...
    def identifiers(self) -> list[str]: ...

class _EventHandle(Generic[_Row]):
    """The common methods of a monitor and a fleet; this class does not exist at run time."""

    def checkpoint(self) -> None: ...
    def close(self) -> None: ...
    def poll_event(self) -> _Row | None: ...
    def poll_events(self, limit: int, /) -> list[_Row]: ...
    def attach(self, descriptor: int, /) -> None: ...
    def detach(self, descriptor: int, /) -> None: ...
    def next_update(self) -> _Row | None: ...
    def end_updates(self) -> None: ...
    def closed(self) -> bool: ...
    def acknowledge(self, turn: int | None, /) -> bool: ...
    def abandon(self, turn: int | None, /) -> bool: ...
    def turn(self) -> int: ...
    def next_deadline(self) -> int | None: ...

@final
class Monitor(_ConditionHandle, _EventHandle[EventRow]):
    def __new__(
        cls,
        name: str | None = ...,
        delivery: int = ...,
        condition_limit: int = ...,
        max_pending_events: int = ...,
        initial_fix_max_age_us: int = ...,
        beacon_exit_timeout_us: int = ...,
        beacon_initial_timeout_us: int = ...,
        store: bytes | None = ...,
        durability: int = ...,
        checkpoint_interval_us: int = ...,
        max_time_step_us: int = ...,
        path: int = ...,
        max_gap_us: int = ...,
        max_speed: float = ...,
        plausible_speed: float = ...,
        corroboration_count: int = ...,
        corroboration_time_us: int = ...,
        accuracy_confidence: float = ...,
        order: int = ...,
        /,
    ) -> Monitor: ...
    def fork(self) -> Monitor: ...
    def snapshot(self) -> bytes: ...
    @classmethod
    def restore(cls, snapshot: Buffer, /) -> Monitor: ...
    def name(self) -> str | None: ...
    def statistics(self) -> tuple[int | None, int, int, int, int, int, int, int, int, int, int, bool, int]: ...
    def identifiers_in_state(self, state: int, /) -> list[str]: ...
    def record(self, identifier: str, /) -> RecordRow | None: ...
    def records(self) -> list[RecordRow]: ...
    def explain(self, identifier: str, /) -> tuple[Any, ...]: ...
    def state(self, identifier: str, /) -> int: ...
    def safe_distance(self, latitude: float, longitude: float, /) -> float: ...
    def plan(
        self,
        latitude: float,
        longitude: float,
        accuracy: float,
        slots: int,
        margin: float,
        maximum_radius: float,
        armed: list[int],
        /,
    ) -> tuple[
        list[tuple[str, int, int, float, float, float, float, bool, bool]],
        list[bool],
        tuple[float, float, float] | None,
        bool,
        int | None,
    ]: ...
    def feed_fix(self, latitude: float, longitude: float, accuracy: float, time_us: int, /, *beside: float) -> None: ...
    def feed_fixes(self, fixes: Buffer, /) -> tuple[int, int, int, int]: ...
    def feed_columns(
        self,
        latitude: Buffer,
        longitude: Buffer,
        accuracy: Buffer | float | tuple[Any, ...] | None,
        time: Buffer,
        multiplier: int,
        divisor: int,
        refuse_invalid: bool,
        /,
    ) -> tuple[int, int, int, int]: ...
    def feed_sightings(self, sightings: Buffer, time_us: int, /) -> None: ...
    def set_scanning(self, on: bool, time_us: int, /) -> None: ...
    def set_host(self, diagnostics: int, unsupported_kinds: int, time_us: int, /) -> None: ...
    def advance(self, time_us: int, /) -> None: ...
    def rewind(self, time_us: int, /) -> None: ...

@final
class Conditions(_ConditionHandle):
    def __new__(cls) -> Conditions: ...
    def snapshot(self) -> bytes: ...
    @classmethod
    def restore(cls, snapshot: Buffer, /) -> Conditions: ...
    def condition(
        self, identifier: str, /
    ) -> tuple[str, int, Geometry, int, int, PolicyRow, BandRow | None, TimingRow | None] | None: ...
    def length(self) -> int: ...
    def version(self) -> tuple[int, int, bytes]: ...

@final
class Fleet(_EventHandle[tuple[Any, ...]]):
    def __new__(
        cls,
        conditions: Conditions,
        max_pending_events: int = ...,
        device_limit: int = ...,
        beacon_exit_timeout_us: int = ...,
        beacon_initial_timeout_us: int = ...,
        max_time_step_us: int = ...,
        name: str | None = ...,
        store: bytes | None = ...,
        durability: int = ...,
        checkpoint_interval_us: int = ...,
        path: int = ...,
        max_gap_us: int = ...,
        max_speed: float = ...,
        plausible_speed: float = ...,
        corroboration_count: int = ...,
        corroboration_time_us: int = ...,
        delivery: int = ...,
        accuracy_confidence: float = ...,
        order: int = ...,
        /,
    ) -> Fleet: ...
    def fork(self) -> Fleet: ...
    def snapshot(self) -> bytes: ...
    @classmethod
    def restore(cls, snapshot: Buffer, /) -> Fleet: ...
    def conditions(self) -> Conditions: ...
    def statistics(self) -> tuple[int | None, int, int, int, int, int, int, int, int, int, int, int, bool, int]: ...
    def feed_fix(
        self, device: str, latitude: float, longitude: float, accuracy: float, time_us: int, /, *beside: float
    ) -> None: ...
    def feed_columns(
        self,
        latitude: Buffer,
        longitude: Buffer,
        accuracy: Buffer | float | tuple[Any, ...] | None,
        time: Buffer,
        multiplier: int,
        divisor: int,
        refuse_invalid: bool,
        devices: Buffer | None,
        dictionary: tuple[str, ...] | Buffer,
        first_row: int,
        /,
    ) -> tuple[int, int, int, int]: ...
    def feed_sightings(self, device: str, sightings: Buffer, time_us: int, /) -> None: ...
    def set_scanning(self, device: str, on: bool, time_us: int, /) -> None: ...
    def set_host(self, device: str, diagnostics: int, unsupported_kinds: int, time_us: int, /) -> None: ...
    def advance(self, time_us: int, device: str | None, force: bool = ..., /) -> None: ...
    def rewind(self, time_us: int, device: str | None, /) -> None: ...
    def set_arrival_time(self, time_us: int, /) -> None: ...
    def devices(self) -> list[str]: ...
    def enter(self, devices: tuple[str, ...], /) -> bytes: ...
    def has_device(self, device: str, /) -> bool: ...
    def remove_device(self, device: str, drop_events: bool, /) -> bool: ...
    def expire(self, before_us: int, /) -> list[str]: ...
    def expire_by_arrival(self, before_us: int, /) -> list[str]: ...
    def inside(self, device: str, /) -> list[tuple[str, int, int, int | None, int | None]]: ...
    def devices_inside(self, identifier: str | None, /) -> tuple[list[str], bytes, bytes, bytes, bytes]: ...
    def positions(self, device: str | None, /) -> list[tuple[str, int | None, tuple[float, float] | None]]: ...
    def device_statistics(self, device: str, /) -> tuple[int | None, int, int, int, int, int, int, int, int]: ...
    def device_deadline(self, device: str, /) -> int | None: ...
    def device_state(self, device: str, identifier: str, /) -> int: ...
    def device_explain(self, device: str, identifier: str, /) -> tuple[Any, ...]: ...
    def device_safe_distance(self, device: str, latitude: float, longitude: float, /) -> float: ...
    def device_plan(self, device: str, plan: tuple[Any, ...], /) -> tuple[Any, ...]: ...
    def export(self, devices: tuple[str, ...], portable: bool, /) -> list[bytes]: ...
    def load(self, devices: tuple[str, ...], data: tuple[bytes, ...], adapt: bool, /) -> None: ...

def error_table() -> list[tuple[int, str, str, type[FencepostError]]]: ...
def parse_uuid(text: str, /) -> bytes: ...
def parse_advertisement(payload: Buffer, company: int, /) -> tuple[bytes, int, int, int, int, int]: ...
def event_json(
    sequence: int,
    identifier: str,
    state: int,
    cause: int,
    date_us: int | None,
    evidence_date_us: int | None,
    refinement: tuple[bytes, int, int] | None,
    diagnostics: int,
    generation: int,
    latitude: float | None,
    longitude: float | None,
    accuracy: float | None,
    boundary_distance: float | None,
    probability: float | None,
    vertical_distance: float | None,
    decided_by: int | None,
    evidence: int,
    /,
) -> str: ...
def feed_tracks(
    fleet: Fleet,
    devices: Buffer,
    begins: Buffer,
    tracks: Buffer,
    latitude: Buffer,
    longitude: Buffer,
    accuracy: Buffer | tuple[Buffer | None, ...] | None,
    time: Buffer,
    start: int,
    stop: int,
    found: list[Any],
    as_json: bool,
    /,
) -> tuple[int, int, int, int]: ...
def extremes(column: Buffer, /) -> tuple[int, int]: ...
def distinct(codes: Buffer, count: int, /) -> list[int]: ...
def taken(values: Buffer, codes: Buffer, /) -> bytes: ...
def visits(
    events: tuple[EventRow, ...], assumed: dict[str, int], begin: int | None, end: int | None, /
) -> tuple[list[str], bytes, bytes, bytes, bytes, bytes, bytes, bytes]: ...
def shape_distance(
    is_area: bool,
    coordinates: Buffer,
    rings: Buffer,
    parts: Buffer,
    radius: float,
    edges: int,
    oriented: bool,
    buffer: float,
    latitude: float,
    longitude: float,
    /,
) -> float: ...
def circle_contains(
    centre_latitude: float, centre_longitude: float, radius: float, latitude: float, longitude: float, /
) -> bool: ...
def significant_change(
    minimum_distance: float,
    minimum_interval_us: int,
    last: tuple[float, float, float, int] | None,
    latitude: float,
    longitude: float,
    accuracy: float,
    time_us: int,
    /,
) -> bool: ...
def best_fix(fixes: Buffer, now_us: int, speed: float, maximum_age_us: int, /) -> int | None: ...
def inverse(
    latitude1: float, longitude1: float, latitude2: float, longitude2: float, /
) -> tuple[float, float, float]: ...
def direct(latitude: float, longitude: float, azimuth: float, distance: float, /) -> tuple[float, float, float]: ...
def inverse_into(
    latitude1: Buffer,
    longitude1: Buffer,
    latitude2: Buffer,
    longitude2: Buffer,
    distance: Buffer,
    azimuth1: Buffer,
    azimuth2: Buffer,
    /,
) -> None: ...
def direct_into(
    latitude: Buffer,
    longitude: Buffer,
    azimuth: Buffer,
    distance: Buffer,
    end_latitude: Buffer,
    end_longitude: Buffer,
    end_azimuth: Buffer,
    /,
) -> None: ...
