"""The report: a page with a map, a timeline and a table, drawn with Bokeh, that needs no network."""

from __future__ import annotations

import os
from collections.abc import Mapping
from html import escape
from typing import Any

from .._errors import require
from .._tables.html import text as shown
from .._values.enums import State
from .log import Log
from .report_data import (
    EVENT_COLOURS,
    EVENT_MARKS,
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    STATE_COLOURS,
    ReportData,
    report_data,
)
from .report_page import PAGE, TOOLTIP_STYLE
from .report_script import LONGITUDE_LABELS, LONGITUDE_TICKS, PAGE_SCRIPT, REVEAL
from .report_visits import visits_json
from .visits import Visits

OPEN_STREET_MAP = "https://tile.openstreetmap.org/{Z}/{X}/{Y}.png"
_ATTRIBUTION = "© OpenStreetMap contributors"
_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


def report(log: Log, *, title: str | None = None, base_map: bool | str = False) -> str:
    """The page; see :meth:`EventLog.report`."""
    file_html = require("bokeh.embed", "report").file_html
    inline = require("bokeh.resources", "report").INLINE
    visits = log.visits()
    data = report_data(log, visits)
    events = _event_source(data)
    states, overview = _timeline(data, events), _map(data, base_map, events)
    events.selected.js_on_change("indices", _reveal(events, overview, states))
    name = title or ", ".join(sorted({os.path.basename(replayed.source) for replayed in log.replays})) or "Fencepost"
    page: str = file_html(
        [overview, states],
        inline,
        title=name,
        template=_template(),
        template_variables={
            "heading": escape(name),
            "facts": _facts(log, visits),
            "notes": "".join(f"<li>{escape(note)}</li>" for note in data.notes),
            "visits": visits_json(visits),
            "tracks": _legend(data),
            "key": _key(data),
            "page_script": PAGE_SCRIPT,
            "base_map": "checked" if base_map else "",
        },
    )
    return page


def _template() -> Any:
    return require("bokeh.core.templates", "report").get_env().from_string(PAGE)


def _tooltip(rows: dict[str, str], head: str) -> str:
    cells = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in rows.items())
    return f'<div style="{TOOLTIP_STYLE}"><b>{head}</b><table>{cells}</table></div>'


_EVENT_TOOLTIP = _tooltip(
    {
        "confirmed": "@date UTC",
        "evidence": "@evidence",
        "cause": "@cause",
        "distance": "@distance",
        "accuracy": "@accuracy",
        "flags": "@flags",
        "event": "@sequence",
    },
    "@name: @state",
)


def _by_state(values: Mapping[Any, str], field: str = "state") -> Any:
    transform = require("bokeh.transform", "report")
    factors = [str(state) for state in values]
    if field == "mark":
        return transform.factor_mark("state", list(values.values()), factors)
    return transform.factor_cmap("state", list(values.values()), factors)


def _event_source(data: ReportData) -> Any:
    """One source for the marks of both plots, so that a selection in one shows in the other."""
    return require("bokeh.models", "report").ColumnDataSource(dict(data.events), name="event source")


def _shown_events(plot: Any, x: str, y: str, events: Any, name: str, size: int) -> Any:
    models = require("bokeh.models", "report")
    return plot.scatter(
        x,
        y,
        source=events,
        # The legend of tracks fills in which events are shown; None is all of them.
        view=models.CDSView(filter=models.BooleanFilter(name=f"shown {name}")),
        name=name,
        size=size,
        marker=_by_state(EVENT_MARKS, "mark"),
        fill_color=_by_state(EVENT_COLOURS),
        line_color="#ffffff",
        line_width=1.2,
        selection_line_color="#24292f",
        selection_line_width=2,
        nonselection_fill_alpha=0.25,
    )


def _reveal(events: Any, overview: Any, states: Any) -> Any:
    """Scrolls the map and the timeline, if necessary, to a selected event."""
    arguments = {"source": events, "x": overview.x_range, "y": overview.y_range, "time": states.x_range}
    return require("bokeh.models", "report").CustomJS(args=arguments, code=REVEAL)


def _map(data: ReportData, base_map: bool | str, event_source: Any) -> Any:
    models = require("bokeh.models", "report")
    plot = require("bokeh.plotting", "report").figure(
        name="map",
        y_axis_type="mercator",
        height=540,
        sizing_mode="stretch_width",
        match_aspect=True,
        tools="pan,box_zoom,reset,save",
        output_backend="canvas",
    )
    _dress(plot)
    plot.x_range, plot.y_range = models.DataRange1d(range_padding=0.1), models.DataRange1d(range_padding=0.1)
    plot.xaxis.ticker = plot.xgrid.ticker = models.CustomJSTicker(major_code=LONGITUDE_TICKS)
    plot.xaxis.formatter = models.CustomJSTickFormatter(code=LONGITUDE_LABELS)
    url = base_map if isinstance(base_map, str) else OPEN_STREET_MAP
    tiles = models.WMTSTileSource(url=url, attribution=_ATTRIBUTION if url == OPEN_STREET_MAP else "")
    # Invisible tiles are never fetched; a script of the page shows them.
    plot.add_tile(tiles, name="base map", visible=False, level="image", alpha=0.75)

    # The initial view of the map.
    if data.frame is not None:
        west, south, east, north = data.frame
        frame = plot.quad(left=[west], right=[east], bottom=[south], top=[north], alpha=0, name="frame")
        plot.x_range.renderers, plot.y_range.renderers = [frame], [frame]

    places = plot.multi_polygons(
        "xs",
        "ys",
        source=models.ColumnDataSource(dict(data.places)),
        name="places",
        fill_color="#0072b2",
        fill_alpha="alpha",
        line_color="#0072b2",
        line_alpha=0.7,
        line_width=1.5,
        selection_line_color="#24292f",
        selection_line_alpha=1,
        selection_fill_alpha="alpha",
        nonselection_line_alpha=0.7,
        nonselection_fill_alpha="alpha",
    )
    if 0 < len(data.places["name"]) <= 60:
        plot.text(
            "label_x",
            "label_y",
            "label",
            source=places.data_source,
            name="labels",
            text_align="center",
            y_offset=-4,
            text_baseline="bottom",
            text_font_size="11px",
            text_font=dict(value=_FONT),
            text_color="#24292f",
            background_fill_color="#ffffff",
            background_fill_alpha=0.65,
            padding=1,
        )
    plot.multi_line(
        "x",
        "y",
        source=models.ColumnDataSource(data.lines),
        name="tracks",
        line_color="colour",
        line_width=1.8,
        line_alpha="alpha",
    )
    events = _shown_events(plot, "x", "y", event_source, "events", 13)
    inside = _tooltip({"place": "@what", "visits": "@visits"}, "@name")
    plot.add_tools(
        models.HoverTool(renderers=[events], tooltips=_EVENT_TOOLTIP, name="event hover", attachment="right"),
        models.HoverTool(renderers=[places], tooltips=inside, name="place hover", visible=False, attachment="left"),
        models.TapTool(renderers=[events]),
        wheel := models.WheelZoomTool(zoom_on_axis=False),
    )
    plot.toolbar.active_scroll = wheel
    return plot


def _timeline(data: ReportData, event_source: Any) -> Any:
    models = require("bokeh.models", "report")
    count = len(data.rows)
    plot = require("bokeh.plotting", "report").figure(
        name="timeline",
        x_axis_type="datetime",
        y_range=models.Range1d(count - 0.5, -0.5) if count else models.Range1d(0, 1),
        height=max(24 * count, 24) + 60,
        sizing_mode="stretch_width",
        tools="xpan,xwheel_zoom,xbox_zoom,reset,save",
        output_backend="canvas",
    )
    _dress(plot)
    plot.yaxis.ticker = models.FixedTicker(ticks=list(range(count)))
    # Not plain str: Bokeh would fetch a typesetter for a name with dollar signs.
    plot.yaxis.major_label_overrides = {row: models.PlainText(label) for row, label in enumerate(data.rows)}
    plot.xaxis.formatter = models.DatetimeTickFormatter(
        milliseconds="%H:%M:%S.%3N",
        seconds="%H:%M:%S",
        minsec="%H:%M:%S",
        minutes="%H:%M",
        hourmin="%H:%M",
        hours="%H:%M",
        days="%Y-%m-%d",
        months="%Y-%m",
        years="%Y",
    )
    plot.ygrid.visible = False
    states = plot.hbar(
        y="row",
        left="left",
        right="right",
        height=0.56,
        source=models.ColumnDataSource(dict(data.states)),
        name="states",
        fill_color=_by_state(STATE_COLOURS),
        line_color="edge",
        line_width="width",
    )
    events = _shown_events(plot, "time", "row", event_source, "timeline events", 9)
    held = _tooltip({"from": "@from UTC", "until": "@until", "cause": "@cause"}, "@name: @state")
    plot.add_tools(
        models.HoverTool(renderers=[events], tooltips=_EVENT_TOOLTIP, name="event hover", attachment="right"),
        models.HoverTool(
            renderers=[states],
            tooltips=held,
            name="state hover",
            visible=False,
            attachment="left",
            point_policy="follow_mouse",
        ),
        models.TapTool(renderers=[events]),
    )
    return plot


def _dress(plot: Any) -> None:
    plot.toolbar.logo = None
    plot.outline_line_color = "#c3cad2"
    plot.grid.grid_line_color = "#eceff2"
    plot.axis.axis_line_color = "#c3cad2"
    plot.axis.major_tick_line_color = "#c3cad2"
    plot.axis.minor_tick_line_color = None
    plot.axis.major_label_text_font = _FONT
    plot.axis.major_label_text_color = "#57606a"
    plot.border_fill_color = None


def _facts(log: Log, visits: Visits) -> str:
    facts = {
        "period (UTC)": f"{shown(log.start)} – {shown(log.end)}" if log.start else "–",
        "fixes": f"{log.counts.fixes:,}",
        "conditions": f"{len(log.conditions):,}",
        "events": f"{len(log):,}",
        "visits": f"{len(visits):,}",
    }
    if log.by is not None:
        facts = {f"tracks by {log.by}": f"{len(log.tracks):,}", **facts}
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items())


def _legend(data: ReportData) -> str:
    """A switch for each track, where there are several."""
    if len(data.lines["track"]) < 2:
        return ""
    return "".join(
        f'<label><input type="checkbox" checked value="{number}">'
        f'<i style="background:{colour}"></i>{escape(name)}</label>'
        for number, (name, colour) in enumerate(zip(data.lines["track"], data.lines["colour"]))
    )


def _key(data: ReportData) -> str:
    signs = [
        ("▲", EVENT_COLOURS[State.SATISFIED], "satisfied"),
        ("▼", EVENT_COLOURS[State.UNSATISFIED], "unsatisfied"),
        ("◆", EVENT_COLOURS[State.UNKNOWN], "no longer monitored"),
        ("■", STATE_COLOURS[State.SATISFIED], "is satisfied"),
        ("■", STATE_COLOURS[State.UNSATISFIED], "is unsatisfied"),
        ("□", "#c3cad2", "not known yet"),
    ]
    crossed = set(data.events["state"]) & {LEFT_TO_RIGHT, RIGHT_TO_LEFT}
    signs += [
        (sign, EVENT_COLOURS[words], words)
        for sign, words in (("■", LEFT_TO_RIGHT), ("●", RIGHT_TO_LEFT))
        if words in crossed
    ]
    return "".join(f'<span><i style="color:{colour}">{sign}</i> {words}</span>' for sign, colour, words in signs)
