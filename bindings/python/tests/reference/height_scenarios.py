"""Scenarios of heights: the steps and the expected events. generate_height_scenarios.py fills in the numbers.

Positions are on the equator, in metres east of Greenwich. Unless a scenario says otherwise, a circle `c` has a radius
of 1000 m around Greenwich, the policy `exact`, and a band from 100 m to 200 m above the ellipsoid.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gate_scenarios import gate
from generate_height_scenarios import explained
from generate_shape_scenarios import FILES, add, events, polygon, scenario
from path_scenarios import BEACON, SEEN, O, at, circle

FILES.clear()  # the imports of the other modules have added their scenarios to FILES

IN, OUT = at(10), at(5000)
EXACT = {"entry_dwell": 0, "exit_dwell": 0, "entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0,
         "vertical_margin": 0}  # fmt: skip
MARGIN = {**EXACT, "vertical_margin": 10}
WEIGHTED = {**EXACT, "accuracy_factor": 1}
DWELL = {**EXACT, "entry_dwell": 20, "exit_dwell": 20}
PROBABLE = {**MARGIN, "entry_probability": 0.99, "exit_probability": 0.01}
BAND = {"min": 100, "max": 200}
MSL = {"min": 100, "max": 200, "min_reference": "mean_sea_level", "max_reference": "mean_sea_level"}
GROUND = {"min": 0, "max": 120, "min_reference": "ground", "max_reference": "ground"}
decides = partial(scenario, "decisive")
references = partial(scenario, "references")
missing = partial(scenario, "missing")
coarse = partial(scenario, "coarse")
starts = partial(scenario, "undetermined")
margins = partial(scenario, "margins")
dwells = partial(scenario, "dwells")
delivered = partial(scenario, "delivery")
asked = partial(scenario, "explain")
rules = partial(scenario, "definitions")
questions = partial(scenario, "questions")
ways = partial(scenario, "paths", path="geodesic", max_gap=600)


def c(band: Any = BAND, policy: Any = EXACT, identifier: str = "c", **rest: Any) -> Any:
    """A circle with a band; None means no band."""
    given = {} if band is None else {"band": band}
    return circle(
        identifier, rest.pop("centre", O), rest.pop("radius", 1000), policy, **{"assuming": "unknown", **rest}, **given
    )


def band(low: Any, high: Any, low_reference: str = "ellipsoid", high_reference: str | None = None) -> Any:
    return {"min": low, "max": high, "min_reference": low_reference,
            "max_reference": low_reference if high_reference is None else high_reference}  # fmt: skip


def fix(
    time: float, at: Any, altitude: Any = None, va: Any = None, *, a: Any = None, n: Any = None, g: Any = None
) -> Any:
    """A fix with an altitude, its accuracy, the accuracy, and the heights of the geoid and the ground."""
    values = {"time": time, "latitude": at[0], "longitude": at[1]}
    names = ("accuracy", "altitude", "vertical_accuracy", "geoid_height", "ground_height")
    return {"fix": values | {name: one for name, one in zip(names, (a, altitude, va, n, g)) if one is not None}}


def ensured(step: Any) -> Any:
    rest = dict(step)
    return {"ensure": rest.pop("add"), **rest}


def refused(step: Any) -> Any:
    return {"refused": "invalid_argument", "step": step}


def advance(time: float) -> Any:
    return {"advance": time}


def in_state(state: str, *identifiers: str) -> Any:
    return {"identifiers_in_state": state, "are": list(identifiers)}


def record(identifier: str, **expected: Any) -> Any:
    return {"record": identifier, "is": expected}


# Decisive fixes ------------------------------------------------------------------------------------------------------

decides("V1 above, in the band, below, in it again", c(), fix(0, IN, 300), events("c unsatisfied 0 100"),
        fix(1, IN, 150), events("c satisfied 1 -50"), fix(2, IN, 50), events("c unsatisfied 2 50"), fix(3, IN, 101),
        events("c satisfied 3 -1"))  # fmt: skip
decides("V2 the limits belong to the band", c(), fix(0, IN, 200), events("c satisfied 0 0"), fix(1, IN, 200.001),
        events("c unsatisfied 1 0.001"), fix(2, IN, 100), events("c satisfied 2 0"), fix(3, IN, 99.999),
        events("c unsatisfied 3 0.001"))  # fmt: skip
decides("V3 beside the place at the right height, above the place at the wrong one", c(), fix(0, IN, 150),
        events("c satisfied 0 -50"), fix(1, OUT, 150), events("c unsatisfied 1 -50"), fix(2, OUT, 500), fix(3, IN, 500),
        events(), fix(4, IN, 150), events("c satisfied 4 -50"))  # fmt: skip
decides("V4 an infinite limit asks for no height", c(band("-inf", 120), identifier="low"),
        c(band(120, "inf"), identifier="high"), fix(0, IN, -4000),
        events("low satisfied 0 -4120", "high unsatisfied 0 4120"), fix(1, IN, 20000),
        events("low unsatisfied 1 19880", "high satisfied 1 -19880"))  # fmt: skip
decides("V5 without a band heights do not matter, and events have no V", c(None), fix(0, IN, 150),
        events("c satisfied 0 none"), fix(1, IN, 9000), events(), fix(2, OUT), events("c unsatisfied 2 none"),
        fix(3, IN, "nan", "nan", n="nan", g="nan"), events("c satisfied 3 none"))  # fmt: skip
decides("V6 places over each other: a lift", *(c(band(3 * k, 3 * k + 3), identifier=f"floor{k}") for k in range(3)),
        fix(0, IN, 1), events("floor0 satisfied 0 -1", "floor1 unsatisfied 0 2", "floor2 unsatisfied 0 5"),
        fix(10, IN, 7), events("floor0 unsatisfied 10 4", "floor2 satisfied 10 -1"), fix(20, IN, 3),
        events("floor0 satisfied 20 0", "floor1 satisfied 20 0", "floor2 unsatisfied 20 3"))  # fmt: skip
decides("V7 a polygon has a band, too",
        add("c", polygon([(-0.01, -0.01), (0.01, -0.01), (0.01, 0.01), (-0.01, 0.01)]), policy=EXACT, band=BAND),
        fix(0, IN, 150), events("c satisfied 0 -50"), fix(1, IN, 250), events("c unsatisfied 1 50"), fix(2, OUT, 150),
        events(), fix(3, at(0), 120), events("c satisfied 3 -20"))  # fmt: skip
decides("V8 a corridor has a band, too",
        add("c", {"corridor": {"coordinates": [[-0.01, 0], [0.01, 0]], "radius": 100}}, policy=EXACT, band=BAND),
        fix(0, IN, 150), events("c satisfied 0 -50"), fix(1, IN, 201), events("c unsatisfied 1 1"))  # fmt: skip
decides("V9 a negative altitude, and a band below the ellipsoid", c(band(-60, -20)), fix(0, IN, -40),
        events("c satisfied 0 -20"), fix(1, IN, -61), events("c unsatisfied 1 1"), fix(2, IN, -20),
        events("c satisfied 2 0"))  # fmt: skip

# References ----------------------------------------------------------------------------------------------------------

references("V10 above mean sea level: the altitude without the height of the geoid", c(MSL), fix(0, IN, 190, n=47.5),
           events("c satisfied 0 -42.5"), fix(1, IN, 190, n=-20), events("c unsatisfied 1 10"), fix(2, IN, 240, n=40),
           events("c satisfied 2 0"))  # fmt: skip
references("V11 above the ground: the altitude without the height of the ground", c(GROUND), fix(0, IN, 600, g=500),
           events("c satisfied 0 -20"), fix(1, IN, 600, g=300), events("c unsatisfied 1 180"), fix(2, IN, 299, g=300),
           events())  # fmt: skip
references("V12 each limit with its reference", c(band(100, 500, "ground", "mean_sea_level")),
           fix(0, IN, 500, n=50, g=380), events("c satisfied 0 -20"), fix(1, IN, 460, n=50, g=380),
           events("c unsatisfied 1 20"), fix(2, IN, 560, n=50, g=380), events(), fix(3, IN, 540, n=50, g=380),
           events("c satisfied 3 -10"))  # fmt: skip
references("V13 the ellipsoid and the ground", c(band(0, 120, "ellipsoid", "ground")), fix(0, IN, 50, g=-10),
           events("c satisfied 0 -50"), fix(1, IN, 130, g=-10), events("c unsatisfied 1 20"), fix(2, IN, 130, g=30),
           events("c satisfied 2 -20"))  # fmt: skip
references("V14 where the upper limit is below the lower one, nothing is inside",
           c(band(100, 120, "ground", "mean_sea_level")), fix(0, IN, 150, n=0, g=60), events("c unsatisfied 0 30"),
           fix(1, IN, 140, n=0, g=60), events(), fix(2, IN, 140, n=0, g=10),
           events(), fix(3, IN, 115, n=0, g=10), events("c satisfied 3 -5"))  # fmt: skip
references(
    "V15 the same fix, three references",
    c(band(90, 110, "ellipsoid"), identifier="e"),
    c(band(90, 110, "mean_sea_level"), identifier="m"),
    c(band(90, 110, "ground"), identifier="g"),
    fix(0, IN, 100, n=30, g=5),
    events("e satisfied 0 -10", "m unsatisfied 0 20", "g satisfied 0 -5"),
    fix(1, IN, 130, n=30, g=5),
    events("e unsatisfied 1 20", "m satisfied 1 -10", "g unsatisfied 1 15"),
)

# Missing heights -----------------------------------------------------------------------------------------------------

missing("V16 without a height nothing changes within the footprint; outside of it all is known", c(), fix(0, IN),
        events(), in_state("unknown", "c"), fix(1, OUT), events("c unsatisfied 1 none"), fix(2, IN), events(),
        fix(3, IN, 150), events("c satisfied 3 -50"), fix(4, IN), events(), fix(5, OUT),
        events("c unsatisfied 5 none"))  # fmt: skip
missing("V17 NaN, and a vertical accuracy that is negative or NaN: no height", c(), fix(0, IN, 150),
        events("c satisfied 0 -50"), fix(1, IN, "nan"), fix(2, IN, 300, -1), fix(3, IN, 300, "nan"), events(),
        fix(4, IN, 300, 0), events("c unsatisfied 4 100"))  # fmt: skip
missing("V18 without the height of the geoid there is no height above the sea", c(MSL), fix(0, IN, 150, g=10), events(),
        in_state("unknown", "c"), fix(1, IN, 150, n=0), events("c satisfied 1 -50"), fix(2, IN, 900, g=3), events(),
        fix(3, IN, 900, n=3), events("c unsatisfied 3 697"))  # fmt: skip
missing("V19 without the height of the ground there is no height above the ground", c(GROUND), fix(0, IN, 50, n=10),
        events(), fix(1, IN, 50, g=10), events("c satisfied 1 -40"), fix(2, IN, 500, n=3), events())  # fmt: skip
missing(
    "V20 one limit is exceeded: outside, although the other height is missing",
    c(band(100, 500, "ground", "mean_sea_level")),
    fix(0, IN, 600, n=50),
    events("c unsatisfied 0 50"),
    fix(1, IN, 500, n=50),
    events(),
    fix(2, IN, 500, n=50, g=300),
    events("c satisfied 2 -50"),
    fix(3, IN, 560, g=500),
    events("c unsatisfied 3 40"),
    fix(4, IN, 490, n=50, g=350),
    events("c satisfied 4 -40"),
    fix(5, IN, 490, g=350),
    events(),
)
missing(
    "V21 an infinite limit needs no height: the ground is not asked for",
    c(band("-inf", 500, "ground", "ellipsoid")),
    fix(0, IN, 400),
    events("c satisfied 0 -100"),
    fix(1, IN, 501),
    events("c unsatisfied 1 1"),
)
missing("V22 an infinite altitude is missing", c(), fix(0, IN, "inf"), fix(1, IN, "-inf"), events(),
        in_state("unknown", "c"), c(MSL, identifier="m"), fix(2, IN, 150, n="inf"), events("c satisfied 2 -50"),
        in_state("unknown", "m"), {"statistics": {"invalid_fixes": 0, "late_inputs": 0}})  # fmt: skip
missing("V23 a fix without a height neither cancels a candidate nor keeps it from its deadline", c(policy=DWELL),
        fix(0, IN, 300), events("c unsatisfied 0 100"), fix(10, IN, 150), fix(20, IN), fix(25, IN, "nan", 3), events(),
        advance(30), events("c satisfied 30 -50"))  # fmt: skip
missing("V24 nor does it confirm one as evidence", c(policy={**DWELL, "dwell_policy": "evidence"}), fix(0, IN, 300),
        events("c unsatisfied 0 100"), fix(10, IN, 150), fix(40, IN), events(), fix(45, IN, 110),
        events("c satisfied 45 -50"))  # fmt: skip
missing("V25 outside by its position, a fix without a height cancels", c(policy=DWELL), fix(0, IN, 300),
        events("c unsatisfied 0 100"), fix(10, IN, 150), fix(20, OUT), advance(60), events())  # fmt: skip

# Coarse heights ------------------------------------------------------------------------------------------------------

coarse(
    "V26 a vertical accuracy above 100 m and above half the band is no height",
    c(policy=WEIGHTED, assuming="unsatisfied"),
    fix(0, IN, 150, 100.5),
    events(),
    in_state("unknown", "c"),
    fix(1, IN, 500, 100.5),
    events(),
    fix(2, IN, 150, 100),
    events("c satisfied 2 -50"),
    fix(3, IN, 900, 101),
    events(),
    fix(4, IN, 900, 99),
    events("c unsatisfied 4 700"),
)
coarse("V27 in a thick band, half of its thickness counts", c(band(0, 1000), policy=WEIGHTED), fix(0, IN, 400, 501),
       events(), fix(1, IN, 400, 500), events("c satisfied 1 -400"), fix(2, IN, 1700, 500.5), events(),
       fix(3, IN, 1700, 500), events("c unsatisfied 3 700"))  # fmt: skip
coarse(
    "V28 with an infinite limit no height is too coarse",
    c(band("-inf", 120), policy=WEIGHTED),
    fix(0, IN, 20, 5000),
    events("c satisfied 0 -100"),
    fix(1, IN, 5000, 5000),
    events(),
    fix(2, IN, 5121, 5000),
    events("c unsatisfied 2 5001"),
)
coarse("V29 with the factor 0 the vertical accuracy does not matter", c(policy=MARGIN), fix(0, IN, 150, 5000),
       events("c satisfied 0 -50"), fix(1, IN, 215, "inf"), events("c unsatisfied 1 15"))  # fmt: skip
coarse("V30 the thickness is that at the fix, and 0 if it is unknown",
       c(band(0, 1000, "ground", "mean_sea_level"), policy=WEIGHTED), fix(0, IN, 600, 450, n=0, g=200),
       events(), fix(1, IN, 600, 400, n=0, g=200), events("c satisfied 1 -400"), fix(2, IN, 1500, 300, n=0), events(),
       fix(3, IN, 1500, 100, n=0), events("c unsatisfied 3 500"))  # fmt: skip
coarse("V31 a coarse position and a fine height: outside by the height", c(policy=WEIGHTED), fix(0, IN, 150, 1, a=5000),
       events(), fix(1, IN, 300, 1, a=5000), events("c unsatisfied 1 100"), fix(2, IN, 150, 1, a=10),
       events("c satisfied 2 -50"), fix(3, IN, 300, 1, a=5000), events("c unsatisfied 3 100"))  # fmt: skip
coarse("V32 without a vertical accuracy (0) the height counts as exact", c(policy=WEIGHTED), fix(0, IN, 200, 0),
       events("c satisfied 0 0"), fix(1, IN, 200.5, 0), events("c unsatisfied 1 0.5"))  # fmt: skip

# Undetermined --------------------------------------------------------------------------------------------------------

starts("V33 by the side, whatever the margins", c(policy=MARGIN), fix(0, IN, 199, 5), events("c satisfied 0 -1"))
starts("V34 by the side, outside", c(policy="standard"), fix(0, IN, 201, 5), events("c unsatisfied 0 1"))
starts("V35 a too coarse fix says outside by its distance less its accuracy, too", c(policy=WEIGHTED),
       fix(0, at(5000), 150, 1, a=4500), events(), fix(1, at(5000), 150, 1, a=3900),
       events("c unsatisfied 1 -50"))  # fmt: skip
starts("V36 with probabilities: inside by both, outside by the height alone", c(policy=PROBABLE),
       c(policy=PROBABLE, identifier="d"), fix(0, at(950), 150, a=200), events(), fix(1, at(950), 201, a=200),
       events("c unsatisfied 1 1", "d unsatisfied 1 1"))  # fmt: skip
starts("V37 with probabilities: outside by the plane, without a height", c(policy=PROBABLE), fix(0, IN, a=10), events(),
       fix(1, at(1050), a=200), events(), fix(2, at(3000), a=200), events("c unsatisfied 2 none"))  # fmt: skip
starts("V38 with probabilities: inside", c(policy=PROBABLE), fix(0, IN, 199, a=50), events("c satisfied 0 -1"),
       fix(1, IN, 205, a=50), events(), fix(2, IN, 211, a=5000), events("c unsatisfied 2 11"))  # fmt: skip
starts("V39 the last fix and its height determine a condition that is added (looking back)", fix(0, IN, 150, 4, n=30),
       c(), events("c satisfied 0 -50"), c(MSL, identifier="m"), events("m satisfied 0 -20"), c(GROUND, identifier="g"),
       events(), in_state("unknown", "g"))  # fmt: skip

# Margins -------------------------------------------------------------------------------------------------------------

margins("V40 the vertical margin, both ways", c(policy=MARGIN), fix(0, IN, 300), events("c unsatisfied 0 100"),
        fix(1, IN, 191), events(), fix(2, IN, 190), events("c satisfied 2 -10"), fix(3, IN, 209.5), events(),
        fix(4, IN, 210), events("c unsatisfied 4 10"), fix(5, IN, 109), events(), fix(6, IN, 110),
        events("c satisfied 6 -10"), fix(7, IN, 90.5), events(), fix(8, IN, 90),
        events("c unsatisfied 8 10"))  # fmt: skip
margins("V41 the vertical accuracy counts with the factor", c(policy={**WEIGHTED, "accuracy_factor": 2}),
        fix(0, IN, 300), events("c unsatisfied 0 100"), fix(1, IN, 180, 10.5), events(), fix(2, IN, 180, 10),
        events("c satisfied 2 -20"), fix(3, IN, 230, 16), events(), fix(4, IN, 230, 15),
        events("c unsatisfied 4 30"))  # fmt: skip
margins(
    "V42 the larger of both",
    c(policy={**MARGIN, "accuracy_factor": 1}),
    fix(0, IN, 300),
    events("c unsatisfied 0 100"),
    fix(1, IN, 191, 2),
    events(),
    fix(2, IN, 188, 12),
    events("c satisfied 2 -12"),
    fix(3, IN, 209, 2),
    fix(4, IN, 211, 12),
    events(),
    fix(5, IN, 210, 2),
    events("c unsatisfied 5 10"),
)
margins("V43 inwards, at most half the thickness", c(band(0, 12), policy=MARGIN), fix(0, IN, 300),
        events("c unsatisfied 0 288"), fix(1, IN, 5), events(), fix(2, IN, 6), events("c satisfied 2 -6"),
        fix(3, IN, 21), events(), fix(4, IN, 22), events("c unsatisfied 4 10"))  # fmt: skip
margins("V44 the thickness at the fix, of two references", c(band(0, 100, "ground", "mean_sea_level"), policy=MARGIN),
        fix(0, IN, 300, n=20, g=20), events("c unsatisfied 0 180"), fix(1, IN, 115, n=20, g=20), events(),
        fix(2, IN, 115, n=20, g=110), events("c satisfied 2 -5"))  # fmt: skip
margins(
    "V45 in half a space the margin is whole",
    c(band(120, "inf"), policy={**MARGIN, "vertical_margin": 50}),
    fix(0, IN, 0),
    events("c unsatisfied 0 120"),
    fix(1, IN, 169),
    events(),
    fix(2, IN, 170),
    events("c satisfied 2 -50"),
    fix(3, IN, 71),
    events(),
    fix(4, IN, 70),
    events("c unsatisfied 4 50"),
)
margins("V46 both margins: inwards together, outwards one of them",
        c(policy={**MARGIN, "entry_margin": 50, "exit_margin": 50}), fix(0, IN, 300), events("c unsatisfied 0 100"),
        fix(1, at(960), 150), fix(2, IN, 195), events(), fix(3, at(900), 150), events("c satisfied 3 -50"),
        fix(4, at(1040), 205), events(), fix(5, at(1060), 195), events("c unsatisfied 5 -5"), fix(6, IN, 150),
        events("c satisfied 6 -50"), fix(7, at(1020), 215), events("c unsatisfied 7 15"))  # fmt: skip
margins("V47 the presets: standard 10 m, the others none",
        *(c(policy=name, identifier=name, assuming="unknown") for name in ("standard", "exact", "core_location")),
        fix(0, IN, 300), events(*(f"{name} unsatisfied 0 100" for name in ("standard", "exact", "core_location"))),
        fix(10, IN, 195), advance(40), events("exact satisfied 10 -5", "core_location satisfied 30 -5"),
        fix(50, IN, 185), advance(80), events("standard satisfied 70 -15"), fix(90, IN, 205), advance(120),
        events("exact unsatisfied 90 5", "core_location unsatisfied 110 5"), fix(130, IN, 215), advance(160),
        events("standard unsatisfied 150 15"))  # fmt: skip
margins("V48 the accuracy of the position does not count for the height, nor the other way round",
        c(policy={**WEIGHTED, "accuracy_factor": 1}), fix(0, IN, 300), events("c unsatisfied 0 100"),
        fix(1, IN, 199.5, 0.25, a=400), events("c satisfied 1 -0.5"), fix(2, at(1001), 150, 90, a=1),
        events("c unsatisfied 2 -50"))  # fmt: skip

# Dwells --------------------------------------------------------------------------------------------------------------

dwells("V49 the dwell belongs to the fix that opened the candidate, and so does V", c(policy=DWELL), fix(0, IN, 300),
       events("c unsatisfied 0 100"), fix(10, IN, 150), fix(20, IN, 110), advance(29.999999), events(), advance(30),
       events("c satisfied 30 -50"), fix(40, IN, 220), fix(50, OUT, 900), advance(60),
       events("c unsatisfied 60 20"))  # fmt: skip
dwells(
    "V50 back at the old height, the candidate is gone",
    c(policy=DWELL),
    fix(0, IN, 300),
    events("c unsatisfied 0 100"),
    fix(10, IN, 150),
    fix(20, IN, 201),
    advance(60),
    events(),
    fix(70, IN, 150),
    advance(90),
    events("c satisfied 90 -50"),
    fix(100, IN, 99),
    fix(110, IN, 100),
    advance(200),
    events(),
)
dwells("V51 within the margin on the other side a candidate stays", c(policy={**DWELL, "vertical_margin": 10}),
       fix(0, IN, 300), events("c unsatisfied 0 100"), fix(10, IN, 150), fix(20, IN, 199), advance(30),
       events("c satisfied 30 -50"))  # fmt: skip
dwells("V52 out by the height, then out by the position: one candidate", c(policy=DWELL), fix(0, IN, 150),
       events("c satisfied 0 -50"), fix(10, IN, 230), fix(20, OUT, 150), fix(25, OUT), advance(30),
       events("c unsatisfied 30 30"))  # fmt: skip
dwells("V53 as evidence: a fix on the new side after the dwell, by position or height",
       c(policy={**DWELL, "dwell_policy": "evidence"}), fix(0, IN, 150), events("c satisfied 0 -50"), fix(10, IN, 230),
       advance(60), events(), fix(70, OUT), events("c unsatisfied 70 30"), fix(80, IN, 150), fix(99.999999, IN, 150),
       events(), fix(100, IN, 200), events("c satisfied 100 -50"))  # fmt: skip
dwells("V54 a coarse position keeps nobody inside: the height decides", c(policy={**DWELL, "accuracy_factor": 1}),
       fix(0, IN, 150, 1, a=5), events("c satisfied 0 -50"), fix(10, IN, 300, 1, a=9000), advance(30),
       events("c unsatisfied 30 100"))  # fmt: skip

# Delivery, restarts --------------------------------------------------------------------------------------------------

delivered("V55 `latest` gives the last, with its V", c(), fix(0, IN, 150), fix(1, IN, 300), fix(2, IN, 190),
          events("c satisfied 2 -10"), fix(3, IN, 300), fix(4, IN, 400), events("c unsatisfied 3 100"),
          delivery="latest")  # fmt: skip
delivered("V56 `first` gives the first, then the present state", c(), fix(0, IN, 150), fix(1, IN, 300), fix(2, IN, 310),
          events("c satisfied 0 -50", "c unsatisfied 1 100"), delivery="first")  # fmt: skip
delivered("V57 the record keeps V", c(), fix(0, IN, 150), events("c satisfied 0 -50"),
          record("c", state="satisfied", vertical_distance=-50, band=band(100.0, 200.0)), fix(1, IN, 250),
          record("c", state="satisfied", vertical_distance=-50), events("c unsatisfied 1 50"),
          record("c", state="unsatisfied", vertical_distance=50))  # fmt: skip
delivered("V58 after a restart, what waits, a candidate and the last fix have their heights (looking back)",
          c(policy=DWELL), fix(0, IN, 150, 3, n=20, g=7), {"restart": True}, events("c satisfied 0 -50"),
          fix(10, IN, 212.5, 3, n=20, g=7), {"restart": True}, advance(30), {"restart": True},
          events("c unsatisfied 30 12.5"), c(MSL, identifier="m"), events("m satisfied 30 -7.5"), {"restart": True},
          c(band(0, 210, "ground"), identifier="g"), events("g satisfied 30 -4.5"))  # fmt: skip
delivered("V59 a change of the height while the host suspends is not seen", c(), fix(0, IN, 150),
          events("c satisfied 0 -50"), {"host": {"flags": ["authorization_denied"]}, "time": 5}, fix(10, IN, 300),
          {"next": {"state": "satisfied", "cause": "diagnostic", "vertical_distance": None}}, {"next": None},
          {"host": {"flags": []}, "time": 20}, {"next": {"state": "satisfied", "cause": "diagnostic"}}, {"next": None},
          fix(30, IN, 300), events("c unsatisfied 30 100"))  # fmt: skip
delivered("V60 after rewind the heights of the last fix are forgotten, too", c(), fix(10, IN, 150),
          events("c satisfied 10 -50"), {"rewind": 5}, fix(6, IN), events(), in_state("unknown", "c"), fix(7, IN, 150),
          events(), fix(8, IN, 99), events("c unsatisfied 8 1"))  # fmt: skip
delivered("V61 with `exits_first`, out of one floor before into the next", c(band(3, 6), identifier="a"),
          c(band(0, 3), identifier="b"), fix(0, IN, 1), events("a unsatisfied 0 2", "b satisfied 0 -1"), fix(1, IN, 5),
          events("b unsatisfied 1 2", "a satisfied 1 -1"), order="exits_first")  # fmt: skip
delivered("V62 a doubted fix changes no height", c(), fix(0, IN, 150), events("c satisfied 0 -50"),
          fix(1, at(90000), 900), {"statistics": {"doubted_fixes": 1}}, events(), explained("c", "inside"),
          fix(2, IN, 900), events("c unsatisfied 2 700"), plausible_speed=50)  # fmt: skip

# Explanations --------------------------------------------------------------------------------------------------------

asked(
    "V63 the reasons of a band",
    c(policy={**DWELL, "vertical_margin": 10}),
    explained("c", "no_fix_yet"),
    fix(0, IN),
    explained("c", "no_height"),
    fix(1, IN, 300),
    events("c unsatisfied 1 100"),
    explained("c", "outside"),
    fix(2, IN, 195),
    explained("c", "within_margin"),
    fix(3, IN),
    explained("c", "no_height"),
    fix(10, IN, 150),
    explained("c", "dwelling"),
    fix(15, IN),
    explained("c", "dwelling"),
    advance(30),
    events("c satisfied 30 -50"),
    explained("c", "no_height"),
    fix(40, IN, 120),
    explained("c", "inside"),
    fix(50, IN, 205),
    explained("c", "within_margin"),
    fix(60, OUT),
    explained("c", "dwelling"),
)
asked("V64 too coarse in the plane", c(policy=WEIGHTED), fix(0, IN, 150, a=5000), explained("c", "too_coarse"),
      fix(1, OUT, 150), events("c unsatisfied 1 -50"), explained("c", "outside"), fix(2, IN, 150, a=5000),
      explained("c", "too_coarse"), fix(3, IN, 199, 2, a=5000), explained("c", "within_margin"))  # fmt: skip
asked("V65 too coarse in height is no height", c(policy=WEIGHTED), fix(0, IN, 150, 101), explained("c", "no_height"),
      fix(1, IN, 150, 99), events("c satisfied 1 -50"), explained("c", "inside"), fix(2, IN, 150, 101),
      explained("c", "no_height"))  # fmt: skip
asked("V66 uncertain in the plane", c(policy=PROBABLE), fix(0, at(990), 150, a=200), explained("c", "uncertain"),
      fix(1, IN, 300, a=5), events("c unsatisfied 1 100"), fix(2, at(990), 150, a=200), explained("c", "uncertain"),
      fix(3, IN, 195, a=5), explained("c", "within_margin"), fix(4, IN, a=5), explained("c", "no_height"))  # fmt: skip
asked("V67 without a band there is no V", c(None), fix(0, IN, 150), events("c satisfied 0 none"),
      {"explain": "c", "is": {"reason": "inside", "vertical_distance": None}})  # fmt: skip

# Definitions ---------------------------------------------------------------------------------------------------------

rules("V68 refused bands", refused(c(band(200, 100))), refused(c(band(100, 100))), refused(c(band("nan", 100))),
      refused(c(band(0, "nan"))), refused(c(band("inf", "inf"))), refused(c(band("-inf", "-inf"))),
      refused(c(band("-inf", "inf"))), refused(c(band("inf", 100, "ground", "ellipsoid"))),
      refused(c(band(100, "-inf", "ground", "ellipsoid"))), refused(c(band(5, 5, "ground"))),
      {"identifiers": []})  # fmt: skip
rules("V69 of two references, the limits may have any order", c(band(200, 100, "ground", "mean_sea_level")),
      record("c", band=band(200.0, 100.0, "ground", "mean_sea_level")), c(band("-inf", 100), identifier="d"),
      record("d", band=band("-inf", 100.0)), c(None, identifier="e"), record("e", band=None))  # fmt: skip
rules("V70 only shapes have a band", refused({"add": "b", **BEACON, "band": BAND}),
      {"add": "b", **BEACON}, {"see": {"time": 0, "beacons": SEEN}}, events("b satisfied 0 none"),
      {"identifiers": ["b"]})  # fmt: skip
ways("V71 a gate has no band", refused({**gate("g", (0, -0.01), (0, 0.01)), "band": BAND}), {"identifiers": []})
rules("V72 refused margins", *(refused(c(policy={**EXACT, "vertical_margin": value})) for value in (-1, "nan", "inf")),
      c(policy={**EXACT, "vertical_margin": 1e6}), {"identifiers": ["c"]})  # fmt: skip
rules(
    "V73 ensure keeps limits that differ by half a metre",
    c(),
    fix(0, IN, 150),
    events("c satisfied 0 -50"),
    ensured(c(band(100.5, 199.5))),
    record("c", generation=1, band=band(100.0, 200.0)),
    ensured(c(band(100.625, 200))),
    record("c", generation=2, band=band(100.625, 200.0)),
    events("c satisfied 0 -49.375"),
    ensured(c(band(100.625, 199.25))),
    record("c", generation=3),
)
rules("V74 ensure compares references, infinite limits and whether there is a band", c(), ensured(c(MSL)),
      record("c", generation=2), ensured(c(MSL)), record("c", generation=2), ensured(c(None)),
      record("c", generation=3, band=None), ensured(c(band("-inf", 200))), record("c", generation=4),
      ensured(c(band("-inf", 200.25))), record("c", generation=4), ensured(c(band(-1e6, 200))),
      record("c", generation=5))  # fmt: skip
rules("V75 ensure compares the vertical margin", c(policy=MARGIN), ensured(c(policy=MARGIN)), record("c", generation=1),
      ensured(c(policy={**MARGIN, "vertical_margin": 10.001})), record("c", generation=2))  # fmt: skip
rules("V76 sync", c(), fix(0, IN, 150), events("c satisfied 0 -50"),
      {"sync": [{"identifier": "c", **{k: v for k, v in c(band(100.25, 200)).items() if k != "add"}},
                {"identifier": "d", **{k: v for k, v in c(MSL).items() if k != "add"}}]},
      record("c", generation=1), record("d", band=band(100.0, 200.0, "mean_sea_level")), fix(1, IN, 250, n=60),
      events("d satisfied 1 -10", "c unsatisfied 1 50"))  # fmt: skip
rules("V77 a replacement begins anew, and the last fix decides it at its height (looking back)", c(), fix(0, IN, 150),
      events("c satisfied 0 -50"), c(band(160, 200)), events("c unsatisfied 0 10"), c(None),
      events("c satisfied 0 none"))  # fmt: skip

# Questions -----------------------------------------------------------------------------------------------------------


def containing(*identifiers: str, at: Any = O, **heights: Any) -> Any:
    place = {"latitude": at[0], "longitude": at[1], **heights}
    return {"containing": place, "are": [{"identifier": each, "boundary_distance": -1000} for each in identifiers]}


questions("V78 a limit without its height is ignored", c(identifier="e"), c(MSL, identifier="m"),
          c(GROUND, identifier="g"), c(band(100, 300, "ground", "mean_sea_level"), identifier="two"),
          c(None, identifier="all"), containing("e", "m", "g", "two", "all"),
          containing("e", "m", "g", "two", "all", altitude=150), containing("m", "g", "two", "all", altitude=300),
          containing("e", "g", "two", "all", altitude=150, geoid_height=60),
          containing("e", "m", "two", "all", altitude=150, ground_height=20),
          containing("e", "all", altitude=150, ground_height=-30, geoid_height=-160),
          containing("e", "m", "g", "all", altitude=200, geoid_height=0, ground_height=150),
          containing("e", "m", "g", "two", "all", geoid_height=5000, ground_height=5000))  # fmt: skip
questions("V79 the limits belong to the band, and NaN is no height", c(identifier="e"), containing("e", altitude=100),
          containing("e", altitude=200), containing(altitude=99.999), containing(altitude=200.001),
          containing("e", altitude="nan"))  # fmt: skip
questions(
    "V80 the nearest boundaries are those of the footprints",
    c(identifier="e"),
    c(band(5000, 6000), identifier="d", centre=at(2500)),
    {"nearest": {"latitude": 0, "longitude": 0, "count": 2}, "are": [{"identifier": "e"}, {"identifier": "d"}]},
)

# Paths ---------------------------------------------------------------------------------------------------------------

ways("V81 a climb over a place: in at one limit, out at the other", c(assuming="unsatisfied"), fix(0, IN, 0),
     events(), fix(100, IN, 400), events("c satisfied 25 0", "c unsatisfied 50 0"))  # fmt: skip
ways("V82 through the place in the band, over it above the band", c(assuming="unsatisfied"), fix(0, at(-10000), 150),
     fix(200, at(10000), 150), events("c satisfied 90 -50", "c unsatisfied 110 -50"), fix(400, at(-10000), 260),
     events("c satisfied 290 -0.5", "c unsatisfied 290.909 0"))  # fmt: skip
ways(
    "V83 into the band within the place: the height decides, then the position",
    c(assuming="unsatisfied"),
    fix(0, at(-10000), 300),
    fix(200, at(10000), 100),
    events("c satisfied 100 0", "c unsatisfied 110 -10"),
)
ways("V84 without a height at one end there is none on the way", c(assuming="unsatisfied"), fix(0, at(-10000)),
     fix(100, IN, 300), events(), fix(200, IN, 150), events("c satisfied 166.667 0"), fix(300, at(10000)),
     events("c unsatisfied 209.91 none"))  # fmt: skip
ways("V85 on the way out without a height, the position decides", c(assuming="unsatisfied"), fix(0, IN, 150),
     events("c satisfied 0 -50"), fix(100, at(10000), 150, -1), events("c unsatisfied 9.91 none"))  # fmt: skip
ways("V86 the vertical margin on the way", c(policy=MARGIN, assuming="unsatisfied"), fix(0, IN, 0), fix(100, IN, 400),
     events("c satisfied 27.5 -10", "c unsatisfied 52.5 10"))  # fmt: skip
ways("V87 the larger vertical accuracy of the two", c(policy=WEIGHTED, assuming="unsatisfied"), fix(0, IN, 0, 4),
     fix(100, IN, 400, 20), events("c satisfied 30 -20", "c unsatisfied 55 20"), fix(200, IN, 0, 2),
     events("c satisfied 155 -20", "c unsatisfied 180 20"))  # fmt: skip
ways("V88 too coarse at one end is too coarse on the way", c(policy=WEIGHTED, assuming="unsatisfied"), fix(0, IN, 0, 1),
     fix(100, IN, 400, 101), events(), fix(200, IN, 0, 1), events())  # fmt: skip
ways("V89 each height changes on the way: level flight over rising ground", c(GROUND, assuming="unsatisfied"),
     fix(0, IN, 500, g=300), fix(100, IN, 500, g=550), events("c satisfied 32 0", "c unsatisfied 80 0"))  # fmt: skip
ways("V90 the ground is known at one end only", c(GROUND, assuming="unsatisfied"), fix(0, IN, 500, g=300),
     fix(100, IN, 500), events(), fix(200, IN, 500, g=450), events("c satisfied 200 -50"))  # fmt: skip
ways("V91 one of the limits is known on the way, and is exceeded at first",
     c(band(100, 500, "ground", "mean_sea_level")), fix(0, IN, 600, n=0), events("c unsatisfied 0 100"),
     fix(100, IN, 400, n=0), events(), fix(200, IN, 300, n=0, g=250), events(), fix(300, IN, 400, n=0, g=250),
     events("c satisfied 250 0"))  # fmt: skip
ways("V92 a thin band inwards: half its thickness, which grows on the way",
     c(band(0, 0, "ground", "mean_sea_level"), policy=MARGIN), fix(0, IN, -10, n=0, g=-20), events("c satisfied 0 -10"),
     fix(1, IN, 40, n=0, g=-20), events("c unsatisfied 0.4 10"), fix(101, IN, -40, n=0, g=-80),
     events("c satisfied 63.5 -10"))  # fmt: skip
ways("V93 a dwell on the way", c(policy=DWELL, assuming="unsatisfied"), fix(0, IN, 0), fix(100, IN, 400),
     events("c satisfied 45 0", "c unsatisfied 70 0"), fix(200, IN, 0),
     events("c satisfied 170 0", "c unsatisfied 195 0"))  # fmt: skip
ways("V94 a dwell that is too short on the way", c(policy={**DWELL, "entry_dwell": 30}, assuming="unsatisfied"),
     fix(0, IN, 0), fix(100, IN, 400), events())  # fmt: skip
ways(
    "V95 with probabilities nothing is laid on the way",
    c(policy=PROBABLE, assuming="unsatisfied"),
    fix(0, IN, 0, a=5),
    fix(100, IN, 400, a=5),
    events(),
    fix(200, IN, 150, a=5),
    events("c satisfied 200 -50"),
)
ways("V96 after a gap the heights begin anew", c(assuming="unsatisfied"), fix(0, IN, 0), fix(1000, IN, 400), events(),
     fix(1100, IN, 0), events("c satisfied 1050 0", "c unsatisfied 1075 0"))  # fmt: skip
ways("V97 a part of the way before the clock is ignored", c(assuming="unsatisfied"), fix(0, IN, 0), advance(60),
     fix(100, IN, 400), events(), fix(200, IN, 0), events("c satisfied 150 0",
     "c unsatisfied 175 0"))  # fmt: skip
ways(
    "V98 several places over each other on one climb",
    *(c(band(100 * k, 100 * k + 100), identifier=f"f{k}", assuming="unsatisfied") for k in range(1, 4)),
    fix(0, IN, 50),
    fix(100, IN, 450),
    events(
        "f1 satisfied 12.5 0",
        "f2 satisfied 37.5 0",
        "f1 unsatisfied 37.5 0",
        "f3 satisfied 62.5 0",
        "f2 unsatisfied 62.5 0",
        "f3 unsatisfied 87.5 0",
    ),
)
