#!/usr/bin/env python3
"""Prints the bill of materials of a release as CycloneDX 1.6.

    .ci/sbom.py FOLDER      FOLDER contains the wheels, the source distribution and the archives

The bill of materials lists each file with its SHA-256, the copy of SQLite in the wheels, and the Python dependencies
with their version bounds. For the same files, the output is always the same, byte for byte, because it contains no time
and no random number.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tomllib
import uuid
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def sqlite_version(wheel: Path) -> str | None:
    """Returns the version of SQLite in a wheel; in the library file, the version number stands before the time stamp of
    SQLite's source."""
    with zipfile.ZipFile(wheel) as opened:
        for name in opened.namelist():
            if re.search(r"libsqlite3[^/]*\.(so|dylib)", name):
                found = re.search(rb"\x00(3\.\d+\.\d+)\x00", opened.read(name))
                return found[1].decode() if found else "unknown"
    return None


def components(folder: Path, version: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for path in sorted(folder.iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        entry: dict[str, object] = {
            "type": "file", "bom-ref": f"file:{path.name}", "name": path.name, "version": version,
            "hashes": [{"alg": "SHA-256", "content": digest}],
        }  # fmt: skip
        if path.suffix == ".whl" and (sqlite := sqlite_version(path)):
            entry["components"] = [{
                "type": "library", "bom-ref": f"sqlite:{path.name}", "name": "sqlite", "version": sqlite,
                "purl": f"pkg:generic/sqlite@{sqlite}", "licenses": [{"license": {"id": "blessing"}}],
            }]  # fmt: skip
        found.append(entry)
    project = tomllib.loads((ROOT / "bindings/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
    # The user chooses which extras to install, so the packages of extras are optional dependencies.
    extras = {each for own in project["optional-dependencies"].values() for each in own}
    # Several extras may require the same package, each in a different version.
    named: dict[str, list[str]] = {}
    for requirement in sorted({*project["dependencies"], *extras}):
        if not requirement.startswith("fencepost["):
            named.setdefault(re.match(r"[\w.-]+", requirement)[0], []).append(requirement)  # type: ignore[index]
    for name, requirements in named.items():
        found.append({
            "type": "library", "bom-ref": f"python:{name}", "name": name, "purl": f"pkg:pypi/{name.lower()}",
            "properties": [{"name": "fencepost:requirement", "value": each} for each in requirements],
        })  # fmt: skip
    return found


def main() -> int:
    if len(sys.argv) != 2 or not (folder := Path(sys.argv[1])).is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    version = subprocess.run(
        [sys.executable, ROOT / ".ci/release.py", "version"], check=True, capture_output=True, text=True
    ).stdout.strip()
    listed = components(folder, version)
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(listed, sort_keys=True))}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "bom-ref": "fencepost", "name": "fencepost", "version": version,
                "purl": f"pkg:pypi/fencepost@{version}", "licenses": [{"license": {"id": "MIT"}}],
            }
        },
        "components": listed,
        "dependencies": [{
            "ref": "fencepost",
            "dependsOn": [str(each["bom-ref"]) for each in listed if str(each["bom-ref"]).startswith("python:")],
        }],
    }  # fmt: skip
    print(json.dumps(bill, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
