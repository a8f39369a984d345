"""The "Join points with places" algorithm."""

from qgis.core import (
    NULL,
    QgsField,
    QgsProcessing,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterNumber,
)

from . import parameters as shared
from .algorithm import Algorithm

CONTAINING, NEAREST = range(2)
_BATCH = 20_000
"""Number of points in one query."""


UNIQUE = ("fid", "ogc_fid")
"""Fields in which GDAL stores a feature's number, which must be unique."""


class JoinPoints(Algorithm):
    """Takes points and places, and returns one point for each pair of a point and a place that belong together."""

    NAME, TITLE, ICON = "joinpoints", "Join points with places", "circles"
    SUMMARY = "Finds the places that contain each point or are nearest to it, exactly on the ellipsoid."
    TAGS = ("geofence", "geofencing", "spatial join", "within", "contains", "nearest", "geodesic", "distance", "point")
    HELP = """
Joins points with places: circles with a radius in metres, polygons, and corridors around lines, in any coordinate
systems. The result is exact on the WGS84 ellipsoid, also at the poles and across the antimeridian. The boundary of a
place belongs to the place.

The result has one row for each pair of a point and a place that contains it, or one of its nearest places. A row has
the attributes of the point and two more: place (the identifier) and distance (metres to the boundary of the place,
negative inside). If the points already have fields of these names, the new ones are called place_2 and distance_2. The
feature number in the file (fid) is left out.

Use this algorithm for unrelated points. For the track of a device use Geofence events, which finds when the device
enters and leaves, and considers the accuracy of its fixes.
"""

    def initAlgorithm(self, configuration=None):  # noqa: N802
        points = QgsProcessingParameterFeatureSource("POINTS", "Points", [QgsProcessing.TypeVectorPoint])
        points.setHelp("Points in any coordinate system.")
        self.addParameter(points)
        shared.add_places(self)
        kind = QgsProcessingParameterEnum(
            "JOIN", "Join each point with", ("the places that contain it", "its nearest places"), False, CONTAINING
        )
        kind.setHelp("The nearest places are those whose boundary is nearest, from the inside or from the outside.")
        self.addParameter(kind)
        count = QgsProcessingParameterNumber("NEAREST", "How many nearest places", defaultValue=1, minValue=1)
        count.setHelp("Used only for a join with the nearest places.")
        self.addParameter(count)
        unmatched = QgsProcessingParameterBoolean("UNMATCHED", "Keep points without a place", False)
        unmatched.setHelp("Points without a place then have one row, with an empty place and distance.")
        self.addParameter(unmatched)
        shared.add_broken(self)
        self.addParameter(QgsProcessingParameterFeatureSink("JOINED", "Joined points", QgsProcessing.TypeVectorPoint))

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        from . import outputs
        from .fencepost import Monitor
        from .layers import Layer, Unusable
        from .places import read_places
        from .problems import Problems

        problems = Problems(feedback, self.parameterAsEnum(parameters, "BROKEN", context) == shared.STOP)
        _, places = read_places(self, parameters, context, feedback, problems, gates=False)
        monitor = Monitor()
        for place in places:
            monitor.add(place.row.condition, place.row.identifier)
        layer = Layer(self, parameters, "POINTS", context)
        count = self.parameterAsInt(parameters, "NEAREST", context)
        nearest = self.parameterAsEnum(parameters, "JOIN", context) == NEAREST
        unmatched = self.parameterAsBool(parameters, "UNMATCHED", context)

        # Leave out the feature number (fid) of the source. The number must be unique in the output, but the output
        # contains a point once for each place that contains the point.
        fields = layer.source.fields()
        numbered = set() if layer.vector is None else set(layer.vector.primaryKeyAttributes())
        kept = [
            index
            for index in range(fields.count())
            if index not in numbered and fields.at(index).name().lower() not in UNIQUE
        ]
        own = {fields.at(index).name().lower() for index in kept}
        out = outputs.fields_of(outputs.JOIN_FIELDS, tracked=False)
        for index in range(out.count()):
            name, number = out.at(index).name(), 2
            while out.at(index).name().lower() in own:
                out.rename(index, f"{name}_{number}")
                number += 1
        for index in kept:
            out.append(QgsField(fields.at(index)))
        sink = outputs.Sink(self, parameters, "JOINED", context, out, layer.source.wkbType(), layer.crs)

        def write(batch):
            latitudes, longitudes = [row[1] for row in batch], [row[2] for row in batch]
            if nearest:
                found = monitor.nearest(latitudes, longitudes, count)
            else:
                found = monitor.containing(latitudes, longitudes, distances=True)
            offsets, names, distances = found.offsets.tolist(), found.columns()["identifier"], found.distances.tolist()
            for row, (feature, _, _) in enumerate(batch):
                values = feature.attributes()
                own = [values[index] for index in kept]
                pairs = range(offsets[row], offsets[row + 1])
                for pair in pairs:
                    sink.add([names[pair], distances[pair], *own], feature.geometry())
                if unmatched and not pairs:
                    sink.add([NULL, NULL, *own], feature.geometry())

        batch, used, done = [], 0, 0.0
        for feature, step in layer.features():
            if feedback.isCanceled():
                break
            done += step
            try:
                batch.append((feature, *layer.position(feature)))
            except Unusable as error:
                problems.add(layer.title, feature.id(), str(error), error.kind)
            if len(batch) == _BATCH:
                write(batch)
                used += len(batch)
                batch = []
                feedback.setProgress(100 * done)
        write(batch)
        used += len(batch)
        if not used and not feedback.isCanceled():
            raise problems.nothing_in(layer.title, "point")
        layer.warn_of_units(feedback, used)
        problems.close()
        return {"JOINED": sink.id}
