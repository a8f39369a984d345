"""Reads features: converts positions from any coordinate system to WGS84, and finds fields by the names that the user
chose or by usual names."""

from qgis.core import (
    NULL,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeatureRequest,
    QgsGeometry,
    QgsProcessingException,
    QgsProcessingFeatureSource,
    QgsProcessingFeatureSourceDefinition,
    QgsWkbTypes,
)

from .fencepost._tables.names import find
from .fencepost.errors import InvalidArgumentError

WGS84 = "EPSG:4326"


class Unusable(Exception):
    """Raised if a feature cannot be used. The text of the exception says why the feature cannot be used. Problems of
    the same `kind` are counted together."""

    def __init__(self, reason, kind=None):
        super().__init__(reason)
        self.kind = kind


def is_null(value):
    """True if an attribute is missing, NULL or blank text."""
    return value is None or value == NULL or (isinstance(value, str) and not value.strip())


def number(value, what, unit=" of metres"):
    """Returns an attribute as a float.

    Args:
        value: The attribute.
        what: The name of the attribute, for messages.
        unit: The unit in messages; empty: the number has no unit.

    Raises:
        Unusable: The value is not a number.
    """
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise Unusable(f"{what} '{value}' is not a number{unit}", f"{what} is not a number") from None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unusable(f"{what} {value!r} is not a number{unit}", f"{what} is not a number")
    return float(value)


INSTEAD = {
    QgsWkbTypes.LineGeometry: "tracks must be points with times. If each vertex has a time, convert the lines to "
    "points with Extract vertices (native:extractvertices); or load the track points layer of the file",
    QgsWkbTypes.PolygonGeometry: "tracks must be points with times",
}
"""The advice for a layer of tracks that does not contain points."""
TITLES = {"TRACKS": "tracks", "CIRCLES": "places", "POINTS": "points"}
SHAPES = {QgsWkbTypes.PolygonGeometry: "polygons", QgsWkbTypes.LineGeometry: "lines"}


def _vector_layer(algorithm, parameters, name, context):
    value = parameters.get(name)
    if isinstance(value, QgsProcessingFeatureSourceDefinition):  # for example, the selected features of a layer
        value = value.source
    return algorithm.parameterAsVectorLayer({**parameters, name: value}, name, context)


class Layer:
    """A layer of features, with the settings for reading it.

    Attributes:
        title: The layer's purpose and name, for messages. The name alone is ambiguous, because two layers of one file
            may share a name.
        source: The feature source.
        vector: The layer in QGIS that the source reads, or None if there is no such layer.
    """

    def __init__(self, algorithm, parameters, name, context):
        self.source = algorithm.parameterAsSource(parameters, name, context)
        if self.source is None:
            raise QgsProcessingException(algorithm.invalidSourceError(parameters, name))
        self.vector = _vector_layer(algorithm, parameters, name, context)
        self.title = f"{TITLES[name]} layer '{self.source.sourceName()}'"
        shape = QgsWkbTypes.geometryType(self.source.wkbType())
        if name == "TRACKS" and shape in INSTEAD:
            raise QgsProcessingException(f"{self.title}: holds {SHAPES[shape]}; {INSTEAD[shape]}")
        self.crs = self.source.sourceCrs()
        if not self.crs.isValid():
            raise QgsProcessingException(f"{self.title}: has no coordinate system; set one (Layer, Set CRS)")
        wgs84 = QgsCoordinateReferenceSystem(WGS84)
        self._transform = QgsCoordinateTransform(self.crs, wgs84, context.transformContext())
        self._box = None

    def fields(self, known, given):
        """Finds the fields that the caller can use, and returns their indices.

        Args:
            known: The usual names of each field; see the package's ``_column_names``.
            given: Names that the user chose.
        """
        names = self.source.fields().names()
        try:
            return find(names, known, {what: name for what, name in given.items() if name}, ())
        except InvalidArgumentError as error:
            raise QgsProcessingException(f"{self.title}: {error}") from None

    def features(self, indices=None):
        """Yields each feature with the fraction of the layer that has been read so far.

        Args:
            indices: Indices of the fields to read; None reads all.
        """
        count = self.source.featureCount()
        step = 1 / count if count > 0 else 0
        request = QgsFeatureRequest()
        if indices is not None:
            request.setSubsetOfAttributes(indices)
        for feature in self.source.getFeatures(request, QgsProcessingFeatureSource.FlagSkipGeometryValidityChecks):
            yield feature, step

    def position(self, feature):
        """Returns the latitude and longitude of a feature's point, in WGS84 degrees.

        Raises:
            Unusable: The feature has no point, or its point is outside the range of latitudes and longitudes.
        """
        geometry = feature.geometry()
        if geometry.isNull() or geometry.isEmpty():
            raise Unusable("has no geometry")
        if QgsWkbTypes.geometryType(geometry.wkbType()) != QgsWkbTypes.PointGeometry:
            raise Unusable(f"is a {QgsWkbTypes.displayString(geometry.wkbType())}; must be a point", "is not a point")
        points = list(geometry.vertices())
        if len(points) != 1:
            raise Unusable(f"has {len(points)} points; must have one", "has several points")
        x, y = points[0].x(), points[0].y()
        try:
            point = self._transform.transform(x, y)
        except QgsCsException:
            raise Unusable(
                f"({x:g}, {y:g}) is outside the area that {self.crs.authid() or 'its coordinate system'} can describe",
                "is outside its coordinate system",
            ) from None
        latitude, longitude = point.y(), point.x()
        if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
            raise Unusable(
                f"lies at latitude {latitude:g}, longitude {longitude:g}; must be from -90 to 90 and from -180 to 180 "
                f"degrees: {self._cause(latitude, longitude)}",
                "coordinates are out of range",
            )
        self._note(x, y, x, y)
        return latitude, longitude

    def shape(self, feature):
        """Returns a feature's polygons or lines as well-known binary, in WGS84 degrees. Curves become many short edges.

        Raises:
            Unusable: The feature has no geometry, or its geometry cannot be transformed to WGS84.
        """
        geometry = QgsGeometry(feature.geometry())
        if QgsWkbTypes.isCurvedType(geometry.wkbType()):
            geometry = QgsGeometry(geometry.constGet().segmentize())
        box = geometry.boundingBox()
        self._note(box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum())
        try:
            geometry.transform(self._transform)
        except QgsCsException:
            raise Unusable(
                f"reaches beyond the area that {self.crs.authid() or 'its coordinate system'} can describe",
                "is outside its coordinate system",
            ) from None
        return bytes(geometry.asWkb())

    def _cause(self, latitude, longitude):
        """The probable reason for coordinates out of range."""
        if 90 < abs(latitude) <= 180 and abs(longitude) <= 90:
            return "are latitude and longitude swapped?"
        if abs(latitude) <= 90 and 180 < longitude <= 360:
            return "are longitudes counted from 0 to 360? Subtract 360 from those above 180"
        return f"is {self.crs.authid() or 'the coordinate system'} right for this layer?"

    def _note(self, west, south, east, north):
        """Extends the bounding box of all coordinates, in the layer's units."""
        if self._box is not None:
            west, south = min(west, self._box[0]), min(south, self._box[1])
            east, north = max(east, self._box[2]), max(north, self._box[3])
        self._box = west, south, east, north

    @property
    def _looks_like_degrees(self):
        return self._box is not None and max(map(abs, self._box[::2])) <= 180 and max(map(abs, self._box[1::2])) <= 90

    def warn_of_units(self, feedback, used):
        """Warns if the coordinates of a layer seem to be degrees although the layer's coordinate system uses metres."""
        if used and self._looks_like_degrees and not self.crs.isGeographic():
            feedback.pushWarning(
                f"{self.title}: all coordinates are within 180 by 90 units of {self.crs.authid()}, which look "
                "like degrees: is the layer's coordinate system right?"
            )
