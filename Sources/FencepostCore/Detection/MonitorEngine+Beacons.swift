extension MonitorEngine {
  /// Feeds one scan report; the rules and the errors are those of ``Monitor``'s call of the same name.
  public mutating func feed(_ sightings: some Sequence<BeaconSighting>, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    tracker.counters.acceptedSightings += 1
    tracker.see(sightings, at: time, table, &delivery)
  }

  /// Declares whether the host scans for beacons from now on; the same again does nothing.
  ///
  /// Off: beacon conditions become undetermined without an event, and absence is not counted.
  public mutating func setScanning(_ isOn: Bool, at time: Timestamp) throws(MonitorError) {
    try admit(time)
    tracker.counters.countOther()
    tracker.setScanning(isOn, at: time, table, &delivery)
  }
}
