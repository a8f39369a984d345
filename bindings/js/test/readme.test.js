// Tests that each program in README.md prints the output that is shown below it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PACKAGE, ROOT } from "./support.js";

const text = readFileSync(join(ROOT, "bindings/js/README.md"), "utf8");
const blocks = [...text.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)];

test("there are three programs", () => assert.equal(blocks.length, 3));

for (const [index, [, program, expected]] of blocks.entries()) {
  test(`program ${index + 1}`, () => {
    // Programs inside this package can import the package by its own name, because package.json has `exports`.
    const folder = mkdtempSync(join(PACKAGE, "readme-"));
    try {
      writeFileSync(join(folder, "program.js"), program);
      assert.equal(execFileSync(process.execPath, [join(folder, "program.js")], { encoding: "utf8" }), expected);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
