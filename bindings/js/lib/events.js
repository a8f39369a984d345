// Events as objects.

import { EVENT } from "./layout.js";
import { CAUSES, DIAGNOSTICS, STATES, countOf, dateOf, namesOf, numberOf, timeOf, uuidText } from "./values.js";

const ON_PATH = 1;
const AFTER_GAP = 2;
const LEFT_TO_RIGHT = 4;
const RIGHT_TO_LEFT = 8;
const HAS_BEACON = 16;

/** A change of a condition's state, with the evidence that decided it. */
export class Event {
  constructor(engine, place) {
    const { numbers } = engine;
    /** The events of a monitor, or of a device of a fleet, are numbered 1, 2, 3 …; a condition's first record has
        the number 0. */
    this.sequence = countOf(numbers, place + EVENT.sequence);
    /** The condition. */
    this.identifier = engine.decode(place + EVENT.identifier, numbers.getUint32(place + EVENT.identifier_length, true));
    /** The condition's state from `date` on: "satisfied", "unsatisfied", "unknown" or "unmonitored". */
    this.state = STATES[numbers.getInt32(place + EVENT.state, true)];
    /** The cause of the event: "crossing", "determination", "timeout" or "diagnostic", or "none" in a condition's first
        record. */
    this.cause = CAUSES[numbers.getInt32(place + EVENT.cause, true)];
    /** The time at which the state was confirmed, in microseconds since 1970, as a BigInt; null while the clock is
        unset. */
    this.dateUs = timeOf(numbers, place + EVENT.date_us);
    /** The time of the fix or sighting that started the change, or null. */
    this.evidenceDateUs = timeOf(numbers, place + EVENT.evidence_date_us);
    /** The latitude of the deciding position, in degrees. `latitude`, `longitude`, `accuracy` and `boundaryDistance`
        are null if the event was not decided by a position. */
    this.latitude = numberOf(numbers, place + EVENT.latitude);
    this.longitude = numberOf(numbers, place + EVENT.longitude);
    this.accuracy = numberOf(numbers, place + EVENT.accuracy_m);
    /** Signed geodesic distance to the boundary, in metres; negative inside the condition. */
    this.boundaryDistance = numberOf(numbers, place + EVENT.boundary_distance_m);
    /** The names of the diagnostics that apply to this event. */
    this.diagnostics = namesOf(numbers.getUint32(place + EVENT.diagnostics, true), DIAGNOSTICS);
    const bits = numbers.getUint32(place + EVENT.flags, true);
    /** The beacon that satisfied a condition with a wildcard, or null. */
    this.refinement =
      bits & HAS_BEACON
        ? {
            uuid: uuidText(engine.memory, place + EVENT.beacon_uuid),
            major: numbers.getUint16(place + EVENT.beacon_major, true),
            minor: numbers.getUint16(place + EVENT.beacon_minor, true),
          }
        : null;
    /** "fix", or "path" if a point between two fixes decided; null if no position decided. */
    this.evidence = this.latitude === null ? null : bits & ON_PATH ? "path" : "fix";
    /** True if the path before the event is unknown, so that crossings may have been missed. */
    this.followsGap = (bits & AFTER_GAP) !== 0;
    /** "left_to_right" or "right_to_left" for a crossed line, else null. */
    this.direction = bits & LEFT_TO_RIGHT ? "left_to_right" : bits & RIGHT_TO_LEFT ? "right_to_left" : null;
    /** The probability that the condition contains the true position of the deciding fix; null if its policy has no
        probabilities. */
    this.probability = numberOf(numbers, place + EVENT.probability);
    /** For a condition with a band: how far the height of the deciding position is beyond the nearest limit, in metres;
        negative within the band; null if the height is not known, or without a band. */
    this.verticalDistance = numberOf(numbers, place + EVENT.vertical_distance_m);
    /** For a rule: the generation of the part that decided; null if no part changed, and for other conditions. */
    this.decidedBy = countOf(numbers, place + EVENT.decided_by) || null;
    /** The condition's generation: the number of additions and replacements, up to and including the one that added
        this condition. */
    this.generation = countOf(numbers, place + EVENT.generation);
    /** The tag of the condition, a BigInt. */
    this.tag = numbers.getBigUint64(place + EVENT.tag, true);
  }

  /** `dateUs` as a Date, which has only milliseconds; or null. */
  get date() {
    return dateOf(this.dateUs);
  }

  /** `evidenceDateUs` as a Date, or null. */
  get evidenceDate() {
    return dateOf(this.evidenceDateUs);
  }

  /**
   * The kind of the event: "enter", "exit", "cross" (a gate), "determined" (the first evidence), "repeat", "diagnostic",
   * "unmonitored" or "none" (the condition's first record).
   */
  get kind() {
    if (this.direction !== null) return "cross";
    if (this.cause === "crossing" || (this.cause === "timeout" && this.evidenceDateUs !== null)) {
      return this.state === "satisfied" ? "enter" : "exit";
    }
    if (this.cause === "determination" || this.cause === "timeout") return "determined";
    if (this.cause === "repeat") return "repeat";
    if (this.state === "unmonitored") return "unmonitored";
    return this.cause === "diagnostic" ? "diagnostic" : "none";
  }

  /** The members for JSON.stringify(); the times (with microseconds) and the tag are strings. */
  toJSON() {
    const { dateUs, evidenceDateUs, tag, ...rest } = this;
    return { ...rest, date: timeText(dateUs), evidenceDate: timeText(evidenceDateUs), tag: tag.toString() };
  }
}

function timeText(time) {
  if (time === null) return null;
  const micro = ((time % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return dateOf(time).toISOString().replace(/\.\d{3}Z$/, `.${micro.toString().padStart(6, "0")}Z`);
}

/** An event of a device. */
export class DeviceEvent extends Event {
  constructor(engine, place, identifierOf) {
    super(engine, place);
    const { numbers } = engine;
    /** The number of the device: 1, 2, 3 … while no device is removed. */
    this.deviceNumber = countOf(numbers, place + EVENT.device);
    /** Its identifier. */
    this.device = identifierOf(this.deviceNumber);
    /** 1, 2, 3 … per fleet. */
    this.position = countOf(numbers, place + EVENT.position);
    /** The row of the batch that caused the event; 0 if the call was not a batch. */
    this.row = countOf(numbers, place + EVENT.row);
  }
}
