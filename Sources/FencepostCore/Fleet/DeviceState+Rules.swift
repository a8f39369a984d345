import FencepostKernel

/// The rules of a device that is not loaded into a tracker, and their stored form.
extension DeviceState {
  /// Brings the records up to date with the table: a rule may have become undetermined because a part was removed or
  /// replaced.
  @inline(never) @_optimize(size)
  mutating func settleRules(seen: UInt64, at time: Int64, _ table: ConditionTable) {
    guard hasRules else { return }
    guard let book = table.rules else { return rules.records.removeAll() }
    var rules = DeviceRules()
    swap(&rules, &self.rules)
    var known = [UInt32: UInt64]()
    var endsRepeats = false
    for index in rules.records.indices {
      let slot = rules.records[index].slot
      let observed = observedRule(book.name(of: slot), rules, seen: seen, at: time, table, &known)
      rules.records[index].observed = observed
      guard observed == .undetermined else { continue }
      rules.records[index].waiting = []
      guard hasTimings, let timed = timings.index(of: slot), timings.records[timed].state.deadline != .max else {
        continue
      }
      timings.records[timed].state.forgetDeadlines()
      endsRepeats = true
    }
    if endsRepeats { remind(table) }
    rules.dropCommon(seen: seen, table)
    self.rules = rules
  }

  /// Returns the observed state of a rule.
  @inline(never) @_optimize(size)
  func observedRule(_ slot: UInt32, seen: UInt64, at time: Int64, _ table: ConditionTable) -> Observed {
    guard let book = table.rules else { return .undetermined }
    var known = [UInt32: UInt64]()
    return observedRule(book.name(of: slot), rules, seen: seen, at: time, table, &known)
  }

  /// - Parameter known: The raw values of the states of rules that are known. Another table has values of this type, so
  ///   the compiler need not make the code of a dictionary once more.
  @_optimize(size)
  private func observedRule(
    _ name: UInt32, _ rules: DeviceRules, seen: UInt64, at time: Int64, _ table: ConditionTable,
    _ known: inout [UInt32: UInt64]
  ) -> Observed {
    guard let book = table.rules else { return .undetermined }
    if let number = known[name], let observed = Observed(rawValue: UInt8(number)) { return observed }
    let own = rules.records.record(of: book.slot(of: name))
    let looked = max(rules.seen(shapes: seen), own.map { rules.records[$0].looked } ?? 0)
    var (satisfied, unknown) = (0, 0)
    for index in 0..<book.partCount(of: name) {
      let part = book.part(index, of: name)
      let slot = book.slot(of: part)
      var observed = Observed.undetermined
      if book.isRule(part) {
        observed = observedRule(part, rules, seen: seen, at: time, table, &known)
        if table.timing(of: slot) != nil {
          // A rule that was not looked at since does not count the part yet.
          if table.generation(of: slot) > looked {
            observed = .undetermined
          } else if isInactive(slot) {
            observed = .outside
          }
        }
      } else if slot != RuleBook.none {
        observed = observedPart(slot, seen: seen, looked: looked, at: time, table)
      }
      if observed == .inside { satisfied += 1 }
      if observed == .undetermined { unknown += 1 }
    }
    let slot = book.slot(of: name)
    var observed = Observed(book.state(of: name, satisfied: satisfied, unknown: unknown))
    if observed != .undetermined {
      if let own {
        observed = rules.records[own].observed
      } else if table.generation(of: slot) > rules.seen(shapes: seen) {
        observed = .undetermined
      }
    }
    known[name] = UInt64(observed.rawValue)
    return observed
  }

  /// Whether a rule is outside its schedule, or exhausted.
  private func isInactive(_ slot: UInt32) -> Bool {
    hasTimings && (timings.index(of: slot).map { timings.records[$0].state.isSuspended } ?? false)
  }

  /// Adds the record of a rule with a timing that each device has.
  @inline(never) @_optimize(size)
  mutating func addTimedRule(_ slot: UInt32, _ table: ConditionTable) {
    guard rules.records.record(of: slot) == nil else { return }
    rules.records.append(
      RuleRecord(slot: slot, generation: table.generation(of: slot), told: table.assumed(of: slot)))
    rules.records.arrange { $0.slot < $1.slot }
  }

  /// - Parameter looked: The parts with a timing after this generation have not been counted.
  private func observedPart(
    _ slot: UInt32, seen: UInt64, looked: UInt64, at time: Int64, _ table: ConditionTable
  ) -> Observed {
    if table.kind(of: slot).isBeacon { return beacon(slot, table).track.observed }
    if table.policies.hasTimings, table.timing(of: slot) != nil {
      return table.generation(of: slot) > looked
        ? .undetermined : Observed(countedTimed(slot, at: time, seen: seen, table))
    }
    if insides.contains(where: { $0.slot == slot }) { return .inside }
    if isRewound || undecided.contains(slot) || table.generation(of: slot) > seen { return .undetermined }
    return .outside
  }

  /// Adds the names of the rules, and of the parts of rules, for which the device has an entry.
  ///
  /// - Parameter isInput: Whether the rules that the device has not seen are looked at anyway. Otherwise those are added,
  ///   too.
  @inline(never) @_optimize(size)
  func appendConcerned(to names: inout ContiguousArray<UInt32>, isInput: Bool, seen: UInt64, _ table: ConditionTable) {
    guard let book = table.rules else { return }
    func add(_ slot: UInt32) { if let name = book.part(in: slot) { names.append(name) } }
    for inside in insides { add(inside.slot) }
    for crossing in crossings { add(crossing.slot) }
    for slot in undecided { add(slot) }
    for beacon in beacons { add(beacon.slot) }
    for record in timings.records { add(record.slot) }
    for record in rules.records { names.append(book.name(of: record.slot)) }
    guard !isInput, rules.seen(shapes: seen) < table.lastTimedRule else { return }
    for name in 0..<UInt32(book.nameBound) where book.isRule(name) { names.append(name) }
  }

  /// Whether an edge of a schedule may change a rule for the device, so that it must be evaluated.
  func concerns(seen: UInt64, _ table: ConditionTable) -> Bool {
    guard let book = table.rules else { return false }
    if !book.listed.isEmpty || rules.seen(shapes: seen) < table.lastTimedRule { return true }
    var names: ContiguousArray<UInt32> = []
    appendConcerned(to: &names, isInput: true, seen: seen, table)
    return !names.isEmpty
  }

  /// Adds the records that are missing of shapes with a timing: those that the rules above some names have as parts.
  @inline(never) @_optimize(size)
  mutating func addTimedParts(
    of names: ContiguousArray<UInt32>, at time: Int64, before: Int64, seen: UInt64, _ table: ConditionTable
  ) {
    guard let book = table.rules else { return }
    for name in Tracker.concerned(names, book) {
      let slot = book.slot(of: name)
      guard slot != RuleBook.none, table.timing(of: slot) != nil, timings.index(of: slot) == nil else { continue }
      addCommonRecord(slot, at: time, before: before, seen: seen, table)
      timings.passed = max(timings.passed, time)
    }
  }

  mutating func addCommonRecord(
    _ slot: UInt32, at time: Int64, before: Int64, seen: UInt64, _ table: ConditionTable
  ) {
    var record = commonRecord(slot, at: time, seen: seen, table)
    record.counted = table.countedCommon(
      slot, at: before, seen: isRewound ? 0 : seen, lastFix: lastFix?.time.microseconds ?? .min)
    timings.records.append(record)
  }

  /// The state that a rule counts of a shape or rule with a timing.
  @inline(never) @_optimize(size)
  func countedTimed(_ slot: UInt32, at time: Int64, seen: UInt64, _ table: ConditionTable) -> Event.State {
    if let index = timings.index(of: slot) { return counted(timings.records[index], at: time, seen: seen, table) }
    if insides.contains(where: { $0.slot == slot }) { return .satisfied }
    return table.countedCommon(
      slot, at: time, seen: isRewound ? 0 : seen, lastFix: lastFix?.time.microseconds ?? .min)
  }

  /// The state that a rule counts of a shape or rule with a record.
  private func counted(
    _ record: DeviceTimings.Record, at time: Int64, seen: UInt64, _ table: ConditionTable
  ) -> Event.State {
    if record.state.isSuspended { return .unsatisfied }
    guard table.kind(of: record.slot).isRule else { return record.observed.state }
    return observedRule(record.slot, seen: seen, at: time, table).state
  }

  /// Notes the states that rules have counted of the conditions with a record.
  ///
  /// - Parameter time: The time of the states; `Int64.min` for those before the first input.
  @inline(never) @_optimize(size)
  mutating func noteCounted(at time: Int64, seen: UInt64, _ table: ConditionTable) {
    for index in timings.records.indices {
      let record = timings.records[index]
      timings.records[index].counted =
        time == .min
        ? table.countedCommon(record.slot, at: time, seen: 0, lastFix: .min)
        : counted(record, at: time, seen: seen, table)
    }
  }

  /// Drops the records of rules that were removed or replaced.
  @inline(never) @_optimize(size)
  mutating func dropGoneRules(_ table: ConditionTable) {
    rules.records.removeAll { !table.holds($0.slot, $0.generation) }
  }
}

extension FleetEngine {
  /// Queues an observed change of a rule if it is news to the consumer, and the policy asks for an event.
  @inline(never) @_optimize(size)
  mutating func collectRule(_ entry: EventEntry, _ device: UInt32, row: Int, _ table: ConditionTable) {
    let isNews = entry.marks.contains(.news)
    guard tracker.tellRule(entry, table) != entry.state || isNews,
      entry.notify.isSubset(of: table.notify(of: entry.slot))
    else { return }
    var entry = entry
    entry.marks.remove(.news)
    delivery.append(FleetEntry(entry: entry, device: device, row: row))
    devices.hurry(device)
  }

  /// Loads the rules of a device into the tracker.
  @inline(never) @_optimize(size)
  mutating func beginRules(_ device: UInt32, clock: Int64, at time: Int64, _ table: ConditionTable) {
    let line = devices.lines[device]
    tracker.beginRules(
      state.rules, seen: line.seen, state.timings.records, edges: edges(of: clock, at: time),
      additions: additions(overdueAt: clock, state, line, table), table)
  }

  /// The times at which the conditions of a table were added, if a change of a device without an input is overdue: the
  /// device may have been added after the change, and rules may have been added in between.
  func additions(
    overdueAt clock: Int64, _ state: borrowing DeviceState, _ line: DeviceLine, _ table: ConditionTable
  ) -> [RuleStates.Addition] {
    guard line.clock == .min, state.earliest <= clock else { return [] }
    let marks = watermark.marks(after: 0, through: table.order.lastGeneration, clock: line.clock, time: clock)
    return marks.map { RuleStates.Addition(through: $0.through, time: $0.start) }
  }

  /// Stores what the tracker has of the rules in `state`.
  @inline(never) @_optimize(size)
  mutating func packRules(_ device: UInt32, _ table: ConditionTable) {
    defer {
      if !state.marks.isEmpty {
        state.listParts(seen: devices.lines[device].seen, clock: tracker.clock, options, table)
      }
      remindOfEdge(device, after: timed.due ?? tracker.clock, table)
    }
    var rules = DeviceRules()
    if state.hasRules { swap(&rules, &state.rules) }
    rules = tracker.packRules(rules, seen: devices.lines[device].seen, table)
    if rules.isUsed || state.hasRules { state.rules = rules }
    guard rules.isUsed else { return }
    features.insert(.rules)
    // The states of rules depend on which shapes have been determined.
    if tracker.shapesSeenByRules != devices.lines[device].seen { devices.hurry(device) }
  }
}

extension DeviceRules {
  // MARK: - As words

  private static var recordWords: Int { 4 }
  private static var candidateWords: Int { 12 }

  var wordCount: Int {
    2 + Self.recordWords * records.count + records.count { $0.looked != 0 }
      + Self.candidateWords * records.count { !$0.waiting.isEmpty }
  }

  /// - Returns: The first word after those that were written.
  @inline(never) @_optimize(size)
  func store(to words: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<UInt64> {
    var next = words
    func put(_ word: UInt64) {
      next.initialize(to: word)
      next += 1
    }
    func put(_ number: Int64) { put(UInt64(bitPattern: number)) }
    put(UInt64(records.count) << 1 | (isReset ? 1 : 0))
    put(seen)
    for record in records {
      put(
        UInt64(record.slot) | UInt64(record.observed.rawValue) << 32 | UInt64(record.told.rawValue) << 34
          | (!record.waiting.isEmpty ? 1 << 40 : 0) | (record.looked != 0 ? 1 << 41 : 0))
      put(record.generation)
      put(record.since)
      put(record.evidence)
      if record.looked != 0 { put(record.looked) }
      guard let candidate = record.candidate else { continue }
      let evidence = candidate.evidence
      put(candidate.start)
      put(candidate.deadline)
      put(candidate.decided)
      put(evidence.evidenceDate)
      for number in [
        evidence.latitude, evidence.longitude, evidence.accuracy, evidence.boundaryDistance, evidence.verticalDistance,
      ] {
        put(number.bitPattern)
      }
      put(evidence.decidedBy)
      put(
        UInt64(evidence.marks.intersection(RuleStates.keptMarks).rawValue) | UInt64(evidence.refinementMajor) << 16
          | UInt64(evidence.refinementMinor) << 32)
      put(UInt64(evidence.state.rawValue) | UInt64(evidence.cause.rawValue) << 8)
    }
    return next
  }

  /// Replaces the empty value by the one that ``store(to:)`` wrote.
  ///
  /// - Returns: The first word after those that were read.
  @inline(never) @_optimize(size)
  mutating func load(_ words: UnsafePointer<UInt64>) -> UnsafePointer<UInt64> {
    var next = words
    func take() -> UInt64 {
      defer { next += 1 }
      return next.pointee
    }
    func takeSigned() -> Int64 { Int64(bitPattern: take()) }
    func takeDouble() -> Double { Double(bitPattern: take()) }
    let first = take()
    isReset = first & 1 != 0
    seen = take()
    for _ in 0..<(first >> 1) {
      let word = take()
      var record = RuleRecord(
        slot: UInt32(truncatingIfNeeded: word), generation: take(),
        observed: Observed(rawValue: UInt8(word >> 32 & 3)) ?? .undetermined,
        told: Event.State(rawValue: UInt8(word >> 34 & 3)) ?? .unknown)
      record.since = takeSigned()
      record.evidence = takeSigned()
      if word >> 41 & 1 == 1 { record.looked = take() }
      if word >> 40 & 1 == 1 {
        let (start, deadline, decided) = (takeSigned(), takeSigned(), takeSigned())
        var evidence = EventEntry(
          slot: record.slot, generation: record.generation, state: .unknown, cause: .none, date: nil)
        evidence.evidenceDate = takeSigned()
        evidence.latitude = takeDouble()
        evidence.longitude = takeDouble()
        evidence.accuracy = takeDouble()
        evidence.boundaryDistance = takeDouble()
        evidence.verticalDistance = takeDouble()
        evidence.decidedBy = take()
        let bits = take()
        evidence.marks = EventEntry.Marks(rawValue: UInt8(truncatingIfNeeded: bits))
        evidence.refinementMajor = UInt16(truncatingIfNeeded: bits >> 16)
        evidence.refinementMinor = UInt16(truncatingIfNeeded: bits >> 32)
        let states = take()
        evidence.state = Event.State(rawValue: UInt8(truncatingIfNeeded: states)) ?? .unknown
        evidence.cause = Event.Cause(rawValue: UInt8(truncatingIfNeeded: states >> 8)) ?? .none
        record.candidate = RuleStates.Candidate(
          evidence: evidence, decided: decided, start: start, deadline: deadline)
      }
      records.append(record)
    }
    return next
  }
}
