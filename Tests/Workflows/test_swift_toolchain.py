"""Checks that `.ci/swift.sh` installs a toolchain only if the pinned key has signed it. In these tests, a local folder
replaces the server."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    not (shutil.which("gpg") and shutil.which("curl") and os.getuid() == 0 and platform.system() == "Linux"),
    reason="needs gpg, curl and root, which make setup-lint sees to",
)


class Server:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        suffix = {"x86_64": "debian12", "aarch64": "debian12-aarch64"}[platform.machine()]
        place = folder / "web/swift-6.3.1-release" / suffix / "swift-6.3.1-RELEASE"
        place.mkdir(parents=True)
        self.archive = place / f"swift-6.3.1-RELEASE-{suffix}.tar.gz"
        swift = folder / "made/usr/bin/swift"
        swift.parent.mkdir(parents=True)
        swift.write_text("#!/bin/sh\necho a toolchain\n")
        swift.chmod(0o755)
        with tarfile.open(self.archive, "w:gz") as opened:
            opened.add(folder / "made", "swift-6.3.1-RELEASE")
        # The path is short, because it contains gpg-agent's socket and the length of socket paths is limited.
        self.keys = folder / "k"
        self.keys.mkdir(mode=0o700)
        self.gpg("--quick-generate-key", "--passphrase", "", "tests@example.org", "ed25519", "sign", "never")
        listed = self.gpg("--list-keys", "--with-colons")
        self.key = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))
        (folder / "keys.asc").write_text(self.gpg("--armor", "--export"))
        self.gpg("--detach-sign", "--output", str(self.archive) + ".sig", str(self.archive))

    def gpg(self, *arguments: str) -> str:
        return subprocess.run(
            ["gpg", "--batch", "--quiet", *arguments], check=True, capture_output=True, text=True, timeout=60,
            env={**os.environ, "GNUPGHOME": str(self.keys)},
        ).stdout  # fmt: skip

    def install(self, key: str | None) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ, "SWIFT_WEBROOT": f"file://{self.folder}/web", "SWIFT_KEYS": f"file://{self.folder}/keys.asc",
            "GITHUB_PATH": str(self.folder / "path"), **({"SWIFT_KEY": key} if key else {}),
        }  # fmt: skip
        stub = self.folder / "stub"  # this stub replaces apt-get, so that the test does not change the machine
        stub.mkdir(exist_ok=True)
        (stub / "apt-get").write_text("#!/bin/sh\n")
        (stub / "apt-get").chmod(0o755)
        environment["PATH"] = f"{stub}:{environment['PATH']}"
        return subprocess.run(
            [ROOT / ".ci/swift.sh", str(self.folder / "swift")],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    return Server(tmp_path_factory.mktemp("s"))


def test_a_toolchain_that_the_key_signed_is_installed(server: Server) -> None:
    done = server.install(server.key)
    assert done.returncode == 0, done.stderr
    assert (server.folder / "swift/usr/bin/swift").exists()
    assert (server.folder / "path").read_text().strip() == done.stdout.strip() == str(server.folder / "swift/usr/bin")


def test_another_key_is_refused(server: Server) -> None:
    assert server.install(None).returncode == 1
    assert not (server.folder / "swift").exists() and not (server.folder / "path").exists()


def test_changed_bytes_are_refused(server: Server) -> None:
    data = bytearray(server.archive.read_bytes())
    data[-1] ^= 1
    server.archive.write_bytes(data)
    assert server.install(server.key).returncode == 1
    assert not (server.folder / "swift").exists()
