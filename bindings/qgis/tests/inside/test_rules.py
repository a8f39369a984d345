"""Tests rules and timings of places: the plugin gives the same events as the library's own replay of a file with the
same features."""

import json
import re
import unittest

from qgis.core import QgsProcessing, QgsProcessingException, QgsVectorLayer
from qgis.PyQt.QtCore import QDateTime, Qt
from support import START_MS, fixes_of_drive, layer, rows_of, run, street

from fencepost_qgis.fencepost import Schedule, replay

MEMORY = QgsProcessing.TEMPORARY_OUTPUT
KEYS = ("identifier", "state", "cause", "date_us", "decided_by")
FIELDS = (
    "field=name:string&field=radius:double&field=rule:string&field=active:string&field=active_until:string"
    "&field=absent_after:double&field=repeat_every:double&field=max_events:integer"
)
NAMES = ("name", "radius", "rule", "active", "active_until", "absent_after", "repeat_every", "max_events")
LOW, HIGH = (47.02, 8.004), (47.04, 8.008)


def interval(begin, end):
    start = START_MS * 1000
    return Schedule([(start + begin * 1_000_000, start + end * 1_000_000)]).texts()[0]


def row(place, name, **values):
    return (place, *(({"name": name} | values).get(key) for key in NAMES))


def geojson(rows):
    """The features of a file with the same places and rules."""
    features = []
    for place, *values in rows:
        properties = {key: value for key, value in zip(NAMES, values) if value is not None}
        geometry = None
        if "rule" in properties:
            properties["rule"] = json.loads(properties["rule"])
        else:
            geometry = {"type": "Point", "coordinates": [place[1], place[0]]}
        if "active" in properties:
            properties["active"] = [part.strip() for part in properties["active"].split(";")]
        features.append({"type": "Feature", "geometry": geometry, "properties": properties})
    return {"type": "FeatureCollection", "features": features}


ROWS = [
    row(None, "both", rule='{"any": ["low", "high"]}'),  # a rule may come before its parts
    row(LOW, "low", radius=300.0, active=f"{interval(0, 205)}; {interval(1500, 1805)}", repeat_every=30.0),
    row(HIGH, "high", radius=400.0, max_events=3),
    row(None, "away", rule='{"none": ["both"]}'),
    row(None, "two", rule='{"at_least": 2, "of": ["low", "high", "away"]}'),
]


class Rules(unittest.TestCase):
    def events(self, places, algorithm="geofenceevents", **parameters):
        results, done, feedback = run(
            algorithm, TRACKS=street(), CIRCLES=places, EVENTS=MEMORY, VISITS=MEMORY, **parameters
        )
        self.assertTrue(done)
        return results, feedback

    def test_events_are_those_of_a_file(self):
        log = replay(fixes_of_drive(), geojson(ROWS))
        wanted = [
            (event.identifier, str(event.state), str(event.cause), event.date_us, event.decided_by) for event in log
        ]
        self.assertGreater(len(wanted), 12)
        self.assertGreater(len({event[0] for event in wanted}), 3)
        results, feedback = self.events(layer("places", FIELDS, ROWS))
        self.assertEqual(rows_of(results["EVENTS"], *KEYS), wanted)
        self.assertEqual(feedback.warnings, [])
        names = [each[1] for each in ROWS]
        for number, part in rows_of(results["EVENTS"], "decided_by", "decided_part"):
            self.assertEqual(str(part), names[number - 1] if isinstance(number, int) else str(number))
        visits = [(visit.identifier, str(visit.end_known)) for visit in log.visits()]
        self.assertEqual(rows_of(results["VISITS"], "identifier", "end_known"), visits)
        self.assertIn(("low", "inactive"), visits)
        # Along a path, too.
        log = replay(fixes_of_drive(), geojson(ROWS), path="geodesic", max_gap=300)
        results, _ = self.events(layer("places", FIELDS, ROWS), PATH=1, MAX_GAP=300)
        self.assertEqual(
            rows_of(results["EVENTS"], *KEYS),
            [(event.identifier, str(event.state), str(event.cause), event.date_us, event.decided_by) for event in log],
        )

    def test_rules_without_timings(self):
        """One fleet follows all tracks, without and with a path."""
        rows = [
            row(None, "both", rule='{"all": ["low", "high"]}'),
            row(LOW, "low", radius=500.0),
            row(HIGH, "high", radius=2100.0),
            row(None, "away", rule='{"none": ["both", "low"]}'),
        ]
        for options, parameters in (({}, {}), ({"path": "geodesic", "max_gap": 300}, {"PATH": 1, "MAX_GAP": 300})):
            log = replay(fixes_of_drive(), geojson(rows), **options)
            wanted = [
                (event.identifier, str(event.state), str(event.cause), event.date_us, event.decided_by) for event in log
            ]
            self.assertEqual({event[0] for event in wanted}, {"both", "low", "high", "away"})
            results, _ = self.events(layer("places", FIELDS, rows), **parameters)
            self.assertEqual(rows_of(results["EVENTS"], *KEYS), wanted)

    def test_a_file_that_qgis_opens(self):
        """QGIS reads the property `rule` of a file as text, and `active` as a list of texts."""
        import os
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            for until in (None, interval(1900, 1950).split("/")[1]):
                path = os.path.join(folder, f"places-{until is None}.geojson")
                document = geojson(ROWS)
                if until is not None:
                    document["features"][1]["properties"]["active_until"] = until
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(document, file)
                places = QgsVectorLayer(path, "places", "ogr")
                self.assertEqual(places.featureCount(), len(ROWS))
                wanted = [(event.identifier, event.date_us) for event in replay(fixes_of_drive(), path)]
                results, feedback = self.events(places)
                # QGIS 3.22 drops the offset of a time, which the plugin then refuses.
                if until is None or "without its offset" not in "".join(feedback.warnings):
                    self.assertEqual(rows_of(results["EVENTS"], "identifier", "date_us"), wanted, feedback.warnings)

    def test_parts_that_are_missing_are_named(self):
        rows = [*ROWS, row(None, "lost", rule='{"all": ["low", "a beacon"]}')]
        rows += [row(None, f"r{number}", rule=f'{{"all": ["gone {number}"]}}') for number in range(20)]
        _, feedback = self.events(layer("places", FIELDS, rows))
        text = "\n".join(feedback.warnings)
        self.assertRegex(text, "'lost'.*'a beacon'")
        self.assertEqual(len(re.findall("'gone [0-9]+'", text)), 9)
        self.assertIn("11 more", text)

    def test_what_cannot_be_used_is_refused_with_the_reason(self):
        for given, place, reason in (
            ('{"all": []}', None, "rule: "),
            ("all(a, b)", None, "JSON object"),
            ('{"some": ["low"]}', None, "is not known"),
            ('{"all": ["bad"]}', None, "cycle"),
            ('{"all": ["low"]}', LOW, "set geometry to null"),
            ("[" * 200, None, "JSON object"),
        ):
            rows = [*ROWS, row(place, "bad", rule=given, radius=100.0)]
            _, feedback = self.events(layer("places", FIELDS, rows))
            self.assertTrue(any(reason in warning for warning in feedback.warnings), (given, feedback.warnings))
            with self.assertRaises(QgsProcessingException):
                self.events(layer("places", FIELDS, rows), BROKEN=1)
        rows = [*ROWS, row(LOW, "bad", radius=100.0, active="monday to friday")]
        _, feedback = self.events(layer("places", FIELDS, rows))
        self.assertIn("active", "".join(feedback.warnings))

    def test_fields_that_are_something_else_are_named(self):
        rows = [(LOW, "low", 300.0, "no parking", True)]
        fields = "field=name:string&field=radius:double&field=rule:string&field=active:bool"
        results, feedback = self.events(layer("places", fields, rows))
        self.assertGreater(len(rows_of(results["EVENTS"], "identifier")), 1)
        text = "\n".join(feedback.warnings)
        self.assertIn("the field 'active' is not used", text)
        self.assertIn("the field 'rule' of 1 features is not used", text)

    def test_a_time_without_its_offset_is_refused(self):
        fields = "field=name:string&field=radius:double&field=active:string&field=active_until:datetime"
        for spec, is_refused in ((Qt.UTC, False), (Qt.LocalTime, True)):
            until = QDateTime.fromMSecsSinceEpoch(START_MS + 2_500_000, spec)
            rows = [(LOW, "low", 300.0, interval(0, 2000), until), (HIGH, "high", 300.0, None, None)]
            results, feedback = self.events(layer("places", fields, rows))
            self.assertEqual("without its offset" in "".join(feedback.warnings), is_refused)
            names = {name for (name,) in rows_of(results["EVENTS"], "identifier")}
            self.assertEqual(names, {"high"} if is_refused else {"low", "high"})

    def test_the_other_algorithms(self):
        results, done, _ = run("comparepolicies", TRACKS=street(), CIRCLES=layer("p", FIELDS, ROWS), COMPARISON=MEMORY)
        self.assertTrue(done)
        self.assertGreater(min(int(row[0]) for row in rows_of(results["COMPARISON"], "events")), 3)
        points = layer("points", "field=n:integer", [(LOW, 1)])
        _, done, feedback = run("joinpoints", POINTS=points, CIRCLES=layer("p", FIELDS, ROWS), JOINED=MEMORY)
        self.assertTrue(done)
        self.assertTrue(any("a rule, which" in warning for warning in feedback.warnings), feedback.warnings)


if __name__ == "__main__":
    unittest.main()
