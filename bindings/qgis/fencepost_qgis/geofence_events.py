"""The QGIS algorithm *Geofence events*."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingOutputNumber,
    QgsProcessingParameterCrs,
    QgsProcessingParameterFeatureSink,
    QgsWkbTypes,
)

from . import parameters as shared
from .algorithm import Algorithm


class GeofenceEvents(Algorithm):
    """Computes the events and visits of recorded tracks at places."""

    NAME, TITLE, ICON = "geofenceevents", "Geofence events", "events"
    SUMMARY = "Finds when recorded tracks enter and leave places, and the resulting visits."
    TAGS = (
        "geofence",
        "geofencing",
        "fence",
        "polygon",
        "corridor",
        "gate",
        "enter",
        "exit",
        "visit",
        "trajectory",
        "gps",
        "dwell",
        "monitor",
    )
    HELP = """
Replays recorded tracks against circles, polygons or corridors, as a live geofence would have seen them, and writes an
event each time a place is entered or left, with the fix that decided it.

A single bad fix across the boundary does not count as a crossing. With the policy Standard, a fix must lie beyond the
boundary by 20 m plus its own accuracy, and the device must stay there for 20 s. With Exact, a fix across the boundary
counts at once. Core Location is like Standard, but to leave, the device must be farther outside: by the radius of a
circle or the depth of a polygon (60 to 200 m). Every number can be changed under Advanced Parameters. Distances are
exact WGS84 geodesics in every coordinate system.

Tracks are points with a time. If a track field is chosen, each of its values is a separate device. Places are points
with a radius field or one fixed radius (circles), polygons (with holes and parts), or lines with a radius (corridors).
In layers in degrees, edges are straight lines in degrees; in other layers, they are geodesics.

The fields of an event are state (satisfied: inside; unsatisfied: outside), cause (determination: the first known
state; crossing: an observed change), date (time of the confirmation), evidence_date (time of the fix that started the
change), and the latitude, longitude, accuracy and signed distance to the boundary of the deciding fix. date_us counts
microseconds since 1970. All times are UTC. The temporal controller can play the layer.

By default, nothing is assumed about the movement between two fixes. Under Advanced Parameters you can choose movement
along the geodesic: then a track that passes through a place between two fixes also enters and leaves it, at the time
and the point of the crossing, and the evidence of an event is fix or path. An event with gap is the first one after a
pause for which no movement is assumed.

Lines whose field gate is true have no width and no state. With movement along the geodesic, each crossing of such a
line is an event with a direction, left_to_right or right_to_left as seen along the line, and a heading, in
degrees from north, across the line.

Under Advanced Parameters you can also set an entry and an exit probability, for all places or as fields of the places.
Then a fix counts only if the place contains its true position, which is uncertain by the accuracy, with enough
probability; the field probability of an event has the value of the fix that started the change. With a plausible
speed, positions that the device cannot have reached are skipped, until several of them agree.

Places may have limits of altitude, in metres: the fields altitude_min and altitude_max, and for each limit what it is
above, altitude_min_reference and altitude_max_reference (ellipsoid, mean_sea_level or ground). The fixes then need an
altitude above the ellipsoid, and for the other references the height of the geoid or of the ground: choose their fields
under Advanced Parameters. While the height of a fix is missing, a place with limits keeps its state. The field
vertical_distance of an event says how far the height is beyond the nearest limit; it is negative within the limits.

A feature without geometry and with a field rule, such as {"all": ["yard", "shop"]}, is a rule: its state follows from
those of other features of the layer, its parts (all, any, none, or {"at_least": 2, "of": [...]}). The field
decided_part of its events names the part that decided. The fields active, active_until, absent_after, repeat_every,
repeat_limit and max_events of places have the meaning that they have in files: hours, absence, repeats, and the largest
number of events.

Visits have a row for each stay in a place: start, end, duration in seconds, how each end is known, and whether it
was still open when the track ended.

Features that cannot be used are named in the log with layer, id and reason.
"""

    def initAlgorithm(self, configuration=None):  # noqa: N802
        shared.add_tracks(self)
        shared.add_places(self)
        shared.add_policy(self, "Policy")
        shared.add_own_settings_of_places(self)
        shared.add_gates(self)
        shared.add_path(self)
        shared.add_errors(self)
        shared.add_end(self)
        shared.add_broken(self)
        crs = QgsProcessingParameterCrs("CRS", "Coordinate system of the events", None, True)
        shared.add_advanced(self, crs, "If left empty, the coordinate system of the tracks is used.")
        self.addParameter(QgsProcessingParameterFeatureSink("EVENTS", "Events", QgsProcessing.TypeVectorPoint))
        self.addParameter(
            QgsProcessingParameterFeatureSink("VISITS", "Visits", QgsProcessing.TypeVector, None, True, True)
        )
        self.addOutput(QgsProcessingOutputNumber("EVENT_COUNT", "Number of events"))
        self.addOutput(QgsProcessingOutputNumber("VISIT_COUNT", "Number of visits"))
        self.addOutput(QgsProcessingOutputNumber("LATE_COUNT", "Number of late fixes, skipped"))
        self.addOutput(QgsProcessingOutputNumber("DOUBTED_COUNT", "Number of doubted fixes, skipped"))
        self.addOutput(QgsProcessingOutputNumber("SKIPPED_COUNT", "Number of features that could not be used"))

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        from . import outputs
        from .fencepost import FIX_RECORD
        from .fencepost._log.event_log import EventLog
        from .fencepost._replay.exchanged import doubt_of_exchanged, is_presence, some_points
        from .places import read_places
        from .policies import chosen_policy
        from .problems import Problems
        from .replaying import Runner
        from .tracks import read_tracks, warn_of_heights

        problems = Problems(feedback, self.parameterAsEnum(parameters, "BROKEN", context) == shared.STOP)
        policy, _ = chosen_policy(self, parameters, context)
        path = shared.path_options(self, parameters, context)
        fences, places = read_places(self, parameters, context, feedback, problems, policy, path)
        layer, tracks, key_field = read_tracks(self, parameters, context, feedback, problems, 40)
        problems.close()
        warn_of_heights(feedback, layer, tracks, [place.row for place in places])

        crs = self.parameterAsCrs(parameters, "CRS", context)
        crs = crs if crs.isValid() else layer.crs
        place = outputs.FromWGS84(crs, context)
        event_fields = outputs.fields_of(outputs.EVENT_FIELDS, key_field)
        visit_fields = outputs.fields_of(outputs.VISIT_FIELDS, key_field)
        events = outputs.Sink(self, parameters, "EVENTS", context, event_fields, QgsWkbTypes.Point, crs)
        nowhere = 0

        def write(key, batch):
            nonlocal nowhere
            for event in batch:
                point = None
                if event.latitude is not None:
                    try:
                        point = place.point(event.latitude, event.longitude)
                    except outputs.OutsideError:
                        nowhere += 1
                heading = None
                if event.direction is not None and event.latitude is not None:
                    heading = outputs.crossing_heading(conditions[event.identifier], event)
                # The conditions are added in the order of the rows, so the generation of a part is its position.
                part = None if event.decided_by is None else rows[event.decided_by - 1].identifier
                events.add(outputs.event_values(key, event, heading, part), point)

        rows = [place.row for place in places]
        conditions = {row.identifier: row.condition for row in rows}
        fixes = sum(len(track.times) for track in tracks)
        feedback.pushInfo(f"{fixes} fixes of {len(tracks)} tracks, {len(rows)} places")
        after_us = round(self.parameterAsDouble(parameters, "AFTER", context) * 1e6)
        options = (path or {}) | shared.error_options(self, parameters, context)
        runner = Runner(feedback, 40, 60, fixes, options)
        log = EventLog(runner.run(tracks, rows, fences.title, after_us, write), rows, "track")
        events.close()
        found = [] if feedback.isCanceled() else log.visits()
        visits = outputs.Sink(self, parameters, "VISITS", context, visit_fields, QgsWkbTypes.NoGeometry)
        for visit in found:
            visits.add(outputs.visit_values(visit))
        visits.close()

        counts = log.counts
        feedback.pushInfo(f"{len(log)} events, {len(found)} visits")
        if counts.late_fixes:
            feedback.pushWarning(f"{layer.title}: {counts.late_fixes} late fixes skipped (earlier than a previous fix)")
        if counts.doubted_fixes:
            limit = f"they need more than {options['plausible_speed']:g} m/s"
            feedback.pushWarning(f"{layer.title}: {counts.doubted_fixes} doubted fixes skipped ({limit})")
        if not any(is_presence(event) for event in log):
            points = some_points(list(FIX_RECORD.iter_unpack(tracks[0].fixes))) if tracks else ()
            if doubt := doubt_of_exchanged(points, runner.conditions):
                feedback.pushWarning(f"{layer.title}: {doubt}: were the points made with X and Y exchanged?")
        if nowhere:
            feedback.pushWarning(
                f"{nowhere} events lie beyond the area that {crs.authid()} describes: they have no geometry"
            )
        events.style(context, "events")
        visits.style(context, "visits")
        results = {
            "EVENTS": events.id, "EVENT_COUNT": len(log), "VISIT_COUNT": len(found),
            "LATE_COUNT": counts.late_fixes, "DOUBTED_COUNT": counts.doubted_fixes,
            "SKIPPED_COUNT": problems.of(layer.title) + problems.of(fences.title),
        }  # fmt: skip
        return results if visits.id is None else {**results, "VISITS": visits.id}
