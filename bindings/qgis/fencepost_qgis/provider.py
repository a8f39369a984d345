"""The Processing provider."""

from qgis.core import QgsProcessingProvider

from .compare_policies import ComparePolicies
from .geofence_events import GeofenceEvents
from .join_points import JoinPoints
from .monitored_circles import MonitoredCircles
from .resources import icon


class Provider(QgsProcessingProvider):
    """Adds Fencepost's algorithms to the Processing toolbox of QGIS."""

    def loadAlgorithms(self):  # noqa: N802
        for algorithm in (GeofenceEvents, ComparePolicies, MonitoredCircles, JoinPoints):
            self.addAlgorithm(algorithm())

    def id(self):
        return "fencepost"

    def name(self):
        return "Fencepost"

    def longName(self):  # noqa: N802
        return "Fencepost: geofencing of recorded tracks"

    def icon(self):
        return icon("fencepost")
