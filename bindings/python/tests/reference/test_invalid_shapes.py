"""Tests the shapes in Tests/Golden/invalid-shapes.json: invalid shapes with the reason and position of the defect, and
similar valid shapes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import ROOT, only_in_full
from reference_shapes import Defect, corridor_from, polygon_from
from reference_shapes.defects import REASONS

CASES = json.loads((ROOT / "Tests/Golden/invalid-shapes.json").read_text(encoding="utf-8"))


@pytest.mark.full
@only_in_full
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_reference_refuses_it(case: dict[str, Any]) -> None:
    try:
        shape = polygon_from(case["polygon"]) if "polygon" in case else corridor_from(case["corridor"])
    except Defect as defect:
        assert defect.reason == case["reason"], defect
        places = [dict(zip(("part", "ring", "edge"), place)) for place in defect.places]
        at = case.get("at", {})
        assert not at or any(at.items() <= place.items() for place in places), defect
    else:
        assert case["reason"] is None, shape


def test_every_reason_is_there() -> None:
    reasons = [case["reason"] for case in CASES]
    assert set(reasons) == {*REASONS, None}
    assert sum(reason is not None for reason in reasons) >= 60
    assert len({case["name"] for case in CASES}) == len(CASES)
