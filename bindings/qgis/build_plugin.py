"""Builds the zip that QGIS installs. The zip contains the plugin and, beside the plugin, the installed Python package,
which is the plugin's engine.

    .venv/bin/python bindings/qgis/build_plugin.py [FOLDER]

The zip is written to FOLDER (default .build/qgis), and its path is printed. The same inputs give the same bytes. The
environment variables HOMEPAGE and EMAIL are written into the metadata; the plugin repository requires real values.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLUGIN = "fencepost_qgis"
KINDS = {".py", ".svg", ".png", ".qml"}


def main() -> int:
    """Builds the zip; returns exit code 2 if there is no engine to include."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".build" / "qgis"
    found = importlib.util.find_spec("fencepost")
    if found is None or found.origin is None:
        print("build_plugin: the package fencepost is not installed for this Python: make setup", file=sys.stderr)
        return 2
    files = plugin_files() | engine_files(Path(found.origin).parent)
    from fencepost import __version__

    metadata = (HERE / PLUGIN / "metadata.txt").read_text(encoding="utf-8")
    for name, value in {
        "VERSION": __version__,
        "HOMEPAGE": os.environ.get("HOMEPAGE") or "https://fencepost.invalid",
        "EMAIL": os.environ.get("EMAIL") or "maintainers@fencepost.invalid",
    }.items():
        metadata = metadata.replace(f"@{name}@", value)
    target = f"{platform.system()} {platform.machine()}"
    files["metadata.txt"] = metadata.encode()
    files["built_for.txt"] = f"{target} with Python 3.11 or newer\n".encode()
    files["LICENSE"] = (ROOT / "LICENSE").read_bytes()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{PLUGIN}-{__version__}-{target.lower().replace(' ', '_')}.zip"
    for old in folder.glob(f"{PLUGIN}-*.zip"):
        old.unlink()
    write_zip(path, files)
    print(path)
    return 0


def plugin_files() -> dict[str, bytes]:
    """The plugin's own files, by their paths in the plugin."""
    here = HERE / PLUGIN
    return {
        str(path.relative_to(here)): path.read_bytes()
        for path in here.rglob("*")
        if path.suffix in KINDS and "__pycache__" not in path.parts
    }


def engine_files(package: Path) -> dict[str, bytes]:
    """The files of the Python package: its modules, its extension, and the library that lies beside the extension."""
    files = {
        f"fencepost/{path.relative_to(package).as_posix()}": path.read_bytes()
        for path in package.rglob("*")
        if path.suffix == ".py" or ".so" in path.suffixes
    }
    kinds = {name.rpartition("/")[2].partition(".")[0] for name in files if ".so" in name}
    if kinds != {"_native", "libfencepost"}:
        raise SystemExit(f"build_plugin: {package} does not hold the extension and its library: make setup")
    files.update(bundled_libraries(package))
    return files


def bundled_libraries(package: Path) -> dict[str, bytes]:
    """The libraries that the repair of a wheel puts beside the package, for example SQLite. The path from the extension
    to these libraries is the same in the plugin as in the wheel, so the extension's library finds them."""
    beside = package.parent / f"{package.name}.libs"
    return {f"{beside.name}/{path.name}": path.read_bytes() for path in beside.glob("*.so*") if path.is_file()}


def write_zip(path: Path, files: dict[str, bytes]) -> None:
    """Writes the zip: all files are in a folder named after the plugin, in a fixed order and with the same time
    stamp."""
    new = path.with_suffix(".new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{PLUGIN}/{name}", (2000, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    new.replace(path)


if __name__ == "__main__":
    raise SystemExit(main())
