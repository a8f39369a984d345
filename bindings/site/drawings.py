#!/usr/bin/env python3
"""Draws the documentation's time lines as SVG, from the engine's real results.

    .venv/bin/python bindings/site/drawings.py [FOLDER]

The drawings are written to FOLDER, by default bindings/site/pictures.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date as day_of
from pathlib import Path
from typing import NamedTuple

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    Diagnostics,
    Fix,
    Monitor,
    Notify,
    Polygon,
    Rule,
    Schedule,
    State,
    Timing,
    TransitionPolicy,
    geodesic,
)
from fencepost.types import Explanation

PICTURES = Path(__file__).resolve().parent / "pictures"
CENTRE = (52.5163, 13.3777)
RADIUS = 200.0
SECOND = 1_000_000
INK, FAINT, BLUE, ORANGE, PAPER = "#24292f", "#8a929b", "#0072b2", "#d55e00", "#ffffff"

LEFT, RIGHT, TOP, WIDTH, PLOT = 118, 30, 30, 820, 210
ROW = 34


@dataclass(frozen=True)
class Run:
    """The explanations and events of a monitor with one circle, while a device approaches the circle and leaves it."""

    name: str
    explanations: list[Explanation]
    events: list[tuple[float, float, State]]
    """The events: for each event its time and the time of its evidence, in seconds, and the new state."""


def follow(name: str, policy: TransitionPolicy, distances: Sequence[float], accuracies: Sequence[float]) -> Run:
    """Feeds one fix per second, each at the given distance from the line (negative inside)."""
    monitor = Monitor()
    circle = Circle(*CENTRE, radius=RADIUS)
    monitor.add(circle, name, policy=policy, assuming="unsatisfied")
    explanations, events = [], []
    for second, (distance, accuracy) in enumerate(zip(distances, accuracies)):
        place = geodesic.direct(*CENTRE, 0, RADIUS + distance)
        monitor.feed(Fix(place.latitude, place.longitude, accuracy=accuracy, time=second * SECOND))
        explanations.append(monitor.explain(name))
        for event in monitor.events():
            evidence = event.date_us if event.evidence_date_us is None else event.evidence_date_us
            events.append((event.date_us / SECOND, evidence / SECOND, event.state))
    return Run(name, explanations, events)


class Drawing:
    """An SVG drawing: a plot of distances over time, with rows of states below the plot."""

    def __init__(self, title: str, seconds: int, metres: float) -> None:
        self.title, self.seconds, self.metres = title, seconds, metres
        self.parts: list[str] = []
        self.bottom: float = TOP + PLOT

    def x(self, second: float) -> float:
        return round(LEFT + second / self.seconds * (WIDTH - LEFT - RIGHT), 1)

    def y(self, distance: float) -> float:
        return round(TOP + (self.metres - distance) / (2 * self.metres) * PLOT, 1)

    def add(self, part: str) -> None:
        self.parts.append(part)

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", colour: str = INK, size: int = 12) -> None:
        self.add(f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">{words}</text>')

    def rectangle(self, left: float, top: float, right: float, bottom: float, fill: str, opacity: float = 1) -> None:
        self.add(
            f'<rect x="{left}" y="{top}" width="{round(right - left, 1)}" height="{round(bottom - top, 1)}" '
            f'fill="{fill}" fill-opacity="{opacity}"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1, dash: str = "") -> None:
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"{dashes}/>')

    def band(self, run: Run, margin: Callable[[Explanation], float | None], sign: int) -> None:
        """Fills the band between the line and the margin on one side of the line."""
        edge = [(self.x(second), self.y(sign * (margin(each) or 0))) for second, each in enumerate(run.explanations)]
        zero = self.y(0)
        points = [(edge[0][0], zero), *edge, (edge[-1][0], zero)]
        corners = " ".join(f"{x},{y}" for x, y in points)
        self.add(f'<polygon points="{corners}" fill="{FAINT}" fill-opacity="0.22"/>')

    def plot(self, run: Run, distances: Sequence[float]) -> None:
        """Plots distances over time, with the line, its margins, and the periods of dwell."""
        self.rectangle(LEFT, TOP, WIDTH - RIGHT, TOP + PLOT, PAPER)
        self.band(run, lambda each: each.exit_margin, 1)
        self.band(run, lambda each: each.entry_margin, -1)
        for first, last in spans([each.candidate_start_us is not None for each in run.explanations]):
            self.rectangle(self.x(first), TOP, self.x(last), TOP + PLOT, BLUE, 0.13)
            self.text(self.x((first + last) / 2), TOP + 14, "dwell", anchor="middle", colour=BLUE)
        for metres in range(-int(self.metres), int(self.metres) + 1, 40):
            self.line(LEFT - 4, self.y(metres), LEFT, self.y(metres), FAINT)
            self.text(LEFT - 8, self.y(metres) + 4, f"{metres:+d} m" if metres else "the line", anchor="end")
        self.line(LEFT, self.y(0), WIDTH - RIGHT, self.y(0), INK, 1.5)
        path = " ".join(f"{self.x(second)},{self.y(distance)}" for second, distance in enumerate(distances))
        self.add(f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="1.2"/>')
        for second, distance in enumerate(distances):
            self.add(f'<circle cx="{self.x(second)}" cy="{self.y(distance)}" r="1.8" fill="{INK}"/>')
        self.text(LEFT + 6, TOP + PLOT - 8, "inside", colour=FAINT)
        self.text(LEFT + 6, TOP + 14, "outside", colour=FAINT)

    def states(self, run: Run) -> None:
        """Adds a row that shows when the condition was satisfied. A triangle marks the time of each event. If the
        event's evidence has another time, a dot marks that time."""
        top, bottom = self.bottom + 10, self.bottom + ROW
        self.rectangle(LEFT, top, WIDTH - RIGHT, bottom, FAINT, 0.22)
        begun = None
        for date, _, state in [*run.events, (float(self.seconds), 0.0, State.UNSATISFIED)]:
            if state == State.SATISFIED:
                begun = date
            elif begun is not None:
                self.rectangle(self.x(begun), top, self.x(date), bottom, BLUE, 0.75)
                begun = None
        for date, evidence, state in run.events:
            middle, tip = (top + bottom) / 2, -1 if state == State.SATISFIED else 1
            colour = BLUE if state == State.SATISFIED else ORANGE
            if evidence != date:
                self.line(self.x(evidence), middle, self.x(date), middle, colour, 1.5, "3 2")
                self.add(f'<circle cx="{self.x(evidence)}" cy="{middle}" r="3" fill="{colour}"/>')
            x = self.x(date)
            corners = f"{x - 6},{middle - 5 * tip} {x + 6},{middle - 5 * tip} {x},{middle + 6 * tip}"
            self.add(f'<polygon points="{corners}" fill="{colour}" stroke="{PAPER}" stroke-width="1"/>')
        self.text(LEFT - 8, bottom - 7, run.name, anchor="end")
        self.bottom = bottom

    def svg(self) -> str:
        for second in range(0, self.seconds + 1, 30):
            self.line(self.x(second), self.bottom, self.x(second), self.bottom + 4, FAINT)
            self.text(self.x(second), self.bottom + 18, f"{second} s", anchor="middle")
        return self.framed()

    def framed(self) -> str:
        """Returns the drawing with its title and background."""
        height = round(self.bottom + 28)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" font-family="sans-serif">\n<title>{self.title}</title>\n'
            f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#f6f8fa"/>\n' + "\n".join(self.parts) + "\n</svg>\n"
        )


def spans(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Returns the first and the last second of each period during which the flag is true."""
    found: list[tuple[int, int]] = []
    for second, flag in enumerate(flags):
        if not flag:
            continue
        if found and found[-1][1] == second - 1:
            found[-1] = (found[-1][0], second)
        else:
            found.append((second, second))
    return found


def along(*corners: tuple[int, float]) -> list[float]:
    """Returns a value for each second. A corner is a pair (second, value); the values between two corners are
    interpolated linearly."""
    values = []
    for (first, start), (last, end) in itertools.pairwise(corners):
        values += [start + (end - start) * step / (last - first) for step in range(last - first)]
    return [*values, corners[-1][1]]


def margin_and_dwell() -> str:
    """A device that grazes the line, darts in, comes to stay, and leaves."""
    distances = along((0, 70), (25, -8), (35, 8), (45, -8), (60, 60), (75, -55), (84, 55), (100, 65), (120, -60),
                      (165, -60), (180, 12), (190, -20), (205, 75), (240, 75))  # fmt: skip
    accuracies = [5.0] * len(distances)
    runs = [
        follow("standard", TransitionPolicy.standard(), distances, accuracies),
        follow("exact", TransitionPolicy.exact(), distances, accuracies),
    ]
    drawing = Drawing("Distance to the line over time, and the states that two policies make of it", 240, 80)
    drawing.plot(runs[0], distances)
    for run in runs:
        drawing.states(run)
    return drawing.svg()


def accuracy_and_margin() -> str:
    """A device that stays inside the line while its fixes become less accurate and scatter across the line."""
    distances = along((0, 60), (40, 60), (60, -75), (110, -75))
    scatter = (30, -40, 35, -70, 25, -55, 45, -30, 50, -60)
    distances += [float(scatter[second % len(scatter)]) for second in range(110, 200)]
    distances += along((0, -75), (39, -75))
    accuracies = [5.0] * 110 + [60.0] * 90 + [5.0] * 40
    runs = [
        follow("standard", TransitionPolicy.standard(), distances, accuracies),
        follow("exact", TransitionPolicy.exact(), distances, accuracies),
    ]
    drawing = Drawing("Margins that follow the accuracy of the fixes", 240, 80)
    drawing.plot(runs[0], distances)
    for run in runs:
        drawing.states(run)
    return drawing.svg()


MINUTE = 60 * SECOND
MORNING = 1_772_433_000 * SECOND
"""Monday 2026-03-02, 07:30 in Zurich."""
HATCH = (
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">'
    f'<path d="M-1,7 L7,-1 M-1,1 L1,-1 M5,7 L7,5" stroke="{FAINT}" stroke-width="1"/></pattern>'
)


class Line(NamedTuple):
    """A row of a time line."""

    name: str
    depth: int
    what: str
    hours: Schedule | None = None
    ended: int | None = None
    """The time after which the condition is inactive for ever."""


class Mark(NamedTuple):
    """An event: its time, the name of its row, and a text, which may be empty."""

    time: int
    name: str
    words: str


def observed(monitor: Monitor, names: Sequence[str]) -> dict[str, State]:
    return {name: monitor.state(name) for name in names}


Told = tuple[int, dict[str, State], list[Mark]]
"""A time, the states of all rows at this time, and the events since the time before."""


def time_lines(title: str, lines: Sequence[Line], minutes: int, step: int, run: Iterable[Told]) -> str:
    """Draws the observed states of conditions over time, as the report does. A tall bar is satisfied, a line
    unsatisfied, a short bar unknown, hatching inactive; a grey band contains the hours.

    Args:
        title: The title of the drawing.
        lines: The rows.
        minutes: The length of the time line, which starts at `MORNING`.
        step: The minutes between two ticks.
        run: The states over time.
    """
    drawing = Drawing(title, minutes * 60, 0)
    left, gap = 250, 34
    end = MORNING + minutes * MINUTE

    def x(time: int) -> float:
        return round(left + (min(time, end) - MORNING) / (end - MORNING) * (WIDTH - left - RIGHT), 1)

    steps: dict[str, list[tuple[int, State]]] = {line.name: [] for line in lines}
    marks: list[Mark] = []
    for time, states, events in run:
        marks += events
        for name, state in states.items():
            if not steps[name] or steps[name][-1][1] != state:
                steps[name].append((time, state))
    drawing.add(f"<defs>{HATCH}</defs>")
    tops = {line.name: TOP + gap * number for number, line in enumerate(lines)}
    for line in lines:
        top, indent = tops[line.name], 16 + 22 * line.depth
        if line.depth:
            drawing.line(indent - 12, top - gap + 24, indent - 12, top + 12, FAINT)
            drawing.line(indent - 12, top + 12, indent - 3, top + 12, FAINT)
        drawing.text(indent, top + 16, line.name)
        drawing.text(left - 10, top + 16, line.what, anchor="end", colour=FAINT, size=11)
        drawing.rectangle(left, top, WIDTH - RIGHT, top + 24, PAPER)
        shut = [(MORNING, end)] if line.hours is not None else []
        for start, last in line.hours.intervals_us if line.hours is not None else ():
            if start >= end or last <= MORNING:
                continue
            drawing.rectangle(x(max(start, MORNING)), top, x(last), top + 24, FAINT, 0.3)
            before = shut.pop()
            shut += [(before[0], start), (last, end)]
        if line.ended is not None:
            shut.append((line.ended, end))
        for start, last in shut:
            if last > start:
                drawing.rectangle(x(start), top, x(last), top + 24, "url(#hatch)")
        for (start, state), (last, _) in itertools.pairwise([*steps[line.name], (end, State.UNKNOWN)]):
            if state == State.SATISFIED:
                drawing.rectangle(x(start), top + 4, x(last), top + 20, BLUE, 0.8)
            elif state == State.UNSATISFIED:
                drawing.line(x(start), top + 12, x(last), top + 12, INK)
            elif not any(first <= start < close for first, close in shut):
                drawing.rectangle(x(start), top + 9, x(last), top + 15, ORANGE, 0.8)
        if line.ended is not None:
            drawing.text(x(line.ended) + 4, top + 17, "×", size=14)
    edge = 0.0
    for mark in marks:
        top = tops[mark.name]
        drawing.line(x(mark.time), top - 2, x(mark.time), top + 26, INK, 1.6)
        if mark.words:
            is_free = x(mark.time) - edge > 60
            drawing.text(x(mark.time), top - 5, mark.words, anchor="middle" if is_free else "start", size=10)
            edge = x(mark.time)
    drawing.bottom = TOP + gap * len(lines) - 4
    for minute in range(0, minutes + 1, step):
        at = x(MORNING + minute * MINUTE)
        drawing.line(at, drawing.bottom, at, drawing.bottom + 4, FAINT)
        hour, rest = divmod(7 * 60 + 30 + minute, 60)
        drawing.text(at, drawing.bottom + 18, f"{hour:02}:{rest:02}", anchor="middle")
    return drawing.framed()


def rules() -> str:
    """The yard, the dock and the depot of the guide about rules."""
    beacon = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    hours = Schedule.weekly({"mon-fri": "08:00-17:00"}, tz="Europe/Zurich", start=day_of(2026, 3, 2))
    yard = Polygon([(47.4, 8.5), (47.4, 8.502), (47.401, 8.502), (47.401, 8.5)], order="latlon")
    silent = TransitionPolicy(notify=Notify(0))
    monitor = Monitor(beacon_exit_timeout=600)
    monitor.add(yard, "yard", policy=silent, timing=Timing(active=hours))
    monitor.add(Beacon(beacon), "dock", policy=silent)
    monitor.add(Rule.all("yard", "dock"), "depot", policy="exact")
    names = {record.generation: record.identifier for record in monitor.records()}
    inputs = {10: (47.4005, True), 29.5: (47.4005, True), 60: (47.4005, False), 100: (47.4005, True),
              106: (47.41, False), 107: (47.41, False)}  # fmt: skip

    def run() -> Iterator[Told]:
        for tick in range(10 * 6, 120 * 6 + 1):
            time = MORNING + tick * 10 * SECOND
            if tick / 6 in inputs:
                latitude, sees_dock = inputs[tick / 6]
                monitor.feed(Fix(latitude, 8.501, accuracy=5, time=time))
                if sees_dock:
                    monitor.feed_sightings([BeaconSighting(beacon, 1, 7)], time=time)
            else:
                monitor.advance(time)
            marks = [
                Mark(event.date_us or 0, "depot", f"by {names[event.decided_by]}" if event.decided_by else "")
                for event in monitor.events()
            ]
            yield time, observed(monitor, ["depot", "yard", "dock"]), marks

    lines = [Line("depot", 0, "all of 2"), Line("yard", 1, "polygon", hours), Line("dock", 1, "beacon")]
    return time_lines(
        "A rule of a yard with opening hours and a beacon, and the states of its parts", lines, 120, 15, run()
    )


def hours() -> str:
    """A device that stays in a depot with hours and a loading bay with reminders, and then leaves."""
    day = Schedule.weekly({"mon-fri": ["08:00-12:00", "13:00-17:00"]}, tz="Europe/Zurich", start=day_of(2026, 3, 2))
    monitor = Monitor()
    monitor.add(Circle(47.4, 8.5, 100), "depot", policy="exact", timing=Timing(active=day))
    monitor.add(Circle(47.4, 8.5, 100), "bay", policy="exact", timing=Timing(repeat_every=3600, max_events=4))
    monitor.add(Circle(47.5, 8.5, 100), "shift", policy="exact", timing=Timing(active=day, absent_after=900))
    ended: list[int] = []

    def run() -> Iterator[Told]:
        for minute in range(600):
            time = MORNING + minute * MINUTE
            if minute < 430 and minute % 5 == 0:
                monitor.feed(Fix(47.4 if minute < 400 else 47.41, 8.5, accuracy=5, time=time))
            else:
                monitor.advance(time)
            marks = []
            for event in monitor.events():
                if Diagnostics.EXHAUSTED in event.diagnostics:
                    ended.append(event.date_us or 0)
                marks.append(Mark(event.date_us or 0, event.identifier, ""))
            yield time, observed(monitor, ["depot", "bay", "shift"]), marks

    states = list(run())
    lines = [
        Line("depot", 0, "with hours", day),
        Line("bay", 0, "hourly, 4 events", None, ended[0]),
        Line("shift", 0, "elsewhere, with hours", day),
    ]
    return time_lines(
        "Three zones with a timing: hours, repeats with a last event, and absences", lines, 600, 60, states
    )


DRAWINGS: dict[str, Callable[[], str]] = {
    "rules.svg": rules,
    "hours.svg": hours,
    "margin-and-dwell.svg": margin_and_dwell,
    "accuracy-and-margin.svg": accuracy_and_margin,
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWINGS.items():
        (folder / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
