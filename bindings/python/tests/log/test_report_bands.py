"""Tests the bands of heights in the report."""

from __future__ import annotations

import itertools
import json
import random
from math import inf
from typing import Any

from fencepost import AltitudeBand, Circle, EventLog, Fix, Monitor, replay
from fencepost._log.report_data import COLOURS, band_text, report_data
from fencepost._values.enums import HeightReference

START = 1_772_434_800_000_000
PLACE = Circle(47.35, 8.55, 500)


def log_of(bands: dict[str, AltitudeBand | None]) -> EventLog:
    monitor = Monitor()
    for name, band in bands.items():
        monitor.add(PLACE, name, policy="exact", band=band)
    heights: Any = {"geoid_height": 47.0, "ground_height": 420.0}
    fixes = [Fix(47.35, 8.55, 5, time=START + at * 1_000_000, altitude=500 + 100 * at, **heights) for at in range(5)]
    return replay(fixes, monitor)


def test_places_have_the_levels_of_their_bands() -> None:
    generator = random.Random(7)
    references = list(HeightReference)
    bands: dict[str, AltitudeBand | None] = {"none": None}
    for row in range(40):
        low, high = generator.choice([(0, 120), (50, inf), (-inf, 300), (100, 60)])
        below, above = generator.choices(references, k=2)
        if below == above and low > high:
            continue
        bands[f"z{row}"] = AltitudeBand(low, high, min_reference=below, max_reference=above)
    data = report_data(log_of(bands))
    assert {data.places[number] for number, _ in data.bands} == {*bands} - {"none"}
    for number, level in data.bands:
        band = bands[data.places[number]]
        assert band is not None and data.levels[level][0] == band_text(band)
    assert len(data.levels) == len({*bands.values()}) - 1
    colours = [colour for _, colour in data.levels]
    assert colours == sorted(colours) and {*colours} == {*range(COLOURS)}


def test_higher_bands_have_higher_levels() -> None:
    low, high = AltitudeBand(0, 50), AltitudeBand(100, 200)
    for order in itertools.permutations((("low", low), ("high", high), ("again", low))):
        data = report_data(log_of(dict(order)))
        level = {data.places[number]: each for number, each in data.bands}
        assert level["low"] == level["again"] == 0 and level["high"] == 1
        assert [colour for _, colour in data.levels] == [0, 1]


def test_texts() -> None:
    assert band_text(AltitudeBand(0, 120, reference="ground")) == "0 m to 120 m above the ground"
    for band in (AltitudeBand(max=120), AltitudeBand(5), AltitudeBand(0, 9, min_reference="ground")):
        assert band_text(band) == band.described


def test_the_page_has_them_and_the_events_say_the_vertical_distance() -> None:
    log = log_of({"low": AltitudeBand(550, 650), "flat": None})
    data: Any = report_data(log).page
    text = json.dumps(data)
    assert "550 m to 650 m above the ellipsoid" in text
    place = data["places"].index("low")
    said = [row[6] for row in data["events"] if row[1] == place]
    assert said and all("vertical" in each or "limit" in each or "height" in each for each in said), said
    assert report_data(log_of({"flat": None})).page["bands"] == []
