import FencepostKernel

/// Methods that set clocks back, by the rules of ``MonitorEngine/rewind(to:)``.
extension FleetEngine {
  /// Declares that the times of some inputs or of an advance were wrong. Sets back the time to which all devices were
  /// advanced, and each device whose clock is later. Other devices do not change.
  ///
  /// Waiting events, sequences and counters do not change. If a device is set back, all its conditions become
  /// undetermined without an event, its started crossings and its last fix are forgotten, and the absence of beacons is
  /// counted anew. The next fix of the device determines the conditions again. An event follows only if the new state
  /// differs from the last reported one. A device that is entered later begins at the fleet's time, as if no later
  /// advance had happened.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the time is out of range or later than all clocks, or
  ///   if there is no clock yet; nothing has changed then.
  /// - Complexity: O(devices + waiting events)
  public mutating func rewind(to time: Timestamp) throws(MonitorError) {
    if let defect = time.defect { throw .invalidArgument(defect) }
    var latest = watermark.time
    for device in devices.numbers { latest = max(latest, devices.lines[device].clock) }
    guard latest != .min else {
      throw .invalidArgument("the fleet has no clock yet, so there is nothing to set back")
    }
    guard time.microseconds <= latest else {
      throw .invalidArgument(
        "the time is \(time); must not be later than the latest clock of the fleet, \(Timestamp(microseconds: latest))"
      )
    }
    devices.own()
    gate.readLong { table in
      reportSuspended(table)
      trackInAll(at: nil, table)
      let rewound = devices.numbers.filter { clock(of: $0) > time.microseconds && devices.isTold($0) }
      // Changes that are due are reported before the devices discard them.
      for device in rewound { confirmOverdue(device, table) }
      var pending = (delivery.turns?.pendingEvents(of: nil) ?? [])[...]
      for device in rewound {
        pending = pending.drop { $0.device < device }
        rewind(device, to: time.microseconds, pending.prefix { $0.device == device }, table)
      }
      watermark.rewind(to: time.microseconds)
    }
    devices.rewindNotes(watermark: watermark.time)
  }

  /// Declares that the times of some inputs of a device were wrong, and sets the clock of the device back. See
  /// ``rewind(to:)``. The rewind counts as an input of the device, and is accepted even if the queue is full.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)``; ``MonitorError/invalidArgument(_:position:)`` if the time is
  ///   out of range, later than the clock of the device, or earlier than the last advance of all devices, or if the
  ///   device has no clock yet. If an error is thrown, only a counter has changed.
  /// - Complexity: O(conditions that the device is inside or about to cross); with the deliveries `first` and `latest`
  ///   also O(waiting events); O(devices) for a fleet with a store.
  public mutating func rewind(to time: Timestamp, for number: UInt64) throws(MonitorError) {
    let device = try line(of: number)
    devices.own()
    count(device) { $0.countOther() }
    if let defect = time.defect { throw .invalidArgument(defect) }
    let clock = clock(of: device)
    guard clock != .min else {
      throw .invalidArgument("the device has no clock yet, so there is nothing to set back")
    }
    guard time.microseconds <= clock else {
      throw .invalidArgument(
        "the time is \(time); must not be later than the device's clock, \(Timestamp(microseconds: clock))")
    }
    guard time.microseconds >= watermark.time else {
      throw .invalidArgument(
        "the time is \(time), before the fleet's time \(Timestamp(microseconds: watermark.time)); rewind the fleet instead"
      )
    }
    gate.read { table in
      reportSuspended(table)
      confirmOverdue(device, table)
      rewind(device, to: time.microseconds, (delivery.turns?.pendingEvents(of: device) ?? [])[...], table)
    }
    if devices.notes.isOn { devices.rewindNotes(watermark: watermark.time) }
  }

  /// - Parameter pending: The pending events of the device with the deliveries `first` and `latest`.
  private mutating func rewind(
    _ device: UInt32, to time: Int64, _ pending: ArraySlice<FleetEntry>, _ table: ConditionTable
  ) {
    let line = devices.lines[device]
    let clock = clock(of: device)
    devices.load(device, into: &state)
    state.dropGone(seen: line.seen, table)
    if table.policies.hasTimings { state.prepareTimings(own: line.clock, clock: clock, through: clock, table) }
    if table.lastBeacon > 0 {
      prepareBeacons(&state, line, at: clock, table)
      state.settleBeacons(through: clock, options)
    }
    state.forgetShapes(validThrough: time, seen: line.seen, table)
    state.lastFix = nil
    state.chain = DoubtChain()
    state.gap = .min
    if table.lastBeacon > 0 { state.rewindBeacons(to: time, options, table) }
    forgetBehind(pending, table)
    devices.lines[device].clock = min(line.clock, time)
    if state.hasTimings || table.lastTimedRule > 0 {
      state.rewindTimings(to: time, table)
      state.dropCommonRecords(own: devices.lines[device].clock, seen: line.seen, table)
    }
    if state.hasRules || table.lastTimedRule > 0 { state.rules.rewind(to: time, seen: line.seen, table) }
    if table.rules != nil { state.listParts(seen: line.seen, clock: time, options, table) }
    if table.lastTimedRule > 0 { state.timings.edge = table.policies.nextEdge(after: time) }
    devices.lines[device].region.remove()
    store(device)
    devices.hurry(device)
    needRowFormat(FleetHeadRow.pathFormat)
  }

  /// Discards the states that were observed behind the pending events of conditions that are undetermined now. When a
  /// pending event is committed, its state is the last reported one; `state` records this.
  mutating func forgetBehind(_ pending: some Sequence<FleetEntry>, _ table: ConditionTable) {
    for entry in pending where table.holds(entry.entry.slot, entry.entry.generation) {
      delivery.forgetBehind(entry)
      state.expect(entry.entry.state, of: entry.entry.slot, table)
    }
    state.undecided.arrange()
  }
}

extension DeviceState {
  /// The state that was last reported for a shape that is undetermined now.
  func toldState(of slot: UInt32, _ table: ConditionTable) -> Event.State {
    guard rewoundThrough > 0 else { return table.assumed(of: slot) }
    if let told = told.first(where: { $0.slot == slot }) { return told.state }
    return table.generation(of: slot) <= rewoundThrough ? .unsatisfied : table.assumed(of: slot)
  }

  /// Records the state that will be the last reported one once the pending event of an undetermined condition is
  /// committed. The next fix must decide a shape, wherever it is, because its state is then observed behind the event.
  fileprivate mutating func expect(_ state: Event.State, of slot: UInt32, _ table: ConditionTable) {
    guard table.isGeographic(slot) else {
      if let index = beacons.firstIndex(where: { $0.slot == slot }) { beacons[index].told = state }
      return
    }
    if !undecided.contains(slot) { undecided.append(slot) }
    guard toldState(of: slot, table) != state else { return }
    told.removeAll { $0.slot == slot }
    if state != .unsatisfied { told.append(Told(slot: slot, state: state)) }
  }

  /// If a shape was reported as satisfied before a rewind, restores the time from which the device was inside.
  func resume(_ inside: inout Inside) {
    guard let told = told.first(where: { $0.slot == inside.slot }), told.since != .min else { return }
    inside.since = told.since
    inside.evidence = told.evidence
  }

  /// Makes all shapes undetermined, and stores the states that were reported.
  ///
  /// - Parameters:
  ///   - time: The times of states that are later than this were wrong.
  ///   - seen: See ``DeviceLine/seen``.
  mutating func forgetShapes(validThrough time: Int64, seen: UInt64, _ table: ConditionTable) {
    var told: ContiguousArray<Told> = []
    for inside in insides where timings.index(of: inside.slot) == nil {
      let isKnown = inside.since <= time && inside.evidence <= time
      told.append(
        Told(
          slot: inside.slot, state: .satisfied, since: isKnown ? inside.since : .min,
          evidence: isKnown ? inside.evidence : .min))
    }
    for slot in undecided {
      if let known = self.told.first(where: { $0.slot == slot }) {
        let isKnown = known.since <= time && known.evidence <= time
        told.append(isKnown ? known : Told(slot: slot, state: known.state))
      } else if toldState(of: slot, table) != .unsatisfied {
        told.append(Told(slot: slot, state: toldState(of: slot, table)))
      }
    }
    for inside in insides where !undecided.contains(inside.slot) && timings.index(of: inside.slot) == nil {
      undecided.append(inside.slot)
    }
    undecided.arrange()
    self.told = told
    insides.clear()
    crossings.clear()
    guard seen > 0 else { return }
    rewoundThrough = seen
    isRewound = true
  }

  /// Restarts the timers of the absences of all beacons.
  fileprivate mutating func rewindBeacons(to time: Int64, _ options: FleetOptions, _ table: ConditionTable) {
    marks.clear()
    beaconsAbsent = 0
    beaconsSeen = table.order.lastGeneration
    var deadline = Int64.max
    if countsAbsence {
      deadline =
        Timestamp(microseconds: time).adding(microseconds: options.beaconInitialTimeoutMicroseconds).microseconds
      beginAbsence(at: time, options, table)
    }
    for index in beacons.indices { beacons[index].track = BeaconTrack(deadline: deadline) }
  }

  /// Discards the reported states of shapes that a fix has determined since the rewind.
  mutating func endRewind() {
    guard rewoundThrough > 0 else { return }
    isRewound = false
    if undecided.isEmpty { rewoundThrough = 0 }
    told.removeAll { !undecided.contains($0.slot) }
  }
}
