"""Splits rows sorted by device and time into parts that can be fed one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from .arrow import Batch, pyarrow

Version: TypeAlias = bytes | None
"""The digest of a table of conditions; None for the stream's own table."""

_FAR = 1 << 62
"""Times are limited to this many microseconds, so that differences between times do not overflow."""


class Run(NamedTuple):
    """Rows that all use the same table and are either all fixes or all scan reports. If `is_anew` is true, each device
    expired before its first row of this run. If `is_plain` is true, this is the only run: all its rows are fixes that
    use the stream's own table, and no device has expired."""

    version: Version
    are_reports: bool
    is_anew: bool
    is_plain: bool
    rows: Batch


def runs(rows: Batch, heard: Mapping[str, int], expire_us: int | None) -> Iterator[Run]:
    """Yields the first run of each device, then the second run of each device, and so on. If the n-th runs of several
    devices use the same table and contain rows of the same kind, they are combined into one run."""
    import numpy

    coded = rows["device"].dictionary_encode()
    devices = coded.indices.to_numpy()
    is_first = numpy.concatenate([[True], devices[1:] != devices[:-1]])
    begins, keys = is_first.copy(), []
    names: list[Version] = []
    anew = numpy.zeros(len(devices), bool)
    if "version" in rows.schema.names:
        versions = rows["version"].dictionary_encode()
        names = versions.dictionary.to_pylist()
        keys = [versions.indices.fill_null(-1).to_numpy(), rows["beacons"].is_valid().to_numpy(zero_copy_only=False)]
        for key in keys:
            begins[1:] |= key[1:] != key[:-1]
    if expire_us is not None:
        # The clock of a device is the latest time of its rows, including its rows in earlier micro-batches.
        times = rows["time"].to_numpy().clip(-_FAR, _FAR)
        known = [heard.get(device) for device in coded.dictionary.to_pylist()]
        before = numpy.array([0 if each is None else each for each in known]).clip(-_FAR, _FAR)[devices]
        is_heard = numpy.array([each is not None for each in known])[devices]
        before[1:] = numpy.where(
            is_first[1:], before[1:], numpy.where(is_heard[1:], numpy.maximum(before[1:], times[:-1]), times[:-1])
        )
        anew = (is_heard | ~is_first) & (before < times - min(expire_us, _FAR))
        begins |= anew
    if not keys and not anew.any():
        yield Run(None, False, False, True, rows)
        return
    run = numpy.cumsum(begins) - 1
    turns = run - run[is_first][numpy.cumsum(is_first) - 1]
    keys = [*keys, anew[begins][run]]
    order = numpy.lexsort((*keys, turns))  # stable
    ordered = numpy.stack([turns, *keys])[:, order]
    bounds = [0, *(numpy.flatnonzero((ordered[:, 1:] != ordered[:, :-1]).any(axis=0)) + 1).tolist(), len(order)]
    placed = rows.take(pyarrow.array(order))
    for begin, end in pairwise(bounds):
        _, *key, is_anew = ordered[:, begin].tolist()
        version, are_reports = key or (-1, False)
        part = placed.slice(begin, end - begin)
        yield Run(None if version < 0 else names[version], bool(are_reports), bool(is_anew), False, part)
