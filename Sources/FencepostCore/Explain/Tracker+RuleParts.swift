extension Tracker {
  /// The parts of a rule, each with its state as the rule counts it.
  @_optimize(size)
  func parts(of slot: UInt32, _ table: ConditionTable) -> [Explanation.Part] {
    guard let rules = table.rules else { return [] }
    let name = rules.name(of: slot)
    var parts: [Explanation.Part] = []
    for index in 0..<rules.partCount(of: name) {
      let part = rules.part(index, of: name)
      let slot = rules.slot(of: part)
      let isMissing = slot == RuleBook.none
      parts.append(
        Explanation.Part(
          identifier: rules.identifier(of: part), state: isMissing ? .unknown : counted(slot, table),
          generation: isMissing ? nil : table.generation(of: slot)))
    }
    return parts
  }
}
