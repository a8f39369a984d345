"""Runs the programs of the guide bindings/site/guides/spark.md unchanged and in order. As for a reader, the guide
creates the session, and no environment variable names the Python interpreter of the workers."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).resolve().parents[3] / "bindings" / "site" / "guides" / "spark.md"
BLOCK = re.compile(r"<!-- run by \S+/test_guide.py -->\n```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)


def test_the_guide(spark: Any, tmp_path: Path) -> None:
    assert spark, "it is skipped where there is no Spark"
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert len(blocks) == 3 and "SparkSession" in blocks[0][0]
    mark = "== the next block"
    program = f"print({mark!r})\n".join(code for code, _ in blocks)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK"))}
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=240, cwd=tmp_path, env=environment
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    printed = ran.stdout.split(f"{mark}\n")
    # Spark returns rows in an undefined order.
    assert [sorted(filter(None, text.split("\n"))) for text in printed] == [
        sorted(filter(None, text.split("\n"))) for _, text in blocks
    ]
