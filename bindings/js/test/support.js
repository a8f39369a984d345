// The paths of the outputs of `make wasm` and of the C library's build.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
export const PACKAGE = join(ROOT, ".build", "js");
export const WASM = join(PACKAGE, "fencepost.wasm");

/** Runs a program in the root folder and returns its output. */
export function run(command, ...words) {
  return execFileSync(command, words, { cwd: ROOT, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "inherit"] });
}

/** Builds the determinism program with the C library of this machine, and returns its path. */
export function nativeReplay() {
  const folder = join(ROOT, ".build", "wasm");
  mkdirSync(folder, { recursive: true });
  const library = readdirSync(join(ROOT, ".build", "lib")).find((name) => /^libfencepost\.so\./.test(name));
  const program = join(folder, "replay");
  run(
    "cc", "-O1", "-ffp-contract=off", "-Iinclude", "-o", program, "Tests/Determinism/replay.c", `.build/lib/${library}`,
    `-Wl,-rpath,${join(ROOT, ".build", "lib")}`,
  );
  return program;
}

/** The fixes of the drive in examples/data, as columns. */
export function driveOf(text) {
  const rows = text.trim().split("\n").slice(1).map((line) => line.split(","));
  return {
    latitudes: Float64Array.from(rows, (row) => Number(row[1])),
    longitudes: Float64Array.from(rows, (row) => Number(row[2])),
    accuracies: Float64Array.from(rows, (row) => Number(row[3])),
    times: Float64Array.from(rows, (row) => Date.parse(row[0])),
  };
}
