// Runs the drawing code of the report in Node, on a canvas that records the drawing, and prints JSON:
// node drawing.js map.js report.js
const fs = require("fs"), vm = require("vm");
const [map, report] = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8"));

let drawn = [];
const context = new Proxy({}, {
  get: (kept, name) => kept[name] ?? (name === "measureText" ? () => ({width: 40})
    : name === "fillRect" ? (...box) => drawn.push([kept.fillStyle, ...box]) : () => {}),
  set: (kept, name, value) => { kept[name] = value; return true; },
});
const canvas = {clientWidth: 294, clientHeight: 500, dataset: {}, getContext: () => context, addEventListener() {}, setAttribute() {}};
const button = () => ({addEventListener() {}});
const page = vm.createContext({
  matchMedia: () => ({matches: false, addEventListener() {}}), window: {addEventListener() {}}, document: {}, LAND: "",
  getComputedStyle: () => ({getPropertyValue: () => "light-dark(#fff, #000)"}), requestAnimationFrame() {},
  ResizeObserver: class { observe() {} }, Path2D: class { moveTo() {} lineTo() {} closePath() {} }, short: (name) => name,
});
vm.runInContext(`${map}; globalThis.FenceMap = FenceMap;`, page);

// Returns the side of the canvas on which the overview map is drawn if places are at the given positions, and the
// number of places that the overview map covers.
let places = [];
const box = {querySelector: () => canvas, querySelectorAll: () => [button(), button(), button()]};
const made = new page.FenceMap(box, (shown) => places.forEach((place) => shown.target({}, place, 8)));
const side = (isFitted, ...where) => {
  places = where;
  if (isFitted) made.fit([.5, .5, .50001, .50001]);
  made.draw();
  const [left, top, width, height] = made.locator;
  const isHidden = ([x, y]) => x > left && x < left + width && y > top && y < top + height;
  return [left < 100 ? "left" : "right", where.filter(isHidden).length];
};
const sides = {
  empty: side(true), right: side(true, [240, 460]), moved: side(false, [40, 420])[0], left: side(true, [40, 420]),
  both: side(true, [40, 420], [230, 460], [240, 450]),
};
canvas.clientWidth = 1000;
sides.wider = side(false, [930, 460]);

// The place is drawn from 200 to 240 pixels below the upper edge of the canvas. Returns the y coordinate of the lower
// edge of each label that is drawn for the place, if marks are at the given positions.
const label = (...marks) => {
  const shown = new page.FenceMap(box, (map) => { marks.forEach((at) => map.avoid(at, 6)); map.label("place", [150, 200], 0, 240); });
  shown.draw();
  return shown.placed.map((placed) => placed[3]);
};
const labels = {
  free: label(), above: label([150, 195]), both: label([150, 196], [150, 244]), everywhere: label(...Array.from({length: 60}, (_, at) => [150, 150 + 2 * at])),
};

// The bars in a row of states that is 500 pixels wide, for the period from 1000 to 2000.
const strip = report.slice(report.indexOf("function prepared("), report.indexOf("const states = new Table("));
Object.assign(page, {states: {width: 500}, period: [1000, 2000], isFlat: true, map: {colour: (name) => name}, count: () => "", span: () => "",
  closed: new Map([["0", [[500, 1100], [1200, 1300], [1900, 2500]]], ["0 0", [[1500, 2000]]], ["1 0", [[1400, 1500]]]]), NOTICE: {repeat: "enter", absent: "leave"}, clock: () => "",
  exhausted: new Map([["1 0", 1800]]),
  element: () => canvas});
vm.runInContext(`${strip}; globalThis.drawStrip = drawStrip; globalThis.drawHours = drawHours;`, page);
const bars = (...visits) => {
  drawn = [];
  const row = {by: "track", index: 0, unknown: [], marks: [], notices: [], visits: visits.map(([start, last]) => ({start, last}))};
  page.drawStrip({firstChild: canvas}, row);
  return drawn.filter(([colour]) => colour === "inside").map(([, x, , width]) => [x, width]);
};
// The intervals in which the place is inactive, the bands between them, the marks of repeats and absences, and the mark
// after the last event.
const hours = (above, ...notices) => {
  drawn = [];
  page.isFlat = false;
  const place = {by: "place", index: 0}, device = {by: "track", index: 1};
  page.drawStrip({firstChild: canvas}, {unknown: [], marks: [], visits: [], notices, ...(above ? {...device, above: place} : place)});
  return drawn.filter(([colour]) => colour !== "outside").map(([colour, x, , width]) => [colour ?? "hatched", x, width]);
};
const [ofPlace, ofPair] = [hours(false), hours(true, {kind: "repeat", time: 1500}, {kind: "absent", time: 2000}, {kind: "repeat", time: 2001})];
// The runs of pixels of thousands of intervals: in the period from 1000 to 2000, then in its first hundredth.
const many = Array.from({length: 5000}, (_, at) => [1000 + at / 5, 1000 + at / 5 + .1]);
const runs = (from, to, shut = many) => {
  const at = (time) => (time - from) / (to - from) * 500;
  drawn = [];
  const found = page.drawHours(context, shut, true, 500, at).map(({kind, start, end}) => [kind, start, end]);
  return {found, rectangles: drawn.length};
};
const whole = runs(1000, 2000), near = runs(1000, 1010), half = runs(1000, 2000, many.slice(0, 2500)), none = runs(1000, 2000, []);
const odd = runs(1000, 2000, [[0, 900], [900, 1000], [1000, 1000], [1500.4, 1501.2], [1999, 3000], [2000, 2001]]);
console.log(JSON.stringify({sides, labels, bars: {
  before: bars([100, 900]), within: bars([1200, 1400]), across: bars([100, 1500]), short: bars([1500, 1500]), after: bars([2100, 2500]),
}, hours: {place: ofPlace, pair: ofPair}, runs: {whole, near, half, none, odd}}));
