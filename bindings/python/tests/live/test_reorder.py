"""Tests ``reorder``: fixes are held and fed in order of time, and no message is acknowledged too early."""

from __future__ import annotations

import json
import os
import random
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, mentions
from watching import START, Clock, circles, notices_to

from fencepost import Circle, Fleet, Monitor, Zones
from fencepost._live.loop import Turns
from fencepost._live.messages import DeviceFix, Gone
from fencepost._live.mqtt_source import MqttSource, _Arrived
from fencepost._live.sorting import ROWS_A_DEVICE
from fencepost._live.waker import Stop, Waker
from fencepost.errors import InvalidArgumentError
from fencepost.live import Follower, Source

WINDOW = 60.0


class Letters(Source):
    """A source whose messages the test sets. `counted` is the number of acknowledged messages."""

    def __init__(self, redelivers: bool = False) -> None:
        self.descriptor, self._writer = os.pipe()
        os.write(self._writer, b"x")
        self.messages: list[Any] = []
        self.counted, self.fails, self._redelivers = 0, False, redelivers

    @property
    def redelivers(self) -> bool:
        return self._redelivers

    def read(self) -> list[tuple[str, Any]]:
        if self.fails:
            raise OSError(5, "no more data", "letters")
        found, self.messages = self.messages, []
        return [(f"message {number}", message) for number, message in enumerate(found)]

    def taken(self, count: int) -> None:
        self.counted += count

    def close(self) -> None:
        os.close(self.descriptor or 0)
        os.close(self._writer)


class Sorted:
    """A follower with `reorder`; the test sets its clock."""

    def __init__(self, zones: Any = None, reorder: float = WINDOW, redelivers: bool = False, **options: Any) -> None:
        self.clock, self.said, self.seen = Clock(), [], []
        self.answers = True
        self.source = Letters(redelivers)
        zones = {"office": Circle(0, 0, 200)} if zones is None else zones
        policy = {} if isinstance(zones, Monitor | Fleet) else {"policy": "exact"}
        self.follower = Follower(
            zones, sinks=[self.handle], reorder=reorder, notices=notices_to(self.said.append, self.clock),
            clock=lambda: START + self.clock.now, monotonic=self.clock, **policy, **options,
        )  # fmt: skip
        self.watcher = self.follower._watcher
        self.turns = Turns([self.source], self.watcher, self.follower._notices)

    def handle(self, event: Any) -> bool:
        if self.answers:
            self.seen.append(event)
        return self.answers

    def send(self, *fixes: tuple[Any, ...], passes: float = 0.0) -> None:
        """Sends fixes (device, second before or after the clock's time, longitude), and lets the loop work."""
        self.clock.now += passes
        for device, second, longitude in fixes:
            row = (0.0, longitude, 5.0, round((START + self.clock.now + second) * 1e6))
            self.source.messages.append(row if device is None else DeviceFix(device, row))
        for _ in range(2 * len(fixes) + 5):
            self.turns.descriptors()
            self.turns.turn({self.source.descriptor or 0})
            self.watcher.handle_events()

    @property
    def held(self) -> int:
        assert self.watcher.sorter is not None
        return len(self.watcher.sorter)

    @property
    def states(self) -> list[tuple[str, str]]:
        return [(event.device, str(event.event.state)) for event in self.seen]


def test_late_fixes_give_their_events_and_messages_wait_for_their_fixes() -> None:
    one = Sorted()
    one.send(("phone", 0, 0.1), ("phone", 40, 0.1), ("phone", 10, 0.0), ("phone", 20, 0.1))
    assert (one.states, one.source.counted, one.held) == ([], 0, 4)
    one.send(("phone", 59, 0.1), passes=12)
    # The first and the third message were fed; the third waits for the second.
    assert (one.states, one.source.counted, one.held) == ([("phone", "satisfied")], 1, 3)
    one.send(passes=WINDOW + 60 + 5.1)
    assert one.states == [("phone", "satisfied"), ("phone", "unsatisfied")]
    assert (one.source.counted, one.held, one.watcher.counts["late_fixes"]) == (5, 0, 0)


def test_a_silent_device_releases_its_fixes_after_the_window_and_the_lag() -> None:
    one = Sorted(lag=5.0)
    one.send(("phone", 0, 0.0))
    assert one.turns.pause() == pytest.approx(WINDOW + 5)
    one.send(passes=WINDOW + 4.9)
    assert (one.states, one.source.counted) == ([], 0)
    one.send(passes=0.2)
    assert (one.states, one.source.counted, one.held) == ([("phone", "satisfied")], 1, 0)


def test_a_dwell_waits_for_held_fixes() -> None:
    """The phone seems to have left; the fix that proves its return arrives late, but within the window."""
    fleet = Fleet(Zones())
    fleet.conditions.add(Circle(0, 0, 200), "office")  # leaves after 20 s outside
    one = Sorted(fleet)
    one.send(("phone", 0, 0.0))
    one.send(("phone", 0, 0.1), passes=30)
    one.send(("phone", 0, 0.0), passes=30)
    one.send(("phone", -20, 0.0), passes=1)  # 9 s after the fix outside
    one.send(passes=500)
    assert one.states == [("phone", "satisfied")]
    assert one.watcher.counts["late_fixes"] == 0


def test_a_clock_far_ahead_ends_no_window() -> None:
    one = Sorted()
    one.send(("phone", 0, 0.1), ("phone", 1e6, 0.1), ("phone", 3e8, 0.1), ("phone", 1, 0.0))
    assert (one.watcher.counts["future_fixes"], one.held) == (2, 2)
    one.send(passes=WINDOW + 10)
    assert one.states == [("phone", "satisfied")]
    assert one.source.counted == 4


def test_repeated_messages_count_once_and_are_acknowledged_both() -> None:
    one = Sorted()
    one.send(("phone", 0, 0.0), ("phone", 0, 0.0), ("van", 0, 0.0))
    assert (one.held, one.watcher.counts["double_fixes"]) == (2, 1)
    one.send(passes=WINDOW + 6)
    assert one.source.counted == 3
    one.send(("phone", -WINDOW - 6, 0.0))
    assert (one.source.counted, one.watcher.counts["double_fixes"], len(one.seen)) == (4, 2, 2)


def test_more_fixes_than_the_limit_are_fed_early_and_reported() -> None:
    one = Sorted(reorder=86_400.0)
    one.send(*(("phone", number / 100, 0.0) for number in range(ROWS_A_DEVICE + 50)))
    assert (one.held, one.source.counted) == (ROWS_A_DEVICE, 50)
    assert any(mentions(said, f"{ROWS_A_DEVICE} held") for said in one.said)
    few = Sorted()
    few.send(*(("phone", number / 100, 0.0) for number in range(10)))
    assert few.said == []


def test_unusable_fixes_are_refused_at_once() -> None:
    one = Sorted(ahead=None)
    one.source.messages += [
        DeviceFix("phone", (91.0, 0.0, 5.0, 0)), DeviceFix("phone", (float("nan"), 0.0, 5.0, 0)),
        DeviceFix("phone", (0.0, 0.0, 5.0, (1 << 63) - 1)), DeviceFix("phone", (0.0, 0.0, 5.0, -(1 << 63))), None,
    ]  # fmt: skip
    one.send()
    assert (one.held, one.source.counted, one.watcher.counts["invalid_fixes"]) == (0, 5, 4)


def test_a_lost_connection_is_reported_after_the_held_fixes() -> None:
    one = Sorted()
    one.send(("phone", 0, 0.0))
    one.source.messages.append(Gone("phone"))
    one.send()
    assert (one.held, one.watcher.counts["gone"]) == (2, 0)
    one.send(passes=WINDOW + 6)
    assert (one.held, one.watcher.counts["gone"], one.watcher.devices["phone"].gone) == (0, 1, True)


def test_devices_do_not_wait_for_each_other() -> None:
    one = Sorted()
    one.send(("van", -40, 0.0), ("phone", 0, 0.0))
    one.send(("van", 21, 0.1))
    assert one.states == [("van", "satisfied")]
    assert one.source.counted == 1


def test_a_stop_feeds_what_no_source_delivers_again() -> None:
    for redelivers in (False, True):
        one = Sorted(redelivers=redelivers)
        one.send(("phone", 2, 0.1), ("phone", 1, 0.0))
        one.source.messages.append(DeviceFix("phone", (0.0, 0.0, 5.0, round((START + one.clock.now + 3) * 1e6))))
        one.turns.release_held()
        while one.turns.has_released:
            one.turns.feed_released()
            one.watcher.handle_events()
        assert one.states == ([] if redelivers else [("phone", "satisfied"), ("phone", "unsatisfied")])
        assert one.source.counted == (0 if redelivers else 2)


def test_a_source_that_fails_loses_no_held_fix() -> None:
    again = Sorted()
    again.source.messages = [DeviceFix("phone", (0.0, 0.0, 5.0, round((START + 1000) * 1e6)))]
    read = again.source.read

    def once() -> list[tuple[str, Any]]:
        found = read()
        again.source.fails = True
        return found

    again.source.read = once  # type: ignore[method-assign]
    with pytest.raises(OSError, match="no more data"):
        again.follower.run(again.source)
    assert (again.states, again.source.counted) == ([("phone", "satisfied")], 1)


def test_a_store_that_fails_acknowledges_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Sorted(store=tmp_path)
    one.send(("phone", 0, 0.0))
    works = type(one.watcher).is_kept
    monkeypatch.setattr(type(one.watcher), "is_kept", property(lambda self: False))
    one.send(passes=WINDOW + 6)
    assert (one.source.counted, one.states, one.held) == (0, [], 0)
    monkeypatch.setattr(type(one.watcher), "is_kept", works)
    one.send()
    assert (one.source.counted, one.states) == (1, [("phone", "satisfied")])
    one.follower.close()


def test_a_monitor_sorts_too() -> None:
    monitor = Monitor()
    monitor.add(Circle(0, 0, 200), "office", policy="exact")
    one = Sorted(monitor)
    one.send((None, 0, 0.1), (None, 40, 0.1), (None, 10, 0.0))
    one.send(passes=WINDOW + 46)
    assert [str(event.state) for event in one.seen] == ["unsatisfied", "satisfied", "unsatisfied"]
    assert (one.source.counted, one.watcher.counts["late_fixes"]) == (3, 0)


@pytest.mark.parametrize("device", ["phone", None])
def test_a_doubted_fix_with_a_wrong_date_makes_no_later_fix_late(device: str | None) -> None:
    followed: Any = Fleet(Zones(), plausible_speed=60) if device else Monitor(plausible_speed=60)
    (followed.conditions if device else followed).add(Circle(0, 0, 200), "office")  # leaves after 20 s outside
    one = Sorted(followed, reorder=20.0, ahead=None)
    one.send((device, 0, 0.0))
    one.send((device, 0, 0.005), passes=20)
    one.send((device, 1000, 0.9), passes=1)  # 100 km away
    for _ in range(12):
        one.send((device, 0, 0.005), passes=5)
    one.send(passes=2000)
    counts = one.watcher.counts
    assert (counts["fixes"], counts["doubted_fixes"], counts["late_fixes"]) == (15, 1, 0)
    assert [str(getattr(event, "event", event).state) for event in one.seen] == ["satisfied", "unsatisfied"]


def test_devices_with_held_fixes_do_not_expire() -> None:
    one = Sorted(reorder=4000.0, expire=100.0)
    one.send(("phone", -4100, 0.0), ("phone", 0, 0.0))
    assert one.states == [("phone", "satisfied")]
    one.send(("phone", 0, 0.0), passes=3700)
    assert list(one.watcher.devices) == ["phone"]


@pytest.mark.parametrize("reorder", [-1, float("nan"), float("inf"), 86_401, 1e300])
def test_windows_out_of_range(reorder: float) -> None:
    with pytest.raises(InvalidArgumentError):
        Follower({"office": Circle(0, 0, 200)}, reorder=reorder)


def test_any_delay_below_the_window_gives_the_events_of_the_ordered_fixes() -> None:
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    generator = random.Random(seed)
    rows = [(second, name, 0.01 * (generator.random() < 0.3)) for second in range(200) for name in ("a", "b", "c")]

    def log(window: float, delays: list[float]) -> list[str]:
        one = Sorted(reorder=window, ahead=None)
        order = sorted(range(len(rows)), key=lambda number: rows[number][0] + delays[number])
        last = 0.0
        for number in order:
            second, name, longitude = rows[number]
            arrives = second + delays[number]
            passes, last = arrives - last, arrives
            one.send((name, second - arrives, longitude), passes=passes)
        one.send(passes=window + 100)
        while one.turns.pause() == 0:  # each pass ends when there are events to handle
            one.send()
        assert one.held == 0 and one.source.counted == len(rows)
        return sorted(event.to_json() for event in one.seen)

    expected = log(0.001, [0.0] * len(rows))
    assert len(expected) > 200
    assert log(WINDOW, [generator.uniform(0, WINDOW - 2) for _ in rows]) == expected, f"seed {seed}"


# --------------------------------------------------------------------------------------------------- a broker


class Session:
    """Stands in for the client of a source: a persistent session with messages of QoS 1. The broker keeps the messages
    that are not acknowledged, and delivers them again on the next connection."""

    def __init__(self) -> None:
        self.waker, self.is_contested, self.identifier = Waker(), False, "vans"
        self.life = self.first_life = self.reconnects = 0
        self.kept: dict[int, bytes] = {}
        self.acknowledged: list[int] = []
        self._arrived: list[_Arrived] = []
        self._sent = 0

    def tell(self) -> None:
        pass

    def send(self, device: str, time_s: float, longitude: float) -> None:
        fix = {"device": device, "latitude": 0, "longitude": longitude, "accuracy": 5, "time": time_s}
        self._sent += 1
        self.kept[self._sent] = json.dumps(fix).encode()
        self._deliver(self._sent)

    def _deliver(self, number: int) -> None:
        self._arrived.append(_Arrived(self.life, number, 1, "vans", self.kept[number]))
        self.waker.wake()

    def reconnect(self, continues: bool = True) -> None:
        self.life, self.reconnects, self._arrived = self.life + 1, self.reconnects + 1, []
        if not continues:
            self.first_life, self.kept = self.life, {}
        for number in self.kept:
            self._deliver(number)

    def take(self) -> list[_Arrived]:
        found, self._arrived = self._arrived, []
        return found

    def confirm(self, arrived: _Arrived) -> None:
        if arrived.life == self.life:
            self.acknowledged.append(arrived.number)
            del self.kept[arrived.number]

    def close(self) -> None:
        self.waker.close()


def broker_source(session: Session, most: int = 100) -> MqttSource:
    made: Any = object.__new__(MqttSource)
    made._client, made._by, made._given, made._lasts = session, "device", deque(), True
    made.descriptor, made.name, made.most_untaken = session.waker.fileno(), "broker/vans", most
    return made  # type: ignore[no-any-return]


class Broken(Sorted):
    """A follower whose source is a broker."""

    def __init__(self, most: int = 100, **options: Any) -> None:
        super().__init__(**options)
        self.session = Session()
        self.broker = broker_source(self.session, most)
        self.turns = Turns([self.broker], self.watcher, self.follower._notices)

    def pass_turns(self, count: int = 40, passes: float = 0.0) -> None:
        self.clock.now += passes
        for _ in range(count):
            self.turns.turn(self.turns.descriptors())
            self.watcher.handle_events()

    def run(self, turns: int) -> None:
        """Runs until the loop has made some turns."""
        left = [turns]
        with Stop() as stop:

            def count() -> float:
                left[0] -= 1
                if left[0] < 0:
                    stop.stop()
                return 0.001

            self.follower.run(self.broker, stop=stop, each_turn=count)


@pytest.fixture
def broken() -> Iterator[Callable[..., Broken]]:
    made: list[Broken] = []

    def make(**options: Any) -> Broken:
        made.append(Broken(**options))
        return made[-1]

    yield make
    for one in made:
        one.session.close()


def test_messages_that_a_broker_delivers_again_count_once(broken: Callable[..., Broken]) -> None:
    """After each reconnection, the broker delivers the held messages again. They need not be released early: at most
    the limit of messages is unacknowledged on the connection."""
    one = broken()
    for number in range(70):
        one.session.send(f"van {number}", START + number / 100, 0.0)
    one.pass_turns()
    assert (one.held, one.watcher.counts["double_fixes"]) == (70, 0)
    for again in range(1, 6):
        one.session.reconnect()
        one.pass_turns()
        assert (one.held, one.watcher.counts["double_fixes"]) == (70, 70 * again)
        assert len(one.turns._inputs[0].tickets) == 70
    assert one.session.acknowledged == [] and not any(mentions(said, "early") for said in one.said)
    assert one.watcher.sorter is not None
    assert max(len(held.tickets) for held in one.watcher.sorter._repeated.values()) <= 2
    one.session.send("van 0", START + 1, 0.1)
    one.pass_turns(passes=WINDOW + 10)
    one.pass_turns(passes=WINDOW + 10)
    assert one.session.acknowledged == list(range(1, 72)) and one.session.kept == {} and one.held == 0
    assert len(one.seen) == 71


def test_messages_of_which_the_broker_lost_the_session_are_fed_at_the_stop(broken: Callable[..., Broken]) -> None:
    """If the broker did not keep the session, it does not deliver the held messages again."""
    for continues in (True, False):
        one = broken()
        for number in range(5):
            one.session.send(f"van {number}", START, 0.0)
        one.pass_turns()
        one.session.reconnect(continues)
        one.session.send("another", START, 0.0)
        one.pass_turns()
        one.turns.release_held()
        assert one.turns.has_released != continues
        while one.turns.has_released:
            one.turns.feed_released()
            one.watcher.handle_events()
        assert len(one.seen) == (0 if continues else 6)
        assert one.session.acknowledged == ([] if continues else [6])


def test_a_second_run_acknowledges_the_messages_that_were_fed(broken: Callable[..., Broken]) -> None:
    one = broken()
    for number in range(5):
        one.session.send(f"van {number}", START, 0.0)
    one.run(5)
    assert (one.held, one.session.acknowledged) == (5, [])
    # A later message is fed first. A source acknowledges its messages in order, so none is acknowledged yet.
    one.session.send("another", START - 40, 0.0)
    one.session.send("another", START + 21, 0.1)
    one.run(20)
    assert one.states == [("another", "satisfied")]
    assert (one.held, one.session.acknowledged) == (6, [])
    one.clock.now += WINDOW + 30
    one.run(40)
    assert one.held == 0 and one.session.acknowledged == list(range(1, 8))


def test_a_second_run_feeds_what_the_first_has_read(
    broken: Callable[..., Broken], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run may end with messages that it has read and not fed, also without `reorder`."""
    monkeypatch.setattr("fencepost._live.loop.FIXES_A_TURN", 20)
    count = 30
    for reorder in (0.0, WINDOW):
        one = broken(reorder=reorder, lag=0.0)
        for number in range(count):
            one.session.send(f"van {number}", START, 0.0)
        one.run(1)
        assert len(one.session.acknowledged) < count
        for _ in range(3):
            one.clock.now += WINDOW + 30
            one.run(2 * count)
        assert len(one.seen) == count, reorder
        assert one.session.acknowledged == list(range(1, count + 1)), reorder
    # A source that was closed is forgotten.
    one.broker.close()
    Turns([], one.watcher, one.follower._notices)
    assert one.watcher.inputs == []


# ------------------------------------------------------------------------------------------------- the command


def test_the_command_sorts_a_file_the_same_way_each_time(tmp_path: Path, run: Run) -> None:
    generator = random.Random(7)
    rows = [(second, device, 0.01 * (second // 9 % 2)) for second in range(300) for device in ("a", "b")]
    late = sorted(rows, key=lambda row: row[0] + generator.uniform(0, 25))
    places = circles(tmp_path / "places.geojson", office=200)

    def events(name: str, order: list[Any], *options: str) -> str:
        file = tmp_path / name
        file.write_text("".join(
            json.dumps({"device": device, "latitude": 0, "longitude": longitude, "accuracy": 5, "time": START + second})
            + "\n" for second, device, longitude in order
        ))  # fmt: skip
        done = run("watch", "--source", file, "--by", "device", "--conditions", places, *options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = events("late.jsonl", late, "--reorder", "30")
    assert first == events("late.jsonl", late, "--reorder", "30")
    assert sorted(first.splitlines()) == sorted(events("ordered.jsonl", rows).splitlines())
    assert sorted(first.splitlines()) != sorted(events("late.jsonl", late).splitlines())
    assert len(first.splitlines()) > 60


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "x", "90000"])
def test_the_command_refuses_windows_out_of_range(tmp_path: Path, run: Run, value: str) -> None:
    done = run(
        "watch", "--source", "-", "--conditions", circles(tmp_path / "c.geojson", office=200), "--reorder", value
    )
    assert done.returncode == 2
    assert mentions(done.stderr, "reorder")


def test_posted_fixes_cannot_be_held(tmp_path: Path, run: Run) -> None:
    places = circles(tmp_path / "c.geojson", office=200)
    done = run("watch", "--source", "http://127.0.0.1:0", "--conditions", places, "--reorder", "5")
    assert done.returncode == 2
    assert mentions(done.stderr, "--reorder … http://127.0.0.1:0")


def test_time_is_left() -> None:
    """A pass of the loop with held fixes waits; it does not spin."""
    one = Sorted()
    one.send(("phone", 0, 0.0))
    pauses = [one.turns.pause() for _ in range(3)]
    assert all(pause is not None and pause > 60 for pause in pauses)
