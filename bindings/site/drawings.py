#!/usr/bin/env python3
"""Draws the documentation's time lines as SVG, from the engine's real results.

    .venv/bin/python bindings/site/drawings.py [FOLDER]

The drawings are written to FOLDER, by default bindings/site/pictures.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost import Circle, Fix, Monitor, State, TransitionPolicy, geodesic
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


DRAWINGS: dict[str, Callable[[], str]] = {
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
