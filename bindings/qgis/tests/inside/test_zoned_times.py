"""Tests how times with zones are read from files. QGIS 3.22 does not pass the zones on, so the times must still be read
correctly, or the file must be refused with the reason."""

import json
import sys
import tempfile
import time
import unittest
from datetime import UTC, datetime, timedelta, timezone
from unittest import mock

from osgeo import gdal
from qgis.core import (
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingFeatureSourceDefinition,
    QgsProject,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QDate, QDateTime, Qt, QTime
from support import Feedback, algorithm, drive, layer, rows_of, run, shops

from fencepost_qgis.fencepost import Circle, Fix, replay

MEMORY = QgsProcessing.TEMPORARY_OUTPUT
KEYS = ("sequence", "identifier", "state", "cause", "date_us", "evidence_date_us")
CIRCLES = {f"shop {number}": Circle(47.0 + 0.01 * number, 8.0 + 0.002 * number, 150.0 + number) for number in range(10)}
SUMMER, WINTER = timezone(timedelta(hours=2)), timezone(timedelta(hours=1))
START = datetime(2024, 10, 27, 0, 45, tzinfo=UTC)
"""A quarter of an hour before clocks are set back in Zurich, which has the drive's time zone."""


def wanted(when):
    fixes = [Fix(*place, time=when(step)) for step, place in drive()]
    return [tuple(getattr(event, name) for name in KEYS) for event in replay(fixes, CIRCLES)]


def autumn(step):
    """The drive's times as a clock in Zurich shows them. When summer time ends, many wall-clock times occur twice and
    differ only in the offset from UTC."""
    moment = START + timedelta(seconds=step)
    return moment.astimezone(SUMMER if moment < datetime(2024, 10, 27, 1, tzinfo=UTC) else WINTER)


def july(step):
    """A wall-clock time in summer, without a zone."""
    return datetime(2024, 7, 1, 12) + timedelta(seconds=step)


class Zoned(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.wanted = wanted(autumn)
        assert len(cls.wanted) > 40

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def file(self, when, kind="geojson", name="drive"):
        """Writes the drive to a file of the given kind and returns its path."""
        features = [
            {"type": "Feature", "properties": {"name": "x", "time": when(step), "speed": 1.5},
             "geometry": {"type": "Point", "coordinates": [place[1], place[0]]}}
            for step, place in drive()
        ]  # fmt: skip
        path = f"{self.folder.name}/{name}.geojson"
        with open(path, "w") as stream:
            json.dump({"type": "FeatureCollection", "features": features}, stream)
        if kind == "geojson":
            return path
        out = f"{self.folder.name}/{name}.{kind}"
        options = {"gpkg": "GPKG", "fgb": "FlatGeobuf", "gml": "GML", "sqlite": "SQLite"}
        # FlatGeobuf stores features in its own order.
        assert gdal.VectorTranslate(out, path, format=options[kind], layerName="way") is not None
        return out

    def events(self, tracks, **parameters):
        results, done, feedback = run("geofenceevents", TRACKS=tracks, CIRCLES=shops(), EVENTS=MEMORY, **parameters)
        self.assertTrue(done)
        return rows_of(results["EVENTS"], *KEYS), feedback

    def refused(self, tracks, **parameters):
        feedback = Feedback()
        errors = []
        feedback.reportError = lambda error, fatal=False: errors.append(error)
        parameters = {"TRACKS": tracks, "CIRCLES": shops(), "EVENTS": MEMORY, **parameters}
        try:
            _, done = algorithm("geofenceevents").run(parameters, QgsProcessingContext(), feedback, {}, False)
        except Exception as error:  # QGIS raises an exception type of its own
            errors.append(str(error))
            done = False
        self.assertFalse(done)
        return " ".join([*errors, feedback.textLog()])

    def test_offsets_of_files_count(self):
        """The drive spans the hour that occurs twice, when summer time ends."""
        for kind in ("geojson", "gpkg", "fgb", "gml", "sqlite"):
            found, feedback = self.events(self.file(lambda step: autumn(step).isoformat(), kind, "autumn"))
            self.assertEqual(found, self.wanted, kind)
            self.assertEqual(feedback.warnings, [], kind)

    def test_a_named_layer_a_filter_and_a_selection(self):
        path = self.file(lambda step: autumn(step).isoformat(), "gpkg", "autumn")
        found, _ = self.events(f"{path}|layername=way")
        self.assertEqual(found, self.wanted)
        half = wanted(autumn)
        end = int((START + timedelta(seconds=999)).timestamp() * 1e6)
        half = [event for event in half if event[4] <= end]
        found, _ = self.events(f'{path}|layername=way|subset="fid" <= 1000')
        self.assertEqual(found, half)
        way = QgsVectorLayer(f"{path}|layername=way", "way", "ogr")
        QgsProject.instance().addMapLayer(way)
        try:
            way.selectByExpression('"fid" <= 1000')
            found, _ = self.events(QgsProcessingFeatureSourceDefinition(way.id(), True))
            self.assertEqual(found, half)
        finally:
            QgsProject.instance().removeMapLayer(way.id())

    def test_what_was_edited_since_is_taken_as_it_was_edited(self):
        path = self.file(lambda step: autumn(step).isoformat(), "gpkg", "edited")
        way = QgsVectorLayer(path, "way", "ogr")
        QgsProject.instance().addMapLayer(way)
        try:
            self.assertTrue(way.startEditing())
            index = way.fields().indexOf("time")
            late = QDateTime(QDate(2024, 10, 28), QTime(0, 0), Qt.UTC)
            for feature in way.getFeatures():
                way.changeAttributeValue(feature.id(), index, late.addSecs(feature.id()))
            found, _ = self.events(way)
            self.assertEqual(
                found, wanted(lambda step: datetime(2024, 10, 28, tzinfo=UTC) + timedelta(seconds=step + 1))
            )
        finally:
            way.rollBack()
            QgsProject.instance().removeMapLayer(way.id())

    def test_utc_and_fractions_are_exact(self):
        def when(step):
            return START + timedelta(seconds=step, milliseconds=(step * 37) % 1000)

        def text(step):
            return when(step).isoformat(timespec="milliseconds").replace("+00:00", "Z")

        for kind in ("geojson", "gpkg", "fgb"):
            self.assertEqual(self.events(self.file(text, kind, "fine"))[0], wanted(when), kind)

    def test_a_time_that_clocks_here_jump_over_is_a_time(self):
        """The computer's zone is Newfoundland, where clocks skipped 02:30 on that day."""
        start = datetime(2024, 3, 10, 2, 10, tzinfo=UTC)
        self.assertEqual(time.tzname[0], "NST")
        found, feedback = self.events(
            self.file(lambda step: (start + timedelta(seconds=step)).isoformat(), "gpkg", "spring")
        )
        self.assertEqual(found, wanted(lambda step: start + timedelta(seconds=step)))
        self.assertEqual(feedback.warnings, [])

    def test_times_without_a_zone(self):
        """Times without a zone are read in the chosen zone; if no zone is chosen, they are read as UTC, and a message
        says so."""
        for kind in ("geojson", "gpkg", "fgb"):
            path = self.file(lambda step: july(step).isoformat(), kind, "bare")
            found, feedback = self.events(path)
            self.assertEqual(found, wanted(lambda step: july(step).replace(tzinfo=UTC)), kind)
            self.assertRegex(feedback.textLog(), "2000 times .* zone")
            for zone, ahead in (("Europe/Zurich", 120), ("+02:00", 120), ("-0330", -210), ("UTC", 0)):
                found, feedback = self.events(path, TIME_ZONE=zone)
                zoned = timezone(timedelta(minutes=ahead))
                self.assertEqual(found, wanted(lambda step, zoned=zoned: july(step).replace(tzinfo=zoned)), zone)
                self.assertEqual(feedback.warnings, [])
                self.assertNotIn("2000 times", feedback.textLog())

    def test_a_chosen_zone_changes_no_time_that_has_one(self):
        path = self.file(lambda step: autumn(step).isoformat(), "gpkg", "autumn")
        self.assertEqual(self.events(path, TIME_ZONE="Asia/Tokyo")[0], self.wanted)

    def test_a_chosen_zone_is_that_of_text_too(self):
        for end, zone in (("", SUMMER), ("Z", UTC), ("+01:00", WINTER), ("+01", WINTER)):
            rows = [(place, july(step).isoformat(" ") + end) for step, place in drive()]
            found, _ = self.events(layer("text", "field=time:string", rows), TIME_ZONE="Europe/Zurich")
            self.assertEqual(found, wanted(lambda step, zone=zone: july(step).replace(tzinfo=zone)), end)

    def test_a_time_that_is_there_twice_is_said(self):
        path = self.file(lambda step: autumn(step).replace(tzinfo=None).isoformat(), "gpkg", "twice")
        _, feedback = self.events(path, TIME_ZONE="Europe/Zurich")
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^tracks layer '.*': 2024-10-27 02:45:00 .*twice, .* Europe/Zurich")

    def test_what_is_no_zone_is_refused(self):
        path = self.file(lambda step: autumn(step).isoformat(), "gpkg", "autumn")
        for zone in (
            "Middle/Earth",
            "+25:00",
            "../../etc/passwd",
            "Europe",
            "noon",
            "/etc/localtime",
            "Europe/Berlin\n; x",
        ):
            said = self.refused(path, TIME_ZONE=zone)
            self.assertRegex(said, r"time zone .* Europe/Berlin, UTC .* \+02:00", zone)

    def test_where_ogr_cannot_be_asked_the_zone_must_be_chosen(self):
        path = self.file(lambda step: f"{july(step).isoformat()}+02:00", "gpkg", "july")
        with mock.patch.dict(sys.modules, {"osgeo": None}):
            said = self.refused(path)
            self.assertRegex(said, "QGIS .* zones of field 'time'.*Advanced Parameters")
            found, _ = self.events(path, TIME_ZONE="UTC")
        self.assertEqual(found, wanted(lambda step: july(step).replace(tzinfo=UTC)))
        # A layer whose filter is an SQL query has feature ids of its own.
        query = QgsVectorLayer(f"{path}|subset=SELECT fid + 7 AS fid, geom, time FROM way", "query", "ogr")
        if query.isValid():
            self.assertIn("filter", self.refused(query))
        with mock.patch.object(gdal, "OpenEx", return_value=None):
            self.assertIn("(OGR does not open ", self.refused(path))
        with mock.patch.object(gdal, "OpenEx", side_effect=RuntimeError("locked")):
            self.assertRegex(self.refused(path), r"cannot .*\(locked\)")

    def test_dates_without_a_time_of_day_are_said(self):
        rows = [((47.0, 8.0), QDate(2024, 5, day)) for day in range(1, 20)]
        _, feedback = self.events(layer("days", "field=time:date", rows))
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^tracks layer 'days': .* dates .*midnight")
