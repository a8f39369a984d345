// Measures how long a fix takes, in nanoseconds of processor time: in batches from typed arrays, and one by one with
// feed() and poll().
//
//   node bindings/js/bench.js [FOLDER] (after `make wasm`)
//
// FOLDER contains circles_1000.bin and w1_fixes.bin from the benchmark's generator (W1-1k: a 1 Hz walk and drive, noise
// of 5 to 20 m, 1 000 circles, most of them in the surrounding cities). Without FOLDER, this program generates a
// similar walk.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load, Monitor } from "../../.build/js/fencepost.js";

const COUNT = 1_000_000;

function drawn() {
  let state = 20250607;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const circles = Array.from({ length: 1000 }, (_, index) =>
    index % 2 === 0
      ? [48.2 + 0.13 * normal(), 11.6 + 0.2 * normal(), 50 * 100 ** uniform()]
      : [42 + 12 * uniform(), 3.6 + 16 * uniform(), 50 * 100 ** uniform()],
  );
  const latitudes = new Float64Array(COUNT);
  const longitudes = new Float64Array(COUNT);
  const accuracies = new Float64Array(COUNT);
  const times = new Float64Array(COUNT);
  let [latitude, longitude, heading, speed] = [48.2, 11.6, 0, 1.4];
  for (let row = 0; row < COUNT; row++) {
    if (row % 600 === 0) speed = [1.4, 12, 0][Math.floor(3 * uniform())];
    heading += 0.05 * normal();
    if (Math.abs(latitude - 48.2) > 0.25 || Math.abs(longitude - 11.6) > 0.4) heading = Math.atan2(11.6 - longitude, 48.2 - latitude);
    latitude += (speed * Math.cos(heading)) / 111320;
    longitude += (speed * Math.sin(heading)) / 74000;
    accuracies[row] = 5 + 15 * uniform();
    latitudes[row] = latitude + (accuracies[row] / 2 / 111320) * normal();
    longitudes[row] = longitude + (accuracies[row] / 2 / 74000) * normal();
    times[row] = 1.7e12 + 1000 * row;
  }
  return { circles, columns: { latitudes, longitudes, accuracies, times } };
}

function read(folder) {
  const bytes = readFileSync(join(folder, "circles_1000.bin"));
  const numbers = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  const circles = Array.from({ length: 1000 }, (_, index) => numbers.slice(3 * index, 3 * index + 3));
  const fixes = readFileSync(join(folder, "w1_fixes.bin"));
  const view = new DataView(fixes.buffer, fixes.byteOffset, fixes.length);
  const column = (get) => Float64Array.from({ length: COUNT }, (_, row) => get(32 * row));
  return {
    circles,
    columns: {
      latitudes: column((at) => view.getFloat64(at, true)),
      longitudes: column((at) => view.getFloat64(at + 8, true)),
      accuracies: column((at) => view.getFloat32(at + 16, true)),
      times: column((at) => Number(view.getBigInt64(at + 24, true))),
    },
  };
}

await load();
const { circles, columns } = process.argv[2] ? read(process.argv[2]) : drawn();

function monitored() {
  const monitor = new Monitor();
  monitor.addCircles(
    {
      identifiers: circles.map((_, index) => `circle ${index}`),
      latitudes: circles.map(([latitude]) => latitude),
      longitudes: circles.map(([, longitude]) => longitude),
      radii: circles.map(([, , radius]) => radius),
    },
    { assuming: "unsatisfied" },
  );
  return monitor;
}

function best(run) {
  let least = Infinity;
  let events = 0;
  for (let turn = 0; turn < 9; turn++) {
    const monitor = monitored();
    const begin = process.cpuUsage();
    events = run(monitor);
    least = Math.min(least, process.cpuUsage(begin).user / 1000);
    monitor.dispose();
  }
  return { nanoseconds: ((least * 1e6) / COUNT).toFixed(1), events };
}

const batches = best((monitor) => {
  monitor.feedMany(columns);
  let events = 0;
  for (let found = monitor.pollMany(); found.length > 0; found = monitor.pollMany()) events += found.length;
  return events;
});
const fixes = Array.from({ length: COUNT }, (_, row) => ({
  latitude: columns.latitudes[row], longitude: columns.longitudes[row], accuracy: columns.accuracies[row], time: columns.times[row],
}));
const singly = best((monitor) => {
  let events = 0;
  for (const fix of fixes) {
    monitor.feed(fix);
    while (monitor.poll() !== null) events++;
  }
  return events;
});
console.log(`${COUNT} fixes, 1000 circles, ${batches.events} events, ${singly.events} singly`);
console.log(`batches: ${batches.nanoseconds} ns a fix; at most 40 are wanted`);
console.log(`feed and poll: ${singly.nanoseconds} ns a fix; at most 400 are wanted`);
