extension Conditions {
  /// A table of conditions.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row.
  public convenience init(_ conditions: some Sequence<NamedCondition>) throws(MonitorError) {
    self.init()
    try ensure(conditions)
  }

  /// Adds a condition, or replaces the condition with the same identifier.
  ///
  /// - Parameter assuming: The state that a device is assumed to have before its first fix. With any assumed state
  ///   except `unsatisfied`, each device produces an event for the condition, wherever the device is.
  /// - Parameter timing: When the condition is active, and which of its events depend on time alone. Only shapes and
  ///   rules have a timing, and each fleet over the table must have path `fixes`, delivery `every`, and no host
  ///   capabilities.
  /// - Parameter band: The altitudes between which the shape reaches. Fixes then need a ``FixHeight``.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``; the table is then unchanged.
  /// - Complexity: O(1) on average, independent of the number of devices.
  public func add(
    _ condition: any Condition, identifier: String, assuming: Event.State = .unsatisfied,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) {
    // Examine the shape first, because this may take seconds and no fleet has to wait for it.
    let subject = try GivenCondition(condition).subject()
    try ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
      try change { table throws(MonitorError) in
        try table.add(
          subject, identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag, timing: timing, band: band)
      }
    }
  }

  /// Adds a condition unless an equal condition with the same identifier exists; the assumed state is not compared.
  ///
  /// A condition with another schedule is another condition: it is replaced.
  ///
  /// - Returns: Whether the condition was added or replaced.
  /// - Throws: The same errors as ``add(_:identifier:assuming:policy:tag:timing:band:)``.
  @discardableResult
  public func ensure(
    _ condition: any Condition, identifier: String, assuming: Event.State = .unsatisfied,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) -> Bool {
    try ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
      try Definition.check(bytes, assuming, policy)
      let subject = try GivenCondition(condition).subject { known(bytes) }
      // If the call changes nothing, the fleets that use this table must not wait for it.
      let isEnsured = try read { table throws(MonitorError) in
        try table.isEnsured(
          subject, identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag, timing: timing, band: band)
      }
      if isEnsured { return false }
      return try change { table throws(MonitorError) in
        try table.ensure(
          subject, identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag, timing: timing, band: band)
      }
    }
  }

  /// Calls `ensure` for each of many conditions, in order. All or nothing.
  ///
  /// The assumed state of a ``NamedCondition`` is `unknown` by default; for a fleet's table, choose `unsatisfied`.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row; the table is
  ///   then unchanged.
  @discardableResult
  public func ensure(_ conditions: some Sequence<NamedCondition>) throws(MonitorError) -> SyncResult {
    let set = try ConditionSet(conditions, known: known)
    if try readLong({ table throws(MonitorError) in try table.isEnsured(set) }) { return SyncResult(kept: set.count) }
    return try change { table throws(MonitorError) in try table.ensure(set) }
  }

  /// Makes the set of conditions equal to the given set: removes all other conditions. All or nothing. See
  /// ``MonitorEngine/sync(_:)``.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row; this error is
  /// also thrown when two rows have the same identifier; the table is then unchanged.
  @discardableResult
  public func sync(_ conditions: some Sequence<NamedCondition>) throws(MonitorError) -> SyncResult {
    let set = try ConditionSet(conditions, known: known)
    if try readLong({ table throws(MonitorError) in try table.isSynced(set) }) { return SyncResult(kept: set.count) }
    return try change { table throws(MonitorError) in try table.sync(set) }
  }

  /// Returns the current circle, beacon or shape of the condition with the given identifier.
  private func known(_ identifier: UnsafeBufferPointer<UInt8>) -> Definition.Subject? {
    read { table in table.subject(ofIdentifierBytes: identifier) }
  }

  /// The condition with the given identifier, with its policy and tag; `nil` if there is no such condition.
  public func condition(for identifier: String) -> NamedCondition? {
    read { table in
      guard let slot = table.slot(of: identifier) else { return nil }
      return NamedCondition(
        table.subject(of: slot).condition, identifier: identifier, assuming: table.assumed(of: slot),
        policy: table.policy(of: slot), tag: table.tag(of: slot), timing: table.timing(of: slot) ?? .none,
        band: table.band(of: slot) ?? .none)
    }
  }
}
