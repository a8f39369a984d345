"""Tests the ``watch`` command when fixes are refused or a clock is wrong: it reports each failure a limited number of
times, and it recovers."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from conftest import mentions
from watching import START, Clock, Watched, notices_to

from fencepost import Monitor
from fencepost._live.notices import to_stderr
from fencepost._live.spans import ROLLOVER
from fencepost._live.watched_monitor import ENOUGH


def test_notices_of_a_kind_are_said_once_a_minute_with_their_count() -> None:
    clock = Clock()
    said: list[str] = []
    notices = notices_to(said.append, clock)
    for number in range(100_000):
        notices.seldom("line", f"line {number} is bad")
    notices.seldom("other", "something else")
    assert said == ["line 0 is bad", "something else"]
    assert notices.pause() == pytest.approx(60)
    clock.now += 60
    assert notices.pause() == 0
    notices.pass_time()
    assert len(said) == 3 and mentions(said[2], "line 99999 is bad (… 99999 …)")
    assert notices.pause() is None
    notices.seldom("line", "one more")
    notices.close()
    assert said[3:] == ["one more"]
    clock.now += 60
    notices.pass_time()
    notices.seldom("line", "after a long time")
    assert said[4:] == ["after a long time"], "at once again"


def test_what_a_device_sends_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    to_stderr("line 1: \x1b[2Jgone\r\nfencepost: all is well\u2028\u0085 – ä " + "x" * 10_000)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(r"fencepost: line 1: \x1b[2Jgone\r\nfencepost: all is well\u2028\x85 – ä ")
    assert len(line) < 1_100


def test_a_receiver_that_falls_back_1024_weeks_is_said() -> None:
    watched = Watched()
    watched.feed()
    for _ in range(300):
        watched.feed(late=ROLLOVER / 1e6)
    assert mentions(watched.said[0], "it: 2004-03-30 22:30:02 UTC … 19.6 … (1024 … receiver's … monitor's")
    assert len(watched.said) == 5, "the first, then one a minute"
    assert all(mentions(said, "(… 60 …)") for said in watched.said[1:])
    watched.feed()
    assert mentions(watched.said[5], "it: fixes … 300")
    watched.watch.report("it")
    assert mentions(watched.said[6], "it: 300 … 302 fixes")


def test_a_late_fix_now_and_then_is_no_flood() -> None:
    watched = Watched()
    for number in range(600):
        watched.feed(late=100.0 if number % 2 else 0.0)
    assert 2 <= len(watched.said) <= 11
    assert watched.watch.counts["late_fixes"] == 300


def test_a_receiver_without_a_position_and_one_whose_clock_stands_are_said() -> None:
    watched = Watched()
    watched.feed()
    for _ in range(90):
        watched.feed(accuracy=float("nan"))
    assert mentions(watched.said[0], "it: … position")
    assert len(watched.said) == 2
    standing = Watched()
    standing.feed()
    for second in range(1, 90):
        standing.feed(late=float(second))
    # The monitor's clock runs 5 s behind real time; fixes that are later than this lag are refused.
    assert any(mentions(said, "monitor's") for said in standing.said)
    still = Watched(lag=86_400.0)
    still.feed()
    for second in range(1, 90):
        still.feed(late=float(second))
    (said,) = still.said
    assert mentions(said, "also … previous fix")
    assert still.watch.counts["double_fixes"] == 89


def test_times_that_no_calendar_has_are_refused_and_said() -> None:
    watched = Watched()
    watched.feed()
    for time_us in ((1 << 63) - 1, -(1 << 63)):
        assert watched.watch.feed((0.0, 0.0, 5.0, time_us), "it")
    assert mentions(watched.said[0], "time … 1 … 9999")
    assert watched.watch.counts["late_fixes"] + watched.watch.counts["future_fixes"] == 2


# ------------------------------------------------------------------------------------ a clock that ran ahead


def test_a_glitch_ahead_is_refused_and_deafens_nothing() -> None:
    for glitch in (61.0, 3_000.0, 1e9):
        watched = Watched()
        watched.feed()
        watched.feed(late=-glitch, longitude=0.01)
        assert watched.watch.counts["future_fixes"] == 1
        assert mentions(watched.said[0], "computer's … --any-time")
        watched.feed()
        watched.feed(longitude=0.01)
        assert watched.states == ["satisfied", "unsatisfied"], glitch
        assert watched.watch.counts["late_fixes"] == 0


@pytest.mark.parametrize("ahead", [60.0, None], ids=["by the wall clock", "any time"])
@pytest.mark.parametrize("glitch", [1.0, 4.9, 5.1, 8.0, 20.0, 59.0])
def test_a_small_glitch_ahead_deafens_for_no_longer_than_it_is(glitch: float, ahead: float | None) -> None:
    """If the time of a fix is a little ahead of the true time, the watch must not continue its clock from this fix,
    because the clock would then stay ahead of all later fixes."""
    for delay in (0.0, 0.5, 2.0, 4.0):
        watched = Watched(ahead=ahead)
        watched.feed(late=delay)
        watched.feed(late=-glitch)
        before = watched.watch.counts["late_fixes"]
        for _ in range(round(glitch + delay) + 5):
            watched.feed(late=delay)
        late = watched.watch.counts["late_fixes"]
        assert late - before <= glitch + delay + 1, (glitch, delay)
        for number in range(10):
            watched.feed(late=delay, longitude=0.01 * (number % 2))
        assert watched.watch.counts["late_fixes"] == late
        assert watched.states[-2:] == ["satisfied", "unsatisfied"]


def test_no_sequence_of_fixes_deafens_for_good() -> None:
    """Correct fixes are accepted, regardless of what the receiver reported before and of the time that the monitor
    assumed."""
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    for life in range(150):
        generator = random.Random(f"{seed} {life}")
        watched = Watched(ahead=generator.choice([None, 60.0, 1e5]), lag=generator.choice([0.0, 5.0, 30.0]))
        for _ in range(generator.randrange(60)):
            off = generator.choice([0.0, 1.0, -1.0, 10.0, -10.0, -55.0, 3_000.0, -3_000.0, 6e8, -6e8, -1e5])
            accuracy = generator.choice([5.0, 5.0, 5.0, -1.0, float("nan")])
            passes = generator.choice([0.0, 0.1, 1.0, 1.0, 70.0])
            watched.feed(late=off * generator.random(), longitude=0.01, accuracy=accuracy, passes=passes)
        live = Watched(watched.monitor, lag=5.0)
        live.clock.now = watched.clock.now
        for _ in range(ENOUGH + 6):
            live.feed(late=0.5)
        late = live.watch.counts["late_fixes"]
        for number in range(6):
            live.feed(late=0.5, longitude=0.01 * (number % 2))
        assert live.watch.counts["late_fixes"] == late, f"seed {seed}, life {life}"
        assert live.states[-2:] == ["satisfied", "unsatisfied"], f"seed {seed}, life {life}"
        sequences = [event.sequence for event in (*watched.seen, *live.seen)]
        assert sequences == list(range(1, len(sequences) + 1)), f"seed {seed}, life {life}"


@pytest.mark.parametrize("glitch", [30.0, 3_000.0, 1e9])
def test_a_monitor_that_ran_ahead_is_rewound_by_fixes_that_are_right(glitch: float) -> None:
    watched = Watched(ahead=None)
    watched.feed()
    watched.feed(late=-glitch)
    live = Watched(watched.monitor)
    live.clock.now = watched.clock.now
    for number in range(1, ENOUGH + 1):
        assert live.seen == []
        live.feed(longitude=0.01)
        assert live.watch.counts["passed_fixes"] == min(number, ENOUGH - 1)
    assert live.states[-1] == "unsatisfied"
    (reported,) = [said for said in live.said if "rewound from" in said]
    assert "5 fixes" in reported
    live.feed()
    live.feed(longitude=0.01)
    assert live.states[-2:] == ["satisfied", "unsatisfied"], "it continues as before"
    assert [event.sequence for event in live.seen] == list(range(2, 2 + len(live.seen)))


def test_a_monitor_that_ran_ahead_recovers_also_after_a_restart(tmp_path: Path) -> None:
    with Monitor("me", store=tmp_path) as monitor:
        watched = Watched(monitor, ahead=None)
        watched.feed(late=-1e9)
    for _ in range(2):
        with Monitor("me", store=tmp_path) as monitor:
            live = Watched(monitor)
            for _ in range(3 * ENOUGH):
                live.feed(longitude=0.01)
            assert (monitor.clock_us or 0) < (START + live.clock.now + 1) * 1e6
    assert live.said == [] or mentions(live.said[0], "monitor")
    with Monitor("me", store=tmp_path) as monitor:
        record = monitor.record("office")
        assert record is not None
        assert record.last_event.state == "unsatisfied"


def test_fixes_that_were_held_up_rewind_nothing() -> None:
    """Several late fixes in a row do not rewind a clock that is right: the fixes were only delayed."""
    watched = Watched()
    for _ in range(10):
        watched.feed()
    before = watched.monitor.clock_us
    for late in (8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0):
        watched.feed(late=late + 10, passes=0.01)
    assert watched.watch.counts["late_fixes"] >= ENOUGH
    assert (watched.monitor.clock_us or 0) >= (before or 0)
    assert watched.states == ["satisfied"]
    assert not any("rewound" in said for said in watched.said)


def test_fixes_that_do_not_agree_with_the_clock_rewind_nothing() -> None:
    ahead = Watched(ahead=None)
    ahead.feed()
    ahead.feed(late=-3_000.0)
    live = Watched(ahead.monitor)
    live.clock.now = ahead.clock.now
    clock = live.monitor.clock_us
    # Five fixes in a row never agree, because every fifth fix is from a receiver that is an hour behind.
    for number in range(40):
        live.feed(late=3_600.0 if number % ENOUGH == ENOUGH - 1 else 0.0)
    for _ in range(40):
        live.feed(late=-100.0, passes=0.1)
        live.feed(late=100.0, passes=0.1)
    assert live.monitor.clock_us == clock
    anyhow = Watched(ahead.monitor, ahead=None)
    anyhow.clock.now = live.clock.now
    for _ in range(40):
        anyhow.feed()
    assert anyhow.monitor.clock_us == clock, "with --any-time nothing is compared with the clock"


def test_a_computer_without_the_time_takes_fixes_once_it_has_it() -> None:
    watched = Watched()
    watched.wall_ahead = -START  # the computer's clock shows 1970
    for _ in range(10):
        watched.feed()
    assert watched.seen == []
    assert mentions(watched.said[0], "53.9 … computer's")
    watched.wall_ahead = 0.0
    watched.feed()
    assert watched.states == ["satisfied"]
    assert mentions(watched.said[-1], "it: fixes … 10")
