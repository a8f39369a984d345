"""The policy that the parameters describe."""

import json

from qgis.core import QgsProcessingException

from .fencepost import Circle, FencepostError, Monitor, TransitionPolicy
from .fencepost.errors import InvalidArgumentError
from .layers import Unusable, is_null
from .parameters import EVIDENCE, KEEP, NOTIFY, OVERRIDES, POLICIES


def chosen_policy(algorithm, parameters, context):
    """Returns the chosen preset with its overrides, and whether there are overrides.

    Raises:
        QgsProcessingException: A value is out of range.
    """
    preset = TransitionPolicy.named(POLICIES[algorithm.parameterAsEnum(parameters, "POLICY", context)])
    changes = {}
    for name, field, _, _ in OVERRIDES:
        if not is_null(parameters.get(name)):
            changes[field] = algorithm.parameterAsDouble(parameters, name, context)
    dwell_policy = algorithm.parameterAsEnum(parameters, "DWELL_POLICY", context)
    if dwell_policy != KEEP:
        changes["dwell_policy"] = "evidence" if dwell_policy == EVIDENCE else "timer"
    changes["notify"] = [NOTIFY[index] for index in algorithm.parameterAsEnums(parameters, "NOTIFY", context)]
    policy = TransitionPolicy.from_dict(changes, base=preset)
    try:
        Monitor().add(Circle(0, 0, 1), "policy", policy=policy)
    except FencepostError as error:
        raise QgsProcessingException(f"the policy cannot be used: {error}") from None
    return policy, policy != preset


def own_policy(value, base):
    """Returns the policy that a feature names: a preset, or an object (as in JSON) whose members replace those of
    `base`.

    Raises:
        Unusable: The value is neither a preset nor an object.
    """
    try:
        if isinstance(value, str) and value.lstrip().startswith("{"):
            value = json.loads(value)
        if isinstance(value, dict):
            return TransitionPolicy.from_dict(value, base=base)
        if isinstance(value, str):
            return TransitionPolicy.named(value.strip())
    except (InvalidArgumentError, ValueError) as error:
        raise Unusable(str(error), "the policy cannot be used") from None
    raise Unusable(f"policy {value!r} is neither a preset's name nor an object", "the policy cannot be used")
