import FencepostKernel

/// Methods with which ``EngineRestorer`` fills an engine that contains only the data of its head.
extension MonitorEngine {
  /// Adds a condition without a state. Definitions must be added in the order of their generations.
  mutating func restoreDefinition(
    _ row: DefinitionRow, generation: UInt64
  ) throws(Damage) -> UInt32 {
    let slot = try row.identifier.withUnsafeBufferPointer { identifier throws(Damage) in
      if let defect = Definition.defect(ofIdentifier: identifier) { throw Damage(defect) }
      guard table.identifiers.slot(of: identifier) == nil else { throw Damage("two conditions have one identifier") }
      // A shared table is saved like a monitor without a path, and may have lines. A monitor may have these options too,
      // so ``FleetRestorer`` refuses the timings and rules that a shared table cannot have.
      let isTable = options == MonitorOptions.ofTable && !row.definition.subject.kind.isRule
      if let defect = isTable
        ? table.defect(of: row.definition.untimed)
        : defect(of: row.definition) ?? table.ruleDefect(of: row.definition, identifier)
      {
        throw Damage(defect)
      }
      return table.restore(row.definition, identifier: identifier, generation: generation)
    }
    tracker.restoreCondition(slot, table)
    delivery.restore(added: row.added)
    return slot
  }

  @_optimize(size)
  mutating func restoreState(_ slot: UInt32, _ row: StateRow) throws(Damage) {
    if let ticket = row.ticket {
      guard ticket > 0, ticket <= table.limit.lastTicket else { throw Damage("a condition has the ticket \(ticket)") }
      table.restoreWaiting(slot, ticket: ticket)
    }
    try tracker.restore(slot, row, table)
    let told = ToldStates.Saved(
      state: row.noted, flags: row.notedFlags, record: row.record, refinement: row.refinement)
    try delivery.restore(slot, told, present: row.present, flags: row.flags, table)
    guard let timed = row.timed else { return }
    let timing = table.timing(of: slot) ?? .none
    guard timed.state.nextRepeat == .max || timing.repeatEveryMicroseconds != 0,
      timed.state.repeatsLeft <= timing.repeatLimit, timed.events <= timing.maxEvents,
      timed.state.isExhausted == (timing.maxEvents != 0 && timed.events >= timing.maxEvents)
    else { throw Damage("the timing of a condition does not fit its state") }
    tracker.restore(slot, timed.state)
    if timed.events != 0 { delivery.restore(slot, eventCount: timed.events) }
  }

  /// Restores an event. Events must be restored in the order of their changes.
  mutating func restoreEvent(_ key: UInt64, _ row: EventRow) throws(Damage) {
    guard row.entry.change == key else { throw Damage("an event has the change \(row.entry.change)") }
    guard row.entry.direction == nil || table.kind(of: row.entry.slot).isLine else {
      throw Damage("an event has a direction, but its condition is not a line")
    }
    try delivery.restore(row.entry, follows: row.follows, table)
  }

  /// Sorts the data that was restored row by row.
  mutating func endRestoring() throws(Damage) {
    try delivery.endRestoring()
    table.endRestoring()
    if table.policies.hasTimings { tracker.settleTimings(table, &delivery) }
    tracker.settleRestoredRules(table)
  }
}

extension Tracker {
  /// Restores the data about the device that does not belong to single conditions.
  mutating func restore(_ row: DeviceRow, _ table: ConditionTable) {
    timeline.restore(clock: row.clock, lastFix: row.lastFix, chain: row.chain, counters: row.counters, gap: row.gap)
    timeline.setEllipse(row.ellipse, of: row.counters.acceptedFixes)
    timeline.setHeight(row.height, of: row.counters.acceptedFixes)
    known.restore(
      host: row.host, isScanning: row.isScanning, sweptThrough: min(row.swept, table.order.lastGeneration))
  }

  /// Makes room for the state of a condition.
  mutating func restoreCondition(_ slot: UInt32, _ table: ConditionTable) {
    known.enter(slot, table)
  }

  /// Restores the saved state of a condition.
  mutating func restore(_ slot: UInt32, _ row: StateRow, _ table: ConditionTable) throws(Damage) {
    try restoreRule(slot, row.observed, row.rule, table)
    try known.restore(
      slot, row.observed, hasMetCoarseFix: row.hasMetCoarseFix, row.candidate, row.track, table)
  }

  /// After all states are restored, derives the other data from them: deadlines, watches, lists.
  mutating func settleRestored(_ table: ConditionTable) {
    var survey = Survey()
    known.rebase(table)
    for slot in table.live {
      if table.isGeographic(slot) {
        if let candidate = known.candidate(of: slot), candidate.isTimed {
          deadlines.schedule(slot, at: candidate.deadline)
        }
        if known.shapes.observed(slot, table) != .undetermined {
          refreshWatch(slot, table, &survey)
        } else if !table.isOverLimit(slot) {
          known.wait(slot, table)
        }
      } else if let track = known.beacon(slot), track.deadline != .max {
        deadlines.schedule(slot, at: track.deadline)
      }
    }
  }
}
