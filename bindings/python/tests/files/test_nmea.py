"""Tests NMEA 0183 logs: dates, accuracies, damage, and real logs, which are compared with gpsd's results."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from conftest import OWN_TRACKS, TRACKS, mentions, needs_shared

from fencepost import Circle, InputError, InputWarning, replay
from fencepost._files.track_files import read_track
from fencepost._files.tracks import FixRow
from fencepost._tables.text_times import parse_time

pytest.importorskip("pynmea2")
NMEA = TRACKS / "nmea"
DAY = 86_400_000_000


def sentence(text: str) -> str:
    return f"${text}*{reduce(lambda sum, byte: sum ^ byte, text.encode(), 0):02X}"


def rmc(
    clock: str, date: str = "070220", status: str = "A", mode: str = ",A", place: str = "5230.0,N,01324.0,E"
) -> str:
    return sentence(f"GPRMC,{clock},{status},{place},0.0,0.0,{date},,{mode}")


def gga(clock: str, quality: int = 1, hdop: str = "0.9", place: str = "5230.0,N,01324.0,E") -> str:
    return sentence(f"GPGGA,{clock},{place},{quality},08,{hdop},10.0,M,,M,,")


def read(folder: Path, *lines: str, **options: Any) -> list[FixRow]:
    path = folder / "log.nmea"
    path.write_text("\r\n".join(lines) + "\r\n")
    return read_track(path, **options).fixes


def at(day: int, hour: int, minute: int = 0, second: int = 0, microsecond: int = 0) -> int:
    return round(datetime(2020, 2, day, hour, minute, second, microsecond, UTC).timestamp() * 1_000_000)


def test_one_fix_a_time_of_day(tmp_path: Path) -> None:
    lines = (rmc("120000.00"), gga("120000.00"), sentence("GPGSV,1,1,00"), gga("120001.25"), rmc("120001.25"))
    expected = [(52.5, 13.4, 4.5, at(7, 12)), (52.5, 13.4, 4.5, at(7, 12, 0, 1, 250_000))]
    assert read(tmp_path, *lines) == expected
    assert [fix[2] for fix in read(tmp_path, *lines, hdop_scale=2)] == [1.8, 1.8]
    # Loggers put their own time before a sentence, and some receivers write no checksum.
    assert read(tmp_path, *(f"2020-02-07T00:00:00Z {line}" for line in lines)) == expected
    assert read(tmp_path, *(line.partition("*")[0] for line in lines)) == expected
    path = tmp_path / "no-ending"
    path.write_text("\n".join(lines))
    assert read_track(path).fixes == expected


def test_rmc_alone_and_gga_alone(tmp_path: Path) -> None:
    assert read(tmp_path, rmc("120000")) == [(52.5, 13.4, 0.0, at(7, 12))]
    # The navigational status "not given" does not count as an alarm.
    assert read(tmp_path, rmc("120000", mode=",A,V"))[0][2] == 0.0
    assert read(tmp_path, sentence("GPZDA,120000,07,02,2020,,"), gga("120000", hdop="")) == [
        (52.5, 13.4, 0.0, at(7, 12))
    ]


def test_no_position(tmp_path: Path) -> None:
    """If a receiver reports that it has no fix, the coordinates of its sentence are not used."""
    for lines in (
        (rmc("120000", status="V"), gga("120000", quality=0)),
        (rmc("120000", mode=",N"),),
        (rmc("120000", status="V", place=",,,"), gga("120000", quality=0, place=",,,", hdop="")),
    ):
        (fix,) = read(tmp_path, *lines)
        assert math.isnan(fix[2]) and fix[3] == at(7, 12)
    # In each log, only one of the RMC and GGA sentences reports a fix.
    assert read(tmp_path, rmc("120000"), gga("120000", quality=0)) == [(52.5, 13.4, 0.0, at(7, 12))]
    assert read(tmp_path, gga("120000"), rmc("120000", status="V")) == [(52.5, 13.4, 4.5, at(7, 12))]


def test_midnight(tmp_path: Path) -> None:
    lines = (gga("235958"), rmc("235959"), gga("235959"), gga("000000"), gga("000001"), rmc("000002", "080220"))
    expected = [at(7, 23, 59, 58), at(7, 23, 59, 59), at(8, 0), at(8, 0, 0, 1), at(8, 0, 0, 2)]
    assert [fix[3] for fix in read(tmp_path, *lines)] == expected
    # The first date in the log is after midnight: the fixes that waited for a date belong to the previous day.
    assert [fix[3] for fix in read(tmp_path, gga("235959"), gga("000000"), rmc("000001", "080220"))] == [
        at(7, 23, 59, 59), at(8, 0), at(8, 0, 0, 1),
    ]  # fmt: skip


def test_times_are_exact(tmp_path: Path) -> None:
    for microsecond in (0, 1, 290_000, 570_000, 999_999):
        clock = f"120000.{microsecond:06}"
        assert read(tmp_path, rmc(clock))[0][3] == at(7, 12, 0, 0, microsecond)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((gga("120000"),), "line 1: … RMC … ZDA"),
        ((gga("120000"), rmc("120000")[:-2] + "00"), "RMC … ZDA … (1 RMC, GGA … ZDA"),
        ((rmc("120000")[:-2] + "00",), "1 RMC, GGA … ZDA"),
        ((sentence("GPGSV,1,1,00"),), "NMEA 0183: … RMC, GGA … ZDA"),
        (("<gpx></gpx>",), "NMEA 0183"),
        ((sentence("GPRMC,,V,,,,,,,,,"),), "points"),
        ((rmc("250000"),), "damaged"),
        ((rmc("120000", "990220"), gga("120000")), "RMC … ZDA"),
        ((sentence("GPZDA,120000,31,02,2020,,"),), "damaged"),
    ],
)
def test_broken_logs(tmp_path: Path, lines: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, *lines)
    assert mentions(caught.value, words) and str(caught.value).startswith(f"{tmp_path / 'log.nmea'}: ")


def test_hostile_bytes(tmp_path: Path) -> None:
    path = tmp_path / "log.nmea"
    path.write_bytes(b"\xff$GPRMC,\x00\xff,A*00\n$GPGGA\n$\n$GPGGA,,,,,,,,\n" + rmc("120000").encode() + b"\n$GPRMC,1")
    with pytest.warns(InputWarning, match="3.*4.*RMC.*GGA.*ZDA"):
        fixes = read_track(path).fixes
    assert fixes == [(52.5, 13.4, 0.0, at(7, 12))]


# Logs from gpsd's own tests, each with gpsd's result; the receivers report both position and time. The dates are not
# compared: gpsd mistakes an old date for a rollover of the GPS week number, and changes it.
GPSD = ("haicom-305N", "sl869", "garmin25lp", "telit-he910", "nokia-ld-4w", "bu353s4", "gr601-w", "myguide-3100",
        "ublox-neo-m9n-nmea", "nl2008u", "motorola-t805", "quectel", "beidou-bd")  # fmt: skip


@pytest.mark.parametrize(
    "log",
    [
        OWN_TRACKS / "nmea" / "quectel.log",
        *(NMEA / "gpsd" / f"{name}.log" for name in GPSD if TRACKS.is_dir()),
    ],
    ids=lambda log: f"{log.parent.name}-{log.stem}",
)
def test_as_gpsd_reads_it(log: Path) -> None:
    expected: dict[int, set[tuple[float, float]]] = {}
    ellipses: dict[int, tuple[float, ...]] = {}
    altitudes: dict[int, float] = {}
    for line in log.with_suffix(".log.chk").read_text(errors="replace").splitlines():
        if not line.startswith("{"):
            continue
        report = json.loads(line)
        if report.get("class") == "TPV" and "time" in report and "lat" in report:
            expected.setdefault(parse_time(report["time"]) % DAY // 1000, set()).add((report["lat"], report["lon"]))
            if "altHAE" in report:
                altitudes[parse_time(report["time"]) % DAY // 1000] = report["altHAE"]
        if report.get("class") == "GST" and "time" in report and report.get("major"):
            axes = report["major"], report["minor"], report["orient"]
            ellipses[parse_time(report["time"]) % DAY // 1000] = axes
    fixes = [fix for fix in read_track(log).fixes if fix[2] >= 0]
    common = [fix for fix in fixes if fix[3] % DAY // 1000 in expected]
    assert len(common) >= 0.5 * len(fixes) > 0
    for latitude, longitude, _, time, *beside in common:
        ellipse, heights = beside[:3], beside[3:]
        assert tuple(axis for axis in ellipse if axis == axis) == ellipses.get(time % DAY // 1000, ())
        if heights and time % DAY // 1000 in altitudes:
            assert abs(heights[0] - altitudes[time % DAY // 1000]) <= 0.11  # gpsd's model of the geoid fills in gaps
        places = expected[time % DAY // 1000]
        assert min(max(abs(latitude - y), abs(longitude - x)) for y, x in places) < 1e-6


def test_a_recorded_drive() -> None:
    """Compares the position and the accuracy of each fix with the GGA sentences of the same log."""
    path = OWN_TRACKS / "nmea" / "car-mountain-view.nmea"
    fixes = read_track(path).fixes
    gga = [line.split(",") for line in path.read_text().splitlines() if line[3:6] == "GGA"]
    assert len(fixes) == len(gga) == 100
    assert fixes[0][3] == parse_time("2020-02-07T02:16:20Z") and fixes[-1][3] - fixes[0][3] == 99_000_000
    for (latitude, longitude, accuracy, _, *beside), words in zip(fixes, gga):
        assert beside[3:6] == pytest.approx([float(words[9]) + float(words[11]), beside[4], float(words[11])])
        assert latitude == pytest.approx(int(words[2][:2]) + float(words[2][2:]) / 60, abs=1e-12)
        assert -longitude == pytest.approx(int(words[4][:3]) + float(words[4][3:]) / 60, abs=1e-12)
        assert accuracy == pytest.approx(5 * float(words[8]))


@needs_shared()
def test_real_logs() -> None:
    drive = read_track(NMEA / "car-mountain-view-ublox-f9k.nmea").fixes
    assert len(drive) >= 1653 and all(0 < fix[2] <= 200 for fix in drive if fix[2] == fix[2])
    ship = read_track(NMEA / "ship-nbp1406-seap.txt").fixes
    assert len(ship) == 715 and ship[0][3] == parse_time("2014-08-01T00:00:00.700Z")
    with pytest.raises(InputError, match="RMC.*ZDA"):
        read_track(NMEA / "car-mountain-view-SPAN-truth.gga")  # the checksum of every RMC is wrong
    lost = read_track(NMEA / "gpsd" / "skytraq.log").fixes
    assert all(math.isnan(fix[2]) for fix in lost)
    place = {"a": Circle(55.78, 23.57, 5000)}
    # This log's clock jumps back.
    assert replay(NMEA / "gpsd" / "bt451.log", place, sort=False).counts.late_fixes > 0
    with pytest.warns(InputWarning, match=r"bt451\.log: \d+ of \d+ fixes"):
        assert replay(NMEA / "gpsd" / "bt451.log", place).counts.late_fixes == 0
