"""The processing algorithm "Monitored circles"."""

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsField,
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingParameterCrs,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterNumber,
    QgsWkbTypes,
)

from . import parameters as shared
from .algorithm import Algorithm


class MonitoredCircles(Algorithm):
    """Takes points with a radius; returns polygons."""

    NAME, TITLE, ICON = "monitoredcircles", "Monitored circles", "circles"
    SUMMARY = "Draws the circles of a geofence as geodesic polygons, for maps."
    TAGS = ("geofence", "geofencing", "fence", "circle", "geodesic", "buffer", "polygon")
    HELP = """
Draws the circles that Geofence events uses, as polygons. The distance from the centre to each corner is the radius,
along a WGS84 geodesic. So the circles are round and have the right size on the ground everywhere, unlike buffers in a
projected coordinate system. A circle across the antimeridian has two parts; a circle around a pole includes the pole.

The attributes are identifier, radius (metres), latitude and longitude of the centre (WGS84), and the other attributes
of the layer.
"""

    def initAlgorithm(self, configuration=None):  # noqa: N802
        shared.add_places(self, points_only=True)
        segments = QgsProcessingParameterNumber("SEGMENTS", "Corners of a polygon", defaultValue=180, minValue=8)
        shared.add_advanced(
            self, segments, "With 180 corners an edge is at most 0.015 % of the radius inside the circle."
        )
        shared.add_broken(self)
        crs = QgsProcessingParameterCrs("CRS", "Coordinate system of the polygons", None, True)
        shared.add_advanced(self, crs, "If left empty, the coordinate system of the circles is used.")
        self.addParameter(
            QgsProcessingParameterFeatureSink("POLYGONS", "Monitored circles", QgsProcessing.TypeVectorPolygon)
        )

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        from . import outputs
        from .circle_polygon import circle_polygon
        from .fencepost import Circle
        from .places import read_places
        from .problems import Problems

        problems = Problems(feedback, self.parameterAsEnum(parameters, "BROKEN", context) == shared.STOP)
        layer, circles = read_places(self, parameters, context, feedback, problems)
        if not all(isinstance(circle.row.condition, Circle) for circle in circles):
            raise QgsProcessingException(f"{layer.title}: has places that are not points; they are drawn unchanged")
        segments = self.parameterAsInt(parameters, "SEGMENTS", context)
        crs = self.parameterAsCrs(parameters, "CRS", context)
        crs = crs if crs.isValid() else QgsCoordinateReferenceSystem(layer.crs)

        fields = outputs.fields_of(outputs.CIRCLE_FIELDS, tracked=False)
        taken = {field.name().lower() for field in fields} | {"fid"}
        kept = []
        for index, field in enumerate(layer.source.fields()):
            if field.name().lower() not in taken:
                fields.append(QgsField(field))
                kept.append(index)
        sink = outputs.Sink(self, parameters, "POLYGONS", context, fields, QgsWkbTypes.MultiPolygon, crs)
        place = outputs.FromWGS84(crs, context)
        for index, circle in enumerate(circles):
            if feedback.isCanceled():
                break
            condition, values = circle.row.condition, circle.feature.attributes()
            try:
                shape = place.shape(circle_polygon(condition.latitude, condition.longitude, condition.radius, segments))
            except outputs.OutsideError:
                problems.add(
                    layer.title, circle.feature.id(), f"reaches beyond the area that {crs.authid()} can describe",
                    "circle reaches beyond the coordinate system",
                )  # fmt: skip
                continue
            shape.convertToMultiType()
            own = [circle.row.identifier, condition.radius, condition.latitude, condition.longitude]
            sink.add(own + [values[index] for index in kept], shape)
            feedback.setProgress(100 * (index + 1) / len(circles))
        problems.close()
        sink.style(context, "circles")
        return {"POLYGONS": sink.id}
