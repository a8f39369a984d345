"""The report: a page with a map, a timeline and a table, drawn with Bokeh, that needs no network."""

from __future__ import annotations

import os
from html import escape
from typing import Any

from .._errors import require
from .._tables.rows import shown
from .._values.enums import State
from .log import Log
from .report_data import EVENT_COLOURS, EVENT_MARKS, STATE_COLOURS, ReportData, report_data
from .report_page import BASE_MAP_SCRIPT, LONGITUDE_LABELS, LONGITUDE_TICKS, PAGE, TOOLTIP_STYLE

OPEN_STREET_MAP = "https://tile.openstreetmap.org/{Z}/{X}/{Y}.png"
_ATTRIBUTION = "© OpenStreetMap contributors"
_MOST_VISITS = 500
_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


def report(log: Log, *, title: str | None = None, base_map: bool | str = False) -> str:
    """The page; see :meth:`EventLog.report`."""
    file_html = require("bokeh.embed", "report").file_html
    inline = require("bokeh.resources", "report").INLINE
    data = report_data(log)
    plots = [_map(data, base_map), _timeline(data)]
    name = title or ", ".join(sorted({os.path.basename(replayed.source) for replayed in log.replays})) or "Fencepost"
    page: str = file_html(
        plots,
        inline,
        title=name,
        template=_template(),
        template_variables={
            "heading": escape(name),
            "facts": _facts(log),
            "notes": "".join(f"<li>{escape(note)}</li>" for note in data.notes),
            "visits": _visits(log),
            "key": _key(),
            "base_map_script": BASE_MAP_SCRIPT,
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


def _by_state(values: dict[State, str], field: str = "state") -> Any:
    transform = require("bokeh.transform", "report")
    factors = [str(state) for state in values]
    if field == "mark":
        return transform.factor_mark("state", list(values.values()), factors)
    return transform.factor_cmap("state", list(values.values()), factors)


def _map(data: ReportData, base_map: bool | str) -> Any:
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

    # What the map shows at first.
    if data.frame is not None:
        west, south, east, north = data.frame
        frame = plot.quad(left=[west], right=[east], bottom=[south], top=[north], alpha=0, name="frame")
        plot.x_range.renderers, plot.y_range.renderers = [frame], [frame]

    circles = plot.multi_polygons(
        "xs",
        "ys",
        source=models.ColumnDataSource(dict(data.circles)),
        name="circles",
        fill_color="#0072b2",
        fill_alpha="alpha",
        line_color="#0072b2",
        line_alpha=0.7,
        line_width=1.5,
    )
    if 0 < len(data.circles["name"]) <= 60:
        plot.text(
            "label_x",
            "label_y",
            "label",
            source=circles.data_source,
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
        line_color="#30363d",
        line_width=1.8,
        line_alpha=0.75,
    )
    events = plot.scatter(
        "x",
        "y",
        source=models.ColumnDataSource(dict(data.events)),
        name="events",
        size=13,
        marker=_by_state(EVENT_MARKS, "mark"),
        fill_color=_by_state(EVENT_COLOURS),
        line_color="#ffffff",
        line_width=1.2,
        nonselection_fill_alpha=0.25,
    )
    inside = _tooltip({"radius": "@radius", "centre": "@centre", "visits": "@visits"}, "@name")
    plot.add_tools(
        models.HoverTool(renderers=[events], tooltips=_EVENT_TOOLTIP, name="event hover", attachment="right"),
        models.HoverTool(renderers=[circles], tooltips=inside, name="circle hover", visible=False, attachment="left"),
        models.TapTool(renderers=[events]),
        wheel := models.WheelZoomTool(zoom_on_axis=False),
    )
    plot.toolbar.active_scroll = wheel
    return plot


def _timeline(data: ReportData) -> Any:
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
        line_color="#c3cad2",
        line_width=0.6,
    )
    events = plot.scatter(
        "time",
        "row",
        source=models.ColumnDataSource(dict(data.events)),
        name="timeline events",
        size=9,
        marker=_by_state(EVENT_MARKS, "mark"),
        fill_color=_by_state(EVENT_COLOURS),
        line_color="#ffffff",
    )
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


def _facts(log: Log) -> str:
    visits = log.visits()
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


def _visits(log: Log) -> str:
    visits = log.visits()
    columns = visits.columns()
    del columns["open"], columns["start_evidence"], columns["end_evidence"]
    heads = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in columns)
    rows = [
        "<tr>" + "".join(f"<td>{escape(shown(value))}</td>" for value in row) + "</tr>"
        for row, _ in zip(zip(*columns.values()), range(_MOST_VISITS))
    ]
    if not rows:
        return "<p>No condition was satisfied at any time.</p>"
    more = f"<p>… and {len(visits) - _MOST_VISITS:,} more</p>" if len(visits) > _MOST_VISITS else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"


def _key() -> str:
    signs = [
        ("▲", EVENT_COLOURS[State.SATISFIED], "satisfied"),
        ("▼", EVENT_COLOURS[State.UNSATISFIED], "unsatisfied"),
        ("◆", EVENT_COLOURS[State.UNKNOWN], "no longer monitored"),
        ("■", STATE_COLOURS[State.SATISFIED], "is satisfied"),
        ("■", STATE_COLOURS[State.UNSATISFIED], "is unsatisfied"),
        ("□", "#c3cad2", "not known yet"),
    ]
    return "".join(f'<span><i style="color:{colour}">{sign}</i> {words}</span>' for sign, colour, words in signs)
