extension FleetEngine {
  /// Tells the fleet that time has passed for all devices: what is due up to and at that time is confirmed, by deadline,
  /// then device number, then add order. It is a watermark: no input of any device may be earlier from then on, also of one
  /// that is heard for the first time. Devices whose clock is ahead of it are left alone.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, ``MonitorError/lateInput(time:clock:)`` (earlier than the last
  ///   advance of all), ``MonitorError/queueFull(limit:position:)``; nothing has changed then.
  /// - Complexity: O(what is due), whatever the number of devices.
  public mutating func advance(to time: Timestamp) throws(MonitorError) {
    devices.own()
    try gate.readTable { table throws(MonitorError) in
      if let defect = time.defect { throw .invalidArgument(defect) }
      guard !isFull(table) else { throw .queueFull(limit: options.maxPendingEvents) }
      guard time.microseconds >= floor else {
        counters.lateInputs += 1
        throw .lateInput(time: time, clock: Timestamp(microseconds: floor))
      }
      announceToAll(at: time.microseconds, table)
      while let first = deadlines.first(devices.lines), first.time <= time.microseconds {
        confirmDue(first.device, through: first.time, table)
      }
      floor = time.microseconds
      devices.reach(floor)
      floors.raise(to: floor, lastBeacon: table.lastBeacon, generation: table.order.lastGeneration)
    }
  }

  /// Confirms what is due of a device up to and at a time.
  mutating func confirmDue(_ device: UInt32, through time: Int64, _ table: ConditionTable) {
    let clock = devices.lines[device].clock
    evaluate(device, at: clock, row: 0, table) { tracker, observed, survey, _ in
      tracker.confirmDue(through: time, table, &observed, &survey)
      return nil
    }
    // Its clock is that of its own inputs; the rest is the floor's.
    devices.lines[device].clock = clock
  }

  /// Tells the fleet that time has passed for one device.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` (no such device, or the time),
  ///   ``MonitorError/lateInput(time:clock:)``, ``MonitorError/queueFull(limit:position:)``; nothing has changed then.
  public mutating func advance(to time: Timestamp, for device: UInt32) throws(MonitorError) {
    try require(device)
    devices.own()
    try gate.readTable { table throws(MonitorError) in
      try admit(time, device, maxStep: .max, table)
      evaluate(device, at: time.microseconds, row: 0, table) { tracker, observed, survey, state in
        state.counters.others += 1
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
    return gate.readTable { table in
      announceToAll(at: nil, table)
      while let first = deadlines.first(devices.lines) {
        devices.load(first.device, into: &state)
        state.dropGone(seen: devices.lines[first.device].seen, table)
        if state.earliest == first.time { return Timestamp(microseconds: first.time) }
        store(first.device)
      }
      return nil
    }
  }

  /// The same of one device.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when there is no such device.
  public func nextDeadline(of device: UInt32) throws(MonitorError) -> Timestamp? {
    try require(device)
    let earliest = gate.read { engine in current(device, engine.table).earliest }
    return earliest == .max ? nil : Timestamp(microseconds: earliest)
  }

  /// What is kept of a device, brought up to date with the table.
  func current(_ device: UInt32, _ table: ConditionTable) -> DeviceState {
    let line = devices.lines[device]
    var state = DeviceState()
    devices.load(device, into: &state)
    state.dropGone(seen: line.seen, table)
    let clock = max(line.clock, floor)
    if clock != .min, table.lastBeacon > 0 {
      prepareBeacons(&state, clock: line.clock, at: clock, table)
      state.settleBeacons(through: clock, options)
    }
    return state
  }
}
