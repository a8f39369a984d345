import FencepostKernel

extension MonitorEngine {
  /// The slot of an identifier; `nil` when no condition has it.
  package func slot(of identifier: String) -> UInt32? { table.slot(of: identifier) }

  /// The identifier of a live slot.
  package func identifier(of slot: UInt32) -> String { table.identifiers.string(of: slot) }

  /// The slot of an identifier given as bytes.
  ///
  /// - Throws: ``MonitorError/invalidArgument(_:position:)`` when the bytes are no identifier,
  ///   ``MonitorError/notFound(_:)`` when no condition has it.
  package func slot(ofIdentifierBytes bytes: UnsafeBufferPointer<UInt8>) throws(MonitorError) -> UInt32 {
    if let defect = Self.defect(ofIdentifier: bytes) { throw .invalidArgument(defect) }
    guard let slot = table.identifiers.slot(of: bytes) else {
      throw .notFound(String(decoding: bytes, as: UTF8.self))
    }
    return slot
  }

  /// The first condition whose generation is larger; walks over all in add order.
  package func slot(after generation: UInt64) -> UInt32? {
    table.order.next(after: generation)
  }

  /// The last event of a live slot, or its first record.
  package func lastEntry(of slot: UInt32) -> EventEntry {
    if let record = delivery.told.record(of: slot) { return record }
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: table.assumed(of: slot), cause: .none, date: nil)
    entry.date = delivery.told.added(slot)
    return entry
  }

  /// Calls `body` with the bytes of the identifier of a live slot.
  package func withIdentifierBytes<Result>(of slot: UInt32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    table.identifiers.withBytes(of: slot, body)
  }

  package func tag(of slot: UInt32) -> UInt64 { table.tag(of: slot) }
  package func generation(of slot: UInt32) -> UInt64 { table.generation(of: slot) }
  package func assumed(of slot: UInt32) -> Event.State { table.assumed(of: slot) }
  package func policy(of slot: UInt32) -> TransitionPolicy { table.policy(of: slot) }

  /// The vertices of a polygon, corridor or line as well-known binary (ISO, little endian, XY), as they were given but for
  /// repeated ones and those within planar edges of 180 degrees and more; `nil` for conditions of other kinds.
  package func wellKnownBinary(of slot: UInt32) -> [UInt8]? {
    switch table.subject(of: slot) {
    case .circle, .beacon: nil
    case .polygon(let shape), .corridor(let shape), .line(let shape): WellKnownBinary.encode(shape.definition.written)
    }
  }

  /// The beacon that an entry names.
  package func refinement(of entry: EventEntry) -> BeaconIdentityCondition? {
    table.refinement(of: entry)
  }

  /// An entry with everything that belongs to its condition.
  package func event(from entry: EventEntry) -> Event {
    var event = Event(
      identifier: table.identifiers.string(of: entry.slot), state: entry.state, generation: entry.generation)
    event.sequence = entry.sequence
    event.cause = entry.cause
    event.date = entry.date == .min ? nil : Timestamp(microseconds: entry.date)
    event.evidenceDate = entry.evidenceDate == .min ? nil : Timestamp(microseconds: entry.evidenceDate)
    event.beacon = refinement(of: entry)
    event.diagnostics = entry.diagnostics
    event.tag = table.tag(of: entry.slot)
    if !entry.latitude.isNaN {
      event.evidence = Event.Evidence(
        coordinate: Coordinate(latitude: entry.latitude, longitude: entry.longitude), accuracy: entry.accuracy,
        boundaryDistance: entry.boundaryDistance, source: entry.marks.contains(.onPath) ? .path : .fix)
    }
    event.followsGap = entry.marks.contains(.gap)
    event.direction = entry.direction
    return event
  }
}
