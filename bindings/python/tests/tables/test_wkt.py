"""Tests points as well-known text, compared with Shapely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import mentions
from hypothesis import given, strategies as st

from fencepost._tables.geometries import of_wkt
from fencepost._tables.wkt import wkt_point


@given(st.floats(-180, 180), st.floats(-90, 90))
def test_what_shapely_writes(x: float, y: float) -> None:
    shapely = pytest.importorskip("shapely")
    for point in (shapely.Point(x, y), shapely.Point(x, y, 12.5)):
        text = shapely.to_wkt(point, rounding_precision=-1)
        read = shapely.from_wkt(text)
        assert wkt_point(text) == (read.x, read.y)


@pytest.mark.parametrize(
    "text",
    ["POINT(13.4 52.5)", "point ( 13.4   52.5 )", "SRID=4326;POINT(13.4 52.5)", "POINT Z (13.4 52.5 30)",
     "POINTZ(13.4 52.5 30)", "POINT ZM (13.4 52.5 30 7)", " POINT M (13.4 52.5 1)\n", "POINT (+1.34e1 525E-1)"],
)  # fmt: skip
def test_ways_to_write_a_point(text: str) -> None:
    assert wkt_point(text) == (13.4, 52.5)


@pytest.mark.parametrize("text", ["POINT EMPTY", "", "  ", "SRID=4326;POINT EMPTY", "POINT Z EMPTY"])
def test_nothing(text: str) -> None:
    assert wkt_point(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("LINESTRING (1 2, 3 4)", "LINESTRING … POINT"),
        ("POLYGON ((1 2, 3 4, 5 6, 1 2))", "POLYGON … POINT"),
        ("POINT (1)", "is a POINT"),
        ("POINT (1 2, 3 4)", "is a POINT"),
        ("POINT (nan 2)", "is a POINT"),
        ("SRID=25833;POINT (389000 5819000)", "EPSG:25833 … WGS84"),
        ("13.4 52.5", "'13.4 52.5' … WKT … POINT"),
        ("x" * 1000, "xxx...' … WKT … POINT"),
        ("POINT (" + "1" * 10_000, "is a POINT"),
    ],
)
def test_what_is_no_point(text: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        wkt_point(text)
    assert mentions(caught.value, words)


@pytest.mark.parametrize("read", [wkt_point, of_wkt])
@pytest.mark.parametrize(
    ("head", "repeated", "tail"),
    [
        ("POINT (", "1", ""), ("", " ", "x"), ("POINT", " ", "x"), ("POINT (1", " ", "x"), ("POINT (1 2", " ", "x"),
        ("", "A", "("), ("", "A", ""), ("SRID", " ", "x"), ("SRID=1;", " ", "x"), ("SRID=", "1", ";POLYGON ((1 2))"),
        ("SRID=", "0", "25833;POLYGON ((1 2))"), ("SRID=", "0", "25833;POINT (1 2)"),
        ("POLYGON (", "(", ""), ("POLYGON ((1 2", " ", "x"), ("POLYGON ((1 2", ".", ""), ("POLYGON ((", "1", "x"),
    ],
)  # fmt: skip
def test_long_texts(read: Callable[[str], Any], head: str, repeated: str, tail: str) -> None:
    """A damaged text takes time in proportion to its length, and is not quoted as a whole. Patterns that match a part
    of a text in two ways would need minutes."""
    with pytest.raises(ValueError) as caught:
        read(head + repeated * 100_000 + tail)
    assert len(str(caught.value)) < 300
