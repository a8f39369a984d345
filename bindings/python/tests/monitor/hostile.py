"""Draws random values that no signature allows, and passes them to calls.

FENCEPOST_HOSTILE_CALLS sets the number of calls. FENCEPOST_SEED repeats a run; a failure's message states the seed.
"""

from __future__ import annotations

import array
import datetime
import decimal
import fractions
import os
import random
import uuid
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from conftest import UUID

from fencepost import (
    Beacon,
    BeaconSighting,
    Cause,
    Circle,
    Diagnostics,
    FencepostError,
    Fix,
    Monitor,
    Notify,
    State,
    TransitionPolicy,
)

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

CALLS = int(os.environ.get("FENCEPOST_HOSTILE_CALLS", "12000"))
SEED = int(os.environ.get("FENCEPOST_SEED", str(random.SystemRandom().randrange(1 << 32))))
CIRCLE = Circle(0, 0, 100)
FIX = Fix(0, 0, time=0)
AWARE = datetime.UTC


class Answers:
    """An object whose every attribute is another such object."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Answers()


VALUES: list[Any] = [
    None, 0, 1, -1, 2**31, 2**63, 2**64, -(2**63), 10**400, 10**5000, 0.0, -0.0, 1.5, float("nan"), float("inf"), 1e308,
    True, False, "", "home", "1", "\0", "\ud800", "x" * 300, b"", b"abc", bytearray(32), memoryview(b"\0" * 64)[::2],
    (), (1, 2, 3), [], [1, 2, 3], ["a"], [None], {}, {"a": 1}, set(), object(), Ellipsis, int, Monitor, len, State,
    datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, tzinfo=AWARE), datetime.date(2020, 1, 1),
    datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=14))),
    datetime.datetime.max.replace(tzinfo=AWARE), datetime.timedelta(1), datetime.timedelta.max, datetime.timedelta.min,
    decimal.Decimal("1.5"), decimal.Decimal("sNaN"), decimal.Decimal("1e999999"), fractions.Fraction(1, 3), 1j,
    uuid.UUID(int=5), np.float64(1), np.float32("nan"), np.int64(5), np.uint64(2**64 - 1), np.bool_(True),
    np.datetime64("2020-01-01"), np.datetime64("NaT", "us"), np.datetime64(10**15, "Y"), np.timedelta64(5, "s"),
    np.array([1.0, 2.0]), np.array([[1.0]]), np.array(5), np.ma.array([1.0, 2.0], mask=[0, 1]), np.ma.masked,
    np.array(["a"]), np.array([None, 1], dtype=object), np.zeros(3, dtype="datetime64[s]"), np.arange(9.0)[::-2],
    np.zeros(2, dtype=[("a", "f8")]), pd.NaT, pd.NA, pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-01", tz="UTC"),
    pd.Series([1.0, 2.0]), pd.Series([1, None], dtype="Int64"), pd.DataFrame({"a": [1]}), pd.Timedelta(5, "s"),
    array.array("d", [1.0]), array.array("q", [1]), range(3), State.UNMONITORED, "satisfied", "exact", "latest",
    Diagnostics.ACCURACY_LIMITED, Diagnostics.CONDITION_UNSUPPORTED, Notify.ALL, Cause.NONE, TransitionPolicy.exact(),
    CIRCLE, Beacon(UUID), FIX, BeaconSighting(UUID, 1, 2), [FIX], [FIX, None], [CIRCLE], UUID,
    Answers(), os.devnull,
]  # fmt: skip


class Draw:
    """Draws random values for arguments."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def any(self) -> Any:
        return self.random.choice(VALUES)

    def few(self, *names: str, often: float = 0.5) -> dict[str, Any]:
        return {name: self.any() for name in names if self.random.random() < often}

    def or_good(self, good: Any) -> Any:
        return self.random.choice([good, self.any()])


def undocumented(draw: Draw, calls: Callable[[int], dict[str, Callable[[], Any]]], count: int = CALLS) -> list[str]:
    """Makes `count` random calls. For call number n, `calls(n)` returns the possible calls, and one of them is chosen
    at random. Returns a line of text for each exception that is not documented."""
    found = []
    for number in range(count):
        own = calls(number)
        name = draw.random.choice(list(own))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                repr(own[name]())
        except (FencepostError, TypeError):
            pass
        except Exception as error:
            found.append(f"{name}: {type(error).__name__}: {error}")
    return found
