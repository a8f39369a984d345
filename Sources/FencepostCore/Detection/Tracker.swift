import FencepostKernel

/// The result of all inputs of one device: the clock, the state of the host, and the observed state of each condition.
///
/// The definitions of the conditions are passed with each call. The tracker passes its observations to a ``Delivery``,
/// and queries it only for whether a state would be new to the consumer.
///
/// The tracker consists of parts. Each part has a state that only its own methods change. Only the detectors, which are
/// extensions of this type, use the parts; all other code uses the methods below.
struct Tracker: Sendable {
  private(set) var options: MonitorOptions
  /// A fix that is fewer microseconds than this ahead of the clock has an acceptable time and needs no examination. It
  /// is 0 if each fix must be examined for plausibility.
  private(set) var plainSteps: UInt64
  /// ``MonitorOptions/longestTimeStep``
  private(set) var longestStep: UInt64
  /// ``MonitorOptions/reachOfMetre``
  private(set) var reachOfMetre: Double
  /// The progress of the inputs.
  var timeline = Timeline()
  /// The observed states, which are saved.
  var known = ObservedStates()
  // `lookout` and `deadlines` are derived from `timeline`, `known` and the position of the device.
  var lookout = Lookout()
  var deadlines = Deadlines()
  /// The version of the table up to which its changes were replayed.
  private(set) var seen: UInt64 = 0

  init(_ options: MonitorOptions) {
    self.options = options
    plainSteps = options.plainSteps
    longestStep = options.longestTimeStep
    reachOfMetre = options.reachOfMetre
  }

  /// Sets options that are known to be valid.
  mutating func adopt(_ options: MonitorOptions) {
    self.options = options
    plainSteps = options.plainSteps
    longestStep = options.longestTimeStep
    if options.plausibility == nil { timeline.forgetChain() }
    reachOfMetre = options.reachOfMetre
  }

  /// Returns the tracker of a fork, which has no storage.
  func forked() -> Tracker {
    var copy = self
    copy.known.endJournal()
    return copy
  }

  /// The latest time of any input, in microseconds; `Int64.min` before the first input.
  @inline(__always)
  var clock: Int64 { timeline.clock }

  @inline(__always)
  var host: HostState { known.host }

  func isSuspended(_ slot: UInt32, _ table: ConditionTable) -> Bool {
    known.host.flags(of: slot, in: table).suspends || (known.hasTimed && isInactive(slot))
  }

  /// Whether a fix with a valid time is neither late nor too far ahead, and needs no examination. `false` before the
  /// first input.
  @inline(__always)
  func takes(_ time: Timestamp) -> Bool { timeline.takes(time, within: plainSteps) }

  // MARK: - Added and removed conditions

  /// Makes room for the state of a new condition in a slot.
  mutating func adopt(_ slot: UInt32, _ table: ConditionTable) {
    known.adopt(slot, table)
    if table.kind(of: slot).isRule { adoptRule(slot, table) }
  }

  /// Removes the state of a condition that was removed from its slot.
  mutating func drop(_ slot: UInt32, _ table: ConditionTable) {
    endWatching(slot, table)
    known.drop(slot)
  }

  /// Records that all changes of the table up to a version were replayed.
  mutating func hasSeen(_ version: UInt64) {
    seen = version
  }

  /// Records that a condition is now within the condition limit.
  mutating func promote(_ slot: UInt32) {
    known.promote(slot)
  }

  /// Starts watching an undetermined condition.
  mutating func begin(
    _ slot: UInt32, lookingBack: Bool, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard table.kind(of: slot).isGeographic else {
      return table.kind(of: slot).isRule ? beginRule(slot, isStart: lookingBack, table) : startAbsence(slot, at: clock)
    }
    var survey = Survey()
    // A line has no state that an earlier fix could determine.
    if lookingBack, !table.kind(of: slot).isLine, let fix = timeline.lastFix, clock != .min,
      clock - fix.time.microseconds <= options.initialFixMaxAgeMicroseconds
    {
      known.sweepLast(table.generation(of: slot))
      let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
      if decide(slot, fix, at: position, table, &delivery, &survey) {
        if delivery.holdsChanges { endInstants(table, &delivery) }
        return
      }
    }
    lookout.removeSafeRegion()
    known.wait(slot, table)
    if table.policies.hasTimings { startShapeAbsence(slot, at: clock, table) }
  }

  /// Stops watching a condition. The condition becomes undetermined, and a state that was observed behind a pending
  /// event is discarded.
  @inline(never)
  mutating func stop(_ slot: UInt32, _ table: ConditionTable, _ delivery: inout Delivery) {
    endWatching(slot, table)
    known.forget(slot, table)
    delivery.forgetPresent(slot)
    if table.rules != nil { markPart(slot, nil, table) }
  }

  /// Removes the candidate, the deadlines and the watch of the condition in a slot.
  private mutating func endWatching(_ slot: UInt32, _ table: ConditionTable) {
    known.closeCandidate(slot)
    deadlines.cancel(slot)
    known.endAbsence(slot)
    known.forgetTimed(slot)
    lookout.forget(slot, &known, table)
  }

  // MARK: - The state of the host

  /// Changes the state of the host. Conditions that become suspended become undetermined; conditions that are no longer
  /// suspended are watched again from the beginning.
  mutating func change(to stated: HostState, _ table: ConditionTable, _ delivery: inout Delivery) {
    let slots = Array(table.live)
    let before = slots.map { delivery.flags(of: $0, host, table) }
    known.state(stated)
    lookout.invalidate()
    for (slot, old) in zip(slots, before) {
      let new = delivery.flags(of: slot, host, table)
      guard new != old else { continue }
      if new.suspends, !old.suspends { stop(slot, table, &delivery) }
      // A state that is determined after a beacon was unmonitored cannot have an earlier sighting as its evidence.
      if new.contains(.conditionUnsupported), !old.contains(.conditionUnsupported) { known.forgetSighting(slot) }
      // The end of being unmonitored is not reported. An event that still has to be reported keeps the date of its
      // cause.
      if new.isNews(to: old) { delivery.flagsChanged(slot, date: clock, host, table) }
      if old.suspends, !new.suspends { begin(slot, lookingBack: false, table, &delivery) }
    }
    known.rebase(table)
  }
}
