import FencepostKernel

/// What ``EngineRestorer`` puts into an engine that has nothing yet but its head.
extension MonitorEngine {
  /// The slot of a live condition.
  func slot(ofGeneration generation: UInt64) -> UInt32? {
    guard generation > 0, let slot = table.order.next(after: generation - 1), table.generation(of: slot) == generation
    else { return nil }
    return slot
  }

  /// Enters a condition of which no more is known; definitions come in the order of their generations.
  mutating func restoreDefinition(
    _ row: DefinitionRow, generation: UInt64
  ) throws(Damage) -> UInt32 {
    let slot = try row.identifier.withUnsafeBufferPointer { identifier throws(Damage) in
      if let defect = Self.defect(ofIdentifier: identifier) { throw Damage(defect) }
      guard table.identifiers.slot(of: identifier) == nil else { throw Damage("two conditions have one identifier") }
      return table.restore(row.definition, identifier: identifier, generation: generation)
    }
    if table.isGeographic(slot) {
      tracker.states.adopt(generation: generation)
    } else {
      tracker.beaconTracks[slot] = BeaconTrack()
    }
    delivery.restore(added: row.added)
    return slot
  }

  mutating func restoreState(_ slot: UInt32, _ row: StateRow) throws(Damage) {
    if let ticket = row.ticket {
      guard ticket > 0, ticket <= table.limit.lastTicket else { throw Damage("a condition has the ticket \(ticket)") }
      table.restoreWaiting(slot, ticket: ticket)
    }
    if table.isGeographic(slot) {
      tracker.states.restore(slot, row.observed, hasMetCoarseFix: row.hasMetCoarseFix, table)
    }
    if let candidate = row.candidate {
      guard table.isGeographic(slot), row.observed != .undetermined else { throw Damage("a candidate is out of place") }
      tracker.candidates[slot] = candidate
    }
    if let track = row.track {
      guard !table.isGeographic(slot) else { throw Damage("a sighting is out of place") }
      tracker.beaconTracks[slot] = track
    }
    if !table.isGeographic(slot) { tracker.beaconTracks[slot]?.observed = row.observed }
    let told = ToldStates.Saved(
      state: row.noted, flags: row.notedFlags, record: row.record, refinement: row.refinement)
    try delivery.restore(slot, told, present: row.present, flags: row.flags, table)
  }

  /// Events come in the order of their changes.
  mutating func restoreEvent(_ key: UInt64, _ row: EventRow) throws(Damage) {
    guard row.entry.change == key else { throw Damage("an event has the change \(row.entry.change)") }
    try delivery.restore(row.entry, follows: row.follows, table)
  }

  /// Puts in order what came row by row.
  mutating func endRestoring() throws(Damage) {
    try delivery.endRestoring()
    table.endRestoring()
  }
}

extension Tracker {
  /// Makes what follows from the states, when all of them are known: deadlines, watches, lists.
  mutating func settleRestored(_ table: ConditionTable) {
    var survey = Survey()
    states.rebase(table)
    for slot in table.live {
      if table.isGeographic(slot) {
        if let candidate = candidates[slot], candidate.isTimed { deadlines.schedule(slot, at: candidate.deadline) }
        if states.observed(slot, table) != .undetermined {
          refreshWatch(slot, table, &survey)
        } else if !table.isOverLimit(slot) {
          states.wait(slot, table)
        }
      } else {
        if let track = beaconTracks[slot], track.deadline != .max { deadlines.schedule(slot, at: track.deadline) }
        if clock == .min { beaconsAwaitingClock.append(slot) }
      }
    }
  }
}
