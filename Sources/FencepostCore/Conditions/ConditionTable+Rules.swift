import FencepostKernel

/// The checks that concern more than one condition.
extension ConditionTable {
  /// Returns the reason why the rules of the table refuse a condition, as a message; `nil` if they accept it.
  @inline(__always)
  package func ruleDefect(of definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> String? {
    // The call of a function that is not inlined copies the table, so most conditions must not reach it.
    let kind = definition.subject.kind
    return kind.isRule || (rules != nil && (kind.isLine || kind.isBeacon))
      ? foundDefect(of: definition, identifier) : nil
  }

  @inline(never) @_optimize(size)
  private func foundDefect(of definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> String? {
    guard case .rule(let rule) = definition.subject else {
      return isRefused(definition.subject.kind) ? Self.partDefect(identifier, definition.subject.kind, rules) : nil
    }
    if let defect = Self.policyDefect(definition) { return defect }
    for index in 0..<rule.partCount {
      if let slot = rule.find(index, in: identifiers), isRefused(kind(of: slot)) {
        return Self.partDefect(index, kind(of: slot))
      }
    }
    return rules?.defect(of: rule, identifier) ?? RuleBook().defect(of: rule, identifier)
  }

  private static func policyDefect(_ definition: Definition) -> String? {
    definition.policy.dwellPolicy == .timer
      ? nil : "dwell_policy is evidence, but a rule has no fixes; must be timer"
  }

  /// Whether a condition of a kind cannot be the part of a rule.
  private func isRefused(_ kind: ConditionKind) -> Bool { kind.isLine || (isShared && kind.isBeacon) }

  @inline(never) @_optimize(size)
  private static func partDefect(_ part: Int, _ kind: ConditionKind) -> String {
    kind.isLine
      ? "gate: part \(part) is a line geographic condition, which has no state; leave it out"
      : "beacon: part \(part) is a beacon condition, which a rule of a shared table cannot have; leave it out"
  }

  /// Returns the reason why a line, or a beacon condition of a shared table, must not have an identifier.
  @inline(never) @_optimize(size)
  private static func partDefect(
    _ identifier: UnsafeBufferPointer<UInt8>, _ kind: ConditionKind, _ rules: RuleBook?
  ) -> String? {
    guard let rules, let name = rules.name(of: identifier), rules.containerCount(of: name) > 0 else { return nil }
    let container = rules.identifier(of: rules.container(0, of: name))
    return (kind.isLine ? "gate" : "beacon") + ": the rule \"" + container + "\" has this condition as a part, and "
      + (kind.isLine ? "a line has no state" : "rules of a shared table have no beacon conditions")
      + "; use another identifier"
  }

  /// The reason why devices of fleets cannot share the table because of its rules, as a message.
  @inline(never) @_optimize(size)
  var sharedRuleDefect: String? {
    guard let rules else { return nil }
    for slot in live where kind(of: slot).isBeacon {
      let defect = identifiers.withBytes(of: slot) { Self.partDefect($0, .beaconIdentity, rules) }
      if let defect { return defect }
    }
    return nil
  }

  /// Checks the rules that there will be after all rows of a set are entered.
  ///
  /// - Parameter isWhole: Whether the table will have no other conditions.
  @inline(never) @_optimize(size)
  func checkRules(_ set: borrowing ConditionSet, isWhole: Bool) throws(MonitorError) {
    guard set.hasRules || (rules != nil && (set.hasSpecial || isShared)) else { return }
    // The check of several rows copies the book of rules.
    guard isWhole || set.count > 1 else {
      return try set.forEach { row, identifier, definition throws(MonitorError) in
        if let defect = ruleDefect(of: definition, identifier) { throw .invalidArgument(defect).inRow(row) }
      }
    }
    // The first row of each identifier, and the kind of the last one.
    var rowOf = IdentifierTable()
    var kinds = ContiguousArray(repeating: ConditionKind.rule, count: set.count)
    set.forEach { row, identifier, definition in
      kinds[Int(rowOf.slot(of: identifier, orNew: UInt32(row)))] = definition.subject.kind
    }
    let trial = isWhole ? RuleBook() : rules.map { RuleBook(copying: $0) } ?? RuleBook()
    var slot = UInt32(self.rows.count)
    try set.forEach { row, identifier, definition throws(MonitorError) in
      if let known = trial.name(of: identifier).map({ trial.slot(of: $0) }), known != RuleBook.none {
        trial.leave(known)
      }
      var defect: String?
      if case .rule(let rule) = definition.subject {
        defect = Self.policyDefect(definition)
        for index in 0..<rule.partCount where defect == nil {
          var kind: ConditionKind?
          if let other = rule.find(index, in: rowOf) {
            kind = kinds[Int(other)]
          } else if !isWhole, let slot = rule.find(index, in: identifiers) {
            kind = self.kind(of: slot)
          }
          if let kind, isRefused(kind) { defect = Self.partDefect(index, kind) }
        }
        defect = defect ?? trial.defect(of: rule, identifier)
        if defect == nil { trial.enter(slot, identifier, rule, IdentifierTable()) }
        slot += 1
      } else if isRefused(definition.subject.kind) {
        defect = Self.partDefect(identifier, definition.subject.kind, trial)
      }
      if let defect { throw .invalidArgument(defect).inRow(row) }
    }
  }
}
