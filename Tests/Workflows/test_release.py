"""Runs `make release` in a small repository made for the test, and checks what it refuses, changes and restores."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
NAMED = {f"GIT_{role}_{part}": "tests@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
SCRIPT = ".ci/release.py"
FILES = (
    SCRIPT, "include/fencepost.h", "CHANGELOG.md", "README.md", "CITATION.cff", "bindings/c/README.md",
    "bindings/site/start.md", "Sources/Fencepost/Fencepost.docc/GettingStarted.md", "bindings/python/pyproject.toml",
    "bindings/js/package.json", "containers/homeassistant/config.yaml", ".ci/sbom.py",
)  # fmt: skip


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in FILES:
            if (ROOT / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        changelog = re.sub(r"(?m)^## 0\.\d+ \(in work\)$", "## 7.1 (in work)", self.text("CHANGELOG.md"))
        # Version 0.3 may remove names that were never deprecated; version 7.1 may not, so this test renames the heading
        # "Removed".
        changelog = re.sub(r"(?ms)(^## 7\.1 \(in work\)$(?:(?!^## ).)*?)^### Removed$", r"\1### Gone", changelog)
        if "## 7.1 (in work)" not in changelog:  # right after a release, the changelog has no section "in work"
            changelog = changelog.replace("\n## ", "\n## 7.1 (in work)\n\n* A line.\n\n## ", 1)
        (folder / "CHANGELOG.md").write_text(changelog)
        self.git("init", "--quiet", "--initial-branch", "main")
        self.commit("begin")

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, **NAMED},
        ).stdout.strip()

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def state(self) -> list[str]:
        return [self.git("rev-parse", "HEAD"), self.git("status", "--porcelain"), self.git("tag")]

    def release(self, *arguments: str, build: str = "true") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, self.folder / SCRIPT, *arguments], cwd=self.folder, capture_output=True, text=True,
            timeout=60, env={**os.environ, **NAMED, "FENCEPOST_RELEASE_BUILD": build},
        )  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_release_sets_every_mention_commits_and_tags(repository: Repository) -> None:
    done = repository.release("make", "7.1.0")
    assert done.returncode == 0, done.stderr
    assert "git push --atomic origin main v7.1.0" in done.stdout
    assert repository.git("describe", "--exact-match") == "v7.1.0"
    assert not repository.git("status", "--porcelain")
    assert repository.release("version").stdout == "7.1.0\n"
    for arguments in (["mentions"], ["check", "7.1.0"]):
        checked = repository.release(*arguments)
        assert checked.returncode == 0, checked.stderr
    assert re.search(r"^## 7\.1\.0 \(\d{4}-\d\d-\d\d\)$", repository.text("CHANGELOG.md"), re.MULTILINE)
    assert "\npip install fencepost " in repository.text("README.md")
    assert 'exact: "7.1.0"' in repository.text("README.md")
    assert "until the first release" not in repository.text("README.md")
    # The next patch release needs its own section in the changelog.
    assert "no section" in repository.release("make", "7.1.1").stderr


def test_the_notes_are_the_section(repository: Repository) -> None:
    notes = repository.release("notes", "7.1.0").stdout
    assert notes.strip() and notes.strip() in repository.text("CHANGELOG.md")
    assert "\n## " not in notes


def dirty(repository: Repository) -> None:
    (repository.folder / "README.md").write_text("other")


def other_branch(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "feature")


def tagged(repository: Repository) -> None:
    repository.git("tag", "v7.1.0")


def tagged_later(repository: Repository) -> None:
    repository.git("tag", "v10.0.0")


def empty_section(repository: Repository) -> None:
    text = re.sub(r"(?ms)^## 7\.1 \(in work\)\n.*?(?=^## )", "## 7.1 (in work)\n\n", repository.text("CHANGELOG.md"))
    (repository.folder / "CHANGELOG.md").write_text(text)
    repository.commit("empty")


@pytest.mark.parametrize("prepare", [dirty, other_branch, tagged, tagged_later, empty_section])
def test_a_release_is_refused(repository: Repository, prepare: object) -> None:
    prepare(repository)  # type: ignore[operator]
    before = repository.state()
    done = repository.release("make", "7.1.0")
    assert done.returncode == 1 and done.stderr
    assert repository.state() == before


@pytest.mark.parametrize("wanted", ["7.1", "v7.1.0", "7.1.0rc1", "07.1.0", "", "7.2.0", "0.1.0", "7.1.0; true"])
def test_other_versions_are_refused(repository: Repository, wanted: str) -> None:
    assert repository.release("make", wanted).returncode == 1
    assert not repository.git("status", "--porcelain") and not repository.git("tag")


def test_a_patch_removes_nothing(repository: Repository) -> None:
    assert repository.release("make", "7.1.0").returncode == 0
    section = "\n## 7.1.1\n\n### Removed\n\n* A name.\n\n## 7.1.0"
    text = repository.text("CHANGELOG.md").replace("\n## 7.1.0", section, 1)
    (repository.folder / "CHANGELOG.md").write_text(text)
    repository.commit("remove")
    assert "removes" in repository.release("make", "7.1.1").stderr


def test_what_is_removed_was_deprecated_before(repository: Repository) -> None:
    assert repository.release("make", "7.1.0").returncode == 0
    released = repository.text("CHANGELOG.md")
    section = "\n## 7.2 (in work)\n\n### Removed\n\n* `old_name`: use `new_name`.\n\n## 7.1.0"
    (repository.folder / "CHANGELOG.md").write_text(released.replace("\n## 7.1.0", section, 1))
    repository.commit("remove")
    assert "`old_name`" in repository.release("make", "7.2.0").stderr
    section = "\n### Deprecated\n\n* `old_name`.\n\n## 0.2.0"
    announced = repository.text("CHANGELOG.md").replace("\n## 0.2.0", section, 1)
    (repository.folder / "CHANGELOG.md").write_text(announced)
    repository.commit("announce")
    done = repository.release("make", "7.2.0")
    assert done.returncode == 0, done.stderr


def test_each_public_module_has_a_level() -> None:
    """Checks that stability.md lists each public module; modules whose names begin with an underscore are internal and
    need no row."""
    folder = ROOT / "bindings/python/src/fencepost"
    modules = {f"fencepost.{path.stem}" for path in folder.glob("[!_]*.py")}
    assert len(modules) >= 7
    rows = [
        line
        for line in (ROOT / "bindings/site/concepts/stability.md").read_text().splitlines()
        if line.startswith("| ")
    ]
    assert {name for name in modules if not any(f"`{name}`" in row for row in rows)} == set()
    assert {row.split("|")[2].partition(":")[0].split()[0] for row in rows[1:]} <= {"stable", "provisional", "internal"}


def steps(job: str) -> list[str]:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    return [step["run"].replace("${{ github.token }}", "") for step in workflow["jobs"][job]["steps"] if "run" in step]


def test_the_steps_of_the_workflow_publish_what_was_built(repository: Repository, tmp_path: Path) -> None:
    """Runs the scripts of all jobs of release.yml, in folders that contain the files that its actions would
    download."""
    assert repository.release("make", "7.1.0").returncode == 0
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "gh").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > gh.arguments\n')
    (tools / "gh").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "GITHUB_REF_NAME": "v7.1.0"}

    def run(job: str, folder: Path) -> None:
        found = steps(job)
        assert found
        for script in found:
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=folder, env=environment,
                capture_output=True, text=True, timeout=60,
            )  # fmt: skip
            assert done.returncode == 0, f"{job}: {script}\n{done.stderr}"

    run("check", repository.folder)
    dist = repository.folder / "dist"
    dist.mkdir()
    names = [
        "fencepost-7.1.0.tar.gz", "fencepost-c-7.1.0-linux-x86_64.tar.gz",
        "fencepost-7.1.0-cp311-abi3-manylinux_2_28_x86_64.whl", "fencepost-7.1.0-cp311-abi3-macosx_15_0_arm64.whl",
    ]  # fmt: skip
    for name in names:
        with zipfile.ZipFile(dist / name, "w") as archive:
            archive.writestr("name", name)
    run("files", repository.folder)
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=dist, check=True, capture_output=True)
    published = {*names, "fencepost-7.1.0.cdx.json", "SHA256SUMS"}
    assert {path.name for path in dist.iterdir()} == published
    job = tmp_path / "job"
    job.mkdir()
    for name in ("dist", "notes.md"):  # the artifact `release`
        (repository.folder / name).rename(job / name)
    for name in ("pypi", "github"):
        folder = tmp_path / name
        folder.mkdir()
        shutil.copytree(job, folder / "release")
        run(name, folder)
    assert {path.name for path in (tmp_path / "pypi/dist").iterdir()} == {names[0], *names[2:]}
    arguments = (tmp_path / "github/gh.arguments").read_text().splitlines()
    assert arguments[:3] == ["release", "create", "v7.1.0"] and "--verify-tag" in arguments
    assert {Path(each).name for each in arguments if each.startswith("release/dist/")} == published
    assert (tmp_path / "github" / arguments[arguments.index("--notes-file") + 1]).read_text().strip()


def test_a_build_that_fails_leaves_the_tree_as_it_was(repository: Repository) -> None:
    before = repository.git("rev-parse", "HEAD")
    done = repository.release("make", "7.1.0", build="false")
    assert done.returncode == 1
    assert repository.git("rev-parse", "HEAD") == before
    assert not repository.git("status", "--porcelain") and not repository.git("tag")


@pytest.mark.parametrize(
    ("hook", "script"), [("pre-commit", "exit 1"), ("reference-transaction", "! grep -q refs/tags")]
)
def test_a_commit_or_tag_that_git_refuses_leaves_the_tree_as_it_was(
    repository: Repository, hook: str, script: str
) -> None:
    path = repository.folder / ".git/hooks" / hook
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    before = repository.state()
    done = repository.release("make", "7.1.0")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert repository.state() == before


def test_the_printed_command_pushes_no_tag_where_the_branch_is_refused(
    repository: Repository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A tag without its branch would publish a commit that is not on main."""
    folder = tmp_path_factory.mktemp("others")
    remote, other = folder / "remote.git", folder / "clone"
    repository.git("clone", "--quiet", "--bare", str(repository.folder), str(remote))
    repository.git("remote", "add", "origin", str(remote))
    repository.git("clone", "--quiet", str(remote), str(other))
    for command in (["commit", "--quiet", "--allow-empty", "--message", "later"], ["push", "--quiet"]):
        repository.git("-C", str(other), *command)
    done = repository.release("make", "7.1.0")
    assert done.returncode == 0, done.stderr
    push = next(line.strip() for line in done.stdout.splitlines() if line.startswith("    git push"))
    pushed = subprocess.run(push, shell=True, cwd=repository.folder, capture_output=True, text=True, timeout=60)
    assert pushed.returncode != 0 and repository.git("-C", str(remote), "tag") == ""


def test_a_mention_that_was_forgotten_is_named(repository: Repository) -> None:
    path = repository.folder / "bindings/site/start.md"
    path.write_text(re.sub(r"^fencepost [\d.]+$", "fencepost 9.9.9", path.read_text(), flags=re.MULTILINE))
    done = repository.release("mentions")
    assert done.returncode == 1 and "start.md" in done.stderr and "9.9.9" in done.stderr


def test_the_bill_of_materials_is_valid_and_names_sqlite(tmp_path: Path) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    (tmp_path / "fencepost-7.1.0.tar.gz").write_bytes(b"source")
    with zipfile.ZipFile(tmp_path / "fencepost-7.1.0-cp311-abi3-linux.whl", "w") as wheel:
        wheel.writestr("fencepost.libs/libsqlite3-1a2b.so.0", b"\x7fELF\0SQLite\x003.40.1\0rest")
    made = [
        subprocess.run(
            [sys.executable, ROOT / ".ci/sbom.py", tmp_path], check=True, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(made[0]) is None
    bill = json.loads(made[0])
    assert {"name": "sqlite", "version": "3.40.1"}.items() <= bill["components"][0]["components"][0].items()
    assert {"gpxpy", "rich"} <= {each["name"] for each in bill["components"]}
