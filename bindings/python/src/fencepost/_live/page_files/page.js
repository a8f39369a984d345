// Shows the page of a watch: stores the server's messages, and redraws at most once per frame.
const devices = new Map(), MOST_EVENTS = 200, SINGLE = 60;
let places = [], schedules = [], events = [], chosen = null, hasView = false, isTold = false;
// The rules of the conditions. Rules and their parts have numbers: the positions in `names`, in which the rules come
// first. `parts` has the numbers of the parts of each rule. A kind is empty if the conditions do not contain the part.
let rules = {names: [], kinds: [], parts: []}, ruleNumbers = new Map();

// ---------------------------------------------------------------- times and sentences

// The causes of events that are not changes of a state.
const CAUSES = {repeat: "is still in", timeout: "is absent from"}, CAUSES_OF_RULES = {repeat: "still satisfies"};
const isRule = (name) => ruleNumbers.get(name) < rules.parts.length;

const exact = (microseconds) => new Date(microseconds / 1000).toLocaleString(undefined, {dateStyle: "medium", timeStyle: "medium"});
function age(microseconds) { return Math.max(0, Date.now() / 1000 - microseconds / 1e6); }
const ago = (microseconds) => age(microseconds) < 3 ? "just now" : `${coarse(age(microseconds))} ago`;
/** Formats seconds with one unit only: "12 min", "3 h". */
const coarse = (seconds) => span(seconds).split(" ").slice(0, 2).join(" ");
const verbOfRule = (event) => CAUSES_OF_RULES[event.cause] ?? (event.state === "satisfied" ? "satisfies" : event.state === "unsatisfied" ? "no longer satisfies" : "is unknown at");
const verb = (event) => isRule(event.identifier) ? verbOfRule(event) : CAUSES[event.cause] ?? (event.direction ? `crossed ${event.direction.replaceAll("_", " ")}` : event.state === "satisfied" ? "entered" : event.state === "unsatisfied" ? "left" : "is no longer monitored at");
const kind = (event) => event.direction || event.cause === "repeat" ? "" : event.state === "satisfied" ? "enter" : event.state === "unsatisfied" ? "leave" : "unknown";
/** Whether a place is outside its hours now: then no device counts as inside. */
const isShut = (place) => place.hours !== undefined && !schedules[place.hours].some(([start, end]) => start <= Date.now() / 1000 && Date.now() / 1000 < end);
const momentOf = (event) => new Date(event.date).getTime() * 1000;
const byPart = (event) => event.decider === undefined ? "" : `, decided by ${short(event.decider)}`;
const sentence = (event) => `${short(event.device)} ${verb(event)} ${short(event.identifier)}${byPart(event)}`;

/** For a device that is inside, the time at which it entered its first place; otherwise the time at which it left its
    last place, or null if this time is unknown. Times are in microseconds since 1970. */
const since = (device) => device.inside.length ? device.inside[0][1] : device.left ?? null;

function where(device) {
  if (!device.inside.length) return device.gone ? "gone" : "outside";
  const [first, ...more] = device.inside.map(([place]) => place);
  return `${short(first, 40)}${more.length ? ` +${more.length}` : ""}`;
}

// ---------------------------------------------------------------- devices

const stateOf = (device) => device.gone ? "unknown" : device.inside.length ? "inside" : "outside";
const table = new Table(byId("devices"), [
  {title: "Device", text: (row) => row.name, value: (row) => row.name},
  {title: "Inside", value: (row) => `${row.inside.length ? 0 : 1} ${where(row)}`, fill(cell, row) {
    const [dot, words] = cell.childNodes.length ? cell.childNodes : [cell.appendChild(element("i")), cell.appendChild(document.createTextNode(""))];
    dot.className = stateOf(row);
    dot.textContent = "● ";
    dot.setAttribute("aria-hidden", "true");
    words.data = where(row);
    cell.title = row.inside.map(([place]) => place).join(", ");
  }},
  {title: "For", number: true, value: (row) => since(row) ?? 0, text: (row) => since(row) === null ? "" : coarse(age(since(row)))},
  {title: "Last fix", number: true, value: (row) => row.fix ? row.fix[3] : 0, text: (row) => !row.fix ? "" : age(row.fix[3]) < 3 ? "now" : coarse(age(row.fix[3]))},
], {key: (row) => row.name, pick: (row) => choose(row.name), kind: (row) => row.gone ? "gone" : "", chosen: (row) => row.name === chosen, empty: "No device."});

function showDevices() {
  const word = byId("find").value.trim().toLowerCase();
  const fits = (device) => !word || device.name.toLowerCase().includes(word) || device.inside.some(([place]) => place.toLowerCase().includes(word));
  const rows = [...devices.values()].filter(fits);
  // Devices inside a place come first. Sorting by name keeps the order of rows stable while positions change.
  rows.sort((a, b) => !a.inside.length - !b.inside.length || byNumber.compare(a.name, b.name));
  table.set(rows);
  byId("device-count").textContent = rows.length < devices.size ? `(${rows.length} of ${devices.size})` : `(${devices.size})`;
  const inside = [...devices.values()].filter((device) => device.inside.length).length;
  byId("summary").textContent = `${inside} inside, ${devices.size - inside} outside of ${count(places.length, "place")}${places.some(isShut) ? `, ${places.filter(isShut).length} of them outside their hours` : ""}`;
  byId("shut-key").hidden = !places.some(isShut);
}

/** Makes a list item for an event; the user can unfold the item to see why the event happened. */
function item(event, isOwn = false) {
  const made = element("li"), line = made.appendChild(element("span"));
  const mark = line.appendChild(element("i", {enter: "▲ ", leave: "▼ "}[kind(event)] || "◆ ", kind(event)));
  mark.setAttribute("aria-hidden", "true");
  const words = verb(event), start = isOwn ? `${words[0].toUpperCase()}${words.slice(1)}` : `${short(event.device)} ${words}`;
  line.append(`${start} ${short(event.identifier)}${byPart(event)}, `);
  const time = line.appendChild(element("time", ago(momentOf(event))));
  time.dateTime = event.date;
  time.title = exact(momentOf(event));
  const more = made.appendChild(element("details"));
  more.append(element("summary", "why"), `${exact(momentOf(event))}: ${event.why}`);
  return made;
}

function choose(name) {
  chosen = name;
  const device = devices.get(name);
  if (device?.fix) {
    map.centre = plane(device.fix[0], device.fix[1]);
    map.scale = Math.max(map.scale, 4e6);
  }
  showCard();
  showRules();
  table.draw();
  map.due();
}

/** Says how high the last fix of a device is, above each reference that is known. */
function height([altitude, accuracy, geoid, ground]) {
  const above = [[0, "the ellipsoid"], [geoid, "the sea"], [ground, "the ground"]].filter(([base]) => base !== null);
  const words = above.map(([base, what]) => `${Math.round(altitude - base)} m above ${what}`).join(", ");
  return `, ${words}${accuracy ? ` (vertical accuracy ${Math.round(accuracy)} m)` : ""}`;
}

function showCard() {
  const device = devices.get(chosen), card = byId("card");
  card.hidden = !device;
  if (!device) { chosen = null; return; }
  const lasting = (time) => time === null ? "" : ` for ${coarse(age(time))}`;
  const limits = new Map(places.map((place) => [place.id, place.band ? ` (${place.band})` : ""]));
  const inside = device.inside.slice(0, 3).map(([place, time]) => `${short(place)}${limits.get(place) ?? ""}${lasting(time)}`).join(", ");
  const more = device.inside.length > 3 ? ` and ${device.inside.length - 3} more` : "";
  const state = inside ? `Inside ${inside}${more}` : `${device.gone ? "No longer followed" : "Outside of all places"}${lasting(since(device))}`;
  const fix = device.fix ? ` Last fix ${ago(device.fix[3])}${device.fix[2] ? `, accuracy ${Math.round(device.fix[2])} m` : ""}${device.fix[4] ? `, error ellipse ${Math.round(device.fix[4])} m by ${Math.round(device.fix[5])} m at ${Math.round(device.fix[6])} degrees` : ""}${device.heights ? height(device.heights) : ""}.` : "";
  const own = events.filter((event) => event.device === chosen).slice(-5).reverse(), list = element("ol");
  // A diagnosis that the user has opened must remain open after the redraw.
  const open = new Set([...card.querySelectorAll("details[open]")].map((each) => each.dataset.key));
  for (const event of own) {
    const line = item(event, true), more = line.querySelector("details");
    more.dataset.key = `${event.sequence} ${event.date}`;
    more.open = open.has(more.dataset.key);
    list.append(line);
  }
  const bar = element("div", undefined, "bar"), close = element("button", "Close");
  close.type = "button";
  close.id = "close";
  close.addEventListener("click", () => { chosen = null; showCard(); showRules(); table.draw(); map.due(); byId("find").focus(); });
  bar.append(element("h3", device.name), close);
  const isFocused = document.activeElement?.id === "close";
  card.replaceChildren(bar, element("p", `${state}.${fix}`), own.length ? list : element("p", "No recent events.", "soft"));
  if (isFocused) close.focus();
}

// ---------------------------------------------------------------- rules

// The words of the states, in the order of their digits (see rule_states.py).
const WORDS = ["unsatisfied", "satisfied", "unknown", "inactive"], UNKNOWN = 2, MOST_OPEN = 40;
const opened = new Set();
let isUnfolded = false;

/** The device whose states the rules show: the chosen one, or the first by name. */
const ruleDevice = () => devices.get(chosen) ?? [...devices.values()].sort((a, b) => byNumber.compare(a.name, b.name))[0];
const partsOf = (number) => rules.parts[number] ?? [];
const isMissing = (number) => rules.kinds[number] === "";

/** The state of a rule or part and, for a rule, the part that decided its last event. */
function stateNow({number, device}) {
  if (isMissing(number)) return "unknown";
  const digit = device?.states?.[number];
  if (digit === undefined) return "–";
  const decider = device.decided.find(([rule]) => rule === number);
  return `${WORDS[digit]}${decider && digit < UNKNOWN ? `, by ${short(decider[1], 40)}` : ""}`;
}

const tree = new Table(byId("rules"), [
  {title: "Rule", text: (row) => `${partsOf(row.number).length ? opened.has(row.path) ? "▾ " : "▸ " : ""}${rules.names[row.number]}`,
    fill(button, row) {
      button.style.setProperty("--depth", row.depth);
      button.closest("tr").setAttribute("aria-level", row.depth + 1);
      if (partsOf(row.number).length) button.setAttribute("aria-expanded", String(opened.has(row.path))); else button.removeAttribute("aria-expanded");
    }},
  {title: "Now", fill(cell, row) {
    const [dot, words] = cell.childNodes.length ? cell.childNodes : [cell.appendChild(element("i")), cell.appendChild(document.createTextNode(""))];
    const text = stateNow(row);
    dot.className = ["outside", "inside", "unknown", "outside"][row.device?.states?.[row.number]] ?? "unknown";
    dot.textContent = "● ";
    dot.setAttribute("aria-hidden", "true");
    words.data = text;
    cell.title = text;
  }},
  {title: "What", text: (row) => rules.kinds[row.number] || "not in the conditions"},
], {
  key: (row) => row.path,
  kind: (row) => partsOf(row.number).length ? "rule" : isMissing(row.number) ? "missing" : "",
  empty: "No rule.",
  pick(row) {
    if (partsOf(row.number).length) {
      if (!opened.delete(row.path)) opened.add(row.path);
      showRules();
    } else {
      const place = places.find((each) => each.id === rules.names[row.number]);
      if (place) map.fit(boxOf([place]), .6);
    }
  },
});
tree.table.setAttribute("role", "treegrid");

/** Unfolds the rules of a short tree. An identifier has no zero byte, so a path of identifiers is not ambiguous. */
function unfoldRules(tops) {
  let left = MOST_OPEN - tops.length;
  const unfold = (number, path) => {
    left -= partsOf(number).length;
    if (left < 0 || !partsOf(number).length) return;
    opened.add(path);
    for (const part of partsOf(number)) unfold(part, `${path}\0${rules.names[part]}`);
  };
  for (const number of tops) unfold(number, rules.names[number]);
  isUnfolded = true;
}

/** Shows the rules that are not part of another rule, and below each unfolded rule its parts. A part of several rules
 * occurs below each. Only unfolded rows exist, because shared parts could repeat without a bound. */
function showRules() {
  byId("rules-part").hidden = !rules.parts.length;
  if (!rules.parts.length) return;
  const inner = new Set(rules.parts.flat()), tops = [...rules.parts.keys()].filter((number) => !inner.has(number)), rows = [], device = ruleDevice();
  if (!isUnfolded) unfoldRules(tops);
  const add = (number, path, depth) => {
    rows.push({number, path, depth, device});
    if (opened.has(path)) for (const part of partsOf(number)) add(part, `${path}\0${rules.names[part]}`, depth + 1);
  };
  for (const number of tops) add(number, rules.names[number], 0);
  byId("rule-count").textContent = `(${rules.parts.length})${device && devices.size > 1 ? `, of the device ${short(device.name, 40)}` : ""}`;
  tree.set(rows);
}

// ---------------------------------------------------------------- map

const map = new FenceMap(byId("map-box"), paint, {
  pick(what) {
    if (!what) return;
    if (what.device) { choose(what.device); return; }
    const [west, north, east, south] = what.box;
    if (Math.max(east - west, south - north) * map.scale * 2 > 20) map.fit(what.box, .6); else { byId("find").value = ""; map.zoom(2, map.toScreen([west, north])); }
  },
});

function prepared(place) {
  if (place.at) return {...place, points: [[plane(...place.at)]], size: metres(place.at[0], place.radius)};
  const lines = place.lines.map((line) => line.map((each) => plane(...each)));
  return {...place, points: lines, size: place.closed ? 0 : metres(place.lines[0][0][0], place.radius)};
}

/** The box that contains places and devices. */
function boxOf(places, devices = []) {
  let box = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (point, by) => { box = [Math.min(box[0], point[0] - by), Math.min(box[1], point[1] - by), Math.max(box[2], point[0] + by), Math.max(box[3], point[1] + by)]; };
  for (const place of places) for (const line of place.points) for (const point of line) add(point, place.size);
  for (const device of devices) if (device.fix) add(plane(device.fix[0], device.fix[1]), 0);
  return box[0] > box[2] ? [0, 0, 1, 1] : box;
}

map.all = () => map.fit(boxOf(places, devices.values()));

function trace(context, line) {
  line.forEach((point, at) => { const [x, y] = map.toScreen(point); if (at) context.lineTo(x, y); else context.moveTo(x, y); });
}

function paint(map, context) {
  const {width, height, scale} = map, inside = new Map();
  for (const device of devices.values()) for (const [place] of device.inside) inside.set(place, (inside.get(place) || 0) + 1);
  let drawn = 0;
  for (const place of places) {
    const size = place.size * scale, isHeld = inside.has(place.id), shut = isShut(place);
    let [x, y] = map.toScreen(place.points[0][0]), foot = y + 2;
    context.beginPath();
    if (place.at) {
      const radius = Math.max(size, 1.5);
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue;
      context.arc(x, y, radius, 0, 2 * Math.PI);
      foot += radius;
      y -= radius;
    } else {
      for (const line of place.points) { trace(context, line); if (place.closed) context.closePath(); }
    }
    drawn += 1;
    context.strokeStyle = context.fillStyle = map.colour(isHeld ? "inside" : "outside");
    context.setLineDash(shut ? [4, 4] : []);
    context.globalAlpha = isHeld ? .16 : shut ? 0 : .06;
    if (place.at || place.closed) context.fill("evenodd");
    else { context.lineWidth = Math.max(2 * size, 2); context.stroke(); }
    context.globalAlpha = 1;
    context.lineWidth = isHeld ? 2 : 1;
    context.stroke();
    context.setLineDash([]);
    if (size > 12 || places.length <= SINGLE) map.label(`${shut ? "outside its hours, " : ""}${place.id}${place.band ? `, ${place.band}` : ""}`, [x, y - 2], (inside.get(place.id) || 0) + size / 1e6, foot);
  }
  const seen = [];
  for (const device of devices.values()) {
    if (!device.fix) continue;
    const at = plane(device.fix[0], device.fix[1]), point = map.toScreen(at);
    if (map.isSeen(point, 20)) seen.push({device, at, point});
  }
  const isCrowded = seen.length > SINGLE, cells = new Map();
  for (const each of seen) {
    const key = isCrowded && each.device.name !== chosen ? each.point.map((part) => Math.floor(part / 56)).join() : each.device.name;
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(each);
  }
  let clusters = 0;
  for (const group of cells.values()) {
    if (group.length > 1) { drawCluster(context, group); clusters += 1; } else drawDevice(context, group[0], !isCrowded);
  }
  const {dataset} = map.canvas;
  dataset.places = drawn;
  dataset.clusters = clusters;
  if (drawn && !dataset.usable) dataset.usable = performance.now(); // in milliseconds since navigation started
}

function drawDevice(context, {device, at, point: [x, y]}, isNamed) {
  const isOne = device.name === chosen;
  context.strokeStyle = context.fillStyle = map.colour(stateOf(device));
  if (device.trail.length > 1) {
    context.globalAlpha = isOne ? .9 : .35;
    context.lineWidth = isOne ? 3 : 1.5;
    context.beginPath();
    trace(context, device.trail.map((each) => plane(...each)));
    context.stroke();
  }
  const [latitude, , accuracy, , ...ellipse] = device.fix;
  // An ellipse of 1.51 standard deviations contains 68 % of the true positions, like an accuracy: 1 - exp(-1.51 ** 2 / 2).
  const [major, minor, orientation] = ellipse.length ? [1.51 * ellipse[0], 1.51 * ellipse[1], ellipse[2]] : [accuracy, accuracy, 0];
  const pixels = metres(latitude, 1) * map.scale;
  if (major * pixels > 8) {
    context.globalAlpha = .12;
    context.beginPath();
    context.ellipse(x, y, major * pixels, minor * pixels, (orientation - 90) * Math.PI / 180, 0, 2 * Math.PI);
    context.fill();
  }
  context.globalAlpha = 1;
  context.beginPath();
  context.arc(x, y, isOne ? 8 : 5, 0, 2 * Math.PI);
  context.fill();
  context.strokeStyle = map.colour("land");
  context.lineWidth = 2;
  context.stroke();
  if (isNamed || isOne) map.label(device.name, [x, y - 8], isOne ? 1e12 : 1e6, y + 8);
  map.avoid([x, y], 6);
  map.target({device: device.name}, [x, y], 8);
}

function drawCluster(context, group) {
  const box = group.reduce((found, {at: [x, y]}) => [Math.min(found[0], x), Math.min(found[1], y), Math.max(found[2], x), Math.max(found[3], y)], [Infinity, Infinity, -Infinity, -Infinity]);
  const [x, y] = [0, 1].map((part) => group.reduce((sum, each) => sum + each.point[part], 0) / group.length), radius = 9 + 3 * Math.log10(group.length);
  const inside = group.filter(({device}) => device.inside.length).length / group.length;
  context.lineWidth = 4;
  context.fillStyle = map.colour("back");
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
  // The ring shows the share of devices that are inside.
  for (const [from, to, name] of [[0, inside, "inside"], [inside, 1, "outside"]]) {
    if (from === to) continue;
    context.strokeStyle = map.colour(name);
    context.beginPath();
    context.arc(x, y, radius, (2 * from - .5) * Math.PI, (2 * to - .5) * Math.PI);
    context.stroke();
  }
  context.fillStyle = map.colour("text");
  context.textAlign = "center";
  context.fillText(String(group.length), x, y + 4);
  map.obstacles.push([x - radius, y - radius, x + radius, y + radius]);
  map.target({box}, [x, y], radius);
}

// ---------------------------------------------------------------- news

function name(counter) { return counter.startsWith("lag_") ? `lag of ${counter.slice(4)}, s` : counter.replaceAll("_", " "); }

function take(news) {
  if (news.places) {
    places = news.places.map(prepared);
    schedules = news.schedules;
    rules = news.rules;
    ruleNumbers = new Map(rules.names.map((name, number) => [name, number]));
    devices.clear();
    events = [];
  }
  for (const [name, device] of Object.entries(news.devices)) {
    const before = devices.get(name);
    if (before && !news.places) device.trail = [...before.trail, ...device.trail].slice(-60);
    device.inside.sort((a, b) => (b[1] ?? 0) - (a[1] ?? 0)); // the place that was entered last comes first
    devices.set(name, Object.assign(device, {name, left: before?.left}));
  }
  for (const event of news.events) {
    events.push(event);
    const device = devices.get(event.device);
    if (device && event.state === "unsatisfied" && !isRule(event.identifier)) device.left = momentOf(event);
  }
  events = events.slice(-MOST_EVENTS);
  if (news.places || news.events.length) {
    const list = byId("events"), fresh = (news.places ? events : news.events.slice(-MOST_EVENTS)).map((event) => item(event)).reverse();
    if (news.places) list.replaceChildren(...fresh); else list.prepend(...fresh);
    while (list.children.length > MOST_EVENTS) list.lastChild.remove();
  }
  if (news.events.length) byId("last").textContent = sentence(news.events.at(-1));
  byId("counters").replaceChildren(...Object.entries(news.counters).map(([counter, value]) => {
    const pair = element("div");
    pair.append(element("dt", name(counter)), element("dd", Number.isFinite(value) ? value.toLocaleString("en") : value));
    return pair;
  }));
  if (!hasView && (places.length || devices.size)) { hasView = true; map.all(); }
  refresh();
}

function refresh() {
  if (isTold) return;
  isTold = true;
  requestAnimationFrame(() => { isTold = false; showDevices(); showCard(); showRules(); map.due(); });
}

byId("find").addEventListener("input", showDevices);
// Update the relative times.
setInterval(() => {
  showDevices();
  showCard();
  map.due(); // hours begin and end
  for (const time of document.querySelectorAll("#events time")) time.textContent = ago(new Date(time.dateTime).getTime() * 1000);
}, 10_000);

const {tiles, attribution} = map.canvas.dataset;
if (tiles) {
  map.tiles = tiles;
  const [, text, address] = attribution.match(/^(.*?)\s*(https?:\/\/\S+)?$/s);
  map.credit(text || address, address);
}

const stream = new EventSource("events");
stream.addEventListener("open", () => { byId("status").textContent = "live"; });
stream.addEventListener("error", () => { byId("status").textContent = "not connected; trying again"; });
stream.addEventListener("message", (message) => take(JSON.parse(message.data)));
