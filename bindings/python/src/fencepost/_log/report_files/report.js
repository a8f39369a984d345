// Shows the report: indexes the data from Python once, then draws only the visible part.
const data = JSON.parse(byId("data").textContent);
const TURN = 10 * EARTH; // decimetres
const world = ([x, y]) => [x / TURN + .5, .5 - y / TURN];
const inMetres = ([x, y]) => world([10 * x, 10 * y]);
const names = data.places;
const tracks = data.tracks.map(([name, seen, word]) => {
  const rows = points(word, 3);
  return {name, seen, line: rows.map(world), times: rows.map((row) => row[2])};
});
const boxOf = (line) => line.reduce((box, [x, y]) => [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)], [Infinity, Infinity, -Infinity, -Infinity]);
const places = new Map(data.outlines.map(([place, polygons, what, isGate]) => {
  const rings = polygons.map((words) => words.map((word) => points(word).map(world)));
  return [place, {place, rings, what, isGate, box: boxOf(rings.flatMap((part) => part[0]))}];
}));
const events = data.events.map(([track, place, kind, time, x, y, text, accuracy, probability, ...ellipse], number) => ({number, track, place, kind, time, at: x === null ? null : inMetres([x, y]), text, accuracy, probability, ellipse}));
for (const [number, decider] of data.deciders) Object.assign(events[number], {decider, text: `${events[number].text}, decided by ${short(names[decider])}`});
const doubts = data.doubts.map(([track, time, x, y, left, low, text]) => ({track, time, at: inMetres([x, y]), from: inMetres([left, low]), text}));
const STATES = {satisfied: "inside", unsatisfied: "outside", unknown: "unknown", unmonitored: "not monitored", repeat: "still inside", absent: "found outside"};
const evidence = new Map(events.filter((event) => ["satisfied", "unsatisfied", "unknown", "unmonitored"].includes(event.kind)).map((event) => [`${event.track} ${event.place} ${event.time}`, event]));

/** The index of the first time that is equal to `time` or later. */
function indexAt(times, time) {
  let [low, high] = [0, times.length];
  while (low < high) { const middle = (low + high) >> 1; if (times[middle] < time) low = middle + 1; else high = middle; }
  return low;
}

function where(track, time) {
  const {line, times} = tracks[track], at = indexAt(times, time);
  if (!line.length) return null;
  if (at === 0 || at === times.length) return line[Math.min(at, line.length - 1)];
  const share = (time - times[at - 1]) / (times[at] - times[at - 1] || 1);
  return [0, 1].map((part) => line[at - 1][part] + share * (line[at][part] - line[at - 1][part]));
}

const visits = data.visits.map(([track, place, start, end, last, startKnown, endKnown, confirmedStart, confirmedEnd], number) => {
  const enter = evidence.get(`${track} ${place} ${confirmedStart}`), leave = evidence.get(`${track} ${place} ${confirmedEnd}`);
  const {line, times} = tracks[track], from = where(track, start), to = where(track, last);
  const path = from ? [from, ...line.slice(indexAt(times, start), indexAt(times, last)), to] : [];
  return {number, track, place, start, end, last, startKnown, endKnown, enter, leave, path, box: boxOf(path), seconds: (last - start) / 1000};
});
const crossings = events.filter((event) => event.kind.includes("_"));
// The places with hours, and for each the intervals in which it is inactive: for all devices (the key is the place), or
// after the last event of one device (the key is the device and the place).
const closed = new Map();
for (const [place, track, rows] of data.closed) closed.set(track === null ? `${place}` : `${track} ${place}`, rows);
const timed = new Set(data.timed);
const exhausted = new Map(); // by device and place, the time of the event after which the place is inactive for ever
for (const [place, track, time] of data.exhausted) exhausted.set(`${track} ${place}`, time);
// The rules by place, the kinds of their parts, and their states over time by device and place. Parts of a rule are
// places or other rules. A kind is empty if the conditions of the log do not contain the part.
const rules = new Map(data.rules.map(([place, form, parts]) => [place, {place, form, parts, above: 0}]));
for (const {parts} of rules.values()) for (const part of parts) if (rules.has(part)) rules.get(part).above += 1;
const users = new Map(); // how many rules have a part
for (const {parts} of rules.values()) for (const part of parts) users.set(part, (users.get(part) || 0) + 1);
const kinds = new Map(data.kinds);
const steps = new Map(data.steps.map(([track, place, word]) => [`${track} ${place}`, word]));
const bands = new Map(data.bands); // the places with limits of height, and the index of their limits in data.levels
// The dashes tell the bands apart without their colours.
const DASHES = [[], [9, 4], [2, 4]];
/** The limits for a label, which has no space for their references. */
const limits = ([text]) => text.replaceAll(/ above (the ellipsoid|mean sea level|the ground)/g, "");
const bandOf = (place) => bands.has(place) ? data.levels[bands.get(place)] : null;
// The events of these places that no visit shows: repeats, ends of schedules, and devices that are absent.
const NOTICE = {repeat: "enter", "schedule ended": "text", absent: "leave"};
const notices = events.filter((event) => timed.has(event.place) && event.kind in NOTICE);
for (const event of crossings) {
  const gate = places.get(event.place);
  if (!gate || !event.at) continue;
  // Turn the arrow perpendicular to the nearest part of the gate; Web Mercator preserves angles.
  let best = Infinity;
  for (const part of gate.rings) {
    for (let at = 1; at < part[0].length; at += 1) {
      const [[x1, y1], [x2, y2]] = [part[0][at - 1], part[0][at]], square = (x2 - x1) ** 2 + (y2 - y1) ** 2;
      const share = square ? Math.max(0, Math.min(1, ((event.at[0] - x1) * (x2 - x1) + (event.at[1] - y1) * (y2 - y1)) / square)) : 0;
      const away = Math.hypot(x1 + share * (x2 - x1) - event.at[0], y1 + share * (y2 - y1) - event.at[1]);
      if (away < best) [best, event.turn] = [away, Math.atan2(y2 - y1, x2 - x1) + (event.kind === "left_to_right" ? Math.PI / 2 : -Math.PI / 2)];
    }
  }
}

const two = (number) => String(number).padStart(2, "0");
function clock(time) { return time === null ? "" : new Date(time).toISOString().slice(0, 19).replace("T", " "); }
const [begin, finish] = data.period || [0, 1];
/** Formats a time for a table. If the report covers only one day, omits the date, which is shown below the title. */
const moment = (time) => clock(time).slice(clock(begin).slice(0, 10) === clock(finish).slice(0, 10) ? 11 : 0);
let period = [begin, Math.max(finish, begin + 1000)];
let word = "", chosen = null; // an object with one key: track, place, visit or event

// The visits that match the search and the selection.
const lower = {tracks: tracks.map((track) => track.name.toLowerCase()), places: names.map((name) => name.toLowerCase())};
const matches = (track, place) => !word || lower.tracks[track].includes(word) || lower.places[place].includes(word);
const isOf = (track, place) => !chosen || (chosen.track ?? track) === track && (chosen.place ?? place) === place;
let left = visits; // the visits that matched at the last show()

// ---------------------------------------------------------------- summary

const BY = {"by place": "place", "by device": "track"};
const nameOf = (by, index) => by === "place" ? names[index] : tracks[index].name;

/** Groups visits and crossings by place or by track, with a subgroup for each pair. `withHours` adds the places with
 * hours that have neither. */
function grouped(by, withHours = false) {
  const other = by === "place" ? "track" : "place", groups = new Map();
  const group = (map, index, make) => { if (!map.has(index)) map.set(index, make()); return map.get(index); };
  const fresh = (index, kind) => ({index, by: kind, visits: [], crossings: 0, marks: [], notices: [], unknown: [], below: new Map()});
  const add = (row, change) => {
    const whole = group(groups, row[by], () => fresh(row[by], by));
    const part = group(whole.below, row[other], () => fresh(row[other], other));
    part.above = whole;
    change(whole);
    change(part);
  };
  for (const visit of visits) if (matches(visit.track, visit.place)) add(visit, (each) => each.visits.push(visit));
  for (const event of crossings) if (matches(event.track, event.place)) add(event, (each) => { each.crossings += 1; each.marks.push(event); });
  for (const event of notices) if (matches(event.track, event.place)) add(event, (each) => each.notices.push(event));
  for (const [track, place, start, last] of data.unknown) if (matches(track, place)) add({track, place}, (each) => each.unknown.push([start, last]));
  if (withHours && by === "place") for (const [place, track] of data.closed) if (track === null && (!word || lower.places[place].includes(word))) group(groups, place, () => fresh(place, by));
  if (by === "track") tracks.forEach((track, index) => { if (!word || lower.tracks[index].includes(word)) group(groups, index, () => fresh(index, by)); });
  for (const whole of groups.values()) for (const each of [whole, ...whole.below.values()]) {
    each.seconds = each.visits.reduce((sum, visit) => sum + visit.seconds, 0);
    each.longest = each.visits.reduce((most, visit) => Math.max(most, visit.seconds), 0);
    each.isInside = each.visits.some((visit) => visit.end === null);
    each.seen = each.by === "track" && !each.above ? tracks[each.index].seen ?? begin : each.visits.reduce((most, visit) => Math.max(most, visit.last), -Infinity);
  }
  return [...groups.values()];
}

const number = (value) => value.toLocaleString("en");
let most = 1;
const pickGroup = (row) => choose(row.above ? {[row.above.by]: row.above.index, [row.by]: row.index} : {[row.by]: row.index});
const isChosen = (row) => chosen !== null && chosen.visit === undefined && chosen[row.by] === row.index && (row.above ? chosen[row.above.by] === row.above.index : Object.keys(chosen).length === 1);
const summary = new Table(byId("summary"), [
  {title: "Place", text: (row) => nameOf(row.by, row.index), value: (row) => nameOf(row.by, row.index)},
  {title: "Visits", number: true, value: (row) => row.visits.length + row.crossings, text: (row) => row.crossings ? count(row.crossings, "crossing") : number(row.visits.length)},
  {title: "Time inside", value: (row) => row.seconds, fill(cell, row) {
    const bar = element("span", undefined, "share");
    bar.style.width = `${Math.round(90 * row.seconds / most)}px`;
    cell.replaceChildren(bar, row.seconds ? span(row.seconds) : "–");
  }},
  {title: "Longest", number: true, value: (row) => row.longest, text: (row) => row.longest ? span(row.longest) : "–"},
  {title: "Last seen", value: (row) => row.seen, text: (row) => row.isInside ? `${row.by === "place" && rules.has(row.index) ? "satisfied" : "inside"} at the end` : isFinite(row.seen) ? moment(row.seen) : "–"},
], {key: (row) => row.index, pick: pickGroup, chosen: isChosen, empty: "No place was entered."});

function showSummary(by) {
  summary.by = by;
  const rows = grouped(by);
  most = rows.reduce((sum, row) => Math.max(sum, row.seconds), 1);
  summary.made.clear();
  summary.head.cells[0].firstChild.textContent = by === "place" ? "Place" : "Device";
  summary.set(rows);
}

function drawChart() {
  const canvas = byId("chart"), ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight, context = canvas.getContext("2d");
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const bins = Math.max(Math.floor(width), 1), change = new Int32Array(bins + 1), at = (time) => Math.max(0, Math.min(bins - 1, Math.floor((time - begin) / Math.max(finish - begin, 1) * bins)));
  for (const visit of left) { change[at(visit.start)] += 1; change[at(visit.last) + 1] -= 1; }
  let now = 0, peak = 0;
  const levels = Array.from(change.slice(0, bins), (step) => { now += step; peak = Math.max(peak, now); return now; });
  const foot = height - 18, tall = foot - 16;
  context.fillStyle = map.colour("inside");
  context.globalAlpha = .75;
  levels.forEach((level, x) => { if (level) context.fillRect(x, foot - tall * level / peak, 1, tall * level / peak); });
  context.globalAlpha = 1;
  context.fillStyle = map.colour("line");
  context.fillRect(0, foot, width, 1);
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  context.fillStyle = map.colour("soft");
  const said = `Visits at the same time: at most ${number(peak)}`;
  context.fillText(said, 0, 11);
  canvas.setAttribute("aria-label", `${said}, from ${clock(begin)} to ${clock(finish)} UTC`);
  drawTicks(context, width, height - 4, begin, finish);
}

const STEPS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400, 172800, 604800, 2592000, 7776000, 31536000].map((each) => each * 1000);
function drawTicks(context, width, y, from, to) {
  const step = STEPS.find((each) => (to - from) / each <= width / 90) || STEPS.at(-1);
  context.fillStyle = map.colour("soft");
  context.textAlign = "left";
  for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
    const text = clock(time), x = (time - from) / (to - from || 1) * width;
    const shown = step >= 86400000 || time % 86400000 === 0 ? text.slice(0, 10) : step >= 60000 ? text.slice(11, 16) : text.slice(11);
    context.fillRect(x, y - 14, 1, 4);
    if (x + context.measureText(shown).width + 4 < width) context.fillText(shown, x + 3, y);
  }
}

// ---------------------------------------------------------------- states

const opened = new Set(), isFlat = tracks.length < 2;
const axis = element("canvas");
axis.setAttribute("aria-hidden", "true");
function prepared(canvas, height = 30, width = states.width) {
  const ratio = window.devicePixelRatio || 1, context = canvas.getContext("2d");
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== height * ratio) canvas.height = height * ratio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** The intervals in which the place of a row is inactive. */
function closedOf(row) {
  const [place, track] = row.by === "place" ? [row.index, row.above?.index ?? (isFlat ? 0 : undefined)] : [row.above?.index, row.index];
  return [...closed.get(`${place}`) ?? [], ...closed.get(`${track} ${place}`) ?? []];
}

let hatching = null, isMixed = false; // whether a drawn pixel contains both hours and their interruptions
/** Returns the pattern of the intervals in which a place is inactive. */
function hatched(context) {
  const colours = ["line", "outside"].map((name) => map.colour(name)).join();
  if (hatching?.colours === colours) return hatching.pattern;
  const tile = element("canvas"), pen = tile.getContext("2d");
  [tile.width, tile.height] = [6, 6];
  pen.strokeStyle = map.colour("outside");
  pen.globalAlpha = .55;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) { pen.moveTo(shift, 6); pen.lineTo(shift + 6, 0); }
  pen.stroke();
  hatching = {colours, pattern: context.createPattern(tile, "repeat")};
  return hatching.pattern;
}

/** The times after which the place of a row is inactive for ever. */
function exhaustedOf(row) {
  const [place, track] = row.by === "place" ? [row.index, row.above?.index ?? (isFlat ? 0 : undefined)] : [row.above?.index, row.index], time = exhausted.get(`${track} ${place}`);
  return time === undefined ? [] : [time];
}

/** Whether the place of a row has a schedule. */
const hasHours = (row) => closed.has(`${row.by === "place" ? row.index : row.above?.index}`);

/** Draws the hours of a place behind its states: a band where it is active, and hatching where it is inactive. Each
 * pixel is drawn once, so thousands of short intervals merge: a pixel that contains both is a hatched band. */
function drawHours(context, shut, isBanded, width, at) {
  const columns = Math.ceil(width), share = new Float64Array(columns + 1), edges = new Uint32Array(columns + 1), runs = [];
  for (const [start, last] of shut) {
    const from = Math.max(at(start), 0), to = Math.min(at(last), width);
    if (to <= from) continue;
    const [first, end] = [Math.floor(from), Math.floor(to)];
    if (at(start) > 0) edges[first] += 1;
    if (at(last) < width) edges[end] += 1;
    for (let x = first; x <= end; x += 1) share[x] += Math.min(to, x + 1) - Math.max(from, x);
  }
  for (let x = 0; x < columns; x += 1) {
    const kind = edges[x] > 1 ? "mixed" : share[x] >= Math.min(1, width - x) / 2 ? "shut" : "open";
    if (runs.at(-1)?.kind === kind) runs.at(-1).end = x + 1; else runs.push({kind, start: x, end: x + 1});
  }
  for (const {kind, start, end} of runs) {
    const wide = Math.min(end, width) - start;
    isMixed ||= kind === "mixed";
    if (kind === "shut") context.clearRect(start, 5, wide, 21);
    else if (isBanded) { context.fillStyle = map.colour("line"); context.globalAlpha = .6; context.fillRect(start, 5, wide, 21); context.globalAlpha = 1; }
    if (kind !== "shut") { context.fillStyle = map.colour("outside"); context.fillRect(start, 15, wide, 1); }
    if (kind !== "open") { context.fillStyle = hatched(context); context.fillRect(start, 7, wide, 17); }
  }
  return runs;
}

/** Returns a function that draws bars of a row. Rows are sorted by time. A bar that lies within the bar drawn before it
 * would not be visible, so it is skipped. */
function barsIn(context, width, at) {
  let drawn = -Infinity;
  const bar = (start, last, top, tall) => {
    const x = Math.max(at(start), 0), end = Math.max(Math.min(at(last), width), x + 2);
    if (at(last) < 0 || x > width || end < drawn + .5) return;
    context.fillRect(x, top, end - x, tall);
    drawn = end;
  };
  return (colour, rows, show) => { context.fillStyle = map.colour(colour); drawn = -Infinity; rows.forEach((row) => show(bar, row)); };
}

function drawStrip(cell, row) {
  const canvas = cell.firstChild || cell.appendChild(element("canvas")), context = prepared(canvas), width = states.width, [from, to] = period;
  canvas.row = row;
  canvas.setAttribute("role", "img");
  const shut = closedOf(row), ends = exhaustedOf(row), said = [row.visits.length || !row.crossings ? `${count(row.visits.length, "visit")}, ${span(row.seconds)} inside` : count(row.crossings, "crossing")];
  if (row.notices.length) said.push(count(row.notices.length, "event", "events of repeats and hours"));
  if (shut.length) said.push(`inactive for ${span(shut.reduce((sum, [start, last]) => sum + last - start, 0) / 1000)}`);
  for (const time of ends) said.push(`no more events after ${clock(time)}`);
  canvas.setAttribute("aria-label", said.join(", "));
  const at = (time) => (time - from) / (to - from) * width, bars = barsIn(context, width, at);
  canvas.runs = drawHours(context, shut, hasHours(row), width, at);
  if (isFlat || row.above) bars("unknown", row.unknown, (bar, [start, last]) => bar(start, last, 13, 5));
  context.globalAlpha = isFlat || row.above || row.visits.length < 2 ? 1 : .7; // overlapping visits stay visible
  bars("inside", row.visits, (bar, visit) => bar(visit.start, visit.last, 7, 17));
  context.globalAlpha = 1;
  bars("text", row.marks, (bar, event) => bar(event.time, event.time, 5, 21));
  drawEnds(context, ends, width, at);
  for (const event of row.notices) {
    const x = at(event.time);
    context.fillStyle = map.colour(NOTICE[event.kind]);
    if (x >= 0 && x <= width) context.fillRect(Math.min(x, width - 2), event.kind === "repeat" ? 11 : 3, 2, event.kind === "repeat" ? 9 : 25);
  }
}

/** Marks the times after which a place is inactive for ever: a line, and a cross on its right side. */
function drawEnds(context, ends, width, at) {
  for (const time of ends) {
    const x = Math.min(at(time), width - 2);
    if (x < 0 || at(time) > width) continue;
    context.fillStyle = context.strokeStyle = map.colour("text");
    context.fillRect(x, 3, 2, 25);
    context.lineWidth = 1.5;
    context.beginPath();
    for (const side of [-3, 3]) { const middle = x > width - 12 ? x - 6 : x + 7; context.moveTo(middle - 3, 15 - side); context.lineTo(middle + 3, 15 + side); }
    context.stroke();
  }
}

const states = new Table(byId("states"), [
  {title: "Name", text: (row) => `${isFlat || row.above ? "" : opened.has(row.index) ? "▾ " : "▸ "}${nameOf(row.by, row.index)}`, value: (row) => nameOf(row.by, row.index),
    fill: (button, row) => { if (isFlat || row.above) button.removeAttribute("aria-expanded"); else button.setAttribute("aria-expanded", String(opened.has(row.index))); }},
  {title: "", head: axis, fill: drawStrip},
], {
  key: (row) => row.above ? `${row.above.index} ${row.index}` : `${row.index}`,
  kind: (row) => row.above ? "child" : "",
  chosen: (row) => isFlat || row.above ? isChosen(row) : false,
  empty: "No place was entered.",
  pick(row) {
    if (isFlat || row.above || !row.below.size) { pickGroup(row); return; }
    if (!opened.delete(row.index)) opened.add(row.index);
    showStates(states.by, false);
  },
});
states.unfold = (rows) => rows.filter((row) => !row.above).flatMap((row) => opened.has(row.index) ? [row, ...row.below.values()] : [row]);

function drawStates() {
  states.width = Math.max(axis.parentElement.clientWidth, 40);
  const context = prepared(axis);
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  drawTicks(context, states.width, 22, ...period);
  isMixed = false;
  states.draw();
  drawRules();
  byId("mixed-key").hidden = !isMixed;
}

function showStates(by, isOther = true) {
  if (isOther) { opened.clear(); states.made.clear(); }
  states.by = by;
  const rows = grouped(by, true).filter((row) => row.below.size || row.by === "place" && hasHours(row));
  if (rows.length === 1 && !isFlat) opened.add(rows[0].index);
  rows.sort((a, b) => b.seconds - a.seconds || b.crossings - a.crossings);
  states.set(rows);
  drawStates();
}

/** Unfolds the given device, folds all other devices, and scrolls to the given device. */
function reveal(track) {
  if (opened.has(track)) return;
  opened.clear();
  opened.add(track);
  showStates(states.by, false);
  byId("states").scrollTop = ROW * Math.max(states.rows.findIndex((row) => !row.above && row.index === track), 0);
}

byId("states").addEventListener("click", (event) => {
  const row = event.target.row;
  if (!row) return;
  const time = period[0] + event.offsetX / states.width * (period[1] - period[0]), slack = 4 / states.width * (period[1] - period[0]);
  const visit = row.visits.find((each) => each.start - slack <= time && time <= each.last + slack), mark = [...row.notices, ...row.marks].find((each) => Math.abs(each.time - time) <= slack);
  if (mark) choose({event: mark}); else if (visit) choose({visit});
});

function stretch(factor, middle = (period[0] + period[1]) / 2) {
  const half = Math.max((period[1] - period[0]) / 2 * factor, 500);
  period = half * 2 >= finish - begin ? [begin, Math.max(finish, begin + 1000)] : [middle - half, middle + half];
  drawStates();
}

// ---------------------------------------------------------------- rules

// The words of the states of a step, in the order of their numbers in rule_states.py.
const WORDS = ["unsatisfied", "satisfied", "unknown", "inactive"];
const [SATISFIED, UNKNOWN, INACTIVE] = [1, 2, 3];
const MOST_OPEN = 40;
const ruled = {opened: new Set(), decoded: new Map(), own: new Map()};
const rulesAxis = element("canvas");
rulesAxis.setAttribute("aria-hidden", "true");
for (const event of events) if (rules.has(event.place)) { const key = `${event.track} ${event.place}`; if (!ruled.own.has(key)) ruled.own.set(key, []); ruled.own.get(key).push(event); }
let ruleDevice = 0, isRulesDue = true;

/** The states of a place over time: rows of a start, an end and a state. */
function stepsOf(place, track = ruleDevice) {
  const key = `${track} ${place}`;
  if (!ruled.decoded.has(key)) {
    const found = points(steps.get(key) ?? "", 2), end = Math.max(tracks[track]?.seen ?? finish, finish);
    ruled.decoded.set(key, found.map(([start, state], at) => [start, at + 1 < found.length ? found[at + 1][0] : end, state]));
  }
  return ruled.decoded.get(key);
}
const eventsOf = (place) => ruled.own.get(`${ruleDevice} ${place}`) ?? [];
const isMissing = (place) => kinds.get(place) === "";
function whatIs(row) {
  if (isMissing(row.place)) return "not in the table";
  const shared = row.depth && users.get(row.place) > 1 ? `, part of ${number(users.get(row.place))} rules` : "";
  return `${rules.get(row.place)?.form ?? kinds.get(row.place)}${shared}`;
}
/** The state at the end of the log and, for a rule, the part that decided its last event. */
function atTheEnd(row) {
  const last = stepsOf(row.place).at(-1), decider = eventsOf(row.place).at(-1)?.decider;
  if (isMissing(row.place) || !last) return isMissing(row.place) ? "unknown" : "–";
  return `${WORDS[last[2]]}${decider !== undefined && last[2] < UNKNOWN ? `, by ${short(names[decider], 40)}` : ""}`;
}

/** Draws the states of a rule or a part: a tall bar is satisfied, a line unsatisfied, a short bar unknown, and hatching
 * inactive. The marks are the events of a rule. */
function drawSteps(cell, row) {
  const canvas = cell.firstChild || cell.appendChild(element("canvas")), width = tree.width, context = prepared(canvas, 30, width), [from, to] = period;
  const found = stepsOf(row.place), own = eventsOf(row.place), of = (state) => found.filter((step) => step[2] === state), at = (time) => (time - from) / (to - from) * width;
  canvas.row = row;
  canvas.setAttribute("role", "img");
  const lasting = (state) => of(state).reduce((sum, [start, last]) => sum + last - start, 0) / 1000;
  const said = WORDS.map((words, state) => [words, lasting(state)]).filter(([, seconds]) => seconds).map(([words, seconds]) => `${words} for ${span(seconds)}`);
  if (own.length) said.push(count(own.length, "event"));
  canvas.setAttribute("aria-label", said.join(", ") || (isMissing(row.place) ? "not in the table, so unknown" : "no states"));
  const bars = barsIn(context, width, at), shut = of(INACTIVE);
  if (!found.length) { bars("unknown", isMissing(row.place) ? [[begin, finish]] : [], (bar, [start, last]) => bar(start, last, 13, 5)); return; }
  canvas.runs = drawHours(context, shut, false, width, at);
  bars("unknown", of(UNKNOWN), (bar, [start, last]) => bar(start, last, 13, 5));
  bars("inside", of(SATISFIED), (bar, [start, last]) => bar(start, last, 7, 17));
  bars("text", own, (bar, event) => bar(event.time, event.time, 3, 25));
}

const tree = new Table(byId("rules"), [
  {title: "Rule", text: (row) => `${rules.has(row.place) ? ruled.opened.has(row.path) ? "▾ " : "▸ " : ""}${names[row.place]}`,
    fill(button, row) {
      button.style.setProperty("--depth", row.depth);
      button.closest("tr").setAttribute("aria-level", row.depth + 1);
      if (rules.has(row.place)) button.setAttribute("aria-expanded", String(ruled.opened.has(row.path))); else button.removeAttribute("aria-expanded");
    }},
  {title: "What", text: whatIs},
  {title: "At the end", text: atTheEnd},
  {title: "", head: rulesAxis, fill: drawSteps},
], {
  key: (row) => row.path,
  kind: (row) => rules.has(row.place) ? "rule" : isMissing(row.place) ? "missing" : "",
  chosen: (row) => chosen?.place === row.place,
  empty: "No rule matches.",
  pick(row) {
    if (rules.has(row.place)) {
      if (!ruled.opened.delete(row.path)) ruled.opened.add(row.path);
      isRulesDue = true;
      describe({place: row.place});
      showRules();
    } else choose({place: row.place});
  },
});
tree.table.setAttribute("role", "treegrid");
byId("rules").addEventListener("click", (event) => {
  const row = event.target.row;
  if (!row) return;
  const time = period[0] + event.offsetX / tree.width * (period[1] - period[0]), slack = 4 / tree.width * (period[1] - period[0]);
  const mark = eventsOf(row.place).find((each) => Math.abs(each.time - time) <= slack);
  if (mark) choose({event: mark}); else choose({place: row.place, track: ruleDevice});
});

/** The rows of the tree: rules that are not part of another rule, and below each unfolded rule its parts. A part of
 * several rules occurs below each. Only unfolded rows exist, because shared parts could repeat without a bound. */
function treeRows() {
  const found = [], fits = new Map();
  const matched = (place) => {
    if (!fits.has(place)) { fits.set(place, false); fits.set(place, lower.places[place].includes(word) || (rules.get(place)?.parts ?? []).some(matched)); }
    return fits.get(place);
  };
  const add = (place, path, depth) => {
    found.push({place, path, depth});
    if (rules.has(place) && ruled.opened.has(path)) for (const part of rules.get(place).parts) add(part, `${path}/${part}`, depth + 1);
  };
  for (const rule of rules.values()) if (!rule.above && (!word || matched(rule.place))) add(rule.place, `${rule.place}`, 0);
  return found;
}

function showRules() {
  const of = chosen?.track ?? ruleDevice;
  if (!rules.size || !isRulesDue && of === ruleDevice) { tree.draw(); return; }
  isRulesDue = false;
  ruleDevice = of;
  byId("rule-device").value = String(ruleDevice);
  byId("rule-count").textContent = `${number(rules.size)}${isFlat ? "" : `, of the device ${short(tracks[ruleDevice].name, 40)}`}`;
  tree.made.clear();
  tree.set(treeRows());
  drawRules();
}

function drawRules() {
  if (!rules.size) return;
  tree.width = Math.max(rulesAxis.parentElement.clientWidth, 40);
  const context = prepared(rulesAxis, 30, tree.width);
  context.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  drawTicks(context, tree.width, 22, ...period);
  tree.draw();
}

/** Unfolds the rules of a short tree. */
function unfoldRules() {
  let left = MOST_OPEN;
  const unfold = (place, path) => {
    if (!rules.has(place) || left < 0) return;
    left -= rules.get(place).parts.length;
    if (left < 0) return;
    ruled.opened.add(path);
    for (const part of rules.get(place).parts) unfold(part, `${path}/${part}`);
  };
  for (const rule of rules.values()) if (!rule.above) { left -= 1; unfold(rule.place, `${rule.place}`); }
}

unfoldRules();
tracks.forEach((track, index) => { const option = byId("rule-device").appendChild(element("option", short(track.name, 40))); option.value = String(index); });
byId("rule-device-label").hidden = isFlat;
byId("rules-card").hidden = !rules.size;
byId("rule-device").addEventListener("change", (event) => { ruleDevice = Number(event.target.value); if (chosen?.track !== undefined) choose(null); isRulesDue = true; showRules(); });

// ---------------------------------------------------------------- visits

const hasProbability = visits.some((visit) => visit.enter?.probability !== undefined || visit.leave?.probability !== undefined);
const probability = (title, part) => ({title, number: true, value: (row) => row[part]?.probability ?? -1, text: (row) => row[part]?.probability?.toFixed(4) ?? "–"});
const list = new Table(byId("visits"), [
  {title: "Place", text: (row) => names[row.place], value: (row) => names[row.place]},
  ...tracks.length > 1 ? [{title: "Device", text: (row) => short(tracks[row.track].name, 40), value: (row) => tracks[row.track].name}] : [],
  {title: "Enter", value: (row) => row.start, text: (row) => moment(row.start)},
  {title: "Leave", value: (row) => row.end ?? Infinity, text: (row) => row.end === null ? `${rules.has(row.place) ? "satisfied" : "inside"} at the end` : moment(row.end)},
  {title: "Inside", number: true, value: (row) => row.seconds, text: (row) => span(row.seconds)},
  {title: "How entry is known", value: (row) => row.startKnown, text: (row) => data.known[row.startKnown]},
  {title: "How exit is known", value: (row) => row.endKnown, text: (row) => data.known[row.endKnown]},
  ...hasProbability ? [probability("Probability at entry", "enter"), probability("Probability at exit", "leave")] : [],
], {key: (row) => row.number, pick: (row) => choose({visit: row}), chosen: (row) => chosen !== null && chosen.visit === row, empty: "No place was entered."});

// ---------------------------------------------------------------- events

const RULED = {satisfied: "satisfied", unsatisfied: "unsatisfied", repeat: "still satisfied", absent: "unsatisfied"};
const nameOfEvent = (event) => (rules.has(event.place) ? RULED[event.kind] : undefined) ?? STATES[event.kind] ?? (event.kind.includes("_") ? `crossed ${event.kind.replaceAll("_", " ")}` : event.kind);
const log = new Table(byId("events"), [
  {title: "Place", text: (row) => names[row.place], value: (row) => names[row.place]},
  ...tracks.length > 1 ? [{title: "Device", text: (row) => short(tracks[row.track].name, 40), value: (row) => tracks[row.track].name}] : [],
  {title: "Time", value: (row) => row.time, text: (row) => moment(row.time)},
  {title: "Event", value: nameOfEvent, text: nameOfEvent},
  {title: "Why", value: (row) => row.text, text: (row) => row.text},
], {key: (row) => row.number, pick: (row) => choose({event: row}), chosen: (row) => chosen?.event === row, empty: "There are no events."});

// ---------------------------------------------------------------- map

const map = new FenceMap(byId("map-box"), paint, {
  pick(what) { if (what) choose(what); },
  hover(what) {
    describe(what || chosen);
    map.canvas.title = what?.doubt ? doubted(what.doubt) : "";
  },
});

/** Traces a line, and leaves out points that are less than 1.5 pixels from the previous point. */
function trace(context, line) {
  let lastX = Infinity, lastY = Infinity;
  const {scale, centre} = map, left = map.width / 2 - centre[0] * scale, top = map.height / 2 - centre[1] * scale, end = line.length - 1;
  for (let at = 0; at <= end; at += 1) {
    const x = line[at][0] * scale + left, y = line[at][1] * scale + top;
    if (at && at < end && Math.abs(x - lastX) < 1.5 && Math.abs(y - lastY) < 1.5) continue;
    if (at) context.lineTo(x, y); else context.moveTo(x, y);
    [lastX, lastY] = [x, y];
  }
}

const spent = new Map();
for (const visit of visits) spent.set(visit.place, (spent.get(visit.place) || 0) + visit.seconds);
for (const event of crossings) spent.set(event.place, (spent.get(event.place) || 0) + 1);

const isIn = ([west, north, east, south], view) => west <= view[2] && east >= view[0] && north <= view[3] && south >= view[1];

function paint(map, context) {
  const half = [map.width / 2 / map.scale, map.height / 2 / map.scale], {centre} = map;
  const view = [centre[0] - half[0], centre[1] - half[1], centre[0] + half[0], centre[1] + half[1]];
  const shown = chosen?.visit === undefined ? left : [chosen.visit];
  let drawn = 0;
  for (const place of places.values()) {
    if (!isIn(place.box, view)) continue;
    const size = (place.box[2] - place.box[0]) * map.scale, isSpent = spent.has(place.place), isOne = chosen?.place === place.place || chosen?.visit?.place === place.place;
    drawn += 1;
    const band = bandOf(place.place);
    context.strokeStyle = context.fillStyle = map.colour(band ? `band-${band[1]}` : isSpent ? "inside" : "outside");
    context.setLineDash(band ? DASHES[band[1]] : []);
    context.globalAlpha = chosen && !isOne && chosen.track === undefined ? .5 : 1;
    const middle = map.toScreen([(place.box[0] + place.box[2]) / 2, (place.box[1] + place.box[3]) / 2]), top = map.toScreen([0, place.box[1]])[1];
    if (size < 3 && !place.isGate) context.fillRect(middle[0] - 1.5, middle[1] - 1.5, 3, 3);
    else {
      context.beginPath();
      for (const part of place.rings) for (const ring of part) { trace(context, ring); if (!place.isGate) context.closePath(); }
      context.lineWidth = isOne ? 3 : place.isGate ? 2.5 : 1.2;
      context.stroke();
      context.globalAlpha *= isSpent ? .14 : .05;
      if (!place.isGate) context.fill("evenodd");
    }
    context.globalAlpha = 1;
    context.setLineDash([]);
    if (isOne || places.size <= 60 || size >= (isSpent ? 3 : 40)) map.label(band ? `${limits(band)}, ${names[place.place]}` : names[place.place], [middle[0], top - 2], (spent.get(place.place) || 0) + (isOne ? 1e12 : 0) + size / 1e6, map.toScreen([0, place.box[3]])[1] + 2);
    map.target({place: place.place}, middle, Math.min(size / 2, 12));
  }
  map.canvas.dataset.places = drawn;
  context.lineWidth = 1.2;
  context.strokeStyle = map.colour("track");
  tracks.forEach((track, number) => {
    const isOne = chosen?.track === number || chosen?.visit?.track === number;
    context.globalAlpha = isOne ? .95 : chosen && (chosen.track ?? chosen.visit?.track) !== undefined ? .15 : tracks.length > 20 ? .35 : .7;
    context.beginPath();
    trace(context, track.line);
    context.stroke();
    if (track.line.length === 1) { const [x, y] = map.toScreen(track.line[0]); context.strokeRect(x - 2, y - 2, 4, 4); }
  });
  paintDoubts(context);
  const seen = shown.filter((visit) => visit.path.length && isIn(visit.box, view)), areFew = seen.length <= 60 || chosen?.visit !== undefined;
  context.globalAlpha = areFew ? .9 : .6;
  context.strokeStyle = context.fillStyle = map.colour("inside");
  context.lineJoin = "round";
  context.lineWidth = areFew ? 4 : 2;
  context.beginPath();
  // If many visits share a place on the screen, only the first visit is drawn and can be picked.
  const spots = new Set();
  for (const visit of seen) {
    const size = Math.max(visit.box[2] - visit.box[0], visit.box[3] - visit.box[1]) * map.scale;
    const [x, y] = map.toScreen(visit.path[visit.path.length >> 1]);
    if (size < 4 && !areFew) {
      const spot = Math.round(x / 3) * 65536 + Math.round(y / 3);
      if (spots.has(spot)) continue;
      spots.add(spot);
    }
    map.target({visit}, [x, y], 8);
    if (size < 4) context.fillRect(x - 2, y - 2, 4, 4); else trace(context, visit.path);
  }
  context.stroke();
  context.globalAlpha = 1;
  map.canvas.dataset.circles = 0;
  if (areFew) {
    for (const visit of seen) for (const [event, colour] of [[visit.enter, "enter"], [visit.leave, "leave"]]) errorCircle(context, event, colour);
    for (const visit of seen) {
      mark(context, visit.path[0], "enter", 0, {visit});
      if (visit.end !== null) mark(context, visit.path.at(-1), "leave", Math.PI, {visit});
    }
  }
  for (const event of crossings) if (event.at && event.turn !== undefined && matches(event.track, event.place) && isOf(event.track, event.place)) mark(context, event.at, "text", event.turn + Math.PI / 2, {event}, true);
  map.canvas.dataset.visits = seen.length;
  map.canvas.dataset.marked = areFew;
}

/** Draws doubted fixes as grey crosses, each with a dashed line from the fix before it. */
function paintDoubts(context) {
  const own = doubts.filter((doubt) => !chosen || (chosen.track ?? doubt.track) === doubt.track);
  let drawn = 0;
  context.strokeStyle = map.colour("outside");
  for (const doubt of own) {
    const [from, at] = [map.toScreen(doubt.from), map.toScreen(doubt.at)], isOne = chosen?.doubt === doubt;
    if (!map.isSeen(from, 10) && !map.isSeen(at, 10) && !crosses(from, at)) continue;
    drawn += 1;
    context.lineWidth = isOne ? 3 : 1.2;
    context.setLineDash([4, 4]);
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...at);
    context.stroke();
    context.setLineDash([]);
    context.lineWidth = isOne ? 3 : 1.5;
    context.beginPath();
    for (const side of [-3.5, 3.5]) { context.moveTo(at[0] - 3.5, at[1] - side); context.lineTo(at[0] + 3.5, at[1] + side); }
    context.stroke();
    map.target({doubt}, at, 5);
  }
  map.canvas.dataset.doubts = drawn;
}

/** Returns whether the box around a line meets the canvas. */
const crosses = (a, b) => Math.min(a[0], b[0]) < map.width && Math.max(a[0], b[0]) > 0 && Math.min(a[1], b[1]) < map.height && Math.max(a[1], b[1]) > 0;

/** Whether the report draws the error of an event's fix. */
const hasError = (event) => Boolean(event?.ellipse.length || event?.accuracy);

/** Draws the error ellipse of an event's fix, or the circle with its accuracy as the radius, if the event's policy uses
 * probabilities. Both contain the same share of the true positions. */
function errorCircle(context, event, colour) {
  if (!hasError(event) || !event.at) return;
  const [major, minor, orientation] = event.ellipse.length ? event.ellipse : [event.accuracy, event.accuracy, 0];
  const pixels = metres(latitudeOf(event.at[1]), 1) * map.scale, [x, y] = map.toScreen(event.at);
  if (major * pixels < 4 || !map.isSeen([x, y], major * pixels)) return;
  context.beginPath();
  context.ellipse(x, y, major * pixels, minor * pixels, (orientation - 90) * Math.PI / 180, 0, 2 * Math.PI);
  context.strokeStyle = context.fillStyle = map.colour(colour);
  context.lineWidth = 1.5;
  context.stroke();
  context.globalAlpha = .1;
  context.fill();
  context.globalAlpha = 1;
  map.canvas.dataset.circles = Number(map.canvas.dataset.circles) + 1;
}

/** Draws a triangle (for a gate: an arrow) that points up, rotated by `turn`. */
function mark(context, point, colour, turn, what, isArrow = false) {
  const [x, y] = map.toScreen(point);
  if (!map.isSeen([x, y], 10)) return;
  context.save();
  context.translate(x, y);
  context.rotate(turn);
  context.beginPath();
  for (const [dx, dy] of isArrow ? [[0, -10], [6, 6], [0, 3], [-6, 6]] : [[0, -6.5], [6, 5], [-6, 5]]) context.lineTo(dx, dy);
  context.closePath();
  context.fillStyle = map.colour(colour);
  context.strokeStyle = map.colour("land");
  context.lineWidth = 2;
  context.stroke();
  context.fill();
  context.restore();
  map.target(what, [x, y], 7);
  map.avoid([x, y], 6);
}

map.all = () => {
  if (!data.frame) { map.fit([0, 0, 1, 1]); return; }
  const [west, south, east, north] = data.frame, [a, b] = [inMetres([west, north]), inMetres([east, south])];
  map.fit([...a, ...b]);
};

// ---------------------------------------------------------------- what is chosen

function sentence(visit) {
  const device = tracks.length > 1 ? short(tracks[visit.track].name) : "The device", place = short(names[visit.place]);
  const why = [["Enter", visit.enter], ["Leave", visit.leave]].filter(([, event]) => event).map(([what, event]) => `${what}: ${event.text}.`);
  if (rules.has(visit.place)) {
    const period = visit.end === null ? `has been satisfied since ${clock(visit.start)}` : `was satisfied from ${clock(visit.start)} to ${clock(visit.end)}`;
    return `The rule ${place} ${period}${tracks.length > 1 ? ` for ${device}` : ""} (${span(visit.seconds)}). ${why.join(" ").replaceAll("Enter:", "Start:").replaceAll("Leave:", "End:")}`;
  }
  const when = visit.end === null ? `has been inside ${place} since ${clock(visit.start)}` : `was inside ${place} from ${clock(visit.start)} to ${clock(visit.end)}`;
  return `${device} ${when} (${span(visit.seconds)}). ${why.join(" ")}`;
}

function doubted(doubt) {
  return `${tracks.length > 1 ? short(tracks[doubt.track].name) : "The device"} cannot have been here at ${clock(doubt.time)}: ${doubt.text}.`;
}

function happened(event) {
  const device = tracks.length > 1 ? short(tracks[event.track].name) : "The device", place = short(names[event.place]), when = `at ${clock(event.time)}: ${event.text}`;
  if (rules.has(event.place) && event.kind in RULED) return `The rule ${place} was ${nameOfEvent(event)}${tracks.length > 1 ? ` for ${short(tracks[event.track].name)}` : ""} ${when}.`;
  if (event.kind.includes("_")) return `${short(tracks[event.track].name)} crossed ${place} ${event.kind.replaceAll("_", " ")} ${when}.`;
  if (event.kind === "schedule ended") return `The schedule of ${place} ended ${when}.`;
  if (event.kind === "unknown" || event.kind === "unmonitored") return `${place} was ${STATES[event.kind]} ${when}.`;
  return `${device} was ${STATES[event.kind]} ${place} ${when}.`;
}

/** Describes a place in words. */
function aboutPlace(place) {
  if (rules.has(place)) return `a rule, ${rules.get(place).form}, which has no position`;
  if (kinds.get(place) === "") return "not a condition of this log";
  return places.get(place)?.what ?? (kinds.get(place) === "beacon" ? "a beacon, which has no position" : "not drawn");
}

function describe(what) {
  let text = "Choose a device, a place or a visit in a table or on the map.";
  if (what?.visit) text = sentence(what.visit);
  else if (what?.doubt) text = doubted(what.doubt);
  else if (what?.event) text = happened(what.event);
  else if (what) {
    const own = visits.filter((visit) => (what.track ?? visit.track) === visit.track && (what.place ?? visit.place) === visit.place);
    const about = [what.track === undefined ? "" : short(tracks[what.track].name), what.place === undefined ? "" : short(names[what.place])].filter(Boolean).join(" in ");
    const band = what.place === undefined ? null : bandOf(what.place);
    const shape = what.place === undefined ? "" : ` (${aboutPlace(what.place)}${band ? `, ${band[0]}` : ""})`;
    text = `${about}${shape}: ${rules.has(what.place) ? `satisfied ${count(own.length, "time")}, for ${span(own.reduce((sum, visit) => sum + visit.seconds, 0))}` : `${count(own.length, "visit")}, ${span(own.reduce((sum, visit) => sum + visit.seconds, 0))} inside`}.`;
  }
  byId("chosen").textContent = text;
}

function choose(what) {
  chosen = what?.event ? {track: what.event.track, place: what.event.place, event: what.event} : what?.doubt ? {track: what.doubt.track, doubt: what.doubt} : what;
  describe(chosen);
  const visit = what?.visit, event = what?.event, place = visit?.place ?? chosen?.place, track = visit?.track ?? chosen?.track;
  if (visit) chosen = {visit, track: visit.track, place: visit.place};
  const boxes = [];
  if (visit) boxes.push(visit.box);
  if (event?.at) boxes.push([...event.at, ...event.at]);
  if (place !== undefined && places.has(place)) boxes.push(places.get(place).box);
  if (what?.doubt) boxes.push(boxOf([what.doubt.from, what.doubt.at]));
  else if (place === undefined && track !== undefined) boxes.push(boxOf(tracks[track].line));
  if (boxes.length) {
    const [west, north, east, south] = boxes.reduce((a, b) => [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]);
    map.fit([west, north, east, south], .6);
  }
  if (track !== undefined && states.by === "track" && !isFlat) reveal(track);
  if (visit) stretch(Math.max((visit.last - visit.start) * 3, 60000) / (period[1] - period[0]), (visit.start + visit.last) / 2);
  const clear = byId("clear");
  clear.hidden = chosen === null;
  clear.textContent = chosen === null ? "" : `× ${[track === undefined ? "" : short(tracks[track].name, 30), place === undefined ? "" : short(names[place], 30)].filter(Boolean).join(", ")}`;
  clear.setAttribute("aria-label", "Show all visits again");
  show();
}

function show() {
  left = visits.filter((visit) => matches(visit.track, visit.place) && isOf(visit.track, visit.place));
  list.set(left);
  const seen = events.filter((event) => matches(event.track, event.place) && isOf(event.track, event.place));
  log.set(seen);
  byId("event-count").textContent = seen.length === events.length ? number(seen.length) : `${number(seen.length)} of ${number(events.length)}`;
  byId("visit-count").textContent = left.length === visits.length ? number(left.length) : `${number(left.length)} of ${number(visits.length)}`;
  summary.draw();
  states.draw();
  showRules();
  drawChart();
  map.due();
}

byId("clear").addEventListener("click", () => { choose(null); map.all(); byId("search").focus(); });
byId("search").addEventListener("input", (event) => {
  word = event.target.value.trim().toLowerCase();
  isRulesDue = true;
  showSummary(summary.by);
  showStates(states.by, false);
  show();
});
byId("nearer").addEventListener("click", () => stretch(.5));
byId("farther").addEventListener("click", () => stretch(2));
byId("whole").addEventListener("click", () => stretch(Infinity));

// Tiles are loaded only while the switch is on and the browser is online.
function showTiles() {
  const box = byId("base-map");
  box.disabled = !navigator.onLine;
  map.tiles = box.checked && navigator.onLine ? data.tiles : null;
  map.credit(map.tiles ? data.credit : "");
  map.due();
}
byId("base-map").addEventListener("change", showTiles);
for (const name of ["online", "offline"]) window.addEventListener(name, showTiles);
window.addEventListener("resize", () => { drawStates(); drawChart(); });
isDark.addEventListener("change", () => { drawStates(); drawChart(); });
for (const [name, isPrinted] of [["beforeprint", true], ["afterprint", false]]) {
  window.addEventListener(name, () => {
    for (const table of [summary, states, tree, list, log]) { table.isPrinted = isPrinted; table.draw(); }
    drawStates();
    drawChart();
  });
}

const ways = tracks.length > 1 ? Object.keys(BY) : ["by place"];
choice(byId("summary-by"), ways, (way) => showSummary(BY[way]));
choice(byId("states-by"), tracks.length > 1 ? [...ways].reverse() : ways, (way) => showStates(BY[way]));
document.querySelector("h1").title = document.querySelector("h1").textContent; // on a screen, a long title is cut off
const MOST_KEYS = 12;
for (const [text, colour] of data.levels.slice(0, MOST_KEYS)) {
  const key = element("span");
  key.append(element("i", ["━", "╍", "┅"][colour], `band-${colour}`), ` ${text}`);
  byId("band-key").append(key);
}
if (data.levels.length > MOST_KEYS) byId("band-key").append(element("span", `and ${number(data.levels.length - MOST_KEYS)} more`));
byId("band-key").hidden = !data.levels.length;
byId("gate-key").hidden = !crossings.length;
byId("doubt-key").hidden = !doubts.length;
byId("error-key").hidden = !events.some(hasError);
byId("unknown-key").hidden = !data.unknown.length;
byId("closed-key").hidden = !data.closed.length;
byId("open-key").hidden = !data.closed.some(([, track]) => track === null);
byId("exhausted-key").hidden = !data.exhausted.length;
byId("repeat-key").hidden = !notices.some((event) => event.kind === "repeat");
byId("ended-key").hidden = !notices.some((event) => event.kind === "schedule ended");
byId("absent-key").hidden = !notices.some((event) => event.kind === "absent");
byId("events-card").hidden = !events.length;
byId("chart").hidden = !visits.length;
summary.sort(2, true);
list.sort(tracks.length > 1 ? 2 : 1, false);
log.sort(tracks.length > 1 ? 2 : 1, false);
map.all();
showTiles();
show();
document.documentElement.dataset.ready = Math.round(performance.now());
