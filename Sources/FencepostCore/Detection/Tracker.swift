import FencepostKernel

/// What the inputs of one device have led to: the clock, what the host stated, and what the detectors believe of each
/// condition.
///
/// It knows the definitions, which come with each call, and tells a ``Delivery`` what it observes; of what becomes of
/// that it asks only whether a state would be news.
///
/// It is made of parts, each with a state that only its own calls change: these, and what follows from them, are for the
/// detectors, which are the extensions of this type. Everybody else asks the calls below.
struct Tracker: Sendable {
  private(set) var options: MonitorOptions
  /// How far the inputs have come.
  var timeline = Timeline()
  /// What is believed, which is saved.
  var known = ObservedStates()
  // What follows from both, and from where the device is.
  var lookout = Lookout()
  var deadlines = Deadlines()
  /// How much of the table's changes was replayed.
  private(set) var seen: UInt64 = 0

  init(_ options: MonitorOptions) {
    self.options = options
  }

  /// Takes options that are known to be sound.
  mutating func adopt(_ options: MonitorOptions) {
    self.options = options
  }

  /// The tracker of a fork, which has no storage.
  func forked() -> Tracker {
    var copy = self
    copy.known.endJournal()
    return copy
  }

  /// The largest time given, microseconds; `Int64.min` = unset.
  @inline(__always)
  var clock: Int64 { timeline.clock }

  @inline(__always)
  var host: HostState { known.host }

  func isSuspended(_ slot: UInt32, _ table: ConditionTable) -> Bool { known.host.flags(of: slot, in: table).suspends }

  /// Whether an input whose time is in range is neither late nor too far ahead; not before any time is known.
  @inline(__always)
  func takes(_ time: Timestamp) -> Bool { timeline.takes(time, longestStep: options.longestTimeStep) }

  // MARK: - Conditions that come and go

  /// Makes room for what is known of a condition that came into a slot.
  mutating func adopt(_ slot: UInt32, _ table: ConditionTable) {
    known.adopt(slot, table)
  }

  /// Forgets a condition that left its slot.
  mutating func drop(_ slot: UInt32, _ table: ConditionTable) {
    endWatching(slot, table)
    known.drop(slot)
  }

  /// Takes note that all changes of the table up to a version were replayed.
  mutating func hasSeen(_ version: UInt64) {
    seen = version
  }

  /// Takes note that a condition got its place under the condition limit.
  mutating func promote(_ slot: UInt32) {
    known.promote(slot)
  }

  /// Starts to watch a condition that is undetermined.
  mutating func begin(
    _ slot: UInt32, lookingBack: Bool, _ table: ConditionTable, _ delivery: inout Delivery
  ) {
    guard table.kind(of: slot).isGeographic else { return startAbsence(slot, at: clock) }
    var survey = Survey()
    // A line has nothing that an earlier fix could decide.
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

  /// Ends the watching of a condition: it becomes undetermined, and what was observed of it behind an event is void.
  mutating func stop(_ slot: UInt32, _ table: ConditionTable, _ delivery: inout Delivery) {
    endWatching(slot, table)
    known.forget(slot, table)
    delivery.forgetPresent(slot)
  }

  /// Forgets what is about to happen to a slot, whatever condition has or had it.
  private mutating func endWatching(_ slot: UInt32, _ table: ConditionTable) {
    known.closeCandidate(slot)
    deadlines.cancel(slot)
    known.endAbsence(slot)
    lookout.forget(slot, &known, table)
  }

  // MARK: - What the host states

  /// Takes what the host can do from now on: what is suspended becomes undetermined, what is not any more begins anew.
  mutating func change(to stated: HostState, _ table: ConditionTable, _ delivery: inout Delivery) {
    let slots = Array(table.live)
    let before = slots.map { delivery.flags(of: $0, host, table) }
    known.state(stated)
    lookout.invalidate()
    for (slot, old) in zip(slots, before) {
      let new = delivery.flags(of: slot, host, table)
      guard new != old else { continue }
      if new.suspends, !old.suspends { stop(slot, table, &delivery) }
      // Ceasing to be unmonitored is no news: what is still to be told keeps the date of what caused it.
      if new.isNews(to: old) { delivery.flagsChanged(slot, date: clock, host, table) }
      if old.suspends, !new.suspends { begin(slot, lookingBack: false, table, &delivery) }
    }
    known.rebase(table)
  }
}
