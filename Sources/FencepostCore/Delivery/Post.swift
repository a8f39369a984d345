/// The parts that every delivery mode uses: the waiting events, the reported states, and the dirty rows for the
/// storage.
///
/// Every change of a saved value is marked in `journal` automatically.
struct Post: Sendable {
  /// Queues up to this size are not searched for void entries, because removing entries from a short queue costs more
  /// than it saves.
  private static let smallQueue = 1_024

  private(set) var told = ToldStates()
  private(set) var queue = EventQueue<EventEntry>()
  /// The number of events that wait for delivery.
  private(set) var pendingEvents = 0
  /// Whether the storage cannot be written.
  var isStoreFailing = false
  private(set) var journal = Journal()
  /// For conditions with a ``ConditionTiming``: the flags that it adds, and above these the number of events if there is
  /// a largest number.
  private var timings = RareEntries<Int64>()
  private static let countShift: Int64 = 16
  /// The conditions that have just been exhausted.
  private var newlyExhausted: ContiguousArray<UInt32> = []

  // MARK: - Added and removed conditions

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
    if !timings.isEmpty { setTiming(slot, [], eventCount: 0) }
  }

  // MARK: - Flags

  /// Returns the flags that apply to a condition now.
  func flags(of slot: UInt32, _ host: HostState, _ table: ConditionTable) -> Diagnostics {
    var flags = untimedFlags(of: slot, host, table)
    if !timings.isEmpty { flags.formUnion(timingFlags(of: slot)) }
    return flags
  }

  /// The flags of a condition of a table without timings.
  @inline(__always)
  private func untimedFlags(of slot: UInt32, _ host: HostState, _ table: ConditionTable) -> Diagnostics {
    var flags = host.flags(of: slot, in: table)
    if isStoreFailing { flags.insert(.persistenceUnavailable) }
    return flags
  }

  @inline(__always)
  private func timing(of slot: UInt32) -> Int64 { timings[slot] ?? 0 }

  @inline(__always)
  private func timingFlags(of slot: UInt32) -> Diagnostics {
    Diagnostics(rawValue: UInt32(truncatingIfNeeded: timing(of: slot) & (1 << Self.countShift - 1)))
  }

  /// The number of events of a condition with ``ConditionTiming/maxEvents``.
  func eventCount(of slot: UInt32) -> UInt32 { UInt32(timing(of: slot) >> Self.countShift) }

  @inline(never)
  private mutating func setTiming(_ slot: UInt32, _ flags: Diagnostics, eventCount: UInt32) {
    let value = Int64(flags.rawValue) | Int64(eventCount) << Self.countShift
    timings[slot] = value == 0 ? nil : value
  }

  /// Whether a condition has flags or a number of events that its timing causes.
  @inline(__always)
  var hasTimings: Bool { !timings.isEmpty }

  /// Forgets the flags and the numbers of events of all conditions.
  mutating func forgetTimings() { timings.removeAll() }

  /// Whether a condition has had as many events as its ``ConditionTiming/maxEvents`` allows.
  @inline(__always)
  func isExhausted(_ slot: UInt32) -> Bool { timingFlags(of: slot).contains(.exhausted) }

  /// Sets the flags that the schedule of a condition adds.
  mutating func setFlags(of slot: UInt32, _ flags: Diagnostics) {
    setTiming(slot, flags, eventCount: eventCount(of: slot))
  }

  mutating func restore(_ slot: UInt32, eventCount: UInt32) { setTiming(slot, [], eventCount: eventCount) }

  /// Returns a condition that was just exhausted, or `nil`.
  mutating func takeExhausted() -> UInt32? { newlyExhausted.popLast() }

  /// Counts an event that is built. The last event that a condition may have says that the condition is exhausted.
  @inline(never)
  mutating func count(_ entry: inout EventEntry, _ table: ConditionTable) {
    guard let most = table.timing(of: entry.slot)?.maxEvents, most != 0, entry.cause != .diagnostic,
      !entry.marks.contains(.counted)
    else { return }
    entry.marks.insert(.counted)
    let earlier = eventCount(of: entry.slot)
    // A damaged row may contain a change of an exhausted condition, which must not count past the end of the range.
    guard earlier < most else { return }
    let count = earlier + 1
    let isLast = count == most
    setTiming(entry.slot, isLast ? [.inactive, .exhausted] : timingFlags(of: entry.slot), eventCount: count)
    journal.touch(entry.slot)
    guard isLast else { return }
    entry.diagnostics.formUnion([.inactive, .exhausted])
    newlyExhausted.append(entry.slot)
  }

  /// Sets the flags with which an observed change is reported or recorded.
  ///
  /// - Returns: Whether the policy asks for an event for such a change.
  func complete(_ entry: inout EventEntry, _ host: HostState, _ table: ConditionTable) -> Bool {
    let isNotified = entry.notify.isSubset(of: table.notify(of: entry.slot))
    entry.diagnostics = flags(of: entry.slot, host, table)
    if !isNotified {
      // A silent change (one without an event) must not hide new flags, so the last reported flags are kept. Only flags
      // of an unmonitored condition that no longer apply are removed, because the end of being unmonitored is not
      // reported.
      let known = told.flags(of: entry.slot)
      entry.diagnostics = known.subtracting(Diagnostics.unmonitored.subtracting(entry.diagnostics))
    }
    return isNotified
  }

  /// Returns an event that reports only new flags; `nil` if the consumer already knows the flags.
  ///
  /// If a condition is monitored again, no event is needed: the condition's next event has the new flags.
  func newDiagnostic(
    _ slot: UInt32, date: Int64, change: UInt64, _ host: HostState, _ table: ConditionTable
  ) -> EventEntry? {
    let flags = flags(of: slot, host, table)
    guard flags.isNews(to: told.flags(of: slot)) else { return nil }
    return diagnostic(slot, flags, state: told.state(of: slot, table), date: date, change: change, table)
  }

  /// Returns an event about flags. It has no evidence. If a beacon can refine the state, the event has the refinement
  /// of the record.
  func diagnostic(
    _ slot: UInt32, _ flags: Diagnostics, state: Event.State, date: Int64, change: UInt64, _ table: ConditionTable
  ) -> EventEntry {
    var entry = EventEntry(flags, slot: slot, generation: table.generation(of: slot), state: state, date: date)
    entry.change = change
    if entry.state != .unsatisfied { entry.setRefinement(told.refinement(of: slot)) }
    return entry
  }

  mutating func suppose(_ slot: UInt32, _ state: Event.State?) { told.suppose(slot, state) }

  // MARK: - Waiting and reported

  /// Adds an event to the queue.
  ///
  /// - Parameter isTold: Whether the event's state counts as reported from now on, before the event is committed.
  mutating func enqueue(_ entry: EventEntry, isTold: Bool, _ table: ConditionTable) {
    if isTold { told.note(entry, waits: true, table, &journal) } else { told.wait(entry.slot, table) }
    queue.append(entry)
    journal.put(entry)
    pendingEvents += 1
  }

  /// Adds the event of the latest change, if the change is new to the consumer; for delivery `every`, a policy that asks
  /// for all events, and a table without timings.
  @inline(never)
  mutating func enqueue(news observed: EventEntry, change: UInt64, _ host: HostState, _ table: ConditionTable) {
    guard observed.direction != nil || observed.state != told.state(of: observed.slot, table) else { return }
    let flags = untimedFlags(of: observed.slot, host, table)
    told.note(observed, flags, waits: true, table, &journal)
    queue.append(latest: observed) {
      $0.change = change
      $0.diagnostics = flags
    }
    if journal.isOn { journal.put(queue.latest) }
    pendingEvents += 1
  }

  /// Counts one waiting event less, because the event was delivered or dropped.
  mutating func waitsNoMore(_ slot: UInt32, _ table: ConditionTable) {
    told.handOut(slot, table)
    pendingEvents -= 1
  }

  /// Sets the last reported state, or the state that will have been reported once the queue is empty.
  mutating func note(_ entry: EventEntry, _ table: ConditionTable) {
    told.note(entry, table, &journal)
  }

  /// Writes an event as the record of its condition.
  mutating func write(_ entry: EventEntry, _ table: ConditionTable) {
    told.write(entry, table, &journal)
  }

  /// Delivers up to `limit` of the next events in the order of the queue; stops before a void event.
  ///
  /// - Returns: The number of events that were delivered.
  mutating func handOut(
    _ limit: Int, _ sequence: inout UInt64, to inFlight: inout InFlight<EventEntry>, _ table: ConditionTable
  ) -> Int {
    let most = min(limit, queue.straightCount)
    var count = 0
    while count < most, table.holds(queue[ahead: count].slot, queue[ahead: count].generation) {
      inFlight.append(queue[ahead: count])
      sequence += 1
      inFlight.last.sequence = sequence
      told.handOut(inFlight.last.slot, table)
      journal.put(inFlight.last)
      count += 1
    }
    guard count > 0 else { return 0 }
    pendingEvents -= count
    queue.removeFirst(straight: count)
    return count
  }

  /// Commits some of the delivered events; void ones are dropped.
  mutating func commit(_ entries: ContiguousArray<EventEntry>, _ range: Range<Int>, _ table: ConditionTable) {
    for index in range where table.holds(entries[index].slot, entries[index].generation) {
      journal.delete(entries[index])
      told.write(entries[index], table, &journal)
    }
  }

  /// Removes and returns the next entry, even if it is void.
  mutating func takeFirst() -> EventEntry? { queue.takeFirst() }

  /// Drops the void entries if more than half of the queue is void.
  mutating func dropVoidEntries(_ isWaiting: (EventEntry) -> Bool) {
    guard queue.count > Self.smallQueue, queue.count > 2 * pendingEvents else { return }
    queue.filter(isWaiting)
  }

  // MARK: - Dirty rows

  /// Marks the row of a condition as dirty, because a change waits behind an event.
  mutating func touch(_ slot: UInt32) { journal.touch(slot) }
  mutating func put(_ entry: EventEntry, follows event: UInt64 = 0) { journal.put(entry, follows: event) }
  mutating func delete(_ entry: EventEntry) { journal.delete(entry) }

  /// Whether a change must survive a power failure, not only a crash of the process.
  var mustSync: Bool {
    get { journal.mustSync }
    set { journal.mustSync = newValue }
  }

  mutating func beginJournal() { journal = Journal(isOn: true) }
  mutating func clearJournal() { journal.clear() }
  mutating func add(earlier: Journal) { journal.add(earlier: earlier) }
  mutating func endJournal() { journal = Journal() }

  // MARK: - Restoring

  /// Restores the date of the first record of the condition in the next slot.
  mutating func restore(added date: Int64) {
    told.restore(added: date)
  }

  mutating func restore(_ slot: UInt32, _ saved: ToldStates.Saved, _ table: ConditionTable) {
    told.restore(slot, saved, table)
  }

  /// Restores a waiting event.
  mutating func restoreWaiting(_ entry: EventEntry, _ table: ConditionTable) {
    queue.append(entry)
    told.wait(entry.slot, table)
    pendingEvents += 1
  }
}
