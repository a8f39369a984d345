// Tests that the events of the WebAssembly build are the same as those of the native library, byte for byte.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { load, Monitor } from "../../../.build/js/fencepost.js";
import { ROOT, driveOf, nativeReplay, run } from "./support.js";

const wasi = ["--no-warnings", join(ROOT, "bindings/js/test/wasi.js")];
const data = ["examples/data/drive.csv", "examples/data/places.geojson"];
const digest = (text) => createHash("sha256").update(text).digest("hex");
let native;

before(() => {
  native = nativeReplay();
});

for (const words of [["walk", "200000", "0"], ["walk", "200000", "7"], ["shapes", "20000", "0"], ["paths", "20000", "0"], ["drive", ...data, "0"]]) {
  test(`replay ${words.join(" ")}`, () => {
    const expected = run(native, ...words);
    assert.ok(expected.split("\n").length > 10, "the program prints events");
    assert.equal(digest(run(process.execPath, ...wasi, ...words)), digest(expected));
  });
}

test("the SHA-256 that every build must have", () => {
  const folder = mkdtempSync(join(tmpdir(), "fencepost-"));
  run(join(ROOT, "Tests/Determinism/hashes.sh"), folder, process.execPath, ...wasi);
  rmSync(folder, { recursive: true });
});

test("the drive through the package, in one batch and fix by fix", async () => {
  await load();
  const expected = run(native, "drive", ...data, "0");
  const drive = driveOf(readFileSync(join(ROOT, data[0]), "utf8"));
  const { features } = JSON.parse(readFileSync(join(ROOT, data[1]), "utf8"));
  for (const isSingle of [false, true]) {
    const monitor = new Monitor();
    let lines = "";
    const poll = () => {
      for (let more = monitor.pollLines(); more !== ""; more = monitor.pollLines()) lines += more;
    };
    for (const { geometry, properties } of features.filter((feature) => feature.geometry?.type === "Point")) {
      const [longitude, latitude] = geometry.coordinates;
      const { identifier, radius, assuming } = properties;
      // The replay program understands only policies that have a name.
      const policy = typeof properties.policy === "string" ? properties.policy : "standard";
      monitor.add(identifier, { latitude, longitude, radius }, { policy, ...(assuming && { assuming }) });
    }
    if (isSingle) {
      drive.times.forEach((time, row) => {
        monitor.feed({
          latitude: drive.latitudes[row], longitude: drive.longitudes[row], accuracy: drive.accuracies[row], time,
        });
        poll();
      });
    } else {
      assert.equal(monitor.feedMany(drive).accepted, drive.times.length);
      poll();
    }
    monitor.advance(drive.times.at(-1) + 3_600_000);
    poll();
    assert.equal(lines, expected);
    monitor.dispose();
  }
});

test("a snapshot of Python continues here, and one from here in Python, with the same events", async () => {
  await load();
  const drive = driveOf(readFileSync(join(ROOT, data[0]), "utf8"));
  const half = drive.times.length / 2;
  const part = (start, end) => Object.fromEntries(Object.entries(drive).map(([name, column]) => [name, column.subarray(start, end)]));
  const lines = (monitor) => {
    let all = "";
    for (let more = monitor.pollLines(); more !== ""; more = monitor.pollLines()) all += more;
    return all;
  };
  const python = join(ROOT, ".venv/bin/python");
  const begun = run(python, "bindings/js/test/snapshots.py", "begin", ...data);
  const restored = Monitor.restore(Buffer.from(begun, "base64"));
  restored.feedMany(part(half, drive.times.length));
  const got = lines(restored);
  assert.ok(got.length > 1000);

  const here = Monitor.restore(Buffer.from(run(python, "bindings/js/test/snapshots.py", "empty", ...data), "base64"));
  here.feedMany(part(0, half));
  lines(here);
  assert.deepEqual(here.snapshot(), new Uint8Array(Buffer.from(begun, "base64")), "the same state has the same bytes");
  assert.equal(run(python, "bindings/js/test/snapshots.py", "end", ...data, Buffer.from(here.snapshot()).toString("base64")), got);
});
