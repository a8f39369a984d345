"""Draws the ride through Basel as QGIS shows it after the "Geofence events" and "Monitored circles" algorithms have
run.

bindings/site/pictures.py runs this script:

    QGIS_PLUGIN=FOLDER /usr/bin/python3 bindings/site/qgis_map.py PLACES.csv PICTURE.png

Run this script with the Python interpreter of QGIS. FOLDER contains the unpacked plugin, as bindings/qgis/tests/run.sh
leaves it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "qgis" / "tests" / "inside"))

from qgis.core import (  # noqa: E402
    QgsCoordinateReferenceSystem,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsMarkerSymbol,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingOutputLayerDefinition,
    QgsProject,
    QgsSingleSymbolRenderer,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QSize  # noqa: E402
from qgis.PyQt.QtGui import QColor  # noqa: E402
from support import Feedback, algorithm  # noqa: E402

SWISS = "EPSG:2056"


def opened(name, output, **parameters):
    """Runs an algorithm, and returns its output layer with the style that the algorithm sets in QGIS."""
    context, feedback = QgsProcessingContext(), Feedback()
    context.setProject(QgsProject.instance())
    wanted = QgsProcessingOutputLayerDefinition(QgsProcessing.TEMPORARY_OUTPUT, QgsProject.instance())
    results, done = algorithm(name).run({**parameters, output: wanted}, context, feedback, {}, False)
    assert done, feedback.textLog()
    details = context.layerToLoadOnCompletionDetails(results[output])
    layer = context.takeResultLayer(results[output])
    details.postProcessor().postProcessLayer(layer, context, feedback)
    return layer


def main():
    places, picture = sys.argv[1:]
    track = QgsVectorLayer(f"{ROOT}/examples/data/tracks/gpx/bike-basel.gpx|layername=track_points", "ride", "ogr")
    uri = f"file://{Path(places).resolve()}?xField=longitude&yField=latitude&crs=EPSG:4326"
    circles = QgsVectorLayer(uri, "places", "delimitedtext")
    assert track.featureCount() == 120 and circles.featureCount() == 3
    track.setRenderer(
        QgsSingleSymbolRenderer(
            QgsMarkerSymbol.createSimple({"color": "#8a929b", "size": "1.4", "outline_style": "no"})
        )
    )
    events = opened("geofenceevents", "EVENTS", TRACKS=track, CIRCLES=circles, NOTIFY=[1, 2])
    polygons = opened("monitoredcircles", "POLYGONS", CIRCLES=circles)
    settings = QgsMapSettings()
    settings.setLayers([events, track, polygons])
    settings.setDestinationCrs(QgsCoordinateReferenceSystem(SWISS))
    settings.setOutputSize(QSize(760, 900))
    settings.setBackgroundColor(QColor("white"))
    extent = settings.layerExtentToOutputExtent(polygons, polygons.extent())
    extent.scale(1.2)
    settings.setExtent(extent)
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    assert job.errors() == [] and job.renderedImage().save(picture)


main()
