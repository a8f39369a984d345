"""Features that cannot be used: each is reported with its layer, its id and the reason."""

import warnings
from collections import Counter

from qgis.core import QgsProcessingException

SHOWN = 10
"""The maximum number of features of one kind that are reported one by one; further features are only counted."""


def reasons(warn, *arguments):
    """Calls a function of the package, and returns the reasons of the warnings that it gives, without the advice for
    Python."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn(*arguments)
    return [each.message.reason for each in caught]


class Problems:
    """The problems of the features in the input layers.

    Args:
        feedback: Receives the warnings.
        stop: True if the first problem ends the run.
    """

    def __init__(self, feedback, stop):
        self._feedback, self._stop = feedback, stop
        self._counts, self._first = Counter(), {}

    def add(self, layer, feature_id, reason, kind=None):
        """Reports and counts a skipped feature.

        Args:
            layer: The layer's title.
            feature_id: The feature's id.
            reason: What is wrong, including the value.
            kind: The name under which problems of this kind are counted; if None, the reason is used as the name.
        """
        text = f"{layer}, feature {feature_id}: {reason}"
        if self._stop:
            raise QgsProcessingException(text)
        self._first.setdefault(layer, f"feature {feature_id}: {reason}")
        key = layer, kind or reason
        self._counts[key] += 1
        if self._counts[key] <= SHOWN:
            self._feedback.pushWarning(f"{text}; skipped")

    def of(self, layer):
        """The number of skipped features of a layer."""
        return sum(count for (name, _), count in self._counts.items() if name == layer)

    def nothing_in(self, layer, what):
        """Returns the error for a layer without a usable feature.

        Args:
            layer: The layer's title.
            what: The kind of feature that is missing.
        """
        skipped = self.of(layer)
        why = f"; {skipped} features were skipped, the first is {self._first[layer]}" if skipped else ""
        return QgsProcessingException(f"{layer}: has no usable {what}{why}")

    def close(self):
        """Reports the number of skipped features that were only counted."""
        for (layer, kind), count in self._counts.items():
            if count > SHOWN:
                self._feedback.pushWarning(f"{layer}: {kind}: {count - SHOWN} more features skipped")
