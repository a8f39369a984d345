"""A checkpoint of an earlier version goes on as if nothing had happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import golden
import streams

World = tuple[Path, list[streams.Row], list[dict[str, Any]]]


def test_a_golden_checkpoint_goes_on(spark: Any, world: World, tmp_path: Path) -> None:
    conditions, rows, want = world
    golden.unpack(tmp_path)
    first, second = golden.halves(rows)
    before = json.loads((tmp_path / golden.EVENTS).read_text())
    assert 0 < len(before) < len(want) and 0 < len(first) < len(rows)
    streams.write_source(tmp_path / "later", second, 1)
    after = golden.run(spark, tmp_path / "later", conditions, tmp_path / "checkpoint")
    assert streams.in_order([*before, *after]) == want
