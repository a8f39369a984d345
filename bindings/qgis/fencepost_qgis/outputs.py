"""The output layers and tables: their fields, rows and styles."""

from itertools import pairwise
from math import atan2, cos, degrees, hypot, radians

from qgis.core import (
    NULL,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsCsException,
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsGeometry,
    QgsLayerTreeLayer,
    QgsPointXY,
    QgsProcessingException,
    QgsProcessingLayerPostProcessorInterface,
    QgsVectorLayerTemporalProperties,
)
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QDateTime, Qt, QVariant

from .resources import style

_TEXT, _INTEGER, _REAL = QVariant.String, QVariant.LongLong, QVariant.Double
_TIME, _YES_NO = QVariant.DateTime, QVariant.Bool

EVENT_FIELDS = (
    ("sequence", _INTEGER), ("identifier", _TEXT), ("state", _TEXT), ("cause", _TEXT), ("date", _TIME),
    ("evidence_date", _TIME), ("refinement", _TEXT), ("diagnostics", _TEXT), ("generation", _INTEGER),
    ("latitude", _REAL), ("longitude", _REAL), ("accuracy", _REAL), ("boundary_distance", _REAL),
    ("date_us", _INTEGER), ("evidence_date_us", _INTEGER), ("evidence", _TEXT), ("gap", _YES_NO),
    ("direction", _TEXT), ("heading", _REAL), ("probability", _REAL),
    ("vertical_distance", _REAL), ("decided_by", _INTEGER), ("decided_part", _TEXT),
)  # fmt: skip
VISIT_FIELDS = (
    ("identifier", _TEXT), ("start", _TIME), ("end", _TIME), ("duration", _REAL), ("start_known", _TEXT),
    ("end_known", _TEXT), ("open", _YES_NO), ("confirmed_start", _TIME), ("confirmed_end", _TIME),
)  # fmt: skip
COMPARISON_FIELDS = (
    ("policy", _TEXT), ("events", _INTEGER), ("visits", _INTEGER), ("flaps", _INTEGER), ("entry_delay", _REAL),
    ("exit_delay", _REAL), ("mean_delay", _REAL), ("missed_visits", _INTEGER), ("false_visits", _INTEGER),
)  # fmt: skip
JOIN_FIELDS = (("place", _TEXT), ("distance", _REAL))
CIRCLE_FIELDS = (("identifier", _TEXT), ("radius", _REAL), ("latitude", _REAL), ("longitude", _REAL))


def fields_of(columns, track=None, tracked=True):
    """Returns the QGIS fields of an output.

    Args:
        columns: The names and types of the columns.
        track: The field that distinguishes tracks; None: a text field that stays empty.
        tracked: True if a field ``track`` comes first.
    """
    fields = QgsFields()
    if tracked:
        first = QgsField("track", _TEXT) if track is None else QgsField(track)
        first.setName("track")
        fields.append(first)
    for name, kind in columns:
        fields.append(QgsField(name, kind))
    return fields


def moment(us):
    """The attribute for a time: UTC, truncated to milliseconds, the precision of QGIS."""
    return NULL if us is None else QDateTime.fromMSecsSinceEpoch(us // 1000, Qt.UTC)


def event_values(track, event, heading=None, part=None):
    """The attributes of an event.

    Args:
        track: The key of the track.
        event: The event.
        heading: The direction in which a gate was crossed.
        part: The identifier of the part that decided the event of a rule.
    """
    from .fencepost._values.events import diagnostic_names, refinement_text

    values = [
        track, event.sequence, event.identifier, str(event.state), str(event.cause), moment(event.date_us),
        moment(event.evidence_date_us), refinement_text(event) or None,
        "|".join(diagnostic_names(event.diagnostics)), event.generation, event.latitude, event.longitude,
        event.accuracy, event.boundary_distance, event.date_us, event.evidence_date_us,
        None if event.evidence is None else str(event.evidence), event.follows_gap,
        None if event.direction is None else str(event.direction), heading, event.probability,
        event.vertical_distance, event.decided_by, part,
    ]  # fmt: skip
    return [NULL if value is None else value for value in values]


def crossing_heading(gate, event):
    """The direction in which a gate was crossed: the perpendicular to the gate's segment nearest to the crossing, in
    degrees clockwise from north.

    Args:
        gate: The condition.
        event: The event of the crossing, which has a position.
    """
    narrow = cos(radians(event.latitude))

    def around(position):
        x = (position[0] - event.longitude + 180) % 360 - 180
        return x * narrow, position[1] - event.latitude

    shape = gate.__geo_interface__
    lines = [shape["coordinates"]] if shape["type"] == "LineString" else shape["coordinates"]
    ends = [pair for line in lines for pair in pairwise([around(position) for position in line])]
    (x1, y1), (x2, y2) = min(ends, key=lambda pair: _distance_of_origin(*pair))
    along = degrees(atan2(x2 - x1, y2 - y1))
    return (along + (90 if str(event.direction) == "left_to_right" else -90)) % 360


def _distance_of_origin(begin, end):
    x, y = end[0] - begin[0], end[1] - begin[1]
    square = x * x + y * y
    share = 0 if not square else min(1, max(0, -(begin[0] * x + begin[1] * y) / square))
    return hypot(begin[0] + share * x, begin[1] + share * y)


def visit_values(visit):
    """The attributes of a visit."""
    from .fencepost._tables.times import to_us

    def at(time):
        return NULL if time is None else moment(to_us(time))

    return [
        NULL if visit.track is None else visit.track, visit.identifier, at(visit.start), at(visit.end),
        visit.duration.total_seconds(), str(visit.start_known), str(visit.end_known), visit.open,
        at(visit.confirmed_start), at(visit.confirmed_end),
    ]  # fmt: skip


def comparison_values(outcome):
    """The attribute values of the row that describes one policy."""
    values = [getattr(outcome, "name" if name == "policy" else name) for name, _ in COMPARISON_FIELDS]
    return [NULL if value is None else value for value in values]


class Sink:
    """An output of an algorithm, written row by row.

    Attributes:
        id: The id that the algorithm returns for the output; None if the output was not requested.
    """

    def __init__(self, algorithm, parameters, name, context, fields, geometry, crs=None):
        crs = crs or QgsCoordinateReferenceSystem()
        self._name, self._fields = name, fields
        self._sink, self.id = algorithm.parameterAsSink(parameters, name, context, fields, geometry, crs)
        if self._sink is None:
            self.id = None
            if parameters.get(name) is not None:
                raise QgsProcessingException(algorithm.invalidSinkError(parameters, name))

    def add(self, values, geometry=None):
        """Writes a row.

        Raises:
            QgsProcessingException: The row cannot be written, for example because the disk is full.
        """
        if self._sink is None:
            return
        feature = QgsFeature(self._fields)
        feature.setAttributes(values)
        if geometry is not None:
            feature.setGeometry(geometry)
        if not self._sink.addFeature(feature, QgsFeatureSink.FastInsert):
            raise QgsProcessingException(f"output {self._name}: cannot be written: {self._sink.lastError()}")

    def close(self):
        """Finishes writing, because another output may go into the same file."""
        self._sink = None

    def style(self, context, name):
        """Makes QGIS apply the style when it loads the layer."""
        if self.id is not None and context.willLoadLayerOnCompletion(self.id):
            context.layerToLoadOnCompletionDetails(self.id).setPostProcessor(_styler(name))


class OutsideError(Exception):
    """A coordinate system cannot describe a position."""


class FromWGS84:
    """Transforms positions and shapes to the coordinate system of an output."""

    def __init__(self, crs, context):
        wgs84 = QgsCoordinateReferenceSystem("EPSG:4326")
        self._transform = QgsCoordinateTransform(wgs84, crs, context.transformContext())

    def point(self, latitude, longitude):
        """Returns a point.

        Raises:
            OutsideError: The coordinate system cannot describe the point.
        """
        return self.shape(QgsGeometry.fromPointXY(QgsPointXY(longitude, latitude)))

    def shape(self, geometry):
        """Transforms, in place, a geometry given in degrees.

        Raises:
            OutsideError: The coordinate system cannot describe the geometry.
        """
        try:
            geometry.transform(self._transform)
        except QgsCsException as error:
            raise OutsideError(str(error)) from None
        # Some projections give infinity instead of an error.
        if not geometry.boundingBox().isFinite():
            raise OutsideError("the result is not finite")
        return geometry


MARK = "fencepost/output"
"""The custom property that marks the algorithms' layers: it contains the name of their style."""


class _Styler(QgsProcessingLayerPostProcessorInterface):
    """Gives a loaded layer its style and its place in the layer tree; events also play in the temporal controller."""

    def __init__(self, name):
        super().__init__()
        self._style = name

    def postProcessLayer(self, layer, context, feedback):  # noqa: N802
        message, done = layer.loadNamedStyle(style(self._style))
        if not done:
            feedback.pushWarning(f"layer '{layer.name()}': its style does not load: {message}")
        if self._style == "events":
            temporal = layer.temporalProperties()
            temporal.setMode(QgsVectorLayerTemporalProperties.ModeFeatureDateTimeInstantFromField)
            temporal.setStartField("date")
            temporal.setIsActive(True)
        layer.setCustomProperty(MARK, self._style)
        if self._style in ("events", "circles"):
            put_events_above(context.project())
        layer.triggerRepaint()


def put_events_above(project):
    """If a circle layer lies above an event layer in the same group, moves the circle layer to just below the event
    layer."""
    root = project.layerTreeRoot() if project is not None else None
    for group in () if root is None else [root, *root.findGroups(True)]:
        nodes = [node for node in group.children() if isinstance(node, QgsLayerTreeLayer)]
        kinds = [node.layer().customProperty(MARK) if node.layer() is not None else None for node in nodes]
        if "events" not in kinds:
            continue
        below = len(kinds) - 1 - kinds[::-1].index("events")
        for node in [node for node, kind in zip(nodes[:below], kinds) if kind == "circles"][::-1]:
            group.insertChildNode(group.children().index(nodes[below]) + 1, node.clone())
            group.removeChildNode(node)


_living = []


def _styler(name):
    """Returns a styler for one run.

    QGIS stores only the styler's address. Depending on the version of QGIS, the styler is deleted with the context of
    the run, or never.
    """
    _living[:] = [styler for styler in _living if not sip.isdeleted(styler)]
    _living.append(_Styler(name))
    return _living[-1]
