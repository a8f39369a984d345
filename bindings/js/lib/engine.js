// Contains the WebAssembly module (one instance per page, worker or process), its memory, and the conversion of
// failures to errors.

import {
  DisposedError, EngineLostError, InvalidArgumentError, NotLoadedError, OutOfMemoryError, errorOf,
} from "./errors.js";
import { ERROR, EVENT, FIX } from "./layout.js";

const SCRATCH = 1 << 16;
const MOST_MEMORY = 2 ** 32;
/** Additional memory, in bytes, that a call may need because tables double in size. If less memory than this is free,
    the call is refused. */
const RESERVE = 1 << 26;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Returns an unpredictable seed for hash tables, so that nobody can choose keys that collide. */
function seed() {
  if (globalThis.crypto?.getRandomValues) return globalThis.crypto.getRandomValues(new BigUint64Array(1))[0];
  return BigInt(Math.floor(Math.random() * 2 ** 53)) ^ (BigInt(Date.now()) << 20n);
}

/** An instance of the module. */
export class Engine {
  constructor(instance, limit) {
    this.x = instance.exports;
    this.limit = limit;
    this.reserve = Math.min(RESERVE, limit / 8);
    // Caches the two functions that are called for each fix: looking them up among two hundred exports takes longer
    // than calling them.
    this.feedFix = this.x.fencepost_monitor_feed_fix;
    this.pollEvent = this.x.fencepost_monitor_poll_event;
    /** The reason why no more calls are possible. */
    this.lost = null;
    this.refresh();
    this.x.fencepost_js_seed(seed());
    this.x._initialize();
    this.error = this.allocate(ERROR.size);
    this.fix = this.allocate(FIX.size);
    this.event = this.allocate(EVENT.size + 64);
    this.flag = this.allocate(8);
    this.scratch = this.allocate(SCRATCH);
    this.top = this.scratch;
    this.view.setUint32(this.error, ERROR.size, true);
  }

  /** Refreshes the views of the memory, because the memory moves when it grows. */
  refresh() {
    const { buffer } = this.x.memory;
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
  }

  /** The current memory of the module, as bytes. */
  get memory() {
    if (this.bytes.length === 0) this.refresh();
    return this.bytes;
  }

  /** The current memory of the module, as a DataView for reading and writing numbers. */
  get numbers() {
    if (this.bytes.length === 0) this.refresh();
    return this.view;
  }

  // ---------------------------------------------------------------------------------------------- memory

  /** Allocates memory, which stays valid until `release`. The memory is not zeroed. */
  allocate(size) {
    const place = this.used + size <= this.limit ? this.x.fencepost_js_allocate(size) >>> 0 : 0;
    if (place === 0) this.refuse(size);
    if (this.bytes.length === 0) this.refresh();
    return place;
  }

  release(place) {
    if (place !== 0 && this.lost === null) this.x.fencepost_js_release(place);
  }

  /** Makes sure that a call which may need this many bytes does not run out of memory. */
  room(bytes) {
    const needed = bytes + this.reserve;
    if (this.bytes.length === 0) this.refresh();
    if (this.bytes.length + needed <= this.limit) return;
    if (this.used + needed > this.limit) this.refuse(bytes);
    // Near the memory limit of WebAssembly, the free memory may be fragmented.
    if (this.bytes.length + needed > MOST_MEMORY) this.release(this.allocate(needed));
  }

  /** The number of bytes in use. */
  get used() {
    return this.x.fencepost_js_used() >>> 0;
  }

  refuse(bytes) {
    throw new OutOfMemoryError(
      `no memory for ${bytes} bytes: ${this.used} bytes are in use, a call needs up to ${this.reserve} bytes more, `
        + `and the limit is ${this.limit} bytes. Dispose of objects, or use smaller batches`,
    );
  }

  /** Calls `body(take)`. `take(size)` returns memory, aligned to 8 bytes, which is released after `body`. */
  within(body) {
    const mark = this.top;
    const large = [];
    const take = (size) => {
      const next = this.top + ((size + 7) & ~7);
      if (size < SCRATCH && next <= this.scratch + SCRATCH) {
        const place = this.top;
        this.top = next;
        return place;
      }
      const place = this.allocate(size);
      large.push(place);
      return place;
    };
    try {
      return body(take);
    } finally {
      this.top = mark;
      for (const place of large) this.release(place);
    }
  }

  // ----------------------------------------------------------------------------------------------- calls

  /** Throws if no call is possible. */
  check() {
    if (this.lost !== null) throw this.lost;
  }

  /**
   * Calls a function of the header whose last parameter is the error. Returns the function's status if it is among
   * `expected`.
   */
  call(name, ...values) {
    this.check();
    let status;
    try {
      status = this.x[name](...values, this.error);
    } catch (trap) {
      throw this.lose(trap);
    }
    if (status !== 0) throw this.failure(status);
  }

  /** Calls a function of the C header that cannot fail. */
  plain(name, ...values) {
    this.check();
    try {
      return this.x[name](...values);
    } catch (trap) {
      throw this.lose(trap);
    }
  }

  /** Calls a function; returns false, instead of throwing, if the status is "buffer too small". */
  fits(name, ...values) {
    this.check();
    let status;
    try {
      status = this.x[name](...values, this.error);
    } catch (trap) {
      throw this.lose(trap);
    }
    if (status === 3) return false;
    if (status !== 0) throw this.failure(status);
    return true;
  }

  /** The error of a status, with the engine's message. */
  failure(status) {
    const message = this.text(this.error + ERROR.message);
    const position = Number(this.numbers.getBigUint64(this.error + ERROR.position, true));
    return errorOf(status, this.text(this.x.fencepost_status_name(status)), message, position);
  }

  /** Handles a call that ended before it was complete: the state that it left behind is unknown, so no more calls are
      made. */
  lose(trap) {
    if (!(trap instanceof WebAssembly.RuntimeError || trap instanceof RangeError)) return trap;
    let reason = "a defect in the engine";
    try {
      if (this.x.fencepost_js_is_out_of_memory()) reason = "the host did not provide memory";
    } catch {
      // If this check fails too, the reason for the failure remains unknown.
    }
    this.lost = new EngineLostError(
      `the engine stopped during a call (${reason}); await load() and create the objects again, empty or from snapshots`,
      trap,
    );
    return this.lost;
  }

  // ------------------------------------------------------------------------------------------------ text

  /** Reads a terminated text. */
  text(place) {
    const memory = this.memory;
    let end = place;
    while (memory[end] !== 0) end++;
    return this.decode(place, end - place);
  }

  decode(place, length) {
    const memory = this.memory;
    if (length < 24) {
      let text = "";
      let at = place;
      for (; at < place + length && memory[at] < 128; at++) text += String.fromCharCode(memory[at]);
      if (at === place + length) return text;
    }
    return decoder.decode(memory.slice(place, place + length));
  }

  /** Reads texts that are each followed by a zero byte. */
  texts(place, size) {
    return size === 0 ? [] : this.decode(place, size - 1).split("\0");
  }

  /** Writes a text of at most 256 bytes, terminated, and returns its address. */
  put(take, text, name) {
    checkText(text, name);
    const place = take(3 * text.length + 1);
    const { written } = encoder.encodeInto(text, this.memory.subarray(place, place + 3 * text.length));
    this.memory[place + written] = 0;
    return place;
  }

  /** Writes many texts and an array of pointers to them, and returns the address of the array. */
  putAll(take, texts, name) {
    const pointers = take(4 * texts.length + 4);
    let size = 0;
    texts.forEach((text, row) => {
      checkText(text, name, row);
      size += 3 * text.length + 1;
    });
    let at = take(size + 1);
    const memory = this.memory;
    const numbers = this.numbers;
    texts.forEach((text, row) => {
      numbers.setUint32(pointers + 4 * row, at, true);
      at += encoder.encodeInto(text, memory.subarray(at, at + 3 * text.length)).written;
      memory[at++] = 0;
    });
    return pointers;
  }

  /**
   * Returns a result whose size is not known in advance. Calls `ask(buffer, capacity, outSize)` again with a larger
   * buffer until `ask` returns true.
   */
  answer(width, ask, read) {
    return this.within((take) => {
      const size = take(8);
      let capacity = 4096;
      for (;;) {
        const buffer = take(capacity * width);
        if (ask(buffer, capacity, size)) return read(buffer, this.numbers.getUint32(size, true));
        capacity = this.numbers.getUint32(size, true);
      }
    });
  }
}

function checkText(text, name, row) {
  const where = row === undefined ? name : `${name}[${row}]`;
  const position = { position: row ?? 0 };
  if (typeof text !== "string") throw new InvalidArgumentError(`${where} is not a string`, position);
  if (text.length === 0) throw new InvalidArgumentError(`${where} is empty; must have 1 to 256 bytes of UTF-8`, position);
  if (text.length > 256) {
    throw new InvalidArgumentError(`${where} is longer than 256 bytes of UTF-8`, position);
  }
  if (text.includes("\0")) throw new InvalidArgumentError(`${where} holds a zero character`, position);
  if (/[\ud800-\udfff]/u.test(text)) {
    throw new InvalidArgumentError(`${where} contains a lone surrogate, which is not valid Unicode`, position);
  }
}

// -------------------------------------------------------------------------------------------------- loading

let current = null;
let loading = null;
let compiled = null;

/** Returns the engine in which new objects are created. */
export function engine() {
  if (current === null) throw new NotLoadedError("the engine is not loaded: await load() first");
  current.check();
  return current;
}

/**
 * Compiles the WebAssembly module and creates the engine. Call this function once before creating objects; later calls
 * do nothing. If the engine was lost, a later call creates a new engine.
 *
 * @param source The module: bytes, a compiled `WebAssembly.Module`, a `Response`, or a URL. Default: `fencepost.wasm`
 *   beside this package.
 * @param options.memoryLimit The memory limit in bytes, 16 MiB to 4 GiB; calls that need more memory throw
 * OutOfMemoryError. Default: 4 GiB.
 */
export async function load(source, options = {}) {
  const limit = options?.memoryLimit ?? MOST_MEMORY;
  if (typeof limit !== "number" || !(limit >= 2 ** 24 && limit <= MOST_MEMORY)) {
    throw new InvalidArgumentError(`memoryLimit is ${String(limit)}; must be from 16777216 to 4294967296 bytes`);
  }
  if (current !== null && current.lost === null) return;
  loading ??= begin(source, limit).finally(() => {
    loading = null;
  });
  await loading;
}

async function begin(source, limit) {
  let module;
  try {
    module = await compile(source);
    current = new Engine(await WebAssembly.instantiate(module, {}), limit);
  } catch (cause) {
    throw new NotLoadedError(`the WebAssembly module cannot be used: ${cause?.message ?? cause}`, { cause });
  }
  compiled = module;
}

async function compile(source) {
  if (source === undefined && compiled !== null) return compiled;
  const given = await (source ?? new URL("../fencepost.wasm", import.meta.url));
  if (given instanceof WebAssembly.Module) return given;
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return WebAssembly.compile(given);
  if (typeof Response !== "undefined" && given instanceof Response) return ofResponse(given);
  const url = given instanceof URL ? given : new URL(given, globalThis.location?.href);
  if (url.protocol === "file:" && globalThis.process?.versions?.node) {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  return ofResponse(await fetch(url));
}

async function ofResponse(response) {
  if (!response.ok) throw new Error(`${response.url} answered with HTTP status ${response.status}`);
  // Streaming compilation would fail if a server does not know the media type.
  return WebAssembly.compile(await response.arrayBuffer());
}

// -------------------------------------------------------------------------------------------------- handles

const forgotten = new FinalizationRegistry(({ owner, owned }) => release(owner, owned));

function release(owner, owned) {
  if (owner.lost === null) for (const [destroy, place] of owned) owner.plain(destroy, place);
}

/** An object of the engine: freed by `dispose()`, or some time after it became unreachable. */
export class Handle {
  #owner;
  #place;
  #owned;

  /** @param references Pairs of a function that releases a reference of the object, and the address of the reference. */
  constructor(owner, place, destroy, references = []) {
    this.#owner = owner;
    this.#place = place;
    this.#owned = [...references, [destroy, place]];
    forgotten.register(this, { owner, owned: this.#owned }, this);
  }

  /** @internal The engine, if the object can be used. */
  get engine() {
    if (this.#place === 0) throw new DisposedError(`this ${this.constructor.name} was disposed`);
    if (this.#owner.lost !== null) throw this.#owner.lost;
    return this.#owner;
  }

  /** @internal Its address. Read the address after all arguments of a call, because a getter of an argument may dispose
      of the object. */
  get place() {
    if (this.#place === 0) throw new DisposedError(`this ${this.constructor.name} was disposed`);
    return this.#place;
  }

  /** Frees the memory. Every later call throws DisposedError; a second `dispose()` does nothing. */
  dispose() {
    if (this.#place === 0) return;
    this.#place = 0;
    forgotten.unregister(this);
    release(this.#owner, this.#owned);
  }

  /** True if `dispose()` was called. */
  get isDisposed() {
    return this.#place === 0;
  }
}

// Hosts without explicit resource management do not define `Symbol.dispose`. On hosts without `Symbol.dispose`,
// compilers implement `using` with the registered symbol.
Object.defineProperty(Handle.prototype, Symbol.dispose ?? Symbol.for("Symbol.dispose"), {
  value() {
    this.dispose();
  },
});
