// Contains the methods that monitors and tables of zones share: conditions, and queries about points.

import { geometryOf, putCondition, putDefinition, sizeOf } from "./conditions.js";
import { Handle } from "./engine.js";
import { InvalidArgumentError } from "./errors.js";
import { CONDITION_DEFINITION, CONDITION_STATE, INTERVAL, POINT_COLUMNS, SHAPE, SYNC_RESULT } from "./layout.js";
import {
  EDGES, FORMS, KINDS, countOf, integer, members, number, numberOf, putNumbers, putTimes, refuseDetached, sameLength, shown, timeOf,
  unsigned,
} from "./values.js";

const PUT_ADD = 0;
const RULE = 6;
const NEVER = 2n ** 63n - 1n;
const COLUMN_MEMBERS = ["identifiers", "latitudes", "longitudes", "radii", "tags"];
const HEIGHTS = ["altitude", "geoidHeight", "groundHeight", "time"];
/** The columns of heights by the names of their members in the engine. */
const HEIGHT_COLUMNS = { altitudes: "altitude", geoidHeights: "geoid_height", groundHeights: "ground_height" };

/** The time of a point without a time. */
const NO_TIME = -(2n ** 63n);

const REFERENCES = ["", "ellipsoid", "mean_sea_level", "ground"];

/** The band of a described condition; null if it has none. A limit that does not exist is left out. */
function bandOf(numbers, place) {
  const band = {};
  for (const name of ["min", "max"]) {
    const reference = numbers.getUint32(place + SHAPE[`altitude_${name}_reference`], true);
    if (reference === 0) continue;
    band[name] = numbers.getFloat64(place + SHAPE[`altitude_${name}_m`], true);
    band[`${name}Reference`] = REFERENCES[reference];
  }
  return Object.keys(band).length > 0 ? band : null;
}

/** The rule of a described condition, whose parts are `parts`. */
function ruleOf(numbers, place, parts) {
  const form = FORMS[numbers.getUint32(place + SHAPE.rule_form, true)];
  return form === "atLeast" ? { atLeast: numbers.getUint32(place + SHAPE.at_least, true), of: parts } : { [form]: parts };
}

/**
 * The timing of a described condition, as the option `timing` takes it; null without one. A member that says nothing is
 * left out.
 */
function timingOf(numbers, place) {
  const timing = {};
  const of = (member) => numbers.getBigInt64(place + SHAPE[member], true);
  if (numbers.getUint32(place + SHAPE.has_active, true) !== 0) {
    const start = numbers.getUint32(place + SHAPE.active, true);
    timing.active = Array.from({ length: countOf(numbers, place + SHAPE.active_count) }, (_, row) =>
      ["start_us", "end_us"].map((edge) => numbers.getBigInt64(start + row * INTERVAL.size + INTERVAL[edge], true)),
    );
    if (of("active_until_us") !== NEVER) timing.activeUntil = of("active_until_us");
  }
  if (of("absent_after_us") !== 0n) timing.absentAfter = Number(of("absent_after_us")) / 1e6;
  if (of("repeat_every_us") !== 0n) {
    timing.repeatEvery = Number(of("repeat_every_us")) / 1e6;
    timing.repeatLimit = numbers.getUint32(place + SHAPE.repeat_limit, true);
  }
  if (of("max_events") !== 0n) timing.maxEvents = Number(of("max_events"));
  return Object.keys(timing).length > 0 ? timing : null;
}

/** An object that has conditions. */
export class Holder extends Handle {
  #names;
  #table;

  /**
   * @param names The names of the engine's functions for this object.
   * @param table The address of the reference to its table of conditions; undefined if the object is a table.
   */
  constructor(owner, place, destroy, names, table) {
    super(owner, place, destroy, table === undefined ? [] : [["fencepost_conditions_destroy", table]]);
    this.#names = names;
    this.#table = table;
  }

  /** @internal The address of the table of conditions. */
  get table() {
    const { place } = this;
    return this.#table ?? place;
  }

  /** Writes one condition, and calls `body` with its definition and the place of a result. */
  #put(identifier, condition, options, body) {
    const { engine } = this;
    engine.room(sizeOf(condition, options));
    return engine.within((take) => {
      const id = engine.put(take, identifier, "identifier");
      const definition = take(CONDITION_DEFINITION.size);
      const kind = putCondition(engine, take, id, condition, options, definition);
      if (kind === 5 && !this.#names.lines) {
        throw new InvalidArgumentError("a line without a radius is a gate, which needs a monitor with a path; set a radius to make a corridor");
      }
      return body(definition, take(SYNC_RESULT.size));
    });
  }

  /** Adds a condition, or replaces the condition with the same identifier: see the type declarations. */
  add(identifier, condition, options = {}) {
    this.#put(identifier, condition, options, (definition) =>
      this.engine.call("fencepost_conditions_add", this.table, definition, 1),
    );
  }

  /**
   * Adds or replaces a condition, but does nothing if an equal condition exists. Returns true if the condition was
   * added or replaced.
   */
  ensure(identifier, condition, options = {}) {
    return this.#put(identifier, condition, options, (definition, result) => {
      this.engine.call("fencepost_conditions_ensure", this.table, definition, 1, result);
      return countOf(this.engine.numbers, result + SYNC_RESULT.kept) === 0;
    });
  }

  /** Adds many circles from columns. All or nothing. */
  addCircles(columns, options = {}) {
    const { engine } = this;
    members(columns, "columns", COLUMN_MEMBERS);
    members(options, "options", ["assuming", "policy", "tag", "timing"]);
    const { identifiers, latitudes, longitudes, radii, tags } = columns;
    const count = sameLength({ identifiers, latitudes, longitudes, radii, tags });
    engine.room(1024 * count);
    engine.within((take) => {
      const ids = engine.putAll(take, Array.from(identifiers), "identifiers");
      const places = [];
      for (const [name, column] of Object.entries({ latitudes, longitudes, radii })) {
        const place = take(8 * count);
        putNumbers(engine, place, column, 0, count, name);
        places.push(place);
      }
      let tagged = 0;
      if (tags !== undefined) {
        tagged = take(8 * count);
        const checked = Array.from(tags, (tag, row) => unsigned(tag, `tags[${row}]`));
        new BigUint64Array(engine.memory.buffer, tagged, count).set(checked);
      }
      const common = putDefinition(engine, take, options);
      engine.call("fencepost_conditions_put_circles", this.table, PUT_ADD, common, ids, ...places, tagged, count, 0);
    });
  }

  /** Makes the set of conditions equal to a list; does not change existing conditions that are equal to an element. */
  sync(rows) {
    const { engine } = this;
    if (!Array.isArray(rows)) throw new InvalidArgumentError(`rows is ${shown(rows)}; must be an array`);
    engine.room(rows.reduce((sum, row) => sum + sizeOf(row?.condition, row?.options), 0));
    return engine.within((take) => {
      const definitions = take(CONDITION_DEFINITION.size * rows.length);
      rows.forEach((row, index) => {
        members(row, `rows[${index}]`, ["identifier", "condition", "options"]);
        const id = engine.put(take, row.identifier, `rows[${index}].identifier`);
        const at = definitions + CONDITION_DEFINITION.size * index;
        putCondition(engine, take, id, row.condition, row.options ?? {}, at);
      });
      const result = take(SYNC_RESULT.size);
      engine.call("fencepost_conditions_sync", this.table, definitions, rows.length, result);
      const numbers = engine.numbers;
      return {
        added: countOf(numbers, result + SYNC_RESULT.added),
        replaced: countOf(numbers, result + SYNC_RESULT.replaced),
        kept: countOf(numbers, result + SYNC_RESULT.kept),
        removed: countOf(numbers, result + SYNC_RESULT.removed),
      };
    });
  }

  /** Removes a condition. Returns true if the condition existed. */
  remove(identifier) {
    const { engine } = this;
    return engine.within((take) => {
      const id = engine.put(take, identifier, "identifier");
      const [ids, removed] = [take(8), take(8)];
      engine.numbers.setUint32(ids, id, true);
      engine.call("fencepost_conditions_remove", this.table, ids, 1, removed);
      return engine.numbers.getUint32(removed, true) !== 0;
    });
  }

  /** The identifiers, in the order in which the conditions were added. */
  get identifiers() {
    const { engine } = this;
    return engine.answer(
      1,
      (buffer, capacity, size) => engine.fits("fencepost_conditions_identifiers", this.table, buffer, capacity, size, 0),
      (buffer, size) => engine.texts(buffer, size),
    );
  }

  /** How the geometry of a condition was read. */
  shape(identifier) {
    const { engine } = this;
    return engine.within((take) => {
      const id = engine.put(take, identifier, "identifier");
      const place = this.#described(take, id);
      const from = engine.numbers;
      return {
        kind: KINDS[from.getInt32(place + SHAPE.kind, true)],
        edges: EDGES[from.getInt32(place + SHAPE.edges, true)],
        oriented: from.getUint32(place + SHAPE.oriented, true) !== 0,
        buffer: numberOf(from, place + SHAPE.buffer_m),
        radius: numberOf(from, place + SHAPE.radius_m),
        depth: numberOf(from, place + SHAPE.depth_m),
        vertexCount: countOf(from, place + SHAPE.vertex_count),
        departure: numberOf(from, place + SHAPE.departure_m),
        leftOutRings: from.getUint32(place + SHAPE.left_out_rings, true),
        band: bandOf(from, place),
        timing: timingOf(from, place),
        rule: from.getInt32(place + SHAPE.kind, true) === RULE ? ruleOf(from, place, this.#parts(id)) : null,
      };
    });
  }

  /** Reads the description of a condition with all its intervals. */
  #described(take, id) {
    const { engine } = this;
    const place = take(SHAPE.size);
    engine.memory.fill(0, place, place + SHAPE.size);
    engine.numbers.setUint32(place, SHAPE.size, true);
    engine.call("fencepost_conditions_describe", this.table, id, 0, 0, place);
    const count = countOf(engine.numbers, place + SHAPE.active_count);
    if (count > 0) {
      const active = take(count * INTERVAL.size);
      engine.numbers.setUint32(place + SHAPE.active, active, true);
      engine.numbers.setUint32(place + SHAPE.active_capacity, count, true);
      engine.call("fencepost_conditions_describe", this.table, id, 0, 0, place);
    }
    return place;
  }

  /** The identifiers of the parts of a rule, whose identifier is at an address. */
  #parts(id) {
    const { engine } = this;
    return engine.answer(
      1,
      (buffer, capacity, size) => engine.fits("fencepost_conditions_geometry", this.table, id, buffer, capacity, size),
      (buffer, size) => engine.texts(buffer, size),
    );
  }

  /** The vertices of a polygon, corridor or line as a GeoJSON geometry. */
  geometry(identifier) {
    const { engine } = this;
    return engine.within((take) => {
      const id = engine.put(take, identifier, "identifier");
      const place = take(SHAPE.size);
      engine.memory.fill(0, place, place + SHAPE.size);
      engine.numbers.setUint32(place, SHAPE.size, true);
      engine.call("fencepost_conditions_describe", this.table, id, 0, 0, place);
      if (engine.numbers.getInt32(place + SHAPE.kind, true) === RULE) {
        throw new InvalidArgumentError(`${shown(identifier)} is a rule, which has no geometry; shape() returns its parts`);
      }
      return engine.answer(
        1,
        (buffer, capacity, size) => engine.fits("fencepost_conditions_geometry", this.table, id, buffer, capacity, size),
        (buffer) => geometryOf(engine.memory, buffer),
      );
    });
  }

  // -------------------------------------------------------------------------------------------- questions

  /** The conditions that contain a point, in the order in which they were added; with heights, only those whose bands
      contain the heights; with a time, only those whose schedules contain the time. */
  containing(latitude, longitude, heights) {
    const { engine } = this;
    if (heights !== undefined) {
      const { altitude = NaN, geoidHeight = NaN, groundHeight = NaN, time } = members(heights, "heights", HEIGHTS);
      const found = this.containingMany({
        latitudes: [latitude], longitudes: [longitude], altitudes: [altitude], geoidHeights: [geoidHeight],
        groundHeights: [groundHeight], times: time === undefined ? undefined : [time],
      });
      return this.identifiersOf(found.generations).map((identifier, row) => ({
        identifier, boundaryDistance: found.distances[row],
      }));
    }
    const [north, east] = [number(latitude, "latitude"), number(longitude, "longitude")];
    return engine.within((take) => {
      const size = take(8);
      let capacity = 64;
      for (;;) {
        const generations = take(8 * capacity);
        const distances = take(8 * capacity);
        const fits = engine.fits("fencepost_conditions_containing", this.table, north, east, generations, distances, capacity, size);
        const count = engine.numbers.getUint32(size, true);
        if (fits) return this.#located(generations, distances, count);
        capacity = count;
      }
    });
  }

  /** The conditions whose boundaries are nearest to a point, the nearest first. */
  nearest(latitude, longitude, count = 1) {
    const { engine } = this;
    const [north, east] = [number(latitude, "latitude"), number(longitude, "longitude")];
    const most = Math.min(integer(count, "count", 0, 4294967295), this.identifiers.length);
    return engine.within((take) => {
      const size = take(8);
      const generations = take(8 * most);
      const distances = take(8 * most);
      engine.call("fencepost_conditions_nearest", this.table, north, east, most, generations, distances, size);
      return this.#located(generations, distances, engine.numbers.getUint32(size, true));
    });
  }

  #located(generations, distances, count) {
    const { engine } = this;
    if (count === 0) return [];
    const found = Array.from(new Float64Array(engine.memory.buffer, distances, count));
    return this.#texts(generations, count).map((identifier, row) => ({ identifier, boundaryDistance: found[row] }));
  }

  #texts(generations, count) {
    const { engine } = this;
    return engine.answer(
      1,
      (buffer, capacity, size) =>
        engine.fits("fencepost_conditions_identifiers_of_generations", this.table, generations, count, buffer, capacity, size),
      (buffer, size) => engine.texts(buffer, size),
    );
  }

  /** The conditions that contain each of many points. */
  containingMany(columns) {
    const { engine } = this;
    return this.#asked(columns, (take, points, count) => {
      const size = take(8);
      const offsets = take(8 * (count + 1));
      let capacity = Math.max(count, 64);
      for (;;) {
        const [generations, distances] = [take(8 * capacity), take(8 * capacity)];
        const fits = engine.fits(
          "fencepost_conditions_containing_columns", this.table, points, count, offsets, generations, distances, capacity, size,
        );
        const found = engine.numbers.getUint32(size, true);
        if (fits) {
          const { buffer } = engine.memory;
          return {
            offsets: Uint32Array.from(new BigInt64Array(buffer, offsets, count + 1), Number),
            generations: new BigUint64Array(buffer, generations, found).slice(),
            distances: new Float64Array(buffer, distances, found).slice(),
          };
        }
        capacity = found;
      }
    });
  }

  /** The conditions whose boundaries are nearest to each of many points. */
  nearestMany(columns, count = 1) {
    const { engine } = this;
    const most = Math.min(integer(count, "count", 0, 4294967295), this.identifiers.length);
    return this.#asked(columns, (take, points, rows) => {
      const size = take(8);
      const [generations, distances] = [take(8 * rows * most), take(8 * rows * most)];
      engine.call("fencepost_conditions_nearest_columns", this.table, points, rows, most, generations, distances, size);
      const { buffer } = engine.memory;
      return {
        count: engine.numbers.getUint32(size, true),
        generations: new BigUint64Array(buffer, generations, rows * most).slice(),
        distances: new Float64Array(buffer, distances, rows * most).slice(),
      };
    });
  }

  #asked(columns, body) {
    const { engine } = this;
    members(columns, "columns", ["latitudes", "longitudes", ...Object.keys(HEIGHT_COLUMNS), "times"]);
    const { latitudes, longitudes, altitudes, geoidHeights, groundHeights, times } = columns;
    const heights = { altitudes, geoidHeights, groundHeights };
    const count = sameLength({ latitudes, longitudes, ...heights, times });
    engine.room(160 * count);
    return engine.within((take) => {
      const places = [take(8 * count), take(8 * count)];
      putNumbers(engine, places[0], latitudes, 0, count, "latitudes");
      putNumbers(engine, places[1], longitudes, 0, count, "longitudes");
      const given = Object.entries(heights).filter(([, column]) => column !== undefined);
      const starts = given.map(([name, column]) => {
        const start = take(8 * count);
        putNumbers(engine, start, column, 0, count, name);
        return start;
      });
      const when = times === undefined ? 0 : take(8 * count);
      if (times !== undefined) {
        putTimes(engine, when, times, 0, count, "times");
        for (let row = 0; row < count; row++) {
          if (Number.isNaN(times[row])) engine.numbers.setBigInt64(when + 8 * row, NO_TIME, true);
        }
      }
      const points = take(POINT_COLUMNS.size);
      const to = engine.numbers;
      engine.memory.fill(0, points, points + POINT_COLUMNS.size);
      to.setUint32(points, POINT_COLUMNS.size, true);
      to.setUint32(points + POINT_COLUMNS.reserved, 0, true);
      to.setUint32(points + POINT_COLUMNS.latitudes, places[0], true);
      to.setUint32(points + POINT_COLUMNS.longitudes, places[1], true);
      to.setBigInt64(points + POINT_COLUMNS.latitude_stride, 8n, true);
      to.setBigInt64(points + POINT_COLUMNS.longitude_stride, 8n, true);
      given.forEach(([name], index) => {
        to.setUint32(points + POINT_COLUMNS[`${HEIGHT_COLUMNS[name]}s_m`], starts[index], true);
        to.setBigInt64(points + POINT_COLUMNS[`${HEIGHT_COLUMNS[name]}_stride`], 8n, true);
      });
      to.setUint32(points + POINT_COLUMNS.times_us, when, true);
      to.setBigInt64(points + POINT_COLUMNS.time_stride, 8n, true);
      return body(take, points, count);
    });
  }

  /** The identifiers of the conditions with the given generations; a removed condition has the identifier "". */
  identifiersOf(generations) {
    const { engine } = this;
    if (!(generations instanceof BigUint64Array)) {
      throw new InvalidArgumentError(`generations is ${shown(generations)}; must be a BigUint64Array`);
    }
    return engine.within((take) => {
      const place = take(8 * generations.length);
      new BigUint64Array(engine.memory.buffer, place, generations.length).set(generations);
      return this.#texts(place, generations.length);
    });
  }

  /** The point on a condition's boundary that is nearest to a position; null if the condition has no boundary. */
  nearestBoundaryPoint(identifier, latitude, longitude) {
    const { engine } = this;
    return engine.within((take) => {
      const id = engine.put(take, identifier, "identifier");
      const out = take(16);
      engine.call(
        "fencepost_conditions_nearest_boundary_point", this.table, id, number(latitude, "latitude"), number(longitude, "longitude"), out, out + 8,
      );
      const north = numberOf(engine.numbers, out);
      return north === null ? null : { latitude: north, longitude: engine.numbers.getFloat64(out + 8, true) };
    });
  }

  /** The whole state as bytes, which are the same on every platform. */
  snapshot() {
    const { engine } = this;
    return snapshotOf(engine, this.#names.snapshot, this.place);
  }
}

const PART = 64;

/**
 * Yields the conditions in a state, read in parts of the list.
 *
 * @param list Reads one part: receives the generation after which the part begins, and the memory for the part.
 */
export function* conditionStates(engine, list) {
  let part;
  for (let after = 0n; ; after = BigInt(part.at(-1).generation)) {
    part = engine.within((take) => {
      const buffer = take(CONDITION_STATE.size * PART);
      list(after, buffer, PART, engine.flag);
      const { numbers } = engine;
      return Array.from({ length: numbers.getUint32(engine.flag, true) }, (_, index) => {
        const at = buffer + CONDITION_STATE.size * index;
        const length = numbers.getUint32(at + CONDITION_STATE.identifier_length, true);
        return {
          identifier: engine.decode(at + CONDITION_STATE.identifier, length),
          sinceUs: timeOf(numbers, at + CONDITION_STATE.since_us),
          evidenceDateUs: timeOf(numbers, at + CONDITION_STATE.evidence_date_us),
          generation: countOf(numbers, at + CONDITION_STATE.generation),
          tag: numbers.getBigUint64(at + CONDITION_STATE.tag, true),
        };
      });
    });
    yield* part;
    if (part.length < PART) return;
  }
}

/** The bytes of a snapshot. */
export function snapshotOf(engine, name, place) {
  engine.room(1 << 20);
  return engine.answer(
    1,
    (buffer, capacity, size) => engine.fits(name, place, buffer, capacity, size),
    (buffer, size) => engine.memory.slice(buffer, buffer + size),
  );
}

/** Makes an object from bytes. */
export function restored(engine, name, bytes, ...handles) {
  if (!(bytes instanceof Uint8Array)) {
    throw new InvalidArgumentError(`the snapshot is ${shown(bytes)}; must be a Uint8Array`);
  }
  refuseDetached(bytes, "the snapshot");
  engine.room(16 * bytes.length);
  return engine.within((take) => {
    const place = take(bytes.length);
    engine.memory.set(bytes, place);
    engine.call(name, place, bytes.length, ...handles.map((handle) => handle?.place ?? 0), engine.flag);
    return engine.numbers.getUint32(engine.flag, true);
  });
}
