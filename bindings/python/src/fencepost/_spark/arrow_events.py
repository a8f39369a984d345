"""Converts events to Arrow batches, and defines the columns of events for Arrow and Spark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._fleet.fleet import Fleet
from .._monitor.events import EVENTS_PER_POLL
from .._values.conditions import uuid_of
from .._values.enums import CAUSES, STATES, Diagnostics, EvidenceSource
from .._values.events import AFTER_GAP, EVENT_COLUMNS, EVENT_KINDS, ON_PATH, diagnostic_names
from .arrow import Batch, pyarrow

_TYPES = {
    "text": ("string", pyarrow.string()),
    "uint": ("bigint", pyarrow.int64()),
    "int": ("bigint", pyarrow.int64()),
    "float": ("double", pyarrow.float64()),
    "time": ("timestamp", pyarrow.timestamp("us", "UTC")),
    "bool": ("boolean", pyarrow.bool_()),
}
_COLUMNS = {
    **{name: _TYPES[EVENT_KINDS.get(name, "text")] for name in ("device", *EVENT_COLUMNS)},
    "tag": ("decimal(20,0)", pyarrow.decimal128(20, 0)),  # the value is an unsigned 64-bit integer
}
EVENT_SCHEMA = pyarrow.schema([(name, kind) for name, (_, kind) in _COLUMNS.items()])
EVENT_DDL = ", ".join(f"{name} {kind}" for name, (kind, _) in _COLUMNS.items())
_STATES, _CAUSES = [str(state) for state in STATES], [str(cause) for cause in CAUSES]
_FIX, _PATH = str(EvidenceSource.FIX), str(EvidenceSource.PATH)


def take_events(fleet: Fleet) -> list[Batch]:
    """Reads all pending events of a fleet."""
    found = []
    while rows := fleet._handle.poll_events(EVENTS_PER_POLL):
        found.append(_batch(rows))
    return found


def _batch(rows: Sequence[Any]) -> Batch:
    (
        sequences, identifiers, states, causes, dates, evidence_dates, refinements, diagnostics, generations,
        latitudes, longitudes, accuracies, distances, probabilities, verticals, parts, sources, tags, devices, _,
    ) = zip(*rows)  # fmt: skip
    columns = (
        devices,
        sequences,
        identifiers,
        [_STATES[state] for state in states],
        [_CAUSES[cause] for cause in causes],
        dates,
        evidence_dates,
        [None if each is None else f"{uuid_of(each[0])}/{each[1]}/{each[2]}" for each in refinements],
        ["|".join(diagnostic_names(Diagnostics(each))) if each else "" for each in diagnostics],
        generations,
        latitudes,
        longitudes,
        accuracies,
        distances,
        [
            None if latitude is None else _PATH if source & ON_PATH else _FIX
            for latitude, source in zip(latitudes, sources)
        ],
        [bool(source & AFTER_GAP) for source in sources],
        [None] * len(rows),  # the direction: only gates have one, and a fleet without a path refuses them
        probabilities,
        verticals,
        parts,
        tags,
    )
    arrays = [pyarrow.array(values, field.type) for values, field in zip(columns, EVENT_SCHEMA, strict=True)]
    return pyarrow.record_batch(arrays, schema=EVENT_SCHEMA)
