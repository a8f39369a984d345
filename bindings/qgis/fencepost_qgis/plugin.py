"""The entry point of the QGIS plugin."""

from qgis.core import Qgis, QgsApplication, QgsMessageLog

from .engine import engine_problem
from .provider import Provider


class Plugin:
    """Registers the provider, and warns once if the engine does not work in this installation of QGIS."""

    def __init__(self, iface):
        self.iface = iface
        self.provider = None

    def initProcessing(self):  # noqa: N802
        """Called by ``qgis_process``, and by QGIS through :meth:`initGui`."""
        self.provider = Provider()
        QgsApplication.processingRegistry().addProvider(self.provider)
        problem = engine_problem()
        if problem:
            QgsMessageLog.logMessage(problem, "Fencepost", Qgis.Warning)
            if self.iface is not None:
                self.iface.messageBar().pushWarning("Fencepost", problem)

    def initGui(self):  # noqa: N802
        """Called by QGIS if QGIS has a window."""
        self.initProcessing()

    def unload(self):
        """Called when the plugin is disabled."""
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
            self.provider = None
