extension FleetEngine {
  /// Advances the time of all devices. All changes that are due at or before that time are confirmed, in the order of
  /// deadline, device number and add order. The time is a watermark: from then on, no input of any device may be
  /// earlier, not even the first input of a new device. Devices whose clock is ahead of the time are not affected.
  ///
  /// ``FleetOptions/maxTimeStepMicroseconds`` limits an advance, because one wrong date would make every later input of
  /// every device late. The limit is measured from the arrival time if the host states it, otherwise from the latest
  /// clock of the devices; in both cases from the last advance, if that is later. ``rewind(to:)`` undoes an advance.
  ///
  /// - Parameter force: Whether to ignore the limit, because so much time has really passed.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``; ``MonitorError/lateInput(time:clock:)`` if the time is
  ///   earlier than the last advance of all devices; ``MonitorError/aheadOfClock(time:clock:limit:)``;
  ///   ``MonitorError/queueFull(limit:position:)``. If an error is thrown, nothing has changed except the counters.
  /// - Complexity: O(number of due confirmations), independent of the number of devices; at most O(devices) if the time
  ///   exceeds the limit measured from the last advance.
  public mutating func advance(to time: Timestamp, force: Bool = false) throws(MonitorError) {
    devices.own()
    try gate.readLong { table throws(MonitorError) in
      reportSuspended(table)
      do throws(MonitorError) {
        try Admission.check(
          time, isFull: isFull(table), limit: options.maxPendingEvents, clock: watermark.time,
          reference: force ? .min : referenceExceeded(by: time.microseconds), longestStep: maxTimeStep)
      } catch {
        countRefused(error)
        throw error
      }
      announceToAll(at: time.microseconds, table)
      trackInAll(at: time.microseconds, table)
      while let first = deadlines.first(devices.lines), first.time <= time.microseconds {
        confirmDue(first.device, through: first.time, table)
      }
      watermark.raise(
        to: time.microseconds, lastBeacon: table.lastBeaconOrRule, generation: table.order.lastGeneration)
      devices.reach(time.microseconds)
    }
  }

  /// Returns the time from which the limit of an advance is measured, if `time` exceeds the limit; otherwise
  /// `Int64.min`.
  ///
  /// The first time of a fleet is not limited, because there is no earlier time to measure from.
  private func referenceExceeded(by time: Int64) -> Int64 {
    var reference = max(watermark.time, devices.arrivals.present)
    // Any two valid times are less than 2⁶² microseconds apart, so the subtraction cannot overflow.
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

  /// Sets the arrival time of the following inputs, as shown by the host's own clock. The arrival time may go back. It
  /// does not affect states or events; it has only two uses:
  ///
  /// * A device was last heard from at the arrival time of its last accepted input, regardless of the date of this
  ///   input: see ``expire(arrivedBefore:)``.
  /// * With ``FleetOptions/maxTimeStepMicroseconds``, an input is refused as too far ahead if it exceeds both the clock
  ///   of the device and the arrival time by more than the limit. An advance is refused if it exceeds the arrival time
  ///   by more than the limit. So even the first input of a device is limited.
  ///
  /// Devices that were added before the first arrival time count as heard from at the first arrival time.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the time is out of range.
  /// - Complexity: O(1), except for the first call: O(devices). After the first call, each device needs 8 more bytes.
  public mutating func setArrivalTime(_ time: Timestamp) throws(MonitorError) {
    if let defect = time.defect { throw .invalidArgument(defect) }
    devices.setArrivalTime(time.microseconds)
    needRowFormat(FleetHeadRow.pathFormat)
  }

  /// Confirms all changes of a device that are due at or before a time.
  mutating func confirmDue(_ device: UInt32, through time: Int64, row: Int = 0, _ table: ConditionTable) {
    let clock = devices.lines[device].clock
    timed.due = time
    evaluate(device, at: clock, row: row, table) { tracker, observed, survey, _ in
      // The device may have been moved here from a fleet whose time was earlier, so its clock may be later than the time.
      tracker.confirmDue(through: time, table, &observed, &survey, ending: .time)
      return nil
    }
    timed.due = nil
    // The clock in the line depends only on the device's own inputs; the watermark covers the advances of the fleet.
    devices.lines[device].clock = clock
  }

  /// Advances the time of one device.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``; ``MonitorError/invalidArgument(_:position:)`` if the time is
  ///   out of range; ``MonitorError/lateInput(time:clock:)``; ``MonitorError/queueFull(limit:position:)``. If an error
  ///   is thrown, nothing has changed except the counters.
  public mutating func advance(to time: Timestamp, for number: UInt64) throws(MonitorError) {
    let device = try line(of: number)
    devices.own()
    try gate.read { table throws(MonitorError) in
      try admit(time, device, maxStep: .max, table)
      evaluate(device, at: time.microseconds, row: 0, table) { tracker, observed, survey, state in
        state.counters.countOther()
        tracker.passTime(to: time, table, &observed, &survey)
        tracker.confirmDue(through: tracker.clock, table, &observed, &survey, ending: .time)
        return nil
      }
    }
  }

  /// The earliest time at which a change of any device becomes due without an input: a dwell has passed, or the absence
  /// of a beacon is established and causes an event; `nil` if nothing waits.
  ///
  /// - Complexity: O(1), except for devices whose next deadline belonged to a condition that was removed.
  public mutating func nextDeadline() -> Timestamp? {
    devices.own()
    return gate.readLong { table in
      reportSuspended(table)
      announceToAll(at: nil, table)
      trackInAll(at: nil, table)
      let edge = nextEdge(table)
      while let first = deadlines.first(devices.lines) {
        devices.load(first.device, into: &state)
        state.dropGone(seen: devices.lines[first.device].seen, table)
        let clock = clock(of: first.device)
        if state.hasRules { state.settleRules(seen: devices.lines[first.device].seen, at: clock, table) }
        // The schedule of a remembered edge may have been removed.
        if state.hasTimings, state.timings.edge > clock { state.timings.edge = table.policies.nextEdge(after: clock) }
        // For a device that was added after an advance, the deadline may have passed already.
        if state.earliest == first.time {
          return Timestamp(microseconds: min(max(first.time, watermark.time), edge))
        }
        store(first.device)
      }
      return edge == .max ? nil : Timestamp(microseconds: edge)
    }
  }

  /// The earliest time at which a change of one device becomes due without an input; `nil` if nothing waits. See
  /// ``nextDeadline()``.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device.
  public func nextDeadline(of number: UInt64) throws(MonitorError) -> Timestamp? {
    let device = try line(of: number)
    let clock = clock(of: device)
    let (earliest, edge) = gate.read { table in
      var state = current(device, table)
      let edge = clock == .min ? .max : table.policies.nextEdge(after: clock)
      // The schedule of a remembered edge may have been removed.
      if state.hasTimings { state.timings.edge = edge }
      return (state.earliest, edge)
    }
    let next = min(earliest == .max ? .max : max(earliest, clock), edge)
    return next == .max ? nil : Timestamp(microseconds: next)
  }

  /// Returns the stored state of a device, brought up to date with the table.
  func current(_ device: UInt32, _ table: ConditionTable) -> DeviceState {
    let line = devices.lines[device]
    var state = DeviceState()
    devices.load(device, into: &state)
    state.dropGone(seen: line.seen, table)
    let clock = watermark.clock(line)
    if clock != .min, table.policies.hasTimings {
      state.prepareTimings(own: line.clock, clock: clock, through: clock, table)
    }
    if clock != .min, table.lastBeacon > 0 {
      prepareBeacons(&state, line, at: clock, table)
      state.settleBeacons(through: clock, options)
    }
    if state.hasRules { state.settleRules(seen: line.seen, at: clock, table) }
    return state
  }
}
