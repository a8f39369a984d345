"""Prints events and summaries on a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import chain
from typing import IO

from .._errors import require
from .._log.event_log import EventLog
from .._log.log import TrackedEvent
from .._log.texts import CSVWriter, event_line, geojson_parts, write_csv, write_geojson, write_jsonl
from .._monitor.monitor import Monitor
from .._tables.times import time_text
from .._values.enums import State
from .._values.events import Event, diagnostic_names, direction_words, path_words, refinement_text

_HEADINGS = [
    "date (UTC)", "identifier", "state", "cause", "evidence", "distance", "height", "accuracy", "probability", "more"
]  # fmt: skip

_NUMBERS = ("distance", "height", "accuracy", "probability")


def write_table(events: Iterable[Event], stream: IO[str]) -> None:
    """Writes events as a table that people can read."""
    _print_table(_HEADINGS, [_cells(event) for event in events], stream, right=_NUMBERS)


def write_tracked(rows: Iterator[TrackedEvent], name: str, by: str, stream: IO[str]) -> None:
    """Writes the events of many tracks in one of the formats of :data:`WRITERS`; `by` is the name of the column or key
    that contains each event's track."""
    # If an error occurs before the first event, nothing is written, not even a header.
    first = next(rows, None)
    rows = chain(() if first is None else (first,), rows)
    if name == "jsonl":
        stream.writelines(event_line(row.event, by, row.track) + "\n" for row in rows)
    elif name == "csv":
        writer = CSVWriter(stream, by)
        for row in rows:
            writer.write(row.event, row.track)
    elif name == "geojson":
        stream.writelines(geojson_parts(((row.event, row.track) for row in rows), by))
    else:
        cells = [[str(row.track), *_cells(row.event)] for row in rows]
        _print_table([by, *_HEADINGS], cells, stream, right=_NUMBERS)


def write_summary(log: EventLog, monitor: Monitor, stream: IO[str]) -> None:
    """Writes one row for each condition: its number of events, its final state, how long it was satisfied, and, if its
    policy has probabilities, the probability that it contains the device at the end."""
    counted: dict[str, list[Event]] = defaultdict(list)
    for event in log:
        counted[event.identifier].append(event)
    inside: dict[str, timedelta] = defaultdict(timedelta)
    for visit in log.visits():
        inside[visit.identifier] += visit.duration
    uncertain = {row.identifier for row in log._conditions if row.policy is not None and row.policy.entry_probability}
    rows = []
    for record in monitor.records():
        own = counted[record.identifier]
        entries = sum(event.state is State.SATISFIED and event.cause != "diagnostic" for event in own)
        exits = sum(event.state is State.UNSATISFIED and event.cause != "diagnostic" for event in own)
        seconds = inside[record.identifier] // timedelta(seconds=1)
        duration = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        numbers = [str(len(own)), str(entries), str(exits)]
        found = _share(monitor.explain(record.identifier).probability) if record.identifier in uncertain else ""
        rows.append([record.identifier, *numbers, str(record.last_event.state), found, duration])
    headings = ["identifier", "events", "satisfied", "unsatisfied", "at the end", "probability", "time satisfied"]
    _print_table(headings, rows, stream, right=("events", "satisfied", "unsatisfied", "probability", "time satisfied"))


WRITERS = {"table": write_table, "jsonl": write_jsonl, "csv": write_csv, "geojson": write_geojson}


def _cells(event: Event) -> list[str]:
    date = "" if event.date is None else time_text(event.date)
    evidence = "" if event.evidence_date is None else time_text(event.evidence_date)[11:]
    if event.date_us is not None and event.evidence_date_us == event.date_us:
        evidence = "same"
    distance = "" if event.boundary_distance is None else f"{event.boundary_distance:+.1f} m"
    height = "" if event.vertical_distance is None else f"{event.vertical_distance:+.1f} m"
    accuracy = f"{event.accuracy:.1f} m" if event.accuracy else ""
    words = path_words(event) if event.direction is None else [direction_words(event.direction), *path_words(event)]
    rest = (refinement_text(event), "|".join(diagnostic_names(event.diagnostics)), ", ".join(words))
    more = " ".join(part for part in rest if part)
    probability = _share(event.probability)
    numbers = [distance, height, accuracy, probability]
    return [date, event.identifier, str(event.state), str(event.cause), evidence, *numbers, more]


def _share(probability: float | None) -> str:
    return "" if probability is None else f"{probability:.4f}"


def _print_table(headings: list[str], rows: list[list[str]], stream: IO[str], right: Iterable[str]) -> None:
    require("rich", "cli")
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    used = [index for index, name in enumerate(headings) if not rows or any(row[index] for row in rows)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for index in used:
        table.add_column(
            headings[index],
            justify="right" if headings[index] in right else "left",
            overflow="fold",
            no_wrap=not stream.isatty(),
        )
    for row in rows:
        table.add_row(*(Text(_printable(row[index])) for index in used))
    # If the output is a file or a pipe, the table may be wider than a terminal.
    console = Console(file=stream, width=None if stream.isatty() else 10_000, highlight=False)
    if stream.isatty():
        console.print(table)
    else:
        with console.capture() as capture:
            console.print(table)
        stream.writelines(line.rstrip() + "\n" for line in capture.get().splitlines())


def _printable(text: str) -> str:
    return "".join(_characters(text))


def _characters(text: str) -> Iterator[str]:
    for character in text:
        yield character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
