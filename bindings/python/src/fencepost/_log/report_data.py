"""The data of the report as plain columns, independent of Bokeh."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._files.tracks import FixRow
from .._tables.html import text as shown
from .._tables.times import from_us
from .._values.conditions import Circle
from .._values.enums import Cause, CrossingDirection, State
from .._values.events import Event, diagnostic_names, direction_words, path_words, refinement_text
from .._values.lines import Gate
from .._values.shapes import Corridor, Polygon
from .log import Log, TrackReplay
from .outlines import Polygons, corridor, in_metres, lines, polygon
from .visits import Visits, intervals
from .web_mercator import Ring, circle, near, thinned, unwrapped, x_of, y_of

MOST_PLACES = 5_000
MOST_CORNERS = 300_000
"""Of the outlines of all polygons and corridors together."""
MOST_ROWS = 60
MOST_POINTS = 60_000
"""Of the lines of all tracks together: what a browser draws while it is dragged."""
MOST_EVENTS = 20_000
_LABEL = 40
# Corners of a circle, by how many places there are: the page stays small enough to open at once.
_CORNERS = ((200, 180), (1_000, 60), (MOST_PLACES, 36))

Columns = dict[str, list[Any]]
Place: TypeAlias = Circle | Polygon | Corridor | Gate
_PLACES = (
    Circle,
    Polygon,
    Corridor,
    Gate,
)


@dataclass(slots=True)
class ReportData:
    """Columns for the marks, in metres of Web Mercator and milliseconds since 1970, and the counts of omitted marks."""

    lines: Columns = field(default_factory=lambda: {"x": [], "y": [], "track": [], "colour": [], "alpha": []})
    places: Columns = field(default_factory=lambda: defaultdict(list))
    events: Columns = field(default_factory=lambda: defaultdict(list))
    states: Columns = field(default_factory=lambda: defaultdict(list))
    rows: list[str] = field(default_factory=list)
    """Labels of the timeline, from above."""
    frame: tuple[float, float, float, float] | None = None
    """West, south, east, north of what the map shows at first; None: there is no position at all."""
    notes: list[str] = field(default_factory=list)


def report_data(log: Log, visits: Visits | None = None) -> ReportData:
    """Collects the data to draw.

    Args:
        log: Of one track or of many.
        visits: Those of the log, where they have been made already.
    """
    data = ReportData()
    reference: float | None = None
    rows: dict[tuple[int, str], int] = {}
    drawn = _drawn_events(log, data.notes)
    wanted = _timeline_rows(log, data.notes)
    fixes_of_all = sum(len(replayed.fixes) for replayed in log.replays)
    thin = 0
    for number, replayed in enumerate(log.replays):
        fixes = _with_path(_placed(replayed), replayed)
        if reference is None and fixes:
            reference = fixes[0][1]
        longitudes = unwrapped((fix[1] for fix in fixes), reference or 0.0)
        label = "" if log.by is None else f"{replayed.key} · "
        share = max(MOST_POINTS * len(replayed.fixes) // max(fixes_of_all, 1), 2)
        name = str(replayed.key) if log.by else replayed.source
        thin += _add_line(data, fixes, longitudes, name, share, track_colour(number, len(log.replays)))
        places = {(event.latitude, event.longitude) for event in drawn[number]}
        where: dict[tuple[float | None, float | None], float] = {
            fix[:2]: longitude for fix, longitude in zip(fixes, longitudes) if fix[:2] in places
        }
        _add_states(data, log, replayed, wanted[number], number, label, rows)
        _add_events(data, drawn[number], where, reference or 0.0, label, number, rows)
    if thin:
        points = sum(len(line) for line in data.lines["x"])
        data.notes.append(f"Lines are drawn with {points:,} of {points + thin:,} points.")
    _find_frame(data)
    _add_places(data, log, log.visits() if visits is None else visits, reference)
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


def _with_path(fixes: list[FixRow], replayed: TrackReplay) -> list[FixRow]:
    """The same with the points of the path that decided something, so that the line goes through them."""
    points: set[Any] = {
        (event.latitude, event.longitude, event.accuracy, event.evidence_date_us)
        for event in replayed.events
        if event.is_on_path
    }
    if not points:
        return fixes
    # A point at the time of fixes is the end of the way to the first of them.
    rows = [(row[3], 0, row) for row in points] + [(row[3], 1, row) for row in fixes]
    return [row for _, _, row in sorted(rows, key=lambda each: each[:2])]


def track_colour(number: int, tracks: int) -> str:
    """The colour of a track's line: a quiet one where it is the only one."""
    return _LINE if tracks == 1 else TRACK_COLOURS[number % len(TRACK_COLOURS)]


def _drawn_events(log: Log, notes: list[str]) -> list[list[Event]]:
    """The events that are drawn, by track: all, unless there are too many. First to go is that a place was found not
    to be satisfied when a track began; of the rest, every so many."""
    found = [list(replayed.events) for replayed in log.replays]
    total = sum(len(events) for events in found)
    if total <= MOST_EVENTS:
        return found
    told = [[event for event in events if not _is_first_outside(event)] for events in found]
    left = sum(len(events) for events in told)
    step = max(-(-left // MOST_EVENTS), 1)
    told = [events[::step] for events in told]
    notes.append(f"{sum(len(events) for events in told):,} of {total:,} events are drawn; the list of visits is whole.")
    return told


def _timeline_rows(log: Log, notes: list[str]) -> list[list[str]]:
    """The identifiers that have a row in the timeline, by track: all, unless there are too many. Those stay that were
    satisfied most often, wherever they are, then those that changed most."""
    found: list[dict[str, list[int]]] = []
    for replayed in log.replays:
        busy = {identifier: [0, 0] for identifier in log.assumed}
        for event in replayed.events:
            score = busy.setdefault(event.identifier, [0, 0])
            score[0] -= event.state is State.SATISFIED
            score[1] -= 1
        found.append(busy)
    total = sum(len(busy) for busy in found)
    if total <= MOST_ROWS:
        return [list(busy) for busy in found]
    ranked = sorted((score, number, name) for number, busy in enumerate(found) for name, score in busy.items())
    chosen = {(number, name) for _, number, name in ranked[:MOST_ROWS]}
    what = "conditions" if len(found) == 1 else "pairs of a track and a condition"
    notes.append(f"The timeline shows {MOST_ROWS} of {total:,} {what}: those that were satisfied most often.")
    return [[name for name in busy if (number, name) in chosen] for number, busy in enumerate(found)]


def _is_first_outside(event: Event) -> bool:
    return event.cause is Cause.DETERMINATION and event.state is State.UNSATISFIED


def _add_line(data: ReportData, fixes: list[FixRow], longitudes: list[float], name: str, most: int, colour: str) -> int:
    """Draws a track; returns how many of its points are left out."""
    kept = thinned([(longitude, fix[0]) for fix, longitude in zip(fixes, longitudes)], most)
    data.lines["x"].append([round(x_of(longitudes[index]), 2) for index in kept])
    data.lines["y"].append([round(y_of(fixes[index][0]), 2) for index in kept])
    data.lines["track"].append(name)
    data.lines["colour"].append(colour)
    data.lines["alpha"].append(0.75)
    return len(fixes) - len(kept)


def _add_states(
    data: ReportData,
    log: Log,
    replayed: TrackReplay,
    wanted: list[str],
    number: int,
    label: str,
    rows: dict[tuple[int, str], int],
) -> None:
    """The bars of a track's rows, which get their places here."""
    end = replayed.end_us
    for identifier in wanted:
        rows[number, identifier] = len(data.rows)
        text = label + identifier
        data.rows.append(text if len(text) <= _LABEL else text[: _LABEL - 1] + "…")
    # The last one drawn is on top: the borders of its neighbours do not hide a short visit.
    parts = list(intervals(replayed.events, replayed.begin_us, log.assumed))
    for part in sorted(parts, key=lambda part: part.state is State.SATISFIED):
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
            "edge": STATE_EDGES[part.state],
            "width": 2.0 if part.state is State.SATISFIED else 0.6,
            "from": shown(from_us(part.start_us)),
            "until": shown(from_us(part.end_us)) or "the end of the log",
            "cause": str(part.cause) if str(part.cause) != "none" else "from the beginning",
        }
        for column, value in add.items():
            data.states[column].append(value)


def _add_events(
    data: ReportData,
    events: list[Event],
    where: dict[tuple[float | None, float | None], float],
    reference: float,
    label: str,
    number: int,
    rows: dict[tuple[int, str], int],
) -> None:
    for event in events:
        x = y = float("nan")
        if event.latitude is not None and event.longitude is not None:
            place = (event.latitude, event.longitude)
            x, y = x_of(where.get(place, near(event.longitude, reference))), y_of(event.latitude)
        add = {
            "x": x,
            "y": y,
            "time": float("nan") if event.date_us is None else event.date_us / 1000,
            "row": rows.get((number, event.identifier), float("nan")),
            "track": number,
            "name": label + event.identifier,
            **_texts(event),
        }
        for column, value in add.items():
            data.events[column].append(value)


def _texts(event: Event) -> dict[str, str]:
    distance = event.boundary_distance
    side = "" if distance is None else f"{abs(distance):,.1f} m {'inside' if distance <= 0 else 'outside'} the line"
    if event.direction is not None:
        side = "on the line"
    accuracy = "not reported" if event.accuracy == 0 else "" if event.accuracy is None else f"{event.accuracy:,.1f} m"
    return {
        "state": str(event.state) if event.direction is None else direction_words(event.direction),
        "sequence": str(event.sequence),
        "cause": str(event.cause),
        "date": shown(event.date),
        "evidence": ", ".join([shown(event.evidence_date) or "none", *path_words(event)]),
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


def _add_places(data: ReportData, log: Log, visits: Visits, reference: float | None) -> None:
    places: list[tuple[str, Place]] = [
        (identifier, condition) for identifier, condition in log.conditions.items() if isinstance(condition, _PLACES)
    ]
    crossings = _crossings(log)
    middle = reference or 0.0
    if data.frame is not None:
        middle = (data.frame[0] + data.frame[2]) / 2 / x_of(1.0)
    seen: dict[str, int] = defaultdict(int)
    spent: dict[str, float] = defaultdict(float)
    for visit in visits:
        seen[visit.identifier] += 1
        spent[visit.identifier] += visit.duration.total_seconds()
    drawn = sorted(places, key=lambda pair: -seen[pair[0]])[:MOST_PLACES]
    if len(drawn) < len(places):
        data.notes.append(f"{len(drawn)} of {len(places)} places are drawn.")
    corners = next(corners for most, corners in _CORNERS if len(drawn) <= most)
    most = max(MOST_CORNERS // max(len(drawn), 1), 12)
    for identifier, condition in drawn:
        polygons = [[_thin(ring, most) for ring in rings] for rings in _outline(condition, middle, corners)]
        if not polygons:
            continue
        xs, ys = polygons[0][0]
        count, seconds = seen[identifier], spent[identifier]
        add = {
            "xs": [[ring[0] for ring in rings] for rings in polygons],
            "ys": [[ring[1] for ring in rings] for rings in polygons],
            "name": identifier,
            "label": identifier if len(identifier) <= _LABEL else identifier[: _LABEL - 1] + "…",
            "label_x": (min(xs) + max(xs)) / 2,
            "label_y": max(ys),
            "what": _described(condition),
            "alpha": 0.16 if count else 0.04,
            "visits": crossings.get(identifier) or (f"{count} ({seconds / 60:,.1f} min)" if count else "none"),
        }
        for column, value in add.items():
            data.places[column].append(value)
        _widen(data, polygons)


def _crossings(log: Log) -> dict[str, str]:
    """How often each gate was crossed, in words."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for replayed in log.replays:
        for event in replayed.events:
            if event.direction is not None:
                found[event.identifier][direction_words(event.direction)] += 1
    return {name: ", ".join(f"{count} {word}" for word, count in sorted(by.items())) for name, by in found.items()}


def _outline(condition: Place, middle: float, corners: int) -> Polygons:
    """A place as the map shows it, near a longitude."""
    if isinstance(condition, Circle):
        longitude = near(condition.longitude, middle)
        return in_metres([circle(condition.latitude, longitude, condition.radius, corners)])
    if isinstance(condition, Polygon):
        return polygon(condition.parts, condition.edges, condition.oriented, middle)
    if isinstance(condition, Gate):
        return lines(condition.lines, condition.edges, middle)
    return corridor(condition.lines, condition.radius, condition.edges, middle)


def _described(condition: Place) -> str:
    if isinstance(condition, Circle):
        return f"radius {condition.radius:,g} m around {condition.latitude:.5f}, {condition.longitude:.5f}"
    return condition.described


def _thin(ring: Ring, most: int) -> Ring:
    """A ring with the corners that are seen, in centimetres."""
    kept = thinned(list(zip(*ring)), most)
    return [round(ring[0][index], 2) for index in kept], [round(ring[1][index], 2) for index in kept]


def _widen(data: ReportData, polygons: Polygons) -> None:
    """Lets the map show the whole of a place that touches it and is not much larger than the track."""
    xs = [x for rings in polygons for x in rings[0][0]]
    ys = [y for rings in polygons for y in rings[0][1]]
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
STATE_EDGES = {
    State.SATISFIED: "#0072b2",
    State.UNSATISFIED: "#c3cad2",
    State.UNKNOWN: "#c3cad2",
    State.UNMONITORED: "#5b6470",
}
"""Of the timeline's bars: that of a satisfied state has its colour, so that a visit of a moment is still two pixels."""
_LINE = "#30363d"
TRACK_COLOURS = ("#332288", "#44aa99", "#882255", "#999933", "#cc6677", "#117733", "#88ccee", "#aa4499", "#ddcc77")
"""Of lines, where there are several tracks: the scheme "muted" of Paul Tol, "Colour schemes" (SRON/EPS/TN/09-002,
2021), which those who do not see red and green tell apart; the tenth track begins anew."""
LEFT_TO_RIGHT, RIGHT_TO_LEFT = (direction_words(direction) for direction in CrossingDirection)
EVENT_COLOURS: dict[str, str] = {
    State.SATISFIED: "#0072b2",
    State.UNSATISFIED: "#d55e00",
    State.UNKNOWN: "#5b6470",
    State.UNMONITORED: "#5b6470",
    LEFT_TO_RIGHT: "#009e73",
    RIGHT_TO_LEFT: "#cc79a7",
}
EVENT_MARKS: dict[str, str] = {
    State.SATISFIED: "triangle",
    State.UNSATISFIED: "inverted_triangle",
    State.UNKNOWN: "diamond",
    State.UNMONITORED: "diamond",
    LEFT_TO_RIGHT: "square",
    RIGHT_TO_LEFT: "circle",
}
