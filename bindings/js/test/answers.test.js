// Compares the package's answers with answers that are computed in another way, and tests values that 32 bits cannot
// represent.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { DeviceEvent, Fleet, InvalidArgumentError, Monitor, Zones, direct, fromGeoJSON, inverse, load, POLICIES } from "../../../.build/js/fencepost.js";
import { ROOT } from "./support.js";

const NOW = 1.7e12;
let state = 7;
const uniform = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;

before(() => load());

function world(count) {
  const zones = new Zones();
  const circles = Array.from({ length: count }, () => ({
    latitude: 180 * uniform() - 90, longitude: 360 * uniform() - 180, radius: 10 ** (2 + 5 * uniform()),
  }));
  zones.addCircles({
    identifiers: circles.map((_, index) => `c${index}`),
    latitudes: circles.map((one) => one.latitude),
    longitudes: circles.map((one) => one.longitude),
    radii: circles.map((one) => one.radius),
    tags: circles.map((_, index) => index),
  });
  return { zones, circles };
}

test("containing and nearest say what the geodesic distances say, all over the globe", () => {
  const { zones, circles } = world(500);
  for (let turn = 0; turn < 200; turn++) {
    const [latitude, longitude] = [180 * uniform() - 90, 360 * uniform() - 180];
    const distances = circles.map((one) => inverse(latitude, longitude, one.latitude, one.longitude).distance - one.radius);
    const expected = distances.flatMap((distance, index) => (distance <= 0 ? [`c${index}`] : []));
    const found = zones.containing(latitude, longitude);
    assert.deepEqual(found.map((one) => one.identifier), expected);
    for (const one of found) assert.ok(Math.abs(one.boundaryDistance - distances[Number(one.identifier.slice(1))]) < 2e-8);
    const order = distances.map((distance, index) => [Math.abs(distance), index]).sort((a, b) => a[0] - b[0]);
    assert.deepEqual(zones.nearest(latitude, longitude, 3).map((one) => one.identifier), order.slice(0, 3).map(([, index]) => `c${index}`));
  }
  assert.equal(zones.nearest(0, 0, 1e6).length, 500);
  assert.deepEqual(zones.nearest(0, 0, 0), []);
});

test("many points at once, more than fit into one pass of the sort, are answered as single ones", () => {
  const { zones } = world(300);
  const count = 40_000;
  const columns = {
    latitudes: Float64Array.from({ length: count }, () => 180 * uniform() - 90),
    longitudes: Float64Array.from({ length: count }, () => 360 * uniform() - 180),
  };
  const { offsets, generations, distances } = zones.containingMany(columns);
  assert.equal(offsets.length, count + 1);
  assert.equal(distances.length, offsets[count]);
  const names = zones.identifiersOf(generations);
  const nearest = zones.nearestMany(columns, 2);
  assert.equal(nearest.count, 2);
  const nearestNames = zones.identifiersOf(nearest.generations);
  for (let row = 0; row < count; row += 97) {
    const [latitude, longitude] = [columns.latitudes[row], columns.longitudes[row]];
    assert.deepEqual(names.slice(offsets[row], offsets[row + 1]), zones.containing(latitude, longitude).map((one) => one.identifier));
    assert.deepEqual(nearestNames.slice(2 * row, 2 * row + 2), zones.nearest(latitude, longitude, 2).map((one) => one.identifier));
  }
});

test("with a time, a zone contains a point only in its hours", () => {
  const zones = new Zones();
  const hours = [[10_000_000n, 20_000_000n], [30_000_000n, 40_000_000n]];
  zones.add("day", { latitude: 0, longitude: 0, radius: 100 }, { timing: { active: hours, maxEvents: 1 } });
  zones.add("always", { latitude: 0, longitude: 0, radius: 100 });
  const count = 60;
  const [latitudes, longitudes] = [new Float64Array(count), new Float64Array(count)];
  const seconds = Array.from({ length: count }, (_, row) => row - 5);
  const expected = seconds.map((second) => ((second >= 10 && second < 20) || (second >= 30 && second < 40) ? 2 : 1));
  for (const times of [
    BigInt64Array.from(seconds, (second) => BigInt(second) * 1_000_000n), Float64Array.from(seconds, (second) => second * 1000),
    seconds.map((second) => second * 1000), seconds.map((second) => new Date(second * 1000)),
  ]) {
    const { offsets } = zones.containingMany({ latitudes, longitudes, times });
    assert.deepEqual(expected, expected.map((_, row) => offsets[row + 1] - offsets[row]));
  }
  const unknown = { latitudes: [0, 0], longitudes: [0, 0], times: [NaN, 5000] };
  assert.deepEqual([...zones.containingMany(unknown).offsets], [0, 2, 3]);
  assert.deepEqual(zones.containing(0, 0).length, 2);
  assert.deepEqual(zones.containing(0, 0, { time: 9999 }).map((one) => one.identifier), ["always"]);
  assert.deepEqual(zones.containing(0, 0, { time: new Date(10_000), altitude: 5 }).length, 2);
  assert.throws(() => zones.containing(0, 0, { time: 2n ** 62n }), InvalidArgumentError);
  assert.throws(() => zones.containing(0, 0, { time: "1970" }), InvalidArgumentError);
  assert.throws(() => zones.containingMany({ latitudes, longitudes, times: [1] }), InvalidArgumentError);
});

test("a batch gives the lines that single fixes give, times as numbers, Dates and microseconds", () => {
  const count = 3000;
  const rows = Array.from({ length: count }, (_, row) => ({
    latitude: 47.55 + 0.01 * Math.sin(row / 50), longitude: 7.59, accuracy: 5, time: NOW + 1000 * row,
  }));
  const column = (name) => Float64Array.from(rows, (row) => row[name]);
  const shared = { latitudes: column("latitude"), longitudes: column("longitude"), accuracies: column("accuracy") };
  const ways = [
    (monitor) => rows.forEach((row) => monitor.feed(row)),
    (monitor) => rows.forEach((row) => monitor.feed({ ...row, time: new Date(row.time) })),
    (monitor) => rows.forEach((row) => monitor.feed({ ...row, time: BigInt(row.time) * 1000n })),
    (monitor) => monitor.feedMany({ ...shared, times: column("time") }),
    (monitor) => monitor.feedMany({ ...shared, times: BigInt64Array.from(rows, (row) => BigInt(row.time) * 1000n) }),
    (monitor) => monitor.feedMany({ ...shared, times: rows.map((row) => new Date(row.time)) }),
    (monitor) => monitor.feedMany({ latitudes: Array.from(shared.latitudes), longitudes: Float32Array.from(shared.longitudes).map(() => 7.59) && shared.longitudes, accuracies: shared.accuracies, times: rows.map((row) => row.time) }),
  ];
  const outputs = ways.map((feed) => {
    const monitor = new Monitor();
    monitor.add("a", { latitude: 47.55, longitude: 7.59, radius: 300 });
    feed(monitor);
    let lines = "";
    for (let more = monitor.pollLines(7); more !== ""; more = monitor.pollLines(7)) lines += more;
    return lines;
  });
  assert.ok(outputs[0].split("\n").length > 10);
  for (const output of outputs) assert.equal(output, outputs[0]);
});

test("times of the years 1 to 9999 keep their microsecond", () => {
  for (const time of [-62135596800000000n, -1n, 0n, 1n, 1700000000123457n, 2n ** 53n + 1n, 253402300799999999n]) {
    const monitor = new Monitor();
    monitor.advance(time);
    assert.equal(monitor.statistics().clockUs, time);
    monitor.add("a", { latitude: 0, longitude: 0, radius: 10 });
    monitor.feed({ latitude: 0, longitude: 0, time });
    const event = monitor.poll();
    assert.equal(event.dateUs, time);
    assert.ok(Math.abs(event.date.getTime() - Number(time) / 1000) <= 1);
    assert.match(JSON.stringify(event), new RegExp(`${((time % 1000000n) + 1000000n) % 1000000n}`.padStart(6, "0") + "Z"));
  }
  const monitor = new Monitor();
  monitor.advance(NOW + 0.123);
  assert.equal(monitor.statistics().clockUs, 1700000000000123n);
});

test("a passage of a long leg is at the microsecond where 32 bits do not reach", () => {
  const monitor = new Monitor({ path: "geodesic", maxGap: 1e6 });
  monitor.add("gate", { type: "LineString", coordinates: [[5, -1], [5, 1]] });
  // 900 000 s are 9e11 microseconds.
  monitor.feed({ latitude: 0, longitude: 0, time: NOW });
  monitor.feed({ latitude: 0, longitude: 8, time: NOW + 900_000_000 });
  const event = monitor.poll();
  assert.equal(event.direction, "left_to_right");
  assert.ok(Math.abs(Number(event.dateUs) / 1000 - (NOW + 900_000_000 * (5 / 8))) < 0.01);
});

test("tags of 64 bits come back", () => {
  const monitor = new Monitor();
  monitor.add("a", { latitude: 0, longitude: 0, radius: 10 }, { tag: 2n ** 64n - 1n });
  monitor.feed({ latitude: 0, longitude: 0, time: NOW });
  assert.equal(monitor.poll().tag, 2n ** 64n - 1n);
  assert.equal(monitor.record("a").tag, 2n ** 64n - 1n);
});

test("a fleet gives each device the events of a monitor of its own", () => {
  const { zones, circles } = world(50);
  const fleet = new Fleet(zones);
  const monitors = new Map();
  const numbers = fleet.enter(["a", "b", "c"]);
  const lines = { fleet: [], monitors: [] };
  for (const name of ["a", "b", "c"]) {
    const monitor = new Monitor({ initialFixMaxAge: null });
    circles.forEach((one, index) => monitor.add(`c${index}`, one, { assuming: "unsatisfied", tag: index }));
    monitors.set(name, monitor);
  }
  for (let turn = 0; turn < 300; turn++) {
    const place = circles[Math.floor(50 * uniform())];
    const rows = ["a", "b", "c"].map((name) => ({ name, latitude: place.latitude, longitude: place.longitude, time: NOW + 60_000 * turn }));
    fleet.feedMany({
      devices: turn % 2 ? numbers : ["a", "b", "c"], latitudes: rows.map((row) => row.latitude),
      longitudes: rows.map((row) => row.longitude), times: rows.map((row) => row.time),
    }, { firstRow: 3 * turn });
    for (const { name, ...fix } of rows) monitors.get(name).feed(fix);
    for (let found = fleet.pollMany(); found.length > 0; found = fleet.pollMany()) lines.fleet.push(...found);
    for (const [name, monitor] of monitors) for (const event of monitor.events()) lines.monitors.push([name, event]);
  }
  assert.ok(lines.fleet.length > 100);
  const key = (device, event) => `${device} ${event.sequence} ${event.identifier} ${event.state} ${event.cause} ${event.dateUs} ${event.boundaryDistance}`;
  assert.deepEqual(lines.fleet.map((event) => key(event.device, event)).sort(), lines.monitors.map(([name, event]) => key(name, event)).sort());
  assert.ok(lines.fleet.every((event) => event instanceof DeviceEvent && Math.floor(event.row / 3) <= 300));
  const moved = Fleet.restore(fleet.snapshot());
  assert.deepEqual(moved.devices, ["a", "b", "c"]);
  assert.deepEqual(moved.zones.identifiers, zones.identifiers);
  assert.deepEqual(moved.inside("a"), fleet.inside("a"));
  const other = new Fleet(zones);
  other.importDevice("x", fleet.exportDevice("a"));
  assert.deepEqual(other.inside("x"), fleet.inside("a"));
  assert.equal(fleet.remove("a"), true);
  assert.equal(fleet.remove("a"), false);
  assert.throws(() => fleet.state("a", "c1"), { status: "no_such_device" });
  assert.deepEqual(fleet.expire(NOW + 1e9), ["b", "c"]);
  assert.equal(fleet.statistics().deviceCount, 0);
});

for (const delivery of ["first", "latest"]) {
  test(`a fleet with the delivery ${delivery} gives each device the events of a monitor of its own`, () => {
    const { zones, circles } = world(50);
    const fleet = new Fleet(zones, { delivery });
    const monitor = new Monitor({ delivery, initialFixMaxAge: null });
    circles.forEach((one, index) => monitor.add(`c${index}`, one, { assuming: "unsatisfied" }));
    const lines = { fleet: [], monitor: [] };
    // The sequence depends on how many events are polled at a time.
    const key = (event) => `${event.identifier} ${event.state} ${event.cause} ${event.dateUs}`;
    for (let turn = 0; turn < 300; turn++) {
      const fix = { ...circles[Math.floor(3 * uniform())], time: NOW + 60_000 * turn };
      for (const [index, it] of [fix, { ...fix, latitude: -80, time: fix.time + 30_000 }].entries()) {
        const { latitude, longitude, time } = it;
        fleet.feed("a", { latitude, longitude, time });
        monitor.feed({ latitude, longitude, time });
        if ((2 * turn + index) % 7 !== 0) continue;
        for (let found = fleet.pollMany(); found.length > 0; found = fleet.pollMany()) lines.fleet.push(...found.map(key));
        for (const event of monitor.events()) lines.monitor.push(key(event));
      }
    }
    assert.ok(lines.fleet.length > 10);
    assert.deepEqual(lines.fleet.sort(), lines.monitor.sort());
    assert.throws(() => new Fleet(zones, { delivery: "last" }), { status: "invalid_argument" });
  });
}

test("the places of a file are those of its features", () => {
  const rows = fromGeoJSON(JSON.parse(readFileSync(join(ROOT, "examples/data/places.geojson"), "utf8")));
  const monitor = new Monitor();
  assert.equal(monitor.sync(rows).added, rows.length);
  assert.deepEqual(monitor.identifiers, rows.map((row) => row.identifier));
  assert.equal(monitor.sync(rows).kept, rows.length);
  const kinds = new Set([...monitor.records()].map((record) => record.kind));
  assert.deepEqual([...kinds].sort(), ["beacon", "circle", "corridor", "polygon"]);
  for (const { identifier, condition } of rows) {
    if (condition.type !== "Polygon") continue;
    assert.deepEqual(monitor.geometry(identifier).coordinates[0].slice(0, -1), condition.coordinates[0].slice(0, -1));
    assert.equal(monitor.shape(identifier).edges, "planar");
  }
});

test("a zone of a file has hours, reminders and a number of events", () => {
  const properties = {
    identifier: "depot", radius: 100, policy: "exact", repeat_every: 600, max_events: 3,
    active: ["2026-03-02T08:00:00+01:00/2026-03-02T11:00:00.000001Z"], active_until: "2026-03-03T00:00Z",
  };
  const feature = { type: "Feature", properties, geometry: { type: "Point", coordinates: [8.5, 47.4] } };
  const [row] = fromGeoJSON(feature);
  const [start, end] = [1_772_434_800_000_000n, 1_772_449_200_000_001n];
  assert.deepEqual(row.options.timing, {
    active: [[start, end]], activeUntil: 1_772_496_000_000_000n, repeatEvery: 600, maxEvents: 3,
  });
  const monitor = new Monitor();
  monitor.sync([row]);
  monitor.feed({ latitude: 47.4, longitude: 8.5, accuracy: 5, time: start - 1n });
  assert.equal(monitor.explain("depot").reason, "inactive");
  monitor.feed({ latitude: 47.4, longitude: 8.5, accuracy: 5, time: start });
  monitor.advance(end);
  const events = [...monitor.events()];
  // The start looks back at the fix before it, from which the repeats count.
  assert.deepEqual(events.map((event) => [event.kind, event.dateUs - start]), [
    ["determined", 0n], ["repeat", 599_999_999n], ["repeat", 1_199_999_999n],
  ]);
  assert.deepEqual(events[2].diagnostics, ["inactive", "exhausted"]);
  for (const [name, value] of [["active", "2026"], ["active", ["2026-03-02T08:00/2026-03-02T09:00"]], ["active_until", "now"]]) {
    assert.throws(() => fromGeoJSON({ ...feature, properties: { ...properties, [name]: value } }), InvalidArgumentError, name);
  }
  const circle = { latitude: 0, longitude: 0, radius: 1 };
  const many = Array.from({ length: 10_001 }, (_, row) => [2 * row, 2 * row + 1]);
  for (const timing of [
    { absentAfter: 0 }, { repeatEvery: 0 }, { repeatEvery: 1, repeatLimit: 0 }, { repeatLimit: 5 }, { maxEvents: 0 }, { maxEvents: 2 ** 32 },
    { active: many }, { active: [[1]] }, { active: [[2, 1]] }, { active: [1, 2] }, { activeUntil: 1 }, { hours: [] }, null,
  ]) {
    assert.throws(() => monitor.add("c", circle, { timing }), InvalidArgumentError, JSON.stringify(timing)?.slice(0, 99));
  }
  assert.deepEqual(monitor.identifiers, ["depot"]);
  monitor.add("c", circle, { timing: { active: many.slice(1) } });
  monitor.add("never", circle, { timing: { active: [] } });
  new Zones().add("c", circle, { timing: { maxEvents: 1 } });
  const beacon = { uuid: "3d402d15-5d8c-4c0f-9ab4-6f0bd1f3d4a1" };
  assert.throws(() => new Zones().add("b", beacon, { timing: { maxEvents: 1 } }), InvalidArgumentError);
});

test("timings can be read back, and make the same events", () => {
  const circle = { latitude: 0, longitude: 0, radius: 100 };
  const [earliest, latest] = [-62135596800000000n, 253402300799999999n];
  const timings = [
    { active: [] },
    { active: [], activeUntil: latest },
    { active: [[earliest, earliest + 1n], [latest - 1n, latest]] },
    { active: Array.from({ length: 10_000 }, (_, hour) => [3n * BigInt(hour), 3n * BigInt(hour) + 2n]), maxEvents: 3 },
    { absentAfter: 0.000001 },
    { repeatEvery: 1e9, repeatLimit: 1_000_000 },
    { maxEvents: 2 ** 32 - 1 },
  ];
  const [monitor, zones, copy] = [new Monitor(), new Zones(), new Monitor()];
  timings.forEach((timing, row) => {
    for (const holder of [monitor, zones]) {
      holder.add(`${row}`, circle, { timing });
      assert.deepEqual(holder.shape(`${row}`).timing, timing);
    }
  });
  monitor.add("plain", circle, { timing: {} });
  assert.equal(monitor.shape("plain").timing, null);
  const hours = Array.from({ length: 10_000 }, (_, hour) => [1000 * hour, 1000 * hour + 1000]);
  monitor.add("touching", circle, { timing: { active: hours } });
  assert.deepEqual(monitor.shape("touching").timing, { active: [[0n, 10_000_000_000n]] });
  const shift = { active: [[5_000_000n, 9_000_000n], [20_000_000n, 60_000_000n]], absentAfter: 3, repeatEvery: 7 };
  monitor.add("shift", circle, { policy: "exact", timing: shift });
  copy.sync(monitor.identifiers.map((identifier) => {
    const { timing } = monitor.shape(identifier);
    return { identifier, condition: circle, options: { policy: "exact", ...(timing === null ? {} : { timing }) } };
  }));
  for (const one of monitor.identifiers) assert.deepEqual(copy.shape(one).timing, monitor.shape(one).timing);
  const events = [monitor, copy].map((one) => {
    for (const time of [1, 6, 8, 21, 45, 70]) one.feed({ latitude: 0, longitude: 0, accuracy: 5, time: 1000 * time });
    const own = [...one.events()].filter(({ identifier }) => identifier === "shift");
    return own.map((event) => [event.kind, event.state, event.dateUs, event.diagnostics]);
  });
  assert.ok(events[0].length > 5);
  assert.deepEqual(events[1], events[0]);
});

test("a rule is read back, explained and kept in a snapshot; its events name the part that decided", () => {
  const place = (longitude) => ({ latitude: 0, longitude, radius: 100 });
  const forms = [{ all: ["a", "b"] }, { any: ["b", "a"] }, { none: ["a"] }, { atLeast: 2, of: ["c", "b", "a"] }];
  for (const rule of forms) {
    const monitor = new Monitor();
    monitor.add("a", place(0), { policy: "exact" });
    monitor.add("r", { rule }, { policy: "exact", tag: 7 });
    assert.deepEqual(monitor.shape("r").rule, rule);
    assert.equal(monitor.record("r").kind, "rule");
    assert.equal(monitor.shape("a").rule, null);
    assert.throws(() => monitor.geometry("r"), InvalidArgumentError);
    assert.deepEqual(monitor.fork().shape("r").rule, rule);
    assert.deepEqual(Monitor.restore(monitor.snapshot()).shape("r").rule, rule);
    assert.equal(monitor.ensure("r", { rule }, { policy: "exact", tag: 7 }), false);
  }
  const monitor = new Monitor();
  monitor.add("a", place(0), { policy: { ...POLICIES.exact, notify: [] } });
  monitor.add("r", { rule: { any: ["a", "later"] } }, { policy: "exact" });
  monitor.feed({ latitude: 0, longitude: 0, time: NOW });
  const [event] = [...monitor.events()];
  assert.deepEqual([event.identifier, event.state, event.decidedBy, event.boundaryDistance], ["r", "satisfied", 1, -100]);
  assert.deepEqual(monitor.explain("r").parts, [
    { identifier: "a", state: "satisfied" }, { identifier: "later", state: "unknown" },
  ]);
  assert.equal(monitor.explain("a").parts, null);
  const [row] = fromGeoJSON({
    type: "Feature", geometry: null, properties: { identifier: "r", rule: { at_least: 2, of: ["a", "b"] } },
  });
  assert.deepEqual(row.condition, { rule: { atLeast: 2, of: ["a", "b"] } });
  const many = Array.from({ length: 1001 }, (_, number) => `p${number}`);
  for (const rule of [
    {}, { all: [] }, { all: "a" }, { all: ["a", "a"] }, { all: [""] }, { all: [1] }, { any: many }, { all: ["a"], any: ["b"] },
    { atLeast: 3, of: ["a", "b"] }, { atLeast: 0, of: ["a"] }, { atLeast: 1 }, { of: ["a"] }, { some: ["a"] }, null, "all",
    { all: ["s"] },
  ]) {
    assert.throws(() => monitor.add("s", { rule }), InvalidArgumentError, JSON.stringify(rule)?.slice(0, 99));
  }
  assert.throws(() => monitor.add("s", { rule: { all: ["a"] } }, { radius: 3 }), InvalidArgumentError);
  assert.throws(() => monitor.add("s", { rule: { all: ["a"] }, uuid: "x" }), InvalidArgumentError);
  const zones = new Zones();
  zones.add("s", { rule: { all: ["a"] } });
  zones.add("a", { uuid: "e2c56db5-dffb-48d2-b060-d0f5a71096e0" });
  assert.deepEqual(zones.identifiers, ["s", "a"]);
  assert.deepEqual(monitor.identifiers, ["a", "r"]);
});

test("beacons come and go", () => {
  const uuid = "3d402d15-5d8c-4c0f-9ab4-6f0bd1f3d4a1";
  const monitor = new Monitor();
  monitor.add("lobby", { uuid });
  monitor.feedSightings([{ uuid: uuid.toUpperCase(), major: 1, minor: 65535, rssi: -60 }], NOW);
  const event = monitor.poll();
  assert.deepEqual(event.refinement, { uuid, major: 1, minor: 65535 });
  assert.equal(monitor.nextDeadlineUs, BigInt(NOW + 30_000) * 1000n);
  monitor.advance(NOW + 30_000);
  const left = monitor.poll();
  assert.equal(event.kind, "determined");
  assert.equal(left.kind, "exit");
  assert.equal(left.cause, "timeout");
  assert.equal(POLICIES.standard.entryDwell, 20);
});

test("geodesics go there and back", () => {
  const end = direct(47.55, 7.59, 30, 1000);
  const { distance, azimuth1 } = inverse(47.55, 7.59, end.latitude, end.longitude);
  assert.ok(Math.abs(distance - 1000) < 2e-8 && Math.abs(azimuth1 - 30) < 1e-9);
});

const CERTAIN = {
  ...POLICIES.exact, entryProbability: 0.99, exitProbability: 0.01,
};

test("an error ellipse decides instead of the accuracy, in single fixes and in columns", () => {
  const along = { major: 100, minor: 10, orientation: 0 };
  const across = { ...along, orientation: 90 };
  const place = direct(52.5, 13.4, 90, 950);
  const rows = [[5, across], [5, null], [400, null], [400, along]].map(([accuracy, errorEllipse], index) => ({
    latitude: place.latitude, longitude: place.longitude, accuracy, time: NOW + 1000 * index, errorEllipse,
  }));
  const single = new Monitor();
  single.add("wide", { latitude: 52.5, longitude: 13.4, radius: 1000 }, { policy: CERTAIN });
  single.feed(rows[0]);
  assert.equal(single.explain("wide").reason, "uncertain");
  assert.deepEqual(single.explain("wide").errorEllipse, across);
  single.feed(rows[3]);
  const event = single.poll();
  assert.equal(event.state, "satisfied");
  assert.ok(event.probability > 0.99);
  assert.deepEqual(single.explain("wide").errorEllipse, along);
  assert.throws(() => single.feed({ ...rows[3], errorEllipse: { major: 1, minor: 2, orientation: 0 } }), { name: "InvalidArgumentError" });
  assert.throws(() => single.feed({ ...rows[0], errorEllipse: along }), { name: "LateInputError" });
  assert.throws(() => single.feed({ ...rows[3], errorEllipse: { major: 1, minor: "x", orientation: 0 } }), { name: "InvalidArgumentError" });

  const columns = (chosen) => ({
    latitudes: chosen.map((row) => row.latitude), longitudes: chosen.map((row) => row.longitude),
    accuracies: chosen.map((row) => row.accuracy), times: chosen.map((row) => row.time),
    errorEllipses: {
      majors: chosen.map((row) => row.errorEllipse?.major ?? NaN), minors: chosen.map((row) => row.errorEllipse?.minor ?? NaN),
      orientations: Float64Array.from(chosen, (row) => row.errorEllipse?.orientation ?? NaN),
    },
  });
  const many = new Monitor();
  many.add("wide", { latitude: 52.5, longitude: 13.4, radius: 1000 }, { policy: CERTAIN });
  assert.equal(many.feedMany(columns([rows[0], rows[2]])).accepted, 2);
  assert.equal(many.poll(), null);
  assert.equal(many.feedMany(columns([rows[3]])).accepted, 1);
  assert.equal(many.poll().state, "satisfied");
  const zones = new Zones();
  zones.add("wide", { latitude: 52.5, longitude: 13.4, radius: 1000 }, { policy: CERTAIN });
  const fleet = new Fleet(zones);
  fleet.feed("a", rows[0]);
  fleet.feedMany({ devices: ["a", "b"], ...columns([rows[3], rows[2]]) });
  assert.deepEqual([fleet.poll().device, fleet.poll()], ["a", null]);
  assert.deepEqual(fleet.explain("a", "wide").errorEllipse, along);
});
