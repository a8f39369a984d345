"use strict";
// The page of a watch: what the server sends is kept here, and drawn when the screen is ready.
const byId = (id) => document.getElementById(id);
const canvas = byId("map"), context = canvas.getContext("2d");
const devices = new Map(), rows = new Map();
let places = [], events = [], chosen = null, isDue = false, hasView = false;
let centre = [0, 0], scale = 1; // of the plane of Mercator, whose sides are 1; pixels a unit

const isDark = matchMedia("(prefers-color-scheme: dark)");
const EARTH = 40075016.686;
const plane = (latitude, longitude) => {
  const sine = Math.sin(Math.max(-85.05, Math.min(85.05, latitude)) * Math.PI / 180);
  return [longitude / 360 + .5, .5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
};
const metres = (latitude, length) => length / (EARTH * Math.max(.05, Math.cos(latitude * Math.PI / 180)));
const screen = (point) => [(point[0] - centre[0]) * scale + canvas.clientWidth / 2, (point[1] - centre[1]) * scale + canvas.clientHeight / 2];

function prepared(place) {
  if (place.at) return {...place, points: [[plane(...place.at)]], size: metres(place.at[0], place.radius)};
  const points = place.lines.map((line) => line.map((each) => plane(...each)));
  return {...place, points, size: place.closed ? 0 : metres(place.lines[0][0][0], place.radius)};
}

function fit() {
  let box = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (point, by) => { box = [Math.min(box[0], point[0] - by), Math.min(box[1], point[1] - by), Math.max(box[2], point[0] + by), Math.max(box[3], point[1] + by)]; };
  for (const place of places) for (const line of place.points) for (const point of line) add(point, place.size);
  for (const device of devices.values()) if (device.fix) add(plane(device.fix[0], device.fix[1]), 0);
  if (box[0] > box[2]) box = [0, 0, 1, 1];
  centre = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2];
  const width = Math.max(box[2] - box[0], 1e-6), height = Math.max(box[3] - box[1], 1e-6);
  scale = .9 * Math.min(canvas.clientWidth / width, canvas.clientHeight / height);
  due();
}

function due() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; draw(); });
}

function trace(line) {
  line.forEach((point, at) => { const [x, y] = screen(point); if (at) context.lineTo(x, y); else context.moveTo(x, y); });
}

// Tiles, if the page has them: pictures of another server; the latest ones are cached.
const tiles = canvas.dataset.tiles, pictures = new Map(), MOST_PICTURES = 1000, DEEPEST = 19, SIDE = 256;

function picture(z, x, y) {
  const address = tiles.replace("{z}", z).replace("{x}", x).replace("{y}", y);
  let found = pictures.get(address);
  if (found) pictures.delete(address);
  else {
    found = new Image();
    found.addEventListener("load", due);
    found.src = address;
  }
  pictures.set(address, found); // the last that is wanted is the last to go
  if (pictures.size > MOST_PICTURES) pictures.delete(pictures.keys().next().value);
  return found;
}

function drawTiles(width, height) {
  const z = Math.max(0, Math.min(DEEPEST, Math.round(Math.log2(scale / SIDE)))), count = 2 ** z;
  const first = [centre[0] - width / 2 / scale, centre[1] - height / 2 / scale].map((each) => Math.floor(each * count));
  const last = [centre[0] + width / 2 / scale, centre[1] + height / 2 / scale].map((each) => Math.floor(each * count));
  let drawn = 0;
  context.globalAlpha = isDark.matches ? .5 : .9;
  for (let y = Math.max(0, first[1]); y <= Math.min(count - 1, last[1]); y += 1) {
    for (let x = first[0]; x <= last[0]; x += 1) {
      const found = picture(z, ((x % count) + count) % count, y);
      if (!found.complete || !found.naturalWidth) continue;
      const [left, top] = screen([x / count, y / count]).map(Math.round);
      const [right, bottom] = screen([(x + 1) / count, (y + 1) / count]).map(Math.round); // no seams
      context.drawImage(found, left, top, right - left, bottom - top);
      drawn += 1;
    }
  }
  context.globalAlpha = 1;
  canvas.dataset.drawnTiles = drawn;
}

function attribute() {
  const [, text, address] = canvas.dataset.attribution.match(/^(.*?)\s*(https?:\/\/\S+)?$/s), shown = byId("attribution");
  shown.hidden = false;
  if (!address) { shown.textContent = text; return; }
  const link = element("a", text || address);
  link.href = address;
  link.rel = "noopener";
  shown.append(link);
}

function draw() {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const colours = getComputedStyle(document.documentElement), colour = (name) => colours.getPropertyValue(name).trim();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  if (tiles) drawTiles(width, height);
  context.font = "12px system-ui, sans-serif";
  context.strokeStyle = context.fillStyle = colour("--place");
  let drawn = 0;
  for (const place of places) {
    const size = place.size * scale;
    if (place.at) {
      const [x, y] = screen(place.points[0][0]), radius = Math.max(size, 1.5);
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue;
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
    } else {
      context.beginPath();
      place.points.forEach(trace);
      if (place.closed) context.closePath();
    }
    drawn += 1;
    context.globalAlpha = .12;
    if (place.at || place.closed) context.fill("evenodd");
    else { context.lineWidth = Math.max(2 * size, 2); context.stroke(); }
    context.globalAlpha = .9;
    context.lineWidth = 1;
    context.stroke();
    context.globalAlpha = 1;
    if (size > 12 && place.at) { const [x, y] = screen(place.points[0][0]); context.fillText(place.id, x + 4, y - 4); }
  }
  for (const [name, device] of devices) {
    if (!device.fix) continue;
    context.strokeStyle = context.fillStyle = colour("--device");
    context.globalAlpha = device.gone ? .4 : 1;
    const at = plane(device.fix[0], device.fix[1]), [x, y] = screen(at);
    if (device.trail.length > 1) { context.globalAlpha *= .5; context.beginPath(); trace(device.trail.map((each) => plane(...each))); context.stroke(); context.globalAlpha *= 2; }
    if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
    const accuracy = metres(device.fix[0], device.fix[2]) * scale;
    if (accuracy > 6) { context.globalAlpha *= .15; context.beginPath(); context.arc(x, y, accuracy, 0, 2 * Math.PI); context.fill(); context.globalAlpha /= .15; }
    context.beginPath();
    context.arc(x, y, name === chosen ? 7 : 4, 0, 2 * Math.PI);
    context.fill();
    if (devices.size <= 60 || name === chosen) context.fillText(name, x + 8, y + 4);
    context.globalAlpha = 1;
  }
  canvas.dataset.places = drawn;
  if (drawn && !canvas.dataset.usable) canvas.dataset.usable = performance.now(); // since the page was asked for
  canvas.dataset.frames = Number(canvas.dataset.frames || 0) + 1;
}

const clock = (microseconds) => microseconds ? new Date(microseconds / 1000).toLocaleString() : "";

function element(name, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function row(name, device) {
  let found = rows.get(name);
  if (!found) {
    found = element("tr");
    const button = element("button", name);
    button.addEventListener("click", () => { chosen = name; const now = devices.get(name); if (now.fix) { centre = plane(now.fix[0], now.fix[1]); scale = Math.max(scale, 2e5); } due(); });
    const head = element("th");
    head.scope = "row";
    head.append(button);
    found.append(head, element("td"), element("td"));
    rows.set(name, found);
    byId("devices").append(found);
    filter(name, found);
  }
  found.className = device.gone ? "gone" : "";
  found.children[1].textContent = device.inside.map(([place, since]) => since ? `${place}, ${clock(since)}` : place).join("; ");
  found.children[2].textContent = (device.fix ? clock(device.fix[3]) : "") + (device.gone ? " (gone)" : "");
}

function filter(name, found) { found.hidden = !name.toLowerCase().includes(byId("find").value.toLowerCase()); }

function count() {
  const hidden = [...rows.values()].filter((each) => each.hidden).length;
  byId("device-count").textContent = hidden ? `(${rows.size - hidden} of ${devices.size})` : `(${devices.size})`;
}

function item(event) {
  const entered = event.state === "satisfied", made = element("li");
  made.append(element("span", `${event.device} ${entered ? "entered" : "left"} ${event.identifier}`, entered ? "enter" : "leave"));
  made.append(element("small", `${new Date(event.date).toLocaleString()}: ${event.why}`));
  return made;
}

function label(name) { return name.startsWith("lag_") ? `lag of ${name.slice(4)}, s` : name.replaceAll("_", " "); }

function take(news) {
  if (news.places) {
    places = news.places.map(prepared);
    devices.clear();
    rows.forEach((each) => each.remove());
    rows.clear();
    events = [];
    byId("events").replaceChildren();
  }
  for (const [name, device] of Object.entries(news.devices)) {
    const before = devices.get(name);
    if (before && !news.places) device.trail = [...before.trail, ...device.trail].slice(-60);
    devices.set(name, device);
    row(name, device);
  }
  for (const event of news.events) {
    events.push(event);
    byId("events").prepend(item(event));
  }
  while (byId("events").children.length > 200) byId("events").lastChild.remove();
  if (news.events.length) {
    const last = news.events[news.events.length - 1];
    byId("last").textContent = `${last.device} ${last.state === "satisfied" ? "entered" : "left"} ${last.identifier}`;
  }
  count();
  byId("counters").replaceChildren(...Object.entries(news.counters).map(([name, value]) => { const pair = element("div"); pair.append(element("dt", label(name)), element("dd", value)); return pair; }));
  if (!hasView && (places.length || devices.size)) { hasView = true; fit(); }
  due();
}

function zoom(factor, at) {
  const x = (at ? at[0] : canvas.clientWidth / 2) - canvas.clientWidth / 2, y = (at ? at[1] : canvas.clientHeight / 2) - canvas.clientHeight / 2;
  const next = Math.max(100, Math.min(1e9, scale * factor));
  centre = [centre[0] + x / scale - x / next, centre[1] + y / scale - y / next];
  scale = next;
  due();
}

const pointers = new Map();
canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); pointers.set(event.pointerId, [event.offsetX, event.offsetY]); });
canvas.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const now = [event.offsetX, event.offsetY];
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    zoom(Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), other);
  } else {
    centre = [centre[0] - (now[0] - before[0]) / scale, centre[1] - (now[1] - before[1]) / scale];
  }
  pointers.set(event.pointerId, now);
  due();
});
for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400), [event.offsetX, event.offsetY]); }, {passive: false});
canvas.addEventListener("keydown", (event) => {
  const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}, move = moves[event.key];
  if (move) centre = [centre[0] + move[0] * 60 / scale, centre[1] + move[1] * 60 / scale];
  else if (event.key === "+" || event.key === "=") zoom(1.5);
  else if (event.key === "-") zoom(1 / 1.5);
  else if (event.key === "0") fit();
  else return;
  event.preventDefault();
  due();
});
byId("in").addEventListener("click", () => zoom(1.5));
byId("out").addEventListener("click", () => zoom(1 / 1.5));
byId("all").addEventListener("click", fit);
byId("find").addEventListener("input", () => { rows.forEach((found, name) => filter(name, found)); count(); });
window.addEventListener("resize", due);
isDark.addEventListener("change", due);
if (tiles) attribute();

const stream = new EventSource("events");
stream.addEventListener("open", () => { byId("status").textContent = "live"; });
stream.addEventListener("error", () => { byId("status").textContent = "not connected; trying again"; });
stream.addEventListener("message", (message) => take(JSON.parse(message.data)));
