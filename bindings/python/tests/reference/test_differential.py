"""Tests that the engine and the reference model agree on long random sequences of calls to a monitor, with batches,
forks, restarts, beacons, hosts and limits.

test_against_reference.py reduces the failures that it finds to short sequences. This test runs long random sequences of
calls, called lives, and finds failures that need many calls. Each random sequence has its own seed, which a failure
prints. ``FENCEPOST_SEED=17 FENCEPOST_LIVES=1 pytest ...`` repeats the sequence with the seed 17. FENCEPOST_LIVES sets
the number of random sequences; after FENCEPOST_LIVES_SECONDS, no further sequence begins.
"""

from __future__ import annotations

import copy
import os
import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from conftest import IS_FULL
from reference import ReferenceMonitor
from reference_adapter import same_event
from reference_values import Condition as ReferenceCondition, Event as ReferenceEvent
from shape_palette import palette
from test_against_reference import BASES, HOST_FLAGS, KINDS, NAMES, START, UUIDS, Pair

from fencepost import Delivery, DwellPolicy, EventOrder, Monitor, Notify, Schedule, Timing, TransitionPolicy

SEED = int(os.environ.get("FENCEPOST_SEED", "1"))
LIVES = int(os.environ.get("FENCEPOST_LIVES", "2500"))
SECONDS = float(os.environ.get("FENCEPOST_LIVES_SECONDS", "40" if IS_FULL else "5"))
STEPS = (
    0,
    0,
    0,
    1,
    1_000_000,
    1_000_000,
    4_999_999,
    5_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    30_000_000,
    61_000_000,
)
LATE = (-1, -5_000_000)
EDGES = (-30_000_000, -5_000_000, 0, 0, 1, 1_000_000, 5_000_000, 5_000_000, 10_000_000, 25_000_000, 60_000_000)


class BatchReference(ReferenceMonitor):
    """Extends the reference monitor by batches of events: several events may be in flight, and they are acknowledged in
    order."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.batch: list[tuple[ReferenceCondition, ReferenceEvent]] = []

    def poll(self, limit: int) -> list[dict[str, Any]]:
        self.acknowledge()
        while len(self.batch) < limit:
            taken = [event for _, event in self.batch]
            heads = []
            for condition in self._conditions.values():
                left = [event for event in condition.queue if not event.silent and event not in taken]
                if left and (self.delivery == "every" or not taken or left[0] is condition.queue[0]):
                    heads.append((not left[0].handed_out, left[0].sequence or left[0].order, condition, left[0]))
            if not heads:
                break
            _, _, condition, event = min(heads, key=lambda head: head[:2])
            if not event.handed_out:
                self._sequence += 1
                event.sequence = self._sequence
            self.batch.append((condition, event))
        return [event.as_dict() for _, event in self.batch]

    def next_event(self) -> dict[str, Any] | None:
        events = self.poll(1)
        return events[0] if events else None

    def acknowledge(self) -> None:
        batch, self.batch = self.batch, []
        for condition, event in batch:
            if self._conditions.get(condition.identifier) is condition:
                self._in_flight = (condition, event)
                super().acknowledge()

    def restart(self) -> None:
        self.batch = []

    def _forget_in_flight(self, condition: ReferenceCondition) -> None:
        self.batch = [pair for pair in self.batch if pair[0] is not condition]

    def _waiting(self) -> int:
        """The number of pending events. Events in flight are not counted, not even after a restart, so a restart does
        not change the number."""
        return sum(1 for c in self._conditions.values() for e in c.queue if not e.silent and not e.handed_out)


class Life(Pair):
    """Holds an engine monitor and a reference monitor, and performs the random actions on both."""

    theirs: BatchReference

    def __init__(self, chance: random.Random) -> None:
        super().__init__(chance.choice(BASES), "every", None, 1)
        self.chance = chance
        options = {
            "delivery": str(chance.choice(list(Delivery))),
            "condition_limit": chance.choice([None, None, None, 1, 2, 3]),
            "max_pending_events": chance.choice([1_000_000, 1_000_000, 1_000_000, 1, 3]),
            "initial_fix_max_age": chance.choice([60.0, 0.0, 5.0, None]),
            "beacon_exit_timeout": chance.choice([30.0, 5.0, 0.000001]),
            "beacon_initial_timeout": chance.choice([30.0, 10.0, 5.0]),
            "order": str(chance.choice(list(EventOrder))),
        }
        self.ours, self.theirs = Monitor(**options), BatchReference(**options)
        self.names = NAMES[: chance.choice([1, 2, 3, 5])]
        self.policies = [self.policy() for _ in range(2)]
        self.are_timed = chance.random() < 0.5
        # Each random run mainly uses one group of actions, and occasionally the other groups.
        actions = [
            self.walk, self.walk, self.fixes, self.sighting, self.sighting, self.scanner, self.host, self.wait,
            self.wait,
            self.circle, self.shaped, self.beacon, self.removal,
            self.handling, self.handling, self.batch, self.do_acknowledge,
            self.restart, self.fork, self.rewind,
        ]  # fmt: skip
        self.actions = actions + [action for action in chance.sample(actions, 5) for _ in range(6)]
        self.away = 0.0

    def live(self, steps: int) -> None:
        for name in self.names:
            if self.chance.random() < 0.7:
                self.chance.choice([self.circle, self.circle, self.shaped, self.shaped, self.beacon])(name)
        for _ in range(steps):
            self.chance.choice(self.actions)()
            self.compare()
        while self.batch(100):
            self.compare()
        self.compare()

    # ---------------------------------------------------------------------------------- what may happen

    def step(self) -> int:
        return self.chance.choice(STEPS if self.chance.random() < 0.95 else LATE)

    def policy(self) -> TransitionPolicy:
        chance = self.chance
        preset = chance.choice(
            [TransitionPolicy.standard, TransitionPolicy.exact, TransitionPolicy.core_location, None]
        )
        if preset is not None:
            return preset()
        margin, limit = chance.choice([(0.0, 0.0), (35.0, 0.0), (60.0, 200.0), (0.0, 45.0)])
        return TransitionPolicy(
            entry_dwell=chance.choice([0.0, 5.0, 10.0]),
            exit_dwell=chance.choice([0.0, 5.0, 10.0]),
            entry_margin=chance.choice([0.0, 20.0, 60.0]),
            exit_margin=margin,
            exit_margin_limit=limit,
            accuracy_factor=chance.choice([0.0, 0.5, 1.0]),
            dwell_policy=chance.choice(list(DwellPolicy)),
            notify=Notify(chance.choice([0, 1, 2, 3, 4, 5, 6, 7, 7])),
        )

    def options(self) -> dict[str, Any]:
        policy = self.chance.choice(self.policies) if self.chance.random() < 0.8 else self.policy()
        assuming = self.chance.choice(["unknown", "satisfied", "unsatisfied"])
        options = {"assuming": assuming, "policy": policy, "tag": self.chance.choice([0, 0, 7])}
        if self.are_timed and self.chance.random() < 0.7:
            options["timing"] = self.timing()
        return options

    def timing(self) -> Timing:
        """Returns a timing whose edges are often times of inputs, and touch."""
        chance = self.chance
        active = until = None
        if chance.random() < 0.7:
            edges = sorted(self.clock + chance.choice(EDGES) for _ in range(2 * chance.randrange(4)))
            active = [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if start < end]
            until = chance.choice([None, None, self.clock + max(EDGES)])
        every = chance.choice([None, None, 1.0, 5.0, 20.0])
        return Timing(
            active=None if active is None else Schedule(active, until=until),
            absent_after=chance.choice([None, None, 0.000001, 5.0, 20.0]),
            repeat_every=every,
            repeat_limit=1000 if every is None else chance.choice([1, 2, 1000]),
            max_events=chance.choice([None, None, None, 1, 2, 5]),
        )

    def fix(self) -> tuple[int, float, float, float, tuple[float, float] | None]:
        """Returns the next fix of a walk back and forth along one meridian, with jumps. Each distance is a whole number
        of metres plus 0.37 m, which keeps the positions away from the boundaries."""
        chance = self.chance
        self.away = chance.choice([self.away, abs(self.away + chance.uniform(-150, 150)), chance.uniform(0, 900)])
        accuracy = chance.choice([0.0, 5.0, 5.0, 30.0, 99.9, 100.0, 100.1, 150.0, 400.0])
        wrong = None
        if chance.random() < 0.03:
            accuracy = chance.choice([-1.0, float("nan")])
        elif chance.random() < 0.03:
            wrong = chance.choice([(91.0, 0.0), (0.0, float("inf")), (float("nan"), 0.0)])
        return self.step(), int(self.away) + 0.37, chance.choice([0.0, 0.0, 0.0, 180.0, 90.0]), accuracy, wrong

    def walk(self) -> None:
        self.do_fix(self.fix())

    def fixes(self) -> None:
        self.do_fixes([self.fix() for _ in range(self.chance.randrange(1, 9))])

    def sighting(self) -> None:
        chance = self.chance
        beacons = [
            (chance.choice(UUIDS), chance.randrange(2), chance.randrange(3), chance.choice([None, -90, -60, -60]))
            for _ in range(chance.choice([0, 1, 1, 2, 4]))
        ]
        self.do_see(self.step(), beacons)

    def scanner(self) -> None:
        self.do_scanning(self.step(), self.chance.random() < 0.6)

    def host(self) -> None:
        chance = self.chance
        flags = chance.sample(HOST_FLAGS, chance.choice([0, 0, 0, 1, 1, 2, 7]))
        self.do_host(self.step(), flags, chance.sample(list(KINDS), chance.choice([0, 0, 0, 1, 2])))

    def rewind(self) -> None:
        if self.chance.random() < 0.3:
            self.do_rewind(self.chance.choice([0, 1, 5_000_000, 10_000_000, 30_000_000]))

    def wait(self) -> None:
        self.do_advance(self.step())

    def circle(self, name: str | None = None) -> None:
        chance = self.chance
        radius = chance.choice([10.0, 60.0, 99.0, 100.0, 100.4, 150.0, 300.0, 600.0])
        place = chance.choice([0.0, 0.0, 0.005, 100.0, 400.0])
        value = (name or chance.choice(self.names), place, chance.choice([0.0, 90.0]), radius, self.options())
        self.do_circle(name is None and chance.random() < 0.5, value)

    def shaped(self, name: str | None = None) -> None:
        chance = self.chance
        value = (name or chance.choice(self.names), chance.randrange(len(palette(self.base))), self.options())
        self.do_shape(name is None and chance.random() < 0.5, value)

    def beacon(self, name: str | None = None) -> None:
        chance = self.chance
        major = chance.choice([None, 0, 1])
        minor = None if major is None else chance.choice([None, 0, 1, 2])
        value = (name or chance.choice(self.names), chance.choice(UUIDS), major, minor, self.options())
        self.do_beacon(name is None and chance.random() < 0.5, value)

    def removal(self) -> None:
        self.do_remove(self.chance.choice(self.names))

    def handling(self) -> None:
        self.do_next(self.chance.choice([1, 1, 2, 5]))

    def batch(self, limit: int | None = None) -> bool:
        limit = self.chance.choice([0, 1, 2, 3, 100]) if limit is None else limit
        ours, theirs = self.ours.poll(limit), self.theirs.poll(limit)
        assert [event.sequence for event in ours] == [event["sequence"] for event in theirs]
        for event, expected in zip(ours, theirs, strict=True):
            same_event(event, expected)
        return bool(ours)

    def restart(self) -> None:
        """Restarts the engine's monitor and the reference monitor; unacknowledged events are redelivered."""
        self.ours = self.ours.fork()
        self.theirs.restart()

    def fork(self) -> None:
        """Forks both monitors and continues with either the originals or the copies. Actions on the monitors that are
        no longer used must not affect the monitors that are."""
        fork, other = self.ours.fork(), copy.deepcopy(self.theirs)
        other.restart()
        here = self.ours, self.theirs, self.clock, self.away
        if self.chance.random() < 0.5:
            self.ours, self.theirs = fork, other
            self.compare()
            return
        self.ours, self.theirs = fork, other
        for _ in range(self.chance.randrange(1, 12)):
            action = self.chance.choice([action for action in self.actions if action != self.fork])
            action()
            self.compare()
        self.ours, self.theirs, self.clock, self.away = here
        self.compare()


def recorded(life: Life) -> list[str]:
    """Wraps the actions of a random sequence, so that each performed action is added to the returned log."""
    log: list[str] = []

    def noting(name: str, action: Callable[..., Any]) -> Callable[..., Any]:
        def note(*arguments: Any) -> Any:
            log.append(f"{(life.clock - START) / 1e6:g} s: {name}{arguments}")
            return action(*arguments)

        return note

    for name in dir(life):
        if name.startswith("do_") or name in ("batch", "restart"):
            setattr(life, name, noting(name, getattr(life, name)))
    life.actions = [getattr(life, action.__name__) for action in life.actions]
    return log


@pytest.mark.full
def test_long_lives_agree() -> None:
    started, lives = time.monotonic(), 0
    for seed in range(SEED, SEED + LIVES):
        chance = random.Random(seed)
        life = Life(chance)
        log = recorded(life)
        try:
            life.live(chance.choice([20, 60, 150]))
        except AssertionError as error:
            story = "\n".join([f"{life.theirs.delivery}, limit {life.theirs.condition_limit}", *log[-60:]])
            raise AssertionError(f"seed {seed}: {error}\nthe last steps:\n{story}") from error
        lives += 1
        if lives >= 20 and time.monotonic() - started > SECONDS:
            break
    assert lives >= min(LIVES, 20)
