"""Tests the values of heights: bands, the heights of fixes, and the vertical margin of policies."""

from __future__ import annotations

import copy
import math
import pickle
from math import inf, nan
from typing import Any

import pytest

from fencepost import AltitudeBand, Beacon, Circle, Fix, Gate, Monitor, TransitionPolicy, Zones
from fencepost.errors import InvalidArgumentError
from fencepost.uas import HeightReference

AGL, AMSL, WGS84 = HeightReference.GROUND, HeightReference.MEAN_SEA_LEVEL, HeightReference.ELLIPSOID
PLACE = Circle(47.35, 8.55, 500)


def test_bands() -> None:
    one = AltitudeBand(0, 500, min_reference="ground", max_reference=AMSL)
    assert (one.min, one.max, one.min_reference, one.max_reference) == (0.0, 500.0, AGL, AMSL)
    assert one.described == "from 0 m above the ground to 500 m above mean sea level"
    assert AltitudeBand(0, 500, reference=AGL, max_reference="mean_sea_level") == one
    assert AltitudeBand(50).described == "from 50 m above the ellipsoid"
    assert AltitudeBand(max=50, reference=AGL).described == "up to 50 m above the ground"
    assert AltitudeBand(max=50, min_reference=AGL) == AltitudeBand(max=50)  # the reference of no limit means nothing
    assert AltitudeBand(500, 0, min_reference=AGL, max_reference=AMSL).min == 500
    assert one.to_dict() == {"min": 0.0, "max": 500.0, "min_reference": "ground", "max_reference": "mean_sea_level"}
    for same in (copy.copy(one), pickle.loads(pickle.dumps(one))):
        assert same == one
    assert hash(copy.deepcopy(one)) == hash(one)


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        ((nan,), {}, "min is nan"),
        ((inf,), {}, "min is inf"),
        ((0, -inf), {}, "max is -inf"),
        ((-1.1e9,), {}, "min is -1100000000"),
        ((0, 1.1e9), {}, "max is 1100000000"),
        ((), {}, "neither min nor max"),
        ((-inf, inf), {"reference": "ground"}, "neither min nor max"),
        ((120, 120), {}, "min 120 is not below max 120 m above the ellipsoid"),
        ((120, 20), {"reference": "ground"}, "above the ground"),
        ((0, 120), {"reference": "geoid"}, "reference 'geoid' is not one of ellipsoid"),
        ((0, 120), {"min_reference": "AGL"}, "min_reference"),
    ],
)
def test_bands_that_are_refused(values: tuple[Any, ...], options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=words):
        AltitudeBand(*values, **options)


@pytest.mark.parametrize("arguments", [{"max": "120"}, {"max": None}, {"min": True}, {"max": 5, "reference": 3}])
def test_values_of_other_types(arguments: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        AltitudeBand(**arguments)


def test_heights_of_fixes() -> None:
    plain = Fix(1, 2, time=3)
    assert (plain.altitude, plain.vertical_accuracy, plain.geoid_height, plain.ground_height) == (None, 0.0, None, None)
    assert Fix(1, 2, time=3, altitude=nan, geoid_height=nan, vertical_accuracy=None) == plain
    one = Fix(1, 2, time=3, altitude=4, vertical_accuracy=5, geoid_height=6, ground_height=7)
    assert (one.altitude, one.vertical_accuracy, one.geoid_height, one.ground_height) == (4.0, 5.0, 6.0, 7.0)
    assert one != plain
    assert one == pickle.loads(pickle.dumps(one)) == copy.deepcopy(one)
    assert pickle.loads(pickle.dumps(plain)) == plain
    assert math.isnan(Fix(1, 2, time=3, altitude=4, vertical_accuracy=nan).vertical_accuracy)
    for name in ("altitude", "vertical_accuracy", "geoid_height", "ground_height"):
        with pytest.raises(TypeError, match=name):
            Fix(1, 2, time=3, **{name: "4"})  # type: ignore[arg-type]


def test_a_fix_of_another_class_may_have_heights() -> None:
    class Sample:
        latitude, longitude, accuracy, time_us, altitude = 47.35, 8.55, 5.0, 0, 150.0

    monitor = Monitor()
    monitor.add(PLACE, "c", policy="exact", band=AltitudeBand(100, 200))
    monitor.feed(Sample())  # type: ignore[arg-type]
    (event,) = monitor.events()
    assert event.vertical_distance == -50


def test_vertical_margins() -> None:
    presets = TransitionPolicy.standard(), TransitionPolicy.exact(), TransitionPolicy.core_location()
    assert [policy.vertical_margin for policy in presets] == [10.0, 0.0, 0.0]
    assert TransitionPolicy.from_dict({"vertical_margin": 3}).to_dict()["vertical_margin"] == 3.0
    assert TransitionPolicy(vertical_margin=10) == TransitionPolicy.standard()
    for value in (-1, nan, inf):
        with pytest.raises(InvalidArgumentError, match="vertical_margin"):
            TransitionPolicy(vertical_margin=value)


def test_conditions_give_back_their_bands() -> None:
    bands = {
        "a": AltitudeBand(0, 120, reference=AGL),
        "b": AltitudeBand(max=500, reference=AMSL),
        "c": AltitudeBand(-20.5, 7, min_reference=AMSL),
        "d": None,
    }
    monitor = Monitor()
    for name, band in bands.items():
        monitor.add(PLACE, name, band=band)
    for each in (monitor, monitor.fork(), Monitor.restore(monitor.snapshot()), Monitor(monitor)):
        assert {name: each[name].band for name in each} == bands
    assert not monitor.ensure(PLACE, "a", band=AltitudeBand(0.5, 119.5, reference=AGL))
    assert monitor.ensure(PLACE, "a", band=AltitudeBand(0.5, 119.25, reference=AGL))
    assert monitor.ensure(PLACE, "b") and not monitor.ensure(PLACE, "d")
    assert monitor["b"].band is None


def test_only_zones_have_bands() -> None:
    monitor = Monitor(path="geodesic", max_gap=60)
    uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    for condition in (Beacon(uuid), Gate([(0, 0), (0, 1)], order="lonlat")):
        for holder in (monitor, Zones()):
            with pytest.raises(InvalidArgumentError):
                holder.add(condition, "c", band=AltitudeBand(0, 1))
    with pytest.raises(TypeError, match="band is dict"):
        monitor.add(PLACE, "c", band={"min": 0})  # type: ignore[arg-type]
    assert monitor.identifiers == []


def test_fed_columns() -> None:
    def monitor() -> Monitor:
        made = Monitor()
        made.add(PLACE, "c", policy="exact", band=AltitudeBand(100, 200, reference=AMSL))
        return made

    altitudes, uncertainties, geoids = [150, None, 260, 300.0], [0, 1, None, nan], [10, 10, None, 10]
    place = {"latitude": [47.35] * 4, "longitude": [8.55] * 4, "time": [0, 1, 2, 3]}
    one, other = monitor(), monitor()
    columns: dict[str, Any] = {"altitude": altitudes, "vertical_accuracy": uncertainties, "geoid_height": geoids}
    one.feed_many(**place, **columns)
    for row in range(4):
        values = {name: column[row] for name, column in columns.items()}
        other.feed(Fix(47.35, 8.55, time=row, **values))
    assert [event.to_json() for event in one.events()] == [event.to_json() for event in other.events()]
    assert one.snapshot() == other.snapshot()
    shared = monitor()
    shared.feed_many(**place, altitude=250, geoid_height=60)
    assert [event.vertical_distance for event in shared.events()] == [-10]
    for name in ("altitude", "vertical_accuracy", "geoid_height", "ground_height"):
        with pytest.raises(InvalidArgumentError):
            monitor().feed_many(**place, **{name: [1.0, 2.0]})
        with pytest.raises(TypeError):
            monitor().feed_many([Fix(0, 0, time=0)], **{name: [1.0]})


def test_an_event_and_an_explanation_have_the_vertical_distance() -> None:
    monitor = Monitor()
    monitor.add(PLACE, "c", band=AltitudeBand(100, 200), policy="exact")
    monitor.add(PLACE, "plain", policy="exact")
    monitor.feed(Fix(47.35, 8.55, time=0, altitude=230))
    banded, plain = monitor.events()
    assert (banded.vertical_distance, plain.vertical_distance) == (30.0, None)
    assert banded.to_dict()["vertical_distance"] == 30.0
    assert "vertical_distance" not in plain.to_dict()
    assert "30.0 m beyond the limits of height" in repr(banded)
    explained = monitor.explain("c")
    assert (str(explained.reason), explained.vertical_distance) == ("outside", 30.0)
    assert "height 30.0 m beyond the limits of height" in str(explained)
    monitor.feed(Fix(47.35, 8.55, time=1))
    assert (str(monitor.explain("c").reason), monitor.explain("c").vertical_distance) == ("no_height", None)


def test_questions_with_heights() -> None:
    zones = Monitor()
    zones.add(PLACE, "low", band=AltitudeBand(0, 120, reference=AGL))
    zones.add(PLACE, "high", band=AltitudeBand(500, 900, reference=AMSL))
    zones.add(PLACE, "any")
    at = 47.35, 8.55
    assert zones.containing(*at) == ["low", "high", "any"]
    assert zones.containing(*at, altitude=500, ground_height=450) == ["low", "high", "any"]
    assert zones.containing(*at, altitude=500, ground_height=450, geoid_height=47) == ["low", "any"]
    assert zones.containing(*at, altitude=700, ground_height=450, geoid_height=47) == ["high", "any"]
    assert zones.containing(*at, altitude=nan, ground_height=450) == ["low", "high", "any"]
    columns: dict[str, Any] = {"altitude": [500, 700, None], "ground_height": [450] * 3, "geoid_height": [47] * 3}
    many = zones.containing([at[0]] * 3, [at[1]] * 3, **columns)
    assert [many[row] for row in range(3)] == [["low", "any"], ["high", "any"], ["low", "high", "any"]]
    with pytest.raises(InvalidArgumentError, match="heights have 2 rows"):
        zones.containing([at[0]] * 3, [at[1]] * 3, altitude=[1, 2])
    with pytest.raises(TypeError, match="altitude"):
        zones.containing(*at, altitude="high")  # type: ignore[call-overload]


def test_every_limit_of_the_engine_is_a_band() -> None:
    """A table or a store may come from a program in C, whose limits are those of the engine."""
    monitor = Monitor()
    widest = AltitudeBand(-1e9, 1e9, max_reference=AMSL)
    monitor.add(Circle(0, 0, radius=100), "a", band=widest)
    assert Monitor.restore(monitor.snapshot())["a"].band == widest
