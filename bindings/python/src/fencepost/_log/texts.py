"""Formats events as JSON Lines, CSV or GeoJSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from .._values.events import LOG_COLUMNS, Event, diagnostic_names, refinement_text


def event_line(event: Event, by: str | None, track: Any) -> str:
    """Formats an event as one JSON object. If there are several tracks, the track is the first member of the object."""
    text = event.to_json()
    return text if by is None else line_head(by, track) + text[1:]


def line_head(by: str, track: Any) -> str:
    """The beginning of an event's line of JSON: the opening brace and the track."""
    return f"{{{json.dumps(by, ensure_ascii=False)}:{json.dumps(plain(track), ensure_ascii=False)},"


def plain(value: Any) -> Any:
    """Converts a track's key to a JSON value."""
    if hasattr(value, "item"):
        value = value.item()
    return value if isinstance(value, str | int | float | bool) else str(value)


def write_jsonl(events: Iterable[Event], stream: IO[str]) -> None:
    """Writes one line per event with the library's own encoder."""
    for event in events:
        stream.write(event.to_json() + "\n")


class CSVWriter:
    """Writes a header and one row per event. An event's flags are joined into one text; the parts of its refinement are
    joined into another text. Missing values become empty cells."""

    def __init__(self, stream: IO[str], by: str | None = None) -> None:
        self._writer = csv.writer(stream, lineterminator="\n")
        self._by = by
        self._writer.writerow(LOG_COLUMNS if by is None else (by, *LOG_COLUMNS))

    def write(self, event: Event, track: Any = None) -> None:
        values = json.loads(event.to_json())
        values["diagnostics"] = "|".join(diagnostic_names(event.diagnostics))
        values["refinement"] = refinement_text(event)
        values["evidence"], values["gap"], values["direction"] = event.evidence, event.follows_gap, event.direction
        values["probability"], values["vertical_distance"] = event.probability, event.vertical_distance
        values["decided_by"] = event.decided_by
        cells = ["" if values[name] is None else values[name] for name in LOG_COLUMNS]
        self._writer.writerow(cells if self._by is None else [track, *cells])


def write_csv(events: Iterable[Event], stream: IO[str]) -> None:
    """Writes all events with :class:`CSVWriter`."""
    writer = CSVWriter(stream)
    for event in events:
        writer.write(event)


def geojson_parts(events: Iterable[tuple[Event, Any]], by: str | None = None) -> Iterator[str]:
    """Yields the text of a FeatureCollection. The geometry of each feature is the Point of the fix that decided the
    event, or null if there is no such fix; the properties are the event's other keys."""
    yield '{"type": "FeatureCollection", "features": ['
    separator = "\n"
    for event, track in events:
        values: dict[str, Any] = json.loads(event.to_json())
        latitude, longitude = values.pop("latitude"), values.pop("longitude")
        geometry = None if latitude is None else {"type": "Point", "coordinates": [longitude, latitude]}
        properties = values if by is None else {by: plain(track), **values}
        feature = {"type": "Feature", "geometry": geometry, "properties": properties}
        yield separator + json.dumps(feature, ensure_ascii=False)
        separator = ",\n"
    yield "\n]}\n"


def write_geojson(events: Iterable[Event], stream: IO[str]) -> None:
    """Writes the text of :func:`geojson_parts`."""
    stream.writelines(geojson_parts((event, None) for event in events))
