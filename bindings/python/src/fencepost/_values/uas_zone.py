"""One volume of a UAS geographical zone."""

from __future__ import annotations

from .._dataclass import dataclass
from .._tables.table import Plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .bands import AltitudeBand
    from .conditions import Circle
    from .enums import Restriction
    from .schedule import Timing
    from .shapes import Polygon


@dataclass(frozen=True, slots=True)
class UasZone(Plain):
    """A UAS geographical zone, or one of its volumes, as :func:`fencepost.uas.read` returns it."""

    identifier: str
    """The identifier in the file; with several volumes, a slash and the number of the volume follow."""
    name: str
    """The name in the file; of several languages the first. May be empty."""
    footprint: Circle | Polygon
    """The area on the ground. A monitor of this area without the band also tells of a drone above or below the
    zone."""
    band: AltitudeBand | None
    """The limits of height, or None without limits. The reader ignores a lower limit of at most 0 above the
    ground, and an upper limit of at least 99,999, because authorities write such a number for unlimited heights."""
    restriction: Restriction
    """The class of the restriction."""
    timing: Timing | None
    """When the zone applies; None means always."""
    place: str
    """The path of the volume in the file, for messages."""
    zone: str
    """The identifier of the zone in the file, which all of its volumes have."""
