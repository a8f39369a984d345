#!/usr/bin/env python3
"""Tests the published files for Python: the wheel and the source distribution that bindings/python/dist.sh makes.

    .venv/bin/python Tests/Packaging/wheel.py wheel    checks the wheel's content, and uses it in a fresh environment
    .venv/bin/python Tests/Packaging/wheel.py wheels   a few of the package's tests pass on the wheel with each Python
                                                       here; with FENCEPOST_SOAK=1 most of the tests on the newest
    .venv/bin/python Tests/Packaging/wheel.py sdist    the source distribution builds on its own, and its tests pass

The script works in .build/wheel-test. Environments get their dependencies from the package index, as with pip.
"""

from __future__ import annotations

import email
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".build" / "wheel-test"
DIST = ROOT / ".build" / "dist"
PYTHON_FOLDER = ROOT / "bindings" / "python"
SIZE_LIMIT = 12_000_000  # bytes
OLDEST = (3, 11)
# The programs that the package's tests call, other than Python. Swift is not in this list, because the wheel must work
# without Swift.
TOOLS = ("cat", "nm", "readelf", "sh", "sleep", "strace", "tee", "touch")
LONG = "kill notebook streams watch_kill"
# These tests need the checkout (its guides, the plugin, its shell and its build), so they do not test the wheel.
CHECKOUT = [f"--ignore-glob=*/test_{name}.py" for name in ("guides", "qgis_imports")]
EXTRAS = "cli,files,geo,report,nmea,parquet"
PARALLEL = ("--numprocesses", "2", "--dist", "worksteal")
# Each version of Python runs the tests in FEW, which show that the wheel works, and the newest version those in SOME.
# `make soak` runs all tests of the wheel on the newest version, and the workflow `tests` on each version.
FEW = ("tests/package/test_import.py", "tests/monitor/test_monitor.py", "tests/monitor/test_store.py")
SOME = (*FEW, "tests/command/test_conformance.py", "tests/values")
SHORTER = ["--ignore=tests/reference", *(f"--ignore-glob=*/test_{name}.py" for name in LONG.split())]
# The system libraries that we use; PEP 600 allows all of them for a manylinux wheel.
SYSTEM_LIBRARIES = r"lib(c|m|pthread|dl|gcc_s|stdc\+\+)\.so\.\d+|ld-linux-.*\.so\.\d+"

# For each library, the newest symbol version that manylinux_2_28 (RHEL 8, Debian 10) has.
REACH = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)}

TRACK = "time,latitude,longitude\n0,0,1\n10,0,0\n"
CONDITIONS = {
    "type": "FeatureCollection",
    "features": [{
        "type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]},
        "properties": {"identifier": "origin", "radius": 100, "policy": "exact"},
    }],
}  # fmt: skip


def check(holds: object, message: str) -> None:
    if not holds:
        sys.exit(f"wheel: {message}")


def run(*command: object, limit_s: int = 600, **options: object) -> str:
    """Returns a command's output. If the command fails, ends the test and shows everything that the command wrote."""
    done = subprocess.run(  # type: ignore[call-overload]
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit_s,
        **options,
    )  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nwheel: {' '.join(str(part) for part in command)}: exit code {done.returncode}")
    return str(done.stdout)


def build() -> tuple[Path, Path]:
    """Builds the source distribution and the wheel."""
    run(PYTHON_FOLDER / "dist.sh")
    found = sorted(DIST.glob("*.tar.gz")), sorted(DIST.glob("*.whl"))
    check(len(found[0]) == 1 and len(found[1]) == 1, f"{DIST} holds {found}")
    return found[0][0], found[1][0]


# ------------------------------------------------------------------------------------------- environments


def pythons() -> list[Path]:
    """Returns one CPython interpreter for each version from 3.11 on that can create environments. The interpreters are
    searched for on PATH, in pyenv, in uv and in /usr/bin."""
    names = ["python3", *(f"python3.{minor}" for minor in range(OLDEST[1], OLDEST[1] + 10))]
    candidates: list[str | None] = [sys.executable, *(shutil.which(name) for name in names)]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates += [str(path) for path in sorted(pyenv.glob("3.*/bin/python3"))]
    candidates += [f"/usr/bin/{name}" for name in names]
    if shutil.which("uv"):
        found = subprocess.run(["uv", "python", "list", "--only-installed", "--offline", "--output-format", "json"],
                               capture_output=True, text=True, timeout=60)  # fmt: skip
        candidates += [each["path"] for each in json.loads(found.stdout)] if found.returncode == 0 else []
    ask = (
        "import sys, sysconfig, ensurepip, venv; print(sys.implementation.name, sys.version_info[0],"
        " sys.version_info[1], sysconfig.get_config_var('Py_GIL_DISABLED') or 0, sys._base_executable)"
    )
    chosen: dict[tuple[int, int], Path] = {}
    for candidate in filter(None, candidates):
        if not Path(candidate).exists():
            continue
        answer = subprocess.run([candidate, "-I", "-c", ask], capture_output=True, text=True, timeout=60)
        if answer.returncode != 0:
            continue
        name, major, minor, free_threaded, executable = answer.stdout.strip().split(" ", 4)
        version = int(major), int(minor)
        # Skip a free-threaded CPython: the wheel uses the stable ABI, which a free-threaded build does not support.
        if name == "cpython" and free_threaded == "0" and version >= OLDEST:
            chosen.setdefault(version, Path(executable))
    return [chosen[version] for version in sorted(chosen)]


class Environment:
    """A fresh virtual environment whose programs find no Swift, and do not inherit the caller's environment
    variables."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "bin" / "python"
        shutil.rmtree(folder, ignore_errors=True)
        run(python, "-m", "venv", folder)
        self.tools = folder / "tools"
        self.tools.mkdir()
        for tool in TOOLS:
            if found := shutil.which(tool):
                (self.tools / tool).symlink_to(found)
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir()
        path = f"{folder / 'bin'}{os.pathsep}{self.tools}"
        check(shutil.which("swift", path=path) is None, "swift is on the path of the test")
        self.environment = {"PATH": path, "HOME": str(self.elsewhere), "PYTHONDONTWRITEBYTECODE": "1"}
        if "FENCEPOST_SHARED" in os.environ:
            self.environment["FENCEPOST_SHARED"] = os.environ["FENCEPOST_SHARED"]

    def install(self, what: str, *groups: str) -> None:
        """Installs a requirement, and the checkout's dependency groups, which pip supports from version 25.1 on."""
        pip = (self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        if groups:
            run(*pip, "pip>=25.1")
        chosen = (part for group in groups for part in ("--group", f"{PYTHON_FOLDER}/pyproject.toml:{group}"))
        run(*pip, what, *chosen)

    def run(self, *command: object, cwd: Path | None = None, limit_s: int = 900) -> str:
        return run(*command, cwd=cwd or self.elsewhere, env=self.environment, limit_s=limit_s)

    def check_import(self) -> None:
        place = self.run(self.python, "-c", "import fencepost; print(fencepost.__file__)").strip()
        check(place.startswith(f"{self.folder}/lib/"), f"the package comes from {place}")

    def run_tests(self, folder: Path, *arguments: str) -> None:
        self.check_import()
        print(self.run(self.python, "-m", "pytest", "-rs", "-p", "no:cacheprovider", *arguments, cwd=folder).rstrip())


# --------------------------------------------------------------------------------------------------- wheel


def check_name(wheel: Path) -> str:
    """Checks that the tag in a wheel's name matches this machine, and returns the version in the name."""
    parts = re.fullmatch(r"fencepost-([\d.]+)-cp311-abi3-manylinux_2_(\d+)_(\w+)\.whl", wheel.name)
    check(parts, f"{wheel.name} is not a name for CPython 3.11 and later on manylinux")
    assert parts
    check(int(parts[2]) <= REACH["GLIBC"][1], f"{wheel.name} wants a newer glibc than 2.{REACH['GLIBC'][1]}")
    check(parts[3] == platform.machine(), f"{wheel.name} is not for {platform.machine()}")
    return parts[1]


def elf_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.open("rb").read(4) == b"\x7fELF":
            yield path


def check_content(wheel: Path, version: str) -> None:
    size = wheel.stat().st_size
    check(size <= SIZE_LIMIT, f"{wheel.name} has {size} bytes, more than {SIZE_LIMIT}")
    folder = WORK / "content"
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    info = folder / f"fencepost-{version}.dist-info"
    tops = {path.name for path in folder.iterdir()}
    check(tops == {"fencepost", "fencepost.libs", info.name}, f"the wheel holds {sorted(tops)}")
    check((info / "licenses" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text(), "the licence is another")
    # The wheel must contain exactly the package's files that Git knows, and no files of an earlier build.
    tracked = run("git", "-C", PYTHON_FOLDER / "src", "ls-files", "--cached", "--others", "--exclude-standard").split()
    here = {str(path.relative_to(folder)) for path in (folder / "fencepost").rglob("*") if path.is_file()}
    expected = {*tracked, "fencepost/_native.abi3.so", f"fencepost/libfencepost.so.{version.rpartition('.')[0]}"}
    check(here == expected, f"the wheel's files differ from the sources by {sorted(here ^ expected)}")
    other = [name for name in tracked if (folder / name).read_bytes() != (PYTHON_FOLDER / "src" / name).read_bytes()]
    check(not other, f"the wheel has other contents of {other}")

    files = list(elf_files(folder))
    bundled = {path.name for path in files}
    check(any(name.startswith("libsqlite3-") for name in bundled), "SQLite is not in the wheel")
    for path in files:
        dynamic = run("readelf", "--dynamic", "--wide", path, env={**os.environ, "LC_ALL": "C"})
        for needed in re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic):
            check(needed in bundled or re.fullmatch(SYSTEM_LIBRARIES, needed), f"{path.name} needs {needed}")
        for places in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
            for place in places.split(":"):
                # A search path that names a directory of the build machine is a security hole on other machines.
                check(place.startswith("$ORIGIN"), f"{path.name} looks for libraries in {place!r}")
    check_reach(files)
    check_metadata(info / "METADATA")
    print(f"wheel: {wheel.name}, {size / 1e6:.1f} MB, carries {', '.join(sorted(bundled))}")


def check_reach(files: list[Path]) -> None:
    """Reads the symbol lists of files, and checks that they need no symbol of a system library that is newer than the
    wheel's tag allows."""
    seen = set()
    for path in files:
        for name, version in re.findall(
            r" ([A-Za-z_]\w*)@([A-Z]+_[\d.]+)$", run("nm", "-D", "--undefined-only", path), re.MULTILINE
        ):
            family, _, number = version.partition("_")
            if family == "FENCEPOST":
                continue
            seen.add(family)
            newest = REACH.get(family)
            check(newest, f"{path.name} takes {name}@{version}, which is of no library that is known here")
            assert newest
            check(
                tuple(map(int, number.split("."))) <= newest, f"{path.name} takes {name}@{version}, newer than {newest}"
            )
    check("GLIBC" in seen, f"only symbols of {sorted(seen)} were found: the list is not read right")


def check_metadata(path: Path) -> None:
    """Checks the metadata for a package index: it names an author and a licence, and contains no URL or e-mail address,
    because the project has no website yet."""
    fields = email.message_from_string(path.read_text(encoding="utf-8"))
    check(fields["License-Expression"] == "MIT", f"the licence is {fields['License-Expression']}")
    check(fields["Author"], "there is no author")
    check(fields["Summary"] and fields["Keywords"], "there is no summary, or no keywords")
    addresses = [fields[name] for name in ("Home-page", "Author-email", "Project-URL", "Download-URL") if fields[name]]
    check(not addresses, f"the metadata name {addresses}")


MONITOR = """
from fencepost import Circle, Fix, Fleet, Monitor, Zones
monitor = Monitor({"home": Circle(52.5, 13.4, radius=100)}, policy="exact")
monitor.feed(Fix(52.5, 13.5, time=0))
monitor.feed(Fix(52.5, 13.4, time=10_000_000))
fleet = Fleet(Zones("conditions.geojson"))
fleet.feed_many(device=["a", "b"], latitude=[0.0, 1.0], longitude=[0.0, 1.0], time=[0, 0])
print(*(event.kind for event in monitor.events()), len(fleet.inside("origin")), fleet.poll()[0].to_dict()["device"])
"""


def check_bare(environment: Environment) -> None:
    """Checks that installing the wheel without extras installs no other package, that the wheel can then run a monitor
    and a fleet, and that its messages name the missing extra."""
    listed = environment.run(environment.python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check")
    names = {each["name"] for each in json.loads(listed)} - {"pip", "setuptools"}
    check(names == {"fencepost"}, f"the wheel alone brings {sorted(names - {'fencepost'})}")
    (environment.elsewhere / "conditions.geojson").write_text(json.dumps(CONDITIONS))
    said = environment.run(environment.python, "-c", MONITOR).strip()
    check(said == "determined enter 1 a", f"an embedded monitor says {said!r}")
    (environment.elsewhere / "track.gpx").write_text('<gpx version="1.1"><trk/></gpx>')
    (environment.elsewhere / "track.csv").write_text(TRACK)
    for track, form, extra in (("track.gpx", "jsonl", "files"), ("track.csv", "table", "cli")):
        replay = ("replay", track, "--conditions", "conditions.geojson", "--format", form)
        done = subprocess.run(
            [environment.folder / "bin" / "fencepost", *replay], cwd=environment.elsewhere,
            env=environment.environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        check(
            done.returncode == 2 and f"pip install 'fencepost[{extra}]'" in done.stderr,
            f"{track} as {form} without an extra says {done.stderr!r}",
        )
    print("wheel: alone it brings no other package, and embeds a monitor")


def test_wheel() -> None:
    _, wheel = build()
    version = check_name(wheel)
    check_content(wheel, version)
    environment = Environment(pythons()[0], WORK / "fresh")
    environment.install(str(wheel))
    environment.check_import()
    check_bare(environment)
    (environment.elsewhere / "track.csv").write_text(TRACK)
    (environment.elsewhere / "conditions.geojson").write_text(json.dumps(CONDITIONS))
    for command in ([environment.folder / "bin" / "fencepost"], [environment.python, "-m", "fencepost"]):
        check(environment.run(*command, "--version").strip() == f"fencepost {version}", "another version answers")
        replayed = environment.run(*command, "replay", "track.csv", "--conditions", "conditions.geojson",
                                   "--format", "jsonl")  # fmt: skip
        states = [json.loads(line)["state"] for line in replayed.splitlines()]
        check(states == ["unsatisfied", "satisfied"], f"the replay gives {replayed}")
    print("wheel: installed in a fresh environment it works without Swift")


def test_wheels() -> None:
    _, wheel = build()
    check_name(wheel)
    found = pythons()
    for python in found:
        version = run(python, "-c", "import platform; print(platform.python_version())").strip()
        started = time.monotonic()
        environment = Environment(python, WORK / f"python-{version}")
        environment.install(f"fencepost[{EXTRAS}] @ {wheel.as_uri()}", "test")
        # The slow tests (the reference model, streams, kills) are left out, because `make test` runs them with the same
        # library.
        chosen = FEW if python != found[-1] else () if os.environ.get("FENCEPOST_SOAK") == "1" else SOME
        environment.run_tests(PYTHON_FOLDER, *PARALLEL, *CHECKOUT, *SHORTER, *chosen)
        print(f"wheel: the package's tests pass on Python {version} ({time.monotonic() - started:.0f} s)")
    if len(found) == 1:
        print("wheel: SKIPPED: no Python newer than this is here")


# --------------------------------------------------------------------------------------------------- sdist


def test_sdist() -> None:
    sdist, _ = build()
    if shutil.which("swift") is None:
        sys.exit("wheel: the test of the source distribution needs Swift")
    folder = WORK / "sdist"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()

    here = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    for top, inside in ((ROOT, "library/"), (PYTHON_FOLDER, "")):
        names = run("git", "-C", top, "ls-files", "--cached").splitlines()
        if inside:
            wanted = re.compile(r"(Package\.swift|LICENSE|(Sources|include|bindings/c|Tests|examples)/.*)$")
        else:
            wanted = re.compile(r"(pyproject\.toml|setup\.py|README\.md|LICENSE|(src|native|tests)/.*)$")
        missing = {inside + name for name in names if wanted.match(name) and (top / name).exists()} - here
        check(not missing, f"the source distribution lacks {sorted(missing)}")
    built = [name for name in here if re.search(r"\.(so|o|pyc|whl)(\.|$)|__pycache__|/\.build/", name)]
    check(not built, f"the source distribution holds {built}")

    # Builds as pip does for a user who has Swift: from the archive only, in the folder where it was unpacked.
    # embedded.sh uses the objects of this tree if their sources, options and compiler are byte for byte the same;
    # otherwise it compiles the sources.
    objects = ".build/embedded/x86_64-linux-gnu"
    if (ROOT / objects).is_dir():
        shutil.copytree(ROOT / objects, source / "library" / objects)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("FENCEPOST_", "PYTHON"))}
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder / "built", source,
        cwd=folder, env={**environment, "PWD": str(folder)}, limit_s=1500)  # fmt: skip
    (wheel,) = (folder / "built").glob("*.whl")
    fresh = Environment(pythons()[0], folder / "environment")
    fresh.install(str(wheel))
    fresh.install("pytest>=8")
    # Runs some of the tests in the archive, to check that the archive contains the files that these tests read.
    fresh.run_tests(
        source,
        *(f"tests/{name}.py" for name in ("package/test_import", "command/test_conformance", "package/test_errors")),
    )
    print(f"wheel: {sdist.name}, {sdist.stat().st_size / 1e6:.1f} MB, builds on its own and passes its tests")


def main() -> None:
    parts = {"wheel": test_wheel, "wheels": test_wheels, "sdist": test_sdist}
    if len(sys.argv) != 2 or sys.argv[1] not in parts:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(parts)}")
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    WORK.mkdir(parents=True, exist_ok=True)
    parts[sys.argv[1]]()


if __name__ == "__main__":
    main()
