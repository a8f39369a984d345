/// The engine's state as rows. The layout is that of format 1; ``EngineRestorer`` reads it.
///
/// A row holds what the inputs have led to and nothing that follows from the rest: the index, the deadlines, the lists
/// of the detectors are made anew.
extension MonitorEngine {
  /// The format of the rows. Rises with each change of their layout.
  static let rowFormat: UInt32 = 1

  /// Hands over every row, by table and key, the head last.
  func forEachRow<Failure>(_ body: (MonitorRow) throws(Failure) -> Void) throws(Failure) {
    var writer = ByteWriter(reserving: 512)
    for slot in table.live { try withConditionRow(slot, &writer, body) }
    var events: ContiguousArray<(entry: EventEntry, follows: UInt64)> = []
    delivery.forEachEvent(table) { events.append(($0, $1)) }
    events.sort { $0.entry.change < $1.entry.change }
    for event in events { try withEventRow(event.entry, follows: event.follows, &writer, body) }
    try withHeadRow(&writer, body)
  }

  func withHeadRow<Failure>(
    _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    writer.put(Self.rowFormat)
    writer.put(options.delivery.rawValue)
    writer.put(Int64(options.conditionLimit ?? 0))
    writer.put(Int64(options.maxPendingEvents))
    writer.put(options.initialFixMaxAgeMicroseconds)
    writer.put(options.beaconExitTimeoutMicroseconds)
    writer.put(options.beaconInitialTimeoutMicroseconds)
    writer.put(clock)
    writer.put(tracker.counters.inputCount)
    writer.put(tracker.counters.acceptedFixes)
    writer.put(tracker.counters.invalidFixes)
    writer.put(tracker.counters.lateInputs)
    writer.put(tracker.counters.acceptedSightings)
    writer.put(host.flags.rawValue)
    writer.put(host.unsupportedKinds)
    writer.put(tracker.isScanning)
    writer.put(table.order.lastGeneration)
    writer.put(delivery.lastSequence)
    writer.put(delivery.lastChange)
    writer.put(table.limit.lastTicket)
    writer.put(tracker.lastFix != nil)
    if let lastFix = tracker.lastFix { writer.put(lastFix) }
    putTimeStep(&writer)
    try body(MonitorRow(table: .head, key: 0, generation: 0, bytes: writer.bytes))
  }

  func withConditionRow<Failure>(
    _ slot: UInt32, _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    let state = tracker.states[Int(slot)]
    let told = delivery.told.saved(slot)
    let row = table.rows[Int(slot)]
    writer.removeAll()
    writer.put(row.kind.rawValue)
    table.identifiers.withBytes(of: slot) { bytes in
      writer.put(UInt16(bytes.count))
      writer.put(UnsafeRawBufferPointer(bytes))
    }
    writer.put(row.tag)
    writer.put(table.policies[row.policy])
    writer.put(state.observed.rawValue)
    writer.put(told.state.rawValue)
    writer.put(told.flags)
    writer.put(row.assumed.rawValue)
    writer.put(told.added)
    writer.put(state.hasMetCoarseFix)
    switch row.kind {
    case .circularGeographic:
      writer.put(row.circle.latitude)
      writer.put(row.circle.longitude)
      writer.put(row.circle.radius)
    case .beaconIdentity:
      writer.put(table.beacon(of: slot))
      let track = tracker.beaconTracks[slot] ?? BeaconTrack()
      writer.put(track.lastSighting)
      writer.put(track.deadline)
      writer.put(told.refinement)
    }
    let ticket = row.isOverLimit ? table.limit.ticket(of: slot) ?? 0 : 0
    let candidate = tracker.candidates.isEmpty ? nil : tracker.candidates[slot]
    let present = delivery.present(of: slot)
    let flags = delivery.leftFlags(of: slot)
    var parts: ConditionParts = []
    if row.isOverLimit { parts.insert(.overLimit) }
    if told.record != nil { parts.insert(.record) }
    if candidate != nil { parts.insert(.candidate) }
    if present != nil { parts.insert(.present) }
    if flags != nil { parts.insert(.flags) }
    writer.put(parts.rawValue)
    if row.isOverLimit { writer.put(ticket) }
    if let record = told.record { writer.put(record) }
    if let candidate {
      writer.put(candidate.fix)
      writer.put(candidate.boundaryDistance)
      writer.put(candidate.deadline)
      writer.put(candidate.isTimed)
    }
    if let present { writer.put(present) }
    if let flags {
      writer.put(flags.date)
      writer.put(flags.change)
    }
    try body(MonitorRow(table: .conditions, key: row.generation, generation: row.generation, bytes: writer.bytes))
  }

  func withEventRow<Failure>(
    _ entry: EventEntry, follows: UInt64, _ writer: inout ByteWriter, _ body: (MonitorRow) throws(Failure) -> Void
  ) throws(Failure) {
    writer.removeAll()
    writer.put(follows)
    writer.put(entry)
    try body(MonitorRow(table: .events, key: entry.change, generation: entry.generation, bytes: writer.bytes))
  }
}

/// Which parts follow in a condition's row.
struct ConditionParts: OptionSet {
  let rawValue: UInt8

  static let overLimit = ConditionParts(rawValue: 1 << 0)
  static let record = ConditionParts(rawValue: 1 << 1)
  static let candidate = ConditionParts(rawValue: 1 << 2)
  static let present = ConditionParts(rawValue: 1 << 3)
  static let flags = ConditionParts(rawValue: 1 << 4)
  static let all: ConditionParts = [.overLimit, .record, .candidate, .present, .flags]
}

extension ByteWriter {
  mutating func put(_ fix: Fix) {
    put(fix.coordinate.latitude)
    put(fix.coordinate.longitude)
    put(fix.accuracy)
    put(fix.time.microseconds)
  }

  mutating func put(_ policy: TransitionPolicy) {
    put(policy.entryDwellMicroseconds)
    put(policy.exitDwellMicroseconds)
    put(policy.entryMargin)
    put(policy.exitMargin)
    put(policy.exitMarginLimit)
    put(policy.accuracyFactor)
    put(policy.dwellPolicy.rawValue)
    put(policy.notify.rawValue)
  }

  /// `nil` is a UUID of zeros with the components' mark 255.
  mutating func put(_ beacon: BeaconIdentityCondition?) {
    put(beacon?.uuid.high ?? 0)
    put(beacon?.uuid.low ?? 0)
    let components: UInt8 =
      if let beacon { beacon.minor != nil ? 2 : beacon.major != nil ? 1 : 0 } else { .max }
    put(components)
    put(beacon?.major ?? 0)
    put(beacon?.minor ?? 0)
  }

  /// Without slot and generation, which the row tells.
  mutating func put(_ entry: EventEntry) {
    put(entry.sequence)
    put(entry.change)
    put(entry.date)
    put(entry.evidenceDate)
    put(entry.latitude)
    put(entry.longitude)
    put(entry.accuracy)
    put(entry.boundaryDistance)
    put(entry.diagnostics.rawValue)
    put(entry.hasRefinement)
    put(entry.refinementMajor)
    put(entry.refinementMinor)
    put(entry.state.rawValue)
    put(entry.cause.rawValue)
    put(entry.notify.rawValue)
  }
}
