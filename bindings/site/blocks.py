#!/usr/bin/env python3
"""Runs the programs and commands that the documentation shows, and compares their output with the page.

    .venv/bin/python bindings/site/blocks.py [--write] [PAGE...]

A page's ``sh`` and ``python`` blocks, and its ``c`` blocks with a ``main``, run in order. Each block runs in its own
process, in a folder that is empty except for ``examples`` and ``Tests``. If a ``text`` block follows directly, it is
the expected output of the block, including errors. A line ``…`` in the expected output stands for any number of lines.
A block without expected output must print nothing. ``--write`` updates the outputs in the page.

A comment before a block changes how the block is run:

    <!-- run by FILE -->     FILE runs the block
    <!-- continues -->       Python: continues the program of the block before
    <!-- exits with N -->    the block fails with this code
    <!-- needs NAME... -->   the block is skipped if these modules or programs are not installed

The blocks after ``pip install 'fencepost[EXTRA,...]' PACKAGE...``, in a block or in the text of a page, need these
extras and packages. This module runs the programs with whatever packages are installed; ``Tests/Packaging/pages.py``
installs exactly the requirements that a page names.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 120
BLOCK = re.compile(
    r"(?:^<!-- (?P<says>[^\n]*?) -->\n)?^```(?P<language>sh|python|c)\n(?P<code>.*?)^```\n"
    r"(?P<answer>\n```text\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)
INSTALLS = re.compile(r"pip install\s+'fencepost\[([\w,]+)\]'((?: [\w-]+)*)")
MARK = "\x1e"
COMPILE = (
    'cc -std=c99 -Wall -Wextra -Werror program.c -o program -I"$1/include" -L"$1/.build/lib" -lfencepost '
    '-Wl,-rpath,"$1/.build/lib" && exec ./program'
)


@dataclass(frozen=True)
class Block:
    """A program or a group of commands on a page, with the expected output."""

    line: int
    language: str
    code: str
    says: str
    output: str
    span: tuple[int, int]
    """The position of the output in the page, or the position where it belongs."""
    end: int

    @property
    def runner(self) -> str | None:
        """The name of the test file that runs this block, or None if this module runs it."""
        return self.says.removeprefix("run by ") if self.says.startswith("run by ") else None

    @property
    def missing(self) -> list[str]:
        """The modules and programs that the block needs and that are not installed."""
        wanted = self.says.removeprefix("needs ").split() if self.says.startswith("needs ") else []
        return [name for name in wanted if importlib.util.find_spec(name) is None and shutil.which(name) is None]


@dataclass(frozen=True)
class Needs:
    """The requirements that a page has named so far."""

    extras: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()

    @staticmethod
    def of(text: str) -> Needs:
        """The extras and packages that the ``pip install`` commands in a part of a page name."""
        found = INSTALLS.findall(text)
        return Needs(
            frozenset(extra for extras, _ in found for extra in extras.split(",")),
            frozenset(name for _, names in found for name in names.split()),
        )


def blocks_of(text: str) -> list[Block]:
    """The blocks of a page that can be run."""
    return [
        Block(
            text[: found.start("code")].count("\n") + 1,
            found["language"],
            found["code"],
            found["says"] or "",
            found["output"] or "",
            found.span("output") if found["answer"] else (found.end(), found.end()),
            found.end(),
        )
        for found in BLOCK.finditer(text)
        if found["language"] != "c" or "int main(" in found["code"]
    ]


def pages() -> list[Path]:
    """The pages that show programs or commands."""
    written = [
        ROOT / "README.md",
        *ROOT.glob("bindings/*/README.md"),
        *ROOT.glob("bindings/site/**/*.md"),
        *ROOT.glob("examples/README.md"),
        *ROOT.glob("Tests/**/README.md"),
        *ROOT.glob("Sources/Fencepost/Fencepost.docc/*.md"),
    ]
    return sorted({page for page in written if blocks_of(page.read_text(encoding="utf-8"))})


def agrees(expected: str, printed: str) -> bool:
    """True if the output is as expected; a line ``…`` in the expected output stands for any number of lines."""
    parts = [re.escape(part) for part in re.split(r"^…\n", expected, flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*".join(parts), printed) is not None


def run(page: Path, python_with: Callable[[Needs], Path] | None = None) -> Iterator[tuple[Block, str, str]]:
    """Yields each block of a page, its output, and a description of what is wrong (empty if nothing is wrong).

    ``python_with`` is called with the extras and packages that the page has named up to the end of the block, and
    returns the Python interpreter for the block. Without ``python_with``, all blocks run with the current Python, and a
    block is skipped if a module or program that it ``needs`` is not installed.
    """
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="fencepost-page-") as name:
        folder = Path(name)
        home = folder / ".home"
        home.mkdir()
        for part in ("examples", "Tests"):
            (folder / part).symlink_to(ROOT / part)
        environment = {
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "COLUMNS": "110",
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLCONFIGDIR": str(home),
        }
        before = ""
        for block in blocks_of(text):
            if block.runner is not None or (python_with is None and block.missing):
                continue
            python = python_with(Needs.of(text[: block.end])) if python_with else Path(sys.executable)
            code = block.code
            if block.language == "python":
                code = before + f"\nprint({MARK!r})\n" + code if block.says == "continues" else code
                before = code.replace(f"\nprint({MARK!r})\n", "\n")
                command = [str(python), "-W", "error", "-c", code]
            elif block.language == "c":
                (folder / "program.c").write_text(code, encoding="utf-8")
                command = ["bash", "-euo", "pipefail", "-c", COMPILE, "bash", str(ROOT)]
            else:
                command = ["bash", "-euo", "pipefail", "-c", code]
            done = subprocess.run(
                command,
                cwd=folder,
                env={**environment, "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]])},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                timeout=TIME_LIMIT_S,
                check=False,
            )
            printed = done.stdout.rpartition(f"{MARK}\n")[2]
            printed = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
            wanted = int(block.says.removeprefix("exits with ")) if block.says.startswith("exits with ") else 0
            wrong = ""
            if done.returncode != wanted:
                wrong = f"exit code {done.returncode} in place of {wanted}:\n{printed}"
            elif not agrees(block.output, printed):
                lines = block.output.splitlines(), printed.splitlines()
                wrong = "\n".join(difflib.unified_diff(*lines, "the page says", "it prints", lineterm=""))
            yield block, printed, wrong


def rewrite(page: Path) -> None:
    """Writes the blocks' outputs into a page. Output that already matches is left unchanged, including its ``…``
    lines."""
    text = page.read_text(encoding="utf-8")
    for block, printed, wrong in reversed(list(run(page))):
        if "exit code" in wrong:
            sys.exit(f"{page}: line {block.line}: {wrong}")
        if wrong:
            start, end = block.span
            answer = f"\n```text\n{printed}```\n" if start == end == block.end else printed
            text = text[:start] + answer + text[end:]
    page.write_text(text, encoding="utf-8")


def main() -> None:
    arguments = sys.argv[1:]
    write = "--write" in arguments
    chosen = [Path(name).resolve() for name in arguments if name != "--write"] or pages()
    failed = count = 0
    for page in chosen:
        if write:
            rewrite(page)
        for block, _, wrong in run(page):
            count += 1
            if wrong:
                failed += 1
                print(f"{page.relative_to(ROOT)}: line {block.line}: {wrong}")
    print(f"blocks: {count - failed} of {count} do what the pages say")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
