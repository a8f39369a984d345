"""A slow and simple reference implementation of polygons and corridors on the ellipsoid.

The reference is written only from ``design/shapes.md``; rule numbers in comments refer to that page. Geodesics come
from ``geographiclib``, and the last nanometres are computed with ``mpmath``; no code is shared with the engine. The
reference exists to be compared with the engine, not to be used in programs.
"""

from .corridor import Corridor
from .defects import Defect
from .geometry_texts import corridor_from, line_from, polygon_from
from .polygon import Polygon

__all__ = ["Corridor", "Defect", "Polygon", "corridor_from", "line_from", "polygon_from"]
