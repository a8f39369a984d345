// Writes conditions into the engine's memory: circles, polygons, corridors, lines, beacons, rules.

import { InvalidArgumentError } from "./errors.js";
import { CONDITION_DEFINITION, GEOMETRY, INTERVAL, POLICY, TIMING } from "./layout.js";
import {
  EDGES, FORMS, chosen, duration, flags, integer, members, microseconds, number, shown, truth, unsigned, uuidBytes,
} from "./values.js";

const NOTIFY = ["initial", "entry", "exit"];
const DWELLS = ["timer", "evidence"];
const ASSUMED = ["unknown", "satisfied", "unsatisfied"];
const OPTION_MEMBERS = ["assuming", "policy", "tag", "timing", "radius", "edges", "oriented", "buffer", "maxVertices",
  "band"];
const TIMING_MEMBERS = ["active", "activeUntil", "absentAfter", "repeatEvery", "repeatLimit", "maxEvents"];
const BAND_MEMBERS = ["min", "max", "minReference", "maxReference"];
const REFERENCES = ["ellipsoid", "mean_sea_level", "ground"];
const LINES = ["LineString", "MultiLineString"];
const POLYGONS = ["Polygon", "MultiPolygon"];
const MOST_VERTICES = 1_000_000;
const FILE_VERTICES = 500_000;
const MOST_INTERVALS = 10_000;
const MOST_PARTS = 1000;
const NEVER = 2n ** 63n - 1n;

const standard = {
  entryDwell: 20, exitDwell: 20, entryMargin: 20, exitMargin: 20, exitMarginLimit: 0, accuracyFactor: 1,
  dwellPolicy: "timer", notify: NOTIFY, entryProbability: 0, exitProbability: 0, verticalMargin: 10,
};
/** The named policies. Seconds and metres. */
export const POLICIES = Object.freeze({
  standard: Object.freeze(standard),
  exact: Object.freeze({
    ...standard, entryDwell: 0, exitDwell: 0, entryMargin: 0, exitMargin: 0, accuracyFactor: 0, verticalMargin: 0,
  }),
  core_location: Object.freeze({ ...standard, exitMargin: 60, exitMarginLimit: 200, verticalMargin: 0 }),
});

function policyOf(given) {
  if (typeof given === "string") return POLICIES[Object.keys(POLICIES)[chosen(given, "policy", Object.keys(POLICIES))]];
  return { ...standard, ...members(given, "policy", Object.keys(standard)) };
}

function putPolicy(engine, take, given) {
  const policy = policyOf(given);
  const place = take(POLICY.size);
  const to = engine.numbers;
  to.setUint32(place, POLICY.size, true);
  to.setInt32(place + POLICY.dwell_policy, chosen(policy.dwellPolicy, "dwellPolicy", DWELLS), true);
  to.setBigInt64(place + POLICY.entry_dwell_us, duration(policy.entryDwell, "entryDwell"), true);
  to.setBigInt64(place + POLICY.exit_dwell_us, duration(policy.exitDwell, "exitDwell"), true);
  to.setFloat64(place + POLICY.entry_margin_m, number(policy.entryMargin, "entryMargin"), true);
  to.setFloat64(place + POLICY.exit_margin_m, number(policy.exitMargin, "exitMargin"), true);
  to.setFloat64(place + POLICY.exit_margin_limit_m, number(policy.exitMarginLimit, "exitMarginLimit"), true);
  to.setFloat64(place + POLICY.accuracy_factor, number(policy.accuracyFactor, "accuracyFactor"), true);
  to.setUint32(place + POLICY.notify, flags(policy.notify, "notify", NOTIFY), true);
  to.setUint32(place + POLICY.reserved, 0, true);
  to.setFloat64(place + POLICY.entry_probability, number(policy.entryProbability, "entryProbability"), true);
  to.setFloat64(place + POLICY.exit_probability, number(policy.exitProbability, "exitProbability"), true);
  to.setFloat64(place + POLICY.vertical_margin_m, number(policy.verticalMargin, "verticalMargin"), true);
  return place;
}

/** The intervals of a timing, in microseconds. */
function intervalsOf(active) {
  const count = list(active, "active").length;
  if (count > MOST_INTERVALS) {
    throw new InvalidArgumentError(`active has ${count} intervals; must have at most ${MOST_INTERVALS}`);
  }
  return Array.from(active, (interval, row) => {
    if (list(interval, `active[${row}]`).length !== 2) {
      throw new InvalidArgumentError(`active[${row}] has ${interval.length} elements; must be [start, end]`);
    }
    return [microseconds(interval[0], `the start of active[${row}]`), microseconds(interval[1], `the end of active[${row}]`)];
  });
}

function putTiming(engine, take, given) {
  const { active, activeUntil, absentAfter, repeatEvery, repeatLimit, maxEvents } = members(given, "timing", TIMING_MEMBERS);
  // The engine reads 0 as "never".
  const length = (value, name, least) => {
    if (value === undefined) return 0n;
    const found = duration(value, name);
    if (found <= 0n) throw new InvalidArgumentError(`${name} is ${value}; must be from ${least} to 1000000000 seconds`);
    return found;
  };
  const intervals = active === undefined ? [] : intervalsOf(active);
  const limit = repeatLimit === undefined ? 1000 : integer(repeatLimit, "repeatLimit", 1, 1_000_000);
  const until = activeUntil === undefined ? NEVER : microseconds(activeUntil, "activeUntil");
  const absent = length(absentAfter, "absentAfter", 0.000001);
  const every = length(repeatEvery, "repeatEvery", 1);
  const most = maxEvents === undefined ? 0 : integer(maxEvents, "maxEvents", 1, 2 ** 32 - 1);
  // An empty list means that the condition is never active, so it has a place, too.
  const listed = active === undefined ? 0 : take(Math.max(intervals.length, 1) * INTERVAL.size);
  const place = take(TIMING.size);
  const to = engine.numbers;
  intervals.forEach(([start, end], row) => {
    to.setBigInt64(listed + row * INTERVAL.size + INTERVAL.start_us, start, true);
    to.setBigInt64(listed + row * INTERVAL.size + INTERVAL.end_us, end, true);
  });
  to.setUint32(place, TIMING.size, true);
  to.setUint32(place + TIMING.repeat_limit, limit, true);
  to.setBigInt64(place + TIMING.active_until_us, until, true);
  to.setBigInt64(place + TIMING.absent_after_us, absent, true);
  to.setBigInt64(place + TIMING.repeat_every_us, every, true);
  to.setBigUint64(place + TIMING.max_events, BigInt(most), true);
  to.setUint32(place + TIMING.active, listed, true);
  to.setUint32(place + TIMING.active_count, intervals.length, true);
  return place;
}

/** Writes the default definition of a condition, with the options that apply to all kinds; returns its place. */
export function putDefinition(engine, take, { assuming, policy, tag, timing, band }, place = take(CONDITION_DEFINITION.size)) {
  const pointer = policy === undefined ? 0 : putPolicy(engine, take, policy);
  const times = timing === undefined ? 0 : putTiming(engine, take, timing);
  const to = engine.numbers;
  engine.memory.fill(0, place, place + CONDITION_DEFINITION.size);
  to.setUint32(place, CONDITION_DEFINITION.size, true);
  to.setInt32(place + CONDITION_DEFINITION.kind, 1, true);
  const assumed = assuming === undefined || assuming === null ? -1 : chosen(assuming, "assuming", ASSUMED);
  to.setInt32(place + CONDITION_DEFINITION.assuming, assumed, true);
  to.setUint32(place + CONDITION_DEFINITION.policy, pointer, true);
  to.setBigUint64(place + CONDITION_DEFINITION.tag, unsigned(tag ?? 0, "tag"), true);
  to.setUint32(place + CONDITION_DEFINITION.timing, times, true);
  if (band !== undefined) putBand(to, place, band);
  return place;
}

/** Writes the limits of a band into a definition whose members are 0. A limit that is left out does not exist. */
function putBand(to, place, given) {
  const { min, max, minReference = "ellipsoid", maxReference = minReference } = members(given, "band", BAND_MEMBERS);
  const limit = (name, value, reference) => {
    const known = chosen(reference, `band.${name}Reference`, REFERENCES);
    if (value === undefined) return;
    to.setFloat64(place + CONDITION_DEFINITION[`altitude_${name}_m`], number(value, `band.${name}`), true);
    to.setUint32(place + CONDITION_DEFINITION[`altitude_${name}_reference`], known + 1, true);
  };
  limit("min", min, minReference);
  limit("max", max, maxReference);
}

function putReading(engine, place, { edges, oriented, buffer, maxVertices }) {
  const to = engine.numbers;
  to.setInt32(place + CONDITION_DEFINITION.edges, chosen(edges ?? "geodesic", "edges", EDGES), true);
  to.setUint32(place + CONDITION_DEFINITION.oriented, truth(oriented ?? false, "oriented") ? 1 : 0, true);
  const most = maxVertices === undefined ? 0 : integer(maxVertices, "maxVertices", 1, MOST_VERTICES);
  to.setUint32(place + CONDITION_DEFINITION.max_vertices, most, true);
  to.setFloat64(place + CONDITION_DEFINITION.buffer_m, number(buffer ?? 0, "buffer"), true);
}

// --------------------------------------------------------------------------------------------------- geometry

function list(value, name) {
  if (!Array.isArray(value)) throw new InvalidArgumentError(`${name} is ${shown(value)}; must be an array`);
  return value;
}

/** The parts of a GeoJSON geometry; each part is an array of rings or lines. */
function partsOf({ type, coordinates }) {
  switch (type) {
    case "Polygon":
      return [list(coordinates, "coordinates")];
    case "MultiPolygon":
      return list(coordinates, "coordinates").map((part, index) => list(part, `coordinates[${index}]`));
    case "LineString":
      return [[list(coordinates, "coordinates")]];
    default:
      return [list(coordinates, "coordinates")];
  }
}

function putGeometry(engine, take, geometry) {
  const parts = partsOf(geometry);
  const rings = parts.flat();
  let count = 0;
  rings.forEach((ring, index) => {
    count += list(ring, `ring ${index} of coordinates`).length;
  });
  if (count > 2 * MOST_VERTICES) {
    throw new InvalidArgumentError(`the geometry has ${count} vertices; must have at most ${MOST_VERTICES}`);
  }
  const latitudes = take(8 * count);
  const longitudes = take(8 * count);
  const ringOffsets = take(4 * (rings.length + 1));
  const partOffsets = take(4 * (parts.length + 1));
  const place = take(GEOMETRY.size);
  const to = engine.numbers;
  let vertex = 0;
  rings.forEach((ring, index) => {
    to.setInt32(ringOffsets + 4 * index, vertex, true);
    for (let at = 0; at < ring.length; at++, vertex++) {
      const position = ring[at];
      if (!Array.isArray(position) || typeof position[0] !== "number" || typeof position[1] !== "number") {
        throw new InvalidArgumentError(
          `vertex ${at} of ring ${index} is ${shown(position)}; must be an array [longitude, latitude]`,
        );
      }
      to.setFloat64(longitudes + 8 * vertex, position[0], true);
      to.setFloat64(latitudes + 8 * vertex, position[1], true);
    }
  });
  to.setInt32(ringOffsets + 4 * rings.length, vertex, true);
  let ring = 0;
  parts.forEach((part, index) => {
    to.setInt32(partOffsets + 4 * index, ring, true);
    ring += part.length;
  });
  to.setInt32(partOffsets + 4 * parts.length, ring, true);
  to.setUint32(place, GEOMETRY.size, true);
  to.setUint32(place + GEOMETRY.stride, 8, true);
  to.setUint32(place + GEOMETRY.latitudes, latitudes, true);
  to.setUint32(place + GEOMETRY.longitudes, longitudes, true);
  to.setUint32(place + GEOMETRY.vertex_count, count, true);
  to.setUint32(place + GEOMETRY.ring_offsets, ringOffsets, true);
  to.setUint32(place + GEOMETRY.ring_count, rings.length, true);
  to.setUint32(place + GEOMETRY.part_offsets, partOffsets, true);
  to.setUint32(place + GEOMETRY.part_count, parts.length, true);
  return place;
}

const accepted =
  "must be a circle {latitude, longitude, radius}, a beacon {uuid, major, minor}, a rule {rule}, or a GeoJSON geometry of "
  + "type Polygon, MultiPolygon, LineString or MultiLineString";

/** The kinds of condition by their numbers in fencepost.h. */
export function kindOf(condition, options) {
  if (typeof condition !== "object" || condition === null) {
    throw new InvalidArgumentError(`the condition is ${shown(condition)}; ${accepted}`);
  }
  if (condition.type !== undefined) {
    if (POLYGONS.includes(condition.type)) return 3;
    if (LINES.includes(condition.type)) return options.radius === undefined ? 5 : 4;
    throw new InvalidArgumentError(`the type of the condition is ${shown(condition.type)}; ${accepted}`);
  }
  if (condition.uuid !== undefined) return 2;
  if (condition.rule !== undefined) return 6;
  if ("radius" in condition) return 1;
  throw new InvalidArgumentError(`the condition has neither a radius, nor a uuid, nor a rule, nor a type; ${accepted}`);
}

const component = (value, name) => (value === undefined || value === null ? -1 : integer(value, name, 0, 65535));

/** Writes the parts of a rule, such as { all: ["a", "b"] } or { atLeast: 2, of: ["a", "b", "c"] }, into its definition. */
function putRule(engine, take, place, given) {
  const { of, ...forms } = members(given, "rule", [...FORMS, "of"]);
  const names = Object.keys(forms).filter((name) => forms[name] !== undefined);
  if (names.length !== 1 || (of !== undefined) !== (names[0] === "atLeast")) {
    throw new InvalidArgumentError("a rule must have one of all, any and none, or atLeast with of");
  }
  const [form] = names;
  const parts = list(of ?? forms[form], `rule.${of === undefined ? form : "of"}`);
  const count = of === undefined ? 0 : integer(forms.atLeast, "count: rule.atLeast", 0, 2 ** 32 - 1);
  if (parts.length > MOST_PARTS) {
    throw new InvalidArgumentError(`too_many_parts: a rule has ${parts.length} parts; at most ${MOST_PARTS}: make rules of parts, and one of them`);
  }
  const texts = engine.putAll(take, Array.from(parts), "identifier: parts");
  const to = engine.numbers;
  to.setUint32(place + CONDITION_DEFINITION.parts, texts, true);
  to.setUint32(place + CONDITION_DEFINITION.part_count, parts.length, true);
  to.setUint32(place + CONDITION_DEFINITION.rule_form, FORMS.indexOf(form), true);
  to.setUint32(place + CONDITION_DEFINITION.at_least, count, true);
}

/** Writes the definition of a condition to `place`; returns its kind. */
export function putCondition(engine, take, identifier, condition, options, place) {
  members(options, "options", OPTION_MEMBERS);
  const kind = kindOf(condition, options);
  putDefinition(engine, take, options, place);
  const put = (member, value) => engine.numbers.setFloat64(place + CONDITION_DEFINITION[member], value, true);
  if (kind === 1) {
    members(condition, "the circle", ["latitude", "longitude", "radius"]);
    put("latitude", number(condition.latitude, "latitude"));
    put("longitude", number(condition.longitude, "longitude"));
    put("radius_m", number(condition.radius, "radius"));
  } else if (kind === 2) {
    members(condition, "the beacon", ["uuid", "major", "minor"]);
    engine.memory.set(uuidBytes(condition.uuid), place + CONDITION_DEFINITION.uuid);
    engine.numbers.setInt32(place + CONDITION_DEFINITION.major, component(condition.major, "major"), true);
    engine.numbers.setInt32(place + CONDITION_DEFINITION.minor, component(condition.minor, "minor"), true);
  } else if (kind === 6) {
    members(condition, "the condition", ["rule"]);
    putRule(engine, take, place, condition.rule);
  } else {
    const geometry = putGeometry(engine, take, condition);
    putReading(engine, place, options);
    engine.numbers.setUint32(place + CONDITION_DEFINITION.geometry, geometry, true);
    if (kind === 4) put("radius_m", number(options.radius, "radius"));
  }
  if ((kind < 3 || kind === 6) && (options.edges ?? options.oriented ?? options.buffer ?? options.radius ?? options.maxVertices) !== undefined) {
    throw new InvalidArgumentError("edges, oriented, buffer, radius and maxVertices apply only to polygons and lines");
  }
  engine.numbers.setInt32(place + CONDITION_DEFINITION.kind, kind, true);
  engine.numbers.setUint32(place + CONDITION_DEFINITION.identifier, identifier, true);
  return kind;
}

/** An upper bound of the memory that a condition takes in the engine, in bytes. */
export function sizeOf(condition, options) {
  const count = (value, depth) =>
    depth > 0 && Array.isArray(value) && Array.isArray(value[0]) ? value.reduce((sum, one) => sum + count(one, depth - 1), 1) : 1;
  const intervals = options?.timing?.active;
  const rule = condition?.rule;
  const parts = rule?.of ?? rule?.all ?? rule?.any ?? rule?.none;
  if (Array.isArray(parts)) return 4096 + 2048 * Math.min(parts.length, MOST_PARTS) + 64 * (Array.isArray(intervals) ? intervals.length : 0);
  return 4096 + 2048 * count(condition?.coordinates, 3) + (Array.isArray(intervals) ? 64 * intervals.length : 0);
}

// ------------------------------------------------------------------------------------------- well-known binary

/** Converts the ISO well-known binary that the engine writes to a GeoJSON geometry. */
export function geometryOf(memory, place) {
  const view = new DataView(memory.buffer);
  let at = place;
  const count = () => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const line = () =>
    Array.from({ length: count() }, () => {
      at += 16;
      return [view.getFloat64(at - 16, true), view.getFloat64(at - 8, true)];
    });
  const body = (type) => {
    if (type === 2) return line();
    if (type === 3) return Array.from({ length: count() }, line);
    return Array.from({ length: count() }, () => {
      at += 5;
      return body(type - 3);
    });
  };
  const type = view.getUint32(at + 1, true);
  at += 5;
  const names = { 2: "LineString", 3: "Polygon", 5: "MultiLineString", 6: "MultiPolygon" };
  return { type: names[type], coordinates: body(type) };
}

// ------------------------------------------------------------------------------------------------ files of zones

const SNAKE = {
  entry_dwell: "entryDwell", exit_dwell: "exitDwell", entry_margin: "entryMargin", exit_margin: "exitMargin",
  exit_margin_limit: "exitMarginLimit", accuracy_factor: "accuracyFactor", dwell_policy: "dwellPolicy",
  entry_probability: "entryProbability", exit_probability: "exitProbability", vertical_margin: "verticalMargin",
};
const TIMING_PROPERTIES = {
  absent_after: "absentAfter", repeat_every: "repeatEvery", repeat_limit: "repeatLimit", max_events: "maxEvents",
};

/** Reads a time of ISO 8601 with an offset, to the microsecond. */
function instantOf(text, name) {
  const [, minutes, seconds, fraction, offset] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const time = Date.parse(`${minutes}:${seconds ?? "00"}${offset}`);
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError(`${name} is ${shown(text)}; must be a time of ISO 8601 with an offset, such as 2026-03-02T08:00:00+01:00`);
  }
  return BigInt(time) * 1000n + BigInt((fraction ?? "").padEnd(6, "0"));
}

/** The timing in the properties of a feature; undefined if it has none. */
function timingOf(given) {
  const timing = {};
  if (given.active !== undefined) {
    timing.active = list(given.active, "active").map((text, row) => {
      const ends = typeof text === "string" ? text.split("/") : [];
      if (ends.length !== 2) throw new InvalidArgumentError(`active[${row}] is ${shown(text)}; must be "start/end", two times of ISO 8601`);
      return ends.map((end) => instantOf(end, `active[${row}]`));
    });
  }
  if (given.active_until !== undefined) timing.activeUntil = instantOf(given.active_until, "active_until");
  for (const [name, member] of Object.entries(TIMING_PROPERTIES)) if (given[name] !== undefined) timing[member] = given[name];
  return Object.keys(timing).length > 0 ? timing : undefined;
}

/** The rule in the properties of a feature. */
function ruleOf(given) {
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name === "at_least" ? "atLeast" : name, value]));
}

/**
 * Reads the conditions of a GeoJSON file in the format that the command and the Python package write. Each condition is
 * a Feature whose `properties` have `identifier`, `radius` (metres; for a Point or a corridor), `policy`, `assuming`,
 * `tag`, `edges` (default: planar, as in RFC 7946), `oriented`, `buffer`, and for a timing `active`, `active_until`,
 * `absent_after`, `repeat_every`, `repeat_limit` and `max_events`. A beacon has `uuid`, `major`, `minor` instead
 * of a geometry, and a rule has `rule`: `all`, `any` or `none` with identifiers, or `at_least` and `of`.
 *
 * @param {{maxVertices?: number}} options The vertex limit per shape after splitting planar edges (default 500 000).
 * @returns {{identifier: string, condition: object, options: object}[]}
 */
export function fromGeoJSON(object, { maxVertices = FILE_VERTICES } = {}) {
  integer(maxVertices, "maxVertices", 1, MOST_VERTICES);
  const features = object?.type === "FeatureCollection" ? list(object.features, "features") : [object];
  return features.map((feature, row) => {
    if (feature?.type !== "Feature") {
      throw new InvalidArgumentError(`feature ${row} is ${shown(feature)}; must be a GeoJSON Feature`, { position: row });
    }
    const { geometry, properties } = feature;
    const given = properties ?? {};
    const options = {};
    for (const name of ["assuming", "tag"]) if (given[name] !== undefined) options[name] = given[name];
    if (typeof given.policy === "object" && given.policy !== null) {
      options.policy = Object.fromEntries(Object.entries(given.policy).map(([key, value]) => [SNAKE[key] ?? key, value]));
    } else if (given.policy !== undefined) options.policy = given.policy;
    const timing = timingOf(given);
    if (timing !== undefined) options.timing = timing;
    const identifier = given.identifier ?? feature.id;
    if (!geometry && given.rule !== undefined) return { identifier, condition: { rule: ruleOf(given.rule) }, options };
    if (!geometry) {
      const { uuid, major, minor } = given;
      return { identifier, condition: { uuid, major, minor }, options };
    }
    if (geometry.type === "Point") {
      const [longitude, latitude] = list(geometry.coordinates, "coordinates");
      return { identifier, condition: { latitude, longitude, radius: given.radius }, options };
    }
    for (const name of ["oriented", "buffer"]) if (given[name] !== undefined) options[name] = given[name];
    options.edges = given.edges ?? "planar";
    options.maxVertices = maxVertices;
    if (LINES.includes(geometry.type) && given.radius !== undefined) options.radius = given.radius;
    return { identifier, condition: { type: geometry.type, coordinates: geometry.coordinates }, options };
  });
}
