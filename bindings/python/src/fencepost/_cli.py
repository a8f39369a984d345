"""The command ``fencepost``."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from . import __version__
from ._column_names import CONDITIONS, TRACK, Names
from ._conditions_file import ConditionRow, add_conditions, ensure_conditions, read_conditions
from ._conform import conform
from ._enums import Delivery
from ._event_log import LOG_COLUMNS, EventLog, TrackedEvent
from ._files import InputError, require
from ._formats import WRITERS, write_summary, write_tracked
from ._monitor import Monitor
from ._native import FencepostError
from ._outputs import Event
from ._policy import TransitionPolicy
from ._replay import Replay, timed
from ._sightings import read_sightings
from ._significant import Thinning
from ._text_times import parse_time
from ._tracks import read_track
from ._vector import Reading

DONE, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130
LONG_WORK = 20_000
"""Inputs from which on a terminal sees a progress bar."""


class UsageError(ValueError):
    """The command line cannot be used."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code: 0 done, 1 scenarios failed, 2 bad usage or input (one line
    says why)."""
    code = DONE
    try:
        options = _parser().parse_args(arguments)
        code = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough. The interpreter flushes once more at its end: into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (UsageError, InputError, FencepostError) as error:
        return _refuse(str(error))
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else f"output: {error.strerror}")
    except KeyboardInterrupt:
        print("fencepost: interrupted", file=sys.stderr)
        return INTERRUPTED
    return code


def _refuse(reason: str) -> int:
    print("fencepost:", " ".join(reason.split()), file=sys.stderr)
    return REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="fencepost", description="Condition monitoring (geofencing) by explicit event time.")
    parser.add_argument("--version", action="version", version=f"fencepost {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", parser_class=_Parser)
    replay = commands.add_parser(
        "replay",
        help="replay a track against conditions and print the events",
        description="Replays a track against a file of conditions and prints the events. Late and invalid fixes are "
        "counted and reported, not fatal. The replay ends at the last input unless --until says otherwise.",
    )
    replay.set_defaults(run=_replay)
    add = replay.add_argument
    add("track", metavar="TRACK", help="GPX, CSV with named columns, GeoJSON LineString, NMEA 0183, or vector points")
    add("--conditions", metavar="FILE", required=True, help="GeoJSON circles and beacons; CSV or vector points")
    add("--sightings", metavar="FILE", help="JSON Lines of scan reports, merged by time (fixes first)")
    add("--format", choices=list(WRITERS), default="table", help="how events are written (default: %(default)s)")
    add(
        "--policy",
        type=_policy,
        default=TransitionPolicy.standard(),
        metavar="NAME",
        help="standard (default), exact or core_location; a feature's own policy overrides it",
    )
    add("--delivery", choices=[str(delivery) for delivery in Delivery], default="every", help="default: %(default)s")
    add("--condition-limit", type=_count, metavar="N", help="conditions monitored at a time (default: no limit)")
    add("--until", type=_time, metavar="TIME", help="let time pass to TIME after the last input")
    add("--report", metavar="FILE", help="also write a page with map, timeline and visits (HTML)")
    add("--base-map", action="store_true", help="show the report's base map at once when its reader is online")
    add("--summary", action="store_true", help="also a table by condition (not with a table: on standard error)")
    add("--hdop-scale", type=_metres, metavar="METRES", help="accuracy is hdop times METRES (GPX: none, NMEA: 5)")
    add(
        "--columns",
        type=_named(TRACK),
        default={},
        metavar="WHAT=NAME,...",
        help="CSV and vector files: columns for latitude, longitude, time, accuracy where they are not recognised",
    )
    add("--layer", metavar="NAME", help="layer of the track's vector file (default: the first)")
    add("--conditions-layer", metavar="NAME", help="likewise, of the conditions")
    add(
        "--conditions-columns",
        type=_named(CONDITIONS),
        default={},
        metavar="WHAT=NAME,...",
        help="likewise, of the conditions: identifier, latitude, longitude, radius, assuming, policy",
    )
    add("--transform", action="store_true", help="transform vector files in another CRS to WGS84")
    add("--output", metavar="FILE", help="also write the events as .gpkg, .fgb or .parquet")
    add("--output-crs", metavar="CRS", help="transform the points of --output (default: EPSG:4326)")
    add("--visits", metavar="FILE", help="also write the visits; the --output's .gpkg gets a second layer")
    add("--by", metavar="COLUMN", help="each value is a track of its own; events in the order of the rows")
    add("--grouped", action="store_true", help="with --by: the rows of a track come together; one is held at a time")
    add("--jobs", type=_count, default=1, metavar="N", help="with --by: share the tracks among N processes")
    add("--speed", type=_metres, metavar="M/S", help="play way points without times at that speed; needs --start")
    add("--start", type=_time, metavar="TIME", help="time at the first way point")
    add("--loop", type=_count, metavar="N", help="go there and back N times")
    add(
        "--significant-changes",
        action="store_true",
        help="feed only fixes 500 m and 300 s apart; reports what that saves and delays (on standard error)",
    )
    _add_conform(commands)
    _add_watch(commands)
    return parser


def _add_conform(commands: Any) -> None:
    parser = commands.add_parser(
        "conform",
        help="run conformance scenarios on the engine",
        description="Runs files of conformance scenarios. Prints what fails: the scenario, the step, what was expected "
        "and what came; at the end the counts. Exit code 1 when a scenario fails.",
    )
    parser.set_defaults(run=_conform)
    parser.add_argument("files", metavar="FILE", nargs="+", help="JSON: one scenario or an array of them")
    parser.add_argument("--restart-every-step", action="store_true", help="restart each monitor after every step")
    parser.add_argument(
        "--store", metavar="DIR", help="keep monitors in new directories inside DIR; a restart closes and opens again"
    )


def _add_watch(commands: Any) -> None:
    from ._live_formats import FORMATS
    from ._watch import seconds

    parser = commands.add_parser(
        "watch",
        help="follow fixes as they come and run a command for each event",
        description="Feeds fixes as they come, lets time pass between them, and runs a command once for each event, "
        "with the event as JSON on its standard input; again, in order, until it exits with 0. Ends with the source, "
        "or on SIGTERM. With --store it goes on where it was, also after being killed: what was not handled is handled "
        "then, and a source that starts over is passed over up to where it was.",
    )
    parser.set_defaults(run=_watch)
    add = parser.add_argument
    add("--source", metavar="FILE|-|gpsd://HOST:PORT", required=True, help="fixes of a file or pipe, or a gpsd")
    add("--format", choices=FORMATS, default="auto", help="of a file or pipe; GPX is read to its end first")
    add("--conditions", metavar="FILE", required=True, help="as for replay")
    add("--exec", metavar="CMD", help="a shell command; without it events are printed")
    add("--store", metavar="DIR", help="keep the monitor in that directory, which must exist")
    add("--name", default="watch", help="the monitor's name in the store (default: %(default)s)")
    add("--policy", type=_policy, default=TransitionPolicy.standard(), metavar="NAME", help="as for replay")
    add("--lag", type=seconds, default=5.0, metavar="S", help="how late a live fix may come (default: %(default)s)")
    add("--any-time", action="store_true", help="take fixes more than an hour ahead of the clock")
    add(
        "--reconnect",
        type=seconds,
        default=300.0,
        metavar="S",
        help="how long a gpsd that was lost is tried again; 0: end with it (default: %(default)s)",
    )


def _watch(options: argparse.Namespace) -> int:
    from ._live_sources import open_source
    from ._watch import Watch, print_event, report, run_command, watch

    conditions = read_conditions(options.conditions, options.policy)
    source = open_source(options.source, options.format, options.reconnect)
    try:
        with Monitor(None if options.store is None else options.name, store=options.store) as monitor:
            ensure_conditions(monitor, conditions, options.conditions)
            handle = print_event if options.exec is None else run_command(options.exec)
            watcher = Watch(monitor, handle, lag=options.lag, any_time=options.any_time)
            try:
                watch(source, watcher)
            finally:
                report(watcher, source.name)
    finally:
        source.close()
    return DONE


def _conform(options: argparse.Namespace) -> int:
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    passed = conform(
        options.files,
        restart_every_step=options.restart_every_step,
        store=options.store,
        write=sys.stdout.write,
    )
    return DONE if passed else FAILED


def _replay(options: argparse.Namespace) -> int:
    machine = options.format != "table"
    for stream, errors in ((sys.stdout, "strict" if machine else "replace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            encoding = "utf-8" if machine and stream is sys.stdout else None
            stream.reconfigure(encoding=encoding, errors=errors)
    _check_files(options)
    conditions = read_conditions(
        options.conditions,
        options.policy,
        how=Reading(options.conditions_layer, options.transform),
        columns=options.conditions_columns,
    )
    if options.by is not None:
        return _replay_many(options, conditions)
    if options.report is not None:
        require("bokeh", "report")
    track = read_track(
        options.track,
        hdop_scale=options.hdop_scale,
        columns=options.columns,
        how=Reading(options.layer, options.transform),
    )
    track = timed(track, options.speed, options.start, options.loop)
    reports = [] if options.sightings is None else read_sightings(options.sightings)
    monitor = Monitor(delivery=options.delivery, condition_limit=options.condition_limit)
    add_conditions(monitor, conditions, options.conditions)
    thinning = Thinning(monitor, track.fixes, reports, options.until) if options.significant_changes else None
    replay = Replay(monitor, track.fixes if thinning is None else thinning.fixes, reports)
    last = replay.last_time_us
    if options.until is not None and last is not None and options.until < last:
        raise UsageError("argument --until: is before the last input")

    seen: list[Event] = []
    keep = options.summary or thinning is not None or any((options.report, options.output, options.visits))

    def noted(events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            if keep:
                seen.append(event)
            yield event

    with _progress(len(replay), machine) as on_input:
        events = noted(replay.events(options.until, on_input))
        WRITERS[options.format](events if machine else list(events), sys.stdout)
    log = EventLog([replay.result(track, seen)], conditions)
    if options.summary:
        if not machine:
            sys.stdout.write("\n")
        write_summary(log, monitor, sys.stderr if machine else sys.stdout)
    sys.stdout.flush()
    if options.report is not None:
        log.report(options.report, base_map=options.base_map)
    _write_files(log, options)
    _report_skipped(replay.counts, options)
    for line in () if thinning is None else thinning.report(seen):
        _note(line)
    return DONE


def _replay_many(options: argparse.Namespace, conditions: list[ConditionRow]) -> int:
    for name in ("report", "summary", "significant_changes", "speed", "start", "loop", "hdop_scale"):
        if getattr(options, name) not in (None, False):
            raise UsageError(f"argument --{name.replace('_', '-')}: is for one track, not for --by")
    if options.by in LOG_COLUMNS:
        raise UsageError(f"argument --by: {options.by!r} is also the name of a column of events")
    from ._many_tracks import ManyTracks
    from ._stream import ManyReplay

    reports = [] if options.sightings is None else read_sightings(options.sightings)
    template = Monitor(delivery=options.delivery, condition_limit=options.condition_limit)
    add_conditions(template, conditions, options.conditions)
    how = Reading(options.layer, options.transform)
    tracks = ManyTracks(options.track, options.by, options.columns, how, grouped=options.grouped)
    many = ManyReplay(tracks, template, reports, options.until, options.jobs)
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
    _report_skipped(many.counts, options)
    return DONE


def _check_files(options: argparse.Namespace) -> None:
    """Refuses what cannot be written before there is work."""
    from ._files_out import check_target

    if options.output_crs is not None and options.output is None:
        raise UsageError("argument --output-crs: needs --output")
    for path in filter(None, (options.output, options.visits)):
        check_target(path)
    if options.by is None and (options.jobs > 1 or options.grouped):
        raise UsageError(f"argument --{'grouped' if options.grouped else 'jobs'}: needs --by")
    same = options.output is not None and options.visits is not None
    same = same and os.path.abspath(options.output) == os.path.abspath(options.visits)
    if same and not options.output.lower().endswith(".gpkg"):
        raise UsageError("argument --visits: only a .gpkg holds both events and visits")


def _write_files(log: EventLog, options: argparse.Namespace) -> None:
    if options.output is not None:
        log.to_file(options.output, crs=options.output_crs)
    if options.visits is not None:
        log.visits().to_file(options.visits)


def _report_skipped(counts: Counter[str], options: argparse.Namespace) -> None:
    for path, late, invalid, total, what in (
        (options.track, "late_fixes", "invalid_fixes", "fixes", "fixes"),
        (options.sightings, "late_reports", "", "reports", "reports"),
    ):
        of = f"of {counts[total]} {what}"
        if counts[late]:
            _note(f"{path}: {counts[late]} {of} came late (earlier than one before) and were skipped")
        if counts[invalid]:
            _note(f"{path}: {counts[invalid]} {of} had no usable position or time and were skipped")


def _note(text: str) -> None:
    print("fencepost:", text, file=sys.stderr)


@contextmanager
def _progress(total: int, machine: bool) -> Iterator[Callable[[], None] | None]:
    """A bar on standard error, where that is a terminal, the work is long and no events are written between."""
    if total < LONG_WORK or not sys.stderr.isatty() or (machine and sys.stdout.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(stderr=True), transient=True, redirect_stdout=False, redirect_stderr=False)
    with bar:
        task, count = bar.add_task("replay", total=total), 0

        def advance() -> None:
            nonlocal count
            count += 1
            if count % 1024 == 0:
                bar.update(task, completed=count)

        yield advance


def _argument(reader: Callable[[str], Any]) -> Callable[[str], Any]:
    """argparse drops the text of a ValueError; this keeps it."""

    def read(text: str) -> Any:
        try:
            return reader(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


@_argument
def _policy(text: str) -> TransitionPolicy:
    return TransitionPolicy.named(text)


@_argument
def _time(text: str) -> int:
    return parse_time(text)


@_argument
def _metres(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{text} is not a number above 0")
    return value


@_argument
def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value < 1 << 63:
        raise ValueError(f"{text} is not an integer of 1 or more")
    return value


def _named(known: Names) -> Callable[[str], dict[str, str]]:
    """Reads WHAT=NAME,…, WHAT being one of `known`."""

    @_argument
    def read(text: str) -> dict[str, str]:
        pairs = {}
        for part in text.split(","):
            what, equals, name = part.partition("=")
            if not equals or what.strip() not in known:
                *most, last = (f"{one}=NAME" for one in known)
                raise ValueError(f"{part!r} is not {', '.join(most)} or {last}")
            pairs[what.strip()] = name.strip()
        return pairs

    return read
