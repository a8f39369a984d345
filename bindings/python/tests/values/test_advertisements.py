"""Tests BeaconSighting.parse: scanners' data, the shared test vectors, and errors."""

from __future__ import annotations

import array
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import SHARED, UUID, mentions, refusal
from hypothesis import given, strategies as st

import fencepost
from fencepost import Beacon, BeaconSighting, Monitor
from fencepost._files.sightings import read_sightings
from fencepost.errors import InvalidArgumentError

BEACONS = SHARED / "data" / "beacons"
DATA = bytes.fromhex("0215" + UUID.replace("-", "") + "00010102c5")
RECORD = bytes.fromhex("0201061aff4c00") + DATA
needs_beacons = pytest.mark.skipif(not BEACONS.is_dir(), reason=f"{BEACONS} is not there")


def vectors() -> list[dict[str, object]]:
    path = BEACONS / "beacon-vectors.json"
    return json.loads(path.read_text()) if path.is_file() else []


@needs_beacons
@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: vector["id"])
def test_shared_vector(vector: dict[str, object]) -> None:
    payload = bytes.fromhex(vector["hex"])
    rssi = vector.get("rssi")
    if vector["kind"] == "hci":  # an HCI LE advertising report: header, AD structures, RSSI
        rssi = payload[-1] - 256
        payload = payload[14:-1]
    expected = vector["expect"]
    if expected is None or expected.get("type") not in ("ibeacon", "altbeacon"):
        with pytest.raises(InvalidArgumentError, match="AD structure|manufacturer data|empty"):
            BeaconSighting.parse(payload, company=vector.get("company_id"))
        return
    found = BeaconSighting.parse(payload, rssi=rssi, company=vector.get("company_id"))
    names = ("uuid", "major", "minor") if expected["type"] == "ibeacon" else ("id1", "id2", "id3")
    assert (str(found.uuid), found.major, found.minor) == tuple(expected[name] for name in names)
    assert (found.measured_power, found.kind, found.rssi) == (expected["tx_power"], expected["type"], rssi)
    assert rssi == expected.get("rssi", rssi)


@needs_beacons
def test_a_busy_office_holds_no_beacon() -> None:
    """The test has 511 real advertising reports from phones and sensors; none of them contains a beacon, and each is
    refused with a reason."""
    packets = re.findall(r"^> ([0-9A-F \n]+)", (BEACONS / "hcidump-2.x-office.txt").read_text(), re.MULTILINE)
    reports = [report for packet in packets if (report := bytes.fromhex(packet))[3] == 0x02]
    assert len(reports) >= 500
    for report in reports:
        with pytest.raises(InvalidArgumentError):
            BeaconSighting.parse(report[14:-1])


@pytest.mark.parametrize("payload", [RECORD, bytearray(RECORD), memoryview(RECORD), array.array("B", RECORD)])
def test_anything_with_bytes(payload: bytes) -> None:
    assert BeaconSighting.parse(payload) == BeaconSighting(UUID, 1, 258)


def test_manufacturer_data() -> None:
    assert BeaconSighting.parse(DATA, company=0x4C, rssi=-3) == BeaconSighting(UUID, 1, 258, -3)
    assert BeaconSighting.parse(b"\x4c\x00" + DATA).measured_power == -59


def test_a_parsed_sighting_is_fed_at_its_time() -> None:
    time = datetime(2024, 5, 1, 12, tzinfo=UTC)
    monitor = Monitor()
    monitor.add(Beacon(UUID, 1), "desk")
    sighting = BeaconSighting.parse(RECORD, rssi=-60, time=time)
    assert sighting.time == time
    monitor.feed_sightings(sighting)
    assert monitor.next_event().date == time
    monitor.feed_sightings([sighting, BeaconSighting.parse(RECORD, time=1_714_564_800_000_000)])
    for report in ([], [sighting, BeaconSighting(UUID, 1, 2)], [sighting, BeaconSighting.parse(RECORD, time=1)]):
        with pytest.raises(InvalidArgumentError, match="^time "):
            monitor.feed_sightings(report)


@pytest.mark.parametrize(
    ("payload", "options", "words", "position"),
    [
        (b"", {}, "empty", 0),
        (RECORD[:-1], {}, "byte 3: .* AD .* 26 .* begins, .* 25", 3),
        (b"\x00" * 31, {}, "their types: none", 0),
        (b"\x03\x03\xaa\xfe", {}, "their types: 0x03", 0),
        (DATA, {"company": 0x15}, "company 0x0015", 0),
        (DATA + b"\x00", {"company": 0x4C}, "24 .* company", 0),
        (DATA, {"company": 65536}, "company 65536 is outside", 0),
        (RECORD, {"time": datetime(2024, 5, 1)}, "naive", 0),
        (RECORD, {"rssi": 1 << 40}, "rssi", 0),
    ],
)
def test_refused_with_cause_and_place(payload: bytes, options: dict, words: str, position: int) -> None:
    with pytest.raises(InvalidArgumentError, match=words) as raised:
        BeaconSighting.parse(payload, **options)
    assert raised.value.position == position


@pytest.mark.parametrize("payload", ["0201", None, 5])
def test_not_bytes(payload: object) -> None:
    with pytest.raises(TypeError):
        BeaconSighting.parse(payload)


@given(st.binary(max_size=70), st.one_of(st.none(), st.integers(0, 65535)))
def test_any_bytes_are_answered(payload: bytes, company: int | None) -> None:
    try:
        assert BeaconSighting.parse(payload, company=company).kind in ("ibeacon", "altbeacon")
    except fencepost.errors.InvalidArgumentError as error:
        assert 0 <= error.position <= len(payload)


def test_payloads_in_a_sightings_file(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    beacons = [{"payload": RECORD.hex(), "rssi": -60}, {"payload": DATA.hex(), "company": 76}]
    path.write_text(json.dumps({"time": 1, "beacons": beacons}))
    assert read_sightings(path)[0].beacons == [BeaconSighting(UUID, 1, 258, -60), BeaconSighting(UUID, 1, 258)]
    for beacon, words in (
        ({"payload": "xy"}, "beacons[0]: payload "),
        ({"payload": 5}, "beacons[0]: payload "),
        ({"payload": "0201"}, "beacons[0]: payload: byte 0: … 2 bytes"),
        ({"payload": DATA.hex(), "company": "76"}, "company"),
        ({"payload": DATA.hex(), "uuid": UUID}, "key 'uuid' … payload"),
    ):
        path.write_text(json.dumps({"time": 1, "beacons": [beacon]}))
        assert mentions(refusal(read_sightings, path), words)
