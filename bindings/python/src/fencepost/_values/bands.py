"""Bands: the limits of a shape's height."""

from __future__ import annotations

from math import inf, isinf

from .._dataclass import dataclass
from .._native import InvalidArgumentError
from .._tables.numbers import real
from .._tables.table import Plain
from .arguments import member
from .enums import HeightReference

MOST_HEIGHT = 10_000_000.0
"""The largest limit in metres. A larger number is a mistake, for example millimetres."""


@dataclass(frozen=True, slots=True)
class Band(Plain):
    """The limits of a shape's height. The limits belong to the band.

    Args:
        altitude_min: The lower limit in metres, or minus infinity for none.
        altitude_max: The upper limit in metres, or infinity for none.
        altitude_min_reference: What the lower limit is above.
        altitude_max_reference: What the upper limit is above.

    Raises:
        InvalidArgumentError: A limit is NaN or out of its range, or the lower limit is not below the upper limit above
            the same reference.
        TypeError: A value has the wrong type; the message names the value.

    Example:
        >>> Band(altitude_max=120, altitude_max_reference="ground").described
        'up to 120 m above the ground'
    """

    altitude_min: float = -inf
    altitude_max: float = inf
    altitude_min_reference: HeightReference = HeightReference.ELLIPSOID
    altitude_max_reference: HeightReference = HeightReference.ELLIPSOID

    def __post_init__(self) -> None:
        for name, none in (("altitude_min", -inf), ("altitude_max", inf)):
            metres = real(getattr(self, name), name)
            if metres != none and not -MOST_HEIGHT <= metres <= MOST_HEIGHT:
                accepted = f"from -{MOST_HEIGHT:g} to {MOST_HEIGHT:g} metres, or {none} for no limit"
                raise InvalidArgumentError(f"{name} is {metres}; must be {accepted}")
            reference = member(HeightReference, getattr(self, f"{name}_reference"), f"{name}_reference")
            # The reference of a missing limit means nothing, so that bands without it are equal.
            object.__setattr__(self, name, float(metres))
            object.__setattr__(self, f"{name}_reference", HeightReference.ELLIPSOID if isinf(metres) else reference)
        one = self.altitude_min_reference == self.altitude_max_reference
        if one and self.altitude_min >= self.altitude_max:
            raise InvalidArgumentError(
                f"altitude_min {self.altitude_min:g} is not below altitude_max {self.altitude_max:g} m above "
                f"{_ABOVE[self.altitude_max_reference]}"
            )

    @property
    def described(self) -> str:
        """The limits in words."""
        low = f"{self.altitude_min:g} m above {_ABOVE[self.altitude_min_reference]}"
        high = f"{self.altitude_max:g} m above {_ABOVE[self.altitude_max_reference]}"
        if isinf(self.altitude_min):
            return "any height" if isinf(self.altitude_max) else f"up to {high}"
        return f"from {low}" if isinf(self.altitude_max) else f"from {low} to {high}"


_ABOVE = {
    HeightReference.ELLIPSOID: "the ellipsoid",
    HeightReference.MEAN_SEA_LEVEL: "mean sea level",
    HeightReference.GROUND: "the ground",
}
