"""Tests the vertex limit for conditions: every reader of files and tables applies it, and refuses a shape before
examining the shape."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas
import pyarrow
import pytest
import shapely
from conftest import mentions, only_in_full, refusal

from fencepost import (
    Corridor,
    Fix,
    Fleet,
    Gate,
    Monitor,
    Polygon,
    Zones,
    compare,
    replay,
    tune,
)
from fencepost._command.cli import main
from fencepost.errors import InputError, InvalidArgumentError
from fencepost.live import Follower

# Ignore the warning about planar and geodesic edges that differ: the shapes in this file have such edges on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::fencepost.InputWarning")
PATH = {"path": "geodesic", "max_gap": 60}
FIX = [Fix(0, 0, time=0)]


def ring(count: int, west: float = 0.0) -> list[list[float]]:
    """Returns a closed ring of `count` vertices, counterclockwise."""
    angles = [2 * math.pi * step / count for step in range(count)]
    way = [[west + 0.005 * (1 + math.cos(angle)), 0.005 * (1 + math.sin(angle))] for angle in angles]
    return [*way, way[0]]


def feature(geometry: dict[str, Any], name: str = "big", **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": {"identifier": name, **properties}}


def collection(*features: dict[str, Any]) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features)}


SMALL = feature({"type": "Polygon", "coordinates": [ring(4)]}, "small")
BIG = feature({"type": "Polygon", "coordinates": [ring(12)]})
PLACES = collection(SMALL, BIG)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "zones.geojson"
    file.write_text(json.dumps(PLACES))
    return file


def frame() -> geopandas.GeoDataFrame:
    shapes = [shapely.geometry.shape(each["geometry"]) for each in PLACES["features"]]
    return geopandas.GeoDataFrame({"identifier": ["small", "big"]}, geometry=shapes, crs=4326)


def table(encoding: str) -> Any:
    return pyarrow.table(frame().to_arrow(geometry_encoding=encoding))


def watched(source: Any, max_vertices: int | None = None) -> Zones:
    follower = Follower(source, max_vertices=max_vertices)
    zones = follower._watcher.fleet.conditions  # type: ignore[attr-defined]
    follower.close()
    return zones  # type: ignore[no-any-return]


READERS: dict[str, Callable[..., Any]] = {
    "Zones": Zones,
    "Zones.read": Zones.read,
    "Monitor": Monitor,
    "Fleet": Fleet,
    "Fleet with threads": lambda source, **options: Fleet(source, threads=2, **options),
    "Follower": watched,
    "replay": lambda source, **options: replay(FIX, source, **options),
    "compare": lambda source, **options: compare(FIX, source, **options),
    "tune": lambda source, **options: tune(
        FIX, source, [{"identifier": "big", "start": "1970-01-01T00:00Z", "end": "1970-01-01T00:01Z"}], **options
    ),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_each_reader_of_a_file(path: Path, read: Callable[..., Any]) -> None:
    error = refusal(read, path, max_vertices=11)
    assert error.place == "features[1]"
    text = str(error)
    assert text.startswith(f"{path}: features[1]: too_many_vertices: 12 vertices") and "max_vertices is 11" in text
    assert "max_vertices=" in text and "simplify" in text and "make_valid" not in text
    read(path, max_vertices=12)


@pytest.mark.parametrize("kind", ["dict", "frame", "wkb", "geoarrow", "csv"])
def test_each_kind_of_source(tmp_path: Path, kind: str) -> None:
    source: Any = {"dict": lambda: PLACES, "frame": frame, "wkb": lambda: table("WKB")}.get(
        kind, lambda: table("geoarrow")
    )()
    if kind == "csv":
        source = tmp_path / "zones.csv"
        frame().to_wkt().to_csv(source, index=False)
    error = refusal(Zones, source, max_vertices=11, radius=5)
    assert error.place in ("features[1]", "row 1", "line 3")
    assert f": {error.place}: too_many_vertices: 12 vertices" in str(error) and str(error).count("row 1") <= 1
    assert Zones(source, max_vertices=12, radius=5).identifiers == ["small", "big"]


@pytest.mark.parametrize("encoding", ["WKB", "geoarrow"])
@pytest.mark.parametrize("holder", [Zones, Monitor])
def test_streams(encoding: str, holder: type[Zones] | type[Monitor]) -> None:
    found = holder()
    for put in (found.add_many, found.ensure_many, found.sync):
        with pytest.raises(InputError, match="too_many_vertices: 12 vertices") as caught:
            put(table(encoding), max_vertices=11)
        assert caught.value.row == 1 and str(caught.value).count("row 1") == 1 and len(found) == 0
    for put in (found.add_many, found.ensure_many, found.sync):
        put(table(encoding), max_vertices=12)
    assert found.identifiers == ["small", "big"]


def test_a_command_names_its_option(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    track = tmp_path / "track.csv"
    track.write_text("time,lat,lon\n0,0.005,0.005\n")
    points = tmp_path / "points.csv"
    points.write_text("lat,lon\n0.005,0.005\n")
    replayed = ["replay", str(track), "--conditions", str(path)]
    for command in (
        replayed,
        [*replayed, "--by", "lat"],
        ["join", str(points), "--conditions", str(path)],
        ["watch", "--source", str(track), "--conditions", str(path)],
        ["watch", "--source", str(track), "--conditions", str(path), "--by", "id"],
    ):
        assert main([*command, "--max-vertices", "11"]) == 2, command
        said = capsys.readouterr().err
        assert "too_many_vertices: 12 vertices" in said and "--max-vertices" in said, command
    assert main([*replayed, "--max-vertices", "12"]) == 0
    for value in ("0", "1000001", "x", "1e3"):
        assert main([*replayed, "--max-vertices", value]) == 2
        assert "--max-vertices" in capsys.readouterr().err


def test_a_table_that_grows_is_refused_when_it_is_read_again(path: Path) -> None:
    """If the conditions file of a running watch is refused, the watch keeps the conditions that it has."""
    path.write_text(json.dumps(collection(SMALL)))
    follower = Follower(path, max_vertices=11)
    path.write_text(json.dumps(PLACES))
    with pytest.raises(InputError, match="too_many_vertices: 12 vertices"):
        follower.sync()
    path.write_text(json.dumps(collection(BIG | {"geometry": SMALL["geometry"]})))
    assert follower.sync().added == 1
    follower.close()


HOSTILE: dict[str, tuple[dict[str, Any], int]] = {
    "parts": ({"type": "MultiPolygon", "coordinates": [[ring(5, west)] for west in (0, 1, 2)]}, 15),
    "holes": (
        {
            "type": "Polygon",
            "coordinates": [
                [[-0.002, -0.002], [0.03, -0.002], [0.03, 0.02], [-0.002, 0.02], [-0.002, -0.002]],
                ring(5)[::-1],
                ring(6, 0.012)[::-1],
            ],
        },
        15,
    ),
    "lines": ({"type": "MultiLineString", "coordinates": [ring(5), ring(5, 1)]}, 12),
    "an open ring": ({"type": "Polygon", "coordinates": [ring(9)[:-1]]}, 9),
    "the same vertex again and again": ({"type": "Polygon", "coordinates": [ring(4)[:1] * 20 + ring(4)]}, 4),
}


@pytest.mark.parametrize(("geometry", "count"), HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("gate", [False, True])
def test_all_vertices_count(geometry: dict[str, Any], count: int, gate: bool) -> None:
    is_line = "Line" in geometry["type"]
    if gate and not is_line:
        pytest.skip("only lines are gates")
    properties: dict[str, Any] = {"gate": True} if gate else {"radius": 5} if is_line else {}
    places = collection(feature(geometry, **properties))
    assert f"{count} vertices" in str(refusal(Monitor, places, max_vertices=count - 1, **PATH))
    Monitor(places, max_vertices=count, **PATH)


def zigzag(count: int) -> dict[str, Any]:
    """Returns a polygon of `count` vertices; each of its planar edges is replaced with thousands of geodesics."""
    there = [[170.0 * (step % 2), 60 + 24 * step / count] for step in range(count // 2)]
    back = [[x + 1, y + 0.001] for x, y in reversed(there)]
    return {"type": "Polygon", "coordinates": [[*there, *back, there[0]]]}


def cut(geometry: dict[str, Any]) -> int:
    """Returns the number of vertices that the error message states."""
    found = re.search(r"(\d+) vertices", str(refusal(Zones, collection(feature(geometry)), max_vertices=1)))
    assert found is not None
    return int(found[1])


def test_planar_edges_count_when_they_are_cut() -> None:
    geometry = zigzag(60)
    count = cut(geometry)
    assert count > 60_000
    text = str(refusal(Zones, collection(feature(geometry)), max_vertices=count - 1))
    assert mentions(text, f"too_many_vertices: {count} … planar … max_vertices … {count - 1}")
    same = collection(feature(geometry, edges="geodesic"))
    assert "cut" not in str(refusal(Zones, same, max_vertices=59))
    # One edge is longer than half the Earth's circumference, and another edge leads from pole to pole.
    wide = {"type": "Polygon", "coordinates": [[[-170, 50], [170, 50], [170, 60], [-170, 60], [-170, 50]]]}
    strip = {"type": "Polygon", "coordinates": [[[0, -90], [1, -90], [1, 90], [0, 90], [0, -90]]]}
    for shape in (wide, strip):
        most = cut(shape)
        assert Zones(collection(feature(shape)), max_vertices=most).identifiers == ["big"]


def test_the_default_refuses_a_small_file_of_long_edges(path: Path) -> None:
    """The file is shorter than 20 kB, but its shape would have more than half a million edges."""
    path.write_text(json.dumps(collection(feature(zigzag(400)))))
    assert path.stat().st_size < 20_000
    assert "max_vertices is 500000" in str(refusal(Zones, path))
    with pytest.raises(InputError, match="max_vertices is 500000"):
        Zones().add_many(pyarrow.table({"identifier": ["z"], "geometry": [shapely.geometry.shape(zigzag(400)).wkb]}))


def test_positions_that_are_not_valid_are_refused_as_such() -> None:
    """A polygon with an invalid position is refused because of this position, not because it has too many vertices."""
    for bad in (float("nan"), float("inf"), 1e300, -91.0):
        geometry = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, bad], [0, 0]]]}
        text = str(refusal(Zones, collection(feature(geometry)), max_vertices=10))
        assert "too_many" not in text


def test_a_program_sets_its_own_limit() -> None:
    """If a program sets no limit, only the library's limit applies."""
    square = Polygon({"type": "Polygon", "coordinates": [ring(12)]}, edges="planar")
    road = Corridor({"type": "LineString", "coordinates": ring(12)}, radius=5, edges="planar")
    gate = Gate({"type": "LineString", "coordinates": ring(12)}, edges="planar")
    for condition in (square, road, gate):
        monitor = Monitor(**PATH)
        for put in (monitor.add, monitor.ensure):
            with pytest.raises(InvalidArgumentError, match=r"too_many_vertices: 1[23] vertices.* is 11"):
                put(condition, "a", max_vertices=11)
        with pytest.raises(InvalidArgumentError, match="too_many_vertices") as caught:
            monitor.sync({"a": condition}, max_vertices=11)
        assert caught.value.position == 0 and len(monitor) == 0
        monitor.add(condition, "a")
        monitor.sync({"a": condition, "b": condition})
        assert monitor.ensure(condition, "a", max_vertices=13) is False
    for value in (0, -1, 1_000_001):
        with pytest.raises(InvalidArgumentError, match="max_vertices"):
            Monitor().add(square, "a", max_vertices=value)
        with pytest.raises(InvalidArgumentError, match="max_vertices"):
            Zones(PLACES, max_vertices=value)
    with pytest.raises(TypeError, match="max_vertices"):
        Zones(PLACES, max_vertices="9")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="max_vertices"):
        Zones(Zones(), max_vertices=9)
    with pytest.raises(TypeError, match="max_vertices"):
        Zones().add_many(["a"], [0], [0], [1], max_vertices=9)  # type: ignore[call-overload]


@pytest.mark.full
@only_in_full
def test_what_was_stored_opens(tmp_path: Path) -> None:
    """The vertex limit applies only to input from outside, not to a store, a snapshot, or the conditions of another
    monitor or table."""
    big = Polygon(zigzag(60), edges="planar")
    with Monitor("kept", store=tmp_path) as monitor:
        monitor.add(big, "big")
        snapshot = monitor.snapshot()
    with Monitor("kept", store=tmp_path) as monitor:
        assert monitor.identifiers == ["big"]
        assert Zones(monitor).identifiers == ["big"]
    assert Monitor.restore(snapshot).identifiers == ["big"]
