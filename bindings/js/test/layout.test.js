// Compares the structures in lib/layout.js with the layout that a C compiler gives the structures of fencepost.h for
// wasm32.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import * as layout from "../lib/layout.js";
import { ROOT } from "./support.js";

// The name FIX stands for fencepost_fix, and SYNC_RESULT for fencepost_sync_result; NAMES lists the
// exceptions.
const NAMES = { SIGHTING: "beacon_sighting", POLICY: "transition_policy" };

function check(shift) {
  let text = '#include "fencepost.h"\n';
  let count = 0;
  for (const [name, members] of Object.entries(layout)) {
    const type = `fencepost_${NAMES[name] ?? name.toLowerCase()}`;
    for (const [member, place] of Object.entries(members)) {
      if (member === "alignment") continue;
      const actual = member === "size" ? `sizeof(${type})` : `offsetof(${type}, ${member})`;
      text += `_Static_assert(${actual} == ${place + shift}, "${type}.${member}");\n`;
      count++;
    }
  }
  const words = ["--target=wasm32-wasi", "-isystem", "/usr/include/wasm32-wasi", "-Iinclude", "-fsyntax-only", "-x", "c", "-"];
  return { count, ...spawnSync("clang", words, { cwd: ROOT, input: text, encoding: "utf8" }) };
}

test("every member is where the compiler puts it", () => {
  const { status, stderr, count } = check(0);
  assert.equal(status, 0, stderr);
  assert.ok(count > 200);
});

test("a place that is wrong is noticed", () => {
  assert.notEqual(check(4).status, 0);
});
