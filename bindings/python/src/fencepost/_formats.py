"""Writing events."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from typing import Any, TextIO

from ._enums import State
from ._monitor import Monitor
from ._outputs import Event, diagnostic_names
from ._times import from_us

CSV_COLUMNS = (
    "sequence",
    "identifier",
    "state",
    "cause",
    "date",
    "evidence_date",
    "refinement",
    "diagnostics",
    "generation",
    "latitude",
    "longitude",
    "accuracy",
    "boundary_distance",
)


def write_jsonl(events: Iterable[Event], stream: TextIO) -> None:
    """One line an event, written by the library's own encoder."""
    for event in events:
        stream.write(event.to_json() + "\n")


def write_csv(events: Iterable[Event], stream: TextIO) -> None:
    """A header and one row an event; flags and the refinement's parts are joined, what is not there is empty."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for event in events:
        values = json.loads(event.to_json())
        values["diagnostics"] = "|".join(diagnostic_names(event.diagnostics))
        values["refinement"] = _refinement(event)
        writer.writerow(["" if values[name] is None else values[name] for name in CSV_COLUMNS])


def write_geojson(events: Iterable[Event], stream: TextIO) -> None:
    """A FeatureCollection: a Point at the deciding fix (null without one) with the event's other keys as properties."""
    stream.write('{"type": "FeatureCollection", "features": [')
    separator = "\n"
    for event in events:
        values: dict[str, Any] = json.loads(event.to_json())
        latitude, longitude = values.pop("latitude"), values.pop("longitude")
        geometry = None if latitude is None else {"type": "Point", "coordinates": [longitude, latitude]}
        feature = {"type": "Feature", "geometry": geometry, "properties": values}
        stream.write(separator + json.dumps(feature, ensure_ascii=False))
        separator = ",\n"
    stream.write("\n]}\n")


def write_table(events: Iterable[Event], stream: TextIO) -> None:
    """A table to read."""
    headings = ["date (UTC)", "identifier", "state", "cause", "evidence", "distance", "accuracy", "more"]
    _print_table(headings, [_cells(event) for event in events], stream, right=("distance", "accuracy"))


def write_summary(
    events: Iterable[Event], monitor: Monitor, begin_us: int | None, assumed: Container[str], stream: TextIO
) -> None:
    """For each condition: its events, its state at the end, and for how long it was satisfied.

    `assumed` holds the identifiers of those that count as satisfied from the beginning.
    """
    counted: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        counted[event.identifier].append(event)
    clock = monitor.clock_us
    rows = []
    for record in monitor.records():
        own = counted[record.identifier]
        entries = sum(event.state is State.SATISFIED and event.cause != "diagnostic" for event in own)
        exits = sum(event.state is State.UNSATISFIED and event.cause != "diagnostic" for event in own)
        numbers = [str(len(own)), str(entries), str(exits)]
        rows.append([record.identifier, *numbers, str(record.last_event.state), _inside(own, begin_us if record.identifier in assumed else None, clock)])
    headings = ["identifier", "events", "satisfied", "unsatisfied", "at the end", "time satisfied"]
    _print_table(headings, rows, stream, right=("events", "satisfied", "unsatisfied", "time satisfied"))


WRITERS = {"table": write_table, "jsonl": write_jsonl, "csv": write_csv, "geojson": write_geojson}


def _inside(events: list[Event], since: int | None, clock: int | None) -> str:
    total = 0
    for event in events:
        if since is not None and event.date_us is not None:
            total += event.date_us - since
        since = event.date_us if event.state is State.SATISFIED else None
    if since is not None and clock is not None:
        total += clock - since
    seconds = total // 1_000_000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _refinement(event: Event) -> str:
    beacon = event.refinement
    return "" if beacon is None else f"{beacon.uuid}/{beacon.major}/{beacon.minor}"


def _cells(event: Event) -> list[str]:
    date = "" if event.date is None else _clock(event.date_us)
    evidence = "" if event.evidence_date_us is None else _clock(event.evidence_date_us)[11:]
    if event.date_us is not None and event.evidence_date_us == event.date_us:
        evidence = "same"
    distance = "" if event.boundary_distance is None else f"{event.boundary_distance:+.1f} m"
    accuracy = f"{event.accuracy:.1f} m" if event.accuracy else ""
    more = " ".join(part for part in (_refinement(event), "|".join(diagnostic_names(event.diagnostics))) if part)
    return [date, event.identifier, str(event.state), str(event.cause), evidence, distance, accuracy, more]


def _clock(time_us: int | None) -> str:
    text = str(from_us(time_us)).removesuffix("+00:00")
    return text.rstrip("0").removesuffix(".") if "." in text else text


def _print_table(headings: list[str], rows: list[list[str]], stream: TextIO, right: Iterable[str]) -> None:
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
    # Into a file or a pipe the table gets the width that it needs.
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
