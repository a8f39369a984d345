"""Tests the colours of the report, live page, playground, site and QGIS styles: they come from one list, are readable,
and can be told apart by people who are colour-blind."""

from __future__ import annotations

import itertools
import re
from importlib.resources import files
from pathlib import Path

import pytest

TOKENS = (files("fencepost") / "_look" / "tokens.css").read_text(encoding="utf-8")
COLOURS = {name: pair for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS)}
STATES = ("inside", "outside", "enter", "leave", "unknown")
BANDS = ("band-0", "band-1", "band-2")
BACKS = ("back", "panel", "sea", "land")
BINDINGS = Path(__file__).resolve().parents[3]
# The matrices are from Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of color vision
# deficiency" (2009), severity 1.0, for linear RGB.
EYES = {
    "trichromat": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanope": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranope": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanope": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(one: str, other: str) -> float:
    """Returns the contrast ratio as defined in WCAG 2.2."""
    dark, light = sorted(sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear(each))) for each in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: str, eye: str) -> tuple[float, float, float]:
    red, green, blue = (min(max(sum(w * c for w, c in zip(row, linear(colour))), 0.0), 1.0) for row in EYES[eye])
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (
            (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
            0.2126 * red + 0.7152 * green + 0.0722 * blue,
            (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
        )
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("eye", EYES)
def test_all_eyes_tell_the_states_apart(eye: str, scheme: int) -> None:
    """Returns the CIE 1976 difference between two colours; a difference of about 2.3 is just noticeable."""
    for one, other in (*itertools.combinations(STATES, 2), *itertools.combinations(BANDS, 2)):
        pair = [lab(COLOURS[name][scheme], eye) for name in (one, other)]
        assert sum((a - b) ** 2 for a, b in zip(*pair)) ** 0.5 >= 19, (one, other)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_and_marks_are_seen(scheme: int) -> None:
    for back in BACKS:
        least = dict.fromkeys(("text", "soft", "link"), 4.5) | dict.fromkeys((*STATES, *BANDS, "track"), 3.0)
        for name, wanted in least.items():
            assert contrast(COLOURS[name][scheme], COLOURS[back][scheme]) >= wanted, (name, back)


def test_nothing_else_has_colours_or_fonts_of_its_own() -> None:
    """Style sheets and scripts take colours and fonts from the tokens; QGIS styles use the tokens of a light page."""
    package = BINDINGS / "python" / "src" / "fencepost"
    sheets = [
        *(sheet for sheet in package.glob("_look/*.*s*") if sheet.name != "tokens.css"),
        *package.glob("_log/report_files/*.*s*"),
        *package.glob("_live/page_files/*.*s*"),
        BINDINGS / "site" / "wide.css",
        *BINDINGS.glob("site/playground/*.*s"),
    ]
    if not (BINDINGS / "site").is_dir():
        pytest.skip("a source distribution has neither site nor plugin")
    assert len(sheets) >= 10
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        assert re.findall(r"(?<!&)#(?:[0-9a-f]{3}){1,2}\b(?![\w-])|\brgba?\(|\bhsla?\(", text) == [], sheet
        assert re.findall(r"(?:font(?:-family)?|font = )[^;]*(?:sans-serif|system-ui)", text) == [], sheet
    known = {tuple(int(light[at : at + 2], 16) for at in (1, 3, 5)) for light, _ in COLOURS.values()}
    for style in BINDINGS.glob("qgis/fencepost_qgis/styles/*.qml"):
        for found in re.findall(
            r'[cC]olor"[^>]*value="(\d+),(\d+),(\d+),|Color="(\d+),(\d+),(\d+),', style.read_text()
        ):
            assert tuple(int(part) for part in found if part) in known, (style.name, found)
