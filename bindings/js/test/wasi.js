// node wasi.js ARGUMENT…: runs the determinism programs as a WASI command, over the files of the working directory.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WASI } from "node:wasi";

const file = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../../../.build/wasm/replay.wasm");
const wasi = new WASI({ version: "preview1", args: ["replay", ...process.argv.slice(2)], preopens: { ".": process.cwd() } });
const module = new WebAssembly.Module(readFileSync(file));
process.exitCode = wasi.start(new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport })) ?? 0;
