import FencepostKernel

/// What ``EngineRestorer`` puts into an engine that has nothing yet but its head.
extension MonitorEngine {
  mutating func restoreCondition(_ generation: UInt64, _ reader: inout ByteReader) throws(Damage) {
    let kind = try reader.take(ConditionKind.self, "kind")
    let length = Int(try reader.take(UInt16.self))
    let identifier = try reader.takeBytes(length).assumingMemoryBound(to: UInt8.self)
    if let defect = Self.defect(ofIdentifier: identifier) { throw Damage(defect) }
    guard table.identifiers.slot(of: identifier) == nil else { throw Damage("two conditions have one identifier") }
    let tag: UInt64 = try reader.take()
    let policy = try reader.takePolicy()
    var state = SlotState()
    state.observed = try reader.take(Observed.self, "observed")
    let noted = try reader.take(Event.State.self, "noted")
    let flags: UInt16 = try reader.take("noted_flags", in: 0...UInt16(Diagnostics.all.rawValue))
    let assumed = try reader.take(Event.State.self, "assumed")
    var told = ToldStates.Saved(state: noted, flags: flags, added: try reader.takeTime("added"))
    state.hasMetCoarseFix = try reader.takeBool("coarse")
    let shape: Definition.Shape
    var track = BeaconTrack()
    switch kind {
    case .circularGeographic:
      let circle = CircularGeographicCondition(
        center: Coordinate(latitude: try reader.takeDouble(), longitude: try reader.takeDouble()),
        radius: try reader.takeDouble())
      if let defect = circle.defect { throw Damage(defect) }
      shape = .circle(circle)
    case .beaconIdentity:
      guard let beacon = try reader.takeBeacon() else { throw Damage("a beacon condition has no UUID") }
      shape = .beacon(beacon)
      track.lastSighting = try reader.takeTime("last_sighting")
      track.deadline = try reader.take()
      told.refinement = try reader.takeBeacon()
    }
    let parts = ConditionParts(rawValue: try reader.take("parts", in: 0...ConditionParts.all.rawValue))

    var ticket: UInt64?
    if parts.contains(.overLimit) {
      let saved: UInt64 = try reader.take()
      guard saved > 0, saved <= table.limit.lastTicket else { throw Damage("a condition has the ticket \(saved)") }
      ticket = saved
    }
    let slot = table.restore(
      Definition(shape: shape, policy: policy, tag: tag, assumed: assumed), identifier: identifier,
      generation: generation, ticket: ticket)
    if parts.contains(.record) {
      told.record = try reader.takeEntry(slot: slot, generation: generation)
    }
    var candidate: Candidate?
    if parts.contains(.candidate) {
      candidate = Candidate(
        fix: try reader.takeFix(), boundaryDistance: try reader.takeDouble(), deadline: try reader.take(),
        isTimed: try reader.takeBool("timed"))
      guard kind == .circularGeographic, state.observed != .undetermined else {
        throw Damage("a candidate is out of place")
      }
    }
    tracker.restore(slot, state, candidate, track, table)
    var present: EventEntry?
    if parts.contains(.present) { present = try reader.takeEntry(slot: slot, generation: generation) }
    var left: (date: Int64, change: UInt64)?
    if parts.contains(.flags) {
      left = (try reader.take(), try reader.take("change", in: 0...EngineRestorer.largest))
    }
    try delivery.restore(slot, told, present: present, flags: left)
  }

  /// Events come in the order of their changes.
  mutating func restoreEvent(
    _ key: UInt64, generation: UInt64, _ reader: inout ByteReader
  ) throws(Damage) {
    let follows: UInt64 = try reader.take()
    guard generation > 0, let slot = table.order.next(after: generation - 1), table.generation(of: slot) == generation
    else { throw Damage("an event belongs to no condition") }
    let entry = try reader.takeEntry(slot: slot, generation: generation)
    guard entry.change == key else { throw Damage("an event has the change \(entry.change)") }
    try delivery.restore(entry, follows: follows, table)
  }

  /// Puts in order what came row by row.
  mutating func endRestoring() throws(Damage) {
    try delivery.endRestoring()
    table.endRestoring()
  }
}

extension Tracker {
  /// Takes what was saved of a condition that was put into the next slot; the deadlines and the watches follow from it.
  fileprivate mutating func restore(
    _ slot: UInt32, _ state: SlotState, _ candidate: Candidate?, _ track: BeaconTrack, _ table: ConditionTable
  ) {
    states.append(state)
    switch table.kind(of: slot) {
    case .circularGeographic:
      if let candidate {
        candidates[slot] = candidate
        if candidate.isTimed { deadlines.schedule(slot, at: candidate.deadline) }
      }
      if state.observed != .undetermined {
        var survey = Survey()
        refreshWatch(slot, table, &survey)
      } else if !table.isOverLimit(slot) {
        states[Int(slot)].isListed = true
        undetermined.append(slot)
      }
    case .beaconIdentity:
      beaconTracks[slot] = track
      if track.deadline != .max { deadlines.schedule(slot, at: track.deadline) }
      if clock == .min { beaconsAwaitingClock.append(slot) }
    }
  }
}
