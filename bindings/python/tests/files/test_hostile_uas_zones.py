"""Tests that damaged or malicious files of UAS geographical zones are refused with the path of the field, and that no
other exception is raised."""

from __future__ import annotations

import copy
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import IS_FULL
from uas_documents import (
    RING,
    circle,
    ed269,
    ed318,
    feature,
    layered,
    point,
    refusal,
    rows,
    volume,
    write,
    zone,
)

from fencepost import FencepostError, InputError, Monitor, uas

VOLUME = "features[0].geometry[0]"
WRONG: list[Any] = [None, True, False, 5, -1.5, 1e300, 10**400, "", "x", "1e3", "NaN", [], [[]], {}, {"a": 1}, [None]]


@pytest.mark.parametrize(
    ("document", "path", "words"),
    [
        # The list of zones, and the zones.
        ({"UASZoneList": {}}, "UASZoneList", ("list of zones",)),
        ({"UASZoneList": [5]}, "UASZoneList[0]", ("object",)),
        (ed269(zone(), "x"), "features[1]", ("object", "'x'")),
        (ed269(zone(identifier=None)), "features[0].identifier", ("None",)),
        (ed269(zone(identifier="  ")), "features[0].identifier", ("empty",)),
        (ed269(zone(identifier=7)), "features[0].identifier", ("7",)),
        (ed269(zone(restriction=None)), "features[0].restriction", ("PROHIBITED", "None")),
        (ed269(zone(restriction=["PROHIBITED"])), "features[0].restriction", ("one of",)),
        (ed269(zone(geometry=[])), "features[0].geometry", ("empty",)),
        (ed269(zone(), zone(identifier="B", geometry=volume())), "features[1].geometry", ("list of volumes",)),
        (ed269(zone("x")), VOLUME, ("object",)),
        # Units.
        (ed269(zone(volume(uomDimensions=None))), f"{VOLUME}.uomDimensions", ("M, FT",)),
        (ed269(zone(volume(uomDimensions="KM"))), f"{VOLUME}.uomDimensions", ("'KM'",)),
        (ed269(zone(volume(uomDimensions="M/FT"))), f"{VOLUME}.uomDimensions", ("M, FT",)),
        (ed269(zone(volume(upperLimit="120 m"))), f"{VOLUME}.upperLimit", ("'120 m'",)),
        (ed318(feature(layered(layer={"uom": "mm"}))), "features[0].geometry.layer.uom", ("'mm'",)),
        # Limits that contradict each other.
        (ed269(zone(volume(lowerLimit=120))), f"{VOLUME}.upperLimit", ("120 is not below", "the ground")),
        (ed269(zone(volume(lowerLimit=200))), f"{VOLUME}.upperLimit", ("200 is not below",)),
        (
            ed269(zone(volume(uomDimensions="FT", lowerLimit=400, upperLimit=300))),
            f"{VOLUME}.upperLimit",
            ("121.92 is not below",),
        ),
        (ed318(feature(layered(layer={"upper": 50}))), "features[0].geometry.layer.upper", ("not below",)),
        # Limits that cannot be metres.
        (ed269(zone(volume(lowerLimit="high"))), f"{VOLUME}.lowerLimit", ("finite number", "null")),
        (ed269(zone(volume(lowerLimit=True))), f"{VOLUME}.lowerLimit", ("True",)),
        (ed269(zone(volume(lowerLimit=10**400))), f"{VOLUME}.lowerLimit", ("finite number",)),
        (ed269(zone(volume(lowerLimit="9" * 400))), f"{VOLUME}.lowerLimit", ("finite number",)),
        (ed269(zone(volume(lowerLimit=-2e9, lowerVerticalReference="AMSL"))), f"{VOLUME}.lowerLimit", ("-2000000000",)),
        (ed269(zone(volume(lowerLimit=2e9, upperLimit=None))), f"{VOLUME}.lowerLimit", ("min is",)),
        (ed269(zone(volume(lowerVerticalReference="FL"))), f"{VOLUME}.lowerVerticalReference", ("'FL'", "AMSL")),
        (ed269(zone(volume(upperVerticalReference=None))), f"{VOLUME}.upperVerticalReference", ("AGL",)),
        # Circles.
        (ed269(zone(circle(0))), f"{VOLUME}.horizontalProjection.radius", ("above 0",)),
        (ed269(zone(circle(-5))), f"{VOLUME}.horizontalProjection.radius", ("-5",)),
        (ed269(zone(circle("big"))), f"{VOLUME}.horizontalProjection.radius", ("'big'",)),  # type: ignore[arg-type]
        (ed318(feature(point(None))), "features[0].geometry.extent.radius", ("None",)),
        (ed318(feature(point(1, extent=5))), "features[0].geometry.extent", ("object",)),
        (ed318(feature(point(1, extent=None))), "features[0].geometry.extent", ("object",)),
        (
            ed318(feature(point(1, extent={"subType": "Ellipse", "radius": 1}))),
            "features[0].geometry.extent.subType",
            ("'Ellipse'",),
        ),
        (ed318(feature(point() | {"coordinates": [8.5]})), "features[0].geometry.coordinates", ("latitude",)),
        (ed318(feature(point() | {"coordinates": [8.5, 91]})), "features[0].geometry.coordinates[1]", ("90",)),
        (ed318(feature(point() | {"coordinates": [181, 47]})), "features[0].geometry.coordinates[0]", ("180",)),
        (ed318(feature(point() | {"coordinates": 5})), "features[0].geometry.coordinates", ("5",)),
        # Polygons.
        (
            ed269(zone(volume(horizontalProjection={"type": "Polygon"}))),
            f"{VOLUME}.horizontalProjection.coordinates",
            ("None",),
        ),
        (
            ed269(zone(volume(horizontalProjection={"type": "Polygon", "coordinates": [[[8, "x"]]]}))),
            f"{VOLUME}.horizontalProjection.coordinates",
            ("x",),
        ),
        (
            ed269(zone(volume(horizontalProjection={"type": "Ellipse"}))),
            f"{VOLUME}.horizontalProjection.type",
            ("Circle or Polygon",),
        ),
        (ed269(zone(volume(horizontalProjection=None))), f"{VOLUME}.horizontalProjection", ("object",)),
        (ed318(feature(layered("LineString", RING))), "features[0].geometry.type", ("'LineString'", "Point")),
        # ED-318.
        (ed318(feature(), 5), "features[1]", ("object",)),
        (ed318(feature(), metadata=5), "metadata", ("object",)),
        (ed318(feature(), metadata={"validFrom": {"a": 1}}), "metadata.validFrom", ("ISO 8601",)),
        (ed318(feature(), metadata={"validTo": "soon"}), "metadata.validTo", ("'soon'",)),
        (ed318(feature(), feature() | {"properties": None}), "features[1].properties", ("object",)),
        (ed318(feature(type="RESTRICTED")), "features[0].properties.type", ("'RESTRICTED'", "USPACE")),
        (ed318(feature(identifier="")), "features[0].properties.identifier", ("empty",)),
        (ed318(feature() | {"geometry": None}), "features[0].geometry", ("object",)),
        (ed318(feature(layered() | {"layer": 5})), "features[0].geometry.layer", ("object",)),
        (
            ed318(feature({"type": "GeometryCollection", "geometries": []})),
            "features[0].geometry.geometries",
            ("empty",),
        ),
        (
            ed318(feature({"type": "GeometryCollection", "geometries": [layered(), 5]})),
            "features[0].geometry.geometries[1]",
            ("object",),
        ),
        (
            ed318(feature({"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection"}]})),
            "features[0].geometry.geometries[0].type",
            ("'GeometryCollection'",),
        ),
    ],
)
def test_the_path_of_the_field_is_named(document: Any, path: str, words: tuple[str, ...]) -> None:
    where, reason = refusal(document)
    assert where == path
    assert all(word in reason for word in words), reason


@pytest.mark.parametrize(
    "ring",
    [
        [[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]],  # crosses itself
        [[0, 0], [1, 0], [0, 0]],
        [[0, 0], [0, 0], [0, 0], [0, 0]],
        [[0, 0], [1, 0], [1, 95], [0, 0]],
        [],
    ],
)
@pytest.mark.parametrize("is_318", [False, True])
def test_polygons_that_the_engine_refuses(ring: Any, is_318: bool) -> None:
    """The reader or the monitor refuses them; the reader names the path."""
    bad = {"type": "Polygon", "coordinates": [ring]}
    if is_318:
        document: Any = ed318(feature(), feature(bad, identifier="B"))
    else:
        document = ed269(zone(), zone(volume(horizontalProjection=bad), identifier="B"))
    monitor = Monitor()
    with pytest.raises(FencepostError) as caught:
        monitor.add(uas.read(document)["B"].footprint, "B")
    assert "\n" not in str(caught.value)
    if isinstance(caught.value, InputError):
        assert "features[1].geometry" in str(caught.value)


def test_deep_nesting(tmp_path: Path) -> None:
    path = tmp_path / "zones.json"
    for text in ("[" * 100_000, '{"UASZoneList":[' * 50_000, '{"type":"FeatureCollection","features":' * 50_000):
        path.write_text(text)
        with pytest.raises(InputError):
            uas.read(path)
    nested: Any = {"type": "GeometryCollection", "geometries": [layered()]}
    for _ in range(100):
        nested = {"type": "GeometryCollection", "geometries": [nested]}
    assert refusal(ed318(feature(nested)))[0] == "features[0].geometry.geometries[0].type"


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for name, other in inner for each in places(other, (*path, name)))]


def changed(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    found = copy.deepcopy(document)
    parent = found
    for name in path[:-1]:
        parent = parent[name]
    parent[path[-1]] = value
    return found


FULL = [
    ed269(
        zone(
            volume(),
            circle(uomDimensions="FT"),
            applicability=[
                {
                    "permanent": "NO",
                    "startDateTime": "2026-01-01T00:00:00Z",
                    "endDateTime": "2026-01-31T23:59:59Z",
                    "schedule": [{"day": ["MON"], "startTime": "08:00Z", "endTime": "17:00Z"}],
                }
            ],
        )
    ),
    ed318(
        feature(
            {"type": "GeometryCollection", "geometries": [layered(), point()]},
            limitedApplicability=[{"schedule": [{"day": ["ANY"], "startTime": "08:00Z", "endTime": "17:00Z"}]}],
        ),
        metadata={"validFrom": "2026-01-01T00:00:00Z"},
    ),
]


@pytest.mark.parametrize("document", FULL)
def test_wrong_types_anywhere(document: Any, tmp_path: Path) -> None:
    """Replaces each value of a document by each of many wrong ones: the file is either read or refused in one line."""
    assert len(rows(document)) == 2
    refused = 0
    for path in places(document):
        for value in WRONG:
            one = changed(document, path, value)
            source = write(tmp_path, one)
            try:
                uas.read(source)
            except InputError as error:
                refused += 1
                assert "\n" not in str(error) and len(str(error)) < 600
    assert refused > 500


@pytest.mark.parametrize("document", FULL)
def test_random_damage(document: Any, tmp_path: Path) -> None:
    draw = random.Random(int(os.environ.get("FENCEPOST_SEED", "1")))
    path = tmp_path / "zones.json"
    text = json.dumps(document).encode()
    for _ in range(2_000 if IS_FULL else 200):
        data = bytearray(text)
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(data))
            data[at : at + draw.randint(0, 3)] = draw.choice(
                [b"", b"0", b"e9", b'"', b"[", b"}", b"\xff", b"null", b"-"]
            )
        path.write_bytes(data)
        try:
            uas.read(path)
        except InputError as error:
            assert "\n" not in str(error)
