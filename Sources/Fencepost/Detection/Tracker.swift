import FencepostKernel

/// What the inputs of one device have led to: the clock, what the host stated, and what the detectors believe of each
/// condition.
///
/// It knows the definitions, which come with each call, and tells a ``Delivery`` what it observes; of what becomes of
/// that it asks only whether a state would be news. What of it is saved is marked in `journal`.
struct Tracker: Sendable {
  var options: MonitorOptions
  /// The largest time given, microseconds; `Int64.min` = unset.
  var clock: Int64 = .min
  var counters = MonitorStatistics()
  /// The latest fix with a valid position.
  var lastFix: Fix?
  var host = HostState()
  var isScanning = true
  /// How much of the table's changes was replayed.
  var seen: UInt64 = 0

  var states = SlotStates()
  var candidates: [UInt32: Candidate] = [:]
  var active = Watches()
  var neighbourhood = Neighbourhood()
  var deadlines = Deadlines()
  var beaconTracks: [UInt32: BeaconTrack] = [:]
  /// Beacon conditions added before any time was known: their absence is counted from the first time.
  var beaconsAwaitingClock: ContiguousArray<UInt32> = []
  var journal = Journal()

  init(_ options: MonitorOptions) {
    self.options = options
  }

  /// The tracker of a fork, which has no storage.
  func forked() -> Tracker {
    var copy = self
    copy.journal = Journal()
    return copy
  }

  func isSuspended(_ slot: UInt32, _ table: ConditionTable) -> Bool { host.flags(of: slot, in: table).suspends }

  /// Counts an input whose time is in range, and not before the clock or too far ahead of it.
  ///
  /// - Returns: Whether it did; not before any time is known.
  @inline(__always)
  mutating func takes(_ time: Timestamp) -> Bool {
    guard clock != .min, UInt64(bitPattern: time.microseconds &- clock) <= options.longestTimeStep else { return false }
    counters.inputCount += 1
    return true
  }

  // MARK: - Conditions that come and go

  /// Makes room for what is known of a condition that came into a slot.
  mutating func adopt(_ slot: UInt32, _ table: ConditionTable) {
    if table.kind(of: slot).isGeographic {
      states.adopt(generation: table.generation(of: slot))
    } else {
      beaconTracks[slot] = BeaconTrack()
    }
    journal.touch(slot)
  }

  /// Forgets a condition that left its slot.
  mutating func drop(_ slot: UInt32, _ table: ConditionTable) {
    endWatching(slot, table)
    states.drop(slot)
    if !beaconTracks.isEmpty { beaconTracks[slot] = nil }
  }

  /// What the detectors believe of a condition.
  func observed(_ slot: UInt32, _ table: ConditionTable) -> Observed {
    table.kind(of: slot).isGeographic
      ? states.observed(slot, table) : beaconTracks[slot]?.observed ?? .undetermined
  }

  /// Starts to watch a condition that is undetermined.
  mutating func begin(
    _ slot: UInt32, lookingBack: Bool, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard table.kind(of: slot).isGeographic else { return startAbsence(slot, at: clock) }
    var survey = Survey()
    if lookingBack, let fix = lastFix, clock != .min,
      clock - fix.time.microseconds <= options.initialFixMaxAgeMicroseconds
    {
      states.sweepLast()
      let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
      if decide(slot, fix, at: position, table, &delivery, &survey) { return }
    }
    neighbourhood.removeSafeRegion()
    states.wait(slot, table)
  }

  /// Ends the watching of a condition: it becomes undetermined, and what was observed of it behind an event is void.
  mutating func stop(_ slot: UInt32, _ table: ConditionTable, _ delivery: inout Delivery) {
    endWatching(slot, table)
    if table.kind(of: slot).isGeographic {
      states.setUndetermined(slot, table)
    } else {
      beaconTracks[slot]?.observed = .undetermined
    }
    journal.touch(slot)
    delivery.forgetPresent(slot)
  }

  /// Forgets what is about to happen to a slot, whatever condition has or had it.
  private mutating func endWatching(_ slot: UInt32, _ table: ConditionTable) {
    if !candidates.isEmpty { candidates[slot] = nil }
    deadlines.cancel(slot)
    if !beaconTracks.isEmpty { beaconTracks[slot]?.deadline = .max }
    if let index = states.exception(slot)?.active, index != SlotState.none {
      states.setActive(slot, SlotState.none, table)
      if let moved = active.remove(index) { states.setActive(moved, index, table) }
    }
    neighbourhood.update(slot, nil)
  }

  // MARK: - What the host states

  /// Takes what the host can do from now on: what is suspended becomes undetermined, what is not any more begins anew.
  mutating func change(to stated: HostState, _ table: ConditionTable, _ delivery: inout Delivery) {
    let slots = Array(table.live)
    let before = slots.map { delivery.flags(of: $0, host, table) }
    host = stated
    journal.markUrgent()
    neighbourhood.invalidate()
    for (slot, old) in zip(slots, before) {
      let new = delivery.flags(of: slot, host, table)
      guard new != old else { continue }
      if new.suspends, !old.suspends { stop(slot, table, &delivery) }
      // Ceasing to be unmonitored is no news: what is still to be told keeps the date of what caused it.
      if new.isNews(to: old) { delivery.flagsChanged(slot, date: clock, host, table) }
      if old.suspends, !new.suspends { begin(slot, lookingBack: false, table, &delivery) }
    }
    states.rebase(table)
  }
}
