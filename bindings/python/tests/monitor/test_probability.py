"""The probability that the true position is inside a shape: closed forms, columns, scale, and refused values."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from conftest import number_of_cases

from fencepost import (
    Beacon,
    Circle,
    Corridor,
    Fleet,
    Gate,
    Monitor,
    Polygon,
    TransitionPolicy,
    Zones,
    geodesic,
)
from fencepost.errors import InvalidArgumentError, NotFoundError

np = pytest.importorskip("numpy")

LATITUDE, LONGITUDE = 47.0, 8.0
BEACON = Beacon("E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")


def normal(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def at(azimuth: float, distance: float) -> tuple[float, float]:
    end = geodesic.direct(LATITUDE, LONGITUDE, azimuth, distance)
    return end.latitude, end.longitude


def box(north: float, east: float, **options: Any) -> Polygon:
    """A rectangle around the point of reference, with two sides of 2 `north` and two of about 2 `east` metres."""
    half = geodesic.direct(LATITUDE, LONGITUDE, 0, north).latitude - LATITUDE
    side = geodesic.direct(LATITUDE, LONGITUDE, 90, east).longitude - LONGITUDE
    corners = [(-half, -side), (-half, side), (half, side), (half, -side)]
    return Polygon([(LATITUDE + y, LONGITUDE + x) for y, x in corners], order="latlon", edges="geodesic", **options)


@pytest.mark.parametrize("ratio", [0.05, 0.5, 1, 2, 4])
def test_circle_around_the_position(ratio: float) -> None:
    circle = Circle(LATITUDE, LONGITUDE, radius=100 * ratio)
    assert circle.probability(LATITUDE, LONGITUDE, 100) == pytest.approx(1 - 0.32 ** (ratio * ratio), abs=1e-7)
    for share in (0.01, 0.5, 0.95, 0.9999):
        found = circle.probability(LATITUDE, LONGITUDE, 100, confidence=share)
        assert found == pytest.approx(1 - (1 - share) ** (ratio * ratio), abs=1e-7)


@pytest.mark.parametrize("orientation", [0, 180, 360, -540])
def test_rectangle_along_the_axes(orientation: float) -> None:
    # The sides of 400 m differ from straight lines by micrometres.
    for major, minor in ((100, 3), (20, 20), (400, 0.5)):
        found = box(60, 40).probability(LATITUDE, LONGITUDE, ellipse=(major, minor, orientation))
        expected = (2 * normal(60 / major) - 1) * (2 * normal(40 / minor) - 1)
        assert found == pytest.approx(expected, abs=2e-6)


def test_side_of_a_long_edge() -> None:
    square = box(50_000, 50_000)
    for offset in (-30.0, -1.0, 0.0, 5.0, 12.0):
        place = at(90, 50_000 + offset)
        assert square.probability(*place, ellipse=(10, 10, 0)) == pytest.approx(normal(-offset / 10), abs=1e-4)


def test_the_whole_is_the_sum_of_its_parts() -> None:
    left = Polygon([(0, 0), (0, 1), (1, 1), (1, 0)], order="latlon", edges="geodesic")
    right = Polygon([(0, 1), (0, 2), (1, 2), (1, 1)], order="latlon", edges="geodesic")
    hole = [(0.4, 0.9), (0.4, 0.95), (0.5, 0.95), (0.5, 0.9)]
    inner = Polygon(hole, order="latlon", edges="geodesic")
    rest = Polygon([(0, 0), (0, 1), (1, 1), (1, 0)], holes=[hole], order="latlon", edges="geodesic")
    seed = random.randrange(1 << 32)
    print("seed", seed)
    draw = random.Random(seed)
    for _ in range(50):
        place = draw.uniform(0.3, 0.6), draw.uniform(0.85, 1.05)
        ellipse = (10 ** draw.uniform(2, 4), 10 ** draw.uniform(1, 2), draw.uniform(0, 360))
        parts = [shape.probability(*place, ellipse=ellipse) for shape in (inner, rest)]
        assert sum(parts) == pytest.approx(left.probability(*place, ellipse=ellipse), abs=1e-6)
        assert left.probability(*place, ellipse=ellipse) + right.probability(*place, ellipse=ellipse) <= 1 + 1e-6


def test_shapes_of_the_same_area_agree() -> None:
    seed = random.randrange(1 << 32)
    print("seed", seed)
    draw = random.Random(seed)
    ring = [at(-360 * k / 12, 300 * draw.uniform(0.5, 1)) for k in range(12)]
    polygon = Polygon(ring, order="latlon", edges="geodesic")
    grown = Polygon(ring, order="latlon", edges="geodesic", buffer=1e-9)
    for _ in range(60):
        place = at(draw.uniform(0, 360), draw.uniform(0, 500))
        major = 10 ** draw.uniform(-1, 3)
        ellipse = (major, major / 10 ** draw.uniform(0, 3), draw.uniform(0, 360))
        # A nanometre is at most 1e-7 of the shortest semi-axis, and each answer is right to 1e-6.
        assert grown.probability(*place, ellipse=ellipse) == pytest.approx(
            polygon.probability(*place, ellipse=ellipse), abs=2e-6
        )
        dot = Corridor([at(0, 0)], radius=120, order="latlon", edges="geodesic")
        assert dot.probability(*place, ellipse=ellipse) == pytest.approx(
            Circle(*at(0, 0), radius=120).probability(*place, ellipse=ellipse), abs=1e-6
        )


def test_poles_and_antimeridian() -> None:
    for latitude in (90.0, -90.0):
        circle = Circle(latitude, 0, radius=1000)
        ring = [(latitude - math.copysign(0.0089530, latitude), 360 * k / 720 - 180) for k in range(720)]
        polygon = Polygon(ring, order="latlon", edges="geodesic")
        for longitude in (0.0, 77.0, 180.0):
            assert circle.probability(latitude, longitude, 500) == pytest.approx(1 - 0.32**4, abs=1e-7)
            assert polygon.probability(latitude, longitude, 500) == pytest.approx(1 - 0.32**4, abs=1e-3)
    shapes = [Polygon([(1, lon), (1, lon + 0.02), (1.02, lon + 0.02), (1.02, lon)], order="latlon", edges="geodesic")
              for lon in (179.99, 10.0)]  # fmt: skip
    found = [shape.probability(1.003, lon, 800) for shape, lon in zip(shapes, (-179.999, 10.011))]
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_bounds_of_the_definition() -> None:
    circle = Circle(0, 0, radius=10_000)
    # No error is reported: the side decides.
    assert [circle.probability(0, longitude) for longitude in (0, 0.1)] == [1.0, 0.0]
    # Far from the line, the side decides, also with a major semi-axis longer than 10 km.
    assert circle.probability(0, 1, ellipse=(10_001, 1, 0)) == 0
    assert math.isnan(circle.probability(0, 0.5, ellipse=(10_001, 1, 0)))
    assert 0 < circle.probability(0, 0.5, ellipse=(10_000, 1, 90)) < 1
    # An axis counts as a centimetre.
    edge = geodesic.direct(0, 0, 90, 10_000 - 0.01).longitude
    assert circle.probability(0, edge, ellipse=(0, 0, 0)) == pytest.approx(normal(1), abs=1e-5)
    assert circle.probability(0, 0, 1e-300) == 1
    assert Circle(0, 0, radius=3e7).probability(0, 180, 1e6) == 1


def test_columns_are_single_positions() -> None:
    zones = Zones({"circle": Circle(LATITUDE, LONGITUDE, radius=100), "box": box(60, 40, buffer=5)})
    monitor = Monitor()
    for name, shape in zones.items():
        monitor.add(shape.condition if hasattr(shape, "condition") else shape, name)
    rng = np.random.default_rng(5)
    latitude, longitude = LATITUDE + rng.normal(0, 1e-3, 40), LONGITUDE + rng.normal(0, 1e-3, 40)
    major, orientation = rng.uniform(1, 200, 40), rng.uniform(-360, 360, 40)
    minor = major * rng.uniform(0.01, 1, 40)
    accuracy = rng.uniform(0, 200, 40)
    for name in ("circle", "box"):
        found = zones.probability(name, latitude[::-1], longitude[::-1], ellipse=(major, minor, orientation))
        single = [zones.probability(name, *row[:2], ellipse=tuple(row[2:]))
                  for row in zip(latitude[::-1], longitude[::-1], major, minor, orientation)]  # fmt: skip
        assert found.tolist() == single
        assert found.dtype == np.float64 and ((found >= 0) & (found <= 1)).all()
        assert (
            monitor.probability(name, latitude[::-1], longitude[::-1], ellipse=(major, minor, orientation)).tolist()
            == single
        )
        plain = zones.probability(name, latitude, longitude, accuracy)
        shared = zones.probability(name, latitude, longitude, 30.0)
        assert plain.tolist() == [zones.probability(name, *row) for row in zip(latitude, longitude, accuracy)]
        assert shared.tolist() == [zones.probability(name, *row, 30) for row in zip(latitude, longitude)]
        # In rows with three NaN, the accuracy counts.
        some = np.where(np.arange(40) % 2 == 0, np.nan, 1.0)
        mixed = zones.probability(
            name, latitude[::-1], longitude[::-1], accuracy, ellipse=(major * some, minor * some, orientation * some)
        )
        assert mixed[1::2].tolist() == single[1::2]
        assert mixed[::2].tolist() == zones.probability(name, latitude[::-1], longitude[::-1], accuracy)[::2].tolist()
    assert zones.probability("box", [], []).tolist() == []


def test_covariance_is_the_ellipse() -> None:
    shape = box(60, 40)
    seed = random.randrange(1 << 32)
    print("seed", seed)
    draw = random.Random(seed)
    place = at(77, 50)
    rows, ellipses = [], []
    for _ in range(30):
        major, minor, angle = 50.0, draw.uniform(1, 49), draw.uniform(0, 180)
        s, c = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        rows.append((major**2 * s * s + minor**2 * c * c, (major**2 - minor**2) * s * c,
                     major**2 * c * c + minor**2 * s * s))  # fmt: skip
        ellipses.append((major, minor, angle))
        expected = shape.probability(*place, ellipse=ellipses[-1])
        assert shape.probability(*place, covariance=rows[-1]) == pytest.approx(expected, abs=1e-9)
    columns = tuple(np.array(column) for column in zip(*rows))
    found = shape.probability(np.full(30, place[0]), np.full(30, place[1]), covariance=columns)
    assert found == pytest.approx([shape.probability(*place, ellipse=ellipse) for ellipse in ellipses], abs=1e-9)


BAD = [
    {"accuracy": -1}, {"accuracy": math.nan}, {"accuracy": math.inf},
    {"ellipse": (1, 2, 0)}, {"ellipse": (-1, -2, 0)}, {"ellipse": (2, -1, 0)}, {"ellipse": (math.nan, 1, 0)},
    {"ellipse": (2, math.nan, math.nan)}, {"ellipse": (math.inf, 1, 0)}, {"ellipse": (2, 1, math.inf)},
    {"ellipse": (2, 1, math.nan)},
    {"covariance": (1, 1, 1)}, {"covariance": (1, 2, 1)}, {"covariance": (-1, 0, 1)}, {"covariance": (0, 0, 1)},
    {"covariance": (math.nan, 0, 1)}, {"covariance": (math.inf, 0, 1)}, {"covariance": (1e308, 0, 1e308)},
    {"confidence": 0.009}, {"confidence": 1}, {"confidence": 0.99991}, {"confidence": -1}, {"confidence": math.nan},
    {"latitude": 90.1}, {"latitude": math.nan}, {"longitude": 180.1}, {"longitude": -math.inf},
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_values_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    zones = Zones({"circle": Circle(0, 0, radius=100)})
    good = {"latitude": 0.0, "longitude": 0.0, "accuracy": 5.0}
    before = zones.probability("circle", **good)
    with pytest.raises(InvalidArgumentError) as caught:
        zones.probability("circle", **good | bad)
    message = str(caught.value)
    assert any(word in message for word in ("must be", "must have")), message
    # In a column, the error names the row.
    valid: dict[str, Any] = good | {"ellipse": (2.0, 1.0, 0.0), "covariance": (2.0, 0.0, 2.0)}
    columns: dict[str, Any] = {}
    for name, given in bad.items():
        if isinstance(given, tuple):
            columns[name] = tuple([first, second] for first, second in zip(valid[name], given))
        else:
            columns[name] = given if name == "confidence" else [valid[name], given]
    with pytest.raises(InvalidArgumentError) as caught:
        zones.probability("circle", **{"latitude": [0.0, 0.0], "longitude": [0.0, 0.0], "accuracy": 5.0} | columns)
    if "confidence" not in bad:
        assert "row 1" in str(caught.value)
    assert zones.probability("circle", **good) == before


@pytest.mark.parametrize("name", ["longitude", "accuracy", "ellipse", "covariance"])
def test_columns_with_other_labels_are_refused(name: str) -> None:
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([0.0, 1.0])
    moved = column[::-1]
    given = {"latitude": column, "longitude": column} | {
        "longitude": {"longitude": moved},
        "accuracy": {"accuracy": moved},
        "ellipse": {"ellipse": (5, moved, 0)},
        "covariance": {"covariance": (5, 0, moved)},
    }[name]
    with pytest.raises(InvalidArgumentError, match="different indexes"):
        Circle(0, 0, radius=100).probability(**given)


@pytest.mark.parametrize("rows", [1, 3])
def test_a_covariance_has_a_row_for_each_position(rows: int) -> None:
    places = np.zeros(2)
    for at in range(3):
        covariance: list[Any] = [4.0, 0.0, 4.0]
        covariance[at] = np.full(rows, covariance[at])
        with pytest.raises(InvalidArgumentError, match=f"{rows} rows, but there are 2 positions"):
            Circle(0, 0, radius=100).probability(places, places, covariance=covariance)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgumentError) as refused:
            Circle(0, 0, radius=100).probability(places, places, covariance=(4, 0, np.array([4.0, -4.0])))
        assert refused.value.position == 1


def test_what_has_no_probability() -> None:
    zones = Zones({"beacon": BEACON, "circle": Circle(0, 0, radius=100)})
    monitor = Monitor(path="geodesic", max_gap=60)
    monitor.add(Gate([(0, 0), (0, 1)], order="latlon", edges="geodesic"), "gate")
    monitor.add(BEACON, "beacon")
    for holder, name in ((zones, "beacon"), (monitor, "beacon"), (monitor, "gate")):
        with pytest.raises(InvalidArgumentError):
            holder.probability(name, 0, 0, 5)
    with pytest.raises(NotFoundError):
        zones.probability("nowhere", 0, 0, 5)
    with pytest.raises(TypeError, match="not both"):
        zones.probability("circle", 0, 0, ellipse=(1, 1, 0), covariance=(1, 0, 1))
    for wrong in ((1, 2), 5, "abc", (1, 2, None)):
        with pytest.raises(TypeError):
            zones.probability("circle", 0, 0, ellipse=wrong)
    with pytest.raises(InvalidArgumentError):
        zones.probability("circle", [0.0, 0.0], [0.0, 0.0], [1.0])
    with pytest.raises(InvalidArgumentError):
        zones.probability("circle", [0.0, 0.0], [0.0, 0.0], covariance=([1.0], 0.0, 1.0))


SHAPES = {
    "circle": Circle(LATITUDE, LONGITUDE, radius=400),
    "polygon": Polygon([at(-40 * k, 300 + 90 * (k % 3)) for k in range(9)],
                       holes=[[at(-120 * k, 90) for k in range(3)]], order="latlon", edges="geodesic"),
    "corridor": Corridor([at(0, 0), at(30, 300), at(100, 350), at(120, 60)], radius=70, order="latlon",
                         edges="geodesic"),
    "larger": Polygon([at(-60 * k, 200 + 90 * (k % 2)) for k in range(6)], order="latlon", edges="geodesic", buffer=80),
    "smaller": Polygon([at(-60 * k, 400 + 90 * (k % 2)) for k in range(6)], order="latlon", edges="geodesic",
                       buffer=-60),
}  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize("name", SHAPES)
def test_calibration(name: str) -> None:
    """Draws measured positions near the line and a true position for each of them. In every decile of the probability,
    the number of true positions inside must be within the 99.9 % interval."""
    count = number_of_cases(10_000, 40_000, 200_000)
    rng = np.random.default_rng(2026)
    zones = Zones({name: SHAPES[name]})
    fix = geodesic.direct(np.full(count, LATITUDE), np.full(count, LONGITUDE), rng.uniform(0, 360, count),
                          rng.uniform(0, 600, count))  # fmt: skip
    major = 10 ** rng.uniform(0.5, 2.5, count)
    minor, orientation = major / 10 ** rng.uniform(0, 2, count), rng.uniform(0, 360, count)
    found = zones.probability(name, fix.latitude, fix.longitude, ellipse=(major, minor, orientation))
    along, across, turn = major * rng.normal(size=count), minor * rng.normal(size=count), np.radians(orientation)
    east, north = along * np.sin(turn) - across * np.cos(turn), along * np.cos(turn) + across * np.sin(turn)
    true = geodesic.direct(fix.latitude, fix.longitude, np.degrees(np.arctan2(east, north)), np.hypot(east, north))
    inside = np.diff(zones.containing(true.latitude, true.longitude).offsets)
    decile = np.minimum((found * 10).astype(int), 9)
    # 50 cells are looked at: 99.9 % for all of them together is 99.998 % for each.
    for cell in range(10):
        own = found[decile == cell]
        deviation = abs(inside[decile == cell].sum() - own.sum())
        assert len(own) > 50
        assert deviation <= 4.27 * math.sqrt((own * (1 - own)).sum()) + 1, (cell, deviation)


@pytest.mark.full
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(("entry", "leave"), [(0.6, 0.4), (0.95, 0.05)])
def test_calibration_through_policies(name: str, entry: float, leave: float) -> None:
    """The first fix of each device decides a zone exactly if its side and its probability do. The number of devices
    that are truly inside agrees with the probabilities of the events, in the zone and outside."""
    count = number_of_cases(5_000, 20_000, 100_000)
    rng = np.random.default_rng(2027)
    policy = TransitionPolicy(
        entry_dwell=0, exit_dwell=0, entry_margin=0, exit_margin=0, accuracy_factor=0, entry_probability=entry,
        exit_probability=leave,
    )  # fmt: skip
    zones = Zones()
    zones.add(SHAPES[name], name, policy=policy, assuming="unknown")
    fleet = Fleet(zones, accuracy_confidence=0.95)
    fix = geodesic.direct(np.full(count, LATITUDE), np.full(count, LONGITUDE), rng.uniform(0, 360, count),
                          rng.uniform(0, 600, count))  # fmt: skip
    accuracy = 10 ** rng.uniform(0.5, 2.7, count)
    sigma = accuracy / math.sqrt(-2 * math.log(0.05))
    true = geodesic.direct(fix.latitude, fix.longitude, rng.uniform(0, 360, count),
                           sigma * np.sqrt(-2 * np.log(rng.uniform(size=count))))  # fmt: skip
    inside = np.diff(zones.containing(true.latitude, true.longitude).offsets)
    fleet.feed_many(device=np.arange(count), latitude=fix.latitude, longitude=fix.longitude, accuracy=accuracy,
                    time=np.full(count, 1_000_000))  # fmt: skip
    events = list(fleet.events())
    probability = zones.probability(name, fix.latitude, fix.longitude, accuracy, confidence=0.95)
    side = np.diff(zones.containing(fix.latitude, fix.longitude).offsets) == 1
    decided = {
        "satisfied": np.nonzero(side & (probability >= entry))[0],
        "unsatisfied": np.nonzero(~side & (probability <= leave))[0],
    }
    for state in ("satisfied", "unsatisfied"):
        rows = [event.row for event in events if event.state == state]
        assert sorted(rows) == decided[state].tolist()
        told = np.array([event.probability for event in events if event.state == state])
        np.testing.assert_allclose(told, probability[rows], atol=1e-6)
        deviation = abs(inside[rows].sum() - told.sum())
        assert len(rows) > count / 20
        # 20 cells are looked at: 99.9 % for all of them together is 99.995 % for each.
        assert deviation <= 4.06 * math.sqrt((told * (1 - told)).sum()) + 1, (state, deviation)
