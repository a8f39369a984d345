// Defines the package's errors. Each error has the status of the engine as `status` (its name) and `code` (its number),
// so that a program can distinguish errors without parsing a message.

/** A call was refused, or the engine cannot be used. Unless the documentation of the error's class says otherwise, the
    call did not change the object. */
export class FencepostError extends Error {
  /**
   * @param {string} message One line: cause, place and accepted range.
   * @param {{status?: string, code?: number, position?: number, cause?: unknown}} [detail]
   */
  constructor(message, { status = "internal", code = 120, position = 0, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    /** The name of the status, such as "late_input". */
    this.status = status;
    /** The number of the status in fencepost.h; 0 for a status that only this package has. */
    this.code = code;
    /** The index of the row or element that caused the error, if the call takes several; otherwise 0. */
    this.position = position;
  }
}

/** A value has a wrong type or is out of its range. */
export class InvalidArgumentError extends FencepostError {
  constructor(message, detail) {
    super(message, { status: "invalid_argument", code: 2, ...detail });
  }
}
/** The input is earlier than the clock of the monitor, device or fleet. */
export class LateInputError extends FencepostError {}
/** The input is later than the clock by more than `maxTimeStep`. */
export class AheadOfClockError extends FencepostError {}
/**
 * The queue is full: `maxPendingEvents` events are pending. If a batch causes this error, the rows before index
 * `position` have been applied, and `result` contains their counts.
 */
export class QueueFullError extends FencepostError {}
/** No condition has the given identifier. */
export class NotFoundError extends FencepostError {}
/** The fleet has no such device. */
export class NoSuchDeviceError extends FencepostError {}
/** The bytes are not a snapshot or device that this version can read. */
export class SnapshotInvalidError extends FencepostError {}
/** The device was exported with another version of the table of zones. */
export class TableMismatchError extends FencepostError {}
/** The object was disposed. */
export class DisposedError extends FencepostError {
  constructor(message) {
    super(message, { status: "disposed", code: 0 });
  }
}
/**
 * The WebAssembly module is not loaded: call `await load()` first. `NotLoadedError` is also thrown if the module cannot
 * be fetched or compiled.
 */
export class NotLoadedError extends FencepostError {
  constructor(message, detail) {
    super(message, { status: "not_loaded", code: 0, ...detail });
  }
}
/** There is not enough memory for the call. The call did not change its object. To continue, free other objects, or use
    smaller batches. */
export class OutOfMemoryError extends FencepostError {
  constructor(message) {
    super(message, { status: "out_of_memory", code: 0 });
  }
}
/**
 * The engine ended in the middle of a call because the host did not provide memory. All existing objects are lost;
 * after `await load()` new objects can be created, also from snapshots.
 */
export class EngineLostError extends FencepostError {
  constructor(message, cause) {
    super(message, { status: "engine_lost", code: 0, cause });
  }
}

const classes = {
  1: InvalidArgumentError,
  2: InvalidArgumentError,
  20: InvalidArgumentError,
  40: NotFoundError,
  41: NoSuchDeviceError,
  60: LateInputError,
  61: QueueFullError,
  62: AheadOfClockError,
  83: SnapshotInvalidError,
  84: TableMismatchError,
};

/** Creates the error for an engine status that is not 0. */
export function errorOf(code, status, message, position) {
  return new (classes[code] ?? FencepostError)(message, { code, status, position });
}
