"""Reads the layer of places: circles, polygons, corridors, gates."""

from dataclasses import dataclass
from typing import Any

from qgis.core import QgsProcessingException, QgsWkbTypes

from .fencepost import (
    Circle,
    Corridor,
    FencepostError,
    Gate,
    Monitor,
    Polygon,
    State,
    TransitionPolicy,
)
from .fencepost._files.condition_features import TIMING
from .fencepost._files.condition_files import ConditionRow
from .fencepost._tables.names import CONDITIONS, key
from .fencepost._values.arguments import MAX_VERTICES, PROBABILITIES
from .layers import Layer, Unusable, is_null, number
from .parameters import RADIUS_UNITS
from .policies import own_policy

SIMPLIFY = "the algorithm Simplify (native:simplifygeometries) reduces the vertices of a layer"
MEND = "the algorithm Fix geometries (native:fixgeometries) repairs most layers of polygons"
SMALL = 1.0
"""If all radii of a layer are smaller than this number of metres, they are probably not in metres."""
KNOWN = {what: CONDITIONS[what] for what in ("identifier", "radius", "gate")} | {
    "assuming": (), "policy": (), "entry_probability": (), "exit_probability": (),
}  # fmt: skip


@dataclass
class Place:
    """A condition and the feature that it comes from."""

    feature: Any
    row: ConditionRow


def read_places(algorithm, parameters, context, feedback, problems, policy=None, path=None, gates=True):
    """Reads the places of a layer, in the layer's order. Points are circles; lines are corridors, or gates if a field
    says so.

    Args:
        policy: The policy for places that do not name a policy; None means the standard policy.
        path: The options of a path. Gates need a path.
        gates: True if lines may be gates; if False, all lines are corridors, whatever their fields say.

    Returns:
        The layer and the list of its places.

    Raises:
        QgsProcessingException: The layer has no usable place.
    """
    reader = _Reader(algorithm, parameters, context, policy or TransitionPolicy.standard(), path, gates)
    layer, places = reader.layer, []
    for feature, _ in layer.features():
        if feedback.isCanceled():
            break
        try:
            places.append(Place(feature, reader.row(feature)))
        except Unusable as error:
            problems.add(layer.title, feature.id(), str(error), error.kind)
    if not places and not feedback.isCanceled():
        raise problems.nothing_in(layer.title, "place")
    layer.warn_of_units(feedback, places)
    reader.warn_of_edges(feedback)
    if algorithm.parameterDefinition("TRACKS") is not None:
        reader.warn_of_timings(feedback)
    radii = [place.row.condition.radius for place in places if hasattr(place.row.condition, "radius")]
    if radii and max(radii) < SMALL:
        feedback.pushWarning(f"{layer.title}: all radii are below {SMALL:g} m: are they in metres?")
    return layer, places


def _unusable(error):
    return Unusable(str(error), str(error).split(" is ")[0] + " is out of range")


class _Reader:
    def __init__(self, algorithm, parameters, context, policy, path, gates):
        self.layer = Layer(algorithm, parameters, "CIRCLES", context)
        given = {
            what: algorithm.parameterAsString(parameters, name, context)
            for what, name in (
                ("identifier", "IDENTIFIER_FIELD"), ("radius", "RADIUS_FIELD"),
                ("assuming", "ASSUMING_FIELD"), ("policy", "POLICY_FIELD"), ("gate", "GATE_FIELD"),
                ("entry_probability", "ENTRY_PROBABILITY_FIELD"), ("exit_probability", "EXIT_PROBABILITY_FIELD"),
            )
            if algorithm.parameterDefinition(name) is not None
        }  # fmt: skip
        self._fixed = None
        if not is_null(parameters.get("RADIUS")):
            self._fixed = algorithm.parameterAsDouble(parameters, "RADIUS", context)
        fields = self.layer.fields(KNOWN, given)
        if self._fixed is not None and not given["radius"]:
            fields.pop("radius", None)
        kind = QgsWkbTypes.geometryType(self.layer.source.wkbType())
        if gates and "gate" in fields and kind == QgsWkbTypes.LineGeometry:
            pass  # a gate needs no radius; each other feature without a radius is refused separately
        elif "radius" not in fields and self._fixed is None and kind != QgsWkbTypes.PolygonGeometry:
            raise QgsProcessingException(
                f"{self.layer.title}: no field is named radius; choose the radius field or set a fixed radius"
            )
        self._fields, self._policy = fields, policy
        self._unit = RADIUS_UNITS[algorithm.parameterAsEnum(parameters, "RADIUS_UNIT", context)]
        # Straight edges in a geographic coordinate system are straight lines of longitude and latitude.
        self._edges = "planar" if self.layer.crs.isGeographic() else "geodesic"
        self._path, self._gates = path, gates
        self._checker = Monitor(**(path or {}))
        self._ids = {}

    def row(self, feature):
        """Returns the feature as a condition.

        Raises:
            Unusable: The feature is not a place.
        """
        condition = self._condition(feature)
        identifier = self._identifier(feature)
        assuming = self._value(feature, "assuming") or State.UNKNOWN
        own = [self._value(feature, what) for what in ("policy", *PROBABILITIES)]
        is_gate = isinstance(condition, Gate)
        policy = None if is_gate else self._policy
        if own != [None] * len(own):
            policy = own_policy(own[0], self._policy, *own[1:])
        if identifier in self._ids:
            reason = f"identifier '{identifier}' is already used by feature {self._ids[identifier]}"
            raise Unusable(reason, "the identifier is already used")
        try:
            self._checker.add(condition, identifier, assuming=assuming, policy=policy, max_vertices=MAX_VERTICES)
        except FencepostError as error:
            if "too_many_vertices:" in str(error):
                raise Unusable(f"{error}; {SIMPLIFY}", "too_many_vertices") from None
            if isinstance(condition, Polygon):
                raise Unusable(f"{error}; {MEND}", str(error).split(":")[0]) from None
            raise _unusable(error) from None
        self._ids[identifier] = feature.id()
        return ConditionRow(f"feature {feature.id()}", identifier, condition, State(assuming), policy)

    def warn_of_timings(self, feedback):
        """Reports fields that would be the timing of a place in a file: the plugin does not use them."""
        usual = {name for what in TIMING for name in CONDITIONS[what]}
        names = [f"'{name}'" for name in self.layer.source.fields().names() if key(name) in usual]
        if names:
            feedback.pushWarning(
                f"{self.layer.title}: the fields {', '.join(names)} are not used: here, places are always active, and "
                "have no absence and no repeated events"
            )

    def warn_of_edges(self, feedback):
        """Reports where geodesic and planar edges differ most, if the difference is more than a metre. The report is
        useful because layers do not state which kind of edges they have."""
        apart = [
            (reading.departure, feature, reading)
            for identifier, feature in self._ids.items()
            if (reading := self._checker.shape(identifier)).departure is not None
        ]
        if not apart:
            return
        metres, feature, reading = max(apart, key=lambda each: each[0])
        meant = {
            "planar": "straight lines in degrees, because the coordinate system of the layer is in degrees",
            "geodesic": "geodesics, because the coordinate system of the layer is not in degrees",
        }[self._edges]
        others = f", the largest distance among {len(apart)} features" if len(apart) > 1 else ""
        feedback.pushWarning(
            f"{self.layer.title}, feature {feature}: geodesic and planar edges lie up to {metres:.0f} m apart (part "
            f"{reading.part}, ring {reading.ring}, edge {reading.edge}{others}); the edges are treated as {meant}"
        )

    def _is_gate(self, feature):
        if not self._gates or not self._value(feature, "gate"):
            return False
        if self._path is None:
            raise Unusable("is a gate, which needs movement along the geodesic between two fixes", "gates need a path")
        return True

    def _condition(self, feature):
        geometry = feature.geometry()
        kind = QgsWkbTypes.geometryType(geometry.wkbType())
        try:
            if geometry.isNull() or geometry.isEmpty() or kind not in (
                QgsWkbTypes.PolygonGeometry, QgsWkbTypes.LineGeometry,
            ):  # fmt: skip
                return Circle(*self.layer.position(feature), self._radius(feature))
            if kind == QgsWkbTypes.PolygonGeometry:
                return Polygon(self.layer.shape(feature), edges=self._edges)
            if self._is_gate(feature):
                return Gate(self.layer.shape(feature), edges=self._edges)
            return Corridor(self.layer.shape(feature), self._radius(feature), edges=self._edges)
        except FencepostError as error:
            raise _unusable(error) from None

    def _value(self, feature, what):
        if what not in self._fields:
            return None
        value = feature.attributes()[self._fields[what]]
        return None if is_null(value) else value

    def _identifier(self, feature):
        value = self._value(feature, "identifier")
        if value is None:
            if "identifier" in self._fields:
                raise Unusable("has no identifier")
            return str(feature.id())
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        return str(value)

    def _radius(self, feature):
        value = self._value(feature, "radius")
        if value is not None:
            return number(value, "radius") * self._unit
        if self._fixed is None:
            raise Unusable("has no radius")
        return self._fixed
