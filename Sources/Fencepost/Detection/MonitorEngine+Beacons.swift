extension MonitorEngine {
  /// Feeds one scan report: the beacons observed at one instant. An empty report only moves the clock.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)``,
  ///   ``MonitorError/queueFull(limit:position:)``; nothing has changed then.
  public mutating func see(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    tracker.timeline.countSightings()
    tracker.see(sightings, at: time, table, &delivery)
  }

  /// Declares whether the host scans for beacons from now on; the same again does nothing.
  ///
  /// Off: beacon conditions become undetermined without an event, and absence is not counted.
  public mutating func setScanning(_ isOn: Bool, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    tracker.setScanning(isOn, at: time, table, &delivery)
  }
}
