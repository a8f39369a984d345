"""Finds the policy that best reproduces the visits that really took place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from .._dataclass import dataclass
from .._errors import InputError, require
from .._files.sources import ConditionsSource, TrackSource, track_column
from .._files.vector import Reading
from .._log.hours import has_hours, with_hours
from .._log.visits import Known, VisitRow, visit_columns
from .._native import InvalidArgumentError
from .._tables.numbers import real, shown
from .._tables.rows import Rows
from .._tables.table import Plain
from .._tables.text_times import TimeStyle
from .._values.arguments import device_column, plausibility_row, share
from .._values.policy import TransitionPolicy
from .filling import conditions_of, conditions_reading, given_conditions
from .given import GivenTracks
from .joint import Policies, copies, flap_limit, flaps, mean_seconds, named_policies, separated
from .labels import LabelSource, Place, Span, matched, read_labels

Grid: TypeAlias = Mapping[str, Iterable[Any]]
"""The values to try, by the name of a field of :class:`TransitionPolicy`, or of an option of :func:`tune`."""
GRID: Grid = {"dwell": (0.0, 20.0, 60.0, 180.0), "margin": (0.0, 20.0, 50.0), "accuracy_factor": (0.0, 1.0)}
MOST = 10_000
"""The limit for the number of policies multiplied by the number of zones."""
OPTIONS: Mapping[str, Any] = {
    "plausible_speed": None,
    "corroboration_count": 3,
    "corroboration_time": 60.0,
    "accuracy_confidence": 0.68,
}
"""The options of a monitor that a grid may vary, with their defaults."""
_BOTH: Mapping[str, tuple[str, str]] = {
    name: (f"entry_{name}", f"exit_{name}") for name in ("dwell", "margin", "probability")
}
"""The names in a grid that set two fields of a policy."""
_DAY = 86_400_000_000
_NUMBERS = ("precision", "recall", "f1", "entry_delay", "exit_delay", "flaps", "found", "missed", "false")


@dataclass(frozen=True, slots=True)
class Trial(Plain):
    """The score of a policy, measured with the labels.

    A visit and a label for the same device and zone match if they overlap. Each visit and each label belongs to at most
    one match, so if two visits overlap only one label, one of the visits counts as false.

    Attributes:
        name: The policy's name.
        policy: The policy.
        options: The options of the monitor: ``plausible_speed``, ``corroboration_count``, ``corroboration_time`` and
            ``accuracy_confidence``.
        precision: The share of matched visits among all visits. None if the policy gave no visits.
        recall: The share of matched labels among all labels.
        f1: The harmonic mean of precision and recall, or 0 if no label was matched.
        entry_delay: Mean time in seconds from the start of a matched label to the confirmation of the entry. Only
            entries that were observed count. None if no entry was observed.
        exit_delay: Mean time in seconds from the end of a matched label to the confirmation of the exit. An exit counts
            only if it was observed and its label has an end. None if no exit counts.
        flaps: The number of crossings that were followed by the opposite crossing within `flap_seconds`.
        found: The number of labels that were matched.
        missed: The number of labels that were not matched.
        false: The number of visits that match no label.

    Example:
        >>> from fencepost import Circle, Fix, tune
        >>> labels = [{"identifier": "home", "start": "1970-01-01T00:00Z", "end": None}]
        >>> tune([Fix(0, 0, time=0)], {"home": Circle(0, 0, 100)}, labels, policies=["exact"])[0].recall
        1.0
    """

    name: str
    policy: TransitionPolicy
    options: Mapping[str, Any]
    precision: float | None
    recall: float
    f1: float
    entry_delay: float | None
    exit_delay: float | None
    flaps: int
    found: int
    missed: int
    false: int


@dataclass(frozen=True, slots=True)
class Fold(Plain):
    """One part of the labels; the policy that is best for the other parts is scored on this part.

    Attributes:
        left_out: The device or the day (UTC) that was left out when the policy was chosen.
        trial: The score of the policy that was chosen without this part, measured only on this part.

    Example:
        >>> from fencepost import Circle, Fix, tune
        >>> fixes = [Fix(0, 0, time=0), Fix(0, 0, time=86_400_000_000), Fix(0, 1, time=86_500_000_000)]
        >>> labels = [{"identifier": "home", "start": "1970-01-01T00:00Z", "end": "1970-01-02T00:00Z"}]
        >>> found = tune(fixes, {"home": Circle(0, 0, 100)}, labels, policies=["exact"], cross_validate=None)
        >>> found.folds
        []
    """

    left_out: Any
    trial: Trial


class Tuning(Rows[Trial]):
    """One :class:`Trial` per policy and combination of options, in the order of the policies.

    Attributes:
        best: The trial with the largest F1. If several trials have the largest F1, the smallest delay decides, then the
            fewest flaps.
        folds: One :class:`Fold` for each device or day that was left out. `folds` is empty without cross-validation.

    Example:
        >>> from fencepost import Circle, Fix, tune
        >>> labels = [{"identifier": "home", "start": "1970-01-01T00:00Z", "end": None}]
        >>> found = tune([Fix(0, 0, time=0)], {"home": Circle(0, 0, 100)}, labels, policies=["exact", "standard"])
        >>> found.best.name, found.columns()["f1"]
        ('exact', [1.0, 1.0])
    """

    def __init__(self, trials: Iterable[Trial], folds: Iterable[Fold]) -> None:
        super().__init__(trials)
        self.best = _best(self)
        self.folds = list(folds)

    @property
    def policy(self) -> TransitionPolicy:
        """The policy of :attr:`best`."""
        return self.best.policy

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of :attr:`best`, for :class:`Monitor`, :class:`Fleet`, :func:`replay` or :func:`compare`."""
        return self.best.options

    @property
    def validated_f1(self) -> float | None:
        """The F1 over all labels, where each label is judged by the policy that was chosen without the label's device
        or day. `validated_f1` estimates the score on new data. None if there was no cross-validation."""
        if not self.folds:
            return None
        found, missed, false = (sum(getattr(fold.trial, name) for fold in self.folds) for name in _NUMBERS[-3:])
        return _f1(found, missed, false)

    def columns(self) -> dict[str, list[Any]]:
        """The table as a dict of columns: the policy, then the numbers in :class:`Trial`, with delays in seconds."""
        return {"policy": [trial.name for trial in self]} | {
            name: [getattr(trial, name) for trial in self] for name in _NUMBERS
        }

    def plot(self) -> Any:
        """A Bokeh figure that shows the recall and the precision of each policy. If the pointer is on a policy's mark,
        the policy's name and numbers appear; the mark of the best policy is larger. ``bokeh.plotting.show`` displays
        the figure.

        Raises:
            MissingExtraError: Bokeh is not installed.
        """
        plotting = require("bokeh.plotting", "report")
        columns = self.columns()
        columns["precision"] = [0.0 if value is None else value for value in columns["precision"]]
        columns["size"] = [14 if trial is self.best else 7 for trial in self]
        tips = [(name, f"@{name}") for name in ("policy", *_NUMBERS)]
        figure = plotting.figure(
            x_axis_label="recall", y_axis_label="precision", x_range=(-0.05, 1.05), y_range=(-0.05, 1.05), tooltips=tips
        )
        figure.scatter("recall", "precision", size="size", alpha=0.6, source=columns)
        return figure

    def _summary(self) -> str:
        text = f"{len(self)} policies; {self.best.name} is best: F1 {self.best.f1:.3f}"
        return text if self.validated_f1 is None else f"{text}, {self.validated_f1:.3f} in cross-validation"


def tune(
    tracks: TrackSource,
    zones: ConditionsSource,
    labels: LabelSource,
    *,
    policies: Policies | None = None,
    grid: Grid | None = None,
    cross_validate: str | None = None,
    flap_seconds: float | timedelta = 60,
    device: str | None = None,
    columns: Mapping[str, str] | None = None,
    radius: float | None = None,
    max_vertices: int | None = None,
    plausible_speed: float | None = None,
    corroboration_count: int = 3,
    corroboration_time: float | timedelta = 60.0,
    accuracy_confidence: float = 0.68,
    time_zone: str | tzinfo | None = None,
) -> Tuning:
    """Tries policies on tracks, and finds the policy that best reproduces the visits that really took place.

    All policies are tried in one pass over the rows. If a grid varies options of the monitor, each combination of
    options has its own pass. Each policy applies to all zones and replaces the policies of the zones.

    Args:
        tracks: The tracks, as for :func:`replay`.
        zones: The zones, like the conditions of :func:`replay`.
        labels: The visits that took place, as :class:`Visits`, a DataFrame, an Arrow table, a dict of columns or a list
            of dicts. The labels need the columns ``identifier``, ``start``, ``end`` and, if there are several devices,
            the column that names the device. A label without an end lasts to the end of its track. Labels for one
            device and zone must not overlap.
        policies: Policies by name, or names of presets. None means the policies of `grid`.
        grid: Values of fields of :class:`TransitionPolicy`; every combination is tried. ``dwell`` and ``margin`` set
            both directions. ``probability`` sets `entry_probability` to its value and `exit_probability` to 1 minus its
            value; 0 means no probability. A policy with probabilities has an `accuracy_factor` of 0; combinations of a
            probability with a larger `accuracy_factor` are left out. A grid may also vary the options
            `plausible_speed`, `corroboration_count`, `corroboration_time` and `accuracy_confidence`; with `policies`,
            it may vary only these. If both `grid` and `policies` are None, dwells of 0 to 180 s and margins of 0 to
            50 m are tried, each combination with and without the accuracy.
        cross_validate: With ``"device"`` or ``"day"`` (UTC), each device or day is judged by the policy that is best
            for the other devices or days. None means no cross-validation.
        flap_seconds: A crossing that the opposite crossing undoes within this time is a flap.
        device: The column that identifies the device.
        columns: The names of the tracks' columns, as for :func:`replay`.
        radius: The radius, in metres, for points that do not state one.
        max_vertices: The largest number of vertices that each shape may have, as for :func:`replay`.
        plausible_speed: The greatest plausible speed, as for :class:`Monitor`; a doubted fix changes no visit.
        corroboration_count: The number of doubted fixes that are trusted together, as for :class:`Monitor`.
        corroboration_time: The least time that these fixes span, as for :class:`Monitor`.
        accuracy_confidence: The share of the true positions within the accuracy of a fix, as for :class:`Monitor`. Only
            policies with probabilities depend on it.
        time_zone: Time zone for labels whose times do not state one. If `time_zone` is None, labels whose times do not
            state a time zone are refused.

    Raises:
        InputError: A label, a file or a table cannot be used. If the error is about a label, the message names the row
            of the label.
        InvalidArgumentError: An argument is out of its range.
        TypeError: An argument has an unsupported type.

    Example:
        >>> from fencepost import Circle, Fix, TransitionPolicy, tune
        >>> way = [0, 0, 0.002, 0, 0, 0, 0.002, 0.002]  # once it jumps out, at the end it leaves
        >>> fixes = [Fix(0, longitude, time=at * 60_000_000) for at, longitude in enumerate(way)]
        >>> labels = [{"identifier": "home", "start": "1970-01-01T00:00Z", "end": "1970-01-01T00:06Z"}]
        >>> found = tune(fixes, {"home": Circle(0, 0, 100)}, labels, grid={"dwell": [0, 90], "margin": [0]})
        >>> [(trial.name, trial.found, trial.false) for trial in found]
        [('dwell=0 margin=0', 1, 1), ('dwell=90 margin=0', 1, 0)]
        >>> found.policy.exit_dwell
        90
    """
    options = {
        "plausible_speed": plausible_speed,
        "corroboration_count": corroboration_count,
        "corroboration_time": corroboration_time,
        "accuracy_confidence": accuracy_confidence,
    }
    chosen = _candidates(policies, grid, options)
    limit = flap_limit(flap_seconds)
    if cross_validate not in (None, "device", "day"):
        raise InvalidArgumentError(f"cross_validate is {cross_validate!r}; must be 'device', 'day' or None")
    device = device_column(device, None)
    column = track_column(tracks, device)
    how = conditions_reading(None, False, max_vertices)
    name, rows = given_conditions(zones, None, column, how=how, radius=radius, name="zones")
    rows = [row for row in rows if row.policy is not None]  # leaves out gates, which have no visits
    if not rows:
        raise InputError(name, "", "has no zone that a policy applies to: gates and beacons have no policy")
    if len(rows) * len(chosen) > MOST:
        raise InvalidArgumentError(
            f"{len(chosen)} policies and options for {len(rows)} zones exceed {MOST} trials: "
            "use a smaller grid or fewer zones"
        )
    given = GivenTracks(tracks, columns or {}, device, None, Reading(times=TimeStyle(has_options=False)), name="tracks")
    assumed = {row.identifier: row.assuming for row in rows}
    parts = [_Parts(cross_validate) for _ in chosen]
    truth: Mapping[Place, Sequence[Span]] | None = None
    has_schedules = any(map(has_hours, rows))
    for passed in _passes(chosen):
        # The table contains each zone once for every policy, so a single pass over the rows replays all policies.
        together = [chosen[number] for number in passed]
        table = conditions_of(copies(rows, [one.policy for one in together]), name, together[0].options)
        logs = separated(given.replay(table, (), None), rows, len(together))
        if truth is None:
            ends = {replay.key: replay.end_us or 0 for replay in logs[0]}
            truth = read_labels(labels, {row.identifier for row in rows}, ends, column, time_zone)
        for number, replays in zip(passed, logs):
            part = parts[number]
            own: defaultdict[Place, list[VisitRow]] = defaultdict(list)
            for replay in replays:
                changes: tuple[Iterable[Any], Mapping[str, Any]] = replay.events, assumed
                if has_schedules:
                    changes = with_hours(replay.events, rows, replay.begin_us, replay.end_us)
                for visit in visit_columns(changes[0], replay.begin_us, replay.end_us, changes[1]).rows():
                    own[replay.key, visit.identifier].append(visit)
                for identifier, time_us in flaps(replay.events, round(limit * 1e6)):
                    part.of((replay.key, identifier), time_us).flaps += 1
            for place in truth.keys() | own.keys():
                part.add(place, truth.get(place, []), own.get(place, []))
    trials = [part.trial(candidate, part.counts) for part, candidate in zip(parts, chosen)]
    return Tuning(trials, _folds(parts, chosen) if cross_validate else ())


class _Candidate(NamedTuple):
    """A policy and the options with which it is tried."""

    name: str
    policy: TransitionPolicy
    options: Mapping[str, Any]

    @property
    def effect(self) -> tuple[Any, ...]:
        """A key of the options, without the options that have no effect.

        Raises:
            InvalidArgumentError: An option is out of its range.
            TypeError: An option has the wrong type.
        """
        options = self.options
        speed, *corroboration = plausibility_row(
            options["plausible_speed"], options["corroboration_count"], options["corroboration_time"]
        )
        confidence = share(options["accuracy_confidence"])
        return speed, corroboration if speed else (), confidence if self.policy.entry_probability else 0


def _passes(chosen: Sequence[_Candidate]) -> list[list[int]]:
    """Groups the numbers of the candidates whose options are equal: one pass over the rows tries all of them."""
    found: list[list[int]] = []
    for number, candidate in enumerate(chosen):
        for passed in found:
            if chosen[passed[0]].options == candidate.options:
                passed.append(number)
                break
        else:
            found.append([number])
    return found


def _candidates(policies: Any, grid: Grid | None, options: Mapping[str, Any]) -> list[_Candidate]:
    """The policies to try, each with each combination of options that makes a difference."""
    if grid is None:
        values = _values(GRID) if policies is None else {}
    else:
        values = _values(grid)
    varied = {name: each for name, each in values.items() if name in OPTIONS}
    fields = {name: each for name, each in values.items() if name not in OPTIONS}
    for name in varied:
        if options[name] != OPTIONS[name]:
            raise InvalidArgumentError(f"{name}: pass it as an argument or in the grid, but not both")
    if policies is not None and (fields or (grid is not None and not varied)):
        names = ", ".join(OPTIONS)
        raise InvalidArgumentError(f"policies and grid: with policies, a grid may vary only {names}")
    chosen = named_policies(policies) if policies is not None else _policies(fields, bool(varied))
    found = []
    for name, policy in chosen.items():
        effects: list[Any] = []
        for combination in product(*varied.values()):
            own = dict(zip(varied, combination))
            candidate = _Candidate(_named(name, own), policy, {**options, **own})
            if candidate.effect not in effects:
                effects.append(candidate.effect)
                found.append(candidate)
    _refuse_useless(varied, found)
    return found


def _values(grid: Any) -> dict[str, list[Any]]:
    """Checks the names and values of a grid."""
    if not isinstance(grid, Mapping):
        raise TypeError(f"grid must be a mapping of names to lists of values, not {type(grid).__name__}")
    known = [*_BOTH, *TransitionPolicy.__slots__, *OPTIONS]
    found = {}
    for name, each in grid.items():
        if name not in known:
            raise InvalidArgumentError(f"grid: {shown(name)} is not one of {', '.join(known)}")
        if isinstance(each, str | bytes) or not isinstance(each, Iterable):
            raise TypeError(f"grid: {name} must be a list of values, not {shown(each)}")
        found[name] = list(each)
        if not found[name]:
            raise InvalidArgumentError(f"grid: {name} must have at least one value")
        for field in _BOTH.get(name, ()):
            if field in grid:
                raise InvalidArgumentError(f"grid: {name} also sets {field}: remove one of them")
    return found


def _policies(fields: Mapping[str, Sequence[Any]], may_be_standard: bool) -> dict[str, TransitionPolicy]:
    """The policies of a grid, by name. Leaves out probabilities with an accuracy factor above 0.

    Args:
        fields: The values by name.
        may_be_standard: True if the standard policy is tried when there are no values.
    """
    if not fields:
        return {"standard": TransitionPolicy.standard()} if may_be_standard else named_policies({})
    found: dict[str, TransitionPolicy] = {}
    for combination in product(*fields.values()):
        given = dict(zip(fields, combination))
        try:
            policy = _policy(given)
        except (TypeError, InvalidArgumentError) as error:
            raise InvalidArgumentError(f"grid: {error}") from None
        if policy is not None:
            found[_named("", given)] = policy
    if not found:
        raise InvalidArgumentError("grid: accuracy_factor must contain 0, because every policy has a probability")
    return found


def _policy(given: Mapping[str, Any]) -> TransitionPolicy | None:
    """The policy of one combination. None if it has a probability and an accuracy factor above 0."""
    own: dict[str, Any] = {}
    for name, value in given.items():
        if name == "probability":
            probability = real(value, name)
            if probability != 0 and not 0.5 < probability <= 0.99999:
                raise InvalidArgumentError(f"probability {shown(value)} must be 0, or above 0.5 and at most 0.99999")
            leave = round(1 - probability, 9) if probability else 0.0
            own |= {"entry_probability": probability, "exit_probability": leave}
        else:
            own |= dict.fromkeys(_BOTH.get(name, (name,)), value)
    if not (own.get("entry_probability") or own.get("exit_probability")):
        return TransitionPolicy(**own)
    factor = real(own.get("accuracy_factor", 0), "accuracy_factor")
    policy = TransitionPolicy(**own | {"accuracy_factor": min(0, factor)})
    return None if factor > 0 else policy


def _refuse_useless(varied: Mapping[str, Sequence[Any]], found: Sequence[_Candidate]) -> None:
    """Raises InvalidArgumentError if a grid varies an option on which no candidate depends."""
    if "accuracy_confidence" in varied and not any(one.policy.entry_probability for one in found):
        reason = "accuracy_confidence changes nothing, because no policy has an entry_probability"
        raise InvalidArgumentError(f"grid: {reason}: add probability to the grid, or leave accuracy_confidence out")
    corroborated = [name for name in varied if name.startswith("corroboration")]
    if corroborated and all(one.options["plausible_speed"] is None for one in found):
        reason = f"{corroborated[0]} changes nothing, because plausible_speed is None"
        raise InvalidArgumentError(f"grid: {reason}: pass plausible_speed, or leave {corroborated[0]} out")


def _named(name: str, given: Mapping[str, Any]) -> str:
    """A name followed by values, such as ``exact plausible_speed=60``."""
    return " ".join([*([name] if name else []), *(f"{key}={_short(value)}" for key, value in given.items())])


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


class _Counts:
    """The counts of matched and unmatched labels and visits in one part of the labels, and the delays of the matched
    visits."""

    def __init__(self) -> None:
        self.found = self.missed = self.false = self.flaps = 0
        self.entries: list[int] = []
        self.exits: list[int] = []

    def __add__(self, other: _Counts) -> _Counts:
        total = _Counts()
        for name in ("found", "missed", "false", "flaps", "entries", "exits"):
            setattr(total, name, getattr(self, name) + getattr(other, name))
        return total


class _Parts:
    """The results of a policy by device or day.

    Args:
        by: ``"device"`` or ``"day"``. If `by` is None, all labels form one part.
    """

    def __init__(self, by: str | None) -> None:
        self._by = by
        self.parts: defaultdict[Any, _Counts] = defaultdict(_Counts)

    def of(self, place: Place, time_us: int) -> _Counts:
        """Returns the counts of the device or day to which a visit or label at a given time belongs."""
        if self._by == "day":
            return self.parts[time_us // _DAY]
        return self.parts[place[0] if self._by == "device" else None]

    @property
    def counts(self) -> _Counts:
        """The counts of all parts together."""
        return sum(self.parts.values(), _Counts())

    def add(self, place: Place, theirs: Sequence[Span], ours: Sequence[VisitRow]) -> None:
        """Compares the visits to a place with the labels for that place."""
        spans = [(visit.start_us, visit.last_us, visit.left_us is None) for visit in ours]
        pairs = matched(theirs, spans)
        for label, mine in pairs:
            part = self.of(place, theirs[label][0])
            part.found += 1
            visit, (start, end, is_open) = ours[mine], theirs[label]
            if visit.start_known == Known.CROSSING:
                part.entries.append(visit.confirmed_start_us - start)
            if visit.confirmed_end_us is not None and not is_open and visit.end_known == Known.CROSSING:
                part.exits.append(visit.confirmed_end_us - end)
        labels, mines = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
        for label, (start, _, _) in enumerate(theirs):
            self.of(place, start).missed += label not in labels
        for mine, (start, _, _) in enumerate(spans):
            self.of(place, start).false += mine not in mines

    @staticmethod
    def trial(candidate: _Candidate, counts: _Counts) -> Trial:
        """Returns the score that results from the counts."""
        found, missed, false = counts.found, counts.missed, counts.false
        return Trial(
            name=candidate.name,
            policy=candidate.policy,
            options=candidate.options,
            precision=found / (found + false) if found + false else None,
            recall=found / (found + missed) if found + missed else 1.0,
            f1=_f1(found, missed, false),
            entry_delay=mean_seconds(counts.entries),
            exit_delay=mean_seconds(counts.exits),
            flaps=counts.flaps,
            found=found,
            missed=missed,
            false=false,
        )


def _folds(parts: Sequence[_Parts], chosen: Sequence[_Candidate]) -> list[Fold]:
    """Leaves out one part of the labels at a time, and returns the scores on the parts that were left out."""
    names = sorted({name for each in parts for name in each.parts}, key=lambda name: (str(type(name)), name))
    if len(names) < 2:
        raise InvalidArgumentError(f"cross_validate has {len(names)} part; must have at least 2")
    folds = []
    for left in names:
        others = [
            each.trial(candidate, sum((own for key, own in each.parts.items() if key != left), _Counts()))
            for each, candidate in zip(parts, chosen)
        ]
        best = others.index(_best(others))
        key = datetime.fromtimestamp(left * 86_400, UTC).date() if parts[0]._by == "day" else left
        folds.append(Fold(key, parts[best].trial(chosen[best], parts[best].parts.get(left, _Counts()))))
    return folds


def _best(trials: Iterable[Trial]) -> Trial:
    """The trial with the largest F1. Among trials with equal F1, the smallest delay decides, then the fewest flaps,
    then the order of the trials."""

    def key(trial: Trial) -> tuple[float, float, int]:
        delays = [abs(delay) for delay in (trial.entry_delay, trial.exit_delay) if delay is not None]
        return -trial.f1, sum(delays) / len(delays) if delays else 0.0, trial.flaps

    return min(trials, key=key)


def _f1(found: int, missed: int, false: int) -> float:
    return 2 * found / (2 * found + missed + false) if found + missed + false else 1.0
