import FencepostKernel

/// The observed state of each condition for one device, and the state of its host: all saved data of a tracker, except
/// its ``Timeline``.
///
/// Saved data can only be changed by methods that mark the row as dirty, so no detector has to do this itself. Data
/// that is not saved is not marked: which shapes have an entry, which shapes are listed, and the index of a watch.
struct ObservedStates: Sendable {
  private(set) var shapes = SlotStates()
  private(set) var candidates = DeviceEntries<Candidate>()
  private(set) var beacons = DeviceEntries<BeaconTrack>()
  /// In a fleet: a beacon condition without an entry is outside if its generation is at most this.
  private var beaconsAbsent: UInt64 = 0
  /// The conditions with a ``ConditionTiming``.
  private var timed = RareEntries<TimedState>()
  /// The states of the rules; `nil` without rules.
  private(set) var rules: RuleStates?
  private(set) var host = HostState()
  private(set) var isScanning = true
  private(set) var journal = Journal()

  /// The observed state of a condition.
  func observed(_ slot: UInt32, _ table: ConditionTable) -> Observed {
    table.kind(of: slot).isGeographic
      ? shapes.observed(slot, table) : observedApart(slot, table)
  }

  /// The observed state of a beacon condition or a rule.
  @inline(never)
  private func observedApart(_ slot: UInt32, _ table: ConditionTable) -> Observed {
    guard table.kind(of: slot).isRule else {
      return beacons[slot]?.observed ?? (table.generation(of: slot) <= beaconsAbsent ? .outside : .undetermined)
    }
    guard let name = table.rules?.name(of: slot), let rules, Int(name) < rules.cells.count, rules.isLoaded(name)
    else { return .undetermined }
    return rules.cells[Int(name)].observed
  }

  @inline(__always)
  func candidate(of slot: UInt32) -> Candidate? { candidates.isEmpty ? nil : candidates[slot] }

  func beacon(_ slot: UInt32) -> BeaconTrack? { beacons.isEmpty ? nil : beacons[slot] }

  // MARK: - Added and removed conditions

  /// Makes room for the state of a new condition in a slot.
  mutating func adopt(_ slot: UInt32, _ table: ConditionTable) {
    enter(slot, table)
    journal.touch(slot)
  }

  /// Makes room for the state of a saved condition.
  mutating func enter(_ slot: UInt32, _ table: ConditionTable) {
    if table.kind(of: slot).isGeographic {
      shapes.adopt(generation: table.generation(of: slot))
    } else if table.kind(of: slot).isBeacon {
      beacons[slot] = BeaconTrack()
    }
  }

  /// Removes the state of a condition that was removed from its slot; its row is removed too.
  mutating func drop(_ slot: UInt32) {
    shapes.drop(slot)
    if !beacons.isEmpty { beacons[slot] = nil }
    if hasTimed { timed[slot] = nil }
  }

  /// Marks the row of a condition that is now within the condition limit.
  mutating func promote(_ slot: UInt32) { journal.touch(slot) }

  // MARK: - Shapes

  /// Sets the observed state of a shape and the index of its watch.
  ///
  /// - Parameters:
  ///   - before: The state until now. It does not matter for a shape that was just swept.
  ///   - observed: The new observed state, whose row is marked as dirty; `nil` to keep the state.
  ///   - index: The index in ``Watches``, or ``SlotState/none``.
  @inline(__always)
  mutating func set(
    _ slot: UInt32, from before: SlotState, to observed: Observed?, active index: UInt32, _ table: ConditionTable
  ) {
    if observed != nil { journal.touch(slot) }
    let observed = observed ?? before.observed
    if observed != before.observed || index != before.active { shapes.set(slot, observed, active: index, table) }
  }

  /// Sets the index of a shape's watch.
  mutating func setActive(_ slot: UInt32, _ index: UInt32, _ table: ConditionTable) {
    shapes.setActive(slot, index, table)
  }

  /// Makes a shape undetermined, after a fix that was too coarse to determine it.
  mutating func setTooCoarse(_ slot: UInt32, _ table: ConditionTable) {
    shapes.setTooCoarse(slot, table)
    journal.touch(slot, isUrgent: false)
  }

  /// Makes a condition undetermined.
  mutating func forget(_ slot: UInt32, _ table: ConditionTable) {
    if table.kind(of: slot).isGeographic {
      shapes.setUndetermined(slot, table)
    } else if table.kind(of: slot).isBeacon {
      beacons[slot]?.observed = .undetermined
    } else {
      forgetRule(slot, table)
    }
    journal.touch(slot)
  }

  /// Opens a candidate: a crossing that is not confirmed yet.
  mutating func open(_ candidate: Candidate, _ slot: UInt32) {
    candidates[slot] = candidate
    journal.touch(slot)
  }

  /// Removes the candidate of a shape.
  ///
  /// - Returns: Whether the shape had a candidate.
  @inline(__always)
  @discardableResult
  mutating func closeCandidate(_ slot: UInt32) -> Bool {
    candidates.isEmpty ? false : removeCandidate(slot)
  }

  @inline(never)
  private mutating func removeCandidate(_ slot: UInt32) -> Bool {
    guard candidates.remove(slot) else { return false }
    journal.touch(slot)
    return true
  }

  // MARK: - Shapes that wait for a fix; see ``SlotStates``

  mutating func wait(_ slot: UInt32, _ table: ConditionTable) { shapes.wait(slot, table) }
  mutating func sweepLast(_ generation: UInt64) { shapes.sweepLast(generation) }
  mutating func sweep(_ table: ConditionTable) { shapes.sweep(table) }
  mutating func tidy(_ slot: UInt32, _ table: ConditionTable) { shapes.tidy(slot, table) }
  mutating func takeListed(_ table: ConditionTable) -> ContiguousArray<UInt32> { shapes.takeListed(table) }
  mutating func rebase(_ table: ConditionTable) { shapes.rebase(table) }

  /// Keeps a shape undetermined although all shapes were swept.
  mutating func keepUndetermined(_ slot: UInt32, _ table: ConditionTable) { shapes.setUndetermined(slot, table) }

  // MARK: - Beacons

  /// The beacon conditions, in add order.
  func beaconSlots(_ table: ConditionTable) -> ContiguousArray<UInt32> {
    guard !beacons.isEmpty else { return [] }
    var slots = ContiguousArray(beacons.slots)
    table.putInOrder(&slots)
    return slots
  }

  /// Records a sighting.
  ///
  /// - Parameter deadline: The time at which the beacon counts as absent unless it is seen again, in microseconds.
  /// - Returns: The state before the sighting; `inside` for a condition that is not a beacon condition.
  mutating func see(_ slot: UInt32, at time: Int64, deadline: Int64) -> Observed {
    guard let before = beacons[slot]?.observed else { return .inside }
    beacons[slot] = BeaconTrack(observed: .inside, lastSighting: time, deadline: deadline)
    journal.touch(slot, isUrgent: before != .inside)
    return before
  }

  /// Sets the time at which a beacon that is not seen counts as absent, in microseconds.
  mutating func countAbsence(_ slot: UInt32, until deadline: Int64) {
    beacons[slot]?.deadline = deadline
    journal.touch(slot)
  }

  /// Settles that no matching beacon is near.
  ///
  /// - Returns: The state before; `nil` for a condition that is not a beacon condition.
  mutating func settleAbsent(_ slot: UInt32) -> BeaconTrack? {
    guard let before = beacons[slot] else { return nil }
    beacons[slot] = BeaconTrack(observed: .outside, lastSighting: before.lastSighting)
    journal.touch(slot)
    return before
  }

  /// Stops the timer of a beacon's absence. The caller marks the row, or removes the condition.
  mutating func endAbsence(_ slot: UInt32) {
    if !beacons.isEmpty { beacons[slot]?.deadline = .max }
  }

  // MARK: - Timings

  /// Whether a condition has the state of a timing.
  @inline(__always)
  var hasTimed: Bool { !timed.isEmpty }

  /// The state of the timing of a condition; `nil` if the condition has no timing.
  @inline(__always)
  func timed(_ slot: UInt32) -> TimedState? { timed[slot] }

  /// The conditions with the state of a timing.
  var timedSlots: ContiguousArray<UInt32> { timed.slots }

  /// Sets the state of the timing of a condition; `nil` if the condition has no timing.
  @inline(never)
  mutating func setTimed(_ slot: UInt32, _ state: TimedState?) {
    timed[slot] = state
    journal.touch(slot)
  }

  /// Cancels the repeats and the absence of a condition with a timing. The caller marks the row, or removes the
  /// condition.
  mutating func forgetTimed(_ slot: UInt32) {
    guard hasTimed, var state = timed(slot), state.deadline != .max || state.evidenceDate != .min else { return }
    state.forgetDeadlines()
    setTimed(slot, state)
  }

  /// Notes that the definition of a condition has changed.
  mutating func redefine(_ slot: UInt32) { journal.redefine(slot) }

  // MARK: - Rules

  /// Returns the states of the rules for a change, with room for a number of names.
  @inline(never)
  mutating func ownRules(_ count: Int) -> RuleStates {
    if rules == nil {
      rules = RuleStates()
    } else if rules?.isBusy != true, !isKnownUniquelyReferenced(&rules), let shared = rules {
      rules = RuleStates(copying: shared)
    }
    rules!.makeRoom(count)
    return rules!
  }

  mutating func dropRules() { rules = nil }

  /// Marks the row of a rule, whose state has changed.
  mutating func touchRule(_ slot: UInt32) { journal.touch(slot) }

  private mutating func forgetRule(_ slot: UInt32, _ table: ConditionTable) {
    guard let book = table.rules else { return }
    let states = ownRules(book.nameBound)
    let name = book.name(of: slot)
    states.cells[Int(name)].observed = .undetermined
    _ = states.closeCandidate(name)
  }

  /// The time of the changes that rules have not looked at; `Int64.max` without any.
  var ruleChangeTime: Int64 { rules?.changeTime ?? .max }

  /// Whether rules may be due, or have to repeat.
  var hasRulesDue: Bool { rules.map { !$0.due.isEmpty || !$0.repeats.isEmpty } ?? false }

  func hasRulesToLookAt(servesPending: Bool) -> Bool {
    guard let rules else { return false }
    return !rules.marks.isEmpty || !rules.due.isEmpty || !rules.repeats.isEmpty || !rules.listed.isEmpty
      || (servesPending && !rules.pending.isEmpty)
  }

  // MARK: - The host

  mutating func state(_ stated: HostState) {
    host = stated
    journal.markUrgent()
  }

  mutating func scan(_ isOn: Bool) {
    isScanning = isOn
    journal.markUrgent()
  }

  // MARK: - All shapes

  /// Makes all shapes undetermined. The caller must then call ``forget(_:_:)`` for each shape, which marks its row.
  mutating func forgetShapes() {
    journal.markUrgent()
    shapes.forgetAll()
  }

  /// Clears the time of a beacon's last sighting.
  mutating func forgetSighting(_ slot: UInt32) {
    guard !beacons.isEmpty, let track = beacons[slot], track.lastSighting != .min else { return }
    beacons[slot]?.lastSighting = .min
    journal.touch(slot)
  }

  // MARK: - Many devices in turn, without a storage

  /// Starts with a device that is settled outside all shapes and all beacons up to two generations, and has no other
  /// state.
  mutating func begin(
    host: HostState, isScanning: Bool, sweptThrough generation: UInt64, beaconsAbsent: UInt64, _ table: ConditionTable
  ) {
    self.host = host
    self.isScanning = isScanning
    self.beaconsAbsent = beaconsAbsent
    shapes.begin(sweptThrough: generation, table)
    candidates.removeAll()
    beacons.removeAll()
    timed.removeAll()
  }

  /// Loads the observed state of a shape without an entry, and the index of its watch.
  mutating func load(_ slot: UInt32, _ observed: Observed, active index: UInt32) {
    shapes.load(slot, observed, active: index)
  }

  /// Loads the state of a beacon condition.
  mutating func load(_ slot: UInt32, _ track: BeaconTrack) { beacons[slot] = track }

  // MARK: - The journal

  mutating func beginJournal() { journal = Journal(isOn: true) }
  mutating func clearJournal() { journal.clear() }
  mutating func add(earlier: Journal) { journal.add(earlier: earlier) }
  mutating func endJournal() { journal = Journal() }

  // MARK: - Restoring

  /// Restores the saved state of the host, and the generation up to which shapes without a row are settled outside.
  mutating func restore(host: HostState, isScanning: Bool, sweptThrough generation: UInt64) {
    self.host = host
    self.isScanning = isScanning
    shapes.restore(sweptThrough: generation)
  }

  /// Restores the saved state of a condition.
  mutating func restore(
    _ slot: UInt32, _ observed: Observed, hasMetCoarseFix: Bool, _ candidate: Candidate?, _ track: BeaconTrack?,
    _ table: ConditionTable
  ) throws(Damage) {
    let isGeographic = table.isGeographic(slot)
    guard candidate == nil || (isGeographic && observed != .undetermined) else {
      throw Damage("a beacon or an undetermined shape has a candidate")
    }
    let isBeacon = table.kind(of: slot).isBeacon
    guard track == nil || isBeacon else { throw Damage("a shape or a rule has a sighting") }
    if isGeographic {
      shapes.restore(slot, observed, hasMetCoarseFix: hasMetCoarseFix, table)
      if let candidate { candidates[slot] = candidate }
    } else if isBeacon {
      var track = track ?? BeaconTrack()
      track.observed = observed
      beacons[slot] = track
    }
  }
}

/// The side of a condition's boundary on which the detectors of one device observe the device.
enum Observed: UInt8, Sendable {
  case undetermined = 0
  /// Inside, or a matching beacon is near.
  case inside = 1
  /// Outside, or no matching beacon is near.
  case outside = 2

  var state: Event.State {
    switch self {
    case .undetermined: .unknown
    case .inside: .satisfied
    case .outside: .unsatisfied
    }
  }

  init(_ state: Event.State) { self = state == .satisfied ? .inside : state == .unsatisfied ? .outside : .undetermined }
}

/// A crossing that is not confirmed yet: a decisive fix was on the other side of the boundary, and no later fix was on
/// the old side.
struct Candidate: Sendable {
  /// The fix that opened the candidate.
  var fix: Fix
  /// The signed boundary distance of the fix, in metres.
  var boundaryDistance: Double
  /// The time at which the dwell ends, in microseconds.
  var deadline: Int64
  /// Whether the deadline confirms the crossing; otherwise the first fix on the new side at or after the deadline does.
  var isTimed: Bool
  /// Whether the fix is a point of the path between two fixes.
  var isOnPath = false
  /// See ``EventEntry/probability``.
  var probability = Float.nan
  /// See ``EventEntry/verticalDistance``.
  var verticalDistance = Double.nan
}

/// The observed state of a beacon condition, and its last sighting.
struct BeaconTrack: Sendable {
  var observed: Observed = .undetermined
  /// The time of the last matching sighting, in microseconds; `Int64.min` without a sighting.
  var lastSighting: Int64 = .min
  /// The time at which the beacon counts as absent, in microseconds; `Int64.max` while absence is not counted.
  var deadline: Int64 = .max

  /// Whether only the observed state has to be saved.
  var isBlank: Bool { lastSighting == .min && deadline == .max }
}
