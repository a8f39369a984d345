import FencepostKernel

/// What becomes due: dwells that have passed and absences that are established.
extension Tracker {
  /// Confirms what is due up to and at a time, and what the present input confirmed: by deadline, then add order.
  @inline(__always)
  mutating func confirmDue(
    through time: Int64, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    if deadlines.earliest <= time || !survey.confirmed.isEmpty { confirmAll(through: time, table, &delivery, &survey) }
  }

  private mutating func confirmAll(
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
      }
      index += 1
    }
    survey.confirmed.clear()
  }

  /// Looks at what a reminder was about: due, due later, or nothing any more.
  private mutating func appendDue(
    _ slot: UInt32, through time: Int64, to due: inout ContiguousArray<Confirmation>, _ table: ConditionTable
  ) {
    let deadline: Int64
    let change: Confirmation.Change
    if let candidate = known.candidate(of: slot) {
      deadline = candidate.isTimed ? candidate.deadline : .max
      change = .crossing(candidate)
    } else {
      deadline = known.beacon(slot)?.deadline ?? .max
      change = .absence
    }
    guard deadline != .max else { return }
    guard deadline <= time else { return deadlines.schedule(slot, at: deadline) }
    due.append(
      Confirmation(
        deadline: deadline, generation: table.generation(of: slot), slot: slot, date: deadline, change: change))
  }

  /// Moves the clock to an input's time, after what is due strictly before it. What is due at that time comes after
  /// the input.
  mutating func passTime(
    to time: Timestamp, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    confirmDue(through: time.microseconds - 1, table, &delivery, &survey)
    timeline.move(to: time.microseconds)
  }
}
