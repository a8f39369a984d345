/// Where a fleet is kept.
public protocol FleetStorage: StateStorage {
  /// Makes changes last, as ``MonitorStorage/write(_:)`` does.
  func write(_ changes: borrowing FleetChanges) throws(MonitorError)
}
