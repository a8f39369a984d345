/// Counters of a monitor since it was created, and its clock.
public struct MonitorStatistics: Sendable, Hashable {
  /// The largest time that was given.
  public var clock: Timestamp?
  /// Fixes, scan reports, scanning, host, advance and rewind: all that were taken note of, the invalid, the late and
  /// the refused ones too; not those refused because the queue was full.
  public var inputCount: UInt64 = 0
  public var acceptedFixes: UInt64 = 0
  public var invalidFixes: UInt64 = 0
  /// All kinds of input.
  public var lateInputs: UInt64 = 0
  /// All kinds of input: refused because they were ahead of the clock by more than the option allows.
  public var aheadInputs: UInt64 = 0
  /// Scan reports.
  public var acceptedSightings: UInt64 = 0
  /// Events that wait to be handed out.
  public var pendingEvents: Int = 0
  /// The last sequence number given.
  public var handedOutEvents: UInt64 = 0
  public var conditionCount: Int = 0
  /// Of a monitor that is kept in a store: whether the store takes what happens.
  public var store = StoreStatus.none
  /// Of a monitor that is kept in a store: whether the store has everything that the monitor accepted so far, also after a
  /// loss of power. A host that acknowledges its inputs to a broker does so once this holds.
  public var isAllKept = false

  public init() {}
}

/// What is known of the store that a monitor is kept in. The numbers are part of the C interface.
@frozen
public enum StoreStatus: UInt32, Sendable, Hashable {
  /// The monitor has no store, or is closed.
  case none = 0
  /// The last save succeeded.
  case kept = 1
  /// The last save failed; monitoring continues in memory, and later changes try again.
  case failing = 2
  /// The store's file was moved, deleted or replaced while it was open; nothing more is written to it.
  case gone = 3
}
