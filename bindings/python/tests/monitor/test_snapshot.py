"""Tests snapshots and their uses: pickling and copying."""

from __future__ import annotations

import array
import copy
import pickle
import random
from pathlib import Path

import pytest
from conftest import HOME, SECOND, UUID

from fencepost import Beacon, BeaconSighting, FencepostError, Fix, Monitor
from fencepost.errors import SnapshotInvalidError


def lived(name: str | None = None, **options: object) -> Monitor:
    """Returns a monitor with state of every kind: a candidate, a running absence timer, an event in flight, and pending
    events."""
    monitor = Monitor(name, **options)  # type: ignore[arg-type]
    for index in range(4):
        monitor.add(HOME, f"circle {index}", tag=index)
    monitor.add(Beacon(UUID), "beacon")
    monitor.feed(Fix(52.5, 13.4, 5, time=0))
    monitor.feed_sightings(BeaconSighting(UUID, 1, 2), time=SECOND)
    monitor.feed(Fix(53.5, 13.4, 5, time=2 * SECOND))
    monitor.poll(2)
    monitor.poll(1)
    return monitor


def rest(monitor: Monitor) -> list[str]:
    """Feeds further inputs, and returns the resulting events."""
    monitor.advance(10 * SECOND)
    monitor.feed(Fix(53.5, 13.4, 5, time=100 * SECOND))
    return [event.to_json() for event in monitor.events()]


WAYS = {
    "restore": lambda monitor: Monitor.restore(monitor.snapshot()),
    "pickle": lambda monitor: pickle.loads(pickle.dumps(monitor)),
    "oldest pickle": lambda monitor: pickle.loads(pickle.dumps(monitor, protocol=0)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "fork": Monitor.fork,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("stored", [False, True], ids=["memory", "store"])
def test_continues_as_the_original_would(tmp_path: Path, way: object, stored: bool) -> None:
    options = {"store": tmp_path} if stored else {}
    monitor = lived("commute", **options)
    snapshot = monitor.snapshot()
    twin = way(monitor)  # type: ignore[operator]
    assert type(twin) is Monitor
    assert twin.name == "commute"
    assert twin.snapshot() == monitor.snapshot() == snapshot
    again = twin.next_event()
    assert again.sequence == 3
    events = rest(twin)
    assert monitor.snapshot() == snapshot
    assert rest(monitor) == events
    # The copy is in memory, so it need not be closed, and a store with the same name can be opened.
    monitor.close()
    if stored:
        with Monitor("commute", store=tmp_path) as opened:
            assert opened.snapshot() == monitor.snapshot()


def test_the_same_state_gives_the_same_bytes() -> None:
    assert lived().snapshot() == lived().snapshot()
    assert lived().snapshot() != lived("a").snapshot()


def test_options_go_with_it() -> None:
    monitor = Monitor(delivery="latest", condition_limit=1, max_pending_events=3)
    twin = Monitor.restore(monitor.snapshot())
    for index in range(4):
        twin.add(HOME, str(index))
    assert twin.statistics().pending_events == 3
    assert twin.name is None
    with pytest.raises(FencepostError, match="3"):
        twin.feed(Fix(0, 0, time=0))


def test_many_conditions() -> None:
    monitor = Monitor()
    names = [f"{index:06}" + "n" * (index % 251) for index in range(5_000)]
    monitor.add_many(names, [52.5] * 5_000, [13.4] * 5_000, [100.0] * 5_000)
    assert Monitor.restore(monitor.snapshot()).identifiers == names


class Named(Monitor):
    """A subclass of Monitor with an attribute of its own."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self.label = label


def test_subclasses_keep_class_and_attributes() -> None:
    monitor = Named("blue")
    monitor.add(HOME, "home")
    for twin in (copy.copy(monitor), copy.deepcopy(monitor), pickle.loads(pickle.dumps(monitor))):
        assert type(twin) is Named
        assert (twin.label, twin.identifiers) == ("blue", ["home"])


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: array.array("B", data)])
def test_any_buffer_will_do(kind: type) -> None:
    assert len(Monitor.restore(kind(lived().snapshot()))) == 5


def test_what_is_no_snapshot() -> None:
    snapshot = lived().snapshot()
    for wrong in (b"", b"\0", b"not a snapshot", snapshot[:-1], snapshot + b"\0", snapshot[1:], bytes(len(snapshot))):
        with pytest.raises(SnapshotInvalidError) as caught:
            Monitor.restore(wrong)
        assert isinstance(caught.value, ValueError)
        assert caught.value.code == 83
        assert "\n" not in str(caught.value)
    for value in ("text", None, 7):
        with pytest.raises(TypeError):
            Monitor.restore(value)  # type: ignore[arg-type]


def test_damage_is_seen() -> None:
    snapshot = lived().snapshot()
    generator = random.Random(20261121)
    for _ in range(2_000):
        damaged = bytearray(snapshot)
        for _ in range(generator.choice([1, 1, 2, 8])):
            damaged[generator.randrange(len(damaged))] ^= 1 << generator.randrange(8)
        if damaged == snapshot:
            continue
        with pytest.raises(SnapshotInvalidError):
            Monitor.restore(damaged)
