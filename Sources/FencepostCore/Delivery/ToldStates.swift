import FencepostKernel

/// The last reported state of each condition, and its record.
struct ToldStates: Sendable {
  /// The entry of a condition that has a queued or committed event.
  private struct Told: SparseValue {
    /// The index in ``RecordTable``; ``none`` while the condition still has its first record.
    var record: UInt32 = Told.none
    /// The number of events of the condition that wait for delivery.
    var waiting: UInt32 = 0
    /// The state of the last event that was queued (with delivery `every`) or committed (with the other modes).
    var state: Event.State = .unknown
    /// The diagnostics of this event.
    var flags: UInt16 = 0

    static let none = UInt32.max
  }

  /// The values that a saved row contains.
  struct Saved {
    var state: Event.State
    var flags: UInt16
    var record: EventEntry?
    var refinement: BeaconIdentityCondition?
  }

  /// The entries of conditions with events. The reported state of every other condition is the assumed state, which is
  /// in the table.
  private var told = SparseSlots<Told>()
  /// The dates of the first records, by slot, in microseconds; `Int64.min` if there is no date.
  private var added: ContiguousArray<Int64> = []
  private var records = RecordTable()
  /// The beacon of the last event, for conditions whose last event had one.
  private var refinements = [UInt32: BeaconIdentityCondition]()

  mutating func reserve(_ more: Int) {
    added.reserveCapacity(added.count + more)
  }

  mutating func adopt(_ slot: UInt32, date: Int64, _ journal: inout Journal) {
    while added.count <= Int(slot) { added.append(.min) }
    added[Int(slot)] = date
    journal.touch(slot)
  }

  /// Removes the entry of a condition; returns the number of its waiting events.
  mutating func drop(_ slot: UInt32) -> Int {
    if !refinements.isEmpty { refinements[slot] = nil }
    guard let old = told[slot] else { return 0 }
    if old.record != Told.none { records.remove(old.record) }
    told[slot] = nil
    return Int(old.waiting)
  }

  /// Sets the reported state of a condition, which the caller stores elsewhere; `nil` for the assumed state.
  mutating func suppose(_ slot: UInt32, _ state: Event.State?) {
    told[slot] = state.map { Told(state: $0) }
  }

  /// The number of places that are visited to enumerate the conditions that have had an event.
  var placeCount: Int { told.placeCount }

  /// Calls `body` with each condition that has had an event, and with its last reported state, in no particular order.
  func forEachException(_ body: (UInt32, Event.State) -> Void) {
    told.forEach { body($0, $1.state) }
  }

  @inline(__always)
  func state(of slot: UInt32, _ table: ConditionTable) -> Event.State { told[slot]?.state ?? table.assumed(of: slot) }

  func flags(of slot: UInt32) -> Diagnostics { Diagnostics(rawValue: UInt32(told[slot]?.flags ?? 0)) }

  func refinement(of slot: UInt32) -> BeaconIdentityCondition? { refinements.isEmpty ? nil : refinements[slot] }

  /// The entry of a condition that has had no event.
  @inline(__always)
  private static func untold(_ slot: UInt32, _ table: ConditionTable) -> Told { Told(state: table.assumed(of: slot)) }

  /// Sets the last reported state, or the state that will have been reported once the queue is empty.
  ///
  /// - Parameter waits: Whether the event waits for delivery.
  mutating func note(
    _ entry: EventEntry, waits: Bool = false, _ table: ConditionTable, _ journal: inout Journal
  ) {
    note(entry, entry.diagnostics, waits: waits, table, &journal)
  }

  /// Sets the last reported state from an entry that does not have its flags yet.
  @inline(__always)
  mutating func note(
    _ entry: EventEntry, _ flags: Diagnostics, waits: Bool, _ table: ConditionTable, _ journal: inout Journal
  ) {
    Self.note(entry.state, flags, waits, &told[entry.slot, or: Self.untold(entry.slot, table)])
    if entry.hasRefinement || !refinements.isEmpty { refinements[entry.slot] = table.refinement(of: entry) }
    journal.touch(entry.slot)
  }

  @inline(__always)
  private static func note(_ state: Event.State, _ flags: Diagnostics, _ waits: Bool, _ told: inout Told) {
    told.state = state
    told.flags = UInt16(truncatingIfNeeded: flags.rawValue)
    if waits { told.waiting += 1 }
  }

  /// Writes an event as the record of its condition.
  mutating func write(_ entry: EventEntry, _ table: ConditionTable, _ journal: inout Journal) {
    if let index = told[entry.slot]?.record, index != Told.none {
      records.update(index, entry)
    } else {
      told[entry.slot, or: Self.untold(entry.slot, table)].record = records.insert(entry)
    }
    journal.touch(entry.slot)
  }

  /// Counts one more waiting event.
  mutating func wait(_ slot: UInt32, _ table: ConditionTable) {
    told[slot, or: Self.untold(slot, table)].waiting += 1
  }

  /// Counts one waiting event less.
  mutating func handOut(_ slot: UInt32, _ table: ConditionTable) {
    told[slot, or: Self.untold(slot, table)].waiting -= 1
  }

  /// Returns the last committed event; `nil` while the condition still has its first record.
  func record(of slot: UInt32) -> EventEntry? {
    guard let told = told[slot], told.record != Told.none else { return nil }
    return records[told.record]
  }

  /// Returns the date of the first record.
  func added(_ slot: UInt32) -> Int64 { added[Int(slot)] }

  func saved(_ slot: UInt32, _ table: ConditionTable) -> Saved {
    Saved(
      state: state(of: slot, table), flags: told[slot]?.flags ?? 0, record: record(of: slot),
      refinement: refinement(of: slot))
  }

  /// Restores the date of the first record of the condition that was put into the next slot.
  mutating func restore(added date: Int64) {
    added.append(date)
  }

  /// Restores the saved values of a condition.
  mutating func restore(_ slot: UInt32, _ saved: Saved, _ table: ConditionTable) {
    if saved.state != table.assumed(of: slot) || saved.flags != 0 || saved.record != nil {
      told[slot] = Told(
        record: saved.record.map { records.insert($0) } ?? Told.none, state: saved.state, flags: saved.flags)
    }
    if let refinement = saved.refinement { refinements[slot] = refinement }
  }

  /// Starts to read the reported state of a condition into the cache.
  @inline(__always)
  func readAhead(_ slot: UInt32) { told.readAhead(slot) }

  /// Starts to read the record of a condition into the cache.
  @inline(__always)
  func readAheadRecord(_ slot: UInt32) {
    if let told = told[slot], told.record != Told.none { records.readAhead(told.record) }
  }
}

#if FENCEPOST_INVARIANTS
  extension ToldStates {
    /// - Parameters:
    ///   - waiting: The waiting events.
    ///   - last: With delivery `every`, the last event of each condition that is not in the record of the condition
    ///     yet.
    func checkInvariants(
      _ table: ConditionTable, waiting: [EventEntry], last: [UInt32: EventEntry]
    ) throws(Invariant.Broken) {
      try told.checkInvariants()
      var used: [UInt32] = []
      var known = 0
      told.forEach { slot, told in
        if told.record != Told.none { used.append(told.record) }
        if table.isLive(slot) { known += 1 }
      }
      try Invariant.hold(known == told.count, "only existing conditions have a reported state")
      try records.checkInvariants(used)
      var counts = [UInt32: UInt32]()
      for entry in waiting { counts[entry.slot, default: 0] += 1 }
      for slot in table.live {
        try Invariant.hold(told[slot]?.waiting ?? 0 == counts[slot] ?? 0, "a condition counts its waiting events")
        let event = last[slot] ?? record(of: slot)
        try Invariant.hold(
          state(of: slot, table) == event?.state ?? table.assumed(of: slot)
            && flags(of: slot) == event?.diagnostics ?? [],
          "the reported state of a condition is that of its last event")
        try Invariant.hold(
          refinement(of: slot) == event.flatMap { table.refinement(of: $0) },
          "the reported beacon is that of the last event")
      }
    }
  }
#endif
