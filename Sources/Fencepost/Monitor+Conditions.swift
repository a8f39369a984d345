extension Monitor {
  /// Adds a condition, or replaces the condition with the same identifier: the replacement gets a new record and a new
  /// generation, and the pending events of the replaced condition are dropped.
  ///
  /// If the age of the last valid fix is at most the `initialFixMaxAge` option, that fix determines the state of a
  /// geographic condition at once.
  ///
  /// - Parameters:
  ///   - condition: Any kind of condition that ``Condition`` lists. Polygons and corridors are examined; the time for
  ///     this examination grows slightly faster than the number of vertices.
  ///   - identifier: 1 … 256 bytes of UTF-8 without a zero byte, compared byte by byte.
  ///   - state: The state of the first record; if the first determined state is the same, there is no event. Not
  ///     `unmonitored`.
  ///   - policy: Defines when a crossing counts. Beacon conditions use only the policy's `notify`.
  ///   - tag: A number of your choice, which is returned with each event.
  ///   - timing: When the condition is active, and which of its events depend on time alone.
  ///   - band: The altitudes between which the shape reaches. Fixes then need a ``FixHeight``.
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``; the monitor is then unchanged.
  public func add(
    _ condition: any Condition, identifier: String, assuming state: Event.State = .unknown,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) {
    try call { engine throws(MonitorError) in
      try engine.add(
        condition, identifier: identifier, assuming: state, policy: policy, tag: tag, timing: timing, band: band)
    }
  }

  /// Adds a condition unless an equal condition with the same identifier exists; in that case `assuming` is ignored.
  /// Two conditions are equal if each coordinate differs by at most 1e-7 degrees, radius, buffer and limits of altitude
  /// differ by at most 0.5 m, and options, beacons, policy, tag and timing are the same. The schedules are not compared: an equal
  /// condition takes the new schedule over.
  ///
  /// - Returns: Whether the condition was added or replaced.
  /// - Throws: The same errors as ``add(_:identifier:assuming:policy:tag:timing:band:)``.
  @discardableResult
  public func ensure(
    _ condition: any Condition, identifier: String, assuming state: Event.State = .unknown,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) -> Bool {
    return try call { engine throws(MonitorError) in
      try engine.ensure(
        condition, identifier: identifier, assuming: state, policy: policy, tag: tag, timing: timing, band: band)
    }
  }

  /// Removes a condition, its record and its events; does nothing if there is no such condition.
  ///
  /// - Returns: Whether the condition existed.
  @discardableResult
  public func remove(_ identifier: String) -> Bool {
    return call { engine in engine.remove(identifier) }
  }

  /// The condition and its last handled event; `nil` when there is no such condition.
  ///
  /// While an event is being handled, the record still contains the previous event.
  public func record(for identifier: String) -> Record? {
    stored.engine.record(for: identifier)
  }

  /// The identifiers in the order in which the conditions were added.
  public var identifiers: [String] { stored.engine.identifiers }

  /// Explains why a condition is in its current state; `nil` when there is no such condition.
  public func explain(_ identifier: String) -> Explanation? {
    stored.engine.explain(identifier)
  }
}
