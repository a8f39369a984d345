/// What can go wrong, with the numbers of the C interface (`fencepost_status`).
public enum MonitorError: Error, Sendable, Hashable {
  /// A value is out of its range; `position` is the row or element where there are several.
  case invalidArgument(String, position: Int = 0)
  /// A monitor's name is not `[A-Za-z0-9_]{1,64}`.
  case invalidName(String)
  /// A monitor of that name is open in that store.
  case monitorInUse(String)
  /// The events already have a consumer.
  case consumerAlreadyActive
  /// A store cannot be opened, read or written; says which file and why.
  case storeUnavailable(String)
  /// A store's file is damaged, or none of this library's.
  case storeCorrupt(String)
  /// A store's file was written by a newer version of the library.
  case storeTooNew(String)
  /// Bytes are no snapshot that this version can restore.
  case snapshotInvalid(String)
  /// Bytes of a device were made with another version of the table of conditions.
  case tableMismatch(String)
  /// No condition has that identifier.
  case notFound(String)
  /// A fleet has no device of a number; `position` is the row or element where there are several.
  case noSuchDevice(String, position: Int = 0)
  /// The input is earlier than the clock of the monitor, device or fleet.
  case lateInput(time: Timestamp, clock: Timestamp)
  /// The input is ahead of the clock of the monitor, device or fleet by more than the option `maxTimeStepMicroseconds`.
  case aheadOfClock(time: Timestamp, clock: Timestamp, limit: Int64)
  /// That many events wait to be handed out; `position` is the first row that was not consumed.
  case queueFull(limit: Int, position: Int = 0)
  /// A defect of the library. Nothing throws it; its number is kept for what nobody foresaw.
  case internalInconsistency(String)
}

extension MonitorError: CustomStringConvertible {
  /// One line that names cause, place and accepted range.
  public var description: String {
    switch self {
    case .invalidArgument(let reason, _), .noSuchDevice(let reason, _): reason
    case .invalidName(let name): "the name \"\(name)\" must be 1 to 64 letters, digits or underscores"
    case .monitorInUse(let name): "\"\(name)\" is already open"
    case .consumerAlreadyActive: "the events already have a consumer; end it before starting another"
    case .storeUnavailable(let reason), .storeCorrupt(let reason), .storeTooNew(let reason): reason
    case .snapshotInvalid(let reason), .tableMismatch(let reason): reason
    case .notFound(let identifier): "no condition has the identifier \"\(identifier)\""
    case .lateInput(let time, let clock): "the input's time \(time) is earlier than the clock \(clock)"
    case .aheadOfClock(let time, let clock, let limit):
      "the input's time \(time) is more than max_time_step (\(limit) microseconds) ahead of the clock \(clock)"
    case .queueFull(let limit, _):
      "\(limit) events are pending, which is max_pending_events; poll them before feeding more"
    case .internalInconsistency(let what): "defect in the library: \(what)"
    }
  }
}
