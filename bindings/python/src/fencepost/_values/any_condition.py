"""The type that covers every kind of condition."""

from __future__ import annotations

from typing import TypeAlias

from .conditions import Beacon, Circle
from .lines import Gate
from .rules import Rule
from .shapes import Corridor, Polygon

Condition: TypeAlias = Circle | Polygon | Corridor | Gate | Beacon | Rule
"""Any condition."""
