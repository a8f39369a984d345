extension FleetEngine {
  /// Returns the position of a device's last accepted fix, rounded to a ten-millionth of a degree; `nil` without an
  /// accepted fix.
  ///
  /// The position is not saved. After a device was opened, restored or loaded, and until its next fix, this is the
  /// position of the last fix that was not in the safe region.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device.
  public func position(of number: UInt64) throws(MonitorError) -> Coordinate? {
    let device = try line(of: number)
    return devices.lines[device].place ?? devices.lastFix(of: device)?.coordinate
  }

  /// Returns the observed state of a condition for a device: `unknown` while the condition is undetermined; `nil` if no
  /// condition has the identifier.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device.
  public func state(of identifier: String, for number: UInt64) throws(MonitorError) -> Event.State? {
    let device = try line(of: number)
    return gate.read { table in
      table.slot(of: identifier).map { self.state(of: $0, device, table) }
    }
  }

  /// The observed state of the condition with an identifier in UTF-8. See ``state(of:for:)``.
  package func state(
    ofIdentifierBytes bytes: UnsafeBufferPointer<UInt8>, for number: UInt64
  ) throws(MonitorError) -> Event.State {
    let device = try line(of: number)
    return try gate.read { table throws(MonitorError) in
      self.state(of: try table.slot(ofIdentifierBytes: bytes), device, table)
    }
  }

  private func state(of slot: UInt32, _ device: UInt32, _ table: ConditionTable) -> Event.State {
    table.kind(of: slot).isLine ? .unknown : observed(slot, shown(device, table), device, table).state
  }

  private func observed(
    _ slot: UInt32, _ state: DeviceState, _ device: UInt32, _ table: ConditionTable, mayBeInside: Bool = true
  ) -> Observed {
    guard table.isGeographic(slot) else {
      return table.kind(of: slot).isRule
        ? state.observedRule(slot, seen: devices.lines[device].seen, at: clock(of: device), table)
        : track(of: slot, state, device, table).observed
    }
    if mayBeInside, state.insides.contains(where: { $0.slot == slot }) { return .inside }
    if table.policies.hasTimings, table.timing(of: slot) != nil {
      if let index = state.timings.index(of: slot) { return state.timings.records[index].observed }
      return state.commonObserved(slot, at: clock(of: device), seen: devices.lines[device].seen, table)
    }
    if state.isRewound || state.undecided.contains(slot) { return .undetermined }
    if state.host.limits(slot, table) { return .undetermined }
    return table.generation(of: slot) <= devices.lines[device].seen ? .outside : .undetermined
  }

  /// Returns the state of a device with the rules as they are after the absences of beacons that were established before
  /// the device was added, although their events come with the device's next input.
  func shown(_ device: UInt32, _ table: ConditionTable) -> DeviceState {
    var state = current(device, table)
    let clock = clock(of: device)
    if table.rules != nil, state.earliest <= clock { confirmOverdue(in: &state, device, through: clock, table) }
    return state
  }

  @inline(never) @_optimize(size)
  private func confirmOverdue(
    in state: inout DeviceState, _ device: UInt32, through clock: Int64, _ table: ConditionTable
  ) {
    var (tracker, observed, survey) = (tracker, observed, Survey())
    let line = devices.lines[device]
    let seen = line.seen
    state.load(into: &tracker, clock: clock, seen: seen, table)
    // No edge passes: the rules have counted the present states.
    state.noteCounted(at: clock, seen: seen, table)
    for record in state.timings.records { tracker.load(record, table) }
    tracker.beginRules(
      state.rules, seen: seen, state.timings.records, edges: (clock, clock),
      additions: additions(overdueAt: clock, state, line, table), table)
    observed.forgetCollected()
    tracker.confirmDue(through: clock, table, &observed, &survey, ending: .time)
    for entry in observed.collected where table.kind(of: entry.slot).isRule { _ = tracker.tellRule(entry, table) }
    state.rules = tracker.packRules(state.rules, seen: seen, table)
    for index in state.beacons.indices {
      state.beacons[index].track = tracker.beacon(state.beacons[index].slot) ?? state.beacons[index].track
    }
  }

  /// Returns the observed state of a beacon condition. An absence that was established before the device was added is
  /// included, although its event comes with the device's next input.
  private func track(
    of slot: UInt32, _ state: DeviceState, _ device: UInt32, _ table: ConditionTable
  ) -> BeaconTrack {
    let track = state.beacon(slot, table).track
    guard track.deadline <= clock(of: device) else { return track }
    return BeaconTrack(observed: .outside, lastSighting: track.lastSighting)
  }

  /// Returns the conditions that a device is inside and the beacons that are near it, in add order.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device.
  public func inside(_ device: UInt64) throws(MonitorError) -> [Presence] {
    var result: [Presence] = []
    try forEachInside(device) { slot, since, evidence, table in
      result.append(
        Presence(
          identifier: table.identifiers.string(of: slot), generation: table.generation(of: slot),
          tag: table.tag(of: slot), since: Timestamp(microseconds: since),
          evidenceDate: Timestamp(microseconds: evidence)))
    }
    return result
  }

  /// Calls `body` for each condition that a device is inside, with the slot, the time from which the device was inside,
  /// and the time of the evidence.
  package func forEachInside(
    _ number: UInt64,
    _ body: (UInt32, _ since: Int64, _ evidence: Int64, borrowing ConditionTable) -> Void
  ) throws(MonitorError) {
    let device = try line(of: number)
    gate.read { table in
      for inside in insides(of: device, table) { body(inside.slot, inside.since, inside.evidence, table) }
    }
  }

  /// Calls `body` for the conditions that are in a state for a device and were added after a generation, in add order,
  /// until `body` returns false. For `satisfied`, `body` also receives the time since which the state holds and the time
  /// of the evidence; for the other states, `Int64.min`.
  ///
  /// - Parameter wanted: `nil` for the conditions in every state.
  /// - Complexity: O(conditions that the device is inside) for `satisfied`; O(conditions) otherwise.
  package func forEachCondition(
    in wanted: Event.State?, after generation: UInt64, of number: UInt64,
    _ body: (UInt32, Event.State, _ since: Int64, _ evidence: Int64, borrowing ConditionTable) -> Bool
  ) throws(MonitorError) {
    let device = try line(of: number)
    gate.readLong { table in
      let insides = insides(of: device, table)
      if wanted == .satisfied {
        for inside in insides where table.generation(of: inside.slot) > generation {
          guard body(inside.slot, .satisfied, inside.since, inside.evidence, table) else { return }
        }
        return
      }
      let state = shown(device, table)
      var last = generation
      // The insides are in add order, too.
      var next = insides.firstIndex { table.generation(of: $0.slot) > generation } ?? insides.count
      while let slot = table.slot(after: last) {
        last = table.generation(of: slot)
        if next < insides.count, insides[next].slot == slot {
          let inside = insides[next]
          next += 1
          guard wanted == nil else { continue }
          guard body(slot, .satisfied, inside.since, inside.evidence, table) else { return }
        } else {
          let found =
            table.kind(of: slot).isLine ? .unknown : observed(slot, state, device, table, mayBeInside: false).state
          guard wanted == nil || found == wanted else { continue }
          guard body(slot, found, .min, .min, table) else { return }
        }
      }
    }
  }

  /// Explains why a condition is in its state for a device; returns `nil` if no condition has the identifier.
  ///
  /// A fix in the safe region cannot change anything, so the device does not store it. The last fix in the explanation
  /// is therefore the last fix that was not in the safe region.
  ///
  /// - Throws: ``MonitorError/noSuchDevice(_:position:)`` if there is no such device.
  public func explain(_ identifier: String, for number: UInt64) throws(MonitorError) -> Explanation? {
    let device = try line(of: number)
    return gate.read { table in
      table.slot(of: identifier).map { explain($0, device, table) }
    }
  }

  /// Explains the state of the condition with an identifier in UTF-8. See ``explain(_:for:)``.
  package func explain(
    identifierBytes bytes: UnsafeBufferPointer<UInt8>, for number: UInt64
  ) throws(MonitorError) -> Explanation {
    let device = try line(of: number)
    return try gate.read { table throws(MonitorError) in
      explain(try table.slot(ofIdentifierBytes: bytes), device, table)
    }
  }

  /// Creates a monitor with the table and the states of the device, and returns the explanation of this monitor.
  @_optimize(size)
  private func explain(_ slot: UInt32, _ device: UInt32, _ table: borrowing ConditionTable) -> Explanation {
    let line = devices.lines[device]
    let state = shown(device, table)
    var monitor = MonitorEngine(trusted: nil, options.monitorOptions)
    monitor.table = copy table
    monitor.tracker.begin(
      clock: watermark.clock(line), lastFix: state.lastFix, gap: state.gap, host: state.host.stated,
      isScanning: state.isScanning, seen: state.isRewound ? 0 : line.seen, beaconsAbsent: 0, table)
    monitor.tracker.load(state.chain)
    if features.contains(.heights), state.lastFix != nil {
      let height = devices.height(of: device)
      monitor.tracker.load(known: height, height)
    }
    monitor.tracker.load(state.ellipse)
    if table.kind(of: slot).isRule {
      state.load(into: &monitor.tracker, clock: watermark.clock(line), seen: line.seen, table)
      var parts = state
      let clock = watermark.clock(line)
      if let name = table.rules?.name(of: slot), table.policies.hasTimings {
        parts.addTimedParts(of: [name], at: clock, before: clock, seen: line.seen, table)
        parts.noteCounted(at: clock, seen: line.seen, table)
        for record in parts.timings.records { monitor.loadTiming(record.slot, parts, seen: line.seen) }
      }
      monitor.tracker.beginRules(
        state.rules, seen: line.seen, parts.timings.records, edges: (clock, clock), additions: [], table)
      monitor.tracker.loadRule(slot, table)
      return monitor.explain(slot: slot)
    }
    for crossing in state.crossings { monitor.tracker.load(crossing.slot, crossing.candidate) }
    if table.isGeographic(slot) {
      let believed = observed(slot, state, device, table)
      if believed != .undetermined {
        monitor.tracker.load(slot, believed, table)
      } else if state.host.limits(slot, table) {
        monitor.tracker.forgetShape(slot, table)
      } else if state.undecided.contains(slot), !state.isRewound {
        monitor.tracker.loadUndecided(slot, table)
      }
    } else {
      var track = track(of: slot, state, device, table)
      if track.observed == .undetermined, track.deadline == .max {
        track.deadline = state.absenceDeadline(table.generation(of: slot), options)
      }
      monitor.tracker.load(slot, track)
    }
    monitor.loadTiming(slot, state, seen: line.seen)
    return monitor.explain(slot: slot)
  }
}
