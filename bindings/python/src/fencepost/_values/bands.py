"""Bands of heights."""

from __future__ import annotations

from math import inf, isinf

from .._dataclass import dataclass
from .._native import InvalidArgumentError
from .._tables.numbers import real, shown
from .._tables.table import Plain
from .enums import HeightReference

MOST_HEIGHT = 1e9
"""The largest limit in metres, as in the engine."""


@dataclass(frozen=True, slots=True)
class AltitudeBand(Plain):
    """The limits of a zone's height. The limits belong to the band, and one of them may be infinite.

    A device is inside the zone if it is inside on the map and its height is within the limits. A limit above mean sea
    level needs fixes with an `altitude` and a `geoid_height`, and a limit above the ground needs a `ground_height`: see
    :class:`Fix`. While a height is missing, the state does not change, except to outside: because of the position, or
    because of the other limit.

    Args:
        min: The lower limit in metres, or minus infinity for none.
        max: The upper limit in metres, or infinity for none.
        reference: What the limits are above, unless `min_reference` or `max_reference` says otherwise.
        min_reference: What the lower limit is above; None means `reference`.
        max_reference: What the upper limit is above; None means `reference`.

    Raises:
        InvalidArgumentError: A limit is NaN or out of its range, both limits are infinite, or the lower limit is not
            below the upper limit above the same reference.
        TypeError: A value has the wrong type; the message names the value.

    Example:
        >>> AltitudeBand(0, 120, reference="ground").described
        'from 0 m above the ground to 120 m above the ground'
        >>> from fencepost import Circle, Fix, Monitor
        >>> monitor = Monitor()
        >>> monitor.add(Circle(47.35, 8.55, 500), "zone", policy="exact", band=AltitudeBand(500, 620))
        >>> monitor.feed(Fix(47.35, 8.55, altitude=600, time=0))
        >>> monitor.next_event().vertical_distance
        -20.0
    """

    min: float
    max: float
    min_reference: HeightReference
    max_reference: HeightReference

    def __init__(
        self,
        min: float = -inf,
        max: float = inf,
        *,
        reference: HeightReference | str = HeightReference.ELLIPSOID,
        min_reference: HeightReference | str | None = None,
        max_reference: HeightReference | str | None = None,
    ) -> None:
        common = _reference(reference, "reference")
        for name, limit, above, none in (("min", min, min_reference, -inf), ("max", max, max_reference, inf)):
            metres = float(real(limit, name))
            if metres != none and not -MOST_HEIGHT <= metres <= MOST_HEIGHT:
                accepted = f"from -{MOST_HEIGHT:g} to {MOST_HEIGHT:g} metres, or {none} for no limit"
                raise InvalidArgumentError(f"{name} is {metres}; must be {accepted}")
            what = common if above is None else _reference(above, f"{name}_reference")
            # The reference of a missing limit means nothing, so that bands without it are equal.
            object.__setattr__(self, name, metres)
            object.__setattr__(self, f"{name}_reference", HeightReference.ELLIPSOID if isinf(metres) else what)
        if isinf(self.min) and isinf(self.max):
            raise InvalidArgumentError("a band has neither min nor max; set a limit, or pass no band")
        if self.min_reference == self.max_reference and self.min >= self.max:
            raise InvalidArgumentError(
                f"min {self.min:g} is not below max {self.max:g} m above {_ABOVE[self.max_reference]}"
            )

    @property
    def described(self) -> str:
        """The limits in words.

        Example:
            >>> AltitudeBand(max=500, reference="mean_sea_level").described
            'up to 500 m above mean sea level'
        """
        low = f"{self.min:g} m above {_ABOVE[self.min_reference]}"
        high = f"{self.max:g} m above {_ABOVE[self.max_reference]}"
        if isinf(self.min):
            return f"up to {high}"
        return f"from {low}" if isinf(self.max) else f"from {low} to {high}"

    def _needs(self) -> tuple[str, ...]:
        """The names of the heights of a fix that the limits need."""
        above = map(_ADDED.get, (self.min_reference, self.max_reference))
        return "altitude", *dict.fromkeys(filter(None, above))

    @classmethod
    def _from_row(cls, row: BandRow | None) -> AltitudeBand | None:
        if row is None:
            return None
        low, high, below, above = row
        return cls(low, high, min_reference=_REFERENCES[below], max_reference=_REFERENCES[above])

    def _row(self) -> BandRow:
        """The values in the form that the native module reads."""
        return self.min, self.max, _REFERENCES.index(self.min_reference), _REFERENCES.index(self.max_reference)


def _reference(value: HeightReference | str, what: str) -> HeightReference:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a HeightReference or its text, not {type(value).__name__}")
    if value not in (names := [str(each) for each in HeightReference]):
        raise InvalidArgumentError(f"{what} {shown(value)} is not one of {', '.join(names)}")
    return HeightReference(value)


BandRow = tuple[float, float, int, int]
_REFERENCES = tuple(HeightReference)
_ADDED = {HeightReference.MEAN_SEA_LEVEL: "geoid_height", HeightReference.GROUND: "ground_height"}
_ABOVE = {
    HeightReference.ELLIPSOID: "the ellipsoid",
    HeightReference.MEAN_SEA_LEVEL: "mean sea level",
    HeightReference.GROUND: "the ground",
}
