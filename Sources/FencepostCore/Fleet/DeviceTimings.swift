import FencepostKernel

/// The states of the conditions with a ``ConditionTiming`` for one device. Most devices have none.
///
/// *If a shape with a timing has no record, the device has had no event of it since it was last reported as
/// `unsatisfied`. It is then settled outside of the shape if the shape is active, its last start is not later than the
/// last fix of the device, and its generation is at most the last one that the device has seen; otherwise the shape is
/// undetermined.* So an edge of a schedule costs nothing for the devices without a record. A device has a record of
/// each condition whose absence may be an event (``ConditionTable/isTracked(_:)``), and of the conditions that it is
/// inside of, if these have repeats or a largest number of events.
///
/// A device has a record of each rule with a timing, too, and a ``RuleRecord`` with the observed and the reported state:
/// the members ``Record/observed``, ``Record/told``, ``Record/since`` and ``Record/evidence`` are not used then.
struct DeviceTimings: Sendable {
  struct Record: Sendable {
    var slot: UInt32
    var generation: UInt64
    var state: TimedState
    var observed: Observed
    /// See ``SlotState/hasMetCoarseFix``. Of a rule: see ``RuleStates/Cell/isWithoutEvidence``.
    var hasMetCoarseFix = false
    /// The last reported state.
    var told: Event.State
    /// The number of events, if there is a largest number.
    var events: UInt32 = 0
    /// The times `since` and `evidence` of ``DeviceState/Inside``, if the last reported state is `satisfied`.
    var since: Int64 = .min
    var evidence: Int64 = .min
    /// During an evaluation: the state that rules counted before the present instant.
    var counted = Event.State.unknown

    /// Passes the edges after a time and up to another one. Nothing is due between these times.
    ///
    /// - Returns: Whether the state that the condition had has ended.
    @inline(never)
    @_optimize(size)
    mutating func passEdges(after passed: Int64, through time: Int64, _ timing: ConditionTiming) -> Bool {
      guard !state.isExhausted, let schedule = timing.schedule, schedule.nextEdge(after: passed) <= time else {
        return false
      }
      let isActive = schedule.isActive(at: time)
      let start = schedule.lastStart(through: time)
      guard start > passed || isActive != state.isActive else { return false }
      if start > passed { state.hasStarted = true }
      state.isActive = isActive
      forget()
      if isActive { countAbsence(from: start, timing) }
      return true
    }

    /// Makes the condition undetermined.
    mutating func forget() {
      observed = .undetermined
      hasMetCoarseFix = false
      state.forgetDeadlines()
    }

    mutating func countAbsence(from time: Int64, _ timing: ConditionTiming) {
      let absentAfter = timing.absentAfterMicroseconds
      guard absentAfter != 0 else { return }
      state.absence = Timestamp(microseconds: time).adding(microseconds: absentAfter).microseconds
    }

    /// The next time at which something of the condition may be due, in microseconds.
    ///
    /// - Parameter passed: The time up to which the edges have passed.
    @inline(never)
    @_optimize(size)
    func reminder(_ timing: ConditionTiming, after passed: Int64) -> Int64 {
      guard !state.isExhausted else { return .max }
      let absentAfter = timing.absentAfterMicroseconds
      guard absentAfter != 0, let start = timing.schedule?.nextStart(after: passed) else { return state.deadline }
      return min(state.deadline, Timestamp(microseconds: start).adding(microseconds: absentAfter).microseconds)
    }
  }

  var records: ContiguousArray<Record> = []
  /// The device has a record of each condition up to this generation whose absence may be an event.
  var seen: UInt64 = 0
  /// The edges up to this time have passed for the records, or those up to the device's own clock if that is later.
  var passed: Int64 = .min
  /// The next time at which something may be due, in microseconds.
  var reminder: Int64 = .max
  /// The next edge of a schedule at which a rule may change, in microseconds. It is not part of the stored bytes.
  var edge: Int64 = .max
  /// Whether an edge has passed since the last fix, but not since the last input. The next fix must be evaluated.
  var isStale = false

  @inline(__always)
  var isUsed: Bool { isSaved || edge != .max }

  /// Whether the bytes of the device have data about timings.
  @inline(__always)
  var isSaved: Bool { !records.isEmpty || seen != 0 || isStale }

  /// Whether nothing has to be kept, not even during an evaluation.
  var isBlank: Bool { !isUsed && passed == .min }

  func index(of slot: UInt32) -> Int? {
    records.isEmpty ? nil : records.firstIndex { $0.slot == slot }
  }

  // MARK: - As words

  private static var recordWords: Int { 8 }
  var wordCount: Int { 5 + Self.recordWords * records.count }

  /// - Returns: The first word after those that were written.
  @inline(never)
  func store(to words: UnsafeMutablePointer<UInt64>) -> UnsafeMutablePointer<UInt64> {
    var next = words
    func put(_ word: UInt64) {
      next.initialize(to: word)
      next += 1
    }
    func put(_ number: Int64) { put(UInt64(bitPattern: number)) }
    put(UInt64(records.count) << 1 | (isStale ? 1 : 0))
    put(seen)
    put(passed)
    put(reminder)
    put(edge)
    for record in records {
      put(
        UInt64(record.slot) | UInt64(record.observed.rawValue) << 32 | UInt64(record.told.rawValue) << 34
          | UInt64(record.bits) << 40)
      put(record.generation)
      put(UInt64(record.events) | UInt64(record.state.repeatsLeft) << 32)
      put(record.state.absence)
      put(record.state.nextRepeat)
      put(record.state.evidenceDate)
      put(record.since)
      put(record.evidence)
    }
    return next
  }

  /// Replaces the empty value by the one that ``store(to:)`` wrote.
  ///
  /// - Returns: The first word after those that were read.
  @inline(never)
  mutating func load(_ words: UnsafePointer<UInt64>) -> UnsafePointer<UInt64> {
    var next = words
    func take() -> UInt64 {
      defer { next += 1 }
      return next.pointee
    }
    func takeSigned() -> Int64 { Int64(bitPattern: take()) }
    let first = take()
    isStale = first & 1 != 0
    seen = take()
    passed = takeSigned()
    reminder = takeSigned()
    edge = takeSigned()
    for _ in 0..<(first >> 1) {
      let word = take()
      let generation = take()
      let numbers = take()
      var record = Record(
        slot: UInt32(truncatingIfNeeded: word), generation: generation, state: TimedState(),
        observed: Observed(rawValue: UInt8(word >> 32 & 3)) ?? .undetermined,
        told: Event.State(rawValue: UInt8(word >> 34 & 3)) ?? .unknown)
      record.bits = UInt8(truncatingIfNeeded: word >> 40)
      record.events = UInt32(truncatingIfNeeded: numbers)
      record.state.repeatsLeft = UInt32(truncatingIfNeeded: numbers >> 32)
      record.state.absence = takeSigned()
      record.state.nextRepeat = takeSigned()
      record.state.evidenceDate = takeSigned()
      record.since = takeSigned()
      record.evidence = takeSigned()
      records.append(record)
    }
    return next
  }
}

extension DeviceTimings.Record {
  /// The properties that are not numbers.
  var bits: UInt8 {
    get {
      (hasMetCoarseFix ? 1 : 0) | (state.isActive ? 2 : 0) | (state.isExhausted ? 4 : 0)
        | (state.hasStarted ? 8 : 0)
    }
    set {
      hasMetCoarseFix = newValue & 1 != 0
      state.isActive = newValue & 2 != 0
      state.isExhausted = newValue & 4 != 0
      state.hasStarted = newValue & 8 != 0
    }
  }
}

extension ConditionTable {
  /// Whether a time is in an interval of the schedule of a condition, or there is no schedule.
  @inline(never)
  func isActive(_ slot: UInt32, at time: Int64) -> Bool { timing(of: slot)?.schedule?.isActive(at: time) ?? true }

  /// Whether a device without a record of a shape was outside of it at its last fix since the last start.
  ///
  /// - Parameters:
  ///   - seen: The shapes up to this generation have been determined.
  ///   - lastFix: The time of the last fix; `Int64.min` without one.
  @inline(never)
  @_optimize(size)
  func isSettled(_ slot: UInt32, at time: Int64, seen: UInt64, lastFix: Int64) -> Bool {
    guard generation(of: slot) <= seen else { return false }
    guard let schedule = timing(of: slot)?.schedule else { return true }
    return lastFix != .min && schedule.lastStart(through: time) <= lastFix
  }

  /// The state that a rule counts of a shape with a timing that has no record.
  @inline(never)
  @_optimize(size)
  func countedCommon(_ slot: UInt32, at time: Int64, seen: UInt64, lastFix: Int64) -> Event.State {
    !isActive(slot, at: time) || isSettled(slot, at: time, seen: seen, lastFix: lastFix) ? .unsatisfied : .unknown
  }

  /// Whether each device has a record of a condition, because its absence may be an event that no fix causes, or because
  /// each first determination is one, or because it is a rule.
  func isTracked(_ slot: UInt32) -> Bool {
    guard let timing = timing(of: slot) else { return false }
    return assumed(of: slot) != .unsatisfied || timing.absentAfterMicroseconds != 0 || kind(of: slot).isRule
  }
}

extension DeviceState {
  /// Drops the records of conditions that were removed or replaced.
  @inline(never)
  @_optimize(size)
  mutating func dropGoneTimings(_ table: ConditionTable) {
    guard timings.records.contains(where: { !table.holds($0.slot, $0.generation) }) else { return }
    timings.records.removeAll { !table.holds($0.slot, $0.generation) }
    remind(table)
  }

  /// Finds the next time at which something of a record may be due.
  @inline(never)
  @_optimize(size)
  mutating func remind(_ table: ConditionTable) {
    var reminder = Int64.max
    for record in timings.records {
      if let timing = table.timing(of: record.slot) {
        reminder = min(reminder, record.reminder(timing, after: timings.passed))
      }
    }
    timings.reminder = reminder
  }

  /// Brings the records up to date: adds those that are missing, and passes the edges up to a time.
  ///
  /// - Parameters:
  ///   - own: The latest time of the device's own inputs.
  ///   - clock: The clock of the device.
  ///   - time: The time of an input, or the time at which something is due.
  @inline(never)
  @_optimize(size)
  mutating func prepareTimings(own: Int64, clock: Int64, through time: Int64, _ table: ConditionTable) {
    let passed = max(timings.passed, own)
    for inside in insides where table.timing(of: inside.slot) != nil && timings.index(of: inside.slot) == nil {
      var record = newRecord(inside.slot, .inside, .satisfied, table)
      (record.since, record.evidence) = (inside.since, inside.evidence)
      timings.records.append(record)
    }
    for crossing in crossings where table.timing(of: crossing.slot) != nil && timings.index(of: crossing.slot) == nil {
      timings.records.append(newRecord(crossing.slot, .outside, .unsatisfied, table))
    }
    // The conditions that were added meanwhile begin at the clock. Until then, something may be due.
    if table.lastTracked > timings.seen, time >= clock {
      if passed != .min { passEdges(after: passed, through: clock, table) }
      track(at: clock == .min ? time : clock, table)
    }
    if max(passed, timings.passed) != .min { passEdges(after: max(passed, timings.passed), through: time, table) }
    remind(table)
  }

  private func newRecord(
    _ slot: UInt32, _ observed: Observed, _ told: Event.State, _ table: ConditionTable
  ) -> DeviceTimings.Record {
    DeviceTimings.Record(
      slot: slot, generation: table.generation(of: slot), state: TimedState(), observed: observed, told: told)
  }

  /// Adds the records that each device needs of the conditions that were added since the last call.
  @inline(never)
  @_optimize(size)
  private mutating func track(at time: Int64, _ table: ConditionTable) {
    let seen = timings.seen
    var isNew = false
    table.order.forEachAnnounced(after: seen) { slot in
      guard table.generation(of: slot) > seen, table.isTracked(slot), let timing = table.timing(of: slot)
      else { return }
      isNew = true
      if timings.index(of: slot) != nil { return }
      var record = newRecord(slot, .undetermined, table.assumed(of: slot), table)
      record.state.isActive = timing.schedule?.isActive(at: time) ?? true
      if record.state.isActive { record.countAbsence(from: time, timing) }
      timings.records.append(record)
      if table.kind(of: slot).isRule { addTimedRule(slot, table) }
    }
    guard isNew else { return }
    timings.seen = table.order.lastGeneration
    timings.passed = max(timings.passed, time)
  }

  /// Passes the edges after a time and up to another one.
  @inline(never)
  @_optimize(size)
  private mutating func passEdges(after passed: Int64, through time: Int64, _ table: ConditionTable) {
    guard time > passed else { return }
    var timings = timings
    for index in timings.records.indices {
      var record = timings.records[index]
      guard let timing = table.timing(of: record.slot), record.passEdges(after: passed, through: time, timing)
      else { continue }
      timings.records[index] = record
      endStay(record.slot)
    }
    timings.passed = max(timings.passed, time)
    self.timings = timings
  }

  /// Removes a shape from the lists of shapes that the device is inside or about to cross; makes a rule undetermined.
  @inline(never)
  @_optimize(size)
  mutating func endStay(_ slot: UInt32) {
    insides.removeAll { $0.slot == slot }
    crossings.removeAll { $0.slot == slot }
    guard hasRules, let index = rules.records.record(of: slot) else { return }
    rules.records[index].forget()
  }

  /// Returns the record of a shape that has none.
  ///
  /// - Parameters:
  ///   - time: The time up to which the edges have passed.
  ///   - seen: See ``DeviceLine/seen``.
  @inline(never)
  @_optimize(size)
  func commonRecord(
    _ slot: UInt32, at time: Int64, seen: UInt64, _ table: ConditionTable
  ) -> DeviceTimings.Record {
    var record = newRecord(slot, .undetermined, table.assumed(of: slot), table)
    record.state.isActive = table.isActive(slot, at: time)
    record.observed = commonObserved(slot, at: time, seen: seen, table)
    return record
  }

  /// Returns the observed state of a shape with a timing that has no record.
  @inline(never)
  @_optimize(size)
  func commonObserved(_ slot: UInt32, at time: Int64, seen: UInt64, _ table: ConditionTable) -> Observed {
    table.isActive(slot, at: time)
      && table.isSettled(slot, at: time, seen: isRewound ? 0 : seen, lastFix: lastFix?.time.microseconds ?? .min)
      ? .outside : .undetermined
  }

  /// Drops the records that equal what a device without the record has.
  ///
  /// - Parameter own: The latest time of the device's own inputs.
  @inline(never)
  @_optimize(size)
  mutating func dropCommonRecords(own: Int64, seen: UInt64, _ table: ConditionTable) {
    let time = max(timings.passed, own)
    var kept = timings.records
    // A condition that was removed leaves no trace, also not in the store.
    var tracked: UInt64 = 0
    kept.removeAll { record in
      if table.isTracked(record.slot) {
        tracked = max(tracked, record.generation)
        return false
      }
      guard record.events == 0, !record.state.isExhausted,
        record.state.deadline == .max, record.state.evidenceDate == .min, !record.hasMetCoarseFix
      else { return false }
      if record.observed == .inside { return record.told == .satisfied }
      return record.told == .unsatisfied
        && record.observed == commonObserved(record.slot, at: time, seen: seen, table)
    }
    timings.records = kept
    timings.seen = tracked
    remind(table)
  }

  /// Makes the conditions with a record undetermined, as a rewind does.
  @inline(never)
  @_optimize(size)
  mutating func rewindTimings(to time: Int64, _ table: ConditionTable) {
    var timings = timings
    for index in timings.records.indices {
      var record = timings.records[index]
      guard let timing = table.timing(of: record.slot) else { continue }
      record.forget()
      if record.since > time || record.evidence > time { (record.since, record.evidence) = (.min, .min) }
      if !record.state.isExhausted {
        record.state.hasStarted = false
        record.state.isActive = timing.schedule?.isActive(at: time) ?? true
        if record.state.isActive { record.countAbsence(from: time, timing) }
      }
      timings.records[index] = record
    }
    timings.passed = time
    self.timings = timings
  }
}
