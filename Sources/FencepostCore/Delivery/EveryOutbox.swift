/// The rules of delivery `every`: each change becomes an event, in the order in which the changes happened.
struct EveryOutbox: Sendable {
  /// Changes without an event that wait for their turn.
  private(set) var silent = SilentChanges()

  mutating func observe(
    _ observed: EventEntry, change: UInt64, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    // A crossing of a line and an event that is news change no state, but are always reported.
    guard
      observed.direction != nil || observed.marks.contains(.news)
        || observed.state != post.told.state(of: observed.slot, table)
    else { return }
    var entry = observed
    entry.marks.remove(.news)
    if entry.cause == .repeat { entry.setRefinement(post.told.refinement(of: entry.slot)) }
    entry.change = change
    if post.complete(&entry, host, table) {
      if table.policies.hasTimings { post.count(&entry, table) }
      enqueue(entry, &post, table)
    } else {
      post.note(entry, table)
      keep(entry, &post, table)
    }
  }

  mutating func flagsChanged(
    _ slot: UInt32, date: Int64, change: UInt64, _ post: inout Post, _ host: HostState, _ table: ConditionTable
  ) {
    guard let entry = post.newDiagnostic(slot, date: date, change: change, host, table) else { return }
    enqueue(entry, &post, table)
  }

  private mutating func enqueue(_ entry: EventEntry, _ post: inout Post, _ table: ConditionTable) {
    post.enqueue(entry, isTold: true, table)
    if table.notify(of: entry.slot) != .all { silent.queued(entry) }
  }

  /// Keeps a change without an event until its turn.
  private mutating func keep(_ entry: EventEntry, _ post: inout Post, _ table: ConditionTable) {
    guard let place = silent.wait(entry) else { return post.write(entry, table) }
    if let replaced = place.replaced { post.delete(replaced) }
    post.put(entry, follows: place.event)
  }

  mutating func commit(_ entry: EventEntry, _ post: inout Post, _ table: ConditionTable) {
    post.write(entry, table)
    if let change = silent.handled(entry) {
      post.delete(change)
      post.write(change, table)
    }
  }

  /// The event to deliver for the next entry of the queue; `nil` if the entry is void.
  mutating func take(_ entry: EventEntry, _ table: ConditionTable) -> EventEntry? {
    if table.holds(entry.slot, entry.generation) { return entry }
    silent.dropped(entry)
    return nil
  }

  /// Handles an event in flight that is void.
  mutating func dropped(_ entry: EventEntry) {
    silent.dropped(entry)
  }

  mutating func dropVoidEntries(_ post: inout Post, _ table: ConditionTable) {
    post.dropVoidEntries { take($0, table) != nil }
  }

  mutating func remove(_ slot: UInt32) {
    silent.remove(slot)
  }

  mutating func restore(_ entry: EventEntry, follows event: UInt64, _ post: inout Post, _ table: ConditionTable)
    throws(Damage)
  {
    if event != 0 {
      guard event < entry.change, silent.restore(entry, follows: event) else {
        throw Damage.silentChangeAlone
      }
      return
    }
    if table.notify(of: entry.slot) != .all { silent.queued(entry) }
    if entry.sequence == 0 { post.restoreWaiting(entry, table) }
  }
}
