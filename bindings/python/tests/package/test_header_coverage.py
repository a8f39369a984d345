"""Every function of the C header can be called from Python, or is listed in this test with the reason why it cannot."""

from __future__ import annotations

import re

from conftest import ROOT

NOT_WRAPPED: dict[str, str] = {
    "fencepost_cause_name": "Cause has names",
    "fencepost_monitor_add_beacon_condition": "the monitor's table does it",
    "fencepost_monitor_add_circular_condition": "the monitor's table does it",
    "fencepost_monitor_feed_fixes": "rows are columns that lie 32 bytes apart",
    "fencepost_monitor_poll_event": "a list of one event says it",
    "fencepost_state_name": "State has names",
    "fencepost_conditions_containing": "a column of one point says it",
    "fencepost_conditions_nearest": "a column of one point says it",
    "fencepost_conditions_put_beacons": "a set of definitions says it",
}
"""Functions that Python does not wrap, each with the reason."""


def test_every_c_function_is_wrapped_or_listed() -> None:
    header = re.sub(r"/\*.*?\*/", " ", (ROOT / "include" / "fencepost.h").read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"FENCEPOST_API\s[^;()]*?\b(fencepost_\w+)\s*\(", header))
    native = "".join(path.read_text() for path in sorted((ROOT / "bindings/python/native").glob("*.c")))
    used = set(re.findall(r"\bfencepost_\w+", native))
    assert len(declared) > 30
    assert declared - used == set(NOT_WRAPPED), "wrap it in bindings/python/native, or say here why not"
