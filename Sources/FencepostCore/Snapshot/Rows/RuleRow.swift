/// The state of a rule besides its observed state.
struct RuleRow {
  private(set) var isPending: Bool
  private(set) var isWithoutEvidence: Bool
  private(set) var candidate: RuleStates.Candidate?

  private static let isPending: UInt8 = 1
  private static let isWithoutEvidence: UInt8 = 2
  private static let hasCandidate: UInt8 = 4

  /// - Returns: `nil` if there is nothing to save.
  @_optimize(size)
  init?(_ tracker: borrowing Tracker, _ slot: UInt32, _ table: ConditionTable) {
    guard let cell = tracker.ruleCell(of: slot, table) else { return nil }
    isPending = cell.isPending
    isWithoutEvidence = cell.isWithoutEvidence && cell.observed == .inside
    candidate = tracker.ruleCandidate(of: slot, table)
    if bits == 0 { return nil }
  }

  private var bits: UInt8 {
    (isPending ? Self.isPending : 0) | (isWithoutEvidence ? Self.isWithoutEvidence : 0)
      | (candidate != nil ? Self.hasCandidate : 0)
  }

  @_optimize(size)
  func encode(to writer: inout ByteWriter) {
    writer.put(bits)
    candidate?.encode(to: &writer)
  }

  @_optimize(size)
  init(slot: UInt32, generation: UInt64, reading reader: inout ByteReader) throws(Damage) {
    let bits: UInt8 = try reader.take("bits of a rule", in: 1...7)
    isPending = bits & Self.isPending != 0
    isWithoutEvidence = bits & Self.isWithoutEvidence != 0
    guard bits & Self.hasCandidate != 0 else { return }
    candidate = try RuleStates.Candidate(slot: slot, generation: generation, reading: &reader)
  }
}

extension RuleStates.Candidate {
  @_optimize(size)
  func encode(to writer: inout ByteWriter) {
    writer.putCompact(start)
    writer.putCompact(deadline)
    writer.putCompact(decided)
    evidence.encode(to: &writer)
  }

  @_optimize(size)
  init(slot: UInt32, generation: UInt64, reading reader: inout ByteReader) throws(Damage) {
    start = try reader.takeSignedTime("start")
    deadline = try reader.takeDeadline()
    decided = try reader.takeSigned()
    evidence = try EventEntry(slot: slot, generation: generation, reading: &reader)
    guard start != .min, deadline > start else { throw Damage("a candidate of a rule ends before it begins") }
  }
}

extension Tracker {
  /// Restores the saved state of a rule.
  @_optimize(size)
  mutating func restoreRule(_ slot: UInt32, _ observed: Observed, _ row: RuleRow?, _ table: ConditionTable)
    throws(Damage)
  {
    guard let rules = table.rules, table.kind(of: slot).isRule else {
      if row != nil { throw Damage("a condition that is not a rule has the state of a rule") }
      return
    }
    let states = known.ownRules(rules.nameBound)
    let name = rules.name(of: slot)
    states.cells[Int(name)].observed = observed
    guard let row else { return }
    states.cells[Int(name)].isWithoutEvidence = row.isWithoutEvidence
    if row.isPending { states.setPending(name) }
    guard let candidate = row.candidate else { return }
    guard observed != .undetermined else { throw Damage("an undetermined rule has a candidate") }
    states.open(candidate, name)
  }
}
