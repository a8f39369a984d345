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
  .table { overflow: auto; max-height: 430px; }
  section table { border-collapse: separate; border-spacing: 0; width: 100%; }
  section table { font-size: 13px; font-variant-numeric: tabular-nums; }
  section th, section td { text-align: left; padding: 0 14px 0 0; white-space: nowrap; height: 27px; }
  section th, section td { border-bottom: 1px solid #eceff2; }
  section th { color: #57606a; font-weight: 500; position: sticky; top: 0; background: #fff; }
  section tr.gap td { padding: 0; border: 0; }
  tbody tr { cursor: pointer; }
  tbody tr:hover, tbody tr:focus { background: #eef4fa; }
  .search { position: relative; margin: 0 0 16px; max-width: 420px; }
  .search input { width: 100%; box-sizing: border-box; font: inherit; padding: 7px 10px; }
  .search input { border: 1px solid #c3cad2; border-radius: 6px; }
  .search ul { position: absolute; z-index: 20; left: 0; right: 0; list-style: none; padding: 4px; background: #fff; }
  .search ul { border: 1px solid #c3cad2; border-radius: 6px; box-shadow: 0 4px 12px #24292f22; }
  .search li button { all: unset; display: block; padding: 4px 8px; width: 100%; box-sizing: border-box; }
  .search li button { cursor: pointer; color: #24292f; overflow-wrap: anywhere; }
  .search li button:hover, .search li button:focus { background: #eef4fa; }
  [hidden] { display: none !important; }
  .tracks { display: flex; flex-wrap: wrap; gap: 2px 16px; max-height: 84px; overflow-y: auto; margin: 0 0 8px; }
  .tracks { font-size: 12px; color: #57606a; }
  .tracks label { display: inline-flex; gap: 5px; align-items: center; cursor: pointer; overflow-wrap: anywhere; }
  .tracks i { width: 16px; height: 4px; border-radius: 2px; }
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
  <div class="search">
    <input type="search" id="search" placeholder="Search places and tracks" aria-label="Search places and tracks"
      autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found">
    <ul id="found" hidden></ul>
  </div>
  <section>
    <div class="bar"><h2>Map</h2>{{ key }}
      <label title="Fetches tiles: their server learns where this track was">
        <input type="checkbox" id="base-map" {{ base_map }}> base map</label>
    </div>
    {% if tracks %}<div class="tracks" id="tracks">{{ tracks }}</div>{% endif %}
    {{ embed(docs[0].roots[0]) }}
  </section>
  <section>
    <div class="bar"><h2>States</h2><span>times in UTC; a tap on an event marks it here and on the map</span></div>
    {{ embed(docs[0].roots[1]) }}
  </section>
  <section>
    <div class="bar"><h2>Visits</h2><span id="visit-count"></span></div>
    <div class="table" id="visits"></div>
    <noscript>The list of visits and the plots need JavaScript.</noscript>
  </section>
  {% if notes %}<section><h2>Left out</h2><ul>{{ notes }}</ul></section>{% endif %}
  <footer>Made with Fencepost. Distances are WGS84 geodesics; places are drawn as they are on the ellipsoid.</footer>
</main>
<script type="application/x-visits+json" id="visits-data">{{ visits }}</script>
{{ plot_script }}
<script>
{{ page_script }}
</script>
</body>
</html>
"""
