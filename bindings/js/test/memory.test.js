// Tests that the memory of objects is freed, that too little memory gives an error, and that an engine that the host
// stopped is replaced.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fencepost from "../../../.build/js/fencepost.js";
import { engine } from "../../../.build/js/lib/engine.js";

const { EngineLostError, Monitor, NotLoadedError, OutOfMemoryError, Zones } = fencepost;
const circle = { latitude: 47.55, longitude: 7.59, radius: 200 };

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

test("before load there is no engine", async () => {
  assert.throws(() => new Monitor(), NotLoadedError);
  assert.throws(() => fencepost.version(), NotLoadedError);
  await assert.rejects(fencepost.load(new Uint8Array(8)), NotLoadedError);
  await assert.rejects(fencepost.load("file:///nowhere/fencepost.wasm"), NotLoadedError);
  await assert.rejects(fencepost.load(undefined, { memoryLimit: 7 }), { status: "invalid_argument" });
  await Promise.all([fencepost.load(undefined, { memoryLimit: 2 ** 26 }), fencepost.load()]);
  assert.match(fencepost.version(), /^\d+\.\d+\.\d+$/);
});

function filled(count = 2000) {
  const monitor = new Monitor();
  monitor.addCircles({
    identifiers: Array.from({ length: count }, (_, index) => `circle number ${index}`),
    latitudes: Float64Array.from({ length: count }, (_, index) => 40 + index / count),
    longitudes: new Float64Array(count).fill(7),
    radii: new Float64Array(count).fill(100),
  });
  return monitor;
}

test("what is disposed is used again: a thousand monitors need no more than a few", () => {
  for (let turn = 0; turn < 20; turn++) filled().dispose();
  const before = engine().memory.length;
  for (let turn = 0; turn < 1000; turn++) filled().dispose();
  assert.equal(engine().memory.length, before);
});

test("what is forgotten is freed after the garbage collection", async () => {
  const before = engine().memory.length;
  for (let turn = 0; turn < 60; turn++) {
    for (let each = 0; each < 10; each++) filled();
    collect();
    // Finalizers run in a separate task.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  // If these 600 objects leaked, they would take 300 MB; the limit is 64 MB.
  assert.ok(engine().memory.length <= Math.max(before, 48e6), `${engine().memory.length} bytes`);
});

test("a snapshot, batches and answers of every size leave nothing allocated", () => {
  const monitor = filled();
  const work = () => {
    monitor.snapshot();
    monitor.identifiers;
    monitor.containingMany({ latitudes: new Float64Array(5000).fill(40.5), longitudes: new Float64Array(5000).fill(7) });
    monitor.nearest(40, 7, 2000);
    assert.throws(() => monitor.add("x".repeat(300), circle));
    assert.throws(() => monitor.addCircles({ identifiers: ["a"], latitudes: [1, 2], longitudes: [1], radii: [1] }));
  };
  for (let turn = 0; turn < 5; turn++) work();
  const before = engine().memory.length;
  for (let turn = 0; turn < 200; turn++) work();
  assert.equal(engine().memory.length, before);
  monitor.dispose();
});

test("an allocation beyond the limit is refused and changes nothing; existing objects continue to work", () => {
  const monitors = [];
  let refused;
  for (let turn = 0; turn < 1000 && refused === undefined; turn++) {
    try {
      monitors.push(filled());
    } catch (error) {
      refused = error;
    }
  }
  assert.ok(refused instanceof OutOfMemoryError, String(refused));
  assert.ok(engine().memory.length <= 2 ** 26 + 2 ** 24);
  const [monitor] = monitors;
  const count = monitor.identifiers.length;
  assert.throws(() => monitor.feedMany({ latitudes: new Float64Array(1e7), longitudes: new Float64Array(1e7), times: new Float64Array(1e7) }, { refuseInvalid: true }), OutOfMemoryError);
  assert.throws(() => new Monitor().containingMany({ latitudes: new Float64Array(1e7), longitudes: new Float64Array(1e7) }), OutOfMemoryError);
  for (const one of monitors.splice(1)) one.dispose();
  monitor.add("one more", circle);
  monitor.feed({ ...circle, time: 1.7e12 });
  assert.equal(monitor.identifiers.length, count + 1);
  assert.equal(monitor.state("one more"), "satisfied");
  monitor.dispose();
});

test("where the host refuses memory in a call, the engine is replaced", async () => {
  const monitor = filled(10);
  const kept = monitor.snapshot();
  const owner = engine();
  // Turn off the memory check that precedes each call, and use up WebAssembly's memory.
  owner.room = () => {};
  const zones = new Zones();
  let size = 2 ** 30;
  while (size >= 16) if (owner.x.fencepost_js_allocate(size) === 0) size /= 2;
  let lost;
  assert.throws(() => {
    for (let index = 0; ; index++) zones.add(`circle ${index}`, circle);
  }, (error) => {
    lost = error;
    return error instanceof EngineLostError && /memory/.test(error.message);
  });
  assert.throws(() => monitor.feed({ ...circle, time: 1 }), (error) => error === lost);
  assert.throws(() => new Monitor(), (error) => error === lost);
  monitor.dispose();
  zones.dispose();
  await fencepost.load();
  const again = Monitor.restore(kept);
  assert.equal(again.identifiers.length, 10);
  assert.deepEqual(again.snapshot(), kept);
});
