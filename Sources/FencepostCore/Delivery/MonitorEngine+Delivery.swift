/// From events that wait to events that are handled: handing out, committing, abandoning.
extension MonitorEngine {
  /// Hands out the next event and commits what was handed out before; `nil` when none waits.
  public mutating func nextEvent() -> Event? {
    var event: Event?
    _ = poll(limit: 1) { entry, table in event = table.event(from: entry) }
    return event
  }

  /// Hands out up to `limit` events and commits what was handed out before.
  ///
  /// - Parameter body: Receives each event in order.
  /// - Returns: How many were handed out.
  package mutating func poll(limit: Int, _ body: (borrowing EventEntry, borrowing ConditionTable) -> Void) -> Int {
    acknowledge()
    guard delivery.hasEntries else { return 0 }
    var count = 0
    while count < limit {
      delivery.readAheadToHandOut(limit - count, table)
      let start = delivery.inFlight.handedOut
      let block = min(limit, count + ReadAhead.block)
      while count < block, delivery.handOut(table) { count += 1 }
      tell(from: start, body)
      if count < block { break }
    }
    return count
  }

  /// Calls `body` with the events that were handed out to the present consumer from a place on; at once for many of them,
  /// since each such call copies the table.
  private func tell(from start: Int, _ body: (borrowing EventEntry, borrowing ConditionTable) -> Void) {
    delivery.forEachHandedOut(from: start, table) { body($0, table) }
  }

  /// Commits what was handed out, without asking for more.
  public mutating func acknowledge() {
    if delivery.inFlight.handedOut > 0 { delivery.acknowledge(host, table) }
  }

  /// The consumer went away: what was handed out and not committed is handed out again, with the same sequence.
  public mutating func abandon() {
    delivery.abandon()
  }

  /// A copy as it would be after a crash: what was handed out and not committed is handed out again. The two go on
  /// independently.
  ///
  /// - Complexity: O(1), and later O(what happens to the copy) in time and memory: it shares the conditions, and keeps
  ///   the states of those only that something happened to. Adding or removing conditions copies them.
  public func fork() -> MonitorEngine {
    var copy = self
    copy.tracker = tracker.forked()
    copy.delivery = delivery.forked()
    return copy
  }

  /// Whether an event waits, or was handed out to a consumer that went away.
  public var hasEvents: Bool { delivery.hasEvents(table) }

  /// Events that wait to be handed out.
  var pendingEvents: Int { delivery.pendingEvents }

  /// Whether the condition of an entry is still the one that the entry is about.
  func isLive(_ entry: EventEntry) -> Bool { table.holds(entry.slot, entry.generation) }

  /// The last event of a live slot, or its first record.
  package func lastEntry(of slot: UInt32) -> EventEntry {
    if let record = delivery.told.record(of: slot) { return record }
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: table.assumed(of: slot), cause: .none, date: nil)
    entry.date = delivery.told.added(slot)
    return entry
  }

  /// Tells the delivery that the flags of a condition changed in a way that is news.
  mutating func flagsChanged(_ slot: UInt32) {
    delivery.flagsChanged(slot, date: clock, host, table)
  }

  /// The flags that hold for a condition now.
  func currentFlags(of slot: UInt32) -> Diagnostics { delivery.flags(of: slot, host, table) }

  /// Takes note that the storage cannot be written, or can be again.
  mutating func storeIsFailing(_ isFailing: Bool) {
    delivery.storeIsFailing(isFailing, date: clock, host, table)
  }

  var isStoreFailing: Bool { delivery.isStoreFailing }
}
