"""Tests the page, its access control, options in a file, and notifications to systemd; the tests need no server and no
browser."""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, mentions
from test_watch_fleet import EXACT, FleetWatched
from watching import LONGEST, START, circles

from fencepost import (
    AltitudeBand,
    Circle,
    Corridor,
    Fleet,
    Polygon,
    Rule,
    Schedule,
    Timing,
    Zones,
)
from fencepost._live.lines import LineError, parse_line
from fencepost._live.messages import DeviceFix, Waypoint, Waypoints
from fencepost._live.metrics import counters_of
from fencepost._live.page import headers_of
from fencepost._live.page_access import Access, host_of, is_loopback, read_token
from fencepost._live.page_stream import GZIP_HEADER, Messages
from fencepost._live.service import Service
from fencepost._live.shown import followed
from fencepost._live.tiles import read_tiles
from fencepost._live.view import View, _add_hours
from fencepost._live.view_rules import ViewedRules
from fencepost._log.rule_states import INACTIVE, SATISFIED
from fencepost.live import Follower


def viewed(watched: FleetWatched) -> View:
    view = View(followed(watched.watch), lambda: counters_of(watched.watch, lambda: 0, 0.0))
    watched.watch.observer = view
    return view


def test_a_reader_gets_all_and_then_what_is_new() -> None:
    watched = FleetWatched(policy=EXACT)
    view = viewed(watched)
    watched.feed("a", 0)
    whole = view.since(0)
    assert whole is not None
    assert [place["id"] for place in whole["places"]] == ["office"]
    assert whole["devices"]["a"]["inside"] == [("office", START * 1_000_000)]
    assert whole["events"][0]["why"].startswith("determination, 200.0 m inside, accuracy 5 m. Now office: ")
    assert view.since(whole["version"]) is None
    watched.feed("b", 1, 0.5)
    news = view.since(whole["version"])
    assert news is not None
    assert set(news["devices"]) == {"b"} and news["events"] == [] and "places" not in news
    assert json.dumps(news)
    assert news["counters"]["fixes_accepted"] == 2
    for second in range(100):
        watched.feed("a", 10 + second, 0.01 * (second % 2))
    kept = view.since(0)
    assert kept is not None
    assert len(kept["devices"]["a"]["trail"]) == 60 and len(kept["events"]) <= 200


def test_the_page_knows_the_hours_of_places() -> None:
    """Places that share a schedule share its intervals. The page gets those from yesterday on, and at most 60."""
    now = 1_772_433_000
    day = 86_400
    long = Schedule([((now + at * day) * 10**6, (now + at * day + 3600) * 10**6) for at in range(-500, 500)])
    ended = Schedule([((now - 9 * day) * 10**6, (now - 8 * day) * 10**6)])
    places: list[dict[str, Any]] = [{"id": name} for name in ("a", "b", "free", "ended", "empty")]
    hours = {"a": long, "b": Schedule(long.intervals), "ended": ended, "empty": Schedule([]), "gone": long}
    found = _add_hours(places, hours, now)
    assert [place.get("hours") for place in places] == [0, 0, None, 1, 2]
    assert found[1:] == [[], []] and len(found[0]) == 60
    assert found[0][0][0] == now - day and found[0][1] == [now, now + 3600]


def test_the_page_of_a_watch_has_the_hours_of_its_file(tmp_path: Path) -> None:
    """A reload with other hours gives other hours, and the table alone does not know them."""
    follower = Follower(hours_file(tmp_path, "2026-03-02T08:00Z/2026-03-02T09:00Z"))
    with follower:
        view = View(followed(follower._watcher), dict, lambda: follower._hours)
        whole = view.since(0)
        assert whole is not None
        assert {place["id"]: place.get("hours") for place in whole["places"]} == {"yard": 0, "free": None}
        before = follower._hours["yard"].texts()
        follower.sync(hours_file(tmp_path, "2026-03-02T10:00Z/2026-03-02T11:00Z"))
        assert follower._hours["yard"].texts() == ["2026-03-02T10:00:00Z/2026-03-02T11:00:00Z"] != before


def hours_file(folder: Path, hours: str) -> Path:
    path = folder / "zones.geojson"
    point = {"type": "Point", "coordinates": [8.5, 47.4]}
    features = [
        {"type": "Feature", "id": "yard", "geometry": point, "properties": {"radius": 200, "active": [hours]}},
        {"type": "Feature", "id": "free", "geometry": point, "properties": {"radius": 100}},
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def test_the_page_shows_limits_and_heights() -> None:
    zones = Zones()
    zones.add(Circle(0, 0, 200), "office", policy=EXACT, band=AltitudeBand(0, 120, reference="ground"))
    zones.add(Circle(0, 0, 200), "yard", policy=EXACT)
    watched = FleetWatched(Fleet(zones))
    view = viewed(watched)
    nan, inf = math.nan, math.inf
    beside: dict[str, tuple[float, ...]] = {
        "drone": (nan, nan, nan, 560.0, 4.0, 47.0, 480.0),
        "high": (nan, nan, nan, 900.0, 0.0, nan, 480.0),
        "both": (9.0, 3.0, 45.0, 560.0, nan, nan, inf),
        "odd": (nan, nan, nan, inf, inf, inf, inf),
        "none": (nan, nan, nan, nan, 0.0, nan, nan),
        "ellipse": (9.0, 3.0, 45.0),
        "plain": (),
    }
    for device, more in beside.items():
        fix = (0.0, 0.0, 5.0, START * 10**6, *more)
        assert watched.watch.feed(DeviceFix(device, fix))
    watched.pass_time()
    text, _ = Messages(view).everything()  # the encoder refuses NaN and infinity
    whole = json.loads(text.plain.removeprefix(b"data: "))
    assert {place["id"]: place.get("band") for place in whole["places"]} == {
        "office": "from 0 m above the ground to 120 m above the ground", "yard": None,
    }  # fmt: skip
    devices = whole["devices"]
    assert {name: device["heights"] for name, device in devices.items()} == {
        "drone": [560, 4, 47, 480], "high": [900, 0, None, 480], "both": [560, None, None, None], "odd": None,
        "none": None, "ellipse": None, "plain": None,
    }  # fmt: skip
    assert {name: device["fix"][4:] for name, device in devices.items() if len(device["fix"]) > 4} == {
        "both": [9, 3, 45], "ellipse": [9, 3, 45],
    }  # fmt: skip
    inside = {name: sorted(place for place, _ in device["inside"]) for name, device in devices.items()}
    assert inside.pop("drone") == ["office", "yard"]
    assert all(names == ["yard"] for names in inside.values())
    why = [event["why"] for event in whole["events"] if (event["device"], event["identifier"]) == ("drone", "office")]
    assert len(why) == 1 and "within the limits of height" in why[0]


@pytest.mark.parametrize("value", ["1e999", "-1e999", "NaN", '"high"', "true", "[1]", "null"])
@pytest.mark.parametrize("name", ["accuracy", "altitude", "vertical_accuracy", "geoid_height", "ground_height"])
def test_no_value_of_a_fix_breaks_the_page(name: str, value: str) -> None:
    """A broker delivers whatever a device sends."""
    watched = FleetWatched(policy=EXACT)
    members = {"lat": "0", "lon": "0", "time": f'"{START}"', "altitude": "9", name: value}
    line = "{" + ", ".join(f'"{key}": {text}' for key, text in members.items()) + "}"
    try:
        row = parse_line(line.encode())
    except LineError:
        return
    assert row is not None
    view = viewed(watched)
    watched.watch.feed(DeviceFix("a", row))
    watched.pass_time()
    assert json.loads(Messages(view).everything()[0].plain.removeprefix(b"data: "))["version"] > 0


def test_the_page_of_devices_follows_a_rule_with_hours() -> None:
    zones = Zones()
    zones.add(Circle(0, 0, 200), "office", policy=EXACT)
    hours = Schedule([(START * 10**6, (START + 100) * 10**6)])
    zones.add(Rule.any("office"), "open", policy=EXACT, timing=Timing(active=hours))
    watched = FleetWatched(Fleet(zones))
    view = viewed(watched)
    watched.feed("van", 1)
    whole = json.loads(Messages(view).everything()[0].plain.removeprefix(b"data: "))
    assert whole["rules"]["names"] == ["open", "office"] and whole["devices"]["van"]["decided"] == [[0, "office"]]
    watched.feed("van", 200)
    assert [(event.identifier, str(event.state)) for event in watched.seen] == [
        ("office", "satisfied"),
        ("open", "satisfied"),
    ]
    rules = ViewedRules(zones[name] for name in ("office", "open"))
    assert rules.states(followed(watched.watch), "van") == f"{INACTIVE}{SATISFIED}"


def test_thirty_two_readers_cost_no_more_than_one() -> None:
    """Each state is encoded and compressed only once. All readers get the same text, whether they accept compression or
    not."""
    watched = FleetWatched(policy=EXACT)
    messages = Messages(viewed(watched))
    plain = [b""] * 32
    packed = [GZIP_HEADER] * 32
    numbers = [0] * 32
    for reader in range(32):
        whole, numbers[reader] = messages.everything()
        plain[reader] += whole.plain
        packed[reader] += whole.packed
    assert messages.made == 1
    for second in range(5):
        watched.feed("a", 10 + second, 0.01 * (second % 2))
        messages._looked_at = 0.0
        for reader in range(32):
            found = messages.after(numbers[reader])
            assert found is not None
            news, numbers[reader] = found
            plain[reader] += b"".join(each.plain for each in news)
            packed[reader] += b"".join(each.packed for each in news)
    assert messages.made == 6
    assert len(set(plain)) == 1 and plain[0].count(b"data: ") == 6
    assert {zlib.decompressobj(31).decompress(each) for each in packed} == set(plain)
    # A reader that starts later gets either an older state and the changes since then, or a new state. In both cases,
    # the reader ends with the same state.
    whole, number = messages.everything()
    found = messages.after(number)
    assert found is not None
    late = [json.loads(each.plain[6:]) for each in (whole, *found[0])]
    now = json.loads(plain[0].rsplit(b"data: ", 1)[1])
    assert late[-1]["version"] == now["version"] and sum(len(each["events"]) for each in late) == 5
    # If a reader has not read for a long time, it gets the whole state again.
    for second in range(600):
        watched.feed("b", second, 0.5)
        messages._looked_at = 0.0
        messages.after(messages._end)
    assert messages.after(0) is None


def test_one_who_comes_after_a_time_without_readers_gets_whole_trails() -> None:
    watched = FleetWatched(policy=EXACT)
    messages = Messages(viewed(watched))
    messages.everything()
    for second in range(40):
        watched.feed("a", 10 + second, 0.001 * second)
    messages._looked_at -= 3600
    whole, number = messages.everything()
    assert len(json.loads(whole.plain[6:])["devices"]["a"]["trail"]) == 40
    assert messages.after(number) == ([], number)


def test_an_event_that_comes_again_is_shown_once() -> None:
    watched = FleetWatched(policy=EXACT)
    view = viewed(watched)
    watched.answer = False
    watched.feed("a", 0)
    watched.watch.look_again()
    watched.pass_time(5)
    found = view.since(0)
    assert found is not None
    assert len(found["events"]) == 1 and len(watched.seen) == 2


def test_a_device_that_comes_back_begins_a_history_of_its_own() -> None:
    """When a device expires and comes back, its sequence numbers start at 1 again; the page shows the events from
    before the expiry and the events from after it."""
    watched = FleetWatched(policy=EXACT, expire=100.0, ahead=None)
    view = viewed(watched)
    for life in range(4):
        watched.feed("phone", 5_000 * life)
        watched.pass_time(3_700)
        assert len(watched.fleet) == 0
    assert watched.reported == [("phone", "satisfied", 1)] * 4
    found = view.since(0)
    assert found is not None
    assert [event["sequence"] for event in found["events"]] == [1] * 4


def test_others_circles_are_not_theirs() -> None:
    watched = FleetWatched(policy=EXACT)
    view = viewed(watched)
    watched.watch.feed(Waypoints("alice/phone", (Waypoint("home", 0.0, 0.0, 50.0, 9),)))
    view._drawn_at = -1.0
    assert view.beat() is None
    watched.feed("bob/phone", 1000)
    watched.feed("alice/phone", 1000)
    found = view.since(0)
    assert found is not None
    inside = {name: [place for place, _ in shown["inside"]] for name, shown in found["devices"].items()}
    assert inside == {"bob/phone": ["office"], "alice/phone": ["office", "alice/home"]}
    assert len(found["places"]) == 2


def test_shapes_are_drawn_thin() -> None:
    watched = FleetWatched(policy=EXACT)
    ring = [(1 + 1e-3 * each, 1.0) for each in range(2_000)] + [(2.0, 2.0), (1.0, 1.0)]
    watched.fleet.conditions.add(Polygon(ring, order="latlon", edges="geodesic"), "area")
    line = Corridor([(0.0, 0.0), (1.0, 1.0)], order="latlon", radius=50, edges="geodesic")
    watched.fleet.conditions.add(line, "way")
    found = View(followed(watched.watch), dict).since(0)
    assert found is not None
    office, area, way = found["places"]
    assert office["radius"] == 200 and way["radius"] == 50 and not way["closed"]
    assert area["closed"] and 100 < len(area["lines"][0]) <= 402


@pytest.mark.parametrize(
    ("headers", "cookies", "open_answer", "token_answer"),
    [
        ({"host": "localhost:8080"}, {}, True, False),
        ({"host": "127.0.0.1"}, {}, True, False),
        ({"host": "[::1]:80"}, {"fencepost": "abcdefgh12345678"}, True, True),
        ({"host": "evil.example"}, {}, False, False),
        ({"host": "localhost.evil.example"}, {"fencepost": "abcdefgh12345678"}, False, True),
        ({}, {}, False, False),
        ({"host": "h", "authorization": "Bearer abcdefgh12345678"}, {}, False, True),
        ({"host": "h", "authorization": "Bearer abcdefgh1234567"}, {"fencepost": "abcdefgh12345678"}, False, False),
        ({"host": "h", "authorization": "Basic abcdefgh12345678"}, {}, False, False),
        ({"host": "h"}, {"fencepost": "\ud800\xe9"}, False, False),
    ],
)
def test_who_may_see_it(headers: Any, cookies: Any, open_answer: bool, token_answer: bool) -> None:
    assert Access(None).allows(headers, cookies) is open_answer
    assert Access("abcdefgh12345678").allows(headers, cookies) is token_answer


def test_each_port_has_a_cookie_of_its_own() -> None:
    """Browsers send cookies to all ports of a host, so two watches that used the same cookie name would sign out each
    other's readers."""
    access = Access("abcdefgh12345678")
    access.at(8080)
    assert access.allows({"host": "h"}, {"fencepost-8080": "abcdefgh12345678", "fencepost-9090": "another"})
    assert not access.allows({"host": "h"}, {"fencepost-9090": "abcdefgh12345678"})


def test_addresses_and_tokens(tmp_path: Path) -> None:
    assert is_loopback("127.9.9.9") and is_loopback("::1") and not is_loopback("0.0.0.0") and not is_loopback("a")
    assert host_of({"host": "[::1]"}) == "::1" and host_of({"host": "a:1"}) == "a"
    file = tmp_path / "token"
    file.write_text("abcdefgh12345678\nmore\n")
    assert read_token(str(file)) == "abcdefgh12345678"
    for text in ("", "short", "abcdefgh 12345678", "abcdefgh1234567\xe9"):
        file.write_text(text)
        with pytest.raises(ValueError, match="16 letters"):
            read_token(str(file))


# ---------------------------------------------------------------------------------- options in a file


def test_tiles_are_of_one_server_that_is_named() -> None:
    osm = read_tiles("https://tile.openstreetmap.org/{z}/{x}/{y}.png", None)
    assert osm.origin == "https://tile.openstreetmap.org" and osm.attribution.startswith("© OpenStreetMap")
    own = read_tiles("http://[::1]:8080/a/{z}-{y}-{x}?key=a&b='", " mine ")
    assert (own.origin, own.attribution) == ("http://[::1]:8080", "mine")
    policy = headers_of(own)["Content-Security-Policy"]
    assert "img-src 'self' http://[::1]:8080;" in policy and policy.count("http") == 1
    assert headers_of(None)["Content-Security-Policy"].count("http") == 0
    for bad in (
        "https://a/{z}/{x}.png",
        "https://a/{z}/{x}/{y}/{s}",
        "https://{s}.a/{z}/{x}/{y}",
        "https://a;script-src b/{z}/{x}/{y}",
        "https://a *.evil/{z}/{x}/{y}",
        "https://a,b/{z}/{x}/{y}",
        "https://user:word@a/{z}/{x}/{y}",
        "https://a:0/{z}/{x}/{y}",
        "https://a:65536/{z}/{x}/{y}",
        "ftp://a/{z}/{x}/{y}",
        "javascript:alert(1)/{z}/{x}/{y}",
        "/{z}/{x}/{y}",
        'https://a/{z}/{x}/{y}"onload=',
        "https://a/{z}/{x}/{y}\n",
    ):
        with pytest.raises(ValueError, match="SERVER"):
            read_tiles(bad, "mine")
    for nothing in (None, " "):
        with pytest.raises(ValueError, match="--page-attribution"):
            read_tiles("http://a/{z}/{x}/{y}", nothing)


def test_options_in_a_file(run: Run, tmp_path: Path) -> None:
    circles(tmp_path / "conditions.geojson", office=200)
    fix = json.dumps({"who": "-a", "lat": 0, "lon": 0, "time": START})
    (tmp_path / "fixes.jsonl").write_text(fix)
    lines = (
        'source = "fixes.jsonl"',
        'conditions = "conditions.geojson"',
        'by = "nobody"',
        "lag = 2.5",
        "any-time = true",
    )
    (tmp_path / "watch.toml").write_text("\n".join(lines) + '\nlog-format = "json"\nmax-devices = 3\n')
    ended = run("watch", "--config", "watch.toml", "--by", "who")
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["device"] == "-a", "what stands behind the file wins"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("source = ", "watch.toml: "),
        ('sources = "x"', "sources"),
        ('sour = "x"', "sour "),
        ('config = "x"', "config "),
        ("source = [1]", "source:"),
        ("lag = -1", "argument --lag"),
        ('source = "x"', "required: --conditions"),
        ('source = ["x", 1]', "source:"),
        ("source = []", "source:"),
        ('store = ["x"]', "store:"),
        ('source = "-"\nas = "x"\nconditions = "x"\npage-tiles = "x"', "--page-tiles: needs --page"),
        ('source = "-"\nas = "x"\nconditions = "x"\npage-token = "x"', "--page-token: needs --page"),
        (
            'source = "-"\nas = "x"\nconditions = "x"\npage = "x:0"\npage-attribution = "x"',
            "--page-attribution: needs --page-tiles",
        ),
        ("any-time = 5", "any-time"),
        ('page = "0.0.0.0:0"\nas = "x"\nsource = "-"\nconditions = "conditions.geojson"', "--page-token"),
        ('page = "8080"\nas = "x"\nsource = "-"\nconditions = "conditions.geojson"', "--page: 8080 … HOST:PORT"),
    ],
)
def test_files_that_are_refused(run: Run, tmp_path: Path, text: str, reason: str) -> None:
    circles(tmp_path / "conditions.geojson", office=200)
    (tmp_path / "watch.toml").write_text(text)
    ended = run("watch", "--config", "watch.toml")
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1 and mentions(ended.stderr, reason), ended.stderr


# -------------------------------------------------------------------------------------------- systemd


def test_systemd_is_notified(tmp_path: Path) -> None:
    """Tests that systemd is notified when the watch is ready, alive (also while a command runs), reloading and
    stopping."""
    conditions = circles(tmp_path / "conditions.geojson", office=200)
    address = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(address))
        manager.settimeout(LONGEST)
        environment = {**os.environ, "NOTIFY_SOCKET": str(address), "WATCHDOG_USEC": "100000"}
        command = [sys.executable, "-m", "fencepost", "watch", "--source", "-", "--as", "x", "--any-time"]
        command += ["--conditions", str(conditions), "--exec", "touch running; sleep 60"]
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=subprocess.PIPE)

        def heard(text: bytes) -> None:
            while not manager.recv(1000).startswith(text):
                pass

        try:
            heard(b"READY=1")
            process.send_signal(signal.SIGHUP)
            heard(b"RELOADING=1\nMONOTONIC_USEC=")
            heard(b"READY=1")
            heard(b"WATCHDOG=1")
            assert process.stdin is not None
            process.stdin.write(json.dumps({"lat": 0, "lon": 0, "time": START}).encode() + b"\n")
            process.stdin.flush()
            end = time.monotonic() + LONGEST
            while not (tmp_path / "running").exists() and time.monotonic() < end:
                heard(b"WATCHDOG=1")
            assert (tmp_path / "running").exists()
            for _ in range(5):
                heard(b"WATCHDOG=1")
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGTERM)
            heard(b"STOPPING=1")
            assert process.wait(LONGEST) == 0
        finally:
            process.kill()
            process.wait(LONGEST)
            process.stdin.close()


def test_nothing_is_sent_without_a_socket(tmp_path: Path) -> None:
    for environment in ({}, {"NOTIFY_SOCKET": str(tmp_path / "none")}, {"NOTIFY_SOCKET": "@none/such"}):
        service = Service({**environment, "WATCHDOG_USEC": "not a number"})
        service.say("READY=1")
        assert service.beat() is None
    other = {"NOTIFY_SOCKET": "@none/such", "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"}
    assert Service(other).beat() is None
    assert Service({**other, "WATCHDOG_PID": str(os.getpid())}).beat() == pytest.approx(0.5, abs=0.1)
