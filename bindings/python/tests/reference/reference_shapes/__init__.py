"""The slow, obvious reference of polygons and corridors on the ellipsoid.

Written from ``design/shapes.md`` alone; rule numbers in comments are that page's. Geodesics come from
``geographiclib``, the last nanometres from ``mpmath``; nothing is shared with the engine. It exists to be
compared with, not to be used.
"""

from .corridor import Corridor
from .defects import Defect
from .geometry_texts import corridor_from, line_from, polygon_from
from .polygon import Polygon

__all__ = ["Corridor", "Defect", "Polygon", "corridor_from", "line_from", "polygon_from"]
