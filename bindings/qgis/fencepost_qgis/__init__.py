"""The QGIS plugin of Fencepost: a Processing provider whose algorithms call the engine that the plugin includes.

The modules that QGIS loads at startup do not import the engine, so they load on every system that runs QGIS and can
report why the algorithms do not work.
"""


def classFactory(iface):  # noqa: N802, the name that QGIS calls
    """Returns the plugin. `iface` is None in ``qgis_process``."""
    from .plugin import Plugin

    return Plugin(iface)
