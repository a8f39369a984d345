import FencepostKernel

/// The instant that a call of ``Tracker/confirmDue(through:_:_:_:ending:)`` ends, for the rules that are pending.
enum Ending {
  /// The instants before an input.
  case nothing
  /// The instant of an advance, or of a point of a path.
  case time
  /// The instant of any other input.
  case input
}

/// The rules: conditions whose state follows from the states of their parts.
///
/// Each change of a part is marked when it happens. At the end of the instant, the rules that have the part count it,
/// and are looked at: by depth, then in add order.
extension Tracker {
  /// Whether rules are looked at immediately after a change of the table.
  private var looksBack: Bool { options.initialFixMaxAgeMicroseconds >= 0 }

  /// The state of a condition as rules count it.
  @_optimize(size)
  func counted(_ slot: UInt32, _ table: ConditionTable) -> Event.State {
    known.hasTimed && isInactive(slot) ? .unsatisfied : known.observed(slot, table).state
  }

  // MARK: - Changes of parts

  /// Marks the change of a condition if it is a part of a rule.
  ///
  /// - Parameters:
  ///   - entry: The observed change with its evidence; `nil` without evidence.
  ///   - decided: The time of the position that decided; `nil` if it follows from the entry.
  @inline(never) @_optimize(size)
  mutating func markPart(_ slot: UInt32, _ entry: EventEntry?, decided: Int64? = nil, _ table: ConditionTable) {
    guard let name = table.rules?.part(in: slot) else { return }
    let state = counted(slot, table)
    var evidence =
      entry ?? EventEntry(slot: slot, generation: table.generation(of: slot), state: state, cause: .none, date: nil)
    var decided = decided ?? evidence.evidenceDate
    if !table.kind(of: slot).isRule {
      let probability = table.probability(of: evidence, confidence: options.accuracyConfidence)
      evidence.setRefinement(BeaconRefinement?.none)
      if !probability.isNaN { evidence.probability = Float(probability) }
      if evidence.cause == .crossing, table.policy(of: slot).dwellPolicy == .evidence { decided = evidence.date }
    }
    evidence.state = state
    evidence.decidedBy = evidence.generation
    let replaces = entry != nil || (known.hasTimed && isInactive(slot))
    mark(RuleStates.Mark(name: name, evidence: evidence, decided: decided), replaces: replaces, table)
  }

  /// Marks that a part was removed from the table.
  mutating func markMissing(_ name: UInt32, _ table: ConditionTable) {
    guard let rules = table.rules, name < rules.nameBound, rules.containerCount(of: name) > 0 else { return }
    let evidence = EventEntry(slot: 0, generation: 0, state: .unknown, cause: .none, date: nil)
    mark(RuleStates.Mark(name: name, evidence: evidence, decided: .min), replaces: false, table)
  }

  /// - Parameter replaces: Whether the evidence replaces that of an earlier change to the same state.
  @_optimize(size)
  private mutating func mark(_ mark: RuleStates.Mark, replaces: Bool, _ table: ConditionTable) {
    let states = ownRules(table)
    if states.takesTurns { loadPart(mark, states) }
    let last = states.cells[Int(mark.name)].mark
    let noted = last < 0 ? states.cells[Int(mark.name)].counted : states.marks[Int(last)].evidence.state
    guard noted != mark.evidence.state else {
      if replaces, last >= 0 { states.marks[Int(last)] = mark }
      return
    }
    if states.marks.isEmpty { states.instant = clock }
    states.cells[Int(mark.name)].mark = Int32(states.marks.count)
    states.marks.append(mark)
  }

  /// Returns the states of the rules for a change, with a cell for each name.
  @_optimize(size)
  private mutating func ownRules(_ table: ConditionTable) -> RuleStates {
    known.ownRules(table.rules?.nameBound ?? 0)
  }

  /// The rules that contain the marked parts count their states.
  @_optimize(size)
  private func absorb(_ states: RuleStates, _ rules: RuleBook, _ table: ConditionTable) {
    while states.absorbed < states.marks.count {
      let index = states.absorbed
      states.absorbed += 1
      let name = states.marks[index].name
      let state = states.marks[index].evidence.state
      let before = states.cells[Int(name)].counted
      guard states.cells[Int(name)].mark == Int32(index), state != before else { continue }
      if states.takesTurns {
        for place in 0..<rules.containerCount(of: name) { loadRule(rules.container(place, of: name), states, table) }
      }
      states.cells[Int(name)].counted = state
      let start = states.cells[Int(name)].start ?? before
      states.cells[Int(name)].start = start
      let change: Int16 = (state != start ? 1 : 0) - (before != start ? 1 : 0)
      for place in 0..<rules.containerCount(of: name) {
        let container = Int(rules.container(place, of: name))
        if before == .satisfied { states.cells[container].satisfied -= 1 }
        if before == .unknown { states.cells[container].unknown -= 1 }
        if state == .satisfied { states.cells[container].satisfied += 1 }
        if state == .unknown { states.cells[container].unknown += 1 }
        states.cells[container].changes += change
        if state != .unknown, state != start { states.cells[container].decider = Int32(index) }
        states.list(UInt32(container))
      }
    }
  }

  // MARK: - Rules that come and go

  /// Before the table changes: the rules count the marked changes. A change of the table may give the name of a part to
  /// another identifier, and an added rule counts its parts itself.
  mutating func countMarkedParts(_ table: ConditionTable) {
    guard let rules = table.rules, let states = known.rules, !states.marks.isEmpty else { return }
    absorb(ownRules(table), rules, table)
  }

  /// Makes room for the state of a rule that was put into a slot.
  @_optimize(size)
  mutating func adoptRule(_ slot: UInt32, _ table: ConditionTable) {
    guard let rules = table.rules else { return }
    let states = ownRules(table)
    let name = rules.name(of: slot)
    var cell = RuleStates.Cell()
    cell.counted = states.cells[Int(name)].counted
    cell.mark = states.cells[Int(name)].mark
    cell.start = states.cells[Int(name)].start
    if rules.containerCount(of: name) == 0 {
      cell.counted = .unknown
      cell.start = nil
      cell.mark = -1
    }
    for index in 0..<rules.partCount(of: name) {
      let part = rules.part(index, of: name)
      if rules.containerCount(of: part) == 1 {
        // No rule has counted the part so far.
        let slot = rules.slot(of: part)
        states.cells[Int(part)].counted = slot == RuleBook.none ? .unknown : counted(slot, table)
        states.cells[Int(part)].start = nil
        states.cells[Int(part)].mark = -1
      }
    }
    states.cells[Int(name)] = cell
    states.countParts(of: name, rules)
    states.setPending(name)
  }

  /// Forgets the state of a rule before it leaves its slot.
  ///
  /// - Returns: The name of the condition if a rule has it as a part.
  mutating func leaveRule(_ slot: UInt32, _ table: ConditionTable) -> UInt32? {
    guard let rules = table.rules else { return nil }
    if table.kind(of: slot).isRule {
      let states = ownRules(table)
      let name = rules.name(of: slot)
      _ = states.closeCandidate(name)
      let before = states.cells[Int(name)]
      states.cells[Int(name)] = RuleStates.Cell()
      states.cells[Int(name)].counted = before.counted
      states.cells[Int(name)].start = before.start
      states.cells[Int(name)].mark = before.mark
    }
    return rules.part(in: slot)
  }

  /// Makes a rule pending, because it starts or is no longer suspended. A monitor that looks back looks at a rule that
  /// starts at the end of this instant, also if the instant has no input.
  mutating func beginRule(_ slot: UInt32, isStart: Bool, _ table: ConditionTable) {
    guard let rules = table.rules else { return }
    let states = ownRules(table)
    let name = rules.name(of: slot)
    states.setPending(name)
    if isStart, looksBack {
      states.cells[Int(name)].isServed = true
      states.list(name)
      states.instant = clock
    }
    lookout.invalidate()
  }

  /// After a change of the table, or a commit that exhausted a part: looks at the rules that it concerns, or makes them
  /// pending.
  ///
  /// - Parameter isCommit: Whether the table has not changed.
  @inline(never) @_optimize(size)
  mutating func settleRules(isCommit: Bool = false, _ table: ConditionTable, _ delivery: inout Delivery) {
    guard table.rules != nil else { return known.dropRules() }
    if clock != .min, looksBack || isCommit {
      endRules(at: clock, servesPending: looksBack, table, &delivery)
    } else {
      deferRules(table, &delivery)
    }
  }

  /// Makes the rules pending whose parts have changed. Those that are unknown are undetermined at once.
  @_optimize(size)
  mutating func deferRules(_ table: ConditionTable, _ delivery: inout Delivery) {
    guard let rules = table.rules else { return }
    let states = ownRules(table)
    absorb(states, rules, table)
    states.isBusy = true
    while let names = takeNext(states, rules, table) {
      for name in names.listed {
        states.cells[Int(name)].decider = -1
        states.cells[Int(name)].changes = 0
        states.setPending(name)
        known.touchRule(rules.slot(of: name))
        if state(of: name, states, rules) == .undetermined { stop(rules.slot(of: name), table, &delivery) }
      }
      absorb(states, rules, table)
    }
    states.endInstant()
    states.isBusy = false
    lookout.invalidate()
  }

  // MARK: - The end of an instant

  /// Confirms all candidates due up to a time, one instant after the other, and looks at the rules at the end of each.
  @inline(never) @_optimize(size)
  mutating func confirmWithRules(
    through time: Int64, ending: Ending, _ table: ConditionTable, _ delivery: inout Delivery, _ survey: inout Survey
  ) {
    while true {
      let next = min(deadlines.earliestReminder, known.ruleChangeTime)
      guard next < time else { break }
      confirmBatch(through: next, table, &delivery, &survey)
      endRules(at: next, servesPending: false, table, &delivery)
    }
    confirmBatch(through: time, table, &delivery, &survey)
    if delivery.holdsChanges { endInstants(table, &delivery) }
    if ending != .nothing || known.ruleChangeTime <= time || known.hasRulesDue {
      let servesPending = ending == .input || (ending == .time && looksBack)
      endRules(at: time, servesPending: servesPending, table, &delivery)
    }
  }

  /// Puts a rule with a reminder among those that are due, or schedules it.
  mutating func appendDueRule(_ slot: UInt32, through time: Int64, _ table: ConditionTable) {
    guard let rules = table.rules else { return }
    let states = ownRules(table)
    let name = rules.name(of: slot)
    if states.takesTurns { loadRule(name, states, table) }
    if let deadline = states.candidate(of: name)?.deadline {
      if deadline <= time { states.due.append(name) } else { deadlines.schedule(slot, at: deadline) }
    }
    guard known.hasTimed, let next = known.timed(slot)?.nextRepeat, next != .max else { return }
    if next <= time { states.repeats.append(slot) } else { deadlines.schedule(slot, at: next) }
  }

  /// Looks at the rules at the end of an instant, by depth; then come the repeats of rules.
  ///
  /// - Parameter servesPending: Whether pending rules are looked at although no part has changed.
  @inline(never) @_optimize(size)
  mutating func endRules(at now: Int64, servesPending: Bool, _ table: ConditionTable, _ delivery: inout Delivery) {
    // The other changes become events first, because that may exhaust a part.
    if delivery.holdsChanges { endInstants(table, &delivery) }
    if servesPending { known.rules?.isServed = true }
    guard let rules = table.rules, known.hasRulesToLookAt(servesPending: servesPending) else { return }
    let states = ownRules(table)
    states.isBusy = true
    if servesPending { states.servePending() }
    absorb(states, rules, table)
    repeat {
      // The device of a fleet may have loaded a pending rule.
      if servesPending, states.takesTurns { states.servePending() }
      while let names = takeNext(states, rules, table) {
        for name in names.listed {
          let cell = states.cells[Int(name)]
          if cell.isServed || cell.changes != 0 { look(name, at: now, states, table, &delivery) }
          states.cells[Int(name)].isServed = false
          states.cells[Int(name)].changes = 0
          states.cells[Int(name)].decider = -1
        }
        var due = names.due
        for name in names.listed where states.candidate(of: name).map({ $0.deadline <= now }) ?? false {
          due.append(name)
        }
        putInOrder(&due, rules, table)
        for name in due { confirm(name, at: now, states, table, &delivery) }
        if delivery.holdsChanges { endInstants(table, &delivery) }
        absorb(states, rules, table)
        if servesPending, states.takesTurns { states.servePending() }
      }
      states.endRound()
      repeatRules(at: now, states, table, &delivery)
      if delivery.holdsChanges { endInstants(table, &delivery) }
      absorb(states, rules, table)
    } while !states.listed.isEmpty
    states.endInstant()
    states.isBusy = false
  }

  /// Removes the rules of the least depth from those that are listed or due, and returns them in add order.
  @_optimize(size)
  private func takeNext(
    _ states: RuleStates, _ rules: RuleBook, _ table: ConditionTable
  ) -> (listed: ContiguousArray<UInt32>, due: ContiguousArray<UInt32>)? {
    states.listed.removeAll { !states.cells[Int($0)].isListed }
    var least = Int.max
    for name in states.listed { least = min(least, rules.depth(of: name)) }
    for name in states.due { least = min(least, rules.depth(of: name)) }
    guard least != .max else { return nil }
    var names = (listed: Self.take(&states.listed, rules, least), due: Self.take(&states.due, rules, least))
    for name in names.listed { states.cells[Int(name)].isListed = false }
    putInOrder(&names.listed, rules, table)
    return names
  }

  @_optimize(size)
  private static func take(
    _ names: inout ContiguousArray<UInt32>, _ rules: RuleBook, _ depth: Int
  ) -> ContiguousArray<UInt32> {
    var taken: ContiguousArray<UInt32> = []
    var kept = 0
    for index in names.indices {
      if rules.depth(of: names[index]) == depth {
        taken.append(names[index])
      } else {
        names[kept] = names[index]
        kept += 1
      }
    }
    names.removeSubrange(kept...)
    return taken
  }

  /// Sorts rules in add order, and removes duplicates.
  @_optimize(size)
  private func putInOrder(_ names: inout ContiguousArray<UInt32>, _ rules: RuleBook, _ table: ConditionTable) {
    guard names.count > 1 else { return }
    for index in names.indices { names[index] = rules.slot(of: names[index]) }
    table.putInOrder(&names)
    for index in names.indices { names[index] = rules.name(of: names[index]) }
  }

  /// The state that follows from the states of the parts.
  @_optimize(size)
  private func state(of name: UInt32, _ states: RuleStates, _ rules: RuleBook) -> Observed {
    let cell = states.cells[Int(name)]
    return Observed(rules.state(of: name, satisfied: Int(cell.satisfied), unknown: Int(cell.unknown)))
  }

  /// Looks at a rule: determines it, makes it undetermined, or opens or drops a candidate.
  @_optimize(size)
  private mutating func look(
    _ name: UInt32, at now: Int64, _ states: RuleStates, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard let rules = table.rules else { return }
    let slot = rules.slot(of: name)
    if !states.additions.isEmpty, states.isAdded(table.generation(of: slot), after: now) { return }
    let decider = states.cells[Int(name)].decider
    states.cells[Int(name)].decider = -1
    if states.cells[Int(name)].isPending {
      states.cells[Int(name)].isPending = false
      known.touchRule(slot)
    }
    if isSuspended(slot, table) { return }
    let found = state(of: name, states, rules)
    let observed = states.cells[Int(name)].observed
    if found == .undetermined {
      if observed != .undetermined { stop(slot, table, &delivery) }
      return
    }
    if found == observed {
      if states.closeCandidate(name) {
        known.touchRule(slot)
        deadlines.cancel(slot)
        if known.hasTimed { remindTiming(slot) }
      }
      return
    }
    var evidence = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: .unknown, cause: .none, date: nil)
    var decided = Int64.min
    if decider >= 0 {
      evidence = states.marks[Int(decider)].evidence
      decided = states.marks[Int(decider)].decided
    }
    let policy = table.policy(of: slot)
    let dwell = found == .inside ? policy.entryDwellMicroseconds : policy.exitDwellMicroseconds
    let candidate = RuleStates.Candidate(
      evidence: evidence, decided: decided, start: now,
      deadline: Timestamp(microseconds: now).adding(microseconds: dwell).microseconds)
    if observed == .undetermined {
      change(name, to: found, candidate, at: now, states, table, &delivery)
    } else if states.cells[Int(name)].candidate < 0 {
      states.open(candidate, name)
      known.touchRule(slot)
      if candidate.deadline > now { deadlines.schedule(slot, at: candidate.deadline) }
    }
  }

  /// Confirms the candidate of a rule if it is due.
  @_optimize(size)
  private mutating func confirm(
    _ name: UInt32, at now: Int64, _ states: RuleStates, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    if states.cells[Int(name)].isPending { look(name, at: now, states, table, &delivery) }
    guard let candidate = states.candidate(of: name), candidate.deadline <= now else {
      // The candidate may have been replaced by a later one.
      return
    }
    _ = states.closeCandidate(name)
    let to: Observed = states.cells[Int(name)].observed == .inside ? .outside : .inside
    change(name, to: to, candidate, at: candidate.deadline, states, table, &delivery)
  }

  /// Changes the observed state of a rule.
  @_optimize(size)
  private mutating func change(
    _ name: UInt32, to observed: Observed, _ candidate: RuleStates.Candidate, at date: Int64, _ states: RuleStates,
    _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard let slot = table.rules?.slot(of: name) else { return }
    let isInitial = states.cells[Int(name)].observed == .undetermined
    states.cells[Int(name)].observed = observed
    states.cells[Int(name)].isWithoutEvidence = candidate.evidence.evidenceDate == .min
    known.touchRule(slot)
    var entry = candidate.evidence
    entry.slot = slot
    entry.generation = table.generation(of: slot)
    entry.state = observed.state
    entry.cause = isInitial ? .determination : .crossing
    entry.date = date
    entry.notify = isInitial ? .initial : observed == .inside ? .entry : .exit
    entry.marks.formIntersection(RuleStates.keptMarks)
    if timeline.hasGap, !entry.latitude.isNaN {
      if states.takesTurns { delivery.suppose(slot, states.loaded[Int(states.cells[Int(name)].place)].told) }
      markGap(&entry, decided: candidate.decided, table, delivery)
    }
    observe(entry, decided: candidate.decided, isInitial: isInitial, table, &delivery)
  }

  /// Reports the rules that are still satisfied.
  @_optimize(size)
  private mutating func repeatRules(
    at now: Int64, _ states: RuleStates, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard let rules = table.rules, !states.repeats.isEmpty else { return }
    var slots = states.repeats
    states.repeats.clear()
    table.putInOrder(&slots)
    for slot in slots {
      let isWithoutEvidence = states.cells[Int(rules.name(of: slot))].isWithoutEvidence
      confirmRepeat(slot, date: now, isWithoutEvidence: isWithoutEvidence, table, &delivery)
    }
  }

  // MARK: - Questions and restoring

  /// The cell of a rule.
  func ruleCell(of slot: UInt32, _ table: ConditionTable) -> RuleStates.Cell? {
    guard let rules = table.rules, let states = known.rules else { return nil }
    let name = rules.name(of: slot)
    return Int(name) < states.cells.count ? states.cells[Int(name)] : nil
  }

  /// The candidate of a rule.
  func ruleCandidate(of slot: UInt32, _ table: ConditionTable) -> RuleStates.Candidate? {
    guard let rules = table.rules, let states = known.rules else { return nil }
    let name = rules.name(of: slot)
    return Int(name) < states.cells.count ? states.candidate(of: name) : nil
  }

  /// After all states are restored, counts the parts of all rules.
  @_optimize(size)
  mutating func settleRestoredRules(_ table: ConditionTable) {
    guard let rules = table.rules else { return }
    let states = ownRules(table)
    for slot in table.live {
      if let part = rules.part(in: slot) { states.cells[Int(part)].counted = counted(slot, table) }
    }
    for slot in table.live where table.kind(of: slot).isRule {
      let name = rules.name(of: slot)
      states.countParts(of: name, rules)
      if let deadline = states.candidate(of: name)?.deadline { deadlines.schedule(slot, at: deadline) }
    }
  }
}
