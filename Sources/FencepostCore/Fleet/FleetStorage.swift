/// Where a fleet is kept.
public protocol FleetStorage: StateStorage {
  /// How many rows of devices ``StateStorage/read(_:)`` will hand over, so that room is made for no more than there are;
  /// `nil` where that is not known.
  func countDevices() throws(MonitorError) -> UInt64?

  /// The family of the stored fleet; `nil` if nothing is stored yet, or if the storage has no families.
  ///
  /// Fleets that share a table are one family. A table that continues one of them is accepted for the others, however it
  /// was changed in between.
  var family: UInt32? { get }

  /// Makes the storage a member of a family. A new storage becomes one with its first write. An existing one changes its
  /// family with the next write of all rows, and only if it has room for a second copy.
  ///
  /// - Parameter family: `nil` = the present family of an existing storage, a random one for a new storage.
  /// - Returns: The family, and whether the storage waits for a write of all rows to join it; `nil` if the storage has no
  ///   families.
  func join(_ family: UInt32?) -> (family: UInt32, needsAllRows: Bool)?

  /// Makes changes last, as ``MonitorStorage/write(_:)`` does.
  func write(_ changes: borrowing FleetChanges) throws(MonitorError)
}

extension FleetStorage {
  public func countDevices() throws(MonitorError) -> UInt64? { nil }
  public var family: UInt32? { nil }
  public func join(_ family: UInt32?) -> (family: UInt32, needsAllRows: Bool)? { nil }
}
