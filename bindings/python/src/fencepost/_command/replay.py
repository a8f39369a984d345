"""The ``fencepost replay`` command."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .._files.checked import checked
from .._files.condition_files import ConditionRow, read_conditions
from .._files.doubts import Flaw, about_unusable
from .._files.sources import assumed_by_default
from .._files.track_files import read_track
from .._files.vector import Reading
from .._log.event_log import EventLog
from .._log.log import TrackedEvent
from .._monitor.filling import add_conditions
from .._monitor.monitor import Monitor
from .._replay.exchanged import is_presence, some_points, warn_of_exchanged
from .._replay.filling import conditions_of, separating
from .._replay.needed_heights import NeededHeights
from .._replay.replay import Replay, replay_again_for
from .._replay.significant import Thinning
from .._replay.way_points import timed
from .._tables.names import CONDITIONS, GEOMETRY, TRACK
from .._tables.text_times import ORDERS, TimeStyle, parse_time, time_zone
from .._tables.times import from_us, utc_text
from .._values.enums import Delivery
from .._values.events import LOG_COLUMNS, Event
from .._values.policy import TransitionPolicy
from .options import (
    AddNames,
    add_defaults,
    add_path,
    add_vertex_limit,
    path_options,
    same_file,
    to_count,
    to_metres,
    to_names,
    to_policy,
)
from .outcomes import DONE, UsageError
from .terminal import WRITERS, write_summary, write_tracked

if TYPE_CHECKING:
    from .._files.sightings import Report

DESCRIPTION = (
    "Replays a track against a file of conditions and prints the events. Late and invalid fixes are skipped, "
    "counted and "
    "reported. The replay ends at the last input, or at --until."
)
LONG_WORK = 20_000
"""With this many inputs or more, a terminal shows a progress bar."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of ``fencepost replay``."""
    add = parser.add_argument
    add("track", metavar="TRACK", help="GPX, CSV with named columns, GeoJSON, KML, NMEA 0183, or vector points")
    add("--conditions", metavar="FILE", required=True, help="places: GeoJSON, CSV, GPX, or a vector file")
    add(
        "--sightings",
        metavar="FILE",
        help="file of beacon scan reports (JSON Lines), which are merged with the fixes by time; at equal times, "
        "the fix comes first",
    )
    add("--format", choices=list(WRITERS), default="table", help="format of the printed events (default: %(default)s)")
    add(
        "--policy",
        type=to_policy,
        default=TransitionPolicy.standard(),
        metavar="NAME",
        help="policy of conditions that set none: standard (default), exact or core_location",
    )
    add_defaults(parser)
    add_vertex_limit(parser)
    add(
        "--delivery",
        choices=[str(delivery) for delivery in Delivery],
        default="every",
        help="which pending events of a condition to keep (default: %(default)s)",
    )
    add(
        "--condition-limit",
        type=to_count,
        metavar="N",
        help="monitor at most N conditions at a time (default: no limit)",
    )
    add_path(parser)
    add("--until", metavar="TIME", help="advance the clock to TIME after the last input")
    add("--report", metavar="FILE", help="also write an HTML report with map, timeline and visits")
    add("--base-map", action="store_true", help="the report loads its base map when it is opened, without a click")
    add(
        "--summary",
        action="store_true",
        help="also print a table of conditions (on standard error if --format is not table)",
    )
    add(
        "--hdop-scale",
        type=to_metres,
        metavar="METRES",
        help="compute the accuracy as HDOP times METRES (default: 5 for NMEA, no accuracy for GPX)",
    )
    add(
        "--columns",
        type=to_names({**TRACK, "geometry": GEOMETRY}),
        action=AddNames,
        default={},
        metavar="WHAT=NAME,...",
        help="names of the columns that hold latitude, longitude (or geometry, as WKT), time, accuracy, and the "
        "one-sigma error ellipse (error_major and error_minor in metres, error_orientation in degrees), "
        "if they are not recognised automatically",
    )
    add("--layer", metavar="NAME", help="layer of the track's vector file (default: the first)")
    add("--conditions-layer", metavar="NAME", help="layer of the conditions' vector file (default: the first)")
    add(
        "--conditions-columns",
        type=to_names({**CONDITIONS, "geometry": GEOMETRY}),
        action=AddNames,
        default={},
        metavar="WHAT=NAME,...",
        help="names of the columns of the conditions that hold identifier, latitude, longitude, geometry, radius, "
        "assuming and policy, if they are not recognised automatically",
    )
    text = "time zone of times that state none, such as Europe/Berlin or +02:00 (default: UTC)"
    add("--time-zone", metavar="ZONE", help=text)
    add("--date-order", choices=ORDERS, default="", help="order of day and month in dates such as 05/04/2024")
    add("--transform", action="store_true", help="transform vector files in another CRS to WGS84")
    add("--output", metavar="FILE", help="also write the events as .gpkg, .fgb, .parquet, .geojson or .csv")
    add("--output-crs", metavar="CRS", help="coordinate system of --output (default: EPSG:4326)")
    add("--visits", metavar="FILE", help="also write the visits; may be the same .gpkg as --output, as a second layer")
    add(
        "--by",
        metavar="COLUMN",
        help="each value of COLUMN is one device with its own track; events come in the order of the rows",
    )
    add(
        "--grouped",
        action="store_true",
        help="with --by: the rows of each track are adjacent, so only one track is in memory at a time",
    )
    add("--jobs", type=to_count, default=1, metavar="N", help="with --by: divide the tracks among N processes")
    add(
        "--sort",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="sort each track by time if it is unsorted (default); --no-sort: fixes out of order count as late",
    )
    add(
        "--speed",
        type=to_metres,
        metavar="M/S",
        help="play way points without times, at this speed; needs --start",
    )
    add("--start", metavar="TIME", help="time at the first way point")
    add("--loop", type=to_count, metavar="N", help="repeat the route, there and back, N times")
    add(
        "--significant-changes",
        action="store_true",
        help="feed only fixes that are at least 500 m and 300 s apart; print savings and delays on standard error",
    )


def run(options: argparse.Namespace) -> int:
    """Runs the replay; returns the exit code."""
    machine = options.format != "table"
    for stream, errors in ((sys.stdout, "strict" if machine else "replace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            encoding = "utf-8" if machine and stream is sys.stdout else None
            stream.reconfigure(encoding=encoding, errors=errors)
    _check_files(options)
    path_options(options)
    times = _times(options)
    conditions = read_conditions(
        options.conditions,
        options.policy,
        how=Reading(options.conditions_layer, options.transform, max_vertices=options.max_vertices),
        columns=options.conditions_columns,
        radius=options.radius,
        assuming=options.assuming or assumed_by_default(options.by),
    )
    if options.by is not None:
        return _replay_many(options, conditions, times)
    how = Reading(options.layer, options.transform, times)
    track = read_track(
        options.track,
        hdop_scale=options.hdop_scale,
        columns=options.columns,
        how=how,
    )
    track = timed(track, options.speed, options.start, options.loop)
    reports = _sightings(options, times)
    (track,) = checked([track], options.sort, how.times)
    monitor = Monitor(**_monitor_options(options))
    add_conditions(monitor, conditions, options.conditions)
    thinning = Thinning(monitor, track.fixes, reports, options.until) if options.significant_changes else None
    replay = Replay(monitor, track.fixes if thinning is None else thinning.fixes, reports)
    last = replay.last_time_us
    if options.until is not None and last is not None and options.until < last:
        raise UsageError(f"argument --until: must not be before the last input, {utc_text(from_us(last))}")

    seen: list[Event] = []
    has_presence = False
    keep = options.summary or thinning is not None or any((options.report, options.output, options.visits))

    def noted(events: Iterator[Event]) -> Iterator[Event]:
        nonlocal has_presence
        for event in events:
            has_presence = has_presence or is_presence(event)
            if keep:
                seen.append(event)
            yield event

    with _progress(len(replay), machine) as on_input:
        events = noted(replay.events(options.until, on_input))
        WRITERS[options.format](events if machine else list(events), sys.stdout)
    own = _monitor_options(options)
    replay_again = replay_again_for(conditions, own, reports, options.until)
    log = EventLog([replay.result(track, seen)], conditions, None, own, separating(own), replay_again)
    if options.summary:
        if not machine:
            sys.stdout.write("\n")
        write_summary(log, monitor, sys.stderr if machine else sys.stdout)
    sys.stdout.flush()
    if options.report is not None:
        log.report(options.report, base_map=options.base_map)
    _write_files(log, options)
    heights = NeededHeights(conditions)
    heights.see(track.fixes)
    heights.warn(track.path, track.columns, options.columns or {})
    if not has_presence:
        warn_of_exchanged(track.path, some_points(track.fixes), monitor)
    _report_skipped(replay.counts, options, track.flaw)
    for line in () if thinning is None else thinning.report(seen):
        _note(line)
    return DONE


def _replay_many(options: argparse.Namespace, conditions: list[ConditionRow], times: TimeStyle) -> int:
    for name in ("report", "summary", "significant_changes", "speed", "start", "loop", "hdop_scale"):
        if getattr(options, name) not in (None, False):
            raise UsageError(f"argument --{name.replace('_', '-')}: works on one track and cannot be used with --by")
    if options.by in LOG_COLUMNS:
        raise UsageError(
            f"argument --by: {options.by!r} is also the name of a column of the events; rename it in the track"
        )
    from .._files.many_tracks import ManyTracks
    from .._replay.stream import ManyReplay

    reports = _sightings(options, times)
    table = conditions_of(conditions, options.conditions, _monitor_options(options))
    how = Reading(options.layer, options.transform, times)
    tracks = ManyTracks(options.track, options.by, options.columns, how, grouped=options.grouped, sort=options.sort)
    many = ManyReplay(tracks, table.conditions, reports, options.until, options.jobs, table.fleet, table.heights)
    seen: dict[Any, list[Event]] = {}

    def noted(rows: Iterator[TrackedEvent]) -> Iterator[TrackedEvent]:
        for row in rows:
            if options.output or options.visits:
                seen.setdefault(row.track, []).append(row.event)
            yield row

    if options.format == "jsonl" and not (options.output or options.visits):
        sys.stdout.writelines(many.lines())
    else:
        write_tracked(noted(many.events()), options.format, options.by, sys.stdout)
    sys.stdout.flush()
    if options.output or options.visits:
        _write_files(EventLog(many.results(seen), conditions, options.by), options)
    many.warn_of_doubts()
    _report_skipped(many.counts, options, many.flaw)
    return DONE


def _monitor_options(options: argparse.Namespace) -> dict[str, Any]:
    own = {"delivery": options.delivery, "condition_limit": options.condition_limit}
    return own | path_options(options)


def _check_files(options: argparse.Namespace) -> None:
    """Raises an error before the work begins if an output cannot be written."""
    from .._tables.vector_out import check_target, is_text

    if options.output_crs is not None and options.output is None:
        raise UsageError("argument --output-crs: needs --output")
    for path in filter(None, (options.output, options.visits)):
        check_target(path)
    if options.output is not None:
        is_text(options.output, options.output_crs)
    if (options.speed is None) != (options.start is None):
        given, other = ("speed", "start") if options.start is None else ("start", "speed")
        raise UsageError(f"argument --{given}: needs --{other}")
    if options.by is None and (options.jobs > 1 or options.grouped):
        raise UsageError(f"argument --{'grouped' if options.grouped else 'jobs'}: needs --by")
    for name in ("output", "visits", "report"):
        for source in ("track", "conditions", "sightings"):
            if same_file(getattr(options, name), getattr(options, source)):
                raise UsageError(f"argument --{name}: would overwrite the {source}: choose another file")
    written = {
        name: os.path.realpath(path)
        for name in ("output", "visits", "report")
        if (path := getattr(options, name)) is not None
    }
    if written.get("report") in (written.get("output", ""), written.get("visits", "")):
        raise UsageError("argument --report: would overwrite the output or the visits: choose another file")
    if written.get("visits") == written.get("output", "") and not options.output.lower().endswith(".gpkg"):
        raise UsageError("argument --visits: only a .gpkg can hold both events and visits; write them to two files")


def _write_files(log: EventLog, options: argparse.Namespace) -> None:
    if options.output is not None:
        log.to_file(options.output, crs=options.output_crs)
    if options.visits is not None:
        log.visits().to_file(options.visits)


def _times(options: argparse.Namespace) -> TimeStyle:
    """Returns the style in which times are read. Converts the options ``--until`` and ``--start`` to microseconds."""
    try:
        style = TimeStyle(None if options.time_zone is None else time_zone(options.time_zone), options.date_order)
    except ValueError as error:
        raise UsageError(f"argument --time-zone: {error}") from None
    for name in ("until", "start"):
        if (text := getattr(options, name)) is not None:
            try:
                setattr(options, name, parse_time(text, None, style.of_source()))
            except ValueError as error:
                raise UsageError(f"argument --{name}: {error}") from None
    return style


def _sightings(options: argparse.Namespace, times: TimeStyle) -> list[Report]:
    from .._files.sightings import read_sightings

    return [] if options.sightings is None else read_sightings(options.sightings, times, options.sort)


def _report_skipped(counts: Counter[str], options: argparse.Namespace, flaw: Flaw | None) -> None:
    for path, late, invalid, total, what in (
        (options.track, "late_fixes", "invalid_fixes", "fixes", "fixes"),
        (options.sightings, "late_reports", "", "reports", "reports"),
    ):
        of = f"of {counts[total]} {what}"
        if counts[late]:
            _note(f"{path}: {counts[late]} {of} came late (earlier than a previous one) and were skipped")
        if what == "fixes" and counts["doubted_fixes"]:
            speed = f"{options.plausible_speed:g} m/s"
            _note(f"{path}: {counts['doubted_fixes']} {of} were doubted (they need more than {speed}) and were skipped")
        if counts[invalid]:
            _note(f"{path}: {about_unusable(counts[invalid], counts[total], flaw)}")


def _note(text: str) -> None:
    print("fencepost:", text, file=sys.stderr)


@contextmanager
def _progress(total: int, machine: bool) -> Iterator[Callable[[], None] | None]:
    """Shows a progress bar on standard error if standard error is a terminal, the work takes a long time, and no events
    are printed to the terminal at the same time."""
    if total < LONG_WORK or not sys.stderr.isatty() or (machine and sys.stdout.isatty()):
        yield None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ModuleNotFoundError:  # rich is not installed, so there is no progress bar
        yield None
        return

    bar = Progress(console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False)
    with bar:
        task, count = bar.add_task("replay", total=total), 0

        def advance() -> None:
            nonlocal count
            count += 1
            if count % 1024 == 0:
                bar.update(task, completed=count)

        yield advance
