"""Scenarios of schedules: the steps and the expected events. generate_schedule_scenarios.py fills in the dates of the
evidence.

Positions are on the equator, in metres east of Greenwich. Unless a scenario says otherwise, a circle `c` has a radius
of 100 m around Greenwich, the policy `exact`, and is assumed to be unsatisfied.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gate_scenarios import gate
from generate_schedule_scenarios import explained
from generate_shape_scenarios import FILES, events, fix, scenario
from path_scenarios import BEACON, SEEN, UUID, O, at, circle

FILES.clear()  # the imports of the other modules have added their scenarios to FILES

IN, OUT = at(10), at(5000)
DWELL = {"entry_dwell": 20, "exit_dwell": 20, "entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0}
active = partial(scenario, "active")
starts = partial(scenario, "starts")
lists = partial(scenario, "lists")
absent = partial(scenario, "absence")
repeats = partial(scenario, "repeats")
limited = partial(scenario, "events")
ways = partial(scenario, "paths")
refuses = partial(scenario, "refused")


def c(*intervals: Any, **rest: Any) -> Any:
    """A circle that is active in these intervals, or always."""
    given = {"active": [list(each) for each in intervals]} if intervals else {}
    return circle(rest.pop("identifier", "c"), rest.pop("centre", O), 100, **given, **rest)


def ensured(step: Any) -> Any:
    rest = dict(step)
    return {"ensure": rest.pop("add"), **rest}


def advance(time: float) -> Any:
    return {"advance": time}


def see(time: float) -> Any:
    return {"see": {"time": time, "beacons": SEEN}}


def record(identifier: str, **expected: Any) -> Any:
    return {"record": identifier, "is": expected}


def unknown(*identifiers: str) -> Any:
    return {"identifiers_in_state": "unknown", "are": list(identifiers)}


# Intervals -----------------------------------------------------------------------------------------------------------

active("T1 within an interval, as without a list", c((0, 100)), fix(10, IN), events("c satisfied 10 determination"),
       fix(20, OUT), events("c unsatisfied 20 crossing"))  # fmt: skip
active("T2 outside of them the state is unknown, and nothing is told", c((100, 200)), fix(10, IN), events(),
       unknown("c"), record("c", state="unsatisfied", diagnostics=["inactive"]), explained("c",
       "inactive"))  # fmt: skip
active("T3 an end tells nothing: the record stays, the state is unknown", c((0, 100)), fix(10, IN),
       events("c satisfied 10 determination"), advance(100), events(), unknown("c"),
       record("c", state="satisfied", diagnostics=["inactive"]), fix(110, OUT), events())  # fmt: skip
active("T4 an interval contains its start and not its end", c((10, 20), (30, 40)), fix(9.999999, OUT), events(),
       fix(10, IN), events("c satisfied 10 determination"), fix(20, OUT), events(), fix(29.999999, OUT), events(),
       fix(39.999999, OUT), events("c unsatisfied 39.999999 determination"), fix(40, IN), events(),
       initial_fix_max_age=None)  # fmt: skip
active("T5 intervals that touch are one: no state is lost between them", c((0, 50), (50, 100)), fix(10, IN),
       events("c satisfied 10 determination"), fix(50, IN), fix(60, IN), events(),
       {"identifiers_in_state": "satisfied", "are": ["c"]})  # fmt: skip
active("T6 a candidate is gone at the end, also one that is due then", c((0, 50), (60, 100), policy=DWELL),
       fix(10, OUT), fix(30, IN), advance(50), events(), advance(100), events(), initial_fix_max_age=None)  # fmt: skip
active("T7 a candidate that is due a microsecond before the end is confirmed", c((0, 50), policy=DWELL), fix(10, OUT),
       fix(29.999999, IN), advance(50), events("c satisfied 49.999999 crossing"), unknown("c"))  # fmt: skip
active("T8 an edge comes before an input at the same time", c((0, 50)), fix(10, OUT), fix(50, IN), events(),
       unknown("c"))  # fmt: skip
active("T9 an empty list: never active", {**c(), "active": []}, fix(10, IN), advance(1000), events(), unknown("c"),
       explained("c", "inactive"))  # fmt: skip
active("T10 a late advance passes each edge in order", c((0, 50), (60, 70), absent_after=5), fix(10, OUT), events(),
       advance(100), events(), unknown("c"), initial_fix_max_age=None)  # fmt: skip
active("T11 a beacon is suspended, too, and its absence is counted from the start",
       {"add": "b", **BEACON, "active": [[0, 35], [100, 200]], "assuming": "satisfied"}, see(10), events(), advance(60),
       events(), see(70), events(), advance(129.999999), events(), advance(130),
       events("b unsatisfied 130 timeout"))  # fmt: skip
active("T12 the record and the state of a condition that was added before its interval", advance(5), c((10, 20)),
       record("c", state="unsatisfied", date=5, diagnostics=["inactive"]), advance(10),
       record("c", state="unsatisfied", date=5, diagnostics=[]), explained("c", "no_fix_yet"))  # fmt: skip
active("T13 a suspension by the host within an interval is as ever", c((0, 1000)), fix(10, IN),
       events("c satisfied 10 determination"), {"host": {"flags": ["authorization_denied"]}, "time": 20},
       events("c satisfied 20 diagnostic authorization_denied"), {"host": {"flags": []}, "time": 30},
       events("c satisfied 30 diagnostic"), fix(40, IN), events(), fix(50, OUT),
       events("c unsatisfied 50 crossing"))  # fmt: skip
active("T14 a flag of the host is news while a condition is inactive, and shows that it is", c((100, 200)),
       fix(10, IN), {"host": {"flags": ["authorization_denied"]}, "time": 20},
       events("c unsatisfied 20 diagnostic authorization_denied+inactive"), {"host": {"flags": []}, "time": 30},
       events("c unsatisfied 30 diagnostic inactive"), fix(100, IN),
       events("c satisfied 100 determination"), initial_fix_max_age=None)  # fmt: skip
active("T89 a start decides only its own condition: a later one that is inactive stays undetermined", c((10, 50)),
       fix(4, IN), c((100, 200), identifier="d", assuming="unknown"), advance(10),
       events("c satisfied 10 determination"), unknown("d"), explained("d", "inactive"))  # fmt: skip
active("T90 a beacon whose interval contains the first time is absent after the initial timeout",
       {"add": "b", **BEACON, "active": [[0, 100]], "assuming": "unknown"}, advance(10), advance(39.999999), events(),
       advance(40), events("b unsatisfied 40 timeout"))  # fmt: skip
active("T15 each condition has its own list", c((0, 50)), c((50, 100), identifier="d"), fix(10, IN),
       events("c satisfied 10 determination"), fix(50, IN), events("d satisfied 50 determination"), unknown("c"),
       initial_fix_max_age=None)  # fmt: skip
active("T16 of one instant: edges, then the input, then what is due", c((0, 50), (60, 90), policy=DWELL),
       c((50, 90), identifier="d", assuming="unknown"), c(identifier="e", policy=DWELL), fix(10, OUT), fix(30, IN),
       fix(50, IN), events("d satisfied 50 determination", "e satisfied 50 crossing"),
       initial_fix_max_age=None)  # fmt: skip

# Starts --------------------------------------------------------------------------------------------------------------

starts("T17 a start is told although nothing changed since yesterday", c((0, 50), (100, 200), assuming="unknown"),
       fix(10, OUT), events("c unsatisfied 10 determination"), fix(110, OUT), events("c unsatisfied 110 determination"),
       fix(120, OUT), events())  # fmt: skip
starts("T18 unless the first determination agrees with what is assumed", c((0, 50), (100, 200)), fix(10, OUT),
       events(), fix(110, OUT), events(), fix(120, IN), events("c satisfied 120 crossing"))  # fmt: skip
starts("T19 inside again, assumed outside: told again", c((0, 50), (100, 200)), fix(10, IN),
       events("c satisfied 10 determination"), fix(110, IN), events("c satisfied 110 determination"))  # fmt: skip
starts("T20 inside yesterday, outside today: what was told counts, whatever is assumed", c((0, 50), (100, 200)),
       fix(10, IN), events("c satisfied 10 determination"), fix(110, OUT),
       events("c unsatisfied 110 determination"))  # fmt: skip
starts("T21 a start looks back at the last fix", c((100, 200)), fix(50, IN), events(), advance(100),
       events("c satisfied 100 determination"), initial_fix_max_age=60)  # fmt: skip
starts("T22 not at one that is too old", c((100, 200)), fix(39, IN), advance(100), events(), unknown("c"),
       fix(101, IN), events("c satisfied 101 determination"), initial_fix_max_age=60)  # fmt: skip
starts("T23 a late advance looks back from the start, not from its own time", c((100, 200)), fix(50, IN), advance(190),
       events("c satisfied 100 determination"), initial_fix_max_age=60)  # fmt: skip
starts("T24 a fix at the start is the first one of the interval; the start itself looked back before it", c((100, 200)),
       fix(50, IN), fix(100, OUT), events("c satisfied 100 determination", "c unsatisfied 100 crossing"))  # fmt: skip
starts("T25 without `initial` the first determination is silent", c((0, 50), (100, 200), assuming="unknown",
       policy={**DWELL, "notify": ["entry", "exit"]}), fix(10, OUT), fix(110, OUT), events(),
       record("c", state="unsatisfied", date=10))  # fmt: skip
starts("T26 a start while the host suspends: the first fix after both is news", c((0, 50), (100, 300),
       assuming="unknown"), fix(10, OUT), events("c unsatisfied 10 determination"),
       {"host": {"flags": ["accuracy_limited"]}, "time": 60},
       events("c unsatisfied 60 diagnostic accuracy_limited+inactive"), fix(110, OUT), {"host": {"flags": []},
       "time": 120},
       events("c unsatisfied 120 diagnostic"), fix(130, OUT), events("c unsatisfied 130 determination"), fix(140, OUT),
       events())  # fmt: skip
starts("T27 after rewind the edges pass again", c((0, 50), (100, 200), assuming="unknown"), fix(10, OUT),
       events("c unsatisfied 10 determination"), fix(110, OUT), events("c unsatisfied 110 determination"),
       {"rewind": 60}, unknown("c"), explained("c", "inactive"), fix(120, OUT),
       events("c unsatisfied 120 determination"))  # fmt: skip
starts("T28 rewind into the same interval is no start", c((0, 50), (100, 200), assuming="unknown"), fix(10, OUT),
       events("c unsatisfied 10 determination"), fix(110, OUT), events("c unsatisfied 110 determination"),
       {"rewind": 105}, fix(120, OUT), events())  # fmt: skip
starts("T93 after rewind, the first determination is news only if it differs from the reported state",
       c((0, 50), (100, 200)), fix(10, IN), events("c satisfied 10 determination"), advance(110), {"rewind": 105},
       fix(120, IN), events(), {"rewind": 60}, fix(130, IN), events("c satisfied 130 determination"),
       initial_fix_max_age=None)  # fmt: skip
starts("T94 a rewind over the end of a list takes `schedule_ended` back, which is told",
       c((0, 50), active_until=60), fix(10, IN), advance(70),
       events("c satisfied 10 determination", "c satisfied 60 diagnostic inactive+schedule_ended"), {"rewind": 40},
       events("c satisfied 40 diagnostic"), record("c", diagnostics=[]), fix(45, IN), events(), advance(70),
       events("c satisfied 60 diagnostic inactive+schedule_ended"))  # fmt: skip
starts("T29 with `first`, a start behind an event is told at its commit", c((0, 50), (100, 200)), fix(10, IN),
       fix(110, IN), events("c satisfied 10 determination", "c satisfied 110 determination"),
       delivery="first")  # fmt: skip
starts("T30 with `first`, not if its state no longer holds then", c((0, 50), (100, 200)), fix(10, IN), fix(110, IN),
       fix(120, OUT), events("c satisfied 10 determination", "c unsatisfied 120 crossing"),
       delivery="first")  # fmt: skip
starts("T31 with `first`, not if the condition is suspended then", c((0, 50), (100, 200)), fix(10, IN), fix(110, IN),
       advance(200), events("c satisfied 10 determination"), delivery="first")  # fmt: skip
starts("T32 with `latest`, a start takes the place of what waits", c((0, 50), (100, 200)), fix(10, IN), fix(110, IN),
       events("c satisfied 110 determination"), delivery="latest")  # fmt: skip
starts("T33 with `latest`, it comes after what was handed out", c((0, 50), (100, 200)), fix(10, IN),
       {"next": {"state": "satisfied", "date": 10}}, fix(110, IN), events("c satisfied 110 determination"),
       delivery="latest")  # fmt: skip

# Lists ---------------------------------------------------------------------------------------------------------------

lists("T34 the end of a list is told once, with its date", c((0, 50), active_until=80), fix(10, IN),
      events("c satisfied 10 determination"), advance(79.999999), events(), advance(500),
      events("c satisfied 80 diagnostic inactive+schedule_ended"), fix(600, IN), events(), unknown("c"))  # fmt: skip
lists("T35 a list that ends with its last interval", c((0, 50), active_until=50), fix(10, IN),
      events("c satisfied 10 determination"), fix(50, IN),
      events("c satisfied 50 diagnostic inactive+schedule_ended"), explained("c", "inactive"))  # fmt: skip
lists("T36 a condition that is added after the end of its list", advance(100), c((0, 50), active_until=80),
      events("c unsatisfied 100 diagnostic inactive+schedule_ended"))  # fmt: skip
lists("T37 before any time is known no edge has passed; the first time is that of the add", c((0, 50), active_until=80),
      events(), unknown("c"), advance(100), events("c unsatisfied 100 diagnostic inactive+schedule_ended"))  # fmt: skip
lists("T38 ensure extends a list: nothing else changes", c((0, 50), active_until=60), fix(10, IN),
      events("c satisfied 10 determination"), ensured(c((0, 50), (100, 200), active_until=300)), fix(40, IN), events(),
      advance(70), events(), fix(110, IN), events("c satisfied 110 determination"), advance(300),
      events("c satisfied 300 diagnostic inactive+schedule_ended"), initial_fix_max_age=None)  # fmt: skip
lists("T39 ensure after the end: the flag goes, which is told", c((0, 50), active_until=60), fix(10, IN), advance(70),
      events("c satisfied 10 determination", "c satisfied 60 diagnostic inactive+schedule_ended"),
      ensured(c((0, 50), (100, 200), active_until=300)), events("c satisfied 70 diagnostic inactive"), fix(100, OUT),
      events("c unsatisfied 100 determination"))  # fmt: skip
lists("T40 what differs at the clock is an edge: a start", c((0, 50), assuming="unknown"), fix(10, OUT),
      events("c unsatisfied 10 determination"), advance(60), ensured(c((0, 50), (55, 90), assuming="unknown")),
      events("c unsatisfied 60 determination"), initial_fix_max_age=60)  # fmt: skip
lists("T41 what differs at the clock is an edge: an end", c((0, 50)), fix(10, IN),
      events("c satisfied 10 determination"), ensured(c((0, 5), (40, 50))), unknown("c"), fix(20, IN), events(),
      fix(45, IN), events("c satisfied 45 determination"), initial_fix_max_age=None)  # fmt: skip
lists("T42 a condition without a list gets one, and loses it", c(), fix(10, IN), events("c satisfied 10 determination"),
      ensured(c((50, 100))), unknown("c"), fix(20, IN), events(), ensured(c()), fix(30, IN),
      events("c satisfied 30 determination"), initial_fix_max_age=None)  # fmt: skip
lists("T43 an edge that both lists have is none", c((0, 50)), fix(10, IN), events("c satisfied 10 determination"),
      ensured(c((5, 70))), fix(60, OUT), events("c unsatisfied 60 crossing"))  # fmt: skip
lists("T44 sync takes the lists over", c((0, 50)), fix(10, IN), events("c satisfied 10 determination"),
      {"sync": [{"identifier": "c", "circle": c()["circle"], "policy": "exact", "active": [[0, 70]]}]}, fix(60, OUT),
      events("c unsatisfied 60 crossing"))  # fmt: skip
lists("T45 add replaces: a new generation, whatever the list", c((0, 50)), fix(10, IN),
      events("c satisfied 10 determination"), c((0, 70)), events("c satisfied 10 determination"),
      record("c", generation=2))  # fmt: skip

# Absence of shapes ---------------------------------------------------------------------------------------------------

absent("T46 a silent device gives notice", c((100, 200), assuming="unknown", absent_after=30), fix(10, IN),
       advance(129.999999), events(), advance(200), events("c unsatisfied 130 timeout"),
       initial_fix_max_age=None)  # fmt: skip
absent("T47 not when a fix determined the shape before", c((100, 200), assuming="unknown", absent_after=30),
       fix(110, IN), events("c satisfied 110 determination"), advance(200), events())  # fmt: skip
absent("T48 a fix that is too coarse determines nothing", c((100, 200), assuming="unknown", absent_after=30,
       policy="standard"), advance(0), fix(110, IN, 5000), events(), advance(130),
       events("c unsatisfied 130 timeout"))  # fmt: skip
absent("T49 then a fix inside is a crossing", c((100, 200), assuming="unknown", absent_after=30, policy=DWELL),
       advance(0), advance(131), events("c unsatisfied 130 timeout"), fix(140, IN), advance(159), events(),
       advance(160),
       events("c satisfied 160 crossing"))  # fmt: skip
absent("T91 an explanation is not about a fix from before the start",
       c((100, 200), assuming="unknown", absent_after=30), fix(10, IN), advance(130),
       events("c unsatisfied 130 timeout"), explained("c", "no_fix_yet"), fix(140, IN),
       events("c satisfied 140 crossing"), explained("c", "inside"))  # fmt: skip
absent("T50 without a list, from the add or from the first time", c(assuming="unknown", absent_after=30),
       advance(100), c(identifier="d", assuming="unknown", absent_after=10), advance(200),
       events("d unsatisfied 110 timeout", "c unsatisfied 130 timeout"))  # fmt: skip
absent("T51 each start tells it again", c((0, 50), (100, 150), assuming="unknown", absent_after=30), advance(0),
       advance(200), events("c unsatisfied 30 timeout", "c unsatisfied 130 timeout"))  # fmt: skip
absent("T52 silently, when it agrees with what is assumed and what was told", c((0, 50), absent_after=30), advance(0),
       advance(40), events(), {"identifiers_in_state": "unsatisfied", "are": ["c"]})  # fmt: skip
absent("T53 none that is due at the end", c((100, 130), assuming="unknown", absent_after=30), advance(0), advance(500),
       events())  # fmt: skip
absent("T54 a fix at that time comes first", c((100, 200), assuming="unknown", absent_after=30), fix(10, OUT),
       fix(130, IN), events("c satisfied 130 determination"), initial_fix_max_age=None)  # fmt: skip
absent("T55 counted anew when the host suspends no more, and after rewind", c(assuming="unknown", absent_after=30),
       advance(0), {"host": {"flags": ["accuracy_limited"]}, "time": 10}, advance(100),
       events("c unknown 10 diagnostic accuracy_limited"), {"host": {"flags": []}, "time": 110}, advance(139),
       events("c unknown 110 diagnostic"), {"rewind": 120}, advance(149), events(), advance(150),
       events("c unsatisfied 150 timeout"))  # fmt: skip
absent("T56 by deadline, then add order, with the absence of beacons and crossings",
       {"add": "b", **BEACON, "assuming": "unknown"}, c(assuming="unknown", absent_after=30),
       c(identifier="d", centre=OUT, policy={**DWELL, "entry_dwell": 29}), fix(0, O), {"remove": "c"},
       c(assuming="unknown", absent_after=30, centre=at(90000)), fix(1, OUT),
       events("c unsatisfied 0 determination"), advance(30),
       events("b unsatisfied 30 timeout", "d satisfied 30 crossing"))  # fmt: skip

# Repeats -------------------------------------------------------------------------------------------------------------

repeats("T57 while satisfied, an event at each multiple since the evidence", c(repeat_every=10), fix(5, IN),
        fix(26, IN), events("c satisfied 5 determination", "c satisfied 15 repeat", "c satisfied 25 repeat"),
        fix(34, OUT), advance(100), events("c unsatisfied 34 crossing"))  # fmt: skip
repeats("T58 the multiples count from the evidence, and begin after the change", c(repeat_every=7, policy=DWELL),
        fix(0, OUT), fix(10, IN), advance(40),
        events("c satisfied 30 crossing", "c satisfied 31 repeat", "c satisfied 38 repeat"))  # fmt: skip
repeats("T59 a multiple at the change itself is none", c(repeat_every=10, policy=DWELL), fix(0, OUT), fix(10, IN),
        advance(40), events("c satisfied 30 crossing", "c satisfied 40 repeat"))  # fmt: skip
repeats("T60 a late advance tells each with its date, beyond the limit of the queue", c(repeat_every=1), fix(0, IN),
        advance(5), {"refused": "queue_full", "step": advance(6)},
        events("c satisfied 0 determination", *(f"c satisfied {t} repeat" for t in range(1, 6))),
        max_pending_events=2)  # fmt: skip
repeats("T61 at most so many a stay", c(repeat_every=10, repeat_limit=2), fix(0, IN), fix(90, OUT), fix(100, IN),
        advance(200), events("c satisfied 0 determination", "c satisfied 10 repeat", "c satisfied 20 repeat",
        "c unsatisfied 90 crossing", "c satisfied 100 crossing", "c satisfied 110 repeat",
        "c satisfied 120 repeat"))  # fmt: skip
repeats("T62 whatever `notify` says", c(repeat_every=10, policy={**DWELL, "notify": ["exit"]}), fix(0, IN), advance(10),
        events("c satisfied 10 repeat"), fix(15, OUT), advance(35), events("c satisfied 20 repeat",
        "c satisfied 30 repeat", "c unsatisfied 35 crossing"))  # fmt: skip
repeats("T63 only while active; the next stay counts from its own evidence", c((0, 25), (100, 200), repeat_every=10),
        fix(0, IN), advance(60), fix(103, IN), advance(115), events("c satisfied 0 determination",
        "c satisfied 10 repeat", "c satisfied 20 repeat", "c satisfied 103 determination",
        "c satisfied 113 repeat"), initial_fix_max_age=None)  # fmt: skip
repeats("T64 a repeat that is due at an end is none", c((0, 20), repeat_every=10), fix(0, IN), advance(60),
        events("c satisfied 0 determination", "c satisfied 10 repeat"))  # fmt: skip
repeats("T65 repeats come after what is confirmed at the same instant", c(repeat_every=10),
        c(identifier="d", centre=at(150), policy=DWELL), fix(0, at(90)), fix(10, IN), advance(30),
        events("c satisfied 0 determination", "d satisfied 0 determination", "c satisfied 10 repeat",
        "c satisfied 20 repeat", "d unsatisfied 30 crossing", "c satisfied 30 repeat"))  # fmt: skip
repeats("T66 of a beacon, with the beacon that was told", {"add": "b", "beacon": {"uuid": UUID}, "repeat_every": 20},
        see(5), advance(30), events("b satisfied 5 determination", "b satisfied 25 repeat"), advance(35),
        events("b unsatisfied 35 timeout"), advance(100), events())  # fmt: skip
repeats("T67 with `first`, only the last is told at the commit", c(repeat_every=10), fix(0, IN), advance(45),
        events("c satisfied 0 determination", "c satisfied 40 repeat"), delivery="first")  # fmt: skip
repeats("T68 with `first`, none if the device has left since", c(repeat_every=10), fix(0, IN), fix(45, OUT),
        events("c satisfied 0 determination", "c unsatisfied 45 crossing"), delivery="first")  # fmt: skip
repeats("T69 with `latest`, a repeat takes the place of what waits", c(repeat_every=10), fix(0, IN), advance(45),
        events("c satisfied 40 repeat"), delivery="latest")  # fmt: skip
repeats("T70 after rewind the stay is another one", c(repeat_every=10), fix(100, IN), advance(115),
        events("c satisfied 100 determination", "c satisfied 110 repeat"), {"rewind": 50}, advance(80), events(),
        fix(85, IN), events(), advance(100), events("c satisfied 95 repeat"))  # fmt: skip
repeats("T92 an exit that is cancelled does not end the repeats", c(repeat_every=100, policy=DWELL), fix(0, IN),
        events("c satisfied 0 determination"), fix(10, OUT), fix(15, IN), advance(250),
        events("c satisfied 100 repeat", "c satisfied 200 repeat"))  # fmt: skip
repeats("T71 a restart changes nothing", c((0, 500), repeat_every=10, repeat_limit=3), fix(0, IN), {"restart": True},
        advance(15), {"restart": True}, advance(100), events("c satisfied 0 determination", "c satisfied 10 repeat",
        "c satisfied 20 repeat", "c satisfied 30 repeat"))  # fmt: skip

# A number of events --------------------------------------------------------------------------------------------------

limited("T72 one event, which says that it was the last", c(max_events=1), fix(0, IN),
        events("c satisfied 0 determination inactive+exhausted"), fix(10, OUT), events(), unknown("c"),
        explained("c", "inactive"))  # fmt: skip
limited("T73 silent changes do not count", c(max_events=2, policy={**DWELL, "exit_dwell": 0, "entry_dwell": 0,
        "notify": ["entry"]}), fix(0, IN), fix(10, OUT), fix(20, IN), events("c satisfied 20 crossing"), fix(30, OUT),
        fix(40, IN), events("c satisfied 40 crossing inactive+exhausted"), fix(50, OUT), events())  # fmt: skip
limited("T74 diagnostics do not count, and repeats do", c(max_events=2, repeat_every=10), fix(0, IN),
        {"host": {"flags": ["accuracy_limited"]}, "time": 5}, {"host": {"flags": []}, "time": 6}, fix(7, IN),
        advance(60), events("c satisfied 0 determination", "c satisfied 5 diagnostic accuracy_limited",
        "c satisfied 6 diagnostic", "c satisfied 17 repeat inactive+exhausted"))  # fmt: skip
limited("T75 rewind and a start do not begin anew", c((0, 50), (100, 200), max_events=1), fix(10, IN),
        events("c satisfied 10 determination inactive+exhausted"), fix(110, IN), {"rewind": 60}, fix(110, IN), events(),
        ensured(c((0, 300), max_events=1)), fix(250, OUT), events())  # fmt: skip
limited("T76 ensure with another number does", c(max_events=1), fix(0, IN),
        events("c satisfied 0 determination inactive+exhausted"), ensured(c(max_events=2)),
        events("c satisfied 0 determination"), record("c", generation=2))  # fmt: skip
limited("T77 with `latest`, an event that replaces another is not counted again",
        c(max_events=2, assuming="unknown"), fix(0, IN), fix(10, OUT), fix(20, IN),
        events("c satisfied 20 crossing"), fix(30, OUT), fix(40, IN), fix(50, OUT),
        events("c unsatisfied 30 crossing inactive+exhausted"), delivery="latest")  # fmt: skip
limited("T78 with `first`, it is counted when it is built, at the commit", c(max_events=2), fix(0, IN), fix(10, OUT),
        {"next": {"state": "satisfied", "date": 0, "diagnostics": []}}, fix(20, IN), fix(30, OUT),
        events("c unsatisfied 30 crossing inactive+exhausted"), fix(40, IN), events(), delivery="first")  # fmt: skip
limited("T79 an exhausted condition has no end of its list", c((0, 50), active_until=60, max_events=1), fix(0, IN),
        advance(100), events("c satisfied 0 determination inactive+exhausted"))  # fmt: skip

# Paths and gates -----------------------------------------------------------------------------------------------------

WAY = {"path": "geodesic", "max_gap": 600, "initial_fix_max_age": None}
ways("T80 a start on the way looks at the point of the path", c((50, 200)), fix(0, at(-1000)), fix(100, at(1000)),
     events("c satisfied 50 determination", "c unsatisfied 55 crossing"), **WAY)  # fmt: skip
ways("T81 an end on the way, too", c((0, 50)), fix(0, at(-1000)), fix(100, at(1000)), events("c satisfied 45 crossing"),
     unknown("c"), **WAY)  # fmt: skip
ways("T82 what was passed before the start is not told", c((60, 200)), fix(0, at(-1000)), fix(100, at(1000)), events(),
     **WAY)  # fmt: skip
GATE = gate("g", (0, -0.01), (0, 0.01))
ways("T83 a gate counts only while it is active", {**GATE, "active": [[0, 100], [300, 400]]}, fix(0, at(-1000)),
     fix(100, at(1000)), fix(200, at(-1000)), fix(400, at(1000)), events("g unknown 50 crossing",
     "g unknown 300 crossing"), **WAY)  # fmt: skip
ways("T84 a gate with a number of events", {**GATE, "max_events": 1}, fix(0, at(-1000)), fix(100, at(1000)),
     fix(200, at(-1000)), events("g unknown 50 crossing inactive+exhausted"), **WAY)  # fmt: skip
ways("T85 a crossing at an end is none", {**GATE, "active": [[0, 50.000001]]},
     {**GATE, "add": "h", "active": [[0, 50.000002]]}, fix(0, at(-1000)),
     fix(100, at(1000)), events("h unknown 50 crossing"), **WAY)  # fmt: skip

# Refused -------------------------------------------------------------------------------------------------------------


def refused(step: Any) -> Any:
    return {"refused": "invalid_argument", "step": step}


refuses("T86 lists", refused(c((10, 10))), refused(c((10, 5))), refused(c((10, 20), (19, 30))),
        refused(c((20, 30), (0, 10))), refused(c((0, 10), active_until=9)), refused(c(active_until=9)),
        refused({**c(), "active": [[2 * k, 2 * k + 1] for k in range(10_001)]}), {"identifiers": []})  # fmt: skip
refuses("T87 other options", refused(c(absent_after=0)), refused(c(repeat_every=0.999999)),
        refused(c(repeat_every=1, repeat_limit=0)), refused(c(repeat_limit=5)), refused(c(max_events=0)),
        refused({"add": "b", **BEACON, "absent_after": 10}), {"identifiers": []})  # fmt: skip
refuses("T88 a gate has only a list and a number", refused({**GATE, "absent_after": 10}),
        refused({**GATE, "repeat_every": 10}), {**GATE, "active": [[0, 10]], "max_events": 3}, {"identifiers": ["g"]},
        **WAY)  # fmt: skip
