"""Runs the JavaScript package in headless Chromium, in a page and a worker: its events must equal those of the native
library."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from selenium import webdriver

# Feeds the drive to the package and returns the lines of its events; this code runs in pages and in workers.
DRIVE = """
async function drive() {
  const { load, Monitor } = await import(`${base}/package/fencepost.js`);
  await load();
  const text = async (name) => (await fetch(`${base}/data/${name}`)).text();
  const monitor = new Monitor();
  for (const { geometry, properties } of JSON.parse(await text("places.geojson")).features) {
    if (geometry?.type !== "Point") continue;
    const [longitude, latitude] = geometry.coordinates;
    const policy = typeof properties.policy === "string" ? properties.policy : "standard";
    const { identifier, radius, assuming } = properties;
    monitor.add(identifier, { latitude, longitude, radius }, { policy, ...(assuming && { assuming }) });
  }
  const rows = (await text("drive.csv")).trim().split("\\n").slice(1).map((line) => line.split(","));
  const column = (index) => Float64Array.from(rows, (row) => (index === 0 ? Date.parse(row[0]) : Number(row[index])));
  const times = column(0);
  let lines = "";
  const poll = () => { for (let more = monitor.pollLines(); more !== ""; more = monitor.pollLines()) lines += more; };
  monitor.feedMany({ latitudes: column(1), longitudes: column(2), accuracies: column(3), times });
  poll();
  monitor.advance(times.at(-1) + 3600000);
  poll();
  monitor.dispose();
  return lines;
}
"""

# Runs a WASI command that only writes output, and returns the digest and the lines of its output.
REPLAY = """
async function replay(words) {
  const bytes = await (await fetch(`${base}/wasm/replay.wasm`)).arrayBuffer();
  const encoded = ["replay", ...words].map((word) => new TextEncoder().encode(`${word}\\0`));
  const written = [];
  let memory;
  const view = () => new DataView(memory.buffer);
  const wasi = {
    args_sizes_get: (count, size) => {
      view().setUint32(count, encoded.length, true);
      view().setUint32(size, encoded.reduce((sum, one) => sum + one.length, 0), true);
      return 0;
    },
    args_get: (pointers, at) => {
      for (const one of encoded) {
        view().setUint32(pointers, at, true);
        new Uint8Array(memory.buffer).set(one, at);
        pointers += 4;
        at += one.length;
      }
      return 0;
    },
    fd_write: (file, vectors, count, size) => {
      let sum = 0;
      for (let index = 0; index < count; index++) {
        const start = view().getUint32(vectors + 8 * index, true);
        const length = view().getUint32(vectors + 8 * index + 4, true);
        written.push(new Uint8Array(memory.buffer.slice(start, start + length)));
        sum += length;
      }
      view().setUint32(size, sum, true);
      return 0;
    },
    fd_prestat_get: () => 8, proc_exit: (code) => { throw new Error(`exit ${code}`); },
  };
  const imports = new Proxy(wasi, { get: (known, name) => known[name] ?? (() => 52) });
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: imports });
  memory = instance.exports.memory;
  instance.exports._start();
  const all = new Uint8Array(await new Blob(written).arrayBuffer());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", all));
  const lines = all.filter((byte) => byte === 10).length;
  return [Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""), lines];
}
"""


def ask(browser: webdriver.Chrome, script: str, call: str) -> Any:
    """Calls an asynchronous function in a page, and returns its result."""
    kind, found = browser.execute_async_script(
        f"const done = arguments[arguments.length - 1]; const base = location.origin; {script}"
        f"{call}.then((it) => done(['value', it]), (error) => done(['error', String(error?.stack ?? error)]));"
    )
    assert kind == "value", found
    return found


@pytest.fixture(scope="session")
def expected(native: Callable[..., str]) -> str:
    return native("drive", "examples/data/drive.csv", "examples/data/places.geojson", "0")


def test_drive_in_a_page(browser: webdriver.Chrome, expected: str) -> None:
    assert expected.count("\n") > 10
    assert ask(browser, DRIVE, "drive()") == expected


def test_drive_in_a_worker(browser: webdriver.Chrome, expected: str) -> None:
    program = f"{DRIVE} drive().then((it) => postMessage(it), (error) => postMessage(String(error)));"
    script = f"""
    function inWorker() {{
      const source = `const base = "${{base}}"; ${{{program!r}}}`;
      const worker = new Worker(
        URL.createObjectURL(new Blob([source], {{ type: "text/javascript" }})), {{ type: "module" }});
      return new Promise((resolve, reject) => {{
        worker.onmessage = (event) => resolve(event.data);
        worker.onerror = (event) => reject(event.message);
      }});
    }}"""
    assert ask(browser, script, "inWorker()") == expected


@pytest.mark.parametrize("words", [("walk", "100000", "0"), ("shapes", "20000", "0"), ("paths", "20000", "0")])
def test_determinism_program(browser: webdriver.Chrome, native: Callable[..., str], words: tuple[str, ...]) -> None:
    expected = native(*words).encode()
    assert ask(browser, REPLAY, f"replay({list(words)!r})") == [
        hashlib.sha256(expected).hexdigest(),
        expected.count(b"\n"),
    ]
