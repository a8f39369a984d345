"""Tests `tune`: compares labels with visits that were found by brute force, compares scores with separate replays, and
tests invalid labels."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from conftest import ROOT, SECOND, mentions

from fencepost import Circle, Fix, TransitionPolicy, Tuning, Zones, compare, replay, tune
from fencepost._replay.labels import matched
from fencepost.errors import InvalidArgumentError

pd = pytest.importorskip("pandas")
ZONES = {"home": Circle(0, 0, 150), "work": Circle(0, 0.02, 150)}
START = datetime(2026, 3, 1, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def wander(seed: int, count: int = 400) -> list[tuple[int, float, float]]:
    """Returns noisy fixes of a person who moves between three places, one fix a minute: the time, the longitude and the
    accuracy of each fix."""
    numbers = random.Random(seed)
    place, found = 0.0, []
    for minute in range(count):
        if numbers.random() < 0.03:
            place = numbers.choice((0.0, 0.02, 0.05))
        found.append((minute, place + numbers.gauss(0, 0.0012), numbers.choice((5.0, 30.0, 100.0))))
    return found


def frame(**tracks: list[tuple[int, float, float]]) -> Any:
    rows = [
        (name, at(minute), 0.0, longitude, accuracy)
        for name, track in tracks.items()
        for minute, longitude, accuracy in track
    ]
    return pd.DataFrame(rows, columns=["device", "time", "latitude", "longitude", "accuracy"])


def tuned(rows: Any, zones: Any, labels: Any, **options: Any) -> Tuning:
    return tune(rows, zones, labels, device="device", **options)


def truth(*tracks: str) -> Any:
    """Returns invented labels that have nothing to do with the movements of the devices."""
    rows = [
        (track, identifier, at(60 * hour + shift), at(60 * hour + shift + 35))
        for track, (identifier, shift) in itertools.product(tracks, (("home", 3), ("work", 20)))
        for hour in range(6)
    ]
    return pd.DataFrame(rows, columns=["device", "identifier", "start", "end"])


def largest(theirs: list[Any], ours: list[Any]) -> int:
    """Returns the size of a maximum matching of overlapping spans, found by augmenting paths."""
    overlaps = [[at for at, own in enumerate(ours) if own[0] <= their[1] and their[0] <= own[1]] for their in theirs]
    owner: dict[int, int] = {}

    def place(label: int, seen: set[int]) -> bool:
        for mine in overlaps[label]:
            if mine not in seen:
                seen.add(mine)
                if mine not in owner or place(owner[mine], seen):
                    owner[mine] = label
                    return True
        return False

    return sum(place(label, set()) for label in range(len(theirs)))


def test_as_many_pairs_as_there_can_be() -> None:
    numbers = random.Random(5)
    for _ in range(3_000):
        spans = []
        for _ in range(2):
            ends = sorted(numbers.choices(range(20), k=2 * numbers.randrange(6)))
            spans.append([(start, end, False) for start, end in zip(ends[::2], ends[1::2])])
        theirs, ours = spans
        pairs = matched(theirs, ours)
        assert len(pairs) == largest(theirs, ours), (theirs, ours)
        assert len({label for label, _ in pairs}) == len({mine for _, mine in pairs}) == len(pairs)
        assert all(ours[mine][0] <= theirs[label][1] and theirs[label][0] <= ours[mine][1] for label, mine in pairs)


def test_one_pass_gives_what_a_replay_for_each_policy_gives() -> None:
    rows, labels = frame(ann=wander(1), bob=wander(2)), truth("ann", "bob")
    policies = {"exact": TransitionPolicy.exact(), "slow": TransitionPolicy(entry_dwell=300, exit_dwell=300)}
    found = tuned(rows, ZONES, labels, policies=policies, flap_seconds=180)
    for trial in found:
        log = replay(rows, ZONES, policy=policies[trial.name], device="device")
        count = hits = 0
        for track, identifier in itertools.product(("ann", "bob"), ZONES):
            visits = [each for each in log.visits() if (each.track, each.identifier) == (track, identifier)]
            own = labels[(labels.device == track) & (labels.identifier == identifier)]
            ours = [(each.start, each.start + each.duration) for each in visits]
            hits += largest(list(zip(own.start, own.end)), ours)
            count += len(visits)
        assert (trial.found, trial.false, trial.missed) == (hits, count - hits, len(labels) - hits)
        assert trial.precision == hits / count and trial.recall == hits / len(labels)
        assert trial.f1 == pytest.approx(2 / (1 / trial.precision + 1 / trial.recall))
        alone = compare(rows, ZONES, policies={"p": policies[trial.name]}, flap_seconds=180, device="device")["p"]
        assert trial.flaps == alone.flaps
    assert found.best.f1 == max(trial.f1 for trial in found)
    assert found.columns()["policy"] == ["exact", "slow"] and list(found.to_pandas()["f1"]) == [t.f1 for t in found]


def test_delays_by_hand() -> None:
    way = [0.05, 0.05, 0.0, 0.0, 0.0, 0.0, 0.05, 0.05, 0.05]
    fixes = [Fix(0, longitude, 5, time=at(minute)) for minute, longitude in enumerate(way)]
    labels = [{"identifier": "home", "start": at(1.5), "end": at(5.5)}]
    found = tune(fixes, ZONES, labels, grid={"dwell": [0, 60], "margin": [0]})
    assert [(t.found, t.false, t.entry_delay, t.exit_delay) for t in found] == [(1, 0, 30.0, 30.0), (1, 0, 90.0, 90.0)]
    assert found.best.name == "dwell=0 margin=0", "of equal F1 the smaller delay"
    (first, *_) = compare(fixes, ZONES, policies=["exact"], labels=labels)
    assert (first.missed_visits, first.false_visits, first.entry_delay, first.exit_delay) == (0, 0, 30.0, 30.0)
    with pytest.raises(InvalidArgumentError, match="baseline.*labels"):
        compare(fixes, ZONES, labels=labels, baseline=fixes)


def test_each_fold_is_judged_by_a_policy_that_has_not_seen_it() -> None:
    rows, labels = frame(ann=wander(1), bob=wander(2), eve=wander(3)), truth("ann", "bob", "eve")
    grid = {"dwell": [0, 120, 300], "margin": [0, 50]}
    found = tuned(rows, ZONES, labels, grid=grid, cross_validate="device")
    assert [fold.left_out for fold in found.folds] == ["ann", "bob", "eve"]
    total = [0, 0, 0]
    for fold in found.folds:
        others = tuned(rows[rows.device != fold.left_out], ZONES, labels[labels.device != fold.left_out], grid=grid)
        assert fold.trial.name == others.best.name
        own = tuned(rows[rows.device == fold.left_out], ZONES, labels[labels.device == fold.left_out], grid=grid)
        (alone,) = [trial for trial in own if trial.name == fold.trial.name]
        assert fold.trial == alone
        total = [a + b for a, b in zip(total, (alone.found, alone.missed, alone.false))]
    assert found.validated_f1 == 2 * total[0] / (2 * total[0] + total[1] + total[2])
    days = tuned(frame(ann=wander(4, 4_000)), ZONES, truth("ann"), grid=grid, cross_validate="day")
    assert [fold.left_out.isoformat() for fold in days.folds] == ["2026-03-01", "2026-03-02", "2026-03-03"]
    assert sum(fold.trial.found + fold.trial.missed for fold in days.folds) == len(truth("ann"))
    with pytest.raises(InvalidArgumentError, match="cross_validate.* 1 "):
        tuned(frame(ann=wander(1)), ZONES, truth("ann"), grid=grid, cross_validate="device")
    with pytest.raises(InvalidArgumentError, match="cross_validate"):
        tuned(rows, ZONES, labels, cross_validate="week")


def test_a_visit_in_pieces_is_one_found_and_the_rest_false() -> None:
    way = [0.0, 0.0, 0.05, 0.0, 0.05, 0.0, 0.05]
    fixes = [Fix(0, longitude, 5, time=at(minute)) for minute, longitude in enumerate(way)]
    labels = [{"identifier": "home", "start": at(0), "end": at(6)}]
    (trial,) = tune(fixes, ZONES, labels, policies=["exact"])
    assert (trial.found, trial.missed, trial.false, trial.flaps) == (1, 0, 2, 4)


LABEL = {"device": "ann", "identifier": "home", "start": at(0), "end": at(5)}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"end": at(-1)}, "row 1:"),
        ({"start": at(3), "end": at(9)}, "row 1: overlaps row 0"),
        ({"start": at(-9), "end": None}, "row 1: overlaps row 0"),
        ({"start": None}, "row 1: start"),
        ({"start": pd.NaT}, "row 1: start"),
        ({"identifier": "nowhere"}, "row 1: … zone 'nowhere'; … 'home', 'work'"),
        ({"identifier": None}, "row 1: … zone None"),
        (
            {"device": "zoe"},
            "row 1: … device 'zoe', … fixes; … 'ann', 'bob'",
        ),
        ({"start": datetime(2026, 3, 1, 8)}, "row 1: start 2026-03-01 08:00:00 … time zone"),
        ({"start": "2026-03-01 08:00"}, "row 1: start 2026-03-01 08:00:00 … time zone"),
        ({"start": pd.Timestamp("2026-03-01 08:00")}, "time zone"),
        ({"start": "soon"}, "row 1: start"),
        ({"start": 1.5}, "row 1: start"),
        ({"start": []}, "row 1: start"),
    ],
)
def test_labels_that_cannot_be(change: dict[str, Any], reason: str) -> None:
    rows = frame(ann=wander(1, 20), bob=wander(2, 20))
    labels = [LABEL, LABEL | {"start": at(7), "end": at(12)} | change]
    with pytest.raises(ValueError, match="labels") as caught:
        tuned(rows, ZONES, labels, policies=["exact"])
    assert mentions(caught.value, reason)


@pytest.mark.parametrize(
    ("labels", "error", "reason"),
    [
        ([{"identifier": "home", "start": at(0), "end": at(5)}], ValueError, "column 'device'"),
        ([{"device": "ann", "identifier": "home", "start": at(0)}], ValueError, "column 'end'; … 'device'"),
        ([], ValueError, "labels: … column 'device'"),
        (
            {"device": ["ann"], "identifier": ["home"], "start": [at(0)], "end": []},
            ValueError,
            "columns … 0 and 1 rows",
        ),
        ("labels.csv", TypeError, "labels … DataFrame"),
        (5, TypeError, "labels … DataFrame"),
        ([LABEL, 5], TypeError, "labels: element 1 … dict … Visit, … int"),
    ],
)
def test_labels_without_their_columns(labels: Any, error: type[Exception], reason: str) -> None:
    with pytest.raises(error) as caught:
        tuned(frame(ann=wander(1, 20), bob=wander(2, 20)), ZONES, labels, policies=["exact"])
    assert mentions(caught.value, reason)


def test_an_invalid_time_zone_of_labels() -> None:
    with pytest.raises(ValueError, match="time_zone 'Mars/Olympus' .* time zone"):
        tuned(frame(ann=wander(1, 20)), ZONES, [LABEL], policies=["exact"], time_zone="Mars/Olympus")


def test_labels_of_any_kind_are_the_same() -> None:
    rows = frame(ann=wander(1), bob=wander(2))
    labels = truth("ann", "bob")
    expected = tuned(rows, ZONES, labels, policies=["exact"])[0]
    shuffled = labels.sample(frac=1, random_state=3)
    texts = labels.assign(
        start=labels.start.astype(str), end=labels.end.astype(str), device=labels.device.astype("category")
    )
    local = labels.assign(start=labels.start.dt.tz_convert("Asia/Tokyo").dt.tz_localize(None),
                          end=labels.end.dt.tz_convert("Asia/Tokyo").dt.tz_localize(None))  # fmt: skip
    for given in (shuffled, texts, labels.to_dict("list"), labels.to_dict("records")):
        assert tuned(rows, ZONES, given, policies=["exact"])[0] == expected
    assert tuned(rows, ZONES, local, policies=["exact"], time_zone="Asia/Tokyo")[0] == expected
    arrow = pytest.importorskip("pyarrow")
    assert tuned(rows, ZONES, arrow.Table.from_pandas(labels), policies=["exact"])[0] == expected
    own = replay(rows, ZONES, policy="exact", device="device").visits()
    perfect = tuned(rows, ZONES, own, policies=["exact"])[0]
    assert (perfect.f1, perfect.entry_delay, perfect.exit_delay, perfect.missed) == (1.0, 0.0, 0.0, 0)
    assert perfect == tuned(rows, ZONES, list(own), policies=["exact"])[0]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"policies": []}, "policies: "),
        ({"grid": {}}, "policies: "),
        ({"grid": {"dwell": []}}, "grid: dwell .*value"),
        ({"grid": {"colour": [1]}}, "colour"),
        ({"grid": {"dwell": [-1]}}, "entry_dwell"),
        ({"grid": {"dwell": range(6_000)}}, "exceed 10000"),
        ({"policies": ["exact"], "grid": {"dwell": [1]}}, "policies.*grid"),
        ({"policies": ["exact"], "grid": {}}, "policies.*grid"),
        ({"policies": ["exact"], "grid": {"dwell": [1], "plausible_speed": [5]}}, "policies.*grid"),
        ({"grid": {"order": ["add"]}}, "'order' is not one of .*plausible_speed"),
        ({"grid": {"dwell": [0], "entry_dwell": [1]}}, "dwell also sets entry_dwell"),
        ({"grid": {"probability": [0.9], "exit_probability": [0.1]}}, "probability also sets exit_probability"),
        ({"grid": {"probability": [0.5]}}, "grid: probability 0.5 must be 0, or above 0.5"),
        ({"grid": {"probability": [1]}}, "grid: probability 1 must be .*at most 0.99999"),
        ({"grid": {"probability": ["high"]}}, "grid: probability must be"),
        ({"grid": {"entry_probability": [0.9]}}, "grid: .*belong together"),
        ({"grid": {"probability": [0.9], "accuracy_factor": [1]}}, "accuracy_factor must contain 0"),
        ({"grid": {"probability": [0.9], "accuracy_factor": [-1]}}, "accuracy_factor -1 must"),
        ({"grid": {"plausible_speed": [0]}}, "plausible_speed is 0;"),
        ({"grid": {"plausible_speed": [60], "corroboration_count": [1]}}, "corroboration_count"),
        ({"grid": {"plausible_speed": [60], "corroboration_time": [-1]}}, "corroboration_time is -1"),
        ({"grid": {"probability": [0.9], "accuracy_confidence": [1]}}, "accuracy_confidence is 1"),
        ({"grid": {"accuracy_confidence": [0.5, 0.9]}}, "accuracy_confidence changes nothing.*probability"),
        ({"grid": {"corroboration_count": [3, 4]}}, "corroboration_count changes nothing.*plausible_speed"),
        ({"grid": {"plausible_speed": [60]}, "plausible_speed": 50}, "plausible_speed: .*not both"),
        ({"plausible_speed": float("nan")}, "plausible_speed is nan"),
        ({"corroboration_count": 1_001}, "corroboration_count"),
        ({"accuracy_confidence": 0}, "accuracy_confidence is 0"),
        ({"flap_seconds": -1}, "flap_seconds"),
        ({"flap_seconds": float("inf")}, "flap_seconds"),
        ({"time_zone": "Mars/Olympus"}, "time_zone"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidArgumentError, match=reason):
        tune([Fix(0, 0, time=0)], ZONES, [], **options)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"grid": [("dwell", [1])]}, "grid .*not list"),
        ({"grid": {"dwell_policy": "timer"}}, "dwell_policy must be a list"),
        ({"grid": {"plausible_speed": 60}}, "plausible_speed must be a list"),
        ({"grid": {"plausible_speed": ["60"]}}, "plausible_speed"),
        ({"grid": {"plausible_speed": [60], "corroboration_count": [2.5]}}, "corroboration_count"),
        ({"accuracy_confidence": "high"}, "accuracy_confidence"),
    ],
)
def test_options_of_the_wrong_type(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        tune([Fix(0, 0, time=0)], ZONES, [], **options)


def test_only_combinations_that_make_a_difference_are_tried() -> None:
    rows, labels = frame(ann=wander(1, 60)), truth("ann")
    speeds = {"plausible_speed": [None, 60], "corroboration_count": [2, 5]}
    found = tuned(rows, ZONES, labels, policies=["exact", "standard"], grid=speeds)
    assert [trial.name for trial in found] == [
        f"{policy} {options}"
        for policy in ("exact", "standard")
        for options in (
            "plausible_speed=None corroboration_count=2",
            "plausible_speed=60 corroboration_count=2",
            "plausible_speed=60 corroboration_count=5",
        )
    ]
    grid = {"probability": [0, 0.9], "accuracy_confidence": [0.68, 0.95], "accuracy_factor": [0, 1]}
    found = tuned(rows, ZONES, labels, grid=grid)
    assert [trial.name for trial in found] == [
        "probability=0 accuracy_factor=0 accuracy_confidence=0.68",
        "probability=0 accuracy_factor=1 accuracy_confidence=0.68",
        "probability=0.9 accuracy_factor=0 accuracy_confidence=0.68",
        "probability=0.9 accuracy_factor=0 accuracy_confidence=0.95",
    ]
    assert found[3].policy == TransitionPolicy(entry_probability=0.9, exit_probability=0.1, accuracy_factor=0)
    assert found[0].policy == TransitionPolicy(accuracy_factor=0)
    (alone,) = tuned(rows, ZONES, labels, grid={"entry_probability": [0.9], "exit_probability": [0.1]})
    assert alone.policy == found[3].policy and alone.found == found[2].found
    (standard, doubting) = tuned(rows, ZONES, labels, grid={"plausible_speed": [None, 10]})
    assert standard.policy == doubting.policy == TransitionPolicy.standard()


def spoiled(jumps: int | None, noise: float, seed: int = 7) -> tuple[list[Fix], list[Any]]:
    """Returns the fixes of a real drive with noise and, in each `jumps` fixes, a jump into a zone; and the visits of
    the drive as labels. The accuracy holds 95 % of the noise."""
    zones = ROOT / "examples" / "data" / "conditions.geojson"
    log = replay(ROOT / "examples" / "data" / "drive.gpx", zones, policy="exact")
    labels = [visit for visit in log.visits() if visit.duration >= timedelta(seconds=60)]
    assert labels
    circle = next(iter(Zones(zones).values())).condition
    numbers, fixes = random.Random(seed), []
    for number, (*position, _, time_us) in enumerate(log.replays[0].fixes):
        latitude, longitude = (circle.latitude, circle.longitude) if jumps and number % jumps == 5 else position
        north, east = numbers.gauss(0, noise), numbers.gauss(0, noise)
        fixes.append(Fix(latitude + north / 111_267, longitude + east / 88_000, max(noise * 2.448, 5), time=time_us))
    return fixes, labels


def test_a_plausible_speed_is_chosen_for_a_drive_with_jumps() -> None:
    zones = ROOT / "examples" / "data" / "conditions.geojson"
    fixes, labels = spoiled(20, 2)
    grid = {"plausible_speed": [None, 60], "corroboration_time": [0, 60]}
    found = tune(fixes, zones, labels, policies=["exact"], grid=grid)
    assert [trial.options["plausible_speed"] for trial in found] == [None, 60, 60]
    trusting, *doubting = found
    assert found.best.f1 > trusting.f1 and found.best.false < trusting.false
    assert found.best in doubting and found.options == found.best.options
    for trial in found:  # the options of a trial give the same visits in a replay of their own
        own = compare(fixes, zones, policies={"p": trial.policy}, labels=labels, **trial.options)["p"]
        assert (own.visits, own.flaps) == (trial.found + trial.false, trial.flaps)
    fixed = tune(fixes, zones, labels, policies=["exact"], plausible_speed=60, corroboration_time=0)
    assert fixed[0] == replace(doubting[0], name="exact", options=fixed.options)


def test_a_probability_is_chosen_for_a_drive_with_noise() -> None:
    zones = ROOT / "examples" / "data" / "conditions.geojson"
    fixes, labels = spoiled(None, 30)
    grid = {
        "dwell": [0],
        "margin": [0],
        "probability": [0, 0.7, 0.9, 0.99, 0.999],
        "accuracy_confidence": [0.3, 0.95],
    }
    found = tune(fixes, zones, labels, grid=grid)
    assert len(found) == 9
    assert found.best.policy.entry_probability > 0 and found.best.f1 > found[0].f1
    assert len({(trial.found, trial.false, trial.flaps) for trial in found}) > 4, "the options make a difference"
    for trial in found:
        own = compare(fixes, zones, policies={"p": trial.policy}, labels=labels, **trial.options)["p"]
        assert (own.visits, own.flaps) == (trial.found + trial.false, trial.flaps)


def test_options_are_cross_validated() -> None:
    rows, labels = frame(ann=wander(1), bob=wander(2), eve=wander(3)), truth("ann", "bob", "eve")
    grid = {"probability": [0, 0.6, 0.95], "dwell": [0, 120], "accuracy_confidence": [0.2, 0.95]}
    found = tuned(rows, ZONES, labels, grid=grid, cross_validate="device")
    for fold in found.folds:
        others = tuned(rows[rows.device != fold.left_out], ZONES, labels[labels.device != fold.left_out], grid=grid)
        assert (fold.trial.name, fold.trial.options) == (others.best.name, others.options)
        own = tuned(rows[rows.device == fold.left_out], ZONES, labels[labels.device == fold.left_out], grid=grid)
        assert fold.trial in list(own)


def test_tracks_that_can_be_read_only_once_are_tried_with_all_options() -> None:
    arrow = pytest.importorskip("pyarrow")
    rows, labels = frame(ann=wander(1), bob=wander(2)), truth("ann", "bob")
    table = arrow.Table.from_pandas(rows)
    grid = {"plausible_speed": [None, 1], "probability": [0, 0.9], "accuracy_confidence": [0.3, 0.95]}
    expected = tuned(rows, ZONES, labels, grid=grid)
    assert len({(trial.found, trial.false, trial.flaps) for trial in expected}) > 2
    assert list(tuned(table.to_reader(), ZONES, labels, grid=grid)) == list(expected)
    fixes = [Fix(0, longitude, accuracy, time=at(minute)) for minute, longitude, accuracy in wander(1)]
    own = [{key: value for key, value in row.items() if key != "device"} for row in truth("ann").to_dict("records")]
    assert list(tune(iter(fixes), ZONES, own, grid=grid)) == list(tune(fixes, ZONES, own, grid=grid))


def test_no_labels_make_every_visit_false() -> None:
    (trial,) = tune([Fix(0, 0, time=at(0)), Fix(0, 1, time=at(1))], ZONES, [], policies=["exact"])
    assert (trial.found, trial.false, trial.precision, trial.f1) == (0, 1, 0.0, 0.0)


def test_the_plot_has_a_point_for_each_policy() -> None:
    pytest.importorskip("bokeh")
    found = tuned(frame(ann=wander(1)), ZONES, truth("ann"))
    (renderer,) = found.plot().renderers
    assert len(renderer.data_source.data["recall"]) == len(found) == 24
    assert sorted(renderer.data_source.data["size"])[-2:] == [7, 14]


def test_a_real_drive_with_noise() -> None:
    """The labels are the visits of at least a minute in the recording without noise. Noise splits a visit into several
    visits, and a dwell joins them."""
    (path,) = sorted((ROOT / "examples" / "data").glob("drive.gpx"))
    log = replay(path, ROOT / "examples" / "data" / "conditions.geojson", policy="exact")
    labels = [visit for visit in log.visits() if visit.duration >= timedelta(seconds=60)]
    assert labels
    numbers = random.Random(7)
    noisy = [
        Fix(lat + numbers.gauss(0, 3e-4), lon + numbers.gauss(0, 3e-4), 30, time=time_us)
        for lat, lon, _, time_us in log.replays[0].fixes
    ]
    found = tune(noisy, ROOT / "examples" / "data" / "conditions.geojson", labels)
    plain = next(trial for trial in found if trial.name == "dwell=0 margin=0 accuracy_factor=0")
    assert found.best.f1 > plain.f1 and found.best.flaps < plain.flaps
    assert SECOND == 1_000_000
