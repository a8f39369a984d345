extension MonitorEngine {
  /// Adds a condition, or replaces the condition with the same identifier.
  ///
  /// If the age of the last valid fix is at most the option `initialFixMaxAge`, that fix determines the state of a
  /// geographic condition at once. Earlier sightings do not count for a new beacon condition.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``; the engine is then unchanged.
  /// - Complexity: O(1) on average.
  public mutating func add(
    _ condition: any Condition, identifier: String, assuming: Event.State = .unknown,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) {
    try ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
      try add(
        condition, identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag, timing: timing, band: band)
    }
  }

  /// Adds a condition unless an equal condition with the same identifier exists; if one exists, `assuming` is ignored.
  /// Two conditions are equal if their coordinates differ by at most 1e-7 degrees, their radii, limits of altitude and
  /// other lengths differ by at most 0.5 m, and their beacons, policy, tag and timing are the same.
  /// The schedules are not compared: an equal condition takes the new schedule over.
  ///
  /// - Returns: Whether the condition was added or replaced.
  /// - Throws: The same errors as ``add(_:identifier:assuming:policy:tag:timing:band:)``.
  @discardableResult
  public mutating func ensure(
    _ condition: any Condition, identifier: String, assuming: Event.State = .unknown,
    policy: TransitionPolicy = .standard, tag: UInt64 = 0, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) -> Bool {
    try ContiguousArray(identifier.utf8).withUnsafeBufferPointer { bytes throws(MonitorError) in
      try ensure(
        condition, identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag, timing: timing, band: band)
    }
  }

  /// Ensures many conditions, with the same result as a separate call for each of them in order. All or nothing.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row; the engine is
  ///   then unchanged.
  /// - Complexity: O(rows)
  @discardableResult
  public mutating func ensure(_ conditions: some Sequence<NamedCondition>) throws(MonitorError) -> SyncResult {
    try ensure(try ConditionSet(conditions) { table.subject(ofIdentifierBytes: $0) })
  }

  /// Makes the set of conditions equal to the given set: removes all other conditions, in the order in which they were
  /// added, and then ensures each given condition, in order. All or nothing.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)``, whose `position` is the index of the row; this error is
  ///   also thrown when two rows have the same identifier; the engine is then unchanged.
  /// - Complexity: O(conditions + rows)
  @discardableResult
  public mutating func sync(_ conditions: some Sequence<NamedCondition>) throws(MonitorError) -> SyncResult {
    try sync(try ConditionSet(conditions) { table.subject(ofIdentifierBytes: $0) })
  }

  /// The condition with the given identifier and its last handled event; `nil` if there is no such condition.
  public func record(for identifier: String) -> Record? {
    table.slot(of: identifier).map { record(of: $0) }
  }

  /// Returns the record of the condition with the given slot; the condition must exist.
  package func record(of slot: UInt32) -> Record {
    Record(
      condition: condition(of: slot),
      lastEvent: table.event(from: lastEntry(of: slot), confidence: options.accuracyConfidence),
      policy: table.policy(of: slot), timing: table.timing(of: slot) ?? .none,
      band: table.band(of: slot) ?? .none)
  }

  package func condition(of slot: UInt32) -> any Condition { table.subject(of: slot).condition }

  // MARK: - The same with bytes, for bindings without String

  /// Adds a condition whose identifier is given as UTF-8 bytes. See ``add(_:identifier:assuming:policy:tag:timing:band:)``.
  package mutating func add(
    _ condition: any Condition, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) {
    try add(
      try GivenCondition(condition), identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag,
      timing: timing, band: band)
  }

  /// Ensures a condition whose identifier is given as UTF-8 bytes. See ``ensure(_:identifier:assuming:policy:tag:timing:band:)``.
  package mutating func ensure(
    _ condition: any Condition, identifierBytes bytes: UnsafeBufferPointer<UInt8>, assuming: Event.State,
    policy: TransitionPolicy, tag: UInt64, timing: ConditionTiming = .none, band: AltitudeBand = .none
  ) throws(MonitorError) -> Bool {
    try ensure(
      try GivenCondition(condition), identifierBytes: bytes, assuming: assuming, policy: policy, tag: tag,
      timing: timing, band: band)
  }
}
