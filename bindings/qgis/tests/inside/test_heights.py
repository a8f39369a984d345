"""Tests places with limits of altitude and fixes with heights: the plugin gives the same events as the library's own
replay of the same fixes and of a file with the same places."""

import math
import unittest

from qgis.core import NULL, QgsProcessing, QgsProcessingContext, QgsProcessingException
from support import Feedback, algorithm, drive, fixes_of_drive, layer, moment, rows_of, run

from fencepost_qgis.fencepost import Fix, TransitionPolicy, replay

MEMORY = QgsProcessing.TEMPORARY_OUTPUT
KEYS = ("identifier", "state", "cause", "date_us", "vertical_distance")
LIMITS = ("altitude_min", "altitude_min_reference", "altitude_max", "altitude_max_reference")
HEIGHTS = ("ellipsoid_altitude_m", "vertical_accuracy_m", "geoid_height_m", "ground_height_m")
LOW, HIGH = (47.02, 8.004), (47.04, 8.008)
PLACES = [
    (LOW, "low", 300.0, 0.0, "ground", 120.0, "ground"),
    (LOW, "sea", 300.0, 450.0, "mean_sea_level", None, None),
    (HIGH, "top", 400.0, None, None, 620.0, "ellipsoid"),
    (HIGH, "any", 400.0, None, None, None, None),
]


def places(rows=PLACES, kinds=("double", "string") * 2, names=LIMITS):
    limits = "".join(f"&field={name}:{kind}" for name, kind in zip(names, kinds))
    return layer("places", f"field=name:string&field=radius:double{limits}", rows)


def geojson(rows=PLACES):
    features = []
    for (latitude, longitude), name, radius, *limits in rows:
        properties = {"id": name, "radius": radius}
        properties |= {key: value for key, value in zip(LIMITS, limits) if value is not None}
        geometry = {"type": "Point", "coordinates": [longitude, latitude]}
        features.append({"type": "Feature", "geometry": geometry, "properties": properties})
    return {"type": "FeatureCollection", "features": features}


def heights(step):
    """The heights of a fix; some are missing."""
    found = [560.0 + 60 * math.sin(step / 40), 4.0 if step % 5 else None, 47.5, 480.0 + 40 * math.sin(step / 90)]
    if step % 11 == 0:
        found[step // 11 % 4] = None
    return found


def fixes():
    names = ("altitude", "vertical_accuracy", "geoid_height", "ground_height")
    for (step, _), fix in zip(drive(), fixes_of_drive()):
        given = {name: value for name, value in zip(names, heights(step)) if value is not None}
        yield Fix(fix.latitude, fix.longitude, time=fix.time_us, **given)


def tracks(names=HEIGHTS, order=1, kinds=("double",) * 4):
    fields = "field=time:datetime" + "".join(f"&field={name}:{kind}" for name, kind in zip(names, kinds))
    rows = [(place, moment(step), *heights(step)) for step, place in drive()]
    if kinds[0] == "string":
        rows = [(*row[:2], *(None if value is None else repr(value) for value in row[2:])) for row in rows]
    return layer("street", fields, rows[::order])


def values(log):
    return [tuple(getattr(event, name) for name in KEYS) for event in log]


def events(name="geofenceevents", **parameters):
    results, done, feedback = run(name, **{"EVENTS": MEMORY, "VISITS": MEMORY, **parameters})
    assert done
    return results, feedback


def told(results):
    rows = rows_of(results["EVENTS"], *KEYS)
    return [tuple(None if value == NULL else value for value in row) for row in rows]


class Heights(unittest.TestCase):
    def test_events_are_those_of_a_file(self):
        log = replay(list(fixes()), geojson())
        self.assertGreater(sum(event.vertical_distance is not None for event in log), 6)
        flat = [(*row[:3], None, None, None, None) for row in PLACES]
        self.assertNotEqual(values(log), values(replay(list(fixes()), geojson(flat))))
        chosen = {
            "ALTITUDE_FIELD": "h", "VERTICAL_ACCURACY_FIELD": "va", "GEOID_FIELD": "N", "GROUND_FIELD": "G"
        }  # fmt: skip
        for made, given in (
            (tracks(), {}),
            (tracks(order=-1), {}),
            (tracks(kinds=("string",) * 4), {}),
            (tracks(("h", "va", "N", "G")), chosen),
        ):
            results, feedback = events(TRACKS=made, CIRCLES=places(), **given)
            self.assertEqual(told(results), values(log))
            self.assertEqual(feedback.warnings, [])
        visits = [(visit.identifier, str(visit.end_known)) for visit in log.visits()]
        self.assertEqual(rows_of(results["VISITS"], "identifier", "end_known"), visits)

    def test_limits_may_be_texts_and_have_other_spellings(self):
        rows = [(*row[:3], *(None if value is None else str(value) for value in row[3:])) for row in PLACES]
        names = ("Altitude Min", "altitudeMinReference", "ALTITUDE_MAX", "altitude-max-reference")
        results, feedback = events(TRACKS=tracks(), CIRCLES=places(rows, ("string",) * 4, names))
        self.assertEqual(told(results), values(replay(list(fixes()), geojson())))
        self.assertEqual(feedback.warnings, [])

    def test_heights_count_on_the_path_and_in_rules_and_hours(self):
        path = {"path": "geodesic", "max_gap": 300}
        log = replay(list(fixes()), geojson(), **path)
        results, _ = events(TRACKS=tracks(), CIRCLES=places(), PATH=1, MAX_GAP=300)
        self.assertEqual(told(results), values(log))
        self.assertNotEqual(values(log), values(replay(list(fixes()), geojson())))
        # A limit of events makes each track use its own monitor.
        rows = [(*row, 1000) for row in PLACES]
        fields = "field=name:string&field=radius:double" + "".join(
            f"&field={name}:{kind}" for name, kind in zip((*LIMITS, "max_events"), ("double", "string") * 2 + ("int",))
        )
        results, _ = events(TRACKS=tracks(), CIRCLES=layer("places", fields, rows))
        self.assertEqual(told(results), values(replay(list(fixes()), geojson())))

    def test_a_vertical_margin_for_all_places(self):
        policy = TransitionPolicy(vertical_margin=25)
        log = replay(list(fixes()), geojson(), policy=policy)
        results, _ = events(TRACKS=tracks(), CIRCLES=places(), VERTICAL_MARGIN=25)
        self.assertEqual(told(results), values(log))
        self.assertNotEqual(values(log), values(replay(list(fixes()), geojson())))

    def test_places_with_impossible_limits_are_skipped(self):
        bad = [
            (0.0, None, None, None),
            (0.0, "agl", None, None),
            (120.0, "ground", 0.0, "ground"),
            (0.0, "Ground", None, None),
            (float("nan"), "ground", None, None),
            (1e300, "ground", None, None),
        ]
        rows = [PLACES[0], *((LOW, f"bad {number}", 300.0, *limits) for number, limits in enumerate(bad))]
        results, feedback = events(TRACKS=tracks(), CIRCLES=places(rows))
        self.assertEqual(results["SKIPPED_COUNT"], len(bad))
        for number, warning in enumerate(feedback.warnings, 2):
            self.assertRegex(warning, f"^places layer 'places', feature {number}: .*(altitude_|min)")
        self.assertEqual(told(results), values(replay(list(fixes()), geojson(PLACES[:1]))))
        texts = [(*PLACES[0][:3], "low", "ground", None, None)]
        with self.assertRaisesRegex(QgsProcessingException, "altitude_min 'low' is not a number"):
            self.run_alone(CIRCLES=places(texts, ("string",) * 4))

    def run_alone(self, **parameters):
        given = {"TRACKS": tracks(), "CIRCLES": places(), "EVENTS": MEMORY, "VISITS": MEMORY, **parameters}
        algorithm("geofenceevents").run(given, QgsProcessingContext(), Feedback(), {}, False)

    def test_columns_that_look_like_limits_or_heights_are_named(self):
        rows = [(LOW, "low", 300.0, 400.0)]
        fields = "field=name:string&field=radius:double&field=altitude_max_ft:double"
        _, feedback = events(TRACKS=tracks(), CIRCLES=layer("places", fields, rows))
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^places layer 'places': 'altitude_max_ft' ")
        results, feedback = events(TRACKS=tracks(("alt_msl", "va", "N", "ground_height")), CIRCLES=places())
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^tracks layer 'street': no fix has the altitude .*'alt_msl'")
        self.assertEqual({event[0] for event in told(results) if event[1] == "satisfied"}, {"any"})
        _, feedback = events(TRACKS=tracks((*HEIGHTS[:3], "ground")), CIRCLES=places())
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^tracks layer 'street': no fix has the ground_height .*'ground'")

    def test_heights_that_are_no_numbers(self):
        fields = "field=time:datetime" + "".join(f"&field={name}:string" for name in HEIGHTS)
        odd = [("high", None, None, None), ("560", "?", None, None), ("560", None, "a", None), ("5", None, None, "b")]
        rows = [(LOW, moment(step), *each) for step, each in enumerate([*odd, ("nan", "inf", "-inf", "1e300")])]
        results, feedback = events(TRACKS=layer("gps", fields, rows), CIRCLES=places())
        self.assertEqual(results["SKIPPED_COUNT"], len(odd))
        for number, warning in enumerate(feedback.warnings[: len(odd)], 1):
            self.assertRegex(warning, f"^tracks layer 'gps', feature {number}: (altitude|[a-z]+_(accuracy|height)) '")
        with self.assertRaisesRegex(QgsProcessingException, "altitude, which ground_height needs"):
            self.run_alone(TRACKS=tracks(("a", "b", "c", "d")), GROUND_FIELD="d")

    def test_policies_are_compared_with_heights(self):
        given = {"TRACKS": tracks(), "COMPARISON": MEMORY}
        found = [
            rows_of(events("comparepolicies", CIRCLES=made, **given)[0]["COMPARISON"], "policy", "events")
            for made in (places(), places([(*row[:3], None, None, None, None) for row in PLACES]))
        ]
        self.assertNotEqual(*found)

    def test_a_join_is_on_the_map(self):
        points = layer("points", "field=n:int", [(LOW, 1), (HIGH, 2)])
        results, done, feedback = run("joinpoints", POINTS=points, CIRCLES=places(), JOINED=MEMORY)
        self.assertTrue(done)
        self.assertEqual(
            sorted(rows_of(results["JOINED"], "n", "place")), [(1, "low"), (1, "sea"), (2, "any"), (2, "top")]
        )
        self.assertEqual(feedback.warnings, [])


if __name__ == "__main__":
    unittest.main()
