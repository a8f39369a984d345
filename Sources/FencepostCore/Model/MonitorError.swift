/// The errors of the engine. Each corresponds to a `fencepost_status` of the C interface.
public enum MonitorError: Error, Sendable, Hashable {
  /// A value is out of range. If there are several rows or elements, `position` is the index of the row or element.
  case invalidArgument(String, position: Int = 0)
  /// A monitor's name is not `[A-Za-z0-9_]{1,64}`.
  case invalidName(String)
  /// A monitor with this name is already open in this store.
  case monitorInUse(String)
  /// The events already have a consumer.
  case consumerAlreadyActive
  /// A store cannot be opened, read or written; the text states the file and the reason.
  case storeUnavailable(String)
  /// The file of a store is damaged, or was not written by this library.
  case storeCorrupt(String)
  /// The file of a store was written by a newer version of the library.
  case storeTooNew(String)
  /// The bytes are not a snapshot that this version can restore.
  case snapshotInvalid(String)
  /// The bytes of a device were exported with another version of the table of conditions.
  case tableMismatch(String)
  /// No condition has the identifier.
  case notFound(String)
  /// No device of the fleet has the number. If there are several rows or elements, `position` is the index of the row
  /// or element.
  case noSuchDevice(String, position: Int = 0)
  /// The input is earlier than the clock of the monitor, device or fleet.
  case lateInput(time: Timestamp, clock: Timestamp)
  /// The input is ahead of the clock of the monitor, device or fleet by more than the option `maxTimeStepMicroseconds`.
  case aheadOfClock(time: Timestamp, clock: Timestamp, limit: Int64)
  /// The queue is full: `limit` events wait for delivery. `position` is the index of the first row that was not
  /// consumed.
  case queueFull(limit: Int, position: Int = 0)
  /// A defect of the library. No code throws this error; its number is reserved for unforeseen cases.
  case internalInconsistency(String)
}

extension MonitorError: CustomStringConvertible {
  /// One line that states the cause, the place and the accepted range.
  @_optimize(size)
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
