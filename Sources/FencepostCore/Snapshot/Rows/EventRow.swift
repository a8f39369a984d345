/// An event that waits or is in flight, or a silent change that follows such an event. The key is the generation of the
/// condition and the change number.
struct EventRow {
  /// The change number of the event that a silent change waits for; 0 for an event.
  var follows: UInt64
  var entry: EventEntry

  func encode(to writer: inout ByteWriter) {
    writer.putCompact(follows)
    entry.encode(to: &writer)
  }

  init(follows: UInt64, entry: EventEntry) {
    self.follows = follows
    self.entry = entry
  }

  init(slot: UInt32, generation: UInt64, reading reader: inout ByteReader) throws(Damage) {
    follows = try reader.takeCompact("follows", in: 0...EngineRestorer.largest)
    entry = try EventEntry(slot: slot, generation: generation, reading: &reader)
    try reader.end()
  }
}

extension EventEntry {
  private static let pathMarks: Marks = [.onPath, .gap, .leftToRight, .rightToLeft]
  /// In the byte of the marks: an event is counted, or an observation is news.
  private static let isMarked: UInt8 = 1 << 3
  private static let hasEvidence: UInt8 = 1 << 5
  private static let hasBeacon: UInt8 = 1 << 6
  private static let hasEvidenceDate: UInt8 = 1 << 7
  /// In the number of the diagnostics: the generation of the part that decided a rule follows.
  private static let isDecided: UInt64 = 1 << 20

  /// Encodes the event without its slot and generation, which the key of the row contains.
  func encode(to writer: inout ByteWriter) {
    let none = Double.nan.bitPattern
    let isEvident =
      latitude.bitPattern != none || longitude.bitPattern != none || accuracy.bitPattern != none
      || boundaryDistance.bitPattern != none
    writer.put(
      state.rawValue | cause.rawValue << 2 | (isEvident ? Self.hasEvidence : 0)
        | (hasRefinement ? Self.hasBeacon : 0) | (evidenceDate != .min ? Self.hasEvidenceDate : 0))
    // The marks share the byte with the policy, whose bits they do not use.
    let isMarked = !marks.isDisjoint(with: [.counted, .news])
    writer.put(notify.rawValue | marks.intersection(Self.pathMarks).rawValue | (isMarked ? Self.isMarked : 0))
    writer.putCompact(sequence)
    writer.putCompact(change)
    writer.putCompact(UInt64(diagnostics.rawValue) | (decidedBy != 0 ? Self.isDecided : 0))
    writer.putCompact(date)
    // The difference is small, because the evidence is rarely much older than the event.
    if evidenceDate != .min { writer.putCompact(date &- evidenceDate) }
    if decidedBy != 0 { writer.putCompact(decidedBy) }
    if isEvident {
      writer.put(latitude)
      writer.put(longitude)
      if marks.contains(.probability) {
        writer.putMark()
        writer.put(probability.bitPattern)
      }
      if !verticalDistance.isNaN {
        writer.putHeightMark()
        writer.put(verticalDistance)
      }
      writer.putCompact(accuracy)
      writer.put(boundaryDistance)
    }
    if hasRefinement {
      writer.put(refinementMajor)
      writer.put(refinementMinor)
    }
  }

  init(slot: UInt32, generation: UInt64, reading reader: inout ByteReader) throws(Damage) {
    let bits: UInt8 = try reader.take()
    guard let state = Event.State(rawValue: bits & 3), let cause = Event.Cause(rawValue: bits >> 2 & 7) else {
      throw Damage("state and cause of an event are \(bits)")
    }
    self.init(slot: slot, generation: generation, state: state, cause: cause, date: nil)
    let marked: UInt8 = try reader.take()
    marks = Marks(rawValue: marked).intersection(Self.pathMarks)
    if marked & Self.isMarked != 0 { marks.insert(.counted) }
    notify = TransitionPolicy.Notify(rawValue: marked & ~Self.pathMarks.rawValue & ~Self.isMarked)
    guard notify.isSubset(of: .all), !marks.isSuperset(of: .directions) else { throw Damage("notify is \(marked)") }
    sequence = try reader.takeCompact("sequence", in: 0...EngineRestorer.largest)
    change = try reader.takeCompact("change", in: 0...EngineRestorer.largest)
    let flags: UInt64 = try reader.takeCompact()
    let given = flags & ~Self.isDecided
    guard given <= UInt64(Diagnostics.all.rawValue) else { throw Damage("diagnostics is \(flags)") }
    diagnostics = Diagnostics(rawValue: UInt32(given))
    // A dwell or a timeout may end after the last instant that an input can have.
    date = try reader.takeSigned()
    if bits & Self.hasEvidenceDate != 0 {
      evidenceDate = date &- (try reader.takeSigned())
      guard Timestamp(microseconds: evidenceDate).isValid else { throw Damage("evidence_date is \(evidenceDate)") }
    }
    if flags & Self.isDecided != 0 {
      decidedBy = try reader.takeCompact("decided_by", in: 1...EngineRestorer.largest)
    }
    if bits & Self.hasEvidence != 0 {
      latitude = try reader.takeDouble()
      longitude = try reader.takeDouble()
      if reader.takeMark() { probability = try reader.takeProbability() }
      if reader.takeHeightMark() { verticalDistance = try reader.takeVerticalDistance() }
      accuracy = try reader.takeCompactDouble()
      boundaryDistance = try reader.takeDouble()
    }
    hasRefinement = bits & Self.hasBeacon != 0
    if hasRefinement {
      refinementMajor = try reader.take()
      refinementMinor = try reader.take()
    }
    try checkEvidence()
  }

  func checkEvidence() throws(Damage) {
    guard
      latitude.isNaN || (Coordinate(latitude: latitude, longitude: longitude).isValid && accuracy >= 0)
    else { throw Damage("the evidence of an event is out of range") }
  }
}
