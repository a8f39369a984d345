"""Tests that the package's own decorator for dataclasses makes the classes that ``dataclasses.dataclass`` makes."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import math
import pickle
import pkgutil
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import pytest

import fencepost
from fencepost import _dataclass

SOURCE = """
from __future__ import annotations
from typing import ClassVar

class Base:
    __slots__ = ()

@dataclass(frozen=True, slots=True)
class Plain(Base):
    '''Fields with and without default values.'''
    number: float
    text: str = "x"
    hidden: int = field(default=7, repr=False, compare=False)
    names: list[str] = field(default_factory=list)
    KIND: ClassVar[int] = 3
    def double(self) -> float:
        return self.number * 2

@dataclass(frozen=True, slots=True, repr=False)
class Derived(Plain):
    '''Fields after those of a base class.'''
    extra: int = 0
    def __repr__(self) -> str:
        return "own"

@dataclass(frozen=True, slots=True, kw_only=True)
class Keywords(Base):
    '''Fields that are passed by keyword, and a check of the values.'''
    low: int = 1
    high: int = 2
    def __post_init__(self) -> None:
        object.__setattr__(self, "high", self.high + 1)

@dataclass(frozen=True, slots=True)
class Own(Base):
    '''A constructor of its own, and a field that is computed.'''
    first: int
    second: int = field(kw_only=True, compare=False)
    total: int = field(init=False, repr=False)
    def __init__(self, first: int, *, second: int) -> None:
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "second", second)
        object.__setattr__(self, "total", first + second)

class Open(Plain):
    '''A subclass whose instances have a dict.'''
"""
NAMES = ("Plain", "Derived", "Keywords", "Own")


def made_with(name: str, kit: Any) -> Any:
    module: Any = ModuleType(name)
    sys.modules[name] = module
    module.dataclass, module.field = kit.dataclass, kit.field
    exec(SOURCE, vars(module))
    return module


OURS, THEIRS = made_with("dataclasses_of_the_package", _dataclass), made_with("dataclasses_of_python", dataclasses)


def instances(module: Any) -> list[Any]:
    return [
        module.Plain(1.5),
        module.Plain(1.5, hidden=8),
        module.Plain(text="y", number=math.inf, names=["a"]),
        module.Derived(1.5, extra=4),
        module.Keywords(high=5),
        module.Keywords(),
        module.Own(1, second=2),
        module.Own(1, second=3),
        module.Open(2.0),
    ]


def outcome(work: Any) -> Any:
    """The result of a call as text, or the error's class and message."""
    try:
        return repr(work())
    except Exception as error:
        return type(error), str(error).replace("dataclasses_of_the_package", "dataclasses_of_python")


@pytest.mark.parametrize("name", NAMES)
def test_classes_are_those_of_dataclasses(name: str) -> None:
    ours, theirs = getattr(OURS, name), getattr(THEIRS, name)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    assert ours.__init__.__qualname__ == theirs.__init__.__qualname__
    for attribute in ("__slots__", "__match_args__", "__doc__", "__qualname__", "__annotations__"):
        assert getattr(ours, attribute) == getattr(theirs, attribute), attribute
    assert [each.__name__ for each in ours.__mro__] == [each.__name__ for each in theirs.__mro__]
    assert {*vars(ours)} - {"__replace__"} == {*vars(theirs)} - {"__replace__"}
    assert dataclasses.is_dataclass(ours)
    assert [*map(repr, dataclasses.fields(ours))] == [*map(repr, dataclasses.fields(theirs))]
    assert repr(ours.__dataclass_params__) == repr(theirs.__dataclass_params__)


def test_instances_behave_like_those_of_dataclasses() -> None:
    for own, other in zip(instances(OURS), instances(THEIRS), strict=True):
        for work in (
            repr,
            dataclasses.astuple,
            dataclasses.asdict,
            hash,
            lambda each: hash(dataclasses.replace(each, names=())),
            lambda each: each.__getstate__(),
            lambda each: each.KIND,
            lambda each: each.double(),
            lambda each: copy.copy(each) == each,
            lambda each: copy.deepcopy(each) is each,
            lambda each: pickle.loads(pickle.dumps(each)),
            lambda each: setattr(each, dataclasses.fields(each)[0].name, 1),
            lambda each: delattr(each, dataclasses.fields(each)[0].name),
            lambda each: dataclasses.replace(each, number=3),
            lambda each: dataclasses.replace(each, low=3),
            lambda each: dataclasses.replace(each, total=3),
            lambda each: type(each)(),
            lambda each: type(each)(1, 2, 3, [], 4, 5),
            lambda each: type(each)(1, wrong=2),
            lambda each: each < each,
        ):
            assert outcome(lambda: work(own)) == outcome(lambda: work(other)), other


def test_equality_is_that_of_dataclasses() -> None:
    own, other = instances(OURS), instances(THEIRS)
    for row, (one, theirs) in enumerate(zip(own, other, strict=True)):
        assert [one == each for each in own] == [theirs == each for each in other], row
    assert OURS.Plain(1.5).__eq__(3) is NotImplemented
    assert OURS.Plain(1.0) != THEIRS.Plain(1.0)


def test_other_attributes_cannot_be_set() -> None:
    """With slots, the standard library raises a confusing `TypeError` here until Python 3.13."""
    plain = OURS.Plain(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'unknown'"):
        plain.unknown = 1
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'unknown'"):
        del plain.unknown
    of_subclass = OURS.Open(1)
    of_subclass.unknown = 1
    del of_subclass.unknown
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'number'"):
        of_subclass.number = 2


def test_threads_may_read_the_fields_at_the_same_time() -> None:
    fresh = made_with("dataclasses_of_threads", _dataclass)
    both = threading.Barrier(8)

    def read(_: int) -> list[str]:
        both.wait()
        return [each.name for each in dataclasses.fields(fresh.Plain)]

    with ThreadPoolExecutor(8) as pool:
        assert {*map(tuple, pool.map(read, range(8)))} == {("number", "text", "hidden", "names")}
    later = _dataclass._Later(fresh.Own, "__dataclass_fields__", {})  # type: ignore[attr-defined]
    assert [*later.__get__(None, fresh.Own)] == [*later.__get__(None, fresh.Own)] == ["first", "second", "total"]


def test_default_factories_make_a_new_value_each_time() -> None:
    assert OURS.Plain(1).names is not OURS.Plain(1).names


def test_dataclasses_of_python_can_derive_from_them() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Further(OURS.Plain):  # type: ignore[misc, name-defined]
        more: int = 1

    made = Further(2.0, more=3)
    assert (made.number, made.text, made.more, made == Further(2.0, more=3)) == (2.0, "x", 3, True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.more = 4
    with pytest.raises(TypeError, match="cannot inherit non-frozen"):
        dataclasses.dataclass(type("Bad", (OURS.Plain,), {}))


def classes() -> Iterator[type]:
    for info in pkgutil.walk_packages(fencepost.__path__, "fencepost."):
        if info.name.rpartition(".")[2] not in ("__main__", "_spark"):
            try:
                module = importlib.import_module(info.name)
            except ImportError:  # an optional dependency is missing
                continue
            for value in vars(module).values():
                if isinstance(value, type) and value in _dataclass._FIELDS and value.__module__ == info.name:  # type: ignore[attr-defined]
                    yield value


def test_every_class_of_the_package_has_the_fields_that_it_declares() -> None:
    found = [*classes()]
    for each in found:
        assert each.__doc__
        assert {*each.__match_args__} <= {field.name for field in dataclasses.fields(each)}  # type: ignore[arg-type, attr-defined]
    assert len(found) > 35
