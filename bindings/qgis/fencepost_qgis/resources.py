"""Finds the plugin's icon and style files."""

from pathlib import Path

from qgis.PyQt.QtGui import QIcon

HERE = Path(__file__).resolve().parent


def icon(name):
    """Returns the icon with this name."""
    return QIcon(str(HERE / "icons" / f"{name}.svg"))


def style(name):
    """Returns the path of the style with this name."""
    return str(HERE / "styles" / f"{name}.qml")
