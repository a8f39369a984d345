"""Reading the layer of circles."""

from dataclasses import dataclass
from typing import Any

from qgis.core import QgsProcessingException

from .fencepost import CircularGeographicCondition, FencepostError, Monitor, State, TransitionPolicy
from .fencepost._files.condition_files import ConditionRow
from .fencepost._tables.names import CONDITIONS
from .layers import Layer, Unusable, is_null, number
from .parameters import RADIUS_UNITS
from .policies import own_policy

SMALL = 1.0
"""Metres: when every radius is below, they are hardly metres."""
KNOWN = {what: CONDITIONS[what] for what in ("identifier", "radius")} | {"assuming": (), "policy": ()}


@dataclass
class Circle:
    """A circle and the feature that it comes from."""

    feature: Any
    row: ConditionRow


def read_circles(algorithm, parameters, context, feedback, problems, policy=None):
    """The circles of the layer, in its order.

    Args:
        policy: Of those that name none of their own; None: the standard one.

    Returns:
        The layer and its circles.

    Raises:
        QgsProcessingException: There is not one usable circle.
    """
    reader = _Reader(algorithm, parameters, context, policy or TransitionPolicy.standard())
    layer, circles = reader.layer, []
    for feature, _ in layer.features():
        if feedback.isCanceled():
            break
        try:
            circles.append(Circle(feature, reader.row(feature)))
        except Unusable as error:
            problems.add(layer.title, feature.id(), str(error), error.kind)
    if not circles and not feedback.isCanceled():
        raise problems.nothing_in(layer.title, "circle")
    layer.warn_of_units(feedback, circles)
    if circles and all(circle.row.condition.radius < SMALL for circle in circles):
        feedback.pushWarning(f"{layer.title}: all radii are below {SMALL:g} m: are they in metres?")
    return layer, circles


def _unusable(error):
    return Unusable(str(error), str(error).split(" is ")[0] + " is out of range")


class _Reader:
    def __init__(self, algorithm, parameters, context, policy):
        self.layer = Layer(algorithm, parameters, "CIRCLES", context)
        given = {
            what: algorithm.parameterAsString(parameters, name, context)
            for what, name in (
                ("identifier", "IDENTIFIER_FIELD"), ("radius", "RADIUS_FIELD"),
                ("assuming", "ASSUMING_FIELD"), ("policy", "POLICY_FIELD"),
            )
            if algorithm.parameterDefinition(name) is not None
        }  # fmt: skip
        self._fixed = None
        if not is_null(parameters.get("RADIUS")):
            self._fixed = algorithm.parameterAsDouble(parameters, "RADIUS", context)
        fields = self.layer.fields(KNOWN, given)
        if self._fixed is not None and not given["radius"]:
            fields.pop("radius", None)
        if "radius" not in fields and self._fixed is None:
            raise QgsProcessingException(
                f"{self.layer.title}: no field is named radius; choose the radius field or give a fixed radius"
            )
        self._fields, self._policy = fields, policy
        self._unit = RADIUS_UNITS[algorithm.parameterAsEnum(parameters, "RADIUS_UNIT", context)]
        self._checker = Monitor()
        self._ids = {}

    def row(self, feature):
        """The feature as a condition.

        Raises:
            Unusable: It is none.
        """
        latitude, longitude = self.layer.position(feature)
        identifier = self._identifier(feature)
        try:
            condition = CircularGeographicCondition(latitude, longitude, self._radius(feature))
        except FencepostError as error:
            raise _unusable(error) from None
        assuming = self._value(feature, "assuming") or State.UNKNOWN
        value = self._value(feature, "policy")
        policy = self._policy if value is None else own_policy(value, self._policy)
        if identifier in self._ids:
            reason = f"identifier '{identifier}' is also that of feature {self._ids[identifier]}"
            raise Unusable(reason, "the identifier occurs before")
        try:
            self._checker.add(condition, identifier, assuming=assuming, policy=policy)
        except FencepostError as error:
            raise _unusable(error) from None
        self._ids[identifier] = feature.id()
        return ConditionRow(f"feature {feature.id()}", identifier, condition, State(assuming), policy)

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
