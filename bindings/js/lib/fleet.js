// A fleet tracks very many devices over one table of zones.

import { conditionStates, restored, snapshotOf } from "./holder.js";
import { Handle, engine as loaded } from "./engine.js";
import { InvalidArgumentError, NoSuchDeviceError } from "./errors.js";
import { DeviceEvent } from "./events.js";
import { HEIGHT_NAMES, explanationOf, feedColumns, hasMore, putFix, putOneFix, putSightings } from "./inputs.js";
import {
  DEVICE_STATISTICS, EVENT, FLEET_COLUMNS, FLEET_COUNTERS, OPTIONS as LAYOUT,
} from "./layout.js";
import { hostBits, putOptions } from "./monitor.js";
import { STATES, countOf, integer, listed, members, microseconds, refuseDetached, shown, timeOf, truth } from "./values.js";
import { AdoptedZones, Zones } from "./zones.js";

const NO_DEVICE = 0n;
const ALL_DEVICES = 0xffffffffffffffffn;
const SATISFIED = 1;
const EXPIRY_INPUT = 0;
const EXPIRY_ARRIVAL = 1;
const BATCH = 256;
const OPTIONS = [
  "delivery", "maxPendingEvents", "deviceLimit", "beaconExitTimeout", "beaconInitialTimeout", "maxTimeStep",
  "plausibleSpeed", "corroborationCount", "corroborationTime",
  "accuracyConfidence", "order",
];

function putFleetOptions(engine, take, zones, options) {
  const place = putOptions(engine, take, options);
  const to = engine.numbers;
  to.setUint32(place + LAYOUT.conditions, zones.place, true);
  to.setBigInt64(place + LAYOUT.initial_fix_max_age_us, -1n, true);
  const limit = options.deviceLimit ?? null;
  const devices = limit === null ? 0 : integer(limit, "deviceLimit", 1, 67108863);
  to.setBigUint64(place + LAYOUT.device_limit, BigInt(devices), true);
  return place;
}

/** Follows many devices. The type declarations describe all members. */
export class Fleet extends Handle {
  /** The numbers of devices that were already looked up; cleared when a device is removed. */
  #numbers = new Map();

  /**
   * @param {Zones} zones
   * @param {object} [options] See FleetOptions.
   */
  constructor(zones, options = {}) {
    if (zones instanceof AdoptedFleet) {
      super(zones.engine, zones.place, "fencepost_fleet_destroy");
      return;
    }
    if (!(zones instanceof Zones)) throw new InvalidArgumentError(`zones is ${shown(zones)}; must be a Zones object`);
    const { engine } = zones;
    members(options, "options", OPTIONS);
    engine.room(0);
    const place = engine.within((take) => {
      engine.call("fencepost_fleet_create", putFleetOptions(engine, take, zones, options), engine.flag);
      return engine.numbers.getUint32(engine.flag, true);
    });
    super(engine, place, "fencepost_fleet_destroy");
  }

  /**
   * A fleet from a snapshot.
   *
   * @param {Uint8Array} snapshot
   * @param {Zones} [zones] The table to use. Without this argument, the fleet gets its own table, `fleet.zones`.
   */
  static restore(snapshot, zones) {
    if (zones !== undefined && !(zones instanceof Zones)) {
      throw new InvalidArgumentError(`zones is ${shown(zones)}; must be a Zones object`);
    }
    const engine = zones?.engine ?? loaded();
    return new Fleet(new AdoptedFleet(engine, restored(engine, "fencepost_fleet_restore", snapshot, zones)));
  }

  /** Returns a new `Zones` object for the fleet's table. */
  get zones() {
    const { engine } = this;
    engine.call("fencepost_fleet_conditions", this.place, engine.flag);
    return new Zones(new AdoptedZones(engine, engine.numbers.getUint32(engine.flag, true)));
  }

  // ----------------------------------------------------------------------------------------------- devices

  /** The numbers of devices by their identifiers; devices that do not exist are created. */
  enter(identifiers) {
    this.engine.check();
    return this.#look(listed(identifiers, "identifiers"), 1);
  }

  /** Whether a device exists. */
  has(identifier) {
    return this.#look([identifier], 0)[0] !== NO_DEVICE;
  }

  #look(identifiers, create) {
    const { engine } = this;
    if (create) engine.room(1024 * identifiers.length);
    return engine.within((take) => {
      const texts = engine.putAll(take, identifiers, "identifiers");
      const place = take(8 * identifiers.length);
      engine.call("fencepost_fleet_enter_devices", this.place, texts, identifiers.length, create, place);
      return new BigUint64Array(engine.memory.buffer, place, identifiers.length).slice();
    });
  }

  /** The number of an existing or new device. */
  #number(identifier, create) {
    const known = this.#numbers.get(identifier);
    if (known !== undefined) return known;
    const [number] = this.#look([identifier], create ? 1 : 0);
    if (number === NO_DEVICE) {
      throw new NoSuchDeviceError(`there is no device ${shown(identifier)}`, { status: "no_such_device", code: 41 });
    }
    if (this.#numbers.size > 100_000) this.#numbers.clear();
    this.#numbers.set(identifier, number);
    return number;
  }

  #identifier(number) {
    const { engine } = this;
    return engine.within((take) => {
      const buffer = take(264);
      engine.call("fencepost_fleet_device_identifier", this.place, number, buffer, 264, engine.flag);
      return engine.decode(buffer, engine.numbers.getUint32(engine.flag, true));
    });
  }

  #numberList() {
    const { engine } = this;
    return engine.answer(
      8,
      (buffer, capacity, size) => engine.fits("fencepost_fleet_list_devices", this.place, buffer, capacity, size),
      (buffer, size) => new BigUint64Array(engine.memory.buffer, buffer, size).slice(),
    );
  }

  /** The identifiers of all devices, in the order of their numbers. */
  get devices() {
    return Array.from(this.#numberList(), (number) => this.#identifier(number));
  }

  /** Removes a device. Returns true if the device existed. */
  remove(identifier, options = {}) {
    const { engine } = this;
    const { dropEvents = false } = members(options, "options", ["dropEvents"]);
    if (!this.has(identifier)) return false;
    const drops = truth(dropEvents, "dropEvents") ? 1 : 0;
    const number = this.#number(identifier, false);
    engine.numbers.setBigUint64(engine.flag, number, true);
    engine.call("fencepost_fleet_remove_devices", this.place, engine.flag, 1, drops);
    this.#numbers.clear();
    return true;
  }

  /** Removes the devices that have had inputs, but none at or after a given time. Returns their identifiers. */
  expire(before) {
    return this.#expire(EXPIRY_INPUT, before);
  }

  /**
   * Removes the devices whose last input arrived before a given time; arrival times are set by `setArrivalTime`.
   * Returns their identifiers.
   */
  expireByArrival(before) {
    return this.#expire(EXPIRY_ARRIVAL, before);
  }

  #expire(expiry, before) {
    const { engine } = this;
    const time = microseconds(before, "before");
    // The identifier of a removed device is available until its number is reused.
    const numbers = engine.within((take) => {
      const capacity = this.#numberList().length;
      const place = take(8 * capacity);
      if (capacity === 0) {
        engine.call("fencepost_fleet_expire_devices", this.place, expiry, time, 0, 0, engine.flag);
        return [];
      }
      engine.call("fencepost_fleet_expire_devices", this.place, expiry, time, place, capacity, engine.flag);
      return new BigUint64Array(engine.memory.buffer, place, engine.numbers.getUint32(engine.flag, true)).slice();
    });
    this.#numbers.clear();
    return Array.from(numbers, (number) => this.#identifier(number));
  }

  /** The positions of devices, rounded to a ten-millionth of a degree; NaN for a device without a fix. */
  positions(identifiers) {
    const { engine } = this;
    const numbers = listed(identifiers, "identifiers").map((identifier) => this.#number(identifier, false));
    return engine.within((take) => {
      const count = numbers.length;
      const [devices, north, east] = [take(8 * count), take(8 * count), take(8 * count)];
      new BigUint64Array(engine.memory.buffer, devices, count).set(numbers);
      engine.call("fencepost_fleet_device_positions", this.place, devices, count, north, east);
      const { buffer } = engine.memory;
      return {
        latitudes: new Float64Array(buffer, north, count).slice(),
        longitudes: new Float64Array(buffer, east, count).slice(),
      };
    });
  }

  // ------------------------------------------------------------------------------------------------ inputs

  /** Sets the arrival time of the following inputs to a time that was read from the host's clock. */
  setArrivalTime(time) {
    const { engine } = this;
    const when = microseconds(time);
    engine.call("fencepost_fleet_set_arrival_time", this.place, when);
  }

  /** Feeds one fix of a device, which is created if it does not exist. */
  feed(device, fix) {
    const { engine } = this;
    engine.room(0);
    const number = this.#number(device, true);
    if (hasMore(fix)) {
      engine.within((take) => {
        const devices = take(8);
        const place = take(FLEET_COLUMNS.size);
        const fixes = putOneFix(engine, take, fix);
        const to = engine.numbers;
        engine.memory.fill(0, place, place + FLEET_COLUMNS.size);
        to.setBigUint64(devices, number, true);
        to.setUint32(place, FLEET_COLUMNS.size, true);
        to.setUint32(place + FLEET_COLUMNS.device_width, 8, true);
        to.setUint32(place + FLEET_COLUMNS.devices, devices, true);
        to.setUint32(place + FLEET_COLUMNS.fixes, fixes, true);
        engine.call("fencepost_fleet_feed_columns", this.place, place, 1, 0);
      });
      return;
    }
    const written = putFix(engine, fix);
    engine.call("fencepost_fleet_feed_fix", this.place, number, written);
  }

  /**
   * Feeds fixes of many devices from columns, in order. `devices` contains numbers (a BigUint64Array, from `enter`) or
   * identifiers. `firstRow` is the row number that events give for the first row of the columns.
   */
  feedMany(columns, options = {}) {
    const { engine } = this;
    members(columns, "columns", ["devices", "latitudes", "longitudes", "accuracies", "times", "errorEllipses", ...HEIGHT_NAMES]);
    const { firstRow = 0, ...rest } = members(options, "options", ["firstRow", "refuseInvalid"]);
    integer(firstRow, "firstRow", 0, 2147483647);
    const { devices, ...fixColumns } = columns;
    const numbers = devices instanceof BigUint64Array ? devices : this.#columnOf(devices);
    return feedColumns(engine, fixColumns, rest, { devices: numbers }, (take, fixes, start, rows, result) => {
      const column = take(8 * rows);
      const place = take(FLEET_COLUMNS.size);
      new BigUint64Array(engine.memory.buffer, column, rows).set(numbers.subarray(start, start + rows));
      engine.memory.fill(0, place, place + FLEET_COLUMNS.size);
      const to = engine.numbers;
      to.setUint32(place, FLEET_COLUMNS.size, true);
      to.setUint32(place + FLEET_COLUMNS.device_width, 8, true);
      to.setUint32(place + FLEET_COLUMNS.devices, column, true);
      to.setBigInt64(place + FLEET_COLUMNS.device_stride, 8n, true);
      to.setUint32(place + FLEET_COLUMNS.fixes, fixes, true);
      to.setBigUint64(place + FLEET_COLUMNS.first_row, BigInt(firstRow + start), true);
      engine.call("fencepost_fleet_feed_columns", this.place, place, rows, result);
    });
  }

  #columnOf(devices) {
    if (!Array.isArray(devices)) {
      throw new InvalidArgumentError(
        `devices is ${shown(devices)}; must be a BigUint64Array of numbers or an array of identifiers`,
      );
    }
    const known = Array.from(new Set(devices));
    const numbers = this.#look(known, 1);
    const of = new Map(known.map((identifier, index) => [identifier, numbers[index]]));
    return BigUint64Array.from(devices, (identifier) => of.get(identifier));
  }

  /** Feeds one scan report of a device. */
  feedSightings(device, sightings, time) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    engine.within((take) => {
      const place = putSightings(engine, take, sightings);
      engine.call("fencepost_fleet_feed_sightings", this.place, this.#number(device, true), place, sightings.length, when);
    });
  }

  /** Declares whether a device scans for beacons from a given time on. */
  setScanning(device, isScanning, time) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    const flag = truth(isScanning, "isScanning") ? 1 : 0;
    engine.call("fencepost_fleet_set_beacon_scanning", this.place, this.#number(device, true), flag, when);
  }

  /** Declares which host flags of a device are set, and which kinds of condition cannot be monitored for the device. */
  setHost(device, host, time) {
    const { engine } = this;
    const [bits, kinds] = hostBits(host);
    const when = microseconds(time);
    engine.room(0);
    engine.call("fencepost_fleet_set_host_capabilities", this.place, this.#number(device, true), bits, kinds, when);
  }

  /** Tells the fleet that time has passed: for one device, or for all devices if no device is passed. */
  advance(time, device) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    const number = device === undefined ? ALL_DEVICES : this.#number(device, true);
    engine.call("fencepost_fleet_advance", this.place, number, when, 0);
  }

  /** Advances all devices to a time that may be arbitrarily late: `maxTimeStep` does not apply. */
  forceAdvance(time) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    engine.call("fencepost_fleet_advance", this.place, ALL_DEVICES, when, 1);
  }

  /** Sets back the clock of one device or of all devices. */
  rewind(time, device) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    const number = device === undefined ? ALL_DEVICES : this.#number(device, false);
    engine.call("fencepost_fleet_rewind", this.place, number, when);
  }

  // ------------------------------------------------------------------------------------------------ events

  /** Returns the next event, or null, and commits the events that were delivered before. */
  poll() {
    return this.pollMany(1)[0] ?? null;
  }

  /** Returns up to `most` events (at most 256), and commits the events that were delivered before. */
  pollMany(most = BATCH) {
    const names = new Map();
    return this.#batch(most, (engine, place) => {
      return new DeviceEvent(engine, place, (number) => {
        if (!names.has(number)) names.set(number, this.#identifier(BigInt(number)));
        return names.get(number);
      });
    });
  }

  /** Returns up to `most` events as JSON Lines, byte for byte as in the engine's other bindings. */
  pollLines(most = BATCH) {
    const { engine } = this;
    const line = engine.allocate(8192 + 264);
    const name = line + 8192;
    try {
      return this.#batch(most, (_, place) => {
        const number = engine.numbers.getBigUint64(place + EVENT.device, true);
        engine.call("fencepost_fleet_device_identifier", this.place, number, name, 264, 0);
        engine.call("fencepost_event_json", place, name, line, 8192, 0);
        return `${engine.text(line)}\n`;
      }).join("");
    } finally {
      engine.release(line);
    }
  }

  #batch(most, read) {
    const { engine } = this;
    const capacity = Math.min(integer(most, "most", 1, 4294967295), BATCH);
    return engine.within((take) => {
      const events = take(EVENT.size * capacity);
      engine.call("fencepost_fleet_poll_events", this.place, events, capacity, engine.flag);
      const got = engine.numbers.getUint32(engine.flag, true);
      return Array.from({ length: got }, (_, index) => read(engine, events + EVENT.size * index));
    });
  }

  /** The pending events, one after another; each step of the loop commits the previous event. */
  *events() {
    for (let event = this.poll(); event !== null; event = this.poll()) yield event;
  }

  /** Commits the delivered events. */
  acknowledge() {
    this.engine.call("fencepost_fleet_acknowledge", this.place);
  }

  /** Returns the delivered, uncommitted events to the queue: they are delivered again. */
  abandon() {
    this.engine.call("fencepost_fleet_abandon", this.place);
  }

  // ----------------------------------------------------------------------------------------------- answers

  /** The observed state of a zone for a device. */
  state(device, identifier) {
    const { engine } = this;
    const number = this.#number(device, false);
    return engine.within((take) => {
      engine.call("fencepost_fleet_state", this.place, number, engine.put(take, identifier, "identifier"), engine.flag);
      return STATES[engine.numbers.getInt32(engine.flag, true)];
    });
  }

  /** Explains why a zone is in its state for a device. */
  explain(device, identifier) {
    const { engine } = this;
    const number = this.#number(device, false);
    return engine.within((take) => {
      const id = engine.put(take, identifier, "identifier");
      return explanationOf(engine, take, (place) => engine.call("fencepost_fleet_explain", this.place, number, id, place));
    });
  }

  /** The zones that a device is inside, and the beacons near it, in the order in which they were added. */
  inside(device) {
    const { engine } = this;
    const number = this.#number(device, false);
    return Array.from(
      conditionStates(engine, (...part) => {
        engine.call("fencepost_fleet_list_conditions", this.place, number, SATISFIED, ...part);
      }),
    );
  }

  /**
   * The earliest time at which something happens to any device even without any input: microseconds as a BigInt, or
   * null.
   */
  get nextDeadlineUs() {
    const { engine } = this;
    engine.call("fencepost_fleet_next_deadline", this.place, ALL_DEVICES, engine.flag);
    return timeOf(engine.numbers, engine.flag);
  }

  /** Counters of a device, or of the fleet. */
  statistics(device) {
    const { engine } = this;
    const layout = device === undefined ? FLEET_COUNTERS : DEVICE_STATISTICS;
    const number = device === undefined ? NO_DEVICE : this.#number(device, false);
    return engine.within((take) => {
      const place = take(layout.size);
      engine.numbers.setUint32(place, layout.size, true);
      if (device === undefined) engine.call("fencepost_fleet_statistics", this.place, place);
      else engine.call("fencepost_fleet_device_statistics", this.place, number, place);
      const from = engine.numbers;
      const common = {
        clockUs: timeOf(from, place + layout.clock_us),
        acceptedFixes: countOf(from, place + layout.accepted_fixes),
        invalidFixes: countOf(from, place + layout.invalid_fixes),
        doubtedFixes: countOf(from, place + layout.doubted_fixes),
        lateInputs: countOf(from, place + layout.late_inputs),
        aheadInputs: countOf(from, place + layout.ahead_inputs),
        acceptedSightings: countOf(from, place + layout.accepted_sightings),
        handedOutEvents: countOf(from, place + layout.handed_out_events),
      };
      if (device !== undefined) return { ...common, inputCount: countOf(from, place + layout.input_count) };
      return {
        ...common,
        pendingEvents: countOf(from, place + layout.pending_events),
        deviceCount: countOf(from, place + layout.device_count),
        zoneCount: countOf(from, place + layout.condition_count),
        deviceBytes: countOf(from, place + layout.device_bytes),
      };
    });
  }

  // ----------------------------------------------------------------------------------------------- moving

  /**
   * The state of a device as bytes; another fleet can load these bytes. If `portable` is true, tables of other versions
   * accept the bytes too.
   */
  exportDevice(device, options = {}) {
    const { engine } = this;
    const { portable = false } = members(options, "options", ["portable"]);
    const number = this.#number(device, false);
    const flag = truth(portable, "portable") ? 1 : 0;
    return engine.within((take) => {
      const place = take(8);
      engine.numbers.setBigUint64(place, number, true);
      return engine.answer(
        1,
        (buffer, capacity, size) =>
          engine.fits("fencepost_fleet_export_devices", this.place, place, 1, flag, buffer, capacity, 0, size),
        (buffer, size) => engine.memory.slice(buffer, buffer + size),
      );
    });
  }

  /** Adds a device that was exported. With `adapt`, a device that was exported with another version of the table is
      also accepted. */
  importDevice(device, bytes, options = {}) {
    const { engine } = this;
    const { adapt = false } = members(options, "options", ["adapt"]);
    if (!(bytes instanceof Uint8Array)) throw new InvalidArgumentError(`bytes is ${shown(bytes)}; must be a Uint8Array`);
    refuseDetached(bytes, "bytes");
    const flag = truth(adapt, "adapt") ? 1 : 0;
    engine.room(16 * bytes.length);
    engine.within((take) => {
      const ids = engine.putAll(take, [device], "device");
      const place = take(bytes.length);
      const offsets = take(16);
      engine.memory.set(bytes, place);
      engine.numbers.setBigUint64(offsets, 0n, true);
      engine.numbers.setBigUint64(offsets + 8, BigInt(bytes.length), true);
      engine.call("fencepost_fleet_import_devices", this.place, ids, place, offsets, 1, flag, 0);
    });
  }

  /** The whole fleet as bytes, which are the same on every platform. */
  snapshot() {
    return snapshotOf(this.engine, "fencepost_fleet_snapshot", this.place);
  }
}

/** Wraps a fleet that the engine has already created. */
class AdoptedFleet {
  constructor(engine, place) {
    this.engine = engine;
    this.place = place;
  }
}
