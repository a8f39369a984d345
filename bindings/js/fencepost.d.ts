/**
 * Fencepost: geofencing in a web page, a web worker or a server.
 *
 * Coordinates are WGS84 degrees (latitude -90 … 90, longitude -180 … 180), distances are metres along the geodesic, and
 * durations are seconds. Every method of an object throws {@link DisposedError} after `dispose()`,
 * {@link InvalidArgumentError} for a value of a wrong type or range, and {@link OutOfMemoryError} if there is not
 * enough memory. The comment of each method names the other errors that it throws. When a call throws, the object is
 * unchanged unless the error says otherwise.
 */

declare global {
  // Repeats the declarations of "esnext.disposable", for compilers and settings without that library.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/**
 * A Date; or a number of milliseconds since 1970 UTC, with fractions to the microsecond; or a BigInt of microseconds.
 * Years 1 to 9999.
 */
export type Time = Date | number | bigint;
export type State = "unknown" | "satisfied" | "unsatisfied" | "unmonitored";
export type Cause = "none" | "determination" | "crossing" | "timeout" | "diagnostic" | "repeat";
export type Kind = "circle" | "beacon" | "polygon" | "corridor" | "line" | "rule";
export type Edges = "geodesic" | "planar";
export type Reason =
  | "unmonitored" | "suspended" | "scanner_off" | "no_fix_yet" | "too_coarse" | "dwelling" | "within_margin" | "inside" | "outside" | "uncertain" | "inactive" | "no_height" | "parts"
  | "not_seen_yet" | "seen" | "absent";
export type HostFlag =
  | "authorization_denied" | "authorization_denied_globally" | "authorization_restricted" | "insufficiently_in_use"
  | "accuracy_limited" | "service_session_required" | "authorization_request_in_progress";
export type Diagnostic = HostFlag | "condition_unsupported" | "condition_limit_exceeded" | "persistence_unavailable" | "inactive"
  | "schedule_ended" | "exhausted";
/** The numbers of a column; a typed array is copied fastest. */
export type Column = Float64Array | Float32Array | readonly number[];
/** Times of a column: microseconds in a BigInt64Array, milliseconds in a Float64Array, or an array of times. */
export type TimeColumn = BigInt64Array | Float64Array | readonly Time[];

/** The sources that `load` accepts for the module: bytes, a compiled module, a response, or a URL. */
export type Source = BufferSource | WebAssembly.Module | Response | URL | string;
export interface LoadOptions {
  /** The memory limit in bytes, 16 MiB to 4 GiB; a call that needs more memory throws {@link OutOfMemoryError}.
      Default: 4 GiB, the limit of WebAssembly. */
  memoryLimit?: number;
}
/**
 * Compiles the module and creates the engine of this page, worker or process. Call this function once; later calls do
 * nothing. If the engine was lost ({@link EngineLostError}), a later call creates a new engine.
 *
 * @param source Default: `fencepost.wasm` beside the package.
 * @throws NotLoadedError The module cannot be fetched or compiled.
 */
export function load(source?: Source | Promise<Source>, options?: LoadOptions): Promise<void>;
/** The version of the engine, such as "0.3.0". @throws NotLoadedError Before `load`. */
export function version(): string;

/** A circle: satisfied within `radius` metres (finite, above 0) of the centre, boundary included. */
export interface Circle {
  latitude: number;
  longitude: number;
  radius: number;
}
/** Satisfied while a beacon with this UUID is near; `major` and `minor` (0 … 65535) must match if they are set. */
export interface Beacon {
  uuid: string;
  major?: number | null;
  minor?: number | null;
}
export type Position = readonly number[];
/**
 * A GeoJSON geometry. Longitude comes first; a ring may be open or closed; a shape may have at most 1,000,000 vertices.
 */
export type Geometry =
  | { type: "Polygon"; coordinates: readonly (readonly Position[])[] }
  | { type: "MultiPolygon"; coordinates: readonly (readonly (readonly Position[])[])[] }
  | { type: "LineString"; coordinates: readonly Position[] }
  | { type: "MultiLineString"; coordinates: readonly (readonly Position[])[] };
/** A line with the option `radius` is a corridor; without this option, it is a gate that counts the devices that cross
    it. */
export type Condition = Circle | Beacon | Geometry | Rule;
/**
 * A condition of a monitor whose state follows from the states of other conditions, its parts: `all`, `any` or `none` of
 * them, or `atLeast` some `of` them. A part is a shape, a beacon or another rule, and may be added later. Of the policy,
 * only the dwells and `notify` have an effect; a rule with the policy "exact" follows its parts at once.
 */
export interface Rule {
  rule: RuleForm;
}
export type RuleForm =
  | { all: readonly string[] }
  | { any: readonly string[] }
  | { none: readonly string[] }
  | { atLeast: number; of: readonly string[] };

/** When a crossing counts. Absent members have the values of the preset "standard". */
export interface Policy {
  /** Seconds that a device must stay inside before its entry counts. Standard: 20. */
  entryDwell?: number;
  /** Seconds that a device must stay outside before its exit counts. Standard: 20. */
  exitDwell?: number;
  /** Metres inside the boundary at which a fix decides an entry. Standard: 20. */
  entryMargin?: number;
  /** Metres outside the boundary at which a fix decides an exit. Standard: 20. */
  exitMargin?: number;
  /**
   * If 0, the exit margin is `exitMargin`; if above 0, the exit margin is the radius, limited to the range from
   * `exitMargin` to this value, in metres. Standard: 0.
   */
  exitMarginLimit?: number;
  /** Factor by which the accuracy of a fix is multiplied to give a margin; 0 means that the accuracy is ignored.
      Standard: 1. */
  accuracyFactor?: number;
  /**
   * "timer" confirms a change when the dwell has passed; "evidence" confirms a change by the first fix after the dwell.
   * Standard: "timer".
   */
  dwellPolicy?: "timer" | "evidence";
  /** Which changes become events. Standard: all. */
  notify?: readonly ("initial" | "entry" | "exit")[];
  /** The least probability to enter, above 0.5 and at most 0.99999; set it together with `exitProbability`, and set
      `accuracyFactor` to 0. Standard: 0, no probability is needed. */
  entryProbability?: number;
  /** The greatest probability to leave, at least 0.00001 and below 0.5. Standard: 0, no probability is needed. */
  exitProbability?: number;
  /** For conditions with a band: a fix decides a change if its height is beyond a limit by at least this many metres.
      Standard: 10. */
  verticalMargin?: number;
}
export type PolicyName = "standard" | "exact" | "core_location";
export const POLICIES: Readonly<Record<PolicyName, Readonly<Required<Policy>>>>;

/** The limits of a condition's height, in metres. A limit that is left out does not exist. */
export interface AltitudeBand {
  min?: number;
  max?: number;
  /** The surface below the lower limit. Default: "ellipsoid". */
  minReference?: HeightReference;
  /** The surface below the upper limit. Default: `minReference`. */
  maxReference?: HeightReference;
}
export type HeightReference = "ellipsoid" | "mean_sea_level" | "ground";

/** When a condition is active, and which of its events come by time alone. */
export interface Timing {
  /** The intervals in which the condition is active, in order and disjoint, at most 10 000. Each contains its start and
      not its end. Default: always active. */
  active?: readonly (readonly [start: Time, end: Time])[];
  /** The time up to which `active` is known: from then on the condition has the flag "schedule_ended". */
  activeUntil?: Time;
  /** For shapes: if no fix has determined the shape so many seconds after its start, it is unsatisfied, with the cause
      "timeout". */
  absentAfter?: number;
  /** While the condition is satisfied, an event with the cause "repeat" at each multiple of so many seconds, from 1. */
  repeatEvery?: number;
  /** The largest number of repeats while the condition stays satisfied, at most 1 000 000. Default: 1000. */
  repeatLimit?: number;
  /** After so many events, without diagnostic ones, the condition is inactive for ever. */
  maxEvents?: number;
}
/** A timing that was read back. */
export interface ReadTiming extends Timing {
  active?: (readonly [start: bigint, end: bigint])[];
  activeUntil?: bigint;
}
export interface ConditionOptions {
  /** The state before the first evidence. Default: "unknown" in a monitor, "unsatisfied" in fleet zones. */
  assuming?: "unknown" | "satisfied" | "unsatisfied";
  /** Default: "standard". */
  policy?: PolicyName | Policy;
  /** A number of your own, 0 to 2^64 - 1, which every event of the condition contains. Default: 0. */
  tag?: number | bigint;
  /** In the zones of fleets, only shapes and rules have a timing, and each fleet must have neither a path nor another
      delivery than "every". Default: always active, without repeats and limits. */
  timing?: Timing;
  /** The limits of height of a circle, polygon or corridor. Fixes then need an `altitude`. */
  band?: AltitudeBand;
}
export interface ShapeOptions extends ConditionOptions {
  /** For lines: half the width of the corridor, in metres. */
  radius?: number;
  /** How vertices are connected: by geodesics, or by straight lines in longitude and latitude. Default: "geodesic". */
  edges?: Edges;
  /**
   * For polygons: true if the area lies to the left of each ring when you follow its vertices in the listed order. By
   * default (false), each ring encloses the smaller of its two areas.
   */
  oriented?: boolean;
  /**
   * For polygons: metres by which the boundary lies outside the rings; a negative value moves the boundary inside.
   * Default: 0.
   */
  buffer?: number;
  /** The shape is refused if it has more vertices than this limit, 1 to 1 000 000. The limit counts the vertices of all
     parts and rings, and the vertices at which planar edges are split. Default: 1 000 000, but 500 000 for rows made by
     `fromGeoJSON`. */
  maxVertices?: number;
}
export interface ConditionRow {
  identifier: string;
  condition: Condition;
  options?: ShapeOptions;
}
export interface CircleColumns {
  identifiers: readonly string[];
  latitudes: Column;
  longitudes: Column;
  /** Metres. */
  radii: Column;
  tags?: BigUint64Array | readonly (number | bigint)[];
}
/**
 * Reads the conditions of a GeoJSON file in the format that the command and the Python package write. A GeoJSON Point
 * becomes a circle whose radius, in metres, is `properties.radius`. Edges are planar, as in RFC 7946, unless the
 * properties say otherwise.
 */
export function fromGeoJSON(object: unknown, options?: { maxVertices?: number }): ConditionRow[];

/** A position sample. */
export interface Fix {
  latitude: number;
  longitude: number;
  /** Radius of uncertainty, in metres. 0 or absent means that it was not reported; a negative value or NaN means that
      there is no position. */
  accuracy?: number;
  time: Time;
  /** The error ellipse, if it is known. Policies with probabilities then use the ellipse instead of the accuracy. */
  errorEllipse?: ErrorEllipse | null;
  /** The height above the ellipsoid in metres, for conditions with a band; NaN or absent: no height. */
  altitude?: number | null;
  /** The accuracy of the altitude in metres. 0 or absent means that it was not reported; a negative value or NaN means
      that there is no height. */
  verticalAccuracy?: number | null;
  /** The height of the mean sea level above the ellipsoid at the position, in metres, if it is known. */
  geoidHeight?: number | null;
  /** The height of the ground above the ellipsoid at the position, in metres, if it is known. */
  groundHeight?: number | null;
}
/** A one-sigma error ellipse: the semi-axes in metres, and the direction of the major axis in degrees from north. */
export interface ErrorEllipse {
  major: number;
  minor: number;
  orientation: number;
}
export interface FixColumns {
  latitudes: Column;
  longitudes: Column;
  /** The accuracies, in metres; leave this column out if no row reports an accuracy. */
  accuracies?: Column;
  times: TimeColumn;
  /** The error ellipses; a row with three NaN has none. Leave this out if no row has an ellipse. */
  errorEllipses?: { majors: Column; minors: Column; orientations: Column };
  /** The heights above the ellipsoid, in metres; NaN in a row without a height. */
  altitudes?: Column;
  /** The accuracies of the altitudes; see `Fix`. */
  verticalAccuracies?: Column;
  /** The heights of the mean sea level above the ellipsoid; NaN where it is not known. */
  geoidHeights?: Column;
  /** The heights of the ground above the ellipsoid; NaN where it is not known. */
  groundHeights?: Column;
}
export interface FeedOptions {
  /** true: an invalid row makes the call refuse the whole batch. By default (false), invalid rows are skipped and
      counted. */
  refuseInvalid?: boolean;
}
export interface FeedResult {
  accepted: number;
  /** Rows with a coordinate or time out of range, or without a position. */
  invalid: number;
  /** Rows that are earlier than the clock, or too far ahead of it. */
  late: number;
  /** Rows that the device cannot have reached; see `plausibleSpeed`. */
  doubted: number;
}
export interface Sighting {
  uuid: string;
  major: number;
  minor: number;
  /** Signal strength in dBm. If `rssi` is absent, the strength is unknown and counts as the weakest. */
  rssi?: number;
}

export class Event {
  /** Counts 1, 2, 3 … per monitor, or per device of a fleet; 0 in a condition's first record. */
  readonly sequence: number;
  readonly identifier: string;
  /** The condition's state from `date` on. */
  readonly state: State;
  readonly cause: Cause;
  /** When the state was confirmed: microseconds since 1970; null while the clock is unset. */
  readonly dateUs: bigint | null;
  /** The time of the fix or sighting that started the change. */
  readonly evidenceDateUs: bigint | null;
  /** The position that decided the event, in degrees and metres; null if no position decided it. */
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly accuracy: number | null;
  /** Signed geodesic distance to the boundary, in metres; negative inside the condition. */
  readonly boundaryDistance: number | null;
  readonly diagnostics: Diagnostic[];
  /** The beacon that satisfied a condition with a wildcard. */
  readonly refinement: { uuid: string; major: number; minor: number } | null;
  readonly evidence: "fix" | "path" | null;
  /** True if the path before the event is unknown, so that crossings may have been missed. */
  readonly followsGap: boolean;
  /** The direction in which a line was crossed, as seen along the line; null for other events. */
  readonly direction: "left_to_right" | "right_to_left" | null;
  /** The probability that the condition contains the true position of the deciding fix; null if its policy has no
      probabilities. */
  readonly probability: number | null;
  /** For a condition with a band: how far the height of the deciding position is beyond the nearest limit, in metres,
      negative within the band; null if the height is not known, or without a band. */
  readonly verticalDistance: number | null;
  /** For a rule: the generation of the part that decided, whose evidence the event has. Null if no part changed at that
      instant, as when the rule was added, and for other conditions. */
  readonly decidedBy: number | null;
  /** The number of the condition: 1, 2, 3 … in the order in which conditions were added or replaced. */
  readonly generation: number;
  readonly tag: bigint;
  /** `dateUs` as a Date, which has only millisecond resolution. */
  get date(): Date | null;
  get evidenceDate(): Date | null;
  /**
   * The event in one word: "determined" means that the first evidence determined a state, and "none" means the first
   * record of a condition, without an event.
   */
  get kind(): "enter" | "exit" | "cross" | "determined" | "repeat" | "diagnostic" | "unmonitored" | "none";
  toJSON(): Record<string, unknown>;
}
export class DeviceEvent extends Event {
  readonly device: string;
  readonly deviceNumber: number;
  /** 1, 2, 3 … per fleet. */
  readonly position: number;
  /** The row of the batch that caused the event; 0 if the call was not a batch. */
  readonly row: number;
}

/**
 * Explains the state of a condition. A null member means that the member does not apply. Units are metres, seconds,
 * microseconds (BigInt) and degrees.
 */
export interface Explanation {
  reason: Reason;
  observed: State;
  diagnostics: Diagnostic[];
  boundaryDistance: number | null;
  accuracy: number | null;
  entryMargin: number | null;
  exitMargin: number | null;
  candidateStartUs: bigint | null;
  deadlineUs: bigint | null;
  lastSightingUs: bigint | null;
  /** How many metres farther beyond the boundary than the last fix a fix of the same accuracy must lie to decide the
      condition. */
  metresToDecide: number | null;
  secondsToDecide: number | null;
  accuracyNeeded: number | null;
  nearestLatitude: number | null;
  nearestLongitude: number | null;
  /** The probability of the last valid fix, if the policy has probabilities. */
  probability: number | null;
  /** The error ellipse of the last valid fix, if it has one and the policy has probabilities. */
  errorEllipse: ErrorEllipse | null;
  /** How far the height of the last valid fix is beyond the nearest limit of the band, in metres, negative within it. */
  verticalDistance: number | null;
  /** The parts of a rule with the states that the rule counts; null for other conditions. */
  parts: PartState[] | null;
  /** Why the latest fix was doubted; null if it was not. */
  doubt: Doubt | null;
}
export interface PartState {
  identifier: string;
  state: State;
}
/** The device cannot have moved so far since its last fix. Units are metres, seconds and metres per second. */
export interface Doubt {
  distance: number;
  seconds: number;
  plausibleSpeed: number;
  /** Doubted fixes in a row that corroborate each other. */
  corroborations: number;
  corroborationsNeeded: number;
}
export interface Shape {
  kind: Kind;
  edges: Edges;
  oriented: boolean;
  buffer: number | null;
  radius: number | null;
  /** The largest distance from the boundary to a position inside, in metres. */
  depth: number | null;
  vertexCount: number;
  /** The largest distance between geodesic and planar edges, in metres; null means that it is at most 1 m. */
  departure: number | null;
  leftOutRings: number;
  /** The limits of height; null without limits. */
  band: AltitudeBand | null;
  /** The timing, as the option `timing` takes it, with times in microseconds; null without one. */
  timing: ReadTiming | null;
  /** The rule; null for other conditions. */
  rule: RuleForm | null;
}
/** The heights of a point in metres; a limit of a band whose height is not known is ignored. */
export interface Heights {
  altitude?: number;
  geoidHeight?: number;
  groundHeight?: number;
}
export interface Located {
  identifier: string;
  /** Metres, negative inside. */
  boundaryDistance: number;
}
export interface PointColumns {
  latitudes: Column;
  longitudes: Column;
  /** Only `containingMany` uses the heights; NaN where one is not known. See `Heights`. */
  altitudes?: Column;
  geoidHeights?: Column;
  groundHeights?: Column;
  /** Only `containingMany` uses the times: a condition contains a point only in the intervals of its schedule. In a
      Float64Array, NaN stands for a missing time. Without a time, schedules are ignored. */
  times?: TimeColumn;
}
/** Row i has the elements offsets[i] to offsets[i + 1] - 1. */
export interface LocatedColumns {
  offsets: Uint32Array;
  generations: BigUint64Array;
  /** Metres. */
  distances: Float64Array;
}
/** The elements of row i begin at index i * count. */
export interface NearestColumns {
  count: number;
  generations: BigUint64Array;
  /** Metres. */
  distances: Float64Array;
}
export interface SyncResult {
  added: number;
  replaced: number;
  kept: number;
  removed: number;
}

/**
 * An object that owns memory of the engine. Free the object with `dispose()` or `using`; otherwise the garbage
 * collector frees it some time later.
 */
interface Disposable {
  dispose(): void;
  readonly isDisposed: boolean;
  [Symbol.dispose](): void;
}

/** The common methods of monitors and zones. */
interface Holder extends Disposable {
  /**
   * Adds a condition, or replaces the condition with the same identifier; the pending events of a replaced condition
   * are dropped.
   *
   * @param identifier 1 … 256 bytes of UTF-8.
   */
  add(identifier: string, condition: Condition, options?: ShapeOptions): void;
  /**
   * Adds or replaces a condition, but does nothing if an equal condition exists. Returns true if the condition was
   * added or replaced.
   */
  ensure(identifier: string, condition: Condition, options?: ShapeOptions): boolean;
  /** Adds many circles. Either all rows are added or none; the error's `position` is the index of the refused row. */
  addCircles(columns: CircleColumns, options?: ConditionOptions): void;
  /**
   * Makes the set of conditions equal to a list; existing conditions that are equal to an element keep their state. All
   * or nothing.
   */
  sync(rows: readonly ConditionRow[]): SyncResult;
  /** Returns true if the condition existed. */
  remove(identifier: string): boolean;
  /** The identifiers, in the order in which the conditions were added. */
  readonly identifiers: string[];
  /** How the geometry was read. @throws NotFoundError */
  shape(identifier: string): Shape;
  /** The vertices of a polygon, corridor or line. @throws NotFoundError */
  geometry(identifier: string): Geometry;
  /** The conditions that contain a point, in the order in which they were added. */
  containing(latitude: number, longitude: number, at?: Heights & { time?: Time }): Located[];
  /** The `count` conditions whose boundaries are nearest to a point, the nearest first. Default: one. */
  nearest(latitude: number, longitude: number, count?: number): Located[];
  containingMany(columns: PointColumns): LocatedColumns;
  nearestMany(columns: PointColumns, count?: number): NearestColumns;
  /**
   * The identifiers of the conditions with certain generations, such as those in query results; "" for a removed
   * condition.
   */
  identifiersOf(generations: BigUint64Array): string[];
  /** The boundary point nearest to a position, in degrees; null if there is no boundary. @throws NotFoundError */
  nearestBoundaryPoint(identifier: string, latitude: number, longitude: number): { latitude: number; longitude: number } | null;
  /** The whole state as bytes, which are the same on every platform and in every language. */
  snapshot(): Uint8Array;
}

export interface MonitorOptions {
  /** [A-Za-z0-9_]{1,64}. */
  name?: string;
  /**
   * Which pending events are delivered: every change, or only the first or the latest change of each condition.
   * Default: "every".
   */
  delivery?: "every" | "first" | "latest";
  /** The largest number of conditions that are monitored at a time; null means no limit. Default: null. */
  conditionLimit?: number | null;
  /** Limit on pending events, 1 … 1e9; at the limit, inputs throw {@link QueueFullError}. Default: 1,000,000. */
  maxPendingEvents?: number;
  /**
   * The maximum age, in seconds, of a fix that may decide a condition when the condition is added; null means that no
   * earlier fix decides it. Default: 60.
   */
  initialFixMaxAge?: number | null;
  /** Seconds of silence after which a beacon that was near counts as gone. Default: 30. */
  beaconExitTimeout?: number;
  /** Seconds of silence after which a beacon that was not yet seen counts as absent. Default: 30. */
  beaconInitialTimeout?: number;
  /**
   * Seconds: an input that is later than the clock by more than this throws {@link AheadOfClockError}. Null means that
   * there is no limit. Default: null.
   */
  maxTimeStep?: number | null;
  /** The share of the true positions within the accuracy of a fix, 0.01 to 0.9999; only policies with an
      `entryProbability` depend on it. Default: 0.68, as on Android. */
  accuracyConfidence?: number;
  /** Where the device is between two fixes: unknown, or on the geodesic at constant speed. Default: "fixes". */
  path?: "fixes" | "geodesic";
  /** For the path: if two fixes are more than this many seconds apart, the path is unknown. Required with
      "geodesic". */
  maxGap?: number;
  /** The maximum speed of a path, in metres per second: if a higher speed would be needed, the path is unknown. Null
      means that there is no limit on the speed. Default: null. */
  maxSpeed?: number | null;
  /** The greatest plausible speed, in metres per second: a fix that needs a higher speed since the last fix is doubted,
      which means that it is counted and ignored. Null means any speed. Default: null. */
  plausibleSpeed?: number | null;
  /** How many doubted fixes in a row, each plausible after the one before, are trusted: 2 to 1000. Default: 3. */
  corroborationCount?: number;
  /** How many seconds these fixes span at least. Default: 60. */
  corroborationTime?: number;
  /** The order of the events of one instant: "add" is the order in which the conditions were added; with "exits_first",
      a device leaves its old zone before it enters a new one, and crossings of gates come last. Default: "add". */
  order?: "add" | "exits_first";
}
export interface MonitorRecord {
  identifier: string;
  kind: Kind;
  generation: number;
  tag: bigint;
  latitude: number | null;
  longitude: number | null;
  radius: number | null;
  uuid: string | null;
  major: number | null;
  minor: number | null;
  state: State;
  /** The last handled event. Before the first event, `lastEvent` has the sequence 0 and the assumed state. */
  lastEvent: Event;
}
export interface MonitorStatistics {
  clockUs: bigint | null;
  inputCount: number;
  acceptedFixes: number;
  invalidFixes: number;
  /** Fixes that the device cannot have reached; see `plausibleSpeed`. */
  doubtedFixes: number;
  lateInputs: number;
  aheadInputs: number;
  acceptedSightings: number;
  pendingEvents: number;
  handedOutEvents: number;
  conditionCount: number;
}

/** Follows one device. @throws NotLoadedError Before `load`. */
export class Monitor implements Holder {
  constructor(options?: MonitorOptions);
  /** @throws SnapshotInvalidError The bytes are not a snapshot of a monitor, are damaged, or come from a newer version. */
  static restore(snapshot: Uint8Array): Monitor;
  /** Returns a second monitor with the same state as this monitor. */
  fork(): Monitor;
  /** @throws LateInputError, AheadOfClockError, QueueFullError */
  feed(fix: Fix): void;
  /**
   * Feeds many fixes in order. Late and invalid rows are skipped and counted.
   *
   * @throws QueueFullError The rows before `position` were applied; `result` contains their counts. Poll the events,
   * then feed the remaining rows.
   */
  feedMany(columns: FixColumns, options?: FeedOptions): FeedResult;
  /**
   * One scan report. An empty scan report only moves the clock.
   * @throws LateInputError, AheadOfClockError, QueueFullError
   */
  feedSightings(sightings: readonly Sighting[], time: Time): void;
  /** @throws LateInputError, AheadOfClockError, QueueFullError */
  setScanning(isScanning: boolean, time: Time): void;
  /** @throws LateInputError, AheadOfClockError, QueueFullError */
  setHost(host: { flags?: readonly HostFlag[]; unsupported?: readonly Kind[] }, time: Time): void;
  /**
   * Tells the monitor that time has passed: confirms all changes that are due up to and including `time`.
   *
   * @throws LateInputError, QueueFullError
   */
  advance(time: Time): void;
  /** Sets the clock back after inputs with wrong times. */
  rewind(time: Time): void;
  /** Returns the next event, or null, and commits the previous event. */
  poll(): Event | null;
  /** Returns up to `most` events, at most 256, and commits the events that were delivered before. */
  pollMany(most?: number): Event[];
  /** Returns up to `most` events as JSON Lines, byte for byte as in the other language bindings. */
  pollLines(most?: number): string;
  events(): Generator<Event, void, undefined>;
  acknowledge(): void;
  abandon(): void;
  /** @throws NotFoundError */
  state(identifier: string): State;
  /** @throws NotFoundError */
  explain(identifier: string): Explanation;
  /** The condition's record; null for an unknown identifier. */
  record(identifier: string): MonitorRecord | null;
  records(): Generator<MonitorRecord, void, undefined>;
  identifiersInState(state: "unknown" | "satisfied" | "unsatisfied"): string[];
  /** Metres that the device can move from a position without crossing a boundary; Infinity if there is no boundary. */
  safeDistance(latitude: number, longitude: number): number;
  /** The earliest time at which something happens even without any input. Call `advance` when this deadline comes. */
  readonly nextDeadlineUs: bigint | null;
  readonly name: string | null;
  statistics(): MonitorStatistics;
  add(identifier: string, condition: Condition, options?: ShapeOptions): void;
  ensure(identifier: string, condition: Condition, options?: ShapeOptions): boolean;
  addCircles(columns: CircleColumns, options?: ConditionOptions): void;
  sync(rows: readonly ConditionRow[]): SyncResult;
  remove(identifier: string): boolean;
  readonly identifiers: string[];
  shape(identifier: string): Shape;
  geometry(identifier: string): Geometry;
  containing(latitude: number, longitude: number, at?: Heights & { time?: Time }): Located[];
  nearest(latitude: number, longitude: number, count?: number): Located[];
  containingMany(columns: PointColumns): LocatedColumns;
  nearestMany(columns: PointColumns, count?: number): NearestColumns;
  identifiersOf(generations: BigUint64Array): string[];
  nearestBoundaryPoint(identifier: string, latitude: number, longitude: number): { latitude: number; longitude: number } | null;
  snapshot(): Uint8Array;
  dispose(): void;
  readonly isDisposed: boolean;
  [Symbol.dispose](): void;
}

/** A table of zones, which answers queries about points and can be shared by fleets. A line in a `Zones` table
    needs a `radius`. */
export class Zones implements Holder {
  constructor();
  /** @throws SnapshotInvalidError */
  static restore(snapshot: Uint8Array): Zones;
  /** Two tables of the same version accept each other's exported devices unchanged. `digest` is 32 hexadecimal digits. */
  readonly version: { count: number; generation: number; digest: string };
  add(identifier: string, condition: Condition, options?: ShapeOptions): void;
  ensure(identifier: string, condition: Condition, options?: ShapeOptions): boolean;
  addCircles(columns: CircleColumns, options?: ConditionOptions): void;
  sync(rows: readonly ConditionRow[]): SyncResult;
  remove(identifier: string): boolean;
  readonly identifiers: string[];
  shape(identifier: string): Shape;
  geometry(identifier: string): Geometry;
  containing(latitude: number, longitude: number, at?: Heights & { time?: Time }): Located[];
  nearest(latitude: number, longitude: number, count?: number): Located[];
  containingMany(columns: PointColumns): LocatedColumns;
  nearestMany(columns: PointColumns, count?: number): NearestColumns;
  identifiersOf(generations: BigUint64Array): string[];
  nearestBoundaryPoint(identifier: string, latitude: number, longitude: number): { latitude: number; longitude: number } | null;
  snapshot(): Uint8Array;
  dispose(): void;
  readonly isDisposed: boolean;
  [Symbol.dispose](): void;
}

export interface FleetOptions {
  /** As in a monitor: which pending events of a device are delivered. Default: "every". */
  delivery?: "every" | "first" | "latest";
  /** As in a monitor. Default: 1,000,000. */
  maxPendingEvents?: number;
  /** Limit on the number of devices, 1 … 67,108,863; null means the maximum. */
  deviceLimit?: number | null;
  /** Seconds. Default: 30. */
  beaconExitTimeout?: number;
  /** Seconds. Default: 30. */
  beaconInitialTimeout?: number;
  /** How far an input may be ahead of its device's clock, in seconds; null means any distance. */
  maxTimeStep?: number | null;
  /** The greatest plausible speed, in metres per second: a fix that needs a higher speed since the last fix is doubted,
      which means that it is counted and ignored. Null means any speed. Default: null. */
  plausibleSpeed?: number | null;
  /** How many doubted fixes in a row, each plausible after the one before, are trusted: 2 to 1000. Default: 3. */
  corroborationCount?: number;
  /** How many seconds these fixes span at least. Default: 60. */
  corroborationTime?: number;
  /** The share of the true positions within the accuracy of a fix, 0.01 to 0.9999; only policies with an
      `entryProbability` depend on it. Default: 0.68, as on Android. */
  accuracyConfidence?: number;
  /** As in a monitor: the order of the events of one device at one instant. Default: "add". */
  order?: "add" | "exits_first";
}
export interface Presence {
  identifier: string;
  sinceUs: bigint | null;
  evidenceDateUs: bigint | null;
  generation: number;
  tag: bigint;
}
export interface DeviceStatistics {
  clockUs: bigint | null;
  acceptedFixes: number;
  invalidFixes: number;
  /** Fixes that the device cannot have reached; see `plausibleSpeed`. */
  doubtedFixes: number;
  lateInputs: number;
  aheadInputs: number;
  acceptedSightings: number;
  handedOutEvents: number;
  inputCount: number;
}
export interface FleetStatistics {
  clockUs: bigint | null;
  acceptedFixes: number;
  invalidFixes: number;
  /** Fixes that the device cannot have reached; see `plausibleSpeed`. */
  doubtedFixes: number;
  lateInputs: number;
  aheadInputs: number;
  acceptedSightings: number;
  handedOutEvents: number;
  pendingEvents: number;
  deviceCount: number;
  zoneCount: number;
  deviceBytes: number;
}

/**
 * Follows many devices over one table of zones. Methods throw {@link NoSuchDeviceError} for a device that does not
 * exist.
 */
export class Fleet implements Disposable {
  constructor(zones: Zones, options?: FleetOptions);
  /** @param zones The table to use; if absent, the fleet gets its own table. @throws SnapshotInvalidError,
      TableMismatchError */
  static restore(snapshot: Uint8Array, zones?: Zones): Fleet;
  /** A new `Zones` object for the fleet's table. */
  readonly zones: Zones;
  /** The numbers of devices, for `feedMany`; devices that do not exist are created. */
  enter(identifiers: Iterable<string>): BigUint64Array;
  has(identifier: string): boolean;
  /** The identifiers of all devices, in the order of their numbers. */
  readonly devices: string[];
  /** Returns true if the device existed. */
  remove(identifier: string, options?: { dropEvents?: boolean }): boolean;
  /** Removes the devices that have had inputs, but none at or after a given time. */
  expire(before: Time): string[];
  expireByArrival(before: Time): string[];
  /** The positions of devices in degrees; NaN for a device without a fix. */
  positions(identifiers: Iterable<string>): { latitudes: Float64Array; longitudes: Float64Array };
  setArrivalTime(time: Time): void;
  /** A device that does not exist is created. @throws LateInputError, AheadOfClockError, QueueFullError */
  feed(device: string, fix: Fix): void;
  /** @throws QueueFullError The rows before `position` were applied; `result` contains their counts. */
  feedMany(
    columns: FixColumns & { devices: BigUint64Array | readonly string[] },
    options?: FeedOptions & { firstRow?: number },
  ): FeedResult;
  /** @throws LateInputError, AheadOfClockError, QueueFullError */
  feedSightings(device: string, sightings: readonly Sighting[], time: Time): void;
  /** @throws LateInputError, AheadOfClockError, QueueFullError */
  setScanning(device: string, isScanning: boolean, time: Time): void;
  /**
   * Declares which host flags of a device are set, and which kinds of condition cannot be monitored for the device. The
   * fleet must have the delivery `every`.
   */
  setHost(device: string, host: { flags?: readonly HostFlag[]; unsupported?: readonly Kind[] }, time: Time): void;
  /**
   * Tells the fleet that time has passed, for one device, or for all devices if none is passed.
   * @throws LateInputError, AheadOfClockError, QueueFullError
   */
  advance(time: Time, device?: string): void;
  forceAdvance(time: Time): void;
  rewind(time: Time, device?: string): void;
  poll(): DeviceEvent | null;
  pollMany(most?: number): DeviceEvent[];
  pollLines(most?: number): string;
  events(): Generator<DeviceEvent, void, undefined>;
  acknowledge(): void;
  abandon(): void;
  /** @throws NotFoundError */
  state(device: string, identifier: string): State;
  /** @throws NotFoundError */
  explain(device: string, identifier: string): Explanation;
  inside(device: string): Presence[];
  readonly nextDeadlineUs: bigint | null;
  statistics(): FleetStatistics;
  statistics(device: string): DeviceStatistics;
  /** The state of a device as bytes. If `portable` is true, tables of other versions accept the bytes too. */
  exportDevice(device: string, options?: { portable?: boolean }): Uint8Array;
  /** @throws SnapshotInvalidError, TableMismatchError */
  importDevice(device: string, bytes: Uint8Array, options?: { adapt?: boolean }): void;
  snapshot(): Uint8Array;
  dispose(): void;
  readonly isDisposed: boolean;
  [Symbol.dispose](): void;
}

/** The geodesic between two places: its length in metres, and its azimuths in degrees clockwise from north. */
export function inverse(
  latitude1: number, longitude1: number, latitude2: number, longitude2: number,
): { distance: number; azimuth1: number; azimuth2: number };
/** The end of a geodesic with the given start, azimuth (degrees) and length (metres, at most 1e9). */
export function direct(
  latitude: number, longitude: number, azimuth: number, distance: number,
): { latitude: number; longitude: number; azimuth2: number };

/** A call was refused, or the engine cannot be used. */
export class FencepostError extends Error {
  constructor(message: string, detail?: { status?: string; code?: number; position?: number; cause?: unknown });
  /**
   * The name of the status, such as "late_input"; the statuses "disposed", "not_loaded", "out_of_memory" and
   * "engine_lost" exist only in this package.
   */
  readonly status: string;
  /** The number of the status in fencepost.h; 0 for a status that only this package has. */
  readonly code: number;
  /** The index of the row that caused the error; 0 if no row did. */
  readonly position: number;
}
/** A value has a wrong type or is out of its range. */
export class InvalidArgumentError extends FencepostError {}
/** The input is earlier than the clock. */
export class LateInputError extends FencepostError {}
/** The input is later than the clock by more than `maxTimeStep`. */
export class AheadOfClockError extends FencepostError {}
/** `maxPendingEvents` events are pending. */
export class QueueFullError extends FencepostError {
  /** For a batch: the counts of the rows before `position`. */
  readonly result?: FeedResult;
}
/** No condition has the given identifier. */
export class NotFoundError extends FencepostError {}
/** The fleet has no such device. */
export class NoSuchDeviceError extends FencepostError {}
/** The bytes are not a snapshot or device that this version can read. */
export class SnapshotInvalidError extends FencepostError {}
/** The device was exported with another version of the table. */
export class TableMismatchError extends FencepostError {}
/** The object was disposed. */
export class DisposedError extends FencepostError {}
/** `load()` was not awaited, or the module cannot be used. */
export class NotLoadedError extends FencepostError {}
/** There is not enough memory for the call; nothing has changed. */
export class OutOfMemoryError extends FencepostError {}
/**
 * The engine ended in the middle of a call: all objects are lost. Call `await load()` again, and create the objects
 * again.
 */
export class EngineLostError extends FencepostError {}
