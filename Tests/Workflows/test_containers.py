"""Checks the container files and the add-on files with linters and a schema, and checks that every file named in them
exists. The tests in bindings/python/live run the containers."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CONTAINERS = ROOT / "containers"
BIN = Path(sys.executable).parent


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120)


def test_the_linter_finds_nothing() -> None:
    done = run(BIN / "hadolint", CONTAINERS / "Containerfile", CONTAINERS / "homeassistant/Dockerfile")
    assert done.returncode == 0 and not done.stdout, done.stdout


def test_compose_follows_its_schema_and_names_files_that_exist() -> None:
    file = CONTAINERS / "compose.yaml"
    done = run(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", file)
    assert done.returncode == 0, done.stdout
    compose = yaml.safe_load(file.read_text())
    build = compose["services"]["fencepost"]["build"]
    assert (CONTAINERS / build["context"] / build["dockerfile"]).resolve() == CONTAINERS / "Containerfile"
    for service in compose["services"].values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
        for source in (volume.partition(":")[0] for volume in service["volumes"]):
            assert source in compose["volumes"] or (CONTAINERS / source).exists()


def test_the_image_is_pinned_and_has_no_root() -> None:
    text = (CONTAINERS / "Containerfile").read_text()
    assert re.search(r"(?m)^FROM \S+@sha256:[0-9a-f]{64}$", text)
    assert re.search(r"(?m)^USER [1-9]\d*$", text) and "\nHEALTHCHECK " in text


def test_the_add_on_has_what_the_supervisor_needs() -> None:
    config: dict[str, Any] = yaml.safe_load((CONTAINERS / "homeassistant/config.yaml").read_text())
    assert {"name", "version", "slug", "description", "arch"} <= set(config)
    assert set(config["arch"]) <= {"amd64", "aarch64"}
    # Each option must have a type, and run.py must read each option.
    assert set(config["options"]) == set(config["schema"])
    program = ast.parse((CONTAINERS / "homeassistant/run.py").read_text())
    texts = {node.value for node in ast.walk(program) if isinstance(node, ast.Constant)}
    assert set(config["options"]) <= texts and set(config["schema"]["places"][0]) <= texts
    for option in config["options"]:
        assert f"| `{option}` |" in (CONTAINERS / "homeassistant/DOCS.md").read_text()
