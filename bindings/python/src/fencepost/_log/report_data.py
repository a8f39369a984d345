"""What the report draws, as plain columns: nothing here knows of Bokeh."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from .._files.tracks import FixRow
from .._tables.rows import shown
from .._tables.times import from_us
from .._values.conditions import CircularGeographicCondition
from .._values.enums import State
from .._values.events import Event, diagnostic_names, refinement_text
from .log import Log, TrackReplay
from .visits import intervals
from .web_mercator import Ring, circle, near, thinned, unwrapped, x_of, y_of

MOST_CIRCLES = 2_000
MOST_ROWS = 60
MOST_POINTS = 50_000
_LABEL = 40
_FEW = 200

Columns = dict[str, list[Any]]


@dataclass(slots=True)
class ReportData:
    """Columns for the marks, in metres of Web Mercator and milliseconds since 1970, and what was left out."""

    lines: Columns = field(default_factory=lambda: {"x": [], "y": [], "track": []})
    circles: Columns = field(default_factory=lambda: defaultdict(list))
    events: Columns = field(default_factory=lambda: defaultdict(list))
    states: Columns = field(default_factory=lambda: defaultdict(list))
    rows: list[str] = field(default_factory=list)
    """Labels of the timeline, from above."""
    frame: tuple[float, float, float, float] | None = None
    """West, south, east, north of what the map shows at first; None: there is no position at all."""
    notes: list[str] = field(default_factory=list)


def report_data(log: Log) -> ReportData:
    """Collects what is to be drawn."""
    data = ReportData()
    reference: float | None = None
    rows: dict[tuple[int, str], int] = {}
    for number, replayed in enumerate(log.replays):
        fixes = _placed(replayed)
        if reference is None and fixes:
            reference = fixes[0][1]
        longitudes = unwrapped((fix[1] for fix in fixes), reference or 0.0)
        label = "" if log.by is None else f"{replayed.key} · "
        _add_line(data, fixes, longitudes, str(replayed.key) if log.by else replayed.source)
        where = {(fix[0], fix[1]): longitude for fix, longitude in zip(fixes, longitudes)}
        _add_states(data, log, replayed, number, label, rows)
        _add_events(data, replayed, where, reference or 0.0, label, number, rows)
    _find_frame(data)
    _add_circles(data, log, reference)
    skipped = log.counts.late_fixes, log.counts.invalid_fixes
    if any(skipped):
        data.notes.append(f"{skipped[0]} late fixes and {skipped[1]} without a usable position are not drawn.")
    return data


def _placed(replayed: TrackReplay) -> list[FixRow]:
    """The fixes that the monitor took."""
    taken, clock = [], None
    for fix in replayed.fixes:
        if fix[2] >= 0 and abs(fix[0]) <= 90 and abs(fix[1]) <= 180 and (clock is None or fix[3] >= clock):
            clock = fix[3]
            taken.append(fix)
    return taken


def _add_line(data: ReportData, fixes: list[FixRow], longitudes: list[float], name: str) -> None:
    points = [(x_of(longitude), y_of(fix[0])) for fix, longitude in zip(fixes, longitudes)]
    kept = thinned(points, MOST_POINTS)
    if len(kept) < len(points):
        data.notes.append(f"The line of {name} is drawn with {len(kept)} of its {len(points)} points.")
    data.lines["x"].append([points[index][0] for index in kept])
    data.lines["y"].append([points[index][1] for index in kept])
    data.lines["track"].append(name)


def _add_states(
    data: ReportData, log: Log, replayed: TrackReplay, number: int, label: str, rows: dict[tuple[int, str], int]
) -> None:
    """One row a condition; where there are too many those that changed most."""
    busy: dict[str, int] = dict.fromkeys(log.assumed, 0)
    for event in replayed.events:
        busy[event.identifier] = busy.get(event.identifier, 0) + 1
    room = MOST_ROWS - len(data.rows)
    wanted = set(sorted(busy, key=lambda identifier: -busy[identifier])[: max(room, 0)])
    if len(wanted) < len(busy):
        data.notes.append(
            f"The timeline{' of ' + label[:-3] if label else ''} shows {len(wanted)} of {len(busy)} conditions."
        )
    end = replayed.end_us
    for identifier in busy:
        if identifier in wanted:
            rows[number, identifier] = len(data.rows)
            text = label + identifier
            data.rows.append(text if len(text) <= _LABEL else text[: _LABEL - 1] + "…")
    for part in intervals(replayed.events, replayed.begin_us, log.assumed):
        row = rows.get((number, part.identifier))
        last = part.end_us if part.end_us is not None else end
        if row is None or last is None:
            continue
        add = {
            "left": part.start_us / 1000,
            "right": last / 1000,
            "row": row,
            "name": label + part.identifier,
            "state": str(part.state),
            "from": shown(from_us(part.start_us)),
            "until": shown(from_us(part.end_us)) or "the end of the log",
            "cause": str(part.cause) if str(part.cause) != "none" else "from the beginning",
        }
        for column, value in add.items():
            data.states[column].append(value)


def _add_events(
    data: ReportData,
    replayed: TrackReplay,
    where: dict[tuple[float, float], float],
    reference: float,
    label: str,
    number: int,
    rows: dict[tuple[int, str], int],
) -> None:
    for event in replayed.events:
        x = y = float("nan")
        if event.latitude is not None and event.longitude is not None:
            place = (event.latitude, event.longitude)
            x, y = x_of(where.get(place, near(event.longitude, reference))), y_of(event.latitude)
        add = {
            "x": x,
            "y": y,
            "time": float("nan") if event.date_us is None else event.date_us / 1000,
            "row": rows.get((number, event.identifier), float("nan")),
            "name": label + event.identifier,
            **_texts(event),
        }
        for column, value in add.items():
            data.events[column].append(value)


def _texts(event: Event) -> dict[str, str]:
    distance = event.boundary_distance
    side = "" if distance is None else f"{abs(distance):,.1f} m {'inside' if distance <= 0 else 'outside'} the line"
    accuracy = "not reported" if event.accuracy == 0 else "" if event.accuracy is None else f"{event.accuracy:,.1f} m"
    return {
        "state": str(event.state),
        "sequence": str(event.sequence),
        "cause": str(event.cause),
        "date": shown(event.date),
        "evidence": shown(event.evidence_date) or "none",
        "distance": side or refinement_text(event) or "no position",
        "accuracy": accuracy or "–",
        "flags": ", ".join(diagnostic_names(event.diagnostics)) or "–",
    }


def _find_frame(data: ReportData) -> None:
    xs = [x for line in data.lines["x"] for x in line] + [x for x in data.events["x"] if x == x]
    ys = [y for line in data.lines["y"] for y in line] + [y for y in data.events["y"] if y == y]
    if xs:
        # A device that stayed where it was still gets a map of some streets.
        east, north = max(600 - (max(xs) - min(xs)), 0) / 2, max(400 - (max(ys) - min(ys)), 0) / 2
        data.frame = (min(xs) - east, min(ys) - north, max(xs) + east, max(ys) + north)


def _add_circles(data: ReportData, log: Log, reference: float | None) -> None:
    conditions = [
        (identifier, condition)
        for identifier, condition in log.conditions.items()
        if isinstance(condition, CircularGeographicCondition)
    ]
    middle = reference or 0.0
    if data.frame is not None:
        middle = (data.frame[0] + data.frame[2]) / 2 / x_of(1.0)
    seen: dict[str, int] = defaultdict(int)
    spent: dict[str, float] = defaultdict(float)
    for visit in log.visits():
        seen[visit.identifier] += 1
        spent[visit.identifier] += visit.duration.total_seconds()
    drawn = sorted(conditions, key=lambda pair: -seen[pair[0]])[:MOST_CIRCLES]
    if len(drawn) < len(conditions):
        data.notes.append(f"{len(drawn)} of {len(conditions)} circles are drawn.")
    for identifier, condition in drawn:
        longitude = near(condition.longitude, middle)
        rings = circle(condition.latitude, longitude, condition.radius, 180 if len(drawn) <= _FEW else 60)
        xs, ys = [[x_of(value) for value in ring[0]] for ring in rings], [[y_of(v) for v in ring[1]] for ring in rings]
        count, seconds = seen[identifier], spent[identifier]
        add = {
            "xs": [xs],
            "ys": [ys],
            "name": identifier,
            "label": identifier if len(identifier) <= _LABEL else identifier[: _LABEL - 1] + "…",
            "label_x": x_of(longitude),
            "label_y": max(ys[0]),
            "radius": f"{condition.radius:,g} m",
            "centre": f"{condition.latitude:.5f}, {condition.longitude:.5f}",
            "alpha": 0.16 if count else 0.04,
            "visits": f"{count} ({seconds / 60:,.1f} min)" if count else "none",
        }
        for column, value in add.items():
            data.circles[column].append(value)
        _widen(data, rings, xs[0], ys[0])


def _widen(data: ReportData, rings: list[Ring], xs: list[float], ys: list[float]) -> None:
    """Lets the map show the whole of a circle that touches it and is not much larger than the track."""
    if data.frame is None or len(rings) > 1:
        if data.frame is None:
            data.frame = (min(xs), min(ys), max(xs), max(ys))
        return
    west, south, east, north = data.frame
    size = max(east - west, north - south)
    touches = min(xs) <= east and max(xs) >= west and min(ys) <= north and max(ys) >= south
    if touches and max(xs) - min(xs) <= 1.5 * size:
        data.frame = (min(west, *xs), min(south, *ys), max(east, *xs), max(north, *ys))


STATE_COLOURS = {
    State.SATISFIED: "#0072b2",
    State.UNSATISFIED: "#dfe3e8",
    State.UNKNOWN: "#ffffff",
    State.UNMONITORED: "#5b6470",
}
"""Of the timeline; blue and vermilion are told apart by those who do not see red and green."""
EVENT_COLOURS = {
    State.SATISFIED: "#0072b2",
    State.UNSATISFIED: "#d55e00",
    State.UNKNOWN: "#5b6470",
    State.UNMONITORED: "#5b6470",
}
EVENT_MARKS = {
    State.SATISFIED: "triangle",
    State.UNSATISFIED: "inverted_triangle",
    State.UNKNOWN: "diamond",
    State.UNMONITORED: "diamond",
}
