"""The QGIS plugin of Fencepost: a Processing provider whose algorithms ask the engine that the plugin brings with it.

The modules that QGIS loads at its start do without the engine, so that they load wherever QGIS runs and can say why
the algorithms do not.
"""


def classFactory(iface):  # noqa: N802, the name that QGIS calls
    """The plugin. `iface` is None in ``qgis_process``."""
    from .plugin import Plugin

    return Plugin(iface)
