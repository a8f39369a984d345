// Runs the whole conformance corpus on the 32-bit build.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { load } from "../../../.build/js/fencepost.js";
import { conform } from "./conform.js";
import { ROOT } from "./support.js";

const folder = join(ROOT, "Tests", "Conformance");
const files = readdirSync(folder, { recursive: true })
  .filter((name) => name.endsWith(".json") && !name.startsWith("Reorder")) // the package has no reorderer
  .map((name) => join(folder, name));
const all = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")));
// A monitor in memory does not have a store that could fail.
const stored = all.filter((scenario) => scenario.steps.some((step) => "store" in step || "store" in (step.step ?? {})));

before(() => load());

for (const restarts of [false, true]) {
  test(`${all.length} scenarios${restarts ? ", a restart after every step" : ""}`, () => {
    const { passed, failed, skipped, failures } = conform(files, restarts);
    assert.deepEqual(failures, []);
    assert.deepEqual({ passed, failed, skipped }, { passed: all.length - stored.length, failed: 0, skipped: stored.length });
    assert.ok(passed > 500);
  });
}

test("the runner notices an expectation that is wrong", async () => {
  const { mkdtempSync, rmSync, writeFileSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const place = mkdtempSync(join(tmpdir(), "conform-"));
  try {
    const file = join(place, "wrong.json");
    const [scenario] = JSON.parse(readFileSync(join(folder, "crossings.json"), "utf8"));
    const steps = scenario.steps.filter((step) => step.next);
    for (const [key, value] of [["state", "unknown"], ["date", 7], ["identifier", "other"]]) {
      const changed = structuredClone(scenario);
      Object.assign(changed.steps[scenario.steps.indexOf(steps[0])].next, { [key]: value });
      writeFileSync(file, JSON.stringify(changed));
      assert.equal(conform([file], false).failed, 1, `${key} is compared`);
    }
  } finally {
    rmSync(place, { recursive: true });
  }
});
