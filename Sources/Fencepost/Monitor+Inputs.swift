extension Monitor {
  /// Feeds one fix. A fix without a position (accuracy negative or NaN) is accepted, ignored and counted.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (coordinate or time out of range, counted),
  ///   ``MonitorError/lateInput(time:clock:)`` (counted), ``MonitorError/queueFull(limit:position:)``; the fix has
  ///   changed nothing else then.
  public func feed(_ fix: Fix) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.feed(fix) }
  }

  /// Feeds many fixes in order, with the same result as single calls; invalid and late ones are skipped and counted.
  ///
  /// - Throws: ``MonitorError/queueFull(limit:position:)``; the fixes before its position took effect.
  @discardableResult
  public func feed(_ fixes: some Sequence<Fix> & Sendable) throws(MonitorError) -> FeedResult {
    return try call { engine throws(MonitorError) in try engine.feed(fixes) }
  }

  /// Feeds one scan report: the beacons observed at one instant. An empty report only moves the clock.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)``,
  ///   ``MonitorError/queueFull(limit:position:)``; nothing has changed then.
  public func see(_ sightings: some Sequence<BeaconSighting> & Sendable, at time: Timestamp) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.see(sightings, at: time) }
  }

  /// Feeds a scan report with one beacon.
  public func see(_ sighting: BeaconSighting, at time: Timestamp) throws(MonitorError) {
    try see(CollectionOfOne(sighting), at: time)
  }

  /// Declares whether the host scans for beacons from now on; a monitor starts with scanning on.
  ///
  /// Off: beacon conditions become undetermined without an event, and absence is not counted.
  ///
  /// - Throws: As ``see(_:at:)-(BeaconSighting,_)``.
  public func setScanning(_ isOn: Bool, at time: Timestamp) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.setScanning(isOn, at: time) }
  }

  /// States what the host can do from now on. See <doc:HostCapabilities>.
  ///
  /// - Parameters:
  ///   - flags: Which of ``Diagnostics/hostFlags`` hold now; while one holds every condition is suspended.
  ///   - unsupported: Kinds of condition that cannot be monitored now; they become `unmonitored`.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (another flag, or the time), late, full; nothing has
  ///   changed then.
  public func setHostCapabilities(
    _ flags: Diagnostics, unsupported: Set<ConditionKind> = [], at time: Timestamp
  ) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.setHostCapabilities(flags, unsupported: unsupported, at: time)
    }
  }

  /// Tells the monitor that time has passed: what is due up to and at that time is confirmed.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)``,
  ///   ``MonitorError/queueFull(limit:position:)``; nothing has changed then.
  public func advance(to time: Timestamp) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.advance(to: time) }
  }
}
