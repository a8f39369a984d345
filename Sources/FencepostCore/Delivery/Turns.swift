import FencepostKernel

/// For the delivery modes with at most one event per condition (`first`, `latest`): the waiting events, the conditions
/// with an event in flight, and the observations behind these events.
struct Turns: Sendable {
  /// The event of each condition that waits for delivery.
  var waiting = [UInt32: EventEntry]()
  /// The conditions with an event in flight.
  var flying = Set<UInt32>()
  /// The current observation of each condition whose state was observed again while an event was pending.
  var present = [UInt32: EventEntry]()
  /// The date and the change number of the last reportable change of flags, for conditions with a pending event.
  var flags = [UInt32: (date: Int64, change: UInt64)]()

  /// Whether no condition is busy.
  var isIdle: Bool { waiting.isEmpty && flying.isEmpty }

  func isBusy(_ slot: UInt32) -> Bool {
    waiting[slot] != nil || flying.contains(slot)
  }

  /// Calls `body` with each waiting event, in no particular order.
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
    /// - Parameter inFlight: The valid events in flight.
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
