"""The JavaScript of the report's page, separate from its HTML."""

# The switch of the base map: tiles are fetched only while it is on and there is a network.
_BASE_MAP = """\
(function () {
  const box = document.getElementById("base-map");
  const tiles = page.model("base map");
  function show() {
    tiles.visible = box.checked && navigator.onLine;
    box.disabled = !navigator.onLine;
  }
  box.addEventListener("change", show);
  window.addEventListener("online", show);
  window.addEventListener("offline", show);
  show();
})();
"""

# The list of visits: only the rows that are in view exist, so a hundred thousand scroll as easily as ten.
_VISITS = """\
const visits = (function () {
  const data = JSON.parse(document.getElementById("visits-data").textContent);
  const box = document.getElementById("visits"), count = document.getElementById("visit-count");
  const names = data.rows.map((row) => row.slice(0, data.identifier + 1).join("\\n").toLowerCase());
  const height = 28;
  let chosen = data.rows.map((_, index) => index), first = -1, last = -1;
  if (!data.rows.length) {
    box.textContent = "No condition was satisfied at any time.";
    return {filter() {}};
  }
  const table = box.appendChild(document.createElement("table"));
  const head = table.appendChild(document.createElement("thead")).insertRow();
  for (const name of data.columns) head.appendChild(document.createElement("th")).textContent = name;
  const body = table.appendChild(document.createElement("tbody"));
  function gap(rows) {
    const row = document.createElement("tr");
    row.className = "gap";
    row.setAttribute("aria-hidden", "true");
    const cell = row.insertCell();
    cell.colSpan = data.columns.length;
    cell.style.height = rows * height + "px";
    return row;
  }
  function line(place) {
    const index = chosen[place], row = document.createElement("tr");
    row.tabIndex = 0;
    row.dataset.visit = index;
    row.setAttribute("aria-rowindex", place + 2);
    for (const text of data.rows[index]) row.insertCell().textContent = text;
    return row;
  }
  function draw() {
    const from = Math.max(Math.floor(box.scrollTop / height) - 8, 0);
    const to = Math.min(from + Math.ceil(box.clientHeight / height) + 16, chosen.length);
    if (from === first && to === last) return;
    [first, last] = [from, to];
    const rows = [];
    if (from) rows.push(gap(from));
    for (let place = from; place < to; place++) rows.push(line(place));
    if (to < chosen.length) rows.push(gap(chosen.length - to));
    body.replaceChildren(...rows);
  }
  function filter(text) {
    chosen = [];
    names.forEach((name, index) => { if (name.includes(text)) chosen.push(index); });
    count.textContent = text ? chosen.length + " of " + names.length : String(names.length);
    table.setAttribute("aria-rowcount", chosen.length + 1);
    first = last = -1;
    box.scrollTop = 0;
    draw();
  }
  function go(event) {
    const row = event.target.closest("tr[data-visit]");
    if (row === null || (event.type === "keydown" && event.key !== "Enter")) return;
    const index = row.dataset.visit, [start, end] = data.spans[index], time = page.model("timeline").x_range;
    const pad = Math.max((end - start) / 2, 30000);
    [time.start, time.end] = [start - pad, end + pad];
    page.showPlace(data.rows[index][data.identifier]);
  }
  box.addEventListener("scroll", draw);
  window.addEventListener("resize", draw);
  body.addEventListener("click", go);
  body.addEventListener("keydown", go);
  filter("");
  return {filter};
})();
"""

# The search box: lists places and tracks whose names hold the text, and leaves their visits alone in the list.
_SEARCH = """\
(function () {
  const box = document.getElementById("search"), list = document.getElementById("found");
  const places = page.column("places", "name").map((name) => ["place", name]);
  const tracks = page.column("tracks", "track").map((name, number) => ["track", name, number]);
  const all = (tracks.length > 1 ? tracks : []).concat(places);
  function close() {
    list.hidden = true;
    box.setAttribute("aria-expanded", "false");
  }
  function search() {
    const text = box.value.trim().toLowerCase(), items = [];
    for (const [kind, name, number] of text ? all : []) {
      if (!name.toLowerCase().includes(text)) continue;
      if (items.length === 12) break;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind === "track" ? name + " (track)" : name;
      button.addEventListener("click", () => {
        close();
        if (kind === "track") page.showTrack(number); else page.showPlace(name);
      });
      const item = document.createElement("li");
      item.append(button);
      items.push(item);
    }
    list.replaceChildren(...items);
    list.hidden = !items.length;
    box.setAttribute("aria-expanded", String(!list.hidden));
    visits.filter(text);
  }
  box.addEventListener("input", search);
  box.addEventListener("focus", search);
  box.parentElement.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { close(); return; }
    const buttons = [box, ...list.querySelectorAll("button")], step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (event.key === "Enter" && event.target === box && buttons.length > 1) { buttons[1].click(); return; }
    if (step === undefined) return;
    event.preventDefault();
    buttons[Math.max(Math.min(buttons.indexOf(document.activeElement) + step, buttons.length - 1), 0)].focus();
  });
  document.addEventListener("click", (event) => { if (!box.parentElement.contains(event.target)) close(); });
})();
"""

# The legend of tracks: a hidden track is not drawn and does not react to a tap.
_TRACKS = """\
(function () {
  const legend = document.getElementById("tracks");
  if (legend === null) return;
  legend.addEventListener("change", () => {
    const boxes = [...legend.querySelectorAll("input")], lines = page.source("tracks");
    lines.data = {...lines.data, alpha: boxes.map((box) => box.checked ? 0.75 : 0)};
    const shown = Array.from(page.column("events", "track"), (number) => boxes[number].checked);
    for (const name of ["events", "timeline events"]) page.model("shown " + name).booleans = shown;
  });
})();
"""

_START = """\
"use strict";
(function start(tries) {
  const document0 = typeof Bokeh === "undefined" || !Bokeh.documents.length ? null : Bokeh.documents[0];
  if (document0 === null || document0.get_model_by_name("map") === null) {
    if (tries < 600) setTimeout(start, 50, tries + 1);
    return;
  }
  const page = {
    model: (name) => document0.get_model_by_name(name),
    source: (name) => document0.get_model_by_name(name).data_source,
    column: (name, column) => page.source(name).data[column] || [],
    show(xs, ys) {
      const {x_range: x, y_range: y} = page.model("map");
      const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
      const most = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);
      const [west, east, south, north] = [least(xs), most(xs), least(ys), most(ys)];
      if (!(west <= east && south <= north)) return;
      // As much to each side as it is wide, in the map's own proportions.
      const scale = (y.end - y.start) / (x.end - x.start);
      // As when somebody drags the map: Bokeh does not fit it to the data again.
      x.have_updated_interactively = y.have_updated_interactively = true;
      const half = Math.max((east - west) * 1.2, (north - south) * 1.2 / scale, 150);
      [x.start, x.end] = [(west + east) / 2 - half, (west + east) / 2 + half];
      [y.start, y.end] = [(south + north) / 2 - half * scale, (south + north) / 2 + half * scale];
    },
    showPlace(name) {
      const index = page.column("places", "name").indexOf(name);
      if (index < 0) return;
      page.show(page.column("places", "xs")[index][0][0], page.column("places", "ys")[index][0][0]);
      page.source("places").selected.indices = [index];
    },
    showTrack(number) {
      page.show(Array.from(page.column("tracks", "x")[number]), Array.from(page.column("tracks", "y")[number]));
    },
  };
"""

PAGE_SCRIPT = _START + _BASE_MAP + _VISITS + _SEARCH + _TRACKS + "})(0);\n"

# Runs when the selection changes: moves each range that does not show the event, and zooms none.
REVEAL = """\
const [index] = source.selected.indices;
if (index === undefined) return;
for (const [range, column] of [[x, "x"], [y, "y"], [time, "time"]]) {
  const value = source.data[column][index];
  const [low, high] = [range.start, range.end].sort((a, b) => a - b);
  if (!isFinite(value) || (value >= low && value <= high)) continue;
  const shift = value - (low + high) / 2;
  [range.start, range.end] = [range.start + shift, range.end + shift];
}
"""

# Bokeh's own ticks of longitude end at the antimeridian; a map may go beyond.
LONGITUDE_TICKS = """\
const turn = 2 * Math.PI * 6378137;
const [from, to] = [cb_data.range.start, cb_data.range.end].map((x) => x / turn * 360).sort((a, b) => a - b);
const rough = (to - from) / 7;
if (!(rough > 0) || !isFinite(rough)) return [];
const ten = Math.pow(10, Math.floor(Math.log10(rough)));
const step = rough >= 10 ? [15, 30, 45, 60, 90, 180].find((s) => s >= rough) || 360
  : [1, 2, 5, 10].map((m) => m * ten).find((s) => s >= rough);
const ticks = [];
for (let n = Math.ceil(from / step); n * step <= to; n++) ticks.push(n * step / 360 * turn);
return ticks;
"""

LONGITUDE_LABELS = """\
const turn = 2 * Math.PI * 6378137;
const degrees = tick / turn * 360;
const digits = ticks.length < 2 ? 5 : Math.max(0, Math.ceil(-Math.log10((ticks[1] - ticks[0]) / turn * 360) - 1e-6));
const wrapped = degrees - 360 * Math.round(degrees / 360);
return wrapped.toFixed(digits).replace("-", "\\u2212") + "\\u00b0";
"""
