"""Circles as polygons in longitude and latitude: every vertex lies on the geodesic circle.

A circle across the antimeridian becomes two parts. A circle around a pole reaches the map's edge at that pole.
"""

from math import copysign

from qgis.core import QgsGeometry, QgsPointXY, QgsRectangle

from .fencepost.geodesic import direct, inverse

WORLD = QgsRectangle(-180, -90, 180, 90)


def circle_polygon(latitude, longitude, radius, segments):
    """Returns the polygon of a circle, in degrees, within ±180 and ±90.

    Args:
        latitude: Degrees.
        longitude: Degrees.
        radius: The radius, in metres along the ground.
        segments: Number of vertices, 3 or more.
    """
    if radius >= _farthest(latitude, longitude):
        return QgsGeometry.fromRect(WORLD)
    ring = _ring(latitude, longitude, radius, segments)
    turned = ring[-1][0] - ring[0][0]
    if abs(turned) > 180:
        # The circle contains the nearer pole. The circle's ring begins and ends on one meridian, so close the ring
        # along that meridian and along the map's edge at the pole.
        pole = copysign(90, latitude)
        return _within_world([*ring, (ring[-1][0], pole), (ring[0][0], pole)])
    inside = _within_world(ring)
    if radius > max(inverse(latitude, longitude, pole, longitude).distance for pole in (-90, 90)):
        # The circle contains both poles, so the ring encloses the area outside the circle.
        return QgsGeometry.fromRect(WORLD).difference(inside)
    return inside


def _farthest(latitude, longitude):
    """Returns the distance to the antipode. No other point is more than a few metres farther away."""
    return inverse(latitude, longitude, -latitude, longitude + (180 if longitude <= 0 else -180)).distance


def _ring(latitude, longitude, radius, segments):
    """The vertices as a closed ring that starts in the north and runs towards the east; longitudes continue beyond 180
    instead of jumping."""
    azimuths = [360 * index / segments for index in range(segments)]
    ends = direct(latitude, longitude, azimuths, radius)
    ring = []
    for x, y in [*zip(ends.longitude, ends.latitude), (ends.longitude[0], ends.latitude[0])]:
        turns = round((ring[-1][0] - x) / 360) if ring else 0
        ring.append((x + 360 * turns, y))
    return ring


def _within_world(ring):
    """The ring as a polygon, with longitudes beyond 180 degrees wrapped."""
    polygon = QgsGeometry.fromPolygonXY([[QgsPointXY(x, y) for x, y in ring]])
    box = polygon.boundingBox()
    if box.xMinimum() >= -180 and box.xMaximum() <= 180:
        return polygon
    if not polygon.isGeosValid():
        polygon = polygon.makeValid()
    parts = []
    for shift in (-360, 0, 360):
        moved = QgsGeometry(polygon)
        moved.translate(shift, 0)
        part = moved.clipped(WORLD)
        if not part.isEmpty():
            parts.append(part)
    return QgsGeometry.unaryUnion(parts)
