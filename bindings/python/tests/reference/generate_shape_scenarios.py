"""Writes the scenarios in Tests/Conformance/Shapes. The steps and the expected events of the scenarios are in
shape_scenarios.py.

    python generate_shape_scenarios.py

An expectation is written as `events("c satisfied 12", ...)`: all pending events, in order. The reference must give
exactly the expected events; otherwise nothing is written. The script adds the cause, the evidence and the signed
boundary distance of each event. The page shapes.md defines depths only to 1 %, so the last digits of a depth must not
matter: every scenario must give the same result if all depths are 1.5 % smaller or 0.5 % larger.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import run_reference_corpus as corpus
from geographiclib.geodesic import Geodesic
from reference_shapes import Polygon

FOLDER = corpus.CORPUS / "Shapes"
Step = dict[str, Any]
FILES: dict[str, list[tuple[str, Step, list[Any]]]] = {}


class Events:
    """The expected pending events, each as "identifier state time"; the reference adds the other values."""

    def __init__(self, *meant: str) -> None:
        self.meant = list(meant)


class Explained:
    """An expected result of `explain`: the author states the reason, and the reference fills in the numbers."""

    keys: tuple[str, ...] = ("reason", "metres_to_decide", "accuracy_needed", "seconds_to_decide")

    def __init__(self, identifier: str, reason: str) -> None:
        self.identifier, self.reason = identifier, reason


class NearestPoint:
    """An expected nearest boundary point: the author states it in degrees with about four decimals, and the reference
    model computes the exact position."""

    def __init__(self, identifier: str, origin: tuple[float, float], meant: tuple[float, float]) -> None:
        self.identifier, self.origin, self.meant = identifier, origin, meant


def events(*meant: str) -> Events:
    return Events(*meant)


def scenario(file: str, name: str, *steps: Any, **options: Any) -> None:
    FILES.setdefault(file, []).append((name, options, list(steps)))


def add(identifier: str, definition: Step, **rest: Any) -> Step:
    return {"add": identifier, **definition, **rest}


def polygon(*rings: Any, **options: Any) -> Step:
    return {"polygon": {"coordinates": [[list(point) for point in ring] for ring in rings], **options}}


def parts(*polygons: Any, **options: Any) -> Step:
    rings = [[[list(point) for point in ring] for ring in part] for part in polygons]
    return {"polygon": {"coordinates": rings, **options}}


def corridor(radius: Any, *points: Any, **options: Any) -> Step:
    return {"corridor": {"coordinates": [list(point) for point in points], "radius": radius, **options}}


def fix(time: float, at: tuple[float, float], accuracy: float | None = None, *ellipse: float | str) -> Step:
    values = {"time": time, "latitude": at[0], "longitude": at[1]}
    if ellipse:
        values["ellipse"] = list(ellipse)
    return {"fix": values if accuracy is None else {**values, "accuracy": accuracy}}


def from_place(at: tuple[float, float], azimuth: float, metres: float) -> tuple[float, float]:
    end = Geodesic.WGS84.Direct(*at, azimuth, metres)
    return round(end["lat2"], 9), round(end["lon2"], 9)


def refused(reason: str, step: Step, **at: int) -> Step:
    rest = {"at": at} if at else {}
    return {"refused": "invalid_argument", "reason": reason, **rest, "step": step}


# Playing -------------------------------------------------------------------------------------------------------------


def as_step(event: dict[str, Any]) -> Step:
    names = ("identifier", "state", "cause", "boundary_distance")
    dates = {name: event[name] / 1e6 if event[name] is not None else None for name in ("date", "evidence_date")}
    dates = {name: int(date) if date is not None and date == int(date) else date for name, date in dates.items()}
    return {"next": {name: event[name] for name in names[:2]} | dates | {name: event[name] for name in names[2:]}}


def said(step: Step) -> str:
    return f"{step['next']['identifier']} {step['next']['state']} {step['next']['date']}"


def play(name: str, options: Step, steps: list[Any]) -> list[Step]:
    """Plays the steps; returns them with the values of the reference in every expectation."""
    played = corpus.Scenario({"name": name, "options": options, "steps": steps})
    played.step({"open": "main"})
    monitor = played.stored["main"]
    done: list[Step] = []

    def do(step: Step) -> None:
        try:
            played.step(step)
        except (corpus.Mismatch, corpus.Refused) as error:
            raise SystemExit(f"{name}: {json.dumps(step)[:300]}: {error}") from error
        done.append(step)

    for step in steps:
        if isinstance(step, Events):
            given = []
            while (event := monitor.next_event()) is not None:
                given.append(as_step(event))
            if [said(each) for each in given] != step.meant:
                raise SystemExit(f"{name}: meant {step.meant}, came {given}")
            done += [*given, {"next": None}]
        elif isinstance(step, Explained):
            answer = monitor.explain(step.identifier)
            if answer["reason"] != step.reason:
                raise SystemExit(f"{name}: {answer}")
            done.append({"explain": step.identifier, "is": {key: answer[key] for key in step.keys}})
        elif isinstance(step, NearestPoint):
            shape = monitor.record(step.identifier)["condition"]["shape"]
            found = shape.nearest_line_place(*step.origin)
            if any(abs(a - b) > 1e-4 for a, b in zip(found, step.meant)):
                raise SystemExit(f"{name}: {found}")
            place = dict(zip(("latitude", "longitude"), step.origin))
            answer = dict(zip(("latitude", "longitude"), found))
            done.append({"nearest_boundary_point": step.identifier, "from": place, "is": answer})
        else:
            do(step)
    return done


def check(name: str, options: Step, steps: list[Step]) -> None:
    depth = Polygon.depth.fget
    for factor in (1.0, 0.985, 1.005):
        with mock.patch.object(Polygon, "depth", property(lambda shape: depth(shape) * factor)):
            for restart in (False, True):
                failure = corpus.Scenario({"name": name, "options": options, "steps": steps}, restart).run()
                if failure is not None:
                    raise SystemExit(f"{name}: with the depth times {factor}: {failure}")


def written(scenarios: list[tuple[str, Step, list[Step]]]) -> str:
    """Returns the scenarios as text with one step per line, in the format of the existing files."""
    texts = []
    for name, options, steps in scenarios:
        lines = ",\n".join(f"  {json.dumps(step)}" for step in steps)
        said = f' "options": {json.dumps(options)},\n' if options else ""
        texts.append(f'{{"name": {json.dumps(name)},\n{said} "steps": [\n{lines}\n ]}}')
    return "[\n" + ",\n".join(texts) + "\n]\n"


def write(folder: Path) -> list[tuple[str, Step, list[Step]]]:
    """Plays and checks the scenarios in FILES, writes them to files in a folder, and returns them."""
    found = []
    folder.mkdir(exist_ok=True)
    for file, scenarios in FILES.items():
        done = [(name, options, play(name, options, steps)) for name, options, steps in scenarios]
        for each in done:
            check(*each)
        (folder / f"{file}.json").write_text(written(done), encoding="utf-8")
        found += done
        print(f"{file}: {len(done)}")
    print(f"{len(found)} scenarios")
    return found


def main() -> int:
    import shape_scenarios  # noqa: F401, it fills FILES

    write(FOLDER)
    return 0


if __name__ == "__main__":
    # Without this line, shape_scenarios would import this file as a second module and add its scenarios to that
    # module's FILES.
    sys.modules["generate_shape_scenarios"] = sys.modules["__main__"]
    sys.exit(main())
