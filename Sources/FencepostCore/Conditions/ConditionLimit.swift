import FencepostKernel

/// The conditions that have one of the limited places, and the conditions that wait for a place. The condition that has
/// waited longest gets the next free place.
struct ConditionLimit: Sendable {
  /// A queue of at most this many tickets is not searched for returned tickets.
  private static let fewTickets = 64

  /// The number of places; `nil` for no limit.
  let capacity: Int?
  private var held = 0
  private var queue: ContiguousArray<(slot: UInt32, ticket: UInt64)> = []
  private var head = 0
  private var tickets = [UInt32: UInt64]()
  private(set) var lastTicket: UInt64 = 0

  init(capacity: Int?) {
    self.capacity = capacity
  }

  /// Takes a place for a new condition; returns false if there is no free place and the condition waits.
  mutating func enter(_ slot: UInt32) -> Bool {
    if capacity.map({ held < $0 }) ?? true {
      held += 1
      return true
    }
    lastTicket += 1
    tickets[slot] = lastTicket
    queue.append((slot, lastTicket))
    return false
  }

  /// Gives up the place or the ticket of a condition. Returns the condition that gets the free place, if there is one.
  mutating func leave(_ slot: UInt32) -> UInt32? {
    if tickets.removeValue(forKey: slot) != nil {
      closeUp()
      return nil
    }
    held -= 1
    while head < queue.count {
      let (promoted, ticket) = queue[head]
      head += 1
      if tickets[promoted] == ticket {
        tickets[promoted] = nil
        held += 1
        closeUp()
        return promoted
      }
    }
    closeUp()
    return nil
  }

  /// Whether a condition waits for a place.
  var isExceeded: Bool { !tickets.isEmpty }

  /// Returns the ticket of a waiting condition, which determines its place in the queue.
  func ticket(of slot: UInt32) -> UInt64? { tickets[slot] }

  // MARK: - Restoring

  mutating func startTickets(after ticket: UInt64) {
    lastTicket = ticket
  }

  mutating func restoreHeld() {
    held += 1
  }

  /// Records that a restored condition, which was counted as having a place, waits for one.
  mutating func restoreWaiting(_ slot: UInt32, ticket: UInt64) {
    held -= 1
    tickets[slot] = ticket
    queue.append((slot, ticket))
  }

  mutating func sortWaiting() {
    queue.arrange { $0.ticket < $1.ticket }
  }

  /// Removes the tickets that are no longer in use from a long queue if they are more than half of it.
  private mutating func closeUp() {
    guard queue.count > Self.fewTickets, queue.count > tickets.count * 2 else { return }
    queue.removeFirst(head)
    head = 0
    queue.removeAll { tickets[$0.slot] != $0.ticket }
  }
}

#if FENCEPOST_INVARIANTS
  extension ConditionLimit {
    func checkInvariants(conditions: Int) throws(Invariant.Broken) {
      try Invariant.hold(
        held + tickets.count == conditions, "each condition has a place under the limit or waits for one")
      if let capacity {
        try Invariant.hold(held <= capacity, "the number of conditions with a place is within the limit")
        try Invariant.hold(tickets.isEmpty || held == capacity, "no condition waits while a place is free")
      } else {
        try Invariant.hold(tickets.isEmpty, "no condition waits if there is no limit")
      }
      let waiting = queue[head...].filter { tickets[$0.slot] == $0.ticket }.map { $0.ticket }
      try Invariant.hold(waiting.arranged() == waiting, "the condition that waits longest is first")
      try Invariant.hold(
        Set(waiting) == Set(tickets.values) && waiting.count == tickets.count, "the queue contains each ticket once")
      try Invariant.hold(waiting.allSatisfy { $0 <= lastTicket }, "no ticket is above the last ticket")
    }
  }
#endif
