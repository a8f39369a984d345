"""Checks arguments in Python, if their values never reach the library, and the fields of condition files."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from .._native import InvalidArgumentError
from .._tables.numbers import integer, real, shown
from .._tables.times import seconds_to_us
from .enums import DEVICE_PATHS, STATES, DevicePath, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import timedelta
    from typing import Any

    from .bands import AltitudeBand
    from .policy import PolicyRow, TransitionPolicy
    from .schedule import Timing


MAX_VERTICES = 500_000
"""The default vertex limit for a condition in files and tables; the library itself accepts a million vertices."""


def vertex_limit(given: int | None, default: int = MAX_VERTICES) -> int:
    """Returns the vertex limit for a condition; None means the default.

    Raises:
        InvalidArgumentError: The limit is outside 1 to 1,000,000.
        TypeError: The limit is not an int.
    """
    return default if given is None else integer(given, "max_vertices", 1, 1_000_000)


def has_options(options: tuple[Any, ...]) -> bool:
    """True if any option for reading conditions (policy, assuming, radius, columns, layer, max_vertices, transform)
    differs from its default.

    The comparison does not use ``==``, because for some types ``==`` does not return a bool.
    """
    *others, transform = options
    return transform is not False or any(value is not None for value in others)


def member(kind: type[Any], value: Any, what: str) -> Any:
    """Converts a value to a member of a text enumeration."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a {kind.__name__} or its text, not {type(value).__name__}")
    try:
        return kind(value)
    except ValueError:
        names = ", ".join(str(member) for member in kind)
        raise InvalidArgumentError(f"{what} {shown(value)} is not one of {names}") from None


def assumed(value: State | str, what: str = "assuming") -> int:
    """Checks a condition's current or initial state, and returns its number. The state ``unmonitored`` is not
    allowed."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a State or its text, not {type(value).__name__}")
    if value not in _BELIEFS:
        raise InvalidArgumentError(f"{what} {shown(str(value))} is not one of {', '.join(_BELIEFS)}")
    return _BELIEFS.index(value)


_BELIEFS = tuple(str(state) for state in STATES[:3])


def truth(value: Any, what: str) -> bool:
    """Returns the truth value of an object. Raises a TypeError if the object has no truth value, as is the case for
    some NumPy arrays."""
    try:
        return bool(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be bool, not {type(value).__name__}") from None


def device_column(device: str | None, by: str | None) -> str | None:
    """Returns the name of the column that names the device. The argument may be passed as `device` or as `by`.

    Raises:
        TypeError: Both `device` and `by` were passed.
    """
    if device is not None and by is not None:
        raise TypeError("device and by are two names of one argument: pass only device")
    return by if device is None else device


def path_row(
    path: DevicePath | str, max_gap: float | timedelta | None, max_speed: float | None
) -> tuple[int, int, float]:
    """The options of a path in the library's form: the path's number, the largest gap in microseconds, and the largest
    speed in metres per second (0 means no limit).

    Raises:
        InvalidArgumentError: An option is out of its range, is missing, or does not apply to the chosen path.
    """
    chosen = member(DevicePath, path, "path")
    if chosen is DevicePath.FIXES:
        for name, value in (("max_gap", max_gap), ("max_speed", max_speed)):
            if value is not None:
                reason = f"{name} is {shown(value)}, but path is 'fixes'; {name} needs path='geodesic'"
                raise InvalidArgumentError(reason)
        return DEVICE_PATHS.index(chosen), 0, 0.0
    if max_gap is None:
        raise InvalidArgumentError("path 'geodesic' needs max_gap, the longest time between fixes, from 1e-6 to 1e9 s")
    gap = seconds_to_us(max_gap, "max_gap")
    if not 1 <= gap <= 10**15:
        raise InvalidArgumentError(f"max_gap is {shown(max_gap)}; must be from 1e-6 to 1e9 s")
    speed = 0.0 if max_speed is None else real(max_speed, "max_speed")
    if max_speed is not None and not 0 < speed < inf:
        raise InvalidArgumentError(f"max_speed is {speed}; must be finite and above 0 m/s, or None for no limit")
    return DEVICE_PATHS.index(chosen), gap, speed


def plausibility_row(
    plausible_speed: float | None, corroboration_count: int, corroboration_time: float | timedelta
) -> tuple[float, int, int]:
    """The options of plausibility in the library's form: the greatest speed in metres per second (0 means any), the
    number of corroborations, and their least time in microseconds.

    Raises:
        InvalidArgumentError: An option is out of its range.
    """
    speed = 0.0 if plausible_speed is None else real(plausible_speed, "plausible_speed")
    if plausible_speed is not None and not 0 < speed < inf:
        raise InvalidArgumentError(
            f"plausible_speed is {speed}; must be finite and above 0 m/s, or None if every speed is plausible"
        )
    count = integer(corroboration_count, "corroboration_count", 2, 1_000)
    time = seconds_to_us(corroboration_time, "corroboration_time")
    if not 0 <= time <= 10**15:
        raise InvalidArgumentError(f"corroboration_time is {shown(corroboration_time)}; must be from 0 to 1e9 s")
    return speed, count, time


def share(accuracy_confidence: float) -> float:
    """The option `accuracy_confidence`.

    Raises:
        InvalidArgumentError: The option is out of its range.
    """
    found = real(accuracy_confidence, "accuracy_confidence")
    if not 0.01 <= found <= 0.9999:
        raise InvalidArgumentError(f"accuracy_confidence is {found}; must be from 0.01 to 0.9999")
    return found


def policy_row(policy: TransitionPolicy | str | None) -> PolicyRow | None:
    return None if policy is None else as_policy(policy)._row()


def options_row(policy: TransitionPolicy | str | None, timing: Timing | None, band: AltitudeBand | None = None) -> Any:
    """The options of a condition: the row of its policy or, with a timing or a band, the rows of all three."""
    row, times = policy_row(policy), None
    if timing is not None:
        from .schedule import Timing

        if not isinstance(timing, Timing):
            raise TypeError(f"timing is {type(timing).__name__}; must be a Timing or None")
        times = timing._row()
    if band is not None:
        from .bands import AltitudeBand

        if not isinstance(band, AltitudeBand):
            raise TypeError(f"band is {type(band).__name__}; must be an AltitudeBand or None")
        return row, times, band._row()
    return row if times is None else (row, times)


def column_names(columns: Any) -> Mapping[str, str]:
    """Checks an argument `columns`, which may be None, and returns a mapping."""
    if columns is not None and not isinstance(columns, Mapping):
        raise TypeError(f"columns must be a mapping of contents to column names, not {type(columns).__name__}")
    return columns or {}


def identifier_text(value: Any) -> Any:
    """Converts a number to text. Other values are returned unchanged, and so is an integer with more than 255 digits:
    it is too long for an identifier, and Python may refuse to convert it."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if isinstance(value, int) and abs(value) >= 10**255:
            return value
        # In pandas, a column of numbers with missing values consists of floats.
        return str(int(value)) if value == value // 1 else str(value)
    return value


def assumed_state(value: Any) -> State:
    """Returns the state that a condition starts with.

    Raises:
        InvalidArgumentError: The value is not a state that a condition may start with.
    """
    names = [str(state) for state in State if state is not State.UNMONITORED]
    if not isinstance(value, str) or value not in names:
        raise InvalidArgumentError(f"assuming {shown(value)} is not one of {', '.join(names)}")
    return State(value)


def is_gate(value: Any) -> bool:
    """Reads the value of a property or column named `gate`.

    Raises:
        InvalidArgumentError: The value is neither true nor false.
    """
    if value is None or (isinstance(value, float) and value != value):
        return False
    if isinstance(value, bool | int | float) and value in (0, 1):
        return bool(value)
    raise InvalidArgumentError(f"gate: must be true or false, not {shown(value)}")


PROBABILITIES = ("entry_probability", "exit_probability")
"""The fields of a policy that a file may also have as properties or columns of their own."""


def policy_of(value: Any, default: TransitionPolicy, entry: Any = None, leave: Any = None) -> TransitionPolicy:
    """The policy of a condition in a file or table.

    Args:
        value: The property or column ``policy``: the name of a preset, an object, the JSON text of an object, or None.
            An object changes fields of `default`.
        default: The policy of conditions without their own.
        entry: The property or column ``entry_probability``, or None. Both probabilities set ``accuracy_factor`` to 0.
        leave: The property or column ``exit_probability``, or None.

    Raises:
        InvalidArgumentError: A value has the wrong type, is out of its range, or contradicts another value.
    """
    from .policy import TransitionPolicy

    fields: dict[str, Any] = {}
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _policy_object(value)
    if isinstance(value, dict):
        fields = value
    elif isinstance(value, str):
        default = TransitionPolicy.named(value.strip())
    elif value is not None:
        raise InvalidArgumentError("policy must be the name of a preset or an object")
    given = {name: one for name, one in zip(PROBABILITIES, (entry, leave)) if one is not None}
    for name, one in given.items():
        if name in fields:
            raise InvalidArgumentError(f"{name}: the policy also has {name}; remove one of them")
        if isinstance(one, bool) or not isinstance(one, int | float):
            raise InvalidArgumentError(f"{name} must be a number, not {shown(one)}")
    if any(given.values()):
        fields = {"accuracy_factor": 0} | fields
    return TransitionPolicy.from_dict(fields | given, base=default) if fields or given else default


def _policy_object(text: str) -> dict[str, Any]:
    """Reads the text of a JSON object, in which each name occurs once."""
    from json import JSONDecodeError, loads

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise InvalidArgumentError(f"policy {shown(text)} has a field twice")
        return found

    try:
        found: dict[str, Any] = loads(text, object_pairs_hook=once)
    except (JSONDecodeError, RecursionError):
        raise InvalidArgumentError(f"policy {shown(text)} is not the JSON text of an object") from None
    return found


def as_policy(policy: TransitionPolicy | str | None) -> TransitionPolicy:
    """Returns a policy unchanged, the preset for a name, and the standard policy for None."""
    from .policy import TransitionPolicy

    if policy is None:
        return TransitionPolicy.standard()
    if isinstance(policy, str):
        return TransitionPolicy.named(policy)
    if not isinstance(policy, TransitionPolicy):
        raise TypeError(f"policy must be a TransitionPolicy or the name of a preset, not {type(policy).__name__}")
    return policy
