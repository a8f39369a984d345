import CFencepost
import FencepostCore

extension ConditionsHandle {
  /// Adds a circle or a beacon identity.
  func add(
    _ identifier: UnsafePointer<CChar>?, _ options: UnsafePointer<fencepost_condition_definition>?,
    _ given: () throws(BoundaryError) -> GivenCondition
  ) throws(BoundaryError) {
    let bytes = Boundary.identifier(try Boundary.require(identifier, "identifier"))
    let options = try AddOptions(options, assuming: assuming)
    let given = try given()
    func add(_ holder: inout some ConditionHolder) throws(MonitorError) {
      try holder.add(
        given, identifierBytes: bytes, assuming: options.assuming, policy: options.policy, tag: options.tag,
        timing: options.timing, band: options.band)
    }
    try change(add, add)
  }

  /// Reads and checks rows without the lock, because examining a shape may take a long time.
  func set(_ count: Int, _ row: (Int) throws(BoundaryError) -> GivenRow) throws(BoundaryError) -> ConditionSet {
    var set = ConditionSet()
    set.reserve(count)
    for index in 0..<count {
      do throws(BoundaryError) {
        try append(try row(index), to: &set)
      } catch {
        throw error.inRow(index)
      }
    }
    return set
  }

  /// Calls are not inlined, because the library contains a copy of `set` for each kind of row.
  @inline(never)
  private func append(_ row: GivenRow, to set: inout ConditionSet) throws(BoundaryError) {
    try refusedByEngine { () throws(MonitorError) in
      try set.append(
        row.given, identifier: row.identifier, assuming: row.options.assuming, policy: row.options.policy,
        tag: row.options.tag, timing: row.options.timing, band: row.options.band, known: known)
    }
  }

  private func set(
    _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int
  ) throws(BoundaryError) -> ConditionSet {
    let first = try Boundary.require(definitions, count: count, "definitions")
    return try set(count, DefinitionRows(first, count: count, assuming: assuming).row)
  }

  func add(
    _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int
  ) throws(BoundaryError) {
    do throws(BoundaryError) {
      _ = try add(try set(definitions, count))
    } catch {
      throw count == 1 ? error.ofSingleRow : error
    }
  }

  func add(_ set: ConditionSet) throws(BoundaryError) -> SyncResult {
    func add(_ holder: inout some ConditionHolder) throws(MonitorError) -> SyncResult {
      let before = holder.table.count
      try holder.add(set)
      return SyncResult(ofAdding: set.count, newly: holder.table.count - before)
    }
    return try change(add, add)
  }

  func ensure(
    _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
    _ out_result: UnsafeMutablePointer<fencepost_sync_result>?
  ) throws(BoundaryError) {
    do throws(BoundaryError) {
      let result = try ensure(try set(definitions, count))
      out_result?.pointee = fencepost_sync_result(result)
    } catch {
      throw count == 1 ? error.ofSingleRow : error
    }
  }

  func ensure(_ set: ConditionSet) throws(BoundaryError) -> SyncResult {
    // A call that changes nothing must not make a fleet wait.
    func isEnsured(_ holder: some ConditionHolder) throws(MonitorError) -> Bool { try holder.isEnsured(set) }
    func ensure(_ holder: inout some ConditionHolder) throws(MonitorError) -> SyncResult { try holder.ensure(set) }
    return try check(isEnsured, isEnsured) ? SyncResult(kept: set.count) : change(ensure, ensure)
  }

  func sync(
    _ definitions: UnsafePointer<fencepost_condition_definition>?, _ count: Int,
    _ out_result: UnsafeMutablePointer<fencepost_sync_result>?
  ) throws(BoundaryError) {
    let set = try set(definitions, count)
    func isSynced(_ holder: some ConditionHolder) throws(MonitorError) -> Bool { try holder.isSynced(set) }
    func sync(_ holder: inout some ConditionHolder) throws(MonitorError) -> SyncResult { try holder.sync(set) }
    let result = try check(isSynced, isSynced) ? SyncResult(kept: set.count) : change(sync, sync)
    out_result?.pointee = fencepost_sync_result(result)
  }

  /// The subject that the condition with the given identifier has now. A row with an equal subject is not examined
  /// again.
  func known(_ identifier: UnsafeBufferPointer<UInt8>) -> Definition.Subject? {
    // If the table or monitor cannot be read here, the change that follows fails for the same reason and reports it.
    (try? read { table in table.subject(ofIdentifierBytes: identifier) }) ?? nil
  }

  func remove(
    _ identifiers: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int, _ out_removed: UnsafeMutablePointer<Int>?
  ) throws(BoundaryError) {
    var removed = 0
    if let identifiers = try Boundary.require(identifiers, count: count, "identifiers"), count > 0 {
      var texts: ContiguousArray<UnsafeBufferPointer<UInt8>> = []
      for row in 0..<count { texts.append(try Boundary.identifier(identifiers[row], row: row)) }
      func remove(_ holder: inout some ConditionHolder) throws(MonitorError) -> Int {
        try holder.remove(identifiersAsBytes: texts)
      }
      removed = try change(remove, remove)
    }
    out_removed?.pointee = removed
  }
}
