"""The reference model of rules: conditions whose state follows from the states of other conditions, their parts.

The module is written only from ``design/beyond.md``, section 5 and "One instant". It shares no code with the engine.
"""

from __future__ import annotations

from reference_values import Candidate, Fix, Refused, checked_identifier, checked_policy

MOST_PARTS = 1000
GREATEST_DEPTH = 8
REASONS = ("type", "no_parts", "too_many_parts", "count", "identifier", "duplicate", "gate", "cycle", "depth")
RULE, RULE_REPEAT = 3, 4  # the phases of an instant after the repeats of other conditions
LOOK, DUE = range(2)  # the steps of the phase RULE at each depth
LAST = GREATEST_DEPTH + 1  # repeats of rules come after all changes of rules


class RuleDefect(Exception):
    """Why a rule is refused, and where: `part` is the index of a part in the list, `identifiers` a cycle or a chain of
    conditions."""

    def __init__(self, reason, *, part=None, identifiers=None):
        assert reason in REASONS
        super().__init__(reason, part, identifiers)
        self.reason, self.part, self.identifiers = reason, part, identifiers


def refuse(reason, **place):
    raise Refused("invalid_argument", reason) from RuleDefect(reason, **place)


class Rule:
    """At least `count` of the parts are satisfied, or with `is_negated` fewer. `kind` is the written form: ``all``,
    ``any``, ``none`` or ``at_least``."""

    def __init__(self, kind, parts, count=None):
        if not parts:
            refuse("no_parts")
        if len(parts) > MOST_PARTS:
            refuse("too_many_parts")
        for index, part in enumerate(parts):
            try:
                checked_identifier(part)
            except Refused:
                refuse("identifier", part=index)
            if part in parts[:index]:
                refuse("duplicate", part=index)
        if kind == "at_least":
            if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= len(parts):
                refuse("count")
        else:
            count = len(parts) if kind == "all" else 1
        self.kind, self.parts, self.count = kind, tuple(parts), count
        self.is_negated = kind == "none"

    def __eq__(self, other):
        """Rules with the same meaning are equal: the order of the parts does not matter."""
        return isinstance(other, Rule) and (
            (self.count, self.is_negated, frozenset(self.parts))
            == (other.count, other.is_negated, frozenset(other.parts))
        )

    __hash__ = None

    def as_json(self):
        if self.kind == "at_least":
            return {"at_least": self.count, "of": list(self.parts)}
        return {self.kind: list(self.parts)}

    def state(self, states):
        """Returns the state that follows from the states of the parts, by Kleene's logic."""
        satisfied, unknown = states.count("satisfied"), states.count("unknown")
        if satisfied >= self.count:
            found = "satisfied"
        elif satisfied + unknown < self.count:
            found = "unsatisfied"
        else:
            return "unknown"
        if self.is_negated:
            return "unsatisfied" if found == "satisfied" else "satisfied"
        return found


def rule_from(spec):
    """Reads {"all": [...]}, {"any": [...]}, {"none": [...]} or {"at_least": k, "of": [...]}."""
    if set(spec) == {"at_least", "of"}:
        return Rule("at_least", spec["of"], spec["at_least"])
    if len(spec) != 1 or not set(spec) <= {"all", "any", "none"}:
        refuse("type")
    ((kind, parts),) = spec.items()
    return Rule(kind, parts)


def counted(c):
    """Returns the state of a part as rules count it; `c` is None if the table has no such condition."""
    if c is None:
        return "unknown"
    if "inactive" in c.flags:
        return "unsatisfied"
    return "unknown" if c.observed is None else c.observed.state


def check_policy(kind, policy):
    """Returns the fields of a policy; a rule has only dwells by timer."""
    fields = checked_policy(policy)
    if kind == "rule" and fields["dwell_policy"] != "timer":
        raise Refused("invalid_argument", "a rule has no dwell by evidence")
    return fields


def check_table(definitions, first=None):
    """Refuses a table whose rules have a cycle, are too deep, or name a gate. A cycle begins with the condition
    `first`, or with the first that is in a cycle."""
    rules = {name: d["rule"] for name, d in definitions.items() if d["kind"] == "rule"}
    for rule in rules.values():
        for index, part in enumerate(rule.parts):
            if part in definitions and definitions[part]["kind"] == "line":
                refuse("gate", part=index)
    for name in sorted(rules, key=lambda name: name != first):
        cycle = _way_back(rules, name)
        if cycle is not None:
            refuse("cycle", identifiers=cycle)
    for name in rules:
        if depth(rules, name) > GREATEST_DEPTH:
            refuse("depth")


def _way_back(rules, start):
    """Returns the identifiers of a cycle through a rule, which is the first and the last of them, or None."""
    tried = set()

    def search(way):
        for part in rules[way[-1]].parts:
            if part == start:
                return [*way, part]
            if part in rules and part not in tried:
                tried.add(part)
                found = search([*way, part])
                if found is not None:
                    return found
        return None

    return search([start])


def depth(rules, name, known=None):
    """Returns 1 for a rule without rules as its parts; otherwise 1 more than for the deepest of these."""
    known = {} if known is None else known
    if name not in known:
        known[name] = 1 + max((depth(rules, part, known) for part in rules[name].parts if part in rules), default=0)
    return known[name]


class Deciding(Candidate):
    """A change of a rule that waits for its dwell: the part that decided, and the evidence of this part."""

    def __init__(self, side, since, deadline, evidence):
        super().__init__(side, Fix(since, None, None, None), None, deadline)
        self.evidence = evidence


class RuleKeeper:
    """The part of a monitor that looks at its rules. Each rule has the attributes `seen`, the states of its parts when
    it was last looked at, and `is_pending`, if it has to be looked at although no part changes."""

    def _init_rules(self):
        self._instant = None  # the time of the instant that is being applied
        self._serves_pending = False  # whether the present instant looks at the rules that are pending
        self._notes = 0
        self._is_syncing = False

    @property
    def _looks_back(self):
        return self.initial_fix_max_age >= 0

    def _rules(self):
        return [c for c in self._conditions.values() if c.is_rule]

    def _depths(self):
        rules = {c.identifier: c.definition["rule"] for c in self._rules()}
        known: dict[str, int] = {}
        return {name: depth(rules, name, known) for name in rules}

    def _states(self, r):
        return {part: counted(self._conditions.get(part)) for part in r.definition["rule"].parts}

    def _check_rules(self, identifier, definition):
        if not self._is_syncing:
            check_table(
                {name: c.definition for name, c in self._conditions.items()} | {identifier: definition}, identifier
            )

    # Changes of the table --------------------------------------------------------------------------------------------

    def _settle(self, is_commit=False):
        """After a change of the table, or a commit that exhausts a part: looks at the rules that it concerns.

        A monitor that never looks back, as each device of a fleet, only makes rules undetermined; it looks at what else
        the change means at the end of the next instant with an input, or at which a part changes."""
        if self._is_syncing or not self._rules():
            return
        self._note()
        if self.clock is not None and (self._looks_back or is_commit):
            self._instant = self.clock
            self._serves_pending = self._looks_back
            self._fire(self.clock, RULE_REPEAT, RULE)
            self._instant, self._serves_pending = None, False
            return
        depths = self._depths()
        for r in sorted(self._rules(), key=lambda r: (depths[r.identifier], r.generation)):
            now = self._states(r)
            if now != r.seen:
                r.seen, r.is_pending = now, True
                if r.definition["rule"].state(list(now.values())) == "unknown":
                    self._forget_state_of(r)
            self._note()

    def _renew_rules(self):
        """After a rewind, all rules are undetermined until the next instant."""
        for r in self._rules():
            r.seen, r.is_pending = self._states(r), True

    @staticmethod
    def _forget_state_of(r):
        r.observed = r.candidate = None
        r.occasions.forget_state()

    # The end of an instant -------------------------------------------------------------------------------------------

    def _note(self):
        """Numbers the changes of states, for the part that was the last to change in an instant."""
        if not self._rules():
            return
        for c in self._in_add_order():
            now = counted(c)
            if now != c.counted:
                self._notes += 1
                c.counted, c.changed = now, self._notes

    def _needs_look(self, r):
        return r.is_starting or (r.is_pending and self._serves_pending) or self._states(r) != r.seen

    def _rules_due(self):
        """Returns what rules have to do, each as ((time, phase, depth, step, generation), rule)."""
        depths = self._depths()
        for r in self._rules():
            level = depths[r.identifier]
            if self._instant is not None and self._needs_look(r):
                yield (self._instant, RULE, level, LOOK, r.generation), r
            if r.candidate is not None:
                yield (r.candidate.deadline, RULE, level, DUE, r.generation), r
            if r.occasions.repeat is not None:
                yield (r.occasions.repeat, RULE_REPEAT, LAST, DUE, r.generation), r

    def _apply_to_rule(self, key, r):
        """Does one of the things that `_rules_due` has returned."""
        now, phase, level, step, _ = key
        if phase == RULE_REPEAT:
            self._repeat(r)
            return
        if step == LOOK or r.is_pending:
            self._look(r, now, level)
        if step == DUE and r.candidate is not None and r.candidate.deadline <= now:
            candidate, r.candidate = r.candidate, None
            self._observe(r, candidate.side, candidate.deadline, "crossing", level=level, **candidate.evidence)

    def _look(self, r, now, level):
        states = self._states(r)
        changed = [self._conditions[part] for part, state in states.items()
                   if state not in (r.seen[part], "unknown")]  # fmt: skip
        r.seen, r.is_pending, r.is_starting = states, False, False
        if r.suspended:
            return
        state = r.definition["rule"].state(list(states.values()))
        if state == "unknown":
            self._forget_state_of(r)
            return
        side = "in" if state == "satisfied" else "out"
        evidence = self._evidence_of(max(changed, key=lambda part: part.changed, default=None))
        if r.observed is None:
            self._observe(r, side, now, "determination", level=level, **evidence)
        elif r.observed.side == side:
            r.candidate = None
        elif r.candidate is None:
            r.candidate = Deciding(side, now, now + r.dwell(side), evidence)

    @staticmethod
    def _evidence_of(part):
        """Returns the evidence of the part that decided; an empty dict without such a part, or if it is inactive."""
        if part is None:
            return {}
        o = part.observed
        if o is None:
            return dict(decided_by=part.generation)
        return dict(decided_by=part.generation, evidence_date=o.evidence_date, evidence=o.evidence, decided=o.decided)

    def _explain_rule(self, r):
        states = self._states(r)
        answer = dict(
            reason="parts",
            state=r.observed.state if r.observed else "unknown",
            parts=[dict(identifier=part, state=state) for part, state in states.items()],
            candidate_since=None,
            candidate_deadline=None,
            seconds_to_decide=None,
        )
        for key in ("side", "boundary_distance", "accuracy", "entry_margin", "exit_margin", "last_sighting",
                    "absence_deadline", "metres_to_decide", "accuracy_needed", "probability", "ellipse",
                    "vertical_distance"):  # fmt: skip
            answer[key] = None
        if r.suspended:
            answer["reason"] = "inactive"
            start = None if "exhausted" in r.flags or self.clock is None else r.timing.next_start(self.clock)
            answer["seconds_to_decide"] = None if start is None else (start - self.clock) / 1e6
        elif r.candidate is not None:
            answer["reason"] = "dwelling"
            answer["candidate_since"], answer["candidate_deadline"] = r.candidate.fix.time, r.candidate.deadline
            answer["seconds_to_decide"] = (r.candidate.deadline - self.clock) / 1e6
        return answer
