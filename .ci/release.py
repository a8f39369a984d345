#!/usr/bin/env python3
"""Manages the version number of the project, and makes releases. The version is written by hand only in three literals
of include/fencepost.h.

    .ci/release.py version           prints it
    .ci/release.py mentions          compares every text that repeats it; `Tests/Style/run.sh` calls this
    .ci/release.py check VERSION     is this tree the release VERSION? The release workflow calls this before it builds
    .ci/release.py notes VERSION     prints the section of CHANGELOG.md
    .ci/release.py make VERSION      `make release`: checks, sets it, builds, commits, tags, prints what to push

`make` changes nothing before all checks have passed. If the build, the commit or the tag fails, `make` restores the
tree. It never pushes.
"""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = "include/fencepost.h"
CHANGELOG = "CHANGELOG.md"
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")

# The texts that repeat the version. Each row contains a file, a pattern whose group matches the version, and the number
# of parts of the version that the file repeats.
MENTIONS = (
    ("CITATION.cff", r"^version: ([\d.]+)$", 3),
    ("README.md", r'\.package\(url: "[^"]*", exact: "([\d.]+)"\)', 3),
    ("Sources/Fencepost/Fencepost.docc/GettingStarted.md", r'\.package\(url: "[^"]*", exact: "([\d.]+)"\)', 3),
    ("bindings/c/README.md", r"find_package\(Fencepost ([\d.]+) REQUIRED\)", 2),
    ("bindings/site/start.md", r"^fencepost ([\d.]+)$", 3),
    ("bindings/js/package.json", r'^  "version": "([\d.]+)",$', 3),
    ("containers/homeassistant/config.yaml", r'^version: "([\d.]+)"$', 3),
)

# From this version on, a name must be deprecated one minor version before it is removed (concepts/stability.md).
ANNOUNCED = (0, 4, 0)

# The first pattern matches two comments in the README, and the text between them: the installation instructions that
# apply until the first release. A release replaces these instructions with the text `RELEASED`.
UNRELEASED = re.compile(r"<!-- until the first release -->\n.*?<!-- end -->\n", re.DOTALL)
RELEASED = """```
pip install fencepost             # Python 3.11 and later; Linux with glibc 2.28, macOS 15 on arm64
make install PREFIX=/usr/local    # C and C++, from a clone or the archives of the release
```

In Swift: `.package(url: "FENCEPOST", exact: "{version}")`, where FENCEPOST is the address of this repository.
"""


class Refusal(Exception):
    """The reason why a release is refused."""


def run(*command: str, root: Path) -> str:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode != 0:
        raise Refusal(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout.strip()


def version(root: Path) -> str:
    header = (root / HEADER).read_text(encoding="utf-8")
    literal = r"^#define FENCEPOST_VERSION_{} (\d+)$"
    parts = [re.search(literal.format(part), header, re.MULTILINE) for part in ("MAJOR", "MINOR", "PATCH")]
    if None in parts:
        raise Refusal(f"{HEADER} does not state its version")
    return ".".join(part[1] for part in parts if part)


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def wrong_mentions(root: Path) -> list[str]:
    whole = version(root)
    wrong = []
    for name, pattern, parts in MENTIONS:
        expected = ".".join(whole.split(".")[:parts])
        path = root / name
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        found = re.findall(pattern, text, re.MULTILINE)
        if not found and not UNRELEASED.search(text):
            wrong.append(f"{name}: nothing matches {pattern}; correct MENTIONS in .ci/release.py")
        wrong += [f"{name}: says {text}, {HEADER} says {expected}" for text in found if text != expected]
    return wrong


def section(root: Path, wanted: str) -> tuple[str, str]:
    """Returns the heading and the text of the newest section of the changelog for a version."""
    parts = re.split(r"^(## .*)\n", (root / CHANGELOG).read_text(encoding="utf-8"), flags=re.MULTILINE)
    for heading, text in zip(parts[1::2], parts[2::2]):
        words = heading.split()
        if words[1] == wanted or (words[1] == wanted.rpartition(".")[0] and heading.endswith("(in work)")):
            return heading, text.strip()
    raise Refusal(f"{CHANGELOG} has no section `## {wanted}` and none `## {wanted.rpartition('.')[0]} (in work)`")


def unannounced(root: Path, text: str) -> list[str]:
    """Returns the lines under "Removed" whose names no earlier section lists under "Deprecated"."""
    older = (root / CHANGELOG).read_text(encoding="utf-8").partition(text)[2]
    deprecated = "".join(re.findall(r"^### Deprecated\n(.*?)(?=^##)", older + "\n##", re.MULTILINE | re.DOTALL))
    removed = re.search(r"^### Removed\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^\* .*", removed[1], re.MULTILINE) if removed else []
    return [line for line in lines if not any(f"`{name}`" in deprecated for name in re.findall(r"`([^`]+)`", line))]


def check(root: Path, wanted: str) -> None:
    if version(root) != wanted:
        raise Refusal(f"{HEADER} says {version(root)}, not {wanted}")
    wrong = wrong_mentions(root)
    if wrong:
        raise Refusal("\n".join(wrong))
    heading, text = section(root, wanted)
    if not re.fullmatch(rf"## {re.escape(wanted)} \(\d{{4}}-\d\d-\d\d\)", heading):
        raise Refusal(f"{CHANGELOG}: the heading is {heading!r}; a release has `## {wanted} (YYYY-MM-DD)`")
    if not text:
        raise Refusal(f"{CHANGELOG}: the section of {wanted} is empty")


def checks_before(root: Path, wanted: str) -> None:
    if not VERSION.fullmatch(wanted):
        raise Refusal(f"VERSION={wanted}: expected three numbers, for example 0.3.0")
    if run("git", "status", "--porcelain", root=root):
        raise Refusal("the tree has changes that are not committed; commit or stash them")
    branch = run("git", "rev-parse", "--abbrev-ref", "HEAD", root=root)
    if branch != "main":
        raise Refusal(f"the branch is {branch}; a release is made on main")
    tags = [tag[1:] for tag in run("git", "tag", "--list", "v*", root=root).split() if VERSION.fullmatch(tag[1:])]
    newest = max(tags, key=numbers, default=None)
    if newest and numbers(wanted) <= numbers(newest):
        raise Refusal(f"VERSION={wanted}: v{newest} is tagged; expected a later version")
    if numbers(wanted) < numbers(version(root)):
        raise Refusal(f"VERSION={wanted}: {HEADER} says {version(root)} already; expected that or a later version")
    _, text = section(root, wanted)
    if not text:
        raise Refusal(f"{CHANGELOG}: the section of {wanted} is empty")
    # ABIPolicy.md: before 1.0, a minor version may remove or change an API; a patch version may not.
    if newest and numbers(wanted)[:2] == numbers(newest)[:2] and re.search(r"^### Removed", text, re.MULTILINE):
        raise Refusal(f"{CHANGELOG}: {wanted} removes something; only a minor version may")
    if numbers(wanted) >= ANNOUNCED and (lines := unannounced(root, text)):
        raise Refusal(f"{CHANGELOG}: removed without a line under `### Deprecated` before: " + "; ".join(lines))


def set_version(root: Path, wanted: str, today: str) -> None:
    path = root / HEADER
    header = path.read_text(encoding="utf-8")
    for part, number in zip(("MAJOR", "MINOR", "PATCH"), wanted.split(".")):
        header = re.sub(rf"^(#define FENCEPOST_VERSION_{part}) \d+$", rf"\1 {number}", header, flags=re.MULTILINE)
    path.write_text(header, encoding="utf-8")
    for name, pattern, parts in MENTIONS:
        path = root / name
        shorter = ".".join(wanted.split(".")[:parts])

        def replaced(match: re.Match[str], shorter: str = shorter) -> str:
            start, end = (match.span(1)[side] - match.start() for side in (0, 1))
            return match[0][:start] + shorter + match[0][end:]

        text = re.sub(pattern, replaced, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        path.write_text(text, encoding="utf-8")
    heading, _ = section(root, wanted)
    path = root / CHANGELOG
    path.write_text(path.read_text(encoding="utf-8").replace(heading, f"## {wanted} ({today})", 1), encoding="utf-8")
    path = root / "README.md"
    path.write_text(UNRELEASED.sub(RELEASED.format(version=wanted), path.read_text(encoding="utf-8")), encoding="utf-8")


def make(root: Path, wanted: str) -> None:
    checks_before(root, wanted)
    before = run("git", "rev-parse", "HEAD", root=root)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    try:
        set_version(root, wanted, today)
        check(root, wanted)
        # The test of this script sets FENCEPOST_RELEASE_BUILD to replace the builds with its own command.
        build = os.environ.get("FENCEPOST_RELEASE_BUILD")
        for command in (
            [build]
            if build
            else [
                "make .build/stamps/archive",
                "make .build/stamps/python-test",
                ".venv/bin/python Tests/Golden/abi.py --update",
                "make wheel",
            ]
        ):
            print(f"== {command}", flush=True)
            if subprocess.run(command, shell=True, cwd=root).returncode != 0:
                raise Refusal(f"{command} failed")
        run("git", "commit", "--all", "--message", f"Release {wanted}", root=root)
        run("git", "tag", "--annotate", f"v{wanted}", "--message", f"Fencepost {wanted}", root=root)
    except BaseException:
        # An earlier check made sure that the tree has no uncommitted changes. Files that Git ignores or does not track
        # are not removed.
        run("git", "reset", "--hard", before, root=root)
        print("release: the tree is as it was", file=sys.stderr)
        raise
    print(
        f"\nv{wanted} is committed and tagged here. To publish it:\n\n"
        f"    git push --atomic origin main v{wanted}\n\n"
        f"The workflow `release` then builds, attests and publishes it. To take it back before the push:\n\n"
        f"    git tag --delete v{wanted} && git reset --keep HEAD~1"
    )


def main(arguments: list[str], root: Path = ROOT) -> int:
    try:
        match arguments:
            case ["version"]:
                print(version(root))
            case ["mentions"]:
                wrong = wrong_mentions(root)
                if wrong:
                    raise Refusal("\n".join(wrong))
            case ["check", wanted]:
                check(root, wanted)
            case ["notes", wanted]:
                print(section(root, wanted)[1])
            case ["make", wanted]:
                make(root, wanted)
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except Refusal as refusal:
        print(f"release: {refusal}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
