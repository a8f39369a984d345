// Keeps names from version 0.2, for programs that still use them: for example, `feed(_:at:)` was called `see(_:at:)`.

extension Monitor {
  /// Feeds one scan report.
  @available(*, deprecated, renamed: "feed(_:at:)")
  public func see(_ sightings: some Sequence<BeaconSighting> & Sendable, at time: Timestamp) throws(MonitorError) {
    try feed(sightings, at: time)
  }

  /// Feeds a scan report with one beacon.
  @available(*, deprecated, renamed: "feed(_:at:)")
  public func see(_ sighting: BeaconSighting, at time: Timestamp) throws(MonitorError) {
    try feed(sighting, at: time)
  }
}

extension Fleet {
  /// Feeds one scan report of a device.
  @available(*, deprecated, renamed: "feed(_:at:for:)")
  public func see(
    _ sightings: some Sequence<BeaconSighting> & Sendable, at time: Timestamp, for identifier: String
  ) throws(MonitorError) {
    try feed(sightings, at: time, for: identifier)
  }
}

extension MonitorEngine {
  /// Feeds one scan report.
  @available(*, deprecated, renamed: "feed(_:at:)")
  public mutating func see(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError) {
    try feed(sightings, at: time)
  }
}

extension FleetEngine {
  /// Feeds one scan report of a device.
  @available(*, deprecated, renamed: "feed(_:at:for:)")
  public mutating func see(
    _ sightings: some Sequence<BeaconSighting>, at time: Timestamp, for number: UInt64
  ) throws(MonitorError) {
    try feed(sightings, at: time, for: number)
  }
}

extension RegionService {
  /// Feeds one scan report.
  @available(*, deprecated, renamed: "feed(_:at:)")
  public func see(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError) {
    try feed(sightings, at: time)
  }
}
