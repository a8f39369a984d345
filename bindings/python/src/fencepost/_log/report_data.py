"""The report's data as numbers and strings, without HTML."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import isinf, log1p, sqrt
from typing import Any, TypeAlias

from .._files.tracks import FixRow
from .._tables.html import text as shown
from .._values.bands import AltitudeBand
from .._values.conditions import Circle, is_rule
from .._values.enums import Cause, Diagnostics, HeightReference, State
from .._values.events import Event, diagnostic_names, height_text, path_words, refinement_text
from .._values.lines import Gate
from .._values.shapes import Corridor, Polygon
from .doubted import DoubtedFix, placed
from .hours import closed, has_hours, open_hours, windows
from .log import Log, TrackReplay
from .outlines import Polygons, corridor, in_metres, lines, polygon
from .report_rules import deciders, rules_of_report
from .visits import Known, VisitRow, intervals
from .web_mercator import Ring, circle, near, thinned, unwrapped, x_of, y_of

MOST_PLACES = 5_000
MOST_CORNERS = 300_000
"""Maximum number of corners in the outlines of all places together."""
MOST_POINTS = 60_000
"""Maximum number of points in the lines of all tracks together, so that a browser can redraw them while the map is
dragged."""
MOST_EVENTS = 20_000
MOST_DOUBTS = 5_000
MOST_CLOSED = 20_000
"""Maximum number of intervals outside the hours of all places together."""
# The number of corners of a circle depends on the number of places: with many places, circles have fewer corners, so
# that the page opens quickly.
_CORNERS = ((200, 180), (1_000, 60), (MOST_PLACES, 36))
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
KNOWN = list(Known)

Place: TypeAlias = Circle | Polygon | Corridor | Gate
_PLACES = (Circle, Polygon, Corridor, Gate)


@dataclass(slots=True)
class ReportData:
    """The data that the page's script reads, and the notes on omitted data.

    Attributes:
        tracks: For each track, its name, the time of its last fix (milliseconds since 1970, or None without a fix), and
            its line. The line is an encoded word (see `word`) that contains eastings and northings in Web Mercator
            decimetres, and times in milliseconds.
        places: The identifiers of all conditions.
        outlines: For each drawn place, its number, its polygons, its description, and whether it is a gate. A polygon
            is a list of encoded words, one for the outer ring and one for each hole. A gate has one word for each of
            its lines.
        visits: Rows with the track, place, start, end or None, last time (the end of the log for an open visit), two
            indices in `KNOWN` (how the start is known, and how the end is known), confirmed start, and confirmed end or
            None. Times are in milliseconds.
        unknown: Rows with the track, place, start and end of each interval with an unknown state. Only two cases are
            included: pairs of a track and a place with visits or crossings, and places that stopped being monitored.
        events: Rows with the track, place, kind (see `_kind`), time, easting, northing (both None without a position),
            and a text. If the policy has probabilities, the row also has the accuracy of the fix in metres and the
            probability. If the fix also has an error ellipse, the row has the semi-axes in metres of the ellipse that
            contains the same share of the true positions as the accuracy, and its orientation in degrees.
        closed: For each place with a schedule, its number, None, and the intervals in which it is inactive; the list
            may be empty. For each place that the events of a track exhausted, its number, the track, and the interval
            after the last event. Times are in milliseconds.
        timed: The numbers of the places with a timing.
        exhausted: The number of the place, the number of the track, and the time in milliseconds of each event that
            exhausted a place.
        rules, kinds, steps: The rules, their parts and their states over time; see :class:`RulesOfReport`. The states
            are encoded words.
        deciders: For each event that a part of a rule decided, the index of the event in `events`, and the number of
            the part.
        bands: For each place with a band of heights, its number, and the number of its band in `levels`.
        levels: The bands, from the lowest to the highest above each reference: a text, and the colour (0 to 2).
        doubts: Rows with the track, time, easting and northing of a doubted fix, easting and northing of the fix before
            it, and the reason of the doubt.
        frame: West, south, east and north of the initial map view, in metres. `frame` is None if the log contains no
            positions.
    """

    tracks: list[tuple[str, float | None, str]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    outlines: list[tuple[int, list[list[str]], str, bool]] = field(default_factory=list)
    visits: list[tuple[Any, ...]] = field(default_factory=list)
    unknown: list[tuple[int, int, float, float]] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    closed: list[tuple[int, int | None, list[tuple[float, float]]]] = field(default_factory=list)
    timed: list[int] = field(default_factory=list)
    exhausted: list[tuple[int, int, float]] = field(default_factory=list)
    rules: list[tuple[int, str, list[int]]] = field(default_factory=list)
    kinds: list[tuple[int, str]] = field(default_factory=list)
    steps: list[tuple[int, int, str]] = field(default_factory=list)
    deciders: list[tuple[int, int]] = field(default_factory=list)
    bands: list[tuple[int, int]] = field(default_factory=list)
    levels: list[tuple[str, int]] = field(default_factory=list)
    doubts: list[tuple[Any, ...]] = field(default_factory=list)
    frame: tuple[float, float, float, float] | None = None
    period: tuple[float, float] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def page(self) -> dict[str, Any]:
        """The report's data in the form that the script of the page reads."""
        names = (
            "tracks",
            "places",
            "outlines",
            "visits",
            "unknown",
            "events",
            "closed",
            "timed",
            "exhausted",
            "rules",
            "kinds",
            "steps",
            "deciders",
            "bands",
            "levels",
            "doubts",
            "frame",
            "period",
        )
        return {name: getattr(self, name) for name in names} | {"known": [str(each) for each in KNOWN]}


def word(rows: Iterable[tuple[int, ...]]) -> str:
    """Encodes the first row, and then the differences from each row to the next, as signed Base64 VLQ numbers, as in
    source maps."""
    found: list[str] = []
    last: tuple[int, ...] | None = None
    for row in rows:
        for value in row if last is None else (here - before for here, before in zip(row, last)):
            rest = -2 * value + 1 if value < 0 else 2 * value
            while rest > 31:
                found.append(_DIGITS[rest & 31 | 32])
                rest >>= 5
            found.append(_DIGITS[rest])
        last = row
    return "".join(found)


def report_data(log: Log) -> ReportData:
    """Collects the data that the report draws.

    Args:
        log: The log of one or more tracks.
    """
    data = ReportData(places=list(log.conditions))
    numbers = {identifier: number for number, identifier in enumerate(data.places)}
    rows = log.visits()._plain()
    places_of = _Numbers(data.places, numbers)
    reference: float | None = None
    drawn = _drawn_events(log, data.notes)
    fixes_of_all = sum(len(replayed.fixes) for replayed in log.replays)
    thin = 0
    doubts: list[tuple[int, DoubtedFix]] = []
    confidence = log._options.get("accuracy_confidence", CONFIDENCE)
    span: list[float] = []
    tracks = {replayed.key: number for number, replayed in enumerate(log.replays)}
    _add_visits(data, rows, tracks, places_of)
    pairs = {(row[0], row[1]) for row in data.visits}
    timed = {row.identifier for row in log._conditions if row.timing is not None}
    data.timed += (numbers[identifier] for identifier in timed)
    data.timed.sort()
    _add_bands(data, log, numbers)
    decider = deciders(log._conditions)
    for number, replayed in enumerate(log.replays):
        doubted: list[DoubtedFix] = []
        if log._separate is None:
            accepted = placed(replayed.fixes)
        else:
            accepted, doubted = log._separate(replayed.fixes)
        doubts += ((number, doubt) for doubt in doubted)
        fixes = _with_path(accepted, replayed)
        if reference is None and fixes:
            reference = fixes[0][1]
        longitudes = unwrapped((fix[1] for fix in fixes), reference or 0.0)
        share = max(MOST_POINTS * len(replayed.fixes) // max(fixes_of_all, 1), 2)
        name = str(replayed.key) if log.by else replayed.source
        thin += _add_line(data, fixes, longitudes, name, share, span)
        here = {(event.latitude, event.longitude) for event in drawn[number]}
        where: dict[tuple[float | None, float | None], float] = {
            fix[:2]: longitude for fix, longitude in zip(fixes, longitudes) if fix[:2] in here
        }
        for event in drawn[number]:
            if event.direction is not None or event.identifier in timed:
                pairs.add((number, places_of[event.identifier]))
        ellipses = _ellipses(drawn[number], fixes)
        first = len(data.events)
        _add_events(data, drawn[number], where, reference or 0.0, number, places_of, confidence, ellipses, timed)
        names = map(decider, drawn[number])
        data.deciders += [(at, places_of[name]) for at, name in enumerate(names, first) if name is not None]
        _add_unknown(data, log, replayed, number, pairs, places_of)
    _add_rules(data, log, pairs, places_of)
    if thin:
        points = fixes_of_all - thin
        data.notes.append(f"Lines are drawn with {points:,} of {points + thin:,} points.")
    _add_doubts(data, doubts, reference or 0.0)
    _find_frame(data, span)
    _add_places(data, log, reference, numbers)
    begins = [each.begin_us for each in log.replays if each.begin_us is not None]
    ends = [each.end_us for each in log.replays if each.end_us is not None]
    if begins and ends:
        data.period = (min([*begins, *(row[2] * 1000 for row in data.visits)]) / 1000, max(ends) / 1000)
        _add_closed(data, log, min(begins), max(ends), places_of)
    skipped = log.counts.late_fixes, log.counts.invalid_fixes
    if any(skipped):
        data.notes.append(f"{skipped[0]} late fixes and {skipped[1]} without a usable position are not drawn.")
    return data


class _Numbers(dict[str, int]):
    """Maps the identifiers of conditions to their numbers in the report. An identifier that is not yet in the mapping
    belongs to a removed condition, and gets the next number."""

    def __init__(self, names: list[str], numbers: dict[str, int]) -> None:
        super().__init__(numbers)
        self._names = names

    def __missing__(self, name: str) -> int:
        self._names.append(name)
        self[name] = len(self._names) - 1
        return self[name]


def _add_visits(data: ReportData, rows: list[VisitRow], tracks: dict[Any, int], places: _Numbers) -> None:
    index = {each: number for number, each in enumerate(KNOWN)}
    for row in rows:
        data.visits.append(
            (
                tracks.get(row.track, 0),
                places[row.identifier],
                row.start_us / 1000,
                None if row.left_us is None else row.left_us / 1000,
                row.last_us / 1000,
                index[row.start_known],
                index[row.end_known],
                row.confirmed_start_us / 1000,
                None if row.confirmed_end_us is None else row.confirmed_end_us / 1000,
            )
        )


def _with_path(fixes: list[FixRow], replayed: TrackReplay) -> list[FixRow]:
    """Adds the path points at which events were decided, so that the drawn line passes through these points."""
    points: set[Any] = {
        (event.latitude, event.longitude, event.accuracy, event.evidence_date_us)
        for event in replayed.events
        if event.is_on_path
    }
    if not points:
        return fixes
    # If a point of the path has the same time as fixes, sort the point before the fixes, because the movement to the
    # first of these fixes ends there.
    rows = [(row[3], 0, row) for row in points] + [(row[3], 1, row) for row in fixes]
    return [row for _, _, row in sorted(rows, key=lambda each: each[:2])]


def _drawn_events(log: Log, notes: list[str]) -> list[list[Event]]:
    """The events to draw, by track; the events that determine the initial state `unsatisfied` are left out, except
    those of rules, and of conditions with a timing, which may say that a device is absent. If there are more than
    `MOST_EVENTS`, keeps only every n-th event."""
    kept = {row.identifier for row in log._conditions if row.timing is not None or is_rule(row.condition)}
    found = [
        [event for event in replayed.events if event.identifier in kept or not _is_first_outside(event)]
        for replayed in log.replays
    ]
    total = sum(len(events) for events in found)
    step = max(-(-total // MOST_EVENTS), 1)
    if step > 1:
        found = [events[::step] for events in found]
        notes.append(
            f"Only the evidence of {sum(map(len, found)):,} of {total:,} events is included; the visits are complete."
        )
    return found


def _is_first_outside(event: Event) -> bool:
    return event.cause is Cause.DETERMINATION and event.state is State.UNSATISFIED


def _add_line(
    data: ReportData, fixes: list[FixRow], longitudes: list[float], name: str, most: int, span: list[float]
) -> int:
    """Adds the line of a track and appends the line's bounds to `span`. Returns how many of the line's points are left
    out."""
    kept = thinned([(longitude, fix[0]) for fix, longitude in zip(fixes, longitudes)], most)
    points = [(x_of(longitudes[index]), y_of(fixes[index][0]), fixes[index][3]) for index in kept]
    line = word((round(10 * x), round(10 * y), time // 1000) for x, y, time in points)
    data.tracks.append((name, fixes[-1][3] / 1000 if fixes else None, line))
    if points:
        xs, ys, _ = zip(*points)
        span += (min(xs), min(ys), max(xs), max(ys))
    return len(fixes) - len(kept)


def _add_unknown(
    data: ReportData, log: Log, replayed: TrackReplay, number: int, pairs: set[tuple[int, int]], places: _Numbers
) -> None:
    end = replayed.end_us
    wanted = {data.places[place] for track, place in pairs if track == number}
    stopped = {event.identifier for event in replayed.events if event.state is State.UNMONITORED}
    changes, states = log._changes(replayed)
    events = [event for event in changes if event.identifier in wanted or event.identifier in stopped]
    assumed = {name: state for name, state in states.items() if name in wanted}
    timed = {row.identifier: row for row in log._conditions if has_hours(row)}
    for part in intervals(events, replayed.begin_us, assumed):
        last = part.end_us if part.end_us is not None else end
        is_unknown = part.state in (State.UNKNOWN, State.UNMONITORED) and part.cause is not None
        if not is_unknown or last is None or last <= part.start_us:
            continue
        spans = [(part.start_us, last)]
        if part.identifier in timed:
            spans = open_hours(timed[part.identifier], *spans[0])
        for start, stop in spans:
            data.unknown.append((number, places[part.identifier], start / 1000, stop / 1000))


def _ellipses(events: list[Event], fixes: list[FixRow]) -> dict[tuple[Any, ...], tuple[float, ...]]:
    """The error ellipses of the fixes that decided the events of policies with probabilities, by position and time."""
    wanted = {_evidence(event) for event in events if event.probability is not None}
    found: dict[tuple[Any, ...], tuple[float, ...]] = {}
    for latitude, longitude, _, time, *beside in fixes:
        if beside and beside[0] == beside[0] and (latitude, longitude, time) in wanted:
            found[latitude, longitude, time] = tuple(beside[:3])
    return found


def _evidence(event: Event) -> tuple[float | None, float | None, int | None]:
    return event.latitude, event.longitude, event.evidence_date_us


def _add_events(
    data: ReportData,
    events: list[Event],
    where: dict[tuple[float | None, float | None], float],
    reference: float,
    number: int,
    places: _Numbers,
    confidence: float,
    ellipses: Mapping[tuple[Any, ...], tuple[float, ...]],
    timed: Collection[str],
) -> None:
    # The share of a two-dimensional normal distribution inside k standard deviations is 1 - exp(-k²/2).
    scale = sqrt(-2 * log1p(-confidence))
    for event in events:
        x = y = None
        if event.latitude is not None and event.longitude is not None:
            place = (event.latitude, event.longitude)
            x = round(x_of(where.get(place, near(event.longitude, reference))), 1)
            y = round(y_of(event.latitude), 1)
        kind = _kind(event, event.identifier in timed)
        time = None if event.date_us is None else event.date_us / 1000
        uncertain: tuple[Any, ...] = ()
        ellipse: tuple[float, ...] = ()
        if event.probability is not None:
            ellipse = ellipses.get(_evidence(event), ())
            axes = tuple(round(scale * axis, 3) for axis in ellipse[:2])
            uncertain = event.accuracy, round(event.probability, 6), *axes, *ellipse[2:]
        text = evidence_text(event, confidence, ellipse)
        data.events.append((number, places[event.identifier], kind, time, x, y, text, *uncertain))


def _add_rules(data: ReportData, log: Log, pairs: set[tuple[int, int]], places: _Numbers) -> None:
    found = rules_of_report(log, places.__getitem__, data.notes)
    data.rules += found.rules
    data.kinds += found.kinds
    data.steps += [(track, place, word(steps)) for track, place, steps in found.steps]
    # A rule that becomes unknown has no event; its visit continues if it is satisfied when it is known again.
    data.unknown += [row for row in found.unknown if row[:2] in pairs]


def _kind(event: Event, is_timed: bool) -> str:
    """The direction of a crossing, `repeat`, `absent` (a place with a timing was found to be unsatisfied, without an
    exit), `schedule ended`, or the state."""
    if event.direction is not None:
        return str(event.direction)
    if event.cause is Cause.REPEAT:
        return "repeat"
    if event.cause is Cause.DIAGNOSTIC and event.diagnostics & Diagnostics.SCHEDULE_ENDED:
        return "schedule ended"
    if is_timed and event.state is State.UNSATISFIED and event.cause in (Cause.DETERMINATION, Cause.TIMEOUT):
        return "absent"
    return str(event.state)


def _add_closed(data: ReportData, log: Log, begin_us: int, end_us: int, places: _Numbers) -> None:
    """Adds the intervals outside the hours of the places."""
    timed = {row.identifier: row for row in log._conditions if has_hours(row)}
    total = drawn = 0
    for name, row in timed.items():
        shut = [(start / 1000, end / 1000) for start, end in closed(row, begin_us, end_us)]
        total += len(shut)
        # A part of the intervals would show the place as active after them, so a place has all of them or none.
        if windows(row) is not None and drawn + len(shut) <= MOST_CLOSED:
            data.closed.append((places[name], None, shut))
            drawn += len(shut)
    for number, replayed in enumerate(log.replays):
        for event in replayed.events if timed else ():
            if event.diagnostics & Diagnostics.EXHAUSTED and event.date_us is not None and event.identifier in timed:
                data.exhausted.append((places[event.identifier], number, event.date_us / 1000))
                total += 1
                if drawn < MOST_CLOSED:
                    data.closed.append((places[event.identifier], number, [(event.date_us / 1000, end_us / 1000)]))
                    drawn += 1
    if drawn < total:
        data.notes.append(f"{drawn:,} of {total:,} intervals outside the hours of places are drawn.")


def _add_bands(data: ReportData, log: Log, numbers: Mapping[str, int]) -> None:
    """Adds the bands of the places. The colours follow the order of the bands; heights above different references are
    not compared."""
    held = {row.identifier: row.band for row in log._conditions if row.band is not None}
    bands = sorted({*held.values()}, key=lambda band: (_reference_of(band), band.min, band.max))
    for level, band in enumerate(bands):
        # The lowest band has the first colour and the highest band the last one.
        data.levels.append((band_text(band), COLOURS * level // len(bands) if len(bands) > 1 else 0))
    ranks = {band: level for level, band in enumerate(bands)}
    data.bands += sorted((numbers[name], ranks[band]) for name, band in held.items() if name in numbers)


COLOURS = 3


def _reference_of(band: AltitudeBand) -> int:
    """The reference of the lower limit, or of the upper limit if there is no lower limit."""
    return list(HeightReference).index(band.max_reference if isinf(band.min) else band.min_reference)


def band_text(band: AltitudeBand) -> str:
    """The limits in few words; a common reference occurs once."""
    if isinf(band.min) or isinf(band.max) or band.min_reference != band.max_reference:
        return band.described
    return f"{band.min:g} m to {band.described.partition(' to ')[2]}"


def _add_doubts(data: ReportData, doubts: list[tuple[int, DoubtedFix]], reference: float) -> None:
    step = max(-(-len(doubts) // MOST_DOUBTS), 1)
    if step > 1:
        drawn = -(-len(doubts) // step)
        data.notes.append(f"{drawn:,} of {len(doubts):,} doubted fixes are drawn.")
    for number, (fix, before, reason) in doubts[::step]:
        start = near(before[1], reference)
        longitudes = start, near(fix[1], start)
        (x, y), (left, low) = (
            (round(x_of(longitude), 1), round(y_of(row[0]), 1))
            for longitude, row in zip(longitudes[::-1], (fix, before))
        )
        data.doubts.append((number, fix[3] / 1000, x, y, left, low, reason))


CONFIDENCE = 0.68


def evidence_text(event: Event, confidence: float = CONFIDENCE, ellipse: tuple[float, ...] = ()) -> str:
    """Describes the evidence of an event in words. Only policies with probabilities use `confidence`, the share of the
    true positions within an accuracy, and `ellipse`, the one-sigma error ellipse of the fix."""
    distance = event.boundary_distance
    if event.direction is not None:
        side = "on the boundary"
    elif distance is None:
        side = refinement_text(event) or "no position"
    else:
        side = f"{abs(distance):,.1f} m {'inside' if distance <= 0 else 'outside'} the boundary"
    parts = [str(event.cause), side]
    if event.accuracy is not None:
        parts.append("accuracy not reported" if event.accuracy == 0 else f"accuracy {event.accuracy:,.1f} m")
    if event.probability is not None:
        if ellipse:
            major, minor, orientation = ellipse
            parts.append(f"error ellipse {major:,.1f} m by {minor:,.1f} m at {orientation:g} degrees (one sigma)")
        elif event.accuracy:
            parts[-1] += f" for {100 * confidence:g} %"
        parts.append(f"probability {event.probability:.4f}")
    if event.vertical_distance is not None:
        parts.append(height_text(event.vertical_distance))
    parts += path_words(event)
    if event.evidence_date_us not in (None, event.date_us):
        parts.append(f"seen {shown(event.evidence_date)}")
    parts += diagnostic_names(event.diagnostics)
    return ", ".join(parts)


def _find_frame(data: ReportData, span: list[float]) -> None:
    xs = span[::2] + [row[4] for row in data.events if row[4] is not None]
    ys = span[1::2] + [row[5] for row in data.events if row[5] is not None]
    if xs:
        # If the device did not move, show at least a few streets (600 m by 400 m).
        east, north = max(600 - (max(xs) - min(xs)), 0) / 2, max(400 - (max(ys) - min(ys)), 0) / 2
        data.frame = (min(xs) - east, min(ys) - north, max(xs) + east, max(ys) + north)


def _add_places(data: ReportData, log: Log, reference: float | None, numbers: dict[str, int]) -> None:
    places: list[tuple[str, Place]] = [
        (identifier, condition) for identifier, condition in log.conditions.items() if isinstance(condition, _PLACES)
    ]
    middle = reference or 0.0
    if data.frame is not None:
        middle = (data.frame[0] + data.frame[2]) / 2 / x_of(1.0)
    seen: dict[int, int] = defaultdict(int)
    for row in data.visits:
        seen[row[1]] += 1
    drawn = sorted(places, key=lambda pair: -seen[numbers[pair[0]]])[:MOST_PLACES]
    if len(drawn) < len(places):
        data.notes.append(f"{len(drawn)} of {len(places)} places are drawn.")
    corners = next(corners for most, corners in _CORNERS if len(drawn) <= most)
    most = max(MOST_CORNERS // max(len(drawn), 1), 12)
    for identifier, condition in drawn:
        polygons = [[_thin(ring, most) for ring in rings] for rings in _outline(condition, middle, corners)]
        if not polygons:
            continue
        words = [[word((round(10 * x), round(10 * y)) for x, y in zip(*ring)) for ring in rings] for rings in polygons]
        data.outlines.append((numbers[identifier], words, _described(condition), isinstance(condition, Gate)))
        _widen(data, polygons)


def _outline(condition: Place, middle: float, corners: int) -> Polygons:
    """The outline of a place on the map, near a longitude."""
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
    """Returns a ring whose coordinates are rounded to centimetres, without the corners that would not be visible."""
    kept = thinned(list(zip(*ring)), most)
    return [round(ring[0][index], 2) for index in kept], [round(ring[1][index], 2) for index in kept]


def _widen(data: ReportData, polygons: Polygons) -> None:
    """Extends the map view to show a whole place, if the place touches the view and is not much larger than it."""
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
