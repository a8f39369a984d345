// Checks the type declarations with TypeScript's compiler, if it is installed (Debian: node-typescript).

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT } from "./support.js";

const folder = join(ROOT, "bindings", "js", "test", "types");

function compile(name, context) {
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "esnext", "--moduleResolution", "node", "--lib", "es2022,dom"];
  const done = spawnSync("tsc", [...options, join(folder, name)], { encoding: "utf8", cwd: folder });
  if (done.error?.code === "ENOENT") context.skip("tsc is not here");
  return done;
}

test("a program that uses the package compiles", (context) => {
  const { status, stdout, error } = compile("accepted.ts", context);
  if (error) return;
  assert.equal(status, 0, stdout);
});

test("each call that is wrong is refused", (context) => {
  const { stdout, error } = compile("refused.ts", context);
  if (error) return;
  const refused = new Set([...stdout.matchAll(/^refused\.ts\((\d+),/gm)].map(([, line]) => Number(line)));
  const lines = readFileSync(join(folder, "refused.ts"), "utf8").split("\n");
  const wanted = lines.flatMap((line, index) => (index > 3 && line !== "" ? [index + 1] : []));
  assert.deepEqual([...refused].sort((a, b) => a - b), wanted, stdout);
});
