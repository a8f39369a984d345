"""Scenarios of policies with probabilities: the steps and the expected events. generate_probability_scenarios.py fills
in the numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

from generate_probability_scenarios import explained
from generate_shape_scenarios import add, corridor, events, fix, from_place, parts, polygon, scenario

POLICY = {
    "entry_dwell": 0, "exit_dwell": 0, "entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0,
    "entry_probability": 0.99, "exit_probability": 0.01,
}  # fmt: skip
DWELL = {**POLICY, "entry_dwell": 20, "exit_dwell": 20}
O = (0.0, 0.0)  # noqa: E741
BERLIN = (52.5, 13.4)
decides = partial(scenario, "decisive")
starts = partial(scenario, "undetermined")
world = partial(scenario, "globe")
paths = partial(scenario, "paths")
asked = partial(scenario, "explain")
rules = partial(scenario, "definitions")
ellipses = partial(scenario, "ellipses")


def circle(identifier: str, at: tuple[float, float], radius: float, policy: Any = POLICY, **rest: Any) -> Any:
    place = {"circle": {"latitude": at[0], "longitude": at[1], "radius": radius}}
    return add(identifier, place, **{"policy": policy, **rest})


def ensured(identifier: str, policy: Any) -> Any:
    return {"ensure": identifier, "circle": circle(identifier, BERLIN, 100)["circle"], "policy": policy}


def off(metres: float, azimuth: float = 90, at: tuple[float, float] = BERLIN) -> tuple[float, float]:
    return from_place(at, azimuth, metres)


# Decisive fixes ------------------------------------------------------------------------------------------------------

decides(
    "a crossing needs the probability: 60 m inside with 40 m decide nothing, with 20 m they do",
    circle("c", BERLIN, 100),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(60), 40),
    events(),
    fix(20, off(60), 20),
    events("c satisfied 20"),
    fix(30, off(130), 40),
    events(),
    fix(40, off(130), 15),
    events("c unsatisfied 40"),
)
decides(
    "a better accuracy at the same place is enough",
    circle("c", BERLIN, 50, assuming="unsatisfied"),
    fix(0, off(500), 5),
    *(fix(10 + k, off(20), 60) for k in range(3)),
    events(),
    fix(20, off(20), 5),
    events("c satisfied 20"),
    *(fix(30 + k, off(60), 25) for k in range(3)),
    events(),
    fix(40, off(60), 2),
    events("c unsatisfied 40"),
)
decides(
    "an accuracy of 0 is not reported: the side decides",
    circle("c", BERLIN, 100),
    fix(0, off(99.99), 0),
    events("c satisfied 0"),
    fix(10, off(100.01), 0),
    events("c unsatisfied 10"),
    fix(20, off(99.9)),
    events("c satisfied 20"),
)
decides(
    "the dwell belongs to the fix that opened the candidate, and so does the probability",
    circle("c", BERLIN, 100, DWELL),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(10), 30),
    fix(15, off(80), 30),
    {"advance": 40},
    events("c satisfied 30"),
)
decides(
    "a candidate is cancelled by the plain side, however uncertain",
    circle("c", BERLIN, 100, DWELL),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(10), 30),
    fix(15, off(101), 500),
    {"advance": 60},
    events(),
    fix(70, off(10), 30),
    fix(80, off(99), 500),
    {"advance": 100},
    events("c satisfied 90"),
)
decides(
    "evidence after the dwell is the plain side, however uncertain",
    circle("c", BERLIN, 100, {**DWELL, "dwell_policy": "evidence"}),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(10), 30),
    {"advance": 60},
    events(),
    fix(70, off(99), 5000),
    events("c satisfied 70"),
)
decides(
    "margins count as well: 10 m inside are certain with 1 m, but within the margin of 20 m",
    circle("c", BERLIN, 100, {**POLICY, "entry_margin": 20, "exit_margin": 30}),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(90), 1),
    events(),
    fix(20, off(79), 1),
    events("c satisfied 20"),
    fix(30, off(129), 1),
    events(),
    fix(40, off(131), 1),
    events("c unsatisfied 40"),
)
decides(
    "the entry margin is clamped by the depth",
    circle("c", BERLIN, 30, {**POLICY, "entry_margin": 100}),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(16), 1),
    events(),
    fix(20, off(14), 1),
    events("c satisfied 20"),
)
decides(
    "a place much smaller than the error is never entered, but it is left",
    circle("c", BERLIN, 10, assuming="satisfied"),
    fix(0, off(0), 1),
    fix(10, off(200), 30),
    events("c unsatisfied 10"),
    *(fix(20 + k, off(0), 30) for k in range(5)),
    events(),
    fix(40, off(0), 4),
    events("c satisfied 40"),
)
decides(
    "a standing device near the boundary tells nothing with 0.99 and 0.01",
    circle("c", BERLIN, 100, assuming="unsatisfied"),
    fix(0, off(600), 5),
    *(fix(10 * k, off(95 if k % 2 else 112), 25) for k in range(1, 12)),
    events(),
)
decides(
    "the confidence says what the accuracy means: 30 m of 95 % decide where 30 m of 68 % do not",
    circle("c", BERLIN, 100),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(65), 30),
    events("c satisfied 10"),
    fix(20, off(136), 35),
    events("c unsatisfied 20"),
    accuracy_confidence=0.95,
)
decides(
    "the same fixes with the confidence of 68 %",
    circle("c", BERLIN, 100),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(65), 30),
    fix(15, off(136), 35),
    events(),
    fix(20, off(20), 30),
    events("c satisfied 20"),
    accuracy_confidence=0.68,
)
decides(
    "weak thresholds: 0.51 and 0.49 decide nearly by the side",
    circle("c", BERLIN, 200, {**POLICY, "entry_probability": 0.51, "exit_probability": 0.49}),
    fix(0, off(1000), 5),
    events("c unsatisfied 0"),
    fix(10, off(195), 20),
    events("c satisfied 10"),
    fix(20, off(203), 20),
    events("c unsatisfied 20"),
)
decides(
    "beyond 6.5 standard deviations the side decides, with the strictest thresholds, too",
    circle("c", BERLIN, 1000, {**POLICY, "entry_probability": 0.99999, "exit_probability": 0.00001}),
    fix(0, off(1300), 60),
    events("c unsatisfied 0"),
    fix(10, off(700), 60),
    events("c satisfied 10"),
    fix(20, off(1120), 60),
    events(),
    fix(30, off(1280), 60),
    events("c unsatisfied 30"),
)
decides(
    "the first fix after a silent one is the evidence: the probability is that of the opening fix, latest delivery",
    circle("c", BERLIN, 100, DWELL),
    fix(0, off(1000), 5),
    fix(10, off(5), 25),
    {"advance": 30},
    events("c satisfied 30"),
    delivery="latest",
)

# Undetermined conditions ---------------------------------------------------------------------------------------------

starts(
    "an undetermined condition waits for a probability on either side",
    circle("c", BERLIN, 100),
    fix(0, off(90), 50),
    fix(10, off(110), 50),
    events(),
    fix(20, off(30), 20),
    events("c satisfied 20"),
)
starts(
    "no fix is too coarse: outside is decided at 0.01, not beyond the accuracy",
    circle("c", BERLIN, 50),
    fix(0, off(200), 400),
    events(),
    fix(10, off(350), 400),
    events("c unsatisfied 10"),
)
starts(
    "margins do not matter to a determination",
    circle("c", BERLIN, 100, {**POLICY, "entry_margin": 50, "exit_margin": 50}),
    circle("d", BERLIN, 100, {**POLICY, "entry_margin": 50, "exit_margin": 50}),
    fix(0, off(99), 0.1),
    events("c satisfied 0", "d satisfied 0"),
)
starts(
    "the last fix determines a condition that is added, if its probability does",
    fix(0, off(20), 30),
    circle("c", BERLIN, 100),
    circle("d", BERLIN, 20),
    events("c satisfied 0"),
    {"identifiers_in_state": "unknown", "are": ["d"]},
    fix(10, off(300), 30),
    events("d unsatisfied 10", "c unsatisfied 10"),
)
starts(
    "a condition that waits is determined after a suspension",
    circle("c", BERLIN, 100),
    fix(0, off(90), 50),
    {"host": {"flags": ["authorization_denied"]}, "time": 5},
    {"next": {"identifier": "c", "state": "unknown", "diagnostics": ["authorization_denied"]}},
    fix(10, off(0), 5),
    {"host": {"flags": []}, "time": 15},
    {"next": {"identifier": "c", "state": "unknown", "diagnostics": []}},
    fix(20, off(95), 50),
    events(),
    fix(30, off(0), 5),
    events("c satisfied 30"),
)
starts(
    "standard policies beside it are decided as ever",
    circle("p", BERLIN, 100),
    circle("s", BERLIN, 100, "standard"),
    circle("e", BERLIN, 100, "exact"),
    fix(0, off(90), 50),
    events("s satisfied 0", "e satisfied 0"),
    fix(10, off(102), 3),
    events("e unsatisfied 10"),
    fix(20, off(10), 3),
    {"advance": 60},
    events("p satisfied 20", "e satisfied 20"),
)
starts(
    "after a rewind a probability is needed again",
    circle("c", BERLIN, 100),
    fix(100, off(0), 5),
    events("c satisfied 100"),
    {"rewind": 50},
    fix(60, off(105), 60),
    events(),
    fix(70, off(200), 10),
    events("c unsatisfied 70"),
)

# The globe -----------------------------------------------------------------------------------------------------------

world(
    "around the pole",
    circle("c", (90.0, 0.0), 1000),
    fix(0, (89.98, 12.0), 100),
    events("c unsatisfied 0"),
    fix(10, (89.995, -170.0), 300),
    events(),
    fix(20, (90.0, 77.0), 300),
    events("c satisfied 20"),
)
world(
    "over the antimeridian",
    circle("c", (-17.0, 180.0), 200),
    fix(0, (-17.0, -179.99), 30),
    events("c unsatisfied 0"),
    fix(10, (-17.0, -179.9985), 60),
    events(),
    fix(20, (-17.0, -179.9995), 60),
    events("c satisfied 20"),
    fix(30, (-17.0, 179.99), 30),
    events("c unsatisfied 30"),
)
world(
    "a standard deviation above 10 km decides only beyond 6.5 of them",
    circle("c", BERLIN, 100_000),
    fix(0, off(0), 30_000),
    events(),
    fix(10, off(120_000), 16_000),
    events(),
    fix(20, off(240_000), 30_000),
    events("c unsatisfied 20"),
    fix(30, off(0), 14_000),
    events("c satisfied 30"),
)
world(
    "an infinite accuracy decides nothing",
    circle("c", BERLIN, 100),
    fix(0, off(0), "inf"),
    fix(5, off(1_000_000), 1e300),
    events(),
    fix(10, off(0), 5),
    events("c satisfied 10"),
    fix(20, off(8_000_000), "inf"),
    events(),
    fix(30, off(500), 5),
    events("c unsatisfied 30"),
)
world(
    "a fix without a position changes nothing",
    circle("c", BERLIN, 100),
    fix(0, off(0), 5),
    events("c satisfied 0"),
    fix(10, off(500), "nan"),
    fix(20, off(500), -1),
    events(),
)
world(
    "a circle that holds the whole Earth is inside with any accuracy",
    circle("c", BERLIN, 20_100_000),
    fix(0, (-52.5, -166.6), 5_000),
    events("c satisfied 0"),
)

# Polygons and corridors ----------------------------------------------------------------------------------------------

EDGE = (52.005, 13.01)
PARK = polygon(((13.0, 52.0), (13.01, 52.0), (13.01, 52.01), (13.0, 52.01)))
RING = polygon(
    ((13.0, 52.0), (13.01, 52.0), (13.01, 52.01), (13.0, 52.01)),
    ((13.004, 52.004), (13.004, 52.006), (13.006, 52.006), (13.006, 52.004)),
)
shaped = partial(scenario, "shapes")
shaped(
    "a polygon, near an edge and near a corner",
    add("p", PARK, policy=POLICY),
    fix(0, (52.02, 13.005), 30),
    events("p unsatisfied 0"),
    fix(10, (52.005, 13.0095), 40),
    events(),
    fix(20, (52.0098, 13.0097), 20),
    events(),
    fix(30, (52.009, 13.009), 30),
    events("p satisfied 30"),
    fix(40, (52.0103, 13.0103), 40),
    events(),
    fix(50, (52.0106, 13.0106), 40),
    events("p unsatisfied 50"),
)
shaped(
    "the margins of a polygon count as well",
    add("p", PARK, policy={**POLICY, "entry_margin": 20, "exit_margin": 30}),
    fix(0, off(1000, 90, EDGE), 5),
    events("p unsatisfied 0"),
    fix(10, off(10, 270, EDGE), 1),
    events(),
    fix(20, off(22, 270, EDGE), 1),
    events("p satisfied 20"),
    fix(30, off(25, 90, EDGE), 1),
    events(),
    fix(40, off(32, 90, EDGE), 1),
    events("p unsatisfied 40"),
)
shaped(
    "a hole counts: its middle is outside with 30 m, and undecided with 200 m",
    add("p", RING, policy=POLICY),
    fix(0, (52.002, 13.002), 20),
    events("p satisfied 0"),
    fix(10, (52.005, 13.005), 200),
    events(),
    fix(20, (52.005, 13.005), 20),
    events("p unsatisfied 20"),
    fix(30, (52.0038, 13.005), 60),
    events(),
    fix(40, (52.002, 13.005), 60),
    events("p satisfied 40"),
)
shaped(
    "two parts together hold more than each of them",
    add("both", parts((((13.0, 52.0), (13.002, 52.0), (13.002, 52.004), (13.0, 52.004)),),
                      (((13.0021, 52.0), (13.004, 52.0), (13.004, 52.004), (13.0021, 52.004)),)), policy=POLICY),
    add("one", polygon(((13.0, 52.0), (13.002, 52.0), (13.002, 52.004), (13.0, 52.004))), policy=POLICY),
    fix(0, (52.02, 13.0), 10),
    events("both unsatisfied 0", "one unsatisfied 0"),
    fix(10, (52.002, 13.0018), 45),
    events(),
    fix(20, (52.002, 13.0012), 37),
    events("both satisfied 20"),
    fix(30, (52.002, 13.001), 20),
    events("one satisfied 30"),
)  # fmt: skip
shaped(
    "a strip narrower than the error is never entered",
    add("p", polygon(((13.0, 52.0), (13.0003, 52.0), (13.0003, 52.01), (13.0, 52.01))), policy=POLICY),
    fix(0, (52.005, 13.02), 10),
    events("p unsatisfied 0"),
    fix(10, (52.005, 13.00015), 20),
    events(),
    explained("p", "uncertain"),
    fix(20, (52.005, 13.00015), 4),
    events("p satisfied 20"),
)
shaped(
    "a corridor: the middle is certain, its edge is not",
    add("rough", corridor(100, (13.0, 52.0), (13.02, 52.0)), policy=POLICY),
    fix(0, (52.02, 13.01), 10),
    events("rough unsatisfied 0"),
    fix(10, (52.0008, 13.01), 60),
    events(),
    fix(20, (52.0, 13.01), 20),
    events("rough satisfied 20"),
)

# Paths ---------------------------------------------------------------------------------------------------------------

GEODESIC = {"path": "geodesic", "max_gap": 600}
paths(
    "a path lays nothing for a condition with probabilities",
    circle("p", O, 1000, assuming="unsatisfied"),
    circle("e", O, 1000, "exact", assuming="unsatisfied"),
    fix(0, from_place(O, 270, 10_000), 10),
    fix(200, from_place(O, 90, 10_000), 10),
    events("e satisfied 90", "e unsatisfied 110.000001"),
    fix(300, O, 10),
    events("e satisfied 290", "p satisfied 300"),
    **GEODESIC,
)
paths(
    "a path does not cancel a candidate, and the timer runs on it",
    circle("p", O, 100, DWELL, assuming="unsatisfied"),
    fix(0, from_place(O, 270, 10_000), 10),
    fix(200, O, 10),
    fix(210, from_place(O, 90, 90), 10),
    fix(300, from_place(O, 270, 90), 10),
    events("p satisfied 220"),
    **GEODESIC,
)
paths(
    "a path neither confirms nor decides: an undetermined condition waits for a fix",
    circle("p", O, 1000),
    circle("e", O, 1000, "exact"),
    fix(0, from_place(O, 270, 990), 300),
    events("e satisfied 0"),
    fix(100, from_place(O, 90, 1050), 300),
    events("e unsatisfied 97.549023"),
    fix(200, O, 300),
    events("e satisfied 104.7619", "p satisfied 200"),
    **GEODESIC,
)
paths(
    "a position of a path decides nothing, although it is far inside",
    circle("p", O, 5000),
    circle("e", O, 100, "exact"),
    fix(0, from_place(O, 270, 5000), 10),
    events("e unsatisfied 0"),
    fix(100, from_place(O, 90, 5000), 10),
    events("e satisfied 49", "e unsatisfied 51.000001"),
    {"identifiers_in_state": "unknown", "are": ["p"]},
    fix(200, O, 10),
    events("e satisfied 198", "p satisfied 200"),
    **GEODESIC,
)
paths(
    "the first event after a gap says so",
    circle("p", O, 1000, assuming="unsatisfied"),
    fix(0, from_place(O, 270, 10_000), 10),
    fix(2000, O, 10),
    events("p satisfied 2000"),
    **GEODESIC,
)

# Explanations --------------------------------------------------------------------------------------------------------

asked(
    "the probability is part of each explanation",
    circle("c", BERLIN, 100, DWELL),
    fix(0, off(90), 50),
    explained("c", "uncertain"),
    fix(10, off(300), 50),
    events("c unsatisfied 10"),
    explained("c", "outside"),
    fix(20, off(20), 90),
    explained("c", "uncertain"),
    fix(30, off(20), 20),
    explained("c", "dwelling"),
    {"advance": 60},
    events("c satisfied 50"),
    explained("c", "inside"),
    fix(70, off(150), 90),
    explained("c", "uncertain"),
)
asked(
    "within the margin comes before the probability",
    circle("c", BERLIN, 100, {**POLICY, "entry_margin": 20, "exit_margin": 20}),
    fix(0, off(500), 5),
    events("c unsatisfied 0"),
    fix(10, off(95), 50),
    explained("c", "within_margin"),
    fix(20, off(75), 50),
    explained("c", "uncertain"),
)
asked(
    "an undefined probability is null",
    circle("c", BERLIN, 100_000),
    fix(0, off(0), 30_000),
    {"explain": "c", "is": {"reason": "uncertain", "probability": None}},
)
asked(
    "a policy without probabilities has none",
    circle("c", BERLIN, 100, "standard"),
    fix(0, off(0), 30),
    {"next": {"identifier": "c", "state": "satisfied", "probability": None}},
    {"explain": "c", "is": {"reason": "inside", "probability": None}},
)

# Definitions ---------------------------------------------------------------------------------------------------------

rules(
    "probabilities that contradict are refused",
    *(
        {"refused": "invalid_argument", "step": circle("c", BERLIN, 100, {**POLICY, **wrong})}
        for wrong in (
            {"entry_probability": 0},
            {"exit_probability": 0},
            {"entry_probability": 0.5},
            {"entry_probability": 0.999991},
            {"entry_probability": 1},
            {"entry_probability": -0.9},
            {"entry_probability": "nan"},
            {"exit_probability": 0.5},
            {"exit_probability": 0.0000099},
            {"exit_probability": -0.01},
            {"exit_probability": "nan"},
            {"entry_probability": "inf", "exit_probability": "inf"},
            {"entry_probability": 0.01, "exit_probability": 0.99},
            {"accuracy_factor": 1},
            {"accuracy_factor": 1e-300},
        )
    ),
    {"identifiers": []},
)
rules(
    "the ends of the ranges are accepted",
    circle("a", BERLIN, 100, {**POLICY, "entry_probability": 0.99999, "exit_probability": 0.00001}),
    circle("b", BERLIN, 100, {**POLICY, "entry_probability": 0.5000001, "exit_probability": 0.4999999}),
    {"identifiers": ["a", "b"]},
)
rules(
    "ensure keeps an equal policy, and replaces one with another probability",
    circle("c", BERLIN, 100),
    fix(0, off(0), 5),
    events("c satisfied 0"),
    ensured("c", POLICY),
    {"identifiers_in_state": "satisfied", "are": ["c"]},
    ensured("c", {**POLICY, "entry_probability": 0.98}),
    events("c satisfied 0"),
)

# Error ellipses ------------------------------------------------------------------------------------------------------

# Near the eastern point of a large circle, the line runs from north to south.
WIDE = circle("c", BERLIN, 1000)
ACROSS, ALONG = (100, 10, 90), (100, 10, 0)
NONE = ("nan", "nan", "nan")
STREET = off(0, 0), off(20, 90), off(20, 90, off(2000, 0)), off(2000, 0)


def refused_fix(time: float, *ellipse: float | str) -> Any:
    return {"refused": "invalid_argument", "step": fix(time, off(0), 5, *ellipse)}


def invalid(count: int) -> Any:
    return {"statistics": {"invalid_fixes": count}}


ellipses(
    "an ellipse along the line decides, one across the line does not, whatever the accuracy is",
    WIDE,
    fix(0, off(1500), 400, 30, 30, 0),
    events("c unsatisfied 0"),
    fix(10, off(950), 5, *ACROSS),
    events(),
    fix(20, off(950), 400, *ALONG),
    events("c satisfied 20"),
    fix(30, off(1050), 5, *ACROSS),
    events(),
    fix(40, off(1050), 400, *ALONG),
    events("c unsatisfied 40"),
)
ellipses(
    "between the circle of the accuracy and the ellipse: the next fix without an ellipse uses its accuracy",
    WIDE,
    fix(0, off(1500), 5),
    events("c unsatisfied 0"),
    fix(10, off(960), 60),
    events(),
    fix(20, off(960), 60, 60, 14, 5),
    events("c satisfied 20"),
    fix(30, off(1040), 60),
    events(),
    fix(40, off(1040), 15, 60, 14, 80),
    events(),
    fix(50, off(1040), 15),
    events("c unsatisfied 50"),
)
ellipses(
    "an ellipse with equal axes is a circle in every orientation",
    circle("c", BERLIN, 100),
    fix(0, off(1000), 0, 4, 4, 17),
    events("c unsatisfied 0"),
    fix(10, off(60), 0, 26.5, 26.5, 33),
    events(),
    fix(20, off(60), 0, 13.25, 13.25, -720.5),
    events("c satisfied 20"),
    fix(30, off(130), 0, 26.5, 26.5, 1e9),
    events(),
    fix(40, off(130), 0, 9.9, 9.9, 180),
    events("c unsatisfied 40"),
)
ellipses(
    "three NaN are no ellipse",
    WIDE,
    fix(0, off(1500), 5, *NONE),
    events("c unsatisfied 0"),
    fix(10, off(950), 400, *NONE),
    events(),
    fix(20, off(950), 20, *NONE),
    events("c satisfied 20"),
    invalid(0),
)
ellipses(
    "an ellipse with a defect makes the fix invalid",
    WIDE,
    fix(0, off(1500), 5),
    events("c unsatisfied 0"),
    refused_fix(10, 5, 6, 0),
    refused_fix(10, 5, -1, 0),
    refused_fix(10, -5, -6, 0),
    refused_fix(10, "inf", 5, 0),
    refused_fix(10, "inf", "inf", 0),
    refused_fix(10, "nan", 5, 0),
    refused_fix(10, 5, "nan", 0),
    refused_fix(10, 5, 5, "nan"),
    refused_fix(10, 5, 5, "inf"),
    refused_fix(10, "nan", "nan", 0),
    events(),
    invalid(10),
    fix(5, off(0), 5, 5, 5, 0),
    events("c satisfied 5"),
    invalid(10),
)
ellipses(
    "a semi-axis counts as at least a centimetre",
    WIDE,
    fix(0, off(1500), 400, 0, 0, 0),
    events("c unsatisfied 0"),
    fix(10, off(999.98), 400, 0, 0, 45),
    events(),
    fix(20, off(999.9), 400, 0, 0, 0),
    events("c satisfied 20"),
    fix(30, off(1000.05), 400, 1, 0, 0),
    events("c unsatisfied 30"),
    fix(40, off(999.95), 400, 1, 0, 90),
    events(),
)
ellipses(
    "the probability of an event is that of the fix that opened the candidate, with its ellipse",
    circle("c", BERLIN, 1000, DWELL),
    fix(0, off(1500), 5),
    events("c unsatisfied 0"),
    fix(10, off(950), 400, *ALONG),
    fix(20, off(960), 400, 200, 200, 0),
    {"restart": True},
    {"advance": 40},
    events("c satisfied 30"),
    fix(50, off(1030), 5, *ACROSS),
    events(),
    fix(60, off(1030), 400, *ALONG),
    fix(70, off(1030), 5, *ACROSS),
    fix(80, off(1001), 5),
    events("c unsatisfied 80"),
)
ellipses(
    "a fix on the old side cancels a candidate, whatever its ellipse is",
    circle("c", BERLIN, 1000, DWELL),
    fix(0, off(1500), 5),
    events("c unsatisfied 0"),
    fix(10, off(950), 5, *ALONG),
    fix(20, off(1001), 5, 5000, 5000, 0),
    {"advance": 100},
    events(),
)
ellipses(
    "dwell_policy evidence: a fix on the new side confirms, whatever its ellipse is",
    circle("c", BERLIN, 1000, {**DWELL, "dwell_policy": "evidence"}),
    fix(0, off(1500), 5),
    events("c unsatisfied 0"),
    fix(10, off(950), 5, *ALONG),
    {"advance": 100},
    events(),
    fix(110, off(999), 5, 5000, 5000, 0),
    events("c satisfied 110"),
)
ellipses(
    "an undetermined condition waits for an ellipse that decides",
    WIDE,
    fix(0, off(950), 5, *ACROSS),
    events(),
    {"explain": "c", "is": {"reason": "uncertain", "ellipse": [100, 10, 90], "accuracy_needed": None}},
    {"restart": True},
    {"explain": "c", "is": {"reason": "uncertain", "ellipse": [100, 10, 90], "accuracy_needed": None}},
    fix(10, off(950), 400, *ALONG),
    events("c satisfied 10"),
    {"explain": "c", "is": {"reason": "inside", "ellipse": [100, 10, 0]}},
    fix(20, off(700), 5),
    {"explain": "c", "is": {"reason": "inside", "ellipse": None}},
)
ellipses(
    "the last fix determines a condition that is added, with its ellipse, also after a restart",
    fix(0, off(950), 400, *ALONG),
    circle("c", BERLIN, 1000),
    events("c satisfied 0"),
    {"restart": True},
    circle("d", BERLIN, 1000),
    events("d satisfied 0"),
    fix(10, off(951), 400),
    circle("e", BERLIN, 1000),
    {"identifiers_in_state": "unknown", "are": ["e"]},
    fix(20, off(951), 5, *ACROSS),
    circle("f", BERLIN, 1000),
    {"restart": True},
    circle("g", BERLIN, 1000),
    {"identifiers_in_state": "unknown", "are": ["e", "f", "g"]},
    fix(30, off(951), 400, *ALONG),
    events("e satisfied 30", "f satisfied 30", "g satisfied 30"),
)
ellipses(
    "a late fix, a fix without a position and an invalid one leave the ellipse of the last fix",
    WIDE,
    fix(10, off(950), 5, *ACROSS),
    {"refused": "late_input", "step": fix(5, off(950), 5, *ALONG)},
    {"explain": "c", "is": {"reason": "uncertain", "ellipse": [100, 10, 90]}},
    fix(20, off(950), -1, *ALONG),
    {"explain": "c", "is": {"reason": "uncertain", "ellipse": [100, 10, 90]}},
    refused_fix(30, 1, 2, 3),
    {"explain": "c", "is": {"reason": "uncertain", "ellipse": [100, 10, 90]}},
    events(),
)
ellipses(
    "a start looks back to the last fix with its ellipse, whatever ellipse the next fix has",
    circle("c", BERLIN, 100, active=[[10, 100]]),
    circle("d", BERLIN, 100, active=[[30, 100]]),
    circle("e", BERLIN, 100, active=[[50, 100]]),
    fix(5, off(80), 60, 2, 2, 0),
    fix(25, off(80), 60),
    events("c satisfied 10"),
    fix(45, off(80), 60, 2, 2, 0),
    {"identifiers_in_state": "unknown", "are": ["e"]},
    events("d satisfied 45"),
    fix(65, off(80), 60),
    events("e satisfied 50"),
)
ellipses(
    "a refused fix leaves no ellipse for the next one",
    circle("far", off(5000), 100),
    fix(0, off(0), 5),
    fix(10, off(10), 5),
    events("far unsatisfied 0"),
    fix(11, off(10), 5),
    {"refused": "late_input", "step": fix(5, off(0), 5, 400, 400, 0)},
    fix(12, off(10), 5),
    circle("c", BERLIN, 100),
    events("c satisfied 12"),
)
ellipses(
    "after a fix with an ellipse, the next fix has only its accuracy",
    circle("c", BERLIN, 100),
    fix(0, off(1000), 800, 3, 3, 0),
    events("c unsatisfied 0"),
    fix(10, off(1001), 800, 3, 3, 0),
    fix(20, off(1000), 800),
    explained("c", "outside"),
    fix(30, off(1001), 800),
    explained("c", "outside"),
    **GEODESIC,
)
ellipses(
    "beyond 10 km a semi-axis decides only by the side",
    circle("c", BERLIN, 100_000),
    fix(0, off(185_000), 5, 12_000, 5, 0),
    events("c unsatisfied 0"),
    fix(10, off(95_000), 5, 10_001, 1, 0),
    events(),
    fix(20, off(95_000), 5, 9_999, 1, 0),
    events("c satisfied 20"),
    fix(30, off(170_000), 5, 12_000, 5, 0),
    events(),
    fix(40, off(180_000), 5, 12_000, 5, 0),
    events("c unsatisfied 40"),
)
ellipses(
    "other policies use the accuracy, not the ellipse",
    circle("p", BERLIN, 1000),
    circle("s", BERLIN, 1000, "standard"),
    circle("e", BERLIN, 1000, "exact"),
    fix(0, off(1500), 5, 5000, 5000, 0),
    events("s unsatisfied 0", "e unsatisfied 0"),
    fix(10, off(990), 5, *ACROSS),
    events("e satisfied 10"),
    fix(20, off(950), 400, *ALONG),
    events("p satisfied 20"),
    fix(30, off(950), 5, 5000, 5000, 0),
    {"advance": 60},
    events("s satisfied 50"),
    {"explain": "s", "is": {"ellipse": None}},
)
ellipses(
    "over the pole and the antimeridian, the orientation is that at the fix",
    circle("n", (90.0, 0.0), 1000, assuming="unsatisfied"),
    circle("a", (-17.0, 180.0), 1000, assuming="unsatisfied"),
    fix(0, (89.95, 40.0), 5, 10, 10, 0),
    fix(10, (89.9915, -135.0), 5, 100, 10, 0),
    events(),
    fix(20, (89.9915, -135.0), 5, 100, 10, 90),
    events("n satisfied 20"),
    fix(30, off(950, 90, (-17.0, 180.0)), 5, 100, 10, 90),
    events("n unsatisfied 30"),
    fix(40, off(950, 90, (-17.0, 180.0)), 5, 100, 10, 180),
    events("a satisfied 40"),
)
ellipses(
    "in a narrow street, only the width of the ellipse counts",
    add("c", polygon([place[::-1] for place in STREET]), policy=POLICY),
    fix(0, off(300, 270, off(1000, 0)), 5),
    events("c unsatisfied 0"),
    fix(10, off(10, 90, off(1000, 0)), 12),
    events(),
    fix(20, off(10, 90, off(1000, 0)), 12, 100, 2, 0),
    events("c satisfied 20"),
    fix(30, off(40, 90, off(1000, 0)), 12, 100, 2, 10),
    events(),
    fix(40, off(40, 90, off(1000, 0)), 12, 100, 2, 0),
    events("c unsatisfied 40"),
)
ellipses(
    "a path lays nothing, and its last fix decides with its ellipse",
    circle("c", BERLIN, 1000),
    circle("e", BERLIN, 1000, "exact"),
    fix(0, off(1500), 5, 5, 5, 0),
    events("c unsatisfied 0", "e unsatisfied 0"),
    fix(10, off(1500, 270), 400, *ALONG),
    {"next": {"identifier": "e", "state": "satisfied"}},
    {"next": {"identifier": "e", "state": "unsatisfied"}},
    {"next": None},
    fix(20, off(950, 270), 400, *ALONG),
    {"next": {"identifier": "e", "state": "satisfied"}},
    events("c satisfied 20"),
    path="geodesic",
    max_gap=60,
)
ellipses(
    "plausibility uses the accuracy; a doubted fix leaves the ellipse of the last fix",
    WIDE,
    fix(0, off(950), 5, *ACROSS),
    events(),
    fix(1, off(5000), 5, 5000, 5000, 0),
    {"statistics": {"doubted_fixes": 1}},
    {"explain": "c", "is": {"reason": "uncertain", "ellipse": [100, 10, 90]}},
    fix(2, off(5000), 5, *ALONG),
    fix(3, off(5000), 5, 10, 10, 0),
    {"statistics": {"doubted_fixes": 2}},
    events("c unsatisfied 3"),
    {"explain": "c", "is": {"reason": "outside", "ellipse": [10, 10, 0]}},
    plausible_speed=60,
    corroboration_time=0,
)
