"""What a monitor may watch."""

from __future__ import annotations

from typing import TypeAlias

from .conditions import BeaconIdentityCondition, CircularGeographicCondition
from .lines import LineGeographicCondition
from .shapes import CorridorGeographicCondition, PolygonalGeographicCondition

Condition: TypeAlias = (
    CircularGeographicCondition
    | PolygonalGeographicCondition
    | CorridorGeographicCondition
    | LineGeographicCondition
    | BeaconIdentityCondition
)
"""Any condition."""
