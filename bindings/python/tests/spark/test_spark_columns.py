"""Tests the columns of Spark frames, without Spark."""

from __future__ import annotations

import pytest

from fencepost._spark.columns import refuse_ellipses
from fencepost.errors import InvalidArgumentError


def test_error_ellipses_are_refused() -> None:
    """A replay would use them, so that its events would differ from those of Spark."""
    refuse_ellipses(["device", "lat", "lon", "accuracy", "time", "major", "error_major"])
    for name in ("error_major_m", "Error Minor (m)", "error_orientation_deg"):
        with pytest.raises(InvalidArgumentError) as caught:
            refuse_ellipses(["device", "lat", "lon", name])
        assert repr(name) in str(caught.value)
