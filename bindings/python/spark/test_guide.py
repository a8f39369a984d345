"""The program of the guide, bindings/site/guides/spark.md, word for word."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).resolve().parents[3] / "bindings" / "site" / "guides" / "spark.md"


def test_the_frames_of_the_guide(spark: Any) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    found = re.search(r"<!-- run by \S+/test_guide.py -->\n```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert found
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(found[1], {"spark": spark})
    # Rows are in no order of their own.
    assert sorted(out.getvalue().split("\n")) == sorted([*found[2].split("\n"), ""])
