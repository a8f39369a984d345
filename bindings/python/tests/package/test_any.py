"""In public signatures, `Any` appears only for data without a fixed type: JSON, table keys, and objects from other
libraries."""

from __future__ import annotations

import importlib
import inspect
import typing
from collections.abc import Iterator

import pytest

MODULES = ("fencepost", "fencepost.types", "fencepost.errors", "fencepost.live", "fencepost.spark", "fencepost.uas")
JSON = {"dict[str, Any]", "dict[str, list[Any]]"}
"""Types in which `Any` is allowed, because the name of a member or a column determines its type."""
REASONS = {
    "a value of the column that tells tracks apart": {
        "Fold.__init__", "Log.tracks", "TrackReplay.__init__", "TrackedEvent.__init__", "Visit.track",
        "TrackVisit.__init__",
    },
    "JSON of a sender": {"Follower.receive", "HttpSource.read", "Source.read"},
    "a parsed file of UAS zones": {"read"},
    "an event of any follower": {"Broadcast.subscribe"},
    "keyword arguments that a program passes on": {"Trial.__init__", "Tuning.options"},
    "of a library without types": {"EventLog.to_file", "Tuning.plot"},
    "made by the package alone": {
        "ArrowExport.__init__", "Device.__init__", "EventUpdates.__init__", "LiveEvents.__init__", "Log.__init__",
        "Matches.__init__",
    },
}  # fmt: skip


def callables() -> Iterator[tuple[str, typing.Any]]:
    """Yields each public function and method once, with its name; the name of a method contains the class that defines
    it."""
    seen = set()
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            found = getattr(module, name)
            classes = found.__mro__ if inspect.isclass(found) else ()
            members = [
                (f"{kind.__name__}.{key}", member)
                for kind in classes
                if kind.__module__.startswith("fencepost")
                for key, member in vars(kind).items()
                if not key.startswith("_") or key == "__init__"
            ]
            for place, given in members or [(name, found)]:
                member = given.fget if isinstance(given, property) else getattr(given, "__func__", given)
                if inspect.isfunction(member) and place not in seen:
                    seen.add(place)
                    yield place, member


def has_any(function: typing.Any) -> bool:
    texts = [str(text) for text in getattr(function, "__annotations__", {}).values()]
    return any("Any" in text and text not in JSON for text in texts)


def test_any_stands_where_there_is_no_type() -> None:
    pytest.importorskip("pandas")
    found, seen = set(), 0
    for place, function in callables():
        seen += 1
        # If a function has overloads, a type checker sees only the overloads, not the function's own signature.
        signatures = typing.get_overloads(function) or [function]
        if any(map(has_any, signatures)):
            found.add(place)
    assert seen > 250
    allowed = set().union(*REASONS.values())
    assert found <= allowed, sorted(found - allowed)
    assert allowed <= found | {"TrackVisit.__init__"}, sorted(allowed - found)
