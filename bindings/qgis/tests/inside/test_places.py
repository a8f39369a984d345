"""Tests that the plugin gives the same events as the library's own replay for places that are polygons or lines, in all
coordinate systems."""

import unittest

from qgis.core import QgsProcessing, QgsProcessingException
from support import fixes_of_drive, layer, layer_of_shapes, moment, rows_of, run, shops, street

from fencepost_qgis.fencepost import (
    Corridor,
    Gate,
    Polygon,
    replay,
)

MEMORY = QgsProcessing.TEMPORARY_OUTPUT
KEYS = ("identifier", "state", "cause", "sequence")
# Longitude first. The block lies along the street, which runs from latitude 47, longitude 8 to the north-east.
BLOCK = [(7.995, 47.012), (8.012, 47.012), (8.012, 47.034), (7.995, 47.034)]
YARD = [(8.002, 47.018), (8.006, 47.018), (8.006, 47.022), (8.002, 47.022)]
FIELD = [(8.0, 47.05), (8.03, 47.05), (8.03, 47.07), (8.0, 47.07)]
WAY = [(7.99, 47.04), (8.03, 47.046), (8.05, 47.04)]


def ring(corners):
    return f"({', '.join(f'{x} {y}' for x, y in [*corners, corners[0]])})"


TEXTS = {
    "block": f"POLYGON ({ring(BLOCK)}, {ring(YARD)})",
    "both": f"MULTIPOLYGON (({ring(BLOCK)}), ({ring(FIELD)}))",
}


class Places(unittest.TestCase):
    def events(self, places, **parameters):
        results, done, feedback = run(
            "geofenceevents", TRACKS=street(), CIRCLES=places, EVENTS=MEMORY, VISITS=MEMORY, **parameters
        )
        self.assertTrue(done)
        return [tuple(map(str, row)) for row in rows_of(results["EVENTS"], *KEYS)], feedback

    def wanted(self, conditions):
        found = replay(fixes_of_drive(), conditions)
        return [(event.identifier, str(event.state), str(event.cause), str(event.sequence)) for event in found]

    def test_polygons_with_holes_and_parts(self):
        conditions = {name: Polygon(text, edges="planar") for name, text in TEXTS.items()}
        wanted = self.wanted(conditions)
        self.assertGreater(len(wanted), 6)
        rows = [(text, name) for name, text in TEXTS.items()]
        found, feedback = self.events(layer_of_shapes("areas", "MultiPolygon", "field=name:string", rows))
        self.assertEqual(found, wanted)
        self.assertEqual(feedback.warnings, [])
        # For shapes of this size, straight lines in a projected coordinate system equal geodesics to within a
        # millimetre.
        found, _ = self.events(layer_of_shapes("areas", "MultiPolygon", "field=name:string", rows, "EPSG:32632"))
        self.assertEqual(found, wanted)

    def test_too_many_vertices(self):
        """A layer with few vertices whose straight edges become more than half a million edges."""
        there = [(170 * (step % 2), 60 + 24 * step / 400) for step in range(200)]
        way = there + [(x + 1, y + 0.001) for x, y in reversed(there)]
        rows = [(f"POLYGON ({ring(way)})", "big")]
        with self.assertRaises(QgsProcessingException) as caught:
            self.events(layer_of_shapes("areas", "Polygon", "field=name:string", rows))
        self.assertIn("too_many_vertices", str(caught.exception))

    def test_lines_are_corridors(self):
        text = f"LINESTRING ({', '.join(f'{x} {y}' for x, y in WAY)})"
        wanted = self.wanted({"way": Corridor(text, 150, edges="planar")})
        self.assertGreater(len(wanted), 1)
        rows = [(text, "way", 0.15)]
        lines = layer_of_shapes("lines", "LineString", "field=name:string&field=radius:double", rows)
        found, _ = self.events(lines, RADIUS_UNIT=1)
        self.assertEqual(found, wanted)
        lines = layer_of_shapes("lines", "LineString", "field=name:string", [(text, "way")])
        found, _ = self.events(lines, RADIUS=150)
        self.assertEqual(found, wanted)

    def test_lines_are_gates_where_a_field_says_so(self):
        across = "LINESTRING (7.9 47.03, 8.1 47.03)"
        places = {
            "gate": Gate(across, edges="planar"),
            "road": Corridor(across, 150, edges="planar"),
        }
        wanted = [
            (event.identifier, str(event.state), str(event.direction))
            for event in replay(fixes_of_drive(), places, path="geodesic", max_gap=300)
        ]
        self.assertIn(("gate", "unknown", "right_to_left"), wanted)
        rows = [(across, "gate", None, True), (across, "road", 150.0, None)]
        fields = "field=name:string&field=radius:double&field=gate:bool"
        results, done, feedback = run(
            "geofenceevents", TRACKS=street(), CIRCLES=layer_of_shapes("lines", "LineString", fields, rows),
            EVENTS=MEMORY, PATH=1,
        )  # fmt: skip
        self.assertTrue(done)
        self.assertEqual(rows_of(results["EVENTS"], "identifier", "state", "direction"), [
            (name, state, None if direction == "None" else direction) for name, state, direction in wanted
        ])  # fmt: skip
        headings = {row[1] for row in rows_of(results["EVENTS"], "direction", "heading") if row[0] == "right_to_left"}
        self.assertEqual({round(heading) % 360 for heading in headings}, {0})  # the drive crosses the gate northwards
        results, done, feedback = run(
            "geofenceevents", TRACKS=street(), CIRCLES=layer_of_shapes("lines", "LineString", fields, rows),
            EVENTS=MEMORY,
        )  # fmt: skip
        self.assertTrue(done)
        self.assertRegex("".join(feedback.warnings), "gate, .*geodesic")
        self.assertEqual({row[0] for row in rows_of(results["EVENTS"], "identifier")}, {"road"})

    def test_shapes_in_metres_are_no_doubt(self):
        places = layer_of_shapes("areas", "Polygon", "field=name:string", [(TEXTS["block"], "block")], "EPSG:3857")
        _, feedback = self.events(places)
        self.assertNotIn("degrees", "".join(feedback.warnings))

    def test_several_devices_in_one_layer(self):
        rows = [
            ((47.0 + 0.05 * car + 1e-4 * step, 8.0), moment(10 * step + car), f"c{car}")
            for step in range(60) for car in range(3)
        ]  # fmt: skip
        for name in ("vehicle_id", "plate"):
            cars = layer("cars", f"field=time:datetime&field={name}:string", rows)
            parameters = {"TRACKS": cars, "CIRCLES": shops(), "EVENTS": MEMORY}
            if name == "vehicle_id":
                with self.assertRaises(QgsProcessingException) as caught:
                    run("geofenceevents", **parameters)
                self.assertIn("track field 'vehicle_id'", str(caught.exception))
            else:
                _, done, feedback = run("geofenceevents", **parameters)
                self.assertTrue(done)
                self.assertRegex("".join(feedback.warnings), r"several devices; .*track field.*\(plate")
            _, done, feedback = run("geofenceevents", TRACK_FIELD=name, **parameters)
            self.assertTrue(done)
            self.assertNotIn("several devices", "".join(feedback.warnings))

    def test_long_edges_are_named_once(self):
        wide = "POLYGON ((0 40, 20 40, 20 60, 0 60, 0 40))"
        rows = [(TEXTS["block"], "block"), (wide, "wide"), ("POLYGON ((7 46, 9 46, 9 48, 7 48, 7 46))", "less wide")]
        _, feedback = self.events(layer_of_shapes("areas", "Polygon", "field=name:string", rows))
        (warning,) = feedback.warnings
        self.assertRegex(
            warning, r"^places layer 'areas', feature 2: .* \(part 0, ring 0, edge 0, .* 2 features\).*straight lines"
        )

    def test_a_polygon_that_crosses_itself_is_named_with_its_cure(self):
        bow = "POLYGON ((8 47, 8.01 47.01, 8.01 47, 8 47.01, 8 47))"
        rows = [(bow, "bow"), (TEXTS["block"], "block")]
        _, feedback = self.events(layer_of_shapes("areas", "Polygon", "field=name:string", rows))
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^places layer 'areas', feature 1: crossing: ")
        self.assertIn("native:fixgeometries", warning)


if __name__ == "__main__":
    unittest.main()
