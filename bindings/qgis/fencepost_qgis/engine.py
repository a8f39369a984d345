"""Checks whether the engine that comes with the plugin can run on this computer."""

import platform
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

OLDEST_PYTHON = (3, 11)


@cache
def engine_problem():
    """Returns None if the engine runs here, else one line that says why not and what to do."""
    if sys.version_info < OLDEST_PYTHON:
        return _problem("the engine needs QGIS with Python 3.11 or newer")
    try:
        import_module(".fencepost._native", __package__)
    except ModuleNotFoundError as error:
        if error.name != f"{__package__}.fencepost":
            return _problem(f"the engine does not load ({error})")
        return _problem("the plugin was installed without its engine")
    except ImportError as error:
        return _problem(f"the engine does not load ({error})")
    return None


def _problem(reason):
    try:
        built_for = (Path(__file__).parent / "built_for.txt").read_text(encoding="utf-8").strip()
    except OSError:
        built_for = "no platform"
    here = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return (
        f"{' '.join(reason.split())}. This zip is for {built_for}; this computer is {here}. Run `make qgis-plugin` in "
        "Fencepost's source on a machine like this one and install the zip that it makes."
    )
