"""Files of the plugin."""

from pathlib import Path

from qgis.PyQt.QtGui import QIcon

HERE = Path(__file__).resolve().parent


def icon(name):
    """The icon of that name."""
    return QIcon(str(HERE / "icons" / f"{name}.svg"))


def style(name):
    """Path of the style of that name."""
    return str(HERE / "styles" / f"{name}.qml")
