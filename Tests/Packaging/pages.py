#!/usr/bin/env python3
"""Runs the documentation pages as their readers would: with only the wheel and the extras that each page names.

    .venv/bin/python Tests/Packaging/pages.py [PAGE...]

Builds the wheel once, and creates one environment for each combination of extras and packages. Each block runs with the
extras and packages that the page has installed with ``pip install`` up to that block. The blocks of a page run in order
in an empty folder, and must print what the page shows (``bindings/site/blocks.py``). The programs of the Spark guide
run in that guide's own test, if Java is installed. The work folder .build/pages takes several gigabytes and is removed
at the end. Environments get their dependencies from the package index, as with pip.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import wheel

sys.path.insert(0, str(wheel.ROOT / "bindings" / "site"))
import blocks

WORK = wheel.ROOT / ".build" / "pages"
SPARK = blocks.Needs(frozenset({"spark"}))


class Environments:
    """A virtual environment for each set of extras and packages, created at the first request."""

    def __init__(self, built: Path) -> None:
        self.built = built
        self.made: dict[blocks.Needs, Path] = {}
        shutil.rmtree(WORK, ignore_errors=True)

    def __call__(self, needs: blocks.Needs) -> Path:
        """Returns the Python interpreter of an environment in which the wheel with the given extras and the given
        packages are installed."""
        if needs not in self.made:
            python = WORK / str(len(self.made)) / "bin" / "python"
            extras = ",".join(sorted(needs.extras))
            started = time.monotonic()
            wheel.run(wheel.pythons()[0], "-m", "venv", python.parents[1])
            wheel.run(
                python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                f"fencepost[{extras}] @ {self.built.as_uri()}", *sorted(needs.packages),
            )  # fmt: skip
            names = " ".join([f"fencepost[{extras}]", *sorted(needs.packages)])
            print(f"pages: {names} installed in {time.monotonic() - started:.0f} s")
            self.made[needs] = python
        return self.made[needs]


def run_spark_guide(python: Path) -> None:
    """Runs the guide's own test. The programs of the guide share one Spark session, which returns rows in no fixed
    order."""
    wheel.run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest>=8")
    environment = {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "default", "spark/test_guide.py"]
    wheel.run(*tests, cwd=wheel.PYTHON_FOLDER, env=environment)
    print("pages: the programs of bindings/site/guides/spark.md do what it says")


def main() -> None:
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or blocks.pages()
    environments = Environments(wheel.build()[1])
    ran = failed = 0
    for page in chosen:
        for block, _, wrong in blocks.run(page, environments):
            ran += 1
            if wrong:
                failed += 1
                print(f"{page.relative_to(wheel.ROOT)}: line {block.line}: {wrong}")
    wheel.check(ran > 0, "no page has a block that runs here")
    if SPARK in environments.made and shutil.which("java"):
        run_spark_guide(environments.made[SPARK])
    shutil.rmtree(WORK)
    print(f"pages: {ran - failed} of {ran} blocks do what the pages say, in {len(environments.made)} environments")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
