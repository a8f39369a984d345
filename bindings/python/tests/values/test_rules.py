"""Tests the values of rules: their forms, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from fencepost import Rule
from fencepost._values.conditions import RULE
from fencepost.errors import InvalidArgumentError


@pytest.mark.parametrize(
    "rule",
    [Rule.all("a", "b"), Rule.any("a"), Rule.none("b", "a"), Rule.at_least(2, "a", "b", "c")],
    ids=str,
)
def test_round_trip(rule: Rule) -> None:
    assert Rule.from_dict(rule.to_dict()) == rule
    without_kind = {key: value for key, value in rule.to_dict().items() if key != "kind"}
    assert Rule.from_dict(without_kind) == rule
    kind, row = rule._definition()
    assert kind == RULE and Rule._from_row(*row) == rule


def test_what_the_library_reads() -> None:
    assert Rule.at_least(1, "a", "b")._definition() == (RULE, (("a", "b"), 0, 1))
    assert Rule.all("a", "b")._definition() == (RULE, (("a", "b"), 1, 0))
    assert Rule.any("a", "b")._definition() == (RULE, (("a", "b"), 2, 0))
    assert Rule.none("a", "b")._definition() == (RULE, (("a", "b"), 3, 0))


@pytest.mark.parametrize("wrong", [(), ("",), ("a", "b", "a"), ("a\0",), ("ü" * 129,), tuple(map(str, range(1001)))])
@pytest.mark.parametrize("form", [Rule.all, Rule.any, Rule.none, lambda *parts: Rule.at_least(1, *parts)])
def test_bad_parts(form: Any, wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        form(*wrong)


@pytest.mark.parametrize("count", [0, -1, 4, 2**70])
def test_bad_counts(count: int) -> None:
    with pytest.raises(InvalidArgumentError):
        Rule.at_least(count, "a", "b", "c")


@pytest.mark.parametrize("call", [lambda: Rule.all(1), lambda: Rule.at_least("2", "a"), lambda: Rule("all", "ab")])  # type: ignore[arg-type]
def test_bad_types(call: Any) -> None:
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize(
    "values", [{}, {"all": ["a"], "any": ["b"]}, {"at_least": 1}, {"kind": "circle", "all": ["a"]}, {"some": ["a"]}]
)
def test_bad_dicts(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        Rule.from_dict(values)


def test_the_largest_rule() -> None:
    rule = Rule.at_least(1000, *(f"p{number}" for number in range(1000)))
    assert rule.count == 1000 and len(rule.described) < 100
    assert hash(rule) == hash(Rule.at_least(1000, *rule.parts))
