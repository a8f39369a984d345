"""Tests the error ellipses of live fixes: the GST reports of gpsd, JSON lines, messages, and fixes of programs."""

from __future__ import annotations

import itertools
import json
import math
import random
from datetime import UTC, datetime
from typing import Any

import pytest
from watching import Clock, notices_to

from fencepost import Circle, Fix, Fleet, Monitor, TransitionPolicy, Zones
from fencepost._live.device_lines import DeviceLines
from fencepost._live.ellipse_reports import MOST_RECEIVERS, EllipseReports
from fencepost._live.formats import Lines, make_decoder
from fencepost._live.gpsd import _Reports
from fencepost._live.lines import LineError, parse_line
from fencepost.live import Fed, Follower

START = 1_700_000_000
POLICY = TransitionPolicy(
    entry_probability=0.99, exit_probability=0.01, accuracy_factor=0, entry_margin=0, exit_margin=0, entry_dwell=0
)
INSIDE = 52.5, 13.4 + 950 / 67_900  # 50 m inside the eastern boundary
ALONG, ACROSS = (100, 10, 0), (100, 10, 90)


def moment(second: float) -> str:
    return datetime.fromtimestamp(START + second, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def tpv(second: float, device: str | None = "/dev/gps", **more: Any) -> bytes:
    values = {
        "class": "TPV",
        "mode": 3,
        "time": moment(second),
        "lat": 52.5,
        "lon": 13.4,
        "eph": 17.1,
        "epx": 9,
        "epy": 4,
    }
    return _line(values, device, more)


def gst(second: float | None, device: str | None = "/dev/gps", **more: Any) -> bytes:
    values = {"class": "GST", "time": None if second is None else moment(second), "rms": 1.8}
    return _line(values | {"major": 10.5, "minor": 2, "orient": 30, "lat": 4, "lon": 9, "alt": 5.2}, device, more)


def _line(values: dict[str, Any], device: str | None, more: dict[str, Any]) -> bytes:
    found = values | {"device": device} | more
    return json.dumps({name: value for name, value in found.items() if value is not None}).encode() + b"\r\n"


def read(*lines: bytes, decoder: Any = None) -> list[tuple[float, tuple[float, ...]]]:
    """The seconds of the fixes and their ellipses, in the order in which a decoder returns them."""
    found = rows(Lines() if decoder is None else decoder, *lines)
    return [((row[3] - START * 1_000_000) / 1e6, row[4:]) for row in found]


def rows(decoder: Any, *lines: bytes) -> list[Any]:
    found = [row for line in lines for _, row in decoder.take(line)] + [row for _, row in decoder.end()]
    return [getattr(row, "row", row) for row in found]


E0 = (10.5, 2.0, 30.0)
# As gpsd 3.22 sent them for a log with RMC, GGA and GST sentences, in both orders. The first reports come before the
# date is known.
AFTER = [
    tpv(0, time=None, lat=None, lon=None), gst(None),
    *itertools.chain.from_iterable((tpv(n), gst(n, major=10.5 + n)) for n in range(1, 7)),
]  # fmt: skip
BEFORE = [
    gst(None), tpv(0, mode=2), tpv(0),
    *itertools.chain.from_iterable((gst(n, major=10.5 + n), tpv(n)) for n in range(1, 7)),
]  # fmt: skip


def test_both_orders_of_gpsd() -> None:
    later = [(n, (10.5 + n, 2.0, 30.0)) for n in range(1, 7)]
    assert read(*BEFORE) == [(0, ()), (0, ()), *later]
    # The first ellipse arrives after its fix, which is not held: only then is the order of the reports known.
    assert read(*AFTER) == [(1, ()), *later[1:]]


def test_fixes_are_held_only_for_receivers_that_send_their_ellipse_later() -> None:
    decoder = Lines()
    took = [len(list(decoder.take(line))) for line in AFTER]
    assert took == [0, 0, 1, 0, *(0, 1) * 5]
    took = [len(list(Lines().take(b"".join(BEFORE[:count])))) for count in range(len(BEFORE) + 1)]
    assert took == [0, 0, 1, 2, *(2 + n // 2 for n in range(1, 13))]
    # When the GST reports end, one fix waits for the next report; further fixes do not wait.
    decoder = Lines()
    took = [len(list(decoder.take(line))) for line in (*AFTER[2:6], tpv(3), tpv(4), tpv(5))]
    assert took == [1, 0, 0, 1, 0, 2, 1]
    # Nor does a lost position hold a fix back.
    decoder = Lines()
    took = [len(list(decoder.take(line))) for line in (*AFTER[2:4], tpv(2), tpv(3, mode=1))]
    assert took == [1, 0, 0, 1]
    # The end of the stream releases it.
    assert read(*AFTER[2:4], tpv(2)) == [(1, ()), (2, ())]


def test_only_the_ellipse_of_the_same_time_and_receiver() -> None:
    assert read(gst(1), tpv(2), tpv(3)) == [(2, ()), (3, ())]
    assert read(gst(1), tpv(1.001)) == [(1.001, ())]
    assert read(gst(1, device="/dev/a"), tpv(1, device="/dev/b")) == [(1, ())]
    assert read(gst(1, device=None), tpv(1, device=None)) == [(1, E0)]
    assert read(gst(1), tpv(1), tpv(1)) == [(1, E0), (1, ())]  # the watch refuses the second fix
    mixed = [gst(1, "/dev/a", major=20), gst(1, "/dev/b"), tpv(1, "/dev/b"), tpv(1, "/dev/a")]
    assert read(*mixed) == [(1, E0), (1, (20.0, 2.0, 30.0))]
    # A second report of an epoch waits with the first one.
    assert read(tpv(1), gst(1), tpv(2, mode=2), tpv(2), gst(2)) == [(1, ()), (2, E0), (2, E0)]


@pytest.mark.parametrize("more", [{"major": None}, {"minor": None}, {"orient": None}, {"major": 0, "minor": 0}])
def test_reports_without_an_ellipse(more: dict[str, Any]) -> None:
    assert read(gst(1, **more), tpv(1)) == [(1, ())]
    assert read(gst(0), tpv(1), gst(1, **more)) == [(1, ())]


def test_the_errors_of_a_position_are_no_ellipse() -> None:
    """gpsd does not state the confidence of epx and epy, and reports no correlation."""
    (row,) = rows(Lines(), tpv(1))
    assert row[2:] == (17.1, (START + 1) * 1_000_000)


@pytest.mark.parametrize(
    "more", [{"minor": 11}, {"major": -1}, {"minor": -0.5}, {"major": math.nan}, {"orient": math.inf}, {"major": "x"},
             {"minor": True}, {"time": "noon"}, {"time": 1e300}],
)  # fmt: skip
def test_bad_reports(more: dict[str, Any]) -> None:
    for lines in ((gst(0, **more), tpv(1)), (tpv(1), gst(1, **more))):
        found = rows(Lines(), *lines)
        (error,) = [row for row in found if isinstance(row, LineError)]
        (row,) = [row for row in found if not isinstance(row, LineError)]
        assert error.kind == "bad_lines" and len(row) == 4


def test_gpsd_of_several_receivers() -> None:
    """Only the ellipses of the receiver that the watch follows count."""
    clock = Clock(0.0)

    def decoder(device: str | None = None) -> _Reports:
        return _Reports("gpsd", device, notices_to(lambda text: None, clock), clock)

    lines = [gst(1, "/dev/b", major=99), tpv(1, "/dev/a"), gst(2, "/dev/a"), tpv(2, "/dev/b"), tpv(2, "/dev/a")]
    assert read(*lines, decoder=decoder()) == [(1, ()), (2, E0)]
    assert read(*lines, tpv(3, "/dev/b"), decoder=decoder("/dev/b")) == [(2, ()), (3, ())]
    assert read(gst(2, "/dev/a"), *lines[3:], decoder=decoder("/dev/a")) == [(2, E0)]
    assert read(*AFTER, decoder=decoder()) == read(*AFTER)
    assert read(*BEFORE, decoder=decoder()) == read(*BEFORE)


def test_lines_of_devices() -> None:
    decoder: Any = DeviceLines("device")
    lines = (*AFTER, *(line.replace(b"/dev/gps", b"/dev/2") for line in BEFORE))
    found = [row for line in lines for _, row in decoder.take(line)] + [row for _, row in decoder.end()]
    seen = [(message.device, message.row[4:]) for message in found]
    assert len(seen) == 14
    assert [each for each in seen if each[0] == "/dev/gps"] == [("/dev/gps", each) for _, each in read(*AFTER)]
    assert [each for each in seen if each[0] == "/dev/2"] == [("/dev/2", each) for _, each in read(*BEFORE)]


def test_many_receivers_do_not_fill_the_memory() -> None:
    reports = EllipseReports()
    for number in range(3 * MOST_RECEIVERS):
        assert reports.report(json.loads(gst(1, f"/dev/{number}"))) == ()
    assert len(reports._receivers) == MOST_RECEIVERS
    assert read(*(gst(1, f"/dev/{number}") for number in range(2000)), tpv(1, "/dev/1999")) == [(1, ())]


def test_random_streams_lose_no_fix() -> None:
    """Whatever the order of reports is, each position comes once, with its own ellipse or none."""
    chance = random.Random(5)
    for _ in range(300):
        sent: list[tuple[str, int]] = []
        lines: list[bytes] = []
        for _ in range(chance.randrange(1, 25)):
            second, device = chance.randrange(4), chance.choice(("/dev/a", "/dev/b"))
            if chance.random() < 0.5:
                lines.append(gst(second, device, major=20 + second + 10 * (device == "/dev/b")))
            else:
                lines.append(tpv(second, device, lat=len(sent)))
                sent.append((device, second))
        found = rows(DeviceLines("device"), *lines)
        assert sorted(row[0] for row in found) == list(range(len(sent)))
        for name in ("/dev/a", "/dev/b"):
            own = [row for row in found if sent[int(row[0])][0] == name]
            assert [row[0] for row in own] == sorted(row[0] for row in own)
            for row in own:
                assert row[4:] in ((), (20.0 + sent[int(row[0])][1] + 10 * (name == "/dev/b"), 2.0, 30.0))


# ------------------------------------------------------------------------------------------------- JSON


def fix_line(**more: Any) -> bytes:
    return json.dumps({"latitude": INSIDE[0], "longitude": INSIDE[1], "accuracy": 150, "time": START} | more).encode()


def test_json_lines() -> None:
    row = parse_line(fix_line(error_ellipse=[100, 10, 0]))
    assert row is not None and row[4:] == (100.0, 10.0, 0.0)
    for without in (None, [0, 0, 0]):
        row = parse_line(fix_line(error_ellipse=without))
        assert row is not None and row[4:] == (() if without is None else (0.0, 0.0, 0.0))
    (row,) = rows(make_decoder("jsonl", "pipe"), fix_line(error_ellipse=[5, 5, 400]) + b"\n")
    assert row[4:] == (5.0, 5.0, 400.0)


@pytest.mark.parametrize(
    "ellipse", [[5, 6, 0], [5, -1, 0], [-5, -6, 0], [5, 4], [5, 4, 3, 2], [5, None, 0], [None, None, None], "5,4,3", 5,
                {"major": 5}, [5, 4, "north"], [True, 1, 0], [math.nan, 4, 0], [math.inf, 4, 0], [5, 4, -math.inf],
                [10**400, 1, 0], []],
)  # fmt: skip
def test_bad_json_lines(ellipse: Any) -> None:
    with pytest.raises(LineError):
        parse_line(fix_line(error_ellipse=ellipse))


def followers(**options: Any) -> tuple[Follower, Follower]:
    zones = Zones()
    zones.add(Circle(52.5, 13.4, 1000), "zone", policy=POLICY, assuming="unsatisfied")
    monitor = Monitor()
    monitor.add(Circle(52.5, 13.4, 1000), "zone", policy=POLICY, assuming="unsatisfied")
    return Follower(Fleet(zones), ahead=None, **options), Follower(monitor, ahead=None, **options)


def probabilities(follower: Follower) -> list[float | None]:
    return [getattr(event, "event", event).probability for event in follower.events()]


@pytest.mark.parametrize("unknown", [0.0, 50.0])
@pytest.mark.parametrize("reorder", [0.0, 1.0])
def test_followers_use_ellipses(reorder: float, unknown: float) -> None:
    """The ellipse along the boundary decides, and the ellipse across it does not. The boundary is almost straight here,
    so the probabilities are those of a normal distribution: 50 m are 5 and 0.5 standard deviations."""
    for follower, name in zip(followers(reorder=reorder, unknown_accuracy=unknown), ("phone", None), strict=True):
        accuracy = 0 if unknown else 150
        first = Fix(*INSIDE, accuracy=accuracy, time=START * 1_000_000, error_ellipse=ACROSS)
        assert follower.feed(name, first) is Fed.ACCEPTED
        assert probabilities(follower) == []
        message = json.loads(fix_line(time=START + 1, error_ellipse=ALONG, accuracy=accuracy, device="phone"))
        assert follower.receive(message) is Fed.ACCEPTED
        (share,) = probabilities(follower)
        assert share == pytest.approx(1 - 0.5 * math.erfc(5 / math.sqrt(2)), abs=0.005)


def test_a_message_that_is_not_an_event_member() -> None:
    follower, _ = followers()
    follower.receive(fix_line(device="phone", error_ellipse=ALONG, battery=5))
    (event,) = follower.events()
    assert event.source == {"battery": 5}


@pytest.mark.parametrize("ellipse", [(5, 6, 0), (5, -1, 0), (math.nan, 5, 0), (5, 5, math.inf)])
def test_followers_refuse_impossible_ellipses(ellipse: tuple[float, float, float]) -> None:
    for follower, name in zip(followers(), ("phone", None), strict=True):
        bad = Fix(*INSIDE, accuracy=5, time=START * 1_000_000, error_ellipse=ellipse)
        assert follower.feed(name, bad) is Fed.INVALID
        assert follower.counts["invalid_fixes"] == 1
        if name is not None:
            assert len(follower.fleet.devices) == 0
        good = Fix(*INSIDE, accuracy=5, time=START * 1_000_000, error_ellipse=ALONG)
        assert follower.feed(name, good) is Fed.ACCEPTED
        assert (
            follower.feed(name, Fix(*INSIDE, accuracy=5, time=(START + 1) * 1_000_000, error_ellipse=ellipse))
            is Fed.INVALID
        )
    with pytest.raises(LineError):
        followers()[0].receive(fix_line(device="phone", error_ellipse=list(ellipse)))
