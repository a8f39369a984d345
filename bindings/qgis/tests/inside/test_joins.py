"""Tests the "Join points with places" algorithm: it finds the same pairs as the library, in all coordinate systems."""

import os
import tempfile
import unittest

from qgis.core import NULL, QgsProcessing, QgsProcessingException, QgsProject, QgsVectorFileWriter, QgsVectorLayer
from support import Feedback, layer, layer_of_shapes, rows_of, run, shops

from fencepost_qgis.fencepost import Circle, Monitor, Polygon

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
        made.add(Circle(*centre, radius=150.0 + number), f"shop {number}")
    return made


class Joins(unittest.TestCase):
    def joined(self, **parameters):
        results, done, feedback = run("joinpoints", JOINED=MEMORY, **parameters)
        self.assertTrue(done)
        new = results["JOINED"].fields().names()[1]  # the points may already have a field named distance
        return rows_of(results["JOINED"], "name", "place", new), feedback, results["JOINED"]

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
            self.assertEqual(output.fields().names(), ["place", "distance_2", "name", "distance"])

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

    def test_from_file_to_file_where_points_match_twice(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "points.gpkg"), os.path.join(folder, "joined.gpkg")
            context = QgsProject.instance().transformContext()
            options = QgsVectorFileWriter.SaveVectorOptions()
            code = QgsVectorFileWriter.writeAsVectorFormatV3(points(), source, context, options)[0]
            self.assertEqual(code, QgsVectorFileWriter.NoError)
            stored = QgsVectorLayer(source, "stored", "ogr")
            self.assertIn("fid", stored.fields().names())
            _, done, _ = run("joinpoints", POINTS=stored, CIRCLES=shops(), JOIN=1, NEAREST=3, JOINED=target)
            self.assertTrue(done)
            joined = QgsVectorLayer(target, "joined", "ogr")
            self.assertEqual(joined.featureCount(), 270)
            self.assertEqual({row[0] for row in rows_of(joined, "distance")}, {7})  # the field of the input points
            del stored, joined

    def test_lines_with_a_gate_field_have_the_given_width(self):
        line = "LINESTRING (7.9 47.03, 8.1 47.03)"
        fields = "field=name:string&field=gate:bool"
        places = layer_of_shapes("lines", "LineString", fields, [(line, "road", True)])
        found, feedback, _ = self.joined(POINTS=points(), CIRCLES=places, RADIUS=500)
        self.assertEqual({row[1] for row in found}, {"road"})
        self.assertNotIn("gate", "".join(feedback.warnings))

    def test_polygons(self):
        shape = Polygon(SQUARE, edges="planar")
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
        self.assertIn("geometry", feedback.warnings[0])
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
