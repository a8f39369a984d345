/// The storage of a fleet.
public protocol FleetStorage: StateStorage {
  /// The number of device rows that ``StateStorage/read(_:)`` will pass, so that memory is reserved for no more rows;
  /// `nil` if it is unknown.
  func countDevices() throws(MonitorError) -> UInt64?

  /// The family of the stored fleet; `nil` if nothing is stored yet, or if the storage has no families.
  ///
  /// Fleets that share a table form a family. If one fleet of a family accepts a table, the others accept it too,
  /// however it was changed in between.
  var family: UInt32? { get }

  /// Makes the storage a member of a family. A new storage joins with its first write. An existing storage changes its
  /// family with the next write of all rows, and only if there is space for a second copy.
  ///
  /// - Parameter family: The family to join; `nil` for the present family of an existing storage, or a random family
  ///   for a new storage.
  /// - Returns: The family, and whether the storage joins it only with a write of all rows; `nil` if the storage has no
  ///   families.
  func join(_ family: UInt32?) -> (family: UInt32, needsAllRows: Bool)?

  /// Writes changes, with the guarantees of ``MonitorStorage/write(_:)``.
  func write(_ changes: borrowing FleetChanges) throws(MonitorError)
}

extension FleetStorage {
  public func countDevices() throws(MonitorError) -> UInt64? { nil }
  public var family: UInt32? { nil }
  public func join(_ family: UInt32?) -> (family: UInt32, needsAllRows: Bool)? { nil }
}
