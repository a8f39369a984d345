"""Tests the warning about tracks without the heights that bands need. Such zones would tell nothing, without a word."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fencepost import AltitudeBand, Circle, Fix, Monitor, replay
from fencepost.errors import InputWarning

COLUMNS = "device,latitude,longitude,time,accuracy,height,ground"


def track_file(folder: Path, ground: str = "350") -> str:
    path = folder / "track.csv"
    rows = [f"{device},0,0,{second},5,400,{ground}" for second in range(9) for device in "xy"]
    path.write_text("\n".join([COLUMNS, *rows]) + "\n")
    return str(path)


def zones(band: AltitudeBand | None) -> Monitor:
    monitor = Monitor()
    monitor.add(Circle(0, 0, radius=100), "plain", policy="exact")
    monitor.add(Circle(0, 0, radius=100), "low", policy="exact", band=band)
    return monitor


def warned(play: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        play()
    return [str(each.message) for each in found if issubclass(each.category, InputWarning)]


LOW = AltitudeBand(max=120, reference="ground")


@pytest.mark.parametrize("device", ["device", None])
def test_a_file_without_the_heights(tmp_path: Path, device: str | None) -> None:
    path = track_file(tmp_path)
    options: dict[str, Any] = {} if device is None else {"device": device}
    if device is None:
        Path(path).write_text(f"{COLUMNS}\nx,0,0,1,5,400,350\n")
    (text,) = warned(lambda: replay(path, zones(LOW), **options))
    assert "'low'" in text and "columns={'altitude'" in text and "track.csv" in text
    some = {"altitude": "height"}
    (text,) = warned(lambda: replay(path, zones(LOW), columns=some, **options))
    assert "ground_height" in text
    every = some | {"ground_height": "ground"}
    assert not warned(lambda: replay(path, zones(LOW), columns=every, **options))
    assert not warned(lambda: replay(path, zones(AltitudeBand(max=500)), columns=some, **options))
    assert not warned(lambda: replay(path, zones(None), **options))


def test_many_tracks_have_heights_of_their_own(tmp_path: Path, run: Callable[..., Any]) -> None:
    path, rows = tmp_path / "track.csv", [COLUMNS]
    for second in range(60):
        for number in range(3):
            rows.append(f"d{number},0,{0.0006 * (second // 6 % 3)},{second},5,{(second * 7 + number * 40) % 300},50")
    path.write_text("\n".join(rows) + "\n")
    columns = {"altitude": "height", "ground_height": "ground"}
    ways: list[dict[str, Any]] = [{}, {"path": "geodesic", "max_gap": 60}]
    for path_options in ways:
        tracks = replay(path, zones(LOW), device="device", columns=columns, **path_options)
        for number in range(3):
            own = tmp_path / "own.csv"
            own.write_text("\n".join([COLUMNS, *(row for row in rows if row.startswith(f"d{number},"))]) + "\n")
            alone = replay(own, zones(LOW), columns=columns, **path_options)
            (found,) = (
                [event.to_json() for event in each.events] for each in tracks.replays if each.key == f"d{number}"
            )
            assert found == [event.to_json() for event in alone] and len(found) > 9


def test_a_column_without_values(tmp_path: Path) -> None:
    path = track_file(tmp_path, ground="")
    columns = {"altitude": "height", "ground_height": "ground"}
    (text,) = warned(lambda: replay(path, zones(LOW), device="device", columns=columns))
    assert "ground_height" in text


@pytest.mark.parametrize("device", ["device", None])
@pytest.mark.parametrize("kind", ["csv", "geojson", "frame", "parquet"])
def test_columns_that_look_like_heights(tmp_path: Path, kind: str, device: str | None) -> None:
    """Such a column is not read, because its unit or its reference is not guessed; the warning names it."""
    like = ("ellipsoid_altitude_ft", "height_agl", "alt_ft", "altitudeFeet", "altitude", "height above ground")
    others = ("asphalt", "ground_speed", "geoid", "altitude_error", "note")
    rows = [dict.fromkeys((*like, *others), 100) | {"device": "x", "time": second} for second in range(3)]
    source: Any = tmp_path / f"track.{kind}"
    if kind == "geojson":
        place = {"type": "Point", "coordinates": [0, 0]}
        features = [{"type": "Feature", "properties": row, "geometry": place} for row in rows]
        source.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    elif kind == "csv":
        head = [*rows[0], "lat", "lon"]
        source.write_text("\n".join([",".join(head), *(",".join(map(str, [*row.values(), 0, 0])) for row in rows)]))
    else:
        pytest.importorskip("pyarrow")
        frame = pytest.importorskip("pandas").DataFrame(rows).assign(lat=0.0, lon=0.0)
        if kind == "parquet":
            frame.to_parquet(source)
        source = source if kind == "parquet" else frame
    options: dict[str, Any] = {} if device is None else {"device": device}
    found = warned(lambda: replay(source, zones(AltitudeBand(max=120)), **options))
    (text,) = [each for each in found if "no fix has the altitude" in each]
    assert f"{', '.join(map(repr, like))}; if" in text and not any(repr(name) in text for name in others)
    if kind != "geojson":  # which has the altitude in its geometry
        columns = {"altitude": "altitude"}
        sea = AltitudeBand(max=120, reference="mean_sea_level")
        found = warned(lambda: replay(source, zones(sea), columns=columns, **options))
        (text,) = [each for each in found if "no fix has the geoid_height" in each]
        assert ": 'geoid'; if" in text


def test_a_column_that_is_read_does_not_look_like_another(tmp_path: Path) -> None:
    path = track_file(tmp_path, ground="")
    columns = {"altitude": "height", "ground_height": "ground"}
    (text,) = warned(lambda: replay(path, zones(LOW), columns=columns, device="device"))
    assert "these columns" not in text


def test_fixes_of_a_program() -> None:
    fixes = [Fix(0, 0, accuracy=5, time=second * 1_000_000) for second in range(5)]
    (text,) = warned(lambda: replay(fixes, zones(AltitudeBand(max=120))))
    assert "altitude" in text and "'low'" in text
    fixes.append(Fix(0, 0, accuracy=5, time=9_000_000, altitude=100))
    assert not warned(lambda: replay(fixes, zones(AltitudeBand(max=120))))


def test_the_command_names_its_option(tmp_path: Path, run: Callable[..., Any]) -> None:
    properties = {"radius": 100, "altitude_max": 120, "altitude_max_reference": "ground"}
    zone = {
        "type": "Feature",
        "id": "a",
        "geometry": {"type": "Point", "coordinates": [0, 0]},
        "properties": properties,
    }
    (tmp_path / "zones.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [zone]}))
    common = (track_file(tmp_path), "--conditions", str(tmp_path / "zones.geojson"), "--by", "device")
    for more in ((), ("--jobs", "2")):
        assert "--columns altitude=NAME" in run("replay", *common, *more).stderr
        assert "ellipsoid: 'height'; if such" in run("replay", *common, *more).stderr
        done = run("replay", *common, *more, "--columns", "altitude=height,ground_height=ground")
        assert "altitude" not in done.stderr and done.returncode == 0
