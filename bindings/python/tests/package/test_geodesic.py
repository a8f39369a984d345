"""Tests geodesics: calls with numbers and calls with columns give equal results, which agree with geographiclib."""

from __future__ import annotations

from array import array

import numpy
import pytest
from geographiclib.geodesic import Geodesic
from hypothesis import given, strategies as st

from fencepost import geodesic
from fencepost.errors import InvalidArgumentError

LATITUDE, LONGITUDE = st.floats(-90, 90), st.floats(-180, 180)


@given(LATITUDE, LONGITUDE, LATITUDE, LONGITUDE)
def test_distance_is_that_of_geographiclib(lat1: float, lon1: float, lat2: float, lon2: float) -> None:
    expected = Geodesic.WGS84.Inverse(lat1, lon1, lat2, lon2)["s12"]
    assert geodesic.inverse(lat1, lon1, lat2, lon2).distance == pytest.approx(expected, abs=3e-8)


@given(st.floats(-89, 89), LONGITUDE, st.floats(-180, 180), st.floats(0, 1e7))
def test_direct_then_inverse_comes_back(latitude: float, longitude: float, azimuth: float, distance: float) -> None:
    end = geodesic.direct(latitude, longitude, azimuth, distance)
    back = geodesic.inverse(latitude, longitude, end.latitude, end.longitude)
    assert back.distance == pytest.approx(distance, abs=1e-7)
    expected = Geodesic.WGS84.Direct(latitude, longitude, azimuth, distance)
    assert end.latitude == pytest.approx(expected["lat2"], abs=1e-11)


def test_columns_give_what_scalars_give() -> None:
    lat, lon = [10.0, -20.0, 52.5], [13.4, 170.0, -60.0]
    expected = [geodesic.inverse(a, b, 1, 2) for a, b in zip(lat, lon)]
    for kind in (numpy.array, lambda values: array("d", values), list, tuple):
        result = geodesic.inverse(kind(lat), kind(lon), 1, 2)
        assert [tuple(row) for row in zip(*result)] == [tuple(row) for row in expected]
    assert isinstance(geodesic.inverse(numpy.array(lat), lon, 1, 2).distance, numpy.ndarray)
    assert isinstance(geodesic.inverse(array("d", lat), lon, 1, 2).distance, array)
    far = geodesic.direct(numpy.array(lat), numpy.array(lon), numpy.float64(45), numpy.array(1000))
    assert far.latitude.tolist() == [geodesic.direct(a, b, 45, 1000).latitude for a, b in zip(lat, lon)]


def test_scalars_of_all_kinds() -> None:
    assert geodesic.inverse(numpy.float32(0), 0, numpy.int64(0), 1.0) == geodesic.inverse(0, 0, 0, 1)
    assert isinstance(geodesic.inverse(0, 0, 0, 1).distance, float)


def test_empty_columns() -> None:
    assert list(geodesic.inverse([], [], 0, 0).distance) == []
    assert geodesic.inverse(numpy.array([]), 0, 0, 0).azimuth1.shape == (0,)


def test_a_bad_row_is_named() -> None:
    with pytest.raises(InvalidArgumentError, match="latitude") as caught:
        geodesic.inverse([0, 0, 91], 0, 0, 0)
    assert caught.value.position == 2
    with pytest.raises(InvalidArgumentError, match="one dimension"):
        geodesic.inverse(numpy.zeros((2, 2)), 0, 0, 0)
