import FencepostKernel

/// The events for the consumer, and the states that were reported to it: the waiting events, the events in flight, and
/// the records. ``Outbox`` contains the rules of the delivery modes; ``Post`` contains what all modes use.
///
/// The definitions and the host's capabilities are passed with each call. This type does not know how a state was
/// observed. Every change of a saved value is marked in `journal` automatically.
struct Delivery: Sendable {
  private var post = Post()
  private var outbox: Outbox
  private(set) var inFlight = InFlight<EventEntry>()
  private(set) var lastSequence: UInt64 = 0
  /// The number of observed changes.
  private(set) var lastChange: UInt64 = 0
  /// Whether an event has reported that writing to the storage fails.
  private var isStoreFailureTold = false
  /// Whether observed changes are only collected, because the caller itself stores the reported states.
  private let isCollecting: Bool
  private(set) var collected: ContiguousArray<EventEntry> = []
  /// The slots that were passed to ``suppose(_:_:)``.
  private var supposed: ContiguousArray<UInt32> = []
  /// See ``supposeUnsatisfied(through:)``.
  private var unsatisfiedThrough: UInt64 = 0
  /// The order in which the changes of one instant are processed.
  private var order: MonitorOptions.Order
  /// The changes of the present instants that wait for their turn; empty with the order `add`.
  private var held: ContiguousArray<EventEntry> = []

  init(_ options: MonitorOptions) {
    outbox = Outbox(options.delivery)
    order = options.order
    isCollecting = false
  }

  /// Creates a delivery without a consumer. Observed changes are added to ``collected``; the caller stores the reported
  /// states elsewhere.
  init(collecting order: MonitorOptions.Order) {
    outbox = Outbox(.every)
    self.order = order
    isCollecting = true
  }

  /// Sets the order of the changes of one instant.
  mutating func adopt(_ order: MonitorOptions.Order) { self.order = order }

  mutating func forgetCollected() {
    collected.clear()
    if !supposed.isEmpty {
      for slot in supposed { post.suppose(slot, nil) }
      supposed.clear()
    }
    unsatisfiedThrough = 0
    if post.hasTimings { post.forgetTimings() }
  }

  /// In a delivery that only collects, sets the reported state of a condition until the next ``forgetCollected()``.
  mutating func suppose(_ slot: UInt32, _ state: Event.State) {
    post.suppose(slot, state)
    supposed.append(slot)
  }

  /// In a delivery that only collects, sets the reported state of the conditions up to a generation to `unsatisfied`, except
  /// of those that are passed to ``suppose(_:_:)``, until the next ``forgetCollected()``. 0 sets no state.
  mutating func supposeUnsatisfied(through generation: UInt64) { unsatisfiedThrough = generation }

  /// The reported state of each condition.
  var told: ToldStates {
    _read { yield post.told }
  }

  /// Starts to read the reported state of a condition into the cache. A call on ``told`` copies it.
  @inline(__always)
  func readAhead(_ slot: UInt32) { post.told.readAhead(slot) }

  /// The number of events that wait for their first delivery.
  var pendingEvents: Int { post.pendingEvents }

  // MARK: - Added and removed conditions

  mutating func reserve(_ more: Int) {
    post.reserve(more)
  }

  /// Adds the condition that was put into a slot.
  ///
  /// - Parameter clock: The date of the condition's first record.
  mutating func adopt(_ slot: UInt32, clock: Int64) {
    post.adopt(slot, clock: clock)
  }

  /// Drops everything that belongs to a condition that was removed from its slot.
  mutating func drop(_ slot: UInt32, generation: UInt64, _ table: ConditionTable) {
    post.drop(slot, generation: generation)
    outbox.change(&post) { every, post in
      every.remove(slot)
      every.dropVoidEntries(&post, table)
    } turns: { turns, post in
      turns.remove(slot)
      turns.dropVoidEntries(&post, table)
    }
  }

  // MARK: - Observed changes

  /// Whether an observed state equals the reported state of the condition, and no event of the condition waits or is in
  /// flight. Such a state need not be reported.
  @inline(__always)
  func agrees(_ slot: UInt32, _ state: Event.State, _ table: ConditionTable) -> Bool {
    let isUnsatisfied =
      unsatisfiedThrough > 0 && table.generation(of: slot) <= unsatisfiedThrough && !supposed.contains(slot)
    return (isUnsatisfied ? .unsatisfied : post.told.state(of: slot, table)) == state && !isBusy(slot)
  }

  /// Whether a change is reported even if the state is not new to the consumer. This is true for crossings in a
  /// delivery that only collects.
  func isNews(_ entry: EventEntry) -> Bool { isCollecting && entry.cause == .crossing }

  /// Whether a condition has an event that its later events must wait for.
  @inline(__always)
  private func isBusy(_ slot: UInt32) -> Bool {
    outbox.read { _ in
      false
    } turns: {
      $0.turns.isBusy(slot)
    }
  }

  /// Whether no condition has an event that its later events must wait for.
  var isIdle: Bool {
    outbox.read { _ in
      true
    } turns: {
      $0.turns.isIdle
    }
  }

  /// Processes a newly observed state. With the order `exitsFirst`, ``endInstants(_:_:)`` processes it.
  mutating func observe(_ observed: EventEntry, _ host: HostState, _ table: ConditionTable) {
    if order == .add { report(observed, host, table) } else { held.append(observed) }
  }

  /// Whether changes wait for the end of their instant.
  @inline(__always)
  var holdsChanges: Bool { !held.isEmpty }

  /// Processes the changes that ``observe(_:_:_:)`` holds, which are in the order of their dates: of each date first the
  /// changes to `unsatisfied`, then those to `satisfied`, then the crossings of lines.
  @inline(never)
  mutating func endInstants(_ host: HostState, _ table: ConditionTable) {
    var start = 0
    while start < held.count {
      var end = start + 1
      while end < held.count, held[end].date == held[start].date { end += 1 }
      for turn in 0...2 {
        for index in start..<end where held[index].turn == turn { report(held[index], host, table) }
      }
      start = end
    }
    held.clear()
  }

  private mutating func report(_ observed: EventEntry, _ host: HostState, _ table: ConditionTable) {
    if isCollecting {
      if table.policies.hasTimings { return collectTimed(observed, table) }
      return collected.append(observed)
    }
    // In the most common mode and policy, each change that is new to the consumer becomes an event.
    if outbox.isEvery, table.notify(of: observed.slot) == .all, !table.policies.hasTimings,
      !observed.marks.contains(.news)
    {
      lastChange += 1
      return post.enqueue(news: observed, change: lastChange, host, table)
    }
    // With the order `exitsFirst`, an earlier change of the same instant may have exhausted the condition.
    if post.hasTimings, post.isExhausted(observed.slot) { return }
    lastChange += 1
    let change = lastChange
    outbox.change(&post) { every, post in
      every.observe(observed, change: change, &post, host, table)
    } turns: { turns, post in
      var entry = observed
      entry.change = change
      turns.observe(entry, &post, host, table)
    }
  }

  /// Collects an observed change, and counts it if it becomes an event of a condition with a largest number of events.
  @inline(never)
  @_optimize(size)
  private mutating func collectTimed(_ observed: EventEntry, _ table: ConditionTable) {
    guard table.timing(of: observed.slot) != nil else { return collected.append(observed) }
    // With the order `exitsFirst`, an earlier change of the same instant may have exhausted the condition.
    if post.hasTimings, post.isExhausted(observed.slot) { return }
    var entry = observed
    let isNews = entry.marks.contains(.news) || entry.state != post.told.state(of: entry.slot, table)
    if isNews, entry.notify.isSubset(of: table.notify(of: entry.slot)) { post.count(&entry, table) }
    post.suppose(entry.slot, entry.state)
    supposed.append(entry.slot)
    entry.marks.remove(.counted)
    collected.append(entry)
  }

  /// Discards the state that was observed while an earlier event of the condition was pending, because that state is no
  /// longer valid.
  mutating func forgetPresent(_ slot: UInt32) {
    outbox.change(&post) { _, _ in
    } turns: { turns, post in
      turns.forgetPresent(slot, &post)
    }
  }

  /// Processes a change of a condition's flags that is news to the consumer.
  mutating func flagsChanged(_ slot: UInt32, date: Int64, _ host: HostState, _ table: ConditionTable) {
    lastChange += 1
    let change = lastChange
    outbox.change(&post) { every, post in
      every.flagsChanged(slot, date: date, change: change, &post, host, table)
    } turns: { turns, post in
      turns.flagsChanged(slot, date: date, change: change, &post, host, table)
    }
  }

  /// The number of events of a condition with ``ConditionTiming/maxEvents``.
  func eventCount(of slot: UInt32) -> UInt32 { post.eventCount(of: slot) }

  mutating func restore(_ slot: UInt32, eventCount: UInt32) { post.restore(slot, eventCount: eventCount) }

  /// Sets the flags that the schedule of a condition adds.
  mutating func setFlags(of slot: UInt32, _ flags: Diagnostics) { post.setFlags(of: slot, flags) }

  /// Returns a condition that was just exhausted, or `nil`.
  mutating func takeExhausted() -> UInt32? { post.takeExhausted() }

  /// Returns the flags that apply to a condition now.
  func flags(of slot: UInt32, _ host: HostState, _ table: ConditionTable) -> Diagnostics {
    post.flags(of: slot, host, table)
  }

  /// Processes a change in whether the storage can be written.
  ///
  /// One event reports the failure: an event of the oldest condition, as soon as there is a condition. Until the
  /// storage works again, all new events have the flag too. After that, one event for each condition that has reported
  /// the flag clears it.
  mutating func storeIsFailing(
    _ isFailing: Bool, date: Int64, _ host: HostState, _ table: ConditionTable
  ) {
    if isFailing {
      post.isStoreFailing = true
      if !isStoreFailureTold, let oldest = table.live.first {
        isStoreFailureTold = true
        flagsChanged(oldest, date: date, host, table)
      }
    } else if post.isStoreFailing {
      post.isStoreFailing = false
      isStoreFailureTold = false
      for slot in Array(table.live)
      where post.told.flags(of: slot).contains(.persistenceUnavailable) || isBusy(slot) {
        flagsChanged(slot, date: date, host, table)
      }
    }
  }

  /// Whether the storage cannot be written.
  var isStoreFailing: Bool { post.isStoreFailing }

  // MARK: - Delivering

  /// Whether the queue or the events of a previous consumer contain entries; all of them may be void.
  @inline(__always)
  var hasEntries: Bool { post.queue.count > 0 || inFlight.hasLeft }

  /// Delivers up to `limit` of the next events.
  ///
  /// - Returns: The number of events that were delivered; less than `limit` if no other events wait.
  @inline(never)
  mutating func handOut(_ limit: Int, _ table: ConditionTable) -> Int {
    var count = 0
    while count < limit {
      if !inFlight.hasLeft, outbox.isPlain {
        count += post.handOut(limit - count, &lastSequence, to: &inFlight, table)
        if count == limit { break }
      }
      guard handOut(table) else { break }
      count += 1
    }
    return count
  }

  /// Delivers the next event.
  ///
  /// - Returns: Whether there was an event.
  private mutating func handOut(_ table: ConditionTable) -> Bool {
    while let entry = inFlight.takeLeft() {
      if table.holds(entry.slot, entry.generation) { return true }
    }
    guard var entry = takeNext(table) else { return false }
    lastSequence += 1
    entry.sequence = lastSequence
    post.waitsNoMore(entry.slot, table)
    post.put(entry)
    inFlight.append(entry)
    return true
  }

  /// Calls `body` with the events that were delivered to the present consumer, beginning with the event at the index
  /// `start`.
  @inline(__always)
  func forEachHandedOut(from start: Int, _ table: ConditionTable, _ body: (borrowing EventEntry) -> Void) {
    for index in start..<inFlight.handedOut
    where table.holds(inFlight.entries[index].slot, inFlight.entries[index].generation) {
      body(inFlight.entries[index])
    }
  }

  private mutating func takeNext(_ table: ConditionTable) -> EventEntry? {
    while let entry = post.takeFirst() {
      let next = outbox.change(&post) { every, _ in
        every.take(entry, table)
      } turns: { turns, _ in
        turns.take(entry, table)
      }
      if let next { return next }
    }
    return nil
  }

  /// Commits the events that were delivered to the present consumer.
  mutating func acknowledge(_ host: HostState, _ table: ConditionTable) {
    // A power failure may undo the commit. The events are then redelivered with the same sequence number, so the commit
    // need not reach the disk at once.
    let mustSync = post.mustSync
    defer { post.mustSync = mustSync }
    let committed = inFlight.handedOut
    var start = 0
    var known = committed > 1 ? 0 : 1
    while start < committed {
      let block = start..<min(start + ReadAhead.block, committed)
      let ahead = min(block.upperBound + ReadAhead.block, committed)
      if known < ahead { readAheadToCommit(known..<ahead, table) }
      known = ahead
      if outbox.isPlain {
        post.commit(inFlight.entries, block, table)
      } else {
        for index in block { commit(inFlight.entries[index], host, table) }
      }
      start = block.upperBound
    }
    inFlight.commit()
  }

  private mutating func commit(_ entry: EventEntry, _ host: HostState, _ table: ConditionTable) {
    let isLive = table.holds(entry.slot, entry.generation)
    if isLive { post.delete(entry) }
    outbox.change(&post) { every, post in
      if isLive { every.commit(entry, &post, table) } else { every.dropped(entry) }
    } turns: { turns, post in
      if isLive { turns.commit(entry, &post, host, table) }
    }
  }

  /// The consumer has gone away: its events that are not committed will be redelivered with the same sequence numbers.
  mutating func abandon() { inFlight.abandon() }

  /// Whether an event waits, or was delivered to a previous consumer that did not commit it.
  func hasEvents(_ table: ConditionTable) -> Bool {
    if pendingEvents > 0 { return true }
    for entry in inFlight.left where table.holds(entry.slot, entry.generation) { return true }
    return false
  }

  /// The number of events that wait, or were delivered to a previous consumer that did not commit them.
  func waitingEvents(_ table: ConditionTable) -> Int {
    pendingEvents + inFlight.left.count { table.holds($0.slot, $0.generation) }
  }

  /// Returns the delivery of a fork, which has no storage. The fork redelivers the events in flight.
  func forked() -> Delivery {
    var copy = self
    copy.post.endJournal()
    copy.post.isStoreFailing = false
    copy.isStoreFailureTold = false
    copy.abandon()
    return copy
  }

  // MARK: - Reading ahead

  /// Starts to read the memory that the delivery of events needs into the cache: for the next two blocks, or only for
  /// the second one if the first was read before.
  @inline(never)
  func readAheadToHandOut(_ limit: Int, isFirst: Bool, _ table: ConditionTable) {
    let count = min(limit, post.queue.straightCount, 2 * ReadAhead.block)
    guard count > 1 else { return }
    var index = isFirst ? 0 : ReadAhead.block
    while index < count {
      let slot = post.queue[ahead: index].slot
      table.readAhead(slot)
      table.identifiers.readAhead(slot)
      post.told.readAhead(slot)
      index += 1
    }
  }

  /// Starts to read the memory that the commit of some events needs into the cache.
  private func readAheadToCommit(_ range: Range<Int>, _ table: ConditionTable) {
    for index in range {
      let slot = inFlight.entries[index].slot
      table.readAhead(slot)
      post.told.readAheadRecord(slot)
    }
  }

  // MARK: - Saved values

  var journal: Journal {
    _read { yield post.journal }
  }

  func present(of slot: UInt32) -> EventEntry? {
    outbox.read { _ in
      nil
    } turns: {
      $0.turns.present.isEmpty ? nil : $0.turns.present[slot]
    }
  }

  /// The date and the number of the last change of the flags while an event of the condition waited.
  func leftFlags(of slot: UInt32) -> (date: Int64, change: UInt64)? {
    outbox.read { _ in
      nil
    } turns: {
      $0.turns.flags.isEmpty ? nil : $0.turns.flags[slot]
    }
  }

  /// An upper bound of the number of events that ``forEachEvent(_:_:)`` visits.
  var eventCount: Int {
    inFlight.entries.count + post.queue.count
      + outbox.read {
        $0.silent.count
      } turns: { _ in
        0
      }
  }

  /// Calls `body` with every event that waits or is not committed, and with every silent change that waits for such an
  /// event, in no particular order.
  func forEachEvent(_ table: ConditionTable, _ body: (EventEntry, _ follows: UInt64) -> Void) {
    for entry in inFlight.entries where table.holds(entry.slot, entry.generation) { body(entry, 0) }
    outbox.read { every in
      post.queue.forEach { if table.holds($0.slot, $0.generation) { body($0, 0) } }
      every.silent.forEach { if table.holds($0.slot, $0.generation) { body($0, $1) } }
    } turns: {
      $0.turns.forEachWaiting { body($0, 0) }
    }
  }

  mutating func restore(sequence: UInt64, change: UInt64) {
    lastSequence = sequence
    lastChange = change
  }

  /// Restores the date of the first record of the condition in the next slot.
  mutating func restore(added date: Int64) {
    post.restore(added: date)
  }

  /// Restores the saved values of a condition.
  mutating func restore(
    _ slot: UInt32, _ saved: ToldStates.Saved, present: EventEntry?, flags: (date: Int64, change: UInt64)?,
    _ table: ConditionTable
  ) throws(Damage) {
    post.restore(slot, saved, table)
    try outbox.change(&post) { _, _ throws(Damage) in
      guard present == nil, flags == nil else { throw Damage("an observation has no pending event before it") }
    } turns: { turns, _ throws(Damage) in
      turns.restore(slot, present: present, flags: flags)
    }
  }

  /// Restores a saved event. Events must be restored in the order of their changes.
  mutating func restore(_ entry: EventEntry, follows: UInt64, _ table: ConditionTable) throws(Damage) {
    guard entry.change <= lastChange, entry.sequence <= lastSequence else {
      throw Damage("an event has the change \(entry.change) and the sequence \(entry.sequence)")
    }
    try outbox.change(&post) { every, post throws(Damage) in
      try every.restore(entry, follows: follows, &post, table)
    } turns: { turns, post throws(Damage) in
      try turns.restore(entry, follows: follows, &post, table)
    }
    if follows == 0, entry.sequence != 0 { inFlight.append(entry) }
  }

  /// Sorts the restored events in flight by sequence number.
  mutating func endRestoring() throws(Damage) {
    var entries = inFlight.entries
    entries.arrange { $0.sequence < $1.sequence }
    for (one, next) in zip(entries, entries.dropFirst()) where one.sequence == next.sequence {
      throw Damage("two events have the sequence \(one.sequence)")
    }
    inFlight = InFlight(left: entries)
  }

  mutating func beginJournal() { post.beginJournal() }
  mutating func clearJournal() { post.clearJournal() }
  mutating func add(earlier: Journal) { post.add(earlier: earlier) }
  mutating func endJournal() { post.endJournal() }
}

extension EventEntry {
  /// The place of a change among the changes of its instant, with the order `exitsFirst`.
  fileprivate var turn: Int { direction != nil ? 2 : state == .satisfied ? 1 : 0 }
}

#if FENCEPOST_INVARIANTS
  extension Delivery {
    func checkInvariants(_ table: ConditionTable) throws(Invariant.Broken) {
      try Invariant.hold(held.isEmpty, "no change waits between two inputs")
      func isLive(_ entry: EventEntry) -> Bool { table.holds(entry.slot, entry.generation) }
      let flying = inFlight.entries.filter { isLive($0) }
      var waiting: [EventEntry] = []
      var known = Set<UInt64>()
      // If a later event reports a change of flags, the queue may contain that change twice, with the same change
      // number.
      post.queue.forEach { if isWaiting($0, table), known.insert($0.change).inserted { waiting.append($0) } }
      try Invariant.hold(
        pendingEvents == waiting.count, "\(pendingEvents) events are counted as waiting, but \(waiting.count) wait")
      try post.queue.checkInvariants()
      try checkSequences(waiting)
      try Invariant.hold(
        (flying + waiting).allSatisfy { $0.change <= lastChange }, "no event is later than the last change")
      let pending = Dictionary((flying + waiting).map { ($0.change, $0) }) { one, _ in one }
      try Invariant.hold(pending.count == flying.count + waiting.count, "no two events have one change number")
      switch outbox {
      case .every(let every):
        try every.silent.checkInvariants(pending, isLive: isLive)
      case .turns(let outbox):
        try outbox.turns.checkInvariants(Array(flying))
        try Invariant.hold(waiting.count == outbox.turns.waiting.count, "each waiting event is in the queue")
      }
      try post.told.checkInvariants(table, waiting: waiting, last: last(pending, isLive))
      try post.journal.checkInvariants()
    }

    /// Whether an entry of the queue is not void.
    private func isWaiting(_ entry: EventEntry, _ table: ConditionTable) -> Bool {
      outbox.read { _ in
        table.holds(entry.slot, entry.generation)
      } turns: {
        $0.isWaiting(entry, table)
      }
    }

    private func checkSequences(_ waiting: [EventEntry]) throws(Invariant.Broken) {
      let inFlight = inFlight.entries
      for (one, next) in zip(inFlight, inFlight.dropFirst()) {
        try Invariant.hold(one.sequence < next.sequence, "events are in flight in the order of their sequence numbers")
      }
      try Invariant.hold(
        inFlight.allSatisfy { $0.sequence >= 1 && $0.sequence <= lastSequence },
        "an event gets its sequence number at its first delivery")
      try Invariant.hold(waiting.allSatisfy { $0.sequence == 0 }, "a waiting event has no sequence number")
    }

    /// With `every`: the last pending event or waiting silent change of each condition.
    private func last(_ pending: [UInt64: EventEntry], _ isLive: (EventEntry) -> Bool) -> [UInt32: EventEntry] {
      guard case .every(let every) = outbox else { return [:] }
      var last = [UInt32: EventEntry]()
      func look(_ entry: EventEntry) {
        if isLive(entry), last[entry.slot].map({ $0.change < entry.change }) ?? true { last[entry.slot] = entry }
      }
      for entry in pending.values { look(entry) }
      every.silent.forEach { entry, _ in look(entry) }
      return last
    }
  }
#endif
