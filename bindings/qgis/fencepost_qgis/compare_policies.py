"""The processing algorithm "Compare policies"."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterNumber,
    QgsWkbTypes,
)

from . import parameters as shared
from .algorithm import Algorithm


class ComparePolicies(Algorithm):
    """Takes a layer of points with times and a layer of places; returns one row for each policy."""

    NAME, TITLE, ICON = "comparepolicies", "Compare policies", "compare"
    SUMMARY = "Compares policies on recorded tracks: events, visits, flaps and delay of each."
    TAGS = ("geofence", "geofencing", "policy", "compare", "false alarm", "delay", "flap", "track", "what-if")
    HELP = """
Replays recorded tracks once for each policy, and compares what came of it with the exact crossings of the line.

The table has a row for exact, standard and core_location, and one named own when a number is changed under Advanced
Parameters:

- events and visits: how many there are;
- flaps: crossings that the opposite crossing undid within the flap time, mostly false alarms;
- entry_delay, exit_delay, mean_delay: how many seconds after the line was crossed the policy confirmed it, on
average;
- missed_visits: stays inside the line that the policy did not notice; false_visits: visits without such a stay.

Each policy holds for all places.
"""

    def initAlgorithm(self, configuration=None):  # noqa: N802
        shared.add_tracks(self)
        shared.add_places(self)
        shared.add_policy(self, "Policy to which the changes apply")
        flap = QgsProcessingParameterNumber(
            "FLAP", "Flap time, seconds", QgsProcessingParameterNumber.Double, 60, False, 0
        )
        shared.add_advanced(self, flap, "A crossing that is undone within this time is a flap.")
        shared.add_path(self)
        shared.add_errors(self)
        shared.add_end(self)
        shared.add_broken(self)
        self.addParameter(QgsProcessingParameterFeatureSink("COMPARISON", "Comparison", QgsProcessing.TypeVector))

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        from dataclasses import replace

        from . import outputs
        from .fencepost import TransitionPolicy
        from .fencepost._log.event_log import EventLog
        from .fencepost._replay.compare import PRESETS, outcome
        from .places import read_places
        from .policies import chosen_policy
        from .problems import Problems
        from .replaying import Runner
        from .tracks import read_tracks, warn_of_heights

        problems = Problems(feedback, self.parameterAsEnum(parameters, "BROKEN", context) == shared.STOP)
        own, changed = chosen_policy(self, parameters, context)
        policies = {name: TransitionPolicy.named(name) for name in PRESETS} | ({"own": own} if changed else {})
        fences, places = read_places(self, parameters, context, feedback, problems)
        layer, tracks, _ = read_tracks(self, parameters, context, feedback, problems, 20)
        problems.close()
        warn_of_heights(feedback, layer, tracks, [place.row for place in places])

        fields = outputs.fields_of(outputs.COMPARISON_FIELDS, tracked=False)
        sink = outputs.Sink(self, parameters, "COMPARISON", context, fields, QgsWkbTypes.NoGeometry)
        fixes = sum(len(track.times) for track in tracks)
        after_us = round(self.parameterAsDouble(parameters, "AFTER", context) * 1e6)
        flap_us = round(self.parameterAsDouble(parameters, "FLAP", context) * 1e6)
        options = (shared.path_options(self, parameters, context) or {}) | shared.error_options(
            self, parameters, context
        )
        runner = Runner(feedback, 20, 80, fixes * len(policies), options)
        exact = None
        for name, policy in policies.items():
            rows = [replace(place.row, policy=policy) for place in places]
            log = EventLog(runner.run(tracks, rows, fences.title, after_us), rows, "track")
            if feedback.isCanceled():
                break
            exact = log if exact is None else exact
            sink.add(outputs.comparison_values(outcome(name, policy, log, exact, flap_us)))
        sink.style(context, "comparison")
        return {"COMPARISON": sink.id}
