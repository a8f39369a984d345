/// What every delivery mode works with: the events that wait, what the consumer was told, and the notes for a storage.
///
/// What of it is saved marks `journal` by itself.
struct Post: Sendable {
  /// Queues up to this size are not searched for void entries: closing up costs less than it saves only beyond.
  private static let smallQueue = 1_024

  private(set) var told = ToldStates()
  private(set) var queue = EventQueue<EventEntry>()
  /// Events that wait to be handed out.
  private(set) var pendingEvents = 0
  /// The storage cannot be written.
  var isStoreFailing = false
  private(set) var journal = Journal()

  // MARK: - Conditions that come and go

  mutating func reserve(_ more: Int) {
    told.reserve(more)
  }

  /// - Parameter clock: The date of the condition's first record.
  mutating func adopt(_ slot: UInt32, clock: Int64) {
    told.adopt(slot, date: clock, &journal)
  }

  mutating func drop(_ slot: UInt32, generation: UInt64) {
    journal.remove(generation: generation)
    pendingEvents -= told.drop(slot)
  }

  // MARK: - What is to be told

  /// The flags that hold for a condition now.
  func flags(of slot: UInt32, _ host: HostState, _ table: ConditionTable) -> Diagnostics {
    var flags = host.flags(of: slot, in: table)
    if isStoreFailing { flags.insert(.persistenceUnavailable) }
    return flags
  }

  /// Gives an observed change the flags with which it is told, or kept.
  ///
  /// - Returns: Whether the policy notifies of such a change.
  func complete(_ entry: inout EventEntry, _ host: HostState, _ table: ConditionTable) -> Bool {
    let isNotified = entry.notify.isSubset(of: table.notify(of: entry.slot))
    entry.diagnostics = flags(of: entry.slot, host, table)
    if !isNotified {
      // A silent change does not swallow what the flags have to tell: those that were told stay as they were told, but
      // that the condition is monitored again is no news and is taken over.
      let known = told.flags(of: entry.slot)
      entry.diagnostics = known.subtracting(Diagnostics.unmonitored.subtracting(entry.diagnostics))
    }
    return isNotified
  }

  /// An event whose only news are the flags; `nil` when they are what the consumer was told.
  ///
  /// That a condition ceases to be unmonitored is no news: its next event carries the new flags.
  func newDiagnostic(
    _ slot: UInt32, date: Int64, change: UInt64, _ host: HostState, _ table: ConditionTable
  ) -> EventEntry? {
    let flags = flags(of: slot, host, table)
    guard flags.isNews(to: told.flags(of: slot)) else { return nil }
    return diagnostic(slot, flags, state: told.state(of: slot, table), date: date, change: change, table)
  }

  /// An event about flags: with the refinement of the record, where the state is one that a beacon can refine, and no
  /// evidence.
  func diagnostic(
    _ slot: UInt32, _ flags: Diagnostics, state: Event.State, date: Int64, change: UInt64, _ table: ConditionTable
  ) -> EventEntry {
    var entry = EventEntry(
      slot: slot, generation: table.generation(of: slot),
      state: flags.isDisjoint(with: .unmonitored) ? state : .unmonitored, cause: .diagnostic, date: nil)
    entry.date = date
    entry.change = change
    entry.diagnostics = flags
    if entry.state != .unsatisfied { entry.setRefinement(told.refinement(of: slot)) }
    return entry
  }

  mutating func suppose(_ slot: UInt32, _ state: Event.State?) { told.suppose(slot, state) }

  // MARK: - Waiting and told

  /// Lets an event wait to be handed out.
  ///
  /// - Parameter isTold: Whether it counts as told from now on, before it is handled.
  mutating func enqueue(_ entry: EventEntry, isTold: Bool, _ table: ConditionTable) {
    if isTold { told.note(entry, waits: true, table, &journal) } else { told.wait(entry.slot, table) }
    queue.append(entry)
    journal.put(entry)
    pendingEvents += 1
  }

  /// An event waits no more: it was handed out, or is dropped.
  mutating func waitsNoMore(_ slot: UInt32, _ table: ConditionTable) {
    told.handOut(slot, table)
    pendingEvents -= 1
  }

  /// Remembers what the consumer was told last, or will have been when the queue is empty.
  mutating func note(_ entry: EventEntry, _ table: ConditionTable) {
    told.note(entry, table, &journal)
  }

  /// Makes an event the condition's record.
  mutating func write(_ entry: EventEntry, _ table: ConditionTable) {
    told.write(entry, table, &journal)
  }

  /// Takes the entry out whose turn it is, void or not.
  mutating func takeFirst() -> EventEntry? { queue.takeFirst() }

  /// Drops void entries when they are the larger part of the queue.
  mutating func dropVoidEntries(_ isWaiting: (EventEntry) -> Bool) {
    guard queue.count > Self.smallQueue, queue.count > 2 * pendingEvents else { return }
    queue.filter(isWaiting)
  }

  // MARK: - Notes for the storage

  /// A row that follows from what waits behind an event changed.
  mutating func touch(_ slot: UInt32) { journal.touch(slot) }
  mutating func put(_ entry: EventEntry, follows event: UInt64 = 0) { journal.put(entry, follows: event) }
  mutating func delete(_ entry: EventEntry) { journal.delete(entry) }

  /// Whether something changed that is to outlive the machine, not only the process.
  var mustSync: Bool {
    get { journal.mustSync }
    set { journal.mustSync = newValue }
  }

  mutating func beginJournal() { journal = Journal(isOn: true) }
  mutating func clearJournal() { journal.clear() }
  mutating func add(earlier: Journal) { journal.add(earlier: earlier) }
  mutating func endJournal() { journal = Journal() }

  // MARK: - Restoring

  /// Takes the date of the first record of a condition that was put into the next slot.
  mutating func restore(added date: Int64) {
    told.restore(added: date)
  }

  mutating func restore(_ slot: UInt32, _ saved: ToldStates.Saved, _ table: ConditionTable) {
    told.restore(slot, saved, table)
  }

  /// Takes an event that waited.
  mutating func restoreWaiting(_ entry: EventEntry, _ table: ConditionTable) {
    queue.append(entry)
    told.wait(entry.slot, table)
    pendingEvents += 1
  }
}
