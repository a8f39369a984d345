"""Runs the instructions of containers/Containerfile one after the other in a separate Debian root, because base images
cannot be fetched without a network. After the build, the test runs the container's process as an ordinary user, on a
read-only root file system, beside a mosquitto broker."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from brokers import mosquitto
from machines import DISK, OVERLAY, make_wheels, why_not

pytestmark = pytest.mark.skipif((reason := why_not()) is not None, reason=str(reason))

UNSHARE = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--net")
CONTAINERS = Path(__file__).resolve().parents[3] / "containers"
WATCH = """
source = "mqtt://127.0.0.1/owntracks/#"
conditions = "/config/places.geojson"
store = "/data"
append = "/data/events.jsonl"
publish = "mqtt://127.0.0.1"
publish-format = "homeassistant"
any-time = true
"""


def instructions(path: Path) -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", "", re.sub(r"(?m)^#.*\n", "", path.read_text()))
    return [(line.split()[0], line.split(maxsplit=1)[1].strip()) for line in text.splitlines() if line.strip()]


def of(kind: str, found: list[tuple[str, str]]) -> str:
    return next(rest for name, rest in found if name == kind)


def test_it_builds_runs_without_root_and_is_healthy(tmp_path: Path) -> None:
    found = instructions(CONTAINERS / "Containerfile")
    runs = "\n".join(f"in_root sh -euc {shlex.quote(rest)}" for name, rest in found if name == "RUN")
    user, folder = of("USER", found), of("WORKDIR", found)
    path = re.search(r"PATH=(\S+?):\$PATH", of("ENV", found))
    assert path is not None
    command = json.loads(of("ENTRYPOINT", found)) + json.loads(of("CMD", found))
    health = json.loads(re.sub(r"^(--\S+ )*CMD ", "", of("HEALTHCHECK", found)))
    (tmp_path / "config").mkdir()
    (tmp_path / "config/watch.toml").write_text(WATCH)
    shutil.copy(CONTAINERS / "config/places.geojson", tmp_path / "config")
    place = json.loads((tmp_path / "config/places.geojson").read_text())["features"][0]["geometry"]["coordinates"]
    message = {"_type": "location", "lon": place[0], "lat": place[1], "acc": 5, "tst": 1_700_000_000}
    script = f"""
mkdir -p $1/upper $1/work $1/root
mount --make-rprivate /
{OVERLAY}
cd $1/root
mount -t proc proc proc; mount --bind /dev dev; mount -t tmpfs tmpfs tmp; mkdir -p config srv/wheels tmp/wheels
mount --bind {tmp_path}/config config; mount --bind {make_wheels()} srv/wheels
cp srv/wheels/fencepost-*.whl tmp/wheels
ip link set lo up
in_root() {{ chroot . env -i PIP_NO_INDEX=1 PIP_FIND_LINKS=/srv/wheels PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }}
{runs}
mount --bind data data
mount -o remount,bind,ro $1/root  # read_only: true
user=(chroot . setpriv --reuid={user} --regid={user} --clear-groups --no-new-privs --bounding-set=-all
  env -i PATH={path[1]}:/usr/bin:/bin sh -c 'cd {folder} && exec "$@"' sh)
! "${{user[@]}}" touch /opt/fencepost/written 2> /dev/null
! "${{user[@]}}" {shlex.join(health)} 2> /dev/null  # nothing runs yet
{mosquitto()} -p 1883 > /dev/null 2>&1 &
"${{user[@]}}" {shlex.join(command)} 2> {tmp_path}/said &
watch=$!
within() {{ for _ in $(seq 600); do "$@" && return; sleep 0.2; done; cat {tmp_path}/said >&2; return 1; }}
healthy() {{ "${{user[@]}}" {shlex.join(health)} 2> /dev/null; }}
within healthy
within grep -q 'subscribed to' {tmp_path}/said
mosquitto_pub -q 1 -t owntracks/alice/phone -m {shlex.quote(json.dumps(message))}
within test -s data/events.jsonl
cat data/events.jsonl
stat -c 'owner %u' data/events.jsonl
kill -TERM $watch
wait $watch
"""
    with tempfile.TemporaryDirectory(dir=DISK) as place_of_root:
        done = subprocess.run(
            [*UNSHARE, "bash", "-euc", script, "sh", place_of_root],
            capture_output=True, text=True, timeout=900,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    event, owner = done.stdout.splitlines()[-2:]
    assert json.loads(event)["state"] == "satisfied" and owner == f"owner {user}"
