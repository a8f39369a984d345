// Tests the published package: the module, its size and its types.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import * as fencepost from "../../../.build/js/fencepost.js";
import { PACKAGE, ROOT, WASM } from "./support.js";

const bytes = readFileSync(WASM);
const header = readFileSync(join(ROOT, "include/fencepost.h"), "utf8");
const described = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));

test("the module has no imports and every function of the header", () => {
  const module = new WebAssembly.Module(bytes);
  assert.deepEqual(WebAssembly.Module.imports(module), []);
  const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  const map = readFileSync(join(ROOT, "bindings/c/fencepost.map"), "utf8");
  const wanted = [...map.matchAll(/^ *(fencepost_\w+);/gm)].map(([, name]) => name);
  assert.ok(wanted.length > 100);
  const useless = /_(set_wakeup|checkpoint|close)$/; // functions that call back into C or use a store
  assert.deepEqual(wanted.filter((name) => !exported.has(name) && !useless.test(name)), []);
});

test("the module has at most 2.1 MB, and 750 kB by gzip", () => {
  assert.ok(bytes.length <= 2_100_000, `${bytes.length} bytes`);
  const zipped = gzipSync(bytes, { level: 9 }).length;
  assert.ok(zipped <= 750_000, `${zipped} bytes by gzip`);
});

test("the package has the version of the header and of the module", async () => {
  const parts = ["MAJOR", "MINOR", "PATCH"].map((part) => new RegExp(`VERSION_${part} (\\d+)`).exec(header)[1]);
  assert.equal(described.version, parts.join("."));
  await fencepost.load();
  assert.equal(fencepost.version(), described.version);
});

test("npm pack makes the archive offline", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "pack-"));
  try {
    const words = ["pack", PACKAGE, "--json", "--offline", "--pack-destination", folder];
    const packed = spawnSync("npm", words, { encoding: "utf8", env: { ...process.env, npm_config_cache: folder } });
    if (packed.error?.code === "ENOENT") return context.skip("npm is not here");
    assert.equal(packed.status, 0, packed.stderr);
    const [{ files }] = JSON.parse(packed.stdout);
    const names = files.map(({ path }) => path).sort();
    for (const name of ["LICENSE", "README.md", "fencepost.d.ts", "fencepost.js", "fencepost.wasm", "lib/engine.js", "package.json"]) {
      assert.ok(names.includes(name), `${name} is in the archive: ${names}`);
    }
    assert.ok(names.every((name) => /^(lib\/\w+\.js|fencepost\.(js|d\.ts|wasm)|LICENSE|README\.md|package\.json)$/.test(name)), `${names}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the files that package.json names are there", () => {
  for (const name of described.files) assert.ok(existsSync(join(PACKAGE, name)), name);
  assert.ok(statSync(join(PACKAGE, "README.md")).size > 1000);
});

test("the type declarations name every export and every member", () => {
  const types = readFileSync(join(PACKAGE, "fencepost.d.ts"), "utf8");
  const bodyOf = (name) => new RegExp(`^export class ${name}\\b[^{]*\\{(.*?)^\\}|^export class ${name}\\b[^{]*\\{\\}`, "ms").exec(types);
  for (const [name, value] of Object.entries(fencepost)) {
    assert.match(types, new RegExp(`^export (function|class|const) ${name}\\b`, "m"));
    if (typeof value !== "function" || !/^class/.test(Function.prototype.toString.call(value))) continue;
    const body = bodyOf(name);
    assert.ok(body, name);
    if (value.prototype instanceof Error) continue;
    const members = new Set(Object.getOwnPropertyNames(value).filter((one) => !["length", "name", "prototype"].includes(one)));
    for (let of = value.prototype; of !== Object.prototype; of = Object.getPrototypeOf(of)) {
      for (const one of Object.getOwnPropertyNames(of)) members.add(one);
      if (name === "DeviceEvent") break;
    }
    for (const one of members) {
      if (["constructor", "engine", "place", "table"].includes(one)) continue;
      assert.match(body[1] ?? "", new RegExp(`\\b${one}\\b`), `${name}.${one}`);
    }
  }
});
