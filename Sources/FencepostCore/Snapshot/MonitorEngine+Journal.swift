/// The dirty rows of all parts, which a save has to write.
extension MonitorEngine {
  /// Starts tracking changes; the current state counts as saved.
  mutating func beginJournal() {
    tracker.beginJournal()
    delivery.beginJournal()
  }

  /// Stops tracking changes.
  mutating func endJournal() {
    tracker.endJournal()
    delivery.endJournal()
  }

  /// Marks all rows as saved.
  mutating func clearJournal() {
    tracker.clearJournal()
    delivery.clearJournal()
  }

  /// Adds the changes of an earlier state of this monitor whose save failed.
  mutating func add(journalOf earlier: borrowing MonitorEngine) {
    tracker.add(earlier: earlier.tracker.journal)
    delivery.add(earlier: earlier.delivery.journal)
  }

  /// The approximate number of rows that a save writes or removes.
  func changeCount(since generation: UInt64) -> Int {
    let slots = max(tracker.journal.slots.count, delivery.journal.slots.count)
    let events = delivery.journal.events.count + delivery.journal.removed.count
    return slots + events + Int(clamping: table.order.lastGeneration - generation)
  }

  /// Whether a change must be saved before the call returns: a change of a state, a candidate or the queue.
  var hasUrgentChanges: Bool { tracker.journal.isUrgent || delivery.journal.isUrgent }

  /// Whether a change must survive a power failure, not only a crash of the process.
  var mustSync: Bool { tracker.journal.mustSync || delivery.journal.mustSync }

  /// Whether anything other than the head row may have changed.
  var hasChanges: Bool { !tracker.journal.isEmpty || !delivery.journal.isEmpty }

  /// Increases with each urgent change. If a call leaves it unchanged, the call changed nothing urgent.
  var revision: UInt64 { tracker.journal.revision &+ delivery.journal.revision }

  /// The conditions whose state changed, by generation, without duplicates.
  var changedSlots: ContiguousArray<UInt32> {
    var slots = tracker.journal.slots + delivery.journal.slots
    slots.removeAll { !table.isLive($0) }
    table.putInOrder(&slots)
    return slots
  }
}
