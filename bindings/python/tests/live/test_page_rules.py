"""Tests the rules of the live page: their states, their parts, and the part that decided."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from test_pages import viewed
from test_watch_fleet import EXACT, FleetWatched
from watching import LONGEST, START, Watched

from fencepost import (
    Beacon,
    Circle,
    Monitor,
    Notify,
    Rule,
    State,
    Timing,
    TransitionPolicy,
)
from fencepost._live.metrics import counters_of
from fencepost._live.shown import ShownMonitor, followed
from fencepost._live.view import BETWEEN_STATES, REST, View

HOSTILE = ('<img src=x onerror="document.title=1">', "__proto__", "\u202e</script>", "constructor")


def ruled(clock_at: int = START) -> Watched:
    """A watch with rules: `depot` of a silent yard with hours and a silent gate house; `any` and `odd` of rules, a
    beacon, hostile names, and a part that does not exist."""
    monitor, hour = Monitor(), 3_600_000_000
    at = clock_at * 1_000_000
    silent = TransitionPolicy(entry_dwell=0, exit_dwell=0, notify=Notify(0))
    monitor.add(Circle(0, 0, 500), "yard", policy=silent, timing=Timing(active=[(at - hour, at + hour)]))
    monitor.add(Circle(0, 0.001, 100), "gate house", policy=silent)
    monitor.add(Beacon("f7826da6-4fa2-4e98-8024-bc5b71e0893e"), "truck beacon", policy=silent)
    for name in HOSTILE:
        monitor.add(Circle(0, 0.5, 100), name, policy=silent)
    monitor.add(Rule.all("yard", "gate house"), "depot", policy=EXACT)
    monitor.add(Rule.any("depot", "truck beacon"), "any", policy=EXACT)
    monitor.add(Rule.at_least(2, "any", "nothing", *HOSTILE), "odd", policy=EXACT)
    return Watched(monitor, ahead=None, lag=0.0)


def read(view: View, version: int = 0) -> dict[str, Any]:
    view._states_at = -1.0
    view.beat()
    found = view.since(version)
    assert found is not None
    return dict(json.loads(json.dumps(found, allow_nan=False)))


def named_states(whole: dict[str, Any], device: dict[str, Any]) -> dict[str, str]:
    words = ("unsatisfied", "satisfied", "unknown", "inactive")
    digits = [words[int(digit)] for digit in device["states"]]
    return dict(zip(whole["rules"]["names"], digits, strict=True))


def test_the_page_of_a_monitor_shows_its_rules() -> None:
    watched = ruled()
    view = View(followed(watched.watch), lambda: counters_of(watched.watch, lambda: 0, 0.0))
    watched.watch.observer = view
    whole = read(view)
    names, kinds, parts = (whole["rules"][key] for key in ("names", "kinds", "parts"))
    assert names[:3] == ["depot", "any", "odd"]
    assert {names[rule]: [names[part] for part in own] for rule, own in enumerate(parts)} == {
        "depot": ["yard", "gate house"],
        "any": ["depot", "truck beacon"],
        "odd": ["any", "nothing", *HOSTILE],
    }
    about = dict(zip(names, kinds, strict=True))
    assert (about["depot"], about["any"], about["odd"]) == ("all of 2", "any of 2", "at least 2 of 6")
    assert (about["yard"], about["truck beacon"], about["nothing"]) == ("circle", "beacon", "")
    assert whole["devices"] == {} and "depot" not in {place["id"] for place in whole["places"]}

    def now(version: int = 0) -> tuple[dict[str, str], dict[str, str], dict[str, Any]]:
        found = read(view, version)
        device = found["devices"]["device"]
        return named_states(whole, device), {names[rule]: part for rule, part in device["decided"]}, found

    watched.feed(longitude=0.003)
    states, decided, found = now()
    assert (states["yard"], states["gate house"], states["depot"]) == ("satisfied", "unsatisfied", "unsatisfied")
    assert states["truck beacon"] == states["any"] == states["nothing"] == "unknown"
    assert states["odd"] == "unknown", "two of its six parts are unknown, and two would be enough"
    assert decided["depot"] == "gate house" and "any" not in decided
    assert found["devices"]["device"]["inside"] == [["yard", None]], "a silent part has no event, and a rule no inside"
    watched.feed(longitude=0.001)
    states, decided, found = now(found["version"])
    assert states["gate house"] == states["depot"] == states["any"] == "satisfied"
    assert decided["depot"] == "gate house" and decided["any"] == "depot"
    assert [(event["identifier"], event.get("decider"), event["device"]) for event in found["events"]] == [
        ("office", None, "device"),
        ("depot", "gate house", "device"),
        ("any", "depot", "device"),
    ]
    # The hours of the yard end without a fix: a state changes with the clock.
    watched.clock.now += 3_700
    watched.watch.pass_time()
    watched.watch.handle_events()
    states, decided, found = now(found["version"])
    assert (states["yard"], states["depot"], decided["depot"]) == ("inactive", "unsatisfied", "yard")
    assert states["truck beacon"] == states["any"] == "unsatisfied", "without sightings, the beacon counts as absent"
    for name, state in states.items():
        if name != "nothing" and state != "inactive":
            assert str(watched.monitor.explain(name).observed) == state, name
    # Without a change, there is nothing new.
    assert view.beat() is not None and view.since(found["version"]) is None


def test_the_page_of_a_fleet_shows_the_rules_of_each_device() -> None:
    watched = FleetWatched(policy=EXACT)
    silent = TransitionPolicy(entry_dwell=0, exit_dwell=0, notify=Notify(0))
    watched.fleet.conditions.add(Circle(0, 0.001, 100), "gate house", policy=silent)
    watched.fleet.conditions.add(Rule.all("office", "gate house"), "depot", policy=EXACT)
    watched.fleet.conditions.add(Rule.none("depot"), "away", policy=EXACT)
    view = viewed(watched)
    watched.watch.observer = view
    watched.feed("near", 10, 0.001)
    watched.feed("far", 11, 0.003)
    whole = read(view)
    assert whole["rules"]["names"][:2] == ["depot", "away"]
    states = {name: named_states(whole, found) for name, found in whole["devices"].items()}
    assert states["near"] == {
        "depot": "satisfied",
        "away": "unsatisfied",
        "office": "satisfied",
        "gate house": "satisfied",
    }
    assert states["far"] == {
        "depot": "unsatisfied",
        "away": "satisfied",
        "office": "unsatisfied",
        "gate house": "unsatisfied",
    }
    watched.feed("near", 12, 0.003)
    found = read(view, whole["version"])["devices"]["near"]
    assert named_states(whole, found)["depot"] == "unsatisfied"
    assert dict(found["decided"])[0] in ("office", "gate house")


def test_a_monitor_is_inside_since_its_entry() -> None:
    """The time is that of the entry, also if the event is not acknowledged, repeats follow, or the view starts later. A
    replaced place has no time until its next event."""
    monitor = Monitor()
    monitor.add(Circle(0, 0, 500), "often", policy=EXACT, timing=Timing(repeat_every=60))
    watched = Watched(monitor, ahead=None, lag=0.0)
    view = View(followed(watched.watch), dict)
    watched.watch.observer = view

    def inside(of: View) -> dict[str, int | None]:
        of._drawn_at, of.is_outdated = -1.0, True
        of.beat()
        found = of.since(0)
        assert found is not None
        return dict(found["devices"]["device"]["inside"])

    watched.feed()
    entry = round((START + watched.clock.now) * 1e6)
    watched.feed(passes=200)
    assert len(watched.seen) > 3 and inside(view) == {"often": entry, "office": entry}
    monitor.add(Circle(0, 0, 400), "often", policy=TransitionPolicy(notify=Notify(0)))
    watched.feed(passes=60)
    assert inside(view) == {"often": None, "office": entry}
    assert inside(View(followed(watched.watch), dict)) == {"often": None, "office": entry}
    watched.feed(longitude=1.0)
    watched.feed(longitude=1.0, passes=60)
    assert inside(view) == {}


def test_a_view_that_starts_later_knows_the_part_that_decided_last(tmp_path: Path) -> None:
    watched = ruled()
    watched.feed(longitude=0.001)
    view = View(followed(watched.watch), dict)
    watched.watch.observer = view
    whole = read(view)
    names = whole["rules"]["names"]
    device = whole["devices"]["device"]
    assert {names[rule]: part for rule, part in device["decided"]}["depot"] == "gate house"
    assert named_states(whole, device)["depot"] == "satisfied"


def test_changed_rules_have_new_numbers_and_states() -> None:
    """The digits of the states always belong to the names in the same or an earlier message."""
    watched = ruled()
    view = View(followed(watched.watch), dict)
    watched.watch.observer = view
    watched.feed(longitude=0.001)
    whole = read(view)
    watched.monitor.remove("depot")
    watched.monitor.add(Rule.none("gate house"), "away", policy=EXACT)
    watched.watch.look_again()
    watched.feed(longitude=0.001)
    view._drawn_at = time.monotonic() + LONGEST
    same = read(view, whole["version"])
    assert "rules" not in same, "the shapes are computed at most once a second"
    assert len(same["devices"]["device"]["states"]) == len(whole["rules"]["names"])
    assert named_states(whole, same["devices"]["device"])["depot"] == "unknown"
    view._drawn_at = -1.0
    whole = read(view)
    states = named_states(whole, whole["devices"]["device"])
    assert whole["rules"]["names"][:3] == ["any", "odd", "away"] and states["away"] == "unsatisfied"
    assert whole["rules"]["kinds"][whole["rules"]["names"].index("depot")] == ""
    assert "depot" not in {whole["rules"]["names"][rule] for rule, _ in whole["devices"]["device"]["decided"]}


def test_a_page_without_rules_costs_no_looks() -> None:
    watched = FleetWatched(policy=EXACT)
    view = viewed(watched)
    watched.feed("a", 0)
    assert view.beat() is None
    whole = view.since(0)
    assert whole is not None
    assert whole["rules"] == {"names": [], "kinds": [], "parts": []} and "states" not in whole["devices"]["a"]


def test_the_counters_of_a_monitor_are_those_of_a_fleet() -> None:
    one, many = Watched(ahead=None), FleetWatched(policy=EXACT)
    before = counters_of(one.watch, lambda: 0, 0.0)
    assert (before["devices"], before["places"], before["messages"], before["events"]) == (0, 1, 0, 0)
    one.feed()
    one.feed(late=5)
    many.feed("a", 0)
    found, other = (counters_of(each.watch, lambda: 3, 0.0) for each in (one, many))
    assert set(found) == set(other)
    assert (found["devices"], found["messages"], found["fixes_accepted"], found["fixes_late"]) == (1, 2, 1, 1)
    assert (found["events"], found["reconnects"], found["events_waiting"]) == (1, 3, 0)


def test_a_part_that_was_replaced_decides_without_a_name() -> None:
    """An event names a generation. If its part was replaced before the page has the event, there is no name, and the
    conditions are listed only once for it."""
    watched = ruled()
    shown = followed(watched.watch)
    listed: list[int] = []

    def definitions() -> Any:
        listed.append(len(listed))
        return ShownMonitor.definitions(shown)  # type: ignore[arg-type]

    shown.definitions = definitions  # type: ignore[method-assign]
    view = View(shown, dict)
    watched.watch.observer = view
    generation = watched.monitor["gate house"].generation
    watched.monitor.remove("gate house")
    watched.monitor.add(Circle(0, 0.001, 100), "gate house", policy=EXACT)
    assert [view._decider(each) for each in (generation, generation, None)] == ["gate house", "gate house", None]
    view.is_outdated, view._drawn_at = True, -1.0
    view.beat()
    assert len(listed) == 2
    assert [view._decider(generation) for _ in range(3)] == [None] * 3 and len(listed) == 3


def test_slow_looks_leave_time_for_the_watch() -> None:
    """The pause after a look grows with the duration of the look."""
    watched = ruled()
    shown = followed(watched.watch)
    view = View(shown, dict)
    watched.watch.observer = view
    watched.feed(longitude=0.001)
    assert (view.beat() or 0) >= BETWEEN_STATES
    state = shown.state

    def slow(device: str, identifier: str) -> State:
        time.sleep(0.01)
        return state(device, identifier)

    shown.state = slow  # type: ignore[method-assign]
    watched.feed(longitude=0.003)
    view._states_at = -1.0
    names = len(read(view)["rules"]["names"])
    left = view.beat()
    assert left is not None and left > 0.5 * REST * 0.01 * (names - 1), "one part has no condition"


def test_a_rule_of_a_thousand_parts_is_looked_at_in_turns() -> None:
    """A look has a limit of time; the devices that are left follow in the next look."""

    class Many:
        """Many devices with one rule, whose state is the parity of the clock."""

        clocks = {f"d{each}": each for each in range(300)}

        def devices(self) -> Any:
            return self.clocks

        def definitions(self) -> list[Any]:
            monitor = Monitor()
            monitor.add(Rule.any(*(f"p{each}" for each in range(1000))), "r")
            return list(monitor.records())

        def inside(self, device: str) -> list[tuple[str, int | None]]:
            return []

        def happened(self, event: Any) -> None:
            pass

        def explain(self, device: str, identifier: str) -> None:
            return None

        def state(self, device: str, identifier: str) -> State:
            looked.append(device)
            time.sleep(0.001)
            return (State.UNSATISFIED, State.SATISFIED)[self.clocks[device] % 2]

        def clock(self, device: str) -> int:
            return self.clocks[device]

        def last_decider(self, device: str, rule: str) -> None:
            return None

    looked: list[str] = []
    view = View(Many(), dict)
    turns = 0
    while len(looked) < 300:
        view._states_at = -1.0
        before = len(looked)
        view.beat()
        turns += 1
        assert before < len(looked), "each look advances"
    assert turns > 3 and sorted(set(looked)) == sorted(Many.clocks) and len(looked) == 300
    found = view.since(0)
    assert found is not None
    assert all(each["states"][0] == str(Many.clocks[name] % 2) for name, each in found["devices"].items())
    view._states_at = -1.0
    view.beat()
    assert len(looked) == 300, "no clock has moved"
