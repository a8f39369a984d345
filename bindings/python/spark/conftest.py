"""Starts one Spark session for all tests in the folder. If Spark is not installed, the tests are skipped, and a message
says so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streams


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="pyspark is installed by make test-all")
    if shutil.which("java") is None:
        pytest.skip("there is no Java: .ci/java.sh")
    found = streams.session(tmp_path_factory.mktemp("spark"))
    yield found
    found.stop()


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[streams.Row], list[dict[str, Any]]]:
    """Returns the conditions, the rows, and the events that ``fencepost replay`` reports for these rows."""
    folder = tmp_path_factory.mktemp("world")
    conditions, rows = streams.write_conditions(folder), streams.walks()
    streams.write_csv(folder / "track.csv", rows[:-1])  # the last row is far from all places
    found = streams.replayed(folder / "track.csv", conditions, streams.until(rows))
    assert len(found) > 300
    return conditions, rows, found
