extension MonitorEngine {
  /// Feeds one scan report. The rules and the errors are those of the method with the same name of ``Monitor``.
  public mutating func feed(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    tracker.counters.acceptedSightings += 1
    tracker.see(sightings, at: time, table, &delivery)
  }

  /// Declares whether the host scans for beacons from now on. Repeating a declaration has no effect.
  ///
  /// While the host does not scan, beacon conditions are undetermined, without an event, and their absence is not
  /// counted.
  public mutating func setScanning(_ isOn: Bool, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    tracker.counters.countOther()
    tracker.setScanning(isOn, at: time, table, &delivery)
  }
}
