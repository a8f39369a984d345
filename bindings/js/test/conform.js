// Runs the scenarios of Tests/Conformance on the WebAssembly build, through the package. Tests/Conformance/README.md
// describes their format.
//
//   node bindings/js/test/conform.js [--restart-every-step] FILE…
//
// Prints the failures, then the counts; exits with 1 if a scenario failed. Steps that need a store are skipped.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import * as fencepost from "../../../.build/js/fencepost.js";

const { Fleet, FencepostError, InvalidArgumentError, Monitor, NotFoundError, QueueFullError, Zones } = fencepost;
const TOLERANCE = 1e-6;
const DISTANCE = 2e-8;
const PLACE = 1e-9;
const SHAPES = ["polygon", "corridor", "line"];

class Mismatch extends Error {
  constructor(expected, got) {
    super(`expected: ${plain(expected)}\n  got: ${plain(got)}`);
  }
}
class Skip extends Error {}

const plain = (value) => JSON.stringify(value, (_, one) => (typeof one === "bigint" ? `${one} us` : one)) ?? "nothing";
const number = (value) => (typeof value === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[value] : value);
const us = (seconds) => {
  const found = number(seconds);
  if (!Number.isFinite(found)) throw new InvalidArgumentError(`${seconds} is not a time`);
  return BigInt(Math.round(found * 1e6));
};

// --------------------------------------------------------------------------------------------------- definitions

const POLICY = {
  entry_dwell: "entryDwell", exit_dwell: "exitDwell", entry_margin: "entryMargin", exit_margin: "exitMargin",
  exit_margin_limit: "exitMarginLimit", accuracy_factor: "accuracyFactor", dwell_policy: "dwellPolicy", notify: "notify",
  entry_probability: "entryProbability", exit_probability: "exitProbability",
  vertical_margin: "verticalMargin",
};

const TIMING = { absent_after: "absentAfter", repeat_every: "repeatEvery", repeat_limit: "repeatLimit", max_events: "maxEvents" };

function named(fields, given) {
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      if (!(key in fields)) throw new InvalidArgumentError(`${key} is unknown`);
      return [fields[key], key === "notify" || key === "dwell_policy" || key === "path" || key === "delivery" || key === "order" ? value : number(value)];
    }),
  );
}

/** Reads a geometry from well-known text; the result is nested as in GeoJSON. */
function ofText(text) {
  const [, name, , body] = /^\s*(\w+)\s*(ZM|Z|M)?\s*(EMPTY|\(.*\))\s*$/is.exec(text) ?? [];
  const types = { POLYGON: "Polygon", MULTIPOLYGON: "MultiPolygon", LINESTRING: "LineString", MULTILINESTRING: "MultiLineString" };
  const type = types[name?.toUpperCase()];
  if (type === undefined) throw new InvalidArgumentError(`type ${name} of ${text}`);
  if (/EMPTY/i.test(body)) return { type, coordinates: [] };
  const nested = body
    .replace(/[-+.\deEA-Za-z]+(\s+[-+.\deEA-Za-z]+)+/g, (position) => `[${position.trim().split(/\s+/).map(Number).join(",")}]`)
    .replaceAll("(", "[")
    .replaceAll(")", "]");
  return { type, coordinates: JSON.parse(nested) };
}

const depth = (value) => (Array.isArray(value) ? 1 + Math.max(0, ...value.map(depth)) : 0);
const numbers = (value) => (Array.isArray(value) ? value.map(numbers) : number(value));

function shapeOf(kind, given) {
  let { coordinates, wkt, geojson, ...rest } = given;
  let geometry;
  if (geojson !== undefined) {
    geometry = geojson.type === "Feature" ? geojson.geometry : geojson;
    rest = { edges: "planar", ...rest };
    const properties = (geojson.type === "Feature" && geojson.properties) || {};
    for (const key of ["edges", "oriented", "buffer", "radius"]) if (key in properties) rest[key] = properties[key];
  } else if (wkt !== undefined) geometry = ofText(wkt);
  else {
    const types = kind === "polygon" ? { 3: "Polygon", 4: "MultiPolygon" } : { 2: "LineString", 3: "MultiLineString" };
    geometry = { type: types[depth(coordinates)] ?? (kind === "polygon" ? "MultiPolygon" : "MultiLineString"), coordinates: numbers(coordinates) };
  }
  const areas = ["Polygon", "MultiPolygon"];
  if (kind === "polygon" ? !areas.includes(geometry.type) : areas.includes(geometry.type)) {
    throw new InvalidArgumentError(`type ${geometry.type} is none of a ${kind}`);
  }
  for (const key of ["buffer", "radius"]) if (key in rest) rest[key] = number(rest[key]);
  const known = kind === "polygon" ? ["edges", "oriented", "buffer"] : kind === "corridor" ? ["edges", "radius"] : ["edges"];
  const options = Object.fromEntries(Object.entries(rest).filter(([key]) => known.includes(key)));
  return { condition: { type: geometry.type, coordinates: geometry.coordinates }, options };
}

/** The timing of a step; undefined if it has none. */
function timingOf(step) {
  const timing = {};
  if ("active" in step) timing.active = step.active.map((interval) => interval.map(us));
  if ("active_until" in step) timing.activeUntil = us(step.active_until);
  for (const [key, member] of Object.entries(TIMING)) if (key in step) timing[member] = number(step[key]);
  return Object.keys(timing).length > 0 ? timing : undefined;
}

/** The band of a step. JavaScript leaves out a limit that does not exist. */
function bandOf(given) {
  const band = {};
  for (const [key, none] of [["min", -Infinity], ["max", Infinity]]) {
    const value = number(given[key] ?? none);
    if (value !== none) band[key] = value;
  }
  if (Object.keys(band).length === 0) throw new InvalidArgumentError("a band without limits");
  return { minReference: given.min_reference ?? "ellipsoid", maxReference: given.max_reference ?? "ellipsoid", ...band };
}

/** The condition of a step and its options. */
function definition(step, assumed) {
  const options = {};
  for (const key of ["assuming", "tag"]) if (key in step) options[key] = step[key];
  const policy = step.policy ?? ("line" in step ? undefined : "standard");
  if (typeof policy === "string") options.policy = policy;
  else if (policy !== undefined) options.policy = named(POLICY, policy);
  if (assumed !== undefined && !("line" in step)) options.assuming ??= assumed;
  const timing = timingOf(step);
  if (timing !== undefined) options.timing = timing;
  if ("band" in step) options.band = bandOf(step.band);
  for (const kind of SHAPES) {
    if (kind in step) {
      const { condition, options: more } = shapeOf(kind, step[kind]);
      return { condition, options: { ...options, ...more } };
    }
  }
  if ("beacon" in step) return { condition: step.beacon, options };
  if ("rule" in step) {
    const { at_least: atLeast, ...form } = step.rule;
    return { condition: { rule: atLeast === undefined ? form : { atLeast, ...form } }, options };
  }
  return { condition: Object.fromEntries(Object.entries(step.circle).map(([key, value]) => [key, number(value)])), options };
}

// ---------------------------------------------------------------------------------------------------- comparing

function members(event) {
  if (event === null) return null;
  const { sequence, identifier, generation, state, cause, latitude, longitude, accuracy, refinement, diagnostics, evidence, direction, probability } = event;
  return {
    sequence, identifier, generation, tag: Number(event.tag), state, cause, latitude, longitude, accuracy, refinement, diagnostics,
    evidence, direction, boundary_distance: event.boundaryDistance, date: event.dateUs, evidence_date: event.evidenceDateUs,
    gap: event.followsGap, probability, vertical_distance: event.verticalDistance, decided_by: event.decidedBy,
  };
}

const TIMES = ["date", "evidence_date", "since"];

function compare(expected, got, tolerance, distance) {
  if (expected === null || got === null || typeof expected !== "object" || Array.isArray(expected)) {
    if (plain(expected) !== plain(got)) throw new Mismatch(expected, got);
    return;
  }
  for (const [key, wanted] of Object.entries(expected)) {
    if (!(key in got)) throw new Error(`${key} is compared nowhere`);
    const found = got[key];
    let same;
    if (TIMES.includes(key)) same = (wanted === null ? null : us(wanted)) === found;
    else if (key === "condition") same = wanted === null ? found === null : isListed(wanted, found);
    else if (typeof wanted === "number" && typeof found === "number") {
      let most = key === "boundary_distance" ? distance : key === "probability" ? TOLERANCE : tolerance;
      if (got.evidence === "path" && ["latitude", "longitude", "boundary_distance"].includes(key)) {
        most = key === "boundary_distance" ? DISTANCE : PLACE;
      }
      same = most === undefined ? wanted === found : Math.abs(wanted - found) <= most;
    } else same = plain(wanted) === plain(found);
    if (!same) throw new Mismatch({ [key]: wanted }, { [key]: found, in: got });
  }
}

const isListed = (wanted, found) =>
  Object.keys(wanted).length === 1 &&
  Object.entries(wanted).every(
    ([kind, one]) => kind in found && Object.entries(one).every(([key, value]) => plain(found[kind][key]) === plain(value)),
  );

function located(step, holder) {
  const found =
    "nearest" in step
      ? holder.nearest(number(step.nearest.latitude), number(step.nearest.longitude), step.nearest.count)
      : holder.containing(number(step.containing.latitude), number(step.containing.longitude), heightsOf(step.containing));
  if (plain(step.are.map((one) => one.identifier)) !== plain(found.map((one) => one.identifier))) throw new Mismatch(step.are, found);
  step.are.forEach((one, row) => {
    compare(one, { identifier: found[row].identifier, boundary_distance: found[row].boundaryDistance }, undefined, DISTANCE);
  });
}

/** The heights of a question; undefined without heights. */
function heightsOf({ altitude, geoid_height: geoid, ground_height: ground }) {
  if (altitude === undefined && geoid === undefined && ground === undefined) return undefined;
  return { altitude: number(altitude ?? NaN), geoidHeight: number(geoid ?? NaN), groundHeight: number(ground ?? NaN) };
}

function explained(step, ask) {
  let got = null;
  try {
    const { reason, metresToDecide, accuracyNeeded, secondsToDecide, doubt, probability, errorEllipse, verticalDistance, parts } = ask();
    got = { reason, metres_to_decide: metresToDecide, accuracy_needed: accuracyNeeded, seconds_to_decide: secondsToDecide, probability };
    got.vertical_distance = verticalDistance;
    got.parts = parts;
    got.ellipse = errorEllipse && [errorEllipse.major, errorEllipse.minor, errorEllipse.orientation];
    got.doubted_distance = doubt?.distance ?? null;
    got.doubted_seconds = doubt?.seconds ?? null;
    got.corroborations = doubt?.corroborations ?? 0;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  compare(step.is, got, TOLERANCE);
}

const counters = ({ lateInputs, invalidFixes, aheadInputs, doubtedFixes }) => ({
  late_inputs: lateInputs, invalid_fixes: invalidFixes, ahead_inputs: aheadInputs, doubted_fixes: doubtedFixes,
});

function refused(step, act) {
  try {
    act();
  } catch (error) {
    if (!(error instanceof FencepostError) || error.status !== step.refused) throw error;
    const where = error.message;
    const names =
      step.reason === undefined ||
      (new RegExp(`\\b${step.reason}\\b`).test(where) &&
        Object.entries(step.at ?? {}).every(([what, index]) => !new RegExp(`\\b${what} \\d`).test(where) || where.includes(`${what} ${index}`)));
    if (!names) throw new Mismatch(`refused for ${step.reason} at ${plain(step.at)}`, where);
    return;
  }
  throw new Mismatch(`refused with ${step.refused}`, "accepted");
}

function place(circles, fix) {
  if (!("of" in fix)) return [number(fix.latitude), number(fix.longitude)];
  const circle = circles.get(fix.of);
  const end = fencepost.direct(circle.latitude, circle.longitude, fix.bearing ?? 0, fix.distance);
  return [end.latitude, end.longitude];
}

/** The columns of the error ellipses, if a row has one. */
function ellipsesOf(rows) {
  if (!rows.some((row) => row.errorEllipse)) return {};
  const column = (name) => rows.map((row) => row.errorEllipse?.[name] ?? NaN);
  return { errorEllipses: { majors: column("major"), minors: column("minor"), orientations: column("orientation") } };
}

const HEIGHTS = {
  altitude: "altitude", vertical_accuracy: "verticalAccuracy", geoid_height: "geoidHeight", ground_height: "groundHeight",
};

function fixOf(circles, fix) {
  const [latitude, longitude] = place(circles, fix);
  const found = { latitude, longitude, accuracy: number(fix.accuracy ?? 0), time: us(fix.time) };
  if (fix.ellipse) {
    const [major, minor, orientation] = fix.ellipse.map(number);
    found.errorEllipse = { major, minor, orientation };
  }
  for (const [key, member] of Object.entries(HEIGHTS)) if (key in fix) found[member] = number(fix[key]);
  return found;
}

// ----------------------------------------------------------------------------------------------------- monitors

const OPTIONS = {
  delivery: "delivery", condition_limit: "conditionLimit", initial_fix_max_age: "initialFixMaxAge",
  beacon_exit_timeout: "beaconExitTimeout", beacon_initial_timeout: "beaconInitialTimeout", max_pending_events: "maxPendingEvents",
  max_time_step: "maxTimeStep", path: "path", max_gap: "maxGap", max_speed: "maxSpeed", device_limit: "deviceLimit",
  plausible_speed: "plausibleSpeed", corroboration_count: "corroborationCount", corroboration_time: "corroborationTime",
  accuracy_confidence: "accuracyConfidence", order: "order",
};

class Run {
  constructor(scenario, restarts) {
    this.options = named(OPTIONS, scenario.options ?? {});
    if ((this.options.path ?? "fixes") === "fixes") {
      delete this.options.maxGap;
      delete this.options.maxSpeed;
    }
    this.restarts = restarts;
    this.kept = new Map();
    this.opened = new Set();
    this.main = undefined;
    this.begun = false;
  }

  end() {
    for (const { monitor } of this.kept.values()) monitor.dispose();
  }

  /** Restarts alternate between a restored snapshot and a fork of the monitor. */
  restart(named) {
    const before = named.monitor;
    named.turn = !named.turn;
    named.monitor = named.turn ? Monitor.restore(before.snapshot()) : before.fork();
    before.dispose();
  }

  after() {
    if (!this.restarts) return;
    for (const name of this.opened) {
      const named = this.kept.get(name);
      this.restart(named);
      const event = named.inFlight;
      if (!event) continue;
      if (named.monitor.record(event.identifier)?.generation !== event.generation) {
        named.inFlight = null;
        continue;
      }
      const again = named.monitor.poll();
      if (plain(again) !== plain(event)) throw new Mismatch(members(event), members(again));
    }
  }

  step(step) {
    if (!this.begun) {
      this.begun = true;
      if (!("open" in step) && !("open" in (step.step ?? {}))) this.open("main");
    }
    if ("refused" in step) return refused(step, () => this.step(step.step));
    if ("open" in step) return this.open(step.open);
    if ("store" in step) throw new Skip("there is no store");
    const name = step.close ?? step.monitor ?? this.main;
    const named = this.kept.get(name);
    if (!this.opened.has(name)) throw new Error(`monitor ${name} is not open`);
    if ("close" in step) {
      this.opened.delete(name);
      this.restart(named);
      named.isConsumed = false;
      named.inFlight = null;
      return;
    }
    this.act(named, step);
  }

  open(name) {
    if (this.opened.has(name)) throw new FencepostError("it is open", { status: "monitor_in_use" });
    if (!this.kept.has(name)) {
      const monitor = new Monitor({ name, ...this.options });
      this.kept.set(name, { monitor, circles: new Map(), flags: [], unsupported: [], inFlight: null, hasShapes: false });
    }
    this.opened.add(name);
    this.main ??= name;
  }

  act(named, step) {
    const { monitor } = named;
    const distance = () => (named.hasShapes ? DISTANCE : undefined);
    const time = () => ("time" in step ? us(step.time) : monitor.statistics().clockUs);
    const remember = (identifier, condition) => {
      named.hasShapes ||= "type" in condition || "rule" in condition;
      if ("radius" in condition) named.circles.set(identifier, condition);
    };
    const verbs = {
      advance: () => monitor.advance(us(step.advance)),
      rewind: () => monitor.rewind(us(step.rewind)),
      add: () => {
        const { condition, options } = definition(step);
        monitor.add(step.add, condition, options);
        remember(step.add, condition);
      },
      ensure: () => {
        const { condition, options } = definition(step);
        monitor.ensure(step.ensure, condition, options);
        remember(step.ensure, condition);
      },
      remove: () => monitor.remove(step.remove),
      sync: () => {
        const rows = step.sync.map((member) => ({ identifier: member.identifier, ...definition(member) }));
        monitor.sync(rows);
        for (const row of rows) remember(row.identifier, row.condition);
      },
      fix: () => monitor.feed(fixOf(named.circles, step.fix)),
      see: () => monitor.feedSightings(step.see.beacons, us(step.see.time)),
      scanning: () => monitor.setScanning(step.scanning, time()),
      host: () => {
        const { flags = named.flags, unsupported = named.unsupported } = step.host;
        monitor.setHost({ flags, unsupported }, time());
        Object.assign(named, { flags, unsupported });
      },
      next: () => {
        named.inFlight = monitor.poll();
        compare(step.next, members(named.inFlight), undefined, distance());
      },
      acknowledge: () => {
        monitor.acknowledge();
        named.inFlight = null;
      },
      restart: () => {
        this.restart(named);
        named.isConsumed = false;
        named.inFlight = null;
      },
      iterate: () => {
        if (named.isConsumed) throw new FencepostError("one iterates", { status: "consumer_already_active" });
        named.isConsumed = true;
      },
      cancel: () => {
        monitor.abandon();
        named.isConsumed = false;
        named.inFlight = null;
      },
      record: () => {
        const record = monitor.record(step.record);
        const got = record && { ...members(record.lastEvent), condition: recorded(monitor, record), band: bandMembers(monitor.shape(record.identifier)) };
        compare(step.is, got, undefined, distance());
      },
      identifiers: () => compare(step.identifiers, monitor.identifiers),
      identifiers_in_state: () => compare(step.are, monitor.identifiersInState(step.identifiers_in_state)),
      statistics: () => compare(step.statistics, counters(monitor.statistics())),
      explain: () => explained(step, () => monitor.explain(step.explain)),
      nearest_boundary_point: () => {
        let got = null;
        try {
          got = monitor.nearestBoundaryPoint(step.nearest_boundary_point, number(step.from.latitude), number(step.from.longitude));
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
        }
        compare(step.is, got, PLACE);
      },
      containing: () => located(step, monitor),
      nearest: () => located(step, monitor),
    };
    perform(verbs, step);
  }
}

function perform(verbs, step) {
  const found = Object.keys(verbs).filter((verb) => verb in step);
  if (found.length !== 1) throw new Error(`a step has one verb: ${plain(step)}`);
  verbs[found[0]]();
}

function bandMembers({ band }) {
  if (band === null) return null;
  const { min = "-inf", max = "inf", minReference = "ellipsoid", maxReference = "ellipsoid" } = band;
  return { min, max, min_reference: minReference, max_reference: maxReference };
}

function recorded(monitor, record) {
  const { kind, latitude, longitude, radius } = record;
  if (kind === "circle") return { circle: { latitude, longitude, radius } };
  if (kind === "beacon") {
    const components = Object.entries({ uuid: record.uuid, major: record.major, minor: record.minor });
    return { beacon: Object.fromEntries(components.filter(([, value]) => value !== null)) };
  }
  const { edges, oriented, buffer, rule } = monitor.shape(record.identifier);
  if (kind === "rule") {
    const { atLeast, ...form } = rule;
    return { rule: atLeast === undefined ? form : { at_least: atLeast, ...form } };
  }
  const geometry = monitor.geometry(record.identifier);
  const isSingle = !geometry.type.startsWith("Multi");
  let coordinates = isSingle ? [geometry.coordinates] : geometry.coordinates;
  // Well-known binary repeats the first vertex of a ring at its end.
  if (kind === "polygon") coordinates = coordinates.map((part) => part.map((ring) => ring.slice(0, -1)));
  if (kind === "polygon") return { polygon: { coordinates, edges, oriented, buffer } };
  return kind === "corridor" ? { corridor: { coordinates, radius, edges } } : { line: { coordinates, edges } };
}

// ------------------------------------------------------------------------------------------------------- fleets

class FleetRun {
  constructor(scenario, restarts) {
    this.options = named(OPTIONS, scenario.fleet);
    this.restarts = restarts;
    this.table = new Zones();
    this.fleets = new Map([["main", new Fleet(this.table, this.options)]]);
    this.inFlight = new Map();
    this.circles = new Map();
  }

  end() {
    for (const fleet of this.fleets.values()) fleet.dispose();
    this.table.dispose();
  }

  after() {
    if (!this.restarts) return;
    for (const [name, fleet] of this.fleets) {
      fleet.abandon();
      const event = this.inFlight.get(name);
      if (!event) continue;
      const again = fleet.poll();
      if (plain(again) !== plain(event)) throw new Mismatch(members(event), again && members(again));
    }
  }

  forget(isGone) {
    for (const [name, event] of this.inFlight) if (isGone(event)) this.inFlight.delete(name);
  }

  /** Records a change of a condition; the events that it makes void count as never delivered. */
  changed(identifier, condition, isNew = true) {
    if ("radius" in condition) this.circles.set(identifier, condition);
    if (isNew) this.forget((event) => event.identifier === identifier && this.generations().get(identifier) !== event.generation);
  }

  generations() {
    const all = BigUint64Array.from({ length: this.table.version.generation }, (_, index) => BigInt(index + 1));
    return new Map(this.table.identifiersOf(all).map((identifier, index) => [identifier, index + 1]));
  }

  step(step) {
    if ("refused" in step) return refused(step, () => this.step(step.step));
    const name = step.fleet ?? "main";
    const fleet = this.fleets.get(name);
    const define = (identifier, method) => {
      const { condition, options } = definition(step);
      const isChanged = this.table[method](identifier, condition, options) ?? true;
      if (isChanged) this.changed(identifier, condition);
    };
    const verbs = {
      share: () => this.fleets.set(step.share, new Fleet(this.table, this.options)),
      add: () => define(step.add, "add"),
      ensure: () => define(step.ensure, "ensure"),
      remove: () => {
        this.table.remove(step.remove);
        this.forget((event) => event.identifier === step.remove);
      },
      sync: () => {
        const rows = step.sync.map((member) => ({ identifier: member.identifier, ...definition(member, "unsatisfied") }));
        this.table.sync(rows);
        for (const row of rows) this.changed(row.identifier, row.condition);
        const left = new Set(this.table.identifiers);
        this.forget((event) => !left.has(event.identifier));
      },
      enter: () => fleet.enter([step.enter]),
      leave: () => {
        const dropEvents = step.drop_events ?? false;
        fleet.remove(step.leave, { dropEvents });
        if (dropEvents) this.forget((event) => event.device === step.leave);
      },
      expire: () => compare(step.are, fleet.expire(us(step.expire))),
      move: () => {
        this.fleets.get(step.to).importDevice(step.move, fleet.exportDevice(step.move));
        fleet.remove(step.move, { dropEvents: true });
        this.forget((event) => event.device === step.move);
      },
      devices: () => compare(step.devices, fleet.devices),
      fix: () => fleet.feed(step.device, fixOf(this.circles, step.fix)),
      fixes: () => {
        const rows = step.fixes.map((fix) => fixOf(this.circles, fix));
        let taken = rows.length;
        try {
          fleet.feedMany({
            devices: step.fixes.map((fix) => fix.device),
            latitudes: rows.map((row) => row.latitude),
            longitudes: rows.map((row) => row.longitude),
            accuracies: rows.map((row) => row.accuracy),
            times: rows.map((row) => row.time),
            ...ellipsesOf(rows),
          });
        } catch (error) {
          if (!(error instanceof QueueFullError)) throw error;
          taken = error.position;
        }
        compare(step.taken ?? rows.length, taken);
      },
      see: () => fleet.feedSightings(step.device, step.see.beacons, us(step.see.time)),
      scanning: () => fleet.setScanning(step.device, step.scanning, us(step.time)),
      host: () => fleet.setHost(step.device, step.host, us(step.time)),
      advance: () => fleet.advance(us(step.advance), step.device),
      next: () => {
        const event = fleet.poll();
        this.inFlight.delete(name);
        if (event) this.inFlight.set(name, event);
        const { device, row, position } = event ?? {};
        compare(step.next, event && { ...members(event), device, row, position }, undefined, DISTANCE);
      },
      acknowledge: () => {
        fleet.acknowledge();
        this.inFlight.delete(name);
      },
      abandon: () => {
        fleet.abandon();
        this.inFlight.delete(name);
      },
      restart: () => verbs.abandon(),
      inside: () => {
        const found = fleet.inside(step.inside);
        compare(step.are.map((one) => one.identifier), found.map((one) => one.identifier));
        step.are.forEach((one, row) => {
          const { identifier, sinceUs, evidenceDateUs } = found[row];
          compare(one, { identifier, since: sinceUs, evidence_date: evidenceDateUs });
        });
      },
      identifiers: () => compare(step.identifiers, this.table.identifiers),
      identifiers_in_state: () =>
        compare(step.are, this.table.identifiers.filter((one) => fleet.state(step.device, one) === step.identifiers_in_state)),
      statistics: () => compare(step.statistics, counters(fleet.statistics(step.device))),
      explain: () => explained(step, () => fleet.explain(step.device, step.explain)),
      containing: () => located(step, this.table),
      nearest: () => located(step, this.table),
    };
    perform(verbs, step);
  }
}

// ---------------------------------------------------------------------------------------------------------- files

/** Runs the scenarios of files: { passed, failed, skipped, failures }. */
export function conform(files, restarts) {
  const outcome = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for (const file of files) {
    const content = JSON.parse(readFileSync(file, "utf8"));
    for (const scenario of Array.isArray(content) ? content : [content]) {
      const run = "fleet" in scenario ? new FleetRun(scenario, restarts) : new Run(scenario, restarts);
      let at = 0;
      try {
        for (const step of scenario.steps) {
          at++;
          run.step(step);
          run.after();
        }
        outcome.passed++;
      } catch (error) {
        if (error instanceof Skip) outcome.skipped++;
        else {
          outcome.failed++;
          outcome.failures.push(`${file}: ${scenario.name}\n  step ${at}: ${plain(scenario.steps[at - 1])}\n  ${error.stack}`);
        }
      } finally {
        run.end();
      }
    }
  }
  return outcome;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = process.argv.slice(2).filter((one) => !one.startsWith("--"));
  await fencepost.load();
  const { passed, failed, skipped, failures } = conform(files, process.argv.includes("--restart-every-step"));
  for (const failure of failures) console.log(failure);
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`);
  process.exitCode = failed === 0 ? 0 : 1;
}
