/// The states of the rules for one device of a fleet, as far as they do not follow from the states of the parts.
///
/// *If a rule has no record and its generation is at most ``seen(shapes:)``, its observed state follows from its parts.
/// If its generation is greater, the rule is undetermined, and is looked at after the next input. The last reported state
/// of a rule without a record is the assumed one.* So a rule whose parts are far away costs a device nothing, except if
/// the rule is then satisfied or was not assumed to be unsatisfied.
struct DeviceRules: Sendable {
  /// The records, with ascending slots.
  var records: ContiguousArray<RuleRecord> = []
  /// The rules up to this generation have been looked at.
  var seen: UInt64 = 0
  /// Whether the rules of the generations that the shapes have seen have not been looked at, because the device comes
  /// from another table.
  var isReset = false

  var isUsed: Bool { !records.isEmpty || seen != 0 || isReset }

  /// The rules up to this generation have been looked at.
  ///
  /// - Parameter shapes: See ``DeviceLine/seen``.
  func seen(shapes: UInt64) -> UInt64 { isReset ? seen : max(seen, shapes) }

  /// Drops the records that equal what a device without the record has.
  ///
  /// - Parameter shapes: See ``DeviceLine/seen``.
  @_optimize(size)
  mutating func dropCommon(seen shapes: UInt64, _ table: ConditionTable) {
    if !isReset, seen <= shapes { seen = 0 }
    let seen = seen(shapes: shapes)
    for index in records.indices where records[index].looked <= seen || records[index].observed == .undetermined {
      records[index].looked = 0
    }
    records.removeAll { record in
      table.timing(of: record.slot) == nil && record.observed != .inside
        && record.told == table.assumed(of: record.slot) && record.since == .min && record.waiting.isEmpty
        && (record.observed == .undetermined || max(record.generation, record.looked) <= seen)
    }
  }

  /// Makes all rules undetermined, as a rewind does.
  ///
  /// With timings, a part that is inactive has a state although no fix has been seen since.
  @_optimize(size)
  mutating func rewind(to time: Int64, seen: UInt64, _ table: ConditionTable) {
    for index in records.indices {
      records[index].forget()
      if records[index].since > time || records[index].evidence > time {
        (records[index].since, records[index].evidence) = (.min, .min)
      }
    }
    if table.policies.hasTimings, self.seen(shapes: seen) > 0 { (self.seen, isReset) = (0, true) }
    dropCommon(seen: seen, table)
  }

  /// The earliest end of a dwell; `Int64.max` if no rule waits for one.
  var earliest: Int64 {
    var earliest = Int64.max
    for record in records { earliest = min(earliest, record.deadline) }
    return earliest
  }
}

/// The state of a rule for a device of a fleet. See ``DeviceRules``.
struct RuleRecord: Sendable {
  var slot: UInt32
  var generation: UInt64
  var observed: Observed = .undetermined
  /// The last reported state.
  var told: Event.State
  /// The candidate, if there is one: most records have none, and a device may have thousands of records.
  var waiting: ContiguousArray<RuleStates.Candidate> = []
  /// If the rule was looked at after parts with a timing came that the device had not seen: the parts up to this
  /// generation have been counted. Otherwise 0, and only the parts up to ``DeviceRules/seen(shapes:)``.
  var looked: UInt64 = 0
  /// The date of the change to `satisfied`, and that of its evidence; `Int64.min` if they are not known.
  var since: Int64 = .min
  var evidence: Int64 = .min
  /// During an evaluation, of a rule with a timing: the state that rules had counted before the present instant.
  var counted: Event.State?
  /// During an evaluation, of a rule with a timing: see ``RuleStates/Cell/isWithoutEvidence``.
  var isWithoutEvidence = false

  var candidate: RuleStates.Candidate? {
    get { waiting.isEmpty ? nil : waiting[0] }
    set {
      waiting.removeAll()
      if let newValue { waiting.append(newValue) }
    }
  }

  /// The end of the dwell; `Int64.max` without a candidate.
  var deadline: Int64 { waiting.isEmpty ? .max : waiting[0].deadline }

  /// Makes the rule undetermined.
  mutating func forget() {
    observed = .undetermined
    if !waiting.isEmpty { waiting = [] }
  }
}

extension ContiguousArray<RuleRecord> {
  /// The index of the record of a slot, in records with ascending slots.
  @_optimize(size)
  func record(of slot: UInt32) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].slot < slot { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].slot == slot ? low : nil
  }
}
