"""Compares the reference for shapes with closed formulas, with dense sampling, and with other methods of the same
reference."""

from __future__ import annotations

import math
import random

import pytest
from conftest import ROOT, in_full
from geographiclib.geodesic import Geodesic
from reference_shapes import Corridor, Defect, Polygon, corridor_from, polygon_from
from reference_shapes.areas import EARTH, left_area
from reference_shapes.edge import Edge
from reference_shapes.exact_geodesic import A, exact_distance, exact_vector, length, minus, mp, shortest
from reference_shapes.planar_edges import count, drawn
from reference_shapes.vertices import Vertex, reduced

SEED = 20261122
SQUARE = [[13.0, 52.0], [13.01, 52.0], [13.01, 52.01], [13.0, 52.01]]


def place(source: random.Random) -> tuple[float, float]:
    return math.degrees(math.asin(source.uniform(-1, 1))), source.uniform(-180, 180)


def star(source: random.Random, reach: float, corners: int) -> list[list[float]]:
    """Returns a ring around a centre, as [longitude, latitude], in which no two edges cross."""
    centre = place(source)
    turns = sorted(source.uniform(0, 360) for _ in range(corners))
    while max((b - a) % 360 for a, b in zip(turns, turns[1:] + turns[:1])) > 150:
        turns = sorted(source.uniform(0, 360) for _ in range(corners))
    ends = [Geodesic.WGS84.Direct(*centre, turn, reach * source.uniform(0.3, 1)) for turn in turns]
    return [[end["lon2"], end["lat2"]] for end in ends]


# Geodesics with 32 digits ---------------------------------------------------------------------------------------------


def test_lengths_with_a_closed_form() -> None:
    assert abs(exact_distance(0, 0, 0, 90) - A * mp.pi / 2) < 1e-20
    # WGS84's quarter meridian, as published to a tenth of a micrometre.
    assert abs(exact_distance(90, 0, 0, 0) - mp.mpf("10001965.7293127")) < 1e-7


def test_geographiclib_gives_the_same() -> None:
    source = random.Random(SEED)
    for _ in range(200):
        ends = (*place(source), *place(source))
        assert abs(Geodesic.WGS84.Inverse(*ends)["s12"] - exact_distance(*ends)) < 15e-9, ends


def test_what_it_solves_arrives() -> None:
    source = random.Random(SEED)
    given = [(*place(source), *place(source)) for _ in range(20)]
    for ends in [*given, (90, 10, 20, 30), (20, 30, -90, 0), (1, 179, 2, -179)]:
        line, arc = shortest(*ends)
        assert length(minus(line.at(arc).place, exact_vector(*ends[2:]))) < 1e-18, ends


def test_nearest_places_are_those_of_another_method() -> None:
    """The values in Tests/Golden/segments.tsv come from Taylor series along geodesics in space."""
    rows = [line.split("\t") for line in (ROOT / "Tests/Golden/segments.tsv").read_text().splitlines()[1:]]
    assert len(rows) > 200
    for row in rows:
        values = list(map(float, row[1:7]))
        edge = Edge(Vertex(*values[:2], 0), Vertex(*values[2:4], 1))
        nearest = edge.nearest(*values[4:])
        assert abs(edge.exact[1] - mp.mpf(row[7])) < 1e-12, row
        assert abs(nearest.distance - mp.mpf(row[8])) < 1e-10, row
        assert nearest.left == mp.sign(mp.mpf(row[10])), row


# D ----------------------------------------------------------------------------------------------------------------


def test_distance_to_the_equator() -> None:
    """A meridian meets the equator at a right angle, so the signed distance D of a point from the equator is an arc of
    the meridian."""
    lune = Polygon([[[[-20, 0], [20, 0], [20, 30], [-20, 30]]]])
    for latitude in (-40, -1, -1e-5, 1e-5, 1, 5):
        expected = exact_distance(latitude, 0, 0, 0) * (-1 if latitude > 0 else 1)
        assert abs(lune.exact_distance(latitude, 0) - expected) < 1e-15, latitude
    for latitude in (0.0, 1e-13, -1e-13):  # a vertex up to 11 nm beside the line counts as on the line
        assert lune.distance(latitude, 7) == 0


def test_distance_along_a_meridian() -> None:
    """The test uses a square bounded by two meridians and the equator: for a point beyond the equator, the nearest
    point is a vertex."""
    square = Polygon([[[[0, 0], [1, 0], [1, 1], [0, 1]]]])
    for longitude in (-3, -0.5, 1.25, 90):
        expected = A * mp.radians(mp.mpf(-longitude if longitude < 0 else longitude - 1))
        assert abs(square.exact_distance(0, longitude) - expected) < 1e-15


@pytest.mark.parametrize("corners", [3, 4, 7, *in_full(64)])
def test_caps_around_a_pole(corners: int) -> None:
    """The test uses a regular ring around the pole: the nearest point of the boundary is the middle of an edge, which
    is nearer to the pole than the vertices."""
    for latitude in (60, 85, 89.9, -89.999):
        ring = [[k * 360 / corners, latitude] for k in range(corners)]
        cap = Polygon([[ring]])
        pole = math.copysign(90, latitude)
        to_vertex = exact_distance(pole, 0, latitude, 0)
        middle = cap.boundary.edges[0].at(cap.boundary.edges[0].length / 2)
        assert abs(-cap.exact_distance(pole, 0) - exact_distance(pole, 0, *middle[:2])) < 1e-8
        assert -cap.exact_distance(pole, 0) < to_vertex
        assert cap.distance(-pole, 0) > 0
        assert abs(cap.exact_distance(-pole, 0) - exact_distance(-pole, 0, latitude, 0)) < 1e-9


def test_dense_sampling() -> None:
    source = random.Random(SEED)
    for reach in (30, 3_000, 300_000, 3_000_000):
        polygon = Polygon([[star(source, reach, 6)]])
        centre = polygon.boundary.edges[0].start
        for _ in range(5):
            way = Geodesic.WGS84.Direct(*centre[:2], source.uniform(0, 360), reach * source.uniform(0.01, 2))
            at = way["lat2"], way["lon2"]
            samples = [
                (Geodesic.WGS84.Inverse(*at, *edge.at(edge.length * k / 100)[:2])["s12"], edge.length / 200)
                for edge in polygon.boundary.edges
                for k in range(101)
            ]
            least, step = min(samples)
            assert least - step - 1e-7 <= abs(polygon.exact_distance(*at)) <= least + 1e-7


@pytest.mark.parametrize("reach", [10, *in_full(1_000, 100_000, 5_000_000)])
def test_the_side_is_that_of_counting_crossings(reach: float) -> None:
    source = random.Random(SEED + reach)
    inside = 0
    for _ in range(25):
        polygon = Polygon([[star(source, reach, source.randrange(3, 12))]])
        north = polygon.boundary.rough(90, 0) < 0
        start = source.choice(polygon.boundary.edges).start
        for _ in range(4):
            way = Geodesic.WGS84.Direct(*start[:2], source.uniform(0, 360), reach * source.uniform(0, 2))
            at = way["lat2"], way["lon2"]
            d = polygon.exact_distance(*at)
            if abs(d) > 1e-4:
                assert (d < 0) == polygon.boundary.is_inside_by_meridian(*at, north), (at, d)
                inside += d < 0
            assert abs(float(d) - polygon.boundary.rough(*at)) < 1e-6
    assert 5 <= inside < 95


@pytest.mark.parametrize("poke", [*in_full(-5e-12, -1e-13), 0, *in_full(1e-13), 5e-12])
def test_a_tip_at_an_edge_says_nothing_of_what_is_behind_it(poke: float) -> None:
    """A polygon with a notch, one with a hole and one with two parts each have a vertex within 0.6 µm of another edge.
    The signed distance must be the same as if the vertex were 1 mm away from that edge."""
    tip, before, left, right = [0.5, poke], [0.5, 1e-8], [0.1, 1], [0.9, 1]
    outer = [[0, 0], [1, 0], [1, 2], [0, 2]]
    for shape in (
        lambda tip: [[[[0, 0], [1, 0], right, tip, left]]],
        lambda tip: [[outer, [tip, left, right]]],
        lambda tip: [[[[0, 0], [0.4, -1], [1, 0]]], [[tip, right, left]]],
        lambda tip: [[[[0, 0], [1, 0], [0.9, 1e-3], tip, [0.1, 1e-3]]]],
    ):
        polygon, clear = Polygon(shape(tip)), Polygon(shape(before))
        for y in (-1, -1e-2, -1e-6, 1e-7, 1e-5, 1e-2, 0.7):
            for beside in (0, 1e-9, -1e-7, 1e-5, 0.03):
                at = y, 0.5 + beside
                assert abs(polygon.exact_distance(*at) - clear.exact_distance(*at)) < 2e-3, at


def test_no_farther_than_the_position_moves() -> None:
    source = random.Random(SEED)
    polygon = Polygon([[star(source, 50_000, 9)]])
    start = polygon.boundary.edges[0].start[:2]
    for _ in range(50):
        a = Geodesic.WGS84.Direct(*start, source.uniform(0, 360), source.uniform(0, 80_000))
        way = 10 ** source.uniform(-3, 4)
        b = Geodesic.WGS84.Direct(a["lat2"], a["lon2"], source.uniform(0, 360), way)
        moved = polygon.exact_distance(a["lat2"], a["lon2"]) - polygon.exact_distance(b["lat2"], b["lon2"])
        assert abs(moved) <= way + 1e-8


def test_turned_and_mirrored_worlds() -> None:
    """The test rotates shapes by angles that can be added to the longitudes without rounding, and reflects shapes at
    the equator and at a meridian."""
    source = random.Random(SEED)
    for _ in range(10):
        ring = [[round(x * 64) / 64, round(y * 64) / 64] for x, y in star(source, 800_000, 5)]
        at = Geodesic.WGS84.Direct(ring[0][1], ring[0][0], source.uniform(0, 360), source.uniform(0, 1_000_000))
        latitude, longitude = round(at["lat2"] * 64) / 64, round(at["lon2"] * 64) / 64
        expected = Polygon([[ring]]).exact_distance(latitude, longitude)
        for turn, north, east in ((32.25, 1, 1), (170.5, 1, 1), (0, -1, 1), (0, 1, -1), (180, -1, -1)):
            image = [[[reduced(x * east + turn), y * north] for x, y in ring]]
            found = Polygon([image]).exact_distance(latitude * north, reduced(longitude * east + turn))
            assert abs(found - expected) < 1e-14


def test_circles_are_corridors_of_one_point() -> None:
    circle = Corridor([[[13.4, 52.5]]], 100)
    assert abs(circle.exact_distance(52.6, 13.5) - (exact_distance(52.5, 13.4, 52.6, 13.5) - 100)) < 1e-20
    assert circle.depth == 100
    assert circle.distance(52.5, 13.4) == -100


def test_corridors() -> None:
    bent = corridor_from({"wkt": "MULTILINESTRING ((0 0, 1 0, 1 1), (5 5, 6 6))", "radius": 50})
    assert bent.distance(0, 0.5) == bent.distance(0, 1) == bent.distance(5, 5) == -50
    assert abs(bent.exact_distance(0, 1.25) - (A * mp.radians(mp.mpf("0.25")) - 50)) < 1e-15
    assert abs(bent.exact_distance(-0.5, 0.25) - (exact_distance(-0.5, 0.25, 0, 0.25) - 50)) < 1e-15


# Containment, seams, planar edges, and depths of shapes ---------------------------------------------------------------


def test_areas() -> None:
    octant = [Vertex(0, 0, 0), Vertex(0, 90, 1), Vertex(90, 0, 2)]
    edges = [Edge(a, b) for a, b in zip(octant, octant[1:] + octant[:1])]
    assert abs(left_area(edges) / EARTH - 1 / 8) < 1e-12
    back = [Edge(edge.end, edge.start) for edge in reversed(edges)]
    assert abs(left_area(back) / EARTH - 7 / 8) < 1e-12


@pytest.mark.parametrize("turned", [False, True])
def test_winding_means_nothing_unless_it_is_said(turned: bool) -> None:
    ring = SQUARE[::-1] if turned else SQUARE
    assert Polygon([[ring]]).distance(52.005, 13.005) < 0
    assert (Polygon([[ring]], oriented=True).distance(52.005, 13.005) < 0) != turned
    assert (Polygon([[ring]], oriented=True).distance(-52, 0) < 0) == turned


def test_halves_are_the_whole() -> None:
    """Edges that a ring follows in both directions, such as a cut to the pole, are not a boundary. A polygon that is
    cut at 180 degrees has the same signed distances as the whole polygon."""
    whole = Polygon([[[[170, 10], [-170, 10], [-170, 20], [170, 20]]]])
    # The vertices of the halves at 180 degrees are the points where the edges of the whole polygon meet that meridian.
    low, high = (edge.at(edge.length / 2)[0] for edge in (whole.boundary.edges[0], whole.boundary.edges[2]))
    halves = Polygon(
        [
            [[[170, 10], [180, low], [180, 14], [180, high], [170, 20]]],
            [[[-180, low], [-170, 10], [-170, 20], [-180, high]]],
        ]
    )
    assert len(halves.boundary.edges) == 6
    for at in ((15, 180), (15, -179), (10.2, 180), (25, 180), (12, 160)):
        assert abs(whole.exact_distance(*at) - halves.exact_distance(*at)) < 1e-7
    cap = Polygon([[[[-180, -60], [-180, -90], [180, -90], [180, -60], [90, -60], [0, -60], [-90, -60]]]])
    assert len(cap.boundary.edges) == 4
    assert cap.distance(-90, 77) < -2_000_000
    spur = Polygon([[[[0, 0], [1, 0], [2, -1], [1, 0], [1, 1], [0, 1]]]])
    assert len(spur.boundary.edges) == 4
    assert spur.distance(-1, 2) > 100_000


def test_planar_edges_follow_the_drawn_line() -> None:
    source = random.Random(SEED)
    worst = 0.0
    for _ in range(40):
        a = Vertex(source.uniform(-85, 85), source.uniform(-180, 180), 0)
        b = Vertex(
            min(max(a.latitude + source.gauss(0, 20), -89), 89), reduced(a.longitude + source.uniform(-60, 60)), 1
        )
        line = drawn([a, b], False, (0, 0))
        n = len(line) - 1
        assert n == count(*a[:2], *b[:2])
        assert [v[:2] for v in line] == [v[:2] for v in drawn([b, a], False, (0, 0))[::-1]]
        k = source.randrange(n)
        piece = Edge(line[k], line[k + 1])
        east = (line[k + 1].longitude - line[k].longitude + 180) % 360 - 180
        for part in (0.3, 0.5, 0.7):
            latitude = line[k].latitude + (line[k + 1].latitude - line[k].latitude) * part
            worst = max(worst, piece.approach(latitude, line[k].longitude + east * part)[0])
    assert 0.05 < worst < 0.1


def test_planar_edges_at_a_pole_keep_their_longitudes() -> None:
    wedge = Polygon([[[[0, -80], [0, -90], [90, -90], [90, -80]]]], edges="planar")
    assert wedge.distance(-85, 45) < -100_000
    assert wedge.distance(-85, 90) == wedge.distance(-85, 0) == 0


def test_depths_with_a_closed_form() -> None:
    # The edge follows the equator. The depth of a band along the equator is half of the band's height.
    for height in (0.001, 0.1):
        band = Polygon([[[[0, -height], [3 * height, -height], [3 * height, height], [0, height]]]])
        least = float(exact_distance(0, 0, height, 0))
        assert least * 0.995 <= band.depth <= least * 1.00001
        assert abs(band.deepest_place[0]) < height / 150
    assert Polygon([[[[0, -20], [40, -20], [40, 20], [0, 20]]]]).depth == 100_000
    square = Polygon([[SQUARE]])
    assert abs(Polygon([[SQUARE]], buffer=100).depth - square.depth - 100) < 1e-6
    assert abs(-square.distance(*square.deepest_place) - square.depth) < 1e-6


def test_a_buffer_moves_the_line() -> None:
    square = Polygon([[SQUARE]])
    for buffer in (-300, 0.25, 4_000):
        moved = Polygon([[SQUARE]], buffer=buffer)
        for at in ((52.005, 13.005), (52.2, 13.2)):
            assert abs(moved.exact_distance(*at) - square.exact_distance(*at) + buffer) < 1e-12


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ({"wkt": "POINT (1 2)"}, "type"),
        ({"wkt": "POLYGON EMPTY"}, "empty"),
        ({"coordinates": [[[0, 0], [0, 0], [1, 1], [0, 0]]]}, "too_few_vertices"),
        ({"coordinates": [SQUARE], "edges": "straight"}, "edges"),
        ({"coordinates": [SQUARE], "buffer": -350}, "buffer"),
        ({"coordinates": [[[0, 91], [1, 0], [0, 1]]]}, "coordinate"),
    ],
)
def test_what_is_refused(spec: dict[str, object], reason: str) -> None:
    with pytest.raises(Defect) as refused:
        polygon_from(spec)
    assert refused.value.reason == reason


def test_forms() -> None:
    multiple = {"type": "MultiPolygon", "coordinates": [[SQUARE]]}
    forms = [
        {"coordinates": [SQUARE]},
        {"coordinates": [[SQUARE]]},
        {"wkt": "polygon z((13 52 7, 13.01 52 7, 13.01 52.01 7, 13 52.01 7, 13 52 7))"},
        {"geojson": {"type": "Polygon", "coordinates": [SQUARE]}, "edges": "geodesic"},
        {"geojson": {"type": "Feature", "properties": {"edges": "geodesic"}, "geometry": multiple}},
    ]
    shapes = [polygon_from(form) for form in forms]
    assert all(shape.is_nearly(shapes[0]) and shape.parts == shapes[0].parts for shape in shapes)
    assert polygon_from({"geojson": {"type": "Polygon", "coordinates": [SQUARE]}}).edges == "planar"


def test_the_golden_shapes_are_those_of_the_reference() -> None:
    """Recomputes a part of Tests/Golden/shapes.tsv, and checks that the file covers all required cases."""
    rows = [line.split("\t") for line in (ROOT / "Tests/Golden/shapes.tsv").read_text().splitlines()[1:]]
    first = [n for n, row in enumerate(rows) if row[0] != "at"]
    assert len(rows) - len(first) >= 2_000
    families = {rows[n][1] for n in first}
    assert len(families) >= 14
    for n in first[:: len(first) // 40]:
        kind, family, edges, oriented, size, depth, text = rows[n]
        parts = [
            [[list(map(float, vertex.split())) for vertex in ring.split(",")] for ring in part.split("/")]
            for part in text.split(";")
        ]
        if kind == "corridor":
            shape: Corridor | Polygon = Corridor([part[0] for part in parts], float(size), edges)
        else:
            shape = Polygon(parts, edges, oriented == "1", float(size))
        if family in ("simple", "buffered") and depth != "-":
            assert abs(shape.depth - float(depth)) < 1e-3
        for row in rows[n + 1 : n + 4]:
            assert row[0] == "at"
            assert abs(shape.exact_distance(float(row[1]), float(row[2])) - mp.mpf(row[3])) < 1e-12
