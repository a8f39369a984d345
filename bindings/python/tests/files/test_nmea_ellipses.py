"""Tests the error ellipses of NMEA 0183 logs, which come from GST sentences. `test_nmea.py` compares the ellipses of a
receiver's log with those that gpsd reads from the log."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import mentions
from test_nmea import gga, read, rmc, sentence

from fencepost import InputError, InputWarning
from fencepost._files.tracks import FixRow
from fencepost._live.formats import make_decoder
from fencepost._live.lines import LineError

pytest.importorskip("pynmea2")
WIDE = (25.5, 4.25, 75.0)


def gst(clock: str, axes: str = "25.5,4.25,75.0", talker: str = "GP", more: str = "3.1,25.0,9.5") -> str:
    return sentence(f"{talker}GST,{clock},1.8,{axes},{more}")


def ellipses(fixes: list[FixRow]) -> list[tuple[float, ...]]:
    return [fix[4:] for fix in fixes]


@pytest.mark.parametrize(
    "lines",
    [
        (rmc("120000"), gga("120000"), gst("120000")),
        (rmc("120000"), gst("120000.000"), gga("120000.00")),
        (gst("120000"), rmc("120000"), gga("120000")),
        (rmc("120000"), gst("120000", talker="GN")),
        (rmc("120000"), gst("120000").partition("*")[0]),
    ],
    ids=["last", "between", "first", "of several systems", "without a checksum"],
)
def test_the_ellipse_of_the_same_time(lines: tuple[str, ...], tmp_path: Path) -> None:
    # The semi-axes are standard deviations already, so they are not converted.
    assert ellipses(read(tmp_path, *lines)) == [WIDE]
    # The ellipse does not change the accuracy, which comes from the dilution of precision.
    assert [fix[:4] for fix in read(tmp_path, *lines)] == read(tmp_path, *(line for line in lines if "GST" not in line))


def test_each_fix_has_its_own_ellipse(tmp_path: Path) -> None:
    lines = [
        line for second in range(5) for line in (rmc(f"12000{second}"), gst(f"12000{second}", f"{second + 1},1,9"))
    ]
    assert ellipses(read(tmp_path, *lines)) == [(second + 1.0, 1.0, 9.0) for second in range(5)]
    # The ellipses of receivers that send GST first, also before the date is known.
    lines = [
        line for second in range(3) for line in (gst(f"12000{second}", f"{second + 1},1,9"), gga(f"12000{second}"))
    ]
    assert ellipses(read(tmp_path, *lines, rmc("120003"))) == [(1, 1, 9), (2, 1, 9), (3, 1, 9), ()]


@pytest.mark.parametrize(
    "lines",
    [
        (gst("115959"), rmc("120000"), gga("120000")),
        (rmc("120000"), gst("120001"), gga("120000")),
        (rmc("120000"), gga("120000"), gst("115959.99")),
        (gst("120000"), gst("120001"), rmc("120000")),
    ],
)
def test_an_ellipse_of_another_time_is_not_used(lines: tuple[str, ...], tmp_path: Path) -> None:
    """Nor does a GST sentence begin or end a fix."""
    (fix,) = read(tmp_path, *lines)
    assert fix[4:] == ()


def test_a_sentence_is_used_once(tmp_path: Path) -> None:
    lines = (gst("120000"), rmc("120000"), rmc("120001"), rmc("120000", "080220"))
    assert ellipses(read(tmp_path, *lines)) == [WIDE, (), ()]
    # The sentence before a fix of another time does not wait for the next day.
    lines = (rmc("115959"), gst("120000"), rmc("120001"), rmc("120000", "080220"))
    assert ellipses(read(tmp_path, *lines)) == [(), (), ()]


@pytest.mark.parametrize("axes", [",,", "5.0,,", "5.0,4.0,", ",4.0,30", "0.0,0.0,0.0", "0,0,45"])
def test_a_sentence_without_an_ellipse(axes: str, tmp_path: Path) -> None:
    """Many receivers leave the fields empty or set them to 0; the sentence is not damaged."""
    assert ellipses(read(tmp_path, rmc("120000"), gst("120000", axes))) == [()]
    assert ellipses(read(tmp_path, rmc("120000"), gst("120000"), gst("120000", axes))) == [()]


@pytest.mark.parametrize(
    "damaged",
    [
        gst("120000")[:-2] + "00",
        gst("120000", "4.0,5.0,30"),
        gst("120000", "5.0,-4.0,30"),
        gst("120000", "nan,4.0,30"),
        gst("120000", "inf,4.0,30"),
        gst("120000", "1e3,4.0,30"),
        gst("120000", "5.0,4.0,400"),
        gst("120000", "5.0,4.0,north"),
        gst("250000"),
        sentence("GPGST,120000,1.8,5.0,4.0,30"),
    ],
    ids=["checksum", "minor", "negative", "nan", "inf", "exponent", "400", "text", "time", "short"],
)
def test_damaged_sentences(damaged: str, tmp_path: Path) -> None:
    """A damaged GST sentence is counted; its fix has only an accuracy."""
    with pytest.warns(InputWarning) as caught:
        fixes = read(tmp_path, rmc("120000"), damaged, rmc("120001"), gst("120001"))
    assert ellipses(fixes) == [(), WIDE]
    assert mentions(caught[0].message, "1 of 4 … GST … line 2: GST")


def test_a_log_without_positions(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, gst("120000"), gst("120001"))
    assert mentions(caught.value, "RMC, GGA … ZDA")
    path = tmp_path / "log"
    path.write_text("\n".join((gst("120000"), rmc("120000"))))
    from fencepost._files.track_files import read_track

    assert ellipses(list(read_track(path).fixes)) == [WIDE]


def test_a_stream() -> None:
    """A watch reads the sentences in the same way, whatever the pieces are."""
    text = "\r\n".join(
        (rmc("120000"), gst("120000"), gst("120001"), rmc("120001"), gst("120002", "4,5,6"), rmc("120002"))
    )
    for size in (1, 7, 10_000):
        decoder = make_decoder("nmea", "pipe")
        found = [each for at in range(0, len(text), size) for each in decoder.take(text.encode()[at : at + size])]
        found += decoder.end()
        fixes = [row for _, row in found if not isinstance(row, LineError)]
        assert ellipses(fixes) == [WIDE, WIDE, ()]
        (error,) = [row for _, row in found if isinstance(row, LineError)]
        assert mentions(error, "GST … 5 m … 4 m")
