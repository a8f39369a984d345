"""Tests that a monitor reads tables from other libraries."""

from __future__ import annotations

import random

import pytest
from arrow_streams import circles, one_by_one, outcome, table_of, watching, way
from conftest import mentions, optional, refusal

from fencepost import Circle, Monitor, State


def test_geopandas() -> None:
    geopandas = pytest.importorskip("geopandas")
    rows = way(120, random.Random(3))
    rows = [row for row in rows if abs(row[0]) <= 90]
    expected = one_by_one(rows)
    points = geopandas.points_from_xy([row[1] for row in rows], [row[0] for row in rows])
    table = table_of(rows).to_pandas()
    frame = geopandas.GeoDataFrame(table[["time", "accuracy"]], geometry=points, crs=4326)
    for encoding in ("WKB", "geoarrow"):
        for interleaved in (True, False):
            monitor = watching(rows)
            monitor.feed_many(frame.to_arrow(geometry_encoding=encoding, interleaved=interleaved))
            assert outcome(monitor) == expected
            shops = geopandas.GeoDataFrame({"identifier": ["a"], "radius": [5]}, geometry=points[:1], crs=4326)
            monitor.add_many(shops.to_arrow(geometry_encoding=encoding, interleaved=interleaved))
            assert monitor["a"].condition == Circle(*rows[0][:2], 5)
    mercator = frame.dropna().to_crs(3857).to_arrow()
    assert mentions(refusal(Monitor().feed_many, mercator), "EPSG:3857 … WGS84")


def test_pandas() -> None:
    pytest.importorskip("pandas")
    rows = way(120, random.Random(4))
    monitor = watching(rows)
    monitor.feed_many(table_of(rows).to_pandas())
    assert outcome(monitor) == one_by_one(rows)


def test_polars() -> None:
    polars = optional("polars")
    rows = way(120, random.Random(6))
    expected = one_by_one(rows)
    frame = polars.DataFrame(table_of(rows)).with_columns(note=polars.lit("a text that does not fit into a view"))
    chunks = polars.concat([frame[:50], frame[50:]], rechunk=False)
    numbers = frame.with_columns(time_us=polars.col("time").dt.epoch("us")).drop("time")
    for given in (frame, chunks, numbers):
        monitor = watching(rows)
        monitor.feed_many(given)
        assert outcome(monitor) == expected
    columns = circles(30, random.Random(7))
    shops = polars.DataFrame(columns)
    texts, categories = Monitor(), Monitor()
    texts.add_many(shops)
    categories.add_many(shops.with_columns(polars.col("name", "policy", "assuming").cast(polars.Categorical)))
    assert list(texts.records()) == list(categories.records()) and texts.identifiers == columns["name"]
    assert texts[columns["name"][4]].last_event.state is State(columns["assuming"][4] or "unknown")
