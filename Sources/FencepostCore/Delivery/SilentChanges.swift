import FencepostKernel

/// With delivery `every`: changes that a policy does not notify of. They reach the record in their turn, which is
/// after the events of their own condition that were queued before; other conditions do not hold them up.
///
/// Between two events only the last silent change matters, so there are never more of these than events.
struct SilentChanges: Sendable {
  /// The change number of the last event that is not handled, per condition whose policy leaves something out.
  private var lastEvents: [UInt32: UInt64] = [:]
  /// What follows the event of a change number.
  private var following: [UInt64: EventEntry] = [:]

  /// How many wait.
  var count: Int { following.count }

  /// Takes note of an event that was queued.
  mutating func queued(_ event: EventEntry) {
    lastEvents[event.slot] = event.change
  }

  /// Keeps a silent change until the events of its condition are handled.
  ///
  /// - Returns: The change number of the event that it waits for, and the silent change that it replaces; `nil` when
  ///   there is no such event: the record takes it at once.
  mutating func wait(_ entry: EventEntry) -> (event: UInt64, replaced: EventEntry?)? {
    guard let last = lastEvents[entry.slot] else { return nil }
    return (last, following.updateValue(entry, forKey: last))
  }

  /// Calls `body` with each silent change and the change number of the event that it waits for, in no particular order.
  func forEach(_ body: (EventEntry, UInt64) -> Void) {
    for (event, entry) in following { body(entry, event) }
  }

  /// Puts a silent change back behind its event; `false` when no such event waits for its condition.
  mutating func restore(_ entry: EventEntry, follows event: UInt64) -> Bool {
    guard let last = lastEvents[entry.slot], last >= event else { return false }
    return following.updateValue(entry, forKey: event) == nil
  }

  /// Takes note of an event that was handled.
  ///
  /// - Returns: The change whose turn has come with it.
  @inline(__always)
  mutating func handled(_ event: EventEntry) -> EventEntry? {
    lastEvents.isEmpty && following.isEmpty ? nil : take(event)
  }

  @inline(never)
  private mutating func take(_ event: EventEntry) -> EventEntry? {
    if lastEvents[event.slot] == event.change { lastEvents[event.slot] = nil }
    return following.removeValue(forKey: event.change)
  }

  /// Takes note of an event that was dropped because its condition is gone.
  mutating func dropped(_ event: EventEntry) {
    if !following.isEmpty { following[event.change] = nil }
  }

  /// Takes note that a condition is removed or replaced.
  mutating func remove(_ slot: UInt32) {
    if !lastEvents.isEmpty { lastEvents[slot] = nil }
  }
}

#if FENCEPOST_INVARIANTS
  extension SilentChanges {
    /// - Parameter pending: The live events that wait or are not committed, by change.
    func checkInvariants(
      _ pending: [UInt64: EventEntry], isLive: (EventEntry) -> Bool
    ) throws(Invariant.Broken) {
      for (change, entry) in following where isLive(entry) {
        try Invariant.hold(
          pending[change]?.slot == entry.slot && entry.change > change,
          "a silent change follows an event of its condition")
      }
      for (slot, change) in lastEvents {
        try Invariant.hold(
          pending[change]?.slot == slot, "silent changes wait only for a condition with a pending event")
      }
    }
  }
#endif
