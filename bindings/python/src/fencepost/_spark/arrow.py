"""Imports PyArrow, which Spark itself requires for functions written in Python."""

from __future__ import annotations

from typing import Any, TypeAlias

from .._errors import require

pyarrow: Any = require("pyarrow", "spark")
compute: Any = require("pyarrow.compute", "spark")
ipc: Any = require("pyarrow.ipc", "spark")

Batch: TypeAlias = Any
"""A ``pyarrow.RecordBatch``."""
Schema: TypeAlias = Any
"""A ``pyarrow.Schema``."""
