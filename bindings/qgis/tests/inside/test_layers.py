"""Tests the display in QGIS: styles, the temporal controller, polygons on the globe, help, and enabling and disabling
the plugin."""

import math
import os
import random
import tempfile
import unittest
from pathlib import Path

from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsDateTimeRange,
    QgsFeature,
    QgsGeometry,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsPointXY,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingOutputLayerDefinition,
    QgsProcessingParameterFeatureSink,
    QgsProject,
    QgsRectangle,
    QgsSymbolLayer,
    QgsVectorLayer,
    QgsVectorLayerTemporalContext,
)
from qgis.gui import QgsGui, QgsProcessingGui
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor
from support import Feedback, algorithm, layer, moment, plugin, rows_of, run, shops, street

import fencepost_qgis
from fencepost_qgis.circle_polygon import circle_polygon
from fencepost_qgis.fencepost.geodesic import inverse

MEMORY = QgsProcessing.TEMPORARY_OUTPUT
NAMES = ("geofenceevents", "comparepolicies", "monitoredcircles", "joinpoints")
PICTURE = os.environ.get("QGIS_PICTURE")
"""Folder in which the rendered map is saved for inspection."""


def loaded(name, *outputs, **parameters):
    """Returns the output layers as QGIS loads them after a run, including the algorithm's post-processing."""
    context, feedback = QgsProcessingContext(), Feedback()
    context.setProject(QgsProject.instance())
    ran = algorithm(name)
    wanted = {}
    # For outputs that it opens after the run, the dialog also sets the project as the destination.
    for output in outputs:
        wanted[output] = QgsProcessingOutputLayerDefinition(MEMORY, QgsProject.instance())
    results, done = ran.run({**parameters, **wanted}, context, feedback, {}, False)
    assert done, feedback.textLog()
    found = []
    for output in outputs:
        details = context.layerToLoadOnCompletionDetails(results[output])
        made = context.takeResultLayer(results[output])
        details.postProcessor().postProcessLayer(made, context, feedback)
        found.append(made)
    assert not feedback.warnings, feedback.warnings
    return found


class Styles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.events, cls.visits = loaded("geofenceevents", "EVENTS", "VISITS", TRACKS=street(), CIRCLES=shops())
        (cls.circles,) = loaded("monitoredcircles", "POLYGONS", CIRCLES=shops())
        (cls.comparison,) = loaded("comparepolicies", "COMPARISON", TRACKS=street(), CIRCLES=shops())

    def test_events_play_in_the_temporal_controller(self):
        temporal = self.events.temporalProperties()
        self.assertTrue(temporal.isActive())
        self.assertEqual(temporal.startField(), "date")
        window = QgsDateTimeRange(moment(300), moment(900))
        about = QgsVectorLayerTemporalContext()
        about.setLayer(self.events)
        expression = temporal.createFilterString(about, window)
        shown = sorted(feature["date_us"] for feature in self.events.getFeatures(expression))
        times = [us for (us,) in rows_of(self.events, "date_us")]
        first, last = (moment(seconds).toMSecsSinceEpoch() * 1000 for seconds in (300, 900))
        self.assertEqual(shown, sorted(us for us in times if first <= us <= last))
        self.assertTrue(0 < len(shown) < len(times))

    def test_symbols_and_labels(self):
        renderer = self.events.renderer()
        kinds = ["satisfied", "unsatisfied", "first satisfied", "first unsatisfied"]
        kinds += ["left_to_right", "right_to_left", ""]
        self.assertEqual([category.value() for category in renderer.categories()], kinds)
        words = ["enter", "leave", "inside at first", "outside at first"]
        words += ["crossed, left to right", "crossed, right to left", "no longer monitored"]
        self.assertEqual([category.label() for category in renderer.categories()], words)
        for category in renderer.categories():
            mark = category.symbol().symbolLayer(0)
            turned = mark.dataDefinedProperties().property(QgsSymbolLayer.PropertyAngle).field()
            self.assertEqual(turned, "heading" if category.label().startswith("crossed") else "")
        self.assertTrue(self.events.labelsEnabled())
        self.assertTrue(self.circles.labelsEnabled())
        self.assertEqual(self.circles.labeling().settings().fieldName, "identifier")
        index = self.visits.fields().indexOf("start")
        self.assertEqual(self.visits.editorWidgetSetup(index).config()["display_format"], "yyyy-MM-dd HH:mm:ss")
        index = self.comparison.fields().indexOf("mean_delay")
        self.assertEqual(self.comparison.attributeAlias(index), "mean delay (s)")

    def test_a_map_shows_them(self):
        settings = QgsMapSettings()
        settings.setLayers([self.events, self.circles])
        settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:2056"))
        settings.setOutputSize(QSize(700, 1400))
        settings.setBackgroundColor(QColor("white"))
        extent = settings.fullExtent()
        extent.scale(1.1)
        settings.setExtent(extent)
        job = QgsMapRendererParallelJob(settings)
        job.start()
        job.waitForFinished()
        picture = job.renderedImage()
        self.assertTrue(PICTURE is None or picture.save(PICTURE))
        self.assertEqual(job.errors(), [])
        boxes = [label.labelRect for label in job.takeLabelingResults().allLabels()]
        self.assertGreater(len(boxes), 3)
        for number, box in enumerate(boxes):
            # Boxes of neighbouring labels may touch.
            inner = box.buffered(-0.05 * box.height())
            self.assertFalse([other for other in boxes[:number] if other.intersects(inner)], "labels overlap")
        seen = {picture.pixelColor(x, y).name() for x in range(0, 700, 2) for y in range(0, 1400, 2)}
        for colour in ("#00305f", "#c23b00", "#0f6bd8"):
            self.assertIn(colour, seen)

    def test_marks_at_one_place_do_not_hide_each_other(self):
        """A device enters and leaves at the same position, for example at a door: both marks and both labels must be
        completely visible."""
        fields = "".join(f"&field={name}:string" for name in ("identifier", "state", "cause", "direction"))
        events = QgsVectorLayer(f"Point?crs=EPSG:2056{fields}&field=date:datetime", "events", "memory")
        seen = {}
        for states in (["satisfied"], ["unsatisfied"], ["satisfied", "unsatisfied"]):
            events.dataProvider().truncate()
            for number, state in enumerate(states):
                feature = QgsFeature(events.fields())
                feature.setAttributes(["shop", state, "crossing", None, moment(60 * number)])
                feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(2_600_000, 1_200_000)))
                self.assertTrue(events.dataProvider().addFeatures([feature])[0])
            message, done = events.loadNamedStyle(str(Path(fencepost_qgis.__file__).parent / "styles/events.qml"))
            self.assertTrue(done, message)
            settings = QgsMapSettings()
            settings.setLayers([events])
            settings.setDestinationCrs(events.crs())
            settings.setOutputSize(QSize(300, 200))
            settings.setBackgroundColor(QColor("white"))
            settings.setExtent(QgsRectangle(2_599_985, 1_199_990, 2_600_015, 1_200_010))
            job = QgsMapRendererParallelJob(settings)
            job.start()
            job.waitForFinished()
            picture = job.renderedImage()
            names = [picture.pixelColor(x, y).name() for x in range(300) for y in range(200)]
            seen[" ".join(states)] = [names.count("#00305f"), names.count("#c23b00")]
            self.assertEqual(len(job.takeLabelingResults().allLabels()), len(states))
        enter, leave = seen["satisfied"], seen["unsatisfied"]
        self.assertTrue(enter[0] > 20 and enter[1] == 0 and leave[1] > 20 and leave[0] == 0, seen)
        both = seen["satisfied unsatisfied"]
        self.assertTrue(both[0] > 0.85 * enter[0] and both[1] > 0.85 * leave[1], seen)

    def test_a_second_run_is_styled_too(self):
        """QGIS deletes a layer's styler with the context of the run, so each run needs a new styler."""
        for _ in range(3):
            (events,) = loaded("geofenceevents", "EVENTS", TRACKS=street(steps=60), CIRCLES=shops(), VISITS=None)
            self.assertTrue(events.temporalProperties().isActive())

    def test_places_that_overlap_are_outlines(self):
        """The layers below the circles stay visible, however many circles overlap."""
        rows = [((47.0 + 1e-5 * number, 8.0), f"place {number}", 300.0) for number in range(60)]
        (circles,) = loaded(
            "monitoredcircles", "POLYGONS", CIRCLES=layer("many", "field=name:string&field=radius:double", rows)
        )
        circles.setLabelsEnabled(False)
        settings = QgsMapSettings()
        settings.setLayers([circles])
        settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:2056"))
        settings.setOutputSize(QSize(400, 400))
        settings.setBackgroundColor(QColor("white"))
        settings.setExtent(settings.fullExtent())
        job = QgsMapRendererParallelJob(settings)
        job.start()
        job.waitForFinished()
        picture = job.renderedImage()
        self.assertEqual(picture.pixelColor(200, 200).name(), "#ffffff")
        self.assertIn("#0f6bd8", {picture.pixelColor(x, 200).name() for x in range(400)})

    def test_events_lie_above_places(self):
        """The layer of events lies above the layers of circles, in whatever order the layers were made. The other
        layers of the project are not moved."""
        project = QgsProject.instance()
        for made in (("events", "circles"), ("circles", "events"), ("events", "circles", "circles")):
            project.clear()
            root = project.layerTreeRoot()
            base = layer("base", "field=name:string", [])
            project.addMapLayer(base)
            try:
                for what in made:
                    if what == "events":
                        outputs = ("geofenceevents", "EVENTS", "events"), {"TRACKS": street(steps=60), "VISITS": None}
                    else:
                        outputs = ("monitoredcircles", "POLYGONS", "circles"), {}
                    (name, output, kind), parameters = outputs
                    context, feedback = QgsProcessingContext(), Feedback()
                    context.setProject(project)
                    wanted = QgsProcessingOutputLayerDefinition(MEMORY, project)
                    results, done = algorithm(name).run(
                        {"CIRCLES": shops(), **parameters, output: wanted}, context, feedback, {}, False
                    )
                    self.assertTrue(done)
                    details = context.layerToLoadOnCompletionDetails(results[output])
                    found = context.takeResultLayer(results[output])
                    found.setName(kind)
                    project.addMapLayer(found)  # do as QGIS does: add the layer on top, then run the post-processor
                    details.postProcessor().postProcessLayer(found, context, feedback)
                order = [node.name() for node in root.children()]
                self.assertEqual(order, ["events", *["circles"] * made.count("circles"), "base"])
                self.assertEqual([found.name() for found in root.layerOrder()], order)
            finally:
                project.clear()


class Files(unittest.TestCase):
    def test_events_and_visits_in_one_geopackage(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/out.gpkg"
            sinks = {name: f"ogr:dbname='{path}' table=\"{name.lower()}\" (geom)" for name in ("EVENTS", "VISITS")}
            results, done, _feedback = run("geofenceevents", TRACKS=street(), CIRCLES=shops(), **sinks)
            self.assertTrue(done)
            for name in ("event", "visit"):
                written = QgsVectorLayer(f"{path}|layername={name}s", name, "ogr")
                self.assertEqual(written.featureCount(), results[f"{name.upper()}_COUNT"])
                self.assertTrue(written.featureCount() > 10)

    def test_without_a_table_of_visits(self):
        results, done, _ = run("geofenceevents", TRACKS=street(), CIRCLES=shops(), EVENTS=MEMORY, VISITS=None)
        self.assertTrue(done)
        self.assertNotIn("VISITS", results)

    def test_a_file_that_cannot_be_written(self):
        with self.assertRaisesRegex(Exception, "no-such-folder"):
            run("geofenceevents", TRACKS=street(), CIRCLES=shops(), EVENTS="/proc/no-such-folder/events.gpkg")


class Circles(unittest.TestCase):
    def test_contain_what_is_nearer_than_the_radius(self):
        seed = 20261121
        source = random.Random(seed)
        places = [(0, 0), (47, 8), (10, 179.9), (-20, -179.99), (89.5, 30), (-89.9, -120), (90, 0), (-90, 0), (60, 180)]
        for latitude, longitude in places:
            for radius in (150, 30_000, 900_000, 5_000_000, 9_000_000, 12_000_000, 15_000_000, 19_000_000, 2.1e7):
                shape = circle_polygon(latitude, longitude, radius, 360)
                case = f"{latitude}, {longitude}, {radius} m, seed {seed}"
                self.assertTrue(shape.isGeosValid(), case)
                box = shape.boundingBox()
                self.assertTrue(QgsRectangle(-180, -90, 180, 90).contains(box), case)
                for _ in range(60):
                    # The points are all over the globe, and some are near the circle.
                    y, x = source.uniform(-90, 90), source.uniform(-180, 180)
                    if radius < 5_000_000:
                        reach = radius / 111_000 * 1.5
                        y = min(89.999, max(-89.999, latitude + source.uniform(-reach, reach)))
                        x = longitude + source.uniform(-reach, reach) / max(0.01, abs(math.cos(math.radians(y))))
                        x = (x + 180) % 360 - 180
                    distance = inverse(latitude, longitude, y, x).distance
                    if abs(distance - radius) < 0.01 * radius:
                        continue  # the polygon's edges run slightly inside the circle, so skip points near them
                    inside = shape.contains(QgsGeometry.fromPointXY(QgsPointXY(x, y)))
                    self.assertEqual(inside, distance < radius, f"{case}: {y}, {x} at {distance}")

    def test_over_the_antimeridian_in_two_parts(self):
        shape = circle_polygon(10, 179.9, 50_000, 90)
        self.assertEqual(len(shape.asMultiPolygon()), 2)
        rows = [((10, 179.9), "dateline", 50_000.0), ((89.9, 0), "pole", 50_000.0), ((0, 98), "Indian Ocean", 50_000.0)]
        fields = "field=name:string&field=radius:double&field=Radius_note:string"
        circles = layer("far", fields, [(*row, "x") for row in rows])
        results, done, feedback = run("monitoredcircles", CIRCLES=circles, POLYGONS=MEMORY)
        self.assertTrue(done)
        polygons = results["POLYGONS"]
        self.assertEqual(
            [field.name() for field in polygons.fields()],
            ["identifier", "radius", "latitude", "longitude", "name", "Radius_note"],
        )
        self.assertEqual([row[0] for row in rows_of(polygons, "identifier")], ["dateline", "pole", "Indian Ocean"])
        zone, _, feedback = run("monitoredcircles", CIRCLES=circles, CRS="EPSG:32632", POLYGONS=MEMORY)
        self.assertEqual([row[0] for row in rows_of(zone["POLYGONS"], "identifier")], ["dateline", "pole"])
        (warning,) = feedback.warnings
        self.assertRegex(warning, "^places layer 'far', feature 3: .*EPSG:32632")


class OtherShapes(unittest.TestCase):
    """A layer that does not contain points is refused, and the error message gives advice."""

    def refused(self, **parameters):
        feedback, errors = Feedback(), []
        feedback.reportError = lambda error, fatal=False: errors.append(error)
        given = {"TRACKS": street(), "CIRCLES": shops(), "EVENTS": MEMORY, **parameters}
        try:
            _, done = algorithm("geofenceevents").run(given, QgsProcessingContext(), feedback, {}, False)
        except Exception as error:  # QGIS raises an exception type of its own
            errors.append(str(error))
            done = False
        self.assertFalse(done)
        self.assertEqual(feedback.warnings, [])
        return " ".join([*errors, feedback.textLog()])

    def test_circles_are_drawn_from_points(self):
        for kind in ("Polygon", "LineString"):
            areas = QgsVectorLayer(f"{kind}?crs=EPSG:4326&field=radius:double", "areas", "memory")
            with self.assertRaises(Exception) as caught:
                run("monitoredcircles", CIRCLES=areas, POLYGONS=MEMORY)
            self.assertIn("areas", str(caught.exception))

    def test_lines(self):
        lines = QgsVectorLayer("LineString?crs=EPSG:4326&field=time:datetime", "lines", "memory")
        self.assertIn("native:extractvertices", self.refused(TRACKS=lines))
        self.assertRegex(self.refused(CIRCLES=lines), "places layer 'lines': .*radius")

    def test_what_probably_brings_a_layer_off_the_earth(self):
        for place, cause in (
            ((116.37, 39.9), "swapped"),
            ((39.9, 243.6), " 0 to 360"),
            ((5_800_000.0, 400_000.0), "EPSG:4326"),
        ):
            tracks = layer("tracks", "field=time:datetime", [(place, moment(0)), (place, moment(1))])
            given = {"TRACKS": tracks, "CIRCLES": shops(), "EVENTS": MEMORY}
            with self.assertRaises(Exception) as caught:
                algorithm("geofenceevents").run(given, QgsProcessingContext(), Feedback(), {}, False)
            self.assertRegex(str(caught.exception), "usable fix; 2 features .* feature 1: ")
            self.assertIn(cause, str(caught.exception))


class Plugin(unittest.TestCase):
    def test_help_keeps_its_paragraphs(self):
        """QGIS makes a paragraph of each line, and qgis_process shows the text unchanged, so the text must have no tags
        and no wrapped lines."""
        for name in NAMES:
            text = algorithm(name).shortHelpString()
            self.assertNotRegex(text, "[<>&]", name)
            paragraphs = text.split("\n\n")
            self.assertGreaterEqual(len(paragraphs), 2, name)
            for line in text.split("\n"):
                self.assertFalse(line and line[0].islower(), f"{name}: a line continues: {line}")
                self.assertRegex(line, r"^$|[.:;]$", f"{name}: a line ends within a sentence: {line}")

    def test_everything_explains_itself(self):
        provider = QgsApplication.processingRegistry().providerById("fencepost")
        self.assertFalse(provider.icon().isNull())
        self.assertEqual({made.name() for made in provider.algorithms()}, set(NAMES))
        for made in provider.algorithms():
            self.assertFalse(made.icon().pixmap(24, 24).isNull(), made.name())
            self.assertTrue(len(made.shortHelpString()) > 300 and made.shortDescription().endswith("."))
            self.assertEqual(made.canExecute(), (True, ""))
            for parameter in made.parameterDefinitions():
                sink = isinstance(parameter, QgsProcessingParameterFeatureSink)
                self.assertTrue(sink or parameter.help().endswith("."), parameter.name())

    def test_the_dialog_has_a_widget_for_everything_and_its_defaults_run(self):
        project, context = QgsProject.instance(), QgsProcessingContext()
        context.setProject(project)
        layers = {"TRACKS": street(), "CIRCLES": shops(), "POINTS": street()}
        project.addMapLayers(list(layers.values()), False)
        try:
            for name in NAMES:
                made, values, wrappers, widgets = algorithm(name), {}, [], []
                for parameter in made.parameterDefinitions():
                    if parameter.isDestination():
                        values[parameter.name()] = MEMORY
                        continue
                    wrapper = QgsGui.processingGuiRegistry().createParameterWidgetWrapper(
                        parameter, QgsProcessingGui.Standard
                    )
                    self.assertIsNotNone(wrapper, parameter.name())
                    widgets.append(wrapper.createWrappedWidget(context))
                    wrappers.append(wrapper)
                for wrapper in wrappers:
                    wrapper.postInitialize(wrappers)
                for wrapper in wrappers:
                    parameter = wrapper.parameterDefinition()
                    if parameter.name() in layers:
                        wrapper.setParameterValue(layers[parameter.name()].id(), context)
                    values[parameter.name()] = wrapper.parameterValue()
                results, done, feedback = run(name, context=context, **values)
                self.assertTrue(done, name)
                self.assertEqual(feedback.warnings, [])
                if name == "geofenceevents":
                    events = rows_of(results["EVENTS"], "sequence", "identifier", "date_us")
                    plain, _, _ = run(name, **layers, EVENTS=MEMORY)
                    self.assertEqual(events, rows_of(plain["EVENTS"], "sequence", "identifier", "date_us"))
        finally:
            project.removeAllMapLayers()

    def test_an_old_python_is_refused_with_what_to_do(self):
        from fencepost_qgis import engine

        oldest, engine.OLDEST_PYTHON = engine.OLDEST_PYTHON, (99, 0)
        engine.engine_problem.cache_clear()
        try:
            possible, reason = algorithm("geofenceevents").canExecute()
        finally:
            engine.OLDEST_PYTHON = oldest
            engine.engine_problem.cache_clear()
        self.assertFalse(possible)
        self.assertRegex(reason, "^the engine .* Python 3.11 .* zip .* Linux .*; .* Linux")
        self.assertIn("Run `make qgis-plugin`", reason)
        self.assertEqual(algorithm("geofenceevents").canExecute(), (True, ""))

    def test_comes_and_goes(self):
        registry = QgsApplication.processingRegistry()
        plugin.unload()
        self.assertIsNone(registry.providerById("fencepost"))
        plugin.unload()
        plugin.initGui()
        self.assertIsNotNone(registry.algorithmById("fencepost:geofenceevents"))

    def test_styles_are_files_of_qgis(self):
        folder = Path(fencepost_qgis.__file__).parent / "styles"
        for path in folder.glob("*.qml"):
            kind = {"events": "Point", "circles": "MultiPolygon"}.get(path.stem, "NoGeometry")
            message, done = QgsVectorLayer(f"{kind}?crs=EPSG:4326", "styled", "memory").loadNamedStyle(str(path))
            self.assertTrue(done, message)
