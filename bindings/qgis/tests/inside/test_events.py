"""Tests the algorithms "Geofence events" and "Compare policies" within QGIS: times, coordinate systems, cancellation
and errors."""

import unittest

from qgis.core import NULL, QgsProcessing, QgsProcessingContext, QgsProcessingException
from qgis.PyQt.QtCore import QDateTime, Qt
from support import START_MS, Feedback, algorithm, drive, fixes_of_drive, layer, moment, rows_of, run, shops, street

from fencepost_qgis.fencepost import Circle, Fix, TransitionPolicy, compare, replay

MEMORY = QgsProcessing.TEMPORARY_OUTPUT
KEYS = ("sequence", "identifier", "state", "cause", "date_us", "evidence_date_us", "boundary_distance")
CIRCLES = {f"shop {number}": Circle(47.0 + 0.01 * number, 8.0 + 0.002 * number, 150.0 + number) for number in range(10)}


def wanted(**options):
    return [tuple(getattr(event, name) for name in KEYS) for event in replay(fixes_of_drive(), CIRCLES, **options)]


def events(tracks, circles=None, **parameters):
    results, done, feedback = run(
        "geofenceevents", TRACKS=tracks, CIRCLES=circles or shops(), EVENTS=MEMORY, VISITS=MEMORY, **parameters
    )
    assert done
    return results, feedback


class Times(unittest.TestCase):
    """The events of the drive do not depend on the form in which its times are stored."""

    def check(self, tracks, **parameters):
        results, feedback = events(tracks, **parameters)
        self.assertEqual(rows_of(results["EVENTS"], *KEYS), self.wanted)
        self.assertEqual(feedback.warnings, [])

    @classmethod
    def setUpClass(cls):
        cls.wanted = wanted()
        assert len(cls.wanted) > 40

    def test_date_and_time(self):
        self.check(street())

    def test_without_zone_is_utc(self):
        self.check(street(when=lambda step: QDateTime(moment(step).date(), moment(step).time(), Qt.LocalTime)))

    def test_with_an_offset(self):
        self.check(street(when=lambda step: moment(step).toOffsetFromUtc(5 * 3600)))

    def test_text(self):
        self.check(street("field=when:string", lambda step: moment(step).toString(Qt.ISODate)), TIME_FIELD="when")

    def test_text_of_another_zone(self):
        def text(step):
            return moment(step).toOffsetFromUtc(-9000).toString(Qt.ISODate)

        self.assertIn("-02:30", text(0))
        self.check(street("field=Timestamp:string", text))

    def test_numbers_by_size_by_name_and_by_choice(self):
        seconds = START_MS // 1000
        self.check(street("field=time:integer", lambda step: seconds + step))
        self.check(street("field=time:double", lambda step: float(seconds + step)))
        self.check(street("field=time:int8", lambda step: (seconds + step) * 1000))
        self.check(street("field=time_us:int8", lambda step: (seconds + step) * 1_000_000))
        self.check(street("field=time:int8", lambda step: (seconds + step) * 10**9), TIME_UNIT=4)

    def test_order_of_the_layer_does_not_matter(self):
        rows = [(place, moment(step)) for step, place in drive()]
        self.check(layer("street", "field=time:datetime", rows[1000:] + rows[:1000]))

    def test_as_stored_late_fixes_are_counted(self):
        rows = [(place, moment(step)) for step, place in drive()]
        results, feedback = events(layer("street", "field=time:datetime", rows[1000:] + rows[:1000]), ORDER=1)
        self.assertEqual(results["LATE_COUNT"], 1000)
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^tracks layer 'street': 1000 late ")


class CoordinateSystems(unittest.TestCase):
    def test_any_in_and_out(self):
        columns = ("sequence", "identifier", "state", "date_us")
        exact = rows_of(events(street())[0]["EVENTS"], *columns)
        for tracks, circles, out in (
            ("EPSG:3857", "EPSG:4326", "EPSG:2056"),
            ("EPSG:32632", "EPSG:2056", "EPSG:4326"),
            ("EPSG:2056", "EPSG:3857", "EPSG:3857"),
        ):
            results, feedback = events(street(crs=tracks), shops(circles), CRS=out)
            found = results["EVENTS"]
            self.assertEqual(rows_of(found, *columns), exact)
            self.assertEqual(found.crs().authid(), out)
            self.assertEqual(feedback.warnings, [])
            # The event's point is the position of the fix that is its evidence, or of the first fix after the evidence.
            first = next(found.getFeatures())
            self.assertAlmostEqual(first["latitude"], 47.0, 7)
        results, _ = events(street(crs="EPSG:2056"))
        self.assertEqual(results["EVENTS"].crs().authid(), "EPSG:2056")
        x = next(results["EVENTS"].getFeatures()).geometry().asPoint().x()
        self.assertTrue(2_640_000 < x < 2_650_000, x)

    def test_degrees_in_a_layer_of_metres_are_noticed(self):
        tracks = street()
        tracks.setCrs(shops("EPSG:3857").crs())
        _, feedback = events(tracks)
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^tracks layer 'street': .* 180 .* 90 .*EPSG:3857.*degrees")

    def test_exchanged_latitude_and_longitude_are_noticed(self):
        rows = [((place[1], place[0]), moment(step)) for step, place in drive(50)]
        for parameters in {}, {"PATH": 1}:
            _, feedback = events(layer("street", "field=time:datetime", rows), **parameters)
            (warning,) = feedback.warnings
            self.assertRegex(warning, "50 of 50 .*exchanged")
        # The points are far from all places even if latitude and longitude are exchanged, so there is no warning.
        _, feedback = events(layer("street", "field=time:datetime", [((-47.0, -8.0), moment(0))]))
        self.assertEqual(feedback.warnings, [])


class Paths(unittest.TestCase):
    """Uses every fortieth fix of the drive. The fixes of these tests are 450 m apart, and most shops lie between two
    fixes."""

    def setUp(self):
        self.tracks = layer(
            "street", "field=time:datetime", [(place, moment(s)) for s, place in drive() if s % 40 == 0]
        )
        self.fixes = fixes_of_drive()[::40]

    def wanted(self, **options):
        return [
            (*(getattr(event, name) for name in KEYS), str(event.evidence), event.follows_gap)
            for event in replay(self.fixes, CIRCLES, policy="exact", **options)
        ]

    def test_events_are_those_of_the_library(self):
        for parameters, options in (
            ({"PATH": 1}, {"path": "geodesic", "max_gap": 300}),
            ({"PATH": 1, "MAX_GAP": 39.5}, {"path": "geodesic", "max_gap": 39.5}),
            ({"PATH": 1, "MAX_SPEED": 11.2}, {"path": "geodesic", "max_gap": 300, "max_speed": 11.2}),
            ({"PATH": 0, "MAX_GAP": 7}, {}),
        ):
            results, feedback = events(self.tracks, POLICY=1, **parameters)
            found = rows_of(results["EVENTS"], *KEYS, "evidence", "gap")
            self.assertEqual(found, self.wanted(**options))
            self.assertEqual(feedback.warnings, [])
        self.assertGreater(len(self.wanted(path="geodesic", max_gap=300)), len(self.wanted()))

    def test_jumps_are_doubted(self):
        """Two fixes lie 300 m beside the street; the second one is trusted only if two are enough."""
        tracks, fixes = [], []
        for second, (latitude, longitude) in drive(200):
            east = longitude + 0.004 * (second in (100, 101))
            tracks.append(((latitude, east), moment(second)))
            fixes.append(Fix(latitude, east, time=(START_MS + 1000 * second) * 1000))
        street_layer = layer("street", "field=time:datetime", tracks)
        for parameters, options, doubted in (
            ({}, {}, 0),
            ({"PLAUSIBLE_SPEED": 50}, {"plausible_speed": 50}, 2),
            (
                {"PLAUSIBLE_SPEED": 50, "CORROBORATION_COUNT": 2, "CORROBORATION_TIME": 0},
                {"plausible_speed": 50, "corroboration_count": 2, "corroboration_time": 0},
                2,
            ),
            ({"PLAUSIBLE_SPEED": 5000}, {"plausible_speed": 5000}, 0),
        ):
            results, feedback = events(street_layer, POLICY=1, **parameters)
            log = replay(fixes, CIRCLES, policy="exact", **options)
            self.assertEqual(log.counts.doubted_fixes, doubted)
            self.assertEqual(results["DOUBTED_COUNT"], doubted)
            self.assertEqual(
                rows_of(results["EVENTS"], *KEYS), [tuple(getattr(event, name) for name in KEYS) for event in log]
            )
            self.assertEqual(["doubted" in warning for warning in feedback.warnings], [True] * (doubted > 0))
        results, _, _ = run(
            "comparepolicies", TRACKS=street_layer, CIRCLES=shops(), COMPARISON=MEMORY, PLAUSIBLE_SPEED=50
        )
        self.assertEqual(
            rows_of(results["COMPARISON"], "policy", "events"),
            [(one.name, one.events) for one in compare(fixes, CIRCLES, plausible_speed=50)],
        )

    def test_exits_come_first(self):
        """One fix leaves a circle and enters one that was added before it."""
        places = [CIRCLES["shop 5"], CIRCLES["shop 2"]]
        rows = [((place.latitude, place.longitude), moment(1000 * second)) for second, place in enumerate(places)]
        jump = layer("street", "field=time:datetime", rows)
        changes = [("shop 2", "satisfied"), ("shop 5", "unsatisfied")]
        for order, expected in ((0, changes), (1, changes[::-1])):
            results, _ = events(jump, POLICY=1, EVENT_ORDER=order)
            self.assertEqual(rows_of(results["EVENTS"], "identifier", "state")[-2:], expected)

    def test_options_out_of_range_are_refused(self):
        for name, value in (
            ("PLAUSIBLE_SPEED", 0), ("CORROBORATION_COUNT", 1), ("CORROBORATION_TIME", -1), ("ACCURACY_CONFIDENCE", 95),
        ):  # fmt: skip
            with self.assertRaises(AssertionError, msg=name):
                events(self.tracks, **{name: value})

    def test_the_comparison_too(self):
        results, done, _ = run(
            "comparepolicies", TRACKS=self.tracks, CIRCLES=shops(), COMPARISON=MEMORY, PATH=1, MAX_GAP=60
        )
        self.assertTrue(done)
        found = compare(self.fixes, CIRCLES, path="geodesic", max_gap=60)
        self.assertEqual(
            rows_of(results["COMPARISON"], "policy", "events", "visits"),
            [(one.name, one.events, one.visits) for one in found],
        )


class Policies(unittest.TestCase):
    def test_presets_and_changes(self):
        for parameters, policy in (
            ({}, "standard"),
            ({"POLICY": 1}, "exact"),
            ({"POLICY": 2}, "core_location"),
            (
                {"POLICY": 1, "ENTRY_DWELL": 7, "EXIT_DWELL": 8, "ENTRY_MARGIN": 9, "EXIT_MARGIN": 10, "NOTIFY": [1]},
                TransitionPolicy.from_dict(
                    {"entry_dwell": 7, "exit_dwell": 8, "entry_margin": 9, "exit_margin": 10, "notify": ["entry"]},
                    base=TransitionPolicy.exact(),
                ),
            ),
            (
                {"EXIT_MARGIN_LIMIT": 90, "ACCURACY_FACTOR": 0.5, "DWELL_POLICY": 2},
                TransitionPolicy.from_dict(
                    {"exit_margin_limit": 90, "accuracy_factor": 0.5, "dwell_policy": "evidence"}
                ),
            ),
        ):
            results, _ = events(street(), **parameters)
            self.assertEqual(rows_of(results["EVENTS"], *KEYS), wanted(policy=policy), parameters)

    def test_a_value_out_of_range_is_refused(self):
        with self.assertRaisesRegex(AssertionError, "ENTRY_DWELL|entry dwell|Entry dwell"):
            events(street(), ENTRY_DWELL=-1)

    def test_circles_with_a_policy_and_a_state_of_their_own(self):
        rows = [
            ((47.0, 8.0), "near", 150.0, "exact", None),
            ((47.05, 8.01), "middle", 150.0, '{"entry_dwell": 3, "notify": ["entry"]}', "unsatisfied"),
            ((47.02, 8.004), "bad", 150.0, "lenient", None),
        ]
        fields = "&".join(f"field={name}" for name in ("name:string", "radius:double", "rule:string", "was:string"))
        results, feedback = events(street(), layer("own", fields, rows), POLICY_FIELD="rule", ASSUMING_FIELD="was")
        found = rows_of(results["EVENTS"], "identifier", "state", "cause")
        self.assertEqual(found[0], ("near", "satisfied", "determination"))
        self.assertEqual([row for row in found if row[0] == "middle"], [("middle", "satisfied", "crossing")] * 2)
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^places layer 'own', feature 3: policy 'lenient' .* standard, exact, core_location")

    def test_timings_of_places(self):
        rows = [((47.0, 8.0), "near", 150.0, "2024-05-01T00:00Z/2024-05-02T00:00Z", 1)]
        fields = "field=name:string&field=radius:double&field=Active:string&field=max_events:integer"
        results, feedback = events(street(), layer("own", fields, rows))
        self.assertEqual(feedback.warnings, [])
        plain = layer("own", "field=name:string&field=radius:double", [rows[0][:3]])
        again, feedback = events(street(), plain)
        self.assertEqual(rows_of(results["EVENTS"], *KEYS), rows_of(again["EVENTS"], *KEYS)[:1])
        self.assertGreater(len(rows_of(again["EVENTS"], *KEYS)), 1)
        self.assertEqual(feedback.warnings, [])

    def test_probabilities_for_all_places(self):
        policy = TransitionPolicy(entry_probability=0.95, exit_probability=0.05, accuracy_factor=0)
        rows = [(place, moment(step), 30.0) for step, place in drive()]
        tracks = layer("street", "field=time:datetime&field=accuracy:double", rows)
        fixes = [Fix(fix.latitude, fix.longitude, 30.0, time=fix.time_us) for fix in fixes_of_drive()]
        logs = []
        for confidence in (0.68, 0.95):
            results, _ = events(tracks, ENTRY_PROBABILITY=0.95, EXIT_PROBABILITY=0.05, ACCURACY_CONFIDENCE=confidence)
            log = replay(fixes, CIRCLES, policy=policy, accuracy_confidence=confidence)
            logs.append(log)
            self.assertEqual(
                rows_of(results["EVENTS"], *KEYS, "probability"),
                [(*(getattr(event, name) for name in KEYS), event.probability) for event in log],
            )
        self.assertTrue(any(0 < event.probability < 1 for event in logs[0]))
        self.assertNotEqual(*([event.probability for event in log] for log in logs))
        results, _ = events(tracks)
        self.assertEqual(set(rows_of(results["EVENTS"], "probability")), {(NULL,)})

    def test_error_ellipses(self):
        policy = TransitionPolicy(entry_probability=0.95, exit_probability=0.05, accuracy_factor=0)
        ellipses = [None if step % 7 == 0 else (40 + step % 30, 5, step % 400) for step, _ in drive()]
        fixes = [
            Fix(fix.latitude, fix.longitude, 30.0, time=fix.time_us, error_ellipse=ellipse)
            for fix, ellipse in zip(fixes_of_drive(), ellipses)
        ]
        log = replay(fixes, CIRCLES, policy=policy)
        wanted = [(*(getattr(event, name) for name in KEYS), event.probability) for event in log]
        probabilities = {"ENTRY_PROBABILITY": 0.95, "EXIT_PROBABILITY": 0.05}
        rows = [
            (place, moment(step), 30.0, *(ellipse or (None,) * 3)) for (step, place), ellipse in zip(drive(), ellipses)
        ]
        known = ("error_major_m", "error_minor_m", "error_orientation_deg")
        for names, chosen in (
            (known, {}),
            (("smaj", "smin", "azi"), {"MAJOR_FIELD": "smaj", "MINOR_FIELD": "smin", "ORIENTATION_FIELD": "azi"}),
        ):
            fields = "field=time:datetime&field=accuracy:double" + "".join(f"&field={name}:double" for name in names)
            for order in (rows, rows[::-1]):
                results, feedback = events(layer("street", fields, order), **probabilities, **chosen)
                self.assertEqual(rows_of(results["EVENTS"], *KEYS, "probability"), wanted)
                self.assertEqual(feedback.warnings, [])
            if chosen:
                results, _ = events(layer("street", fields, rows), **probabilities)
                self.assertNotEqual(rows_of(results["EVENTS"], *KEYS, "probability"), wanted)

    def test_impossible_error_ellipses(self):
        fields = "field=time:datetime" + "".join(
            f"&field={name}:string" for name in ("error_major_m", "error_minor_m", "error_orientation_deg")
        )
        bad = [("5", "6", "0"), ("5", "-1", "0"), ("5", None, "0"), ("wide", "1", "0"), ("5", "4", "inf")]
        rows = [((47.0, 8.0), moment(step), *each) for step, each in enumerate([("5", "4", "400"), *bad, (None,) * 3])]
        results, feedback = events(layer("gps", fields, rows))
        self.assertEqual(results["SKIPPED_COUNT"], len(bad))
        for number, warning in enumerate(feedback.warnings[: len(bad)], 2):
            self.assertRegex(warning, f"^tracks layer 'gps', feature {number}: .*(error ellipse|error_major 'wide')")
        fields = fields.replace("error_minor_m", "minor")
        with self.assertRaisesRegex(QgsProcessingException, "error_minor"):
            algorithm("geofenceevents").run(
                {"TRACKS": layer("gps", fields, rows), "CIRCLES": shops(), "EVENTS": MEMORY, "VISITS": MEMORY},
                QgsProcessingContext(), Feedback(), {}, False,
            )  # fmt: skip

    def test_probabilities_that_contradict_are_refused(self):
        for parameters, reason in (
            ({"ENTRY_PROBABILITY": 0.95}, "belong together"),
            ({"ENTRY_PROBABILITY": 0.95, "EXIT_PROBABILITY": 0}, "belong together"),
            ({"ENTRY_PROBABILITY": 0.4, "EXIT_PROBABILITY": 0.05}, "entry_probability 0.4"),
            ({"ENTRY_PROBABILITY": 0.95, "EXIT_PROBABILITY": 0.05, "ACCURACY_FACTOR": 1}, "accuracy_factor"),
        ):
            with self.assertRaisesRegex(QgsProcessingException, reason, msg=parameters):
                events(street(), **parameters)

    def test_places_with_probabilities_of_their_own(self):
        rows = [
            ((47.0, 8.0), "certain", 150.0, 0.9, 0.1),
            ((47.05, 8.01), "usual", 150.0, NULL, NULL),
            ((47.03, 8.006), "zero", 150.0, 0.0, 0.0),
            ((47.02, 8.004), "half", 150.0, 0.9, NULL),
            ((47.02, 8.004), "percent", 150.0, 90.0, 10.0),
        ]
        fields = "&".join(f"field={name}" for name in ("name:string", "radius:double", "sure:double", "gone:double"))
        results, feedback = events(
            street(), layer("own", fields, rows), ENTRY_PROBABILITY_FIELD="sure", EXIT_PROBABILITY_FIELD="gone"
        )
        found = rows_of(results["EVENTS"], "identifier", "probability")
        self.assertEqual({name for name, value in found if value != NULL}, {"certain"})
        self.assertEqual({name for name, _ in found}, {"certain", "usual", "zero"})
        self.assertEqual(len(feedback.warnings), 2)
        for feature, (warning, reason) in enumerate(zip(feedback.warnings, ("belong together", "90.0")), 4):
            self.assertRegex(warning, f"^places layer 'own', feature {feature}: .*{reason}")

    def test_comparison(self):
        results, done, _ = run("comparepolicies", TRACKS=street(), CIRCLES=shops(), COMPARISON=MEMORY)
        self.assertTrue(done)
        table = compare(fixes_of_drive(), CIRCLES).columns()
        for name, values in table.items():
            found = [value or None for (value,) in rows_of(results["COMPARISON"], name)]
            self.assertEqual(found, [value or None for value in values])
        self.assertEqual(table["visits"], [20, 19, 19])


class Cancelling(unittest.TestCase):
    def test_half_way(self):
        tracks, circles = street(steps=20_000), shops()
        whole = rows_of(events(tracks, circles)[0]["EVENTS"], *KEYS)
        feedback = Feedback(cancel_at=70)
        results, _, _ = run("geofenceevents", feedback, TRACKS=tracks, CIRCLES=circles, EVENTS=MEMORY, VISITS=MEMORY)
        part = rows_of(results["EVENTS"], *KEYS)
        self.assertTrue(0 < len(part) < len(whole), (len(part), len(whole)))
        self.assertEqual(part, whole[: len(part)])
        self.assertEqual(results["VISIT_COUNT"], 0)
        self.assertEqual(feedback.seen, sorted(feedback.seen))
        # After the request to stop, the run processed at most one more batch of fixes.
        self.assertTrue(70 <= feedback.seen[-1] < 85, feedback.seen)

    def test_while_reading(self):
        feedback = Feedback(cancel_at=10)
        results, _, _ = run(
            "geofenceevents", feedback, TRACKS=street(steps=20_000), CIRCLES=shops(), EVENTS=MEMORY, VISITS=MEMORY
        )
        self.assertEqual(results["EVENT_COUNT"], 0)

    def test_a_comparison(self):
        feedback = Feedback(cancel_at=60)
        results, _, _ = run(
            "comparepolicies", feedback, TRACKS=street(steps=20_000), CIRCLES=shops(), COMPARISON=MEMORY
        )
        self.assertEqual(rows_of(results["COMPARISON"], "policy"), [("exact",)])


class Broken(unittest.TestCase):
    def test_many_of_a_kind_are_counted(self):
        rows = [
            (None if step % 50 == 1 else place, None if step % 20 == 0 else moment(step)) for step, place in drive()
        ]
        results, feedback = events(layer("holes", "field=time:datetime", rows))
        self.assertEqual(results["SKIPPED_COUNT"], 100 + 40)
        self.assertRegex(feedback.warnings[0], "^tracks layer 'holes', feature 1: .*time")
        self.assertRegex(feedback.warnings[1], "^tracks layer 'holes', feature 2: .*geometry")
        for words, warning in zip(("time: 90 more", "geometry: 30 more"), feedback.warnings[-2:]):
            self.assertRegex(warning, f"^tracks layer 'holes': .*{words}")
        self.assertEqual(len(feedback.warnings), 22)

    def test_accuracy(self):
        rows = [((47.0, 8.0), moment(step), accuracy) for step, accuracy in enumerate(("5", "-1", "fair", None))]
        results, feedback = events(layer("gps", "field=time:datetime&field=accuracy:string", rows))
        (second, third) = feedback.warnings
        self.assertRegex(second, "^tracks layer 'gps', feature 2: .*accuracy .*-1, .* 0")
        self.assertRegex(third, "^tracks layer 'gps', feature 3: accuracy 'fair' .*metres")
        self.assertEqual(rows_of(results["EVENTS"], "accuracy")[0], (5.0,))

    def test_units(self):
        late = street("field=time_us:int8", lambda step: (START_MS + step) * 10**6)
        self.stops("year 9999", late)
        results, done, _ = run(
            "geofenceevents", TRACKS=street("field=time:int8", lambda step: (START_MS + 1000 * step) * 10**6),
            CIRCLES=shops(), EVENTS=MEMORY,
        )  # fmt: skip
        self.assertTrue(done)
        self.assertEqual(rows_of(results["EVENTS"], "date_us")[0][0], START_MS * 1000)
        _, feedback = events(street(), shops(), RADIUS=0.002)
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^places layer 'shops': .*radii .* 1 m")
        feet = layer("feet", "field=name:string&field=radius:double", [((47.0, 8.0), "near", 1000.0)])
        results, _ = events(street(), feet, RADIUS_UNIT=2, POLICY=1)
        distance = rows_of(results["EVENTS"], "boundary_distance")[0][0]
        self.assertAlmostEqual(distance, -304.8, 6)

    def test_nothing_usable_stops_with_the_reason(self):
        empty = layer("empty", "field=time:datetime", [])
        self.stops("tracks layer 'empty': .*usable fix", empty)
        nowhere = layer("nowhere", "field=time:datetime", [(None, moment(0))])
        self.stops("usable fix; 1 features", nowhere)
        self.stops("places layer 'empty': .*radius", street(), empty)
        self.stops("time field; .* identifier, radius", shops())
        unplaced = street()
        unplaced.setCrs(type(unplaced.crs())())
        self.stops("tracks layer 'street': .*coordinate system", unplaced)

    def stops(self, reason, tracks, circles=None):
        feedback = Feedback()
        errors = []
        feedback.reportError = lambda error, fatal=False: errors.append(error)
        parameters = {"TRACKS": tracks, "CIRCLES": circles or shops(), "EVENTS": MEMORY}
        try:
            _results, done = algorithm("geofenceevents").run(parameters, QgsProcessingContext(), feedback, {}, False)
        except Exception as error:  # QGIS raises an exception type of its own
            errors.append(str(error))
            done = False
        self.assertFalse(done)
        self.assertRegex(" ".join(errors + feedback.warnings + [feedback.textLog()]), reason)
