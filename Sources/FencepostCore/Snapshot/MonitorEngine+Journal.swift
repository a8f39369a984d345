/// The notes of the parts together: what a save has to write.
extension MonitorEngine {
  /// Starts to note changes: what is there now counts as saved.
  mutating func beginJournal() {
    tracker.beginJournal()
    delivery.beginJournal()
  }

  /// Notes no more changes.
  mutating func endJournal() {
    tracker.endJournal()
    delivery.endJournal()
  }

  /// What was noted is saved.
  mutating func clearJournal() {
    tracker.clearJournal()
    delivery.clearJournal()
  }

  /// Notes again what an earlier state of this monitor had noted, and what was not saved after all.
  mutating func add(journalOf earlier: borrowing MonitorEngine) {
    tracker.add(earlier: earlier.tracker.journal)
    delivery.add(earlier: earlier.delivery.journal)
  }

  /// How many rows a save writes or takes away, about.
  func changeCount(since generation: UInt64) -> Int {
    let slots = max(tracker.journal.slots.count, delivery.journal.slots.count)
    let events = delivery.journal.events.count + delivery.journal.removed.count
    return slots + events + Int(clamping: table.order.lastGeneration - generation)
  }

  /// Whether something changed that is to last before the call returns: a state, a candidate, the queue.
  var hasUrgentChanges: Bool { tracker.journal.isUrgent || delivery.journal.isUrgent }

  /// Whether something changed that is to outlive the machine, not only the process.
  var mustSync: Bool { tracker.journal.mustSync || delivery.journal.mustSync }

  /// Whether something changed but what the head holds.
  var hasChanges: Bool { !tracker.journal.isEmpty || !delivery.journal.isEmpty }

  /// Rises with each note: a call that leaves it as it was changed nothing that is urgent.
  var revision: UInt64 { tracker.journal.revision &+ delivery.journal.revision }

  /// Conditions whose state changed, by generation, each once.
  var changedSlots: ContiguousArray<UInt32> {
    var slots = tracker.journal.slots + delivery.journal.slots
    slots.removeAll { !table.isLive($0) }
    table.putInOrder(&slots)
    return slots
  }
}
