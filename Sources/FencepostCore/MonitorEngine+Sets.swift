/// Many conditions in one call: checked as a whole first, then applied, so that a storage makes them last in one
/// transaction.
extension MonitorEngine {
  /// Removes many conditions, as ``remove(_:)-(String)`` does one.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public mutating func remove(_ identifiers: some Sequence<String>) -> Int {
    identifiers.reduce(0) { count, identifier in remove(identifier) ? count + 1 : count }
  }

  /// The identifiers of the conditions that the detector believes to be in that state now, in add order. See
  /// ``state(of:)-(String)``.
  public func identifiers(in state: Event.State) -> [String] {
    table.live.lazy.filter { self.state(of: $0) == state }.map { table.identifiers.string(of: $0) }
  }

  // MARK: - For faces that have no String

  /// The kind of a live slot.
  package func kind(of slot: UInt32) -> ConditionKind { table.kind(of: slot) }

  /// What the condition of a live slot is about.
  package func subject(of slot: UInt32) -> Definition.Subject { table.subject(of: slot) }

  /// Removes the conditions with those bytes as identifiers. All or nothing.
  package mutating func remove(
    identifiersAsBytes identifiers: ContiguousArray<UnsafeBufferPointer<UInt8>>
  ) throws(MonitorError) -> Int {
    for (row, identifier) in identifiers.enumerated() {
      if let defect = Self.defect(ofIdentifier: identifier) { throw .invalidArgument(defect).inRow(row) }
    }
    var removed = 0
    for identifier in identifiers {
      guard let slot = table.identifiers.slot(of: identifier) else { continue }
      remove(slot)
      removed += 1
    }
    return removed
  }

  /// Adds rows, each in place of a condition with its identifier. See ``add(_:identifier:assuming:policy:tag:)``.
  package mutating func add(_ set: borrowing ConditionSet) throws(MonitorError) {
    try set.check(with: self)
    reserveInBulk(set.count, identifierBytes: 0)
    set.forEach { _, identifier, definition in enter(definition, identifier: identifier) }
  }

  /// Whether ensuring rows would change nothing.
  ///
  /// - Throws: What ensuring them throws.
  package func isEnsured(_ set: borrowing ConditionSet) throws(MonitorError) -> Bool {
    try set.check(with: self)
    return set.allSatisfy { identifier, definition in isEnsured(definition, identifier) }
  }

  /// Whether making the conditions exactly these rows would change nothing.
  ///
  /// - Throws: What ``sync(_:)`` throws.
  package func isSynced(_ set: borrowing ConditionSet) throws(MonitorError) -> Bool {
    _ = try set.identifiers()
    return try isEnsured(set) && conditionCount == set.count
  }

  /// Ensures rows. See ``ensure(_:)``.
  package mutating func ensure(_ set: borrowing ConditionSet) throws(MonitorError) -> SyncResult {
    try set.check(with: self)
    var result = SyncResult()
    set.forEach { _, identifier, definition in
      if let slot = table.identifiers.slot(of: identifier) {
        guard !table.definition(of: slot).isNearlyEqual(to: definition) else {
          result.kept += 1
          return
        }
        result.replaced += 1
      } else {
        result.added += 1
      }
      enter(definition, identifier: identifier)
    }
    return result
  }

  /// Makes the conditions exactly these rows. See ``sync(_:)``.
  package mutating func sync(_ set: borrowing ConditionSet) throws(MonitorError) -> SyncResult {
    let identifiers = try set.identifiers()
    try set.check(with: self)
    let others = table.live.filter { slot in
      table.identifiers.withBytes(of: slot) { identifiers.slot(of: $0) } == nil
    }
    for slot in others { remove(slot) }
    var result = try ensure(set)
    result.removed = others.count
    return result
  }
}
