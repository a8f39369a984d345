"""Gate scenarios: the steps and the expected events. generate_gate_scenarios.py fills in the numbers.

If a line runs north, its left side is the west side. Fixes are on the equator; their distances in metres are measured
east from the meridian of Greenwich.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from generate_shape_scenarios import FILES, add, events, fix, refused
from path_scenarios import at, circle, path

FILES.clear()  # the import of path_scenarios has added that module's scenarios to FILES
crossed = partial(path, "crossings")
touched = partial(path, "touches")
timed = partial(path, "times")
placed = partial(path, "places")
refusing = partial(path, "refused")


def gate(identifier: str, *points: Any, **options: Any) -> Any:
    """Returns a gate through points [longitude, latitude]."""
    return add(identifier, {"line": {"coordinates": [list(point) for point in points]}}, **options)


def gates(identifier: str, *lines: Any, **options: Any) -> Any:
    rows = [[list(point) for point in line] for line in lines]
    return add(identifier, {"line": {"coordinates": rows}}, **options)


NORTH = gate("g", (0, -0.01), (0, 0.01))
SOUTH = gate("g", (0, 0.01), (0, -0.01))
WEST, EAST = at(-7000), at(10000)

# Crossings -----------------------------------------------------------------------------------------------------------

crossed(
    "G1 over a gate between two fixes, from left to right",
    NORTH,
    fix(0, WEST),
    fix(200, EAST),
    events("g left_to_right 82.353 path"),
)
crossed(
    "G2 the same line listed the other way: from right to left",
    SOUTH,
    fix(0, WEST),
    fix(200, EAST),
    events("g right_to_left 82.353 path"),
)
crossed(
    "G3 there and back, and there again: each crossing counts",
    NORTH,
    fix(0, WEST),
    fix(200, EAST),
    fix(400, WEST),
    fix(600, EAST),
    events("g left_to_right 82.353 path", "g right_to_left 317.647 path", "g left_to_right 482.353 path"),
)
crossed(
    "G4 past its ends",
    gate("g", (0, 0.001), (0, 0.01)),
    gate("h", (0, -0.01), (0, -0.001)),
    fix(0, WEST),
    fix(200, EAST),
    events(),
)
crossed(
    "G5 a gate of several edges is crossed where the way meets each of them",
    gate("g", (-0.03, -0.01), (-0.02, 0.01), (-0.005, -0.01), (0.01, 0.01), (0.03, -0.02), (0.05, 0.01)),
    fix(0, WEST),
    fix(200, EAST),
    events(
        "g left_to_right 49.612 path",
        "g right_to_left 65.982 path",
        "g left_to_right 85.627 path",
        "g right_to_left 104.18 path",
        "g left_to_right 139.104 path",
    ),
)
crossed(
    "G6 ten times within one leg, over the teeth of a comb",
    gate("g", *[(-0.0401 + 0.01 * k, 0.001 if k % 2 else -0.001) for k in range(11)]),
    fix(0, WEST),
    fix(200, EAST),
    events(*[
        f"g {'right_to_left' if k % 2 else 'left_to_right'} {date} path"
        for k, date in enumerate((36.385, 49.481, 62.577, 75.674, 88.77, 101.867, 114.963, 128.059, 141.156, 154.252))
    ]),
)  # fmt: skip
crossed(
    "G7 a gate of two lines; their directions are their own",
    gates("g", [(-0.01, -0.01), (-0.01, 0.01)], [(0.02, 0.01), (0.02, -0.01)]),
    fix(0, WEST),
    fix(200, EAST),
    events("g left_to_right 69.257 path", "g right_to_left 108.546 path"),
)
crossed(
    "G8 two gates at one instant, in the order in which they were added; and a circle with them",
    gate("z", (0, -0.01), (0, 0.01)),
    circle("c", at(1000), 1000),
    gate("a", (0, 0.01), (0, -0.02), tag=7),
    fix(0, WEST),
    fix(200, EAST),
    events("z left_to_right 82.353 path", "c satisfied 82.353 path", "a right_to_left 82.353 path",
           "c unsatisfied 105.882 path"),
)  # fmt: skip
crossed(
    "G9 accuracy plays no part: who is known to a kilometre crosses as well",
    NORTH,
    fix(0, WEST, 1000),
    fix(200, EAST, 5),
    events("g left_to_right 82.353 path"),
)
crossed(
    "G10 at an angle, over an edge that is not a meridian",
    gate("g", (7.59, 47.54), (7.605, 47.565)),
    fix(0, (47.56, 7.59)),
    fix(60, (47.545, 7.61)),
    events("g left_to_right 24.821 path"),
)
crossed(
    "G11 the edges of a map lie elsewhere than geodesics",
    add("p", {"line": {"coordinates": [[-1, 60], [1, 60]], "edges": "planar"}}),
    add("g", {"line": {"coordinates": [[-1, 60], [1, 60]]}}),
    fix(0, (59.999, 0.1)),
    fix(100, (60.009, 0.1)),
    events("p right_to_left 10.004 path", "g right_to_left 47.473 path"),
)
crossed(
    "G12 a gate says nothing of fixes alone and holds no state",
    NORTH,
    fix(0, WEST),
    events(),
    {"record": "g", "is": {"state": "unknown", "date": None}},
    fix(200, EAST),
    events("g left_to_right 82.353 path"),
    {"record": "g", "is": {"state": "unknown", "cause": "crossing", "diagnostics": []}},
    {"identifiers_in_state": "unknown", "are": ["g"]},
    {"identifiers_in_state": "satisfied", "are": []},
)

# Touching ------------------------------------------------------------------------------------------------------------

touched(
    "G13 who stops on the line coming from its left has crossed it when going on",
    NORTH,
    fix(0, WEST),
    fix(100, at(0)),
    events(),
    fix(200, EAST),
    events("g left_to_right 100 path"),
)
touched(
    "G14 and is not counted when turning back",
    NORTH,
    fix(0, WEST),
    fix(100, at(0)),
    fix(200, WEST),
    events(),
)
touched(
    "G15 who stops on the line coming from its right has crossed it there: the line is left",
    SOUTH,
    fix(0, WEST),
    fix(100, at(0)),
    events("g right_to_left 100 fix"),
    fix(200, EAST),
    events(),
)
touched(
    "G16 turning back from there crosses it again",
    SOUTH,
    fix(0, WEST),
    fix(100, at(0)),
    events("g right_to_left 100 fix"),
    fix(200, WEST),
    events("g left_to_right 100 path"),
)
touched(
    "G17 standing on the line is not a crossing",
    NORTH,
    fix(0, WEST),
    fix(100, at(0)),
    fix(200, at(0)),
    fix(300, at(0)),
    events(),
    fix(400, EAST),
    events("g left_to_right 300 path"),
)
touched(
    "G18 through a vertex is one crossing",
    gate("g", (-0.005, -0.01), (0, 0), (-0.005, 0.01)),
    fix(0, WEST),
    fix(200, EAST),
    events("g left_to_right 82.353 path"),
)
touched(
    "G19 touching a vertex is none, from either side",
    gate("g", (-0.01, 0.01), (0, 0), (0.01, 0.01)),
    gate("h", (0.01, 0.01), (0, 0), (-0.01, 0.01)),
    fix(0, WEST),
    fix(200, EAST),
    events(),
)
touched(
    "G20 along the line, and off it to its right",
    gate("g", (0, 0), (0.02, 0), (0.03, 0)),
    fix(0, WEST),
    fix(100, at(1000)),
    fix(150, at(3000)),
    events(),
    fix(200, (-0.01, 0.03)),
    events("g left_to_right 150 path"),
)
touched(
    "G21 along the line, and off it to its left",
    gate("g", (0, 0), (0.02, 0), (0.03, 0)),
    fix(0, WEST),
    fix(100, at(1000)),
    fix(150, at(3000)),
    fix(200, (0.01, 0.03)),
    events(),
)

OPEN = gate("g", (0, 0), (0, 0.01))
touched(
    "G42 an open end is none of the line, also where a fix lies on it",
    OPEN,
    gate("h", (0, -0.01), (0, 0)),
    gate("i", (0, 0), (0, -0.01)),
    fix(0, EAST),
    fix(100, at(0)),
    fix(200, WEST),
    fix(300, at(0)),
    fix(400, EAST),
    events(),
)
touched(
    "G43 along the line from its right, and past its end",
    gate("g", (0.02, 0), (0, 0), (0, -0.01)),
    fix(0, at(-3000)),
    fix(90, at(6000)),
    events("g right_to_left 30 path"),
    fix(180, at(-3000)),
    events("g left_to_right 150 path"),
)
touched(
    "G44 touching a corner at a microsecond exactly is none, also in the middle of a long way",
    gate("g", (-0.01, 0.01), (0, 0), (0.01, 0.01)),
    gate("h", (0.01, 0.01), (0, 0), (-0.01, 0.01)),
    fix(0, at(-12000)),
    fix(200, at(12000)),
    fix(400, at(-12000)),
    events(),
    fix(500, at(-100000)),
    fix(700, at(100000)),
    events(),
)

# Times ---------------------------------------------------------------------------------------------------------------

timed(
    "G22 over a gap nothing is known, and the next crossing says so",
    NORTH,
    fix(0, WEST),
    fix(601, EAST),
    events(),
    fix(801, WEST),
    fix(1001, EAST),
    events("g right_to_left 718.647 path gap", "g left_to_right 883.353 path"),
)
timed(
    "G23 nor of a way that is too fast",
    NORTH,
    fix(0, WEST),
    fix(200, EAST),
    events(),
    fix(600, WEST),
    events("g right_to_left 435.294 path gap"),
    max_speed=50,
)
timed(
    "G24 fixes that are no positions are not on the way",
    NORTH,
    fix(0, WEST),
    fix(40, (45.0, 45.0), -1),
    {"refused": "invalid_argument", "step": fix(50, (91.0, 0.0))},
    {"advance": 60},
    fix(200, EAST),
    events("g left_to_right 82.353 path"),
)
timed(
    "G25 a crossing is never lost: where time had passed already it has the clock's date",
    NORTH,
    gate("h", (0.005, 0.01), (0.005, -0.01)),
    fix(0, WEST),
    {"advance": 90},
    events(),
    fix(200, EAST),
    events("g left_to_right 90 path", "h right_to_left 90 path"),
    fix(400, WEST),
    events("h left_to_right 311.099 path", "g right_to_left 317.647 path"),
)
timed(
    "G26 added, replaced and removed between two fixes: from then on",
    fix(0, WEST),
    {"advance": 50},
    gate("g", (0, -0.01), (0, 0.01)),
    gate("h", (-0.03, -0.01), (-0.03, 0.01)),
    gate("r", (0.03, -0.01), (0.03, 0.01)),
    fix(100, at(1500)),
    events("g left_to_right 82.353 path"),
    gate("g", (0.05, -0.01), (0.05, 0.01)),
    {"remove": "r"},
    fix(200, EAST),
    events("g left_to_right 147.835 path"),
)
timed(
    "G27 an equal gate is left alone, with what waits",
    NORTH,
    fix(0, WEST),
    fix(100, at(1500)),
    {"ensure": "g", "line": {"coordinates": [[0, -0.01], [0, 0.01]]}},
    {"sync": [{"identifier": "g", "line": {"coordinates": [[0, -0.01], [0, 0.01]]}}]},
    fix(200, WEST),
    events("g left_to_right 82.353 path", "g right_to_left 117.647 path"),
    {"ensure": "g", "line": {"coordinates": [[0, -0.01], [0, 0.02]]}},
    {"record": "g", "is": {"state": "unknown", "date": 200, "generation": 2}},
)
timed(
    "G45 between two fixes of one time a line is crossed at that time",
    NORTH,
    circle("c", at(0), 500),
    fix(0, WEST),
    fix(0, EAST),
    events("g left_to_right 0 fix"),
    fix(200, WEST),
    fix(200, EAST),
    fix(200, WEST),
    events(
        "c satisfied 111.765 path",
        "g right_to_left 117.647 path",
        "c unsatisfied 123.529 path",
        "g left_to_right 200 fix",
        "g right_to_left 200 fix",
    ),
    gate("n", (0.001, -0.01), (0.001, 0.01)),
    fix(200, EAST),
    events("g left_to_right 200 fix"),
    {"advance": 300},
    fix(300, EAST),
    fix(300, WEST),
    events("g right_to_left 300 fix", "n right_to_left 300 fix"),
)
timed(
    "G46 and with a greatest speed there is a gap",
    NORTH,
    fix(0, WEST),
    fix(0, at(-6000)),
    fix(200, EAST),
    events("g left_to_right 75 path"),
    fix(200, WEST),
    events(),
    fix(400, EAST),
    events("g left_to_right 282.353 path gap"),
    max_speed=100,
)
timed(
    "G28 a restart and a rewind between two fixes",
    NORTH,
    fix(0, WEST),
    {"restart": True},
    fix(200, EAST),
    events("g left_to_right 82.353 path"),
    {"rewind": 100},
    fix(110, at(5000)),
    fix(170, at(-1000)),
    events("g right_to_left 160 path"),
)
timed(
    "G29 without a position that may be used nothing is crossed",
    NORTH,
    fix(0, WEST),
    {"host": {"flags": ["authorization_denied"]}, "time": 10},
    fix(200, EAST),
    {"host": {"flags": []}, "time": 210},
    fix(400, WEST),
    {"next": {"identifier": "g", "state": "unknown", "cause": "diagnostic", "direction": None,
              "diagnostics": ["authorization_denied"]}},
    {"next": {"identifier": "g", "state": "unknown", "cause": "diagnostic", "direction": None, "diagnostics": []}},
    events("g right_to_left 317.647 path"),
)  # fmt: skip
timed(
    "G30 a gate takes its turn among what ends by itself",
    circle("c", at(0), 1000, {"entry_dwell": 10, "entry_margin": 0}),
    gate("g", (-0.004, -0.01), (-0.004, 0.01)),
    gate("h", (0.004, -0.01), (0.004, 0.01)),
    fix(0, at(-2000)),
    fix(40, at(2000)),
    events("g left_to_right 15.547 path", "c satisfied 20 path", "h left_to_right 24.453 path"),
)

# Places --------------------------------------------------------------------------------------------------------------

placed(
    "G31 over the antimeridian",
    gate("g", (180, -17.1), (180, -16.9)),
    gate("h", (179.95, -17.1), (-179.95, -16.9)),
    fix(0, (-17.0, 179.9)),
    fix(100, (-17.01, -179.9)),
    events("h left_to_right 48.79 path", "g left_to_right 50.001 path"),
)
placed(
    "G32 past the north pole, over a line that ends there",
    gate("g", (30, 89.9), (0, 90)),
    fix(0, (89.95, 80.0)),
    fix(100, (89.95, -60.0)),
    events("g right_to_left 43.376 path"),
)
placed(
    "G33 five thousand kilometres, over an ocean's meridian",
    gate("g", (-30, 30), (-30, 60)),
    fix(0, (48.85, 2.35)),
    fix(20000, (40.7, -74.0)),
    events("g right_to_left 7871.242 path"),
    max_gap=30000,
)
placed(
    "G34 twenty metres, and a gate of one",
    gate("g", (0.0001, -0.000005), (0.0001, 0.000005)),
    fix(0, at(0)),
    fix(20, at(20)),
    events("g left_to_right 11.132 path"),
)
placed(
    "G35 questions take a gate for a corridor of no width",
    NORTH,
    circle("c", at(500), 400),
    {"containing": {"latitude": 0.005, "longitude": 0}, "are": [{"identifier": "g", "boundary_distance": 0}]},
    {"containing": {"latitude": 0, "longitude": 0.001}, "are": [
        {"identifier": "c", "boundary_distance": -11.319537614}]},
    {"nearest": {"latitude": 0, "longitude": 0.0004, "count": 2}, "are": [
        {"identifier": "g", "boundary_distance": 44.527796317},
        {"identifier": "c", "boundary_distance": 55.472156862}]},
)  # fmt: skip

# Refused -------------------------------------------------------------------------------------------------------------


def invalid(step: Any) -> Any:
    return {"refused": "invalid_argument", "step": step}


LINE = {"line": {"coordinates": [[0, -0.01], [0, 0.01]]}}
refusing(
    "G36 without a path there are no gates",
    invalid(NORTH),
    invalid({"ensure": "g", **LINE}),
    invalid({"sync": [{"identifier": "g", **LINE}]}),
    {"identifiers": []},
    path="fixes",
    max_gap=None,
)
refusing("G37 nor where only the latest event is told", invalid(NORTH), {"identifiers": []}, delivery="latest")
refusing("G38 nor where only the first one is", invalid(NORTH), {"identifiers": []}, delivery="first")
refusing(
    "G39 a line is refused as that of a corridor",
    refused("too_few_vertices", gate("g", (0, 0), (0, 0)), part=0, ring=0),
    refused("coordinate", gate("g", (0, 0), (0, 91)), part=0, ring=0),
    refused("edge_too_long", gate("g", (0, 0), (179.9, 0)), part=0, ring=0, edge=0),
    refused("empty", add("g", {"line": {"coordinates": []}})),
    refused("type", add("g", {"line": {"wkt": "POLYGON ((0 0, 1 0, 1 1))"}})),
    {"identifiers": []},
)
refusing(
    "G41 a gate has no policy, and nothing is assumed of it",
    invalid(gate("g", (0, 0), (0, 1), policy="exact")),
    invalid(gate("g", (0, 0), (0, 1), assuming="satisfied")),
    invalid(gate("g", (0, 0), (0, 1), assuming="unsatisfied")),
    {"identifiers": []},
    gate("g", (0, 0), (0, 1), policy="standard", assuming="unknown"),
    {"identifiers": ["g"]},
)
refusing(
    "G40 a host without gates says so",
    NORTH,
    {"host": {"unsupported": ["line"]}, "time": 0},
    {"next": {"identifier": "g", "state": "unmonitored", "diagnostics": ["condition_unsupported"]}},
    fix(10, WEST),
    fix(200, EAST),
    events(),
)
