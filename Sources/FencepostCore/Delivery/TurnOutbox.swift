/// The rules of the deliveries `first` and `latest`: a condition has at most one event that waits or is in flight. Its
/// next event is built after this event is committed.
struct TurnOutbox: Sendable {
  /// Whether a change replaces a waiting event (`latest`), or comes after the event (`first`).
  let replaces: Bool
  private(set) var turns = Turns()

  init(replaces: Bool) {
    self.replaces = replaces
  }

  mutating func observe(_ entry: EventEntry, _ post: inout Post, _ host: HostState, _ table: ConditionTable) {
    let slot = entry.slot
    if replaces ? turns.flying.contains(slot) : turns.isBusy(slot) {
      setPresent(slot, entry, &post)
    } else if let waiting = turns.waiting[slot] {
      replace(waiting, by: entry, &post, host, table)
    } else if entry.marks.contains(.news) || entry.state != post.told.state(of: slot, table) {
      build(entry, &post, host, table)
    }
  }

  mutating func flagsChanged(
    _ slot: UInt32, date: Int64, change: UInt64, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    guard replaces else {
      if turns.isBusy(slot) {
        setFlags(slot, (date, change), &post)
      } else {
        buildDiagnostic(slot, date: date, change: change, &post, host, table)
      }
      return
    }
    if !turns.flying.contains(slot) {
      if let waiting = turns.waiting[slot] {
        replaceByDiagnostic(waiting, date: date, change: change, &post, host, table)
      } else {
        buildDiagnostic(slot, date: date, change: change, &post, host, table)
      }
    }
    // This is also done if a waiting event reports the flags, because a silent change may replace this event.
    setFlags(slot, turns.isBusy(slot) ? (date, change) : nil, &post)
  }

  /// Discards the state that was observed while an earlier event of the condition was pending, because that state is no
  /// longer valid.
  mutating func forgetPresent(_ slot: UInt32, _ post: inout Post) {
    if !turns.present.isEmpty, turns.present[slot] != nil { setPresent(slot, nil, &post) }
  }

  // MARK: - Building

  @inline(never)
  private mutating func build(
    _ observed: EventEntry, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    var entry = observed
    entry.marks.remove(.news)
    if entry.cause == .repeat, !entry.hasRefinement { entry.setRefinement(post.told.refinement(of: entry.slot)) }
    if post.complete(&entry, host, table) {
      if table.policies.hasTimings { post.count(&entry, table) }
      enqueue(entry, &post, table)
    } else {
      post.note(entry, table)
      post.write(entry, table)
    }
  }

  private mutating func buildDiagnostic(
    _ slot: UInt32, date: Int64, change: UInt64, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    if let entry = post.newDiagnostic(slot, date: date, change: change, host, table) { enqueue(entry, &post, table) }
  }

  private mutating func enqueue(_ entry: EventEntry, _ post: inout Post, _ table: ConditionTable) {
    turns.waiting[entry.slot] = entry
    post.enqueue(entry, isTold: false, table)
  }

  /// Builds an event about the flags if they changed while an event was pending, and that event did not report them.
  private mutating func buildLeftDiagnostic(
    _ slot: UInt32, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    guard !turns.isBusy(slot), let flags = turns.flags[slot] else { return }
    buildDiagnostic(slot, date: flags.date, change: flags.change, &post, host, table)
    if !turns.isBusy(slot) { setFlags(slot, nil, &post) }
  }

  /// Replaces the waiting event by a change, or drops the waiting event if the change equals the reported state. If the
  /// change equals the reported state and the waiting event reports only flags, the waiting event is left unchanged.
  private mutating func replace(
    _ waiting: EventEntry, by observed: EventEntry, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    let slot = waiting.slot
    let noted = post.told.state(of: slot, table)
    var entry = observed
    // An event that replaces another is not counted again.
    entry.marks.formUnion(waiting.marks.intersection(.counted))
    if entry.marks.contains(.news) {
      if entry.cause == .repeat, waiting.state == .satisfied, waiting.hasRefinement {
        entry.marks.insert(.refinement)
        entry.refinementMajor = waiting.refinementMajor
        entry.refinementMinor = waiting.refinementMinor
      }
      dropWaiting(slot, &post, table)
      build(entry, &post, host, table)
      return buildLeftDiagnostic(slot, &post, host, table)
    }
    guard entry.state != noted || waiting.state != noted else { return }
    dropWaiting(slot, &post, table)
    let isTold = entry.notify.isSubset(of: table.notify(of: slot))
    let hasNewFlags = post.flags(of: slot, host, table).differs(from: post.told.flags(of: slot))
    if entry.state != noted || (isTold && hasNewFlags) { build(entry, &post, host, table) }
    buildLeftDiagnostic(slot, &post, host, table)
  }

  /// Replaces the waiting event because the flags have changed; the state of the event stays the same.
  private mutating func replaceByDiagnostic(
    _ waiting: EventEntry, date: Int64, change: UInt64, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    let slot = waiting.slot
    let flags = post.flags(of: slot, host, table)
    guard flags.isNews(to: waiting.diagnostics) else { return }
    dropWaiting(slot, &post, table)
    var entry = post.diagnostic(slot, flags, state: waiting.state, date: date, change: change, table)
    entry.marks.formUnion(waiting.marks.intersection(.counted))
    let isNew = entry.state != post.told.state(of: slot, table) || flags.differs(from: post.told.flags(of: slot))
    if isNew { enqueue(entry, &post, table) }
  }

  private mutating func dropWaiting(_ slot: UInt32, _ post: inout Post, _ table: ConditionTable) {
    if let dropped = turns.waiting.removeValue(forKey: slot) { post.delete(dropped) }
    post.waitsNoMore(slot, table)
    dropVoidEntries(&post, table)
  }

  private mutating func setPresent(_ slot: UInt32, _ entry: EventEntry?, _ post: inout Post) {
    turns.present[slot] = entry
    post.touch(slot)
  }

  private mutating func setFlags(_ slot: UInt32, _ flags: (date: Int64, change: UInt64)?, _ post: inout Post) {
    turns.flags[slot] = flags
    post.touch(slot)
  }

  // MARK: - Delivering

  /// Whether an entry of the queue is still valid. The queue contains only the change number of an event; `turns`
  /// contains the waiting event itself, which may have been replaced.
  func isWaiting(_ entry: EventEntry, _ table: ConditionTable) -> Bool {
    table.holds(entry.slot, entry.generation) && turns.waiting[entry.slot]?.change == entry.change
  }

  /// Returns the event to deliver for the next entry of the queue; `nil` if the entry is void.
  mutating func take(_ entry: EventEntry, _ table: ConditionTable) -> EventEntry? {
    guard isWaiting(entry, table), let waiting = turns.waiting.removeValue(forKey: entry.slot) else { return nil }
    turns.flying.insert(entry.slot)
    return waiting
  }

  mutating func dropVoidEntries(_ post: inout Post, _ table: ConditionTable) {
    post.dropVoidEntries { isWaiting($0, table) }
  }

  /// Commits an event, and builds the next event of the condition if there is something to report.
  mutating func commit(_ entry: EventEntry, _ post: inout Post, _ host: HostState, _ table: ConditionTable) {
    let slot = entry.slot
    turns.flying.remove(slot)
    post.note(entry, table)
    post.write(entry, table)
    if let present = turns.present[slot] {
      setPresent(slot, nil, &post)
      if present.marks.contains(.news) || present.state != post.told.state(of: slot, table) {
        build(present, &post, host, table)
      }
    }
    buildLeftDiagnostic(slot, &post, host, table)
  }

  mutating func remove(_ slot: UInt32) {
    turns.remove(slot)
  }

  // MARK: - Restoring

  mutating func restore(_ slot: UInt32, present: EventEntry?, flags: (date: Int64, change: UInt64)?) {
    if let present { turns.present[slot] = present }
    if let flags { turns.flags[slot] = flags }
  }

  mutating func restore(_ entry: EventEntry, follows: UInt64, _ post: inout Post, _ table: ConditionTable)
    throws(Damage)
  {
    guard follows == 0 else { throw Damage.silentChangeAlone }
    if entry.sequence != 0 {
      guard turns.flying.insert(entry.slot).inserted else { throw Damage("two events of a condition are in flight") }
    } else {
      guard !turns.isBusy(entry.slot) else { throw Damage("two events of a condition wait") }
      turns.waiting[entry.slot] = entry
      post.restoreWaiting(entry, table)
    }
  }
}
