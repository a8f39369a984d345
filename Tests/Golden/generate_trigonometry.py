"""Writes trigonometry.tsv: exact values of the functions of FencepostKernel's Trigonometry.

    pip install mpmath; python generate_trigonometry.py > trigonometry.tsv

Columns: function, first and second argument (the second is 0 if the function has one), the value as a double, and the
remainder that rounding to a double left off. Deterministic: the arguments come from a generator with a fixed seed.
"""

import random

from mpmath import atan2, cos, mp, mpf, pi, sin

mp.dps = 60
random.seed(20130101)


def emit(name, first, second, value):
    rounded = float(value)
    print(name, repr(float(first)), repr(float(second)), repr(rounded), repr(float(value - mpf(rounded))), sep="\t")


def degrees():
    yield from (0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 120.0, 135.0, 180.0, 270.0, 359.0, 360.0, 720.0, -30.0, -90.0)
    yield from (1e-9, 1e-300, 89.99999999999999, 90.00000000000001, 179.99999999999997)
    yield from (44.99999999999999, 45.00000000000001)
    yield from (1e9, 999999999.5, 1e12 + 0.25, 1e15 + 30, 1e22, 1.7e308, -123456789.123456789)
    for _ in range(60):
        yield random.uniform(-180, 180)
    for _ in range(15):
        yield 90 * random.randint(-4, 4) + random.choice((-1, 1)) * 10 ** random.uniform(-12, 0)
    for _ in range(15):
        yield random.uniform(-1e6, 1e6)


def exact_degrees(angle):
    # Reducing a huge double modulo 360 needs more digits than the rest of the table.
    with mp.workdps(400):
        rest = mpf(angle) % 360
        return +sin(rest * pi / 180), +cos(rest * pi / 180)


print("# function\tfirst\tsecond\tvalue\ttail")
for angle in degrees():
    sine, cosine = exact_degrees(angle)
    if angle % 180 == 0:
        sine = mpf(0)
    if (angle - 90) % 180 == 0:
        cosine = mpf(0)
    emit("sinDegrees", angle, 0, sine)
    emit("cosDegrees", angle, 0, cosine)
for index in range(50):
    angle = random.uniform(-3.5, 3.5) if index < 35 else random.uniform(-1e5, 1e5)
    emit("sin", angle, 0, sin(mpf(angle)))
    emit("cos", angle, 0, cos(mpf(angle)))
vectors = [(1, 1), (1, -1), (-1, -1), (-1, 1), (0.125, 1), (0.375, 1), (0.625, 1), (0.875, 1), (1e-20, 1), (1, 1e-20)]
for index in range(70):
    scale = 10 ** random.uniform(-9, 0) if index % 3 == 0 else 1
    vectors.append((random.uniform(-1, 1) * scale, random.uniform(-1, 1)))
    if index % 3 == 1:
        vectors[-1] = vectors[-1][::-1]
for y, x in vectors:
    angle = atan2(mpf(y), mpf(x))
    emit("atan2", y, x, angle)
    emit("atan2Degrees", y, x, angle * 180 / pi)
