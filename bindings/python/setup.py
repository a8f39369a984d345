"""Builds the extension and the Swift library to which the extension links, unless FENCEPOST_LIBRARY names a library
that is already built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
# A build front end does not put the folder of setup.py on the path.
sys.path.insert(0, str(HERE))
from systems import LIBRARIES, RUN_PATH, install_name, strip  # noqa: E402

# A source distribution has a folder `library` with these files of the repository: everything that Package.swift names,
# the build of the C library, and the data of the Python tests.
LIBRARY = ("Package.swift", "LICENSE", "Sources", "include", "bindings/c", "Tests", "examples")
NOT_SOURCE = shutil.ignore_patterns(".*", "__pycache__", "*.pyc", "*.o", "*.so", "*.so.*", "Package.resolved")


def find_root() -> Path:
    """Returns the folder of the repository: `library` beside this file (in a source distribution), a folder above this
    file, or, if a front end has copied this folder elsewhere, a folder above the current directory."""
    starts = [os.environ.get("FENCEPOST_ROOT"), HERE / "library", HERE, os.environ.get("PWD"), os.getcwd()]
    for start in starts:
        for folder in (Path(start), *Path(start).parents) if start else ():
            if (folder / "include" / "fencepost.h").is_file():
                return folder
    raise SystemExit("fencepost: include/fencepost.h not found above this folder; set FENCEPOST_ROOT to the repository")


ROOT = find_root()


def version() -> str:
    """The version that the C header states, which is the only place where the version is written."""
    header = (ROOT / "include" / "fencepost.h").read_text(encoding="utf-8")
    parts = [re.search(rf"#define FENCEPOST_VERSION_{part} (\d+)", header) for part in ("MAJOR", "MINOR", "PATCH")]
    if None in parts:
        raise SystemExit("fencepost: include/fencepost.h does not state its version")
    return ".".join(part[1] for part in parts if part)


def build_library() -> Path:
    """Builds the self-contained library, which includes the Swift runtime and exports only our functions."""
    given = os.environ.get("FENCEPOST_LIBRARY")
    if given:
        library = Path(given).resolve()
        if not library.is_file():
            raise SystemExit(f"fencepost: FENCEPOST_LIBRARY={given}: no such file")
        return library
    if shutil.which("swift") is None:
        raise SystemExit(
            "fencepost: the Swift toolchain is needed to build from source, and `swift` is not on the "
            "path (or set FENCEPOST_LIBRARY to a built libfencepost.so)"
        )
    built = subprocess.run([str(ROOT / "bindings" / "c" / "build.sh")], check=True, stdout=subprocess.PIPE, text=True)
    return Path(built.stdout.splitlines()[-1])


class BuildPython(build_py):
    """Removes the files of earlier builds first; otherwise, a module that has moved since would be installed in both
    places."""

    def run(self) -> None:
        for stale in (Path(self.build_lib) / "fencepost").rglob("*.py*"):
            stale.unlink()
        super().run()


class BuildExtension(build_ext):
    """Puts the library beside the extension, where the extension finds it regardless of the folder in which the package
    is installed."""

    def run(self) -> None:
        library = build_library()
        beside = Path(self.build_lib) / "fencepost"
        if self.inplace:
            beside = HERE / "src" / "fencepost"
        beside.mkdir(parents=True, exist_ok=True)
        bundled = beside / install_name(library)
        for stale in beside.glob(LIBRARIES):  # the pattern also matches libraries of earlier versions
            stale.unlink()
        shutil.copyfile(library, bundled)
        strip(bundled)
        self.bundled = [bundled]
        # Includes the extensions for SQLite and DuckDB, if FENCEPOST_SQL names the folder that contains them.
        given = os.environ.get("FENCEPOST_SQL")
        shutil.rmtree(beside / "_sql", ignore_errors=True)  # those of an earlier build
        for name in ("fencepost.so", "fencepost.duckdb") if given else ():
            (beside / "_sql").mkdir(exist_ok=True)
            self.bundled.append(Path(shutil.copyfile(Path(given or "") / name, beside / "_sql" / name)))
        for extension in self.extensions:
            extension.extra_link_args += [str(bundled), RUN_PATH]
        super().run()

    def get_outputs(self) -> list[str]:
        return [*super().get_outputs(), *map(str, self.bundled)]


class SourceDistribution(sdist):
    """Adds the Swift sources, which are outside this folder."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        library = Path(base_dir) / "library"
        for name in LIBRARY:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, library / name, ignore=NOT_SOURCE)
            else:
                library.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, library / name)


class Wheel(bdist_wheel):
    def finalize_options(self) -> None:
        self.py_limited_api = "cp311"
        super().finalize_options()


setup(
    version=version(),
    ext_modules=[
        Extension(
            "fencepost._native",
            sources=sorted(str(path.relative_to(HERE)) for path in (HERE / "native").glob("*.c")),
            depends=[str(HERE / "native" / "native.h"), str(ROOT / "include" / "fencepost.h")],
            include_dirs=[str(ROOT / "include")],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            extra_compile_args=[
                "-std=c11",
                "-Wall",
                "-Wextra",
                "-Werror=implicit-function-declaration",
                "-fvisibility=hidden",
            ],
            py_limited_api=True,
        )
    ],
    cmdclass={"build_py": BuildPython, "build_ext": BuildExtension, "bdist_wheel": Wheel, "sdist": SourceDistribution},
)
