/// A table of conditions that a caller may change: a table that fleets share, or the table of a monitor, whose device
/// and events follow each change immediately.
package protocol ConditionHolder {
  var table: ConditionTable { get }

  /// Returns the reason, as a message, why the holder refuses an otherwise valid condition; `nil` if it accepts the
  /// condition.
  func defect(of definition: Definition) -> String?

  /// Whether the conditions are being made equal to a set. Until that has ended, rules are not looked at.
  mutating func setSyncing(_ isSyncing: Bool)

  /// Returns whether a definition is nearly equal to the condition with the identifier; `nil` if no condition has the
  /// identifier.
  func compare(_ definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> Bool?

  mutating func reserve(_ count: Int, identifierBytes: Int)

  /// Adds a valid condition. If a condition with the identifier exists, it is replaced.
  mutating func enter(_ definition: Definition, identifier: UnsafeBufferPointer<UInt8>)

  /// Takes over another schedule of a condition that stays.
  mutating func retime(_ slot: UInt32, _ timing: ConditionTiming)

  /// Removes the condition of a live slot.
  mutating func remove(_ slot: UInt32)
}

extension ConditionHolder {
  private func check(
    _ definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>
  ) throws(MonitorError) {
    if let defect = defect(of: definition) ?? table.ruleDefect(of: definition, identifier) {
      throw .invalidArgument(defect)
    }
  }

  /// Returns a definition with a validated subject. Throws if the holder refuses the condition.
  private func define(
    _ subject: Definition.Subject, _ identifier: UnsafeBufferPointer<UInt8>, _ assumed: Event.State,
    _ policy: TransitionPolicy, _ tag: UInt64, _ timing: ConditionTiming, _ band: AltitudeBand
  ) throws(MonitorError) -> Definition {
    try Definition.check(identifier, assumed, policy)
    if let defect = timing.defect(for: subject.kind) ?? band.defect(for: subject.kind) {
      throw .invalidArgument(defect)
    }
    let definition = Definition(
      subject: subject, policy: policy, tag: tag, assumed: assumed, timing: timing, band: band)
    try check(definition, identifier)
    return definition
  }

  /// Whether ensuring a definition would change nothing, not even the schedule.
  private func isKept(_ definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> Bool {
    compare(definition, identifier) == true && table.slotToRetime(definition, identifier) == nil
  }

  @inline(never)
  private func isKept(_ set: borrowing ConditionSet) -> Bool {
    set.allSatisfy { identifier, definition in isKept(definition, identifier) }
  }

  /// Takes over the schedule of a definition, whose condition stays.
  private mutating func takeSchedule(of definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) {
    if let slot = table.slotToRetime(definition, identifier) { retime(slot, definition.timing) }
  }

  /// Adds a condition with an identifier as UTF-8 bytes.
  package mutating func add(
    _ given: GivenCondition, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) {
    try Definition.check(bytes, assuming, policy)
    try add(
      try given.subject(), identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag, timing: timing,
      band: band)
  }

  /// Adds a condition with a validated subject. Validation may take seconds, so a caller does it before it takes a
  /// lock.
  package mutating func add(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) {
    enter(try define(subject, bytes, assuming, policy, tag, timing, band), identifier: bytes)
  }

  /// Returns whether ensuring a condition with a validated subject would change nothing.
  ///
  /// - Throws: The same errors as ensuring it.
  package func isEnsured(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) -> Bool {
    isKept(try define(subject, bytes, assuming, policy, tag, timing, band), bytes)
  }

  /// Ensures a condition. If the existing condition has exactly the same subject, the subject is not validated again.
  ///
  /// - Returns: Whether the condition was added or replaced.
  package mutating func ensure(
    _ given: GivenCondition, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) -> Bool {
    try Definition.check(bytes, assuming, policy)
    let subject = try given.subject { table.subject(ofIdentifierBytes: bytes) }
    return try ensure(
      subject, identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag, timing: timing, band: band)
  }

  /// Ensures a condition with a validated subject: adds or replaces it, unless a nearly equal condition exists.
  ///
  /// - Returns: Whether the condition was added or replaced.
  package mutating func ensure(
    _ subject: Definition.Subject, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) -> Bool {
    let definition = try define(subject, bytes, assuming, policy, tag, timing, band)
    if compare(definition, bytes) == true {
      takeSchedule(of: definition, bytes)
      return false
    }
    enter(definition, identifier: bytes)
    return true
  }

  /// Removes the condition with an identifier as UTF-8 bytes.
  ///
  /// - Returns: Whether a condition had the identifier.
  package mutating func remove(identifierBytes bytes: UnsafeBufferPointer<UInt8>) throws(MonitorError) -> Bool {
    if let defect = Definition.defect(ofIdentifier: bytes) { throw .invalidArgument(defect) }
    guard let slot = table.identifiers.slot(of: bytes) else { return false }
    remove(slot)
    return true
  }

  // MARK: - Bulk changes: all rows are checked before the first one is applied

  /// The number of conditions up to which no memory is reserved first. Arrays grow by doubling, so that they also have
  /// room for the next conditions.
  private static var fewToAdd: Int { 1_000 }

  /// Reserves memory before many conditions are added in one call.
  private mutating func reserveInBulk(_ count: Int, identifierBytes: Int) {
    if count > Self.fewToAdd { reserve(count, identifierBytes: identifierBytes) }
  }

  /// Adds circles from columns, in order. If a row is refused, no circle is added, and the position of the error is the
  /// index of the row.
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

  /// Removes the conditions with identifiers as UTF-8 bytes. If an identifier is invalid, no condition is removed.
  ///
  /// - Returns: The number of removed conditions.
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

  /// Throws if the holder refuses a row of the set. Only lines and conditions with a timing or a band can be
  /// refused.
  ///
  /// - Parameter isWhole: Whether the table will have no other conditions.
  @inline(never)
  private func check(_ set: borrowing ConditionSet, isWhole: Bool = false) throws(MonitorError) {
    try set.forEachSpecial { row, definition throws(MonitorError) in
      if let defect = defect(of: definition) { throw .invalidArgument(defect).inRow(row) }
    }
    try table.checkRules(set, isWhole: isWhole)
  }

  /// Adds the rows in order. A row replaces the condition with its identifier, if there is one.
  package mutating func add(_ set: borrowing ConditionSet) throws(MonitorError) {
    try check(set)
    reserveInBulk(set.count, identifierBytes: 0)
    set.forEach { _, identifier, definition in enter(definition, identifier: identifier) }
  }

  /// Returns whether ensuring the rows would change nothing.
  ///
  /// - Throws: The same errors as ensuring them.
  package func isEnsured(_ set: borrowing ConditionSet) throws(MonitorError) -> Bool {
    try check(set)
    return isKept(set)
  }

  /// Returns whether ``sync(_:)`` with these rows would change nothing.
  ///
  /// - Throws: The errors of ``sync(_:)``.
  package func isSynced(_ set: borrowing ConditionSet) throws(MonitorError) -> Bool {
    _ = try set.identifiers()
    try check(set, isWhole: true)
    return table.count == set.count && isKept(set)
  }

  /// Ensures the rows, in order.
  package mutating func ensure(_ set: borrowing ConditionSet) throws(MonitorError) -> SyncResult {
    try check(set)
    return ensureChecked(set)
  }

  @inline(never)
  private mutating func ensureChecked(_ set: borrowing ConditionSet) -> SyncResult {
    var result = SyncResult()
    set.forEach { _, identifier, definition in
      switch compare(definition, identifier) {
      case true?:
        takeSchedule(of: definition, identifier)
        result.kept += 1
        return
      case false?: result.replaced += 1
      case nil: result.added += 1
      }
      enter(definition, identifier: identifier)
    }
    return result
  }

  /// Makes the conditions equal to these rows: removes all other conditions, in add order, then ensures the rows, in
  /// order.
  package mutating func sync(_ set: borrowing ConditionSet) throws(MonitorError) -> SyncResult {
    let identifiers = try set.identifiers()
    try check(set, isWhole: true)
    setSyncing(true)
    let others = table.slots(without: identifiers)
    for slot in others { remove(slot) }
    var result = ensureChecked(set)
    setSyncing(false)
    result.removed = others.count
    return result
  }
}

/// The numbers of conditions that a bulk change added, replaced, kept and removed.
public struct SyncResult: Sendable, Hashable {
  /// The number of rows with a new identifier.
  public var added = 0
  /// The number of rows that replaced a different condition with the same identifier. The condition gets a new record
  /// and a new generation, and the waiting events of the replaced condition are dropped.
  public var replaced = 0
  /// The number of rows that are nearly equal to the existing condition, which stays unchanged.
  public var kept = 0
  /// The number of conditions that were removed because the set does not contain them.
  public var removed = 0

  public init() {}

  /// The result of a set that changed nothing.
  package init(kept: Int) { self.kept = kept }

  /// The number of conditions that were added, replaced or removed.
  public var changed: Int { added + replaced + removed }
}
