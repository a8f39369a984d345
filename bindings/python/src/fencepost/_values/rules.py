"""Rules: conditions whose state follows from the states of other conditions."""

from __future__ import annotations

from collections.abc import Iterable

from .._dataclass import dataclass
from .._native import InvalidArgumentError
from .._tables.numbers import integer, shown
from .._tables.table import Plain
from .conditions import RULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

MOST_PARTS = 1000
"""The largest number of parts of one rule."""
_LONGEST = 256
_FORMS = ("all", "any", "none")
_NUMBERS = ("at_least", *_FORMS)
"""The forms; the index is the number of the form in the C interface."""
RuleRow: TypeAlias = tuple[tuple[str, ...], int, int]
"""The parts, the number of the form and, for ``at_least``, how many parts must be satisfied."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Rule(Plain):
    """A rule of several conditions, its parts, which it names by their identifiers. Write a rule with :meth:`all`,
    :meth:`any`, :meth:`none` or :meth:`at_least`.

    The state of a rule follows from the observed states of its parts at the end of each instant. A part that is
    missing, suspended, unmonitored or undetermined is unknown; then the rule is known only if the other parts decide
    alone. A part that is inactive (outside its schedule) counts as unsatisfied.

    * Parts are zones, beacon conditions and other rules, but not gates. A part may be added after the rule.
    * The policy of a rule has only dwells, which begin when the parts have changed. Margins and accuracy have no
      effect.
      The policy ``exact`` reports each change at once; the default policy waits for 20 s more than the parts did.
    * A part with ``notify=Notify(0)`` reports nothing, so that only the rule does.
    * An event of a rule has the evidence of the part that decided, and names this part: :attr:`Event.decided_by`.
    * Rules do not count for `condition_limit`, and the host's flags are those of their parts.
    * At most 1,000 parts, and at most 8 rules inside each other. A cycle is refused by the call that would close it.

    Example:
        >>> Rule.all("yard", "truck beacon")
        <Rule all of 'yard', 'truck beacon'>
        >>> Rule.at_least(2, "a", "b", "c").to_dict()
        {'kind': 'rule', 'at_least': 2, 'of': ['a', 'b', 'c']}
    """

    form: str
    """``all``, ``any``, ``none`` or ``at_least``."""
    parts: tuple[str, ...]
    """The identifiers of the parts, in the order in which they were written."""
    count: int
    """How many parts must be satisfied: the number of `parts` for ``all``, and 1 for ``any``. For ``none`` it is 1, and
    the rule is satisfied if fewer are."""

    def __init__(self, form: str, parts: Iterable[str], count: int | None = None) -> None:
        if form not in (*_FORMS, "at_least"):
            raise InvalidArgumentError(f"form {shown(form)} is not one of all, any, none, at_least")
        names = _checked(parts)
        if form == "at_least":
            if count is None:
                raise InvalidArgumentError("count: at_least needs the number of parts that must be satisfied")
            number = integer(count, "count", 0)
            if not 1 <= number <= len(names):
                raise InvalidArgumentError(f"count is {number}; must be from 1 to {len(names)}, the number of parts")
        else:
            number = len(names) if form == "all" else 1
            if count is not None and count != number:
                raise InvalidArgumentError(f"count is {shown(count)}; only at_least has a count")
        object.__setattr__(self, "form", form)
        object.__setattr__(self, "parts", names)
        object.__setattr__(self, "count", number)

    @classmethod
    def all(cls, *parts: str) -> Rule:
        """The rule that each part is satisfied.

        Raises:
            InvalidArgumentError: There are no parts or too many, or a part is invalid or named twice.
            TypeError: A part is not a text.
        """
        return cls("all", parts)

    @classmethod
    def any(cls, *parts: str) -> Rule:
        """The rule that at least one part is satisfied. For errors, see :meth:`all`."""
        return cls("any", parts)

    @classmethod
    def none(cls, *parts: str) -> Rule:
        """The rule that each part is unsatisfied. For errors, see :meth:`all`."""
        return cls("none", parts)

    @classmethod
    def at_least(cls, count: int, *parts: str) -> Rule:
        """The rule that at least `count` parts are satisfied.

        Raises:
            InvalidArgumentError: As for :meth:`all`; or `count` is below 1, or above the number of parts.
            TypeError: A part is not a text, or `count` is not an integer.
        """
        return cls("at_least", parts, count)

    @property
    def described(self) -> str:
        """A description such as ``all of 'yard', 'beacon'``."""
        start = f"at least {self.count}" if self.form == "at_least" else self.form
        some = ", ".join(repr(part) for part in self.parts[:_SHOWN])
        more = f" and {len(self.parts) - _SHOWN} more" if len(self.parts) > _SHOWN else ""
        return f"{start} of {some}{more}"

    def __repr__(self) -> str:
        return f"<Rule {self.described}>"

    def to_dict(self) -> dict[str, Any]:
        """``kind`` (``rule``) and the form with the identifiers of the parts, in JSON types."""
        if self.form == "at_least":
            return {"kind": "rule", "at_least": self.count, "of": list(self.parts)}
        return {"kind": "rule", self.form: list(self.parts)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Rule:
        """Reads the form that :meth:`to_dict` writes; the key ``kind`` may be absent.

        Raises:
            InvalidArgumentError: The keys are not those of a rule, or as for :meth:`all`.
            TypeError: A value has the wrong type.

        Example:
            >>> Rule.from_dict({"at_least": 2, "of": ["a", "b", "c"]})
            <Rule at least 2 of 'a', 'b', 'c'>
        """
        keys = set(values) - {"kind"}
        if values.get("kind", "rule") == "rule":
            if keys == {"at_least", "of"}:
                return cls("at_least", values["of"], values["at_least"])
            if len(keys) == 1 and keys <= set(_FORMS):
                form = keys.pop()
                return cls(form, values[form])
        raise InvalidArgumentError(
            f"a rule with the keys {shown(sorted(values))} is not known; must have all, any or none, or at_least and of"
        )

    _KIND = RULE

    def _definition(self) -> tuple[int, RuleRow]:
        return self._KIND, (self.parts, _NUMBERS.index(self.form), self.count if self.form == _NUMBERS[0] else 0)

    @classmethod
    def _from_row(cls, parts: Iterable[str], form: int, count: int) -> Rule:
        """Builds a rule from the values that the engine returns."""
        name = _NUMBERS[form]
        return cls(name, parts, count if name == _NUMBERS[0] else None)


_SHOWN = 5


def _checked(parts: Iterable[str]) -> tuple[str, ...]:
    """Returns the identifiers of the parts. The order of the checks is that of the engine."""
    if isinstance(parts, str):
        raise TypeError(f"parts: {shown(parts)} is one text; must be the identifiers of the parts")
    names = tuple(parts)
    if not names:
        raise InvalidArgumentError("no_parts: a rule must have at least one part")
    if len(names) > MOST_PARTS:
        raise InvalidArgumentError(
            f"too_many_parts: a rule has {len(names)} parts; at most {MOST_PARTS}: make rules of parts, and one of them"
        )
    first: dict[str, int] = {}
    for number, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"part {number} is {shown(name)}; must be the identifier of a condition")
        if not name or "\0" in name or len(name.encode("utf-8", "replace")) > _LONGEST:
            raise InvalidArgumentError(
                f"identifier: part {number} is {shown(name)}; must be 1 to {_LONGEST} bytes of UTF-8 without zero bytes"
            )
        if name in first:
            raise InvalidArgumentError(
                f"duplicate: part {number} is {shown(name)}, which is part {first[name]} already; name each part once"
            )
        first[name] = number
    return names
