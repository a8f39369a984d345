"""The rules of a watch in the data of the live page: their parts, and the states of rules and parts for a device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._log.report_rules import form, kind
from .._log.rule_states import INACTIVE, SATISFIED, UNKNOWN, UNSATISFIED
from .._values.definitions import Definition
from .._values.enums import Reason, State
from .._values.records import Record
from .._values.rules import Rule
from .shown import Shown

_NUMBERS = {State.UNSATISFIED: UNSATISFIED, State.SATISFIED: SATISFIED}


class ViewedRules:
    """The rules of a table. The page knows rules and parts by numbers: the positions in :attr:`names`.

    Args:
        definitions: The conditions of the table.

    Attributes:
        names: The identifiers of the rules, and then of the other parts.
    """

    def __init__(self, definitions: Iterable[Definition | Record]) -> None:
        listed = list(definitions)
        table = {each.identifier: each.condition for each in listed}
        # Only conditions with a timing can be inactive.
        self._timed = {each.identifier for each in listed if each.timing is not None}
        rules = {name: condition for name, condition in table.items() if isinstance(condition, Rule)}
        self.names = list(dict.fromkeys([*rules, *(part for rule in rules.values() for part in rule.parts)]))
        self._table, self._rules = table, rules
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def __bool__(self) -> bool:
        return bool(self._rules)

    def __contains__(self, identifier: str) -> bool:
        return identifier in self._rules

    def __iter__(self) -> Any:
        """The identifiers of the rules."""
        return iter(self._rules)

    def data(self) -> dict[str, Any]:
        """The rules in the form in which the page reads them: the ``names``; the ``kinds`` of rules and parts in words,
        empty for a part that the table does not contain; and for each rule the numbers of its ``parts``."""
        kinds = [
            form(self._rules[name]) if name in self._rules else kind(self._table[name]) if name in self._table else ""
            for name in self.names
        ]
        parts = [[self._numbers[part] for part in rule.parts] for rule in self._rules.values()]
        return {"names": self.names, "kinds": kinds, "parts": parts}

    def states(self, shown: Shown, device: str) -> str:
        """The states of the rules and parts for a device, in the order of :attr:`names`; each is a digit (see
        :mod:`fencepost._log.rule_states`)."""
        return "".join(str(self._state(shown, device, name)) for name in self.names)

    def _state(self, shown: Shown, device: str, name: str) -> int:
        if name not in self._table:
            return UNKNOWN
        if name in self._timed:
            explanation = shown.explain(device, name)
            if explanation is not None and explanation.reason is Reason.INACTIVE:
                return INACTIVE
        return _NUMBERS.get(shown.state(device, name), UNKNOWN)

    def decided(self, deciders: dict[str, str]) -> list[tuple[int, str]]:
        """The number of each rule with the part that decided its last event."""
        return [(self._numbers[rule], part) for rule, part in deciders.items() if rule in self._rules]
