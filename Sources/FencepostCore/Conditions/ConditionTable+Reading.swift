import FencepostKernel

/// A shared table. Devices find its changes by generation, so a change updates only the table.
extension ConditionTable: ConditionHolder {
  package var table: ConditionTable { _read { yield self } }

  package mutating func setSyncing(_ isSyncing: Bool) {}

  package func defect(of definition: Definition) -> String? {
    if !definition.timing.isNone, let defect = timingDefect(for: definition.subject.kind) { return defect }
    if definition.subject.kind.isRule, refusesRules {
      return "kind: a rule needs fleets with delivery every, whose devices have no host capabilities"
    }
    guard definition.subject.kind.isLine else { return nil }
    guard !refusesLines else {
      return
        "path: a line geographic condition counts crossings of a path; each fleet over the table must have path geodesic"
    }
    guard definition.policy == .standard else {
      return
        "policy: a line geographic condition has no policy, because each crossing of the line counts; leave it unset"
    }
    guard definition.assumed != .satisfied else {
      return "assumed: a line geographic condition has no state; must be unknown or unsatisfied"
    }
    return nil
  }

  /// Returns the reason why a condition of a kind cannot have a timing, as a message; `nil` if it can.
  @inline(never)
  @_optimize(size)
  func timingDefect(for kind: ConditionKind) -> String? {
    guard (kind.isGeographic && !kind.isLine) || kind.isRule else {
      return
        "active, repeat_every and max_events: in a shared table, beacon conditions and lines have no timing; leave them unset"
    }
    guard !refusesTimings else {
      return
        "active, absent_after, repeat_every and max_events: each fleet over the table must have path fixes and delivery every, and its devices no host capabilities"
    }
    return nil
  }

  /// The reason why a shared table cannot have one of the timings of the table, as a message; `nil` if it can have all.
  @inline(never)
  @_optimize(size)
  var timingDefect: String? {
    guard policies.hasTimings else { return nil }
    for slot in live where timing(of: slot) != nil {
      if let defect = timingDefect(for: kind(of: slot)) { return defect }
    }
    return nil
  }

  /// In a shared table, another schedule is another condition, because the clocks of devices differ.
  package func compare(_ definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> Bool? {
    compareUntimed(definition, identifier).map { $0 && slotToRetime(definition, identifier) == nil }
  }

  /// Compares as ``compare(_:_:)`` does, but leaves out the schedules.
  func compareUntimed(_ definition: Definition, _ identifier: UnsafeBufferPointer<UInt8>) -> Bool? {
    identifiers.slot(of: identifier).map { self.definition(of: $0).isNearlyEqual(to: definition) }
  }

  /// Returns the slots whose identifiers are not in a table of identifiers, in add order.
  func slots(without others: borrowing IdentifierTable) -> [UInt32] {
    var slots: [UInt32] = []
    for slot in live {
      let isOther = identifiers.withBytes(of: slot) { others.slot(of: $0) == nil }
      if isOther { slots.append(slot) }
    }
    return slots
  }
}

// Reading a table by identifier and slot.
extension ConditionTable {
  /// Returns the identifier of a live slot.
  package func identifier(of slot: UInt32) -> String { identifiers.string(of: slot) }

  /// Calls `body` with the bytes of the identifier of a live slot.
  package func withIdentifierBytes<Result>(of slot: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    identifiers.withBytes(of: slot, body)
  }

  /// Returns the slot of the condition with an identifier as UTF-8 bytes.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` if the bytes are not a valid identifier,
  ///   ``MonitorError/notFound(_:)`` if no condition has the identifier.
  package func slot(ofIdentifierBytes bytes: UnsafeBufferPointer<UInt8>) throws(MonitorError) -> UInt32 {
    if let defect = Definition.defect(ofIdentifier: bytes) { throw .invalidArgument(defect) }
    guard let slot = identifiers.slot(of: bytes) else { throw .notFound(String(decoding: bytes, as: UTF8.self)) }
    return slot
  }

  /// Returns the subject of the condition with an identifier; `nil` if there is no such condition.
  package func subject(ofIdentifierBytes bytes: UnsafeBufferPointer<UInt8>) -> Definition.Subject? {
    identifiers.slot(of: bytes).map { subject(of: $0) }
  }

  /// Returns the first condition whose generation is greater. Repeated calls visit all conditions in add order.
  package func slot(after generation: UInt64) -> UInt32? { order.next(after: generation) }

  /// Returns the slot of the condition with a generation; `nil` if there is no such condition.
  func slot(ofGeneration generation: UInt64) -> UInt32? {
    guard generation > 0, let slot = order.next(after: generation - 1), self.generation(of: slot) == generation
    else { return nil }
    return slot
  }

  /// Returns the nearest point on the boundary of a live condition; `nil` for a beacon condition.
  package func nearestBoundaryPoint(of slot: UInt32, to coordinate: Coordinate) -> Coordinate? {
    isGeographic(slot) ? shape(of: slot).nearestBoundaryPoint(to: coordinate) : nil
  }

  /// Returns the vertices of a polygon, corridor or line as well-known binary (ISO, little endian, XY); `nil` for other
  /// conditions. The vertices are those of the caller, except for repeated vertices and vertices within planar edges of
  /// 180 degrees or more.
  package func wellKnownBinary(of slot: UInt32) -> [UInt8]? {
    switch subject(of: slot) {
    case .circle, .beacon: nil
    case .rule(let rule): rule.terminatedParts
    case .polygon(let shape), .corridor(let shape), .line(let shape): WellKnownBinary.encode(shape.definition.written)
    }
  }

  /// Returns the beacon that an entry names; `nil` if it names none.
  package func refinement(of entry: EventEntry) -> BeaconIdentityCondition? {
    guard entry.hasRefinement, let beacon = beacon(of: entry.slot) else { return nil }
    return BeaconIdentityCondition(uuid: beacon.uuid, major: entry.refinementMajor, minor: entry.refinementMinor)
  }

  /// The probability that the shape of an entry contains the true position of its evidence; NaN if the policy has no
  /// probabilities, or if there is no such evidence.
  ///
  /// - Parameter confidence: ``MonitorOptions/accuracyConfidence``
  @inline(__always)
  package func probability(of entry: borrowing EventEntry, confidence: Double) -> Double {
    if entry.marks.contains(.probability) { return evidentProbability(of: entry, confidence: confidence) }
    return hasProbability(entry.slot) ? evidentProbability(of: entry, confidence: confidence) : .nan
  }

  @inline(never)
  private func evidentProbability(of entry: borrowing EventEntry, confidence: Double) -> Double {
    guard !entry.latitude.isNaN, !entry.marks.contains(.probability), !kind(of: entry.slot).isRule else {
      return Double(entry.probability)
    }
    let coordinate = Coordinate(latitude: entry.latitude, longitude: entry.longitude)
    return shape(of: entry.slot).probability(at: coordinate, accuracy: entry.accuracy, confidence: confidence)
  }

  /// Returns the event of an entry, with the identifier and the tag of its condition.
  ///
  /// - Parameter confidence: ``MonitorOptions/accuracyConfidence``
  package func event(from entry: EventEntry, confidence: Double) -> Event {
    var event = Event(
      identifier: identifiers.string(of: entry.slot), state: entry.state, generation: entry.generation)
    event.sequence = entry.sequence
    event.cause = entry.cause
    event.date = entry.date == .min ? nil : Timestamp(microseconds: entry.date)
    event.evidenceDate = entry.evidenceDate == .min ? nil : Timestamp(microseconds: entry.evidenceDate)
    event.beacon = refinement(of: entry)
    event.diagnostics = entry.diagnostics
    event.tag = tag(of: entry.slot)
    if !entry.latitude.isNaN {
      let probability = probability(of: entry, confidence: confidence)
      event.evidence = Event.Evidence(
        coordinate: Coordinate(latitude: entry.latitude, longitude: entry.longitude), accuracy: entry.accuracy,
        boundaryDistance: entry.boundaryDistance, source: entry.marks.contains(.onPath) ? .path : .fix,
        probability: probability.isNaN ? nil : probability,
        verticalDistance: entry.verticalDistance.isNaN ? nil : entry.verticalDistance)
    }
    event.followsGap = entry.marks.contains(.gap)
    event.direction = entry.direction
    event.decidedBy = entry.decidedBy == 0 ? nil : entry.decidedBy
    return event
  }
}
