/// A table of conditions that a caller may change: one that fleets share, or that of a monitor, whose device and events follow
/// each change at once.
package protocol ConditionHolder {
  var table: ConditionTable { get }

  /// Why the holder refuses a condition that is valid by itself, as a message; `nil` if it accepts the condition.
  func defect(of definition: Definition) -> String?

  /// Whether a definition is nearly equal to the condition that has the identifier; `nil` if no condition has it.
  func compare(_ definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> Bool?

  mutating func reserve(_ count: Int, identifierBytes: Int)

  /// Enters a valid condition, in place of one with that identifier.
  mutating func enter(_ definition: Definition, identifier: UnsafeBufferPointer<UInt8>)

  /// Removes the condition of a live slot.
  mutating func remove(_ slot: UInt32)
}

extension ConditionHolder {
  private func check(_ definition: Definition) throws(MonitorError) {
    if let defect = defect(of: definition) { throw .invalidArgument(defect) }
  }

  /// A definition with a validated subject; refuses what the holder cannot watch.
  private func define(
    _ subject: Definition.Subject, _ identifier: UnsafeBufferPointer<UInt8>, _ assumed: Event.State,
    _ policy: TransitionPolicy, _ tag: UInt64
  ) throws(MonitorError) -> Definition {
    try Definition.check(identifier, assumed, policy)
    let definition = Definition(subject: subject, policy: policy, tag: tag, assumed: assumed)
    try check(definition)
    return definition
  }

  /// Adds a condition with an identifier as UTF-8 bytes.
  package mutating func add(
    _ given: GivenCondition, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) {
    try Definition.check(bytes, assuming, policy)
    try add(try given.subject(), identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag)
  }

  /// Adds a condition with a validated subject: validating may take seconds and needs no lock.
  package mutating func add(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) {
    enter(try define(subject, bytes, assuming, policy, tag), identifier: bytes)
  }

  /// Whether ensuring a condition with a validated subject would change nothing.
  ///
  /// - Throws: The errors of ensuring it.
  package func isEnsured(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) -> Bool {
    compare(try define(subject, bytes, assuming, policy, tag), bytes) ?? false
  }

  /// Ensures a condition; a subject that is equal to the last bit is not validated again.
  package mutating func ensure(
    _ given: GivenCondition, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) -> Bool {
    try Definition.check(bytes, assuming, policy)
    let subject = try given.subject { table.subject(ofIdentifierBytes: bytes) }
    return try ensure(subject, identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag)
  }

  /// Ensures a condition with a validated subject.
  package mutating func ensure(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64
  ) throws(MonitorError) -> Bool {
    let definition = try define(subject, bytes, assuming, policy, tag)
    if compare(definition, bytes) == true { return false }
    enter(definition, identifier: bytes)
    return true
  }

  /// Removes the condition with an identifier as UTF-8 bytes.
  ///
  /// - Returns: Whether there was one.
  package mutating func remove(identifierBytes bytes: UnsafeBufferPointer<UInt8>) throws(MonitorError) -> Bool {
    if let defect = Definition.defect(ofIdentifier: bytes) { throw .invalidArgument(defect) }
    guard let slot = table.identifiers.slot(of: bytes) else { return false }
    remove(slot)
    return true
  }

  // MARK: - Many conditions in one call: checked as a whole first, then applied, so that a storage saves them in one transaction

  /// So few conditions are added without reserving memory first: arrays that grow double, and so are ready for the next ones
  /// too.
  private static var fewToAdd: Int { 1_000 }

  /// Reserves memory before many conditions are added at a time.
  private mutating func reserveInBulk(_ count: Int, identifierBytes: Int) {
    if count > Self.fewToAdd { reserve(count, identifierBytes: identifierBytes) }
  }

  /// Adds circles from columns, in order. All or nothing: if a row is refused, none is added and the error's position is its
  /// index.
  ///
  /// - Parameter identifier: Returns the bytes of a row's identifier.
  package mutating func addCircles(
    count: Int, latitudes: UnsafePointer<Double>, longitudes: UnsafePointer<Double>, radii: UnsafePointer<Double>,
    tags: UnsafePointer<UInt64>?, tag: UInt64, assuming: Event.State, policy: TransitionPolicy,
    identifier: (Int) -> UnsafeBufferPointer<UInt8>
  ) throws(MonitorError) {
    func circle(_ row: Int) -> CircularGeographicCondition {
      CircularGeographicCondition(
        center: Coordinate(latitude: latitudes[row], longitude: longitudes[row]), radius: radii[row])
    }
    if let defect = policy.defect ?? Definition.defect(ofAssumption: assuming) { throw .invalidArgument(defect) }
    var bytes = 0
    for row in 0..<count {
      if let defect = Definition.defect(ofIdentifier: identifier(row)) ?? circle(row).defect {
        throw .invalidArgument("row \(row): \(defect)", position: row)
      }
      bytes += identifier(row).count
    }
    reserveInBulk(count, identifierBytes: bytes)
    for row in 0..<count {
      enter(
        Definition(subject: .circle(circle(row)), policy: policy, tag: tags?[row] ?? tag, assumed: assuming),
        identifier: identifier(row))
    }
  }

  /// Removes the conditions with identifiers as UTF-8 bytes. All or nothing.
  ///
  /// - Returns: How many there were.
  package mutating func remove(
    identifiersAsBytes identifiers: ContiguousArray<UnsafeBufferPointer<UInt8>>
  ) throws(MonitorError) -> Int {
    for (row, identifier) in identifiers.enumerated() {
      if let defect = Definition.defect(ofIdentifier: identifier) { throw .invalidArgument(defect).inRow(row) }
    }
    var removed = 0
    for identifier in identifiers where try remove(identifierBytes: identifier) { removed += 1 }
    return removed
  }

  /// Refuses a set with a row that the holder cannot watch.
  private func check(_ set: borrowing ConditionSet) throws(MonitorError) {
    try set.forEachLine { row, definition throws(MonitorError) in
      if let defect = defect(of: definition) { throw .invalidArgument(defect).inRow(row) }
    }
  }

  /// Adds rows, each in place of a condition with its identifier.
  package mutating func add(_ set: borrowing ConditionSet) throws(MonitorError) {
    try check(set)
    reserveInBulk(set.count, identifierBytes: 0)
    set.forEach { _, identifier, definition in enter(definition, identifier: identifier) }
  }

  /// Whether ensuring rows would change nothing.
  ///
  /// - Throws: The errors of ensuring them.
  package func isEnsured(_ set: borrowing ConditionSet) throws(MonitorError) -> Bool {
    try check(set)
    return set.allSatisfy { identifier, definition in compare(definition, identifier) ?? false }
  }

  /// Whether making the conditions exactly these rows would change nothing.
  ///
  /// - Throws: The errors of ``sync(_:)``.
  package func isSynced(_ set: borrowing ConditionSet) throws(MonitorError) -> Bool {
    _ = try set.identifiers()
    return try isEnsured(set) && table.count == set.count
  }

  /// Ensures rows, in order.
  package mutating func ensure(_ set: borrowing ConditionSet) throws(MonitorError) -> SyncResult {
    try check(set)
    var result = SyncResult()
    set.forEach { _, identifier, definition in
      switch compare(definition, identifier) {
      case true?:
        result.kept += 1
        return
      case false?: result.replaced += 1
      case nil: result.added += 1
      }
      enter(definition, identifier: identifier)
    }
    return result
  }

  /// Makes the conditions exactly these rows: removes all others, in add order, then ensures each of these, in order.
  package mutating func sync(_ set: borrowing ConditionSet) throws(MonitorError) -> SyncResult {
    let identifiers = try set.identifiers()
    try check(set)
    let others = table.slots(without: identifiers)
    for slot in others { remove(slot) }
    var result = try ensure(set)
    result.removed = others.count
    return result
  }
}

/// What became of the conditions of a set.
public struct SyncResult: Sendable, Hashable {
  /// No condition had the identifier.
  public var added = 0
  /// A condition that differs had the identifier: new record, new generation, its waiting events are dropped.
  public var replaced = 0
  /// An equal condition was there: nothing happened to it.
  public var kept = 0
  /// It was not in the set.
  public var removed = 0

  public init() {}

  /// The result of a set that changed nothing.
  package init(kept: Int) { self.kept = kept }

  /// How many were not left alone.
  public var changed: Int { added + replaced + removed }
}
