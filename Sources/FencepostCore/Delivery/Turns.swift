import FencepostKernel

/// For the delivery modes with at most one event a condition (`first`, `latest`): what waits, what has been handed
/// out, and what was observed behind it.
struct Turns: Sendable {
  /// The event that waits to be handed out.
  var waiting: [UInt32: EventEntry] = [:]
  /// Conditions with an event that is handed out and not committed.
  var flying: Set<UInt32> = []
  /// What is observed now, where it changed behind an event.
  var present: [UInt32: EventEntry] = [:]
  /// When the flags last changed in a way that is news, and the place of that change, while an event is pending.
  var flags: [UInt32: (date: Int64, change: UInt64)] = [:]

  /// Whether no condition is busy.
  var isIdle: Bool { waiting.isEmpty && flying.isEmpty }

  func isBusy(_ slot: UInt32) -> Bool {
    waiting[slot] != nil || flying.contains(slot)
  }

  /// Calls `body` with each event that waits, in no particular order.
  func forEachWaiting(_ body: (EventEntry) -> Void) {
    for entry in waiting.values { body(entry) }
  }

  mutating func remove(_ slot: UInt32) {
    waiting[slot] = nil
    flying.remove(slot)
    present[slot] = nil
    flags[slot] = nil
  }
}

#if FENCEPOST_INVARIANTS
  extension Turns {
    /// - Parameter pending: The live events that were handed out and are not committed.
    func checkInvariants(_ inFlight: [EventEntry]) throws(Invariant.Broken) {
      try Invariant.hold(
        inFlight.count == flying.count && flying == Set(inFlight.map { $0.slot }),
        "the conditions in flight match the delivered events, one per condition")
      try Invariant.hold(flying.isDisjoint(with: waiting.keys), "a condition has one event waiting or in flight")
      try Invariant.hold(
        waiting.allSatisfy { $0 == $1.slot && $1.sequence == 0 }, "a waiting event has no sequence number")
      try Invariant.hold(present.keys.allSatisfy { isBusy($0) }, "an observation waits behind an event")
      try Invariant.hold(flags.keys.allSatisfy { isBusy($0) }, "a change of flags waits behind an event")
    }
  }
#endif
