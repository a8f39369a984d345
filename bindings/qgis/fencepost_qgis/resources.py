"""Files of the plugin."""

from pathlib import Path

from qgis.PyQt.QtGui import QIcon

HERE = Path(__file__).resolve().parent


def icon(name):
    """Returns the icon of this name."""
    return QIcon(str(HERE / "icons" / f"{name}.svg"))


def style(name):
    """Returns the path of the style of this name."""
    return str(HERE / "styles" / f"{name}.qml")
