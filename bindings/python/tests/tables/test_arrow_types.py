"""Tests that values of every Arrow type, including values in slices, are read as the values that PyArrow returns."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from fencepost._tables.arrow_values import Column

na = pytest.importorskip("nanoarrow")
pa = pytest.importorskip("pyarrow")

ROWS = 41
TYPES: dict[str, tuple[Any, Callable[[int], Any]]] = {
    "float64": (pa.float64(), float),
    "float32": (pa.float32(), float),
    "float16": (pa.float16(), float),
    "int8": (pa.int8(), int),
    "uint64": (pa.uint64(), int),
    "bool": (pa.bool_(), lambda row: bool(row % 3)),
    "string": (pa.string(), str),
    "large_string": (pa.large_string(), str),
    "string_view": (pa.string_view(), lambda row: "é" * row),
    "binary": (pa.binary(), lambda row: b"x" * row),
    "binary_view": (pa.binary_view(), lambda row: b"x" * row),
    "binary of one size": (pa.binary(3), lambda row: b"%3d" % row),
    "decimal128": (pa.decimal128(10, 2), lambda row: Decimal(row - 20) / 4),
    "decimal256": (pa.decimal256(60, 3), lambda row: Decimal(10**50 + row) / 8),
    "date": (pa.date32(), lambda row: date(2024, 5, 1) + timedelta(row)),
    "timestamp": (pa.timestamp("ms", "UTC"), lambda row: datetime(2024, 5, 1, 0, 0, row, tzinfo=UTC)),
    "list": (pa.list_(pa.int8()), lambda row: [row] * (row % 4)),
    "struct": (pa.struct({"x": pa.float64(), "name": pa.string()}), lambda row: {"x": float(row), "name": str(row)}),
    "null": (pa.null(), lambda row: None),
    "dictionary": (pa.dictionary(pa.int16(), pa.string()), lambda row: "abc"[row % 3]),
    "dictionary of views": (pa.dictionary(pa.uint32(), pa.string_view()), lambda row: "abc"[row % 3] * 20),
    "dictionary of decimals": (pa.dictionary(pa.uint8(), pa.decimal128(9, 1)), lambda row: Decimal(row % 3)),
}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_values(name: str, gaps: float) -> None:
    kind, value = TYPES[name]
    generator = random.Random(name)
    values = [None if generator.random() < gaps else value(row) for row in range(ROWS)]
    if pa.types.is_dictionary(kind):
        words = list(dict.fromkeys(value(row) for row in range(3)))
        places = [None if found is None else words.index(found) for found in values]
        column = pa.DictionaryArray.from_arrays(pa.array(places, kind.index_type), pa.array(words, kind.value_type))
    else:
        column = pa.array(values, kind)
    for start, length in ((0, ROWS), (1, ROWS - 1), (7, 20), (8, 9), (13, 0), (40, 1)):
        part = column.slice(start, length)
        structure = pa.chunked_array([pa.StructArray.from_arrays([column], ["c"]).slice(start, length)])
        for given in (pa.table({"c": part}), structure):
            stream = na.c_array_stream(given)
            schema = stream.get_schema()
            found = [value for chunk in stream for value in Column.of_batch(schema, chunk, 0).values()]
            assert found == part.to_pylist(), (start, length)
