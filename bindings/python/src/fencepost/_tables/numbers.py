"""Checks of numbers that are passed as arguments."""

from __future__ import annotations

import operator
from collections.abc import Collection
from itertools import islice
from math import inf

from .._native import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex


def shown(value: Any) -> str:
    """Formats a value as a short text on one line, for messages."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # the value is an int with too many digits for Python to print, or its __repr__ raises an error
        text = f"of type {type(value).__name__}"
    return short(text)


def short(text: str) -> str:
    """Shortens a text to at most 60 characters, for messages."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def listed(names: Collection[str]) -> str:
    """Formats a list of names for messages: the first twenty names, and the number of further names."""
    text = ", ".join(short(name) for name in islice(names, 20))
    return text if len(names) <= 20 else f"{text} and {len(names) - 20} more"


def real(value: Any, what: str) -> float:
    """Checks that a number can be used as a double. Returns ints and floats unchanged, and converts other numbers
    (NumPy scalars, Decimal, Fraction) to floats.

    Raises:
        TypeError: The value is not a number. Texts, bools, columns and None do not count as numbers.
        InvalidArgumentError: The number does not fit into a double.
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
        raise InvalidArgumentError(f"{what} {shown(value)} is too large for a double") from None
    return value if kind is int else number


def decimal(text: str) -> float:
    """The number that a text states.

    Raises:
        ValueError: The text is not a number, or contains an underscore: ``float`` reads ``1_0`` as 10.
    """
    if "_" in text:
        raise ValueError(f"{shown(text)} is not a number")
    return float(text)


def is_number(value: Any) -> bool:
    """Whether an argument is one number instead of a column. Bools and arrays without dimensions count as numbers."""
    return isinstance(value, int | float) or (getattr(value, "shape", None) == () and hasattr(value, "__float__"))


def radius_in_metres(value: Any, what: str = "radius") -> float:
    """Checks that a number of metres is finite and above 0.

    Raises:
        TypeError: The value is not a number.
        InvalidArgumentError: The number is not finite or not above 0.
    """
    metres = real(value, what)
    if not 0 < metres < inf:
        raise InvalidArgumentError(f"{what} is {metres}; must be finite and above 0 metres")
    return metres


def whole(value: Any, what: str, expected: str = "int") -> int:
    """Checks that a value is an int, or an object that Python accepts as an int (such as a NumPy integer). A bool is
    not allowed.

    Raises:
        TypeError: The value is not an integer; the message names the `expected` values.
    """
    if isinstance(value, bool):
        raise TypeError(f"{what} must be {expected}, not bool")
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be {expected}, not {type(value).__name__}") from None


def integer(value: SupportsIndex, what: str, least: int, most: int = (1 << 64) - 1) -> int:
    """Checks that a value is an int from `least` to `most`.

    Raises:
        TypeError: The value is not an int.
        InvalidArgumentError: The value is outside the range.
    """
    number = whole(value, what)
    if not least <= number <= most:
        end = "2**64 - 1" if most == (1 << 64) - 1 else most
        raise InvalidArgumentError(f"{what} {shown(number)} is outside {least} to {end}")
    return number
