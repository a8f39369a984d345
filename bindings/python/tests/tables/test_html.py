"""Tests tables for notebooks: the format of their numbers, their borders, and tables of explanations."""

from __future__ import annotations

from fencepost import Circle, Fix, Monitor, replay


def test_places_are_distinguished_to_a_centimetre() -> None:
    fixes = [Fix(52.49, 13.4, time=0), Fix(52.5089, 13.4000001, time=60_000_000), Fix(52.0, -0.5, time=120_000_000)]
    places = {"home": Circle(52.49, 13.4, 50), "far": Circle(52.0, -0.5, 9)}
    shown = replay(fixes, places, policy="exact")._repr_html_()
    for text in ("52.49", "52.5089", "13.4000001", "52.0", "-50.0"):
        assert f'<td class="number">{text}</td>' in shown


def test_numbers_are_aligned_and_rows_have_one_line() -> None:
    """The output contains a style sheet, because the style sheet of a notebook aligns all cells on the right and
    centres the caption."""
    log = replay([Fix(52.5, 13.4, accuracy=5, time=0)], {"home": Circle(52.5, 13.4, 50)})
    shown = log._repr_html_()
    assert '<th class="number">sequence</th>' in shown and "<th>identifier</th>" in shown and "<td>home</td>" in shown
    assert '<td class="time">1970-01-01 00:00:00</td>' in shown
    assert "border-collapse:collapse" in shown and shown.count("border-bottom") == 1
    assert "color:" not in shown.partition("<table")[0].replace("border-color:", ""), "the theme sets the colours"


def test_an_explanation_is_a_table() -> None:
    monitor = Monitor()
    monitor.add(Circle(52.5, 13.4, 100), "<home>")
    assert "&lt;home&gt;: no_fix_yet, observed unknown" in monitor.explain("<home>")._repr_html_()
    monitor.feed(Fix(52.5, 13.4, accuracy=5, time=0))
    monitor.feed(Fix(52.51, 13.4, accuracy=5, time=60_000_000))
    why = monitor.explain("<home>")
    assert str(why) == (
        "<home>: dwelling, observed satisfied, last fix 1012.8 m outside the boundary, accuracy 5.0 m, due in 20 s"
    )
    shown = why._repr_html_()
    for name, value in (("last fix", "1012.8 m outside the boundary"), ("accuracy", "5.0 m"), ("due in", "20 s")):
        assert f"<td>{name}</td><td>{value}</td>" in shown
