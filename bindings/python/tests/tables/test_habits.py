"""Tests that each form of table that is usual among users of pandas, GeoPandas and Arrow gives either the same result
or an error with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fencepost import Circle, Fleet, InputError, Zones, replay, tune

pandas = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
geopandas = pytest.importorskip("geopandas")

ZONES = {"depot": Circle(52.5, 13.40, 200)}
ROWS = 60
TIMES = pandas.date_range("2024-05-01", periods=ROWS, freq="min", tz="UTC")
FRAME = pandas.DataFrame({"van": ["a", "b"] * 30, "time": TIMES, "lat": 52.5, "lon": [13.40, 13.40, 13.41, 13.41] * 15})


def located() -> Any:
    places = geopandas.points_from_xy(FRAME["lon"], FRAME["lat"])
    return geopandas.GeoDataFrame(FRAME[["van", "time"]], geometry=places, crs=4326)


def arrow(**columns: Any) -> Any:
    table = pa.Table.from_pandas(FRAME)
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def codes(*numbers: int) -> Any:
    return pa.array(list(numbers) * (ROWS // len(numbers)), pa.int8())


SAME: dict[str, Callable[[], Any]] = {
    "pyarrow-backed": lambda: FRAME.convert_dtypes(dtype_backend="pyarrow"),
    "StringDtype": lambda: FRAME.astype({"van": "string"}),
    "categories that no row has": lambda: FRAME.assign(van=pandas.Categorical(FRAME.van, ["z", "b", "a"])),
    "seconds": lambda: FRAME.assign(time=FRAME.time.astype("datetime64[s, UTC]")),
    "milliseconds without a zone": lambda: FRAME.assign(time=TIMES.tz_localize(None).astype("datetime64[ms]")),
    "another zone": lambda: FRAME.assign(time=FRAME.time.dt.tz_convert("Europe/Berlin")),
    "a zone for each row": lambda: FRAME.assign(
        time=[time.tz_convert(("Europe/Berlin", "America/New_York")[row % 2]) for row, time in enumerate(TIMES)]
    ),
    "seconds as floats": lambda: FRAME.assign(time=[time.timestamp() for time in TIMES]),
    "categories of times": lambda: FRAME.assign(time=FRAME.time.astype("category")),
    "devices and times in the index": lambda: FRAME.set_index(["van", "time"]),
    "labels that repeat": lambda: FRAME.set_axis([0] * ROWS),
    "points": located,
    "points with another name": lambda: located().rename_geometry("where"),
    "points beside wrong columns": lambda: located().assign(lat=0.0, lon=0.0),
    "a dictionary": lambda: arrow(van=pa.array(FRAME.van).dictionary_encode()),
    "a dictionary with a value twice": lambda: arrow(
        van=pa.DictionaryArray.from_arrays(codes(0, 1, 2, 1), ["a", "b", "a"])
    ),
    "views of texts": lambda: arrow(van=pa.array(FRAME.van).cast(pa.string_view())),
    "decimals": lambda: arrow(lat=pa.array([52.5] * ROWS).cast(pa.decimal128(10, 6))),
    "a slice": lambda: pa.concat_tables([arrow().slice(0, 1), arrow()]).slice(1),
}


def events(log: Any) -> list[Any]:
    return [(row.track, row.event.identifier, str(row.event.kind), row.event.date_us) for row in log.tracked()]


@pytest.mark.parametrize("form", SAME)
def test_the_same_events_in_each_form(form: str) -> None:
    expected = events(replay(FRAME, ZONES, device="van", policy="exact"))
    assert len(expected) == 60
    assert events(replay(SAME[form](), ZONES, device="van", policy="exact")) == expected
    fleet = Fleet(ZONES, policy="exact")
    fleet.feed_many(SAME[form](), columns={"device": "van"})
    reported = [(event.device, event.identifier, str(event.kind), event.date_us) for event in fleet.poll()]
    assert sorted(reported) == sorted(expected)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "a missing device": (
        lambda: FRAME.assign(van=pandas.array([1, 2] * 29 + [1, None], dtype="Int64")),
        "row 59:.*column 'van'",
    ),
    "a null in a dictionary": (
        lambda: arrow(van=pa.DictionaryArray.from_arrays(pa.array([0] * 59 + [None], pa.int8()), ["a"])),
        "row 59:.*column 'van'",
    ),
    "no rows": (lambda: FRAME.iloc[:0], "rows"),
    "numbers as texts": (lambda: FRAME.assign(lat="52.5"), "row 0: latitude '52.5'.*str"),
    "days": (lambda: arrow(time=pa.array([1] * ROWS, pa.date32())), "row 0: time.*date"),
    "levels of columns": (lambda: pandas.concat({"x": FRAME}, axis=1), "column.*string"),
    "another reference system": (lambda: located().to_crs(3857), "EPSG:3857.*WGS84"),
    "levels without names": (
        lambda: FRAME.set_index(["van", "time"]).rename_axis([None, None]),
        "column.*time",
    ),
}


@pytest.mark.parametrize("form", REFUSED)
def test_refusals(form: str) -> None:
    table, said = REFUSED[form]
    with pytest.raises(InputError, match=said):
        replay(table(), ZONES, device="van")


def test_devices_named_by_uuids() -> None:
    """Tests how devices are named by the values of an extension type, which PyArrow cannot encode as a dictionary."""
    if not hasattr(pa, "uuid"):
        pytest.skip("this PyArrow has no UUIDs")
    names = [bytes([number]) * 16 for number in (1, 2)]
    found = replay(arrow(van=pa.array(names * 30, pa.uuid())), ZONES, device="van", policy="exact")
    assert found.tracks == tuple(names) and len(found) == 60


def test_labels_in_the_index_and_from_other_libraries() -> None:
    """After a groupby, the keys are in the index of the frame. A table in which two columns have the same name is
    ambiguous."""
    labels = replay(FRAME, ZONES, device="van", policy="exact").visits().to_pandas()

    def f1(given: Any) -> float:
        return tune(FRAME, ZONES, given, device="van", policies=["exact"])[0].f1

    assert f1(labels) == f1(labels.set_index(["van", "identifier"])) == f1(pa.Table.from_pandas(labels)) == 1
    assert f1(pa.RecordBatchReader.from_stream(pa.Table.from_pandas(labels))) == 1
    assert f1(labels.assign(identifier=pandas.Categorical(labels.identifier, ["q", "depot"]))) == 1
    assert f1(labels.sample(frac=1, random_state=3).convert_dtypes(dtype_backend="pyarrow")) == 1
    twice = pandas.concat([labels, labels[["start"]]], axis=1)
    with pytest.raises(InputError, match="labels: .* 2 columns named 'start'"):
        f1(twice)


def test_zones_in_the_forms_of_frames() -> None:
    shapely = pytest.importorskip("shapely")
    named = pandas.DataFrame({"lat": [52.5], "lon": [13.4], "radius": [200]}, index=pandas.Index(["depot"], name="id"))
    assert Zones(named).identifiers == ["depot"]
    places = [shapely.Point(1, 1), shapely.box(0, 0, 0.01, 0.01)]
    frame = geopandas.GeoDataFrame(
        {
            "id": pandas.Categorical(["a", "b"], ["b", "a", "q"]),
            "radius": pandas.array([200, None], dtype="Int64"),
            "policy": [None, {"entry_dwell": 5}],
        },
        geometry=places,
        crs=4326,
    ).rename_geometry("where")
    zones = Zones(frame)
    assert zones.identifiers == ["a", "b"]
    assert [zone.policy.entry_dwell for zone in zones.values()] == [20, 5]
    with pytest.raises(InputError, match="row 1: 2 .*'id'.*"):
        Zones(frame.assign(id=["a", 2]))
