"""Scenarios of rules: the steps and the expected events. generate_rule_scenarios.py fills in the evidence.

Positions are on the equator, in metres east of Greenwich. Unless a scenario says otherwise, the circles `a` (around
Greenwich) and `b` (150 m east of it) have a radius of 100 m and the policy `exact`, but report nothing, and rules have
the policy `exact`. A, AB and B are positions inside of only `a`, both, and only `b`; OUT is far from both.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gate_scenarios import gate
from generate_rule_scenarios import ExplainedRule
from generate_shape_scenarios import FILES, events, fix, scenario
from path_scenarios import A_DEGREE, BEACON, SEEN, O, at, circle

FILES.clear()  # the imports of the other modules have added their scenarios to FILES

A, AB, B, OUT = at(-50), at(75), at(200), at(5000)
EXACT = {"entry_dwell": 0, "exit_dwell": 0, "entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0}
SILENT = {**EXACT, "notify": []}
DWELL = {**EXACT, "entry_dwell": 20, "exit_dwell": 20}
LATE = {**DWELL, "notify": []}
logic = partial(scenario, "logic")
unknowns = partial(scenario, "unknowns")
instants = partial(scenario, "instants")
dwells = partial(scenario, "dwells")
evidence = partial(scenario, "evidence")
nested = partial(scenario, "nested")
tables = partial(scenario, "tables")
limits = partial(scenario, "limits")
timings = partial(scenario, "timings")
delivery = partial(scenario, "delivery")
ways = partial(scenario, "paths")
refuses = partial(scenario, "refused")
ALONE: dict[str, Any] = {"initial_fix_max_age": None}


def part(identifier: str, centre: Any, **rest: Any) -> Any:
    return circle(identifier, centre, 100, **{"policy": SILENT, **rest})


def a(*intervals: Any, **rest: Any) -> Any:
    return part("a", O, **({"active": [list(each) for each in intervals]} if intervals else {}), **rest)


def b(*intervals: Any, **rest: Any) -> Any:
    return part("b", at(150), **({"active": [list(each) for each in intervals]} if intervals else {}), **rest)


def rule(identifier: str, kind: str, *parts: str, of: int | None = None, **rest: Any) -> Any:
    spec: Any = {"at_least": of, "of": list(parts)} if kind == "at_least" else {kind: list(parts)}
    return {"add": identifier, "rule": spec, "policy": "exact", **rest}


def beacon(identifier: str = "k", **rest: Any) -> Any:
    return {"add": identifier, **BEACON, "policy": SILENT, "assuming": "unsatisfied", **rest}


def see(time: float) -> Any:
    return {"see": {"time": time, "beacons": SEEN}}


def advance(time: float) -> Any:
    return {"advance": time}


def ensured(step: Any) -> Any:
    rest = dict(step)
    return {"ensure": rest.pop("add"), **rest}


def member(step: Any) -> Any:
    rest = dict(step)
    return {"identifier": rest.pop("add"), **rest}


def state(which: str, *identifiers: str) -> Any:
    return {"identifiers_in_state": which, "are": list(identifiers)}


def record(identifier: str, **expected: Any) -> Any:
    return {"record": identifier, "is": expected}


def remove(identifier: str) -> Any:
    return {"remove": identifier}


def host(time: float, *flags: str) -> Any:
    return {"host": {"flags": list(flags)}, "time": time}


def explained(identifier: str, reason: str) -> Any:
    return ExplainedRule(identifier, reason)


# Kleene's logic ------------------------------------------------------------------------------------------------------

logic("R1 all: satisfied while each part is", a(), b(), rule("r", "all", "a", "b"), fix(0, A),
      events("r unsatisfied 0 determination by 2"), fix(10, AB), events("r satisfied 10 crossing by 2"), fix(20, B),
      events("r unsatisfied 20 crossing by 1"), fix(30, OUT), events(), fix(40, AB),
      events("r satisfied 40 crossing by 2"), **ALONE)  # fmt: skip
logic("R2 any: satisfied while one part is", a(), b(), rule("r", "any", "a", "b"), fix(0, A),
      events("r satisfied 0 determination by 2"), fix(10, B), events(), fix(20, OUT),
      events("r unsatisfied 20 crossing by 2"), fix(30, B), events("r satisfied 30 crossing by 2"), **ALONE)  # fmt: skip
logic("R3 none: satisfied while no part is", a(), b(), rule("r", "none", "a", "b"), fix(0, OUT),
      events("r satisfied 0 determination by 2"), fix(10, A), events("r unsatisfied 10 crossing by 1"), fix(20, B),
      events(), fix(30, OUT), events("r satisfied 30 crossing by 2"), **ALONE)  # fmt: skip
logic("R4 at least two of three", a(), b(), part("c", at(75)), rule("r", "at_least", "a", "b", "c", of=2), fix(0, A),
      events("r unsatisfied 0 determination by 3"), fix(10, at(0)), events("r satisfied 10 crossing by 3"), fix(20, AB),
      events(), fix(30, B), events("r unsatisfied 30 crossing by 3"), **ALONE)  # fmt: skip
logic("R5 at least one of n is any, and at least n of n is all", a(), b(), rule("r1", "at_least", "a", "b", of=1),
      rule("r2", "any", "b", "a"), rule("r3", "at_least", "a", "b", of=2), rule("r4", "all", "b", "a"), fix(0, OUT),
      events(*(f"r{n} unsatisfied 0 determination by 2" for n in (1, 2, 3, 4))), fix(10, A),
      events("r1 satisfied 10 crossing by 1", "r2 satisfied 10 crossing by 1"), fix(20, AB),
      events("r3 satisfied 20 crossing by 2", "r4 satisfied 20 crossing by 2"), **ALONE)  # fmt: skip
logic("R6 a rule of one part follows it, or its opposite", a(), rule("r1", "all", "a"), rule("r2", "any", "a"),
      rule("r3", "none", "a"), rule("r4", "at_least", "a", of=1), fix(0, A),
      events("r1 satisfied 0 determination by 1", "r2 satisfied 0 determination by 1",
      "r3 unsatisfied 0 determination by 1", "r4 satisfied 0 determination by 1"), fix(10, OUT),
      events("r1 unsatisfied 10 crossing by 1", "r2 unsatisfied 10 crossing by 1", "r3 satisfied 10 crossing by 1",
      "r4 unsatisfied 10 crossing by 1"), **ALONE)  # fmt: skip
logic("R7 parts may report their own changes, which come before those of rules", rule("r", "any", "a", "b"),
      a(policy="exact"), b(policy="exact"), fix(0, OUT), events("r unsatisfied 0 determination by 3"), fix(10, AB),
      events("a satisfied 10 crossing", "b satisfied 10 crossing", "r satisfied 10 crossing by 3"), fix(20, B),
      events("a unsatisfied 20 crossing"), **ALONE)  # fmt: skip
logic("R8 a beacon and a circle", a(), beacon(), rule("r", "all", "a", "k"), fix(0, A), events(), see(5),
      events("r satisfied 5 determination by 2"), advance(35), events("r unsatisfied 35 crossing by 2"), see(40),
      events("r satisfied 40 crossing by 2"), **ALONE)  # fmt: skip
logic("R9 the same part in several rules", a(), b(), rule("r1", "any", "a"), rule("r2", "none", "a", "b"),
      rule("r3", "all", "b", "a"), fix(0, A), events("r1 satisfied 0 determination by 1",
      "r2 unsatisfied 0 determination by 2", "r3 unsatisfied 0 determination by 2"), fix(10, OUT),
      events("r1 unsatisfied 10 crossing by 1", "r2 satisfied 10 crossing by 1"), **ALONE)  # fmt: skip

# Unknown parts -------------------------------------------------------------------------------------------------------

unknowns("R10 a part that the table does not have is unknown: `all` can only be unsatisfied", a(),
         rule("r", "all", "a", "x"), fix(0, A), events(), state("unknown", "r"), fix(10, OUT),
         events("r unsatisfied 10 determination by 1"), fix(20, A), events(), state("unknown", "r"), **ALONE)  # fmt: skip
unknowns("R11 `any` can only be satisfied", a(), rule("r", "any", "a", "x"), fix(0, OUT), events(), fix(10, A),
         events("r satisfied 10 determination by 1"), fix(20, OUT), events(), state("unknown", "r"), **ALONE)  # fmt: skip
unknowns("R12 `none` can only be unsatisfied", a(), rule("r", "none", "a", "x"), fix(0, OUT), events(), fix(10, A),
         events("r unsatisfied 10 determination by 1"), fix(20, OUT), events(), state("unknown", "r"), **ALONE)  # fmt: skip
unknowns("R13 at least two of four with one unknown", a(), b(), part("c", at(75)),
         rule("r", "at_least", "a", "b", "c", "x", of=2), fix(0, OUT), events("r unsatisfied 0 determination by 3"),
         fix(10, A), events(), state("unknown", "r"), fix(20, at(0)), events("r satisfied 20 determination by 3"),
         fix(30, OUT), events("r unsatisfied 30 crossing by 3"), **ALONE)  # fmt: skip
unknowns("R14 a part that is undetermined", a(), beacon(), rule("r", "any", "a", "k"), fix(0, OUT), events(),
         advance(30), events("r unsatisfied 30 determination by 2"), **ALONE)  # fmt: skip
unknowns("R15 into unknown the record stays, and nothing is told; the same state again is none", a(),
         rule("r", "any", "a", "k"), beacon(), fix(0, A), events("r satisfied 0 determination by 1"), fix(10, OUT),
         events(), state("unknown", "r", "k"), record("r", state="satisfied", date=0, decided_by=1), fix(20, A),
         events(), state("satisfied", "a", "r"))  # fmt: skip
unknowns("R16 the other state out of unknown is told at once, whatever the dwell", a(),
         rule("r", "any", "a", "k", policy=DWELL), beacon(), fix(0, A), events("r satisfied 0 determination by 1"),
         fix(10, OUT), events(), advance(30), events("r unsatisfied 30 determination by 3"), **ALONE)  # fmt: skip
unknowns("R17 a part that the host suspends is unknown, and the rule has no flags", a(), rule("r", "any", "a"),
         fix(0, A), events("r satisfied 0 determination by 1"), host(10, "authorization_denied"),
         events("a satisfied 10 diagnostic authorization_denied"), state("unknown", "a", "r"),
         record("r", state="satisfied", diagnostics=[]), host(20),
         events("a satisfied 20 diagnostic"), fix(30, OUT),
         events("r unsatisfied 30 determination by 1"))  # fmt: skip
unknowns("R18 a kind that the host cannot monitor is unknown", a(), beacon(), rule("r", "any", "a", "k"), fix(0, OUT),
         advance(30), events("r unsatisfied 30 determination by 2"),
         {"host": {"unsupported": ["beacon"]}, "time": 40},
         events("k unmonitored 40 diagnostic condition_unsupported"), state("unknown", "k", "r"), fix(50, A),
         events("r satisfied 50 determination by 1"))  # fmt: skip
unknowns("R19 without scanning, a beacon is unknown", beacon(), rule("r", "none", "k"), see(0),
         events("r unsatisfied 0 determination by 1"), {"scanning": False, "time": 10}, state("unknown", "k", "r"),
         events(), {"scanning": True, "time": 20}, advance(50), events("r satisfied 50 determination by 1"))  # fmt: skip
unknowns("R20 a fix that is too coarse leaves the part and the rule undetermined",
         a(policy={**SILENT, "accuracy_factor": 1}), rule("r", "any", "a"), fix(0, A, 500), events(),
         state("unknown", "a", "r"), fix(10, A, 5), events("r satisfied 10 determination by 1"), **ALONE)  # fmt: skip
unknowns("R21 a determination that agrees with `assuming` is none", a(), rule("r", "any", "a", assuming="unsatisfied"),
         record("r", state="unsatisfied"), fix(0, OUT), events(), fix(10, A), events("r satisfied 10 crossing by 1"),
         **ALONE)  # fmt: skip
unknowns("R22 `assuming` is no observed state", a(), b(assuming="satisfied"), rule("r", "all", "a", "b"), fix(0, A),
         events("r unsatisfied 0 determination by 2"), **ALONE)  # fmt: skip

# One instant ---------------------------------------------------------------------------------------------------------

instants("R23 opposite changes of one instant are none", a(), b(), rule("r", "any", "a", "b"), fix(0, A),
         events("r satisfied 0 determination by 2"), fix(10, B), fix(20, A), events(), **ALONE)  # fmt: skip
instants("R24 two inputs at one time are two instants", a(), rule("r", "any", "a"), fix(0, OUT),
         events("r unsatisfied 0 determination by 1"), fix(10, A), fix(10, OUT),
         events("r satisfied 10 crossing by 1", "r unsatisfied 10 crossing by 1"), **ALONE)  # fmt: skip
instants("R25 what an input and a deadline at its time change is one change", a(policy=LATE), b(),
         rule("r", "any", "a", "b"), fix(0, OUT), events("r unsatisfied 0 determination by 2"), fix(10, A), fix(29, at(0)),
         events(), fix(30, AB), events("r satisfied 30 crossing by 2"), **ALONE)  # fmt: skip
instants("R26 a deadline before an input is an instant of its own", a(policy=LATE), b(), rule("r", "any", "a", "b"),
         fix(0, OUT), fix(10, at(0)), fix(40, B),
         events("r unsatisfied 0 determination by 2", "r satisfied 30 crossing by 1"), **ALONE)  # fmt: skip
instants("R27 an advance passes each instant in order", a(policy=LATE), part("c", O, policy={**LATE, "entry_dwell": 30}),
         rule("r1", "any", "a", "c"), rule("r2", "all", "a", "c"), fix(0, OUT), fix(10, A), advance(100),
         events("r1 unsatisfied 0 determination by 2", "r2 unsatisfied 0 determination by 2",
         "r1 satisfied 30 crossing by 1", "r2 satisfied 40 crossing by 2"), **ALONE)  # fmt: skip
instants("R28 an absence of a beacon and an exit at one time", a(policy=LATE), beacon(), rule("r", "any", "a", "k"),
         fix(0, A), events("r satisfied 0 determination by 1"), see(10), fix(20, OUT), advance(100),
         events("r unsatisfied 40 crossing by 2"), **ALONE)  # fmt: skip
instants("R29 rules come after all other changes of the instant, in add order", rule("r1", "any", "b"),
         a(policy="exact"), rule("r2", "any", "a"), b(policy="exact"), fix(0, OUT), events(
         "r1 unsatisfied 0 determination by 4", "r2 unsatisfied 0 determination by 2"), fix(10, AB),
         events("a satisfied 10 crossing", "b satisfied 10 crossing", "r1 satisfied 10 crossing by 4",
         "r2 satisfied 10 crossing by 2"), **ALONE)  # fmt: skip
instants("R30 of one depth, determinations come before what is due", a(), b(), rule("r1", "any", "a"),
         rule("r2", "all", "x", "b"), fix(0, B), events("r1 unsatisfied 0 determination by 1"), fix(10, A),
         events("r2 unsatisfied 10 determination by 2", "r1 satisfied 10 crossing by 1"), **ALONE)  # fmt: skip
instants("R31 after an exit of another part, exits first: unsatisfied before satisfied, rules after the others",
         a(policy="exact"), b(policy="exact"), rule("r1", "any", "b"), rule("r2", "any", "a"), fix(0, A),
         events("a satisfied 0 determination", "r1 unsatisfied 0 determination by 2",
         "r2 satisfied 0 determination by 1"), fix(10, B), events("a unsatisfied 10 crossing",
         "b satisfied 10 crossing", "r2 unsatisfied 10 crossing by 1", "r1 satisfied 10 crossing by 2"),
         order="exits_first", **ALONE)  # fmt: skip
instants("R32 the same in the order of adding", a(policy="exact"), b(policy="exact"), rule("r1", "any", "b"),
         rule("r2", "any", "a"), fix(0, A), events("a satisfied 0 determination",
         "r1 unsatisfied 0 determination by 2", "r2 satisfied 0 determination by 1"), fix(10, B),
         events("a unsatisfied 10 crossing", "b satisfied 10 crossing", "r1 satisfied 10 crossing by 2",
         "r2 unsatisfied 10 crossing by 1"), **ALONE)  # fmt: skip

# Dwells --------------------------------------------------------------------------------------------------------------

dwells("R33 a change of a rule waits for its dwell", a(), b(), rule("r", "any", "a", "b", policy=DWELL), fix(0, OUT),
       events("r unsatisfied 0 determination by 2"), fix(10, A), advance(29.999999), events(), advance(30),
       events("r satisfied 30 crossing by 1"), **ALONE)  # fmt: skip
dwells("R34 the opposite change cancels it", a(), rule("r", "any", "a", policy=DWELL), fix(0, OUT),
       events("r unsatisfied 0 determination by 1"), fix(10, A), fix(29.999999, OUT), advance(100), events(),
       **ALONE)  # fmt: skip
dwells("R35 also at the time of the deadline: first what the parts changed, then what is due", a(),
       rule("r", "any", "a", policy=DWELL), fix(0, OUT), events("r unsatisfied 0 determination by 1"), fix(10, A),
       fix(30, OUT), advance(100), events(), **ALONE)  # fmt: skip
dwells("R36 another part that keeps it does not begin it anew; the evidence stays", a(), b(),
       rule("r", "any", "a", "b", policy=DWELL), fix(0, OUT), events("r unsatisfied 0 determination by 2"),
       fix(10, A), fix(15, AB), fix(20, B), advance(100), events("r satisfied 30 crossing by 1"), **ALONE)  # fmt: skip
dwells("R37 into unknown the candidate is gone", a(), rule("r", "any", "a", "k", policy=DWELL), beacon(), fix(0, OUT),
       advance(30), events("r unsatisfied 30 determination by 3"), fix(40, A), {"scanning": False, "time": 45},
       fix(50, OUT), advance(100), events(), state("unknown", "r", "k"), **ALONE)  # fmt: skip
dwells("R38 the dwells of parts and rules add up", a(policy=LATE), rule("r", "any", "a", policy=DWELL), fix(0, OUT),
       events("r unsatisfied 0 determination by 1"), fix(10, A), advance(100), events("r satisfied 50 crossing by 1"),
       **ALONE)  # fmt: skip
dwells("R39 each direction has its own dwell", a(),
       rule("r", "any", "a", policy={**EXACT, "entry_dwell": 5, "exit_dwell": 60}), fix(0, OUT), fix(10, A),
       fix(20, OUT), fix(79, OUT), events("r unsatisfied 0 determination by 1", "r satisfied 15 crossing by 1"),
       advance(80), events("r unsatisfied 80 crossing by 1"), **ALONE)  # fmt: skip
dwells("R40 margins and accuracy do not apply to rules", a(),
       rule("r", "any", "a", policy={**EXACT, "entry_margin": 1000, "exit_margin": 1000, "accuracy_factor": 9}),
       fix(0, OUT, 500), fix(10, at(99), 500), events("r unsatisfied 0 determination by 1",
       "r satisfied 10 crossing by 1"), **ALONE)  # fmt: skip
dwells("R41 the default policy has dwells of 20 s", a(), {"add": "r", "rule": {"any": ["a"]}}, fix(0, OUT), fix(10, A),
       advance(30), events("r unsatisfied 0 determination by 1", "r satisfied 30 crossing by 1"), **ALONE)  # fmt: skip
dwells("R42 what is not in `notify` is not told", a(), rule("r", "any", "a", policy={**EXACT, "notify": ["exit"]}),
       fix(0, OUT), fix(10, A), events(), fix(20, OUT), events("r unsatisfied 20 crossing by 1"), **ALONE)  # fmt: skip

# Evidence ------------------------------------------------------------------------------------------------------------

evidence("R43 the evidence is that of the part, with the fix that opened its candidate", a(policy=LATE),
         rule("r", "any", "a"), fix(0, OUT), events("r unsatisfied 0 determination by 1"), fix(10, A, 5),
         fix(20, at(0), 7), advance(30), events("r satisfied 30 crossing by 1"), **ALONE)  # fmt: skip
evidence("R44 of several parts that change in one instant, the last to change: deadlines come after determinations",
         a(policy=DWELL), b(policy=SILENT, assuming="unknown"), rule("r", "at_least", "a", "b", "x", of=2), fix(0, A),
         events("a satisfied 0 determination"), fix(10, AB), events("r satisfied 10 determination by 2"), **ALONE)  # fmt: skip
evidence("R45 a part whose change did not help counts too, if it was the last", a(), part("c", O), b(),
         rule("r", "at_least", "a", "b", "c", of=2), fix(0, B), events("r unsatisfied 0 determination by 3"), fix(10, A),
         events("r satisfied 10 crossing by 3"), **ALONE)  # fmt: skip
evidence("R46 a beacon has no position, only the date of its last sighting", beacon(), rule("r", "any", "k"), see(10),
         events("r satisfied 10 determination by 1"), see(15), advance(45), events("r unsatisfied 45 crossing by 1"))  # fmt: skip
evidence("R47 the evidence is that of the opening, also if that part has changed or is gone", a(), b(),
         rule("r", "any", "a", "b", policy=DWELL), fix(0, OUT), events("r unsatisfied 0 determination by 2"), fix(10, A),
         fix(15, B), remove("a"), advance(30), events("r satisfied 30 crossing by 1"), **ALONE)  # fmt: skip
evidence("R48 an added rule is decided by what is known: by no part", a(), fix(0, A), rule("r", "any", "a"),
         events("r satisfied 0 determination"), fix(10, OUT), events("r unsatisfied 10 crossing by 1"))  # fmt: skip
evidence("R49 a part that was replaced has its new generation", a(), rule("r", "any", "a"), fix(0, A),
         events("r satisfied 0 determination by 1"), part("a", OUT), state("unsatisfied", "r", "a"),
         events("r unsatisfied 0 crossing by 3"))  # fmt: skip
evidence("R50 the refinement of a wildcard beacon is not the rule's",
         {"add": "k", "beacon": {"uuid": BEACON["beacon"]["uuid"]}, "policy": SILENT}, rule("r", "any", "k"), see(3),
         events("r satisfied 3 determination by 1"))  # fmt: skip

# Rules of rules ------------------------------------------------------------------------------------------------------

nested("R51 a rule of a rule: by depth, then add order", a(policy="exact"), rule("r3", "none", "r1"),
       rule("r1", "any", "a"), rule("r2", "all", "a"), fix(0, OUT), events("r1 unsatisfied 0 determination by 1",
       "r2 unsatisfied 0 determination by 1", "r3 satisfied 0 determination by 3"), fix(10, A),
       events("a satisfied 10 crossing", "r1 satisfied 10 crossing by 1", "r2 satisfied 10 crossing by 1",
       "r3 unsatisfied 10 crossing by 3"), **ALONE)  # fmt: skip
nested("R52 the evidence passes through", a(policy=LATE), rule("r1", "any", "a"), rule("r2", "any", "r1"), fix(0, OUT),
       fix(10, A, 3), advance(30), events("r1 unsatisfied 0 determination by 1", "r2 unsatisfied 0 determination by 2",
       "r1 satisfied 30 crossing by 1", "r2 satisfied 30 crossing by 2"), **ALONE)  # fmt: skip
nested("R53 dwells of rules add up, and a deadline of an inner rule is an instant of the outer one", a(),
       rule("r1", "any", "a", policy=DWELL), rule("r2", "none", "r1", policy=DWELL), fix(0, OUT), fix(10, A),
       advance(100), events("r1 unsatisfied 0 determination by 1", "r2 satisfied 0 determination by 2",
       "r1 satisfied 30 crossing by 1", "r2 unsatisfied 50 crossing by 2"), **ALONE)  # fmt: skip
nested("R54 an inner rule that is unknown makes the outer one unknown", a(), b(), rule("r1", "any", "a", "x"),
       rule("r2", "all", "r1", "b"), fix(0, AB), events("r1 satisfied 0 determination by 1",
       "r2 satisfied 0 determination by 3"), fix(10, B), state("unknown", "r1", "r2"), events(), fix(20, OUT),
       events("r2 unsatisfied 20 determination by 2"), **ALONE)  # fmt: skip
nested("R55 a rule and its part in one rule", a(), b(), rule("r1", "all", "a", "b"), rule("r2", "all", "r1", "a"),
       fix(0, A), fix(10, AB), fix(20, B), events("r1 unsatisfied 0 determination by 2",
       "r2 unsatisfied 0 determination by 3", "r1 satisfied 10 crossing by 2", "r2 satisfied 10 crossing by 3",
       "r1 unsatisfied 20 crossing by 1", "r2 unsatisfied 20 crossing by 3"), **ALONE)  # fmt: skip
nested("R56 exclusive or, of rules that report nothing", a(), b(), rule("r1", "any", "a", "b", policy=SILENT),
       rule("r2", "all", "a", "b", policy=SILENT), rule("r3", "none", "r2", policy=SILENT), rule("r", "all", "r1", "r3"),
       fix(0, A), fix(10, AB), fix(20, B), fix(30, OUT), fix(40, A), events("r satisfied 0 determination by 5",
       "r unsatisfied 10 crossing by 5", "r satisfied 20 crossing by 5", "r unsatisfied 30 crossing by 3",
       "r satisfied 40 crossing by 3"), **ALONE)  # fmt: skip
nested("R57 depth 8", a(), rule("r1", "any", "a"), *(rule(f"r{n}", "any", f"r{n - 1}") for n in range(2, 9)), fix(0, A),
       events("r1 satisfied 0 determination by 1", *(f"r{n} satisfied 0 determination by {n}" for n in range(2, 9))),
       **ALONE)  # fmt: skip
nested("R58 exits first by depth", a(), rule("r1", "none", "a"), rule("r2", "any", "r1"), rule("r3", "any", "a"),
       fix(0, A), events("r1 unsatisfied 0 determination by 1", "r3 satisfied 0 determination by 1",
       "r2 unsatisfied 0 determination by 2"), fix(10, OUT), events("r3 unsatisfied 10 crossing by 1",
       "r1 satisfied 10 crossing by 1", "r2 satisfied 10 crossing by 2"), order="exits_first", **ALONE)  # fmt: skip

# Tables --------------------------------------------------------------------------------------------------------------

tables("R59 an added rule is looked at at once, whatever the age of the fix", a(policy="exact"), fix(0, A),
       events("a satisfied 0 determination"), advance(1000), rule("r", "any", "a"),
       events("r satisfied 1000 determination"))  # fmt: skip
tables("R60 a monitor that never looks back looks at it at the next input, or when a part changes", a(), fix(0, A),
       rule("r", "any", "a"), events(), state("unknown", "r"), advance(10), events(), state("unknown", "r"),
       fix(20, at(0)), events("r satisfied 20 determination"), **ALONE)  # fmt: skip
tables("R61 a part that is removed is unknown", a(), b(), rule("r", "any", "a", "b"), fix(0, A),
       events("r satisfied 0 determination by 2"), remove("a"), events(), state("unknown", "r"), fix(10, B),
       events(), state("satisfied", "b", "r"), remove("b"), remove("r"), {"identifiers": []})  # fmt: skip
tables("R62 a part that is replaced, and found again at once, changes nothing", a(), rule("r", "any", "a"), fix(0, A),
       events("r satisfied 0 determination by 1"), part("a", A), events(), state("satisfied", "r", "a"))  # fmt: skip
tables("R63 a part that is replaced is unknown until the next fix", a(), rule("r", "any", "a", policy=DWELL), fix(0, A),
       events("r satisfied 0 determination by 1"), part("a", OUT), events(), state("unknown", "r", "a"), fix(10, A),
       events("r unsatisfied 10 determination by 3"), **ALONE)  # fmt: skip
tables("R64 a part may be added after the rule", rule("r", "all", "a", "b"), a(), fix(0, AB), events(), b(),
       events("r satisfied 0 determination by 3"))  # fmt: skip
tables("R65 a removed part cancels what waits, if the rule becomes unknown", a(), b(),
       rule("r", "any", "a", "b", policy=DWELL), fix(0, OUT), events("r unsatisfied 0 determination by 2"), fix(10, A),
       remove("a"), advance(100), events(), state("unknown", "r"))  # fmt: skip
tables("R66 a removed rule takes its waiting events with it", a(), rule("r", "any", "a"), fix(0, A), remove("r"),
       events(), rule("r", "none", "a"), events("r unsatisfied 0 determination"), record("r", generation=3))  # fmt: skip
tables("R67 ensure: the same meaning is the same rule", a(), b(), rule("r", "all", "a", "b"), fix(0, A),
       events("r unsatisfied 0 determination by 2"), ensured(rule("r", "all", "b", "a")),
       ensured(rule("r", "at_least", "a", "b", of=2)), record("r", generation=3, condition={"rule": {"all": ["a", "b"]}}),
       ensured(rule("r", "any", "a", "b")), record("r", generation=4, condition={"rule": {"any": ["a", "b"]}}),
       events("r satisfied 0 determination"), ensured(rule("r", "any", "a", "b", policy=DWELL)),
       record("r", generation=5))  # fmt: skip
tables("R68 sync is one instant for rules: the rules see only its result", a(), b(), rule("r", "all", "a", "b"),
       fix(0, A), events("r unsatisfied 0 determination by 2"), {"sync": [member(part("b", A)), member(part("a", OUT)),
       member(rule("r", "all", "a", "b"))]}, events(), record("r", generation=3),
       state("unsatisfied", "r", "a"))  # fmt: skip
tables("R69 sync may turn rules round", a(), rule("r1", "any", "r2"), rule("r2", "any", "a"), fix(0, A),
       events("r2 satisfied 0 determination by 1", "r1 satisfied 0 determination by 3"),
       {"sync": [member(rule("r2", "none", "r1")), member(rule("r1", "none", "a")), member(a())]},
       events("r1 unsatisfied 0 determination", "r2 satisfied 0 determination by 5"))  # fmt: skip
tables("R70 the description of each kind of rule", rule("r1", "all", "a", "b"), rule("r2", "any", "a"),
       rule("r3", "none", "b", "a"), rule("r4", "at_least", "a", "b", "c", of=2),
       record("r1", condition={"rule": {"all": ["a", "b"]}}), record("r2", condition={"rule": {"any": ["a"]}}),
       record("r3", condition={"rule": {"none": ["b", "a"]}}),
       record("r4", condition={"rule": {"at_least": 2, "of": ["a", "b", "c"]}}, state="unknown", decided_by=None))  # fmt: skip
tables("R71 questions do not list rules", a(), rule("r", "any", "a"), fix(0, A),
       {"containing": {"latitude": 0, "longitude": 0}, "are": [{"identifier": "a"}]},
       {"nearest": {"latitude": 0, "longitude": 0, "count": 5}, "are": [{"identifier": "a"}]},
       {"identifiers": ["a", "r"]})  # fmt: skip
tables("R72 explain lists the state of each part, as the rule counts it", a(), b((100, 200)), beacon(),
       rule("r", "at_least", "a", "b", "k", "x", of=2), fix(0, A), explained("r", "parts"),
       state("unknown", "b", "k", "r"))  # fmt: skip
tables("R73 explain while a rule dwells", a(), rule("r", "any", "a", policy=DWELL), fix(0, OUT), fix(10, A),
       advance(12), explained("r", "dwelling"), **ALONE)  # fmt: skip
tables("R74 rewind: undetermined without an event until the next instant", a(), rule("r", "any", "a", policy=DWELL),
       fix(0, OUT), events("r unsatisfied 0 determination by 1"), fix(10, A), {"rewind": 5}, state("unknown", "a", "r"),
       advance(40), events(), fix(50, OUT), events(), {"rewind": 45}, fix(50, A),
       events("r satisfied 50 determination by 1"))  # fmt: skip
tables("R75 after rewind, an inactive part decides at the next instant", a((0, 10)), rule("r", "none", "a"), fix(5, A),
       events("r unsatisfied 5 determination by 1"), advance(20), events("r satisfied 10 crossing by 1"), {"rewind": 15}, state("unknown", "a", "r"), events(),
       advance(16), events(), state("satisfied", "r"))  # fmt: skip
tables("R76 a restart changes nothing", a(), rule("r", "any", "a", policy=DWELL), fix(0, OUT), {"restart": True},
       events("r unsatisfied 0 determination by 1"), fix(10, A), {"restart": True}, advance(30), {"restart": True},
       events("r satisfied 30 crossing by 1"), **ALONE)  # fmt: skip
tables("R77 the tag of an event is the rule's", a(tag=1), rule("r", "any", "a", tag=7), fix(0, A),
       {"next": {"identifier": "r", "tag": 7, "generation": 2, "decided_by": 1}}, **ALONE)  # fmt: skip

# The limit -----------------------------------------------------------------------------------------------------------

limits("R78 a rule takes no place under the limit", rule("r", "any", "a", "b"), a(), rule("r2", "all", "a"), b(),
       part("c", O), fix(0, A), {"next": {"identifier": "c", "state": "unmonitored"}},
       events("r satisfied 0 determination by 4", "r2 satisfied 0 determination by 2"), condition_limit=2)  # fmt: skip
limits("R79 a part beyond the limit is unknown", a(), b(), rule("r", "all", "a", "b"),
       {"next": {"identifier": "b", "state": "unmonitored"}}, fix(0, AB), events(), state("unknown", "b", "r"),
       fix(10, OUT), events("r unsatisfied 10 determination by 1"), condition_limit=1)  # fmt: skip
limits("R80 a rule that replaces a condition gives its place up, and the other way round", a(), b(),
       {"next": {"identifier": "b", "state": "unmonitored"}}, rule("a", "none", "b"), fix(0, B),
       state("satisfied", "b"), {"next": {"identifier": "a", "state": "unsatisfied", "decided_by": 2}},
       a(), {"next": {"identifier": "a", "state": "unmonitored"}}, {"next": None}, condition_limit=1)  # fmt: skip

# Schedules -----------------------------------------------------------------------------------------------------------

timings("R81 an inactive part is unsatisfied: an end is an exit of the rule", a((0, 50)), b(), rule("r", "any", "a", "b"),
        fix(10, A), events("r satisfied 10 determination by 2"), advance(50),
        events("r unsatisfied 50 crossing by 1"), **ALONE)  # fmt: skip
timings("R82 a start makes the part unknown, and so the rule, until a fix", a((50, 100)), rule("r", "none", "a"),
        fix(10, A), events("r satisfied 10 determination"), advance(50), events(), state("unknown", "a", "r"), fix(60, A),
        events("r unsatisfied 60 determination by 1"), **ALONE)  # fmt: skip
timings("R83 a start that looks back is one instant with the rule", a((50, 100)), rule("r", "any", "a"), fix(10, A),
        events("r unsatisfied 10 determination"), advance(50), events("r satisfied 50 crossing by 1"))  # fmt: skip
timings("R84 an inactive part is unsatisfied also while the host suspends", a((50, 100)), rule("r", "any", "a"),
        fix(0, A), events("r unsatisfied 0 determination"), host(10, "accuracy_limited"),
        events("a unsatisfied 10 diagnostic accuracy_limited+inactive"), state("unsatisfied", "r"))  # fmt: skip
timings("R85 a rule that is inactive: unknown itself, unsatisfied as a part; its start tells its state", a(),
        rule("r1", "any", "a", active=[[0, 50], [100, 200]]), rule("r2", "none", "r1"), fix(10, A),
        events("r1 satisfied 10 determination by 1", "r2 unsatisfied 10 determination by 2"), advance(60),
        events("r2 satisfied 50 crossing by 2"), state("unknown", "r1"), explained("r1", "inactive"), advance(100),
        events("r1 satisfied 100 determination", "r2 unsatisfied 100 crossing by 2"))  # fmt: skip
timings("R86 a candidate of a rule is gone at its end, also one that is due then", a(),
        rule("r", "any", "a", active=[[0, 30]], policy=DWELL), fix(0, OUT), events("r unsatisfied 0 determination by 1"),
        fix(10, A), advance(100), events(), **ALONE)  # fmt: skip
timings("R87 an end and a start of two parts at one time: the rule sees only the result", a((0, 50)),
        part("c", O, active=[[50, 100]]), rule("r", "any", "a", "c"), fix(10, A),
        events("r satisfied 10 determination by 1"), advance(60), events(), state("satisfied", "c", "r"))  # fmt: skip
timings("R88 repeats of a rule count from its evidence, after its other changes", a(policy=LATE),
        rule("r", "any", "a", repeat_every=15), fix(0, OUT), fix(10, A), advance(60),
        events("r unsatisfied 0 determination by 1", "r satisfied 30 crossing by 1", "r satisfied 40 repeat",
        "r satisfied 55 repeat"), fix(60, OUT), advance(90), events("r satisfied 70 repeat",
        "r unsatisfied 80 crossing by 1"), **ALONE)  # fmt: skip
timings("R89 repeats without evidence count from the change", a(), fix(0, A), advance(7),
        rule("r", "any", "a", repeat_every=10, repeat_limit=2), advance(60), events("r satisfied 7 determination",
        "r satisfied 17 repeat", "r satisfied 27 repeat"))  # fmt: skip
timings("R90 after so many events a rule is inactive", a(), rule("r", "any", "a", max_events=2), rule("r2", "any", "r"),
        fix(0, A), events("r satisfied 0 determination by 1", "r2 satisfied 0 determination by 2"), fix(10, OUT),
        events("r unsatisfied 10 crossing by 1 inactive+exhausted", "r2 unsatisfied 10 crossing by 2"), fix(20, A),
        events(), state("unknown", "r"), explained("r", "inactive"), **ALONE)  # fmt: skip
timings("R91 a part that is exhausted by its event is inactive at the end of the instant",
        a(policy="exact", max_events=1), rule("r", "any", "a"), fix(0, OUT), events("r unsatisfied 0 determination by 1"),
        fix(10, A), events("a satisfied 10 crossing inactive+exhausted"), fix(20, OUT), events(), **ALONE)  # fmt: skip
timings("R92 the same with exits first", a(policy="exact", max_events=1), rule("r", "any", "a"), fix(0, OUT),
        events("r unsatisfied 0 determination by 1"), fix(10, A), events("a satisfied 10 crossing inactive+exhausted"),
        order="exits_first", **ALONE)  # fmt: skip
timings("R93 a shape that is absent decides", a(absent_after=30, assuming="unknown"), rule("r", "none", "a"), advance(0),
        advance(100), events("r satisfied 30 determination by 1"), **ALONE)  # fmt: skip
timings("R94 a flag of the end of a list is the part's", a((0, 50), active_until=60), rule("r", "any", "a"), fix(0, A),
        events("r satisfied 0 determination by 1"), advance(100), events("r unsatisfied 50 crossing by 1",
        "a satisfied 60 diagnostic inactive+schedule_ended"))  # fmt: skip
timings("R95 another list of a part is an edge", a((0, 100)), rule("r", "any", "a"), fix(10, A),
        events("r satisfied 10 determination by 1"), ensured(a((0, 5))),
        events("r unsatisfied 10 crossing by 1"))  # fmt: skip

timings("R116 a replacement that is inactive cancels what is due, also without another input", a(), b(),
        rule("r", "any", "a", "b", policy=DWELL), fix(0, OUT), events("r unsatisfied 0 determination by 2"), fix(10, A),
        a((1000, 2000)), advance(100), events(), state("unsatisfied", "b", "r"), **ALONE)  # fmt: skip
timings("R117 a monitor that looks back looks at a rule at its start, also between two inputs", a(),
        rule("r", "any", "a", active=[[50, 200]], repeat_every=20), fix(0, A), fix(100, A),
        events("r satisfied 50 determination", "r satisfied 70 repeat", "r satisfied 90 repeat"))  # fmt: skip
timings("R118 a rule around one that starts between two inputs sees it at the start", a(),
        rule("r1", "any", "a", active=[[50, 200]]), rule("r2", "any", "r1"), fix(0, A), advance(100),
        events("r2 unsatisfied 0 determination", "r1 satisfied 50 determination",
        "r2 satisfied 50 crossing by 2"))  # fmt: skip
timings("R119 a monitor that never looks back looks at a rule that has started at the next input", a(),
        rule("r", "any", "a", active=[[50, 200]]), fix(0, A), advance(100), events(), fix(110, A),
        events("r satisfied 110 determination"), **ALONE)  # fmt: skip

# Delivery ------------------------------------------------------------------------------------------------------------

delivery("R96 `first`: what changed while an event waited is told at the commit", a(), rule("r", "any", "a"), fix(0, A),
         fix(10, OUT), fix(20, A), fix(30, OUT), events("r satisfied 0 determination by 1",
         "r unsatisfied 30 crossing by 1"), delivery="first")  # fmt: skip
delivery("R97 `latest`: only the last is told", a(), rule("r", "any", "a"), fix(0, A), fix(10, OUT),
         events("r unsatisfied 10 crossing by 1"), delivery="latest")  # fmt: skip
delivery("R98 `first`: a part that is exhausted at a commit is inactive from then on, at the clock", a(policy="exact",
         max_events=2, assuming="unknown"), rule("r", "none", "a"), fix(0, OUT), fix(10, A), advance(15),
         {"next": {"identifier": "a", "state": "unsatisfied"}},
         {"next": {"identifier": "r", "state": "satisfied", "date": 0}},
         {"next": {"identifier": "a", "state": "satisfied", "date": 10, "diagnostics": ["inactive", "exhausted"]}},
         {"next": None}, state("satisfied", "r"), delivery="first")  # fmt: skip
delivery("R99 a rule waits in the queue like any other condition", a(), rule("r", "any", "a"), fix(0, A),
         {"refused": "queue_full", "step": fix(10, OUT)}, events("r satisfied 0 determination by 1"), fix(10, OUT),
         events("r unsatisfied 10 crossing by 1"), max_pending_events=1, **ALONE)  # fmt: skip

# Paths ---------------------------------------------------------------------------------------------------------------

WAY = {"path": "geodesic", "max_gap": 600, "initial_fix_max_age": None}
ways("R100 on the way each place is an instant", part("a", O), part("b", at(150)), rule("r1", "any", "a", "b"),
     rule("r2", "all", "a", "b"), fix(0, at(-1000)), fix(200, at(1000)), events("r1 unsatisfied 0 determination by 2",
     "r2 unsatisfied 0 determination by 2", "r1 satisfied 90 crossing by 1", "r2 satisfied 105 crossing by 2",
     "r2 unsatisfied 110 crossing by 1", "r1 unsatisfied 125 crossing by 2"), **WAY)  # fmt: skip
ways("R101 a dwell of a rule on the way", part("a", O), rule("r", "any", "a", policy={**EXACT, "entry_dwell": 15,
     "exit_dwell": 5}), fix(0, at(-1000)), fix(200, at(1000)), events("r unsatisfied 0 determination by 1",
     "r satisfied 105 crossing by 1", "r unsatisfied 115 crossing by 1"), **WAY)  # fmt: skip
ways("R102 a crossing on the way that is shorter than the dwell is none", part("a", O),
     rule("r", "any", "a", policy=DWELL), fix(0, at(-1000)), fix(100, at(1000)),
     events("r unsatisfied 0 determination by 1"), **WAY)  # fmt: skip
ways("R103 a rule tells a gap if a position after it decides", part("a", O), rule("r", "any", "a"), fix(0, OUT),
     fix(1000, A), events("r unsatisfied 0 determination by 1", "r satisfied 1000 crossing by 1 gap"), fix(2000, A),
     fix(2001, OUT), {"next": {"identifier": "r", "state": "unsatisfied", "gap": True}}, **WAY)  # fmt: skip
EDGE = 100.000005  # not passed at a microsecond, so that a boundary and a gate there are crossed at the same one
ways("R104 gates are told before rules", circle("a", O, EDGE, SILENT),
     gate("g", (EDGE / A_DEGREE, -0.01), (EDGE / A_DEGREE, 0.01)), rule("r", "none", "a"), fix(0, O), fix(100, at(1000)),
     {"next": {"identifier": "r", "state": "unsatisfied"}}, {"next": {"identifier": "g", "date": 10.000001}},
     {"next": {"identifier": "r", "state": "satisfied", "date": 10.000001}}, {"next": None}, **WAY)  # fmt: skip

# Refused -------------------------------------------------------------------------------------------------------------


def refused(reason: str, step: Any, **place: Any) -> Any:
    return {"refused": "invalid_argument", "reason": reason, **({"at": place} if place else {}), "step": step}


def other(step: Any) -> Any:
    return {"refused": "invalid_argument", "step": step}


refuses("R105 parts", refused("no_parts", rule("r", "all")), refused("no_parts", rule("r", "at_least", of=1)),
        refused("duplicate", rule("r", "any", "a", "b", "a"), part=2),
        refused("identifier", rule("r", "any", "a", ""), part=1),
        refused("too_many_parts", rule("r", "any", *(f"p{n}" for n in range(1001)))), {"identifiers": []},
        rule("r", "any", *(f"p{n}" for n in range(1000))), {"identifiers": ["r"]})  # fmt: skip
refuses("R106 numbers", *(refused("count", rule("r", "at_least", "a", "b", of=k)) for k in (0, 3, -1)),
        {"identifiers": []})  # fmt: skip
refuses("R107 a rule of itself", refused("cycle", rule("r", "any", "a", "r"), identifiers=["r", "r"]),
        {"identifiers": []})  # fmt: skip
refuses("R108 whichever add closes a cycle is refused, and changes nothing", a(), rule("r1", "any", "r2"),
        rule("r3", "any", "r1", "a"), refused("cycle", rule("r2", "all", "a", "r3"), identifiers=["r2", "r3", "r1", "r2"]),
        {"identifiers": ["a", "r1", "r3"]}, rule("r2", "any", "a"),
        refused("cycle", ensured(rule("r2", "none", "r1")), identifiers=["r2", "r1", "r2"]),
        record("r2", generation=4), fix(0, A), events("r2 satisfied 0 determination by 1",
        "r1 satisfied 0 determination by 4", "r3 satisfied 0 determination by 2"))  # fmt: skip
refuses("R109 a shape cannot become a rule of a rule that contains it", a(), rule("r", "any", "a"),
        refused("cycle", rule("a", "none", "r"), identifiers=["a", "r", "a"]), record("a", generation=1))  # fmt: skip
refuses("R110 a set with a cycle is refused as a whole", a(), refused("cycle", {"sync": [member(rule("r1", "any", "r2")),
        member(b()), member(rule("r2", "any", "r1"))]}), {"identifiers": ["a"]})  # fmt: skip
refuses("R111 depth 9", *(rule(f"r{n}", "any", f"r{n - 1}") for n in range(1, 9)),
        refused("depth", rule("r9", "any", "r8")), refused("depth", rule("r0", "any", "a")), a(),
        {"identifiers": [*(f"r{n}" for n in range(1, 9)), "a"]}, remove("r4"), rule("r9", "any", "r8"),
        refused("depth", rule("r4", "any", "r3")), {"next": None})  # fmt: skip
GATE = gate("g", (0, -0.01), (0, 0.01))
refuses("R112 a gate is not a part, whichever is added first", GATE, refused("gate", rule("r", "any", "a", "g"), part=1),
        {"identifiers": ["g"]}, rule("r", "any", "h"), refused("gate", {**GATE, "add": "h"}), {"identifiers": ["g", "r"]},
        refused("gate", {"sync": [member(GATE), member(rule("r", "any", "g"))]}), {"identifiers": ["g", "r"]},
        **WAY)  # fmt: skip
refuses("R113 options that rules do not have", other(rule("r", "any", "a", absent_after=10)),
        other(rule("r", "any", "a", policy={**EXACT, "dwell_policy": "evidence"})),
        other(rule("r", "any", "a", policy="sharp")), other(rule("r", "any", "a", assuming="unmonitored")),
        {"identifiers": []})  # fmt: skip
refuses("R114 a host cannot do without rules", rule("r", "any", "a"),
        other({"host": {"unsupported": ["rule"]}, "time": 0}), {"identifiers": ["r"]})  # fmt: skip

# Fleets --------------------------------------------------------------------------------------------------------------


def of(device: str, step: Any) -> Any:
    return {"device": device, **step}


def told(*meant: str) -> list[Any]:
    """The next events of a fleet, each as "device identifier state date cause decided_by", and that there are no more."""
    found: list[Any] = []
    for text in meant:
        device, identifier, state_of, date, cause, *by = text.split()
        event = {"device": device, "identifier": identifier, "state": state_of, "date": int(date), "cause": cause}
        found.append({"next": event | {"decided_by": int(by[0]) if by else None}})
    return [*found, {"next": None}]


def fleet(name: str, *steps: Any, **options: Any) -> dict[str, Any]:
    flat = [step for each in steps for step in (each if isinstance(each, list) else [each])]
    return {"name": name, "fleet": options, "steps": flat}


OF_FLEETS: list[dict[str, Any]] = [
    fleet("R120F each device has its own states", a(), b(), rule("r", "all", "a", "b"), of("x", fix(0, AB)),
          of("y", fix(0, A)), told("x r satisfied 0 determination 2"), of("y", fix(10, AB)), of("x", fix(10, B)),
          told("y r satisfied 10 crossing 2", "x r unsatisfied 10 crossing 1")),
    fleet("R121F a rule is assumed to be unsatisfied, so `none` reports at the first fix", a(), rule("r1", "any", "a"),
          rule("r2", "none", "a"), of("x", fix(0, OUT)), told("x r2 satisfied 0 determination 1"),
          of("y", fix(5, A)), told("y r1 satisfied 5 determination 1")),
    fleet("R122F an added rule is looked at at the next input of each device, not by an advance of the fleet", a(),
          of("x", fix(0, A)), of("y", fix(0, A)), rule("r", "any", "a"), told(), {"advance": 10}, told(),
          of("x", fix(20, at(0))), told("x r satisfied 20 determination"), of("y", fix(30, OUT)), told(),
          of("y", fix(40, A)), told("y r satisfied 40 crossing 1")),
    fleet("R123F a part that is removed is unknown for all devices", a(), b(), rule("r", "any", "a", "b"),
          of("x", fix(0, A)), of("y", fix(0, B)),
          told("x r satisfied 0 determination 2", "y r satisfied 0 determination 2"), {"remove": "a"},
          of("x", state("unknown", "r")), of("y", state("satisfied", "b", "r")), of("x", fix(10, B)), told(),
          of("x", fix(20, OUT)), told(), of("x", state("unknown", "r"))),
    fleet("R124F an advance of the fleet: by time, then by device, then rules after their parts",
          a(policy=DWELL), rule("r", "any", "a"), of("x", fix(0, OUT)), of("y", fix(0, OUT)), of("x", fix(10, A)),
          of("y", fix(10, A)), told(), {"advance": 100}, told("x a satisfied 30 crossing", "x r satisfied 30 crossing 1",
          "y a satisfied 30 crossing", "y r satisfied 30 crossing 1")),
    fleet("R125F a dwell of a rule passes with the fleet's time", a(), rule("r", "any", "a", policy=DWELL),
          of("x", fix(0, OUT)), of("x", fix(10, A)), of("y", fix(15, A)), told("y r satisfied 15 determination 1"),
          {"advance": 30}, told("x r satisfied 30 crossing 1")),
    fleet("R126F a candidate is gone when its part is removed, also without another input of the device", a(),
          rule("r", "any", "a", policy=DWELL), of("x", fix(0, OUT)), of("x", fix(10, A)), {"remove": "a"},
          {"advance": 100}, told(), of("x", state("unknown", "r"))),
    fleet("R127F the rules that a device satisfies are among its conditions", a(), b(), rule("r1", "none", "b"),
          rule("r2", "all", "a", "b"), of("x", fix(7, A)), {"inside": "x", "are": [
          {"identifier": "a", "since": 7, "evidence_date": 7}, {"identifier": "r1", "since": 7, "evidence_date": 7}]}),
    fleet("R128F a beacon that is assumed absent decides when its absence is known", a(), beacon(),
          rule("r", "none", "a", "k"), of("x", fix(0, OUT)), told(), {"advance": 30},
          told("x r satisfied 30 determination 2"), of("x", see(40)), told("x r unsatisfied 40 crossing 2"),
          {"advance": 70}, told("x r satisfied 70 crossing 2")),
    fleet("R129F a device that moves takes the states of its rules with it", {"share": "other"}, a(),
          rule("r", "any", "a", policy=DWELL), of("x", fix(0, OUT)), of("x", fix(10, A)), {"move": "x", "to": "other"},
          {"fleet": "other", "advance": 30},
          {"fleet": "other", "next": {"device": "x", "identifier": "r", "state": "satisfied", "date": 30}}),
    fleet("R130F a cycle is refused by the table", rule("r1", "any", "r2"),
          {"refused": "invalid_argument", "step": rule("r2", "any", "r1")}, {"identifiers": ["r1"]}),
    fleet("R131F explain lists the parts of a device", a(), b(), rule("r", "any", "a", "b", "x"), of("x", fix(0, A)),
          of("x", {"explain": "r", "is": {"reason": "parts", "parts": [{"identifier": "a", "state": "satisfied"},
          {"identifier": "b", "state": "unsatisfied"}, {"identifier": "x", "state": "unknown"}]}})),
    fleet("R140F an end of the hours of a part changes a rule at its time, between the inputs of a device", a((0, 50)),
          rule("r1", "any", "a"), rule("r2", "none", "a"), of("x", fix(0, A)), of("y", fix(0, OUT)),
          told("x r1 satisfied 0 determination 1", "y r2 satisfied 0 determination"), {"advance": 60},
          told("x r1 unsatisfied 50 crossing 1", "x r2 satisfied 50 crossing 1"), of("x", state("unsatisfied", "r1"))),
    fleet("R141F a start of a part makes a rule unknown until the next fix of the device", a((50, 100)),
          rule("r", "any", "a"), of("x", fix(0, A)), {"advance": 60}, told(), of("x", state("unknown", "a", "r")),
          of("x", fix(70, A)), told("x r satisfied 70 determination 1"), {"advance": 120},
          told("x r unsatisfied 100 crossing 1")),
    fleet("R142F a dwell of a rule begins at the end of its part", a((0, 50)), rule("r", "any", "a", policy=DWELL),
          of("x", fix(0, A)), told("x r satisfied 0 determination 1"), {"advance": 60}, told(), {"advance": 200},
          told("x r unsatisfied 70 crossing 1")),
    fleet("R143F a rule with hours: its end is the end of a part, and its start waits for the next input of a device", a(),
          rule("r1", "any", "a", active=[[0, 50], [100, 200]]), rule("r2", "none", "r1"), of("x", fix(10, A)),
          of("y", fix(10, OUT)), told("x r1 satisfied 10 determination 1", "y r2 satisfied 10 determination"),
          {"advance": 60}, told("x r2 satisfied 50 crossing 2"), of("x", state("unknown", "r1")),
          of("x", {"explain": "r1", "is": {"reason": "inactive"}}), {"advance": 110}, told(),
          of("x", state("unknown", "r1", "r2")), of("x", fix(120, A)),
          told("x r1 satisfied 120 determination", "x r2 unsatisfied 120 determination 2")),
    fleet("R144F a rule repeats for each device that satisfies it", a(), rule("r", "any", "a", repeat_every=15),
          of("x", fix(10, A)), of("y", fix(12, OUT)), of("z", fix(20, A)), {"advance": 45},
          told("x r satisfied 10 determination 1", "z r satisfied 20 determination 1", "x r satisfied 25 repeat",
          "z r satisfied 35 repeat", "x r satisfied 40 repeat"), of("x", fix(50, OUT)), {"advance": 60},
          told("x r unsatisfied 50 crossing 1", "z r satisfied 50 repeat")),
    fleet("R145F after so many events, a rule is inactive for one device", a(), rule("r", "any", "a", max_events=2),
          rule("r2", "any", "r"), of("x", fix(0, A)), of("x", fix(10, OUT)), of("x", fix(20, A)), of("y", fix(30, A)),
          told("x r satisfied 0 determination 1", "x r2 satisfied 0 determination 2", "x r unsatisfied 10 crossing 1",
          "x r2 unsatisfied 10 crossing 2", "y r satisfied 30 determination 1", "y r2 satisfied 30 determination 2"),
          of("x", state("unknown", "r"))),
    fleet("R146F a candidate of a rule is gone at its end, also one that is due then", a(),
          rule("r", "any", "a", active=[[0, 30]], policy=DWELL), of("x", fix(0, OUT)), of("x", fix(10, A)),
          {"advance": 100}, told(), of("x", state("unknown", "r"))),
    fleet("R147F a device that moves takes its counts and repeats with it", {"share": "other"}, a(),
          rule("r", "any", "a", repeat_every=10, max_events=3), of("x", fix(0, A)), {"advance": 10},
          told("x r satisfied 0 determination 1", "x r satisfied 10 repeat"), {"move": "x", "to": "other"},
          {"fleet": "other", "advance": 50},
          {"fleet": "other", "next": {"device": "x", "identifier": "r", "cause": "repeat", "date": 20}},
          {"fleet": "other", "next": None}),
    fleet("R148F a replaced part leaves a rule without repeats until the next input", a(), rule("r", "any", "a",
          repeat_every=10), of("x", fix(0, A)), told("x r satisfied 0 determination 1"), a(policy="exact"), {"advance": 30},
          told(), of("x", fix(40, OUT)), of("x", fix(41, A)), told("x r unsatisfied 40 determination 3", "x a satisfied 41 crossing", "x r satisfied 41 crossing 3")),
]  # fmt: skip
