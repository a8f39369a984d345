/// The methods of a tracker for the engine, for explanations and plans, and for saving.
extension Tracker {
  /// The latest fix with a valid position.
  var lastFix: Fix? { timeline.lastFix }

  /// The error ellipse of the latest fix with a valid position; `nil` if it has none.
  var lastEllipse: FixEllipse? { timeline.lastEllipse }

  /// Whether the saved form may contain error ellipses or probabilities that come from them.
  var hasHadEllipses: Bool {
    get { timeline.hasHadEllipses }
    set { timeline.hasHadEllipses = newValue }
  }

  /// The height of the latest fix with a valid position; `nil` if it has none.
  var lastHeight: FixHeight? { timeline.lastHeight }

  /// Whether the saved form may contain heights.
  var hasHadHeights: Bool {
    get { timeline.hasHadHeights }
    set { timeline.hasHadHeights = newValue }
  }

  /// Sets the height of the accepted fix with a number, or of none.
  mutating func setHeight(_ height: FixHeight?, of number: UInt64) { timeline.setHeight(height, of: number) }

  /// Sets the error ellipse of the accepted fix with a number, or of none.
  mutating func setEllipse(_ ellipse: FixEllipse?, of number: UInt64) { timeline.setEllipse(ellipse, of: number) }

  /// Whether any fix was ever doubted.
  var hasDoubted: Bool { timeline.counters.doubtedFixes > 0 }

  /// The doubted fixes since the last fix.
  var chain: DoubtChain { timeline.chain }

  /// The numbers of inputs, by their outcome.
  @inline(__always)
  var counters: InputCounters {
    get { timeline.counters }
    _modify { yield &timeline.counters }
  }

  /// The gap that the next event must report, in the saved form.
  var gap: Int64 { timeline.gap }

  /// Whether the host scans for beacons.
  var isScanning: Bool { known.isScanning }

  /// Returns the observed state of a condition.
  func observed(_ slot: UInt32, _ table: ConditionTable) -> Observed { known.observed(slot, table) }

  /// Returns the state of a shape.
  func state(of slot: UInt32, _ table: ConditionTable) -> SlotState { known.shapes.state(of: slot, table) }

  /// Whether the state of a shape differs from the common state.
  func isException(_ slot: UInt32) -> Bool { known.shapes.exception(slot) != nil }

  /// Whether a fix was too coarse to determine a shape since the shape became undetermined.
  func hasMetCoarseFix(_ slot: UInt32) -> Bool { known.shapes.exception(slot)?.hasMetCoarseFix ?? false }

  /// Returns an upper bound of the number of shapes that wait for a fix to determine them.
  func waitingCount(_ table: ConditionTable) -> Int { known.shapes.waitingCount(table) }

  /// Whether a crossing has started and is not confirmed yet.
  var hasCandidates: Bool { !known.candidates.isEmpty }

  /// The candidates: crossings that are not confirmed yet, by shape.
  var candidates: DeviceEntries<Candidate> { known.candidates }

  /// Returns the candidate of a shape; `nil` if it has none.
  func candidate(of slot: UInt32) -> Candidate? { known.candidate(of: slot) }

  /// Returns the state of a beacon condition; `nil` for a geographic condition.
  func beacon(_ slot: UInt32) -> BeaconTrack? { known.beacon(slot) }

  /// Whether there are states of rules.
  var hasRules: Bool { known.rules != nil }

  /// Whether a condition has the state of a timing. It may outlive the timing until the next determination.
  var hasTimed: Bool { known.hasTimed }

  /// When a shape became unsatisfied although no fix had been seen, in microseconds; `Int64.min` if it did not.
  func absentSince(_ slot: UInt32) -> Int64 { known.hasTimed ? known.timed(slot)?.absentSince ?? .min : .min }

  /// Returns the state of the timing of a condition; `nil` if the condition has no timing.
  func timed(_ slot: UInt32) -> TimedState? { known.timed(slot) }

  /// The shapes that the device is not settled outside of, including all shapes that it is inside, in no particular
  /// order.
  var watched: some Sequence<UInt32> { lookout.watched }

  /// The earliest time at which a change becomes due without an input, in microseconds; `Int64.max` if nothing waits.
  func nextDeadline(_ table: ConditionTable) -> Int64 {
    // A condition that was removed leaves its edge behind.
    var earliest = deadlines.edge == .max ? .max : table.policies.nextEdge(after: clock)
    for slot in deadlines.remindedSlots {
      if let candidate = known.candidate(of: slot), candidate.isTimed { earliest = min(earliest, candidate.deadline) }
      if table.rules != nil, let candidate = ruleCandidate(of: slot, table) {
        earliest = min(earliest, candidate.deadline)
      }
      if let track = known.beacon(slot) { earliest = min(earliest, track.deadline) }
      if known.hasTimed, let state = known.timed(slot) { earliest = min(earliest, state.deadline) }
    }
    return earliest
  }

  // MARK: - Unsaved changes

  var journal: Journal {
    _read { yield known.journal }
  }

  mutating func beginJournal() { known.beginJournal() }
  mutating func clearJournal() { known.clearJournal() }
  mutating func add(earlier: Journal) { known.add(earlier: earlier) }
  mutating func endJournal() { known.endJournal() }
}
