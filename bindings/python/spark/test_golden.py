"""Continues from a checkpoint of an earlier version; the events are the same as if the stream had not been interrupted.
(test_versions.py contains another test with a checkpoint of an earlier version.)"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import golden
import streams

World = tuple[Path, list[streams.Row], list[dict[str, Any]]]


def test_a_golden_checkpoint_continues(spark: Any, world: World, tmp_path: Path) -> None:
    conditions, rows, want = world
    before = golden.unpack(tmp_path, 1)
    first, second = golden.halves(rows)
    assert 0 < len(before) < len(want) and 0 < len(first) < len(rows)
    streams.write_source(tmp_path / "later", second, 1)
    after = golden.run(spark, tmp_path / "later", conditions, tmp_path / "checkpoint")
    assert streams.in_order([*before, *after]) == want
