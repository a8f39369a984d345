import FencepostKernel

/// What the consumer was told, and will be: the events that wait, those that are handed out and not committed, the
/// records; and the build rules of the three delivery modes.
///
/// It knows the definitions and what the host can do, which both come with each call, and nothing of how a state was
/// observed. What of it is saved marks `journal` by itself.
struct Delivery: Sendable {
  /// Queues up to this size are not searched for void entries: closing up costs less than it saves only beyond.
  private static let smallQueue = 1_024

  let mode: MonitorOptions.Delivery
  private(set) var told = ToldStates()
  private var queue = EventQueue()
  private(set) var inFlight: ContiguousArray<EventEntry> = []
  /// How many of `inFlight` the present consumer was given.
  private var handedOut = 0
  /// Events that wait to be handed out.
  private(set) var pendingEvents = 0
  private(set) var lastSequence: UInt64 = 0
  /// How many changes were observed.
  private(set) var lastChange: UInt64 = 0
  /// For `every`: changes without an event that wait for their turn.
  private var silent = SilentChanges()
  /// For `first` and `latest`: what waits, what flies and what came after it, per condition.
  private var turn = Turns()
  /// The storage cannot be written.
  private(set) var isStoreFailing = false
  /// A condition was told of it.
  private var isStoreFailureTold = false
  private(set) var journal = Journal()
  /// Of what was read ahead; kept so that the reading is not optimised away.
  private var trace: UInt64 = 0

  init(_ mode: MonitorOptions.Delivery) {
    self.mode = mode
  }

  // MARK: - Conditions that come and go

  mutating func reserve(_ more: Int) {
    told.reserve(more)
  }

  /// Hears of a condition that came into a slot.
  ///
  /// - Parameter clock: The date of its first record.
  mutating func adopt(_ slot: UInt32, clock: Int64) {
    told.adopt(slot, date: clock, &journal)
  }

  /// Drops what belongs to a condition that left its slot.
  mutating func drop(_ slot: UInt32, generation: UInt64, _ table: ConditionTable) {
    journal.remove(generation: generation)
    pendingEvents -= told.drop(slot)
    turn.remove(slot)
    silent.remove(slot)
    dropVoidEntries(table)
  }

  // MARK: - What is observed

  /// Whether an observed state would change nothing that the consumer was or will be told.
  @inline(__always)
  func agrees(_ slot: UInt32, _ state: Event.State, _ table: ConditionTable) -> Bool {
    told.state(of: slot, table) == state && (mode == .every || !turn.isBusy(slot))
  }

  /// Whether no condition has an event that others wait behind.
  var isIdle: Bool { turn.isIdle }

  /// Takes note of a new observed state.
  mutating func observe(_ observed: EventEntry, _ host: HostState, _ table: ConditionTable) {
    var entry = observed
    lastChange += 1
    entry.change = lastChange
    let slot = entry.slot
    switch mode {
    case .every:
      if entry.state != told.state(of: slot, table) { build(entry, host, table) }
    case .first:
      if turn.isBusy(slot) {
        setPresent(slot, entry)
      } else if entry.state != told.state(of: slot, table) {
        build(entry, host, table)
      }
    case .latest:
      if turn.flying.contains(slot) {
        setPresent(slot, entry)
      } else if let waiting = turn.waiting[slot] {
        replace(waiting, by: entry, host, table)
      } else if entry.state != told.state(of: slot, table) {
        build(entry, host, table)
      }
    }
  }

  /// Forgets what was observed behind an event, since it holds no more.
  mutating func forgetPresent(_ slot: UInt32) {
    if !turn.present.isEmpty, turn.present[slot] != nil { setPresent(slot, nil) }
  }

  /// Takes note of a change of the flags of a condition that is news.
  mutating func flagsChanged(_ slot: UInt32, date: Int64, _ host: HostState, _ table: ConditionTable) {
    lastChange += 1
    switch mode {
    case .every:
      buildDiagnostic(slot, date: date, change: lastChange, host, table)
    case .first:
      if turn.isBusy(slot) {
        setFlags(slot, (date, lastChange))
      } else {
        buildDiagnostic(slot, date: date, change: lastChange, host, table)
      }
    case .latest:
      if !turn.flying.contains(slot) {
        if let waiting = turn.waiting[slot] {
          replaceByDiagnostic(waiting, date: date, change: lastChange, host, table)
        } else {
          buildDiagnostic(slot, date: date, change: lastChange, host, table)
        }
      }
      // Also when an event tells them: a silent change may replace it.
      setFlags(slot, turn.isBusy(slot) ? (date, lastChange) : nil)
    }
  }

  /// The flags that hold for a condition now.
  func flags(of slot: UInt32, _ host: HostState, _ table: ConditionTable) -> Diagnostics {
    var flags = host.flags(of: slot, in: table)
    if isStoreFailing { flags.insert(.persistenceUnavailable) }
    return flags
  }

  /// Takes note that the storage cannot be written, or can be again.
  ///
  /// One event tells that it fails, of the oldest condition, once there is one; all events that are built until it works
  /// again carry the flag too. Then every condition that was told is told that it is over.
  mutating func storeIsFailing(
    _ isFailing: Bool, date: Int64, _ host: HostState, _ table: ConditionTable
  ) {
    if isFailing {
      isStoreFailing = true
      if !isStoreFailureTold, let oldest = table.live.first {
        isStoreFailureTold = true
        flagsChanged(oldest, date: date, host, table)
      }
    } else if isStoreFailing {
      isStoreFailing = false
      isStoreFailureTold = false
      for slot in Array(table.live)
      where told.flags(of: slot).contains(.persistenceUnavailable) || turn.isBusy(slot) {
        flagsChanged(slot, date: date, host, table)
      }
    }
  }

  // MARK: - Building

  /// Queues an event, or updates the record silently when the policy does not notify of such a change.
  private mutating func build(_ observed: EventEntry, _ host: HostState, _ table: ConditionTable) {
    var entry = observed
    let slot = entry.slot
    let isNotified = entry.notify.isSubset(of: table.notify(of: slot))
    entry.diagnostics = flags(of: slot, host, table)
    if !isNotified {
      // A silent change does not swallow what the flags have to tell: those that were told stay as they were told, but
      // that the condition is monitored again is no news and is taken over.
      let known = told.flags(of: slot)
      entry.diagnostics = known.subtracting(Diagnostics.unmonitored.subtracting(entry.diagnostics))
    }
    switch mode {
    case .every:
      told.note(entry, waits: isNotified, table, &journal)
      if isNotified { enqueueInOrder(entry, table) } else { keepSilent(entry, table) }
    case .first, .latest:
      if isNotified {
        enqueue(entry, table)
      } else {
        told.note(entry, table, &journal)
        told.write(entry, table, &journal)
      }
    }
  }

  /// After a commit in `first` and `latest`: builds the next event of the condition, if there is something to tell.
  private mutating func buildNext(_ slot: UInt32, _ host: HostState, _ table: ConditionTable) {
    if let present = turn.present[slot] {
      setPresent(slot, nil)
      if present.state != told.state(of: slot, table) { build(present, host, table) }
    }
    buildLeftDiagnostic(slot, host, table)
  }

  /// In `first` and `latest`: tells the flags, where no event that waits does.
  private mutating func buildLeftDiagnostic(_ slot: UInt32, _ host: HostState, _ table: ConditionTable) {
    guard !turn.isBusy(slot), let flags = turn.flags[slot] else { return }
    buildDiagnostic(slot, date: flags.date, change: flags.change, host, table)
    if !turn.isBusy(slot) { setFlags(slot, nil) }
  }

  /// In `every`: lets a change without an event wait for its turn.
  private mutating func keepSilent(_ entry: EventEntry, _ table: ConditionTable) {
    guard let place = silent.wait(entry) else { return told.write(entry, table, &journal) }
    if let replaced = place.replaced { journal.delete(replaced) }
    journal.put(entry, follows: place.event)
  }

  /// Queues an event whose only news are the flags, unless they are what the consumer was told.
  ///
  /// That a condition ceases to be unmonitored is no news: its next event carries the new flags.
  private mutating func buildDiagnostic(
    _ slot: UInt32, date: Int64, change: UInt64, _ host: HostState, _ table: ConditionTable
  ) {
    let known = told.flags(of: slot)
    let flags = flags(of: slot, host, table)
    guard flags.isNews(to: known) else { return }
    let entry = diagnostic(slot, flags, state: told.state(of: slot, table), date: date, change: change, table)
    switch mode {
    case .every:
      told.note(entry, waits: true, table, &journal)
      enqueueInOrder(entry, table)
    case .first, .latest:
      enqueue(entry, table)
    }
  }

  /// In `every`: lets an event wait behind those before it, which was noted to wait.
  private mutating func enqueueInOrder(_ entry: EventEntry, _ table: ConditionTable) {
    queue.append(entry)
    journal.put(entry)
    if table.notify(of: entry.slot) != .all { silent.queued(entry) }
    pendingEvents += 1
  }

  /// In `latest`: a change replaces the waiting event; it is dropped when it is equal to the record. One that agrees
  /// with the record leaves a waiting event alone whose only news are the flags.
  private mutating func replace(
    _ waiting: EventEntry, by entry: EventEntry, _ host: HostState, _ table: ConditionTable
  ) {
    let slot = waiting.slot
    let noted = told.state(of: slot, table)
    guard entry.state != noted || waiting.state != noted else { return }
    dropWaiting(slot, table)
    let isTold = entry.notify.isSubset(of: table.notify(of: slot))
    let hasNewFlags = flags(of: slot, host, table) != told.flags(of: slot)
    if entry.state != noted || (isTold && hasNewFlags) { build(entry, host, table) }
    buildLeftDiagnostic(slot, host, table)
  }

  /// In `latest`: a change of flags replaces the waiting event, keeping its state.
  private mutating func replaceByDiagnostic(
    _ waiting: EventEntry, date: Int64, change: UInt64, _ host: HostState, _ table: ConditionTable
  ) {
    let slot = waiting.slot
    let flags = flags(of: slot, host, table)
    guard flags.isNews(to: waiting.diagnostics) else { return }
    dropWaiting(slot, table)
    let entry = diagnostic(slot, flags, state: waiting.state, date: date, change: change, table)
    let isNew = entry.state != told.state(of: slot, table) || flags != told.flags(of: slot)
    if isNew { enqueue(entry, table) }
  }

  /// An event about flags: with the refinement of the record, where the state is one that a beacon can refine, and no
  /// evidence.
  private func diagnostic(
    _ slot: UInt32, _ flags: Diagnostics, state: Event.State, date: Int64, change: UInt64,
    _ table: ConditionTable
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

  private mutating func setPresent(_ slot: UInt32, _ entry: EventEntry?) {
    turn.present[slot] = entry
    journal.touch(slot)
  }

  private mutating func setFlags(_ slot: UInt32, _ flags: (date: Int64, change: UInt64)?) {
    turn.flags[slot] = flags
    journal.touch(slot)
  }

  private mutating func enqueue(_ entry: EventEntry, _ table: ConditionTable) {
    turn.waiting[entry.slot] = entry
    told.wait(entry.slot, table)
    pendingEvents += 1
    queue.append(entry)
    journal.put(entry)
  }

  private mutating func dropWaiting(_ slot: UInt32, _ table: ConditionTable) {
    if let dropped = turn.waiting.removeValue(forKey: slot) { journal.delete(dropped) }
    told.handOut(slot, table)
    pendingEvents -= 1
    dropVoidEntries(table)
  }

  // MARK: - Handing out

  /// Whether there is anything to hand out; what waits may have become void.
  @inline(__always)
  var hasEntries: Bool { queue.count > 0 || handedOut < inFlight.count }

  /// Whether the present consumer was given what is not committed.
  @inline(__always)
  var hasHandedOut: Bool { handedOut > 0 }

  /// Hands out the next event; `nil` when none waits.
  mutating func handOut(_ table: ConditionTable) -> EventEntry? {
    while handedOut < inFlight.count {  // left by a consumer that went away
      let entry = inFlight[handedOut]
      handedOut += 1
      if table.holds(entry.slot, entry.generation) { return entry }
    }
    guard var entry = takeNext(table) else { return nil }
    lastSequence += 1
    entry.sequence = lastSequence
    pendingEvents -= 1
    told.handOut(entry.slot, table)
    if mode != .every {
      turn.waiting[entry.slot] = nil
      turn.flying.insert(entry.slot)
    }
    journal.put(entry)
    inFlight.append(entry)
    handedOut += 1
    return entry
  }

  /// Commits what was handed out.
  mutating func acknowledge(_ host: HostState, _ table: ConditionTable) {
    // A commit that a power failure takes back leads to handing out again, with the same sequence.
    let mustSync = journal.mustSync
    defer { journal.mustSync = mustSync }
    let committed = handedOut
    handedOut = 0
    for index in 0..<committed {
      if index % ReadAhead.block == 0 {
        readAheadToCommit(inFlight[index..<min(index + ReadAhead.block, committed)], table)
      }
      let entry = inFlight[index]
      if table.holds(entry.slot, entry.generation) { commit(entry, host, table) } else { silent.dropped(entry) }
    }
    if committed == inFlight.count {
      inFlight.removeAll(keepingCapacity: inFlight.capacity <= EventQueue.largestKept)
    } else {
      inFlight.removeFirst(committed)
    }
  }

  private mutating func commit(_ entry: EventEntry, _ host: HostState, _ table: ConditionTable) {
    journal.delete(entry)
    switch mode {
    case .every:
      told.write(entry, table, &journal)
      if let change = silent.handled(entry) {
        journal.delete(change)
        told.write(change, table, &journal)
      }
    case .first, .latest:
      turn.flying.remove(entry.slot)
      told.note(entry, table, &journal)
      told.write(entry, table, &journal)
      buildNext(entry.slot, host, table)
    }
  }

  /// The consumer went away: what was handed out and not committed is handed out again, with the same sequence.
  mutating func abandon() {
    handedOut = 0
  }

  /// Whether an event waits, or was handed out to a consumer that went away.
  func hasEvents(_ table: ConditionTable) -> Bool {
    if pendingEvents > 0 { return true }
    for entry in inFlight[handedOut...] where table.holds(entry.slot, entry.generation) { return true }
    return false
  }

  /// The delivery of a fork, which has no storage: what was handed out and not committed is handed out again.
  func forked() -> Delivery {
    var copy = self
    copy.journal = Journal()
    copy.isStoreFailing = false
    copy.isStoreFailureTold = false
    copy.abandon()
    return copy
  }

  /// Whether an entry of the queue is not void.
  private func isWaiting(_ entry: EventEntry, _ table: ConditionTable) -> Bool {
    table.holds(entry.slot, entry.generation) && (mode == .every || turn.waiting[entry.slot]?.change == entry.change)
  }

  private mutating func takeNext(_ table: ConditionTable) -> EventEntry? {
    while let entry = queue.first {
      queue.removeFirst()
      // In `first` and `latest` the queue keeps the place, and `turn` what waits there: it may have been replaced.
      if isWaiting(entry, table) { return mode == .every ? entry : turn.waiting[entry.slot] }
      silent.dropped(entry)
    }
    return nil
  }

  /// Drops void entries when they are the larger part of the queue.
  private mutating func dropVoidEntries(_ table: ConditionTable) {
    guard queue.count > Self.smallQueue, queue.count > 2 * pendingEvents else { return }
    var kept = EventQueue()
    swap(&kept, &queue)
    kept.filter { entry in
      let isKept = isWaiting(entry, table)
      if !isKept { silent.dropped(entry) }
      return isKept
    }
    swap(&kept, &queue)
  }

  // MARK: - Reading ahead

  /// Reads what handing out the next events will need.
  mutating func readAheadToHandOut(_ count: Int, _ table: ConditionTable) {
    let entries = queue.ahead(min(count, ReadAhead.block))
    guard entries.count > 1 else { return }
    var trace: UInt64 = 0
    for index in entries.indices {
      let slot = entries[index].slot
      trace &+= table.generation(of: slot) &+ told.trace(of: slot) &+ UInt64(table.identifiers.length(of: slot))
    }
    self.trace = trace
  }

  /// Reads what committing some events will need.
  private mutating func readAheadToCommit(_ entries: ArraySlice<EventEntry>, _ table: ConditionTable) {
    guard entries.count > 1 else { return }
    var trace: UInt64 = 0
    for index in entries.indices {
      let slot = entries[index].slot
      trace &+= table.generation(of: slot) &+ told.recordTrace(of: slot)
    }
    self.trace = trace
  }

  // MARK: - What is saved

  func present(of slot: UInt32) -> EventEntry? { turn.present.isEmpty ? nil : turn.present[slot] }

  /// When the flags last changed behind an event, and the place of that change.
  func leftFlags(of slot: UInt32) -> (date: Int64, change: UInt64)? { turn.flags.isEmpty ? nil : turn.flags[slot] }

  /// How many events ``forEachEvent(_:_:)`` has at most.
  var eventCount: Int { inFlight.count + queue.count + silent.count }

  /// Every event that waits or is not committed, and every silent change that waits for one, in no particular order.
  func forEachEvent(_ table: ConditionTable, _ body: (EventEntry, _ follows: UInt64) -> Void) {
    for entry in inFlight where table.holds(entry.slot, entry.generation) { body(entry, 0) }
    switch mode {
    case .every:
      queue.forEach { if table.holds($0.slot, $0.generation) { body($0, 0) } }
      silent.forEach { if table.holds($0.slot, $0.generation) { body($0, $1) } }
    case .first, .latest:
      turn.forEachWaiting { body($0, 0) }
    }
  }

  mutating func restore(sequence: UInt64, change: UInt64) {
    lastSequence = sequence
    lastChange = change
  }

  /// Takes the date of the first record of a condition that was put into the next slot.
  mutating func restore(added date: Int64) {
    told.restore(added: date)
  }

  /// Takes what was saved of a condition.
  mutating func restore(
    _ slot: UInt32, _ saved: ToldStates.Saved, present: EventEntry?, flags: (date: Int64, change: UInt64)?,
    _ table: ConditionTable
  ) throws(Damage) {
    told.restore(slot, saved, table)
    if let present {
      guard mode != .every else { throw Damage("an observation is out of place") }
      turn.present[slot] = present
    }
    if let flags { turn.flags[slot] = flags }
  }

  /// Takes an event that was saved; they come in the order of their changes.
  mutating func restore(_ entry: EventEntry, follows: UInt64, _ table: ConditionTable) throws(Damage) {
    guard entry.change <= lastChange, entry.sequence <= lastSequence else {
      throw Damage("an event has the change \(entry.change) and the sequence \(entry.sequence)")
    }
    let isSilentLater = table.notify(of: entry.slot) != .all
    if follows != 0 {
      guard mode == .every, follows < entry.change, silent.restore(entry, follows: follows) else {
        throw Damage("a silent change follows no event")
      }
    } else if entry.sequence != 0 {
      inFlight.append(entry)
      if mode == .every {
        if isSilentLater { silent.queued(entry) }
      } else {
        guard turn.flying.insert(entry.slot).inserted else { throw Damage("two events of a condition are handed out") }
      }
    } else {
      if mode == .every {
        if isSilentLater { silent.queued(entry) }
      } else {
        guard !turn.isBusy(entry.slot) else { throw Damage("two events of a condition wait") }
        turn.waiting[entry.slot] = entry
      }
      queue.append(entry)
      told.wait(entry.slot, table)
      pendingEvents += 1
    }
  }

  /// Puts in order what came row by row.
  mutating func endRestoring() throws(Damage) {
    inFlight.sort { $0.sequence < $1.sequence }
    for (one, next) in zip(inFlight, inFlight.dropFirst()) where one.sequence == next.sequence {
      throw Damage("two events have the sequence \(one.sequence)")
    }
    handedOut = 0
  }

  mutating func beginJournal() { journal = Journal(isOn: true) }
  mutating func clearJournal() { journal.clear() }
  mutating func add(earlier: Journal) { journal.add(earlier: earlier) }
  mutating func endJournal() { journal = Journal() }
}

#if FENCEPOST_INVARIANTS
  extension Delivery {
    func checkInvariants(_ table: ConditionTable) throws(Invariant.Broken) {
      func isLive(_ entry: EventEntry) -> Bool { table.holds(entry.slot, entry.generation) }
      let flying = inFlight.filter { isLive($0) }
      var waiting: [EventEntry] = []
      var known: Set<UInt64> = []
      // A change of flags that is told in a later event may stand in the queue a second time, with its first place.
      queue.forEach { if isWaiting($0, table), known.insert($0.change).inserted { waiting.append($0) } }
      try Invariant.hold(
        pendingEvents == waiting.count, "\(pendingEvents) events are counted as waiting, \(waiting.count) are")
      try queue.checkInvariants()
      try checkSequences(waiting)
      try Invariant.hold(
        (flying + waiting).allSatisfy { $0.change <= lastChange }, "no event is beyond the last change")
      let pending = Dictionary((flying + waiting).map { ($0.change, $0) }) { one, _ in one }
      try Invariant.hold(pending.count == flying.count + waiting.count, "no two events have one change number")
      switch mode {
      case .every:
        try silent.checkInvariants(pending, isLive: isLive)
        try Invariant.hold(turn.isIdle && turn.present.isEmpty && turn.flags.isEmpty, "with every nobody takes turns")
      case .first, .latest:
        try turn.checkInvariants(Array(flying))
        try Invariant.hold(waiting.count == turn.waiting.count, "what waits stands in the queue")
      }
      try told.checkInvariants(table, waiting: waiting, last: last(pending, isLive))
      try journal.checkInvariants()
    }

    private func checkSequences(_ waiting: [EventEntry]) throws(Invariant.Broken) {
      try Invariant.hold(handedOut <= inFlight.count, "no more is handed out than is in flight")
      for (one, next) in zip(inFlight, inFlight.dropFirst()) {
        try Invariant.hold(one.sequence < next.sequence, "events are in flight in the order of their sequence numbers")
      }
      try Invariant.hold(
        inFlight.allSatisfy { $0.sequence >= 1 && $0.sequence <= lastSequence },
        "a sequence number is given at the first hand-out")
      try Invariant.hold(waiting.allSatisfy { $0.sequence == 0 }, "what waits has no sequence number")
    }

    /// With `every`: the last event of each condition that waits, or is kept silent.
    private func last(_ pending: [UInt64: EventEntry], _ isLive: (EventEntry) -> Bool) -> [UInt32: EventEntry] {
      guard mode == .every else { return [:] }
      var last: [UInt32: EventEntry] = [:]
      func look(_ entry: EventEntry) {
        if isLive(entry), last[entry.slot].map({ $0.change < entry.change }) ?? true { last[entry.slot] = entry }
      }
      for entry in pending.values { look(entry) }
      silent.forEach { entry, _ in look(entry) }
      return last
    }
  }
#endif
