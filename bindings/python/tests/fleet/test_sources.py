"""`Zones(source)`, `Fleet(source)` and `Monitor(source)` accept the same sources as a replay's conditions."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from fencepost import Beacon, Circle, Fix, Fleet, InputError, Monitor, Polygon, TransitionPolicy, Zones
from fencepost.errors import InvalidArgumentError, TableMismatchError

DEPOT, YARD = Circle(52.5, 13.4, radius=100), Circle(52.6, 13.4, radius=150)
UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"


def feature(identifier: str, condition: Circle, **properties: Any) -> dict[str, Any]:
    point = {"type": "Point", "coordinates": (condition.longitude, condition.latitude)}
    own = {"identifier": identifier, "radius": condition.radius, **properties}
    return {"type": "Feature", "geometry": point, "properties": own}


GEOJSON = {"type": "FeatureCollection", "features": [feature("depot", DEPOT), feature("yard", YARD)]}
COLUMNS = {"identifier": ["depot", "yard"], "lat": [52.5, 52.6], "lon": [13.4, 13.4], "radius": [100.0, 150.0]}


class Features:
    __geo_interface__ = GEOJSON


def sources(folder: Path) -> list[Any]:
    file, table = folder / "zones.geojson", folder / "zones.csv"
    file.write_text(json.dumps(GEOJSON))
    table.write_text("identifier,lat,lon,radius\ndepot,52.5,13.4,100\nyard,52.6,13.4,150\n")
    found: list[Any] = [file, str(file), table, GEOJSON, Features(), {"depot": DEPOT, "yard": YARD}]
    try:
        import geopandas
        import pandas
        import pyarrow
    except ImportError:
        return found
    frame = pandas.DataFrame(COLUMNS)
    points = geopandas.GeoDataFrame(
        frame[["identifier", "radius"]], geometry=geopandas.points_from_xy(frame.lon, frame.lat), crs="EPSG:4326"
    )
    return [*found, frame, points, pyarrow.table(COLUMNS)]


def test_every_source_gives_the_same_conditions(tmp_path: Path) -> None:
    expected = Zones()
    expected.add(DEPOT, "depot", policy="exact")
    expected.add(YARD, "yard", policy="exact")
    for source in sources(tmp_path):
        zones = Zones(source, policy="exact")
        assert list(zones.items()) == list(expected.items()), source
        assert zones.version == expected.version
        for holder in (Fleet(source, policy="exact").conditions, Zones(zones), Zones(Monitor(source, policy="exact"))):
            found = [(each.identifier, each.condition, each.policy) for each in holder.values()]
            assert found == [(each.identifier, each.condition, each.policy) for each in expected.values()], source


def test_a_fleet_and_a_monitor_follow_their_source(tmp_path: Path) -> None:
    """The initial state of conditions is unknown in a monitor, and outside in a table."""
    for source in sources(tmp_path):
        fleet, monitor = Fleet(source, policy="exact"), Monitor(source, policy="exact")
        for longitude, time in ((13.5, 0), (13.4, 60_000_000)):
            fleet.feed("van", Fix(52.5, longitude, time=time))
            monitor.feed(Fix(52.5, longitude, time=time))
        assert [(event.device, event.identifier, event.kind) for event in fleet.events()] == [("van", "depot", "enter")]
        assert [(event.identifier, event.kind) for event in monitor.events()] == [
            ("depot", "determined"), ("yard", "determined"), ("depot", "enter"),
        ]  # fmt: skip
    assert [each.state for each in Monitor(GEOJSON, assuming="satisfied").values()] == ["satisfied"] * 2


def test_options_are_those_of_a_replay() -> None:
    bare = {"type": "FeatureCollection", "features": [feature("depot", DEPOT, name="x")]}
    del bare["features"][0]["properties"]["radius"]
    for kind in (Zones, Fleet, Monitor):
        made = kind(bare, radius=300, columns={"identifier": "name"}, policy=TransitionPolicy(entry_dwell=5))
        held: Any = made.conditions if isinstance(made, Fleet) else made
        assert list(held) == ["x"] and held["x"].condition.radius == 300 and held["x"].policy.entry_dwell == 5
        with pytest.raises(InputError, match="radius"):
            kind(bare)
        with pytest.raises(InvalidArgumentError, match="radius is 0"):
            kind(bare, radius=0)


def test_a_feature_alone_and_mixed_kinds() -> None:
    assert list(Zones(feature("depot", DEPOT))) == ["depot"]
    shapes = {"box": Polygon("POLYGON ((0 0, 1 0, 1 1, 0 0))", edges="planar"), "desk": Beacon(UUID), "depot": DEPOT}
    assert [each.condition for each in Zones(shapes).values()] == list(shapes.values())


@pytest.mark.parametrize("kind", [Zones, Fleet, Monitor])
def test_bad_sources(kind: Any, tmp_path: Path) -> None:
    for source, error, words in (
        (7, TypeError, "^conditions .*path, .*int"),
        ([DEPOT], TypeError, "^conditions .*list"),
        ({"depot": 7}, TypeError, r"^conditions\['depot'\] .*int"),
        ({"type": "FeatureCollection"}, InputError, "features:.*array"),
        ({"type": "Point", "coordinates": [0, 0]}, TypeError, r"conditions\['type'\] must be"),
        (tmp_path / "missing.geojson", InputError, os.strerror(errno.ENOENT)),
        ({"type": "FeatureCollection", "features": [7]}, InputError, r"features\[0\]"),
        ({"bow": Polygon("POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))", edges="planar")}, InputError, "'bow'"),
    ):
        with pytest.raises(error, match=words):
            kind(source)
    for options in ({"radius": 5}, {"policy": "exact"}, {"columns": {}}, {"layer": "x"}, {"transform": True}):
        for source in (None, Zones()):
            if not (source is None and kind is Zones and options == {}):
                with pytest.raises(TypeError, match=f"^{next(iter(options))} "):
                    kind(source, **options)


def test_a_bad_source_opens_no_store(tmp_path: Path) -> None:
    bow = {"bow": Polygon("POLYGON ((0 0, 1 1, 1 0, 0 1, 0 0))", edges="planar")}
    for kind in (Fleet, Monitor):
        with pytest.raises(InputError):
            kind(tmp_path / "missing.csv", store=tmp_path, name="one")
        assert not list(tmp_path.iterdir())
        with pytest.raises(InputError):
            kind(bow, store=tmp_path, name=kind.__name__)
        kind(GEOJSON, store=tmp_path, name=kind.__name__).close()  # the failed attempt has closed its store
        for file in tmp_path.iterdir():
            file.unlink()


def test_a_store_continues_with_the_conditions_of_the_source(tmp_path: Path) -> None:
    """Conditions that are equal to a condition of the source keep their state; conditions that are missing from the
    source are removed."""
    for kind in (Fleet, Monitor):
        for round_, source in enumerate((GEOJSON, {"yard": YARD, "gate": DEPOT}, None)):
            with kind(source, policy=None if source is None else "exact", store=tmp_path, name=kind.__name__) as held:
                fix = Fix(52.6, 13.4, time=round_ * 60_000_000)
                held.feed("van", fix) if isinstance(held, Fleet) else held.feed(fix)
                names = [event.identifier for event in held.events() if event.state == "satisfied"]
                assert names == (["yard"] if round_ == 0 else []), (kind, round_)
                listed = list(held.conditions if isinstance(held, Fleet) else held)
                assert sorted(listed) == (["depot", "yard"] if round_ == 0 else ["gate", "yard"])
    # A table is a fixed version that must match the store, whereas a source changes the store's conditions.
    with pytest.raises(TableMismatchError):
        Fleet(Zones(GEOJSON), store=tmp_path, name="Fleet")


def test_a_text_without_a_dot_is_the_name_of_a_monitor(tmp_path: Path) -> None:
    assert Monitor("commute").name == Monitor(name="commute").name == "commute"
    (tmp_path / "zones.csv").write_text("identifier,lat,lon,radius\ndepot,52.5,13.4,100\n")
    assert list(Monitor(str(tmp_path / "zones.csv"))) == ["depot"]
    with pytest.raises(InputError, match=os.strerror(errno.ENOENT)):
        Monitor("zones.csv")
    with pytest.raises(InputError, match=f"zones: {os.strerror(errno.ENOENT)}"):
        Monitor("zones", name="commute")
