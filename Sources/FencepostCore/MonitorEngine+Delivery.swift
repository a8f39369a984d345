/// The steps from waiting events to handled events: handing out, committing, abandoning.
extension MonitorEngine {
  /// Commits the events that were handed out before, and hands out the next event; returns `nil` if no event waits.
  public mutating func nextEvent() -> Event? {
    var event: Event?
    let confidence = options.accuracyConfidence
    _ = poll(limit: 1) { entry, table in event = table.event(from: entry, confidence: confidence) }
    return event
  }

  /// Commits the events that were handed out before, and hands out up to `limit` events.
  ///
  /// - Parameter body: Receives each event in order.
  /// - Returns: The number of events that were handed out.
  package mutating func poll(limit: Int, _ body: (borrowing EventEntry, borrowing ConditionTable) -> Void) -> Int {
    acknowledge()
    guard delivery.hasEntries else { return 0 }
    var count = 0
    while count < limit {
      delivery.readAheadToHandOut(limit - count, isFirst: count == 0, table)
      let start = delivery.inFlight.handedOut
      let block = min(limit - count, ReadAhead.block)
      let handedOut = delivery.handOut(block, table)
      count += handedOut
      tell(from: start, body)
      if handedOut < block { break }
    }
    return count
  }

  /// Calls `body` with the events that were handed out to the present consumer, beginning with the event at the index
  /// `start`. One call handles many events, because each call copies the table.
  @inline(never)
  private func tell(from start: Int, _ body: (borrowing EventEntry, borrowing ConditionTable) -> Void) {
    delivery.forEachHandedOut(from: start, table) { body($0, table) }
  }

  /// Commits the events that were handed out, without handing out others.
  public mutating func acknowledge() {
    guard delivery.inFlight.handedOut > 0 else { return }
    delivery.acknowledge(host, table)
    if table.policies.hasTimings { tracker.stopExhausted(table, &delivery) }
    // With `every`, an event is counted when it is built, so a commit exhausts no part of a rule.
    if table.rules != nil, options.delivery != .every { tracker.settleRules(isCommit: true, table, &delivery) }
  }

  /// The consumer has gone away: events that were handed out and not committed are handed out again, with the same
  /// sequence.
  public mutating func abandon() {
    delivery.abandon()
  }

  /// Returns a copy in the state that a crash would leave: events that were handed out and not committed are handed out
  /// again. The copy and the original continue independently.
  ///
  /// - Complexity: O(1). Later, the copy costs time and memory in proportion to the changes of its states: it shares
  ///   the conditions with the original, and stores the states of only those conditions to which something has
  ///   happened. Adding or removing conditions copies the conditions.
  @inline(never) @_optimize(size)
  public func fork() -> MonitorEngine {
    var copy = self
    copy.tracker = tracker.forked()
    copy.delivery = delivery.forked()
    return copy
  }

  /// Whether an event waits, or was handed out to a previous consumer that did not commit it.
  public var hasEvents: Bool { delivery.hasEvents(table) }

  /// The number of events that wait, or were handed out to a previous consumer that did not commit them.
  package var waitingEvents: Int { delivery.waitingEvents(table) }

  /// The number of events that wait to be handed out.
  var pendingEvents: Int { delivery.pendingEvents }

  /// Whether the condition that caused an entry still exists and was not replaced.
  func isLive(_ entry: EventEntry) -> Bool { table.holds(entry.slot, entry.generation) }

  /// The last event of the condition in a live slot, or the first record of the condition. It shows whether the
  /// condition is inactive now, because that alone causes no event.
  package func lastEntry(of slot: UInt32) -> EventEntry {
    var entry = recordedEntry(of: slot)
    entry.diagnostics.remove(.inactive)
    entry.diagnostics.formUnion(currentFlags(of: slot).intersection(.inactive))
    return entry
  }

  private func recordedEntry(of slot: UInt32) -> EventEntry {
    if let record = delivery.told.record(of: slot) { return record }
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot), state: table.assumed(of: slot), cause: .none, date: nil)
    entry.date = delivery.told.added(slot)
    return entry
  }

  /// Tells the delivery that the flags of a condition have changed, and that the change is news to the consumer.
  mutating func flagsChanged(_ slot: UInt32) {
    delivery.flagsChanged(slot, date: clock, host, table)
  }

  /// Returns the flags that apply to a condition now.
  func currentFlags(of slot: UInt32) -> Diagnostics { delivery.flags(of: slot, host, table) }

  /// Processes the news that the storage cannot be written, or that it can be written again.
  mutating func storeIsFailing(_ isFailing: Bool) {
    delivery.storeIsFailing(isFailing, date: clock, host, table)
  }

  var isStoreFailing: Bool { delivery.isStoreFailing }
}
