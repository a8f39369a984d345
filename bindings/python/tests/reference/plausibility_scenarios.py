"""Plausibility scenarios: the steps and the expected events. generate_plausibility_scenarios.py fills in the numbers.

Unless a scenario says otherwise, a device can move at most 60 m/s, and fixes are on the equator; their distances in
metres are measured east from the meridian of Greenwich.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gate_scenarios import gate
from generate_shape_scenarios import FILES, add, events, fix, from_place, polygon, scenario
from path_scenarios import BEACON, SEEN, O, at, circle

FILES.clear()  # the imports of the other modules have added their scenarios to FILES

WEST, EAST = at(-10000), at(10000)
FAR = at(5000)
EARLIEST, LATEST = -62_135_596_800, 253_402_300_799
C = circle("c", O, 1000)
INSIDE = events("c satisfied 0 fix")


class Doubted:
    """An expected explanation of a doubted fix: the author states the length of the chain, and the reference fills in
    the distance and the time from the known fix."""

    def __init__(self, identifier: str, corroborations: int) -> None:
        self.identifier, self.corroborations = identifier, corroborations


def counted(doubted: int, **counters: int) -> Any:
    return {"statistics": {"doubted_fixes": doubted, **counters}}


def plausible(file: str, name: str, *steps: Any, **options: Any) -> None:
    scenario(file, name, *steps, **{"plausible_speed": 60, **options})


def path(file: str, name: str, *steps: Any, **options: Any) -> None:
    plausible(file, name, *steps, **{"path": "geodesic", "max_gap": 600, **options})


single = partial(plausible, "doubts")
chained = partial(plausible, "chains")
measured = partial(plausible, "accuracies")
walked = partial(path, "paths")

# One fix -------------------------------------------------------------------------------------------------------------

single("V1 a jump is doubted and moves nothing", C, fix(0, O), INSIDE, fix(1, FAR), events(), counted(1),
       fix(2, at(10)), events(), counted(1, invalid_fixes=0, late_inputs=0, ahead_inputs=0))  # fmt: skip
single("V2 without the option a jump is applied", C, fix(0, O), INSIDE, fix(1, FAR), events("c unsatisfied 1 fix"),
       counted(0), plausible_speed=None)  # fmt: skip
single("V3 what a device can reach is applied", C, fix(0, O), INSIDE, fix(100, at(5990)),
       events("c unsatisfied 100 fix"), counted(0))  # fmt: skip
single("V4 what it cannot quite reach is doubted", C, fix(0, O), INSIDE, fix(100, at(6010)), events(), counted(1))
single("V5 between two fixes lies at least a second", C, fix(0, O), INSIDE, fix(0.1, at(59)), counted(0),
       fix(0.2, at(120)), counted(1), fix(0.3, at(118)), counted(1))  # fmt: skip
single("V6 two fixes at the same time are a second apart", fix(10, O), fix(10, at(59)), counted(0), fix(10, at(-2)),
       counted(1))  # fmt: skip
single("V7 the first fix is applied wherever it is", circle("c", FAR, 1000), fix(0, FAR),
       events("c satisfied 0 fix"), counted(0))  # fmt: skip
single("V8 a false date of a doubted fix makes nothing late", C, fix(0, O), INSIDE, fix(100, at(9_000_000)),
       fix(5, at(10)), counted(1, late_inputs=0))  # fmt: skip
single("V9 a doubted fix confirms no dwell", circle("c", O, 1000, "standard"), fix(0, O), INSIDE, fix(30, at(1100)),
       fix(100, at(90_000)), events(), fix(45, at(900)), events(), fix(80, at(900)), events(), counted(1))  # fmt: skip
single("V10 a doubted fix does not cancel a crossing", circle("c", O, 1000, "standard"), fix(0, O), INSIDE,
       fix(30, at(1100)), fix(31, at(-900)), events(), {"advance": 50}, events("c unsatisfied 50 fix"),
       counted(1))  # fmt: skip
single("V11 late comes before doubted", fix(0, O), {"advance": 50},
       {"refused": "late_input", "step": fix(40, at(9_000_000))}, counted(0, late_inputs=1))  # fmt: skip
single("V12 too far ahead comes before doubted", fix(0, O),
       {"refused": "ahead_of_clock", "step": fix(200, at(9_000_000))}, counted(0, ahead_inputs=1),
       max_time_step=100)  # fmt: skip
single("V13 a full queue comes before doubted", C, fix(0, O), {"refused": "queue_full", "step": fix(1, FAR)},
       counted(0), INSIDE, fix(1, FAR), counted(1), max_pending_events=1)  # fmt: skip
single("V14 a fix without a position is invalid, not doubted", C, fix(0, O), INSIDE, fix(1, FAR, -1),
       fix(1, FAR, "nan"), counted(0, invalid_fixes=2))  # fmt: skip
single("V15 a new condition looks back at the known fix, not at the doubted one", fix(0, O), fix(1, FAR), C,
       circle("d", FAR, 1000, assuming="satisfied"),
       events("c satisfied 0 fix", "d unsatisfied 0 fix"), counted(1))  # fmt: skip
single("V16 over the antimeridian it is not far", fix(0, (-17.0, 179.9999)), fix(1, (-17.0, -179.9999)), counted(0),
       fix(2, (-17.0, -179.99)), counted(1))  # fmt: skip
single("V17 over the pole it is not far", fix(0, (89.9999, 0.0)), fix(1, (89.9999, 180.0)), counted(0),
       fix(2, (89.999, 180.0)), counted(1))  # fmt: skip
single("V18 near the pole longitudes are not far", fix(0, (89.99, 0.0)), fix(20, (89.99, 50.0)), counted(0),
       fix(40, (89.99, 120.0)), counted(1))  # fmt: skip
single("V19 half the Earth in a thousand seconds, at 20004 m/s", fix(0, O), fix(1000, (0.0, 180.0)), counted(0),
       plausible_speed=20004)  # fmt: skip
single("V20 half the Earth in a thousand seconds, at 20003 m/s", fix(0, O), fix(1000, (0.0, 180.0)), counted(1),
       plausible_speed=20003)  # fmt: skip
single("V21 a polygon with a jump over it", add("c", polygon([(0.01, -0.01), (0.03, -0.01), (0.03, 0.01),
       (0.01, 0.01)]), policy="exact", assuming="unsatisfied"), fix(0, O), fix(1, at(2000)), events(),
       fix(30, at(1500)), events("c satisfied 30 fix"), counted(1))  # fmt: skip

# Chains --------------------------------------------------------------------------------------------------------------

chained("V22 three doubted fixes that span a minute: the last is applied", C, fix(0, O), INSIDE, fix(1, FAR),
        fix(31, FAR), events(), counted(2), fix(61, FAR), events("c unsatisfied 61 fix"), counted(2),
        fix(62, O), events(), counted(3),
        corroboration_count=3, corroboration_time=60)  # fmt: skip
chained("V23 three that span less than a minute are not enough", C, fix(0, O), INSIDE, fix(1, FAR), fix(2, FAR),
        fix(3, FAR), fix(60.999999, FAR), events(), counted(4), fix(61, FAR), events("c unsatisfied 61 fix"),
        counted(4))  # fmt: skip
chained("V24 two that span a minute are not enough", C, fix(0, O), INSIDE, fix(1, FAR), fix(61.5, FAR), events(),
        fix(61.5, FAR), events("c unsatisfied 61.5 fix"), counted(2))  # fmt: skip
chained("V25 five at the same time, when no time is asked for", C, fix(0, O), INSIDE, fix(1, FAR), fix(1, FAR),
        fix(1, FAR), fix(1, FAR), events(), counted(4), fix(1, FAR), events("c unsatisfied 1 fix"), counted(4),
        corroboration_count=5, corroboration_time=0)  # fmt: skip
chained("V26 a fix that follows the known one ends the chain", C, fix(0, O), INSIDE, fix(1, FAR), fix(31, FAR),
        Doubted("c", 2), fix(40, O), Doubted("c", 0), fix(50, at(9000)), Doubted("c", 1), fix(90, at(9000)),
        Doubted("c", 2), events(), counted(4))  # fmt: skip
chained("V27 a doubted fix that does not follow the chain begins a new one", C, fix(0, O), INSIDE, fix(1, at(20000)),
        fix(31, at(20000)), Doubted("c", 2), fix(61, at(-20000)), Doubted("c", 1), fix(91, at(-20000)),
        fix(121, at(-20000)), events("c unsatisfied 121 fix"), counted(4))  # fmt: skip
chained("V28 a doubted fix that is earlier than the chain begins a new one", C, fix(0, O), INSIDE,
        fix(50, at(90000)), fix(40, at(90000)), Doubted("c", 1), fix(70, at(90000)), events(), fix(100, at(90000)),
        events("c unsatisfied 100 fix"), counted(3))  # fmt: skip
chained("V29 a chain may move", C, fix(0, O), INSIDE, fix(1, at(20000)), fix(31, at(21700)), fix(61, at(23400)),
        events("c unsatisfied 61 fix"), counted(2))  # fmt: skip
chained("V30 a chain that moves too fast trusts nothing", C, fix(0, O), INSIDE, fix(1, at(20000)), fix(31, at(22000)),
        fix(61, at(24000)), Doubted("c", 1), events(), counted(3))  # fmt: skip
chained("V31 a chain is kept over a restart", C, fix(0, O), INSIDE, fix(1, FAR), {"restart": True}, fix(31, FAR),
        {"restart": True}, Doubted("c", 2), fix(61, FAR), events("c unsatisfied 61 fix"), counted(2))  # fmt: skip
chained("V32 rewind forgets the chain and the known fix", C, fix(100, O), events("c satisfied 100 fix"),
        fix(101, at(90000)), fix(131, at(90000)), {"rewind": 50}, Doubted("c", 0), fix(51, at(-90000)),
        events("c unsatisfied 51 fix"), fix(52, at(90000)), Doubted("c", 1), counted(3))  # fmt: skip
chained("V33 fixes without a position and late ones do not end a chain", C, fix(10, O), events("c satisfied 10 fix"),
        fix(11, FAR), fix(12, O, -1), {"refused": "late_input", "step": fix(9, O)}, fix(41, FAR), Doubted("c", 2),
        fix(71, FAR), events("c unsatisfied 71 fix"),
        counted(2, invalid_fixes=1, late_inputs=1))  # fmt: skip
chained("V34 after the chain the old place is the jump", C, fix(0, O), INSIDE, fix(1, FAR), fix(1, FAR),
        events("c unsatisfied 1 fix"), fix(2, O), Doubted("c", 1), fix(3, at(4990)), Doubted("c", 0), events(),
        counted(2), corroboration_count=2, corroboration_time=0)  # fmt: skip
chained("V35 when the clock has passed a chain, the next fix still extends it", C, fix(0, O), INSIDE, fix(1, FAR),
        fix(31, FAR), {"advance": 45}, fix(61, FAR), events("c unsatisfied 61 fix"), counted(2))  # fmt: skip
chained("V36 a device that is unmonitored has a known fix all the same", C, fix(0, O), INSIDE,
        {"host": {"flags": ["authorization_denied"]}}, {"next": {"identifier": "c", "cause": "diagnostic"}},
        {"next": None}, fix(1, FAR), counted(1), fix(90, O), {"host": {"flags": []}}, fix(91, FAR),
        events("c satisfied 90 None"), counted(2), fix(92, O), events())  # fmt: skip
chained("V37 sightings move the clock and leave the chain", C, add("b", BEACON, policy="exact"), fix(0, O), INSIDE,
        fix(1, FAR), fix(31, FAR), {"see": {"time": 40, "beacons": SEEN}},
        {"next": {"identifier": "b", "state": "satisfied", "date": 40}}, {"next": None}, fix(61, FAR),
        {"next": {"identifier": "c", "state": "unsatisfied", "date": 61}}, {"next": None}, counted(2),
        beacon_initial_timeout=1000)  # fmt: skip
chained("V38 from one end of time to the other", C, fix(EARLIEST, O), events("c satisfied -62135596800 fix"),
        fix(EARLIEST, (0.0, 179.0)), fix(LATEST, (0.0, 179.0)), events("c unsatisfied 253402300799 fix"), counted(1),
        plausible_speed=1e-6, corroboration_count=2, corroboration_time=1e9)  # fmt: skip
chained("V39 a thousand corroborations", C, fix(0, O), INSIDE,
        *[fix(1 + k / 10, at(90000)) for k in range(999)], events(), counted(999), fix(101, at(90000)),
        events("c unsatisfied 101 fix"), counted(999), corroboration_count=1000)  # fmt: skip

# Accuracies ----------------------------------------------------------------------------------------------------------

measured("V40 the accuracy of a fix counts", fix(0, O), fix(1, at(1050), 1000), counted(0), fix(200, O),
         fix(201, at(1070), 1000), counted(1))  # fmt: skip
measured("V41 the accuracy of the known fix counts", fix(0, O, 1000), fix(1, at(1050)), counted(0), fix(200, O, 1000),
         fix(201, at(1070)), counted(1))  # fmt: skip
measured("V42 the accuracies of both count", fix(0, O, 500), fix(1, at(1050), 500), counted(0),
         fix(2, at(-20), 500), counted(1))  # fmt: skip
measured("V43 an accuracy counts to 5 km", fix(0, O), fix(1, at(5050), 100_000), counted(0), fix(200, O),
         fix(201, at(5070), 100_000), counted(1))  # fmt: skip
measured("V44 an accuracy without an end counts to 5 km", fix(0, O, "inf"), fix(1, at(10_050), "inf"), counted(0),
         fix(2, at(-10), "inf"), counted(1))  # fmt: skip
measured("V45 in a chain the accuracies count, too", C, fix(0, O), INSIDE, fix(1, at(20000), 2000),
         fix(2, at(24000), 2000), Doubted("c", 2), fix(3, at(29000), 2000), Doubted("c", 1), events())  # fmt: skip

# Paths ---------------------------------------------------------------------------------------------------------------

GATE = gate("g", (0, -0.01), (0, 0.01))
walked("V46 a doubted fix leaves the path whole", C, GATE, fix(0, WEST), fix(50, from_place(O, 0, 90_000)),
       fix(200, EAST),
       events("c satisfied 90 path", "g unknown 100 path", "c unsatisfied 110 path"), counted(1),
       plausible_speed=101)  # fmt: skip
walked("V47 the last fix of a chain comes after a gap", C, GATE, circle("d", EAST, 1000), fix(0, WEST), fix(1, EAST),
       fix(31, EAST), events(), fix(61, EAST), events("d satisfied 61 fix gap"), fix(200, at(8500)),
       events("d unsatisfied 153.667 path"), counted(2))  # fmt: skip
walked("V48 the next event that a later position decides says that it follows the gap", C, fix(0, WEST), fix(1, EAST),
       fix(31, EAST), fix(61, EAST), events(), fix(361, O), events("c satisfied 331 path gap"), counted(2))  # fmt: skip
walked("V49 what was decided before the jump does not follow the gap", circle("c", at(-9000), 1100, "standard"),
       circle("d", EAST, 1000), fix(0, at(-12000)), fix(60, at(-9000)), events("c satisfied 58.4 path"),
       fix(80, at(-7850)), fix(81, EAST), fix(111, EAST), events(), fix(141, EAST),
       events("c unsatisfied 99.478 path", "d satisfied 141 fix gap"), counted(2))  # fmt: skip
walked("V50 no gate is crossed by a jump that takes no time", GATE, fix(0, WEST), fix(0, EAST), fix(0, EAST),
       events(), counted(1), fix(200, at(100)), fix(210, at(-100)), events("g unknown 205 path gap"),
       corroboration_count=2, corroboration_time=0)  # fmt: skip
walked("V51 a plausible path that is too fast for max_speed is a gap as before", C, fix(0, WEST), fix(200, EAST),
       events(), counted(0), fix(400, at(0)), events("c satisfied 380 path gap"), plausible_speed=101,
       max_speed=60)  # fmt: skip
walked("V52 a change that is due before the jump follows the gap before the change", circle("c", O, 1000, "standard"),
       circle("d", EAST, 1000), fix(0, WEST), fix(1000, O), events(), fix(1001, EAST), fix(1031, EAST), events(),
       fix(1061, EAST), events("c satisfied 1020 fix gap", "d satisfied 1061 fix gap"), counted(2))  # fmt: skip
