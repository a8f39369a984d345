"""Checks the table "Features of monitors and of fleets" in Architecture.md: each cell of tests names existing tests,
and each feature that a monitor or a fleet has is tested."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Sources/Fencepost/Fencepost.docc/Architecture.md"


def main() -> int:
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "Tests", "bindings"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    paths = [pathlib.PurePath(name) for name in tracked if name]
    known = {path.name for path in paths} | {path.stem for path in paths if path.suffix == ".swift"}
    section = PAGE.read_text().split("## Features of monitors and of fleets\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    findings = [] if len(rows) > 10 else ["the table was not found"]
    for feature, *cells in rows:
        for owner, (support, tests) in zip(("monitor", "fleet"), zip(cells[::2], cells[1::2])):
            names = re.findall(r"`([^`]+)`", tests)
            findings += [f"{feature.strip()}, {owner}: no test {name}" for name in names if name not in known]
            if support.strip().startswith("yes") and not names:
                findings.append(f"{feature.strip()}, {owner}: names no test")
    for finding in findings:
        print(f"Architecture.md: {finding}", file=sys.stderr)
    return 1 if findings else 0


sys.exit(main())
