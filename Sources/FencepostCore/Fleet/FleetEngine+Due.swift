extension FleetEngine {
  /// Tells the fleet that time has passed for all devices: what is due up to and at that time is confirmed, by deadline,
  /// then device number, then add order. It is a watermark: no input of any device may be earlier from then on, also of one
  /// that is heard for the first time. Devices whose clock is ahead of it are left alone.
  ///
  /// With ``FleetOptions/maxTimeStepMicroseconds`` an advance is bounded: one wrong date would make every later input of
  /// every device late. The bound counts from the arrival time if the host gives it, else from the largest clock of the
  /// devices; in both cases from the last advance, if that is later. ``rewind(to:)`` takes an advance back.
  ///
  /// - Parameter force: Whether the bound does not apply, because so much time has really passed.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)`` (earlier than the last
  ///   advance of all), ``MonitorError/aheadOfClock(time:clock:limit:)``, ``MonitorError/queueFull(limit:position:)``;
  ///   nothing has changed then.
  /// - Complexity: O(what is due), whatever the number of devices. O(devices) at most if the time is beyond the bound of
  ///   the last advance.
  public mutating func advance(to time: Timestamp, force: Bool = false) throws(MonitorError) {
    devices.own()
    try gate.readLong { table throws(MonitorError) in
      do throws(MonitorError) {
        try Admission.check(
          time, isFull: isFull(table), limit: options.maxPendingEvents, clock: watermark.time,
          reference: force ? .min : referenceExceeded(by: time.microseconds), longestStep: maxTimeStep)
      } catch {
        counters.count(refused: error)
        throw error
      }
      announceToAll(at: time.microseconds, table)
      while let first = deadlines.first(devices.lines), first.time <= time.microseconds {
        confirmDue(first.device, through: first.time, table)
      }
      watermark.raise(
        to: time.microseconds, lastBeacon: table.lastBeacon, generation: table.order.lastGeneration)
      devices.reach(time.microseconds)
    }
  }

  /// The time from which an advance is bounded, if a time is beyond that bound; else `Int64.min`.
  ///
  /// The first time that a fleet is given has nothing to be measured by.
  private func referenceExceeded(by time: Int64) -> Int64 {
    var reference = max(watermark.time, devices.arrivals.present)
    // Valid times are less than 2⁶² apart.
    func isBeyond(_ reference: Int64) -> Bool { reference == .min || time - reference > maxTimeStep }
    guard options.maxTimeStepMicroseconds != nil, isBeyond(reference) else { return .min }
    if !devices.arrivals.isSet {
      for device in devices.numbers where devices.lines[device].clock > reference {
        reference = devices.lines[device].clock
        if !isBeyond(reference) { return .min }
      }
    }
    return reference
  }

  /// Sets the arrival time of the inputs that follow, as the host's own clock shows it; it may go back. It decides no
  /// state and no event, but two things:
  ///
  /// * A device was last heard of at the arrival time of its last accepted input, whatever date that has: see
  ///   ``expire(arrivedBefore:)``.
  /// * With ``FleetOptions/maxTimeStepMicroseconds`` an input is refused as ahead if it is later than both the device's
  ///   clock and the arrival time by more, and an advance if it is later than the arrival time by more. So the first input
  ///   of a device is bounded too.
  ///
  /// Devices that were entered before the first arrival time count as heard then.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the time is out of range.
  /// - Complexity: O(1); the first time O(devices), which then cost 8 bytes more each.
  public mutating func setArrivalTime(_ time: Timestamp) throws(MonitorError) {
    if let defect = time.defect { throw .invalidArgument(defect) }
    devices.setArrivalTime(time.microseconds)
    rowFormat = FleetHeadRow.format
  }

  /// Confirms what is due of a device up to and at a time.
  mutating func confirmDue(_ device: UInt32, through time: Int64, _ table: ConditionTable) {
    let clock = devices.lines[device].clock
    evaluate(device, at: clock, row: 0, table) { tracker, observed, survey, _ in
      tracker.confirmDue(through: time, table, &observed, &survey)
      return nil
    }
    // Its clock is that of its own inputs; the rest is the watermark's.
    devices.lines[device].clock = clock
  }

  /// Tells the fleet that time has passed for one device.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (no such device, or the time),
  ///   ``MonitorError/lateInput(time:clock:)``, ``MonitorError/queueFull(limit:position:)``; nothing has changed then.
  public mutating func advance(to time: Timestamp, for number: UInt32) throws(MonitorError) {
    let device = try line(of: number)
    devices.own()
    try gate.read { table throws(MonitorError) in
      try admit(time, device, maxStep: .max, table)
      evaluate(device, at: time.microseconds, row: 0, table) { tracker, observed, survey, state in
        state.counters.countOther()
        tracker.passTime(to: time, table, &observed, &survey)
        tracker.confirmDue(through: tracker.clock, table, &observed, &survey)
        return nil
      }
    }
  }

  /// The earliest time at which something happens to any device though no input comes: a dwell has passed, or the absence
  /// of a beacon that is an event is established; `nil` when nothing waits.
  ///
  /// - Complexity: O(1), but for devices whose next deadline was that of a condition that is gone.
  public mutating func nextDeadline() -> Timestamp? {
    devices.own()
    return gate.readLong { table in
      announceToAll(at: nil, table)
      while let first = deadlines.first(devices.lines) {
        devices.load(first.device, into: &state)
        state.dropGone(seen: devices.lines[first.device].seen, table)
        // Of a device that was entered after an advance it may be overdue.
        if state.earliest == first.time { return Timestamp(microseconds: max(first.time, watermark.time)) }
        store(first.device)
      }
      return nil
    }
  }

  /// The same of one device.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when there is no such device.
  public func nextDeadline(of number: UInt32) throws(MonitorError) -> Timestamp? {
    let device = try line(of: number)
    let earliest = gate.read { table in current(device, table).earliest }
    return earliest == .max ? nil : Timestamp(microseconds: max(earliest, clock(of: device)))
  }

  /// What is kept of a device, brought up to date with the table.
  func current(_ device: UInt32, _ table: ConditionTable) -> DeviceState {
    let line = devices.lines[device]
    var state = DeviceState()
    devices.load(device, into: &state)
    state.dropGone(seen: line.seen, table)
    let clock = watermark.clock(line)
    if clock != .min, table.lastBeacon > 0 {
      prepareBeacons(&state, clock: line.clock, at: clock, table)
      state.settleBeacons(through: clock, options)
    }
    return state
  }
}
