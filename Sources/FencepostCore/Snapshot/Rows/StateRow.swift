/// The observed and the reported state of a condition for a device, if they differ from the state that
/// ``DeviceRow/swept`` implies. The key is the device and the generation.
struct StateRow {
  var observed: Observed
  var noted: Event.State
  var notedFlags: UInt16 = 0
  var hasMetCoarseFix = false
  /// The position among the conditions that wait for the condition limit.
  var ticket: UInt64?
  var record: EventEntry?
  var candidate: Candidate?
  var present: EventEntry?
  var flags: (date: Int64, change: UInt64)?
  /// For a beacon condition: the last sighting and the deadline.
  var track: BeaconTrack?
  /// The state of the timing, unless it follows from the clock.
  var timed: TimedRow?
  /// The beacon that the last event named; saved together with `track`.
  var refinement: BeaconIdentityCondition?

  /// The state of a rule besides its observed state; `nil` for other conditions and for a rule without more state.
  var rule: RuleRow?

  /// Bits in the byte of the states: ``timed`` and ``rule`` are the last parts of the row.
  private static let hasTimed: UInt8 = 16
  private static let hasRule: UInt8 = 32

  /// The optional parts that the row contains.
  private struct Parts: OptionSet {
    let rawValue: UInt8
    static let coarse = Parts(rawValue: 1 << 0)
    static let overLimit = Parts(rawValue: 1 << 1)
    static let record = Parts(rawValue: 1 << 2)
    static let candidate = Parts(rawValue: 1 << 3)
    static let present = Parts(rawValue: 1 << 4)
    static let flags = Parts(rawValue: 1 << 5)
    static let track = Parts(rawValue: 1 << 6)
    static let notedFlags = Parts(rawValue: 1 << 7)
  }

  private var parts: Parts {
    var parts: Parts = []
    if hasMetCoarseFix { parts.insert(.coarse) }
    if ticket != nil { parts.insert(.overLimit) }
    if record != nil { parts.insert(.record) }
    if candidate != nil { parts.insert(.candidate) }
    if present != nil { parts.insert(.present) }
    if flags != nil { parts.insert(.flags) }
    if track != nil { parts.insert(.track) }
    if notedFlags != 0 { parts.insert(.notedFlags) }
    return parts
  }

  func encode(to writer: inout ByteWriter) {
    writer.put(
      observed.rawValue | noted.rawValue << 2 | (timed != nil ? Self.hasTimed : 0) | (rule != nil ? Self.hasRule : 0))
    writer.put(parts.rawValue)
    if notedFlags != 0 { writer.putCompact(UInt64(notedFlags)) }
    if let ticket { writer.putCompact(ticket) }
    record?.encode(to: &writer)
    candidate?.encode(to: &writer)
    present?.encode(to: &writer)
    if let flags {
      writer.putCompact(flags.date)
      writer.putCompact(flags.change)
    }
    if let track {
      writer.putCompact(track.lastSighting)
      writer.putCompact(track.deadline)
      refinement.encode(to: &writer)
    }
    timed?.encode(to: &writer)
    rule?.encode(to: &writer)
  }

  init(slot: UInt32, generation: UInt64, reading reader: inout ByteReader) throws(Damage) {
    let states: UInt8 = try reader.take("states of a condition", in: 0...63)
    guard let observed = Observed(rawValue: states & 3), let noted = Event.State(rawValue: states >> 2 & 3) else {
      throw Damage("the states of a condition are \(states)")
    }
    self.observed = observed
    self.noted = noted
    let parts = Parts(rawValue: try reader.take())
    hasMetCoarseFix = parts.contains(.coarse)
    if parts.contains(.notedFlags) {
      notedFlags = try reader.takeCompact("noted_flags", in: 1...UInt16(Diagnostics.all.rawValue))
    }
    if parts.contains(.overLimit) { ticket = try reader.takeCompact("ticket", in: 1...EngineRestorer.largest) }
    if parts.contains(.record) { record = try EventEntry(slot: slot, generation: generation, reading: &reader) }
    if parts.contains(.candidate) { candidate = try Candidate(reading: &reader) }
    if parts.contains(.present) {
      present = try EventEntry(slot: slot, generation: generation, reading: &reader)
      // An observation is not counted before its event is built; its mark says that it is news.
      if present?.marks.remove(.counted) != nil { present?.marks.insert(.news) }
    }
    if parts.contains(.flags) {
      flags = (try reader.takeSigned(), try reader.takeCompact("change", in: 0...EngineRestorer.largest))
    }
    if parts.contains(.track) {
      track = BeaconTrack(
        lastSighting: try reader.takeSignedTime("last_sighting"), deadline: try reader.takeDeadline())
      refinement = try BeaconIdentityCondition?(reading: &reader)
    }
    if states & Self.hasTimed != 0 { timed = try TimedRow(reading: &reader) }
    if states & Self.hasRule != 0 {
      rule = try RuleRow(slot: slot, generation: generation, reading: &reader)
    }
    try reader.end()
  }

  init(observed: Observed, noted: Event.State) {
    self.observed = observed
    self.noted = noted
  }

  /// - Returns: `nil` if the state is the one that ``DeviceRow/swept`` implies for a condition without a row.
  init?(_ slot: UInt32, of engine: borrowing MonitorEngine, swept: UInt64) {
    let told = engine.delivery.told.saved(slot, engine.table)
    let row = engine.table.rows[Int(slot)]
    observed = engine.tracker.observed(slot, engine.table)
    noted = told.state
    notedFlags = told.flags
    hasMetCoarseFix = engine.tracker.hasMetCoarseFix(slot)
    if row.isOverLimit { ticket = engine.table.limit.ticket(of: slot) ?? 0 }
    record = told.record
    refinement = told.refinement
    candidate = engine.tracker.candidate(of: slot)
    present = engine.delivery.present(of: slot)
    flags = engine.delivery.leftFlags(of: slot)
    if let state = engine.tracker.timed(slot) {
      timed = TimedRow(state, events: engine.delivery.eventCount(of: slot))
    }
    var isUntold = observed == .undetermined
    if row.kind.isGeographic {
      if row.generation <= swept { isUntold = observed == .outside }
    } else if row.kind.isRule {
      rule = RuleRow(engine.tracker, slot, engine.table)
    } else {
      let known = engine.tracker.beacon(slot) ?? BeaconTrack()
      if !known.isBlank || refinement != nil { track = known }
    }
    if isUntold, noted == row.assumed, parts.isEmpty, timed == nil, rule == nil { return nil }
  }
}

extension Candidate {
  func encode(to writer: inout ByteWriter) {
    fix.encode(to: &writer)
    writer.put(boundaryDistance)
    writer.putCompact(deadline)
    writer.put(
      (isTimed ? 1 : 0 as UInt8) | (isOnPath ? 2 : 0) | (probability.isNaN ? 0 : 4) | (verticalDistance.isNaN ? 0 : 8))
    if !probability.isNaN { writer.put(probability.bitPattern) }
    if !verticalDistance.isNaN { writer.put(verticalDistance) }
  }

  init(reading reader: inout ByteReader) throws(Damage) {
    self.init(
      fix: try Fix(reading: &reader), boundaryDistance: try reader.takeDouble(), deadline: try reader.takeDeadline(),
      isTimed: false)
    let bits: UInt8 = try reader.take("timed", in: 0...15)
    isTimed = bits & 1 != 0
    isOnPath = bits & 2 != 0
    if bits & 4 != 0 { probability = try reader.takeProbability() }
    if bits & 8 != 0 { verticalDistance = try reader.takeVerticalDistance() }
  }
}
