"""Compares the reference model with the scenarios of semantics.md, section 8, and with itself.

S42, S43, S46 and S52 need a store or names, so only the corpus contains these scenarios; S53 is a scenario of the
planner.
"""

from __future__ import annotations

import random

import pytest
import run_reference_corpus as corpus
from conftest import in_full, only_in_full
from geographiclib.geodesic import Geodesic
from reference import ReferenceMonitor
from reference_values import Refused

U = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
UNKNOWN, SATISFIED, UNSATISFIED, UNMONITORED = "unknown", "satisfied", "unsatisfied", "unmonitored"


class Play(ReferenceMonitor):
    """Plays scenarios in the notation of section 8, in seconds and metres."""

    def __init__(self, delivery="first", condition_limit=20, **options):
        super().__init__(delivery=delivery, condition_limit=condition_limit, **options)

    def to(self, t):
        self.advance(round(t * 1e6))

    def circle(self, identifier="c", radius=100.0, *, latitude=0.0, longitude=0.0, **rest):
        self.add_circle(identifier, latitude, longitude, radius, **rest)

    def fix(self, t, d, a=5.0, bearing=30.0):
        there = Geodesic.WGS84.Direct(0.0, 0.0, bearing, d)
        self.feed_fix(round(t * 1e6), there["lat2"], there["lon2"], a)

    def see(self, t, *beacons):
        self.feed_sightings(
            round(t * 1e6), [(U, *beacon, None) if len(beacon) == 2 else (U, *beacon) for beacon in beacons]
        )

    def events(self):
        """Returns all pending events: (identifier, state, seconds)."""
        out = []
        while (event := self.next_event()) is not None:
            out.append((event["identifier"], event["state"], event["date"] / 1e6))
        return out

    def pairs(self):
        return [event[1:] for event in self.events()]

    def R(self, identifier="c"):
        last = self.record(identifier)["last_event"]
        return last["state"], last["date"] / 1e6


def added(**options):
    m = Play(**options)
    m.to(10)
    m.circle()
    return m


def inside(**circle):
    m = Play()
    m.to(0)
    m.circle(**circle)
    m.fix(1, 0)
    assert m.pairs() == [(SATISFIED, 1)]
    return m


def outside(delivery="first", **circle):
    m = Play(delivery)
    m.to(0)
    m.circle(**circle)
    m.fix(1, 5000)
    assert m.pairs() == [(UNSATISFIED, 1)]
    return m


# Monitor and records ------------------------------------------------------------------------------------------------


def test_s1():
    assert Play().identifiers() == [] and Play().record("x") is None


def test_s2():
    m = added()
    record = m.record("c")
    assert record["condition"] == dict(kind="circle", latitude=0.0, longitude=0.0, radius=100.0)
    assert m.R() == (UNKNOWN, 10)
    assert record["last_event"]["refinement"] is None and record["last_event"]["diagnostics"] == []
    assert m.next_event() is None


def test_s3():
    m = added()
    m.fix(12, 40)
    event = m.next_event()
    assert (event["state"], event["date"], event["sequence"], event["cause"]) == (
        SATISFIED,
        12_000_000,
        1,
        "determination",
    )
    assert event["boundary_distance"] == pytest.approx(-60, abs=1e-8) and event["accuracy"] == 5.0
    assert m.R() == (UNKNOWN, 10)
    assert m.next_event() is None
    assert m.R() == (SATISFIED, 12)


def test_s4():
    m = added()
    m.fix(12, 400)
    assert m.pairs() == [(UNSATISFIED, 12)]


@pytest.mark.parametrize(
    "assuming, d, expected",
    [
        (UNSATISFIED, 400, []),  # S5
        (UNSATISFIED, 40, [(SATISFIED, 12)]),  # S6
        (SATISFIED, 40, []),  # S7
    ],
)
def test_s5_s6_s7(assuming, d, expected):
    m = Play()
    m.to(10)
    m.circle(assuming=assuming)
    m.fix(12, d)
    assert m.pairs() == expected
    assert m.R() == (expected[0] if expected else (assuming, 10))


@pytest.mark.parametrize("t, expected", [(30, [(SATISFIED, 30)]), (100, [])])
def test_s8_s9(t, expected):
    m = Play()
    m.fix(0, 40)
    m.to(t)
    m.circle()
    assert m.pairs() == expected


@pytest.mark.parametrize("d, state", [(100 - 1e-6, SATISFIED), (100 + 1e-6, UNSATISFIED)])
def test_s10(d, state):
    m = added()
    m.fix(12, d)
    assert m.pairs() == [(state, 12)]


def test_s11_s12():
    m = added()
    m.remove("nope")
    assert m.identifiers() == ["c"]
    m.remove("c")
    m.fix(12, 40)
    assert m.events() == [] and m.record("c") is None and m.identifiers() == []


def test_s13():
    m = added()
    m.fix(12, 40)
    m.remove("c")
    assert m.next_event() is None


def test_s14():
    m = added()
    m.fix(12, 40)
    m.events()
    m.to(50)
    m.circle(longitude=0.0898315)
    assert m.R() == (UNKNOWN, 50) and m.record("c")["condition"]["longitude"] == 0.0898315
    assert m.pairs() == [(UNSATISFIED, 50)]


def test_s15_s16():
    for ensure in (False, True):
        m = added()
        m.fix(12, 40)
        m.events()
        m.to(500)
        if ensure:
            m.ensure_circle("c", 0.0, 0.0, 100.0)
            assert m.R() == (SATISFIED, 12)
        else:
            m.circle()
            assert m.R() == (UNKNOWN, 500)
        m.fix(510, 40)
        assert m.pairs() == ([] if ensure else [(SATISFIED, 510)])


def test_s17():
    m = Play()
    for identifier in "bac":
        m.circle(identifier)
    assert m.identifiers() == ["b", "a", "c"]


# Crossings ----------------------------------------------------------------------------------------------------------

CROSSINGS = {
    "S18": ([(100, 115), (110, 125), (129, 130), (130, 130)], None, [(UNSATISFIED, 130)]),
    "S19 before": ([(100, 130), (110, 99), (112, 130)], 131, []),
    "S19": ([(100, 130), (110, 99), (112, 130)], 132, [(UNSATISFIED, 132)]),
    "S20": ([(100, 130), (115, 105)], 120, [(UNSATISFIED, 120)]),
    "S21": ([(100, 130), (120, 99)], 1000, []),
    "S22": ([(100, 130), (120, 130)], None, [(UNSATISFIED, 120)]),
    "S23": ([(100, 130), (400, 40)], None, [(UNSATISFIED, 120)]),
    "S25": ([(100, 200, 500)], 1000, []),
    "S28": ([(100, 130), (100, 40)], 1000, []),
}


@pytest.mark.parametrize("name", CROSSINGS)
def test_crossings(name):
    fixes, until, expected = CROSSINGS[name]
    m = inside()
    for fix in fixes:
        m.fix(*fix)
    if until is not None:
        m.to(until)
    assert m.pairs() == expected


def test_s23_and_back():
    m = inside()
    m.fix(100, 130)
    m.fix(400, 40)
    assert m.pairs() == [(UNSATISFIED, 120)]
    m.to(420)
    assert m.pairs() == [(SATISFIED, 420)]


def test_s24():
    m = inside(policy=dict(dwell_policy="evidence"))
    m.fix(100, 130)
    m.fix(400, 40)
    m.to(420)
    assert m.events() == []


def test_s26():
    m = inside()
    m.fix(100, 400, -1.0)
    with pytest.raises(Refused, match="invalid_argument"):
        m.feed_fix(101_000_000, float("nan"), 0.0)
    assert m.clock == 1_000_000 and m.statistics()["invalid_fixes"] == 2
    m.to(1000)
    assert m.events() == []


def test_s27():
    m = inside()
    m.fix(100, 40)
    with pytest.raises(Refused, match="late_input"):
        m.fix(90, 400)
    assert m.statistics()["late_inputs"] == 1
    m.to(1000)
    assert m.events() == []


def test_s29():
    m = outside(radius=30.0)
    m.fix(100, 16)
    m.to(120)
    assert m.events() == []
    m.fix(130, 14)
    m.to(150)
    assert m.pairs() == [(SATISFIED, 150)]


@pytest.mark.parametrize("centre, fix", [((0, 179.9995), (0, -179.9995)), ((89.9999, 10), (89.9999, -170))])
def test_s30(centre, fix):
    m = Play()
    m.to(10)
    m.add_circle("c", *centre, 150.0)
    m.feed_fix(12_000_000, *fix, 5.0)
    assert m.pairs() == [(SATISFIED, 12)]


def test_s31():
    m = inside(policy="exact")
    m.fix(100, 100.5)
    assert m.pairs() == [(UNSATISFIED, 100)]


def test_s31b():
    m = added()
    m.fix(12, 40, 800)
    assert m.events() == []
    m.fix(13, 5000, 800)
    assert m.pairs() == [(UNSATISFIED, 13)]


# Delivery -----------------------------------------------------------------------------------------------------------


def crossed(delivery, times=(200, 300)):
    m = outside(delivery)
    for count, t in enumerate(times):
        m.fix(t - 20, 5000 if count % 2 else 0)
    m.to(times[-1])
    return m


@pytest.mark.parametrize(
    "delivery, times, expected",
    [
        ("first", (200, 300), [(SATISFIED, 200), (UNSATISFIED, 300)]),  # S32
        ("first", (200, 300, 400), [(SATISFIED, 200)]),  # S33
        ("every", (200, 300, 400), [(SATISFIED, 200), (UNSATISFIED, 300), (SATISFIED, 400)]),  # S34
        ("latest", (200, 300), []),  # S35
        ("latest", (200, 300, 400), [(SATISFIED, 400)]),
    ],
)
def test_s32_to_s35(delivery, times, expected):
    assert crossed(delivery, times).pairs() == expected


def test_s36():
    m = crossed("first")
    m.to(100_000)
    assert m.R() == (UNSATISFIED, 1)


@pytest.mark.parametrize("acknowledged", [False, True])
def test_s37_s38(acknowledged):
    m = crossed("first")
    first = m.next_event()
    if acknowledged:
        m.acknowledge()
    m.restart()
    assert m.R() == ((SATISFIED, 200) if acknowledged else (UNSATISFIED, 1))
    again = m.next_event()
    if acknowledged:
        assert (again["state"], again["date"]) == (UNSATISFIED, 300_000_000)
    else:
        assert again == first


@pytest.mark.parametrize(
    "dwell, expected",
    [(20, [("c1", SATISFIED, 200), ("c2", SATISFIED, 200)]), (19, [("c2", SATISFIED, 199), ("c1", SATISFIED, 200)])],
)
def test_s40(dwell, expected):
    m = Play()
    m.to(0)
    m.circle("c1")
    m.circle("c2", policy=dict(entry_dwell=dwell))
    m.fix(1, 5000)
    m.events()
    m.fix(180, 0)
    m.to(300)
    assert m.events() == expected


def test_s41():
    m = added()
    assert m.next_event() is None
    m.abandon()
    m.fix(12, 40)
    event = m.next_event()
    m.abandon()
    assert m.next_event() == event


# Restart, limit, diagnostics ----------------------------------------------------------------------------------------


def test_s44():
    m = inside()
    before = m.record("c"), m.identifiers()
    m.restart()
    assert (m.record("c"), m.identifiers()) == before and m.events() == []


def test_s45():
    m = inside()
    m.fix(100, 130)
    m.restart()
    m.fix(125, 130)
    assert m.pairs() == [(UNSATISFIED, 120)]


def twenty_one():
    m = Play()
    m.to(0)
    for count in range(21):
        m.circle(f"c{count + 1}")
    event = m.next_event()
    assert (event["identifier"], event["state"], event["diagnostics"]) == (
        "c21",
        UNMONITORED,
        ["condition_limit_exceeded"],
    )
    return m


def test_s48():
    m = twenty_one()
    assert m.identifiers()[-1] == "c21"
    m.fix(5, 0)
    assert m.events() == [(f"c{count + 1}", SATISFIED, 5) for count in range(20)]


def test_s49():
    m = twenty_one()
    m.events()
    m.remove("c5")
    assert m.events() == [] and m.R("c21") == (UNMONITORED, 0)
    m.fix(5, 0)
    assert m.events()[-1] == ("c21", SATISFIED, 5)
    assert m.record("c21")["last_event"]["diagnostics"] == []


def test_s50():
    m = inside()
    m.set_host(["authorization_denied"], [], 100_000_000)
    event = m.next_event()
    assert (event["state"], event["date"], event["diagnostics"]) == (SATISFIED, 100_000_000, ["authorization_denied"])
    m.fix(110, 400)
    m.fix(200, 400)
    assert m.next_event() is None
    m.set_host([], [], 300_000_000)
    event = m.next_event()
    assert (event["state"], event["date"], event["diagnostics"]) == (SATISFIED, 300_000_000, [])
    m.fix(310, 400)
    assert m.pairs() == [(UNSATISFIED, 310)]


def test_s51():
    m = Play()
    m.set_host([], ["beacon"], 0)
    m.add_beacon("b", U)
    event = m.next_event()
    assert (event["state"], event["diagnostics"]) == (UNMONITORED, ["condition_unsupported"])


# Beacons ------------------------------------------------------------------------------------------------------------


def beacon(major=None, minor=None, **rest):
    m = Play()
    m.to(0)
    m.add_beacon("b", U, major, minor, **rest)
    return m


def seen():
    m = beacon()
    m.see(5, (1, 7))
    event = m.next_event()
    assert (event["state"], event["date"], event["refinement"]) == (
        SATISFIED,
        5_000_000,
        dict(uuid=U, major=1, minor=7),
    )
    m.acknowledge()
    return m


def test_s54_s55():
    m = seen()
    m.see(10, (1, 8))
    m.see(20, (2, 1))
    assert m.events() == []


def test_s56():
    m = seen()
    m.to(35)
    event = m.next_event()
    assert (event["state"], event["date"], event["refinement"], event["cause"]) == (
        UNSATISFIED,
        35_000_000,
        None,
        "timeout",
    )


def test_s57():
    m = seen()
    m.see(34, (1, 7))
    m.to(63)
    assert m.events() == []
    m.to(64)
    assert m.pairs() == [(UNSATISFIED, 64)]


def test_s58():
    m = seen()
    m.see(30, (2, 2))
    assert m.record("b")["last_event"]["refinement"] == dict(uuid=U, major=1, minor=7)
    m.to(1000)
    assert m.pairs() == [(UNSATISFIED, 60)]


def test_s59():
    m = beacon(1)
    m.see(5, (2, 7))
    m.to(30)
    assert m.pairs() == [(UNSATISFIED, 30)]


def test_s60():
    m = beacon(1, 7)
    m.see(5, (1, 7))
    event = m.next_event()
    assert event["state"] == SATISFIED and event["refinement"] is None


def test_s61():
    m = seen()
    m.set_scanning(False, 10_000_000)
    m.to(500)
    m.set_scanning(True, 500_000_000)
    m.to(529)
    assert m.events() == []
    m.to(530)
    assert m.pairs() == [(UNSATISFIED, 530)]


def test_s62():
    m = beacon()
    m.see(5, (1, 7, -80), (1, 3, -60))
    assert m.next_event()["refinement"] == dict(uuid=U, major=1, minor=3)


def test_s63():
    m = beacon(assuming=UNSATISFIED)
    m.to(30)
    assert m.events() == []


# Scenarios of the corpus, and invariants of every log --------------------------------------------------------------


def every_scenario():
    for path in corpus.FILES:
        for scenario in corpus.scenarios(path):
            # The reference model needs up to 40 s for the scenarios with shapes, and for probabilities of corridors, so
            # they run only in the full tests. The engine runs these scenarios in each language.
            is_probable = path.parent.name == "Probability" or path.stem == "probability"
            is_long = path.parent.name == "Shapes" or (is_probable and "a corridor" in scenario["name"])
            marks = [pytest.mark.full, only_in_full] if is_long else []
            yield pytest.param(scenario, marks=marks, id=f"{path.stem}: {scenario['name']}")


@pytest.mark.parametrize("restart", [False, *in_full(True)], ids=["whole", "restart-every-step"])
@pytest.mark.parametrize("scenario", list(every_scenario()))
def test_corpus(scenario, restart):
    failure = corpus.runner(scenario)(scenario, restart).run()
    assert failure is None, failure


def test_corpus_is_complete():
    names = [scenario["name"] for path in corpus.FILES for scenario in corpus.scenarios(path)]
    assert len(names) == len(set(names))
    numbers = {name.split()[0] for name in names}
    assert numbers >= {f"S{n}" for n in range(1, 64) if n != 53} | {"S31b"}
    assert numbers >= {f"A{n}" for n in range(1, 36)}


def random_walk(seed, delivery, restarts, polls):
    """Makes a random walk through a few conditions, with every action that a host may perform; returns the log of
    delivered events."""
    world = random.Random(seed)
    consumer = random.Random(seed + 1 if polls else 0)
    m = ReferenceMonitor(delivery=delivery, condition_limit=5)
    m.advance(0)
    policies = [
        "standard",
        "exact",
        "core_location",
        dict(dwell_policy="evidence", entry_dwell=7),
        dict(notify=["initial", "exit"]),
    ]
    for count in range(6):
        m.add_circle(f"c{count}", 0.0, count * 0.001, 60.0 + 40 * count, policy=policies[count % 5])
    m.add_beacon("b", U)
    log, t, x = [], 0, 0.0
    for _ in range(150):
        t += world.choice([0, 1, 5, 20, 40]) * 1_000_000
        x += world.gauss(0, 0.0008)
        what = world.random()
        if what < 0.7:
            m.feed_fix(t, world.gauss(0, 0.0002), x, world.choice([0.0, 5.0, 30.0, 300.0, -1.0]))
        elif what < 0.85:
            m.feed_sightings(t, [(U, world.randrange(3), world.randrange(3), world.randrange(-90, -30))])
        elif what < 0.9:
            m.set_scanning(world.random() < 0.7, t)
        elif what < 0.95:
            m.set_host(world.choice([[], [], ["authorization_denied"]]), None, t)
        elif what < 0.97:
            identifier = f"c{world.randrange(6)}"
            m.add_circle(identifier, 0.0, world.gauss(0, 0.002), 120.0)
        else:
            m.advance(t)
        if polls and consumer.random() < 0.3:
            event = m.next_event()
            if event is not None:
                log.append(event)
                if restarts:
                    m.restart()
                    assert m.next_event() == event
                m.acknowledge()
    while (event := m.next_event()) is not None:
        log.append(event)
    return log


@pytest.mark.parametrize("delivery", ["first", "latest", "every"])
@pytest.mark.parametrize("seed", range(20))
def test_restarts_change_nothing(seed, delivery):
    whole, split = (random_walk(seed, delivery, restarts, True) for restarts in (False, True))
    assert whole == split
    assert [event["sequence"] for event in whole] == list(range(1, len(whole) + 1))


@pytest.mark.parametrize("seed", range(20))
def test_every_is_independent_of_the_moments_of_commits(seed):
    # The beacon condition is never replaced, so none of its events are dropped. Sequence numbers are left out of the
    # comparison, because they depend on the history.
    logs = [
        [
            {**event, "sequence": None}
            for event in random_walk(seed, "every", False, polls)
            if event["identifier"] == "b"
        ]
        for polls in (True, False)
    ]
    assert logs[0] == logs[1] != []


@pytest.mark.parametrize("seed", range(20))
def test_dates_never_go_back_within_a_condition(seed):
    last = {}
    for event in random_walk(seed, "every", False, True):
        key = event["identifier"], event["generation"]
        assert event["date"] >= last.get(key, event["date"])
        last[key] = event["date"]
