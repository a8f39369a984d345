"""Tests the readers of UAS geographical zones: shapes, limits of height, units, references, classes and identifiers."""

from __future__ import annotations

import gzip
from datetime import date
from math import inf
from pathlib import Path
from typing import Any

import pytest
from conftest import mentions
from uas_documents import (
    DAY,
    RING,
    START,
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

from fencepost import Circle, Fix, InputError, Monitor, Polygon, Rule, TransitionPolicy, Zones, replay, uas
from fencepost._files.condition_files import read_conditions
from fencepost.errors import InvalidArgumentError
from fencepost.uas import AltitudeBand, HeightReference, Restriction

SQUARE = Polygon({"type": "Polygon", "coordinates": [RING]}, edges="planar")
AGL, AMSL, WGS84 = HeightReference.GROUND, HeightReference.MEAN_SEA_LEVEL, HeightReference.ELLIPSOID
FOOT = 0.3048


def band(low: float, high: float, below: HeightReference = WGS84, above: HeightReference = WGS84) -> AltitudeBand:
    return AltitudeBand(low, high, min_reference=below, max_reference=above)


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (ed269(zone()), "features[0].geometry[0]"),
        ({"formatVersion": "1", "UASZoneList": [zone()]}, "UASZoneList[0].geometry[0]"),
        ([zone()], "[0].geometry[0]"),
        (ed318(feature()), "features[0].geometry"),
        (feature(), "features[0].geometry"),
    ],
)
def test_a_zone_is_a_condition(document: Any, place: str) -> None:
    (row,) = rows(document)
    assert (row.place, row.identifier, row.footprint) == (place, "ZRH0001", SQUARE)
    assert row.band == band(50, 120, AGL, AGL)
    assert (row.name, row.restriction, row.timing) == ("a zone", Restriction.PROHIBITED, None)


def test_zones_with_several_volumes_are_numbered() -> None:
    high = {"lowerLimit": 120, "upperLimit": 300}
    three = rows(ed269(zone(volume(), circle(**high), volume(**high)), zone(identifier="B")))
    assert [row.identifier for row in three] == ["ZRH0001/1", "ZRH0001/2", "ZRH0001/3", "B"]
    assert [row.place for row in three][1:] == [
        "features[0].geometry[1]",
        "features[0].geometry[2]",
        "features[1].geometry[0]",
    ]
    parts = {"type": "GeometryCollection", "geometries": [layered(), point(layer={"lower": 120, "upper": 300})]}
    two = rows(ed318(feature(parts)))
    assert [(row.identifier, row.place) for row in two] == [
        ("ZRH0001/1", "features[0].geometry.geometries[0]"),
        ("ZRH0001/2", "features[0].geometry.geometries[1]"),
    ]
    assert two[1].footprint == three[1].footprint == Circle(47.35, 8.55, 1000)
    assert two[1].band == three[1].band == band(120, 300, AGL, AGL)


def test_polygons_with_holes_and_parts() -> None:
    hole = [[8.52, 47.32], [8.52, 47.33], [8.53, 47.33], [8.53, 47.32], [8.52, 47.32]]
    other = [[x + 1, y] for x, y in RING]
    projection = {"type": "Polygon", "coordinates": [RING, hole]}
    expected = Polygon({"type": "Polygon", "coordinates": [RING, hole]}, edges="planar")
    assert rows(ed269(zone(volume(horizontalProjection=projection))))[0].footprint == expected
    assert rows(ed318(feature(layered(coordinates=[RING, hole]))))[0].footprint == expected
    many = {"type": "MultiPolygon", "coordinates": [[RING], [other]]}
    (row,) = rows(ed318(feature(layered("MultiPolygon", many["coordinates"]))))
    assert row.footprint == Polygon(many, edges="planar") and row.identifier == "ZRH0001"


def test_feet_are_feet_of_limits_and_in_ed269_of_radii() -> None:
    (row,) = rows(ed269(zone(circle(1000, uomDimensions="FT", lowerLimit=100, upperLimit=400))))
    assert row.footprint == Circle(47.35, 8.55, 1000 * FOOT)
    assert row.band == band(100 * FOOT, 400 * FOOT, AGL, AGL)
    (row,) = rows(ed318(feature(point(1000, layer={"uom": "ft", "lower": 100, "upper": 400}))))
    assert row.footprint == Circle(47.35, 8.55, 1000)  # ED-318 states radii in metres
    assert row.band == band(100 * FOOT, 400 * FOOT, AGL, AGL)
    assert rows(ed318(feature(layered(layer={"uom": None}))))[0].band == band(50, 120, AGL, AGL)
    assert rows(ed318(feature(layered(layer={"uom": "FT"}))))[0].band == band(50 * FOOT, 120 * FOOT, AGL, AGL)


@pytest.mark.parametrize(
    ("changes", "limits"),
    [
        ({}, band(50, 120, AGL, AGL)),
        ({"lowerVerticalReference": "AMSL"}, band(50, 120, AMSL, AGL)),
        ({"lowerVerticalReference": "WGS84", "upperVerticalReference": "AMSL"}, band(50, 120, WGS84, AMSL)),
        ({"lowerLimit": 500, "upperVerticalReference": "AMSL"}, band(500, 120, AGL, AMSL)),
        ({"lowerLimit": "50", "upperLimit": "120.5"}, band(50, 120.5, AGL, AGL)),
        ({"upperLimit": None}, band(50, inf, AGL)),
        ({"upperLimit": None, "upperVerticalReference": None}, band(50, inf, AGL)),
        ({"upperLimit": 99_999}, band(50, inf, AGL)),
        ({"upperLimit": 99_998}, band(50, 99_998, AGL, AGL)),
        ({"lowerLimit": None}, band(-inf, 120, above=AGL)),
        ({"lowerLimit": 0}, band(-inf, 120, above=AGL)),
        ({"lowerLimit": "-0"}, band(-inf, 120, above=AGL)),
        ({"lowerLimit": 0, "lowerVerticalReference": "AMSL"}, band(0, 120, AMSL, AGL)),
        ({"lowerLimit": -20, "lowerVerticalReference": "WGS84"}, band(-20, 120, WGS84, AGL)),
        ({"lowerLimit": 0, "upperLimit": None}, None),
        ({"lowerLimit": None, "upperLimit": 100_000}, None),
    ],
)
def test_limits_and_references(changes: dict[str, Any], limits: AltitudeBand | None) -> None:
    (row,) = rows(ed269(zone(volume(**changes))))
    assert row.band == limits
    names = {"lowerLimit": "lower", "upperLimit": "upper"} | {
        f"{which}VerticalReference": f"{which}Reference" for which in ("lower", "upper")
    }
    (same,) = rows(ed318(feature(layered(layer={names[name]: value for name, value in changes.items()}))))
    assert same.band == limits


def test_a_geometry_without_a_layer_has_no_band() -> None:
    (row,) = rows(ed318(feature({"type": "Polygon", "coordinates": [RING]})))
    assert row.band is None


@pytest.mark.parametrize(
    ("name", "restriction"),
    [
        ("PROHIBITED", Restriction.PROHIBITED),
        ("REQ_AUTHORISATION", Restriction.REQ_AUTHORISATION),
        ("REQ_AUTHORIZATION", Restriction.REQ_AUTHORISATION),
        ("CONDITIONAL", Restriction.CONDITIONAL),
        ("NO_RESTRICTION", Restriction.NO_RESTRICTION),
        ("USPACE", Restriction.USPACE),
    ],
)
def test_the_class_is_the_tag(name: str, restriction: Restriction) -> None:
    if name == "USPACE":
        assert refusal(ed269(zone(restriction=name)))[0] == "features[0].restriction"
    else:
        assert rows(ed269(zone(restriction=name)))[0].restriction == restriction
    if name == "REQ_AUTHORISATION":
        path, reason = refusal(ed318(feature(type=name)))
        assert path == "features[0].properties.type" and "REQ_AUTHORIZATION" in reason
    else:
        assert rows(ed318(feature(type=name)))[0].restriction == restriction


def test_identifiers_are_unique() -> None:
    path, reason = refusal(ed269(zone(), zone()))
    assert path == "features[1].identifier" and "features[0].geometry[0]" in reason
    path, reason = refusal(ed269(zone(volume(), volume()), zone(identifier="ZRH0001/2")))
    assert path == "features[1].identifier" and "features[0].geometry[1]" in reason
    path, reason = refusal(ed318(feature(), feature()))
    assert path == "features[1].properties.identifier"


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (None, ""),
        (5, ""),
        ("Zürich", "Zürich"),
        ([], ""),
        ([None, {"lang": "de-CH"}, {"text": 5}, {"text": "Zürich", "lang": "de-CH"}, {"text": "Zurich"}], "Zürich"),
    ],
)
def test_names(name: Any, found: str) -> None:
    assert rows(ed269(zone(name=name)))[0].name == found
    assert rows(ed318(feature(name=name)))[0].name == found


def test_other_collections_are_conditions_as_before(tmp_path: Path) -> None:
    place = {"type": "Point", "coordinates": [8.55, 47.35]}
    plain = {"type": "Feature", "geometry": place, "properties": {"id": "a", "radius": 50, "country": "CHE"}}
    (row,) = read_conditions(write(tmp_path, ed318(plain)), TransitionPolicy.standard())
    assert row.condition == Circle(47.35, 8.55, 50)
    with pytest.raises(InputError, match="FeatureCollection"):
        read_conditions(write(tmp_path, {"features": []}), TransitionPolicy.standard())


# Reading, and monitoring the footprints ------------------------------------------------------------------------------

DOCUMENTS = [ed269(zone(volume(), circle()), zone(identifier="B")), ed318(feature(), feature(point(), identifier="B"))]


@pytest.mark.parametrize("document", [*DOCUMENTS, [zone()], (zone(),), {"UASZoneList": [zone()]}, feature()])
def test_files_and_documents(document: Any, tmp_path: Path) -> None:
    """Tests that all kinds of sources give the same zones."""
    zones = uas.read(document)
    path = write(tmp_path, document)
    text = b"\xef\xbb\xbf" + path.read_bytes()
    (tmp_path / "marked.json").write_bytes(text)
    (tmp_path / "packed.json.gz").write_bytes(gzip.compress(text))
    assert zones and [*zones] == [each.identifier for each in zones.values()]
    for source in (path, str(path), tmp_path / "marked.json", tmp_path / "packed.json.gz"):
        assert uas.read(source) == zones


def test_zones_are_monitored_with_their_heights() -> None:
    document = ed269(zone(volume(), volume(lowerLimit=300, upperLimit=400, lowerVerticalReference="AMSL")))
    monitor = Monitor()
    for each in uas.read(document).values():
        monitor.add(each.footprint, each.identifier, policy="exact", band=each.band)
    for second, altitude, geoid, ground in (
        (0, 500, 47, 400),
        (1, 540, 47, 470),
        (2, 540, None, 470),
        (3, 440, None, None),
    ):
        heights = {"altitude": altitude, "geoid_height": geoid, "ground_height": ground}
        monitor.feed(Fix(47.35, 8.55, accuracy=5, time=START + second * 1_000_000, **heights))
    found = [(event.identifier, str(event.state), event.vertical_distance) for event in monitor.events()]
    assert found == [
        ("ZRH0001/1", "satisfied", -20.0),
        ("ZRH0001/2", "satisfied", -153.0),
    ]


def test_a_zone_with_several_volumes_is_a_rule() -> None:
    """A drone climbs from one volume into another, and above it: only the zone has events, and no exit between them."""
    high = volume(lowerLimit=120, upperLimit=300)
    document = ed269(zone(volume(), high, name="tower"), zone(identifier="single"))
    zones = uas.read(document)
    assert [each.zone for each in zones.values()] == ["ZRH0001", "ZRH0001", "single"]
    rules = uas.rules(zones)
    assert rules == {"ZRH0001": Rule.any("ZRH0001/1", "ZRH0001/2")}
    silent = TransitionPolicy.from_dict({"notify": []}, base=TransitionPolicy.exact())
    monitor = Monitor()
    for each in zones.values():
        policy = "exact" if each.identifier == each.zone else silent
        monitor.add(each.footprint, each.identifier, policy=policy, band=each.band)
    for identifier, rule in rules.items():
        monitor.add(rule, identifier, policy="exact", tag=zones[rule.parts[0]].restriction)
    for minute, above_ground in enumerate((10, 60, 130, 200, 400, 100, 10)):
        heights = {"altitude": 400 + above_ground, "ground_height": 400}
        monitor.feed(Fix(47.35, 8.55, accuracy=5, time=START + minute * 60_000_000, **heights))
    found = [(event.identifier, str(event.state), (event.date_us - START) // 60_000_000, event.tag)
             for event in monitor.events() if event.identifier != "single"]  # fmt: skip
    changes = [("unsatisfied", 0), ("satisfied", 1), ("unsatisfied", 4), ("satisfied", 5), ("unsatisfied", 6)]
    assert found == [("ZRH0001", *change, Restriction.PROHIBITED) for change in changes]


def test_rules_name_the_volumes_that_are_there() -> None:
    parts = {"type": "GeometryCollection", "geometries": [layered(), point(), point(2000)]}
    zones = uas.read(ed318(feature(parts)))
    assert uas.rules(zones) == {"ZRH0001": Rule.any("ZRH0001/1", "ZRH0001/2", "ZRH0001/3")}
    del zones["ZRH0001/2"]
    assert uas.rules(zones) == {"ZRH0001": Rule.any("ZRH0001/1", "ZRH0001/3")}
    assert uas.rules(uas.read(ed318(feature()))) == uas.rules({}) == {}
    # A single zone whose identifier looks like a volume's is not a volume.
    assert uas.rules(uas.read(ed269(zone(identifier="A/1"), zone(identifier="A/2")))) == {}
    many = uas.read(ed269(zone(*[volume()] * 1001)))
    with pytest.raises(InvalidArgumentError, match="1001 parts"):
        uas.rules(many)
    assert len(uas.rules(dict(list(many.items())[:1000]))["ZRH0001"].parts) == 1000


@pytest.mark.parametrize(
    ("zones", "place"),
    [
        # The rule of the first zone needs the identifier of the second one.
        ([zone(volume(), volume()), zone()], "features[1].identifier"),
        ([zone(), zone(volume(), volume())], "features[1].identifier"),
        ([zone(volume(), volume()), zone(volume(), volume(), volume())], "features[1].identifier"),
        ([zone(volume(), volume()), zone(identifier="ZRH0001/2")], "features[1].identifier"),
        ([zone(identifier="ZRH0001/2"), zone(volume(), volume())], "features[1].identifier"),
    ],
)
def test_zones_and_volumes_share_no_identifier(zones: list[Any], place: str) -> None:
    with pytest.raises(InputError) as refused:
        uas.read(ed269(*zones))
    assert mentions(refused.value, f"{place} … ZRH0001 … features[0].geometry[")


def test_footprints_are_monitored() -> None:
    """The zone applies from 08:00 to 17:00 UTC on Thursdays; the drone is there from 07:00 to 18:00."""
    hours = [{"day": ["THU"], "startTime": "08:00Z", "endTime": "17:00Z"}]
    document = ed269(zone(volume(), circle(), applicability=[{"permanent": "NO", "schedule": hours}]))
    zones = uas.read(document, start=date(2026, 1, 1), until=date(2026, 1, 8))
    monitor = Monitor()
    for each in zones.values():
        monitor.add(each.footprint, each.identifier, policy="exact", tag=each.restriction, timing=each.timing)
    for hour in (7, 9, 16, 18):
        monitor.feed(Fix(47.35, 8.55, accuracy=5, time=START + hour * 3_600_000_000))
    found = [(event.identifier, event.state, event.tag, event.date_us - START) for event in monitor.events()]
    expected = ("satisfied", Restriction.PROHIBITED, 9 * 3_600_000_000)
    assert found == [(f"ZRH0001/{number}", *expected) for number in (1, 2)]
    assert zones["ZRH0001/1"].band == band(50, 120, AGL, AGL)
    form = zones["ZRH0001/1"].to_dict()
    assert (form["restriction"], form["band"]["max"], form["name"]) == (4, 120, "a zone")
    assert form["timing"]["active"]["until"] == "2026-01-08T00:00:00Z"
    assert zones["ZRH0001/1"].timing.active.until_us == START + 7 * DAY  # type: ignore[union-attr]


def test_the_days_of_a_schedule_without_dates() -> None:
    hours = [{"day": ["ANY"], "startTime": "08:00Z", "endTime": "17:00Z"}]
    document = ed318(feature(limitedApplicability=[{"schedule": hours}]))

    def intervals(**days: Any) -> Any:
        schedule = uas.read(document, **days)["ZRH0001"].timing.active  # type: ignore[union-attr]
        return schedule.intervals_us  # type: ignore[union-attr]

    assert len(intervals(start=date(2024, 2, 1), until=date(2024, 3, 1))) == 29
    day = date(2024, 2, 1)
    for days, missing in (({}, "start"), ({"start": day}, "until"), ({"until": day}, "start")):
        with pytest.raises(InputError, match=missing):
            intervals(**days)
    for days, words in (
        ({"start": date(2024, 2, 1), "until": date(2024, 2, 1)}, "until 2024-02-01 is not later"),
        ({"until": date(1, 1, 1)}, "outside year 2"),
    ):
        with pytest.raises(InvalidArgumentError, match=words):
            intervals(**days)
    with pytest.raises(TypeError, match=r"start is '2024-02-01'; must be a datetime\.date"):
        intervals(start="2024-02-01")


@pytest.mark.parametrize("source", [None, 5, b"zones.json", {1, 2}])
def test_sources_of_other_types(source: Any) -> None:
    with pytest.raises(TypeError, match="source must be"):
        uas.read(source)


@pytest.mark.parametrize("source", [{}, [], {"type": "FeatureCollection", "features": []}, {"features": [5]}])
def test_other_documents_are_refused(source: Any, tmp_path: Path) -> None:
    for each in (source, write(tmp_path, source)):
        with pytest.raises(InputError, match="is neither ED-269"):
            uas.read(each)


@pytest.mark.parametrize("document", [*DOCUMENTS, {"UASZoneList": [zone()]}])
def test_zones_are_not_read_as_plain_geojson(document: Any, tmp_path: Path) -> None:
    """As plain GeoJSON, zones would lose their limits of height without a word."""
    path = write(tmp_path, document)
    fix = Fix(47.35, 8.55, accuracy=5, time=START)
    for source in (path, document) if "UASZoneList" in document or "type" in document else (path,):
        for call in (
            lambda source=source: Monitor(conditions=source),
            lambda source=source: Zones(source),
            lambda source=source: replay([fix], source),
        ):
            with pytest.raises(InputError, match=r"fencepost\.uas\.read"):
                call()
