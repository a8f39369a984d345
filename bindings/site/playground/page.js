"use strict";
// The page's script: reads files, lets the user draw or type places, runs the engine and shows the results. `fencepost`
// is the package from bindings/js.

const byId = (id) => document.getElementById(id);
const MOST_FIXES = 500_000;
const MOST_PLACES = 2000;

const state = {
  fixes: [], // {latitude, longitude, accuracy, time}, time in milliseconds
  name: "",
  places: [], // rows from fencepost.fromGeoJSON
  events: [],
  index: 0,
  tool: "move",
  corners: [],
  view: { x: 0, y: 0, scale: 1 },
  isFitted: true, // everything is shown until the user moves the map
};

function say(text, isError = false) {
  const message = byId("message");
  message.textContent = text;
  message.className = isError ? "error" : "";
}

// ---------------------------------------------------------------------------------------------------- files

const cleaned = (text) => text.replace(/^\uFEFF/, "");

function timeOf(text) {
  if (text === undefined || text === null || text === "") return NaN;
  if (/^-?\d+(\.\d+)?$/.test(text)) {
    const value = Number(text);
    // Times are seconds, milliseconds or microseconds since 1970, recognised by their size.
    return value < 1e11 ? value * 1000 : value < 1e14 ? value : value / 1000;
  }
  const hasZone = /(z|[+-]\d\d:?\d\d)$/i.test(text.trim());
  return Date.parse(hasZone ? text.trim() : `${text.trim().replace(" ", "T")}Z`);
}

function ofGPX(text) {
  const found = new DOMParser().parseFromString(text, "application/xml");
  if (found.querySelector("parsererror")) throw new Error("the file is not well-formed XML");
  const points = [...found.getElementsByTagNameNS("*", "trkpt")];
  const child = (point, name) => point.getElementsByTagNameNS("*", name)[0]?.textContent;
  const fixes = points.map((point) => ({
    latitude: Number(point.getAttribute("lat")), longitude: Number(point.getAttribute("lon")), accuracy: 0,
    time: timeOf(child(point, "time")),
  }));
  const places = [...found.getElementsByTagNameNS("*", "wpt")].map((point, index) => ({
    identifier: child(point, "name") || `way point ${index + 1}`,
    condition: { latitude: Number(point.getAttribute("lat")), longitude: Number(point.getAttribute("lon")), radius: 100 },
    options: {},
  }));
  return { fixes, places };
}

function ofGeoJSON(text) {
  const object = JSON.parse(text);
  const features = object.type === "FeatureCollection" ? object.features : object.type === "Feature" ? [object] : [{ type: "Feature", geometry: object, properties: {} }];
  const fixes = [];
  const places = [];
  features.forEach((feature, index) => {
    const { geometry, properties } = feature;
    const given = properties ?? {};
    const times = given.coordTimes ?? given.times ?? given.coordinateProperties?.times;
    if (times && geometry?.type === "LineString") {
      geometry.coordinates.forEach(([longitude, latitude], row) => fixes.push({ latitude, longitude, accuracy: 0, time: timeOf(String(times[row])) }));
    } else if (geometry?.type === "Point" && given.radius === undefined && (given.time ?? given.timestamp) !== undefined) {
      const [longitude, latitude] = geometry.coordinates;
      fixes.push({ latitude, longitude, accuracy: Number(given.accuracy ?? 0), time: timeOf(String(given.time ?? given.timestamp)) });
    } else if (geometry || given.uuid !== undefined) {
      const named = { ...feature, properties: { ...given, identifier: given.identifier ?? given.name ?? feature.id ?? `place ${index + 1}` } };
      if (geometry?.type === "Point" && given.radius === undefined) named.properties.radius = 100;
      if (/LineString/.test(geometry?.type) && given.radius === undefined) named.properties.radius = 25;
      places.push(...fencepost.fromGeoJSON(named));
    }
  });
  return { fixes, places };
}

/**
 * The rows of a CSV file (RFC 4180). The separator is a comma, a semicolon or a tab, whichever is most frequent in the
 * first line.
 */
function rowsOf(text) {
  const head = text.slice(0, text.indexOf("\n") < 0 ? undefined : text.indexOf("\n"));
  const separator = [",", ";", "\t"].sort((a, b) => head.split(b).length - head.split(a).length)[0];
  const rows = [];
  let row = [];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const one = text[at];
    if (isQuoted) {
      if (one !== '"') cell += one;
      else if (text[at + 1] === '"') cell += text[++at];
      else isQuoted = false;
    } else if (one === '"') isQuoted = true;
    else if (one === separator) {
      row.push(cell);
      cell = "";
    } else if (one === "\n" || one === "\r") {
      if (one === "\r" && text[at + 1] === "\n") at++;
      row.push(cell);
      cell = "";
      if (row.length > 1 || row[0] !== "") rows.push(row);
      row = [];
    } else cell += one;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows;
}

function ofCSV(text) {
  const [head = [], ...rows] = rowsOf(text);
  const column = (...names) => head.findIndex((one) => names.includes(one.trim().toLowerCase()));
  const [latitude, longitude] = [column("latitude", "lat", "y"), column("longitude", "lon", "lng", "long", "x")];
  if (latitude < 0 || longitude < 0) throw new Error("the first line names no columns latitude and longitude");
  const [radius, name] = [column("radius", "radius_m"), column("identifier", "name", "id")];
  if (radius >= 0) {
    const places = rows.map((row, index) => ({
      identifier: row[name] || `place ${index + 1}`,
      condition: { latitude: Number(row[latitude]), longitude: Number(row[longitude]), radius: Number(row[radius]) },
      options: {},
    }));
    return { fixes: [], places };
  }
  const [time, accuracy] = [column("time", "timestamp", "date", "datetime", "time_us", "time_ms"), column("accuracy", "accuracy_m", "hacc")];
  if (time < 0) throw new Error("the first line names neither a column time (of a track) nor radius (of places)");
  const fixes = rows.map((row) => ({
    latitude: Number(row[latitude]), longitude: Number(row[longitude]), accuracy: accuracy < 0 ? 0 : Number(row[accuracy] || 0),
    time: timeOf(row[time]),
  }));
  return { fixes, places: [] };
}

function read(name, text) {
  const content = cleaned(text);
  const start = content.trimStart()[0];
  const found = start === "<" ? ofGPX(content) : start === "{" || start === "[" ? ofGeoJSON(content) : ofCSV(content);
  if (found.fixes.length === 0 && found.places.length === 0) throw new Error("there is neither a track nor a place in it");
  if (found.fixes.length > MOST_FIXES) throw new Error(`it has ${found.fixes.length} fixes; this page takes ${MOST_FIXES}`);
  if (found.fixes.length > 0 && found.fixes.every((fix) => Number.isNaN(fix.time))) throw new Error("its points have no times");
  return found;
}

async function take(files) {
  const told = [];
  let isError = false;
  for (const file of files) {
    try {
      const { fixes, places } = read(file.name, await file.text());
      if (fixes.length > 0) {
        // Fixes without a time are sorted to the end: the engine counts them as invalid.
        const when = (fix) => (Number.isNaN(fix.time) ? Infinity : fix.time);
        state.fixes = fixes.sort((one, other) => (when(one) === when(other) ? 0 : when(one) - when(other)));
        state.name = file.name;
      }
      const refused = add(places);
      told.push(`${file.name}: ${[fixes.length && `${fixes.length} fixes`, places.length && `${places.length} ${places.length === 1 ? "place" : "places"}`].filter(Boolean).join(", ")}${refused}`);
      isError ||= refused !== "";
    } catch (error) {
      isError = true;
      told.push(`${file.name}: ${error.message}`);
    }
  }
  state.index = Math.max(0, state.fixes.length - 1);
  changed(true);
  if (told.length > 0) say(told.join("\n"), isError);
}

// --------------------------------------------------------------------------------------------------- places

/** Adds the given places, except those that the engine refuses, and returns a text about the refused places. */
function add(rows) {
  const refused = [];
  for (const row of rows) {
    const probe = new fencepost.Monitor();
    try {
      if (state.places.length >= MOST_PLACES) throw new Error(`this page takes ${MOST_PLACES} places`);
      probe.add(row.identifier, row.condition, row.options);
      const known = state.places.findIndex((one) => one.identifier === row.identifier);
      if (known >= 0) state.places[known] = row;
      else state.places.push(row);
    } catch (error) {
      refused.push(`${row.identifier}: ${error.message}`);
    } finally {
      probe.dispose();
    }
  }
  return refused.length === 0 ? "" : `; refused: ${refused.slice(0, 3).join("; ")}${refused.length > 3 ? ` and ${refused.length - 3} more` : ""}`;
}

function freshName(kind) {
  for (let number = 1; ; number++) if (state.places.every((one) => one.identifier !== `${kind} ${number}`)) return `${kind} ${number}`;
}

function described({ condition, options }) {
  if (condition.radius !== undefined) return `circle, ${length(condition.radius)}`;
  if (condition.uuid !== undefined) return "beacon";
  return options.radius === undefined ? condition.type.toLowerCase() : `corridor, ${length(options.radius)}`;
}

const length = (metres) => (metres >= 1000 ? `${Number((metres / 1000).toPrecision(3))} km` : `${Number(metres.toPrecision(3))} m`);

function showPlaces() {
  byId("places").replaceChildren(
    ...state.places.map((place) => {
      const item = document.createElement("li");
      const name = document.createElement("span");
      name.className = "name";
      name.textContent = place.identifier;
      const kind = document.createElement("span");
      kind.className = "quiet";
      kind.textContent = described(place);
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "remove";
      button.setAttribute("aria-label", `remove ${place.identifier}`);
      button.addEventListener("click", () => {
        state.places = state.places.filter((one) => one !== place);
        changed();
        (byId("places").querySelector("button") ?? byId("example")).focus();
      });
      item.append(name, kind, button);
      return item;
    }),
  );
}

// --------------------------------------------------------------------------------------------------- answers

function monitored(count) {
  const path = byId("path").value;
  const monitor = new fencepost.Monitor(path === "geodesic" ? { path, maxGap: 300 } : {});
  const policy = byId("policy").value;
  for (const { identifier, condition, options } of state.places) {
    const isGate = condition.type !== undefined && /LineString/.test(condition.type) && options.radius === undefined;
    if (isGate && path !== "geodesic") continue;
    monitor.add(identifier, condition, isGate ? options : { policy, ...options });
  }
  const part = state.fixes.slice(0, count);
  const result = monitor.feedMany({
    latitudes: Float64Array.from(part, (fix) => fix.latitude),
    longitudes: Float64Array.from(part, (fix) => fix.longitude),
    accuracies: Float64Array.from(part, (fix) => fix.accuracy),
    times: Float64Array.from(part, (fix) => fix.time),
  });
  return { monitor, result };
}

function compute() {
  state.events = [];
  byId("counts").textContent = "";
  if (state.places.length === 0 || state.fixes.length === 0) return;
  const { monitor, result } = monitored(state.fixes.length);
  try {
    for (let found = monitor.pollMany(); found.length > 0; found = monitor.pollMany()) state.events.push(...found);
    const skipped = result.invalid + result.late > 0 ? `; skipped: ${result.invalid} invalid, ${result.late} late` : "";
    byId("counts").textContent = `${state.events.length} events of ${result.accepted} fixes and ${state.places.length} places${skipped}.`;
  } finally {
    monitor.dispose();
  }
}

const clock = (milliseconds) => (Number.isFinite(milliseconds) ? new Date(milliseconds).toISOString().slice(0, 19).replace("T", " ") : "–");
const WORDS = { enter: "enters", exit: "leaves", cross: "crosses", diagnostic: "changes its diagnostics", unmonitored: "is not monitored", none: "" };

function what(event) {
  if (event.kind === "determined") {
    const [there, away] = event.latitude === null ? ["is near", "is absent"] : ["is inside", "is outside"];
    return `${event.state === "satisfied" ? there : away} at first`;
  }
  const direction = event.direction === null ? "" : `, ${event.direction.replaceAll("_", " ")}`;
  return `${WORDS[event.kind]}${direction}`;
}

/** The last fix at or before a time. */
function indexAt(milliseconds) {
  let [low, high] = [0, state.fixes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (state.fixes[middle].time <= milliseconds + 0.5) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

function showEvents() {
  const shown = state.events.slice(0, 2000);
  // If all events are on one day, only the column's header shows the day.
  const days = new Set(shown.map((event) => clock(event.date.getTime()).slice(0, 10)));
  byId("events").tHead.rows[0].cells[0].textContent = days.size === 1 ? `${[...days][0]} UTC` : "time (UTC)";
  const start = days.size === 1 ? 11 : 0;
  byId("events").tBodies[0].replaceChildren(
    ...shown.map((event, number) => {
      const row = document.createElement("tr");
      row.dataset.number = number;
      const time = document.createElement("button");
      time.type = "button";
      time.textContent = clock(event.date.getTime()).slice(start);
      time.addEventListener("click", () => go(indexAt(event.date.getTime()), number, event));
      const evidence = event.evidenceDate === null ? "" : event.evidenceDateUs === event.dateUs ? "same" : clock(event.evidenceDate.getTime()).slice(11);
      const distance = event.boundaryDistance === null ? "" : `${event.boundaryDistance > 0 ? "+" : ""}${event.boundaryDistance.toFixed(1)} m`;
      for (const [index, content] of [time, event.identifier, what(event), evidence, distance].entries()) {
        const cell = document.createElement("td");
        if (index === 1) cell.className = "wrap";
        cell.append(content);
        row.append(cell);
      }
      return row;
    }),
  );
  if (state.events.length > shown.length) byId("counts").textContent += ` The first ${shown.length} are shown.`;
}

const REASONS = {
  unmonitored: "it is not monitored", suspended: "the host lacks a capability", scanner_off: "the scanner is off",
  no_fix_yet: "no fix has decided it yet", inside: "", outside: "", too_coarse: "the last fix is too inaccurate to decide", uncertain: "the last fix is not certain enough to decide", dwelling: "a crossing waits for its dwell",
  within_margin: "the last fix is beyond the line, within the margin",
  not_seen_yet: "its beacon was not seen yet", seen: "its beacon was seen", absent: "its beacon is absent",
};

const exact = (metres) => (metres < 10_000 ? `${metres.toFixed(1)} m` : `${(metres / 1000).toFixed(1)} km`);

function why(found) {
  const parts = REASONS[found.reason] ? [REASONS[found.reason]] : [];
  if (found.boundaryDistance !== null) parts.push(`the last fix is ${exact(Math.abs(found.boundaryDistance))} ${found.boundaryDistance <= 0 ? "inside" : "outside"}`);
  if (found.secondsToDecide !== null) parts.push(`due in ${found.secondsToDecide.toFixed(0)} s`);
  if (found.metresToDecide !== null) parts.push(`${exact(found.metresToDecide)} more would decide`);
  if (found.accuracyNeeded !== null) parts.push(`an accuracy of ${found.accuracyNeeded.toFixed(1)} m would decide`);
  return parts.join(", ");
}

/**
 * Returns the page's word for a state: "inside" or "outside", but "near" or "absent" for beacons.
 */
function stateWord(found, { condition }) {
  const words = condition.uuid === undefined ? { satisfied: "inside", unsatisfied: "outside" } : { satisfied: "near", unsatisfied: "absent" };
  return words[found.observed] ?? found.observed;
}

function showExplanations(event) {
  const rows = [];
  byId("at").textContent = state.fixes.length === 0 ? "" : `at ${clock(event ? event.date.getTime() : state.fixes[state.index]?.time)}`;
  if (state.fixes.length > 0 && state.places.length > 0) {
    const { monitor } = monitored(state.index + 1);
    try {
      // A dwell may end between two fixes, so advance the monitor to the event's time.
      if (event) monitor.advance(event.dateUs);
      for (const identifier of monitor.identifiers.slice(0, 200)) {
        const found = monitor.explain(identifier);
        const row = document.createElement("tr");
        for (const [index, text] of [identifier, stateWord(found, state.places.find((place) => place.identifier === identifier)), why(found)].entries()) {
          const cell = document.createElement("td");
          if (index !== 1) cell.className = "wrap";
          cell.textContent = text;
          row.append(cell);
        }
        rows.push(row);
      }
    } finally {
      monitor.dispose();
    }
  }
  byId("explain").tBodies[0].replaceChildren(...rows);
}

// ------------------------------------------------------------------------------------------------------- map

const SVG = "http://www.w3.org/2000/svg";
const map = byId("map");
/** The Mercator projection, in units in which the Earth's circumference is 2^20. The projection keeps angles, so
    circles stay round. */
const MERCATOR = 2 ** 20 / 360;
const eastOf = (longitude) => longitude * MERCATOR;
const northOf = (latitude) => -Math.log(Math.tan(Math.PI / 4 + (Math.max(-85, Math.min(85, latitude)) * Math.PI) / 360)) * (180 / Math.PI) * MERCATOR;
const latitudeOf = (y) => (Math.atan(Math.exp(-y / MERCATOR / (180 / Math.PI))) * 360) / Math.PI - 90;
const onScreen = (latitude, longitude) => [(eastOf(longitude) - state.view.x) * state.view.scale, (northOf(latitude) - state.view.y) * state.view.scale];
const ofScreen = (x, y) => ({ longitude: (x / state.view.scale + state.view.x) / MERCATOR, latitude: latitudeOf(y / state.view.scale + state.view.y) });

function outline({ condition }) {
  if (condition.radius !== undefined) {
    const { latitude, longitude, radius } = condition;
    const points = Array.from({ length: 72 }, (_, step) => {
      const end = fencepost.direct(latitude, longitude, 5 * step, Math.min(radius, 1.9e7));
      // Choose the longitude that is nearest to the centre's longitude, so that the point is not drawn on the other
      // side of the map.
      return [end.longitude + 360 * Math.round((longitude - end.longitude) / 360), end.latitude];
    });
    return { lines: [points], isClosed: true };
  }
  if (condition.type === undefined) return { lines: [], isClosed: false };
  const { type, coordinates } = condition;
  const lines = { Polygon: coordinates, MultiPolygon: coordinates.flat(), LineString: [coordinates], MultiLineString: coordinates }[type];
  return { lines, isClosed: type.endsWith("Polygon") };
}

function bounds() {
  let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity];
  const include = (latitude, longitude) => {
    if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return;
    west = Math.min(west, eastOf(longitude));
    east = Math.max(east, eastOf(longitude));
    north = Math.min(north, northOf(latitude));
    south = Math.max(south, northOf(latitude));
  };
  for (const fix of state.fixes) include(fix.latitude, fix.longitude);
  for (const place of state.places) for (const line of outline(place).lines) for (const [longitude, latitude] of line) include(latitude, longitude);
  return west > east ? null : { west, east, north, south };
}

function fit() {
  state.isFitted = true;
  const found = bounds() ?? { west: eastOf(-20), east: eastOf(40), north: northOf(62), south: northOf(30) };
  const { width, height } = map.getBoundingClientRect();
  const span = Math.max(found.east - found.west, (found.south - found.north) * (width / height), 0.2);
  state.view.scale = (width * 0.88) / span;
  state.view.x = (found.west + found.east) / 2 - width / 2 / state.view.scale;
  state.view.y = (found.north + found.south) / 2 - height / 2 / state.view.scale;
}

function zoom(factor, x, y) {
  const { view } = state;
  state.isFitted = false;
  const { width, height } = map.getBoundingClientRect();
  const [atX, atY] = [x ?? width / 2, y ?? height / 2];
  const scale = Math.max(width / 2 ** 20 / 2, Math.min(view.scale * factor, 1e5));
  view.x += atX / view.scale - atX / scale;
  view.y += atY / view.scale - atY / scale;
  view.scale = scale;
  draw();
}

function shape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const pathOf = (line, isClosed) =>
  line.map(([longitude, latitude], index) => `${index === 0 ? "M" : "L"}${onScreen(latitude, longitude).map((one) => one.toFixed(1)).join(" ")}`).join("") + (isClosed ? "Z" : "");

const metresPerPixel = () => {
  const { width, height } = map.getBoundingClientRect();
  const [one, other] = [ofScreen(width / 2, height / 2), ofScreen(width / 2 + 100, height / 2)];
  return fencepost.inverse(one.latitude, wrapped(one.longitude), one.latitude, wrapped(other.longitude)).distance / 100;
};
const wrapped = (longitude) => longitude - 360 * Math.floor((longitude + 180) / 360);

function draw() {
  const { width, height } = map.getBoundingClientRect();
  map.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const parts = [];
  for (let x = 80; x < width; x += 80) parts.push(shape("path", { class: "grid", d: `M${x} 0V${height}` }));
  for (let y = 80; y < height; y += 80) parts.push(shape("path", { class: "grid", d: `M0 ${y}H${width}` }));
  for (const place of state.places) {
    const { lines, isClosed } = outline(place);
    const d = lines.map((line) => pathOf(line, isClosed)).join("");
    if (place.options.radius !== undefined) {
      const wide = Math.max(2, (2 * place.options.radius) / metresPerPixel());
      parts.push(shape("path", { class: "wide", d, "stroke-width": wide }));
    }
    parts.push(shape("path", { class: isClosed ? "place" : "place corridor", d }));
  }
  const line = state.fixes.filter((fix) => Math.abs(fix.latitude) <= 90 && Math.abs(fix.longitude) <= 180);
  const step = Math.max(1, Math.ceil(line.length / 20_000));
  const thinned = line.filter((_, index) => index % step === 0);
  if (thinned.length > 0) parts.push(shape("path", { class: "track", d: pathOf(thinned.map((fix) => [fix.longitude, fix.latitude]), false) }));
  if (thinned.length <= 2000) {
    for (const fix of thinned) {
      const [x, y] = onScreen(fix.latitude, fix.longitude);
      if (x > -9 && y > -9 && x < width + 9 && y < height + 9) parts.push(shape("circle", { class: "fix", cx: x.toFixed(1), cy: y.toFixed(1), r: 1.8 }));
    }
  }
  const marks = [];
  state.events.slice(0, 2000).forEach((event) => {
    if (event.latitude === null || event.kind === "determined") return;
    const [x, y] = onScreen(event.latitude, event.longitude);
    const d = event.kind === "enter" ? `M${x - 6} ${y + 5}L${x} ${y - 7}L${x + 6} ${y + 5}Z` : `M${x - 6} ${y - 5}L${x} ${y + 7}L${x + 6} ${y - 5}Z`;
    const kind = { enter: "enter", exit: "leave" }[event.kind] ?? "unknown";
    const mark = shape("path", { class: `event ${kind}`, d });
    mark.append(shape("title", {}, `${clock(event.date.getTime())} ${what(event)} ${event.identifier}`));
    parts.push(mark);
    if (marks.length < 300) marks.push([x, y]);
  });
  // The label of a geofence is drawn above the geofence, or below it if an event's mark is in the way. A label that
  // would overlap another label is left out.
  const labels = [];
  for (const place of state.places) {
    const { lines } = outline(place);
    if (lines.length === 0) continue;
    const end = (sign) => lines[0].reduce((best, one) => (sign * one[1] > sign * best[1] ? one : best), lines[0][0] ?? [0, 0]);
    const [top, foot] = [end(1), end(-1)].map((point) => onScreen(point[1], point[0]));
    const x = top[0], half = place.identifier.length * 3.6;
    const isFree = (base) => !labels.some(([left, right, other]) => x - half < right && x + half > left && Math.abs(base - other) < 15);
    const isClear = (base) => !marks.some((mark) => Math.abs(mark[0] - x) < half + 6 && mark[1] > base - 18 && mark[1] < base + 10);
    const bases = [top[1] - 12, foot[1] + 20].filter(isFree);
    const base = bases.find(isClear) ?? bases[0];
    if (base === undefined) continue;
    labels.push([x - half, x + half, base]);
    parts.push(shape("text", { x: x.toFixed(1), y: base.toFixed(1), "text-anchor": "middle" }, place.identifier));
  }
  const here = state.fixes[state.index];
  if (here && Number.isFinite(here.latitude)) {
    const [x, y] = onScreen(here.latitude, here.longitude);
    parts.push(shape("circle", { class: "here", cx: x.toFixed(1), cy: y.toFixed(1), r: 8 }));
  }
  if (state.corners.length > 0) {
    parts.push(shape("path", { class: "ring", d: pathOf(state.corners.map((one) => [one.longitude, one.latitude]), state.corners.length > 2) }));
    for (const corner of state.corners) {
      const [x, y] = onScreen(corner.latitude, corner.longitude);
      parts.push(shape("circle", { class: "here", cx: x, cy: y, r: 5 }));
    }
  }
  if (state.pending) parts.push(shape("path", { class: "ring", d: pathOf(outline({ condition: state.pending }).lines[0], true) }));
  const per = metresPerPixel();
  const wanted = per * 120;
  const rounded = [5, 2, 1].map((one) => one * 10 ** Math.floor(Math.log10(wanted))).find((one) => one <= wanted);
  parts.push(
    shape("path", { class: "scale", d: `M16 ${height - 16}h${rounded / per}` }),
    shape("text", { x: 16, y: height - 22 }, length(rounded)),
  );
  map.replaceChildren(...parts);
}

function choose(tool) {
  state.tool = tool;
  showEmpty();
  state.corners = [];
  state.pending = null;
  map.classList.toggle("drawing", tool !== "move");
  for (const button of document.querySelectorAll(".tool")) button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
  byId("hint").textContent = {
    move: "", circle: "Press at the centre and pull to the edge. By keyboard: type a circle below.",
    polygon: "Press at each corner; Enter, or the first corner again, closes it; Escape gives up.",
  }[tool];
  draw();
}

function closePolygon() {
  const ring = state.corners.map((one) => [wrapped(one.longitude), one.latitude]);
  state.corners = [];
  if (ring.length < 3) return draw();
  drop({ identifier: freshName("polygon"), condition: { type: "Polygon", coordinates: [ring] }, options: {} });
}

function drop(row) {
  const refused = add([row]);
  changed();
  say(refused === "" ? `${row.identifier} was added.` : refused.slice(2), refused !== "");
}

const pointers = new Map();
const placeOf = (event) => {
  const { left, top } = map.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
};
map.addEventListener("pointerdown", (event) => {
  pointers.set(event.pointerId, placeOf(event));
  map.setPointerCapture(event.pointerId);
  if (state.tool === "circle" && pointers.size === 1) state.centre = ofScreen(...placeOf(event));
});
map.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const [x, y] = placeOf(event);
  if (pointers.size === 2) {
    const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    const distance = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]);
    zoom(distance([x, y]) / Math.max(1, distance(before)), other[0], other[1]);
  } else if (state.tool === "circle" && state.centre) {
    const end = ofScreen(x, y);
    const centre = { latitude: state.centre.latitude, longitude: wrapped(state.centre.longitude) };
    const { distance } = fencepost.inverse(centre.latitude, centre.longitude, end.latitude, wrapped(end.longitude));
    state.pending = distance > 0 ? { ...centre, radius: distance } : null;
    draw();
  } else if (state.tool === "move") {
    state.isFitted = false;
    state.view.x -= (x - before[0]) / state.view.scale;
    state.view.y -= (y - before[1]) / state.view.scale;
    draw();
  }
  pointers.set(event.pointerId, [x, y]);
});
map.addEventListener("pointerup", (event) => {
  pointers.delete(event.pointerId);
  const [x, y] = placeOf(event);
  if (state.tool === "circle" && state.centre) {
    const { pending } = state;
    state.centre = state.pending = null;
    if (pending) drop({ identifier: freshName("circle"), condition: { ...pending, radius: Math.max(1, Math.round(pending.radius)) }, options: {} });
  } else if (state.tool === "polygon") {
    const first = state.corners[0];
    const [firstX, firstY] = first ? onScreen(first.latitude, first.longitude) : [Infinity, Infinity];
    if (state.corners.length > 2 && Math.hypot(x - firstX, y - firstY) < 14) closePolygon();
    else {
      state.corners.push(ofScreen(x, y));
      draw();
    }
  }
});
map.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
map.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY / 400), ...placeOf(event));
}, { passive: false });
map.addEventListener("keydown", (event) => {
  const steps = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] };
  if (event.key in steps) {
    state.isFitted = false;
    state.view.x += steps[event.key][0] / state.view.scale;
    state.view.y += steps[event.key][1] / state.view.scale;
    draw();
  } else if (event.key === "+" || event.key === "=") zoom(1.5);
  else if (event.key === "-") zoom(1 / 1.5);
  else if (event.key === "0") {
    fit();
    draw();
  } else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && state.tool !== "move") choose("move");
  if (event.key === "Enter" && state.tool === "polygon" && event.target.closest("button, input, select, summary, a") === null) closePolygon();
});

// ------------------------------------------------------------------------------------------------------ links

function featuresOf() {
  return {
    type: "FeatureCollection",
    features: state.places.map(({ identifier, condition, options }) => {
      const { policy, ...rest } = options;
      const properties = { identifier, ...rest };
      if (policy !== undefined) {
        properties.policy = typeof policy === "string" ? policy : Object.fromEntries(Object.entries(policy).map(([key, value]) => [key.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`), value]));
      }
      if (condition.uuid !== undefined) return { type: "Feature", geometry: null, properties: { ...properties, ...condition } };
      if (condition.radius === undefined) return { type: "Feature", geometry: condition, properties };
      const { latitude, longitude, radius } = condition;
      return { type: "Feature", geometry: { type: "Point", coordinates: [longitude, latitude] }, properties: { ...properties, radius } };
    }),
  };
}

const rounded = (_, value) => (typeof value === "number" && !Number.isInteger(value) ? Number(value.toFixed(7)) : typeof value === "bigint" ? String(value) : value);

function fragment() {
  const text = JSON.stringify({ places: featuresOf(), policy: byId("policy").value, path: byId("path").value }, rounded);
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `#p=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

function openFragment() {
  const found = /^#p=([\w-]+)$/.exec(location.hash);
  if (!found) {
    if (location.hash.length > 1) say("The link holds no places: it was cut, or is of another page.", true);
    return false;
  }
  try {
    const binary = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
    const object = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(binary, (one) => one.charCodeAt(0))));
    const rows = fencepost.fromGeoJSON(object.places);
    for (const [id, value] of [["policy", object.policy], ["path", object.path]]) {
      if ([...byId(id).options].some((option) => option.value === value)) byId(id).value = value;
    }
    state.places = [];
    const refused = add(rows);
    say(`${state.places.length} places came with the link${refused}.`, refused !== "");
    return true;
  } catch (error) {
    say(`The link holds no places that can be read: ${error.message}`, true);
    return false;
  }
}

function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ----------------------------------------------------------------------------------------------------- the page

/**
 * Shows a fix of the track and the explanations at its time; if an event is given, shows the explanations at the time
 * of the event.
 */
function go(index, number, event) {
  state.index = index;
  byId("time").value = index;
  byId("now").textContent = state.fixes.length === 0 ? "–" : clock(state.fixes[index].time);
  for (const row of byId("events").tBodies[0].rows) row.classList.toggle("chosen", Number(row.dataset.number) === number);
  showExplanations(event);
  draw();
}

function changed(isFitted = false) {
  try {
    compute();
  } catch (error) {
    say(error.message, true);
  }
  showPlaces();
  showEvents();
  const time = byId("time");
  time.max = Math.max(0, state.fixes.length - 1);
  time.disabled = state.fixes.length === 0;
  const span = state.fixes.length > 0 ? `, ${clock(state.fixes[0].time)} to ${clock(state.fixes.at(-1).time)}` : "";
  byId("track").textContent = state.fixes.length > 0 ? `${state.name}: ${state.fixes.length} fixes${span}` : "No track yet.";
  showEmpty();
  if (isFitted) fit();
  go(Math.min(state.index, Math.max(0, state.fixes.length - 1)));
}

/** Shows the invitation on the map while the map is empty and no drawing tool is active. */
function showEmpty() {
  byId("empty").hidden = state.fixes.length > 0 || state.places.length > 0 || state.tool !== "move";
}

function example() {
  const { name, fixes, places } = JSON.parse(byId("ride").textContent);
  state.fixes = fixes.map(([time, latitude, longitude]) => ({ latitude, longitude, accuracy: 0, time: 1000 * time }));
  state.name = name;
  state.places = [];
  add(places.map(([identifier, latitude, longitude, radius]) => ({ identifier, condition: { latitude, longitude, radius }, options: {} })));
  state.index = state.fixes.length - 1;
  changed(true);
  say("A bicycle ride through Basel and three places: the example of the guide “Start”. Move the time to see why each place is in its state.");
}

async function begin() {
  const packed = Uint8Array.from(atob(byId("module").textContent.trim()), (one) => one.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  await fencepost.load(new Uint8Array(await new Response(stream).arrayBuffer()));

  for (const button of [byId("example"), byId("empty").querySelector("button")]) button.addEventListener("click", example);
  byId("file").addEventListener("change", (event) => take(event.target.files));
  for (const id of ["policy", "path"]) byId(id).addEventListener("change", () => changed());
  let isDue = false;
  byId("time").addEventListener("input", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      go(Number(byId("time").value));
    });
  });
  for (const button of document.querySelectorAll(".tool")) button.addEventListener("click", () => choose(button.dataset.tool));
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "all") {
        fit();
        draw();
      } else zoom(button.dataset.zoom === "in" ? 1.6 : 1 / 1.6);
    });
  }
  byId("circle").addEventListener("submit", (event) => {
    event.preventDefault();
    const { identifier, latitude, longitude, radius } = Object.fromEntries(new FormData(event.target));
    const decimal = (text) => (text.trim() === "" ? NaN : Number(text.replace(",", ".")));
    drop({ identifier, condition: { latitude: decimal(latitude), longitude: decimal(longitude), radius: decimal(radius) }, options: {} });
  });
  byId("share").addEventListener("click", async () => {
    history.replaceState(null, "", fragment());
    const address = location.href;
    try {
      await navigator.clipboard.writeText(address);
      say(`The link is copied (${address.length} characters). It holds the places and the policy, and not the track.`);
    } catch {
      say(`The link is in the address bar (${address.length} characters). It holds the places and the policy, and not the track.`);
    }
  });
  byId("save-events").addEventListener("click", () => {
    save("events.jsonl", state.events.map((event) => `${JSON.stringify(event)}\n`).join(""), "application/jsonl");
  });
  byId("save-places").addEventListener("click", () => save("places.geojson", JSON.stringify(featuresOf(), rounded, 1), "application/geo+json"));
  byId("clear").addEventListener("click", () => {
    Object.assign(state, { fixes: [], places: [], events: [], index: 0, name: "", corners: [] });
    history.replaceState(null, "", location.pathname);
    changed(true);
    say("");
  });
  let depth = 0;
  document.addEventListener("dragenter", (event) => {
    event.preventDefault();
    depth++;
    byId("dropping").hidden = false;
  });
  document.addEventListener("dragleave", () => {
    if (--depth <= 0) byId("dropping").hidden = true;
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    byId("dropping").hidden = true;
    take(event.dataTransfer.files);
  });
  new ResizeObserver(() => {
    if (state.isFitted) fit();
    draw();
  }).observe(map);
  window.addEventListener("hashchange", () => openFragment() && changed(true));

  choose("move");
  openFragment();
  changed(true);
  document.documentElement.dataset.ready = "yes";
}

begin().catch((error) => say(`The engine cannot start in this browser: ${error.message}`, true));
