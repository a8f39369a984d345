"""Follows those devices of a shard that are active in a micro-batch. Each table of conditions has its own fleet; a
device belongs to the fleet of the table that its last row names."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from .._fleet.conditions import Zones
from .._fleet.fleet import Fleet
from .._native import InvalidArgumentError, LateInputError
from .._values.fixes import BeaconSighting
from .._values.results import FeedResult
from .arrow import Batch
from .arrow_events import take_events
from .feeding import Trust, feed, new_fleet
from .runs import Version, runs

Tables: TypeAlias = Callable[[Version], Zones]


class Following:
    """The fleets of a shard, one for each table of conditions, and the devices that are not loaded into a fleet yet.

    The events of a device depend only on its own rows, not on the rest of a micro-batch. When a device's row names
    another table than the previous row did, the changes that were due before that row are first confirmed with the
    previous table. A row that comes more than `expire_us` after its device's previous row belongs to a new device.
    """

    def __init__(self, tables: Tables, waiting: Batch, expire_us: int | None, trust: Trust) -> None:
        self.events: list[Batch] = []
        self.fed = FeedResult(0, 0, 0)
        self._tables, self._fleets, self._expire_us = tables, dict[Version, Fleet](), expire_us
        self._trust = trust
        columns = waiting.to_pydict()
        versions = columns.get("version") or [None] * waiting.num_rows
        known = zip(columns["device"], versions, columns["state"], columns["deadline"])
        self._waiting = {device: known for device, *known in known}
        self._versions: dict[str, Version] = {}
        self.heard: dict[str, int] = dict(zip(columns["device"], columns["heard"]))
        """For each device, the latest time in its own rows."""

    def feed(self, rows: Batch) -> None:
        """Feeds rows that are sorted by device and time."""
        for run in runs(rows, self.heard, self._expire_us):
            spans = _spans(run.rows)
            begins = {device: first for device, first, _ in spans}
            if run.is_plain:
                self._enter(None, self._waiting)
            else:
                if run.is_anew:
                    self._forget(begins)
                self._take(run.version, begins)
            fleet = self._fleet(run.version)
            if run.are_reports:
                for device, time, beacons in zip(
                    *(run.rows[name].to_pylist() for name in ("device", "time", "beacons"))
                ):
                    self._count(_see(fleet, device, time, beacons))
            else:
                self._count(feed(fleet, run.rows))
            for device, _, last in spans:
                self.heard[device] = max(last, self.heard.get(device, last))

    def confirm(self, watermark_us: int) -> None:
        """Confirms every change that is due up to the watermark, each at its own deadline. A device is never advanced
        to the watermark itself, because the device would then refuse rows that may still come."""
        for version in dict.fromkeys(version for version, *_ in self._waiting.values()):
            self._enter(version, [device for device, (own, *_) in self._waiting.items() if own == version])
        for fleet in self._fleets.values():
            if (fleet.next_deadline_us or 0) <= watermark_us and fleet.next_deadline_us is not None:
                for device in fleet.devices:
                    _confirm(fleet, device, min(watermark_us, self._end(device)))
            self.events += take_events(fleet)

    def exported(self) -> Iterator[tuple[Version, list[str], list[bytes], list[int | None]]]:
        """Yields, for each table, its devices, their exported bytes, and their deadlines; a deadline is the next time
        at which a device's state can change without a new row."""
        for version, fleet in self._fleets.items():
            devices = fleet.devices
            waits = fleet.next_deadline_us is not None
            deadlines: list[int | None] = [fleet._handle.device_deadline(each) if waits else None for each in devices]
            yield version, devices, fleet.export(devices, portable=True), deadlines

    def _fleet(self, version: Version) -> Fleet:
        if version not in self._fleets:
            self._fleets[version] = new_fleet(self._tables(version), self._trust)
        return self._fleets[version]

    def _enter(self, version: Version, devices: Iterable[str]) -> None:
        """Loads devices that are not loaded yet from their exported states into the fleet of a table."""
        if entering := {device: self._waiting[device][1] for device in devices}:
            self._fleet(version).load(entering, adapt=True)
            for device in entering:
                del self._waiting[device]
                self._versions[device] = version

    def _take(self, version: Version, times: dict[str, int]) -> None:
        """Moves devices to another table. `times` contains, for each device, the time from which the new table
        applies."""
        own, moving = [], dict[Version, list[str]]()
        for device, time in times.items():
            if device in self._waiting:
                before, _, deadline = self._waiting[device]
                # Enter the device under its previous table only if a change was due under that table before `time`.
                if before == version or deadline is None or deadline >= time:
                    own.append(device)
                    continue
                self._enter(before, [device])
            before = self._versions.setdefault(device, version)
            if before != version:
                moving.setdefault(before, []).append(device)
        self._enter(version, own)
        for before, leaving in moving.items():
            fleet = self._fleet(before)
            there = [device for device in leaving if device in fleet]  # a refused row does not add its device
            for device in there:
                _confirm(fleet, device, times[device] - 1)
            self.events += take_events(fleet)
            states = dict(zip(there, fleet.export(there, portable=True)))
            for device in there:
                fleet.remove_device(device)
            self._fleet(version).load(states, adapt=True)
            self._versions.update(dict.fromkeys(leaving, version))

    def _forget(self, devices: Iterable[str]) -> None:
        leaving: dict[Version, list[str]] = {}
        for device in devices:
            if device in self._waiting:
                before, _, deadline = self._waiting[device]
                if deadline is None or deadline > self._end(device):
                    del self._waiting[device]
                    continue
                self._enter(before, [device])
            leaving.setdefault(self._versions.pop(device), []).append(device)
        for version, listed in leaving.items():
            fleet = self._fleet(version)
            there = [device for device in listed if device in fleet]
            for device in there:
                _confirm(fleet, device, self._end(device))
            self.events += take_events(fleet)
            for device in there:
                fleet.remove_device(device)

    def _end(self, device: str) -> int:
        """Returns the time until which a device without new rows is kept."""
        return sys.maxsize if self._expire_us is None else self.heard[device] + self._expire_us

    def _count(self, counts: FeedResult) -> None:
        self.fed = self.fed._plus(counts)


def _confirm(fleet: Fleet, device: str, until_us: int) -> None:
    one, before = fleet[device], None
    while (deadline := one.next_deadline_us) is not None and deadline <= until_us and deadline != before:
        fleet.advance(deadline, device=device)
        before = deadline


def _spans(rows: Batch) -> list[tuple[str, int, int]]:
    """The devices in rows sorted by device and time, with the first and last time of each device."""
    import numpy

    coded, times = rows["device"].dictionary_encode(), rows["time"].to_numpy()
    devices = coded.indices.to_numpy()
    ends = numpy.concatenate([devices[1:] != devices[:-1], [True]]).nonzero()[0]
    begins = numpy.concatenate([[0], ends[:-1] + 1])
    names = coded.dictionary.to_pylist()
    return [
        (names[device], first, last)
        for device, first, last in zip(devices[begins].tolist(), times[begins].tolist(), times[ends].tolist())
    ]


def _see(fleet: Fleet, device: str, time: int, beacons: str) -> FeedResult:
    try:
        seen = [BeaconSighting(one["uuid"], one["major"], one["minor"], one.get("rssi")) for one in json.loads(beacons)]
        fleet.feed_sightings(device, seen, time=time)
    except LateInputError:
        return FeedResult(0, 0, 1)
    except (InvalidArgumentError, KeyError):
        return FeedResult(0, 1, 0)
    return FeedResult(1, 0, 0)
