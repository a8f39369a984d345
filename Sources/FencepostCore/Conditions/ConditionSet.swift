/// Validated copies of rows. The caller cannot change them, and applying them cannot fail after the holder has accepted
/// the lines.
package struct ConditionSet: Sendable {
  private struct Row {
    var definition: Definition
    var end: Int
  }

  private var rows: ContiguousArray<Row> = []
  private var bytes: ContiguousArray<UInt8> = []
  /// The indices of the rows that are lines or rules, or have a timing or a band, because not every holder accepts them.
  private var special: ContiguousArray<Int> = []
  private(set) var hasRules = false
  /// Whether a row is a line, a rule, or a condition with a timing or a band.
  var hasSpecial: Bool { !special.isEmpty }

  package init() {}

  package var count: Int { rows.count }

  package mutating func reserve(_ rows: Int) {
    let count = min(rows, 1_000_000)
    self.rows.reserveCapacity(count)
    bytes.reserveCapacity(count * 16)
  }

  /// Appends a row.
  ///
  /// - Parameter known: Returns the subject of the condition that has the row's identifier. A shape that is exactly
  ///   equal to it is not validated again.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose position is the row.
  package mutating func append(
    _ given: GivenCondition, identifier: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none,
    known: (UnsafeBufferPointer<UInt8>) -> Definition.Subject?
  ) throws(MonitorError) {
    let row = rows.count
    let definition: Definition
    do throws(MonitorError) {
      if let defect = Definition.defect(ofIdentifier: identifier) ?? Definition.defect(ofAssumption: assuming)
        ?? policy.defect
      {
        throw .invalidArgument(defect)
      }
      let subject = try given.subject { known(identifier) }
      if let defect = timing.defect(for: subject.kind) ?? band.defect(for: subject.kind) {
        throw .invalidArgument(defect)
      }
      definition = Definition(
        subject: subject, policy: policy, tag: tag, assumed: assuming, timing: timing, band: band)
    } catch {
      throw error.inRow(row)
    }
    let kind = definition.subject.kind
    if kind.isLine || kind.isRule || !definition.timing.isNone || !band.isNone { special.append(row) }
    if kind.isRule { hasRules = true }
    bytes.append(contentsOf: identifier)
    rows.append(Row(definition: definition, end: bytes.count))
  }

  /// Calls `body` with each row that a holder may refuse: a line, a rule, or a condition with a timing or a band.
  func forEachSpecial<Failure>(_ body: (Int, Definition) throws(Failure) -> Void) throws(Failure) {
    for row in special { try body(row, rows[row].definition) }
  }

  /// Calls `body` with each row in order.
  func forEach<Failure>(
    _ body: (Int, UnsafeBufferPointer<UInt8>, Definition) throws(Failure) -> Void
  ) throws(Failure) {
    try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
      var start = 0
      for index in rows.indices {
        let row = rows[index]
        try body(index, UnsafeBufferPointer(rebasing: bytes[start..<row.end]), row.definition)
        start = row.end
      }
    }
  }

  /// Whether all rows satisfy the predicate.
  func allSatisfy(_ predicate: (UnsafeBufferPointer<UInt8>, Definition) -> Bool) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      for row in rows {
        guard predicate(UnsafeBufferPointer(rebasing: bytes[start..<row.end]), row.definition) else { return false }
        start = row.end
      }
      return true
    }
  }

  /// Returns the identifiers, each with the index of its row as slot.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if two rows have the same identifier.
  @_optimize(size)
  func identifiers() throws(MonitorError) -> IdentifierTable {
    var table = IdentifierTable()
    table.reserve(count, bytes: bytes.count)
    try forEach { (row, identifier, _) throws(MonitorError) in
      if let first = table.slot(of: identifier) {
        throw .invalidArgument(
          "row \(row): the identifier \"\(String(decoding: identifier, as: UTF8.self))\" is also that of row \(first)",
          position: row)
      }
      table.insert(identifier, slot: UInt32(row))
    }
    return table
  }
}

extension MonitorError {
  /// Returns an invalid-argument error with the row in its message and position. Other errors, and an error whose
  /// message already names the row, are returned unchanged.
  @_optimize(size)
  package func inRow(_ row: Int) -> MonitorError {
    switch self {
    case .invalidArgument(let reason, _) where !reason.beginsWithBytes(of: "row \(row): "):
      .invalidArgument("row \(row): \(reason)", position: row)
    default: self
    }
  }
}
