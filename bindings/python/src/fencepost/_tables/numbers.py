"""Numbers that are checked where they are given."""

from __future__ import annotations

import operator
from math import inf
from typing import Any, SupportsIndex

from .._native import InvalidArgumentError


def shown(value: Any) -> str:
    """A value in a message: on one line, and short, whatever it is."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an int of more digits than Python writes; a repr that fails
        text = f"of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def real(value: Any, what: str) -> float:
    """A number for a double: ints and floats as they are, others (NumPy's scalars, Decimal, Fraction) as a float.

    Raises:
        TypeError: It is not a number: a text, a bool, a column, None.
        InvalidArgumentError: No double holds it.
    """
    kind = type(value)
    if kind is float:
        return value  # type: ignore[no-any-return]
    is_column = getattr(value, "shape", ()) != () or hasattr(value, "mask")
    if is_column or isinstance(value, bool | str | bytes | bytearray) or kind.__name__ in ("bool", "bool_"):
        raise TypeError(f"{what} must be a number, not {kind.__name__}")
    try:
        number = float(value)
    except (TypeError, AttributeError):
        raise TypeError(f"{what} must be a number, not {kind.__name__}") from None
    except (ValueError, ArithmeticError):
        raise InvalidArgumentError(f"{what} {shown(value)} is not a number that a double can hold") from None
    return value if kind is int else number


def radius_in_metres(value: Any, what: str = "radius") -> float:
    """A number of metres above 0.

    Raises:
        TypeError: It is not a number.
        InvalidArgumentError: It is not finite, or not above 0.
    """
    metres = real(value, what)
    if not 0 < metres < inf:
        raise InvalidArgumentError(f"{what} is {metres}; accepted are finite values above 0 metres")
    return metres


def whole(value: Any, what: str, expected: str = "int") -> int:
    """An int, or what Python takes for one (NumPy's integers), but no bool.

    Raises:
        TypeError: It is not an integer; the message names the `expected` values.
    """
    if isinstance(value, bool):
        raise TypeError(f"{what} must be {expected}, not bool")
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be {expected}, not {type(value).__name__}") from None


def integer(value: SupportsIndex, what: str, least: int, most: int = (1 << 64) - 1) -> int:
    """An int from `least` to `most`.

    Raises:
        TypeError: It is not an int.
        InvalidArgumentError: It is outside.
    """
    number = whole(value, what)
    if not least <= number <= most:
        end = "2**64 - 1" if most == (1 << 64) - 1 else most
        raise InvalidArgumentError(f"{what} {shown(number)} is outside {least} to {end}")
    return number
