"""Tests the outputs of a fleet: events with their devices, tables of events, and visits."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import Any

import pytest
from conftest import SECOND
from fleets import alone, columns, names, walks, zones_of

from fencepost import Circle, Fix, Fleet, Zones
from fencepost.errors import ConsumerAlreadyActiveError, QueueFullError
from fencepost.types import DeviceEventList, EventList

pa = pytest.importorskip("pyarrow")


def test_events_are_tables_with_their_devices() -> None:
    zones, rows = zones_of(), walks()
    fleet = Fleet(zones)
    fleet.feed_many(device=names(rows), **columns(rows))
    copied = copy.deepcopy(fleet.poll(50)[:])
    assert isinstance(copied, list)
    fleet.abandon()
    frame = fleet.events_frame()
    assert (frame.columns[0], frame.columns[-1]) == ("device", "row")
    assert list(zip(frame["device"], frame["row"])) == [(device, row) for device, row, _ in alone(zones, rows)]
    assert fleet.events_columns()["device"] == []
    again = Fleet(zones)
    again.feed_many(device=names(rows), **columns(rows))
    with again.poll(10) as events:
        assert isinstance(events, DeviceEventList) and len(pa.table(events.to_arrow())) == 10
        assert "<th>device</th>" in events._repr_html_()
        assert pickle.loads(pickle.dumps(events)) == events
        assert events[0].to_json().startswith(f'{{"device":"{events[0].device}","sequence":1,')
    assert again.statistics().handed_out_events == 10


def test_visits_by_device() -> None:
    zones = Zones()
    zones.add_many(["depot"], [0], [0], [150], policy="exact")
    fleet = Fleet(zones)
    fleet.feed_many(
        device=["a", "b", "a", "b"],
        latitude=[0, 0, 1, 0],
        longitude=[0] * 4,
        time=[0, 10 * SECOND, 20 * SECOND, 30 * SECOND],
    )
    visits = fleet.poll().visits(end=40 * SECOND)
    assert [(visit.track, visit.duration.seconds, visit.open) for visit in visits] == [
        ("a", 20, False),
        ("b", 30, True),
    ]
    assert visits.columns()["device"] == ["a", "b"]
    assert len(DeviceEventList().visits()) == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_updates_are_awaited(threads: int) -> None:
    zones = Zones()
    zones.add_many(["depot"], [0], [0], [150])
    fleet = Fleet(zones, threads=threads)

    async def main() -> list[str]:
        found: list[str] = []

        async def listen() -> None:
            async for event in fleet.updates():
                found.append(event.device)
                if len(found) == 2:
                    fleet.close()

        listening = asyncio.create_task(listen())
        await asyncio.to_thread(fleet.feed, "a", Fix(0, 0, time=0))
        with pytest.raises(ConsumerAlreadyActiveError):
            fleet.poll()
        await asyncio.to_thread(fleet.feed_many, device=["b"], latitude=[0], longitude=[0], time=[0])
        await asyncio.wait_for(listening, 20)
        return found

    assert asyncio.run(main()) == ["a", "b"] and fleet.closed
    assert [event.device for event in fleet.events()] == []


@pytest.mark.filterwarnings("ignore:.*several devices")
def test_a_full_queue_stops_at_a_row() -> None:
    zones = Zones()
    zones.add_many(["depot"], [0], [0], [150], policy="exact")
    whole = Fleet(zones)
    rows = {"latitude": [0.0, 1.0] * 50, "longitude": [0.0] * 100, "time": [step * SECOND for step in range(100)]}
    device = [f"d{step % 3}" for step in range(100)]
    whole.feed_many(device=device, **rows)
    expected = [(event.device, event.sequence, event.date_us) for event in whole.events()]
    fleet, found, start = Fleet(zones, max_pending_events=7), [], 0
    while start < 100:
        rest = {name: column[start:] for name, column in rows.items()}
        try:
            fleet.feed_many(device=device[start:], **rest)
            start = 100
        except QueueFullError as error:
            assert sum(error.result) == error.position
            start += error.position
        found += [(event.device, event.sequence, event.date_us) for event in fleet.events()]
    assert found == expected and len(expected) == 99


def test_tables_read_well() -> None:
    fleet = Fleet(zones_of(2))
    fleet.feed("<b>", Fix(0.001, 0.001, time=0))
    assert repr(fleet).startswith("<fencepost.Fleet 1 devices, 5 conditions, ")
    shown = fleet._repr_html_()
    assert "&lt;b&gt;" in shown and "<b>" not in shown and "square" in shown
    event = fleet.next_event()
    assert repr(event).startswith("<DeviceEvent '<b>' 1 ") and "&lt;b&gt;" in event._repr_html_()  # type: ignore[union-attr]
    assert not isinstance(fleet.poll(), EventList)


def test_events_that_come_during_a_conversion_stay_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    """`events_columns` returns even if other threads keep feeding the fleet."""
    zones = Zones()
    zones.add(Circle(0, 0, 100), "a", policy="exact")
    fleet = Fleet(zones)
    convert = DeviceEventList.columns

    def convert_while_another_thread_feeds(events: DeviceEventList) -> dict[str, list[Any]]:
        if (count := fleet.statistics().device_count) < 50:
            fleet.feed(f"van {count}", Fix(0, 0, time=0))
        return convert(events)

    monkeypatch.setattr(DeviceEventList, "columns", convert_while_another_thread_feeds)
    fleet.feed("van 0", Fix(0, 0, time=0))
    seen: list[str] = []
    for _ in range(50):
        found = fleet.events_columns()["device"]
        assert len(found) <= 3
        seen += found
    assert seen == [f"van {number}" for number in range(50)]
