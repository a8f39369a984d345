"""Tests :class:`Polygon` and :class:`Corridor` objects: they are made from all kinds of geometries, and their distances
are compared with the exact distances of the corpus."""

from __future__ import annotations

import copy
import json
import math
import pickle
import random
import re
import struct
import warnings
from typing import Any

import pytest
from conftest import ROOT, mentions, number_of_cases

from fencepost import Condition, Corridor as Corridor, FencepostError, InputWarning, Monitor, Polygon as Polygon
from fencepost.errors import InvalidArgumentError, NotFoundError
from fencepost_conform.shapes import names, shape_of

SQUARE = [(0.0, 0.0), (0.0, 2.0), (2.0, 2.0), (2.0, 0.0)]
HOLE = [(0.5, 0.5), (0.5, 1.5), (1.5, 1.5)]
GOLDEN = ROOT / "Tests" / "Golden"


def turned(ring: list[tuple[float, float]]) -> list[list[float]]:
    return [[longitude, latitude] for latitude, longitude in ring]


class Geometry:
    def __init__(self, kind: str, coordinates: Any) -> None:
        self.__geo_interface__ = {"type": kind, "coordinates": coordinates}


def test_one_polygon_from_all_that_hold_one() -> None:
    expected = Polygon(SQUARE, [HOLE], order="latlon")
    assert expected.parts == ((tuple(SQUARE), tuple(HOLE)),)
    rings = [turned(SQUARE), turned(HOLE)]
    closed = [[*ring, ring[0]] for ring in rings]
    wkt = "POLYGON " + str(tuple(tuple(f"{x} {y}" for x, y in ring) for ring in closed)).replace("'", "")
    feature = {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": closed}, "properties": None}
    for source in (
        Geometry("Polygon", rings), Geometry("Polygon", closed), feature, feature["geometry"], wkt, wkt.lower(),
        f"SRID=4326;{wkt}", expected.wkb, bytearray(expected.wkb), memoryview(expected.wkb), expected,
    ):  # fmt: skip
        assert Polygon(source) == expected, source
    repeated = [SQUARE[0], *SQUARE, SQUARE[3], SQUARE[0]]
    assert Polygon(repeated, (hole for hole in [HOLE]), order="latlon") == expected
    assert (
        Polygon(
            [(latitude, longitude + 360 * (longitude < 1)) for latitude, longitude in SQUARE], [HOLE], order="latlon"
        )
        == expected
    )
    assert hash(expected) == hash(Polygon(wkt)) and len({expected, Polygon(wkt)}) == 1
    assert pickle.loads(pickle.dumps(expected)) == expected
    others = [
        Polygon(SQUARE, order="latlon"),
        Polygon(wkt, edges="planar"),
        Polygon(wkt, oriented=True),
        Polygon(wkt, buffer=1),
    ]
    assert expected not in others and len(set(others)) == 4
    assert isinstance(expected, Condition)


def test_one_corridor_from_all_that_hold_one() -> None:
    expected = Corridor(SQUARE, order="latlon", radius=50)
    assert expected.lines == (tuple(SQUARE),)
    for source in (
        Geometry("LineString", turned(SQUARE)), "LINESTRING M (0 0 9, 2 0 9, 2 2 9, 0 2 9)", expected.wkb, expected,
        {"type": "LineString", "coordinates": turned(SQUARE)},
    ):  # fmt: skip
        assert Corridor(source, 50) == expected, source
    several = Corridor("MULTILINESTRING ((0 0, 1 1), (5 5, 6 6, 7 7))", 1, edges="planar")
    assert several.lines == (((0, 0), (1, 1)), ((5, 5), (6, 6), (7, 7)))
    assert Corridor(several, 1, edges="planar") == several == pickle.loads(pickle.dumps(several))
    assert Corridor([(0, 0)], 100, order="latlon").distance(0, 0) == -100  # equals a circle
    assert repr(several) == "<Corridor of 2 lines, 5 vertices, radius=1, edges='planar'>"
    assert repr(Polygon(SQUARE, order="latlon", buffer=-2.5)) == "<Polygon of 1 part, 4 vertices, buffer=-2.5>"


def test_as_shapely_reads_and_writes_them() -> None:
    shapely = pytest.importorskip("shapely")
    shape_of_shapely = shapely.geometry.shape
    world = random.Random(4)
    for number in range(60):
        parts = [shapely.Point(20 * part, world.uniform(-50, 50)).buffer(5, quad_segs=4) for part in range(3)]
        parts = [part.difference(part.buffer(-1)) if world.random() < 0.5 else part for part in parts]
        shape: Any = shapely.MultiPolygon(parts) if number % 2 else parts[0]
        if number % 3 == 0:
            shape = shape.boundary
        if number % 5 == 0:
            shape = shapely.force_3d(shape, 7.0)
        is_line = "Line" in shape.geom_type

        def of(source: Any, is_line: bool = is_line) -> Any:
            return Corridor(source, 5) if is_line else Polygon(source)

        condition = of(shape)
        for order in (0, 1):
            for flavour in ("iso", "extended"):
                data = shapely.to_wkb(shapely.set_srid(shape, 4326), byte_order=order, flavor=flavour)
                assert of(data) == condition
                if flavour == "extended":
                    assert of(shapely.to_wkb(shapely.set_srid(shape, 4326), include_srid=True)) == condition
        reported = of(shapely.to_wkt(shape, rounding_precision=17))
        assert shapely.from_wkb(reported.wkb).equals_exact(shapely.from_wkb(condition.wkb), 1e-12)
        assert shapely.from_wkb(condition.wkb).equals(shape_of_shapely(condition))
        assert of(shape_of_shapely(condition)) == condition


BAD: list[tuple[Any, type[Exception], str]] = [
    (None, TypeError, "exterior … WKT … WKB, … NoneType"),
    (5, TypeError, "not int"),
    ([], InvalidArgumentError, "geometry … empty"),
    ([1, 2, 3], InvalidArgumentError, "coordinate: part 0, ring 0, vertex 0 is "),
    ([(0,), (1, 1), (2, 2)], InvalidArgumentError, "vertex 0"),
    ([("0", "0"), (1, 1), (2, 2)], InvalidArgumentError, "vertex 0"),
    ([(0, 0), (0, 1), (91, 0)], InvalidArgumentError, "vertex 2: latitude … 91 … -90 … 90"),
    ([(0, 0), (0, 361), (1, 0)], InvalidArgumentError, "vertex 1: longitude … 361 … -360 … 360"),
    ([(0, 0), (0, math.nan), (1, 0)], InvalidArgumentError, "longitude is nan"),
    ("", InvalidArgumentError, "WKT"),
    ("POLYGON", InvalidArgumentError, "WKT"),
    ("POLYGON ((0 0, 1 0, 1 1)", InvalidArgumentError, "WKT"),
    ("POLYGON ((0 0, 1 0, 1 1)))", InvalidArgumentError, "WKT"),
    ("POLYGON ((0 0, 1 0, 1 x))", InvalidArgumentError, "WKT"),
    ("POLYGON " + "(" * 100_000, InvalidArgumentError, "WKT"),
    ("POLYGON EMPTY", InvalidArgumentError, "geometry … empty"),
    ("POLYGON (EMPTY)", InvalidArgumentError, "geometry … empty"),
    ("POINT (1 2)", InvalidArgumentError, "type: POINT … POLYGON, MULTIPOLYGON, LINESTRING"),
    ("GEOMETRYCOLLECTION (POLYGON ((0 0, 1 0, 1 1)))", InvalidArgumentError, "type: GEOMETRYCOLLECTION"),
    ("LINESTRING (0 0, 1 1)", InvalidArgumentError, "type: "),
    ("SRID=3857;POLYGON ((0 0, 1 0, 1 1))", InvalidArgumentError, "EPSG:3857 … WGS84"),
    (b"", InvalidArgumentError, "WKB: byte 0"),
    (b"\1\3\0\0\0", InvalidArgumentError, "WKB: … 5 bytes"),
    (b"\1\3\0\0\0\1\0\0\0\xff\xff\xff\xff", InvalidArgumentError, "WKB: … 13 bytes"),
    (b"\1\7\0\0\0\0\0\0\0", InvalidArgumentError, "type: … GeometryCollection"),
    (Polygon(SQUARE, order="latlon").wkb + b"\0", InvalidArgumentError, "WKB: 1 bytes"),
    (struct.pack("<BII", 1, 0x2000_0003, 3857), InvalidArgumentError, "SRID 3857 … 4326"),
    ({"type": "Feature", "geometry": None}, InvalidArgumentError, "geometry … empty: … feature"),
    ({"type": "Polygon", "coordinates": 5}, InvalidArgumentError, "coordinates: 5"),
    ({"type": "Polygon"}, InvalidArgumentError, "coordinates: None"),
    ({"type": "Circle", "coordinates": []}, InvalidArgumentError, "type: 'Circle' … Polygon"),
    ({}, InvalidArgumentError, "type: None"),
]


@pytest.mark.parametrize(("source", "error", "words"), BAD)
def test_what_holds_no_polygon(source: Any, error: type[Exception], words: str) -> None:
    stated = isinstance(source, str | bytes | dict)
    with pytest.raises(error) as caught:
        Polygon(source, order=None if stated else "latlon")
    assert mentions(caught.value, words) and "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_options_that_cannot_be() -> None:
    for options, error, words in (
        ({"edges": "curved"}, InvalidArgumentError, "edges 'curved'.*geodesic, planar"),
        ({"edges": 1}, InvalidArgumentError, "edges 1"),
        ({"buffer": math.inf}, InvalidArgumentError, "buffer is inf"),
        ({"buffer": "5"}, TypeError, "^buffer "),
        ({"oriented": 1}, TypeError, "^oriented .*bool"),
    ):
        with pytest.raises(error, match=words):
            Polygon(SQUARE, order="latlon", **options)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="'xy'"):
        Polygon(SQUARE, order="xy")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^holes "):
        Polygon("POLYGON ((0 0, 1 0, 1 1))", [HOLE])
    for radius in (0, -1, math.nan, math.inf):
        with pytest.raises(InvalidArgumentError, match="radius is"):
            Corridor(SQUARE, radius, order="latlon")
    with pytest.raises(InvalidArgumentError, match="^type: "):
        Corridor("POLYGON ((0 0, 1 0, 1 1))", 5)


@pytest.mark.filterwarnings("ignore:condition 'p'. . rings")
def test_damaged_bytes_never_crash() -> None:
    world = random.Random(9)
    whole = Polygon("MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4), (1 1, 1 2, 2 2)), ((9 9, 10 9, 10 10)))").wkb
    read = 0
    for _ in range(4000):
        data = bytearray(whole)
        for _ in range(world.choice([1, 1, 2, 5])):
            data[world.randrange(len(data))] = world.choice([0, 1, 2, 3, 5, 6, 127, 128, 255, world.randrange(256)])
        if world.random() < 0.3:
            del data[world.randrange(len(data)) :]
        monitor = Monitor()
        try:
            shape = Polygon(bytes(data), edges="geodesic")
            monitor.add(shape, "p")
            assert monitor["p"].condition == shape or monitor.shape("p").left_out_rings
            read += 1
        except FencepostError as error:
            assert "\n" not in str(error) and len(monitor) == 0
    assert read > 100


# ------------------------------------------------------------------------------------ against published numbers


def golden() -> list[tuple[Any, list[list[str]]]]:
    """Returns the shapes of the corpus, each with its points and exact distances."""
    found: list[tuple[Any, list[list[str]]]] = []
    for line in (GOLDEN / "shapes.tsv").read_text().splitlines()[1:]:
        kind, *cells = line.split("\t")
        if kind == "at":
            found[-1][1].append(cells)
            continue
        _, edges, oriented, size, *_rest = cells
        parts = [
            [[tuple(map(float, place.split())) for place in ring.split(",")] for ring in part.split("/")]
            for part in cells[-1].split(";")
        ]
        if kind == "polygon":
            shape: Any = {"type": "MultiPolygon", "coordinates": parts}
            found.append((Polygon(shape, edges=edges, oriented=oriented == "1", buffer=float(size)), []))
        else:
            shape = {"type": "MultiLineString", "coordinates": [line for part in parts for line in part]}
            found.append((Corridor(shape, float(size), edges=edges), []))
    return found


def test_planar_edges_run_as_their_longitudes_are_written() -> None:
    """An earlier version read a box that is 340 degrees wide as a box that is 20 degrees wide, and refused boxes at the
    poles."""
    box = pytest.importorskip("shapely").box

    def inside(shape: object, latitude: float, longitude: float) -> bool:
        condition = Polygon(shape, edges="planar")
        monitor = Monitor()
        monitor.add(condition, "x")
        read = monitor["x"].condition
        assert isinstance(read, Polygon)
        # The shape that is read back from the monitor is equivalent to the original. The condition that is read back is
        # equal to the added condition, unless reading has changed the first vertex of a ring, as happens at a pole.
        again = Monitor()
        again.add(read, "x")
        assert again["x"].condition == read and again.ensure(read, "x") is False
        found = {bool(each.containing(latitude, longitude)) for each in (monitor, again)}
        assert len(found) == 1
        return found.pop()

    with pytest.warns(InputWarning, match="spans 340 degrees"):
        assert inside(box(-170, -20, 170, 20), 0, 0) and not inside(box(-170, -20, 170, 20), 0, 175)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert inside(box(170, -20, 190, 20), 0, -175) and not inside(box(170, -20, 190, 20), 0, 0)
        assert inside(box(-180, -90, 180, -60), -70, 5) and not inside(box(-180, -90, 180, -60), -50, 5)
        assert inside(box(-180, 66.5, 180, 90), 70, 5) and not inside(box(-180, 66.5, 180, 90), 60, 5)
        assert inside(box(-180, -10, 180, 10), 9, 179) and not inside(box(-180, -10, 180, 10), 11, 179)
        assert inside(box(10, -90, 20, 90), 60, 15) and not inside(box(10, -90, 20, 90), 60, 25)
        assert Corridor([(5, 6), (5, 6)], order="latlon", radius=10).contains(5, 6)
    with pytest.warns(InputWarning), pytest.raises(InvalidArgumentError, match="which_side"):
        inside(box(-175, -80, 175, 80), 0, 0)


def test_rings_of_nothing_are_left_out_with_a_warning() -> None:
    """An earlier version refused a polygon if one of its rings had no area."""
    square, thin = [[0, 0], [2, 0], [2, 2], [0, 2]], [[5, 5], [5, 6], [5, 7]]
    monitor = Monitor()
    for number, rings in enumerate(([[square], [thin]], [[square, [[1, 1], [1, 1.5], [1, 1.2]]]])):
        with pytest.warns(InputWarning, match=" 1 rings"):
            monitor.add(Polygon(Geometry("MultiPolygon", rings), edges="geodesic"), f"{number}")
        assert monitor.shape(f"{number}").left_out_rings == 1 and monitor.shape(f"{number}").vertex_count == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number, text in enumerate(("((0 0, 1 0, 1 1, 0 0)), EMPTY", "EMPTY, ((0 0, 1 0, 1 1, 0 0), EMPTY)")):
            found = Polygon(f"MULTIPOLYGON ({text})", edges="geodesic")
            assert len(found.parts) == 1 and len(found.parts[0]) == 1
            monitor.add(found, f"empty {number}")
        assert len(Corridor("MULTILINESTRING (EMPTY, (0 0, 1 0))", radius=5).lines) == 1
    with pytest.raises(InvalidArgumentError, match="no_area"):
        monitor.add(Polygon(Geometry("Polygon", [thin]), edges="geodesic"), "thin")


@pytest.mark.filterwarnings("ignore:condition 'x'. geodesic", "ignore:a planar ")
@pytest.mark.filterwarnings("ignore:condition 'x'. 1 rings")
def test_shapes_that_are_refused_and_those_that_nearly_are() -> None:
    """Invalid shapes are refused with the reason and position of the defect, and a refused shape changes nothing. The
    library's own tests check every detail."""
    shapes = json.loads((GOLDEN / "invalid-shapes.json").read_text())
    assert len(shapes) > 100
    monitor, others = Monitor(), []
    for given in shapes:
        reason = ""
        try:
            found = shape_of(given)
            assert found is not None
            monitor.add(found, "x")
            assert monitor.remove("x")
        except (InvalidArgumentError, TypeError) as error:
            reason = str(error)
        assert len(monitor) == 0 and "\n" not in reason
        at = given.get("at", {})
        if bool(reason) != bool(given["reason"]) or (reason and not names(reason, given["reason"], at)):
            others.append(f"{given['name']}: {reason or 'accepted'}")
    assert others == []


# ---------------------------------------------------------------------------------------------- in a monitor


def test_records_give_back_what_was_added() -> None:
    monitor = Monitor()
    world = random.Random(2)
    shapes: dict[str, Condition] = {}
    for number in range(200):
        latitude, longitude = world.uniform(-80, 80), world.uniform(-360, 360)
        ring = [(latitude, longitude), (latitude, longitude + 1.5), (latitude + 1, longitude + 0.7)]
        ring = [(one, other) for one, other in ring if abs(other) <= 360] if number % 2 else ring
        if max(abs(place[1]) for place in ring) > 360 or len(ring) < 3:
            continue
        options: Any = {"edges": world.choice(["geodesic", "planar"])}
        if number % 3:
            shapes[str(number)] = Polygon(ring, order="latlon", **options, buffer=world.choice([0, 0, 12.5, -1]))
        else:
            shapes[str(number)] = Corridor(ring, world.uniform(1, 5000), order="latlon", **options)
        monitor.add(shapes[str(number)], str(number), policy="exact", tag=number)
    assert len(shapes) > 100
    assert {record.identifier: record.condition for record in monitor.records()} == shapes
    # `sync` changes all tags to 0, so it replaces all conditions except the one that already has the tag 0.
    assert monitor.sync(shapes, policy="exact").replaced >= len(shapes) - 1
    other = Monitor()
    other.sync(monitor)
    assert other.sync(monitor.records()).kept == len(shapes) and list(other) == list(monitor)
    again = Monitor.restore(monitor.snapshot())
    assert {record.identifier: record.condition for record in again.records()} == shapes
    for identifier, shape in shapes.items():
        assert monitor.ensure(shape, identifier, policy="exact") is False
    columns = monitor.records().columns()
    assert {type(radius) for radius in columns["radius"]} == {float, type(None)}
    assert monitor.records()._repr_html_().count("<tr>") == 51


def test_what_a_monitor_says_of_shapes() -> None:
    monitor = Monitor()
    monitor.add(Polygon([(50, 0), (50, 2), (52, 2), (52, 0)], order="latlon", edges="planar"), "p")
    monitor.add(Corridor([(10, 0), (10, 1)], 500, order="latlon", edges="geodesic"), "c")
    reading = monitor.shape("p")
    assert reading.depth is not None and 60_000 < reading.depth < 75_000 and reading.vertex_count == 4
    assert reading.departure is not None and 400 < reading.departure < 500
    assert monitor.shape("c").depth == 500 and monitor.shape("c").vertex_count == 2
    assert monitor.nearest_boundary_point("c", 11, 0.5) == pytest.approx((10, 0.5), abs=0.01)
    with pytest.raises(NotFoundError):
        monitor.shape("gone")
    with pytest.raises(NotFoundError):
        monitor.nearest_boundary_point("gone", 0, 0)
    with pytest.raises(InvalidArgumentError):
        monitor.nearest_boundary_point("p", 91, 0)
    monitor.set_host(unsupported=[Polygon, Corridor], time=0)
    assert [str(monitor.record(name).last_event.state) for name in monitor] == ["unknown", "unknown"]


def reported(call: Any, *args: Any, **options: Any) -> list[str]:
    """Returns the messages of the warnings that a call issues."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call(*args, **options)
    assert all(each.category is InputWarning and each.filename == __file__ for each in found)
    return [str(each.message) for each in found]


def test_edges_that_nobody_named() -> None:
    """Adding a shape causes a warning if its edges would run differently as geodesic and as planar edges. No warning is
    issued if the kind of edges is named, or if the two kinds of edges differ by at most a metre."""
    box, small = [(50, 0), (50, 2), (52, 2), (52, 0)], [(50, 0), (50, 0.01), (50.01, 0.01), (50.01, 0)]
    words = "condition 'box': … 479 m … part 0, ring 0, edge 0 … edges='geodesic' … edges='planar'"
    open_box = Polygon(box, order="latlon")
    assert open_box == Polygon(box, order="latlon", edges="geodesic") and hash(open_box) == hash(
        Polygon(box, order="latlon", edges="geodesic")
    )
    for shape in (open_box, pickle.loads(pickle.dumps(open_box)), copy.deepcopy(open_box), Polygon(open_box.wkb)):
        monitor = Monitor()
        assert [mentions(text, words) for text in reported(monitor.add, shape, "box")] == [True]
        assert reported(monitor.ensure, shape, "box") == []
        other = words.replace("box", "other")
        assert [mentions(text, other) for text in reported(monitor.ensure, shape, "other")] == [True]
        # A shape from a monitor states whether its edges are planar or geodesic, so no warning is expected.
        assert reported(monitor.add, monitor["box"].condition, "box") == [] and reported(Monitor().sync, monitor) == []
    for quiet in (
        Polygon(box, order="latlon", edges="geodesic"),
        Polygon(box, order="latlon", edges="planar"),
        Polygon(small, order="latlon"),
        Corridor(small, 5, order="latlon"),
    ):
        assert reported(Monitor().add, quiet, "quiet") == []
    assert reported(Monitor().add, Corridor([(50, 0), (50, 2)], 5, order="latlon"), "way")[0].startswith(
        "condition 'way': geodesic and pl"
    )
    several = {
        "small": Polygon(small, order="latlon"),
        "box": open_box,
        "wide": Polygon([(50, 0), (50, 4), (52, 4), (52, 0)], order="latlon"),
    }
    monitor = Monitor()
    (said,) = reported(monitor.sync, several)
    assert said.startswith("condition 'wide': ") and mentions(said, "part 0, ring 0, edge … 2 shapes")
    assert re.search(r" 19\d\d m ", said)
    assert reported(monitor.sync, several) == []


def test_exact_distances() -> None:
    """The distances equal those in the corpus, which shows that the binding passes on all digits; the library's own
    tests compare the library with the corpus."""
    places = [(shape, *map(float, place)) for shape, places in golden() for place in places]
    for shape, latitude, longitude, expected in places:
        got = shape.distance(latitude, longitude)
        assert abs(got - expected) <= 15e-9 or (got == 0 and abs(expected) < 35e-9), (shape, latitude, longitude)
    assert len(places) > 3000


@pytest.mark.full
def test_a_tiny_polygon_is_not_its_complement() -> None:
    """Thin rings from a decimetre to some metres, at all latitudes and in both orders: `contains` and `containing`
    agree, near the polygon and far away."""
    chance = random.Random(11)
    rings = [[(50.57254, 24.50722), (50.572599, 24.507308), (50.57258365402, 24.50728511107)]]
    count = number_of_cases(300, 1_500, 5_000)
    for _ in range(count):
        latitude = chance.choice([chance.uniform(-90, 90), 89.9999999, -89.99999, 1e-7, chance.uniform(60, 90)])
        longitude = chance.choice([chance.uniform(-180, 180), 179.9999999])
        size = 10 ** chance.uniform(-6, -4)
        east, turn = size / max(math.cos(math.radians(latitude)), 1e-4), chance.uniform(0, math.tau)
        width = 10 ** chance.uniform(-7, -1)
        ring = []
        for _ in range(chance.choice([3, 3, 4, 5])):
            along, aside = chance.uniform(-1, 1), width * chance.uniform(-1, 1)
            north = along * math.cos(turn) - aside * math.sin(turn)
            ring.append(
                (
                    max(-90.0, min(90.0, latitude + size * north)),
                    (longitude + east * (along * math.sin(turn) + aside * math.cos(turn)) + 180) % 360 - 180,
                )
            )
        rings.append(ring)
    made = 0
    for ring in rings:
        for order in (ring, ring[::-1]):
            polygon = Polygon(order, order="latlon", edges="geodesic")
            with Monitor() as monitor:
                try:
                    monitor.add(polygon, "c")
                except InvalidArgumentError:
                    continue
                made += 1
                near = ring[0]
                middle = (sum(p[0] for p in ring) / len(ring), sum(p[1] for p in ring) / len(ring))
                for point in [
                    (-30.0, 100.0),
                    (-near[0], near[1]),
                    (chance.uniform(-90, 90), chance.uniform(-180, 180)),
                    (max(-90.0, min(90.0, near[0] + chance.choice([-1e-3, 1e-3]))), near[1]),
                    middle,
                ]:
                    inside = polygon.contains(*point)
                    assert inside == bool(monitor.containing(*point)), (order, point)
                    assert inside == (polygon.distance(*point) <= 0), (order, point)
                    assert not inside or point == middle or abs(point[0] - near[0]) < 2e-3, (order, point)
    assert made > count * 2 // 3
