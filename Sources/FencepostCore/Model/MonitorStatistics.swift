/// The counters of a monitor since it was created, and its clock.
public struct MonitorStatistics: Sendable, Hashable {
  /// The latest time of any input; `nil` before the first input.
  public var clock: Timestamp?
  /// The number of all inputs: fixes, scan reports, scanning and host declarations, advances and rewinds. Invalid, late
  /// and otherwise refused inputs are included, except those that were refused because the queue was full.
  public var inputCount: UInt64 = 0
  public var acceptedFixes: UInt64 = 0
  public var invalidFixes: UInt64 = 0
  /// The number of fixes that the device cannot have reached; see ``Plausibility``.
  public var doubtedFixes: UInt64 = 0
  /// The number of late inputs of all kinds.
  public var lateInputs: UInt64 = 0
  /// The number of inputs of all kinds that were refused because they were further ahead of the clock than the option
  /// allows.
  public var aheadInputs: UInt64 = 0
  /// The number of accepted scan reports.
  public var acceptedSightings: UInt64 = 0
  /// The number of events that wait for delivery.
  public var pendingEvents: Int = 0
  /// The sequence number of the last delivered event.
  public var handedOutEvents: UInt64 = 0
  public var conditionCount: Int = 0
  /// For a monitor with a store: the status of the store.
  public var store = StoreStatus.none
  /// For a monitor with a store: whether the store contains everything that the monitor has accepted so far, so that it
  /// survives a power failure. A host should acknowledge inputs to a broker only when this is true.
  public var isAllKept = false

  public init() {}
}

/// The status of the store of a monitor. The numbers are part of the C interface.
@frozen
public enum StoreStatus: UInt32, Sendable, Hashable {
  /// The monitor has no store, or is closed.
  case none = 0
  /// The last save succeeded.
  case kept = 1
  /// The last save failed. Monitoring continues in memory, and the monitor tries to save again at later changes.
  case failing = 2
  /// The file of the store was moved, deleted or replaced while it was open; nothing more is written to it.
  case gone = 3
}
