import FencepostKernel

/// The result of all inputs of one device: the clock, what the host stated, and the observed state of each condition.
///
/// The definitions of the conditions are passed with each call. The tracker passes its observations to a ``Delivery``,
/// which it asks only whether a state would be news.
///
/// The tracker consists of parts. Each part has a state that only its own methods change. Only the detectors, which are
/// extensions of this type, use the parts; all other code uses the methods below.
struct Tracker: Sendable {
  private(set) var options: MonitorOptions
  /// ``MonitorOptions/reachOfMetre``
  private(set) var reachOfMetre: Double
  /// The progress of the inputs.
  var timeline = Timeline()
  /// The observed states, which are saved.
  var known = ObservedStates()
  // The following two are derived from `timeline`, `known` and the position of the device.
  var lookout = Lookout()
  var deadlines = Deadlines()
  /// The version of the table up to which its changes were replayed.
  private(set) var seen: UInt64 = 0

  init(_ options: MonitorOptions) {
    self.options = options
    reachOfMetre = options.reachOfMetre
  }

  /// Sets options that are known to be valid.
  mutating func adopt(_ options: MonitorOptions) {
    self.options = options
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

  func isSuspended(_ slot: UInt32, _ table: ConditionTable) -> Bool { known.host.flags(of: slot, in: table).suspends }

  /// Whether an input with a valid time is neither late nor too far ahead. False before the first input.
  @inline(__always)
  func takes(_ time: Timestamp) -> Bool { timeline.takes(time, longestStep: options.longestTimeStep) }

  // MARK: - Conditions that come and go

  /// Makes room for the state of a condition that was put into a slot.
  mutating func adopt(_ slot: UInt32, _ table: ConditionTable) {
    known.adopt(slot, table)
  }

  /// Forgets a condition that was removed from its slot.
  mutating func drop(_ slot: UInt32, _ table: ConditionTable) {
    endWatching(slot, table)
    known.drop(slot)
  }

  /// Notes that all changes of the table up to a version were replayed.
  mutating func hasSeen(_ version: UInt64) {
    seen = version
  }

  /// Notes that a condition is now within the condition limit.
  mutating func promote(_ slot: UInt32) {
    known.promote(slot)
  }

  /// Starts watching an undetermined condition.
  mutating func begin(
    _ slot: UInt32, lookingBack: Bool, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard table.kind(of: slot).isGeographic else { return startAbsence(slot, at: clock) }
    var survey = Survey()
    // A line has no state that an earlier fix could determine.
    if lookingBack, !table.kind(of: slot).isLine, let fix = timeline.lastFix, clock != .min,
      clock - fix.time.microseconds <= options.initialFixMaxAgeMicroseconds
    {
      known.sweepLast()
      let position = EarthVector(latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude)
      if decide(slot, fix, at: position, table, &delivery, &survey) { return }
    }
    lookout.removeSafeRegion()
    known.wait(slot, table)
  }

  /// Stops watching a condition. The condition becomes undetermined, and the state that was observed while an event of
  /// it waited is void.
  mutating func stop(_ slot: UInt32, _ table: ConditionTable, _ delivery: inout Delivery) {
    endWatching(slot, table)
    known.forget(slot, table)
    delivery.forgetPresent(slot)
  }

  /// Forgets everything that is about to happen to the condition in a slot.
  private mutating func endWatching(_ slot: UInt32, _ table: ConditionTable) {
    known.closeCandidate(slot)
    deadlines.cancel(slot)
    known.endAbsence(slot)
    lookout.forget(slot, &known, table)
  }

  // MARK: - What the host states

  /// Sets what the host can do from now on. Conditions that are suspended become undetermined; conditions that are no
  /// longer suspended are watched again from the beginning.
  mutating func change(to stated: HostState, _ table: ConditionTable, _ delivery: inout Delivery) {
    let slots = Array(table.live)
    let before = slots.map { delivery.flags(of: $0, host, table) }
    known.state(stated)
    lookout.invalidate()
    for (slot, old) in zip(slots, before) {
      let new = delivery.flags(of: slot, host, table)
      guard new != old else { continue }
      if new.suspends, !old.suspends { stop(slot, table, &delivery) }
      // It is no news that a condition is monitored again. An event that still has to be reported keeps the date of its
      // cause.
      if new.isNews(to: old) { delivery.flagsChanged(slot, date: clock, host, table) }
      if old.suspends, !new.suspends { begin(slot, lookingBack: false, table, &delivery) }
    }
    known.rebase(table)
  }
}
