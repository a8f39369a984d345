/// What others may ask of a tracker: the engine, explanations, plans, and those who save it.
extension Tracker {
  /// The latest fix with a valid position.
  var lastFix: Fix? { timeline.lastFix }

  /// How many inputs there were, and what became of them.
  @inline(__always)
  var counters: InputCounters {
    get { timeline.counters }
    _modify { yield &timeline.counters }
  }

  /// What the next event has to say of a gap before it, as it is saved.
  var gap: Int64 { timeline.gap }

  /// Whether the host scans for beacons.
  var isScanning: Bool { known.isScanning }

  /// What the detectors believe of a condition.
  func observed(_ slot: UInt32, _ table: ConditionTable) -> Observed { known.observed(slot, table) }

  /// What is known of a shape.
  func state(of slot: UInt32, _ table: ConditionTable) -> SlotState { known.shapes.state(of: slot, table) }

  /// Whether a shape is not as most are.
  func isException(_ slot: UInt32) -> Bool { known.shapes.exception(slot) != nil }

  /// Whether a fix was too coarse to decide a shape since it became undetermined.
  func hasMetCoarseFix(_ slot: UInt32) -> Bool { known.shapes.exception(slot)?.hasMetCoarseFix ?? false }

  /// How many shapes wait for a fix that decides them, at most.
  func waitingCount(_ table: ConditionTable) -> Int { known.shapes.waitingCount(table) }

  /// Whether a crossing is in the making.
  var hasCandidates: Bool { !known.candidates.isEmpty }

  /// The crossings in the making, by shape.
  var candidates: DeviceEntries<Candidate> { known.candidates }

  /// The crossing in the making of a shape.
  func candidate(of slot: UInt32) -> Candidate? { known.candidate(of: slot) }

  /// What is known of the beacons of a condition; `nil` for one that is about a place.
  func beacon(_ slot: UInt32) -> BeaconTrack? { known.beacon(slot) }

  /// The shapes that are not settled outside, among them all that are inside, in no particular order.
  var watched: some Sequence<UInt32> { lookout.watched }

  /// When something happens though no input comes, microseconds; `Int64.max` when nothing does.
  var nextDeadline: Int64 {
    var earliest = Int64.max
    for slot in deadlines.remindedSlots {
      if let candidate = known.candidate(of: slot), candidate.isTimed { earliest = min(earliest, candidate.deadline) }
      if let track = known.beacon(slot) { earliest = min(earliest, track.deadline) }
    }
    return earliest
  }

  // MARK: - What changed since it was saved

  var journal: Journal {
    _read { yield known.journal }
  }

  mutating func beginJournal() { known.beginJournal() }
  mutating func clearJournal() { known.clearJournal() }
  mutating func add(earlier: Journal) { known.add(earlier: earlier) }
  mutating func endJournal() { known.endJournal() }
}
