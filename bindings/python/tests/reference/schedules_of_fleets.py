"""Scenarios of schedules with several devices: the steps and the expected events.

Positions are on the equator, in metres east of Greenwich. Unless a scenario says otherwise, a circle `c` has a radius
of 100 m around Greenwich, the policy `exact`, and is assumed to be unsatisfied.
"""

from __future__ import annotations

from typing import Any

Step = dict[str, Any]
OF_FLEETS: list[Step] = []
IN, OUT = 10, 5000


def degrees(metres: float) -> float:
    return metres / 111_319.490793


def c(*intervals: tuple[float, float], identifier: str = "c", centre: float = 0, **rest: Any) -> Step:
    given = {"active": [list(each) for each in intervals]} if intervals else {}
    circle = {"latitude": 0, "longitude": degrees(centre), "radius": 100}
    return {"add": identifier, "circle": circle, "policy": "exact", **given, **rest}


def fix(device: str, time: float, place: float, fleet: str = "main") -> Step:
    return {"fleet": fleet, "device": device, "fix": {"time": time, "latitude": 0, "longitude": degrees(place)}}


def advance(time: float, **rest: Any) -> Step:
    return {"advance": time, **rest}


def events(*lines: str, fleet: str = "main") -> list[Step]:
    """The events that wait: device, identifier, state, date, cause and, if there are any, flags."""
    found: list[Step] = []
    for line in lines:
        device, identifier, state, date, cause, *flags = line.split()
        found.append(
            {
                "fleet": fleet,
                "next": {
                    "device": device,
                    "identifier": identifier,
                    "state": state,
                    "date": float(date),
                    "cause": cause,
                    "diagnostics": flags[0].split("+") if flags else [],
                },
            }
        )
    return [*found, {"fleet": fleet, "next": None}]


def unknown(device: str, *identifiers: str) -> Step:
    return {"device": device, "identifiers_in_state": "unknown", "are": list(identifiers)}


def scenario(name: str, *steps: Step | list[Step], **options: Any) -> None:
    flat = [step for each in steps for step in (each if isinstance(each, list) else [each])]
    OF_FLEETS.append({"name": name, "fleet": options, "steps": flat})


scenario(
    "F1 each device passes the edges at its own clock",
    c((0, 50), (100, 200)),
    [fix("a", 10, IN), fix("b", 40, IN), fix("a", 60, IN), fix("b", 45, OUT), fix("a", 110, IN)],
    events(
        "a c satisfied 10 determination",
        "b c satisfied 40 determination",
        "b c unsatisfied 45 crossing",
        "a c satisfied 110 determination",
    ),
)
scenario(
    "F2 silent devices give notice, by deadline, then by device",
    c((100, 200), assuming="unknown", absent_after=30),
    c((90, 200), identifier="d", assuming="unknown", absent_after=40),
    [fix("a", 10, OUT), fix("b", 20, OUT)],
    advance(129.999999),
    events(),
    advance(500),
    events(
        "a c unsatisfied 130 timeout",
        "a d unsatisfied 130 timeout",
        "b c unsatisfied 130 timeout",
        "b d unsatisfied 130 timeout",
    ),
)
scenario(
    "F3 a device that is only entered begins at the fleet's time",
    c(assuming="unknown", absent_after=30),
    advance(10),
    {"enter": "a"},
    advance(20),
    {"enter": "b"},
    advance(45),
    events("a c unsatisfied 40 timeout"),
    advance(100),
    events("b c unsatisfied 50 timeout"),
)
scenario(
    "F4 a device that is entered before any time begins at the first one",
    c(assuming="unknown", absent_after=30),
    {"enter": "a"},
    advance(100),
    events(),
    advance(130),
    events("a c unsatisfied 130 timeout"),
)
scenario(
    "F5 a device that comes late hears nothing of what was before",
    c((0, 50), (100, 150), assuming="unknown", absent_after=10),
    [fix("a", 0, OUT)],
    events("a c unsatisfied 0 determination"),
    advance(120),
    events("a c unsatisfied 110 timeout"),
    [fix("b", 121, OUT)],
    events("b c unsatisfied 121 determination"),
)
scenario(
    "F6 a condition that is added later is absent for all devices, each from its own clock",
    [fix("a", 10, OUT), fix("b", 20, OUT)],
    c(assuming="unknown", absent_after=30),
    advance(100),
    events("a c unsatisfied 40 timeout", "b c unsatisfied 50 timeout"),
)
scenario(
    "F7 repeats of all devices come in the order of their dates",
    c(repeat_every=10),
    [fix("a", 0, IN), fix("b", 4, IN)],
    advance(25),
    events(
        "a c satisfied 0 determination",
        "b c satisfied 4 determination",
        "a c satisfied 10 repeat",
        "b c satisfied 14 repeat",
        "a c satisfied 20 repeat",
        "b c satisfied 24 repeat",
    ),
)
scenario(
    "F8 repeats that are due before an input come with it",
    c(repeat_every=10),
    [fix("a", 0, IN), fix("b", 100, IN), fix("a", 25, OUT)],
    events(
        "a c satisfied 0 determination",
        "b c satisfied 100 determination",
        "a c satisfied 10 repeat",
        "a c satisfied 20 repeat",
        "a c unsatisfied 25 crossing",
    ),
)
scenario(
    "F9 the number of events counts for each device",
    c(max_events=1),
    [fix("a", 0, IN), fix("a", 10, OUT), fix("a", 20, IN), fix("b", 30, IN), fix("b", 40, OUT)],
    events("a c satisfied 0 determination inactive+exhausted", "b c satisfied 30 determination inactive+exhausted"),
    [unknown("a", "c"), unknown("b", "c")],
)
scenario(
    "F10 an exhausted condition stays so when the device moves, and begins anew for another device",
    c(max_events=2),
    {"share": "other"},
    [fix("a", 0, IN), fix("a", 10, OUT)],
    events("a c satisfied 0 determination", "a c unsatisfied 10 crossing inactive+exhausted"),
    {"move": "a", "to": "other"},
    [fix("a", 20, IN, "other"), fix("b", 20, IN, "other")],
    events("b c satisfied 20 determination", fleet="other"),
)
scenario(
    "F11 a device that moves takes its absences with it",
    c((0, 1000), assuming="unknown", absent_after=30),
    {"share": "other"},
    {"enter": "a"},
    advance(0),
    advance(10),
    {"move": "a", "to": "other"},
    advance(100, fleet="other"),
    events("a c unsatisfied 30 timeout", fleet="other"),
)
scenario(
    "F12 a device that moves to a fleet with a later time hears what is due until then",
    c((0, 1000), repeat_every=10),
    {"share": "other"},
    advance(25, fleet="other"),
    [fix("a", 0, IN)],
    events("a c satisfied 0 determination"),
    {"move": "a", "to": "other"},
    events("a c satisfied 10 repeat", "a c satisfied 20 repeat", fleet="other"),
)
scenario(
    "F13 another list is another condition",
    c((0, 50)),
    [fix("a", 10, IN)],
    events("a c satisfied 10 determination"),
    {"ensure": "c", **{k: v for k, v in c((0, 90)).items() if k != "add"}},
    [unknown("a", "c"), fix("a", 20, IN)],
    events("a c satisfied 20 determination"),
)
scenario(
    "F14 the same list changes nothing",
    c((0, 50)),
    [fix("a", 10, IN)],
    events("a c satisfied 10 determination"),
    {"ensure": "c", **{k: v for k, v in c((0, 50)).items() if k != "add"}},
    [fix("a", 20, IN)],
    events(),
)
scenario(
    "F15 a start is told to each device that is inside, whatever was told yesterday",
    c((0, 50), (100, 200)),
    [fix("a", 10, IN), fix("b", 10, OUT)],
    events("a c satisfied 10 determination"),
    advance(60),
    [unknown("a", "c"), unknown("b", "c")],
    [fix("a", 110, IN), fix("b", 110, IN)],
    events("a c satisfied 110 determination", "b c satisfied 110 determination"),
)
scenario(
    "F16 inside yesterday, outside today",
    c((0, 50), (100, 200)),
    [fix("a", 10, IN)],
    events("a c satisfied 10 determination"),
    advance(105),
    [fix("a", 110, OUT), fix("a", 120, OUT)],
    events("a c unsatisfied 110 determination"),
)
scenario(
    "F17 an advance of one device passes only its edges",
    c((0, 50)),
    [fix("a", 10, IN), fix("b", 10, IN)],
    events("a c satisfied 10 determination", "b c satisfied 10 determination"),
    advance(60, device="a"),
    [unknown("a", "c"), unknown("b")],
    {"inside": "a", "are": []},
    {"inside": "b", "are": [{"identifier": "c", "since": 10, "evidence_date": 10}]},
)
scenario(
    "F18 the end of a list is no event in a fleet",
    {**c((0, 50)), "active_until": 50},
    [fix("a", 10, IN)],
    events("a c satisfied 10 determination"),
    advance(60),
    events(),
    [fix("a", 70, OUT)],
    events(),
)
scenario(
    "F19 a beacon and a gate of a table have no timing",
    {
        "refused": "invalid_argument",
        "step": {
            "add": "b",
            "beacon": {"uuid": "f7826da6-4fa2-4e98-8024-bc5b71e0893e"},
            "active": [[0, 10]],
        },
    },
    {"identifiers": []},
)
scenario(
    "F20 a device that stays in its safe region still passes a start",
    c((100, 200), centre=0),
    [fix("a", 10, IN), fix("a", 20, IN), fix("a", 99.999999, IN)],
    events(),
    [fix("a", 100, IN)],
    events("a c satisfied 100 determination"),
)
scenario(
    "F21 absences and repeats follow a device that is removed and comes again",
    c(repeat_every=10),
    [fix("a", 0, IN)],
    events("a c satisfied 0 determination"),
    {"leave": "a"},
    advance(50),
    events(),
    [fix("a", 60, IN)],
    advance(75),
    events("a c satisfied 60 determination", "a c satisfied 70 repeat"),
)
