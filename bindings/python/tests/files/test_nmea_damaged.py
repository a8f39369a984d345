"""Tests that damaged and incomplete NMEA 0183 sentences give no position, in files and in live streams."""

from __future__ import annotations

import json
import os
import random
import warnings
from functools import reduce
from pathlib import Path

import pytest
from conftest import TRACKS, Run, mentions, needs_shared

from fencepost._files.track_files import read_track
from fencepost._files.tracks import FixRow
from fencepost._live.formats import make_decoder
from fencepost._live.lines import LineError

pytest.importorskip("pynmea2")

# Each damaged line has the time 12:00:01 and is put between good lines. If a line has no checksum here, the test
# appends the correct one.
DAMAGED = {
    "no coordinates": "GPRMC,120001,A,,,,,0,0,220815,,,A",
    "no coordinates in GGA": "GPGGA,120001,,,,,1,08,0.9,10.0,M,0.0,M,,",
    "no latitude": "GPRMC,120001,A,,N,01324.0,E,0.0,0.0,070220,,,A",
    "no longitude": "GPRMC,120001,A,5230.0,N,,E,0.0,0.0,070220,,,A",
    "no latitude in GGA": "GPGGA,120001,,N,01324.0,E,1,08,0.9,10.0,M,0.0,M,,",
    "no longitude in GGA": "GPGGA,120001,5230.0,N,,E,1,08,0.9,10.0,M,0.0,M,,",
    "no hemispheres": "GPRMC,120001,A,5230.0,,01324.0,,0.0,0.0,070220,,,A",
    "no north or south": "GPRMC,120001,A,5230.0,,01324.0,E,0.0,0.0,070220,,,A",
    "no east or west": "GPGGA,120001,5230.0,N,01324.0,,1,08,0.9,10.0,M,0.0,M,,",
    "lower-case hemispheres": "GPRMC,120001,A,5230.0,n,01324.0,e,0.0,0.0,070220,,,A",
    "lower-case north": "GPGGA,120001,5230.0,n,01324.0,E,1,08,0.9,10.0,M,0.0,M,,",
    "swapped hemispheres": "GPRMC,120001,A,5230.0,E,01324.0,N,0.0,0.0,070220,,,A",
    "swapped hemispheres in GGA": "GPGGA,120001,5230.0,W,01324.0,S,1,08,0.9,10.0,M,0.0,M,,",
    "both hemispheres": "GPGGA,120001,5230.0,NS,01324.0,EW,1,08,0.9,10.0,M,0.0,M,,",
    "swapped coordinates": "GPRMC,120001,A,01324.0,N,5230.0,E,0.0,0.0,070220,,,A",
    "60 minutes": "GPRMC,120001,A,5260.0,N,01324.0,E,0.0,0.0,070220,,,A",
    "99 minutes": "GPGGA,120001,5230.0,N,01399.9,E,1,08,0.9,10.0,M,0.0,M,,",
    "beyond the pole": "GPRMC,120001,A,9000.1,N,01324.0,E,0.0,0.0,070220,,,A",
    "beyond the antimeridian": "GPRMC,120001,A,5230.0,N,18000.1,E,0.0,0.0,070220,,,A",
    "a digit fewer": "GPRMC,120001,A,530.0,N,01324.0,E,0.0,0.0,070220,,,A",
    "a digit more": "GPRMC,120001,A,5230.0,N,013244.0,E,0.0,0.0,070220,,,A",
    "no point": "GPRMC,120001,A,5230,N,01324,E,0.0,0.0,070220,,,A",
    "nothing after the point": "GPGGA,120001,5230.,N,01324.,E,1,08,0.9,10.0,M,0.0,M,,",
    "two points": "GPRMC,120001,A,52.30.0,N,01324.0,E,0.0,0.0,070220,,,A",
    "a sign": "GPRMC,120001,A,-5230.0,N,01324.0,E,0.0,0.0,070220,,,A",
    "an exponent": "GPRMC,120001,A,5230.0e0,N,01324.0,E,0.0,0.0,070220,,,A",
    "not a number": "GPGGA,120001,nan,N,01324.0,E,1,08,0.9,10.0,M,0.0,M,,",
    "zeros": "GPRMC,120001,A,0,N,0,E,0.0,0.0,070220,,,A",
    "a space": "GPRMC,120001,A,5230.0 ,N,01324.0,E,0.0,0.0,070220,,,A",
    "degrees": "GPRMC,120001,A,52.5,N,13.4,E,0.0,0.0,070220,,,A",
    "a lower-case status": "GPRMC,120001,a,5230.0,N,01324.0,E,0.0,0.0,070220,,,A",
    "a status that there is not": "GPRMC,120001,1,5230.0,N,01324.0,E,0.0,0.0,070220,,,A",
    "a quality that there is not": "GPGGA,120001,5230.0,N,01324.0,E,9,08,0.9,10.0,M,0.0,M,,",
    "a negative quality": "GPGGA,120001,5230.0,N,01324.0,E,-1,08,0.9,10.0,M,0.0,M,,",
    "a dilution that is none": "GPGGA,120001,5230.0,N,01324.0,E,1,08,nan,10.0,M,0.0,M,,",
    "a negative dilution": "GPGGA,120001,5230.0,N,01324.0,E,1,08,-1,10.0,M,0.0,M,,",
    "valid without a date": "GPRMC,120001,A,5230.0,N,01324.0,E,0.0,0.0,,,,A",
    "half a date": "GPRMC,120001,A,5230.0,N,01324.0,E,0.0,0.0,07022,,,A",
    "a day that there is not": "GPRMC,120001,A,5230.0,N,01324.0,E,0.0,0.0,310220,,,A",
    "half a time": "GPRMC,1200,A,5230.0,N,01324.0,E,0.0,0.0,070220,,,A",
    "61 minutes of time": "GPGGA,126101,5230.0,N,01324.0,E,1,08,0.9,10.0,M,0.0,M,,",
    "a field left out": "GPRMC,120001,A,N,01324.0,E,0.0,0.0,070220,,,A",
    "a field left out of GGA": "GPGGA,120001,5230.0,N,E,1,08,0.9,10.0,M,0.0,M,,",
    "torn after the position": "GPGGA,120001,5230.0,N,01324.0,E",
    "torn after the quality": "GPGGA,120001,5230.0,N,01324.0,E,1",
    "torn within the longitude": "$GPRMC,120001,A,5230.0,N,013",
    "torn after the date": "$GPRMC,120001,A,5230.0,N,01324.0,E,0.0,0.0,070220",
    "torn within the check sum": "$GPRMC,120001,A,5230.0,N,01324.0,E,0.0,0.0,070220,,,A*6",
    "the check sum of another": "$GPRMC,120001,A,5230.0,N,01324.0,E,0.0,0.0,070220,,,A*00",
    "a check sum that is none": "$GPRMC,120001,A,5230.0,N,01324.0,E,0.0,0.0,070220,,,A*XY",
    "a bit that fell over": "$GPRMC,120001,A,5230.0,N,01324.0,G,0.0,0.0,070220,,,A",
    "bytes of a wrong speed": "$GPRMC,120001,A,52\x8030.0,N,01324.0,E,0.0,0.0,070220,,,A",
    "a zero byte": "$GPRMC,120001,A,5230.0,N,01324\x00.0,E,0.0,0.0,070220,,,A",
    "the date of another sentence": "GPZDA,120001,07,02,202,,",
    "a date torn off": "GPZDA,120001,07,02",
}


def sentence(body: str) -> str:
    return f"${body}*{reduce(lambda sum, byte: sum ^ byte, body.encode(), 0):02X}"


def whole(second: int) -> str:
    return sentence(f"GPRMC,1200{second:02},A,5230.0,N,01324.0,E,0.0,0.0,070220,,,A")


def line(damaged: str) -> str:
    return damaged if damaged.startswith("$") else sentence(damaged)


def of_file(path: Path, data: bytes) -> tuple[list[FixRow], list[str]]:
    path.write_bytes(data)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = [row for row in read_track(path).fixes if row[2] >= 0]
    return rows, [str(warning.message) for warning in caught]


def watched(data: bytes) -> tuple[list[FixRow], list[str]]:
    decoder = make_decoder("nmea", "it")
    found = [*decoder.take(data), *decoder.end()]
    rows = [row for _, row in found if not isinstance(row, LineError) and row[2] >= 0]
    return rows, [str(row) for _, row in found if isinstance(row, LineError)]


def test_there_are_enough() -> None:
    assert len(DAMAGED) >= 40


@pytest.mark.parametrize("name", DAMAGED)
def test_no_position_comes_from_a_damaged_sentence(name: str, tmp_path: Path) -> None:
    lines = [whole(0), line(DAMAGED[name]), whole(2)]
    data = "\r\n".join(lines).encode("latin-1")
    good, said = of_file(tmp_path / "good.nmea", "\r\n".join(lines[::2]).encode())
    assert [(row[0], row[1]) for row in good] == [(52.5, 13.4)] * 2 and said == []
    rows, (reported,) = of_file(tmp_path / "log.nmea", data)
    assert rows == good
    rows, (error,) = watched(data)
    assert rows == good
    assert mentions(reported, f"{tmp_path / 'log.nmea'}: 1 of 3 … line 2: {error}")


def test_nothing_happens_for_damaged_sentences(run: Run, tmp_path: Path) -> None:
    """Damaged sentences cause neither an exit nor an entry, although a reader could take a damaged coordinate for 0."""
    places = {"berlin": (52.5, 13.4), "null": (0, 0), "equator": (0, 13.4), "greenwich": (52.5, 0)}
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [longitude, latitude]},
            "properties": {"identifier": name, "radius": 50, "policy": "exact"},
        }
        for name, (latitude, longitude) in places.items()
    ]
    (tmp_path / "places.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    damaged = [line(body).replace("120001", f"1200{second + 1:02}") for second, body in enumerate(DAMAGED.values())]
    text = "\r\n".join([whole(0), *damaged, whole(59), ""])
    (tmp_path / "log.nmea").write_bytes(text.encode("latin-1"))
    replayed = run("replay", "log.nmea", "--conditions", "places.geojson", "--format", "jsonl")
    followed = run("watch", "--source", "log.nmea", "--conditions", "places.geojson")
    assert replayed.returncode == followed.returncode == 0, replayed.stderr + followed.stderr
    assert followed.stdout == replayed.stdout
    events = [json.loads(event) for event in replayed.stdout.splitlines()]
    assert {event["identifier"]: event["state"] for event in events} == {
        "berlin": "satisfied", "null": "unsatisfied", "equator": "unsatisfied", "greenwich": "unsatisfied",
    }  # fmt: skip
    assert len(events) == len(places)


def test_a_torn_sentence_takes_none_with_it(tmp_path: Path) -> None:
    """A complete sentence that follows a torn sentence on the same line is read."""
    text = f"{whole(0)}\r\n{whole(1)[:30]}{whole(2)}\r\n{whole(3)}"
    assert [row[3] // 1_000_000 % 60 for row in of_file(tmp_path / "log.nmea", text.encode())[0]] == [0, 2, 3]


def test_a_makers_own_sentence_is_no_damage() -> None:
    """Garmin's $PGRMC configures a receiver; it is not an RMC sentence."""
    text = f"{whole(0)}\r\n{sentence('PGRMC,A,218.8,100,6378137.000,298.257223563,0.0,0.0,0.0,A,3,1,1,4,30')}\r\n"
    assert watched(text.encode())[1] == []


def test_a_receiver_without_a_fix_is_no_damage() -> None:
    for body in (
        "GPRMC,120001,V,,,,,,,070220,,,N", "GPRMC,120001,V,5230.0,N,01324.0,E,0.0,0.0,070220,,",
        "GPRMC,,V,,,,,,,,,,N", "GPGGA,120001,,,,,0,00,99.99,,,,,,", "GPGGA,,,,,,0,,,,,,,,",
        "GPGGA,120001,5230.0,N,01324.0,E,,00,,,M,,M,,", "GPZDA,,,,,,",
    ):  # fmt: skip
        rows, errors = watched(f"{whole(0)}\r\n{sentence(body)}\r\n{whole(2)}\r\n".encode())
        assert len(rows) == 2, body
        assert errors == [], body


@pytest.mark.parametrize(
    "body",
    [
        "GPRMC,120001,A,5230.1234,N,01324.5678,E,0.0,0.0,070220,,,A",
        "GPGGA,120001,5230.1234,N,01324.5678,E,1,08,0.9,10.0,M,0.0,M,,",
    ],
    ids=["RMC", "GGA"],
)
def test_no_cut_gives_another_position(body: str) -> None:
    """Tests that a sentence cut off after any of its characters gives no wrong position, both without a checksum and
    with a matching checksum."""
    place = pytest.approx((52.502056666666666, 13.409463333333333))
    fields = {"RMC": 11, "GGA": 14}[body[2:5]]
    for end in range(6, len(body) + 1):
        part = body[:end]
        for torn in (f"${part}", sentence(part)):
            rows, _ = watched(f"{whole(0)}\r\n{torn}\r\n{whole(2)}\r\n".encode())
            between = [row for row in rows if row[3] // 1_000_000 % 60 == 1]
            assert [row[:2] for row in between] in ([], [place]), torn
            assert not between or part.count(",") >= fields, f"from an incomplete sentence: {torn}"


@needs_shared()
def test_no_damage_to_a_real_log_gives_another_position(tmp_path: Path) -> None:
    """If a real log's bytes are changed, lost, doubled or torn, every position read still occurs in the original
    log."""
    seed = int(os.environ.get("FENCEPOST_SEED", random.SystemRandom().randrange(1 << 32)))
    generator = random.Random(seed)
    log = (TRACKS / "nmea" / "gpsd" / "telit-he910.log").read_bytes()
    known = {row[:2] for row in watched(log)[0]}
    assert len(known) > 10
    lines = log.splitlines(keepends=True)
    damaged = bytearray()
    hurt = 0
    for _ in range(5):
        for text in lines:
            at, how = generator.randrange(len(text)), generator.randrange(6)
            hurt += how < 5
            damaged += {
                0: text[:at] + bytes([generator.randrange(32, 127)]) + text[at + 1 :],
                1: text[:at] + text[at + 1 :],
                2: text[:at] + text[at : at + 1] + text[at:],
                3: text[:at],
                4: text[:at] + b"\r\n",
            }.get(how, text)
    rows, _ = watched(bytes(damaged))
    assert hurt > 1000 and len(rows) > 100, f"seed {seed}"
    assert {row[:2] for row in rows} <= known, f"seed {seed}"
