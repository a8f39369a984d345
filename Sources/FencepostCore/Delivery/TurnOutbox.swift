/// The rules of delivery `first` and `latest`: a condition has at most one event that waits or is handed out, and its
/// next one is built when that is handled.
struct TurnOutbox: Sendable {
  /// Whether a change takes the place of an event that waits (`latest`), or comes after it (`first`).
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
    } else if entry.state != post.told.state(of: slot, table) {
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
    // Also when an event tells them: a silent change may replace it.
    setFlags(slot, turns.isBusy(slot) ? (date, change) : nil, &post)
  }

  /// Forgets what was observed behind an event, since it holds no more.
  mutating func forgetPresent(_ slot: UInt32, _ post: inout Post) {
    if !turns.present.isEmpty, turns.present[slot] != nil { setPresent(slot, nil, &post) }
  }

  // MARK: - Building

  private mutating func build(
    _ observed: EventEntry, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    var entry = observed
    if post.complete(&entry, host, table) {
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

  /// Tells the flags, where no event that waits does.
  private mutating func buildLeftDiagnostic(
    _ slot: UInt32, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    guard !turns.isBusy(slot), let flags = turns.flags[slot] else { return }
    buildDiagnostic(slot, date: flags.date, change: flags.change, &post, host, table)
    if !turns.isBusy(slot) { setFlags(slot, nil, &post) }
  }

  /// A change replaces the waiting event; it is dropped when it is equal to the record. One that agrees with the record
  /// leaves a waiting event alone whose only news are the flags.
  private mutating func replace(
    _ waiting: EventEntry, by entry: EventEntry, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    let slot = waiting.slot
    let noted = post.told.state(of: slot, table)
    guard entry.state != noted || waiting.state != noted else { return }
    dropWaiting(slot, &post, table)
    let isTold = entry.notify.isSubset(of: table.notify(of: slot))
    let hasNewFlags = post.flags(of: slot, host, table) != post.told.flags(of: slot)
    if entry.state != noted || (isTold && hasNewFlags) { build(entry, &post, host, table) }
    buildLeftDiagnostic(slot, &post, host, table)
  }

  /// A change of flags replaces the waiting event, keeping its state.
  private mutating func replaceByDiagnostic(
    _ waiting: EventEntry, date: Int64, change: UInt64, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    let slot = waiting.slot
    let flags = post.flags(of: slot, host, table)
    guard flags.isNews(to: waiting.diagnostics) else { return }
    dropWaiting(slot, &post, table)
    let entry = post.diagnostic(slot, flags, state: waiting.state, date: date, change: change, table)
    let isNew = entry.state != post.told.state(of: slot, table) || flags != post.told.flags(of: slot)
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

  // MARK: - Handing out

  /// Whether an entry of the queue still has its place: the queue keeps the place, and `turns` what waits there, which may
  /// have been replaced.
  func isWaiting(_ entry: EventEntry, _ table: ConditionTable) -> Bool {
    table.holds(entry.slot, entry.generation) && turns.waiting[entry.slot]?.change == entry.change
  }

  /// The event that is handed out for an entry whose turn it is; `nil` when it is void.
  mutating func take(_ entry: EventEntry, _ table: ConditionTable) -> EventEntry? {
    guard isWaiting(entry, table), let waiting = turns.waiting.removeValue(forKey: entry.slot) else { return nil }
    turns.flying.insert(entry.slot)
    return waiting
  }

  mutating func dropVoidEntries(_ post: inout Post, _ table: ConditionTable) {
    post.dropVoidEntries { isWaiting($0, table) }
  }

  /// Commits an event and builds the next one of the condition, if there is something to tell.
  mutating func commit(_ entry: EventEntry, _ post: inout Post, _ host: HostState, _ table: ConditionTable) {
    let slot = entry.slot
    turns.flying.remove(slot)
    post.note(entry, table)
    post.write(entry, table)
    if let present = turns.present[slot] {
      setPresent(slot, nil, &post)
      if present.state != post.told.state(of: slot, table) { build(present, &post, host, table) }
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
