import FencepostKernel

/// With delivery `every`: the changes for which the policy wants no event. They are written to the record in order,
/// that is, after the earlier events of the same condition are committed. They do not wait for events of other
/// conditions.
///
/// Between two events of a condition, only the last silent change matters, so there are never more silent changes than
/// events.
struct SilentChanges: Sendable {
  /// The change number of the last uncommitted event, for each condition whose policy omits some events.
  private var lastEvents = [UInt32: UInt64]()
  /// The silent change that follows an event, by the change number of the event.
  private var following = [UInt64: EventEntry]()

  /// Whether deliveries, commits and dropped events have no effect here.
  @inline(__always)
  var isEmpty: Bool { lastEvents.isEmpty && following.isEmpty }

  /// The number of waiting silent changes.
  var count: Int { following.count }

  /// Records that an event was queued.
  mutating func queued(_ event: EventEntry) {
    lastEvents[event.slot] = event.change
  }

  /// Stores a silent change until the earlier events of its condition are committed.
  ///
  /// - Returns: The change number of the event that it waits for, and the silent change that it replaces; `nil` if
  ///   there is no such event, so that the caller writes the record at once.
  mutating func wait(_ entry: EventEntry) -> (event: UInt64, replaced: EventEntry?)? {
    guard let last = lastEvents[entry.slot] else { return nil }
    return (last, following.updateValue(entry, forKey: last))
  }

  /// Calls `body` with each silent change and the change number of the event that it waits for, in no particular order.
  func forEach(_ body: (EventEntry, UInt64) -> Void) {
    for (event, entry) in following { body(entry, event) }
  }

  /// Restores a silent change that follows an event; returns `false` if the condition has no such waiting event.
  mutating func restore(_ entry: EventEntry, follows event: UInt64) -> Bool {
    guard let last = lastEvents[entry.slot], last >= event else { return false }
    return following.updateValue(entry, forKey: event) == nil
  }

  /// Records that an event was committed.
  ///
  /// - Returns: The silent change that followed the event, if there is one.
  @inline(__always)
  mutating func handled(_ event: EventEntry) -> EventEntry? {
    isEmpty ? nil : take(event)
  }

  @inline(never)
  private mutating func take(_ event: EventEntry) -> EventEntry? {
    if lastEvents[event.slot] == event.change { lastEvents[event.slot] = nil }
    return following.removeValue(forKey: event.change)
  }

  /// Records that an event was dropped because its condition no longer exists.
  mutating func dropped(_ event: EventEntry) {
    if !following.isEmpty { following[event.change] = nil }
  }

  /// Records that a condition is removed or replaced.
  mutating func remove(_ slot: UInt32) {
    if !lastEvents.isEmpty { lastEvents[slot] = nil }
  }
}

#if FENCEPOST_INVARIANTS
  extension SilentChanges {
    /// - Parameter pending: The valid events that wait or are in flight, by change number.
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
