"""A small computer for tests: a copy of this Debian, with systemd as its first process, its own network, and a disk in
memory for everything that it writes. The module also provides the wheels of the package and of its requirements, so
that pip on the test computer can install the package without a network."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from brokers import until

ROOT = Path(__file__).resolve().parents[3]
SYSTEMD = "/lib/systemd/systemd"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
WHEELS = "/srv/wheels"
"""The folder in the machine that contains the wheels."""
CLONE = "/srv/clone"
NAMESPACES = ("--mount", "--pid", "--fork", "--kill-child", "--cgroup", "--net", "--uts")
DISK = Path("/dev/shm")
OVERLAY = "mount -t overlay overlay -o lowerdir=/,upperdir=$1/upper,workdir=$1/work $1/root"
BOOT = f"""
set -eu
mkdir -p $1/upper $1/work $1/root
mount --make-rprivate /
{OVERLAY}
cd $1/root
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys  # the kernel is everybody's
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
mknod -m 666 dev/null c 1 3; mknod -m 666 dev/zero c 1 5; mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8; mknod -m 666 dev/urandom c 1 9; mknod -m 666 dev/tty c 5 0
ln -s /proc/self/fd dev/fd; mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts; ln -s pts/ptmx dev/ptmx; mount -t tmpfs tmpfs dev/shm
mount -t tmpfs -o mode=755 tmpfs run; mount -t tmpfs tmpfs tmp
ip link set lo up
mkdir -p mnt/outside
pivot_root . mnt/outside
umount -l /mnt/outside
exec env -i container=other PATH={PATH} {SYSTEMD} --system --unit=basic.target --log-target=journal
"""


def why_not() -> str | None:
    """Returns the reason why a machine cannot run here, or None."""
    if os.geteuid() != 0 or not Path(SYSTEMD).exists() or not DISK.is_dir():
        return "a machine needs root, systemd and a disk in memory"
    if any(shutil.which(name) is None for name in ("unshare", "nsenter", "ip", "pivot_root")):
        return "a machine needs unshare, nsenter and ip"
    for package in ("mosquitto", "mosquitto-clients", "python3-venv"):
        done = subprocess.run(["dpkg", "-s", package], capture_output=True, text=True)
        if "Status: install ok installed" not in done.stdout:
            return f"{package} is not installed, and a machine has no network"
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        script = f"mkdir $1/upper $1/work $1/root && {OVERLAY} && mount -t cgroup2 cgroup2 $1/root/sys"
        command = ["unshare", *NAMESPACES, "sh", "-c", script, "sh", folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return f"no machine may be made here: {done.stderr.strip()}" if done.returncode else None


def make_wheels() -> Path:
    """Returns a folder with our wheel and the wheels that it requires; the folder is made only once on this
    computer."""
    folder = ROOT / ".build" / "live-wheels"
    folder.mkdir(parents=True, exist_ok=True)
    binding = ROOT / "bindings" / "python"
    sources = (path for name in ("src", "native", "setup.py", "pyproject.toml") for path in _files(binding / name))
    library = ROOT / ".build" / "lib" / "libfencepost.so"
    newest = max(path.stat().st_mtime for path in (*sources, *([library] if library.exists() else [])))
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ours = list(folder.glob("fencepost-*.whl"))
        if not ours or ours[0].stat().st_mtime < newest:
            for path in folder.glob("*.whl"):
                path.unlink()
            command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder), f"{binding}[live]"]
            # Use the library that the set-up has built: building another library takes minutes while the other tests
            # run. If the built library is missing, building the wheel also builds the library.
            given = {"FENCEPOST_LIBRARY": str(library.resolve())} if library.exists() else {}
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **given})
            assert done.returncode == 0, done.stderr
    return folder


def _files(path: Path) -> Iterator[Path]:
    return (each for each in (path.rglob("*") if path.is_dir() else (path,)) if each.is_file() and _is_source(each))


def _is_source(path: Path) -> bool:
    return path.suffix != ".pyc" and ".egg-info" not in str(path)


class Machine:
    """A running machine.

    Args:
        first: The process id of the machine's first process.
    """

    def __init__(self, first: int) -> None:
        self._enter = ["nsenter", "-t", str(first), "-m", "-p", "-n", "-C", "-u", "-r", "-w"]

    def run(
        self, script: str, folder: str = "/", seconds: float = 600, user: str = "root"
    ) -> subprocess.CompletedProcess[str]:
        """Runs commands, and stops at the first command that fails."""
        settings = [f"PATH={PATH}", "HOME=/root", "PIP_NO_INDEX=1", f"PIP_FIND_LINKS={WHEELS}", "LANG=C.UTF-8"]
        become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        command = [*self._enter, *become, "env", "-i", *settings, "bash", "-euc", f"cd {folder}\n{script}"]
        return subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", timeout=seconds, stdin=subprocess.DEVNULL
        )

    def say(self, script: str, folder: str = "/", user: str = "root") -> str:
        """Returns the output of commands, which must succeed."""
        done = self.run(script, folder, user=user)
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def until(self, script: str, what: str, folder: str = "/") -> str:
        """Repeats commands until they succeed; returns their output."""
        found: subprocess.CompletedProcess[str] = until(
            lambda: (done := self.run(script, folder)).returncode == 0 and done, f"{what}: {script}"
        )
        return found.stdout


@contextmanager
def machine(furnish: Callable[[Path], None]) -> Iterator[Machine]:
    """Starts a machine; at the end of the block, stops the machine with all its processes.

    Args:
        furnish: A function that writes the additional files to the machine's disk.
    """
    with tempfile.TemporaryDirectory(prefix="fencepost-machine-", dir=DISK) as name:
        folder = Path(name)
        furnish(folder / "upper")
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                ["unshare", *NAMESPACES, "bash", "-c", BOOT, "bash", name],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

        def first() -> int:
            assert process.poll() is None, (folder / "log").read_text()
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            is_up = children and Path(f"/proc/{children[0]}/comm").read_text() == "systemd\n"
            return int(children[0]) if is_up else 0

        try:
            made = Machine(until(first, "the first process"))
            made.until("systemctl is-system-running | grep -E 'running|degraded'", "the start")
            yield made
        finally:
            process.kill()
            process.wait(60)
