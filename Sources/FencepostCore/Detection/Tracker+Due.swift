import FencepostKernel

/// Confirms what becomes due: candidates whose dwell has passed, and absences of beacons.
extension Tracker {
  /// Confirms the changes that are due at or before a time, and the changes that the present input confirmed, in the
  /// order of deadline, then add order. This ends the instants up to that time.
  @inline(__always)
  mutating func confirmDue(
    through time: Int64, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey,
    ending: Ending = .nothing
  ) {
    if table.rules != nil { return confirmWithRules(through: time, ending: ending, table, &delivery, &survey) }
    if deadlines.earliest <= time || !survey.confirmed.isEmpty { confirmAll(through: time, table, &delivery, &survey) }
    if delivery.holdsChanges { endInstants(table, &delivery) }
  }

  private mutating func confirmAll(
    through time: Int64, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    if table.policies.hasTimings { return confirmByTime(through: time, table, &delivery, &survey) }
    confirmBatch(through: time, table, &delivery, &survey)
  }

  /// Reports the changes that wait for the end of their instant, and stops the conditions that these changes exhaust.
  @inline(never)
  mutating func endInstants(_ table: ConditionTable, _ delivery: inout Delivery) {
    delivery.endInstants(known.host, table)
    if table.policies.hasTimings { stopExhausted(table, &delivery) }
  }

  /// Confirms one instant after the other, because a repeat comes after all that is confirmed at its instant, and makes
  /// the next repeat due.
  private mutating func confirmByTime(
    through time: Int64, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    while deadlines.earliestReminder < time {
      confirmBatch(through: deadlines.earliestReminder, table, &delivery, &survey)
      if delivery.holdsChanges { endInstants(table, &delivery) }
    }
    confirmBatch(through: time, table, &delivery, &survey)
  }

  @inline(never)
  mutating func confirmBatch(
    through time: Int64, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    if deadlines.earliest <= time {
      var slots: ContiguousArray<UInt32> = []
      deadlines.take(through: time, into: &slots)
      for slot in slots { appendDue(slot, through: time, to: &survey.confirmed, table) }
    }
    if survey.confirmed.count > 1 {
      survey.confirmed.arrange { ($0.deadline, $0.generation) < ($1.deadline, $1.generation) }
    }
    var hasRepeats = false
    var index = 0
    while index < survey.confirmed.count {
      let confirmed = survey.confirmed[index]
      switch confirmed.change {
      case .crossing(let candidate):
        confirmCrossing(
          confirmed.slot, candidate, date: confirmed.date, table, &delivery, &survey)
      case .line(let candidate, let isToLeft):
        confirmLine(confirmed.slot, candidate, isToLeft: isToLeft, date: confirmed.date, table, &delivery)
      case .absence: confirmAbsence(confirmed.slot, date: confirmed.date, table, &delivery)
      case .shapeAbsence: confirmShapeAbsence(confirmed.slot, date: confirmed.date, table, &delivery, &survey)
      case .repeat: hasRepeats = true
      }
      index += 1
    }
    if hasRepeats { confirmRepeats(table, &delivery, survey) }
    survey.confirmed.clear()
  }

  /// Examines a slot with a reminder: it is due, is due later (and gets a new reminder), or has nothing that can become
  /// due.
  private mutating func appendDue(
    _ slot: UInt32, through time: Int64, to due: inout ContiguousArray<Confirmation>, _ table: ConditionTable
  ) {
    if table.rules != nil, table.kind(of: slot).isRule { return appendDueRule(slot, through: time, table) }
    if known.hasTimed { appendDueTimed(slot, through: time, to: &due, table) }
    let deadline: Int64
    let change: Confirmation.Change
    if let candidate = known.candidate(of: slot) {
      deadline = candidate.isTimed ? candidate.deadline : .max
      change = .crossing(candidate)
    } else {
      deadline = known.beacon(slot)?.deadline ?? .max
      change = .absence
    }
    append(slot, deadline, change, through: time, to: &due, table)
  }

  @inline(never)
  private mutating func appendDueTimed(
    _ slot: UInt32, through time: Int64, to due: inout ContiguousArray<Confirmation>, _ table: ConditionTable
  ) {
    guard let state = known.timed(slot) else { return }
    append(slot, state.absence, .shapeAbsence, through: time, to: &due, table)
    append(slot, state.nextRepeat, .repeat, through: time, to: &due, table)
  }

  /// Appends a change that is due, or schedules it.
  @inline(__always)
  private mutating func append(
    _ slot: UInt32, _ deadline: Int64, _ change: Confirmation.Change, through time: Int64,
    to due: inout ContiguousArray<Confirmation>, _ table: ConditionTable
  ) {
    guard deadline != .max else { return }
    guard deadline <= time else { return deadlines.schedule(slot, at: deadline) }
    due.append(
      Confirmation(
        deadline: deadline, generation: table.generation(of: slot), slot: slot, date: deadline, change: change))
  }

  /// Sets the clock to the time of an input, after confirming the changes that are due strictly before that time, and
  /// after the edges up to that time. The caller confirms the changes that are due at that time after it has processed
  /// the input.
  mutating func passTime(
    to time: Timestamp, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    if deadlines.edge <= time.microseconds { passEdges(through: time.microseconds, table, &delivery, &survey) }
    confirmDue(through: time.microseconds - 1, table, &delivery, &survey)
    timeline.move(to: time.microseconds)
  }
}
