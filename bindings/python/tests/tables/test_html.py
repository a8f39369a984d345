"""Numbers in displayed tables."""

from __future__ import annotations

from fencepost import Circle, Fix, replay


def test_places_are_told_apart_to_a_centimetre() -> None:
    fixes = [Fix(52.49, 13.4, time=0), Fix(52.5089, 13.4000001, time=60_000_000), Fix(52.0, -0.5, time=120_000_000)]
    places = {"home": Circle(52.49, 13.4, 50), "far": Circle(52.0, -0.5, 9)}
    shown = replay(fixes, places, policy="exact")._repr_html_()
    for text in ("<td>52.49</td>", "<td>52.5089</td>", "<td>13.4000001</td>", "<td>52.0</td>", "<td>-50.0</td>"):
        assert text in shown
