// Tests order.js, which build.sh applies to the module: the new order changes no result.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { reordered } from "../order.js";
import { WASM } from "./support.js";

const reversed = (functions) => [...functions.keys()].reverse();

/** Assembles a module from its text. */
function assembled(text) {
  const folder = mkdtempSync(join(tmpdir(), "order-"));
  try {
    writeFileSync(join(folder, "module.wat"), text);
    const words = ["--enable-bulk-memory", "--enable-sign-ext", "module.wat", "--strip-debug", "-o", "module.wasm"];
    const { status, stderr } = spawnSync("wasm-opt", words, { cwd: folder, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return readFileSync(join(folder, "module.wasm"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// Has an import, a start function, a table, 200 functions (the numbers of some have two bytes), and instructions with
// each kind of operands.
const fillers = Array.from({ length: 200 }, (_, index) => `(func $filler${index} (result i32) (i32.const ${index * 16}))`);
const TEXT = `(module
  (import "host" "add" (func $add (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $started (mut i32) (i32.const 0))
  (table 3 funcref)
  (elem (i32.const 1) $filler7 $filler150)
  (start $begin)
  ${fillers.join("\n")}
  (func $begin (global.set $started (call $filler199)))
  (func (export "started") (result i32) (global.get $started))
  (func (export "indirect") (param i32) (result i32) (call_indirect (result i32) (local.get 0)))
  (func (export "both") (param i32) (result i32) (local $sum f64) (local $long i64)
    (local.set $sum (f64.const 1.1))
    (local.set $long (i64.const 0x1010101010101010))
    (i64.store offset=8 (i32.const 16) (local.get $long))
    (memory.copy (i32.const 64) (i32.const 16) (i32.const 32))
    (memory.fill (i32.const 80) (i32.const 16) (i32.const 3))
    (block $second (block $first (br_table $first $second (local.get 0))) (local.set $sum (f64.const 16)))
    (call $add (call $filler3) (i32.add (i32.load offset=8 (i32.const 64))
      (i32.extend8_s (i32.trunc_f64_s (f64.add (local.get $sum) (f64.promote_f32 (f32.const 16)))))))))`;

function answers(module) {
  const host = { add: (left, right) => left + right };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { host });
  const both = [exports.both(0), exports.both(1)];
  return { started: exports.started(), indirect: [exports.indirect(1), exports.indirect(2)], both, memory: exports.memory.buffer };
}

test("a module gives the same answers in every order of its functions", () => {
  const module = assembled(TEXT);
  const expected = answers(module);
  assert.deepEqual([expected.started, expected.indirect, expected.both[0] !== expected.both[1]], [199 * 16, [7 * 16, 150 * 16], true]);
  for (const orderOf of [undefined, reversed]) {
    const other = reordered(module, orderOf);
    assert.notDeepEqual(other, new Uint8Array(module));
    assert.deepEqual(answers(other), expected);
  }
  assert.deepEqual(reordered(reordered(module, reversed), reversed), new Uint8Array(module));
});

test("a module with names and one with an unknown instruction are rejected", () => {
  const module = assembled(TEXT);
  assert.throws(() => reordered(Uint8Array.of(...module, 0, 2, 1, 120)), /custom sections/);
  const at = module.lastIndexOf(0x6a); // i32.add
  assert.throws(() => reordered(module.map((byte, index) => (index === at ? 0xd0 : byte))), /0xd0 is unknown/);
});

test("the order makes the module's archive at least 3 % smaller", () => {
  const module = readFileSync(WASM);
  const size = (bytes) => gzipSync(bytes, { level: 9 }).length;
  const bySize = (functions) => [...functions.keys()].sort((left, right) => functions[left].size - functions[right].size);
  assert.ok(size(module) < 0.97 * size(reordered(module, bySize)));
});
