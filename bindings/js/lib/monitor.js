// A monitor tracks one device with its conditions and events.

import { Holder, conditionStates, restored } from "./holder.js";
import { engine as loaded } from "./engine.js";
import { InvalidArgumentError, NotFoundError } from "./errors.js";
import { Event } from "./events.js";
import { HEIGHT_NAMES, explanationOf, feedColumns, hasMore, putFix, putOneFix, putSightings } from "./inputs.js";
import { CONDITION, EVENT, OPTIONS as LAYOUT, RECORD, STATISTICS } from "./layout.js";
import {
  DIAGNOSTICS, KINDS, STATES, chosen, countOf, duration, flags, integer, members, microseconds, number, numberOf, shown, timeOf,
  truth, uuidText,
} from "./values.js";

const HOST_FLAGS = DIAGNOSTICS.map((name, bit) => (bit >= 5 && bit <= 7 ? "" : name));
const OPTIONS = [
  "name", "delivery", "conditionLimit", "maxPendingEvents", "initialFixMaxAge", "beaconExitTimeout", "beaconInitialTimeout",
  "maxTimeStep", "path", "maxGap", "maxSpeed", "plausibleSpeed", "corroborationCount", "corroborationTime",
  "accuracyConfidence", "order",
];
const BATCH = 256;
const ANY_STATE = -2;

const names = {
  lines: true,
  snapshot: "fencepost_monitor_snapshot",
};

/** Writes the options that monitors and fleets share into a fencepost_options; returns its place. */
export function putOptions(engine, take, options) {
  const place = take(LAYOUT.size);
  engine.memory.fill(0, place, place + LAYOUT.size);
  const to = engine.numbers;
  const seconds = (value, name, member) => to.setBigInt64(place + LAYOUT[member], duration(value, name), true);
  to.setUint32(place, LAYOUT.size, true);
  to.setInt32(place + LAYOUT.delivery, chosen(options.delivery ?? "every", "delivery", ["every", "first", "latest"]), true);
  const pending = integer(options.maxPendingEvents ?? 1_000_000, "maxPendingEvents", 0, Number.MAX_SAFE_INTEGER);
  to.setBigUint64(place + LAYOUT.max_pending_events, BigInt(pending), true);
  seconds(options.beaconExitTimeout ?? 30, "beaconExitTimeout", "beacon_exit_timeout_us");
  seconds(options.beaconInitialTimeout ?? 30, "beaconInitialTimeout", "beacon_initial_timeout_us");
  to.setBigInt64(place + LAYOUT.max_time_step_us, stepOf(options.maxTimeStep), true);
  to.setBigInt64(place + LAYOUT.checkpoint_interval_us, 60_000_000n, true);
  const speed = options.plausibleSpeed ?? null;
  if (speed !== null && !(number(speed, "plausibleSpeed") > 0)) {
    throw new InvalidArgumentError(`plausibleSpeed is ${speed}; must be above 0 metres per second, or null`);
  }
  to.setFloat64(place + LAYOUT.plausible_speed_mps, speed ?? 0, true);
  seconds(options.corroborationTime ?? 60, "corroborationTime", "corroboration_time_us");
  const count = integer(options.corroborationCount ?? 3, "corroborationCount", 2, 1000);
  to.setUint32(place + LAYOUT.corroboration_count, count, true);
  const confidence = number(options.accuracyConfidence ?? 0.68, "accuracyConfidence");
  to.setFloat64(place + LAYOUT.accuracy_confidence, confidence, true);
  to.setInt32(place + LAYOUT.order, chosen(options.order ?? "add", "order", ["add", "exits_first"]), true);
  return place;
}

/** Returns the bits of the flags and of the kinds in what a host states. */
export function hostBits(host) {
  const { flags: held = [], unsupported = [] } = members(host, "host", ["flags", "unsupported"]);
  return [flags(held, "flags", HOST_FLAGS), flags(unsupported, "unsupported", KINDS)];
}

function putMonitorOptions(engine, take, options) {
  const place = putOptions(engine, take, options);
  const to = engine.numbers;
  const limit = options.conditionLimit ?? null;
  const most = limit === null ? 0 : integer(limit, "conditionLimit", 1, Number.MAX_SAFE_INTEGER);
  to.setBigUint64(place + LAYOUT.condition_limit, BigInt(most), true);
  const age = options.initialFixMaxAge;
  const oldest = age === null ? -1n : atLeast0(duration(age ?? 60, "initialFixMaxAge"), "initialFixMaxAge");
  to.setBigInt64(place + LAYOUT.initial_fix_max_age_us, oldest, true);
  const path = chosen(options.path ?? "fixes", "path", ["fixes", "geodesic"]);
  to.setInt32(place + LAYOUT.path, path, true);
  if (path === 0 && (options.maxGap ?? options.maxSpeed ?? null) !== null) {
    throw new InvalidArgumentError('maxGap and maxSpeed need the path "geodesic"');
  }
  if (path === 1) {
    to.setBigInt64(place + LAYOUT.max_gap_us, duration(options.maxGap, "maxGap"), true);
    to.setFloat64(place + LAYOUT.max_speed_mps, number(options.maxSpeed ?? 0, "maxSpeed"), true);
  }
  return place;
}

function atLeast0(value, name) {
  if (value < 0n) throw new InvalidArgumentError(`${name} is negative; must be at least 0 seconds, or null`);
  return value;
}

/** The limit of a time step in microseconds; 0: no limit. */
function stepOf(step) {
  if (step === undefined || step === null) return 0n;
  const bound = duration(step, "maxTimeStep");
  if (bound <= 0n) throw new InvalidArgumentError(`maxTimeStep is ${step}; must be above 0 seconds, or null`);
  return bound;
}

/** A reference to the table of a monitor. */
function tableOf(engine, place) {
  engine.call("fencepost_monitor_conditions", place, engine.flag);
  return engine.numbers.getUint32(engine.flag, true);
}

/** Monitors one device. The type declarations document every member. */
export class Monitor extends Holder {
  /** @param {object} [options] See MonitorOptions. */
  constructor(options = {}) {
    if (options instanceof Adopted) {
      super(options.engine, options.place, "fencepost_monitor_destroy", names, tableOf(options.engine, options.place));
      return;
    }
    const engine = loaded();
    members(options, "options", OPTIONS);
    if (options.name !== undefined && !/^[A-Za-z0-9_]{1,64}$/.test(options.name)) {
      throw new InvalidArgumentError(`name is ${shown(options.name)}; must have 1 to 64 letters, digits and _`, {
        status: "invalid_name", code: 20,
      });
    }
    engine.room(0);
    const place = engine.within((take) => {
      const name = options.name === undefined ? 0 : engine.put(take, options.name, "name");
      engine.call("fencepost_monitor_create", name, putMonitorOptions(engine, take, options), engine.flag);
      return engine.numbers.getUint32(engine.flag, true);
    });
    super(engine, place, "fencepost_monitor_destroy", names, tableOf(engine, place));
  }

  /** Creates a monitor from a snapshot, which may come from any platform. */
  static restore(snapshot) {
    const engine = loaded();
    return new Monitor(new Adopted(engine, restored(engine, "fencepost_monitor_restore", snapshot)));
  }

  /** Returns a second monitor with a copy of this monitor's state. */
  fork() {
    const { engine } = this;
    engine.room(0);
    engine.call("fencepost_monitor_fork", this.place, engine.flag);
    return new Monitor(new Adopted(engine, engine.numbers.getUint32(engine.flag, true)));
  }

  // ------------------------------------------------------------------------------------------------ inputs

  /** Feeds one fix. */
  feed(fix) {
    const { engine } = this;
    engine.room(0);
    if (hasMore(fix)) {
      engine.within((take) => {
        const columns = putOneFix(engine, take, fix);
        engine.call("fencepost_monitor_feed_columns", this.place, columns, 1, 0);
      });
      return;
    }
    const written = putFix(engine, fix);
    const { place } = this;
    let status;
    try {
      status = engine.feedFix(place, written, engine.error);
    } catch (trap) {
      throw engine.lose(trap);
    }
    if (status !== 0) throw engine.failure(status);
  }

  /** Feeds many fixes from columns, in order. */
  feedMany(columns, options = {}) {
    const { engine } = this;
    members(columns, "columns", ["latitudes", "longitudes", "accuracies", "times", "errorEllipses", ...HEIGHT_NAMES]);
    return feedColumns(engine, columns, options, {}, (take, fixes, start, rows, result) =>
      engine.call("fencepost_monitor_feed_columns", this.place, fixes, rows, result),
    );
  }

  /** Feeds one scan report: the beacons that were seen at one instant. */
  feedSightings(sightings, time) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    engine.within((take) => {
      const place = putSightings(engine, take, sightings);
      engine.call("fencepost_monitor_feed_sightings", this.place, place, sightings.length, when);
    });
  }

  /** Declares whether the host scans for beacons from a given time on. */
  setScanning(isScanning, time) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    engine.call("fencepost_monitor_set_beacon_scanning", this.place, truth(isScanning, "isScanning") ? 1 : 0, when);
  }

  /** Declares which host flags are set, and which kinds of condition cannot be monitored, beginning at a given time. */
  setHost(host, time) {
    const { engine } = this;
    const [bits, kinds, when] = [...hostBits(host), microseconds(time)];
    engine.room(0);
    engine.call("fencepost_monitor_set_host_capabilities", this.place, bits, kinds, when);
  }

  /** Tells the monitor that time has passed: confirms all changes that are due up to and including `time`. */
  advance(time) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    engine.call("fencepost_monitor_advance", this.place, when);
  }

  /** Sets the clock back after inputs with wrong times. */
  rewind(time) {
    const { engine } = this;
    const when = microseconds(time);
    engine.room(0);
    engine.call("fencepost_monitor_rewind", this.place, when);
  }

  // ------------------------------------------------------------------------------------------------ events

  /** Returns the next event, or null, and commits the events that were delivered before. */
  poll() {
    const { engine } = this;
    const { place } = this;
    let status;
    try {
      status = engine.pollEvent(place, engine.event, engine.flag, engine.error);
    } catch (trap) {
      throw engine.lose(trap);
    }
    if (status !== 0) throw engine.failure(status);
    return engine.numbers.getUint32(engine.flag, true) === 0 ? null : new Event(engine, engine.event);
  }

  /** Returns up to `most` events, and commits the events that were delivered before. */
  pollMany(most = BATCH) {
    return this.#batch(most, (engine, place) => new Event(engine, place));
  }

  /** Returns up to `most` events as JSON Lines, byte for byte as in the engine's other bindings. */
  pollLines(most = BATCH) {
    const line = this.engine.allocate(4096);
    try {
      return this.#batch(most, (engine, place) => {
        engine.call("fencepost_event_json", place, 0, line, 4096, 0);
        return `${engine.text(line)}\n`;
      }).join("");
    } finally {
      this.engine.release(line);
    }
  }

  #batch(most, read) {
    const { engine } = this;
    const wanted = integer(most, "most", 1, 4294967295);
    const found = [];
    engine.within((take) => {
      const capacity = Math.min(wanted, BATCH);
      const events = take(EVENT.size * capacity);
      engine.call("fencepost_monitor_poll_events", this.place, events, capacity, engine.flag);
      const got = engine.numbers.getUint32(engine.flag, true);
      for (let index = 0; index < got; index++) found.push(read(engine, events + EVENT.size * index));
    });
    return found;
  }

  /** The pending events, one after another; each step of the loop commits the previous event. */
  *events() {
    for (let event = this.poll(); event !== null; event = this.poll()) yield event;
  }

  /** Commits the delivered events. */
  acknowledge() {
    this.engine.call("fencepost_monitor_acknowledge", this.place);
  }

  /** Returns the delivered, uncommitted events to the queue: they are delivered again. */
  abandon() {
    this.engine.call("fencepost_monitor_abandon", this.place);
  }

  // ----------------------------------------------------------------------------------------------- answers

  /** The observed state of a condition. */
  state(identifier) {
    const { engine } = this;
    return engine.within((take) => {
      engine.call("fencepost_monitor_state", this.place, engine.put(take, identifier, "identifier"), engine.flag);
      return STATES[engine.numbers.getInt32(engine.flag, true)];
    });
  }

  /** Explains why a condition is in its state, and reports the smallest change that would decide it. */
  explain(identifier) {
    const { engine } = this;
    return engine.within((take) => {
      const id = engine.put(take, identifier, "identifier");
      return explanationOf(engine, take, (place) => engine.call("fencepost_monitor_explain", this.place, id, place));
    });
  }

  /** A condition and its last handled event; null for an unknown identifier. */
  record(identifier) {
    const { engine } = this;
    return engine.within((take) => {
      const place = take(RECORD.size);
      try {
        engine.call("fencepost_monitor_record", this.place, engine.put(take, identifier, "identifier"), place);
      } catch (error) {
        if (error instanceof NotFoundError) return null;
        throw error;
      }
      return this.#record(place);
    });
  }

  #record(place) {
    const { engine } = this;
    const { numbers } = engine;
    const at = place + RECORD.condition;
    const kind = KINDS[numbers.getInt32(at + CONDITION.kind, true)];
    const [major, minor] = [numbers.getInt32(at + CONDITION.major, true), numbers.getInt32(at + CONDITION.minor, true)];
    return {
      identifier: engine.decode(at + CONDITION.identifier, numbers.getUint32(at + CONDITION.identifier_length, true)),
      kind,
      generation: countOf(numbers, at + CONDITION.generation),
      tag: numbers.getBigUint64(at + CONDITION.tag, true),
      latitude: numberOf(numbers, at + CONDITION.latitude),
      longitude: numberOf(numbers, at + CONDITION.longitude),
      radius: numberOf(numbers, at + CONDITION.radius_m),
      uuid: kind === "beacon" ? uuidText(engine.memory, at + CONDITION.uuid) : null,
      major: kind === "beacon" && major >= 0 ? major : null,
      minor: kind === "beacon" && minor >= 0 ? minor : null,
      state: STATES[numbers.getInt32(place + RECORD.state, true)],
      lastEvent: new Event(engine, place + RECORD.last_event),
    };
  }

  /** The records in add order. */
  *records() {
    for (const { generation, identifier } of this.#listed(ANY_STATE)) {
      const record = this.record(identifier);
      // If the condition was replaced in the meantime, its replacement comes at the end of the list.
      if (record?.generation === generation) yield record;
    }
  }

  /** The identifiers of the conditions that are in a certain state now, in add order. */
  identifiersInState(state) {
    this.place; // throws DisposedError before the state is checked
    return Array.from(this.#listed(chosen(state, "state", STATES.slice(0, 3))), ({ identifier }) => identifier);
  }

  #listed(state) {
    const { engine } = this;
    return conditionStates(engine, (...part) => {
      engine.call("fencepost_monitor_list_conditions", this.place, state, ...part);
    });
  }

  /** The distance, in metres, that the device can move from a position without crossing a boundary. */
  safeDistance(latitude, longitude) {
    const { engine } = this;
    engine.call(
      "fencepost_monitor_safe_distance", this.place, number(latitude, "latitude"), number(longitude, "longitude"), engine.flag,
    );
    return engine.numbers.getFloat64(engine.flag, true);
  }

  /**
   * The earliest time at which something happens even without any input: microseconds as a BigInt, or null. Call
   * `advance` when this time comes.
   */
  get nextDeadlineUs() {
    const { engine } = this;
    engine.call("fencepost_monitor_next_deadline", this.place, engine.flag);
    return timeOf(engine.numbers, engine.flag);
  }

  /** The name that the monitor was created with, or null. */
  get name() {
    return this.#statistics((_, place) => this.engine.text(place + STATISTICS.name) || null);
  }

  /** Returns the monitor's counters and clock. */
  statistics() {
    return this.#statistics((from, place) => ({
      clockUs: timeOf(from, place + STATISTICS.clock_us),
      inputCount: countOf(from, place + STATISTICS.input_count),
      acceptedFixes: countOf(from, place + STATISTICS.accepted_fixes),
      invalidFixes: countOf(from, place + STATISTICS.invalid_fixes),
      doubtedFixes: countOf(from, place + STATISTICS.doubted_fixes),
      lateInputs: countOf(from, place + STATISTICS.late_inputs),
      aheadInputs: countOf(from, place + STATISTICS.ahead_inputs),
      acceptedSightings: countOf(from, place + STATISTICS.accepted_sightings),
      pendingEvents: countOf(from, place + STATISTICS.pending_events),
      handedOutEvents: countOf(from, place + STATISTICS.handed_out_events),
      conditionCount: countOf(from, place + STATISTICS.condition_count),
    }));
  }

  #statistics(read) {
    const { engine } = this;
    return engine.within((take) => {
      const place = take(STATISTICS.size);
      engine.numbers.setUint32(place, STATISTICS.size, true);
      engine.call("fencepost_monitor_statistics", this.place, place);
      return read(engine.numbers, place);
    });
  }
}

/** Wraps an object that the engine has already created. */
class Adopted {
  constructor(engine, place) {
    this.engine = engine;
    this.place = place;
  }
}
