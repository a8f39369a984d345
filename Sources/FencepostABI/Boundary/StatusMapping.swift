import CFencepost
import FencepostCore

extension MonitorError {
  /// The error's number in the C interface. The switch is exhaustive, so a new case without a number does not compile.
  var status: fencepost_status {
    let number: Int =
      switch self {
      case .invalidArgument: FENCEPOST_E_INVALID_ARGUMENT
      case .invalidName: FENCEPOST_E_INVALID_NAME
      case .monitorInUse: FENCEPOST_E_MONITOR_IN_USE
      case .consumerAlreadyActive: FENCEPOST_E_CONSUMER_ALREADY_ACTIVE
      case .storeUnavailable: FENCEPOST_E_STORE_UNAVAILABLE
      case .storeCorrupt: FENCEPOST_E_STORE_CORRUPT
      case .storeTooNew: FENCEPOST_E_STORE_TOO_NEW
      case .snapshotInvalid: FENCEPOST_E_SNAPSHOT_INVALID
      case .tableMismatch: FENCEPOST_E_TABLE_MISMATCH
      case .notFound: FENCEPOST_E_NOT_FOUND
      case .noSuchDevice: FENCEPOST_E_NO_SUCH_DEVICE
      case .lateInput: FENCEPOST_E_LATE_INPUT
      case .queueFull: FENCEPOST_E_QUEUE_FULL
      case .aheadOfClock: FENCEPOST_E_AHEAD_OF_CLOCK
      case .internalInconsistency: FENCEPOST_E_INTERNAL
      }
    return fencepost_status(number)
  }

  /// The row or element that the error is about.
  var position: Int {
    switch self {
    case .invalidArgument(_, let position), .noSuchDevice(_, let position), .queueFull(_, let position): position
    default: 0
    }
  }
}

/// The name and the message of every status.
func describe(_ status: fencepost_status) -> (name: StaticString, message: StaticString) {
  switch Int(status) {
  case FENCEPOST_OK: ("ok", "the call succeeded")
  case FENCEPOST_E_NULL_ARGUMENT: ("null_argument", "a required pointer is NULL")
  case FENCEPOST_E_INVALID_ARGUMENT: ("invalid_argument", "a value is out of its range")
  case FENCEPOST_E_BUFFER_TOO_SMALL: ("buffer_too_small", "the buffer is too small for the result")
  case FENCEPOST_E_UNSUPPORTED: ("unsupported", "a structure uses members that this library does not know")
  case FENCEPOST_E_INVALID_NAME: ("invalid_name", "a monitor's name must be 1 to 64 letters, digits or underscores")
  case FENCEPOST_E_MONITOR_IN_USE: ("monitor_in_use", "a monitor of that name is already open")
  case FENCEPOST_E_CONSUMER_ALREADY_ACTIVE:
    ("consumer_already_active", "the events already have a consumer")
  case FENCEPOST_E_STORE_UNAVAILABLE: ("store_unavailable", "the store cannot be opened, read or written")
  case FENCEPOST_E_STORE_CORRUPT: ("store_corrupt", "the store's file is damaged, or is not a store of this library")
  case FENCEPOST_E_STORE_TOO_NEW: ("store_too_new", "the store was written by a newer version of the library")
  case FENCEPOST_E_SNAPSHOT_INVALID: ("snapshot_invalid", "the bytes are not a snapshot that this version can restore")
  case FENCEPOST_E_TABLE_MISMATCH:
    ("table_mismatch", "the device was exported with another version of the table of conditions")
  case FENCEPOST_E_NOT_FOUND: ("not_found", "no condition has that identifier")
  case FENCEPOST_E_NO_SUCH_DEVICE: ("no_such_device", "no device of the fleet has that number")
  case FENCEPOST_E_LATE_INPUT: ("late_input", "the input is earlier than the clock of the monitor, device or fleet")
  case FENCEPOST_E_QUEUE_FULL: ("queue_full", "too many events are pending; poll them first")
  case FENCEPOST_E_AHEAD_OF_CLOCK:
    ("ahead_of_clock", "the input is too far ahead of the clock of the monitor, device or fleet")
  case FENCEPOST_E_INTERNAL: ("internal", "a defect in the library")
  default: ("unknown_status", "a status that this version of the library does not know")
  }
}

extension ConditionKind {
  /// The number that identifies this kind of condition in the C interface. The switch is exhaustive, so a new case
  /// without a number does not compile.
  var number: fencepost_condition_kind {
    switch self {
    case .circularGeographic: fencepost_condition_kind(FENCEPOST_CONDITION_CIRCULAR_GEOGRAPHIC)
    case .beaconIdentity: fencepost_condition_kind(FENCEPOST_CONDITION_BEACON_IDENTITY)
    case .polygonalGeographic: fencepost_condition_kind(FENCEPOST_CONDITION_POLYGONAL_GEOGRAPHIC)
    case .corridorGeographic: fencepost_condition_kind(FENCEPOST_CONDITION_CORRIDOR_GEOGRAPHIC)
    case .lineGeographic: fencepost_condition_kind(FENCEPOST_CONDITION_LINE_GEOGRAPHIC)
    case .rule: fencepost_condition_kind(FENCEPOST_CONDITION_RULE)
    }
  }
}
