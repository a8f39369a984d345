"""Checks that the workflows are valid and safe, and call only files that exist in this tree."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
# Matches a GitHub expression, such as ${{ matrix.python }}.
EXPRESSION = re.compile(r"\$\{\{.*?\}\}", re.DOTALL)


def run(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **options)


def scripts() -> list[tuple[str, str, dict[str, Any]]]:
    """Returns every `run` script of every workflow: a name for messages, the script, and its job."""
    found = []
    for path in WORKFLOWS:
        for name, job in yaml.safe_load(path.read_text())["jobs"].items():
            for number, step in enumerate(job.get("steps", []), 1):
                if "run" in step:
                    found.append((f"{path.name}:{name}:{number}", step["run"], job))
    return found


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("vendor.github-workflows", ".github/workflows/*.yml"),
        ("custom.github-workflows-require-timeout", ".github/workflows/[!r]*.yml"),
        ("vendor.dependabot", ".github/dependabot.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
        ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
    ],
)
def test_files_follow_their_schema(schema: str, pattern: str) -> None:
    files = sorted(ROOT.glob(pattern))
    assert files
    done = run(BIN / "check-jsonschema", "--builtin-schema", schema, *files)
    assert done.returncode == 0, done.stdout + done.stderr


def findings(folder: Path) -> list[tuple[str, str]]:
    done = run(BIN / "zizmor", "--offline", "--no-progress", "--format", "json", folder)
    return [(each["determinations"]["severity"], each["ident"]) for each in json.loads(done.stdout)]


def test_no_finding_of_medium_or_higher() -> None:
    assert not [each for each in findings(ROOT / ".github") if each[0] in ("Medium", "High")]


def test_an_action_without_its_commit_is_found(tmp_path: Path) -> None:
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    text = (ROOT / ".github/workflows/tests.yml").read_text()
    (folder / "tests.yml").write_text(re.sub(r"actions/checkout@[0-9a-f]{40} # v[\d.]+", "actions/checkout@v6", text))
    assert ("High", "unpinned-uses") in findings(tmp_path / ".github")


def test_one_commit_for_each_action() -> None:
    pinned: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for action, commit in re.findall(r"uses: ([^.@\s]+)@(.+)", path.read_text()):
            assert re.fullmatch(r"[0-9a-f]{40} # v\d+\.\d+\.\d+", commit), f"{path.name}: {action}@{commit}"
            pinned.setdefault(action, set()).add(commit)
    assert {action: commits for action, commits in pinned.items() if len(commits) != 1} == {}


@pytest.mark.parametrize(("name", "script"), [each[:2] for each in scripts()], ids=[each[0] for each in scripts()])
def test_scripts_are_sound_shell(name: str, script: str) -> None:
    text = "#!/bin/bash\n" + EXPRESSION.sub("expression", script)
    # ShellCheck's rule SC2012 (ls) is off, because the names are those of our own files. ShellCheck's rule SC2086
    # (quotes) is off, because the variable is a list of packages.
    done = run(BIN / "shellcheck", "--exclude", "SC2012,SC2086", "-", input=text)
    assert done.returncode == 0, f"{name}\n{done.stdout}"


def test_scripts_of_the_machine_set_up_are_sound_shell() -> None:
    done = run(
        BIN / "shellcheck",
        "--severity",
        "warning",
        *sorted(ROOT.glob(".ci/*.sh")),
        *sorted(ROOT.glob("containers/*/*.sh")),
    )
    assert done.returncode == 0, done.stdout


def test_scripts_call_only_what_is_in_the_tree() -> None:
    called = 0
    for name, script, _ in scripts():
        for target in re.findall(r"^\s*make ([\w./-]+)", script, re.MULTILINE):
            done = run("make", "--dry-run", "--question", target, cwd=ROOT)
            assert "No rule to make target" not in done.stderr, f"{name}: make {target}"
            called += 1
        for path in re.findall(r"(?:^|[\s(])((?:\.ci|Tests|bindings)/[\w./-]+)", script, re.MULTILINE):
            assert (ROOT / path).exists(), f"{name}: {path}"
            called += 1
    assert called >= 15


def test_dependency_groups_that_are_named_exist() -> None:
    groups = tomllib.loads((ROOT / "bindings/python/pyproject.toml").read_text())["dependency-groups"]
    done = run("git", "grep", "-hoE", r"pyproject\.toml:[a-z]+|call group,[a-z ]+", cwd=ROOT)
    named = {name for line in done.stdout.splitlines() for name in re.split("[:,]", line)[1].split()}
    assert {"test", "dist", "format", "lint"} <= named
    assert named - set(groups) == set()


def before_the_checkout(path: Path) -> list[list[str]]:
    """For each job that runs in a container, returns the scripts that the job runs before the checkout."""
    found = []
    for job in yaml.safe_load(path.read_text())["jobs"].values():
        if "container" in job:
            steps = job["steps"]
            checkout = next(at for at, step in enumerate(steps) if step.get("uses", "").startswith("actions/checkout@"))
            found.append([step["run"] for step in steps[:checkout] if "run" in step])
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
@pytest.mark.parametrize("name", ["docs", "nightly", "tests", "wheels"])
def test_git_reads_the_checkout_of_a_container(name: str, tmp_path: Path) -> None:
    """The runner's user owns the checkout, and the steps run as root."""
    run("git", "init", tmp_path / "clone")
    for place in ("clone", "clone/.git"):
        os.chown(tmp_path / place, 1001, 1001)
    jobs = before_the_checkout(ROOT / f".github/workflows/{name}.yml")
    assert jobs
    for number, job in enumerate(jobs):
        config = {"GIT_CONFIG_SYSTEM": str(tmp_path / f"config-{number}"), "GIT_CONFIG_GLOBAL": "/dev/null"}
        environment = {**os.environ, **config}
        status = ("git", "-C", tmp_path / "clone", "status")
        assert run(*status, env=environment).returncode != 0
        lines = [line for script in job for line in script.splitlines() if line.startswith("git ")]
        assert run("bash", "-euo", "pipefail", "-c", "\n".join(lines), env=environment).returncode == 0
        assert run(*status, env=environment).returncode == 0


def test_parts_that_a_workflow_names_are_parts() -> None:
    known = (ROOT / "Tests/run.sh").read_text()
    named = [part for _, script, _ in scripts() for part in re.findall(r"Tests/run\.sh ([\w ]+)", script)]
    assert named
    for part in " ".join(named).split():
        assert re.search(rf"^{part}(_tests)?\(\)", known, re.MULTILINE), part


def test_artifacts_that_a_job_downloads_are_uploaded_before() -> None:
    uploaded, wanted = set(), set()
    for path in WORKFLOWS:
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            for step in job.get("steps", []):
                action = step.get("uses", "").partition("@")[0]
                name = step.get("with", {}).get("name") or step.get("with", {}).get("pattern", "")
                if action == "actions/upload-artifact":
                    uploaded.add(EXPRESSION.sub("*", name))
                elif action == "actions/download-artifact":
                    wanted.add(EXPRESSION.sub("*", name))
    for name in wanted:
        assert any(each.startswith(name.partition("*")[0]) for each in uploaded), name


def test_the_pythons_of_wheels_and_tests_are_the_same() -> None:
    matrix = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]["python"]["strategy"]["matrix"]
    done = run(
        BIN / "cibuildwheel", "--print-build-identifiers", "--platform", "linux", "--archs", "x86_64",
        ROOT / "bindings/python",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    built = [re.sub(r"cp3(\d+)-manylinux_x86_64", r"3.\1", line) for line in done.stdout.split()]
    assert built == matrix["python"]
