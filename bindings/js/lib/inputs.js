// Writes fixes and scan reports into the engine's memory, and reads explanations; monitors and fleets use this code.

import { InvalidArgumentError, QueueFullError } from "./errors.js";
import { CONDITION_STATE, EXPLANATION, FEED_RESULT, FIX, FIX_COLUMNS, SIGHTING } from "./layout.js";
import {
  DIAGNOSTICS, REASONS, STATES, countOf, integer, members, namesOf, number, numberOf, putNumbers, putTime, putTimes, sameLength,
  shown, timeOf, truth, uuidBytes,
} from "./values.js";

/** The number of rows copied at a time; this limits the memory that a long batch needs in addition to its columns. */
const BLOCK = 1 << 16;
const NO_RSSI = -2147483648;

/** Writes a fix into the engine's memory. */
export function putFix(engine, fix) {
  if (typeof fix !== "object" || fix === null) {
    throw new InvalidArgumentError(`the fix is ${shown(fix)}; must be {latitude, longitude, accuracy, time}`);
  }
  const { latitude, longitude, accuracy = 0, time } = fix;
  if (typeof latitude !== "number" || typeof longitude !== "number" || typeof accuracy !== "number") {
    number(latitude, "latitude");
    number(longitude, "longitude");
    number(accuracy, "accuracy");
  }
  const to = engine.numbers;
  const place = engine.fix;
  to.setFloat64(place + FIX.latitude, latitude, true);
  to.setFloat64(place + FIX.longitude, longitude, true);
  to.setFloat64(place + FIX.accuracy_m, accuracy, true);
  putTime(to, place + FIX.time_us, time);
  return place;
}

const ELLIPSE = ["major", "minor", "orientation"];

/** Writes columns of one row with a fix that has an error ellipse or a height; the engine feeds the row like a single
    fix. */
export function putOneFix(engine, take, fix) {
  const { errorEllipse, altitude, verticalAccuracy, geoidHeight, groundHeight } = fix;
  const given = { altitude, verticalAccuracy, geoidHeight, groundHeight };
  const ellipse = (errorEllipse ?? null) === null ? null : members(errorEllipse, "errorEllipse", ELLIPSE);
  const at = putFix(engine, fix);
  const axes = take(56);
  const place = take(FIX_COLUMNS.size);
  const to = engine.numbers;
  engine.memory.fill(0, place, place + FIX_COLUMNS.size);
  Object.keys(HEIGHTS).forEach((name, index) => {
    if ((given[name] ?? null) === null) return;
    to.setFloat64(axes + 24 + 8 * index, number(given[name], name), true);
    to.setUint32(place + FIX_COLUMNS[HEIGHTS[name]], axes + 24 + 8 * index, true);
  });
  if (ellipse !== null) ELLIPSE.forEach((name, index) => {
    to.setFloat64(axes + 8 * index, number(ellipse[name], `errorEllipse.${name}`), true);
    to.setUint32(place + FIX_COLUMNS[COLUMN_OF[name]], axes + 8 * index, true);
  });
  to.setUint32(place, FIX_COLUMNS.size, true);
  to.setUint32(place + FIX_COLUMNS.refuse_invalid, 2, true);
  to.setUint32(place + FIX_COLUMNS.latitudes, at + FIX.latitude, true);
  to.setUint32(place + FIX_COLUMNS.longitudes, at + FIX.longitude, true);
  to.setUint32(place + FIX_COLUMNS.accuracies_m, at + FIX.accuracy_m, true);
  to.setUint32(place + FIX_COLUMNS.times_us, at + FIX.time_us, true);
  return place;
}

/** Whether a fix has an error ellipse or a height. */
export function hasMore(fix) {
  return typeof fix === "object" && fix !== null && ((fix.errorEllipse ?? null) !== null || (fix.altitude ?? null) !== null);
}

/** The heights of a fix, and the columns of heights by their names in the engine. */
const HEIGHTS = {
  altitude: "altitudes_m", verticalAccuracy: "vertical_accuracies_m", geoidHeight: "geoid_heights_m",
  groundHeight: "ground_heights_m",
};
const HEIGHT_COLUMNS = {
  altitudes: "altitude", verticalAccuracies: "vertical_accuracy", geoidHeights: "geoid_height", groundHeights: "ground_height",
};
const HEIGHT_MEMBERS = {
  altitudes: "altitudes_m", verticalAccuracies: "vertical_accuracies_m", geoidHeights: "geoid_heights_m",
  groundHeights: "ground_heights_m",
};

/** The names of the columns of heights. */
export const HEIGHT_NAMES = Object.keys(HEIGHT_COLUMNS);

/** The columns of heights of a batch. */
function heightColumns({ altitudes, verticalAccuracies, geoidHeights, groundHeights }) {
  const given = { altitudes, verticalAccuracies, geoidHeights, groundHeights };
  return Object.fromEntries(Object.entries(given).filter(([, column]) => column !== undefined));
}

const COLUMN_OF = { major: "majors_m", minor: "minors_m", orientation: "orientations" };

/** The columns of error ellipses by their names in the engine; `undefined` without ellipses. */
function ellipseColumns(errorEllipses) {
  if (errorEllipses === undefined) return {};
  const { majors, minors, orientations } = members(errorEllipses, "errorEllipses", ["majors", "minors", "orientations"]);
  return { majors, minors, orientations };
}

/**
 * Feeds columns in blocks: `feed(take, fixes, start, count, result)` writes the other data needed and calls the engine.
 *
 * @returns {{accepted: number, invalid: number, late: number, doubted: number}}
 */
export function feedColumns(engine, columns, options, more, feed) {
  const { latitudes, longitudes, accuracies, times, errorEllipses } = columns;
  const ellipses = { ...ellipseColumns(errorEllipses), ...heightColumns(columns) };
  members(options, "options", ["refuseInvalid"]);
  const refuses = truth(options.refuseInvalid ?? false, "refuseInvalid");
  const count = sameLength({ latitudes, longitudes, accuracies, times, ...ellipses, ...more });
  const total = { accepted: 0, invalid: 0, late: 0, doubted: 0 };
  // If the engine may refuse the batch as a whole, the batch must be fed in a single call.
  const block = refuses ? Math.max(count, 1) : BLOCK;
  for (let start = 0; start < count; start += block) {
    const end = Math.min(start + block, count);
    engine.room(128 * (end - start));
    try {
      engine.within((take) => {
        const rows = end - start;
        const [north, east, when] = [take(8 * rows), take(8 * rows), take(8 * rows)];
        const accuracy = accuracies === undefined ? 0 : take(8 * rows);
        const axes = Object.entries(ellipses).map(([name, column]) => [name, column, take(8 * rows)]);
        const place = take(FIX_COLUMNS.size);
        const result = take(FEED_RESULT.size);
        putNumbers(engine, north, latitudes, start, end, "latitudes");
        putNumbers(engine, east, longitudes, start, end, "longitudes");
        if (accuracies !== undefined) putNumbers(engine, accuracy, accuracies, start, end, "accuracies");
        putTimes(engine, when, times, start, end, "times");
        for (const [name, column, at] of axes) putNumbers(engine, at, column, start, end, name);
        const to = engine.numbers;
        engine.memory.fill(0, place, place + FIX_COLUMNS.size);
        for (const [name, , at] of axes) {
          to.setUint32(place + FIX_COLUMNS[HEIGHT_MEMBERS[name] ?? COLUMN_OF[name.slice(0, -1)]], at, true);
          to.setBigInt64(place + FIX_COLUMNS[`${HEIGHT_COLUMNS[name] ?? name.slice(0, -1)}_stride`], 8n, true);
        }
        to.setUint32(place, FIX_COLUMNS.size, true);
        to.setUint32(place + FIX_COLUMNS.refuse_invalid, refuses ? 1 : 0, true);
        to.setUint32(place + FIX_COLUMNS.latitudes, north, true);
        to.setUint32(place + FIX_COLUMNS.longitudes, east, true);
        to.setUint32(place + FIX_COLUMNS.accuracies_m, accuracy, true);
        to.setUint32(place + FIX_COLUMNS.times_us, when, true);
        for (const member of ["latitude", "longitude", "accuracy", "time"]) {
          to.setBigInt64(place + FIX_COLUMNS[`${member}_stride`], 8n, true);
        }
        engine.memory.fill(0, result, result + FEED_RESULT.size);
        try {
          feed(take, place, start, rows, result);
        } finally {
          const from = engine.numbers;
          total.accepted += countOf(from, result + FEED_RESULT.accepted);
          total.invalid += countOf(from, result + FEED_RESULT.invalid);
          total.late += countOf(from, result + FEED_RESULT.late);
          total.doubted += countOf(from, result + FEED_RESULT.doubted);
        }
      });
    } catch (error) {
      if (error instanceof QueueFullError || (error instanceof InvalidArgumentError && refuses)) error.position += start;
      if (error instanceof QueueFullError) error.result = total;
      throw error;
    }
  }
  return total;
}

/** Writes a scan report and returns its address. */
export function putSightings(engine, take, sightings) {
  if (!Array.isArray(sightings)) {
    throw new InvalidArgumentError(`sightings is ${shown(sightings)}; must be an array of {uuid, major, minor, rssi}`);
  }
  const place = take(SIGHTING.size * sightings.length);
  sightings.forEach((sighting, index) => {
    members(sighting, `sightings[${index}]`, ["uuid", "major", "minor", "rssi"]);
    const at = place + SIGHTING.size * index;
    engine.memory.set(uuidBytes(sighting.uuid), at);
    const to = engine.numbers;
    to.setUint16(at + SIGHTING.major, integer(sighting.major, "major", 0, 65535), true);
    to.setUint16(at + SIGHTING.minor, integer(sighting.minor, "minor", 0, 65535), true);
    to.setInt32(at + SIGHTING.rssi_dbm, integer(sighting.rssi ?? NO_RSSI, "rssi", NO_RSSI, 2147483647), true);
  });
  return place;
}

function doubtOf(numbers, place) {
  const corroborations = numbers.getUint32(place + EXPLANATION.corroborations, true);
  if (corroborations === 0) return null;
  return {
    distance: numberOf(numbers, place + EXPLANATION.doubted_distance_m),
    seconds: numberOf(numbers, place + EXPLANATION.doubted_seconds),
    plausibleSpeed: numberOf(numbers, place + EXPLANATION.doubted_limit_mps),
    corroborations,
    corroborationsNeeded: numbers.getUint32(place + EXPLANATION.corroborations_needed, true),
  };
}

function ellipseOf(numbers, place) {
  const major = numberOf(numbers, place + EXPLANATION.ellipse_major_m);
  if (major === null) return null;
  return {
    major,
    minor: numberOf(numbers, place + EXPLANATION.ellipse_minor_m),
    orientation: numberOf(numbers, place + EXPLANATION.ellipse_orientation),
  };
}

/** The parts of a rule in an explanation; null for other conditions. */
function partsOf(engine, place) {
  const { numbers } = engine;
  const count = countOf(numbers, place + EXPLANATION.part_count);
  if (count === 0) return null;
  const parts = numbers.getUint32(place + EXPLANATION.parts, true);
  return Array.from({ length: count }, (_, index) => {
    const at = parts + index * CONDITION_STATE.size;
    return {
      identifier: engine.decode(at + CONDITION_STATE.identifier, numbers.getUint32(at + CONDITION_STATE.identifier_length, true)),
      state: STATES[numbers.getInt32(at + CONDITION_STATE.state, true)],
    };
  });
}

/** Calls `ask` with the place of an explanation, and reads the explanation. A rule is explained a second time, with room
    for its parts. */
export function explanationOf(engine, take, ask) {
  const place = take(EXPLANATION.size);
  engine.memory.fill(0, place, place + EXPLANATION.size);
  engine.numbers.setUint32(place, EXPLANATION.size, true);
  ask(place);
  const count = countOf(engine.numbers, place + EXPLANATION.part_count);
  if (count > 0) {
    const parts = take(count * CONDITION_STATE.size);
    engine.numbers.setUint32(place + EXPLANATION.parts, parts, true);
    engine.numbers.setUint32(place + EXPLANATION.parts_capacity, count, true);
    ask(place);
  }
  const { numbers } = engine;
  return {
    reason: REASONS[numbers.getInt32(place + EXPLANATION.reason, true)],
    observed: STATES[numbers.getInt32(place + EXPLANATION.observed, true)],
    diagnostics: namesOf(numbers.getUint32(place + EXPLANATION.diagnostics, true), DIAGNOSTICS),
    boundaryDistance: numberOf(numbers, place + EXPLANATION.boundary_distance_m),
    accuracy: numberOf(numbers, place + EXPLANATION.accuracy_m),
    entryMargin: numberOf(numbers, place + EXPLANATION.entry_margin_m),
    exitMargin: numberOf(numbers, place + EXPLANATION.exit_margin_m),
    candidateStartUs: timeOf(numbers, place + EXPLANATION.candidate_start_us),
    deadlineUs: timeOf(numbers, place + EXPLANATION.deadline_us),
    lastSightingUs: timeOf(numbers, place + EXPLANATION.last_sighting_us),
    metresToDecide: numberOf(numbers, place + EXPLANATION.metres_to_decide),
    secondsToDecide: numberOf(numbers, place + EXPLANATION.seconds_to_decide),
    accuracyNeeded: numberOf(numbers, place + EXPLANATION.accuracy_needed_m),
    nearestLatitude: numberOf(numbers, place + EXPLANATION.nearest_latitude),
    nearestLongitude: numberOf(numbers, place + EXPLANATION.nearest_longitude),
    doubt: doubtOf(numbers, place),
    probability: numberOf(numbers, place + EXPLANATION.probability),
    errorEllipse: ellipseOf(numbers, place),
    verticalDistance: numberOf(numbers, place + EXPLANATION.vertical_distance_m),
    parts: partsOf(engine, place),
  };
}
