"""Every member of an enumeration is documented by the string below it, where readers and Sphinx expect it."""

from __future__ import annotations

import ast
import inspect

import pytest

from fencepost import Cause, Delivery, DevicePath, Diagnostics, Durability, DwellPolicy, EvidenceSource, Notify, State
from fencepost._values import enums
from fencepost.types import Reason

KINDS = [Cause, Delivery, DevicePath, Diagnostics, Durability, DwellPolicy, EvidenceSource, Notify, Reason, State]


@pytest.mark.parametrize("kind", KINDS)
def test_members_have_docstrings(kind: type) -> None:
    module = ast.parse(inspect.getsource(enums))
    (body,) = (node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__)
    documented = set()
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.Assign) and isinstance(following, ast.Expr):
            assert isinstance(following.value, ast.Constant)
            assert len(following.value.value) > 10
            documented.add(statement.targets[0].id)  # type: ignore[attr-defined]
    assert documented == set(kind.__members__)
