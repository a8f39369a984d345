#!/usr/bin/env python3
"""Measures which lines the tests of `make test` run, and writes the figures into the README in the same folder.

    .venv/bin/python Tests/Coverage/run.py [swift | python]... [-- OPTION...]

``swift``: the Swift tests and the C cases, measured by llvm-cov. ``python``: the Python tests, by coverage.py for the
package and by gcov for its extension, which is rebuilt for this measurement. If neither `swift` nor `python` is named,
both parts are measured. The work folder is .build/coverage. Options for pytest or `swift test` can choose some of the
tests; the figures are then only printed.
"""

from __future__ import annotations

import collections
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".build" / "coverage"
PAGE = Path(__file__).resolve().with_name("README.md")
PYTHON = ROOT / "bindings" / "python"
SETTINGS = """
[run]
source_pkgs = fencepost
data_file = {work}/data/coverage
parallel = true
patch = subprocess
concurrency = thread, multiprocessing
sigterm = true
disable_warnings = module-not-imported, no-data-collected, module-not-measured, no-ctracer
"""
# These tests count the modules, bytes or system calls of new processes; with coverage.py, the counts would include
# those of coverage.py.
OTHERWISE = ("only_what_is_needed", "memory", "strace", "loaded", "no_other_system_calls", "columns_are_released")

Counts = dict[str, tuple[int, int]]
"""For each measured part, the number of lines that ran and the number of lines that could run."""


def run(*command: object, allow_failure: bool = False, **options: object) -> None:
    print(f"coverage: {' '.join(map(str, command))}", flush=True)
    done = subprocess.run(list(map(str, command)), **options)  # type: ignore[call-overload]
    if done.returncode != 0 and not allow_failure:
        sys.exit(f"coverage: exit code {done.returncode}")


def summed(files: Iterable[tuple[str, int, int]]) -> Counts:
    """The line counts of files, summed by group name."""
    found: dict[str, tuple[int, int]] = collections.defaultdict(lambda: (0, 0))
    for group, covered, total in files:
        found[group] = found[group][0] + covered, found[group][1] + total
    return dict(sorted(found.items()))


# ------------------------------------------------------------------------------------------------------- Swift


def swift(options: list[str]) -> Counts:
    scratch = WORK / "swift"
    environment = {**os.environ, "FENCEPOST_OPTIMISED": "1"}
    run("swift", "test", "--enable-code-coverage", "--scratch-path", scratch, *options, cwd=ROOT, env=environment)
    (exported,) = scratch.glob("*/debug/codecov/fencepost.json")
    data = json.loads(exported.read_text())["data"][0]
    files = []
    for each in data["files"]:
        place = Path(each["filename"])
        if not place.is_relative_to(ROOT / "Sources"):
            continue
        lines = each["summary"]["lines"]
        files.append((f"Swift: `{place.relative_to(ROOT / 'Sources').parts[0]}`", lines["covered"], lines["count"]))
    return summed(files)


# ------------------------------------------------------------------------------------------------------ Python


def python(options: list[str]) -> Counts:
    shutil.rmtree(WORK / "python", ignore_errors=True)
    shutil.rmtree(WORK / "data", ignore_errors=True)
    (WORK / "data").mkdir(parents=True)
    # gcc lists the lines of code in files next to the objects; the extension records in the same folder which lines
    # ran.
    copy = WORK / "python"
    shutil.copytree(PYTHON, copy, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "tests"))
    interpreter = WORK / "venv" / "bin" / "python"
    if not interpreter.exists():
        run(sys.executable, "-m", "venv", WORK / "venv")
    (library,) = (ROOT / ".build" / "lib").glob("libfencepost.so.*")
    environment = {
        **os.environ,
        "CFLAGS": "--coverage -O0",
        "LDFLAGS": "--coverage",
        "FENCEPOST_LIBRARY": str(library),
        "FENCEPOST_ROOT": str(ROOT),
    }
    pip = [interpreter, "-m", "pip", "install", "--quiet"]
    run(*pip, "pip>=25.1", "coverage>=7.10")
    group = ("--group", f"{PYTHON}/pyproject.toml:test")
    run(*pip, f"{copy}[cli,files,geo,report,nmea,parquet]", *group, env=environment)
    settings = WORK / "coveragerc"
    settings.write_text(SETTINGS.format(work=WORK))
    # Some tests send Ctrl-C, but a shell may start background processes with Ctrl-C ignored: restore the default.
    tests = [
        "env",
        "--default-signal=INT",
        interpreter,
        "-m",
        "coverage",
        "run",
        f"--rcfile={settings}",
        "-m",
        "pytest",
        "-rs",
        "--numprocesses",
        "2",
    ]
    without = " or ".join(OTHERWISE)
    run(*tests, "--dist", "worksteal", "-k", f"not ({without})", *options, cwd=PYTHON, allow_failure=True)
    run(interpreter, "-m", "coverage", "combine", "--quiet", f"--rcfile={settings}", cwd=PYTHON, allow_failure=True)
    report = WORK / "python.json"
    run(interpreter, "-m", "coverage", "json", "--quiet", f"--rcfile={settings}", "-o", report, cwd=PYTHON)
    files = []
    for name, each in json.loads(report.read_text())["files"].items():
        place = Path(name)
        if not place.is_relative_to(WORK / "venv"):
            continue  # a copy of the package that a test has created
        inside = place.parts[place.parts.index("fencepost") + 1 :]
        group = f"Python: `{inside[0]}`" if len(inside) > 1 else "Python: modules of `fencepost` itself"
        files.append((group, each["summary"]["covered_lines"], each["summary"]["num_statements"]))
    return {**summed(files), **extension(copy)}


def extension(copy: Path) -> Counts:
    """The coverage of the extension's C sources, measured by gcov."""
    ran: dict[tuple[str, int], bool] = {}
    for data in sorted(copy.glob("build/temp*/native/*.gcda")):
        told = subprocess.run(
            ["gcov", "--json-format", "--stdout", data], cwd=copy, capture_output=True, text=True, check=True
        )
        for file in json.loads(told.stdout)["files"]:
            if "native/" not in file["file"]:
                continue
            for line in file["lines"]:
                place = file["file"], line["line_number"]
                ran[place] = ran.get(place, False) or line["count"] > 0
    return {"C: the extension `bindings/python/native`": (sum(ran.values()), len(ran))}


# -------------------------------------------------------------------------------------------------------- page


def written(text: str, counts: Counts) -> str:
    """Returns the page with new figures from the counts; rows without new counts stay unchanged."""
    rows = {name: line for line in text.splitlines() if (name := line[2:].partition(" | ")[0]) and line.count("|") == 5}
    for name, (covered, total) in counts.items():
        rows[name] = f"| {name} | {covered} | {total} | {100 * covered / total:.1f} |"
    kept = [rows[name] for name in sorted(rows) if re.match(r"(C|Python|Swift): ", name)]
    head, _, rest = text.partition("<!-- figures -->\n")
    _, _, tail = rest.partition("<!-- end -->\n")
    table = ["| of | lines that ran | lines | % |", "|---|---|---|---|", *kept]
    return head + "<!-- figures -->\n" + "\n".join(table) + "\n<!-- end -->\n" + tail


def main() -> None:
    parts = {"swift": swift, "python": python}
    words, options = sys.argv[1:], []
    if "--" in words:
        words, options = words[: words.index("--")], words[words.index("--") + 1 :]
    chosen = words or list(parts)
    if not {*chosen} <= {*parts}:
        sys.exit(f"usage: {sys.argv[0]} [swift | python]... [-- OPTION...]")
    WORK.mkdir(parents=True, exist_ok=True)
    for part in chosen:
        counts = parts[part](options)
        for name, (covered, total) in counts.items():
            print(f"{name:50} {covered:6} of {total:6}  {100 * covered / total:5.1f} %")
        if not options:
            PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), counts), encoding="utf-8")
            print(f"coverage: {part}: written into {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
