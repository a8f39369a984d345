"""Tests a watch over many devices: each has its own clock, and hostile messages cannot exceed the watch's limits."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from conftest import SECOND, Run, mentions
from watching import START, Clock, circles, notices_to

from fencepost import Circle, Fleet, TransitionPolicy, Zones
from fencepost._live import waypoints
from fencepost._live.device_lines import DeviceLines, read_message, source_of
from fencepost._live.lines import LineError
from fencepost._live.messages import DeviceFix, EncryptedRefused, Gone, NameRefused, Waypoint, Waypoints
from fencepost._live.notices import JsonLines, Notices
from fencepost._live.sinks import AppendedFile, Sinks
from fencepost._live.watched_fleet import FleetWatch
from fencepost._live.waypoints import OwnersCircles
from fencepost.errors import InvalidArgumentError
from fencepost.live import Follower

EXACT = TransitionPolicy.exact()


class FleetWatched:
    """A watch of a fleet around one office; the test sets the watch's clock."""

    def __init__(self, fleet: Fleet | None = None, policy: TransitionPolicy | None = None, **options: Any) -> None:
        self.clock = Clock()
        self.said: list[str] = []
        self.seen: list[Any] = []
        self.answer = True
        self.fleet = Fleet(Zones()) if fleet is None else fleet
        if "office" not in self.fleet.conditions:
            self.fleet.conditions.add(Circle(0, 0, 200), "office", policy=policy)
        self.notices = notices_to(self.said.append, self.clock)
        self.circles = OwnersCircles(self.fleet.conditions, EXACT, 3)
        self.watch = FleetWatch(
            self.fleet, self.handle, self.notices, self.circles, monotonic=self.clock, wall=self.wall, **options
        )

    def wall(self) -> float:
        return START + self.clock.now

    def handle(self, event: Any) -> bool:
        self.seen.append(event)
        return self.answer

    def feed(self, device: str, second: float, longitude: float = 0.0, **more: Any) -> None:
        fix = (0.0, longitude, 5.0, round((START + second) * 1e6))
        assert self.watch.feed(DeviceFix(device, fix, **more))
        self.pass_time()

    def pass_time(self, seconds: float = 0) -> None:
        self.clock.now += seconds
        self.watch.pass_time()
        self.watch.handle_events()
        self.notices.pass_time()

    @property
    def reported(self) -> list[tuple[str, str, int]]:
        return [(event.device, str(event.event.state), event.sequence) for event in self.seen]


def test_a_late_device_hurts_no_other() -> None:
    watched = FleetWatched(policy=EXACT)
    watched.feed("truck", 1000)
    watched.feed("phone", 5)  # this fix is a quarter of an hour late
    watched.feed("truck", 999)
    watched.feed("truck", 1000)
    watched.feed("phone", 6, 0.01)
    assert watched.reported == [("truck", "satisfied", 1), ("phone", "satisfied", 1), ("phone", "unsatisfied", 2)]
    assert (watched.watch.counts["late_fixes"], watched.watch.counts["double_fixes"]) == (1, 1)


def test_time_passes_for_each_device_by_itself() -> None:
    watched = FleetWatched()
    for device, second in (("a", 0), ("b", 500)):
        watched.feed(device, second)
    watched.feed("a", 1, 0.01)  # leaves: due 20 s later
    watched.pass_time(10)
    watched.feed("b", 511, 0.01)
    assert watched.watch.pause() == pytest.approx(15), "the dwell and the lag of a"
    watched.pass_time(15.1)
    assert watched.reported[2:] == [("a", "unsatisfied", 2)]
    watched.feed("b", 520, 0.01)
    watched.pass_time(0.9)
    watched.feed("b", 532, 0.01)  # this fix is more than 20 s after the exit, so the dwell time is over
    assert watched.reported[3:] == [("b", "unsatisfied", 2)]
    watched.pass_time(60)
    assert watched.watch.pause() is None
    assert [event.event.date_us for event in watched.seen[2:]] == [(START + 21) * SECOND, (START + 531) * SECOND]


def test_what_was_due_when_a_watch_ended_is_due_when_it_continues(tmp_path: Path) -> None:
    with Fleet(Zones(), store=tmp_path, name="fleet") as fleet:
        watched = FleetWatched(fleet)
        watched.feed("a", 0)
        watched.feed("a", 1, 0.01)
    with Fleet(Zones(), store=tmp_path, name="fleet") as fleet:
        again = FleetWatched(fleet)
        again.feed("a", 1, 0.01)  # sent again
        again.feed("a", 0)
        assert (again.watch.counts["passed_fixes"], again.reported) == (2, [])
        again.pass_time(25.1)
        assert again.reported == [("a", "unsatisfied", 2)]


def test_devices_are_bounded_and_forgotten() -> None:
    watched = FleetWatched(policy=EXACT, max_devices=3, expire=100.0, ahead=None)
    for number in range(5_000):
        watched.feed(f"name {number}", 1000)
    assert len(watched.fleet) == len(watched.watch.devices) == 3
    assert watched.watch.counts["refused_devices"] == 4_997
    assert sum("--max-devices" in line for line in watched.said) == 1, "the others are told once a minute"
    watched.pass_time(3700)
    assert len(watched.fleet) == len(watched.watch.devices) == 0
    watched.feed("phone", 4700)
    assert watched.reported[-1] == ("phone", "satisfied", 1)


def test_fixes_of_the_future_move_no_clock() -> None:
    watched = FleetWatched(policy=EXACT)
    watched.feed("a", 2_400_000_000)  # in the year 2099
    assert len(watched.fleet) == 0 and watched.watch.counts["future_fixes"] == 1
    watched.feed("a", 1000)
    assert watched.reported == [("a", "satisfied", 1)]


def test_heaps_of_deadlines_stay_small() -> None:
    watched = FleetWatched()
    watched.feed("a", 0)
    for second in range(1, 4_001):  # every second the device leaves or returns, so a pending transition starts or ends
        watched.feed("a", second, 0.01 * (second % 2))
    assert len(watched.watch._due) < 100


def test_an_event_that_is_not_handled_is_given_again() -> None:
    watched = FleetWatched(policy=EXACT)
    watched.answer = False
    watched.feed("a", 0)
    watched.feed("b", 0)
    assert watched.reported == [("a", "satisfied", 1)]
    watched.pass_time(1.1)
    watched.answer = True
    watched.pass_time(2.1)
    assert watched.reported == [("a", "satisfied", 1)] * 3 + [("b", "satisfied", 1)]


# ----------------------------------------------------------------------------------- owners' circles


def test_circles_count_for_their_owner_alone() -> None:
    watched = FleetWatched(policy=EXACT)
    home = Waypoint("home", 0.0, 1.0, 100.0, 1_600_000_000)
    assert watched.watch.feed(Waypoints("alice/phone", (home,)))
    assert watched.watch.feed(Waypoints("alice/phone", (home,)))
    assert watched.watch.counts["waypoints"] == 1, "the second says the same"
    for device in ("bob/phone", "alice/watch"):
        watched.feed(device, 1000, 1.0)
    assert [(event.device, event.event.identifier, event.waypoint_time) for event in watched.seen] == [
        ("alice/watch", "alice/home", 1_600_000_000)
    ]
    renamed = Waypoint("house", 0.0, 1.0, 100.0, 1_600_000_000)
    assert watched.watch.feed(Waypoints("alice/phone", (renamed,)))
    assert watched.fleet.conditions.identifiers == ["office", "alice/house"]
    kept = OwnersCircles(watched.fleet.conditions, EXACT, 3)  # as after a restart
    assert kept.is_others("alice/house", "bob/phone") and not kept.is_others("alice/house", "alice/phone")
    assert watched.watch.feed(Waypoints("alice/phone", (Waypoint("x", 0.0, 0.0, 0.0, 1_600_000_000),)))
    assert watched.fleet.conditions.identifiers == ["office"]


def test_circles_are_bounded() -> None:
    watched = FleetWatched(policy=EXACT)
    for number in range(700):
        watched.watch.feed(Waypoints("eve/phone", (Waypoint(f"{number}", 0.0, 1.0, 1.0, 1 + number),)))
    for number in range(50):
        watched.watch.feed(Waypoints(f"eve {number}/phone", (Waypoint("home", 0.0, 1.0, 1.0, 1),)))
    watched.watch.feed(Waypoints("office/..", (Waypoint("x", 91.0, 1.0, 1.0, 1),)))
    assert len(watched.fleet.conditions) == 1 + 500 + 3
    assert watched.watch.counts["bad_waypoints"] == 200 + 47 + 1


def test_circles_of_all_owners_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waypoints, "MOST_CIRCLES", 4)
    watched = FleetWatched(policy=EXACT)
    for number in range(9):
        circle = Waypoint(f"{number}", 0.0, 1.0, 1.0, 1 + number)
        watched.watch.feed(Waypoints(f"owner {number % 3}/phone", (circle,)))
    assert watched.watch.counts["bad_waypoints"] == 5 and "exceeds the 4 waypoints" in watched.said[-1]
    # Removing one of an owner's circles makes room for another one, and a circle that already exists may be changed.
    watched.watch.feed(Waypoints("owner 0/phone", (Waypoint("0", 0.0, 0.0, 0.0, 1), Waypoint("3", 0.0, 1.0, 9.0, 4))))
    watched.watch.feed(Waypoints("owner 2/phone", (Waypoint("new", 0.0, 1.0, 1.0, 99),)))
    assert watched.watch.counts["bad_waypoints"] == 5
    assert "owner 2/new" in watched.fleet.conditions and len(watched.fleet.conditions) == 1 + 4


# ------------------------------------------------------------------------------------------ messages

LOCATION = {"_type": "location", "lat": 48.5, "lon": 11.25, "acc": 8, "tst": START, "batt": 80, "inregions": ["home"]}
TRACCAR = {
    "position": {
        "id": 7,
        "deviceId": 1,
        "latitude": 48.5,
        "longitude": 11.25,
        "accuracy": 8,
        "fixTime": "2023-11-14T22:13:20.000+00:00",
        "valid": True,
        "speed": 3.5,
        "attributes": {"batteryLevel": 80},
    },
    "device": {"id": 1, "name": "Truck", "uniqueId": "8675309"},
}


@pytest.mark.parametrize(
    ("message", "topic", "device"),
    [
        (LOCATION, "owntracks/alice/phone", "alice/phone"),
        ({**LOCATION, "topic": "owntracks/alice/phone"}, None, "alice/phone"),
        (LOCATION, "home/trackers/alice/phone", "alice/phone"),
        (TRACCAR, "traccar/positions", "8675309"),
        ({"lat": 48.5, "lon": 11.25, "accuracy": 8, "time": START, "device": 7}, None, "7"),
        ({"lat": 48.5, "lon": 11.25, "accuracy": 8, "time": START}, "boats/tern", "boats/tern"),
    ],
)
def test_messages_that_are_fixes(message: dict[str, Any], topic: str | None, device: str) -> None:
    found = read_message(json.dumps(message).encode(), "device", topic)
    assert isinstance(found, DeviceFix)
    assert (found.device, found.row) == (device, (48.5, 11.25, 8.0, START * SECOND))


def test_other_messages_of_owntracks() -> None:
    def read(**members: Any) -> Any:
        return read_message(json.dumps(members).encode(), "device", "owntracks/alice/phone/waypoint")

    place = {"desc": "home", "lat": 1, "lon": 2, "rad": 50, "tst": 5}
    assert read(_type="lwt", tst=1) == Gone("alice/phone")
    assert read(_type="waypoint", **place) == Waypoints("alice/phone", (Waypoint("home", 1.0, 2.0, 50.0, 5),))
    assert read(_type="waypoints", waypoints=[place, place]).waypoints[1].name == "home"
    assert read(_type="waypoint", desc="gone", tst=5).waypoints[0].radius == 0
    bad = {"desc": "", "tst": 5}
    listed = read(_type="waypoints", waypoints=[bad, place, {"lat": 1}])
    assert [each.name for each in listed.waypoints] == ["home"] and len(listed.refused) == 2, "one costs no other"
    crossed = {"event": "enter", "desc": "home", "lat": 1, "lon": 2, "acc": 9, "tst": 7, "t": "c"}
    fix = read(_type="transition", **crossed)
    assert (fix.device, fix.row) == ("alice/phone", (1.0, 2.0, 9.0, 7 * SECOND)), "a fix as any other"
    assert source_of(fix.source, "device")["event"] == "enter"
    assert read(_type="transition", sequence=1, **crossed) is None, "published by a watch"
    for ignored in ("transition", "card", "steps", "cmd", "status"):
        assert read(_type=ignored) is None
    with pytest.raises(EncryptedRefused, match="encrypted"):
        read(_type="encrypted", data="AAAA")


@pytest.mark.parametrize(
    "line",
    [
        {"lat": 1, "lon": 2, "time": 3},
        {"lat": 1, "lon": 2, "time": 3, "device": "x" * 10_000},
        {"lat": 1, "lon": 2, "time": 3, "device": ""},
        {"lat": 1, "lon": 2, "time": 3, "device": "a\0b"},
        {"lat": 1, "lon": 2, "time": 3, "device": ["a"]},
        {"lat": 1, "lon": 2, "time": 3, "device": True},
        {"lat": 1, "lon": 2, "time": 3, "device": "\ud800"},
    ],
)
def test_names_that_are_refused(line: dict[str, Any]) -> None:
    with pytest.raises(NameRefused):
        read_message(json.dumps(line).encode(), "device")


@pytest.mark.parametrize("topic", ["owntracks", "owntracks/alice", "owntracks//phone", "a/b/" + "x" * 300, "///"])
def test_topics_that_name_no_device(topic: str) -> None:
    with pytest.raises(NameRefused):
        read_message(json.dumps(LOCATION).encode(), "device", topic)


@pytest.mark.parametrize(
    "message",
    [
        {**LOCATION, "lat": None},
        {**LOCATION, "lat": "48"},
        {**LOCATION, "tst": None},
        {**LOCATION, "tst": 1e30},
        {**LOCATION, "tst": -1},
        {**LOCATION, "tst": float("nan")},
        {**LOCATION, "_type": "waypoint"},
        {"_type": "waypoint", "desc": "x" * 200, "tst": 1},
        {"_type": "waypoint", "desc": "x", "tst": 1, "lat": float("nan"), "lon": 1, "rad": 5},
        {"_type": "waypoints", "waypoints": [1]},
        {"_type": "waypoints", "waypoints": [{}] * 501},
        {**TRACCAR, "device": {}},
        {**TRACCAR, "position": {}},
        {**TRACCAR, "position": {**TRACCAR["position"], "fixTime": "soon"}},
    ],
)
def test_messages_that_are_refused(message: dict[str, Any]) -> None:
    with pytest.raises(LineError):
        read_message(json.dumps(message).encode(), "device", "owntracks/alice/phone")


def test_hostile_lines_are_counted_and_held_nowhere() -> None:
    """Each kind of hostile message causes at most one log line a minute and adds no device. Some messages are broken
    JSON or a megabyte long; others contain a name of 10 kB, NaN or the year 2099."""
    good = json.dumps({"lat": 0, "lon": 0, "time": START + 1000, "device": "a"}).encode()
    hostile = [
        b'{"lat": 0, "lon"',
        b'{"x": "' + b"x" * 1_000_000 + b'"}',
        b"x" * (1 << 20) + b"y",
        json.dumps({"lat": 0, "lon": 0, "time": START, "device": "n" * 10_000}).encode(),
        b'{"lat": NaN, "lon": 0, "time": 1700000000, "device": "nan"}',
        b'{"lat": 0, "lon": 0, "time": 4070908800, "device": "2099"}',
        b'{"lat": 0, "lon": 0, "time": 1e400, "device": "never"}',
        b'{"lat": 0, "lon": 0, "accuracy": -1, "time": 1700000000, "device": "nowhere"}',
        b"[" * 50_000,
        b"\xff\xfe\x00",
    ]
    watched = FleetWatched(policy=EXACT)
    decoder = DeviceLines("device")
    found = [each for _ in range(20) for each in decoder.take(b"\n".join(hostile) + b"\n")]
    for place, message in [*found, *decoder.take(good + b"\n")]:
        if isinstance(message, LineError):
            watched.watch.counts[message.kind] += 1
        else:
            assert watched.watch.feed(message, place)
    watched.pass_time()
    assert watched.reported == [("a", "satisfied", 1)]
    counts = watched.watch.counts
    assert (counts["bad_names"], counts["future_fixes"], counts["invalid_fixes"]) == (20, 20, 40)
    assert counts["bad_lines"] >= 100
    assert len(watched.said) <= 3 and set(watched.watch.devices) == set(watched.fleet.devices) == {"a"}


def test_an_event_says_what_its_device_said() -> None:
    watched = FleetWatched(policy=EXACT)
    watched.feed("a", 0, source=json.dumps(LOCATION).encode())
    watched.feed("b", 0, source=b'{"lat": 0, "lon": 0, "time": 1, "device": "b"}')
    watched.feed("c", 0, source=json.dumps(TRACCAR).encode())
    watched.feed("d", 0, source=b'{"_type": "location", "x": NaN}')
    lines = [json.loads(event.to_json()) for event in watched.seen]
    assert lines[0]["source"] == {"batt": 80}
    assert "source" not in lines[1] and "source" not in lines[3]
    assert lines[2]["source"]["attributes"] == {"batteryLevel": 80}
    assert next(iter(lines[0])) == "device" and list(lines[0])[-1] == "source"


# --------------------------------------------------------------------------------------------- sinks


def test_a_sink_that_has_an_event_is_not_asked_again() -> None:
    asked: list[str] = []
    answers = iter([False, True])

    def first(event: Any) -> bool:
        asked.append("first")
        return True

    def second(event: Any) -> bool:
        asked.append("second")
        return next(answers)

    watched = FleetWatched(policy=EXACT)
    watched.watch._handle = Sinks([first, second])
    watched.feed("a", 0)
    watched.pass_time(1.1)
    assert asked == ["first", "second", "second"]
    assert watched.watch.is_done


def test_a_file_is_appended_to_whole_lines(tmp_path: Path) -> None:
    said: list[str] = []
    path = tmp_path / "events.jsonl"
    path.write_text('{"whole": 1}\n{"hal')
    watched = FleetWatched(policy=EXACT)
    file = AppendedFile(str(path), notices_to(said.append))
    watched.watch._handle = Sinks([file])
    watched.feed("a", 0)
    assert [len(json.loads(line)) > 0 for line in path.read_text().splitlines()] == [True, True]
    assert "incomplete line" in said[0]
    path.rename(tmp_path / "old.jsonl")
    file.reopen()
    watched.feed("a", 1, 0.01)
    file.close()
    assert json.loads(path.read_text())["sequence"] == 2


def test_a_file_that_is_deleted_is_created_again(tmp_path: Path) -> None:
    """Events were written to the deleted file, and so were lost."""
    said: list[str] = []
    path = tmp_path / "events" / "events.jsonl"
    path.parent.mkdir()
    watched = FleetWatched(policy=EXACT)
    file = AppendedFile(str(path), notices_to(said.append))
    watched.watch._handle = Sinks([file])
    watched.feed("a", 0)
    path.unlink()
    watched.feed("a", 1, 0.01)
    assert json.loads(path.read_text())["sequence"] == 2 and "was deleted" in said[0]
    path.unlink()
    path.parent.rmdir()
    watched.feed("a", 2)
    assert not watched.watch.is_done and "No such file" in said[-1]
    path.parent.mkdir()
    watched.pass_time(1.1)
    assert json.loads(path.read_text())["sequence"] == 3 and watched.watch.is_done
    file.close()


def test_a_full_disk_loses_nothing() -> None:
    said: list[str] = []
    watched = FleetWatched(policy=EXACT)
    file = AppendedFile("/dev/full", notices_to(said.append))
    watched.watch._handle = Sinks([file])
    watched.feed("a", 0)
    assert not watched.watch.is_done and "No space left" in said[0]
    file.close()


def test_notices_as_json() -> None:
    said: list[str] = []
    clock = Clock()
    logger = logging.Logger("test")
    logger.addHandler(JsonLines(said.append))
    logger.addFilter(lambda record: setattr(record, "created", 0.0) is None)
    notices = Notices(logger, clock)
    notices.say("a\nb")
    for _ in range(3):
        notices.seldom("kind", "x" * 5_000)
    notices.close()
    lines = [json.loads(line) for line in said]
    assert lines[0] == {"time": "1970-01-01T00:00:00.000+00:00", "message": "a\nb"}
    assert [(line["kind"], line["count"], len(line["message"])) for line in lines[1:]] == [
        ("kind", 1, 1000),
        ("kind", 2, 1000),
    ]


# ------------------------------------------------------------------------------------- the command


def test_the_command_follows_many_devices(run: Run, tmp_path: Path) -> None:
    conditions = circles(tmp_path / "conditions.geojson", office=200)
    lines = [
        {"device": device, "lat": 0, "lon": longitude, "time": START + second, "batt": 50}
        for second, device, longitude in ((0, "a", 0), (1, "b", 0.5), (2, "a", 0.01), (1, "c", 0), (3, "b", 0))
    ]
    (tmp_path / "fixes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "what?\n")
    arguments = ("watch", "--source", "fixes.jsonl", "--conditions", conditions, "--by", "device", "--store", tmp_path)
    ended = run(*arguments, "--append", "events.jsonl", "--exec", "cat >> all", "--log-format", "json")
    assert ended.returncode == 0, ended.stderr
    expected = [("a", 1, "satisfied"), ("a", 2, "unsatisfied"), ("c", 1, "satisfied"), ("b", 1, "satisfied")]
    for name in ("events.jsonl", "all"):
        events = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        assert [(event["device"], event["sequence"], event["state"]) for event in events] == expected
        assert events[0]["source"] == {"batt": 50}
    assert mentions(json.loads(ended.stderr.splitlines()[0])["message"], "line 6: … JSON")
    again = run(*arguments)
    assert (again.returncode, again.stdout) == (0, "")
    assert mentions(again.stderr, "5 of 5 fixes … already")


def test_events_are_not_appended_to_an_input(run: Run, tmp_path: Path) -> None:
    """The events became lines of the conditions, or fixes of the source."""
    conditions = circles(tmp_path / "conditions.geojson", office=200)
    fixes = tmp_path / "fixes.jsonl"
    fixes.write_text(json.dumps({"lat": 0, "lon": 0, "time": START}) + "\n")
    before = conditions.read_text(), fixes.read_text()
    for path, what in ((conditions, "the conditions"), (fixes, "the source")):
        (tmp_path / "link").symlink_to(path)
        ended = run("watch", "--source", fixes, "--conditions", conditions, "--append", tmp_path / "link")
        assert ended.returncode == 2 and "--append" in ended.stderr and what in ended.stderr
        (tmp_path / "link").unlink()
    assert (conditions.read_text(), fixes.read_text()) == before


def test_one_device_among_many_has_a_name(run: Run, tmp_path: Path) -> None:
    conditions = circles(tmp_path / "conditions.geojson", office=200)
    (tmp_path / "fixes.jsonl").write_text(json.dumps({"lat": 0, "lon": 0, "time": START}))
    ended = run("watch", "--source", "fixes.jsonl", "--conditions", conditions, "--as", "tern")
    assert json.loads(ended.stdout)["device"] == "tern"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--source", "gpsd://127.0.0.1:1", "--by", "device"), "argument --by: "),
        (("--source", "-", "--by", "device", "--as", "x"), "argument --by\n"),
        (("--source", "-", "--by", "device", "--format", "gpx"), "JSON Lines"),
        (("--source", "-", "--as", ""), "1 to 256"),
        (("--source", "-", "--max-devices", "0"), "--max-devices"),
        (("--source", "-", "--expire", "-1"), "--expire"),
        (("--source", "-", "--append", "/nowhere/events"), "/nowhere/events"),
    ],
)
def test_bad_usage_is_one_line(run: Run, tmp_path: Path, arguments: tuple[str, ...], reason: str) -> None:
    conditions = circles(tmp_path / "conditions.geojson", office=200)
    ended = run("watch", "--conditions", conditions, *arguments)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1 and reason in ended.stderr, ended.stderr


def test_a_doubted_fix_is_reported_and_makes_no_later_one_late() -> None:
    watched = FleetWatched(Fleet(Zones(), plausible_speed=60), policy=EXACT, ahead=None)
    watched.feed("truck", 0)
    watched.feed("truck", 500, 0.9)  # 100 km away, and a wrong date
    watched.feed("truck", 1, 0.0001)
    assert [watched.watch.counts[name] for name in ("fixes", "doubted_fixes", "late_fixes")] == [3, 1, 0]
    assert mentions(watched.said[0], "truck … last fix")
    assert watched.reported == [("truck", "satisfied", 1)]


@pytest.mark.parametrize("by", [(), ("--by", "device")])
def test_a_watch_doubts_jumps_and_a_moved_device_is_trusted_again(
    run: Run, tmp_path: Path, by: tuple[str, ...]
) -> None:
    (tmp_path / "zones.csv").write_text("id,lat,lon,radius,policy\nyard,0,0,100,exact\n")
    places = [(0, 0.0), (10, 0.5), (20, 0.0), (30, 0.6), (60, 0.6), (90, 0.6)]
    (tmp_path / "fixes.jsonl").write_text("".join(
        json.dumps({
            "device": "van", "latitude": 0, "longitude": longitude, "accuracy": 5,
            "time": (1_700_000_000 + second) * 1_000_000,
        }) + "\n"
        for second, longitude in places
    ))  # fmt: skip
    command = ["watch", "--source", tmp_path / "fixes.jsonl", "--conditions", tmp_path / "zones.csv", "--any-time", *by]
    for options, left in (
        ((), [10, 30]),
        (("--plausible-speed", "60"), [90]),
        (("--plausible-speed", "60", "--corroboration-count", "2", "--corroboration-time", "20"), [60]),
        (("--plausible-speed", "60", "--corroboration-time", "61"), []),
    ):
        done = run(*command, *options)
        assert done.returncode == 0, done.stderr
        found = [json.loads(line) for line in done.stdout.splitlines()]
        seconds = [int(each["date"][17:19]) - 20 + 60 * (int(each["date"][14:16]) - 13) for each in found
                   if each["state"] == "unsatisfied"]  # fmt: skip
        assert seconds == left, options
        assert ("doubted" in done.stderr) == bool(options)
    done = run(*command, "--corroboration-count", "2")
    assert done.returncode == 2 and "--plausible-speed" in done.stderr


def test_the_confidence_of_accuracies_of_a_watch(run: Run, tmp_path: Path) -> None:
    zones = tmp_path / "zones.csv"
    zones.write_text("id,lat,lon,radius,entry_probability,exit_probability\nyard,0,0,100,0.99,0.01\n")
    fix = json.dumps({"time": 1_700_000_000_000_000, "latitude": 0, "longitude": 0, "accuracy": 60, "device": "van"})
    command = ("watch", "--conditions", zones, "--policy", "exact", "--source", "-", "--any-time", "--lag", "0")
    for by in ((), ("--by", "device")):
        assert run(*command, *by, input=fix + "\n").stdout == ""
        found = run(*command, *by, "--accuracy-confidence", "0.95", input=fix + "\n")
        assert 0.99 < json.loads(found.stdout)["probability"] < 1, found.stderr
    done = run(*command, "--accuracy-confidence", "95")
    assert done.returncode == 2 and "--accuracy-confidence" in done.stderr


def test_a_fleet_has_its_own_confidence() -> None:
    with pytest.raises(InvalidArgumentError, match="accuracy_confidence"):
        Follower(Fleet(Zones()), accuracy_confidence=0.95)
    with pytest.raises(InvalidArgumentError, match="accuracy_confidence"):
        Follower(Zones(), accuracy_confidence=95)
    Follower(Fleet(Zones(), accuracy_confidence=0.95)).close()
    with pytest.raises(InvalidArgumentError, match="order"):
        Follower(Fleet(Zones()), order="exits_first")
