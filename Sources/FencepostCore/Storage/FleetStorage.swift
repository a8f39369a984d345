/// Where a fleet is kept.
public protocol FleetStorage: StateStorage {
  /// How many rows of devices ``StateStorage/read(_:)`` will hand over, so that room is made for no more than there are;
  /// `nil` where that is not known.
  func countDevices() throws(MonitorError) -> UInt64?

  /// Makes changes last, as ``MonitorStorage/write(_:)`` does.
  func write(_ changes: borrowing FleetChanges) throws(MonitorError)
}

extension FleetStorage {
  public func countDevices() throws(MonitorError) -> UInt64? { nil }
}
