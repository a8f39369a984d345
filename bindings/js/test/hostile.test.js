// Tests that hostile input gives one of the package's errors, leaves the object unchanged, and never ends the engine.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as fencepost from "../../../.build/js/fencepost.js";

const { DisposedError, Fleet, FencepostError, InvalidArgumentError, LateInputError, Monitor, QueueFullError, Zones } = fencepost;
const NOW = 1.7e12;
const circle = { latitude: 47.55, longitude: 7.59, radius: 200 };
const fix = { latitude: 47.55, longitude: 7.59, accuracy: 5, time: NOW };
// Contains one value of each type, and numbers that no argument accepts.
const strange = [
  undefined, null, NaN, Infinity, -Infinity, -1, 1.5, 2 ** 53, 1e308, "", "7", "\0", "\ud800", true, Symbol("s"), 2n ** 63n, -1n,
  [], [[]], {}, () => 1, new Date(NaN), new Uint8Array(3), new Map(), new Proxy({}, {}),
];

before(() => fencepost.load());

/** Checks that a call was refused by an error that the package documents. */
function refuses(call, status) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof FencepostError, `${error?.stack ?? String(error)}`);
    assert.notEqual(error.status, "engine_lost");
    assert.ok(error.message.length > 5 && !/\[object|\bundefined\b.*undefined/.test(error.message), error.message);
    if (status) assert.equal(error.status, status, error.message);
    return true;
  });
}

test("numbers that are out of range", () => {
  const monitor = new Monitor();
  monitor.add("a", circle);
  const before = monitor.snapshot();
  for (const value of [NaN, Infinity, -Infinity, 90.0001, -91, 1e308]) {
    refuses(() => monitor.add("b", { ...circle, latitude: value }), "invalid_argument");
    refuses(() => monitor.containing(value, 0), "invalid_argument");
    refuses(() => monitor.nearest(value, 0), "invalid_argument");
    refuses(() => monitor.safeDistance(value, 0), "invalid_argument");
    refuses(() => fencepost.inverse(value, 0, 0, 0), "invalid_argument");
  }
  for (const value of [NaN, Infinity, 0, -1]) refuses(() => monitor.add("b", { ...circle, radius: value }), "invalid_argument");
  for (const value of [NaN, Infinity, -1, 1e10]) {
    refuses(() => monitor.add("b", circle, { policy: { entryDwell: value } }), "invalid_argument");
    refuses(() => new Monitor({ maxTimeStep: value }), "invalid_argument");
  }
  for (const time of [NaN, 1e300, 2n ** 63n, -(2n ** 63n), 2n ** 200n, new Date(NaN), 8.64e15]) {
    refuses(() => monitor.advance(time), "invalid_argument");
    refuses(() => monitor.rewind(time), "invalid_argument");
    refuses(() => monitor.feedSightings([], time), "invalid_argument");
  }
  assert.deepEqual(monitor.snapshot().length, before.length);
  assert.deepEqual(monitor.identifiers, ["a"]);
  monitor.dispose();
});

test("values of every type in every argument", () => {
  const zones = new Zones();
  zones.add("a", circle);
  const monitor = new Monitor({ path: "geodesic", maxGap: 60 });
  monitor.add("a", circle);
  const fleet = new Fleet(zones);
  fleet.feed("truck", fix);
  const calls = [
    (it) => new Monitor(it ?? 7), (it) => new Monitor({ delivery: it ?? 7 }), (it) => new Monitor({ nonsense: it }),
    (it) => new Fleet(it), (it) => Monitor.restore(it), (it) => Zones.restore(it), (it) => Fleet.restore(it),
    (it) => fleet.importDevice("b", it), (it) => monitor.feedSightings(it, NOW), (it) => monitor.feedSightings([it], NOW),
    (it) => monitor.feedSightings([{ uuid: it, major: 1, minor: 1 }], NOW), (it) => monitor.setScanning(it ?? 7, NOW),
    (it) => monitor.setHost({ flags: it ?? 7 }, NOW), (it) => monitor.setHost({ unsupported: [it] }, NOW),
    (it) => monitor.add(it === "7" ? 7 : it, { latitude: 0, longitude: 0, radius: "x" }), (it) => monitor.add("b", it),
    (it) => monitor.add("b", { ...circle, radius: String(typeof it) }), (it) => monitor.add("b", { type: it, coordinates: it }),
    (it) => monitor.add("b", { type: "Polygon", coordinates: it }), (it) => monitor.add("b", { type: "Polygon", coordinates: [it] }),
    (it) => monitor.add("b", { type: "Polygon", coordinates: [[it, it, it]] }),
    (it) => monitor.add("b", { type: "MultiPolygon", coordinates: [[it]] }), (it) => monitor.add("b", { uuid: it }),
    (it) => monitor.add("b", circle, it ?? 7), (it) => monitor.add("b", circle, { policy: it ?? 7, x: 1 }),
    (it) => monitor.add("b", circle, { assuming: it ?? 7 }), (it) => monitor.add("b", circle, { tag: it === 2 ** 53 ? -1 : it ?? NaN, q: 1 }),
    (it) => monitor.feed(it), (it) => monitor.feed({ ...fix, latitude: typeof it === "number" ? "1" : it }),
    (it) => monitor.feed({ ...fix, time: typeof it === "number" || typeof it === "bigint" ? "x" : it }),
    (it) => monitor.feedMany(it), (it) => monitor.feedMany({ latitudes: it, longitudes: [1], times: [1] }),
    (it) => monitor.feedMany({ latitudes: [1], longitudes: [1], times: typeof it === "number" ? "x" : [[it]] }),
    (it) => monitor.sync(Array.isArray(it) ? 7 : it), (it) => monitor.sync([it]), (it) => monitor.pollMany(typeof it === "number" ? -1 : it ?? 0),
    (it) => monitor.identifiersInState(it), (it) => monitor.containingMany(it), (it) => monitor.identifiersOf(it),
    (it) => monitor.addCircles({ identifiers: it, latitudes: [1], longitudes: [1], radii: [1] }),
    (it) => monitor.addCircles({ identifiers: ["x"], latitudes: [1], longitudes: [1], radii: [1], tags: [it === 2 ** 53 ? -1 : it ?? -1], q: 1 }),
    (it) => fleet.feedMany({ devices: it, latitudes: [1], longitudes: [1], times: [1] }), (it) => fleet.positions([typeof it === "string" ? "no" : it]),
    (it) => fleet.enter(Array.isArray(it) ? 7 : it ?? 7), (it) => fleet.remove("truck", it ?? 7), (it) => fleet.exportDevice("truck", it ?? 7),
    (it) => fleet.importDevice("b", new Uint8Array(3), it ?? 7), (it) => fleet.expire(typeof it === "bigint" ? NaN : it ?? NaN), (it) => fleet.state(it, it),
    (it) => monitor.addCircles({ identifiers: ["x"], latitudes: [1], longitudes: [1], radii: [1], tags: [typeof it === "number" && it > 7 ? -1 : it ?? -1] }),
    (it) => fencepost.fromGeoJSON(Array.isArray(it) ? 7 : it),
  ];
  for (const call of calls) {
    let refused = 0;
    for (const value of strange) {
      try {
        call(value);
      } catch (error) {
        refused++;
        assert.ok(error instanceof FencepostError, `${call} of ${String(value)}: ${error?.stack}`);
        assert.notEqual(error.status, "engine_lost");
      }
    }
    // Each call may accept only a few of these values: an empty array, true, or (for an argument with a default)
    // undefined.
    assert.ok(refused >= strange.length - 10, `${call} refuses ${refused} of ${strange.length}`);
  }
  // An empty object and a Map count as empty options; 2^63 is a valid tag.
  assert.ok(monitor.identifiers.every((one) => ["a", "b", "x"].includes(one)));
  assert.deepEqual(zones.identifiers, ["a"]);
  assert.equal(monitor.statistics().acceptedFixes, 0);
});

test("identifiers that are too long, empty, halves of pairs, or hold a zero", () => {
  const monitor = new Monitor();
  for (const name of ["", "x".repeat(257), "ß".repeat(129), "a\0b", "\ud800", "\udc00x", "x".repeat(2 ** 26)]) {
    refuses(() => monitor.add(name, circle), "invalid_argument");
    refuses(() => monitor.remove(name), "invalid_argument");
    refuses(() => monitor.sync([{ identifier: "fine", condition: circle }, { identifier: name, condition: circle }]), "invalid_argument");
  }
  assert.deepEqual(monitor.identifiers, []);
  for (const name of ["x".repeat(256), "ß".repeat(128), "𝄞".repeat(64), "__proto__", "constructor"]) {
    monitor.add(name, circle);
    assert.equal(monitor.record(name).identifier, name);
    assert.equal(monitor.containing(47.55, 7.59).at(-1).identifier, name);
  }
  monitor.dispose();
});

test("a limit of vertices", () => {
  const monitor = new Monitor({ path: "geodesic", maxGap: 60 });
  const square = { type: "Polygon", coordinates: [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]] };
  const line = { type: "LineString", coordinates: square.coordinates[0] };
  refuses(() => monitor.add("p", square, { maxVertices: 3 }), "invalid_argument");
  refuses(() => monitor.ensure("p", line, { maxVertices: 4 }), "invalid_argument");
  refuses(() => monitor.add("p", circle, { maxVertices: 4 }), "invalid_argument");
  for (const value of [0, 1_000_001, 1.5, NaN, "4", null]) {
    refuses(() => monitor.add("p", square, { maxVertices: value }), "invalid_argument");
    refuses(() => fencepost.fromGeoJSON({ type: "FeatureCollection", features: [] }, { maxVertices: value }), "invalid_argument");
  }
  monitor.add("p", square, { maxVertices: 4 });
  monitor.add("q", line, { maxVertices: 5, radius: 3 });
  // 400 vertices; cutting their planar edges takes more than half a million vertices.
  const there = Array.from({ length: 200 }, (_, step) => [170 * (step % 2), 60 + (24 * step) / 400]);
  const ring = [...there, ...there.map(([x, y]) => [x + 1, y + 0.001]).reverse(), there[0]];
  const feature = (coordinates) => ({ type: "Feature", properties: { identifier: "r" }, geometry: { type: "Polygon", coordinates } });
  const places = { type: "FeatureCollection", features: [feature(square.coordinates), { ...feature([ring]), properties: { identifier: "s" } }] };
  assert.throws(() => monitor.sync(fencepost.fromGeoJSON(places)), (error) => error.position === 1 && /max_vertices is 500000/.test(error.message));
  assert.throws(() => monitor.sync(fencepost.fromGeoJSON(places, { maxVertices: 3 })), (error) => error.position === 0);
  assert.deepEqual(monitor.identifiers, ["p", "q"]);
  monitor.dispose();
});

test("shapes that no engine can examine", () => {
  const monitor = new Monitor();
  const ring = (count) => Array.from({ length: count }, (_, index) => [Math.cos(index) * 10, Math.sin(index) * 10]);
  for (const coordinates of [[], [[]], [[[0, 0]]], [[[0, 0], [1, 1]]], [[[0, 0], [1, 1], [0, 1], [1, 0]]], [[[0, 0], [NaN, 1], [1, 1]]], [[[0, 91], [1, 92], [1, 91]]], [ring(50)]]) {
    refuses(() => monitor.add("p", { type: "Polygon", coordinates }), "invalid_argument");
  }
  refuses(() => monitor.add("p", { type: "Polygon", coordinates: [ring(1_000_001)] }), "invalid_argument");
  refuses(() => monitor.add("gate", { type: "LineString", coordinates: [[0, 0], [1, 1]] }), "invalid_argument");
  refuses(() => new Zones().add("gate", { type: "LineString", coordinates: [[0, 0], [1, 1]] }), "invalid_argument");
  const cyclic = [];
  cyclic.push(cyclic);
  refuses(() => monitor.add("p", { type: "Polygon", coordinates: cyclic }), "invalid_argument");
  assert.deepEqual(monitor.identifiers, []);
});

test("bytes that are no snapshot: cut, flipped, of another kind, random", () => {
  const monitor = new Monitor({ name: "m", conditionLimit: 5 });
  monitor.add("a", circle, { policy: { entryDwell: 1 } });
  monitor.add("p", { type: "Polygon", coordinates: [[[7, 47], [8, 47], [8, 48]]] });
  monitor.feed(fix);
  const bytes = monitor.snapshot();
  for (let length = 0; length < bytes.length; length += 3) refuses(() => Monitor.restore(bytes.slice(0, length)), "snapshot_invalid");
  for (let at = 0; at < bytes.length; at++) {
    const changed = bytes.slice();
    changed[at] ^= 0x80;
    refuses(() => Monitor.restore(changed), "snapshot_invalid");
  }
  refuses(() => Zones.restore(bytes));
  refuses(() => Fleet.restore(bytes), "snapshot_invalid");
  let state = 1;
  for (let turn = 0; turn < 200; turn++) {
    const random = Uint8Array.from({ length: turn }, () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 24);
    refuses(() => Monitor.restore(random), "snapshot_invalid");
  }
  const again = Monitor.restore(bytes);
  assert.deepEqual(again.snapshot(), bytes);
  assert.equal(again.name, "m");
});

test("a snapshot of format 1 with a length above 2^31 is refused", () => {
  // In format 1, the magic number (8 bytes) and the format (4 bytes) are followed by the length of the name (4 bytes).
  const bytes = new Monitor().snapshot().slice(0, 64);
  for (const format of [1, 2, 3, 0xffffffff]) {
    for (const length of [0x7fffffff, 0x80000000, 0xffffffff]) {
      const changed = bytes.slice();
      new DataView(changed.buffer).setUint32(8, format, true);
      new DataView(changed.buffer).setUint32(12, length, true);
      refuses(() => Monitor.restore(changed), "snapshot_invalid");
    }
  }
});

test("after dispose every member is refused, and disposing again is not", () => {
  const zones = new Zones();
  zones.add("a", circle);
  const monitor = new Monitor();
  const fleet = new Fleet(zones);
  zones.dispose();
  fleet.feed("truck", fix);
  assert.equal(fleet.poll().identifier, "a", "a fleet holds its table");
  const values = { feed: [fix], see: [[], NOW], setHost: [{}, NOW], add: ["b", circle], ensure: ["b", circle], sync: [[]] };
  for (const [object, more] of [[monitor, {}], [zones, {}], [fleet, { feed: ["truck", fix], see: ["truck", [], NOW] }]]) {
    object.dispose();
    object.dispose();
    assert.equal(object.isDisposed, true);
    for (let of = object; of !== Object.prototype; of = Object.getPrototypeOf(of)) {
      for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(of))) {
        if (["constructor", "dispose", "isDisposed", "place", "forget", "changed"].includes(name)) continue;
        const call = () => {
          const result = get ? get.call(object) : value.apply(object, more[name] ?? values[name] ?? [NOW, NOW, NOW]);
          if (typeof result?.next === "function") result.next();
        };
        assert.throws(call, (error) => error instanceof DisposedError && error.status === "disposed", `${object.constructor.name}.${name}`);
      }
    }
  }
  refuses(() => new Fleet(zones), "disposed");
});

test("a full queue tells how far a batch came, across blocks of rows", () => {
  const count = 200_000;
  const monitor = new Monitor({ maxPendingEvents: 100 });
  monitor.add("a", circle, { policy: "exact", assuming: "unsatisfied" });
  const latitudes = new Float64Array(count).fill(47.55);
  // From row 150 000 on, every fix enters or leaves the circle.
  for (let row = 150_000; row < count; row += 2) latitudes[row] = 48;
  const columns = {
    latitudes, longitudes: new Float64Array(count).fill(7.59), times: Float64Array.from({ length: count }, (_, row) => NOW + row),
  };
  assert.throws(() => monitor.feedMany(columns), (error) => {
    assert.ok(error instanceof QueueFullError);
    assert.equal(error.position, 150_099);
    assert.deepEqual(error.result, { accepted: 150_099, invalid: 0, late: 0, doubted: 0 });
    return true;
  });
  refuses(() => monitor.feed({ ...fix, time: NOW + count }), "queue_full");
  assert.equal(monitor.statistics().acceptedFixes, 150_099);
});

test("typed arrays whose buffer was transferred or made shorter are refused", () => {
  const detached = (array) => {
    structuredClone(array, { transfer: [array.buffer] });
    return array;
  };
  const monitor = new Monitor();
  monitor.add("a", circle);
  const column = () => detached(Float64Array.of(1));
  refuses(() => monitor.feedMany({ latitudes: column(), longitudes: column(), times: column() }), "invalid_argument");
  refuses(() => Monitor.restore(detached(monitor.snapshot())), "invalid_argument");
  const zones = new Zones();
  zones.add("a", circle);
  const fleet = new Fleet(zones);
  fleet.feed("truck", fix);
  refuses(() => fleet.importDevice("van", detached(Uint8Array.of(1))), "invalid_argument");
  refuses(() => fleet.feedMany({ devices: [], latitudes: column(), longitudes: column(), times: column() }), "invalid_argument");
  const buffer = new ArrayBuffer(8, { maxByteLength: 8 });
  if (buffer.resizable) {
    const cut = new Float64Array(buffer, 0, 1);
    buffer.resize(0);
    refuses(() => monitor.feedMany({ latitudes: cut, longitudes: cut, times: cut }), "invalid_argument");
  }
  const empty = new Float64Array(0);
  assert.equal(monitor.feedMany({ latitudes: empty, longitudes: empty, times: empty }).accepted, 0);
  for (const object of [monitor, fleet, zones]) object.dispose();
});

test("rows that are invalid are counted, or refuse the batch", () => {
  const monitor = new Monitor();
  const columns = { latitudes: [1, NaN, 1, 95], longitudes: [1, 1, 1, 1], times: [NOW, NOW, NaN, NOW] };
  columns.times = Float64Array.from(columns.times);
  assert.deepEqual(monitor.feedMany(columns), { accepted: 1, invalid: 3, late: 0, doubted: 0 });
  assert.throws(() => monitor.feedMany(columns, { refuseInvalid: true }), (error) => error instanceof InvalidArgumentError && error.position === 1);
  assert.throws(() => monitor.feed({ ...fix, time: NOW - 1 }), LateInputError);
  assert.equal(monitor.statistics().acceptedFixes, 1);
});

test("a getter that uses the engine while a call reads it", () => {
  const monitor = new Monitor();
  const other = new Monitor();
  monitor.add("outer", {
    get latitude() {
      other.add("inner", circle);
      assert.equal(other.poll(), null);
      return 1;
    },
    longitude: 2, radius: 3,
  });
  monitor.feed({
    get latitude() {
      other.feed(fix);
      return 1;
    },
    longitude: 2, time: NOW,
  });
  assert.equal(monitor.record("outer").latitude, 1);
  assert.equal(other.poll().identifier, "inner");
  assert.equal(monitor.statistics().acceptedFixes, 1);
});

test("a getter that disposes the object in the middle of a call", () => {
  const monitor = new Monitor();
  refuses(() => monitor.add("a", { get latitude() { monitor.dispose(); return 1; }, longitude: 1, radius: 1 }), "disposed");
  const second = new Monitor();
  refuses(() => second.feed({ get latitude() { second.dispose(); return 1; }, longitude: 1, time: NOW }), "disposed");
});
