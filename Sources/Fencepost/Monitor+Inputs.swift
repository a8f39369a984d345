extension Monitor {
  /// Feeds one fix. A fix without a position (its accuracy is negative or NaN) is counted as invalid and otherwise
  /// ignored; no error is thrown.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if a coordinate or the time is out of range,
  ///   ``MonitorError/lateInput(time:clock:)``, ``MonitorError/aheadOfClock(time:clock:limit:)`` or
  ///   ``MonitorError/queueFull(limit:position:)``. A fix that is refused because the queue is full changes nothing; a
  ///   fix that is refused for another reason changes only a counter.
  public func feed(_ fix: Fix) throws(MonitorError) {
    defer { wakeConsumer() }
    try stored.feed(fix)
  }

  /// Feeds one fix with an error ellipse, which policies with probabilities use instead of the accuracy, and with a
  /// height, which conditions with an ``AltitudeBand`` need.
  ///
  /// - Throws: The errors of ``feed(_:)-(Fix)``; ``MonitorError/invalidArgument(_:position:)`` also for a semi-axis that is
  ///   negative, infinite or NaN, a minor axis that is longer than the major one, and an orientation that is not finite.
  public func feed(_ fix: Fix, ellipse: FixEllipse? = nil, height: FixHeight?) throws(MonitorError) {
    defer { wakeConsumer() }
    try stored.feed(fix, ellipse: ellipse, height: height)
  }

  /// Feeds one fix with an error ellipse. See ``feed(_:ellipse:height:)``.
  public func feed(_ fix: Fix, ellipse: FixEllipse?) throws(MonitorError) {
    try feed(fix, ellipse: ellipse, height: nil)
  }

  /// Feeds many fixes in order, with the same result as single calls: invalid fixes, late fixes, and fixes too far
  /// ahead of the clock are skipped and counted.
  ///
  /// - Throws: ``MonitorError/queueFull(limit:position:)``; the fixes before the error's `position` were applied.
  @discardableResult
  public func feed(_ fixes: some Sequence<Fix> & Sendable) throws(MonitorError) -> FeedResult {
    return try call { engine throws(MonitorError) in try engine.feed(fixes) }
  }

  /// Feeds one scan report: the beacons observed at one instant. An empty report only moves the clock.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)``,
  ///   ``MonitorError/queueFull(limit:position:)``; the monitor is then unchanged.
  public func feed(_ sightings: some Sequence<BeaconSighting> & Sendable, at time: Timestamp) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.feed(sightings, at: time) }
  }

  /// Feeds a scan report with one beacon.
  public func feed(_ sighting: BeaconSighting, at time: Timestamp) throws(MonitorError) {
    try feed(CollectionOfOne(sighting), at: time)
  }

  /// Declares whether the host is scanning for beacons from now on; a new monitor assumes that it is.
  ///
  /// While scanning is off, beacon conditions are undetermined and the absence of a beacon does not count; switching
  /// scanning off or on causes no event.
  ///
  /// - Throws: The same errors as ``feed(_:at:)-(BeaconSighting,_)``.
  public func setScanning(_ isOn: Bool, at time: Timestamp) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.setScanning(isOn, at: time) }
  }

  /// Declares what the host can do from now on. See <doc:HostCapabilities>.
  ///
  /// - Parameters:
  ///   - flags: Which of ``Diagnostics/hostFlags`` are set now; while any flag is set, every condition is suspended.
  ///   - unsupported: Kinds of condition that cannot be monitored now; they become `unmonitored`.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (a flag that is not a host flag, or an invalid time), or
  ///   the errors for a late input or a full queue; the monitor is then unchanged.
  public func setHostCapabilities(
    _ flags: Diagnostics, unsupported: Set<ConditionKind> = [], at time: Timestamp
  ) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.setHostCapabilities(flags, unsupported: unsupported, at: time)
    }
  }

  /// Tells the monitor that time has passed, and confirms all changes that are due up to and including the given time.
  /// The given time may be arbitrarily far ahead of the clock.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)``,
  ///   ``MonitorError/queueFull(limit:position:)``; the monitor is then unchanged.
  public func advance(to time: Timestamp) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.advance(to: time) }
  }

  /// Sets the clock back after inputs with wrong times.
  ///
  /// Conditions, records, pending events and the sequence are kept; the observed states become undetermined, and no
  /// event reports this. The states of shapes are undetermined until the next fix, and the states of beacon conditions
  /// are undetermined until a sighting or until the initial timeout, counted from `time`.
  ///
  /// - Parameter time: The new time of the clock; must not be later than the current time of the clock.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the time is out of range or later than the clock, or if
  ///   there is no clock yet; each of these errors changes only a counter.
  /// - Complexity: O(conditions)
  public func rewind(to time: Timestamp) throws(MonitorError) {
    try call { engine throws(MonitorError) in try engine.rewind(to: time) }
  }
}
