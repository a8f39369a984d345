"""The policy that says when a crossing of a boundary counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

from .._dataclass import dataclass, replace
from .._native import POLICY_CORE_LOCATION, POLICY_EXACT, POLICY_STANDARD, InvalidArgumentError
from .._tables.numbers import real, shown
from .._tables.table import Plain
from .._tables.times import seconds_to_us, us_to_seconds
from .conditions import Geometry
from .enums import DWELL_POLICIES, DwellPolicy, Notify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias


PolicyRow: TypeAlias = tuple[int, int, int, float, float, float, float, int, float, float, float]
DefinitionRow: TypeAlias = tuple[
    str,  # identifier
    int,  # kind
    Geometry
    | tuple[bytes, float, int, bool, float, int]
    | tuple[tuple[str, ...], int, int],  # shapes with a vertex limit
    int,  # assumed state
    PolicyRow | None,
    int,  # tag
]
PRESETS = ("standard", "exact", "core_location")
"""The names of the presets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransitionPolicy(Plain):
    """States how a crossing of a boundary is confirmed, and which changes become events.

    A fix is decisive if it lies beyond the boundary by at least the margin. The crossing is confirmed when the device
    has stayed on the new side of the boundary for the length of the dwell. The margin for entering a circle is
    ``min(max(entry_margin, accuracy_factor * accuracy), radius / 2)``, and the margin for leaving the circle is
    ``max(exit_margin, accuracy_factor * accuracy)``. The defaults are the values of :meth:`standard`.

    With `entry_probability` and `exit_probability`, a fix must also be certain enough: the probability that the zone
    contains the true position must be at least `entry_probability` to enter, and at most `exit_probability` to leave.
    Set both, and set `accuracy_factor` to 0. A zone that is much smaller than the error is never entered. The option
    `accuracy_confidence` of a monitor or fleet says what the accuracy of a fix means.

    Args:
        entry_dwell: Time that the device must stay inside after entering, in seconds, 0 to 1e9.
        exit_dwell: Time that the device must stay outside after leaving, in seconds, 0 to 1e9.
        entry_margin: Margin for entering, in metres, finite, not negative.
        exit_margin: Margin for leaving, in metres, finite, not negative.
        exit_margin_limit: If this is 0, the margin for leaving is `exit_margin`. If this limit is above 0, the margin
            for leaving is the circle's radius, but at least `exit_margin` and at most `exit_margin_limit` metres.
        accuracy_factor: Factor for a fix's accuracy, not negative. If the factor is 0, the accuracy is ignored.
        dwell_policy: What ends a dwell.
        notify: Which changes become events.
        entry_probability: The least probability to enter, above 0.5 and at most 0.99999; 0: no probability is needed.
        exit_probability: The greatest probability to leave, at least 0.00001 and below 0.5; 0: no probability is
            needed.
        vertical_margin: For zones with a band of heights, in metres: a fix is decisive if its height lies beyond the
            limit by at least ``max(vertical_margin, accuracy_factor * vertical_accuracy)``. To enter, at most half the
            thickness of the band is needed.

    Raises:
        InvalidArgumentError: A value is out of its range; the message names the value.
        TypeError: A value has the wrong type.

    Example:
        >>> TransitionPolicy(entry_dwell=60).exit_dwell
        20.0
        >>> TransitionPolicy.named("exact") == TransitionPolicy.exact()
        True
    """

    entry_dwell: float = 20.0
    exit_dwell: float = 20.0
    entry_margin: float = 20.0
    exit_margin: float = 20.0
    exit_margin_limit: float = 0.0
    accuracy_factor: float = 1.0
    dwell_policy: DwellPolicy = DwellPolicy.TIMER
    notify: Notify = Notify.ALL
    entry_probability: float = 0.0
    exit_probability: float = 0.0
    vertical_margin: float = 10.0

    def __post_init__(self) -> None:
        for name in ("entry_dwell", "exit_dwell"):
            given = getattr(self, name)
            if not 0 <= seconds_to_us(given, name) <= 10**15:
                raise InvalidArgumentError(f"{name} {shown(given)} is outside 0 to 1e9 s")
        for name in ("entry_margin", "exit_margin", "exit_margin_limit", "accuracy_factor", "vertical_margin"):
            number = real(getattr(self, name), name)
            if not 0 <= number < inf:
                raise InvalidArgumentError(f"{name} {number} must be finite and at least 0")
            object.__setattr__(self, name, number)
        if 0 < self.exit_margin_limit < self.exit_margin:
            limit = f"exit_margin_limit {self.exit_margin_limit}"
            raise InvalidArgumentError(f"{limit} must be 0, or at least the exit_margin of {self.exit_margin}")
        self._check_probabilities()
        if not isinstance(self.dwell_policy, str):
            raise TypeError(f"dwell_policy must be a DwellPolicy, not {type(self.dwell_policy).__name__}")
        object.__setattr__(self, "dwell_policy", _read_dwell_policy("dwell_policy", self.dwell_policy))
        if not isinstance(self.notify, Notify):
            raise TypeError(f"notify must be a Notify, not {type(self.notify).__name__}")

    def _check_probabilities(self) -> None:
        """Raises InvalidArgumentError unless both probabilities are 0, or both are in their ranges."""
        entry, leave = (
            real(self.entry_probability, "entry_probability"),
            real(self.exit_probability, "exit_probability"),
        )
        object.__setattr__(self, "entry_probability", entry)
        object.__setattr__(self, "exit_probability", leave)
        if entry == leave == 0:
            return
        if entry == 0 or leave == 0:
            both = f"entry_probability {entry} and exit_probability {leave}"
            raise InvalidArgumentError(f"{both} belong together: set both, or leave both at 0")
        if not 0.5 < entry <= 0.99999:
            raise InvalidArgumentError(f"entry_probability {entry} must be above 0.5 and at most 0.99999")
        if not 0.00001 <= leave < 0.5:
            raise InvalidArgumentError(f"exit_probability {leave} must be at least 0.00001 and below 0.5")
        if self.accuracy_factor != 0:
            factor = f"accuracy_factor {self.accuracy_factor}"
            raise InvalidArgumentError(f"{factor} must be 0 with entry_probability, which already uses the accuracy")

    @classmethod
    def standard(cls) -> TransitionPolicy:
        """The default policy: a dwell of 20 s, margins of 20 m, and larger margins for fixes with poor accuracy.

        Example:
            >>> TransitionPolicy.standard().entry_dwell
            20.0
        """
        return cls._from_row(POLICY_STANDARD)

    @classmethod
    def exact(cls) -> TransitionPolicy:
        """The policy without dwells and margins: the first fix on the other side of the boundary confirms a crossing.

        Example:
            >>> TransitionPolicy.exact().exit_margin
            0.0
        """
        return cls._from_row(POLICY_EXACT)

    @classmethod
    def core_location(cls) -> TransitionPolicy:
        """A policy similar to the known behaviour of Core Location: a device leaves only when its distance beyond the
        boundary is at least the circle's radius, limited to the range from 60 to 200 m.

        Example:
            >>> TransitionPolicy.core_location().exit_margin_limit
            200.0
        """
        return cls._from_row(POLICY_CORE_LOCATION)

    @classmethod
    def named(cls, name: str) -> TransitionPolicy:
        """The preset ``standard``, ``exact`` or ``core_location``.

        Raises:
            InvalidArgumentError: There is no preset of that name.

        Example:
            >>> TransitionPolicy.named("exact") == TransitionPolicy.exact()
            True
        """
        if not isinstance(name, str):
            raise TypeError(f"policy must be the name of a preset, not {type(name).__name__}")
        if name not in PRESETS:
            raise InvalidArgumentError(f"policy {name!r} is not one of {', '.join(PRESETS)}")
        preset: TransitionPolicy = getattr(cls, name)()
        return preset

    @property
    def preset(self) -> str | None:
        """The name of the preset that equals this policy, or None if no preset does."""
        return next((name for name in PRESETS if self == self.named(name)), None)

    @property
    def described(self) -> str:
        """The name of the preset that equals this policy, or a description of the dwells and margins if no preset does.

        Example:
            >>> TransitionPolicy().described, TransitionPolicy(entry_dwell=60).described
            ('standard', 'of 60 s, 20 m to enter and 20 s, 20 m to leave')
        """
        if self.preset is not None:
            return self.preset
        entry = f"{self.entry_dwell:g} s, {self.entry_margin:g} m to enter"
        leave = f"{self.exit_dwell:g} s, {self.exit_margin:g} m to leave"
        if self.entry_probability == 0:
            return f"of {entry} and {leave}"
        return f"of {entry}, probability {self.entry_probability:g}, and {leave}, probability {self.exit_probability:g}"

    @classmethod
    def from_dict(cls, values: Mapping[str, object], *, base: TransitionPolicy | None = None) -> TransitionPolicy:
        """Makes a policy from an object in the form that is used in conditions files.

        Args:
            values: The values by field name. The value of ``notify`` is a list of ``initial``, ``entry`` and ``exit``.
            base: The policy that supplies the fields that are missing from `values`. None means :meth:`standard`.

        Raises:
            InvalidArgumentError: A field is unknown, or a value has the wrong type.

        Example:
            >>> TransitionPolicy.from_dict({"entry_dwell": 5, "notify": ["entry"]}).notify
            <Notify.ENTRY: 2>
        """
        if not isinstance(values, Mapping):
            raise TypeError(f"policy must be a mapping of fields to values, not {type(values).__name__}")
        if base is not None and not isinstance(base, TransitionPolicy):
            raise TypeError(f"base must be a TransitionPolicy or None, not {type(base).__name__}")
        known = [*TransitionPolicy.__slots__]
        changes: dict[str, Any] = {}
        for key, value in values.items():
            if key not in known:
                raise InvalidArgumentError(f"policy field {key!r} is not one of {', '.join(known)}")
            changes[key] = _READERS.get(key, _read_number)(key, value)
        return replace(base if base is not None else cls.standard(), **changes)

    @classmethod
    def _from_row(cls, row: PolicyRow) -> TransitionPolicy:
        dwell_policy, entry_dwell, exit_dwell, entry_margin, exit_margin, limit, factor, notify, *others = row
        entry_probability, exit_probability, vertical_margin = others
        return cls(
            entry_dwell=us_to_seconds(entry_dwell),
            exit_dwell=us_to_seconds(exit_dwell),
            entry_margin=entry_margin,
            exit_margin=exit_margin,
            exit_margin_limit=limit,
            accuracy_factor=factor,
            dwell_policy=DWELL_POLICIES[dwell_policy],
            notify=Notify(notify),
            entry_probability=entry_probability,
            exit_probability=exit_probability,
            vertical_margin=vertical_margin,
        )

    def _row(self) -> PolicyRow:
        return (
            DWELL_POLICIES.index(DwellPolicy(self.dwell_policy)),
            seconds_to_us(self.entry_dwell, "entry_dwell"),
            seconds_to_us(self.exit_dwell, "exit_dwell"),
            self.entry_margin,
            self.exit_margin,
            self.exit_margin_limit,
            self.accuracy_factor,
            self.notify.value,
            self.entry_probability,
            self.exit_probability,
            self.vertical_margin,
        )


def _read_number(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidArgumentError(f"policy field {key} must be a number, not {shown(value)}")
    return value


def _read_dwell_policy(key: str, value: Any) -> DwellPolicy:
    names = [str(policy) for policy in DwellPolicy]
    if not isinstance(value, str) or value not in names:
        raise InvalidArgumentError(f"policy field {key}: {shown(value)} is not one of {', '.join(names)}")
    return DwellPolicy(value)


def _read_notify(key: str, value: Any) -> Notify:
    names = {"initial": Notify.INITIAL, "entry": Notify.ENTRY, "exit": Notify.EXIT}
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidArgumentError(f"policy field {key} must be a list of {', '.join(names)}, not {shown(value)}")
    notify = Notify(0)
    for name in value:
        if not isinstance(name, str) or name not in names:
            raise InvalidArgumentError(f"policy field {key}: {name!r} is not one of {', '.join(names)}")
        notify |= names[name]
    return notify


_READERS = {"dwell_policy": _read_dwell_policy, "notify": _read_notify}
