extension Monitor {
  /// Adds a condition, or replaces the one with that identifier: new record, new generation, and its pending events are dropped.
  ///
  /// If the last valid fix is not older than the option `initialFixMaxAge`, it decides a geographic condition at once.
  ///
  /// - Parameters:
  ///   - condition: Any kind that ``Condition`` lists. Polygons and corridors are examined, in a time that grows a little faster
  ///     than the number of vertices.
  ///   - identifier: 1 … 256 bytes of UTF-8 without a zero byte, compared byte by byte.
  ///   - state: The state of the first record; a determination with the same state gives no event. Not `unmonitored`.
  ///   - policy: When a crossing counts. Beacons use only its `notify`.
  ///   - tag: Your own number; each event returns it.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``; nothing has changed then.
  public func add(
    _ condition: any Condition, identifier: String, assuming state: Event.State = .unknown,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0
  ) throws(MonitorError) {
    try call { engine throws(MonitorError) in
      try engine.add(condition, identifier: identifier, assuming: state, policy: policy, tag: tag)
    }
  }

  /// Adds a condition unless an equal one has that identifier: each coordinate within 1e-7 degrees, radius and buffer within
  /// 0.5 m, options and beacons exactly, same policy and tag; `assuming` is ignored then.
  ///
  /// - Returns: Whether the condition was added or replaced.
  /// - Throws: As ``add(_:identifier:assuming:policy:tag:)``.
  @discardableResult
  public func ensure(
    _ condition: any Condition, identifier: String, assuming state: Event.State = .unknown,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0
  ) throws(MonitorError) -> Bool {
    return try call { engine throws(MonitorError) in
      try engine.ensure(condition, identifier: identifier, assuming: state, policy: policy, tag: tag)
    }
  }

  /// Removes a condition, its record and its events; does nothing if no condition has that identifier.
  ///
  /// - Returns: Whether the condition existed.
  @discardableResult
  public func remove(_ identifier: String) -> Bool {
    return call { engine in engine.remove(identifier) }
  }

  /// The condition and its last handled event; `nil` when no condition has that identifier.
  ///
  /// While an event is being handled, the record still shows the previous one.
  public func record(for identifier: String) -> Record? {
    stored.engine.record(for: identifier)
  }

  /// The identifiers in the order in which the conditions were added.
  public var identifiers: [String] { stored.engine.identifiers }

  /// Explains why a condition is in its current state; `nil` when no condition has that identifier.
  public func explain(_ identifier: String) -> Explanation? {
    stored.engine.explain(identifier)
  }
}
