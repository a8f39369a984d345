"""A typical user script, for the type checkers: it uses every part of the monitor and states the types of the
results."""

from __future__ import annotations

import asyncio
from array import array
from datetime import UTC, datetime
from typing import assert_type

import numpy as np
import pandas as pd

from fencepost import (
    Beacon,
    BeaconSighting,
    Circle,
    Event,
    FencepostError,
    Fix,
    Monitor,
    Record,
    State,
    TransitionPolicy,
    geodesic,
)
from fencepost.errors import InvalidArgumentError
from fencepost.types import EventList, FeedResult

BEACON = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"


def conditions(monitor: Monitor) -> None:
    monitor.add(Circle(37.3349, -122.0090, radius=200), "office", assuming=State.UNSATISFIED)
    monitor.add(Beacon(BEACON, major=1), "desk", policy=TransitionPolicy.exact(), tag=7)
    added: bool = monitor.ensure(Circle(37.3349, -122.0090, 200), "office", policy="standard")
    print(added)
    frame = pd.DataFrame({"name": ["a", "b"], "lat": [52.5, 52.6], "lon": [13.4, 13.5], "r": [100.0, 200.0]})
    monitor.add_many(frame["name"], frame["lat"], frame["lon"], frame["r"], policy="exact", tag=[1, 2])
    monitor.add_many(frame, columns={"radius": "r"}, policy="exact")
    monitor.add_many(["c"], latitude=np.zeros(1), longitude=array("d", [0]), radius=[10])
    assert_type(monitor["office"], Record)
    assert_type(monitor.record("nobody"), Record | None)
    assert_type(len(monitor), int)
    for identifier in monitor:
        assert_type(identifier, str)
    center = geodesic.direct(37.3349, -122.0090, 90, 100)
    print("office" in monitor, center.latitude, monitor.explain("office").reason)


def inputs(monitor: Monitor) -> None:
    monitor.feed(Fix(37.3349, -122.0091, accuracy=5, time=datetime(2024, 5, 1, tzinfo=UTC)))
    monitor.feed_sightings(BeaconSighting(BEACON, 1, 7, rssi=-60), time=datetime(2024, 5, 1, tzinfo=UTC))
    time = pd.Series(pd.date_range("2024-05-01", periods=3, freq="s", tz="UTC"))
    result = monitor.feed_many(latitude=np.zeros(3), longitude=[0.0, 0.0, 0.0], time=time, accuracy=5.0)
    assert_type(result, FeedResult)
    assert_type(result.accepted, int)
    monitor.feed_many(
        latitude=array("d", [0]), longitude=array("d", [0]), time=np.array(["2024-05-02"], "M8[ns]"), accuracy=None
    )
    table = pd.DataFrame({"lat": [0.0], "lon": [0.0], "time": pd.date_range("2024-05-02", periods=1, tz="UTC")})
    assert_type(monitor.feed_many(table, columns={"latitude": "lat"}, on_invalid="raise"), FeedResult)
    monitor.feed_many([Fix(0, 0, time=datetime(2024, 5, 3, tzinfo=UTC))], on_invalid="raise")
    try:
        monitor.feed_many(latitude=[91.0], longitude=[0.0], time=[datetime(2024, 5, 3, tzinfo=UTC)], on_invalid="raise")
    except InvalidArgumentError as error:
        assert_type(error.position, int)
    except FencepostError as error:
        print(error.code, error.name)


def events(monitor: Monitor) -> None:
    events = monitor.poll(2)
    assert_type(events, EventList)
    for event in events:
        assert_type(event, Event)
        assert_type(event.date, datetime | None)
    for event in monitor.events():
        print(event.identifier, event.state is State.SATISFIED)
    columns = monitor.events_columns()
    print(columns["identifier"])
    frame: pd.DataFrame = monitor.events_frame()
    print(frame)


async def watch(monitor: Monitor) -> list[int]:
    seen: list[int] = []
    async for event in monitor.updates():
        assert_type(event, Event)
        seen.append(event.sequence)
        monitor.close()
    return seen


def main() -> None:
    with Monitor("script", delivery="every") as monitor:
        conditions(monitor)
        inputs(monitor)
        events(monitor)
        monitor.add(Circle(0, 0, 10), "late", policy="exact")
        print(asyncio.run(watch(monitor)))


if __name__ == "__main__":
    main()
