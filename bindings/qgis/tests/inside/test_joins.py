"""Join points with places: the pairs are those of the library, whatever the coordinate systems."""

import unittest

from qgis.core import NULL, QgsProcessing, QgsProcessingException
from support import Feedback, layer, layer_of_shapes, rows_of, run, shops

from fencepost_qgis.fencepost import CircularGeographicCondition, Monitor, PolygonalGeographicCondition

MEMORY = QgsProcessing.TEMPORARY_OUTPUT
POINTS = [(47.0 + 0.0011 * step, 8.0 + 0.00021 * step) for step in range(90)]
SQUARE = "POLYGON ((7.995 47.012, 8.012 47.012, 8.012 47.034, 7.995 47.034, 7.995 47.012))"


def points(crs="EPSG:4326", extra=()):
    rows = [(place, f"p{number}", 7) for number, place in enumerate(POINTS)]
    return layer("points", "field=name:string&field=distance:integer", [*rows, *extra], crs)


def monitor():
    made = Monitor()
    for number in range(10):
        centre = 47.0 + 0.01 * number, 8.0 + 0.002 * number
        made.add(CircularGeographicCondition(*centre, radius=150.0 + number), f"shop {number}")
    return made


class Joins(unittest.TestCase):
    def joined(self, **parameters):
        results, done, feedback = run("joinpoints", JOINED=MEMORY, **parameters)
        self.assertTrue(done)
        return rows_of(results["JOINED"], "name", "place", "distance"), feedback, results["JOINED"]

    def close(self, found, wanted):
        self.assertEqual([row[:2] for row in found], [row[:2] for row in wanted])
        for (_, _, distance), (_, _, other) in zip(found, wanted):
            self.assertAlmostEqual(distance, other, delta=1e-5)

    def test_containing(self):
        asked = monitor()
        wanted = [
            (f"p{row}", name, asked.nearest(*point, 10)[name])
            for row, point in enumerate(POINTS)
            for name in asked.containing(*point)
        ]
        self.assertGreater(len(wanted), 20)
        for crs, places in ("EPSG:4326", shops()), ("EPSG:32632", shops("EPSG:3857")):
            found, feedback, output = self.joined(POINTS=points(crs), CIRCLES=places)
            self.close(found, wanted)
            self.assertEqual(feedback.warnings, [])
            self.assertEqual(output.crs().authid(), crs)
            self.assertEqual(output.fields().names(), ["place", "distance", "name"])

    def test_unmatched_points_stay_when_they_are_wanted(self):
        found, _, _ = self.joined(POINTS=points(), CIRCLES=shops(), UNMATCHED=True)
        self.assertEqual({name for name, _, _ in found}, {f"p{number}" for number in range(90)})
        alone = [row for row in found if row[1] == NULL]
        self.assertTrue(alone and all(row[2] == NULL for row in alone))

    def test_nearest(self):
        asked = monitor()
        wanted = [
            (f"p{row}", name, distance)
            for row, point in enumerate(POINTS)
            for name, distance in asked.nearest(*point, 3).items()
        ]
        found, _, _ = self.joined(POINTS=points(), CIRCLES=shops(), JOIN=1, NEAREST=3)
        self.close(found, wanted)

    def test_polygons(self):
        shape = PolygonalGeographicCondition(SQUARE, edges="planar")
        inside = [(row, point) for row, point in enumerate(POINTS) if shape.contains(*point)]
        wanted = [(f"p{row}", "square", shape.distance(*point)) for row, point in inside]
        places = layer_of_shapes("areas", "Polygon", "field=name:string", [(SQUARE, "square")])
        found, _, _ = self.joined(POINTS=points(), CIRCLES=places)
        self.assertTrue(wanted)
        self.close(found, wanted)

    def test_what_is_no_point_is_named(self):
        found, feedback, _ = self.joined(POINTS=points(extra=[(None, "nowhere", 1)]), CIRCLES=shops())
        self.assertTrue(found)
        self.assertEqual(len(feedback.warnings), 1)
        self.assertIn("has no geometry", feedback.warnings[0])
        with self.assertRaises(QgsProcessingException):
            run("joinpoints", JOINED=MEMORY, POINTS=points(extra=[(None, "nowhere", 1)]), CIRCLES=shops(), BROKEN=1)
        empty = layer("empty", "field=name:string", [(None, "x")])
        with self.assertRaises(QgsProcessingException):
            run("joinpoints", JOINED=MEMORY, POINTS=empty, CIRCLES=shops())

    def test_cancelling_ends_it(self):
        feedback = Feedback()
        feedback.cancel()
        results, _, _ = run("joinpoints", feedback, JOINED=MEMORY, POINTS=points(), CIRCLES=shops())
        self.assertNotIn("p1", [row[0] for row in rows_of(results["JOINED"], "name")] if results else [])
