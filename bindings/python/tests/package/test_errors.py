"""Tests errors: all languages have the same list of errors, and Python has some additional ones."""

from __future__ import annotations

import csv
import pickle

import pytest
from conftest import ROOT

import fencepost
from fencepost import _native

with (ROOT / "Tests" / "Golden" / "status.tsv").open(encoding="utf-8", newline="") as file:
    STATUSES = list(csv.DictReader(file, delimiter="\t"))
FAILURES = [row for row in STATUSES if row["python_class"]]


def test_the_table_of_the_extension_is_the_golden_list() -> None:
    table = [(number, name, cls.__name__) for number, name, _, cls in _native.error_table()]
    assert table == [(int(row["number"]), row["name"], row["python_class"]) for row in FAILURES]


@pytest.mark.parametrize("row", FAILURES, ids=lambda row: row["name"])
def test_each_class(row: dict[str, str]) -> None:
    cls = getattr(fencepost.errors, row["python_class"])
    assert issubclass(cls, fencepost.FencepostError)
    assert (cls.code, cls.name, cls.position) == (int(row["number"]), row["name"], 0)
    assert cls.__module__ == "fencepost.errors" and cls.__doc__
    assert str(cls("what was wrong")) == "what was wrong"
    again = pickle.loads(pickle.dumps(cls("x")))
    assert type(again) is cls and again.args == ("x",)


def test_names_follow_one_pattern() -> None:
    for row in STATUSES:
        words = row["name"].split("_")
        failed = "E_" if row["python_class"] else ""
        assert row["c_name"] == "FENCEPOST_" + failed + row["name"].upper()
        if row["python_class"]:
            assert row["swift_case"] == words[0] + "".join(word.capitalize() for word in words[1:])
            assert row["python_class"] == "".join(word.capitalize() for word in words) + "Error"


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("InvalidArgumentError", ValueError),
        ("InvalidNameError", ValueError),
        ("NoSuchDeviceError", KeyError),
        ("NotFoundError", KeyError),
        ("LateInputError", ValueError),
        ("QueueFullError", RuntimeError),
        ("InternalError", RuntimeError),
    ],
)
def test_builtin_bases(name: str, builtin: type[Exception]) -> None:
    assert issubclass(getattr(fencepost.errors, name), builtin)


def test_not_found_reads_like_a_sentence() -> None:
    with pytest.raises(KeyError) as caught:
        fencepost.Monitor().explain("nobody")
    assert caught.value.name == "not_found" and "nobody" in str(caught.value)
    assert not str(caught.value).startswith(("'", '"'))


def test_messages_are_one_line_and_say_more_than_the_status() -> None:
    with pytest.raises(fencepost.errors.InvalidArgumentError) as caught:
        fencepost.Monitor().add(fencepost.Circle(91, 0, 10), "x")
    assert "\n" not in str(caught.value)
    assert "latitude" in str(caught.value) and "91" in str(caught.value)
