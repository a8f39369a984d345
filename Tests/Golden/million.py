"""Writes the input of a long replay: a track of a million fixes at 1 Hz, and a file of 400 circles along its route.

    Tests/Golden/million.py TRACK.csv CIRCLES.csv

Uses only integers, so that the files have the same bytes on every machine.
"""

from __future__ import annotations

import datetime
import sys

FIXES = 1_000_000
SIDE = 20  # circles in each direction, 0.5 arc minutes apart


def zigzag(step: int, length: int) -> int:
    """A triangle wave: 0 ... length ... 0."""
    place = step % (2 * length)
    return min(place, 2 * length - place)


def degrees(base: int, millionths: int) -> str:
    return f"{base}.{millionths:06d}"


def main(track: str, circles: str) -> None:
    with open(circles, "w", newline="\n") as file:
        file.write("identifier,latitude,longitude,radius\n")
        for row in range(SIDE):
            for column in range(SIDE):
                latitude, longitude = degrees(48, 5_000 * row), degrees(11, 7_500 * column)
                file.write(f"cell {row} {column},{latitude},{longitude},{100 + (row * 7 + column * 13) % 90}\n")
    start = datetime.datetime(2024, 1, 1)
    with open(track, "w", newline="\n") as file:
        file.write("time,latitude,longitude,accuracy\n")
        for day in range(0, FIXES, 86_400):
            date = (start + datetime.timedelta(seconds=day)).date()
            rows = []
            for second in range(min(86_400, FIXES - day)):
                step = day + second
                # The two speeds share no factor: the track covers the grid and takes long to repeat itself.
                latitude, longitude = degrees(48, zigzag(step * 61, 100_000)), degrees(11, zigzag(step * 97, 150_000))
                clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
                rows.append(f"{date}T{clock}Z,{latitude},{longitude},{4 + step % 9}\n")
            file.write("".join(rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
