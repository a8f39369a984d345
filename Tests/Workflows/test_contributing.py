"""Checks that the files, folders, make targets and test parts that CONTRIBUTING.md names exist."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# Matches file names that need not exist: a command makes the file, or the reader replaces the name.
MADE = re.compile(r"(^|/)\.(build|venv)|[A-Z]{4,}|\*\.whl|^/|\$|^\.|^fencepost/")
SUFFIXES = r"\.(swift|py|pyi|c|h|hpp|js|ts|md|sh|yml|json|jsonl|txt|tsv|css|map|sql|sha256)"


def expanded(name: str) -> list[str]:
    """Expands a pattern with `{a,b}` to the names that it stands for."""
    parts = [each[1:-1].split(",") if each.startswith("{") else [each] for each in re.split(r"(\{[^}]*\})", name)]
    return ["".join(each) for each in itertools.product(*parts)]


def named() -> set[str]:
    code = [*re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL))]
    words = [word for text in code for word in text.split()]
    found = {name for word in words for name in expanded(word)}
    return {name for name in found if ("/" in name or re.search(rf"{SUFFIXES}$", name)) and not MADE.search(name)}


def test_the_files_and_folders_exist() -> None:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = done.stdout.splitlines()
    places = {*files, *(str(parent) for name in files for parent in Path(name).parents)}
    names = named()
    assert len(names) >= 90
    missing = []
    for name in sorted(names):
        # A list in the guide names a folder once, and then the files in it.
        pattern = re.compile(r"(^|/)" + re.escape(name.rstrip("/")).replace(r"\*", "[^/]*") + "$")
        if not any(pattern.search(place) for place in places):
            missing.append(name)
    assert missing == []


def test_the_targets_and_parts_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"`make ([a-z-]+)", TEXT)) | set(re.findall(r"^make ([a-z-]+)", TEXT, re.MULTILINE))
    assert {"demo", "test", "test-all", "release"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    runner = (ROOT / "Tests/run.sh").read_text(encoding="utf-8")
    for part in re.findall(r"`Tests/run\.sh ([a-z]+)`", TEXT):
        assert re.search(rf"^{part}(_tests)?\(\)", runner, re.MULTILINE), part


def test_files_are_as_editorconfig_says() -> None:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    data = ("Tests/Fuzz/corpus/", "Tests/Golden/", "examples/data/")
    checked = 0
    for name in done.stdout.splitlines():
        if re.search(rf"{SUFFIXES}$", name) and not name.startswith(data) and (ROOT / name).is_file():
            text = (ROOT / name).read_bytes()
            text.decode("utf-8")
            assert not re.search(rb"\r|[ \t]\n", text) and (not text or text.endswith(b"\n")), name
            checked += 1
    assert checked > 1_000


def test_the_hooks_before_a_commit_call_scripts_of_the_tree() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [each["repo"] for each in hooks] == ["local"] and hooks[0]["hooks"]
    for hook in hooks[0]["hooks"]:
        assert (ROOT / hook["entry"].split()[0]).stat().st_mode & 0o100, hook
