"""Runs QGIS inside this process, with the plugin from its zip.

    QGIS_PLUGIN=FOLDER /usr/bin/python3 -m unittest discover -s bindings/qgis/tests/inside

FOLDER contains the unpacked plugin. This code is written for the Python that QGIS uses, which has neither pytest nor
this project's packages.
"""

import os
import sys
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The computer's time zone must not change the times.
os.environ["TZ"] = "America/St_Johns"
time.tzset()

from qgis.core import (  # noqa: E402
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsFeature,
    QgsGeometry,
    QgsPointXY,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProject,
    QgsVectorLayer,
)
from qgis.gui import QgsGui  # noqa: E402
from qgis.PyQt.QtCore import QDateTime, Qt  # noqa: E402

sys.path.insert(0, os.environ["QGIS_PLUGIN"])
QgsApplication.setPrefixPath("/usr", True)
application = QgsApplication([], True)
application.initQgis()
QgsGui.editorWidgetRegistry().initEditors()

import fencepost_qgis  # noqa: E402

plugin = fencepost_qgis.classFactory(None)
plugin.initProcessing()

START_MS = 1_714_564_800_000
"""2024-05-01T12:00:00Z."""


class Feedback(QgsProcessingFeedback):
    """Collects the messages, and cancels once the progress has reached a chosen value."""

    def __init__(self, cancel_at=None):
        super().__init__(False)
        self.warnings, self.cancel_at, self.seen = [], cancel_at, []
        self.progressChanged.connect(self.progressed)

    def pushWarning(self, warning):
        self.warnings.append(warning)

    def progressed(self, progress):
        self.seen.append(progress)
        if self.cancel_at is not None and progress >= self.cancel_at:
            self.cancel()


def algorithm(name):
    return QgsApplication.processingRegistry().createAlgorithmById(f"fencepost:{name}")


def run(name, feedback=None, context=None, **parameters):
    """Runs an algorithm; returns its results, with the layers themselves instead of their ids."""
    context = context or QgsProcessingContext()
    context.setProject(QgsProject.instance())
    feedback = feedback or Feedback()
    ran = algorithm(name)
    possible, reason = ran.checkParameterValues(parameters, context)
    assert possible, reason
    results, done = ran.run(parameters, context, feedback, {}, False)
    for key, value in results.items():
        if isinstance(value, str) and context.temporaryLayerStore().mapLayer(value):
            results[key] = context.takeResultLayer(value)
    return results, done, feedback


def layer(name, fields, rows, crs="EPSG:4326"):
    """Creates a layer in memory; each row is (latitude, longitude) or None, followed by the attributes."""
    made = QgsVectorLayer(f"Point?crs={crs}&{fields}", name, "memory")
    to = QgsCoordinateTransform(
        QgsCoordinateReferenceSystem("EPSG:4326"), made.crs(), QgsProject.instance().transformContext()
    )
    features = []
    for place, *values in rows:
        feature = QgsFeature(made.fields())
        feature.setAttributes(values)
        if place is not None:
            feature.setGeometry(QgsGeometry.fromPointXY(to.transform(QgsPointXY(place[1], place[0]))))
        features.append(feature)
    done, _ = made.dataProvider().addFeatures(features)
    assert done
    return made


def moment(seconds):
    """A QGIS date and time in UTC."""
    return QDateTime.fromMSecsSinceEpoch(START_MS + round(seconds * 1000), Qt.UTC)


def drive(steps=2000):
    """Positions along a street and back, one per second."""
    for step in range(steps):
        there = step % 1000 if step // 1000 % 2 == 0 else 999 - step % 1000
        yield step, (47.0 + 1e-4 * there, 8.0 + 2e-5 * there)


def street(fields="field=time:datetime", when=moment, crs="EPSG:4326", steps=2000):
    """The drive as a layer."""
    return layer("street", fields, [(place, when(step)) for step, place in drive(steps)], crs)


def fixes_of_drive(steps=2000):
    """The fixes of the drive, in the library's form."""
    from fencepost_qgis.fencepost import Fix

    return [Fix(*place, time=(START_MS + 1000 * step) * 1000) for step, place in drive(steps)]


def layer_of_shapes(name, kind, fields, rows, crs="EPSG:4326"):
    """Creates a layer in memory; each row is a well-known text in degrees, followed by the attributes."""
    made = QgsVectorLayer(f"{kind}?crs={crs}&{fields}", name, "memory")
    to = QgsCoordinateTransform(
        QgsCoordinateReferenceSystem("EPSG:4326"), made.crs(), QgsProject.instance().transformContext()
    )
    features = []
    for text, *values in rows:
        shape = QgsGeometry.fromWkt(text)
        shape.transform(to)
        if kind.startswith("Multi"):
            shape.convertToMultiType()
        feature = QgsFeature(made.fields())
        feature.setAttributes(values)
        feature.setGeometry(shape)
        features.append(feature)
    done, _ = made.dataProvider().addFeatures(features)
    assert done
    return made


def shops(crs="EPSG:4326"):
    """Circles along the street."""
    rows = [((47.0 + 0.01 * number, 8.0 + 0.002 * number), f"shop {number}", 150.0 + number) for number in range(10)]
    return layer("shops", "field=identifier:string&field=radius:double", rows, crs)


def rows_of(output, *fields):
    return [tuple(feature[name] for name in fields) for feature in output.getFeatures()]
