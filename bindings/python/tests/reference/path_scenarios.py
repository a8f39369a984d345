"""Path scenarios: the steps and the expected events. generate_path_scenarios.py fills in the numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

from generate_shape_scenarios import add, corridor, events, fix, from_place, parts, polygon, scenario

GAP = 600
A_DEGREE = 111319.49079327357  # metres per degree of longitude on the equator


def path(file: str, name: str, *steps: Any, **options: Any) -> None:
    scenario(file, name, *steps, **{"path": "geodesic", "max_gap": GAP, **options})


def circle(identifier: str, at: tuple[float, float], radius: float, policy: Any = "exact", **rest: Any) -> Any:
    place = {"circle": {"latitude": at[0], "longitude": at[1], "radius": radius}}
    return add(identifier, place, **{"policy": policy, "assuming": "unsatisfied", **rest})


def at(metres: float) -> tuple[float, float]:
    """Returns a point on the equator."""
    return 0.0, round(metres / A_DEGREE, 9)


O = (0.0, 0.0)  # noqa: E741
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
BEACON = {"beacon": {"uuid": UUID, "major": 1, "minor": 7}}
SEEN = [{"uuid": UUID, "major": 1, "minor": 7}]
whole = partial(path, "crossings")
timed = partial(path, "times")
known = partial(path, "gaps")
placed = partial(path, "places")
shaped = partial(path, "shapes")
OPEN = ("c satisfied", "c unsatisfied")

# Through, into, along ------------------------------------------------------------------------------------------------

whole(
    "P1 driving through a circle between two fixes",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(200, at(10000)),
    events("c satisfied 90 path", "c unsatisfied 110 path"),
)
whole(
    "P2 without a path nothing is known between two fixes",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(200, at(10000)),
    events(),
    path="fixes",
)
whole(
    "P3 into a circle: the crossing is on the path, the fix confirms nothing more",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(100, at(0)),
    events("c satisfied 90 path"),
    fix(101, at(0)),
    events(),
)
whole(
    "P4 both ends inside and the way as well",
    circle("c", O, 1000),
    fix(0, at(-900)),
    events("c satisfied 0 fix"),
    fix(18, at(900)),
    events(),
)
whole(
    "P5 both ends outside, past the circle", circle("c", O, 1000), fix(0, (0.01, -0.1)), fix(200, (0.01, 0.1)), events()
)
whole(
    "P6 a way that passes a millimetre inside of the line touches it",
    circle("c", from_place(O, 0, 999.999), 1000),
    circle("d", from_place(O, 0, 1000.001), 1000),
    fix(0, at(-10000)),
    fix(200, at(10000)),
    events("c satisfied 99.986 path", "c unsatisfied 100.014 path"),
)
whole(
    "P7 a graze that stays within the margin is none",
    circle("c", (0.0089, 0.0), 1000, {"exit_dwell": 0, "entry_dwell": 0}),
    fix(0, at(-10000)),
    fix(200, at(10000)),
    events(),
)
whole(
    "P8 a graze that goes deeper than the margin is one",
    circle("c", (0.0080, 0.0), 1000, {"exit_dwell": 0, "entry_dwell": 0}),
    fix(0, at(-10000)),
    fix(200, at(10000)),
    events("c satisfied 95.782 path", "c unsatisfied 105.078 path"),
)
whole(
    "P9 several circles at one instant come in the order in which they were added",
    circle("b", O, 1000),
    circle("a", O, 1000),
    circle("c", O, 1000, assuming="satisfied"),
    fix(0, at(-10000)),
    events("c unsatisfied 0 fix"),
    fix(100, at(0)),
    events("b satisfied 90 path", "a satisfied 90 path", "c satisfied 90 path"),
)
whole(
    "P10 out of one circle and into the next where they touch",
    circle("a", at(0), 1000),
    circle("b", at(2000), 1000),
    fix(0, at(0)),
    events("a satisfied 0 fix"),
    fix(20, at(2000)),
    events("a unsatisfied 10 path", "b satisfied 10 path"),
)
whole(
    "P11 standing still leaves what was begun to its time",
    circle("c", O, 1000, {"entry_dwell": 20}),
    fix(0, at(-2000)),
    fix(5, at(500)),
    fix(60, at(500)),
    events("c satisfied 22.04 path"),
)
whole(
    "P12 standing still in a circle makes no event",
    circle("c", O, 1000),
    fix(0, O),
    events("c satisfied 0 fix"),
    fix(100, O),
    fix(200, O),
    events(),
)
whole(
    "P13 two fixes at one time have no way between them",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(0, at(10000)),
    events(),
    fix(0, O),
    events("c satisfied 0 fix"),
)
whole(
    "P14 the accuracy on the way is the larger one of its ends",
    circle("c", O, 1000, {"entry_dwell": 0, "exit_dwell": 0, "entry_margin": 0}),
    fix(0, at(-10000), 50),
    fix(200, at(10000), 5),
    events("c satisfied 90.5 path", "c unsatisfied 110.5 path"),
)
whole(
    "P15 too coarse at one end enters nothing on the way",
    circle("c", O, 1000, {"entry_dwell": 0, "exit_dwell": 0}),
    fix(0, at(-10000)),
    fix(200, at(10000), 1500),
    events(),
)

# Times ---------------------------------------------------------------------------------------------------------------

timed(
    "P16 a dwell counts from the crossing and ends on the way",
    circle("c", O, 1000, "standard"),
    fix(0, at(-10000)),
    fix(400, at(10000)),
    events("c satisfied 200.4 path", "c unsatisfied 240.4 path"),
)
timed(
    "P17 a passage shorter than the dwell is none",
    circle("c", O, 1000, "standard"),
    fix(0, at(-10000)),
    fix(100, at(10000)),
    events(),
)
timed(
    "P18 what a fix began the way back ends",
    circle("c", O, 1000, {"entry_dwell": 30}),
    fix(0, at(-1100)),
    fix(10, at(-900)),
    fix(29, at(-1100)),
    fix(60, at(-1100)),
    events(),
)
timed(
    "P19 a dwell that ends before another crossing comes first",
    circle("a", O, 1000, {"entry_dwell": 10, "entry_margin": 0}),
    circle("b", at(3000), 1000),
    circle("c", at(2000), 500),
    fix(0, at(-3000)),
    fix(100, at(7000)),
    events(
        "a satisfied 30 path",
        "c satisfied 45 path",
        "b satisfied 50 path",
        "c unsatisfied 55 path",
        "a unsatisfied 60.2 path",
        "b unsatisfied 70 path",
    ),
)
timed(
    "P20 who waits for evidence has it at each instant of the way",
    circle("c", O, 1000, {"entry_dwell": 20, "dwell_policy": "evidence"}),
    fix(0, at(-10000)),
    fix(400, at(0)),
    events("c satisfied 380.8 path"),
)
timed(
    "P21 the absence of a beacon takes its place among crossings",
    add("b", BEACON),
    circle("c", O, 1000),
    circle("d", at(3000), 500),
    fix(0, at(-10000)),
    {"see": {"time": 0, "beacons": SEEN}},
    fix(200, at(10000)),
    events(
        "b satisfied 0 None",
        "b unsatisfied 30 None",
        "c satisfied 90 path",
        "c unsatisfied 110 path",
        "d satisfied 125 path",
        "d unsatisfied 135 path",
    ),
)
timed(
    "P22 a sighting between two fixes passes the time: the way begins there",
    circle("c", O, 1000),
    circle("d", at(-5000), 1000),
    fix(0, at(-10000)),
    {"see": {"time": 100, "beacons": SEEN}},
    fix(200, at(10000)),
    events("c satisfied 100 path", "c unsatisfied 110 path"),
)
timed(
    "P23 time that has passed settles what was before it",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    {"advance": 150},
    fix(200, at(10000)),
    events(),
)
timed(
    "P24 a late fix lays nothing",
    circle("c", O, 1000),
    fix(100, at(-10000)),
    {"refused": "late_input", "step": fix(90, at(10000))},
    events(),
    fix(300, at(10000)),
    events("c satisfied 190 path", "c unsatisfied 210 path"),
)
timed(
    "P25 a fix without a position is not on the way",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(150, (45.0, 45.0), -1),
    fix(200, at(10000)),
    events("c satisfied 90 path", "c unsatisfied 110 path"),
)
timed(
    "P26 a restart between two fixes keeps the one before",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    {"restart": True},
    fix(200, at(10000)),
    events("c satisfied 90 path", "c unsatisfied 110 path"),
)
timed(
    "P27 a condition added between two fixes is decided at the first instant of the way",
    fix(0, at(-10000)),
    {"advance": 50},
    circle("c", at(-5000), 1000, assuming="unknown"),
    fix(200, at(10000)),
    events("c satisfied 50 path", "c unsatisfied 60 path"),
    initial_fix_max_age=None,
)
timed(
    "P28 a replacement between two fixes begins again",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    {"advance": 95},
    circle("c", O, 2000),
    fix(200, at(10000)),
    events("c satisfied 95 path", "c unsatisfied 120 path"),
    initial_fix_max_age=None,
)
timed(
    "P29 of what waits the latest delivery keeps what it came to",
    circle("c", O, 1000),
    circle("d", at(9500), 1000),
    fix(0, at(-10000)),
    fix(200, at(10000)),
    events("d satisfied 185 path"),
    delivery="latest",
)
timed(
    "P30 leaving needs the margin of Core Location, and the dwell from there",
    circle("c", O, 100, "core_location"),
    fix(0, O),
    events("c satisfied 0 fix"),
    fix(100, at(1000)),
    events("c unsatisfied 40 path"),
)
timed(
    "P31 what is silent is passed silently",
    circle("c", O, 1000, {"entry_dwell": 0, "exit_dwell": 0, "notify": ["exit"]}),
    fix(0, at(-10000)),
    fix(200, at(10000)),
    events("c unsatisfied 110.2 path"),
)

# Gaps ----------------------------------------------------------------------------------------------------------------

known(
    "P32 over a gap nothing is laid, and the next event says so",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(601, at(10000)),
    events(),
    fix(801, at(-10000)),
    events("c satisfied 691 path gap", "c unsatisfied 711 path"),
)
known(
    "P33 a gap as long as is allowed is none",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(600, at(10000)),
    events("c satisfied 270 path", "c unsatisfied 330 path"),
)
known(
    "P34 a fix after a gap decides with it",
    circle("b", O, 1000),
    circle("a", O, 2000),
    circle("c", at(5000), 10),
    fix(0, at(-10000)),
    fix(601, O),
    fix(602, at(10)),
    events("b satisfied 601 fix gap", "a satisfied 601 fix gap"),
)
known(
    "P35 a silent change leaves the gap to the next event",
    circle("b", O, 1000, {"entry_dwell": 0, "exit_dwell": 0, "notify": ["exit"]}),
    circle("c", at(3000), 1000),
    fix(0, at(-10000)),
    fix(601, O),
    events(),
    fix(631, at(3000)),
    events("b unsatisfied 611.2 path gap", "c satisfied 621 path"),
)
known(
    "P36 a way that is too fast is a gap",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(100, at(10000)),
    events(),
    fix(300, O),
    events("c satisfied 280 path gap"),
    max_speed=150,
)
known(
    "P37 a way at the speed that is allowed, and less",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(200, at(10000)),
    events("c satisfied 90 path", "c unsatisfied 110 path"),
    max_speed=100.1,
)
known(
    "P38 a rewind forgets the fix before, and a gap",
    circle("c", O, 1000),
    fix(0, at(-10000)),
    fix(601, at(10000)),
    {"rewind": 300},
    fix(310, at(5000)),
    fix(410, O),
    events("c satisfied 390 path"),
)
known(
    "P53 a crossing that the timer confirms during a gap was decided before the gap",
    circle("c", O, 1000, {"entry_dwell": 20, "exit_dwell": 20}),
    fix(0, at(-10000)),
    fix(90, O),
    fix(200, O),
    events("c satisfied 101.18 path"),
    fix(201, O),
    events(),
    fix(202, at(5000)),
    events(),
    fix(240, at(5000)),
    events("c unsatisfied 221.204 path gap"),
    max_gap=100,
)
known(
    "P54 the timer confirms during a gap, and the host advances the clock",
    circle("c", O, 1000, {"entry_dwell": 20, "exit_dwell": 20}),
    fix(0, at(-10000)),
    fix(90, O),
    {"advance": 150},
    events("c satisfied 101.18 path"),
    fix(200, O),
    fix(201, O),
    fix(202, at(5000)),
    fix(240, at(5000)),
    events("c unsatisfied 221.204 path gap"),
    max_gap=100,
)
known(
    "P55 a crossing that the timer confirms after a gap was decided before the gap",
    circle("c", O, 1000, {"entry_dwell": 200, "exit_dwell": 0}),
    circle("d", at(5000), 100),
    fix(0, at(-10000)),
    fix(90, O),
    fix(200, O),
    fix(300, O),
    events("c satisfied 281.18 path"),
    fix(400, at(5000)),
    events("c unsatisfied 320.4 path gap", "d satisfied 398 path"),
    max_gap=100,
)
known(
    "P56 a crossing that a fix after a gap confirms follows the gap",
    circle("c", O, 1000, {"entry_dwell": 20, "exit_dwell": 20, "dwell_policy": "evidence"}),
    fix(0, at(-10000)),
    fix(90, O),
    fix(200, O),
    events("c satisfied 200 path gap"),
    max_gap=100,
)
known(
    "P58 a gap that is not yet reported is replaced by the next gap",
    circle("c", O, 1000, {"entry_dwell": 200, "exit_dwell": 0}),
    circle("d", at(5000), 100),
    fix(0, at(-10000)),
    fix(101, at(-5000)),
    fix(151, O),
    fix(300, O),
    events(),
    fix(350, O),
    events("c satisfied 341.2 path"),
    fix(450, at(5000)),
    events("c unsatisfied 370.4 path gap", "d satisfied 448 path"),
    max_gap=100,
)
known(
    "P57 at the instant that ends a gap, only the crossing that was decided after the gap follows it",
    circle("a", at(500), 100),
    circle("b", O, 1000, {"entry_dwell": 110, "exit_dwell": 0}),
    circle("c", at(500), 100),
    fix(90, at(-10000)),
    fix(90, O),
    fix(200, at(500)),
    events("a satisfied 200 fix gap", "b satisfied 200 fix", "c satisfied 200 fix gap"),
    max_gap=100,
)

# Places --------------------------------------------------------------------------------------------------------------

placed(
    "P39 over the north pole",
    circle("c", (90.0, 0.0), 1000),
    fix(0, (89.95, 20.0)),
    fix(100, (89.95, -160.0)),
    events("c satisfied 41.047 path", "c unsatisfied 58.953 path"),
)
placed(
    "P40 past the south pole",
    circle("c", (-90.0, 77.0), 2000),
    fix(0, (-89.95, 0.0)),
    fix(100, (-89.95, 150.0)),
    events("c satisfied 37.188 path", "c unsatisfied 62.812 path"),
)
placed(
    "P41 over the antimeridian",
    circle("c", (-17.0, 180.0), 1000),
    fix(0, (-17.0, 179.9)),
    fix(100, (-17.0, -179.9)),
    events("c satisfied 45.305 path", "c unsatisfied 54.695 path"),
)
placed(
    "P42 the way is the geodesic, which bends to the north",
    circle("c", (49.5, 10.0), 40000),
    circle("d", (48.0, 10.0), 20000),
    fix(0, (48.0, -10.0)),
    fix(600, (48.0, 30.0)),
    events("c satisfied 294.64 path", "c unsatisfied 305.36 path"),
)
placed(
    "P43 twenty metres",
    circle("c", at(10), 3),
    fix(0, O),
    fix(20, at(20)),
    events("c satisfied 7 path", "c unsatisfied 13 path"),
)
placed(
    "P44 five thousand kilometres",
    circle("ireland", (53.0, -8.0), 200000),
    circle("nova_scotia", (45.0, -63.0), 150000),
    fix(0, (48.85, 2.35)),
    fix(20000, (40.7, -74.0)),
    events("nova_scotia satisfied 16106.518 path", "nova_scotia unsatisfied 16966.616 path"),
    max_gap=30000,
)
placed(
    "P45 nearly to the antipode, and a circle of half the Earth",
    circle("c", (0.0, 0.0), 9000000.0),
    fix(0, (0.3, 179.0)),
    fix(30000, (0.1, 1.0)),
    events("c satisfied 16536.527 path"),
    max_gap=30000,
)

# Polygons and corridors ----------------------------------------------------------------------------------------------

BOX = [(-0.01, -0.01), (0.01, -0.01), (0.01, 0.01), (-0.01, 0.01)]
HOLE = [(-0.004, -0.004), (0.004, -0.004), (0.004, 0.004), (-0.004, 0.004)]


def shape(identifier: str, definition: Any, policy: Any = "exact", **rest: Any) -> Any:
    return add(identifier, definition, policy=policy, assuming="unsatisfied", **rest)


shaped(
    "P46 both ends inside a polygon, through its hole",
    shape("c", polygon(BOX, HOLE)),
    fix(0, at(-800)),
    events("c satisfied 0 fix"),
    fix(160, at(800)),
    events("c unsatisfied 35.472 path", "c satisfied 124.528 path"),
)
shaped(
    "P47 through two parts of a polygon",
    shape("c", parts([BOX], [[(x + 0.05, y) for x, y in BOX]])),
    fix(0, at(-5000)),
    fix(150, at(10000)),
    events(
        "c satisfied 38.868 path", "c unsatisfied 61.132 path", "c satisfied 94.528 path", "c unsatisfied 116.792 path"
    ),
)
shaped(
    "P48 the notch of a polygon is crossed both ways",
    shape("c", polygon([(-0.02, -0.02), (0.02, -0.02), (0.02, 0.02), (0.0, -0.01), (-0.02, 0.02)])),
    fix(0, (0.0, -0.018)),
    fix(100, (0.0, 0.018)),
    events("c satisfied 0 fix", "c unsatisfied 31.481 path", "c satisfied 68.519 path"),
)
shaped(
    "P49 across a corridor twice",
    shape("c", corridor(100, (-0.01, 0.02), (0.0, -0.02), (0.01, 0.02))),
    fix(0, at(-3000)),
    fix(60, at(3000)),
    events(
        "c satisfied 23.403 path", "c unsatisfied 25.465 path", "c satisfied 34.535 path", "c unsatisfied 36.597 path"
    ),
)
shaped(
    "P50 into the round end of a corridor",
    shape("c", corridor(200, (0.0, 0.0), (0.05, 0.0))),
    fix(0, at(-1000)),
    fix(20, at(1000)),
    events("c satisfied 8 path"),
)
shaped(
    "P51 across a polygon's corner, within the margin and beyond it",
    shape("c", polygon(BOX), {"entry_dwell": 0, "exit_dwell": 0}),
    shape("d", polygon([(1.04 * x, 1.04 * y) for x, y in BOX]), {"entry_dwell": 0, "exit_dwell": 0}),
    fix(0, (0.0, -0.0202)),
    fix(100, (-0.0202, 0.0)),
    events("d satisfied 49.404 path", "d unsatisfied 52.381 path"),
)
shaped(
    "P52 a dwell within a polygon over the antimeridian",
    shape("c", polygon([(179.9, -17.0), (-179.9, -17.0), (-179.9, -16.8), (179.9, -16.8)]), "standard"),
    fix(0, (-16.9, 179.8)),
    fix(400, (-16.9, -179.8)),
    events("c satisfied 120.188 path", "c unsatisfied 320.188 path"),
)
