"""Scenarios of heights with several devices: the steps and the expected events.

Positions are on the equator, in metres east of Greenwich. Unless a scenario says otherwise, a circle `c` has a radius
of 100 m around Greenwich, the policy `exact`, a band from 100 m to 200 m above the ellipsoid, and is assumed to be
unsatisfied.
"""

from __future__ import annotations

from typing import Any

Step = dict[str, Any]
OF_FLEETS: list[Step] = []
IN, OUT = 10, 5000
WAITING = {"entry_margin": 0, "exit_margin": 0, "accuracy_factor": 0, "entry_dwell": 20, "exit_dwell": 20}


def degrees(metres: float) -> float:
    return metres / 111_319.490793


def c(low: float | str = 100, high: float | str = 200, identifier: str = "c", **rest: Any) -> Step:
    circle = {"latitude": 0, "longitude": 0, "radius": 100}
    return {"add": identifier, "circle": circle, "policy": "exact", "band": {"min": low, "max": high}, **rest}


def fix(
    device: str, time: float, place: float, altitude: float | None = None, fleet: str = "main", **rest: Any
) -> Step:
    given = {} if altitude is None else {"altitude": altitude}
    values = {"time": time, "latitude": 0, "longitude": degrees(place), **given, **rest}
    return {"fleet": fleet, "device": device, "fix": values}


def advance(time: float, **rest: Any) -> Step:
    return {"advance": time, **rest}


def explained(device: str, reason: str, v: float | None, identifier: str = "c", fleet: str = "main") -> Step:
    return {
        "fleet": fleet,
        "device": device,
        "explain": identifier,
        "is": {"reason": reason, "vertical_distance": v},
    }


def events(*lines: str, fleet: str = "main") -> list[Step]:
    """The events that wait: device, identifier, state, date, cause and vertical distance."""
    found: list[Step] = []
    for line in lines:
        device, identifier, state, date, cause, v = line.split()
        found.append(
            {
                "fleet": fleet,
                "next": {
                    "device": device,
                    "identifier": identifier,
                    "state": state,
                    "date": float(date),
                    "cause": cause,
                    "vertical_distance": None if v == "none" else float(v),
                },
            }
        )
    return [*found, {"fleet": fleet, "next": None}]


def scenario(name: str, *steps: Step | list[Step], **options: Any) -> None:
    flat: list[Step] = []
    for step in steps:
        flat.extend(step if isinstance(step, list) else [step])
    OF_FLEETS.append({"name": name, "fleet": options, "steps": flat})


# fmt: off
scenario("F1 each device has its height",
         c(), fix("a", 0, IN, 150), fix("b", 0, IN, 250), events("a c satisfied 0 determination -50"),
         fix("b", 10, IN, 200), fix("a", 10, IN, 90),
         events("b c satisfied 10 crossing 0", "a c unsatisfied 10 crossing 10"))
scenario("F2 a place above the other: devices change floors",
         c(0, 3, "low"), c(3, 6, "high"), fix("a", 0, IN, 1), fix("b", 0, IN, 5),
         events("a low satisfied 0 determination -1", "b high satisfied 0 determination -1"),
         fix("b", 1, IN, 1), fix("a", 1, IN, 5),
         events("b low satisfied 1 crossing -1", "b high unsatisfied 1 crossing 2",
                "a low unsatisfied 1 crossing 2", "a high satisfied 1 crossing -1"))
scenario("F3 without a height a device in the footprint stays undetermined, and outside of it not",
         c(), fix("a", 0, IN), fix("b", 0, OUT), events(),
         {"device": "a", "identifiers_in_state": "unknown", "are": ["c"]},
         {"device": "b", "identifiers_in_state": "unsatisfied", "are": ["c"]},
         explained("a", "no_height", None), fix("a", 10, IN, 120), fix("b", 10, IN), events(
             "a c satisfied 10 determination -20"), fix("b", 20, IN, 120), events("b c satisfied 20 crossing -20"))
scenario("F4 a device that is far away passes over many places in silence",
         *(c(100, 200, f"c{k}", circle={"latitude": 0, "longitude": degrees(1000 * k), "radius": 100})
           for k in range(8)),
         *(fix("a", 10 * k, 500 + 1000 * k, 150) for k in range(8)), events(),
         *(fix("a", 100 + 10 * k, 1000 * k, 250) for k in range(8)), events(),
         fix("a", 200, 7000, 150), events("a c7 satisfied 200 crossing -50"),
         fix("a", 210, 6000, 150), events("a c6 satisfied 210 crossing -50", "a c7 unsatisfied 210 crossing -50"))
scenario("F5 a moved device keeps its height, and what waits has the one of its fix",
         {"share": "other"}, c(policy=WAITING), fix("a", 0, IN, 250), fix("a", 10, IN, 180), fix("b", 10, IN, 90),
         {"move": "a", "to": "other"}, explained("a", "dwelling", -20, fleet="other"),
         explained("b", "outside", 10), advance(50, fleet="other"),
         events("a c satisfied 30 crossing -20", fleet="other"), advance(50), events())
scenario("F6 a restart keeps the heights",
         c(policy=WAITING), fix("a", 0, IN, 150), events("a c satisfied 0 determination -50"), fix("a", 10, IN, 230),
         {"restart": True}, explained("a", "dwelling", 30), fix("a", 15, IN), advance(40),
         events("a c unsatisfied 30 crossing 30"), {"restart": True}, explained("a", "no_height", None))
scenario("F7 a condition with a band that is added or replaced is met by the next fix",
         fix("a", 0, IN, 150), c(), events(), fix("a", 10, IN), events(), fix("a", 20, IN, 150),
         events("a c satisfied 20 determination -50"), c(0, 100), fix("a", 30, IN, 150), events(),
         fix("a", 40, IN, 99), events("a c satisfied 40 crossing -1"))
scenario("F8 assumed to be satisfied or unknown, each device is told",
         c(assuming="satisfied"), c(identifier="d", assuming="unknown"), fix("a", 0, IN, 150), fix("b", 0, IN, 300),
         fix("e", 0, OUT), events("a d satisfied 0 determination -50", "b c unsatisfied 0 determination 100",
                                  "b d unsatisfied 0 determination 100", "e c unsatisfied 0 determination none",
                                  "e d unsatisfied 0 determination none"))
scenario("F9 a removed band leaves nothing behind",
         c(), fix("a", 0, IN, 150), events("a c satisfied 0 determination -50"), {"remove": "c"},
         c(identifier="d", band={"min": 0, "max": 100}), fix("a", 10, IN, 150), events(),
         fix("a", 20, IN, 50), events("a d satisfied 20 crossing -50"))
scenario("F10 a device with the name of a removed one has no height",
         c(), fix("a", 0, IN, 150), events("a c satisfied 0 determination -50"), {"leave": "a"},
         fix("a", 10, IN), events(), explained("a", "no_height", None), fix("a", 20, IN, 150),
         events("a c satisfied 20 determination -50"))
scenario("F11 with `exits_first`, out of one floor before into the next",
         c(3, 6, "high"), c(0, 3, "low"), fix("a", 0, IN, 1), events("a low satisfied 0 determination -1"),
         fix("a", 10, IN, 5), events("a low unsatisfied 10 crossing 2", "a high satisfied 10 crossing -1"),
         order="exits_first")
scenario("F12 questions take heights",
         c(), {"containing": {"latitude": 0, "longitude": 0, "altitude": 150},
               "are": [{"identifier": "c", "boundary_distance": -100}]},
         {"containing": {"latitude": 0, "longitude": 0, "altitude": 250}, "are": []},
         {"containing": {"latitude": 0, "longitude": 0}, "are": [{"identifier": "c", "boundary_distance": -100}]})
