extension Monitor {
  /// Ensures the given conditions in order, with the same effect as one call for each condition. Either all changes are
  /// made or none; a store saves all changes in one transaction.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row; the monitor is
  ///   then unchanged.
  @discardableResult
  public func ensure(_ conditions: some Sequence<NamedCondition> & Sendable) throws(MonitorError) -> SyncResult {
    try call { engine throws(MonitorError) in try engine.ensure(conditions) }
  }

  /// Makes the set of conditions equal to the given set: removes all other conditions, in the order in which they were
  /// added, and then ensures each given condition, in order. Either all changes are made or none; a store saves all
  /// changes in one transaction.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if a row is invalid or has the same identifier as another
  ///   row; `position` is the index of the row. If an error is thrown, the monitor is unchanged.
  @discardableResult
  public func sync(_ conditions: some Sequence<NamedCondition> & Sendable) throws(MonitorError) -> SyncResult {
    try call { engine throws(MonitorError) in try engine.sync(conditions) }
  }

  /// Removes many conditions, together with their records and events; unknown identifiers are ignored.
  ///
  /// - Returns: How many of the conditions existed.
  @discardableResult
  public func remove(_ identifiers: some Sequence<String> & Sendable) -> Int {
    call { engine in engine.remove(identifiers) }
  }

  /// The identifiers of the conditions that have the given observed state, in add order. The state `unknown` includes
  /// conditions that are undetermined, suspended or unmonitored.
  public func identifiers(in state: Event.State) -> [String] { stored.engine.identifiers(in: state) }
}
