"""The HTML around the report's plots."""

from __future__ import annotations

TOOLTIP_STYLE = "font: 12px system-ui, sans-serif; max-width: 340px; text-align: left; padding: 2px"

PAGE = """\
{% from macros import embed %}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title | e }}</title>
<link rel="icon" href="data:,">
<style>
  body { margin: 0; background: #f6f8fa; color: #24292f; }
  body { font: 14px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
  main { max-width: 1180px; margin: 0 auto; padding: 20px 24px 40px; }
  h1 { font-size: 22px; font-weight: 600; margin: 0 0 12px; overflow-wrap: anywhere; }
  h2 { font-size: 15px; font-weight: 600; margin: 0 0 8px; }
  dl { display: flex; flex-wrap: wrap; gap: 8px 32px; margin: 0 0 16px; }
  dt { color: #57606a; font-size: 12px; }
  dd { margin: 0; font-size: 16px; font-variant-numeric: tabular-nums; }
  section { background: #fff; border: 1px solid #d8dee4; border-radius: 8px; padding: 14px 16px; margin: 0 0 16px; }
  .bar { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; }
  .bar { margin: 0 0 6px; font-size: 12px; color: #57606a; }
  .bar h2 { color: #24292f; margin: 0; }
  .bar label { margin-left: auto; cursor: pointer; }
  .bar i { font-style: normal; }
  .table { overflow-x: auto; }
  section table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
  section th, section td { text-align: left; padding: 4px 14px 4px 0; white-space: nowrap; }
  section th, section td { border-bottom: 1px solid #eceff2; }
  section th { color: #57606a; font-weight: 500; }
  ul { margin: 0; padding-left: 18px; color: #57606a; }
  footer { color: #57606a; font-size: 12px; }
</style>
{{ bokeh_css if bokeh_css }}
{{ bokeh_js if bokeh_js }}
</head>
<body>
<main>
  <h1>{{ heading }}</h1>
  <dl>{{ facts }}</dl>
  <section>
    <div class="bar"><h2>Map</h2>{{ key }}
      <label title="Fetches tiles: their server learns where this track was">
        <input type="checkbox" id="base-map" {{ base_map }}> base map</label>
    </div>
    {{ embed(docs[0].roots[0]) }}
  </section>
  <section>
    <div class="bar"><h2>States</h2><span>times in UTC; a tap on an event leaves it alone in colour</span></div>
    {{ embed(docs[0].roots[1]) }}
  </section>
  <section>
    <h2>Visits</h2>
    <div class="table">{{ visits }}</div>
  </section>
  {% if notes %}<section><h2>Left out</h2><ul>{{ notes }}</ul></section>{% endif %}
  <footer>Made with Fencepost. Distances are WGS84 geodesics; circles are drawn as they are on the ellipsoid.</footer>
</main>
{{ plot_script }}
<script>
{{ base_map_script }}
</script>
</body>
</html>
"""

BASE_MAP_SCRIPT = """\
"use strict";
(function () {
  const box = document.getElementById("base-map");
  let tries = 0;
  function show() {
    const pages = typeof Bokeh === "undefined" ? [] : Bokeh.documents;
    const tiles = pages.length ? pages[0].get_model_by_name("base map") : null;
    if (tiles === null) {
      if (tries++ < 200) setTimeout(show, 50);
      return;
    }
    tiles.visible = box.checked && navigator.onLine;
    box.disabled = !navigator.onLine;
  }
  box.addEventListener("change", show);
  window.addEventListener("online", show);
  window.addEventListener("offline", show);
  show();
})();
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
