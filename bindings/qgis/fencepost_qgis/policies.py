"""The policy that the parameters describe."""

from qgis.core import QgsProcessingException

from .fencepost import Circle, FencepostError, Monitor, TransitionPolicy
from .fencepost._values.arguments import PROBABILITIES, policy_of
from .fencepost.errors import InvalidArgumentError
from .layers import Unusable, is_null, number
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
    probabilities = [changes.pop(name, None) for name in PROBABILITIES]
    try:
        policy = policy_of(changes, preset, *probabilities)
        Monitor().add(Circle(0, 0, 1), "policy", policy=policy)
    except FencepostError as error:
        raise QgsProcessingException(f"the policy cannot be used: {error}") from None
    return policy, policy != preset


def own_policy(value, base, entry=None, leave=None):
    """Returns the policy of a feature.

    Args:
        value: The value of the policy field: the name of a preset, an object (also as JSON) whose members replace those
            of `base`, or None.
        base: The policy of the places without their own.
        entry: The value of the field of the entry probability, or None.
        leave: The value of the field of the exit probability, or None.

    Raises:
        Unusable: A value cannot be used.
    """
    given = [None if one is None else number(one, name, "") for name, one in zip(PROBABILITIES, (entry, leave))]
    try:
        return policy_of(value, base, *given)
    except (InvalidArgumentError, ValueError) as error:
        raise Unusable(str(error), "the policy cannot be used") from None
