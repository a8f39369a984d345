// Converts times, names and columns between JavaScript and the engine.

import { InvalidArgumentError } from "./errors.js";

export const UNSET = -(2n ** 63n);

export const STATES = ["unknown", "satisfied", "unsatisfied", "unmonitored"];
export const CAUSES = ["none", "determination", "crossing", "timeout", "diagnostic", "repeat"];
export const DIAGNOSTICS = [
  "authorization_denied", "authorization_denied_globally", "authorization_restricted", "insufficiently_in_use",
  "accuracy_limited", "condition_unsupported", "condition_limit_exceeded", "persistence_unavailable",
  "service_session_required", "authorization_request_in_progress", "inactive", "schedule_ended", "exhausted",
];
export const REASONS = [
  "", "unmonitored", "suspended", "scanner_off", "no_fix_yet", "too_coarse", "dwelling", "within_margin", "inside",
  "outside", "not_seen_yet", "seen", "absent", "uncertain", "inactive", "no_height", "parts",
];
export const KINDS = ["", "circle", "beacon", "polygon", "corridor", "line", "rule"];
/** The forms of rules; the index is the number in fencepost.h. */
export const FORMS = ["atLeast", "all", "any", "none"];
export const EDGES = ["geodesic", "planar"];

/** Formats any value for a message. */
export function shown(value) {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  return String(value);
}

/** Accepts any number, including NaN and infinities: the engine checks the range. */
export function number(value, name) {
  if (typeof value !== "number") throw new InvalidArgumentError(`${name} is ${shown(value)}; must be a number`);
  return value;
}

/** Checks that a value is an integer in a range. */
export function integer(value, name, least, most) {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new InvalidArgumentError(`${name} is ${shown(value)}; must be a whole number from ${least} to ${most}`);
  }
  return value;
}

/** Checks that a value is a boolean. */
export function truth(value, name) {
  if (typeof value !== "boolean") throw new InvalidArgumentError(`${name} is ${shown(value)}; must be true or false`);
  return value;
}

/** Returns the index of a name in a list of names; throws an error if the list does not contain the name. */
export function chosen(value, name, names) {
  const index = typeof value === "string" && value !== "" ? names.indexOf(value) : -1;
  if (index < 0) {
    throw new InvalidArgumentError(`${name} is ${shown(value)}; must be one of ${names.filter((one) => one).join(", ")}`);
  }
  return index;
}

/** Combines the flag bits for a list of names into one number. */
export function flags(value, name, names) {
  if (!Array.isArray(value)) throw new InvalidArgumentError(`${name} is ${shown(value)}; must be an array of names`);
  return value.reduce((bits, one) => bits | (1 << chosen(one, `an element of ${name}`, names)), 0);
}

/** Checks that an object has only members with the given names. */
export function members(value, name, known) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new InvalidArgumentError(`${name} is ${shown(value)}; must be an object`);
  }
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw new InvalidArgumentError(`${name} has an unknown member ${shown(key)}; must be one of ${known.join(", ")}`);
    }
  }
  return value;
}

/** An unsigned 64-bit number as a BigInt. */
export function unsigned(value, name) {
  if (typeof value === "bigint" && value >= 0n && value < 2n ** 64n) return value;
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw new InvalidArgumentError(`${name} is ${shown(value)}; must be a whole number from 0 to 2^64 - 1`);
}

/** Seconds as microseconds. */
export function duration(seconds, name) {
  const scaled = Math.round(number(seconds, name) * 1e6);
  if (!Number.isSafeInteger(scaled)) {
    throw new InvalidArgumentError(`${name} is ${seconds}; must be from 0 to 1000000000 seconds`);
  }
  return BigInt(scaled);
}

// ------------------------------------------------------------------------------------------------------ times

/**
 * Converts a time to microseconds since 1970, UTC: from a Date, from milliseconds with fractions to the microsecond, or
 * from microseconds as a BigInt.
 */
export function microseconds(time, name = "time") {
  if (typeof time === "bigint") {
    if (BigInt.asIntN(64, time) === time) return time;
  } else {
    const milliseconds = time instanceof Date ? time.getTime() : time;
    if (typeof milliseconds === "number" && Math.abs(milliseconds) < 1e15) {
      const scaled = Math.round(milliseconds * 1000);
      if (Number.isSafeInteger(scaled)) return BigInt(scaled);
      const whole = Math.floor(milliseconds);
      return BigInt(whole) * 1000n + BigInt(Math.round((milliseconds - whole) * 1000));
    }
  }
  throw new InvalidArgumentError(
    `${name} is ${time instanceof Date ? "an invalid Date" : shown(time)}; must be a Date, milliseconds since 1970 as a `
      + "number, or microseconds as a BigInt, in the years 1 to 9999",
  );
}

/** Writes a time. Avoids a BigInt for most times, because creating a BigInt would take as long as feeding a fix. */
export function putTime(numbers, place, time) {
  if (typeof time === "number") {
    const scaled = Math.round(time * 1000);
    if (Number.isSafeInteger(scaled)) {
      numbers.setUint32(place, scaled >>> 0, true);
      numbers.setInt32(place + 4, Math.floor(scaled / 4294967296), true);
      return;
    }
  }
  numbers.setBigInt64(place, microseconds(time), true);
}

/** A time, or null. */
export function timeOf(numbers, place) {
  const time = numbers.getBigInt64(place, true);
  return time === UNSET ? null : time;
}

/** Converts microseconds to a Date, which has only whole milliseconds; null stays null. */
export function dateOf(time) {
  return time === null ? null : new Date(Number(time / 1000n) - (time < 0n && time % 1000n !== 0n ? 1 : 0));
}

/** Returns a number, or null for NaN. */
export function numberOf(numbers, place) {
  const value = numbers.getFloat64(place, true);
  return Number.isNaN(value) ? null : value;
}

/** A count. */
export function countOf(numbers, place) {
  return Number(numbers.getBigUint64(place, true));
}

export function namesOf(bits, names) {
  return bits === 0 ? [] : names.filter((_, index) => (bits >> index) & 1);
}

// ------------------------------------------------------------------------------------------------------ UUIDs

/** The 16 bytes of a UUID in its 8-4-4-4-12 form. */
export function uuidBytes(text, name = "uuid") {
  if (typeof text !== "string" || !/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)) {
    throw new InvalidArgumentError(`${name} is ${shown(text)}; must be a UUID in its 8-4-4-4-12 form`);
  }
  return Uint8Array.from(text.replaceAll("-", "").match(/../g), (pair) => Number.parseInt(pair, 16));
}

export function uuidText(memory, place) {
  let text = "";
  for (let index = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
    text += memory[place + index].toString(16).padStart(2, "0");
  }
  return text;
}

// ---------------------------------------------------------------------------------------------------- columns

/** The elements of an array or another iterable of texts. */
export function listed(value, name) {
  if (typeof value === "string" || typeof value?.[Symbol.iterator] !== "function") {
    throw new InvalidArgumentError(`${name} is ${shown(value)}; must be an array of strings`);
  }
  return Array.from(value);
}

/** Refuses a typed array whose buffer was transferred or became too short: the array looks empty, but it has no elements
 * to read, so its methods throw an error. */
export function refuseDetached(array, name) {
  if (array.length > 0) return;
  try {
    array.at(0);
  } catch {
    throw new InvalidArgumentError(`${name} has lost its buffer, which was transferred or made shorter; pass a copy`);
  }
}

/** The number of elements of a column. */
export function lengthOf(column, name) {
  if (!Array.isArray(column) && !(ArrayBuffer.isView(column) && !(column instanceof DataView))) {
    throw new InvalidArgumentError(`${name} is ${shown(column)}; must be an array or a typed array`);
  }
  if (!Array.isArray(column)) refuseDetached(column, name);
  return column.length;
}

/** Checks that all columns have the same length as the first. */
export function sameLength(columns) {
  const [[first, column], ...rest] = Object.entries(columns);
  const count = lengthOf(column, first);
  for (const [name, other] of rest) {
    if (other !== undefined && lengthOf(other, name) !== count) {
      throw new InvalidArgumentError(`${name} has ${other.length} elements, but ${first} has ${count}`);
    }
  }
  return count;
}

/** Copies rows of numbers into the engine's memory. */
export function putNumbers(engine, place, column, start, end, name) {
  const target = new Float64Array(engine.memory.buffer, place, end - start);
  if (ArrayBuffer.isView(column) && !(column instanceof BigInt64Array) && !(column instanceof BigUint64Array)) {
    target.set(start === 0 && end === column.length ? column : column.subarray(start, end));
    return;
  }
  for (let row = start; row < end; row++) {
    if (typeof column[row] !== "number") {
      throw new InvalidArgumentError(`${name}[${row}] is ${shown(column[row])}; must be a number`, { position: row });
    }
    target[row - start] = column[row];
  }
}

/**
 * Copies rows of times: microseconds from a BigInt64Array, milliseconds from another typed array, or an array of
 * BigInts, numbers or Dates.
 */
export function putTimes(engine, place, column, start, end, name) {
  if (column instanceof BigInt64Array) {
    new BigInt64Array(engine.memory.buffer, place, end - start).set(
      start === 0 && end === column.length ? column : column.subarray(start, end),
    );
    return;
  }
  const isTyped = ArrayBuffer.isView(column);
  if (isTyped && !(column instanceof Float64Array)) {
    throw new InvalidArgumentError(
      `${name} is a ${column.constructor.name}; must be a BigInt64Array of microseconds, a Float64Array of milliseconds, `
        + "or an array of times",
    );
  }
  const halves = new Int32Array(engine.memory.buffer, place, 2 * (end - start));
  for (let row = start, at = 0; row < end; row++, at += 2) {
    let time = column[row];
    if (!isTyped && typeof time !== "number") {
      time = microseconds(time, `${name}[${row}]`);
      halves[at] = Number(BigInt.asIntN(32, time));
      halves[at + 1] = Number(BigInt.asIntN(32, time >> 32n));
      continue;
    }
    const scaled = Math.round(time * 1000);
    if (Number.isSafeInteger(scaled)) {
      halves[at] = scaled | 0;
      halves[at + 1] = Math.floor(scaled / 4294967296);
    } else {
      // NaN and numbers out of range become a time that makes the row invalid.
      const exact = Math.abs(time) < 1e15 ? microseconds(time) : 2n ** 63n - 1n;
      halves[at] = Number(BigInt.asIntN(32, exact));
      halves[at + 1] = Number(BigInt.asIntN(32, exact >> 32n));
    }
  }
}
