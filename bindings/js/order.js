// Reorders the functions of a WebAssembly module: similar functions become neighbours, so that gzip and Brotli find
// their common parts. The module's size stays almost the same, and its compressed size becomes about 5 % smaller.
//
//   node bindings/js/order.js MODULE
//
// build.sh calls this program for the result of wasm-opt. The program replaces the file.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const WINDOW = 32_000; // bytes; Deflate copies from the last 32 kB
const LENGTH = 3; // instructions of a sequence
const COMMON = 100; // A sequence in more functions than this says nothing about their similarity.
const SHORT = 200; // instructions; keeps very short functions from winning with one sequence
const IMPORT = 2, FUNCTION = 3, EXPORT = 7, START = 8, ELEMENT = 9, CODE = 10;

/** Reads the parts of a module. */
class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }
  get ended() {
    return this.at >= this.bytes.length;
  }
  byte() {
    return this.bytes[this.at++];
  }
  /** An unsigned LEB128 number of at most 32 bits. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }
  /** A number, and as many bytes. */
  block() {
    const length = this.number();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  skipNumbers(count) {
    for (; count > 0; count--) while (this.byte() > 127);
  }
  /** Skips an instruction and returns its code. Throws for instructions that the module's features do not include. */
  instruction() {
    const code = this.byte();
    if (code === 0x0e) this.skipNumbers(this.number() + 1);
    else if (code === 0x11 || (code >= 0x28 && code <= 0x3e)) this.skipNumbers(2);
    else if ((code >= 2 && code <= 4) || code === 0x0c || code === 0x0d || code === 0x10) this.skipNumbers(1);
    else if ((code >= 0x20 && code <= 0x24) || (code >= 0x3f && code <= 0x42)) this.skipNumbers(1);
    else if (code === 0x43) this.at += 4;
    else if (code === 0x44) this.at += 8;
    else if (code === 0xfc) {
      const rest = this.number();
      if (rest > 11) throw new Error(`order.js: instruction 0xfc ${rest} is unknown`);
      this.skipNumbers([0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1][rest]);
    } else if (!([0, 1, 5, 0x0b, 0x0f, 0x1a, 0x1b].includes(code) || (code >= 0x45 && code <= 0xc4))) {
      throw new Error(`order.js: instruction 0x${code.toString(16)} is unknown`);
    }
    return code;
  }
}

/** The bytes of an unsigned LEB128 number. */
function encoded(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value & 127) | 128);
  return [...bytes, value];
}

function joined(parts) {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Splits the body of a function into the declarations of its locals and its instructions: `[code, bytes]` each. */
function parsed(body) {
  const reader = new Reader(body);
  for (let count = reader.number(); count > 0; count--) {
    reader.number();
    reader.byte();
  }
  const head = body.subarray(0, reader.at);
  const instructions = [];
  while (!reader.ended) {
    const start = reader.at;
    instructions.push([reader.instruction(), body.subarray(start, reader.at)]);
  }
  return { head, instructions };
}

/**
 * Returns the order of the functions: starts with the largest function, and appends the function that has the largest
 * share of sequences in common with the last 32 kB.
 */
function similarityOrder(functions) {
  const numbers = new Map(); // of sequences, by their bytes
  const holders = []; // the functions that contain a sequence
  const sequences = functions.map(({ instructions }, index) => {
    const words = instructions.map(([, bytes]) => String.fromCharCode(...bytes));
    const found = new Set();
    for (let at = 0; at + LENGTH <= words.length; at++) {
      const text = words.slice(at, at + LENGTH).join("");
      let number = numbers.get(text);
      if (number === undefined) {
        number = holders.push([]) - 1;
        numbers.set(text, number);
      }
      if (found.has(number)) continue;
      found.add(number);
      holders[number].push(index);
    }
    return found;
  });
  const weights = sequences.map(({ size }) => 1 / (size + SHORT));
  const telling = sequences.map((found) =>
    [...found].filter((number) => holders[number].length > 1 && holders[number].length <= COMMON),
  );
  // The window often contains a frequent sequence anyway, so such a sequence weighs less.
  const worths = holders.map(({ length }) => Math.floor(1000 / Math.cbrt(length - 1)));
  const scores = new Int32Array(functions.length); // the worths of the sequences in common with the window
  const uses = new Int32Array(holders.length); // functions of the window that contain a sequence
  const left = new Set(functions.keys());
  const order = [];
  let [bytes, first] = [0, 0];
  let next = functions.reduce((best, { size }, index) => (size > functions[best].size ? index : best), 0);
  while (left.size > 0) {
    left.delete(next);
    order.push(next);
    bytes += functions[next].size;
    for (const number of telling[next]) {
      if (uses[number]++ === 0) for (const index of holders[number]) scores[index] += worths[number];
    }
    for (; bytes > WINDOW && first < order.length - 1; first++) {
      bytes -= functions[order[first]].size;
      for (const number of telling[order[first]]) {
        if (--uses[number] === 0) for (const index of holders[number]) scores[index] -= worths[number];
      }
    }
    let best = -1;
    for (const index of left) {
      const score = scores[index] * weights[index];
      if (score > best) [best, next] = [score, index];
    }
  }
  return order;
}

/** Returns the module with its functions in another order. The module has no names and uses no reference types. */
export function reordered(module, orderOf = similarityOrder) {
  const reader = new Reader(module, 8);
  const sections = [];
  while (!reader.ended) sections.push([reader.byte(), reader.block()]);
  if (sections.some(([kind]) => kind === 0)) throw new Error("order.js: the module has custom sections; strip it first");
  const section = (kind) => new Reader(sections.find(([other]) => other === kind)?.[1] ?? Uint8Array.of(0));

  let imported = 0;
  for (let imports = section(IMPORT), count = imports.number(); count > 0; count--) {
    imports.block();
    imports.block();
    const kind = imports.byte();
    if (kind !== 0) throw new Error(`order.js: the module imports something other than a function (${kind})`);
    imports.number();
    imported++;
  }
  const types = section(FUNCTION);
  const typeOf = Array.from({ length: types.number() }, () => types.number());
  const code = section(CODE);
  const functions = Array.from({ length: code.number() }, () => {
    const body = code.block();
    return { size: body.length, ...parsed(body) };
  });

  const order = orderOf(functions);
  const placeOf = new Map(order.map((index, place) => [imported + index, imported + place]));
  const moved = (index) => encoded(placeOf.get(index) ?? index);

  // Each function writes a section again, with the new numbers of its functions.
  const writers = {
    [FUNCTION]: () => [encoded(order.length), ...order.map((index) => encoded(typeOf[index]))],
    [CODE]: () => [
      encoded(order.length),
      ...order.flatMap((index) => {
        const { head, instructions } = functions[index];
        const parts = instructions.map(([operation, bytes]) =>
          operation === 0x10 ? [operation, ...moved(new Reader(bytes, 1).number())] : bytes,
        );
        const body = joined([head, ...parts]);
        return [encoded(body.length), body];
      }),
    ],
    [EXPORT]: (bytes) => {
      const exports = new Reader(bytes);
      const parts = [encoded(exports.number())];
      while (!exports.ended) {
        const name = exports.block();
        const kind = exports.byte();
        const index = exports.number();
        parts.push(encoded(name.length), name, [kind], kind === 0 ? moved(index) : encoded(index));
      }
      return parts;
    },
    [START]: (bytes) => [moved(new Reader(bytes).number())],
    [ELEMENT]: (bytes) => {
      const elements = new Reader(bytes);
      const parts = [encoded(elements.number())];
      while (!elements.ended) {
        const start = elements.at;
        if (elements.number() !== 0) throw new Error("order.js: an element segment is passive or has a table's number");
        while (elements.instruction() !== 0x0b);
        const count = elements.number();
        parts.push(bytes.subarray(start, elements.at));
        for (let index = 0; index < count; index++) parts.push(moved(elements.number()));
      }
      return parts;
    },
  };
  const parts = [module.subarray(0, 8)];
  for (const [kind, bytes] of sections) {
    const content = writers[kind] ? joined(writers[kind](bytes)) : bytes;
    parts.push([kind], encoded(content.length), content);
  }
  return joined(parts);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const file = process.argv[2];
  // Calls contain the numbers of functions, so the second order is that of the bytes that are compressed: up to 1.4 kB
  // smaller than the first.
  writeFileSync(file, reordered(reordered(readFileSync(file))));
}
