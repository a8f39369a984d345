"""The steps and the expected events of the scenarios with polygons and corridors. The format is explained in
generate_shape_scenarios.py."""

from __future__ import annotations

from collections import Counter
from math import cos, radians

from generate_shape_scenarios import (
    Explained,
    NearestPoint,
    add,
    corridor,
    events,
    fix,
    from_place,
    parts,
    polygon,
    refused,
    scenario,
)

# The park measures 687 m by 1,113 m at Berlin's latitude; its innermost point is 343 m from the boundary.
PARK = ((13.0, 52.0), (13.01, 52.0), (13.01, 52.01), (13.0, 52.01))
MIDDLE = (52.005, 13.005)
GATE = (52.005, 13.01)  # within a few millimetres of the middle of the eastern edge
FAR = (52.1, 13.2)
HOLE = ((13.003, 52.003), (13.007, 52.003), (13.007, 52.007), (13.003, 52.007))
# 20 m by 111 m: 10 m deep.
STRIP = ((13.0, 52.0), (13.00029, 52.0), (13.00029, 52.001), (13.0, 52.001))
START = {"advance": 0}


def off(azimuth: float, metres: float) -> tuple[float, float]:
    """Returns a point off the coast of an island with six capes, at this azimuth from the middle of the island; a
    negative number of metres means a point on land."""
    return from_place(MIDDLE, azimuth % 360, 500 + 40 * cos(radians(6 * azimuth)) + metres)


# The island has 160 vertices, about 20 m apart: more than the near cache can hold.
ISLAND = tuple(off(2.25 * corner, 0)[::-1] for corner in range(160))
# Azimuths and depths of points on the island. Most points come in pairs. The second point of a pair is near the first,
# so that it uses the near cache; the next pair is far away.
JUMPS = ((0, 25), (4, 25), (60, 20), (62, 24), (35, 20), (88, 20), (50, 30), (100, 15), (160, 20), (164, 25), (150, 12), (200, 15),
         (140, 30), (190, 20), (10, 20), (13, 24), (350, 10), (45, 11), (330, 12), (20, 13))  # fmt: skip


def metres(east: float, north: float) -> tuple[float, float]:
    """Returns a point that is the given number of metres east and north of the middle. The computation on a plane is
    accurate enough for an area the size of a garden."""
    return round(MIDDLE[0] + north / 111_266, 9), round(MIDDLE[1] + east / 68_650, 9)


# An L with arms of 200 m: a device between the arms is outside, but within the enclosing circle.
YARD = tuple(metres(*corner)[::-1] for corner in ((0, 0), (200, 0), (200, 40), (40, 40), (40, 200), (0, 200)))
# These positions follow a square with sides of 60 m in steps of 0.75 m. For a device near one wall, the near cache does
# not reach as far as the opposite wall.
STEPS = tuple(0.75 * step for step in range(80))
WALLS = (((20, along - 30) for along in STEPS), ((20 - along, 30) for along in STEPS), ((-40, 30 - along) for along in STEPS),
         ((along - 40, -30) for along in STEPS))  # fmt: skip
GARDEN = tuple(metres(*place)[::-1] for wall in WALLS for place in wall)


def beside(metres: float) -> tuple[float, float]:
    """Returns a point east of the eastern edge of the park; a negative number of metres means a point inside the
    park."""
    return from_place(GATE, 90 if metres > 0 else 270, abs(metres))


INSIDE = (START, add("p", polygon(PARK)), fix(1, MIDDLE, 5), events("p satisfied 1"), {"acknowledge": True})
OUTSIDE = (START, add("p", polygon(PARK)), fix(1, FAR, 5), events("p unsatisfied 1"), {"acknowledge": True})

# ---------------------------------------------------------------------------------------------------------------------
file = "polygons"

scenario(
    file, "a polygon: the first fix inside determines it without dwell",
    START, add("p", polygon(PARK)), {"record": "p", "is": {"state": "unknown", "date": 0}}, fix(12, MIDDLE, 5),
    events("p satisfied 12"),
    {"record": "p", "is": {"state": "satisfied", "condition": {"polygon": {"edges": "geodesic", "oriented": False, "buffer": 0}}}},
)  # fmt: skip
scenario(
    file,
    "a polygon: the first fix outside determines it",
    START,
    add("p", polygon(PARK)),
    fix(12, FAR, 5),
    events("p unsatisfied 12"),
)
scenario(
    file, "a polygon: leaving needs the margin of 20 m and the dwell of 20 s",
    *INSIDE, fix(100, beside(15), 5), fix(110, beside(25), 5), fix(129, beside(30), 5), events(), fix(130, beside(30), 5), events("p unsatisfied 130"),
)  # fmt: skip
scenario(
    file, "a polygon: entering needs the margin and the dwell",
    *OUTSIDE, fix(100, beside(-15), 5), {"advance": 130}, events(), fix(140, beside(-25), 5), {"advance": 159}, events(), {"advance": 160}, events("p satisfied 160"),
)  # fmt: skip
scenario(
    file, "a polygon: a fix on the state's own side cancels, one within the margin does not",
    *INSIDE, fix(100, beside(30), 5), fix(110, beside(-1), 5), {"advance": 140}, events(),
    fix(150, beside(30), 5), fix(160, beside(5), 5), {"advance": 170}, events("p unsatisfied 170"),
)  # fmt: skip
scenario(
    file, "a polygon: the exact policy decides half a metre on either side at once",
    START, add("p", polygon(PARK), policy="exact"), fix(1, beside(-0.5)), events("p satisfied 1"), fix(2, beside(0.5)), events("p unsatisfied 2"),
    fix(3, beside(-0.5)), events("p satisfied 3"),
)  # fmt: skip
scenario(
    file, "a hole is outside",
    START, add("p", polygon(PARK, HOLE), policy="exact"), fix(1, (52.001, 13.005)), events("p satisfied 1"), fix(2, MIDDLE), events("p unsatisfied 2"),
    fix(3, (52.009, 13.005)), events("p satisfied 3"), fix(4, FAR), events("p unsatisfied 4"),
)  # fmt: skip
scenario(
    file, "a device that walks along a coast, from cape to cape, stays on land until it crosses the line",
    START, add("p", polygon(ISLAND), policy="exact"), *(fix(1 + step, off(10 * step, -25)) for step in range(37)),
    events("p satisfied 1"), *(fix(100 + step, off(azimuth, -depth)) for step, (azimuth, depth) in enumerate(JUMPS)), events(),
    fix(200, off(20, 1)), events("p unsatisfied 200"),
)  # fmt: skip
scenario(
    file, "a device that sails along a coast, from bay to cape and out to sea, enters where it lands",
    START, add("p", polygon(ISLAND), policy="exact"),
    *(fix(1 + step, off(30 + 2 * step, 8 + step / 2)) for step in range(30)), *(fix(100 + step, off(90 - 5 * step, 9)) for step in range(24)),
    events("p unsatisfied 1"), fix(200, off(330, -1)), events("p satisfied 200"),
)  # fmt: skip
scenario(
    file, "a device that leaves the yard between two wings by the open side, and returns, was never inside",
    START, add("p", polygon(YARD), policy="exact"), fix(1, metres(60, 60)), events("p unsatisfied 1"), fix(2, metres(100, 100)),
    fix(3, metres(205, 205)), fix(4, metres(90, 90)), fix(5, metres(60, 70)), fix(6, metres(230, 240)), events(), fix(7, metres(100, 39)),
    events("p satisfied 7"),
)  # fmt: skip
scenario(
    file, "a device that crosses a garden leaves it by the other wall",
    START, add("p", polygon(GARDEN), policy="exact"), fix(1, metres(10, 20)), events("p satisfied 1"), fix(2, metres(0, 0)), fix(3, metres(-25, 2)),
    fix(4, metres(-38, 5)), fix(5, metres(0, 0)), events(), fix(6, metres(-41, 0)), events("p unsatisfied 6"),
)  # fmt: skip
scenario(
    file, "an island in the lake of a park is a part of it, the lake around it is not",
    START, add("p", parts((PARK, HOLE), (((13.004, 52.004), (13.006, 52.004), (13.006, 52.006), (13.004, 52.006)),)), policy="exact"),
    fix(1, MIDDLE), events("p satisfied 1"), fix(2, (52.005, 13.0035)), events("p unsatisfied 2"), fix(3, (52.005, 13.001)), events("p satisfied 3"),
)  # fmt: skip
scenario(
    file, "two islands are one condition: from one to the other between two fixes nothing happens",
    START, add("p", parts((PARK,), (((13.1, 52.0), (13.11, 52.0), (13.11, 52.01), (13.1, 52.01)),)), policy="exact"),
    fix(1, MIDDLE), events("p satisfied 1"), fix(2, (52.005, 13.105)), events(), fix(3, (52.005, 13.05)), events("p unsatisfied 3"),
)  # fmt: skip
scenario(
    file, "winding means nothing",
    START, add("left", polygon(PARK)), add("right", polygon(PARK[::-1])), add("hole", polygon(PARK, HOLE)), add("turned", polygon(PARK[::-1], HOLE[::-1])),
    fix(1, MIDDLE), events("left satisfied 1", "right satisfied 1", "hole unsatisfied 1", "turned unsatisfied 1"),
)  # fmt: skip
scenario(
    file, "oriented: what lies left of the ring is inside, all but the park when it runs clockwise",
    START, add("park", polygon(PARK, oriented=True)), add("all but", polygon(PARK[::-1], oriented=True)),
    fix(1, MIDDLE), events("park satisfied 1", "all but unsatisfied 1"), fix(100, (-52.0, -167.0)), {"advance": 120},
    events("park unsatisfied 120", "all but satisfied 120"),
    {"record": "all but", "is": {"condition": {"polygon": {"oriented": True}}}},
)  # fmt: skip
scenario(
    file, "oriented: a hole that runs clockwise in a ring that runs counterclockwise",
    START, add("p", polygon(PARK, HOLE[::-1], oriented=True)), fix(1, MIDDLE), events("p unsatisfied 1"), fix(30, (52.001, 13.005)), {"advance": 50},
    events("p satisfied 50"),
)  # fmt: skip
scenario(
    file, "a device on a vertex is inside: the signed boundary distance is 0",
    START, add("p", polygon(PARK), policy="exact"), fix(1, (52.0, 13.0)), events("p satisfied 1"), fix(2, FAR), events("p unsatisfied 2"),
    fix(3, (52.01, 13.01)), events("p satisfied 3"),
)  # fmt: skip
scenario(
    file, "a device on the equator is on the boundary of a polygon that the equator bounds, also 11 nm beside it",
    START, add("p", polygon(((10, 0), (20, 0), (20, 10), (10, 10))), policy="exact"), fix(1, (-1.0, 15.0)), events("p unsatisfied 1"),
    fix(2, (0.0, 12.25)), events("p satisfied 2"), fix(3, (-1.0, 15.0)), events("p unsatisfied 3"), fix(4, (-1e-13, 17.5)), events("p satisfied 4"),
    fix(5, (-1e-12, 17.5)), events("p unsatisfied 5"),
)  # fmt: skip
scenario(
    file, "of two polygons with a common edge one at least holds every place beside it",
    START, add("west", polygon(((13, 52), (13.01, 52), (13.01, 52.01), (13, 52.01))), policy="exact"),
    add("east", polygon(((13.01, 52), (13.02, 52), (13.02, 52.01), (13.01, 52.01))), policy="exact"),
    fix(1, (52.005, 13.009)), events("west satisfied 1", "east unsatisfied 1"), fix(2, (52.0, 13.01)), events("east satisfied 2"),
    fix(3, (52.005, 13.011)), events("west unsatisfied 3"),
)  # fmt: skip
scenario(
    file, "assuming: what agrees is silent, what disagrees is told at once",
    START, add("in", polygon(PARK), assuming="satisfied"), add("out", polygon(PARK), assuming="unsatisfied"), fix(1, MIDDLE), events("out satisfied 1"),
    {"record": "in", "is": {"state": "satisfied", "date": 0}},
)  # fmt: skip
scenario(
    file, "the known fix determines a polygon that is added",
    fix(0, MIDDLE), {"advance": 30}, add("p", polygon(PARK)), events("p satisfied 30"), {"advance": 100}, add("q", polygon(PARK)), events(),
    fix(101, MIDDLE), events("q satisfied 101"),
)  # fmt: skip
scenario(
    file, "dwell by evidence: a fix on the new side after the dwell confirms, with its own date",
    START, add("p", polygon(PARK), policy={"dwell_policy": "evidence"}), fix(1, MIDDLE, 5), events("p satisfied 1"), fix(100, beside(40), 5),
    {"advance": 300}, events(), fix(310, beside(5), 5), events("p unsatisfied 310"),
)  # fmt: skip
scenario(
    file, "notify: silent entries move the record",
    START, add("p", polygon(PARK), policy={"notify": ["initial", "exit"], "entry_dwell": 0, "exit_dwell": 0}), fix(1, FAR), events("p unsatisfied 1"),
    fix(2, MIDDLE), events(), {"record": "p", "is": {"state": "satisfied", "date": 2}}, fix(3, FAR), events("p unsatisfied 3"),
)  # fmt: skip
scenario(
    file, "delivery latest: only the last change of a polygon is told",
    *OUTSIDE, fix(100, MIDDLE, 5), fix(200, FAR, 5), fix(300, MIDDLE, 5), {"advance": 320}, events("p satisfied 320"),
    delivery="latest",
)  # fmt: skip
scenario(
    file, "a restart in the middle of a dwell changes nothing",
    *INSIDE, fix(100, beside(30), 5), {"restart": True}, {"advance": 119}, events(), {"restart": True}, {"advance": 120}, events("p unsatisfied 120"),
)  # fmt: skip
scenario(
    file, "polygons, circles and beacons in one monitor: only a beacon has a refinement",
    START, add("p", polygon(PARK)), {"add": "c", "circle": {"latitude": 52.005, "longitude": 13.005, "radius": 100}},
    {"add": "b", "beacon": {"uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0"}}, fix(1, MIDDLE),
    {"see": {"time": 2, "beacons": [{"uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": 1, "minor": 7}]}},
    {"next": {"identifier": "p", "state": "satisfied", "refinement": None}}, {"next": {"identifier": "c", "state": "satisfied", "refinement": None}},
    {"next": {"identifier": "b", "state": "satisfied", "refinement": {"uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": 1, "minor": 7}}},
    {"next": None}, {"identifiers_in_state": "satisfied", "are": ["p", "c", "b"]},
)  # fmt: skip
scenario(
    file, "rewind forgets where a polygon was seen to be, not what was told",
    *INSIDE, {"rewind": 0}, {"identifiers_in_state": "unknown", "are": ["p"]}, {"record": "p", "is": {"state": "satisfied"}}, fix(5, FAR), events("p unsatisfied 5"),
)  # fmt: skip
scenario(
    file, "explain: what keeps a polygon from changing",
    START, add("p", polygon(PARK)), {"explain": "p", "is": {"reason": "no_fix_yet"}}, fix(1, FAR, 5), events("p unsatisfied 1"),
    fix(100, beside(50), 5), Explained("p", "outside"), fix(110, beside(-10), 5), Explained("p", "within_margin"), fix(120, beside(-30), 5),
    Explained("p", "dwelling"), {"advance": 140}, events("p satisfied 140"), Explained("p", "inside"), fix(150, beside(30), 40), Explained("p", "too_coarse"),
)  # fmt: skip
scenario(
    file, "the nearest boundary point: of an edge, of a corner, of a hole",
    START, add("p", polygon(PARK, HOLE)), NearestPoint("p", (52.005, 13.02), (52.005, 13.01)), NearestPoint("p", (52.02, 13.02), (52.01, 13.01)),
    NearestPoint("p", (52.005, 13.0065), (52.005, 13.007)),
    {"nearest_boundary_point": "nobody", "from": {"latitude": 52, "longitude": 13}, "is": None},
)  # fmt: skip
scenario(
    file, "rings that touch themselves, holes that touch their ring in a vertex",
    START, add("bow", polygon(((0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 1))), policy="exact"),
    add("hole", polygon(((0, 0), (2, 0), (2, 2), (0, 2)), ((0, 0), (1, 0.5), (0.5, 1))), policy="exact"),
    fix(1, (0.25, 1.0)), events("bow satisfied 1", "hole satisfied 1"), fix(2, (1.0, 0.5)), events("bow unsatisfied 2"), fix(3, (0.5, 0.6)),
    events("bow satisfied 3", "hole unsatisfied 3"), fix(4, (1.0, 1.0)), events("hole satisfied 4"),
)  # fmt: skip

scenario(
    file, "a corner that pokes 11 nm through an edge decides nothing behind it",
    START, add("p", polygon(((0, 0), (1, 0), (1, 1), (0.5, -1e-13), (0, 1))), policy="exact"), fix(1, (-1.0, 0.5)), events("p unsatisfied 1"), fix(2, (0.0001, 0.4)), events("p satisfied 2"),
    fix(3, (0.001, 0.5)), events("p unsatisfied 3"), fix(4, (0.0001, 0.6)), events("p satisfied 4"), fix(5, (-0.000001, 0.5)), events("p unsatisfied 5"),
    fix(6, (0.3, 0.2)), events("p satisfied 6"), fix(7, (-0.00001, 0.500000001)), events("p unsatisfied 7"),
)  # fmt: skip

# The polygon measures 10 km by 1 km, and its enclosing circle has a radius of 5 km.
BEAM = ((0.0, 0.0), (0.09, 0.0), (0.09, 0.009), (0.0, 0.009))
scenario(
    file, "a polygon: beyond the exit margin is who is, not who is beyond it of the circle that holds the polygon",
    START, add("p", polygon(BEAM), policy={"exit_margin": 5000, "exit_dwell": 0}), fix(1, (0.0045, 0.045), 5), events("p satisfied 1"),
    fix(2, (0.05, 0.045), 5), events(), fix(3, (0.0632626, 0.045), 5), events("p unsatisfied 3"),
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------------------
file = "definitions"

scenario(
    file, "ensure: within 1e-7 degrees nothing happens, beyond the polygon is replaced",
    *INSIDE, {"ensure": "p", **polygon(((13.00000009, 52.0), *PARK[1:]))}, events(),
    {"record": "p", "is": {"state": "satisfied", "date": 1, "generation": 1}},
    {"ensure": "p", **polygon(((13.0000003, 52.0), *PARK[1:]))}, events("p satisfied 1"), {"record": "p", "is": {"generation": 2}},
)  # fmt: skip
scenario(
    file, "ensure: closed or not, with repeated vertices, other winding of longitudes, it is the same polygon",
    *INSIDE, {"ensure": "p", **polygon((*PARK, PARK[0]))}, {"ensure": "p", **polygon((PARK[0], PARK[0], *PARK[1:]))},
    {"ensure": "p", **polygon(((-347.0, 52.0), *PARK[1:]))}, {"record": "p", "is": {"generation": 1}}, events(),
)  # fmt: skip
scenario(
    file, "ensure: another order, number of vertices, reading of edges, side or buffer replaces",
    *INSIDE, {"ensure": "p", **polygon((*PARK[1:], PARK[0]))}, {"record": "p", "is": {"generation": 2}},
    {"ensure": "p", **polygon((*PARK, (12.999, 52.005)))}, {"record": "p", "is": {"generation": 3}},
    {"ensure": "p", **polygon((*PARK, (12.999, 52.005)), edges="planar")}, {"record": "p", "is": {"generation": 4}},
    {"ensure": "p", **polygon((*PARK, (12.999, 52.005)), edges="planar", oriented=True)}, {"record": "p", "is": {"generation": 5}},
    {"ensure": "p", **polygon((*PARK, (12.999, 52.005)), edges="planar", oriented=True, buffer=0.5)}, {"record": "p", "is": {"generation": 5}},
    {"ensure": "p", **polygon((*PARK, (12.999, 52.005)), edges="planar", oriented=True, buffer=0.75)}, {"record": "p", "is": {"generation": 6}},
    {"ensure": "p", **polygon((*PARK, (12.999, 52.005)), HOLE, edges="planar", buffer=0.75)}, {"record": "p", "is": {"generation": 7}},
)  # fmt: skip
scenario(
    file, "ensure: a corridor is not a polygon; half a metre of radius is no change",
    START, {"ensure": "c", **corridor(50, (13, 52), (13.01, 52))}, {"ensure": "c", **corridor(50.5, (13, 52), (13.01, 52))}, {"record": "c", "is": {"generation": 1}},
    {"ensure": "c", **corridor(50.75, (13, 52), (13.01, 52))}, {"record": "c", "is": {"generation": 2, "condition": {"corridor": {"radius": 50.75, "edges": "geodesic"}}}},
    {"ensure": "c", **polygon(PARK)}, {"record": "c", "is": {"generation": 3}}, {"identifiers": ["c"]},
)  # fmt: skip
scenario(
    file, "a polygon replaces a circle of its name, and the circle's event is gone",
    START, {"add": "x", "circle": {"latitude": 52.005, "longitude": 13.005, "radius": 100}}, fix(1, MIDDLE), add("x", polygon(PARK, HOLE)),
    events("x unsatisfied 1"), {"record": "x", "is": {"generation": 2, "condition": {"polygon": {"coordinates": [[[list(p) for p in PARK], [list(p) for p in HOLE]]]}}}},
)  # fmt: skip
scenario(
    file, "sync: all kinds; what is equal stays, what differs is replaced, what is left out goes",
    START,
    {"sync": [
        {"identifier": "p", **polygon(PARK)}, {"identifier": "r", **corridor(50, (13, 52.02), (13.01, 52.02)), "policy": "exact"},
        {"identifier": "c", "circle": {"latitude": 52.005, "longitude": 13.005, "radius": 100}},
    ]},
    fix(1, MIDDLE), events("p satisfied 1", "r unsatisfied 1", "c satisfied 1"),
    {"sync": [{"identifier": "r", **corridor(50, (13, 52.02), (13.01, 52.02)), "policy": "exact"}, {"identifier": "p", **polygon(PARK, HOLE)}]},
    {"identifiers": ["r", "p"]}, events("p unsatisfied 1"), {"record": "r", "is": {"generation": 2}}, {"record": "c", "is": None},
)  # fmt: skip
scenario(
    file, "sync: with a polygon that is refused nothing changes",
    *INSIDE,
    refused("crossing", {"sync": [{"identifier": "q", **polygon(PARK)}, {"identifier": "p", **polygon(((0, 0), (2, 0), (0, 2), (3, 3)))}]}),
    {"identifiers": ["p"]}, {"record": "p", "is": {"generation": 1, "state": "satisfied"}},
)  # fmt: skip
scenario(
    file, "a refused add leaves the condition of that name as it was, its dwell too",
    *INSIDE, fix(100, beside(30), 5), refused("no_area", add("p", polygon(((10, 0), (20, 0), (30, 0))))), {"advance": 120}, events("p unsatisfied 120"),
    {"record": "p", "is": {"generation": 1}},
)  # fmt: skip
scenario(
    file, "vertices are kept as given: reduced longitudes, without repeated and closing ones, third numbers gone",
    START, add("p", polygon(((190, 10, 7), (190, 10, 8), (200, 10, 7), (560 - 360, 20, 7), (190, 20, 0), (-170, 10, 1)))),
    {"record": "p", "is": {"condition": {"polygon": {"coordinates": [[[[-170, 10], [-160, 10], [-160, 20], [-170, 20]]]]}}}},
    add("c", corridor(10, (360, 1), (-360, 1), (180, 2))), {"record": "c", "is": {"condition": {"corridor": {"coordinates": [[[0, 1], [-180, 2]]]}}}},
)  # fmt: skip
RING = "13 52, 13.01 52, 13.01 52.01, 13 52.01, 13 52"
FORMS = {
    "wkt": {"polygon": {"wkt": f"POLYGON (({RING}))"}},
    "wkt multi": {"polygon": {"wkt": f"MULTIPOLYGON ((({RING})))"}},
    "wkt z": {"polygon": {"wkt": "polygon z ((13 52 30.5, 13.01 52 30.5, 13.01 52.01 30.5, 13 52.01 30.5, 13 52 30.5))"}},
    "geometry": {"polygon": {"geojson": {"type": "Polygon", "coordinates": [[*map(list, PARK), list(PARK[0])]]}}},
    "feature": {"polygon": {"geojson": {
        "type": "Feature", "properties": {"name": "park", "buffer": 0, "edges": "geodesic"},
        "geometry": {"type": "MultiPolygon", "coordinates": [[[*map(list, PARK), list(PARK[0])]]]},
    }}},
}  # fmt: skip
scenario(
    file, "the same park as coordinates, WKT, GeoJSON geometry and Feature",
    START, *(add(name, form, policy="exact") for name, form in FORMS.items()), fix(1, beside(-1)), events(*(f"{name} satisfied 1" for name in FORMS)),
    fix(2, beside(1)), events(*(f"{name} unsatisfied 2" for name in FORMS)),
    {"record": "wkt z", "is": {"condition": {"polygon": {"coordinates": [[[list(p) for p in PARK]]], "edges": "geodesic"}}}},
    {"record": "geometry", "is": {"condition": {"polygon": {"edges": "planar"}}}}, {"record": "feature", "is": {"condition": {"polygon": {"edges": "geodesic"}}}},
)  # fmt: skip
LINE = [[13, 52], [13.01, 52]]
scenario(
    file, "the same corridor as coordinates, WKT and GeoJSON",
    START, add("c", corridor(50, *LINE)), add("w", {"corridor": {"wkt": "LINESTRING (13 52, 13.01 52)", "radius": 50}}),
    add("m", {"corridor": {"wkt": "MULTILINESTRING ((13 52, 13.01 52))", "radius": 50}}),
    add("g", {"corridor": {"geojson": {"type": "Feature", "properties": {"radius": 50}, "geometry": {"type": "LineString", "coordinates": LINE}}}}),
    fix(1, (52.0004, 13.005)), events("c satisfied 1", "w satisfied 1", "m satisfied 1", "g satisfied 1"),
    fix(30, (52.0008, 13.005)), {"advance": 50}, events("c unsatisfied 50", "w unsatisfied 50", "m unsatisfied 50", "g unsatisfied 50"),
    {"record": "g", "is": {"condition": {"corridor": {"edges": "planar", "radius": 50}}}},
)  # fmt: skip
scenario(
    file, "the limit counts polygons and corridors like circles, and lets them in when there is room",
    START, {"add": "c", "circle": {"latitude": 52.005, "longitude": 13.005, "radius": 100}}, add("r", corridor(50, *LINE)), add("p", polygon(PARK)),
    {"next": {"identifier": "p", "state": "unmonitored", "date": 0, "diagnostics": ["condition_limit_exceeded"]}}, fix(1, MIDDLE),
    events("c satisfied 1", "r unsatisfied 1"), {"remove": "c"}, events(), fix(2, MIDDLE), events("p satisfied 2"),
    condition_limit=2,
)  # fmt: skip
scenario(
    file, "a host that cannot monitor polygons says so: corridors and circles continue",
    START, add("p", polygon(PARK)), add("r", corridor(500, *LINE)), {"host": {"unsupported": ["polygon"]}, "time": 5},
    {"next": {"identifier": "p", "state": "unmonitored", "date": 5, "diagnostics": ["condition_unsupported"]}}, {"next": None}, fix(6, MIDDLE),
    events("r unsatisfied 6"), {"host": {"unsupported": []}, "time": 7}, events(), fix(8, MIDDLE), events("p satisfied 8"),
)  # fmt: skip
scenario(
    file, "authorization denied suspends polygons and corridors too",
    *INSIDE, {"host": {"flags": ["authorization_denied"]}, "time": 10}, {"next": {"identifier": "p", "state": "satisfied", "diagnostics": ["authorization_denied"]}},
    fix(100, FAR, 5), {"host": {"flags": []}, "time": 200}, {"next": {"identifier": "p", "state": "satisfied", "diagnostics": []}}, fix(210, FAR, 5), events("p unsatisfied 210"),
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------------------
file = "accuracy"

scenario(
    file, "too coarse: up to 100 m decide a shallow polygon, more do not",
    START, add("p", polygon(STRIP)), fix(1, (52.0005, 13.000145), 100.001), events(), fix(2, (52.0005, 13.000145), 100), events("p satisfied 2"),
)  # fmt: skip
scenario(
    file, "too coarse: up to the depth of 343 m decide the park, 350 m do not",
    START, add("p", polygon(PARK)), fix(1, MIDDLE, 350), events(), fix(2, MIDDLE, 335), events("p satisfied 2"),
)  # fmt: skip
scenario(
    file, "a fix that is too coarse decides only outside, and only beyond its accuracy",
    START, add("p", polygon(PARK)), fix(1, MIDDLE, 800), fix(2, beside(790), 800), events(), fix(3, beside(810), 800), events("p unsatisfied 3"),
)  # fmt: skip
scenario(
    file, "accuracy is a margin: 25 m outside do not decide with 40 m, 45 m do",
    *INSIDE, fix(100, beside(25), 40), {"advance": 150}, events(), fix(160, beside(45), 40), {"advance": 180}, events("p unsatisfied 180"),
)  # fmt: skip
scenario(
    file, "the margin inside is at most half the depth: the deepest place of a strip always decides",
    START, add("p", polygon(STRIP)), fix(1, FAR, 5), events("p unsatisfied 1"), fix(100, (52.0005, 13.000015), 60), {"advance": 130}, events(),
    fix(140, (52.0005, 13.000145), 60), {"advance": 160}, events("p satisfied 160"),
)  # fmt: skip
scenario(
    file, "the policy of Core Location: the exit margin is the depth, from 60 to 200 m",
    START, add("park", polygon(PARK), policy="core_location"), add("strip", polygon(STRIP), policy="core_location"), fix(1, (52.0005, 13.000145), 5),
    events("park satisfied 1", "strip satisfied 1"), fix(100, from_place((52.0005, 13.0), 270, 55), 5), {"advance": 150}, events(),
    fix(200, from_place((52.0005, 13.0), 270, 65), 5), {"advance": 230}, events("strip unsatisfied 220"), fix(300, from_place((52.0005, 13.0), 270, 195), 5),
    {"advance": 330}, events(), fix(400, from_place((52.0005, 13.0), 270, 205), 5), {"advance": 430}, events("park unsatisfied 420"),
)  # fmt: skip
scenario(
    file, "a buffer moves the line outwards and inwards, and the depth with it",
    START, add("wide", polygon(PARK, buffer=50), policy="exact"), add("narrow", polygon(PARK, buffer=-50), policy="exact"), fix(1, beside(45)),
    events("wide satisfied 1", "narrow unsatisfied 1"), fix(2, beside(55)), events("wide unsatisfied 2"), fix(3, beside(-45)), events("wide satisfied 3"),
    fix(4, beside(-55)), events("narrow satisfied 4"),
)  # fmt: skip
scenario(
    file, "a buffer makes a strip deep: 200 m of accuracy decide",
    START, add("p", polygon(STRIP, buffer=250)), fix(1, (52.0005, 13.000145), 270), events(), fix(2, (52.0005, 13.000145), 240), events("p satisfied 2"),
)  # fmt: skip
scenario(
    file, "the depth of a large polygon is 100 km: a fix of 90 km decides, one of 110 km does not",
    START, add("p", polygon(((-20, -20), (20, -20), (20, 20), (-20, 20)))), fix(1, (0.0, 0.0), 110000), events(), fix(2, (0.0, 0.0), 90000), events("p satisfied 2"),
)  # fmt: skip
scenario(
    file, "accuracy factor 0: no fix is too coarse",
    START, add("p", polygon(STRIP), policy={"accuracy_factor": 0}), fix(1, (52.0005, 13.000145), 100000), events("p satisfied 1"),
)  # fmt: skip
scenario(
    file, "fixes without a position and late ones change nothing",
    *INSIDE, fix(100, FAR, -1), {"refused": "late_input", "step": fix(0.5, FAR, 5)}, {"advance": 200}, events(), {"statistics": {"late_inputs": 1, "invalid_fixes": 1}},
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------------------
file = "globe"

scenario(
    file, "a ring over the antimeridian goes the short way",
    START, add("p", polygon(((179.99, -17), (-179.99, -17), (-179.99, -16.98), (179.99, -16.98))), policy="exact"), fix(1, (-16.99, 180.0)), events("p satisfied 1"),
    fix(2, (-16.99, -179.995)), events(), fix(3, (-16.99, 0.0)), events("p unsatisfied 3"), fix(4, (-16.99, 179.985)), events(), fix(5, (-16.99, 179.995)), events("p satisfied 5"),
)  # fmt: skip
scenario(
    file, "planar edges run as they are written: 340 degrees of the equator, or 20 over the antimeridian",
    START, add("wide", corridor(1000, (170, 0), (-170, 0), edges="planar"), policy="exact"),
    add("over", corridor(1000, (170, 0), (190, 0), edges="planar"), policy="exact"),
    fix(1, (0.001, 0.0)), events("wide satisfied 1", "over unsatisfied 1"), fix(2, (0.001, 175.0)), events("wide unsatisfied 2", "over satisfied 2"),
)  # fmt: skip
scenario(
    file, "a multipolygon that is cut at 180 degrees has no line there",
    START,
    add("p", parts((((179.98, -17), (180, -17), (180, -16.98), (179.98, -16.98)),), (((-180, -17), (-179.98, -17), (-179.98, -16.98), (-180, -16.98)),))),
    fix(1, (-16.99, 179.99), 5), events("p satisfied 1"), fix(30, (-16.99, 179.99999), 5), fix(60, (-16.99, -179.99999), 5), fix(90, (-16.99, 180.0), 5), {"advance": 200},
    events(), fix(210, (-16.99, -179.97), 5), {"advance": 230}, events("p unsatisfied 230"),
)  # fmt: skip
scenario(
    file, "stretches of the antimeridian cancel where they overlap, also between different vertices",
    START,
    add("p", parts((((170, 10), (180, 10), (180, 13), (180, 20), (170, 20)),), (((-180, 10), (-170, 10), (-170, 20), (-180, 19)),)), policy="exact"),
    fix(1, (15.0, 179.0)), events("p satisfied 1"), fix(2, (13.0, 180.0)), fix(3, (18.9, 180.0)), events(), fix(4, (19.5, 180.0)), fix(5, (19.5, -179.999)), events("p unsatisfied 5"),
)  # fmt: skip
scenario(
    file, "a ring around the pole holds the pole",
    START, add("n", polygon(((0, 80), (120, 80), (-120, 80))), policy="exact"), add("s", polygon(((0, -89.999), (90, -89.999), (180, -89.999), (-90, -89.999))), policy="exact"),
    fix(1, (90.0, 77.0)), events("n satisfied 1", "s unsatisfied 1"), fix(2, (84.9, 60.0)), events("n unsatisfied 2"), fix(3, (-90.0, -13.0)), events("s satisfied 3"),
    fix(4, (-89.9992, 45.0)), events("s unsatisfied 4"),
)  # fmt: skip
scenario(
    file, "a cap as RFC 7946 has Antarctica: the ring led along -90 has no line there, nor at 180",
    START, add("p", polygon(((-180, -89.9), (-90, -89.8), (0, -89.9), (90, -89.7), (180, -89.9), (180, -90), (-180, -90)), edges="planar")),
    fix(1, (-90.0, 0.0), 5), events("p satisfied 1"), fix(100, (-89.95, 180.0), 5), fix(200, (-89.95, -179.999), 5), fix(300, (-89.9999, 12.0), 5), {"advance": 400}, events(),
    fix(500, (-89.899, 180.0), 5), {"advance": 520}, events("p unsatisfied 520"),
)  # fmt: skip
scenario(
    file, "a planar sector to the pole: each of its meridians keeps its longitude",
    START, add("p", polygon(((-20, -89.9), (-20, -90), (45, -90), (45, -89.9)), edges="planar"), policy="exact"), fix(1, (-89.95, 44.0)), events("p satisfied 1"),
    fix(2, (-89.95, 46.0)), events("p unsatisfied 2"), fix(3, (-89.95, -19.0)), events("p satisfied 3"), fix(4, (-89.95, -21.0)), events("p unsatisfied 4"),
)  # fmt: skip
scenario(
    file, "an eighth of the Earth: a vertex at the pole, edges of a quarter",
    START, add("p", polygon(((0, 0), (90, 0), (0, 90))), policy="exact"), fix(1, (35.0, 45.0)), events("p satisfied 1"), fix(2, (-0.001, 45.0)), events("p unsatisfied 2"),
    fix(3, (89.999, 45.0)), events("p satisfied 3"), fix(4, (89.999, -135.0)), events("p unsatisfied 4"),
)  # fmt: skip
scenario(
    file, "the same vertices: a geodesic of 20 degrees bulges to the pole, the planar line does not",
    START, add("geodesic", polygon(((-10, 50), (10, 50), (10, 60), (-10, 60)))), add("planar", polygon(((-10, 50), (10, 50), (10, 60), (-10, 60)), edges="planar")),
    fix(1, (60.2, 0.0)), events("geodesic satisfied 1", "planar unsatisfied 1"), fix(100, (50.2, 0.0)), {"advance": 120}, events("geodesic unsatisfied 120", "planar satisfied 120"),
)  # fmt: skip
scenario(
    file, "GeoJSON's edges are planar, WKT's are geodesic, a Feature's own word wins",
    START, add("g", {"polygon": {"geojson": {"type": "Polygon", "coordinates": [[[-10, 50], [10, 50], [10, 60], [-10, 60], [-10, 50]]]}}}),
    add("w", {"polygon": {"wkt": "POLYGON ((-10 50, 10 50, 10 60, -10 60, -10 50))"}}),
    add("f", {"polygon": {"geojson": {
        "type": "Feature", "properties": {"edges": "geodesic"},
        "geometry": {"type": "Polygon", "coordinates": [[[-10, 50], [10, 50], [10, 60], [-10, 60], [-10, 50]]]},
    }}}),
    fix(1, (60.2, 0.0)), events("g unsatisfied 1", "w satisfied 1", "f satisfied 1"),
)  # fmt: skip
scenario(
    file, "a planar edge over the antimeridian follows the drawn line within 0.1 m",
    START, add("p", polygon(((170, 60), (190, 70), (190, 75), (170, 75)), edges="planar"), policy="exact"), fix(1, (65.00001, 180.0)), events("p satisfied 1"),
    fix(2, (64.99999, -180.0)), events("p unsatisfied 2"), fix(3, (62.50001, 175.0)), events("p satisfied 3"), fix(4, (67.49999, -175.0)), events("p unsatisfied 4"),
)  # fmt: skip
scenario(
    file, "parts that share an edge have no line there",
    START, add("p", parts((((0, 0), (1, 0), (1, 1), (0, 1)),), (((1, 0), (2, 0), (2, 1), (1, 1)),))), fix(1, (0.5, 0.5), 5), events("p satisfied 1"), fix(100, (0.5, 0.9999), 5),
    fix(200, (0.5, 1.0), 5), fix(300, (0.5, 1.0001), 5), {"advance": 400}, events(), fix(500, (0.5, 2.01), 5), {"advance": 520}, events("p unsatisfied 520"),
)  # fmt: skip
scenario(
    file, "a spur without width is not a boundary",
    START, add("p", polygon(((0, 0), (1, 0), (2, -1), (1, 0), (1, 1), (0, 1))), policy="exact"), fix(1, (-1.0, 2.0)), events("p unsatisfied 1"), fix(2, (0.5, 0.5)), events("p satisfied 2"),
)  # fmt: skip
scenario(
    file, "all but a small island: more than half the Earth, oriented",
    START, add("p", polygon(((10, 10), (10, 11), (11, 11), (11, 10)), oriented=True), policy="exact"), fix(1, (-10.5, -169.5)), events("p satisfied 1"), fix(2, (10.5, 10.5)), events("p unsatisfied 2"),
    fix(3, (9.9, 10.5)), events("p satisfied 3"),
)  # fmt: skip
scenario(
    file, "a lune of edges of 15 000 km: the side is that of the geodesic",
    START, add("p", polygon(((-67.5, 1), (67.5, 1), (0, 60))), policy="exact"), fix(1, (2.0, 0.0)), events("p unsatisfied 1"), fix(2, (3.0, 0.0)), events("p satisfied 2"), fix(3, (1.2, 60.0)), events("p unsatisfied 3"),
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------------------
file = "corridors"

ROAD = corridor(50, (13.0, 52.0), (13.01, 52.0))
scenario(
    file, "a corridor: within its radius is inside, its ends are round",
    START, add("c", ROAD, policy="exact"), fix(1, (52.0004, 13.005)), events("c satisfied 1"), fix(2, (52.0005, 13.005)), events("c unsatisfied 2"),
    fix(3, from_place((52.0, 13.01), 90, 49.9)), events("c satisfied 3"), fix(4, from_place((52.0, 13.01), 90, 50.1)), events("c unsatisfied 4"),
    fix(5, from_place((52.0, 13.01), 45, 49.9)), events("c satisfied 5"), fix(6, from_place((52.0, 13.01), 45, 50.1)), events("c unsatisfied 6"),
)  # fmt: skip
scenario(
    file, "a corridor with a bend: round outside, both arms near inside",
    START, add("c", corridor(100, (0, 0), (0.01, 0), (0.01, 0.01)), policy="exact"), fix(1, from_place((0.0, 0.01), 135, 99.9)), events("c satisfied 1"),
    fix(2, from_place((0.0, 0.01), 135, 100.1)), events("c unsatisfied 2"), fix(3, from_place((0.0, 0.01), 315, 141)), events("c satisfied 3"), fix(4, from_place((0.0, 0.01), 315, 143)),
    events("c unsatisfied 4"),
)  # fmt: skip
scenario(
    file, "a corridor: margins and dwell are those of a circle of its radius",
    START, add("c", ROAD), fix(1, FAR, 5), events("c unsatisfied 1"), fix(100, (52.0003, 13.005), 40), {"advance": 130}, events(), fix(140, (52.0002, 13.005), 40), {"advance": 160},
    events("c satisfied 160"), fix(200, (52.0006, 13.005), 5), {"advance": 230}, events(), fix(240, (52.0007, 13.005), 5), {"advance": 260}, events("c unsatisfied 260"),
)  # fmt: skip
scenario(
    file, "a corridor: the policy of Core Location clamps by the radius",
    START, add("c", corridor(150, (13.0, 52.0), (13.01, 52.0)), policy="core_location"), fix(1, (52.0, 13.005), 5), events("c satisfied 1"),
    fix(100, from_place((52.0, 13.01), 90, 299), 5), {"advance": 130}, events(), fix(140, from_place((52.0, 13.01), 90, 301), 5), {"advance": 160}, events("c unsatisfied 160"),
)  # fmt: skip
scenario(
    file, "a corridor that crosses itself, one with several lines, one that returns on its way",
    START, add("eight", corridor(1000, (0, 0), (1, 1), (1, 0), (0, 1)), policy="exact"), add("two", {"corridor": {"coordinates": [[[0, 0], [1, 0]], [[0, 1], [1, 1]]], "radius": 1000}}, policy="exact"),
    add("back", corridor(1000, (0, 0), (1, 0), (0, 0)), policy="exact"), fix(1, (0.5, 0.5)), events("eight satisfied 1", "two unsatisfied 1", "back unsatisfied 1"), fix(2, (1.0, 0.25)),
    events("eight unsatisfied 2", "two satisfied 2"), fix(3, (0.0, 0.75)), events("back satisfied 3"),
)  # fmt: skip
scenario(
    file, "a corridor over the Pacific follows the geodesic, not the parallel",
    START, add("c", corridor(20000, (139.8, 35.5), (-122.4, 37.6)), policy="exact"), fix(1, (48.47, -172.2)), events("c satisfied 1"), fix(2, (36.5, -172.0)), events("c unsatisfied 2"),
)  # fmt: skip
scenario(
    file, "planar edges of a corridor follow the drawn line",
    START, add("g", corridor(1000, (-10, 60), (10, 60)), policy="exact"), add("p", corridor(1000, (-10, 60), (10, 60), edges="planar"), policy="exact"), fix(1, (60.0, 0.0)),
    events("g unsatisfied 1", "p satisfied 1"), fix(2, (60.379, 0.0)), events("g satisfied 2", "p unsatisfied 2"),
)  # fmt: skip
scenario(
    file, "a corridor of one place, also given twice, is a circle",
    START, {"add": "circle", "circle": {"latitude": 52.0, "longitude": 13.0, "radius": 100}}, add("point", corridor(100, (13.0, 52.0))), add("twice", corridor(100, (13.0, 52.0), (13.0, 52.0))), fix(1, from_place((52.0, 13.0), 30, 99.5), 5),
    events("circle satisfied 1", "point satisfied 1", "twice satisfied 1"), fix(100, from_place((52.0, 13.0), 30, 125), 5), {"advance": 120},
    events("circle unsatisfied 120", "point unsatisfied 120", "twice unsatisfied 120"),
)  # fmt: skip
scenario(
    file, "a corridor over a pole and along the antimeridian",
    START, add("c", corridor(5000, (0, 85), (180, 85), (180, 80)), policy="exact"), fix(1, (90.0, 45.0)), events("c satisfied 1"), fix(2, (89.9, 90.0)), events("c unsatisfied 2"),
    fix(3, (82.0, -179.9)), events("c satisfied 3"),
)  # fmt: skip
scenario(
    file, "a corridor's radius may be larger than its line: 300 km around a street",
    START, add("c", corridor(300000, (13.0, 52.0), (13.01, 52.0))), fix(1, (53.0, 10.0), 50000), events("c satisfied 1"), fix(100, (57.0, 10.0), 5), {"advance": 120}, events("c unsatisfied 120"),
)  # fmt: skip

# ---------------------------------------------------------------------------------------------------------------------
file = "refused"

counts: Counter[str] = Counter()
BOW = ((0, 0), (2, 0), (0, 2), (3, 3))
for reason, step, at in (
    ("coordinate", add("x", polygon(((0, 0), (1, "nan"), (1, 1)))), {"part": 0, "ring": 0}),
    ("coordinate", add("x", polygon(((0, 0), (1, 90.5), (1, 1)))), {"part": 0, "ring": 0}),
    ("coordinate", add("x", polygon(((0, 0), (361, 0), (1, 1)))), {"part": 0, "ring": 0}),
    ("type", add("x", {"polygon": {"wkt": "MULTIPOINT ((0 0), (1 1))"}}), {}),
    ("type", add("x", {"polygon": {"wkt": "LINESTRING (0 0, 1 1)"}}), {}),
    ("empty", add("x", {"polygon": {"wkt": "POLYGON EMPTY"}}), {}),
    ("edges", add("x", polygon(PARK, edges="straight")), {}),
    ("too_few_vertices", add("x", polygon(((0, 0), (1, 1), (0, 0)))), {"part": 0, "ring": 0}),
    ("edge_too_long", add("x", polygon(((0, 0), (179.9, 0.1), (90, 10)))), {"part": 0, "ring": 0, "edge": 0}),
    ("no_area", add("x", polygon(((10, 0), (20, 0), (30, 0)))), {"part": 0, "ring": 0}),
    ("which_side", add("x", polygon(((0, 0), (120, 0), (-120, 0)))), {"part": 0, "ring": 0}),
    ("which_side", add("x", polygon(((-175, -80), (175, -80), (175, 80), (-175, 80)), edges="planar")), {"part": 0, "ring": 0}),
    ("crossing", add("x", polygon(BOW)), {"part": 0, "ring": 0, "edge": 1}),
    ("crossing", add("x", polygon(((0, 0), (2, 0), (2, 2), (0, 2)), ((1, 1), (3, 1), (3, 1.5), (1, 1.5)))), {"part": 0, "ring": 0, "edge": 1}),
    ("overlap", add("x", parts((((0, 0), (2, 0), (2, 2)),), (((1, 0), (3, 0), (3, -2)),))), {"edge": 0}),
    ("hole_outside", add("x", polygon(PARK, ((14, 52), (14.01, 52), (14, 52.01)))), {"part": 0, "ring": 1}),
    ("holes_overlap", add("x", polygon(PARK, HOLE, ((13.004, 52.004), (13.006, 52.004), (13.005, 52.006)))), {"part": 0}),
    ("parts_overlap", add("x", parts((PARK,), (HOLE,))), {}),
    ("no_line", add("x", polygon(PARK, PARK)), {}),
    ("radius", add("x", corridor(0, (13, 52), (13.01, 52))), {}),
    ("radius", add("x", corridor("inf", (13, 52), (13.01, 52))), {}),
    ("buffer", add("x", polygon(PARK, buffer="nan")), {}),
    ("buffer", add("x", polygon(PARK, buffer=-350)), {}),
):  # fmt: skip
    counts[reason] += 1
    name = f"refused: {reason}" + (f" ({counts[reason]})" if counts[reason] > 1 else "")
    scenario(file, name, *INSIDE, refused(reason, step, **at), {"identifiers": ["p"]}, events())
