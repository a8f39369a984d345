import FencepostKernel

/// The conditions with a ``ConditionTiming``: schedules, the absence of shapes, repeats and a number of events.
///
/// In one instant, the edges of schedules come first, in add order; then come the determinations of an input, then the
/// confirmed changes with absences, and then repeats.
extension Tracker {
  /// Whether a condition is outside the intervals of its schedule, or exhausted.
  @inline(__always)
  func isInactive(_ slot: UInt32) -> Bool { known.timed(slot)?.isSuspended ?? false }

  // MARK: - Edges

  /// Passes the edges up to and at a time. Confirms the changes that are due before each edge first.
  @inline(never)
  mutating func passEdges(
    through time: Int64, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    var edges = ScheduleEdges(table, after: deadlines.edge - 1)
    while deadlines.edge <= time {
      let edge = deadlines.edge
      confirmDue(through: edge - 1, table, &delivery, &survey)
      timeline.move(to: edge)
      lookout.invalidate()
      for slot in edges.take(at: edge, table) { setActive(slot, at: edge, mayStart: true, table, &delivery) }
      deadlines.setEdge(edges.next)
    }
    known.rebase(table)
  }

  /// Sets whether a condition is active at a time, and reports the flags that are news. A condition that is no longer
  /// active becomes undetermined.
  ///
  /// - Parameter mayStart: Whether a condition that is active from now on starts. A start is as an add of the same
  ///   definition: it looks back, and the first determination is news. After a rewind, a determination is news only if
  ///   it differs from the reported state.
  @inline(never)
  mutating func setActive(
    _ slot: UInt32, at time: Int64, mayStart: Bool, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard var state = known.timed(slot), !state.isExhausted else { return }
    let old = delivery.flags(of: slot, known.host, table)
    let wasActive = state.isActive
    derive(&state, slot, at: time, table, &delivery)
    let isStart = mayStart && state.isActive && !wasActive
    if isStart || !mayStart { state.hasStarted = isStart }
    // Without a timing, the state is kept until the first determination since the start.
    known.setTimed(slot, state.hasStarted || table.timing(of: slot) != nil ? state : nil)
    let new = delivery.flags(of: slot, known.host, table)
    if new.suspends, !old.suspends { stop(slot, table, &delivery) }
    if new.isNews(to: old) { delivery.flagsChanged(slot, date: time, known.host, table) }
    if isStart, !isSuspended(slot, table) { begin(slot, lookingBack: true, table, &delivery) }
    if table.rules != nil { markPart(slot, nil, table) }
  }

  /// Sets what follows from the schedule of a condition and a time: whether it is active, and its flags. Before the
  /// first input, a condition with a schedule is inactive.
  private func derive(
    _ state: inout TimedState, _ slot: UInt32, at time: Int64, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    var flags: Diagnostics = []
    state.isActive = true
    if let schedule = table.timing(of: slot)?.schedule {
      state.isActive = schedule.isActive(at: time)
      if schedule.hasEnded(at: time) { flags = .scheduleEnded }
    }
    if state.isExhausted { flags = .exhausted }
    if state.isSuspended || !flags.isEmpty { flags.insert(.inactive) }
    delivery.setFlags(of: slot, flags)
  }

  /// Finds the next edge of all schedules after the clock. Before the first input, no edge has passed, and none is due.
  mutating func findEdge(_ table: ConditionTable) {
    deadlines.setEdge(clock == .min ? .max : table.policies.nextEdge(after: clock))
  }

  // MARK: - Conditions that come

  /// Begins with the timing of a condition that was put into a slot, or was restored there with a state.
  @inline(never)
  mutating func adoptTiming(_ slot: UInt32, _ table: ConditionTable, _ delivery: inout Delivery) {
    guard let timing = table.timing(of: slot) else { return }
    var state = known.timed(slot) ?? TimedState()
    derive(&state, slot, at: clock, table, &delivery)
    known.setTimed(slot, state)
    if state.deadline != .max { deadlines.schedule(slot, at: state.deadline) }
    expectEdge(of: timing)
  }

  /// Adds the next edge of a schedule that came.
  private mutating func expectEdge(of timing: ConditionTiming?) {
    guard clock != .min, let schedule = timing?.schedule else { return }
    deadlines.setEdge(min(deadlines.edge, schedule.nextEdge(after: clock)))
  }

  /// Takes over another schedule of a condition that stays. A difference at the clock is an edge.
  mutating func retime(_ slot: UInt32, _ table: ConditionTable, _ delivery: inout Delivery) {
    known.redefine(slot)
    known.setTimed(slot, known.timed(slot) ?? TimedState())
    lookout.invalidate()
    setActive(slot, at: clock, mayStart: clock != .min, table, &delivery)
    expectEdge(of: table.timing(of: slot))
  }

  /// Begins with the first time that is known, as if all conditions were added at it.
  @inline(never)
  mutating func startTimings(at time: Int64, _ table: ConditionTable, _ delivery: inout Delivery) {
    for slot in table.live {
      setActive(slot, at: time, mayStart: false, table, &delivery)
      startShapeAbsence(slot, at: time, table)
    }
    deadlines.setEdge(table.policies.nextEdge(after: time))
  }

  // MARK: - Restoring

  mutating func restore(_ slot: UInt32, _ state: TimedState) { known.setTimed(slot, state) }

  /// After all states are restored, derives the other data of timings from them and from the clock.
  @inline(never)
  mutating func settleTimings(_ table: ConditionTable, _ delivery: inout Delivery) {
    for slot in table.live { adoptTiming(slot, table, &delivery) }
  }

  // MARK: - States

  /// Reports an observed change of a condition that may have a timing.
  @inline(__always)
  mutating func observe(
    _ observed: EventEntry, decided: Int64? = nil, isInitial: Bool, _ table: ConditionTable,
    _ delivery: inout Delivery
  ) {
    if table.rules != nil { markPart(observed.slot, observed, decided: decided, table) }
    if known.hasTimed {
      observeTimed(observed, isInitial: isInitial, table, &delivery)
    } else {
      delivery.observe(observed, known.host, table)
    }
  }

  @inline(never)
  private mutating func observeTimed(
    _ observed: EventEntry, isInitial: Bool, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard let state = known.timed(observed.slot) else { return delivery.observe(observed, known.host, table) }
    var entry = observed
    if settle(entry, state, isInitial: isInitial, table) { entry.marks.insert(.news) }
    delivery.observe(entry, known.host, table)
    stopExhausted(table, &delivery)
  }

  /// Notes that a condition was determined or changed its side.
  ///
  /// - Returns: Whether the change is news whatever was reported before: the first determination since a start, unless it
  ///   agrees with the assumed state.
  private mutating func settle(
    _ entry: EventEntry, _ before: TimedState, isInitial: Bool, _ table: ConditionTable
  ) -> Bool {
    let slot = entry.slot
    let timing = table.timing(of: slot)
    var next = before
    if isInitial { next.hasStarted = false }
    next.forgetDeadlines()
    let every = timing?.repeatEveryMicroseconds ?? 0
    if every != 0, entry.state == .satisfied, entry.evidenceDate != .min || table.kind(of: slot).isRule {
      next.evidenceDate = entry.evidenceDate == .min ? entry.date : entry.evidenceDate
      next.repeatsLeft = timing?.repeatLimit ?? 0
      next.setRepeat(after: entry.date, every: every)
      deadlines.schedule(slot, at: next.nextRepeat)
    }
    known.setTimed(slot, timing == nil && isInitial ? nil : next)
    return isInitial && before.hasStarted && entry.state != table.assumed(of: slot)
      && table.notify(of: slot).contains(.initial)
  }

  /// Stops watching the conditions that have had all events that they may have.
  @inline(never)
  mutating func stopExhausted(_ table: ConditionTable, _ delivery: inout Delivery) {
    while let slot = delivery.takeExhausted() {
      guard var state = known.timed(slot) else { continue }
      state.isExhausted = true
      known.setTimed(slot, state)
      delivery.setFlags(of: slot, [.inactive, .exhausted])
      stop(slot, table, &delivery)
      lookout.invalidate()
    }
  }

  /// Schedules the next deadline of the timing of a condition, after its reminder was cancelled.
  @inline(never)
  mutating func remindTiming(_ slot: UInt32) {
    if let deadline = known.timed(slot)?.deadline, deadline != .max { deadlines.schedule(slot, at: deadline) }
  }

  // MARK: - Absence of shapes, and repeats

  /// Starts to count the absence of a shape that is undetermined.
  @inline(never)
  mutating func startShapeAbsence(_ slot: UInt32, at time: Int64, _ table: ConditionTable) {
    guard let absentAfter = table.timing(of: slot)?.absentAfterMicroseconds, absentAfter != 0, time != .min,
      var state = known.timed(slot), !isSuspended(slot, table), known.observed(slot, table) == .undetermined
    else { return }
    state.absence = Timestamp(microseconds: time).adding(microseconds: absentAfter).microseconds
    known.setTimed(slot, state)
    deadlines.schedule(slot, at: state.absence)
  }

  /// Settles an undetermined shape as unsatisfied, without evidence.
  @inline(never)
  mutating func confirmShapeAbsence(
    _ slot: UInt32, date: Int64, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    guard known.observed(slot, table) == .undetermined else { return }
    let hasMetFix = hasMetCoarseFix(slot)
    lookout.invalidate()
    refreshWatch(slot, as: .outside, table, &survey)
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .unsatisfied, cause: .timeout,
      date: Timestamp(microseconds: date))
    entry.notify = .initial
    observe(entry, isInitial: true, table, &delivery)
    guard !hasMetFix, var state = known.timed(slot), !state.isSuspended else { return }
    state.evidenceDate = date
    known.setTimed(slot, state)
  }

  /// Reports the conditions among the confirmed ones that are still satisfied, unless another change of the same
  /// instant has ended that.
  @inline(never)
  mutating func confirmRepeats(_ table: ConditionTable, _ delivery: inout Delivery, _ survey: borrowing Survey) {
    for index in survey.confirmed.indices {
      if case .repeat = survey.confirmed[index].change {
        confirmRepeat(survey.confirmed[index].slot, date: survey.confirmed[index].date, table, &delivery)
      }
    }
  }

  /// Reports that a condition is still satisfied.
  ///
  /// - Parameter isWithoutEvidence: Whether the repeats count from the date of a change without evidence.
  @inline(never)
  mutating func confirmRepeat(
    _ slot: UInt32, date: Int64, isWithoutEvidence: Bool = false, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard let timing = table.timing(of: slot), var state = known.timed(slot), state.nextRepeat == date else { return }
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .satisfied, cause: .repeat,
      date: Timestamp(microseconds: date))
    entry.evidenceDate = isWithoutEvidence ? .min : state.evidenceDate
    entry.marks.insert(.news)
    state.repeatsLeft -= 1
    if state.repeatsLeft == 0 {
      state.forgetDeadlines()
    } else {
      state.setRepeat(after: date, every: timing.repeatEveryMicroseconds)
      deadlines.schedule(slot, at: state.nextRepeat)
    }
    known.setTimed(slot, state)
    delivery.observe(entry, known.host, table)
    stopExhausted(table, &delivery)
  }
}
