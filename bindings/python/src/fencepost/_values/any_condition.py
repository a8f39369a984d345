"""What a monitor may watch."""

from __future__ import annotations

from typing import TypeAlias

from .conditions import BeaconIdentityCondition, CircularGeographicCondition
from .shapes import CorridorGeographicCondition, PolygonalGeographicCondition

Condition: TypeAlias = (
    CircularGeographicCondition | PolygonalGeographicCondition | CorridorGeographicCondition | BeaconIdentityCondition
)
"""Any condition."""
