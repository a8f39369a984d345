extension Monitor {
  /// Ensures each of many conditions, in order, as single calls would. All or nothing; a store saves all changes in one
  /// transaction.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row; nothing has
  ///   changed then.
  @discardableResult
  public func ensure(_ conditions: some Sequence<NamedCondition> & Sendable) throws(MonitorError) -> SyncResult {
    try call { engine throws(MonitorError) in try engine.ensure(conditions) }
  }

  /// Makes the set of conditions equal to the given ones: removes all others, in the order in which they were added,
  /// then ensures each given condition, in order. All or nothing; a store saves all changes in one transaction.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row; this error is
  ///   also thrown when two rows have the same identifier, and nothing has changed then.
  @discardableResult
  public func sync(_ conditions: some Sequence<NamedCondition> & Sendable) throws(MonitorError) -> SyncResult {
    try call { engine throws(MonitorError) in try engine.sync(conditions) }
  }

  /// Removes many conditions, their records and their events; unknown identifiers are ignored.
  ///
  /// - Returns: How many of the conditions existed.
  @discardableResult
  public func remove(_ identifiers: some Sequence<String> & Sendable) -> Int {
    call { engine in engine.remove(identifiers) }
  }

  /// The identifiers of the conditions with the given observed state, in add order. `unknown` includes the conditions
  /// that are undetermined, suspended or unmonitored.
  public func identifiers(in state: Event.State) -> [String] { stored.engine.identifiers(in: state) }
}
