"""Tests the installed package: its contents, and the effects of importing it."""

from __future__ import annotations

import contextlib
import doctest
import importlib.metadata
import inspect
import os
import pickle
import pkgutil
import platform
import re
import shutil
import signal
import subprocess
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import BINDING, ROOT

import fencepost

PACKAGE = Path(fencepost.__file__).parent
PUBLIC = {
    name: getattr(module, name) for module in (fencepost, fencepost.errors, fencepost.types) for name in module.__all__
}
ALIASES = {
    "BeaconIdentityCondition": "Beacon",
    "CircularGeographicCondition": "Circle",
    "Conditions": "Zones",
    "CorridorGeographicCondition": "Corridor",
    "LineGeographicCondition": "Gate",
    "PolygonalGeographicCondition": "Polygon",
}
# Before 1.0 each minor version has its own SONAME.
LIBRARY = f"libfencepost.so.{fencepost.__version__.rpartition('.')[0]}"


def modules() -> list[str]:
    """Returns the names of the package's modules, including the modules in its subfolders."""
    found = pkgutil.walk_packages([str(PACKAGE)], "fencepost.")
    return [module.name for module in found if module.name != "fencepost.__main__"]


def test_each_file_is_looked_at() -> None:
    """`modules` returns every module of the package, except the top-level package itself and ``__main__``."""
    files = {path.relative_to(PACKAGE.parent).with_suffix("") for path in PACKAGE.rglob("*.py")}
    names = {".".join(file.parts).removesuffix(".__init__") for file in files} - {"fencepost", "fencepost.__main__"}
    assert len(names) > 80
    assert names == {name for name in modules() if name != "fencepost._native"}


BUILD = """
import runpy, sys, types, setuptools
try:
    import setuptools.command.bdist_wheel
except ImportError:  # an old one, with which no wheel can be built; this builds none
    sys.modules["setuptools.command.bdist_wheel"] = types.SimpleNamespace(bdist_wheel=setuptools.Command)
given = {}
setuptools.setup = lambda **values: given.update(values)
runpy.run_path(sys.argv[1])
files = {"packages": setuptools.find_packages("src"), "package_data": {"fencepost": ["py.typed", "*.pyi"]}}
more = {"script_name": sys.argv[1], "package_dir": {"": "src"}, "cmdclass": given["cmdclass"]}
made = setuptools.Distribution(more | files)
command = made.get_command_obj("build_py")
command.build_lib = "build"
command.ensure_finalized()
command.run()
"""


def test_a_module_that_has_moved_is_not_packed_from_an_old_build(tmp_path: Path) -> None:
    """Files left in the build folder by an earlier build must not get into the package."""
    pytest.importorskip("setuptools")
    shutil.copytree(BINDING / "src", tmp_path / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    built = tmp_path / "build" / "fencepost"
    (built / "_gone").mkdir(parents=True)
    for stale in (built / "_gone" / "__init__.py", built / "moved.py", built / "moved.pyi"):
        stale.write_text("raise SystemExit")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(BINDING / "setup.py")],
        cwd=tmp_path, env={**os.environ, "FENCEPOST_ROOT": str(ROOT)}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    names = {path.relative_to(built) for path in built.rglob("*.py*")}
    assert names == {path.relative_to(BINDING / "src" / "fencepost") for path in (BINDING / "src").rglob("*.py*")} - {
        path for path in names if "__pycache__" in path.parts
    }


def test_version_is_that_of_the_header() -> None:
    header = (ROOT / "include" / "fencepost.h").read_text()
    parts = [re.search(rf"#define FENCEPOST_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    assert fencepost.__version__ == importlib.metadata.version("fencepost") == ".".join(parts)


def test_is_typed_and_carries_its_library() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "_native.pyi").is_file()
    assert [path.name for path in PACKAGE.glob("libfencepost*")] == [LIBRARY]
    assert [path.name for path in PACKAGE.glob("_native*.so")] == ["_native.abi3.so"]


def test_every_public_name_exists_and_is_documented() -> None:
    for module in (fencepost, fencepost.errors, fencepost.types):
        assert len(set(module.__all__)) == len(module.__all__)
        assert module.__doc__ and set(module.__all__) <= set(dir(module))
    for name, value in PUBLIC.items():
        if name not in ("FIX_RECORD", "Condition", "__version__"):
            assert value.__doc__, name


def test_the_top_level_is_small() -> None:
    """The exceptions are in `errors`, the types are in `types`, and all other public names, including the aliases, are
    at the top level of the package."""
    assert len([*dir(fencepost), *ALIASES]) <= 61
    shared = set(fencepost.__all__) & {*fencepost.errors.__all__, *fencepost.types.__all__}
    assert shared == {"FencepostError", "InputError", "InputWarning"}
    assert not set(fencepost.errors.__all__) & set(fencepost.types.__all__)
    errors = {name for name, value in PUBLIC.items() if isinstance(value, type) and issubclass(value, BaseException)}
    assert errors == set(fencepost.errors.__all__)


def test_the_long_names_are_aliases() -> None:
    for long, short in ALIASES.items():
        assert getattr(fencepost, long) is getattr(fencepost, short) and getattr(fencepost, short).__name__ == short
        assert long not in dir(fencepost)
    old = b"cfencepost._values.conditions\nCircularGeographicCondition\n."
    assert pickle.loads(old) is fencepost.Circle


def test_names_that_moved_say_where_they_are() -> None:
    for name, part in (("LateInputError", "errors"), ("Statistics", "types")):
        with pytest.warns(DeprecationWarning, match=f"fencepost.{name} is now fencepost.{part}.{name}") as caught:
            assert getattr(fencepost, name) is getattr(getattr(fencepost, part), name)
        assert caught[0].filename == __file__
    with pytest.raises(AttributeError, match="'nothing'"):
        fencepost.nothing  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="'fencepost.types'.*'nothing'"):
        fencepost.types.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [name for name, value in PUBLIC.items() if isinstance(value, type)])
def test_each_public_class_has_a_doctest(name: str) -> None:
    cls = PUBLIC[name]
    if not issubclass(cls, fencepost.FencepostError):
        assert ">>>" in cls.__doc__


@pytest.mark.parametrize("name", ["fencepost", *modules()])
def test_doctests(name: str) -> None:
    module = __import__(name, fromlist=["_"])
    assert doctest.testmod(module).failed == 0


def test_doctests_are_found() -> None:
    """Doctest finds the examples of the exceptions in the public module, ``fencepost.errors``."""
    found = doctest.DocTestFinder(exclude_empty=True).find(fencepost.errors, "fencepost.errors")
    assert {"fencepost.errors", "fencepost.errors.ColumnTypeError", "fencepost.errors.InputError"} <= {
        test.name for test in found if test.examples
    }
    outcome = doctest.testmod(fencepost.errors)
    assert outcome.failed == 0 and outcome.attempted >= 9


def test_errors_are_called_by_their_public_names() -> None:
    """A traceback shows an exception's public name, which a program can use in an except clause."""
    errors = [getattr(fencepost.errors, name) for name in fencepost.errors.__all__]
    assert len(errors) > 15
    assert {error.__module__ for error in errors} == {"fencepost.errors"}
    for error in (
        fencepost.InputError("a.csv", "line 3", "is not a number"),
        fencepost.errors.MissingExtraError("geopandas", "geo"),
    ):
        copied = pickle.loads(pickle.dumps(error))
        assert type(copied) is type(error) and str(copied) == str(error)


def test_no_class_shows_the_source_of_another() -> None:
    for value in PUBLIC.values():
        if isinstance(value, type):
            with contextlib.suppress(OSError, TypeError):  # classes that the C extension defines have no Python source
                assert f"class {value.__name__}" in inspect.getsource(value)


def returned_classes(function: Any, names: dict[str, Any]) -> Iterator[type]:
    def parts(hint: Any) -> Iterator[type]:
        if isinstance(hint, type) and not typing.get_args(hint):
            yield hint
        for part in typing.get_args(hint):
            yield from parts(part)

    if "return" in getattr(function, "__annotations__", {}):
        returns = types.SimpleNamespace(__annotations__={"return": function.__annotations__["return"]})
        yield from parts(typing.get_type_hints(returns, names | vars(sys.modules[function.__module__]))["return"])


def test_what_public_methods_return_is_public() -> None:
    """For every returned object, a user can import its class by name and find the page about it."""
    pd = pytest.importorskip("pandas")
    public = [
        value
        for module in (fencepost, fencepost.types, fencepost.geodesic, fencepost.live, fencepost.spark, fencepost.uas)
        for name in module.__all__
        if not inspect.ismodule(value := getattr(module, name))
    ]
    # The names that are imported only for type checkers.
    names = {**vars(typing), "Buffer": object, "DataFrame": pd.DataFrame, "GeoDataFrame": pd.DataFrame}
    names |= {"NDArray": list, "int64": int, "float64": float}
    for module in modules():
        names |= {
            name: value for name, value in vars(__import__(module, fromlist=["_"])).items() if isinstance(value, type)
        }
    hidden, seen = set(), 0
    for value in public:
        if not isinstance(value, type):
            functions = [(value.__name__, value)] if inspect.isfunction(value) else []
        else:
            functions = [
                (
                    f"{value.__name__}.{name}",
                    inspect.unwrap(getattr(item, "fget", None) or getattr(item, "__func__", item)),
                )
                for name in dir(value)
                if not name.startswith("_")
                for item in [inspect.getattr_static(value, name)]
            ]
        for name, function in functions:
            for returned in returned_classes(function, names):
                seen += 1
                if returned.__module__.startswith("fencepost") and returned not in public:
                    hidden.add((name, returned.__name__))
    assert seen > 100 and hidden == set()


def test_needs_no_swift() -> None:
    """No library of a Swift installation is loaded, because our library contains everything that it needs."""
    needed = subprocess.run(
        ["readelf", "-d", str(PACKAGE / LIBRARY), str(PACKAGE / "_native.abi3.so")],
        capture_output=True,
        text=True,
        check=True,
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
    ).stdout
    # In a wheel, the file name of the SQLite library contains a hash.
    names = {re.sub(r"^libsqlite3-.*", "libsqlite3.so.0", name) for name in re.findall(r"\(NEEDED\).*\[(.+)\]", needed)}
    allowed = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libsqlite3.so.0", LIBRARY}
    if platform.machine() != "x86_64":  # here the library contains a Swift runtime: see bindings/c/names.sh
        allowed |= {"libgcc_s.so.1", "libstdc++.so.6", "libdl.so.2", "ld-linux-aarch64.so.1"}
    assert names <= allowed
    assert "$ORIGIN" in needed


def test_import_changes_no_signal_handler() -> None:
    """Reads the kernel's list of signal handlers, because Python's own list does not show the handlers that C code
    installs."""
    code = (
        "import re\n"
        "def caught():\n"
        "    text = open('/proc/self/status').read()\n"
        "    return [re.search(name + r':\\s*(\\w+)', text)[1] for name in ('SigCgt', 'SigIgn', 'SigBlk')]\n"
        "before = caught()\n"
        "import fencepost\n"
        "fencepost.Monitor().advance(0)\n"
        "assert caught() == before, (before, caught())\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert signal.getsignal(signal.SIGSEGV) == signal.SIG_DFL


def test_import_is_light() -> None:
    """The import loads only the modules that are needed to feed a monitor, and no module that loads slowly; `make
    bench` measures the time of the import."""
    heavy = (
        "argparse",
        "asyncio",
        "csv",
        "ctypes",
        "geopandas",
        "gpxpy",
        "html",
        "importlib.metadata",
        "json",
        "logging",
        "numpy",
        "pandas",
        "pathlib",
        "platform",
        "rich",
        "shapely",
        "socket",
        "sqlite3",
        "subprocess",
        "tempfile",
        "threading",
        "uuid",
        "xml",
    )
    code = (
        "import sys; before = set(sys.modules); import fencepost; fencepost.Monitor, fencepost.Fix, fencepost.Event; "
        f"print(*set({heavy!r}) & (sys.modules.keys() - before))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert loaded.stdout.strip() == ""


def test_names_load_when_they_are_used() -> None:
    """Importing the package does not load the modules that define its public names. After the import, each public
    name can be used, and an unknown name is not an attribute of the package."""
    code = (
        "import sys, fencepost\n"
        "print(*[name for name in sys.modules if name.startswith('fencepost.')])\n"
        "assert set(fencepost.__all__) <= set(dir(fencepost))\n"
        "aliases = {name for names in fencepost._ALIASES.values() for name in names.split()}\n"
        "assert {*fencepost._LATER, *fencepost._PARTS, '__version__'} - aliases == set(fencepost.__all__)\n"
        "assert set(fencepost.types._LATER) == set(fencepost.types.__all__)\n"
        "assert not hasattr(fencepost, 'nothing')\n"
        "from fencepost import *\n"
        "assert geodesic.inverse(0, 0, 0, 1).distance > 0 and Monitor().clock is None\n"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert loaded.stdout.strip() == ""


def test_stubs_agree_with_the_runtime(tmp_path: Path) -> None:
    pytest.importorskip("mypy.stubtest")
    # mypy skips the modules that the stubs import, so the test compares names, signatures and defaults, but not
    # annotations.
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nfollow_imports = skip\n")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "fencepost._native", "--mypy-config-file", str(settings)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT / "bindings" / "python",
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_sources_and_users_scripts_are_clean_for_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    scripts = []
    for example in (Path(__file__).with_name("typed_script.py"), *sorted((ROOT / "examples" / "python").glob("*.py"))):
        (tmp_path / example.name).write_text(example.read_text())
        scripts.append(str(tmp_path / example.name))
    for target in (scripts, ["-p", "fencepost"]):
        checked = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *target],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path,
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_exports_are_those_of_the_header() -> None:
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "include" / "fencepost.h").read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"FENCEPOST_API\s+[^;(]*?\b(fencepost_\w+)\s*\(", header))
    script = re.sub(r"/\*.*?\*/", "", (ROOT / "bindings" / "c" / "fencepost.map").read_text(), flags=re.DOTALL)
    assert set(re.findall(r"^\s+(fencepost_\w+);$", script, flags=re.MULTILINE)) == declared
    symbols = subprocess.run(
        ["nm", "-Dg", "--defined-only", str(PACKAGE / LIBRARY)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = {line.split()[-1].split("@")[0] for line in symbols.splitlines()}
    assert names - {"FENCEPOST_0"} == declared  # some linkers also list the version node (FENCEPOST_0) as a symbol
