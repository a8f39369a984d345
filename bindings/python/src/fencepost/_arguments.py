"""Arguments that are checked in Python: those that the library would not be asked with."""

from __future__ import annotations

import operator
from typing import Any, SupportsIndex

from ._enums import STATES, State
from ._native import InvalidArgumentError
from ._policy import PolicyRow, TransitionPolicy


def member(kind: type[Any], value: Any, what: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        names = ", ".join(str(member) for member in kind)
        raise InvalidArgumentError(f"{what} {value!r} is not one of {names}") from None


def assumed(value: State | str) -> int:
    return STATES.index(member(State, value, "assuming"))


def policy_row(policy: TransitionPolicy | str | None) -> PolicyRow | None:
    if policy is None:
        return None
    return (TransitionPolicy.named(policy) if isinstance(policy, str) else policy)._row()


def integer(value: SupportsIndex, what: str, least: int) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{what} must be int, not bool")
    number = operator.index(value)
    if not least <= number < 1 << 64:
        raise InvalidArgumentError(f"{what} {number} is outside {least} to 2**64 - 1")
    return number
