"""Scenarios of the option `order`: the steps and the expected events. generate_order_scenarios.py fills in the numbers.

Unless a scenario says otherwise, the order is `exits_first`, and fixes are on the equator; their distances in metres
are measured east from the meridian of Greenwich. Circles whose names begin with "w" are in the west, those with "e" in
the east: a device that goes from west to east leaves the former and enters the latter.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gate_scenarios import gate
from generate_shape_scenarios import FILES, add, corridor, events, fix, polygon, scenario
from path_scenarios import BEACON, SEEN, UUID, O, at, circle

FILES.clear()  # the imports of the other modules have added their scenarios to FILES

WEST, EAST = at(-5000), at(5000)
DWELL = {"entry_dwell": 20, "exit_dwell": 20, "entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0}
E1, W1 = circle("e1", EAST, 1000), circle("w1", WEST, 1000)
E2, W2 = circle("e2", EAST, 2000), circle("w2", WEST, 2000)
ARRIVED = events("w1 satisfied 0 fix")
OTHER = {"beacon": {"uuid": UUID, "major": 2, "minor": 1}}


def ordered(file: str, name: str, *steps: Any, **options: Any) -> None:
    scenario(file, name, *steps, **{"order": "exits_first", **options})


def path(name: str, *steps: Any, **options: Any) -> None:
    ordered("paths", name, *steps, **{"path": "geodesic", "max_gap": 600, **options})


one = partial(ordered, "instants")
handed = partial(ordered, "delivery")

# One fix -------------------------------------------------------------------------------------------------------------

one("T1 one fix leaves a zone and enters another: the exit comes first", E1, W1, fix(0, WEST), ARRIVED, fix(10, EAST),
    events("w1 unsatisfied 10 fix", "e1 satisfied 10 fix"))  # fmt: skip
one("T2 in the order of adding, the entry comes first", E1, W1, fix(0, WEST), ARRIVED, fix(10, EAST),
    events("e1 satisfied 10 fix", "w1 unsatisfied 10 fix"), order="add")  # fmt: skip
one("T3 within exits and within entries, the order of adding remains", E2, W2, E1, W1, fix(0, WEST),
    events("w2 satisfied 0 fix", "w1 satisfied 0 fix"), fix(10, EAST),
    events("w2 unsatisfied 10 fix", "w1 unsatisfied 10 fix", "e2 satisfied 10 fix", "e1 satisfied 10 fix"))  # fmt: skip
one("T4 the first fix tells what the device is outside of, then what it is inside of",
    circle("e1", EAST, 1000, assuming="unknown"), circle("w1", WEST, 1000, assuming="unknown"),
    circle("e2", EAST, 2000, assuming="unknown"), circle("w2", WEST, 2000, assuming="unknown"), fix(0, EAST),
    events("w1 unsatisfied 0 fix", "w2 unsatisfied 0 fix", "e1 satisfied 0 fix", "e2 satisfied 0 fix"))  # fmt: skip
one("T5 an exit comes before a determination inside, which is decided before it", W1, fix(0, WEST), ARRIVED, E1,
    fix(100, EAST), events("w1 unsatisfied 100 fix", "e1 satisfied 100 fix"), initial_fix_max_age=None)  # fmt: skip
one("T6 in the order of adding, determinations come before confirmations", W1, fix(0, WEST), ARRIVED, E1,
    fix(100, EAST), events("e1 satisfied 100 fix", "w1 unsatisfied 100 fix"), order="add",
    initial_fix_max_age=None)  # fmt: skip
one("T7 a determination outside comes before an exit", W1, fix(0, WEST), ARRIVED, E1,
    circle("w2", WEST, 2000, assuming="satisfied"), fix(100, EAST),
    events("w2 unsatisfied 100 fix", "w1 unsatisfied 100 fix", "e1 satisfied 100 fix"),
    initial_fix_max_age=None)  # fmt: skip
one("T8 polygons and corridors as well",
    add("p", polygon([(0.04, -0.01), (0.05, -0.01), (0.05, 0.01), (0.04, 0.01)]), policy="exact",
        assuming="unsatisfied"), W1,
    add("k", corridor(500, (-0.06, 0), (-0.03, 0)), policy="exact", assuming="unsatisfied"), fix(0, WEST),
    events("w1 satisfied 0 fix", "k satisfied 0 fix"), fix(10, EAST),
    events("w1 unsatisfied 10 fix", "k unsatisfied 10 fix", "p satisfied 10 fix"))  # fmt: skip
one("T9 two fixes at one time are two instants", E1, W1, circle("c", O, 100), fix(0, WEST), ARRIVED, fix(10, O),
    events("w1 unsatisfied 10 fix", "c satisfied 10 fix"), fix(10, WEST), fix(10, EAST),
    events("c unsatisfied 10 fix", "w1 satisfied 10 fix", "w1 unsatisfied 10 fix", "e1 satisfied 10 fix"))  # fmt: skip
one("T10 each addition is an instant of its own", fix(0, WEST), circle("w1", WEST, 1000),
    circle("e1", EAST, 1000, assuming="satisfied"),
    events("w1 satisfied 0 fix", "e1 unsatisfied 0 fix"))  # fmt: skip

# Deadlines -----------------------------------------------------------------------------------------------------------

one("T11 of two dwells that end together, the exit comes first", circle("e1", EAST, 1000, DWELL),
    circle("w1", WEST, 1000, DWELL), fix(0, WEST), ARRIVED, fix(10, EAST), events(), {"advance": 40},
    events("w1 unsatisfied 30 fix", "e1 satisfied 30 fix"))  # fmt: skip
one("T12 what ends a microsecond earlier comes earlier", circle("e1", EAST, 1000, DWELL),
    circle("w1", WEST, 1000, DWELL | {"exit_dwell": 20.000001}), fix(0, WEST), ARRIVED, fix(10, EAST),
    {"advance": 40}, events("e1 satisfied 30 fix", "w1 unsatisfied 30 fix"))  # fmt: skip
one("T13 a fix at the time of a deadline is the same instant", circle("e1", EAST, 1000, DWELL),
    circle("n", EAST, 500, assuming="unknown"), W1, fix(0, WEST),
    events("n unsatisfied 0 fix", "w1 satisfied 0 fix"), fix(10, at(4400)), events("w1 unsatisfied 10 fix"),
    circle("d", EAST, 800, assuming="unknown"), circle("w3", WEST, 800, assuming="unknown"), fix(30, EAST),
    events("w3 unsatisfied 30 fix", "d satisfied 30 fix", "e1 satisfied 30 fix", "n satisfied 30 fix"),
    initial_fix_max_age=None)  # fmt: skip
one("T14 an advance to the time of a deadline is an instant of its own", circle("e1", EAST, 1000, DWELL), W1,
    fix(0, WEST), ARRIVED, fix(10, at(-4500)), fix(11, EAST), events("w1 unsatisfied 11 fix"), {"advance": 31},
    fix(31, WEST), events("e1 satisfied 31 fix", "w1 satisfied 31 fix"))  # fmt: skip
one("T15 an exit that waited for evidence comes before an entry with an earlier deadline",
    circle("e1", EAST, 1000, DWELL | {"entry_dwell": 5, "dwell_policy": "evidence"}),
    circle("w1", WEST, 1000, DWELL | {"exit_dwell": 15, "dwell_policy": "evidence"}), fix(0, WEST), ARRIVED,
    fix(10, EAST), {"advance": 39}, events(), fix(40, EAST),
    events("w1 unsatisfied 40 fix", "e1 satisfied 40 fix"))  # fmt: skip
one("T16 an absence comes before an entry", circle("e1", EAST, 1000), add("b", BEACON, policy="exact"),
    {"see": {"time": 0, "beacons": SEEN}}, {"next": {"identifier": "b", "state": "satisfied", "date": 0}},
    {"next": None}, fix(1, WEST), fix(30, EAST),
    {"next": {"identifier": "b", "state": "unsatisfied", "cause": "timeout", "date": 30}},
    {"next": {"identifier": "e1", "state": "satisfied", "date": 30}}, {"next": None})  # fmt: skip
one("T17 an absence comes before a sighting at the same time", add("a", OTHER, policy="exact", assuming="unsatisfied"),
    add("b", BEACON, policy="exact"), {"see": {"time": 0, "beacons": SEEN}},
    {"next": {"identifier": "b", "state": "satisfied", "date": 0}}, {"next": None},
    {"see": {"time": 30, "beacons": [{"uuid": UUID, "major": 2, "minor": 1}]}},
    {"next": {"identifier": "b", "state": "unsatisfied", "date": 30}},
    {"next": {"identifier": "a", "state": "satisfied", "date": 30}}, {"next": None})  # fmt: skip
one("T18 reports about flags come first", circle("e1", EAST, 1000, DWELL), circle("w1", WEST, 1000, DWELL),
    add("b", BEACON, policy="exact", assuming="unsatisfied"), fix(0, WEST), ARRIVED, fix(10, EAST),
    {"host": {"unsupported": ["beacon"]}, "time": 30},
    {"next": {"identifier": "b", "state": "unmonitored", "cause": "diagnostic", "date": 30}},
    {"next": {"identifier": "w1", "state": "unsatisfied", "date": 30}},
    {"next": {"identifier": "e1", "state": "satisfied", "date": 30}}, {"next": None},
    beacon_initial_timeout=1000)  # fmt: skip

# Delivery ------------------------------------------------------------------------------------------------------------

handed("T19 a silent exit leaves the order of the others", E1, circle("w2", WEST, 2000, {"notify": ["initial", "entry"],
       "entry_dwell": 0, "exit_dwell": 0, "entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0}), W1, fix(0, WEST),
       events("w2 satisfied 0 fix", "w1 satisfied 0 fix"), fix(10, EAST),
       events("w1 unsatisfied 10 fix", "e1 satisfied 10 fix"))  # fmt: skip
handed("T20 the order remains after a restart", E1, W1, fix(0, WEST), ARRIVED, fix(10, EAST), {"restart": True},
       {"next": {"identifier": "w1", "state": "unsatisfied", "date": 10}}, {"restart": True},
       {"next": {"identifier": "w1", "state": "unsatisfied", "date": 10}},
       {"next": {"identifier": "e1", "state": "satisfied", "date": 10}}, {"next": None}, fix(20, WEST),
       {"restart": True}, events("e1 unsatisfied 20 fix", "w1 satisfied 20 fix"))  # fmt: skip
handed("T21 with first, an event that is built later keeps its place", E1, W1, fix(0, WEST), fix(10, EAST),
       {"next": {"identifier": "w1", "state": "satisfied", "date": 0}},
       {"next": {"identifier": "w1", "state": "unsatisfied", "date": 10}},
       {"next": {"identifier": "e1", "state": "satisfied", "date": 10}}, {"next": None}, delivery="first")  # fmt: skip
handed("T22 with latest, the last changes are in the order of their instant", E1, W1, fix(0, WEST), ARRIVED,
       fix(10, EAST), fix(20, WEST), fix(30, EAST),
       events("w1 unsatisfied 30 fix", "e1 satisfied 30 fix"), delivery="latest")  # fmt: skip
handed("T23 the queue counts what one instant adds before the next input", E1, W1, fix(0, WEST), ARRIVED, fix(10, EAST),
       {"refused": "queue_full", "step": fix(20, WEST)},
       events("w1 unsatisfied 10 fix", "e1 satisfied 10 fix"), max_pending_events=1)  # fmt: skip

# Paths ---------------------------------------------------------------------------------------------------------------

# A quarter of a microsecond before the meridian, which the device passes at 50 s.
G = gate("g", (-5e-11, -0.01), (-5e-11, 0.01))
path("T24 a path has many instants, each with its own order", E1, W1, fix(0, at(-20000)), fix(400, at(20000)),
     events("w1 satisfied 140 path", "w1 unsatisfied 160 path", "e1 satisfied 240 path",
            "e1 unsatisfied 260 path"))  # fmt: skip
path("T25 where two zones touch, a path is in both for a microsecond: these are two instants",
     add("e", polygon([(0, -0.01), (0.01, -0.01), (0.01, 0.01), (0, 0.01)]), policy="exact", assuming="unsatisfied"),
     add("w", polygon([(-0.01, -0.01), (0, -0.01), (0, 0.01), (-0.01, 0.01)]), policy="exact",
         assuming="unsatisfied"), fix(0, at(-1000)), events("w satisfied 0 fix"), fix(100, at(1000)),
     events("e satisfied 50 path", "w unsatisfied 50 path"))  # fmt: skip
path("T26 gates come last", G, circle("e1", at(-200), 500, DWELL), circle("w1", at(-1000), 500, DWELL),
     fix(0, at(-1000)), events("w1 satisfied 0 fix"), fix(30, at(-1000)), fix(30, at(-400)), events(),
     fix(70, at(400)), events("w1 unsatisfied 50 fix", "e1 satisfied 50 fix", "g unknown 50 path"))  # fmt: skip
path("T27 in the order of adding, the gate comes by its number", G, circle("e1", at(-200), 500, DWELL),
     circle("w1", at(-1000), 500, DWELL), fix(0, at(-1000)), events("w1 satisfied 0 fix"), fix(30, at(-1000)),
     fix(30, at(-400)), events(), fix(70, at(400)),
     events("g unknown 50 path", "e1 satisfied 50 fix", "w1 unsatisfied 50 fix"), order="add")  # fmt: skip
path("T28 after a gap, all events of the instant say so", E1, W1, fix(0, WEST), ARRIVED, fix(700, EAST),
     events("w1 unsatisfied 700 fix gap", "e1 satisfied 700 fix gap"))  # fmt: skip
